/* Sums of the entries of a symmetric matrix by class, leaving out the own fold: the inner loop of
 * leave-one-out and of repeated folds. */
#ifndef PT_VALIDATE_SQUARES_CLASS_SUMS_H
#define PT_VALIDATE_SQUARES_CLASS_SUMS_H

#include <stdint.h>

#include "data/rows.h"

/* C is an m x n block, column-major. For each row i:
 *   sums[class_of[j] * stride + i] += C(i, j)   over columns j with fold_column[j] != fold_row[i]
 */
void pt_class_sums_rows(pt_type type, const void *C, int64_t ld, int64_t m, int64_t n,
                        const int32_t *fold_row, const int32_t *fold_column,
                        const int32_t *class_of, void *sums, int64_t stride);

/* For each column j: sums[class_of[i] * stride + j] += C(i, j) over rows i with another fold. The
 * rows are sorted by class. */
void pt_class_sums_columns(pt_type type, const void *C, int64_t ld, int64_t m, int64_t n,
                           const int32_t *fold_row, const int32_t *fold_column,
                           const int32_t *class_of, void *sums, int64_t stride);

/* sums[g * stride + i] <- the sum over h != g of sums[h * stride + i], g < n_sets and i < count:
 * what came before plus what comes after, never the total minus the own. */
void pt_class_sums_of_others(pt_type type, void *sums, int64_t stride, int64_t n_sets,
                             int64_t count);

#define PT_MOST_SETS 32 /* the largest n_sets */

/* The loops of one instruction set. */
typedef struct pt_class_sums_ops {
    void (*rows_f32)(const float *C, int64_t ld, int64_t m, int64_t n, const int32_t *fold_row,
                     const int32_t *fold_column, const int32_t *class_of, float *sums,
                     int64_t stride);
    void (*rows_f64)(const double *C, int64_t ld, int64_t m, int64_t n, const int32_t *fold_row,
                     const int32_t *fold_column, const int32_t *class_of, double *sums,
                     int64_t stride);
    void (*columns_f32)(const float *C, int64_t ld, int64_t m, int64_t n, const int32_t *fold_row,
                        const int32_t *fold_column, const int32_t *class_of, float *sums,
                        int64_t stride);
    void (*columns_f64)(const double *C, int64_t ld, int64_t m, int64_t n, const int32_t *fold_row,
                        const int32_t *fold_column, const int32_t *class_of, double *sums,
                        int64_t stride);
    void (*others_f32)(float *sums, int64_t stride, int64_t n_sets, int64_t count);
    void (*others_f64)(double *sums, int64_t stride, int64_t n_sets, int64_t count);
} pt_class_sums_ops;

#endif
