/* The loops of l1_loops.h for one instruction set (PT_ISA). Sums keep LANES partial sums that are
 * added in a fixed order. */
#include "solvers/linear/l1_loops.h"

enum { LANES = 16, SPARSE_LANES = 4 };

static double sum_lanes(const double *part, int lanes)
{
    double sum = 0;
    for (int lane = 0; lane < lanes; lane++)
        sum += part[lane];
    return sum;
}

static double sum_all(const double *v, int64_t n)
{
    double part[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            part[lane] += v[i + lane];
    for (; i < n; i++)
        part[0] += v[i];
    return sum_lanes(part, LANES);
}

static void move_all(int64_t n, double by, const double *restrict curve, double *restrict t,
                     double *restrict v)
{
    for (int64_t i = 0; i < n; i++) {
        t[i] += by;
        v[i] += curve[i] * by;
    }
}

#define PLAIN(x) ((double)(x))
#define SQUARED(x) ((double)(x) * (double)(x))

#define DEFINE_SUM(T, name, POWER)                                                      \
    static double name##_dense_##T(const pt_l1_columns *c, int64_t j, const double *v)  \
    {                                                                                   \
        if (j == c->d)                                                                  \
            return sum_all(v, c->n);                                                    \
        const T *restrict x = (const T *)c->value + j * c->n;                           \
        double part[LANES] = {0};                                                       \
        int64_t i = 0;                                                                  \
        for (; i + LANES <= c->n; i += LANES)                                           \
            for (int lane = 0; lane < LANES; lane++)                                    \
                part[lane] += POWER(x[i + lane]) * v[i + lane];                         \
        for (; i < c->n; i++)                                                           \
            part[0] += POWER(x[i]) * v[i];                                              \
        return sum_lanes(part, LANES);                                                  \
    }                                                                                   \
                                                                                        \
    static double name##_sparse_##T(const pt_l1_columns *c, int64_t j, const double *v) \
    {                                                                                   \
        if (j == c->d)                                                                  \
            return sum_all(v, c->n);                                                    \
        const T *x = c->value;                                                          \
        double part[SPARSE_LANES] = {0};                                                \
        int64_t p = c->start[j];                                                        \
        for (; p + SPARSE_LANES <= c->start[j + 1]; p += SPARSE_LANES)                  \
            for (int lane = 0; lane < SPARSE_LANES; lane++)                             \
                part[lane] += POWER(x[p + lane]) * v[c->row[p + lane]];                 \
        for (; p < c->start[j + 1]; p++)                                                \
            part[0] += POWER(x[p]) * v[c->row[p]];                                      \
        return sum_lanes(part, SPARSE_LANES);                                           \
    }

#define DEFINE_MOVE(T)                                                            \
    static void move_dense_##T(const pt_l1_columns *c, int64_t j, double by,      \
                               const double *restrict curve, double *restrict t,  \
                               double *restrict v)                                \
    {                                                                             \
        if (j == c->d) {                                                          \
            move_all(c->n, by, curve, t, v);                                      \
            return;                                                               \
        }                                                                         \
        const T *restrict x = (const T *)c->value + j * c->n;                     \
        for (int64_t i = 0; i < c->n; i++) {                                      \
            const double step = by * (double)x[i];                                \
            t[i] += step;                                                         \
            v[i] += curve[i] * step;                                              \
        }                                                                         \
    }                                                                             \
                                                                                  \
    static void move_sparse_##T(const pt_l1_columns *c, int64_t j, double by,     \
                                const double *restrict curve, double *restrict t, \
                                double *restrict v)                               \
    {                                                                             \
        if (j == c->d) {                                                          \
            move_all(c->n, by, curve, t, v);                                      \
            return;                                                               \
        }                                                                         \
        for (int64_t p = c->start[j]; p < c->start[j + 1]; p++) {                 \
            const double step = by * (double)((const T *)c->value)[p];            \
            t[c->row[p]] += step;                                                 \
            v[c->row[p]] += curve[c->row[p]] * step;                              \
        }                                                                         \
    }

DEFINE_SUM(float, dot, PLAIN)
DEFINE_SUM(double, dot, PLAIN)
DEFINE_SUM(float, square, SQUARED)
DEFINE_SUM(double, square, SQUARED)
DEFINE_MOVE(float)
DEFINE_MOVE(double)

#define NAME_OF(isa) pt_l1_tables_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_l1_tables NAME(PT_ISA);
const pt_l1_tables NAME(PT_ISA) = {
    {{{dot_dense_float, square_dense_float, move_dense_float},
      {dot_dense_double, square_dense_double, move_dense_double}},
     {{dot_sparse_float, square_sparse_float, move_sparse_float},
      {dot_sparse_double, square_sparse_double, move_sparse_double}}}};
