/* The loops for one type, REAL; NAME(x) gives a name of its own for each. Included by loops_isa.c
 * only. Written so that the compiler makes vectors of them: no calls, no early exits, fixed trip
 * counts. */

enum { NAME(LANES) = PT_PANEL_BYTES / sizeof(REAL) };

static void NAME(loop_exp)(void *array, int64_t count, double scale)
{
    REAL *value = array;
    for (int64_t i = 0; i < count; i++)
        value[i] = (REAL)exp((double)value[i] * scale);
}

static void NAME(loop_tanh)(void *array, int64_t count, double scale, double shift)
{
    REAL *value = array;
    for (int64_t i = 0; i < count; i++)
        value[i] = (REAL)tanh((double)value[i] * scale + shift);
}

/* By repeated squaring, a group of values at a time. */
static void NAME(loop_power)(void *array, int64_t count, double scale, double shift, int64_t degree)
{
    REAL *value = array;
    const REAL by = (REAL)scale;
    const REAL plus = (REAL)shift;
    for (int64_t at = 0; at < count; at += NAME(LANES)) {
        const int64_t left = count - at;
        const int64_t group = left < NAME(LANES) ? left : NAME(LANES);
        REAL square[NAME(LANES)];
        REAL result[NAME(LANES)];
        for (int64_t i = 0; i < group; i++) {
            square[i] = by * value[at + i] + plus;
            result[i] = 1;
        }
        for (int64_t bits = degree; bits > 0; bits >>= 1) {
            if (bits & 1)
                for (int64_t i = 0; i < group; i++)
                    result[i] *= square[i];
            for (int64_t i = 0; i < group; i++)
                square[i] *= square[i];
        }
        memcpy(value + at, result, (size_t)group * sizeof(REAL));
    }
}

static void NAME(loop_distance)(void *array, int64_t count, const void *norms, double other)
{
    REAL *dot = array;
    const REAL *norm = norms;
    const REAL own = (REAL)other;
    for (int64_t i = 0; i < count; i++) {
        const REAL squared = norm[i] + own - 2 * dot[i];
        dot[i] = squared < 0 ? 0 : squared; /* NaN stays NaN */
    }
}

static inline REAL NAME(absolute)(REAL x)
{
    return x < 0 ? -x : x;
}

static void NAME(panel_l1)(const void *panels, const void *values, int64_t count, void *sums)
{
    const REAL *panel = panels;
    const REAL *value = values;
    REAL sum[NAME(LANES)];
    memcpy(sum, sums, sizeof sum);
    for (int64_t f = 0; f < count; f++)
        for (int r = 0; r < NAME(LANES); r++)
            sum[r] += NAME(absolute)(panel[f * NAME(LANES) + r] - value[f]);
    memcpy(sums, sum, sizeof sum);
}

static void NAME(panel_sparse_dot)(const void *panels, const int32_t *slot, const int32_t *feature,
                                   const void *values, int64_t count, void *sums)
{
    const REAL *value = values;
    REAL sum[NAME(LANES)];
    memcpy(sum, sums, sizeof sum);
    for (int64_t p = 0; p < count; p++) {
        const int32_t row = slot[feature[p]];
        if (row < 0)
            continue;
        const REAL *panel = (const REAL *)panels + (int64_t)row * NAME(LANES);
        for (int r = 0; r < NAME(LANES); r++)
            sum[r] += value[p] * panel[r];
    }
    memcpy(sums, sum, sizeof sum);
}

static void NAME(panel_sparse_l1)(const void *panels, const int32_t *slot, const int32_t *feature,
                                  const void *values, int64_t count, void *sums)
{
    const REAL *value = values;
    REAL sum[NAME(LANES)];
    memcpy(sum, sums, sizeof sum);
    for (int64_t p = 0; p < count; p++) {
        const int32_t row = slot[feature[p]];
        if (row < 0) { /* no row of the panel has it */
            const REAL alone = NAME(absolute)(value[p]);
            for (int r = 0; r < NAME(LANES); r++)
                sum[r] += alone;
            continue;
        }
        const REAL *panel = (const REAL *)panels + (int64_t)row * NAME(LANES);
        for (int r = 0; r < NAME(LANES); r++)
            sum[r] += NAME(absolute)(panel[r] - value[p]) - NAME(absolute)(panel[r]);
    }
    memcpy(sums, sum, sizeof sum);
}
