/* Philox against its published known answers (Random123, kat_vectors), and what is drawn of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

static void test_philox__known_answers(void **state)
{
    (void)state;
    const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        pt_philox(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

static void test_random__streams_differ_and_repeat(void **state)
{
    (void)state;
    pt_random a;
    pt_random b;
    pt_random c;
    pt_random_init(&a, 1, PT_RANDOM_FOLDS, 0);
    pt_random_init(&b, 1, PT_RANDOM_FOLDS, 0);
    pt_random_init(&c, 1, PT_RANDOM_FOLDS, 1);
    int same = 0;
    for (int i = 0; i < 1000; i++) {
        const uint64_t draw = pt_random_u64(&a);
        assert_true(draw == pt_random_u64(&b));
        same += draw == pt_random_u64(&c);
    }
    assert_int_equal(same, 0);
}

static void test_random__moments(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    pt_random random;
    pt_random_init(&random, 7, PT_RANDOM_TEST, 3);
    double sum = 0;
    double square = 0;
    double normal = 0;
    double normal_square = 0;
    for (int i = 0; i < DRAWS; i++) {
        const double u = pt_random_uniform(&random);
        assert_true(u >= 0 && u < 1);
        sum += u;
        square += u * u;
        const double z = pt_random_normal(&random);
        normal += z;
        normal_square += z * z;
    }
    assert_true(fabs(sum / DRAWS - 0.5) < 5e-3); /* about 8 standard errors */
    assert_true(fabs(square / DRAWS - 1.0 / 3) < 5e-3);
    assert_true(fabs(normal / DRAWS) < 2e-2);
    assert_true(fabs(normal_square / DRAWS - 1) < 3e-2);
}

static void test_random__below_and_shuffle_cover(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 9, PT_RANDOM_TEST, 0);
    int64_t count[7] = {0};
    for (int i = 0; i < 70000; i++)
        count[pt_random_below(&random, 7)]++;
    for (int i = 0; i < 7; i++)
        assert_true(count[i] > 9500 && count[i] < 10500);

    int64_t items[50];
    int seen[50] = {0};
    for (int i = 0; i < 50; i++)
        items[i] = i;
    pt_random_shuffle(&random, items, 50);
    for (int i = 0; i < 50; i++)
        seen[items[i]]++;
    for (int i = 0; i < 50; i++)
        assert_int_equal(seen[i], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox__known_answers),
        cmocka_unit_test(test_random__streams_differ_and_repeat),
        cmocka_unit_test(test_random__moments),
        cmocka_unit_test(test_random__below_and_shuffle_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
