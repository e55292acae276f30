/* What the parts of a model say of each example: the outputs of the columns of a code before they
 * are decoded, and scores and labels as they stood after some of the rounds. All stages of a block
 * of rows come from one pass over its rounds, whose end has the outputs. */
#include <string.h>

#include "base/alloc.h"
#include "machine/code_scores.h"
#include "model/model.h"
#include "report/report.h"

typedef struct gatherer {
    const pt_model *model;
    pt_machine_parts parts;
    int64_t n; /* examples */
    int64_t n_stages;
    int64_t n_passed; /* rounds of the pass: those of the stages, and the last of all */
    int64_t *rounds;
    int64_t before;  /* rows before those that are visited */
    double *outputs; /* n x ell */
    double *scores;  /* n_stages x n x k */
    int64_t *labels; /* n_stages x n */
    const pt_task *task;
} gatherer;

/* ---- examples -------------------------------------------------------------------------------- */

static pt_status take_outputs(void *context, int64_t first, int64_t n, const double *outputs,
                              pt_error *err)
{
    const gatherer *g = context;
    const int64_t ell = g->parts.code->ell;
    (void)err;
    memcpy(g->outputs + (g->before + first) * ell, outputs, (size_t)(n * ell) * sizeof *outputs);
    return PT_OK;
}

static pt_status take_stage(void *context, int64_t which, int64_t first, int64_t n,
                            const double *outputs, pt_error *err)
{
    const gatherer *g = context;
    const pt_code *code = g->parts.code;
    const int64_t place = which * g->n + g->before + first;
    if (which == g->n_passed - 1)
        PT_TRY(take_outputs(context, first, n, outputs, err));
    if (which == g->n_stages)
        return PT_OK;
    double *scores = g->scores + place * code->k;
    PT_TRY(pt_decode_code(g->parts.decoder, code, n, outputs, scores, g->task, err));
    for (int64_t i = 0; i < n; i++) {
        PT_TRY(pt_task_check_at(g->task, i, err));
        PT_TRY(pt_model_settle(g->model, scores + i * code->k, g->before + first + i + 1,
                               &g->labels[place + i], err));
    }
    return PT_OK;
}

static pt_status gather(void *context, const pt_rows *rows, int64_t first, pt_error *err)
{
    gatherer *g = context;
    const pt_machine *machine = g->model->machine;
    g->before = first;
    return g->n_stages > 0
               ? pt_code_staged(machine, rows, g->rounds, g->n_passed, take_stage, g, g->task, err)
               : pt_code_outputs(machine, rows, take_outputs, g, g->task, err);
}

/* ---- what can be asked for ------------------------------------------------------------------- */

static pt_status check_asked(const pt_model *model, const int64_t *rounds, int64_t n_stages,
                             pt_error *err)
{
    const pt_machine *machine = model->machine;
    const pt_machine_parts parts = pt_machine_parts_of(machine);
    if (n_stages < 0 || (n_stages > 0 && !rounds))
        return pt_fail(err, PT_EINVAL, "%lld stages are asked for, or their rounds are NULL",
                       (long long)n_stages);
    if (!machine->ops->outputs)
        return pt_fail(err, PT_ENOSUPPORT,
                       "%s learns neither the columns of a code nor by rounds: it has no outputs; "
                       "it has scores (pt_model_predict)%s%s",
                       machine->ops->name, parts.forest ? ", trees (pt_model_trees)" : "",
                       parts.labels ? ", vectors of classes (pt_model_arrays)" : "");
    if (n_stages > 0 && pt_model_rounds(model) == 0)
        return pt_fail(err, PT_ENOSUPPORT,
                       "the model was not learned by rounds: it has no stages; it has the outputs "
                       "of its columns (n_stages 0)");
    return pt_model_check_stages(model, rounds, n_stages, err);
}

/* Bytes of the report. */
static double report_bytes(const gatherer *g)
{
    const double n = (double)g->n;
    const double k = (double)g->parts.code->k;
    const double ell = (double)g->parts.code->ell;
    const double stage = n * (k * sizeof(double) + sizeof(int64_t));
    return n * ell * sizeof(double) + k * ell + (double)g->n_stages * stage;
}

static pt_status check_memory(const gatherer *g, double bytes, pt_error *err)
{
    const double need = bytes + report_bytes(g);
    if (pt_task_may_use(g->task, need))
        return PT_OK;
    return pt_fail(err, PT_EMEMORY,
                   "outputs of %lld columns and %lld stages for %lld rows need %s with the data, "
                   "%s may be used; raise `memory`, or ask for fewer rows or stages",
                   (long long)g->parts.code->ell, (long long)g->n_stages, (long long)g->n,
                   PT_SHOW_BYTES(need), PT_SHOW_BYTES(pt_task_memory(g->task)));
}

/* ---- the report ------------------------------------------------------------------------------ */

/* Room for what the rows will say. */
static pt_status add_stages(pt_report *report, gatherer *g, const int64_t *rounds, pt_error *err)
{
    const pt_item scores = {.name = "stage_scores",
                            .type = PT_F64,
                            .n_axes = 3,
                            .length = {g->n_stages, g->n, g->parts.code->k},
                            .axis = {"stage", "example", "class"}};
    PT_TRY(
        pt_report_copy(report, PT_LIST("stage_rounds", PT_I64, "stage", g->n_stages, rounds), err));
    PT_TRY(pt_report_room(report, &scores, &g->scores, err));
    return pt_report_room(
        report, PT_TABLE("stage_labels", PT_I64, "stage", g->n_stages, "example", g->n, NULL),
        &g->labels, err);
}

/* g->rounds <- those of the stages, and all, where the outputs are. */
static pt_status list_rounds(gatherer *g, const int64_t *rounds, pt_error *err)
{
    const int64_t all = g->parts.rounds;
    PT_TRY(PT_NEW(g->rounds, g->n_stages + 1, "rounds", err));
    memcpy(g->rounds, rounds, (size_t)g->n_stages * sizeof *rounds);
    g->rounds[g->n_stages] = all;
    g->n_passed = g->n_stages + (rounds[g->n_stages - 1] < all);
    return PT_OK;
}

static void gatherer_free(gatherer *g)
{
    pt_free(g->rounds);
}

pt_status pt_model_outputs(pt_report **out, const pt_model *model, const pt_dataset *data,
                           const int64_t *rounds, int64_t n_stages, pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_FREED_BY(pt_warnings_free) pt_warnings warnings = {0};
    PT_FREED_BY(gatherer_free)
    gatherer g = {.model = model, .n = data->n, .n_stages = n_stages, .task = task};
    pt_task_enter(task, "predict");
    PT_TRY(check_asked(model, rounds, n_stages, err));
    g.parts = pt_machine_parts_of(model->machine);
    const pt_visit plan = pt_visit_plan(model, data, task);
    PT_TRY(check_memory(&g, plan.bytes, err));
    PT_TRY(pt_report_new(&report, "outputs", err));
    PT_TRY(pt_report_add_integer(report, "n_examples", data->n, err));
    PT_TRY(pt_report_add_integer(report, "n_classes", model->classes.count, err));
    PT_TRY(pt_report_add_integer(report, "n_columns", g.parts.code->ell, err));
    PT_TRY(pt_report_add_texts(report, "class", "class", &model->classes, err));
    PT_TRY(pt_code_add(report, g.parts.code, "column", task, err));
    PT_TRY(pt_report_room(
        report, PT_TABLE("outputs", PT_F64, "example", g.n, "column", g.parts.code->ell, NULL),
        &g.outputs, err));
    if (n_stages > 0) {
        PT_TRY(add_stages(report, &g, rounds, err));
        PT_TRY(list_rounds(&g, rounds, err));
    }
    PT_TRY(pt_visit_rows(&plan, model, data, gather, &g, &warnings, task, err));
    PT_TRY(pt_report_add_warnings(report, &warnings, err));
    *out = pt_keep(&report);
    return PT_OK;
}
