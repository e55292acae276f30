/* What a model and its predictions say of themselves beside their numbers, as reports. */
#include <math.h>

#include "base/alloc.h"
#include "model/model.h"
#include "params/params_table.h"
#include "report/report.h"

/* A figure that training has found, and on how many rows; NaN: it has not, or the model was loaded.
 */
static pt_status add_found(pt_report *report, const char *name, double value, const char *rows,
                           int64_t n, pt_error *err)
{
    if (isnan(value))
        return PT_OK;
    PT_TRY(pt_report_add_number(report, name, value, err));
    return rows ? pt_report_add_integer(report, rows, n, err) : PT_OK;
}

/* Over "parameter": names, resolved values, and which of them count. */
static pt_status add_parameters(pt_report *report, const pt_model *model, pt_error *err)
{
    PT_SCRATCH const char **name = NULL;
    PT_SCRATCH const char **value = NULL;
    int8_t *uses = NULL;
    PT_TRY(PT_NEW(name, PT_N_PARAMS, "parameters", err));
    PT_TRY(PT_NEW(value, PT_N_PARAMS, "parameters", err));
    PT_TRY(
        pt_report_room(report, PT_LIST("uses", PT_I8, "parameter", PT_N_PARAMS, NULL), &uses, err));
    for (int64_t i = 0; i < PT_N_PARAMS; i++) {
        name[i] = pt_param_name(i);
        value[i] = pt_model_param(model, name[i]);
        uses[i] = pt_model_uses(model, name[i]);
    }
    PT_TRY(
        pt_report_copy(report, PT_LIST("parameter", PT_TEXT, "parameter", PT_N_PARAMS, name), err));
    return pt_report_copy(report, PT_LIST("value", PT_TEXT, "parameter", PT_N_PARAMS, value), err);
}

pt_status pt_model_report(pt_report **out, const pt_model *model, pt_error *err)
{
    int64_t held_out_rows = 0;
    int64_t choice_rows = 0;
    const double held_out = pt_model_held_out_error(model, &held_out_rows);
    const double choice = pt_model_choice_loss(model, &choice_rows);
    const pt_texts *names = pt_prepare_input_names(model->prepare);
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_TRY(pt_report_new(&report, "model", err));
    PT_TRY(pt_report_add_text(report, "metadata", pt_model_metadata(model), err));
    PT_TRY(add_parameters(report, model, err));
    PT_TRY(pt_report_add_text(report, "labels", pt_model_label_kind(model), err));
    PT_TRY(pt_report_add_texts(report, "class", "class", &model->classes, err));
    PT_TRY(pt_report_add_integer(report, "n_features", pt_prepare_n_inputs(model->prepare), err));
    if (names)
        PT_TRY(pt_report_add_texts(report, "feature", "feature", names, err));
    PT_TRY(pt_report_add_integer(report, "n_examples", model->n_examples, err));
    PT_TRY(pt_report_add_integer(report, "n_valid", model->n_valid, err));
    PT_TRY(pt_report_add_integer(report, "n_rounds", pt_model_rounds(model), err));
    PT_TRY(pt_report_add_integer(report, "n_trees", pt_model_n_trees(model), err));
    PT_TRY(add_found(report, "training_error", pt_model_training_error(model), NULL, 0, err));
    PT_TRY(add_found(report, "held_out_error", held_out, "held_out_rows", held_out_rows, err));
    PT_TRY(add_found(report, "choice_loss", choice, "choice_rows", choice_rows, err));
    PT_TRY(pt_report_add_text(report, "limited", model->limited, err));
    PT_TRY(pt_report_add_warnings(report, &model->warnings, err));
    *out = pt_keep(&report);
    return PT_OK;
}

pt_status pt_prediction_report(pt_report **out, const pt_prediction *prediction, pt_error *err)
{
    static const char *const RULES[] = {"largest", "costs", "reject", "coverage"};
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    int64_t rejected = 0;
    for (int64_t i = 0; i < prediction->n; i++)
        rejected += prediction->labels[i] < 0;
    PT_TRY(pt_report_new(&report, "prediction", err));
    PT_TRY(pt_report_add_integer(report, "n_examples", prediction->n, err));
    PT_TRY(pt_report_add_integer(report, "n_classes", prediction->k, err));
    PT_TRY(pt_report_add_text(report, "decided", RULES[prediction->decided], err));
    PT_TRY(pt_report_add_integer(report, "n_rejected", rejected, err));
    PT_TRY(pt_report_add_warnings(report, &prediction->warnings, err));
    *out = pt_keep(&report);
    return PT_OK;
}
