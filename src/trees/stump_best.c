/* The search for stumps: the best cut of a numeric feature and the best set of levels of a nominal
 * one (stump_search.h says which are looked at), for each column or for all of them together, from
 * the sums of its bins; and which of them leave enough examples on either side (--min-leaf,
 * --min-leaf-weight), counted once for all rounds.
 *
 * Examples below a cut grow with it, so that the cuts that may be made are a range: from `low`, the
 * first that leaves enough below it, to `high`, the last that leaves enough above. Levels are
 * counted by group, and a column adds up its groups when it needs them. */
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "base/parallel.h"
#include "trees/stump_loops.h"

enum {
    LANES = PT_STUMP_LANES,
    PASSES = 64, /* over the levels, for all columns; a few are enough as a rule */
    LEVELS_A_CHECK = 64,
    BINS_A_PIECE = 4096
};

/* ---- enough examples ------------------------------------------------------------------------- */

typedef struct counter {
    pt_stump_search *search;
    const pt_task *task;
    int64_t room;           /* (most bins + 1) x groups */
    pt_stump_amount *count; /* a worker: room */
    pt_stump_amount *rows;  /* of each group */
} counter;

/* to += way times it. */
static void add_amount(pt_stump_amount *to, int way, pt_stump_amount amount)
{
    to->rows += way * amount.rows;
    to->weight += way * amount.weight;
}

static bool is_enough(const pt_stump_search *s, const pt_stump_amount *amount)
{
    return amount->rows >= (double)s->options.min_leaf && amount->weight >= s->options.min_weight;
}

static pt_stump_amount amount_of_row(const pt_stump_search *s, int64_t i)
{
    return (pt_stump_amount){1, pt_weight(s->options.weight, i)};
}

/* count: bins x groups. Of a listed feature all rows are common but for those of its list. */
static void count_bins(const pt_stump_search *s, const pt_feature *feature,
                       const pt_stump_amount *rows, pt_stump_amount *count)
{
    const int64_t groups = s->columns.groups;
    pt_stump_amount *common = count + feature->common * groups;
    memset(count, 0, (size_t)((feature->bins + 1) * groups) * sizeof *count);
    if (feature->row)
        memcpy(common, rows, (size_t)groups * sizeof *count);
    for (int64_t j = 0; j < (feature->row ? feature->listed : s->table->n); j++) {
        const int64_t i = feature->row ? feature->row[j] : j;
        const int64_t g = s->columns.group_of[i];
        if (feature->row)
            add_amount(&common[g], -1, amount_of_row(s, i));
        add_amount(&count[pt_feature_listed(feature, j) * groups + g], 1, amount_of_row(s, i));
    }
}

/* Examples of column s in a bin, -1: of all rows. */
static pt_stump_amount amount_at(const pt_stump_search *search, const pt_stump_amount *count,
                                 int64_t bin, int64_t s)
{
    const pt_stump_columns *c = &search->columns;
    pt_stump_amount rows = {0, 0};
    count += bin * c->groups;
    if (s >= 0 && c->pairs) {
        int64_t p = 0;
        int64_t q = 0;
        pt_pairs_at(c->groups, s, &p, &q);
        rows = count[p];
        add_amount(&rows, 1, count[q]);
        return rows;
    }
    for (int64_t g = 0; g < c->groups; g++)
        if (s < 0 || c->sign[g * c->ell + s] != 0)
            add_amount(&rows, 1, count[g]);
    return rows;
}

/* low > high where no cut leaves enough. */
static void find_range(const pt_stump_search *search, const pt_feature *feature,
                       const pt_stump_amount *count, int64_t s, int64_t *low, int64_t *high)
{
    pt_stump_amount below = {0, 0};
    pt_stump_amount above = {0, 0};
    for (*low = 0; *low < feature->bins; ++*low) {
        add_amount(&below, 1, amount_at(search, count, *low, s));
        if (is_enough(search, &below))
            break;
    }
    for (*high = feature->bins - 2; *high >= 0; --*high) {
        add_amount(&above, 1, amount_at(search, count, *high + 1, s));
        if (is_enough(search, &above))
            break;
    }
}

static pt_status count_feature(void *context, int64_t f, int worker, pt_error *err)
{
    const counter *c = context;
    pt_stump_search *s = c->search;
    const pt_feature *feature = &s->table->feature[f];
    pt_stump_amount *count = c->count + worker * c->room;
    count_bins(s, feature, c->rows, count);
    find_range(s, feature, count, -1, &s->low_shared[f], &s->high_shared[f]);
    for (int64_t j = 0; j < s->column_stride; j++) {
        PT_TRY(pt_task_check_row(c->task, j, feature->bins, err));
        find_range(s, feature, count, j < s->columns.ell ? j : 0, &s->low[f * s->column_stride + j],
                   &s->high[f * s->column_stride + j]);
    }
    if (feature->levels == 0)
        return PT_OK;
    const int64_t cells = feature->levels * s->columns.groups;
    PT_TRY(PT_NEW(s->level_amount[f], cells, "counts of levels", err));
    memcpy(s->level_amount[f], count, (size_t)cells * sizeof *count);
    return PT_OK;
}

pt_status pt_stump_counts_init(pt_stump_search *s, const pt_task *task, pt_error *err)
{
    const int64_t d = s->table->d;
    if (s->options.min_leaf <= 1 && !(s->options.min_weight > 0))
        return PT_OK;
    const int64_t cells = d * s->column_stride;
    PT_TRY(PT_ARENA(&s->ranges, "ranges of cuts", err, PT_PIECE(s->low, cells),
                    PT_PIECE(s->high, cells), PT_PIECE(s->low_shared, d),
                    PT_PIECE(s->high_shared, d)));
    PT_TRY(PT_NEW_ZERO(s->level_amount, d, "counts of levels", err));
    counter c = {.search = s, .task = task, .room = (s->most_bins + 1) * s->columns.groups};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "counts of bins", err,
                    PT_PIECE(c.count, c.room * pt_parallel_workers(task, d)),
                    PT_PIECE(c.rows, s->columns.groups)));
    memset(c.rows, 0, (size_t)s->columns.groups * sizeof *c.rows);
    for (int64_t i = 0; i < s->table->n; i++)
        add_amount(&c.rows[s->columns.group_of[i]], 1, amount_of_row(s, i));
    return pt_parallel_for(task, d, count_feature, &c, err);
}

void pt_stump_counts_free(pt_stump_search *s)
{
    for (int64_t f = 0; s->level_amount && f < s->table->d; f++)
        pt_free(s->level_amount[f]);
    pt_free(s->level_amount);
    pt_arena_free(&s->ranges);
}

/* Examples of a level in a column, -1: of all rows; nothing where nobody asks. */
static pt_stump_amount level_of(const pt_stump_search *s, int64_t f, int64_t v, int64_t column)
{
    return s->level_amount ? amount_at(s, s->level_amount[f], v, column) : (pt_stump_amount){0, 0};
}

/* Those whose cell is not missing. */
static pt_stump_amount known_rows(const pt_stump_search *s, int64_t f, int64_t column)
{
    pt_stump_amount rows = {0, 0};
    for (int64_t v = 0; s->level_amount && v < s->table->feature[f].levels; v++)
        add_amount(&rows, 1, level_of(s, f, v, column));
    return rows;
}

static bool leaves_enough(const pt_stump_search *s, const pt_stump_amount *in,
                          const pt_stump_amount *all)
{
    const pt_stump_amount out = {all->rows - in->rows, all->weight - in->weight};
    return !s->level_amount || (is_enough(s, in) && is_enough(s, &out));
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* The sums of the branches of a test, from those of its IN side, of all known cells and of missing
 * ones; the second sum is so much further. */
static void put_sums(pt_stump_rule rule, const double *in, const double *all, int64_t second,
                     const double *missing, int64_t missing_second, double sum[PT_BRANCHES][2])
{
    for (int c = 0; c < 2; c++) {
        const double out = all[c * second] - in[c * second];
        sum[PT_BRANCH_IN][c] = in[c * second];
        sum[PT_BRANCH_OUT][c] = c == 1 && rule == PT_STUMP_NEWTON ? out : pt_positive(out);
        sum[PT_BRANCH_MISSING][c] = missing[c * missing_second];
    }
}

static bool is_better(const pt_stump *a, const pt_stump *b)
{
    return b->test.feature < 0 || a->gain > b->gain ||
           (a->gain == b->gain && a->test.feature < b->test.feature);
}

/* Keeps it as the best of column s, with its set in the place for it. */
static void keep_stump(pt_stump *best, uint64_t *sets, int64_t words, int64_t s,
                       const pt_stump *stump)
{
    best[s] = *stump;
    if (!stump->test.set)
        return;
    memcpy(sets + s * words, stump->test.set, (size_t)words * sizeof *sets);
    best[s].test.set = sets + s * words;
}

void pt_stump_take_best(const pt_stump_round *x, pt_stump *stump, double *sums)
{
    const pt_stump_search *s = x->search;
    const pt_stump_worker *who = s->worker;
    for (int64_t j = 0; j < (x->shared ? 1 : s->columns.ell); j++) {
        who = s->worker;
        for (int v = 1; v < s->workers; v++)
            if (s->worker[v].best[j].test.feature >= 0 &&
                is_better(&s->worker[v].best[j], &who->best[j]))
                who = &s->worker[v];
        keep_stump(stump, s->sets, s->words, j, &who->best[j]);
    }
    const double *in = who->sums;
    for (int64_t j = 0; x->shared && j < s->columns.ell && stump->test.feature >= 0; j++)
        put_sums(s->options.rule, in + j, in + s->step + j, s->column_stride, in + 2 * s->step + j,
                 s->column_stride, (double(*)[2])(sums + j * PT_BRANCHES * 2));
}

/* ---- the best of each column ----------------------------------------------------------------- */

/* The next piece of the bins, with a look at the task where it is not the only one. */
static pt_status next_piece(pt_stump_scan *scan, const pt_task *task, pt_error *err)
{
    scan->from = scan->to;
    scan->to = pt_lesser(scan->from + BINS_A_PIECE, scan->bins);
    return scan->bins > BINS_A_PIECE ? pt_task_check(task, err) : PT_OK;
}

/* scan->all <- the sums of all bins; then the pieces begin anew. */
static pt_status sum_bins(const pt_stump_search *s, pt_stump_scan *scan, const pt_task *task,
                          pt_error *err)
{
    do {
        PT_TRY(next_piece(scan, task, err));
        s->loops->sum(scan);
    } while (scan->to < scan->bins);
    scan->to = 0;
    return PT_OK;
}

static pt_status best_cuts(const pt_stump_search *s, pt_stump_worker *w, int64_t f,
                           const double *hist, const pt_task *task, pt_error *err)
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
        PT_TRY(sum_bins(s, &scan, task, err));
        do {
            PT_TRY(next_piece(&scan, task, err));
            s->loops->scan[s->options.rule](&scan);
        } while (scan.to < scan.bins);
        for (int lane = 0; lane < LANES && from + lane < s->columns.ell; lane++) {
            const pt_stump *best = &w->best[from + lane];
            const double gain = pt_stump_rounded(scan.gain[lane] + scan.missing_gain[lane]);
            if (best->test.feature >= 0 && gain < best->gain)
                continue;
            pt_stump stump = {.test = {.feature = f, .bin = scan.at[lane]}, .gain = gain};
            const double in[2] = {scan.in[0][lane], scan.in[1][lane]};
            const double all[2] = {scan.all[0][lane], scan.all[1][lane]};
            const double *missing = scan.hist + scan.bins * scan.step + lane;
            put_sums(s->options.rule, in, all, 1, missing, scan.second, stump.sum);
            if (is_better(&stump, best))
                keep_stump(w->best, w->sets, s->words, from + lane, &stump);
        }
    }
    return PT_OK;
}

static double weight_of(pt_stump_rule rule, double a, double b)
{
    return rule == PT_STUMP_NEWTON ? a : a + b;
}

/* The best set of levels for a column, a beginning of their order; its set is w->set. */
static void best_set(const pt_stump_search *s, pt_stump_worker *w, const double *hist, int64_t f,
                     int64_t column, pt_stump *stump)
{
    const int64_t levels = s->table->feature[f].levels;
    const pt_stump_rule rule = s->options.rule;
    const double *first = hist + column;
    const double *second = first + s->column_stride;
    double all[2] = {0, 0};
    double in[2] = {0, 0};
    int64_t m = 0; /* levels with weight in the column */
    for (int64_t v = 0; v < levels; v++) {
        const double a = first[v * s->step];
        const double b = second[v * s->step];
        all[0] += a;
        all[1] += b;
        if (weight_of(rule, a, b) > 0)
            w->level[m++] = (pt_scored_level){
                pt_stump_rounded(rule == PT_STUMP_NEWTON ? b / a : (a - b) / (a + b)), v};
    }
    pt_levels_sort(w->level, m);

    int64_t taken = 0;
    pt_stump_amount below = {0, 0};
    const pt_stump_amount rows = known_rows(s, f, column);
    *stump = (pt_stump){.test = {.feature = f, .bin = -1, .set = w->set}, .gain = -INFINITY};
    for (int64_t j = 0; j < m; j++) {
        const int64_t v = w->level[j].level;
        const bool last = j == m - 1;
        in[0] = last ? all[0] : in[0] + first[v * s->step];
        in[1] = last ? all[1] : in[1] + second[v * s->step];
        add_amount(&below, 1, level_of(s, f, v, column));
        const double gain =
            pt_stump_rounded(pt_stump_cut_gain((int)rule, false, in[0], in[1], all[0], all[1]));
        if (gain > stump->gain && (last || leaves_enough(s, &below, &rows))) {
            stump->gain = gain;
            taken = j + 1;
        }
    }

    /* Sums in the order of levels, as `all` is: what is all on one side is 0 on the other. Levels
     * without weight then join the heavier side. */
    memset(w->set, 0, (size_t)s->words * sizeof *w->set);
    for (int64_t j = 0; j < taken; j++)
        pt_set_put(w->set, w->level[j].level, true);
    in[0] = in[1] = 0;
    for (int64_t v = 0; v < levels; v++)
        if (pt_forest_in_set(w->set, v)) {
            in[0] += first[v * s->step];
            in[1] += second[v * s->step];
        }
    if (2 * weight_of(rule, in[0], in[1]) > weight_of(rule, all[0], all[1]))
        for (int64_t v = 0; v < levels; v++)
            if (!(weight_of(rule, first[v * s->step], second[v * s->step]) > 0))
                pt_set_put(w->set, v, true);
    const double *missing = first + levels * s->step;
    put_sums(rule, in, all, 1, missing, s->column_stride, stump->sum);
    stump->gain = pt_stump_rounded(
        (m > 0 ? stump->gain : 0) +
        pt_stump_worth((int)rule, missing[0], missing[s->column_stride], all[0] + missing[0]));
}

/* ---- the best for all columns ---------------------------------------------------------------- */

/* The sum over columns, in its order. */
static double sum_lanes(const double *l)
{
    return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
}

static double gain_of(const pt_stump_search *s, const double *in, const double *all)
{
    double lanes[LANES] = {0};
    s->loops->gain[s->options.rule](in, all, s->column_stride, lanes);
    return sum_lanes(lanes);
}

static pt_status best_shared_cut(const pt_stump_search *s, pt_stump_worker *w, int64_t f,
                                 const double *hist, pt_stump *stump, const pt_task *task,
                                 pt_error *err)
{
    const int64_t bins = s->table->feature[f].bins;
    PT_TRY(pt_task_clear(task, w->gains, (size_t)((bins + 2) * LANES) * sizeof *w->gains, err));
    for (int64_t from = 0; from < s->columns.ell; from += LANES) {
        pt_stump_scan scan = {.hist = hist + from,
                              .bins = bins,
                              .step = s->step,
                              .second = s->column_stride,
                              .below = s->options.below};
        PT_TRY(sum_bins(s, &scan, task, err));
        do {
            PT_TRY(next_piece(&scan, task, err));
            s->loops->scan_shared[s->options.rule](&scan, w->gains);
        } while (scan.to < bins);
    }
    *stump = (pt_stump){.test = {.feature = f, .bin = -1}, .gain = -INFINITY};
    for (int64_t b = s->options.below ? -1 : 0; b < bins; b++) {
        const double gain = pt_stump_rounded(sum_lanes(w->gains + (b + 1) * LANES));
        const bool enough =
            s->options.below || !s->low_shared || (b >= s->low_shared[f] && b <= s->high_shared[f]);
        if (gain > stump->gain && (enough || b == bins - 1)) {
            stump->gain = gain;
            stump->test.bin = b;
        }
    }
    stump->gain =
        pt_stump_rounded((bins > 0 ? stump->gain : 0) + sum_lanes(w->gains + (bins + 1) * LANES));
    return PT_OK;
}

/* Moves a level in (+1) or out (-1). */
static void move_level(const pt_stump_search *s, double *in, const double *hist, int64_t v,
                       double sign)
{
    for (int64_t c = 0; c < s->step; c++)
        in[c] += sign * hist[v * s->step + c];
}

/* The sums of a set, from 0, so that moves leave no rounding errors behind. */
static void sum_set(const pt_stump_search *s, const uint64_t *set, const double *hist,
                    int64_t levels, double *in)
{
    memset(in, 0, (size_t)s->step * sizeof *in);
    for (int64_t v = 0; v < levels; v++)
        if (pt_forest_in_set(set, v))
            move_level(s, in, hist, v, 1);
}

/* From the best level against the rest, single levels move as long as that gains. w->side holds the
 * sums of the set, which follow every move; once a pass they are formed anew. */
static void best_shared_set(const pt_stump_search *s, pt_stump_worker *w, int64_t f,
                            const double *hist, pt_stump *stump, const pt_task *task)
{
    const int64_t levels = s->table->feature[f].levels;
    const size_t bytes = (size_t)s->step * sizeof(double);
    double *in = w->side;
    double *all = in + s->step;
    double *trial = all + s->step;
    const pt_stump_amount rows = known_rows(s, f, -1);
    pt_stump_amount rows_in = {0, 0};
    int64_t best = -1;
    *stump = (pt_stump){.test = {.feature = f, .bin = -1, .set = w->set}, .gain = -INFINITY};
    memset(all, 0, bytes);
    for (int64_t v = 0; v < levels; v++)
        move_level(s, all, hist, v, 1);
    for (int64_t v = 0; v < levels; v++) {
        if (v % LEVELS_A_CHECK == 0 && pt_task_stopping(task))
            return;
        const double gain = pt_stump_rounded(gain_of(s, hist + v * s->step, all));
        const pt_stump_amount here = level_of(s, f, v, -1);
        if (gain > stump->gain && leaves_enough(s, &here, &rows)) {
            stump->gain = gain;
            rows_in = here;
            best = v;
        }
    }
    memset(w->set, 0, (size_t)s->words * sizeof *w->set);
    for (int64_t v = 0; v < levels; v++) /* none: whether the cell is missing */
        pt_set_put(w->set, v, best < 0 || v == best);
    sum_set(s, w->set, hist, levels, in);
    if (best < 0)
        stump->gain = pt_stump_rounded(gain_of(s, all, all));

    bool moved = best >= 0;
    for (int pass = 0; pass < PASSES && moved; pass++) {
        moved = false;
        for (int64_t v = 0; v < levels; v++) {
            if (v % LEVELS_A_CHECK == 0 && pt_task_stopping(task))
                return;
            const bool inside = pt_forest_in_set(w->set, v);
            memcpy(trial, in, bytes);
            move_level(s, trial, hist, v, inside ? -1 : 1);
            const double gain = pt_stump_rounded(gain_of(s, trial, all));
            if (!(gain > stump->gain))
                continue;
            pt_stump_amount rows_then = rows_in;
            add_amount(&rows_then, inside ? -1 : 1, level_of(s, f, v, -1));
            if (!leaves_enough(s, &rows_then, &rows))
                continue;
            pt_set_put(w->set, v, !inside);
            memcpy(in, trial, bytes);
            rows_in = rows_then;
            stump->gain = gain;
            moved = true;
        }
        if (moved) {
            sum_set(s, w->set, hist, levels, in);
            stump->gain = pt_stump_rounded(gain_of(s, in, all));
        }
    }
    const double *missing = hist + levels * s->step;
    double lanes[LANES] = {0};
    s->loops->gain[s->options.rule](missing, missing, s->column_stride, lanes);
    stump->gain = pt_stump_rounded(stump->gain + sum_lanes(lanes));
}

/* The sums of what is IN, of all and of missing cells, of the best test so far. */
static pt_status keep_sums(const pt_stump_search *s, pt_stump_worker *w, const double *hist,
                           const pt_test *test, const pt_task *task, pt_error *err)
{
    const pt_feature *feature = &s->table->feature[test->feature];
    double *in = w->sums;
    double *all = in + s->step;
    memset(in, 0, (size_t)(2 * s->step) * sizeof *in);
    for (int64_t b = 0; b < feature->bins; b++) {
        if (b % BINS_A_PIECE == BINS_A_PIECE - 1)
            PT_TRY(pt_task_check(task, err));
        for (int64_t c = 0; c < s->step; c++) {
            if (b <= test->bin)
                in[c] += hist[b * s->step + c];
            all[c] += hist[b * s->step + c];
        }
    }
    if (test->set)
        memcpy(in, w->side, (size_t)s->step * sizeof *in);
    memcpy(all + s->step, hist + feature->bins * s->step, (size_t)s->step * sizeof *in);
    return PT_OK;
}

/* ---- a feature ------------------------------------------------------------------------------- */

pt_status pt_stump_try_feature(const pt_stump_round *x, pt_stump_worker *w, int64_t f,
                               const double *hist, pt_error *err)
{
    const pt_stump_search *s = x->search;
    const bool nominal = s->table->feature[f].levels > 0;
    pt_stump stump;
    if (nominal && s->options.below)
        return PT_OK;
    if (x->shared) {
        if (nominal)
            best_shared_set(s, w, f, hist, &stump, x->task);
        else
            PT_TRY(best_shared_cut(s, w, f, hist, &stump, x->task, err));
        if (is_better(&stump, w->best)) {
            keep_stump(w->best, w->sets, s->words, 0, &stump);
            PT_TRY(keep_sums(s, w, hist, &stump.test, x->task, err));
        }
    } else if (nominal) {
        for (int64_t j = 0; j < s->columns.ell && !pt_task_stopping(x->task); j++) {
            best_set(s, w, hist, f, j, &stump);
            if (is_better(&stump, &w->best[j]))
                keep_stump(w->best, w->sets, s->words, j, &stump);
        }
    } else {
        PT_TRY(best_cuts(s, w, f, hist, x->task, err));
    }
    return nominal ? pt_task_check(x->task, err) : PT_OK;
}
