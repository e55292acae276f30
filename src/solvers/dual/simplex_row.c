/* Projection on a simplex: the reduced problem of SPOC.
 *
 * With D in descending order and theta_m = (D_(1) + ... + D_(m) - total) / m, theta is theta_m for
 * the largest m with D_(m) > theta_m (CS section 6.1). The largest D is subtracted first: then only
 * entries above -total count, and neither a huge A, for which D hardly differ, nor a tiny one, for
 * which they are huge, costs digits.
 *
 * By selection: entries that are not smaller than a pivot are taken in if the pivot is above the
 * theta that these give; else the pivot and all below it are thrown away. Each round looks at what
 * the last one left: O(k) expected. Of a few entries it is faster to take the theta of those that
 * are left, throw away what is not above it, and so on until nothing is: loops without a branch. */
#include "solvers/dual/simplex_row.h"

#include <math.h>
#include <stdlib.h>

static double largest_of(const double *D, int64_t k)
{
    double largest = D[0];
    for (int64_t r = 1; r < k; r++)
        largest = D[r] > largest ? D[r] : largest;
    return largest;
}

/* work <- D_r - largest where that can be in the support; returns how many. */
static int64_t keep_near(const double *D, int64_t k, double largest, double total, double *work)
{
    int64_t count = 0;
    for (int64_t r = 0; r < k; r++)
        if (D[r] - largest > -total)
            work[count++] = D[r] - largest;
    return count;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x < y) - (x > y);
}

static double sorted_theta(double *E, int64_t count, double total)
{
    qsort(E, (size_t)count, sizeof *E, descending);
    double sum = 0;
    double theta = -total;
    for (int64_t m = 1; m <= count; m++) {
        sum += E[m - 1];
        const double next = (sum - total) / (double)m;
        if (!(E[m - 1] > next))
            break;
        theta = next;
    }
    return theta;
}

static void swap(double *a, double *b)
{
    const double x = *a;
    *a = *b;
    *b = x;
}

/* The median of three: sorted entries do no harm, and nothing is random. */
static double pivot_of(const double *E, int64_t count)
{
    const double a = E[0];
    const double b = E[count / 2];
    const double c = E[count - 1];
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

enum { FEW = 32 };

/* Of 0 < count <= FEW entries above -total, the largest of which is 0. */
static double averaged_theta(const double *E, int64_t count, double total)
{
    int64_t left = count;
    double sum = 0;
    for (int64_t r = 0; r < count; r++)
        sum += E[r];
    double theta = (sum - total) / (double)count;
    for (int64_t before = count + 1; left < before && left > 2;) { /* two stay: E > -total */
        before = left;
        left = 0;
        sum = 0;
        for (int64_t r = 0; r < count; r++) {
            sum += E[r] > theta ? E[r] : 0;
            left += E[r] > theta;
        }
        theta = (sum - total) / (double)left;
    }
    return theta;
}

static double selected_theta(double *E, int64_t count, double total)
{
    if (count > 0 && count <= FEW)
        return averaged_theta(E, count, total);
    double sum = 0; /* of those that are surely in the support */
    int64_t taken = 0;
    while (count > 0) {
        const double pivot = pivot_of(E, count);
        double above = 0;
        int64_t some = 0; /* entries >= pivot come first */
        for (int64_t r = 0; r < count; r++)
            if (E[r] >= pivot) {
                above += E[r];
                swap(&E[r], &E[some++]);
            }
        const double theta = (sum + above - total) / (double)(taken + some);
        if (pivot > theta) { /* all of these are in; go on with the smaller ones */
            sum += above;
            taken += some;
            E += some;
            count -= some;
        } else { /* the pivot and all below it are out */
            int64_t left = 0;
            for (int64_t r = 0; r < some; r++)
                if (E[r] > pivot)
                    E[left++] = E[r];
            count = left;
        }
    }
    return taken ? (sum - total) / (double)taken : -total;
}

double pt_simplex_theta_sorted(const double *D, int64_t k, double total, double *work)
{
    const double largest = largest_of(D, k);
    const int64_t count = keep_near(D, k, largest, total, work);
    return largest + sorted_theta(work, count, total);
}

double pt_simplex_theta_selected(const double *D, int64_t k, double total, double *work)
{
    const double largest = largest_of(D, k);
    const int64_t count = keep_near(D, k, largest, total, work);
    return largest + selected_theta(work, count, total);
}

int64_t pt_simplex_project(const double *D, int64_t k, double total, double *eta, double *work)
{
    const double largest = largest_of(D, k);
    const int64_t near = keep_near(D, k, largest, total, work);
    const double theta = selected_theta(work, near, total);
    int64_t count = 0;
    int64_t last = 0;
    for (int64_t r = 0; r < k; r++) {
        const double over = D[r] - largest - theta;
        eta[r] = over > 0 ? over : 0;
        if (over > 0) {
            count++;
            last = r;
        }
    }
    if (count == 1) /* rounding must not leave a rest */
        eta[last] = total;
    return count;
}

/* 1/A of less would not be finite. */
static const double NO_CURVATURE = 1e-300;

int64_t pt_simplex_row(double A, const double *g, int64_t k, double total, double *eta,
                       double *work)
{
    int64_t first = 0;
    for (int64_t r = 1; r < k; r++)
        first = g[r] > g[first] ? r : first;
    const double largest = g[first];
    if (!(A > NO_CURVATURE)) { /* the objective is linear */
        for (int64_t r = 0; r < k; r++)
            eta[r] = r == first ? total : 0;
        return total > 0;
    }
    for (int64_t r = 0; r < k; r++)
        eta[r] += (g[r] - largest) / A;
    return pt_simplex_project(eta, k, total, eta, work);
}
