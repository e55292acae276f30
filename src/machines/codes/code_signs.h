/* The code of a machine as the model file has it: all pairs need no array; of other codes the signs
 * are kept (code, k x ell). */
#ifndef PT_MACHINES_CODES_CODE_SIGNS_H
#define PT_MACHINES_CODES_CODE_SIGNS_H

#include "codes/code.h"
#include "store/pack.h"

/* *signs <- the entries of a code, to be saved and freed with pt_free; NULL for all pairs. */
pt_status pt_code_signs_keep(double **signs, const pt_code *code, pt_error *err);
void pt_code_signs_save(const double *signs, const pt_code *code, pt_pack *pack);
/* From arrays that may be hostile; *used <- how many there are, 0 or 1. */
pt_status pt_code_signs_load(pt_code *code, double **signs, const pt_pack *pack, int64_t k,
                             int64_t *used, pt_error *err);

/* Bytes of a code and of its signs as a model keeps them, for plans. */
double pt_code_signs_bytes(const pt_code *code);

#endif
