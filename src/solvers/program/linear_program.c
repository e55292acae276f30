/* The door to Clp. A build without it (-DPOLYTOMY_CLP=OFF) has linear_program_none.c instead.
 *
 * The dual simplex method does the work, on the program as it is: callers know its units better
 * than Clp's scaling does, which cost up to twice the time where all entries were of one size, and
 * can end at what is optimal for the scaled program only. Tolerances are those of a solution that
 * is wanted to nine digits: Clp's own, 1e-7, leave values that agree to eight. An answer other than
 * "optimal" is asked for once more from the primal simplex method, with scaling.
 *
 * Clp is C++ and throws where it gets no memory. Whatever allocates goes through pt_guard; an lp of
 * which a call did not come back is good for nothing but pt_lp_free. */
#include "solvers/program/linear_program.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include <coin/Clp_C_Interface.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "solvers/program/guard.h"

static const double TOLERANCE = 1e-9;

/* A pivot costs about as much as a look at all entries and at the inverse of the basis: so many of
 * these between two questions to the task are some tenths of a second. */
static const double SLICE_WORK = 1e9;
enum { SHORTEST_SLICE = 50, LONGEST_SLICE = 20000 };

/* Pivots for each row and column before we say that it does not end. */
enum { ENOUGH = 200 };

enum { NO_SCALING = 0, AUTOMATIC_SCALING = 3 };

struct pt_lp {
    Clp_Simplex *clp;
};

/* ---- guarded calls --------------------------------------------------------------------------- */

static pt_status guarded(void (*work)(void *context), void *context, pt_error *err)
{
    const pt_guarded end = pt_guard(work, context);
    if (end == PT_GUARD_MEMORY)
        return pt_fail_memory(err, "Clp", 0);
    if (end == PT_GUARD_THROWN)
        return pt_fail(err, PT_ENUMERIC, "Clp gave up on a linear program");
    return PT_OK;
}

typedef struct program_loader {
    pt_lp *lp;
    const pt_program *program;
} program_loader;

static void load(void *context)
{
    const program_loader *l = context;
    const pt_program *program = l->program;
    l->lp->clp = Clp_newModel();
    Clp_Simplex *clp = l->lp->clp;
    Clp_setLogLevel(clp, 0);
    Clp_scaling(clp, NO_SCALING);
    Clp_setPrimalTolerance(clp, TOLERANCE);
    Clp_setDualTolerance(clp, TOLERANCE);
    Clp_loadProblem(clp, (int)program->columns, (int)program->rows, program->start, program->index,
                    program->value, program->lower, program->upper, program->cost,
                    program->row_lower, program->row_upper);
}

typedef struct row_adder {
    Clp_Simplex *clp;
    int count;
    const int *start;
    const int *index;
    const double *value;
    const double *lower;
    const double *upper;
} row_adder;

static void add_rows(void *context)
{
    const row_adder *a = context;
    Clp_addRows(a->clp, a->count, a->lower, a->upper, a->start, a->index, a->value);
}

typedef int (*method)(Clp_Simplex *clp, int values_pass);

typedef struct pivot_watch {
    Clp_Simplex *clp;
    method simplex;
} pivot_watch;

static void pivot(void *context)
{
    const pivot_watch *p = context;
    (void)p->simplex(p->clp, 0);
}

static void delete_model(void *context)
{
    Clp_deleteModel(context);
}

/* ---- the lp ---------------------------------------------------------------------------------- */

pt_status pt_lp_new(pt_lp **out, const pt_program *program, pt_error *err)
{
    pt_lp *lp = pt_alloc_zero(1, sizeof *lp, "a linear program", err);
    if (!lp)
        return PT_ENOMEM;
    const pt_status status = guarded(load, &(program_loader){lp, program}, err);
    if (status != PT_OK) {
        pt_lp_free(lp);
        return status;
    }
    *out = lp;
    return PT_OK;
}

void pt_lp_free(pt_lp *lp)
{
    if (!lp)
        return;
    if (lp->clp)
        (void)pt_guard(delete_model, lp->clp);
    pt_free(lp);
}

pt_status pt_lp_add_rows(pt_lp *lp, int64_t count, const int *start, const int *index,
                         const double *value, const double *lower, const double *upper,
                         pt_error *err)
{
    const int64_t rows = Clp_numberRows(lp->clp) + count;
    const int64_t entries = (int64_t)Clp_getNumElements(lp->clp) + start[count];
    if (rows >= INT_MAX || entries >= INT_MAX)
        return pt_fail(err, PT_ELIMIT,
                       "a linear program of %lld rows and %lld entries is too large",
                       (long long)rows, (long long)entries);
    return guarded(add_rows, &(row_adder){lp->clp, (int)count, start, index, value, lower, upper},
                   err);
}

static int slice_of(Clp_Simplex *clp)
{
    const double rows = Clp_numberRows(clp);
    const double work = (double)Clp_getNumElements(clp) + rows * rows + 1;
    return (int)fmax(SHORTEST_SLICE, fmin(LONGEST_SLICE, SLICE_WORK / work));
}

enum { CLP_OPTIMAL = 0, CLP_INFEASIBLE = 1, CLP_UNBOUNDED = 2, CLP_STOPPED = 3 };

/* Slice after slice until Clp has an answer, or `limit` pivots are made. */
static pt_status run(Clp_Simplex *clp, method simplex, int64_t limit, int64_t *pivots,
                     const pt_task *task, pt_error *err)
{
    int status = CLP_STOPPED;
    for (int64_t made = 0; status == CLP_STOPPED && made < limit;) {
        pt_status go_on = pt_task_check(task, err);
        if (go_on != PT_OK)
            return go_on;
        Clp_setMaximumIterations(clp, slice_of(clp));
        const int before = pt_parallel_alone_begin(); /* its dense factors go to BLAS */
        go_on = guarded(pivot, &(pivot_watch){clp, simplex}, err);
        pt_parallel_alone_end(before);
        if (go_on != PT_OK)
            return go_on;
        status = Clp_status(clp);
        made += Clp_numberIterations(clp) + 1;
        *pivots += Clp_numberIterations(clp);
    }
    return PT_OK;
}

/* Optimal, and not only for the scaled program. */
static bool is_clean(Clp_Simplex *clp)
{
    const int second = Clp_secondaryStatus(clp);
    return Clp_status(clp) == CLP_OPTIMAL && (second < 2 || second > 4);
}

/* Once more by the primal method, with scaling; *end is what the first answer was, and stays
 * unless this one is better. */
static pt_status second_opinion(Clp_Simplex *clp, int *end, int64_t limit, int64_t *pivots,
                                const pt_task *task, pt_error *err)
{
    Clp_scaling(clp, AUTOMATIC_SCALING);
    pt_status status = run(clp, Clp_primal, limit, pivots, task, err);
    if (status != PT_OK)
        return status;
    Clp_scaling(clp, NO_SCALING);
    if (*end == CLP_OPTIMAL && Clp_status(clp) != CLP_OPTIMAL)
        status = run(clp, Clp_dual, limit, pivots, task, err); /* back to where it was */
    if (*end > CLP_UNBOUNDED || Clp_status(clp) == CLP_OPTIMAL)
        *end = Clp_status(clp);
    return status;
}

static void describe(Clp_Simplex *clp, int end, pt_lp_answer *answer)
{
    static const pt_lp_end ENDS[] = {
        [CLP_OPTIMAL] = PT_LP_OPTIMAL,
        [CLP_INFEASIBLE] = PT_LP_INFEASIBLE,
        [CLP_UNBOUNDED] = PT_LP_UNBOUNDED,
        [CLP_STOPPED] = PT_LP_STOPPED,
    };
    answer->end = ENDS[end];
    answer->value = Clp_objectiveValue(clp);
    answer->x = Clp_getColSolution(clp);
    answer->price = Clp_getRowPrice(clp);
    answer->reduced = Clp_getReducedCost(clp);
}

pt_status pt_lp_solve(pt_lp *lp, pt_lp_answer *answer, const pt_task *task, pt_error *err)
{
    Clp_Simplex *clp = lp->clp;
    const int64_t limit = ENOUGH * ((int64_t)Clp_numberRows(clp) + Clp_numberColumns(clp)) + ENOUGH;
    *answer = (pt_lp_answer){0};
    pt_status status = run(clp, Clp_dual, limit, &answer->pivots, task, err);
    int end = status == PT_OK ? Clp_status(clp) : CLP_STOPPED;
    if (status == PT_OK && !is_clean(clp) && end != CLP_STOPPED)
        status = second_opinion(clp, &end, limit, &answer->pivots, task, err);
    if (status != PT_OK)
        return status;
    if (end < CLP_OPTIMAL || end > CLP_STOPPED)
        return pt_fail(err, PT_ENUMERIC,
                       "the linear program of %d columns and %d rows could not be solved: numbers "
                       "of very different size",
                       Clp_numberColumns(clp), Clp_numberRows(clp));
    describe(clp, end, answer);
    return PT_OK;
}

const char *pt_lp_solver(void)
{
    return "Clp";
}
