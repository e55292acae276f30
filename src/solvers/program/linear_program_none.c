/* In place of linear_program.c and guard.cpp where the library is built without Clp
 * (-DPOLYTOMY_CLP=OFF, or AUTO where it is not installed): every program is refused. Callers that
 * can tell before they begin ask pt_lp_check. */
#include "solvers/program/linear_program.h"

const char *pt_lp_solver(void)
{
    return NULL;
}

pt_status pt_lp_new(pt_lp **out, const pt_program *program, pt_error *err)
{
    (void)out;
    (void)program;
    return pt_lp_check(err);
}

void pt_lp_free(pt_lp *lp)
{
    (void)lp;
}

pt_status pt_lp_add_rows(pt_lp *lp, int64_t count, const int *start, const int *index,
                         const double *value, const double *lower, const double *upper,
                         pt_error *err)
{
    (void)lp;
    (void)count;
    (void)start;
    (void)index;
    (void)value;
    (void)lower;
    (void)upper;
    return pt_lp_check(err);
}

pt_status pt_lp_solve(pt_lp *lp, pt_lp_answer *answer, const pt_task *task, pt_error *err)
{
    (void)lp;
    (void)task;
    *answer = (pt_lp_answer){0};
    return pt_lp_check(err);
}
