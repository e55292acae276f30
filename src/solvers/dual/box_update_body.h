/* The update of box_loops.h for kernel values of T; NAME(f) gives a name of its own for each.
 * Included by box_loops_isa.c only. Rows come in groups of ROWS; a rest is filled up with its first
 * row times 0. */

static void NAME(add_rows)(const T *const *row, const double *c, int64_t from, int64_t to,
                           double *restrict G)
{
    const T *restrict r0 = row[0];
    const T *restrict r1 = row[1];
    const T *restrict r2 = row[2];
    const T *restrict r3 = row[3];
    const T *restrict r4 = row[4];
    const T *restrict r5 = row[5];
    const T *restrict r6 = row[6];
    const T *restrict r7 = row[7];
    for (int64_t i = from; i < to; i++)
        G[i] += ((c[0] * (double)r0[i] + c[1] * (double)r1[i]) +
                 (c[2] * (double)r2[i] + c[3] * (double)r3[i])) +
                ((c[4] * (double)r4[i] + c[5] * (double)r5[i]) +
                 (c[6] * (double)r6[i] + c[7] * (double)r7[i]));
}

static void NAME(update)(const T *const *row, const double *coef, int64_t count, int64_t width,
                         double add, double *G)
{
    for (int64_t from = 0; from < width; from += PIECE) {
        const int64_t to = from + PIECE < width ? from + PIECE : width;
        for (int64_t i = from; i < to; i++)
            G[i] += add;
        for (int64_t r = 0; r < count; r += ROWS) {
            const T *some[ROWS];
            double c[ROWS];
            for (int64_t s = 0; s < ROWS; s++) {
                some[s] = row[r + s < count ? r + s : r];
                c[s] = r + s < count ? coef[r + s] : 0;
            }
            NAME(add_rows)(some, c, from, to, G);
        }
    }
}
