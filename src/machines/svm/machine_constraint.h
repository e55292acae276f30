/* Constraint classification (HRZ). */
#ifndef PT_MACHINES_SVM_MACHINE_CONSTRAINT_H
#define PT_MACHINES_SVM_MACHINE_CONSTRAINT_H

#include "machine/machine.h"

/* The machine of k linear functions that were learned elsewhere: W is (d + 1) x k, column-major,
 * the bias last; at most PT_FIGURES figures, whose names are not copied. */
pt_status pt_machine_constraint_from(pt_machine **out, pt_type type, int64_t d, int64_t k,
                                     const double *W, bool bias, const pt_figure *figures,
                                     int64_t n_figures, pt_error *err);

#endif
