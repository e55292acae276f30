/* Cells of a file that stay with its rows while these are predicted: the same texts, in the same
 * order, however the parts are cut, and nothing lost when memory ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "base/random.h"
#include "polytomy/experimental.h"

enum { CELL = 24 };

/* What the cells of row i say: any text, quoted as it must be. */
static void name_of_row(int64_t i, char cell[CELL])
{
    static const char *const SHAPES[] = {"%lld", "0%lld", "a \"%lld\"", "%lld, b", "%lld\nc", ""};
    snprintf(cell, CELL, SHAPES[i * 7919 % 6], (long long)i);
}

static void write_rows(const char *path, int64_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("x,id,y\n", file);
    for (int64_t i = 0; i < n; i++) {
        char cell[CELL];
        name_of_row(i, cell);
        fprintf(file, "%d,\"", (int)(i % 9));
        for (const char *c = cell; *c; c++)
            fprintf(file, *c == '"' ? "\"\"" : "%c", *c);
        fprintf(file, "\",%d\n", (int)(i % 5));
    }
    fclose(file);
}

static pt_model *train(void)
{
    small s = small_clouds(60, 2, 3, 5);
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = small_dataset(&s);
    static const char *const NAMES[] = {"x", "y"};
    small_must(pt_dataset_set_names(data, NAMES, &err), &err, "names");
    pt_model *model = small_train(data, "machine=tree", 1);
    pt_dataset_free(data);
    small_free(&s);
    return model;
}

/* Asks for the column of texts, and x behind it; checks each row. */
static pt_status walk(const pt_model *model, const char *path, pt_task *task, int64_t n,
                      pt_error *err)
{
    pt_prediction_stream *stream = NULL;
    const pt_prediction *part = NULL;
    int64_t i = 0;
    pt_status status = pt_prediction_stream_open(&stream, model, path, NULL, -1, task, err);
    if (status == PT_OK)
        status = pt_prediction_stream_keep(stream, "id,x", err);
    while (status == PT_OK) {
        pt_report *about = NULL;
        status = pt_prediction_stream_next(stream, &part, err);
        if (status != PT_OK || !part)
            break;
        status = pt_prediction_stream_report(&about, stream, err);
        const int64_t m = pt_prediction_n_examples(part);
        assert_true(status != PT_OK || pt_report_item(about, 0));
        for (int64_t a = 0; status == PT_OK && a < m; a++, i++) {
            char cell[CELL];
            char x[CELL];
            name_of_row(i, cell);
            snprintf(x, sizeof x, "%d", (int)(i % 9));
            assert_string_equal(pt_report_text_at(about, "kept", a, 0, 0), cell);
            assert_string_equal(pt_report_text_at(about, "kept", a, 1, 0), x);
        }
        pt_report_free(about);
    }
    if (status == PT_OK)
        assert_int_equal(i, n);
    pt_prediction_stream_close(stream);
    return status;
}

static void test_kept__cells_stay_with_their_rows(void **state)
{
    (void)state;
    static const int64_t ROWS[] = {1, 2, 8192, 16384, 16385, 200000};
    pt_error err = PT_ERROR_INIT;
    pt_model *model = train();
    for (size_t r = 0; r < sizeof ROWS / sizeof *ROWS; r++)
        for (int threads = 1; threads < 4; threads += 2) {
            pt_task *task = NULL;
            write_rows("kept.csv", ROWS[r]);
            small_must(pt_task_new(&task, &err), &err, "task");
            small_must(pt_task_set(task, "threads", threads, &err), &err, "threads");
            small_must(walk(model, "kept.csv", task, ROWS[r], &err), &err, "predict");
            pt_task_free(task);
        }
    remove("kept.csv");
    pt_model_free(model);
}

static void test_kept__survives_the_end_of_memory(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_model *model = train();
    write_rows("kept-few.csv", 20);
    pt_status status = PT_ENOMEM;
    int64_t failed = 0;
    for (int64_t at = 1; at < 10000 && (status != PT_OK || failed == 0); at++) {
        pt_alloc_fail_from(at);
        status = walk(model, "kept-few.csv", NULL, 20, &err);
        pt_alloc_fail_from(0);
        assert_true(status == PT_OK || status == PT_ENOMEM);
        failed += status != PT_OK;
    }
    assert_true(failed > 20);
    remove("kept-few.csv");
    pt_model_free(model);
}

static void test_kept__only_where_there_are_cells(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_model *model = train();
    pt_prediction_stream *stream = NULL;
    const pt_prediction *part = NULL;
    write_rows("kept-few.csv", 20);
    small_must(pt_prediction_stream_open(&stream, model, "kept-few.csv", NULL, -1, NULL, &err),
               &err, "open");
    assert_int_equal(pt_prediction_stream_keep(stream, "", &err), PT_EINVAL);
    assert_int_equal(pt_prediction_stream_keep(stream, "idd", &err), PT_OK);
    assert_int_equal(pt_prediction_stream_next(stream, &part, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "is it 'id'?"));
    pt_prediction_stream_close(stream);
    small_must(pt_prediction_stream_open(&stream, model, "kept-few.csv", NULL, -1, NULL, &err),
               &err, "open");
    small_must(pt_prediction_stream_next(stream, &part, &err), &err, "next");
    assert_int_equal(pt_prediction_stream_keep(stream, "id", &err), PT_EINVAL); /* too late */
    pt_prediction_stream_close(stream);
    remove("kept-few.csv");
    pt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept__cells_stay_with_their_rows),
        cmocka_unit_test(test_kept__survives_the_end_of_memory),
        cmocka_unit_test(test_kept__only_where_there_are_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
