/* needs: clp */
/* Times the linear programs of code design: bench_lpdesign TRAIN OTHER ROWS WAY NORM C.
 *
 * All pairs of classes are learned on TRAIN (linear machines, C 1, files without header, not
 * scaled); a code is designed, soft form, from the outputs on the first ROWS rows of OTHER. NORM is
 * 1 or inf, WAY
 *
 *   ours              pt_design_lp
 *   primal, dual      Clp alone, dual simplex, on the whole program, loaded before the clock starts
 *   presolve-primal, presolve-dual    the same behind Clp's presolve
 *   unscaled-primal, unscaled-dual    the same without Clp's scaling
 *   barrier-primal, barrier-dual      its interior point method, with crossover
 *
 * Clp has its own tolerances. Prints JSON: processor seconds, value, the size of the program that
 * Clp was given whole, and of CS Table 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <coin/Clp_C_Interface.h>

#include "../tests/support/design_program.h"
#include "base/alloc.h"
#include "base/task.h"
#include "codes/design/design.h"
#include "machine/training.h"
#include "validate/auto.h"

enum { CLP_DUAL_SIMPLEX = 0, CLP_BARRIER = 3 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static pt_status read_training(pt_training *t, pt_dataset **data, const char *path,
                               const pt_task *task, pt_error *err)
{
    pt_params *params = NULL;
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params,
                                 "machine=code,code=ovo,learner=linear-svm,C=1,scale=none,"
                                 "header=no",
                                 err);
    if (status == PT_OK)
        status = pt_dataset_read(data, path, params, (pt_task *)task, err);
    if (status == PT_OK)
        status = pt_training_init(t, *data, params, task, err);
    if (status == PT_OK)
        status = pt_training_resolve(t, task, err);
    pt_params_free(params);
    return status;
}

/* H of all rows of OTHER. */
static pt_status outputs_of(double **H, pt_design_data *design, const pt_training *learn,
                            const pt_training *other, const pt_task *task, pt_error *err)
{
    pt_machine *machine = NULL;
    pt_warnings warnings = {0};
    pt_status status =
        pt_machine_fit(&machine, learn->ops, &learn->problem, learn->params, task, &warnings, err);
    if (status != PT_OK)
        return status;
    design->k = pt_labels_n_classes(learn->problem.labels);
    design->ell = design->k * (design->k - 1) / 2;
    design->class_of = other->problem.labels->class_of;
    *H = pt_alloc(other->problem.rows.n * design->ell, sizeof **H, "outputs", err);
    status = *H ? learn->ops->outputs(machine, &other->problem.rows, *H, task, err) : PT_ENOMEM;
    design->H = *H;
    pt_machine_free(machine);
    return status;
}

/* Clp as it comes. */
static double solve_whole(const pt_program *p, const char *way, double *work, long long *pivots)
{
    Clp_Simplex *clp = Clp_newModel();
    Clp_Solve *how = ClpSolve_new();
    const bool presolve = strncmp(way, "presolve", 8) == 0;
    const bool barrier = strncmp(way, "barrier", 7) == 0;
    if (strncmp(way, "unscaled", 8) == 0)
        Clp_scaling(clp, 0);
    Clp_setLogLevel(clp, 0);
    Clp_loadProblem(clp, (int)p->columns, (int)p->rows, p->start, p->index, p->value, p->lower,
                    p->upper, p->cost, p->row_lower, p->row_upper);
    ClpSolve_setSolveType(how, barrier ? CLP_BARRIER : CLP_DUAL_SIMPLEX, -1);
    *work = -seconds();
    if (presolve || barrier)
        Clp_initialSolveWithOptions(clp, how);
    else
        Clp_dual(clp, 0);
    *work += seconds();
    const double value = Clp_status(clp) == 0 ? Clp_objectiveValue(clp) : NAN;
    *pivots = Clp_numberIterations(clp);
    ClpSolve_delete(how);
    Clp_deleteModel(clp);
    return value;
}

static pt_status time_one(const pt_design_data *design, const char *way, pt_design_norm norm,
                          double C, const pt_task *task, pt_error *err)
{
    const reference_sizes sizes = reference_table1(norm, design->m, design->k, design->ell);
    const bool dual = strstr(way, "dual") != NULL;
    double work = 0;
    double value = 0;
    long long pivots = 0;
    pt_program program = {0};
    pt_status status =
        (dual ? reference_dual : reference_primal)(&program, design, norm, PT_DESIGN_SOFT, C, err);
    if (status == PT_OK && strcmp(way, "ours") == 0) {
        const pt_design_how how = {.norm = norm, .form = PT_DESIGN_SOFT, .C = C};
        pt_designed code = {0};
        pt_design_result result = {0};
        work = -seconds();
        status = pt_design(&code, design, &how, &result, task, err);
        work += seconds();
        value = result.primal;
        pivots = result.steps;
        pt_designed_free(&code);
    } else if (status == PT_OK) {
        value = (dual ? -1 : 1) * solve_whole(&program, way, &work, &pivots);
    }
    if (status == PT_OK)
        printf("{\"work\": %.6f, \"value\": %.12g, \"pivots\": %lld, \"columns\": %lld, "
               "\"rows\": %lld, \"entries\": %d, \"table1_variables\": %.0f, "
               "\"table1_constraints\": %.0f}\n",
               work, value, pivots, (long long)program.columns, (long long)program.rows,
               program.start[program.columns], dual ? sizes.dual_variables : sizes.primal_variables,
               dual ? sizes.dual_constraints : sizes.primal_constraints);
    pt_program_free(&program);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr, "usage: bench_lpdesign TRAIN OTHER ROWS WAY NORM C\n");
        return 2;
    }
    pt_error err = {0};
    pt_task *task = NULL;
    pt_dataset *data[2] = {NULL, NULL};
    pt_training training[2] = {0};
    pt_design_data design = {0};
    double *H = NULL;
    pt_status status = pt_task_new(&task, &err);
    for (int part = 0; part < 2 && status == PT_OK; part++)
        status = read_training(&training[part], &data[part], argv[1 + part], task, &err);
    if (status == PT_OK)
        status = outputs_of(&H, &design, &training[0], &training[1], task, &err);
    if (status == PT_OK) {
        const int64_t rows = strtoll(argv[3], NULL, 10);
        const int64_t most = training[1].problem.rows.n;
        design.m = rows > 0 && rows < most ? rows : most;
        pt_task_set_threads(task, 1);
        status = time_one(&design, argv[4], strcmp(argv[5], "inf") ? PT_NORM_1 : PT_NORM_INF,
                          strtod(argv[6], NULL), task, &err);
    }
    if (status != PT_OK)
        fprintf(stderr, "bench_lpdesign: %s\n", err.text);
    pt_free(H);
    for (int part = 0; part < 2; part++) {
        pt_training_free(&training[part]);
        pt_dataset_free(data[part]);
    }
    pt_task_free(task);
    return status == PT_OK ? 0 : 1;
}
