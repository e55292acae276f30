/* Model files of every released version stay readable and predict what they did. For each
 * tests/golden/NAME.model there are the data (NAME.csv or NAME.svm), the labels (NAME.labels, one a
 * line) and the scores (NAME.scores, CSV with class names) that were printed when it was made; see
 * tests/golden/make.sh. Scores may differ by rounding between machines, labels may not. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"

#ifndef PT_SOURCE_DIR
#define PT_SOURCE_DIR "." /* compiled by hand, run in the root of the tree */
#endif
#define FOLDER PT_SOURCE_DIR "/tests/golden"
static const double TOLERANCE = 1e-5;

/* A text file, ended by 0: free() it. NULL if there is none. */
static char *slurp(const char *name, const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", FOLDER, name, ending);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = calloc(1 << 20, 1);
    const size_t size = fread(text, 1, (1 << 20) - 1, file);
    assert_true(size > 0 && size < (1 << 20) - 1);
    fclose(file);
    return text;
}

/* The next line of *text without its end; NULL at the end. */
static char *next_line(char **text)
{
    char *line = *text;
    if (!line || !*line)
        return NULL;
    char *end = strchr(line, '\n');
    if (end)
        *end = '\0';
    *text = end ? end + 1 : line + strlen(line);
    return line;
}

static pt_dataset *read_data(const pt_model *model, const char *name)
{
    static const char *const endings[] = {".csv", ".svm"};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    for (int i = 0; i < 2 && !data; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s%s", FOLDER, name, endings[i]);
        if (access(path, R_OK) == 0)
            small_must(pt_model_read(&data, model, path, NULL, NULL, &err), &err, path);
    }
    if (!data)
        fail_msg("%s has no data", name);
    return data;
}

static void expect_labels(const pt_model *model, const pt_prediction *prediction, const char *name)
{
    char *text = slurp(name, ".labels");
    char *rest = text;
    assert_non_null(text);
    for (int64_t i = 0; i < pt_prediction_n_examples(prediction); i++) {
        const char *want = next_line(&rest);
        const char *got = pt_model_class_name(model, pt_prediction_labels(prediction)[i]);
        assert_non_null(want);
        assert_string_equal(want, got);
    }
    assert_null(next_line(&rest));
    free(text);
}

static void expect_scores(const pt_model *model, const pt_prediction *prediction, const char *name)
{
    const int64_t k = pt_model_n_classes(model);
    const double *scores = pt_prediction_scores(prediction);
    char *text = slurp(name, ".scores");
    char *rest = text;
    assert_non_null(text);
    assert_non_null(next_line(&rest)); /* the names of the classes */
    for (int64_t i = 0; i < pt_prediction_n_examples(prediction); i++) {
        char *at = next_line(&rest);
        assert_non_null(at);
        for (int64_t r = 0; r < k; r++) {
            char *end = NULL;
            const double want = strtod(at, &end);
            assert_true(end != at && *end == (r + 1 < k ? ',' : '\0'));
            at = end + 1;
            if (!(fabs(want - scores[i * k + r]) <= TOLERANCE * fmax(1, fabs(want))))
                fail_msg("%s, row %lld, class %lld: %.9g then, %.9g now", name, (long long)i + 1,
                         (long long)r, want, scores[i * k + r]);
        }
    }
    assert_null(next_line(&rest));
    free(text);
}

static void check_model(const char *name)
{
    pt_error err = PT_ERROR_INIT;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.model", FOLDER, name);
    pt_model *model = NULL;
    small_must(pt_model_load(&model, path, NULL, &err), &err, path);
    pt_dataset *data = read_data(model, name);
    pt_prediction *prediction = small_predict(model, data, 1);
    expect_labels(model, prediction, name);
    expect_scores(model, prediction, name);
    pt_prediction_free(prediction);
    pt_dataset_free(data);
    pt_model_free(model);
}

static void test_golden__old_models_predict_as_they_did(void **state)
{
    (void)state;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    int found = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[256];
        snprintf(name, sizeof name, "%s", entry->d_name);
        char *dot = strrchr(name, '.');
        if (!dot || strcmp(dot, ".model") != 0)
            continue;
        *dot = '\0';
        check_model(name);
        found++;
    }
    closedir(folder);
    assert_true(found >= 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden__old_models_predict_as_they_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
