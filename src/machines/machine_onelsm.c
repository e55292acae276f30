/* oneLSM: the least-squares machine with one matrix for all classes, HNR eq. (24).
 *
 *     (K + gamma W^-1) A = Y ,   f(x) = A^T kappa_x ,   class = argmax_r M_r . f(x)
 *
 * Y has the label vector M_{y_i} of example i in row i (HNR prints the transpose). It is solved
 * once with indicators, Y = E; another labelbook M gives A M, and its decision is the same (HNR
 * Theorem 5; decoder_inner.c), so what is kept are the indicators' coefficients.
 *
 *   K      n x n   Gram matrix; W = diag(weights), gamma = --ridge
 *   coef   n x k   A, column-major, double; d x k if linear with d < n (HNR Proposition 2)
 *   rows   n x d   training rows: the centres of the kernel
 *
 * A precomputed kernel needs no rows: a new row holds its kernel values, f(x) = A^T x. It is then
 * scored as a linear machine whose coefficients are A.
 *
 * The routes to A are in ls_solve.c, held-out scores in ls_holdout.c, automatic parameters in
 * ls_auto.c. Prediction takes O(n (d + k)) for each row, by blocks.
 *
 * Precision. Scores are computed in the type of the rows, unless that is float32 and too coarse: a
 * wide kernel with a small ridge has large coefficients of both signs, whose sum is of order 1.
 * Each term is rounded, so that a score is wrong by about 2^-24 max_i k(x_i, x_i) ||A_r||; where
 * that is more than COARSE, scores are computed in double from the same rows. So are the rows
 * whose float32 scores are all FAINT. */
#include "machines/machine_onelsm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "codes/labelbook.h"
#include "decoders/decoder.h"
#include "kernels/gram.h"
#include "kernels/kernel_params.h"
#include "linalg/linalg.h"
#include "machines/ls_auto.h"
#include "machines/ls_holdout.h"
#include "machines/ls_solve.h"

typedef struct onelsm {
    pt_machine base;
    pt_kernel kernel;
    const pt_labelbook *book;
    const pt_decoder *decoder;
    pt_type type;       /* of the rows */
    pt_type score_type; /* of what scores are computed from */
    int64_t k;
    int64_t n_coef;     /* rows of coef: n, or d where scores are linear */
    bool linear;        /* f(x) = coef^T x */
    double *coef;       /* n_coef x k, column-major */
    void *coef_typed;   /* in score_type: as coef; linear: row-major, k numbers for each feature */
    pt_rows_owned rows; /* not where linear */
    pt_gram *gram;      /* of rows */
} onelsm;

/* ---- parameters ----------------------------------------------------------------------------- */

static pt_status read_params(onelsm *m, const pt_params *params, pt_error *err)
{
    m->book = pt_labelbook_find(pt_params_text(params, PT_P_LABELBOOK));
    m->decoder = pt_decoder_find(pt_params_text(params, PT_P_DECODE));
    if (!m->book || !m->decoder)
        return pt_fail(err, PT_EINVAL, "onelsm: unknown labelbook or decoder");
    return pt_kernel_from_params(&m->kernel, params, err);
}

static bool is_precomputed(const pt_kernel *kernel)
{
    return kernel->ops->base == PT_BASE_ROW;
}

/* ---- planning -------------------------------------------------------------------------------- */

static pt_status onelsm_plan(const pt_problem *problem, const pt_params *params,
                             const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)task;
    const pt_rows *rows = &problem->rows;
    const pt_kernel kernel = {.ops = pt_kernel_named(params, !rows->dense)};
    if (!kernel.ops)
        return pt_fail(err, PT_EINVAL, "onelsm: unknown kernel");
    const double n = (double)rows->n;
    const double d = (double)rows->d;
    const double k = (double)pt_labels_n_classes(problem->labels);
    const char *type = rows->type == PT_F32 ? "float32" : "double";
    if (pt_ls_is_primal(&kernel, rows)) {
        plan->bytes = pt_ls_primal_bytes(pt_rows_stored(rows), rows->n, rows->d, (int64_t)k);
        plan->flops = n * d * d + d * d * d / 3;
        snprintf(plan->route, sizeof plan->route, "primal: a %lld x %lld system in double",
                 (long long)rows->d, (long long)rows->d);
    } else {
        plan->bytes = pt_ls_dual_bytes(rows->n, rows->dense ? rows->d : 0, (int64_t)k, rows->type);
        plan->flops = n * n * n / 3 + n * n * (d + 4 * k);
        snprintf(plan->route, sizeof plan->route, "dual: a %lld x %lld factor in %s%s",
                 (long long)rows->n, (long long)rows->n, type,
                 rows->type == PT_F32 ? ", refined in double" : "");
    }
    return PT_OK;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void onelsm_free(pt_machine *machine)
{
    onelsm *m = (onelsm *)machine;
    if (!m)
        return;
    pt_gram_free(m->gram);
    pt_rows_owned_free(&m->rows);
    pt_free(m->coef_typed);
    pt_free(m->coef);
    pt_free(m);
}

/* The largest k(x, x) of the training rows; 1, a guess, where they are not kept. */
static double largest_kernel_value(const onelsm *m)
{
    if (m->linear || m->kernel.ops->base != PT_BASE_DOT)
        return 1; /* distances: k(x, x) = 1 */
    const pt_rows *rows = &m->rows.rows;
    double largest = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        const int64_t first = rows->dense ? i * rows->stride : rows->start[i];
        const int64_t last = rows->dense ? first + rows->d : rows->start[i + 1];
        double square = 0;
        for (int64_t p = first; p < last; p++) {
            const double x = pt_rows_value(rows, rows->dense ? rows->dense : rows->value, p);
            square += x * x;
        }
        pt_kernel_map(&m->kernel, PT_F64, 1, 1, &square, 1);
        largest = fmax(largest, fabs(square));
    }
    return largest;
}

static const double COARSE = 2e-4; /* scores tell classes apart by differences of order 1 */

static pt_type choose_score_type(const onelsm *m)
{
    double largest = 0;
    for (int64_t r = 0; r < m->k; r++) {
        double square = 0;
        for (int64_t i = 0; i < m->n_coef; i++)
            square += m->coef[r * m->n_coef + i] * m->coef[r * m->n_coef + i];
        largest = fmax(largest, square);
    }
    const double error = 0.5 * FLT_EPSILON * largest_kernel_value(m) * sqrt(largest);
    return m->type == PT_F32 && error <= COARSE ? PT_F32 : PT_F64;
}

/* What prediction needs beside coef: a copy in its type, and the kernel's view of the rows. */
static pt_status make_ready(onelsm *m, pt_error *err)
{
    const int64_t count = m->n_coef * m->k;
    m->score_type = choose_score_type(m);
    m->coef_typed = pt_alloc(count, pt_type_size(m->score_type), "coefficients", err);
    if (!m->coef_typed)
        return PT_ENOMEM;
    for (int64_t r = 0; r < m->k; r++)
        for (int64_t i = 0; i < m->n_coef; i++) {
            const int64_t place = m->linear ? i * m->k + r : r * m->n_coef + i;
            const double value = m->coef[r * m->n_coef + i];
            if (m->score_type == PT_F32)
                ((float *)m->coef_typed)[place] = (float)value;
            else
                ((double *)m->coef_typed)[place] = value;
        }
    if (m->linear)
        return PT_OK;
    return pt_gram_new(&m->gram, &m->rows.rows, m->kernel.ops->base, m->score_type, NULL, err);
}

static pt_status onelsm_fit(pt_machine **out, const pt_problem *problem, const pt_params *params,
                            const pt_task *task, pt_texts *warnings, pt_error *err)
{
    const pt_rows *rows = &problem->rows;
    const double ridge = pt_params_real(params, PT_P_RIDGE);
    const pt_ls_problem ls = {rows, problem->labels->class_of, pt_labels_n_classes(problem->labels),
                              problem->weight};
    onelsm *m = pt_alloc_zero(1, sizeof *m, "a machine", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = &pt_machine_onelsm;
    m->type = rows->type;
    m->k = ls.k;
    pt_status status = read_params(m, params, err);
    if (status == PT_OK && is_precomputed(&m->kernel))
        status = pt_ls_check_precomputed(rows, err);
    if (status != PT_OK)
        goto failed;

    const bool primal = pt_ls_is_primal(&m->kernel, rows);
    m->linear = primal || is_precomputed(&m->kernel);
    m->n_coef = primal ? rows->d : rows->n;
    m->coef = pt_alloc(m->k, (size_t)m->n_coef * sizeof(double), "coefficients", err);
    if (!m->coef) {
        status = PT_ENOMEM;
        goto failed;
    }
    status = primal
                 ? pt_ls_solve_primal(&ls, ridge, m->coef, task, err)
                 : pt_ls_solve_dual(&ls, &m->kernel, ridge, m->type, m->coef, task, warnings, err);
    if (status == PT_OK && !m->linear)
        status = pt_rows_select(&m->rows, rows, NULL, 0, err);
    if (status == PT_OK)
        status = make_ready(m, err);
    if (status != PT_OK)
        goto failed;
    *out = &m->base;
    return PT_OK;

failed:
    onelsm_free(&m->base);
    return status;
}

/* ---- scores -----------------------------------------------------------------------------------
 */

enum { SCORE_BLOCK = 512 };

typedef struct scoring {
    const onelsm *m;
    const pt_rows *rows;
    void *typed; /* rows x k, row-major, in score_type */
} scoring;

/* out^T (k x rows) = coef^T X^T for a block of dense rows; a sum over values for sparse rows and
 * for those of another type. */
static pt_status score_linear_block(void *context, int64_t block, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const scoring *s = context;
    const pt_rows *rows = s->rows;
    const int64_t k = s->m->k;
    const pt_type type = s->m->score_type;
    const size_t size = pt_type_size(type);
    const int64_t first = block * SCORE_BLOCK;
    const int64_t last = first + SCORE_BLOCK < rows->n ? first + SCORE_BLOCK : rows->n;
    if (rows->dense && rows->type == type) {
        pt_la_gemm(type, 'n', 'n', k, last - first, rows->d, 1, s->m->coef_typed, k,
                   (const char *)rows->dense + (size_t)(first * rows->stride) * size, rows->stride,
                   0, (char *)s->typed + (size_t)(first * k) * size, k);
        return PT_OK;
    }
    memset((char *)s->typed + (size_t)(first * k) * size, 0, (size_t)((last - first) * k) * size);
    for (int64_t i = first; i < last; i++) {
        const int64_t begin = rows->dense ? i * rows->stride : rows->start[i];
        const int64_t end = rows->dense ? begin + rows->d : rows->start[i + 1];
        for (int64_t p = begin; p < end; p++) {
            const int64_t feature = rows->dense ? p - begin : rows->index[p];
            pt_la_axpy(type, k, pt_rows_value(rows, rows->dense ? rows->dense : rows->value, p),
                       (const char *)s->m->coef_typed + (size_t)(feature * k) * size,
                       (char *)s->typed + (size_t)(i * k) * size);
        }
    }
    return PT_OK;
}

static pt_status score_kernel(const scoring *s, const pt_task *task, pt_error *err)
{
    pt_gram *gram = NULL;
    pt_status status = pt_gram_new_like(&gram, s->rows, s->m->gram, task, err);
    if (status == PT_OK)
        status = pt_gram_apply(gram, s->m->gram, &s->m->kernel, s->m->coef_typed, s->m->n_coef,
                               s->m->k, s->typed, task, err);
    pt_gram_free(gram);
    return status;
}

/* Below this all kernel values of a row are close to where float32 ends (1e-38): a narrow Gaussian
 * far from every training row. What is left of them does not tell the classes apart any more. */
static const double FAINT = 1e-30;

/* The rows whose scores are all faint, into `faint`; how many. */
static int64_t list_faint(const double *scores, int64_t n, int64_t k, int64_t *faint)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        bool all = true;
        for (int64_t r = 0; r < k && all; r++)
            all = fabs(scores[i * k + r]) < FAINT;
        if (all)
            faint[count++] = i;
    }
    return count;
}

/* Such rows again, in double: scores_of (k columns of `count`) <- K(faint rows, centres) A. */
static pt_status score_in_double(const onelsm *m, const pt_rows *rows, const int64_t *faint,
                                 int64_t count, double *scores_of, const pt_task *task,
                                 pt_error *err)
{
    pt_rows_owned few = {0};
    pt_gram *centres = NULL;
    pt_gram *gram = NULL;
    pt_status status = pt_rows_select(&few, rows, faint, count, err);
    if (status == PT_OK)
        status = pt_gram_new(&centres, &m->rows.rows, m->kernel.ops->base, PT_F64, task, err);
    if (status == PT_OK)
        status = pt_gram_new_like(&gram, &few.rows, centres, task, err);
    if (status == PT_OK)
        status = pt_gram_apply(gram, centres, &m->kernel, m->coef, m->n_coef, m->k, scores_of, task,
                               err);
    pt_gram_free(gram);
    pt_gram_free(centres);
    pt_rows_owned_free(&few);
    return status;
}

static pt_status rescore_faint(const onelsm *m, const pt_rows *rows, double *scores,
                               const pt_task *task, pt_error *err)
{
    int64_t *faint = pt_alloc(rows->n, sizeof *faint, "a list of rows", err);
    if (!faint)
        return PT_ENOMEM;
    const int64_t count = list_faint(scores, rows->n, m->k, faint);
    pt_status status = PT_OK;
    if (count > 0) {
        double *scores_of = pt_alloc(count * m->k, sizeof *scores_of, "scores", err);
        status =
            scores_of ? score_in_double(m, rows, faint, count, scores_of, task, err) : PT_ENOMEM;
        for (int64_t i = 0; i < count && status == PT_OK; i++)
            for (int64_t r = 0; r < m->k; r++)
                scores[faint[i] * m->k + r] = scores_of[r * count + i];
        pt_free(scores_of);
    }
    pt_free(faint);
    return status;
}

static pt_status onelsm_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                               const pt_task *task, pt_error *err)
{
    const onelsm *m = (const onelsm *)machine;
    scoring s = {m, rows, pt_alloc(rows->n * m->k, pt_type_size(m->score_type), "scores", err)};
    if (!s.typed)
        return PT_ENOMEM;
    pt_status status = m->linear ? pt_parallel_for(task, (rows->n + SCORE_BLOCK - 1) / SCORE_BLOCK,
                                                   score_linear_block, &s, err)
                                 : score_kernel(&s, task, err);
    for (int64_t i = 0; status == PT_OK && i < rows->n; i++)
        for (int64_t r = 0; r < m->k; r++) {
            const int64_t place = m->linear ? i * m->k + r : r * rows->n + i;
            scores[i * m->k + r] = m->score_type == PT_F32 ? (double)((const float *)s.typed)[place]
                                                           : ((const double *)s.typed)[place];
        }
    if (status == PT_OK && !m->linear && m->score_type == PT_F32)
        status = rescore_faint(m, rows, scores, task, err);
    if (status == PT_OK)
        m->decoder->from_indicator(m->book, m->k, rows->n, scores);
    pt_free(s.typed);
    return status;
}

/* ---- the file -----------------------------------------------------------------------------------
 */

static void add_array(pt_pack *pack, const char *name, pt_type type, bool integer, int64_t rows,
                      int64_t columns, const void *value)
{
    pt_array *array = &pack->arrays[pack->count++];
    *array = (pt_array){
        .type = type, .integer = integer, .rows = rows, .columns = columns, .value = (void *)value};
    snprintf(array->name, sizeof array->name, "%s", name);
}

static pt_status onelsm_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const onelsm *m = (const onelsm *)machine;
    enum { MOST_ARRAYS = 4 };
    pack->count = 0;
    pack->arrays = pt_alloc_zero(MOST_ARRAYS, sizeof(pt_array), "a list of arrays", err);
    if (!pack->arrays)
        return PT_ENOMEM;
    add_array(pack, "coef", PT_F64, false, m->k, m->n_coef, m->coef); /* one class a row */
    if (m->linear)
        return PT_OK;
    const pt_rows *rows = &m->rows.rows;
    if (rows->dense) {
        add_array(pack, "rows", m->type, false, rows->n, rows->d, rows->dense);
    } else {
        const int64_t stored = pt_rows_stored(rows);
        add_array(pack, "start", PT_F64, true, rows->n + 1, 1, rows->start);
        add_array(pack, "index", PT_F64, true, stored, 1, rows->index);
        add_array(pack, "value", m->type, false, stored, 1, rows->value);
    }
    return PT_OK;
}

static const pt_array *find_array(const pt_pack *pack, const char *name)
{
    for (int64_t i = 0; i < pack->count; i++)
        if (strcmp(pack->arrays[i].name, name) == 0)
            return &pack->arrays[i];
    return NULL;
}

static bool all_finite(const pt_array *array)
{
    const int64_t count = array->rows * array->columns;
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(array->type == PT_F32 ? (double)((const float *)array->value)[i]
                                            : ((const double *)array->value)[i]))
            return false;
    return true;
}

static bool is_real(const pt_array *array, pt_type type)
{
    return array && !array->integer && array->type == type && all_finite(array);
}

/* Row starts ascend from 0 to the number of stored values; indices ascend within a row. */
static bool valid_sparse(const pt_array *start, const pt_array *index, const pt_array *value,
                         int64_t n, int64_t d)
{
    if (!start || !index || !start->integer || !index->integer || start->columns != 1 ||
        index->columns != 1 || value->columns != 1 || start->rows != n + 1 ||
        index->rows != value->rows)
        return false;
    const int64_t *at = start->value;
    const int64_t *feature = index->value;
    if (at[0] != 0 || at[n] != index->rows)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (at[i + 1] < at[i] || at[i + 1] > index->rows)
            return false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = at[i]; p < at[i + 1]; p++)
            if (feature[p] < 0 || feature[p] >= d || (p > at[i] && feature[p] <= feature[p - 1]))
                return false;
    return true;
}

/* The training rows of a file, checked and copied. */
static pt_status load_rows(onelsm *m, const pt_pack *pack, int64_t n, int64_t d, pt_error *err)
{
    const pt_array *dense = find_array(pack, "rows");
    pt_rows rows = {.n = n, .d = d, .type = m->type};
    if (dense) {
        if (!is_real(dense, m->type) || dense->rows != n || dense->columns != d)
            return pt_fail(err, PT_EFORMAT, "the model's rows do not fit its other parts");
        rows.dense = dense->value;
        rows.stride = d;
    } else {
        const pt_array *value = find_array(pack, "value");
        const pt_array *start = find_array(pack, "start");
        const pt_array *index = find_array(pack, "index");
        if (!is_real(value, m->type) || !valid_sparse(start, index, value, n, d))
            return pt_fail(err, PT_EFORMAT, "the model's rows do not fit its other parts");
        rows.start = start->value;
        rows.index = index->value;
        rows.value = value->value;
    }
    return pt_rows_select(&m->rows, &rows, NULL, 0, err);
}

static pt_status onelsm_load(pt_machine **out, const pt_pack *pack, int64_t n_inputs,
                             int64_t n_classes, const pt_params *params, pt_error *err)
{
    const pt_array *coef = find_array(pack, "coef");
    if (!is_real(coef, PT_F64) || coef->rows != n_classes || coef->columns < 1)
        return pt_fail(err, PT_EFORMAT, "the model's coefficients do not fit its classes");
    onelsm *m = pt_alloc_zero(1, sizeof *m, "a machine", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = &pt_machine_onelsm;
    m->type = strcmp(pt_params_text(params, PT_P_PRECISION), "double") == 0 ? PT_F64 : PT_F32;
    m->k = n_classes;
    m->n_coef = coef->columns;
    pt_status status = read_params(m, params, err);
    if (status != PT_OK)
        goto failed;
    m->linear = !find_array(pack, "rows") && !find_array(pack, "value");
    if (pack->count != (m->linear ? 1 : find_array(pack, "rows") ? 2 : 4)) {
        status = pt_fail(err, PT_EFORMAT, "the model has arrays that a onelsm has not");
        goto failed;
    }
    const bool may_be_linear =
        is_precomputed(&m->kernel) || strcmp(m->kernel.ops->name, "linear") == 0;
    if ((m->linear && (m->n_coef != n_inputs || !may_be_linear)) ||
        (!m->linear && is_precomputed(&m->kernel))) {
        status = pt_fail(err, PT_EFORMAT, "the model's coefficients do not fit its columns");
        goto failed;
    }
    m->coef = pt_alloc(m->k, (size_t)m->n_coef * sizeof(double), "coefficients", err);
    if (!m->coef) {
        status = PT_ENOMEM;
        goto failed;
    }
    memcpy(m->coef, coef->value, (size_t)(m->k * m->n_coef) * sizeof(double));
    if (!m->linear)
        status = load_rows(m, pack, m->n_coef, n_inputs, err);
    if (status == PT_OK)
        status = make_ready(m, err);
    if (status != PT_OK)
        goto failed;
    *out = &m->base;
    return PT_OK;

failed:
    onelsm_free(&m->base);
    return status;
}

/* ---- held-out scores ------------------------------------------------------------------------ */

/* Indicator outputs become class scores before they are handed on. */
typedef struct decoding {
    const pt_labelbook *const *books; /* one for each point */
    const pt_decoder *const *decoders;
    int64_t n;
    int64_t k;
    pt_holdout_fn take;
    void *context;
} decoding;

static pt_status take_decoded(void *context, int64_t point, int64_t partition, const double *scores,
                              pt_error *err)
{
    const decoding *d = context;
    if (!scores)
        return d->take(d->context, point, partition, NULL, err);
    double *decoded = pt_alloc(d->n * d->k, sizeof(double), "held-out scores", err);
    if (!decoded)
        return PT_ENOMEM;
    memcpy(decoded, scores, (size_t)(d->n * d->k) * sizeof(double));
    d->decoders[point]->from_indicator(d->books[point], d->k, d->n, decoded);
    pt_status status = d->take(d->context, point, partition, decoded, err);
    pt_free(decoded);
    return status;
}

static pt_status onelsm_holdout(const pt_problem *problem, const pt_params *const *points,
                                int64_t n_points, const pt_partitions *partitions,
                                pt_holdout_fn take, void *context, const pt_task *task,
                                pt_error *err)
{
    const pt_ls_problem ls = {&problem->rows, problem->labels->class_of,
                              pt_labels_n_classes(problem->labels), problem->weight};
    pt_ls_point *ls_points = pt_alloc(n_points, sizeof(pt_ls_point), "grid points", err);
    const pt_labelbook **books = pt_alloc(n_points, sizeof(*books), "grid points", err);
    const pt_decoder **decoders = pt_alloc(n_points, sizeof(*decoders), "grid points", err);
    pt_status status = ls_points && books && decoders ? PT_OK : PT_ENOMEM;
    for (int64_t i = 0; i < n_points && status == PT_OK; i++) {
        onelsm m = {0};
        status = read_params(&m, points[i], err);
        ls_points[i] = (pt_ls_point){m.kernel, pt_params_real(points[i], PT_P_RIDGE)};
        books[i] = m.book;
        decoders[i] = m.decoder;
        if (status == PT_OK && is_precomputed(&m.kernel))
            status = pt_ls_check_precomputed(&problem->rows, err);
    }
    decoding d = {books, decoders, problem->rows.n, ls.k, take, context};
    if (status == PT_OK)
        status = pt_ls_holdout(&ls, ls_points, n_points, problem->rows.type, partitions,
                               take_decoded, &d, task, err);
    pt_free(decoders);
    pt_free(books);
    pt_free(ls_points);
    return status;
}

/* ---- the table entry --------------------------------------------------------------------------
 */

const pt_machine_ops pt_machine_onelsm = {
    .name = "onelsm",
    .summary = "least squares, one matrix for all classes (HNR)",
    .parameters = "ridge,labelbook,decode,class-weight,precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT,
    .plan = onelsm_plan,
    .fit = onelsm_fit,
    .scores = onelsm_scores,
    .free = onelsm_free,
    .save = onelsm_save,
    .load = onelsm_load,
    .resolve = pt_ls_resolve,
    .holdout = onelsm_holdout,
};
