/* An evaluation as a report: its figures, by the names of docs/reports.md. */
#include <math.h>

#include "base/alloc.h"
#include "model/evaluation.h"

const double pt_quantiles[PT_N_QUANTILES] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 1};

pt_status pt_report_add_quantiles(pt_report *report, const char *name, const double *sorted,
                                  int64_t n, pt_error *err)
{
    double at[PT_N_QUANTILES];
    for (int q = 0; q < PT_N_QUANTILES && n > 0; q++)
        at[q] = sorted[(int64_t)floor(pt_quantiles[q] * (double)(n - 1) + 0.5)];
    if (n == 0)
        return PT_OK;
    if (!pt_report_find(report, "quantile"))
        PT_TRY(pt_report_lend(
            report, PT_LIST("quantile", PT_F64, "quantile", PT_N_QUANTILES, pt_quantiles), err));
    return pt_report_copy(report, PT_LIST(name, PT_F64, "quantile", PT_N_QUANTILES, at), err);
}

/* ---- figures of all examples ----------------------------------------------------------------- */

/* A figure and the interval of 95 percent around it. */
static pt_status add_estimate(pt_report *report, const char *name, const char *interval,
                              pt_estimate estimate, pt_error *err)
{
    const double bounds[] = {estimate.low, estimate.high};
    if (isnan(estimate.value))
        return PT_OK;
    PT_TRY(pt_report_add_number(report, name, estimate.value, err));
    if (isnan(estimate.high))
        return PT_OK;
    return pt_report_copy(report, PT_LIST(interval, PT_F64, "bound", 2, bounds), err);
}

/* Of rows in groups the interval is that of draws, or there is none. */
static pt_estimate of_groups(const pt_evaluation *e, int figure, pt_estimate estimate)
{
    if (!e->rows.group)
        return estimate;
    const pt_interval drawn = pt_evaluation_interval(e, figure);
    return (pt_estimate){estimate.value, fmax(drawn.low, 0), drawn.high};
}

static pt_status add_probabilities(pt_report *report, const pt_evaluation *e, pt_error *err)
{
    const pt_reliability *reliability = &e->reliability;
    PT_TRY(add_estimate(
        report, "calibration_error", "calibration_error_interval",
        of_groups(e, PT_FIGURE_CALIBRATION_ERROR, pt_reliability_error(reliability)), err));
    PT_TRY(add_estimate(report, "log_loss", "log_loss_interval",
                        of_groups(e, PT_METRIC_LOG_LOSS, pt_reliability_log_loss(reliability)),
                        err));
    return add_estimate(report, "brier", "brier_interval",
                        of_groups(e, PT_METRIC_BRIER, pt_reliability_brier(reliability)), err);
}

static pt_status add_figure(pt_report *report, const pt_evaluation *e, pt_metric metric,
                            double value, pt_error *err)
{
    const pt_interval of = pt_evaluation_interval(e, (int)metric);
    return add_estimate(report, pt_metric_name(metric), pt_metric_interval_name(metric),
                        (pt_estimate){value, of.low, of.high}, err);
}

/* The metrics that these labels have, in their order; "metric" is the list of their names. */
static pt_status add_metrics(pt_report *report, const pt_evaluation *e, pt_error *err)
{
    const char *names[sizeof(unsigned) * 8];
    int64_t n = 0;
    PT_TRY(
        add_figure(report, e, PT_METRIC_ERROR, pt_tally_metric(&e->tally, PT_METRIC_ERROR), err));
    for (int m = PT_METRIC_ERROR + 1; pt_metric_name((pt_metric)m); m++) {
        const double value = m == PT_METRIC_AUC_OVR   ? e->auc.ovr
                             : m == PT_METRIC_AUC_OVO ? e->auc.ovo
                                                      : pt_tally_metric(&e->tally, (pt_metric)m);
        if (isnan(value) || m == PT_METRIC_LOG_LOSS || m == PT_METRIC_BRIER)
            continue;
        names[n++] = pt_metric_name((pt_metric)m);
        PT_TRY(add_figure(report, e, (pt_metric)m, value, err));
    }
    return pt_report_copy(report, PT_LIST("metric", PT_TEXT, "metric", n, names), err);
}

/* ---- figures of classes ---------------------------------------------------------------------- */

static pt_status add_by_class(pt_report *report, const pt_evaluation *e, const char *name,
                              double (*of)(const pt_tally *tally, int64_t r), pt_error *err)
{
    double *value = NULL;
    PT_TRY(pt_report_room(report, PT_LIST(name, PT_F64, "class", e->k, NULL), &value, err));
    for (int64_t r = 0; r < e->k; r++)
        value[r] = of(&e->tally, r);
    return PT_OK;
}

/* Of classes and sets: right or wrong class by class. */
static pt_status add_classes(pt_report *report, const pt_evaluation *e, pt_error *err)
{
    PT_TRY(add_by_class(report, e, "recall", pt_tally_recall, err));
    PT_TRY(add_by_class(report, e, "precision", pt_tally_precision, err));
    return add_by_class(report, e, "f1", pt_tally_f1, err);
}

/* Of single classes alone. */
static pt_status add_confusion(pt_report *report, const pt_evaluation *e, pt_error *err)
{
    const pt_interval of = pt_evaluation_interval(e, PT_FIGURE_EXPECTED_ERROR);
    PT_TRY(add_estimate(report, "expected_error", "expected_error_interval",
                        (pt_estimate){e->expected_wrong / (double)e->n, of.low, of.high}, err));
    PT_TRY(pt_report_lend(
        report, PT_TABLE("confusion", PT_I64, "class", e->k, "class", e->n_known, e->confusion),
        err));
    if (e->n_margins == 0)
        return PT_OK;
    PT_TRY(pt_report_lend(report, PT_LIST("margins", PT_F64, "example", e->n_margins, e->margin),
                          err));
    return pt_report_add_quantiles(report, "margin", e->margin, e->n_margins, err);
}

static pt_status add_all(pt_report *report, const pt_evaluation *e, pt_error *err)
{
    const bool by_class = e->label_kind == PT_LABEL_CLASS || e->label_kind == PT_LABEL_SET;
    const pt_item class = {.name = "class",
                           .type = PT_TEXT,
                           .n_axes = 1,
                           .length = {e->k},
                           .axis = {"class"},
                           .values = e->classes.items};
    PT_TRY(pt_report_add_text(report, "labels", pt_label_kind_name(e->label_kind), err));
    PT_TRY(pt_report_add_integer(report, "n_examples", e->n, err));
    PT_TRY(pt_report_add_integer(report, "n_unknown", e->n_unknown, err));
    PT_TRY(pt_report_add_integer(report, "n_unlabelled", e->n_unlabelled, err));
    PT_TRY(pt_report_add_integer(report, "n_draws", e->rows.times, err));
    PT_TRY(add_metrics(report, e, err));
    PT_TRY(pt_report_lend(report, &class, err));
    PT_TRY(pt_report_lend(report, PT_LIST("count", PT_I64, "class", e->k, e->naming), err));
    if (by_class)
        PT_TRY(add_classes(report, e, err));
    if (by_class)
        PT_TRY(add_probabilities(report, e, err));
    if (e->confusion)
        PT_TRY(add_confusion(report, e, err));
    PT_TRY(pt_decided_report(&e->decided, report, e->k, err));
    return pt_report_add_warnings(report, &e->warnings, err);
}

static void free_evaluation(void *object)
{
    pt_evaluation_free(object);
}

pt_status pt_evaluation_report(pt_report **out, pt_evaluation *e, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    const pt_status status = pt_report_new(&report, PT_REPORT_EVALUATION, err);
    if (status != PT_OK) {
        pt_evaluation_free(e);
        return status;
    }
    pt_report_own(report, e, free_evaluation);
    PT_TRY(add_all(report, e, err));
    *out = pt_keep(&report);
    return PT_OK;
}

pt_status pt_evaluation_of_report(pt_evaluation **e, const pt_report *report, const char *first,
                                  pt_error *err)
{
    *e = pt_report_object(report, PT_REPORT_EVALUATION);
    if (!*e)
        return pt_fail(err, PT_EINVAL, "the report is not of an evaluation");
    if (pt_report_find(report, first))
        return pt_fail(err, PT_EINVAL, "the evaluation has been asked for '%s' before", first);
    return PT_OK;
}
