/* Searches: folds that are prepared by their training rows alone, several machines on the same
 * folds, and searches that were stopped and go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/reports.h"
#include "../support/share.h"
#include "../support/small_problem.h"
#include "about/entries.h"
#include "base/task.h"
#include "data/labels/labels.h"
#include "data/split.h"

/* ---- a preparation for every fold -------------------------------------------------------------
 */

enum { ROWS = 40, FOLDS = 5, LINE = 64 };

/* Lines with a number that has outliers, a name, a cell that may be missing, and a class. */
static void make_lines(char lines[ROWS][LINE], int64_t class_of[ROWS])
{
    static const char *const NAMES[] = {"red", "green", "blue", "violet"};
    pt_random random;
    pt_random_init(&random, 21, PT_RANDOM_TEST, 0);
    for (int i = 0; i < ROWS; i++) {
        class_of[i] = i % 3;
        const double x = (double)class_of[i] + pt_random_normal(&random);
        char cell[16] = "";
        if (i % 7 != 3)
            snprintf(cell, sizeof cell, "%.3f", pt_random_uniform(&random) + 0.5 * (double)(i % 3));
        snprintf(lines[i], LINE, "%.4f,%s,%s,%c\n", i % 13 == 0 ? 20 * x : x,
                 i == 17 ? "once" : NAMES[pt_random_below(&random, 4)], cell, "abc"[class_of[i]]);
    }
}

/* The rows whose fold is, or is not, `f`; -1: all of them. */
static pt_dataset *read_lines(char lines[ROWS][LINE], const int64_t *fold, int64_t f, bool held_out)
{
    char text[(ROWS + 1) * LINE] = "size,colour,weight,class\n";
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    for (int i = 0; i < ROWS; i++)
        if (f < 0 || (fold[i] == f) == held_out)
            (void)strncat(text, lines[i], sizeof text - strlen(text) - 1);
    small_must(pt_dataset_read_memory(&data, text, strlen(text), "x.csv", NULL, NULL, &err), &err,
               "lines");
    return data;
}

static int64_t wrong_in_fold(char lines[ROWS][LINE], const int64_t *fold, int64_t f,
                             const pt_params *params)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    pt_dataset *train = read_lines(lines, fold, f, false);
    pt_dataset *test = read_lines(lines, fold, f, true);
    small_must(pt_model_train(&model, train, params, NULL, &err), &err, "train");
    small_must(pt_model_predict(&prediction, model, test, -1, NULL, &err), &err, "predict");
    int64_t wrong = 0;
    for (int64_t i = 0; i < pt_dataset_n_examples(test); i++)
        wrong += strcmp(pt_model_class_name(model, pt_prediction_labels(prediction)[i]),
                        pt_dataset_class_name(test, pt_dataset_class(test, i))) != 0;
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_dataset_free(test);
    pt_dataset_free(train);
    return wrong;
}

static void test_search__scale_per_fold_is_a_loop_over_folds(void **state)
{
    (void)state;
    static char lines[ROWS][LINE];
    static const char *const HOW[] = {"sigma=0.4,ridge=0.05", "sigma=0.4,ridge=0.05,scale=standard",
                                      "sigma=1,ridge=0.5,missing=indicator",
                                      "kernel=linear,ridge=0.1,class-weight={a=2}"};
    int64_t class_of[ROWS];
    int64_t fold[ROWS];
    pt_error err = PT_ERROR_INIT;
    int differs = 0;
    make_lines(lines, class_of);
    small_must(pt_folds(fold, ROWS, class_of, 3, FOLDS, true, 1, 0, &err), &err, "folds");
    pt_dataset *data = read_lines(lines, fold, -1, false);
    for (size_t h = 0; h < sizeof HOW / sizeof *HOW; h++) {
        pt_params *params = small_params(HOW[h]);
        pt_report *all_rows = NULL;
        pt_report *per_fold = NULL;
        int64_t wrong = 0;
        small_must(pt_params_parse(params, "precision=double,folds=5", &err), &err, "folds");
        for (int64_t f = 0; f < FOLDS; f++)
            wrong += wrong_in_fold(lines, fold, f, params);
        small_must(
            pt_cross_validate(&all_rows, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, "all rows");
        small_must(pt_params_set(params, "scale-per-fold", "yes", &err), &err, "parameter");
        small_must(
            pt_cross_validate(&per_fold, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, "per fold");
        assert_true(pt_report_number_at(per_fold, "errors", 0, 0, 0) == (double)wrong / ROWS);
        assert_string_equal(pt_report_text(per_fold, "method"), "brute force");
        differs += scores_of(per_fold, 0)[5] != scores_of(all_rows, 0)[5];
        pt_report_free(per_fold);
        pt_report_free(all_rows);
        pt_params_free(params);
    }
    assert_true(differs > 0); /* otherwise the test could not tell */
    pt_dataset_free(data);
}

static void test_search__a_precomputed_kernel_has_no_preparation(void **state)
{
    (void)state;
    static const double square[] = {2, 1, 0, 1, 2, 1, 0, 1, 2};
    static const int64_t y[] = {0, 1, 0};
    small s = {3, 3, 2, (double *)square, (int64_t *)y, NULL};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = small_dataset(&s);
    pt_params *params = small_params("kernel=precomputed,ridge=1,folds=2,scale-per-fold=yes");
    pt_report *search = NULL;
    assert_int_equal(
        pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
        PT_EINVAL);
    assert_non_null(strstr(err.text, "`scale-per-fold"));
    pt_params_free(params);
    pt_dataset_free(data);
}

/* ---- several machines ------------------------------------------------------------------------ */

/* Every machine of the registry beside another set of parameters of the first. */
static void test_search__machines_share_their_folds(void **state)
{
    (void)state;
    small cloud = small_clouds(60, 3, 3, 4);
    pt_dataset *data = small_dataset(&cloud);
    const int64_t n = pt_registry_count("machines");
    for (int64_t i = 0; i < n; i++) {
        pt_error err = PT_ERROR_INIT;
        char again[80];
        const char *name = pt_registry_name("machines", i);
        const char *const machines[] = {name, "onelsm:kernel=linear,ridge=1", name};
        pt_params *common = small_params("folds=3,repeat=2");
        pt_params *params[3] = {NULL, NULL, NULL};
        pt_report *searches[3] = {NULL, NULL, NULL};
        pt_report *alone = NULL;
        snprintf(again, sizeof again, "machine %s", name);
        small_must(pt_params_for_machines(params, common, machines, 3, &err), &err, again);
        small_must(pt_cross_validate(searches, NULL, data, (const pt_params *const *)params, 3,
                                     NULL, &err),
                   &err, again);
        small_must(pt_params_set(common, "machine", name, &err), &err, again);
        small_must(
            pt_cross_validate(&alone, NULL, data, &(const pt_params *){common}, 1, NULL, &err),
            &err, again);
        for (int64_t r = 0; r < 2; r++) {
            assert_true(pt_report_number_at(searches[0], "errors", 0, r, 0) ==
                        pt_report_number_at(searches[2], "errors", 0, r, 0));
            assert_true(pt_report_number_at(searches[0], "errors", 0, r, 0) ==
                        pt_report_number_at(alone, "errors", 0, r, 0));
        }
        pt_report_free(alone);
        for (int m = 0; m < 3; m++) {
            pt_report_free(searches[m]);
            pt_params_free(params[m]);
        }
        pt_params_free(common);
    }
    pt_dataset_free(data);
    small_free(&cloud);
}

/* Points without an answer are told in the words of the machine: not all have a ridge. */
static void test_search__why_there_is_no_answer(void **state)
{
    (void)state;
    small cloud = small_clouds(40, 2, 3, 5);
    pt_dataset *data = small_dataset(&cloud);
    pt_error err = PT_ERROR_INIT;
    pt_report *search = NULL;
    static const char *const NONE[][2] = {
        {"machine=vo-svm,kernel=sigmoid,sigma=1,coef0=-4,folds=4", "semidefinite"},
        {"machine=onelsm,kernel=sigmoid,sigma=1,coef0=-4,ridge=1e-3,folds=4", "raise `ridge`"}};
    for (int i = 0; i < 2; i++) {
        pt_params *params = small_params(NONE[i][0]);
        assert_int_equal(
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            PT_ENUMERIC);
        assert_non_null(strstr(err.text, "no point has an answer"));
        if (!strstr(err.text, NONE[i][1]) || (i == 0 && strstr(err.text, "ridge")))
            fail_msg("%s: '%s'", NONE[i][0], err.text);
        pt_params_free(params);
    }
    pt_params *some = small_params("kernel=sigmoid,sigma=1,coef0=-4,folds=4,grid={ridge=1e-3,1e6}");
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){some}, 1, NULL, &err),
               &err, "some points");
    const char *last = "";
    for (int64_t i = 0; i < pt_report_length(search, "warning"); i++)
        if (strstr(pt_report_text_at(search, "warning", i, 0, 0),
                   "1 of 2 points has no answer; the first: "))
            last = pt_report_text_at(search, "warning", i, 0, 0);
    assert_non_null(strstr(last, "raise `ridge`"));
    pt_report_free(search);
    pt_params_free(some);
    pt_dataset_free(data);
    small_free(&cloud);
}

static void test_search__small_classes_are_told(void **state)
{
    (void)state;
    small cloud = small_clouds(31, 2, 3, 5); /* 11, 10 and 10 rows */
    cloud.y[30] = 7;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = small_dataset(&cloud);
    static const struct {
        const char *how;
        int warnings;
    } CASES[] = {{"folds=10", 1}, {"folds=2", 1}, {"loo=yes", 0}};
    for (int c = 0; c < 3; c++) {
        pt_params *params = small_params("sigma=1,ridge=1");
        pt_report *search = NULL;
        small_must(pt_params_parse(params, CASES[c].how, &err), &err, "how");
        small_must(
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, "search");
        assert_int_equal(pt_report_length(search, "warning"), CASES[c].warnings);
        if (CASES[c].warnings)
            assert_non_null(strstr(pt_report_text_at(search, "warning", 0, 0, 0), "'7', has 1"));
        pt_report_free(search);
        pt_params_free(params);
    }
    pt_dataset_free(data);
    small_free(&cloud);
}

/* ---- what trainings warn of ------------------------------------------------------------------ */

enum { SPOTS = 12, SPOT_FOLDS = 4, SPOT_REPEATS = 2 };

/* Two classes in the plane: row 0 lies among those of the other class, on a line with them. */
static const double SPOT[SPOTS][2] = {{2, 0}, {1, 0}, {1.2, 0}, {1.4, 0}, {2.6, 0}, {2.8, 0},
                                      {3, 0}, {0, 5}, {1, 5},   {2, 5},   {1, 6},   {2, 6}};
static const int64_t SPOT_CLASS[SPOTS] = {1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};

static int64_t spot_fold(int64_t i, int64_t repeat)
{
    return (i + repeat) % SPOT_FOLDS;
}

static pt_dataset *spots(void)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    small_must(
        pt_dataset_from_dense(&data, &(pt_dense){PT_F64, SPOT, SPOTS, 2, 2, 1}, PT_COPY, &err),
        &err, "rows");
    small_must(pt_dataset_set_classes(data, PT_I64, SPOT_CLASS, NULL, 0, &err), &err, "classes");
    return data;
}

/* *first <- what the first training without a fold says of its convergence; returns how many do. */
static int count_unfinished(char *first, size_t size, const pt_dataset *data,
                            const pt_params *params, int64_t repeats)
{
    int count = 0;
    for (int64_t r = 0; r < repeats; r++)
        for (int64_t f = 0; f < SPOT_FOLDS; f++) {
            pt_error err = PT_ERROR_INIT;
            int64_t rows[SPOTS];
            int64_t n = 0;
            pt_dataset *part = NULL;
            pt_model *model = NULL;
            pt_report *said = NULL;
            for (int64_t i = 0; i < SPOTS; i++)
                if (spot_fold(i, r) != f)
                    rows[n++] = i;
            small_must(pt_dataset_rows(&part, data, rows, n, &err), &err, "part");
            small_must(pt_model_train(&model, part, params, NULL, &err), &err, "train");
            small_must(pt_model_report(&said, model, &err), &err, "report");
            for (int64_t w = 0; w < pt_report_length(said, "warning"); w++)
                if (strcmp(pt_report_text_at(said, "warning_kind", w, 0, 0), "convergence") == 0 &&
                    count++ == 0)
                    snprintf(first, size, "%s", pt_report_text_at(said, "warning", w, 0, 0));
            pt_report_free(said);
            pt_model_free(model);
            pt_dataset_free(part);
        }
    return count;
}

/* The one warning of convergence of a search, or "". */
static void unfinished_words(char *words, size_t size, const pt_dataset *data,
                             const pt_params *params, int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_task *task = small_task(threads);
    pt_report *search = NULL;
    words[0] = '\0';
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, task, &err),
               &err, "search");
    for (int64_t w = 0; w < pt_report_length(search, "warning"); w++)
        if (strcmp(pt_report_text_at(search, "warning_kind", w, 0, 0), "convergence") == 0) {
            assert_string_equal(words, ""); /* once */
            snprintf(words, size, "%s", pt_report_text_at(search, "warning", w, 0, 0));
        }
    pt_report_free(search);
    pt_task_free(task);
}

static void test_search__says_what_its_trainings_warn_of(void **state)
{
    (void)state;
    char first[PT_ERROR_TEXT];
    char said[PT_ERROR_TEXT];
    char words[2 * PT_ERROR_TEXT];
    int64_t fold[SPOTS][SPOT_REPEATS];
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = spots();
    pt_params *params =
        small_params("machine=constraint,method=online,update=perceptron,epochs=0,scale=none");
    pt_params *closed = small_params("machine=onelsm,sigma=1,ridge=1");
    const int count = count_unfinished(first, sizeof first, data, params, SPOT_REPEATS);
    assert_true(count > 0 && count < SPOT_FOLDS * SPOT_REPEATS);
    for (int64_t i = 0; i < SPOTS; i++)
        for (int64_t r = 0; r < SPOT_REPEATS; r++)
            fold[i][r] = spot_fold(i, r);
    const pt_dense folds = {PT_I64, fold, SPOTS, SPOT_REPEATS, SPOT_REPEATS, 1};
    small_must(pt_dataset_set_role(data, "fold", &folds, &err), &err, "folds");
    for (int threads = 1; threads <= 4; threads++) {
        if (threads > 1 && !test_in_share())
            continue;
        snprintf(words, sizeof words, "in %d of %d trainings: %s", count, SPOT_FOLDS * SPOT_REPEATS,
                 first);
        unfinished_words(said, sizeof said, data, params, threads);
        assert_string_equal(said, words);
    }
    small_must(pt_params_set(params, "grid", "update=perceptron,pa", &err), &err, "grid");
    unfinished_words(said, sizeof said, data, params, 1);
    assert_non_null(strstr(said, " of 16 trainings: "));
    unfinished_words(words, sizeof words, data, params, 3);
    assert_string_equal(said, words);
    unfinished_words(said, sizeof said, data, closed, 1);
    assert_string_equal(said, "");
    pt_params_free(closed);
    pt_params_free(params);
    pt_dataset_free(data);
}

/* ---- ... of folds that begin with the answer on all rows ------------------------------------- */

enum { WARM_ROWS = 45, WARM_REPEATS = 2 };

/* Repetition 0 has three folds, repetition 1 two, and rows that are never held out. */
static int64_t warm_fold(int64_t i, int64_t repeat)
{
    return repeat == 0 ? i / 3 % 3 : i % 4 == 3 ? -1 : i / 3 % 2;
}

/* The folds of all repetitions; or fold f alone, of repetition r. */
static void set_warm_folds(pt_dataset *data, int64_t r, int64_t f)
{
    int64_t fold[WARM_ROWS * WARM_REPEATS];
    pt_error err = PT_ERROR_INIT;
    const int64_t repeats = r < 0 ? WARM_REPEATS : 1;
    for (int64_t i = 0; i < WARM_ROWS; i++)
        for (int64_t q = 0; q < repeats; q++)
            fold[i * repeats + q] = r < 0 ? warm_fold(i, q) : warm_fold(i, r) == f ? 0 : -1;
    const pt_dense folds = {PT_I64, fold, WARM_ROWS, repeats, repeats, 1};
    small_must(pt_dataset_set_role(data, "fold", &folds, &err), &err, "folds");
}

typedef struct remark {
    int count; /* of the trainings that say it; 0: none does */
    int all;
    char text[2 * PT_ERROR_TEXT];
} remark;

/* The one warning of convergence of a search over a grid. */
static remark warm_remark(const pt_dataset *data, const char *machine, const char *grid,
                          int threads)
{
    char words[2 * PT_ERROR_TEXT];
    remark r = {0};
    int begin = 0;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(machine);
    small_must(pt_params_set(params, "grid", grid, &err), &err, "grid");
    unfinished_words(words, sizeof words, data, params, threads);
    if (words[0])
        assert_int_equal(sscanf(words, "in %d of %d training%*[s]: %n", &r.count, &r.all, &begin),
                         2);
    snprintf(r.text, sizeof r.text, "%s", words + begin);
    pt_params_free(params);
    return r;
}

/* As many as say it fold by fold, at each point that is asked for alone with those before it on its
 * chain; the text is that of the first, by point, repetition and fold. */
static void test_search__says_what_folds_that_begin_with_the_answer_warn_of(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=spoc,sigma=1,gap=1e-15", "machine=ww,sigma=1,gap=1e-15",
        "machine=vo-svm,sigma=1,gap=1e-15,bias=yes,labelbook=mincorr"};
    static const int FOLDS_OF[WARM_REPEATS] = {3, 2};
    int some = 0;
    small cloud = small_clouds(WARM_ROWS, 2, 3, 6);
    pt_dataset *data = small_dataset(&cloud);
    for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
        if (m > 0 && test_share() > 4 && !test_in_share())
            continue;
        int count = 0;
        remark said[2] = {0}; /* of each point: what its first fold says */
        for (int64_t r = 0; r < WARM_REPEATS; r++)
            for (int64_t f = 0; f < FOLDS_OF[r]; f++) {
                set_warm_folds(data, r, f);
                const remark low = warm_remark(data, MACHINES[m], "C=1", 1);
                const remark both = warm_remark(data, MACHINES[m], "C=1000,1", 1);
                const remark *of[] = {&both, &low};
                const int says[] = {both.count - low.count, low.count};
                for (int p = 0; p < 2; p++) {
                    assert_true(says[p] == 0 || says[p] == 1);
                    if (says[p] && said[p].count++ == 0)
                        memcpy(said[p].text, of[p]->text, sizeof said[p].text);
                    count += says[p];
                }
            }
        const char *first = said[said[0].count > 0 ? 0 : 1].text;
        some += count > 0 && count < 10;
        set_warm_folds(data, -1, 0);
        for (int threads = 1; threads <= 4; threads++) {
            if (threads > 1 && !test_in_share())
                continue;
            const remark whole = warm_remark(data, MACHINES[m], "C=1000,1", threads);
            assert_int_equal(whole.count, count);
            assert_string_equal(whole.text, first);
            assert_true(count == 0 || whole.all == 10);
        }
    }
    assert_true(some > (test_share() > 4 ? 0 : 1));
    pt_dataset_free(data);
    small_free(&cloud);
}

/* Both ways in one search: each counts its own, and the first point has the word. */
static void test_search__counts_trainings_of_both_ways_together(void **state)
{
    (void)state;
    static const char MACHINE[] = "machine=spoc,gap=1e-15,C=1000";
    small cloud = small_clouds(WARM_ROWS, 2, 3, 6);
    pt_dataset *data = small_dataset(&cloud);
    set_warm_folds(data, -1, 0);
    const remark linear = warm_remark(data, MACHINE, "kernel=linear", 2);
    const remark rbf = warm_remark(data, MACHINE, "kernel=rbf", 2);
    assert_true(linear.count > 0 && rbf.count > 0);
    for (int turn = 0; turn < 2; turn++) {
        const remark both =
            warm_remark(data, MACHINE, turn ? "kernel=rbf,linear" : "kernel=linear,rbf", 2);
        assert_int_equal(both.count, linear.count + rbf.count);
        assert_int_equal(both.all, linear.all + rbf.all);
        assert_string_equal(both.text, turn ? rbf.text : linear.text);
    }
    pt_dataset_free(data);
    small_free(&cloud);
}

/* Of nested folds those of the machine that each trains on what it has chosen: of one point. */
static void test_search__says_what_nested_folds_warn_of(void **state)
{
    (void)state;
    char first[PT_ERROR_TEXT];
    char said[PT_ERROR_TEXT] = "";
    char words[2 * PT_ERROR_TEXT];
    int64_t fold[SPOTS];
    pt_error err = PT_ERROR_INIT;
    pt_report *search = NULL;
    pt_dataset *data = spots();
    pt_params *params =
        small_params("machine=constraint,method=online,update=perceptron,epochs=0,scale=none");
    const int count = count_unfinished(first, sizeof first, data, params, 1);
    assert_true(count > 0 && count < SPOT_FOLDS);
    for (int64_t i = 0; i < SPOTS; i++)
        fold[i] = spot_fold(i, 0);
    const pt_dense folds = {PT_I64, fold, SPOTS, 1, 1, 1};
    small_must(pt_dataset_set_role(data, "fold", &folds, &err), &err, "folds");
    small_must(pt_params_set(params, "grid", "update=perceptron", &err), &err, "grid");
    small_must(pt_params_set(params, "nested", "yes", &err), &err, "nested");
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, "search");
    for (int64_t w = 0; w < pt_report_length(search, "warning"); w++)
        if (strstr(pt_report_text_at(search, "warning", w, 0, 0), "of nested folds: ")) {
            assert_string_equal(said, ""); /* once */
            snprintf(said, sizeof said, "%s", pt_report_text_at(search, "warning", w, 0, 0));
        }
    snprintf(words, sizeof words, "in %d of %d trainings of nested folds: %s", count, SPOT_FOLDS,
             first);
    assert_string_equal(said, words);
    pt_report_free(search);
    pt_params_free(params);
    pt_dataset_free(data);
}

/* ---- stopped, and gone on -------------------------------------------------------------------- */

static char folder[] = "/tmp/polytomy_search_XXXXXX";
static char file[64];

typedef struct stopper {
    pt_task *task;
    double after; /* a share of the bar; 0: never */
} stopper;

static void on_progress(const char *stage, double done, double total, void *user)
{
    const stopper *s = user;
    (void)stage;
    if (s->after > 0 && done >= s->after && done < total)
        pt_task_cancel(s->task);
}

static pt_status search_until(pt_report **searches, const pt_dataset *data, pt_params **params,
                              int64_t n, double after, pt_error *err)
{
    stopper s = {small_task(1), after};
    pt_task_on_progress(s.task, on_progress, &s);
    pt_task_hear_all(s.task);
    const pt_status status =
        pt_cross_validate(searches, NULL, data, (const pt_params *const *)params, n, s.task, err);
    pt_task_free(s.task);
    return status;
}

static void assert_same(const pt_report *a, const pt_report *b)
{
    assert_int_equal(pt_report_integer(a, "best"), pt_report_integer(b, "best"));
    for (int64_t p = 0; p < pt_report_integer(a, "n_points"); p++)
        for (int64_t r = 0; r < pt_report_integer(a, "n_repeats"); r++)
            assert_true(pt_report_number_at(a, "errors", p, r, 0) ==
                        pt_report_number_at(b, "errors", p, r, 0));
    const size_t bytes =
        (size_t)(pt_report_integer(a, "n_examples") * pt_report_integer(a, "n_classes")) *
        sizeof(double);
    for (int64_t r = 0; r < pt_report_integer(a, "n_repeats"); r++)
        assert_memory_equal(scores_of(a, r), scores_of(b, r), bytes);
}

/* Closed form and brute force; each stopped at several moments. */
static void test_search__goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    static const char *const HOW[] = {"scale-per-fold=no", "scale-per-fold=yes"};
    static const double AFTER[] = {0.14, 0.2, 0.25}; /* points of the first: from 0.12 to 0.28 */
    small cloud = small_clouds(50, 2, 3, 6);
    pt_dataset *data = small_dataset(&cloud);
    const char *const machines[] = {"onelsm", "onelsm:labelbook=indicator"};
    for (size_t h = 0; h < 2; h++) {
        pt_error err = PT_ERROR_INIT;
        pt_params *params[2] = {NULL, NULL};
        pt_report *whole[2] = {NULL, NULL};
        pt_params *common = small_params("folds=3,repeat=2,grid={ridge=0.1:6.4,sigma=1,2,4}");
        small_must(pt_params_parse(common, HOW[h], &err), &err, "how");
        small_must(pt_params_for_machines(params, common, machines, 2, &err), &err, "params");
        small_must(search_until(whole, data, params, 2, 0, &err), &err, "whole");
        assert_int_equal(pt_report_integer(whole[0], "n_computed"), 21);
        small_must(pt_params_set(params[0], "resume", file, &err), &err, "resume");
        for (size_t a = 0; a < 3; a++) {
            if (!test_in_share_of(3))
                continue;
            pt_report *part[2] = {NULL, NULL};
            unlink(file);
            assert_int_equal(search_until(part, data, params, 2, AFTER[a], &err), PT_ECANCELLED);
            assert_non_null(strstr(err.text, file)); /* how to go on */
            small_must(search_until(part, data, params, 2, 0, &err), &err, "resumed");
            assert_true(pt_report_integer(part[0], "n_computed") < 21);
            assert_true(pt_report_integer(part[1], "n_computed") == 21); /* had not begun */
            assert_same(part[0], whole[0]);
            assert_same(part[1], whole[1]);
            pt_report_free(part[0]);
            pt_report_free(part[1]);
            small_must(search_until(part, data, params, 2, 0, &err), &err, "again");
            assert_int_equal(pt_report_integer(part[0], "n_computed"), 0);
            assert_int_equal(pt_report_integer(part[1], "n_computed"), 0);
            assert_same(part[0], whole[0]);
            pt_report_free(part[0]);
            pt_report_free(part[1]);
        }
        for (int m = 0; m < 2; m++) {
            pt_report_free(whole[m]);
            pt_params_free(params[m]);
        }
        pt_params_free(common);
    }
    pt_dataset_free(data);
    small_free(&cloud);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/cv", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search__scale_per_fold_is_a_loop_over_folds),
        cmocka_unit_test(test_search__a_precomputed_kernel_has_no_preparation),
        cmocka_unit_test(test_search__machines_share_their_folds),
        cmocka_unit_test(test_search__why_there_is_no_answer),
        cmocka_unit_test(test_search__small_classes_are_told),
        cmocka_unit_test(test_search__says_what_its_trainings_warn_of),
        cmocka_unit_test(test_search__says_what_folds_that_begin_with_the_answer_warn_of),
        cmocka_unit_test(test_search__counts_trainings_of_both_ways_together),
        cmocka_unit_test(test_search__says_what_nested_folds_warn_of),
        cmocka_unit_test(test_search__goes_on_where_it_was_stopped),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
