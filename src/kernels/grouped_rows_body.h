/* Rows of T as grouped_rows.c uses them; NAME(f) gives a name of its own for each. Included there
 * only. */

/* out (d) <- x_i - centre */
static void NAME(fill)(const pt_grouped_rows *g, int64_t i, T *out)
{
    const pt_rows *rows = &g->source;
    const int64_t r = g->order[i];
    if (!rows->dense) {
        memset(out, 0, (size_t)g->d * sizeof *out);
        for (int64_t p = rows->start[r]; p < rows->start[r + 1]; p++)
            out[rows->index[p]] = ((const T *)rows->value)[p];
        return;
    }
    const T *x = (const T *)rows->dense + r * rows->stride;
    if (g->centre)
        for (int64_t f = 0; f < g->d; f++)
            out[f] = (T)((double)x[f] - g->centre[f]);
    else
        memcpy(out, x, (size_t)g->d * sizeof *out);
}

/* panel[f][r] <- row r of `rows` (count x d) */
static void NAME(turn)(const T *rows, int64_t count, int64_t d, T *panel)
{
    enum { LANES = PT_PANEL_BYTES / sizeof(T) };
    for (int64_t f = 0; f < d; f++)
        for (int64_t r = 0; r < LANES; r++)
            panel[f * LANES + r] = r < count ? rows[r * d + f] : 0;
}

static int64_t NAME(list)(const T *row, int64_t d, int32_t *feature, T *value)
{
    int64_t count = 0;
    for (int64_t f = 0; f < d; f++) { /* one too many is written, where the mark will be */
        feature[count] = (int32_t)f;
        value[count] = row[f];
        count += row[f] != 0;
    }
    feature[count] = -1;
    return count;
}

static int64_t NAME(count)(const T *row, int64_t d)
{
    int64_t count = 0;
    for (int64_t f = 0; f < d; f++)
        count += row[f] != 0;
    return count;
}
