/* Labelbooks: M M^T = on I + all 1 1^T, and what HNR Table 1 says of each. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codes/vectors/labelbook.h"

static double inner(const double *M, int64_t ell, int64_t r, int64_t s)
{
    double sum = 0;
    for (int64_t j = 0; j < ell; j++)
        sum += M[r * ell + j] * M[s * ell + j];
    return sum;
}

static void test_labelbook__gram_is_on_plus_all(void **state)
{
    (void)state;
    const int64_t sizes[] = {2, 3, 4, 7, 26, 101};
    for (int64_t b = 0; pt_labelbooks[b]; b++)
        for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
            const pt_labelbook *book = pt_labelbooks[b];
            if (!book->on)
                continue;
            const int64_t k = sizes[c];
            const int64_t ell = book->ell(k);
            double *M = malloc((size_t)(k * ell) * sizeof *M);
            assert_non_null(M);
            book->fill(k, NULL, M);
            const double all = inner(M, ell, 0, 1);
            for (int64_t r = 0; r < k; r++)
                for (int64_t s = 0; s < k; s++) {
                    const double expected = all + (r == s ? book->on(k) : 0);
                    assert_true(fabs(inner(M, ell, r, s) - expected) < 1e-12 * (double)k);
                }
            free(M);
        }
}

static void test_labelbook__mincorr_is_a_simplex(void **state)
{
    (void)state;
    const pt_labelbook *book = pt_labelbook_find("mincorr");
    double M[5 * 4];
    assert_int_equal(book->ell(5), 4);
    book->fill(5, NULL, M);
    assert_true(fabs(inner(M, 4, 2, 2) - 1) < 1e-14);
    assert_true(fabs(inner(M, 4, 1, 3) + 0.25) < 1e-14);
}

static void test_labelbook__alignment_is_mincorr_in_another_basis(void **state)
{
    (void)state;
    const pt_labelbook *alignment = pt_labelbook_find("alignment");
    const pt_labelbook *mincorr = pt_labelbook_find("mincorr");
    double A[7 * 7];
    double C[7 * 6];
    alignment->fill(7, NULL, A);
    mincorr->fill(7, NULL, C);
    for (int64_t r = 0; r < 7; r++)
        for (int64_t s = 0; s < 7; s++)
            assert_true(fabs(inner(A, 7, r, s) - inner(C, 6, r, s)) < 1e-13);
}

/* HNR footnote 3: n/n_+ and -n/n_-; a class without examples leaves no infinity. */
static void test_labelbook__fisher_follows_the_sizes(void **state)
{
    (void)state;
    const pt_labelbook *book = pt_labelbook_find("fisher");
    const double size[3] = {2, 3, 5};
    const double none[3] = {4, 0, 6};
    double M[9];
    assert_int_equal(book->ell(3), 3);
    book->fill(3, size, M);
    const double expected[9] = {5, -10.0 / 7, -2, -10.0 / 8, 10.0 / 3, -2, -10.0 / 8, -10.0 / 7, 2};
    for (int i = 0; i < 9; i++)
        assert_true(fabs(M[i] - expected[i]) < 1e-14);
    book->fill(3, none, M);
    for (int i = 0; i < 9; i++)
        assert_true(isfinite(M[i]));
}

static void test_labelbook__unknown_name_is_null(void **state)
{
    (void)state;
    assert_null(pt_labelbook_find("none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labelbook__gram_is_on_plus_all),
        cmocka_unit_test(test_labelbook__mincorr_is_a_simplex),
        cmocka_unit_test(test_labelbook__alignment_is_mincorr_in_another_basis),
        cmocka_unit_test(test_labelbook__fisher_follows_the_sizes),
        cmocka_unit_test(test_labelbook__unknown_name_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
