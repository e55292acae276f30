/* Allocation: alignment, refused sizes, allocations made to fail, arenas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

static void test_alloc__blocks_are_aligned_and_counted(void **state)
{
    (void)state;
    const int64_t before = pt_alloc_live();
    char *small = pt_alloc(3, 1, "a test", NULL);
    double *zeros = pt_alloc_zero(100, sizeof(double), "a test", NULL);
    void *empty = pt_alloc(0, 8, "a test", NULL);
    assert_non_null(small);
    assert_non_null(empty);
    assert_int_equal((uintptr_t)small % 64, 0);
    assert_int_equal((uintptr_t)zeros % 64, 0);
    for (int i = 0; i < 100; i++)
        assert_true(zeros[i] == 0);
    assert_int_equal(pt_alloc_live(), before + 3);
    pt_free(small);
    pt_free(zeros);
    pt_free(empty);
    pt_free(NULL);
    assert_int_equal(pt_alloc_live(), before);
}

static void test_alloc__sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    size_t product = 0;
    assert_true(pt_size_mul(1 << 20, 1 << 20, &product));
    assert_true(product == (size_t)1 << 40);
    assert_false(pt_size_mul(SIZE_MAX / 2, 3, &product));

    assert_null(pt_alloc(INT64_MAX, 8, "the matrix", &err));
    assert_int_equal(err.code, PT_EINVAL);
    assert_non_null(strstr(err.text, "the matrix"));
    assert_null(pt_alloc(-1, 8, "the matrix", &err));
    assert_int_equal(err.code, PT_EINVAL);
    assert_null(
        pt_alloc(INT64_MAX / 2, 1, "the matrix", &err)); /* addressable, but not to be had */
    assert_int_equal(err.code, PT_ENOMEM);
}

/* Needs that cannot be addressed are refused, and a sum of them does not wrap to something small.
 */
static void test_arena__sums_of_impossible_needs_are_refused(void **state)
{
    (void)state;
    pt_arena arena;
    pt_error err = PT_ERROR_INIT;
    size_t need = 0;
    for (int i = 0; i < 60; i++) {
        need += pt_arena_need(INT64_MAX, 8);
        assert_int_equal(pt_arena_init(&arena, need, "a test", &err), PT_EINVAL);
    }
    need = pt_arena_need(-1, 8) + pt_arena_need(INT64_MAX, 1) + pt_arena_need(1, SIZE_MAX);
    assert_int_equal(pt_arena_init(&arena, need, "a test", &err), PT_EINVAL);
    assert_null(arena.base);
}

static void test_arena__no_memory_and_nothing_at_all(void **state)
{
    (void)state;
    pt_arena arena;
    pt_error err = PT_ERROR_INIT;
    const int64_t before = pt_alloc_live();
    pt_alloc_fail_from(1);
    assert_int_equal(pt_arena_init(&arena, 100, "a test", &err), PT_ENOMEM);
    pt_alloc_fail_from(0);
    pt_arena_free(&arena); /* fine after a failure */
    assert_int_equal(pt_arena_init(&arena, pt_arena_need(0, 8), "a test", &err), PT_OK);
    assert_non_null(pt_arena_take(&arena, 0, 8));
    pt_arena_free(&arena);
    pt_arena_free(&arena); /* and twice */
    assert_int_equal(pt_alloc_live(), before);
}

static void test_alloc__large_blocks_are_usable_to_the_end(void **state)
{
    (void)state;
    const int64_t bytes = ((int64_t)9 << 20) + 5; /* beyond where huge pages begin, and odd */
    unsigned char *block = pt_alloc_zero(bytes, 1, "a test", NULL);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 64, 0);
    block[bytes - 1] = 7;
    assert_int_equal(block[bytes - 2], 0);
    pt_free(block);
}

static void test_alloc__fails_from_the_number_on(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_alloc_fail_from(2);
    void *first = pt_alloc(1, 1, "a test", &err);
    assert_non_null(first);
    assert_null(pt_alloc(1, 1, "a test", &err));
    assert_int_equal(err.code, PT_ENOMEM);
    assert_null(pt_alloc_text("text", &err));
    assert_int_equal(pt_alloc_count(), 3);
    pt_alloc_fail_from(0);
    pt_free(first);
}

static void test_alloc__growing_keeps_the_contents_or_everything(void **state)
{
    (void)state;
    int *block = pt_alloc(4, sizeof *block, "a test", NULL);
    for (int i = 0; i < 4; i++)
        block[i] = i;
    assert_int_equal(pt_alloc_grow((void **)&block, 4, 1000, sizeof *block, "a test", NULL), PT_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(block[i], i);

    int *before = block;
    pt_alloc_fail_from(1);
    assert_int_equal(pt_alloc_grow((void **)&block, 1000, 2000, sizeof *block, "a test", NULL),
                     PT_ENOMEM);
    pt_alloc_fail_from(0);
    assert_ptr_equal(block, before);
    assert_int_equal(block[3], 3);
    pt_free(block);
}

static void test_arena__pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    pt_arena arena;
    const size_t need = pt_arena_need(3, 1) + pt_arena_need(10, 8) + pt_arena_need(1, 8);
    assert_int_equal(pt_arena_init(&arena, need, "a test", NULL), PT_OK);
    char *a = pt_arena_take(&arena, 3, 1);
    double *b = pt_arena_take(&arena, 10, 8);
    double *c = pt_arena_take(&arena, 1, 8);
    assert_int_equal((uintptr_t)b % 64, 0);
    assert_true((char *)b >= a + 3);
    assert_true(c >= b + 10);
    assert_true(arena.used == arena.size);
    pt_arena_free(&arena);
}

/* All pieces or none; what is kept is not freed at the end of its block. */
static void test_arena__pieces_are_laid_out_at_once(void **state)
{
    (void)state;
    const int64_t live = pt_alloc_live();
    pt_arena arena;
    double *x = NULL;
    char *text = NULL;
    int64_t *none = NULL;
    assert_int_equal(
        PT_ARENA(&arena, "a test", NULL, PT_PIECE(x, 10), PT_PIECE(none, 0), PT_PIECE(text, 3)),
        PT_OK);
    assert_non_null(none);
    assert_ptr_equal(x, arena.base);
    assert_true((char *)(x + 10) <= text && (uintptr_t)text % 64 == 0);
    pt_arena_free(&arena);
    assert_int_equal(PT_ARENA(&arena, "a test", NULL, PT_PIECE(x, INT64_MAX), PT_PIECE(text, 1)),
                     PT_EINVAL);
    assert_int_equal(pt_alloc_live(), live);
}

static void test_keep__is_not_freed(void **state)
{
    (void)state;
    const int64_t live = pt_alloc_live();
    char *kept = NULL;
    {
        PT_SCRATCH char *text = pt_alloc_text("kept", NULL);
        PT_SCRATCH char *other = pt_alloc_text("freed", NULL);
        assert_non_null(other);
        kept = pt_keep(&text);
        assert_null(text);
    }
    assert_string_equal(kept, "kept");
    assert_int_equal(pt_alloc_live(), live + 1);
    pt_free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc__blocks_are_aligned_and_counted),
        cmocka_unit_test(test_alloc__sizes_that_overflow_are_refused),
        cmocka_unit_test(test_alloc__fails_from_the_number_on),
        cmocka_unit_test(test_alloc__growing_keeps_the_contents_or_everything),
        cmocka_unit_test(test_alloc__large_blocks_are_usable_to_the_end),
        cmocka_unit_test(test_arena__pieces_are_aligned_and_apart),
        cmocka_unit_test(test_arena__sums_of_impossible_needs_are_refused),
        cmocka_unit_test(test_arena__no_memory_and_nothing_at_all),
        cmocka_unit_test(test_arena__pieces_are_laid_out_at_once),
        cmocka_unit_test(test_keep__is_not_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
