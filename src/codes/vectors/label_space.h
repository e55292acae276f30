/* The label space of a vector-output machine: a vector for each class, or only the inner products
 * of such vectors (a kernel on the labels, HNR section 7.2). */
#ifndef PT_CODES_VECTORS_LABEL_SPACE_H
#define PT_CODES_VECTORS_LABEL_SPACE_H

#include <stdbool.h>

#include "codes/vectors/labelbook.h"
#include "params/params.h"

/* Zero-initialise; free it always. */
typedef struct pt_label_space {
    int64_t k;
    int64_t ell; /* 0 where there are only inner products */
    double *M;   /* k x ell row-major: the label vectors; NULL where ell = 0, or not asked for */
    double *Q;   /* k x k: Q_rc = M_r . M_c, or the kernel on the labels; NULL: not asked for */
    /* All classes alike: Q = on I + all 1 1^T. Scores then leave out the second term, which is the
     * same for every class, and decisions do not depend on the labelbook (HNR Theorem 5). */
    bool alike;
    double on;
} pt_label_space;

/* From the parameters labelbook, label-kernel, label-sigma, label-degree, label-coef0. size: how
 * many examples each class has, k numbers; given: the k x k matrix that --label-kernel FILE names,
 * NULL otherwise. Without `whole`, M and Q are left out where all classes are alike: there may
 * be thousands of them. */
pt_status pt_label_space_init(pt_label_space *space, const pt_params *params, int64_t k,
                              const double *size, const double *given, bool whole, pt_error *err);
/* From label vectors (M, k x ell) or, where ell = 0, inner products (Q, k x k): of a file. */
pt_status pt_label_space_from(pt_label_space *space, int64_t k, int64_t ell, const double *M,
                              const double *Q, pt_error *err);
void pt_label_space_free(pt_label_space *space);

/* Whether the space is the same whatever examples it is made for: it is not with `fisher`. */
bool pt_label_space_is_fixed(const pt_params *params);

/* component[r] <- the number (from 0) of the connected component of class r, where classes with
 * Q_rc != 0 are connected: a machine with the matrix P o K falls apart into one for each. Returns
 * how many there are. */
int64_t pt_label_space_components(const pt_label_space *space, int64_t *component);

/* f (ell) <- M^T g for class outputs g (k). */
void pt_label_space_outputs(const pt_label_space *space, const double *g, double *f);

#endif
