/* The loops of class_weights.h for one instruction set (PT_ISA).
 *
 * Vectors are written as such (the vector types of gcc and clang, no intrinsics): the compiler
 * splits a vector of eight into what the processor has. Three kinds: rows of float and of double
 * with M and all sums in double; `low`, rows of float with M and sums in float. The order of every
 * sum is fixed by the data. */
#include <string.h>

#include "solvers/dual/class_weights.h"

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
#define WIDE_low(x) (*(const lanes_f32 *)(x))

/* ---- by class ----------------------------------------------------------------------------------
 */

/* `classes` inner products side by side, each in `parts` sums: enough of them that an addition does
 * not wait for the one before it, and few enough for the registers. */
#define DEFINE_BY_CLASS(T, R, V, FIELD, suffix)                                                   \
    ALWAYS void dots_##suffix(const T *x, const R *const *M, int64_t d, const int classes,        \
                              const int parts, double *g)                                         \
    {                                                                                             \
        V sum[4] = {{0}};                                                                         \
        int64_t f = 0;                                                                            \
        for (; f + parts * W <= d; f += parts * W)                                                \
            for (int p = 0; p < parts; p++) {                                                     \
                const V values = WIDE_##suffix(x + f + p * W);                                    \
                for (int c = 0; c < classes; c++)                                                 \
                    sum[c * parts + p] += values * *(const V *)(M[c] + f + p * W);                \
            }                                                                                     \
        for (; f + W <= d; f += W) {                                                              \
            const V values = WIDE_##suffix(x + f);                                                \
            for (int c = 0; c < classes; c++)                                                     \
                sum[c * parts] += values * *(const V *)(M[c] + f);                                \
        }                                                                                         \
        for (int c = 0; c < classes; c++) {                                                       \
            double rest = 0;                                                                      \
            for (int64_t t = f; t < d; t++)                                                       \
                rest += (double)x[t] * (double)M[c][t];                                           \
            for (int p = 1; p < parts; p++)                                                       \
                sum[c * parts] += sum[c * parts + p];                                             \
            g[c] = (double)SUM_OF(sum[c * parts]) + rest;                                         \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    static void scores_by_class_##suffix(const pt_class_weights *w, int64_t i,                    \
                                         const pt_entry *list, int64_t count, double *g)          \
    {                                                                                             \
        const T *x = (const T *)w->rows->dense + i * w->rows->stride;                             \
        const R *M[4];                                                                            \
        for (int64_t c = 0; c < count;) {                                                         \
            const int64_t left = count - c;                                                       \
            const int some = left >= 4 ? 4 : left >= 2 ? 2 : 1;                                   \
            for (int s = 0; s < some; s++)                                                        \
                M[s] = w->FIELD + (list ? list[c + s].column : c + s) * w->ld;                    \
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
            R *M = w->FIELD + list[c].column * w->ld;                                             \
            const R by = (R)change[c];                                                            \
            int64_t f = 0;                                                                        \
            if (by == 0)                                                                          \
                continue;                                                                         \
            for (; f + W <= d; f += W)                                                            \
                *(V *)(M + f) += by * WIDE_##suffix(x + f);                                       \
            for (; f < d; f++)                                                                    \
                M[f] += by * (R)x[f];                                                             \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    static double apart_by_class_##suffix(const pt_class_weights *w, int64_t i, int64_t a,        \
                                          int64_t b)                                              \
    {                                                                                             \
        const int64_t d = w->rows->d;                                                             \
        const T *x = (const T *)w->rows->dense + i * w->rows->stride;                             \
        const R *M_a = w->FIELD + a * w->ld;                                                      \
        const R *M_b = w->FIELD + b * w->ld;                                                      \
        V sum[4] = {{0}};                                                                         \
        double rest = 0;                                                                          \
        int64_t f = 0;                                                                            \
        for (; f + 4 * W <= d; f += 4 * W)                                                        \
            for (int p = 0; p < 4; p++)                                                           \
                sum[p] += WIDE_##suffix(x + f + p * W) *                                          \
                          (*(const V *)(M_a + f + p * W) - *(const V *)(M_b + f + p * W));        \
        for (; f + W <= d; f += W)                                                                \
            sum[0] += WIDE_##suffix(x + f) * (*(const V *)(M_a + f) - *(const V *)(M_b + f));     \
        for (; f < d; f++)                                                                        \
            rest += (double)x[f] * ((double)M_a[f] - (double)M_b[f]);                             \
        sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);                                           \
        return (double)SUM_OF(sum[0]) + rest;                                                     \
    }                                                                                             \
                                                                                                  \
    static void shift_by_class_##suffix(const pt_class_weights *w, int64_t i, int64_t a,          \
                                        int64_t b, double change)                                 \
    {                                                                                             \
        const int64_t d = w->rows->d;                                                             \
        const T *x = (const T *)w->rows->dense + i * w->rows->stride;                             \
        R *M_a = w->FIELD + a * w->ld;                                                            \
        R *M_b = w->FIELD + b * w->ld;                                                            \
        const R by = (R)change;                                                                   \
        int64_t f = 0;                                                                            \
        for (; f + W <= d; f += W) {                                                              \
            const V step = by * WIDE_##suffix(x + f);                                             \
            *(V *)(M_a + f) += step;                                                              \
            *(V *)(M_b + f) -= step;                                                              \
        }                                                                                         \
        for (; f < d; f++) {                                                                      \
            M_a[f] += by * (R)x[f];                                                               \
            M_b[f] -= by * (R)x[f];                                                               \
        }                                                                                         \
    }

DEFINE_BY_CLASS(float, double, lanes_t, M, f32)
DEFINE_BY_CLASS(double, double, lanes_t, M, f64)
DEFINE_BY_CLASS(float, float, lanes_f32, low, low)

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
#define DEFINE_BY_FEATURE(T, R, V, FIELD, suffix)                                                  \
    ALWAYS void all_##suffix(const T *x, const int32_t *place, int64_t n, const R *M, int64_t ld,  \
                             const int blocks, const bool sparse, double *g)                       \
    {                                                                                              \
        V sum[MOST];                                                                               \
        for (int b = 0; b < blocks; b++)                                                           \
            sum[b] = (V){0};                                                                       \
        for (int64_t p = 0; p < n; p++) {                                                          \
            const R *at = M + (sparse ? place[p] : p) * ld;                                        \
            for (int b = 0; b < blocks; b++)                                                       \
                sum[b] += (R)x[p] * *(const V *)(at + b * W);                                      \
        }                                                                                          \
        for (int b = 0; b < blocks; b++)                                                           \
            *(lanes_t *)(g + b * W) = __builtin_convertvector(sum[b], lanes_t);                    \
    }                                                                                              \
                                                                                                   \
    /* By `blocks` vectors, as many as there are: of up to MOST the compiler knows the number. */  \
    ALWAYS void blocks_##suffix(const T *x, const int32_t *place, int64_t n, const R *M,           \
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
        if (!list || (blocks <= MOST && (sparse ? count : 2 * count) > blocks)) {                  \
            blocks_##suffix(x, place, n, w->FIELD, w->ld, blocks, sparse, list ? all : g);         \
            for (int64_t c = 0; c < count && list; c++)                                            \
                g[c] = all[list[c].column];                                                        \
            return;                                                                                \
        }                                                                                          \
        for (int64_t c = 0; c < count; c++) {                                                      \
            const R *M = w->FIELD + list[c].column;                                                \
            R sum[4] = {0};                                                                        \
            int64_t p = 0;                                                                         \
            for (; p + 4 <= n; p += 4)                                                             \
                for (int q = 0; q < 4; q++)                                                        \
                    sum[q] += (R)x[p + q] * M[(sparse ? place[p + q] : p + q) * w->ld];            \
            for (; p < n; p++)                                                                     \
                sum[0] += (R)x[p] * M[(sparse ? place[p] : p) * w->ld];                            \
            g[c] = (double)((sum[0] + sum[1]) + (sum[2] + sum[3]));                                \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    ALWAYS void add_all_##suffix(const T *x, const int32_t *place, int64_t n, R *M, int64_t ld,    \
                                 const int blocks, const bool sparse, const double *change)        \
    {                                                                                              \
        V by[MOST];                                                                                \
        for (int b = 0; b < blocks; b++)                                                           \
            by[b] = __builtin_convertvector(AT(change + b * W), V);                                \
        for (int64_t p = 0; p < n; p++) {                                                          \
            R *at = M + (sparse ? place[p] : p) * ld;                                              \
            for (int b = 0; b < blocks; b++)                                                       \
                *(V *)(at + b * W) += (R)x[p] * by[b];                                             \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    ALWAYS void add_##suffix(const pt_class_weights *w, int64_t i, const pt_entry *list,           \
                             int64_t count, const bool sparse, const double *change)               \
    {                                                                                              \
        ROW_OF(T, w, i, x, place, n);                                                              \
        const int64_t blocks = w->ld / W;                                                          \
        if (blocks <= 4 && (sparse ? count : 2 * count) > blocks) {                                \
            double all[4 * W] = {0};                                                               \
            for (int64_t c = 0; c < count; c++)                                                    \
                all[list[c].column] = change[c];                                                   \
            switch (blocks) {                                                                      \
            case 1:                                                                                \
                add_all_##suffix(x, place, n, w->FIELD, w->ld, 1, sparse, all);                    \
                break;                                                                             \
            case 2:                                                                                \
                add_all_##suffix(x, place, n, w->FIELD, w->ld, 2, sparse, all);                    \
                break;                                                                             \
            case 3:                                                                                \
                add_all_##suffix(x, place, n, w->FIELD, w->ld, 3, sparse, all);                    \
                break;                                                                             \
            default:                                                                               \
                add_all_##suffix(x, place, n, w->FIELD, w->ld, 4, sparse, all);                    \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int64_t p = 0; p < n; p++) {                                                          \
            R *at = w->FIELD + (sparse ? place[p] : p) * w->ld;                                    \
            for (int64_t c = 0; c < count; c++)                                                    \
                at[list[c].column] += (R)((double)x[p] * change[c]);                               \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    ALWAYS double apart_##suffix(const pt_class_weights *w, int64_t i, int64_t a, int64_t b,       \
                                 const bool sparse)                                                \
    {                                                                                              \
        ROW_OF(T, w, i, x, place, n);                                                              \
        const R *M_a = w->FIELD + a;                                                               \
        const R *M_b = w->FIELD + b;                                                               \
        const int64_t ld = w->ld;                                                                  \
        R sum[4] = {0};                                                                            \
        int64_t p = 0;                                                                             \
        for (; p + 4 <= n; p += 4)                                                                 \
            for (int q = 0; q < 4; q++) {                                                          \
                const int64_t at = (sparse ? place[p + q] : p + q) * ld;                           \
                sum[q] += (R)x[p + q] * (M_a[at] - M_b[at]);                                       \
            }                                                                                      \
        for (; p < n; p++) {                                                                       \
            const int64_t at = (sparse ? place[p] : p) * ld;                                       \
            sum[0] += (R)x[p] * (M_a[at] - M_b[at]);                                               \
        }                                                                                          \
        return (double)((sum[0] + sum[1]) + (sum[2] + sum[3]));                                    \
    }                                                                                              \
                                                                                                   \
    ALWAYS void shift_##suffix(const pt_class_weights *w, int64_t i, int64_t a, int64_t b,         \
                               const bool sparse, double change)                                   \
    {                                                                                              \
        ROW_OF(T, w, i, x, place, n);                                                              \
        R *M_a = w->FIELD + a;                                                                     \
        R *M_b = w->FIELD + b;                                                                     \
        const int64_t ld = w->ld;                                                                  \
        const R by = (R)change;                                                                    \
        for (int64_t p = 0; p < n; p++) {                                                          \
            const int64_t at = (sparse ? place[p] : p) * ld;                                       \
            const R step = by * (R)x[p];                                                           \
            M_a[at] += step;                                                                       \
            M_b[at] -= step;                                                                       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static double apart_dense_##suffix(const pt_class_weights *w, int64_t i, int64_t a, int64_t b) \
    {                                                                                              \
        return apart_##suffix(w, i, a, b, false);                                                  \
    }                                                                                              \
    static double apart_sparse_##suffix(const pt_class_weights *w, int64_t i, int64_t a,           \
                                        int64_t b)                                                 \
    {                                                                                              \
        return apart_##suffix(w, i, a, b, true);                                                   \
    }                                                                                              \
    static void shift_dense_##suffix(const pt_class_weights *w, int64_t i, int64_t a, int64_t b,   \
                                     double change)                                                \
    {                                                                                              \
        shift_##suffix(w, i, a, b, false, change);                                                 \
    }                                                                                              \
    static void shift_sparse_##suffix(const pt_class_weights *w, int64_t i, int64_t a, int64_t b,  \
                                      double change)                                               \
    {                                                                                              \
        shift_##suffix(w, i, a, b, true, change);                                                  \
    }                                                                                              \
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

DEFINE_BY_FEATURE(float, double, lanes_t, M, f32)
DEFINE_BY_FEATURE(double, double, lanes_t, M, f64)
DEFINE_BY_FEATURE(float, float, lanes_f32, low, low)

/* ---- all of M ----------------------------------------------------------------------------------
 *
 * Its size is a multiple of W. */

#define DEFINE_ALL(R, suffix)                                                         \
    static double square_##suffix(const R *a, int64_t count)                          \
    {                                                                                 \
        lanes_t sum = {0};                                                            \
        for (int64_t c = 0; c < count; c += W)                                        \
            sum += WIDE_##suffix(a + c) * WIDE_##suffix(a + c);                       \
        return SUM_OF(sum);                                                           \
    }                                                                                 \
                                                                                      \
    static void way_##suffix(const R *a, const R *past, int64_t count, double *along, \
                             double *length)                                          \
    {                                                                                 \
        lanes_t with = {0};                                                           \
        lanes_t own = {0};                                                            \
        for (int64_t c = 0; c < count; c += W) {                                      \
            const lanes_t now = WIDE_##suffix(a + c);                                 \
            const lanes_t step = now - WIDE_##suffix(past + c);                       \
            with += step * now;                                                       \
            own += step * step;                                                       \
        }                                                                             \
        *along = SUM_OF(with);                                                        \
        *length = SUM_OF(own);                                                        \
    }                                                                                 \
                                                                                      \
    static void leap_##suffix(R *a, R *past, double step, int64_t count)              \
    {                                                                                 \
        for (int64_t c = 0; c < count; c++) {                                         \
            const R now = a[c];                                                       \
            a[c] = now + (R)step * (now - past[c]);                                   \
            past[c] = now;                                                            \
        }                                                                             \
    }

DEFINE_ALL(float, f32)
DEFINE_ALL(double, f64)

static void narrow(const double *from, int64_t count, float *to)
{
    for (int64_t c = 0; c < count; c++)
        to[c] = (float)from[c];
}

#define NAME_OF(isa) pt_class_tables_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_class_tables NAME(PT_ISA);
#define LOOPS(kind)                                           \
    {                                                         \
        scores_##kind, add_##kind, apart_##kind, shift_##kind \
    }
const pt_class_tables NAME(PT_ISA) = {
    {{LOOPS(by_class_f32), LOOPS(by_class_f64), LOOPS(by_class_low)},
     {LOOPS(dense_f32), LOOPS(dense_f64), LOOPS(dense_low)},
     {LOOPS(sparse_f32), LOOPS(sparse_f64), LOOPS(sparse_low)}},
    square_f64,
    square_f32,
    way_f64,
    way_f32,
    leap_f64,
    leap_f32,
    narrow};
