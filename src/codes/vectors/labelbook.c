/* The labelbooks of HNR Table 1, and what they share.
 *
 * For k classes, M_r is the label vector of class r:
 *
 *   pm1           +1 at r, -1 elsewhere                               ell = k
 *   indicator     1 at r, 0 elsewhere                                 ell = k
 *   alignment     sqrt((k-1)/k) at r, -1/sqrt(k(k-1)) elsewhere       ell = k
 *   consistency   1 at r, -1/(k-1) elsewhere                          ell = k
 *   mincorr       k unit vectors with inner products -1/(k-1)         ell = k - 1
 *   fisher        n/n_r at r, -n/(n - n_s) in column s elsewhere      ell = k
 *
 * M M^T = on I + all 1 1^T with `on` as given in the table entries; tests/property checks it.
 * `fisher` (HNR footnote 3; n_s examples are of class s) has no such form: its vectors depend on
 * the sizes of the classes. */
#include "codes/vectors/labelbook.h"

#include "base/registry.h"

#include <math.h>
#include <string.h>

static int64_t ell_is_k(int64_t k)
{
    return k;
}

static int64_t ell_is_k_minus_1(int64_t k)
{
    return k - 1;
}

static void fill_two_values(int64_t k, double at, double elsewhere, double *M)
{
    for (int64_t r = 0; r < k; r++)
        for (int64_t s = 0; s < k; s++)
            M[r * k + s] = r == s ? at : elsewhere;
}

static void fill_pm1(int64_t k, const double *size, double *M)
{
    (void)size;
    fill_two_values(k, 1, -1, M);
}

static double on_pm1(int64_t k)
{
    (void)k;
    return 4;
}

static void fill_indicator(int64_t k, const double *size, double *M)
{
    (void)size;
    fill_two_values(k, 1, 0, M);
}

static double on_indicator(int64_t k)
{
    (void)k;
    return 1;
}

static void fill_alignment(int64_t k, const double *size, double *M)
{
    (void)size;
    const double c = (double)k;
    fill_two_values(k, sqrt((c - 1) / c), -1 / sqrt(c * (c - 1)), M);
}

static double on_simplex(int64_t k)
{
    return (double)k / (double)(k - 1);
}

static void fill_consistency(int64_t k, const double *size, double *M)
{
    (void)size;
    fill_two_values(k, 1, -1 / (double)(k - 1), M);
}

static double on_consistency(int64_t k)
{
    return on_simplex(k) * on_simplex(k);
}

/* A simplex, one coordinate at a time: given the coordinates before s, vector s has the rest of its
 * unit length there, and all later ones share the value that makes their inner product with it
 * -1/(k-1). */
static void fill_mincorr(int64_t k, const double *size, double *M)
{
    (void)size;
    const int64_t ell = k - 1;
    const double apart = -1 / (double)(k - 1);
    memset(M, 0, (size_t)(k * ell) * sizeof *M);
    double used =
        0; /* squared length in the coordinates before s: the same for all later vectors */
    for (int64_t s = 0; s < ell; s++) {
        const double own = sqrt(1 - used);
        const double other = (apart - used) / own;
        M[s * ell + s] = own;
        for (int64_t r = s + 1; r < k; r++)
            M[r * ell + s] = other;
        used += other * other;
    }
}

/* A class without examples (a fold may lack one) has no column of its own to stand out in: 0. */
static void fill_fisher(int64_t k, const double *size, double *M)
{
    double n = 0;
    for (int64_t r = 0; r < k; r++)
        n += size[r];
    for (int64_t s = 0; s < k; s++) {
        const double at = size[s] > 0 ? n / size[s] : 0;
        const double elsewhere = n > size[s] ? -n / (n - size[s]) : 0;
        for (int64_t r = 0; r < k; r++)
            M[r * k + s] = r == s ? at : elsewhere;
    }
}

static const pt_labelbook pm1 = {"pm1", "+1 for the class, -1 for the others", ell_is_k, fill_pm1,
                                 on_pm1};
static const pt_labelbook indicator = {"indicator", "1 for the class, 0 for the others", ell_is_k,
                                       fill_indicator, on_indicator};
static const pt_labelbook alignment = {"alignment", "unit vectors that align with the ideal kernel",
                                       ell_is_k, fill_alignment, on_simplex};
static const pt_labelbook consistency = {"consistency", "1 for the class, -1/(k-1) for the others",
                                         ell_is_k, fill_consistency, on_consistency};
static const pt_labelbook mincorr = {"mincorr", "corners of a simplex in k-1 dimensions",
                                     ell_is_k_minus_1, fill_mincorr, on_simplex};

static const pt_labelbook fisher = {"fisher", "n/n_+ for the class, -n/n_- for the others",
                                    ell_is_k, fill_fisher, NULL};

const pt_labelbook *const pt_labelbooks[] = {&pm1,     &indicator, &alignment, &consistency,
                                             &mincorr, &fisher,    NULL};

PT_REGISTRY_FIND(pt_labelbook_find, pt_labelbook, pt_labelbooks)
