/* Times the linear SVM under a code, data in memory: bench_linear_svm FILE THREADS OPTIONS.
 *
 * OPTIONS are parameters as in "code=ova,C=1,gap=1e-3,scale=none". Prints JSON: the seconds of
 * training alone (rows prepared before it), and the sum over the columns of the primal values
 *
 *   1/2 ||w||^2 + 1/2 b^2 + sum_i C (1 - y_i (w.x_i + b))_+
 *
 * computed here, in double, from the coefficients. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "machines/machine_code.h"
#include "machines/training.h"
#include "polytomy/polytomy.h"

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double output(const pt_rows *rows, int64_t i, const double *w)
{
    const void *values = rows->dense ? rows->dense : rows->value;
    const int64_t begin = rows->dense ? i * rows->stride : rows->start[i];
    const int64_t end = rows->dense ? begin + rows->d : rows->start[i + 1];
    double f = 0;
    for (int64_t p = begin; p < end; p++)
        f += pt_rows_value(rows, values, p) * w[rows->dense ? p - begin : rows->index[p]];
    return f;
}

static double primal(const pt_code_machine *machine, const pt_problem *problem, double C)
{
    pt_error err;
    pt_pack pack = {0};
    const pt_code *code = &machine->code;
    double sum = 0;
    if (pt_pack_begin(&pack, &err) != PT_OK ||
        machine->learner->ops->save(machine->learner, &pack, &err) != PT_OK)
        return -1;
    const double *coef = pt_pack_find(&pack, "coef")->value;
    const pt_array *bias = pt_pack_find(&pack, "bias");
    const int64_t d = problem->rows.d;
    for (int64_t s = 0; s < code->ell; s++) {
        const double *w = coef + s * d;
        const double b = bias ? ((const double *)bias->value)[s] : 0;
        sum += 0.5 * b * b;
        for (int64_t f = 0; f < d; f++)
            sum += 0.5 * w[f] * w[f];
        for (int64_t i = 0; i < problem->rows.n; i++) {
            const int y = code->M[problem->labels->class_of[i] * code->ell + s];
            const double loss = y ? 1 - y * (output(&problem->rows, i, w) + b) : 0;
            sum += loss > 0 ? C * loss : 0;
        }
    }
    pt_free(pack.arrays);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bench_linear_svm FILE THREADS OPTIONS\n");
        return 2;
    }
    pt_error err = {0};
    pt_task *task = NULL;
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_machine *machine = NULL;
    pt_training t = {0};
    double wall = 0;
    double work = 0;
    pt_status status = pt_task_new(&task, &err);
    if (status == PT_OK)
        status = pt_params_new(&params, &err);
    if (status == PT_OK)
        status = pt_params_parse(params, "machine=code,learner=linear-svm,code=ova", &err);
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
    if (status == PT_OK) {
        wall = seconds(CLOCK_MONOTONIC);
        work = seconds(CLOCK_PROCESS_CPUTIME_ID);
        status = t.ops->fit(&machine, &t.problem, t.params, task, &t.warnings, &err);
        wall = seconds(CLOCK_MONOTONIC) - wall;
        work = seconds(CLOCK_PROCESS_CPUTIME_ID) - work;
    }
    if (status != PT_OK) {
        fprintf(stderr, "bench_linear_svm: %s\n", err.text);
        return 1;
    }
    for (int64_t i = 0; i < t.warnings.count; i++)
        fprintf(stderr, "bench_linear_svm: %s\n", t.warnings.items[i]);
    printf("{\"train\": %.6f, \"cpu\": %.6f, \"primal\": %.9g}\n", wall, work,
           primal((const pt_code_machine *)machine, &t.problem, pt_params_real(t.params, PT_P_C)));
    t.ops->free(machine);
    pt_training_free(&t);
    pt_dataset_free(data);
    pt_params_free(params);
    pt_task_free(task);
    return 0;
}
