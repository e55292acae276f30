/* The one door to BLAS and LAPACK: operations on tiles, and small dense helpers.
 *
 * BLAS is called on one thread, from inside our own parallel region; results do not depend on the
 * number of threads. Inside a parallel loop all of these run on the caller's thread. */
#ifndef PT_LINALG_LINALG_H
#define PT_LINALG_LINALG_H

#include "base/task.h"
#include "linalg/tiles.h"

/* K = L L^T in place. PT_ENUMERIC with *bad_row (from 0) if K is not positive definite there. */
pt_status pt_la_cholesky(pt_tiles *K, int64_t *bad_row, const pt_task *task, pt_error *err);
/* B <- (L L^T)^-1 B; B is n x ell column-major of L's type, leading dimension ldb. */
pt_status pt_la_cholesky_solve(const pt_tiles *L, void *B, int64_t ell, int64_t ldb,
                               const pt_task *task, pt_error *err);
/* L <- L^-1, lower triangular, in place. */
pt_status pt_la_invert_factor(pt_tiles *L, const pt_task *task, pt_error *err);
/* Z <- Z^T Z for Z = L^-1: the inverse of K, in place (lower triangle). */
pt_status pt_la_factor_square(pt_tiles *Z, const pt_task *task, pt_error *err);
/* G <- G + B B^T (lower triangle); B is n x width column-major of G's type, leading dimension ldb.
 */
pt_status pt_la_rank_update(pt_tiles *G, const void *B, int64_t width, int64_t ldb,
                            const pt_task *task, pt_error *err);

/* Dense, column-major, on the caller's thread: C <- alpha op(A) op(B) + beta C. 't' or 'n'. Sizes
 * are checked for BLAS's integers. */
void pt_la_gemm(pt_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                double alpha, const void *A, int64_t lda, const void *B, int64_t ldb, double beta,
                void *C, int64_t ldc);
/* Small dense Cholesky in the lower triangle; false if not positive definite. */
bool pt_la_dense_cholesky(pt_type type, int64_t n, void *A, int64_t lda);
/* B <- (L L^T)^-1 B for a factor of pt_la_dense_cholesky. */
void pt_la_dense_cholesky_solve(pt_type type, int64_t n, int64_t m, const void *L, int64_t ldl,
                                void *B, int64_t ldb);

/* The same of any size, still on the caller's thread, in pieces of some hundredths of a second with
 * a look at the task after each: pieces.c. The factor is PT_ENUMERIC where A is not positive
 * definite. */
pt_status pt_la_long_gemm(pt_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                          double alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                          double beta, void *C, int64_t ldc, const pt_task *task, pt_error *err);
/* C <- alpha A A^T + beta C, or 't': alpha A^T A + beta C; C is n x n, its lower triangle. */
pt_status pt_la_long_syrk(pt_type type, char trans, int64_t n, int64_t k, double alpha,
                          const void *A, int64_t lda, double beta, void *C, int64_t ldc,
                          const pt_task *task, pt_error *err);
pt_status pt_la_long_cholesky(pt_type type, int64_t n, void *A, int64_t lda, const pt_task *task,
                              pt_error *err);
pt_status pt_la_long_solve(pt_type type, int64_t n, int64_t m, const void *L, int64_t ldl, void *B,
                           int64_t ldb, const pt_task *task, pt_error *err);
/* For right-hand sides that are rows: B <- B (L L^T)^-1, B is m x n. */
pt_status pt_la_long_solve_rows(pt_type type, int64_t n, int64_t m, const void *L, int64_t ldl,
                                void *B, int64_t ldb, const pt_task *task, pt_error *err);
/* X of L X = B or, transposed, L^T X = B, in B: one half of a solve. */
pt_status pt_la_long_trsm(pt_type type, bool transposed, int64_t n, int64_t m, const void *L,
                          int64_t ldl, void *B, int64_t ldb, const pt_task *task, pt_error *err);

/* y <- y + alpha x, on the caller's thread. */
void pt_la_axpy(pt_type type, int64_t n, double alpha, const void *x, void *y);

/* The operations behind the above: cpu is the reference; others override entries. */
typedef struct pt_backend {
    const char *name;
    const char *summary;
    /* One tile each, on the caller's thread; column-major, leading dimensions given. */
    void (*gemm)(pt_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                 double alpha, const void *A, int64_t lda, const void *B, int64_t ldb, double beta,
                 void *C, int64_t ldc);
    void (*syrk)(pt_type type, char trans, int64_t n, int64_t k, double alpha, const void *A,
                 int64_t lda, double beta, void *C, int64_t ldc);
    void (*trsm)(pt_type type, char side, char trans, int64_t m, int64_t n, double alpha,
                 const void *L, int64_t ldl, void *B, int64_t ldb);
    void (*trmm)(pt_type type, char side, char trans, int64_t m, int64_t n, double alpha,
                 const void *L, int64_t ldl, void *B, int64_t ldb);
    int64_t (*potrf)(pt_type type, int64_t n, void *A, int64_t lda); /* 0, or the bad row from 1 */
    void (*trtri)(pt_type type, int64_t n, void *A, int64_t lda);
    void (*lauum)(pt_type type, int64_t n, void *A, int64_t lda); /* A <- A^T A, lower */
    void (*describe)(char *text, size_t capacity);
} pt_backend;

extern const pt_backend *const pt_backends[]; /* ended by NULL */
const pt_backend *pt_la_backend(void);        /* the one in use: chosen once */
/* Which BLAS it is and how it is kept on one thread, in words. */
void pt_la_describe(char *text, size_t capacity);

#endif
