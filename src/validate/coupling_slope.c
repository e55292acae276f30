/* The slope of pair probabilities for pairwise coupling (decoders/decode_pairs.c): the pair p,
 * q says p with probability 1/(1 + e^(-2 t f)), one t for all pairs.
 *
 * t is the most likely one for held-out margins z = f of the true class p, -f of the true class q,
 * of all pairs that an example takes part in: at most SAMPLE rows in FOLDS folds. The negative
 * logarithm of the likelihood is convex in t, and the zero of its derivative is found by
 * bisection. */
#include "validate/coupling_slope.h"

#include <math.h>

#include "base/alloc.h"
#include "data/split.h"
#include "decoders/decoder.h"
#include "kernels/kernel_params.h"
#include "machine/subproblem.h"

enum { SAMPLE = 1000, FOLDS = 3 };

static double mean_size(const double *z, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += fabs(z[i]);
    return sum / (double)count;
}

/* d/dt of log(1 + e^(-2 t z)), halved */
static double derivative(double z, double t)
{
    return -z / (1 + exp(2 * t * z));
}

double pt_coupling_slope(const double *z, int64_t count)
{
    const double size = count > 0 ? mean_size(z, count) : 0;
    if (!(size > 0) || !isfinite(size))
        return 1;
    double low = log(1e-4 / size);
    double high = log(1e4 / size);
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        double sum = derivative(-size, exp(middle));
        for (int64_t i = 0; i < count; i++)
            sum += derivative(z[i], exp(middle));
        if (sum < 0)
            low = middle;
        else
            high = middle;
    }
    return exp((low + high) / 2);
}

/* ---- held-out margins ------------------------------------------------------------------------ */

/* z <- the k - 1 margins of an example of class y */
static void margins_of(const double *f, int64_t k, int64_t y, double *z)
{
    for (int64_t r = 0, at = 0; r < k; r++)
        if (r != y)
            z[at++] = y < r ? f[pt_pairs_column(k, y, r)] : -f[pt_pairs_column(k, r, y)];
}

static pt_status margins_of_fold(const pt_machine_ops *ops, const pt_problem *problem,
                                 const pt_params *params, const pt_fold_problem *fold, double *z,
                                 const pt_task *task, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    const int64_t ell = pt_pairs_count(k);
    pt_machine *machine = NULL;
    pt_texts warnings = {NULL, 0, 0};
    double *f = pt_alloc(fold->n_held * ell, sizeof *f, "outputs", err);
    pt_status status = f ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = ops->fit(&machine, &fold->train.problem, params, task, &warnings, err);
    if (status == PT_OK)
        status = ops->outputs(machine, &fold->held_out.rows, f, task, err);
    for (int64_t i = 0; i < fold->n_held && status == PT_OK; i++)
        margins_of(f + i * ell, k, problem->labels->class_of[fold->rows[i]], z + i * (k - 1));
    if (machine)
        ops->free(machine);
    pt_texts_free(&warnings);
    pt_free(f);
    return status;
}

/* z <- margins of all rows; they are taken fold by fold. */
static pt_status held_out_margins(const pt_machine_ops *ops, const pt_problem *problem,
                                  const pt_params *params, double *z, const pt_task *task,
                                  pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const int64_t n_folds = n < FOLDS ? n : FOLDS;
    const bool square = pt_kernel_is_precomputed(params);
    int64_t *fold_of = pt_alloc(n, sizeof *fold_of, "folds", err);
    if (!fold_of)
        return PT_ENOMEM;
    pt_status status = pt_folds(fold_of, n, problem->labels->class_of, k, n_folds, true,
                                (uint64_t)pt_params_integer(params, PT_P_SEED), 0, err);
    int64_t done = 0;
    for (int64_t number = 0; number < n_folds && status == PT_OK; number++) {
        pt_fold_problem fold = {0};
        status = pt_fold_problem_init(&fold, problem, fold_of, number, square, err);
        if (status == PT_OK)
            status = margins_of_fold(ops, problem, params, &fold, z + done * (k - 1), task, err);
        done += fold.n_held;
        pt_fold_problem_free(&fold);
    }
    pt_free(fold_of);
    return status;
}

pt_status pt_coupling_resolve(const pt_machine_ops *ops, pt_params *params,
                              const pt_problem *problem, const pt_task *task, pt_error *err)
{
    const pt_decoder *decoder = pt_decoder_find(pt_params_text(params, PT_P_DECODE));
    if (!decoder || !decoder->probabilities || !pt_params_is_auto(params, PT_P_COUPLING_SLOPE))
        return PT_OK;
    const int64_t k = pt_labels_n_classes(problem->labels);
    pt_subproblem sample;
    pt_status status = pt_subproblem_sample(&sample, problem, SAMPLE,
                                            (uint64_t)pt_params_integer(params, PT_P_SEED),
                                            pt_kernel_is_precomputed(params), err);
    if (status != PT_OK)
        return status;
    const int64_t count = sample.problem.rows.n * (k - 1);
    double *z = pt_alloc(count, sizeof *z, "held-out margins", err);
    status = z ? held_out_margins(ops, &sample.problem, params, z, task, err) : PT_ENOMEM;
    if (status == PT_OK)
        status = pt_params_set_real(params, PT_P_COUPLING_SLOPE, pt_coupling_slope(z, count), err);
    else if (status == PT_ENUMERIC) /* no machine without some of the rows */
        status = pt_params_set_real(params, PT_P_COUPLING_SLOPE, 1, err);
    pt_free(z);
    pt_subproblem_free(&sample);
    return status;
}
