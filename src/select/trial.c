/* Trials: choose, train, ask. */
#include "select/trial.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "data/labels/labels.h"
#include "machine/training.h"
#include "metrics/label_metrics.h"
#include "select/search.h"
#include "validate/auto.h"
#include "validate/probability/fit_probabilities.h"
#include "validate/validate.h"

/* "ridge=0.5,sigma=2": what `asked` left to be chosen, on an axis of its grid or automatically. */
static pt_status describe(char **out, const pt_params *asked, const pt_params *used, pt_error *err)
{
    PT_FREED_BY(pt_grid_free) pt_grid grid = {0};
    PT_FREED_BY(pt_texts_free) pt_texts parts = {0};
    PT_TRY(pt_grid_parse(&grid, pt_params_text(asked, PT_P_GRID), asked, err));
    size_t length = 1;
    for (int i = 0; i < PT_N_PARAMS; i++) {
        const pt_param_id id = (pt_param_id)i;
        const pt_param_group_id group = pt_param_group_of(id);
        bool chosen =
            pt_params_is_auto(asked, id) && !pt_params_is_auto(used, id) && id != PT_P_KERNEL;
        for (int64_t a = 0; a < grid.n_axes; a++)
            chosen = chosen || grid.axis[a] == id;
        if (!chosen || (group != PT_GROUP_MACHINE && group != PT_GROUP_KERNEL))
            continue;
        PT_TRY(pt_texts_add(&parts, err, "%s%s=%s", parts.count ? "," : "", pt_param_name(i),
                            pt_params_text(used, id)));
        length += strlen(parts.items[parts.count - 1]);
    }
    char *text = pt_alloc_zero((int64_t)length, 1, "a text", err);
    if (!text)
        return PT_ENOMEM;
    for (int64_t p = 0; p < parts.count; p++)
        (void)strncat(text, parts.items[p], length - strlen(text) - 1);
    *out = text;
    return PT_OK;
}

static pt_status check_plan(const pt_training *t, const pt_task *task, pt_error *err)
{
    pt_plan plan;
    PT_TRY(pt_machine_plan(&plan, t->ops, &t->problem, t->params, task, err));
    const double budget = (double)pt_task_memory(task);
    if (plan.bytes > budget)
        return pt_fail(err, PT_EMEMORY,
                       "%s needs %s (%s) and %s may be used; raise `memory` or use fewer rows",
                       t->ops->name, PT_SHOW_BYTES(plan.bytes), plan.route, PT_SHOW_BYTES(budget));
    return PT_OK;
}

/* Classes have numbers of their own in each data set: names tell whether they are the same. */
static pt_status judge_scores(const pt_labels *known, const pt_labels *asked, const double *scores,
                              pt_metric metric, unsigned char *verdict, double *loss,
                              pt_warnings *warnings, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(known);
    PT_FREED_BY(pt_labels_free_at) pt_labels *labels = NULL;
    PT_FREED_BY(pt_tally_free) pt_tally tally = {0};
    PT_TRY(pt_labels_match(&labels, asked, &known->classes, warnings, err));
    PT_TRY(pt_tally_init(&tally, labels, k, loss ? 1u << metric : 0, NULL, err));
    for (int64_t i = 0; i < asked->n; i++) {
        const bool has = pt_labels_has(labels, i);
        verdict[i] = !has                                      ? PT_UNLABELLED
                     : pt_tally_add(&tally, i, scores + i * k) ? PT_RIGHT
                                                               : PT_WRONG;
        const double sum = metric == PT_METRIC_BRIER ? tally.last.brier : tally.last.log_loss;
        if (loss)
            loss[i] = has && tally.last.n > 0 ? sum / (double)tally.last.n : NAN;
    }
    return PT_OK;
}

/* What every class has at least, in the scores of probabilities: one of n_classes, or of a set. */
static double least_score(const pt_probabilities *fitted, int64_t n_classes)
{
    const double floor = fitted->calibration.floor;
    return fitted->class_rows ? log(floor / (double)n_classes) : log(floor / (2 - floor));
}

/* scores (n x k) <- logarithms of probabilities, calibrated on the training rows; *absent <- that
 * of a class that these have not, one of n_classes. */
static pt_status calibrate(const pt_training *t, double *scores, int64_t n, int64_t n_classes,
                           double *absent, pt_warnings *warnings, const pt_task *task,
                           pt_error *err)
{
    const int64_t k = pt_labels_n_classes(t->problem.labels);
    PT_FREED_BY(pt_probabilities_free) pt_probabilities fitted = {0};
    PT_SCRATCH double *work = pt_alloc(k, sizeof *work, "probabilities", err);
    if (!work)
        return PT_ENOMEM;
    PT_TRY(pt_probabilities_fit(&fitted, t, warnings, task, err));
    for (int64_t i = 0; i < n; i++)
        pt_probabilities_log(&fitted, scores + i * k, k, work);
    *absent = least_score(&fitted, n_classes);
    return PT_OK;
}

/* The place of a name in a list, -1: nowhere; lists are in about the same order. */
static int64_t find_class(const pt_texts *classes, const char *name, int64_t begin)
{
    for (int64_t tried = 0; tried < classes->count; tried++) {
        const int64_t at = (begin + tried) % classes->count;
        if (strcmp(classes->items[at], name) == 0)
            return at;
    }
    return -1;
}

/* trial->scores <- those of the known classes, in the order of trial->classes; all others have one
 * that is before none */
static void give_scores(const pt_trial *trial, const pt_texts *known, const double *scores,
                        double absent)
{
    const int64_t n = trial->test->n;
    const int64_t k = trial->classes->count;
    int64_t at = -1;
    for (int64_t a = 0; a < n * k; a++)
        trial->scores[a] = absent;
    for (int64_t r = 0; r < known->count; r++) {
        at = find_class(trial->classes, known->items[r], at + 1);
        for (int64_t i = 0; i < n && at >= 0; i++)
            trial->scores[i * k + at] = scores[i * known->count + r];
    }
}

static pt_status judge(const pt_trial *trial, const pt_training *t, const pt_machine *machine,
                       const pt_task *task, pt_error *err)
{
    const pt_dataset *test = trial->test;
    pt_warnings *warnings = trial->warnings;
    double *loss = trial->loss;
    double absent = -INFINITY;
    const pt_labels *known = t->problem.labels;
    PT_FREED_BY(pt_warnings_free) pt_warnings dropped = {0};
    PT_FREED_BY(pt_prepared_free) pt_prepared prepared = {0};
    PT_TRY(pt_prepare_apply(t->prepare, test, t->problem.rows.type, &prepared, task, err));
    PT_SCRATCH double *scores =
        pt_alloc(test->n * pt_labels_n_classes(known), sizeof *scores, "scores", err);
    if (!scores)
        return PT_ENOMEM;
    PT_TRY(t->ops->scores(machine, &prepared.rows, scores, task, err));
    PT_TRY(pt_lower_unseen(scores, test->n, known, pt_decoder_gives_probabilities(t->params), err));
    if (loss || (trial->scores && PT_PROBABILITY_METRICS & 1 << trial->metric))
        PT_TRY(calibrate(t, scores, test->n,
                         trial->scores ? trial->classes->count : known->classes.count, &absent,
                         warnings ? warnings : &dropped, task, err));
    if (trial->scores)
        give_scores(trial, &known->classes, scores, absent);
    PT_TRY(judge_scores(known, test->labels, scores, trial->metric, trial->verdict, loss, warnings,
                        err));
    return warnings ? pt_warnings_add(warnings, &prepared.warnings, err) : PT_OK;
}

static pt_status train_and_judge(const pt_trial *trial, const pt_params *settled,
                                 const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_training_free) pt_training t = {0};
    PT_FREED_BY(pt_warnings_free) pt_warnings said = {0};
    PT_FREED_BY(pt_machine_free_at) pt_machine *machine = NULL;
    PT_SCRATCH char *text = NULL;
    PT_TRY(pt_training_init_merged(&t, trial->train, settled, task, err));
    PT_TRY(check_plan(&t, task, err));
    PT_TRY(pt_training_resolve(&t, task, err));
    PT_TRY(pt_machine_fit(&machine, t.ops, &t.problem, t.params, task, &said, err));
    PT_TRY(describe(&text, trial->params, t.params, err));
    PT_TRY(judge(trial, &t, machine, task, err));
    if (trial->warnings) {
        PT_TRY(pt_warnings_add(trial->warnings, &t.warnings, err));
        PT_TRY(pt_warnings_add(trial->warnings, &said, err));
    }
    if (trial->trained)
        PT_TRY(pt_warnings_add(trial->trained, &said, err));
    *trial->chosen = pt_keep(&text);
    return PT_OK;
}

pt_status pt_trial_run(const pt_trial *trial, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_search_free_at) pt_search *search = NULL;
    const pt_params *settled = trial->params;
    if (*pt_params_text(settled, PT_P_GRID)) {
        PT_TRY(pt_search_one(&search, trial->train, settled, trial->checkpoint, trial->name, NULL,
                             task, err));
        settled = search->best_params;
    }
    return train_and_judge(trial, settled, task, err);
}

/* The metric of the parameters, where it judges the probabilities of each row; areas under curves
 * are of all rows at once. */
static pt_metric row_metric(const pt_params *params)
{
    const unsigned of_rows = PT_PROBABILITY_METRICS & ~PT_AUC_METRICS;
    const int metric = pt_metric_find(pt_params_text(params, PT_P_METRIC));
    return metric >= 0 && of_rows & 1u << metric ? (pt_metric)metric : PT_METRIC_ERROR;
}

pt_status pt_trial_check(pt_metric *metric, const pt_dataset *data,
                         const pt_params *const *machines, int64_t n_machines, pt_error *err)
{
    bool asked = false;
    bool chosen = false;
    if (n_machines < 2)
        return pt_fail(err, PT_EINVAL, "a comparison needs at least two machines");
    if (!data->labels)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "there are no labels; name their column with `label`");
    for (int64_t m = 0; m < n_machines; m++) {
        asked = asked || pt_params_set_by_user(machines[m], PT_P_METRIC);
        chosen = chosen || *pt_params_text(machines[m], PT_P_GRID);
        if (row_metric(machines[m]) != row_metric(machines[0]))
            return pt_fail(err, PT_EINVAL,
                           "machines are compared by one metric; name it by `metric`, for all");
    }
    *metric = row_metric(machines[0]);
    const char *name = pt_params_text(machines[0], PT_P_METRIC);
    if (*metric != PT_METRIC_ERROR && !(pt_metrics_of(data->labels->kind) & 1u << *metric))
        return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                          "`metric=%s`: labels of kind '%s' have no probabilities", name,
                          pt_label_kind_name(data->labels->kind));
    if (*metric == PT_METRIC_ERROR && asked && !chosen)
        return pt_fail(err, PT_EINVAL,
                       "`metric=%s` chooses among the points of a `grid`, and there is none; "
                       "machines are compared by their errors, or by log-loss or brier",
                       name);
    return PT_OK;
}

pt_status pt_report_add_pairs(pt_report *report, int64_t n_machines, pt_error *err)
{
    const int64_t n = n_machines * (n_machines - 1) / 2;
    int64_t *first = NULL;
    int64_t *second = NULL;
    int64_t at = 0;
    PT_TRY(pt_report_room(report, PT_LIST("pair_first", PT_I64, "pair", n, NULL), &first, err));
    PT_TRY(pt_report_room(report, PT_LIST("pair_second", PT_I64, "pair", n, NULL), &second, err));
    for (int64_t a = 0; a < n_machines; a++)
        for (int64_t b = a + 1; b < n_machines; b++) {
            first[at] = a;
            second[at++] = b;
        }
    return PT_OK;
}
