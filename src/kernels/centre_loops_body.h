/* The loops for one type, REAL; NAME(x) gives a name of its own for each. Included by
 * centre_loops_isa.c only.
 *
 * ROWS rows are worked on together, and those that are left one by one: each number is read once
 * for all of them. Sums stay in registers: ROWS x VECTORS of a panel, ROWS x 2 of a strip. A row
 * meets its operands in the same order in both, so that its sums have the same bits. */

enum { NAME(LANES) = PT_PANEL_BYTES / sizeof(REAL), NAME(WIDE) = VECTOR_BYTES / sizeof(REAL) };

/* `near`: wherever it lies. */
typedef REAL NAME(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef REAL NAME(near)
    __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(REAL)), may_alias));

typedef BITS NAME(bits) __attribute__((vector_size(VECTOR_BYTES)));

#define VECTOR NAME(vector)

static inline VECTOR NAME(load)(const REAL *at)
{
    return *(const NAME(near) *)at;
}

static inline void NAME(keep)(REAL *at, VECTOR v)
{
    *(NAME(near) *)at = v;
}

/* All of its numbers are x. */
static inline VECTOR NAME(all)(REAL x)
{
    return x - (VECTOR){0};
}

static inline VECTOR NAME(size_of)(VECTOR v)
{
    const NAME(bits) sign = (NAME(bits)){0} + ((BITS)1 << (8 * sizeof(REAL) - 1));
    return (VECTOR)((NAME(bits))v & ~sign);
}

/* sum + x p, in one rounding where the processor can: all three are at hand, so that a compiler
 * fuses them in every loop or, as with sanitizers (CMakeLists.txt), in none. */
ALWAYS VECTOR NAME(add)(VECTOR sum, VECTOR x, VECTOR p)
{
    return sum + x * p;
}

ALWAYS VECTOR NAME(add_distance)(VECTOR sum, VECTOR x, VECTOR p)
{
    return sum + NAME(size_of)(p - x);
}

#define DEFINE_MEETING(name, count, TERM)                                                         \
    static void NAME(name)(const REAL *restrict panel, int64_t width, const REAL *restrict rows,  \
                           int64_t stride, bool more, REAL *restrict values)                      \
    {                                                                                             \
        for (int at = 0; at < NAME(LANES); at += VECTORS * NAME(WIDE)) {                          \
            VECTOR sum[count][VECTORS];                                                           \
            for (int i = 0; i < (count); i++)                                                     \
                for (int v = 0; v < VECTORS; v++)                                                 \
                    sum[i][v] = more ? NAME(load)(values + i * NAME(LANES) + at + v * NAME(WIDE)) \
                                     : (VECTOR){0};                                               \
            for (int64_t f = 0; f < width; f++) {                                                 \
                VECTOR p[VECTORS];                                                                \
                for (int v = 0; v < VECTORS; v++)                                                 \
                    p[v] = NAME(load)(panel + f * NAME(LANES) + at + v * NAME(WIDE));             \
                for (int i = 0; i < (count); i++) {                                               \
                    const VECTOR x = NAME(all)(rows[i * stride + f]);                             \
                    for (int v = 0; v < VECTORS; v++)                                             \
                        sum[i][v] = TERM(sum[i][v], x, p[v]);                                     \
                }                                                                                 \
            }                                                                                     \
            for (int i = 0; i < (count); i++)                                                     \
                for (int v = 0; v < VECTORS; v++)                                                 \
                    NAME(keep)(values + i * NAME(LANES) + at + v * NAME(WIDE), sum[i][v]);        \
        }                                                                                         \
    }

DEFINE_MEETING(dot_some, ROWS, NAME(add))
DEFINE_MEETING(dot_one, 1, NAME(add))
DEFINE_MEETING(l1_some, ROWS, NAME(add_distance))
DEFINE_MEETING(l1_one, 1, NAME(add_distance))

#define DEFINE_PANEL(name)                                                                         \
    static void NAME(panel_##name)(const void *panel, int64_t width, const void *rows,             \
                                   int64_t stride, int64_t n, bool more, void *values)             \
    {                                                                                              \
        const REAL *x = rows;                                                                      \
        REAL *value = values;                                                                      \
        int64_t i = 0;                                                                             \
        for (; i + ROWS <= n; i += ROWS)                                                           \
            NAME(name##_some)                                                                      \
        (panel, width, x + i * stride, stride, more, value + i * NAME(LANES));                     \
        for (; i < n; i++)                                                                         \
            NAME(name##_one)(panel, width, x + i * stride, stride, more, value + i * NAME(LANES)); \
    }

DEFINE_PANEL(dot)
DEFINE_PANEL(l1)

static void NAME(panel_distance)(void *values, int64_t n, const void *norm, const void *own)
{
    for (int64_t i = 0; i < n; i++) {
        const REAL *restrict of_centre = norm;
        REAL *restrict value = (REAL *)values + i * NAME(LANES);
        const REAL of_row = ((const REAL *)own)[i];
        for (int r = 0; r < NAME(LANES); r++) {
            const REAL squared = of_centre[r] + of_row - 2 * value[r];
            value[r] = squared < 0 ? 0 : squared; /* NaN stays NaN */
        }
    }
}

static void NAME(row_norms)(const void *rows, int64_t stride, int64_t n, int64_t width, void *norm)
{
    for (int64_t i = 0; i < n; i++) {
        const REAL *x = (const REAL *)rows + i * stride;
        REAL sum = 0;
        for (int64_t f = 0; f < width; f++)
            sum += x[f] * x[f];
        ((REAL *)norm)[i] = sum;
    }
}

/* ---- coefficients ---------------------------------------------------------------------------- */

#define DEFINE_WEIGHING(name, count, vectors)                                                \
    static void NAME(name)(const REAL *restrict values, int64_t stride, int64_t next,        \
                           int64_t terms, const REAL *restrict coef, int64_t step, bool add, \
                           REAL *restrict out, int64_t ld)                                   \
    {                                                                                        \
        VECTOR sum[count][vectors];                                                          \
        for (int i = 0; i < (count); i++)                                                    \
            for (int v = 0; v < (vectors); v++)                                              \
                sum[i][v] = (VECTOR){0};                                                     \
        for (int64_t t = 0; t < terms; t++) {                                                \
            VECTOR c[vectors];                                                               \
            for (int v = 0; v < (vectors); v++)                                              \
                c[v] = NAME(load)(coef + t * step + v * NAME(WIDE));                         \
            for (int i = 0; i < (count); i++) {                                              \
                const VECTOR x = NAME(all)(values[i * stride + t * next]);                   \
                for (int v = 0; v < (vectors); v++)                                          \
                    sum[i][v] = NAME(add)(sum[i][v], x, c[v]);                               \
            }                                                                                \
        }                                                                                    \
        for (int i = 0; i < (count); i++)                                                    \
            for (int v = 0; v < (vectors); v++) {                                            \
                REAL *at = out + i * ld + v * NAME(WIDE);                                    \
                NAME(keep)(at, add ? NAME(load)(at) + sum[i][v] : sum[i][v]);                \
            }                                                                                \
    }

DEFINE_WEIGHING(weigh_some_1, ROWS, 1)
DEFINE_WEIGHING(weigh_some_2, ROWS, 2)
DEFINE_WEIGHING(weigh_one_1, 1, 1)
DEFINE_WEIGHING(weigh_one_2, 1, 2)

static void NAME(weigh)(const void *values, int64_t stride, int64_t next, int64_t n, int64_t count,
                        const void *coef, int64_t step, int64_t outputs, bool add, void *out,
                        int64_t ld)
{
    for (int64_t s = 0; s < outputs; s += 2 * NAME(WIDE)) {
        const bool narrow = outputs - s <= NAME(WIDE);
        const REAL *x = values;
        const REAL *c = (const REAL *)coef + s;
        REAL *o = (REAL *)out + s;
        int64_t i = 0;
        for (; i + ROWS <= n; i += ROWS)
            (narrow ? NAME(weigh_some_1) : NAME(weigh_some_2))(x + i * stride, stride, next, count,
                                                               c, step, add, o + i * ld, ld);
        for (; i < n; i++)
            (narrow ? NAME(weigh_one_1) : NAME(weigh_one_2))(x + i * stride, stride, next, count, c,
                                                             step, add, o + i * ld, ld);
    }
}

#define DEFINE_SPARSE(name, T)                                                                    \
    static void NAME(name)(const T *restrict value, const int64_t *restrict index, int64_t count, \
                           const REAL *restrict coef, int64_t step, REAL *restrict out)           \
    {                                                                                             \
        VECTOR sum = {0};                                                                         \
        for (int64_t t = 0; t < count; t++)                                                       \
            sum = NAME(add)(sum, NAME(all)((REAL)value[t]), NAME(load)(coef + index[t] * step));  \
        NAME(keep)(out, sum);                                                                     \
    }

DEFINE_SPARSE(weigh_floats, float)
DEFINE_SPARSE(weigh_doubles, double)

static void NAME(weigh_sparse)(const void *values, pt_type type, const int64_t *index,
                               int64_t count, const void *coef, int64_t step, int64_t outputs,
                               void *out)
{
    for (int64_t s = 0; s < outputs; s += NAME(WIDE)) {
        const REAL *c = (const REAL *)coef + s;
        REAL *o = (REAL *)out + s;
        if (type == PT_F32)
            NAME(weigh_floats)(values, index, count, c, step, o);
        else
            NAME(weigh_doubles)(values, index, count, c, step, o);
    }
}

#undef DEFINE_SPARSE
#undef VECTOR
#undef DEFINE_MEETING
#undef DEFINE_PANEL
#undef DEFINE_WEIGHING
