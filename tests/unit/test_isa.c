/* POLYTOMY_ISA is followed where it can be, and said where not. The choice is made once, so each
 * case has a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/isa.h"
#include "polytomy/polytomy.h"

static pt_isa_level widest(void)
{
    int found = PT_ISA_BASE;
    for (int level = 0; level < PT_ISA_LEVELS; level++)
        if (pt_isa_level_runs((pt_isa_level)level))
            found = level;
    return (pt_isa_level)found;
}

/* In a child: whether `wish` leads to `level`, with a remark or none, in the build info too. */
static bool leads_to(const char *wish, pt_isa_level level, bool remark)
{
    const pid_t child = fork();
    if (child == 0) {
        setenv("POLYTOMY_ISA", wish, 1);
        const bool right = pt_isa_level_chosen() == level && (*pt_isa_remark() != '\0') == remark &&
                           strstr(pt_build_info(), pt_isa_level_name(level)) &&
                           (!remark || strstr(pt_build_info(), pt_isa_remark()));
        _exit(right ? 0 : 1);
    }
    int status = 1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_isa__wish_is_followed_or_refused_with_a_remark(void **state)
{
    (void)state;
    assert_true(leads_to("", widest(), false));
    assert_true(leads_to("avx9", widest(), true));
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        const bool runs = pt_isa_level_runs((pt_isa_level)level);
        assert_true(leads_to(pt_isa_level_name((pt_isa_level)level),
                             runs ? (pt_isa_level)level : widest(), !runs));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isa__wish_is_followed_or_refused_with_a_remark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
