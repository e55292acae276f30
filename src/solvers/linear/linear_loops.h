/* The inner loops of linear solvers, compiled for every instruction set. */
#ifndef PT_SOLVERS_LINEAR_LINEAR_LOOPS_H
#define PT_SOLVERS_LINEAR_LINEAR_LOOPS_H

#include "base/isa.h"
#include "solvers/linear/linear_rows.h"

/* One column: variable i is that of row[i]. w = sum_i a_i y_i x_row[i]. */
typedef struct pt_linear_column {
    const pt_linear_rows *rows;
    const int64_t *row;
    const int8_t *y;     /* +1 or -1 */
    const double *bound; /* u > 0 */
    double *a;           /* 0 <= a <= u */
    double *w;           /* d, then the bias */
    int64_t *active;     /* the variables that are worked on, in the order of the next sweep */
} pt_linear_column;

/* What a sweep may take for settled, and what it saw. G is the slope y_i w.x_i - 1 when a variable
 * was visited. */
typedef struct pt_linear_sweep {
    double above; /* a = 0 and G above this, or a = u and G below `below`: leaves the active */
    double below;
    double most; /* the largest and smallest G that asked for a move */
    double least;
    double gap;    /* sum of a max(G, 0) + (u - a) max(-G, 0) */
    double lowest; /* the smallest G of those that stay active, and of those that leave */
    double left;
    double rise;  /* of sum_i a_i */
    int64_t kept; /* how many stay active, at the beginning of the list */
} pt_linear_sweep;

/* For rows of one kind. */
typedef struct pt_linear_loops {
    /* Each of active[from .. to) goes to its best place; those that are settled leave the list. */
    void (*sweep)(pt_linear_column *column, int64_t from, int64_t to, pt_linear_sweep *sweep);
    /* out[j] <- y_i v.x_i and v <- v + sum_j coef[j] y_i x_i, from <= j < to: i = list[j], or j
     * where list is NULL. v: as w. */
    void (*apply)(const pt_linear_column *column, const int64_t *list, int64_t from, int64_t to,
                  const double *v, double *out);
    void (*combine)(const pt_linear_column *column, const int64_t *list, int64_t from, int64_t to,
                    const double *coef, double *v);
} pt_linear_loops;

/* Of one instruction set: dense, sparse; by type. */
typedef struct pt_linear_tables {
    pt_linear_loops loops[2][2];
} pt_linear_tables;

PT_ISA_CHOSEN(pt_linear_tables, pt_linear_tables, pt_linear_tables_chosen)
static inline const pt_linear_loops *pt_linear_loops_for(const pt_linear_rows *rows)
{
    return &pt_linear_tables_chosen()->loops[rows->dense ? 0 : 1][rows->type];
}

#endif
