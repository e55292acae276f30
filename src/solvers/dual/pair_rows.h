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

#endif
