/* Decoders of label vectors: f(x) in R^ell is compared with the vector M_r of each class. */
#include "decoders/decoder.h"

#include <math.h>
#include <string.h>

/* Inner-product decoding: s_r(x) = M_r . f(x) (HNR section 2).
 *
 * With f = M^T g for class outputs g, M_r . f = on g_r + all (g_1 + ... + g_k) for the labelbooks
 * whose M M^T = on I + all 1 1^T. The second term is the same for every class and is left out: so
 * the decision is that of the indicators for every such labelbook, exactly (HNR Theorem 5),
 * rounding included. */
static void inner_from_products(const pt_label_space *space, int64_t n, double *scores)
{
    (void)space;
    (void)n;
    (void)scores; /* they are the scores */
}

static void products_between(const double *f, double *plus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++)
        plus[i] = 2 * f[i];
}

static void products_of_both(const double *f, double *plus, double *minus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++) {
        plus[i] = f[i];
        minus[i] = -f[i];
    }
}

static const pt_column_gains inner_gains = {products_of_both, products_between};

const pt_decoder pt_decoder_inner = {.name = "inner",
                                     .summary = "inner product with the label vector of the class",
                                     .from_products = inner_from_products,
                                     .columns = &inner_gains};

/* The nearest label: the smallest ||f(x) - M_r||^2 (HNR section 7.1).
 *
 * ||f - M_r||^2 = ||f||^2 - 2 M_r . f + Q_rr; the first term is the same for every class, so
 * s_r = 2 M_r . f - Q_rr, which needs inner products only: it serves kernels on the labels. Where
 * all label vectors have one length the decision is that of the inner product. */
static void nearest_from_products(const pt_label_space *space, int64_t n, double *scores)
{
    const int64_t k = space->k;
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < k; r++)
            scores[i * k + r] = 2 * scores[i * k + r] - (space->alike ? 0 : space->Q[r * k + r]);
}

/* Of a code, over a class with 0 there: f^2 - (f - 1)^2 at +, f^2 - (f + 1)^2 at -. */
static void nearness_of_both(const double *f, double *plus, double *minus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++) {
        plus[i] = 2 * f[i] - 1;
        minus[i] = -2 * f[i] - 1;
    }
}

static void nearness_between(const double *f, double *plus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++)
        plus[i] = 4 * f[i];
}

static const pt_column_gains nearest_gains = {nearness_of_both, nearness_between};

const pt_decoder pt_decoder_nearest = {.name = "nearest",
                                       .summary = "the class whose label vector is nearest",
                                       .from_products = nearest_from_products,
                                       .columns = &nearest_gains};

/* Winner takes all: the class with the largest output, s_r(x) = f_r(x) (HNR section 7.1). */
static void wta_from_outputs(const pt_label_space *space, int64_t n, const double *outputs,
                             double *scores)
{
    memcpy(scores, outputs, (size_t)(n * space->k) * sizeof *scores);
}

/* Of a code, which is one-vs-all then: class r is at + in column r, all others at -. */
static void output_between(const double *f, double *plus)
{
    memcpy(plus, f, PT_DECODE_ROWS * sizeof *plus);
}

static const pt_column_gains wta_gains = {.between = output_between};

const pt_decoder pt_decoder_wta = {.name = "wta",
                                   .summary = "the largest output wins; one output for each class",
                                   .one_per_class = true,
                                   .from_outputs = wta_from_outputs,
                                   .columns = &wta_gains};

/* Hamming decoding on signs: s_r(x) = -sum_s (1 - sign(M_rs f_s(x))) / 2 (HNR section 7.1, ASS
 * section 3). sign(0) = 0, so that a zero on either side counts one half. */
static double sign(double x)
{
    return (x > 0 ? 1.0 : 0.0) - (x < 0 ? 1.0 : 0.0);
}

static void hamming_from_outputs(const pt_label_space *space, int64_t n, const double *outputs,
                                 double *scores)
{
    const int64_t ell = space->ell;
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < space->k; r++) {
            double distance = 0;
            for (int64_t s = 0; s < ell; s++)
                distance += (1 - sign(space->M[r * ell + s]) * sign(outputs[i * ell + s])) / 2;
            scores[i * space->k + r] = -distance;
        }
}

/* Of a code, less what all classes share: sign(f)/2 for a class at +, -sign(f)/2 for one at -. */
static void signs_between(const double *f, double *plus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++)
        plus[i] = sign(f[i]);
}

static void signs_of_both(const double *f, double *plus, double *minus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++) {
        plus[i] = sign(f[i]) / 2;
        minus[i] = -plus[i];
    }
}

static const pt_column_gains hamming_gains = {signs_of_both, signs_between};

const pt_decoder pt_decoder_hamming = {
    .name = "hamming",
    .summary = "the fewest signs that differ from those of the label vector",
    .from_outputs = hamming_from_outputs,
    .columns = &hamming_gains};

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
