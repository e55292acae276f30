/* How good a code is, before anything is learned. */
#ifndef PT_CODES_CODE_MEASURE_H
#define PT_CODES_CODE_MEASURE_H

#include "codes/code.h"

typedef struct pt_code_measure {
    double rho;             /* the smallest distance of two classes, sum_s (1 - u_s v_s)/2 (ASS) */
    int64_t row_separation; /* the fewest columns in which two classes have opposite signs */
    int64_t column_separation; /* the fewest classes in which two columns, or one and the opposite
                                * of the other, differ; k where there is one column */
    int64_t n_equal;           /* columns that are equal to an earlier one */
    int64_t n_opposite;   /* columns that are the opposite of an earlier one, and equal to none */
    double zero_share;    /* of all entries */
    double least_balance; /* of all columns, the smaller of its two sides over both: <= 1/2 */
    double mean_balance;
} pt_code_measure;

/* Time: (k^2 ell + ell^2 k) / 64; all pairs by their formulas. */
pt_status pt_code_measure_of(pt_code_measure *measure, const pt_code *code, const pt_task *task,
                             pt_error *err);

/* How many entries of column s have this sign: -1, 0 or 1. */
int64_t pt_code_count(const pt_code *code, int64_t s, int sign);

#endif
