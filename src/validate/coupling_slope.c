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
#include "decoders/decoder.h"
#include "kernels/kernel_params.h"
#include "machine/subproblem.h"
#include "validate/folds.h"
#include "validate/validate.h"

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
            z[at++] = pt_pairs_between(f, k, y, r);
}

typedef struct margins {
    const pt_labels *labels;
    const pt_partitions *folds;
    double *z; /* k - 1 of each row that is held out */
    int64_t count;
    bool found;
} margins;

/* A pt_holdout_fn */
static pt_status take_margins(void *context, int64_t point, int64_t partition, const double *f,
                              pt_error *err)
{
    (void)point;
    (void)err;
    margins *m = context;
    const int64_t k = pt_labels_n_classes(m->labels);
    m->found = f != NULL;
    for (int64_t i = 0; f && i < m->labels->n; i++)
        if (pt_is_held(m->folds, partition, i)) {
            margins_of(f + i * pt_pairs_count(k), k, m->labels->class_of[i], m->z + m->count);
            m->count += k - 1;
        }
    return PT_OK;
}

static pt_status held_out_margins(margins *m, const pt_machine_ops *ops, const pt_problem *problem,
                                  const pt_params *params, const pt_task *task, pt_error *err)
{
    return pt_validate_by_training(
        &(pt_validation){.ops = ops,
                         .problem = problem,
                         .points = &params,
                         .n_points = 1,
                         .partitions = m->folds,
                         .take = take_margins,
                         .context = m,
                         .what = PT_OUTPUTS,
                         .n_outputs = pt_pairs_count(pt_labels_n_classes(problem->labels)),
                         .stage = "choosing the slope of pairs"},
        task, err);
}

pt_status pt_coupling_resolve(const pt_machine_ops *ops, pt_params *params,
                              const pt_problem *problem, const pt_task *task, pt_error *err)
{
    const pt_decoder *decoder = pt_decoder_find(pt_params_text(params, PT_P_DECODE));
    if (!decoder || !decoder->probabilities || !pt_params_is_auto(params, PT_P_COUPLING_SLOPE))
        return PT_OK;
    const int64_t k = pt_labels_n_classes(problem->labels);
    PT_FREED_BY(pt_subproblem_free) pt_subproblem sample = {0};
    PT_TRY(pt_subproblem_sample(&sample, problem, SAMPLE,
                                (uint64_t)pt_params_integer(params, PT_P_SEED),
                                pt_kernel_is_precomputed(params), task, err));
    const int64_t count = sample.problem.rows.n * (k - 1);
    PT_SCRATCH double *z = pt_alloc(count, sizeof *z, "held-out margins", err);
    if (!z)
        return PT_ENOMEM;
    PT_FREED_BY(pt_fold_set_free) pt_fold_set folds = {0};
    PT_TRY(pt_fold_set_draw(&folds, &sample.problem, FOLDS, true,
                            (uint64_t)pt_params_integer(params, PT_P_SEED), err));
    margins held_out = {.labels = sample.problem.labels, .folds = &folds.partitions, .z = z};
    PT_TRY(held_out_margins(&held_out, ops, &sample.problem, params, task, err));
    /* 1: there is no machine without some of the rows */
    return pt_params_set_real(params, PT_P_COUPLING_SLOPE,
                              held_out.found ? pt_coupling_slope(z, held_out.count) : 1, err);
}
