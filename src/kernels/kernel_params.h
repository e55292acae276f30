/* From parameters to a kernel. */
#ifndef PT_KERNELS_KERNEL_PARAMS_H
#define PT_KERNELS_KERNEL_PARAMS_H

#include "kernels/kernel.h"
#include "params/params.h"

/* The kernel that resolved parameters name: kernel and sigma are not "auto" where they are used.
 * rbf-gamma, where it was set, stands for sigma. */
pt_status pt_kernel_from_params(pt_kernel *out, const pt_params *params, pt_error *err);

/* The kernel function that parameters name, resolved or not: "auto" is rbf, and linear for sparse
 * rows. NULL: there is none of that name. */
const pt_kernel_ops *pt_kernel_named(const pt_params *params, bool sparse);

/* The same where it is no longer "auto"; NULL: it is. */
const pt_kernel_ops *pt_kernel_of(const pt_params *params);

/* Whether the rows hold kernel values: their columns are then the training rows. */
bool pt_kernel_is_precomputed(const pt_params *params);

/* Whether they hold values of a joint kernel: for each class a column for each training row. */
bool pt_kernel_is_joint(const pt_params *params);

/* Whether a kernel uses the parameter of that name. */
bool pt_kernel_uses(const pt_kernel_ops *ops, const char *name);

/* Refuses a start where the kernel that is named, resolved or not, is linear: what a dual came to
 * is kept as weights of columns then. err may be NULL. */
pt_status pt_kernel_check_start(const pt_params *params, pt_error *err);

/* Replaces "auto" of kernel. */
pt_status pt_kernel_settle(pt_params *params, bool sparse, pt_error *err);
/* Whether the kernel that is named has a sigma that is to be chosen. */
bool pt_sigma_is_auto(const pt_params *params);

#endif
