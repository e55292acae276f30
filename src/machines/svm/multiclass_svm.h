/* What the machines spoc and ww share: see multiclass_svm.c. */
#ifndef PT_MACHINES_SVM_MULTICLASS_SVM_H
#define PT_MACHINES_SVM_MULTICLASS_SVM_H

#include "kernels/expansion.h"
#include "machine/machine.h"
#include "solvers/dual/spoc.h"
#include "theory/margin_theory.h"

typedef struct pt_multiclass_svm {
    pt_machine base;
    pt_expansion expansion;
    int64_t patterns;
    double primal; /* NAN: it comes from a file */
    double dual;
    pt_margin_theory *theory; /* NULL: it comes from a file, or has too many classes */
} pt_multiclass_svm;

/* The functions of a table entry, beside those of an expansion; `holdout` has an argument more. */
pt_status pt_multiclass_svm_plan(const pt_problem *problem, const pt_params *params,
                                 const pt_task *task, pt_plan *plan, pt_error *err);
pt_status pt_multiclass_svm_fit(pt_machine *machine, const pt_problem *problem,
                                const pt_params *params, const pt_task *task, pt_warnings *warnings,
                                pt_error *err);
void pt_multiclass_svm_free(pt_machine *machine);
pt_status pt_multiclass_svm_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                                 int64_t n_classes, const pt_params *params, int64_t *used,
                                 const pt_task *task, pt_error *err);
pt_status pt_multiclass_svm_describe(const pt_machine *machine, const pt_texts *classes,
                                     pt_description *description, pt_error *err);
/* The kernel of the problem's rows for a solver, within the memory there is: spoc->rows, bytes, and
 * a store where one serves, which the caller closes. */
pt_status pt_multiclass_svm_give_kernel(pt_spoc *spoc, const pt_problem *problem,
                                        const pt_kernel *kernel, const pt_task *task,
                                        pt_error *err);
/* Bytes that training by kernel values takes, at least. */
double pt_multiclass_svm_kernel_bytes(const pt_problem *problem);
/* eta (empty rows) <- that of a machine of the same kernel, carried from the bounds C_before times
 * the weights to those of `spoc`. Its rows are found among those of the problem; what is not there
 * any more is left out, what is new has nothing: a start that is feasible. PT_EINVAL where the
 * machine keeps no coefficients of rows. */
pt_status pt_multiclass_svm_begin_at(pt_sparse_rows *eta, const pt_spoc *spoc,
                                     const pt_expansion *from, double C_before,
                                     const pt_problem *problem, pt_error *err);
/* By warm starts along C (validate/c_path.h). */
pt_status pt_multiclass_svm_holdout(pt_spoc_kind kind, const pt_problem *problem,
                                    const pt_params *const *points, int64_t n_points,
                                    const pt_partitions *partitions, pt_holdout_fn take,
                                    void *context, const pt_task *task, pt_error *err);
/* Whether warm starts along C by kernel values serve: not where training is by M, and faster. */
bool pt_multiclass_svm_path_serves(const pt_problem *problem, const pt_params *point);

#endif
