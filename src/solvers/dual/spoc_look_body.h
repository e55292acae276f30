/* The loops of spoc_loops.h over a chunk of a gradient of S; NAME(f) gives a name of its own for
 * each. Included by spoc_loops_isa.c only. */

static void NAME(max)(const S *restrict G, int64_t k, S *restrict largest)
{
    for (int64_t i = 0; i < PT_SPOC_CHUNK; i++)
        largest[i] = G[i];
    for (int64_t r = 1; r < k; r++) {
        const S *restrict row = G + r * PT_SPOC_CHUNK;
        for (int64_t i = 0; i < PT_SPOC_CHUNK; i++)
            largest[i] = row[i] > largest[i] ? row[i] : largest[i];
    }
}

static void NAME(excess)(const S *restrict G, int64_t k, const S *restrict own, S *restrict largest,
                         S *restrict sum)
{
    for (int64_t i = 0; i < PT_SPOC_CHUNK; i++) {
        largest[i] = own[i];
        sum[i] = 0;
    }
    for (int64_t r = 0; r < k; r++) {
        const S *restrict row = G + r * PT_SPOC_CHUNK;
        for (int64_t i = 0; i < PT_SPOC_CHUNK; i++) {
            largest[i] = row[i] > largest[i] ? row[i] : largest[i];
            sum[i] += row[i] > own[i] ? row[i] - own[i] : 0;
        }
    }
}

static void NAME(leap)(S *restrict G, S *restrict past, double step, int64_t count)
{
    for (int64_t c = 0; c < count; c++) {
        const S now = G[c];
        G[c] = now + (S)step * (now - past[c]);
        past[c] = now;
    }
}
