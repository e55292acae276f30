/* What the outputs of a code's columns say of an evaluation's examples (ASS sections 3 and 4). */
#include <math.h>

#include "base/alloc.h"
#include "machine/code_scores.h"
#include "model/evaluation.h"

typedef struct diagnosis_sum {
    pt_diagnosis *diagnosis;
    const int64_t *class_of;
    const pt_task *task;
} diagnosis_sum;

static pt_status diagnose_block(void *context, int64_t first, int64_t n, const double *outputs,
                                pt_error *err)
{
    const diagnosis_sum *d = context;
    return pt_diagnosis_add(d->diagnosis, n, outputs, d->class_of + first, d->task, err);
}

static pt_status diagnose_stage(void *context, int64_t which, int64_t first, int64_t n,
                                const double *outputs, pt_error *err)
{
    (void)which;
    return diagnose_block(context, first, n, outputs, err);
}

static pt_status diagnose(pt_evaluation *e, const pt_model *model, const pt_dataset *data,
                          pt_task *task, pt_error *err)
{
    const pt_machine *machine = model->machine;
    const pt_machine_parts parts = machine->ops->parts(machine);
    PT_FREED_BY(pt_prepared_free) pt_prepared prepared = {0};
    PT_FREED_BY(pt_diagnosis_free) pt_diagnosis diagnosis = {0};
    PT_TRY(pt_diagnosis_init(&diagnosis, parts.code, pt_evaluation_decoding_loss(model, parts.loss),
                             data->n, task, err));
    PT_TRY(pt_prepare_apply(model->prepare, data, pt_model_type(model), &prepared, task, err));
    diagnosis_sum d = {&diagnosis, e->class_of, task};
    PT_TRY(e->rounds < 0 ? pt_code_outputs(machine, &prepared.rows, diagnose_block, &d, task, err)
                         : pt_code_staged(machine, &prepared.rows, &e->rounds, 1, diagnose_stage,
                                          &d, task, err));
    pt_diagnosis_finish(&diagnosis);
    pt_diagnosis_free(&e->diagnosis);
    e->diagnosis = diagnosis;
    diagnosis = (pt_diagnosis){0};
    e->decoded = parts.decoder != NULL;
    return PT_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    pt_code_figure figure;
} FIGURES[] = {
    {"rho", PT_CODE_RHO},
    {"average_loss", PT_CODE_LOSS},
    {"loss_at_zero", PT_CODE_LOSS_AT_ZERO},
    {"ignored", PT_CODE_IGNORED},
    {"average_loss_taking_part", PT_CODE_LOSS_TAKING_PART},
    {"binary_error", PT_CODE_BINARY_ERROR},
    {"loss_decoding_error", PT_CODE_LOSS_DECODING_ERROR},
    {"loss_decoding_bound", PT_CODE_LOSS_DECODING_BOUND},
    {"loss_decoding_bound_q", PT_CODE_LOSS_DECODING_BOUND_Q},
    {"hamming_error", PT_CODE_HAMMING_ERROR},
    {"hamming_bound", PT_CODE_HAMMING_BOUND},
    {"hamming_bound_signs", PT_CODE_HAMMING_BOUND_SIGNS},
    {"hamming_bound_q", PT_CODE_HAMMING_BOUND_Q},
};

static pt_status add_columns(pt_report *report, const pt_diagnosis *diagnosis, pt_error *err)
{
    const int64_t ell = diagnosis->code.ell;
    int64_t *rows = NULL;
    double *error = NULL;
    double *loss = NULL;
    double *balance = NULL;
    PT_TRY(pt_report_room(report, PT_LIST("column_rows", PT_I64, "column", ell, NULL), &rows, err));
    PT_TRY(
        pt_report_room(report, PT_LIST("column_error", PT_F64, "column", ell, NULL), &error, err));
    PT_TRY(pt_report_room(report, PT_LIST("column_loss", PT_F64, "column", ell, NULL), &loss, err));
    PT_TRY(pt_report_room(report, PT_LIST("column_balance", PT_F64, "column", ell, NULL), &balance,
                          err));
    for (int64_t s = 0; s < ell; s++) {
        const pt_column_figures *figures = &diagnosis->column[s];
        const double n = figures->n > 0 ? (double)figures->n : NAN;
        rows[s] = figures->n;
        error[s] = figures->wrong / n;
        loss[s] = figures->loss / n;
        balance[s] = (double)figures->n_plus / n;
    }
    return PT_OK;
}

static pt_status add_diagnosis(pt_report *report, const pt_evaluation *e, const pt_task *task,
                               pt_error *err)
{
    const pt_diagnosis *diagnosis = &e->diagnosis;
    PT_TRY(pt_report_add_integer(report, "n_columns", diagnosis->code.ell, err));
    PT_TRY(pt_report_add_integer(report, "code_decides", e->decoded, err));
    PT_TRY(pt_report_add_text(report, "code_loss", diagnosis->loss->name, err));
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES && diagnosis->n > 0; i++)
        PT_TRY(pt_report_add_number(report, FIGURES[i].name,
                                    pt_diagnosis_figure(diagnosis, FIGURES[i].figure), err));
    PT_TRY(pt_code_add(report, &diagnosis->code, "column", task, err));
    PT_TRY(add_columns(report, diagnosis, err));
    return pt_report_add_quantiles(report, "decoding_margin", diagnosis->margin, diagnosis->n, err);
}

pt_status pt_evaluate_columns(pt_report *evaluation, const pt_model *model, const pt_dataset *data,
                              pt_task *task, pt_error *err)
{
    pt_evaluation *e = NULL;
    PT_TRY(pt_evaluation_of_report(&e, evaluation, "n_columns", err));
    if (!model->machine->ops->outputs || e->label_kind != PT_LABEL_CLASS)
        return PT_OK;
    PT_TRY(pt_evaluation_check_data(e, model, data, err));
    const int64_t n_items = pt_report_n_items(evaluation);
    PT_TRY(diagnose(e, model, data, task, err));
    const pt_status status = add_diagnosis(evaluation, e, task, err);
    if (status != PT_OK) {
        pt_report_cut(evaluation, n_items);
        pt_diagnosis_free(&e->diagnosis);
        e->diagnosis = (pt_diagnosis){0};
    }
    return status;
}
