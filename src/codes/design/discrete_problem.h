/* What the searches for a discrete code share: the examples, those that are alike taken together,
 * and the entries that are allowed.
 *
 * Codes are kept column after column here (code[t * k + r]), so that the first columns of a problem
 * are a problem. */
#ifndef PT_CODES_DESIGN_DISCRETE_PROBLEM_H
#define PT_CODES_DESIGN_DISCRETE_PROBLEM_H

#include "codes/design/design_discrete.h"

/* Zero-initialise; free it always. */
typedef struct pt_discrete_problem {
    int64_t
        m; /* patterns: examples of one class with the same outputs are one, their weights added */
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

pt_status pt_discrete_problem_init(pt_discrete_problem *problem, const pt_design_data *data,
                                   pt_design_entries entries, int64_t fixed, pt_error *err);
void pt_discrete_problem_free(pt_discrete_problem *problem);

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

/* The weight of what a code gets right: W (1 - eps). work: k numbers. */
double pt_discrete_right(const pt_discrete_problem *problem, const int8_t *code, double *work);

/* Changes of single entries until none gets more right, from `starts` starts with kicks: code <-
 * the best, its weight of what is right into *right. start: the first
 * of them; may be NULL. */
pt_status pt_discrete_local(const pt_discrete_problem *problem, int8_t *code, const int8_t *start,
                            int64_t starts, uint64_t seed, double *right, const pt_task *task,
                            pt_error *err);

/* Branch and bound from a code with so much right: both are replaced by better ones. *possible <-
 * the weight that no code exceeds, *nodes is added to; at most `most` of them. */
pt_status pt_discrete_exact(const pt_discrete_problem *problem, int8_t *code, double *right,
                            double *possible, int64_t *nodes, int64_t most, const pt_task *task,
                            pt_error *err);

#endif
