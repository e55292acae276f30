/* The synthetic problems have the properties that their papers give them. */
/* labels: heavy */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/share.h"
#include "base/alloc.h"
#include "data/synth/synth.h"
#include "polytomy/experimental.h"

static pt_dataset *synth(const char *name, int64_t n, const char *options)
{
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_parse(params, options, &err), PT_OK);
    if (pt_dataset_synth(&data, name, n, params, &err) != PT_OK)
        fail_msg("%s", err.text);
    pt_params_free(params);
    return data;
}

static void assert_refused(const char *name, int64_t n, const char *options, const char *part)
{
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_parse(params, options, &err), PT_OK);
    assert_int_equal(pt_dataset_synth(&data, name, n, params, &err), PT_EINVAL);
    if (!strstr(err.text, part))
        fail_msg("'%s' is not in: %s", part, err.text);
    assert_null(data);
    pt_params_free(params);
}

/* The class as the number that its name says. */
static int64_t class_number(const pt_dataset *data, int64_t i)
{
    return strtoll(pt_dataset_class_name(data, pt_dataset_class(data, i)), NULL, 10);
}

/* ---- every problem ---- */

static void test_synth__the_papers_number_and_names(void **state)
{
    (void)state;
    for (int64_t s = 0; pt_synths[s]; s++) {
        pt_dataset *data = synth(pt_synths[s]->name, 0, "");
        assert_int_equal(data->n, pt_synths[s]->default_n);
        assert_string_equal(data->label_name, "class");
        assert_string_equal(data->source, pt_synths[s]->name);
        assert_string_equal(pt_dataset_feature_name(data, 0), data->d == 1 ? "x" : "x1");
        assert_true(pt_dataset_n_classes(data) >= 3);
        assert_false(pt_dataset_has_missing(data));
        pt_dataset_free(data);
    }
}

static void test_synth__comes_from_the_seed_alone(void **state)
{
    (void)state;
    const char *names[] = {"ass", "cs", "hrz"};
    for (int s = 0; s < 3; s++) {
        pt_dataset *a = synth(names[s], 60, "seed=5");
        pt_dataset *b = synth(names[s], 60, "seed=5");
        pt_dataset *c = synth(names[s], 60, "seed=6");
        const size_t bytes = (size_t)(a->n * a->d) * sizeof(double);
        assert_memory_equal(a->value, b->value, bytes);
        assert_memory_not_equal(a->value, c->value, bytes);
        for (int64_t i = 0; i < 60; i++)
            assert_int_equal(pt_dataset_class(a, i), pt_dataset_class(b, i));
        pt_dataset_free(a);
        pt_dataset_free(b);
        pt_dataset_free(c);
    }
}

static void test_synth__larger_draws_begin_with_smaller_ones(void **state)
{
    (void)state;
    const char *names[] = {"cs", "hrz"};
    for (int s = 0; s < 2; s++) {
        pt_dataset *small = synth(names[s], 50, "");
        pt_dataset *large = synth(names[s], 130, "");
        assert_memory_equal(small->value, large->value,
                            (size_t)(small->n * small->d) * sizeof(double));
        for (int64_t i = 0; i < 50; i++)
            assert_int_equal(class_number(small, i), class_number(large, i));
        pt_dataset_free(small);
        pt_dataset_free(large);
    }
}

/* ---- files ---- */

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The file that is made in blocks against the one of all rows at once; what is told of it. */
static void check_file(const char *name, int64_t n, const char *ending)
{
    char whole_path[64];
    char path[64];
    snprintf(whole_path, sizeof whole_path, "test_synth_whole%s", ending);
    snprintf(path, sizeof path, "test_synth_blocks%s", ending);
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = synth(name, n, "");
    pt_dataset *sample = NULL;
    int64_t written = -1;
    assert_int_equal(pt_dataset_write(data, whole_path, NULL, NULL, &err), PT_OK);
    if (pt_synth_write(&sample, &written, name, n, NULL, path, NULL, NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    size_t size = 0;
    size_t whole_size = 0;
    char *bytes = slurp(path, &size);
    char *whole = slurp(whole_path, &whole_size);
    assert_int_equal(size, whole_size);
    assert_memory_equal(bytes, whole, size);
    assert_int_equal(written, data->n);
    assert_int_equal(sample->d, data->d);
    assert_string_equal(sample->label_name, data->label_name);
    assert_int_equal(pt_dataset_n_classes(sample), pt_dataset_n_classes(data));
    for (int64_t r = 0; r < pt_dataset_n_classes(data); r++)
        assert_string_equal(pt_dataset_class_name(sample, r), pt_dataset_class_name(data, r));
    free(whole);
    free(bytes);
    pt_dataset_free(sample);
    pt_dataset_free(data);
    remove(path);
    remove(whole_path);
}

static void test_synth_write__blocks_give_the_bytes_of_the_whole(void **state)
{
    (void)state;
    enum { HRZ_BLOCK = (1 << 18) / 100, CS_BLOCK = (1 << 18) / 2 };
    static const char *const ENDINGS[] = {".csv", ".tsv", ".svm", ".csv.gz", ".svm.zst"};
    for (int e = 0; e < 5; e++) {
        if (!test_in_share())
            continue;
        check_file("hrz", 2 * HRZ_BLOCK + 7, ENDINGS[e]);
        check_file("ass", 0, ENDINGS[e]);
    }
    check_file("hrz", HRZ_BLOCK, ".svm");
    check_file("hrz", HRZ_BLOCK + 1, ".csv");
    check_file("hrz", 1, ".svm");
    check_file("cs", CS_BLOCK + 3, ".csv");
    check_file("cs", CS_BLOCK + 3, ".svm");
    check_file("cs", 0, ".csv");
    check_file("hrz-ova", 0, ".csv");
}

/* Rows of one class are not those of all: the sample has the classes that were written. */
static void test_synth_write__the_sample_is_of_the_rows(void **state)
{
    (void)state;
    const char *path = "test_synth_sample.csv";
    for (int64_t n = 1; n <= 12; n++) {
        pt_error err = PT_ERROR_INIT;
        pt_dataset *data = synth("cs", n, "");
        pt_dataset *sample = NULL;
        assert_int_equal(pt_synth_write(&sample, NULL, "cs", n, NULL, path, NULL, NULL, &err),
                         PT_OK);
        int64_t firsts[4];
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++) {
            bool fresh = true;
            for (int64_t j = 0; j < i; j++)
                fresh = fresh && class_number(data, i) != class_number(data, j);
            if (fresh)
                firsts[count++] = class_number(data, i) * 100 + i;
        }
        qsort(firsts, (size_t)count, sizeof *firsts, compare_numbers);
        assert_int_equal(sample->n, count);
        for (int64_t r = 0; r < count; r++) {
            assert_int_equal(class_number(sample, r), firsts[r] / 100);
            assert_memory_equal((double *)sample->value + 2 * r,
                                (double *)data->value + 2 * (firsts[r] % 100), 2 * sizeof(double));
        }
        pt_dataset_free(sample);
        pt_dataset_free(data);
    }
    remove(path);
}

static void test_synth_write__refuses_and_leaves_no_file(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    const char *path = "test_synth_refused.csv";
    assert_int_equal(pt_synth_write(NULL, NULL, "none", 5, NULL, path, NULL, NULL, &err),
                     PT_EINVAL);
    assert_int_equal(pt_synth_write(NULL, NULL, "cs", -5, NULL, path, NULL, NULL, &err), PT_EINVAL);
    assert_int_equal(pt_synth_write(NULL, NULL, "cs", 5, NULL, path, "arff", NULL, &err),
                     pt_synth_write(NULL, NULL, "ass", 5, NULL, path, "arff", NULL, &err));
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_cancel(task);
    assert_int_equal(pt_synth_write(NULL, NULL, "cs", INT64_MAX, NULL, path, NULL, task, &err),
                     PT_ECANCELLED);
    pt_task_free(task);
    assert_null(fopen(path, "rb"));
}

static void test_synth__wrong_use_is_refused(void **state)
{
    (void)state;
    assert_refused("nothing", 0, "", "choose one of ass, cs, hrz, hrz-ova");
    assert_refused("ass", 3, "classes=4", "3 examples for 4 classes");
    assert_refused("ass", -1, "", "-1 examples");
    assert_refused("cs", 0, "classes=4", "leave out `classes`");
    assert_refused("hrz", 0, "classes=3", "leave out `classes`");
    assert_refused("hrz-ova", 10, "", "nine fixed points");
}

/* ---- each ---- */

static void check_ass(int64_t n, int64_t k)
{
    char options[32];
    snprintf(options, sizeof options, "classes=%d", (int)k);
    pt_dataset *data = synth("ass", n, options);
    assert_int_equal(pt_dataset_n_classes(data), k);
    double *least = malloc((size_t)(k + 1) * sizeof *least);
    double *most = malloc((size_t)(k + 1) * sizeof *most);
    int64_t *size = calloc((size_t)k + 1, sizeof *size);
    for (int64_t r = 1; r <= k; r++) {
        least[r] = INFINITY;
        most[r] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        const double x = fabs(((const double *)data->value)[i]);
        const int64_t r = class_number(data, i);
        assert_true(r >= 1 && r <= k);
        least[r] = fmin(least[r], x);
        most[r] = fmax(most[r], x);
        size[r]++;
    }
    for (int64_t r = 1; r <= k; r++) {
        assert_true(size[r] == n / k || size[r] == n / k + (n % k != 0));
        assert_true(r == 1 || most[r - 1] < least[r]); /* thresholds exist */
    }
    free(least);
    free(most);
    free(size);
    pt_dataset_free(data);
}

static void test_ass__classes_are_equal_slices_of_size(void **state)
{
    (void)state;
    for (int64_t k = 3; k <= 8; k++)
        check_ass(100 * k, k);
    check_ass(1003, 7);
    check_ass(5, 5);
    check_ass(2, 2);
    check_ass(5000, 5000);
}

static void test_ass__is_standard_normal(void **state)
{
    (void)state;
    enum { N = 40000 };
    pt_dataset *data = synth("ass", N, "");
    const double *x = data->value;
    double sum = 0;
    double square = 0;
    int64_t within = 0;
    for (int i = 0; i < N; i++) {
        sum += x[i];
        square += x[i] * x[i];
        within += fabs(x[i]) < 1;
    }
    assert_true(fabs(sum / N) < 0.025); /* 5 standard errors each */
    assert_true(fabs(square / N - 1) < 0.036);
    assert_true(fabs((double)within / N - 0.682689) < 0.012);
    pt_dataset_free(data);
}

static void test_cs__class_is_the_quadrant_and_points_fill_the_square(void **state)
{
    (void)state;
    enum { N = 40000, CELLS = 8 };
    pt_dataset *data = synth("cs", N, "");
    const double *x = data->value;
    int64_t count[CELLS][CELLS] = {{0}};
    for (int i = 0; i < N; i++) {
        const double x1 = x[2 * i];
        const double x2 = x[2 * i + 1];
        assert_true(x1 >= -1 && x1 < 1 && x2 >= -1 && x2 < 1);
        const int64_t expected = x1 >= 0 && x2 >= 0 ? 1 : x1 < 0 && x2 >= 0 ? 2 : x1 < 0 ? 3 : 4;
        assert_int_equal(class_number(data, i), expected);
        count[(int)((x1 + 1) / 2 * CELLS)][(int)((x2 + 1) / 2 * CELLS)]++;
    }
    for (int a = 0; a < CELLS; a++)
        for (int b = 0; b < CELLS; b++) /* 625 expected, sd 25 */
            assert_true(count[a][b] > 500 && count[a][b] < 750);
    pt_dataset_free(data);
}

/* Uniform in a ball: (|x| / R)^D is uniform in [0, 1], and no direction is preferred. */
static void test_hrz__points_are_uniform_in_the_ball(void **state)
{
    (void)state;
    enum { N = 4000, D = 100 };
    pt_dataset *data = synth("hrz", N, "");
    assert_int_equal(data->d, D);
    double mean_share = 0;
    double mean[D] = {0};
    for (int i = 0; i < N; i++) {
        const double *x = (const double *)data->value + (int64_t)i * D;
        double square = 0;
        for (int j = 0; j < D; j++) {
            square += x[j] * x[j];
            mean[j] += x[j] / N;
        }
        assert_true(sqrt(square) <= 2 * (1 + 1e-12));
        mean_share += pow(sqrt(square) / 2, D) / N;
    }
    assert_true(fabs(mean_share - 0.5) < 0.025); /* 5 standard errors */
    for (int j = 0; j < D; j++)                  /* coordinates: sd 0.2, error of the mean 0.003 */
        assert_true(fabs(mean[j]) < 0.017);
    pt_dataset_free(data);
}

/* Some three linear functions separate the classes: a perceptron on pairs finds them. */
static void test_hrz__classes_are_linear(void **state)
{
    (void)state;
    enum { N = 300, D = 100, K = 3, EPOCHS = 3000 };
    pt_dataset *data = synth("hrz", N, "seed=3");
    assert_int_equal(pt_dataset_n_classes(data), K);
    double w[K][D] = {{0}};
    int mistakes = 1;
    for (int epoch = 0; epoch < EPOCHS && mistakes > 0; epoch++) {
        mistakes = 0;
        for (int i = 0; i < N; i++) {
            const double *x = (const double *)data->value + (int64_t)i * D;
            const int64_t y = pt_dataset_class(data, i);
            for (int r = 0; r < K; r++) {
                double margin = 0;
                for (int j = 0; j < D; j++)
                    margin += (w[y][j] - w[r][j]) * x[j];
                if (r == y || margin > 0)
                    continue;
                mistakes++;
                for (int j = 0; j < D; j++) {
                    w[y][j] += x[j];
                    w[r][j] -= x[j];
                }
            }
        }
    }
    assert_int_equal(mistakes, 0);
    pt_dataset_free(data);
}

static void test_hrz_ova__is_the_papers_nine_points(void **state)
{
    (void)state;
    const double points[9][4] = {{-6, -6, 1, 10}, {-5, 6, 1, 1}, {-3, 5, 1, 1},
                                 {0, -1, 2, 1},   {2, 4, 0, 1},  {2, 6, 0, 1},
                                 {3, 5, 0, 10},   {4, 2, 0, 1},  {6, -6, 2, 10}};
    pt_dataset *data = synth("hrz-ova", 9, "");
    assert_int_equal(pt_dataset_n_examples(data), 9);
    for (int i = 0; i < 9; i++) {
        assert_true(((const double *)data->value)[2 * i] == points[i][0]);
        assert_true(((const double *)data->value)[2 * i + 1] == points[i][1]);
        assert_int_equal(class_number(data, i), (int)points[i][2]);
        assert_true(data->weights[i] == points[i][3]);
    }
    pt_dataset_free(data);
}

/* Half of the paper's claim: with a constant feature the constraint perceptron separates them.
 * (That one-vs-all fails is for the machines' tests.) */
static void test_hrz_ova__constraints_separate(void **state)
{
    (void)state;
    pt_dataset *data = synth("hrz-ova", 0, "");
    double w[3][3] = {{0}};
    int mistakes = 1;
    for (int epoch = 0; epoch < 1000 && mistakes > 0; epoch++) {
        mistakes = 0;
        for (int i = 0; i < 9; i++) {
            const double *p = (const double *)data->value + (int64_t)2 * i;
            const double x[3] = {p[0], p[1], 1};
            const int64_t y = class_number(data, i);
            for (int r = 0; r < 3; r++) {
                double margin = 0;
                for (int j = 0; j < 3; j++)
                    margin += (w[y][j] - w[r][j]) * x[j];
                if (r == y || margin > 0)
                    continue;
                mistakes++;
                for (int j = 0; j < 3; j++) {
                    w[y][j] += x[j];
                    w[r][j] -= x[j];
                }
            }
        }
    }
    assert_int_equal(mistakes, 0);
    pt_dataset_free(data);
}

static void test_synth__no_memory_leaves_nothing(void **state)
{
    (void)state;
    const int64_t before = pt_alloc_live();
    for (int64_t s = 0; pt_synths[s]; s++) {
        bool done = false;
        for (int64_t number = 1; !done; number += test_share()) {
            pt_dataset *data = NULL;
            pt_error err = PT_ERROR_INIT;
            pt_alloc_fail_from(number);
            pt_status status = pt_dataset_synth(&data, pt_synths[s]->name, 9, NULL, &err);
            pt_alloc_fail_from(0);
            done = status == PT_OK;
            assert_true(done || (status == PT_ENOMEM && err.code == PT_ENOMEM && !data));
            pt_dataset_free(data);
            assert_int_equal(pt_alloc_live(), before);
            assert_true(number < 1000);
        }
    }
}

static void test_synth_write__no_memory_leaves_nothing(void **state)
{
    (void)state;
    const char *path = "test_synth_memory.csv";
    const int64_t before = pt_alloc_live();
    for (int64_t s = 0; pt_synths[s]; s++) {
        bool done = false;
        for (int64_t number = 1; !done; number += test_share()) {
            pt_dataset *sample = NULL;
            pt_error err = PT_ERROR_INIT;
            pt_alloc_fail_from(number);
            const pt_status status =
                pt_synth_write(&sample, NULL, pt_synths[s]->name, 9, NULL, path, NULL, NULL, &err);
            pt_alloc_fail_from(0);
            done = status == PT_OK;
            assert_true(done || (status == PT_ENOMEM && err.code == PT_ENOMEM && !sample));
            pt_dataset_free(sample);
            assert_int_equal(pt_alloc_live(), before);
            assert_true(number < 1000);
        }
    }
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synth__the_papers_number_and_names),
        cmocka_unit_test(test_synth__comes_from_the_seed_alone),
        cmocka_unit_test(test_synth__larger_draws_begin_with_smaller_ones),
        cmocka_unit_test(test_synth_write__blocks_give_the_bytes_of_the_whole),
        cmocka_unit_test(test_synth_write__the_sample_is_of_the_rows),
        cmocka_unit_test(test_synth_write__refuses_and_leaves_no_file),
        cmocka_unit_test(test_synth__wrong_use_is_refused),
        cmocka_unit_test(test_ass__classes_are_equal_slices_of_size),
        cmocka_unit_test(test_ass__is_standard_normal),
        cmocka_unit_test(test_cs__class_is_the_quadrant_and_points_fill_the_square),
        cmocka_unit_test(test_hrz__points_are_uniform_in_the_ball),
        cmocka_unit_test(test_hrz__classes_are_linear),
        cmocka_unit_test(test_hrz_ova__is_the_papers_nine_points),
        cmocka_unit_test(test_hrz_ova__constraints_separate),
        cmocka_unit_test(test_synth__no_memory_leaves_nothing),
        cmocka_unit_test(test_synth_write__no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
