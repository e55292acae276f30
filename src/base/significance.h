/* Tail probabilities of the tests that compare machines, and the interval of a share. */
#ifndef PT_BASE_SIGNIFICANCE_H
#define PT_BASE_SIGNIFICANCE_H

#include <stdint.h>

/* P(F > f) for a variable with F(a, b) distribution; 1 for f <= 0, 0 for infinity. */
double pt_f_tail(double f, double a, double b);

/* P(X > x) for a variable with chi-square distribution of `freedom` degrees. */
double pt_chi_square_tail(double x, double freedom);

/* What |t| exceeds with probability p, t being Student's of `freedom` degrees. */
double pt_t_two_sided(double p, double freedom);

/* The two-sided probability that fair coins fall at least as unevenly: n throws, m heads. */
double pt_binomial_two_sided(int64_t m, int64_t n);

/* The exact interval of 95 percent of a share of which n trials have shown m (Clopper and Pearson
 * 1934); NaN where n = 0. */
void pt_binomial_interval(int64_t m, int64_t n, double *low, double *high);

#endif
