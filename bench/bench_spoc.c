/* Times the machine spoc, data in memory: bench_spoc TRAIN THREADS OPTIONS.
 *
 * OPTIONS are parameters as in "C=16,rbf-gamma=2,scale=none,header=no". Prints JSON: the seconds of
 * training alone, by the clock and of the processors (rows prepared before it; the median of
 * REPEATS: the first pays for pages that the system has not given before), support patterns,
 * primal and dual value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machines/training.h"
#include "polytomy/polytomy.h"

enum { REPEATS = 3 };

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static pt_status time_training(pt_training *t, const pt_task *task, double *wall, double *work,
                               pt_error *err)
{
    pt_status status = PT_OK;
    for (int r = 0; r < REPEATS && status == PT_OK; r++) {
        pt_machine *machine = NULL;
        wall[r] = -seconds(CLOCK_MONOTONIC);
        work[r] = -seconds(CLOCK_PROCESS_CPUTIME_ID);
        status = t->ops->fit(&machine, &t->problem, t->params, task, &t->warnings, err);
        wall[r] += seconds(CLOCK_MONOTONIC);
        work[r] += seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (status != PT_OK)
            break;
        if (r == REPEATS - 1) {
            pt_figure counts[PT_FIGURES];
            pt_real_figure reals[PT_FIGURES];
            (void)t->ops->figures(machine, counts);
            (void)t->ops->real_figures(machine, reals);
            printf("{\"patterns\": %lld, \"primal\": %.10g, \"dual\": %.10g, ",
                   (long long)counts[0].value, reals[0].value, reals[1].value);
        }
        t->ops->free(machine);
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bench_spoc TRAIN THREADS OPTIONS\n");
        return 2;
    }
    pt_error err = {0};
    pt_task *task = NULL;
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_training t = {0};
    double wall[REPEATS];
    double work[REPEATS];
    pt_status status = pt_task_new(&task, &err);
    if (status == PT_OK)
        status = pt_params_new(&params, &err);
    if (status == PT_OK)
        status = pt_params_parse(params, "machine=spoc", &err);
    if (status == PT_OK)
        status = pt_params_parse(params, argv[3], &err);
    if (status == PT_OK) {
        pt_task_set_threads(task, (int)strtol(argv[2], NULL, 10));
        status = pt_dataset_read(&data, argv[1], params, task, &err);
    }
    if (status == PT_OK)
        status = pt_training_init(&t, data, params, task, &err);
    if (status == PT_OK)
        status = pt_training_resolve(&t, task, &err);
    if (status == PT_OK)
        status = time_training(&t, task, wall, work, &err);
    if (status == PT_OK) {
        qsort(wall, REPEATS, sizeof *wall, ascending);
        qsort(work, REPEATS, sizeof *work, ascending);
        printf("\"train\": %.6f, \"work\": %.6f}\n", wall[REPEATS / 2], work[REPEATS / 2]);
    } else {
        fprintf(stderr, "bench_spoc: %s\n", err.text);
    }
    pt_training_free(&t);
    pt_dataset_free(data);
    pt_params_free(params);
    pt_task_free(task);
    return status == PT_OK ? 0 : 1;
}
