/* Trees in words and as JSON: a program that knows the JSON only comes to the model's outputs. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "model/model.h"
#include "model/tree_view.h"

/* ---- data --------------------------------------------------------------------------------------
 */

enum { ROWS = 60, LEVELS = 4, CLASSES = 3 };
static const char *const COLORS[LEVELS] = {"red", "blue\n", "green", "white"};

typedef struct cells {
    double size; /* NAN: missing */
    int color;   /* -1: missing */
    double weight;
    int class;
} cells;

static cells row_at(int i)
{
    pt_random random;
    pt_random_init(&random, 7, PT_RANDOM_TEST, (uint64_t)i);
    cells c = {.size = floor(10 * pt_random_uniform(&random)) / 4,
               .color = (int)pt_random_below(&random, LEVELS),
               .weight = pt_random_normal(&random)};
    c.class = (int)(fabs(c.size + (c.color == 1 || c.color == 3 ? 2 : 0) + c.weight)) % CLASSES;
    if (i % 9 == 4)
        c.size = NAN;
    if (i % 7 == 3)
        c.color = -1;
    return c;
}

/* Written as CSV and read again. The newline of a level is written as a quoted cell. */
static pt_dataset *make_data(void)
{
    char path[] = "/tmp/test_model_trees_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    fprintf(out, "size,color,weight,class\n");
    for (int i = 0; i < ROWS; i++) {
        const cells c = row_at(i);
        if (!isnan(c.size))
            fprintf(out, "%.17g", c.size);
        fprintf(out, ",");
        if (c.color >= 0)
            fprintf(out, "\"%s\"", COLORS[c.color]);
        fprintf(out, ",%.17g,%c\n", c.weight, 'a' + c.class);
    }
    fclose(out);
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params("format=csv");
    small_must(pt_dataset_read(&data, path, params, NULL, &err), &err, "data");
    pt_params_free(params);
    unlink(path);
    return data;
}

static char *text_of(const pt_model *model, const char *format, int64_t lines, int *shortened)
{
    pt_report *trees = NULL;
    pt_error err = PT_ERROR_INIT;
    small_must(pt_model_trees(&trees, model, format, lines, &err), &err, format);
    char *text = strdup(pt_report_text(trees, "text"));
    if (shortened)
        *shortened = pt_report_integer(trees, "shortened");
    pt_report_free(trees);
    return text;
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

static bool level_listed(const json_t *levels, const char *name)
{
    for (size_t i = 0; i < json_array_size(levels); i++)
        if (strcmp(json_string_value(json_array_get(levels, i)), name) == 0)
            return true;
    return false;
}

/* The leaf that a row comes to, by what the JSON says. */
static const json_t *leaf_of(const json_t *tree, const cells *c)
{
    const json_t *nodes = json_object_get(tree, "nodes");
    const json_t *node = json_array_get(nodes, 0);
    while (json_object_get(node, "feature")) {
        const int64_t feature = json_integer_value(json_object_get(node, "feature"));
        const double x = feature == 1 ? c->size : (double)(float)c->weight;
        const json_t *levels = json_object_get(node, "levels");
        const double cut = json_number_value(json_object_get(node, "at_most"));
        const bool missing = feature == 2 ? c->color < 0 : isnan(x);
        assert_true((feature == 2) == (levels != NULL));
        assert_string_equal(json_string_value(json_object_get(node, "name")), feature == 1 ? "size"
                                                                              : feature == 2
                                                                                  ? "color"
                                                                                  : "weight");
        const bool in = !missing && (levels ? level_listed(levels, COLORS[c->color]) : x <= cut);
        const char *to = missing ? "missing" : in ? "in" : "out";
        node = json_array_get(nodes, (size_t)json_integer_value(json_object_get(node, to)));
        assert_non_null(node);
    }
    return node;
}

static void expect_scores_from_json(const char *options)
{
    pt_dataset *data = make_data();
    pt_model *model = small_train(data, options, 1);
    pt_prediction *prediction = small_predict(model, data, 1);
    char *text = text_of(model, "json", 0, NULL);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *trees = json_object_get(root, "trees");
    const bool shares = strcmp(json_string_value(json_object_get(root, "leaves")), "shares") == 0;
    assert_int_equal(json_array_size(trees), pt_model_n_trees(model));
    for (int i = 0; i < ROWS; i++) {
        const cells c = row_at(i);
        const double *scores = pt_prediction_scores(prediction) + i * CLASSES;
        for (size_t t = 0; t < json_array_size(trees); t++) {
            const json_t *tree = json_array_get(trees, t);
            const json_t *leaf = leaf_of(tree, &c);
            const json_t *values = json_object_get(leaf, shares ? "shares" : "values");
            for (size_t r = 0; r < json_array_size(values); r++) {
                const double value = json_number_value(json_array_get(values, r));
                if (shares)
                    assert_true(fabs(log(value) - scores[r]) < 1e-12);
                else
                    assert_int_equal(json_integer_value(json_object_get(tree, "column")), t + 1);
            }
        }
        for (size_t r = 1; r < CLASSES && !shares; r++) {
            double apart = 0; /* from class 0: what all classes have in common may be left out */
            for (size_t t = 0; t < json_array_size(trees); t++) {
                const json_t *leaf = leaf_of(json_array_get(trees, t), &c);
                const double f =
                    json_number_value(json_array_get(json_object_get(leaf, "values"), 0));
                apart += ((t == r) - (t == 0)) * 2 * f;
            }
            assert_true(fabs(apart - (scores[r] - scores[0])) < 1e-12);
        }
    }
    json_decref(root);
    free(text);
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_dataset_free(data);
}

static void test_trees__json_is_the_model(void **state)
{
    (void)state;
    expect_scores_from_json("machine=tree,calibrate=no");
    expect_scores_from_json("machine=tree,criterion=gini,depth=3,calibrate=no");
    expect_scores_from_json("code=ova,learner=tree,decode=inner,calibrate=no");
    expect_scores_from_json("code=ova,learner=tree,decode=inner,depth=1,calibrate=no");
}

/* Cuts are in the units of the file, scaled or not. */
static void test_trees__cuts_are_not_scaled(void **state)
{
    (void)state;
    small s = small_clouds(80, 2, 2, 5);
    pt_dataset *data = small_dataset(&s);
    double cut[2];
    for (int scaled = 0; scaled < 2; scaled++) {
        pt_model *model =
            small_train(data,
                        scaled ? "machine=tree,depth=1,scale=range,precision=double,calibrate=no"
                               : "machine=tree,depth=1,scale=none,precision=double,calibrate=no",
                        1);
        char *text = text_of(model, "json", 0, NULL);
        json_t *root = json_loads(text, 0, NULL);
        const json_t *nodes =
            json_object_get(json_array_get(json_object_get(root, "trees"), 0), "nodes");
        cut[scaled] = json_number_value(json_object_get(json_array_get(nodes, 0), "at_most"));
        json_decref(root);
        free(text);
        pt_model_free(model);
    }
    assert_true(fabs(cut[0] - cut[1]) < 1e-9);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- words -------------------------------------------------------------------------------------
 */

static int lines_of(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void test_trees__words_are_cut_and_safe(void **state)
{
    (void)state;
    static const char *const options[] = {"machine=tree,calibrate=no",
                                          "code=ova,learner=tree,calibrate=no",
                                          "code=ovo,learner=tree,single-call=yes,calibrate=no"};
    pt_dataset *data = make_data();
    for (int q = 0; q < 3; q++) {
        pt_model *model = small_train(data, options[q], 1);
        int shortened = -1;
        char *all = text_of(model, "words", 0, &shortened);
        assert_int_equal(shortened, 0);
        char *some = text_of(model, "words", 8, &shortened);
        assert_int_equal(shortened, 1);
        assert_true(lines_of(all) > 15);
        assert_in_range(lines_of(some), 8, 20);
        assert_null(strstr(all, "blue\n")); /* a newline in a name does not end a line */
        assert_non_null(strstr(all, "blue?"));
        assert_non_null(strstr(all, "or missing"));
        free(all);
        free(some);
        pt_model_free(model);
    }
    pt_dataset_free(data);
}

static void test_trees__others_have_none(void **state)
{
    (void)state;
    small s = small_clouds(30, 2, 3, 5);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=onelsm,kernel=linear,ridge=1", 1);
    pt_model *tree = small_train(data, "machine=tree,calibrate=no", 1);
    pt_report *trees = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_model_n_trees(model), 0);
    assert_int_equal(pt_model_trees(&trees, model, "words", 0, &err), PT_EINVAL);
    assert_int_equal(pt_model_n_trees(tree), 1);
    assert_int_equal(pt_model_trees(&trees, tree, "prose", 0, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "prose"));
    assert_null(trees);
    pt_model_free(tree);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- what may go wrong -------------------------------------------------------------------------
 */

/* Each node leads to the two before it: as many ways as Fibonacci's numbers. */
static void test_steps__branches_that_meet_again_are_refused(void **state)
{
    (void)state;
    pt_forest forest = {0};
    pt_error err = PT_ERROR_INIT;
    int64_t child[2];
    const double value = 1;
    assert_int_equal(pt_forest_init(&forest, 1, NULL, 1, &err), PT_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pt_forest_add_leaf(&forest, &value, &child[i], &err), PT_OK);
    for (int i = 0; i < 60; i++) {
        int64_t node = 0;
        const int64_t to[PT_BRANCHES] = {child[0], child[1], child[1]};
        assert_int_equal(pt_forest_add_node(&forest, 0, i, NULL, to, &node, &err), PT_OK);
        child[i % 2] = node;
    }
    assert_int_equal(pt_forest_add_tree(&forest, child[1], &err), PT_OK);
    pt_tree_steps steps = {0};
    assert_int_equal(pt_tree_steps_of(&steps, &forest, 0, &err), PT_EFORMAT);
    pt_tree_steps_free(&steps);
    pt_forest_free(&forest);
}

static void test_trees__out_of_memory_is_an_error(void **state)
{
    (void)state;
    pt_dataset *data = make_data();
    pt_model *model = small_train(data, "code=ova,learner=tree,calibrate=no", 1);
    const int64_t live = pt_alloc_live();
    for (int json = 0; json < 2; json++) {
        pt_status status = PT_ENOMEM;
        for (int64_t number = 1; status != PT_OK; number++) {
            pt_report *trees = NULL;
            pt_error err = PT_ERROR_INIT;
            pt_alloc_fail_from(number);
            status = pt_model_trees(&trees, model, json ? "json" : "words", 0, &err);
            pt_alloc_fail_from(0);
            assert_true(status == PT_OK || (status == PT_ENOMEM && !trees));
            pt_report_free(trees);
            assert_int_equal(pt_alloc_live(), live);
        }
    }
    pt_model_free(model);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees__json_is_the_model),
        cmocka_unit_test(test_trees__cuts_are_not_scaled),
        cmocka_unit_test(test_trees__words_are_cut_and_safe),
        cmocka_unit_test(test_trees__others_have_none),
        cmocka_unit_test(test_steps__branches_that_meet_again_are_refused),
        cmocka_unit_test(test_trees__out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
