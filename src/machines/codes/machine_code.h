/* The composed machine, and what machines that have one inside take from it. */
#ifndef PT_MACHINES_CODES_MACHINE_CODE_H
#define PT_MACHINES_CODES_MACHINE_CODE_H

#include "decoders/decoder.h"
#include "learners/learner.h"
#include "machine/machine.h"

typedef struct pt_code_machine {
    pt_machine base;
    pt_code code;
    double *signs; /* k x ell: the code as the file has it; NULL for all pairs */
    bool orders;   /* learned from labels that are no classes (code_columns.h) */
    pt_learner *learner;
    pt_code_decoder decoder;
    const pt_loss *loss; /* what the learner minimises */
    /* Of AdaBoost called once for all columns (ASS section 5): weights and errors of its rounds. */
    int64_t n_rounds; /* 0: the hypotheses are not known to say +1 or -1 */
    double *alpha;
    double *error;
} pt_code_machine;

/* What the learner and the code that are named do not use is refused, but for the parameters in
 * `beside` ("a,b"); a kernel's own are checked with the kernel. */
pt_status pt_code_check_params(const pt_params *params, const char *beside, pt_error *err);
/* Whether the learner takes the rows and weights that it would be given. */
pt_status pt_learner_check_rows(const pt_learner_ops *learner, const pt_problem *problem,
                                pt_error *err);
/* Numbers in place of "auto", as the columns need them. */
pt_status pt_code_resolve_columns(pt_params *params, const pt_problem *problem, const pt_task *task,
                                  pt_warnings *warnings, pt_error *err);

/* Entries of its table, for the tables of such machines. */
bool pt_code_machine_raw(const pt_params *params);
void pt_code_machine_free(pt_machine *machine);
pt_machine_parts pt_code_machine_parts(const pt_machine *machine);
pt_status pt_code_machine_outputs(const pt_machine *machine, const pt_rows *rows, double *outputs,
                                  const pt_task *task, pt_error *err);
pt_status pt_code_machine_staged(const pt_machine *machine, const pt_rows *rows,
                                 const int64_t *rounds, int64_t n_rounds, pt_staged_fn take,
                                 void *context, const pt_task *task, pt_error *err);
pt_status pt_code_machine_save(const pt_machine *machine, pt_pack *pack, pt_error *err);
pt_status pt_code_machine_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                               int64_t n_classes, const pt_params *params, int64_t *used,
                               const pt_task *task, pt_error *err);
pt_status pt_code_machine_describe(const pt_machine *machine, const pt_texts *classes,
                                   pt_description *description, pt_error *err);
/* Adds the figures of a learner; NULL: there are none. */
void pt_describe_learner(pt_description *description, const pt_learner *learner);

/* ---- code_holdout.c: held-out scores of codes that least squares learns ---------------------- */

/* Whether they have a closed form: the learner is ls, and no class is left out of a column. */
bool pt_code_holdout_exact(const pt_problem *problem, const pt_params *point);

/* Those of such points, as pt_machine_ops.holdout. */
pt_status pt_code_holdout(const pt_problem *problem, const pt_params *const *points,
                          int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                          void *context, const pt_task *task, pt_error *err);

/* Replaces "auto" of kernel, sigma and ridge for the learner ls: by the leave-one-out errors of the
 * decoded code where there is a closed form, else by those of oneLSM. */
pt_status pt_code_ls_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                             pt_warnings *warnings, pt_error *err);

/* What it goes by, where there is a closed form; NULL elsewhere. */
pt_ls_auto_fn pt_code_guide(const pt_problem *problem, const pt_params *params);

#endif
