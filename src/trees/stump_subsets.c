/* Subsets of levels for stumps on nominal features (stump_search.h says which are looked at), and
 * which cuts and subsets leave enough examples on either side (--min-leaf, --min-leaf-weight),
 * counted once for all rounds.
 *
 * Examples below a cut grow with it, so that the cuts that may be made are a range: from `low`, the
 * first that leaves enough below it, to `high`, the last that leaves enough above. Levels are
 * counted by group, and a column adds up its groups when it needs them. */
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "base/parallel.h"
#include "trees/stump_parts.h"

enum {
    PASSES = 64, /* over the levels, for all columns; a few are enough as a rule */
    LEVELS_A_CHECK = 64
};

/* ---- enough examples ------------------------------------------------------------------------- */

typedef struct counter {
    pt_stump_search *search;
    int64_t room;           /* (most bins + 1) x groups */
    pt_stump_amount *count; /* a worker: room */
    pt_stump_amount *rows;  /* of each group */
} counter;

/* to += way times it. */
static void add_amount(pt_stump_amount *to, int way, const pt_stump_amount *amount)
{
    to->rows += way * amount->rows;
    to->weight += way * amount->weight;
}

static bool is_enough(const pt_stump_search *s, const pt_stump_amount *amount)
{
    return amount->rows >= (double)s->options.min_leaf && amount->weight >= s->options.min_weight;
}

static pt_stump_amount amount_of_row(const pt_stump_search *s, int64_t i)
{
    return (pt_stump_amount){1, pt_weight(s->options.weight, i)};
}

/* Of a listed feature all rows are common but for those of its list. */
static void count_listed(const pt_stump_search *s, const pt_feature *feature,
                         const pt_stump_amount *rows, pt_stump_amount *count)
{
    const int64_t groups = s->columns.groups;
    memcpy(count + feature->common * groups, rows, (size_t)groups * sizeof *count);
    for (int64_t j = 0; j < feature->listed; j++) {
        const int64_t g = s->columns.group_of[feature->row[j]];
        const int64_t bin = feature->bin ? feature->bin[j] : feature->wide[j];
        const pt_stump_amount one = amount_of_row(s, feature->row[j]);
        add_amount(&count[feature->common * groups + g], -1, &one);
        add_amount(&count[bin * groups + g], 1, &one);
    }
}

static void count_bins(const pt_stump_search *s, const pt_feature *feature,
                       const pt_stump_amount *rows, pt_stump_amount *count)
{
    memset(count, 0, (size_t)((feature->bins + 1) * s->columns.groups) * sizeof *count);
    if (feature->row) {
        count_listed(s, feature, rows, count);
        return;
    }
    for (int64_t i = 0; i < s->table->n; i++) {
        const pt_stump_amount one = amount_of_row(s, i);
        add_amount(&count[pt_feature_bin(feature, i) * s->columns.groups + s->columns.group_of[i]],
                   1, &one);
    }
}

/* Of column s, -1: of all rows. */
static pt_stump_amount rows_at(const pt_stump_search *search, const pt_stump_amount *count,
                               int64_t bin, int64_t s)
{
    const pt_stump_columns *c = &search->columns;
    pt_stump_amount rows = {0, 0};
    for (int64_t g = 0; g < c->groups; g++)
        if (s < 0 || c->sign[g * c->ell + s] != 0)
            add_amount(&rows, 1, &count[bin * c->groups + g]);
    return rows;
}

static pt_stump_amount pair_rows_at(const pt_stump_search *search, const pt_stump_amount *count,
                                    int64_t bin, int64_t p, int64_t q)
{
    pt_stump_amount rows = count[bin * search->columns.groups + p];
    add_amount(&rows, 1, &count[bin * search->columns.groups + q]);
    return rows;
}

static pt_stump_amount column_rows_at(const pt_stump_search *search, const pt_stump_amount *count,
                                      int64_t bin, int64_t s)
{
    if (s < 0 || !search->columns.pairs)
        return rows_at(search, count, bin, s);
    int64_t p = 0;
    int64_t q = 0;
    pt_pairs_at(search->columns.groups, s, &p, &q);
    return pair_rows_at(search, count, bin, p, q);
}

/* low > high where no cut leaves enough. */
static void find_range(const pt_stump_search *search, const pt_feature *feature,
                       const pt_stump_amount *count, int64_t s, int64_t *low, int64_t *high)
{
    pt_stump_amount below = {0, 0};
    pt_stump_amount above = {0, 0};
    *low = 0;
    *high = feature->bins - 2;
    while (*low < feature->bins) {
        const pt_stump_amount here = column_rows_at(search, count, *low, s);
        add_amount(&below, 1, &here);
        if (is_enough(search, &below))
            break;
        ++*low;
    }
    while (*high >= 0) {
        const pt_stump_amount here = column_rows_at(search, count, *high + 1, s);
        add_amount(&above, 1, &here);
        if (is_enough(search, &above))
            break;
        --*high;
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
    for (int64_t j = 0; j < s->column_stride; j++)
        find_range(s, feature, count, j < s->columns.ell ? j : 0, &s->low[f * s->column_stride + j],
                   &s->high[f * s->column_stride + j]);
    if (feature->levels == 0)
        return PT_OK;
    const int64_t cells = feature->levels * s->columns.groups;
    s->level_amount[f] = pt_alloc(cells, sizeof **s->level_amount, "counts of levels", err);
    if (!s->level_amount[f])
        return PT_ENOMEM;
    memcpy(s->level_amount[f], count, (size_t)cells * sizeof **s->level_amount);
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
    s->level_amount = pt_alloc_zero(d, sizeof *s->level_amount, "counts of levels", err);
    if (!s->level_amount)
        return PT_ENOMEM;
    const int workers = pt_parallel_workers(task, d);
    counter c = {.search = s, .room = (s->most_bins + 1) * s->columns.groups};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "counts of bins", err, PT_PIECE(c.count, c.room * workers),
                    PT_PIECE(c.rows, s->columns.groups)));
    memset(c.rows, 0, (size_t)s->columns.groups * sizeof *c.rows);
    for (int64_t i = 0; i < s->table->n; i++) {
        const pt_stump_amount one = amount_of_row(s, i);
        add_amount(&c.rows[s->columns.group_of[i]], 1, &one);
    }
    return pt_parallel_for(task, d, count_feature, &c, err);
}

void pt_stump_counts_free(pt_stump_search *s)
{
    for (int64_t f = 0; s->level_amount && f < s->table->d; f++)
        pt_free(s->level_amount[f]);
    pt_free(s->level_amount);
    pt_arena_free(&s->ranges);
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void put_level(uint64_t *set, int64_t v)
{
    set[v / 64] |= (uint64_t)1 << (v % 64);
}

static int by_score(const void *x, const void *y)
{
    const pt_stump_level *a = x;
    const pt_stump_level *b = y;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->level > b->level) - (a->level < b->level);
}

static int by_level(const void *x, const void *y)
{
    const pt_stump_level *a = x;
    const pt_stump_level *b = y;
    return (a->level > b->level) - (a->level < b->level);
}

static double weight_of(pt_stump_rule rule, double a, double b)
{
    return rule == PT_STUMP_NEWTON ? a : a + b;
}

static double score_of(pt_stump_rule rule, double a, double b)
{
    return pt_stump_rounded(rule == PT_STUMP_NEWTON ? b / a : (a - b) / (a + b));
}

/* ---- one column ------------------------------------------------------------------------------ */

/* Levels with weight in the column, the highest score first; returns how many. */
static int64_t order_levels(const pt_stump_search *s, pt_stump_worker *w, const double *at,
                            int64_t levels)
{
    const pt_stump_rule rule = s->options.rule;
    int64_t m = 0;
    for (int64_t v = 0; v < levels; v++) {
        const double a = at[v * s->step];
        const double b = at[v * s->step + s->column_stride];
        if (weight_of(rule, a, b) > 0)
            w->level[m++] = (pt_stump_level){score_of(rule, a, b), v};
    }
    qsort(w->level, (size_t)m, sizeof *w->level, by_score);
    return m;
}

/* Examples of a level in a column, -1: of all rows; nothing where nobody asks. */
static pt_stump_amount level_of(const pt_stump_search *s, int64_t f, int64_t v, int64_t column)
{
    return s->level_amount ? column_rows_at(s, s->level_amount[f], v, column)
                           : (pt_stump_amount){0, 0};
}

/* Those whose cell is not missing. */
static pt_stump_amount known_rows(const pt_stump_search *s, int64_t f, int64_t column)
{
    pt_stump_amount rows = {0, 0};
    for (int64_t v = 0; s->level_amount && v < s->table->feature[f].levels; v++) {
        const pt_stump_amount here = level_of(s, f, v, column);
        add_amount(&rows, 1, &here);
    }
    return rows;
}

static bool leaves_enough(const pt_stump_search *s, const pt_stump_amount *in,
                          const pt_stump_amount *all)
{
    const pt_stump_amount out = {all->rows - in->rows, all->weight - in->weight};
    return !s->level_amount || (is_enough(s, in) && is_enough(s, &out));
}

static void sum_levels(const pt_stump_search *s, const double *at, int64_t levels, double all[2])
{
    all[0] = all[1] = 0;
    for (int64_t v = 0; v < levels; v++) {
        all[0] += at[v * s->step];
        all[1] += at[v * s->step + s->column_stride];
    }
}

/* The sums of the first `taken` ordered levels, added in the order of their numbers as `all` is:
 * what is all on one side is 0 on the other. */
static void sum_taken(const pt_stump_search *s, pt_stump_worker *w, const double *at, int64_t taken,
                      double in[2])
{
    qsort(w->level, (size_t)taken, sizeof *w->level, by_level);
    in[0] = in[1] = 0;
    for (int64_t j = 0; j < taken; j++) {
        in[0] += at[w->level[j].level * s->step];
        in[1] += at[w->level[j].level * s->step + s->column_stride];
    }
}

/* The set of the first `taken` ordered levels; those without weight join the heavier side. */
static void make_set(const pt_stump_search *s, pt_stump_worker *w, const double *at, int64_t levels,
                     int64_t taken, const double in[2], const double all[2])
{
    const pt_stump_rule rule = s->options.rule;
    const bool heavy = 2 * weight_of(rule, in[0], in[1]) > weight_of(rule, all[0], all[1]);
    memset(w->set, 0, (size_t)s->words * sizeof *w->set);
    for (int64_t j = 0; j < taken; j++)
        put_level(w->set, w->level[j].level);
    for (int64_t v = 0; v < levels && heavy; v++)
        if (!(weight_of(rule, at[v * s->step], at[v * s->step + s->column_stride]) > 0))
            put_level(w->set, v);
}

void pt_stump_best_subset(const pt_stump_search *s, pt_stump_worker *w, const double *hist,
                          int64_t f, int64_t column, pt_stump *stump)
{
    const int64_t levels = s->table->feature[f].levels;
    const int rule = s->options.rule;
    const double *at = hist + column;
    const int64_t m = order_levels(s, w, at, levels);
    double all[2];
    double in[2] = {0, 0};
    double best[2] = {0, 0};
    int64_t taken = 0;
    pt_stump_amount below = {0, 0};
    const pt_stump_amount rows = known_rows(s, f, column);
    sum_levels(s, at, levels, all);
    *stump = (pt_stump){.feature = f, .bin = -1, .in = w->set, .gain = -INFINITY};
    for (int64_t j = 0; j < m; j++) {
        const int64_t v = w->level[j].level;
        const bool last = j == m - 1;
        in[0] = last ? all[0] : in[0] + at[v * s->step];
        in[1] = last ? all[1] : in[1] + at[v * s->step + s->column_stride];
        const pt_stump_amount here = level_of(s, f, v, column);
        add_amount(&below, 1, &here);
        const double gain =
            pt_stump_rounded(pt_stump_cut_gain(rule, false, in[0], in[1], all[0], all[1]));
        if (gain > stump->gain && (last || leaves_enough(s, &below, &rows))) {
            stump->gain = gain;
            taken = j + 1;
        }
    }
    sum_taken(s, w, at, taken, best);
    make_set(s, w, at, levels, taken, best, all);
    const double *missing = at + levels * s->step;
    pt_stump_put_sums(s->options.rule, best, all, 1, missing, s->column_stride, stump->sum);
    const double gain = m > 0 ? stump->gain : 0;
    stump->gain = pt_stump_rounded(
        gain + pt_stump_worth(rule, missing[0], missing[s->column_stride], all[0] + missing[0]));
}

/* ---- all columns ----------------------------------------------------------------------------- */

double pt_stump_sum_lanes(const double *l)
{
    return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
}

static double gain_of(const pt_stump_search *s, const double *in, const double *all)
{
    double lanes[PT_STUMP_LANES] = {0};
    s->loops->gain[s->options.rule](in, all, s->column_stride, lanes);
    return pt_stump_sum_lanes(lanes);
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
        if (set[v / 64] >> (v % 64) & 1)
            move_level(s, in, hist, v, 1);
}

/* Rows of all columns together. */
typedef struct row_count {
    pt_stump_amount in;
    pt_stump_amount all;
} row_count;

/* The best single level; -1: none leaves enough on both sides. */
static int64_t best_level(const pt_stump_search *s, const double *hist, int64_t f,
                          const double *all, const pt_stump_amount *rows, double *gain)
{
    int64_t best = -1;
    *gain = -INFINITY;
    for (int64_t v = 0; v < s->table->feature[f].levels; v++) {
        const double here = pt_stump_rounded(gain_of(s, hist + v * s->step, all));
        const pt_stump_amount in = level_of(s, f, v, -1);
        if (here > *gain && leaves_enough(s, &in, rows)) {
            *gain = here;
            best = v;
        }
    }
    return best;
}

/* One pass over the levels; true: something moved. w->side holds the sums of the set, which follow
 * every move; once a pass they are formed anew. */
static bool improve_set(const pt_stump_search *s, pt_stump_worker *w, const double *hist, int64_t f,
                        const double *all, row_count *rows, double *gain, const pt_task *task)
{
    const int64_t levels = s->table->feature[f].levels;
    double *with = w->side + 2 * s->step;
    bool moved = false;
    for (int64_t v = 0; v < levels; v++) {
        if (v % LEVELS_A_CHECK == 0 && pt_task_stopping(task))
            return false;
        const uint64_t bit = (uint64_t)1 << (v % 64);
        const int way = w->set[v / 64] & bit ? -1 : 1;
        memcpy(with, w->side, (size_t)s->step * sizeof *with);
        move_level(s, with, hist, v, way);
        const double here = pt_stump_rounded(gain_of(s, with, all));
        if (!(here > *gain))
            continue;
        const pt_stump_amount moving = level_of(s, f, v, -1);
        pt_stump_amount in = rows->in;
        add_amount(&in, way, &moving);
        if (!leaves_enough(s, &in, &rows->all))
            continue;
        w->set[v / 64] ^= bit;
        memcpy(w->side, with, (size_t)s->step * sizeof *with);
        rows->in = in;
        *gain = here;
        moved = true;
    }
    if (moved) {
        sum_set(s, w->set, hist, levels, w->side);
        *gain = pt_stump_rounded(gain_of(s, w->side, all));
    }
    return moved;
}

/* From the best single level on; false: there is none. */
static bool find_set(const pt_stump_search *s, pt_stump_worker *w, const double *hist, int64_t f,
                     const double *all, double *gain, const pt_task *task)
{
    const int64_t levels = s->table->feature[f].levels;
    row_count rows = {.all = known_rows(s, f, -1)};
    const int64_t first = best_level(s, hist, f, all, &rows.all, gain);
    if (first < 0)
        return false;
    put_level(w->set, first);
    rows.in = level_of(s, f, first, -1);
    sum_set(s, w->set, hist, levels, w->side);
    for (int pass = 0; pass < PASSES; pass++)
        if (!improve_set(s, w, hist, f, all, &rows, gain, task))
            break;
    return true;
}

pt_status pt_stump_shared_subset(const pt_stump_search *s, pt_stump_worker *w, const double *hist,
                                 int64_t f, pt_stump *stump, const pt_task *task, pt_error *err)
{
    const int64_t levels = s->table->feature[f].levels;
    double *all = w->side + s->step;
    *stump = (pt_stump){.feature = f, .bin = -1, .in = w->set, .gain = -INFINITY};
    memset(w->set, 0, (size_t)s->words * sizeof *w->set);
    memset(all, 0, (size_t)s->step * sizeof *all);
    for (int64_t v = 0; v < levels; v++)
        move_level(s, all, hist, v, 1);
    if (!find_set(s, w, hist, f, all, &stump->gain, task)) { /* whether the cell is missing */
        for (int64_t v = 0; v < levels; v++)
            put_level(w->set, v);
        sum_set(s, w->set, hist, levels, w->side);
        stump->gain = pt_stump_rounded(gain_of(s, all, all));
    }
    double lanes[PT_STUMP_LANES] = {0};
    const double *missing = hist + levels * s->step;
    s->loops->gain[s->options.rule](missing, missing, s->column_stride, lanes);
    stump->gain = pt_stump_rounded(stump->gain + pt_stump_sum_lanes(lanes));
    return pt_task_check(task, err);
}
