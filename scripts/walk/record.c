/* Records in which order the functions of a program are first entered. It is preloaded into a
 * program that was compiled with -finstrument-functions (scripts/walk.sh), and writes at the end
 *
 *     DEEPEST STACK
 *     FILE ADDRESS        of each function, as addr2line wants it
 *
 * to the file that WALK_TO names. The program runs on one processor. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define HIDDEN __attribute__((no_instrument_function))

enum { SLOTS = 1 << 16 }; /* a few thousand functions are entered */

static void *table[SLOTS]; /* hashed, open */
static void *order[SLOTS];
static long count;
static _Thread_local long depth;
static long deepest;

HIDDEN void __cyg_profile_func_enter(void *function, void *caller);
HIDDEN void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    size_t at = ((uintptr_t)function >> 4) * 0x9E3779B97F4A7C15u >> 48;
    depth++;
    deepest = depth > deepest ? depth : deepest;
    while (table[at] && table[at] != function)
        at = (at + 1) % SLOTS;
    if (table[at] || count == SLOTS / 2)
        return;
    table[at] = function;
    order[count++] = function;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
    depth--;
}

__attribute__((destructor)) HIDDEN static void write_down(void)
{
    const char *to = getenv("WALK_TO");
    FILE *out = to && count > 0 ? fopen(to, "w") : NULL;
    if (!out)
        return;
    fprintf(out, "%ld\n", deepest);
    for (long i = 0; i < count; i++) {
        Dl_info info;
        if (dladdr(order[i], &info))
            fprintf(out, "%s %#lx\n", info.dli_fname,
                    (unsigned long)((uintptr_t)order[i] - (uintptr_t)info.dli_fbase));
    }
    fclose(out);
}
