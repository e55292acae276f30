/* The loops of spoc_linear_loops.h for one instruction set (PT_ISA).
 *
 * Vectors are written as such (the vector types of gcc and clang, no intrinsics): the compiler
 * splits a vector of eight into what the processor has. M and all sums are double whatever the
 * type of the rows; the order of every sum is fixed by the data. */
#include <string.h>

#include "solvers/spoc_linear_loops.h"

enum {
    W = PT_CLASS_LANES,
    MOST = 8 /* vectors of one feature that are worked on together; more go class by class */
};

typedef double lanes_t __attribute__((vector_size(W * sizeof(double)), aligned(8), may_alias));
typedef float lanes_f32 __attribute__((vector_size(W * sizeof(float)), aligned(4), may_alias));

#define AT(place) (*(const lanes_t *)(place))
#define ALWAYS static inline __attribute__((always_inline))

#define SUM_OF(v) \
    ((((v)[0] + (v)[1]) + ((v)[2] + (v)[3])) + (((v)[4] + (v)[5]) + ((v)[6] + (v)[7])))
#define WIDE_f32(x) __builtin_convertvector(*(const lanes_f32 *)(x), lanes_t)
#define WIDE_f64(x) AT(x)

/* ---- by class ----------------------------------------------------------------------------------
 */

/* `classes` inner products side by side, each in `parts` sums: enough of them that an addition does
 * not wait for the one before it, and few enough for the registers. */
#define DEFINE_BY_CLASS(T, suffix)                                                                \
    ALWAYS void dots_##suffix(const T *x, const double *const *M, int64_t d, const int classes,   \
                              const int parts, double *g)                                         \
    {                                                                                             \
        lanes_t sum[4] = {{0}};                                                                   \
        int64_t f = 0;                                                                            \
        for (; f + parts * W <= d; f += parts * W)                                                \
            for (int p = 0; p < parts; p++) {                                                     \
                const lanes_t values = WIDE_##suffix(x + f + p * W);                              \
                for (int c = 0; c < classes; c++)                                                 \
                    sum[c * parts + p] += values * AT(M[c] + f + p * W);                          \
            }                                                                                     \
        for (; f + W <= d; f += W) {                                                              \
            const lanes_t values = WIDE_##suffix(x + f);                                          \
            for (int c = 0; c < classes; c++)                                                     \
                sum[c * parts] += values * AT(M[c] + f);                                          \
        }                                                                                         \
        for (int c = 0; c < classes; c++) {                                                       \
            double rest = 0;                                                                      \
            for (int64_t t = f; t < d; t++)                                                       \
                rest += (double)x[t] * M[c][t];                                                   \
            for (int p = 1; p < parts; p++)                                                       \
                sum[c * parts] += sum[c * parts + p];                                             \
            g[c] = SUM_OF(sum[c * parts]) + rest;                                                 \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    static void scores_by_class_##suffix(const pt_class_weights *w, int64_t i,                    \
                                         const pt_entry *list, int64_t count, double *g)          \
    {                                                                                             \
        const T *x = (const T *)w->rows->dense + i * w->rows->stride;                             \
        const double *M[4];                                                                       \
        for (int64_t c = 0; c < count;) {                                                         \
            const int64_t left = count - c;                                                       \
            const int some = left >= 4 ? 4 : left >= 2 ? 2 : 1;                                   \
            for (int s = 0; s < some; s++)                                                        \
                M[s] = w->M + (list ? list[c + s].column : c + s) * w->ld;                        \
            if (some == 4)                                                                        \
                dots_##suffix(x, M, w->rows->d, 4, 1, g + c);                                     \
            else if (some == 2)                                                                   \
                dots_##suffix(x, M, w->rows->d, 2, 2, g + c);                                     \
            else                                                                                  \
                dots_##suffix(x, M, w->rows->d, 1, 4, g + c);                                     \
            c += some;                                                                            \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    static void add_by_class_##suffix(const pt_class_weights *w, int64_t i, const pt_entry *list, \
                                      int64_t count, const double *change)                        \
    {                                                                                             \
        const int64_t d = w->rows->d;                                                             \
        const T *x = (const T *)w->rows->dense + i * w->rows->stride;                             \
        for (int64_t c = 0; c < count; c++) {                                                     \
            double *M = w->M + list[c].column * w->ld;                                            \
            const double by = change[c];                                                          \
            int64_t f = 0;                                                                        \
            if (by == 0)                                                                          \
                continue;                                                                         \
            for (; f + W <= d; f += W)                                                            \
                *(lanes_t *)(M + f) += by * WIDE_##suffix(x + f);                                 \
            for (; f < d; f++)                                                                    \
                M[f] += by * (double)x[f];                                                        \
        }                                                                                         \
    }

DEFINE_BY_CLASS(float, f32)
DEFINE_BY_CLASS(double, f64)

/* ---- by feature --------------------------------------------------------------------------------
 */

/* The values of row i: x[0 .. count), and their features; NULL: 0, 1, ... */
#define ROW_OF(T, w, i, x, place, count)                                      \
    const pt_linear_rows *rows = (w)->rows;                                   \
    const T *x = rows->dense ? (const T *)rows->dense + (i)*rows->stride      \
                             : (const T *)rows->value + rows->start[i];       \
    const int32_t *place = rows->dense ? NULL : rows->index + rows->start[i]; \
    const int64_t count = rows->dense ? rows->d : rows->start[(i) + 1] - rows->start[i]

/* All lanes of a feature at once, `blocks` vectors; `sparse` is known to the compiler. */
#define DEFINE_BY_FEATURE(T, suffix)                                                               \
    ALWAYS void all_##suffix(const T *x, const int32_t *place, int64_t n, const double *M,         \
                             int64_t ld, const int blocks, const bool sparse, double *g)           \
    {                                                                                              \
        lanes_t sum[MOST] = {{0}};                                                                 \
        for (int64_t p = 0; p < n; p++) {                                                          \
            const double *at = M + (sparse ? place[p] : p) * ld;                                   \
            for (int b = 0; b < blocks; b++)                                                       \
                sum[b] += (double)x[p] * AT(at + b * W);                                           \
        }                                                                                          \
        memcpy(g, sum, (size_t)blocks * sizeof(lanes_t));                                          \
    }                                                                                              \
                                                                                                   \
    /* By `blocks` vectors, as many as there are: of up to MOST the compiler knows the number. */  \
    ALWAYS void blocks_##suffix(const T *x, const int32_t *place, int64_t n, const double *M,      \
                                int64_t ld, int64_t blocks, const bool sparse, double *g)          \
    {                                                                                              \
        for (; blocks > MOST; blocks -= MOST, M += MOST * W, g += MOST * W)                        \
            all_##suffix(x, place, n, M, ld, MOST, sparse, g);                                     \
        switch (blocks) {                                                                          \
        case 1:                                                                                    \
            all_##suffix(x, place, n, M, ld, 1, sparse, g);                                        \
            break;                                                                                 \
        case 2:                                                                                    \
            all_##suffix(x, place, n, M, ld, 2, sparse, g);                                        \
            break;                                                                                 \
        case 3:                                                                                    \
            all_##suffix(x, place, n, M, ld, 3, sparse, g);                                        \
            break;                                                                                 \
        case 4:                                                                                    \
            all_##suffix(x, place, n, M, ld, 4, sparse, g);                                        \
            break;                                                                                 \
        case 5:                                                                                    \
            all_##suffix(x, place, n, M, ld, 5, sparse, g);                                        \
            break;                                                                                 \
        case 6:                                                                                    \
            all_##suffix(x, place, n, M, ld, 6, sparse, g);                                        \
            break;                                                                                 \
        case 7:                                                                                    \
            all_##suffix(x, place, n, M, ld, 7, sparse, g);                                        \
            break;                                                                                 \
        default:                                                                                   \
            all_##suffix(x, place, n, M, ld, MOST, sparse, g);                                     \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    ALWAYS void scores_##suffix(const pt_class_weights *w, int64_t i, const pt_entry *list,        \
                                int64_t count, const bool sparse, double *g)                       \
    {                                                                                              \
        ROW_OF(T, w, i, x, place, n);                                                              \
        const int64_t blocks = w->ld / W;                                                          \
        double all[MOST * W];                                                                      \
        if (!list || (blocks <= MOST && count > blocks)) {                                         \
            blocks_##suffix(x, place, n, w->M, w->ld, blocks, sparse, list ? all : g);             \
            for (int64_t c = 0; c < count && list; c++)                                            \
                g[c] = all[list[c].column];                                                        \
            return;                                                                                \
        }                                                                                          \
        for (int64_t c = 0; c < count; c++) {                                                      \
            const double *M = w->M + list[c].column;                                               \
            double sum[4] = {0};                                                                   \
            int64_t p = 0;                                                                         \
            for (; p + 4 <= n; p += 4)                                                             \
                for (int q = 0; q < 4; q++)                                                        \
                    sum[q] += (double)x[p + q] * M[(sparse ? place[p + q] : p + q) * w->ld];       \
            for (; p < n; p++)                                                                     \
                sum[0] += (double)x[p] * M[(sparse ? place[p] : p) * w->ld];                       \
            g[c] = (sum[0] + sum[1]) + (sum[2] + sum[3]);                                          \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    ALWAYS void add_all_##suffix(const T *x, const int32_t *place, int64_t n, double *M,           \
                                 int64_t ld, const int blocks, const bool sparse,                  \
                                 const double *change)                                             \
    {                                                                                              \
        lanes_t by[MOST];                                                                          \
        memcpy(by, change, (size_t)blocks * sizeof(lanes_t));                                      \
        for (int64_t p = 0; p < n; p++) {                                                          \
            double *at = M + (sparse ? place[p] : p) * ld;                                         \
            for (int b = 0; b < blocks; b++)                                                       \
                *(lanes_t *)(at + b * W) += (double)x[p] * by[b];                                  \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    ALWAYS void add_##suffix(const pt_class_weights *w, int64_t i, const pt_entry *list,           \
                             int64_t count, const bool sparse, const double *change)               \
    {                                                                                              \
        ROW_OF(T, w, i, x, place, n);                                                              \
        const int64_t blocks = w->ld / W;                                                          \
        if (blocks <= 4 && count > blocks) {                                                       \
            double all[4 * W] = {0};                                                               \
            for (int64_t c = 0; c < count; c++)                                                    \
                all[list[c].column] = change[c];                                                   \
            switch (blocks) {                                                                      \
            case 1:                                                                                \
                add_all_##suffix(x, place, n, w->M, w->ld, 1, sparse, all);                        \
                break;                                                                             \
            case 2:                                                                                \
                add_all_##suffix(x, place, n, w->M, w->ld, 2, sparse, all);                        \
                break;                                                                             \
            case 3:                                                                                \
                add_all_##suffix(x, place, n, w->M, w->ld, 3, sparse, all);                        \
                break;                                                                             \
            default:                                                                               \
                add_all_##suffix(x, place, n, w->M, w->ld, 4, sparse, all);                        \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int64_t p = 0; p < n; p++) {                                                          \
            double *at = w->M + (sparse ? place[p] : p) * w->ld;                                   \
            for (int64_t c = 0; c < count; c++)                                                    \
                at[list[c].column] += (double)x[p] * change[c];                                    \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void scores_dense_##suffix(const pt_class_weights *w, int64_t i, const pt_entry *list,  \
                                      int64_t count, double *g)                                    \
    {                                                                                              \
        scores_##suffix(w, i, list, count, false, g);                                              \
    }                                                                                              \
    static void scores_sparse_##suffix(const pt_class_weights *w, int64_t i, const pt_entry *list, \
                                       int64_t count, double *g)                                   \
    {                                                                                              \
        scores_##suffix(w, i, list, count, true, g);                                               \
    }                                                                                              \
    static void add_dense_##suffix(const pt_class_weights *w, int64_t i, const pt_entry *list,     \
                                   int64_t count, const double *change)                            \
    {                                                                                              \
        add_##suffix(w, i, list, count, false, change);                                            \
    }                                                                                              \
    static void add_sparse_##suffix(const pt_class_weights *w, int64_t i, const pt_entry *list,    \
                                    int64_t count, const double *change)                           \
    {                                                                                              \
        add_##suffix(w, i, list, count, true, change);                                             \
    }

DEFINE_BY_FEATURE(float, f32)
DEFINE_BY_FEATURE(double, f64)

/* ---- all of M ----------------------------------------------------------------------------------
 *
 * Its size is a multiple of W. */

static double square(const double *a, int64_t count)
{
    lanes_t sum = {0};
    for (int64_t c = 0; c < count; c += W)
        sum += AT(a + c) * AT(a + c);
    return SUM_OF(sum);
}

static void way(const double *a, const double *past, int64_t count, double *along, double *length)
{
    lanes_t with = {0};
    lanes_t own = {0};
    for (int64_t c = 0; c < count; c += W) {
        const lanes_t step = AT(a + c) - AT(past + c);
        with += step * AT(a + c);
        own += step * step;
    }
    *along = SUM_OF(with);
    *length = SUM_OF(own);
}

static void leap(double *a, double *past, double step, int64_t count)
{
    for (int64_t c = 0; c < count; c += W) {
        const lanes_t now = AT(a + c);
        *(lanes_t *)(a + c) = now + step * (now - AT(past + c));
        *(lanes_t *)(past + c) = now;
    }
}

#define NAME_OF(isa) pt_class_tables_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_class_tables NAME(PT_ISA);
const pt_class_tables NAME(PT_ISA) = {
    {{{scores_by_class_f32, add_by_class_f32}, {scores_by_class_f64, add_by_class_f64}},
     {{scores_dense_f32, add_dense_f32}, {scores_dense_f64, add_dense_f64}},
     {{scores_sparse_f32, add_sparse_f32}, {scores_sparse_f64, add_sparse_f64}}},
    square,
    way,
    leap};
