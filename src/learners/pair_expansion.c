/* Outputs for all pairs of groups of rows, by blocks.
 *
 * A block of new rows meets the centres, whatever groups they are of. What those of group c make of
 * their coefficients, k-1 sums for each row, is added where the pairs of c are. So every output is
 * summed in the order of the centres (kernels/centres.h), in the type of the outputs
 * (kernels/expansion.c says when that is double); the two groups of a pair meet in double. */
#include "learners/pair_expansion.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "kernels/gram_rows.h"
#include "kernels/kernel_params.h"

void pt_pair_expansion_free(pt_pair_expansion *e)
{
    pt_centres_free(e->centres);
    pt_free(e->coef_typed);
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

/* The pair of group c with the o-th of the others. */
static int64_t pair_of(int64_t k, int64_t c, int64_t o)
{
    return o < c ? pt_pairs_column(k, o, c) : pt_pairs_column(k, c, o + 1);
}

/* ---- making it ready ------------------------------------------------------------------------- */

/* The largest sum over a pair of the squares of its coefficients. */
static pt_status largest_square(const pt_pair_expansion *e, double *largest, const pt_task *task,
                                pt_error *err)
{
    PT_SCRATCH double *square = pt_alloc_zero(e->ell, sizeof *square, "a sum for each pair", err);
    if (!square)
        return PT_ENOMEM;
    *largest = 0;
    const double *coef = e->coef;
    for (int64_t c = 0; c < e->k; c++)
        for (int64_t o = 0; o < e->k - 1; o++) {
            PT_TRY(pt_task_check_row(task, o, e->first[c + 1] - e->first[c], err));
            double *sum = &square[pair_of(e->k, c, o)];
            for (int64_t i = e->first[c]; i < e->first[c + 1]; i++, coef++)
                *sum += *coef * *coef;
            *largest = fmax(*largest, *sum);
        }
    return PT_OK;
}

/* Those of a centre, which stand in the block of its group. */
static void coefficients(const void *of, int64_t i, int64_t from, int64_t count, double *row)
{
    const pt_pair_expansion *e = of;
    int64_t low = 0;
    for (int64_t high = e->k; high - low > 1;) { /* first[low] <= i < first[high] */
        const int64_t middle = low + (high - low) / 2;
        if (e->first[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    const int64_t first = e->first[low];
    const int64_t rows = e->first[low + 1] - first;
    const double *block = e->coef + first * (e->k - 1) + i - first;
    for (int64_t o = 0; o < count; o++)
        row[o] = block[(from + o) * rows];
}

pt_status pt_pair_expansion_finish(pt_pair_expansion *e, const pt_kernel *kernel, pt_type type,
                                   const pt_task *task, pt_error *err)
{
    const int64_t n = e->first[e->k];
    const bool by_row = pt_kernel_is_row(kernel);
    const pt_rows columns = {.d = n, .type = type};
    const pt_rows *rows = by_row ? NULL : &e->rows.rows;
    double square = 0;
    PT_TRY(largest_square(e, &square, task, err));
    e->kernel = *kernel;
    PT_TRY(pt_expansion_score_type(&e->score_type, type, kernel, rows, square, task, err));
    PT_TRY(pt_coefficients_lay(&e->coef_typed, n, e->k - 1, e->score_type, coefficients, e, task,
                               err));
    return pt_centres_new(&e->centres, by_row ? &columns : rows, e->order, kernel->ops,
                          e->score_type, task, err);
}

/* ---- outputs --------------------------------------------------------------------------------- */

typedef struct scorer {
    const pt_pair_expansion *e;
    pt_type type;
    double *f; /* rows.n x ell */
} scorer;

/* Groups come in their order: of a pair the first finds 0. */
static void take_group(void *context, int64_t group, int64_t row, int64_t n, const void *sums,
                       int64_t ld)
{
    const scorer *s = context;
    const pt_pair_expansion *e = s->e;
    for (int64_t i = 0; i < n; i++) {
        double *f = s->f + (row + i) * e->ell;
        for (int64_t o = 0; o < e->k - 1; o++)
            f[pair_of(e->k, group, o)] += pt_real_get(s->type, sums, i * ld + o);
    }
}

static pt_status score_rows(const pt_pair_expansion *e, const pt_centres *centres, const void *coef,
                            const pt_rows *rows, double *f, const pt_task *task, pt_error *err)
{
    const pt_centre_sums sums = {.centres = centres,
                                 .kernel = &e->kernel,
                                 .m = e->k - 1,
                                 .groups = e->k,
                                 .first = e->first,
                                 .coef = coef};
    scorer s = {e, pt_centres_type(centres), f};
    memset(f, 0, (size_t)(rows->n * e->ell) * sizeof *f);
    return pt_centre_sums_of(&sums, rows, take_group, &s, task, err);
}

/* The rows that are listed again, in double. */
static pt_status score_in_double(const pt_pair_expansion *e, const pt_rows *rows,
                                 const int64_t *list, int64_t count, double *f, const pt_task *task,
                                 pt_error *err)
{
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned few = {0};
    PT_FREED_BY(pt_centres_free_at) pt_centres *centres = NULL;
    PT_SCRATCH void *coef = NULL;
    PT_SCRATCH double *again = pt_alloc(count * e->ell, sizeof *again, "outputs", err);
    if (!again)
        return PT_ENOMEM;
    PT_TRY(pt_rows_select(&few, rows, list, count, task, err));
    PT_TRY(
        pt_coefficients_lay(&coef, e->first[e->k], e->k - 1, PT_F64, coefficients, e, task, err));
    PT_TRY(pt_centres_new_double(&centres, e->centres, task, err));
    PT_TRY(score_rows(e, centres, coef, &few.rows, again, task, err));
    for (int64_t i = 0; i < count; i++)
        memcpy(f + list[i] * e->ell, again + i * e->ell, (size_t)e->ell * sizeof *f);
    return PT_OK;
}

static bool is_faint(const double *f, int64_t ell)
{
    bool faint = true;
    for (int64_t p = 0; p < ell && faint; p++)
        faint = fabs(f[p]) < PT_FAINT;
    return faint;
}

static pt_status rescore_faint(const pt_pair_expansion *e, const pt_rows *rows, double *f,
                               const pt_task *task, pt_error *err)
{
    PT_SCRATCH int64_t *list = NULL;
    PT_TRY(PT_NEW(list, rows->n, "a list of rows", err));
    int64_t count = 0;
    for (int64_t i = 0; i < rows->n; i++)
        if (is_faint(f + i * e->ell, e->ell))
            list[count++] = i;
    return count > 0 ? score_in_double(e, rows, list, count, f, task, err) : PT_OK;
}

pt_status pt_pair_expansion_outputs(const pt_pair_expansion *e, const pt_rows *rows,
                                    double *outputs, const pt_task *task, pt_error *err)
{
    if (e->linear)
        return pt_expansion_outputs(&e->pairs, rows, outputs, task, err);
    PT_TRY(score_rows(e, e->centres, e->coef_typed, rows, outputs, task, err));
    if (e->score_type == PT_F32)
        PT_TRY(rescore_faint(e, rows, outputs, task, err));
    for (int64_t i = 0; e->bias && i < rows->n; i++)
        for (int64_t p = 0; p < e->ell; p++)
            outputs[i * e->ell + p] += e->bias[p];
    return PT_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

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
                             const pt_task *task, pt_error *err)
{
    e->coef = pt_alloc(coef->rows * coef->columns, sizeof(double), "a model", err);
    e->first = copy_integers(starts, err);
    e->order = order ? copy_integers(order, err) : NULL;
    e->bias = bias ? pt_alloc(e->ell, sizeof(double), "a model", err) : NULL;
    if (!e->coef || !e->first || (order && !e->order) || (bias && !e->bias))
        return PT_ENOMEM;
    if (bias)
        memcpy(e->bias, bias->value, (size_t)e->ell * sizeof(double));
    PT_TRY(pt_task_copy(task, e->coef, coef->value,
                        (size_t)(coef->rows * coef->columns) * sizeof(double), err));
    return order ? PT_OK : pt_rows_select(&e->rows, rows, NULL, rows->n, task, err);
}

static pt_status load_groups(pt_pair_expansion *e, const pt_pack *pack, int64_t n_inputs,
                             const pt_kernel *kernel, pt_type type, int64_t *used,
                             const pt_task *task, pt_error *err)
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
        status = copy_arrays(e, coef, starts, order, bias, &rows, task, err);
    if (status == PT_OK)
        status = pt_pair_expansion_finish(e, kernel, type, task, err);
    *used = 2 + (bias != NULL) + (square || rows.dense ? 1 : 3);
    return status;
}

pt_status pt_pair_expansion_load(pt_pair_expansion *e, const pt_pack *pack, int64_t n_inputs,
                                 int64_t k, const pt_params *params, int64_t *used,
                                 const pt_task *task, pt_error *err)
{
    pt_kernel kernel;
    const pt_type type = pt_params_type(params);
    if (k < 2 || k > INT32_MAX)
        return pt_fail(err, PT_EFORMAT, "the model has no pairs of classes");
    PT_TRY(pt_kernel_from_params(&kernel, params, err));
    e->k = k;
    e->ell = pt_pairs_count(k);
    e->linear = kernel.ops->linear;
    return e->linear ? pt_expansion_load(&e->pairs, pack, n_inputs, e->ell, params, used, task, err)
                     : load_groups(e, pack, n_inputs, &kernel, type, used, task, err);
}
