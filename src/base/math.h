/* Small sums of integers, weights, orders and pairs that many files need. */
#ifndef PT_BASE_MATH_H
#define PT_BASE_MATH_H

#include <stddef.h>
#include <stdint.h>

#include "polytomy/polytomy.h"

static inline size_t pt_type_size(pt_type type)
{
    static const size_t size[] = {[PT_F32] = 4, [PT_F64] = 8, [PT_I64] = 8,
                                  [PT_I32] = 4, [PT_I8] = 1,  [PT_TEXT] = sizeof(char *)};
    return size[type];
}

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

/* The first index of the largest of k values; of classes, ties go to the lowest. */
static inline int64_t pt_first_largest(const double *value, int64_t k)
{
    int64_t best = 0;
    for (int64_t r = 1; r < k; r++)
        if (value[r] > value[best])
            best = r;
    return best;
}

/* All pairs p < q of k classes, ordered by p, then by q: how many there are, the number of one, and
 * the pair that a number stands for. They are the columns of the code of all pairs (ASS). */
static inline int64_t pt_pairs_count(int64_t k)
{
    return k * (k - 1) / 2;
}

static inline int64_t pt_pairs_column(int64_t k, int64_t p, int64_t q)
{
    return p * (2 * k - p - 1) / 2 + q - p - 1; /* p classes before, with k-1, k-2, ... columns */
}

static inline void pt_pairs_at(int64_t k, int64_t s, int64_t *p, int64_t *q)
{
    int64_t low = 0; /* the last class whose first column is not after s */
    int64_t high = k - 1;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (pt_pairs_column(k, middle, middle + 1) <= s)
            low = middle;
        else
            high = middle;
    }
    *p = low;
    *q = s - pt_pairs_column(k, low, low + 1) + low + 1;
}

/* What the columns f of all pairs say for class r over class q, r != q. */
static inline double pt_pairs_between(const double *f, int64_t k, int64_t r, int64_t q)
{
    return r < q ? f[pt_pairs_column(k, r, q)] : -f[pt_pairs_column(k, q, r)];
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
