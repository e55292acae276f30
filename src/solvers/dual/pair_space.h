/* Where the functions over pairs live: the rows themselves, or what a kernel makes of them; with
 * one more feature, 1 in every row, where there is a bias. Inner products of examples, and scores
 * of all of them under functions v_r = sum_i tau_ir phi(x_i). */
#ifndef PT_SOLVERS_DUAL_PAIR_SPACE_H
#define PT_SOLVERS_DUAL_PAIR_SPACE_H

#include "kernels/kernel_store.h"
#include "solvers/dual/class_weights.h"
#include "solvers/dual/pair_row.h"
#include "solvers/linear/linear_rows.h"

/* Zero-initialise; free it always. Linear: rows; else a store. */
typedef struct pt_pair_space {
    int64_t n;
    int64_t k;                  /* functions */
    double one;                 /* the square of the feature of the bias: 1 or 0 */
    const pt_linear_rows *rows; /* without a bias; NULL: kernel values */
    pt_kernel_store *store;
    pt_class_weights weights; /* linear: v, formed by pt_pair_space_scores; bias: k, padded */
    double *bias;
    double *work;     /* linear: d, one row; kernel: n */
    void *buffer;     /* of the store */
    int64_t at_once;  /* rows of the store that are asked for together */
    const void **row; /* at_once */
    double *square;   /* n: k(x_i, x_i), with the feature of the bias */
} pt_pair_space;

/* One of rows and store is given. */
pt_status pt_pair_space_init(pt_pair_space *space, const pt_linear_rows *rows,
                             pt_kernel_store *store, int64_t k, bool bias, pt_error *err);
void pt_pair_space_free(pt_pair_space *space);
/* Bytes that it takes beside rows or store. d: 0 with a kernel. */
double pt_pair_space_bytes(int64_t n, int64_t d, int64_t k);

/* out[c] <- the inner product of examples i and list[c]. */
pt_status pt_pair_space_products(pt_pair_space *space, int64_t i, const int64_t *list,
                                 int64_t count, double *out, const pt_task *task, pt_error *err);

/* F (n x k, row-major) <- the scores under the functions of `count` examples with their tau (count
 * x k, row-major). The same bytes for any number of threads. */
pt_status pt_pair_space_scores(pt_pair_space *space, const int64_t *support, int64_t count,
                               const double *tau, double *F, const pt_task *task, pt_error *err);

/* The inner product of Kesler's vectors of two pairs, of examples whose own is `product`. */
static inline double pt_pair_product(pt_label_pair p, pt_label_pair q, double product)
{
    return product * ((p.before == q.before) - (p.before == q.after) - (p.after == q.before) +
                      (p.after == q.after));
}

#endif
