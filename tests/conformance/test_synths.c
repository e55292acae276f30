/* What every synthetic problem of the registry must do: rows from the seed alone, as many as are
 * asked for, the same whether they are held or written in blocks, through every format that writes
 * them; parameters that it does not take are refused; a model can be trained on it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "data/read/reader.h"
#include "data/synth/synth.h"
#include "polytomy/experimental.h"

static pt_dataset *draw(const pt_synth *synth, int64_t n, const char *options)
{
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(options);
    small_must(pt_dataset_synth(&data, synth->name, n, params, &err), &err, synth->name);
    pt_params_free(params);
    return data;
}

/* A problem of fixed points takes no other number than its own. */
static bool is_fixed(const pt_synth *synth)
{
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    const pt_status status = pt_dataset_synth(&data, synth->name, synth->default_n + 1, NULL, &err);
    assert_true(status == PT_OK || (status == PT_EINVAL && strstr(err.text, "fixed points")));
    pt_dataset_free(data);
    return status != PT_OK;
}

static int64_t rows_of(const pt_synth *synth, int64_t wanted)
{
    return is_fixed(synth) ? synth->default_n : wanted;
}

static size_t bytes_of(const pt_dataset *data)
{
    return (size_t)(data->n * data->d) * sizeof(double);
}

static void test_synths__have_what_the_registry_says(void **state)
{
    (void)state;
    for (const pt_synth *const *s = pt_synths; *s; s++) {
        const pt_synth *found = NULL;
        pt_error err = PT_ERROR_INIT;
        small_must(pt_synth_find(&found, (*s)->name, 10, NULL, &err), &err, (*s)->name);
        assert_ptr_equal(found, *s);
        assert_true(strlen((*s)->summary) > 10);
        assert_true(((*s)->make != NULL) != ((*s)->draw != NULL)); /* one way */
        assert_true(((*s)->start != NULL) == ((*s)->draw != NULL));
        assert_true(!(*s)->draw || ((*s)->d >= 1 && (*s)->d <= PT_SYNTH_WIDTH));
        pt_dataset *data = draw(*s, 0, "");
        assert_int_equal(data->n, (*s)->default_n);
        assert_true(!(*s)->draw || data->d == (*s)->d);
        pt_dataset_free(data);
    }
}

static void test_synths__are_the_seed_alone(void **state)
{
    (void)state;
    for (const pt_synth *const *s = pt_synths; *s; s++) {
        const int64_t n = rows_of(*s, 97);
        pt_dataset *a = draw(*s, n, "seed=3");
        pt_dataset *b = draw(*s, n, "seed=3");
        pt_dataset *c = draw(*s, n, "seed=4");
        assert_int_equal(a->n, n);
        assert_memory_equal(a->value, b->value, bytes_of(a));
        assert_true(is_fixed(*s) == (memcmp(a->value, c->value, bytes_of(a)) == 0));
        for (int64_t i = 0; i < a->n * a->d; i++)
            assert_true(isfinite(((const double *)a->value)[i]));
        for (int64_t i = 0; i < a->n; i++)
            assert_int_equal(pt_dataset_class(a, i), pt_dataset_class(b, i));
        pt_dataset_free(a);
        pt_dataset_free(b);
        pt_dataset_free(c);
    }
}

/* The parameter `classes`, and one example alone. */
static void test_synths__take_what_they_say(void **state)
{
    (void)state;
    for (const pt_synth *const *s = pt_synths; *s; s++) {
        pt_dataset *data = NULL;
        pt_error err = PT_ERROR_INIT;
        pt_params *params = small_params("classes=5");
        const pt_status status = pt_dataset_synth(&data, (*s)->name, 200, params, &err);
        if ((*s)->uses_classes) {
            small_must(status, &err, (*s)->name);
            assert_int_equal(pt_dataset_n_classes(data), 5);
        } else {
            assert_int_equal(status, PT_EINVAL);
            assert_non_null(strstr(err.text, "classes"));
        }
        pt_dataset_free(data);
        pt_params_free(params);
    }
}

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(4 << 20);
    *size = fread(bytes, 1, 4 << 20, file);
    assert_true(*size < 4 << 20);
    fclose(file);
    return bytes;
}

/* In every format that writes. */
static void test_synths__are_written_as_they_are_held(void **state)
{
    (void)state;
    char held[100];
    char blocks[100];
    snprintf(held, sizeof held, "/tmp/polytomy_synths_%ld_a", (long)getpid());
    snprintf(blocks, sizeof blocks, "/tmp/polytomy_synths_%ld_b", (long)getpid());
    for (const pt_synth *const *s = pt_synths; *s; s++)
        for (const pt_format *const *f = pt_formats; *f; f++) {
            if (!(*f)->write)
                continue;
            pt_error err = PT_ERROR_INIT;
            const int64_t n = rows_of(*s, 61);
            pt_dataset *data = draw(*s, n, "");
            size_t sizes[2];
            int64_t written = 0;
            const pt_status status = pt_dataset_write(data, held, (*f)->name, NULL, &err);
            const pt_status other =
                pt_synth_write(NULL, &written, (*s)->name, n, NULL, blocks, (*f)->name, NULL, &err);
            assert_int_equal(status, other);
            if (status != PT_OK) { /* weights, which the format cannot hold */
                assert_true(status == PT_EFORMAT && data->weights);
                pt_dataset_free(data);
                continue;
            }
            assert_int_equal(written, n);
            char *a = slurp(held, &sizes[0]);
            char *b = slurp(blocks, &sizes[1]);
            assert_int_equal(sizes[0], sizes[1]);
            assert_memory_equal(a, b, sizes[0]);
            free(a);
            free(b);
            pt_dataset_free(data);
        }
    unlink(held);
    unlink(blocks);
}

static void test_synths__can_be_learned(void **state)
{
    (void)state;
    for (const pt_synth *const *s = pt_synths; *s; s++) {
        const int64_t n = rows_of(*s, 120);
        pt_dataset *data = draw(*s, n, "");
        pt_model *model = small_train(data, "kernel=rbf,sigma=1,ridge=0.1,calibrate=no", 1);
        pt_prediction *p = small_predict(model, data, 1);
        assert_int_equal(pt_prediction_n_examples(p), n);
        pt_prediction_free(p);
        pt_model_free(model);
        pt_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synths__have_what_the_registry_says),
        cmocka_unit_test(test_synths__are_the_seed_alone),
        cmocka_unit_test(test_synths__take_what_they_say),
        cmocka_unit_test(test_synths__are_written_as_they_are_held),
        cmocka_unit_test(test_synths__can_be_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
