/* The loops of impurity.h for one instruction set (PT_ISA). Splits lie side by side, so that a
 * vector holds as many of them; the sum over classes is formed one class after the other, and a
 * class that a node does not have adds 0: leaving it out changes no bit. */
#include "trees/impurity.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };

/* A part of `whole`. What is formed by subtraction has rounding errors where there is nothing: they
 * would make a pure side look mixed, by the square root of them with some criteria. */
static inline double part(double x, double whole)
{
    return x > 1e-13 * whole ? x : 0;
}

static inline double at_least_0(double x)
{
    return x > 0 ? x : 0;
}

static inline double over(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* x ln x, 0 at 0. x = 2^e m with m between sqrt(1/2) and sqrt(2); with s = (m - 1) / (m + 1)
 *
 *     ln m = 2 (s + s^3/3 + s^5/5 + ...),    s^2 < 0.0295
 *
 * and ten terms leave less than 1e-16. Bits that are shifted down into the fraction of 2^52 are the
 * exponent as a number: there is no vector instruction for that conversion before AVX-512. */
static inline double x_log_x(double x)
{
    static const uint64_t root_half = 0x3fe6a09e667f3bcdU; /* the bits of sqrt(1/2) */
    static const uint64_t one = 0x3ff0000000000000U;
    static const uint64_t two_52 = 0x4330000000000000U;
    const double safe = x > 0 ? x : 1;
    uint64_t bits;
    memcpy(&bits, &safe, sizeof bits);
    bits += one - root_half;
    const uint64_t exponent_bits = bits >> 52 | two_52;
    const uint64_t fraction_bits = (bits & 0x000fffffffffffffU) + root_half;
    double exponent;
    double m;
    memcpy(&exponent, &exponent_bits, sizeof exponent);
    memcpy(&m, &fraction_bits, sizeof m);
    exponent -= 4503599627370496.0 + 1023;
    const double s = (m - 1) / (m + 1);
    const double z = s * s;
    double series = 1.0 / 19;
    series = series * z + 1.0 / 17;
    series = series * z + 1.0 / 15;
    series = series * z + 1.0 / 13;
    series = series * z + 1.0 / 11;
    series = series * z + 1.0 / 9;
    series = series * z + 1.0 / 7;
    series = series * z + 1.0 / 5;
    series = series * z + 1.0 / 3;
    series = series * z + 1.0;
    return safe == x ? x * (exponent * 0.6931471805599453 + 2 * s * series) : 0;
}

static inline int64_t whole_vectors(int64_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

/* The weights of both sides. Each is summed up by itself, so that of a side with one class it is
 * the weight of that class to the last bit. */
static void weigh(const double *restrict left, const double *restrict add,
                  const double *restrict total, int64_t sums, int64_t count, double *restrict W_in,
                  double *restrict W_out)
{
    for (int64_t j = 0; j < count; j++)
        W_in[j] = W_out[j] = 0;
    for (int64_t c = 0; c < sums; c++) {
        const double *restrict column = left + c * PT_JUDGED;
        const double more = add[c];
        const double whole = total[c];
        for (int64_t j = 0; j < count; j++) {
            const double in = column[j] + more;
            W_in[j] += part(in, whole);
            W_out[j] += part(whole - in, whole);
        }
    }
}

static void judge_entropy(const double *restrict left, const double *restrict add,
                          const double *restrict total, int64_t sums, int64_t count,
                          double *restrict value)
{
    double W_in[PT_JUDGED];
    double W_out[PT_JUDGED];
    double sum_in[PT_JUDGED];
    double sum_out[PT_JUDGED];
    count = whole_vectors(count);
    weigh(left, add, total, sums, count, W_in, W_out);
    for (int64_t j = 0; j < count; j++)
        sum_in[j] = sum_out[j] = 0;
    for (int64_t c = 0; c < sums; c++) {
        const double *restrict column = left + c * PT_JUDGED;
        const double more = add[c];
        const double whole = total[c];
        for (int64_t j = 0; j < count; j++) {
            const double in = column[j] + more;
            sum_in[j] += x_log_x(part(in, whole));
            sum_out[j] += x_log_x(part(whole - in, whole));
        }
    }
    for (int64_t j = 0; j < count; j++)
        value[j] = (x_log_x(W_in[j]) - sum_in[j]) + (x_log_x(W_out[j]) - sum_out[j]);
}

static void judge_gini(const double *restrict left, const double *restrict add,
                       const double *restrict total, int64_t sums, int64_t count,
                       double *restrict value)
{
    double W_in[PT_JUDGED];
    double W_out[PT_JUDGED];
    double sum_in[PT_JUDGED];
    double sum_out[PT_JUDGED];
    count = whole_vectors(count);
    weigh(left, add, total, sums, count, W_in, W_out);
    for (int64_t j = 0; j < count; j++)
        sum_in[j] = sum_out[j] = 0;
    for (int64_t c = 0; c < sums; c++) {
        const double *restrict column = left + c * PT_JUDGED;
        const double more = add[c];
        const double whole = total[c];
        for (int64_t j = 0; j < count; j++) {
            const double in = part(column[j] + more, whole);
            const double out = part(whole - (column[j] + more), whole);
            sum_in[j] += in * in;
            sum_out[j] += out * out;
        }
    }
    for (int64_t j = 0; j < count; j++)
        value[j] = (W_in[j] - over(sum_in[j], W_in[j])) + (W_out[j] - over(sum_out[j], W_out[j]));
}

static void judge_sqrt(const double *restrict left, const double *restrict add,
                       const double *restrict total, int64_t sums, int64_t count,
                       double *restrict value)
{
    double W_in[PT_JUDGED];
    double W_out[PT_JUDGED];
    count = whole_vectors(count);
    weigh(left, add, total, sums, count, W_in, W_out);
    for (int64_t j = 0; j < count; j++)
        value[j] = 0;
    for (int64_t c = 0; c < sums; c++) {
        const double *restrict column = left + c * PT_JUDGED;
        const double more = add[c];
        const double whole = total[c];
        for (int64_t j = 0; j < count; j++) {
            const double in = part(column[j] + more, whole);
            const double out = part(whole - (column[j] + more), whole);
            value[j] +=
                sqrt(in * at_least_0(W_in[j] - in)) + sqrt(out * at_least_0(W_out[j] - out));
        }
    }
}

static void judge_squares(const double *restrict left, const double *restrict add,
                          const double *restrict total, int64_t sums, int64_t count,
                          double *restrict value)
{
    (void)sums;
    count = whole_vectors(count);
    for (int64_t j = 0; j < count; j++) {
        const double w = left[j] + add[0];
        const double wz = left[PT_JUDGED + j] + add[1];
        const double w_out = total[0] - w;
        const double wz_out = total[1] - wz;
        value[j] = -(over(wz * wz, w) + over(wz_out * wz_out, w_out));
    }
}

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

extern const pt_impurity_loops JOIN(pt_impurity_loops_, PT_ISA);
const pt_impurity_loops JOIN(pt_impurity_loops_, PT_ISA) = {
    .judge = {[PT_CRITERION_ENTROPY] = judge_entropy,
              [PT_CRITERION_GINI] = judge_gini,
              [PT_CRITERION_SQRT] = judge_sqrt,
              [PT_CRITERION_SQUARES] = judge_squares},
};
