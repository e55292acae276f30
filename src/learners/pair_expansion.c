/* Outputs for all pairs of groups of rows. */
#include "learners/pair_expansion.h"

#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"

void pt_pair_expansion_free(pt_pair_expansion *e)
{
    for (int64_t c = 0; e->of_group && c < e->k; c++)
        pt_expansion_free(&e->of_group[c]);
    pt_free(e->of_group);
    pt_free(e->bias);
    pt_free(e->coef);
    pt_free(e->order);
    pt_rows_owned_free(&e->rows);
    pt_free(e->first);
    pt_expansion_free(&e->pairs);
    *e = (pt_pair_expansion){0};
}

int64_t pt_pair_column_of(int64_t c, int64_t other)
{
    return other < c ? other : other - 1;
}

pt_status pt_pair_expansion_finish(pt_pair_expansion *e, const pt_kernel *kernel, pt_type type,
                                   pt_error *err)
{
    const int64_t width = e->k - 1;
    e->of_group = pt_alloc_zero(e->k, sizeof(pt_expansion), "an expansion", err);
    pt_status status = e->of_group ? PT_OK : PT_ENOMEM;
    for (int64_t c = 0; c < e->k && status == PT_OK; c++) {
        const int64_t n = e->first[c + 1] - e->first[c];
        if (n == 0)
            continue;
        const bool square = pt_kernel_is_row(kernel);
        pt_rows rows = {0};
        if (!square)
            rows = pt_rows_range(&e->rows.rows, e->first[c], n);
        const pt_expansion_parts parts = {.kernel = *kernel,
                                          .type = type,
                                          .m = width,
                                          .n_coef = n,
                                          .linear = square,
                                          .coef = e->coef + e->first[c] * width,
                                          .rows = &rows,
                                          .borrow = true};
        status = pt_expansion_take(&e->of_group[c], &parts, err);
    }
    return status;
}

/* ---- outputs ------------------------------------------------------------ */

/* f_pq += the output of group c for its pair with another. part: n x (k-1). */
static void add_outputs(const pt_pair_expansion *e, int64_t c, int64_t n, const double *part,
                        double *f)
{
    const int64_t width = e->k - 1;
    for (int64_t o = 0; o < width; o++) {
        const int64_t other = o < c ? o : o + 1;
        const int64_t s = other < c ? pt_pairs_column(e->k, other, c) //
                                    : pt_pairs_column(e->k, c, other);
        for (int64_t i = 0; i < n; i++)
            f[i * e->ell + s] += part[i * width + o];
    }
}

/* Rows of a precomputed kernel, dense or sparse, with their columns in the order of the classes. */
static pt_status sort_columns(const pt_pair_expansion *e, const pt_rows *rows,
                              pt_rows_owned *sorted, pt_error *err)
{
    const int64_t d = rows->d;
    const size_t size = pt_type_size(rows->type);
    int64_t *place = pt_alloc_zero(d, sizeof *place, "an order", err);
    char *dense = pt_alloc_zero(rows->n, (size_t)d * size, "sorted rows", err);
    for (int64_t j = 0; place && dense && j < d; j++)
        place[e->order[j]] = j;
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

static void begin_with_bias(const pt_pair_expansion *e, int64_t n, double *f)
{
    const size_t bytes = (size_t)e->ell * sizeof *f;
    for (int64_t i = 0; i < n; i++)
        if (e->bias)
            memcpy(f + i * e->ell, e->bias, bytes);
        else
            memset(f + i * e->ell, 0, bytes);
}

static pt_status outputs_by_group(const pt_pair_expansion *e, const pt_rows *rows, double *f,
                                  const pt_task *task, pt_error *err)
{
    pt_rows_owned sorted = {0};
    double *part = pt_alloc(rows->n * (e->k - 1), sizeof *part, "outputs", err);
    pt_status status = part ? PT_OK : PT_ENOMEM;
    if (status == PT_OK && e->order)
        status = sort_columns(e, rows, &sorted, err);
    if (status == PT_OK)
        begin_with_bias(e, rows->n, f);
    for (int64_t c = 0; c < e->k && status == PT_OK; c++) {
        if (e->of_group[c].n_coef == 0)
            continue;
        pt_rows seen = *rows;
        if (e->order) {
            seen = sorted.rows;
            seen.d = e->of_group[c].n_coef;
            seen.dense = (const char *)seen.dense + (size_t)e->first[c] * pt_type_size(seen.type);
        }
        status = pt_expansion_outputs(&e->of_group[c], &seen, part, task, err);
        if (status == PT_OK)
            add_outputs(e, c, rows->n, part, f);
    }
    pt_free(part);
    pt_rows_owned_free(&sorted);
    return status;
}

pt_status pt_pair_expansion_outputs(const pt_pair_expansion *e, const pt_rows *rows,
                                    double *outputs, const pt_task *task, pt_error *err)
{
    return e->linear ? pt_expansion_outputs(&e->pairs, rows, outputs, task, err)
                     : outputs_by_group(e, rows, outputs, task, err);
}

/* ---- the file ------------------------------------------------------------ */

void pt_pair_expansion_save(const pt_pair_expansion *e, pt_pack *pack)
{
    if (e->linear) {
        pt_expansion_save(&e->pairs, pack);
        return;
    }
    pt_pack_add(pack, "coef", PT_F64, e->first[e->k], e->k - 1, e->coef);
    pt_pack_add_integers(pack, "class_first", e->k + 1, e->first);
    if (e->bias)
        pt_pack_add(pack, "pair_bias", PT_F64, e->ell, 1, e->bias);
    if (e->order)
        pt_pack_add_integers(pack, "order", e->first[e->k], e->order);
    else
        pt_pack_add_rows(pack, &e->rows.rows);
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
static pt_status copy_arrays(pt_pair_expansion *e, const pt_array *coef, const pt_array *starts,
                             const pt_array *order, const pt_array *bias, const pt_rows *rows,
                             pt_error *err)
{
    e->coef = pt_alloc(coef->rows * coef->columns, sizeof(double), "a model", err);
    e->first = copy_integers(starts, err);
    e->order = order ? copy_integers(order, err) : NULL;
    e->bias = bias ? pt_alloc(e->ell, sizeof(double), "a model", err) : NULL;
    if (!e->coef || !e->first || (order && !e->order) || (bias && !e->bias))
        return PT_ENOMEM;
    if (bias)
        memcpy(e->bias, bias->value, (size_t)e->ell * sizeof(double));
    memcpy(e->coef, coef->value, (size_t)(coef->rows * coef->columns) * sizeof(double));
    return order ? PT_OK : pt_rows_select(&e->rows, rows, NULL, rows->n, err);
}

static pt_status load_groups(pt_pair_expansion *e, const pt_pack *pack, int64_t n_inputs,
                             const pt_kernel *kernel, pt_type type, int64_t *used, pt_error *err)
{
    const pt_array *coef = pt_pack_find(pack, "coef");
    const pt_array *starts = pt_pack_find(pack, "class_first");
    const pt_array *bias = pt_pack_find(pack, "pair_bias");
    const bool square = pt_kernel_is_row(kernel);
    const pt_array *order = square ? pt_pack_find(pack, "order") : NULL;
    const int64_t n = coef ? coef->rows : 0;
    pt_rows rows = {.n = n, .d = n_inputs, .type = type};
    if (!pt_array_is_real(coef, PT_F64) || n < 1 || coef->columns != e->k - 1 ||
        !valid_starts(starts, e->k, n))
        return pt_fail(err, PT_EFORMAT, "the model's coefficients do not fit its classes");
    if (square && (n != n_inputs || !pt_array_is_index(order, n) || order->rows != n))
        return pt_fail(err, PT_EFORMAT, "the model's order does not fit its columns");
    if (bias && (!pt_array_is_real(bias, PT_F64) || bias->rows != e->ell || bias->columns != 1))
        return pt_fail(err, PT_EFORMAT, "the model's bias does not fit its pairs");
    pt_status status = square ? PT_OK : pt_pack_find_rows(&rows, pack, err);
    if (status == PT_OK)
        status = copy_arrays(e, coef, starts, order, bias, &rows, err);
    if (status == PT_OK)
        status = pt_pair_expansion_finish(e, kernel, type, err);
    *used = 2 + (bias != NULL) + (square || rows.dense ? 1 : 3);
    return status;
}

pt_status pt_pair_expansion_load(pt_pair_expansion *e, const pt_pack *pack, int64_t n_inputs,
                                 int64_t k, const pt_params *params, int64_t *used, pt_error *err)
{
    pt_kernel kernel;
    const pt_type type =
        strcmp(pt_params_text(params, PT_P_PRECISION), "double") == 0 ? PT_F64 : PT_F32;
    if (k < 2 || k > INT32_MAX)
        return pt_fail(err, PT_EFORMAT, "the model has no pairs of classes");
    pt_status status = pt_kernel_from_params(&kernel, params, err);
    if (status != PT_OK)
        return status;
    e->k = k;
    e->ell = pt_pairs_count(k);
    e->linear = kernel.ops->linear;
    return e->linear ? pt_expansion_load(&e->pairs, pack, n_inputs, e->ell, params, used, err)
                     : load_groups(e, pack, n_inputs, &kernel, type, used, err);
}
