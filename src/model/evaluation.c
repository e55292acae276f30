/* How good predictions are: metrics of labels of any kind; of classes the confusion matrix and
 * margins too. Classes of the data that the model does not know come after the model's. */
#include "model/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/sort.h"
#include "data/labels/label_pairs.h"
#include "data/labels/labels.h"
#include "data/row_digest.h"
#include "decoders/decoder.h"
#include "machine/code_scores.h"
#include "select/search.h"

void pt_evaluation_free(pt_evaluation *e)
{
    if (!e)
        return;
    pt_texts_free(&e->classes);
    pt_warnings_free(&e->warnings);
    pt_free(e->class_of);
    pt_tally_free(&e->tally);
    pt_free(e->naming);
    pt_free(e->confusion);
    pt_free(e->margin);
    pt_free(e->proba);
    pt_free(e->truth);
    pt_free(e->probas);
    pt_metric_rules_free(&e->rules);
    pt_evaluation_rows_free(&e->rows);
    pt_diagnosis_free(&e->diagnosis);
    pt_evaluation_free_stages(e);
    pt_decided_free(&e->decided);
    pt_free(e);
}

/* Score of the true class minus the best other. */
static double margin_of(const double *scores, int64_t k, int64_t truth)
{
    double other = -INFINITY;
    for (int64_t r = 0; r < k; r++)
        if (r != truth && scores[r] > other)
            other = scores[r];
    return scores[truth] - other;
}

/* Where there is no room for more, every second of those that are there goes. */
static void keep_margin(pt_evaluation *e, double margin)
{
    if (e->n_with_margin++ % e->margin_step != 0)
        return;
    if (e->n_margins == e->margin_room) {
        e->n_margins = 0;
        for (int64_t at = 0; at < e->margin_room; at += 2)
            e->margin[e->n_margins++] = e->margin[at];
        e->margin_step *= 2;
        if ((e->n_with_margin - 1) % e->margin_step != 0)
            return;
    }
    e->margin[e->n_margins++] = margin;
}

/* 1 - [y in H]/|H| for the classes H that share the largest score. */
static double expected_error_of(const double *scores, int64_t k, int64_t truth)
{
    const double top = scores[pt_first_largest(scores, k)];
    int64_t tied = 0;
    for (int64_t r = 0; r < k; r++)
        tied += scores[r] == top;
    return truth < k && scores[truth] == top ? 1 - 1 / (double)tied : 1;
}

/* One example of class labels. */
static void count_class(pt_evaluation *e, const pt_prediction *p, int64_t i, int64_t truth)
{
    const double *scores = p->scores + i * p->k;
    e->expected_wrong += expected_error_of(scores, p->k, truth);
    const int64_t said = pt_first_largest(scores, p->k); /* whatever was decided since */
    e->confusion[truth * p->k + said]++;
    if (p->label_kind == PT_LABEL_CLASS && !e->no_probabilities) {
        if (e->given)
            memcpy(e->proba, e->given + i * p->k, (size_t)p->k * sizeof *e->proba);
        else
            pt_class_probabilities(&p->calibration, p->class_rows, scores, p->k, e->proba);
        pt_reliability_add(&e->reliability, e->proba, p->k, said, truth, 1);
        if (e->probas)
            memcpy(e->probas + e->n_kept * p->k, e->proba, (size_t)p->k * sizeof *e->proba);
    }
    if (e->truth)
        e->truth[e->n_kept++] = truth;
    if (truth < p->k)
        keep_margin(e, margin_of(scores, p->k, truth));
}

/* One example of sets: every class that the model knows is asked about by itself. */
static void count_set(pt_evaluation *e, const pt_prediction *p, const pt_labels *labels, int64_t i)
{
    int64_t at = labels->start[i];
    for (int64_t r = 0; r < p->k && !e->no_probabilities; r++) {
        const bool member = at < labels->start[i + 1] && labels->item[at] == r;
        at += member;
        const double proba = e->given
                                 ? e->given[i * p->k + r]
                                 : pt_member_probability(&p->calibration, p->scores[i * p->k + r]);
        pt_reliability_add_member(&e->reliability, proba, member, 1);
    }
}

/* Which classes the label of example i names. A pair's class may be in several of its pairs. */
static void count_names(pt_evaluation *e, const pt_labels *labels, int64_t i, int64_t n_known,
                        int64_t *last)
{
    const bool by_class = labels->kind == PT_LABEL_CLASS;
    const int64_t *item = by_class ? labels->class_of + i : labels->item + labels->start[i];
    const int64_t count = by_class ? 1 : labels->start[i + 1] - labels->start[i];
    bool unknown = false;
    for (int64_t c = 0; c < count; c++) {
        e->naming[item[c]] += last[item[c]] != i + 1;
        last[item[c]] = i + 1;
        unknown = unknown || item[c] >= n_known;
    }
    e->n_unknown += unknown;
}

/* Rows of weight 0 are absent here, too. */
static pt_status count_examples(pt_evaluation *e, const pt_labels *labels, const double *weights,
                                const int64_t *group, const pt_prediction *p, int64_t *last,
                                const pt_task *task, pt_error *err)
{
    static const int64_t FIGURES = 32; /* that are formed of a row take as long as so many cells */
    for (int64_t i = 0; i < labels->n; i++) {
        PT_TRY(pt_task_check_row(task, i, FIGURES + p->k, err));
        if (weights && !(weights[i] > 0))
            continue;
        if (!pt_labels_has(labels, i)) {
            e->n_unlabelled += labels->kind != PT_LABEL_CLASS || labels->class_of[i] != PT_ABSENT;
            continue;
        }
        pt_evaluation_row_begin(e);
        pt_tally_add(&e->tally, i, p->scores + i * p->k);
        count_names(e, labels, i, p->k, last);
        if (labels->kind == PT_LABEL_CLASS)
            count_class(e, p, i, labels->class_of[i]);
        else if (labels->kind == PT_LABEL_SET)
            count_set(e, p, labels, i);
        pt_evaluation_row_end(e, labels, i, p->scores + i * p->k, p->k,
                              pt_first_largest(p->scores + i * p->k, p->k), group ? group[i] : i);
    }
    return PT_OK;
}

static pt_status finish(pt_evaluation *e, const char *source, bool weighted, const pt_task *task,
                        pt_error *err)
{
    e->n = e->tally.n;
    if (e->n_unlabelled > 0 && e->n > 0)
        PT_TRY(pt_warn(&e->warnings, err, PT_KIND_DATA, "%lld row%s without label %s not compared",
                       (long long)e->n_unlabelled, e->n_unlabelled == 1 ? "" : "s",
                       e->n_unlabelled == 1 ? "is" : "are"));
    e->tally.labels = NULL; /* they were lent */
    PT_TRY(pt_decided_finish(&e->decided, &e->warnings, task, err));
    if (e->margin)
        PT_TRY(pt_sort(e->margin, e->n_margins, sizeof *e->margin, pt_ascending, "margins", task,
                       err));
    return e->n > 0 ? PT_OK
                    : pt_fail_at(err, PT_EFORMAT, source, 0, 0, "no row has a label%s",
                                 weighted ? " and a weight" : "");
}

/* What takes all rows at once: areas under curves, and intervals. */
static pt_status look_at_all(pt_evaluation *e, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_auc_free) pt_auc auc = {0};
    if (!e->probas)
        return pt_evaluation_draw(e, NULL, task, err);
    PT_TRY(pt_auc_init(&auc, e->probas, e->truth, e->n_kept, e->n_known, task, err));
    PT_SCRATCH double *work = NULL;
    PT_TRY(PT_NEW(work, pt_auc_work(&auc), "areas under curves", err));
    e->auc = pt_auc_means_of(&auc, NULL, work);
    return pt_evaluation_draw(e, &auc, task, err);
}

/* For all rows. */
static pt_status make_rows(pt_evaluation *e, int64_t n, bool grouped, bool areas,
                           bool probabilities, const pt_params *params, pt_error *err)
{
    if (e->label_kind == PT_LABEL_CLASS)
        PT_TRY(PT_NEW(e->truth, n, "classes", err));
    if (areas) {
        e->probas = pt_alloc(n, (size_t)e->n_known * sizeof *e->probas, "probabilities", err);
        PT_TRY(e->probas ? PT_OK : PT_ENOMEM);
    }
    return pt_evaluation_rows_init(e, grouped, n, probabilities, params, err);
}

/* margins: how many are kept. */
static pt_status make_room(pt_evaluation *e, const pt_labels *labels, int64_t n_known,
                           int64_t margins, pt_error *err)
{
    e->auc = (pt_auc_means){NAN, NAN};
    PT_TRY(pt_tally_init(&e->tally, labels, n_known, ~(unsigned)PT_PROBABILITY_METRICS, &e->rules,
                         err));
    e->naming = pt_alloc_zero(e->k, sizeof(int64_t), "classes", err);
    if (!e->naming)
        return PT_ENOMEM;
    if (labels->kind != PT_LABEL_CLASS)
        return PT_OK;
    size_t row = 0;
    e->n_known = n_known;
    if (pt_size_mul((size_t)n_known, sizeof(int64_t), &row))
        e->confusion = pt_alloc_zero(e->k, row, "a confusion matrix", err);
    e->margin = pt_alloc(margins, sizeof(double), "margins", err);
    e->margin_room = margins;
    e->margin_step = 1;
    e->proba = pt_alloc(n_known, sizeof(double), "probabilities", err);
    return e->confusion && e->margin && e->proba ? PT_OK : PT_ENOMEM;
}

/* Those of decisions, without rejecting. */
static pt_status take_costs(pt_evaluation *e, const pt_params *params, pt_error *err)
{
    const pt_decider *d = &e->decided.decider;
    const int64_t k = e->decided.k;
    double *costs = NULL;
    PT_TRY(PT_NEW(costs, k * k, "costs", err));
    for (int64_t r = 0; r < k; r++)
        memcpy(costs + r * k, d->costs + r * d->columns, (size_t)k * sizeof *costs);
    e->rules = PT_METRIC_RULES;
    e->rules.top_k = pt_params_integer(params, PT_P_TOP_K);
    e->rules.costs = costs;
    return PT_OK;
}

/* Costs are of one class for another. */
static pt_status take_rules(pt_evaluation *e, const pt_params *params, const pt_model *model,
                            const pt_task *task, pt_error *err)
{
    if (params && e->label_kind != PT_LABEL_CLASS && pt_params_set_by_user(params, PT_P_COSTS))
        return pt_fail(err, PT_EINVAL, "`costs`: labels of kind '%s' have none",
                       pt_label_kind_name(e->label_kind));
    PT_TRY(pt_decided_init(&e->decided, model, e->label_kind, params, task, err));
    if (e->decided.decider.rule == PT_DECIDE_COSTS)
        return take_costs(e, params, err);
    return pt_metric_rules_of(&e->rules, params, e->label_kind, &model->classes, task, err);
}

/* Every score puts classes in order; which class, or which set, only some kinds of models say. */
pt_status pt_evaluation_check_kinds(const pt_model *model, const pt_dataset *data, pt_error *err)
{
    const pt_label_kind asked = data->labels->kind;
    const pt_label_kind learned = model->label_kind;
    if (asked == PT_LABEL_SET && learned != PT_LABEL_SET)
        return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                          "the labels are of kind 'set', the model's are '%s': it does not say "
                          "which classes are in a set",
                          pt_label_kind_name(learned));
    if (asked == PT_LABEL_CLASS && learned == PT_LABEL_SET)
        return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                          "the labels are of kind 'class', the model's are 'set'; `labels=set` "
                          "reads a class as the set of it alone");
    return PT_OK;
}

/* Who evaluates on the training rows should know. */
static pt_status warn_of_digest(pt_warnings *warnings, const pt_model *model, uint64_t digest,
                                pt_error *err)
{
    if (!model->data_digest || digest != model->data_digest)
        return PT_OK;
    return pt_warn(warnings, err, PT_KIND_OPTIMISM,
                   "the model was trained on these very rows: on new ones it will err more");
}

pt_status pt_warn_of_training(pt_warnings *warnings, const pt_model *model, const pt_dataset *data,
                              const pt_task *task, pt_error *err)
{
    uint64_t digest = 0;
    if (model->data_digest)
        PT_TRY(pt_dataset_digest(&digest, data, task, err));
    return warn_of_digest(warnings, model, digest, err);
}

/* Whether all of it fits into the memory, if need be without areas under curves. */
static pt_status check_room(pt_evaluation *e, const pt_model *model, const pt_dataset *data,
                            const pt_prediction *prediction, bool *areas, pt_error *err)
{
    static const char WHAT[] = "the data and their evaluation";
    const double numbers = (double)data->n * sizeof(double);
    /* labels in the model's classes, margins and what sorts them */
    const double bytes =
        pt_prediction_bytes(model, prediction->n) + pt_labels_bytes(data->labels) + 2 * numbers;
    const double of_areas = (2 * (double)prediction->k + 1) * numbers; /* and their orders */
    pt_error own = PT_ERROR_INIT;
    PT_TRY(pt_dataset_fits(data, bytes, WHAT, NULL, err));
    if (!*areas || pt_dataset_fits(data, bytes + of_areas, WHAT, NULL, &own) == PT_OK)
        return PT_OK;
    *areas = false;
    return pt_warn(&e->warnings, err, PT_KIND_LIMIT,
                   "areas under curves are left out: they need %s more; raise `memory`",
                   PT_SHOW_BYTES(of_areas));
}

static pt_status evaluate(pt_evaluation *e, const pt_model *model, const pt_dataset *data,
                          const pt_prediction *prediction, const pt_params *params,
                          const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_labels_free_at) pt_labels *labels = NULL;
    PT_SCRATCH int64_t *last = NULL;
    const pt_label_kind kind = data->labels->kind;
    const bool probabilities = kind == PT_LABEL_SET || prediction->label_kind == PT_LABEL_CLASS;
    bool areas = kind == PT_LABEL_CLASS && probabilities;
    PT_TRY(check_room(e, model, data, prediction, &areas, err));
    PT_TRY(pt_labels_match(&labels, data->labels, &model->classes, &e->warnings, err));
    PT_TRY(pt_task_check(task, err));
    PT_TRY(pt_label_pairs_check(labels, data->source, &e->warnings, err));
    PT_TRY(pt_warn_of_training(&e->warnings, model, data, task, err));
    PT_TRY(pt_texts_copy(&e->classes, &labels->classes, err));
    e->k = e->classes.count;
    e->label_kind = labels->kind;
    e->rounds = prediction->rounds;
    PT_TRY(take_rules(e, params, model, task, err));
    PT_TRY(PT_NEW_ZERO(last, e->k, "classes", err));
    PT_TRY(make_room(e, labels, prediction->k, labels->n, err));
    PT_TRY(make_rows(e, data->n, data->group != NULL, areas, probabilities, params, err));
    PT_TRY(count_examples(e, labels, data->weights, data->group, prediction, last, task, err));
    PT_TRY(pt_decided_add(&e->decided, prediction, labels, data->weights, task, err));
    PT_TRY(finish(e, data->source, data->weights != NULL, task, err));
    PT_TRY(look_at_all(e, task, err));
    e->n_rows = labels->n;
    e->class_of = pt_keep(&labels->class_of);
    return PT_OK;
}

static pt_status evaluate_prediction(pt_report **out, const pt_model *model, const pt_dataset *data,
                                     const pt_prediction *prediction, const pt_params *params,
                                     const pt_task *task, pt_error *err)
{
    const pt_labels *labels = data->labels;
    if (!labels || labels->n != prediction->n || prediction->k != model->classes.count)
        return labels ? pt_fail(err, PT_EINVAL, "the predictions are of other data")
                      : pt_fail_at(
                            err, PT_EFORMAT, data->source, 0, 0,
                            "there are no labels to compare with; name their column with `label`");
    PT_TRY(pt_evaluation_check_kinds(model, data, err));
    PT_FREED_BY(pt_evaluation_free_at)
    pt_evaluation *e = pt_alloc_zero(1, sizeof *e, "an evaluation", err);
    if (!e)
        return PT_ENOMEM;
    PT_TRY(evaluate(e, model, data, prediction, params, task, err));
    return pt_evaluation_report(out, pt_keep(&e), err);
}

pt_status pt_model_evaluate(pt_report **out, const pt_model *model, const pt_dataset *data,
                            const pt_prediction *prediction, const pt_params *params, pt_task *task,
                            pt_error *err)
{
    PT_FREED_BY(pt_prediction_free_at) pt_prediction *made = NULL;
    if (!prediction)
        PT_TRY(pt_model_predict(&made, model, data, -1, task, err));
    return evaluate_prediction(out, model, data, prediction ? prediction : made, params, task, err);
}

/* Room for a class that stands for all that the model does not know, whose names would be many. */
static pt_status begin_parts(pt_evaluation *e, const pt_model *model, const pt_params *params,
                             int64_t rounds, pt_error *err)
{
    enum { MOST_MARGINS = 1 << 20 };
    PT_TRY(pt_texts_copy(&e->classes, &model->classes, err));
    PT_TRY(pt_texts_add(&e->classes, err, "(classes that training never saw)"));
    e->k = e->classes.count;
    e->label_kind = PT_LABEL_CLASS;
    e->rounds = rounds;
    PT_TRY(take_rules(e, params, model, NULL, err));
    const pt_labels none = {.kind = PT_LABEL_CLASS, .classes = e->classes};
    return make_room(e, &none, model->classes.count, MOST_MARGINS, err);
}

/* Parts have no groups, and intervals of single rows would be too narrow. */
static pt_status leave_out_intervals(pt_evaluation *e, pt_error *err)
{
    PT_TRY(PT_NEW(e->rows.group, 1, "groups", err));
    return pt_warn(&e->warnings, err, PT_KIND_LIMIT,
                   "intervals are left out: those of rows in groups take all rows at once; raise "
                   "`memory`");
}

/* Where no row had such a class, there is none. */
static void end_parts(pt_evaluation *e)
{
    if (e->n_unknown > 0)
        return;
    e->k--;
    e->tally.k--;
    e->tally.pairs -= e->tally.n; /* each row had one with it, in order */
}

pt_status pt_prediction_stream_evaluate(pt_report **out, pt_prediction_stream *stream,
                                        const pt_model *model, const pt_params *params,
                                        pt_error *err)
{
    if (model->label_kind != PT_LABEL_CLASS)
        return pt_fail(
            err, PT_EMEMORY,
            "labels of kind '%s' are not compared part by part; raise `memory` or use fewer rows",
            pt_label_kind_name(model->label_kind));
    PT_FREED_BY(pt_evaluation_free_at)
    pt_evaluation *e = pt_alloc_zero(1, sizeof *e, "an evaluation", err);
    if (!e)
        return PT_ENOMEM;
    const pt_prediction *part = NULL;
    const pt_task *task = pt_prediction_stream_task(stream);
    pt_prediction_stream_keep_labels(stream);
    PT_TRY(pt_prediction_stream_next(stream, &part, err));
    PT_TRY(begin_parts(e, model, params, part ? part->rounds : -1, err));
    if (params && *pt_params_text(params, PT_P_GROUP))
        PT_TRY(leave_out_intervals(e, err));
    PT_SCRATCH int64_t *last = pt_alloc(e->k, sizeof *last, "classes", err);
    if (!last)
        return PT_ENOMEM;
    while (part) {
        pt_labels labels = {.kind = PT_LABEL_CLASS,
                            .n = part->n,
                            .classes = e->classes,
                            .class_of = pt_prediction_stream_truth(stream)};
        memset(last, 0, (size_t)e->k * sizeof *last);
        e->tally.labels = &labels;
        PT_TRY(count_examples(e, &labels, NULL, NULL, part, last, task, err));
        PT_TRY(pt_decided_add(&e->decided, part, &labels, NULL, task, err));
        e->n_rows += part->n;
        PT_TRY(pt_prediction_stream_next(stream, &part, err));
    }
    PT_TRY(finish(e, NULL, false, task, err));
    PT_TRY(warn_of_digest(&e->warnings, model, pt_prediction_stream_digest(stream), err));
    end_parts(e);
    return pt_evaluation_report(out, pt_keep(&e), err);
}

/* ---- held-out scores of a search ------------------------------------------------------------- */

/* All repetitions of a search as rows one behind the other. Zero-initialise; free it always. */
typedef struct held_out_rows {
    int64_t n;
    int64_t held;
    int64_t *row;   /* of the data set */
    int64_t *group; /* a row of the data set is one, whatever the repetition; or its group */
    double *weight; /* 0: not held out */
    pt_labels *own;
    pt_labels *labels; /* in the classes of the search */
} held_out_rows;

static void held_out_rows_free(held_out_rows *h)
{
    pt_free(h->row);
    pt_free(h->group);
    pt_free(h->weight);
    pt_labels_free(h->own);
    pt_labels_free(h->labels);
}

static pt_status list_held_out(held_out_rows *h, const pt_search *search, const pt_dataset *data,
                               pt_error *err)
{
    h->n = search->n_repeats * search->n;
    PT_TRY(PT_NEW(h->row, h->n, "rows", err));
    PT_TRY(PT_NEW(h->group, h->n, "rows", err));
    PT_TRY(PT_NEW(h->weight, h->n, "rows", err));
    for (int64_t a = 0; a < h->n; a++) {
        h->row[a] = search->row[a % search->n];
        h->group[a] = data->group ? data->group[h->row[a]] : h->row[a];
        h->weight[a] = !isnan(search->best_scores[a * search->k]);
        h->held += h->weight[a] > 0;
    }
    PT_TRY(pt_labels_subset(&h->own, data->labels, h->row, h->n, err));
    return pt_labels_match(&h->labels, h->own, &search->classes, NULL, err);
}

static pt_status evaluate_search(pt_evaluation *e, const pt_search *search, const pt_dataset *data,
                                 const pt_params *params, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(held_out_rows_free) held_out_rows h = {0};
    PT_SCRATCH int64_t *last = NULL;
    const bool by_class = search->label_kind == PT_LABEL_CLASS;
    const bool tied = data->group || search->n_repeats > 1;
    int64_t held = 0;
    PT_TRY(list_held_out(&h, search, data, err));
    for (int64_t r = 0; r < search->n_repeats; r++)
        held += search->held[r];
    if (h.held < held)
        return pt_fail(err, PT_ETIME, "there was no time for all held-out scores");
    const pt_prediction p = {.n = h.n,
                             .k = search->k,
                             .scores = search->best_scores,
                             .label_kind = search->label_kind,
                             .rounds = -1};
    e->given = search->best_probas;
    e->no_probabilities = !search->best_probas;
    PT_TRY(pt_texts_copy(&e->classes, &h.labels->classes, err));
    e->k = e->classes.count;
    e->label_kind = search->label_kind;
    e->rounds = -1;
    PT_TRY(pt_metric_rules_of(&e->rules, params, e->label_kind, &search->classes, task, err));
    PT_TRY(PT_NEW_ZERO(last, e->k, "classes", err));
    PT_TRY(make_room(e, h.labels, search->k, h.n, err));
    PT_TRY(make_rows(e, h.n, tied, by_class && search->best_probas, search->best_probas != NULL,
                     params, err));
    PT_TRY(count_examples(e, h.labels, h.weight, tied ? h.group : NULL, &p, last, task, err));
    PT_TRY(finish(e, data->source, false, task, err));
    PT_TRY(look_at_all(e, task, err));
    e->n_rows = h.n;
    e->given = NULL; /* they were lent */
    return PT_OK;
}

pt_status pt_search_evaluate(pt_report **out, const pt_report *report, const pt_dataset *data,
                             const pt_params *params, pt_task *task, pt_error *err)
{
    const pt_search *search = pt_report_object(report, "search");
    PT_FREED_BY(pt_evaluation_free_at) pt_evaluation *e = NULL;
    if (!search || !search->best_scores)
        return search ? pt_fail(err, PT_ETIME, "there was no time for held-out scores")
                      : pt_fail(err, PT_EINVAL, "the report is not of a search");
    if (!data->labels || data->labels->kind != search->label_kind ||
        data->n <= search->row[search->n - 1])
        return pt_fail(err, PT_EINVAL, "the search is of other data");
    PT_TRY(PT_NEW_ZERO(e, 1, "an evaluation", err));
    PT_TRY(evaluate_search(e, search, data, params, task, err));
    return pt_evaluation_report(out, pt_keep(&e), err);
}

/* ---- the columns of a code ------------------------------------------------------------------- */

const pt_loss *pt_evaluation_decoding_loss(const pt_model *model, const pt_loss *learned)
{
    const pt_loss *loss = pt_loss_find(pt_params_text(model->params, PT_P_DECODE));
    return loss && loss != &pt_loss_hamming ? loss : learned;
}

pt_status pt_evaluation_check_data(const pt_evaluation *e, const pt_model *model,
                                   const pt_dataset *data, pt_error *err)
{
    if (!data->labels || data->labels->kind != e->label_kind || data->labels->n != e->n_rows ||
        e->k < model->classes.count)
        return pt_fail(err, PT_EINVAL, "the evaluation is of other data");
    return e->rounds < 0 ? PT_OK : pt_model_check_rounds(model, e->rounds, err);
}
