/* labels: threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/code_reference.h"
#include "base/isa.h"
#include "base/random.h"
#include "base/task.h"
#include "codes/sign_bits.h"

enum { MOST = 150 };

static int8_t M[MOST * MOST];

/* Random signs, with zeros or without. */
static void draw(int64_t n, int64_t width, bool zeros, uint64_t task)
{
    pt_random random;
    pt_random_init(&random, 7, PT_RANDOM_TEST, task);
    for (int64_t i = 0; i < n * width; i++) {
        const int64_t u = pt_random_below(&random, 4);
        M[i] = (int8_t)(zeros ? (u == 0) - (u == 1) : 2 * (u / 2) - 1);
    }
}

static void fill(pt_sign_bits *bits, int64_t n, int64_t width)
{
    assert_int_equal(pt_sign_bits_init(bits, n, width, NULL), PT_OK);
    pt_sign_bits_fill(bits, M, width, 1);
}

static void test_sign_bits__entries_and_transpose_are_those_of_the_signs(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {3, 64}, {64, 3}, {65, 63}, {130, 150}, {128, 64}};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        const int64_t n = sizes[c][0];
        const int64_t width = sizes[c][1];
        pt_sign_bits bits = {0};
        pt_sign_bits turned = {0};
        pt_sign_bits columns = {0};
        draw(n, width, c % 2 == 0, c);
        fill(&bits, n, width);
        assert_int_equal(pt_sign_bits_init(&turned, width, n, NULL), PT_OK);
        assert_int_equal(pt_sign_bits_init(&columns, width, n, NULL), PT_OK);
        pt_sign_bits_transpose(&bits, &turned);
        pt_sign_bits_fill(&columns, M, 1, width);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < width; j++) {
                assert_int_equal(pt_sign_bits_entry(&bits, i, j), M[i * width + j]);
                assert_int_equal(pt_sign_bits_entry(&turned, j, i), M[i * width + j]);
                assert_int_equal(pt_sign_bits_entry(&columns, j, i), M[i * width + j]);
            }
        assert_int_equal(bits.full, turned.full);
        assert_int_equal(bits.full, columns.full);
        pt_sign_bits_free(&columns);
        pt_sign_bits_free(&turned);
        pt_sign_bits_free(&bits);
    }
}

/* Every count against the reference, for every instruction set this processor has. */
static void check_loops(const pt_sign_loops *loops, int64_t n, int64_t width)
{
    const pt_code code = {.k = n, .ell = width, .M = M};
    pt_sign_bits bits = {0};
    fill(&bits, n, width);
    const int64_t least = reference_twice_rho(&code);
    assert_int_equal(loops->closest(&bits, 0, n, -1), least);
    assert_int_equal(loops->closest(&bits, 0, n, least - 1), least);
    assert_true(loops->closest(&bits, 0, n, least + 4) <= least + 4);
    const int64_t parts[2] = {loops->closest(&bits, 0, n / 2, -1),
                              loops->closest(&bits, n / 2, n, -1)};
    assert_int_equal(parts[0] < parts[1] ? parts[0] : parts[1], least);
    for (int64_t i = 1; i < n; i++) {
        int64_t opposed = width;
        int64_t differing = width;
        int64_t negated = width;
        for (int64_t j = 0; j < i; j++) {
            int64_t count[3] = {0, 0, 0};
            for (int64_t s = 0; s < width; s++) {
                const int u = M[i * width + s];
                const int v = M[j * width + s];
                count[0] += u * v < 0;
                count[1] += u != v;
                count[2] += u != -v;
            }
            opposed = count[0] < opposed ? count[0] : opposed;
            differing = count[1] < differing ? count[1] : differing;
            negated = count[2] < negated ? count[2] : negated;
            assert_int_equal(pt_sign_bits_equal(&bits, i, j), count[1] == 0);
            assert_int_equal(pt_sign_bits_opposite(&bits, i, j), count[2] == 0);
        }
        assert_int_equal(loops->least_opposed(&bits, i), opposed);
        assert_int_equal(loops->least_differing(&bits, i, false), differing);
        assert_int_equal(loops->least_differing(&bits, i, true), negated);
    }
    pt_sign_bits_free(&bits);
}

static void test_sign_bits__counts_are_those_of_the_signs(void **state)
{
    (void)state;
    const pt_isa_level before = pt_isa_level_chosen();
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        if (!pt_isa_level_runs((pt_isa_level)level))
            continue;
        pt_isa_level_force((pt_isa_level)level);
        for (int zeros = 0; zeros < 2; zeros++)
            for (int64_t width = 1; width < MOST; width += 9) {
                draw(12, width, zeros, (uint64_t)width);
                check_loops(pt_sign_loops_chosen(), 12, width);
            }
    }
    pt_isa_level_force(before);
}

/* In pieces, on any number of threads; and a task can stop it. */
static void test_sign_bits__closest_rows_of_many(void **state)
{
    (void)state;
    pt_error err = {0};
    for (int zeros = 0; zeros < 2; zeros++)
        for (int threads = 1; threads <= 3; threads++) {
            const pt_code code = {.k = MOST, .ell = 70, .M = M};
            pt_sign_bits bits = {0};
            pt_task *task = NULL;
            int64_t found = 0;
            draw(code.k, code.ell, zeros, 3);
            fill(&bits, code.k, code.ell);
            const int64_t least = reference_twice_rho(&code);
            assert_int_equal(pt_task_new(&task, &err), PT_OK);
            pt_task_set_threads(task, threads);
            assert_int_equal(pt_sign_bits_closest(&bits, -1, &found, task, &err), PT_OK);
            assert_int_equal(found, least);
            assert_int_equal(pt_sign_bits_closest(&bits, least + 4, &found, task, &err), PT_OK);
            assert_true(found <= least + 4);
            pt_task_cancel(task);
            assert_int_equal(pt_sign_bits_closest(&bits, -1, &found, task, &err), PT_ECANCELLED);
            pt_task_free(task);
            pt_sign_bits_free(&bits);
        }
}

static void test_sign_bits__equal_and_opposite_rows_are_known(void **state)
{
    (void)state;
    static const int8_t rows[4][3] = {{1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {0, 0, 0}};
    pt_sign_bits bits = {0};
    assert_int_equal(pt_sign_bits_init(&bits, 4, 3, NULL), PT_OK);
    pt_sign_bits_fill(&bits, &rows[0][0], 3, 1);
    assert_true(pt_sign_bits_equal(&bits, 0, 1) && !pt_sign_bits_equal(&bits, 0, 2));
    assert_true(pt_sign_bits_opposite(&bits, 0, 2) && !pt_sign_bits_opposite(&bits, 0, 1));
    assert_true(pt_sign_bits_has_plus(&bits, 0) && pt_sign_bits_has_minus(&bits, 0));
    assert_false(pt_sign_bits_has_plus(&bits, 3) || pt_sign_bits_has_minus(&bits, 3));
    pt_sign_bits_free(&bits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sign_bits__entries_and_transpose_are_those_of_the_signs),
        cmocka_unit_test(test_sign_bits__counts_are_those_of_the_signs),
        cmocka_unit_test(test_sign_bits__closest_rows_of_many),
        cmocka_unit_test(test_sign_bits__equal_and_opposite_rows_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
