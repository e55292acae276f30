/* Rows made ready for Gram blocks.
 *
 * Dense: squared distances come from ||x||^2 + ||z||^2 - 2 x.z, which cancels where the rows lie
 * far from the origin. Distances do not change when a vector c is subtracted from all rows; c = the
 * mean of the training rows makes the norms as small as they can be. The centred copy is held where
 * it is small enough, else each block is centred when it is used.
 *
 * Sparse: rows are never centred (they would not stay sparse). Only features that occur in the
 * training rows count; they are renumbered 0 .. width, so that no array has the length d, which may
 * be huge. A feature of new rows that training never saw adds to their norm and to nothing else.
 *
 *   n rows, d features; centre d doubles; norm n values of the type */
#include "kernels/gram_rows.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "base/sort.h"

/* A copy in the block type is held up to this size; above it rows are packed by blocks. */
static const int64_t HELD_BYTES = (int64_t)256 << 20;
/* Up to this many features ranks are looked up in an array, above by bisection. */
static const int64_t RANK_ARRAY = (int64_t)1 << 24;
enum { ROWS_A_PART = 256, FEATURES_A_PART = 64 };
enum { RANK_CELLS = 8 }; /* a rank is found in the time that so many cells take to be copied */

/* ---- reading the source ---------------------------------------------------------------------- */

static int64_t row_length(const pt_rows *rows, int64_t i)
{
    return rows->dense ? rows->d : rows->start[i + 1] - rows->start[i];
}

/* The first entry of sparse row i whose feature is at least `feature`. */
static int64_t entry_from(const pt_rows *rows, int64_t i, int64_t feature)
{
    int64_t low = rows->start[i];
    int64_t high = rows->start[i + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (rows->index[middle] < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double centre_at(const pt_gram *gram, int64_t f)
{
    return gram->centre ? gram->centre[f] : 0;
}

/* NAME: out <- x - centre, from one type to another. */
#define FROM float
#define TO float
#define NAME subtract_f32_f32
#include "kernels/gram_subtract_body.h"
#undef TO
#undef NAME
#define TO double
#define NAME subtract_f32_f64
#include "kernels/gram_subtract_body.h"
#undef FROM
#undef NAME
#define FROM double
#define NAME subtract_f64_f64
#include "kernels/gram_subtract_body.h"
#undef TO
#undef NAME
#define TO float
#define NAME subtract_f64_f32
#include "kernels/gram_subtract_body.h"

static void pack_dense(const pt_gram *gram, int64_t i, int64_t from, int64_t width, void *out)
{
    const pt_rows *rows = &gram->rows;
    const void *row = pt_real_at(rows->type, rows->dense, i * rows->stride + from);
    const double *centre = gram->centre ? gram->centre + from : NULL;
    if (rows->type == PT_F32 && gram->type == PT_F32)
        subtract_f32_f32(row, centre, width, out);
    else if (rows->type == PT_F32)
        subtract_f32_f64(row, centre, width, out);
    else if (gram->type == PT_F32)
        subtract_f64_f32(row, centre, width, out);
    else
        subtract_f64_f64(row, centre, width, out);
}

static void pack_sparse(const pt_gram *gram, int64_t i, int64_t from, int64_t width, void *out)
{
    const pt_rows *rows = &gram->rows;
    for (int64_t f = 0; f < width; f++)
        pt_real_set(gram->type, out, f, -centre_at(gram, from + f));
    for (int64_t p = entry_from(rows, i, from); p < rows->start[i + 1]; p++) {
        const int64_t f = rows->index[p];
        if (f >= from + width)
            break;
        pt_real_set(gram->type, out, f - from,
                    pt_real_get(rows->type, rows->value, p) - centre_at(gram, f));
    }
}

void pt_gram_pack(const pt_gram *gram, int64_t first, int64_t count, int64_t from, int64_t width,
                  void *out)
{
    for (int64_t i = 0; i < count; i++) {
        void *row = pt_real_at(gram->type, out, i * width);
        if (gram->rows.dense)
            pack_dense(gram, first + i, from, width, row);
        else
            pack_sparse(gram, first + i, from, width, row);
    }
}

/* ---- dense: centre, copy --------------------------------------------------------------------- */

/* Threads that a pass over all cells is worth: waking them takes longer than some cells. */
static int workers_worth(const pt_gram *gram)
{
    enum { MANY_CELLS = 1 << 20 };
    return pt_rows_stored(&gram->rows) < MANY_CELLS ? 1 : INT_MAX;
}

static pt_status centre_part(void *context, int64_t part, int worker, pt_error *err)
{
    (void)worker;
    pt_gram *gram = context;
    const pt_rows *rows = &gram->rows;
    const int64_t from = part * FEATURES_A_PART;
    const int64_t to = from + FEATURES_A_PART < rows->d ? from + FEATURES_A_PART : rows->d;
    double sum[FEATURES_A_PART] = {0};
    for (int64_t i = 0; i < rows->n; i++) {
        PT_TRY(pt_task_check_row(gram->task, i, FEATURES_A_PART, err));
        const void *row = pt_real_at(rows->type, rows->dense, i * rows->stride + from);
        if (rows->type == PT_F32)
            for (int64_t f = 0; f < to - from; f++)
                sum[f] += (double)((const float *)row)[f];
        else
            for (int64_t f = 0; f < to - from; f++)
                sum[f] += ((const double *)row)[f];
    }
    for (int64_t f = from; f < to; f++) {
        const double mean = sum[f - from] / (double)rows->n;
        gram->centre[f] = isfinite(mean) ? mean : 0;
    }
    return PT_OK;
}

static pt_status centre_of_sparse(pt_gram *gram, const pt_task *task, pt_error *err)
{
    const pt_rows *rows = &gram->rows;
    for (int64_t p = rows->start[0]; p < rows->start[rows->n]; p++) {
        PT_TRY(pt_task_check_row(task, p, 1, err));
        gram->centre[rows->index[p]] += pt_real_get(rows->type, rows->value, p) / (double)rows->n;
    }
    for (int64_t f = 0; f < rows->d; f++)
        gram->centre[f] = isfinite(gram->centre[f]) ? gram->centre[f] : 0;
    return PT_OK;
}

static pt_status find_centre(pt_gram *gram, const pt_task *task, pt_error *err)
{
    gram->centre = pt_alloc_zero(gram->rows.d, sizeof(double), "the centre of the rows", err);
    if (!gram->centre)
        return PT_ENOMEM;
    if (gram->rows.n == 0)
        return PT_OK;
    if (!gram->rows.dense)
        return centre_of_sparse(gram, task, err);
    const int64_t parts = (gram->rows.d + FEATURES_A_PART - 1) / FEATURES_A_PART;
    return pt_parallel_for_at_most(task, workers_worth(gram), parts, centre_part, gram, err);
}

static pt_status hold_part(void *context, int64_t part, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    pt_gram *gram = context;
    const int64_t d = gram->rows.d;
    const int64_t first = part * ROWS_A_PART;
    const int64_t left = gram->rows.n - first;
    pt_gram_pack(gram, first, left < ROWS_A_PART ? left : ROWS_A_PART, 0, d,
                 pt_real_at(gram->type, gram->held, first * d));
    return PT_OK;
}

static int64_t row_parts(const pt_gram *gram)
{
    return (gram->rows.n + ROWS_A_PART - 1) / ROWS_A_PART;
}

/* Whether a copy in the block type is small enough to be held; its size. */
static bool copy_is_held(const pt_rows *rows, pt_type type, int64_t *bytes)
{
    size_t count = 0;
    size_t size = 0;
    const bool fits = pt_size_mul((size_t)rows->n, (size_t)rows->d, &count) &&
                      pt_size_mul(count, pt_type_size(type), &size) && size <= (size_t)HELD_BYTES;
    *bytes = fits ? (int64_t)size : 0;
    return fits;
}

static bool needs_copy(const pt_rows *rows, pt_kernel_base base, pt_type type)
{
    return !rows->dense || rows->type != type || base == PT_BASE_SQUARED_DISTANCE;
}

static pt_status prepare_dense(pt_gram *gram, const pt_task *task, pt_error *err)
{
    const pt_rows *rows = &gram->rows;
    if (!needs_copy(rows, gram->base, gram->type)) {
        gram->operand = rows->dense;
        gram->stride = rows->stride;
        return PT_OK;
    }
    int64_t bytes = 0;
    if (!copy_is_held(rows, gram->type, &bytes))
        return PT_OK;
    gram->held = pt_alloc(bytes, 1, "a copy of the rows", err);
    if (!gram->held)
        return PT_ENOMEM;
    const pt_status status =
        pt_parallel_for_at_most(task, workers_worth(gram), row_parts(gram), hold_part, gram, err);
    gram->operand = gram->held;
    gram->stride = rows->d;
    return status;
}

/* ---- sparse: renumbered compressed rows ------------------------------------------------------ */

/* From feature number to rank: by array where features are few, by bisection else. */
typedef struct ranks {
    int32_t *array; /* features; -1: unknown */
    int64_t features;
    const int64_t *known;
    int64_t width;
} ranks;

static int32_t rank_of(const ranks *r, int64_t feature)
{
    if (r->array)
        return feature < r->features ? r->array[feature] : -1;
    int64_t low = 0;
    int64_t high = r->width;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (r->known[middle] < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->width && r->known[low] == feature ? (int32_t)low : -1;
}

static int64_t sparse_entries(const pt_rows *rows)
{
    if (rows->dense)
        return rows->n * rows->d;
    return rows->n > 0 ? rows->start[rows->n] - rows->start[0] : 0;
}

/* The distinct features of the rows through an array of marks. */
static pt_status known_by_array(pt_gram *gram, const pt_task *task, pt_error *err)
{
    const pt_rows *rows = &gram->rows;
    PT_SCRATCH unsigned char *mark = pt_alloc_zero(rows->d, 1, "marks of features", err);
    if (!mark)
        return PT_ENOMEM;
    if (rows->dense) {
        for (int64_t i = 0; i < rows->n; i++) {
            PT_TRY(pt_task_check_row(task, i, rows->d, err));
            for (int64_t f = 0; f < rows->d; f++)
                mark[f] |= pt_real_get(rows->type, rows->dense, i * rows->stride + f) != 0;
        }
    } else {
        for (int64_t p = rows->start[0]; p < rows->start[rows->n]; p++) {
            PT_TRY(pt_task_check_row(task, p, 1, err));
            mark[rows->index[p]] = 1;
        }
    }
    int64_t width = 0;
    for (int64_t f = 0; f < rows->d; f++)
        width += mark[f];
    PT_TRY(PT_NEW(gram->known, width, "features in use", err));
    gram->width = 0;
    for (int64_t f = 0; f < rows->d; f++)
        if (mark[f])
            gram->known[gram->width++] = f;
    return PT_OK;
}

/* The same by sorting: for feature numbers too large for an array. */
static pt_status known_by_sorting(pt_gram *gram, const pt_task *task, pt_error *err)
{
    const pt_rows *rows = &gram->rows;
    const int64_t entries = sparse_entries(rows);
    PT_TRY(PT_NEW(gram->known, entries, "features in use", err));
    PT_TRY(pt_task_copy(task, gram->known, rows->index + rows->start[0],
                        (size_t)entries * sizeof(int64_t), err));
    PT_TRY(pt_sort(gram->known, entries, sizeof(int64_t), pt_ascending_integers, "features in use",
                   task, err));
    gram->width = 0;
    for (int64_t p = 0; p < entries; p++) {
        PT_TRY(pt_task_check_row(task, p, 1, err));
        if (gram->width == 0 || gram->known[p] != gram->known[gram->width - 1])
            gram->known[gram->width++] = gram->known[p];
    }
    return PT_OK;
}

static pt_status find_known(pt_gram *gram, const pt_task *task, pt_error *err)
{
    if (gram->rows.n == 0)
        gram->known = pt_alloc(0, sizeof(int64_t), "features in use", err);
    else if (gram->rows.d <= RANK_ARRAY)
        return known_by_array(gram, task, err);
    else
        return known_by_sorting(gram, task, err);
    return gram->known ? PT_OK : PT_ENOMEM;
}

static void ranks_free(ranks *r)
{
    pt_free(r->array);
}

static pt_status ranks_init(ranks *r, const pt_gram *gram, pt_error *err)
{
    r->known = gram->known;
    r->width = gram->width;
    const int64_t features = gram->width > 0 ? gram->known[gram->width - 1] + 1 : 0;
    if (features > RANK_ARRAY)
        return PT_OK;
    r->array = pt_alloc(features, sizeof(int32_t), "ranks of features", err);
    if (!r->array)
        return PT_ENOMEM;
    r->features = features;
    memset(r->array, -1, (size_t)features * sizeof(int32_t));
    for (int64_t k = 0; k < gram->width; k++)
        r->array[gram->known[k]] = (int32_t)k;
    return PT_OK;
}

/* Appends the entries of row i whose features are known; returns the new end. */
static int64_t copy_sparse_row(pt_gram *gram, const ranks *r, int64_t i, int64_t end)
{
    const pt_rows *rows = &gram->rows;
    const int64_t length = row_length(rows, i);
    for (int64_t k = 0; k < length; k++) {
        const int64_t p = rows->dense ? i * rows->stride + k : rows->start[i] + k;
        const int32_t rank = rank_of(r, rows->dense ? k : rows->index[p]);
        const double value = pt_real_get(rows->type, rows->dense ? rows->dense : rows->value, p);
        if (rank < 0 || value == 0)
            continue;
        gram->feature[end] = rank;
        pt_real_set(gram->type, gram->value, end, value);
        end++;
    }
    return end;
}

static pt_status prepare_sparse(pt_gram *gram, const pt_task *task, pt_error *err)
{
    const pt_rows *rows = &gram->rows;
    if (gram->width > INT32_MAX)
        return pt_fail(err, PT_ENOSUPPORT, "%lld different features are more than can be held",
                       (long long)gram->width);
    const int64_t entries = sparse_entries(rows);
    gram->start = pt_alloc(rows->n + 1, sizeof(int64_t), "sparse rows", err);
    gram->feature = pt_alloc(entries, sizeof(int32_t), "sparse rows", err);
    gram->value = pt_alloc(entries, pt_type_size(gram->type), "sparse rows", err);
    if (!gram->start || !gram->feature || !gram->value)
        return PT_ENOMEM;
    PT_FREED_BY(ranks_free) ranks r = {0};
    PT_TRY(ranks_init(&r, gram, err));
    gram->start[0] = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        PT_TRY(pt_task_check_row(task, i, RANK_CELLS * pt_rows_width(rows), err));
        gram->start[i + 1] = copy_sparse_row(gram, &r, i, gram->start[i]);
    }
    return PT_OK;
}

/* ---- norms ----------------------------------------------------------------------------------- */

/* Of the values as blocks see them: rounded to the type, centred. All features count, those unknown
 * to training too. */
static double row_norm(const pt_gram *gram, int64_t i)
{
    double buffer[FEATURES_A_PART];
    const bool absolute = gram->base == PT_BASE_L1_DISTANCE;
    double sum = 0;
    if (!gram->rows.dense && !gram->centre) {
        for (int64_t p = gram->rows.start[i]; p < gram->rows.start[i + 1]; p++) {
            double x = pt_real_get(gram->rows.type, gram->rows.value, p);
            x = gram->type == PT_F32 ? (double)(float)x : x;
            sum += absolute ? fabs(x) : x * x;
        }
        return sum;
    }
    for (int64_t from = 0; from < gram->rows.d; from += FEATURES_A_PART) {
        const int64_t left = gram->rows.d - from;
        const int64_t width = left < FEATURES_A_PART ? left : FEATURES_A_PART;
        const void *part = buffer;
        if (gram->operand)
            part = pt_real_at(gram->type, gram->operand, i * gram->stride + from);
        else
            pt_gram_pack(gram, i, 1, from, width, buffer);
        for (int64_t f = 0; f < width; f++) {
            const double x = pt_real_get(gram->type, part, f);
            sum += absolute ? fabs(x) : x * x;
        }
    }
    return sum;
}

static pt_status norm_part(void *context, int64_t part, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    pt_gram *gram = context;
    const int64_t first = part * ROWS_A_PART;
    const int64_t left = gram->rows.n - first;
    const int64_t count = left < ROWS_A_PART ? left : ROWS_A_PART;
    for (int64_t i = first; i < first + count; i++)
        pt_real_set(gram->type, gram->norm, i, row_norm(gram, i));
    return PT_OK;
}

static pt_status find_norms(pt_gram *gram, const pt_task *task, pt_error *err)
{
    const bool needed = gram->base == PT_BASE_SQUARED_DISTANCE ||
                        (gram->base == PT_BASE_L1_DISTANCE && gram->sparse);
    if (!needed)
        return PT_OK;
    gram->norm = pt_alloc(gram->rows.n, pt_type_size(gram->type), "norms of the rows", err);
    if (!gram->norm)
        return PT_ENOMEM;
    return pt_parallel_for_at_most(task, workers_worth(gram), row_parts(gram), norm_part, gram,
                                   err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static pt_status gram_shell(pt_gram **out, const pt_rows *rows, pt_kernel_base base, pt_type type,
                            bool sparse, const pt_task *task, pt_error *err)
{
    pt_gram *gram = pt_alloc_zero(1, sizeof *gram, "a Gram matrix's rows", err);
    if (!gram)
        return PT_ENOMEM;
    gram->task = task;
    gram->rows = *rows;
    gram->base = base;
    gram->type = type;
    gram->sparse = sparse && base != PT_BASE_ROW && base != PT_BASE_OWN;
    *out = gram;
    return PT_OK;
}

void pt_gram_free(pt_gram *gram)
{
    if (!gram)
        return;
    pt_free(gram->centre);
    pt_free(gram->held);
    pt_free(gram->start);
    pt_free(gram->feature);
    pt_free(gram->value);
    pt_free(gram->known);
    pt_free(gram->norm);
    pt_rows_owned_free(&gram->wide);
    pt_free(gram);
}

/* Rows for a program's kernel, all of which are sparse or dense. */
static pt_status show_rows(pt_gram *gram, const pt_kernel_callbacks *own, bool sparse,
                           const pt_task *task, pt_error *err)
{
    gram->own = own;
    return pt_own_rows(&gram->seen, &gram->wide, own, &gram->rows, sparse, task, err);
}

/* What follows once the centre or the known features are set. */
static pt_status gram_finish(pt_gram *gram, const pt_task *task, pt_error *err)
{
    if (gram->base != PT_BASE_ROW)
        PT_TRY(gram->sparse ? prepare_sparse(gram, task, err) : prepare_dense(gram, task, err));
    return find_norms(gram, task, err);
}

pt_status pt_gram_new(pt_gram **out, const pt_rows *rows, const pt_kernel_ops *of, pt_type type,
                      const pt_task *task, pt_error *err)
{
    const pt_kernel_base base = of->base;
    if (base == PT_BASE_ROW && rows->d != rows->n)
        return pt_fail(err, PT_EINVAL,
                       "a precomputed kernel needs a square matrix; here are %lld rows and %lld "
                       "columns",
                       (long long)rows->n, (long long)rows->d);
    PT_FREED_BY(pt_gram_free_at) pt_gram *gram = NULL;
    PT_TRY(gram_shell(&gram, rows, base, type, !rows->dense, task, err));
    if (of->own)
        PT_TRY(show_rows(gram, of->own, !rows->dense, task, err));
    else if (gram->sparse)
        PT_TRY(find_known(gram, task, err));
    else if (base == PT_BASE_SQUARED_DISTANCE)
        PT_TRY(find_centre(gram, task, err));
    if (!of->own)
        PT_TRY(gram_finish(gram, task, err));
    *out = pt_keep(&gram);
    return PT_OK;
}

/* Below this share of cells that are not 0 panels of sparse rows are faster than dense ones:
 * measured against GEMM, a third; less where vectors are short. */
static const double FEW_CELLS = 0.25;

/* Dense rows as sparse ones: few cells, and a centre near 0. Sparse rows are not centred; far from
 * 0 their distances would be small differences of large numbers. */
static pt_status better_sparse(const pt_gram *gram, bool *better, const pt_task *task,
                               pt_error *err)
{
    const pt_rows *rows = &gram->rows;
    int64_t used = 0;
    double squares = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        PT_TRY(pt_task_check_row(task, i, rows->d, err));
        for (int64_t f = 0; f < rows->d; f++) {
            const double x = pt_real_get(rows->type, rows->dense, i * rows->stride + f);
            used += x != 0;
            squares += x * x;
        }
    }
    double centre = 0;
    for (int64_t f = 0; gram->centre && f < rows->d; f++)
        centre += gram->centre[f] * gram->centre[f];
    *better = (double)used < FEW_CELLS * (double)rows->n * (double)rows->d &&
              2 * centre * (double)rows->n <= squares && rows->d <= RANK_ARRAY;
    return PT_OK;
}

pt_status pt_gram_new_bare(pt_gram **out, const pt_rows *rows, const pt_kernel_ops *of,
                           pt_type type, const pt_task *task, pt_error *err)
{
    const pt_kernel_base base = of->base;
    const double cells = (double)rows->n * (double)rows->d;
    if (of->own || (!rows->dense && (double)pt_rows_stored(rows) < FEW_CELLS * cells))
        return pt_gram_new(out, rows, of, type, task, err);
    PT_FREED_BY(pt_gram_free_at) pt_gram *gram = NULL;
    PT_TRY(gram_shell(&gram, rows, base, type, false, task, err));
    if (base == PT_BASE_SQUARED_DISTANCE)
        PT_TRY(find_centre(gram, task, err));
    bool sparse = false;
    if (rows->dense)
        PT_TRY(better_sparse(gram, &sparse, task, err));
    if (sparse) {
        gram->sparse = true;
        pt_free(gram->centre);
        gram->centre = NULL;
        PT_TRY(find_known(gram, task, err));
        PT_TRY(gram_finish(gram, task, err));
    }
    *out = pt_keep(&gram);
    return PT_OK;
}

static pt_status copy_array(void **out, const void *array, int64_t count, size_t size,
                            pt_error *err)
{
    if (!array)
        return PT_OK;
    *out = pt_alloc(count, size, "a copy of a centre", err);
    if (!*out)
        return PT_ENOMEM;
    memcpy(*out, array, (size_t)count * size);
    return PT_OK;
}

pt_status pt_gram_new_like(pt_gram **out, const pt_rows *rows, const pt_gram *like,
                           const pt_task *task, pt_error *err)
{
    const int64_t expected = like->base == PT_BASE_ROW ? like->rows.n : like->rows.d;
    if (rows->d != expected)
        return pt_fail(err, PT_EINVAL, "the rows have %lld features; those of training had %lld",
                       (long long)rows->d, (long long)expected);
    PT_FREED_BY(pt_gram_free_at) pt_gram *gram = NULL;
    PT_TRY(gram_shell(&gram, rows, like->base, like->type, like->sparse, task, err));
    gram->width = like->width;
    PT_TRY(copy_array((void **)&gram->centre, like->centre, like->rows.d, sizeof(double), err));
    PT_TRY(copy_array((void **)&gram->known, like->known, like->width, sizeof(int64_t), err));
    PT_TRY(like->own ? show_rows(gram, like->own, !like->seen.dense, task, err)
                     : gram_finish(gram, task, err));
    *out = pt_keep(&gram);
    return PT_OK;
}

pt_status pt_gram_view(pt_gram **out, const pt_rows *rows, const pt_gram *like, pt_type type,
                       pt_error *err)
{
    PT_FREED_BY(pt_gram_free_at) pt_gram *gram = NULL;
    PT_TRY(gram_shell(&gram, rows, like ? like->base : PT_BASE_ROW, type, false, NULL, err));
    if (like)
        PT_TRY(copy_array((void **)&gram->centre, like->centre, like->rows.d, sizeof(double), err));
    *out = pt_keep(&gram);
    return PT_OK;
}

int64_t pt_gram_bytes(const pt_rows *rows, pt_kernel_base base, pt_type type)
{
    const int64_t size = (int64_t)pt_type_size(type);
    if (base == PT_BASE_ROW)
        return (int64_t)sizeof(pt_gram);
    if (base == PT_BASE_OWN) {
        const int64_t copied = rows->type == PT_F64 ? 0 : sparse_entries(rows);
        return (int64_t)sizeof(pt_gram) + copied * (rows->dense ? 8 : 16) + (rows->n + 1) * 8;
    }
    if (!rows->dense) {
        const int64_t entries = sparse_entries(rows);
        const int64_t known = entries < rows->d || rows->d > RANK_ARRAY ? entries : rows->d;
        return (int64_t)sizeof(pt_gram) + entries * (4 + size) + rows->n * (8 + size) + known * 12;
    }
    int64_t copy = 0;
    if (needs_copy(rows, base, type))
        copy_is_held(rows, type, &copy);
    return (int64_t)sizeof(pt_gram) + copy + rows->d * 8 + rows->n * size;
}
