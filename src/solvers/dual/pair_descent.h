/* The linear support vector machine over pairs (pair_row.h), by its dual with v kept. */
#ifndef PT_SOLVERS_DUAL_PAIR_DESCENT_H
#define PT_SOLVERS_DUAL_PAIR_DESCENT_H

#include "solvers/dual/pair_row.h"
#include "solvers/linear/linear_rows.h"

/* Bytes that it takes beside the rows and the V that comes out, as a rule: for the plan. k
 * functions, `pairs` of all examples together. */
double pt_pair_descent_bytes(int64_t n, int64_t d, int64_t k, double pairs);

/* `rows` are without a bias; with `bias` there is one more feature, 1 in every row. V ((d + 1) x k,
 * column-major, k that of the pairs) <- v_r in the order of the features and its bias or
 * 0; scaled where that is what the primal value belongs to. `stage` is for progress, NULL: none.
 * The same bytes for any number of threads. */
pt_status pt_pair_descent(const pt_pair_problem *problem, const pt_linear_rows *rows, bool bias,
                          uint64_t seed, double *V, pt_pair_result *result, const char *stage,
                          const pt_task *task, pt_error *err);

#endif
