/* Factors of kernel maps. */
#ifndef PT_KERNELS_SCALE_H
#define PT_KERNELS_SCALE_H

#include "data/rows.h"

/* numerator / (a b) for positive a and b, kept finite in `type`: an infinite factor would make NaN
 * of a distance of 0. */
double pt_kernel_scale(double numerator, double a, double b, pt_type type);

#endif
