/* BCH codes: the dimensions and distances of the tables, and a reference by polynomials. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/code_reference.h"

static pt_status try_make(pt_code *code, int64_t k, int64_t columns, pt_error *err)
{
    char options[64] = "code=bch";
    if (columns > 0)
        snprintf(options, sizeof options, "code=bch,columns=%lld", (long long)columns);
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, NULL), PT_OK);
    assert_int_equal(pt_params_parse(params, options, NULL), PT_OK);
    const pt_status status = pt_code_init(code, params, k, NULL, NULL, NULL, err);
    pt_params_free(params);
    return status;
}

/* The tables of BCH codes, (n, dimension, distance), all words. */
static void test_bch__distances_are_those_of_the_tables(void **state)
{
    (void)state;
    static const int64_t table[][3] = {{7, 4, 3},   {15, 5, 7},   {15, 7, 5},   {31, 6, 15},
                                       {63, 7, 31}, {127, 8, 63}, {31, 11, 11}, {63, 10, 27}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        pt_code code = {0};
        assert_int_equal(try_make(&code, (int64_t)1 << table[i][1], table[i][0], NULL), PT_OK);
        assert_int_equal(code.ell, table[i][0]);
        assert_int_equal(reference_twice_rho(&code), 2 * table[i][2]);
        pt_code_free(&code);
    }
}

/* Differences of words are words: with all classes the code is linear, and cyclic. */
static void test_bch__words_make_a_cyclic_code(void **state)
{
    (void)state;
    pt_code code = {0};
    const int64_t k = 128;
    assert_int_equal(try_make(&code, k, 15, NULL), PT_OK);
    uint32_t word[128];
    bool there[1 << 15] = {false};
    for (int64_t r = 0; r < k; r++) {
        word[r] = 0;
        for (int64_t s = 0; s < 15; s++)
            word[r] |= (uint32_t)(pt_code_entry(&code, r, s) > 0) << s;
        there[word[r]] = true;
    }
    for (int64_t r = 0; r < k; r++) {
        assert_true(there[(word[r] << 1 | word[r] >> 14) & 0x7fff]);
        for (int64_t c = 0; c < r; c++)
            assert_true(there[word[r] ^ word[c]]);
    }
    assert_true(there[0x7fff]); /* narrow sense: x = 1 is no zero */
    pt_code_free(&code);
}

static void test_bch__length_is_chosen(void **state)
{
    (void)state;
    static const int64_t want[][2] = {{9, 7},   {16, 7},   {17, 15},   {26, 15},
                                      {33, 31}, {100, 63}, {200, 127}, {1000, 63}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        pt_code code = {0};
        pt_error err = {0};
        if (try_make(&code, want[i][0], 0, &err) != PT_OK)
            fail_msg("%s", err.text);
        assert_int_equal(code.ell, want[i][1]);
        pt_code_free(&code);
    }
}

static void test_bch__what_does_not_exist_is_refused(void **state)
{
    (void)state;
    pt_code code = {0};
    pt_error err = {0};
    assert_int_equal(try_make(&code, 8, 0, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "9 to 65536 classes, not 8; take `code=complete`"));
    assert_int_equal(try_make(&code, 65537, 0, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "take `code=dense`"));
    assert_int_equal(try_make(&code, 100, 50, &err), PT_EINVAL);
    if (!strstr(err.text, "`columns` may be 15, 63"))
        fail_msg("%s", err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bch__distances_are_those_of_the_tables),
        cmocka_unit_test(test_bch__words_make_a_cyclic_code),
        cmocka_unit_test(test_bch__length_is_chosen),
        cmocka_unit_test(test_bch__what_does_not_exist_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
