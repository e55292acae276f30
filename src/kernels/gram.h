/* Gram matrices: base values of rows against rows, by blocks, from dense or sparse rows. */
#ifndef PT_KERNELS_GRAM_H
#define PT_KERNELS_GRAM_H

#include "base/task.h"
#include "kernels/kernel.h"
#include "linalg/tiles.h"

/* Rows made ready for the base quantity of a kernel: squared norms, a centred or packed copy where
 * that helps. Refers to what `rows` points at, which must stay; `rows` itself may go. `type` is the
 * type blocks are computed in; it may be PT_F64 for rows in PT_F32 (refinement): where a copy would
 * be large, rows are widened block by block. For PT_BASE_ROW there are as many columns as rows. For
 * PT_BASE_OWN a copy in double is held. Blocks are computed with looks at `task`, which must stay,
 * too. */
typedef struct pt_gram pt_gram;

pt_status pt_gram_new(pt_gram **out, const pt_rows *rows, const pt_kernel_ops *of, pt_type type,
                      const pt_task *task, pt_error *err);
void pt_gram_free(pt_gram *gram);

static inline void pt_gram_free_at(pt_gram **address) /* for PT_FREED_BY */
{
    pt_gram_free(*address);
}
/* Bytes that pt_gram_new will hold (an upper bound): for the plan. */
int64_t pt_gram_bytes(const pt_rows *rows, pt_kernel_base base, pt_type type);

/* Bytes of scratch that one worker needs for blocks of at most m x n. */
size_t pt_gram_scratch(const pt_gram *a, const pt_gram *b, int64_t m, int64_t n);

/* block (m x n column-major, leading dimension ld) <- base(a_row, b_column) for rows a0 .. a0+m of
 * a and rows b0 .. b0+n of b. On the caller's thread; scratch of pt_gram_scratch bytes, 64-byte
 * aligned. a and b have the same base, type and width, and were made ready with the same centre:
 * a's (pt_gram_new_like). Fails where a program's kernel does. */
pt_status pt_gram_block(const pt_gram *a, int64_t a0, int64_t m, const pt_gram *b, int64_t b0,
                        int64_t n, void *block, int64_t ld, void *scratch, pt_error *err);

/* The same, and the map of `kernel` where one is given, column by column in cache. */
pt_status pt_gram_block_mapped(const pt_gram *a, int64_t a0, int64_t m, const pt_gram *b,
                               int64_t b0, int64_t n, const pt_kernel *kernel, void *block,
                               int64_t ld, void *scratch, pt_error *err);

/* Rows of other data, made ready to meet those of `like`; they may be sparse where those are dense
 * and the other way round. For PT_BASE_ROW they have a column for every row of `like`. */
pt_status pt_gram_new_like(pt_gram **out, const pt_rows *rows, const pt_gram *like,
                           const pt_task *task, pt_error *err);

/* The whole lower triangle: base values, or kernel values where a kernel is given (fused per tile).
 */
pt_status pt_gram_tiles(const pt_gram *gram, const pt_kernel *kernel, pt_tiles *out,
                        const pt_task *task, pt_error *err);

/* out (n x ell, ld n) <- K A for the symmetric K of one set of rows, half of the blocks computed:
 * the residual of refinement. Deterministic for any number of threads. */
pt_status pt_gram_apply_symmetric(const pt_gram *gram, const pt_kernel *kernel, const void *A,
                                  int64_t lda, int64_t ell, void *out, const pt_task *task,
                                  pt_error *err);

#endif
