/* What every file format of the registry must do: one that is written gives back what was written,
 * packed or not, and through any other; one that is only read says so and has a sample here. Files
 * that are cut or garbled are refused with a text, or read. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/share.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "data/dataset.h"
#include "data/read/reader.h"

#ifndef PT_SOURCE_DIR
#define PT_SOURCE_DIR "." /* compiled by hand, run in the root of the tree */
#endif

/* Of a format that is read only; tests/conformance/samples has one. */
static const char *sample_of(const pt_format *format)
{
    static char path[512];
    snprintf(path, sizeof path, PT_SOURCE_DIR "/tests/conformance/samples/sample.%s", format->name);
    if (access(path, R_OK) != 0)
        fail_msg("%s is read only, and there is no %s", format->name, path);
    return path;
}

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    assert_true(*size < 1 << 20);
    fclose(file);
    return bytes;
}

/* "/tmp/..." with the first ending of the format, and `more` behind it. */
static void path_for(char path[120], const pt_format *format, const char *which, const char *more)
{
    const int first = (int)strcspn(format->extensions, ",");
    snprintf(path, 120, "/tmp/polytomy_formats_%ld_%s%.*s%s", (long)getpid(), which, first,
             format->extensions, more);
}

static pt_dataset *read_as(const char *path, const char *format)
{
    char options[60];
    snprintf(options, sizeof options, "format=%s", format);
    pt_params *params = small_params(options);
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    if (pt_dataset_read(&data, path, params, NULL, &err) != PT_OK)
        fail_msg("%s as %s: %s", path, format, err.text);
    pt_params_free(params);
    return data;
}

/* Rows as numbers, whether they are kept dense or sparse: free() it. */
static double *cells_of(const pt_dataset *data)
{
    double *cells = calloc((size_t)(data->n * data->d), sizeof *cells);
    if (!pt_dataset_is_sparse(data))
        memcpy(cells, data->value, (size_t)(data->n * data->d) * sizeof *cells);
    else
        for (int64_t i = 0; i < data->n; i++)
            for (int64_t c = data->start[i]; c < data->start[i + 1]; c++)
                cells[i * data->d + data->index[c]] = ((const double *)data->value)[c];
    return cells;
}

static void expect_same(const pt_dataset *a, const pt_dataset *b, const char *what)
{
    if (a->n != b->n || a->d != b->d || pt_dataset_n_classes(a) != pt_dataset_n_classes(b))
        fail_msg("%s: %lld x %lld in %lld classes, %lld x %lld in %lld", what, (long long)a->n,
                 (long long)a->d, (long long)pt_dataset_n_classes(a), (long long)b->n,
                 (long long)b->d, (long long)pt_dataset_n_classes(b));
    double *x = cells_of(a);
    double *y = cells_of(b);
    for (int64_t c = 0; c < a->n * a->d; c++)
        if (!(x[c] == y[c]))
            fail_msg("%s: cell %lld: %.17g, not %.17g", what, (long long)c, y[c], x[c]);
    for (int64_t i = 0; i < a->n; i++)
        assert_string_equal(pt_dataset_class_name(a, pt_dataset_class(a, i)),
                            pt_dataset_class_name(b, pt_dataset_class(b, i)));
    free(x);
    free(y);
}

/* Numbers with all their digits, zeros among them; classes in another order than their names. */
static pt_dataset *numbers(void)
{
    small s = small_clouds(23, 4, 3, 7);
    for (int64_t i = 0; i < s.n * s.d; i += 5)
        s.x[i] = 0;
    s.x[1] = 1e-300;
    s.x[2] = -123456789.125;
    pt_dataset *data = small_dataset(&s);
    small_free(&s);
    return data;
}

static void write_as(const pt_dataset *data, const char *path, const char *format)
{
    pt_error err = PT_ERROR_INIT;
    small_must(pt_dataset_write(data, path, format, NULL, &err), &err, path);
}

/* ---- tests -------------------------------------------------------------------------------------
 */

static void test_formats__have_a_name_and_endings_of_their_own(void **state)
{
    (void)state;
    for (const pt_format *const *f = pt_formats; *f; f++) {
        assert_true(strlen((*f)->summary) > 10);
        assert_non_null((*f)->detect);
        assert_non_null((*f)->read);
        assert_true((*f)->extensions[0] == '.');
        for (const char *c = (*f)->name; *c; c++)
            assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '-');
        for (const pt_format *const *other = pt_formats; other < f; other++) {
            assert_string_not_equal((*f)->name, (*other)->name);
            assert_null(strstr((*other)->extensions, (*f)->extensions));
        }
    }
}

static void test_formats__give_back_what_was_written(void **state)
{
    (void)state;
    static const char *const PACKED[] = {"", ".gz", ".zst"};
    pt_dataset *data = numbers();
    for (const pt_format *const *f = pt_formats; *f; f++)
        for (int p = 0; p < 3 && (*f)->write; p++) {
            char path[120];
            char again[120];
            path_for(path, *f, "a", PACKED[p]);
            path_for(again, *f, "b", PACKED[p]);
            write_as(data, path, (*f)->name);
            pt_dataset *named = read_as(path, (*f)->name);
            pt_dataset *found = read_as(path, "auto"); /* by its ending and its contents */
            expect_same(data, named, path);
            expect_same(named, found, path);
            write_as(named, again, NULL); /* the format from the name of the file */
            pt_dataset *twice = read_as(again, (*f)->name);
            expect_same(named, twice, again);
            pt_dataset_free(twice);
            pt_dataset_free(found);
            pt_dataset_free(named);
            unlink(path);
            unlink(again);
        }
    pt_dataset_free(data);
}

/* What is in the file decides where the name of the file says nothing. */
static void test_formats__are_known_by_their_contents(void **state)
{
    (void)state;
    pt_dataset *data = numbers();
    for (const pt_format *const *f = pt_formats; *f; f++) {
        char path[120];
        size_t size = 0;
        path_for(path, *f, "c", "");
        if ((*f)->write)
            write_as(data, path, (*f)->name);
        char *bytes = slurp((*f)->write ? path : sample_of(*f), &size);
        for (const pt_format *const *other = pt_formats; *other; other++)
            if ((*other)->detect(bytes, size) > (*f)->detect(bytes, size))
                fail_msg("a file of %s looks more like %s", (*f)->name, (*other)->name);
        free(bytes);
        unlink(path);
    }
    pt_dataset_free(data);
}

static void test_formats__that_are_unknown_are_named(void **state)
{
    (void)state;
    pt_dataset *data = numbers();
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_dataset_write(data, "w.xyz", "xyz", NULL, &err), PT_EINVAL);
    assert_string_equal(err.text, "there is no format 'xyz'; say csv, tsv or libsvm");
    assert_int_equal(pt_dataset_write(data, "w.xyz", NULL, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "cannot be told from the name"));
    pt_dataset_free(data);
}

static void test_formats__that_are_read_only_say_so(void **state)
{
    (void)state;
    pt_dataset *data = numbers();
    for (const pt_format *const *f = pt_formats; *f; f++) {
        if ((*f)->write)
            continue;
        char path[120];
        pt_error err = PT_ERROR_INIT;
        path_for(path, *f, "d", "");
        const pt_status status = pt_dataset_write(data, path, (*f)->name, NULL, &err);
        assert_true(status == PT_EINVAL || status == PT_ENOSUPPORT);
        assert_non_null(strstr(err.text, (*f)->name));
        assert_int_not_equal(access(path, F_OK), 0);
        pt_dataset *sample = read_as(sample_of(*f), (*f)->name);
        assert_true(sample->n > 0);
        pt_dataset_free(sample);
    }
    pt_dataset_free(data);
}

/* convert: from each to each that is written, and back to the same rows. */
static void test_formats__convert_into_each_other(void **state)
{
    (void)state;
    pt_dataset *data = numbers();
    for (const pt_format *const *from = pt_formats; *from; from++)
        for (const pt_format *const *to = pt_formats; *to; to++) {
            if (!(*to)->write)
                continue;
            char path[120];
            char other[120];
            path_for(path, *from, "e", "");
            path_for(other, *to, "f", "");
            if ((*from)->write)
                write_as(data, path, (*from)->name);
            pt_dataset *a = read_as((*from)->write ? path : sample_of(*from), (*from)->name);
            pt_error err = PT_ERROR_INIT;
            const pt_status status = pt_dataset_write(a, other, (*to)->name, NULL, &err);
            if (status == PT_OK && pt_dataset_n_classes(a) > 0) {
                pt_dataset *b = read_as(other, (*to)->name);
                assert_int_equal(a->n, b->n);
                if ((*from)->write)
                    expect_same(a, b, other);
                pt_dataset_free(b);
            } else if (status != PT_OK) { /* words in a format of numbers: told as such */
                assert_false((*from)->write != NULL);
                assert_true(strlen(err.text) > 10);
            }
            pt_dataset_free(a);
            unlink(path);
            unlink(other);
        }
    pt_dataset_free(data);
}

/* A text that is refused, or rows. */
static void expect_answer(const char *bytes, size_t size, const pt_format *format)
{
    char options[60];
    char name[40];
    char *copy = malloc(size ? size : 1); /* of its very size, for ASan */
    memcpy(copy, bytes, size);
    snprintf(options, sizeof options, "format=%s", format->name);
    snprintf(name, sizeof name, "t%.*s", (int)strcspn(format->extensions, ","), format->extensions);
    pt_params *params = small_params(options);
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    const pt_status status = pt_dataset_read_memory(&data, copy, size, name, params, NULL, &err);
    if (status == PT_OK)
        assert_non_null(data);
    else
        assert_true(!data && err.code == status && strlen(err.text) > 10);
    pt_dataset_free(data);
    pt_params_free(params);
    free(copy);
}

static void test_formats__cut_and_garbled_files_are_answered(void **state)
{
    (void)state;
    pt_dataset *data = numbers();
    const int64_t live = pt_alloc_live();
    for (const pt_format *const *f = pt_formats; *f; f++) {
        char path[120];
        size_t size = 0;
        path_for(path, *f, "g", "");
        if ((*f)->write)
            write_as(data, path, (*f)->name);
        char *bytes = slurp((*f)->write ? path : sample_of(*f), &size);
        for (size_t length = 0; length < size; length++)
            if (test_in_share())
                expect_answer(bytes, length, *f);
        for (size_t place = 0; place < size; place++) {
            static const char BAD[] = {'\0', '\xff', '\n', '"', ',', '9', '{'};
            const char kept = bytes[place];
            bytes[place] = BAD[place % sizeof BAD];
            if (test_in_share())
                expect_answer(bytes, size, *f);
            bytes[place] = kept;
        }
        free(bytes);
        unlink(path);
    }
    assert_int_equal(pt_alloc_live(), live);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats__have_a_name_and_endings_of_their_own),
        cmocka_unit_test(test_formats__give_back_what_was_written),
        cmocka_unit_test(test_formats__are_known_by_their_contents),
        cmocka_unit_test(test_formats__that_are_unknown_are_named),
        cmocka_unit_test(test_formats__that_are_read_only_say_so),
        cmocka_unit_test(test_formats__convert_into_each_other),
        cmocka_unit_test(test_formats__cut_and_garbled_files_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
