/* The loops of class_weights.h for rows of T and M of R, at w->FIELD; V is a vector of R, WIDE(x)
 * the one that begins at x of T, NAME(f) gives a name of its own for each. Included by
 * class_weights_isa.c only. */

/* ---- by class -------------------------------------------------------------------------------- */

/* `classes` inner products side by side, each in `parts` sums: enough of them that an addition does
 * not wait for the one before it, and few enough for the registers. */
ALWAYS void NAME(dots)(const T *x, const R *const *M, int64_t d, const int classes, const int parts,
                       double *g)
{
    V sum[4] = {{0}};
    int64_t f = 0;
    for (; f + parts * W <= d; f += parts * W)
        for (int p = 0; p < parts; p++) {
            const V values = WIDE(x + f + p * W);
            for (int c = 0; c < classes; c++)
                sum[c * parts + p] += values * *(const V *)(M[c] + f + p * W);
        }
    for (; f + W <= d; f += W) {
        const V values = WIDE(x + f);
        for (int c = 0; c < classes; c++)
            sum[c * parts] += values * *(const V *)(M[c] + f);
    }
    for (int c = 0; c < classes; c++) {
        double rest = 0;
        for (int64_t t = f; t < d; t++)
            rest += (double)x[t] * (double)M[c][t];
        for (int p = 1; p < parts; p++)
            sum[c * parts] += sum[c * parts + p];
        g[c] = (double)SUM_OF(sum[c * parts]) + rest;
    }
}

static void NAME(scores_by_class)(const pt_class_weights *w, int64_t i, const pt_entry *list,
                                  int64_t count, double *g)
{
    const T *x = (const T *)w->rows->dense + i * w->rows->stride;
    const R *M[4];
    for (int64_t c = 0; c < count;) {
        const int64_t left = count - c;
        const int some = left >= 4 ? 4 : left >= 2 ? 2 : 1;
        for (int s = 0; s < some; s++)
            M[s] = w->FIELD + (list ? list[c + s].column : c + s) * w->ld;
        if (some == 4)
            NAME(dots)(x, M, w->rows->d, 4, 1, g + c);
        else if (some == 2)
            NAME(dots)(x, M, w->rows->d, 2, 2, g + c);
        else
            NAME(dots)(x, M, w->rows->d, 1, 4, g + c);
        c += some;
    }
}

static void NAME(add_by_class)(const pt_class_weights *w, int64_t i, const pt_entry *list,
                               int64_t count, const double *change)
{
    const int64_t d = w->rows->d;
    const T *x = (const T *)w->rows->dense + i * w->rows->stride;
    for (int64_t c = 0; c < count; c++) {
        R *M = w->FIELD + list[c].column * w->ld;
        const R by = (R)change[c];
        int64_t f = 0;
        if (by == 0)
            continue;
        for (; f + W <= d; f += W)
            *(V *)(M + f) += by * WIDE(x + f);
        for (; f < d; f++)
            M[f] += by * (R)x[f];
    }
}

static double NAME(apart_by_class)(const pt_class_weights *w, int64_t i, int64_t a, int64_t b)
{
    const int64_t d = w->rows->d;
    const T *x = (const T *)w->rows->dense + i * w->rows->stride;
    const R *M_a = w->FIELD + a * w->ld;
    const R *M_b = w->FIELD + b * w->ld;
    V sum[4] = {{0}};
    double rest = 0;
    int64_t f = 0;
    for (; f + 4 * W <= d; f += 4 * W)
        for (int p = 0; p < 4; p++)
            sum[p] += WIDE(x + f + p * W) *
                      (*(const V *)(M_a + f + p * W) - *(const V *)(M_b + f + p * W));
    for (; f + W <= d; f += W)
        sum[0] += WIDE(x + f) * (*(const V *)(M_a + f) - *(const V *)(M_b + f));
    for (; f < d; f++)
        rest += (double)x[f] * ((double)M_a[f] - (double)M_b[f]);
    sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return (double)SUM_OF(sum[0]) + rest;
}

static void NAME(shift_by_class)(const pt_class_weights *w, int64_t i, int64_t a, int64_t b,
                                 double change)
{
    const int64_t d = w->rows->d;
    const T *x = (const T *)w->rows->dense + i * w->rows->stride;
    R *M_a = w->FIELD + a * w->ld;
    R *M_b = w->FIELD + b * w->ld;
    const R by = (R)change;
    int64_t f = 0;
    for (; f + W <= d; f += W) {
        const V step = by * WIDE(x + f);
        *(V *)(M_a + f) += step;
        *(V *)(M_b + f) -= step;
    }
    for (; f < d; f++) {
        M_a[f] += by * (R)x[f];
        M_b[f] -= by * (R)x[f];
    }
}

/* ---- by feature ------------------------------------------------------------------------------ */

/* The values of a row, and their features; NULL: 0, 1, ... */
typedef struct NAME(row) {
    const T *x;
    const int32_t *place;
    int64_t count;
} NAME(row);

ALWAYS NAME(row) NAME(row_of)(const pt_class_weights *w, int64_t i)
{
    const pt_linear_rows *rows = w->rows;
    if (rows->dense)
        return (NAME(row)){(const T *)rows->dense + i * rows->stride, NULL, rows->d};
    const int64_t first = rows->start[i];
    return (NAME(row)){(const T *)rows->value + first, rows->index + first,
                       rows->start[i + 1] - first};
}

/* All lanes of a feature at once, `blocks` vectors; `sparse` is known to the compiler. */
ALWAYS void NAME(all)(const T *x, const int32_t *place, int64_t n, const R *M, int64_t ld,
                      const int blocks, const bool sparse, double *g)
{
    V sum[MOST];
    for (int b = 0; b < blocks; b++)
        sum[b] = (V){0};
    for (int64_t p = 0; p < n; p++) {
        const R *at = M + (sparse ? place[p] : p) * ld;
        for (int b = 0; b < blocks; b++)
            sum[b] += (R)x[p] * *(const V *)(at + b * W);
    }
    for (int b = 0; b < blocks; b++)
        *(lanes_t *)(g + b * W) = __builtin_convertvector(sum[b], lanes_t);
}

/* By `blocks` vectors, as many as there are: of up to MOST the compiler knows the number. */
ALWAYS void NAME(blocks)(const T *x, const int32_t *place, int64_t n, const R *M, int64_t ld,
                         int64_t blocks, const bool sparse, double *g)
{
    for (; blocks > MOST; blocks -= MOST, M += MOST * W, g += MOST * W)
        NAME(all)(x, place, n, M, ld, MOST, sparse, g);
    switch (blocks) {
    case 1:
        NAME(all)(x, place, n, M, ld, 1, sparse, g);
        break;
    case 2:
        NAME(all)(x, place, n, M, ld, 2, sparse, g);
        break;
    case 3:
        NAME(all)(x, place, n, M, ld, 3, sparse, g);
        break;
    case 4:
        NAME(all)(x, place, n, M, ld, 4, sparse, g);
        break;
    case 5:
        NAME(all)(x, place, n, M, ld, 5, sparse, g);
        break;
    case 6:
        NAME(all)(x, place, n, M, ld, 6, sparse, g);
        break;
    case 7:
        NAME(all)(x, place, n, M, ld, 7, sparse, g);
        break;
    default:
        NAME(all)(x, place, n, M, ld, MOST, sparse, g);
    }
}

ALWAYS void NAME(scores)(const pt_class_weights *w, int64_t i, const pt_entry *list, int64_t count,
                         const bool sparse, double *g)
{
    const NAME(row) row = NAME(row_of)(w, i);
    const T *x = row.x;
    const int32_t *place = row.place;
    const int64_t n = row.count;
    const int64_t blocks = w->ld / W;
    double all[MOST * W];
    if (!list || (blocks <= MOST && (sparse ? count : 2 * count) > blocks)) {
        NAME(blocks)(x, place, n, w->FIELD, w->ld, blocks, sparse, list ? all : g);
        for (int64_t c = 0; c < count && list; c++)
            g[c] = all[list[c].column];
        return;
    }
    for (int64_t c = 0; c < count; c++) {
        const R *M = w->FIELD + list[c].column;
        R sum[4] = {0};
        int64_t p = 0;
        for (; p + 4 <= n; p += 4)
            for (int q = 0; q < 4; q++)
                sum[q] += (R)x[p + q] * M[(sparse ? place[p + q] : p + q) * w->ld];
        for (; p < n; p++)
            sum[0] += (R)x[p] * M[(sparse ? place[p] : p) * w->ld];
        g[c] = (double)((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
}

ALWAYS void NAME(add_all)(const T *x, const int32_t *place, int64_t n, R *M, int64_t ld,
                          const int blocks, const bool sparse, const double *change)
{
    V by[MOST];
    for (int b = 0; b < blocks; b++)
        by[b] = __builtin_convertvector(AT(change + b * W), V);
    for (int64_t p = 0; p < n; p++) {
        R *at = M + (sparse ? place[p] : p) * ld;
        for (int b = 0; b < blocks; b++)
            *(V *)(at + b * W) += (R)x[p] * by[b];
    }
}

ALWAYS void NAME(add)(const pt_class_weights *w, int64_t i, const pt_entry *list, int64_t count,
                      const bool sparse, const double *change)
{
    const NAME(row) row = NAME(row_of)(w, i);
    const T *x = row.x;
    const int32_t *place = row.place;
    const int64_t n = row.count;
    const int64_t blocks = w->ld / W;
    if (blocks <= 4 && (sparse ? count : 2 * count) > blocks) {
        double all[4 * W] = {0};
        for (int64_t c = 0; c < count; c++)
            all[list[c].column] = change[c];
        switch (blocks) {
        case 1:
            NAME(add_all)(x, place, n, w->FIELD, w->ld, 1, sparse, all);
            break;
        case 2:
            NAME(add_all)(x, place, n, w->FIELD, w->ld, 2, sparse, all);
            break;
        case 3:
            NAME(add_all)(x, place, n, w->FIELD, w->ld, 3, sparse, all);
            break;
        default:
            NAME(add_all)(x, place, n, w->FIELD, w->ld, 4, sparse, all);
        }
        return;
    }
    for (int64_t p = 0; p < n; p++) {
        R *at = w->FIELD + (sparse ? place[p] : p) * w->ld;
        for (int64_t c = 0; c < count; c++)
            at[list[c].column] += (R)((double)x[p] * change[c]);
    }
}

ALWAYS double NAME(apart)(const pt_class_weights *w, int64_t i, int64_t a, int64_t b,
                          const bool sparse)
{
    const NAME(row) row = NAME(row_of)(w, i);
    const T *x = row.x;
    const int32_t *place = row.place;
    const int64_t n = row.count;
    const R *M_a = w->FIELD + a;
    const R *M_b = w->FIELD + b;
    const int64_t ld = w->ld;
    R sum[4] = {0};
    int64_t p = 0;
    for (; p + 4 <= n; p += 4)
        for (int q = 0; q < 4; q++) {
            const int64_t at = (sparse ? place[p + q] : p + q) * ld;
            sum[q] += (R)x[p + q] * (M_a[at] - M_b[at]);
        }
    for (; p < n; p++) {
        const int64_t at = (sparse ? place[p] : p) * ld;
        sum[0] += (R)x[p] * (M_a[at] - M_b[at]);
    }
    return (double)((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

ALWAYS void NAME(shift)(const pt_class_weights *w, int64_t i, int64_t a, int64_t b,
                        const bool sparse, double change)
{
    const NAME(row) row = NAME(row_of)(w, i);
    const T *x = row.x;
    const int32_t *place = row.place;
    const int64_t n = row.count;
    R *M_a = w->FIELD + a;
    R *M_b = w->FIELD + b;
    const int64_t ld = w->ld;
    const R by = (R)change;
    for (int64_t p = 0; p < n; p++) {
        const int64_t at = (sparse ? place[p] : p) * ld;
        const R step = by * (R)x[p];
        M_a[at] += step;
        M_b[at] -= step;
    }
}

static double NAME(apart_dense)(const pt_class_weights *w, int64_t i, int64_t a, int64_t b)
{
    return NAME(apart)(w, i, a, b, false);
}
static double NAME(apart_sparse)(const pt_class_weights *w, int64_t i, int64_t a, int64_t b)
{
    return NAME(apart)(w, i, a, b, true);
}
static void NAME(shift_dense)(const pt_class_weights *w, int64_t i, int64_t a, int64_t b,
                              double change)
{
    NAME(shift)(w, i, a, b, false, change);
}
static void NAME(shift_sparse)(const pt_class_weights *w, int64_t i, int64_t a, int64_t b,
                               double change)
{
    NAME(shift)(w, i, a, b, true, change);
}
static void NAME(scores_dense)(const pt_class_weights *w, int64_t i, const pt_entry *list,
                               int64_t count, double *g)
{
    NAME(scores)(w, i, list, count, false, g);
}
static void NAME(scores_sparse)(const pt_class_weights *w, int64_t i, const pt_entry *list,
                                int64_t count, double *g)
{
    NAME(scores)(w, i, list, count, true, g);
}
static void NAME(add_dense)(const pt_class_weights *w, int64_t i, const pt_entry *list,
                            int64_t count, const double *change)
{
    NAME(add)(w, i, list, count, false, change);
}
static void NAME(add_sparse)(const pt_class_weights *w, int64_t i, const pt_entry *list,
                             int64_t count, const double *change)
{
    NAME(add)(w, i, list, count, true, change);
}
