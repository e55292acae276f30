/* Pairs of folds, in rounds, by the circle method: of m = F - 1 (F even) or F (F odd) places on a
 * circle, a and b meet in round t where a + b = 2 t modulo m. The one that would meet itself meets
 * the fold that is not on the circle, or nobody. */
#include "validate/fold_pairs.h"

#include <string.h>

#include "base/alloc.h"

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
        for (int64_t i = 0; i < n; i++)
            of[i] = number[fold[chosen ? chosen[i] : i]];
        pairs->pointer[p] = of;
    }
    pairs->partitions = (pt_partitions){count, (F + 1) / 2, pairs->pointer};
    return PT_OK;
}
