/* Tail probabilities through the regularised incomplete beta and gamma functions.
 *
 *   I_x(a, b) = x^a (1-x)^b / (a B(a, b)) * 1 / (1 + d_1 / (1 + d_2 / (1 + ...)))
 *   d_(2m+1) = -(a+m)(a+b+m) x / ((a+2m)(a+2m+1)),  d_(2m) = m (b-m) x / ((a+2m-1)(a+2m))
 *   (Abramowitz and Stegun 26.5.8; it converges fast for x < (a+1)/(a+b+2), and I_x(a, b) =
 *   1 - I_(1-x)(b, a) serves the rest)
 *
 *   P(a, x) = x^a e^-x / Gamma(a+1) * (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...)        (6.5.29)
 *   Q(a, x) = x^a e^-x / Gamma(a) * 1 / (x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...)))   (6.5.31)
 *
 * Continued fractions are evaluated by Lentz' method as modified by Thompson and Barnett. */
#define _DEFAULT_SOURCE 1 /* lgamma_r, which POSIX alone does not have */
#include "base/significance.h"

#include <math.h>
#include <stdbool.h>

enum { MOST_TERMS = 10000 };
#define PRECISION 1e-16
#define SMALLEST 1e-300 /* in place of a zero denominator */

static double not_zero(double value)
{
    return fabs(value) < SMALLEST ? SMALLEST : value;
}

/* The state of Lentz' method for b_0 + a_1/(b_1 + a_2/(b_2 + ...)). */
typedef struct fraction {
    double value;
    double c;
    double d;
} fraction;

static fraction fraction_begin(double b0)
{
    const double value = not_zero(b0);
    return (fraction){value, value, 0};
}

/* One more term a/(b + ...); true where it changed nothing. */
static bool fraction_add(fraction *f, double a, double b)
{
    f->d = 1 / not_zero(b + a * f->d);
    f->c = not_zero(b + a / f->c);
    const double factor = f->c * f->d;
    f->value *= factor;
    return fabs(factor - 1) < PRECISION;
}

/* lgamma without its global sign; the arguments here are positive. */
static double log_gamma(double x)
{
    int sign = 0;
    return lgamma_r(x, &sign);
}

/* The part of I_x(a, b) that converges: x below its mean. */
static double beta_lower(double x, double a, double b)
{
    fraction f = fraction_begin(1);
    for (int m = 0; m < MOST_TERMS; m++) {
        const double k = m;
        const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
        const double even = (k + 1) * (b - k - 1) * x / ((a + 2 * k + 1) * (a + 2 * k + 2));
        (void)fraction_add(&f, odd, 1);
        if (fraction_add(&f, even, 1))
            break;
    }
    const double front =
        log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x);
    return exp(front) / (a * f.value);
}

/* I_x(a, b), given x and y = 1 - x so that neither is rounded away. */
static double beta_regularised(double x, double y, double a, double b)
{
    if (!(x > 0))
        return 0;
    if (!(y > 0))
        return 1;
    return x < (a + 1) / (a + b + 2) ? beta_lower(x, a, b) : 1 - beta_lower(y, b, a);
}

double pt_f_tail(double f, double a, double b)
{
    if (!(f > 0))
        return 1;
    if (isinf(f))
        return 0;
    const double below = a * f / (a * f + b); /* P(F > f) = I_(1-below)(b/2, a/2) */
    return beta_regularised(b / (a * f + b), below, b / 2, a / 2);
}

static double gamma_upper_fraction(double a, double x)
{
    fraction f = fraction_begin(0);
    (void)fraction_add(&f, 1, x + 1 - a);
    for (int m = 1; m < MOST_TERMS; m++)
        if (fraction_add(&f, -m * (m - a), x + 2 * m + 1 - a))
            break;
    return exp(a * log(x) - x - log_gamma(a)) * f.value;
}

static double gamma_lower_series(double a, double x)
{
    double term = 1;
    double sum = 1;
    for (int m = 1; m < MOST_TERMS && term > PRECISION * sum; m++) {
        term *= x / (a + m);
        sum += term;
    }
    return exp(a * log(x) - x - log_gamma(a + 1)) * sum;
}

double pt_chi_square_tail(double x, double freedom)
{
    if (!(x > 0))
        return 1;
    if (isinf(x))
        return 0;
    const double a = freedom / 2;
    return x / 2 < a + 1 ? 1 - gamma_lower_series(a, x / 2) : gamma_upper_fraction(a, x / 2);
}

double pt_t_two_sided(double p, double freedom)
{
    if (!(freedom > 0))
        return NAN;
    double low = 0;
    double high = 1;
    while (pt_f_tail(high * high, 1, freedom) > p) /* t^2 is F(1, freedom) */
        high *= 2;
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (pt_f_tail(middle * middle, 1, freedom) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* 2 P(X <= min(m, n-m)), at most 1: the coin is fair, so both tails are alike. */
double pt_binomial_two_sided(int64_t m, int64_t n)
{
    const int64_t fewer = m < n - m ? m : n - m;
    double sum = 0;
    for (int64_t i = 0; i <= fewer; i++)
        sum += exp(log_gamma((double)n + 1) - log_gamma((double)i + 1) -
                   log_gamma((double)(n - i) + 1) - (double)n * log(2));
    return 2 * sum < 1 ? 2 * sum : 1;
}

/* The x with I_x(a, b) = p, by bisection of log(x / (1 - x)), which leaves small x their digits. */
static double beta_quantile(double p, double a, double b)
{
    enum { STEPS = 64 };
    double low = -100;
    double high = 100;
    for (int step = 0; step < STEPS; step++) {
        const double middle = (low + high) / 2;
        if (beta_regularised(1 / (1 + exp(-middle)), 1 / (1 + exp(middle)), a, b) < p)
            low = middle;
        else
            high = middle;
    }
    return 1 / (1 + exp(-high));
}

void pt_binomial_interval(int64_t m, int64_t n, double *low, double *high)
{
    static const double TAIL = 0.025;
    const double wins = (double)m;
    const double losses = (double)(n - m);
    *low = n == 0 ? NAN : m == 0 ? 0 : beta_quantile(TAIL, wins, losses + 1);
    *high = n == 0 ? NAN : m == n ? 1 : beta_quantile(1 - TAIL, wins + 1, losses);
}
