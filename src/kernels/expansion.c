/* Kernel expansions: g(x) = coef^T kappa_x + bias.
 *
 *   coef   n x m   column-major, double; d x m where g is linear in x (HNR Proposition 2)
 *   rows   n x d   training rows: the centres of the kernel
 *
 * A precomputed kernel needs no rows: a new row holds its kernel values, g(x) = coef^T x. It is
 * then scored as a linear machine. The vector-output machines have one coefficient for each row, in
 * the column of its class: they keep n numbers and n columns.
 *
 * Outputs take O(n (d + m)) for each row, by blocks whose shape changes no sum (centres.h).
 *
 * Precision. Outputs are computed in the type of the rows, unless that is float32 and too coarse: a
 * wide kernel with a small ridge has large coefficients of both signs, whose sum is of order 1.
 * Each term is rounded, so that an output is wrong by about 2^-24 max_i k(x_i, x_i) ||coef_r||;
 * where that is more than COARSE, outputs are computed in double from the same rows. So are the
 * rows whose float32 outputs are all PT_FAINT, and all outputs of a program's kernel, whose values
 * come in double. */
#include "kernels/expansion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "data/row_match.h"
#include "kernels/centre_loops.h"
#include "kernels/gram_rows.h"
#include "kernels/kernel_params.h"
#include "store/pack.h"

void pt_expansion_free(pt_expansion *e)
{
    pt_centres_free(e->centres);
    pt_rows_owned_free(&e->rows);
    pt_free(e->coef_typed);
    pt_free(e->coef);
    pt_free(e->column);
    pt_free(e->bias);
    memset(e, 0, sizeof *e);
}

/* ---- making it ready ------------------------------------------------------------------------- */

/* The largest k(x, x) of the training rows; 1, a guess, where they are not kept. */
static pt_status largest_kernel_value(const pt_kernel *kernel, const pt_rows *rows, double *largest,
                                      const pt_task *task, pt_error *err)
{
    *largest = 1; /* distances: k(x, x) = 1 */
    if (!rows || kernel->ops->base != PT_BASE_DOT)
        return PT_OK;
    *largest = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        PT_TRY(pt_task_check_row(task, i, pt_rows_width(rows), err));
        const int64_t first = rows->dense ? i * rows->stride : rows->start[i];
        const int64_t last = rows->dense ? first + rows->d : rows->start[i + 1];
        double square = 0;
        for (int64_t p = first; p < last; p++) {
            const double x = pt_rows_value(rows, rows->dense ? rows->dense : rows->value, p);
            square += x * x;
        }
        pt_kernel_map(kernel, PT_F64, 1, 1, &square, 1);
        *largest = fmax(*largest, fabs(square));
    }
    return PT_OK;
}

static const double COARSE = 2e-4; /* scores tell classes apart by differences of order 1 */

pt_status pt_expansion_score_type(pt_type *out, pt_type type, const pt_kernel *kernel,
                                  const pt_rows *rows, double square, const pt_task *task,
                                  pt_error *err)
{
    double largest = 0;
    *out = PT_F64;
    if (kernel->ops->base == PT_BASE_OWN || type != PT_F32)
        return PT_OK;
    PT_TRY(largest_kernel_value(kernel, rows, &largest, task, err));
    if (0.5 * FLT_EPSILON * largest * sqrt(square) <= COARSE)
        *out = PT_F32;
    return PT_OK;
}

static pt_status choose_score_type(pt_expansion *e, const pt_task *task, pt_error *err)
{
    double largest = 0;
    for (int64_t r = 0; r < (e->column ? 1 : e->m);
         r++) { /* one column: a bound on each output's */
        double square = 0;
        PT_TRY(pt_task_check_row(task, r, e->n_coef, err));
        for (int64_t i = 0; i < e->n_coef; i++)
            square += e->coef[r * e->n_coef + i] * e->coef[r * e->n_coef + i];
        largest = fmax(largest, square);
    }
    return pt_expansion_score_type(&e->score_type, e->type, &e->kernel,
                                   e->linear ? NULL : &e->rows.rows, largest, task, err);
}

static double coefficient(const pt_expansion *e, int64_t i, int64_t r)
{
    if (e->column)
        return e->column[i] == r ? e->coef[i] : 0;
    return e->coef[r * e->n_coef + i];
}

static void coefficients(const void *of, int64_t i, int64_t from, int64_t count, double *row)
{
    for (int64_t r = 0; r < count; r++)
        row[r] = coefficient(of, i, from + r);
}

/* m for each feature; what is read behind the last is 0. */
static pt_status linear_coefficients(pt_expansion *e, const pt_task *task, pt_error *err)
{
    const int64_t cells = e->n_coef * e->m;
    e->coef_typed = pt_alloc_zero(cells + pt_strip_outputs(e->score_type),
                                  pt_type_size(e->score_type), "coefficients", err);
    if (!e->coef_typed)
        return PT_ENOMEM;
    for (int64_t i = 0; i < e->n_coef; i++) {
        PT_TRY(pt_task_check_row(task, i, e->m, err));
        for (int64_t r = 0; r < e->m; r++)
            pt_real_set(e->score_type, e->coef_typed, i * e->m + r, coefficient(e, i, r));
    }
    return PT_OK;
}

/* What outputs need beside coef: a copy in their type, and the centres. */
static pt_status make_ready(pt_expansion *e, const pt_task *task, pt_error *err)
{
    PT_TRY(choose_score_type(e, task, err));
    if (e->linear)
        return linear_coefficients(e, task, err);
    PT_TRY(pt_coefficients_lay(&e->coef_typed, e->n_coef, e->m, e->score_type, coefficients, e,
                               task, err));
    return pt_centres_new(&e->centres, &e->rows.rows, NULL, e->kernel.ops, e->score_type, task,
                          err);
}

pt_status pt_expansion_take(pt_expansion *e, const pt_expansion_parts *parts, pt_error *err)
{
    PT_FREED_BY(pt_expansion_free)
    pt_expansion made = {.kernel = parts->kernel,
                         .type = parts->type,
                         .m = parts->m,
                         .n_coef = parts->n_coef,
                         .linear = parts->linear,
                         .coef = parts->coef,
                         .column = parts->column,
                         .bias = parts->bias};
    if (!made.linear)
        PT_TRY(pt_rows_select(&made.rows, parts->rows, parts->chosen, parts->n_coef, parts->task,
                              err));
    PT_TRY(make_ready(&made, parts->task, err));
    *e = made;
    made = (pt_expansion){0};
    return PT_OK;
}

pt_status pt_expansion_take_linear(pt_expansion *e, pt_type type, int64_t d, int64_t m,
                                   const double *w, double scale, bool bias, const pt_task *task,
                                   pt_error *err)
{
    pt_expansion_parts parts = {
        .kernel = {.ops = pt_kernel_find("linear"), .sigma = 1, .coef0 = 0, .degree = 1},
        .type = type,
        .m = m,
        .n_coef = d,
        .linear = true,
        .task = task};
    size_t bytes = 0;
    if (!pt_size_mul((size_t)d, sizeof(double), &bytes))
        return pt_fail_memory(err, "coefficients", SIZE_MAX);
    PT_SCRATCH double *coef = pt_alloc(m, bytes, "coefficients", err);
    PT_SCRATCH double *constant = bias ? pt_alloc(m, sizeof(double), "a bias", err) : NULL;
    bool finite = true;
    if (!coef || (bias && !constant))
        return PT_ENOMEM;
    for (int64_t s = 0; s < m; s++, w += d + 1) {
        PT_TRY(pt_task_check_row(task, s, d, err));
        for (int64_t f = 0; f < d; f++) {
            coef[s * d + f] = scale * w[f];
            finite = finite && isfinite(coef[s * d + f]);
        }
        if (bias)
            constant[s] = scale * w[d];
        finite = finite && (!bias || isfinite(constant[s]));
    }
    if (!finite) /* no model could be read back */
        return pt_fail(err, PT_ENUMERIC, "weights became infinite; scale the features down");
    parts.coef = pt_keep(&coef);
    parts.bias = pt_keep(&constant);
    return pt_expansion_take(e, &parts, err);
}

pt_status pt_expansion_give_linear(const pt_expansion *e, int64_t d, int64_t m, double scale,
                                   double *w, pt_error *err)
{
    if (!e->linear || e->column || e->n_coef != d || e->m != m)
        return pt_fail(err, PT_EINVAL, "`start` has no %lld linear functions of %lld columns",
                       (long long)m, (long long)d);
    for (int64_t s = 0; s < m; s++, w += d + 1) {
        for (int64_t f = 0; f < d; f++)
            w[f] = scale * e->coef[s * d + f];
        w[d] = e->bias ? scale * e->bias[s] : 0;
    }
    return PT_OK;
}

pt_status pt_expansion_find_rows(int64_t *place, const pt_expansion *e, const int64_t *tag,
                                 const pt_rows *rows, const int64_t *tag_of, pt_error *err)
{
    const bool given = pt_kernel_is_row(&e->kernel) && e->n_coef == rows->n;
    if (e->linear && !given)
        return pt_fail(err, PT_EINVAL,
                       "`start` keeps weights of columns, and no rows of %lld like those of the "
                       "data",
                       (long long)rows->n);
    if (!given)
        return pt_rows_match(place, &e->rows.rows, tag, rows, tag_of, err);
    for (int64_t i = 0; i < rows->n; i++)
        place[i] = !tag || tag[i] == tag_of[i] ? i : -1;
    return PT_OK;
}

int64_t pt_expansion_weights(const pt_expansion *e)
{
    int64_t count = 0;
    for (int64_t i = 0; i < e->n_coef * e->m; i++)
        count += e->coef[i] != 0;
    return count;
}

pt_status pt_expansion_collapse(double **coef, const pt_rows *rows, const double *A,
                                const int64_t *column, int64_t m, const pt_task *task,
                                pt_error *err)
{
    PT_SCRATCH double *V = pt_alloc_zero(rows->d * m, sizeof(double), "coefficients", err);
    if (!V)
        return PT_ENOMEM;
    for (int64_t i = 0; i < rows->n; i++) {
        PT_TRY(pt_task_check_row(task, i, pt_rows_width(rows) * (column ? 1 : m), err));
        const int64_t first = rows->dense ? i * rows->stride : rows->start[i];
        const int64_t last = rows->dense ? first + rows->d : rows->start[i + 1];
        for (int64_t p = first; p < last; p++) {
            const int64_t feature = rows->dense ? p - first : rows->index[p];
            const double x = pt_rows_value(rows, rows->dense ? rows->dense : rows->value, p);
            if (column)
                V[column[i] * rows->d + feature] += A[i] * x;
            else
                for (int64_t r = 0; r < m; r++)
                    V[r * rows->d + feature] += A[r * rows->n + i] * x;
        }
    }
    *coef = pt_keep(&V);
    return PT_OK;
}

/* ---- outputs, linear -------------------------------------------------------------------------
 *
 * g(x) = coef^T x, feature after feature, whatever rows come together. Blocks of rows in the type
 * of the scores, some outputs of a block at a time. */

enum { LINEAR_ROWS = 64 };
static const double LINEAR_BYTES = (double)((int64_t)4 << 20); /* of a block, copied */

typedef struct linear_scorer {
    const pt_expansion *e;
    const pt_rows *rows;
    double *outputs;
    pt_gram *view; /* the rows, to be packed; NULL: they are of the type of the scores, or sparse */
    int64_t height;
    char *scratch;
    size_t scratch_bytes; /* for each worker: sums, then rows */
    size_t rows_at;
} linear_scorer;

/* outputs[i * m + s0 ..] <- sums of n rows, `ld` apart, and the bias. */
static void put_outputs(const pt_expansion *e, pt_type type, const void *sums, int64_t ld,
                        int64_t n, int64_t s0, int64_t count, double *outputs)
{
    const double *bias = e->bias ? e->bias + s0 : NULL;
    for (int64_t i = 0; i < n; i++) {
        double *out = outputs + i * e->m + s0;
        if (type == PT_F32)
            for (int64_t s = 0; s < count; s++)
                out[s] = (double)((const float *)sums)[i * ld + s];
        else
            for (int64_t s = 0; s < count; s++)
                out[s] = ((const double *)sums)[i * ld + s];
        for (int64_t s = 0; bias && s < count; s++)
            out[s] += bias[s];
    }
}

static pt_status score_linear_block(void *context, int64_t block, int worker, pt_error *err)
{
    (void)err;
    const linear_scorer *l = context;
    const pt_expansion *e = l->e;
    const pt_rows *rows = l->rows;
    const pt_type type = e->score_type;
    const pt_centre_loops *loops = pt_centre_loops_of(type);
    const int64_t strip = pt_strip_outputs(type);
    const int64_t first = block * l->height;
    const int64_t n = pt_lesser(l->height, rows->n - first);
    char *sums = l->scratch + (size_t)worker * l->scratch_bytes;
    const void *x = sums + l->rows_at;
    int64_t stride = rows->d;
    if (l->view) {
        pt_gram_pack(l->view, first, n, 0, rows->d, sums + l->rows_at);
    } else if (rows->dense) {
        x = pt_real_at(type, rows->dense, first * rows->stride);
        stride = rows->stride;
    }
    for (int64_t s = 0; s < e->m; s += strip) {
        const int64_t count = pt_lesser(strip, e->m - s);
        const void *coef = pt_real_at(type, e->coef_typed, s);
        if (rows->dense)
            loops->weigh(x, stride, 1, n, rows->d, coef, e->m, count, false, sums, strip);
        for (int64_t i = 0; i < n && !rows->dense; i++) {
            const int64_t from = rows->start[first + i];
            const int64_t terms = rows->start[first + i + 1] - from;
            const void *value = pt_real_at(rows->type, rows->value, from);
            loops->weigh_sparse(value, rows->type, rows->index + from, terms, coef, e->m, count,
                                pt_real_at(type, sums, i * strip));
        }
        put_outputs(e, type, sums, strip, n, s, count, l->outputs + first * e->m);
    }
    return PT_OK;
}

static pt_status score_linear(const pt_expansion *e, const pt_rows *rows, double *outputs,
                              const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_gram_free_at) pt_gram *view = NULL;
    const pt_type type = e->score_type;
    const size_t size = pt_type_size(type);
    const bool packed = rows->dense && rows->type != type;
    const double most = packed ? LINEAR_BYTES / ((double)rows->d * (double)size + 1) : LINEAR_ROWS;
    linear_scorer l = {.e = e, .rows = rows, .outputs = outputs};
    l.height = most < 1 ? 1 : pt_lesser(pt_lesser((int64_t)most, LINEAR_ROWS), rows->n);
    if (rows->n == 0)
        return PT_OK;
    if (packed)
        PT_TRY(pt_gram_view(&view, rows, NULL, type, err));
    l.view = view;
    l.rows_at = pt_arena_need(l.height, PT_STRIP_BYTES);
    l.scratch_bytes = l.rows_at + (packed ? pt_arena_need(l.height, (size_t)rows->d * size) : 0);
    const int64_t blocks = (rows->n + l.height - 1) / l.height;
    PT_SCRATCH char *scratch =
        pt_alloc(pt_parallel_workers(task, blocks), l.scratch_bytes, "work space", err);
    l.scratch = scratch;
    return scratch ? pt_parallel_for(task, blocks, score_linear_block, &l, err) : PT_ENOMEM;
}

/* ---- outputs, by the centres ----------------------------------------------------------------- */

typedef struct kernel_scorer {
    const pt_expansion *e;
    pt_type type;
    double *outputs;
} kernel_scorer;

/* Without the bias: rows may turn out to be faint. */
static void take_sums(void *context, int64_t group, int64_t row, int64_t n, const void *sums,
                      int64_t ld)
{
    (void)group;
    const kernel_scorer *s = context;
    const int64_t m = s->e->m;
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < m; r++)
            s->outputs[(row + i) * m + r] = pt_real_get(s->type, sums, i * ld + r);
}

/* outputs <- K(rows, centres) coef, of the type of the centres. */
static pt_status score_by_centres(const pt_expansion *e, const pt_centres *centres,
                                  const void *coef, const pt_rows *rows, double *outputs,
                                  const pt_task *task, pt_error *err)
{
    const int64_t first[] = {0, e->n_coef};
    const pt_centre_sums sums = {.centres = centres,
                                 .kernel = &e->kernel,
                                 .m = e->m,
                                 .groups = 1,
                                 .first = first,
                                 .coef = coef};
    kernel_scorer s = {e, pt_centres_type(centres), outputs};
    return pt_centre_sums_of(&sums, rows, take_sums, &s, task, err);
}

/* The rows whose outputs are all faint, into `faint`; how many. */
static int64_t list_faint(const double *scores, int64_t n, int64_t k, int64_t *faint)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        bool all = true;
        for (int64_t r = 0; r < k && all; r++)
            all = fabs(scores[i * k + r]) < PT_FAINT;
        if (all)
            faint[count++] = i;
    }
    return count;
}

/* Such rows again, in double: scores_of (count x m). */
static pt_status score_in_double(const pt_expansion *e, const pt_rows *rows, const int64_t *faint,
                                 int64_t count, double *scores_of, const pt_task *task,
                                 pt_error *err)
{
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned few = {0};
    PT_FREED_BY(pt_centres_free_at) pt_centres *centres = NULL;
    PT_SCRATCH void *coef = NULL;
    PT_TRY(pt_rows_select(&few, rows, faint, count, task, err));
    PT_TRY(pt_coefficients_lay(&coef, e->n_coef, e->m, PT_F64, coefficients, e, task, err));
    PT_TRY(pt_centres_new_double(&centres, e->centres, task, err));
    return score_by_centres(e, centres, coef, &few.rows, scores_of, task, err);
}

static pt_status rescore_faint(const pt_expansion *e, const pt_rows *rows, double *scores,
                               const pt_task *task, pt_error *err)
{
    PT_SCRATCH int64_t *faint = pt_alloc(rows->n, sizeof *faint, "a list of rows", err);
    if (!faint)
        return PT_ENOMEM;
    const int64_t count = list_faint(scores, rows->n, e->m, faint);
    if (count == 0)
        return PT_OK;
    PT_SCRATCH double *scores_of = pt_alloc(count * e->m, sizeof *scores_of, "scores", err);
    if (!scores_of)
        return PT_ENOMEM;
    PT_TRY(score_in_double(e, rows, faint, count, scores_of, task, err));
    for (int64_t i = 0; i < count; i++)
        for (int64_t r = 0; r < e->m; r++)
            scores[faint[i] * e->m + r] = scores_of[i * e->m + r];
    return PT_OK;
}

pt_status pt_expansion_outputs(const pt_expansion *e, const pt_rows *rows, double *outputs,
                               const pt_task *task, pt_error *err)
{
    if (e->linear)
        return score_linear(e, rows, outputs, task, err);
    PT_TRY(score_by_centres(e, e->centres, e->coef_typed, rows, outputs, task, err));
    if (e->score_type == PT_F32)
        PT_TRY(rescore_faint(e, rows, outputs, task, err));
    for (int64_t i = 0; e->bias && i < rows->n; i++)
        for (int64_t r = 0; r < e->m; r++)
            outputs[i * e->m + r] += e->bias[r];
    return PT_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

void pt_expansion_save(const pt_expansion *e, pt_pack *pack)
{
    /* one output a row */
    pt_pack_add(pack, "coef", PT_F64, e->column ? 1 : e->m, e->n_coef, e->coef);
    if (e->column)
        pt_pack_add_integers(pack, "column", e->n_coef, e->column);
    if (e->bias)
        pt_pack_add(pack, "bias", PT_F64, e->m, 1, e->bias);
    if (!e->linear)
        pt_pack_add_rows(pack, &e->rows.rows);
}

static pt_status copy_array(void *address, const pt_array *array, size_t size, const pt_task *task,
                            pt_error *err)
{
    void *copy = pt_alloc(array->rows * array->columns, size, "a model", err);
    *(void **)address = copy;
    return copy ? pt_task_copy(task, copy, array->value,
                               (size_t)(array->rows * array->columns) * size, err)
                : PT_ENOMEM;
}

/* column, bias: NULL where there is none. */
static pt_status copy_arrays(pt_expansion_parts *parts, const pt_array *coef,
                             const pt_array *column, const pt_array *bias, pt_error *err)
{
    PT_TRY(copy_array(&parts->coef, coef, sizeof(double), parts->task, err));
    if (column)
        PT_TRY(copy_array(&parts->column, column, sizeof(int64_t), parts->task, err));
    return bias ? copy_array(&parts->bias, bias, sizeof(double), parts->task, err) : PT_OK;
}

/* Whether the coefficients can belong to a machine with this kernel and these columns. */
static bool shape_fits(const pt_expansion_parts *parts, int64_t n_inputs)
{
    const bool may_be_linear = pt_kernel_is_row(&parts->kernel) || parts->kernel.ops->linear;
    if (parts->linear)
        return parts->n_coef == n_inputs && may_be_linear;
    return !pt_kernel_is_row(&parts->kernel);
}

pt_status pt_expansion_load(pt_expansion *e, const pt_pack *pack, int64_t n_inputs, int64_t m,
                            const pt_params *params, int64_t *used, const pt_task *task,
                            pt_error *err)
{
    const pt_array *coef = pt_pack_find(pack, "coef");
    const pt_array *column = pt_pack_find(pack, "column");
    const pt_array *bias = pt_pack_find(pack, "bias");
    if (!pt_array_is_real(coef, PT_F64) || coef->rows != (column ? 1 : m) || coef->columns < 1 ||
        (column && (!pt_array_is_index(column, m) || column->rows != coef->columns)) ||
        (bias && (!pt_array_is_real(bias, PT_F64) || bias->rows != m || bias->columns != 1)))
        return pt_fail(err, PT_EFORMAT, "the model's coefficients do not fit its classes");
    pt_expansion_parts parts = {.type = pt_params_type(params),
                                .m = m,
                                .n_coef = coef->columns,
                                .linear =
                                    !pt_pack_find(pack, "rows") && !pt_pack_find(pack, "value")};
    pt_rows rows = {.n = parts.n_coef, .d = n_inputs, .type = parts.type};
    parts.rows = &rows;
    PT_TRY(pt_kernel_from_params(&parts.kernel, params, err));
    if (!shape_fits(&parts, n_inputs))
        return pt_fail(err, PT_EFORMAT, "the model's coefficients do not fit its columns");
    if (!parts.linear)
        PT_TRY(pt_pack_find_rows(&rows, pack, err));
    *used = 1 + (column != NULL) + (bias != NULL) + (parts.linear ? 0 : rows.dense ? 1 : 3);
    parts.task = task;
    const pt_status status = copy_arrays(&parts, coef, column, bias, err);
    if (status == PT_OK)
        return pt_expansion_take(e, &parts, err);
    pt_free(parts.coef);
    pt_free(parts.column);
    pt_free(parts.bias);
    return status;
}
