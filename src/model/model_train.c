/* Training a model: plan, resolve, fit, calibrate, describe. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "data/row_digest.h"
#include "kernels/kernel_params.h"
#include "machine/training.h"
#include "metrics/label_judge.h"
#include "model/model.h"
#include "model/model_time.h"
#include "polytomy/experimental.h"
#include "report/report.h"
#include "select/forecast.h"
#include "validate/auto.h"
#include "validate/probability/thresholds.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* What takes less memory, after "fewer rows". */
static const char *lighter(const pt_training *t)
{
    const pt_machine_ops *ops = t->ops;
    if (pt_machine_uses(ops, t->params, "kernel"))
        return ", or a linear kernel with fewer columns than rows";
    if (pt_machine_uses(ops, t->params, "rounds"))
        return ", a code with fewer columns, or fewer `rounds`";
    return " or columns";
}

pt_status pt_model_check_plan(pt_plan *plan, const pt_training *t, const pt_task *task,
                              pt_error *err)
{
    PT_TRY(pt_machine_plan(plan, t->ops, &t->problem, t->params, task, err));
    const double budget = (double)pt_task_memory(task);
    pt_task_say(task, PT_INFO, PT_KIND_PLAN, "plan: %s; %s of %s, %.3g multiplications",
                plan->route, PT_SHOW_BYTES(plan->bytes), PT_SHOW_BYTES(budget), plan->flops);
    if (plan->bytes > budget)
        return pt_fail(err, PT_EMEMORY,
                       "training needs %s (%s) and %s may be used; raise `memory`, use fewer "
                       "rows%-s; online learning reads a part at a time",
                       PT_SHOW_BYTES(plan->bytes), plan->route, PT_SHOW_BYTES(budget), lighter(t));
    return PT_OK;
}

/* ---- a model to begin with ------------------------------------------------------------------- */

/* What the parameters name, or lend. Zero-initialise; free it always. */
typedef struct start_model {
    pt_model *own;           /* of a file */
    pt_training_start given; /* lent by it, or by the program's */
    bool is_there;
} start_model;

static void start_free(start_model *s)
{
    pt_model_free(s->own);
}

static pt_status start_open(start_model *s, const pt_params *params, pt_error *err)
{
    const pt_model *model = pt_params_start(params);
    if (!pt_params_starts(params))
        return PT_OK;
    if (!model) {
        PT_TRY(pt_model_load(&s->own, pt_params_text(params, PT_P_START), params, err));
        model = s->own;
    }
    s->is_there = true;
    s->given = (pt_training_start){.started = {model->machine, model->params},
                                   .prepare = model->prepare,
                                   .classes = &model->classes,
                                   .label_kind = model->label_kind};
    return PT_OK;
}

static const pt_training_start *start_of(const start_model *s)
{
    return s->is_there ? &s->given : NULL;
}

/* Of a file its name only: where it lay is nobody's business. */
static const char *start_name(const pt_training *t)
{
    const char *path = pt_params_text(t->params, PT_P_START);
    const char *slash = strrchr(path, '/');
    return !t->start ? NULL : pt_params_start(t->params) ? "model" : slash ? slash + 1 : path;
}

/* ---- training -------------------------------------------------------------------------------- */

static pt_status copy_text(char **out, const char *text, pt_error *err)
{
    *out = text ? pt_alloc_text(text, err) : NULL;
    return text && !*out ? PT_ENOMEM : PT_OK;
}

/* The model takes what was fitted, all or a part of it. */
static pt_status calibrate(pt_model *model, pt_training *t, const pt_task *task, pt_error *err)
{
    pt_probabilities fitted = {.for_decisions = true};
    const bool part = pt_probabilities_are_fitted(t);
    if (part)
        pt_task_begin_part(task, "calibrating", 0, 1);
    const pt_status status = t->valid
                                 ? pt_probabilities_fit_valid(&fitted, t, model->machine, task, err)
                                 : pt_probabilities_fit(&fitted, t, &t->warnings, task, err);
    if (part)
        pt_task_end_part(task);
    model->calibration = fitted.calibration;
    model->class_rows = fitted.class_rows;
    model->thresholds = fitted.thresholds;
    model->conformity = fitted.conformity;
    model->held_out = fitted.held_out;
    return status;
}

/* Whether the machine uses epochs, and goes on until it makes no mistake. */
static bool goes_on(const pt_training *t)
{
    return pt_machine_uses(t->ops, t->params, "epochs") &&
           pt_params_integer(t->params, PT_P_EPOCHS) == 0;
}

/* Whether the machine, or its learner, learns by rounds, epochs or steps that other rows end. */
static bool stops_by_valid(const pt_training *t)
{
    const unsigned can =
        t->problem.labels->kind == PT_LABEL_CLASS ? PT_CAN_VALID : PT_CAN_VALID_ANY;
    return t->ops->capabilities & can && pt_machine_uses(t->ops, t->params, "patience") &&
           !goes_on(t) &&
           !(pt_machine_uses(t->ops, t->params, "single-call") &&
             pt_params_flag(t->params, PT_P_SINGLE_CALL));
}

/* Automatic parameters; where rows validate, by these. */
static pt_status resolve(pt_training *t, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_training_joint_free) pt_training_joint joint = {0};
    const pt_problem own = t->problem;
    if (!t->valid)
        return pt_training_resolve(t, task, err);
    PT_TRY(pt_training_join(&joint, t, t->valid, err));
    t->problem = joint.problem;
    const pt_status status = pt_training_resolve(t, task, err);
    t->problem = own;
    return status;
}

/* Where it need not be finished, the machine ends early enough for another one, trained on fewer
 * rows in the same time, to calibrate it. */
static pt_status fit(pt_model *model, pt_training *t, const pt_task *task, pt_error *err)
{
    static const double HALF = 0.4; /* of what is left: the rest is for scores, and comparing */
    static const double MOST = 0.7;
    const double first = pt_probabilities_are_fitted(t) ? HALF : MOST;
    const double begin = pt_seconds();
    const double seconds = t->share_of_time * pt_task_seconds_left(task);
    if (t->share_of_time > 0)
        pt_task_end_early_after(task, first * seconds);
    pt_problem problem = t->problem; /* no other training may begin with what knows all rows */
    problem.start = t->start ? &t->start->started : NULL;
    problem.valid = t->valid && stops_by_valid(t) ? &t->valid->lent : NULL;
    const pt_status status =
        pt_machine_fit(&model->machine, t->ops, &problem, t->params, task, &t->warnings, err);
    t->ended_early = pt_task_ended_early(task);
    pt_task_end_early_after(task,
                            t->ended_early ? MOST * (seconds - (pt_seconds() - begin)) : INFINITY);
    return status;
}

/* On the rows as they were prepared, where that is little beside the training of any machine. No
 * memory for it, or no time, and the model does without. */
static pt_status find_training_error(pt_model *model, const pt_training *t, const pt_task *task,
                                     pt_error *err)
{
    static const double CHEAP = 2e8; /* of n^2 (d + k) operations: some milliseconds */
    const pt_labels *labels = t->problem.labels;
    const int64_t n = labels->n;
    const int64_t k = pt_labels_n_classes(labels);
    if ((double)n * (double)n * (double)(t->problem.rows.d + k) > CHEAP)
        return PT_OK;
    PT_SCRATCH double *scores = pt_alloc(n * k, sizeof *scores, "scores", err);
    if (!scores)
        return PT_ENOMEM;
    const pt_status status = t->ops->scores(model->machine, &t->problem.rows, scores, task, err);
    if (status != PT_OK)
        return pt_is_limit(status) ? PT_OK : status;
    pt_thresholds_shift(model->thresholds, k, scores, n);
    double wrong = 0;
    double all = 0;
    for (int64_t i = 0; i < n; i++) {
        const double copies = t->copies ? (double)t->copies[i] : 1;
        all += copies;
        wrong += pt_label_is_right(labels, i, scores + i * k) ? 0 : copies;
    }
    model->has_training_error = true;
    model->training_error = wrong / all;
    return PT_OK;
}

static pt_status model_fit(pt_model *model, pt_training *t, const pt_dataset *data,
                           const pt_task *task, pt_error *err)
{
    const pt_forecast *f = &t->forecast;
    const double total = f->choosing + f->training + f->calibrating;
    const double chosen = total > 0 ? f->choosing / total : 0.2;
    const bool calibrates = pt_probabilities_are_fitted(t);
    const double fitted = total > 0 ? (f->choosing + f->training) / total : calibrates ? 0.6 : 1;
    pt_task_begin_step(task, "choosing parameters", 0, chosen);
    pt_status status = resolve(t, task, err);
    if (status == PT_OK && t->start)
        status = pt_start_check_params(t, err);
    if (status == PT_OK)
        pt_task_begin_step(task, "training", chosen, fitted);
    if (status == PT_OK)
        status = fit(model, t, task, err);
    if (status == PT_OK && calibrates)
        pt_task_begin_step(task, "calibrating", fitted, 1);
    if (status == PT_OK)
        status = calibrate(model, t, task, err);
    if (pt_is_limit(status) && (t->ended_early || t->only) && model->machine)
        status = pt_warn(&t->warnings, err, PT_KIND_LIMIT,
                         "probabilities are not calibrated: there was no time for a second "
                         "machine; raise `time`");
    pt_task_end_early_after(task, INFINITY);
    pt_task_begin_step(task, NULL, 0, 0);
    PT_TRY(status);
    PT_TRY(find_training_error(model, t, task, err));
    PT_TRY(pt_texts_copy(&model->classes, &t->problem.labels->classes, err));
    PT_TRY(copy_text(&model->label_name, data->label_name, err));
    PT_TRY(pt_label_columns_copy(&model->label_columns, &data->label_columns, err));
    PT_TRY(pt_judged_copy(&model->judged, &data->judged, err));
    PT_TRY(copy_text(&model->source, data->source, err));
    PT_TRY(copy_text(&model->start, start_name(t), err));
    PT_TRY(pt_dataset_digest(&model->data_digest, data, task, err));
    model->chosen = t->chosen;
    model->label_kind = t->problem.labels->kind;
    model->label_column = data->label_column;
    model->n_examples = t->n_rows;
    model->n_valid = t->valid ? t->valid->prepared.rows.n : 0;
    model->weighted = data->weights != NULL; /* rows that were merged have weights, too */
    model->params = t->params;
    t->params = NULL;
    if (t->start) /* which the model does not need */
        PT_TRY(pt_params_set(model->params, "start", "none", err));
    model->prepare = t->prepare;
    t->prepare = NULL;
    model->warnings = t->warnings;
    t->warnings = (pt_warnings){0};
    return pt_model_describe(model, err);
}

pt_status pt_model_train_planned(pt_model **out, pt_training *training, const pt_dataset *data,
                                 const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_model_free_at) pt_model *model = NULL;
    PT_TRY(PT_NEW_ZERO(model, 1, "a model", err));
    PT_TRY(model_fit(model, training, data, task, err));
    *out = pt_keep(&model);
    return PT_OK;
}

pt_status pt_model_train(pt_model **out, const pt_dataset *data, const pt_params *params,
                         pt_task *task, pt_error *err)
{
    PT_FREED_BY(start_free) start_model start = {0};
    PT_FREED_BY(pt_training_free) pt_training training = {0};
    pt_plan plan;
    PT_TRY(start_open(&start, params, err));
    PT_TRY(pt_training_init_started(&training, data, params, start_of(&start), task, err));
    PT_TRY(pt_thresholds_check(&training, err));
    PT_TRY(pt_model_check_plan(&plan, &training, task, err));
    /* where time is short, smaller samples are drawn from the cells */
    if (isfinite(pt_task_seconds_left(task)))
        return pt_model_train_in_time(out, &training, &plan, data, task, err);
    PT_TRY(pt_forecast_training(&training, &plan, task, err));
    pt_training_drop_cells(&training);
    return pt_model_train_planned(out, &training, data, task, err);
}

/* ---- rows that validate ---------------------------------------------------------------------- */

static pt_status refuse_roles(const pt_dataset *data, const pt_params *params, pt_error *err)
{
    const pt_param_id id = data->time ? PT_P_TIME_COLUMN : data->fold ? PT_P_FOLD : PT_P_GROUP;
    const char *what = data->time ? "times" : data->fold ? "folds" : "groups";
    const char *column = params ? pt_params_text(params, id) : "";
    if (!*column)
        return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                          "there are rows to validate by, so that %s hold nothing out; leave them "
                          "out",
                          what);
    return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                      "there are rows to validate by, so that %s hold nothing out; give "
                      "`ignore=%.60s` in place of `%s=%.60s`",
                      what, column, pt_param_name(id), column);
}

/* What has no meaning beside them. */
static pt_status check_validated(const pt_dataset *data, const pt_dataset *valid,
                                 const pt_params *params, pt_error *err)
{
    if (!valid->labels)
        return pt_fail_at(err, PT_EFORMAT, valid->source, 0, 0,
                          "there are no labels to validate by; name their column with `label`");
    if (data->labels && data->labels->kind != valid->labels->kind)
        return pt_fail_at(err, PT_EINVAL, valid->source, 0, 0,
                          "its labels are of kind '%s', those to train on are '%s'",
                          pt_label_kind_name(valid->labels->kind),
                          pt_label_kind_name(data->labels->kind));
    if (data->group || data->fold || data->time)
        return refuse_roles(data, params, err);
    if (params && pt_params_real(params, PT_P_STOP_SHARE) > 0)
        return pt_fail(err, PT_EINVAL,
                       "`stop-share` holds nothing out where there are rows to validate by; leave "
                       "it out");
    if (params && pt_params_starts(params))
        return pt_fail(err, PT_ENOSUPPORT,
                       "`start` does not go with rows to validate by; leave one of them out");
    if (params && pt_kernel_is_precomputed(params))
        return pt_fail(err, PT_ENOSUPPORT,
                       "a precomputed kernel does not go with rows to validate by");
    return PT_OK;
}

/* The machine must learn by what these rows can end, or nobody needs patience. */
static pt_status check_patience(const pt_training *t, pt_error *err)
{
    if (!pt_params_set_by_user(t->params, PT_P_PATIENCE) || stops_by_valid(t))
        return PT_OK;
    if (goes_on(t))
        return pt_fail(err, PT_EINVAL,
                       "`patience` does not go with `epochs=0`, which goes on until there is no "
                       "mistake; give a number of epochs");
    return pt_fail(
        err, PT_EINVAL,
        "`patience` is of boosting and of online learners by the machine code, without "
        "`single-call`, of adaboost-mo, adaboost-mh, softmax and constraint online: other "
        "machines have no rounds that rows to validate by could end");
}

pt_status pt_model_train_validated(pt_model **out, const pt_dataset *data, const pt_dataset *valid,
                                   const pt_params *params, pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_FREED_BY(pt_training_free) pt_training training = {0};
    PT_FREED_BY(pt_training_valid_free) pt_training_valid rows = {0};
    pt_plan plan;
    PT_TRY(check_validated(data, valid, params, err));
    PT_TRY(params ? pt_params_copy(&own, params, err) : pt_params_new(&own, err));
    pt_params_validate(own);
    PT_TRY(pt_training_init_merged(&training, data, own, task, err));
    PT_TRY(pt_thresholds_check(&training, err));
    PT_TRY(check_patience(&training, err));
    PT_TRY(pt_training_valid_init(&rows, &training, valid, task, err));
    PT_TRY(pt_model_check_plan(&plan, &training, task, err));
    training.valid = &rows;
    return pt_model_train_planned(out, &training, data, task, err);
}

pt_status pt_model_plan(pt_report **out, const pt_dataset *data, const pt_params *params,
                        pt_task *task, pt_error *err)
{
    PT_FREED_BY(start_free) start_model start = {0};
    PT_FREED_BY(pt_training_free) pt_training t = {0};
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    pt_plan plan;
    PT_TRY(start_open(&start, params, err));
    PT_TRY(pt_training_init_started(&t, data, params, start_of(&start), task, err));
    PT_TRY(pt_thresholds_check(&t, err));
    PT_TRY(pt_machine_plan(&plan, t.ops, &t.problem, t.params, task, err));
    const double allowed = (double)pt_task_memory(task);
    if (plan.bytes <= allowed && !isfinite(pt_task_seconds_left(task)))
        PT_TRY(pt_forecast_training(&t, &plan, task, err));
    const double seconds = t.forecast.choosing + t.forecast.training + t.forecast.calibrating;
    PT_TRY(pt_report_new(&report, "plan", err));
    PT_TRY(pt_report_add_text(report, "machine", t.ops->name, err));
    PT_TRY(pt_report_add_text(report, "route", plan.route, err));
    PT_TRY(pt_report_add_integer(report, "rows", t.problem.rows.n, err));
    PT_TRY(pt_report_add_integer(report, "columns", t.problem.rows.d, err));
    PT_TRY(pt_report_add_number(report, "bytes", plan.bytes, err));
    PT_TRY(pt_report_add_number(report, "cache_bytes", plan.cache, err));
    PT_TRY(pt_report_add_number(report, "allowed_bytes", allowed, err));
    PT_TRY(pt_report_add_integer(report, "fits", plan.bytes <= allowed, err));
    PT_TRY(pt_report_add_number(report, "multiplications", plan.flops, err));
    if (seconds > 0) {
        PT_TRY(pt_report_add_number(report, "seconds", seconds, err));
        PT_TRY(pt_report_add_number(report, "seconds_choosing", t.forecast.choosing, err));
        PT_TRY(pt_report_add_number(report, "seconds_training", t.forecast.training, err));
        PT_TRY(pt_report_add_number(report, "seconds_calibrating", t.forecast.calibrating, err));
    }
    *out = pt_keep(&report);
    return PT_OK;
}
