/* Outputs for all pairs of groups of rows (classes): kernel expansions that share their rows.
 *
 * A row of group c has k-1 coefficients, one for each pair that c is in:
 *
 *   rows      n x d        sorted by group; group c has n_c of them
 *   coef      n x (k-1)    group after group: n_c x (k-1), column-major; column o is the pair of c
 *                          with the o-th of the other groups
 *   bias      ell          or NULL
 *
 * f_pq is the sum of an output of p's rows and one of q's. So new rows meet every training row
 * once: O(n (d + k)) for each, never a dense product with n x k(k-1)/2 coefficients. A linear
 * kernel has a vector in R^d for each pair instead, and a precomputed kernel no rows. Pairs are
 * numbered as in base/math.h. */
#ifndef PT_LEARNERS_PAIR_EXPANSION_H
#define PT_LEARNERS_PAIR_EXPANSION_H

#include "base/math.h"
#include "kernels/expansion.h"

/* Zero-initialise; free it always. */
typedef struct pt_pair_expansion {
    int64_t k;
    int64_t ell;        /* pairs */
    bool linear;        /* the kernel is: f = pairs, the rest is not used */
    pt_expansion pairs; /* ell outputs, with their bias */
    int64_t *first;     /* k + 1: where the rows of a group begin */
    pt_rows_owned rows; /* none for a precomputed kernel */
    int64_t *order;     /* n: which row a sorted one was; a precomputed kernel's columns */
    double *coef;
    double *bias;
    pt_kernel kernel;
    pt_type score_type;  /* of what outputs are computed from */
    void *coef_typed;    /* coef in it, as sums need it */
    pt_centres *centres; /* made of rows, or of the order */
} pt_pair_expansion;

/* Makes ready for outputs what is there: `k`, `first`, `coef` and `rows` or `order`; not where
 * linear. */
pt_status pt_pair_expansion_finish(pt_pair_expansion *e, const pt_kernel *kernel, pt_type type,
                                   const pt_task *task, pt_error *err);
void pt_pair_expansion_free(pt_pair_expansion *e);

/* The column of group c's coefficients that belongs to its pair with `other`. */
int64_t pt_pair_column_of(int64_t c, int64_t other);

/* outputs: rows.n x ell, row-major. */
pt_status pt_pair_expansion_outputs(const pt_pair_expansion *e, const pt_rows *rows,
                                    double *outputs, const pt_task *task, pt_error *err);

/* Adds its arrays to a pack: those of an expansion if linear; else coef, class_first, pair_bias,
 * and rows or order. */
void pt_pair_expansion_save(const pt_pair_expansion *e, pt_pack *pack);
/* From arrays that may be hostile; *used <- how many of them it is made of. */
pt_status pt_pair_expansion_load(pt_pair_expansion *e, const pt_pack *pack, int64_t n_inputs,
                                 int64_t k, const pt_params *params, int64_t *used,
                                 const pt_task *task, pt_error *err);

#endif
