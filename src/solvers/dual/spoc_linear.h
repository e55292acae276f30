/* The multiclass support vector machine of Crammer and Singer, linear: the problem of spoc.h with
 * k(x, z) = x . z, by M itself in place of kernel values. */
#ifndef PT_SOLVERS_DUAL_SPOC_LINEAR_H
#define PT_SOLVERS_DUAL_SPOC_LINEAR_H

#include "solvers/dual/spoc.h"
#include "solvers/linear/linear_rows.h"

/* Bytes that it takes beside the rows and the M that comes out, as a rule: for the plan. */
double pt_spoc_linear_bytes(int64_t n, int64_t d, int64_t k);

/* `rows` have no bias; store, rows and kernel of the problem are not looked at, and its limit is of
 * visits. eta as in pt_spoc_solve. M (d x k, column-major) <- M_r in the order of the features,
 * scaled where that is what the primal value belongs to. `stage` is for progress, NULL: none. The
 * same bytes for any number of threads.
 *
 * Time: O(values of a row) for each class that is looked at in a visit. */
pt_status pt_spoc_linear_solve(const pt_spoc *problem, const pt_linear_rows *rows, uint64_t seed,
                               pt_sparse_rows *eta, double *M, pt_spoc_result *result,
                               const char *stage, const pt_task *task, pt_error *err);

#endif
