/* Folds: rows drawn into parts, each of which is held out in turn. */
#include "validate/folds.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "data/split.h"

void pt_fold_set_free(pt_fold_set *set)
{
    pt_free(set->fold);
    pt_free(set->pointer);
    memset(set, 0, sizeof *set);
}

/* Room for `repeats` partitions of n rows. */
static pt_status make_room(pt_fold_set *set, int64_t n, int64_t repeats, pt_error *err)
{
    size_t bytes = 0;
    memset(set, 0, sizeof *set);
    if (!pt_size_mul((size_t)n, sizeof(int64_t), &bytes))
        return pt_fail_memory(err, "folds", SIZE_MAX);
    set->fold = pt_alloc(repeats, bytes, "folds", err);
    set->pointer = pt_alloc(repeats, sizeof(int64_t *), "folds", err);
    if (!set->fold || !set->pointer)
        return PT_ENOMEM;
    for (int64_t p = 0; p < repeats; p++)
        set->pointer[p] = set->fold + p * n;
    return PT_OK;
}

/* ---- drawn folds ----------------------------------------------------------------------------- */

static pt_status check_folds(const pt_blocks *blocks, int64_t n_folds, int64_t repeats, bool loo,
                             pt_error *err)
{
    const int64_t n = pt_blocks_most_folds(blocks);
    if (loo && repeats > 1)
        return pt_fail(err, PT_EINVAL, "leave-one-out is the same every time; leave `repeat` out");
    if (n_folds > n)
        return pt_fail(err, PT_EINVAL, "`folds=%lld` is more than the %lld %-s%s",
                       (long long)n_folds, (long long)n, blocks->of ? "group" : "row",
                       n == 1 ? "" : "s");
    return PT_OK;
}

/* Each block is a fold, in their order. */
static void take_each(int64_t *fold, const pt_blocks *blocks, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        fold[i] = blocks->of ? blocks->of[i] : i;
}

static pt_status draw(pt_fold_set *set, const pt_labels *labels, const pt_blocks *blocks,
                      int64_t n_folds, int64_t repeats, bool stratified, uint64_t seed,
                      pt_error *err)
{
    const int64_t n = labels->n;
    PT_TRY(make_room(set, n, repeats, err));
    for (int64_t p = 0; p < repeats; p++)
        PT_TRY(pt_block_folds(set->fold + p * n, n, labels->class_of, pt_labels_n_classes(labels),
                              blocks, n_folds, stratified, seed, p, err));
    set->partitions = (pt_partitions){repeats, n_folds, set->pointer, blocks->past};
    return PT_OK;
}

pt_status pt_fold_set_init(pt_fold_set *set, const pt_problem *problem, const pt_params *params,
                           pt_error *err)
{
    const pt_labels *labels = problem->labels;
    const int64_t n = labels->n;
    const bool loo = pt_params_flag(params, PT_P_LOO);
    const bool stratified =
        labels->kind == PT_LABEL_CLASS && strcmp(pt_params_text(params, PT_P_STRATIFY), "yes") == 0;
    const int64_t repeats = pt_params_integer(params, PT_P_REPEAT);
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    const pt_ties ties = {problem->ties.group, NULL, problem->ties.time};
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    memset(set, 0, sizeof *set);
    PT_TRY(pt_blocks_init(&blocks, &ties, n, err));
    const int64_t asked = loo ? blocks.count : pt_params_integer(params, PT_P_FOLDS);
    const int64_t n_folds = blocks.past ? pt_lesser(asked, pt_blocks_most_folds(&blocks)) : asked;
    PT_TRY(check_folds(&blocks, n_folds, repeats, loo, err));
    if (blocks.past)
        return draw(set, labels, &blocks, n_folds, 1, false, seed, err);
    if (!loo)
        return draw(set, labels, &blocks, n_folds, repeats, stratified, seed, err);
    PT_TRY(make_room(set, n, 1, err));
    take_each(set->fold, &blocks, n);
    set->partitions = (pt_partitions){1, n_folds, set->pointer, false};
    return PT_OK;
}

pt_status pt_fold_set_draw(pt_fold_set *set, const pt_problem *problem, int64_t n_folds,
                           bool stratified, uint64_t seed, pt_error *err)
{
    const pt_labels *labels = problem->labels;
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    PT_TRY(pt_blocks_init(&blocks, &problem->ties, labels->n, err));
    return draw(set, labels, &blocks, pt_lesser(n_folds, pt_blocks_most_folds(&blocks)), 1,
                stratified && labels->kind == PT_LABEL_CLASS, seed, err);
}

pt_status pt_fold_set_each(pt_fold_set *set, const pt_problem *problem, pt_error *err)
{
    const int64_t n = problem->labels->n;
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    PT_TRY(pt_blocks_init(&blocks, &problem->ties, n, err));
    if (blocks.past)
        return pt_fail(err, PT_EINVAL, "times are not held out one by one");
    PT_TRY(make_room(set, n, 1, err));
    take_each(set->fold, &blocks, n);
    set->partitions = (pt_partitions){1, blocks.count, set->pointer, false};
    return PT_OK;
}

/* ---- the caller's folds ---------------------------------------------------------------------- */

pt_status pt_fold_params_check(const pt_dataset *data, const pt_params *params, pt_error *err)
{
    static const pt_param_id IDS[] = {PT_P_FOLDS, PT_P_REPEAT, PT_P_LOO, PT_P_STRATIFY};
    for (size_t p = 0; (data->fold || data->time) && p < sizeof IDS / sizeof *IDS; p++)
        if (pt_params_set_by_user(params, IDS[p]) && (data->fold || IDS[p] != PT_P_FOLDS))
            return pt_fail(err, PT_EINVAL,
                           "the data have %s, which leave nothing to `%s`; take one of the two "
                           "away",
                           data->fold ? "folds of their own" : "times",
                           pt_param_name((int64_t)IDS[p]));
    return PT_OK;
}

pt_status pt_fold_set_given(pt_fold_set *set, const pt_dataset *data, pt_error *err)
{
    const int64_t n = data->n;
    const int64_t never = PT_NEVER_HELD;
    int64_t most = 0;
    bool differ = false; /* some column has fewer folds */
    PT_TRY(make_room(set, n, data->fold_columns, err));
    for (int64_t p = 0; p < data->fold_columns; p++) {
        int64_t count = 0;
        PT_TRY(pt_dense_numbers(set->fold + p * n, &count, data->fold + p * n, n, &never, err));
        differ = differ || (p > 0 && count != most);
        most = count > most ? count : most;
    }
    /* as many folds as rows say that each row is one, in every column */
    const int64_t n_folds = most == n && differ ? n + 1 : most;
    set->partitions = (pt_partitions){data->fold_columns, n_folds, set->pointer, false};
    return PT_OK;
}

/* ---- pairs of folds ----------------------------------------------------------------------------
 *
 * In rounds, by the circle method: of m = F - 1 (F even) or F (F odd) places on a
 * circle, a and b meet in round t where a + b = 2 t modulo m. The one that would meet itself meets
 * the fold that is not on the circle, or nobody. */

enum { MOST_FOLDS = 64 }; /* each round costs n^2 and the pairs' own factorisations */

bool pt_fold_pairs_serve(int64_t n_folds)
{
    return n_folds >= 3 && n_folds <= MOST_FOLDS;
}

int64_t pt_fold_partner(int64_t n_folds, int64_t round, int64_t a)
{
    const int64_t circle = n_folds - (n_folds % 2 == 0);
    if (a == circle) /* not on the circle: meets the one that would meet itself */
        return round;
    const int64_t b = ((2 * round - a) % circle + circle) % circle;
    return a == b && n_folds % 2 == 0 ? circle : b;
}

void pt_fold_pairs_free(pt_fold_pairs *pairs)
{
    pt_free(pairs->fold);
    pt_free(pairs->pointer);
    memset(pairs, 0, sizeof *pairs);
}

pt_status pt_fold_pairs_init(pt_fold_pairs *pairs, const pt_partitions *outer,
                             const int64_t *chosen, int64_t n, pt_error *err)
{
    const int64_t F = outer->n_folds;
    int64_t number[MOST_FOLDS]; /* of the pair of each fold */
    memset(pairs, 0, sizeof *pairs);
    pairs->rounds = F - (F % 2 == 0);
    pairs->n_folds = F;
    pairs->n = n;
    const int64_t count = outer->count * pairs->rounds;
    pairs->fold = pt_alloc(count, (size_t)n * sizeof(int64_t), "pairs of folds", err);
    pairs->pointer = pt_alloc(count, sizeof(int64_t *), "pairs of folds", err);
    if (!pairs->fold || !pairs->pointer) {
        pt_fold_pairs_free(pairs);
        return PT_ENOMEM;
    }
    for (int64_t p = 0; p < count; p++) {
        const int64_t *fold = outer->fold[p / pairs->rounds];
        int64_t *of = pairs->fold + p * n;
        int64_t next = 0;
        for (int64_t a = 0; a < F; a++) {
            const int64_t b = pt_fold_partner(F, p % pairs->rounds, a);
            number[a] = b < a ? number[b] : next++;
        }
        for (int64_t i = 0; i < n; i++) {
            const int64_t own = fold[chosen ? chosen[i] : i];
            of[i] = own >= 0 && own < F ? number[own] : PT_NEVER_HELD;
        }
        pairs->pointer[p] = of;
    }
    pairs->partitions = (pt_partitions){count, (F + 1) / 2, pairs->pointer, false};
    return PT_OK;
}
