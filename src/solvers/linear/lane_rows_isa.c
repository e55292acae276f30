/* The loops of lane_rows.h for one instruction set (PT_ISA).
 *
 * Vectors are written as such (the vector types of gcc and clang, no intrinsics): the compiler
 * splits a vector of eight into what the processor has. Sparse loops keep four partial sums, dense
 * ones a small tile, so that an addition does not wait for the one before it. The order of every
 * sum is fixed by the data. */
#include <stdbool.h>
#include <string.h>

#include "solvers/linear/lane_rows.h"

enum { W = PT_LANES, AHEAD = 16 }; /* AHEAD: what is asked for before it is needed */

/* A block's numbers of one row or feature. */
typedef double lanes_t __attribute__((vector_size(W * sizeof(double)), may_alias));
typedef float lanes_f32 __attribute__((vector_size(W * sizeof(float)), aligned(4), may_alias));
typedef double lanes_f64 __attribute__((vector_size(W * sizeof(double)), aligned(8), may_alias));

#define LANES_AT(array, place) (*(const lanes_t *)((array) + (place)*W))

#ifdef __AVX512F__
enum { ROWS = 8 }; /* rows of a tile, in registers */
#else
enum { ROWS = 4 };
#endif
enum { STRIP = 256, NEAR = 64 }; /* features and rows that stay in the nearest caches */

/* ---- sparse ---------------------------------------------------------------------------------- */

/* sum over p of value[p] A[place[p]]; POWER is value or its square. */
#define SPARSE_SUM(T, place, value, from, to, A, POWER, result)             \
    do {                                                                    \
        lanes_t part[4] = {{0}};                                            \
        int64_t p = (from);                                                 \
        for (; p + AHEAD + 4 <= (to); p += 4)                               \
            for (int q = 0; q < 4; q++) {                                   \
                __builtin_prefetch(A + (int64_t)place[p + q + AHEAD] * W);  \
                part[q] += LANES_AT(A, place[p + q]) * POWER(value[p + q]); \
            }                                                               \
        for (; p + 4 <= (to); p += 4)                                       \
            for (int q = 0; q < 4; q++)                                     \
                part[q] += LANES_AT(A, place[p + q]) * POWER(value[p + q]); \
        for (; p < (to); p++)                                               \
            part[0] += LANES_AT(A, place[p]) * POWER(value[p]);             \
        (result) = (part[0] + part[1]) + (part[2] + part[3]);               \
    } while (0)

#define SPARSE_SUM_ONE(T, place, value, from, to, A, POWER, result) \
    do {                                                            \
        double part[4] = {0};                                       \
        int64_t p = (from);                                         \
        for (; p + 4 <= (to); p += 4)                               \
            for (int q = 0; q < 4; q++)                             \
                part[q] += POWER(value[p + q]) * (A)[place[p + q]]; \
        for (; p < (to); p++)                                       \
            part[0] += POWER(value[p]) * (A)[place[p]];             \
        (result) = (part[0] + part[1]) + (part[2] + part[3]);       \
    } while (0)

#define PLAIN(x) ((double)(x))
#define SQUARED(x) ((double)(x) * (double)(x))

/* The bias: a feature that every row has. */
static void sum_rows(const double *U, int64_t n, int width, double *sum)
{
    for (int l = 0; l < width; l++)
        sum[l] = 0;
    if (width == W) {
        lanes_t part[4] = {{0}};
        int64_t i = 0;
        for (; i + 4 <= n; i += 4)
            for (int q = 0; q < 4; q++)
                part[q] += LANES_AT(U, i + q);
        for (; i < n; i++)
            part[0] += LANES_AT(U, i);
        *(lanes_t *)sum = (part[0] + part[1]) + (part[2] + part[3]);
        return;
    }
    double part[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int q = 0; q < 8; q++)
            part[q] += U[i + q];
    for (; i < n; i++)
        part[0] += U[i];
    for (int q = 0; q < 8; q++)
        sum[0] += part[q];
}

static void finish_bias(const pt_lane_rows *l, const double *U, int width, double *G)
{
    if (l->rows.bias)
        sum_rows(U, l->rows.n, width, G + l->d * width);
    else
        memset(G + l->d * width, 0, (size_t)width * sizeof(double));
}

#define DEFINE_SPARSE_BACK(T, name, POWER, SUM, result_t, width)                                  \
    static void name(const pt_lane_rows *l, int64_t from, int64_t to, const double *U, double *G) \
    {                                                                                             \
        const T *value = l->value;                                                                \
        const int32_t *row = l->row;                                                              \
        const int64_t end = to > l->d ? l->d : to;                                                \
        for (int64_t f = from; f < end; f++)                                                      \
            SUM(T, row, value, l->start[f], l->start[f + 1], U, POWER,                            \
                *(result_t *)(G + f * (width)));                                                  \
        if (to > l->d)                                                                            \
            finish_bias(l, U, width, G);                                                          \
    }

#define DEFINE_SPARSE_FORWARD(T, name, SUM, result_t, width)                                      \
    static void name(const pt_lane_rows *l, int64_t from, int64_t to, const double *V, double *U) \
    {                                                                                             \
        const T *value = l->rows.value;                                                           \
        const int32_t *index = l->rows.index;                                                     \
        for (int64_t i = from; i < to; i++) {                                                     \
            SUM(T, index, value, l->rows.start[i], l->rows.start[i + 1], V, PLAIN,                \
                *(result_t *)(U + i * (width)));                                                  \
            *(result_t *)(U + i * (width)) += *(const result_t *)(V + l->d * (width));            \
        }                                                                                         \
    }

#define DEFINE_SPARSE(T, suffix)                                                      \
    DEFINE_SPARSE_FORWARD(T, forward_sparse_##suffix, SPARSE_SUM, lanes_t, W)         \
    DEFINE_SPARSE_BACK(T, back_sparse_##suffix, PLAIN, SPARSE_SUM, lanes_t, W)        \
    DEFINE_SPARSE_BACK(T, squares_sparse_##suffix, SQUARED, SPARSE_SUM, lanes_t, W)   \
    DEFINE_SPARSE_FORWARD(T, forward_sparse_one_##suffix, SPARSE_SUM_ONE, double, 1)  \
    DEFINE_SPARSE_BACK(T, back_sparse_one_##suffix, PLAIN, SPARSE_SUM_ONE, double, 1) \
    DEFINE_SPARSE_BACK(T, squares_sparse_one_##suffix, SQUARED, SPARSE_SUM_ONE, double, 1)

DEFINE_SPARSE(float, f32)
DEFINE_SPARSE(double, f64)

/* ---- dense ------------------------------------------------------------------------------------
 *
 * Forward: a tile of ROWS rows; every feature's lanes are loaded once for all of them. Back:
 * tiles of W features, a register for each lane, turned over at the end. */

#define DEFINE_DENSE_FORWARD(T, suffix)                                                     \
    static void tile_##suffix(const pt_lane_rows *l, int64_t i, const double *V, double *U) \
    {                                                                                       \
        lanes_t sum[ROWS];                                                                  \
        const T *x[ROWS];                                                                   \
        for (int r = 0; r < ROWS; r++) {                                                    \
            sum[r] = LANES_AT(V, l->d);                                                     \
            x[r] = (const T *)l->rows.dense + (i + r) * l->rows.stride;                     \
        }                                                                                   \
        for (int64_t f = 0; f < l->d; f++) {                                                \
            const lanes_t v = LANES_AT(V, f);                                               \
            for (int r = 0; r < ROWS; r++)                                                  \
                sum[r] += v * (double)x[r][f];                                              \
        }                                                                                   \
        for (int r = 0; r < ROWS; r++)                                                      \
            *(lanes_t *)(U + (i + r) * W) = sum[r];                                         \
    }                                                                                       \
                                                                                            \
    static void forward_dense_##suffix(const pt_lane_rows *l, int64_t from, int64_t to,     \
                                       const double *V, double *U)                          \
    {                                                                                       \
        int64_t i = from;                                                                   \
        for (; i + ROWS <= to; i += ROWS)                                                   \
            tile_##suffix(l, i, V, U);                                                      \
        for (; i < to; i++) {                                                               \
            const T *x = (const T *)l->rows.dense + i * l->rows.stride;                     \
            lanes_t sum = LANES_AT(V, l->d);                                                \
            for (int64_t f = 0; f < l->d; f++)                                              \
                sum += LANES_AT(V, f) * (double)x[f];                                       \
            *(lanes_t *)(U + i * W) = sum;                                                  \
        }                                                                                   \
    }

#define DEFINE_DENSE_BACK(T, name, suffix, POWER, VECTOR_POWER)                                    \
    /* sum += of rows from .. to and W features from f on: sum[lane] has one for each feature */   \
    static void name##_tile(const pt_lane_rows *l, int64_t f, int64_t from, int64_t to,            \
                            const double *U, lanes_t *sum)                                         \
    {                                                                                              \
        lanes_t part[W];                                                                           \
        for (int lane = 0; lane < W; lane++)                                                       \
            part[lane] = sum[lane];                                                                \
        for (int64_t i = from; i < to; i++) {                                                      \
            const T *at = (const T *)l->rows.dense + i * l->rows.stride + f;                       \
            const lanes_t x = __builtin_convertvector(*(const lanes_##suffix *)at, lanes_t);       \
            for (int lane = 0; lane < W; lane++)                                                   \
                part[lane] += VECTOR_POWER(x) * U[i * W + lane];                                   \
        }                                                                                          \
        for (int lane = 0; lane < W; lane++)                                                       \
            sum[lane] = part[lane];                                                                \
    }                                                                                              \
                                                                                                   \
    /* At most STRIP features: a strip of a few rows is read from near by for all of its tiles. */ \
    static void name##_strip(const pt_lane_rows *l, int64_t f, int64_t tiles, const double *U,     \
                             double *G)                                                            \
    {                                                                                              \
        lanes_t sum[STRIP / W * W];                                                                \
        memset(sum, 0, (size_t)(tiles * W) * sizeof *sum);                                         \
        for (int64_t i = 0; i < l->rows.n; i += NEAR)                                              \
            for (int64_t t = 0; t < tiles; t++)                                                    \
                name##_tile(l, f + t * W, i, i + NEAR < l->rows.n ? i + NEAR : l->rows.n, U,       \
                            sum + t * W);                                                          \
        for (int64_t q = 0; q < tiles * W; q++)                                                    \
            for (int lane = 0; lane < W; lane++)                                                   \
                G[(f + q) * W + lane] = sum[q / W * W + lane][q % W];                              \
    }                                                                                              \
                                                                                                   \
    static void name(const pt_lane_rows *l, int64_t from, int64_t to, const double *U, double *G)  \
    {                                                                                              \
        const int64_t end = to > l->d ? l->d : to;                                                 \
        int64_t f = from;                                                                          \
        for (; f + W <= end; f += (end - f < STRIP ? (end - f) / W * W : STRIP))                   \
            name##_strip(l, f, (end - f < STRIP ? end - f : STRIP) / W, U, G);                     \
        for (; f < end; f++) {                                                                     \
            lanes_t sum = {0};                                                                     \
            for (int64_t i = 0; i < l->rows.n; i++)                                                \
                sum += LANES_AT(U, i) * POWER(((const T *)l->rows.dense)[i * l->rows.stride + f]); \
            *(lanes_t *)(G + f * W) = sum;                                                         \
        }                                                                                          \
        if (to > l->d)                                                                             \
            finish_bias(l, U, W, G);                                                               \
    }

#define SELF(x) (x)
#define TIMES_SELF(x) ((x) * (x))

/* One vector: features side by side. */
#define DEFINE_DENSE_ONE(T, suffix)                                                              \
    static void forward_dense_one_##suffix(const pt_lane_rows *l, int64_t from, int64_t to,      \
                                           const double *V, double *U)                           \
    {                                                                                            \
        for (int64_t i = from; i < to; i++) {                                                    \
            const T *x = (const T *)l->rows.dense + i * l->rows.stride;                          \
            lanes_t part[2] = {{0}};                                                             \
            int64_t f = 0;                                                                       \
            for (; f + 2 * W <= l->d; f += 2 * W)                                                \
                for (int q = 0; q < 2; q++)                                                      \
                    part[q] += __builtin_convertvector(*(const lanes_##suffix *)(x + f + q * W), \
                                                       lanes_t) *                                \
                               *(const lanes_f64 *)(V + f + q * W);                              \
            part[0] += part[1];                                                                  \
            double sum = V[l->d];                                                                \
            for (; f < l->d; f++)                                                                \
                sum += (double)x[f] * V[f];                                                      \
            for (int q = 0; q < W; q++)                                                          \
                sum += part[0][q];                                                               \
            U[i] = sum;                                                                          \
        }                                                                                        \
    }

#define DEFINE_DENSE_ONE_BACK(T, name, POWER)                                                     \
    static void name(const pt_lane_rows *l, int64_t from, int64_t to, const double *U, double *G) \
    {                                                                                             \
        const int64_t end = to > l->d ? l->d : to;                                                \
        for (int64_t f = from; f < end; f++)                                                      \
            G[f] = 0;                                                                             \
        for (int64_t i = 0; i < l->rows.n; i++) {                                                 \
            const T *x = (const T *)l->rows.dense + i * l->rows.stride;                           \
            const double u = U[i];                                                                \
            for (int64_t f = from; f < end; f++)                                                  \
                G[f] += POWER(x[f]) * u;                                                          \
        }                                                                                         \
        if (to > l->d)                                                                            \
            finish_bias(l, U, 1, G);                                                              \
    }

#define DEFINE_DENSE(T, suffix)                                               \
    DEFINE_DENSE_FORWARD(T, suffix)                                           \
    DEFINE_DENSE_BACK(T, back_dense_##suffix, suffix, PLAIN, SELF)            \
    DEFINE_DENSE_BACK(T, squares_dense_##suffix, suffix, SQUARED, TIMES_SELF) \
    DEFINE_DENSE_ONE(T, suffix)                                               \
    DEFINE_DENSE_ONE_BACK(T, back_dense_one_##suffix, PLAIN)                  \
    DEFINE_DENSE_ONE_BACK(T, squares_dense_one_##suffix, SQUARED)

DEFINE_DENSE(float, f32)
DEFINE_DENSE(double, f64)

#define LOOPS(kind, suffix)                                                             \
    {                                                                                   \
        {forward_##kind##_##suffix, back_##kind##_##suffix, squares_##kind##_##suffix}, \
        {                                                                               \
            forward_##kind##_one_##suffix, back_##kind##_one_##suffix,                  \
                squares_##kind##_one_##suffix                                           \
        }                                                                               \
    }

#define NAME_OF(isa) pt_lane_tables_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_lane_tables NAME(PT_ISA);
const pt_lane_tables NAME(PT_ISA) = {
    {{LOOPS(dense, f32), LOOPS(sparse, f32)}, {LOOPS(dense, f64), LOOPS(sparse, f64)}}};
