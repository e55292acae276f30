/* The machine as this process sees it. Control groups of both versions: a group's limit binds all
 * groups below it, so every folder from the process's own up to the mount is asked; a file that is
 * not there sets no limit (inside a container the process's path is often not mounted, its top is).
 */
#include "base/host.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/task.h"
#include "base/team.h"

enum { PATH_ROOM = 4096 };
static const char CGROUP_LIST[] = "/proc/self/cgroup";
static const char CGROUP_MOUNT[] = "/sys/fs/cgroup";

/* The first number of a file, false where there is none ("max"). */
static bool read_number(const char *folder, const char *name, int64_t *value)
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    long long number = 0;
    const bool found = fscanf(file, "%lld", &number) == 1;
    fclose(file);
    *value = number;
    return found;
}

/* The number behind a word at the beginning of a line, 0 where there is none. */
static int64_t read_entry(const char *folder, const char *name, const char *word)
{
    char path[PATH_ROOM + 64];
    char line[256];
    int64_t value = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    const size_t length = strlen(word);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == ':'))
            value = strtoll(line + length + 1, NULL, 10);
    fclose(file);
    return value;
}

/* ---- control groups -------------------------------------------------------------------------- */

typedef struct cgroup_files {
    const char *controller; /* "" in version 2 */
    const char *memory_limit;
    const char *memory_used;
    const char *memory_cache; /* of memory.stat: what the kernel would give back first */
} cgroup_files;

static const cgroup_files VERSION_1 = {"memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                       "total_inactive_file"};
static const cgroup_files VERSION_2 = {"", "memory.max", "memory.current", "inactive_file"};

static void least(int64_t *value, int64_t other)
{
    if (other < *value)
        *value = other < 0 ? 0 : other;
}

static void ask_memory(const char *folder, const cgroup_files *files, int64_t *value)
{
    int64_t limit = 0;
    int64_t used = 0;
    if (!read_number(folder, files->memory_limit, &limit) ||
        !read_number(folder, files->memory_used, &used))
        return;
    const int64_t cache = read_entry(folder, "memory.stat", files->memory_cache);
    least(value, limit - used + (cache < used ? cache : used));
}

/* Microseconds of processor time per period. */
static void ask_processors(const char *folder, const cgroup_files *files, int64_t *value)
{
    int64_t quota = 0;
    int64_t period = 0;
    if (files->controller[0]) {
        if (!read_number(folder, "cpu.cfs_quota_us", &quota) ||
            !read_number(folder, "cpu.cfs_period_us", &period))
            return;
    } else {
        char path[PATH_ROOM + 64];
        long long a = 0;
        long long b = 0;
        snprintf(path, sizeof path, "%s/cpu.max", folder);
        FILE *file = fopen(path, "re");
        const bool found = file && fscanf(file, "%lld %lld", &a, &b) == 2;
        if (file)
            fclose(file);
        quota = found ? a : 0;
        period = found ? b : 0;
    }
    if (quota > 0 && period > 0)
        least(value, (quota + period - 1) / period);
}

typedef void (*ask_fn)(const char *folder, const cgroup_files *files, int64_t *value);

/* Asks mount[/controller]/path and every folder above it. */
static void ask_upwards(const char *mount, const char *controller, const char *path,
                        const cgroup_files *files, ask_fn ask, int64_t *value)
{
    char folder[PATH_ROOM];
    const int top =
        snprintf(folder, sizeof folder, "%s%s%s", mount, *controller ? "/" : "", controller);
    if (top < 0 || top >= PATH_ROOM)
        return;
    const int length = snprintf(folder + top, sizeof folder - (size_t)top, "%s", path);
    if (length < 0 || length >= PATH_ROOM - top)
        folder[top] = '\0'; /* too deep to be written down: the top at least */
    for (;;) {
        ask(folder, files, value);
        char *slash = strrchr(folder + top, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* "a,b,c" has the word. */
static bool lists(const char *list, size_t length, const char *word)
{
    const size_t size = strlen(word);
    for (size_t at = 0; at < length;) {
        const size_t end = at + strcspn(list + at, ",:");
        if (end - at == size && memcmp(list + at, word, size) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

/* Lines are "number:controllers:path"; version 2 has no controllers. */
static int64_t ask_groups(const char *list, const char *mount, const char *controller, ask_fn ask,
                          int64_t no_limit)
{
    int64_t value = no_limit;
    char line[PATH_ROOM];
    FILE *file = fopen(list, "re");
    if (!file)
        return value;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *names = strchr(line, ':');
        char *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            continue;
        names++;
        if (names == path)
            ask_upwards(mount, "", path + 1, &VERSION_2, ask, &value);
        else if (lists(names, (size_t)(path - names), controller))
            ask_upwards(mount, controller, path + 1, &VERSION_1, ask, &value);
    }
    fclose(file);
    return value;
}

int64_t pt_host_cgroup_memory(const char *list, const char *mount)
{
    return ask_groups(list, mount, "memory", ask_memory, INT64_MAX);
}

int pt_host_cgroup_processors(const char *list, const char *mount)
{
    return (int)ask_groups(list, mount, "cpu", ask_processors, INT32_MAX);
}

/* ---- the answers ----------------------------------------------------------------------------- */

int pt_host_processors(void)
{
    /* Asked for once: it takes files to find out, and scratch space that was sized by one answer
     * must not meet another. */
    static atomic_int known; /* 0: not yet */
    int processors = atomic_load_explicit(&known, memory_order_relaxed);
    if (processors > 0)
        return processors;
    const int quota = pt_host_cgroup_processors(CGROUP_LIST, CGROUP_MOUNT);
    processors = pt_team_processors(); /* knows taskset and cpusets */
    if (quota < processors)
        processors = quota;
    if (processors < 1)
        processors = 1;
    int nobody = 0; /* the first answer stays */
    return atomic_compare_exchange_strong(&known, &nobody, processors) ? processors : nobody;
}

int pt_host_threads_of(const char *text, int otherwise)
{
    if (!text)
        return otherwise;
    while (isspace((unsigned char)*text))
        text++;
    if (!isdigit((unsigned char)*text))
        return otherwise;
    char *end = NULL;
    const long threads = strtol(text, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    const bool whole = *end == '\0' || *end == ',';
    return whole && threads >= 1 && threads <= INT_MAX ? (int)threads : otherwise;
}

int pt_host_threads(void)
{
    static atomic_int known; /* as above, and the environment may be changed by another thread */
    int threads = atomic_load_explicit(&known, memory_order_relaxed);
    if (threads > 0)
        return threads;
    threads = pt_host_threads_of(getenv("OMP_NUM_THREADS"), pt_host_processors());
    int nobody = 0;
    return atomic_compare_exchange_strong(&known, &nobody, threads) ? threads : nobody;
}

/* What is left of the address space; INT64_MAX without a limit. */
static int64_t address_space(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur > INT64_MAX)
        return INT64_MAX;
    int64_t pages = 0;
    if (!read_number("/proc/self", "statm", &pages))
        return (int64_t)limit.rlim_cur;
    return (int64_t)limit.rlim_cur - pages * (int64_t)sysconf(_SC_PAGESIZE);
}

/* What the kernel and the control groups say now. */
static int64_t ask_for_memory(void)
{
    int64_t bytes = read_entry("/proc", "meminfo", "MemAvailable") * 1024;
    if (bytes <= 0)
        bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    least(&bytes, pt_host_cgroup_memory(CGROUP_LIST, CGROUP_MOUNT));
    return bytes;
}

int64_t pt_host_memory(void)
{
    /* A dozen files have the answer: a search that trains thousands of small machines would ask
     * more than it trains. In 20 ms a process can fill some 100 MB, and others do so anyway between
     * the question and the use of its answer. */
    static const double STAYS = 0.02;
    static _Atomic double asked = -INFINITY;
    static atomic_llong answer;
    const double now = pt_seconds();
    int64_t bytes;
    if (now - atomic_load_explicit(&asked, memory_order_acquire) < STAYS) {
        bytes = atomic_load_explicit(&answer, memory_order_relaxed);
    } else {
        bytes = ask_for_memory();
        atomic_store_explicit(&answer, bytes, memory_order_relaxed);
        atomic_store_explicit(&asked, now, memory_order_release);
    }
    least(&bytes, address_space());
    return bytes;
}

int64_t pt_host_resident(void)
{
    long long all = 0;
    long long resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%lld %lld", &all, &resident) != 2)
        resident = 0;
    fclose(file);
    return (int64_t)resident * (int64_t)sysconf(_SC_PAGESIZE);
}
