/* Loss-based decoding (ASS section 3): the class with the smallest sum_s L(M(r,s) f_s(x)), where an
 * entry 0 counts L(0). How the sums are formed: decode.c. The exponential loss, whose sums
 * overflow, is at the end.
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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "decoders/decode_loops.h"
#include "decoders/decoder.h"
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

/* ---- the exponential loss -----------------------------------------------------------------------
 *
 * The smallest
 *
 *     d(r) = sum_s e^(-M(r,s) f_s) ,     score -log d(r) ,
 *
 * where for all pairs the columns that a class takes no part in, as many for each class, are left
 * out. Outputs of some hundreds overflow: then log d(r) = m + log sum_s e^(-z_s - m) with the
 * largest exponent m of the class.
 *
 * Not even that tells classes apart that share their largest exponent: where outputs are large,
 * log d(r) is m to the last digit for all classes that are wrong in the same column. So classes
 * whose scores nearly tie are compared once more, two by two: exponents that both have cancel
 * exactly, and the sums of the rest are compared in units of the largest that is left. */
/* e^300 ell is far from overflow, and e^-300 from underflow. */
static const double LARGE = 300;

static bool is_large(const double *f, int64_t count)
{
    bool large = false;
    for (int64_t s = 0; s < count; s++)
        large |= !(fabs(f[s]) <= LARGE);
    return large;
}

/* Moderate outputs: as it is defined, along the rows. */

/* What a class at + loses, e^-f, and one at -, e^f; rows with large outputs may overflow here. */
static void losses_of_column(const double *outputs, int64_t ell, int64_t s, int64_t n,
                             double *at_plus, double *at_minus)
{
    for (int64_t i = 0; i < ROWS; i++)
        at_plus[i] = i < n ? outputs[i * ell + s] : 0;
    memcpy(at_minus, at_plus, ROWS * sizeof *at_minus);
    pt_isa_chosen()->f64.exp(at_plus, ROWS, -1);
    pt_isa_chosen()->f64.exp(at_minus, ROWS, 1);
}

static void add(double *restrict sum, const double *restrict loss)
{
    for (int64_t i = 0; i < ROWS; i++)
        sum[i] += loss[i];
}

static void add_pairs(const pt_code *code, int64_t n, const double *outputs, double *sum)
{
    double at_plus[ROWS];
    double at_minus[ROWS];
    for (int64_t p = 0, s = 0; p < code->k; p++)
        for (int64_t q = p + 1; q < code->k; q++, s++) {
            losses_of_column(outputs, code->ell, s, n, at_plus, at_minus);
            add(sum + p * ROWS, at_plus);
            add(sum + q * ROWS, at_minus);
        }
}

static void add_columns(const pt_code *code, int64_t n, const double *outputs, double *sum)
{
    double loss[3][ROWS]; /* of an entry -1, 0, +1 */
    for (int64_t i = 0; i < ROWS; i++)
        loss[1][i] = 1;
    for (int64_t s = 0; s < code->ell; s++) {
        losses_of_column(outputs, code->ell, s, n, loss[2], loss[0]);
        for (int64_t r = 0; r < code->k; r++)
            add(sum + r * ROWS, loss[code->M[r * code->ell + s] + 1]);
    }
}

static void decode_moderate(const pt_code *code, int64_t n, const double *outputs, double *scores,
                            double *sum)
{
    memset(sum, 0, (size_t)(code->k * ROWS) * sizeof *sum);
    if (code->pairs)
        add_pairs(code, n, outputs, sum);
    else
        add_columns(code, n, outputs, sum);
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < code->k; r++)
            scores[i * code->k + r] = -log(sum[r * ROWS + i]);
}

/* Large outputs: class by class. */

/* exponent <- -M(r,s) f_s of the columns s, of all pairs those of class r; returns how many. */
static int64_t exponents(const pt_code *code, const double *f, int64_t r, double *exponent)
{
    if (!code->pairs) {
        for (int64_t s = 0; s < code->ell; s++)
            exponent[s] = -code->M[r * code->ell + s] * f[s];
        return code->ell;
    }
    int64_t count = 0;
    for (int64_t q = 0; q < code->k; q++)
        if (q != r)
            exponent[count++] = pt_pairs_between(f, code->k, q, r);
    return count;
}

/* log sum e^exponent of at least one; they are used up. The largest becomes e^0 = 1. */
static double log_sum_exp(double *exponent, int64_t count)
{
    double most = exponent[0];
    for (int64_t s = 1; s < count; s++)
        most = fmax(most, exponent[s]);
    for (int64_t s = 0; s < count; s++)
        exponent[s] -= most;
    pt_isa_chosen()->f64.exp(exponent, count, 1);
    double sum = exponent[0];
    for (int64_t s = 1; s < count; s++)
        sum += exponent[s];
    return most + log(sum);
}

static void decode_large(const pt_code *code, const double *f, double *score, double *work)
{
    for (int64_t r = 0; r < code->k; r++) {
        const int64_t count = exponents(code, f, r, work);
        score[r] = -log_sum_exp(work, count);
    }
}

static void exp_from_code(const pt_code_decoder *decoder, const pt_code *code, int64_t n,
                          const double *outputs, double *scores, double *work)
{
    (void)decoder;
    decode_moderate(code, n, outputs, scores, work);
    for (int64_t i = 0; i < n; i++) {
        const double *f = outputs + i * code->ell;
        if (is_large(f, code->ell))
            decode_large(code, f, scores + i * code->k, work);
    }
}

/* Near ties. */

/* Whether sum e^x < sum e^y, both sorted: equal exponents are passed over, the others are summed
 * in units of the first of them. */
static bool smaller_sum(const double *x, const double *y, int64_t count)
{
    double difference = 0;
    double unit = 0;
    bool begun = false;
    for (int64_t i = 0, j = 0; i < count || j < count;) {
        if (i < count && j < count && x[i] == y[j]) {
            i++;
            j++;
            continue;
        }
        const bool of_x = j == count || (i < count && x[i] > y[j]);
        const double exponent = of_x ? x[i++] : y[j++];
        if (!begun)
            unit = exponent;
        begun = true;
        difference += of_x ? exp(exponent - unit) : -exp(exponent - unit);
    }
    return difference < 0;
}

static bool smaller_loss(const pt_code *code, const double *f, int64_t r, int64_t q, double *work)
{
    double *x = work;
    double *y = work + code->ell;
    const int64_t count = exponents(code, f, r, x);
    exponents(code, f, q, y);
    qsort(x, (size_t)count, sizeof *x, pt_descending);
    qsort(y, (size_t)count, sizeof *y, pt_descending);
    return smaller_sum(x, y, count);
}

/* The sums along the rows, or two lists of exponents. */
static int64_t exp_work_size(const pt_code *code)
{
    const int64_t sums = code->k * ROWS;
    return sums > 2 * code->ell ? sums : 2 * code->ell;
}

const pt_decoder pt_decoder_exp = {
    .name = "exp",
    .summary = "codes: the smallest sum of exponential losses e^-z, told by its logarithm",
    .from_code = exp_from_code,
    .work_size = exp_work_size,
    .better = smaller_loss,
    .blur = 1e-14};
