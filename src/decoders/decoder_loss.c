/* Loss-based decoding (ASS section 3): the class with the smallest sum_s L(M(r,s) f_s(x)), where an
 * entry 0 counts L(0). How the sums are formed: decode_columns.c. The exponential loss, whose sums
 * overflow, has a file of its own.
 *
 *              L(z)              L(0) - L(f)                          L(-f) - L(f)
 *   hinge      (1 - z)_+         min(f, 1)                            min(f, 1) - min(-f, 1)
 *   square     (1 - z)^2         2f - f^2                             4f
 *   logistic   log(1 + e^-2z)    ln 2 - (-2f)_+ - log(1 + e^-2|f|)    2f
 *   sigmoid    1/(1 + e^2z)      tanh(f)/2                            tanh f
 *
 * None of them overflows. Sigmoid losses of large outputs are 0 or 1 to the last digit, so that
 * classes tie which the true sums tell apart by 1e-16 or less: among those the largest M_r . f
 * wins. */
#include "decoders/decoder_loss.h"

#include <math.h>

#include "decoders/decode_loops.h"
#include "kernels/loops.h"

enum { ROWS = PT_DECODE_ROWS };

static void hinge_both(const double *f, double *plus, double *minus)
{
    for (int64_t i = 0; i < ROWS; i++) {
        plus[i] = f[i] < 1 ? f[i] : 1;
        minus[i] = f[i] > -1 ? -f[i] : 1;
    }
}

static void hinge_between(const double *f, double *plus)
{
    double minus[ROWS];
    hinge_both(f, plus, minus);
    for (int64_t i = 0; i < ROWS; i++)
        plus[i] -= minus[i];
}

static void square_both(const double *f, double *plus, double *minus)
{
    for (int64_t i = 0; i < ROWS; i++) {
        plus[i] = 2 * f[i] - f[i] * f[i];
        minus[i] = -2 * f[i] - f[i] * f[i];
    }
}

static void square_between(const double *f, double *plus)
{
    for (int64_t i = 0; i < ROWS; i++)
        plus[i] = 4 * f[i];
}

static void logistic_both(const double *f, double *plus, double *minus)
{
    static const double LN2 = 0.69314718055994530942;
    double rest[ROWS];
    for (int64_t i = 0; i < ROWS; i++)
        rest[i] = fabs(f[i]);
    pt_isa_chosen()->f64.exp(rest, ROWS, -2);
    pt_decode_loops_chosen()->log1p(rest, ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        const double size = fabs(f[i]); /* f - |f| is 2f or 0, exactly */
        plus[i] = LN2 - rest[i] + (f[i] - size);
        minus[i] = LN2 - rest[i] - (f[i] + size);
    }
}

static void logistic_between(const double *f, double *plus)
{
    for (int64_t i = 0; i < ROWS; i++)
        plus[i] = 2 * f[i];
}

static void sigmoid_between(const double *f, double *plus)
{
    for (int64_t i = 0; i < ROWS; i++)
        plus[i] = f[i];
    pt_isa_chosen()->f64.tanh(plus, ROWS, 1, 0);
}

static void sigmoid_both(const double *f, double *plus, double *minus)
{
    sigmoid_between(f, plus);
    for (int64_t i = 0; i < ROWS; i++) {
        plus[i] /= 2;
        minus[i] = -plus[i];
    }
}

/* M_r . f - M_q . f over the columns where they differ */
static bool larger_product(const pt_code *code, const double *f, int64_t r, int64_t q, double *work)
{
    (void)work;
    double difference = 0;
    if (!code->pairs) {
        for (int64_t s = 0; s < code->ell; s++)
            difference += (code->M[r * code->ell + s] - code->M[q * code->ell + s]) * f[s];
        return difference > 0;
    }
    for (int64_t other = 0; other < code->k; other++) {
        if (other != r)
            difference += pt_pairs_between(f, code->k, r, other);
        if (other != q)
            difference -= pt_pairs_between(f, code->k, q, other);
    }
    return difference > 0;
}

static const pt_column_gains hinge_gains = {hinge_both, hinge_between};
static const pt_column_gains square_gains = {square_both, square_between};
const pt_column_gains pt_logistic_gains = {logistic_both, logistic_between};
static const pt_column_gains sigmoid_gains = {sigmoid_both, sigmoid_between};

const pt_decoder pt_decoder_hinge = {
    .name = "hinge",
    .summary = "codes: the smallest sum of hinge losses (1-z)_+ over the columns",
    .columns = &hinge_gains};
const pt_decoder pt_decoder_square = {.name = "square",
                                      .summary = "codes: the smallest sum of square losses (1-z)^2",
                                      .columns = &square_gains};
const pt_decoder pt_decoder_logistic = {
    .name = "logistic",
    .summary = "codes: the smallest sum of logistic losses log(1+e^-2z)",
    .columns = &pt_logistic_gains};
const pt_decoder pt_decoder_sigmoid = {.name = "sigmoid",
                                       .summary =
                                           "codes: the smallest sum of sigmoid losses 1/(1+e^2z)",
                                       .columns = &sigmoid_gains,
                                       .better = larger_product,
                                       .blur = 1e-15};
