/* Class sums: the choice of the instruction set; the loops are in class_sums_isa.c. */
#include "machines/class_sums.h"

#include <string.h>

#include "kernels/loops.h"

extern const pt_class_sums_ops pt_class_sums_base;
#if defined(__x86_64__)
extern const pt_class_sums_ops pt_class_sums_v3;
extern const pt_class_sums_ops pt_class_sums_v4;
#endif

static const pt_class_sums_ops *chosen(void)
{
#if defined(__x86_64__)
    const char *isa = pt_isa_chosen()->name;
    if (strcmp(isa, "v4") == 0)
        return &pt_class_sums_v4;
    if (strcmp(isa, "v3") == 0)
        return &pt_class_sums_v3;
#endif
    return &pt_class_sums_base;
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
