/* The loops for rows of ROW and v in REAL; INDEX is an integer as wide as REAL, NAME(x) gives a
 * name of its own for each. Included by smo_loops_isa.c only.
 *
 * LANES variables go together, each lane with a best of its own: fixed trip counts, no branches, no
 * dependence between lanes, so that compilers make vectors of them. The best lane is found at the
 * end, the lowest place among equals. What is left of a row is copied to where LANES can be read.
 */

/* The larger; NaN never wins over b. */
static inline REAL NAME(larger)(REAL a, REAL b)
{
    return a > b ? a : b;
}

static REAL NAME(largest)(const REAL *value)
{
    REAL eight[8];
    REAL four[4];
    for (int lane = 0; lane < 8; lane++)
        eight[lane] = NAME(larger)(value[lane], value[lane + 8]);
    for (int lane = 0; lane < 4; lane++)
        four[lane] = NAME(larger)(eight[lane], eight[lane + 4]);
    return NAME(larger)(NAME(larger)(four[0], four[2]), NAME(larger)(four[1], four[3]));
}

/* The lowest at[lane] + lane of the lanes that have this value, -1: none has it. */
static int64_t NAME(lowest)(const REAL *value, const INDEX *at, REAL of)
{
    const INDEX none = (INDEX)1 << (8 * sizeof(INDEX) - 2);
    INDEX place[LANES];
    for (int lane = 0; lane < LANES; lane++)
        place[lane] = value[lane] == of ? at[lane] + lane : none;
    INDEX first = none;
    for (int lane = 0; lane < LANES; lane++)
        first = place[lane] < first ? place[lane] : first;
    return first == none ? -1 : (int64_t)first;
}

enum { NAME(AHEAD) = PT_SMO_AHEAD / sizeof(ROW), NAME(LINE) = PT_SMO_LINE / sizeof(ROW) };

static inline void NAME(fetch_first)(const ROW *row, int64_t n)
{
    for (int64_t k = 0; k < NAME(AHEAD) && k < n; k += NAME(LINE))
        __builtin_prefetch(row + k);
}

static inline void NAME(update_lanes)(REAL *restrict up, REAL *restrict low,
                                      const ROW *restrict first, const ROW *restrict second, REAL s,
                                      REAL t, INDEX block, REAL *restrict most, INDEX *restrict at,
                                      REAL *restrict least)
{
    for (int lane = 0; lane < LANES; lane++) {
        const REAL change = s * (REAL)first[lane] + t * (REAL)second[lane];
        const REAL rising = up[lane] - change;
        const REAL falling = low[lane] - change;
        const INDEX better = -(INDEX)(rising > most[lane]);
        up[lane] = rising;
        low[lane] = falling;
        at[lane] = (at[lane] & ~better) | (block & better);
        most[lane] = NAME(larger)(rising, most[lane]);
        least[lane] = NAME(larger)(-falling, least[lane]);
    }
}

static void NAME(update)(void *ups, void *lows, const pt_smo_move *move, int64_t n,
                         pt_smo_ends *ends)
{
    REAL *restrict up = ups;
    REAL *restrict low = lows;
    const ROW *restrict first = move->row[0];
    const ROW *restrict second = move->row[1];
    const REAL s = (REAL)move->by[0];
    const REAL t = (REAL)move->by[1];
    REAL most[LANES];
    REAL least[LANES];
    INDEX at[LANES] = {0};
    for (int lane = 0; lane < LANES; lane++)
        most[lane] = least[lane] = -INFINITY;
    int64_t k = 0;
    NAME(fetch_first)(second, n);
    for (; k + LANES <= n; k += LANES) {
        if (k < n - NAME(AHEAD))
            __builtin_prefetch(second + k + NAME(AHEAD));
        NAME(update_lanes)(up + k, low + k, first + k, second + k, s, t, (INDEX)k, most, at, least);
    }
    if (k < n) {
        ROW rest[2][LANES] = {{0}};
        memcpy(rest[0], first + k, (size_t)(n - k) * sizeof(ROW));
        memcpy(rest[1], second + k, (size_t)(n - k) * sizeof(ROW));
        NAME(update_lanes)(up + k, low + k, rest[0], rest[1], s, t, (INDEX)k, most, at, least);
    }
    const REAL top = NAME(largest)(most);
    ends->up = (double)top;
    ends->at_up = NAME(lowest)(most, at, top);
    ends->low = -(double)NAME(largest)(least);
}

static inline void NAME(second_lanes)(const REAL *restrict low, const REAL *restrict diagonal,
                                      const ROW *restrict row, REAL v, REAL curve, INDEX block,
                                      REAL *restrict most, INDEX *restrict at)
{
    for (int lane = 0; lane < LANES; lane++) {
        const REAL fall = NAME(larger)(v - low[lane], 0);
        const REAL bend = curve + diagonal[lane] - 2 * (REAL)row[lane];
        const REAL gain = fall * fall / NAME(larger)(bend, (REAL)PT_SMO_LEAST_CURVE);
        const INDEX better = -(INDEX)(gain > most[lane]);
        at[lane] = (at[lane] & ~better) | (block & better);
        most[lane] = NAME(larger)(gain, most[lane]);
    }
}

static void NAME(second)(const pt_smo_second *s, int64_t n, double *gain, int64_t *place)
{
    const REAL *low = s->low;
    const REAL *diagonal = s->diagonal;
    const ROW *row = s->row;
    REAL most[LANES] = {0};
    INDEX at[LANES] = {0};
    int64_t k = 0;
    NAME(fetch_first)(row, n);
    for (; k + LANES <= n; k += LANES) {
        if (k < n - NAME(AHEAD))
            __builtin_prefetch(row + k + NAME(AHEAD));
        NAME(second_lanes)
        (low + k, diagonal + k, row + k, (REAL)s->v, (REAL)s->curve, (INDEX)k, most, at);
    }
    if (k < n) {
        ROW rest[LANES] = {0};
        memcpy(rest, row + k, (size_t)(n - k) * sizeof(ROW));
        NAME(second_lanes)
        (low + k, diagonal + k, rest, (REAL)s->v, (REAL)s->curve, (INDEX)k, most, at);
    }
    const REAL top = NAME(largest)(most);
    *gain = (double)top;
    *place = top > 0 ? NAME(lowest)(most, at, top) : -1;
}
