/* Machines of all pairs of classes, trained.
 *
 * A decoder's score is a sum over the columns of a code, and in the column of a pair only two
 * classes have entries: so pairs are decoded one by one with the code (+1, -1), and the matrix of
 * the whole code, k x k(k-1)/2, is not needed. */
#include "machines/pair_machine.h"

#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "machines/pack.h"

void pt_pair_machine_free(pt_machine *machine)
{
    pt_pair_machine *m = (pt_pair_machine *)machine;
    if (!m)
        return;
    for (int64_t c = 0; m->of_class && c < m->k; c++)
        pt_expansion_free(&m->of_class[c]);
    pt_free(m->of_class);
    pt_free(m->coef);
    pt_free(m->order);
    pt_rows_owned_free(&m->rows);
    pt_free(m->first);
    pt_expansion_free(&m->pairs);
    pt_label_space_free(&m->space);
    pt_free(m);
}

pt_status pt_pair_machine_new(pt_pair_machine **out, const pt_machine_ops *ops, int64_t k,
                              const pt_params *params, pt_error *err)
{
    static const double both[PT_PAIR_SIDES] = {1, -1};
    const pt_decoder *named = pt_decoder_find(pt_params_text(params, PT_P_DECODE));
    if (named && named->one_per_class)
        return pt_fail(err, PT_EINVAL,
                       "--decode %s needs one output for each class; %s has one for each pair",
                       named->name, ops->name);
    pt_pair_machine *m = pt_alloc_zero(1, sizeof *m, "a machine", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = ops;
    m->k = k;
    m->ell = pt_pairs_count(k);
    pt_status status = pt_label_space_from(&m->space, PT_PAIR_SIDES, 1, both, NULL, err);
    if (status == PT_OK)
        status = pt_decoder_for(&m->decoder, params, &m->space, err);
    if (status != PT_OK) {
        pt_pair_machine_free(&m->base);
        return status;
    }
    *out = m;
    return PT_OK;
}

int64_t pt_pair_column_of(int64_t c, int64_t other)
{
    return other < c ? other : other - 1;
}

pt_status pt_pair_machine_finish(pt_pair_machine *m, const pt_kernel *kernel, pt_type type,
                                 pt_error *err)
{
    const int64_t width = m->k - 1;
    m->of_class = pt_alloc_zero(m->k, sizeof(pt_expansion), "a machine", err);
    pt_status status = m->of_class ? PT_OK : PT_ENOMEM;
    for (int64_t c = 0; c < m->k && status == PT_OK; c++) {
        const int64_t n = m->first[c + 1] - m->first[c];
        if (n == 0)
            continue;
        const bool square = pt_kernel_is_row(kernel);
        pt_rows rows = {0};
        if (!square)
            rows = pt_rows_range(&m->rows.rows, m->first[c], n);
        const pt_expansion_parts parts = {.kernel = *kernel,
                                          .type = type,
                                          .m = width,
                                          .n_coef = n,
                                          .linear = square,
                                          .coef = m->coef + m->first[c] * width,
                                          .rows = &rows,
                                          .borrow = true};
        status = pt_expansion_take(&m->of_class[c], &parts, err);
    }
    return status;
}

/* ---- scores ------------------------------------------------------------ */

/* Outputs of a block of rows, and room to make them. */
typedef struct outputs {
    int64_t n;
    double *f;       /* n x ell, column-major: a pair after the other */
    double *part;    /* n x (k-1), or n x ell if linear: of an expansion, row-major */
    double *of_pair; /* n x 2: decoded */
} outputs;

/* f_pq += the output of class c for its pair with another. */
static void add_outputs(const pt_pair_machine *m, int64_t c, outputs *o)
{
    for (int64_t other = 0; other < m->k; other++) {
        if (other == c)
            continue;
        const int64_t s = other < c ? pt_pairs_column(m->k, other, c) //
                                    : pt_pairs_column(m->k, c, other);
        for (int64_t i = 0; i < o->n; i++)
            o->f[s * o->n + i] += o->part[i * (m->k - 1) + pt_pair_column_of(c, other)];
    }
}

/* Rows of a precomputed kernel, dense or sparse, with their columns in the order of the classes. */
static pt_status sort_columns(const pt_pair_machine *m, const pt_rows *rows, pt_rows_owned *sorted,
                              pt_error *err)
{
    const int64_t d = rows->d;
    const size_t size = pt_type_size(rows->type);
    int64_t *place = pt_alloc_zero(d, sizeof *place, "an order", err);
    char *dense = pt_alloc_zero(rows->n, (size_t)d * size, "sorted rows", err);
    for (int64_t j = 0; place && dense && j < d; j++)
        place[m->order[j]] = j;
    for (int64_t i = 0; place && dense && i < rows->n; i++) {
        const char *values = rows->dense ? rows->dense : rows->value;
        const int64_t begin = rows->dense ? i * rows->stride : rows->start[i];
        const int64_t end = rows->dense ? begin + d : rows->start[i + 1];
        for (int64_t p = begin; p < end; p++)
            memcpy(dense + (size_t)(i * d + place[rows->dense ? p - begin : rows->index[p]]) * size,
                   values + (size_t)p * size, size);
    }
    *sorted = (pt_rows_owned){
        .rows = {.n = rows->n, .d = d, .type = rows->type, .dense = dense, .stride = d},
        .value = dense};
    const bool made = place && dense;
    pt_free(place);
    return made ? PT_OK : PT_ENOMEM;
}

static pt_status outputs_by_class(const pt_pair_machine *m, const pt_rows *rows, outputs *o,
                                  const pt_task *task, pt_error *err)
{
    pt_rows_owned sorted = {0};
    pt_status status = m->order ? sort_columns(m, rows, &sorted, err) : PT_OK;
    memset(o->f, 0, (size_t)(o->n * m->ell) * sizeof *o->f);
    for (int64_t c = 0; c < m->k && status == PT_OK; c++) {
        if (m->of_class[c].n_coef == 0)
            continue;
        pt_rows seen = *rows;
        if (m->order) {
            seen = sorted.rows;
            seen.d = m->of_class[c].n_coef;
            seen.dense = (const char *)seen.dense + (size_t)m->first[c] * pt_type_size(seen.type);
        }
        status = pt_expansion_outputs(&m->of_class[c], &seen, o->part, task, err);
        if (status == PT_OK)
            add_outputs(m, c, o);
    }
    pt_rows_owned_free(&sorted);
    return status;
}

static pt_status outputs_linear(const pt_pair_machine *m, const pt_rows *rows, outputs *o,
                                const pt_task *task, pt_error *err)
{
    pt_status status = pt_expansion_outputs(&m->pairs, rows, o->part, task, err);
    for (int64_t i = 0; i < o->n && status == PT_OK; i++)
        for (int64_t s = 0; s < m->ell; s++)
            o->f[s * o->n + i] = o->part[i * m->ell + s];
    return status;
}

/* scores (n x k) <- the sum over pairs of what the decoder makes of each. */
static void decode_pairs(const pt_pair_machine *m, outputs *o, double *scores)
{
    memset(scores, 0, (size_t)(o->n * m->k) * sizeof *scores);
    for (int64_t s = 0; s < m->ell; s++) {
        int64_t p = 0;
        int64_t q = 0;
        pt_pairs_at(m->k, s, &p, &q);
        pt_decode_outputs(m->decoder, &m->space, o->n, o->f + s * o->n, o->of_pair);
        for (int64_t i = 0; i < o->n; i++) {
            scores[i * m->k + p] += o->of_pair[i * PT_PAIR_SIDES];
            scores[i * m->k + q] += o->of_pair[i * PT_PAIR_SIDES + 1];
        }
    }
}

/* Rows at a time, so that their outputs stay within some megabytes. */
static int64_t block_rows(const pt_pair_machine *m)
{
    enum { MOST_ROWS = 4096, MOST_OUTPUTS = 1 << 22 };
    const int64_t rows = MOST_OUTPUTS / m->ell;
    return rows < 1 ? 1 : rows < MOST_ROWS ? rows : MOST_ROWS;
}

pt_status pt_pair_machine_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                                 const pt_task *task, pt_error *err)
{
    const pt_pair_machine *m = (const pt_pair_machine *)machine;
    const int64_t most = block_rows(m) < rows->n ? block_rows(m) : rows->n;
    outputs o = {0};
    o.f = pt_alloc(most * m->ell, sizeof(double), "outputs", err);
    o.part = pt_alloc(most * (m->linear ? m->ell : m->k), sizeof(double), "outputs", err);
    o.of_pair = pt_alloc(most * PT_PAIR_SIDES, sizeof(double), "outputs", err);
    pt_status status = o.f && o.part && o.of_pair ? PT_OK : PT_ENOMEM;
    for (int64_t first = 0; first < rows->n && status == PT_OK; first += most) {
        o.n = rows->n - first < most ? rows->n - first : most;
        const pt_rows some = pt_rows_range(rows, first, o.n);
        status = m->linear ? outputs_linear(m, &some, &o, task, err)
                           : outputs_by_class(m, &some, &o, task, err);
        if (status == PT_OK)
            decode_pairs(m, &o, scores + first * m->k);
    }
    pt_free(o.of_pair);
    pt_free(o.part);
    pt_free(o.f);
    return status;
}

/* ---- the file ------------------------------------------------------------
 *
 * A linear kernel: an expansion. Otherwise coef, class_size (k) and the rows sorted by class, as an
 * expansion has them, or order (n) for a precomputed kernel. */

pt_status pt_pair_machine_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const pt_pair_machine *m = (const pt_pair_machine *)machine;
    pt_status status = pt_pack_begin(pack, err);
    if (status != PT_OK)
        return status;
    if (m->linear) {
        pt_expansion_save(&m->pairs, pack);
        return PT_OK;
    }
    pt_pack_add(pack, "coef", PT_F64, m->first[m->k], m->k - 1, m->coef);
    pt_pack_add_integers(pack, "class_first", m->k + 1, m->first);
    if (m->order)
        pt_pack_add_integers(pack, "order", m->first[m->k], m->order);
    else
        pt_pack_add_rows(pack, &m->rows.rows);
    return PT_OK;
}

/* Whether it says where the rows of k classes begin, n rows in all. */
static bool valid_starts(const pt_array *array, int64_t k, int64_t n)
{
    if (!pt_array_is_index(array, n + 1) || array->rows != k + 1)
        return false;
    const int64_t *first = array->value;
    for (int64_t c = 0; c < k; c++)
        if (first[c] > first[c + 1])
            return false;
    return first[0] == 0 && first[k] == n;
}

static int64_t *copy_integers(const pt_array *array, pt_error *err)
{
    int64_t *copy = pt_alloc(array->rows, sizeof *copy, "a model", err);
    if (copy)
        memcpy(copy, array->value, (size_t)array->rows * sizeof *copy);
    return copy;
}

/* The arrays have been checked. */
static pt_status copy_arrays(pt_pair_machine *m, const pt_array *coef, const pt_array *starts,
                             const pt_array *order, const pt_rows *rows, pt_error *err)
{
    m->coef = pt_alloc(coef->rows * coef->columns, sizeof(double), "a model", err);
    m->first = copy_integers(starts, err);
    m->order = order ? copy_integers(order, err) : NULL;
    if (!m->coef || !m->first || (order && !m->order))
        return PT_ENOMEM;
    memcpy(m->coef, coef->value, (size_t)(coef->rows * coef->columns) * sizeof(double));
    return order ? PT_OK : pt_rows_select(&m->rows, rows, NULL, rows->n, err);
}

static pt_status load_classes(pt_pair_machine *m, const pt_pack *pack, int64_t n_inputs,
                              const pt_kernel *kernel, pt_type type, int64_t *used, pt_error *err)
{
    const pt_array *coef = pt_pack_find(pack, "coef");
    const pt_array *starts = pt_pack_find(pack, "class_first");
    const bool square = pt_kernel_is_row(kernel);
    const pt_array *order = square ? pt_pack_find(pack, "order") : NULL;
    const int64_t n = coef ? coef->rows : 0;
    pt_rows rows = {.n = n, .d = n_inputs, .type = type};
    if (!pt_array_is_real(coef, PT_F64) || n < 1 || coef->columns != m->k - 1 ||
        !valid_starts(starts, m->k, n))
        return pt_fail(err, PT_EFORMAT, "the model's coefficients do not fit its classes");
    if (square && (n != n_inputs || !pt_array_is_index(order, n) || order->rows != n))
        return pt_fail(err, PT_EFORMAT, "the model's order does not fit its columns");
    pt_status status = square ? PT_OK : pt_pack_find_rows(&rows, pack, err);
    if (status == PT_OK)
        status = copy_arrays(m, coef, starts, order, &rows, err);
    if (status == PT_OK)
        status = pt_pair_machine_finish(m, kernel, type, err);
    *used = 2 + (square || rows.dense ? 1 : 3);
    return status;
}

pt_status pt_pair_machine_load(pt_machine **out, const pt_machine_ops *ops, const pt_pack *pack,
                               int64_t n_inputs, int64_t n_classes, const pt_params *params,
                               pt_error *err)
{
    pt_pair_machine *m = NULL;
    int64_t used = 0;
    pt_kernel kernel;
    const pt_type type =
        strcmp(pt_params_text(params, PT_P_PRECISION), "double") == 0 ? PT_F64 : PT_F32;
    if (n_classes < 2 || n_classes > INT32_MAX)
        return pt_fail(err, PT_EFORMAT, "%s has pairs of classes", ops->name);
    pt_status status = pt_pair_machine_new(&m, ops, n_classes, params, err);
    if (status != PT_OK)
        return status;
    status = pt_kernel_from_params(&kernel, params, err);
    if (status == PT_OK) {
        m->linear = kernel.ops->linear;
        status = m->linear
                     ? pt_expansion_load(&m->pairs, pack, n_inputs, m->ell, params, &used, err)
                     : load_classes(m, pack, n_inputs, &kernel, type, &used, err);
    }
    if (status == PT_OK && used != pack->count)
        status = pt_fail(err, PT_EFORMAT, "the model has arrays that %s has not", ops->name);
    if (status != PT_OK) {
        pt_pair_machine_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}
