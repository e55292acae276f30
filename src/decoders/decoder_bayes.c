/* Bayesian decoding (HNR section 7.1): output s says "+" with probability p_s = 1/(1 + e^{-2 f_s}),
 * and a class is as likely as its signs together,
 *
 *     prod_s p_s^[M_rs > 0] (1 - p_s)^[M_rs < 0] .
 *
 * The score is the logarithm, -sum_s log(1 + e^{-2 z}) with z = sign(M_rs) f_s; entries of 0 say
 * nothing. For codes of +-1 it is loss-based decoding with the logistic loss (ASS).
 *
 * Classes of a code may have zeros in unequal numbers, and a product of fewer factors would be the
 * larger for it. A class that takes no part in a column says + or - with probability 1/2 there:
 * that is the logistic loss with log 2 for a zero, so codes are decoded by it. */
#include "decoders/decoder.h"

#include <math.h>

#include "decoders/decoder_loss.h"

/* log(1 + e^{-2z}) without overflow. */
static double log_loss(double z)
{
    return z >= 0 ? log1p(exp(-2 * z)) : log1p(exp(2 * z)) - 2 * z;
}

static void bayes_from_outputs(const pt_label_space *space, int64_t n, const double *outputs,
                               double *scores)
{
    const int64_t ell = space->ell;
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < space->k; r++) {
            double loss = 0;
            for (int64_t s = 0; s < ell; s++) {
                const double entry = space->M[r * ell + s];
                if (entry != 0)
                    loss += log_loss(entry > 0 ? outputs[i * ell + s] : -outputs[i * ell + s]);
            }
            scores[i * space->k + r] = -loss;
        }
}

const pt_decoder pt_decoder_bayes = {.name = "bayes",
                                     .summary = "the most likely signs, outputs as half log-odds",
                                     .from_outputs = bayes_from_outputs,
                                     .columns = &pt_logistic_gains};
