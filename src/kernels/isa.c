/* Which instruction set the loops run on: POLYTOMY_ISA=base|v3|v4 where the processor has it, else
 * the widest that it has. Decided once, at first use. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/loops.h"

extern const pt_isa pt_isa_base;
#if defined(__x86_64__)
extern const pt_isa pt_isa_v3;
extern const pt_isa pt_isa_v4;
#endif

const pt_isa *const pt_isas[] = {
    &pt_isa_base,
#if defined(__x86_64__)
    &pt_isa_v3,
    &pt_isa_v4,
#endif
    NULL,
};

bool pt_isa_runs(const pt_isa *isa)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    if (isa == &pt_isa_v3)
        return v3;
    if (isa == &pt_isa_v4)
        return v4;
#endif
    return isa == &pt_isa_base;
}

static _Atomic(const pt_isa *) chosen;
static char remark[96];
static pthread_once_t choose_once = PTHREAD_ONCE_INIT;

static const pt_isa *widest(void)
{
    const pt_isa *found = pt_isas[0];
    for (int i = 0; pt_isas[i]; i++)
        if (pt_isa_runs(pt_isas[i]))
            found = pt_isas[i];
    return found;
}

static void choose(void)
{
    const char *wish = getenv("POLYTOMY_ISA");
    const pt_isa *isa = widest();
    if (wish && *wish) {
        const pt_isa *named = NULL;
        for (int i = 0; pt_isas[i]; i++)
            if (strcmp(pt_isas[i]->name, wish) == 0)
                named = pt_isas[i];
        if (!named)
            snprintf(remark, sizeof remark, "POLYTOMY_ISA=%.20s is none of those built in", wish);
        else if (!pt_isa_runs(named))
            snprintf(remark, sizeof remark, "POLYTOMY_ISA=%.20s does not run on this processor",
                     wish);
        else
            isa = named;
    }
    atomic_store(&chosen, isa);
}

const pt_isa *pt_isa_chosen(void)
{
    pthread_once(&choose_once, choose);
    return atomic_load_explicit(&chosen, memory_order_relaxed);
}

const char *pt_isa_remark(void)
{
    pthread_once(&choose_once, choose);
    return remark;
}

void pt_isa_force(const pt_isa *isa)
{
    pthread_once(&choose_once, choose);
    atomic_store(&chosen, isa);
}

const pt_loops *pt_loops_of(const pt_isa *isa, pt_type type)
{
    return type == PT_F32 ? &isa->f32 : &isa->f64;
}
