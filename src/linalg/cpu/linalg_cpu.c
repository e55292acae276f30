/* The reference backend: CBLAS and LAPACK, each call on the calling thread alone.
 *
 * Everything is column-major, triangles are lower. Sizes are int64_t outside and BLAS integers
 * inside: narrowing happens here and nowhere else. The general product takes any size (it is cut
 * into pieces that BLAS can count); the rest get tiles, which are far smaller than that. */
#include "base/parallel.h"
#include "linalg/cpu/small_triangle.h"
#include "linalg/linalg.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include <cblas.h> /* last: it makes I a macro, the imaginary unit */
#include <f77blas.h>

/* ---- one thread ----
 *
 * OpenBLAS built with OpenMP is serial inside a parallel region, and outside of one if the calling
 * thread may use one thread only: alone_begin and alone_end see to that around each call and leave
 * nothing changed. Built with threads of its own it has one number for the whole process, set to 1
 * at first use. */

enum { BLAS_SERIAL = 0, BLAS_THREADS = 1, BLAS_OPENMP = 2 };

static pthread_once_t serial_once = PTHREAD_ONCE_INIT;

static void make_serial(void)
{
    if (openblas_get_parallel() == BLAS_THREADS)
        openblas_set_num_threads(1);
}

static int alone_begin(void)
{
    pthread_once(&serial_once, make_serial);
    return pt_parallel_alone_begin();
}

static void alone_end(int before)
{
    pt_parallel_alone_end(before);
}

static void cpu_describe(char *text, size_t capacity)
{
    static const char *const how[] = {
        [BLAS_SERIAL] = "built without threads",
        [BLAS_THREADS] = "its threads set to 1 for the whole process",
        [BLAS_OPENMP] = "one thread a call",
    };
    const int parallel = openblas_get_parallel();
    snprintf(text, capacity, "%s; %s; %s", openblas_get_config(), openblas_get_corename(),
             parallel >= 0 && parallel <= BLAS_OPENMP ? how[parallel] : "unknown threads");
}

static blasint narrow(int64_t size)
{
    assert(size >= 0 && size <= INT_MAX);
    return (blasint)size;
}

static CBLAS_TRANSPOSE transposed(char trans)
{
    return trans == 't' ? CblasTrans : CblasNoTrans;
}

static CBLAS_SIDE side_of(char side)
{
    return side == 'l' ? CblasLeft : CblasRight;
}

/* ---- the general product --------------------------------------------------------------------- */

/* A leading dimension that BLAS cannot count: plain loops, slow and right. */
static void gemm_plain(pt_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                       double alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                       double beta, void *C, int64_t ldc)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double sum = 0;
            for (int64_t p = 0; p < k; p++) {
                const int64_t a = trans_a == 't' ? p + i * lda : i + p * lda;
                const int64_t b = trans_b == 't' ? j + p * ldb : p + j * ldb;
                sum += type == PT_F32 ? (double)((const float *)A)[a] * ((const float *)B)[b]
                                      : ((const double *)A)[a] * ((const double *)B)[b];
            }
            const int64_t c = i + j * ldc;
            if (type == PT_F32) {
                float *out = (float *)C + c;
                *out = (float)(alpha * sum + (beta == 0 ? 0 : beta * *out));
            } else {
                double *out = (double *)C + c;
                *out = alpha * sum + (beta == 0 ? 0 : beta * *out);
            }
        }
}

static void gemm_blas(pt_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                      double alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                      double beta, void *C, int64_t ldc)
{
    if (type == PT_F32)
        cblas_sgemm(CblasColMajor, transposed(trans_a), transposed(trans_b), narrow(m), narrow(n),
                    narrow(k), (float)alpha, A, narrow(lda), B, narrow(ldb), (float)beta, C,
                    narrow(ldc));
    else
        cblas_dgemm(CblasColMajor, transposed(trans_a), transposed(trans_b), narrow(m), narrow(n),
                    narrow(k), alpha, A, narrow(lda), B, narrow(ldb), beta, C, narrow(ldc));
}

static void *element(pt_type type, const void *base, int64_t at)
{
    return (char *)base + at * (int64_t)pt_type_size(type);
}

static int64_t piece(int64_t total, int64_t from)
{
    const int64_t most = (int64_t)1 << 30;
    return total - from < most ? total - from : most;
}

static void cpu_gemm(pt_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                     double alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                     double beta, void *C, int64_t ldc)
{
    if (m <= 0 || n <= 0)
        return;
    if (lda > INT_MAX || ldb > INT_MAX || ldc > INT_MAX) {
        gemm_plain(type, trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
        return;
    }
    const int before = alone_begin();
    int64_t p = 0;
    do { /* once even for k = 0, which scales C by beta */
        for (int64_t j = 0; j < n; j += piece(n, j))
            for (int64_t i = 0; i < m; i += piece(m, i))
                gemm_blas(type, trans_a, trans_b, piece(m, i), piece(n, j), piece(k, p), alpha,
                          element(type, A, trans_a == 't' ? p + i * lda : i + p * lda), lda,
                          element(type, B, trans_b == 't' ? j + p * ldb : p + j * ldb), ldb,
                          p == 0 ? beta : 1, element(type, C, i + j * ldc), ldc);
        p += piece(k, p);
    } while (p < k);
    alone_end(before);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static void cpu_syrk(pt_type type, char trans, int64_t n, int64_t k, double alpha, const void *A,
                     int64_t lda, double beta, void *C, int64_t ldc)
{
    const int before = alone_begin();
    if (type == PT_F32)
        cblas_ssyrk(CblasColMajor, CblasLower, transposed(trans), narrow(n), narrow(k),
                    (float)alpha, A, narrow(lda), (float)beta, C, narrow(ldc));
    else
        cblas_dsyrk(CblasColMajor, CblasLower, transposed(trans), narrow(n), narrow(k), alpha, A,
                    narrow(lda), beta, C, narrow(ldc));
    alone_end(before);
}

/* ---- triangles by halves ----
 *
 * OpenBLAS is slow in the diagonal parts of these (an inverse of order 512 ran at a third of the
 * speed of a product). Halving until the diagonal blocks are small turns nearly all of the work
 * into products. The halves depend on the size only, so results do too. */

enum { SMALL_TRIANGLE = PT_SMALL_TRIANGLE };

/* Where a triangle of order n is cut: about the middle, on a multiple of the small ones. */
static int64_t half_of(int64_t n)
{
    return (n / 2 + SMALL_TRIANGLE - 1) / SMALL_TRIANGLE * SMALL_TRIANGLE;
}

static void blas_trsm(pt_type type, char side, char trans, int64_t m, int64_t n, double alpha,
                      const void *L, int64_t ldl, void *B, int64_t ldb)
{
    const int before = alone_begin();
    if (type == PT_F32)
        cblas_strsm(CblasColMajor, side_of(side), CblasLower, transposed(trans), CblasNonUnit,
                    narrow(m), narrow(n), (float)alpha, L, narrow(ldl), B, narrow(ldb));
    else
        cblas_dtrsm(CblasColMajor, side_of(side), CblasLower, transposed(trans), CblasNonUnit,
                    narrow(m), narrow(n), alpha, L, narrow(ldl), B, narrow(ldb));
    alone_end(before);
}

/* B <- B L^-T or B L^-1 for a small triangle. */
static void small_trsm(pt_type type, char trans, int64_t m, int64_t n, const void *L, int64_t ldl,
                       void *B, int64_t ldb)
{
    const pt_small_ops *small = pt_small_chosen();
    (type == PT_F32 ? small->trsm_f32 : small->trsm_f64)(m, n, trans == 't', L, ldl, B, ldb);
}

/* B <- alpha B L^-T or alpha B L^-1 by halves of L; L on the left as BLAS does it.
 *   [X1 X2] L^T = [B1 B2]:  X1 = B1 L11^-T, X2 = (B2 - X1 L21^T) L22^-T
 *   [X1 X2] L = [B1 B2]:    X2 = B2 L22^-1, X1 = (B1 - X2 L21) L11^-1 */
static void cpu_trsm(pt_type type, char side, char trans, int64_t m, int64_t n, double alpha,
                     const void *L, int64_t ldl, void *B, int64_t ldb)
{
    if (side != 'r' || (n <= SMALL_TRIANGLE && alpha != 1)) {
        blas_trsm(type, side, trans, m, n, alpha, L, ldl, B, ldb);
        return;
    }
    if (n <= SMALL_TRIANGLE) {
        small_trsm(type, trans, m, n, L, ldl, B, ldb);
        return;
    }
    const int64_t h = half_of(n);
    void *right = element(type, B, h * ldb);
    const void *L21 = element(type, L, h);
    const void *L22 = element(type, L, h + h * ldl);
    if (trans == 't') {
        cpu_trsm(type, side, trans, m, h, alpha, L, ldl, B, ldb);
        cpu_gemm(type, 'n', 't', m, n - h, h, -1, B, ldb, L21, ldl, alpha, right, ldb);
        cpu_trsm(type, side, trans, m, n - h, 1, L22, ldl, right, ldb);
    } else {
        cpu_trsm(type, side, trans, m, n - h, alpha, L22, ldl, right, ldb);
        cpu_gemm(type, 'n', 'n', m, h, n - h, -1, right, ldb, L21, ldl, alpha, B, ldb);
        cpu_trsm(type, side, trans, m, h, 1, L, ldl, B, ldb);
    }
}

static void cpu_trmm(pt_type type, char side, char trans, int64_t m, int64_t n, double alpha,
                     const void *L, int64_t ldl, void *B, int64_t ldb)
{
    const int before = alone_begin();
    if (type == PT_F32)
        cblas_strmm(CblasColMajor, side_of(side), CblasLower, transposed(trans), CblasNonUnit,
                    narrow(m), narrow(n), (float)alpha, L, narrow(ldl), B, narrow(ldb));
    else
        cblas_dtrmm(CblasColMajor, side_of(side), CblasLower, transposed(trans), CblasNonUnit,
                    narrow(m), narrow(n), alpha, L, narrow(ldl), B, narrow(ldb));
    alone_end(before);
}

static void lapack_trtri(pt_type type, int64_t n, void *A, int64_t lda)
{
    char lower = 'L';
    char diagonal = 'N';
    blasint order = narrow(n);
    blasint leading = narrow(lda);
    blasint info = 0;
    const int before = alone_begin();
    if (type == PT_F32)
        BLASFUNC(strtri)(&lower, &diagonal, &order, A, &leading, &info);
    else
        BLASFUNC(dtrtri)(&lower, &diagonal, &order, A, &leading, &info);
    alone_end(before);
}

static void lapack_lauum(pt_type type, int64_t n, void *A, int64_t lda)
{
    char lower = 'L';
    blasint order = narrow(n);
    blasint leading = narrow(lda);
    blasint info = 0;
    const int before = alone_begin();
    if (type == PT_F32)
        BLASFUNC(slauum)(&lower, &order, A, &leading, &info);
    else
        BLASFUNC(dlauum)(&lower, &order, A, &leading, &info);
    alone_end(before);
}

/* L11 L11^T = A11; L21 = A21 L11^-T; L22 L22^T = A22 - L21 L21^T */
static int64_t cpu_potrf(pt_type type, int64_t n, void *A, int64_t lda)
{
    const pt_small_ops *small = pt_small_chosen();
    if (n <= SMALL_TRIANGLE)
        return (type == PT_F32 ? small->potrf_f32 : small->potrf_f64)(n, A, lda);
    const int64_t h = half_of(n);
    void *A21 = element(type, A, h);
    void *A22 = element(type, A, h + h * lda);
    int64_t bad = cpu_potrf(type, h, A, lda);
    if (bad > 0)
        return bad;
    cpu_trsm(type, 'r', 't', n - h, h, 1, A, lda, A21, lda);
    cpu_syrk(type, 'n', n - h, h, -1, A21, lda, 1, A22, lda);
    bad = cpu_potrf(type, n - h, A22, lda);
    return bad > 0 ? h + bad : 0;
}

/* Z11 = L11^-1; Z22 = L22^-1; Z21 = -Z22 L21 Z11 */
static void cpu_trtri(pt_type type, int64_t n, void *A, int64_t lda)
{
    if (n <= SMALL_TRIANGLE) {
        lapack_trtri(type, n, A, lda);
        return;
    }
    const int64_t h = half_of(n);
    void *A21 = element(type, A, h);
    void *A22 = element(type, A, h + h * lda);
    cpu_trtri(type, h, A, lda);
    cpu_trtri(type, n - h, A22, lda);
    cpu_trmm(type, 'r', 'n', n - h, h, 1, A, lda, A21, lda);
    cpu_trmm(type, 'l', 'n', n - h, h, -1, A22, lda, A21, lda);
}

/* C11 = Z11^T Z11 + Z21^T Z21; C21 = Z22^T Z21; C22 = Z22^T Z22 */
static void cpu_lauum(pt_type type, int64_t n, void *A, int64_t lda)
{
    if (n <= SMALL_TRIANGLE) {
        lapack_lauum(type, n, A, lda);
        return;
    }
    const int64_t h = half_of(n);
    void *A21 = element(type, A, h);
    void *A22 = element(type, A, h + h * lda);
    cpu_lauum(type, h, A, lda);
    cpu_syrk(type, 't', h, n - h, 1, A21, lda, 1, A, lda);
    cpu_trmm(type, 'l', 't', n - h, h, 1, A22, lda, A21, lda);
    cpu_lauum(type, n - h, A22, lda);
}

extern const pt_backend pt_backend_cpu;
const pt_backend pt_backend_cpu = {
    .name = "cpu",
    .summary = "CBLAS and LAPACK on the calling thread: the reference",
    .gemm = cpu_gemm,
    .syrk = cpu_syrk,
    .trsm = cpu_trsm,
    .trmm = cpu_trmm,
    .potrf = cpu_potrf,
    .trtri = cpu_trtri,
    .lauum = cpu_lauum,
    .describe = cpu_describe,
};
