/* Inside of pt_gram: shared by the files that make rows ready (gram_rows.c), compute blocks
 * (gram_block.c) and run over all blocks (gram_apply.c). */
#ifndef PT_KERNELS_GRAM_ROWS_H
#define PT_KERNELS_GRAM_ROWS_H

#include "kernels/gram.h"
#include "kernels/own_kernel.h"

/* Features that are packed or scattered at a time: bounds scratch whatever d is. */
#define PT_GRAM_CHUNK 4096
/* Panel rows (features) held at a time for sparse rows: 8 MB of panel. */
#define PT_GRAM_SLOTS 32768
/* Multiplications of a block that are one call of BLAS: some hundredths of a second. */
#define PT_GRAM_PRODUCTS 0x1p30

struct pt_gram {
    pt_rows rows; /* the source */
    pt_kernel_base base;
    pt_type type;
    bool sparse;         /* computed through panels of sparse rows */
    const pt_task *task; /* asked within blocks; it stays, or is set to NULL */

    /* a program's kernel */
    const pt_kernel_callbacks *own; /* NULL: it is none */
    pt_rows seen;                   /* the rows as it sees them, */
    pt_rows_owned wide;             /*   and what they need */

    /* dense */
    double *centre;      /* d: what is subtracted from every row; NULL: nothing */
    const void *operand; /* n rows ready for BLAS, `stride` apart; NULL: packed block by block */
    int64_t stride;
    void *held; /* the copy behind operand, if it is one */

    /* sparse: own compressed rows; features are numbered 0 .. width by their rank in `known` */
    int64_t *start;   /* n + 1 */
    int32_t *feature; /* ascending in a row */
    void *value;
    int64_t width;
    int64_t *known; /* width feature numbers of the source, ascending */

    void *norm; /* n: sum x^2 or, for sparse L1, sum |x|; NULL where the base needs none */
};

/* Writes rows first .. first+count, features from .. from+width, row-major into out, in gram's type
 * and centred. */
void pt_gram_pack(const pt_gram *gram, int64_t first, int64_t count, int64_t from, int64_t width,
                  void *out);

/* For what has blocks of its own: rows that new ones will meet. Sparse rows, and dense ones with
 * few cells that are not 0, are made ready as by pt_gram_new, and so are those of a program's
 * kernel; others have their centre, for squared distances, and nothing else: pt_gram_pack works. */
pt_status pt_gram_new_bare(pt_gram **out, const pt_rows *rows, const pt_kernel_ops *of,
                           pt_type type, const pt_task *task, pt_error *err);
/* Rows to pack, less the centre of `like`, which may be NULL: none. */
pt_status pt_gram_view(pt_gram **out, const pt_rows *rows, const pt_gram *like, pt_type type,
                       pt_error *err);

static inline double pt_real_get(pt_type type, const void *array, int64_t i)
{
    return type == PT_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static inline void pt_real_set(pt_type type, void *array, int64_t i, double value)
{
    if (type == PT_F32)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

/* The address of element i. */
static inline void *pt_real_at(pt_type type, const void *array, int64_t i)
{
    return (char *)array + i * (int64_t)pt_type_size(type);
}

#endif
