/* Learned columns and a code designed on what they say: once, or in rounds that take turns. */
#ifndef PT_MACHINES_CODES_DESIGN_ROUND_H
#define PT_MACHINES_CODES_DESIGN_ROUND_H

#include "codes/design/design_held_out.h"
#include "machine/machine.h"

/* Zero-initialise; free it always. */
typedef struct pt_design_round {
    pt_code code;          /* what the columns are learned for */
    int8_t *start;         /* k x ell: its entries, where a discrete code is designed */
    pt_machine *columns;   /* of all rows; NULL: not trained yet */
    double *H;             /* n x ell: outputs of examples, cross-fitted, or their signs */
    bool signs;            /* they are signs */
    int64_t folds;         /* of that; 0: they are what `columns` says */
    pt_design_data data;   /* H and the problem's labels */
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
                                  const pt_params *params, const pt_task *task, pt_texts *warnings,
                                  pt_error *err);
/* round->discrete <- what round->code with this decoder makes of them. */
pt_status pt_design_round_discrete(pt_design_round *round, const pt_code_decoder *decoder,
                                   const pt_task *task, pt_error *err);
/* Designs the code on them, or on their signs, which take their place. `judge`: its worth is
 * wanted, as where C is automatic. */
pt_status pt_design_round_design(pt_design_round *round, const pt_problem *problem,
                                 const pt_params *params, bool judge, const pt_task *task,
                                 pt_texts *warnings, pt_error *err);

/* All of it, with --interleave rounds: *round (zero) <- the best, its columns trained on all rows.
 */
pt_status pt_design_rounds(pt_design_round *round, const pt_problem *problem,
                           const pt_params *params, const pt_task *task, pt_texts *warnings,
                           pt_error *err);

/* plan, that of the columns, <- that of all. */
void pt_design_round_plan(const pt_problem *problem, const pt_params *params, int64_t ell,
                          const pt_task *task, pt_plan *plan);

#endif
