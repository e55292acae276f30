/* Machines of all pairs of classes, trained: what they keep, their scores, the file.
 *
 * An example of class c has k-1 coefficients, one for each pair that c is in:
 *
 *   rows      n x d        sorted by class; class c has n_c of them
 *   coef      n x (k-1)    class after class: n_c x (k-1), column-major; column o is the pair of c
 *                          with the o-th of the other classes
 *   of_class  k            kernel expansions over the rows of a class, k-1 outputs; they refer to
 *                          rows and coef. f_pq is the sum of an output of p's and one of q's.
 *
 * so that new rows meet every training row once: O(n (d + k)) for each. A linear kernel has a
 * vector in R^d for each pair instead, and a precomputed kernel no rows. */
#ifndef PT_MACHINES_PAIR_MACHINE_H
#define PT_MACHINES_PAIR_MACHINE_H

#include "codes/code_pairs.h"
#include "decoders/decoder.h"
#include "machines/expansion.h"

enum { PT_PAIR_SIDES = 2 };

typedef struct pt_pair_machine {
    pt_machine base;
    int64_t k;
    int64_t ell;          /* pairs */
    pt_label_space space; /* of one pair: +1, -1 */
    const pt_decoder *decoder;
    bool linear;        /* the kernel is: f = pairs, the rest is not used */
    pt_expansion pairs; /* ell outputs */
    int64_t *first;     /* k + 1: where the rows of a class begin */
    pt_rows_owned rows; /* none for a precomputed kernel */
    int64_t *order;     /* n: which row a sorted one was; a precomputed kernel's columns */
    double *coef;
    pt_expansion *of_class; /* k; classes without rows have none */
} pt_pair_machine;

/* A machine of k classes without coefficients: decoder from the parameters. */
pt_status pt_pair_machine_new(pt_pair_machine **out, const pt_machine_ops *ops, int64_t k,
                              const pt_params *params, pt_error *err);
/* Makes the expansions of the classes over `first`, `coef` and `rows` or `order`, which are there;
 * not where linear. */
pt_status pt_pair_machine_finish(pt_pair_machine *m, const pt_kernel *kernel, pt_type type,
                                 pt_error *err);

/* The column of class c's coefficients that belongs to its pair with `other`. */
int64_t pt_pair_column_of(int64_t c, int64_t other);

/* For the tables of such machines. */
pt_status pt_pair_machine_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                                 const pt_task *task, pt_error *err);
void pt_pair_machine_free(pt_machine *machine);
pt_status pt_pair_machine_save(const pt_machine *machine, pt_pack *pack, pt_error *err);
pt_status pt_pair_machine_load(pt_machine **out, const pt_machine_ops *ops, const pt_pack *pack,
                               int64_t n_inputs, int64_t n_classes, const pt_params *params,
                               pt_error *err);

#endif
