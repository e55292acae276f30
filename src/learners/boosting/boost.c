/* The rounds of boosting (boost.h), and weak hypotheses: stumps, a test that columns share, trees.
 *
 * Features are binned once for all columns and rounds. A round of stumps takes one pass over D for
 * new weights and one pass for each few features: O(n d ell / vector). A round of trees costs
 * O(n d depth) for each column, rows that take no part not counted; columns grow in parallel, each
 * on one thread, and a single one uses all of them. In exact tables (--bins 0) everything is the
 * textbook's to the bit, with the sums in the order that stump_search.h says; in a histogram the
 * same is true of the bins, so that both are equal where a bin is a value. */
#include "learners/boosting/boost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"

/* --depth; auto: 1, stumps. */
static int64_t depth_of(const pt_params *params)
{
    return pt_params_is_auto(params, PT_P_DEPTH) ? 1 : pt_params_integer(params, PT_P_DEPTH);
}

/* ---- the beginning and the end --------------------------------------------------------------- */

static void drop_trees(pt_booster *b)
{
    for (int64_t s = 0; b->tree && s < b->columns.ell; s++)
        pt_grown_free(&b->tree[s]);
}

static void booster_free(pt_booster *b)
{
    drop_trees(b);
    for (int w = 0; b->room && w < b->workers; w++)
        pt_arena_free(&b->room[w].arena);
    pt_free(b->room);
    pt_free(b->tree);
    pt_grow_groups_free(&b->groups);
    pt_free(b->factors);
    pt_free(b->sums);
    pt_free(b->stump);
    pt_stump_search_free(b->search);
    pt_free(b->second);
    pt_free(b->D);
    pt_feature_table_free(&b->table);
    pt_free(b->adds);
    pt_boost_rows_free(&b->rows);
}

static pt_status begin_stumps(pt_booster *b, const pt_params *params, pt_error *err)
{
    const int64_t cells = PT_BRANCHES * b->columns.ell;
    const pt_stump_options options = {.rule = b->rule->stumps,
                                      .below = b->rule->below,
                                      .min_leaf = pt_params_integer(params, PT_P_MIN_LEAF),
                                      .min_weight = pt_params_real(params, PT_P_MIN_LEAF_WEIGHT),
                                      .weight = b->rows.train.columns.weight,
                                      .threads_from = PT_STUMP_THREADS_FROM};
    PT_TRY(pt_stump_search_new(&b->search, &b->table, &b->columns, &options, b->task, err));
    b->stump = pt_alloc_zero(b->votes, sizeof *b->stump, "stumps", err);
    b->sums = pt_alloc(5 * cells, sizeof(double), "votes", err);
    b->factors = pt_alloc(b->columns.groups * PT_BRANCHES,
                          (size_t)b->layout.stride * sizeof(double), "weights of boosting", err);
    if (!b->stump || !b->sums || !b->factors)
        return PT_ENOMEM;
    b->value = b->sums + 2 * cells;
    b->plus = b->value + cells;
    b->minus = b->plus + cells;
    return PT_OK;
}

static pt_status begin_trees(pt_booster *b, const pt_params *params, pt_error *err)
{
    const pt_columns *columns = &b->rows.train.columns;
    const bool newton = b->rule->stumps == PT_STUMP_NEWTON;
    b->workers = pt_parallel_workers(b->task, columns->ell);
    PT_TRY(PT_NEW_ZERO(b->tree, columns->ell, "trees", err));
    PT_TRY(PT_NEW_ZERO(b->room, b->workers, "columns", err));
    for (int w = 0; w < b->workers; w++) {
        pt_boost_room *room = &b->room[w];
        PT_TRY(PT_ARENA(&room->arena, "columns", err, PT_PIECE(room->class, columns->groups),
                        PT_PIECE(room->slot, columns->groups),
                        PT_PIECE(room->target, newton ? columns->n : 0)));
    }
    b->problem = (pt_grow_problem){.table = &b->table,
                                   .group_of = columns->group_of,
                                   .groups = &b->groups,
                                   .k = newton ? 1 : 2,
                                   .weight = b->D,
                                   .weight_stride = b->layout.stride,
                                   .criterion = b->rule->criterion,
                                   .depth = depth_of(params),
                                   .min_leaf = pt_params_integer(params, PT_P_MIN_LEAF),
                                   .min_weight = pt_params_real(params, PT_P_MIN_LEAF_WEIGHT),
                                   .by_mass = true,
                                   .mass = columns->weight};
    return PT_OK;
}

/* *out <- numbers of every row, all 0. */
static pt_status new_of_rows(double **out, const pt_booster *b, const char *what, pt_error *err)
{
    const int64_t n = b->rows.train.columns.n;
    const size_t a_row = (size_t)b->layout.stride * sizeof(double);
    *out = pt_alloc(n, a_row, what, err);
    return *out ? pt_task_clear(b->task, *out, (size_t)n * a_row, err) : PT_ENOMEM;
}

static pt_status booster_init(pt_booster *b, const pt_rows *rows, const pt_columns *columns,
                              const pt_params *params, const pt_task *task, pt_warnings *warnings,
                              pt_error *err)
{
    const bool trees = b->weak == PT_WEAK_TREES;
    PT_TRY(pt_boost_rows_init(&b->rows, rows, columns, pt_params_real(params, PT_P_STOP_SHARE),
                              pt_params_integer(params, PT_P_PATIENCE),
                              (uint64_t)pt_params_integer(params, PT_P_SEED), b->rule->loss,
                              warnings, task, err));
    const pt_columns *c = &b->rows.train.columns;
    b->columns = (pt_stump_columns){c->groups, c->ell, c->pairs, c->sign, c->group_of};
    b->layout = pt_stump_columns_layout(&b->columns);
    b->votes = b->weak == PT_WEAK_SHARED ? 1 : c->ell;
    PT_TRY((trees ? pt_feature_table_init : pt_feature_table_init_listed)(
        &b->table, &b->rows.train.rows, pt_params_integer(params, PT_P_BINS), b->task, err));
    PT_TRY(pt_grow_groups_init(&b->groups, c->group_of, c->n, c->groups, err));
    PT_TRY(new_of_rows(&b->D, b, "weights of boosting", err));
    if (b->rule->stumps == PT_STUMP_NEWTON)
        PT_TRY(new_of_rows(&b->second, b, "targets of boosting", err));
    PT_TRY(PT_NEW_ZERO(b->adds, 2 * b->votes, "columns", err));
    b->done = b->adds + b->votes;
    return trees ? begin_trees(b, params, err) : begin_stumps(b, params, err);
}

/* ---- stumps ---------------------------------------------------------------------------------- */

/* factors <- plus and minus of the columns, for each group by its signs. */
static void put_factors(pt_booster *b)
{
    const int64_t stride = b->layout.stride;
    for (int64_t g = 0; g < b->columns.groups; g++)
        for (int64_t q = 0; q < stride; q++) {
            int sign = 0;
            const int64_t s = q < b->layout.width ? pt_stump_column(&b->columns, g, q, &sign) : -1;
            for (int branch = 0; branch < PT_BRANCHES; branch++)
                b->factors[(g * PT_BRANCHES + branch) * stride + q] =
                    sign == 0  ? 1
                    : sign > 0 ? b->plus[s * PT_BRANCHES + branch]
                               : b->minus[s * PT_BRANCHES + branch];
        }
}

static pt_status fail_known(const pt_booster *b, pt_error *err)
{
    return pt_fail(err, PT_EINVAL,
                   "`start`: round %lld of the model does not come of these rows and weights; "
                   "boosting goes on with those that it was trained on",
                   (long long)b->round + 1);
}

/* *stump <- that of tree `tree` of a round that was made before; false: it is none of these rows. A
 * leaf: there is none. */
static bool read_stump(const pt_booster *b, int64_t tree, pt_stump *stump)
{
    const pt_forest *forest = b->known;
    const int64_t root = forest->root[tree];
    *stump = (pt_stump){.test = {.feature = -1}};
    if (root < 0)
        return true;
    for (int branch = 0; branch < PT_BRANCHES; branch++)
        if (forest->node[root].child[branch] >= 0)
            return false;
    return pt_test_of_split(&stump->test, &b->table, forest, &forest->node[root].split);
}

/* Whether the votes of the round are those that the model has. */
static bool is_as_known(const pt_booster *b, int64_t v)
{
    const pt_forest *forest = b->known;
    const int64_t columns = b->weak == PT_WEAK_SHARED ? b->columns.ell : 1;
    const int64_t root = forest->root[b->known_from + v];
    for (int branch = 0; branch < (root < 0 ? 1 : PT_BRANCHES); branch++) {
        const int64_t child = root < 0 ? root : forest->node[root].child[branch];
        const double *value = forest->value + (-1 - child) * forest->width;
        for (int64_t s = 0; s < columns; s++)
            if (value[s] != b->value[(v * columns + s) * PT_BRANCHES + branch])
                return false;
    }
    return b->adds[v] == (root >= 0);
}

/* The stumps of a round that was made before, with their sums; rows are weighed by those before. */
static pt_status recall_stumps(pt_booster *b, pt_error *err)
{
    const bool shared = b->weak == PT_WEAK_SHARED;
    if (b->rule->reweighs && b->round > 0) {
        put_factors(b);
        PT_TRY(pt_stump_search_change(b->search, b->factors, b->D, b->stump, shared, b->task, err));
    }
    for (int64_t v = 0; v < b->votes; v++)
        if (!read_stump(b, b->known_from + v, &b->stump[v]))
            return fail_known(b, err);
    return pt_stump_search_known(b->search, b->D, b->second, b->stump, shared ? b->sums : NULL,
                                 b->task, err);
}

/* The stumps of the round. A rule that reweighs left its factors; the search multiplies D by them
 * while it reads it. */
static pt_status find_stumps(pt_booster *b, pt_error *err)
{
    const bool next = b->rule->reweighs && b->round > 0;
    if (b->known)
        return recall_stumps(b, err);
    if (next)
        put_factors(b);
    double *sums = b->weak == PT_WEAK_SHARED ? b->sums : NULL;
    if (next)
        return pt_stump_search_next(b->search, b->factors, b->D, b->stump, sums, b->task, err);
    return sums ? pt_stump_search_shared(b->search, b->D, b->second, b->stump, sums, b->task, err)
                : pt_stump_search_each(b->search, b->D, b->second, b->stump, b->task, err);
}

static pt_status step_stump(void *context, int64_t v, int worker, pt_error *err)
{
    pt_booster *b = context;
    const int64_t cells = PT_BRANCHES * (b->weak == PT_WEAK_SHARED ? b->columns.ell : 1);
    b->adds[v] = false;
    if (!b->done[v] && b->stump[v].test.feature >= 0)
        PT_TRY(b->rule->step(b, v, worker, err));
    else
        b->done[v] = true;
    if (!b->adds[v]) {
        b->stump[v] = (pt_stump){.test = {.feature = -1}};
        for (int64_t at = v * cells; at < (v + 1) * cells; at++) {
            b->value[at] = 0;
            b->plus[at] = b->minus[at] = 1;
        }
    }
    return b->known && !is_as_known(b, v) ? fail_known(b, err) : PT_OK;
}

/* By how much the stump of column s, or the test that all share, lowered what it was found by. */
static double stump_gain(const pt_booster *b, int64_t s)
{
    const int64_t ell = b->weak == PT_WEAK_SHARED ? b->columns.ell : 1;
    double before = 0; /* without a test: all rows in one branch */
    for (int64_t c = 0; c < ell; c++) {
        double first = 0;
        double second = 0;
        for (int branch = 0; branch < PT_BRANCHES; branch++) {
            const double *sum = b->weak == PT_WEAK_SHARED ? b->sums + 2 * (c * PT_BRANCHES + branch)
                                                          : b->stump[s].sum[branch];
            first += sum[0];
            second += sum[1];
        }
        before += b->rule->stumps == PT_STUMP_DISCRETE     ? fabs(first - second)
                  : b->rule->stumps == PT_STUMP_CONFIDENCE ? -sqrt(fmax(first * second, 0))
                  : first > 0                              ? second * second / first
                                                           : 0;
    }
    const double gain = b->stump[s].gain - before;
    return gain > 0 && isfinite(gain) ? gain : 0;
}

static pt_status plant_stump(const pt_booster *b, int64_t s, const double *value, pt_forest *forest,
                             pt_error *err)
{
    PT_TRY(pt_stump_plant(&b->table, &b->stump[s], value, forest, err));
    if (b->stump[s].test.feature >= 0)
        pt_forest_set_gain(forest, forest->n_nodes - 1, stump_gain(b, s));
    return PT_OK;
}

static pt_status plant_stumps(const pt_booster *b, pt_forest *forest, pt_error *err)
{
    if (b->weak == PT_WEAK_STUMPS) {
        for (int64_t s = 0; s < b->votes; s++)
            PT_TRY(plant_stump(b, s, b->value + s * PT_BRANCHES, forest, err));
        return PT_OK;
    }
    const int64_t ell = b->columns.ell; /* leaves of a forest have their columns side by side */
    PT_SCRATCH double *value = pt_alloc(PT_BRANCHES * ell, sizeof *value, "votes", err);
    if (!value)
        return PT_ENOMEM;
    for (int64_t s = 0; s < ell; s++)
        for (int branch = 0; branch < PT_BRANCHES; branch++)
            value[branch * ell + s] = b->value[s * PT_BRANCHES + branch];
    return plant_stump(b, 0, value, forest, err);
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* Whether a tree of the model is a single leaf that says 0: its column was done. */
static bool says_nothing(const pt_forest *forest, int64_t tree)
{
    const int64_t root = forest->root[tree];
    return root < 0 && forest->value[-1 - root] == 0;
}

/* Whether the leaves, which know their rows, say what those of the model do. */
static bool leaves_as_known(const pt_booster *b, int64_t s)
{
    const pt_grown *tree = &b->tree[s];
    const int64_t number = b->known_from + s;
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        const pt_grown_node *node = &tree->node[id];
        if (node->feature >= 0)
            continue;
        const int64_t leaf =
            pt_forest_leaf(b->known, number, &b->rows.train.rows, tree->row[node->first]);
        if (b->known->value[leaf] != tree->sum[id * tree->sums])
            return false;
    }
    return b->adds[s];
}

static pt_status grow_tree(pt_booster *b, int64_t s, pt_boost_room *room, pt_error *err)
{
    const pt_columns *columns = &b->rows.train.columns;
    const bool newton = b->rule->stumps == PT_STUMP_NEWTON;
    pt_grow_problem problem = b->problem;
    int64_t p = 0;
    int64_t q = 0;
    if (columns->pairs)
        pt_pairs_at(columns->groups, s, &p, &q);
    for (int64_t g = 0; g < columns->groups; g++) {
        const int sign = columns->pairs ? (g == p) - (g == q) : pt_columns_sign(columns, g, s);
        room->class[g] = sign == 0 ? -1 : newton ? 0 : sign > 0;
        room->slot[g] = !columns->pairs ? s : g == p ? q : p;
        for (int64_t at = b->groups.start[g]; newton && sign && at < b->groups.start[g + 1]; at++) {
            const int64_t i = b->groups.row[at];
            const int64_t place = i * b->layout.stride + room->slot[g];
            room->target[i] = b->D[place] > 0 ? b->second[place] / b->D[place] : 0;
        }
    }
    problem.class_of_group = room->class;
    problem.slot_of_group = room->slot;
    problem.target = newton ? room->target : NULL;
    if (!b->known)
        return pt_grow(&b->tree[s], &problem, b->task, err);
    bool fits = false;
    PT_TRY(pt_grow_known(&b->tree[s], &problem, b->known, b->known_from + s, &b->rows.train.rows,
                         &fits, b->task, err));
    return fits ? PT_OK : fail_known(b, err);
}

static pt_status grow_and_step(void *context, int64_t s, int worker, pt_error *err)
{
    pt_booster *b = context;
    b->adds[s] = false;
    b->done[s] = b->done[s] || (b->known && says_nothing(b->known, b->known_from + s));
    if (b->done[s])
        return PT_OK;
    PT_TRY(grow_tree(b, s, &b->room[worker], err));
    PT_TRY(b->rule->step(b, s, worker, err));
    if (b->known && !leaves_as_known(b, s))
        return fail_known(b, err);
    pt_grown_drop_rows(&b->tree[s]);
    return PT_OK;
}

static pt_status plant_trees(const pt_booster *b, pt_forest *forest, pt_error *err)
{
    const double nothing = 0;
    for (int64_t s = 0; s < b->votes; s++) {
        int64_t leaf = 0;
        if (b->adds[s]) {
            PT_TRY(pt_grown_plant(&b->tree[s], forest, pt_leaf_first, NULL, err));
            continue;
        }
        PT_TRY(pt_forest_add_leaf(forest, &nothing, &leaf, err));
        PT_TRY(pt_forest_add_tree(forest, leaf, err));
    }
    return PT_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static int64_t count(const bool *flag, int64_t n)
{
    int64_t set = 0;
    for (int64_t v = 0; v < n; v++)
        set += flag[v];
    return set;
}

/* The weak hypotheses of a round, and the rule's step with each. */
static pt_status make_round(pt_booster *b, pt_error *err)
{
    const bool trees = b->weak == PT_WEAK_TREES;
    const pt_parallel_fn body = trees ? grow_and_step : step_stump;
    drop_trees(b);
    if (!trees)
        PT_TRY(find_stumps(b, err));
    if (b->votes > 1 && (trees || !b->rule->reweighs)) /* votes are made before threads are awake */
        return pt_parallel_for(b->task, b->votes, body, b, err);
    for (int64_t v = 0; v < b->votes; v++)
        PT_TRY(body(b, v, 0, err));
    return PT_OK;
}

static pt_status make_rounds(pt_booster *b, pt_forest *forest, int64_t rounds, pt_error *err)
{
    const int64_t known = forest->n_trees / b->votes; /* that there are already */
    bool stop = false;
    if (known > rounds)
        return pt_fail(err, PT_EINVAL,
                       "`rounds` is %lld, and `start` has %lld already, which count among them",
                       (long long)rounds, (long long)known);
    PT_TRY(b->rule->begin(b, err));
    for (int64_t t = 0; t < rounds && !stop && count(b->done, b->votes) < b->votes; t++) {
        if (t > 0 && t >= known && pt_task_ends_early(b->task))
            break;
        pt_task_progress_whole(b->task, "boosting", (double)t, (double)rounds);
        PT_TRY(pt_task_check(b->task, err));
        b->round = t;
        b->known = t < known ? forest : NULL;
        b->known_from = t * b->votes;
        PT_TRY(make_round(b, err));
        if (count(b->adds, b->votes) == 0)
            break;
        if (!b->known)
            PT_TRY((b->tree ? plant_trees : plant_stumps)(b, forest, err));
        PT_TRY(pt_boost_rows_round(&b->rows, forest, t * b->votes, (t + 1) * b->votes, &stop,
                                   b->task, err));
    }
    pt_forest_truncate(forest, pt_boost_rows_best(&b->rows) * b->votes);
    return PT_OK;
}

pt_status pt_boost(pt_forest *forest, const pt_rows *rows, const pt_columns *columns,
                   const pt_boost_rule *rule, pt_boost_weak weak, const pt_params *params,
                   int64_t *unfinished, const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    PT_FREED_BY(booster_free) pt_booster b = {.rule = rule, .task = task, .weak = weak};
    PT_TRY(booster_init(&b, rows, columns, params, task, warnings, err));
    pt_task_begin_whole(task);
    const pt_status status = make_rounds(&b, forest, pt_params_integer(params, PT_P_ROUNDS), err);
    pt_task_end_whole(task);
    if (unfinished)
        *unfinished = b.votes - count(b.done, b.votes);
    return status;
}

pt_boost_weak pt_boost_weak_of(const pt_params *params)
{
    return depth_of(params) == 1 ? PT_WEAK_STUMPS : PT_WEAK_TREES;
}

pt_status pt_boost_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                       const pt_boost_rule *rule, const pt_params *params, int64_t *unfinished,
                       const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    pt_boosted *m = (pt_boosted *)learner;
    PT_TRY(pt_boosted_init(m, rows, columns->ell, err));
    if (columns->start)
        PT_TRY(pt_boosted_take(m, columns->start->learner, err));
    return pt_boost(&m->forest, rows, columns, rule, pt_boost_weak_of(params), params, unfinished,
                    task, warnings, err);
}

/* ---- the plan -------------------------------------------------------------------------------- */

void pt_boost_plan(const pt_rows *rows, const pt_columns *columns, const pt_boost_rule *rule,
                   pt_boost_weak weak, const pt_params *params, const pt_task *task, pt_plan *plan)
{
    const pt_stump_columns c = {columns->groups, columns->ell, columns->pairs, NULL, NULL};
    const pt_stump_layout layout = pt_stump_columns_layout(&c);
    const bool trees = weak == PT_WEAK_TREES;
    const bool counts_leaves = pt_params_integer(params, PT_P_MIN_LEAF) > 1 ||
                               pt_params_real(params, PT_P_MIN_LEAF_WEIGHT) > 0;
    const int64_t bins = pt_params_integer(params, PT_P_BINS);
    const int64_t depth = depth_of(params);
    const double n = (double)rows->n;
    const double ell = (double)columns->ell;
    const double stride = (double)layout.stride;
    const double rounds = (double)pt_params_integer(params, PT_P_ROUNDS);
    const double numbers = rule->stumps == PT_STUMP_NEWTON ? 2 : 1;
    const int workers = pt_parallel_workers(task, columns->ell);
    /* rows that take part, in all columns; one leaf for four of them is already a bad tree */
    const double examples = n * (columns->pairs ? (double)columns->groups - 1 : ell);
    const double tests =
        !trees ? (weak == PT_WEAK_SHARED ? 1 : ell)
               : fmin(depth > 0 && depth < 40 ? ldexp(ell, (int)depth) : INFINITY, examples / 4);
    const double leaves = trees ? tests + ell : PT_BRANCHES * ell;
    plan->bytes = sizeof(double) * (numbers * n * stride + n) +
                  pt_boost_rows_bytes(rows, columns, pt_params_real(params, PT_P_STOP_SHARE)) +
                  2 * rounds * (tests * sizeof(pt_node) + sizeof(double) * (leaves + ell));
    if (trees)
        plan->bytes += pt_feature_table_bytes(rows, bins) + pt_grow_bytes(rows, bins, 2, workers) +
                       100 * tests + 8 * numbers * n * workers;
    else
        plan->bytes += pt_feature_table_listed_bytes(rows, bins) +
                       pt_stump_search_bytes(&c, rows, bins, counts_leaves,
                                             pt_parallel_workers(task, rows->d)) +
                       ell * sizeof(pt_stump) + sizeof(double) * 5 * PT_BRANCHES * ell +
                       sizeof(double) * PT_BRANCHES * (double)columns->groups * stride;
    if (!rule->reweighs)
        plan->bytes += pt_margin_rule_bytes(columns, workers);
    /* cells that are looked at, and rows for their weights; a cell of a tree costs eight */
    plan->flops = trees ? 8 * rounds * examples * (double)rows->d * (double)(depth > 0 ? depth : 10)
                        : numbers * rounds * stride * ((double)pt_rows_stored(rows) + 2 * n);
}
