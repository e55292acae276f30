/* The loops for one type, REAL; NAME(x) gives a name of its own for each. Included by loops_isa.c
 * only. Written so that the compiler makes vectors of them: no calls, no early exits, fixed trip
 * counts. */

enum { NAME(LANES) = PT_PANEL_BYTES / sizeof(REAL) };

/* ---- exp ----
 *
 * e^(s v) = 2^(c v), c = s / ln 2;  c v = k + x, k an integer, |x| <= 1/2;  2^(c v) = 2^k (1 + x
 * R(x)).
 *
 * Adding ROUNDER leaves k in the last bits of the sum, from where it goes into the exponent of
 * 2^(k-1); the polynomial gives 2 (1 + x R(x)), so that k may be one above the largest exponent. x
 * = c v - k is exact but for a last rounding: c is held in two parts, and the product is fused or,
 * without such an instruction, formed from halves of the digits. So the result is within 2 ulp of
 * e^(s v) for s as given, in double, and not only for its product with v as rounded.
 * Results below about 2^(2.5 - BIAS) are 0: there are no denormal kernel values, which would slow
 * down whatever uses them. e^0 is 1. Values that are too large give infinity, NaN stays NaN. */

typedef struct NAME(factor) {
    REAL high; /* c = high + low */
    REAL low;
    REAL first; /* c = first + second + third, the first two with half of the digits */
    REAL second;
    REAL third;
    REAL least; /* v is kept within these: results are 0 or infinity beyond */
    REAL most;
} NAME(factor);

static inline REAL NAME(from_bits)(BITS bits)
{
    REAL x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline BITS NAME(to_bits)(REAL x)
{
    BITS bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The leading half of the digits. */
static inline REAL NAME(top)(REAL x)
{
    return NAME(from_bits)(NAME(to_bits)(x) & TOP_MASK);
}

static NAME(factor) NAME(factor_of)(double scale)
{
    const long double c = (long double)scale * 1.44269504088896340735992468100189214L;
    NAME(factor) factor;
    factor.high = (REAL)c;
    factor.low = (REAL)(c - (long double)factor.high);
    factor.first = NAME(top)(factor.high);
    factor.second = NAME(top)((REAL)(c - (long double)factor.first));
    factor.third = (REAL)(c - (long double)factor.first - (long double)factor.second);
    const REAL zero_at = -(REAL)(BIAS - 1) / factor.high;
    const REAL infinite_at = (REAL)(BIAS + 2) / factor.high;
    factor.least = zero_at < infinite_at ? zero_at : infinite_at;
    factor.most = zero_at < infinite_at ? infinite_at : zero_at;
    return factor;
}

/* c v - k */
static inline REAL NAME(fraction)(REAL v, const NAME(factor) * c, REAL k)
{
#if defined(__FMA__) /* said outright: a compiler that has v high already may not fuse it again */
    return FUSED(v, c->low, FUSED(v, c->high, -k));
#else
    const REAL v_top = NAME(top)(v);
    const REAL v_rest = v - v_top;
    const REAL middle = v_top * c->second + v_rest * c->first;
    return ((v_top * c->first - k) + middle) + (v_rest * c->second + v * c->third);
#endif
}

static inline REAL NAME(exp_one)(REAL v, const NAME(factor) * c)
{
    v = v < c->least ? c->least : v;
    v = v > c->most ? c->most : v;
    const REAL rounded = v * c->high + ROUNDER;
    const REAL x = NAME(fraction)(v, c, rounded - ROUNDER);
    const REAL twice = 2 + x * EXP2_SERIES(x);
    return twice * NAME(from_bits)((NAME(to_bits)(rounded) + (BIAS - 1)) << FRACTION);
}

static void NAME(loop_exp)(void *array, int64_t count, double scale)
{
    REAL *value = array;
    const NAME(factor) factor = NAME(factor_of)(scale);
    for (int64_t i = 0; i < count; i++)
        value[i] = NAME(exp_one)(value[i], &factor);
}

/* ---- tanh ----
 *
 * tanh |y| = E / (E + 2), E = e^(2|y|) - 1 = 2^k (e^r - 1) + (2^k - 1), 2|y| = k ln 2 + r: no
 * cancellation where y is small. ln 2 is split so that k LN2_HIGH is exact. */

static inline REAL NAME(tanh_one)(REAL x)
{
    REAL y = x < 0 ? -x : x;
    y = y > TANH_MOST ? TANH_MOST : y; /* from there on it is 1 */
    const REAL rounded = y * (REAL)(2 * 1.44269504088896341) + ROUNDER;
    const REAL k = rounded - ROUNDER;
    const REAL r = (2 * y - k * LN2_HIGH) - k * LN2_LOW;
    const REAL power = NAME(from_bits)((NAME(to_bits)(rounded) + BIAS) << FRACTION);
    const REAL E = power * (r + r * r * EXPM1_SERIES(r)) + (power - 1);
    const REAL result = E / (E + 2);
    return x < 0 ? -result : result;
}

static void NAME(loop_tanh)(void *array, int64_t count, double scale, double shift)
{
    REAL *value = array;
    const REAL by = (REAL)scale;
    const REAL plus = (REAL)shift;
    for (int64_t i = 0; i < count; i++)
        value[i] = NAME(tanh_one)(by * value[i] + plus);
}

/* ---- the rest -------------------------------------------------------------------------------- */

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

static void NAME(panel_l1)(const void *panels, const void *values, int64_t count, void *sums)
{
    const REAL *panel = panels;
    const REAL *value = values;
    REAL sum[NAME(LANES)];
    memcpy(sum, sums, sizeof sum);
    for (int64_t f = 0; f < count; f++)
        for (int r = 0; r < NAME(LANES); r++)
            sum[r] += ABSOLUTE(panel[f * NAME(LANES) + r] - value[f]);
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
            const REAL alone = ABSOLUTE(value[p]);
            for (int r = 0; r < NAME(LANES); r++)
                sum[r] += alone;
            continue;
        }
        const REAL *panel = (const REAL *)panels + (int64_t)row * NAME(LANES);
        for (int r = 0; r < NAME(LANES); r++)
            sum[r] += ABSOLUTE(panel[r] - value[p]) - ABSOLUTE(panel[r]);
    }
    memcpy(sums, sum, sizeof sum);
}

/* ---- one row against panels ----
 *
 * The sums of a panel stay in registers, and become kernel values there. A row that is listed goes
 * over its features only; terms that are left out are 0 and would change nothing, so that values
 * are the same however a row is given. */

static inline void NAME(panel_dot)(const REAL *restrict panel, const int32_t *restrict feature,
                                   const REAL *restrict value, int64_t width, REAL *restrict sum)
{
    for (int r = 0; r < NAME(LANES); r++)
        sum[r] = 0;
    if (feature) /* ends at a mark, not at a count: gcc would interleave features, and give up
                    vectors for it */
        for (int64_t p = 0; feature[p] >= 0; p++) {
            const REAL *line = panel + (int64_t)feature[p] * NAME(LANES);
            for (int r = 0; r < NAME(LANES); r++)
                sum[r] += value[p] * line[r];
        }
    else
        for (int64_t f = 0; f < width; f++)
            for (int r = 0; r < NAME(LANES); r++)
                sum[r] += value[f] * panel[f * NAME(LANES) + r];
}

static void NAME(row_dot)(const pt_panel_row *z, void *values)
{
    REAL *out = values;
    const REAL *panel = z->panel;
    for (int64_t p = 0; p < z->panels; p++) {
        REAL sum[NAME(LANES)];
        NAME(panel_dot)(panel, z->feature, z->value, z->width, sum);
        memcpy(out, sum, sizeof sum);
        panel += z->width * NAME(LANES);
        out += NAME(LANES);
    }
}

static void NAME(row_l1)(const pt_panel_row *z, void *values)
{
    REAL *out = values;
    const REAL *panel = z->panel;
    for (int64_t p = 0; p < z->panels; p++) {
        memset(out, 0, PT_PANEL_BYTES);
        NAME(panel_l1)(panel, z->value, z->width, out);
        panel += z->width * NAME(LANES);
        out += NAME(LANES);
    }
}

static void NAME(row_rbf)(const pt_panel_row *z, const void *norms, double other, double scale,
                          void *values)
{
    REAL *out = values;
    const REAL *panel = z->panel;
    const REAL *norm = norms;
    const REAL own = (REAL)other;
    const NAME(factor) factor = NAME(factor_of)(scale);
    for (int64_t p = 0; p < z->panels; p++) {
        REAL sum[NAME(LANES)];
        NAME(panel_dot)(panel, z->feature, z->value, z->width, sum);
        for (int r = 0; r < NAME(LANES); r++) {
            const REAL squared = norm[r] + own - 2 * sum[r];
            sum[r] = NAME(exp_one)(squared < 0 ? 0 : squared, &factor);
        }
        memcpy(out, sum, sizeof sum);
        panel += z->width * NAME(LANES);
        norm += NAME(LANES);
        out += NAME(LANES);
    }
}

static void NAME(panel_norms)(const void *panels, int64_t width, void *norms)
{
    const REAL *panel = panels;
    REAL sum[NAME(LANES)];
    for (int r = 0; r < NAME(LANES); r++)
        sum[r] = 0;
    for (int64_t f = 0; f < width; f++)
        for (int r = 0; r < NAME(LANES); r++)
            sum[r] += panel[f * NAME(LANES) + r] * panel[f * NAME(LANES) + r];
    memcpy(norms, sum, sizeof sum);
}
