/* Automatic sigma and ridge of machines without closed-form held-out scores.
 *
 *   sigma   what leave-one-out chooses for oneLSM together with a ridge of its own: the width is a
 *           matter of the data far more than of the machine
 *   ridge   means something else in every machine: the machine itself is trained without each of
 *           five folds, for 2^-10 .. 2^4, on a sample small enough for that to take about a second
 *
 * One parallel loop over (ridge, fold); an index counts its own errors. */
#include "machines/ridge_auto.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "data/split.h"
#include "decoders/decoder.h"
#include "kernels/kernel_params.h"
#include "machines/ls_auto.h"
#include "machines/subproblem.h"

enum { SAMPLE = 500, FOLDS = 5, RIDGE_LOW = -10, RIDGE_HIGH = 4 };
enum { N_RIDGES = RIDGE_HIGH - RIDGE_LOW + 1 };

typedef struct ridge_search {
    const pt_machine_ops *ops;
    const pt_problem *problem; /* the sample */
    const pt_task *task;
    bool square; /* a precomputed kernel */
    const int64_t *fold;
    int64_t n_folds;
    pt_params *point[N_RIDGES];       /* from the largest ridge on */
    int64_t errors[N_RIDGES * FOLDS]; /* n + 1: no answer */
} ridge_search;

/* ---- one fold ----------------------------------------------------------------------------------
 */

static pt_status count_errors(const ridge_search *s, const pt_params *params,
                              const pt_problem *train, const pt_rows *held_out, const int64_t *rows,
                              int64_t *errors, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(s->problem->labels);
    pt_machine *machine = NULL;
    pt_texts warnings = {NULL, 0, 0};
    double *scores = pt_alloc(held_out->n * k, sizeof(double), "held-out scores", err);
    pt_status status = scores ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = s->ops->fit(&machine, train, params, s->task, &warnings, err);
    if (status == PT_OK)
        status = s->ops->scores(machine, held_out, scores, s->task, err);
    *errors = status == PT_ENUMERIC ? s->problem->rows.n + 1 : 0;
    for (int64_t i = 0; i < held_out->n && status == PT_OK; i++)
        *errors += pt_decode_argmax(scores + i * k, k) != s->problem->labels->class_of[rows[i]];
    if (machine)
        s->ops->free(machine);
    pt_texts_free(&warnings);
    pt_free(scores);
    return status == PT_ENUMERIC ? PT_OK : status;
}

static pt_status search_body(void *context, int64_t index, int worker, pt_error *err)
{
    (void)worker;
    ridge_search *s = context;
    const int64_t n = s->problem->rows.n;
    const int64_t number = index % s->n_folds;
    pt_subproblem train = {0};
    pt_rows_owned test = {0};
    int64_t *rows = pt_alloc(n, sizeof(int64_t), "a fold", err); /* in it, then out of it */
    if (!rows)
        return PT_ENOMEM;
    int64_t held = 0;
    for (int64_t i = 0; i < n; i++)
        if (s->fold[i] == number)
            rows[held++] = i;
    for (int64_t i = 0, at = held; i < n; i++)
        if (s->fold[i] != number)
            rows[at++] = i;
    pt_status status =
        pt_subproblem_init(&train, s->problem, rows + held, n - held, s->square, err);
    if (status == PT_OK)
        status = pt_rows_select(&test, &s->problem->rows, rows, held, err);
    if (status == PT_OK && s->square)
        status = pt_rows_take_columns(&test, rows + held, n - held, err);
    if (status == PT_OK)
        status = count_errors(s, s->point[index / s->n_folds], &train.problem, &test.rows, rows,
                              &s->errors[index], err);
    pt_rows_owned_free(&test);
    pt_subproblem_free(&train);
    pt_free(rows);
    return status;
}

/* ---- the ridge ---------------------------------------------------------------------------------
 */

static pt_status make_points(ridge_search *s, const pt_params *params, pt_error *err)
{
    pt_status status = PT_OK;
    for (int p = 0; p < N_RIDGES && status == PT_OK; p++) {
        status = pt_params_copy(&s->point[p], params, err);
        if (status == PT_OK)
            status = pt_params_set_real(s->point[p], PT_P_RIDGE, ldexp(1, RIDGE_HIGH - p), err);
    }
    return status;
}

/* The first of the fewest errors; -1: no ridge has an answer. */
static int best_point(const ridge_search *s)
{
    int best = -1;
    int64_t fewest = s->problem->rows.n + 1;
    for (int p = 0; p < N_RIDGES; p++) {
        int64_t sum = 0;
        for (int64_t f = 0; f < s->n_folds; f++)
            sum += s->errors[p * s->n_folds + f];
        if (sum < fewest) {
            fewest = sum;
            best = p;
        }
    }
    return best;
}

static pt_status search_ridge(ridge_search *s, pt_params *params, uint64_t seed, pt_error *err)
{
    const int64_t n = s->problem->rows.n;
    s->n_folds = n < FOLDS ? n : FOLDS;
    int64_t *fold = pt_alloc(n, sizeof(int64_t), "folds", err);
    if (!fold)
        return PT_ENOMEM;
    s->fold = fold;
    pt_status status =
        pt_folds(fold, n, s->problem->labels->class_of, pt_labels_n_classes(s->problem->labels),
                 s->n_folds, true, seed, 0, err);
    if (status == PT_OK)
        status = make_points(s, params, err);
    if (status == PT_OK)
        status = pt_parallel_for_stage(s->task, "choosing ridge", N_RIDGES * s->n_folds,
                                       search_body, s, err);
    const int best = status == PT_OK ? best_point(s) : -1;
    if (status == PT_OK && best < 0)
        status = pt_fail(err, PT_ENUMERIC,
                         "%s has no solution for any ridge from 2^%d to 2^%d; is the kernel "
                         "positive semidefinite? choose another --kernel or give --ridge",
                         s->ops->name, RIDGE_LOW, RIDGE_HIGH);
    if (status == PT_OK)
        status = pt_params_set_real(params, PT_P_RIDGE, ldexp(1, RIDGE_HIGH - best), err);
    for (int p = 0; p < N_RIDGES; p++)
        pt_params_free(s->point[p]);
    pt_free(fold);
    return status;
}

/* ---- the door ----------------------------------------------------------------------------------
 */

/* kernel and sigma as oneLSM would choose them, with the ridge that goes with them there. */
static pt_status resolve_sigma(pt_params *params, const pt_problem *problem, const pt_task *task,
                               pt_texts *warnings, pt_error *err)
{
    pt_params *proxy = NULL;
    pt_status status = pt_params_copy(&proxy, params, err);
    if (status == PT_OK)
        status = pt_params_set(proxy, "ridge", "auto", err);
    if (status == PT_OK)
        status = pt_ls_resolve(proxy, problem, task, warnings, err);
    if (status == PT_OK)
        status = pt_params_set_real(params, PT_P_SIGMA, pt_params_real(proxy, PT_P_SIGMA), err);
    pt_params_free(proxy);
    return status;
}

pt_status pt_ridge_resolve(const pt_machine_ops *ops, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_texts *warnings, pt_error *err)
{
    pt_status status = PT_OK;
    if (pt_params_is_auto(params, PT_P_KERNEL))
        status = pt_params_set(params, "kernel",
                               pt_kernel_named(params, !problem->rows.dense)->name, err);
    if (status != PT_OK)
        return status;
    const pt_kernel_ops *kernel = pt_kernel_find(pt_params_text(params, PT_P_KERNEL));
    if (pt_kernel_uses(kernel, "sigma") && pt_params_is_auto(params, PT_P_SIGMA) &&
        !pt_params_set_by_user(params, PT_P_RBF_GAMMA))
        status = resolve_sigma(params, problem, task, warnings, err);
    if (status != PT_OK || !pt_params_is_auto(params, PT_P_RIDGE))
        return status;

    const int64_t rows = pt_params_integer(params, PT_P_AUTO_ROWS);
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    ridge_search s = {.ops = ops, .task = task, .square = kernel->base == PT_BASE_ROW};
    pt_subproblem sample;
    status =
        pt_subproblem_sample(&sample, problem, rows < SAMPLE ? rows : SAMPLE, seed, s.square, err);
    if (status != PT_OK)
        return status;
    s.problem = &sample.problem;
    status = search_ridge(&s, params, seed, err);
    pt_subproblem_free(&sample);
    return status;
}
