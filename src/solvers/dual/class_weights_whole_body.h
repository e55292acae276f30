/* The loops of class_weights.h over all of an M of R, whose size is a multiple of W; sums are in
 * double: WIDE(x) is the vector of doubles that begins at x of R, NAME(f) gives a name of its own
 * for each. Included by class_weights_isa.c only. */

static double NAME(square)(const R *a, int64_t count)
{
    lanes_t sum = {0};
    for (int64_t c = 0; c < count; c += W)
        sum += WIDE(a + c) * WIDE(a + c);
    return SUM_OF(sum);
}

static void NAME(way)(const R *a, const R *past, int64_t count, double *along, double *length)
{
    lanes_t with = {0};
    lanes_t own = {0};
    for (int64_t c = 0; c < count; c += W) {
        const lanes_t now = WIDE(a + c);
        const lanes_t step = now - WIDE(past + c);
        with += step * now;
        own += step * step;
    }
    *along = SUM_OF(with);
    *length = SUM_OF(own);
}

static void NAME(leap)(R *a, R *past, double step, int64_t count)
{
    for (int64_t c = 0; c < count; c++) {
        const R now = a[c];
        a[c] = now + (R)step * (now - past[c]);
        past[c] = now;
    }
}
