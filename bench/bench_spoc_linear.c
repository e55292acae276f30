/* Times the solver of the linear machine of Crammer and Singer: bench_spoc_linear TRAIN THREADS
 * OPTIONS.
 *
 * OPTIONS are parameters as in "C=1,gap=1e-2,scale=none,header=no". Prints JSON: the seconds of the
 * solver alone, by the clock and of the processors (the rows in its form before it, as a peer's are
 * when its solver is timed; the median of REPEATS: the first pays for pages that the system has not
 * given before), support patterns, primal and dual value. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "machines/training.h"
#include "params/params.h"
#include "polytomy/polytomy.h"
#include "solvers/spoc_linear.h"

enum { REPEATS = 5 };

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

static void print_median(const char *before, double *times)
{
    qsort(times, REPEATS, sizeof *times, ascending);
    printf("%s%.6f", before, times[REPEATS / 2]);
}

static pt_status time_solver(const pt_spoc *spoc, const pt_linear_rows *rows, double *M,
                             const pt_task *task, pt_error *err)
{
    double wall[REPEATS];
    double work[REPEATS];
    pt_spoc_result result = {0};
    for (int r = 0; r < REPEATS; r++) {
        pt_sparse_rows eta = {0};
        wall[r] = -seconds(CLOCK_MONOTONIC);
        work[r] = -seconds(CLOCK_PROCESS_CPUTIME_ID);
        pt_status status = pt_sparse_rows_init(&eta, spoc->n, err);
        if (status == PT_OK)
            status = pt_spoc_linear_solve(spoc, rows, 1, &eta, M, &result, NULL, task, err);
        pt_sparse_rows_free(&eta);
        wall[r] += seconds(CLOCK_MONOTONIC);
        work[r] += seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (status != PT_OK)
            return status;
    }
    printf("{\"patterns\": %lld, \"visits\": %lld, \"primal\": %.10g, \"dual\": %.10g",
           (long long)result.patterns, (long long)result.steps, result.value + result.gap,
           result.value);
    print_median(", \"train\": ", wall);
    print_median(", \"work\": ", work);
    printf("}\n");
    return PT_OK;
}

static pt_status time_problem(const pt_training *t, const pt_task *task, pt_error *err)
{
    const pt_rows *rows = &t->problem.rows;
    const int64_t k = pt_labels_n_classes(t->problem.labels);
    pt_linear_rows linear = {0};
    double *bound = pt_alloc(rows->n, sizeof(double), "bounds", err);
    double *M = pt_alloc(rows->d * k, sizeof(double), "coefficients", err);
    pt_status status =
        bound && M ? pt_linear_rows_init(&linear, rows, false, task, err) : PT_ENOMEM;
    for (int64_t i = 0; i < rows->n && status == PT_OK; i++)
        bound[i] = pt_params_real(t->params, PT_P_C);
    const pt_spoc spoc = {.kind = PT_CRAMMER_SINGER,
                          .n = rows->n,
                          .k = k,
                          .class_of = t->problem.labels->class_of,
                          .bound = bound,
                          .gap = pt_params_real(t->params, PT_P_GAP)};
    if (status == PT_OK)
        status = time_solver(&spoc, &linear, M, task, err);
    pt_linear_rows_free(&linear);
    pt_free(bound);
    pt_free(M);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bench_spoc_linear TRAIN THREADS OPTIONS\n");
        return 2;
    }
    pt_error err = {0};
    pt_task *task = NULL;
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_training t = {0};
    pt_status status = pt_task_new(&task, &err);
    if (status == PT_OK)
        status = pt_params_new(&params, &err);
    if (status == PT_OK)
        status = pt_params_parse(params, "machine=spoc,kernel=linear", &err);
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
        status = time_problem(&t, task, &err);
    if (status != PT_OK)
        fprintf(stderr, "bench_spoc_linear: %s\n", err.text);
    pt_training_free(&t);
    pt_dataset_free(data);
    pt_params_free(params);
    pt_task_free(task);
    return status == PT_OK ? 0 : 1;
}
