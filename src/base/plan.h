/* What is told about training: before it starts, and of what came out of it. */
#ifndef PT_BASE_PLAN_H
#define PT_BASE_PLAN_H

#include <stdint.h>

/* What it will take. */
typedef struct pt_plan {
    double bytes;
    double flops;
    char route[160]; /* in words */
    double cache;    /* bytes beside that, at most, for kernel values where there is room */
} pt_plan;

/* How long its steps are foreseen to take, in seconds. All 0: not long, or not known. */
typedef struct pt_forecast {
    double choosing;
    double training;
    double calibrating;
} pt_forecast;

/* A number about what was trained, for people: "support_vectors". */
typedef struct pt_figure {
    const char *name;
    int64_t value;
} pt_figure;
enum { PT_FIGURES = 10 }; /* nothing has more */

/* One that is no count: "dual". One that is not finite is left out. */
typedef struct pt_real_figure {
    const char *name;
    double value;
} pt_real_figure;

#endif
