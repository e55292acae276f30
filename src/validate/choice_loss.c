/* The loss that automatic parameters are chosen by, where a metric is asked for.
 *
 *   error, accuracy, micro-f1, constraint-error   1 where another class is predicted
 *   balanced-error, balanced-accuracy             the same, times (rows of the least class) / (rows
 *                                                 of the class): a multiple of the metric
 *   cost                                          the cost over the largest one
 *   top-k-accuracy                                1 where the class is not among the first
 *   macro-f1, mcc, kappa                          of all rows at once: n (1 - figure), over 2 where
 *                                                 the figure may be -1
 *
 * Uncalibrated scores say little of log loss, Brier score and areas over all classes, and a
 * calibration for each point and fold would cost as much as a search: for these, parameters are
 * chosen by errors. */
#include "validate/choice_loss.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "metrics/label_judge.h"

void pt_choice_loss_free(pt_choice_loss *loss)
{
    pt_metric_rules_free(&loss->rules);
    pt_free(loss->weight);
    *loss = (pt_choice_loss){0};
}

/* Every class that is there counts alike. */
static pt_status weigh_classes(pt_choice_loss *loss, const pt_labels *labels, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(labels);
    double least = INFINITY;
    PT_TRY(PT_NEW_ZERO(loss->weight, k, "weights", err));
    for (int64_t i = 0; i < labels->n; i++)
        if (pt_labels_has(labels, i))
            loss->weight[labels->class_of[i]]++;
    for (int64_t r = 0; r < k; r++)
        if (loss->weight[r] > 0)
            least = fmin(least, loss->weight[r]);
    for (int64_t r = 0; r < k; r++)
        loss->weight[r] = loss->weight[r] > 0 ? least / loss->weight[r] : 0;
    return PT_OK;
}

pt_status pt_choice_loss_init(pt_choice_loss *loss, const pt_params *params,
                              const pt_labels *labels, const pt_task *task, pt_error *err)
{
    const char *name = pt_params_text(params, PT_P_METRIC);
    const int metric = pt_metric_find(name);
    const int64_t k = pt_labels_n_classes(labels);
    *loss = (pt_choice_loss){.metric = PT_METRIC_ERROR};
    if (!pt_params_set_by_user(params, PT_P_METRIC) || metric < 0)
        return PT_OK;
    if (!(pt_metrics_of(labels->kind) & 1u << metric))
        return pt_fail(err, PT_EINVAL, "`metric=%s`: labels of kind '%s' have no such metric", name,
                       pt_label_kind_name(labels->kind));
    if (labels->kind != PT_LABEL_CLASS)
        return PT_OK;
    PT_TRY(pt_metric_rules_of(&loss->rules, params, labels->kind, &labels->classes, task, err));
    PT_TRY(pt_metric_rules_check(&loss->rules, (pt_metric)metric, k, err));
    loss->metric = (pt_metric)metric;
    switch (loss->metric) {
    case PT_METRIC_BALANCED_ACCURACY:
    case PT_METRIC_BALANCED_ERROR:
        loss->asked = true;
        return weigh_classes(loss, labels, err);
    case PT_METRIC_COST:
        loss->asked = true;
        for (int64_t c = 0; c < k * k; c++)
            loss->largest = fmax(loss->largest, loss->rules.costs[c]);
        return PT_OK;
    case PT_METRIC_TOP_K_ACCURACY:
        loss->asked = true;
        return PT_OK;
    case PT_METRIC_MACRO_F1:
    case PT_METRIC_MCC:
    case PT_METRIC_KAPPA:
        loss->asked = loss->by_figure = true;
        return PT_OK;
    default:
        return PT_OK;
    }
}

double pt_choice_loss_row(const pt_choice_loss *loss, const pt_labels *labels, int64_t i,
                          const double *scores)
{
    if (!loss->asked || !pt_labels_has(labels, i))
        return pt_label_loss(labels, i, scores);
    const int64_t k = pt_labels_n_classes(labels);
    const int64_t y = labels->class_of[i];
    const int64_t said = pt_first_largest(scores, k);
    if (loss->by_figure)
        return (double)said;
    if (loss->metric == PT_METRIC_COST)
        return loss->largest > 0 ? loss->rules.costs[y * k + said] / loss->largest : 0;
    if (loss->metric == PT_METRIC_TOP_K_ACCURACY)
        return pt_score_among_first(scores, k, y, loss->rules.top_k) ? 0 : 1;
    return said == y ? 0 : loss->weight[y];
}

double pt_choice_loss_of(const pt_choice_loss *loss, const int64_t *truth, const float *said,
                         int64_t n, int64_t k, int64_t *counts)
{
    const pt_tally tally = {.wanted = ~0u,
                            .k = k,
                            .n = n,
                            .both = counts,
                            .true_only = counts + k,
                            .said_only = counts + 2 * k};
    memset(counts, 0, 3 * (size_t)k * sizeof *counts);
    for (int64_t i = 0; i < n; i++) {
        const int64_t r = (int64_t)said[i];
        tally.both[truth[i]] += truth[i] == r;
        tally.true_only[truth[i]] += truth[i] != r;
        tally.said_only[r] += truth[i] != r;
    }
    const double figure = pt_tally_metric(&tally, loss->metric);
    const double range = loss->metric == PT_METRIC_MACRO_F1 ? 1 : 2;
    return isnan(figure) ? (double)n / 2 : (double)n * (1 - figure) / range;
}
