/* Small sums of integers, weights and orders that many files need. */
#ifndef PT_BASE_MATH_H
#define PT_BASE_MATH_H

#include <stdint.h>

static inline int64_t pt_lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t pt_greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The first multiple of `unit` that is not below `count`. */
static inline int64_t pt_round_up(int64_t count, int64_t unit)
{
    return (count + unit - 1) / unit * unit;
}

/* The weight of example i, where NULL says that all are 1. */
static inline double pt_weight(const double *weight, int64_t i)
{
    return weight ? weight[i] : 1;
}

/* For qsort and bsearch. */
static inline int pt_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int pt_descending(const void *a, const void *b)
{
    return pt_ascending(b, a);
}

static inline int pt_ascending_integers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

#endif
