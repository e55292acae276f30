/* Automatic sigma and ridge for least-squares machines.
 *
 *   sigma   s0 2^-2 .. s0 2^2, where s0 is the median distance of 1000 random pairs of rows
 *           (the root mean square norm for kernels of inner products)
 *   ridge   2^-10 .. 2^4, and beyond as long as larger ones are better: the values of kernels of
 *           inner products grow with the rows, and the ridge that they want with them
 *
 * Every pair is scored by its leave-one-out errors (of sets, rankings and pairs: losses) in closed
 * form (ls_holdout.c): exact, one factorisation each. The whole grid is scored on 1000 rows (a
 * stratified sample); its best point moves to its best neighbour on 2000 rows, on 4000, ... up to
 * `auto-rows`: the price is that of the last sample's few points. */
#include "machines/ls_auto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "decoders/label_loss.h"
#include "kernels/gram.h"
#include "kernels/kernel_params.h"
#include "machines/ls_holdout.h"
#include "machines/ls_machine.h"
#include "machines/rank_targets.h"
#include "machines/subproblem.h"

enum {
    MEDIAN_PAIRS = 1000,
    FIRST_SAMPLE = 1000,
    SIGMA_STEPS = 5, /* powers of two around the median */
    RIDGE_LOW = -10,
    RIDGE_HIGH = 4,
    RIDGE_MOST = 24,
    RIDGE_WIDER = 4, /* as many more at a time */
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
    const pt_labels *labels;
    int64_t n;
    int64_t k;
    double losses[MAX_POINTS]; /* sums over the rows; n + 1: no answer */
    float *loss;               /* points x n */
} counting;

static pt_status sum_losses(void *context, int64_t point, int64_t partition, const double *scores,
                            pt_error *err)
{
    (void)partition;
    (void)err;
    counting *c = context;
    c->losses[point] = scores ? 0 : (double)(c->n + 1);
    for (int64_t i = 0; scores && i < c->n; i++) {
        const double loss = pt_label_loss(c->labels, i, scores + i * c->k);
        c->loss[point * c->n + i] = (float)loss;
        c->losses[point] += loss;
    }
    return PT_OK;
}

/* What is free, and how far around the start it is looked for, in powers of two. */
typedef struct choice {
    pt_ls_auto_fn holdout;
    const pt_params *params;
    pt_ls_point point; /* the start, then the best */
    bool free_sigma;
    bool free_ridge;
    double sigma_step; /* a power of two, or half of one */
    int sigma_low;
    int sigma_high;
    int ridge_low;
    int ridge_high;
    bool upward; /* ridges from the least on */
} choice;

/* Candidates from the smoothest on, so that the first of equals is the smoothest; with `upward` it
 * is the one with the least ridge. */
static int64_t list_points(pt_ls_point *points, const choice *c)
{
    int64_t count = 0;
    for (int s = c->free_sigma ? c->sigma_high : 0; s >= (c->free_sigma ? c->sigma_low : 0); s--)
        for (int g = c->free_ridge ? c->ridge_high : 0; g >= (c->free_ridge ? c->ridge_low : 0);
             g--) {
            points[count] = c->point;
            points[count].kernel.sigma *= exp2(s * c->sigma_step);
            points[count].ridge =
                ldexp(c->point.ridge, c->upward ? c->ridge_low + c->ridge_high - g : g);
            count++;
        }
    return count;
}

static pt_status leave_one_out(const choice *choosing, const pt_problem *problem,
                               const pt_ls_point *points, int64_t n_points, counting *c,
                               const pt_task *task, pt_error *err)
{
    const int64_t n = problem->rows.n;
    *c = (counting){.labels = problem->labels, .n = n, .k = pt_labels_n_classes(problem->labels)};
    c->loss = pt_alloc_zero(n_points, (size_t)n * sizeof(float), "held-out losses", err);
    int64_t *own = pt_alloc(n, sizeof(int64_t), "folds", err);
    if (!own || !c->loss) {
        pt_free(own);
        return PT_ENOMEM;
    }
    for (int64_t i = 0; i < n; i++)
        own[i] = i;
    const int64_t *const fold[] = {own};
    const pt_partitions loo = {1, n, fold};
    pt_status status = choosing->holdout(problem, choosing->params, points, n_points, &loo,
                                         sum_losses, c, task, err);
    pt_free(own);
    return status;
}

static bool has_answer(const counting *c, int64_t point)
{
    return c->losses[point] <= (double)c->n;
}

/* The point with the least loss, the first of equals; -1 if no point has an answer. */
static int64_t least_loss(const counting *c, int64_t n_points)
{
    int64_t best = -1;
    for (int64_t i = 0; i < n_points; i++)
        if (has_answer(c, i) && (best < 0 || c->losses[i] < c->losses[best]))
            best = i;
    return best;
}

bool pt_ls_worse(const float *loss, const float *best, int64_t n)
{
    double more = 0;
    double square = 0;
    for (int64_t i = 0; i < n; i++) {
        const double difference = (double)loss[i] - (double)best[i];
        more += difference;
        square += difference * difference;
    }
    return more > sqrt(square);
}

/* More rows want a narrower kernel. Among the points that the sample cannot tell from the best the
 * narrowest sigma is taken, with its best ridge. */
static int64_t narrowest_of_equals(const counting *c, const pt_ls_point *points, int64_t n_points,
                                   int64_t best)
{
    int64_t chosen = best;
    for (int64_t i = 0; i < n_points; i++) {
        const double sigma = points[i].kernel.sigma;
        const bool narrower = sigma < points[chosen].kernel.sigma;
        const bool better =
            sigma == points[chosen].kernel.sigma && c->losses[i] < c->losses[chosen];
        if (has_answer(c, i) && (narrower || better) &&
            !pt_ls_worse(c->loss + i * c->n, c->loss + best * c->n, c->n))
            chosen = i;
    }
    return chosen;
}

/* The best of the candidates by leave-one-out on a sample of `size` rows; `last`: no larger sample
 * will follow. */
static pt_status choose_on_sample(choice *c, const pt_problem *problem, int64_t size, bool last,
                                  uint64_t seed, const pt_task *task, pt_error *err)
{
    pt_ls_point points[MAX_POINTS];
    counting counted = {0};
    pt_subproblem sample;
    pt_status status = pt_subproblem_sample(&sample, problem, size, seed,
                                            c->point.kernel.ops->base == PT_BASE_ROW, err);
    if (status != PT_OK)
        return status;
    const int64_t count = list_points(points, c);
    status = leave_one_out(c, &sample.problem, points, count, &counted, task, err);
    int64_t best = status == PT_OK ? least_loss(&counted, count) : -1;
    for (int64_t i = 0; best >= 0 && i < count; i++)
        pt_task_say(task, PT_DEBUG, "sigma %g, ridge %g: %g errors", points[i].kernel.sigma,
                    points[i].ridge, counted.losses[i]);
    if (status == PT_OK && best < 0)
        status =
            pt_fail(err, PT_ENUMERIC,
                    "K + ridge I is not positive definite for ridge %g%s; is the kernel positive "
                    "semidefinite? choose another --kernel or a larger --ridge",
                    points[0].ridge, c->free_ridge ? " or below" : "");
    if (status == PT_OK) {
        if (last && size < problem->rows.n)
            best = narrowest_of_equals(&counted, points, count, best);
        c->point = points[best];
        pt_task_say(task, PT_INFO,
                    "chose sigma %g, ridge %g by leave-one-out on %lld rows (error %.2f percent)",
                    c->point.kernel.sigma, c->point.ridge, (long long)counted.n,
                    100 * counted.losses[best] / (double)counted.n);
    }
    pt_free(counted.loss);
    pt_subproblem_free(&sample);
    return status;
}

/* ---- the door ------------------------------------------------------------------------------- */

/* Larger ridges, where the largest was the best. Equals stay where they are: a larger ridge must
 * be better. */
static pt_status widen(choice *c, const pt_problem *problem, int64_t size, uint64_t seed,
                       const pt_task *task, pt_error *err)
{
    const bool free_sigma = c->free_sigma;
    double largest = ldexp(1, RIDGE_HIGH);
    pt_status status = PT_OK;
    c->free_sigma = false;
    c->upward = true;
    c->ridge_low = 0;
    c->ridge_high = RIDGE_WIDER;
    while (status == PT_OK && c->point.ridge == largest && largest < ldexp(1, RIDGE_MOST)) {
        largest = ldexp(largest, RIDGE_WIDER);
        status = choose_on_sample(c, problem, size, false, seed, task, err);
    }
    c->free_sigma = free_sigma;
    c->upward = false;
    return status;
}

/* The whole grid on a small sample; then, on samples twice as large each time, the neighbours of
 * what was best: half steps of sigma, and rather down than up, since the best sigma shrinks as
 * rows grow. */
static pt_status choose(choice *c, const pt_problem *problem, int64_t limit, uint64_t seed,
                        const pt_task *task, pt_error *err)
{
    const int64_t most = limit < problem->rows.n ? limit : problem->rows.n;
    int64_t size = most < FIRST_SAMPLE ? most : FIRST_SAMPLE;
    pt_status status = choose_on_sample(c, problem, size, size == most, seed, task, err);
    if (status == PT_OK && c->free_ridge)
        status = widen(c, problem, size, seed, task, err);
    c->sigma_step = 0.5;
    c->sigma_low = -2;
    c->sigma_high = 1;
    c->ridge_low = -1;
    c->ridge_high = 1;
    while (status == PT_OK && size < most) {
        size = 2 * size < most ? 2 * size : most;
        status = choose_on_sample(c, problem, size, size == most, seed, task, err);
    }
    return status;
}

double pt_ls_ridge(const pt_params *params)
{
    return pt_params_set_by_user(params, PT_P_C) ? 1 / pt_params_real(params, PT_P_C)
                                                 : pt_params_real(params, PT_P_RIDGE);
}

pt_status pt_ls_resolve_by(pt_ls_auto_fn holdout, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_error *err)
{
    pt_status status = pt_kernel_settle(params, !problem->rows.dense, err);
    if (status != PT_OK)
        return status;
    const pt_kernel_ops *ops = pt_kernel_find(pt_params_text(params, PT_P_KERNEL));
    choice c = {.holdout = holdout,
                .params = params,
                .free_ridge =
                    pt_params_is_auto(params, PT_P_RIDGE) && !pt_params_set_by_user(params, PT_P_C),
                .free_sigma = pt_sigma_is_auto(params),
                .sigma_step = 1,
                .sigma_low = -(SIGMA_STEPS / 2),
                .sigma_high = SIGMA_STEPS / 2,
                .ridge_low = RIDGE_LOW,
                .ridge_high = RIDGE_HIGH};
    if (!c.free_ridge && !c.free_sigma)
        return PT_OK;
    if (ops->base == PT_BASE_ROW && !ops->joint)
        status = pt_ls_check_precomputed(&problem->rows, err);
    if (status != PT_OK)
        return status;

    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    double sigma = 1;
    if (c.free_sigma)
        status = typical_sigma(&problem->rows, ops, seed, &sigma, task, err);
    if (status == PT_OK && c.free_sigma)
        status = pt_params_set_real(params, PT_P_SIGMA, sigma, err);
    if (status == PT_OK)
        status = pt_kernel_from_params(&c.point.kernel, params, err);
    c.point.ridge = c.free_ridge ? 1 : pt_ls_ridge(params);
    if (status == PT_OK)
        status = choose(&c, problem, pt_params_integer(params, PT_P_AUTO_ROWS), seed, task, err);
    if (status == PT_OK && c.free_sigma)
        status = pt_params_set_real(params, PT_P_SIGMA, c.point.kernel.sigma, err);
    if (status == PT_OK && c.free_ridge)
        status = pt_params_set_real(params, PT_P_RIDGE, c.point.ridge, err);
    return status;
}

static pt_status onelsm_holdout(const pt_problem *problem, const pt_params *params,
                                const pt_ls_point *points, int64_t n_points,
                                const pt_partitions *partitions, pt_holdout_fn take, void *context,
                                const pt_task *task, pt_error *err)
{
    (void)params;
    const pt_ls_problem ls = {&problem->rows, problem->labels->class_of,
                              pt_labels_n_classes(problem->labels), problem->weight, NULL};
    return pt_ls_holdout(&ls, points, n_points, problem->rows.type, partitions, take, context, task,
                         err);
}

pt_status pt_ls_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                        pt_texts *warnings, pt_error *err)
{
    (void)warnings;
    return pt_ls_resolve_by(problem->labels->kind == PT_LABEL_CLASS ? onelsm_holdout
                                                                    : pt_rank_holdout,
                            params, problem, task, err);
}

pt_status pt_ls_holdout_by(pt_ls_auto_fn holdout, const pt_problem *problem,
                           const pt_params *const *points, int64_t n_points,
                           const pt_partitions *partitions, pt_holdout_fn take, void *context,
                           const pt_task *task, pt_error *err)
{
    pt_ls_point *ls_points = NULL;
    pt_status status = pt_ls_points(&ls_points, problem, points, n_points, err);
    if (status == PT_OK)
        status = holdout(problem, NULL, ls_points, n_points, partitions, take, context, task, err);
    pt_free(ls_points);
    return status;
}
