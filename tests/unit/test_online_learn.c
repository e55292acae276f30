/* Rows in memory teach what a file of the same rows does, at once and piece by piece. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/from_memory.h"
#include "../support/reports.h"
#include "../support/small_problem.h"

enum { N = 300, D = 4, K = 5 };

/* ---- files ----------------------------------------------------------------------------------- */

static void write_label(FILE *file, const char *kind, int64_t i, int64_t draw)
{
    const int64_t a = i % K;
    const int64_t b = (a + 1 + draw % (K - 1)) % K;
    const int64_t c = (b + 1) % K == a ? (b + 2) % K : (b + 1) % K;
    if (strcmp(kind, "class") == 0)
        fprintf(file, "c%d", (int)a);
    else if (strcmp(kind, "set") == 0 && draw % 5 > 0) /* some are empty */
        fprintf(file, draw % 2 ? "c%d" : "c%d;c%d", (int)a, (int)b);
    else if (strcmp(kind, "ranking") == 0)
        fprintf(file, draw % 3 ? "c%d>c%d" : "c%d=c%d", (int)b, (int)a);
    else if (strcmp(kind, "pairs") == 0)
        fprintf(file, "c%d>c%d;c%d>c%d", (int)a, (int)b, (int)a, (int)c);
}

/* Features that know of the label, not negative; new classes and features come late. */
static void write_rows(const char *path, const char *kind, bool sparse, uint64_t seed)
{
    FILE *file = fopen(path, "w");
    pt_random random;
    assert_non_null(file);
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    if (!sparse)
        fprintf(file, "f0,f1,f2,f3,class\n");
    for (int64_t i = 0; i < N; i++) {
        const int64_t draw = pt_random_below(&random, 60);
        char label[64] = "";
        FILE *text = fmemopen(label, sizeof label, "w");
        assert_non_null(text);
        write_label(text, kind, i < N / 2 ? i % 3 : i, draw);
        fclose(text);
        for (char *c = label; sparse && *c; c++) /* as that format has it */
            *c = *c == ';' ? ',' : *c;
        if (sparse)
            fprintf(file, "%s", label);
        for (int64_t j = 0; j < (sparse && i < N / 3 ? D - 1 : D); j++) {
            const double x = fabs(pt_random_normal(&random) + (double)(j == i % K));
            if (!sparse)
                fprintf(file, "%.17g,", x);
            else if (x > 0.5 || j == D - 1)
                fprintf(file, " %d:%.17g", (int)j + 1, x);
        }
        fprintf(file, "%s\n", sparse ? "" : label);
    }
    assert_int_equal(fclose(file), 0);
}

static pt_dataset *read_file(const char *path, const char *kind)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    char options[64];
    snprintf(options, sizeof options, "labels=%s", kind);
    pt_params *params = small_params(options);
    small_must(pt_dataset_read(&data, path, params, NULL, &err), &err, path);
    pt_params_free(params);
    return data;
}

/* ---- states ---------------------------------------------------------------------------------- */

static pt_online *begin(const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_online *online = NULL;
    pt_params *params = small_params(options);
    small_must(pt_online_new(&online, params, &err), &err, options);
    pt_params_free(params);
    return online;
}

static void learn(pt_online *online, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    small_must(pt_online_learn(online, data, NULL, &err), &err, "learn");
}

/* Rows first .. end-1, as a data set of their own. */
static void learn_rows(pt_online *online, const pt_dataset *data, int64_t first, int64_t end)
{
    pt_error err = PT_ERROR_INIT;
    int64_t *rows = calloc((size_t)(end - first) + 1, sizeof *rows);
    pt_dataset *some = NULL;
    assert_non_null(rows);
    for (int64_t i = first; i < end; i++)
        rows[i - first] = i;
    small_must(pt_dataset_rows(&some, data, rows, end - first, &err), &err, "rows");
    learn(online, some);
    pt_dataset_free(some);
    free(rows);
}

typedef struct bytes {
    void *at;
    size_t size;
} bytes;

static bytes state_of(const pt_online *online)
{
    pt_error err = PT_ERROR_INIT;
    bytes b = {NULL, 0};
    small_must(pt_online_save_memory(&b.at, &b.size, online, &err), &err, "state");
    return b;
}

static bytes model_of(const pt_online *online)
{
    pt_error err = PT_ERROR_INIT;
    bytes b = {NULL, 0};
    pt_model *model = NULL;
    small_must(pt_online_model(&model, online, &err), &err, "model");
    small_must(pt_model_save_memory(&b.at, &b.size, model, &err), &err, "bytes");
    pt_model_free(model);
    return b;
}

static void expect_equal(bytes a, bytes b, const char *what)
{
    if (a.size != b.size || memcmp(a.at, b.at, a.size) != 0)
        fail_msg("%s: other bytes", what);
    pt_bytes_free(a.at);
    pt_bytes_free(b.at);
}

static void expect_same(const pt_online *a, const pt_online *b, const char *what)
{
    expect_equal(state_of(a), state_of(b), what);
    expect_equal(model_of(a), model_of(b), what);
}

/* ---- as from a file -------------------------------------------------------------------------- */

static void expect_as_file(const char *kind, bool sparse, const char *options)
{
    static const int64_t CUTS[] = {0, 1, 2, 50, 51, N / 2 + 3, N};
    const char *path = sparse ? "test_online_learn.svm" : "test_online_learn.csv";
    pt_error err = PT_ERROR_INIT;
    char all[160];
    char what[240];
    snprintf(all, sizeof all, "labels=%s%s%s", kind, *options ? "," : "", options);
    snprintf(what, sizeof what, "%s, %s", all, sparse ? "sparse" : "dense");
    write_rows(path, kind, sparse, 3);
    pt_dataset *data = read_file(path, kind);
    pt_online *file = begin(all);
    pt_online *whole = begin(options); /* of what kind the labels are, the data say */
    pt_online *pieces = begin(all);
    small_must(pt_online_read(file, path, NULL, NULL, NULL, &err), &err, what);
    assert_int_equal(online_number(file, "n_examples"), N);
    assert_true(online_number(file, "n_errors") > 0);
    learn(whole, data);
    for (size_t c = 0; c + 1 < sizeof CUTS / sizeof *CUTS; c++)
        learn_rows(pieces, data, CUTS[c], CUTS[c + 1]);
    expect_same(file, whole, what);
    expect_same(file, pieces, what);
    assert_int_equal(online_number(file, "n_errors"), online_number(pieces, "n_errors"));
    pt_online_free(file);
    pt_online_free(whole);
    pt_online_free(pieces);
    pt_dataset_free(data);
    unlink(path);
}

static void test_learn__is_that_of_the_file(void **state)
{
    (void)state;
    static const char *const KINDS[] = {"class", "set", "ranking", "pairs"};
    static const char *const OPTIONS[] = {"", "update=pa,violated=spread", "update=winnow",
                                          "update=perceptron,bias=no,scale=none",
                                          "update=balanced-winnow,scale=range"};
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++)
        for (size_t o = 0; o < sizeof OPTIONS / sizeof *OPTIONS; o++)
            for (int sparse = 0; sparse < 2; sparse++)
                expect_as_file(KINDS[k], sparse, OPTIONS[o]);
    expect_as_file("class", true, "hash-bits=2");
    expect_as_file("class", true, "hash-bits=2,update=winnow");
}

/* Several label columns are a set whose classes are known from the beginning. */
static void test_learn__from_several_label_columns(void **state)
{
    (void)state;
    static const char PATH[] = "test_online_marks.csv";
    static const char LABEL[] = "label=label_*";
    pt_error err = PT_ERROR_INIT;
    FILE *file = fopen(PATH, "w");
    assert_non_null(file);
    fprintf(file, "x,y,label_a,label_b,label_c\n");
    for (int i = 0; i < 40; i++)
        fprintf(file, "%.3f,%.3f,%d,%d,0\n", i * 0.1, (i * 7 % 11) * 0.3, i % 2, i % 3 == 0);
    assert_int_equal(fclose(file), 0);
    pt_params *params = small_params(LABEL);
    pt_dataset *data = NULL;
    small_must(pt_dataset_read(&data, PATH, params, NULL, &err), &err, PATH);
    pt_online *read = begin(LABEL);
    pt_online *learned = begin("");
    small_must(pt_online_read(read, PATH, NULL, NULL, NULL, &err), &err, PATH);
    learn_rows(learned, data, 0, 7);
    learn_rows(learned, data, 7, 40);
    expect_same(read, learned, "label columns");
    pt_online_free(read);
    pt_online_free(learned);
    pt_dataset_free(data);
    pt_params_free(params);
    unlink(PATH);
}

/* ---- as from other types and strides --------------------------------------------------------- */

static void test_learn__takes_rows_as_they_lie(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, D, K, 4);
    float *across = calloc(N * D, sizeof *across); /* column-major */
    float *values = calloc(N * D, sizeof *values);
    int32_t *start = calloc(N + 1, sizeof *start);
    int32_t *index = calloc(N * D, sizeof *index);
    assert_true(across && values && start && index);
    for (int32_t i = 0; i < N; i++) {
        start[i + 1] = (i + 1) * D;
        for (int32_t j = 0; j < D; j++) {
            s.x[i * D + j] = (double)(float)s.x[i * D + j];
            across[j * N + i] = values[i * D + j] = (float)s.x[i * D + j];
            index[i * D + j] = j;
        }
    }
    pt_dataset *plain = small_dataset(&s);
    pt_dataset *odd = NULL;
    pt_dataset *sparse = small_sparse_dataset(&s);
    pt_dataset *narrow = NULL;
    const pt_dense dense = {PT_F32, across, N, D, 1, N};
    const pt_sparse csr = {PT_F32, PT_I32, start, index, values, N, D};
    small_must(pt_dataset_from_dense(&odd, &dense, PT_BORROW, &err), &err, "dense");
    small_must(dataset_set_numbers(odd, s.y, &err), &err, "labels");
    small_must(pt_dataset_from_sparse(&narrow, &csr, PT_BORROW, &err), &err, "sparse");
    small_must(dataset_set_numbers(narrow, s.y, &err), &err, "labels");
    const pt_dataset *const same[2][2] = {{plain, odd}, {sparse, narrow}};
    for (int p = 0; p < 2; p++) {
        pt_online *a = begin("");
        pt_online *b = begin("");
        learn(a, same[p][0]);
        learn(b, same[p][1]);
        expect_same(a, b, "types");
        pt_online_free(a);
        pt_online_free(b);
    }
    pt_dataset_free(plain);
    pt_dataset_free(odd);
    pt_dataset_free(sparse);
    pt_dataset_free(narrow);
    free(across);
    free(values);
    free(start);
    free(index);
    small_free(&s);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void expect_refused(pt_online *online, const pt_dataset *data, pt_status status,
                           const char *text)
{
    pt_error err = PT_ERROR_INIT;
    const bytes before = state_of(online);
    assert_int_equal(pt_online_learn(online, data, NULL, &err), status);
    if (!strstr(err.text, text))
        fail_msg("'%s' is not in: %s", text, err.text);
    expect_equal(before, state_of(online), "a refusal changes nothing");
    assert_int_equal(pt_online_learn(online, data, NULL, NULL), status);
}

/* Rows with a change; free it. */
static pt_dataset *changed(const small *s, bool sparse)
{
    return sparse ? small_sparse_dataset(s) : small_dataset(s);
}

static void test_learn__refuses_what_a_stream_has_not(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    for (int sparse = 0; sparse < 2; sparse++) {
        small s = small_clouds(20, 3, 2, 5);
        pt_dataset *data = changed(&s, sparse);
        pt_online *online = begin("");
        pt_online *sets = begin("labels=set");
        double weight[20] = {1};
        small_must(dataset_set_weights(data, weight, &err), &err, "weights");
        expect_refused(online, data, PT_ENOSUPPORT, "weights");
        small_must(dataset_set_weights(data, NULL, &err), &err, "weights");
        expect_refused(sets, data, PT_EINVAL, "of kind 'class'");
        learn(online, data); /* mended, it is learned */
        assert_int_equal(online_number(online, "n_examples"), 20);
        small_must(pt_dataset_set_classes(data, PT_I64, NULL, NULL, 0, &err), &err, "none");
        expect_refused(online, data, PT_EFORMAT, "no labels");
        int64_t code[20] = {0};
        const char *const names[] = {"0", "1"};
        code[7] = -1;
        code[8] = 1;
        small_must(pt_dataset_set_classes(data, PT_I64, code, names, 2, &err), &err, "some");
        expect_refused(online, data, PT_EFORMAT, "example 8 has no label");
        pt_online *skipping = begin("skip-unlabelled");
        learn(skipping, data);
        assert_int_equal(online_number(skipping, "n_examples"), 19);
        pt_dataset_free(data);
        s.x[4 * 3 + 1] = NAN;
        data = changed(&s, sparse);
        expect_refused(online, data, PT_EFORMAT, "example 5, feature 2 is missing");
        pt_dataset_free(data);
        s.x[4 * 3 + 1] = 1;
        data = changed(&s, !sparse);
        expect_refused(online, data, PT_EFORMAT, sparse ? "these are dense" : "these are sparse");
        pt_dataset_free(data);
        pt_online_free(skipping);
        pt_online_free(sets);
        pt_online_free(online);
        small_free(&s);
    }
}

static void test_learn__columns_of_a_table_stay(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"a", "b", "c"};
    static const char *const OTHERS[] = {"a", "c", "b"};
    static const char *const LEVELS[] = {"low", "high"};
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(20, 3, 2, 6);
    small wide = small_clouds(20, 4, 2, 6);
    pt_dataset *data = small_dataset(&s);
    pt_dataset *wider = small_dataset(&wide);
    pt_online *online = begin("");
    pt_online *hashed = begin("hash-bits=4");
    small_must(pt_dataset_set_names(data, NAMES, &err), &err, "names");
    learn(online, data);
    expect_refused(hashed, data, PT_ENOSUPPORT, "hash-bits");
    assert_int_equal(pt_online_learn(online, wider, NULL, &err), PT_EFORMAT);
    small_must(pt_dataset_set_names(data, OTHERS, &err), &err, "names");
    assert_int_equal(pt_online_learn(online, data, NULL, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "columns"));
    small_must(pt_dataset_set_names(data, NAMES, &err), &err, "names");
    const int32_t codes[20] = {0, 1};
    small_must(pt_dataset_set_levels(data, 1, codes, LEVELS, 2, &err), &err, "levels");
    expect_refused(online, data, PT_ENOSUPPORT, "column 2 ('b') is nominal");
    assert_int_equal(online_number(online, "n_examples"), 20);
    pt_online_free(online);
    pt_online_free(hashed);
    pt_dataset_free(data);
    pt_dataset_free(wider);
    small_free(&s);
    small_free(&wide);
}

/* No rows teach nothing, and say nothing of what will come. */
static void test_learn__no_rows(void **state)
{
    (void)state;
    small s = small_clouds(20, 3, 2, 6);
    pt_dataset *dense = small_dataset(&s);
    pt_dataset *sparse = small_sparse_dataset(&s);
    pt_online *online = begin("");
    learn_rows(online, dense, 0, 0);
    learn(online, sparse);
    assert_int_equal(online_number(online, "n_examples"), 20);
    pt_online_free(online);
    pt_dataset_free(dense);
    pt_dataset_free(sparse);
    small_free(&s);
}

/* ---- stopped --------------------------------------------------------------------------------- */

static void stop(const char *stage, double done, double total, void *user)
{
    if (strcmp(stage, "learn") == 0 && done >= 256 && done < total)
        pt_task_cancel(user);
}

/* What was learned before is known, and the rest may follow. */
static void expect_stopped(pt_online *online, const pt_dataset *data, pt_task *task,
                           pt_status status, int64_t learned)
{
    pt_error err = PT_ERROR_INIT;
    char said[64];
    assert_int_equal(pt_online_learn(online, data, task, &err), status);
    const int64_t n = online_number(online, "n_examples");
    assert_int_equal(n, learned);
    snprintf(said, sizeof said, "the first %d of these %d examples", (int)n, (int)N);
    if (status == PT_ECANCELLED && n > 0 && !strstr(err.text, said))
        fail_msg("'%s' is not in: %s", said, err.text);
    learn_rows(online, data, n, N);
}

static void test_learn__is_stopped_between_examples(void **state)
{
    (void)state;
    small s = small_clouds(N, D, K, 7);
    pt_dataset *data = small_dataset(&s);
    pt_online *whole = begin("");
    pt_online *stopped = begin("");
    pt_task *task = small_task(1);
    learn(whole, data);
    pt_task_hear_all(task);
    pt_task_on_progress(task, stop, task);
    expect_stopped(stopped, data, task, PT_ECANCELLED, 257);
    expect_same(whole, stopped, "cancelled");
    pt_task_free(task);
    pt_online_free(stopped);
    stopped = begin("");
    task = small_task(1);
    pt_task_set_time_limit(task, 1e-9);
    expect_stopped(stopped, data, task, PT_ETIME, 0);
    expect_same(whole, stopped, "out of time");
    pt_task_free(task);
    pt_online_free(stopped);
    pt_online_free(whole);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* Written at powers of two, not at the end; a state that comes from one skips nothing. */
static void test_learn__checkpoints_go_on(void **state)
{
    (void)state;
    enum { MANY = 1100, CHECKPOINT = 1024 };
    static const char RESUME[] = "resume=test_online_learn.checkpoint";
    const char *path = RESUME + strlen("resume=");
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(MANY, D, K, 8);
    pt_dataset *data = small_dataset(&s);
    pt_online *online = begin(RESUME);
    pt_online *loaded = NULL;
    unlink(path);
    learn_rows(online, data, 0, 1000);
    assert_int_equal(access(path, F_OK), -1);
    learn_rows(online, data, 1000, MANY);
    assert_int_equal(access(path, F_OK), 0);
    pt_params *params = small_params(RESUME);
    small_must(pt_online_load(&loaded, path, params, &err), &err, "load");
    assert_int_equal(online_number(loaded, "n_examples"), CHECKPOINT);
    learn_rows(loaded, data, CHECKPOINT, MANY);
    assert_int_equal(online_number(loaded, "n_examples"), MANY);
    expect_same(online, loaded, "resumed");
    pt_online_free(loaded);
    pt_online_free(online);
    pt_params_free(params);
    pt_dataset_free(data);
    small_free(&s);
    unlink(path);
}

/* Files and rows in turn. */
static void test_learn__goes_before_and_after_files(void **state)
{
    (void)state;
    static const char PATH[] = "test_online_turns.svm";
    pt_error err = PT_ERROR_INIT;
    pt_online *loaded = NULL;
    write_rows(PATH, "class", true, 9);
    pt_dataset *data = read_file(PATH, "class");
    pt_online *twice = begin("");
    pt_online *turns = begin("");
    small_must(pt_online_read(twice, PATH, NULL, NULL, NULL, &err), &err, PATH);
    const bytes kept = state_of(twice);
    small_must(pt_online_read(twice, PATH, NULL, NULL, NULL, &err), &err, PATH);
    learn(turns, data);
    small_must(pt_online_read(turns, PATH, NULL, NULL, NULL, &err), &err, PATH);
    expect_same(twice, turns, "file after rows");
    small_must(pt_online_load_memory(&loaded, kept.at, kept.size, NULL, &err), &err, "load");
    learn(loaded, data);
    expect_same(twice, loaded, "rows after a file");
    /* nothing is left to be skipped */
    small_must(pt_online_read(loaded, PATH, NULL, NULL, NULL, &err), &err, PATH);
    assert_int_equal(online_number(loaded, "n_examples"), 3 * N);
    pt_bytes_free(kept.at);
    pt_online_free(loaded);
    pt_online_free(twice);
    pt_online_free(turns);
    pt_dataset_free(data);
    unlink(PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learn__is_that_of_the_file),
        cmocka_unit_test(test_learn__from_several_label_columns),
        cmocka_unit_test(test_learn__takes_rows_as_they_lie),
        cmocka_unit_test(test_learn__refuses_what_a_stream_has_not),
        cmocka_unit_test(test_learn__columns_of_a_table_stay),
        cmocka_unit_test(test_learn__no_rows),
        cmocka_unit_test(test_learn__is_stopped_between_examples),
        cmocka_unit_test(test_learn__checkpoints_go_on),
        cmocka_unit_test(test_learn__goes_before_and_after_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
