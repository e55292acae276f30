/* Models, exports and states of streams in memory; copies; what is in a model, by name; plans. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/predictions.h"
#include "base/task.h"
#include "store/container.h"

static const char *const MACHINES[] = {
    "machine=onelsm,sigma=1,ridge=0.1",
    "machine=onelsm,kernel=linear,ridge=0.1",
    "machine=elm,hidden=20,ridge=0.1",
    "machine=vo-lssvm,sigma=1,ridge=0.1",
    "machine=softmax",
    "machine=tree",
    "machine=adaboost-mo,rounds=5",
    "machine=code,code=ovo,learner=svm,kernel=rbf,sigma=1,C=1",
    "machine=code,code=ova,learner=linear-svm",
    "machine=code,code=dense,learner=adaboost,rounds=5",
    "machine=class-tree,sigma=1,C=1",
    "machine=spoc,kernel=rbf,sigma=1",
};
enum { N_MACHINES = sizeof MACHINES / sizeof *MACHINES, N = 60, D = 4, K = 4 };

/* The bytes of a file, which is removed. */
static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    unlink(path);
    return bytes;
}

static void temporary(char *path)
{
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

/* A figure of what a model says of its training. */
static double said(const pt_model *model, const char *name)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    small_must(pt_model_report(&report, model, &err), &err, "report");
    const double value = pt_report_number(report, name);
    pt_report_free(report);
    return value;
}

static void test_memory__has_the_bytes_of_the_file(void **state)
{
    (void)state;
    small s = small_clouds(N, D, K, 3);
    pt_dataset *data = small_dataset(&s);
    for (int m = 0; m < N_MACHINES; m++) {
        pt_error err = PT_ERROR_INIT;
        char path[] = "/tmp/polytomy_memory_XXXXXX";
        void *bytes = NULL;
        size_t size = 0;
        size_t in_file = 0;
        pt_model *loaded = NULL;
        pt_model *copy = NULL;
        pt_model *model = small_train(data, MACHINES[m], 1);
        temporary(path);
        small_must(pt_model_save(model, path, &err), &err, "save");
        unsigned char *file = read_file(path, &in_file);
        small_must(pt_model_save_memory(&bytes, &size, model, &err), &err, "save");
        assert_int_equal(size, in_file);
        assert_memory_equal(bytes, file, size);
        small_must(pt_model_load_memory(&loaded, bytes, size, NULL, &err), &err, "load");
        small_must(pt_model_copy(&copy, model, &err), &err, "copy");
        pt_prediction *p = small_predict(model, data, 1);
        pt_prediction *q = small_predict(loaded, data, 1);
        expect_same_bits(p, q, N, K, MACHINES[m]);
        pt_prediction_free(q);
        const double held_out = said(model, "held_out_error");
        assert_true(said(copy, "held_out_rows") == said(model, "held_out_rows") || isnan(held_out));
        pt_model_free(model); /* the copy does not need it */
        q = small_predict(copy, data, 1);
        expect_same_bits(p, q, N, K, MACHINES[m]);
        const double of_copy = said(copy, "held_out_error");
        assert_true(of_copy == held_out || (isnan(of_copy) && isnan(held_out)));
        pt_prediction_free(p);
        pt_prediction_free(q);
        pt_model_free(loaded);
        pt_model_free(copy);
        pt_bytes_free(bytes);
        free(file);
    }
    pt_dataset_free(data);
    small_free(&s);
}

static void test_memory__exports_are_those_of_the_file(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    char path[] = "/tmp/polytomy_memory_XXXXXX";
    void *bytes = NULL;
    size_t size = 0;
    size_t in_file = 0;
    small s = small_clouds(N, D, K, 3);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(
        data, "machine=code,code=ovo,learner=svm,kernel=rbf,sigma=1,C=1,decode=vote", 1);
    temporary(path);
    small_must(pt_model_export(model, path, "libsvm", data, NULL, &err), &err, "export");
    unsigned char *file = read_file(path, &in_file);
    small_must(pt_model_export_memory(&bytes, &size, model, "libsvm", data, NULL, &err), &err,
               "export");
    assert_int_equal(size, in_file);
    assert_memory_equal(bytes, file, size);
    pt_bytes_free(bytes);
    bytes = NULL;
    assert_int_equal(pt_model_export_memory(&bytes, &size, model, "none", data, NULL, &err),
                     PT_EINVAL);
    pt_model_free(model);
    model = small_train(data, "machine=tree", 1);
    assert_int_equal(pt_model_export_memory(&bytes, &size, model, "libsvm", data, NULL, &err),
                     PT_ENOSUPPORT);
    assert_null(bytes);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
    free(file);
}

static void test_memory__a_stream_goes_on_from_it(void **state)
{
    (void)state;
    static const char TEXT[] = "a 1:1 3:2\nb 2:1\na 1:2\nb 2:3 3:1\nc 3:4\na 1:1\n";
    pt_error err = PT_ERROR_INIT;
    char data[] = "/tmp/polytomy_stream_XXXXXX";
    char path[] = "/tmp/polytomy_memory_XXXXXX";
    temporary(data);
    temporary(path);
    FILE *file = fopen(data, "w");
    assert_int_equal(fwrite(TEXT, 1, sizeof TEXT - 1, file), sizeof TEXT - 1);
    fclose(file);
    pt_params *params = small_params("format=libsvm");
    pt_online *online = NULL;
    pt_online *again = NULL;
    void *bytes = NULL;
    size_t size = 0;
    size_t in_file = 0;
    small_must(pt_online_new(&online, params, &err), &err, "online");
    small_must(pt_online_read(online, data, NULL, NULL, NULL, &err), &err, "read");
    small_must(pt_online_save(online, path, &err), &err, "save");
    small_must(pt_online_save_memory(&bytes, &size, online, &err), &err, "save");
    unsigned char *saved = read_file(path, &in_file);
    assert_int_equal(size, in_file);
    assert_memory_equal(bytes, saved, size);
    small_must(pt_online_load_memory(&again, bytes, size, params, &err), &err, "load");
    pt_report *before = NULL;
    pt_report *after = NULL;
    small_must(pt_online_report(&before, online, &err), &err, "report");
    small_must(pt_online_report(&after, again, &err), &err, "report");
    assert_int_equal(pt_report_number(after, "n_examples"), 6);
    assert_true(pt_report_number(after, "n_errors") == pt_report_number(before, "n_errors"));
    pt_report_free(before);
    pt_report_free(after);
    for (size_t cut = 0; cut < size; cut += 7) { /* whatever is there of the bytes */
        unsigned char *part = malloc(cut + 1);
        pt_online *none = NULL;
        memcpy(part, bytes, cut);
        assert_int_not_equal(pt_online_load_memory(&none, part, cut, params, &err), PT_OK);
        assert_null(none);
        free(part);
    }
    pt_online_free(again);
    pt_online_free(online);
    pt_params_free(params);
    pt_bytes_free(bytes);
    free(saved);
    unlink(data);
}

/* Every section of the file is an item with its shape. */
static void test_arrays__are_all_sections(void **state)
{
    (void)state;
    small s = small_clouds(N, D, K, 3);
    pt_dataset *data = small_dataset(&s);
    for (int m = 0; m < N_MACHINES; m++) {
        pt_error err = PT_ERROR_INIT;
        void *bytes = NULL;
        size_t size = 0;
        pt_report *arrays = NULL;
        pt_container *container = NULL;
        pt_model *model = small_train(data, MACHINES[m], 1);
        small_must(pt_model_save_memory(&bytes, &size, model, &err), &err, "save");
        small_must(pt_container_open_memory(&container, bytes, size, "memory", &err), &err, "open");
        small_must(pt_model_arrays(&arrays, model, &err), &err, "arrays");
        assert_string_equal(pt_report_kind(arrays), "arrays");
        for (int64_t i = 0; i < pt_container_count(container); i++) {
            const pt_section *section = pt_container_section(container, i);
            const pt_item *item = pt_report_find(arrays, section->tag);
            if (!item)
                fail_msg("%s: there is no item '%s'", MACHINES[m], section->tag);
            if (section->kind == PT_SECTION_BYTES) {
                assert_int_equal(item->type, PT_TEXT);
                continue;
            }
            assert_int_equal(item->length[0], section->rows);
            if (section->columns != 1)
                assert_int_equal(item->length[1], section->columns);
            assert_memory_equal(item->values, section->value, section->bytes);
        }
        assert_int_equal(pt_report_number(arrays, "n_features"), D);
        assert_int_equal(pt_report_find(arrays, "classes")->length[0], K);
        const pt_item *code = pt_report_find(arrays, "code");
        assert_int_equal(code != NULL, strstr(MACHINES[m], "code") ||
                                           strstr(MACHINES[m], "adaboost") ||
                                           strstr(MACHINES[m], "class-tree"));
        if (strstr(MACHINES[m], "code=ovo")) { /* a code that the file has by its name alone */
            assert_int_equal(code->length[1], K * (K - 1) / 2);
            assert_true(pt_report_number_at(arrays, "code", 0, 0, 0) == 1);
            assert_true(pt_report_number_at(arrays, "code", 1, 0, 0) == -1);
            assert_true(pt_report_number_at(arrays, "code", 2, 0, 0) == 0);
        }
        if (strstr(MACHINES[m], "onelsm"))
            assert_true(pt_report_number(arrays, "label_factor") > 0);
        pt_report_free(arrays);
        pt_container_close(container);
        pt_bytes_free(bytes);
        pt_model_free(model);
    }
    pt_dataset_free(data);
    small_free(&s);
}

static void test_plan__says_what_training_would_take(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, D, K, 3);
    pt_dataset *data = small_dataset(&s);
    pt_params *params = small_params("machine=onelsm,kernel=rbf,sigma=1,ridge=0.1");
    pt_task *task = small_task(1);
    pt_report *plan = NULL;
    small_must(pt_model_plan(&plan, data, params, task, &err), &err, "plan");
    assert_int_equal(pt_report_number(plan, "rows"), N);
    assert_true(pt_report_number(plan, "bytes") >= N * N / 2 * sizeof(float));
    assert_true(pt_report_number(plan, "multiplications") > N * N);
    assert_true(strlen(pt_report_text(plan, "route")) > 5);
    assert_true(pt_report_number(plan, "fits") == 1);
    pt_report_free(plan);
    pt_task_set_memory(task, 8 << 10); /* the rows, and not the matrix */
    small_must(pt_model_plan(&plan, data, params, task, &err), &err, "plan in little memory");
    assert_true(pt_report_number(plan, "fits") == 0);
    assert_true(pt_report_number(plan, "allowed_bytes") == 8 << 10);
    pt_report_free(plan);
    pt_params_free(params);
    pt_task_free(task);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__has_the_bytes_of_the_file),
        cmocka_unit_test(test_memory__exports_are_those_of_the_file),
        cmocka_unit_test(test_memory__a_stream_goes_on_from_it),
        cmocka_unit_test(test_arrays__are_all_sections),
        cmocka_unit_test(test_plan__says_what_training_would_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
