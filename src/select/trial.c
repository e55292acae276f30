/* Trials: choose, train, ask. */
#include "select/trial.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "data/label_match.h"
#include "machines/training.h"
#include "select/holdout.h"
#include "select/label_metrics.h"
#include "select/search.h"

/* "ridge=0.5,sigma=2": what `asked` left to be chosen, on an axis of its grid or automatically. */
static pt_status describe(char **out, const pt_params *asked, const pt_params *used, pt_error *err)
{
    pt_grid grid = {0};
    pt_texts parts = {NULL, 0, 0};
    pt_status status = pt_grid_parse(&grid, pt_params_text(asked, PT_P_GRID), err);
    size_t length = 1;
    for (int i = 0; i < PT_N_PARAMS && status == PT_OK; i++) {
        const pt_param_id id = (pt_param_id)i;
        const pt_param_group_id group = pt_param_group_of(id);
        bool chosen =
            pt_params_is_auto(asked, id) && !pt_params_is_auto(used, id) && id != PT_P_KERNEL;
        for (int64_t a = 0; a < grid.n_axes; a++)
            chosen = chosen || grid.axis[a] == id;
        if (!chosen || (group != PT_GROUP_MACHINE && group != PT_GROUP_KERNEL))
            continue;
        status = pt_texts_add(&parts, err, "%s%s=%s", parts.count ? "," : "", pt_param_name(i),
                              pt_params_text(used, id));
        if (status == PT_OK)
            length += strlen(parts.items[parts.count - 1]);
    }
    char *text = status == PT_OK ? pt_alloc_zero((int64_t)length, 1, "a text", err) : NULL;
    if (status == PT_OK && !text)
        status = PT_ENOMEM;
    for (int64_t p = 0; p < parts.count && status == PT_OK; p++)
        (void)strncat(text, parts.items[p], length - strlen(text) - 1);
    pt_texts_free(&parts);
    pt_grid_free(&grid);
    if (status == PT_OK)
        *out = text;
    return status;
}

static pt_status check_plan(const pt_training *t, const pt_task *task, pt_error *err)
{
    pt_plan plan = {0};
    pt_status status =
        t->ops->plan ? t->ops->plan(&t->problem, t->params, task, &plan, err) : PT_OK;
    if (status != PT_OK)
        return status;
    const double budget = (double)pt_task_memory(task);
    if (plan.bytes > budget)
        return pt_fail(err, PT_ELIMIT,
                       "%s needs %s (%s) and %s may be used; raise --memory or use fewer "
                       "rows",
                       t->ops->name, PT_SHOW_BYTES(plan.bytes), plan.route, PT_SHOW_BYTES(budget));
    return PT_OK;
}

/* Classes have numbers of their own in each data set: names tell whether they are the same. */
static pt_status judge_scores(const pt_labels *known, const pt_labels *asked, const double *scores,
                              unsigned char *verdict, pt_texts *warnings, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(known);
    pt_labels *labels = NULL;
    pt_tally tally = {0};
    pt_status status = pt_labels_match(&labels, asked, &known->classes, warnings, err);
    if (status == PT_OK)
        status = pt_tally_init(&tally, labels, k, 0, err);
    for (int64_t i = 0; i < asked->n && status == PT_OK; i++)
        verdict[i] = !pt_labels_has(labels, i)                 ? PT_UNLABELLED
                     : pt_tally_add(&tally, i, scores + i * k) ? PT_RIGHT
                                                               : PT_WRONG;
    pt_tally_free(&tally);
    pt_labels_free(labels);
    return status;
}

static pt_status judge(const pt_training *t, const pt_machine *machine, const pt_dataset *test,
                       unsigned char *verdict, pt_texts *warnings, const pt_task *task,
                       pt_error *err)
{
    const pt_labels *known = t->problem.labels;
    pt_prepared prepared;
    memset(&prepared, 0, sizeof prepared);
    double *scores = NULL;
    pt_status status =
        pt_prepare_apply(t->prepare, test, t->problem.rows.type, &prepared, task, err);
    if (status == PT_OK) {
        scores = pt_alloc(test->n * pt_labels_n_classes(known), sizeof(double), "scores", err);
        status = scores ? PT_OK : PT_ENOMEM;
    }
    if (status == PT_OK)
        status = t->ops->scores(machine, &prepared.rows, scores, task, err);
    if (status == PT_OK)
        status =
            pt_lower_unseen(scores, test->n, known, pt_decoder_gives_probabilities(t->params), err);
    if (status == PT_OK)
        status = judge_scores(known, test->labels, scores, verdict, warnings, err);
    for (int64_t i = 0; warnings && status == PT_OK && i < prepared.warnings.count; i++)
        status = pt_texts_add(warnings, err, "%s", prepared.warnings.items[i]);
    pt_free(scores);
    pt_prepared_free(&prepared);
    return status;
}

static pt_status train_and_judge(const pt_dataset *train, const pt_dataset *test,
                                 const pt_params *asked, const pt_params *settled,
                                 unsigned char *verdict, char **chosen, pt_texts *warnings,
                                 const pt_task *task, pt_error *err)
{
    pt_training t = {0};
    pt_machine *machine = NULL;
    char *text = NULL;
    pt_status status = pt_training_init_merged(&t, train, settled, task, err);
    if (status == PT_OK)
        status = check_plan(&t, task, err);
    if (status == PT_OK)
        status = pt_training_resolve(&t, task, err);
    if (status == PT_OK)
        status = t.ops->fit(&machine, &t.problem, t.params, task, &t.warnings, err);
    if (status == PT_OK)
        status = describe(&text, asked, t.params, err);
    if (status == PT_OK)
        status = judge(&t, machine, test, verdict, warnings, task, err);
    for (int64_t i = 0; warnings && status == PT_OK && i < t.warnings.count; i++)
        status = pt_texts_add(warnings, err, "%s", t.warnings.items[i]);
    if (machine)
        t.ops->free(machine);
    pt_training_free(&t);
    if (status == PT_OK)
        *chosen = text;
    else
        pt_free(text);
    return status;
}

pt_status pt_trial_run(const pt_dataset *train, const pt_dataset *test, const pt_params *params,
                       pt_checkpoint *checkpoint, const char *name, unsigned char *verdict,
                       char **chosen, pt_texts *warnings, const pt_task *task, pt_error *err)
{
    pt_search *search = NULL;
    const pt_params *settled = params;
    pt_status status = PT_OK;
    if (*pt_params_text(params, PT_P_GRID)) {
        status = pt_search_one(&search, train, params, checkpoint, name, NULL, task, err);
        if (status == PT_OK)
            settled = search->best_params;
    }
    if (status == PT_OK)
        status =
            train_and_judge(train, test, params, settled, verdict, chosen, warnings, task, err);
    pt_search_free(search);
    return status;
}

pt_status pt_trial_check(const pt_dataset *data, const pt_params *const *machines,
                         int64_t n_machines, pt_error *err)
{
    bool asked = false;
    bool chosen = false;
    if (n_machines < 2)
        return pt_fail(err, PT_EINVAL, "a comparison needs at least two machines");
    if (!data->labels)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "there are no labels; name their column with --label");
    for (int64_t m = 0; m < n_machines; m++) {
        asked = asked || pt_params_set_by_user(machines[m], PT_P_METRIC);
        chosen = chosen || *pt_params_text(machines[m], PT_P_GRID);
    }
    if (asked && !chosen)
        return pt_fail(err, PT_EINVAL,
                       "--metric chooses among the points of a --grid, and there is none; machines "
                       "are compared by their errors");
    return PT_OK;
}
