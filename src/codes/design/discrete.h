/* Discrete design: a code of a few allowed entries for given outputs (CS sections 2 to 4).
 *
 * Class r has the score M_r . h(x); H(x) are the classes with the largest one, among which chance
 * decides. What is minimised is the expected error on the examples (CS eq. (1)),
 *
 *     eps(M) = 1 - (1/W) sum_i w_i [y_i in H(x_i)] / |H(x_i)|,      W = sum_i w_i,
 *
 * so that a tie of q classes counts 1/q for each. With outputs and entries of -1 and +1 that is
 * Hamming decoding; outputs may be any real numbers.
 *
 * The best M is NP-hard to find even for two classes (CS Theorem 2), so that there is a choice:
 *
 *     column   each column as if it were the only one: Theorem 1, O(ell (m + k^2 log k))
 *     greedy   one column after another, each the best one given those before it
 *     local    changes of single entries from several starts, with kicks; the default
 *     exact    branch and bound, begun with what local finds
 */
#ifndef PT_CODES_DESIGN_DISCRETE_H
#define PT_CODES_DESIGN_DISCRETE_H

#include "codes/design/design.h"

typedef struct pt_discrete_result {
    double error;  /* eps(M) */
    double bound;  /* no code has a smaller error; 0 where nothing is known */
    bool proven;   /* M is the best there is */
    int64_t nodes; /* of branch and bound */
} pt_discrete_result;

/* M (k x ell, row-major) <- the code; columns that are fixed are read from it. costs and
 * margin of the data are not looked at. The same bytes for any number of threads. */
pt_status pt_design_discrete(int8_t *M, const pt_design_data *data,
                             const pt_discrete_options *options, pt_discrete_result *result,
                             const pt_task *task, pt_error *err);

/* *error <- eps(M) of any entries. Time: O(m k ell). */
pt_status pt_discrete_error(double *error, const pt_design_data *data, const int8_t *M,
                            pt_error *err);

/* The best first column for a given hypothesis (CS section 3, Theorem 1). A column u of signs and a
 * hypothesis h leave an example to all classes r with u_r = sign(h(x)), among which chance decides;
 * the expected share of examples that are right (CS eq. (3)) is
 *
 *     xi(u) = sum_{u_r = +1} a_r^+ / w + sum_{u_r = -1} a_r^- / (k - w),    w = |{r: u_r = +1}|,
 *
 * a_r^b the weight share of examples of class r with sign(h) = b. An output of 0 is for no side: it
 * leaves the example to all k classes, whatever u is.
 *
 * u <- k signs of both kinds with the largest xi for h = column t of H, *error (may be NULL) <-
 * 1 - xi. Of equal ones that with the fewest classes at +, then the first classes at +. Constant
 * columns, for which xi = 1/k, are never better. Time: O(m + k^2 log k). */
pt_status pt_design_first_column(const pt_design_data *data, int64_t t, int8_t *u, double *error,
                                 pt_error *err);

/* ---- what the searches share: the examples, those that are alike taken together -----------------
 *
 * Codes are kept column after column here (code[t * k + r]), so that the first columns of a problem
 * are a problem. */

/* Zero-initialise; free it always. */
typedef struct pt_discrete_problem {
    int64_t m; /* patterns: examples of one class with the same outputs are one, weights added */
    int64_t k;
    int64_t ell;
    int64_t fixed;     /* the first columns, which stay as they are */
    double *H;         /* ell x m: column t at H + t m; sums of 2^21 entries are exact */
    int64_t *class_of; /* m */
    double *weight;    /* m */
    double total;      /* the weights added up */
    double rounding;   /* sums of weights that differ by no more are equal */
    double *share;     /* k + 1: 1/q, what one of q classes that tie gets */
    int n_values;
    int8_t values[3]; /* the entries that are allowed, ascending, one apart from the other alike */
} pt_discrete_problem;

/* Where `entry` is among the values; -1: it is not allowed. */
int pt_discrete_value(const pt_discrete_problem *problem, int8_t entry);

/* What an example with this score of its own class gets: 1/(1 + ties) where it is as large as the
 * largest of the others, which `ties` of them have. */
static inline double pt_discrete_share(const pt_discrete_problem *problem, double own, double best,
                                       int64_t ties)
{
    return own > best ? 1 : own < best ? 0 : problem->share[1 + ties];
}

/* The largest number of `score`, k of them `stride` apart, that of class y left out, and how many
 * have it. */
void pt_discrete_best_other(const double *score, int64_t k, int64_t stride, int64_t y, double *best,
                            int64_t *ties);

/* discrete_local.c: changes of single entries until none gets more right, from `starts` starts with
 * kicks: code <- the best, its weight of what is right into *right. start: the first of them; may
 * be NULL. */
pt_status pt_discrete_local(const pt_discrete_problem *problem, int8_t *code, const int8_t *start,
                            int64_t starts, uint64_t seed, double *right, const pt_task *task,
                            pt_error *err);

/* discrete_exact.c: branch and bound from a code with so much right: both are replaced by better
 * ones. *possible <- the weight that no code exceeds, *nodes is added to; at most `most` are
 * looked at. */
pt_status pt_discrete_exact(const pt_discrete_problem *problem, int8_t *code, double *right,
                            double *possible, int64_t *nodes, int64_t most, const pt_task *task,
                            pt_error *err);

#endif
