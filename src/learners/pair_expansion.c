/* Outputs for all pairs of groups of rows, by blocks.
 *
 * A block of new rows meets the centres by blocks of columns, whatever groups they are of; the part
 * of a group c in it is multiplied with its coefficients and added where its pairs are:
 *
 *   values  height x COLUMNS  kernel values of the block
 *   part    height x (k-1)    values of c's centres times their coefficients
 *   sums    height x ell      what all groups add up to
 *
 * all column-major, in the type of the outputs (kernels/expansion.c says when that is double).
 * Every block is summed in the order of the centres, on any number of threads. */
#include "learners/pair_expansion.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "kernels/kernel_params.h"
#include "linalg/linalg.h"

void pt_pair_expansion_free(pt_pair_expansion *e)
{
    pt_gram_free(e->gram);
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
static pt_status largest_square(const pt_pair_expansion *e, double *largest, pt_error *err)
{
    double *square = pt_alloc_zero(e->ell, sizeof *square, "a sum for each pair", err);
    if (!square)
        return PT_ENOMEM;
    *largest = 0;
    const double *coef = e->coef;
    for (int64_t c = 0; c < e->k; c++)
        for (int64_t o = 0; o < e->k - 1; o++) {
            double *sum = &square[pair_of(e->k, c, o)];
            for (int64_t i = e->first[c]; i < e->first[c + 1]; i++, coef++)
                *sum += *coef * *coef;
            *largest = fmax(*largest, *sum);
        }
    pt_free(square);
    return PT_OK;
}

pt_status pt_pair_expansion_finish(pt_pair_expansion *e, const pt_kernel *kernel, pt_type type,
                                   const pt_task *task, pt_error *err)
{
    const int64_t count = e->first[e->k] * (e->k - 1);
    const pt_rows *rows = pt_kernel_is_row(kernel) ? NULL : &e->rows.rows;
    double square = 0;
    PT_TRY(largest_square(e, &square, err));
    e->kernel = *kernel;
    e->score_type = pt_expansion_score_type(type, kernel, rows, square);
    if (e->score_type == PT_F32) {
        float *typed = pt_alloc(count, sizeof *typed, "coefficients", err);
        for (int64_t i = 0; typed && i < count; i++)
            typed[i] = (float)e->coef[i];
        e->coef_typed = typed;
        if (!typed)
            return PT_ENOMEM;
    }
    return rows ? pt_gram_new_fast(&e->gram, rows, kernel->ops->base, e->score_type, task, err)
                : PT_OK;
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* A block of values stays in the second-level cache. */
enum { COLUMNS = 256, MOST_HEIGHT = 256, LEAST_HEIGHT = 64, HEIGHT_STEP = 16 };

typedef struct scorer {
    const pt_pair_expansion *e;
    pt_type type;
    const void *coef;
    const pt_gram *centres; /* NULL: the rows hold kernel values */
    const pt_gram *fresh;   /* the new rows */
    const pt_rows *rows;
    double *f;
    bool *faint; /* rows.n, or NULL: whether all outputs of a row are */
    int64_t height;
    char *scratch; /* for each worker: values, part, sums, and that of a Gram block or a row */
    size_t scratch_bytes;
    size_t part_at;
    size_t sums_at;
    size_t more_at;
} scorer;

static void *at(pt_type type, const void *array, int64_t i)
{
    return (char *)array + i * (int64_t)pt_type_size(type);
}

/* A row of a precomputed kernel, whole; `whole` has room for d values. */
static const void *precomputed_row(const pt_rows *rows, int64_t i, void *whole)
{
    const size_t size = pt_type_size(rows->type);
    if (rows->dense)
        return at(rows->type, rows->dense, i * rows->stride);
    memset(whole, 0, (size_t)rows->d * size);
    for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p++)
        memcpy(at(rows->type, whole, rows->index[p]), at(rows->type, rows->value, p), size);
    return whole;
}

/* Kernel values that the rows hold, in the order of the groups. */
static void precomputed_block(const scorer *s, int64_t i0, int64_t rows, int64_t j0,
                              int64_t columns, void *values, void *whole)
{
    for (int64_t i = 0; i < rows; i++) {
        const void *row = precomputed_row(s->rows, i0 + i, whole);
        for (int64_t j = 0; j < columns; j++) {
            const double value = pt_rows_value(s->rows, row, s->e->order[j0 + j]);
            if (s->type == PT_F32)
                ((float *)values)[j * rows + i] = (float)value;
            else
                ((double *)values)[j * rows + i] = value;
        }
    }
}

/* sums += what the centres j0 .. j0 + columns, whose kernel values are there, add to their pairs.
 */
static void add_groups(const scorer *s, int64_t rows, int64_t j0, int64_t columns,
                       const void *values, void *part, void *sums)
{
    const pt_pair_expansion *e = s->e;
    const int64_t width = e->k - 1;
    int64_t c = 0;
    while (e->first[c + 1] <= j0)
        c++;
    for (int64_t j = j0; j < j0 + columns; c++) {
        const int64_t count = pt_lesser(e->first[c + 1], j0 + columns) - j;
        const int64_t n_c = e->first[c + 1] - e->first[c];
        if (count <= 0)
            continue;
        pt_la_gemm(s->type, 'n', 'n', rows, width, count, 1, at(s->type, values, (j - j0) * rows),
                   rows, at(s->type, s->coef, e->first[c] * width + j - e->first[c]), n_c, 0, part,
                   rows);
        for (int64_t o = 0; o < width; o++)
            pt_la_axpy(s->type, rows, 1, at(s->type, part, o * rows),
                       at(s->type, sums, pair_of(e->k, c, o) * rows));
        j += count;
    }
}

/* f <- sums turned row by row, and the bias. A few rows at a time, whose cache lines stay. */
static void put_outputs(const scorer *s, int64_t i0, int64_t rows, const void *sums)
{
    enum { ROWS = 16 };
    const int64_t ell = s->e->ell;
    for (int64_t r0 = 0; r0 < rows; r0 += ROWS) {
        const int64_t some = pt_lesser(ROWS, rows - r0);
        double largest[ROWS] = {0};
        double *f = s->f + (i0 + r0) * ell;
        for (int64_t p = 0; p < ell; p++) {
            const double bias = s->e->bias ? s->e->bias[p] : 0;
            for (int64_t r = 0; r < some; r++) {
                const double value = s->type == PT_F32
                                         ? (double)((const float *)sums)[p * rows + r0 + r]
                                         : ((const double *)sums)[p * rows + r0 + r];
                largest[r] = fabs(value) > largest[r] ? fabs(value) : largest[r];
                f[r * ell + p] = value + bias;
            }
        }
        for (int64_t r = 0; s->faint && r < some; r++)
            s->faint[i0 + r0 + r] = largest[r] < PT_FAINT;
    }
}

static pt_status score_block(void *context, int64_t block, int worker, pt_error *err)
{
    (void)err;
    const scorer *s = context;
    const int64_t n = s->e->first[s->e->k];
    const int64_t i0 = block * s->height;
    const int64_t rows = pt_lesser(s->height, s->rows->n - i0);
    char *values = s->scratch + (size_t)worker * s->scratch_bytes;
    void *sums = values + s->sums_at;
    memset(sums, 0, (size_t)(rows * s->e->ell) * pt_type_size(s->type));
    for (int64_t j0 = 0; j0 < n; j0 += COLUMNS) {
        const int64_t columns = pt_lesser(COLUMNS, n - j0);
        if (s->centres)
            pt_gram_block_mapped(s->fresh, i0, rows, s->centres, j0, columns, &s->e->kernel, values,
                                 rows, values + s->more_at);
        else
            precomputed_block(s, i0, rows, j0, columns, values, values + s->more_at);
        add_groups(s, rows, j0, columns, values, values + s->part_at, sums);
    }
    put_outputs(s, i0, rows, sums);
    return PT_OK;
}

static pt_status plan_scratch(scorer *s, int64_t blocks, const pt_task *task, pt_error *err)
{
    const size_t size = pt_type_size(s->type);
    s->part_at = pt_arena_need(s->height * COLUMNS, size);
    s->sums_at = s->part_at + pt_arena_need(s->height * (s->e->k - 1), size);
    s->more_at = s->sums_at + pt_arena_need(s->height * s->e->ell, size);
    s->scratch_bytes =
        s->more_at + (s->centres ? pt_gram_scratch(s->fresh, s->centres, s->height, COLUMNS)
                                 : pt_arena_need(s->rows->d, pt_type_size(s->rows->type)));
    s->scratch = pt_alloc(pt_parallel_workers(task, blocks), s->scratch_bytes,
                          "work space for outputs", err);
    return s->scratch ? PT_OK : PT_ENOMEM;
}

/* Blocks of equal height, an even number of them, and of few rows some for every thread: by the
 * number of rows alone, for sums must not depend on that of threads. */
static int64_t block_height(int64_t n)
{
    int64_t blocks = 2 * ((n + 2 * MOST_HEIGHT - 1) / (2 * MOST_HEIGHT));
    blocks = blocks < 8 ? 8 : blocks;
    int64_t height = (n + blocks - 1) / blocks;
    height = (height + HEIGHT_STEP - 1) / HEIGHT_STEP * HEIGHT_STEP;
    height = height < LEAST_HEIGHT ? LEAST_HEIGHT : height;
    return pt_lesser(height, n);
}

/* The outputs of all rows, in type, coef and centres of `s`. */
static pt_status score_rows(scorer *s, const pt_task *task, pt_error *err)
{
    const int64_t n = s->rows->n;
    pt_gram *fresh = NULL;
    pt_status status =
        s->centres ? pt_gram_new_like(&fresh, s->rows, s->centres, task, err) : PT_OK;
    s->fresh = fresh;
    s->height = block_height(n);
    const int64_t blocks = (n + s->height - 1) / s->height;
    if (status == PT_OK)
        status = plan_scratch(s, blocks, task, err);
    if (status == PT_OK)
        status = pt_parallel_for_stage(task, "kernel values", blocks, score_block, s, err);
    pt_free(s->scratch);
    pt_gram_free(fresh);
    return status;
}

/* The rows that are listed again, in double. */
static pt_status score_in_double(const pt_pair_expansion *e, const pt_rows *rows,
                                 const int64_t *list, int64_t count, double *f, const pt_task *task,
                                 pt_error *err)
{
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned few = {0};
    PT_FREED_BY(pt_gram_free_at) pt_gram *centres = NULL;
    PT_SCRATCH double *again = pt_alloc(count * e->ell, sizeof *again, "outputs", err);
    if (!again)
        return PT_ENOMEM;
    PT_TRY(pt_rows_select(&few, rows, list, count, err));
    if (e->gram)
        PT_TRY(pt_gram_new(&centres, &e->rows.rows, e->kernel.ops->base, PT_F64, task, err));
    scorer s = {
        .e = e, .type = PT_F64, .coef = e->coef, .centres = centres, .rows = &few.rows, .f = again};
    PT_TRY(score_rows(&s, task, err));
    for (int64_t i = 0; i < count; i++)
        memcpy(f + list[i] * e->ell, again + i * e->ell, (size_t)e->ell * sizeof *f);
    return PT_OK;
}

static pt_status rescore_faint(const pt_pair_expansion *e, const pt_rows *rows, const bool *faint,
                               double *f, const pt_task *task, pt_error *err)
{
    int64_t *list = pt_alloc(rows->n, sizeof *list, "a list of rows", err);
    if (!list)
        return PT_ENOMEM;
    int64_t count = 0;
    for (int64_t i = 0; i < rows->n; i++)
        if (faint[i])
            list[count++] = i;
    const pt_status status =
        count > 0 ? score_in_double(e, rows, list, count, f, task, err) : PT_OK;
    pt_free(list);
    return status;
}

static pt_status outputs_by_group(const pt_pair_expansion *e, const pt_rows *rows, double *f,
                                  const pt_task *task, pt_error *err)
{
    scorer s = {.e = e,
                .type = e->score_type,
                .coef = e->coef_typed ? e->coef_typed : e->coef,
                .centres = e->gram,
                .rows = rows,
                .f = f};
    if (rows->n == 0)
        return PT_OK;
    if (e->score_type == PT_F32) {
        s.faint = pt_alloc(rows->n, sizeof *s.faint, "marks of rows", err);
        if (!s.faint)
            return PT_ENOMEM;
    }
    pt_status status = score_rows(&s, task, err);
    if (status == PT_OK && s.faint)
        status = rescore_faint(e, rows, s.faint, f, task, err);
    pt_free(s.faint);
    return status;
}

pt_status pt_pair_expansion_outputs(const pt_pair_expansion *e, const pt_rows *rows,
                                    double *outputs, const pt_task *task, pt_error *err)
{
    return e->linear ? pt_expansion_outputs(&e->pairs, rows, outputs, task, err)
                     : outputs_by_group(e, rows, outputs, task, err);
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
        status = pt_pair_expansion_finish(e, kernel, type, NULL, err);
    *used = 2 + (bias != NULL) + (square || rows.dense ? 1 : 3);
    return status;
}

pt_status pt_pair_expansion_load(pt_pair_expansion *e, const pt_pack *pack, int64_t n_inputs,
                                 int64_t k, const pt_params *params, int64_t *used, pt_error *err)
{
    pt_kernel kernel;
    const pt_type type = pt_params_type(params);
    if (k < 2 || k > INT32_MAX)
        return pt_fail(err, PT_EFORMAT, "the model has no pairs of classes");
    PT_TRY(pt_kernel_from_params(&kernel, params, err));
    e->k = k;
    e->ell = pt_pairs_count(k);
    e->linear = kernel.ops->linear;
    return e->linear ? pt_expansion_load(&e->pairs, pack, n_inputs, e->ell, params, used, err)
                     : load_groups(e, pack, n_inputs, &kernel, type, used, err);
}
