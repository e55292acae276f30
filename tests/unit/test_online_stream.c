/* A stream that is asked to stop ends between two examples, not at the end of its block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/reports.h"
#include "polytomy/polytomy.h"

enum { EXAMPLES = 3000, STOP = 1024 }; /* all in one block; told at powers of 2 */

static void stop_here(const pt_online *online, void *user)
{
    if (online_number(online, "n_examples") == STOP)
        pt_task_cancel(user);
}

static void test_online__stops_between_examples(void **state)
{
    (void)state;
    static const char NAME[] = "test_online_stream.svm";
    pt_error err = PT_ERROR_INIT;
    pt_online *online = NULL;
    pt_task *task = NULL;
    FILE *file = fopen(NAME, "w");
    assert_non_null(file);
    for (int i = 0; i < EXAMPLES; i++)
        fprintf(file, "c%d %d:1\n", i % 7, 1 + i % 5);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(pt_online_new(&online, NULL, &err), PT_OK);
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    assert_int_equal(pt_online_read(online, NAME, stop_here, task, task, &err), PT_ECANCELLED);
    assert_int_equal(online_number(online, "n_examples"), STOP);
    pt_task_free(task);
    pt_online_free(online);
    assert_int_equal(unlink(NAME), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_online__stops_between_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
