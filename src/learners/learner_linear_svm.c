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
#include "base/parallel.h"
#include "kernels/expansion.h"
#include "kernels/kernel_params.h"
#include "solvers/linear/linear_svm.h"

typedef struct linear_svm {
    pt_learner base;
    pt_expansion outputs;
} linear_svm;

static void linear_svm_free(pt_learner *learner)
{
    linear_svm *m = (linear_svm *)learner;
    if (!m)
        return;
    pt_expansion_free(&m->outputs);
    pt_free(m);
}

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

/* One column: the rows that take part, their sides and bounds, and the solution. */
typedef struct column {
    int64_t n;
    int64_t *row;
    int8_t *y;
    double *bound;
    double *a;
} column;

static void free_column(column *c)
{
    pt_free(c->a);
    pt_free(c->bound);
    pt_free(c->y);
    pt_free(c->row);
}

static pt_status make_column(column *c, const linear_svm_work *t, int64_t s, pt_error *err)
{
    const pt_columns *from = t->columns;
    c->row = pt_alloc(from->n, sizeof *c->row, "a column", err);
    c->y = pt_alloc(from->n, sizeof *c->y, "a column", err);
    c->bound = pt_alloc(from->n, sizeof *c->bound, "a column", err);
    c->a = pt_alloc(from->n, sizeof *c->a, "a column", err);
    if (!c->row || !c->y || !c->bound || !c->a)
        return PT_ENOMEM;
    for (int64_t i = 0; i < from->n; i++) {
        const int sign = pt_columns_sign(from, from->group_of[i], s);
        if (sign == 0)
            continue;
        c->row[c->n] = i;
        c->y[c->n] = (int8_t)sign;
        c->bound[c->n++] = t->C * (from->weight ? from->weight[i] : 1);
    }
    return PT_OK;
}

static pt_status solve_column(linear_svm_work *t, int64_t s, column *c, pt_error *err)
{
    pt_linear_svm_result result = {0};
    const int workers = pt_parallel_workers(t->task, t->columns->ell);
    const double turn = pt_task_turn(t->task, workers, t->columns->ell - atomic_load(&t->done));
    const pt_linear_svm problem = {.rows = &t->rows,
                                   .n = c->n,
                                   .row = c->row,
                                   .y = c->y,
                                   .bound = c->bound,
                                   .gap = t->gap,
                                   .turn = turn,
                                   .seed = t->seed,
                                   .column = (uint64_t)s};
    PT_TRY(pt_linear_svm_solve(&problem, c->a, t->w + s * (t->rows.d + 1), &result, t->task, err));
    t->reached[s] = result.converged ? 0 : result.gap / result.value;
    return PT_OK;
}

static pt_status train_column(void *context, int64_t s, int worker, pt_error *err)
{
    (void)worker;
    linear_svm_work *t = context;
    column c = {0};
    pt_status status = make_column(&c, t, s, err);
    if (status == PT_OK)
        status = solve_column(t, s, &c, err);
    free_column(&c);
    const long long done = atomic_fetch_add(&t->done, 1) + 1;
    pt_task_progress_whole(t->task, "training", (double)done, (double)t->columns->ell);
    return status;
}

static pt_status train(linear_svm_work *t, const pt_rows *rows, bool bias, pt_texts *warnings,
                       pt_error *err)
{
    const int64_t ell = t->columns->ell;
    size_t bytes = 0;
    if (!pt_size_mul((size_t)(rows->d + 1), sizeof(double), &bytes))
        return pt_fail_memory(err, "coefficients", SIZE_MAX);
    t->w = pt_alloc(ell, bytes, "coefficients", err);
    t->reached = pt_alloc(ell, sizeof(double), "a list", err);
    pt_status status = t->w && t->reached ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = pt_linear_rows_init(&t->rows, rows, bias, t->task, err);
    pt_task_begin_whole(t->task);
    if (status == PT_OK)
        status = pt_parallel_for(t->task, ell, train_column, t, err);
    pt_task_end_whole(t->task);
    if (status != PT_OK || pt_task_ended_early(t->task))
        return status;
    return pt_columns_warn(t->reached, ell, "passes before --gap", t->gap, warnings, err);
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

static pt_status linear_svm_fit(pt_learner **out, const pt_rows *rows, const pt_columns *columns,
                                const pt_params *params, const pt_task *task, pt_texts *warnings,
                                pt_error *err)
{
    linear_svm *m = pt_alloc_zero(1, sizeof *m, "a learner", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = &pt_learner_linear_svm;
    linear_svm_work t = {.columns = columns,
                         .task = task,
                         .C = pt_params_real(params, PT_P_C),
                         .gap = pt_params_real(params, PT_P_GAP),
                         .seed = (uint64_t)pt_params_integer(params, PT_P_SEED)};
    atomic_init(&t.done, 0);
    const bool bias = pt_params_flag(params, PT_P_BIAS);
    pt_status status = train(&t, rows, bias, warnings, err);
    if (status == PT_OK)
        status = pt_expansion_take_linear(&m->outputs, rows->type, rows->d, columns->ell, t.w, 1,
                                          bias, err);
    pt_linear_rows_free(&t.rows);
    pt_free(t.reached);
    pt_free(t.w);
    if (status != PT_OK) {
        linear_svm_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

/* ---- outputs, the file, the table entry ------------------------------------------------------ */

static pt_status linear_svm_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                                    const pt_task *task, pt_error *err)
{
    return pt_expansion_outputs(&((const linear_svm *)learner)->outputs, rows, outputs, task, err);
}

static pt_status linear_svm_save(const pt_learner *learner, pt_pack *pack, pt_error *err)
{
    (void)err;
    pt_expansion_save(&((const linear_svm *)learner)->outputs, pack);
    return PT_OK;
}

static pt_status linear_svm_load(pt_learner **out, const pt_pack *pack, int64_t n_inputs,
                                 const pt_columns *columns, const pt_params *params, int64_t *used,
                                 pt_error *err)
{
    linear_svm *m = pt_alloc_zero(1, sizeof *m, "a learner", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = &pt_learner_linear_svm;
    pt_status status =
        pt_expansion_load(&m->outputs, pack, n_inputs, columns->ell, params, used, err);
    if (status != PT_OK) {
        linear_svm_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

const pt_learner_ops pt_learner_linear_svm = {
    .name = "linear-svm",
    .summary = "linear support vector machine, for any number of rows: hinge loss",
    .parameters = "C,gap,bias,class-weight,precision",
    .loss = &pt_loss_hinge,
    .defaults = "bias=yes,kernel=linear",
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_UNTIL_TOLD,
    .plan = linear_svm_plan,
    .fit = linear_svm_fit,
    .outputs = linear_svm_outputs,
    .free = linear_svm_free,
    .save = linear_svm_save,
    .load = linear_svm_load,
};
