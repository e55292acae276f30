/* Sums of bins for the search for stumps (stump_search.h has their order).
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
 * belong to: n x groups numbers a feature in place of n x columns. */
#include <string.h>

#include "trees/stump_parts.h"

static const double LEFT = 1e-14; /* share of a sum of all rows that is rounding errors */

/* Tiles whose features begin at hist. */
static void begin_tile(pt_stump_tile *tile, int64_t step, int64_t second)
{
    tile->step = step;
    tile->second = second;
    for (int64_t f = 0; f < tile->features; f++)
        tile->start[f] = (uint32_t)((tile->hist[f] - tile->hist[0]) / PT_STUMP_SLOTS);
}

static void place_bin(pt_stump_tile *tile, int64_t j, int64_t f, int64_t bin)
{
    tile->at[j][f] = tile->start[f] + (uint32_t)(bin * tile->step / PT_STUMP_SLOTS);
}

/* Count rows from `from` on, and the places of their bins. */
static void take_rows(const pt_stump_search *s, pt_stump_worker *w, int64_t task, int64_t from,
                      int64_t count)
{
    pt_stump_tile *tile = &w->tile;
    tile->count = count;
    for (int64_t j = 0; j < count; j++)
        tile->row[j] = s->order ? s->order[from + j] : from + j;
    if (s->by_row[task]) {
        s->loops->place(s->by_row[task] + from * tile->features, tile);
        return;
    }
    for (int64_t f = 0; f < tile->features; f++) {
        const pt_feature *feature = &s->table->feature[s->feature_start[task] + f];
        for (int64_t j = 0; j < count; j++)
            place_bin(tile, j, f, pt_feature_bin(feature, tile->row[j]));
    }
}

void pt_stump_change_rows(const pt_stump_searching *x, pt_stump_worker *w,
                          const pt_stump_block *block)
{
    const pt_stump_search *s = x->search;
    if (x->shared) {
        uint8_t branch[PT_STUMP_ROWS];
        pt_stump_row_branches(s->table, x->last, block, branch);
        pt_stump_multiply_rows(s, block, branch, x->factors, x->changing);
        return;
    }
    pt_stump_search_branches(s, x->last, block, w->sides);
    pt_stump_multiply(s, block, w->sides, x->factors, x->changing);
}

/* Rows from .. to-1 in the order of the search; group: of all of them, or -1. */
static void add_rows(const pt_stump_searching *x, pt_stump_worker *w, int64_t task, int64_t from,
                     int64_t to, int64_t group)
{
    for (; from < to && !pt_task_stopping(x->task); from += PT_STUMP_ROWS) {
        const int64_t count = to - from < PT_STUMP_ROWS ? to - from : PT_STUMP_ROWS;
        take_rows(x->search, w, task, from, count);
        if (x->fused) {
            pt_stump_block block = {.count = count, .group = group};
            memcpy(block.row, w->tile.row, (size_t)count * sizeof *block.row);
            pt_stump_change_rows(x, w, &block);
        }
        x->search->loops->add(&x->numbers, &w->tile);
    }
}

/* hist of the pairs += sums of group g by opponents. */
static void put_group(const pt_stump_search *s, const pt_feature *feature, int64_t g,
                      const double *from, double *hist)
{
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    for (int64_t b = 0; b <= feature->bins; b++) {
        const double *x = from + b * s->group_step;
        double *to = hist + b * s->step;
        for (int64_t q = 0; q < s->columns.groups; q++) {
            int sign = 0;
            const int64_t column = pt_stump_column(&s->columns, g, q, &sign);
            if (column < 0)
                continue;
            to[column + (newton || sign > 0 ? 0 : s->column_stride)] += x[q];
            if (newton)
                to[column + s->column_stride] += x[q + s->layout.stride];
        }
    }
}

static void sum_pairs(const pt_stump_searching *x, pt_stump_worker *w, int64_t task)
{
    const pt_stump_search *s = x->search;
    const int64_t first = s->feature_start[task];
    const int64_t last = s->feature_start[task + 1];
    pt_stump_tile *tile = &w->tile;
    double *hist[PT_STUMP_FEATURES];
    double *at = w->group_hist;
    for (int64_t f = first; f < last; f++) {
        hist[f - first] = tile->hist[f - first];
        tile->hist[f - first] = at;
        at += pt_stump_group_room(s, &s->table->feature[f]);
    }
    begin_tile(tile, s->group_step, s->layout.stride);
    for (int64_t g = 0; g < s->columns.groups; g++) {
        memset(w->group_hist, 0, (size_t)(at - w->group_hist) * sizeof *at);
        add_rows(x, w, task, s->group_start[g], s->group_start[g + 1], g);
        for (int64_t f = first; f < last; f++)
            put_group(s, &s->table->feature[f], g, tile->hist[f - first], hist[f - first]);
    }
    memcpy(tile->hist, hist, (size_t)(last - first) * sizeof *hist);
}

/* ---- sums of listed features -------------------------------------------------------------------
 *
 * The rows of the list are added to their bins; the common bin is all rows less those. */

/* The rows of a tile, of any groups, to the pairs they belong to. */
static void add_to_pairs(const pt_stump_searching *x, const pt_stump_tile *tile)
{
    const pt_stump_search *s = x->search;
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    for (int64_t j = 0; j < tile->count; j++) {
        const int64_t g = s->columns.group_of[tile->row[j]];
        const int64_t from = tile->row[j] * s->layout.stride;
        double *to = tile->hist[0] + (int64_t)tile->at[j][0] * PT_STUMP_SLOTS;
        for (int64_t q = 0; q < s->columns.groups; q++) {
            int sign = 0;
            const int64_t column = pt_stump_column(&s->columns, g, q, &sign);
            if (column < 0)
                continue;
            to[column + (newton || sign > 0 ? 0 : s->column_stride)] += x->numbers.first[from + q];
            if (newton)
                to[column + s->column_stride] += x->numbers.second[from + q];
        }
    }
}

/* hist += the rows of a list, or all rows as one bin (feature: NULL). */
static void add_list(const pt_stump_searching *x, pt_stump_worker *w, const pt_feature *feature,
                     int64_t count, double *hist)
{
    const pt_stump_search *s = x->search;
    pt_stump_tile *tile = &w->tile;
    tile->features = 1;
    tile->hist[0] = hist;
    begin_tile(tile, s->step, s->column_stride);
    for (int64_t from = 0; from < count && !pt_task_stopping(x->task); from += PT_STUMP_ROWS) {
        tile->count = count - from < PT_STUMP_ROWS ? count - from : PT_STUMP_ROWS;
        for (int64_t j = 0; j < tile->count; j++) {
            tile->row[j] = feature ? feature->row[from + j] : from + j;
            place_bin(tile, j, 0,
                      !feature       ? 0
                      : feature->bin ? feature->bin[from + j]
                                     : feature->wide[from + j]);
        }
        if (s->columns.pairs)
            add_to_pairs(x, tile);
        else
            s->loops->add(&x->numbers, tile);
    }
}

/* What is left of a sum is 0 where it is no more than its rounding errors. */
static void put_common(const pt_stump_search *s, const pt_feature *feature, double *hist)
{
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    double *left = hist + feature->common * s->step;
    memcpy(left, s->total, (size_t)s->step * sizeof *left);
    for (int64_t b = 0; b <= feature->bins; b++)
        for (int64_t c = 0; c < s->step && b != feature->common; c++)
            left[c] -= hist[b * s->step + c];
    for (int64_t c = 0; c < s->column_stride; c++) {
        double *second = left + s->column_stride + c;
        const bool some = left[c] > LEFT * s->total[c];
        left[c] = some ? left[c] : 0;
        if (newton ? !some : !(*second > LEFT * s->total[s->column_stride + c]))
            *second = 0;
    }
}

void pt_stump_sum_rows(const pt_stump_searching *x)
{
    pt_stump_search *s = x->search;
    memset(s->total, 0, (size_t)s->step * sizeof *s->total);
    add_list(x, s->worker, NULL, s->table->n, s->total);
}

static void sum_listed(const pt_stump_searching *x, pt_stump_worker *w, int64_t first, int64_t last)
{
    double *hist[PT_STUMP_FEATURES];
    memcpy(hist, w->tile.hist, (size_t)(last - first) * sizeof *hist);
    for (int64_t f = first; f < last; f++) {
        const pt_feature *feature = &x->search->table->feature[f];
        add_list(x, w, feature, feature->listed, hist[f - first]);
        put_common(x->search, feature, hist[f - first]);
    }
    memcpy(w->tile.hist, hist, (size_t)(last - first) * sizeof *hist);
}

void pt_stump_sum_features(const pt_stump_searching *x, pt_stump_worker *w, int64_t task)
{
    const pt_stump_search *s = x->search;
    const int64_t first = s->feature_start[task];
    const int64_t last = s->feature_start[task + 1];
    double *at = w->hist;
    w->tile.features = last - first;
    for (int64_t f = first; f < last; f++) {
        w->tile.hist[f - first] = at;
        at += pt_stump_feature_room(s, &s->table->feature[f]);
    }
    memset(w->hist, 0, (size_t)(at - w->hist) * sizeof *at);
    if (pt_stump_is_listed(s, first)) {
        sum_listed(x, w, first, last);
        return;
    }
    if (s->columns.pairs) {
        sum_pairs(x, w, task);
        return;
    }
    begin_tile(&w->tile, s->step, s->column_stride);
    add_rows(x, w, task, 0, s->table->n, -1);
}
