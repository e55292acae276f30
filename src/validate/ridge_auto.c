/* Automatic sigma and ridge of machines without closed-form held-out scores.
 *
 *   sigma   s0 2^-4 .. s0 2^4, where s0 is what leave-one-out chooses for oneLSM
 *   ridge   2^-9 .. 2^9, by factors of 8 where sigma is searched too: what a ridge is worth differs
 *           from machine to machine, so the range is wide
 *
 * The machine itself is validated in five folds (validate.h), on a sample small enough for that to
 * take a few seconds at most, and judged by its errors; of sets, rankings and pairs by its losses.
 */
#include "validate/ridge_auto.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "machine/subproblem.h"
#include "metrics/label_loss.h"
#include "validate/folds.h"
#include "validate/ls_auto.h"
#include "validate/validate.h"

enum { SAMPLE = PT_AUTO_SAMPLE, FOLDS = 5 };
enum { SIGMA_LOW = -4, SIGMA_HIGH = 4, RIDGE_LOW = -9, RIDGE_HIGH = 9 }; /* powers of two */
enum { MAX_POINTS = 64 };

static const double LARGEST_C = 1e6; /* of the oneLSM that says where to look; 1 over the least */

typedef struct ridge_search {
    const pt_machine_ops *ops;
    const pt_problem *problem; /* the sample */
    const pt_task *task;
    bool ridge; /* whether it is searched */
    int64_t n_points;
    pt_params *point[MAX_POINTS]; /* from the smoothest on */
    double losses[MAX_POINTS];    /* n + 1: no answer */
    double least;                 /* at the best point */
} ridge_search;

/* A pt_holdout_fn */
static pt_status sum_losses(void *context, int64_t point, int64_t partition, const double *scores,
                            pt_error *err)
{
    (void)partition;
    (void)err;
    ridge_search *s = context;
    const pt_labels *labels = s->problem->labels;
    double sum = scores ? 0 : (double)(labels->n + 1);
    for (int64_t i = 0; scores && i < labels->n; i++)
        sum += pt_label_loss(labels, i, scores + i * pt_labels_n_classes(labels));
    s->losses[point] = sum;
    return PT_OK;
}

/* ---- all points ------------------------------------------------------------------------------ */

static pt_status add_point(ridge_search *s, const pt_params *params, const double *sigma,
                           const double *ridge, pt_error *err)
{
    pt_params **point = &s->point[s->n_points];
    PT_TRY(pt_params_copy(point, params, err));
    s->n_points++;
    if (sigma)
        PT_TRY(pt_params_set_real(*point, PT_P_SIGMA, *sigma, err));
    if (ridge)
        PT_TRY(pt_params_set_real(*point, PT_P_RIDGE, *ridge, err));
    return PT_OK;
}

/* sigma0: around which sigma is searched; 0: it is given. */
static pt_status make_points(ridge_search *s, const pt_params *params, double sigma0, pt_error *err)
{
    const int ridge_step = sigma0 > 0 ? 3 : 1;
    for (int g = sigma0 > 0 ? SIGMA_HIGH : SIGMA_LOW; g >= SIGMA_LOW; g--)
        for (int r = s->ridge ? RIDGE_HIGH : RIDGE_LOW; r >= RIDGE_LOW; r -= ridge_step) {
            const double sigma = ldexp(sigma0, g);
            const double ridge = ldexp(1, r);
            PT_TRY(add_point(s, params, sigma0 > 0 ? &sigma : NULL, s->ridge ? &ridge : NULL, err));
        }
    return PT_OK;
}

/* The first of the least losses; NULL: no point has an answer. */
static const pt_params *best_point(ridge_search *s)
{
    const pt_params *best = NULL;
    s->least = (double)(s->problem->rows.n + 1);
    for (int64_t p = 0; p < s->n_points; p++)
        if (s->losses[p] < s->least) {
            s->least = s->losses[p];
            best = s->point[p];
        }
    return best;
}

/* sigma and ridge <- those of the best point */
static pt_status search_points(ridge_search *s, const pt_fold_set *folds, pt_params *params,
                               double sigma0, pt_error *err)
{
    pt_status status = make_points(s, params, sigma0, err);
    if (status == PT_OK)
        status = pt_validate(&(pt_validation){.ops = s->ops,
                                              .problem = s->problem,
                                              .points = (const pt_params *const *)s->point,
                                              .n_points = s->n_points,
                                              .partitions = &folds->partitions,
                                              .take = sum_losses,
                                              .context = s,
                                              .stage = "choosing parameters"},
                             s->task, err);
    const pt_params *best = status == PT_OK ? best_point(s) : NULL;
    if (status == PT_OK && !best)
        status = pt_fail(err, PT_ENUMERIC,
                         "%s has no solution at any point that was tried: is the kernel positive "
                         "semidefinite? choose another --kernel",
                         s->ops->name);
    if (status == PT_OK && sigma0 > 0)
        status = pt_params_set_real(params, PT_P_SIGMA, pt_params_real(best, PT_P_SIGMA), err);
    if (status == PT_OK && s->ridge)
        status = pt_params_set_real(params, PT_P_RIDGE, pt_params_real(best, PT_P_RIDGE), err);
    for (int64_t p = 0; p < s->n_points; p++)
        pt_params_free(s->point[p]);
    return status;
}

static pt_status search_on(ridge_search *s, const pt_problem *sample, pt_params *params,
                           double sigma0, uint64_t seed, pt_error *err)
{
    PT_FREED_BY(pt_fold_set_free) pt_fold_set folds = {0};
    s->problem = sample;
    PT_TRY(pt_fold_set_draw(&folds, sample->labels, FOLDS, seed, err));
    return search_points(s, &folds, params, sigma0, err);
}

/* ---- the door -------------------------------------------------------------------------------- */

/* oneLSM takes 1/C for its ridge, and has no answer where that is next to nothing or huge: there C
 * is as good as the limit. */
static pt_status limit_C(pt_params *proxy, pt_error *err)
{
    if (!pt_params_set_by_user(proxy, PT_P_C))
        return PT_OK;
    const double C = pt_params_real(proxy, PT_P_C);
    const double limited = fmin(fmax(C, 1 / LARGEST_C), LARGEST_C);
    return limited == C ? PT_OK : pt_params_set_real(proxy, PT_P_C, limited, err);
}

pt_status pt_auto_start(pt_params **out, const pt_params *params, const pt_problem *problem,
                        const pt_task *task, pt_error *err)
{
    pt_params *proxy = NULL;
    pt_status status = pt_params_copy(&proxy, params, err);
    if (status == PT_OK)
        status = pt_params_set(proxy, "ridge", "auto", err);
    if (status == PT_OK)
        status = limit_C(proxy, err);
    if (status == PT_OK)
        status = pt_ls_resolve(proxy, problem, task, NULL, err);
    if (status == PT_OK)
        *out = proxy;
    else
        pt_params_free(proxy);
    return status;
}

/* The sigma that oneLSM would choose, with the ridge that goes with it there. */
static pt_status start_sigma(double *sigma, const pt_params *params, const pt_problem *sample,
                             const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *proxy = NULL;
    PT_TRY(pt_auto_start(&proxy, params, sample, task, err));
    *sigma = pt_params_real(proxy, PT_P_SIGMA);
    return PT_OK;
}

pt_status pt_auto_resolve(const pt_machine_ops *ops, bool ridge, pt_params *params,
                          const pt_problem *problem, pt_chosen *chosen, const pt_task *task,
                          pt_error *err)
{
    *chosen = (pt_chosen){0};
    pt_status status = pt_kernel_settle(params, !problem->rows.dense, err);
    if (status != PT_OK)
        return status;
    const pt_kernel_ops *kernel = pt_kernel_find(pt_params_text(params, PT_P_KERNEL));
    const bool free_sigma = pt_sigma_is_auto(params);
    if (!free_sigma && !ridge)
        return PT_OK;

    const int64_t rows = pt_params_integer(params, PT_P_AUTO_ROWS);
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    const bool square = kernel->base == PT_BASE_ROW;
    ridge_search s = {.ops = ops, .task = task, .ridge = ridge};
    pt_subproblem sample;
    double sigma0 = 0;
    status =
        pt_subproblem_sample(&sample, problem, rows < SAMPLE ? rows : SAMPLE, seed, square, err);
    if (status != PT_OK)
        return status;
    if (free_sigma)
        status = start_sigma(&sigma0, params, &sample.problem, task, err);
    if (status == PT_OK)
        status = search_on(&s, &sample.problem, params, sigma0, seed, err);
    if (status == PT_OK)
        *chosen = (pt_chosen){sample.problem.rows.n, s.least / (double)sample.problem.rows.n};
    pt_subproblem_free(&sample);
    return status;
}

pt_status pt_ridge_resolve(const pt_machine_ops *ops, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_texts *warnings, pt_error *err)
{
    (void)warnings;
    pt_chosen seen = {0};
    return pt_auto_resolve(ops, pt_params_is_auto(params, PT_P_RIDGE), params, problem,
                           problem->chosen ? problem->chosen : &seen, task, err);
}

pt_status pt_sigma_resolve(const pt_machine_ops *ops, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_texts *warnings, pt_error *err)
{
    (void)warnings;
    pt_chosen seen = {0};
    return pt_auto_resolve(ops, false, params, problem, problem->chosen ? problem->chosen : &seen,
                           task, err);
}

pt_status pt_auto_flops(double *flops, const pt_machine_ops *ops, const pt_params *params,
                        const pt_problem *problem, const pt_task *task, pt_error *err)
{
    const pt_kernel_ops *kernel = pt_kernel_named(params, !problem->rows.dense);
    const bool sigma = pt_machine_uses(ops, params, "kernel") && pt_kernel_uses(kernel, "sigma") &&
                       pt_params_is_auto(params, PT_P_SIGMA) &&
                       !pt_params_set_by_user(params, PT_P_RBF_GAMMA);
    const bool ridge = pt_machine_uses(ops, params, "ridge") &&
                       pt_params_is_auto(params, PT_P_RIDGE) &&
                       !pt_params_set_by_user(params, PT_P_C);
    *flops = 0;
    if (!sigma && !ridge)
        return PT_OK;
    if (ops->guide && ops->guide(problem, params)) {
        *flops = pt_ls_auto_flops(params, &problem->rows);
        return PT_OK;
    }
    const int64_t rows = pt_params_integer(params, PT_P_AUTO_ROWS);
    const double ridges = ridge ? (RIDGE_HIGH - RIDGE_LOW) / (sigma ? 3 : 1) + 1 : 1;
    const double sigmas = sigma ? SIGMA_HIGH - SIGMA_LOW + 1 : 1;
    pt_plan plan = {0};
    pt_subproblem sample;
    pt_status status = pt_subproblem_sample(&sample, problem, rows < SAMPLE ? rows : SAMPLE,
                                            (uint64_t)pt_params_integer(params, PT_P_SEED),
                                            kernel->base == PT_BASE_ROW, err);
    if (status == PT_OK && ops->plan)
        status = ops->plan(&sample.problem, params, task, &plan, err);
    *flops = ridges * sigmas * FOLDS * plan.flops;
    if (sigma && status == PT_OK)
        *flops += pt_ls_auto_flops(params, &sample.problem.rows);
    pt_subproblem_free(&sample);
    return status;
}
