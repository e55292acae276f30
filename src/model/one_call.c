/* Ring 0: one call each to train, predict and evaluate a file. */
#include "base/alloc.h"
#include "base/task.h"
#include "data/dataset.h"
#include "data/read/csv.h"
#include "data/read/write.h"
#include "model/model.h"
#include "report/report.h"

/* What a call is made with: parameters from a text, and a task with those of the group "run". */
typedef struct call {
    pt_params *params;
    pt_task *task;
} call;

static void call_free(call *c)
{
    pt_task_free(c->task);
    pt_params_free(c->params);
}

static pt_status call_init(call *c, const char *options, pt_error *err)
{
    PT_TRY(pt_params_new(&c->params, err));
    if (options)
        PT_TRY(pt_params_parse(c->params, options, err));
    PT_TRY(pt_task_new(&c->task, err));
    pt_task_set_params(c->task, c->params);
    return PT_OK;
}

pt_status pt_train_file(const char *data_path, const char *options, const char *model_path,
                        pt_error *err)
{
    PT_FREED_BY(call_free) call c = {NULL, NULL};
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_FREED_BY(pt_model_free_at) pt_model *model = NULL;
    PT_TRY(call_init(&c, options, err));
    PT_TRY(pt_dataset_read(&data, data_path, c.params, c.task, err));
    PT_TRY(pt_model_train(&model, data, c.params, c.task, err));
    return pt_model_save(model, model_path, err);
}

/* ---- predictions ----------------------------------------------------------------------------- */

typedef struct writing {
    const pt_model *model;
    const char *path; /* of the data */
    const call *call;
} writing;

/* A line is one cell, as a label column has it: sets as a;b, orders as a>b; of a row that is
 * rejected an empty one. */
static pt_status write_row(pt_writer *writer, const pt_model *model, const pt_prediction *block,
                           int64_t i, int64_t *classes, pt_error *err)
{
    const bool set = model->label_kind == PT_LABEL_SET || block->sets;
    const char *between = set ? ";" : ">";
    const int64_t k = model->classes.count;
    PT_FREED_BY(pt_texts_free) pt_texts cell = {0};
    if (model->label_kind == PT_LABEL_CLASS && !set && block->labels[i] < 0)
        return PT_OK;
    if (model->label_kind == PT_LABEL_CLASS && !set)
        return pt_csv_put(writer, model->classes.items[block->labels[i]], ',', err);
    const int64_t n =
        set ? pt_prediction_set(block, i, classes, k) : pt_prediction_rank(block, i, classes, k);
    for (int64_t c = 0; c < n; c++)
        PT_TRY(c == 0 ? pt_texts_add(&cell, err, "%s", model->classes.items[classes[c]])
                      : pt_texts_add(&cell, err, "%s%s%s", cell.items[cell.count - 1], between,
                                     model->classes.items[classes[c]]));
    return n > 0 ? pt_csv_put(writer, cell.items[cell.count - 1], ',', err) : PT_OK;
}

static void stream_close_at(pt_prediction_stream **address)
{
    pt_prediction_stream_close(*address);
}

static pt_status write_predictions(const void *what, pt_sink_fn sink, void *context, pt_error *err)
{
    const writing *w = what;
    const pt_prediction *block = NULL;
    PT_FREED_BY(stream_close_at) pt_prediction_stream *stream = NULL;
    PT_FREED_BY(pt_writer_free) pt_writer writer = {0};
    PT_SCRATCH int64_t *classes = NULL;
    PT_TRY(PT_NEW(classes, w->model->classes.count, "classes", err));
    PT_TRY(pt_prediction_stream_open(&stream, w->model, w->path, w->call->params, -1, w->call->task,
                                     err));
    PT_TRY(pt_writer_init(&writer, sink, context, w->call->task, err));
    for (;;) {
        PT_TRY(pt_prediction_stream_next(stream, &block, err));
        if (!block)
            return pt_writer_flush(&writer, err);
        for (int64_t i = 0; i < block->n; i++) {
            PT_TRY(write_row(&writer, w->model, block, i, classes, err));
            PT_TRY(pt_writer_put(&writer, "\n", 1, err));
        }
    }
}

pt_status pt_predict_file(const char *model_path, const char *data_path, const char *options,
                          const char *out_path, pt_error *err)
{
    PT_FREED_BY(call_free) call c = {NULL, NULL};
    PT_FREED_BY(pt_model_free_at) pt_model *model = NULL;
    PT_TRY(call_init(&c, options, err));
    PT_TRY(pt_model_load(&model, model_path, NULL, err));
    return pt_write_with(out_path, write_predictions, &(writing){model, data_path, &c}, err);
}

pt_status pt_evaluate_file(pt_report **out, const char *model_path, const char *data_path,
                           const char *options, pt_error *err)
{
    PT_FREED_BY(call_free) call c = {NULL, NULL};
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_FREED_BY(pt_model_free_at) pt_model *model = NULL;
    PT_TRY(call_init(&c, options, err));
    PT_TRY(pt_model_load(&model, model_path, NULL, err));
    PT_TRY(pt_model_read(&data, model, data_path, c.params, c.task, err));
    return pt_model_evaluate(out, model, data, NULL, c.params, c.task, err);
}
