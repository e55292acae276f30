/* Times logistic regression, data in memory: bench_logistic FILE THREADS OPTIONS.
 *
 * OPTIONS are parameters as in "machine=code,learner=logistic,code=ova,C=1,eps=1e-3,scale=none" or
 * "machine=softmax,C=1". Prints JSON: the seconds of training alone (rows prepared before it), and
 * what is minimised, with squared weights, summed over the columns where there are several:
 *
 *   1/2 ||w||^2 + 1/2 b^2 + sum_i C log(1 + exp(-y_i (w.x_i + b)))      outputs are half of w.x + b
 *   1/2 ||W||^2 + 1/2 ||b||^2 - sum_i C log p(class of i | x_i)
 *
 * computed here, in double, from the coefficients. */
#include <math.h>
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

/* Of the columns of a code M, or of all classes (M NULL); z is row i's m outputs. */
static double loss_of_row(const int8_t *M, int64_t m, int64_t truth, const double *z)
{
    double sum = 0;
    double top = z[0];
    for (int64_t s = 0; s < m && M; s++) {
        const double margin = M[truth * m + s] * z[s];
        sum += M[truth * m + s] ? fmax(-margin, 0) + log1p(exp(-fabs(margin))) : 0;
    }
    if (M)
        return sum;
    for (int64_t s = 0; s < m; s++)
        top = fmax(top, z[s]);
    for (int64_t s = 0; s < m; s++)
        sum += exp(z[s] - top);
    return log(sum) + top - z[truth];
}

static double primal(const pt_pack *pack, const pt_code *code, const pt_problem *problem, double C)
{
    const pt_array *coef = pt_pack_find(pack, "coef");
    const pt_array *bias = pt_pack_find(pack, "bias");
    const int64_t d = problem->rows.d;
    const int64_t m = coef->rows;
    const double scale = code ? 2 : 1;
    double *z = pt_alloc(m, sizeof *z, "outputs", NULL);
    double sum = 0;
    for (int64_t i = 0; i < m * d; i++)
        sum += 0.5 * pow(scale * ((const double *)coef->value)[i], 2);
    for (int64_t s = 0; s < m && bias; s++)
        sum += 0.5 * pow(scale * ((const double *)bias->value)[s], 2);
    for (int64_t i = 0; i < problem->rows.n; i++) {
        for (int64_t s = 0; s < m; s++)
            z[s] = scale * (output(&problem->rows, i, (const double *)coef->value + s * d) +
                            (bias ? ((const double *)bias->value)[s] : 0));
        sum += C * loss_of_row(code ? code->M : NULL, m, problem->labels->class_of[i], z);
    }
    pt_free(z);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bench_logistic FILE THREADS OPTIONS\n");
        return 2;
    }
    pt_error err = {0};
    pt_task *task = NULL;
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_machine *machine = NULL;
    pt_training t = {0};
    pt_pack pack = {0};
    double wall = 0;
    double work = 0;
    pt_status status = pt_task_new(&task, &err);
    if (status == PT_OK)
        status = pt_params_new(&params, &err);
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
    if (status == PT_OK)
        status = t.ops->save(machine, &pack, &err);
    if (status != PT_OK) {
        fprintf(stderr, "bench_logistic: %s\n", err.text);
        return 1;
    }
    for (int64_t i = 0; i < t.warnings.count; i++)
        fprintf(stderr, "bench_logistic: %s\n", t.warnings.items[i]);
    const pt_code *code = t.ops->code_parts ? t.ops->code_parts(machine).code : NULL;
    printf("{\"train\": %.6f, \"cpu\": %.6f, \"primal\": %.12g}\n", wall, work,
           primal(&pack, code, &t.problem, pt_params_real(t.params, PT_P_C)));
    pt_pack_free(&pack);
    t.ops->free(machine);
    pt_training_free(&t);
    pt_dataset_free(data);
    pt_params_free(params);
    pt_task_free(task);
    return 0;
}
