/* The reduced problems of one row by sorting, slow and sure: for simplex_row.c and box_row.c. */
#ifndef SORTED_ROWS_H
#define SORTED_ROWS_H

#include <math.h>
#include <stdlib.h>

#include "base/math.h"

/* CS section 6.1: with D in descending order and theta_m = (D_(1) + ... + D_(m) - total) / m, theta
 * is theta_m for the largest m with D_(m) > theta_m. work: k numbers. */
static inline double sorted_simplex_theta(const double *D, int64_t k, double total, double *work)
{
    double largest = D[0];
    double sum = 0;
    double theta = -total;
    for (int64_t r = 1; r < k; r++)
        largest = fmax(largest, D[r]);
    for (int64_t r = 0; r < k; r++)
        work[r] = D[r] - largest;
    qsort(work, (size_t)k, sizeof *work, pt_descending);
    for (int64_t m = 1; m <= k; m++) {
        sum += work[m - 1];
        const double next = (sum - total) / (double)m;
        if (!(work[m - 1] > next))
            break;
        theta = next;
    }
    return largest + theta;
}

/* s with sum_r min(max(D_r - s, 0), bound) = s, whose left side less s falls in s: between two of
 * the places where an entry leaves 0 or meets its bound it is linear. work: 2 k numbers. */
static inline double sorted_box_shift(const double *D, int64_t k, double bound, double *work)
{
    double lo = 0;
    double hi = bound * (double)k;
    int64_t count = 0;
    for (int64_t r = 0; r < k; r++)
        for (int end = 0; end < 2; end++) {
            const double place = end ? D[r] - bound : D[r];
            if (place > lo && place < hi)
                work[count++] = place;
        }
    qsort(work, (size_t)count, sizeof *work, pt_ascending);
    int64_t left = 0; /* places that are left of the root: between left and right */
    int64_t right = count;
    while (left < right) {
        const int64_t middle = left + (right - left) / 2;
        double all = 0;
        for (int64_t r = 0; r < k; r++)
            all += fmin(fmax(D[r] - work[middle], 0), bound);
        if (all >= work[middle])
            left = middle + 1;
        else
            right = middle;
    }
    lo = left > 0 ? work[left - 1] : lo;
    hi = left < count ? work[left] : hi;
    double sum = 0;
    int64_t some = 0;
    for (int64_t r = 0; r < k; r++)
        if (D[r] > lo && D[r] - bound < hi) {
            sum += D[r];
            some++;
        } else if (D[r] > lo) {
            sum += bound;
        }
    return sum / (double)(1 + some);
}

#endif
