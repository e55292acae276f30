/* Machines of all pairs of classes, trained: decoding and the file. */
#include "machines/codes/pair_machine.h"

#include "base/alloc.h"

void pt_pair_machine_free(pt_machine *machine)
{
    pt_pair_machine *m = (pt_pair_machine *)machine;
    if (!m)
        return;
    pt_pair_expansion_free(&m->pairs);
    pt_code_free(&m->code);
    pt_free(m);
}

pt_status pt_pair_machine_new(pt_pair_machine **out, const pt_machine_ops *ops, int64_t k,
                              const pt_params *params, pt_error *err)
{
    pt_pair_machine *m = pt_alloc_zero(1, sizeof *m, "a machine", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = ops;
    pt_status status = pt_code_init_pairs(&m->code, k, err);
    if (status == PT_OK)
        status = pt_decoder_for_code(&m->decoder, params, &m->code, err);
    if (status != PT_OK) {
        pt_pair_machine_free(&m->base);
        return status;
    }
    m->pairs.k = k;
    m->pairs.ell = m->code.ell;
    *out = m;
    return PT_OK;
}

/* ---- outputs --------------------------------------------------------------------------------- */

pt_status pt_pair_machine_outputs(const pt_machine *machine, const pt_rows *rows, double *outputs,
                                  const pt_task *task, pt_error *err)
{
    const pt_pair_machine *m = (const pt_pair_machine *)machine;
    return pt_pair_expansion_outputs(&m->pairs, rows, outputs, task, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

pt_status pt_pair_machine_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    PT_TRY(pt_pack_begin(pack, err));
    pt_pair_expansion_save(&((const pt_pair_machine *)machine)->pairs, pack);
    return PT_OK;
}

pt_status pt_pair_machine_load(pt_machine **out, const pt_machine_ops *ops, const pt_pack *pack,
                               int64_t n_inputs, int64_t n_classes, const pt_params *params,
                               pt_error *err)
{
    pt_pair_machine *m = NULL;
    int64_t used = 0;
    pt_status status = pt_pair_machine_new(&m, ops, n_classes, params, err);
    if (status != PT_OK)
        return status;
    status = pt_pair_expansion_load(&m->pairs, pack, n_inputs, n_classes, params, &used, err);
    if (status == PT_OK && used != pack->count)
        status = pt_fail(err, PT_EFORMAT, "the model has arrays that %s has not", ops->name);
    if (status != PT_OK) {
        pt_pair_machine_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}
