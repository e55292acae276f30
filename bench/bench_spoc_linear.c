/* Times the solver of the linear machine of Crammer and Singer: bench_spoc_linear TRAIN THREADS
 * OPTIONS.
 *
 * OPTIONS are parameters as in "C=1,gap=1e-2,scale=none,header=no". Prints JSON: the seconds of the
 * solver alone, by the clock and of the processors (the rows in its form before it, as a peer's are
 * when its solver is timed; the median of REPEATS: the first pays for pages that the system has not
 * given before), support patterns, primal and dual value. */
#include "bench_training.h"

#include "base/alloc.h"
#include "params/params.h"
#include "solvers/dual/spoc.h"

enum { REPEATS = 5 };

static pt_status time_solver(const pt_spoc *spoc, const pt_linear_rows *rows, double *M,
                             const pt_task *task, pt_error *err)
{
    double wall[REPEATS];
    double work[REPEATS];
    pt_spoc_result result = {0};
    for (int r = 0; r < REPEATS; r++) {
        pt_sparse_rows eta = {0};
        const bench_times begin = bench_begin();
        pt_status status = pt_sparse_rows_init(&eta, spoc->n, NULL, err);
        if (status == PT_OK)
            status = pt_spoc_linear_solve(spoc, rows, 1, &eta, M, &result, NULL, task, err);
        pt_sparse_rows_free(&eta);
        const bench_times took = bench_since(begin);
        wall[r] = took.wall;
        work[r] = took.work;
        if (status != PT_OK)
            return status;
    }
    printf("{\"patterns\": %lld, \"visits\": %lld, \"primal\": %.10g, \"dual\": %.10g",
           (long long)result.patterns, (long long)result.steps, result.value + result.gap,
           result.value);
    printf(", \"train\": %.6f, \"work\": %.6f}\n", bench_median(wall, REPEATS),
           bench_median(work, REPEATS));
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
    bench_case c = {0};
    pt_status status = bench_open(&c, argv, "machine=spoc,kernel=linear", &err);
    if (status == PT_OK)
        status = time_problem(&c.training, c.task, &err);
    if (status != PT_OK)
        fprintf(stderr, "bench_spoc_linear: %s\n", err.text);
    bench_close(&c);
    return status == PT_OK ? 0 : 1;
}
