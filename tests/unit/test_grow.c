/* Trees against a slow splitter that tries every cut, every set of levels and both sides for
 * missing cells, and against every pruning. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/task.h"
#include "polytomy/polytomy.h"
#include "trees/grow.h"

/* ---- problems ----------------------------------------------------------------------------------
 */

enum { N = 70, D = 5, MOST = 60000 };

typedef struct field {
    int64_t n;
    int64_t k;
    double *x; /* n x D */
    int64_t levels[D];
    int64_t *class;
    double *weight;
    double *target;
} field;

static void *room(int64_t count, size_t size)
{
    void *block = calloc((size_t)count, size);
    assert_non_null(block);
    return block;
}

/* Numbers with few values and with many, levels few and several, some cells missing. */
static field make_field(int64_t n, int64_t k, int64_t several, bool whole_weights, uint64_t seed)
{
    field f = {.n = n, .k = k, .levels = {0, 0, 4, several, 0}};
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    f.x = room(n * D, sizeof *f.x);
    f.class = room(n, sizeof *f.class);
    f.weight = room(n, sizeof *f.weight);
    f.target = room(n, sizeof *f.target);
    for (int64_t i = 0; i < n; i++) {
        double *x = f.x + i * D;
        x[0] = (double)pt_random_below(&random, 6);
        x[1] = pt_random_normal(&random);
        x[2] = (double)pt_random_below(&random, 4);
        x[3] = (double)pt_random_below(&random, several);
        x[4] = (double)pt_random_below(&random, 5) / 4;
        const double score =
            x[0] + 2 * x[1] + (x[2] == 1 || x[2] == 3 ? 3 : 0) + 2 * pt_random_normal(&random);
        const int64_t side = (int64_t)floor(fabs(score));
        f.class[i] = side % k;
        f.target[i] = score;
        f.weight[i] = whole_weights ? 1 + (double)pt_random_below(&random, 3)
                                    : 0.1 + pt_random_uniform(&random);
        for (int64_t j = 1; j < 4; j++)
            if (pt_random_below(&random, 8) == 0)
                x[j] = NAN;
    }
    return f;
}

static void free_field(field *f)
{
    free(f->x);
    free(f->class);
    free(f->weight);
    free(f->target);
}

static pt_rows rows_of(const field *f)
{
    return (pt_rows){
        .n = f->n, .d = D, .type = PT_F64, .dense = f->x, .stride = D, .levels = f->levels};
}

static pt_feature_table table_of(const field *f, int64_t bins)
{
    pt_feature_table table;
    pt_error err = PT_ERROR_INIT;
    const pt_rows rows = rows_of(f);
    if (pt_feature_table_init(&table, &rows, bins, NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    return table;
}

static pt_grow_problem problem_of(const field *f, const pt_feature_table *table,
                                  pt_criterion criterion)
{
    return (pt_grow_problem){.table = table,
                             .group_of = f->class,
                             .k = f->k,
                             .weight = f->weight,
                             .target = criterion == PT_CRITERION_SQUARES ? f->target : NULL,
                             .criterion = criterion,
                             .min_leaf = 1};
}

static pt_grown grow(const pt_grow_problem *problem, int threads)
{
    pt_grown tree = {0};
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_threads(task, threads);
    if (pt_grow(&tree, problem, task, &err) != PT_OK)
        fail_msg("%s", err.text);
    pt_task_free(task);
    return tree;
}

/* ---- the slow splitter -------------------------------------------------------------------------
 */

static double x_log_x(double x)
{
    return x > 0 ? x * log(x) : 0;
}

/* By the definitions of trees/impurity.h. */
static double impurity(pt_criterion criterion, const double *sum, int64_t sums)
{
    double W = 0;
    double value = 0;
    for (int64_t c = 0; c < sums; c++)
        W += sum[c];
    if (criterion == PT_CRITERION_SQUARES)
        return sum[0] > 0 ? -sum[1] * sum[1] / sum[0] : 0;
    for (int64_t c = 0; c < sums; c++)
        value += criterion == PT_CRITERION_ENTROPY ? -x_log_x(sum[c])
                 : criterion == PT_CRITERION_GINI  ? -sum[c] * sum[c] / (W > 0 ? W : 1)
                                                   : sqrt(fmax(sum[c] * (W - sum[c]), 0));
    return value + (criterion == PT_CRITERION_ENTROPY ? x_log_x(W)
                    : criterion == PT_CRITERION_GINI  ? W
                                                      : 0);
}

typedef struct slow {
    const field *f;
    pt_criterion criterion;
    int64_t sums;
    int64_t min_leaf;
    double min_weight; /* by mass */
    const double *mass;
    const int32_t *row;
    int64_t m;
    double best; /* INFINITY: there is no split */
} slow;

/* in[i]: whether row i of the node is on the one side. */
static void try_sides(slow *s, const bool *in)
{
    double side[2][16] = {{0}};
    int64_t count[2] = {0, 0};
    double mass[2] = {0, 0};
    for (int64_t i = 0; i < s->m; i++) {
        const int64_t at = s->row[i];
        mass[in[i]] += s->mass ? s->mass[at] : 1;
        double *sum = side[in[i]];
        count[in[i]]++;
        if (s->criterion == PT_CRITERION_SQUARES) {
            sum[0] += s->f->weight[at];
            sum[1] += s->f->weight[at] * s->f->target[at];
        } else {
            sum[s->f->class[at]] += s->f->weight[at];
        }
    }
    if (count[0] < s->min_leaf || count[1] < s->min_leaf || fmin(mass[0], mass[1]) < s->min_weight)
        return;
    const double value =
        impurity(s->criterion, side[0], s->sums) + impurity(s->criterion, side[1], s->sums);
    s->best = fmin(s->best, value);
}

/* A number's cuts, or a level's sets as the bits of `set`, missing cells on either side. */
static void try_test(slow *s, int64_t j, double cut, int64_t set)
{
    bool in[N + 100];
    for (int missing_in = 0; missing_in < 2; missing_in++) {
        for (int64_t i = 0; i < s->m; i++) {
            const double x = s->f->x[s->row[i] * D + j];
            in[i] = isnan(x) ? missing_in : s->f->levels[j] > 0 ? set >> (int64_t)x & 1 : x <= cut;
        }
        try_sides(s, in);
    }
}

static void try_everything(slow *s)
{
    s->best = INFINITY;
    for (int64_t j = 0; j < D; j++) {
        for (int64_t set = 0; s->f->levels[j] > 0 && set < (int64_t)1 << s->f->levels[j]; set++)
            try_test(s, j, 0, set);
        for (int64_t i = 0; s->f->levels[j] == 0 && i < s->m; i++)
            try_test(s, j, s->f->x[s->row[i] * D + j], 0);
        if (s->f->levels[j] == 0)
            try_test(s, j, INFINITY, 0);
    }
}

static int branch_of(const pt_grown *tree, const pt_grown_node *node, double x)
{
    if (isnan(x))
        return PT_BRANCH_MISSING;
    if (node->set >= 0)
        return tree->words[node->set + (int64_t)x / 64] >> ((int64_t)x % 64) & 1 ? PT_BRANCH_IN
                                                                                 : PT_BRANCH_OUT;
    return x <= node->cut ? PT_BRANCH_IN : PT_BRANCH_OUT;
}

/* The rows of a node are those that its parent's test sends there. */
static void expect_rows(const field *f, const pt_grown *tree, const pt_grown_node *node)
{
    for (int64_t i = node->first; i < node->first + node->count; i++) {
        const double x = f->x[tree->row[i] * D + node->feature];
        const int64_t child = node->child[branch_of(tree, node, x)];
        const pt_grown_node *to = &tree->node[child];
        assert_true(i >= to->first && i < to->first + to->count);
    }
}

static int64_t other_child(const pt_grown_node *node)
{
    return node->child[1] != node->child[0] ? node->child[1] : node->child[2];
}

/* Every node has the best split that there is, or is a leaf for a reason. */
static void expect_best_splits(const field *f, const pt_grown *tree, const pt_grow_problem *problem)
{
    const double *sum = tree->sum;
    const int64_t sums = tree->sums;
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        const pt_grown_node *node = &tree->node[id];
        slow s = {.f = f,
                  .criterion = problem->criterion,
                  .sums = sums,
                  .min_leaf = problem->min_leaf,
                  .min_weight = problem->by_mass ? problem->min_weight : 0,
                  .mass = problem->mass,
                  .row = tree->row + node->first,
                  .m = node->count};
        const double here = impurity(s.criterion, sum + id * sums, sums);
        try_everything(&s);
        if (node->feature < 0) {
            if (s.criterion == PT_CRITERION_SQUARES)
                assert_true(s.best == INFINITY || s.best > here - 1e-9);
            else
                assert_true(s.best == INFINITY || here < 1e-9);
            continue;
        }
        const double ours = impurity(s.criterion, sum + node->child[0] * sums, sums) +
                            impurity(s.criterion, sum + other_child(node) * sums, sums);
        if (!(fabs(ours - s.best) <= 1e-9 * (1 + fabs(s.best))))
            fail_msg(
                "criterion %d, k %d, feature %d, node %lld of %lld rows: %.15g, there is %.15g",
                (int)s.criterion, (int)f->k, (int)node->feature, (long long)id,
                (long long)node->count, ours, s.best);
        assert_true(ours <= here + 1e-9 * (1 + fabs(here)));
        assert_true(tree->node[node->child[0]].count >= problem->min_leaf);
        assert_true(tree->node[other_child(node)].count >= problem->min_leaf);
        expect_rows(f, tree, node);
    }
}

static void test_grow__every_split_is_the_best(void **state)
{
    (void)state;
    for (int c = 0; c < PT_CRITERIA; c++)
        for (int64_t k = 2; k <= 4; k += 2)
            for (int q = 0; q < 6; q++) {
                /* more than eight levels are tried out where one order is enough only */
                const bool one_order = (k == 2 || c == PT_CRITERION_SQUARES) && q < 2;
                const int64_t several = one_order ? 9 : 6;
                field f = make_field(N, k, several, q % 2, (uint64_t)(100 * c + 10 * k + q));
                pt_feature_table table = table_of(&f, 0);
                pt_grow_problem problem = problem_of(&f, &table, (pt_criterion)c);
                problem.min_leaf = 1 + q / 2 * 3;
                pt_grown tree = grow(&problem, 1);
                assert_true(tree.n_nodes > 5);
                expect_best_splits(&f, &tree, &problem);
                pt_grown_free(&tree);
                pt_feature_table_free(&table);
                free_field(&f);
            }
}

/* The least weight of a leaf may be of another weight than that of the criterion. */
static void test_grow__leaves_have_their_mass(void **state)
{
    (void)state;
    double mass[N];
    for (int64_t i = 0; i < N; i++)
        mass[i] = (double)(1 + i * 7 % 5);
    for (int c = 0; c < PT_CRITERIA; c++)
        for (int q = 0; q < 4; q++)
            for (int64_t bins = 0; bins < 20; bins += 16) {
                field f = make_field(N, 2 + q / 2 * 2, 6, q % 2, (uint64_t)(100 * c + q));
                pt_feature_table table = table_of(&f, bins);
                pt_grow_problem problem = problem_of(&f, &table, (pt_criterion)c);
                problem.by_mass = true;
                problem.min_weight = 12;
                problem.mass = q % 2 ? mass : NULL;
                pt_grown tree = grow(&problem, 1);
                assert_true(tree.n_nodes > 3);
                if (bins == 0)
                    expect_best_splits(&f, &tree, &problem);
                for (int64_t id = 0; id < tree.n_nodes; id++) {
                    double sum = 0;
                    const pt_grown_node *node = &tree.node[id];
                    for (int64_t i = node->first; i < node->first + node->count; i++)
                        sum += problem.mass ? mass[tree.row[i]] : 1;
                    assert_true(sum >= 12);
                }
                pt_grown_free(&tree);
                pt_feature_table_free(&table);
                free_field(&f);
            }
}

/* Nine levels and more of three classes: what sets one class apart is found. */
static void test_grow__a_class_is_set_apart_among_many_levels(void **state)
{
    (void)state;
    enum { LEVELS = 100 };
    const int64_t levels[1] = {LEVELS};
    double x[3 * LEVELS];
    int64_t class[3 * LEVELS];
    for (int64_t i = 0; i < 3 * LEVELS; i++) {
        x[i] = (double)(i % LEVELS);
        class[i] = i % LEVELS % 7 == 3 ? 2 : i / LEVELS % 2;
    }
    const pt_rows rows = {
        .n = 3 * LEVELS, .d = 1, .type = PT_F64, .dense = x, .stride = 1, .levels = levels};
    pt_feature_table table;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_feature_table_init(&table, &rows, 0, NULL, &err), PT_OK);
    for (int c = 0; c < PT_CRITERION_SQUARES; c++) {
        const pt_grow_problem problem = {.table = &table,
                                         .group_of = class,
                                         .k = 3,
                                         .criterion = (pt_criterion)c,
                                         .depth = 1,
                                         .min_leaf = 1};
        pt_grown tree = grow(&problem, 1);
        assert_int_equal(tree.n_nodes, 3);
        int alone = 0;
        for (int child = 1; child < 3; child++)
            alone += tree.sum[child * 3] == 0 && tree.sum[child * 3 + 1] == 0;
        assert_int_equal(alone, 1);
        pt_grown_free(&tree);
    }
    pt_feature_table_free(&table);
}

/* ---- subsets -----------------------------------------------------------------------------------
 */

/* Levels 0 and 3 of five are one class: one test on the raw column, but no test of one level. */
static void test_grow__a_set_is_worth_several_columns(void **state)
{
    (void)state;
    enum { ROWS = 50, LEVELS = 5 };
    const int64_t levels[1] = {LEVELS};
    double raw[ROWS];
    double hot[ROWS * LEVELS] = {0};
    int64_t class[ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        raw[i] = (double)(i % LEVELS);
        hot[i * LEVELS + i % LEVELS] = 1;
        class[i] = i % LEVELS == 0 || i % LEVELS == 3;
    }
    for (int encoded = 0; encoded < 2; encoded++) {
        const pt_rows rows = {.n = ROWS,
                              .d = encoded ? LEVELS : 1,
                              .type = PT_F64,
                              .dense = encoded ? hot : raw,
                              .stride = encoded ? LEVELS : 1,
                              .levels = encoded ? NULL : levels};
        pt_feature_table table;
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(pt_feature_table_init(&table, &rows, 0, NULL, &err), PT_OK);
        const pt_grow_problem problem = {.table = &table,
                                         .group_of = class,
                                         .k = 2,
                                         .criterion = PT_CRITERION_GINI,
                                         .depth = 1,
                                         .min_leaf = 1};
        pt_grown tree = grow(&problem, 1);
        double wrong = 0;
        for (int child = 1; child < 3; child++)
            wrong += fmin(tree.sum[child * 2], tree.sum[child * 2 + 1]);
        assert_int_equal((int)wrong, encoded ? ROWS / LEVELS : 0);
        pt_grown_free(&tree);
        pt_feature_table_free(&table);
    }
}

/* ---- missing cells -----------------------------------------------------------------------------
 */

static pt_grown grow_numbers(const double *x, const int64_t *class, int64_t n, int64_t depth)
{
    const pt_rows rows = {.n = n, .d = 1, .type = PT_F64, .dense = x, .stride = 1};
    pt_feature_table table;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_feature_table_init(&table, &rows, 0, NULL, &err), PT_OK);
    const pt_grow_problem problem = {.table = &table,
                                     .group_of = class,
                                     .k = 2,
                                     .criterion = PT_CRITERION_ENTROPY,
                                     .depth = depth,
                                     .min_leaf = 1};
    pt_grown tree = grow(&problem, 1);
    pt_feature_table_free(&table);
    return tree;
}

static void test_grow__missing_cells_go_where_they_belong(void **state)
{
    (void)state;
    const double with_high[] = {1, 2, 3, 4, 5, NAN};
    const int64_t high[] = {0, 0, 0, 1, 1, 1};
    const double alone[] = {1, 2, 3, NAN, NAN};
    const int64_t known[] = {0, 0, 0, 1, 1};
    const double none[] = {1, 2, 3, 4, 5};
    const int64_t more_below[] = {0, 0, 0, 1, 1};
    pt_grown tree = grow_numbers(with_high, high, 6, 1);
    assert_true(tree.node[0].cut == 3.5);
    assert_int_equal(tree.node[0].child[PT_BRANCH_MISSING], tree.node[0].child[PT_BRANCH_OUT]);
    pt_grown_free(&tree);
    tree = grow_numbers(alone, known, 5, 1); /* known against missing */
    assert_int_equal(tree.node[0].child[PT_BRANCH_IN], tree.node[0].child[PT_BRANCH_OUT]);
    assert_true(tree.node[0].child[PT_BRANCH_MISSING] != tree.node[0].child[PT_BRANCH_IN]);
    assert_int_equal(tree.node[tree.node[0].child[PT_BRANCH_IN]].count, 3);
    pt_grown_free(&tree);
    tree = grow_numbers(none, more_below, 5, 1); /* none seen: to the larger side */
    assert_int_equal(tree.node[0].child[PT_BRANCH_MISSING], tree.node[0].child[PT_BRANCH_IN]);
    pt_grown_free(&tree);
}

/* Parity gains nothing with the first test, and is learned all the same. */
static void test_grow__parity_is_learned(void **state)
{
    (void)state;
    const double x[] = {0, 0, 0, 1, 1, 0, 1, 1};
    const int64_t class[] = {0, 1, 1, 0};
    const pt_rows rows = {.n = 4, .d = 2, .type = PT_F64, .dense = x, .stride = 2};
    pt_feature_table table;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_feature_table_init(&table, &rows, 0, NULL, &err), PT_OK);
    const pt_grow_problem problem = {
        .table = &table, .group_of = class, .k = 2, .criterion = PT_CRITERION_GINI, .min_leaf = 1};
    pt_grown tree = grow(&problem, 1);
    assert_int_equal(pt_grown_leaves(&tree), 4);
    pt_grown_free(&tree);
    pt_feature_table_free(&table);
}

/* ---- weights, bins, threads --------------------------------------------------------------------
 */

static void expect_same(const pt_grown *a, const pt_grown *b, bool rows)
{
    assert_int_equal(a->n_nodes, b->n_nodes);
    for (int64_t id = 0; id < a->n_nodes; id++) {
        const pt_grown_node *x = &a->node[id];
        const pt_grown_node *y = &b->node[id];
        assert_int_equal(x->feature, y->feature);
        assert_true(memcmp(&x->cut, &y->cut, sizeof x->cut) == 0);
        assert_int_equal(x->set, y->set);
        assert_memory_equal(x->child, y->child, sizeof x->child);
        if (rows)
            assert_int_equal(x->first, y->first);
    }
    assert_memory_equal(a->sum, b->sum, (size_t)(a->n_nodes * a->sums) * sizeof *a->sum);
    assert_int_equal(a->n_words, b->n_words);
    if (a->n_words > 0)
        assert_memory_equal(a->words, b->words, (size_t)a->n_words * sizeof *a->words);
    if (rows)
        assert_memory_equal(a->row, b->row, (size_t)a->n_rows * sizeof *a->row);
}

static void test_grow__weight_two_is_the_example_twice(void **state)
{
    (void)state;
    for (int c = 0; c < PT_CRITERIA; c++) {
        field once = make_field(N, 3, 6, true, 5);
        field twice = make_field(2 * N, 3, 6, true, 6);
        memcpy(twice.x, once.x, (size_t)(N * D) * sizeof(double));
        int64_t n = N;
        for (int64_t i = 0; i < N; i++) {
            once.target[i] = round(once.target[i] * 4); /* sums without rounding */
            once.weight[i] = 1 + (double)(i % 2);
            twice.weight[i] = 1;
            twice.class[i] = once.class[i];
            twice.target[i] = once.target[i];
            if (i % 2 == 0)
                continue;
            memcpy(twice.x + n * D, once.x + i * D, D * sizeof(double));
            twice.class[n] = once.class[i];
            twice.target[n] = once.target[i];
            twice.weight[n++] = 1;
        }
        twice.n = n;
        pt_feature_table a = table_of(&once, 0);
        pt_feature_table b = table_of(&twice, 0);
        pt_grow_problem of_a = problem_of(&once, &a, (pt_criterion)c);
        pt_grow_problem of_b = problem_of(&twice, &b, (pt_criterion)c);
        pt_grown heavy = grow(&of_a, 1);
        pt_grown doubled = grow(&of_b, 1);
        expect_same(&heavy, &doubled, false);
        pt_grown_free(&heavy);
        pt_grown_free(&doubled);
        pt_feature_table_free(&a);
        pt_feature_table_free(&b);
        free_field(&once);
        free_field(&twice);
    }
}

/* Column 1, which has many values, is rounded; the others have few. */
static void test_grow__bins_are_exact_where_values_are_few(void **state)
{
    (void)state;
    for (int c = 0; c < PT_CRITERIA; c++) {
        field f = make_field(3000, 4, 12, false, 9);
        for (int64_t i = 0; i < f.n; i++)
            f.x[i * D + 1] = round(f.x[i * D + 1] * 16) / 16;
        pt_feature_table exact = table_of(&f, 0);
        pt_feature_table binned = table_of(&f, 256);
        pt_grow_problem by_value = problem_of(&f, &exact, (pt_criterion)c);
        pt_grow_problem by_bin = problem_of(&f, &binned, (pt_criterion)c);
        pt_grown a = grow(&by_value, 1);
        pt_grown b = grow(&by_bin, 1);
        expect_same(&a, &b, true);
        pt_grown_free(&a);
        pt_grown_free(&b);
        pt_feature_table_free(&exact);
        pt_feature_table_free(&binned);
        free_field(&f);
    }
}

static void test_grow__same_tree_on_any_number_of_threads(void **state)
{
    (void)state;
    for (int c = 0; c < PT_CRITERIA; c++) {
        field f = make_field(MOST, 3, 12, false, 11);
        pt_feature_table table = table_of(&f, c % 2 ? 0 : 64);
        const pt_grow_problem problem = problem_of(&f, &table, (pt_criterion)c);
        pt_grown one = grow(&problem, 1);
        assert_true(one.n_nodes > 1000);
        for (int threads = 2; threads <= 3; threads++) {
            pt_grown several = grow(&problem, threads);
            expect_same(&one, &several, true);
            pt_grown_free(&several);
        }
        pt_grown_free(&one);
        pt_feature_table_free(&table);
        free_field(&f);
    }
}

/* Rows of a class that is given as -1 are not there. */
static void test_grow__rows_that_take_no_part(void **state)
{
    (void)state;
    field f = make_field(N, 3, 6, true, 15);
    field less = make_field(N, 3, 6, true, 15);
    const int64_t class_of_group[] = {1, -1, 0};
    int64_t n = 0;
    for (int64_t i = 0; i < N; i++)
        if (f.class[i] != 1) {
            memmove(less.x + n * D, f.x + i * D, D * sizeof(double));
            less.weight[n] = f.weight[i];
            less.class[n++] = f.class[i];
        }
    less.n = n;
    pt_feature_table a = table_of(&f, 0);
    pt_feature_table b = table_of(&less, 0);
    pt_grow_problem of_a = problem_of(&f, &a, PT_CRITERION_ENTROPY);
    pt_grow_problem of_b = problem_of(&less, &b, PT_CRITERION_ENTROPY);
    of_a.class_of_group = of_b.class_of_group = class_of_group;
    of_a.k = of_b.k = 2;
    pt_grown with = grow(&of_a, 1);
    pt_grown without = grow(&of_b, 1);
    assert_int_equal(with.n_rows, n);
    assert_int_equal(with.n_nodes, without.n_nodes);
    for (int64_t id = 0; id < with.n_nodes; id++) {
        assert_int_equal(with.node[id].feature, without.node[id].feature);
        assert_int_equal(with.node[id].count, without.node[id].count);
    }
    pt_grown_free(&with);
    pt_grown_free(&without);
    pt_feature_table_free(&a);
    pt_feature_table_free(&b);
    free_field(&f);
    free_field(&less);
}

/* ---- pruning -----------------------------------------------------------------------------------
 */

typedef struct pruned {
    double cost; /* R + alpha |leaves| */
    int64_t leaves;
} pruned;

static double wrong_at(const pt_grown *tree, int64_t id)
{
    double all = 0;
    double most = 0;
    for (int64_t c = 0; c < tree->sums; c++) {
        all += tree->sum[id * tree->sums + c];
        most = fmax(most, tree->sum[id * tree->sums + c]);
    }
    return all - most;
}

/* All prunings of what is below a node, as pairs (wrong, leaves); returns how many. */
static int64_t all_prunings(const pt_grown *tree, int64_t id, double *wrong, int64_t *leaves,
                            int64_t most)
{
    const pt_grown_node *node = &tree->node[id];
    int64_t count = 1;
    wrong[0] = wrong_at(tree, id);
    leaves[0] = 1;
    if (node->feature < 0)
        return count;
    double *w = room(2 * most, sizeof *w);
    int64_t *l = room(2 * most, sizeof *l);
    const int64_t a = all_prunings(tree, node->child[0], w, l, most);
    const int64_t b = all_prunings(tree, other_child(node), w + most, l + most, most);
    for (int64_t i = 0; i < a; i++)
        for (int64_t j = 0; j < b; j++) {
            assert_true(count < most);
            wrong[count] = w[i] + w[most + j];
            leaves[count++] = l[i] + l[most + j];
        }
    free(w);
    free(l);
    return count;
}

static void test_prune__best_of_all_prunings(void **state)
{
    (void)state;
    enum { PRUNINGS = 200000 };
    double *wrong = room(PRUNINGS, sizeof *wrong);
    int64_t *leaves = room(PRUNINGS, sizeof *leaves);
    for (int q = 0; q < 5; q++) {
        field f = make_field(60, 3, 6, q % 2, (uint64_t)(40 + q));
        pt_feature_table table = table_of(&f, 0);
        pt_grow_problem problem = problem_of(&f, &table, PT_CRITERION_GINI);
        problem.depth = 4;
        for (double alpha = 1e-9; alpha < 1; alpha = alpha < 1e-3 ? 1e-3 : alpha * 1.5) {
            pt_grown tree = grow(&problem, 1);
            double all = 0;
            for (int64_t c = 0; c < tree.sums; c++)
                all += tree.sum[c];
            const int64_t count = all_prunings(&tree, 0, wrong, leaves, PRUNINGS);
            pruned best = {INFINITY, 0};
            for (int64_t p = 0; p < count; p++) {
                const double cost = wrong[p] / all + alpha * (double)leaves[p];
                if (cost < best.cost - 1e-12 ||
                    (fabs(cost - best.cost) <= 1e-12 && leaves[p] < best.leaves))
                    best = (pruned){cost, leaves[p]};
            }
            pt_error err = PT_ERROR_INIT;
            assert_int_equal(pt_grown_prune(&tree, alpha, &err), PT_OK);
            double ours = 0;
            for (int64_t id = 0; id < tree.n_nodes; id++)
                ours += tree.node[id].feature < 0 ? wrong_at(&tree, id) : 0;
            assert_int_equal(pt_grown_leaves(&tree), best.leaves);
            assert_true(fabs(ours / all + alpha * (double)best.leaves - best.cost) < 1e-10);
            pt_grown_free(&tree);
        }
        pt_feature_table_free(&table);
        free_field(&f);
    }
    free(wrong);
    free(leaves);
}

/* ---- shrinking ---------------------------------------------------------------------------------
 */

/* The shares of a node as its parent's with a step towards its own, from sums as they were. */
static void walk_shrunk(const pt_grown *before, const pt_grown *after, double lambda, double c,
                        int64_t id, const double *above, const double *above_share,
                        double above_weight)
{
    const int64_t k = before->sums;
    double share[3];
    double expected[3];
    double weight = 0;
    double sum = 0;
    for (int64_t r = 0; r < k; r++)
        weight += before->sum[id * k + r];
    for (int64_t r = 0; r < k; r++) {
        share[r] = (before->sum[id * k + r] + c / (double)k) / (weight + c);
        expected[r] =
            above ? above[r] + (share[r] - above_share[r]) / (1 + lambda / above_weight) : share[r];
        assert_true(fabs(after->sum[id * k + r] - expected[r]) < 1e-13);
        assert_true(after->sum[id * k + r] > 0);
        sum += after->sum[id * k + r];
    }
    assert_true(fabs(sum - 1) < 1e-12);
    const pt_grown_node *node = &before->node[id];
    for (int b = 0; b < PT_BRANCHES && node->feature >= 0; b++)
        walk_shrunk(before, after, lambda, c, node->child[b], expected, share, weight);
}

static void test_shrink__shares_are_drawn_towards_those_above(void **state)
{
    (void)state;
    field f = make_field(300, 3, 6, true, 77);
    pt_feature_table table = table_of(&f, 0);
    const pt_grow_problem problem = problem_of(&f, &table, PT_CRITERION_ENTROPY);
    pt_grown before = grow(&problem, 1);
    static const double LAMBDA[] = {0, 1, 15, 1e6};
    for (int q = 0; q < 4; q++) {
        pt_grown after = grow(&problem, 1);
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(pt_grown_shrink(&after, LAMBDA[q], 0.5, &err), PT_OK);
        walk_shrunk(&before, &after, LAMBDA[q], 0.5, 0, NULL, NULL, 0);
        pt_grown_free(&after);
    }
    pt_grown_free(&before);
    pt_feature_table_free(&table);
    free_field(&f);
}

/* ---- planting ----------------------------------------------------------------------------------
 */

static void test_plant__leaves_of_rows_are_those_of_the_forest(void **state)
{
    (void)state;
    const double c = 0.5;
    for (int pruning = 0; pruning < 2; pruning++) {
        field f = make_field(400, 2, 9, false, 21);
        const pt_rows rows = rows_of(&f);
        pt_feature_table table = table_of(&f, 0);
        const pt_grow_problem problem = problem_of(&f, &table, PT_CRITERION_SQRT);
        pt_grown tree = grow(&problem, 1);
        pt_forest forest = {0};
        pt_error err = PT_ERROR_INIT;
        double *ours = room(f.n, sizeof *ours);
        double *planted = room(f.n, sizeof *planted);
        assert_int_equal(pt_grown_prune(&tree, pruning ? 0.01 : 0, &err), PT_OK);
        assert_int_equal(pt_forest_init(&forest, D, f.levels, 1, &err), PT_OK);
        assert_int_equal(pt_grown_plant(&tree, &forest, pt_leaf_half_log, &c, &err), PT_OK);
        assert_int_equal(forest.n_leaves, pt_grown_leaves(&tree));
        pt_grown_add(&tree, pt_leaf_half_log, &c, 1, ours, 1);
        assert_int_equal(pt_forest_add(&forest, 0, 1, 1, &rows, 1, planted, NULL, &err), PT_OK);
        assert_memory_equal(ours, planted, (size_t)f.n * sizeof *ours);
        pt_forest_free(&forest);
        pt_grown_free(&tree);
        pt_feature_table_free(&table);
        free(ours);
        free(planted);
        free_field(&f);
    }
}

static void test_leaves__say_what_they_should(void **state)
{
    (void)state;
    const double two[] = {1, 3};
    const double three[] = {2, 0, 1};
    const double half = 0.5;
    double value[3];
    pt_leaf_half_log(two, 2, &half, value);
    assert_true(fabs(value[0] - log(3.5 / 1.5) / 2) < 1e-15);
    pt_leaf_difference(two, 2, NULL, value);
    assert_true(value[0] == 0.5);
    pt_leaf_mean(two, 2, &half, value);
    assert_true(value[0] == 2);
    pt_leaf_logs(two, 2, NULL, value);
    assert_true(value[0] == 0 && value[1] == log(3));
    assert_true(pt_leaf_one_more(NULL, 3) == 1);
    assert_true(pt_leaf_one_more(three, 3) == 1); /* the lightest that has any */
    assert_true(pt_leaf_one_more(two, 2) == 1);
}

/* ---- memory ------------------------------------------------------------------------------------
 */

static void test_grow__out_of_memory_is_an_error(void **state)
{
    (void)state;
    field f = make_field(MOST, 3, 12, false, 30);
    pt_feature_table table = table_of(&f, 64);
    pt_grow_problem problem = problem_of(&f, &table, PT_CRITERION_GINI);
    problem.depth = 6;
    const int64_t live = pt_alloc_live();
    int64_t number = 1;
    for (pt_status status = PT_ENOMEM; status != PT_OK; number += 1 + number / 20) {
        pt_grown tree = {0};
        pt_error err = PT_ERROR_INIT;
        pt_alloc_fail_from(number);
        status = pt_grow(&tree, &problem, NULL, &err);
        pt_alloc_fail_from(0);
        assert_true(status == PT_OK || status == PT_ENOMEM);
        pt_grown_free(&tree);
        assert_int_equal(pt_alloc_live(), live);
    }
    assert_true(number > 20);
    pt_feature_table_free(&table);
    free_field(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grow__every_split_is_the_best),
        cmocka_unit_test(test_grow__leaves_have_their_mass),
        cmocka_unit_test(test_grow__a_class_is_set_apart_among_many_levels),
        cmocka_unit_test(test_grow__a_set_is_worth_several_columns),
        cmocka_unit_test(test_grow__missing_cells_go_where_they_belong),
        cmocka_unit_test(test_grow__parity_is_learned),
        cmocka_unit_test(test_grow__weight_two_is_the_example_twice),
        cmocka_unit_test(test_grow__bins_are_exact_where_values_are_few),
        cmocka_unit_test(test_grow__same_tree_on_any_number_of_threads),
        cmocka_unit_test(test_grow__rows_that_take_no_part),
        cmocka_unit_test(test_prune__best_of_all_prunings),
        cmocka_unit_test(test_shrink__shares_are_drawn_towards_those_above),
        cmocka_unit_test(test_plant__leaves_of_rows_are_those_of_the_forest),
        cmocka_unit_test(test_leaves__say_what_they_should),
        cmocka_unit_test(test_grow__out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
