/* The reduced problem of SPOC (CS section 6): the one of a single example p, all others held fixed,
 *
 *     min  A/2 ||tau||^2 + B . tau ,   tau <= C 1_y ,   tau . 1 = 0 .
 *
 * With eta = C 1_y - tau it is the projection of D = B/A + C 1_y on the simplex of size C:
 *     eta_r = max(D_r - theta, 0) ,   theta such that sum_r eta_r = C . */
#ifndef PT_SOLVERS_DUAL_SIMPLEX_ROW_H
#define PT_SOLVERS_DUAL_SIMPLEX_ROW_H

#include <stdint.h>

/* theta with sum_r max(D_r - theta, 0) = total, total > 0, D finite or -infinity, not all of it the
 * latter. By selection, O(k) expected. work: k numbers. */
double pt_simplex_theta_selected(const double *D, int64_t k, double total, double *work);

/* eta <- max(D - theta, 0); exactly 0 and `total` where one entry stays. eta may be D; work: k
 * numbers. Returns how many entries are not 0. */
int64_t pt_simplex_project(const double *D, int64_t k, double total, double *eta, double *work);

/* The reduced problem from the gradient g = B + A tau at a feasible eta: eta <- its solution,
 * which is the projection of eta + g/A. A >= 0; where it is 0, all goes to the first of the largest
 * g. work: k numbers. Returns how many entries of eta are not 0. */
int64_t pt_simplex_row(double A, const double *g, int64_t k, double total, double *eta,
                       double *work);

#endif
