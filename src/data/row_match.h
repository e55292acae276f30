/* Rows that are among others: the support vectors of a model among the rows to train on. */
#ifndef PT_DATA_ROW_MATCH_H
#define PT_DATA_ROW_MATCH_H

#include "data/rows.h"

/* place[a] <- the row of `among` with the cells of row a, to the bit, and its tag (a class, say;
 * both NULL: whatever it is); each is taken once, in order; -1: there is none left. PT_EINVAL, of a
 * start, where the rows are not of one type and width, both dense or both sparse. */
pt_status pt_rows_match(int64_t *place, const pt_rows *rows, const int64_t *tag,
                        const pt_rows *among, const int64_t *tag_among, pt_error *err);

#endif
