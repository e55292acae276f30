/* labels: threads */
/* Limits of memory that hold: reading and predicting in a process of its own, whose peak the system
 * tells. Shapes that once took many times the limit: names that are all different, and predictions
 * of many rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/reports.h"
#include "base/task.h"
#include "polytomy/polytomy.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0 /* shadow memory is no memory of ours */
#endif

enum { MB = 1 << 20, BESIDE = 64 };

typedef struct job {
    const char *path;
    const char *model;
    int threads;
    int64_t memory;
} job;

static void temporary(char path[64], const char *ending)
{
    snprintf(path, 64, "/tmp/polytomy_limit_%ld%s", (long)getpid(), ending);
}

static pt_task *task_of(const job *j)
{
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    if (pt_task_new(&task, &err) != PT_OK)
        exit(100);
    pt_task_set_threads(task, j->threads);
    pt_task_set_memory(task, j->memory);
    return task;
}

/* The peak of a process that does a piece of work, in MB; its exit code must be `code`. */
static long peak_of(int (*work)(const job *), const job *j, int code)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int result = work(j);
        struct rusage used;
        getrusage(RUSAGE_SELF, &used);
        const long peak = used.ru_maxrss / 1024;
        _exit(write(ends[1], &peak, sizeof peak) == sizeof peak ? result : 101);
    }
    int status = 0;
    long peak = 0;
    assert_int_equal(read(ends[0], &peak, sizeof peak), sizeof peak);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(ends[0]);
    close(ends[1]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
    return peak;
}

static int read_names(const job *j)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_task *task = task_of(j);
    const pt_status status = pt_dataset_read(&data, j->path, NULL, task, &err);
    const bool told = strstr(err.text, "may be used") && strstr(err.text, "`memory");
    pt_dataset_free(data);
    pt_task_free(task);
    return status == PT_OK ? 0 : status == PT_EMEMORY && told ? 1 : 2;
}

/* As levels and as classes: refused at the limit, and read where there is enough. */
static void test_memory__names_are_counted_while_they_are_read(void **state)
{
    (void)state;
    enum { NAMES = 500000 };
    static const char *const HEADS[] = {"name,class", "class,name"};
    for (int which = 0; which < 2; which++) {
        char path[64];
        temporary(path, ".csv");
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%s\n", HEADS[which]);
        for (int i = 0; i < NAMES; i++)
            fprintf(file, "u%d,%s\n", i, i % 2 ? "a" : "b");
        fclose(file);
        for (int threads = 1; threads <= 2; threads++) {
            const job small = {.path = path, .threads = threads, .memory = 8 * MB};
            const job large = {.path = path, .threads = threads, .memory = 200 * MB};
            const long refused = peak_of(read_names, &small, 1);
            const long read = peak_of(read_names, &large, 0);
            if (!SANITIZED) {
                assert_true(refused <= 8 + BESIDE);
                assert_true(read <= 160);
            }
        }
        unlink(path);
    }
}

static int train_tree(const job *j)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    pt_task *task = task_of(j);
    pt_status status = pt_params_new(&params, &err);
    if (status == PT_OK)
        status = pt_params_set(params, "machine", "tree", &err);
    if (status == PT_OK)
        status = pt_dataset_read(&data, j->path, params, task, &err);
    if (status == PT_OK)
        status = pt_model_train(&model, data, params, task, &err);
    if (status == PT_OK)
        status = pt_model_save(model, j->model, &err);
    pt_model_free(model);
    pt_dataset_free(data);
    pt_params_free(params);
    pt_task_free(task);
    return status == PT_OK ? 0 : 2;
}

static int predict_rows(const job *j)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_task *task = task_of(j);
    pt_prediction_stream *stream = NULL;
    const pt_prediction *block = NULL;
    int64_t rows = 0;
    pt_status status = pt_model_load(&model, j->model, NULL, &err);
    if (status == PT_OK)
        status = pt_prediction_stream_open(&stream, model, j->path, NULL, -1, task, &err);
    do {
        if (status == PT_OK)
            status = pt_prediction_stream_next(stream, &block, &err);
        rows += status == PT_OK && block ? pt_prediction_n_examples(block) : 0;
    } while (status == PT_OK && block);
    const int code = status != PT_OK ? 2 : rows == stream_rows(stream) ? 0 : 3;
    pt_prediction_stream_close(stream);
    pt_model_free(model);
    pt_task_free(task);
    return code;
}

static void write_rows(const char *path, int rows, int classes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("x,y,class\n", file);
    for (int i = 0; i < rows; i++)
        fprintf(file, "%d,%d.5,c%d\n", i % classes, i % 7, i % classes);
    fclose(file);
}

static void test_memory__predictions_take_a_part_at_a_time(void **state)
{
    (void)state;
    enum { CLASSES = 40, ROWS = 400000 }; /* 128 MB of scores */
    char few[64];
    char many[64];
    char model_path[64];
    temporary(few, "_few.csv");
    temporary(many, ".csv");
    temporary(model_path, ".model");
    write_rows(few, 20 * CLASSES, CLASSES);
    write_rows(many, ROWS, CLASSES);
    const job training = {few, model_path, 1, 500 * MB};
    (void)peak_of(train_tree, &training, 0); /* no thread of ours may run before a fork */
    for (int threads = 1; threads <= 2; threads++) {
        const job j = {many, model_path, threads, 16 * MB};
        const long peak = peak_of(predict_rows, &j, 0);
        assert_true(SANITIZED || peak <= 16 + BESIDE);
    }
    unlink(few);
    unlink(many);
    unlink(model_path);
}

/* A model of a view of few of a million borrowed rows, and predictions of all of them. */
static int predict_borrowed(const job *j)
{
    enum { ROWS = SANITIZED ? 100000 : 1000000, COLUMNS = 32, FEW = 300 };
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_dataset *few = NULL;
    pt_params *params = NULL;
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    pt_task *task = task_of(j);
    float *cells = malloc(sizeof(float) * ROWS * COLUMNS); /* column-major */
    int8_t *y = malloc(ROWS);
    int64_t rows[FEW];
    if (!cells || !y)
        return 3;
    for (int64_t i = 0; i < ROWS; i++) {
        y[i] = (int8_t)(i % 3);
        for (int64_t c = 0; c < COLUMNS; c++)
            cells[c * ROWS + i] = (float)((i * (c + 7)) % 101) + (c == y[i] ? 50 : 0);
    }
    for (int i = 0; i < FEW; i++)
        rows[i] = i;
    const pt_dense table = {PT_F32, cells, ROWS, COLUMNS, 1, ROWS};
    pt_status status = pt_dataset_from_dense(&data, &table, PT_BORROW, &err);
    if (status == PT_OK)
        status = pt_dataset_set_classes(data, PT_I8, y, NULL, 0, &err);
    if (status == PT_OK)
        status = pt_dataset_rows(&few, data, rows, FEW, &err);
    if (status == PT_OK)
        status = pt_params_new(&params, &err);
    if (status == PT_OK)
        status = pt_params_parse(params, "machine=softmax,calibrate=no", &err);
    if (status == PT_OK)
        status = pt_model_train(&model, few, params, task, &err);
    if (status == PT_OK)
        status = pt_model_predict(&prediction, model, data, -1, task, &err);
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(few);
    pt_dataset_free(data);
    pt_task_free(task);
    free(cells);
    free(y);
    return status == PT_OK ? 0 : 2;
}

/* 128 MB of rows, 24 of scores, 16 of labels and 1 of codes: nothing else grows with the rows.
 * Every copy of them, prepared or not, would be 128 MB more. */
static void test_memory__borrowed_rows_have_no_copy(void **state)
{
    (void)state;
    const job j = {.threads = 1, .memory = 400 * MB};
    const long peak = peak_of(predict_borrowed, &j, 0);
    assert_true(SANITIZED || peak <= 128 + 24 + 24 + 1 + BESIDE);
}

/* Part by part every row has the very scores that it has among all rows. */
static void test_predictions__parts_are_the_whole(void **state)
{
    (void)state;
    enum { CLASSES = 5, ROWS = 20011 };
    char few[64];
    char many[64];
    temporary(few, "_few.csv");
    temporary(many, ".csv");
    write_rows(few, 60 * CLASSES, CLASSES);
    write_rows(many, ROWS, CLASSES);
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    pt_prediction *whole = NULL;
    pt_prediction_stream *stream = NULL;
    const pt_prediction *block = NULL;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_set(params, "sigma", "1", &err), PT_OK);
    assert_int_equal(pt_params_set(params, "ridge", "0.1", &err), PT_OK);
    assert_int_equal(pt_dataset_read(&data, few, params, NULL, &err), PT_OK);
    assert_int_equal(pt_model_train(&model, data, params, NULL, &err), PT_OK);
    pt_dataset_free(data);
    data = NULL;
    assert_int_equal(pt_model_read(&data, model, many, NULL, NULL, &err), PT_OK);
    assert_int_equal(pt_model_predict(&whole, model, data, -1, NULL, &err), PT_OK);
    assert_int_equal(pt_prediction_stream_open(&stream, model, many, NULL, -1, NULL, &err), PT_OK);
    int64_t row = 0;
    int parts = 0;
    for (;; parts++) {
        assert_int_equal(pt_prediction_stream_next(stream, &block, &err), PT_OK);
        if (!block)
            break;
        const int64_t n = pt_prediction_n_examples(block);
        assert_memory_equal(pt_prediction_scores(block),
                            pt_prediction_scores(whole) + row * CLASSES,
                            (size_t)(n * CLASSES) * sizeof(double));
        row += n;
    }
    assert_int_equal(row, ROWS);
    assert_true(parts > 1);
    pt_prediction_stream_close(stream);
    pt_prediction_free(whole);
    pt_dataset_free(data);
    pt_model_free(model);
    pt_params_free(params);
    unlink(few);
    unlink(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__names_are_counted_while_they_are_read),
        cmocka_unit_test(test_memory__borrowed_rows_have_no_copy),
        cmocka_unit_test(test_memory__predictions_take_a_part_at_a_time),
        cmocka_unit_test(test_predictions__parts_are_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
