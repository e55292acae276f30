/* Every family of codes, for every small number of classes: what it makes is a code, the same each
 * time, and its rho is what theory says. A family may refuse a number of classes, with a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/code_reference.h"
#include "base/alloc.h"
#include "codes/code.h"
#include "params/params_table.h"

static pt_status try_make(pt_code *code, const char *family, int64_t k, pt_error *err)
{
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, NULL), PT_OK);
    assert_int_equal(pt_params_set(params, "code", family, NULL), PT_OK);
    assert_int_equal(pt_params_set(params, "draws", "30", NULL), PT_OK);
    const pt_status status = pt_code_init(code, params, k, NULL, NULL, NULL, err);
    pt_params_free(params);
    return status;
}

static void check_code(const pt_code *code)
{
    for (int64_t r = 0; r < code->k; r++) {
        assert_false(reference_row_is_zero(code, r));
        for (int64_t c = 0; c < r; c++)
            assert_false(reference_rows_equal(code, r, c));
    }
    for (int64_t s = 0; s < code->ell; s++) {
        assert_true(reference_count(code, s, 1) > 0);
        assert_true(reference_count(code, s, -1) > 0);
    }
}

/* With two classes one against all is one column and its opposite. */
static void check_columns_are_apart(const pt_code *code)
{
    for (int64_t s = 0; s < code->ell; s++)
        for (int64_t t = 0; t < s; t++) {
            assert_true(reference_columns_differ(code, s, t, 1) > 0);
            assert_true(code->k == 2 || reference_columns_differ(code, s, t, -1) > 0);
        }
}

static void test_codes__every_family_makes_codes(void **state)
{
    (void)state;
    for (int64_t f = 0; pt_code_families[f]; f++)
        for (int64_t k = 2; k <= 33; k = k < 12 ? k + 1 : k + 7) {
            const char *name = pt_code_families[f]->name;
            pt_code code = {0};
            pt_code again = {0};
            pt_error err = {0};
            if (try_make(&code, name, k, &err) != PT_OK) {
                if (!strstr(err.text, "classes"))
                    fail_msg("%s, %lld classes: %s", name, (long long)k, err.text);
                continue;
            }
            assert_int_equal(code.k, k);
            check_code(&code);
            if (code.ell < 600)
                check_columns_are_apart(&code);
            assert_int_equal(try_make(&again, name, k, NULL), PT_OK);
            assert_int_equal(again.ell, code.ell);
            if (!code.pairs)
                assert_memory_equal(code.M, again.M, (size_t)(k * code.ell));
            pt_code_free(&again);
            pt_code_free(&code);
        }
}

static void test_codes__families_are_named_and_use_parameters_that_exist(void **state)
{
    (void)state;
    for (int64_t f = 0; pt_code_families[f]; f++) {
        const pt_code_family *family = pt_code_families[f];
        assert_ptr_equal(pt_code_family_find(family->name), family);
        assert_true(strlen(family->summary) > 10);
        for (const char *at = family->parameters; *at;) {
            const size_t length = strcspn(at, ",");
            assert_true(pt_param_find_n(at, length) >= 0);
            at += length + (at[length] == ',');
        }
    }
    assert_null(pt_code_family_find("nothing"));
}

/* ASS: one against all 2, all pairs (C(k,2) - 1)/2 + 1, complete 2^(k-2). */
static void test_codes__rho_is_what_theory_says(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 10; k++) {
        static const char *const names[] = {"ova", "ovo", "complete"};
        const int64_t pairs = k * (k - 1) / 2;
        const int64_t want[] = {4, pairs + 1, 2 * ((int64_t)1 << (k - 2))};
        const int64_t columns[] = {k, pairs, ((int64_t)1 << (k - 1)) - 1};
        for (int i = 0; i < 3; i++) {
            pt_code code = {0};
            assert_int_equal(try_make(&code, names[i], k, NULL), PT_OK);
            assert_int_equal(code.ell, columns[i]);
            assert_int_equal(reference_twice_rho(&code), want[i]);
            pt_code_free(&code);
        }
    }
}

static int64_t reference_opposed(const pt_code *code, int64_t u, int64_t v)
{
    int64_t count = 0;
    for (int64_t s = 0; s < code->ell; s++)
        count += pt_code_entry(code, u, s) * pt_code_entry(code, v, s) < 0;
    return count;
}

static void check_measure(const pt_code *code)
{
    pt_code_measure m;
    int64_t rows = code->ell;
    int64_t columns = code->k;
    int64_t zeros = 0;
    double least = 0.5;
    assert_int_equal(pt_code_measure_of(&m, code, NULL, NULL), PT_OK);
    for (int64_t u = 0; u < code->k; u++)
        for (int64_t v = 0; v < u; v++)
            rows = reference_opposed(code, u, v) < rows ? reference_opposed(code, u, v) : rows;
    for (int64_t s = 0; s < code->ell; s++) {
        const double plus = (double)reference_count(code, s, 1);
        const double minus = (double)reference_count(code, s, -1);
        const double balance = (plus < minus ? plus : minus) / (plus + minus);
        zeros += reference_count(code, s, 0);
        least = balance < least ? balance : least;
        for (int sign = -1; sign <= 1; sign++)
            assert_int_equal(pt_code_count(code, s, sign), reference_count(code, s, sign));
        for (int64_t t = 0; t < s; t++)
            for (int factor = -1; factor <= 1; factor += 2) {
                const int64_t apart = reference_columns_differ(code, s, t, factor);
                columns = apart < columns ? apart : columns;
            }
    }
    assert_true(m.rho == (double)reference_twice_rho(code) / 2);
    assert_int_equal(m.row_separation, rows);
    assert_int_equal(m.column_separation, columns);
    assert_true(m.zero_share == (double)zeros / (double)(code->k * code->ell));
    assert_true(m.least_balance == least && m.mean_balance > least - 1e-12);
    assert_int_equal(m.n_equal, 0);
    assert_int_equal(m.n_opposite, code->k == 2 && code->ell == 2); /* one against all of two */
}

static void test_codes__measures_are_those_of_slow_loops(void **state)
{
    (void)state;
    for (int64_t f = 0; pt_code_families[f]; f++)
        for (int64_t k = 2; k <= 70; k = k < 9 ? k + 1 : k + 30) {
            pt_code code = {0};
            if (try_make(&code, pt_code_families[f]->name, k, NULL) != PT_OK)
                continue;
            if (code.ell < 600)
                check_measure(&code);
            pt_code_free(&code);
        }
}

static void test_codes__columns_that_come_again_are_counted(void **state)
{
    (void)state;
    static const int8_t M[3][5] = {{1, 1, -1, 0, -1}, {-1, -1, 1, 1, 1}, {-1, -1, 1, -1, 1}};
    pt_code code = {0};
    pt_code_measure m;
    assert_int_equal(pt_code_from(&code, 3, 5, &M[0][0], NULL), PT_OK);
    assert_int_equal(pt_code_measure_of(&m, &code, NULL, NULL), PT_OK);
    assert_int_equal(m.n_equal, 2);    /* the second; the fifth, which the third is */
    assert_int_equal(m.n_opposite, 1); /* the third */
    assert_int_equal(m.column_separation, 0);
    pt_code_free(&code);
}

/* Every two classes of a Hadamard code are equally far apart. */
static void test_codes__hadamard_rows_are_equidistant(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 40; k++) {
        pt_code code = {0};
        assert_int_equal(try_make(&code, "hadamard", k, NULL), PT_OK);
        assert_true(code.ell + 1 >= k && code.ell + 1 < 2 * k);
        for (int64_t u = 0; u < k; u++)
            for (int64_t v = 0; v < u; v++)
                assert_int_equal(reference_twice_distance(&code, u, v), code.ell + 1);
        pt_code_free(&code);
    }
}

static void test_codes__ordinal_rows_are_as_far_apart_as_classes(void **state)
{
    (void)state;
    pt_code code = {0};
    assert_int_equal(try_make(&code, "ordinal", 7, NULL), PT_OK);
    for (int64_t u = 0; u < 7; u++)
        for (int64_t v = 0; v < u; v++)
            assert_int_equal(reference_twice_distance(&code, u, v), 2 * (u - v));
    pt_code_free(&code);
}

static void test_codes__the_complete_code_has_a_limit(void **state)
{
    (void)state;
    pt_code code = {0};
    pt_error err = {0};
    assert_int_equal(try_make(&code, "complete", 16, &err), PT_OK);
    assert_int_equal(code.ell, 32767);
    pt_code_free(&code);
    assert_int_equal(try_make(&code, "complete", 17, &err), PT_ELIMIT);
    assert_non_null(strstr(err.text, "65535 columns"));
    assert_int_equal(try_make(&code, "complete", 100, &err), PT_ELIMIT);
    assert_non_null(strstr(err.text, "2^99 - 1 columns"));
}

/* Wherever memory ends, the error says so and nothing is lost. */
static void test_codes__out_of_memory(void **state)
{
    (void)state;
    for (int64_t f = 0; pt_code_families[f]; f++) {
        const int64_t live = pt_alloc_live();
        pt_status status = PT_ENOMEM;
        for (int64_t number = 1; status == PT_ENOMEM; number++) {
            pt_code code = {0};
            pt_params *params = NULL;
            assert_int_equal(pt_params_new(&params, NULL), PT_OK);
            assert_int_equal(pt_params_parse(params, "draws=300,columns=auto", NULL), PT_OK);
            assert_int_equal(pt_params_set(params, "code", pt_code_families[f]->name, NULL), PT_OK);
            pt_alloc_fail_from(number);
            status = pt_code_init(&code, params, 10, NULL, NULL, NULL, NULL);
            pt_alloc_fail_from(0);
            pt_code_free(&code);
            pt_params_free(params);
            assert_int_equal(pt_alloc_live(), live);
        }
        assert_int_equal(status, PT_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes__every_family_makes_codes),
        cmocka_unit_test(test_codes__families_are_named_and_use_parameters_that_exist),
        cmocka_unit_test(test_codes__rho_is_what_theory_says),
        cmocka_unit_test(test_codes__measures_are_those_of_slow_loops),
        cmocka_unit_test(test_codes__columns_that_come_again_are_counted),
        cmocka_unit_test(test_codes__hadamard_rows_are_equidistant),
        cmocka_unit_test(test_codes__ordinal_rows_are_as_far_apart_as_classes),
        cmocka_unit_test(test_codes__the_complete_code_has_a_limit),
        cmocka_unit_test(test_codes__out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
