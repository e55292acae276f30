/* The support vector machine over pairs (HRZ section 4): what its solvers share, one example at a
 * time.
 *
 *     min  1/2 sum_r ||v_r||^2 + sum_i C_i sum_{(a, b) of i} max(0, 1 - z_iab) ,
 *          z_iab = v_a . x_i - v_b . x_i ,
 *     max  sum alpha - 1/2 sum_r ||v_r||^2 ,   0 <= alpha_iab <= C_i ,
 *          v_r = sum_i tau_ir x_i ,   tau_ir = sum_b alpha_irb - sum_a alpha_iar .
 *
 * A pair is Kesler's vector, x_i at a and -x_i at b; none is ever made: the inner product of two of
 * them is x_i . x_j ([a = a'] - [a = b'] - [b = a'] + [b = b']), so that a step of one pair moves
 * two scores of its own example, by +- ||x_i||^2. With G = z - 1, the slope of the dual, a pair's
 * share of the duality gap is alpha max(G, 0) + (C - alpha) max(-G, 0). */
#ifndef PT_SOLVERS_DUAL_PAIR_ROW_H
#define PT_SOLVERS_DUAL_PAIR_ROW_H

#include <stdbool.h>

#include "data/pair_lists.h"
#include "solvers/dual/row_descent.h"
#include "solvers/dual/sparse_rows.h"

typedef struct pt_pair_problem {
    const pt_pair_lists *pairs; /* of n examples */
    const double *bound;        /* n: C_i >= 0; 0 leaves an example out */
    double gap;                 /* stops at a duality gap of this times the dual value */
    int64_t limit;              /* or after so many visits of examples; 0: enough as a rule */
} pt_pair_problem;

typedef struct pt_pair_result {
    double value;     /* of the dual */
    double gap;       /* the primal less the dual value */
    double square;    /* sum_r ||v_r||^2 of the v that come out */
    int64_t visits;   /* of examples */
    int64_t pairs;    /* support pairs: alpha > 0 */
    int64_t patterns; /* examples that have some */
    bool converged;   /* gap <= asked * value */
} pt_pair_result;

/* The classes of a pair in the column of an entry, whose value is alpha. Entries of a row come in
 * the order of the pairs of the problem, with some left out. */
static inline int64_t pt_pair_code(pt_label_pair pair)
{
    return (int64_t)pair.before << 32 | pair.after;
}

static inline int64_t pt_pair_before(const pt_entry *entry)
{
    return entry->column >> 32;
}

static inline int64_t pt_pair_after(const pt_entry *entry)
{
    return entry->column & INT32_MAX;
}

/* What the scores of an example say of its pairs. */
typedef struct pt_pair_look {
    int64_t count;    /* entries that stay */
    double gap;       /* their share of the duality gap */
    double violation; /* the largest |G| of a pair that would move; 0: none does */
} pt_pair_look;

/* Leaves out entries that are 0 and shall stay so. g: scores by class. */
pt_pair_look pt_pair_row_look(pt_entry *list, int64_t count, const double *g, double bound);

/* list <- the pairs of an example that count, in order: of `pairs` those that have an alpha in
 * `row`, and those that want one. *least <- the smallest z, where that is less. */
pt_pair_look pt_pair_row_list(const pt_label_pair *pairs, int64_t n_pairs, const pt_entry *row,
                              int64_t n_row, const double *g, double bound, pt_entry *list,
                              double *least);

/* Each alpha goes to its best place, one after the other, in up to `passes` passes; g follows, and
 * what changes is added to tau (both by class). square: ||x_i||^2. Returns the rise of sum
 * alpha. */
double pt_pair_row_step(pt_entry *list, int64_t count, double square, double bound, int passes,
                        double *g, double *tau);

/* Which classes some pairs speak of, each once. Zero-initialise; free it always. */
typedef struct pt_pair_classes {
    int64_t k;
    int64_t stamp;
    int64_t *seen_at; /* k: the stamp under which a class was last listed */
    pt_entry *list;   /* k */
} pt_pair_classes;

pt_status pt_pair_classes_init(pt_pair_classes *classes, int64_t k, pt_error *err);
void pt_pair_classes_free(pt_pair_classes *classes);
/* classes->list <- those of a row's entries; returns how many. */
int64_t pt_pair_classes_of(pt_pair_classes *classes, const pt_entry *row, int64_t count);

/* ---- as a row problem of linear descent ------------------------------------------------------ */

/* Zero-initialise; free it always. */
typedef struct pt_pair_rows {
    pt_row_descent loop; /* first: rules cast from it */
    const pt_pair_problem *p;
    pt_sparse_rows alpha;    /* no pair is stored that has no alpha and wants none */
    pt_pair_classes classes; /* of one example */
    double *tau;             /* k: its change of tau, 0 between visits */
    pt_label_pair *pair;     /* its pairs, where they are asked for */
    pt_entry *list;          /* most */
} pt_pair_rows;

extern const pt_row_rules pt_pair_rules;

pt_status pt_pair_rows_init(pt_pair_rows *s, const pt_pair_problem *p, const pt_linear_rows *rows,
                            bool bias, uint64_t seed, pt_error *err);
void pt_pair_rows_free(pt_pair_rows *s);

/* ---- all pairs together: pair_climb.c ----------------------------------------------------------
 *
 * Descent over one example after the other needs very many sweeps where examples are alike and C is
 * large; this goes far in few passes over them, once descent has found which pairs count. */

/* What it works on: alpha (bound_i >= 0 of problem) and v, bias that belong to it. */
typedef struct pt_pair_state {
    const pt_pair_problem *problem;
    const pt_class_loops *loops;
    const pt_class_weights *weights; /* v */
    double *bias;                    /* k */
    double one;                      /* the feature of the bias: 1 or 0 */
    pt_sparse_rows *alpha;
} pt_pair_state;

/* Bytes that it takes for `listed` pairs. */
double pt_pair_climb_bytes(int64_t d, int64_t k, double listed);

/* The dual value rises by *gain >= 0, by conjugate gradients over the pairs that have an entry;
 * *passes: how often all examples that have some were gone over. alpha stays within its bounds. */
pt_status pt_pair_climb(const pt_pair_state *state, double *gain, int64_t *passes,
                        const pt_task *task, pt_error *err);

#endif
