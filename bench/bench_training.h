/* What the programs that time a training share: clocks, medians, a problem from a file and options,
 * and the outputs of a linear function. */
#ifndef PT_BENCH_TRAINING_H
#define PT_BENCH_TRAINING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/task.h"
#include "machine/training.h"
#include "polytomy/polytomy.h"
#include "validate/auto.h"

static inline double bench_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int bench_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double bench_median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, bench_ascending);
    return times[count / 2];
}

/* Seconds by the clock and of the processors. */
typedef struct bench_times {
    double wall;
    double work;
} bench_times;

static inline bench_times bench_begin(void)
{
    return (bench_times){bench_seconds(CLOCK_MONOTONIC), bench_seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

static inline bench_times bench_since(bench_times begin)
{
    return (bench_times){bench_seconds(CLOCK_MONOTONIC) - begin.wall,
                         bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin.work};
}

/* Zero-initialise; close it always. */
typedef struct bench_case {
    pt_task *task;
    pt_params *params;
    pt_dataset *data;
    pt_training training;
} bench_case;

/* From the arguments FILE THREADS OPTIONS; `given` are parameters that stand before these. */
static inline pt_status bench_open(bench_case *c, char **argv, const char *given, pt_error *err)
{
    pt_status status = pt_task_new(&c->task, err);
    if (status == PT_OK)
        status = pt_params_new(&c->params, err);
    if (status == PT_OK)
        status = pt_params_parse(c->params, given, err);
    if (status == PT_OK)
        status = pt_params_parse(c->params, argv[3], err);
    if (status == PT_OK) {
        pt_task_set_threads(c->task, (int)strtol(argv[2], NULL, 10));
        status = pt_dataset_read(&c->data, argv[1], c->params, c->task, err);
    }
    if (status == PT_OK)
        status = pt_training_init(&c->training, c->data, c->params, c->task, err);
    return status == PT_OK ? pt_training_resolve(&c->training, c->task, err) : status;
}

static inline void bench_close(bench_case *c)
{
    pt_training_free(&c->training);
    pt_dataset_free(c->data);
    pt_params_free(c->params);
    pt_task_free(c->task);
}

static inline pt_status bench_fit(bench_case *c, pt_machine **machine, bench_times *took,
                                  pt_error *err)
{
    pt_training *t = &c->training;
    const bench_times begin = bench_begin();
    const pt_status status =
        pt_machine_fit(machine, t->ops, &t->problem, t->params, c->task, &t->warnings, err);
    *took = bench_since(begin);
    return status;
}

/* w . x_i */
static inline double bench_output(const pt_rows *rows, int64_t i, const double *w)
{
    const void *values = rows->dense ? rows->dense : rows->value;
    const int64_t begin = rows->dense ? i * rows->stride : rows->start[i];
    const int64_t end = rows->dense ? begin + rows->d : rows->start[i + 1];
    double f = 0;
    for (int64_t p = begin; p < end; p++)
        f += pt_rows_value(rows, values, p) * w[rows->dense ? p - begin : rows->index[p]];
    return f;
}

#endif
