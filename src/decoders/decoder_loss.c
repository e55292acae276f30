/* Loss-based decoding (ASS section 3): s_r(x) = -sum_s L(M(r,s) f_s(x)), where an entry 0 counts
 * L(0). */
#include "decoders/decoder_loss.h"

#include <string.h>

static void add_pairs(const pt_loss *loss, const pt_code *code, const double *f, double *score)
{
    const int64_t k = code->k;
    for (int64_t r = 0; r < k; r++)
        score[r] = -(double)(code->ell - (k - 1)) * loss->at_zero;
    for (int64_t p = 0, s = 0; p < k; p++)
        for (int64_t q = p + 1; q < k; q++, s++) {
            score[p] -= loss->value(f[s]);
            score[q] -= loss->value(-f[s]);
        }
}

static void decode(const pt_loss *loss, const pt_code *code, int64_t n, const double *outputs,
                   double *scores)
{
    for (int64_t i = 0; i < n; i++) {
        const double *f = outputs + i * code->ell;
        double *score = scores + i * code->k;
        if (code->pairs) {
            add_pairs(loss, code, f, score);
            continue;
        }
        for (int64_t r = 0; r < code->k; r++) {
            score[r] = 0;
            for (int64_t s = 0; s < code->ell; s++)
                score[r] -= loss->value(code->M[r * code->ell + s] * f[s]);
        }
    }
}

#define DEFINE_LOSS_DECODER(loss, text)                                                      \
    static pt_status loss##_from_code(const pt_code *code, int64_t n, const double *outputs, \
                                      double *scores, pt_error *err)                         \
    {                                                                                        \
        (void)err;                                                                           \
        decode(&pt_loss_##loss, code, n, outputs, scores);                                   \
        return PT_OK;                                                                        \
    }                                                                                        \
    const pt_decoder pt_decoder_##loss = {                                                   \
        .name = #loss, .summary = text, .from_code = loss##_from_code}

DEFINE_LOSS_DECODER(hinge, "the smallest sum of hinge losses (1-z)_+ over the columns");
DEFINE_LOSS_DECODER(exp, "the smallest sum of exponential losses e^-z");
DEFINE_LOSS_DECODER(square, "the smallest sum of square losses (1-z)^2");
DEFINE_LOSS_DECODER(logistic, "the smallest sum of logistic losses log(1+e^-2z)");
DEFINE_LOSS_DECODER(sigmoid, "the smallest sum of sigmoid losses 1/(1+e^2z)");
