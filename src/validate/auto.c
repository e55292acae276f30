/* Automatic parameters: sigma and ridge, as far as a machine lists them and nobody gave them.
 *
 * One search serves all machines. It starts from s0, the median distance of 1000 random pairs of
 * rows (the root mean square norm for kernels of inner products), scores a grid of points by their
 * held-out losses (of classes: errors) on a stratified sample, and goes on beyond the ends of the
 * grid as long as that is better.
 *
 *   by guide      machines with held-out scores in closed form, which guide the search
 *                 (pt_ls_auto_fn): leave-one-out, of groups of rows one group, of the caller's
 *                 folds one fold; one factorisation a point (ls_holdout.c). Of rows with times
 *                 five folds, each by what is before it (past.h).
 *                 sigma s0 2^-2 .. s0 2^2, ridge 2^-10 .. 2^4 and beyond: the
 *                 values of kernels of inner products grow with the rows, and the ridge that they
 *                 want with them. The grid is scored on 1000 rows; its best point moves to its best
 *                 neighbour on 2000 rows, on 4000, ... up to `auto-rows`: the price is that of the
 *                 last sample's few points.
 *   by training   all others: the machine itself in five folds (validate.h), on a sample small
 *                 enough for that to take a few seconds at most. sigma s0 2^-2 .. s0 2^2, and
 *                 beyond the end that the best is at or beside, one after the other as long as each
 *                 is the best; ridge 2^-9 .. 2^9, by factors of 8 where sigma is searched too: what
 *                 a ridge is worth differs from machine to machine, so the range is wide.
 *
 * Ties go to the smoother point: the larger sigma, then the larger ridge. But where there are more
 * rows than the last sample has, the narrowest sigma is taken that the sample cannot tell from the
 * best (narrowest_of_equals()): the best width shrinks as rows grow.
 */
#include "validate/auto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/random.h"
#include "kernels/gram.h"
#include "kernels/kernel_params.h"
#include "machine/subproblem.h"
#include "validate/choice_loss.h"
#include "validate/folds.h"
#include "validate/past.h"
#include "validate/squares/ls_machine.h"
#include "validate/squares/rank_targets.h"
#include "validate/validate.h"

/* How far around the start a parameter is looked for, in powers of two. */
typedef struct range {
    int low;
    int high;
    int step;
    int more; /* as many more at a time, beyond an end near which the best is; 0: none */
    int most; /* no further than this */
} range;

/* What is chosen, for each of the two ways: the table of free parameters. */
typedef struct grid {
    range sigma;
    range ridge;
    range ridge_alone; /* where sigma is given */
} grid;

static const grid BY_GUIDE = {{-2, 2, 1, 0, 2}, {-10, 4, 1, 4, 24}, {-10, 4, 1, 4, 24}};
static const grid BY_TRAINING = {{-2, 2, 1, 1, 6}, {-9, 9, 3, 0, 9}, {-9, 9, 1, 0, 9}};

enum {
    MEDIAN_PAIRS = 1000,
    FIRST_SAMPLE = 1000,
    FOLDS = 5,           /* by training */
    NEAR_SIGMA_LOW = -2, /* of larger samples: half powers of two around the best */
    NEAR_SIGMA_HIGH = 1,
    NEAR_RIDGE = 1,
    MAX_POINTS = 5 * 15
};

static const double LARGEST_C = 1e6; /* of the oneLSM that says where to look; 1 over the least */

/* ---- what is free ---------------------------------------------------------------------------- */

typedef struct free_params {
    bool sigma;
    bool ridge;
} free_params;

/* ops NULL: both are used. */
static free_params what_is_free(const pt_machine_ops *ops, const pt_params *params,
                                const pt_kernel_ops *kernel)
{
    return (free_params){
        .sigma = (!ops || pt_machine_uses(ops, params, "kernel")) &&
                 pt_kernel_uses(kernel, "sigma") && pt_params_is_auto(params, PT_P_SIGMA) &&
                 !pt_params_set_by_user(params, PT_P_RBF_GAMMA),
        .ridge = (!ops || pt_machine_uses(ops, params, "ridge")) &&
                 pt_params_is_auto(params, PT_P_RIDGE) && !pt_params_set_by_user(params, PT_P_C)};
}

/* ---- a typical sigma ------------------------------------------------------------------------- */

static pt_status typical_sigma(const pt_rows *rows, const pt_kernel_ops *ops, uint64_t seed,
                               double *sigma, const pt_task *task, pt_error *err)
{
    const pt_kernel_base base = ops->base;
    double value[MEDIAN_PAIRS]; /* base values of random pairs; of inner products of rows alone */
    double sum = 0;
    PT_FREED_BY(pt_gram_free_at) pt_gram *gram = NULL;
    PT_TRY(pt_gram_new(&gram, rows, ops, PT_F64, task, err));
    PT_SCRATCH void *scratch =
        pt_alloc((int64_t)pt_gram_scratch(gram, gram, 1, 1), 1, "work space", err);
    if (!scratch)
        return PT_ENOMEM;
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_PAIRS, 0);
    for (int s = 0; s < MEDIAN_PAIRS; s++) {
        const int64_t i = pt_random_below(&random, rows->n);
        int64_t j = i;
        if (base != PT_BASE_DOT && rows->n > 1)
            j = (i + 1 + pt_random_below(&random, rows->n - 1)) % rows->n;
        PT_TRY(pt_gram_block(gram, i, 1, gram, j, 1, &value[s], 1, scratch, err));
    }
    for (int s = 0; s < MEDIAN_PAIRS; s++)
        sum += value[s];
    qsort(value, MEDIAN_PAIRS, sizeof *value, pt_ascending);
    double typical = base == PT_BASE_DOT ? sum / MEDIAN_PAIRS : value[MEDIAN_PAIRS / 2];
    if (!(typical > 0)) /* more than half of the pairs are equal */
        typical = sum > 0 ? sum / MEDIAN_PAIRS : 1;
    *sigma = base == PT_BASE_L1_DISTANCE ? typical : sqrt(typical);
    return PT_OK;
}

/* ---- choosers -------------------------------------------------------------------------------- */

/* One that chooses: what is free, and how far around a point it is looked for, in powers of two. */
typedef struct choice {
    pt_ls_point from; /* the middle of the candidates */
    pt_ls_point best;
    pt_chosen seen; /* its held-out loss, on the last sample that it was looked at */
    free_params free;
    double sigma_step; /* a power of two, or half of one */
    range sigma;
    range ridge;
    bool upward; /* ridges from the least on */
    bool beyond; /* candidates are beyond an end: they have to be better than the best */
    bool rests;  /* has nothing to choose in this stage */
} choice;

/* All that choose from the same held-out scores: one, or one for each fold of partitions that must
 * not see the rows of its fold. */
typedef struct choosers {
    const pt_machine_ops *ops; /* by training; NULL: */
    pt_ls_auto_fn guide;
    const pt_params *params;
    const pt_problem *problem;
    const pt_partitions *outer; /* NULL: one chooser */
    choice *each;
    int64_t count;
    uint64_t seed;
    const pt_task *task;
    const pt_choice_loss *judge;
} choosers;

/* Candidates from the smoothest on, so that the first of equals is the smoothest; with `upward` it
 * is the one with the least ridge. */
static int64_t list_points(pt_ls_point *points, const choice *c)
{
    const range s = c->free.sigma ? c->sigma : (range){.step = 1};
    const range g = c->free.ridge ? c->ridge : (range){.step = 1};
    int64_t count = 0;
    for (int at = s.high; at >= s.low; at -= s.step)
        for (int by = g.high; by >= g.low; by -= g.step) {
            points[count] = c->from;
            points[count].kernel.sigma *= exp2(at * c->sigma_step);
            points[count].ridge = ldexp(c->from.ridge, c->upward ? g.low + g.high - by : by);
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
    pt_fold_set folds;        /* by training, or leave-one-out */
    pt_partitions partitions; /* the pairs or the folds */
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
    pt_fold_set_free(&s->folds);
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
        PT_TRY(pt_fold_pairs_init(&s->pairs, s->all->outer, s->sample.chosen, n, err));
        s->partitions = s->pairs.partitions;
        return PT_OK;
    }
    PT_TRY(s->all->ops || pt_ties_are_past(&s->sample.problem.ties, n)
               ? pt_fold_set_draw(&s->folds, &s->sample.problem, FOLDS, true, s->all->seed, err)
               : pt_fold_set_each(&s->folds, &s->sample.problem, err));
    s->partitions = s->folds.partitions;
    return PT_OK;
}

static pt_status stage_init(stage *s, const choosers *all, int64_t size, pt_error *err)
{
    s->all = all;
    PT_TRY(pt_subproblem_sample(&s->sample, all->problem, size, all->seed,
                                all->each[0].from.kernel.ops->base == PT_BASE_ROW, all->task, err));
    PT_TRY(stage_points(s, err));
    PT_TRY(stage_partitions(s, err));
    const int64_t pairs = s->n_points * s->partitions.count;
    s->loss = pt_alloc_zero(pairs, (size_t)s->sample.problem.rows.n * sizeof(float),
                            "held-out losses", err);
    s->answered = pt_alloc_zero(pairs, sizeof(bool), "held-out losses", err);
    return s->loss && s->answered ? PT_OK : PT_ENOMEM;
}

/* A pt_holdout_fn */
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
        if (pt_is_held(&s->partitions, partition, i))
            s->loss[place * n + i] =
                (float)pt_choice_loss_row(s->all->judge, labels, i, scores + i * k);
    return PT_OK;
}

static pt_status set_choice(pt_params *params, free_params free, const pt_ls_point *point,
                            pt_error *err)
{
    if (free.sigma)
        PT_TRY(pt_params_set_real(params, PT_P_SIGMA, point->kernel.sigma, err));
    if (free.ridge)
        PT_TRY(pt_params_set_real(params, PT_P_RIDGE, point->ridge, err));
    return PT_OK;
}

/* How far a point is from the middle, in powers of two. */
static double distance(const pt_ls_point *point, const pt_ls_point *from)
{
    return fabs(log2(point->kernel.sigma / from->kernel.sigma)) +
           fabs(log2(point->ridge / from->ridge));
}

/* The machine itself at every point, from the middle on: what is better than all around it soon
 * leaves these behind. */
static pt_status validate_points(stage *s, pt_params **points, int64_t *number, pt_error *err)
{
    const choosers *all = s->all;
    const choice *c = all->each;
    for (int64_t p = 0; p < s->n_points; p++) {
        const double far = distance(&s->points[p], &c->from);
        int64_t at = p;
        for (; at > 0 && distance(&s->points[number[at - 1]], &c->from) >= far; at--)
            number[at] = number[at - 1];
        number[at] = p;
    }
    for (int64_t p = 0; p < s->n_points; p++) {
        PT_TRY(pt_params_copy(&points[p], all->params, err));
        PT_TRY(set_choice(points[p], c->free, &s->points[number[p]], err));
    }
    pt_point_numbers numbered = {take_losses, s, 0, number};
    return pt_validate(
        &(pt_validation){.ops = all->ops,
                         .problem = &s->sample.problem,
                         .points = (const pt_params *const *)points,
                         .n_points = s->n_points,
                         .partitions = &s->partitions,
                         .take = pt_take_numbered,
                         .context = &numbered,
                         .stage = "choosing parameters",
                         .race = !all->judge->asked, /* it is run by the loss of labels */
                         .least = c->beyond ? c->seen.loss * (double)c->seen.rows : INFINITY},
        all->task, err);
}

/* A pt_past_fn */
static pt_status guide_part(void *how, const pt_problem *problem, int64_t first, int64_t n,
                            const pt_partitions *partitions, pt_holdout_fn take, void *context,
                            const pt_task *task, pt_error *err)
{
    const stage *s = how;
    return s->all->guide(problem, s->all->params, s->points + first, n, partitions, take, context,
                         task, err);
}

static pt_status score_points(stage *s, pt_error *err)
{
    const choosers *all = s->all;
    if (all->guide && s->partitions.past)
        return pt_past_validate(&(pt_past){.problem = &s->sample.problem,
                                           .partitions = &s->partitions,
                                           .n_points = s->n_points,
                                           .square = pt_kernel_is_precomputed(all->params),
                                           .run = guide_part,
                                           .how = s},
                                take_losses, s, all->task, err);
    if (all->guide)
        return all->guide(&s->sample.problem, all->params, s->points, s->n_points, &s->partitions,
                          take_losses, s, all->task, err);
    PT_SCRATCH pt_params **points = pt_alloc_zero(s->n_points, sizeof *points, "grid points", err);
    PT_SCRATCH int64_t *number = pt_alloc(s->n_points, sizeof *number, "grid points", err);
    if (!points || !number)
        return PT_ENOMEM;
    const pt_status status = validate_points(s, points, number, err);
    for (int64_t p = 0; p < s->n_points; p++)
        pt_params_free(points[p]);
    return status;
}

/* ---- the best of a stage --------------------------------------------------------------------- */

/* Held-out losses of candidates, as one chooser sees them. */
typedef struct loss_counter {
    int64_t n;                 /* rows that count for the chooser */
    double losses[MAX_POINTS]; /* sums over the rows; n + 1: no answer */
    float *loss;               /* points x n */
    int64_t *truth;            /* n: classes, in the order of loss; NULL: nobody asks */
    int64_t *counts;           /* 3 k, beside them */
} loss_counter;

static void counter_free(loss_counter *counted)
{
    pt_free(counted->loss);
    pt_free(counted->truth);
    pt_free(counted->counts);
}

/* For a figure of all rows at once. */
static pt_status count_truth(loss_counter *counted, const stage *s, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(s->sample.problem.labels);
    if (!s->all->judge->by_figure)
        return PT_OK;
    PT_TRY(PT_NEW(counted->truth, counted->n, "classes", err));
    return PT_NEW(counted->counts, 3 * k, "classes", err);
}

/* The sum of the losses of a candidate. */
static double sum_losses(const loss_counter *counted, const stage *s, const float *loss)
{
    double sum = 0;
    if (counted->truth)
        return pt_choice_loss_of(s->all->judge, counted->truth, loss, counted->n,
                                 pt_labels_n_classes(s->sample.problem.labels), counted->counts);
    for (int64_t i = 0; i < counted->n; i++)
        sum += (double)loss[i];
    return sum;
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
    counted->loss =
        pt_alloc_zero(s->n_listed[chooser], (size_t)n * sizeof(float), "held-out losses", err);
    if (!counted->loss)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        counted->n +=
            pt_is_held(&s->partitions, first, i) && (!fold || fold[chosen ? chosen[i] : i] != own);
    PT_TRY(count_truth(counted, s, err));
    for (int64_t c = 0; c < s->n_listed[chooser]; c++) {
        int64_t *truth = counted->truth;
        const int64_t place = s->listed[chooser * MAX_POINTS + c] * s->partitions.count + first;
        float *to = counted->loss + c * counted->n;
        bool answered = true;
        for (int64_t t = 0; t < rounds; t++) {
            const float *loss = s->loss + (place + t) * n;
            const int64_t met = outer ? pt_fold_partner(outer->n_folds, t, own) : 0;
            answered = answered && s->answered[place + t];
            for (int64_t i = 0; i < n; i++)
                if (pt_is_held(&s->partitions, first + t, i) &&
                    (!fold || (met != own && fold[chosen ? chosen[i] : i] == met))) {
                    *to++ = loss[i];
                    if (truth)
                        *truth++ = s->sample.problem.labels->class_of[i];
                }
        }
        counted->losses[c] = answered ? sum_losses(counted, s, counted->loss + c * counted->n)
                                      : (double)(counted->n + 1);
    }
    return PT_OK;
}

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

bool pt_auto_is_worse(const float *loss, const float *best, int64_t n)
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
            !pt_auto_is_worse(c->loss + i * c->n, c->loss + best * c->n, c->n))
            chosen = i;
    }
    return chosen;
}

static pt_status fail_unanswered(const choosers *all, const choice *c, double ridge, pt_error *err)
{
    if (all->ops)
        return pt_fail(err, PT_ENUMERIC,
                       "%s has no solution at any point that was tried: is the kernel positive "
                       "semidefinite? choose another `kernel`",
                       all->ops->name);
    return pt_fail(err, PT_ENUMERIC,
                   "K + ridge I is not positive definite for ridge %g%s; is the kernel positive "
                   "semidefinite? choose another `kernel` or a larger `ridge`",
                   ridge, c->free.ridge ? " or below" : "");
}

/* Whether a point that lies beyond an end of the grid takes the place of the best: it has less
 * loss, or as much and is smoother. */
static bool goes_on(const choice *c, const pt_ls_point *point, double loss)
{
    return loss < c->seen.loss ||
           (loss == c->seen.loss && point->kernel.sigma > c->best.kernel.sigma);
}

static pt_status choose_one(const stage *s, int64_t chooser, bool narrow, pt_error *err)
{
    const choosers *all = s->all;
    choice *c = &all->each[chooser];
    pt_ls_point points[MAX_POINTS];
    PT_FREED_BY(counter_free) loss_counter counted = {0};
    const int64_t count = list_points(points, c);
    PT_TRY(count_losses(&counted, s, chooser, err));
    int64_t best = least_loss(&counted, count);
    for (int64_t i = 0; best >= 0 && i < count && !all->outer; i++)
        pt_task_say(all->task, PT_DEBUG, PT_KIND_PROGRESS, "sigma %g, ridge %g: %g errors",
                    points[i].kernel.sigma, points[i].ridge, counted.losses[i]);
    if (best < 0)
        return c->beyond ? PT_OK : fail_unanswered(all, c, points[0].ridge, err);
    if (narrow && !counted.truth) /* figures of all rows have no losses to tell apart */
        best = narrowest_of_equals(&counted, points, count, best);
    const double loss = counted.losses[best] / (double)counted.n;
    if (c->beyond && !goes_on(c, &points[best], loss))
        return PT_OK;
    c->best = points[best];
    c->seen = (pt_chosen){counted.n, loss};
    pt_task_say(all->task, all->outer ? PT_DEBUG : PT_INFO, PT_KIND_PROGRESS,
                "chose sigma %g, ridge %g by %s on %lld rows (%s %.2f percent)",
                c->best.kernel.sigma, c->best.ridge,
                all->ops                           ? "five folds"
                : all->outer                       ? "inner folds"
                : s->partitions.past               ? "five folds by time"
                : pt_ties_any(&all->problem->ties) ? "leave-one-group-out"
                                                   : "leave-one-out",
                (long long)counted.n, all->judge->asked ? "loss" : "error", 100 * c->seen.loss);
    return PT_OK;
}

/* The best of the candidates on a sample of `size` rows; `last`: no larger sample will follow. */
static pt_status choose_on_sample(const choosers *all, int64_t size, bool last, pt_error *err)
{
    PT_FREED_BY(stage_free) stage s = {0};
    PT_TRY(stage_init(&s, all, size, err));
    PT_TRY(score_points(&s, err));
    const bool narrow = all->guide && last && size < pt_problem_examples(all->problem);
    for (int64_t c = 0; c < all->count; c++)
        if (!all->each[c].rests)
            PT_TRY(choose_one(&s, c, narrow, err));
    return PT_OK;
}

/* ---- all stages ------------------------------------------------------------------------------ */

/* Larger ridges, where the largest was the best. Equals stay where they are: a larger ridge must
 * be better. */
static pt_status widen_ridge(const choosers *all, int64_t size, pt_error *err)
{
    const range ridge = all->each[0].ridge;
    const bool free_sigma = all->each[0].free.sigma;
    for (int high = ridge.high; high + ridge.more <= ridge.most && ridge.more > 0;
         high += ridge.more) {
        bool any = false;
        for (int64_t i = 0; i < all->count; i++) {
            choice *c = &all->each[i];
            c->from = c->best;
            c->free.sigma = false;
            c->upward = c->beyond = true;
            c->ridge = (range){1, ridge.more, 1, 0, 0};
            c->rests = c->best.ridge != ldexp(1, high);
            any = any || !c->rests;
        }
        if (!any)
            break;
        PT_TRY(choose_on_sample(all, size, false, err));
    }
    for (int64_t i = 0; i < all->count; i++) {
        all->each[i].free.sigma = free_sigma;
        all->each[i].upward = all->each[i].beyond = all->each[i].rests = false;
    }
    return PT_OK;
}

/* Sigmas beyond an end at or beside which the best is, one after the other as long as each is the
 * best: most points there are far worse, and the narrowest kernels take longest. Of one chooser. */
static pt_status widen_sigma(const choosers *all, int64_t size, pt_error *err)
{
    choice *c = all->each;
    const range first = c->sigma;
    const long best = lround(log2(c->best.kernel.sigma / c->from.kernel.sigma));
    const int side = best <= first.low + 1 ? -1 : best >= first.high - 1 ? 1 : 0;
    int end = side < 0 ? first.low : first.high;
    c->beyond = true;
    for (bool more = side != 0; more;) {
        end += side;
        c->sigma = (range){end, end, 1, 0, 0};
        PT_TRY(choose_on_sample(all, size, false, err));
        more = lround(log2(c->best.kernel.sigma / c->from.kernel.sigma)) == end &&
               abs(end) < first.most;
    }
    c->beyond = false;
    return PT_OK;
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
    PT_TRY(choose_on_sample(all, size, size == most, err));
    if (all->each[0].free.sigma && all->each[0].sigma.more > 0)
        PT_TRY(widen_sigma(all, size, err));
    if (all->each[0].free.ridge)
        PT_TRY(widen_ridge(all, size, err));
    while (size < most) {
        for (int64_t i = 0; i < all->count; i++) {
            choice *c = &all->each[i];
            c->from = c->best;
            c->sigma_step = 0.5;
            c->sigma = (range){NEAR_SIGMA_LOW, NEAR_SIGMA_HIGH, 1, 0, 0};
            c->ridge = (range){-NEAR_RIDGE, NEAR_RIDGE, 1, 0, 0};
        }
        size = next_size(size, most);
        PT_TRY(choose_on_sample(all, size, size == most, err));
    }
    return PT_OK;
}

/* params <- the kernel where it is "auto", and where the search begins: sigma; *start <- the same.
 * ops NULL: by guide. */
static pt_status begin_choice(choice *start, const pt_machine_ops *ops, pt_params *params,
                              const pt_problem *problem, const pt_task *task, pt_error *err)
{
    PT_TRY(pt_kernel_settle(params, !problem->rows.dense, err));
    const pt_kernel_ops *kernel = pt_kernel_of(params);
    const grid *g = ops ? &BY_TRAINING : &BY_GUIDE;
    const free_params free = what_is_free(ops, params, kernel);
    *start = (choice){.free = free,
                      .sigma_step = 1,
                      .sigma = g->sigma,
                      .ridge = free.sigma ? g->ridge : g->ridge_alone};
    if (!free.ridge && !free.sigma)
        return PT_OK;
    if (!ops && kernel->base == PT_BASE_ROW && !kernel->joint)
        PT_TRY(pt_ls_check_precomputed(&problem->rows, err));
    if (free.sigma) {
        double sigma = 1;
        PT_TRY(typical_sigma(&problem->rows, kernel, (uint64_t)pt_params_integer(params, PT_P_SEED),
                             &sigma, task, err));
        PT_TRY(pt_params_set_real(params, PT_P_SIGMA, sigma, err));
    }
    PT_TRY(pt_kernel_from_params(&start->from.kernel, params, err));
    start->from.ridge = free.ridge || ops ? 1 : pt_ls_ridge(params);
    return PT_OK;
}

/* Losses by another metric are not errors: they are not reported as such. */
static pt_chosen seen_by(const pt_choice_loss *judge, const choice *c)
{
    const pt_chosen none = {0};
    return judge->asked ? none : c->seen;
}

/* ---- the doors ------------------------------------------------------------------------------- */

pt_status pt_auto_by_guide(pt_ls_auto_fn guide, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_error *err)
{
    choice c;
    PT_FREED_BY(pt_choice_loss_free) pt_choice_loss judge = {0};
    PT_TRY(begin_choice(&c, NULL, params, problem, task, err));
    if (!c.free.ridge && !c.free.sigma)
        return PT_OK;
    PT_TRY(pt_choice_loss_init(&judge, params, problem->labels, task, err));
    const choosers one = {.guide = guide,
                          .params = params,
                          .problem = problem,
                          .each = &c,
                          .count = 1,
                          .seed = (uint64_t)pt_params_integer(params, PT_P_SEED),
                          .task = task,
                          .judge = &judge};
    PT_TRY(choose(&one, pt_params_integer(params, PT_P_AUTO_ROWS), err));
    if (problem->chosen)
        *problem->chosen = seen_by(&judge, &c);
    return set_choice(params, c.free, &c.best, err);
}

pt_status pt_auto_by_training(const pt_machine_ops *ops, pt_params *params,
                              const pt_problem *problem, const pt_task *task, pt_error *err)
{
    const int64_t rows = pt_params_integer(params, PT_P_AUTO_ROWS);
    const int64_t limit = rows < PT_AUTO_SAMPLE ? rows : PT_AUTO_SAMPLE;
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    if (problem->chosen)
        *problem->chosen = (pt_chosen){0};
    PT_TRY(pt_kernel_settle(params, !problem->rows.dense, err));
    const pt_kernel_ops *kernel = pt_kernel_of(params);
    const free_params free = what_is_free(ops, params, kernel);
    if (!free.sigma && !free.ridge)
        return PT_OK;
    PT_FREED_BY(pt_subproblem_free) pt_subproblem sample = {0};
    PT_TRY(pt_subproblem_sample(&sample, problem, limit, seed, kernel->base == PT_BASE_ROW, task,
                                err));
    choice c;
    PT_FREED_BY(pt_choice_loss_free) pt_choice_loss judge = {0};
    PT_TRY(pt_choice_loss_init(&judge, params, sample.problem.labels, task, err));
    PT_TRY(begin_choice(&c, ops, params, &sample.problem, task, err));
    const choosers one = {.ops = ops,
                          .params = params,
                          .problem = &sample.problem,
                          .each = &c,
                          .count = 1,
                          .seed = seed,
                          .task = task,
                          .judge = &judge};
    PT_TRY(choose(&one, limit, err));
    if (problem->chosen)
        *problem->chosen = seen_by(&judge, &c);
    return set_choice(params, free, &c.best, err);
}

/* The start of the search, the typical distance of rows, is that of all rows: no label is seen. */
pt_status pt_auto_without_folds(pt_ls_auto_fn guide, pt_params **chosen, const pt_params *params,
                                const pt_problem *problem, const pt_partitions *partitions,
                                const pt_task *task, pt_error *err)
{
    const int64_t count = partitions->count * partitions->n_folds;
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_FREED_BY(pt_choice_loss_free) pt_choice_loss judge = {0};
    PT_SCRATCH choice *each = pt_alloc_zero(count, sizeof *each, "folds", err);
    if (!each)
        return PT_ENOMEM;
    PT_TRY(pt_choice_loss_init(&judge, params, problem->labels, task, err));
    PT_TRY(pt_params_copy(&own, params, err));
    PT_TRY(begin_choice(&each[0], NULL, own, problem, task, err));
    for (int64_t c = 1; c < count; c++)
        each[c] = each[0];
    const choosers all = {.guide = guide,
                          .params = own,
                          .problem = problem,
                          .outer = partitions,
                          .each = each,
                          .count = count,
                          .seed = (uint64_t)pt_params_integer(params, PT_P_SEED),
                          .task = task,
                          .judge = &judge};
    PT_TRY(choose(&all, pt_params_integer(params, PT_P_AUTO_ROWS), err));
    for (int64_t c = 0; c < count; c++) {
        PT_TRY(pt_params_copy(&chosen[c], own, err));
        PT_TRY(set_choice(chosen[c], each[c].free, &each[c].best, err));
    }
    return PT_OK;
}

pt_status pt_auto_as_onelsm(pt_params *params, const pt_problem *problem, const pt_task *task,
                            pt_warnings *warnings, pt_error *err)
{
    (void)warnings;
    pt_problem unasked = *problem;
    unasked.chosen = NULL;
    return pt_auto_by_guide(pt_ls_guide(problem, params), params, &unasked, task, err);
}

/* oneLSM takes 1/C for its ridge, and has no answer where that is next to nothing or huge: there C
 * is as good as the limit. */
pt_status pt_auto_start(pt_params **out, const pt_params *params, const pt_problem *problem,
                        const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *start = NULL;
    PT_TRY(pt_params_copy(&start, params, err));
    PT_TRY(pt_params_set(start, "ridge", "auto", err));
    if (pt_params_set_by_user(start, PT_P_C)) {
        const double C = pt_params_real(start, PT_P_C);
        const double limited = fmin(fmax(C, 1 / LARGEST_C), LARGEST_C);
        if (limited != C)
            PT_TRY(pt_params_set_real(start, PT_P_C, limited, err));
    }
    PT_TRY(pt_auto_as_onelsm(start, problem, task, NULL, err));
    *out = start;
    start = NULL;
    return PT_OK;
}

pt_status pt_machine_resolve(const pt_machine_ops *ops, pt_params *params,
                             const pt_problem *problem, const pt_task *task, pt_warnings *warnings,
                             pt_error *err)
{
    PT_TRY(pt_machine_settle(ops, params, err));
    if (ops->resolve)
        return ops->resolve(params, problem, task, warnings, err);
    const pt_ls_auto_fn guide = ops->guide ? ops->guide(problem, params) : NULL;
    if (guide)
        return pt_auto_by_guide(guide, params, problem, task, err);
    return pt_machine_uses(ops, params, "kernel")
               ? pt_auto_by_training(ops, params, problem, task, err)
               : PT_OK;
}

pt_status pt_training_resolve(pt_training *t, const pt_task *task, pt_error *err)
{
    const double begin = pt_seconds();
    pt_problem asked = t->problem;
    asked.chosen = &t->chosen;
    PT_TRY(pt_machine_resolve(t->ops, t->params, &asked, task, &t->warnings, err));
    t->seconds_choosing = pt_seconds() - begin;
    return PT_OK;
}

/* ---- what it costs --------------------------------------------------------------------------- */

static double count_in(range r, bool free)
{
    return free ? (r.high - r.low) / r.step + 1 : 1;
}

static double guide_flops(const pt_params *params, const pt_rows *rows, const pt_kernel_ops *kernel)
{
    const free_params free = what_is_free(NULL, params, kernel);
    const int64_t limit = pt_params_integer(params, PT_P_AUTO_ROWS);
    const int64_t most = limit < rows->n ? limit : rows->n;
    double points = count_in(BY_GUIDE.sigma, free.sigma) * count_in(BY_GUIDE.ridge, free.ridge);
    double flops = 0;
    if (!free.sigma && !free.ridge)
        return 0;
    for (int64_t size = 0; size < most;) {
        size = next_size(size, most);
        const double side =
            kernel->base == PT_BASE_DOT && rows->d < size ? (double)rows->d : (double)size;
        flops += points * (double)size * side * side;
        points = (free.sigma ? NEAR_SIGMA_HIGH - NEAR_SIGMA_LOW + 1 : 1) *
                 (free.ridge ? 2 * NEAR_RIDGE + 1 : 1);
    }
    return flops;
}

pt_status pt_auto_flops(double *flops, const pt_machine_ops *ops, const pt_params *params,
                        const pt_problem *problem, const pt_task *task, pt_error *err)
{
    const pt_kernel_ops *kernel = pt_machine_kernel(ops, params, !problem->rows.dense);
    const free_params free = what_is_free(ops, params, kernel);
    *flops = 0;
    if (!free.sigma && !free.ridge)
        return PT_OK;
    if (ops->guide && ops->guide(problem, params)) {
        *flops = guide_flops(params, &problem->rows, kernel);
        return PT_OK;
    }
    const int64_t rows = pt_params_integer(params, PT_P_AUTO_ROWS);
    const range ridge = free.sigma ? BY_TRAINING.ridge : BY_TRAINING.ridge_alone;
    const double points = count_in(ridge, free.ridge) *
                          (count_in(BY_TRAINING.sigma, free.sigma) +
                           (free.sigma ? BY_TRAINING.sigma.more : 0)); /* some are beyond an end */
    pt_plan plan = {0};
    PT_FREED_BY(pt_subproblem_free) pt_subproblem sample = {0};
    PT_TRY(pt_subproblem_sample(&sample, problem, rows < PT_AUTO_SAMPLE ? rows : PT_AUTO_SAMPLE,
                                (uint64_t)pt_params_integer(params, PT_P_SEED),
                                kernel->base == PT_BASE_ROW, task, err));
    if (ops->plan)
        PT_TRY(ops->plan(&sample.problem, params, task, &plan, err));
    *flops = points * FOLDS * plan.flops;
    return PT_OK;
}
