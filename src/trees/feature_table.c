/* The table of binned features (feature_table.h).
 *
 * A numeric feature is sorted once, by the bits of its values: an order-preserving map takes a
 * double to an unsigned number, and bytes of that are sorted from the lowest to the highest,
 * leaving out those in which all values agree (of whole numbers most of them do). The sorted order
 * gives distinct values, cuts and the bin of every row in one walk.
 *
 *   run      cells of one distinct value, neighbours in the sorted order
 *   cut      the middle between the last value of a bin and the first of the next; where rounding
 *            puts the middle onto the upper one, or a value is infinite, the lower one itself: a
 *            cut separates the two in any case
 *   limit    bins that a numeric feature may have; 0: as many as it has values
 *
 * Bins of a histogram are filled greedily: a bin is closed where the next run would take it further
 * beyond its share of the cells that are left than it now falls short of it.
 *
 * Time: O(n) a byte that differs, at most 8 of them, for each feature. In parallel over blocks of
 * features; a feature depends on its own cells alone. */
#include "trees/feature_table.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"

enum {
    DIGITS = 8, /* bytes of a key */
    RADIX = 256,
    BLOCK = 8, /* features that are gathered together: a row's neighbours share cache lines */
    NARROW_MOST = 255, /* the last bin that a byte can name */
    LISTED_SHARE = 8   /* a feature is listed where at most one row in so many has a cell */
};
#define ABSENT UINT32_MAX /* stands for the cells that sparse rows do not have */

/* Work space of one worker. */
typedef struct scratch {
    uint64_t *gathered; /* BLOCK x n bit patterns of cells */
    uint64_t *key[2];   /* n each, sorted to and fro */
    uint32_t *row[2];   /* n each: whose key it is */
} scratch;

typedef struct build {
    const pt_rows *rows;
    const pt_rows *sparse; /* features as rows, where the rows are sparse; else NULL */
    int64_t bins;
    bool listing;
    pt_feature_table *table;
    scratch *work; /* one a worker */
    const pt_task *task;
} build;

/* ---- keys ------------------------------------------------------------------------------------ */

/* Ascending with the value; -0 is 0. */
static uint64_t key_of(double value)
{
    uint64_t bits = 0;
    value = value == 0 ? 0 : value;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double cut_between(uint64_t below, uint64_t above)
{
    const double lower = value_of(below);
    const double upper = value_of(above);
    const double middle = lower + (upper - lower) / 2;
    const double other = lower / 2 + upper / 2; /* where the difference is too large */
    const double cut = isfinite(middle) ? middle : other;
    return cut >= lower && cut < upper ? cut : lower;
}

/* Sorts the m keys of key[0] with their rows; returns which of the two holds the result. */
static int sort_keys(scratch *w, int64_t m)
{
    uint32_t count[DIGITS][RADIX] = {{0}};
    for (int64_t j = 0; j < m; j++)
        for (int digit = 0; digit < DIGITS; digit++)
            count[digit][w->key[0][j] >> (8 * digit) & 255]++;
    int from = 0;
    for (int digit = 0; digit < DIGITS && m > 0; digit++) {
        const int shift = 8 * digit;
        uint32_t *place = count[digit];
        if (place[w->key[from][0] >> shift & 255] == (uint64_t)m)
            continue; /* the same byte everywhere */
        for (uint32_t v = 0, sum = 0; v < RADIX; v++) {
            const uint32_t here = place[v];
            place[v] = sum;
            sum += here;
        }
        for (int64_t j = 0; j < m; j++) {
            const uint64_t key = w->key[from][j];
            const uint32_t to = place[key >> shift & 255]++;
            w->key[1 - from][to] = key;
            w->row[1 - from][to] = w->row[from][j];
        }
        from = 1 - from;
    }
    return from;
}

/* ---- one feature ----------------------------------------------------------------------------- */

/* Cells that the rows have of feature f. */
static int64_t stored_in(const build *b, int64_t f)
{
    return b->sparse ? b->sparse->start[f + 1] - b->sparse->start[f] : b->table->n;
}

static bool is_listed(const build *b, int64_t f)
{
    return b->listing && b->sparse && stored_in(b, f) <= b->table->n / LISTED_SHARE;
}

/* Room for `cuts` cuts and the bins of the rows, the last of them `top`: one block, kept by the
 * table: cuts, rows of a listed feature, bins. */
static pt_status feature_room(build *b, int64_t f, int64_t cuts, int64_t top, double **cut,
                              void **bin, pt_error *err)
{
    pt_feature *feature = &b->table->feature[f];
    const bool listed = is_listed(b, f);
    const int64_t cells = listed ? stored_in(b, f) : b->table->n;
    const int64_t of_rows = listed ? (int64_t)sizeof(uint32_t) * cells : 0;
    const int64_t size = top > NARROW_MOST ? sizeof(uint32_t) : 1;
    unsigned char *block = pt_alloc(cuts * (int64_t)sizeof(double) + of_rows + cells * size + 1, 1,
                                    "a binned feature", err);
    if (!block)
        return PT_ENOMEM;
    ((void **)b->table->storage)[f] = block;
    *cut = (double *)(void *)block;
    *bin = block + cuts * (int64_t)sizeof(double) + of_rows;
    feature->cut = *cut;
    if (listed) {
        uint32_t *row = (uint32_t *)(void *)(*cut + cuts);
        for (int64_t j = 0; j < cells; j++)
            row[j] = (uint32_t)b->sparse->index[b->sparse->start[f] + j];
        feature->row = row;
        feature->listed = cells;
    }
    feature->bin = size == 1 ? *bin : NULL;
    feature->wide = size == 1 ? NULL : *bin;
    return PT_OK;
}

static void put_bin(const pt_feature *feature, void *bin, int64_t i, int64_t to)
{
    if (feature->bin)
        ((uint8_t *)bin)[i] = (uint8_t)to;
    else
        ((uint32_t *)bin)[i] = (uint32_t)to;
}

static double cell_value(const uint64_t *cell, int64_t i)
{
    double value = 0;
    memcpy(&value, &cell[i], sizeof value);
    return value;
}

/* Levels are their own bins; what is no level is missing. */
static pt_status bin_levels(build *b, int64_t f, const uint64_t *cell, int64_t n, pt_error *err)
{
    pt_feature *feature = &b->table->feature[f];
    double *cut = NULL;
    void *bin = NULL;
    feature->bins = feature->levels;
    PT_TRY(feature_room(b, f, 0, feature->levels, &cut, &bin, err));
    for (int64_t i = 0; i < n; i++) {
        const double level = cell_value(cell, i);
        const bool known = level >= 0 && level < (double)feature->levels;
        put_bin(feature, bin, i, known ? (int64_t)level : feature->levels);
        feature->n_missing += !known;
    }
    return PT_OK;
}

/* Cells of the places from .. to-1, `absent` of them in one place. */
static int64_t cells_at(const uint32_t *row, int64_t from, int64_t to, int64_t absent)
{
    int64_t cells = to - from;
    for (int64_t p = from; p < to && absent > 0; p++)
        cells += row[p] == ABSENT ? absent - 1 : 0;
    return cells;
}

/* Where the run that begins at j ends. */
static int64_t run_end(const uint64_t *key, int64_t m, int64_t j)
{
    int64_t end = j + 1;
    while (end < m && key[end] == key[j])
        end++;
    return end;
}

static int64_t count_runs(const uint64_t *key, int64_t m)
{
    int64_t runs = m > 0;
    for (int64_t j = 1; j < m; j++)
        runs += key[j] != key[j - 1];
    return runs;
}

/* Whether a bin of `held` cells, whose share is left / bins_left, is better closed before `next`
 * more come: |share - held| <= |held + next - share|. */
static bool is_full(int64_t held, int64_t next, int64_t left, int64_t bins_left)
{
    return bins_left > 1 && ((double)held + 0.5 * (double)next) * (double)bins_left >= (double)left;
}

/* Walks over sorted keys, gives every row its bin and makes the cuts; returns the number of bins.
 * limit: bins at most, not below 1; each: every run has its own; absent: cells in the place of
 * ABSENT. */
static int64_t assign_bins(pt_feature *feature, const uint64_t *key, const uint32_t *row, int64_t m,
                           int64_t absent, bool each, int64_t limit, double *cut, void *bin)
{
    int64_t at = 0;                                   /* the bin that is filled */
    int64_t held = 0;                                 /* cells in it */
    int64_t left = m + (absent > 0 ? absent - 1 : 0); /* that were left when it was begun */
    for (int64_t j = 0; j < m;) {
        const int64_t end = run_end(key, m, j);
        for (int64_t p = j; p < end; p++)
            if (row[p] == ABSENT)
                feature->common = at;
            else
                put_bin(feature, bin, row[p], at);
        held += cells_at(row, j, end, absent);
        if (end < m) {
            const int64_t next = cells_at(row, end, run_end(key, m, end), absent);
            if (each || is_full(held, next, left, limit - at)) {
                cut[at++] = cut_between(key[end - 1], key[end]);
                left -= held;
                held = 0;
            }
        }
        j = end;
    }
    return m > 0 ? at + 1 : 0;
}

/* n cells, and those of the rows that have none, which are 0. */
static pt_status bin_numbers(build *b, int64_t f, const uint64_t *cell, int64_t n, scratch *w,
                             pt_error *err)
{
    pt_feature *feature = &b->table->feature[f];
    const int64_t absent = b->table->n - n;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        const double value = cell_value(cell, i);
        w->key[0][m] = key_of(value);
        w->row[0][m] = (uint32_t)i;
        m += !isnan(value);
    }
    feature->n_missing = n - m;
    const bool some_missing = m < n;
    if (absent > 0) {
        w->key[0][m] = key_of(0);
        w->row[0][m++] = ABSENT;
    }
    PT_TRY(pt_task_check(b->task, err));
    const int side = sort_keys(w, m);
    PT_TRY(pt_task_check(b->task, err));
    const int64_t runs = count_runs(w->key[side], m);
    const int64_t limit = b->bins <= 1 ? runs : b->bins - (feature->n_missing > 0);
    const bool each = runs <= limit;
    const int64_t most = each ? runs : limit;
    double *cut = NULL;
    void *bin = NULL;
    PT_TRY(feature_room(b, f, most > 1 ? most - 1 : 0, most - 1 + (feature->n_missing > 0), &cut,
                        &bin, err));
    feature->bins =
        assign_bins(feature, w->key[side], w->row[side], m, absent, each, limit, cut, bin);
    for (int64_t i = 0; i < n && some_missing; i++)
        if (isnan(cell_value(cell, i)))
            put_bin(feature, bin, i, feature->bins);
    return PT_OK;
}

/* ---- all features ---------------------------------------------------------------------------- */

static void put_cell(uint64_t *cell, double value)
{
    memcpy(cell, &value, sizeof value);
}

static void gather_dense(const pt_rows *rows, int64_t first, int64_t count, uint64_t *cells)
{
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t f = 0; f < count; f++)
            put_cell(&cells[f * rows->n + i],
                     pt_rows_value(rows, rows->dense, i * rows->stride + first + f));
}

/* Of a listed feature the cells that there are; else absent cells are 0, whose bits are. */
static void gather_sparse(const build *b, int64_t f, uint64_t *cells)
{
    const pt_rows *features = b->sparse;
    const bool listed = is_listed(b, f);
    if (!listed)
        memset(cells, 0, (size_t)b->table->n * sizeof *cells);
    for (int64_t p = features->start[f]; p < features->start[f + 1]; p++)
        put_cell(&cells[listed ? p - features->start[f] : features->index[p]],
                 pt_rows_value(features, features->value, p));
}

static pt_status bin_block(void *context, int64_t block, int worker, pt_error *err)
{
    build *b = context;
    scratch *w = &b->work[worker];
    const int64_t n = b->table->n;
    const int64_t first = block * BLOCK;
    const int64_t count = first + BLOCK < b->table->d ? BLOCK : b->table->d - first;
    if (!b->sparse)
        gather_dense(b->rows, first, count, w->gathered);
    for (int64_t f = 0; f < count; f++) {
        PT_TRY(pt_task_check(b->task, err));
        uint64_t *cell = w->gathered + (b->sparse ? 0 : f * n);
        const int64_t cells = is_listed(b, first + f) ? stored_in(b, first + f) : n;
        if (b->sparse)
            gather_sparse(b, first + f, cell);
        b->table->feature[first + f].levels = b->rows->levels ? b->rows->levels[first + f] : 0;
        PT_TRY(b->table->feature[first + f].levels > 0
                   ? bin_levels(b, first + f, cell, cells, err)
                   : bin_numbers(b, first + f, cell, cells, w, err));
    }
    return PT_OK;
}

/* Scratch of all workers in one arena. */
static pt_status make_scratch(build *b, pt_arena *arena, int workers, pt_error *err)
{
    const int64_t n = b->table->n;
    const size_t one = pt_arena_need(BLOCK * n, sizeof(uint64_t)) +
                       2 * pt_arena_need(n + 1, sizeof(uint64_t)) +
                       2 * pt_arena_need(n + 1, sizeof(uint32_t));
    const size_t heads = pt_arena_need(workers, sizeof(scratch));
    size_t all = 0;
    if (!pt_size_mul(one, (size_t)workers, &all))
        return pt_fail(err, PT_ENOMEM, "binning of %lld rows is too large", (long long)n);
    PT_TRY(pt_arena_init(arena, heads + all, "binning of features", err));
    b->work = pt_arena_take(arena, workers, sizeof(scratch));
    for (int v = 0; v < workers; v++) {
        b->work[v].gathered = pt_arena_take(arena, BLOCK * n, sizeof(uint64_t));
        for (int side = 0; side < 2; side++) {
            /* one more: a missing cell is written, not kept */
            b->work[v].key[side] = pt_arena_take(arena, n + 1, sizeof(uint64_t));
            b->work[v].row[side] = pt_arena_take(arena, n + 1, sizeof(uint32_t));
        }
    }
    return PT_OK;
}

static pt_status fill_table(pt_feature_table *table, const pt_rows *rows, int64_t bins,
                            bool listing, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned transposed = {0};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_NEW_ZERO(table->feature, rows->d, "a table of features", err));
    table->storage = pt_alloc_zero(rows->d, sizeof(void *), "a table of features", err);
    if (!table->storage)
        return PT_ENOMEM;
    if (!rows->dense)
        PT_TRY(pt_rows_transpose(&transposed, rows, NULL, task, err));
    build b = {rows, rows->dense ? NULL : &transposed.rows, bins, listing, table, NULL, task};
    const int64_t blocks = (rows->d + BLOCK - 1) / BLOCK;
    PT_TRY(make_scratch(&b, &arena, pt_parallel_workers(task, blocks), err));
    return pt_parallel_for_stage(task, "sorting features", blocks, bin_block, &b, err);
}

static pt_status init_table(pt_feature_table *table, const pt_rows *rows, int64_t bins,
                            bool listing, const pt_task *task, pt_error *err)
{
    *table = (pt_feature_table){.n = rows->n, .d = rows->d};
    if (rows->n >= UINT32_MAX)
        return pt_fail(err, PT_ELIMIT, "%lld rows are more than trees and boosting take",
                       (long long)rows->n);
    const pt_status status = fill_table(table, rows, bins, listing, task, err);
    if (status != PT_OK)
        pt_feature_table_free(table);
    return status;
}

pt_status pt_feature_table_init(pt_feature_table *table, const pt_rows *rows, int64_t bins,
                                const pt_task *task, pt_error *err)
{
    return init_table(table, rows, bins, false, task, err);
}

pt_status pt_feature_table_init_listed(pt_feature_table *table, const pt_rows *rows, int64_t bins,
                                       const pt_task *task, pt_error *err)
{
    return init_table(table, rows, bins, true, task, err);
}

int64_t pt_feature_place(const pt_feature *feature, int64_t i)
{
    int64_t low = 0;
    int64_t high = feature->listed;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (feature->row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void pt_feature_table_free(pt_feature_table *table)
{
    for (int64_t f = 0; table->storage && f < table->d; f++)
        pt_free(((void **)table->storage)[f]);
    pt_free(table->storage);
    pt_free(table->feature);
    memset(table, 0, sizeof *table);
}

double pt_feature_table_bytes(const pt_rows *rows, int64_t bins)
{
    const double n = (double)rows->n;
    double bytes = 0;
    for (int64_t f = 0; f < rows->d; f++) {
        const int64_t levels = rows->levels ? rows->levels[f] : 0;
        const bool wide = levels > 0 ? levels > NARROW_MOST : bins <= 1 && rows->n > NARROW_MOST;
        const double cuts = levels > 0 ? 0 : bins <= 1 ? n : (double)bins;
        bytes += n * (wide ? sizeof(uint32_t) : 1) + sizeof(double) * cuts;
    }
    return bytes + (double)rows->d * (sizeof(pt_feature) + sizeof(void *));
}

/* A cell of a listed feature has its row, its bin and perhaps a cut; features that are not listed
 * have a bin for each row, at most LISTED_SHARE for each cell. */
double pt_feature_table_listed_bytes(const pt_rows *rows, int64_t bins)
{
    const double all = pt_feature_table_bytes(rows, bins);
    if (rows->dense)
        return all;
    const double bin = bins > 1 && !rows->levels ? 1 : sizeof(uint32_t);
    const double a_cell = sizeof(uint32_t) + sizeof(double) + LISTED_SHARE * bin;
    const double listed = (double)pt_rows_stored(rows) * a_cell +
                          (double)rows->d * (sizeof(pt_feature) + 3 * sizeof(double));
    return listed < all ? listed : all;
}

double pt_feature_table_cells(const pt_rows *rows)
{
    const double all = (double)rows->n * (double)rows->d;
    const double filled = LISTED_SHARE * (double)pt_rows_stored(rows);
    return rows->dense || all < filled ? all : filled;
}
