/* What machines share that learn the columns of a code: columns from labels of any kind, and the
 * code as the model file has it. */
#ifndef PT_MACHINES_CODES_CODE_COLUMNS_H
#define PT_MACHINES_CODES_CODE_COLUMNS_H

#include "learners/learner.h"
#include "machine/machine.h"
#include "store/pack.h"

/* Where labels are classes: the code itself, classes are the groups. */
pt_columns pt_class_columns(const pt_code *code, const pt_problem *problem);

/* Zero-initialise; free it always. */
typedef struct pt_order_columns {
    pt_columns columns; /* for a learner; n, group_of and sign of what follows */
    int64_t *group_of;  /* n: examples with the same sides in all columns are a group */
    int8_t *sign;       /* groups x ell */
} pt_order_columns;

/* From the code (not its short form of all pairs) and the problem's labels and weights. */
pt_status pt_order_columns_init(pt_order_columns *order, const pt_code *code,
                                const pt_problem *problem, pt_error *err);
void pt_order_columns_free(pt_order_columns *order);

/* Bytes that they take at most, for plans. */
double pt_order_columns_bytes(int64_t n, int64_t ell);

/* All pairs need no array in a file; of other codes the entries are kept (code, k x ell).
 * *signs <- these, to be saved and freed with pt_free; NULL for all pairs. */
pt_status pt_code_signs_keep(double **signs, const pt_code *code, pt_error *err);
void pt_code_signs_save(const double *signs, const pt_code *code, pt_pack *pack);
/* From arrays that may be hostile; *used <- how many there are, 0 or 1. */
pt_status pt_code_signs_load(pt_code *code, double **signs, const pt_pack *pack, int64_t k,
                             int64_t *used, pt_error *err);

/* PT_EINVAL where what training begins with has another code. */
pt_status pt_code_check_start(const pt_code *code, const pt_code *start, pt_error *err);

/* Bytes of a code and of its signs as a model keeps them, for plans. */
double pt_code_signs_bytes(const pt_code *code);

#endif
