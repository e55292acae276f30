/* Cross-fitting: one machine for each fold, trained on the others. */
#include "validate/cross_fit.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "data/split.h"
#include "validate/validate.h"

static pt_status free_folds(int64_t *fold, int64_t *n_folds, int64_t n, uint64_t seed,
                            pt_error *err)
{
    *n_folds = n < 2 ? 0 : *n_folds < n ? *n_folds : n;
    if (*n_folds > 0)
        return pt_folds(fold, n, NULL, 1, *n_folds, false, seed, 0, err);
    for (int64_t i = 0; i < n; i++)
        fold[i] = -1;
    return PT_OK;
}

/* Blocks stay whole, those too that have a class for themselves: no machine may see some rows of
 * a block that another one leaves out. */
static pt_status block_folds(int64_t *fold, int64_t *n_folds, const pt_problem *problem,
                             const pt_blocks *blocks, uint64_t seed, pt_error *err)
{
    const pt_labels *labels = problem->labels;
    *n_folds = pt_lesser(*n_folds, pt_blocks_most_folds(blocks));
    return pt_block_folds(fold, labels->n, labels->class_of, pt_labels_n_classes(labels), blocks,
                          *n_folds, labels->kind == PT_LABEL_CLASS, seed, 0, err);
}

pt_status pt_cross_fit_folds(int64_t *fold, int64_t *n_folds, const pt_problem *problem,
                             uint64_t seed, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const int64_t *class_of = problem->labels->class_of;
    int64_t largest = 0;
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    PT_TRY(pt_blocks_init(&blocks, &problem->ties, n, err));
    if (blocks.of)
        return block_folds(fold, n_folds, problem, &blocks, seed, err);
    if (!class_of)
        return free_folds(fold, n_folds, n, seed, err);
    PT_SCRATCH int64_t *size = pt_alloc_zero(k, sizeof *size, "classes", err);
    if (!size)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        const int64_t now = ++size[class_of[i]];
        largest = now > largest ? now : largest;
    }
    *n_folds = largest < 2 ? 0 : *n_folds < largest ? *n_folds : largest;
    if (*n_folds > 0)
        PT_TRY(pt_folds(fold, n, class_of, k, *n_folds, true, seed, 0, err));
    for (int64_t i = 0; i < n; i++)
        if (*n_folds == 0 || size[class_of[i]] < 2)
            fold[i] = -1;
    return PT_OK;
}

typedef struct placement {
    double *H;
    int64_t ell;
    const int64_t *fold;
    int64_t n;
} placement;

/* A pt_holdout_fn */
static pt_status place(void *context, int64_t point, int64_t partition, const double *outputs,
                       pt_error *err)
{
    (void)point;
    (void)partition;
    const placement *p = context;
    if (!outputs)
        return pt_fail(err, PT_ENUMERIC, "a machine has no answer without some of the rows");
    for (int64_t i = 0; i < p->n; i++)
        if (p->fold[i] >= 0)
            memcpy(p->H + i * p->ell, outputs + i * p->ell, (size_t)p->ell * sizeof(double));
    return PT_OK;
}

pt_status pt_cross_fit(double *H, int64_t ell, const pt_machine_ops *ops, const pt_problem *problem,
                       const pt_params *params, const int64_t *fold, int64_t n_folds,
                       const pt_task *task, pt_error *err)
{
    const pt_partitions partitions = {1, n_folds, &fold,
                                      pt_ties_are_past(&problem->ties, problem->rows.n)};
    placement p = {H, ell, fold, problem->rows.n};
    return pt_validate_by_training(&(pt_validation){.ops = ops,
                                                    .problem = problem,
                                                    .points = &params,
                                                    .n_points = 1,
                                                    .partitions = &partitions,
                                                    .take = place,
                                                    .context = &p,
                                                    .what = PT_OUTPUTS,
                                                    .n_outputs = ell,
                                                    .one_at_a_time = true,
                                                    .stage = "cross-fitting"},
                                   task, err);
}
