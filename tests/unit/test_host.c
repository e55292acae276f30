/* What the process may use: control groups of both versions from made-up files, limits, the
 * machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/host.h"
#include "base/task.h"
#include "base/team.h"

static char mount[64]; /* a folder that stands for /sys/fs/cgroup */
static char list[96];  /* a file that stands for /proc/self/cgroup */

static int make_mount(void **state)
{
    (void)state;
    snprintf(mount, sizeof mount, "/tmp/polytomy-host-XXXXXX");
    if (!mkdtemp(mount))
        return 1;
    snprintf(list, sizeof list, "%s/list", mount);
    return 0;
}

static int remove_mount(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", mount);
    return system(command);
}

/* Writes a file below the mount, with the folders it needs. */
static void put(const char *name, const char *text)
{
    char path[256];
    const int used = snprintf(path, sizeof path, "%s/", mount);
    snprintf(path + used, sizeof path - (size_t)used, "%s", name);
    for (char *slash = path + used; *slash; slash++)
        if (*slash == '/') {
            *slash = '\0';
            (void)mkdir(path, 0755); /* may be there */
            *slash = '/';
        }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_host__no_groups_no_limit(void **state)
{
    (void)state;
    assert_true(pt_host_cgroup_memory(list, mount) == INT64_MAX); /* no list */
    put("list", "0::/\n");
    assert_true(pt_host_cgroup_memory(list, mount) == INT64_MAX); /* no files */
    assert_int_equal(pt_host_cgroup_processors(list, mount), INT32_MAX);
    put("list", "nonsense\n:\n\n0:\n");
    assert_true(pt_host_cgroup_memory(list, mount) == INT64_MAX);
}

static void test_host__version_2_least_of_all_groups_above(void **state)
{
    (void)state;
    put("list", "0::/a/b\n");
    put("a/b/memory.max", "max\n");
    put("a/b/memory.current", "100\n");
    put("a/memory.max", "1000000\n");
    put("a/memory.current", "300000\n");
    put("a/memory.stat", "anon 5\ninactive_file 50000\ninactive_file_more 7\n");
    put("memory.max", "9000000\n");
    put("memory.current", "0\n");
    assert_int_equal(pt_host_cgroup_memory(list, mount), 1000000 - 300000 + 50000);
    put("memory.max", "200\n");
    put("memory.current", "900\n"); /* over its limit: nothing is left, not less */
    assert_int_equal(pt_host_cgroup_memory(list, mount), 0);

    put("a/b/cpu.max", "max 100000\n");
    assert_int_equal(pt_host_cgroup_processors(list, mount), INT32_MAX);
    put("a/cpu.max", "150000 100000\n");
    assert_int_equal(pt_host_cgroup_processors(list, mount), 2);
}

static void test_host__version_1_by_controller(void **state)
{
    (void)state;
    put("list", "4:memory:/x\n2:cpu,cpuacct:/y\n1:name=systemd:/z\n");
    put("memory/x/memory.limit_in_bytes", "5000\n");
    put("memory/x/memory.usage_in_bytes", "1000\n");
    put("memory/x/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n");
    put("memory/memory.limit_in_bytes", "9223372036854771712\n"); /* what no limit looks like */
    put("memory/memory.usage_in_bytes", "1000\n");
    put("cpu/y/cpu.cfs_quota_us", "-1\n");
    put("cpu/y/cpu.cfs_period_us", "100000\n");
    put("cpu/cpu.cfs_quota_us", "50000\n");
    put("cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(pt_host_cgroup_memory(list, mount), 4200);
    assert_int_equal(pt_host_cgroup_processors(list, mount), 1);
}

static void test_host__path_that_is_not_mounted_asks_the_top(void **state)
{
    (void)state;
    put("list", "0::/far/away/../container\n");
    put("memory.max", "5000\n");
    put("memory.current", "1000\n");
    assert_int_equal(pt_host_cgroup_memory(list, mount), 4000);
}

static void test_host__this_machine_has_something(void **state)
{
    (void)state;
    assert_true(pt_host_processors() >= 1);
    assert_int_equal(pt_host_processors(), pt_host_processors());
    assert_true(pt_host_memory() > 1 << 20);
}

/* Before anything has asked; in a child, for the answer stays. */
static void test_host__environment_is_the_default(void **state)
{
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pt_task *task = NULL;
        setenv("OMP_NUM_THREADS", "3,2", 1);
        const bool first = pt_host_threads() == 3;
        setenv("OMP_NUM_THREADS", "5", 1);
        const bool stays = pt_host_threads() == 3;
        const int one = pt_team_is_never() ? 1 : 0; /* a build without OpenMP has one */
        const bool is_default = pt_task_threads(NULL) == (one ? 1 : 3);
        if (pt_task_new(&task, NULL) != PT_OK)
            _exit(1);
        pt_task_set_threads(task, 2);
        const bool task_wins = pt_task_threads(task) == (one ? 1 : 2);
        pt_task_free(task);
        _exit(first && stays && is_default && task_wins ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_host__threads_of_the_environment(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int threads;
    } CASE[] = {
        {NULL, 7},  {"3", 3},          {" 2 , 3", 2},
        {"2,3", 2}, {"1", 1},          {"12 ", 12},
        {"", 7},    {"0", 7},          {"-2", 7},
        {"two", 7}, {"2x", 7},         {"2.5", 7},
        {",3", 7},  {"+3", 7},         {" ", 7},
        {"0x4", 7}, {"2147483648", 7}, {"99999999999999999999", 7},
    };
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++)
        assert_int_equal(pt_host_threads_of(CASE[i].text, 7), CASE[i].threads);
    assert_int_equal(pt_host_threads(), pt_host_threads());
    assert_true(pt_host_threads() >= 1);
}

/* A limit on address space is respected; in a child, which has nothing else to do. */
static void test_host__address_space_limits_memory(void **state)
{
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        long long pages = 0;
        FILE *file = fopen("/proc/self/statm", "r");
        const int found = file && fscanf(file, "%lld", &pages) == 1;
        if (file)
            fclose(file);
        const rlim_t used = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
        const struct rlimit limit = {used + (64 << 20), used + (64 << 20)};
        if (!found || setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(77);
        const int64_t memory = pt_host_memory();
        _exit(memory > 32 << 20 && memory <= 64 << 20 ? 0 : 1);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_true(WEXITSTATUS(result) == 0 || WEXITSTATUS(result) == 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host__environment_is_the_default), /* first: see there */
        cmocka_unit_test_setup_teardown(test_host__no_groups_no_limit, make_mount, remove_mount),
        cmocka_unit_test_setup_teardown(test_host__version_2_least_of_all_groups_above, make_mount,
                                        remove_mount),
        cmocka_unit_test_setup_teardown(test_host__version_1_by_controller, make_mount,
                                        remove_mount),
        cmocka_unit_test_setup_teardown(test_host__path_that_is_not_mounted_asks_the_top,
                                        make_mount, remove_mount),
        cmocka_unit_test(test_host__this_machine_has_something),
        cmocka_unit_test(test_host__threads_of_the_environment),
        cmocka_unit_test(test_host__address_space_limits_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
