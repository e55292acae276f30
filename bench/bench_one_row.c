/* One row through pt_model_predict, again and again: a data set, a prediction, the label.
 *
 *   bench_one_row MODEL TABLE [THREADS]
 *
 * Prints the microseconds of a row: processor time, the least and the median. THREADS makes a task;
 * without, there is none, and the library asks how much memory is free where it must know. */
#include "base/task.h"
#include "bench_row.h"

typedef struct predicting {
    const setting *set;
    pt_task *task;
} predicting;

static void predict_one(void *context, const double *row)
{
    const predicting *p = context;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_prediction *prediction = NULL;
    const pt_dense dense = {.type = PT_F64, .values = row, .n_rows = 1, .n_columns = p->set->d};
    need(pt_dataset_from_dense(&data, &dense, PT_BORROW, &err), &err);
    need(pt_model_predict(&prediction, p->set->model, data, -1, p->task, &err), &err);
    if (pt_prediction_labels(prediction)[0] < 0)
        exit(1);
    pt_prediction_free(prediction);
    pt_dataset_free(data);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    setting set = read_setting(argv[1], argv[2]);
    predicting p = {&set, NULL};
    pt_error err = PT_ERROR_INIT;
    if (argc > 3) {
        need(pt_task_new(&p.task, &err), &err);
        pt_task_set_threads(p.task, (int)strtol(argv[3], NULL, 10));
    }
    time_rows(&set, predict_one, &p);
    pt_task_free(p.task);
    pt_model_free(set.model);
    free(set.row);
    return 0;
}
