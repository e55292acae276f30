/* Checkpoints: what is put is found again, other work and damaged or hostile files are refused and
 * left as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/mend.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "select/checkpoint.h"

static char folder[] = "/tmp/polytomy_checkpoint_XXXXXX";
static char file[64];

static pt_params *params_of(const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(options);
    small_must(pt_params_set(params, "resume", file, &err), &err, "resume");
    return params;
}

static pt_dataset *data_of(uint64_t seed)
{
    small cloud = small_clouds(12, 2, 3, seed);
    pt_dataset *data = small_dataset(&cloud);
    small_free(&cloud);
    return data;
}

static pt_status open_with(pt_checkpoint **out, const char *what, const char *options,
                           uint64_t seed, pt_error *err)
{
    pt_dataset *data = data_of(seed);
    pt_params *params = params_of(options);
    const pt_params *machines[] = {params};
    const pt_status status = pt_checkpoint_open(out, what, data, machines, 1, err);
    pt_params_free(params);
    pt_dataset_free(data);
    return status;
}

static void write_file(const char *text, size_t size)
{
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    fclose(f);
}

static size_t read_file(char *text, size_t size)
{
    FILE *f = fopen(file, "rb");
    assert_non_null(f);
    const size_t got = fread(text, 1, size - 1, f);
    text[got] = '\0';
    fclose(f);
    return got;
}

static void test_checkpoint__without_a_file_keeps_nothing(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    bool known = true;
    int64_t value = 0;
    char *text = NULL;
    pt_checkpoint *none = NULL;
    pt_params *params = small_params("ridge=1");
    const pt_params *machines[] = {params};
    pt_dataset *data = data_of(1);
    small_must(pt_checkpoint_open(&none, "cv", data, machines, 1, &err), &err, "open");
    assert_null(none);
    small_must(pt_checkpoint_put_number(NULL, "a", 0, 1, &err), &err, "put");
    small_must(pt_checkpoint_put_text(NULL, "a", 0, "x", &err), &err, "put");
    small_must(pt_checkpoint_number(NULL, "a", 0, 0, 9, &known, &value, &err), &err, "get");
    assert_false(known);
    small_must(pt_checkpoint_text(NULL, "a", 0, &known, &text, &err), &err, "get");
    assert_false(known);
    assert_int_equal(pt_checkpoint_close(NULL, PT_ECANCELLED, NULL, &err), PT_ECANCELLED);
    pt_dataset_free(data);
    pt_params_free(params);
}

static void fill(void)
{
    pt_error err = PT_ERROR_INIT;
    pt_checkpoint *cp = NULL;
    unlink(file);
    small_must(open_with(&cp, "cv", "ridge=1", 1, &err), &err, "open");
    small_must(pt_checkpoint_put_number(cp, "errors", 3, 5, &err), &err, "put");
    small_must(pt_checkpoint_put_number(cp, "errors", 1, -1, &err), &err, "put");
    small_must(pt_checkpoint_put_real(cp, "means", 2, 1.0 / 3, &err), &err, "put");
    small_must(pt_checkpoint_put_text(cp, "words", 0, "not yet", &err), &err, "put");
    small_must(pt_checkpoint_put_text(cp, "words", 0, "\xff is not UTF-8", &err), &err, "put");
    small_must(pt_checkpoint_close(cp, PT_OK, NULL, &err), &err, "close");
}

static void test_checkpoint__remembers(void **state)
{
    (void)state;
    static const int64_t EXPECTED[] = {-9, -1, -9, 5, -9}; /* -9: not known */
    pt_error err = PT_ERROR_INIT;
    pt_checkpoint *cp = NULL;
    bool known = false;
    char *text = NULL;
    fill();
    small_must(open_with(&cp, "cv", "ridge=1", 1, &err), &err, "open");
    for (int64_t i = 0; i < 5; i++) {
        int64_t value = -9;
        small_must(pt_checkpoint_number(cp, "errors", i, -1, 5, &known, &value, &err), &err, "get");
        assert_int_equal(value, EXPECTED[i]);
        assert_int_equal(known, EXPECTED[i] != -9);
    }
    small_must(pt_checkpoint_text(cp, "words", 0, &known, &text, &err), &err, "get");
    assert_true(known);
    assert_string_equal(text, "\xff is not UTF-8");
    pt_free(text);
    int64_t value = 0;
    assert_int_equal(pt_checkpoint_number(cp, "errors", 3, -1, 4, &known, &value, &err),
                     PT_EFORMAT);
    assert_int_equal(pt_checkpoint_number(cp, "errors", 1, 0, 5, &known, &value, &err), PT_EFORMAT);
    assert_int_equal(pt_checkpoint_number(cp, "words", 0, -1, 4, &known, &value, &err), PT_EFORMAT);
    double real = 0;
    small_must(pt_checkpoint_real(cp, "means", 2, 0, 1, &known, &real, &err), &err, "get");
    assert_true(known && real == 1.0 / 3);
    assert_int_equal(pt_checkpoint_real(cp, "means", 2, 0.5, 1, &known, &real, &err), PT_EFORMAT);
    small_must(pt_checkpoint_close(cp, PT_OK, NULL, &err), &err, "close");
}

static void test_checkpoint__says_how_to_go_on(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_checkpoint *cp = NULL;
    fill();
    small_must(open_with(&cp, "cv", "ridge=1", 1, &err), &err, "open");
    err = (pt_error){.code = PT_ECANCELLED, .text = "stopped on request"};
    assert_int_equal(pt_checkpoint_close(cp, PT_ECANCELLED, NULL, &err), PT_ECANCELLED);
    assert_int_equal(err.code, PT_ECANCELLED);
    assert_non_null(strstr(err.text, "stopped on request; '"));
    assert_non_null(strstr(err.text, file));
}

static void test_checkpoint__refuses_other_work(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        const char *options;
        uint64_t seed;
        const char *reason;
    } OTHER[] = {
        {"compare", "ridge=1", 1, "its command is 'cv', here it is 'compare'"},
        {"cv", "ridge=2", 1, "its ridge is '1', here it is '2'"},
        {"cv", "ridge=1,folds=5", 1, "its folds is '10', here it is '5'"},
        {"cv", "ridge=1,grid={sigma=1,2}", 1, "its grid is ''"},
        {"cv", "ridge=1,seed=3", 1, "its seed"},
        {"cv", "ridge=1,scale=none", 1, "its scale is 'auto'"},
        {"cv", "ridge=1", 2, "other data"},
    };
    char before[8192];
    char after[8192];
    fill();
    const size_t size = read_file(before, sizeof before);
    for (size_t i = 0; i < sizeof OTHER / sizeof *OTHER; i++) {
        pt_error err = PT_ERROR_INIT;
        pt_checkpoint *cp = NULL;
        assert_int_equal(open_with(&cp, OTHER[i].what, OTHER[i].options, OTHER[i].seed, &err),
                         PT_EINVAL);
        if (!strstr(err.text, OTHER[i].reason))
            fail_msg("'%s' does not say '%s'", err.text, OTHER[i].reason);
        assert_string_equal(err.file, file);
    }
    pt_error err = PT_ERROR_INIT;
    pt_checkpoint *cp = NULL;
    small_must(open_with(&cp, "cv", "ridge=1,threads=3,memory=1G", 1, &err), &err,
               "how it is run does not matter");
    small_must(pt_checkpoint_close(cp, PT_OK, NULL, &err), &err, "close");
    assert_int_equal(read_file(after, sizeof after), size);
    assert_memory_equal(before, after, size);
}

static void write_matrix(const char *path, double beside)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "1,0,0\n0,1,%g\n0,%g,1\n", beside, beside);
    fclose(f);
}

/* The name of a kernel on the labels does not tell its matrix. */
static void test_checkpoint__knows_the_label_kernel(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_checkpoint *cp = NULL;
    char matrix[64];
    char options[128];
    snprintf(matrix, sizeof matrix, "%s/matrix.csv", folder);
    snprintf(options, sizeof options, "ridge=1,label-kernel=%s", matrix);
    unlink(file);
    for (int again = 0; again < 2; again++) {
        write_matrix(matrix, 0.5);
        small_must(open_with(&cp, "cv", options, 1, &err), &err, "the same matrix");
        small_must(pt_checkpoint_close(cp, PT_OK, NULL, &err), &err, "close");
    }
    cp = NULL;
    write_matrix(matrix, 0.25);
    assert_int_equal(open_with(&cp, "cv", options, 1, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "its label-kernel matrix"));
    unlink(matrix);
    assert_int_equal(open_with(&cp, "cv", options, 1, &err), PT_EIO);
    assert_null(cp);
}

/* Cut anywhere, or with a byte changed: refused, or as good as before; never a crash or a leak. */
static void test_checkpoint__survives_damage(void **state)
{
    (void)state;
    char whole[8192];
    fill();
    const size_t size = read_file(whole, sizeof whole);
    const int64_t live = pt_alloc_live();
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 0);
    for (int round = 0; round < 1500; round++) {
        char text[8192];
        memcpy(text, whole, size);
        const size_t cut = round < 300 ? (size_t)pt_random_below(&random, (int64_t)size) : size;
        if (round >= 300)
            text[pt_random_below(&random, (int64_t)size)] = (char)pt_random_below(&random, 256);
        if (round % 4 != 0) /* what lies behind the checksums */
            mend_checksums((unsigned char *)text, cut);
        write_file(text, cut);
        pt_error err = PT_ERROR_INIT;
        pt_checkpoint *cp = NULL;
        const pt_status status = open_with(&cp, "cv", "ridge=1", 1, &err);
        if (status == PT_OK) {
            bool known = false;
            int64_t value = 0;
            for (int64_t i = 0; i < 5; i++)
                (void)pt_checkpoint_number(cp, "errors", i, -1, 5, &known, &value, &err);
            (void)pt_checkpoint_close(cp, PT_OK, NULL, &err);
        } else {
            assert_true(status == PT_EFORMAT || status == PT_EINVAL || status == PT_ENOSUPPORT);
            assert_true(err.text[0] != '\0');
        }
        assert_int_equal(pt_alloc_live(), live);
    }
}

static void test_checkpoint__refuses_what_is_none(void **state)
{
    (void)state;
    static const char *const WRONG[] = {
        "a,b,class\n1,2,x\n",
        "[]",
        "{}",
        "{\"polytomy\": \"checkpoint\"}",
        "{\"polytomy\": \"checkpoint\", \"format\": 2, \"signature\": {}, \"results\": {}}",
        "{\"polytomy\": \"checkpoint\", \"format\": 1, \"signature\": 3, \"results\": {}}",
        "{\"polytomy\": \"checkpoint\", \"format\": 1, \"results\": []}"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        pt_error err = PT_ERROR_INIT;
        pt_checkpoint *cp = NULL;
        char after[256];
        write_file(WRONG[i], strlen(WRONG[i]));
        const pt_status status = open_with(&cp, "cv", "ridge=1", 1, &err);
        assert_true(status == PT_EFORMAT || status == PT_EINVAL);
        read_file(after, sizeof after);
        assert_string_equal(after, WRONG[i]);
    }
    pt_error err = PT_ERROR_INIT;
    pt_checkpoint *cp = NULL;
    unlink(file);
    assert_int_equal(mkdir(file, 0700), 0);
    assert_int_equal(open_with(&cp, "cv", "ridge=1", 1, &err), PT_EIO);
    assert_int_equal(rmdir(file), 0);
    write_file("", 0); /* as mktemp makes it: the beginning */
    small_must(open_with(&cp, "cv", "ridge=1", 1, &err), &err, "an empty file");
    small_must(pt_checkpoint_close(cp, PT_OK, NULL, &err), &err, "close");
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

static void hear_unsaved(pt_level level, const char *kind, const char *text, void *user)
{
    assert_int_equal(level, PT_WARNING);
    assert_string_equal(kind, "unsaved");
    assert_non_null(strstr(text, "the result stands"));
    ++*(int *)user;
}

/* The folder goes away while the work is done: the work counts, and a warning tells of the file. */
static void test_checkpoint__that_cannot_be_written_is_not_the_end(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_checkpoint *cp = NULL;
    pt_task *task = small_task(1);
    int warned = 0;
    pt_task_on_message(task, hear_unsaved, &warned);
    for (int with_task = 0; with_task < 2; with_task++) {
        char away[100];
        snprintf(away, sizeof away, "%s-away", folder);
        small_must(open_with(&cp, "cv", "", 1, &err), &err, "open");
        assert_int_equal(rename(folder, away), 0);
        small_must(pt_checkpoint_put_number(cp, "errors", 0, 1, &err), &err, "put");
        const pt_status status = pt_checkpoint_close(cp, PT_OK, with_task ? task : NULL, &err);
        assert_int_equal(rename(away, folder), 0);
        assert_int_equal(status, with_task ? PT_OK : PT_EIO);
        assert_int_equal(warned, with_task);
        assert_int_equal(unlink(file), 0);
    }
    pt_task_free(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checkpoint__that_cannot_be_written_is_not_the_end),
        cmocka_unit_test(test_checkpoint__without_a_file_keeps_nothing),
        cmocka_unit_test(test_checkpoint__remembers),
        cmocka_unit_test(test_checkpoint__says_how_to_go_on),
        cmocka_unit_test(test_checkpoint__refuses_other_work),
        cmocka_unit_test(test_checkpoint__knows_the_label_kernel),
        cmocka_unit_test(test_checkpoint__survives_damage),
        cmocka_unit_test(test_checkpoint__refuses_what_is_none),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
