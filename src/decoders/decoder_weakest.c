/* The weakest link: s_r(x) = min_s M(r,s) f_s(x) over the columns in which class r takes part.
 *
 * Of a tree of classes (class_tree.h) the columns of a class are the path to its leaf. The
 * leaf that is reached by going to the side of each output has margins >= 0 alone; every other leaf
 * leaves the path somewhere, with a margin <= 0. So the largest score is that of the leaf reached,
 * and says how sure the least sure step was. */
#include "decoders/decoder.h"

#include <math.h>

static void weakest_of_pairs(const pt_code *code, const double *f, double *score)
{
    for (int64_t p = 0, s = 0; p < code->k; p++)
        for (int64_t q = p + 1; q < code->k; q++, s++) {
            score[p] = fmin(score[p], f[s]);
            score[q] = fmin(score[q], -f[s]);
        }
}

static void weakest_of_signs(const pt_code *code, const double *f, double *score)
{
    for (int64_t r = 0; r < code->k; r++) {
        const int8_t *M_r = code->M + r * code->ell;
        for (int64_t s = 0; s < code->ell; s++)
            if (M_r[s] != 0)
                score[r] = fmin(score[r], M_r[s] * f[s]);
    }
}

static void weakest_from_code(const pt_code_decoder *decoder, const pt_code *code, int64_t n,
                              const double *outputs, double *scores, double *work)
{
    (void)decoder;
    (void)work;
    for (int64_t i = 0; i < n; i++) {
        const double *f = outputs + i * code->ell;
        double *score = scores + i * code->k;
        for (int64_t r = 0; r < code->k; r++)
            score[r] = INFINITY;
        if (code->pairs)
            weakest_of_pairs(code, f, score);
        else
            weakest_of_signs(code, f, score);
        for (int64_t r = 0; r < code->k; r++)
            if (isinf(score[r])) /* it takes part nowhere, or outputs are infinite */
                score[r] = score[r] > 0 ? 0 : -1e300;
    }
}

const pt_decoder pt_decoder_weakest = {
    .name = "weakest",
    .summary =
        "the largest of the smallest margins; of a tree of classes, the leaf that is reached",
    .from_code = weakest_from_code};
