/* Intervals of the figures of an evaluation: shares of rows exactly (Clopper and Pearson), as long
 * as rows stand for themselves; all others, and all where rows come in groups, by drawing rows, or
 * whole groups, again. Of each row is kept what it adds to the sums that figures are quotients of.
 *
 * The three figures of probabilities have intervals of their own, by standard errors
 * (metrics/reliability.h), which take no draw; of groups they are drawn as well. The calibration
 * error is a sum over bins of | excess |: a draw keeps the signs that the bins were seen with. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/significance.h"
#include "data/ties.h"
#include "metrics/label_judge.h"
#include "model/evaluation.h"

/* ---- sums that figures are quotients of ------------------------------------------------------ */

static void sums_of(const pt_evaluation *e, int figure, double *part, double *whole)
{
    const pt_reliability *r = &e->reliability;
    *part = 0;
    *whole = 0;
    switch (figure) {
    case PT_FIGURE_EXPECTED_ERROR:
        *part = e->expected_wrong;
        *whole = (double)e->tally.n;
        return;
    case PT_FIGURE_CALIBRATION_ERROR: /* its parts are known when the signs are */
        for (int b = 0; b < PT_RELIABILITY_BINS; b++)
            *whole += r->excess[b].weight;
        return;
    case PT_METRIC_LOG_LOSS:
        *part = r->log_loss.sum;
        *whole = r->log_loss.weight;
        return;
    case PT_METRIC_BRIER:
        *part = r->brier.sum;
        *whole = r->brier.weight;
        return;
    default:
        (void)pt_tally_parts(&e->tally, (pt_metric)figure, part, whole);
    }
}

static int place_of(const pt_evaluation_rows *rows, int figure)
{
    for (int f = 0; f < rows->n_ratios; f++)
        if (rows->ratio[f] == figure)
            return f;
    return -1;
}

/* Which are drawn. */
static void list_ratios(pt_evaluation *e, bool probabilities)
{
    pt_evaluation_rows *rows = &e->rows;
    double part = 0;
    double whole = 0;
    for (int m = 0; pt_metric_name((pt_metric)m); m++) {
        const bool exact = pt_metric_is_share((pt_metric)m, e->label_kind) && !rows->group;
        if (e->tally.wanted & 1u << m && !exact &&
            pt_tally_parts(&e->tally, (pt_metric)m, &part, &whole))
            rows->ratio[rows->n_ratios++] = m;
    }
    if (e->label_kind == PT_LABEL_CLASS)
        rows->ratio[rows->n_ratios++] = PT_FIGURE_EXPECTED_ERROR;
    if (!rows->group || !probabilities)
        return;
    rows->ratio[rows->n_ratios++] = PT_METRIC_LOG_LOSS;
    rows->ratio[rows->n_ratios++] = PT_METRIC_BRIER;
    rows->ratio[rows->n_ratios++] = PT_FIGURE_CALIBRATION_ERROR;
}

/* ---- rows ------------------------------------------------------------------------------------ */

void pt_evaluation_rows_free(pt_evaluation_rows *rows)
{
    pt_free(rows->group);
    pt_free(rows->part);
    pt_free(rows->whole);
    pt_free(rows->excess);
    pt_free(rows->said);
    pt_free(rows->in);
    memset(rows, 0, sizeof *rows);
}

/* What is drawn from, as far as it is known. */
static pt_drawn_rows drawn_rows(const pt_evaluation *e, const pt_auc *auc)
{
    const pt_evaluation_rows *rows = &e->rows;
    const bool by_class = e->label_kind == PT_LABEL_CLASS;
    return (pt_drawn_rows){.n = rows->n,
                           .n_groups = rows->n,
                           .group = rows->group,
                           .n_ratios = rows->n_ratios,
                           .part = rows->part,
                           .whole = rows->whole,
                           .k = by_class || rows->in ? e->k : 0,
                           .truth = by_class ? e->truth : NULL,
                           .said = rows->said,
                           .in = rows->in,
                           .auc = auc && auc->order ? auc : NULL};
}

/* The number of draws, given or as many as take little time. */
static int64_t draws_of(const pt_evaluation *e, const pt_params *params, int64_t n, bool areas)
{
    const bool by_class = e->label_kind == PT_LABEL_CLASS;
    const int64_t none[1] = {0};
    const unsigned char nothing[1] = {0};
    const pt_auc auc = {.n = n, .k = e->k};
    const pt_drawn_rows rows = {.n = n,
                                .n_groups = n,
                                .n_ratios = e->rows.n_ratios,
                                .k = e->k,
                                .truth = by_class ? none : NULL,
                                .in = e->label_kind == PT_LABEL_SET ? nothing : NULL,
                                .auc = areas ? &auc : NULL};
    if (params && !pt_params_is_auto(params, PT_P_INTERVALS))
        return pt_params_integer(params, PT_P_INTERVALS);
    return pt_draws_for(&rows);
}

pt_status pt_evaluation_rows_init(pt_evaluation *e, bool grouped, int64_t n, bool probabilities,
                                  const pt_params *params, pt_error *err)
{
    pt_evaluation_rows *rows = &e->rows;
    const bool by_class = e->label_kind == PT_LABEL_CLASS;
    if (grouped)
        PT_TRY(PT_NEW(rows->group, n, "groups", err));
    list_ratios(e, probabilities);
    rows->seed = params ? (uint64_t)pt_params_integer(params, PT_P_SEED) : 1;
    rows->times = draws_of(e, params, n, by_class && probabilities);
    if (rows->times == 0)
        return PT_OK;
    const size_t sums = (size_t)rows->n_ratios * sizeof(double);
    rows->part = pt_alloc(n, sums, "draws", err);
    rows->whole = pt_alloc(n, sums, "draws", err);
    if (!rows->part || !rows->whole)
        return PT_ENOMEM;
    if (grouped && probabilities)
        PT_TRY(PT_NEW(rows->excess, n * PT_RELIABILITY_BINS, "draws", err));
    if (by_class)
        PT_TRY(PT_NEW(rows->said, n, "draws", err));
    if (e->label_kind == PT_LABEL_SET)
        PT_TRY((rows->in = pt_alloc_zero(n, (size_t)e->k, "draws", err)) ? PT_OK : PT_ENOMEM);
    return PT_OK;
}

void pt_evaluation_row_begin(pt_evaluation *e)
{
    pt_evaluation_rows *rows = &e->rows;
    if (rows->times == 0)
        return;
    for (int f = 0; f < rows->n_ratios; f++)
        sums_of(e, rows->ratio[f], &rows->before[2 * f], &rows->before[2 * f + 1]);
    for (int b = 0; b < PT_RELIABILITY_BINS && rows->excess; b++)
        rows->excess[rows->n * PT_RELIABILITY_BINS + b] = -e->reliability.excess[b].sum;
}

/* `in` of a set: its classes and those that the scores are above 0 for. */
static void keep_set(const pt_evaluation *e, const pt_labels *labels, int64_t i,
                     const double *scores, int64_t n_known)
{
    unsigned char *in = e->rows.in + e->rows.n * e->k;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++)
        in[labels->item[at]] = 1;
    for (int64_t r = 0; r < n_known; r++)
        in[r] |= pt_score_in_set(scores[r]) ? 2 : 0;
}

void pt_evaluation_row_end(pt_evaluation *e, const pt_labels *labels, int64_t i,
                           const double *scores, int64_t n_known, int64_t said, int64_t group)
{
    pt_evaluation_rows *rows = &e->rows;
    if (rows->times == 0)
        return;
    for (int f = 0; f < rows->n_ratios; f++) {
        const int64_t at = rows->n * rows->n_ratios + f;
        sums_of(e, rows->ratio[f], &rows->part[at], &rows->whole[at]);
        rows->part[at] -= rows->before[2 * f];
        rows->whole[at] -= rows->before[2 * f + 1];
    }
    for (int b = 0; b < PT_RELIABILITY_BINS && rows->excess; b++)
        rows->excess[rows->n * PT_RELIABILITY_BINS + b] += e->reliability.excess[b].sum;
    if (rows->said)
        rows->said[rows->n] = said;
    if (rows->in)
        keep_set(e, labels, i, scores, n_known);
    if (rows->group)
        rows->group[rows->n] = group;
    rows->n++;
}

/* ---- draws ----------------------------------------------------------------------------------- */

/* The parts of the calibration error, by the signs of the sums of bins. */
static void sign_excess(pt_evaluation *e)
{
    pt_evaluation_rows *rows = &e->rows;
    const int place = place_of(rows, PT_FIGURE_CALIBRATION_ERROR);
    for (int64_t i = 0; i < rows->n && rows->excess && place >= 0; i++) {
        double sum = 0;
        for (int b = 0; b < PT_RELIABILITY_BINS; b++) {
            const double excess = rows->excess[i * PT_RELIABILITY_BINS + b];
            sum += e->reliability.excess[b].sum < 0 ? -excess : excess;
        }
        rows->part[i * rows->n_ratios + place] = sum;
    }
}

pt_status pt_evaluation_draw(pt_evaluation *e, const pt_auc *auc, const pt_task *task,
                             pt_error *err)
{
    pt_evaluation_rows *rows = &e->rows;
    if (rows->times == 0)
        return PT_OK;
    pt_drawn_rows drawn = drawn_rows(e, auc);
    sign_excess(e);
    if (rows->group)
        PT_TRY(pt_dense_numbers(rows->group, &drawn.n_groups, rows->group, rows->n, NULL, err));
    return pt_draw_intervals(rows->interval, &drawn, rows->times, rows->seed, task, err);
}

/* ---- intervals ------------------------------------------------------------------------------- */

static pt_interval turned(pt_interval of)
{
    return (pt_interval){1 - of.high, 1 - of.low};
}

pt_interval pt_evaluation_interval(const pt_evaluation *e, int figure)
{
    static const struct {
        int figure;
        pt_drawn_figure drawn;
    } DRAWN[] = {{PT_METRIC_MACRO_F1, PT_DRAWN_MACRO_F1},
                 {PT_METRIC_BALANCED_ACCURACY, PT_DRAWN_BALANCED_ACCURACY},
                 {PT_METRIC_BALANCED_ERROR, PT_DRAWN_BALANCED_ACCURACY},
                 {PT_METRIC_MCC, PT_DRAWN_MCC},
                 {PT_METRIC_KAPPA, PT_DRAWN_KAPPA},
                 {PT_METRIC_AUC_OVR, PT_DRAWN_AUC_OVR},
                 {PT_METRIC_AUC_OVO, PT_DRAWN_AUC_OVO}};
    const pt_evaluation_rows *rows = &e->rows;
    double part = 0;
    double whole = 0;
    const bool is_metric = pt_metric_name((pt_metric)figure) != NULL;
    if (is_metric && !rows->group && pt_metric_is_share((pt_metric)figure, e->label_kind) &&
        pt_tally_parts(&e->tally, (pt_metric)figure, &part, &whole)) {
        pt_interval exact = {NAN, NAN};
        pt_binomial_interval((int64_t)part, (int64_t)whole, &exact.low, &exact.high);
        return exact;
    }
    if (rows->times == 0)
        return (pt_interval){NAN, NAN};
    const int place = place_of(rows, figure);
    if (place >= 0)
        return rows->interval[place];
    for (size_t d = 0; d < sizeof DRAWN / sizeof *DRAWN; d++)
        if (DRAWN[d].figure == figure) {
            const pt_interval found = rows->interval[rows->n_ratios + DRAWN[d].drawn];
            return figure == PT_METRIC_BALANCED_ERROR ? turned(found) : found;
        }
    return (pt_interval){NAN, NAN};
}
