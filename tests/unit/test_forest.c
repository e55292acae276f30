/* Trees as they are kept: branches, sums against one row and one tree at a time, the file and what
 * must not be in it. */
/* labels: threads */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "base/isa.h"
#include "trees/forest.h"

enum { D = 7, N = 700 };

/* Two numbers, 3 levels, 64, 65, 200 levels, a number. */
static const int64_t LEVELS[D] = {0, 0, 3, 64, 65, 200, 0};

/* ---- random forests and rows ------------------------------------------------------------------
 */

static int64_t add_leaf(pt_forest *forest, pt_random *random)
{
    pt_error err = PT_ERROR_INIT;
    double value[32];
    int64_t child = 0;
    for (int64_t s = 0; s < forest->width; s++)
        value[s] = pt_random_normal(random);
    small_must(pt_forest_add_leaf(forest, value, &child, &err), &err, "leaf");
    return child;
}

/* A tree of at most that depth; missing cells go where a side goes in a third of the nodes. */
static int64_t add_below(pt_forest *forest, pt_random *random, int64_t depth)
{
    pt_error err = PT_ERROR_INIT;
    if (depth == 0 || pt_random_uniform(random) < 0.1)
        return add_leaf(forest, random);
    int64_t child[PT_BRANCHES];
    child[0] = add_below(forest, random, depth - 1);
    child[1] = add_below(forest, random, depth - 1);
    child[2] = pt_random_below(random, 3) == 0 ? child[pt_random_below(random, 2)]
                                               : add_below(forest, random, depth - 1);
    const int64_t feature = pt_random_below(random, forest->d);
    uint64_t in[4];
    for (int w = 0; w < 4; w++)
        in[w] = pt_random_u64(random); /* bits beyond the levels are set, too */
    int64_t node = 0;
    small_must(pt_forest_add_node(forest, feature, pt_random_normal(random),
                                  forest->levels[feature] ? in : NULL, child, &node, &err),
               &err, "node");
    return node;
}

static pt_forest random_forest(int64_t trees, int64_t depth, int64_t width, bool nominal,
                               uint64_t seed)
{
    pt_error err = PT_ERROR_INIT;
    pt_forest forest = {0};
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    small_must(pt_forest_init(&forest, D, nominal ? LEVELS : NULL, width, &err), &err, "forest");
    for (int64_t t = 0; t < trees; t++)
        small_must(pt_forest_add_tree(&forest, add_below(&forest, &random, depth), &err), &err,
                   "tree");
    return forest;
}

/* Cells: numbers, levels and numbers that no level has, zeros, missing ones. */
static double random_cell(pt_random *random, int64_t levels)
{
    const double u = pt_random_uniform(random);
    if (u < 0.15)
        return NAN;
    if (u < 0.35)
        return 0;
    if (levels == 0)
        return (double)(float)pt_random_normal(random);
    return (double)(pt_random_below(random, levels + 4) - 2);
}

typedef struct cells {
    double f64[N * D];
    float f32[N * D];
    int64_t start[N + 1];
    int64_t index[N * D];
    double stored64[N * D];
    float stored32[N * D];
} cells;

static cells *random_cells(bool nominal, uint64_t seed)
{
    cells *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 1);
    int64_t used = 0;
    for (int64_t i = 0; i < N * D; i++) {
        c->f64[i] = random_cell(&random, nominal ? LEVELS[i % D] : 0);
        c->f32[i] = (float)c->f64[i];
        if (c->f64[i] != 0) {
            c->index[used] = i % D;
            c->stored64[used] = c->f64[i];
            c->stored32[used++] = c->f32[i];
        }
        c->start[i / D + 1] = used;
    }
    return c;
}

/* 0: dense double, 1: dense float, 2 and 3: sparse. */
enum { KINDS = 4 };
static pt_rows rows_of(const cells *c, int kind)
{
    pt_rows rows = {.n = N, .d = D, .type = kind % 2 ? PT_F32 : PT_F64};
    if (kind < 2) {
        rows.dense = kind ? (const void *)c->f32 : (const void *)c->f64;
        rows.stride = D;
        return rows;
    }
    rows.start = c->start;
    rows.index = c->index;
    rows.value = kind == 3 ? (const void *)c->stored32 : (const void *)c->stored64;
    return rows;
}

/* ---- one cell, one row ------------------------------------------------------------------------
 */

static void test_forest__branches_of_numbers(void **state)
{
    (void)state;
    const pt_forest forest = {0};
    const pt_split split = {.feature = 0, .cut = 0.5, .set = -1};
    assert_int_equal(pt_forest_branch(&forest, &split, 0.5), PT_BRANCH_IN);
    assert_int_equal(pt_forest_branch(&forest, &split, nextafter(0.5, 1)), PT_BRANCH_OUT);
    assert_int_equal(pt_forest_branch(&forest, &split, -INFINITY), PT_BRANCH_IN);
    assert_int_equal(pt_forest_branch(&forest, &split, INFINITY), PT_BRANCH_OUT);
    assert_int_equal(pt_forest_branch(&forest, &split, NAN), PT_BRANCH_MISSING);
    const pt_split present = {.feature = 0, .cut = DBL_MAX, .set = -1};
    assert_int_equal(pt_forest_branch(&forest, &present, 1e308), PT_BRANCH_IN);
}

static void test_forest__branches_of_levels(void **state)
{
    (void)state;
    int64_t levels[1] = {70};
    uint64_t words[3] = {~(uint64_t)0, (uint64_t)1 << 63 | 5, (uint64_t)1 << 5 | 2};
    pt_forest forest = {.d = 1, .levels = levels, .n_words = 3, .words = words};
    const pt_split split = {.feature = 0, .set = 1};
    for (int64_t v = 0; v < 70; v++)
        assert_int_equal(pt_forest_branch(&forest, &split, (double)v),
                         v == 0 || v == 2 || v == 63 || v == 65 || v == 69 ? PT_BRANCH_IN
                                                                           : PT_BRANCH_OUT);
    assert_int_equal(pt_forest_branch(&forest, &split, -1), PT_BRANCH_MISSING);
    assert_int_equal(pt_forest_branch(&forest, &split, 70), PT_BRANCH_MISSING);
    assert_int_equal(pt_forest_branch(&forest, &split, 1e300), PT_BRANCH_MISSING);
    assert_int_equal(pt_forest_branch(&forest, &split, NAN), PT_BRANCH_MISSING);
}

/* x0 <= 1 ? (level of x1 in {0, 2} ? a : b, missing c) : d, missing as above the cut. */
static void test_forest__leaf_of_a_tree_by_hand(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_forest forest = {0};
    const int64_t levels[2] = {0, 3};
    small_must(pt_forest_init(&forest, 2, levels, 1, &err), &err, "forest");
    int64_t leaf[4];
    for (int c = 0; c < 4; c++)
        small_must(pt_forest_add_leaf(&forest, &(double){10 + c}, &leaf[c], &err), &err, "leaf");
    int64_t lower = 0;
    int64_t root = 0;
    small_must(pt_forest_add_node(&forest, 1, 0, &(uint64_t){5},
                                  (int64_t[]){leaf[0], leaf[1], leaf[2]}, &lower, &err),
               &err, "node");
    small_must(
        pt_forest_add_node(&forest, 0, 1, NULL, (int64_t[]){lower, leaf[3], leaf[3]}, &root, &err),
        &err, "node");
    small_must(pt_forest_add_tree(&forest, root, &err), &err, "tree");
    const double x[8][2] = {{1, 0},   {1, 1}, {0, 2},   {-3, 3},
                            {0, NAN}, {2, 0}, {NAN, 0}, {1.5, NAN}};
    const int64_t expected[8] = {0, 1, 0, 2, 2, 3, 3, 3};
    const pt_rows rows = {.n = 8, .d = 2, .type = PT_F64, .dense = x, .stride = 2};
    for (int64_t i = 0; i < 8; i++)
        assert_int_equal(pt_forest_leaf(&forest, 0, &rows, i), expected[i]);
    pt_forest_free(&forest);
}

/* ---- sums -------------------------------------------------------------------------------------
 */

/* The definition: tree by tree, one row at a time. */
static void slow_add(const pt_forest *forest, int64_t first, int64_t last, double scale,
                     const pt_rows *rows, int64_t ell, double *outputs)
{
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t t = first; t < last; t++) {
            const double *value =
                forest->value + pt_forest_leaf(forest, t, rows, i) * forest->width;
            for (int64_t s = 0; s < forest->width; s++)
                outputs[i * ell + (forest->width == 1 ? t % ell : s)] += scale * value[s];
        }
}

static void expect_sums(const pt_forest *forest, const cells *c, int64_t ell, int64_t first,
                        int64_t last, int kind)
{
    pt_error err = PT_ERROR_INIT;
    static double expected[N * 32];
    static double got[N * 32];
    const pt_rows rows = rows_of(c, kind);
    for (int threads = 1; threads <= 3; threads++) {
        pt_task *task = small_task(threads);
        for (int64_t i = 0; i < N * ell; i++)
            expected[i] = got[i] = (double)(i % 11) / 3; /* they are added to */
        slow_add(forest, first, last, 0.25, &rows, ell, expected);
        small_must(pt_forest_add(forest, first, last, 0.25, &rows, ell, got, task, &err), &err,
                   "sums");
        assert_memory_equal(expected, got, (size_t)(N * ell) * sizeof(double));
        pt_task_free(task);
    }
}

static void test_forest__sums_are_those_of_rows_one_by_one(void **state)
{
    (void)state;
    for (int nominal = 0; nominal < 2; nominal++)
        for (int depth = 0; depth <= 4; depth += depth ? 3 : 1)
            for (int wide = 0; wide < 2; wide++) {
                const int64_t ell = 5;
                pt_forest forest =
                    random_forest(43, depth, wide ? ell : 1, nominal, (uint64_t)depth + 10);
                cells *c = random_cells(nominal, 3);
                for (int kind = 0; kind < KINDS; kind++) {
                    expect_sums(&forest, c, ell, 0, 43, kind);
                    expect_sums(&forest, c, ell, 7, 9, kind);
                    expect_sums(&forest, c, ell, 12, 41, kind);
                    expect_sums(&forest, c, ell, 4, 4, kind);
                }
                free(c);
                pt_forest_free(&forest);
            }
}

/* Enough of them that threads share the rows. */
static void test_forest__sums_of_many_stumps(void **state)
{
    (void)state;
    const int64_t trees = 2000;
    pt_forest forest = random_forest(trees, 1, 1, false, 29);
    cells *c = random_cells(false, 3);
    expect_sums(&forest, c, 5, 0, trees, 0);
    free(c);
    pt_forest_free(&forest);
}

/* Values are scaled by a power of two, and nothing else is multiplied: all instruction sets give
 * the same bytes. */
static void test_forest__sums_on_every_instruction_set(void **state)
{
    (void)state;
    const pt_isa_level chosen = pt_isa_level_chosen();
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        if (!pt_isa_level_runs((pt_isa_level)level))
            continue;
        pt_isa_level_force((pt_isa_level)level);
        for (int nominal = 0; nominal < 2; nominal++) {
            pt_forest stumps = random_forest(60, 1, 1, nominal, 5);
            pt_forest wide = random_forest(20, 2, 32, nominal, 6);
            cells *c = random_cells(nominal, 4);
            expect_sums(&stumps, c, 3, 0, 60, 0);
            expect_sums(&wide, c, 32, 0, 20, 1);
            free(c);
            pt_forest_free(&stumps);
            pt_forest_free(&wide);
        }
    }
    pt_isa_level_force(chosen);
}

static void test_forest__rows_of_a_range_and_with_a_stride(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_forest forest = random_forest(30, 1, 1, false, 8);
    cells *c = random_cells(false, 9);
    for (int kind = 0; kind < KINDS; kind++) {
        const pt_rows all = rows_of(c, kind);
        const pt_rows part = pt_rows_range(&all, 100, 77);
        static double whole[N * 2];
        static double some[77 * 2];
        memset(whole, 0, sizeof whole);
        memset(some, 0, sizeof some);
        small_must(pt_forest_add(&forest, 0, 30, 1, &all, 2, whole, NULL, &err), &err, "all");
        small_must(pt_forest_add(&forest, 0, 30, 1, &part, 2, some, NULL, &err), &err, "some");
        assert_memory_equal(whole + 200, some, sizeof some);
    }
    free(c);
    pt_forest_free(&forest);
}

/* ---- cutting back, the file -------------------------------------------------------------------
 */

static void expect_same(const pt_forest *a, const pt_forest *b)
{
    assert_int_equal(a->n_trees, b->n_trees);
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_leaves, b->n_leaves);
    assert_int_equal(a->n_words, b->n_words);
    assert_int_equal(a->no_gains, b->no_gains);
    assert_memory_equal(a->levels, b->levels, (size_t)a->d * sizeof *a->levels);
    assert_memory_equal(a->root, b->root, (size_t)a->n_trees * sizeof *a->root);
    assert_memory_equal(a->value, b->value, (size_t)(a->n_leaves * a->width) * sizeof *a->value);
    for (int64_t w = 0; w < a->n_words; w++)
        assert_true(a->words[w] == b->words[w]);
    for (int64_t j = 0; j < a->n_nodes; j++) {
        assert_int_equal(a->node[j].split.feature, b->node[j].split.feature);
        assert_int_equal(a->node[j].split.set, b->node[j].split.set);
        assert_true(a->node[j].split.cut == b->node[j].split.cut);
        assert_true(a->gain[j] == b->gain[j]);
        assert_memory_equal(a->node[j].child, b->node[j].child, sizeof a->node[j].child);
    }
}

static void test_forest__truncated_is_as_if_never_grown(void **state)
{
    (void)state;
    for (int64_t keep = 0; keep <= 12; keep += 4) {
        pt_forest longer = random_forest(12, 3, 2, true, 21);
        pt_forest shorter = random_forest(keep, 3, 2, true, 21);
        pt_forest_truncate(&longer, keep);
        expect_same(&longer, &shorter);
        pt_forest_free(&longer);
        pt_forest_free(&shorter);
    }
}

static void test_forest__file_gives_the_same_forest(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    for (int depth = 0; depth <= 3; depth++)
        for (int nominal = 0; nominal < 2; nominal++) {
            pt_forest forest = random_forest(9, depth, 1 + depth, nominal, 31);
            pt_forest loaded = {0};
            pt_pack pack = {0};
            int64_t used = 0;
            small_must(pt_pack_begin(&pack, &err), &err, "pack");
            small_must(pt_forest_save(&forest, &pack, &err), &err, "save");
            small_must(pt_forest_load(&loaded, &pack, D, 1 + depth, &used, NULL, &err), &err,
                       "load");
            assert_int_equal(used, pack.count);
            expect_same(&forest, &loaded);
            pt_pack_free(&pack);
            pt_forest_free(&loaded);
            pt_forest_free(&forest);
        }
}

/* ---- hostile arrays ---------------------------------------------------------------------------
 */

static void expect_refused(const pt_pack *pack, int64_t d, int64_t width, const char *what)
{
    pt_error err = PT_ERROR_INIT;
    pt_forest loaded = {0};
    int64_t used = 0;
    const pt_status status = pt_forest_load(&loaded, pack, d, width, &used, NULL, &err);
    pt_forest_free(&loaded);
    if (status != PT_EFORMAT)
        fail_msg("%s: %s: %s", what, pt_status_name(status), err.text);
}

static pt_array *array_of(const pt_pack *pack, const char *name)
{
    for (int64_t a = 0; a < pack->count; a++)
        if (strcmp(pack->arrays[a].name, name) == 0)
            return &pack->arrays[a];
    fail_msg("no array %s", name);
    return NULL;
}

static void break_integer(const pt_pack *pack, const char *name, int64_t place, int64_t value)
{
    char what[100];
    int64_t *at = (int64_t *)array_of(pack, name)->value + place;
    const int64_t kept = *at;
    *at = value;
    snprintf(what, sizeof what, "%s[%lld] = %lld", name, (long long)place, (long long)value);
    expect_refused(pack, D, 2, what);
    *at = kept;
}

static void break_real(const pt_pack *pack, const char *name, double value)
{
    double *at = array_of(pack, name)->value;
    const double kept = *at;
    *at = value;
    expect_refused(pack, D, 2, name);
    *at = kept;
}

static void expect_no_gains(const pt_pack *pack)
{
    pt_error err = PT_ERROR_INIT;
    pt_forest loaded = {0};
    int64_t used = 0;
    small_must(pt_forest_load(&loaded, pack, D, 2, &used, NULL, &err), &err, "without gains");
    assert_true(loaded.no_gains);
    assert_int_equal(used, pack->count - 1);
    pt_forest_free(&loaded);
}

static void break_shapes(const pt_pack *pack)
{
    for (int64_t a = 0; a < pack->count; a++) {
        pt_array *array = &pack->arrays[a];
        const pt_array good = *array;
        array->name[0] = '?';
        if (strcmp(good.name, "gains") == 0)
            expect_no_gains(pack); /* as files of before */
        else
            expect_refused(pack, D, 2, good.name);
        *array = good;
        array->rows--;
        expect_refused(pack, D, 2, good.name);
        *array = good;
        array->columns--;
        expect_refused(pack, D, 2, good.name);
        *array = good;
        array->integer = !array->integer;
        expect_refused(pack, D, 2, good.name);
        *array = good;
        if (!array->integer) {
            array->type = PT_F32;
            expect_refused(pack, D, 2, good.name);
        }
        *array = good;
    }
}

static void break_sizes(const pt_pack *pack)
{
    const int64_t values[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 9, INT64_MAX / 48};
    for (int64_t place = 0; place < 5; place++)
        for (int v = 0; v < 5; v++)
            break_integer(pack, "forest", place, values[v]);
    break_integer(pack, "forest", 4, 0); /* no levels, but sets */
    break_integer(pack, "forest", 3, 0); /* no words, but nominal nodes */
}

static void break_nodes(const pt_pack *pack, const pt_forest *forest)
{
    for (int64_t j = 0; j < forest->n_nodes; j++) {
        const int64_t self = forest->n_leaves + j;
        for (int b = 0; b < PT_BRANCHES; b++) {
            break_integer(pack, "branches", PT_BRANCHES * j + b, self); /* for ever */
            break_integer(pack, "branches", PT_BRANCHES * j + b,
                          forest->n_leaves + forest->n_nodes);
            break_integer(pack, "branches", PT_BRANCHES * j + b, -1);
            if (j + 1 < forest->n_nodes)
                break_integer(pack, "branches", PT_BRANCHES * j + b, self + 1);
        }
        break_integer(pack, "features", j, D);
        break_integer(pack, "features", j, -1);
        const bool nominal = forest->levels[forest->node[j].split.feature] > 0;
        break_integer(pack, "sets", j, nominal ? 0 : 1); /* a number with a set, levels without */
        break_integer(pack, "sets", j, forest->n_words + 1);
        if (nominal && forest->levels[forest->node[j].split.feature] > 64)
            break_integer(pack, "sets", j, forest->n_words); /* it would end beyond the words */
    }
}

static void test_forest__hostile_arrays_are_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_forest forest = random_forest(9, 3, 2, true, 31);
    pt_forest loaded = {0};
    pt_pack pack = {0};
    int64_t used = 0;
    small_must(pt_pack_begin(&pack, &err), &err, "pack");
    small_must(pt_forest_save(&forest, &pack, &err), &err, "save");
    break_shapes(&pack);
    break_sizes(&pack);
    break_nodes(&pack, &forest);
    break_integer(&pack, "roots", 0, -1);
    break_integer(&pack, "roots", 8, forest.n_leaves + forest.n_nodes);
    break_integer(&pack, "levels", 3, -1);
    break_integer(&pack, "levels", 5, INT64_MAX); /* sets as large as memory */
    break_integer(&pack, "levels", 5, INT64_MAX / 64 - 1);
    break_real(&pack, "cuts", NAN);
    break_real(&pack, "cuts", INFINITY);
    break_real(&pack, "leaves", NAN);
    break_real(&pack, "gains", -1);
    break_real(&pack, "gains", INFINITY);
    expect_refused(&pack, D, 1, "width 1");
    expect_refused(&pack, D, 3, "width 3");
    expect_refused(&pack, D - 1, 2, "a feature less");
    expect_refused(&pack, D + 1, 2, "a feature more");
    small_must(pt_forest_load(&loaded, &pack, D, 2, &used, NULL, &err), &err, "load");
    pt_pack_free(&pack);
    pt_forest_free(&loaded);
    pt_forest_free(&forest);
}

/* A level that a column does not have is in no set. */
static void test_forest__bits_beyond_the_levels_are_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_pack pack = {0};
    pt_forest forest = random_forest(9, 2, 2, true, 33);
    small_must(pt_pack_begin(&pack, &err), &err, "pack");
    small_must(pt_forest_save(&forest, &pack, &err), &err, "save");
    int64_t tried = 0;
    for (int64_t j = 0; j < forest.n_nodes; j++) {
        const pt_split *split = &forest.node[j].split;
        const int64_t levels = forest.levels[split->feature];
        if (split->set < 0 || levels % 64 == 0)
            continue;
        const int64_t word = split->set + levels / 64;
        break_integer(&pack, "words", word, (int64_t)((uint64_t)1 << (levels % 64)));
        tried++;
    }
    assert_true(tried > 3);
    pt_pack_free(&pack);
    pt_forest_free(&forest);
}

/* ---- no memory --------------------------------------------------------------------------------
 */

static pt_status grow_save_load(const cells *c, pt_error *err)
{
    static double outputs[N * 3];
    pt_forest forest = {0};
    pt_forest loaded = {0};
    pt_pack pack = {0};
    int64_t used = 0;
    int64_t child = 0;
    int64_t node = 0;
    const pt_rows rows = rows_of(c, 2);
    pt_status status = pt_forest_init(&forest, D, LEVELS, 1, err);
    for (int t = 0; t < 40 && status == PT_OK; t++) {
        status = pt_forest_add_leaf(&forest, &(double){1}, &child, err);
        if (status == PT_OK)
            status = pt_forest_add_node(&forest, 2, 0, &(uint64_t){5},
                                        (int64_t[]){child, child, child}, &node, err);
        if (status == PT_OK)
            status = pt_forest_add_tree(&forest, node, err);
    }
    if (status == PT_OK)
        status = pt_forest_add(&forest, 0, 40, 1, &rows, 3, outputs, NULL, err);
    if (status == PT_OK)
        status = pt_pack_begin(&pack, err);
    if (status == PT_OK)
        status = pt_forest_save(&forest, &pack, err);
    if (status == PT_OK)
        status = pt_forest_load(&loaded, &pack, D, 1, &used, NULL, err);
    pt_forest_free(&loaded);
    pt_pack_free(&pack);
    pt_forest_free(&forest);
    return status;
}

static void test_forest__without_memory_nothing_leaks(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    cells *c = random_cells(true, 3);
    const int64_t before = pt_alloc_live();
    pt_status status = PT_ENOMEM;
    for (int64_t number = 1; status == PT_ENOMEM; number++) {
        assert_true(number < 1000);
        pt_alloc_fail_from(number);
        status = grow_save_load(c, &err);
        pt_alloc_fail_from(0);
        assert_int_equal(pt_alloc_live(), before);
    }
    assert_int_equal(status, PT_OK);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forest__branches_of_numbers),
        cmocka_unit_test(test_forest__branches_of_levels),
        cmocka_unit_test(test_forest__leaf_of_a_tree_by_hand),
        cmocka_unit_test(test_forest__sums_are_those_of_rows_one_by_one),
        cmocka_unit_test(test_forest__sums_of_many_stumps),
        cmocka_unit_test(test_forest__sums_on_every_instruction_set),
        cmocka_unit_test(test_forest__rows_of_a_range_and_with_a_stride),
        cmocka_unit_test(test_forest__truncated_is_as_if_never_grown),
        cmocka_unit_test(test_forest__file_gives_the_same_forest),
        cmocka_unit_test(test_forest__hostile_arrays_are_refused),
        cmocka_unit_test(test_forest__bits_beyond_the_levels_are_refused),
        cmocka_unit_test(test_forest__without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
