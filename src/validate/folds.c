/* Folds: rows drawn into parts, each of which is held out in turn. */
#include "validate/folds.h"

#include <string.h>

#include "base/alloc.h"
#include "data/split.h"

void pt_fold_set_free(pt_fold_set *set)
{
    pt_free(set->fold);
    pt_free(set->pointer);
    memset(set, 0, sizeof *set);
}

static pt_status check_folds(int64_t n, int64_t n_folds, int64_t repeats, bool loo, pt_error *err)
{
    if (loo && repeats > 1)
        return pt_fail(err, PT_EINVAL, "leave-one-out is the same every time; leave --repeat out");
    if (n_folds > n)
        return pt_fail(err, PT_EINVAL, "--folds %lld is more than the %lld row%s",
                       (long long)n_folds, (long long)n, n == 1 ? "" : "s");
    return PT_OK;
}

/* loo: as many folds as rows, in their order. */
static pt_status draw(pt_fold_set *set, const pt_labels *labels, int64_t n_folds, int64_t repeats,
                      bool stratified, bool loo, uint64_t seed, pt_error *err)
{
    const int64_t n = labels->n;
    size_t bytes = 0;
    memset(set, 0, sizeof *set);
    if (!pt_size_mul((size_t)n, sizeof(int64_t), &bytes))
        return pt_fail_memory(err, "folds", SIZE_MAX);
    set->fold = pt_alloc(repeats, bytes, "folds", err);
    set->pointer = pt_alloc(repeats, sizeof(int64_t *), "folds", err);
    pt_status status = set->fold && set->pointer ? PT_OK : PT_ENOMEM;
    for (int64_t p = 0; p < repeats && status == PT_OK; p++) {
        int64_t *fold = set->fold + p * n;
        set->pointer[p] = fold;
        for (int64_t i = 0; i < n && loo; i++)
            fold[i] = i;
        if (!loo)
            status = pt_folds(fold, n, labels->class_of, pt_labels_n_classes(labels), n_folds,
                              stratified, seed, p, err);
    }
    if (status == PT_OK)
        set->partitions = (pt_partitions){repeats, n_folds, set->pointer};
    else
        pt_fold_set_free(set);
    return status;
}

pt_status pt_fold_set_init(pt_fold_set *set, const pt_labels *labels, const pt_params *params,
                           pt_error *err)
{
    const int64_t n = labels->n;
    const bool loo = pt_params_flag(params, PT_P_LOO);
    const bool stratified =
        labels->kind == PT_LABEL_CLASS && strcmp(pt_params_text(params, PT_P_STRATIFY), "yes") == 0;
    const int64_t n_folds = loo ? n : pt_params_integer(params, PT_P_FOLDS);
    const int64_t repeats = pt_params_integer(params, PT_P_REPEAT);
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    memset(set, 0, sizeof *set);
    PT_TRY(check_folds(n, n_folds, repeats, loo, err));
    return draw(set, labels, n_folds, repeats, stratified, loo, seed, err);
}

pt_status pt_fold_set_draw(pt_fold_set *set, const pt_labels *labels, int64_t n_folds,
                           uint64_t seed, pt_error *err)
{
    return draw(set, labels, n_folds < labels->n ? n_folds : labels->n, 1,
                labels->kind == PT_LABEL_CLASS, false, seed, err);
}
