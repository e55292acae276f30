/* What the sides of a stump are worth under the three rules (stump_search.h). In a header, since
 * loops of every instruction set take it in. */
#ifndef PT_TREES_STUMP_WORTH_H
#define PT_TREES_STUMP_WORTH_H

#include <math.h>
#include <string.h>

#include "trees/stump_search.h"

/* Below this share of a column's weight a side counts as empty under NEWTON: its sums are rounding
 * errors of the column's. */
#define PT_STUMP_NOTHING 1e-12

/* To 40 bits: gains that are equal but for rounding errors of their sums are equal, so that ties
 * are ties whatever the order in which examples come. */
static inline double pt_stump_rounded(double gain)
{
    int64_t bits = 0;
    memcpy(&bits, &gain, sizeof bits);
    bits = (bits + 0x1000) & ~(int64_t)0x1fff;
    memcpy(&gain, &bits, sizeof bits);
    return gain;
}

static inline double pt_positive(double x)
{
    return x > 0 ? x : 0;
}

/* What a side with sums a and b is worth; `whole` is the first sum of all sides. */
static inline double pt_stump_worth(int rule, double a, double b, double whole)
{
    if (rule == PT_STUMP_DISCRETE)
        return fabs(a - b);
    if (rule == PT_STUMP_CONFIDENCE)
        return -sqrt(pt_positive(a) * pt_positive(b));
    const bool some = a > PT_STUMP_NOTHING * whole;
    return some ? b * b / (some ? a : 1) : 0;
}

/* The gain of a cut with sums `in`, of `all`. */
static inline double pt_stump_cut_gain(int rule, bool below, double in_a, double in_b, double all_a,
                                       double all_b)
{
    if (below)
        return (in_a - in_b) - ((all_a - in_a) - (all_b - in_b));
    return pt_stump_worth(rule, in_a, in_b, all_a) +
           pt_stump_worth(rule, all_a - in_a, all_b - in_b, all_a);
}

#endif
