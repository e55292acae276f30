/* A file of data parted into two, line by line: nothing is read into numbers and written again.
 *
 * The reader of the format says where each row begins. A row is all bytes from there to where the
 * next one begins, so that cells in quotes with line breaks, comments behind a row, line ends and
 * blank lines are kept as they are; what is before the first row stands in both files. Files that
 * are no text are written from the data set.
 *
 *     | head | row 0 | row 1 + comments | row 2 | ... | row n-1 + rest |
 *            at[0]   at[1]              at[2]         at[n-1]        size
 */
#include "base/alloc.h"
#include "data/read/write.h"
#include "data/split.h"
#include "polytomy/experimental.h"
#include "report/report.h"

/* One of the two files. */
typedef struct part_file {
    const pt_source *source;
    const pt_places *places;
    const int8_t *part;
    int8_t which;
    const pt_dataset *rows;  /* where there are no places: what is written, */
    const pt_format *format; /*   and how */
    const pt_task *task;
} part_file;

static pt_status put_lines(const part_file *f, pt_writer *writer, pt_error *err)
{
    const int64_t n = f->places->n;
    const int64_t *at = f->places->at;
    const char *bytes = f->source->bytes;
    PT_TRY(pt_writer_put(writer, bytes, (size_t)at[0], err));
    for (int64_t i = 0; i < n; i++) {
        const size_t end = i + 1 < n ? (size_t)at[i + 1] : f->source->size;
        if (f->part[i] == f->which)
            PT_TRY(pt_writer_put(writer, bytes + at[i], end - (size_t)at[i], err));
    }
    return pt_writer_flush(writer, err);
}

static pt_status fill_part(const void *what, pt_sink_fn sink, void *context, pt_error *err)
{
    const part_file *f = what;
    if (f->rows)
        return pt_format_write(f->format, f->rows, sink, context, f->task, err);
    PT_FREED_BY(pt_writer_free) pt_writer writer = {0};
    PT_TRY(pt_writer_init(&writer, sink, context, f->task, err));
    return put_lines(f, &writer, err);
}

/* The rows of one part as a data set. */
static pt_status take_part(pt_dataset **out, const pt_dataset *data, const int8_t *part,
                           int8_t which, const pt_task *task, pt_error *err)
{
    int64_t m = 0;
    PT_SCRATCH int64_t *rows = NULL;
    PT_TRY(PT_NEW(rows, data->n, "a test set", err));
    for (int64_t i = 0; i < data->n; i++)
        if (part[i] == which)
            rows[m++] = i;
    return pt_dataset_view(out, data, rows, m, task, err);
}

static pt_status write_parts(const char *const path[2], const pt_dataset *data,
                             const pt_source *source, const pt_places *places, const int8_t *part,
                             const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *train = NULL;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *test = NULL;
    part_file file[2] = {{source, places, part, 0, NULL, NULL, task},
                         {source, places, part, 1, NULL, NULL, task}};
    if (places->n == 0) {
        PT_TRY(take_part(&train, data, part, 0, task, err));
        PT_TRY(take_part(&test, data, part, 1, task, err));
        file[0].rows = train;
        file[1].rows = test;
        for (int f = 0; f < 2; f++)
            PT_TRY(pt_write_format(path[f], NULL, &file[f].format, err));
    }
    const void *const what[2] = {&file[0], &file[1]};
    return pt_write_pair(path, fill_part, what, err);
}

/* A line may begin with blanks before its row. */
static void go_to_line_starts(pt_places *places, const char *bytes)
{
    for (int64_t i = 0; i < places->n; i++)
        while (places->at[i] > 0 &&
               (bytes[places->at[i] - 1] == ' ' || bytes[places->at[i] - 1] == '\t'))
            places->at[i]--;
}

static pt_status read_places(pt_dataset **out, pt_source *source, pt_places *places,
                             const char *path, const pt_params *params, pt_task *task,
                             pt_error *err)
{
    pt_read_options options;
    pt_read_options_init(&options, params);
    options.task = task;
    options.source = path;
    options.places = places;
    pt_task_enter(task, "read");
    PT_TRY(pt_source_open(source, path, task, err));
    PT_TRY(pt_read_source(out, source, pt_params_text(params, PT_P_FORMAT), &options, err));
    go_to_line_starts(places, source->bytes);
    return PT_OK;
}

pt_status pt_split_file(pt_dataset **out, pt_report **parts, const char *path, double share,
                        const char *train_path, const char *test_path, const pt_params *params,
                        pt_task *task, pt_error *err)
{
    const char *const paths[2] = {train_path, test_path};
    PT_FREED_BY(pt_source_close) pt_source source = {0};
    PT_FREED_BY(pt_places_free) pt_places places = {0};
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    int8_t *part = NULL;
    PT_TRY(pt_split_check_share(share, err));
    PT_TRY(read_places(&data, &source, &places, path, params, task, err));
    PT_TRY(pt_report_new(&report, "split", err));
    PT_TRY(pt_report_room(report, PT_LIST("part", PT_I8, "example", data->n, NULL), &part, err));
    PT_TRY(pt_dataset_split(part, data, share, params, err));
    pt_task_enter(task, "write");
    PT_TRY(write_parts(paths, data, &source, &places, part, task, err));
    *out = pt_keep(&data);
    *parts = pt_keep(&report);
    return PT_OK;
}

pt_status pt_dataset_read_places(pt_dataset **out, pt_report **report_out, const char *path,
                                 const pt_params *params, pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_source_close) pt_source source = {0};
    PT_FREED_BY(pt_places_free) pt_places places = {0};
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_TRY(read_places(&data, &source, &places, path, params, task, err));
    PT_TRY(pt_report_new(&report, "places", err));
    if (places.n > 0) {
        int64_t *line = NULL;
        int64_t lines = 1;
        int64_t before = 0;
        PT_TRY(
            pt_report_room(report, PT_LIST("line", PT_I64, "example", places.n, NULL), &line, err));
        for (int64_t i = 0; i < places.n; i++) {
            lines += pt_count_byte(source.bytes + before, (size_t)(places.at[i] - before), '\n');
            line[i] = lines;
            before = places.at[i];
        }
    }
    *out = pt_keep(&data);
    *report_out = pt_keep(&report);
    return PT_OK;
}
