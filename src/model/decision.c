/* Decisions by the probabilities p of a row, beside the first largest score (docs/decisions.md):
 *
 *     costs      the s of least sum_r p_r C[r][s]; s = k is to reject
 *     reject     no label where the largest p is less than asked for
 *     coverage   the set of all r with 1 - p_r <= q_r: q from held-out rows (conformity.c)
 *
 * A row is decided by itself, so that parts of a file are decided as the whole. Cost: O(n k), with
 * costs O(n k^2). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/read/class_file.h"
#include "decoders/decoder.h"
#include "metrics/label_judge.h"
#include "model/model.h"

/* ---- what is asked for ----------------------------------------------------------------------- */

static bool is_asked(const pt_params *params, pt_param_id id)
{
    return isfinite(pt_params_real(params, id));
}

/* One rule, or none. */
static pt_status choose_rule(pt_decision_rule *rule, const pt_params *params, pt_error *err)
{
    const bool costs = strcmp(pt_params_text(params, PT_P_COSTS), "none") != 0;
    const bool reject = is_asked(params, PT_P_REJECT);
    const bool coverage = is_asked(params, PT_P_COVERAGE);
    if (costs && reject)
        return pt_fail(err, PT_EINVAL,
                       "`reject` and `costs` are two rules; with costs, a last column of the "
                       "matrix says what rejecting a row costs");
    if (coverage && (costs || reject))
        return pt_fail(err, PT_EINVAL,
                       "`coverage` makes sets, %-s chooses one class; ask for one of them",
                       costs ? "`costs`" : "`reject`");
    if (!coverage && strcmp(pt_params_text(params, PT_P_COVERAGE_BY), "all") != 0)
        return pt_fail(err, PT_EINVAL, "`coverage-by` is used with `coverage` only");
    *rule = costs      ? PT_DECIDE_COSTS
            : reject   ? PT_DECIDE_REJECT
            : coverage ? PT_DECIDE_COVERAGE
                       : PT_DECIDE_LARGEST;
    return PT_OK;
}

static pt_status check_kind(const pt_decider *d, bool by_class, pt_error *err)
{
    static const char *const NAMES[] = {"", "`costs`", "`reject`", "`coverage`"};
    const pt_label_kind kind = d->model->label_kind;
    if (kind != PT_LABEL_CLASS && kind != PT_LABEL_SET)
        return pt_fail(err, PT_ENOSUPPORT,
                       "%-s: a model of labels of kind '%s' has no probabilities to decide by",
                       NAMES[d->rule], pt_label_kind_name(kind));
    if (kind == PT_LABEL_SET && d->rule != PT_DECIDE_COVERAGE)
        return pt_fail(err, PT_ENOSUPPORT,
                       "%-s chooses one class; the labels of this model are sets", NAMES[d->rule]);
    if (kind == PT_LABEL_SET && by_class)
        return pt_fail(err, PT_ENOSUPPORT,
                       "`coverage-by=class` is for models of classes; the labels of this model are "
                       "sets");
    return PT_OK;
}

/* ---- cuts ------------------------------------------------------------------------------------ */

/* Fewer rows have no (m + 1) c-th one. */
static double least_rows(double coverage)
{
    return ceil(coverage / (1 - coverage) * (1 - 4 * DBL_EPSILON));
}

static pt_status warn_of_few(pt_decider *d, int64_t count, const char *first, double coverage,
                             pt_error *err)
{
    if (count == 0)
        return PT_OK;
    if (!first)
        return pt_warn(&d->warnings, err, PT_KIND_DATA,
                       "%lld held-out rows are too few for a coverage of %g, which needs %.0f: "
                       "every class is in every set",
                       (long long)d->model->conformity.n, coverage, least_rows(coverage));
    return pt_warn(&d->warnings, err, PT_KIND_DATA,
                   "%lld class%s (%s%s) %s fewer held-out rows than the %.0f that a coverage of %g "
                   "needs, and %s in every set",
                   (long long)count, count == 1 ? "" : "es", first, count == 1 ? "" : ", ...",
                   count == 1 ? "has" : "have", least_rows(coverage), coverage,
                   count == 1 ? "is" : "are");
}

static pt_status make_cuts(pt_decider *d, double coverage, bool by_class, pt_error *err)
{
    const pt_model *model = d->model;
    const int64_t k = model->classes.count;
    if (model->conformity.n == 0)
        return pt_fail(err, PT_ENOSUPPORT,
                       "`coverage` needs the held-out rows that training keeps, and this model has "
                       "none: it was trained with `calibrate=no` or by an earlier version, or "
                       "could not be calibrated; train it again");
    PT_TRY(PT_NEW(d->cut, k, "sets of classes", err));
    int64_t few = 0;
    const char *first = NULL;
    const double all = pt_conformity_cut(&model->conformity, coverage, PT_ALL_CLASSES);
    for (int64_t r = 0; r < k; r++) {
        d->cut[r] = by_class ? pt_conformity_cut(&model->conformity, coverage, r) : all;
        if (!by_class || isfinite(d->cut[r]))
            continue;
        first = first ? first : model->classes.items[r];
        few++;
    }
    return warn_of_few(d, by_class ? few : !isfinite(all), first, coverage, err);
}

void pt_decider_free(pt_decider *decider)
{
    pt_free(decider->costs);
    pt_free(decider->cut);
    pt_warnings_free(&decider->warnings);
    *decider = (pt_decider){0};
}

pt_status pt_decider_init(pt_decider *decider, const pt_model *model, const pt_params *params,
                          const pt_task *task, pt_error *err)
{
    const bool by_class = strcmp(pt_params_text(params, PT_P_COVERAGE_BY), "class") == 0;
    *decider = (pt_decider){.model = model};
    PT_TRY(choose_rule(&decider->rule, params, err));
    if (decider->rule == PT_DECIDE_LARGEST)
        return PT_OK;
    PT_TRY(check_kind(decider, by_class, err));
    decider->reject = pt_params_real(params, PT_P_REJECT);
    if (decider->rule == PT_DECIDE_COSTS)
        return pt_class_costs_of(&decider->costs, &decider->columns, params, &model->classes, task,
                                 err);
    if (decider->rule == PT_DECIDE_COVERAGE)
        return make_cuts(decider, pt_params_real(params, PT_P_COVERAGE), by_class, err);
    return PT_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The column of least expected cost. Sums that differ by rounding are equal: of those the most
 * probable class, then the first. cost: columns, work. */
static int64_t least_cost(const pt_decider *d, const double *p, int64_t k, int64_t best,
                          double *cost)
{
    const int64_t columns = d->columns;
    double least = INFINITY;
    double largest = 0;
    for (int64_t s = 0; s < columns; s++)
        cost[s] = 0;
    for (int64_t r = 0; r < k; r++)
        for (int64_t s = 0; s < columns; s++)
            cost[s] += p[r] * d->costs[r * columns + s];
    for (int64_t s = 0; s < columns; s++) {
        least = fmin(least, cost[s]);
        largest = fmax(largest, cost[s]);
    }
    const double equal = least + 4 * DBL_EPSILON * (double)k * largest;
    if (cost[best] <= equal)
        return best;
    int64_t s = 0;
    while (cost[s] > equal)
        s++;
    return s < k ? s : -1;
}

int64_t pt_decider_label(const pt_decider *decider, const double *p, int64_t k, int64_t best,
                         double *cost)
{
    const pt_decider *d = decider;
    if (d->rule == PT_DECIDE_COSTS)
        return least_cost(d, p, k, best, cost);
    return d->rule == PT_DECIDE_REJECT && p[best] < d->reject ? -1 : best;
}

/* A set of a model of classes has one at least: to add one breaks no promise. */
void pt_decider_set(const pt_decider *decider, const double *p, int64_t k, int64_t best,
                    uint64_t *set)
{
    bool any = false;
    for (int64_t r = 0; r < k; r++)
        if (1 - p[r] <= decider->cut[r]) {
            set[r / 64] |= (uint64_t)1 << (r % 64);
            any = true;
        }
    if (!any && decider->model->label_kind == PT_LABEL_CLASS)
        set[best / 64] |= (uint64_t)1 << (best % 64);
}

pt_status pt_decider_apply(const pt_decider *decider, pt_prediction *prediction, pt_error *err)
{
    pt_prediction *p = prediction;
    const int64_t k = p->k;
    const int64_t words = pt_set_words(k);
    PT_SCRATCH double *proba = NULL;
    PT_SCRATCH uint64_t *sets = NULL;
    PT_TRY(PT_NEW(proba, 2 * k + 1, "probabilities", err));
    if (decider->rule == PT_DECIDE_COVERAGE) {
        sets = pt_alloc_zero(p->n, (size_t)words * sizeof *sets, "sets of classes", err);
        if (!sets)
            return PT_ENOMEM;
    }
    PT_TRY(pt_warnings_add_new(&p->warnings, &decider->warnings, err));
    for (int64_t i = 0; i < p->n; i++) {
        const double *scores = p->scores + i * k;
        const int64_t best = pt_first_largest(scores, k);
        p->labels[i] = best;
        if (decider->rule == PT_DECIDE_LARGEST)
            continue;
        PT_TRY(pt_scores_proba(p->label_kind, &p->calibration, p->class_rows, 1, k, scores, proba,
                               err));
        p->labels[i] = pt_decider_label(decider, proba, k, best, proba + k);
        if (sets)
            pt_decider_set(decider, proba, k, best, sets + i * words);
    }
    p->decided = decider->rule;
    pt_free(p->sets);
    p->sets = pt_keep(&sets);
    return PT_OK;
}

pt_status pt_prediction_decide(pt_prediction *prediction, const pt_model *model,
                               const pt_params *params, pt_error *err)
{
    PT_FREED_BY(pt_decider_free) pt_decider decider = {0};
    if (prediction->k != model->classes.count || prediction->label_kind != model->label_kind)
        return pt_fail(err, PT_EINVAL, "the predictions are of another model");
    PT_TRY(pt_decider_init(&decider, model, params, NULL, err));
    return pt_decider_apply(&decider, prediction, err);
}
