/* The linear programs of code design (CS section 4), whole: to be solved as they are, compared with
 * one another, or measured. pt_design_lp solves the same problems from few of their rows. */
#ifndef PT_CODES_DESIGN_DESIGN_PROGRAM_H
#define PT_CODES_DESIGN_DESIGN_PROGRAM_H

#include "codes/design/design.h"
#include "solvers/program/linear_program.h"

/* What CS Table 1 counts, for every p: the auxiliary alpha >= |M| has variables and rows of its
 * own there, and r = y_i a row. Ours have fewer of both (design_program.c). */
typedef struct pt_design_sizes {
    double primal_variables;
    double primal_constraints;
    double dual_variables;
    double dual_constraints;
} pt_design_sizes;

pt_design_sizes pt_design_table1(pt_design_norm norm, int64_t m, int64_t k, int64_t ell);

/* The primal program, or its dual as a minimum: its value is the primal's times -1. `strength` is C
 * of the soft form, A of the hard one. p = 1 or infinity. */
pt_status pt_design_primal(pt_program *out, const pt_design_data *data, pt_design_norm norm,
                           pt_design_form form, double strength, pt_error *err);
pt_status pt_design_dual(pt_program *out, const pt_design_data *data, pt_design_norm norm,
                         pt_design_form form, double strength, pt_error *err);

/* The primal program without the rows of the pairs (i, r), r != y_i: a frame to which some of them
 * are added. Row (i, r) of it, >= b_ir: returns how many entries, at most 4 ell + 1; `slack` is the
 * column of xi_0, -1 where there is no slack. */
pt_status pt_design_frame(pt_program *out, const pt_design_data *data, pt_design_norm norm,
                          pt_design_form form, double strength, pt_error *err);
int64_t pt_design_slack_column(const pt_design_data *data, pt_design_norm norm,
                               pt_design_form form);
int64_t pt_design_pair_row(const pt_design_data *data, pt_design_norm norm, int64_t slack,
                           int64_t i, int64_t r, int *index, double *value);

/* M (k x ell) <- from the solution x of the primal program, or from the prices of the dual one. */
void pt_design_primal_code(double *M, const pt_design_data *data, pt_design_norm norm,
                           const double *x);
void pt_design_dual_code(double *M, const pt_design_data *data, pt_design_norm norm,
                         pt_design_form form, const double *price);

#endif
