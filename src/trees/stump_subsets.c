/* Subsets of levels for stumps on nominal features (stump_search.h says which are looked at). */
#include <stdlib.h>
#include <string.h>

#include "trees/stump_parts.h"
#include "trees/stump_worth.h"

enum {
    PASSES = 64, /* over the levels, for all columns; a few are enough as a rule */
    LEVELS_A_CHECK = 64
};

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
    return s->level_amount ? pt_stump_level_amount(s, f, v, column) : (pt_stump_amount){0, 0};
}

/* Those whose cell is not missing. */
static pt_stump_amount known_rows(const pt_stump_search *s, int64_t f, int64_t column)
{
    pt_stump_amount rows = {0, 0};
    for (int64_t v = 0; s->level_amount && v < s->table->feature[f].levels; v++) {
        const pt_stump_amount here = level_of(s, f, v, column);
        pt_stump_amount_add(&rows, 1, &here);
    }
    return rows;
}

static bool leaves_enough(const pt_stump_search *s, const pt_stump_amount *in,
                          const pt_stump_amount *all)
{
    const pt_stump_amount out = {all->rows - in->rows, all->weight - in->weight};
    return !s->level_amount || (pt_stump_enough(s, in) && pt_stump_enough(s, &out));
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
        pt_stump_amount_add(&below, 1, &here);
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
    for (int c = 0; c < 2; c++) {
        const double out = all[c] - best[c];
        stump->sum[PT_BRANCH_IN][c] = best[c];
        stump->sum[PT_BRANCH_OUT][c] = c == 1 && rule == PT_STUMP_NEWTON ? out : pt_positive(out);
        stump->sum[PT_BRANCH_MISSING][c] = missing[c * s->column_stride];
    }
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
        pt_stump_amount_add(&in, way, &moving);
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
