/* The search for stumps (stump_search.h): sums of bins, and the best cut of them.
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
 * Tasks of a few features are independent; each worker keeps the best stump of every column that it
 * has seen, and the best of those is the same whoever saw which features, since ties go to the
 * lowest feature. */
#include "trees/stump_search.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "trees/stump_parts.h"

enum { LANES = PT_STUMP_LANES };

/* One search: what it is on. */
typedef struct stump_round {
    pt_stump_search *search;
    pt_stump_numbers numbers;
    bool shared;
    double *changing; /* the numbers, where they are multiplied first; else NULL */
    const double *factors;
    const pt_stump *last; /* by which they are */
    bool fused;           /* rows are changed when they are read, not beforehand */
    const pt_task *task;
} stump_round;

/* ---- sums of bins ---------------------------------------------------------------------------- */

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

static void change_rows(const stump_round *x, pt_stump_worker *w, const pt_stump_block *block)
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
static void add_rows(const stump_round *x, pt_stump_worker *w, int64_t task, int64_t from,
                     int64_t to, int64_t group)
{
    for (; from < to && !pt_task_stopping(x->task); from += PT_STUMP_ROWS) {
        const int64_t count = to - from < PT_STUMP_ROWS ? to - from : PT_STUMP_ROWS;
        take_rows(x->search, w, task, from, count);
        if (x->fused) {
            pt_stump_block block = {.count = count, .group = group};
            memcpy(block.row, w->tile.row, (size_t)count * sizeof *block.row);
            change_rows(x, w, &block);
        }
        x->search->loops->add(&x->numbers, &w->tile);
    }
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

static void sum_pairs(const stump_round *x, pt_stump_worker *w, int64_t task)
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
            for (int64_t bin = 0; bin <= s->table->feature[f].bins; bin++) {
                const double *from = tile->hist[f - first] + bin * s->group_step;
                add_opponents(s, g, from, from + s->layout.stride, hist[f - first] + bin * s->step);
            }
    }
    memcpy(tile->hist, hist, (size_t)(last - first) * sizeof *hist);
}

/* ---- sums of listed features -------------------------------------------------------------------
 *
 * The rows of the list are added to their bins; the common bin is all rows less those. */

/* hist += the rows of a list, or all rows as one bin (feature: NULL). */
static void add_list(const stump_round *x, pt_stump_worker *w, const pt_feature *feature,
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
        for (int64_t j = 0; s->columns.pairs && j < tile->count; j++) {
            const int64_t at = tile->row[j] * s->layout.stride;
            add_opponents(s, s->columns.group_of[tile->row[j]], x->numbers.first + at,
                          x->numbers.second + at, hist + (int64_t)tile->at[j][0] * PT_STUMP_SLOTS);
        }
        if (!s->columns.pairs)
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

/* search->total <- sums of all rows, for listed features. */
static void sum_rows(const stump_round *x)
{
    pt_stump_search *s = x->search;
    memset(s->total, 0, (size_t)s->step * sizeof *s->total);
    add_list(x, s->worker, NULL, s->table->n, s->total);
}

static void sum_listed(const stump_round *x, pt_stump_worker *w, int64_t first, int64_t last)
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

/* worker->tile.hist[f] <- sums of feature feature_start[task] + f. */
static void sum_features(const stump_round *x, pt_stump_worker *w, int64_t task)
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

/* ---- the best of each column ----------------------------------------------------------------- */

static bool is_better(const pt_stump *a, const pt_stump *b)
{
    return b->feature < 0 || a->gain > b->gain || (a->gain == b->gain && a->feature < b->feature);
}

/* Keeps it as the best of column s, with its set in the place for it. */
static void keep_stump(pt_stump *best, uint64_t *sets, int64_t words, int64_t s,
                       const pt_stump *stump)
{
    best[s] = *stump;
    if (!stump->in)
        return;
    memcpy(sets + s * words, stump->in, (size_t)words * sizeof *sets);
    best[s].in = sets + s * words;
}

static void search_numeric(const pt_stump_search *s, pt_stump_worker *w, int64_t f,
                           const double *hist)
{
    for (int64_t from = 0; from < s->columns.ell; from += LANES) {
        const int64_t range = f * s->column_stride + from;
        pt_stump_scan scan = {.hist = hist + from,
                              .bins = s->table->feature[f].bins,
                              .step = s->step,
                              .second = s->column_stride,
                              .low = s->low ? s->low + range : NULL,
                              .high = s->low ? s->high + range : NULL,
                              .below = s->options.below};
        s->loops->scan[s->options.rule](&scan);
        for (int lane = 0; lane < LANES && from + lane < s->columns.ell; lane++) {
            const pt_stump *best = &w->best[from + lane];
            const double gain = pt_stump_rounded(scan.gain[lane] + scan.missing_gain[lane]);
            if (best->feature >= 0 && gain < best->gain)
                continue;
            pt_stump stump = {.feature = f, .bin = scan.at[lane], .gain = gain};
            const double in[2] = {scan.in[0][lane], scan.in[1][lane]};
            const double all[2] = {scan.all[0][lane], scan.all[1][lane]};
            const double *missing = scan.hist + scan.bins * scan.step + lane;
            pt_stump_put_sums(s->options.rule, in, all, 1, missing, scan.second, stump.sum);
            if (is_better(&stump, best))
                keep_stump(w->best, w->sets, s->words, from + lane, &stump);
        }
    }
}

static pt_status search_nominal(const pt_stump_search *s, pt_stump_worker *w, int64_t f,
                                const double *hist, const pt_task *task, pt_error *err)
{
    for (int64_t j = 0; j < s->columns.ell && !pt_task_stopping(task); j++) {
        pt_stump stump;
        pt_stump_best_subset(s, w, hist, f, j, &stump);
        if (is_better(&stump, &w->best[j]))
            keep_stump(w->best, w->sets, s->words, j, &stump);
    }
    return pt_task_check(task, err);
}

/* ---- the best for all columns ---------------------------------------------------------------- */

/* The sums of what is IN (side), of all and of missing cells, of the best test so far. */
static void keep_sums(const pt_stump_search *s, pt_stump_worker *w, const double *hist,
                      const pt_stump *stump)
{
    const pt_feature *feature = &s->table->feature[stump->feature];
    double *in = w->sums;
    double *all = in + s->step;
    memset(in, 0, (size_t)(2 * s->step) * sizeof *in);
    for (int64_t b = 0; b < feature->bins; b++)
        for (int64_t c = 0; c < s->step; c++) {
            if (b <= stump->bin)
                in[c] += hist[b * s->step + c];
            all[c] += hist[b * s->step + c];
        }
    if (stump->in)
        memcpy(in, w->side, (size_t)s->step * sizeof *in);
    memcpy(all + s->step, hist + feature->bins * s->step, (size_t)s->step * sizeof *in);
}

static void take_shared(const pt_stump_search *s, pt_stump_worker *w, const double *hist,
                        const pt_stump *stump)
{
    if (!is_better(stump, w->best))
        return;
    keep_stump(w->best, w->sets, s->words, 0, stump);
    keep_sums(s, w, hist, stump);
}

static void shared_numeric(const pt_stump_search *s, pt_stump_worker *w, int64_t f,
                           const double *hist)
{
    const int64_t bins = s->table->feature[f].bins;
    pt_stump_scan scan = {
        .bins = bins, .step = s->step, .second = s->column_stride, .below = s->options.below};
    memset(w->gains, 0, (size_t)((bins + 2) * LANES) * sizeof *w->gains);
    for (int64_t from = 0; from < s->columns.ell; from += LANES) {
        scan.hist = hist + from;
        s->loops->scan_shared[s->options.rule](&scan, w->gains);
    }
    pt_stump stump = {.feature = f, .bin = -1, .gain = -INFINITY};
    for (int64_t b = s->options.below ? -1 : 0; b < bins; b++) {
        const double gain = pt_stump_rounded(pt_stump_sum_lanes(w->gains + (b + 1) * LANES));
        const bool enough =
            s->options.below || !s->low_shared || (b >= s->low_shared[f] && b <= s->high_shared[f]);
        if (gain > stump.gain && (enough || b == bins - 1)) {
            stump.gain = gain;
            stump.bin = b;
        }
    }
    if (bins == 0)
        stump.gain = 0;
    stump.gain = pt_stump_rounded(stump.gain + pt_stump_sum_lanes(w->gains + (bins + 1) * LANES));
    take_shared(s, w, hist, &stump);
}

static pt_status shared_nominal(const pt_stump_search *s, pt_stump_worker *w, int64_t f,
                                const double *hist, const pt_task *task, pt_error *err)
{
    pt_stump stump;
    PT_TRY(pt_stump_shared_subset(s, w, hist, f, &stump, task, err));
    take_shared(s, w, hist, &stump);
    return PT_OK;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static pt_status search_task(void *context, int64_t task, int worker, pt_error *err)
{
    const stump_round *x = context;
    const pt_stump_search *s = x->search;
    pt_stump_worker *w = &x->search->worker[worker];
    const int64_t first = s->feature_start[task];
    const int64_t last = s->feature_start[task + 1];
    sum_features(x, w, task);
    pt_status status = pt_task_check(x->task, err);
    for (int64_t f = first; f < last && status == PT_OK; f++) {
        const bool nominal = s->table->feature[f].levels > 0;
        const double *hist = w->tile.hist[f - first];
        if (nominal && s->options.below)
            continue;
        if (nominal)
            status = (x->shared ? shared_nominal : search_nominal)(s, w, f, hist, x->task, err);
        else
            (x->shared ? shared_numeric : search_numeric)(s, w, f, hist);
    }
    return status;
}

enum { BLOCKS = 16 }; /* blocks of rows for each index of the parallel loop */

static pt_status change_blocks(void *context, int64_t index, int worker, pt_error *err)
{
    (void)err;
    const stump_round *x = context;
    for (int64_t b = index * BLOCKS; b < x->search->n_blocks && b < (index + 1) * BLOCKS; b++) {
        pt_stump_block block;
        pt_stump_search_block(x->search, b, &block);
        change_rows(x, &x->search->worker[worker], &block);
    }
    return PT_OK;
}

static pt_status search_all(stump_round *x, const double *second, const pt_task *task,
                            pt_error *err)
{
    pt_stump_search *s = x->search;
    const int64_t indices = (s->n_blocks + BLOCKS - 1) / BLOCKS;
    x->numbers.second = s->options.rule == PT_STUMP_NEWTON ? second : x->numbers.first;
    x->numbers.stride = s->layout.stride;
    x->numbers.group_of = s->columns.group_of;
    x->numbers.mask[0] = s->mask[0];
    x->numbers.mask[1] = s->mask[1];
    x->numbers.way = s->way;
    x->numbers.list = s->list;
    x->numbers.listed = s->listed;
    x->numbers.lists = s->lists;
    x->numbers.n = s->table->n;
    x->task = task;
    /* one task reads every row once */
    x->fused = x->changing && s->n_tasks == 1 && !s->any_listed;
    for (int v = 0; v < s->workers; v++)
        for (int64_t j = 0; j < (x->shared ? 1 : s->columns.ell); j++)
            s->worker[v].best[j] = (pt_stump){.feature = -1};
    if (x->changing && !x->fused)
        PT_TRY(pt_parallel_for_at_most(task, s->workers, indices, change_blocks, x, err));
    if (s->any_listed)
        sum_rows(x);
    return pt_parallel_for_at_most(task, s->workers, s->n_tasks, search_task, x, err);
}

/* The best of what the workers found for column j, or for all columns (j 0); returns whose. */
static int take_best(const pt_stump_search *s, int64_t j, pt_stump *stump)
{
    int best = 0;
    for (int v = 1; v < s->workers; v++)
        if (s->worker[v].best[j].feature >= 0 &&
            is_better(&s->worker[v].best[j], &s->worker[best].best[j]))
            best = v;
    keep_stump(stump, s->sets, s->words, j, &s->worker[best].best[j]);
    return best;
}

static pt_status find(stump_round *x, const double *second, pt_stump *stump, double *sums,
                      const pt_task *task, pt_error *err)
{
    pt_stump_search *s = x->search;
    x->shared = sums != NULL;
    PT_TRY(search_all(x, second, task, err));
    if (!x->shared) {
        for (int64_t j = 0; j < s->columns.ell; j++)
            take_best(s, j, stump);
        return PT_OK;
    }
    const double *in = s->worker[take_best(s, 0, stump)].sums;
    for (int64_t j = 0; j < s->columns.ell && stump->feature >= 0; j++)
        pt_stump_put_sums(s->options.rule, in + j, in + s->step + j, s->column_stride,
                          in + 2 * s->step + j, s->column_stride,
                          (double(*)[2])(sums + j * PT_BRANCHES * 2));
    return PT_OK;
}

pt_status pt_stump_search_each(pt_stump_search *s, const double *first, const double *second,
                               pt_stump *stump, const pt_task *task, pt_error *err)
{
    stump_round x = {.search = s, .numbers = {.first = first}};
    return find(&x, second, stump, NULL, task, err);
}

pt_status pt_stump_search_shared(pt_stump_search *s, const double *first, const double *second,
                                 pt_stump *stump, double *sums, const pt_task *task, pt_error *err)
{
    stump_round x = {.search = s, .numbers = {.first = first}};
    return find(&x, second, stump, sums, task, err);
}

pt_status pt_stump_search_next(pt_stump_search *s, const double *factors, double *first,
                               pt_stump *stump, double *sums, const pt_task *task, pt_error *err)
{
    stump_round x = {.search = s,
                     .numbers = {.first = first},
                     .changing = first,
                     .factors = factors,
                     .last = stump};
    return find(&x, NULL, stump, sums, task, err);
}
