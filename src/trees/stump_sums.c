/* The search for stumps: sums of bins, and new numbers of rows.
 *
 *     hist[feature][bin][+ or -][column] += numbers of the row in all columns
 *
 * for some features at a time, as many as leave their sums in the second-level cache, and 64 rows
 * at a time, whose numbers stay in the first meanwhile. It is stores that take the time. Places of
 * a row's bins lie side by side: read feature by feature they were mistaken for what had just been
 * stored, which cost a quarter.
 *
 * All pairs. A row of group g takes part in groups - 1 columns of groups (groups - 1) / 2. Rows are
 * gone through group by group, and a group's sums by opponents are then put to the pairs they
 * belong to: n x groups numbers a feature in place of n x columns.
 *
 * Listed features. The rows of the list are added to their bins; the common bin is all rows less
 * those. */
#include <string.h>

#include "base/math.h"
#include "base/parallel.h"
#include "trees/stump_loops.h"

enum { BLOCKS = 16 }; /* blocks of rows for each index of a parallel loop */
enum { BINS_A_LOOK = 4096 };

static const double LEFT = 1e-14; /* share of a sum of all rows that is rounding errors */

/* ---- blocks of rows -------------------------------------------------------------------------- */

/* Returns where it begins in the order of the search. */
static int64_t take_block(const pt_stump_search *s, int64_t b, pt_stump_block *block)
{
    const int64_t from = s->order ? s->block_start[b] : b * PT_STUMP_ROWS;
    const int64_t to =
        s->order ? s->block_start[b + 1] : pt_lesser(from + PT_STUMP_ROWS, s->table->n);
    block->count = to - from;
    block->group = s->order ? s->columns.group_of[s->order[from]] : -1;
    for (int64_t j = 0; j < block->count; j++)
        block->row[j] = s->order ? s->order[from + j] : from + j;
    return from;
}

/* Of the slots from `from` on: the cuts that tell the branches of a block, where a stump is. */
static void find_cuts(const pt_stump_round *x, const pt_stump_block *block, int64_t from,
                      uint8_t branch[PT_STUMP_PIECE][PT_STUMP_ROWS],
                      pt_stump_cut cut[PT_STUMP_PIECE])
{
    const pt_stump_search *s = x->search;
    const bool adjoin = pt_rows_adjoin(block->row, block->count);
    for (int64_t q = 0; q < PT_STUMP_PIECE && from + q < s->layout.width; q++) {
        int sign = 0;
        const int64_t column = block->group < 0
                                   ? from + q
                                   : pt_stump_column(&s->columns, block->group, from + q, &sign);
        const pt_test *test = column < 0 ? NULL : &x->last[column].test;
        if (!test || test->feature < 0)
            continue;
        const pt_feature *feature = &s->table->feature[test->feature];
        const bool missing = feature->n_missing > 0;
        if (feature->bin && !feature->row && !test->set && adjoin) {
            cut[q] = (pt_stump_cut){feature->bin + block->row[0], test->bin,
                                    missing ? feature->bins : -1};
        } else {
            pt_test_branches(s->table, test, block->row, block->count, branch[q]);
            cut[q] = (pt_stump_cut){branch[q], PT_BRANCH_IN, missing ? PT_BRANCH_MISSING : -1};
        }
    }
}

/* The numbers of a block's rows by the stumps of the last round. */
static void change_rows(const pt_stump_round *x, const pt_stump_block *block)
{
    const pt_stump_search *s = x->search;
    const int64_t *group_of = s->columns.group_of;
    const int64_t stride = s->layout.stride;
    uint8_t branch[PT_STUMP_PIECE][PT_STUMP_ROWS];
    if (x->shared) {
        pt_test_branches(s->table, &x->last->test, block->row, block->count, branch[0]);
        s->loops->multiply_rows(block, stride, group_of, branch[0], x->factors, x->changing);
        return;
    }
    for (int64_t from = 0; from < stride; from += PT_STUMP_PIECE) {
        pt_stump_cut cut[PT_STUMP_PIECE] = {{0}};
        pt_stump_sides sides;
        find_cuts(x, block, from, branch, cut);
        s->loops->sides(cut, block->count, &sides);
        s->loops->multiply(block, stride, pt_lesser(stride - from, PT_STUMP_PIECE), group_of,
                           &sides, x->factors + from, x->changing + from);
    }
}

static pt_status change_blocks(void *context, int64_t index, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const pt_stump_round *x = context;
    for (int64_t b = index * BLOCKS; b < x->search->n_blocks && b < (index + 1) * BLOCKS; b++) {
        pt_stump_block block;
        take_block(x->search, b, &block);
        change_rows(x, &block);
    }
    return PT_OK;
}

pt_status pt_stump_change(pt_stump_round *x, pt_error *err)
{
    return pt_parallel_for_at_most(x->task, x->search->workers,
                                   (x->search->n_blocks + BLOCKS - 1) / BLOCKS, change_blocks, x,
                                   err);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Sums of some features from hist on, all 0; where the task is stopping, not all of them. */
static void begin_tile(pt_stump_tile *tile, double *hist, const pt_feature *feature,
                       int64_t features, int64_t step, int64_t second, const pt_task *task)
{
    int64_t at = 0;
    tile->hist = hist;
    tile->features = features;
    tile->step = step;
    tile->second = second;
    for (int64_t f = 0; f < features; f++) {
        tile->start[f] = (uint32_t)(at / PT_STUMP_SLOTS);
        at += (feature[f].bins + 1) * step;
    }
    (void)pt_task_clear(task, hist, (size_t)at * sizeof *hist, NULL);
}

static void place_bin(pt_stump_tile *tile, int64_t j, int64_t f, int64_t bin)
{
    tile->at[j][f] = tile->start[f] + (uint32_t)(bin * tile->step / PT_STUMP_SLOTS);
}

/* to, of the pairs, += what rows of group g have by opponents. */
static void add_opponents(const pt_stump_search *s, int64_t g, const double *first,
                          const double *second, double *to)
{
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    for (int64_t q = 0; q < s->columns.groups; q++) {
        int sign = 0;
        const int64_t column = pt_stump_column(&s->columns, g, q, &sign);
        if (column < 0)
            continue;
        to[column + (newton || sign > 0 ? 0 : s->column_stride)] += first[q];
        if (newton)
            to[column + s->column_stride] += second[q];
    }
}

/* hist <- the rows of a listed feature, or all rows as one bin: a feature without any. */
static void sum_list(const pt_stump_round *x, pt_stump_worker *w, const pt_feature *feature,
                     double *hist)
{
    const pt_stump_search *s = x->search;
    const int64_t count = feature->row ? feature->listed : s->table->n;
    pt_stump_tile *tile = &w->tile;
    pt_stump_block *block = &tile->block;
    begin_tile(tile, hist, feature, 1, s->step, s->column_stride, x->task);
    for (int64_t from = 0; from < count && !pt_task_stopping(x->task); from += PT_STUMP_ROWS) {
        block->count = pt_lesser(count - from, PT_STUMP_ROWS);
        for (int64_t j = 0; j < block->count; j++) {
            block->row[j] = feature->row ? feature->row[from + j] : from + j;
            place_bin(tile, j, 0, feature->row ? pt_feature_listed(feature, from + j) : 0);
        }
        for (int64_t j = 0; s->columns.pairs && j < block->count; j++) {
            const int64_t at = block->row[j] * s->layout.stride;
            add_opponents(s, s->columns.group_of[block->row[j]], x->numbers.first + at,
                          x->numbers.second + at, hist + (int64_t)tile->at[j][0] * PT_STUMP_SLOTS);
        }
        if (!s->columns.pairs)
            s->loops->add(&x->numbers, tile);
    }
}

void pt_stump_sum_rows(const pt_stump_round *x)
{
    sum_list(x, x->search->worker, &(pt_feature){0}, x->search->total);
}

/* What is left of a sum is 0 where it is no more than its rounding errors. */
static void put_common(const pt_stump_search *s, const pt_feature *feature, double *hist,
                       const pt_task *task)
{
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    double *left = hist + feature->common * s->step;
    memcpy(left, s->total, (size_t)s->step * sizeof *left);
    for (int64_t b = 0; b <= feature->bins; b++) {
        if (b % BINS_A_LOOK == BINS_A_LOOK - 1 && pt_task_stopping(task))
            return;
        for (int64_t c = 0; c < s->step && b != feature->common; c++)
            left[c] -= hist[b * s->step + c];
    }
    for (int64_t c = 0; c < s->column_stride; c++) {
        double *second = left + s->column_stride + c;
        const bool some = left[c] > LEFT * s->total[c];
        left[c] = some ? left[c] : 0;
        if (newton ? !some : !(*second > LEFT * s->total[s->column_stride + c]))
            *second = 0;
    }
}

/* by_row: their bins row by row; NULL: they are looked up. */
static void sum_features(const pt_stump_round *x, pt_stump_worker *w, const pt_feature *feature,
                         int64_t features, const uint8_t *by_row)
{
    const pt_stump_search *s = x->search;
    const bool pairs = s->columns.pairs;
    pt_stump_tile *tile = &w->tile;
    if (feature->row) { /* so are all of them */
        double *hist = w->hist;
        for (int64_t f = 0; f < features; hist += pt_stump_feature_room(s, &feature[f++])) {
            sum_list(x, w, &feature[f], hist);
            put_common(s, &feature[f], hist, x->task);
        }
        return;
    }
    begin_tile(tile, w->hist, feature, features, s->step, s->column_stride, x->task);
    if (pairs)
        begin_tile(tile, w->group_hist, feature, features, s->group_step, s->layout.stride,
                   x->task);
    for (int64_t b = 0; b < s->n_blocks && !pt_task_stopping(x->task); b++) {
        const int64_t from = take_block(s, b, &tile->block);
        if (by_row)
            s->loops->place(by_row + from * features, tile);
        for (int64_t f = 0; f < features && !by_row; f++)
            for (int64_t j = 0; j < tile->block.count; j++)
                place_bin(tile, j, f, pt_feature_bin(&feature[f], tile->block.row[j]));
        if (x->fused)
            change_rows(x, &tile->block);
        s->loops->add(&x->numbers, tile);
        const int64_t g = tile->block.group;
        if (!pairs ||
            (b + 1 < s->n_blocks && s->columns.group_of[s->order[s->block_start[b + 1]]] == g))
            continue;
        int64_t bins = features; /* the group is complete */
        for (int64_t f = 0; f < features; f++)
            bins += feature[f].bins;
        for (int64_t bin = 0; bin < bins; bin++) {
            const double *of_group = w->group_hist + bin * s->group_step;
            add_opponents(s, g, of_group, of_group + s->layout.stride, w->hist + bin * s->step);
        }
        memset(w->group_hist, 0, (size_t)(bins * s->group_step) * sizeof *w->group_hist);
    }
}

void pt_stump_sum_task(const pt_stump_round *x, pt_stump_worker *w, int64_t task)
{
    const pt_stump_search *s = x->search;
    const int64_t first = s->feature_start[task];
    sum_features(x, w, &s->table->feature[first], s->feature_start[task + 1] - first,
                 s->by_row[task]);
}

void pt_stump_sum_feature(const pt_stump_round *x, pt_stump_worker *w, int64_t feature)
{
    sum_features(x, w, &x->search->table->feature[feature], 1, NULL);
}
