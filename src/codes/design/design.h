/* Design of a code from given outputs (CS sections 4 and 5): the columns are learned, and the rows
 * M_r, real numbers, are chosen so that the scores M_r . h tell the classes apart,
 *
 *     soft       min  ||M||_p + C sum_i w_i xi_i
 *     hard       min  sum_i w_i xi_i        subject to ||M||_p <= A
 *     separable  min  ||M||_p               subject to xi = 0
 *
 *     h_i . M_{y_i} - h_i . M_r >= b_{y_i, r} - xi_i   for all i and r,
 *
 * with ||M||_1 the sum of all |M_rt|, ||M||_inf the largest of them, and ||M||_2^2 / 2 in place of
 * the norm for p = 2. C is 1/beta of the paper.
 *
 * The form pairs (design_pairs.c) counts every pair of classes in the wrong order, not the worst
 * alone, and takes labels of every kind. */
#ifndef PT_CODES_DESIGN_DESIGN_H
#define PT_CODES_DESIGN_DESIGN_H

#include <stdbool.h>

#include "base/task.h"
#include "codes/design/designed.h"
#include "data/labels/labels.h"

/* The outputs h_i of m examples in ell columns, and what they ought to say. */
typedef struct pt_design_data {
    int64_t m;
    int64_t k;
    int64_t ell;
    const double *H;         /* m x ell, row-major */
    const int64_t *class_of; /* m; of the form pairs NULL, where labels are of another kind */
    const pt_labels *labels; /* of the form pairs: m of any kind */
    const double *weight;    /* m positive numbers, or NULL: all 1 */
    const double *costs;  /* k x k, zero diagonal, row y: b of class y; NULL: 1 off the diagonal */
    const double *margin; /* m x k, row i: b of example i, 0 at its class, in place of costs; the
                             others may be negative. NULL: there is none */
} pt_design_data;

typedef enum pt_design_norm { PT_NORM_1, PT_NORM_2, PT_NORM_INF, PT_NORMS } pt_design_norm;

typedef enum pt_design_form {
    PT_DESIGN_SOFT,
    PT_DESIGN_HARD,
    PT_DESIGN_SEPARABLE,
    PT_DESIGN_DISCRETE, /* entries of a few values, fewest errors: codes/design/discrete.h */
    PT_DESIGN_PAIRS,    /* as soft with the norm 2, for pairs of classes */
    PT_DESIGN_FORMS
} pt_design_form;

/* Whether norm and errors are weighed against each other, by C. */
static inline bool pt_design_weighs(pt_design_form form)
{
    return form == PT_DESIGN_SOFT || form == PT_DESIGN_PAIRS;
}

/* How a discrete code is searched for (codes/design/discrete.h). */
typedef enum pt_design_entries {
    PT_ENTRIES_SIGN,    /* -1, +1: CS section 2 */
    PT_ENTRIES_TERNARY, /* -1, 0, +1: as in ASS */
    PT_ENTRIES_BIT      /* 0, 1: the formulation of CS Theorem 2 */
} pt_design_entries;

typedef enum pt_design_search {
    PT_SEARCH_COLUMN, /* signs only */
    PT_SEARCH_GREEDY,
    PT_SEARCH_LOCAL,
    PT_SEARCH_EXACT
} pt_design_search;

enum {
    PT_DISCRETE_STARTS = 4,         /* starts of the local search */
    PT_DISCRETE_KICKS = 10,         /* and how often each is disturbed */
    PT_DISCRETE_EXACT_CLASSES = 12, /* a greedy column of at most so many classes is exact */
    PT_DISCRETE_NODES = 1000000     /* of the tree of branch and bound, at most, where 0 is given */
};

typedef struct pt_discrete_options {
    pt_design_search search;
    pt_design_entries entries;
    int64_t fixed;       /* the first columns of M that are given and stay (not for column) */
    const int8_t *start; /* k x ell, row-major: local and exact begin there too, and do not end
                            worse; entries that are not allowed are replaced. NULL: none */
    uint64_t seed;       /* of local starts and kicks */
    int64_t starts;      /* of the local search; 0: PT_DISCRETE_STARTS */
    int64_t nodes;       /* most nodes of branch and bound; 0: PT_DISCRETE_NODES */
} pt_discrete_options;

/* How a code is designed. */
typedef struct pt_design_how {
    pt_design_norm norm;
    pt_design_form form;
    double C;         /* soft and pairs: the weight of errors */
    double A;         /* hard: the bound of the norm */
    double gap;       /* relative duality gap at which a solver stops that does not end by itself */
    pt_kernel kernel; /* on the outputs, for the norm 2; ops NULL: the inner product */
    bool incremental; /* one column after the other, those before it as they are: of the form soft
                         with the norms 1 and 2, without a kernel */
    pt_discrete_options discrete; /* of the form discrete, for which nothing above counts */
} pt_design_how;

/* Of the form discrete: primal is the expected error, dual what no code falls below, norm and slack
 * are NAN; `converged` is false where an exact search was stopped. */
typedef struct pt_design_result {
    double primal;
    double dual;
    double norm;   /* ||M||_p */
    double slack;  /* sum_i w_i xi_i */
    int64_t steps; /* of the solver: pivots, reduced problems */
    int64_t rows;  /* of a linear program: pairs that the simplex method has met */
    bool converged;
} pt_design_result;

/* *out (zero) <- the code that `how` asks for. PT_ENUMERIC: it must be separable, and is not. The
 * same bytes for any number of threads. */
pt_status pt_design(pt_designed *out, const pt_design_data *data, const pt_design_how *how,
                    pt_design_result *result, const pt_task *task, pt_error *err);

/* The soft form with the norm 2 for several C, each from the solution of the one before
 * (design_l2.c). */
typedef struct pt_l2_path pt_l2_path;

/* `data` and `how` must stay; how->C is not used. */
pt_status pt_l2_path_open(pt_l2_path **out, const pt_design_data *data, const pt_design_how *how,
                          const pt_task *task, pt_error *err);
/* *out (zero) <- the code for this C. */
pt_status pt_l2_path_solve(pt_l2_path *path, double C, pt_designed *out, pt_design_result *result,
                           const pt_task *task, pt_error *err);
void pt_l2_path_close(pt_l2_path *path);
static inline void pt_l2_path_close_at(pt_l2_path **address) /* for PT_FREED_BY */
{
    pt_l2_path_close(*address);
}

/* ---- what scores are worth ------------------------------------------------------------------- */

/* sum_i w_i b_i of the classes that scores (m x k) choose: b, or 1 where there is no cost. */
double pt_design_cost_sum(const pt_design_data *data, const double *scores);

/* sum_i w_i xi_i of the code whose scores are multiplied by `scale`. */
double pt_design_slack(const pt_design_data *data, const double *scores, double scale);

/* What the pairs of the labels say to scores, of sets above 0 for its classes: sums by weight. */
typedef struct pt_pair_sums {
    double wrong; /* shares of the pairs of an example that do not hold; without pairs 0 */
    double slack; /* of all pairs: max(0, 1 - z) */
} pt_pair_sums;
pt_status pt_design_pair_sums(pt_pair_sums *sums, const pt_design_data *data, const double *scores,
                              pt_error *err);

/* How many pairs an example has, as a mean. */
double pt_design_mean_pairs(const pt_design_data *data);

#endif
