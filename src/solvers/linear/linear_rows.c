/* Rows as solvers of linear machines read them. */
#include "solvers/linear/linear_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"

/* Dense rows become sparse where less than one value of SPARSE is not zero: a value with its index
 * takes twice the memory, and its place in w has to be looked up. */
enum { SPARSE = 4, PIECE = 1024 };

void pt_linear_rows_free(pt_linear_rows *rows)
{
    pt_free((void *)rows->order);
    pt_free((void *)rows->square);
    pt_free((void *)rows->value);
    pt_free((void *)rows->index);
    pt_free((void *)rows->start);
    memset(rows, 0, sizeof *rows);
}

double pt_linear_rows_bytes(const pt_rows *rows)
{
    const double n = (double)rows->n;
    const double stored = (double)pt_rows_stored(rows) / (rows->dense ? SPARSE : 1);
    return 16 * n + 24 * (double)rows->d +
           stored * (double)(sizeof(int32_t) + pt_type_size(rows->type));
}

typedef struct row_maker {
    const pt_rows *from;
    const void *values;
    int64_t *start; /* n + 1: first counts, then where the rows begin */
    int32_t *index;
    int32_t *place; /* d: of each feature */
    int32_t *order; /* d */
    void *value;
    double *square;
    double bias;
} row_maker;

static int64_t begin_of(const pt_rows *rows, int64_t i)
{
    return rows->dense ? i * rows->stride : rows->start[i];
}

static int64_t end_of(const pt_rows *rows, int64_t i)
{
    return rows->dense ? i * rows->stride + rows->d : rows->start[i + 1];
}

/* square, and start[i + 1] <- how many values are not zero, of PIECE rows. */
static pt_status look_at_rows(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    row_maker *m = context;
    const int64_t last = piece * PIECE + PIECE < m->from->n ? piece * PIECE + PIECE : m->from->n;
    for (int64_t i = piece * PIECE; i < last; i++) {
        double square = m->bias;
        int64_t count = 0;
        for (int64_t p = begin_of(m->from, i); p < end_of(m->from, i); p++) {
            const double x = pt_rows_value(m->from, m->values, p);
            square += x * x;
            count += x != 0;
        }
        if (!isfinite(square))
            return pt_fail(err, PT_ENUMERIC,
                           "a row has values whose squares are too large to add; scale the data");
        m->square[i] = square;
        m->start[i + 1] = count;
    }
    return PT_OK;
}

static pt_status copy_rows(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    row_maker *m = context;
    const size_t size = pt_type_size(m->from->type);
    const int64_t last = piece * PIECE + PIECE < m->from->n ? piece * PIECE + PIECE : m->from->n;
    for (int64_t i = piece * PIECE; i < last; i++) {
        int64_t at = m->start[i];
        const int64_t begin = begin_of(m->from, i);
        for (int64_t p = begin; p < end_of(m->from, i); p++) {
            if (pt_rows_value(m->from, m->values, p) == 0)
                continue;
            m->index[at] = m->place[m->from->dense ? p - begin : m->from->index[p]];
            memcpy((char *)m->value + (size_t)at * size, (const char *)m->values + (size_t)p * size,
                   size);
            at++;
        }
    }
    return PT_OK;
}

typedef struct frequency {
    int64_t count;
    int32_t feature;
} frequency;

/* Frequent ones first, then by number. */
static int by_frequency(const void *a, const void *b)
{
    const frequency *p = a;
    const frequency *q = b;
    return p->count != q->count ? (p->count < q->count) - (p->count > q->count)
                                : (p->feature > q->feature) - (p->feature < q->feature);
}

static pt_status order_features(row_maker *m, pt_error *err)
{
    const pt_rows *rows = m->from;
    frequency *list = pt_alloc(rows->d, sizeof *list, "an order of features", err);
    m->order = pt_alloc(rows->d, sizeof *m->order, "an order of features", err);
    m->place = pt_alloc(rows->d, sizeof *m->place, "an order of features", err);
    if (!list || !m->order || !m->place) {
        pt_free(list);
        return PT_ENOMEM;
    }
    for (int64_t f = 0; f < rows->d; f++)
        list[f] = (frequency){0, (int32_t)f};
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t p = begin_of(rows, i); p < end_of(rows, i); p++)
            list[rows->dense ? p - begin_of(rows, i) : rows->index[p]].count +=
                pt_rows_value(rows, m->values, p) != 0;
    qsort(list, (size_t)rows->d, sizeof *list, by_frequency);
    for (int64_t f = 0; f < rows->d; f++) {
        m->order[f] = list[f].feature;
        m->place[list[f].feature] = (int32_t)f;
    }
    pt_free(list);
    return PT_OK;
}

/* m->start is known. */
static pt_status make_sparse(row_maker *m, const pt_task *task, pt_error *err)
{
    PT_TRY(order_features(m, err));
    const int64_t stored = m->start[m->from->n];
    m->index = pt_alloc(stored, sizeof *m->index, "sparse rows", err);
    m->value = pt_alloc(stored, pt_type_size(m->from->type), "sparse rows", err);
    if (!m->index || !m->value)
        return PT_ENOMEM;
    return pt_parallel_for(task, (m->from->n + PIECE - 1) / PIECE, copy_rows, m, err);
}

pt_status pt_linear_rows_init(pt_linear_rows *out, const pt_rows *rows, bool bias,
                              const pt_task *task, pt_error *err)
{
    if (rows->d > INT32_MAX)
        return pt_fail(err, PT_ELIMIT, "there are %lld features; a linear machine takes %d",
                       (long long)rows->d, INT32_MAX);
    row_maker m = {.from = rows, .values = rows->dense ? rows->dense : rows->value, .bias = bias};
    m.start = pt_alloc_zero(rows->n + 1, sizeof *m.start, "sparse rows", err);
    m.square = pt_alloc(rows->n, sizeof *m.square, "lengths of rows", err);
    pt_status status = m.start && m.square ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = pt_parallel_for(task, (rows->n + PIECE - 1) / PIECE, look_at_rows, &m, err);
    for (int64_t i = 0; i < rows->n && status == PT_OK; i++)
        m.start[i + 1] += m.start[i];
    const bool sparse =
        status == PT_OK && (!rows->dense || m.start[rows->n] < pt_rows_stored(rows) / SPARSE);
    if (sparse)
        status = make_sparse(&m, task, err);
    *out = (pt_linear_rows){.n = rows->n,
                            .d = rows->d,
                            .type = rows->type,
                            .bias = bias,
                            .dense = sparse ? NULL : rows->dense,
                            .stride = rows->stride,
                            .start = m.start,
                            .index = m.index,
                            .order = m.order,
                            .value = m.value,
                            .square = m.square};
    pt_free(m.place);
    if (status != PT_OK)
        pt_linear_rows_free(out);
    return status;
}
