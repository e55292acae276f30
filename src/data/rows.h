/* Examples as rows of numbers: what kernels and machines see. A view, it owns nothing. */
#ifndef PT_DATA_ROWS_H
#define PT_DATA_ROWS_H

#include <stddef.h>
#include <stdint.h>

typedef enum pt_type { PT_F32 = 0, PT_F64 = 1 } pt_type;

static inline size_t pt_type_size(pt_type type)
{
    return type == PT_F32 ? sizeof(float) : sizeof(double);
}

/* Dense: `dense` is n x d, row-major, row i at dense + i * stride (in elements).
 * Sparse: dense is NULL; row i has features index[start[i] .. start[i+1]), ascending, from 0, with
 * values `value`. Both in `type`. */
typedef struct pt_rows {
    int64_t n;
    int64_t d;
    pt_type type;
    const void *dense;
    int64_t stride;
    const int64_t *start;
    const int64_t *index;
    const void *value;
} pt_rows;

#endif
