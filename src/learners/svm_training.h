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
    /* What it begins with, where that is not NULL: the one for all pairs, or the other; C is
     * C_ratio times what it was there. */
    const pt_pair_expansion *start_pairs;
    const pt_expansion *start_columns;
    double C_ratio;
} pt_svm_training;

typedef struct pt_svm_outcome {
    int64_t n_support;  /* rows with a coefficient in some column */
    int64_t unfinished; /* columns that reached the limit of steps */
} pt_svm_outcome;

/* The bound of row i's coefficient. */
double pt_svm_bound(const pt_svm_training *t, int64_t i);

/* A coefficient of row i, as the start has it, to where the solution will be near: what was at its
 * bound stays at it, and the others stay where they are. */
double pt_svm_carry(const pt_svm_training *t, int64_t i, double coef);
/* a (n) becomes feasible: within the bounds and, with a bias, as much on either side: the heavier
 * one is scaled down. */
void pt_svm_make_feasible(const pt_svm_training *t, int64_t n, const int8_t *y, const double *bound,
                          double *a);

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
