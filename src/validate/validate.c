/* Which points have a closed form, and classes that a fold takes away. */
#include "validate/validate.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "validate/past.h"

/* ---- closed form or brute force -------------------------------------------------------------- */

static bool is_exact(const pt_machine_ops *ops, const pt_problem *problem, const pt_params *point)
{
    return ops->holdout && (!ops->holdout_exact || ops->holdout_exact(problem, point));
}

bool pt_holdout_is_closed_form(const pt_machine_ops *ops, const pt_problem *problem,
                               const pt_params *point)
{
    return is_exact(ops, problem, point) && !ops->holdout_method;
}

static int64_t count_exact(const pt_validation *asked)
{
    int64_t count = 0;
    for (int64_t i = 0; i < asked->n_points; i++)
        count += is_exact(asked->ops, asked->problem, asked->points[i]);
    return count;
}

/* A pt_past_fn */
static pt_status own_way_of_part(void *how, const pt_problem *problem, int64_t first, int64_t n,
                                 const pt_partitions *partitions, pt_holdout_fn take, void *context,
                                 const pt_task *task, pt_error *err)
{
    const pt_validation *asked = how;
    return asked->ops->holdout(problem, asked->points + first, n, partitions, take, context, task,
                               err);
}

static pt_status own_way(const pt_validation *asked, const pt_task *task, pt_error *err)
{
    pt_problem problem = *asked->problem;
    pt_validation how = *asked;
    problem.remarks = asked->remarks;
    if (asked->partitions->past && asked->n_points > 0)
        return pt_past_validate(
            &(pt_past){.problem = &problem,
                       .partitions = asked->partitions,
                       .n_points = asked->n_points,
                       .square = pt_kernel_is_precomputed(asked->points[0]),
                       .given = pt_decoder_gives_probabilities(asked->points[0]),
                       .run = own_way_of_part,
                       .how = &how},
            asked->take, asked->context, task, err);
    return asked->ops->holdout(&problem, asked->points, asked->n_points, asked->partitions,
                               asked->take, asked->context, task, err);
}

void pt_holdout_method(char *text, size_t size, const pt_machine_ops *ops,
                       const pt_problem *problem, const pt_params *const *points, int64_t n_points)
{
    const pt_validation asked = {
        .ops = ops, .problem = problem, .points = points, .n_points = n_points};
    const int64_t exact = count_exact(&asked);
    const char *own = ops->holdout_method ? ops->holdout_method : "closed form";
    if (exact == n_points)
        snprintf(text, size, "%s", own);
    else if (exact == 0)
        snprintf(text, size, "brute force");
    else
        snprintf(text, size, "%s at %lld of %lld points, brute force at the others", own,
                 (long long)exact, (long long)n_points);
}

pt_status pt_take_numbered(void *context, int64_t point, int64_t partition, const double *scores,
                           pt_error *err)
{
    const pt_point_numbers *p = context;
    return p->take(p->context, p->number ? p->number[point] : p->first + point, partition, scores,
                   err);
}

/* Some of the points, in one of the two ways; number[p]: that of each in the whole. */
static pt_status validate_some(const pt_validation *asked, const pt_validation *some,
                               const int64_t *number, bool exact, const pt_task *task,
                               pt_error *err)
{
    const pt_partitions *parts = asked->partitions;
    PT_FREED_BY(pt_remarks_free) pt_remarks remarks = {0};
    pt_validation own = *some;
    own.remarks = asked->remarks ? &remarks : NULL;
    const pt_status status =
        exact ? own_way(&own, task, err) : pt_validate_by_training(&own, task, err);
    if (!asked->remarks)
        return status;
    pt_remarks_renumber(&remarks, parts->count * parts->n_folds, number);
    const pt_status taken = pt_remarks_take(asked->remarks, &remarks, status == PT_OK ? err : NULL);
    return status == PT_OK ? taken : status;
}

/* The machine's own way for the points that have it, then training for the rest. */
static pt_status validate_mixed(const pt_validation *asked, const pt_task *task, pt_error *err)
{
    const int64_t n = asked->n_points;
    PT_SCRATCH const pt_params **chosen = pt_alloc(n, sizeof *chosen, "grid points", err);
    PT_SCRATCH int64_t *number = pt_alloc(n, sizeof *number, "grid points", err);
    if (!chosen || !number)
        return PT_ENOMEM;
    pt_point_numbers numbered = {asked->take, asked->context, 0, number};
    for (int exact = 1; exact >= 0; exact--) {
        pt_validation some = *asked;
        some.points = chosen;
        some.n_points = 0;
        some.take = pt_take_numbered;
        some.context = &numbered;
        for (int64_t i = 0; i < n; i++)
            if (is_exact(asked->ops, asked->problem, asked->points[i]) == (exact == 1)) {
                number[some.n_points] = i;
                chosen[some.n_points++] = asked->points[i];
            }
        PT_TRY(validate_some(asked, &some, number, exact == 1, task, err));
    }
    return PT_OK;
}

/* ---- classes that a fold takes away ---------------------------------------------------------- */

pt_status pt_lower_unseen(double *scores, int64_t n, const pt_labels *trained_on, bool given,
                          pt_error *err)
{
    const int64_t k = pt_labels_n_classes(trained_on);
    if (trained_on->kind != PT_LABEL_CLASS)
        return PT_OK;
    PT_SCRATCH double *seen = pt_alloc_zero(k, sizeof *seen, "classes", err);
    if (!seen)
        return PT_ENOMEM;
    for (int64_t i = 0; i < trained_on->n; i++)
        if (pt_labels_has(trained_on, i))
            seen[trained_on->class_of[i]] = 1;
    for (int64_t i = 0; i < n; i++)
        pt_lower_absent(scores + i * k, seen, k, given);
    return PT_OK;
}

typedef struct lowered_taker {
    const pt_validation *asked;
    bool given; /* scores are probabilities */
} lowered_taker;

/* only_in[r] <- the fold that has all rows of class r, below 0: none has; false: none of any. */
static bool find_absent(const pt_labels *labels, const pt_partitions *parts, int64_t partition,
                        int64_t *only_in)
{
    enum { NOT_SEEN = -2, SEVERAL = -1 };
    const int64_t k = pt_labels_n_classes(labels);
    bool found = false;
    for (int64_t r = 0; r < k; r++)
        only_in[r] = NOT_SEEN;
    for (int64_t i = 0; i < labels->n; i++) {
        int64_t *only = &only_in[labels->class_of[i]];
        const int64_t fold = parts->fold[partition][i];
        *only = !pt_is_held(parts, partition, i)     ? SEVERAL
                : *only == NOT_SEEN || *only == fold ? fold
                                                     : SEVERAL;
    }
    for (int64_t r = 0; r < k; r++)
        found = found || only_in[r] >= 0;
    return found;
}

/* A pt_holdout_fn: the machine of a fold has never seen a class all of whose rows are held out. */
static pt_status take_lowered(void *context, int64_t point, int64_t partition, const double *scores,
                              pt_error *err)
{
    const lowered_taker *l = context;
    const pt_validation *asked = l->asked;
    const pt_labels *labels = asked->problem->labels;
    const int64_t *fold = asked->partitions->fold[partition];
    const int64_t k = pt_labels_n_classes(labels);
    if (!scores || labels->kind != PT_LABEL_CLASS || asked->partitions->past)
        return asked->take(asked->context, point, partition, scores, err);
    PT_SCRATCH int64_t *only_in = pt_alloc(k, sizeof *only_in, "classes", err);
    if (!only_in)
        return PT_ENOMEM;
    if (!find_absent(labels, asked->partitions, partition, only_in))
        return asked->take(asked->context, point, partition, scores, err);
    PT_SCRATCH double *lowered =
        pt_alloc(labels->n, (size_t)k * sizeof *lowered, "held-out scores", err);
    PT_SCRATCH double *seen = pt_alloc(k, sizeof *seen, "classes", err);
    if (!lowered || !seen)
        return PT_ENOMEM;
    for (int64_t i = 0; i < labels->n; i++) {
        memcpy(lowered + i * k, scores + i * k, (size_t)k * sizeof *lowered);
        for (int64_t r = 0; r < k; r++)
            seen[r] = only_in[r] == fold[i] ? 0 : 1;
        pt_lower_absent(lowered + i * k, seen, k, l->given);
    }
    return asked->take(asked->context, point, partition, lowered, err);
}

pt_status pt_validate(const pt_validation *asked, const pt_task *task, pt_error *err)
{
    const int64_t exact = asked->what == PT_SCORES && !asked->data ? count_exact(asked) : 0;
    if (exact == 0) /* classes come last there already */
        return pt_validate_by_training(asked, task, err);
    if (asked->partitions->past && exact == asked->n_points)
        return own_way(asked, task, err); /* which lowers them fold by fold */
    lowered_taker l = {asked, pt_decoder_gives_probabilities(asked->points[0])};
    pt_validation lowered = *asked;
    lowered.take = take_lowered;
    lowered.context = &l;
    return exact == asked->n_points ? own_way(&lowered, task, err)
                                    : validate_mixed(&lowered, task, err);
}
