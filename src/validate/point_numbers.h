/* Held-out scores of some points of a search, under the numbers they have in the whole. */
#ifndef PT_VALIDATE_POINT_NUMBERS_H
#define PT_VALIDATE_POINT_NUMBERS_H

#include "machine/machine.h"

typedef struct pt_point_numbers {
    pt_holdout_fn take;
    void *context;
    int64_t first;         /* the number of point 0 where they follow one another */
    const int64_t *number; /* or the number of each; NULL: first, first + 1, ... */
} pt_point_numbers;

/* A pt_holdout_fn; its context is a pt_point_numbers. */
pt_status pt_take_numbered(void *context, int64_t point, int64_t partition, const double *scores,
                           pt_error *err);

#endif
