/* Instruction sets: hot loops are plain C files named *_isa.c, compiled once for each, and the one
 * to run is chosen once. POLYTOMY_ISA=base|v3|v4 forces one that the processor has. */
#ifndef PT_BASE_ISA_H
#define PT_BASE_ISA_H

#include <stdbool.h>
#include <stddef.h>

/* x86-64 as it began, with AVX2 and FMA, with AVX-512; elsewhere there is base only. */
typedef enum pt_isa_level { PT_ISA_BASE = 0, PT_ISA_V3 = 1, PT_ISA_V4 = 2 } pt_isa_level;
enum { PT_ISA_LEVELS = 3 };

/* The tables of one family of loops by level: a NULL stands for "not built here". */
#if defined(__x86_64__)
#define PT_ISA_TABLE(name)                   \
    {                                        \
        &name##_base, &name##_v3, &name##_v4 \
    }
#define PT_ISA_DECLARE(type, name) extern const type name##_base, name##_v3, name##_v4
#else
#define PT_ISA_TABLE(name)       \
    {                            \
        &name##_base, NULL, NULL \
    }
#define PT_ISA_DECLARE(type, name) extern const type name##_base
#endif

/* In an *_isa.c file: the name of its own table, such as pt_box_loops_v3. */
#define PT_ISA_JOIN(name, isa) name##_##isa
#define PT_ISA_NAME(name, isa) PT_ISA_JOIN(name, isa)
#define PT_ISA_OWN(name) PT_ISA_NAME(name, PT_ISA)

/* In a header, behind the type of a table of loops: declares the tables and defines `chosen`, the
 * one to use. */
#define PT_ISA_CHOSEN(type, name, chosen)                                    \
    PT_ISA_DECLARE(type, name);                                              \
    static inline const type *chosen(void)                                   \
    {                                                                        \
        static const type *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(name); \
        return tables[pt_isa_level_chosen()];                                \
    }

const char *pt_isa_level_name(pt_isa_level level);
bool pt_isa_level_runs(pt_isa_level level); /* built in, and the processor has it */
pt_isa_level pt_isa_level_chosen(void);     /* chosen at first use */
const char *pt_isa_remark(void);            /* why POLYTOMY_ISA was not followed, or "" */
/* For tests: use this one from now on. Not while others compute. */
void pt_isa_level_force(pt_isa_level level);

#endif
