/* What theory says of a machine with a vector M_r for each class and no bias (CS section 7): its
 * norms, the margins between pairs of classes on the training examples, bounds of the error.
 *
 *     gamma_rs = min over the examples of r and of s of  +-(M_r - M_s) . x / ||M_r - M_s|| ,
 *     D = sum_{r < s} 1 / gamma_rs^2 <= k ||M||^2 / mu^2 ,   mu = min_i,r (M_{y_i} - M_r) . x_i ,
 *
 * the sign such that it is positive where the pair is told apart. Reading the pairs as a decision
 * graph (DDAG) gives the class of the largest score, so that a theorem on these holds: with
 * probability 1 - delta over the draw of m examples, all of them right, the error is less than
 *
 *     (130 R^2 / m) (k ||M||^2 / mu^2 log(4 e m) log(4 m) + log(2 (2m)^K / delta)) ,  K = k(k-1)/2
 *
 * (Corollary 2), and that of telling class r from the others less than the same with
 * k ||M_r||^2 + ||M||^2 for k ||M||^2 and k - 1 for K (Corollary 3). Not as printed: the paper has
 * mu = 1, for a solution with every xi_i = 0. Divided by mu, any machine that has all examples
 * right is one, and decides the same. */
#ifndef PT_THEORY_MARGIN_THEORY_H
#define PT_THEORY_MARGIN_THEORY_H

#include "base/error.h"

typedef struct pt_margin_theory {
    int64_t k;
    int64_t m;
    double norm;   /* ||M|| */
    double radius; /* R: the largest ||x|| */
    double
        least_margin; /* mu; negative or 0: some example is not right, and the four below are NAN */
    double least_gamma;
    int64_t closest[2];  /* the classes of least_gamma */
    double gamma_sum;    /* D */
    double bound;        /* Corollary 2, delta = 0.05 */
    double *class_norm;  /* k: ||M_r|| */
    double *class_bound; /* k: Corollary 3 */
    int64_t *patterns;   /* k: support patterns of the class */
} pt_margin_theory;

/* From M_r . M_s, the least M_y . x - M_r . x of the examples of class y (k x k, row y; INFINITY:
 * it has none), and R. */
pt_status pt_margin_theory_new(pt_margin_theory **out, int64_t k, int64_t m, const double *product,
                               const double *least, double radius, pt_error *err);
void pt_margin_theory_free(pt_margin_theory *theory);

/* What theory says of functions over pairs (HRZ section 4): their constraint margin and bounds of
 * the error. With v the functions stacked, z = v_a . x - v_b . x for a pair (a, b) of an example:
 *
 *     margin g = min z / ||v|| over all pairs of all m examples ,
 *     Theorem 4.1:  err <= err_S + sqrt(4 (k d ln(2 e m k / d) - ln(delta / 4)) / m) + 1 / m ,
 *     Theorem 4.4:  err <= (2 C / m) (256 R^2 / g^2 ln(e m g / (32 R^2)) ln(32 m / g^2)
 *                                     + ln(4 / delta)) ,
 *
 * C the most pairs that an example has, R the largest ||x||, err_S the share of examples of which
 * some pair does not hold, each with probability 1 - delta over the draw of the examples. 4.4 needs
 * g > 0 and 256 R^2 / g^2 < m. Not as printed: the paper asks for sum ||v_i|| = 1, and its proof
 * for ||v|| = 1; and its logarithms have a g and an R^2 in units of x, so that 4.4 would say what
 * one likes of the same examples in other units: it is taken at R = 1, of x / R and g / R. 4.1
 * needs d <= 2 m k. The perceptron over pairs makes no more than 2 (R / g)^2 mistakes, for
 * Kesler's vector has the square 2 ||x||^2 (Novikoff). */

/* What is not a number does not apply. */
typedef struct pt_pair_theory {
    int64_t m; /* examples that have pairs */
    int64_t k; /* functions: the classes, and the threshold of sets */
    double d;  /* features, with that of the bias; INFINITY: a kernel's */
    int64_t most_pairs;
    int64_t wrong;        /* examples of which some pair does not hold */
    double norm;          /* ||v|| */
    double radius;        /* R */
    double margin;        /* g */
    double vc_bound;      /* Theorem 4.1, delta = 0.05 */
    double margin_bound;  /* Theorem 4.4, the same */
    double mistake_bound; /* of the perceptron */
} pt_pair_theory;

/* The rest from m, k, d, most_pairs, wrong, norm, radius and the least z. */
void pt_pair_theory_complete(pt_pair_theory *theory, double least);

#endif
