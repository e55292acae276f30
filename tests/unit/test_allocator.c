/* pt_set_allocator: all memory of the library comes from the caller's functions and goes back to
 * them, whatever their blocks look like; afterwards it is too late for another. The order of the
 * tests counts: the first sets the allocator of this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"

enum { STEP = 16, MOST_STEPS = 4 }; /* as malloc: aligned to 16, and to no more */

/* Blocks with what a caller may keep before them: the real block and the size. */
typedef struct head {
    void *real;
    size_t size;
} head;

typedef struct counts {
    atomic_int_fast64_t live;
    atomic_int_fast64_t taken;
    atomic_int_fast64_t moved;
    atomic_bool empty; /* there is no memory */
} counts;

static head *head_of(void *block)
{
    return (head *)(void *)((unsigned char *)block - sizeof(head));
}

static void *take(size_t size, void *user)
{
    counts *c = user;
    if (atomic_load(&c->empty))
        return NULL;
    const int64_t number = atomic_fetch_add(&c->taken, 1);
    unsigned char *real = malloc(size + sizeof(head) + (size_t)STEP * MOST_STEPS);
    if (!real)
        return NULL;
    unsigned char *block = real + sizeof(head) + (size_t)(number % MOST_STEPS) * STEP;
    *head_of(block) = (head){real, size};
    atomic_fetch_add(&c->live, 1);
    return block;
}

static void give(void *block, void *user)
{
    counts *c = user;
    atomic_fetch_sub(&c->live, 1);
    memset(block, 0xdb, head_of(block)->size); /* whoever looks at it now is found out */
    free(head_of(block)->real);
}

static void *take_more(void *block, size_t size, void *user)
{
    counts *c = user;
    void *larger = take(size, user);
    if (!larger)
        return NULL;
    atomic_fetch_add(&c->moved, 1);
    memcpy(larger, block, head_of(block)->size < size ? head_of(block)->size : size);
    give(block, user);
    return larger;
}

static counts all;
static const pt_allocator ours = {take, take_more, give, &all};

static void test_allocator__must_be_whole_and_first(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_allocator half = ours;
    half.release = NULL;
    assert_int_equal(pt_set_allocator(&half, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "release"));
    assert_int_equal(pt_set_allocator(NULL, &err), PT_OK);
    assert_int_equal(pt_set_allocator(&ours, &err), PT_OK);
    pt_params *params = small_params("machine=tree");
    assert_true(atomic_load(&all.live) > 0);
    assert_int_equal(pt_set_allocator(NULL, &err), PT_EINVAL);
    assert_int_equal(pt_set_allocator(&ours, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "before any other call"));
    pt_params_free(params);
    assert_int_equal(atomic_load(&all.live), 0);
}

static void test_allocator__gives_all_and_gets_all_back(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"machine=onelsm,sigma=1,ridge=1", "machine=softmax",
                                           "machine=code,code=ova,learner=adaboost,rounds=5"};
    for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
        small s = small_clouds(90, 4, 3, 2);
        pt_dataset *data = small_dataset(&s);
        const int64_t before = atomic_load(&all.taken);
        double *scores = small_scores(data, MACHINES[m], data);
        assert_true(atomic_load(&all.taken) > before);
        assert_int_equal(pt_alloc_live(), atomic_load(&all.live));
        free(scores);
        pt_dataset_free(data);
        small_free(&s);
        assert_int_equal(atomic_load(&all.live), 0);
    }
}

static void test_allocator__blocks_are_aligned(void **state)
{
    (void)state;
    void *block[16];
    for (int i = 0; i < 16; i++) {
        block[i] = pt_alloc_zero(100, 1, "a block", NULL);
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 64, 0);
    }
    for (int i = 0; i < 16; i++)
        pt_free(block[i]);
    assert_int_equal(atomic_load(&all.live), 0);
}

/* A large block grows by reallocate, into one that begins elsewhere within its 64 bytes. */
static void test_allocator__large_blocks_grow(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    enum { FIRST = 1200000, STEPS = 5 };
    const int64_t moved = atomic_load(&all.moved);
    int64_t *numbers = NULL;
    int64_t count = FIRST;
    small_must(pt_alloc_grow((void **)&numbers, 0, count, sizeof *numbers, "numbers", &err), &err,
               "growing");
    for (int64_t i = 0; i < count; i++)
        numbers[i] = i * i;
    for (int step = 0; step < STEPS; step++) {
        small_must(pt_alloc_grow((void **)&numbers, count, count + FIRST, sizeof *numbers,
                                 "numbers", &err),
                   &err, "growing");
        assert_int_equal((uintptr_t)numbers % 64, 0);
        for (int64_t i = count; i < count + FIRST; i++)
            numbers[i] = i * i;
        count += FIRST;
    }
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(numbers[i], i * i);
    assert_int_equal(atomic_load(&all.moved), moved + STEPS);

    atomic_store(&all.empty, true);
    assert_int_equal(
        pt_alloc_grow((void **)&numbers, count, 2 * count, sizeof *numbers, "numbers", &err),
        PT_ENOMEM);
    assert_int_equal(numbers[count - 1], (count - 1) * (count - 1));
    atomic_store(&all.empty, false);
    pt_free(numbers);
    assert_int_equal(atomic_load(&all.live), 0);
}

static void test_allocator__may_have_nothing(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    atomic_store(&all.empty, true);
    assert_int_equal(pt_params_new(&params, &err), PT_ENOMEM);
    atomic_store(&all.empty, false);
    assert_null(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocator__must_be_whole_and_first),
        cmocka_unit_test(test_allocator__gives_all_and_gets_all_back),
        cmocka_unit_test(test_allocator__blocks_are_aligned),
        cmocka_unit_test(test_allocator__large_blocks_grow),
        cmocka_unit_test(test_allocator__may_have_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
