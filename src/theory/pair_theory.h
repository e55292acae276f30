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
#ifndef PT_THEORY_PAIR_THEORY_H
#define PT_THEORY_PAIR_THEORY_H

#include "base/error.h"

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
