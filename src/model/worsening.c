/* How much worse a metric gets where scores change.
 *
 * A metric that is a quotient F = P / W of sums over rows has the variance of the sum of
 *
 *     t_i = (p_i - F w_i) / W
 *
 * over rows. What F gets worse by has that of the differences of these numbers between the changed
 * scores and those as they are, and the mean over several changes that of their means: one number
 * for each row, which holds what rows and changes, permutations here, add to the variance. The
 * interval is the mean plus and minus 1.96 roots of it. Of rows in groups the numbers of a group
 * are added up first.
 *
 * Any other metric is drawn (metrics/intervals.h): the same rows as they are and with each change,
 * and the interval is that of the differences. */
#include "model/worsening.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/ties.h"
#include "decoders/decoder.h"
#include "metrics/label_judge.h"
#include "validate/probability/probability.h"

static const double NORMAL_QUANTILE = 1.959964;
enum { MOST_DRAWS = 200 }; /* of each change, where nobody asked for a number */

void pt_worsening_free(pt_worsening *w)
{
    pt_metric_rules_free(&w->rules);
    pt_tally_free(&w->tally);
    pt_free(w->group);
    pt_free(w->proba);
    pt_free(w->part);
    pt_free(w->whole);
    pt_free(w->said);
    pt_free(w->in);
    pt_free(w->probas);
    pt_free(w->at_first);
    pt_free(w->drawn_at_first);
    pt_free(w->change);
    pt_free(w->drawn);
    pt_free(w->work);
    memset(w, 0, sizeof *w);
}

/* ---- what kind of metric it is --------------------------------------------------------------- */

static bool is_area(const pt_worsening *w)
{
    return (PT_AUC_METRICS & 1 << w->metric) != 0;
}

static bool judges_probabilities(const pt_worsening *w)
{
    return (PT_PROBABILITY_METRICS & 1 << w->metric) != 0;
}

/* The sums so far; false: it is no quotient. */
static bool sums_of(const pt_worsening *w, double *part, double *whole)
{
    const pt_weighted_mean *mean =
        w->metric == PT_METRIC_LOG_LOSS ? &w->reliability.log_loss : &w->reliability.brier;
    if (!judges_probabilities(w))
        return pt_tally_parts(&w->tally, w->metric, part, whole);
    *part = mean->sum;
    *whole = mean->weight;
    return !is_area(w);
}

/* Its place among the figures of a draw. */
static int drawn_figure(const pt_worsening *w)
{
    switch (w->metric) {
    case PT_METRIC_MACRO_F1:
        return PT_DRAWN_MACRO_F1;
    case PT_METRIC_MCC:
        return PT_DRAWN_MCC;
    case PT_METRIC_KAPPA:
        return PT_DRAWN_KAPPA;
    case PT_METRIC_AUC_OVR:
        return PT_DRAWN_AUC_OVR;
    case PT_METRIC_AUC_OVO:
        return PT_DRAWN_AUC_OVO;
    default:
        return PT_DRAWN_BALANCED_ACCURACY;
    }
}

/* 1: more of the metric, or of what is drawn in its place, is worse; -1: less is. */
static double direction(const pt_worsening *w, bool drawn)
{
    const bool turned = drawn && w->metric == PT_METRIC_BALANCED_ERROR;
    return pt_metric_larger_is_better(w->metric) || turned ? -1 : 1;
}

static pt_status check_metric(const pt_worsening *w, pt_error *err)
{
    const bool has = w->model->label_kind == w->labels->kind;
    if (judges_probabilities(w) && !has)
        return pt_fail(err, PT_ENOSUPPORT,
                       "`metric`: a model of labels of kind '%s' has no probabilities of those of "
                       "kind '%s'",
                       pt_label_kind_name(w->model->label_kind),
                       pt_label_kind_name(w->labels->kind));
    return pt_metric_rules_check(&w->rules, w->metric, w->k, err);
}

/* ---- room ------------------------------------------------------------------------------------ */

static pt_drawn_rows drawn_rows(const pt_worsening *w, const pt_auc *auc)
{
    const bool by_class = w->labels->kind == PT_LABEL_CLASS;
    return (pt_drawn_rows){.n = w->n,
                           .n_groups = w->n_groups,
                           .group = w->group,
                           .k = pt_labels_n_classes(w->labels),
                           .truth = by_class ? w->labels->class_of : NULL,
                           .said = w->said,
                           .in = w->in,
                           .auc = auc};
}

/* What draws are made of, as many as are asked for, or take little time. */
static pt_status make_draws(pt_worsening *w, const pt_params *params, pt_error *err)
{
    const pt_auc auc = {.n = w->n, .k = w->k};
    const bool sets = w->labels->kind == PT_LABEL_SET;
    if (sets)
        w->in = pt_alloc_zero(w->n, (size_t)pt_labels_n_classes(w->labels), "draws", err);
    else
        w->said = pt_alloc(w->n, sizeof *w->said, "draws", err);
    PT_TRY(sets ? (w->in ? PT_OK : PT_ENOMEM) : (w->said ? PT_OK : PT_ENOMEM));
    const pt_drawn_rows rows = drawn_rows(w, is_area(w) ? &auc : NULL);
    w->times = pt_draws_for(&rows);
    w->times = w->times < MOST_DRAWS ? w->times : MOST_DRAWS;
    if (params && !pt_params_is_auto(params, PT_P_INTERVALS))
        w->times = pt_params_integer(params, PT_P_INTERVALS);
    w->times = w->n_groups < 2 ? 0 : w->times;
    PT_TRY(PT_NEW(w->drawn_at_first, w->times, "draws", err));
    PT_TRY(PT_NEW_ZERO(w->drawn, w->times, "draws", err));
    w->work = pt_alloc(w->times, PT_N_DRAWN * sizeof *w->work, "draws", err);
    return w->work ? PT_OK : PT_ENOMEM;
}

static pt_status make_room(pt_worsening *w, const pt_params *params, pt_error *err)
{
    double part = 0;
    double whole = 0;
    PT_TRY(PT_NEW(w->proba, w->k, "probabilities", err));
    if (is_area(w)) {
        w->probas = pt_alloc(w->n, (size_t)w->k * sizeof *w->probas, "probabilities", err);
        PT_TRY(w->probas ? PT_OK : PT_ENOMEM);
    }
    if (!sums_of(w, &part, &whole))
        return make_draws(w, params, err);
    PT_TRY(PT_NEW(w->part, w->n, "figures of rows", err));
    PT_TRY(PT_NEW(w->whole, w->n, "figures of rows", err));
    PT_TRY(PT_NEW(w->at_first, w->n, "figures of rows", err));
    PT_TRY(PT_NEW_ZERO(w->change, w->n, "figures of rows", err));
    return PT_NEW(w->work, w->n_groups, "figures of rows", err);
}

double pt_worsening_bytes(const pt_worsening *w)
{
    const double n = (double)w->n;
    const double areas = 2 * (double)w->k + 1; /* and their orders */
    return n * sizeof(double) * (w->part ? 5 : is_area(w) ? areas : 1);
}

pt_status pt_worsening_init(pt_worsening *w, const pt_model *model, const pt_labels *labels,
                            const int64_t *group, const pt_params *params, const pt_task *task,
                            pt_error *err)
{
    const pt_label_kind kind = labels->kind;
    *w = (pt_worsening){.model = model,
                        .labels = labels,
                        .n = labels->n,
                        .k = model->classes.count,
                        .n_groups = labels->n,
                        .task = task,
                        .seed = params ? (uint64_t)pt_params_integer(params, PT_P_SEED) : 1,
                        .rules = PT_METRIC_RULES};
    if (params && kind != PT_LABEL_CLASS && pt_params_set_by_user(params, PT_P_COSTS))
        return pt_fail(err, PT_EINVAL, "`costs`: labels of kind '%s' have none",
                       pt_label_kind_name(kind));
    if (params)
        PT_TRY(pt_metric_choose(&w->metric, pt_params_text(params, PT_P_METRIC), kind, err));
    PT_TRY(pt_metric_rules_of(&w->rules, params, kind, &model->classes, task, err));
    PT_TRY(check_metric(w, err));
    if (group) {
        PT_TRY(PT_NEW(w->group, w->n, "groups", err));
        PT_TRY(pt_dense_numbers(w->group, &w->n_groups, group, w->n, NULL, err));
    }
    return make_room(w, params, err);
}

/* ---- rows ------------------------------------------------------------------------------------ */

pt_status pt_worsening_open(pt_worsening *w, pt_error *err)
{
    const unsigned wanted = (1u << w->metric) & ~(unsigned)PT_PROBABILITY_METRICS;
    pt_tally_free(&w->tally);
    memset(&w->reliability, 0, sizeof w->reliability);
    w->next = 0;
    if (w->in)
        memset(w->in, 0, (size_t)(w->n * pt_labels_n_classes(w->labels)));
    return pt_tally_init(&w->tally, w->labels, w->k, wanted, &w->rules, err);
}

static void judge_probabilities(pt_worsening *w, int64_t i, const double *scores)
{
    const pt_model *m = w->model;
    const pt_labels *labels = w->labels;
    if (labels->kind == PT_LABEL_CLASS) {
        pt_class_probabilities(&m->calibration, m->class_rows, scores, w->k, w->proba);
        pt_reliability_add(&w->reliability, w->proba, w->k, pt_first_largest(scores, w->k),
                           labels->class_of[i], 1);
        if (w->probas)
            memcpy(w->probas + i * w->k, w->proba, (size_t)w->k * sizeof *w->proba);
        return;
    }
    int64_t at = labels->start[i];
    for (int64_t r = 0; r < w->k; r++) {
        const bool member = at < labels->start[i + 1] && labels->item[at] == r;
        at += member;
        pt_reliability_add_member(&w->reliability,
                                  pt_member_probability(&m->calibration, scores[r]), member, 1);
    }
}

/* What a draw of the row counts. */
static void keep_said(pt_worsening *w, int64_t i, const double *scores)
{
    const pt_labels *labels = w->labels;
    if (w->said)
        w->said[i] = pt_first_largest(scores, w->k);
    if (!w->in)
        return;
    unsigned char *in = w->in + i * pt_labels_n_classes(labels);
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++)
        in[labels->item[at]] = 1;
    for (int64_t r = 0; r < w->k; r++)
        in[r] |= pt_score_in_set(scores[r]) ? 2 : 0;
}

void pt_worsening_row(pt_worsening *w, const double *scores)
{
    const int64_t i = w->next++;
    double part = 0;
    double whole = 0;
    if (w->part)
        (void)sums_of(w, &part, &whole);
    if (judges_probabilities(w))
        judge_probabilities(w, i, scores);
    else
        (void)pt_tally_add(&w->tally, i, scores);
    keep_said(w, i, scores);
    if (!w->part)
        return;
    (void)sums_of(w, &w->part[i], &w->whole[i]);
    w->part[i] -= part;
    w->whole[i] -= whole;
}

/* ---- figures --------------------------------------------------------------------------------- */

static double figure_of(const pt_worsening *w)
{
    double part = 0;
    double whole = 0;
    if (!judges_probabilities(w))
        return pt_tally_metric(&w->tally, w->metric);
    (void)sums_of(w, &part, &whole);
    return whole > 0 ? part / whole : NAN;
}

/* Adds to sum (n) what each row does to the quotient. */
static void add_rows(const pt_worsening *w, double *sum)
{
    double part = 0;
    double whole = 0;
    for (int64_t i = 0; i < w->n; i++) {
        part += w->part[i];
        whole += w->whole[i];
    }
    for (int64_t i = 0; i < w->n && whole > 0; i++)
        sum[i] += (w->part[i] - part / whole * w->whole[i]) / whole;
}

/* Adds the figures of all draws to sum. */
static pt_status add_draws(const pt_worsening *w, const pt_auc *auc, double *sum, pt_error *err)
{
    const pt_drawn_rows rows = drawn_rows(w, auc);
    const double *value = w->work + drawn_figure(w) * w->times;
    if (w->times == 0)
        return PT_OK;
    PT_TRY(pt_draw_figures(w->work, &rows, w->times, w->seed, w->task, err));
    for (int64_t b = 0; b < w->times; b++)
        sum[b] += value[b];
    return PT_OK;
}

/* The metric that needs all rows at once, and its draws. */
static pt_status look_at_all(const pt_worsening *w, double *value, double *drawn, pt_error *err)
{
    PT_FREED_BY(pt_auc_free) pt_auc auc = {0};
    if (!w->probas)
        return add_draws(w, NULL, drawn, err);
    PT_TRY(pt_auc_init(&auc, w->probas, w->labels->class_of, w->n, w->k, w->task, err));
    PT_SCRATCH double *work = NULL;
    PT_TRY(PT_NEW(work, pt_auc_work(&auc), "areas under curves", err));
    const pt_auc_means means = pt_auc_means_of(&auc, NULL, work);
    *value = w->metric == PT_METRIC_AUC_OVR ? means.ovr : means.ovo;
    return add_draws(w, auc.order ? &auc : NULL, drawn, err);
}

pt_status pt_worsening_close(pt_worsening *w, double *value, pt_error *err)
{
    *value = figure_of(w);
    if (w->part)
        add_rows(w, w->change);
    else
        PT_TRY(look_at_all(w, value, w->drawn, err));
    w->sum += direction(w, false) * (*value - w->value);
    w->count++;
    return PT_OK;
}

/* ---- changes --------------------------------------------------------------------------------- */

void pt_worsening_begin(pt_worsening *w)
{
    w->count = 0;
    w->sum = 0;
    if (w->change)
        memset(w->change, 0, (size_t)w->n * sizeof *w->change);
    if (w->drawn)
        memset(w->drawn, 0, (size_t)w->times * sizeof *w->drawn);
}

void pt_worsening_keep(pt_worsening *w, double value)
{
    w->value = value;
    if (w->change)
        memcpy(w->at_first, w->change, (size_t)w->n * sizeof *w->change);
    if (w->drawn)
        memcpy(w->drawn_at_first, w->drawn, (size_t)w->times * sizeof *w->drawn);
}

void pt_worsening_same(pt_worsening *w)
{
    for (int64_t i = 0; i < w->n && w->change; i++)
        w->change[i] += w->at_first[i];
    for (int64_t b = 0; b < w->times && w->drawn; b++)
        w->drawn[b] += w->drawn_at_first[b];
    w->count++;
}

/* 1.96 roots of the variance of the sum of all rows' differences. */
static double half_width(const pt_worsening *w)
{
    double *of_group = w->work;
    double squares = 0;
    memset(of_group, 0, (size_t)w->n_groups * sizeof *of_group);
    for (int64_t i = 0; i < w->n; i++)
        of_group[w->group ? w->group[i] : i] += w->change[i] / (double)w->count - w->at_first[i];
    for (int64_t g = 0; g < w->n_groups; g++)
        squares += of_group[g] * of_group[g];
    const double m = (double)w->n_groups;
    return NORMAL_QUANTILE * sqrt(squares * m / (m - 1));
}

pt_interval pt_worsening_end(pt_worsening *w, double *mean)
{
    *mean = w->sum / (double)w->count;
    if (w->n_groups < 2 || isnan(*mean))
        return (pt_interval){NAN, NAN};
    if (w->part) {
        const double half = half_width(w);
        return (pt_interval){*mean - half, *mean + half};
    }
    for (int64_t b = 0; b < w->times; b++)
        w->drawn[b] = direction(w, true) * (w->drawn[b] / (double)w->count - w->drawn_at_first[b]);
    return pt_interval_of(w->drawn, w->times);
}
