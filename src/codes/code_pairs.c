/* The code of all pairs. */
#include "codes/code_pairs.h"

#include <string.h>

int64_t pt_pairs_count(int64_t k)
{
    return k * (k - 1) / 2;
}

int64_t pt_pairs_column(int64_t k, int64_t p, int64_t q)
{
    return p * (2 * k - p - 1) / 2 + q - p - 1; /* p classes before, with k-1, k-2, ... columns */
}

void pt_pairs_at(int64_t k, int64_t s, int64_t *p, int64_t *q)
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

void pt_pairs_fill(int64_t k, double *M)
{
    const int64_t ell = pt_pairs_count(k);
    memset(M, 0, (size_t)(k * ell) * sizeof *M);
    for (int64_t s = 0; s < ell; s++) {
        int64_t p = 0;
        int64_t q = 0;
        pt_pairs_at(k, s, &p, &q);
        M[p * ell + s] = 1;
        M[q * ell + s] = -1;
    }
}
