/* Loss-based decoding as sums of gains (ASS section 3): the class with the smallest
 *
 *     d_L(r) = sum_s L(M(r,s) f_s)   has the largest   sum_s L(m_s f_s) - L(M(r,s) f_s)
 *
 * whatever signs m_s the columns are compared with, for they are the same for all classes. Here m_s
 * is 0 where the column has a 0, else its commonest sign. So
 *
 *   - most classes get nothing from most columns: all pairs and one-vs-all take O(ell) a row,
 *   - nothing large that all classes share hides their differences: one-vs-all gives class r
 *     L(-f_r) - L(f_r) exactly, an increasing function of f_r, and square and logistic losses give
 *     multiples of the inner product on codes without zeros, bit by bit.
 *
 * PT_DECODE_ROWS rows at a time, column by column: the outputs of a column are gathered, turned
 * into gains, and added to the classes; all three loops run along the rows. */
#include "decoders/decode_columns.h"

#include <string.h>

#include "base/alloc.h"

enum { ROWS = PT_DECODE_ROWS, COLUMNS = 8 };

/* Beyond this squares would overflow; no learner says so much. */
static const double MOST = 1e100;

/* ---- the lists ------------------------------------------------------------------------------- */

void pt_column_lists_free(pt_column_lists *lists)
{
    pt_free(lists->first);
    pt_free(lists->class_of);
    pt_free(lists->minus);
    pt_free(lists->takes_part);
    *lists = (pt_column_lists){0};
}

/* What the entries of column s are compared with. */
static int reference_entry(const pt_code *code, int64_t s)
{
    int64_t zeros = 0;
    int64_t sum = 0;
    for (int64_t r = 0; r < code->k; r++) {
        zeros += code->M[r * code->ell + s] == 0;
        sum += code->M[r * code->ell + s];
    }
    if (zeros > 0)
        return 0;
    return sum > 0 ? 1 : -1;
}

static pt_status list_classes(pt_column_lists *lists, const pt_code *code, pt_error *err)
{
    const int64_t cells = code->k * code->ell;
    lists->first = pt_alloc(code->ell + 1, sizeof(int64_t), "a decoder", err);
    lists->class_of = pt_alloc(cells, sizeof(int32_t), "a decoder", err);
    lists->minus = pt_alloc(cells, sizeof(bool), "a decoder", err);
    lists->takes_part = pt_alloc(code->ell, sizeof(bool), "a decoder", err);
    if (!lists->first || !lists->class_of || !lists->minus || !lists->takes_part)
        return PT_ENOMEM;
    int64_t count = 0;
    for (int64_t s = 0; s < code->ell; s++) {
        const int reference = reference_entry(code, s);
        lists->takes_part[s] = reference != 0;
        lists->first[s] = count;
        for (int64_t r = 0; r < code->k; r++)
            if (code->M[r * code->ell + s] != reference) {
                lists->class_of[count] = (int32_t)r;
                lists->minus[count++] = code->M[r * code->ell + s] < 0;
            }
    }
    lists->first[code->ell] = count;
    return PT_OK;
}

pt_status pt_column_lists_init(pt_column_lists *lists, const pt_code *code, pt_error *err)
{
    return code->pairs ? PT_OK : list_classes(lists, code, err);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* f <- columns s to s + COLUMNS of n rows, some at a time since they share cache lines; the rest is
 * 0. */
static void gather(const double *outputs, int64_t ell, int64_t s, int64_t n, double f[][ROWS])
{
    const int64_t columns = ell - s < COLUMNS ? ell - s : COLUMNS;
    memset(f, 0, COLUMNS * sizeof *f);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < columns; c++)
            f[c][i] = outputs[i * ell + s + c];
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < ROWS; i++) {
            f[c][i] = f[c][i] < MOST ? f[c][i] : MOST;
            f[c][i] = f[c][i] > -MOST ? f[c][i] : -MOST;
        }
}

static void add(double *restrict sum, const double *restrict gain)
{
    for (int64_t i = 0; i < ROWS; i++)
        sum[i] += gain[i];
}

static void add_pairs(const pt_column_gains *gains, const pt_code *code, int64_t n,
                      const double *outputs, double *sum)
{
    double f[COLUMNS][ROWS];
    double plus[ROWS];
    double minus[ROWS];
    for (int64_t p = 0, s = 0; p < code->k; p++)
        for (int64_t q = p + 1; q < code->k; q++, s++) {
            if (s % COLUMNS == 0)
                gather(outputs, code->ell, s, n, f);
            gains->both(f[s % COLUMNS], plus, minus);
            add(sum + p * ROWS, plus);
            add(sum + q * ROWS, minus);
        }
}

static void add_column(const pt_column_gains *gains, const pt_column_lists *lists, int64_t s,
                       const double *f, double *sum)
{
    double plus[ROWS];
    double minus[ROWS];
    if (lists->takes_part[s]) {
        gains->between(f, plus);
        for (int64_t i = 0; i < ROWS; i++)
            minus[i] = -plus[i];
    } else {
        gains->both(f, plus, minus);
    }
    for (int64_t at = lists->first[s]; at < lists->first[s + 1]; at++)
        add(sum + lists->class_of[at] * ROWS, lists->minus[at] ? minus : plus);
}

void pt_decode_columns(const pt_column_gains *gains, const pt_column_lists *lists,
                       const pt_code *code, int64_t n, const double *outputs, double *scores,
                       double *work)
{
    double f[COLUMNS][ROWS];
    memset(work, 0, (size_t)(code->k * ROWS) * sizeof *work);
    if (code->pairs)
        add_pairs(gains, code, n, outputs, work);
    for (int64_t s = 0; s < (code->pairs ? 0 : code->ell); s++) {
        if (s % COLUMNS == 0)
            gather(outputs, code->ell, s, n, f);
        add_column(gains, lists, s, f[s % COLUMNS], work);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < code->k; r++)
            scores[i * code->k + r] = work[r * ROWS + i];
}
