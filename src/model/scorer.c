/* Scorers: one row after the other by the path that whole data sets take, in memory of their own.
 *
 * The row is shown to preparation as a data set of one row, where it lies, and goes through the
 * machine like any other rows; what they allocate comes from a pool (base/alloc.h), which the first
 * row of all, made up here, has grown to its size. So every machine that there is, or will be, is
 * served, and gives the scores that it gives the same row in a data set. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "model/model.h"

struct pt_scorer {
    const pt_model *model;
    pt_task *task; /* one thread, no question of how much memory is free */
    pt_row_prepare *rows;
    pt_pool pool;
    double *scores; /* k */
    double *proba;  /* k */
};

void pt_scorer_free(pt_scorer *scorer)
{
    if (!scorer)
        return;
    pt_pool_free(&scorer->pool);
    pt_free(scorer->scores);
    pt_free(scorer->proba);
    pt_row_prepare_free(scorer->rows);
    pt_task_free(scorer->task);
    pt_free(scorer);
}

int64_t pt_scorer_level(const pt_scorer *scorer, int64_t feature, const char *level)
{
    return pt_prepare_level(scorer->model->prepare, feature, level);
}

/* What needs the pool: scores <- those of the machine. */
static pt_status run_machine(pt_scorer *s, const pt_dataset *row, pt_error *err)
{
    const pt_machine *machine = s->model->machine;
    PT_FREED_BY(pt_prepared_free) pt_prepared prepared = {0};
    PT_TRY(pt_row_prepare_apply(s->rows, row, &prepared, s->task, err));
    return machine->ops->scores(machine, &prepared.rows, s->scores, s->task, err);
}

static pt_status score(pt_scorer *s, const pt_dataset *row, double *scores, double *proba,
                       int64_t *label, pt_error *err)
{
    const pt_model *model = s->model;
    const size_t bytes = (size_t)model->classes.count * sizeof *scores;
    int64_t said = 0;
    pt_pool_begin(&s->pool);
    const pt_status status = run_machine(s, row, err);
    pt_pool_end(&s->pool);
    PT_TRY(status);
    PT_TRY(pt_model_settle(model, s->scores, 1, &said, err));
    if (proba)
        PT_TRY(pt_scores_proba(model->label_kind, &model->calibration, model->class_rows, 1,
                               model->classes.count, s->scores, s->proba, err));
    if (scores)
        memcpy(scores, s->scores, bytes);
    if (proba)
        memcpy(proba, s->proba, bytes);
    if (label)
        *label = said;
    return PT_OK;
}

/* A data set of one row that lies in memory of the caller; nobody writes to it. */
static pt_dataset dense_row(const pt_scorer *s, pt_type type, const void *value)
{
    return (pt_dataset){.n = 1,
                        .row_stride = pt_prepare_n_inputs(s->model->prepare),
                        .column_stride = 1,
                        .d = pt_prepare_n_inputs(s->model->prepare),
                        .type = type,
                        .value = (void *)value,
                        .source = (char *)"memory"};
}

pt_status pt_scorer_f64(pt_scorer *scorer, const double *row, double *scores, double *proba,
                        int64_t *label, pt_error *err)
{
    const pt_dataset data = dense_row(scorer, PT_F64, row);
    return score(scorer, &data, scores, proba, label, err);
}

pt_status pt_scorer_f32(pt_scorer *scorer, const float *row, double *scores, double *proba,
                        int64_t *label, pt_error *err)
{
    const pt_dataset data = dense_row(scorer, PT_F32, row);
    return score(scorer, &data, scores, proba, label, err);
}

pt_status pt_scorer_sparse(pt_scorer *scorer, int64_t n, const int64_t *index, const double *value,
                           double *scores, double *proba, int64_t *label, pt_error *err)
{
    int64_t start[] = {0, n};
    pt_dataset data = dense_row(scorer, PT_F64, value);
    for (int64_t c = 0, lowest = 0; c < n; lowest = index[c++] + 1)
        if (index[c] < lowest || index[c] == INT64_MAX)
            return pt_fail(err, PT_EINVAL, "feature %lld in place %lld; features ascend from 0",
                           (long long)index[c], (long long)c);
    if (n < 0)
        return pt_fail(err, PT_EINVAL, "a row of %lld cells", (long long)n);
    if (n > 0 && index[n - 1] >= data.d)
        data.d = index[n - 1] + 1;
    data.start = start;
    data.index = (int64_t *)index;
    return score(scorer, &data, scores, proba, label, err);
}

/* A row of zeros, which takes what rows take. What it comes to does not matter. */
static void score_nothing(pt_scorer *s)
{
    pt_pool_begin(&s->pool);
    int64_t start[] = {0, 0};
    pt_dataset data = dense_row(s, PT_F64, NULL);
    data.start = start;
    (void)run_machine(s, &data, NULL);
    pt_pool_end(&s->pool);
}

static void free_at(pt_scorer **address)
{
    pt_scorer_free(*address);
}

pt_status pt_scorer_new(pt_scorer **out, const pt_model *model, int64_t *n_features, pt_error *err)
{
    PT_FREED_BY(free_at) pt_scorer *s = NULL;
    const int64_t k = model->classes.count;
    PT_TRY(PT_NEW_ZERO(s, 1, "a scorer", err));
    s->model = model;
    PT_TRY(pt_task_new(&s->task, err));
    pt_task_set_threads(s->task, 1);
    pt_task_set_memory(s->task, INT64_MAX);
    PT_TRY(pt_row_prepare_new(&s->rows, model->prepare, pt_model_type(model), err));
    PT_TRY(PT_NEW(s->scores, k, "scores", err));
    PT_TRY(PT_NEW(s->proba, k, "probabilities", err));
    score_nothing(s);
    if (n_features)
        *n_features = pt_prepare_n_inputs(model->prepare);
    *out = pt_keep(&s);
    return PT_OK;
}
