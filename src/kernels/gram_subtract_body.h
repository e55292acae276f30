/* Loops that a compiler makes vectors of. Included by gram_rows.c only. */
static void NAME(const FROM *x, const double *centre, int64_t width, TO *out)
{
    if (centre)
        for (int64_t f = 0; f < width; f++)
            out[f] = (TO)((double)x[f] - centre[f]);
    else
        for (int64_t f = 0; f < width; f++)
            out[f] = (TO)x[f];
}
