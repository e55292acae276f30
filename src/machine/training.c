/* From a data set and parameters to a problem: what is asked for is checked, the rows that count
 * are kept (kept_rows.c) and prepared, and with them go weights (example_weights.c) and what files
 * give (side_files.c). */
#include "machine/training.h"

#include <string.h>

#include "base/alloc.h"
#include "data/labels/label_pairs.h"
#include "kernels/kernel_params.h"
#include "params/params_table.h"

void pt_training_free(pt_training *training)
{
    pt_warnings_free(&training->warnings);
    if (training->code)
        pt_code_free(training->code);
    pt_free(training->code);
    pt_free(training->costs);
    pt_free(training->copies);
    pt_free(training->label_gram);
    pt_free(training->weight);
    pt_prepared_free(&training->prepared);
    pt_prepare_free(training->prepare);
    pt_dataset_free(training->kept);
    pt_params_free(training->params);
    memset(training, 0, sizeof *training);
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* A joint kernel takes the place of P o K; machines without that have no use for it. */
static pt_status check_joint(const pt_machine_ops *ops, pt_error *err)
{
    char can[128] = "";
    for (int64_t i = 0; pt_machines[i]; i++) {
        if (!(pt_machines[i]->capabilities & PT_CAN_JOINT))
            continue;
        if (can[0])
            (void)strncat(can, ", ", sizeof can - strlen(can) - 1);
        (void)strncat(can, pt_machines[i]->name, sizeof can - strlen(can) - 1);
    }
    if (ops->capabilities & PT_CAN_JOINT)
        return PT_OK;
    return pt_fail(err, PT_EINVAL, "%s does not take a joint kernel; machines that do: %s",
                   ops->name, can);
}

pt_status pt_training_check_params(const pt_machine_ops *ops, const pt_params *params, bool sparse,
                                   pt_error *err)
{
    const pt_kernel_ops *kernel = pt_kernel_named(params, sparse);
    const bool has_kernel = pt_word_listed(ops->parameters, ',', "kernel", strlen("kernel"));
    char who[64] = "";
    (void)strncat(who, ops->name, sizeof who - 1);
    if (has_kernel && kernel) {
        (void)strncat(who, " with kernel ", sizeof who - strlen(who) - 1);
        (void)strncat(who, kernel->name, sizeof who - strlen(who) - 1);
    }
    PT_TRY(pt_params_check_used(params, who, ops->parameters,
                                has_kernel && kernel ? kernel->parameters : "", err));
    if (ops->check)
        PT_TRY(ops->check(params, err));
    if (sparse && has_kernel && kernel && kernel->own && !kernel->own->takes_sparse)
        return pt_fail(err, PT_EINVAL, "kernel '%s' does not take sparse data", kernel->name);
    return has_kernel && kernel && kernel->joint ? check_joint(ops, err) : PT_OK;
}

/* What --scale auto means here, so that the model can tell. A precomputed kernel must reach the
 * machine as it is; for raw rows only the order of numbers counts. */
static pt_status settle_scale(pt_params *params, bool sparse, bool raw, pt_error *err)
{
    const bool precomputed = pt_kernel_is_precomputed(params);
    const char *scale = pt_params_text(params, PT_P_SCALE);
    if (precomputed && strcmp(scale, "auto") != 0 && strcmp(scale, "none") != 0)
        return pt_fail(err, PT_EINVAL, "a precomputed kernel is not scaled; leave `scale` out");
    if (strcmp(scale, "auto") != 0)
        return PT_OK;
    return pt_params_set(params, "scale", precomputed || sparse || raw ? "none" : "range", err);
}

/* Missing cells are kept where nothing else is asked for and the machine can see them. */
static pt_status settle_missing(pt_params *params, const pt_machine_ops *ops, pt_error *err)
{
    const bool raw = pt_machine_takes_raw(ops, params);
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_TRY(pt_machine_defaults(&own, ops, params, err));
    if (pt_params_set_by_user(own, PT_P_MISSING) && !pt_params_set_by_user(params, PT_P_MISSING))
        return pt_params_set(params, "missing", pt_params_text(own, PT_P_MISSING), err);
    /* the learner that is named decides */
    const bool by_learner = ops->raw && pt_machine_uses(ops, params, "learner");
    if (!raw && strcmp(pt_params_text(params, PT_P_MISSING), "keep") == 0)
        return pt_fail(
            err, PT_EINVAL,
            "`missing=keep`: %s%s needs a number in every cell; trees and boosting do not",
            by_learner ? "learner " : "",
            by_learner ? pt_params_text(params, PT_P_LEARNER) : ops->name);
    return PT_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* A kind that the machine does not take is refused with the machines that do. */
static pt_status fail_kind(const pt_machine_ops *ops, const pt_dataset *data, pt_error *err)
{
    char can[240] = "";
    for (int64_t i = 0; pt_machines[i]; i++) {
        if (!(pt_machines[i]->label_kinds & 1u << data->labels->kind))
            continue;
        (void)strncat(can, can[0] ? ", " : "", sizeof can - strlen(can) - 1);
        (void)strncat(can, pt_machines[i]->name, sizeof can - strlen(can) - 1);
    }
    return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                      "%s does not take labels of kind '%s'; machines that do: %s", ops->name,
                      pt_label_kind_name(data->labels->kind), can);
}

/* Where no machine is named and labels are no classes: least squares as for classes, or with a
 * learner that is named one of each class of a set. */
static pt_status settle_machine(pt_params *params, const pt_labels *labels, pt_error *err)
{
    if (pt_params_set_by_user(params, PT_P_MACHINE) || !labels || labels->kind == PT_LABEL_CLASS)
        return PT_OK;
    const bool by_learner = pt_params_set_by_user(params, PT_P_LEARNER);
    if (pt_params_set_by_user(params, PT_P_CODE) || (by_learner && labels->kind != PT_LABEL_SET))
        return PT_OK; /* the composed machine, which is refused */
    return pt_params_set(params, "machine", by_learner ? "relevance" : "rank-ls", err);
}

static pt_status check_labels(const pt_training *t, const pt_dataset *data, pt_error *err)
{
    if (data->n < 1)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0, "there are no rows");
    if (!data->labels)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "there are no labels; name their column with `label`");
    if (!(t->ops->label_kinds & 1u << data->labels->kind))
        return fail_kind(t->ops, data, err);
    if (data->start && !(t->ops->capabilities & PT_CAN_SPARSE))
        return pt_fail_at(err, PT_EINVAL, data->source, 0, 0, "%s does not take sparse data",
                          t->ops->name);
    return PT_OK;
}

static pt_status make_weights(pt_training *t, const pt_dataset *data, pt_error *err)
{
    PT_TRY(pt_training_weights(&t->weight, data->weights, data->labels, t->params, err));
    if (t->weight && !(t->ops->capabilities & PT_CAN_WEIGHTS))
        return pt_fail(err, PT_EINVAL, "%s does not take weights", t->ops->name);
    return PT_OK;
}

static pt_status prepare_rows(pt_training *t, const pt_dataset *data, const pt_task *task,
                              pt_error *err)
{
    const pt_dataset *used = t->kept ? t->kept : data;
    const pt_type type = pt_params_type(t->params);
    if (t->start)
        PT_TRY(pt_prepare_copy(&t->prepare, t->start->prepare, err));
    else
        PT_TRY(pt_prepare_fit(&t->prepare, used, t->params, pt_machine_takes_raw(t->ops, t->params),
                              task, err));
    PT_TRY(pt_prepare_remarks(t->prepare, &t->warnings, err));
    return pt_prepare_apply(t->prepare, used, type, &t->prepared, task, err);
}

void pt_training_drop_cells(pt_training *t)
{
    if (!t->kept || t->kept->value_lent)
        return;
    pt_free(t->kept->value);
    t->kept->value = NULL;
}

/* The first row in the order of the file that cannot be prepared is the one to be named. */
static void tell_in_order(pt_training *t, const pt_dataset *data, const pt_task *task,
                          pt_error *err)
{
    pt_error other = PT_ERROR_INIT;
    pt_dataset_free(t->kept);
    pt_prepare_free(t->prepare);
    t->kept = NULL;
    t->prepare = NULL;
    pt_status status = pt_training_keep_rows(t, data, false, task, &other);
    if (status == PT_OK)
        status = prepare_rows(t, data, task, &other);
    if (err && status != PT_OK)
        pt_error_copy(err, &other);
}

/* The rows that count, prepared. */
static pt_status take_rows(pt_training *t, const pt_dataset *data, bool merge, const pt_task *task,
                           pt_error *err)
{
    pt_status status = pt_training_keep_rows(t, data, merge, task, err);
    if (status == PT_OK)
        status = prepare_rows(t, data, task, err);
    if (merge && (status == PT_EFORMAT || status == PT_ENUMERIC))
        tell_in_order(t, data, task, err);
    PT_TRY(status);
    if (t->prepared.rows.d < 1)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "there are no columns beside the label");
    return PT_OK;
}

static pt_status make(pt_training *t, const pt_dataset *data, const pt_params *params, bool merge,
                      const pt_task *task, pt_error *err)
{
    const bool sparse = data->start != NULL;
    PT_TRY(params ? pt_params_copy(&t->params, params, err) : pt_params_new(&t->params, err));
    if (t->start)
        PT_TRY(pt_start_inherit(t->params, t->start, err));
    PT_TRY(settle_machine(t->params, data->labels, err));
    t->ops = pt_machine_find(pt_params_text(t->params, PT_P_MACHINE));
    if (!t->ops)
        return pt_fail(err, PT_EINVAL, "there is no machine '%s'",
                       pt_params_text(t->params, PT_P_MACHINE));
    if (t->start)
        PT_TRY(pt_start_check_machine(t, err));
    PT_TRY(check_labels(t, data, err));
    PT_TRY(pt_label_pairs_check(data->labels, data->source, &t->warnings, err));
    PT_TRY(pt_training_check_params(t->ops, t->params, sparse, err));
    PT_TRY(pt_params_name_arrays(t->params, &data->labels->classes, err));
    PT_TRY(settle_scale(t->params, sparse, pt_machine_takes_raw(t->ops, t->params), err));
    PT_TRY(settle_missing(t->params, t->ops, err));
    if (t->start)
        PT_TRY(pt_start_check_data(t, data, err));
    PT_TRY(take_rows(t, data, merge && pt_training_merges(t->params), task, err));
    const pt_dataset *used = t->kept ? t->kept : data;
    if (t->start)
        PT_TRY(pt_start_check_classes(t, used->labels, err));
    t->row_weight = used->weights;
    PT_TRY(make_weights(t, used, err));
    PT_TRY(pt_training_spell_weights(t->params, &used->labels->classes, err));
    PT_TRY(pt_training_read_files(t, used, task, err));
    PT_TRY(pt_warnings_add(&t->warnings, &t->prepared.warnings, err));
    t->problem = (pt_problem){.rows = t->prepared.rows,
                              .labels = used->labels,
                              .weight = t->weight,
                              .label_gram = t->label_gram,
                              .code = t->code,
                              .costs = t->costs,
                              .copies = t->copies,
                              .ties = pt_ties_of(used)};
    return PT_OK;
}

static pt_status init(pt_training *t, const pt_dataset *data, const pt_params *params, bool merge,
                      const pt_training_start *start, const pt_task *task, pt_error *err)
{
    memset(t, 0, sizeof *t);
    t->start = start;
    const pt_status status = make(t, data, params, merge, task, err);
    if (status != PT_OK)
        pt_training_free(t);
    return status;
}

pt_status pt_training_init(pt_training *t, const pt_dataset *data, const pt_params *params,
                           const pt_task *task, pt_error *err)
{
    return init(t, data, params, false, NULL, task, err);
}

pt_status pt_training_init_merged(pt_training *t, const pt_dataset *data, const pt_params *params,
                                  const pt_task *task, pt_error *err)
{
    return init(t, data, params, true, NULL, task, err);
}

pt_status pt_training_init_started(pt_training *t, const pt_dataset *data, const pt_params *params,
                                   const pt_training_start *start, const pt_task *task,
                                   pt_error *err)
{
    return init(t, data, params, true, start, task, err);
}
