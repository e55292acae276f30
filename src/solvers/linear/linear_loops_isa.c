/* The loops of linear_loops.h for one instruction set (PT_ISA). Inner products keep LANES partial
 * sums that are added in a fixed order, so that a compiler makes vectors of them; w and all sums
 * are double whatever the type of the rows. */
#include <math.h>

#include "solvers/linear/linear_loops.h"

enum { LANES = 32, SPARSE_LANES = 4 };

/* Moves smaller than this times the bound are not worth an update of w: LIBLINEAR's 1e-12 of G. */
static const double STILL = 1e-12;

#define DEFINE_DENSE(T, suffix)                                                             \
    static inline double dot_dense_##suffix(const pt_linear_rows *rows, int64_t i,          \
                                            const double *restrict w)                       \
    {                                                                                       \
        const T *restrict x = (const T *)rows->dense + i * rows->stride;                    \
        double sum[LANES] = {0};                                                            \
        double rest = rows->bias ? w[rows->d] : 0;                                          \
        int64_t f = 0;                                                                      \
        for (; f + LANES <= rows->d; f += LANES)                                            \
            for (int lane = 0; lane < LANES; lane++)                                        \
                sum[lane] += (double)x[f + lane] * w[f + lane];                             \
        for (; f < rows->d; f++)                                                            \
            rest += (double)x[f] * w[f];                                                    \
        for (int half = LANES / 2; half > 0; half /= 2)                                     \
            for (int lane = 0; lane < half; lane++)                                         \
                sum[lane] += sum[lane + half];                                              \
        return sum[0] + rest;                                                               \
    }                                                                                       \
                                                                                            \
    static inline void add_dense_##suffix(const pt_linear_rows *rows, int64_t i, double by, \
                                          double *restrict w)                               \
    {                                                                                       \
        const T *restrict x = (const T *)rows->dense + i * rows->stride;                    \
        for (int64_t f = 0; f < rows->d; f++)                                               \
            w[f] += by * (double)x[f];                                                      \
        w[rows->d] += rows->bias ? by : 0;                                                  \
    }                                                                                       \
                                                                                            \
    static inline void fetch_dense_##suffix(const pt_linear_rows *rows, int64_t i)          \
    {                                                                                       \
        const char *x = (const char *)((const T *)rows->dense + i * rows->stride);          \
        const int64_t bytes = rows->d * (int64_t)sizeof(T);                                 \
        for (int64_t at = 0; at < bytes; at += 64)                                          \
            __builtin_prefetch(x + at);                                                     \
    }

#define DEFINE_SPARSE(T, suffix)                                                               \
    static inline double dot_sparse_##suffix(const pt_linear_rows *rows, int64_t i,            \
                                             const double *restrict w)                         \
    {                                                                                          \
        const int64_t count = rows->start[i + 1] - rows->start[i];                             \
        const int32_t *restrict index = rows->index + rows->start[i];                          \
        const T *restrict x = (const T *)rows->value + rows->start[i];                         \
        double sum[SPARSE_LANES] = {rows->bias ? w[rows->d] : 0};                              \
        int64_t p = 0;                                                                         \
        for (; p + SPARSE_LANES <= count; p += SPARSE_LANES)                                   \
            for (int lane = 0; lane < SPARSE_LANES; lane++)                                    \
                sum[lane] += (double)x[p + lane] * w[index[p + lane]];                         \
        for (; p < count; p++)                                                                 \
            sum[0] += (double)x[p] * w[index[p]];                                              \
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);                                          \
    }                                                                                          \
                                                                                               \
    static inline void add_sparse_##suffix(const pt_linear_rows *rows, int64_t i, double by,   \
                                           double *restrict w)                                 \
    {                                                                                          \
        for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p++)                          \
            w[rows->index[p]] += by * (double)((const T *)rows->value)[p];                     \
        w[rows->d] += rows->bias ? by : 0;                                                     \
    }                                                                                          \
                                                                                               \
    static inline void fetch_sparse_##suffix(const pt_linear_rows *rows, int64_t i)            \
    {                                                                                          \
        for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p += 16)                      \
            __builtin_prefetch(rows->index + p);                                               \
        for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p += 64 / (int64_t)sizeof(T)) \
            __builtin_prefetch((const T *)rows->value + p);                                    \
    }

DEFINE_DENSE(float, f32)
DEFINE_DENSE(double, f64)
DEFINE_SPARSE(float, f32)
DEFINE_SPARSE(double, f64)

static inline bool settled(double a, double u, double G, const pt_linear_sweep *s)
{
    return (a <= 0 && G > s->above) || (a >= u && G < s->below);
}

/* How far a goes, in [0, u] along -G; a row of zeros (square = 0, G = -1) goes to u. */
static inline double best_move(double a, double u, double G, double square)
{
    const double to = square > 0 ? a - G / square : u;
    return (to < 0 ? 0 : to > u ? u : to) - a;
}

#define DEFINE_LOOPS(kind)                                                                      \
    static void sweep_##kind(pt_linear_column *c, int64_t from, int64_t to, pt_linear_sweep *s) \
    {                                                                                           \
        const pt_linear_rows *rows = c->rows;                                                   \
        int64_t kept = s->kept;                                                                 \
        for (int64_t at = from; at < to; at++) {                                                \
            const int64_t i = c->active[at];                                                    \
            if (at + 1 < to)                                                                    \
                fetch_##kind(rows, c->row[c->active[at + 1]]);                                  \
            const double a = c->a[i];                                                           \
            const double u = c->bound[i];                                                       \
            const double G = c->y[i] * dot_##kind(rows, c->row[i], c->w) - 1;                   \
            if (settled(a, u, G, s)) {                                                          \
                s->left = G < s->left ? G : s->left;                                            \
                continue;                                                                       \
            }                                                                                   \
            c->active[kept++] = i;                                                              \
            const double move = best_move(a, u, G, rows->square[c->row[i]]);                    \
            s->gap += G > 0 ? a * G : (a - u) * G;                                              \
            s->lowest = G < s->lowest ? G : s->lowest;                                          \
            if (move == 0)                                                                      \
                continue;                                                                       \
            s->most = G > s->most ? G : s->most;                                                \
            s->least = G < s->least ? G : s->least;                                             \
            if (fabs(G) < STILL)                                                                \
                continue;                                                                       \
            c->a[i] = a + move;                                                                 \
            s->rise += move;                                                                    \
            add_##kind(rows, c->row[i], c->y[i] * move, c->w);                                  \
        }                                                                                       \
        s->kept = kept;                                                                         \
    }                                                                                           \
                                                                                                \
    static void apply_##kind(const pt_linear_column *c, const int64_t *list, int64_t from,      \
                             int64_t to, const double *v, double *out)                          \
    {                                                                                           \
        for (int64_t j = from; j < to; j++) {                                                   \
            const int64_t i = list ? list[j] : j;                                               \
            if (j + 1 < to)                                                                     \
                fetch_##kind(c->rows, c->row[list ? list[j + 1] : j + 1]);                      \
            out[j] = c->y[i] * dot_##kind(c->rows, c->row[i], v);                               \
        }                                                                                       \
    }                                                                                           \
                                                                                                \
    static void combine_##kind(const pt_linear_column *c, const int64_t *list, int64_t from,    \
                               int64_t to, const double *coef, double *v)                       \
    {                                                                                           \
        for (int64_t j = from; j < to; j++) {                                                   \
            const int64_t i = list ? list[j] : j;                                               \
            if (coef[j] != 0)                                                                   \
                add_##kind(c->rows, c->row[i], c->y[i] * coef[j], v);                           \
        }                                                                                       \
    }

DEFINE_LOOPS(dense_f32)
DEFINE_LOOPS(dense_f64)
DEFINE_LOOPS(sparse_f32)
DEFINE_LOOPS(sparse_f64)

#define NAME_OF(isa) pt_linear_tables_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_linear_tables NAME(PT_ISA);
const pt_linear_tables NAME(PT_ISA) = {
    {{{sweep_dense_f32, apply_dense_f32, combine_dense_f32},
      {sweep_dense_f64, apply_dense_f64, combine_dense_f64}},
     {{sweep_sparse_f32, apply_sparse_f32, combine_sparse_f32},
      {sweep_sparse_f64, apply_sparse_f64, combine_sparse_f64}}}};
