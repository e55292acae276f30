/* The linear support vector machine, in the primal: every column of a code is a vector in R^d.
 *
 *     min  1/2 ||w||^2 + sum_i C weight_i (1 - y_i f(x_i))_+ ,   f(x) = w.x + b
 *
 * As LIBLINEAR's, the bias is the weight of a feature that is 1 in every row, and b^2 / 2 is part
 * of what is minimised (the svm with kernels leaves its bias free). Columns are solved in parallel,
 * each on one thread (solvers/linear/linear_svm.h). */
#include "learners/learner.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "solvers/linear/linear_svm.h"

/* ---- training -------------------------------------------------------------------------------- */

typedef struct linear_svm_work {
    pt_linear_rows rows;
    const pt_columns *columns;
    const pt_task *task;
    double C;
    double gap;
    uint64_t seed;
    double *w;       /* (d + 1) x ell column-major, the bias last */
    double *reached; /* ell: the gaps in shares of the values, where they are not what was asked */
    atomic_llong done;
} linear_svm_work;

/* The rows that take part, their sides and bounds, and the solution. */
static pt_status solve_column(linear_svm_work *t, int64_t s, pt_error *err)
{
    const pt_columns *from = t->columns;
    int64_t *row = NULL;
    int8_t *y = NULL;
    double *bound = NULL;
    double *a = NULL;
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "a column", err, PT_PIECE(row, from->n), PT_PIECE(bound, from->n),
                    PT_PIECE(a, from->n), PT_PIECE(y, from->n)));
    int64_t n = 0;
    for (int64_t i = 0; i < from->n; i++) {
        const int sign = pt_columns_sign(from, from->group_of[i], s);
        if (sign == 0)
            continue;
        row[n] = i;
        y[n] = (int8_t)sign;
        bound[n++] = t->C * pt_weight(from->weight, i);
    }
    pt_linear_svm_result result = {0};
    const int workers = pt_parallel_workers(t->task, from->ell);
    const pt_linear_svm problem = {
        .rows = &t->rows,
        .n = n,
        .row = row,
        .y = y,
        .bound = bound,
        .gap = t->gap,
        .turn = pt_task_turn(t->task, workers, from->ell - atomic_load(&t->done)),
        .seed = t->seed,
        .column = (uint64_t)s};
    PT_TRY(pt_linear_svm_solve(&problem, a, t->w + s * (t->rows.d + 1), &result, t->task, err));
    t->reached[s] = result.converged ? 0 : result.gap / result.value;
    return PT_OK;
}

static pt_status train_column(void *context, int64_t s, int worker, pt_error *err)
{
    (void)worker;
    linear_svm_work *t = context;
    const pt_status status = solve_column(t, s, err);
    const long long done = atomic_fetch_add(&t->done, 1) + 1;
    pt_task_progress_whole(t->task, "training", (double)done, (double)t->columns->ell);
    return status;
}

static pt_status linear_svm_plan(const pt_rows *rows, const pt_columns *columns,
                                 const pt_params *params, const pt_task *task, pt_plan *plan,
                                 pt_error *err)
{
    (void)params;
    (void)err;
    enum { A_ROW = 8 + 1 + 8 + 8 + 8 + 8 }; /* of a column: row, y, bound, a, active, G */
    const int workers = pt_parallel_workers(task, columns->ell);
    plan->bytes = pt_linear_rows_bytes(rows) + 16 * (double)rows->d * (double)columns->ell +
                  workers * A_ROW * (double)rows->n;
    plan->flops = 20.0 * (double)pt_rows_stored(rows) * (double)columns->ell; /* some ten passes */
    snprintf(plan->route, sizeof plan->route, "%lld columns, dual coordinate descent",
             (long long)columns->ell);
    return PT_OK;
}

static void work_free(linear_svm_work *t)
{
    pt_linear_rows_free(&t->rows);
    pt_free(t->reached);
    pt_free(t->w);
}

static pt_status linear_svm_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                                const pt_params *params, const pt_task *task, pt_warnings *warnings,
                                pt_error *err)
{
    pt_expansion_learner *m = (pt_expansion_learner *)learner;
    const int64_t ell = columns->ell;
    const bool bias = pt_params_flag(params, PT_P_BIAS);
    PT_FREED_BY(work_free)
    linear_svm_work t = {.columns = columns,
                         .task = task,
                         .C = pt_params_real(params, PT_P_C),
                         .gap = pt_params_real(params, PT_P_GAP),
                         .seed = (uint64_t)pt_params_integer(params, PT_P_SEED)};
    atomic_init(&t.done, 0);
    size_t bytes = 0;
    if (!pt_size_mul((size_t)(rows->d + 1), sizeof(double), &bytes))
        return pt_fail_memory(err, "coefficients", SIZE_MAX);
    t.w = pt_alloc(ell, bytes, "coefficients", err);
    PT_TRY(t.w ? PT_OK : PT_ENOMEM);
    PT_TRY(PT_NEW(t.reached, ell, "a list", err));
    PT_TRY(pt_linear_rows_init(&t.rows, rows, bias, task, err));
    pt_task_begin_whole(task);
    const pt_status status = pt_parallel_for(task, ell, train_column, &t, err);
    pt_task_end_whole(task);
    PT_TRY(status);
    if (!pt_task_ended_early(task))
        PT_TRY(pt_columns_warn(t.reached, ell, "passes", "gap", t.gap, warnings, err));
    return pt_expansion_take_linear(&m->outputs, rows->type, rows->d, ell, t.w, 1, bias, task, err);
}

const pt_learner_ops pt_learner_linear_svm = {
    .name = "linear-svm",
    .summary = "linear support vector machine, for any number of rows: hinge loss",
    .parameters = "C,gap,bias,class-weight,precision",
    .loss = &pt_loss_hinge,
    .defaults = "bias=yes,kernel=linear",
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_UNTIL_TOLD,
    .size = sizeof(pt_expansion_learner),
    .plan = linear_svm_plan,
    .fit = linear_svm_fit,
    .outputs = pt_expansion_learner_outputs,
    .free = pt_expansion_learner_free,
    .save = pt_expansion_learner_save,
    .load = pt_expansion_learner_load,
};
