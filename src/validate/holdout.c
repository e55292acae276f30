/* Held-out scores: folds, and which points have a closed form. */
#include "validate/holdout.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/split.h"
#include "validate/point_numbers.h"

/* ---- folds --------------------------------------------------------------------------------------
 */

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
    pt_status status = check_folds(n, n_folds, repeats, loo, err);
    if (status != PT_OK)
        return status;
    size_t bytes = 0;
    if (!pt_size_mul((size_t)n, sizeof(int64_t), &bytes))
        return pt_fail_memory(err, "folds", SIZE_MAX);
    set->fold = pt_alloc(repeats, bytes, "folds", err);
    set->pointer = pt_alloc(repeats, sizeof(int64_t *), "folds", err);
    status = set->fold && set->pointer ? PT_OK : PT_ENOMEM;
    for (int64_t p = 0; p < repeats && status == PT_OK; p++) {
        int64_t *fold = set->fold + p * n;
        set->pointer[p] = fold;
        for (int64_t i = 0; i < n && loo; i++)
            fold[i] = i;
        if (!loo)
            status = pt_folds(fold, n, labels->class_of, pt_labels_n_classes(labels), n_folds,
                              stratified, seed, p, err);
    }
    if (status != PT_OK) {
        pt_fold_set_free(set);
        return status;
    }
    set->partitions = (pt_partitions){repeats, n_folds, set->pointer};
    return PT_OK;
}

/* ---- closed form or brute force ------------------------------------------------------------ */

static bool is_exact(const pt_machine_ops *ops, const pt_problem *problem, const pt_params *point)
{
    return ops->holdout && (!ops->holdout_exact || ops->holdout_exact(problem, point));
}

bool pt_holdout_is_closed_form(const pt_machine_ops *ops, const pt_problem *problem,
                               const pt_params *point)
{
    return is_exact(ops, problem, point) && !ops->holdout_method;
}

static int64_t count_exact(const pt_machine_ops *ops, const pt_problem *problem,
                           const pt_params *const *points, int64_t n_points)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n_points; i++)
        count += is_exact(ops, problem, points[i]);
    return count;
}

void pt_holdout_method(char *text, size_t size, const pt_machine_ops *ops,
                       const pt_problem *problem, const pt_params *const *points, int64_t n_points)
{
    const int64_t exact = count_exact(ops, problem, points, n_points);
    const char *own = ops->holdout_method ? ops->holdout_method : "closed form";
    if (exact == n_points)
        snprintf(text, size, "%s", own);
    else if (exact == 0)
        snprintf(text, size, "brute force");
    else
        snprintf(text, size, "%s at %lld of %lld points, brute force at the others", own,
                 (long long)exact, (long long)n_points);
}

/* Closed form for the points that have it, then brute force for the rest. */
static pt_status holdout_mixed(const pt_machine_ops *ops, const pt_problem *problem,
                               const pt_params *const *points, int64_t n_points,
                               const pt_partitions *partitions, pt_holdout_fn take, void *context,
                               const pt_task *task, pt_error *err)
{
    const pt_params **chosen = pt_alloc(n_points, sizeof(*chosen), "grid points", err);
    int64_t *number = pt_alloc(n_points, sizeof(int64_t), "grid points", err);
    pt_status status = chosen && number ? PT_OK : PT_ENOMEM;
    pt_point_numbers r = {take, context, 0, number};
    for (int exact = 1; exact >= 0 && status == PT_OK; exact--) {
        int64_t n_chosen = 0;
        for (int64_t i = 0; i < n_points; i++)
            if (is_exact(ops, problem, points[i]) == (exact == 1)) {
                number[n_chosen] = i;
                chosen[n_chosen++] = points[i];
            }
        status = exact ? ops->holdout(problem, chosen, n_chosen, partitions, pt_take_numbered, &r,
                                      task, err)
                       : pt_holdout_brute_force(ops, problem, chosen, n_chosen, partitions,
                                                pt_take_numbered, &r, task, err);
    }
    pt_free(number);
    pt_free(chosen);
    return status;
}

/* ---- classes that a fold takes away -------------------------------------------------------- */

pt_status pt_lower_unseen(double *scores, int64_t n, const pt_labels *trained_on, bool given,
                          pt_error *err)
{
    const int64_t k = pt_labels_n_classes(trained_on);
    if (trained_on->kind != PT_LABEL_CLASS)
        return PT_OK;
    double *seen = pt_alloc_zero(k, sizeof *seen, "classes", err);
    if (!seen)
        return PT_ENOMEM;
    for (int64_t i = 0; i < trained_on->n; i++)
        if (pt_labels_has(trained_on, i))
            seen[trained_on->class_of[i]] = 1;
    for (int64_t i = 0; i < n; i++)
        pt_lower_absent(scores + i * k, seen, k, given);
    pt_free(seen);
    return PT_OK;
}

typedef struct lowering {
    const pt_problem *problem;
    const pt_partitions *partitions;
    bool given; /* scores are probabilities */
    pt_holdout_fn take;
    void *context;
} lowering;

/* only_in[r] <- the fold that has all rows of class r, below 0: none has; false: none of any. */
static bool find_absent(const pt_labels *labels, const int64_t *fold, int64_t *only_in)
{
    enum { NOT_SEEN = -2, SEVERAL = -1 };
    const int64_t k = pt_labels_n_classes(labels);
    bool found = false;
    for (int64_t r = 0; r < k; r++)
        only_in[r] = NOT_SEEN;
    for (int64_t i = 0; i < labels->n; i++) {
        int64_t *only = &only_in[labels->class_of[i]];
        *only = *only == NOT_SEEN || *only == fold[i] ? fold[i] : SEVERAL;
    }
    for (int64_t r = 0; r < k; r++)
        found = found || only_in[r] >= 0;
    return found;
}

/* A pt_holdout_fn: the machine of a fold has never seen a class all of whose rows are held out. */
static pt_status take_lowered(void *context, int64_t point, int64_t partition, const double *scores,
                              pt_error *err)
{
    const lowering *l = context;
    const pt_labels *labels = l->problem->labels;
    const int64_t *fold = l->partitions->fold[partition];
    const int64_t k = pt_labels_n_classes(labels);
    if (!scores || labels->kind != PT_LABEL_CLASS)
        return l->take(l->context, point, partition, scores, err);
    int64_t *only_in = pt_alloc(k, sizeof *only_in, "classes", err);
    if (!only_in)
        return PT_ENOMEM;
    if (!find_absent(labels, fold, only_in)) {
        pt_free(only_in);
        return l->take(l->context, point, partition, scores, err);
    }
    double *lowered = pt_alloc(labels->n, (size_t)k * sizeof *lowered, "held-out scores", err);
    double *seen = pt_alloc(k, sizeof *seen, "classes", err);
    pt_status status = lowered && seen ? PT_OK : PT_ENOMEM;
    for (int64_t i = 0; i < labels->n && status == PT_OK; i++) {
        memcpy(lowered + i * k, scores + i * k, (size_t)k * sizeof *lowered);
        for (int64_t r = 0; r < k; r++)
            seen[r] = only_in[r] == fold[i] ? 0 : 1;
        pt_lower_absent(lowered + i * k, seen, k, l->given);
    }
    if (status == PT_OK)
        status = l->take(l->context, point, partition, lowered, err);
    pt_free(seen);
    pt_free(lowered);
    pt_free(only_in);
    return status;
}

static pt_status holdout_as_it_is(const pt_machine_ops *ops, const pt_problem *problem,
                                  const pt_params *const *points, int64_t n_points,
                                  const pt_partitions *partitions, pt_holdout_fn take,
                                  void *context, const pt_task *task, pt_error *err)
{
    const int64_t exact = count_exact(ops, problem, points, n_points);
    if (exact == 0)
        return pt_holdout_brute_force(ops, problem, points, n_points, partitions, take, context,
                                      task, err);
    if (exact == n_points)
        return ops->holdout(problem, points, n_points, partitions, take, context, task, err);
    return holdout_mixed(ops, problem, points, n_points, partitions, take, context, task, err);
}

pt_status pt_holdout_scores(const pt_machine_ops *ops, const pt_problem *problem,
                            const pt_params *const *points, int64_t n_points,
                            const pt_partitions *partitions, pt_holdout_fn take, void *context,
                            const pt_task *task, pt_error *err)
{
    lowering l = {problem, partitions, n_points > 0 && pt_decoder_gives_probabilities(points[0]),
                  take, context};
    return holdout_as_it_is(ops, problem, points, n_points, partitions, take_lowered, &l, task,
                            err);
}
