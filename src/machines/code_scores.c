/* Outputs of machines that have a code, block after block, and their scores. */
#include "machines/code_scores.h"

#include "base/alloc.h"

pt_status pt_code_outputs(const pt_machine *machine, const pt_rows *rows, pt_outputs_fn take,
                          void *context, const pt_task *task, pt_error *err)
{
    enum { MOST_ROWS = 4096, MOST_OUTPUTS = 1 << 22 };
    const int64_t ell = machine->ops->code_parts(machine).code->ell;
    int64_t most = MOST_OUTPUTS / ell < MOST_ROWS ? MOST_OUTPUTS / ell : MOST_ROWS;
    most = most < 1 ? 1 : most < rows->n ? most : rows->n;
    double *f = pt_alloc(most * ell, sizeof *f, "outputs", err);
    pt_status status = f ? PT_OK : PT_ENOMEM;
    for (int64_t first = 0; first < rows->n && status == PT_OK; first += most) {
        const int64_t n = rows->n - first < most ? rows->n - first : most;
        const pt_rows some = pt_rows_range(rows, first, n);
        status = machine->ops->outputs(machine, &some, f, task, err);
        if (status == PT_OK)
            status = take(context, first, n, f, err);
    }
    pt_free(f);
    return status;
}

typedef struct decoding {
    pt_machine_code_parts parts;
    double *scores;
    const pt_task *task;
} decoding;

static pt_status decode_block(void *context, int64_t first, int64_t n, const double *outputs,
                              pt_error *err)
{
    const decoding *d = context;
    const pt_code *code = d->parts.code;
    return pt_decode_code(d->parts.decoder, code, n, outputs, d->scores + first * code->k, d->task,
                          err);
}

pt_status pt_code_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                         const pt_task *task, pt_error *err)
{
    decoding d = {machine->ops->code_parts(machine), scores, task};
    return pt_code_outputs(machine, rows, decode_block, &d, task, err);
}
