/* The inner loops of the box QP solver, compiled for every instruction set. */
#ifndef PT_SOLVERS_DUAL_BOX_LOOPS_H
#define PT_SOLVERS_DUAL_BOX_LOOPS_H

#include "base/isa.h"
#include "data/rows.h"

/* Variables of one problem, or of one block of it. */
typedef struct pt_box_vars {
    int64_t n;
    double *b;           /* 0 <= b <= u */
    double *G;           /* gradient of the objective */
    const double *u;     /* upper bounds */
    const double *curve; /* H_ii, >= 0 */
    const double *step;  /* 1 / H_ii, large where that is 0 */
} pt_box_vars;

typedef struct pt_box_sums {
    double gap;    /* sum_i b_i max(G_i, 0) + (u_i - b_i) max(-G_i, 0) */
    double slope;  /* sum_i b_i G_i */
    double linear; /* sum_i b_i p_i */
    double margin; /* min_i (G_i + p_i) / p_i over u_i > 0; -1 if a p_i there is not positive */
} pt_box_sums;

/* The loops of one instruction set. */
typedef struct pt_box_loops {
    /* G[i] += add + sum_r coef[r] row[r][i], i < width: in double whatever the type of the rows. */
    void (*update_f32)(const float *const *row, const double *coef, int64_t count, int64_t width,
                       double add, double *G);
    void (*update_f64)(const double *const *row, const double *coef, int64_t count, int64_t width,
                       double add, double *G);
    /* gain[i] <- what the objective falls by when b_i alone goes to its best place. */
    void (*gains)(const pt_box_vars *v, double *gain);
    /* What tells the distance from the solution, p NULL: all 1. */
    void (*sums)(const pt_box_vars *v, const double *p, pt_box_sums *sums);
    /* Goes once through the variables of a block with the matrix H (n x n, ld), each to its best
     * place; returns what the objective fell by. */
    double (*sweep)(const pt_box_vars *v, const double *H, int64_t ld);
} pt_box_loops;

PT_ISA_CHOSEN(pt_box_loops, pt_box_loops, pt_box_loops_chosen)

/* The value p^T b - 1/2 b^T H b, and how much it can still rise at most: the duality gap. */
void pt_box_measure(const pt_box_vars *v, const double *p, double *value, double *gap);

#endif
