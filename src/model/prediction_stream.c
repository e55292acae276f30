/* Predictions of a file in bounded memory: rows are read, prepared, scored and given out in parts.
 *
 * A row has the same scores in any part (kernels/centres.h). Parts are of PART rows, which keeps
 * threads busy; blocks of text end where they will, hence the pile of prepared rows in between. */
#include <string.h>

#include "base/alloc.h"
#include "data/read/intern.h"
#include "data/read/kept.h"
#include "data/row_digest.h"
#include "data/stream/row_stream.h"
#include "model/model.h"
#include "polytomy/experimental.h"
#include "report/report.h"

enum { PART = 8192, LEAST_PART = 64 };
/* Bytes of text for each thread: enough that what is done once for a block does not count. */
static const int64_t LEAST_TEXT = (int64_t)1 << 20;
static const int64_t MOST_TEXT = (int64_t)8 << 20;

struct pt_prediction_stream {
    const pt_model *model;
    pt_task *task;
    int64_t rounds;
    pt_decider decider;
    int64_t part; /* rows; less than PART where that is too much for the memory */
    bool *numeric;
    pt_read_options options;
    pt_row_stream rows;
    pt_dataset *whole;      /* of formats that are not read in blocks */
    const pt_dataset *data; /* what was read last */
    int64_t taken;          /* rows of it that were prepared */
    bool ended;             /* there are no rows behind it */
    pt_row_pile pile;       /* prepared rows that wait */
    int64_t given;          /* rows that were given out */
    pt_prediction *block;   /* the last of them */
    bool keeps_labels;      /* of classes, for an evaluation: */
    pt_labels *labels;      /* of what was read last, in the model's classes */
    int64_t *truth;         /* of the rows that wait, those given out last before them */
    int64_t n_truth;
    int64_t last;    /* rows that were given out last */
    uint64_t digest; /* of all rows */
    pt_prepare_counts remarks;
    pt_warnings warnings; /* each once */
    pt_misfits misfits;
    pt_kept kept; /* cells of the rows that wait, those given out last before them */
    pt_places places;
    char *kept_wanted;
    const char **kept_cells; /* of those given out last */
    /* what the file is like, as far as it was read */
    int64_t n;
    int64_t d;
    char *label_name; /* NULL: none */
    int64_t label_column;
    const char *label_kind; /* NULL: there are no labels */
};

void pt_prediction_stream_close(pt_prediction_stream *stream)
{
    if (!stream)
        return;
    pt_prediction_free(stream->block);
    pt_decider_free(&stream->decider);
    pt_labels_free(stream->labels);
    pt_free(stream->truth);
    pt_row_pile_free(&stream->pile);
    pt_row_stream_close(&stream->rows);
    pt_dataset_free(stream->whole);
    pt_prepare_counts_free(&stream->remarks);
    pt_misfits_free(&stream->misfits);
    pt_free(stream->kept_cells);
    pt_kept_free(&stream->kept);
    pt_free(stream->kept_wanted);
    pt_places_free(&stream->places);
    pt_warnings_free(&stream->warnings);
    pt_free(stream->numeric);
    pt_free(stream->label_name);
    pt_free(stream);
}

double pt_prediction_row_bytes(const pt_model *model)
{
    return (double)pt_prepare_n_outputs(model->prepare) *
           (double)pt_type_size(pt_model_type(model));
}

/* A quarter of the memory at most is for prepared rows and scores. */
int64_t pt_prediction_part(const pt_model *model, const pt_task *task)
{
    const double row_bytes = pt_prediction_bytes(model, 1) + pt_prediction_row_bytes(model);
    int64_t part = PART;
    while (part > LEAST_PART && !pt_task_may_use(task, 4 * 2 * (double)part * row_bytes))
        part /= 2;
    return part;
}

/* What a block, or the whole, shows of the file. */
static pt_status look_at(pt_prediction_stream *stream, const pt_dataset *data, pt_error *err)
{
    stream->n += data->n;
    stream->d = data->d > stream->d ? data->d : stream->d;
    stream->label_column = data->label_column;
    if (data->labels)
        stream->label_kind = pt_label_kind_name(data->labels->kind);
    if (!data->label_name || stream->label_name)
        return PT_OK;
    stream->label_name = pt_alloc_text(data->label_name, err);
    return stream->label_name ? PT_OK : PT_ENOMEM;
}

/* Formats that are not read in blocks: the whole, by name or, from a pipe, by what came. */
static pt_status read_whole(pt_prediction_stream *stream, const char *path, const char *format,
                            pt_error *err)
{
    PT_SCRATCH char *bytes = NULL;
    size_t size = 0;
    if (strcmp(path, "-") != 0) {
        PT_TRY(pt_read_path(&stream->whole, path, format, &stream->options, err));
    } else {
        PT_TRY(pt_text_stream_all(&stream->rows.text, &bytes, &size, err));
        PT_TRY(pt_read_bytes(&stream->whole, bytes, size, stream->rows.format->name,
                             &stream->options, err));
    }
    stream->data = stream->whole;
    stream->ended = true;
    PT_TRY(look_at(stream, stream->whole, err));
    return pt_warnings_add_new(&stream->warnings, &stream->whole->warnings, err);
}

static void close_at(pt_prediction_stream **address)
{
    pt_prediction_stream_close(*address);
}

pt_status pt_prediction_stream_open(pt_prediction_stream **out, const pt_model *model,
                                    const char *path, const pt_params *params, int64_t rounds,
                                    pt_task *task, pt_error *err)
{
    if (rounds != -1)
        PT_TRY(pt_model_check_rounds(model, rounds, err));
    PT_FREED_BY(close_at) pt_prediction_stream *stream = NULL;
    PT_TRY(PT_NEW_ZERO(stream, 1, "predictions", err));
    stream->model = model;
    stream->task = task;
    stream->rounds = rounds;
    stream->part = pt_prediction_part(model, task);
    PT_TRY(pt_decider_init(&stream->decider, model, params, task, err));
    PT_TRY(pt_warnings_add_new(&stream->warnings, &stream->decider.warnings, err));
    const char *format = pt_params_text(params, PT_P_FORMAT);
    bool text = true;
    size_t size = 0;
    PT_TRY(
        pt_model_read_options(model, path, params, task, &stream->options, &stream->numeric, err));
    const int64_t share = pt_task_memory(task) / 64 / pt_task_threads(task);
    const int64_t block = share < LEAST_TEXT ? LEAST_TEXT : share > MOST_TEXT ? MOST_TEXT : share;
    stream->options.misfits = &stream->misfits;
    PT_TRY(
        pt_row_stream_open_with(&stream->rows, path, format, &stream->options, (size_t)block, err));
    PT_TRY(pt_row_stream_begin(&stream->rows, &text, &size, err));
    if (size == 0)
        return pt_fail_at(err, PT_EFORMAT, stream->rows.options.source, 1, 1, "the file is empty");
    if (!text)
        PT_TRY(read_whole(stream, path, format, err));
    *out = pt_keep(&stream);
    return PT_OK;
}

/* Bytes of a file that is held whole. */
static double held_whole(const pt_prediction_stream *stream)
{
    return stream->whole ? pt_dataset_bytes(stream->whole) : 0;
}

static pt_status read_on(pt_prediction_stream *stream, pt_error *err)
{
    int64_t nothing = 0;
    int64_t first = 0;
    const pt_dataset *data = NULL;
    const bool nothing_yet = stream->given == 0 && stream->pile.rows.n == 0;
    stream->data = NULL;
    stream->taken = 0;
    stream->ended = true;
    PT_TRY(pt_row_stream_next(&stream->rows, &nothing, &data, &first, err));
    stream->data = data;
    stream->ended = data == NULL;
    if (!data && nothing_yet)
        return pt_fail_at(err, PT_EFORMAT, stream->rows.options.source, 1, 0,
                          "there is no row; add data");
    if (!data)
        return PT_OK;
    pt_task_progress_whole(stream->task, "predict", pt_text_stream_share(&stream->rows.text), 1);
    PT_TRY(look_at(stream, data, err));
    return pt_warnings_add_new(&stream->warnings, &data->warnings, err);
}

/* Labels of a block that was read: in the model's classes, unknown ones all alike behind them. */
static pt_status match_labels(pt_prediction_stream *stream, pt_error *err)
{
    const pt_dataset *data = stream->data;
    uint64_t digest = 0;
    if (!data->labels)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "there are no labels to compare with; name their column with `label`");
    if (data->labels->kind != PT_LABEL_CLASS)
        return pt_fail_at(
            err, PT_EMEMORY, data->source, 0, 0,
            "labels of kind '%s' are not compared part by part; raise `memory` or use fewer rows",
            pt_label_kind_name(data->labels->kind));
    pt_labels_free(stream->labels);
    stream->labels = NULL;
    PT_TRY(pt_labels_match(&stream->labels, data->labels, &stream->model->classes, NULL, err));
    PT_TRY(pt_dataset_digest(&digest, data, stream->task, err));
    stream->digest += digest;
    return PT_OK;
}

/* Those of the next n rows wait with them; a row of weight 0 is absent. */
static pt_status add_truths(pt_prediction_stream *stream, int64_t n, pt_error *err)
{
    const int64_t k = stream->model->classes.count;
    const double *weights = stream->data->weights;
    PT_TRY(pt_alloc_grow((void **)&stream->truth, stream->n_truth, stream->n_truth + n,
                         sizeof *stream->truth, "labels", err));
    for (int64_t i = stream->taken; i < stream->taken + n; i++) {
        const int64_t truth = stream->labels->class_of[i];
        const bool absent = weights && !(weights[i] > 0);
        stream->truth[stream->n_truth++] = absent ? PT_ABSENT : truth < k ? truth : k;
    }
    return PT_OK;
}

pt_status pt_prediction_stream_keep(pt_prediction_stream *stream, const char *columns,
                                    pt_error *err)
{
    const pt_format *format = stream->rows.format;
    if (format != &pt_format_csv && format != &pt_format_tsv)
        return pt_fail_at(err, PT_ENOSUPPORT, stream->rows.options.source, 0, 0,
                          "only csv and tsv have cells to keep, and this is %s; convert it first",
                          format->name);
    if (stream->given > 0 || stream->pile.rows.n > 0)
        return pt_fail(err, PT_EINVAL, "columns to keep are named before the first rows are read");
    if (!*columns)
        return pt_fail(err, PT_EINVAL, "there is no name of a column to keep");
    pt_free(stream->kept_wanted);
    stream->kept_wanted = pt_alloc_text(columns, err);
    if (!stream->kept_wanted)
        return PT_ENOMEM;
    stream->kept.wanted = stream->kept_wanted;
    stream->rows.options.kept = &stream->kept;
    stream->rows.options.places = &stream->places;
    return PT_OK;
}

/* The cells of the rows that were given out last, for the report. */
static pt_status list_kept(pt_prediction_stream *stream, pt_error *err)
{
    const int64_t count = stream->last * stream->kept.count;
    if (!stream->kept.found)
        return PT_OK;
    pt_free(stream->kept_cells);
    PT_TRY(PT_NEW(stream->kept_cells, count, "cells that are kept", err));
    for (int64_t i = 0; i < stream->last; i++)
        for (int64_t c = 0; c < stream->kept.count; c++)
            stream->kept_cells[i * stream->kept.count + c] = pt_kept_cell(&stream->kept, i, c);
    return PT_OK;
}

void pt_prediction_stream_keep_labels(pt_prediction_stream *stream)
{
    stream->keeps_labels = true;
}

const pt_task *pt_prediction_stream_task(const pt_prediction_stream *stream)
{
    return stream->task;
}

int64_t *pt_prediction_stream_truth(const pt_prediction_stream *stream)
{
    return stream->truth;
}

uint64_t pt_prediction_stream_digest(const pt_prediction_stream *stream)
{
    return stream->digest;
}

/* Prepared rows for a part, and for the one behind it if there are so many. */
static pt_status fill_pile(pt_prediction_stream *stream, pt_error *err)
{
    while (stream->pile.rows.n < 2 * stream->part) {
        const int64_t left = stream->data ? stream->data->n - stream->taken : 0;
        if (left == 0 && stream->ended)
            break;
        if (left == 0) {
            PT_TRY(read_on(stream, err));
            continue;
        }
        const int64_t room = 2 * stream->part - stream->pile.rows.n;
        pt_dataset some = pt_dataset_range(stream->data, stream->taken, left < room ? left : room);
        if (stream->keeps_labels && stream->taken == 0)
            PT_TRY(match_labels(stream, err));
        if (stream->keeps_labels)
            PT_TRY(add_truths(stream, some.n, err));
        some.beside = held_whole(stream);
        PT_FREED_BY(pt_prepared_free) pt_prepared prepared = {0};
        PT_TRY(pt_prepare_apply_part(stream->model->prepare, &some, pt_model_type(stream->model),
                                     &prepared, &stream->remarks, stream->task, err));
        PT_TRY(pt_row_pile_add(&stream->pile, &prepared.rows, err));
        stream->taken += some.n;
    }
    return PT_OK;
}

static pt_status tell_remarks(pt_prediction_stream *stream, pt_error *err)
{
    PT_FREED_BY(pt_warnings_free) pt_warnings remarks = {0};
    if (stream->misfits.told)
        PT_TRY(pt_warn(&remarks, err, PT_KIND_DATA, "%-s", stream->misfits.told));
    PT_TRY(
        pt_warn_of_no_rows(&remarks, stream->misfits.blank_rows, stream->misfits.totals_rows, err));
    PT_TRY(pt_prepare_tell(stream->model->prepare, &stream->remarks, &remarks, err));
    return pt_warnings_add_new(&stream->warnings, &remarks, err);
}

pt_status pt_prediction_stream_next(pt_prediction_stream *stream, const pt_prediction **block,
                                    pt_error *err)
{
    *block = NULL;
    pt_prediction_free(stream->block);
    stream->block = NULL;
    if (stream->keeps_labels && stream->last > 0) {
        stream->n_truth -= stream->last;
        memmove(stream->truth, stream->truth + stream->last,
                (size_t)stream->n_truth * sizeof *stream->truth);
    }
    pt_kept_drop(&stream->kept, stream->last);
    stream->last = 0;
    pt_task_begin_whole(stream->task);
    pt_status status = fill_pile(stream, err);
    const pt_rows *waiting = &stream->pile.rows;
    const bool last = waiting->n < 2 * stream->part;
    const int64_t n = last ? waiting->n : stream->part;
    if (status == PT_OK && n > 0) {
        const pt_rows part = pt_rows_range(waiting, 0, n);
        status = pt_model_score(stream->model, &part, held_whole(stream), stream->given,
                                stream->rounds, stream->task, &stream->block, err);
        if (status == PT_OK && stream->decider.rule != PT_DECIDE_LARGEST)
            status = pt_decider_apply(&stream->decider, stream->block, err);
        pt_row_pile_drop(&stream->pile, n);
        stream->given += n;
        stream->last = n;
    }
    if (status == PT_OK)
        status = list_kept(stream, err);
    if (status == PT_OK && last)
        status = tell_remarks(stream, err);
    pt_task_end_whole(stream->task);
    if (status == PT_OK)
        *block = stream->block;
    return status;
}

pt_status pt_prediction_stream_report(pt_report **out, const pt_prediction_stream *stream,
                                      pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_TRY(pt_report_new(&report, "stream", err));
    PT_TRY(pt_report_add_integer(report, "n_examples", stream->n, err));
    PT_TRY(pt_report_add_integer(report, "n_features", stream->d, err));
    PT_TRY(pt_report_add_text(report, "labels", stream->label_kind, err));
    PT_TRY(pt_report_add_text(report, "label_name", stream->label_name, err));
    PT_TRY(pt_report_add_integer(report, "label_column", stream->label_column, err));
    if (stream->kept.found) {
        PT_TRY(pt_report_add_texts(report, "kept_column", "kept_column", &stream->kept.names, err));
        PT_TRY(pt_report_lend(report,
                              PT_TABLE("kept", PT_TEXT, "example", stream->last, "kept_column",
                                       stream->kept.count, stream->kept_cells),
                              err));
    }
    PT_TRY(pt_report_add_warnings(report, &stream->warnings, err));
    *out = pt_keep(&report);
    return PT_OK;
}
