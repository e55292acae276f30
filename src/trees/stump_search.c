/* The search for stumps (stump_search.h): sums of bins, then the best cut.
 *
 *     hist[feature][bin][+ or -][column] += numbers of the row in all columns
 *
 * for some features at a time, as many as leave their sums in the second-level cache, and 64 rows
 * at a time, whose numbers stay in the first meanwhile. Tasks of a few features are independent;
 * each worker keeps the best stump of every column that it has seen, and the best of those is the
 * same whoever saw which features, since ties go to the lowest feature.
 *
 * All pairs. A row of group g takes part in groups - 1 columns of groups (groups - 1) / 2. Rows are
 * gone through group by group, and a group's sums by opponents are then put to the pairs they
 * belong to: n x groups numbers a feature in place of n x columns.
 *
 * Memory: for each worker (bins + 1) x 2 x ell numbers a feature of a task. */
#include "trees/stump_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "trees/stump_parts.h"
#include "trees/stump_worth.h"

enum { LANES = PT_STUMP_LANES };

static const int64_t CACHE = 512 << 10; /* bytes of sums that are formed together */
static const double LEFT = 1e-14;       /* share of a sum of all rows that is rounding errors */
static const int64_t FEW = 8; /* a side of at most 1/8 of the slots is a list and not a vector */

static int64_t round_up(int64_t count, int64_t unit)
{
    return (count + unit - 1) / unit * unit;
}

/* ---- columns and slots -------------------------------------------------------------------------
 */

pt_stump_layout pt_stump_columns_layout(const pt_stump_columns *columns)
{
    const int64_t width = columns->pairs ? columns->groups : columns->ell;
    return (pt_stump_layout){width, round_up(width, PT_STUMP_SLOTS), columns->pairs};
}

pt_stump_layout pt_stump_search_layout(const pt_stump_search *search)
{
    return search->layout;
}

/* The column of groups p < q: ordered by p, then by q (codes/code_pairs.h). */
static int64_t pair_column(int64_t groups, int64_t p, int64_t q)
{
    return p * (2 * groups - p - 1) / 2 + q - p - 1;
}

int64_t pt_stump_column(const pt_stump_columns *columns, int64_t g, int64_t q, int *sign)
{
    *sign = 0;
    if (!columns->pairs) {
        const int8_t side = columns->sign[g * columns->ell + q];
        *sign = (side > 0) - (side < 0);
        return q;
    }
    if (q == g)
        return -1;
    *sign = g < q ? 1 : -1;
    return g < q ? pair_column(columns->groups, g, q) : pair_column(columns->groups, q, g);
}

/* ---- sums of bins ------------------------------------------------------------------------------
 */

static int64_t feature_room(const pt_stump_search *s, const pt_feature *feature)
{
    return (feature->bins + 1) * s->step;
}

static int64_t group_room(const pt_stump_search *s, const pt_feature *feature)
{
    return (feature->bins + 1) * s->group_step;
}

/* The bins of count rows from `from` on, of the features of the tile. */
static void take_rows(const pt_stump_search *s, pt_stump_tile *tile, int64_t first, int64_t from,
                      int64_t count)
{
    tile->count = count;
    for (int64_t j = 0; j < count; j++)
        tile->row[j] = s->order ? s->order[from + j] : from + j;
    for (int64_t f = 0; f < tile->features; f++) {
        const pt_feature *feature = &s->table->feature[first + f];
        if (!s->order && feature->bin)
            for (int64_t j = 0; j < count; j++)
                tile->bin[f][j] = feature->bin[from + j];
        else
            for (int64_t j = 0; j < count; j++)
                tile->bin[f][j] = (uint32_t)pt_feature_bin(feature, tile->row[j]);
    }
}

static bool is_listed(const pt_stump_search *s, int64_t f)
{
    return s->table->feature[f].row != NULL;
}

/* What a search is on. */
typedef struct searching {
    pt_stump_search *search;
    pt_stump_numbers numbers;
    bool shared;
    double *changing; /* the numbers, where they are multiplied first; else NULL */
    const double *factors;
    const pt_stump *last; /* by which they are */
    bool fused;           /* rows are changed when they are read, not beforehand */
    const pt_task *task;
} searching;

static void change_rows(const searching *x, pt_stump_worker *w, const pt_stump_block *block)
{
    const pt_stump_search *s = x->search;
    if (x->shared) {
        pt_stump_row_branches(s->table, x->last, block, w->branch);
        pt_stump_multiply_rows(s, block, w->branch, x->factors, x->changing);
        return;
    }
    pt_stump_search_branches(s, x->last, block, w->branch);
    pt_stump_multiply(s, block, w->branch, x->factors, x->changing);
}

/* Rows from .. to-1 in the order of the search; group: of all of them, or -1. */
static void add_rows(const searching *x, pt_stump_worker *w, int64_t first, int64_t from,
                     int64_t to, int64_t group)
{
    for (; from < to && !pt_task_stopping(x->task); from += PT_STUMP_ROWS) {
        const int64_t count = to - from < PT_STUMP_ROWS ? to - from : PT_STUMP_ROWS;
        take_rows(x->search, &w->tile, first, from, count);
        if (x->fused) {
            pt_stump_block block = {.count = count, .group = group};
            memcpy(block.row, w->tile.row, (size_t)count * sizeof *block.row);
            change_rows(x, w, &block);
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

static void sum_pairs(const searching *x, pt_stump_worker *w, int64_t first, int64_t last)
{
    const pt_stump_search *s = x->search;
    pt_stump_tile *tile = &w->tile;
    double *hist[PT_STUMP_FEATURES];
    double *at = w->group_hist;
    for (int64_t f = first; f < last; f++) {
        hist[f - first] = tile->hist[f - first];
        tile->hist[f - first] = at;
        at += group_room(s, &s->table->feature[f]);
    }
    tile->step = s->group_step;
    tile->second = s->layout.stride;
    for (int64_t g = 0; g < s->columns.groups; g++) {
        memset(w->group_hist, 0, (size_t)(at - w->group_hist) * sizeof *at);
        add_rows(x, w, first, s->group_start[g], s->group_start[g + 1], g);
        for (int64_t f = first; f < last; f++)
            put_group(s, &s->table->feature[f], g, tile->hist[f - first], hist[f - first]);
    }
    memcpy(tile->hist, hist, (size_t)(last - first) * sizeof *hist);
}

/* ---- sums of listed features -------------------------------------------------------------------
 *
 * The rows of the list are added to their bins; the common bin is all rows less those. */

/* The rows of a tile, of any groups, to the pairs they belong to. */
static void add_to_pairs(const searching *x, const pt_stump_tile *tile, double *hist)
{
    const pt_stump_search *s = x->search;
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    for (int64_t j = 0; j < tile->count; j++) {
        const int64_t g = s->columns.group_of[tile->row[j]];
        const int64_t from = tile->row[j] * s->layout.stride;
        double *to = hist + tile->bin[0][j] * s->step;
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
static void add_list(const searching *x, pt_stump_worker *w, const pt_feature *feature,
                     int64_t count, double *hist)
{
    const pt_stump_search *s = x->search;
    pt_stump_tile *tile = &w->tile;
    tile->features = 1;
    tile->hist[0] = hist;
    tile->step = s->step;
    tile->second = s->column_stride;
    for (int64_t from = 0; from < count && !pt_task_stopping(x->task); from += PT_STUMP_ROWS) {
        tile->count = count - from < PT_STUMP_ROWS ? count - from : PT_STUMP_ROWS;
        for (int64_t j = 0; j < tile->count; j++) {
            tile->row[j] = feature ? feature->row[from + j] : from + j;
            tile->bin[0][j] = !feature       ? 0
                              : feature->bin ? feature->bin[from + j]
                                             : feature->wide[from + j];
        }
        if (s->columns.pairs)
            add_to_pairs(x, tile, hist);
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

static void sum_listed(const searching *x, pt_stump_worker *w, int64_t first, int64_t last)
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

/* w->tile.hist[f] <- sums of feature first + f. */
static void sum_features(const searching *x, pt_stump_worker *w, int64_t first, int64_t last)
{
    const pt_stump_search *s = x->search;
    double *at = w->hist;
    w->tile.features = last - first;
    for (int64_t f = first; f < last; f++) {
        w->tile.hist[f - first] = at;
        at += feature_room(s, &s->table->feature[f]);
    }
    memset(w->hist, 0, (size_t)(at - w->hist) * sizeof *at);
    if (is_listed(s, first)) {
        sum_listed(x, w, first, last);
        return;
    }
    if (s->columns.pairs) {
        sum_pairs(x, w, first, last);
        return;
    }
    w->tile.step = s->step;
    w->tile.second = s->column_stride;
    add_rows(x, w, first, 0, s->table->n, -1);
}

/* ---- the best of each column -------------------------------------------------------------------
 */

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

/* Lane `lane` of a scan as a stump of feature f. */
static pt_stump stump_of(const pt_stump_search *s, const pt_stump_scan *scan, int lane, int64_t f)
{
    pt_stump stump = {.feature = f,
                      .bin = scan->at[lane],
                      .gain = pt_stump_rounded(scan->gain[lane] + scan->missing_gain[lane])};
    for (int c = 0; c < 2; c++) {
        const double out = scan->all[c][lane] - scan->in[c][lane];
        const bool any = c == 1 && s->options.rule == PT_STUMP_NEWTON;
        stump.sum[PT_BRANCH_IN][c] = scan->in[c][lane];
        stump.sum[PT_BRANCH_OUT][c] = any ? out : pt_positive(out);
        stump.sum[PT_BRANCH_MISSING][c] =
            scan->hist[scan->bins * scan->step + c * scan->second + lane];
    }
    return stump;
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
            const pt_stump stump = stump_of(s, &scan, lane, f);
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

/* ---- the best for all columns ------------------------------------------------------------------
 */

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
    const pt_status status = pt_stump_shared_subset(s, w, hist, f, &stump, task, err);
    if (status == PT_OK)
        take_shared(s, w, hist, &stump);
    return status;
}

/* ---- tasks -------------------------------------------------------------------------------------
 */

static pt_status search_task(void *context, int64_t task, int worker, pt_error *err)
{
    const searching *x = context;
    const pt_stump_search *s = x->search;
    pt_stump_worker *w = &x->search->worker[worker];
    const int64_t first = s->feature_start[task];
    const int64_t last = s->feature_start[task + 1];
    sum_features(x, w, first, last);
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
    const searching *x = context;
    for (int64_t b = index * BLOCKS; b < x->search->n_blocks && b < (index + 1) * BLOCKS; b++) {
        pt_stump_block block;
        pt_stump_search_block(x->search, b, &block);
        change_rows(x, &x->search->worker[worker], &block);
    }
    return PT_OK;
}

static pt_status search_all(searching *x, const double *second, const pt_task *task, pt_error *err)
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
    x->task = task;
    /* one task reads every row once */
    x->fused = x->changing && s->n_tasks == 1 && !s->any_listed;
    for (int v = 0; v < s->workers; v++)
        for (int64_t j = 0; j < (x->shared ? 1 : s->columns.ell); j++)
            s->worker[v].best[j] = (pt_stump){.feature = -1};
    pt_status status = PT_OK;
    if (x->changing && !x->fused)
        status = pt_parallel_for_at_most(task, s->workers, indices, change_blocks, x, err);
    if (status == PT_OK && s->any_listed) {
        memset(s->total, 0, (size_t)s->step * sizeof *s->total);
        add_list(x, s->worker, NULL, s->table->n, s->total);
    }
    if (status == PT_OK)
        status = pt_parallel_for_at_most(task, s->workers, s->n_tasks, search_task, x, err);
    return status;
}

static pt_status best_of_each(searching *x, const double *second, pt_stump *stump,
                              const pt_task *task, pt_error *err)
{
    pt_stump_search *s = x->search;
    const pt_status status = search_all(x, second, task, err);
    for (int64_t j = 0; j < s->columns.ell && status == PT_OK; j++) {
        int best = 0;
        for (int v = 1; v < s->workers; v++)
            if (s->worker[v].best[j].feature >= 0 &&
                is_better(&s->worker[v].best[j], &s->worker[best].best[j]))
                best = v;
        keep_stump(stump, s->sets, s->words, j, &s->worker[best].best[j]);
    }
    return status;
}

pt_status pt_stump_search_each(pt_stump_search *s, const double *first, const double *second,
                               pt_stump *stump, const pt_task *task, pt_error *err)
{
    searching x = {.search = s, .numbers = {.first = first}};
    return best_of_each(&x, second, stump, task, err);
}

pt_status pt_stump_search_next(pt_stump_search *s, const double *factors, double *first,
                               pt_stump *stump, const pt_task *task, pt_error *err)
{
    searching x = {.search = s,
                   .numbers = {.first = first},
                   .changing = first,
                   .factors = factors,
                   .last = stump};
    return best_of_each(&x, NULL, stump, task, err);
}

static pt_status best_of_all(searching *x, const double *second, pt_stump *stump, double *sums,
                             const pt_task *task, pt_error *err)
{
    pt_stump_search *s = x->search;
    const pt_status status = search_all(x, second, task, err);
    if (status != PT_OK)
        return status;
    int best = 0;
    for (int v = 1; v < s->workers; v++)
        if (s->worker[v].best->feature >= 0 && is_better(s->worker[v].best, s->worker[best].best))
            best = v;
    keep_stump(stump, s->sets, s->words, 0, s->worker[best].best);
    const double *in = s->worker[best].sums;
    const double *all = in + s->step;
    for (int64_t j = 0; j < s->columns.ell && stump->feature >= 0; j++)
        for (int c = 0; c < 2; c++) {
            const int64_t at = c * s->column_stride + j;
            const bool any = c == 1 && s->options.rule == PT_STUMP_NEWTON;
            double *to = sums + j * PT_BRANCHES * 2 + c;
            to[2 * PT_BRANCH_IN] = in[at];
            to[2 * PT_BRANCH_OUT] = any ? all[at] - in[at] : pt_positive(all[at] - in[at]);
            to[2 * PT_BRANCH_MISSING] = all[s->step + at];
        }
    return PT_OK;
}

pt_status pt_stump_search_shared(pt_stump_search *s, const double *first, const double *second,
                                 pt_stump *stump, double *sums, const pt_task *task, pt_error *err)
{
    searching x = {.search = s, .numbers = {.first = first}, .shared = true};
    return best_of_all(&x, second, stump, sums, task, err);
}

pt_status pt_stump_search_next_shared(pt_stump_search *s, const double *factors, double *first,
                                      pt_stump *stump, double *sums, const pt_task *task,
                                      pt_error *err)
{
    searching x = {.search = s,
                   .numbers = {.first = first},
                   .shared = true,
                   .changing = first,
                   .factors = factors,
                   .last = stump};
    return best_of_all(&x, NULL, stump, sums, task, err);
}

/* ---- the beginning and the end -----------------------------------------------------------------
 */

/* Masks of the two sums, and which of them is a vector. */
static void set_ways(pt_stump_search *s)
{
    const pt_stump_layout *l = &s->layout;
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    for (int64_t g = 0; g < s->columns.groups; g++) {
        int64_t count[2] = {0, 0}; /* of slots on either side */
        double *mask[2] = {s->mask[0] + g * l->stride, s->mask[1] + g * l->stride};
        for (int64_t q = 0; q < l->stride; q++) {
            int sign = 0;
            if (q < l->width)
                pt_stump_column(&s->columns, g, q, &sign);
            mask[0][q] = newton || l->pairs || sign > 0;
            mask[1][q] = newton || l->pairs || sign < 0;
            count[0] += sign > 0;
            count[1] += sign < 0;
        }
        s->way[g] = newton ? PT_STUMP_BOTH : l->pairs ? PT_STUMP_FIRST : PT_STUMP_BOTH;
        s->listed[g] = 0;
        if (newton || l->pairs)
            continue;
        if (count[1] * FEW <= l->width)
            s->way[g] = PT_STUMP_FIRST;
        else if (count[0] * FEW <= l->width)
            s->way[g] = PT_STUMP_SECOND;
        const double *few = s->way[g] == PT_STUMP_FIRST    ? mask[1]
                            : s->way[g] == PT_STUMP_SECOND ? mask[0]
                                                           : NULL;
        for (int64_t q = 0; few && q < l->width; q++)
            if (few[q] != 0)
                s->list[g * l->stride + s->listed[g]++] = (int32_t)q;
    }
}

/* Rows by group, and how many blocks they make. */
static void set_order(pt_stump_search *s)
{
    const int64_t n = s->table->n;
    s->n_blocks = (n + PT_STUMP_ROWS - 1) / PT_STUMP_ROWS;
    if (!s->order)
        return;
    memset(s->group_start, 0, (size_t)(s->columns.groups + 1) * sizeof *s->group_start);
    for (int64_t i = 0; i < n; i++)
        s->group_start[s->columns.group_of[i] + 1]++;
    s->block_start[0] = 0;
    for (int64_t g = 0; g < s->columns.groups; g++) {
        s->block_start[g + 1] =
            s->block_start[g] + (s->group_start[g + 1] + PT_STUMP_ROWS - 1) / PT_STUMP_ROWS;
        s->group_start[g + 1] += s->group_start[g];
    }
    s->n_blocks = s->block_start[s->columns.groups];
    for (int64_t i = 0; i < n; i++) /* group_start is where a group is being filled */
        s->order[s->group_start[s->columns.group_of[i]]++] = i;
    for (int64_t g = s->columns.groups; g > 0; g--)
        s->group_start[g] = s->group_start[g - 1];
    s->group_start[0] = 0;
}

/* Tasks of a few features; returns the doubles that the largest needs. */
static int64_t set_tasks(pt_stump_search *s, int threads, int64_t *group_most)
{
    const int64_t d = s->table->d;
    const int64_t share = (d + threads - 1) / threads;
    const int64_t most = share < PT_STUMP_FEATURES ? share : PT_STUMP_FEATURES;
    int64_t largest = 0;
    s->n_tasks = 0;
    *group_most = 0;
    for (int64_t f = 0; f < d;) {
        int64_t room = 0;
        int64_t group = 0;
        s->feature_start[s->n_tasks++] = f;
        do {
            room += feature_room(s, &s->table->feature[f]);
            group += group_room(s, &s->table->feature[f]);
            f++;
        } while (f < d && f - s->feature_start[s->n_tasks - 1] < most &&
                 is_listed(s, f) == is_listed(s, f - 1) &&
                 (room + group + feature_room(s, &s->table->feature[f])) * 8 <= CACHE);
        largest = room > largest ? room : largest;
        *group_most = group > *group_most ? group : *group_most;
    }
    s->feature_start[s->n_tasks] = d;
    return largest;
}

static void measure_table(pt_stump_search *s, int64_t *most_levels)
{
    *most_levels = 0;
    for (int64_t f = 0; f < s->table->d; f++) {
        const pt_feature *feature = &s->table->feature[f];
        s->most_bins = feature->bins > s->most_bins ? feature->bins : s->most_bins;
        *most_levels = feature->levels > *most_levels ? feature->levels : *most_levels;
        s->any_listed = s->any_listed || feature->row;
    }
    s->words = (*most_levels + 63) / 64;
}

/* What the search itself holds; with a NULL arena only its need. */
static size_t take_common(pt_stump_search *s, pt_arena *arena)
{
    const int64_t groups = s->columns.groups;
    const int64_t cells = groups * s->layout.stride;
    const int64_t n = s->columns.pairs ? s->table->n : 0;
    if (arena) {
        s->mask[0] = pt_arena_take(arena, cells, sizeof(double));
        s->mask[1] = pt_arena_take(arena, cells, sizeof(double));
        s->way = pt_arena_take(arena, groups, 1);
        s->list = pt_arena_take(arena, cells, sizeof(int32_t));
        s->listed = pt_arena_take(arena, groups, sizeof(int32_t));
        int64_t *order = pt_arena_take(arena, n, sizeof(int64_t));
        s->order = s->columns.pairs ? order : NULL;
        s->group_start = pt_arena_take(arena, groups + 1, sizeof(int64_t));
        s->block_start = pt_arena_take(arena, groups + 1, sizeof(int64_t));
        s->sets = pt_arena_take(arena, s->columns.ell * s->words, sizeof(uint64_t));
        s->total = pt_arena_take(arena, s->step, sizeof(double));
    }
    return pt_arena_need(s->step, sizeof(double)) + 2 * pt_arena_need(cells, sizeof(double)) +
           pt_arena_need(groups, 1) + pt_arena_need(cells, sizeof(int32_t)) +
           pt_arena_need(groups, sizeof(int32_t)) + pt_arena_need(n, sizeof(int64_t)) +
           2 * pt_arena_need(groups + 1, sizeof(int64_t)) +
           pt_arena_need(s->columns.ell * s->words, sizeof(uint64_t));
}

typedef struct rooms {
    int64_t hist;
    int64_t group_hist;
    int64_t levels;
} rooms;

/* The same of a worker. */
static size_t take_worker(const pt_stump_search *s, const rooms *r, pt_stump_worker *w,
                          pt_arena *arena)
{
    const int64_t gains = (s->most_bins + 2) * LANES;
    if (arena) {
        w->hist = pt_arena_take(arena, r->hist, sizeof(double));
        w->group_hist = pt_arena_take(arena, r->group_hist, sizeof(double));
        w->gains = pt_arena_take(arena, gains, sizeof(double));
        w->best = pt_arena_take(arena, s->columns.ell, sizeof(pt_stump));
        w->sets = pt_arena_take(arena, s->columns.ell * s->words, sizeof(uint64_t));
        w->sums = pt_arena_take(arena, 3 * s->step, sizeof(double));
        w->side = pt_arena_take(arena, 3 * s->step, sizeof(double));
        w->level = pt_arena_take(arena, r->levels, sizeof(pt_stump_level));
        w->set = pt_arena_take(arena, s->words, sizeof(uint64_t));
        w->branch = pt_arena_take(arena, PT_STUMP_ROWS * s->layout.stride, 1);
    }
    return pt_arena_need(r->hist, sizeof(double)) + pt_arena_need(r->group_hist, sizeof(double)) +
           pt_arena_need(gains, sizeof(double)) + pt_arena_need(s->columns.ell, sizeof(pt_stump)) +
           pt_arena_need(s->columns.ell * s->words, sizeof(uint64_t)) +
           2 * pt_arena_need(3 * s->step, sizeof(double)) +
           pt_arena_need(r->levels, sizeof(pt_stump_level)) +
           pt_arena_need(s->words, sizeof(uint64_t)) +
           pt_arena_need(PT_STUMP_ROWS * s->layout.stride, 1);
}

static pt_status take_memory(pt_stump_search *s, const rooms *r, pt_error *err)
{
    size_t all = 0;
    if (!pt_size_mul(take_worker(s, r, NULL, NULL), (size_t)s->workers, &all) ||
        all > PT_ARENA_MOST)
        return pt_fail(err, PT_ENOMEM, "the sums of a search for stumps are too large");
    const pt_status status =
        pt_arena_init(&s->arena, take_common(s, NULL) + all, "a search for stumps", err);
    if (status != PT_OK)
        return status;
    take_common(s, &s->arena);
    for (int v = 0; v < s->workers; v++)
        take_worker(s, r, &s->worker[v], &s->arena);
    return PT_OK;
}

pt_status pt_stump_search_new(pt_stump_search **out, const pt_feature_table *table,
                              const pt_stump_columns *columns, const pt_stump_options *options,
                              const pt_task *task, pt_error *err)
{
    pt_stump_search *s = pt_alloc_zero(1, sizeof *s, "a search for stumps", err);
    if (!s)
        return PT_ENOMEM;
    s->table = table;
    s->columns = *columns;
    s->options = *options;
    s->layout = pt_stump_columns_layout(columns);
    s->loops = pt_stump_loops_chosen();
    s->column_stride = round_up(columns->ell, LANES);
    s->step = 2 * s->column_stride;
    if (columns->pairs)
        s->group_step = s->layout.stride * (options->rule == PT_STUMP_NEWTON ? 2 : 1);
    rooms r = {0};
    measure_table(s, &r.levels);
    s->feature_start = pt_alloc(table->d + 1, sizeof(int64_t), "a search for stumps", err);
    pt_status status = s->feature_start ? PT_OK : PT_ENOMEM;
    if (status == PT_OK) {
        r.hist = set_tasks(s, pt_parallel_workers(task, table->d), &r.group_hist);
        s->workers = pt_parallel_workers(task, s->n_tasks);
        s->worker = pt_alloc_zero(s->workers, sizeof *s->worker, "a search for stumps", err);
        status = s->worker ? take_memory(s, &r, err) : PT_ENOMEM;
    }
    if (status == PT_OK) {
        set_ways(s);
        set_order(s);
        status = pt_stump_counts_init(s, task, err);
    }
    if (status != PT_OK) {
        pt_stump_search_free(s);
        return status;
    }
    *out = s;
    return PT_OK;
}

void pt_stump_search_free(pt_stump_search *s)
{
    if (!s)
        return;
    pt_stump_counts_free(s);
    pt_arena_free(&s->arena);
    pt_free(s->worker);
    pt_free(s->feature_start);
    pt_free(s);
}

/* Bins, levels and sums of bins of features that are not yet binned. */
typedef struct sizes {
    double most_bins;
    double most_levels;
    double all_bins;
    double all_levels;
} sizes;

static sizes sizes_of(const pt_rows *rows, int64_t bins)
{
    const int64_t numeric = bins > 1 && bins < rows->n ? bins : rows->n;
    sizes z = {0};
    for (int64_t f = 0; f < rows->d; f++) {
        const int64_t levels = rows->levels ? rows->levels[f] : 0;
        const double here = (double)(levels > 0 ? levels : numeric) + 1;
        z.most_bins = here > z.most_bins ? here : z.most_bins;
        z.most_levels = (double)levels > z.most_levels ? (double)levels : z.most_levels;
        z.all_bins += here;
        z.all_levels += (double)levels;
    }
    return z;
}

/* Sums of the features of a task, `step` numbers a bin: one feature, or as many as fit. */
static double task_bytes(const sizes *z, double step)
{
    const double one = z->most_bins * step * sizeof(double);
    const double all = z->all_bins * step * sizeof(double);
    const double most = one > (double)CACHE ? one : (double)CACHE;
    return all < most ? all : most;
}

double pt_stump_search_bytes(const pt_stump_columns *columns, const pt_rows *rows, int64_t bins,
                             int64_t min_leaf, int threads)
{
    const pt_stump_layout layout = pt_stump_columns_layout(columns);
    const sizes z = sizes_of(rows, bins);
    const double groups = (double)columns->groups;
    const double stride = (double)layout.stride;
    const double of_columns = (double)round_up(columns->ell, LANES);
    const double sets = (double)columns->ell * (z.most_levels / 64 + 1) * sizeof(uint64_t);
    double worker = sizeof(pt_stump_worker) + task_bytes(&z, 2 * of_columns) + sets +
                    (z.most_bins + 1) * LANES * sizeof(double) +
                    (double)columns->ell * sizeof(pt_stump) + 14 * of_columns * sizeof(double) +
                    z.most_levels * sizeof(pt_stump_level) + PT_STUMP_ROWS * stride;
    double common =
        groups * stride * 2.5 * sizeof(double) + sets + (double)rows->d * sizeof(int64_t);
    if (columns->pairs) {
        worker += task_bytes(&z, 2 * stride);
        common += (double)rows->n * sizeof(int64_t);
    }
    if (min_leaf > 1) {
        worker += z.most_bins * groups * sizeof(uint32_t);
        common += (double)rows->d * (of_columns + 2) * 2 * sizeof(int64_t) +
                  z.all_levels * groups * sizeof(uint32_t);
    }
    return (double)threads * worker + common;
}

/* ---- blocks of rows ----------------------------------------------------------------------------
 */

int64_t pt_stump_search_blocks(const pt_stump_search *s)
{
    return s->n_blocks;
}

void pt_stump_search_block(const pt_stump_search *s, int64_t b, pt_stump_block *block)
{
    int64_t from = b * PT_STUMP_ROWS;
    int64_t to = s->table->n;
    block->group = -1;
    if (s->order) {
        int64_t g = 0;
        int64_t end = s->columns.groups;
        while (end - g > 1) { /* the last group that begins at b or before */
            const int64_t middle = (g + end) / 2;
            if (s->block_start[middle] <= b)
                g = middle;
            else
                end = middle;
        }
        block->group = g;
        from = s->group_start[g] + (b - s->block_start[g]) * PT_STUMP_ROWS;
        to = s->group_start[g + 1];
    }
    block->count = to - from < PT_STUMP_ROWS ? to - from : PT_STUMP_ROWS;
    for (int64_t j = 0; j < block->count; j++)
        block->row[j] = s->order ? s->order[from + j] : from + j;
}

static int branch_of(const pt_feature *feature, const pt_stump *stump, int64_t bin)
{
    if (bin == feature->bins)
        return PT_BRANCH_MISSING;
    if (stump->in)
        return stump->in[bin / 64] >> (bin % 64) & 1 ? PT_BRANCH_IN : PT_BRANCH_OUT;
    return bin <= stump->bin ? PT_BRANCH_IN : PT_BRANCH_OUT;
}

int pt_stump_branch(const pt_feature_table *table, const pt_stump *stump, int64_t i)
{
    if (stump->feature < 0)
        return PT_BRANCH_IN;
    const pt_feature *feature = &table->feature[stump->feature];
    return branch_of(feature, stump, pt_feature_bin(feature, i));
}

/* The same of a listed feature: both the list and the rows of a block ascend. */
static void put_listed_branches(const pt_feature *feature, const pt_stump *stump,
                                const pt_stump_block *block, uint8_t *branch, int64_t stride)
{
    const uint8_t common = (uint8_t)branch_of(feature, stump, feature->common);
    int64_t at = pt_feature_place(feature, block->row[0]);
    for (int64_t j = 0; j < block->count; j++) {
        while (at < feature->listed && feature->row[at] < block->row[j])
            at++;
        branch[j * stride] = common;
        if (at < feature->listed && feature->row[at] == block->row[j])
            branch[j * stride] = (uint8_t)branch_of(
                feature, stump, feature->bin ? feature->bin[at] : feature->wide[at]);
    }
}

/* branch[j * stride] of the rows of a block. */
static void put_branches(const pt_feature_table *table, const pt_stump *stump,
                         const pt_stump_block *block, uint8_t *branch, int64_t stride)
{
    const pt_feature *feature = stump->feature < 0 ? NULL : &table->feature[stump->feature];
    const bool in_place = block->row[block->count - 1] - block->row[0] == block->count - 1;
    if (feature && feature->row) {
        put_listed_branches(feature, stump, block, branch, stride);
        return;
    }
    if (feature && in_place && feature->bin && !stump->in) {
        pt_stump_loops_chosen()->branches(feature->bin + block->row[0], block->count, stump->bin,
                                          feature->bins, branch, stride);
        return;
    }
    for (int64_t j = 0; j < block->count; j++)
        branch[j * stride] = (uint8_t)pt_stump_branch(table, stump, block->row[j]);
}

void pt_stump_search_branches(const pt_stump_search *s, const pt_stump *stump,
                              const pt_stump_block *block, uint8_t *branch)
{
    const pt_stump none = {.feature = -1};
    for (int64_t q = 0; q < s->layout.stride; q++) {
        int sign = 0;
        const int64_t column = q >= s->layout.width ? -1
                               : block->group < 0
                                   ? q
                                   : pt_stump_column(&s->columns, block->group, q, &sign);
        put_branches(s->table, column < 0 ? &none : &stump[column], block, branch + q,
                     s->layout.stride);
    }
}

void pt_stump_row_branches(const pt_feature_table *table, const pt_stump *stump,
                           const pt_stump_block *block, uint8_t *branch)
{
    put_branches(table, stump, block, branch, 1);
}

void pt_stump_multiply(const pt_stump_search *s, const pt_stump_block *block, const uint8_t *branch,
                       const double *factors, double *number)
{
    s->loops->multiply(block, s->layout.stride, s->columns.group_of, branch, factors, number);
}

void pt_stump_multiply_rows(const pt_stump_search *s, const pt_stump_block *block,
                            const uint8_t *branch, const double *factors, double *number)
{
    s->loops->multiply_rows(block, s->layout.stride, s->columns.group_of, branch, factors, number);
}

/* ---- into a forest -----------------------------------------------------------------------------
 */

/* The number that cells at or below it have in bins up to `bin`. */
static double cut_of(const pt_feature *feature, int64_t bin)
{
    return bin < 0 ? -DBL_MAX : bin >= feature->bins - 1 ? DBL_MAX : feature->cut[bin];
}

pt_status pt_stump_plant(const pt_feature_table *table, const pt_stump *stump, const double *value,
                         pt_forest *forest, pt_error *err)
{
    const bool some = stump->feature >= 0;
    int64_t child[PT_BRANCHES] = {0};
    int64_t root = 0;
    pt_status status = PT_OK;
    for (int b = 0; b < (some ? PT_BRANCHES : 1) && status == PT_OK; b++)
        status = pt_forest_add_leaf(forest, value + b * forest->width, &child[b], err);
    if (status == PT_OK && !some)
        return pt_forest_add_tree(forest, child[0], err);
    if (status == PT_OK) {
        const double cut = stump->in ? 0 : cut_of(&table->feature[stump->feature], stump->bin);
        status = pt_forest_add_node(forest, stump->feature, cut, stump->in, child, &root, err);
    }
    return status == PT_OK ? pt_forest_add_tree(forest, root, err) : status;
}
