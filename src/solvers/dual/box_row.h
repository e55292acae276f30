/* The reduced problem of the machine of Weston and Watkins: the one of a single example p of class
 * y, all others held fixed. With e_r, r != y, the variables of the dual (eta_pr where all examples
 * are spoken of; tau_r = -e_r, tau_y their sum, are the coefficients of kernel values, as in SPOC),
 *
 *     min  A/2 (||e||^2 + (sum_r e_r)^2) - V . e ,   0 <= e_r <= C ,   V_r = B_r - B_y .
 *
 * At the solution e_r = min(max(D_r - s, 0), C), s the sum of all e_r, with D = V/A: one number is
 * sought, and sum_r min(max(D_r - s, 0), C) - s falls in s. */
#ifndef PT_SOLVERS_DUAL_BOX_ROW_H
#define PT_SOLVERS_DUAL_BOX_ROW_H

#include <stdint.h>

/* s with sum_r min(max(D_r - s, 0), bound) = s; bound > 0, D not NaN. By fixing entries that are
 * seen to be at 0 or at their bound, a few passes as a rule. */
double pt_box_shift_fixed(const double *D, int64_t k, double bound);

/* The reduced problem from the gradient g = B + A tau at a feasible e (k numbers; e[y] is 0 and
 * stays so): e <- its solution. A >= 0; where it is 0, classes with g_r > g_y get the bound, others
 * 0. Returns how many entries of e are not 0. */
int64_t pt_box_row(double A, const double *g, int64_t k, int64_t y, double bound, double *e);

#endif
