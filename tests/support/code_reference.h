/* Codes measured the slow, obvious way, to compare with. */
#ifndef PT_TESTS_CODE_REFERENCE_H
#define PT_TESTS_CODE_REFERENCE_H

#include "codes/code.h"
#include "decoders/decoder.h"

/* The code of all pairs, spelled out: M is k x C(k, 2), row-major. */
static inline void reference_pairs(int64_t k, double *M)
{
    int64_t s = 0;
    const int64_t ell = k * (k - 1) / 2;
    for (int64_t i = 0; i < k * ell; i++)
        M[i] = 0;
    for (int64_t p = 0; p < k; p++)
        for (int64_t q = p + 1; q < k; q++, s++) {
            M[p * ell + s] = 1;
            M[q * ell + s] = -1;
        }
}

/* sum_s (1 - u_s v_s), twice the distance of two classes (ASS). */
static inline int64_t reference_twice_distance(const pt_code *code, int64_t u, int64_t v)
{
    int64_t sum = 0;
    for (int64_t s = 0; s < code->ell; s++)
        sum += 1 - pt_code_entry(code, u, s) * pt_code_entry(code, v, s);
    return sum;
}

static inline int64_t reference_twice_rho(const pt_code *code)
{
    int64_t least = INT64_MAX;
    for (int64_t u = 0; u < code->k; u++)
        for (int64_t v = 0; v < u; v++) {
            const int64_t distance = reference_twice_distance(code, u, v);
            least = distance < least ? distance : least;
        }
    return least;
}

/* How many entries of column s have this sign. */
static inline int64_t reference_count(const pt_code *code, int64_t s, int sign)
{
    int64_t count = 0;
    for (int64_t r = 0; r < code->k; r++)
        count += pt_code_entry(code, r, s) == sign;
    return count;
}

/* In how many classes column s differs from `factor` times column t. */
static inline int64_t reference_columns_differ(const pt_code *code, int64_t s, int64_t t,
                                               int factor)
{
    int64_t count = 0;
    for (int64_t r = 0; r < code->k; r++)
        count += pt_code_entry(code, r, s) != factor * pt_code_entry(code, r, t);
    return count;
}

static inline bool reference_row_is_zero(const pt_code *code, int64_t r)
{
    for (int64_t s = 0; s < code->ell; s++)
        if (pt_code_entry(code, r, s) != 0)
            return false;
    return true;
}

static inline bool reference_rows_equal(const pt_code *code, int64_t u, int64_t v)
{
    for (int64_t s = 0; s < code->ell; s++)
        if (pt_code_entry(code, u, s) != pt_code_entry(code, v, s))
            return false;
    return true;
}

/* scores (n x k) <- outputs f (n x ell) of a code with vectors M. */
static inline void reference_decode_outputs(const pt_decoder *decoder, const pt_label_space *space,
                                            int64_t n, const double *outputs, double *scores)
{
    if (decoder->from_outputs) {
        decoder->from_outputs(space, n, outputs, scores);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < space->k; r++) {
            double sum = 0;
            for (int64_t s = 0; s < space->ell; s++)
                sum += space->M[r * space->ell + s] * outputs[i * space->ell + s];
            scores[i * space->k + r] = sum;
        }
    decoder->from_products(space, n, scores);
}

#endif
