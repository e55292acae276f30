/* Data sets from arrays, as tests have them: float64 or float32 rows, and CSR with int64 indices,
 * all copied; classes that are numbers. */
#ifndef POLYTOMY_TESTS_FROM_MEMORY_H
#define POLYTOMY_TESTS_FROM_MEMORY_H

#include "polytomy/polytomy.h"

static inline pt_status dataset_from_f64(pt_dataset **out, const double *values, int64_t n,
                                         int64_t d, int64_t stride, pt_error *err)
{
    const pt_dense dense = {PT_F64, values, n, d, stride, 1};
    return pt_dataset_from_dense(out, &dense, PT_COPY, err);
}

static inline pt_status dataset_from_f32(pt_dataset **out, const float *values, int64_t n,
                                         int64_t d, int64_t stride, pt_error *err)
{
    const pt_dense dense = {PT_F32, values, n, d, stride, 1};
    return pt_dataset_from_dense(out, &dense, PT_COPY, err);
}

static inline pt_status dataset_from_csr(pt_dataset **out, const int64_t *start,
                                         const int64_t *index, const double *values, int64_t n,
                                         int64_t d, pt_error *err)
{
    const pt_sparse sparse = {PT_F64, PT_I64, start, index, values, n, d};
    return pt_dataset_from_sparse(out, &sparse, PT_COPY, err);
}

static inline pt_status dataset_set_numbers(pt_dataset *data, const int64_t *numbers, pt_error *err)
{
    return pt_dataset_set_classes(data, PT_I64, numbers, NULL, 0, err);
}

static inline pt_status dataset_set_weights(pt_dataset *data, const double *weights, pt_error *err)
{
    const pt_dense dense = {PT_F64, weights, pt_dataset_n_examples(data), 1, 1, 1};
    return pt_dataset_set_role(data, "weight", weights ? &dense : NULL, err);
}

/* Groups, or folds in `columns` columns that follow one another. */
static inline pt_status dataset_set_ties(pt_dataset *data, const char *role, const int64_t *values,
                                         int64_t columns, pt_error *err)
{
    const int64_t n = pt_dataset_n_examples(data);
    const pt_dense dense = {PT_I64, values, n, columns, 1, n};
    return pt_dataset_set_role(data, role, values ? &dense : NULL, err);
}

#endif
