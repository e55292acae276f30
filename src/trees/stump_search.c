/* The search for stumps (stump_search.h): the best cut of sums of bins (stump_sums.c).
 *
 * Tasks of a few features are independent; each worker keeps the best stump of every column that it
 * has seen, and the best of those is the same whoever saw which features, since ties go to the
 * lowest feature. */
#include "trees/stump_search.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "trees/stump_parts.h"
#include "trees/stump_worth.h"

enum { LANES = PT_STUMP_LANES };

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
    const pt_stump_searching *x = context;
    const pt_stump_search *s = x->search;
    pt_stump_worker *w = &x->search->worker[worker];
    const int64_t first = s->feature_start[task];
    const int64_t last = s->feature_start[task + 1];
    pt_stump_sum_features(x, w, task);
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
    const pt_stump_searching *x = context;
    for (int64_t b = index * BLOCKS; b < x->search->n_blocks && b < (index + 1) * BLOCKS; b++) {
        pt_stump_block block;
        pt_stump_search_block(x->search, b, &block);
        pt_stump_change_rows(x, &x->search->worker[worker], &block);
    }
    return PT_OK;
}

static pt_status search_all(pt_stump_searching *x, const double *second, const pt_task *task,
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
        pt_stump_sum_rows(x);
    return pt_parallel_for_at_most(task, s->workers, s->n_tasks, search_task, x, err);
}

static pt_status best_of_each(pt_stump_searching *x, const double *second, pt_stump *stump,
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
    pt_stump_searching x = {.search = s, .numbers = {.first = first}};
    return best_of_each(&x, second, stump, task, err);
}

pt_status pt_stump_search_next(pt_stump_search *s, const double *factors, double *first,
                               pt_stump *stump, const pt_task *task, pt_error *err)
{
    pt_stump_searching x = {.search = s,
                            .numbers = {.first = first},
                            .changing = first,
                            .factors = factors,
                            .last = stump};
    return best_of_each(&x, NULL, stump, task, err);
}

static pt_status best_of_all(pt_stump_searching *x, const double *second, pt_stump *stump,
                             double *sums, const pt_task *task, pt_error *err)
{
    pt_stump_search *s = x->search;
    PT_TRY(search_all(x, second, task, err));
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
    pt_stump_searching x = {.search = s, .numbers = {.first = first}, .shared = true};
    return best_of_all(&x, second, stump, sums, task, err);
}

pt_status pt_stump_search_next_shared(pt_stump_search *s, const double *factors, double *first,
                                      pt_stump *stump, double *sums, const pt_task *task,
                                      pt_error *err)
{
    pt_stump_searching x = {.search = s,
                            .numbers = {.first = first},
                            .shared = true,
                            .changing = first,
                            .factors = factors,
                            .last = stump};
    return best_of_all(&x, NULL, stump, sums, task, err);
}
