/* Columns of a code for labels of any kind: on which side of each an example is. */
#ifndef PT_MACHINES_CODES_ORDER_COLUMNS_H
#define PT_MACHINES_CODES_ORDER_COLUMNS_H

#include "learners/learner.h"
#include "machine/machine.h"

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

#endif
