/* Predictions: prepare, score, take the first largest score. prediction.c has the rest. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "decoders/decoder.h"
#include "machine/code_scores.h"
#include "model/model.h"

void pt_prediction_free(pt_prediction *prediction)
{
    if (!prediction)
        return;
    pt_texts_free(&prediction->warnings);
    pt_free(prediction->labels);
    pt_free(prediction->class_rows);
    pt_calibration_free(&prediction->calibration);
    pt_free(prediction->scores);
    pt_free(prediction);
}

/* The numbers of a file are finite, each of them (store/pack.h); sums of them need not be. */
static bool all_finite(const double *row, int64_t k)
{
    bool finite = true;
    for (int64_t r = 0; r < k; r++)
        finite = finite && isfinite(row[r]);
    return finite;
}

double pt_prediction_bytes(const pt_model *model, int64_t n)
{
    return (double)n * ((double)model->classes.count * sizeof(double) + sizeof(int64_t));
}

static pt_status predict_rows(const pt_model *model, const pt_rows *rows, double beside,
                              pt_prediction *p, const pt_task *task, pt_error *err)
{
    size_t row_bytes = 0;
    if (!pt_size_mul((size_t)p->k, sizeof(double), &row_bytes))
        return pt_fail_memory(err, "scores", SIZE_MAX);
    const double need = beside + pt_prediction_bytes(model, p->n) +
                        (double)pt_rows_stored(rows) * (double)pt_type_size(rows->type);
    if (pt_task_limited(task) && need > (double)pt_task_memory(task))
        return pt_fail(err, PT_ELIMIT,
                       "predictions of %lld rows and %lld classes need %s%s, %s may be used; raise "
                       "--memory or use fewer rows",
                       (long long)p->n, (long long)p->k, PT_SHOW_BYTES(need),
                       beside > 0 ? " with the data" : "", PT_SHOW_BYTES(pt_task_memory(task)));
    p->scores = pt_alloc(p->n, row_bytes, "scores", err);
    p->labels = pt_alloc(p->n, sizeof(int64_t), "predictions", err);
    if (!p->scores || !p->labels)
        return PT_ENOMEM;
    const pt_machine *machine = model->machine;
    PT_TRY(p->rounds < 0 ? machine->ops->scores(machine, rows, p->scores, task, err)
                         : pt_code_scores_after(machine, p->rounds, rows, p->scores, task, err));
    for (int64_t i = 0; i < p->n; i++) {
        double *row = p->scores + i * p->k;
        const bool finite = all_finite(row, p->k);
        pt_lower_absent(row, p->class_rows, p->k, p->calibration.given);
        if (!finite || !all_finite(row, p->k)) /* there may be nothing below the others */
            return pt_fail(err, PT_ENUMERIC,
                           "example %lld: its scores are not finite numbers; its cells, or the "
                           "numbers of the model, are too large to be added up",
                           (long long)(p->rows_before + i + 1));
        p->labels[i] = pt_first_largest(row, p->k);
    }
    return PT_OK;
}

int64_t pt_model_rounds(const pt_model *model)
{
    return pt_code_rounds(model->machine);
}

pt_status pt_model_check_rounds(const pt_model *model, int64_t rounds, pt_error *err)
{
    const int64_t most = pt_model_rounds(model);
    if (most == 0)
        return pt_fail(err, PT_EINVAL, "the model was not learned by rounds; boosting is");
    if (rounds < 0 || rounds > most)
        return pt_fail(err, PT_EINVAL, "%lld rounds: the model has %lld", (long long)rounds,
                       (long long)most);
    return PT_OK;
}

/* A copy, for predictions may outlive the model. */
static pt_status copy_class_rows(pt_prediction *p, const pt_model *model, pt_error *err)
{
    if (!model->class_rows)
        return PT_OK;
    p->class_rows = pt_alloc(p->k, sizeof(double), "frequencies of classes", err);
    if (!p->class_rows)
        return PT_ENOMEM;
    memcpy(p->class_rows, model->class_rows, (size_t)p->k * sizeof(double));
    return PT_OK;
}

pt_status pt_model_score(const pt_model *model, const pt_rows *rows, double beside,
                         int64_t rows_before, int64_t rounds, const pt_task *task,
                         pt_prediction **out, pt_error *err)
{
    PT_FREED_BY(pt_prediction_free_at)
    pt_prediction *p = pt_alloc_zero(1, sizeof *p, "predictions", err);
    if (!p)
        return PT_ENOMEM;
    p->n = rows->n;
    p->k = model->classes.count;
    p->rounds = rounds;
    p->label_kind = model->label_kind;
    p->rows_before = rows_before;
    PT_TRY(pt_calibration_copy(&p->calibration, &model->calibration, p->k, err));
    PT_TRY(copy_class_rows(p, model, err));
    PT_TRY(predict_rows(model, rows, beside, p, task, err));
    *out = pt_keep(&p);
    return PT_OK;
}

/* rounds: -1 for all. */
static pt_status predict(const pt_model *model, const pt_dataset *data, int64_t rounds,
                         pt_task *task, pt_prediction **out, pt_error *err)
{
    PT_FREED_BY(pt_prepared_free) pt_prepared prepared = {0};
    PT_FREED_BY(pt_prediction_free_at) pt_prediction *p = NULL;
    PT_TRY(pt_prepare_apply(model->prepare, data, pt_model_type(model), &prepared, task, err));
    PT_TRY(pt_model_score(model, &prepared.rows, pt_dataset_bytes(data), 0, rounds, task, &p, err));
    PT_TRY(pt_texts_copy(&p->warnings, &prepared.warnings, err));
    *out = pt_keep(&p);
    return PT_OK;
}

pt_status pt_model_predict(const pt_model *model, const pt_dataset *data, pt_task *task,
                           pt_prediction **out, pt_error *err)
{
    return predict(model, data, -1, task, out, err);
}

pt_status pt_model_predict_rounds(const pt_model *model, const pt_dataset *data, int64_t rounds,
                                  pt_task *task, pt_prediction **out, pt_error *err)
{
    PT_TRY(pt_model_check_rounds(model, rounds, err));
    return predict(model, data, rounds, task, out, err);
}

int64_t pt_prediction_n_examples(const pt_prediction *prediction)
{
    return prediction->n;
}

const int64_t *pt_prediction_labels(const pt_prediction *prediction)
{
    return prediction->labels;
}

const double *pt_prediction_scores(const pt_prediction *prediction)
{
    return prediction->scores;
}

int64_t pt_prediction_n_warnings(const pt_prediction *prediction)
{
    return prediction->warnings.count;
}

const char *pt_prediction_warning(const pt_prediction *prediction, int64_t index)
{
    return pt_texts_get(&prediction->warnings, index);
}
