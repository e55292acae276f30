/* How a model that was learned by rounds came to be what it is: errors, losses and margins of
 * examples after some of the rounds (ASS section 5 for the margins). All stages of a block of rows
 * come from one pass over its rounds. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "machine/code_scores.h"
#include "model/evaluation.h"

static const double DELTA = 0.05; /* Theorem 3 may be wrong with this probability */
enum { BRANCHES = 3 };            /* of a stump: in, out, missing */

static void free_stages(pt_stage *stage, int64_t n)
{
    for (int64_t t = 0; stage && t < n; t++) {
        pt_diagnosis_free(&stage[t].diagnosis);
        pt_boost_margins_free(&stage[t].margins);
    }
    pt_free(stage);
}

void pt_evaluation_free_stages(pt_evaluation *e)
{
    free_stages(e->stage, e->n_stages);
    e->stage = NULL;
    e->n_stages = 0;
}

static pt_status stage_init(pt_stage *stage, const pt_model *model, int64_t rounds, int64_t n,
                            const pt_task *task, pt_error *err)
{
    const pt_machine *machine = model->machine;
    const pt_machine_parts parts = machine->ops->parts(machine);
    stage->rounds = rounds;
    PT_TRY(pt_diagnosis_init(&stage->diagnosis, parts.code,
                             pt_evaluation_decoding_loss(model, parts.loss), n, task, err));
    if (parts.boosting.alpha)
        PT_TRY(pt_boost_margins_init(&stage->margins, parts.code, stage->diagnosis.rho,
                                     &parts.boosting, rounds, n, err));
    return PT_OK;
}

/* ---- examples -------------------------------------------------------------------------------- */

typedef struct follower {
    pt_stage *stage;
    const int64_t *class_of;
    const pt_task *task;
} follower;

static pt_status follow_block(void *context, int64_t which, int64_t first, int64_t n,
                              const double *outputs, pt_error *err)
{
    const follower *f = context;
    pt_stage *stage = &f->stage[which];
    const int64_t *class_of = f->class_of + first;
    PT_TRY(pt_diagnosis_add(&stage->diagnosis, n, outputs, class_of, f->task, err));
    if (stage->margins.capacity > 0)
        PT_TRY(pt_boost_margins_add(&stage->margins, &stage->diagnosis.code, n, outputs, class_of,
                                    f->task, err));
    return PT_OK;
}

/* Of stumps with a sign for each column; deeper trees: not known. */
static double vc_dimension(const pt_model *model, const pt_rows *rows)
{
    const char *depth = pt_params_text(model->params, PT_P_DEPTH);
    if (strcmp(depth, "1") != 0 && strcmp(depth, "auto") != 0)
        return NAN;
    const int64_t ell = model->machine->ops->parts(model->machine).code->ell;
    return pt_boost_stump_vc(rows->d, rows->levels, ell, BRANCHES);
}

static pt_status follow(pt_stage *stage, double *vc, const pt_model *model, const pt_dataset *data,
                        const int64_t *class_of, const int64_t *rounds, int64_t n_stages,
                        pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_prepared_free) pt_prepared prepared = {0};
    for (int64_t t = 0; t < n_stages; t++)
        PT_TRY(stage_init(&stage[t], model, rounds[t], data->n, task, err));
    PT_TRY(pt_prepare_apply(model->prepare, data, pt_model_type(model), &prepared, task, err));
    follower f = {stage, class_of, task};
    PT_TRY(pt_code_staged(model->machine, &prepared.rows, rounds, n_stages, follow_block, &f, task,
                          err));
    for (int64_t t = 0; t < n_stages; t++) {
        pt_diagnosis_finish(&stage[t].diagnosis);
        pt_boost_margins_finish(&stage[t].margins);
    }
    *vc = vc_dimension(model, &prepared.rows);
    return PT_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    pt_code_figure figure;
} FIGURES[] = {
    {"stage_loss_decoding_error", PT_CODE_LOSS_DECODING_ERROR},
    {"stage_hamming_error", PT_CODE_HAMMING_ERROR},
    {"stage_binary_error", PT_CODE_BINARY_ERROR},
    {"stage_average_loss", PT_CODE_LOSS},
    {"stage_loss_decoding_bound", PT_CODE_LOSS_DECODING_BOUND},
    {"stage_hamming_bound", PT_CODE_HAMMING_BOUND},
};

static pt_status add_stages(pt_report *report, const pt_evaluation *e, pt_error *err)
{
    int64_t *rounds = NULL;
    PT_TRY(pt_report_room(report, PT_LIST("stage_rounds", PT_I64, "stage", e->n_stages, NULL),
                          &rounds, err));
    for (int64_t t = 0; t < e->n_stages; t++)
        rounds[t] = e->stage[t].rounds;
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++) {
        double *value = NULL;
        PT_TRY(pt_report_room(report, PT_LIST(FIGURES[i].name, PT_F64, "stage", e->n_stages, NULL),
                              &value, err));
        for (int64_t t = 0; t < e->n_stages; t++)
            value[t] = e->stage[t].diagnosis.n > 0
                           ? pt_diagnosis_figure(&e->stage[t].diagnosis, FIGURES[i].figure)
                           : NAN;
    }
    return PT_OK;
}

pt_status pt_evaluate_rounds(pt_report *evaluation, const pt_model *model, const pt_dataset *data,
                             const int64_t *rounds, int64_t n_stages, pt_task *task, pt_error *err)
{
    pt_evaluation *e = NULL;
    PT_TRY(pt_evaluation_of_report(&e, evaluation, "stage_rounds", err));
    if (pt_model_rounds(model) == 0 || n_stages < 1 || e->label_kind != PT_LABEL_CLASS)
        return PT_OK;
    PT_TRY(pt_evaluation_check_data(e, model, data, err));
    PT_TRY(pt_model_check_stages(model, rounds, n_stages, err));
    const int64_t n_items = pt_report_n_items(evaluation);
    PT_TRY(PT_NEW_ZERO(e->stage, n_stages, "stages", err));
    e->n_stages = n_stages;
    e->n_training = model->n_examples;
    pt_status status =
        follow(e->stage, &e->vc, model, data, e->class_of, rounds, n_stages, task, err);
    if (status == PT_OK)
        status = add_stages(evaluation, e, err);
    if (status != PT_OK) {
        pt_report_cut(evaluation, n_items);
        pt_evaluation_free_stages(e);
    }
    return status;
}

/* ---- margins --------------------------------------------------------------------------------- */

static const pt_stage *stage_of(const pt_evaluation *e, int64_t stage)
{
    return e && stage >= 0 && stage < e->n_stages ? &e->stage[stage] : NULL;
}

double pt_evaluate_margin_share(const pt_report *evaluation, int64_t stage, double theta)
{
    const pt_stage *s = stage_of(pt_report_object(evaluation, PT_REPORT_EVALUATION), stage);
    return s ? pt_boost_margins_share(&s->margins, theta) : NAN;
}

double pt_evaluate_margin_bound(const pt_report *evaluation, int64_t stage, pt_margin_bound bound,
                                double theta)
{
    const pt_evaluation *e = pt_report_object(evaluation, PT_REPORT_EVALUATION);
    const pt_stage *s = stage_of(e, stage);
    if (!s || s->margins.n == 0)
        return NAN;
    switch (bound) {
    case PT_MARGIN_THEOREM_6:
        return pt_boost_margins_theorem_6(&s->margins, theta);
    case PT_MARGIN_ROWS:
        return pt_boost_margins_bound(&s->margins, theta);
    case PT_MARGIN_THEOREM_3:
        if (s->margins.n != e->n_training || !pt_boost_margins_of_training(&s->margins))
            return NAN;
        return pt_boost_margins_share(&s->margins, theta) +
               pt_boost_theorem_3(e->vc, s->margins.ell, (double)e->n_training, theta, DELTA);
    }
    return NAN;
}
