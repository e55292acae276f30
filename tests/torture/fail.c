/* Makes one allocation or system call of a program fail, or ends the program there (LD_PRELOAD).
 *
 *   FAIL_KIND    memory | write | read | fsync | rename | open | close
 *   FAIL_AT      which one, from 1; 0 only counts
 *   FAIL_LASTS   1: all after it fail as well
 *   FAIL_OF      memory: only calls from files whose name holds this ("polytomy", "jansson");
 *                absent: all of them, those of Clp, OpenBLAS, OpenMP and libc included
 *   FAIL_ERRNO   errno of a failing system call (ENOSPC; of EINTR, the next call works)
 *   FAIL_SHORT   1: in place of failing, write and read do half of what was asked
 *   FAIL_KILL    1: in place of failing, SIGKILL
 *   FAIL_REPORT  a file that receives "calls blocks": calls seen; blocks of FAIL_OF that are still
 *                held when the program ends
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long calls;
static long blocks;
static struct {
    int ready;
    const char *kind;
    const char *of;
    long at;
    int lasts;
    int number;
    int halve;
    int kills;
} how = {.kind = ""};

static int set_up(void)
{
    if (how.ready)
        return 1;
    how.ready = 1;
    const char *text = getenv("FAIL_KIND");
    how.kind = text ? text : "";
    how.of = getenv("FAIL_OF");
    text = getenv("FAIL_AT");
    how.at = text ? strtol(text, NULL, 10) : 0;
    how.lasts = getenv("FAIL_LASTS") != NULL;
    text = getenv("FAIL_ERRNO");
    how.number = text ? (int)strtol(text, NULL, 10) : ENOSPC;
    how.halve = getenv("FAIL_SHORT") != NULL;
    how.kills = getenv("FAIL_KILL") != NULL;
    return 1;
}

/* Whether it is the turn of this call of a kind that is asked for. */
static int turn(void)
{
    const long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (how.at <= 0 || number < how.at || (number > how.at && !how.lasts))
        return 0;
    if (how.kills)
        raise(SIGKILL);
    return 1;
}

static int fails(const char *name)
{
    return set_up() && strcmp(how.kind, name) == 0 && turn();
}

/* ---- memory ----------------------------------------------------------------------------------
 *
 * Blocks that are counted are known by their addresses, so that free can take them off. */

extern void *__libc_malloc(size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

static __thread int inside; /* dladdr may allocate */

static int counted(const void *caller)
{
    Dl_info info;
    if (inside || !set_up() || strcmp(how.kind, "memory") != 0)
        return 0;
    if (!how.of)
        return 1;
    inside = 1;
    const int ours = dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, how.of);
    inside = 0;
    return ours;
}

/* Open addressing; never full in our programs. */
enum { SLOTS = 1 << 20 };
static uintptr_t slots[SLOTS];

static size_t slot_of(uintptr_t block)
{
    return (size_t)((block >> 4) * 0x9e3779b97f4a7c15u >> 44);
}

static void keep(void *block)
{
    const uintptr_t key = (uintptr_t)block;
    for (size_t s = slot_of(key);; s = (s + 1) % SLOTS) {
        uintptr_t free_slot = slots[s];
        if (free_slot <= 1 && __atomic_compare_exchange_n(&slots[s], &free_slot, key, 0,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            break;
    }
    __atomic_add_fetch(&blocks, 1, __ATOMIC_SEQ_CST);
}

static void forget(void *block)
{
    const uintptr_t key = (uintptr_t)block;
    for (size_t s = slot_of(key), n = 0; slots[s] && n < SLOTS; s = (s + 1) % SLOTS, n++)
        if (slots[s] == key) {
            slots[s] = 1; /* was taken: searches go on */
            __atomic_sub_fetch(&blocks, 1, __ATOMIC_SEQ_CST);
            return;
        }
}

static void *allocate(const void *caller, size_t alignment, size_t size)
{
    const int ours = counted(caller);
    if (ours && turn()) {
        errno = ENOMEM;
        return NULL;
    }
    void *block = alignment ? __libc_memalign(alignment, size) : __libc_malloc(size);
    if (ours && block)
        keep(block);
    return block;
}

void *malloc(size_t size)
{
    return allocate(__builtin_return_address(0), 0, size);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *block = allocate(__builtin_return_address(0), 0, bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return allocate(__builtin_return_address(0), alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *block = allocate(__builtin_return_address(0), alignment, size);
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

void *realloc(void *block, size_t size)
{
    const int ours = counted(__builtin_return_address(0));
    if (ours && turn()) {
        errno = ENOMEM;
        return NULL;
    }
    if (block)
        forget(block);
    void *larger = __libc_realloc(block, size);
    if (ours && larger)
        keep(larger);
    else if (!larger && block && size > 0)
        keep(block);
    return larger;
}

void free(void *block)
{
    if (block)
        forget(block);
    __libc_free(block);
}

/* ---- system calls ---------------------------------------------------------------------------- */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t size)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (!real)
        real = REAL(write);
    if (fd <= 2 || !fails("write"))
        return real(fd, bytes, size);
    if (how.halve)
        return real(fd, bytes, size / 2 + 1);
    errno = how.number;
    return -1;
}

ssize_t read(int fd, void *bytes, size_t size)
{
    static ssize_t (*real)(int, void *, size_t);
    if (!real)
        real = REAL(read);
    if (!fails("read"))
        return real(fd, bytes, size);
    if (how.halve)
        return real(fd, bytes, size / 2 + 1);
    errno = how.number;
    return -1;
}

int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    if (!real)
        real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    if ((flags & O_ACCMODE) != O_RDONLY && fails("open")) {
        errno = how.number;
        return -1;
    }
    return real(path, flags, mode);
}

#define FAILING(name, parameters, ...) \
    int name parameters                \
    {                                  \
        static int(*real) parameters;  \
        if (!real)                     \
            real = REAL(name);         \
        if (fails(#name)) {            \
            errno = how.number;        \
            return -1;                 \
        }                              \
        return real(__VA_ARGS__);      \
    }
FAILING(fsync, (int fd), fd)
FAILING(close, (int fd), fd)
FAILING(rename, (const char *from, const char *to), from, to)

__attribute__((destructor)) static void report(void)
{
    const char *name = getenv("FAIL_REPORT");
    const long held = blocks;
    how.kind = ""; /* the report itself does not fail */
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file) {
        fprintf(file, "%ld %ld\n", calls, held);
        fclose(file);
    }
}
