/* A code designed for the columns of a model that is there: its machine, which learns those of a
 * discrete code, becomes the columns of the machine `designed`. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "data/dataset.h"
#include "kernels/kernel_params.h"
#include "machine/subproblem.h"
#include "machine/training.h"
#include "machines/codes/machine_designed.h"
#include "model/model.h"
#include "params/params_table.h"
#include "polytomy/experimental.h"
#include "validate/probability/calibrate.h"

/* What the design is made from. */
typedef struct design_view {
    const pt_model *model;
    const pt_machine *columns; /* lent by the model */
    pt_params *params;         /* of the new model */
    pt_dataset *kept;          /* rows that count, NULL: all */
    const pt_dataset *data;
    pt_labels *labels; /* in the classes of the model */
    pt_prepared prepared;
    double *weight;
    double *costs;
    int64_t *copies;        /* examples that each row stands for; NULL: one each */
    pt_subproblem examples; /* these, as a problem */
    pt_problem problem;
    pt_design_round round;
    pt_warnings warnings;
} design_view;

static void design_view_free(design_view *d)
{
    pt_warnings_free(&d->warnings);
    pt_design_round_free(&d->round);
    pt_free(d->costs);
    pt_subproblem_free(&d->examples);
    pt_free(d->copies);
    pt_free(d->weight);
    pt_prepared_free(&d->prepared);
    pt_labels_free(d->labels);
    pt_dataset_free(d->kept);
    pt_params_free(d->params);
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* *out <- the caller's parameters of the design, and defaults. */
static pt_status design_params(pt_params **out, const pt_params *given, pt_error *err)
{
    PT_TRY(pt_params_new(out, err));
    for (int id = 0; id < PT_N_PARAMS && given; id++) {
        if (pt_params_set_by_user(given, (pt_param_id)id) && pt_design_owns((pt_param_id)id))
            PT_TRY(pt_params_take(*out, (pt_param_id)id, given, err));
    }
    PT_TRY(pt_design_check_params(*out, err));
    if (pt_params_integer(*out, PT_P_INTERLEAVE) > 0)
        return pt_fail(err, PT_EINVAL,
                       "`interleave` learns new columns; train with `machine=designed` instead");
    return PT_OK;
}

/* d->params <- those of the model, but for the design; gap and seed may be either's. */
static pt_status take_params(design_view *d, const pt_params *given, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *design = NULL;
    PT_TRY(design_params(&design, given, err));
    PT_TRY(pt_params_copy(&d->params, d->model->params, err));
    PT_TRY(pt_params_set(d->params, "machine", pt_machine_designed.name, err));
    PT_TRY(pt_params_set(d->params, "design-machine", d->columns->ops->name, err));
    for (int id = 0; id < PT_N_PARAMS; id++) {
        if (pt_design_owns((pt_param_id)id) && id != PT_P_DESIGN_MACHINE &&
            (id != PT_P_GAP || pt_params_set_by_user(design, PT_P_GAP)))
            PT_TRY(pt_params_take(d->params, (pt_param_id)id, design, err));
    }
    if (given)
        PT_TRY(pt_params_set(d->params, "calibrate", pt_params_text(given, PT_P_CALIBRATE), err));
    if (given && pt_params_set_by_user(given, PT_P_SEED))
        PT_TRY(pt_params_set(d->params, "seed", pt_params_text(given, PT_P_SEED), err));
    return PT_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The columns of a model that learned other labels are not learned again. */
static pt_status check_labels(const pt_model *model, const pt_dataset *data, pt_error *err)
{
    const pt_label_kind kind = data->labels ? data->labels->kind : model->label_kind;
    if (model->label_kind != PT_LABEL_CLASS || kind != PT_LABEL_CLASS)
        return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                          "a code is designed for a model by classes, and %s labels of kind '%s'; "
                          "train with `machine=designed`, which takes them",
                          kind != PT_LABEL_CLASS ? "these are" : "the model learned",
                          pt_label_kind_name(kind != PT_LABEL_CLASS ? kind : model->label_kind));
    if (data->labels)
        return PT_OK;
    return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                      "there are no labels to design a code by; name their column with `label`");
}

/* Rows without label or weight are left out, and what is left is merged as it was for the model. */
static pt_status keep_rows(design_view *d, const pt_task *task, pt_error *err)
{
    const bool merge = pt_training_merges(d->model->params);
    const pt_dataset *data = d->data;
    PT_SCRATCH int64_t *chosen = NULL;
    int64_t m = 0;
    PT_TRY(PT_NEW(chosen, data->n, "rows", err));
    for (int64_t i = 0; i < data->n; i++)
        if (data->labels->class_of[i] >= 0 && pt_weight(data->weights, i) > 0)
            chosen[m++] = i;
    if (m == 0)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0, "there are no labelled rows");
    if (!merge && m == data->n)
        return pt_ties_check(data, data, err);
    PT_TRY(merge ? pt_training_merge(&d->kept, &d->copies, d->columns->ops, d->model->params, data,
                                     chosen, m, task, err)
                 : pt_dataset_view(&d->kept, data, chosen, m, task, err));
    if (m < data->n)
        PT_TRY(pt_warn(&d->warnings, err, PT_KIND_DATA,
                       "%lld row%s without label or weight %s left out", (long long)(data->n - m),
                       data->n - m == 1 ? "" : "s", data->n - m == 1 ? "is" : "are"));
    PT_TRY(pt_ties_check(data, d->kept, err));
    d->data = d->kept;
    return PT_OK;
}

static int64_t class_number(const pt_texts *classes, const char *name)
{
    int64_t r = 0;
    while (r < classes->count && strcmp(classes->items[r], name) != 0)
        r++;
    return r;
}

/* d->labels <- the labels as classes of the model. */
static pt_status match_labels(design_view *d, pt_error *err)
{
    const pt_labels *labels = d->data->labels;
    const pt_texts *classes = &d->model->classes;
    PT_SCRATCH int64_t *number =
        pt_alloc(pt_labels_n_classes(labels), sizeof *number, "classes", err);
    PT_SCRATCH int64_t *code = pt_alloc(labels->n, sizeof *code, "labels", err);
    if (!number || !code)
        return PT_ENOMEM;
    for (int64_t c = 0; c < pt_labels_n_classes(labels); c++)
        number[c] = class_number(classes, labels->classes.items[c]);
    for (int64_t i = 0; i < labels->n; i++) {
        code[i] = number[labels->class_of[i]];
        if (code[i] == classes->count)
            return pt_fail_at(err, PT_EINVAL, d->data->source, 0, 0,
                              "the model has no class '" PT_SHOWN "'",
                              labels->classes.items[labels->class_of[i]]);
    }
    return pt_labels_from_codes(&d->labels, labels->n, code, classes, err);
}

/* A class without rows only ever stands in the way of the others. */
static pt_status warn_unseen(design_view *d, pt_error *err)
{
    const pt_texts *classes = &d->model->classes;
    PT_SCRATCH int64_t *rows = NULL;
    int64_t unseen = 0;
    int64_t first = -1;
    PT_TRY(PT_NEW_ZERO(rows, classes->count, "classes", err));
    for (int64_t i = 0; i < d->labels->n; i++)
        rows[d->labels->class_of[i]]++;
    for (int64_t r = classes->count - 1; r >= 0; r--)
        if (rows[r] == 0) {
            unseen++;
            first = r;
        }
    return unseen == 0 ? PT_OK
                       : pt_warn(&d->warnings, err, PT_KIND_CLASSES,
                                 "%lld of the model's classes have no rows here, '" PT_SHOWN
                                 "' first; the code will seldom choose them",
                                 (long long)unseen, classes->items[first]);
}

/* Kernel values stand for rows of training, which a fold leaves out. */
static pt_status check_square(const design_view *d, pt_error *err)
{
    const pt_rows *rows = &d->prepared.rows;
    if (!pt_machine_uses(d->columns->ops, d->model->params, "kernel") ||
        !pt_kernel_is_precomputed(d->model->params) || rows->n == rows->d ||
        pt_params_integer(d->params, PT_P_DESIGN_FOLDS) == 0)
        return PT_OK;
    return pt_fail(err, PT_EINVAL,
                   "a precomputed kernel can leave rows out only where they are the rows of "
                   "training; use `design-folds=0`");
}

static pt_status take_rows(design_view *d, const pt_task *task, pt_error *err)
{
    PT_TRY(check_labels(d->model, d->data, err));
    PT_TRY(keep_rows(d, task, err));
    PT_TRY(match_labels(d, err));
    PT_TRY(warn_unseen(d, err));
    PT_TRY(pt_prepare_apply(d->model->prepare, d->data, pt_model_type(d->model), &d->prepared, task,
                            err));
    PT_TRY(check_square(d, err));
    PT_TRY(pt_params_name_arrays(d->params, &d->model->classes, err));
    PT_TRY(pt_training_weights(&d->weight, d->data->weights, d->labels, d->params, err));
    PT_TRY(pt_training_costs(&d->costs, &pt_machine_designed, d->params, &d->model->classes, task,
                             err));
    PT_TRY(pt_warnings_add(&d->warnings, &d->prepared.warnings, err));
    const pt_problem rows = {.rows = d->prepared.rows,
                             .labels = d->labels,
                             .weight = d->weight,
                             .costs = d->costs,
                             .copies = d->copies,
                             .ties = pt_ties_of(d->data)};
    PT_TRY(pt_subproblem_examples(&d->examples, &rows, PT_FOLDED_EXAMPLES,
                                  pt_kernel_is_precomputed(d->params), task, err));
    d->problem = d->examples.problem;
    return PT_OK;
}

/* ---- the design ------------------------------------------------------------------------------ */

/* A copy of the model's columns, as a file would have them. */
static pt_status copy_columns(design_view *d, const pt_task *task, pt_error *err)
{
    const pt_model *model = d->model;
    const pt_machine_ops *ops = d->columns->ops;
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    PT_TRY(ops->save(d->columns, &pack, err));
    return pt_machine_load(&d->round.columns, ops, &pack, pt_prepare_n_outputs(model->prepare),
                           model->classes.count, d->params, task, err);
}

static pt_status design_code(design_view *d, const pt_task *task, pt_error *err)
{
    pt_design_round *round = &d->round;
    const pt_machine_parts parts = d->columns->ops->parts(d->columns);
    /* of the columns that are kept; `parts` have the model's decoder */
    PT_TRY(pt_params_set(d->params, "decode", "inner", err));
    PT_TRY(copy_columns(d, task, err));
    PT_TRY(pt_code_copy(&round->code, parts.code, err));
    round->code.recipe = 0; /* it serves, whatever the seed of the design is */
    PT_TRY(pt_design_round_outputs(round, &d->problem, d->params, task, &d->warnings, err));
    PT_TRY(pt_design_round_discrete(round, parts.decoder, task, err));
    return pt_design_round_design(round, d->params, true, task, &d->warnings, err);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* On the very outputs that the code was designed on: those are of columns that have not seen the
 * examples. */
static pt_status calibrate(pt_model *model, const design_view *d, const pt_task *task,
                           pt_error *err)
{
    const pt_design_data *data = &d->round.data;
    model->calibration = pt_uncalibrated((double)data->m, false);
    if (strcmp(pt_params_text(d->params, PT_P_CALIBRATE), "yes") != 0)
        return PT_OK;
    PT_SCRATCH double *scores = NULL;
    PT_TRY(PT_NEW(scores, data->m * data->k, "scores", err));
    PT_TRY(pt_designed_scores(&d->round.designed, data->m, data->H, scores, task, err));
    const pt_held_out_scores held_out = {.scores = scores,
                                         .class_of = data->class_of,
                                         .class_rows = model->class_rows,
                                         .n = data->m,
                                         .k = data->k};
    PT_TRY(pt_calibrate(&model->calibration, &held_out, err));
    return pt_conformity_make(&model->conformity, &model->calibration, &held_out, task, err);
}

static pt_status copy_text(char **out, const char *text, pt_error *err)
{
    *out = text ? pt_alloc_text(text, err) : NULL;
    return text && !*out ? PT_ENOMEM : PT_OK;
}

static pt_status copy_prepare(pt_prepare **out, const pt_prepare *prepare, pt_error *err)
{
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    PT_TRY(pt_prepare_save(prepare, &pack, err));
    return pt_prepare_load(out, &pack, err);
}

/* Takes parameters, warnings and what the round has made. */
static pt_status fill_model(pt_model *made, design_view *d, const pt_task *task, pt_error *err)
{
    const pt_model *model = d->model;
    if (model->class_rows) {
        PT_TRY(PT_NEW(made->class_rows, model->classes.count, "frequencies of classes", err));
        memcpy(made->class_rows, model->class_rows,
               (size_t)model->classes.count * sizeof *made->class_rows);
    }
    PT_TRY(calibrate(made, d, task, err));
    PT_TRY(copy_prepare(&made->prepare, model->prepare, err));
    PT_TRY(pt_texts_copy(&made->classes, &model->classes, err));
    PT_TRY(copy_text(&made->label_name, model->label_name, err));
    PT_TRY(copy_text(&made->source, model->source, err));
    PT_TRY(pt_machine_designed_take(&made->machine, &d->round, err));
    made->label_column = model->label_column;
    made->n_examples = model->n_examples;
    made->weighted = model->weighted;
    made->params = d->params;
    d->params = NULL;
    made->warnings = d->warnings;
    d->warnings = (pt_warnings){0};
    return pt_model_describe(made, err);
}

static pt_status fail_machine(const pt_machine_ops *ops, pt_error *err)
{
    char can[240] = "";
    for (int64_t i = 0; pt_machines[i]; i++) {
        if (!pt_machines[i]->outputs)
            continue;
        (void)strncat(can, can[0] ? ", " : "", sizeof can - strlen(can) - 1);
        (void)strncat(can, pt_machines[i]->name, sizeof can - strlen(can) - 1);
    }
    return pt_fail(err, PT_EINVAL,
                   "the model has the machine %s, which learns no columns of a code; machines that "
                   "do: %s",
                   ops->name, can);
}

static void model_free_at(pt_model **address)
{
    pt_model_free(*address);
}

pt_status pt_model_design(pt_model **out, const pt_model *model, const pt_dataset *data,
                          const pt_params *params, pt_task *task, pt_error *err)
{
    PT_FREED_BY(design_view_free)
    design_view d = {
        .model = model, .columns = pt_machine_designed_columns(model->machine), .data = data};
    PT_FREED_BY(model_free_at) pt_model *made = NULL;
    if (!d.columns->ops->outputs)
        return fail_machine(model->machine->ops, err);
    PT_TRY(take_params(&d, params, err));
    PT_TRY(take_rows(&d, task, err));
    PT_TRY(design_code(&d, task, err));
    PT_TRY(PT_NEW_ZERO(made, 1, "a model", err));
    PT_TRY(fill_model(made, &d, task, err));
    *out = pt_keep(&made);
    return PT_OK;
}

const double *pt_model_designed_rows(const pt_model *model, int64_t *n_columns)
{
    const pt_designed *code = pt_machine_designed_code(model->machine);
    const double *rows = code ? pt_designed_rows(code) : NULL;
    *n_columns = rows ? code->ell : 0;
    return rows;
}
