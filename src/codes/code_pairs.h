/* The code of all pairs: a column for each pair of classes, +1 for the first of them, -1 for the
 * second, 0 for the others (ASS). */
#ifndef PT_CODES_CODE_PAIRS_H
#define PT_CODES_CODE_PAIRS_H

#include <stdint.h>

/* How many pairs k classes make: the columns of the code. */
int64_t pt_pairs_count(int64_t k);
/* The classes *p < *q of column s; columns are ordered by p, then by q. */
void pt_pairs_at(int64_t k, int64_t s, int64_t *p, int64_t *q);
/* The column of classes p < q. */
int64_t pt_pairs_column(int64_t k, int64_t p, int64_t q);
/* M: k x pt_pairs_count(k), row-major. */
void pt_pairs_fill(int64_t k, double *M);

#endif
