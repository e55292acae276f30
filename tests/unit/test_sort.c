/* Sorting in runs and merges: as qsort sorts, and stopped where somebody asks for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sort.h"
#include "polytomy/polytomy.h"

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_sort__is_qsort_for_every_length(void **state)
{
    (void)state;
    static const int64_t LENGTHS[] = {0, 1, 2, 32767, 32768, 32769, 65536, 98304, 98305, 200000};
    for (size_t l = 0; l < sizeof LENGTHS / sizeof *LENGTHS; l++) {
        const int64_t n = LENGTHS[l];
        int64_t *own = malloc((size_t)(n + 1) * sizeof *own);
        int64_t *usual = malloc((size_t)(n + 1) * sizeof *usual);
        uint64_t x = 1;
        for (int64_t i = 0; i < n; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            own[i] = usual[i] = (int64_t)(x >> 44); /* some are equal */
        }
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(pt_sort(own, n, sizeof *own, compare, "numbers", NULL, &err), PT_OK);
        qsort(usual, (size_t)n, sizeof *usual, compare);
        assert_memory_equal(own, usual, (size_t)n * sizeof *own);
        free(own);
        free(usual);
    }
}

static void test_sort__stops(void **state)
{
    (void)state;
    enum { N = 100000 };
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    int64_t *items = calloc(N, sizeof *items);
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_cancel(task);
    assert_int_equal(pt_sort(items, N, sizeof *items, compare, "numbers", task, &err),
                     PT_ECANCELLED);
    pt_task_free(task);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort__is_qsort_for_every_length),
        cmocka_unit_test(test_sort__stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
