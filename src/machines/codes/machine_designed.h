/* Learned columns with a designed code: what its files share. */
#ifndef PT_MACHINES_CODES_MACHINE_DESIGNED_H
#define PT_MACHINES_CODES_MACHINE_DESIGNED_H

#include "codes/design/design.h"
#include "machine/machine.h"

/* ---- design_params.c: from parameters to a design -------------------------------------------- */

/* Whether a parameter is the design's. */
bool pt_design_owns(pt_param_id id);
/* Whether it is, and counts as they stand. */
bool pt_design_uses(const pt_params *params, pt_param_id id);

/* The machine that learns the columns: --design-machine. */
const pt_machine_ops *pt_design_columns(const pt_params *params);
/* The kernel on the outputs, without its numbers. */
const pt_kernel_ops *pt_design_kernel_of(const pt_params *params);
/* Whether the signs of outputs count, not the outputs. */
bool pt_design_on_signs(const pt_params *params);

/* Refuses what does not go together. */
pt_status pt_design_check_params(const pt_params *params, pt_error *err);
/* What is asked for; `data` tells an automatic width. C is NAN where that is automatic. */
void pt_design_how_of(pt_design_how *how, const pt_params *params, const pt_design_data *data);

/* ---- design_choice.c: what codes are worth on examples that they were not designed on ----------
 *
 * The examples are a problem whose rows are the outputs of columns: dense, in double. */

/* The same as the solvers of designs see it. */
pt_design_data pt_design_data_of(const pt_problem *outputs);

/* Means over examples by weight, each scored by a code that was designed without its fold. */
typedef struct pt_design_worth {
    double cost;  /* of the class that is predicted: b, or the share of errors where there is none;
                    where labels are no classes: the share of pairs in the wrong order */
    double slack; /* xi */
} pt_design_worth;

enum { PT_DESIGN_PROGRAMS = 5 }; /* values of C that are tried where a program takes long */

/* fold[i] in 0..n_folds-1; n_folds: always designed on; -1: the example takes no part. */
pt_status pt_design_held_out(pt_design_worth *worth, const pt_problem *outputs,
                             const pt_design_how *how, const int64_t *fold, int64_t n_folds,
                             const pt_task *task, pt_error *err);

/* how->C <- the one of a grid with the least held-out cost, the smallest of equals; *worth <- what
 * it is worth. Without folds: a guess, and NAN. */
pt_status pt_design_choose_C(pt_design_how *how, pt_design_worth *worth, const pt_problem *outputs,
                             const int64_t *fold, int64_t n_folds, const pt_task *task,
                             pt_error *err);

/* ---- design_round.c: columns and a code designed on what they say, once or in turns ---------- */

/* Zero-initialise; free it always. */
typedef struct pt_design_round {
    pt_code code;          /* what the columns are learned for */
    int8_t *start;         /* k x ell: its entries, where a discrete code is designed */
    pt_machine *columns;   /* of all rows; NULL: not trained yet */
    double *H;             /* n x ell: outputs of examples, cross-fitted, or their signs */
    bool signs;            /* they are signs */
    int64_t folds;         /* of that; 0: they are what `columns` says */
    pt_problem outputs;    /* H and the problem's labels */
    pt_design_data data;   /* the same */
    pt_design_how how;     /* nothing in it is automatic */
    double discrete;       /* the mean cost of the discrete code on H; NAN: not asked for */
    pt_design_worth worth; /* cost NAN: not asked for */
    pt_designed designed;
    pt_design_result result;
} pt_design_round;

void pt_design_round_free(pt_design_round *round);

/* Each number becomes -1, 0 or 1. */
void pt_design_take_signs(double *values, int64_t count);

/* Outputs of round->code, which is there, on all rows. `columns` is used where it is there, and
 * trained where outputs are wanted that no fold can give. */
pt_status pt_design_round_outputs(pt_design_round *round, const pt_problem *problem,
                                  const pt_params *params, const pt_task *task,
                                  pt_warnings *warnings, pt_error *err);
/* round->discrete <- what round->code with this decoder makes of them. */
pt_status pt_design_round_discrete(pt_design_round *round, const pt_code_decoder *decoder,
                                   const pt_task *task, pt_error *err);
/* Designs the code on them, or on their signs, which take their place. `judge`: its worth is
 * wanted, as where C is automatic. */
pt_status pt_design_round_design(pt_design_round *round, const pt_params *params, bool judge,
                                 const pt_task *task, pt_warnings *warnings, pt_error *err);

/* All of it, with --interleave rounds: *round (zero) <- the best, its columns trained on all rows.
 */
pt_status pt_design_rounds(pt_design_round *round, const pt_problem *problem,
                           const pt_params *params, const pt_task *task, pt_warnings *warnings,
                           pt_error *err);

/* plan, that of the columns, <- that of all. */
void pt_design_round_plan(const pt_problem *problem, const pt_params *params, int64_t ell,
                          const pt_task *task, pt_plan *plan);

/* ---- machine_designed.c ---------------------------------------------------------------------- */

/* *out <- the machine of a round that has columns and a code, which are taken. */
pt_status pt_machine_designed_take(pt_machine **out, pt_design_round *round, pt_error *err);

/* The code of such a machine, lent by it; NULL: it is another machine. */
const pt_designed *pt_machine_designed_code(const pt_machine *machine);
/* Its columns, lent by it; another machine is its own columns. */
const pt_machine *pt_machine_designed_columns(const pt_machine *machine);

#endif
