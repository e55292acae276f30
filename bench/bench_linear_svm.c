/* Times the linear SVM under a code, data in memory: bench_linear_svm FILE THREADS OPTIONS.
 *
 * OPTIONS are parameters as in "code=ova,C=1,gap=1e-3,scale=none". Prints JSON: the seconds of
 * training alone (rows prepared before it), and the sum over the columns of the primal values
 *
 *   1/2 ||w||^2 + 1/2 b^2 + sum_i C (1 - y_i (w.x_i + b))_+
 *
 * computed here, in double, from the coefficients. */

#include "bench_training.h"

#include "base/alloc.h"
#include "machines/codes/machine_code.h"

static double primal(const pt_code_machine *machine, const pt_problem *problem, double C)
{
    pt_error err = PT_ERROR_INIT;
    pt_pack pack = {0};
    const pt_code *code = &machine->code;
    double sum = 0;
    if (pt_pack_begin(&pack, &err) != PT_OK ||
        machine->learner->ops.save(machine->learner, &pack, &err) != PT_OK)
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
            const double loss = y ? 1 - y * (bench_output(&problem->rows, i, w) + b) : 0;
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
    bench_case c = {0};
    pt_machine *machine = NULL;
    bench_times took = {0};
    pt_status status = bench_open(&c, argv, "machine=code,learner=linear-svm,code=ova", &err);
    if (status == PT_OK)
        status = bench_fit(&c, &machine, &took, &err);
    if (status != PT_OK) {
        fprintf(stderr, "bench_linear_svm: %s\n", err.text);
        return 1;
    }
    const pt_training *t = &c.training;
    for (int64_t i = 0; i < t->warnings.count; i++)
        fprintf(stderr, "bench_linear_svm: %s\n", t->warnings.items[i]);
    printf(
        "{\"train\": %.6f, \"cpu\": %.6f, \"primal\": %.9g}\n", took.wall, took.work,
        primal((const pt_code_machine *)machine, &t->problem, pt_params_real(t->params, PT_P_C)));
    pt_machine_free(machine);
    bench_close(&c);
    return 0;
}
