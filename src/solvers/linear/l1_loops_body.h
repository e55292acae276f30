/* The loops of l1_loops.h for columns of T; NAME(f) gives a name of its own for each. Included by
 * l1_loops_isa.c only. */

/* sum_i x_ij v_i, or of squares. */
ALWAYS double NAME(sum_dense)(const pt_l1_columns *c, int64_t j, const double *v,
                              const bool squared)
{
    if (j == c->d)
        return sum_all(v, c->n);
    const T *restrict x = (const T *)c->value + j * c->n;
    double part[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= c->n; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            part[lane] += power(x[i + lane], squared) * v[i + lane];
    for (; i < c->n; i++)
        part[0] += power(x[i], squared) * v[i];
    return sum_lanes(part, LANES);
}

ALWAYS double NAME(sum_sparse)(const pt_l1_columns *c, int64_t j, const double *v,
                               const bool squared)
{
    if (j == c->d)
        return sum_all(v, c->n);
    const T *x = c->value;
    double part[SPARSE_LANES] = {0};
    int64_t p = c->start[j];
    for (; p + SPARSE_LANES <= c->start[j + 1]; p += SPARSE_LANES)
        for (int lane = 0; lane < SPARSE_LANES; lane++)
            part[lane] += power(x[p + lane], squared) * v[c->row[p + lane]];
    for (; p < c->start[j + 1]; p++)
        part[0] += power(x[p], squared) * v[c->row[p]];
    return sum_lanes(part, SPARSE_LANES);
}

static double NAME(dot_dense)(const pt_l1_columns *c, int64_t j, const double *v)
{
    return NAME(sum_dense)(c, j, v, false);
}

static double NAME(dot_sparse)(const pt_l1_columns *c, int64_t j, const double *v)
{
    return NAME(sum_sparse)(c, j, v, false);
}

static double NAME(square_dense)(const pt_l1_columns *c, int64_t j, const double *v)
{
    return NAME(sum_dense)(c, j, v, true);
}

static double NAME(square_sparse)(const pt_l1_columns *c, int64_t j, const double *v)
{
    return NAME(sum_sparse)(c, j, v, true);
}

static void NAME(move_dense)(const pt_l1_columns *c, int64_t j, double by,
                             const double *restrict curve, double *restrict t, double *restrict v)
{
    if (j == c->d) {
        move_all(c->n, by, curve, t, v);
        return;
    }
    const T *restrict x = (const T *)c->value + j * c->n;
    for (int64_t i = 0; i < c->n; i++) {
        const double step = by * (double)x[i];
        t[i] += step;
        v[i] += curve[i] * step;
    }
}

static void NAME(move_sparse)(const pt_l1_columns *c, int64_t j, double by,
                              const double *restrict curve, double *restrict t, double *restrict v)
{
    if (j == c->d) {
        move_all(c->n, by, curve, t, v);
        return;
    }
    for (int64_t p = c->start[j]; p < c->start[j + 1]; p++) {
        const double step = by * (double)((const T *)c->value)[p];
        t[c->row[p]] += step;
        v[c->row[p]] += curve[c->row[p]] * step;
    }
}
