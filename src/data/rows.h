/* Examples as rows of numbers: what kernels and machines see. A view, it owns nothing. */
#ifndef PT_DATA_ROWS_H
#define PT_DATA_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/math.h"

/* Dense: `dense` is n x d, row-major, row i at dense + i * stride (in elements).
 * Sparse: dense is NULL; row i has features index[start[i] .. start[i+1]), ascending, from 0, with
 * values `value`. Both in `type`.
 *
 * Raw rows (prepare.h) hold the number of a level in a nominal column, and NaN where a cell is
 * missing or its level was never seen; only machines and learners that ask for them get any. */
typedef struct pt_rows {
    int64_t n;
    int64_t d;
    pt_type type;
    const void *dense;
    int64_t stride;
    const int64_t *start;
    const int64_t *index;
    const void *value;
    const int64_t *levels; /* raw rows: d, levels of a nominal column, 0: numeric; NULL: all are */
} pt_rows;

/* Rows with the memory that holds them. Zero-initialise; pt_rows_owned_free may be called at any
 * time. */
typedef struct pt_rows_owned {
    pt_rows rows;
    void *value;
    int64_t *start;
    int64_t *index;
} pt_rows_owned;

/* Rows order[0], order[1], ... of `rows` (NULL: all of them, m is then rows->n). */
pt_status pt_rows_select(pt_rows_owned *out, const pt_rows *rows, const int64_t *order, int64_t m,
                         const pt_task *task, pt_error *err);

/* All of them, in double. */
pt_status pt_rows_widen(pt_rows_owned *out, const pt_rows *rows, const pt_task *task,
                        pt_error *err);

/* All of them with one more feature, the last, that is 1 in every row. */
pt_status pt_rows_append_one(pt_rows_owned *out, const pt_rows *rows, const pt_task *task,
                             pt_error *err);

/* The transpose, in double: d rows of n, row i of the original multiplied by scale[i] (NULL: 1). */
pt_status pt_rows_transpose(pt_rows_owned *out, const pt_rows *rows, const double *scale,
                            const pt_task *task, pt_error *err);

/* Keeps columns order[0] .. order[m-1], in that order; dense rows only, m <= d. */
pt_status pt_rows_take_columns(pt_rows_owned *owned, const int64_t *order, int64_t m,
                               const pt_task *task, pt_error *err);

/* Rows first .. first+m-1, where they lie. */
static inline pt_rows pt_rows_range(const pt_rows *rows, int64_t first, int64_t m)
{
    pt_rows range = *rows;
    range.n = m;
    if (rows->dense)
        range.dense =
            (const char *)rows->dense + (size_t)(first * rows->stride) * pt_type_size(rows->type);
    else
        range.start = rows->start + first;
    return range;
}

/* The same in each block of `block` columns: a kernel matrix is one block, a joint kernel has one
 * for each class. */
pt_status pt_rows_take_block_columns(pt_rows_owned *owned, const int64_t *order, int64_t m,
                                     int64_t block, const pt_task *task, pt_error *err);

/* How many values are stored. */
static inline int64_t pt_rows_stored(const pt_rows *rows)
{
    return rows->dense ? rows->n * rows->d : rows->start[rows->n] - rows->start[0];
}

/* Cells of a row, on average: how often a loop over rows looks at its task (pt_task_check_row). */
static inline int64_t pt_rows_width(const pt_rows *rows)
{
    return rows->dense ? rows->d : rows->n > 0 ? pt_rows_stored(rows) / rows->n : 0;
}

/* values[place] as a double, whatever the type of the rows. */
static inline double pt_rows_value(const pt_rows *rows, const void *values, int64_t place)
{
    return rows->type == PT_F32 ? (double)((const float *)values)[place]
                                : ((const double *)values)[place];
}

void pt_rows_owned_free(pt_rows_owned *owned);

typedef struct pt_pack pt_pack; /* store/pack.h */
/* Rows, as arrays of a file: rows, or start, index and value where they are sparse. */
void pt_pack_add_rows(pt_pack *pack, const pt_rows *rows);
/* Those of a file, checked, for rows whose n, d and type are given; they still lie in the pack. */
pt_status pt_pack_find_rows(pt_rows *rows, const pt_pack *pack, pt_error *err);

#endif
