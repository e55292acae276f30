/* The inner loops of coordinate descent on columns, compiled for every instruction set. */
#ifndef PT_SOLVERS_LINEAR_L1_LOOPS_H
#define PT_SOLVERS_LINEAR_L1_LOOPS_H

#include "base/isa.h"
#include "solvers/linear/logistic_l1.h"

/* For column j; j = d is the bias, 1 in every row. */
typedef struct pt_l1_loops {
    /* sum_i x_ij v_i */
    double (*dot)(const pt_l1_columns *columns, int64_t j, const double *v);
    /* sum_i x_ij^2 v_i */
    double (*square)(const pt_l1_columns *columns, int64_t j, const double *v);
    /* t_i += x_ij by, v_i += curve_i x_ij by */
    void (*move)(const pt_l1_columns *columns, int64_t j, double by, const double *curve, double *t,
                 double *v);
} pt_l1_loops;

/* Of one instruction set: dense, sparse; by type. */
typedef struct pt_l1_tables {
    pt_l1_loops loops[2][2];
} pt_l1_tables;

PT_ISA_CHOSEN(pt_l1_tables, pt_l1_tables, pt_l1_tables_chosen)
static inline const pt_l1_loops *pt_l1_loops_for(const pt_l1_columns *columns)
{
    return &pt_l1_tables_chosen()->loops[columns->start ? 1 : 0][columns->type];
}

#endif
