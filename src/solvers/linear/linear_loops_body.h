/* The loops of linear_loops.h for rows of T; NAME(f) gives a name of its own for each. Included by
 * linear_loops_isa.c only. */

static inline double NAME(dot_dense)(const pt_linear_rows *rows, int64_t i,
                                     const double *restrict w)
{
    const T *restrict x = (const T *)rows->dense + i * rows->stride;
    double sum[LANES] = {0};
    double rest = rows->bias ? w[rows->d] : 0;
    int64_t f = 0;
    for (; f + LANES <= rows->d; f += LANES)
        for (int lane = 0; lane < LANES; lane++)
            sum[lane] += (double)x[f + lane] * w[f + lane];
    for (; f < rows->d; f++)
        rest += (double)x[f] * w[f];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            sum[lane] += sum[lane + half];
    return sum[0] + rest;
}

static inline void NAME(add_dense)(const pt_linear_rows *rows, int64_t i, double by,
                                   double *restrict w)
{
    const T *restrict x = (const T *)rows->dense + i * rows->stride;
    for (int64_t f = 0; f < rows->d; f++)
        w[f] += by * (double)x[f];
    w[rows->d] += rows->bias ? by : 0;
}

static inline void NAME(fetch_dense)(const pt_linear_rows *rows, int64_t i)
{
    const char *x = (const char *)((const T *)rows->dense + i * rows->stride);
    const int64_t bytes = rows->d * (int64_t)sizeof(T);
    for (int64_t at = 0; at < bytes; at += 64)
        __builtin_prefetch(x + at);
}

static inline double NAME(dot_sparse)(const pt_linear_rows *rows, int64_t i,
                                      const double *restrict w)
{
    const int64_t count = rows->start[i + 1] - rows->start[i];
    const int32_t *restrict index = rows->index + rows->start[i];
    const T *restrict x = (const T *)rows->value + rows->start[i];
    double sum[SPARSE_LANES] = {rows->bias ? w[rows->d] : 0};
    int64_t p = 0;
    for (; p + SPARSE_LANES <= count; p += SPARSE_LANES)
        for (int lane = 0; lane < SPARSE_LANES; lane++)
            sum[lane] += (double)x[p + lane] * w[index[p + lane]];
    for (; p < count; p++)
        sum[0] += (double)x[p] * w[index[p]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline void NAME(add_sparse)(const pt_linear_rows *rows, int64_t i, double by,
                                    double *restrict w)
{
    for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p++)
        w[rows->index[p]] += by * (double)((const T *)rows->value)[p];
    w[rows->d] += rows->bias ? by : 0;
}

static inline void NAME(fetch_sparse)(const pt_linear_rows *rows, int64_t i)
{
    for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p += 16)
        __builtin_prefetch(rows->index + p);
    for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p += 64 / (int64_t)sizeof(T))
        __builtin_prefetch((const T *)rows->value + p);
}

static void NAME(sweep_dense)(pt_linear_column *c, int64_t from, int64_t to, pt_linear_sweep *s)
{
    sweep(c, from, to, s, NAME(dot_dense), NAME(add_dense), NAME(fetch_dense));
}

static void NAME(apply_dense)(const pt_linear_column *c, const int64_t *list, int64_t from,
                              int64_t to, const double *v, double *out)
{
    apply(c, list, from, to, v, out, NAME(dot_dense), NAME(fetch_dense));
}

static void NAME(combine_dense)(const pt_linear_column *c, const int64_t *list, int64_t from,
                                int64_t to, const double *coef, double *v)
{
    combine(c, list, from, to, coef, v, NAME(add_dense));
}

static void NAME(sweep_sparse)(pt_linear_column *c, int64_t from, int64_t to, pt_linear_sweep *s)
{
    sweep(c, from, to, s, NAME(dot_sparse), NAME(add_sparse), NAME(fetch_sparse));
}

static void NAME(apply_sparse)(const pt_linear_column *c, const int64_t *list, int64_t from,
                               int64_t to, const double *v, double *out)
{
    apply(c, list, from, to, v, out, NAME(dot_sparse), NAME(fetch_sparse));
}

static void NAME(combine_sparse)(const pt_linear_column *c, const int64_t *list, int64_t from,
                                 int64_t to, const double *coef, double *v)
{
    combine(c, list, from, to, coef, v, NAME(add_sparse));
}
