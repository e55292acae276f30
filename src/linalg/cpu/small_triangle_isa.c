/* Small triangles.
 *
 *   X L^T = B   x_j = (b_j - sum_{k<j} l_jk x_k) / l_jj, from the first column on
 *   X L = B     x_j = (b_j - sum_{k>j} l_kj x_k) / l_jj, from the last column on
 *   A = L L^T   l_j = a_j / sqrt(a_jj), then a_c -= l_j l_cj for c > j
 *
 * with x_j, b_j, l_j, a_j columns. Some rows of B are solved at a time, so that they stay in
 * registers and in the first cache; the factor is made in an array of the full size, so that its
 * loops have a fixed length. PT_ISA names the instruction set that this file is being compiled
 * for. */
#include "linalg/cpu/small_triangle.h"

#include <math.h>
#include <string.h>

#define ROWS_BYTES 256 /* of a column: some vectors of any width */

#define T float
#define ROOT sqrtf
#define NAME(f) f##_f32
#include "linalg/cpu/small_triangle_body.h"
#undef T
#undef ROOT
#undef NAME

#define T double
#define ROOT sqrt
#define NAME(f) f##_f64
#include "linalg/cpu/small_triangle_body.h"

const pt_small_ops PT_ISA_OWN(pt_small) = {trsm_f32, trsm_f64, potrf_f32, potrf_f64};
