/* A linear program as a table, and the memory it takes: what there is with Clp and without. */
#include <limits.h>
#include <math.h>

#include "base/alloc.h"
#include "solvers/program/linear_program.h"

pt_status pt_program_init(pt_program *program, int64_t columns, int64_t rows, int64_t entries,
                          pt_error *err)
{
    *program = (pt_program){.columns = columns, .rows = rows};
    if (columns >= INT_MAX || rows >= INT_MAX || entries >= INT_MAX)
        return pt_fail(err, PT_ELIMIT,
                       "a linear program of %lld columns, %lld rows and %lld entries is too large",
                       (long long)columns, (long long)rows, (long long)entries);
    const char *what = "a linear program";
    program->start = pt_alloc_zero(columns + 1, sizeof *program->start, what, err);
    program->index = pt_alloc(entries, sizeof *program->index, what, err);
    program->value = pt_alloc(entries, sizeof *program->value, what, err);
    program->cost = pt_alloc_zero(columns, sizeof *program->cost, what, err);
    program->lower = pt_alloc_zero(columns, sizeof *program->lower, what, err);
    program->upper = pt_alloc(columns, sizeof *program->upper, what, err);
    program->row_lower = pt_alloc(rows, sizeof *program->row_lower, what, err);
    program->row_upper = pt_alloc(rows, sizeof *program->row_upper, what, err);
    if (!program->start || !program->index || !program->value || !program->cost ||
        !program->lower || !program->upper || !program->row_lower || !program->row_upper) {
        pt_program_free(program);
        return PT_ENOMEM;
    }
    for (int64_t j = 0; j < columns; j++)
        program->upper[j] = HUGE_VAL;
    for (int64_t j = 0; j < rows; j++) {
        program->row_lower[j] = -HUGE_VAL;
        program->row_upper[j] = HUGE_VAL;
    }
    return PT_OK;
}

void pt_program_free(pt_program *program)
{
    pt_free(program->row_upper);
    pt_free(program->row_lower);
    pt_free(program->upper);
    pt_free(program->lower);
    pt_free(program->cost);
    pt_free(program->value);
    pt_free(program->index);
    pt_free(program->start);
    *program = (pt_program){0};
}

double pt_lp_bytes(int64_t columns, int64_t rows, int64_t entries)
{
    /* Entries: ours, Clp's by columns, by rows, and scaled. Vectors: some dozens of each length. */
    return 64.0 * (double)entries + 400.0 * ((double)columns + (double)rows);
}

pt_status pt_lp_check(pt_error *err)
{
    if (pt_lp_solver())
        return PT_OK;
    return pt_fail(err, PT_ENOSUPPORT,
                   "codes with `norm=1` and `norm=inf` are linear programs, and this build has no "
                   "Clp to solve them; use `norm=2`, or install coinor-libclp-dev and build again "
                   "with -DPOLYTOMY_CLP=ON");
}
