/* One block of base values: rows of a against rows of b.
 *
 * Dense   x.z by GEMM (row-major rows are the columns of a column-major matrix, so the block is A^T
 * B),
 *         ||x-z||^2 from it and the norms, clamped at 0; sum |x-z| over a panel: a few rows of a
 * turned feature-major, met by one row of b after the other. Sparse  the same panel, filled by
 * scattering rows of a; a row of b meets it with its non-zero features only. A panel holds the
 * features that occur in its rows (slot[feature] is the place), at most PT_GRAM_SLOTS at a time:
 * wider rows take several passes over ranges of features.
 *
 *   block  m x n column-major, ld; column j is row b0 + j of b, so a panel's results are contiguous
 *   scratch: own     values in double, where blocks are not
 *            dense   packed a (m x c), packed b (n x c), panel (lanes x c);  c = min(d, chunk)
 *            sparse  slot (width int32), touched (slots int32), cursors (lanes + n int64), panel */
#include "kernels/gram_rows.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "kernels/loops.h"
#include "linalg/linalg.h"

/* Columns that are computed, finished and mapped together: stay in the cache meanwhile. */
enum { COLUMNS_A_STRIP = 128 };
/* Columns asked of a program's kernel together: with PT_OWN_VALUES a square, a long row of one. */
enum { OWN_COLUMNS = 128 };

static int64_t lanes_of(pt_type type)
{
    return PT_PANEL_BYTES / (int64_t)pt_type_size(type);
}

static void *take(char **scratch, int64_t count, size_t size)
{
    void *piece = *scratch;
    *scratch += pt_arena_need(count, size);
    return piece;
}

size_t pt_gram_scratch(const pt_gram *a, const pt_gram *b, int64_t m, int64_t n)
{
    const size_t size = pt_type_size(a->type);
    const int64_t lanes = lanes_of(a->type);
    if (a->base == PT_BASE_ROW)
        return pt_arena_need(a->rows.d < n ? a->rows.d : n, size);
    if (a->own)
        return a->type == PT_F64 ? 0
                                 : pt_arena_need(pt_lesser(m * n, PT_OWN_VALUES), sizeof(double));
    if (a->sparse) {
        const int64_t slots = pt_lesser(b->width, PT_GRAM_SLOTS);
        return pt_arena_need(b->width, sizeof(int32_t)) + pt_arena_need(slots, sizeof(int32_t)) +
               pt_arena_need(lanes, sizeof(int64_t)) + pt_arena_need(n, sizeof(int64_t)) +
               pt_arena_need(slots * lanes, size) + pt_arena_need(lanes, size);
    }
    const int64_t chunk = pt_lesser(a->rows.d, PT_GRAM_CHUNK);
    if (a->base == PT_BASE_L1_DISTANCE)
        return pt_arena_need(chunk, size) + pt_arena_need(n * chunk, size) +
               pt_arena_need(lanes * chunk, size) + pt_arena_need(lanes, size);
    return (a->operand ? 0 : pt_arena_need(m * chunk, size)) +
           (b->operand ? 0 : pt_arena_need(n * chunk, size));
}

/* ---- dense inner products -------------------------------------------------------------------- */

typedef struct dense_side {
    const void *rows; /* column-major: one row of the data a column */
    int64_t ld;
} dense_side;

static dense_side side_ready(const pt_gram *gram, int64_t first, int64_t count, int64_t from,
                             int64_t width, void *packed)
{
    dense_side side = {packed, width};
    if (gram->operand) {
        side.rows = pt_real_at(gram->type, gram->operand, first * gram->stride + from);
        side.ld = gram->stride;
    } else {
        pt_gram_pack(gram, first, count, from, width, packed);
    }
    return side;
}

/* A row's features in one go where both sides are ready, else in chunks that scratch has room for.
 */
static pt_status dense_dot(const pt_gram *a, int64_t a0, int64_t m, const pt_gram *b, int64_t b0,
                           int64_t n, void *block, int64_t ld, char *scratch, pt_error *err)
{
    const int64_t d = a->rows.d;
    const size_t size = pt_type_size(a->type);
    const bool ready = a->operand && b->operand;
    const int64_t chunk = ready ? d : pt_lesser(d, PT_GRAM_CHUNK);
    void *packed_a = a->operand ? NULL : take(&scratch, m * chunk, size);
    void *packed_b = b->operand ? NULL : take(&scratch, n * chunk, size);
    int64_t from = 0;
    do { /* once even for d = 0, which sets the block to 0 */
        const int64_t width = pt_lesser(chunk, d - from);
        const dense_side left = side_ready(a, a0, m, from, width, packed_a);
        const dense_side right = side_ready(b, b0, n, from, width, packed_b);
        const int64_t ld_a = pt_greater(left.ld, 1);
        const int64_t ld_b = pt_greater(right.ld, 1);
        if ((double)m * (double)n * (double)width <= PT_GRAM_PRODUCTS)
            pt_la_gemm(a->type, 't', 'n', m, n, width, 1, left.rows, ld_a, right.rows, ld_b,
                       from > 0, block, ld);
        else
            PT_TRY(pt_la_long_gemm(a->type, 't', 'n', m, n, width, 1, left.rows, ld_a, right.rows,
                                   ld_b, from > 0, block, ld, a->task, err));
        from += width;
    } while (from < d);
    return PT_OK;
}

/* ---- dense L1 -------------------------------------------------------------------------------- */

/* Adds one panel's part of sum |x - z| to `rows` values of every column. */
static void panel_columns_l1(const pt_loops *loops, pt_type type, const void *panel,
                             dense_side right, int64_t n, int64_t width, int64_t rows, void *block,
                             int64_t ld, void *sum)
{
    const size_t bytes = (size_t)rows * pt_type_size(type);
    for (int64_t j = 0; j < n; j++) {
        void *column = pt_real_at(type, block, j * ld);
        memset(sum, 0, PT_PANEL_BYTES);
        memcpy(sum, column, bytes);
        loops->panel_l1(panel, pt_real_at(type, right.rows, j * right.ld), width, sum);
        memcpy(column, sum, bytes);
    }
}

/* panel[f][r] <- row first + r of a, feature from + f; unused lanes are 0 */
static void panel_fill(const pt_gram *a, int64_t first, int64_t rows, int64_t from, int64_t width,
                       void *row, void *panel)
{
    const int64_t lanes = lanes_of(a->type);
    memset(panel, 0, (size_t)(width * PT_PANEL_BYTES));
    for (int64_t r = 0; r < rows; r++) {
        const void *x = row;
        if (a->operand)
            x = pt_real_at(a->type, a->operand, (first + r) * a->stride + from);
        else
            pt_gram_pack(a, first + r, 1, from, width, row);
        for (int64_t f = 0; f < width; f++)
            pt_real_set(a->type, panel, f * lanes + r, pt_real_get(a->type, x, f));
    }
}

static void zero_block(pt_type type, int64_t m, int64_t n, void *block, int64_t ld)
{
    for (int64_t j = 0; j < n; j++)
        memset(pt_real_at(type, block, j * ld), 0, (size_t)m * pt_type_size(type));
}

static pt_status dense_l1(const pt_gram *a, int64_t a0, int64_t m, const pt_gram *b, int64_t b0,
                          int64_t n, void *block, int64_t ld, char *scratch, pt_error *err)
{
    const pt_type type = a->type;
    const pt_loops *loops = pt_loops_of(pt_isa_chosen(), type);
    const int64_t lanes = lanes_of(type);
    const int64_t d = a->rows.d;
    const int64_t chunk = pt_lesser(d, PT_GRAM_CHUNK);
    void *row = take(&scratch, chunk, pt_type_size(type));
    void *packed_b = take(&scratch, n * chunk, pt_type_size(type));
    void *panel = take(&scratch, lanes * chunk, pt_type_size(type));
    void *sum = take(&scratch, lanes, pt_type_size(type));
    zero_block(type, m, n, block, ld);
    for (int64_t from = 0; from < d; from += chunk) {
        const int64_t width = pt_lesser(chunk, d - from);
        const dense_side right = side_ready(b, b0, n, from, width, packed_b);
        for (int64_t r = 0; r < m; r += lanes) {
            const int64_t rows = pt_lesser(lanes, m - r);
            PT_TRY(pt_task_check_row(a->task, r / lanes, n * width, err));
            panel_fill(a, a0 + r, rows, from, width, row, panel);
            panel_columns_l1(loops, type, panel, right, n, width, rows, pt_real_at(type, block, r),
                             ld, sum);
        }
    }
    return PT_OK;
}

/* ---- sparse ---------------------------------------------------------------------------------- */

typedef struct sparse_work {
    const pt_gram *a;
    const pt_gram *b;
    const pt_loops *loops;
    int32_t *slot;     /* width: where a feature is in the panel, -1: not there */
    int32_t *touched;  /* features in the panel */
    int64_t *cursor_a; /* lanes: the next entry of each row of the panel */
    int64_t *cursor_b; /* n: the next entry of each row of b */
    void *panel;
    void *sum;
    int64_t used; /* slots in use */
} sparse_work;

static int64_t entries_left(const sparse_work *work, int64_t first, int64_t rows)
{
    int64_t left = 0;
    for (int64_t r = 0; r < rows; r++)
        left += work->a->start[first + r + 1] - work->cursor_a[r];
    return left;
}

/* Puts the entries with features below `to` into the panel. */
static void scatter(sparse_work *work, int64_t first, int64_t rows, int64_t to)
{
    const pt_gram *a = work->a;
    const int64_t lanes = lanes_of(a->type);
    work->used = 0;
    for (int64_t r = 0; r < rows; r++) {
        int64_t p = work->cursor_a[r];
        for (; p < a->start[first + r + 1] && a->feature[p] < to; p++) {
            int32_t *slot = &work->slot[a->feature[p]];
            if (*slot < 0) {
                *slot = (int32_t)work->used;
                work->touched[work->used++] = a->feature[p];
                memset(pt_real_at(a->type, work->panel, *slot * lanes), 0, PT_PANEL_BYTES);
            }
            pt_real_set(a->type, work->panel, *slot * lanes + r, pt_real_get(a->type, a->value, p));
        }
        work->cursor_a[r] = p;
    }
}

static void clear_slots(sparse_work *work)
{
    for (int64_t k = 0; k < work->used; k++)
        work->slot[work->touched[k]] = -1;
}

/* Where the entries of row j of b with features below `to` end. */
static int64_t pass_end(const sparse_work *work, int64_t row, int64_t from, int64_t to)
{
    const pt_gram *b = work->b;
    int64_t end = b->start[row + 1];
    if (to < b->width)
        for (end = from; end < b->start[row + 1] && b->feature[end] < to; end++)
            ;
    return end;
}

static void multiply(sparse_work *work, int64_t rows, int64_t b0, int64_t n, int64_t to,
                     void *block, int64_t ld)
{
    const pt_gram *b = work->b;
    const pt_type type = b->type;
    const size_t bytes = (size_t)rows * pt_type_size(type);
    const bool l1 = b->base == PT_BASE_L1_DISTANCE;
    for (int64_t j = 0; j < n; j++) {
        const int64_t p = work->cursor_b[j];
        const int64_t end = pass_end(work, b0 + j, p, to);
        void *column = pt_real_at(type, block, j * ld);
        memset(work->sum, 0, PT_PANEL_BYTES);
        memcpy(work->sum, column, bytes);
        (l1 ? work->loops->panel_sparse_l1
            : work->loops->panel_sparse_dot)(work->panel, work->slot, b->feature + p,
                                             pt_real_at(type, b->value, p), end - p, work->sum);
        memcpy(column, work->sum, bytes);
        work->cursor_b[j] = end;
    }
}

/* One panel of rows against all n rows of b, in as many passes as its features need. */
static void sparse_panel(sparse_work *work, int64_t first, int64_t rows, int64_t b0, int64_t n,
                         void *block, int64_t ld)
{
    const int64_t width = work->b->width;
    for (int64_t r = 0; r < rows; r++)
        work->cursor_a[r] = work->a->start[first + r];
    for (int64_t j = 0; j < n; j++)
        work->cursor_b[j] = work->b->start[b0 + j];
    int64_t from = 0;
    do {
        const bool rest = entries_left(work, first, rows) <= PT_GRAM_SLOTS;
        const int64_t to = rest ? width : pt_lesser(width, from + PT_GRAM_SLOTS);
        scatter(work, first, rows, to);
        multiply(work, rows, b0, n, to, block, ld);
        clear_slots(work);
        from = to;
    } while (from < width);
}

static pt_status sparse_block(const pt_gram *a, int64_t a0, int64_t m, const pt_gram *b, int64_t b0,
                              int64_t n, void *block, int64_t ld, char *scratch, pt_error *err)
{
    const int64_t lanes = lanes_of(a->type);
    const int64_t slots = pt_lesser(b->width, PT_GRAM_SLOTS);
    const size_t size = pt_type_size(a->type);
    sparse_work work = {.a = a, .b = b, .loops = pt_loops_of(pt_isa_chosen(), a->type)};
    work.slot = take(&scratch, b->width, sizeof(int32_t));
    work.touched = take(&scratch, slots, sizeof(int32_t));
    work.cursor_a = take(&scratch, lanes, sizeof(int64_t));
    work.cursor_b = take(&scratch, n, sizeof(int64_t));
    work.panel = take(&scratch, slots * lanes, size);
    work.sum = take(&scratch, lanes, size);
    memset(work.slot, -1, (size_t)b->width * sizeof(int32_t));
    zero_block(a->type, m, n, block, ld);
    if (a->base == PT_BASE_L1_DISTANCE) /* sum |x|, from which the features of z take away */
        for (int64_t j = 0; j < n; j++)
            memcpy(pt_real_at(a->type, block, j * ld), pt_real_at(a->type, a->norm, a0),
                   (size_t)m * size);
    const int64_t met = b->rows.n > 0 ? b->start[b->rows.n] / b->rows.n + 1 : 1; /* features */
    for (int64_t r = 0; r < m; r += lanes) {
        PT_TRY(pt_task_check_row(a->task, r / lanes, n * met, err));
        sparse_panel(&work, a0 + r, pt_lesser(lanes, m - r), b0, n, pt_real_at(a->type, block, r),
                     ld);
    }
    return PT_OK;
}

/* ---- precomputed ----------------------------------------------------------------------------- */

static void row_block(const pt_gram *a, int64_t a0, int64_t m, int64_t b0, int64_t n, void *block,
                      int64_t ld, void *row)
{
    for (int64_t i = 0; i < m; i++) {
        pt_gram_pack(a, a0 + i, 1, b0, n, row);
        for (int64_t j = 0; j < n; j++)
            pt_real_set(a->type, block, i + j * ld, pt_real_get(a->type, row, j));
    }
}

/* ---- a program's kernel ---------------------------------------------------------------------- */

/* values (count) <- some of `from`. */
static pt_status narrow(const pt_kernel_callbacks *own, const double *from, int64_t count,
                        float *values, pt_error *err)
{
    PT_TRY(pt_own_check_narrow(own, from, count, err));
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)from[i];
    return PT_OK;
}

/* The callbacks' blocks are row-major: their rows are those of b, our columns. */
static pt_status own_block(const pt_gram *a, int64_t a0, int64_t m, const pt_gram *b, int64_t b0,
                           int64_t n, void *block, int64_t ld, void *scratch, pt_error *err)
{
    const bool wide = a->type == PT_F64;
    const int64_t columns = pt_lesser(n, OWN_COLUMNS);
    const int64_t rows = pt_lesser(m, PT_OWN_VALUES / columns);
    for (int64_t j = 0; j < n; j += columns)
        for (int64_t i = 0; i < m; i += rows) {
            const pt_rows of_a = pt_rows_range(&a->seen, a0 + i, pt_lesser(rows, m - i));
            const pt_rows of_b = pt_rows_range(&b->seen, b0 + j, pt_lesser(columns, n - j));
            void *values = pt_real_at(a->type, block, i + j * ld);
            PT_TRY(pt_task_check(a->task, err));
            PT_TRY(pt_own_values(a->own, &of_b, &of_a, wide ? values : scratch, wide ? ld : of_a.n,
                                 err));
            for (int64_t c = 0; c < of_b.n && !wide; c++)
                PT_TRY(narrow(a->own, (const double *)scratch + c * of_a.n, of_a.n,
                              (float *)values + c * ld, err));
        }
    return PT_OK;
}

/* ---- the block ------------------------------------------------------------------------------- */

static bool is_distance(pt_kernel_base base)
{
    return base == PT_BASE_SQUARED_DISTANCE || base == PT_BASE_L1_DISTANCE;
}

/* Column j from inner products, or a sum of rounded terms, to what the base promises. */
static void finish_column(const pt_gram *a, int64_t a0, int64_t m, const pt_gram *b, int64_t row_b,
                          void *column)
{
    const pt_loops *loops = pt_loops_of(pt_isa_chosen(), a->type);
    if (a->base == PT_BASE_SQUARED_DISTANCE)
        loops->distance(column, m, pt_real_at(a->type, a->norm, a0),
                        pt_real_get(b->type, b->norm, row_b));
    if (a->base == PT_BASE_L1_DISTANCE && a->sparse)
        for (int64_t i = 0; i < m; i++)
            if (pt_real_get(a->type, column, i) < 0)
                pt_real_set(a->type, column, i, 0);
    if (a == b && is_distance(a->base) && row_b >= a0 && row_b < a0 + m)
        pt_real_set(a->type, column, row_b - a0, 0); /* a row and itself */
}

static pt_status base_strip(const pt_gram *a, int64_t a0, int64_t m, const pt_gram *b, int64_t b0,
                            int64_t n, void *block, int64_t ld, void *scratch, pt_error *err)
{
    if (a->own)
        return own_block(a, a0, m, b, b0, n, block, ld, scratch, err);
    if (a->sparse)
        return sparse_block(a, a0, m, b, b0, n, block, ld, scratch, err);
    if (a->base == PT_BASE_L1_DISTANCE)
        return dense_l1(a, a0, m, b, b0, n, block, ld, scratch, err);
    if (a->base != PT_BASE_ROW)
        return dense_dot(a, a0, m, b, b0, n, block, ld, scratch, err);
    row_block(a, a0, m, b0, n, block, ld, scratch);
    return PT_OK;
}

pt_status pt_gram_block_mapped(const pt_gram *a, int64_t a0, int64_t m, const pt_gram *b,
                               int64_t b0, int64_t n, const pt_kernel *kernel, void *block,
                               int64_t ld, void *scratch, pt_error *err)
{
    if (m <= 0 || n <= 0)
        return PT_OK;
    /* Where a side is packed or scattered for every strip, one strip is best. */
    const bool ready = !a->sparse && a->operand && b->operand;
    const int64_t strip = ready ? COLUMNS_A_STRIP : n;
    for (int64_t j0 = 0; j0 < n; j0 += strip) {
        const int64_t columns = pt_lesser(strip, n - j0);
        PT_TRY(base_strip(a, a0, m, b, b0 + j0, columns, pt_real_at(a->type, block, j0 * ld), ld,
                          scratch, err));
        for (int64_t j = j0; j < j0 + columns; j++) {
            void *column = pt_real_at(a->type, block, j * ld);
            finish_column(a, a0, m, b, b0 + j, column);
            if (kernel)
                pt_kernel_map(kernel, a->type, m, 1, column, ld);
        }
    }
    return PT_OK;
}

pt_status pt_gram_block(const pt_gram *a, int64_t a0, int64_t m, const pt_gram *b, int64_t b0,
                        int64_t n, void *block, int64_t ld, void *scratch, pt_error *err)
{
    return pt_gram_block_mapped(a, a0, m, b, b0, n, NULL, block, ld, scratch, err);
}
