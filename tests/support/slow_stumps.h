/* Stumps by trying all of them, for tests of boosting: one column, one round, the definition.
 * Include after cmocka.h. */
#ifndef PT_TESTS_SLOW_STUMPS_H
#define PT_TESTS_SLOW_STUMPS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* n x d cells, NaN is missing; levels[f] > 0: the number of a level. */
typedef struct slow_table {
    int64_t n;
    int64_t d;
    const double *x;
    const int64_t *levels; /* NULL: all numbers */
} slow_table;

typedef struct slow_stump {
    int64_t feature;
    double cut;
    uint64_t set;
    double sum[3][2]; /* of the branches in, out, missing */
    double gain;
} slow_stump;

/* 0 in, 1 out, 2 missing */
static inline int slow_branch(const slow_table *table, const slow_stump *stump, int64_t i)
{
    const double x = table->x[i * table->d + stump->feature];
    if (isnan(x))
        return 2;
    if (table->levels && table->levels[stump->feature] > 0)
        return stump->set >> (int64_t)x & 1 ? 0 : 1;
    return x <= stump->cut ? 0 : 1;
}

/* The gain of a branch with the sums a and b. */
typedef double (*slow_gain)(double a, double b);

static inline double slow_gain_discrete(double plus, double minus)
{
    return fabs(plus - minus);
}

static inline double slow_gain_newton(double w, double wt)
{
    return w > 0 ? wt * wt / w : 0;
}

static inline void slow_try(const slow_table *table, slow_stump trial, const double *a,
                            const double *b, slow_gain gain, slow_stump *best)
{
    for (int branch = 0; branch < 3; branch++)
        trial.sum[branch][0] = trial.sum[branch][1] = 0;
    for (int64_t i = 0; i < table->n; i++) {
        const int branch = slow_branch(table, &trial, i);
        trial.sum[branch][0] += a[i];
        trial.sum[branch][1] += b[i];
    }
    trial.gain = 0;
    for (int branch = 0; branch < 3; branch++)
        trial.gain += gain(trial.sum[branch][0], trial.sum[branch][1]);
    /* rounding does not decide between the same split by another feature */
    if (trial.gain > best->gain * (1 + 1e-12))
        *best = trial;
}

/* a, b: the two numbers of each example, 0 where it takes no part. Cuts are the middles between
 * neighbours; sets of levels are all subsets. */
static inline slow_stump slow_best(const slow_table *table, const double *a, const double *b,
                                   slow_gain gain)
{
    slow_stump best = {.feature = -1, .gain = -1};
    for (int64_t f = 0; f < table->d; f++) {
        slow_stump trial = {.feature = f};
        const int64_t levels = table->levels ? table->levels[f] : 0;
        for (trial.set = 1; levels > 0 && trial.set < (uint64_t)1 << levels; trial.set++)
            slow_try(table, trial, a, b, gain, &best);
        for (int64_t i = 0; i < table->n && levels == 0; i++) {
            const double x = table->x[i * table->d + f];
            double next = INFINITY;
            for (int64_t j = 0; j < table->n; j++) {
                const double other = table->x[j * table->d + f];
                next = other > x && other < next ? other : next;
            }
            trial.cut = isinf(next) ? x : x + (next - x) / 2;
            if (!isnan(x))
                slow_try(table, trial, a, b, gain, &best);
        }
    }
    return best;
}

#endif
