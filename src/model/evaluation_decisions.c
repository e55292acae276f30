/* Decisions against labels (docs/decisions.md): what they cost beside the most probable class; the
 * error of the rows that are accepted, for several shares of them; how often sets hold the right
 * class, and how many first classes of every row would. */
#include "model/evaluation_decisions.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/significance.h"
#include "base/sort.h"
#include "decoders/decoder.h"
#include "metrics/label_judge.h"

enum { MOST_ROWS = 1 << 20 };

/* Shares of rows that a table of rejection accepts. */
static const double ACCEPT[] = {1, 0.95, 0.9, 0.8, 0.7, 0.5};
enum { N_ACCEPT = sizeof ACCEPT / sizeof *ACCEPT };

void pt_decided_free(pt_decided *d)
{
    pt_decider_free(&d->decider);
    pt_free(d->row);
    pt_free(d->class_rows);
    pt_free(d->class_right);
    pt_free(d->first);
    pt_free(d->work);
    pt_free(d->set);
    *d = (pt_decided){0};
}

/* Costs are a metric of any model's first class, too: where there are no probabilities, or no
 * single classes, nothing is decided by them. */
static bool costs_alone(const pt_model *model, pt_label_kind asked, const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_COSTS), "none") != 0 &&
           (model->label_kind != PT_LABEL_CLASS || asked != PT_LABEL_CLASS);
}

pt_status pt_decided_init(pt_decided *d, const pt_model *model, pt_label_kind asked,
                          const pt_params *params, const pt_task *task, pt_error *err)
{
    const int64_t k = model->classes.count;
    d->k = k;
    if (costs_alone(model, asked, params))
        return PT_OK;
    PT_TRY(pt_decider_init(&d->decider, model, params, task, err));
    if (d->decider.rule == PT_DECIDE_LARGEST)
        return PT_OK;
    if (asked != model->label_kind)
        return pt_fail(err, PT_EINVAL,
                       "decisions are of labels of kind '%s', and are not compared with those of "
                       "kind '%s'",
                       pt_label_kind_name(model->label_kind), pt_label_kind_name(asked));
    PT_TRY(PT_NEW(d->work, 2 * k + 1, "probabilities", err));
    PT_TRY(PT_NEW_ZERO(d->class_rows, k, "classes", err));
    PT_TRY(PT_NEW_ZERO(d->class_right, k, "classes", err));
    PT_TRY(PT_NEW_ZERO(d->first, k + 2, "classes", err));
    d->step = 1;
    return PT_NEW(d->set, pt_set_words(k), "a set of classes", err);
}

/* ---- row by row ------------------------------------------------------------------------------ */

static void collect(pt_collected *c, double value)
{
    c->sum += value;
    c->squares += value * value;
}

/* Rows of a class that the model does not know have no cost. */
static void add_costs(pt_decided *d, const double *p, int64_t best, int64_t truth)
{
    const int64_t columns = d->decider.columns;
    if (truth >= d->k)
        return;
    const int64_t label = pt_decider_label(&d->decider, p, d->k, best, d->work + d->k);
    const double *costs = d->decider.costs + truth * columns;
    const double plain = costs[best];
    const double least = costs[label < 0 ? d->k : label];
    d->n++;
    d->n_rejected += label < 0;
    d->n_right += label == truth;
    collect(&d->least, least);
    collect(&d->saved, plain - least);
}

/* Where there is no room for more, every second of those that are there goes. */
static pt_status keep_row(pt_decided *d, double p, bool right, pt_error *err)
{
    if ((d->n - 1) % d->step != 0)
        return PT_OK;
    if (d->n_kept == MOST_ROWS) {
        d->n_kept = 0;
        for (int64_t at = 0; at < MOST_ROWS; at += 2)
            d->row[d->n_kept++] = d->row[at];
        d->step *= 2;
        if ((d->n - 1) % d->step != 0)
            return PT_OK;
    }
    if (d->n_kept == d->room) {
        const int64_t room = d->room ? 2 * d->room : 1024;
        PT_TRY(pt_alloc_grow((void **)&d->row, d->room, room, sizeof *d->row, "rows", err));
        d->room = room;
    }
    d->row[d->n_kept++] = (pt_sure_row){p, right};
    return PT_OK;
}

static pt_status add_sure(pt_decided *d, const double *p, int64_t best, int64_t truth,
                          pt_error *err)
{
    const bool rejected = p[best] < d->decider.reject;
    d->n++;
    d->n_rejected += rejected;
    d->n_right += !rejected && best == truth;
    return keep_row(d, p[best], best == truth, err);
}

/* items: the classes that are right, some perhaps unknown. */
static void add_set(pt_decided *d, const double *p, const double *scores, int64_t best,
                    const int64_t *items, int64_t n_items)
{
    int64_t size = 0;
    int64_t first = 0;
    bool all = true;
    memset(d->set, 0, (size_t)pt_set_words(d->k) * sizeof *d->set);
    pt_decider_set(&d->decider, p, d->k, best, d->set);
    for (int64_t r = 0; r < d->k; r++)
        size += pt_set_has(d->set, r);
    for (int64_t c = 0; c < n_items; c++) {
        const int64_t item = items[c];
        const bool known = item < d->k;
        const bool in = known && pt_set_has(d->set, item);
        int64_t place = 1; /* among the classes in the order of their scores */
        for (int64_t r = 0; known && r < d->k; r++)
            place += r != item && pt_score_before(scores, r, item);
        first = pt_greater(first, known ? place : d->k + 1);
        all = all && in;
        if (known) {
            d->class_rows[item]++;
            d->class_right[item] += in;
        }
    }
    d->n++;
    d->n_right += all;
    d->size += (double)size;
    d->first[first]++;
}

pt_status pt_decided_add(pt_decided *d, const pt_prediction *p, const pt_labels *labels,
                         const double *weights, const pt_task *task, pt_error *err)
{
    const int64_t k = d->k;
    const bool classes = labels->kind == PT_LABEL_CLASS;
    const pt_decision_rule rule = d->decider.rule;
    for (int64_t i = 0; i < labels->n && rule != PT_DECIDE_LARGEST; i++) {
        PT_TRY(pt_task_check_row(task, i, rule == PT_DECIDE_COSTS ? k * k : 8 * k, err));
        if ((weights && !(weights[i] > 0)) || !pt_labels_has(labels, i))
            continue;
        const double *scores = p->scores + i * k;
        const int64_t best = pt_first_largest(scores, k);
        const int64_t truth = classes ? labels->class_of[i] : 0;
        PT_TRY(pt_scores_proba(p->label_kind, &p->calibration, p->class_rows, 1, k, scores, d->work,
                               err));
        if (rule == PT_DECIDE_COSTS)
            add_costs(d, d->work, best, truth);
        else if (rule == PT_DECIDE_REJECT)
            PT_TRY(add_sure(d, d->work, best, truth, err));
        else if (classes)
            add_set(d, d->work, scores, best, &truth, 1);
        else
            add_set(d, d->work, scores, best, labels->item + labels->start[i],
                    labels->start[i + 1] - labels->start[i]);
    }
    return PT_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* The mean of n rows, and 1.96 standard errors to both sides. */
static pt_status add_mean(pt_report *report, const char *name, const char *interval,
                          const pt_collected *c, int64_t n, pt_error *err)
{
    const double mean = c->sum / (double)n;
    const double variance = n > 1 ? fmax(c->squares - c->sum * mean, 0) / (double)(n - 1) : 0;
    const double reach = 1.96 * sqrt(variance / (double)n);
    const double bounds[] = {mean - reach, mean + reach};
    PT_TRY(pt_report_add_number(report, name, mean, err));
    return n > 1 ? pt_report_copy(report, PT_LIST(interval, PT_F64, "bound", 2, bounds), err)
                 : PT_OK;
}

static pt_status add_share(pt_report *report, const char *name, const char *interval, int64_t m,
                           int64_t n, pt_error *err)
{
    double bounds[2] = {NAN, NAN};
    pt_binomial_interval(m, n, &bounds[0], &bounds[1]);
    PT_TRY(pt_report_add_number(report, name, (double)m / (double)n, err));
    return pt_report_copy(report, PT_LIST(interval, PT_F64, "bound", 2, bounds), err);
}

static pt_status report_costs(const pt_decided *d, pt_report *report, pt_error *err)
{
    PT_TRY(add_mean(report, "least_cost", "least_cost_interval", &d->least, d->n, err));
    return add_mean(report, "saved_cost", "saved_cost_interval", &d->saved, d->n, err);
}

/* The surest first. */
static int surest(const void *a, const void *b)
{
    const double x = ((const pt_sure_row *)a)->p;
    const double y = ((const pt_sure_row *)b)->p;
    return x > y ? -1 : x < y;
}

/* Rows of equal probability are accepted together: the share is that of the rows, or a little
 * more. */
static pt_status report_shares(const pt_decided *d, pt_report *report, pt_error *err)
{
    double share[N_ACCEPT];
    double least[N_ACCEPT];
    double error[N_ACCEPT];
    for (int t = 0; t < N_ACCEPT; t++) {
        const int64_t wanted = pt_greater((int64_t)ceil(ACCEPT[t] * (double)d->n_kept - 1e-9), 1);
        int64_t m = 0;
        int64_t wrong = 0;
        while (m < wanted || (m < d->n_kept && d->row[m].p == d->row[m - 1].p))
            wrong += !d->row[m++].right;
        share[t] = (double)m / (double)d->n_kept;
        least[t] = d->row[m - 1].p;
        error[t] = (double)wrong / (double)m;
    }
    PT_TRY(pt_report_copy(report, PT_LIST("accept", PT_F64, "accept", N_ACCEPT, share), err));
    PT_TRY(pt_report_copy(report, PT_LIST("accept_probability", PT_F64, "accept", N_ACCEPT, least),
                          err));
    return pt_report_copy(report, PT_LIST("accept_error", PT_F64, "accept", N_ACCEPT, error), err);
}

/* How many first classes of every row hold as much, between whole numbers by interpolation. */
static double same_first(const pt_decided *d)
{
    int64_t below = 0;
    int64_t j = 0;
    while (j <= d->k && below + d->first[j] < d->n_right)
        below += d->first[j++];
    if (j > d->k || d->first[j] == 0)
        return (double)pt_lesser(j, d->k);
    return j == 0 ? 0 : (double)(j - 1) + (double)(d->n_right - below) / (double)d->first[j];
}

static pt_status report_sets(const pt_decided *d, pt_report *report, int64_t n_classes,
                             pt_error *err)
{
    double *share = NULL;
    PT_TRY(add_share(report, "covered", "covered_interval", d->n_right, d->n, err));
    PT_TRY(pt_report_add_number(report, "set_size", d->size / (double)d->n, err));
    PT_TRY(pt_report_add_number(report, "first_classes", same_first(d), err));
    PT_TRY(pt_report_room(report, PT_LIST("class_covered", PT_F64, "class", n_classes, NULL),
                          &share, err));
    for (int64_t r = 0; r < d->k; r++)
        share[r] =
            d->class_rows[r] > 0 ? (double)d->class_right[r] / (double)d->class_rows[r] : NAN;
    return PT_OK;
}

pt_status pt_decided_finish(pt_decided *d, pt_warnings *warnings, const pt_task *task,
                            pt_error *err)
{
    PT_TRY(pt_warnings_add_new(warnings, &d->decider.warnings, err));
    return d->row ? pt_sort(d->row, d->n_kept, sizeof *d->row, surest, "rows", task, err) : PT_OK;
}

pt_status pt_decided_report(const pt_decided *d, pt_report *report, int64_t n_classes,
                            pt_error *err)
{
    static const char *const RULES[] = {"largest", "costs", "reject", "coverage"};
    const pt_decision_rule rule = d->decider.rule;
    const int64_t accepted = d->n - d->n_rejected;
    if (rule == PT_DECIDE_LARGEST || d->n == 0)
        return PT_OK;
    PT_TRY(pt_report_add_text(report, "decided", RULES[rule], err));
    if (rule == PT_DECIDE_COVERAGE)
        return report_sets(d, report, n_classes, err);
    PT_TRY(pt_report_add_integer(report, "n_rejected", d->n_rejected, err));
    if (accepted > 0)
        PT_TRY(add_share(report, "accepted_error", "accepted_error_interval", accepted - d->n_right,
                         accepted, err));
    return rule == PT_DECIDE_COSTS ? report_costs(d, report, err) : report_shares(d, report, err);
}
