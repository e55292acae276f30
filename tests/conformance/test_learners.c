/* labels: threads heavy */
/* What every learner of the registry must do under every family of codes and every decoder: a new
 * one is tested by being listed. And what every loss must be. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/predictions.h"
#include "../support/share.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "decoders/decoder.h"
#include "learners/learner.h"
#include "machine/training.h"
#include "machines/codes/machine_code.h"
#include "params/params_table.h"
#include "validate/auto.h"

typedef struct options {
    char text[400];
} options;

static bool lists(const char *list, const char *name)
{
    return pt_word_listed(list, ',', name, strlen(name));
}

/* "code=FAMILY,learner=NAME" and those of the wish that the two use. */
static options options_for(const pt_learner_ops *learner, const pt_code_family *family,
                           const char *wish)
{
    options o;
    char copy[256];
    snprintf(o.text, sizeof o.text, "code=%s,learner=%s", family->name, learner->name);
    snprintf(copy, sizeof copy, "%s", wish);
    for (char *at = copy; at && *at;) {
        char *end = strchr(at, ',');
        if (end)
            *end = '\0';
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "="), at);
        const pt_param_group_id group = pt_param_group_of((pt_param_id)pt_param_find(name));
        const bool used = group == PT_GROUP_KERNEL ? lists(learner->parameters, "kernel")
                          : group == PT_GROUP_MACHINE
                              ? lists(learner->parameters, name) ||
                                    lists(family->parameters, name) || strcmp(name, "decode") == 0
                              : true;
        const size_t length = strlen(o.text);
        if (used)
            snprintf(o.text + length, sizeof o.text - length, ",%s", at);
        at = end ? end + 1 : NULL;
    }
    return o;
}

static const char PLAIN[] = "kernel=rbf,sigma=1,ridge=0.3,C=2,draws=20,rounds=10";

/* The smallest number of classes above three that the family has codes for. */
static int64_t classes_for(const pt_code_family *family)
{
    char text[100];
    snprintf(text, sizeof text, "code=%s,draws=20", family->name);
    pt_params *params = small_params(text);
    int64_t k = 4;
    for (;; k++) {
        pt_code code = {0};
        const pt_status status = pt_code_init(&code, params, k, NULL, NULL, NULL, NULL);
        pt_code_free(&code);
        if (status == PT_OK || k > 20)
            break;
    }
    pt_params_free(params);
    return k;
}

/* ---- predictions ------------------------------------------------------------------------------
 */

/* Whether the decoder refuses the code; it must say for what it is. */
static bool refused(const pt_dataset *train, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    const pt_status status = small_try_train(&model, train, text, 1, &err);
    pt_model_free(model);
    if (status == PT_EINVAL)
        assert_non_null(strstr(err.text, "`decode"));
    return status == PT_EINVAL;
}

static void test_learners__every_code_and_decoder(void **state)
{
    (void)state;
    for (const pt_code_family *const *family = pt_code_families; *family; family++) {
        const int64_t k = classes_for(*family);
        small s = small_clouds(12 * k, 3, k, 3);
        small on = small_clouds(23, 3, k, 4);
        pt_dataset *train = small_dataset(&s);
        pt_dataset *test = small_dataset(&on);
        for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
            for (const pt_decoder *const *decoder = pt_decoders; *decoder; decoder++) {
                if (!test_in_share())
                    continue;
                char wish[200];
                snprintf(wish, sizeof wish, "%s,decode=%s", PLAIN, (*decoder)->name);
                const options o = options_for(*learner, *family, wish);
                if (!refused(train, o.text))
                    expect_repeatable(train, test, on.n, k, o.text);
            }
        pt_dataset_free(train);
        pt_dataset_free(test);
        small_free(&s);
        small_free(&on);
    }
}

/* The same scores from sparse rows; a learner that does not take them says so. */
static void test_learners__sparse_rows_are_dense_rows(void **state)
{
    (void)state;
    small s = small_clouds(60, 4, 4, 5);
    for (int64_t i = 0; i < 60 * 4; i += 3)
        s.x[i] = 0;
    pt_dataset *dense = small_dataset(&s);
    pt_dataset *sparse = small_sparse_dataset(&s);
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++) {
        pt_error err = PT_ERROR_INIT;
        pt_model *model = NULL;
        char wish[200];
        snprintf(wish, sizeof wish, "%s,scale=none,precision=double,eps=1e-10,gap=1e-10", PLAIN);
        const options o = options_for(*learner, pt_code_family_find("ova"), wish);
        if (!((*learner)->capabilities & PT_LEARNS_SPARSE)) {
            assert_int_equal(small_try_train(&model, sparse, o.text, 1, &err), PT_EINVAL);
            assert_non_null(strstr(err.text, "sparse"));
            continue;
        }
        double *a = small_scores(dense, o.text, dense);
        double *b = small_scores(sparse, o.text, sparse);
        if (!(small_distance(a, b, 60 * 4) < 1e-6))
            fail_msg("%s: %g apart", o.text, small_distance(a, b, 60 * 4));
        free(a);
        free(b);
    }
    pt_dataset_free(dense);
    pt_dataset_free(sparse);
    small_free(&s);
}

/* An example with weight 2 is the example twice, under codes with and without zeros, but for
 * learners that go row by row, where it is a step twice as long (test_online_update). BrownBoost
 * makes one round: its weights take few values, so that in later ones stumps are equally good but
 * for rounding (a property test compares weighted rounds with the textbook). */
static void test_learners__weight_two_is_the_example_twice(void **state)
{
    (void)state;
    static const char *const codes[] = {"ova", "ovo", "sparse"};
    enum { N = 36, TWICE = 9, D = 3, K = 4 };
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int c = 0; c < 3 && (*learner)->capabilities & PT_LEARNS_WEIGHTS &&
                        !((*learner)->capabilities & PT_LEARNS_ONLINE);
             c++) {
            char wish[200];
            const bool ties = strcmp((*learner)->name, "brownboost") == 0;
            snprintf(wish, sizeof wish,
                     "%s,eps=1e-13,gap=1e-12,precision=double,scale=none,calibrate=no%s", PLAIN,
                     ties ? ",rounds=1" : "");
            const options o = options_for(*learner, pt_code_family_find(codes[c]), wish);
            small once = small_clouds(N, D, K, 31);
            small twice = small_clouds(N + TWICE, D, K, 31);
            memcpy(twice.x, once.x, N * D * sizeof(double));
            memcpy(twice.x + N * D, once.x, TWICE * D * sizeof(double));
            memcpy(twice.y + N, once.y, TWICE * sizeof(int64_t));
            once.weight = calloc(N, sizeof(double));
            for (int i = 0; i < N; i++)
                once.weight[i] = i < TWICE ? 2 : 1;
            pt_dataset *a = small_dataset(&once);
            pt_dataset *b = small_dataset(&twice);
            double *heavy = small_scores(a, o.text, a);
            double *doubled = small_scores(b, o.text, a);
            if (!(small_distance(heavy, doubled, N * K) < 1e-7))
                fail_msg("%s: %g apart", o.text, small_distance(heavy, doubled, N * K));
            free(heavy);
            free(doubled);
            pt_dataset_free(a);
            pt_dataset_free(b);
            small_free(&once);
            small_free(&twice);
        }
}

/* Weights are relative: all of them in another unit are the same model, where no C or ridge stands
 * against their sum. */
static void test_learners__weights_have_no_unit(void **state)
{
    (void)state;
    static const char *const codes[] = {"ova", "ovo", "sparse"};
    enum { N = 40, D = 3, K = 4 };
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++) {
        if (!((*learner)->capabilities & PT_LEARNS_WEIGHTS) || lists((*learner)->parameters, "C") ||
            lists((*learner)->parameters, "ridge"))
            continue;
        for (int q = 0; q < 12; q++) {
            char wish[200];
            snprintf(wish, sizeof wish, "%s,precision=double,calibrate=no%s", PLAIN,
                     q % 2 ? ",depth=2" : "");
            const options o = options_for(*learner, pt_code_family_find(codes[q / 4]), wish);
            small s = small_clouds(N, D, K, 33);
            s.weight = calloc(N, sizeof *s.weight);
            for (int64_t i = 0; i < N; i++)
                s.weight[i] = 1 + (double)(i % 3);
            pt_dataset *ones = small_dataset(&s);
            for (int64_t i = 0; i < N; i++)
                s.weight[i] = ldexp(s.weight[i], q / 2 % 2 ? 30 : -30);
            pt_dataset *others = small_dataset(&s);
            double *a = small_scores(ones, o.text, ones);
            double *b = small_scores(others, o.text, ones);
            if (!(small_distance(a, b, N * K) < 1e-9))
                fail_msg("%s: %g apart", o.text, small_distance(a, b, N * K));
            free(a);
            free(b);
            pt_dataset_free(ones);
            pt_dataset_free(others);
            small_free(&s);
        }
    }
}

/* Rows that are all the same tell nothing of their classes: an answer all the same, under every
 * decoder. */
static void test_learners__constant_columns(void **state)
{
    (void)state;
    static const char *const codes[] = {"ova", "ovo", "sparse"};
    enum { N = 31, D = 3, K = 3 };
    small s = small_clouds(N, D, K, 47);
    for (int64_t i = 0; i < N * D; i++)
        s.x[i] = (double)(i % D);
    pt_dataset *data = small_dataset(&s);
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int c = 0; c < 3; c++)
            for (const pt_decoder *const *decoder = pt_decoders; *decoder; decoder++) {
                if (!test_in_share())
                    continue;
                char wish[200];
                snprintf(wish, sizeof wish, "%s,decode=%s", PLAIN, (*decoder)->name);
                const options o = options_for(*learner, pt_code_family_find(codes[c]), wish);
                if (!refused(data, o.text))
                    expect_repeatable(data, data, N, K, o.text);
            }
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- hostile arrays ---------------------------------------------------------------------------
 */

static pt_status load(const pt_pack *pack, const pt_params *params, int64_t d, int64_t k,
                      pt_error *err)
{
    pt_machine *machine = NULL;
    const pt_status status =
        pt_machine_load(&machine, &pt_machine_code, pack, d, k, params, NULL, err);
    if (status == PT_OK)
        pt_machine_free(machine);
    return status;
}

static void expect_refused(const pt_pack *pack, const pt_params *params, int64_t d, int64_t k,
                           const char *array, const char *what, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    const pt_status status = load(pack, params, d, k, &err);
    if (status != PT_EFORMAT)
        fail_msg("%s: array %s, %s: %s: %s", text, array, what, pt_status_name(status), err.text);
}

/* Each array of a trained machine, one after the other: left out, too short, of another type, with
 * a number that is none. */
static void break_arrays(pt_pack *pack, const pt_params *params, int64_t d, int64_t k,
                         const char *text)
{
    for (int64_t a = 0; a < pack->count; a++) {
        pt_array *array = &pack->arrays[a];
        const pt_array good = *array;
        array->name[0] = '?';
        expect_refused(pack, params, d, k, good.name, "left out", text);
        *array = good;
        array->rows--;
        expect_refused(pack, params, d, k, good.name, "a row less", text);
        *array = good;
        array->columns--;
        if (strcmp(good.name, "code") != 0) /* g and fewer columns of M are a machine too */
            expect_refused(pack, params, d, k, good.name, "a column less", text);
        *array = good;
        array->integer = !good.integer;
        expect_refused(pack, params, d, k, good.name, "another type", text);
        *array = good;
        char *value = good.value;
        char kept[sizeof(double)];
        memcpy(kept, value, sizeof kept);
        if (good.integer)
            memcpy(value, &(int64_t){-1}, sizeof(int64_t));
        else if (good.type == PT_F64)
            memcpy(value, &(double){NAN}, sizeof(double));
        else
            memcpy(value, &(float){NAN}, sizeof(float));
        expect_refused(pack, params, d, k, good.name, "a number that is none", text);
        memcpy(value, kept, sizeof kept);
    }
}

static void test_learners__hostile_arrays_are_refused(void **state)
{
    (void)state;
    static const char *const codes[] = {"ova", "ovo", "dense", "sparse"};
    static const char *const kernels[] = {"kernel=rbf,sigma=1", "kernel=linear"};
    enum { N = 50, D = 3, K = 4 };
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int q = 0; q < 16; q++) {
            if (!test_in_share())
                continue;
            pt_error err = PT_ERROR_INIT;
            char wish[200];
            snprintf(wish, sizeof wish, "%s,ridge=0.3,C=2,draws=20,precision=double",
                     kernels[q % 2]);
            options o = options_for(*learner, pt_code_family_find(codes[q / 2 % 4]), wish);
            if (q >= 8)
                (void)strncat(o.text, ",single-call=yes", sizeof o.text - strlen(o.text) - 1);
            small s = small_clouds(N, D, K, 7);
            pt_dataset *data = small_dataset(&s);
            pt_params *params = small_params(o.text);
            pt_training t;
            pt_machine *machine = NULL;
            pt_pack pack = {0};
            small_must(pt_training_init(&t, data, params, NULL, &err), &err, o.text);
            small_must(pt_training_resolve(&t, NULL, &err), &err, o.text);
            small_must(pt_machine_fit(&machine, &pt_machine_code, &t.problem, t.params, NULL,
                                      &t.warnings, &err),
                       &err, o.text);
            small_must(pt_machine_code.save(machine, &pack, &err), &err, o.text);
            small_must(load(&pack, t.params, D, K, &err), &err, o.text);
            break_arrays(&pack, t.params, D, K, o.text);
            small_must(load(&pack, t.params, D, K, &err), &err, o.text);
            pt_pack_free(&pack);
            pt_machine_free(machine);
            pt_training_free(&t);
            pt_params_free(params);
            pt_dataset_free(data);
            small_free(&s);
        }
}

/* ---- losses -----------------------------------------------------------------------------------
 */

/* L falls, is never negative, is finite, and counts at_zero where a code has a zero. */
static void test_losses__are_margin_losses(void **state)
{
    (void)state;
    for (const pt_loss *const *loss = pt_losses; *loss; loss++) {
        assert_ptr_equal(pt_loss_find((*loss)->name), *loss);
        assert_true(fabs((*loss)->value(0) - (*loss)->at_zero) < 1e-15);
        assert_true((*loss)->at_zero > 0);
        double previous = INFINITY;
        for (double z = -400; z <= 400; z += 0.25) {
            const double value = (*loss)->value(z);
            assert_true(isfinite(value) && value >= 0);
            /* the square loss rises again behind 1: it is one of distance, not of margin alone */
            assert_true(value <= previous || (*loss == &pt_loss_square && z > 1));
            previous = value;
        }
    }
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        assert_non_null(pt_decoder_find((*learner)->loss->name)); /* --decode loss has one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learners__every_code_and_decoder),
        cmocka_unit_test(test_learners__sparse_rows_are_dense_rows),
        cmocka_unit_test(test_learners__weight_two_is_the_example_twice),
        cmocka_unit_test(test_learners__weights_have_no_unit),
        cmocka_unit_test(test_learners__constant_columns),
        cmocka_unit_test(test_learners__hostile_arrays_are_refused),
        cmocka_unit_test(test_losses__are_margin_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
