/* Training a model: plan, resolve, fit, calibrate, describe. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "decoders/decoder.h"
#include "kernels/kernel_params.h"
#include "machines/subproblem.h"
#include "machines/training.h"
#include "model/model.h"
#include "select/holdout.h"

/* Probabilities are calibrated on the held-out scores of at most this many rows: a second or less.
 */
enum { CALIBRATION_ROWS = 1000, CALIBRATION_FOLDS = 5 };

/* ---- memory
 * --------------------------------------------------------------------------------------- */

/* What takes less memory, after "fewer rows". */
static const char *lighter(const pt_training *t)
{
    const pt_machine_ops *ops = t->ops;
    if (pt_machine_uses(ops, t->params, "kernel"))
        return ", or a linear kernel with fewer columns than rows";
    if (pt_machine_uses(ops, t->params, "rounds"))
        return ", a code with fewer columns, or fewer --rounds";
    return " or columns";
}

static pt_status check_plan(const pt_training *t, const pt_task *task, pt_error *err)
{
    if (!t->ops->plan)
        return PT_OK;
    pt_plan plan = {0, 0, ""};
    pt_status status = t->ops->plan(&t->problem, t->params, task, &plan, err);
    if (status != PT_OK)
        return status;
    const double budget = (double)pt_task_memory(task);
    pt_task_say(task, PT_INFO, "plan: %s; %.2f GB of %.2f GB, %.3g multiplications", plan.route,
                plan.bytes / 1e9, budget / 1e9, plan.flops);
    if (plan.bytes > budget)
        return pt_fail(err, PT_ELIMIT,
                       "training needs %.3g GB (%s) and %.3g GB may be used; raise --memory, use "
                       "fewer rows%s",
                       plan.bytes / 1e9, plan.route, budget / 1e9, lighter(t));
    return PT_OK;
}

/* ---- calibration
 * ----------------------------------------------------------------------------------- */

typedef struct calibrating {
    const pt_labels *labels; /* of classes or sets */
    int64_t n;
    int64_t k;
    double temperature;
    double error; /* NAN: no held-out scores */
    bool given;   /* the scores are probabilities already */
} calibrating;

static void add_set(pt_reliability *reliability, const pt_labels *labels, int64_t i,
                    const double *scores, double temperature)
{
    int64_t at = labels->start[i];
    for (int64_t r = 0; r < pt_labels_n_classes(labels); r++) {
        const bool member = at < labels->start[i + 1] && labels->item[at] == r;
        at += member;
        pt_reliability_add_member(reliability, scores[r], temperature, member);
    }
}

static pt_status take_scores(void *context, int64_t point, int64_t partition, const double *scores,
                             pt_error *err)
{
    (void)point;
    (void)partition;
    (void)err;
    calibrating *c = context;
    if (!scores)
        return PT_OK;
    const pt_labels *labels = c->labels;
    pt_reliability reliability = {0};
    if (labels->kind == PT_LABEL_SET) {
        c->temperature = pt_calibrate_sets(scores, labels);
        for (int64_t i = 0; i < c->n; i++)
            add_set(&reliability, labels, i, scores + i * c->k, c->temperature);
    } else {
        if (!c->given)
            c->temperature = pt_calibrate(scores, labels->class_of, c->n, c->k);
        const double temperature = c->given ? PT_SCORES_ARE_PROBABILITIES : c->temperature;
        for (int64_t i = 0; i < c->n; i++)
            pt_reliability_add(&reliability, scores + i * c->k, c->k, temperature,
                               labels->class_of[i]);
    }
    c->error = pt_reliability_error(&reliability);
    return PT_OK;
}

/* Where no machine could be trained without some of the rows, as without a whole class, the
 * probabilities are those of the scores as they are. */
static pt_status warn_uncalibrated(pt_texts *warnings, pt_error *err)
{
    return pt_texts_add(warnings, err,
                        "probabilities are not calibrated: there are no held-out scores, for the "
                        "machine has no answer without some of the rows");
}

/* Leave-one-out where the machine has a closed form, a few folds otherwise. */
static pt_status calibrate(pt_model *model, pt_training *t, const pt_task *task, pt_error *err)
{
    const uint64_t seed = (uint64_t)pt_params_integer(t->params, PT_P_SEED);
    pt_subproblem sample;
    pt_fold_set folds = {0};
    pt_params *how = NULL;
    pt_status status = pt_subproblem_sample(&sample, &t->problem, CALIBRATION_ROWS, seed,
                                            pt_kernel_is_precomputed(t->params), err);
    if (status != PT_OK)
        return status;
    const int64_t n = sample.problem.rows.n;
    status = pt_params_copy(&how, t->params, err);
    const bool closed = pt_holdout_is_closed_form(t->ops, &sample.problem, t->params);
    if (status == PT_OK) /* either way: the parameters may come from a search with --loo */
        status = pt_params_set(how, "loo", closed ? "yes" : "no", err);
    if (status == PT_OK)
        status = pt_params_set(how, "repeat", "1", err);
    if (status == PT_OK)
        status = pt_params_set_real(how, PT_P_FOLDS,
                                    n < CALIBRATION_FOLDS ? (double)n : CALIBRATION_FOLDS, err);
    if (status == PT_OK)
        status = pt_fold_set_init(&folds, sample.problem.labels, how, err);
    const pt_decoder *decoder = pt_decoder_find(pt_params_text(t->params, PT_P_DECODE));
    calibrating c = {sample.problem.labels,
                     n,
                     pt_labels_n_classes(t->problem.labels),
                     1,
                     NAN,
                     decoder && decoder->probabilities};
    const pt_params *point = t->params;
    pt_task_begin_part(task, "calibrating", 0, 1);
    if (status == PT_OK)
        status = pt_holdout_scores(t->ops, &sample.problem, &point, 1, &folds.partitions,
                                   take_scores, &c, task, err);
    pt_task_end_part(task);
    if (status == PT_OK) {
        model->temperature = c.temperature;
        model->calibration_error = c.error;
        if (isnan(c.error))
            status = warn_uncalibrated(&t->warnings, err);
    }
    pt_params_free(how);
    pt_fold_set_free(&folds);
    pt_subproblem_free(&sample);
    return status;
}

/* ---- training
 * ---------------------------------------------------------------------------------------- */

static pt_status copy_text(char **out, const char *text, pt_error *err)
{
    *out = text ? pt_alloc_text(text, err) : NULL;
    return text && !*out ? PT_ENOMEM : PT_OK;
}

static pt_status model_fit(pt_model *model, pt_training *t, const pt_dataset *data,
                           const pt_task *task, pt_error *err)
{
    pt_status status = pt_training_resolve(t, task, err);
    if (status == PT_OK)
        status = t->ops->fit(&model->machine, &t->problem, t->params, task, &t->warnings, err);
    const bool has_proba =
        t->problem.labels->kind == PT_LABEL_CLASS || t->problem.labels->kind == PT_LABEL_SET;
    if (status == PT_OK && has_proba &&
        strcmp(pt_params_text(t->params, PT_P_CALIBRATE), "yes") == 0)
        status = calibrate(model, t, task, err);
    if (status == PT_ELIMIT && pt_task_stopping(task) &&
        pt_machine_uses(t->ops, t->params, "rounds"))
        return pt_fail(err, PT_ELIMIT,
                       "the time limit is reached, and nothing is kept; raise --time, or use fewer "
                       "--rounds, --calibrate no, or less data");
    if (status == PT_OK)
        status = pt_texts_copy(&model->classes, &t->problem.labels->classes, err);
    if (status == PT_OK)
        status = copy_text(&model->label_name, data->label_name, err);
    if (status == PT_OK)
        status = pt_label_columns_copy(&model->label_columns, &data->label_columns, err);
    if (status == PT_OK)
        status = copy_text(&model->source, data->source, err);
    if (status != PT_OK)
        return status;
    model->label_kind = t->problem.labels->kind;
    model->label_column = data->label_column;
    model->n_examples = t->problem.rows.n;
    model->weighted = t->problem.weight != NULL;
    model->params = t->params;
    t->params = NULL;
    model->prepare = t->prepare;
    t->prepare = NULL;
    model->warnings = t->warnings;
    t->warnings = (pt_texts){NULL, 0, 0};
    return pt_model_describe(model, err);
}

pt_status pt_model_train(pt_model **out, const pt_dataset *data, const pt_params *params,
                         pt_task *task, pt_error *err)
{
    pt_training training = {0};
    pt_model *model = pt_alloc_zero(1, sizeof *model, "a model", err);
    if (!model)
        return PT_ENOMEM;
    model->temperature = 1;
    model->calibration_error = NAN;
    pt_status status = pt_training_init(&training, data, params, task, err);
    if (status == PT_OK)
        status = check_plan(&training, task, err);
    if (status == PT_OK)
        status = model_fit(model, &training, data, task, err);
    pt_training_free(&training);
    if (status != PT_OK) {
        pt_model_free(model);
        return status;
    }
    *out = model;
    return PT_OK;
}

pt_status pt_train_file(const char *data_path, const char *options, const char *model_path,
                        pt_error *err)
{
    pt_params *params = NULL;
    pt_task *task = NULL;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK && options)
        status = pt_params_parse(params, options, err);
    if (status == PT_OK)
        status = pt_task_new(&task, err);
    if (status == PT_OK) {
        pt_task_set_params(task, params);
        status = pt_dataset_read(&data, data_path, params, task, err);
    }
    if (status == PT_OK)
        status = pt_model_train(&model, data, params, task, err);
    if (status == PT_OK)
        status = pt_model_save(model, model_path, err);
    pt_model_free(model);
    pt_dataset_free(data);
    pt_task_free(task);
    pt_params_free(params);
    return status;
}
