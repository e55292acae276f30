/* Small triangles of T; ROOT is its square root, NAME(f) gives a name of its own for each. Included
 * by small_triangle_isa.c only. */

enum { NAME(ROWS) = ROWS_BYTES / sizeof(T) };

static void NAME(solve_transposed)(int64_t n, const T *L, int64_t ldl, const T *inverse,
                                   T (*x)[NAME(ROWS)])
{
    for (int64_t j = 0; j < n; j++) {
        T sum[NAME(ROWS)];
        memcpy(sum, x[j], sizeof sum);
        for (int64_t k = 0; k < j; k++)
            for (int r = 0; r < NAME(ROWS); r++)
                sum[r] -= L[j + k * ldl] * x[k][r];
        for (int r = 0; r < NAME(ROWS); r++)
            x[j][r] = sum[r] * inverse[j];
    }
}

static void NAME(solve_plain)(int64_t n, const T *L, int64_t ldl, const T *inverse,
                              T (*x)[NAME(ROWS)])
{
    for (int64_t j = n - 1; j >= 0; j--) {
        T sum[NAME(ROWS)];
        memcpy(sum, x[j], sizeof sum);
        for (int64_t k = j + 1; k < n; k++)
            for (int r = 0; r < NAME(ROWS); r++)
                sum[r] -= L[k + j * ldl] * x[k][r];
        for (int r = 0; r < NAME(ROWS); r++)
            x[j][r] = sum[r] * inverse[j];
    }
}

static void NAME(trsm)(int64_t m, int64_t n, bool transposed, const void *triangle, int64_t ldl,
                       void *block, int64_t ldb)
{
    const T *L = triangle;
    T inverse[PT_SMALL_TRIANGLE];
    T x[PT_SMALL_TRIANGLE][NAME(ROWS)] = {{0}};
    for (int64_t j = 0; j < n; j++)
        inverse[j] = 1 / L[j + j * ldl];
    for (int64_t i = 0; i < m; i += NAME(ROWS)) {
        T *B = (T *)block + i;
        const int64_t rows = m - i < NAME(ROWS) ? m - i : NAME(ROWS);
        for (int64_t j = 0; j < n; j++)
            memcpy(x[j], B + j * ldb, (size_t)rows * sizeof(T));
        if (transposed)
            NAME(solve_transposed)(n, L, ldl, inverse, x);
        else
            NAME(solve_plain)(n, L, ldl, inverse, x);
        for (int64_t j = 0; j < n; j++)
            memcpy(B + j * ldb, x[j], (size_t)rows * sizeof(T));
    }
}

static int64_t NAME(potrf)(int64_t n, void *block, int64_t lda)
{
    T *A = block;
    T a[PT_SMALL_TRIANGLE][PT_SMALL_TRIANGLE] = {{0}};
    for (int64_t j = 0; j < n; j++)
        memcpy(&a[j][j], A + j * (lda + 1), (size_t)(n - j) * sizeof(T));
    for (int64_t j = 0; j < n; j++) {
        const T pivot = ROOT(a[j][j]);
        if (!(pivot > 0) || isinf(pivot))
            return j + 1;
        const T inverse = 1 / pivot;
        for (int r = 0; r < PT_SMALL_TRIANGLE; r++)
            a[j][r] *= inverse;
        a[j][j] = pivot;
        for (int64_t c = j + 1; c < n; c++) {
            const T l = a[j][c];
            for (int r = 0; r < PT_SMALL_TRIANGLE; r++)
                a[c][r] -= l * a[j][r];
        }
    }
    for (int64_t j = 0; j < n; j++)
        memcpy(A + j * (lda + 1), &a[j][j], (size_t)(n - j) * sizeof(T));
    return 0;
}
