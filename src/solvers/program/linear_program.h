/* The one door to Clp, the dual simplex method of COIN-OR, for linear programs that may grow by
 * rows:
 *
 *     min  c . x ,   row_lower <= A x <= row_upper ,   lower <= x <= upper .
 *
 * Bounds may be infinite. Nothing is printed. What Clp allocates does not go through base/alloc.h,
 * so callers compare pt_lp_bytes with what they may use before they begin; where it gets no memory
 * all the same, the answer is PT_ENOMEM.
 *
 * A build may be without Clp (-DPOLYTOMY_CLP=OFF); then every program is refused. */
#ifndef PT_SOLVERS_PROGRAM_LINEAR_PROGRAM_H
#define PT_SOLVERS_PROGRAM_LINEAR_PROGRAM_H

#include "base/task.h"

/* A whole program. Indices are those of Clp. */
typedef struct pt_program {
    int64_t columns;
    int64_t rows;
    int *start;        /* columns + 1 */
    int *index;        /* rows of the entries, column by column */
    double *value;     /* the entries */
    double *cost;      /* columns */
    double *lower;     /* columns */
    double *upper;     /* columns */
    double *row_lower; /* rows */
    double *row_upper; /* rows */
} pt_program;

/* Room for it; costs and bounds of columns are 0 to infinity at no cost, rows without bounds. */
pt_status pt_program_init(pt_program *program, int64_t columns, int64_t rows, int64_t entries,
                          pt_error *err);
void pt_program_free(pt_program *program);

typedef enum pt_lp_end {
    PT_LP_OPTIMAL,
    PT_LP_INFEASIBLE,
    PT_LP_UNBOUNDED,
    PT_LP_STOPPED /* at the limit of pivots */
} pt_lp_end;

typedef struct pt_lp_answer {
    pt_lp_end end;
    double value;
    int64_t pivots;        /* of this call */
    const double *x;       /* columns; these three belong to the lp and change with it */
    const double *price;   /* rows: the dual solution, >= 0 where a lower bound binds */
    const double *reduced; /* columns: c - A^T price */
} pt_lp_answer;

typedef struct pt_lp pt_lp;

/* What solves them, "Clp"; NULL: nothing does in this build. */
const char *pt_lp_solver(void);

/* PT_ENOSUPPORT, with what to do about it, where nothing solves them. */
pt_status pt_lp_check(pt_error *err);

/* Bytes that a program of such a size takes in all, roughly. */
double pt_lp_bytes(int64_t columns, int64_t rows, int64_t entries);

pt_status pt_lp_new(pt_lp **out, const pt_program *program, pt_error *err);
void pt_lp_free(pt_lp *lp);

/* Rows by their entries: those of row j are at start[j] .. start[j + 1] - 1. A basis that was there
 * stays dual feasible, so the next solution begins at the last one. */
pt_status pt_lp_add_rows(pt_lp *lp, int64_t count, const int *start, const int *index,
                         const double *value, const double *lower, const double *upper,
                         pt_error *err);

/* Solves it from where it is. That there is no solution is an answer; PT_ENUMERIC where Clp gives
 * up. The task is asked now and then (Clp's C interface has no way to interrupt it: pivots are made
 * in slices whose length depends on the size alone, so that time does not change the path). */
pt_status pt_lp_solve(pt_lp *lp, pt_lp_answer *answer, const pt_task *task, pt_error *err);

#endif
