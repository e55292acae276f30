/* Which instruction set the hot loops run on: POLYTOMY_ISA where the processor has it, else the
 * widest that it has. Decided once, at first use. */
#include "base/isa.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const NAMES[PT_ISA_LEVELS] = {"base", "v3", "v4"};

const char *pt_isa_level_name(pt_isa_level level)
{
    return NAMES[level];
}

bool pt_isa_level_runs(pt_isa_level level)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    if (level == PT_ISA_V3)
        return v3;
    if (level == PT_ISA_V4)
        return v4;
#endif
    return level == PT_ISA_BASE;
}

static atomic_int chosen;
static char remark[96];
static pthread_once_t choose_once = PTHREAD_ONCE_INIT;

static int widest(void)
{
    int found = PT_ISA_BASE;
    for (int level = 0; level < PT_ISA_LEVELS; level++)
        if (pt_isa_level_runs((pt_isa_level)level))
            found = level;
    return found;
}

static void choose(void)
{
    const char *wish = getenv("POLYTOMY_ISA");
    int level = widest();
    if (wish && *wish) {
        int named = -1;
        for (int i = 0; i < PT_ISA_LEVELS; i++)
            if (strcmp(NAMES[i], wish) == 0)
                named = i;
        if (named < 0)
            snprintf(remark, sizeof remark, "POLYTOMY_ISA=%.20s is none of base, v3, v4", wish);
        else if (!pt_isa_level_runs((pt_isa_level)named))
            snprintf(remark, sizeof remark, "POLYTOMY_ISA=%.20s does not run on this processor",
                     wish);
        else
            level = named;
    }
    atomic_store(&chosen, level);
}

pt_isa_level pt_isa_level_chosen(void)
{
    pthread_once(&choose_once, choose);
    return (pt_isa_level)atomic_load_explicit(&chosen, memory_order_relaxed);
}

const char *pt_isa_remark(void)
{
    pthread_once(&choose_once, choose);
    return remark;
}

void pt_isa_level_force(pt_isa_level level)
{
    pthread_once(&choose_once, choose);
    atomic_store(&chosen, (int)level);
}
