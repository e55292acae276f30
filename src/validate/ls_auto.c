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
#include "validate/ls_auto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/random.h"
#include "kernels/gram.h"
#include "kernels/kernel_params.h"
#include "machine/subproblem.h"
#include "metrics/label_loss.h"
#include "validate/fold_pairs.h"
#include "validate/squares/ls_holdout.h"
#include "validate/squares/ls_machine.h"
#include "validate/squares/rank_targets.h"

enum {
    MEDIAN_PAIRS = 1000,
    FIRST_SAMPLE = 1000,
    SIGMA_STEPS = 5, /* powers of two around the median */
    RIDGE_LOW = -10,
    RIDGE_HIGH = 4,
    RIDGE_MOST = 24,
    RIDGE_WIDER = 4,     /* as many more at a time */
    NEAR_SIGMA_LOW = -2, /* of larger samples: half powers of two around the best */
    NEAR_SIGMA_HIGH = 1,
    NEAR_RIDGE = 1,
    MAX_POINTS = SIGMA_STEPS * (RIDGE_HIGH - RIDGE_LOW + 1)
};

/* ---- a typical sigma ------------------------------------------------------------------------- */

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
    qsort(value, MEDIAN_PAIRS, sizeof *value, pt_ascending);
    double typical = ops->base == PT_BASE_DOT ? sum / MEDIAN_PAIRS : value[MEDIAN_PAIRS / 2];
    if (!(typical > 0)) /* more than half of the pairs are equal */
        typical = sum > 0 ? sum / MEDIAN_PAIRS : 1;
    *sigma = ops->base == PT_BASE_L1_DISTANCE ? typical : sqrt(typical);
    return PT_OK;
}

/* ---- choosers -------------------------------------------------------------------------------- */

/* Held-out losses of candidates, as one chooser sees them. */
typedef struct loss_counter {
    int64_t n;                 /* rows that count for the chooser */
    double losses[MAX_POINTS]; /* sums over the rows; n + 1: no answer */
    float *loss;               /* points x n */
} loss_counter;

/* One that chooses: what is free, and how far around the start it is looked for, in powers of two.
 */
typedef struct choice {
    pt_ls_point point; /* the start, then the best */
    pt_chosen seen;    /* its held-out loss, on the last sample that it was looked at */
    bool free_sigma;
    bool free_ridge;
    double sigma_step; /* a power of two, or half of one */
    int sigma_low;
    int sigma_high;
    int ridge_low;
    int ridge_high;
    bool upward; /* ridges from the least on */
    bool rests;  /* has nothing to choose in this stage */
} choice;

/* All that choose from the same held-out scores: one by leave-one-out, or one for each fold of
 * partitions that must not see the rows of its fold. */
typedef struct choosers {
    pt_ls_auto_fn holdout;
    const pt_params *params;
    const pt_problem *problem;
    const pt_partitions *outer; /* NULL: one chooser */
    choice *each;
    int64_t count;
    uint64_t seed;
    const pt_task *task;
} choosers;

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

/* ---- held-out losses of one stage ------------------------------------------------------------ */

/* The candidates of all choosers on one sample, each once. */
typedef struct stage {
    const choosers *all;
    pt_subproblem sample;
    pt_fold_pairs pairs;      /* of the sample's rows, where there are outer folds */
    pt_partitions partitions; /* leave-one-out, or the pairs */
    int64_t *own;             /* leave-one-out: n numbers of rows */
    const int64_t *fold[1];
    pt_ls_point *points;
    int64_t n_points;
    int64_t *listed; /* choosers x MAX_POINTS: numbers of their candidates in points */
    int64_t *n_listed;
    float *loss;    /* points x partitions x n */
    bool *answered; /* points x partitions */
} stage;

static void stage_free(stage *s)
{
    pt_free(s->answered);
    pt_free(s->loss);
    pt_free(s->n_listed);
    pt_free(s->listed);
    pt_free(s->points);
    pt_free(s->own);
    pt_fold_pairs_free(&s->pairs);
    pt_subproblem_free(&s->sample);
}

/* Sums of powers of two differ by their rounding. */
static bool same_point(const pt_ls_point *a, const pt_ls_point *b)
{
    static const double ROUNDING = 1e-9;
    return fabs(a->kernel.sigma - b->kernel.sigma) <= ROUNDING * a->kernel.sigma &&
           a->ridge == b->ridge;
}

static pt_status stage_points(stage *s, pt_error *err)
{
    const choosers *all = s->all;
    pt_ls_point own[MAX_POINTS];
    s->points = pt_alloc(all->count * MAX_POINTS, sizeof(pt_ls_point), "grid points", err);
    s->listed = pt_alloc(all->count * MAX_POINTS, sizeof(int64_t), "grid points", err);
    s->n_listed = pt_alloc_zero(all->count, sizeof(int64_t), "grid points", err);
    if (!s->points || !s->listed || !s->n_listed)
        return PT_ENOMEM;
    for (int64_t c = 0; c < all->count; c++) {
        if (all->each[c].rests)
            continue;
        s->n_listed[c] = list_points(own, &all->each[c]);
        for (int64_t i = 0; i < s->n_listed[c]; i++) {
            int64_t at = 0;
            while (at < s->n_points && !same_point(&s->points[at], &own[i]))
                at++;
            if (at == s->n_points)
                s->points[s->n_points++] = own[i];
            s->listed[c * MAX_POINTS + i] = at;
        }
    }
    return PT_OK;
}

static pt_status stage_partitions(stage *s, pt_error *err)
{
    const int64_t n = s->sample.problem.rows.n;
    if (s->all->outer) {
        const pt_status status =
            pt_fold_pairs_init(&s->pairs, s->all->outer, s->sample.chosen, n, err);
        s->partitions = s->pairs.partitions;
        return status;
    }
    s->own = pt_alloc(n, sizeof(int64_t), "folds", err);
    for (int64_t i = 0; s->own && i < n; i++)
        s->own[i] = i;
    s->fold[0] = s->own;
    s->partitions = (pt_partitions){1, n, s->fold};
    return s->own ? PT_OK : PT_ENOMEM;
}

static pt_status stage_init(stage *s, const choosers *all, int64_t size, pt_error *err)
{
    *s = (stage){.all = all};
    PT_TRY(pt_subproblem_sample(&s->sample, all->problem, size, all->seed,
                                all->each[0].point.kernel.ops->base == PT_BASE_ROW, err));
    PT_TRY(stage_points(s, err));
    PT_TRY(stage_partitions(s, err));
    const int64_t pairs = s->n_points * s->partitions.count;
    s->loss = pt_alloc_zero(pairs, (size_t)s->sample.problem.rows.n * sizeof(float),
                            "held-out losses", err);
    s->answered = pt_alloc_zero(pairs, sizeof(bool), "held-out losses", err);
    return s->loss && s->answered ? PT_OK : PT_ENOMEM;
}

static pt_status take_losses(void *context, int64_t point, int64_t partition, const double *scores,
                             pt_error *err)
{
    (void)err;
    stage *s = context;
    const pt_labels *labels = s->sample.problem.labels;
    const int64_t n = labels->n;
    const int64_t k = pt_labels_n_classes(labels);
    const int64_t place = point * s->partitions.count + partition;
    s->answered[place] = scores != NULL;
    for (int64_t i = 0; scores && i < n; i++)
        s->loss[place * n + i] = (float)pt_label_loss(labels, i, scores + i * k);
    return PT_OK;
}

/* What chooser number `chooser` may see of its candidates. In the round in which fold b meets its
 * fold, the rows of b were scored without both. */
static pt_status count_losses(loss_counter *counted, const stage *s, int64_t chooser, pt_error *err)
{
    const int64_t n = s->sample.problem.rows.n;
    const int64_t *chosen = s->sample.chosen;
    const pt_partitions *outer = s->all->outer;
    const int64_t rounds = outer ? s->pairs.rounds : 1;
    const int64_t own = outer ? chooser % outer->n_folds : 0;
    const int64_t first = outer ? chooser / outer->n_folds * rounds : 0;
    const int64_t *fold = outer ? outer->fold[chooser / outer->n_folds] : NULL;
    *counted = (loss_counter){0};
    counted->loss =
        pt_alloc_zero(s->n_listed[chooser], (size_t)n * sizeof(float), "held-out losses", err);
    if (!counted->loss)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        counted->n += !fold || fold[chosen ? chosen[i] : i] != own;
    for (int64_t c = 0; c < s->n_listed[chooser]; c++) {
        const int64_t place = s->listed[chooser * MAX_POINTS + c] * s->partitions.count + first;
        float *to = counted->loss + c * counted->n;
        bool answered = true;
        for (int64_t t = 0; t < rounds; t++) {
            const float *loss = s->loss + (place + t) * n;
            const int64_t met = outer ? pt_fold_partner(outer->n_folds, t, own) : 0;
            answered = answered && s->answered[place + t];
            for (int64_t i = 0; i < n; i++)
                if (!fold || (met != own && fold[chosen ? chosen[i] : i] == met))
                    *to++ = loss[i];
        }
        to = counted->loss + c * counted->n;
        counted->losses[c] = answered ? 0 : (double)(counted->n + 1);
        for (int64_t i = 0; answered && i < counted->n; i++)
            counted->losses[c] += (double)to[i];
    }
    return PT_OK;
}

/* ---- the best of a stage --------------------------------------------------------------------- */

static bool has_answer(const loss_counter *c, int64_t point)
{
    return c->losses[point] <= (double)c->n;
}

/* The point with the least loss, the first of equals; -1 if no point has an answer. */
static int64_t least_loss(const loss_counter *c, int64_t n_points)
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
static int64_t narrowest_of_equals(const loss_counter *c, const pt_ls_point *points,
                                   int64_t n_points, int64_t best)
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

static pt_status choose_one(const stage *s, int64_t chooser, bool narrow, pt_error *err)
{
    choice *c = &s->all->each[chooser];
    pt_ls_point points[MAX_POINTS];
    loss_counter counted = {0};
    const int64_t count = list_points(points, c);
    pt_status status = count_losses(&counted, s, chooser, err);
    int64_t best = status == PT_OK ? least_loss(&counted, count) : -1;
    for (int64_t i = 0; best >= 0 && i < count && !s->all->outer; i++)
        pt_task_say(s->all->task, PT_DEBUG, "sigma %g, ridge %g: %g errors", points[i].kernel.sigma,
                    points[i].ridge, counted.losses[i]);
    if (status == PT_OK && best < 0)
        status =
            pt_fail(err, PT_ENUMERIC,
                    "K + ridge I is not positive definite for ridge %g%s; is the kernel positive "
                    "semidefinite? choose another --kernel or a larger --ridge",
                    points[0].ridge, c->free_ridge ? " or below" : "");
    if (status == PT_OK) {
        if (narrow)
            best = narrowest_of_equals(&counted, points, count, best);
        c->point = points[best];
        c->seen = (pt_chosen){counted.n, counted.losses[best] / (double)counted.n};
        pt_task_say(s->all->task, s->all->outer ? PT_DEBUG : PT_INFO,
                    "chose sigma %g, ridge %g by %s on %lld rows (error %.2f percent)",
                    c->point.kernel.sigma, c->point.ridge,
                    s->all->outer ? "inner folds" : "leave-one-out", (long long)counted.n,
                    100 * c->seen.loss);
    }
    pt_free(counted.loss);
    return status;
}

/* The best of the candidates on a sample of `size` rows; `last`: no larger sample will follow. */
static pt_status choose_on_sample(const choosers *all, int64_t size, bool last, pt_error *err)
{
    stage s;
    pt_status status = stage_init(&s, all, size, err);
    if (status == PT_OK)
        status = all->holdout(&s.sample.problem, all->params, s.points, s.n_points, &s.partitions,
                              take_losses, &s, all->task, err);
    for (int64_t c = 0; c < all->count && status == PT_OK; c++)
        if (!all->each[c].rests)
            status = choose_one(&s, c, last && size < pt_problem_examples(all->problem), err);
    stage_free(&s);
    return status;
}

/* ---- all stages ------------------------------------------------------------------------------ */

/* Larger ridges, where the largest was the best. Equals stay where they are: a larger ridge must
 * be better. */
static pt_status widen(const choosers *all, int64_t size, pt_error *err)
{
    const bool free_sigma = all->each[0].free_sigma;
    pt_status status = PT_OK;
    for (int high = RIDGE_HIGH; high < RIDGE_MOST && status == PT_OK; high += RIDGE_WIDER) {
        bool any = false;
        for (int64_t i = 0; i < all->count; i++) {
            choice *c = &all->each[i];
            c->free_sigma = false;
            c->upward = true;
            c->ridge_low = 0;
            c->ridge_high = RIDGE_WIDER;
            c->rests = c->point.ridge != ldexp(1, high);
            any = any || !c->rests;
        }
        if (!any)
            break;
        status = choose_on_sample(all, size, false, err);
    }
    for (int64_t i = 0; i < all->count; i++) {
        all->each[i].free_sigma = free_sigma;
        all->each[i].upward = false;
        all->each[i].rests = false;
    }
    return status;
}

/* The sizes of the samples: the first, then twice as many rows each time, up to `most`. */
static int64_t next_size(int64_t size, int64_t most)
{
    const int64_t next = size == 0 ? FIRST_SAMPLE : 2 * size;
    return next < most ? next : most;
}

/* The whole grid on a small sample; then, on samples twice as large each time, the neighbours of
 * what was best: half steps of sigma, and rather down than up, since the best sigma shrinks as
 * rows grow. */
static pt_status choose(const choosers *all, int64_t limit, pt_error *err)
{
    const int64_t examples = pt_problem_examples(all->problem);
    const int64_t most = limit < examples ? limit : examples;
    int64_t size = next_size(0, most);
    pt_status status = choose_on_sample(all, size, size == most, err);
    if (status == PT_OK && all->each[0].free_ridge)
        status = widen(all, size, err);
    for (int64_t i = 0; i < all->count; i++) {
        choice *c = &all->each[i];
        c->sigma_step = 0.5;
        c->sigma_low = NEAR_SIGMA_LOW;
        c->sigma_high = NEAR_SIGMA_HIGH;
        c->ridge_low = -NEAR_RIDGE;
        c->ridge_high = NEAR_RIDGE;
    }
    while (status == PT_OK && size < most) {
        size = next_size(size, most);
        status = choose_on_sample(all, size, size == most, err);
    }
    return status;
}

/* ---- the door -------------------------------------------------------------------------------- */

static bool sigma_is_free(const pt_params *params, const pt_kernel_ops *ops)
{
    return pt_kernel_uses(ops, "sigma") && pt_params_is_auto(params, PT_P_SIGMA) &&
           !pt_params_set_by_user(params, PT_P_RBF_GAMMA);
}

static bool ridge_is_free(const pt_params *params)
{
    return pt_params_is_auto(params, PT_P_RIDGE) && !pt_params_set_by_user(params, PT_P_C);
}

double pt_ls_auto_flops(const pt_params *params, const pt_rows *rows)
{
    const pt_kernel_ops *ops = pt_kernel_named(params, !rows->dense);
    const bool sigma = sigma_is_free(params, ops);
    const bool ridge = ridge_is_free(params);
    const int64_t limit = pt_params_integer(params, PT_P_AUTO_ROWS);
    const int64_t most = limit < rows->n ? limit : rows->n;
    double points = (sigma ? SIGMA_STEPS : 1) * (ridge ? RIDGE_HIGH - RIDGE_LOW + 1 : 1);
    double flops = 0;
    if (!sigma && !ridge)
        return 0;
    for (int64_t size = 0; size < most;) {
        size = next_size(size, most);
        const double side =
            ops->base == PT_BASE_DOT && rows->d < size ? (double)rows->d : (double)size;
        flops += points * (double)size * side * side;
        points =
            (sigma ? NEAR_SIGMA_HIGH - NEAR_SIGMA_LOW + 1 : 1) * (ridge ? 2 * NEAR_RIDGE + 1 : 1);
    }
    return flops;
}

double pt_ls_ridge(const pt_params *params)
{
    return pt_params_set_by_user(params, PT_P_C) ? 1 / pt_params_real(params, PT_P_C)
                                                 : pt_params_real(params, PT_P_RIDGE);
}

/* params <- the kernel where it is "auto", and where the search begins: sigma; *start <- the same.
 */
static pt_status begin_choice(choice *start, pt_params *params, const pt_problem *problem,
                              const pt_task *task, pt_error *err)
{
    pt_status status = pt_kernel_settle(params, !problem->rows.dense, err);
    if (status != PT_OK)
        return status;
    const pt_kernel_ops *ops = pt_kernel_find(pt_params_text(params, PT_P_KERNEL));
    *start = (choice){.free_ridge = ridge_is_free(params),
                      .free_sigma = sigma_is_free(params, ops),
                      .sigma_step = 1,
                      .sigma_low = -(SIGMA_STEPS / 2),
                      .sigma_high = SIGMA_STEPS / 2,
                      .ridge_low = RIDGE_LOW,
                      .ridge_high = RIDGE_HIGH};
    if (!start->free_ridge && !start->free_sigma)
        return PT_OK;
    if (ops->base == PT_BASE_ROW && !ops->joint)
        status = pt_ls_check_precomputed(&problem->rows, err);
    double sigma = 1;
    if (status == PT_OK && start->free_sigma)
        status = typical_sigma(&problem->rows, ops, (uint64_t)pt_params_integer(params, PT_P_SEED),
                               &sigma, task, err);
    if (status == PT_OK && start->free_sigma)
        status = pt_params_set_real(params, PT_P_SIGMA, sigma, err);
    if (status == PT_OK)
        status = pt_kernel_from_params(&start->point.kernel, params, err);
    start->point.ridge = start->free_ridge ? 1 : pt_ls_ridge(params);
    return status;
}

static pt_status set_choice(pt_params *params, const choice *c, pt_error *err)
{
    if (c->free_sigma)
        PT_TRY(pt_params_set_real(params, PT_P_SIGMA, c->point.kernel.sigma, err));
    if (c->free_ridge)
        PT_TRY(pt_params_set_real(params, PT_P_RIDGE, c->point.ridge, err));
    return PT_OK;
}

pt_status pt_ls_resolve_by(pt_ls_auto_fn holdout, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_error *err)
{
    choice c;
    pt_status status = begin_choice(&c, params, problem, task, err);
    if (status != PT_OK || (!c.free_ridge && !c.free_sigma))
        return status;
    const choosers one = {.holdout = holdout,
                          .params = params,
                          .problem = problem,
                          .each = &c,
                          .count = 1,
                          .seed = (uint64_t)pt_params_integer(params, PT_P_SEED),
                          .task = task};
    status = choose(&one, pt_params_integer(params, PT_P_AUTO_ROWS), err);
    if (status == PT_OK && problem->chosen)
        *problem->chosen = c.seen;
    return status == PT_OK ? set_choice(params, &c, err) : status;
}

/* The start of the search, the typical distance of rows, is that of all rows: no label is seen. */
pt_status pt_ls_resolve_folds(pt_ls_auto_fn holdout, pt_params **chosen, const pt_params *params,
                              const pt_problem *problem, const pt_partitions *partitions,
                              const pt_task *task, pt_error *err)
{
    const int64_t count = partitions->count * partitions->n_folds;
    pt_params *own = NULL;
    choosers all = {.holdout = holdout,
                    .problem = problem,
                    .outer = partitions,
                    .count = count,
                    .seed = (uint64_t)pt_params_integer(params, PT_P_SEED),
                    .task = task};
    all.each = pt_alloc_zero(count, sizeof(choice), "folds", err);
    pt_status status = all.each ? pt_params_copy(&own, params, err) : PT_ENOMEM;
    if (status == PT_OK)
        status = begin_choice(&all.each[0], own, problem, task, err);
    for (int64_t c = 1; c < count && status == PT_OK; c++)
        all.each[c] = all.each[0];
    all.params = own;
    if (status == PT_OK)
        status = choose(&all, pt_params_integer(params, PT_P_AUTO_ROWS), err);
    for (int64_t c = 0; c < count && status == PT_OK; c++) {
        status = pt_params_copy(&chosen[c], own, err);
        if (status == PT_OK)
            status = set_choice(chosen[c], &all.each[c], err);
    }
    pt_params_free(own);
    pt_free(all.each);
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

pt_status pt_ls_resolve_own(pt_params *params, const pt_problem *problem, const pt_task *task,
                            pt_texts *warnings, pt_error *err)
{
    (void)warnings;
    return pt_ls_resolve_by(pt_ls_guide(problem, params), params, problem, task, err);
}

pt_status pt_ls_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                        pt_texts *warnings, pt_error *err)
{
    pt_problem unasked = *problem;
    unasked.chosen = NULL;
    return pt_ls_resolve_own(params, &unasked, task, warnings, err);
}

pt_ls_auto_fn pt_ls_guide(const pt_problem *problem, const pt_params *params)
{
    (void)params;
    return problem->labels->kind == PT_LABEL_CLASS ? onelsm_holdout : pt_rank_holdout;
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
