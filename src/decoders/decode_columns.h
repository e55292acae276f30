/* Decoders of codes that add up what each column says for a class. */
#ifndef PT_DECODERS_DECODE_COLUMNS_H
#define PT_DECODERS_DECODE_COLUMNS_H

#include "base/error.h"
#include "codes/code.h"

/* Rows that are decoded together: loops over them become vectors. */
enum { PT_DECODE_ROWS = 64 };

/* What a column's outputs f (PT_DECODE_ROWS of them) say: for a loss L,
 *
 *     both    plus = L(0) - L(f), minus = L(0) - L(-f): over a class that takes no part
 *     between plus = L(-f) - L(f): for + over -, computed as one, where every class takes part
 */
typedef struct pt_column_gains {
    void (*both)(const double *f, double *plus, double *minus);
    void (*between)(const double *f, double *plus);
} pt_column_gains;

/* Which classes a column speaks for: those that differ from its commonest entry, or from 0 where
 * there is one. Of all pairs nothing is kept. Zero-initialise; free it always. */
typedef struct pt_column_lists {
    int64_t *first; /* ell + 1: where a column begins */
    int32_t *class_of;
    bool *minus;      /* the class is at - there */
    bool *takes_part; /* ell: no entry is 0 */
} pt_column_lists;

pt_status pt_column_lists_init(pt_column_lists *lists, const pt_code *code, pt_error *err);
void pt_column_lists_free(pt_column_lists *lists);

/* scores (n x k) <- sums over the columns, n <= PT_DECODE_ROWS. work: k x PT_DECODE_ROWS. */
void pt_decode_columns(const pt_column_gains *gains, const pt_column_lists *lists,
                       const pt_code *code, int64_t n, const double *outputs, double *scores,
                       double *work);

#endif
