/* Automatic sigma and ridge for least-squares machines.
 *
 *   sigma   s0 2^-2 .. s0 2^2, where s0 is the median distance of 1000 random pairs of rows (the
 * root mean square norm for kernels of inner products) ridge   2^-10 .. 2^4
 *
 * Every pair is scored by its leave-one-out errors in closed form (ls_holdout.c): exact, one
 * factorisation each. Above `auto-rows` rows a stratified sample decides: the price is then that of
 * the sample. */
#include "machines/ls_auto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "decoders/decoder.h"
#include "kernels/gram.h"
#include "kernels/kernel_params.h"
#include "machines/ls_holdout.h"
#include "machines/subproblem.h"

enum {
    MEDIAN_PAIRS = 1000,
    SIGMA_STEPS = 5, /* powers of two around the median */
    RIDGE_LOW = -10,
    RIDGE_HIGH = 4,
    MAX_POINTS = SIGMA_STEPS * (RIDGE_HIGH - RIDGE_LOW + 1)
};

/* ---- a typical sigma ---------------------------------------------------------------------------
 */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Base values of random pairs; of rows with themselves for inner products. */
static pt_status sample_base(const pt_rows *rows, pt_kernel_base base, uint64_t seed, double *value,
                             const pt_task *task, pt_error *err)
{
    pt_gram *gram = NULL;
    pt_status status = pt_gram_new(&gram, rows, base, PT_F64, task, err);
    if (status != PT_OK)
        return status;
    void *scratch = pt_alloc((int64_t)pt_gram_scratch(gram, gram, 1, 1), 1, "work space", err);
    if (!scratch) {
        pt_gram_free(gram);
        return PT_ENOMEM;
    }
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_PAIRS, 0);
    for (int s = 0; s < MEDIAN_PAIRS; s++) {
        const int64_t i = pt_random_below(&random, rows->n);
        int64_t j = i;
        if (base != PT_BASE_DOT && rows->n > 1)
            j = (i + 1 + pt_random_below(&random, rows->n - 1)) % rows->n;
        pt_gram_block(gram, i, 1, gram, j, 1, &value[s], 1, scratch);
    }
    pt_free(scratch);
    pt_gram_free(gram);
    return PT_OK;
}

static pt_status typical_sigma(const pt_rows *rows, const pt_kernel_ops *ops, uint64_t seed,
                               double *sigma, const pt_task *task, pt_error *err)
{
    double value[MEDIAN_PAIRS];
    pt_status status = sample_base(rows, ops->base, seed, value, task, err);
    if (status != PT_OK)
        return status;
    double sum = 0;
    for (int s = 0; s < MEDIAN_PAIRS; s++)
        sum += value[s];
    qsort(value, MEDIAN_PAIRS, sizeof *value, compare_doubles);
    double typical = ops->base == PT_BASE_DOT ? sum / MEDIAN_PAIRS : value[MEDIAN_PAIRS / 2];
    if (!(typical > 0)) /* more than half of the pairs are equal */
        typical = sum > 0 ? sum / MEDIAN_PAIRS : 1;
    *sigma = ops->base == PT_BASE_L1_DISTANCE ? typical : sqrt(typical);
    return PT_OK;
}

/* ---- leave-one-out over the candidates ----------------------------------------------------------
 */

typedef struct counting {
    const int64_t *class_of;
    int64_t n;
    int64_t k;
    int64_t errors[MAX_POINTS]; /* n + 1: no answer */
} counting;

static pt_status count_errors(void *context, int64_t point, int64_t partition, const double *scores,
                              pt_error *err)
{
    (void)partition;
    (void)err;
    counting *c = context;
    c->errors[point] = scores ? 0 : c->n + 1;
    for (int64_t i = 0; scores && i < c->n; i++)
        c->errors[point] += pt_decode_argmax(scores + i * c->k, c->k) != c->class_of[i];
    return PT_OK;
}

/* Candidates from the smoothest on, so that the first of equals is the smoothest. */
static int64_t list_points(pt_ls_point *points, const pt_kernel *kernel, bool free_sigma,
                           double sigma, bool free_ridge, double ridge)
{
    int64_t count = 0;
    for (int s = free_sigma ? SIGMA_STEPS / 2 : 0; s >= (free_sigma ? -(SIGMA_STEPS / 2) : 0); s--)
        for (int g = free_ridge ? RIDGE_HIGH : 0; g >= (free_ridge ? RIDGE_LOW : 0); g--) {
            points[count].kernel = *kernel;
            points[count].kernel.sigma = ldexp(sigma, s);
            points[count].ridge = free_ridge ? ldexp(1, g) : ridge;
            count++;
        }
    return count;
}

static pt_status leave_one_out(const pt_ls_problem *problem, const pt_ls_point *points,
                               int64_t n_points, pt_type type, int64_t *best, double *error,
                               const pt_task *task, pt_error *err)
{
    const int64_t n = problem->rows->n;
    int64_t *own = pt_alloc(n, sizeof(int64_t), "folds", err);
    if (!own)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        own[i] = i;
    const int64_t *const fold[] = {own};
    const pt_partitions loo = {1, n, fold};
    counting c = {.class_of = problem->class_of, .n = n, .k = problem->k};
    pt_status status =
        pt_ls_holdout(problem, points, n_points, type, &loo, count_errors, &c, task, err);
    pt_free(own);
    if (status != PT_OK)
        return status;
    *best = 0;
    for (int64_t i = 1; i < n_points; i++)
        if (c.errors[i] < c.errors[*best])
            *best = i;
    if (c.errors[*best] > n)
        return pt_fail(
            err, PT_ENUMERIC,
            "K + ridge I is not positive definite for any ridge up to 2^%d; is the kernel "
            "positive semidefinite? choose another --kernel or a larger --ridge",
            RIDGE_HIGH);
    *error = (double)c.errors[*best] / (double)n;
    return PT_OK;
}

/* ---- the door -----------------------------------------------------------------------------------
 */

pt_status pt_ls_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                        pt_texts *warnings, pt_error *err)
{
    (void)warnings;
    if (pt_params_is_auto(params, PT_P_KERNEL)) {
        pt_status status =
            pt_params_set(params, "kernel", problem->rows.dense ? "rbf" : "linear", err);
        if (status != PT_OK)
            return status;
    }
    const pt_kernel_ops *ops = pt_kernel_find(pt_params_text(params, PT_P_KERNEL));
    const bool free_ridge = pt_params_is_auto(params, PT_P_RIDGE);
    const bool free_sigma = pt_kernel_uses(ops, "sigma") && pt_params_is_auto(params, PT_P_SIGMA) &&
                            !pt_params_set_by_user(params, PT_P_RBF_GAMMA);
    if (!free_ridge && !free_sigma)
        return PT_OK;

    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    const pt_type type = problem->rows.type;
    pt_subproblem sample;
    pt_kernel kernel = {0};
    pt_ls_point points[MAX_POINTS];
    double sigma = 1;
    pt_status status =
        pt_subproblem_sample(&sample, problem, pt_params_integer(params, PT_P_AUTO_ROWS), seed,
                             ops->base == PT_BASE_ROW, err);
    if (status != PT_OK)
        return status;
    const pt_ls_problem ls = {&sample.problem.rows, sample.problem.labels->class_of,
                              pt_labels_n_classes(problem->labels), sample.problem.weight};
    if (free_sigma) {
        status = typical_sigma(&problem->rows, ops, seed, &sigma, task, err);
        if (status == PT_OK)
            status = pt_params_set_real(params, PT_P_SIGMA, sigma, err);
    }
    if (status == PT_OK)
        status = pt_kernel_from_params(&kernel, params, err);
    if (status == PT_OK) {
        int64_t best = 0;
        double error = 0;
        const int64_t count = list_points(points, &kernel, free_sigma, kernel.sigma, free_ridge,
                                          free_ridge ? 1 : pt_params_real(params, PT_P_RIDGE));
        status = leave_one_out(&ls, points, count, type, &best, &error, task, err);
        if (status == PT_OK && free_sigma)
            status = pt_params_set_real(params, PT_P_SIGMA, points[best].kernel.sigma, err);
        if (status == PT_OK && free_ridge)
            status = pt_params_set_real(params, PT_P_RIDGE, points[best].ridge, err);
        if (status == PT_OK)
            pt_task_say(
                task, PT_INFO,
                "chose sigma %g, ridge %g by leave-one-out on %lld rows (error %.2f percent)",
                points[best].kernel.sigma, points[best].ridge, (long long)ls.rows->n, 100 * error);
    }
    pt_subproblem_free(&sample);
    return status;
}
