/* What the solvers by kernel values share: which variables a block has, kernel values of all rows
 * that are used and forgotten, and whether a kernel is seen not to be positive semidefinite: a
 * quadratic program with one that is not has no single best answer. */
#ifndef PT_SOLVERS_DUAL_KERNEL_BLOCKS_H
#define PT_SOLVERS_DUAL_KERNEL_BLOCKS_H

#include <stdbool.h>

#include "kernels/gram.h"

/* chosen <- the places of the largest values among those above 0, at most `most` (> 0), ascending;
 * which of equals is the same each time, not always the first. Returns how many. */
int64_t pt_choose_largest(const double *value, int64_t n, int64_t most, int64_t *chosen);

/* ---- all rows with some ---------------------------------------------------------------------- */

enum { PT_KERNEL_BLOCK_ROWS = 512, PT_KERNEL_BLOCK_COLUMNS = 64 };

/* Kernel values of rows `first`.. with the rows some[at]..: row r and column c at c * height + r,
 * of the rows' type. */
typedef struct pt_kernel_block {
    int64_t first;
    int64_t height; /* PT_KERNEL_BLOCK_ROWS, but of the last */
    int64_t at;
    int64_t columns;
    const char *values;
} pt_kernel_block;

/* Calls `add` with all blocks of rows x some: those of the same rows one after the other, in the
 * order of `some`; others at the same time. gram: of the rows. */
pt_status pt_kernel_blocks(pt_gram *gram, const pt_rows *rows, const pt_kernel *kernel,
                           const int64_t *some, int64_t n_some,
                           void (*add)(void *context, const pt_kernel_block *block), void *context,
                           const pt_task *task, pt_error *err);

/* ---- positive semidefinite ---------------------------------------------------------------------
 *
 * The checks return PT_ENUMERIC, with a text that says what to do. */

/* Whether a kernel (NULL: one that is not known) may turn out not to be, but for rounding. */
bool pt_may_be_indefinite(const pt_kernel *kernel);

/* k(x, x) of a row, `curve` of it as the solver has it. */
pt_status pt_check_own_value(double own, double curve, pt_error *err);
/* k(x, z) of two rows, own: k(x, x), other: k(z, z). */
pt_status pt_refuse_pair_value(pt_error *err);
static inline pt_status pt_check_pair_value(double value, double own, double other, pt_error *err)
{
    static const double ROUNDING = 1e-4; /* of kernel values in float32 */
    return value * value <= own * other * (1 + ROUNDING) ? PT_OK : pt_refuse_pair_value(err);
}
/* A symmetric m x m matrix, but for rounding, which is relative to sqrt(A_ii A_jj). Overwrites
 * it. */
pt_status pt_check_semidefinite(double *A, int64_t m, pt_error *err);

#endif
