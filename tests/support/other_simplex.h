/* The same linear program, by GLPK: another simplex method, by other people. */
#ifndef PT_TESTS_OTHER_SIMPLEX_H
#define PT_TESTS_OTHER_SIMPLEX_H

#include <glpk.h>
#include <math.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "solvers/program/linear_program.h"

static inline int other_kind_of_bounds(double lower, double upper)
{
    if (isinf(lower) && isinf(upper))
        return GLP_FR;
    if (isinf(upper))
        return GLP_LO;
    if (isinf(lower))
        return GLP_UP;
    return lower == upper ? GLP_FX : GLP_DB;
}

/* False where there is no solution. x (columns), price (rows): room for them, or NULL. */
static inline bool other_simplex(const pt_program *p, double *value, double *x, double *price)
{
    glp_term_out(GLP_OFF);
    glp_prob *lp = glp_create_prob();
    const int rows = (int)p->rows;
    const int columns = (int)p->columns;
    const int entries = p->start[columns];
    int *index = pt_alloc(entries + 1, sizeof *index, "a test", NULL);
    double *element = pt_alloc(entries + 1, sizeof *element, "a test", NULL);
    glp_set_obj_dir(lp, GLP_MIN);
    if (rows)
        glp_add_rows(lp, rows);
    glp_add_cols(lp, columns);
    for (int j = 0; j < rows; j++)
        glp_set_row_bnds(lp, j + 1, other_kind_of_bounds(p->row_lower[j], p->row_upper[j]),
                         p->row_lower[j], p->row_upper[j]);
    for (int j = 0; j < columns; j++) {
        glp_set_col_bnds(lp, j + 1, other_kind_of_bounds(p->lower[j], p->upper[j]), p->lower[j],
                         p->upper[j]);
        glp_set_obj_coef(lp, j + 1, p->cost[j]);
        const int count = p->start[j + 1] - p->start[j];
        for (int e = 0; e < count; e++) { /* GLPK counts from 1 */
            index[e + 1] = p->index[p->start[j] + e] + 1;
            element[e + 1] = p->value[p->start[j] + e];
        }
        glp_set_mat_col(lp, j + 1, count, index, element);
    }
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.meth = GLP_DUALP;
    how.tol_bnd = 1e-9;
    how.tol_dj = 1e-9;
    glp_std_basis(lp);
    const bool done = glp_simplex(lp, &how) == 0 && glp_get_status(lp) == GLP_OPT;
    *value = glp_get_obj_val(lp);
    for (int j = 0; j < columns && x; j++)
        x[j] = glp_get_col_prim(lp, j + 1);
    for (int j = 0; j < rows && price; j++)
        price[j] = glp_get_row_dual(lp, j + 1);
    glp_delete_prob(lp);
    pt_free(element);
    pt_free(index);
    return done;
}

#endif
