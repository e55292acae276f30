/* Training of the support vector machine: what learner_svm.c asks of svm_columns.c (any code) and
 * svm_pairs.c (all pairs of classes). */
#ifndef PT_LEARNERS_SVM_TRAINING_H
#define PT_LEARNERS_SVM_TRAINING_H

#include "learners/learner.h"
#include "learners/pair_expansion.h"

typedef struct pt_svm_training {
    const pt_rows *rows;
    const pt_columns *columns;
    const pt_task *task;
    pt_kernel kernel;
    double C;
    double eps;
    bool bias;
} pt_svm_training;

typedef struct pt_svm_outcome {
    int64_t n_support;  /* rows with a coefficient in some column */
    int64_t unfinished; /* columns that reached the limit of steps */
} pt_svm_outcome;

/* The bound of row i's coefficient. */
double pt_svm_bound(const pt_svm_training *t, int64_t i);

/* kernel: NULL where it is not chosen yet. */
void pt_svm_columns_plan(const pt_rows *rows, const pt_columns *columns,
                         const pt_kernel_ops *kernel, const pt_task *task, pt_plan *plan);
pt_status pt_svm_columns_fit(const pt_svm_training *t, pt_expansion *out, pt_svm_outcome *outcome,
                             pt_error *err);

pt_status pt_svm_pairs_plan(const pt_rows *rows, const pt_columns *columns,
                            const pt_kernel_ops *kernel, const pt_task *task, pt_plan *plan,
                            pt_error *err);
pt_status pt_svm_pairs_fit(const pt_svm_training *t, pt_pair_expansion *out,
                           pt_svm_outcome *outcome, pt_error *err);

/* Coefficients of the data's columns instead of its rows, for a linear or a precomputed kernel.
 * *beta (n x ell, column-major) and *bias (ell) are taken, and NULL then. */
pt_status pt_svm_keep_linear(const pt_svm_training *t, double **beta, double **bias,
                             pt_expansion *out, pt_error *err);

#endif
