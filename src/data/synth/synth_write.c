/* Synthetic problems as files: rows that are drawn one after another are made and written in
 * blocks, so that memory is a block whatever their number is. One writer takes all blocks: what a
 * compressor is given does not depend on them either. */
#include "base/alloc.h"
#include "base/task.h"
#include "data/read/formats.h"
#include "data/read/write.h"
#include "data/synth/synth.h"

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
        PT_TRY(pt_synth_draw(&block, d->synth, d->state, rows, err));
        PT_TRY(d->format->write(block, done > 0, writer, err));
        PT_TRY(pt_task_check(d->task, err));
        done += rows;
        pt_task_progress(d->task, "write", (double)done, (double)d->n);
    }
    return PT_OK;
}

static pt_status fill_drawn(const void *what, pt_sink_fn sink, void *context, pt_error *err)
{
    PT_FREED_BY(pt_writer_free) pt_writer writer = {0};
    PT_TRY(pt_writer_init(&writer, sink, context, err));
    PT_TRY(write_blocks(what, &writer, err));
    return pt_writer_flush(&writer, err);
}

/* All rows at once. */
static pt_status write_whole(pt_dataset **sample, const char *name, int64_t n,
                             const pt_params *params, const char *path, const char *format,
                             pt_error *err)
{
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_dataset_synth(&data, name, n, params, err));
    PT_TRY(pt_write_path(data, path, format, err));
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
        status = write_whole(&some, name, n_examples, params, path, format, err);
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
