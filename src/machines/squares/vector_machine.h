/* Vector-output machines (HNR): class outputs g(x) = coef^T kappa_x + bias in R^k, outputs
 * f(x) = M^T g(x), scores by a decoder. What they share once they are trained.
 *
 * Every machine of HNR has this form. oneLSM with labelbook M has the coefficients A M, where A are
 * those of the indicators. The machines with P o K have f(x) = sum_j beta_j M_{y_j} kappa(x_j, x):
 * g_c sums the examples of class c. A bias b of smallest norm lies in the span of the label
 * vectors, b = M^T c, so that f = M^T (g + c): it is a bias on the class outputs. With a kernel Q
 * on the labels, M_r . f = (Q g)_r needs no M. */
#ifndef PT_MACHINES_SQUARES_VECTOR_MACHINE_H
#define PT_MACHINES_SQUARES_VECTOR_MACHINE_H

#include "codes/vectors/label_space.h"
#include "decoders/decoder.h"
#include "kernels/expansion.h"
#include "machine/machine.h"

typedef struct pt_vector_machine {
    pt_machine base;
    pt_expansion expansion; /* of the class outputs */
    pt_label_space space;
    const pt_decoder *decoder;
} pt_vector_machine;

/* Label space and decoder from the parameters; coefficients come later. `whole`: M and Q are needed
 * even where all classes are alike. */
pt_status pt_vector_machine_init(pt_vector_machine *m, const pt_problem *problem,
                                 const pt_params *params, bool whole, pt_error *err);
/* The label space alone, for plans; that there is a decoder is checked by the way. */
pt_status pt_problem_label_space(pt_label_space *space, const pt_problem *problem,
                                 const pt_params *params, pt_error *err);
/* Gives it one coefficient for each row, in the column of its class. `beta` (n) is copied; rows
 * with beta 0 are left out; the linear kernel becomes a linear machine. bias: k numbers or NULL. */
pt_status pt_vector_machine_set_beta(pt_vector_machine *m, const pt_problem *problem,
                                     const pt_kernel *kernel, const double *beta,
                                     const double *bias, const pt_task *task, pt_error *err);

/* For the tables of such machines. */
bool pt_vector_machine_takes(const pt_params *params, pt_param_id id, const char *choice);
pt_status pt_vector_machine_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                                   const pt_task *task, pt_error *err);
void pt_vector_machine_free(pt_machine *machine);
pt_machine_parts pt_vector_machine_parts(const pt_machine *machine);
pt_status pt_vector_machine_save(const pt_machine *machine, pt_pack *pack, pt_error *err);
pt_status pt_vector_machine_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                                 int64_t n_classes, const pt_params *params, int64_t *used,
                                 const pt_task *task, pt_error *err);

/* size[r] <- how many examples class r has, by weight; those of fold `without` are left out (fold
 * NULL: none). */
void pt_class_sizes(const pt_problem *problem, const int64_t *fold, int64_t without, double *size);

/* A pt_holdout_fn that takes held-out class outputs and hands on scores. */
typedef struct pt_decoding {
    const pt_problem *problem;
    const pt_params *const *points;
    const pt_partitions *partitions;
    pt_holdout_fn take;
    void *context;
} pt_decoding;
pt_status pt_decode_holdout(void *decoding, int64_t point, int64_t partition, const double *outputs,
                            pt_error *err);

#endif
