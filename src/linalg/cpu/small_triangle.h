/* Small triangles, where BLAS is slow: one table per instruction set. */
#ifndef PT_LINALG_CPU_SMALL_TRIANGLE_H
#define PT_LINALG_CPU_SMALL_TRIANGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/isa.h"

#define PT_SMALL_TRIANGLE 16 /* the largest order */

typedef struct pt_small_ops {
    /* B <- B L^-T (transposed) or B L^-1, B m x n, L lower triangular of order n <=
     * PT_SMALL_TRIANGLE; column-major. */
    void (*trsm_f32)(int64_t m, int64_t n, bool transposed, const void *L, int64_t ldl, void *B,
                     int64_t ldb);
    void (*trsm_f64)(int64_t m, int64_t n, bool transposed, const void *L, int64_t ldl, void *B,
                     int64_t ldb);
    /* The lower triangle of A, of order n <= PT_SMALL_TRIANGLE, <- its factor L. 0, or the row from
     * 1 whose pivot is no positive number; A is then as it was. */
    int64_t (*potrf_f32)(int64_t n, void *A, int64_t lda);
    int64_t (*potrf_f64)(int64_t n, void *A, int64_t lda);
} pt_small_ops;

PT_ISA_CHOSEN(pt_small_ops, pt_small, pt_small_chosen)

#endif
