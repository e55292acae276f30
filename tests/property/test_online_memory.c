/* The memory of learning from a pipe does not grow with the number of rows: a child learns from few
 * rows and from many, whose text alone would be seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/reports.h"
#include "base/random.h"
#include "polytomy/polytomy.h"

enum { FEW = 20000, MANY = 500000, BYTES_OF_ROW = 100 };
static const long SLACK = 12L << 10; /* KB; the text of the many is 48 MB longer */

/* Read by AddressSanitizer, which else keeps up to 256 MB of what was freed. */
const char *__asan_default_options(void); /* NOLINT: its name */
const char *__asan_default_options(void)  /* NOLINT */
{
    return "quarantine_size_mb=1";
}

/* In the child: 0 where all rows were learned from. */
static int learn(int64_t rows)
{
    pt_error err = PT_ERROR_INIT;
    pt_online *online = NULL;
    pt_model *model = NULL;
    pt_status status = pt_online_new(&online, NULL, &err);
    if (status == PT_OK)
        status = pt_online_read(online, "-", NULL, NULL, NULL, &err);
    if (status == PT_OK)
        status = pt_online_model(&model, online, &err);
    const bool all = status == PT_OK && online_number(online, "n_examples") == rows;
    if (status != PT_OK)
        fprintf(stderr, "%s\n", err.text);
    pt_model_free(model);
    pt_online_free(online);
    return all ? 0 : 1;
}

/* A row of BYTES_OF_ROW bytes. */
static void make_row(pt_random *random, char *row)
{
    int used = snprintf(row, BYTES_OF_ROW, "%d", (int)pt_random_below(random, 5));
    for (int j = 1; used < BYTES_OF_ROW - 20; j += 1 + (int)pt_random_below(random, 30))
        used += snprintf(row + used, (size_t)(BYTES_OF_ROW - used), " %d:%.3f", j,
                         pt_random_uniform(random));
    memset(row + used, ' ', (size_t)(BYTES_OF_ROW - used));
    row[BYTES_OF_ROW - 1] = '\n';
}

/* The largest memory of a child that learned from so many rows, in KB. */
static long peak(int64_t rows)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[1]);
        if (dup2(ends[0], STDIN_FILENO) < 0)
            _exit(2);
        close(ends[0]);
        _exit(learn(rows));
    }
    close(ends[0]);
    FILE *to = fdopen(ends[1], "w");
    assert_non_null(to);
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < rows; i++) {
        char row[BYTES_OF_ROW];
        make_row(&random, row);
        assert_int_equal(fwrite(row, 1, sizeof row, to), sizeof row);
    }
    assert_int_equal(fclose(to), 0);
    int status = 0;
    struct rusage used;
    assert_int_equal(wait4(child, &status, 0, &used), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    return used.ru_maxrss;
}

static void test_online_memory__does_not_grow_with_the_rows(void **state)
{
    (void)state;
    const long few = peak(FEW);
    const long many = peak(MANY);
    assert_true(few > 0);
    assert_true(many < few + SLACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_online_memory__does_not_grow_with_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
