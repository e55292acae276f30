/* Machine `constraint` with a kernel: the values that its methods read. */
#include <math.h>
#include <string.h>

#include "kernels/expansion.h"
#include "machines/svm/constraint.h"
#include "solvers/dual/pair_solvers.h"
#include "solvers/squares/ls_solve.h"

enum { LEAST_ROWS = 64 }; /* kernel rows that there must be room for */

static double least_values(const pt_rows *rows)
{
    return LEAST_ROWS * (double)rows->n * (double)pt_type_size(rows->type);
}

/* Beside the kernel values: the solver, a copy of the rows for the kernel, that of the model. */
static double other_bytes(const pt_problem *problem, unsigned how)
{
    const pt_rows *rows = &problem->rows;
    const int64_t k = pt_label_pairs_n_classes(problem->labels, how);
    double pairs = 0;
    for (int64_t i = 0; i < rows->n; i++)
        pairs += (double)pt_label_pairs_count(problem->labels, i, how);
    return pt_pair_kernel_bytes(rows->n, k, pairs) + pt_pair_space_bytes(rows->n, 0, k) +
           2 * (double)pt_rows_stored(rows) *
               ((double)pt_type_size(rows->type) + (rows->dense ? 0 : 8)) +
           16 * (double)rows->n * (double)k;
}

double pt_constraint_kernel_bytes(const pt_problem *problem, unsigned how)
{
    return other_bytes(problem, how) + least_values(&problem->rows);
}

/* All kernel values where they fit into half of the memory, else as many rows. */
pt_status pt_constraint_values_open(pt_constraint_values *values, pt_constraint_training *t,
                                    pt_error *err)
{
    const pt_rows *rows = &t->problem->rows;
    const bool given = pt_kernel_is_row(&t->kernel);
    const double left = (double)pt_task_memory(t->task) - other_bytes(t->problem, t->how);
    const double whole = pt_kernel_store_bytes(rows->n, rows->type);
    const double held = whole <= left / 2 ? whole : fmax(left / 2, least_values(rows));
    pt_status status = given ? pt_ls_check_precomputed(rows, err) : PT_OK;
    if (status == PT_OK)
        status = pt_kernel_store_open(&values->store, rows, &t->kernel, NULL, given ? 0 : held,
                                      t->task, err);
    if (status == PT_OK)
        status = pt_pair_space_init(&values->space, NULL, values->store, t->k, t->bias, err);
    t->radius = 0;
    for (int64_t i = 0; i < rows->n && status == PT_OK; i++)
        t->radius = fmax(t->radius, values->space.square[i]);
    t->radius = sqrt(t->radius);
    return status;
}

void pt_constraint_values_close(pt_constraint_values *values)
{
    pt_pair_space_free(&values->space);
    pt_kernel_store_close(values->store);
    memset(values, 0, sizeof *values);
}
