/* The inside of machine `constraint`: what a method of training gets, and what it gives.
 *
 * A method fills in W, one linear function for each class and, where labels are sets, one more: the
 * threshold, which comes between the members of a set and the others (label_pairs.h). The
 * machine makes the scores of it: for sets w_r less that of the threshold, so that a class is in
 * the set where its score is above 0. */
#ifndef PT_MACHINES_SVM_CONSTRAINT_H
#define PT_MACHINES_SVM_CONSTRAINT_H

#include "data/labels/label_pairs.h"
#include "machine/machine.h"
#include "solvers/dual/pair_solvers.h"
#include "solvers/online/online_update.h"

typedef struct pt_constraint_training {
    const pt_problem *problem; /* labels of any kind; weight NULL: all 1 */
    const pt_params *params;   /* resolved */
    const pt_task *task;
    pt_warnings *warnings;
    unsigned how; /* for label_pairs.h: what pairs there are */
    int64_t k;    /* functions: pt_label_pairs_n_classes */
    int64_t d;    /* features; the one of the bias comes after them */
    bool bias;    /* whether there is that one, 1 in every row */
    pt_kernel kernel;
    bool by_kernel; /* it is not linear: tau is given in place of W, of K + 1 with a bias */

    /* given: */
    double *W; /* (d + 1) x k, column-major, 0 on entry: the functions; the last row: bias, or 0 */
    int64_t patterns; /* by_kernel: the examples with tau != 0, allocated; so is tau */
    int64_t *support;
    double *tau;                  /* patterns x k, row-major: v_r = sum tau_ir phi(x_i) */
    double square;                /* sum_r ||v_r||^2 */
    pt_figure figure[PT_FIGURES]; /* for the metadata; names are not copied */
    int64_t n_figures;
    pt_real_figure real[PT_FIGURES];
    int64_t n_reals;
} pt_constraint_training;

/* The methods: the values of --method. */
pt_status pt_constraint_svm(pt_constraint_training *t, pt_error *err);    /* constraint_svm.c */
pt_status pt_constraint_hard(pt_constraint_training *t, pt_error *err);   /* constraint_hard.c */
pt_status pt_constraint_online(pt_constraint_training *t, pt_error *err); /* constraint_online.c */
/* Bytes that they take, for the plan; kernel: of svm over pairs, and of hard. */
double pt_constraint_svm_bytes(const pt_problem *problem, unsigned how, bool by_kernel);
double pt_constraint_kernel_bytes(const pt_problem *problem, unsigned how);
double pt_constraint_hard_bytes(const pt_problem *problem, unsigned how);
/* With a kernel: adds what the factor of the pairs that decide may take. */
void pt_constraint_hard_factor(const pt_problem *problem, unsigned how, const pt_task *task,
                               pt_plan *plan);
double pt_constraint_online_bytes(const pt_problem *problem, const pt_params *params, unsigned how);

/* The rule of online learning that the parameters name. */
pt_status pt_constraint_rule(const pt_params *params, bool bias, pt_online_rule *rule,
                             pt_error *err);

/* Kernel values of the rows: all where they fit into half of the memory there is beside the solver,
 * else as many rows. The caller closes the store. */
pt_status pt_constraint_store(pt_kernel_store **store, const pt_constraint_training *t,
                              pt_error *err);

/* What the pairs of these labels are for every method. */
unsigned pt_constraint_pairs(const pt_params *params);

/* The pairs of the labels, for a solver that takes `bytes`: laid out where that leaves room. */
pt_status pt_constraint_lay_out(pt_label_pair_lists *pairs, const pt_constraint_training *t,
                                double bytes, pt_error *err);

static inline void pt_constraint_tell(pt_constraint_training *t, const char *name, int64_t value)
{
    t->figure[t->n_figures++] = (pt_figure){name, value};
}

static inline void pt_constraint_tell_real(pt_constraint_training *t, const char *name,
                                           double value)
{
    t->real[t->n_reals++] = (pt_real_figure){name, value};
}

/* The machine of k linear functions that were learned elsewhere: W is (d + 1) x k, column-major,
 * the bias last; at most PT_FIGURES figures, whose names are not copied. */
pt_status pt_machine_constraint_from(pt_machine **out, pt_type type, int64_t d, int64_t k,
                                     const double *W, bool bias, const pt_figure *figures,
                                     int64_t n_figures, pt_error *err);

#endif
