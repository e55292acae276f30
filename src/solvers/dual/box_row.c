/* The reduced problem of Weston and Watkins.
 *
 * For any s let e_r(s) = min(max(D_r - s, 0), C) and h(s) = sum_r e_r(s) - s, which falls. The root
 * is between 0 and C k. Where it is known to be between two numbers, lo and hi, entries with
 * D_r <= lo are 0 there, those with D_r - C >= hi are C; if the others are free, then
 *
 *     s = (sum of their D + C times those at C) / (1 + how many are free) ,
 *
 * a sum of numbers of the size of the answer: neither a huge A nor a tiny one costs digits.
 *
 * By fixing (Bitran and Hax): as if all that are not yet fixed were free. Where these fall below 0
 * by more than they rise above C, h(s) > 0 and lo is s, so that those below are fixed at 0; else hi
 * is s and those above are fixed at C. Each pass fixes one at least; the end is exact. */
#include "solvers/dual/box_row.h"

#include <stdbool.h>
#include <stdlib.h>

/* The root is in [lo, hi]. */
typedef struct bracket {
    double lo;
    double hi;
} bracket;

static bracket whole(int64_t k, double bound)
{
    return (bracket){0, bound * (double)k};
}

static inline bool is_free(double D, double bound, bracket in)
{
    return D > in.lo && D - bound < in.hi;
}

/* The root if what is free in the bracket is so at the root. */
static double shift_of_free(const double *D, int64_t k, double bound, bracket in)
{
    double sum = 0;
    int64_t some = 0;
    for (int64_t r = 0; r < k; r++)
        if (is_free(D[r], bound, in)) {
            sum += D[r];
            some++;
        } else if (D[r] > in.lo) {
            sum += bound;
        }
    return sum / (double)(1 + some);
}

static double clipped(double e, double bound)
{
    return e > 0 ? e < bound ? e : bound : 0;
}

double pt_box_shift_fixed(const double *D, int64_t k, double bound)
{
    bracket in = whole(k, bound);
    for (;;) {
        const double s = shift_of_free(D, k, bound, in);
        double below = 0;
        double above = 0;
        for (int64_t r = 0; r < k; r++)
            if (is_free(D[r], bound, in)) {
                const double e = D[r] - s;
                below += e < 0 ? -e : 0;
                above += e > bound ? e - bound : 0;
            }
        if (below == above)
            return s;
        if (below > above)
            in.lo = s;
        else
            in.hi = s;
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whether h(s) >= 0. */
static bool is_left_of_root(const double *D, int64_t k, double bound, double s)
{
    double sum = 0;
    for (int64_t r = 0; r < k; r++)
        sum += clipped(D[r] - s, bound);
    return sum >= s;
}

double pt_box_shift_sorted(const double *D, int64_t k, double bound, double *work)
{
    bracket in = whole(k, bound);
    int64_t count = 0;
    for (int64_t r = 0; r < k; r++)
        for (int end = 0; end < 2; end++) {
            const double place = end ? D[r] - bound : D[r];
            if (place > in.lo && place < in.hi)
                work[count++] = place;
        }
    qsort(work, (size_t)count, sizeof *work, ascending);
    int64_t left = 0; /* places that are left of the root: between left and right */
    int64_t right = count;
    while (left < right) {
        const int64_t middle = left + (right - left) / 2;
        if (is_left_of_root(D, k, bound, work[middle]))
            left = middle + 1;
        else
            right = middle;
    }
    if (left > 0)
        in.lo = work[left - 1];
    if (left < count)
        in.hi = work[left];
    return shift_of_free(D, k, bound, in);
}

/* 1/A of less would not be finite. */
static const double NO_CURVATURE = 1e-300;

/* e <- D = e + sum of e + (g - g_y) / A; nothing of class y. */
static void unclipped(double A, const double *g, int64_t k, int64_t y, double *e)
{
    double sum = 0;
    for (int64_t r = 0; r < k; r++)
        sum += e[r];
    for (int64_t r = 0; r < k; r++)
        e[r] = r == y ? 0 : e[r] + sum + (g[r] - g[y]) / A;
}

int64_t pt_box_row(double A, const double *g, int64_t k, int64_t y, double bound, double *e)
{
    int64_t count = 0;
    double s = 0;
    const bool curved = A > NO_CURVATURE;
    if (curved) {
        unclipped(A, g, k, y, e);
        s = bound > 0 ? pt_box_shift_fixed(e, k, bound) : 0;
    }
    for (int64_t r = 0; r < k; r++) {
        if (r == y)
            e[r] = 0;
        else if (curved)
            e[r] = clipped(e[r] - s, bound);
        else
            e[r] = g[r] > g[y] ? bound : 0;
        count += e[r] != 0;
    }
    return count;
}
