/* The public door to the synthetic problems, and what they share. */
#include "data/synth/synth.h"
#include "polytomy/experimental.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/task.h"
#include "data/labels/labels.h"
#include "data/read/reader.h"
#include "data/read/write.h"

void pt_synth_random(pt_random *random, const pt_params *params, pt_synth_stream stream)
{
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    pt_random_init(random, seed, PT_RANDOM_SYNTH, (uint64_t)stream);
}

static pt_status name_columns(pt_dataset *data, pt_error *err)
{
    PT_TRY(PT_NEW_ZERO(data->columns, data->d, "columns", err));
    for (int64_t j = 0; j < data->d; j++) {
        char name[32];
        if (data->d == 1)
            snprintf(name, sizeof name, "x");
        else
            snprintf(name, sizeof name, "x%lld", (long long)j + 1);
        data->columns[j].name = pt_alloc_text(name, err);
        if (!data->columns[j].name)
            return PT_ENOMEM;
    }
    return PT_OK;
}

pt_status pt_synth_begin(pt_dataset **out, const char *name, int64_t n, int64_t d, pt_error *err)
{
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_dataset_shell(&data, n, d, PT_F64, name, err));
    data->value = pt_alloc(n, (size_t)d * sizeof(double), "a synthetic problem", err);
    if (!data->value)
        return PT_ENOMEM;
    PT_TRY(name_columns(data, err));
    *out = pt_keep(&data);
    return PT_OK;
}

/* Classes that came, by their numbers; to name each row's anew would take as long as to make it. */
pt_status pt_synth_finish(pt_dataset *data, int64_t k, const int64_t *class_number,
                          const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_texts_free) pt_texts names = {0};
    PT_SCRATCH int64_t *place = NULL; /* of a class among those that came, and one more */
    PT_SCRATCH int64_t *code = NULL;
    PT_TRY(PT_NEW_ZERO(place, k + 1, "classes", err));
    PT_TRY(PT_NEW(code, data->n, "labels", err));
    for (int64_t i = 0; i < data->n; i++) {
        PT_TRY(pt_task_check_at(task, i, err));
        place[class_number[i]] = 1;
    }
    for (int64_t r = 0; r <= k; r++)
        if (place[r]) {
            PT_TRY(pt_texts_add(&names, err, "%lld", (long long)r));
            place[r] = names.count;
        }
    for (int64_t i = 0; i < data->n; i++) {
        PT_TRY(pt_task_check_at(task, i, err));
        code[i] = place[class_number[i]] - 1;
    }
    data->label_name = pt_alloc_text("class", err);
    return data->label_name ? pt_labels_from_codes(&data->labels, data->n, code, &names, err)
                            : PT_ENOMEM;
}

static pt_status fail_unknown(const char *name, pt_error *err)
{
    char names[160] = "";
    size_t used = 0;
    for (int64_t s = 0; pt_synths[s] && used < sizeof names; s++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", s ? ", " : "",
                                 pt_synths[s]->name);
    return pt_fail(err, PT_EINVAL, "there is no synthetic problem '%.60s'; choose one of %s", name,
                   names);
}

pt_status pt_synth_find(const pt_synth **out, const char *name, int64_t n, const pt_params *params,
                        pt_error *err)
{
    if (n < 0)
        return pt_fail(err, PT_EINVAL, "%s: %lld examples", name, (long long)n);
    for (int64_t s = 0; pt_synths[s]; s++) {
        const pt_synth *synth = pt_synths[s];
        if (strcmp(synth->name, name) != 0)
            continue;
        if (!synth->uses_classes && pt_params_set_by_user(params, PT_P_CLASSES))
            return pt_fail(err, PT_EINVAL,
                           "%s: the number of classes is fixed; leave out `classes`", name);
        *out = synth;
        return PT_OK;
    }
    return fail_unknown(name, err);
}

void pt_synth_start(pt_synth_state *state, const pt_synth *synth, const pt_params *params)
{
    memset(state, 0, sizeof *state);
    synth->start(state, params);
}

/* Draws a row, and keeps it where its class is new. */
static int64_t draw_row(const pt_synth *synth, pt_synth_state *state, double *x)
{
    const int64_t number = synth->draw(state, x);
    if (!state->seen[number - 1])
        memcpy(state->first[number - 1], x, (size_t)synth->d * sizeof *x);
    state->seen[number - 1] = true;
    return number;
}

static pt_status fill_rows(pt_dataset *data, const pt_synth *synth, pt_synth_state *state,
                           const pt_task *task, pt_error *err)
{
    PT_SCRATCH int64_t *class_number = NULL;
    PT_TRY(PT_NEW(class_number, data->n, "labels", err));
    for (int64_t i = 0; i < data->n; i++) {
        PT_TRY(pt_task_check_row(task, i, data->d, err));
        class_number[i] = draw_row(synth, state, (double *)data->value + i * data->d);
    }
    return pt_synth_finish(data, PT_SYNTH_CLASSES, class_number, task, err);
}

pt_status pt_synth_draw(pt_dataset **out, const pt_synth *synth, pt_synth_state *state, int64_t n,
                        const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_synth_begin(&data, synth->name, n, synth->d, err));
    PT_TRY(fill_rows(data, synth, state, task, err));
    *out = pt_keep(&data);
    return PT_OK;
}

pt_status pt_synth_firsts(pt_dataset **out, const pt_synth *synth, const pt_synth_state *state,
                          pt_error *err)
{
    int64_t class_number[PT_SYNTH_CLASSES] = {0};
    int64_t n = 0;
    for (int64_t r = 0; r < PT_SYNTH_CLASSES; r++)
        if (state->seen[r])
            class_number[n++] = r + 1;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_synth_begin(&data, synth->name, n, synth->d, err));
    for (int64_t i = 0; i < n; i++)
        memcpy((double *)data->value + i * synth->d, state->first[class_number[i] - 1],
               (size_t)synth->d * sizeof(double));
    PT_TRY(pt_synth_finish(data, PT_SYNTH_CLASSES, class_number, NULL, err));
    *out = pt_keep(&data);
    return PT_OK;
}

static pt_status make_all(pt_dataset **out, const char *name, int64_t n_examples,
                          const pt_params *params, const pt_task *task, pt_error *err)
{
    const pt_synth *synth = NULL;
    PT_TRY(pt_synth_find(&synth, name, n_examples, params, err));
    if (!synth->draw)
        return synth->make(out, n_examples, params, task, err);
    pt_synth_state state;
    pt_synth_start(&state, synth, params);
    return pt_synth_draw(out, synth, &state, n_examples ? n_examples : synth->default_n, task, err);
}

pt_status pt_dataset_synth(pt_dataset **out, const char *name, int64_t n_examples,
                           const pt_params *params, pt_error *err)
{
    return make_all(out, name, n_examples, params, NULL, err);
}

const pt_synth *const pt_synths[] = {
#define PT_ENTRY(entry, name) &pt_synth_##entry,
#include "registry/synths.def"
#undef PT_ENTRY
    NULL};

/* ---- writing --------------------------------------------------------------------------------- */

/* Synthetic problems as files: rows that are drawn one after another are made and written in
 * blocks, so that memory is a block whatever their number is. One writer takes all blocks: what a
 * compressor is given does not depend on them either. */

enum { BLOCK_VALUES = 1 << 18 };

typedef struct draw_job {
    const pt_synth *synth;
    const pt_format *format;
    pt_synth_state *state;
    int64_t n;
    const pt_task *task;
} draw_job;

static pt_status write_blocks(const draw_job *d, pt_writer *writer, pt_error *err)
{
    const int64_t most = BLOCK_VALUES / d->synth->d;
    for (int64_t done = 0; done < d->n;) {
        const int64_t rows = d->n - done < most ? d->n - done : most;
        PT_FREED_BY(pt_dataset_free_at) pt_dataset *block = NULL;
        PT_TRY(pt_synth_draw(&block, d->synth, d->state, rows, d->task, err));
        PT_TRY(d->format->write(block, done > 0, writer, err));
        PT_TRY(pt_task_check(d->task, err));
        done += rows;
        pt_task_progress(d->task, "write", (double)done, (double)d->n);
    }
    return PT_OK;
}

static pt_status fill_drawn(const void *what, pt_sink_fn sink, void *context, pt_error *err)
{
    const draw_job *d = what;
    PT_FREED_BY(pt_writer_free) pt_writer writer = {0};
    PT_TRY(pt_writer_init(&writer, sink, context, d->task, err));
    PT_TRY(write_blocks(d, &writer, err));
    return pt_writer_flush(&writer, err);
}

/* All rows at once. */
static pt_status write_whole(pt_dataset **sample, const char *name, int64_t n,
                             const pt_params *params, const char *path, const char *format,
                             const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(make_all(&data, name, n, params, task, err));
    PT_TRY(pt_write_path(data, path, format, task, err));
    *sample = pt_keep(&data);
    return PT_OK;
}

pt_status pt_synth_write(pt_dataset **sample, int64_t *n_written, const char *name,
                         int64_t n_examples, const pt_params *params, const char *path,
                         const char *format, pt_task *task, pt_error *err)
{
    pt_synth_state state;
    draw_job d = {.state = &state, .task = task};
    pt_dataset *some = NULL;
    pt_status status = pt_synth_find(&d.synth, name, n_examples, params, err);
    if (status == PT_OK && !d.synth->draw) {
        status = write_whole(&some, name, n_examples, params, path, format, task, err);
        d.n = status == PT_OK ? some->n : 0;
    } else if (status == PT_OK) {
        d.n = n_examples ? n_examples : d.synth->default_n;
        pt_synth_start(&state, d.synth, params);
        status = pt_write_format(path, format, &d.format, err);
        if (status == PT_OK)
            status = pt_write_with(path, fill_drawn, &d, err);
        if (status == PT_OK && sample)
            status = pt_synth_firsts(&some, d.synth, &state, err);
    }
    if (status != PT_OK)
        return status;
    if (n_written)
        *n_written = d.n;
    if (sample)
        *sample = some;
    else
        pt_dataset_free(some);
    return PT_OK;
}
