/* G[i] += sum_c coef[c] row[c][i] for kernel values of T and a gradient of S; NAME(f) gives a name
 * of its own for each. Included by spoc_loops_isa.c only. ROWS rows go at once, so that G is read
 * and written once for them; the rest one by one. */

static void NAME(add_four)(const void *const *row, const double *coef, int64_t width, S *restrict G)
{
    const T *restrict r0 = row[0];
    const T *restrict r1 = row[1];
    const T *restrict r2 = row[2];
    const T *restrict r3 = row[3];
    const S c0 = (S)coef[0];
    const S c1 = (S)coef[1];
    const S c2 = (S)coef[2];
    const S c3 = (S)coef[3];
    for (int64_t i = 0; i < width; i++)
        G[i] += (c0 * (S)r0[i] + c1 * (S)r1[i]) + (c2 * (S)r2[i] + c3 * (S)r3[i]);
}
static void NAME(add_one)(const T *restrict row, S c, int64_t width, S *restrict G)
{
    for (int64_t i = 0; i < width; i++)
        G[i] += c * (S)row[i];
}
static void NAME(update)(const void *const *row, const double *coef, int64_t count, int64_t width,
                         void *G)
{
    int64_t c = 0;
    for (; c + ROWS <= count; c += ROWS)
        NAME(add_four)(row + c, coef + c, width, G);
    for (; c < count; c++)
        NAME(add_one)(row[c], (S)coef[c], width, G);
}
