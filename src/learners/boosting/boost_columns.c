/* Boosting of every column by a rule of its own.
 *
 *   order      rows by group, in their order within a group; a column's examples are those of its
 *              groups, in this order
 *   margin     sum over columns of their examples: column s begins at begin[s]
 *   first      n x stride, second likewise: the numbers as the search for stumps wants them, a row
 *              with a slot for each column (of all pairs: for each opponent); trees deeper than
 *              that take a column out of it
 *
 * Memory: 8 bytes for each example of each column and 8 or 16 for each slot of each row. */
#include "learners/boosting/boost_columns.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "learners/boosting/boost_rows.h"
#include "trees/grow.h"

/* What a worker needs for one column. */
typedef struct room {
    int64_t *row; /* of the examples */
    double *y;
    double *h;
    double *first;
    double *second;
    double *work;
    double *weight;
    int64_t *side; /* groups: class of a group for trees, -1: none */
} room;

enum { ROOM_ARRAYS = 6 }; /* of n doubles: y, h, first, second, work, weight */

typedef struct column_booster {
    const pt_boost_rule *rule;
    const pt_task *task;
    const pt_rows *rows;
    const pt_columns *columns;
    pt_stump_columns stump_columns;
    pt_stump_layout layout;
    int64_t depth;
    int64_t min_leaf;
    double min_weight;
    int64_t *order;
    int64_t *group_begin; /* groups + 1 */
    int64_t *begin;       /* ell + 1 */
    double *margin;
    double *first;
    double *second; /* NULL: the rule has none */
    pt_feature_table table;
    pt_stump_search *search; /* of stumps */
    pt_stump *stump;         /* ell */
    pt_grown *grown;         /* ell, of deeper trees */
    double *scale;           /* ell: of this round */
    bool *done;              /* ell */
    room *rooms;             /* for each worker */
    int workers;
} column_booster;

/* ---- memory ---------------------------------------------------------------------------------- */

static void free_room(room *r)
{
    pt_free(r->row);
    pt_free(r->y);
    pt_free(r->side);
}

static void free_boosting(column_booster *b)
{
    for (int w = 0; w < b->workers && b->rooms; w++)
        free_room(&b->rooms[w]);
    for (int64_t s = 0; s < b->columns->ell && b->grown; s++)
        pt_grown_free(&b->grown[s]);
    pt_free(b->rooms);
    pt_free(b->done);
    pt_free(b->scale);
    pt_free(b->grown);
    pt_free(b->stump);
    pt_stump_search_free(b->search);
    pt_feature_table_free(&b->table);
    pt_free(b->second);
    pt_free(b->first);
    pt_free(b->margin);
    pt_free(b->begin);
    pt_free(b->group_begin);
    pt_free(b->order);
}

static pt_status make_room(room *r, int64_t n, int64_t groups, pt_error *err)
{
    r->row = pt_alloc(n, sizeof *r->row, "a column", err);
    r->y = pt_alloc(n, ROOM_ARRAYS * sizeof *r->y, "a column", err);
    r->side = pt_alloc(groups, sizeof *r->side, "a column", err);
    if (!r->row || !r->y || !r->side)
        return PT_ENOMEM;
    r->h = r->y + n;
    r->first = r->h + n;
    r->second = r->first + n;
    r->work = r->second + n;
    r->weight = r->work + n;
    return PT_OK;
}

/* ---- examples of a column -------------------------------------------------------------------- */

/* Rows of group g are order[group_begin[g]] ... */
static pt_status sort_rows(column_booster *b, pt_error *err)
{
    const pt_columns *columns = b->columns;
    b->order = pt_alloc(columns->n, sizeof *b->order, "rows by group", err);
    b->group_begin = pt_alloc_zero(columns->groups + 1, sizeof *b->group_begin, "groups", err);
    if (!b->order || !b->group_begin)
        return PT_ENOMEM;
    for (int64_t i = 0; i < columns->n; i++)
        b->group_begin[columns->group_of[i] + 1]++;
    for (int64_t g = 0; g < columns->groups; g++)
        b->group_begin[g + 1] += b->group_begin[g];
    for (int64_t i = columns->n - 1; i >= 0; i--) /* ends move to beginnings */
        b->order[--b->group_begin[columns->group_of[i] + 1]] = i;
    for (int64_t g = 0; g < columns->groups; g++)
        b->group_begin[g] = b->group_begin[g + 1];
    b->group_begin[columns->groups] = columns->n;
    return PT_OK;
}

static int64_t group_rows(const column_booster *b, int64_t g)
{
    return b->group_begin[g + 1] - b->group_begin[g];
}

/* The groups of column s: all of them, or the two of a pair. */
static void groups_of(const column_booster *b, int64_t s, int64_t *first, int64_t *last,
                      int64_t *step)
{
    *first = 0;
    *last = b->columns->groups - 1;
    *step = 1;
    if (!b->columns->pairs)
        return;
    pt_pairs_at(b->columns->groups, s, first, last);
    *step = *last - *first;
}

static int64_t count_examples(const column_booster *b, int64_t s)
{
    int64_t first = 0;
    int64_t last = 0;
    int64_t step = 1;
    int64_t count = 0;
    groups_of(b, s, &first, &last, &step);
    for (int64_t g = first; g <= last; g += step)
        if (pt_columns_sign(b->columns, g, s) != 0)
            count += group_rows(b, g);
    return count;
}

static void list_examples(const column_booster *b, int64_t s, room *r)
{
    int64_t first = 0;
    int64_t last = 0;
    int64_t step = 1;
    int64_t j = 0;
    groups_of(b, s, &first, &last, &step);
    for (int64_t g = first; g <= last; g += step) {
        const int sign = pt_columns_sign(b->columns, g, s);
        for (int64_t at = b->group_begin[g]; sign && at < b->group_begin[g + 1]; at++) {
            r->row[j] = b->order[at];
            r->weight[j] = b->columns->weight ? b->columns->weight[b->order[at]] : 1;
            r->y[j++] = sign;
        }
    }
}

/* The slot that column s has in rows of group g. */
static int64_t slot_of(const column_booster *b, int64_t g, int64_t s)
{
    if (!b->columns->pairs)
        return s;
    int64_t p = 0;
    int64_t q = 0;
    pt_pairs_at(b->columns->groups, s, &p, &q);
    return g == p ? q : p;
}

/* The numbers of a column to the places of its rows. */
static void scatter(const column_booster *b, int64_t s, const room *r)
{
    int64_t first = 0;
    int64_t last = 0;
    int64_t step = 1;
    int64_t j = 0;
    groups_of(b, s, &first, &last, &step);
    for (int64_t g = first; g <= last; g += step) {
        if (pt_columns_sign(b->columns, g, s) == 0)
            continue;
        const int64_t slot = slot_of(b, g, s);
        for (int64_t at = b->group_begin[g]; at < b->group_begin[g + 1]; at++, j++) {
            const int64_t place = b->order[at] * b->layout.stride + slot;
            b->first[place] = r->first[j];
            if (b->second)
                b->second[place] = r->second[j];
        }
    }
}

/* ---- hypotheses ------------------------------------------------------------------------------ */

/* What a branch or a leaf says, from its two sums: + and -, or w and w t. */
static double say(pt_stump_rule rule, double first, double second)
{
    if (rule == PT_STUMP_NEWTON)
        return first > 0 ? second / first : 0;
    return (double)(first > second) - (double)(first < second);
}

typedef struct round_report {
    pt_stump_rule rule;
    double scale;
} round_report;

/* As pt_leaf_fn. Sums of trees of two classes begin with the minus side. */
static void say_leaf(const double *sum, int64_t sums, const void *context, double *value)
{
    (void)sums;
    const round_report *as = context;
    const bool newton = as->rule == PT_STUMP_NEWTON;
    *value = as->scale * say(as->rule, sum[newton ? 0 : 1], sum[newton ? 1 : 0]);
}

/* branch (n) <- those of all rows, block by block. */
static void find_branches(const column_booster *b, const pt_stump *stump, uint8_t *branch)
{
    for (int64_t from = 0; from < b->columns->n; from += PT_STUMP_ROWS) {
        const int64_t rest = b->columns->n - from;
        pt_stump_block block = {.count = rest < PT_STUMP_ROWS ? rest : PT_STUMP_ROWS, .group = -1};
        for (int64_t j = 0; j < block.count; j++)
            block.row[j] = from + j;
        pt_stump_row_branches(&b->table, stump, &block, branch + from);
    }
}

static void hear_stump(const column_booster *b, int64_t s, int64_t n, room *r)
{
    const pt_stump *stump = &b->stump[s];
    double value[PT_BRANCHES];
    for (int branch = 0; branch < PT_BRANCHES; branch++)
        value[branch] = say(b->rule->rule, stump->sum[branch][0], stump->sum[branch][1]);
    if (2 * n < b->columns->n) { /* a few rows of many: one by one */
        for (int64_t j = 0; j < n; j++)
            r->h[j] = value[pt_stump_branch(&b->table, stump, r->row[j])];
        return;
    }
    uint8_t *branch = (uint8_t *)r->work;
    find_branches(b, stump, branch);
    for (int64_t j = 0; j < n; j++)
        r->h[j] = value[branch[r->row[j]]];
}

/* The numbers of the column, by row: work space of the worker, of which the examples of the column
 * are filled. */
static pt_status grow_tree(column_booster *b, int64_t s, int64_t n, room *r, pt_error *err)
{
    const bool newton = b->rule->rule == PT_STUMP_NEWTON;
    double *weight = r->first;
    double *target = r->second;
    for (int64_t g = 0; g < b->columns->groups; g++) {
        const int sign = pt_columns_sign(b->columns, g, s);
        r->side[g] = sign == 0 ? -1 : newton ? 0 : sign > 0;
    }
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = r->row[j];
        const int64_t place = i * b->layout.stride + slot_of(b, b->columns->group_of[i], s);
        weight[i] = b->first[place];
        if (newton)
            target[i] = weight[i] > 0 ? b->second[place] / weight[i] : 0;
    }
    const pt_grow_problem problem = {.table = &b->table,
                                     .group_of = b->columns->group_of,
                                     .class_of_group = r->side,
                                     .k = newton ? 1 : 2,
                                     .weight = weight,
                                     .target = newton ? target : NULL,
                                     .criterion = newton ? PT_CRITERION_SQUARES : PT_CRITERION_GINI,
                                     .depth = b->depth,
                                     .min_leaf = b->min_leaf,
                                     .min_weight = b->min_weight,
                                     .by_mass = true,
                                     .mass = b->columns->weight};
    return pt_grow(&b->grown[s], &problem, b->task, err);
}

static pt_status hear_tree(column_booster *b, int64_t s, int64_t n, room *r, pt_error *err)
{
    PT_TRY(grow_tree(b, s, n, r, err));
    const round_report as = {b->rule->rule, 1};
    double *by_row = r->work;
    memset(by_row, 0, (size_t)b->columns->n * sizeof *by_row);
    pt_grown_add(&b->grown[s], say_leaf, &as, 1, by_row, 1);
    for (int64_t j = 0; j < n; j++)
        r->h[j] = by_row[r->row[j]];
    pt_grown_drop_rows(&b->grown[s]);
    return PT_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static pt_boost_column view(const column_booster *b, int64_t s, int64_t n, const room *r,
                            bool heard)
{
    return (pt_boost_column){.s = s,
                             .n = n,
                             .y = r->y,
                             .weight = b->columns->weight ? r->weight : NULL,
                             .h = heard ? r->h : NULL,
                             .margin = b->margin + b->begin[s],
                             .first = r->first,
                             .second = r->second,
                             .work = r->work};
}

static pt_status begin_column(void *context, int64_t s, int worker, pt_error *err)
{
    (void)err;
    column_booster *b = context;
    room *r = &b->rooms[worker];
    const int64_t n = b->begin[s + 1] - b->begin[s];
    list_examples(b, s, r);
    const pt_boost_column c = view(b, s, n, r, false);
    b->done[s] = n == 0;
    if (n > 0)
        b->rule->step(b->rule->context, &c, &b->scale[s], &b->done[s]);
    scatter(b, s, r);
    return PT_OK;
}

static pt_status step_column(void *context, int64_t s, int worker, pt_error *err)
{
    column_booster *b = context;
    room *r = &b->rooms[worker];
    const int64_t n = b->begin[s + 1] - b->begin[s];
    b->scale[s] = 0;
    if (b->done[s])
        return PT_OK;
    if (b->search && b->stump[s].feature < 0) {
        b->done[s] = true;
        return PT_OK;
    }
    list_examples(b, s, r);
    if (b->search)
        hear_stump(b, s, n, r);
    else
        PT_TRY(hear_tree(b, s, n, r, err));
    const pt_boost_column c = view(b, s, n, r, true);
    b->rule->step(b->rule->context, &c, &b->scale[s], &b->done[s]);
    scatter(b, s, r);
    return PT_OK;
}

static pt_status plant_nothing(pt_forest *forest, pt_error *err)
{
    int64_t leaf = 0;
    const double zero = 0;
    const pt_status status = pt_forest_add_leaf(forest, &zero, &leaf, err);
    return status == PT_OK ? pt_forest_add_tree(forest, leaf, err) : status;
}

static pt_status plant_stump(const column_booster *b, int64_t s, pt_forest *forest, pt_error *err)
{
    const pt_stump *stump = &b->stump[s];
    double value[PT_BRANCHES];
    for (int branch = 0; branch < PT_BRANCHES; branch++)
        value[branch] =
            b->scale[s] * say(b->rule->rule, stump->sum[branch][0], stump->sum[branch][1]);
    return pt_stump_plant(&b->table, stump, value, forest, err);
}

static pt_status plant(const column_booster *b, pt_forest *forest, pt_error *err)
{
    pt_status status = PT_OK;
    for (int64_t s = 0; s < b->columns->ell && status == PT_OK; s++) {
        const round_report as = {b->rule->rule, b->scale[s]};
        if (b->scale[s] == 0)
            status = plant_nothing(forest, err);
        else if (b->search)
            status = plant_stump(b, s, forest, err);
        else
            status = pt_grown_plant(&b->grown[s], forest, say_leaf, &as, err);
    }
    for (int64_t s = 0; s < b->columns->ell && b->grown; s++)
        pt_grown_free(&b->grown[s]);
    return status;
}

static int64_t count_unfinished(const column_booster *b)
{
    int64_t count = 0;
    for (int64_t s = 0; s < b->columns->ell; s++)
        count += !b->done[s];
    return count;
}

static pt_status make_round(column_booster *b, pt_forest *forest, pt_error *err)
{
    if (b->search)
        PT_TRY(pt_stump_search_each(b->search, b->first, b->second, b->stump, b->task, err));
    PT_TRY(pt_parallel_for(b->task, b->columns->ell, step_column, b, err));
    return plant(b, forest, err);
}

static pt_status make_rounds(column_booster *b, pt_boost_rows *split, pt_forest *forest,
                             int64_t rounds, pt_error *err)
{
    const int64_t ell = b->columns->ell;
    bool stop = false;
    PT_TRY(pt_parallel_for(b->task, ell, begin_column, b, err));
    for (int64_t t = 0; t < rounds && !stop && count_unfinished(b) > 0; t++) {
        if (t > 0 && pt_task_ends_early(b->task))
            break;
        pt_task_progress_whole(b->task, "boosting", (double)t, (double)rounds);
        PT_TRY(make_round(b, forest, err));
        PT_TRY(pt_boost_rows_round(split, forest, t * ell, (t + 1) * ell, &stop, b->task, err));
        PT_TRY(pt_task_check(b->task, err));
    }
    pt_forest_truncate(forest, pt_boost_rows_best(split) * ell);
    return PT_OK;
}

/* ---- setting up ------------------------------------------------------------------------------ */

static pt_status allocate_columns(column_booster *b, pt_error *err)
{
    const int64_t ell = b->columns->ell;
    b->begin = pt_alloc(ell + 1, sizeof *b->begin, "columns", err);
    b->scale = pt_alloc(ell, sizeof *b->scale, "columns", err);
    b->done = pt_alloc(ell, sizeof *b->done, "columns", err);
    if (!b->begin || !b->scale || !b->done)
        return PT_ENOMEM;
    b->begin[0] = 0;
    for (int64_t s = 0; s < ell; s++)
        b->begin[s + 1] = b->begin[s] + count_examples(b, s);
    b->margin = pt_alloc_zero(b->begin[ell], sizeof *b->margin, "margins", err);
    return b->margin ? PT_OK : PT_ENOMEM;
}

static pt_status allocate_numbers(column_booster *b, pt_error *err)
{
    const int64_t n = b->columns->n;
    const size_t row = (size_t)b->layout.stride * sizeof(double);
    const bool newton = b->rule->rule == PT_STUMP_NEWTON;
    b->first = pt_alloc_zero(n, row, "weights of examples", err);
    b->second = newton ? pt_alloc_zero(n, row, "targets of examples", err) : NULL;
    b->workers = pt_parallel_workers(b->task, b->columns->ell);
    b->rooms = pt_alloc_zero(b->workers, sizeof *b->rooms, "columns", err);
    if (!b->first || (newton && !b->second) || !b->rooms)
        return PT_ENOMEM;
    for (int w = 0; w < b->workers; w++)
        PT_TRY(make_room(&b->rooms[w], n, b->columns->groups, err));
    return PT_OK;
}

static pt_status make_weak(column_booster *b, int64_t bins, pt_error *err)
{
    const int64_t ell = b->columns->ell;
    PT_TRY((b->depth == 1 ? pt_feature_table_init_listed
                          : pt_feature_table_init)(&b->table, b->rows, bins, b->task, err));
    if (b->depth != 1) {
        b->grown = pt_alloc_zero(ell, sizeof *b->grown, "trees", err);
        return b->grown ? PT_OK : PT_ENOMEM;
    }
    const pt_stump_options options = {.rule = b->rule->rule,
                                      .min_leaf = b->min_leaf,
                                      .min_weight = b->min_weight,
                                      .weight = b->columns->weight,
                                      .threads_from = PT_STUMP_THREADS_FROM};
    b->stump = pt_alloc_zero(ell, sizeof *b->stump, "stumps", err);
    return b->stump ? pt_stump_search_new(&b->search, &b->table, &b->stump_columns, &options,
                                          b->task, err)
                    : PT_ENOMEM;
}

static pt_status boost(column_booster *b, pt_boost_rows *split, pt_forest *forest,
                       const pt_params *params, pt_error *err)
{
    pt_status status = sort_rows(b, err);
    if (status == PT_OK)
        status = allocate_columns(b, err);
    if (status == PT_OK)
        status = allocate_numbers(b, err);
    if (status == PT_OK)
        status = make_weak(b, pt_params_integer(params, PT_P_BINS), err);
    pt_task_begin_whole(b->task);
    if (status == PT_OK)
        status = make_rounds(b, split, forest, pt_params_integer(params, PT_P_ROUNDS), err);
    pt_task_end_whole(b->task);
    return status;
}

static pt_stump_columns columns_of_stumps(const pt_columns *columns)
{
    return (pt_stump_columns){.groups = columns->groups,
                              .ell = columns->ell,
                              .pairs = columns->pairs,
                              .sign = columns->sign,
                              .group_of = columns->group_of};
}

int64_t pt_boost_depth(const pt_params *params)
{
    return pt_params_is_auto(params, PT_P_DEPTH) ? 1 : pt_params_integer(params, PT_P_DEPTH);
}

bool pt_boost_counts_leaves(const pt_params *params)
{
    return pt_params_integer(params, PT_P_MIN_LEAF) > 1 ||
           pt_params_real(params, PT_P_MIN_LEAF_WEIGHT) > 0;
}

pt_status pt_boost_columns_fit(pt_boosted *boosted, const pt_rows *rows, const pt_columns *columns,
                               const pt_boost_rule *rule, const pt_params *params,
                               int64_t *unfinished, const pt_task *task, pt_texts *warnings,
                               pt_error *err)
{
    pt_boost_rows split = {0};
    pt_status status = pt_boost_rows_init(
        &split, rows, columns, pt_params_real(params, PT_P_STOP_SHARE),
        pt_params_integer(params, PT_P_PATIENCE), (uint64_t)pt_params_integer(params, PT_P_SEED),
        rule->loss, warnings, err);
    if (status == PT_OK) {
        column_booster b = {.rule = rule,
                            .task = task,
                            .rows = &split.train.rows,
                            .columns = &split.train.columns,
                            .depth = pt_boost_depth(params),
                            .min_leaf = pt_params_integer(params, PT_P_MIN_LEAF),
                            .min_weight = pt_params_real(params, PT_P_MIN_LEAF_WEIGHT)};
        b.stump_columns = columns_of_stumps(b.columns);
        b.layout = pt_stump_columns_layout(&b.stump_columns);
        status = boost(&b, &split, &boosted->forest, params, err);
        if (status == PT_OK && unfinished)
            *unfinished = count_unfinished(&b);
        free_boosting(&b);
    }
    pt_boost_rows_free(&split);
    return status;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Examples of all columns together, at most. */
static double examples(const pt_columns *columns)
{
    const double others = columns->pairs ? (double)columns->groups - 1 : (double)columns->ell;
    return (double)columns->n * others;
}

/* Nodes of a tree, at most: a row in each leaf, or as many leaves as that depth has. */
static double nodes_of_tree(int64_t depth, int64_t n, int64_t min_leaf)
{
    const double by_rows = fmax(1, (double)n / (double)min_leaf - 1);
    return depth > 0 && depth < 60 ? fmin(by_rows, exp2((double)depth) - 1) : by_rows;
}

void pt_boost_columns_plan(const pt_rows *rows, const pt_columns *columns, pt_stump_rule rule,
                           const pt_params *params, const pt_task *task, pt_plan *plan)
{
    const pt_stump_columns stumps = columns_of_stumps(columns);
    const pt_stump_layout layout = pt_stump_columns_layout(&stumps);
    const int64_t bins = pt_params_integer(params, PT_P_BINS);
    const double n = (double)rows->n;
    const bool of_stumps = pt_boost_depth(params) == 1;
    const double d = of_stumps && n > 0 ? (double)pt_rows_stored(rows) / n : (double)rows->d;
    const int workers = pt_parallel_workers(task, columns->ell);
    const double numbers = rule == PT_STUMP_NEWTON ? 16 : 8;
    const double trees = (double)pt_params_integer(params, PT_P_ROUNDS) * (double)columns->ell;
    const double nodes = trees * nodes_of_tree(pt_boost_depth(params), rows->n,
                                               pt_params_integer(params, PT_P_MIN_LEAF));
    const double weak =
        of_stumps ? pt_feature_table_listed_bytes(rows, bins) +
                        pt_stump_search_bytes(&stumps, rows, bins, pt_boost_counts_leaves(params),
                                              pt_task_threads(task))
                  : pt_feature_table_bytes(rows, bins) + pt_grow_bytes(rows, bins, 2, workers);
    plan->bytes = weak + 8 * examples(columns) + numbers * n * (double)layout.stride +
                  workers * n * 8 * (ROOM_ARRAYS + 1) +
                  nodes * (sizeof(pt_node) + 4 * sizeof(double)) +
                  pt_boost_rows_bytes(rows, columns, pt_params_real(params, PT_P_STOP_SHARE));
    plan->flops = 2 * trees / (double)columns->ell * examples(columns) * d;
}
