/* What a bias can do: the range of the inner products Q of the label vectors.
 *
 * A bias b of a vector-output machine matters through u = M b alone, one number for each class.
 * These are the range of Q = M M^T, so that a kernel on the labels can have a bias too; b = M^T c
 * with Q c = u is the bias of smallest norm. */
#ifndef PT_CODES_VECTORS_LABEL_RANGE_H
#define PT_CODES_VECTORS_LABEL_RANGE_H

#include <stdbool.h>

#include "base/error.h"

/* Zero-initialise; free it always. */
typedef struct pt_label_range {
    int64_t k;
    int64_t rank;
    double *V; /* k x rank, column-major: an orthonormal basis of the range of Q */
} pt_label_range;

pt_status pt_label_range_init(pt_label_range *range, const double *Q, int64_t k, pt_error *err);
void pt_label_range_free(pt_label_range *range);

/* Whether some b has M b = 1: a least-squares machine with such a bias is that bias and nothing
 * else. */
bool pt_label_range_has_ones(const pt_label_range *range);

/* c (k) <- the solution of Q c = V z in the range of Q. */
pt_status pt_label_range_preimage(const pt_label_range *range, const double *Q, const double *z,
                                  double *c, pt_error *err);

#endif
