/* Streams of rows: block by block they are what the reader makes of the whole file, and errors name
 * the line. Tables have cells with newlines in them, so that blocks end in the middle of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/task.h"
#include "data/stream/row_stream.h"
#include "polytomy/polytomy.h"

enum { ROWS = 30000 };

typedef struct text {
    char *bytes;
    size_t size;
} text;

static const char *const CLASSES[] = {"a", "\"b, c\"", "\"d\ne\"", "\"\"\"f\"\"\""};

/* A table, its header in quotes over two lines or none, and blank lines between. */
static text make_table(bool header)
{
    text t = {malloc(ROWS * 80 + 100), 0};
    assert_non_null(t.bytes);
    pt_random random;
    pt_random_init(&random, 5, PT_RANDOM_TEST, 0);
    if (header)
        t.size += (size_t)snprintf(t.bytes, 100, "\n\"x\n1\",x2,class,x3\n");
    for (int i = 0; i < ROWS; i++)
        t.size += (size_t)snprintf(
            t.bytes + t.size, 80, "%.6f,%d,%s,%.3f\n%s", pt_random_uniform(&random) - 0.5,
            (int)pt_random_below(&random, 3), CLASSES[i < 4 ? i : (int)pt_random_below(&random, 4)],
            pt_random_uniform(&random), i % 100 == 0 ? "\n" : "");
    return t;
}

static text make_lines(void)
{
    text t = {malloc(ROWS * 80 + 100), 0};
    assert_non_null(t.bytes);
    pt_random random;
    pt_random_init(&random, 6, PT_RANDOM_TEST, 0);
    for (int i = 0; i < ROWS; i++)
        t.size += (size_t)snprintf(t.bytes + t.size, 80, "%d 1:%.6f %d:%.3f%s\n",
                                   (int)pt_random_below(&random, 5), pt_random_uniform(&random),
                                   2 + (int)pt_random_below(&random, 20),
                                   pt_random_uniform(&random), i % 100 == 0 ? " # 3:1\n#\n" : "");
    return t;
}

static void write_plain(const char *path, const text *t)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(t->bytes, 1, t->size, file), t->size);
    assert_int_equal(fclose(file), 0);
}

/* Two members. */
static void write_gzip(const char *path, const text *t)
{
    const size_t half = t->size / 2;
    for (int part = 0; part < 2; part++) {
        gzFile file = gzopen(path, part ? "ab" : "wb");
        assert_non_null(file);
        const size_t size = part ? t->size - half : half;
        assert_int_equal(gzwrite(file, t->bytes + (part ? half : 0), (unsigned)size), (int)size);
        assert_int_equal(gzclose(file), Z_OK);
    }
}

static pt_params *params_of(const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_parse(params, options, &err), PT_OK);
    return params;
}

static double cell(const pt_dataset *data, int64_t i, int64_t j)
{
    const double *value = data->value;
    if (!data->start)
        return value[i * data->d + j];
    for (int64_t p = data->start[i]; p < data->start[i + 1]; p++)
        if (data->index[p] == j)
            return value[p];
    return 0;
}

static const char *label(const pt_dataset *data, int64_t i)
{
    return data->labels->classes.items[data->labels->class_of[i]];
}

/* The stream behind `skip` rows is the file behind them. */
static void compare(const char *path, const char *whole, const char *options, int64_t skip)
{
    pt_error err = {0};
    pt_task *task = NULL;
    pt_params *params = params_of(options);
    pt_dataset *file = NULL;
    pt_row_stream stream = {0};
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_threads(task, 1);
    assert_int_equal(pt_dataset_read(&file, whole, params, task, &err), PT_OK);
    assert_int_equal(pt_row_stream_open(&stream, path, params, task, &err), PT_OK);
    int64_t row = skip;
    int blocks = 0;
    for (;; blocks++) {
        const pt_dataset *data = NULL;
        int64_t first = 0;
        assert_int_equal(pt_row_stream_next(&stream, &skip, &data, &first, &err), PT_OK);
        if (!data)
            break;
        for (int64_t i = first; i < data->n; i++, row++) {
            assert_true(row < file->n);
            assert_string_equal(label(data, i), label(file, row));
            for (int64_t j = 0; j < file->d; j++)
                assert_true(cell(data, i, j) == cell(file, row, j));
        }
        for (int64_t j = 0; !data->start && j < data->d; j++)
            assert_true(!data->columns || !data->columns[j].name ||
                        strcmp(data->columns[j].name, file->columns[j].name) == 0);
    }
    assert_int_equal(row, file->n);
    assert_int_equal(skip, 0);
    assert_true(blocks > 1 || row > file->n - 1000);
    pt_row_stream_close(&stream);
    pt_dataset_free(file);
    pt_params_free(params);
    pt_task_free(task);
}

static void test_row_stream__equals_the_file(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        const char *path = kind == 2 ? "row_stream.svm" : "row_stream.csv";
        const char *packed = kind == 2 ? "row_stream.svm.gz" : "row_stream.csv.gz";
        const char *options = kind == 2 ? "" : kind ? "label=3,header=no" : "";
        text t = kind == 2 ? make_lines() : make_table(kind == 0);
        write_plain(path, &t);
        write_gzip(packed, &t);
        compare(path, path, options, 0);
        compare(path, path, options, 12345);
        compare(path, path, options, ROWS - 1);
        compare(packed, path, options, 0);
        unlink(path);
        unlink(packed);
        free(t.bytes);
    }
}

/* The error of a stream that the bytes make. */
static pt_error read_broken(const char *path, const text *t)
{
    pt_error err = {0};
    pt_params *params = params_of("");
    pt_row_stream stream = {0};
    const pt_dataset *data = NULL;
    int64_t skip = 0;
    int64_t first = 0;
    write_plain(path, t);
    pt_status status = pt_row_stream_open(&stream, path, params, NULL, &err);
    do {
        if (status == PT_OK)
            status = pt_row_stream_next(&stream, &skip, &data, &first, &err);
    } while (status == PT_OK && data);
    assert_int_not_equal(status, PT_OK);
    pt_row_stream_close(&stream);
    pt_params_free(params);
    unlink(path);
    return err;
}

static int64_t line_of(const text *t, const char *at)
{
    int64_t line = 1;
    for (const char *p = t->bytes; p < at; p++)
        line += *p == '\n';
    return line;
}

static void test_row_stream__errors_name_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        const char *words;
    } BROKEN[] = {{"0.5,red,a,1\n", "'red' is not a number (column 'x2')"},
                  {"0.5,,a,1\n", "is missing (column 'x2')"},
                  {"0.5,inf,a,1\n", "'inf' is not a finite number"},
                  {"0.5,1,a\n", "the row has 3 cells"},
                  {"0.5,1,,1\n", "label is missing"}};
    for (size_t b = 0; b < sizeof BROKEN / sizeof *BROKEN; b++)
        for (int late = 0; late < 2; late++) {
            text t = make_table(true);
            char *at = strstr(t.bytes + (late ? t.size - 2000 : 100), ",a,");
            at = strchr(at, '\n') + 1;
            const size_t length = strlen(BROKEN[b].row);
            memmove(at + length, at, (size_t)(t.bytes + t.size - at));
            memcpy(at, BROKEN[b].row, length);
            t.size += length;
            const pt_error err = read_broken("row_stream.csv", &t);
            assert_int_equal(err.code, PT_EFORMAT);
            assert_non_null(strstr(err.text, BROKEN[b].words));
            assert_int_equal(err.line, line_of(&t, at));
            free(t.bytes);
        }
    text lines = make_lines();
    memcpy(lines.bytes + lines.size - 9, " 7:1 3:1\n", 9);
    const pt_error err = read_broken("row_stream.svm", &lines);
    assert_int_equal(err.line, line_of(&lines, lines.bytes + lines.size - 1));
    free(lines.bytes);
}

static void test_row_stream__compressed_streams_that_are_cut_or_damaged(void **state)
{
    (void)state;
    text t = make_lines();
    write_gzip("row_stream.svm.gz", &t);
    FILE *file = fopen("row_stream.svm.gz", "rb");
    assert_non_null(file);
    t.size = fread(t.bytes, 1, t.size, file);
    fclose(file);
    t.size -= 1000;
    pt_error err = read_broken("row_stream.svm.gz", &t);
    assert_non_null(strstr(err.text, "ends early"));
    memset(t.bytes + t.size / 3, 0x55, 64);
    err = read_broken("row_stream.svm.gz", &t);
    assert_int_equal(err.code, PT_EFORMAT);
    free(t.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_stream__equals_the_file),
        cmocka_unit_test(test_row_stream__errors_name_the_line),
        cmocka_unit_test(test_row_stream__compressed_streams_that_are_cut_or_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
