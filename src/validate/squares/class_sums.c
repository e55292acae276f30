/* Class sums: the choice of the instruction set; the loops are in class_sums_isa.c. */
#include "validate/squares/class_sums.h"

#include <assert.h>
#include <stddef.h>

#include "base/isa.h"

PT_ISA_DECLARE(pt_class_sums_ops, pt_class_sums);

static const pt_class_sums_ops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_class_sums);

static const pt_class_sums_ops *chosen(void)
{
    return tables[pt_isa_level_chosen()];
}

void pt_class_sums_rows(pt_type type, const void *C, int64_t ld, int64_t m, int64_t n,
                        const int32_t *fold_row, const int32_t *fold_column,
                        const int32_t *class_of, void *sums, int64_t stride)
{
    if (type == PT_F32)
        chosen()->rows_f32(C, ld, m, n, fold_row, fold_column, class_of, sums, stride);
    else
        chosen()->rows_f64(C, ld, m, n, fold_row, fold_column, class_of, sums, stride);
}

void pt_class_sums_columns(pt_type type, const void *C, int64_t ld, int64_t m, int64_t n,
                           const int32_t *fold_row, const int32_t *fold_column,
                           const int32_t *class_of, void *sums, int64_t stride)
{
    if (type == PT_F32)
        chosen()->columns_f32(C, ld, m, n, fold_row, fold_column, class_of, sums, stride);
    else
        chosen()->columns_f64(C, ld, m, n, fold_row, fold_column, class_of, sums, stride);
}

void pt_class_sums_of_others(pt_type type, void *sums, int64_t stride, int64_t n_sets,
                             int64_t count)
{
    assert(n_sets <= PT_MOST_SETS);
    if (type == PT_F32)
        chosen()->others_f32(sums, stride, n_sets, count);
    else
        chosen()->others_f64(sums, stride, n_sets, count);
}
