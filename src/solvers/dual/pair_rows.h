/* The pairs of examples (pair_row.h) as a row problem of linear descent. */
#ifndef PT_SOLVERS_DUAL_PAIR_ROWS_H
#define PT_SOLVERS_DUAL_PAIR_ROWS_H

#include "solvers/dual/pair_row.h"
#include "solvers/dual/row_descent.h"

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
