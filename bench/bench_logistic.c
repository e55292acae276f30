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
#include "bench_training.h"

#include <math.h>

#include "base/alloc.h"
#include "machines/codes/machine_code.h"

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
            z[s] = scale * (bench_output(&problem->rows, i, (const double *)coef->value + s * d) +
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
    bench_case c = {0};
    pt_machine *machine = NULL;
    pt_pack pack = {0};
    bench_times took = {0};
    pt_status status = bench_open(&c, argv, "", &err);
    if (status == PT_OK)
        status = bench_fit(&c, &machine, &took, &err);
    const pt_training *t = &c.training;
    if (status == PT_OK)
        status = t->ops->save(machine, &pack, &err);
    if (status != PT_OK) {
        fprintf(stderr, "bench_logistic: %s\n", err.text);
        return 1;
    }
    for (int64_t i = 0; i < t->warnings.count; i++)
        fprintf(stderr, "bench_logistic: %s\n", t->warnings.items[i]);
    const pt_code *code = t->ops->outputs ? t->ops->parts(machine).code : NULL;
    printf("{\"train\": %.6f, \"cpu\": %.6f, \"primal\": %.12g}\n", took.wall, took.work,
           primal(&pack, code, &t->problem, pt_params_real(t->params, PT_P_C)));
    pt_pack_free(&pack);
    pt_machine_free(machine);
    bench_close(&c);
    return 0;
}
