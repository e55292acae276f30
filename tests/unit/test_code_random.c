/* labels: threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/code_reference.h"
#include "base/random.h"
#include "base/task.h"

static pt_code make(const char *options, int64_t k, int threads, pt_warnings *warnings)
{
    pt_code code = {0};
    pt_error err = {0};
    pt_params *params = NULL;
    pt_task *task = NULL;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_parse(params, options, &err), PT_OK);
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_threads(task, threads);
    if (pt_code_init(&code, params, k, NULL, task, warnings, &err) != PT_OK)
        fail_msg("%s, %lld classes: %s", options, (long long)k, err.text);
    pt_task_free(task);
    pt_params_free(params);
    return code;
}

static void expect_failure(const char *options, int64_t k, const char *text)
{
    pt_code code = {0};
    pt_error err = {0};
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_parse(params, options, &err), PT_OK);
    assert_int_not_equal(pt_code_init(&code, params, k, NULL, NULL, NULL, &err), PT_OK);
    if (!strstr(err.text, text))
        fail_msg("'%s' is not in '%s'", text, err.text);
    pt_params_free(params);
}

/* ASS: ceil(10 log2 k) and ceil(15 log2 k), or as many as there are. */
static void test_random__number_of_columns(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int64_t k;
        int64_t ell;
        bool capped;
    } cases[] = {
        {"code=dense", 2, 1, true},
        {"code=dense", 3, 3, true},
        {"code=dense", 5, 15, true},
        {"code=dense", 6, 26, false},
        {"code=dense", 26, 48, false},
        {"code=sparse", 2, 1, true},
        {"code=sparse", 3, 6, true},
        {"code=sparse", 4, 25, true},
        {"code=sparse", 5, 35, false},
        {"code=sparse", 26, 71, false},
        {"code=dense,columns=9", 26, 9, false},
        {"code=dense,paper=yes", 3, 8, true}, /* one-sided and opposite ones too */
        {"code=sparse,paper=yes", 3, 24, false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pt_warnings warnings = {0};
        pt_code code = make(cases[c].options, cases[c].k, 1, &warnings);
        assert_int_equal(code.ell, cases[c].ell);
        assert_int_equal(warnings.count, cases[c].capped);
        pt_warnings_free(&warnings);
        pt_code_free(&code);
    }
}

static void check_columns(const pt_code *code)
{
    for (int64_t s = 0; s < code->ell; s++) {
        assert_true(reference_count(code, s, 1) > 0 && reference_count(code, s, -1) > 0);
        for (int64_t t = 0; t < s; t++) {
            assert_true(reference_columns_differ(code, s, t, 1) > 0);
            assert_true(reference_columns_differ(code, s, t, -1) > 0);
        }
    }
}

static void check_rows(const pt_code *code)
{
    for (int64_t r = 0; r < code->k; r++) {
        assert_false(reference_row_is_zero(code, r));
        for (int64_t c = 0; c < r; c++)
            assert_false(reference_rows_equal(code, r, c));
    }
}

/* No column is one-sided, twice there or the opposite of another; no row is zero or twice there. */
static void test_random__codes_keep_their_rules(void **state)
{
    (void)state;
    static const char *const options[] = {"code=dense,draws=20", "code=sparse,draws=20",
                                          "code=sparse,columns=4,draws=3000"};
    for (size_t c = 0; c < sizeof options / sizeof *options; c++)
        for (int64_t k = 2; k < 80; k = k < 12 ? k + 1 : k + 29) {
            if (c == 2 && k > 12)
                break;
            pt_code code = make(options[c], k, 2, NULL);
            check_columns(&code);
            check_rows(&code);
            pt_code_free(&code);
        }
}

/* Half of a sparse code is zeros, its signs are even; so are those of a dense one. */
static void test_random__entries_have_their_chances(void **state)
{
    (void)state;
    pt_code code = make("code=sparse,draws=1,columns=400", 300, 1, NULL);
    int64_t count[3] = {0, 0, 0};
    for (int64_t i = 0; i < code.k * code.ell; i++)
        count[code.M[i] + 1]++;
    const double all = (double)(code.k * code.ell); /* standard deviation 0.0015 */
    assert_true(count[1] / all > 0.49 && count[1] / all < 0.51);
    assert_true(count[0] / all > 0.24 && count[0] / all < 0.26);
    pt_code_free(&code);
    code = make("code=dense,draws=1,columns=400", 300, 1, NULL);
    int64_t plus = 0;
    for (int64_t i = 0; i < code.k * code.ell; i++)
        plus += code.M[i] > 0;
    assert_true((double)plus / all > 0.49 && (double)plus / all < 0.51);
    pt_code_free(&code);
}

/* More draws begin with the same ones: rho never falls, and rises only for a better draw. */
static void test_random__more_draws_are_never_worse(void **state)
{
    (void)state;
    static const char *const kinds[] = {"dense", "sparse"};
    for (int kind = 0; kind < 2; kind++) {
        pt_code last = {0};
        int64_t rho = -1;
        for (int64_t draws = 1; draws <= 600; draws = 5 * draws + 1) {
            char options[64];
            snprintf(options, sizeof options, "code=%s,draws=%lld", kinds[kind], (long long)draws);
            pt_code code = make(options, 10, 2, NULL);
            const int64_t now = reference_twice_rho(&code);
            assert_true(now >= rho);
            if (now == rho) /* the first on ties */
                assert_memory_equal(code.M, last.M, (size_t)(code.k * code.ell));
            rho = now;
            pt_code_free(&last);
            last = code;
        }
        pt_code_free(&last);
    }
}

static void test_random__threads_and_seeds(void **state)
{
    (void)state;
    static const char *const options[] = {"code=dense,draws=1500", "code=sparse,draws=1500",
                                          "code=sparse,draws=1500,paper=yes"};
    for (size_t c = 0; c < sizeof options / sizeof *options; c++) {
        pt_code one = make(options[c], 17, 1, NULL);
        for (int threads = 2; threads < 6; threads++) {
            pt_code many = make(options[c], 17, threads, NULL);
            assert_int_equal(one.ell, many.ell);
            assert_memory_equal(one.M, many.M, (size_t)(one.k * one.ell));
            pt_code_free(&many);
        }
        char seeded[80];
        snprintf(seeded, sizeof seeded, "%s,seed=2", options[c]);
        pt_code other = make(seeded, 17, 1, NULL);
        assert_memory_not_equal(one.M, other.M, (size_t)(one.k * one.ell));
        pt_code_free(&other);
        pt_code_free(&one);
    }
}

/* ASS: dense, no two columns are equal; sparse, no row and no column is zero. */
static void test_random__the_paper_s_rule(void **state)
{
    (void)state;
    for (int64_t k = 2; k < 9; k++) {
        pt_code code = make("code=dense,paper=yes,draws=50", k, 1, NULL);
        for (int64_t s = 0; s < code.ell; s++)
            for (int64_t t = 0; t < s; t++)
                assert_true(reference_columns_differ(&code, s, t, 1) > 0);
        pt_code_free(&code);
        code = make("code=sparse,paper=yes,draws=50", k, 1, NULL);
        for (int64_t s = 0; s < code.ell; s++)
            assert_true(reference_count(&code, s, 0) < k);
        check_rows(&code);
        pt_code_free(&code);
    }
}

/* A code that was made before is taken for the same parameters, and for no others. */
static void test_random__a_code_serves_its_own_parameters(void **state)
{
    (void)state;
    static const char *const other[] = {
        "code=dense,draws=20", "code=sparse,draws=21", "code=sparse,draws=20,seed=2",
        "code=sparse,draws=20,columns=9", "code=sparse,draws=20,paper=yes"};
    pt_params *params = NULL;
    pt_code made = make("code=sparse,draws=20", 7, 1, NULL);
    assert_int_equal(pt_params_new(&params, NULL), PT_OK);
    assert_int_equal(pt_params_parse(params, "code=sparse,draws=20", NULL), PT_OK);
    assert_true(pt_code_serves(&made, params, 7));
    assert_false(pt_code_serves(&made, params, 8));
    assert_false(pt_code_serves(NULL, params, 7));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        pt_code code = {0};
        pt_params *others = NULL;
        assert_int_equal(pt_params_new(&others, NULL), PT_OK);
        assert_int_equal(pt_params_parse(others, other[i], NULL), PT_OK);
        assert_false(pt_code_serves(&made, others, 7));
        assert_int_equal(pt_code_init(&code, others, 7, &made, NULL, NULL, NULL), PT_OK);
        assert_true(code.ell != made.ell || memcmp(code.M, made.M, (size_t)(7 * code.ell)) != 0 ||
                    i == 1);
        pt_code_free(&code);
        pt_params_free(others);
    }
    made.M[0] = (int8_t)-made.M[0]; /* to be seen in a copy */
    pt_code copy = {0};
    assert_int_equal(pt_code_init(&copy, params, 7, &made, NULL, NULL, NULL), PT_OK);
    assert_memory_equal(copy.M, made.M, (size_t)(7 * copy.ell));
    pt_code_free(&copy);
    pt_code_free(&made);
    pt_params_free(params);
}

static void test_random__too_few_columns_are_refused(void **state)
{
    (void)state;
    expect_failure("code=dense,columns=3", 9, "3 dense columns tell 8 classes apart, not 9");
    expect_failure("code=sparse,columns=2", 9, "2 sparse columns tell 8 classes apart, not 9");
    expect_failure("code=dense,columns=6,draws=10", 64, "none of 10 random codes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random__number_of_columns),
        cmocka_unit_test(test_random__codes_keep_their_rules),
        cmocka_unit_test(test_random__entries_have_their_chances),
        cmocka_unit_test(test_random__more_draws_are_never_worse),
        cmocka_unit_test(test_random__threads_and_seeds),
        cmocka_unit_test(test_random__the_paper_s_rule),
        cmocka_unit_test(test_random__a_code_serves_its_own_parameters),
        cmocka_unit_test(test_random__too_few_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
