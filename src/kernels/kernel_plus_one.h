/* k(x, z) + 1: the kernel of rows with one more feature, 1 in every row, which is how a bias that
 * counts in the norm is learned. For solvers only: no option names it, and no model holds it. */
#ifndef PT_KERNELS_KERNEL_PLUS_ONE_H
#define PT_KERNELS_KERNEL_PLUS_ONE_H

#include "kernels/kernel.h"

/* The same kernel, and 1 more; ops NULL where the rows hold the values themselves, for no map of
 * theirs is ever applied. */
pt_kernel pt_kernel_plus_one(const pt_kernel *kernel);

#endif
