/* Outputs of machines that have a code, block after block, and their scores. */
#include "machine/code_scores.h"

#include "base/alloc.h"

enum { MOST_ROWS = 4096, MOST_OUTPUTS = 1 << 22 };

/* How many rows make a block, where each has so many outputs. */
static int64_t block_of(int64_t outputs, int64_t n)
{
    const int64_t most = MOST_OUTPUTS / outputs < MOST_ROWS ? MOST_OUTPUTS / outputs : MOST_ROWS;
    return most < 1 ? 1 : most < n ? most : n;
}

pt_status pt_code_outputs(const pt_machine *machine, const pt_rows *rows, pt_outputs_fn take,
                          void *context, const pt_task *task, pt_error *err)
{
    const int64_t ell = machine->ops->parts(machine).code->ell;
    const int64_t most = block_of(ell, rows->n);
    PT_SCRATCH double *f = pt_alloc(most * ell, sizeof *f, "outputs", err);
    if (!f)
        return PT_ENOMEM;
    for (int64_t first = 0; first < rows->n; first += most) {
        const int64_t n = rows->n - first < most ? rows->n - first : most;
        const pt_rows some = pt_rows_range(rows, first, n);
        PT_TRY(machine->ops->outputs(machine, &some, f, task, err));
        PT_TRY(take(context, first, n, f, err));
    }
    return PT_OK;
}

typedef struct block_decoder {
    pt_machine_parts parts;
    double *scores;
    const pt_task *task;
} block_decoder;

static pt_status decode_block(void *context, int64_t first, int64_t n, const double *outputs,
                              pt_error *err)
{
    const block_decoder *d = context;
    const pt_code *code = d->parts.code;
    return pt_decode_code(d->parts.decoder, code, n, outputs, d->scores + first * code->k, d->task,
                          err);
}

pt_status pt_code_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                         const pt_task *task, pt_error *err)
{
    block_decoder d = {machine->ops->parts(machine), scores, task};
    return pt_code_outputs(machine, rows, decode_block, &d, task, err);
}

/* ---- after some rounds ----------------------------------------------------------------------- */

int64_t pt_code_rounds(const pt_machine *machine)
{
    return machine->ops->staged ? machine->ops->parts(machine).rounds : 0;
}

/* Where a block lies, for the stages that its rows go through. */
typedef struct stage_taker {
    pt_staged_outputs_fn take;
    void *context;
    int64_t first;
    int64_t n;
} stage_taker;

static pt_status take_stage(void *context, int64_t which, const double *outputs, pt_error *err)
{
    const stage_taker *s = context;
    return s->take(s->context, which, s->first, s->n, outputs, err);
}

/* A block has room for the outputs of all stages: a learner may have to gather them. */
pt_status pt_code_staged(const pt_machine *machine, const pt_rows *rows, const int64_t *rounds,
                         int64_t n_rounds, pt_staged_outputs_fn take, void *context,
                         const pt_task *task, pt_error *err)
{
    const int64_t ell = machine->ops->parts(machine).code->ell;
    const int64_t stages = n_rounds < MOST_OUTPUTS ? n_rounds : MOST_OUTPUTS;
    const int64_t most = block_of(ell < MOST_OUTPUTS ? ell * stages : ell, rows->n);
    for (int64_t first = 0; first < rows->n; first += most) {
        stage_taker s = {take, context, first, rows->n - first < most ? rows->n - first : most};
        const pt_rows some = pt_rows_range(rows, first, s.n);
        PT_TRY(pt_task_check(task, err));
        PT_TRY(machine->ops->staged(machine, &some, rounds, n_rounds, take_stage, &s, task, err));
    }
    return PT_OK;
}

static pt_status decode_stage(void *context, int64_t which, int64_t first, int64_t n,
                              const double *outputs, pt_error *err)
{
    (void)which;
    return decode_block(context, first, n, outputs, err);
}

pt_status pt_code_scores_after(const pt_machine *machine, int64_t rounds, const pt_rows *rows,
                               double *scores, const pt_task *task, pt_error *err)
{
    block_decoder d = {machine->ops->parts(machine), scores, task};
    return pt_code_staged(machine, rows, &rounds, 1, decode_stage, &d, task, err);
}
