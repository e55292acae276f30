/* vo-SVM: vector outputs, hinge loss (HNR). The quadratic program and the bias are in vo_svm.c,
 * held-out scores in vo_svm_holdout.c, the solver in solvers/.
 *
 *     max  1^T beta - 1/2 beta^T (P o K) beta ,  0 <= beta_i <= C w_i ,   P_ij = Q[y_i, y_j]
 *
 * Classes r, c with Q_rc = 0 do not meet, so the problem falls apart into one for each connected
 * component of classes: k of them with indicators, and with plus-minus-one vectors if k = 4. They
 * are solved in parallel, and no kernel value is computed between them.
 *
 *   order   n   examples by component, then by class: what the solver sees
 *   parts       one for each component: rows first .. first + n of that order */
#include "machine/machine.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "kernels/kernel_params.h"
#include "machine/subproblem.h"
#include "machines/squares/joint.h"
#include "machines/squares/vector_machine.h"
#include "machines/svm/vo_svm.h"
#include "solvers/squares/ls_solve.h"
#include "validate/auto.h"

enum { LEAST_ROWS = 256 }; /* kernel rows that there must be room for */

/* One component of classes. */
typedef struct part {
    int64_t first; /* in order */
    int64_t n;
    int64_t groups;
    int64_t *classes; /* groups */
    int64_t *start;   /* groups + 1 */
    double *Q;        /* groups x groups */
    double *c;        /* groups: the bias */
    pt_vo_svm_result result;
} part;

typedef struct vo_svm_work {
    const pt_problem *problem;
    pt_vo_svm svm;
    pt_kernel kernel;
    pt_label_space *space;
    pt_subproblem sorted;   /* the examples in order */
    pt_kernel_store *given; /* a precomputed kernel */
    const pt_task *task;
    double bytes; /* for the kernel values of a part */
    int64_t *order;
    double *u; /* n, in order, as beta */
    double *beta;
    int64_t n_parts;
    part *parts;
    atomic_llong done; /* of those */
    pt_arena arena;    /* of the arrays */
} vo_svm_work;

static void vo_svm_work_free(vo_svm_work *f)
{
    pt_kernel_store_close(f->given);
    pt_subproblem_free(&f->sorted);
    pt_arena_free(&f->arena);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Lists the classes of component `number` and appends their examples to the order. */
static void fill_part(vo_svm_work *f, int64_t number, const int64_t *component, part *p)
{
    const int64_t k = f->space->k;
    const int64_t *class_of = f->problem->labels->class_of;
    for (int64_t r = 0; r < k; r++) {
        if (component[r] != number)
            continue;
        p->start[p->groups] = p->n;
        p->classes[p->groups++] = r;
        for (int64_t i = 0; i < f->problem->rows.n; i++)
            if (class_of[i] == r)
                f->order[p->first + p->n++] = i;
    }
    p->start[p->groups] = p->n;
    for (int64_t a = 0; a < p->groups; a++)
        for (int64_t b = 0; b < p->groups; b++)
            p->Q[a * p->groups + b] = f->space->Q[p->classes[a] * k + p->classes[b]];
}

static pt_status make_parts(vo_svm_work *f, pt_error *err)
{
    const int64_t k = f->space->k;
    const int64_t n = f->problem->rows.n;
    int64_t *component = NULL;
    int64_t *integers = NULL; /* behind the parts' arrays, as reals */
    double *reals = NULL;
    PT_TRY(PT_ARENA(&f->arena, "components of classes", err, PT_PIECE(component, k),
                    PT_PIECE(integers, 3 * k), PT_PIECE(reals, k * k + k), PT_PIECE(f->parts, k),
                    PT_PIECE(f->order, n), PT_PIECE(f->u, n), PT_PIECE(f->beta, n)));
    memset(f->parts, 0, (size_t)k * sizeof *f->parts);
    memset(f->beta, 0, (size_t)n * sizeof *f->beta);
    memset(reals, 0, (size_t)(k * k + k) * sizeof *reals);
    f->n_parts = pt_label_space_components(f->space, component);
    int64_t first = 0;
    for (int64_t number = 0; number < f->n_parts; number++) {
        part *p = &f->parts[number];
        int64_t groups = 0;
        for (int64_t r = 0; r < k; r++)
            groups += component[r] == number;
        p->first = first;
        p->classes = integers;
        p->start = integers + groups;
        p->c = reals;
        p->Q = reals + groups;
        fill_part(f, number, component, p);
        integers += 2 * groups + 1;
        reals += groups + groups * groups;
        first += p->n;
    }
    return PT_OK;
}

/* ---- training -------------------------------------------------------------------------------- */

/* Rows first .. first + n: a view. */
static pt_rows rows_from(const pt_rows *rows, int64_t first, int64_t n)
{
    pt_rows view = *rows;
    view.n = n;
    if (rows->dense)
        view.dense =
            (const char *)rows->dense + (size_t)(first * rows->stride) * pt_type_size(rows->type);
    else
        view.start = rows->start + first;
    return view;
}

static pt_status solve_part(void *context, int64_t number, int worker, pt_error *err)
{
    (void)worker;
    vo_svm_work *f = context;
    part *p = &f->parts[number];
    if (p->n == 0)
        return PT_OK;
    const pt_rows rows = rows_from(&f->sorted.problem.rows, p->first, p->n);
    const double turn = pt_task_turn(f->task, pt_parallel_workers(f->task, f->n_parts),
                                     f->n_parts - atomic_load(&f->done));
    const pt_box_qp qp = {.store = f->given,
                          .first = p->first,
                          .rows = &rows,
                          .kernel = &f->kernel,
                          .bytes = f->bytes,
                          .n = p->n,
                          .groups = p->groups,
                          .group_start = p->start,
                          .Q = p->Q,
                          .u = f->u + p->first,
                          .turn = turn};
    const char *stage = f->n_parts == 1 ? "training" : NULL;
    const pt_status status =
        pt_vo_svm_solve(&f->svm, qp, f->beta + p->first, p->c, &p->result, stage, f->task, err);
    atomic_fetch_add(&f->done, 1);
    return status;
}

static pt_status prepare(vo_svm_work *f, pt_error *err)
{
    const pt_rows *rows = &f->problem->rows;
    const bool square = pt_kernel_is_row(&f->kernel);
    if (square)
        PT_TRY(pt_ls_check_precomputed(rows, err));
    PT_TRY(make_parts(f, err));
    PT_TRY(pt_subproblem_init(&f->sorted, f->problem, f->order, rows->n, square, f->task, err));
    if (square)
        PT_TRY(pt_kernel_store_open(&f->given, &f->sorted.problem.rows, &f->kernel, NULL, 0,
                                    f->task, err));
    pt_vo_svm_bounds(&f->svm, rows->n, f->sorted.problem.weight, f->u);
    return PT_OK;
}

/* beta and the bias of each part <- those of a model, whose rows are found among the examples of
 * their class: within the bounds, which is all that the dual asks for. */
static pt_status take_start(vo_svm_work *f, pt_error *err)
{
    const pt_started *start = f->problem->start;
    const pt_expansion *from = &((const pt_vector_machine *)start->machine)->expansion;
    const double C_before = pt_params_real(start->params, PT_P_C);
    const int64_t n = f->problem->rows.n;
    int64_t *place = NULL;
    double *beta = NULL; /* of each example */
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    if (from->m != f->space->k || !from->column)
        return pt_fail(err, PT_EINVAL, "`start`: its classes are not those of the data");
    PT_TRY(PT_ARENA(&arena, "a start", err, PT_PIECE(place, from->n_coef), PT_PIECE(beta, n)));
    memset(beta, 0, (size_t)n * sizeof *beta);
    PT_TRY(pt_expansion_find_rows(place, from, from->column, &f->problem->rows,
                                  f->problem->labels->class_of, err));
    for (int64_t a = 0; a < from->n_coef; a++)
        if (place[a] >= 0)
            beta[place[a]] = fmax(from->coef[a], 0);
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = f->order[i];
        const double before = C_before * pt_weight(f->problem->weight, row);
        f->beta[i] = pt_vo_svm_carry(beta[row], before, f->u[i]);
    }
    for (int64_t number = 0; number < f->n_parts && from->bias; number++)
        for (int64_t g = 0; g < f->parts[number].groups; g++)
            f->parts[number].c[g] = from->bias[f->parts[number].classes[g]];
    return PT_OK;
}

static pt_status warn_unfinished(const vo_svm_work *f, pt_warnings *warnings, pt_error *err)
{
    double value = 0;
    double gap = 0;
    double off = 0;
    if (pt_task_ended_early(f->task))
        return PT_OK;
    for (int64_t number = 0; number < f->n_parts; number++) {
        const pt_vo_svm_result *result = &f->parts[number].result;
        value += result->qp.value;
        gap += result->qp.gap;
        off = fmax(off, result->off);
    }
    return pt_vo_svm_warn(&f->svm, value, gap, off, f->problem->rows.type, warnings, err);
}

static pt_status mean_bias(const pt_vector_machine *m, const pt_problem *problem,
                           const double *beta, double *bias, const pt_task *task, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = m->space.k;
    PT_SCRATCH double *outputs = pt_alloc(n, (size_t)k * sizeof(double), "class outputs", err);
    if (!outputs)
        return PT_ENOMEM;
    PT_TRY(pt_expansion_outputs(&m->expansion, &problem->rows, outputs, task, err));
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += beta[i] != 0;
    memset(bias, 0, (size_t)k * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        if (beta[i] != 0)
            pt_vo_svm_add_to_mean(bias, outputs + i * k, problem->labels->class_of[i], k, count);
    return PT_OK;
}

/* From the parts' solutions, in order, to the machine. */
static pt_status finish(pt_vector_machine *m, vo_svm_work *f, pt_error *err)
{
    const int64_t n = f->problem->rows.n;
    PT_SCRATCH double *beta = pt_alloc(n, sizeof(double), "coefficients", err);
    PT_SCRATCH double *bias = pt_alloc_zero(f->space->k, sizeof(double), "a bias", err);
    if (!beta || !bias)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        beta[f->order[i]] = f->beta[i];
    for (int64_t number = 0; number < f->n_parts; number++)
        for (int64_t g = 0; g < f->parts[number].groups; g++)
            bias[f->parts[number].classes[g]] = f->parts[number].c[g];
    const bool mean = f->svm.bias == PT_VO_MEAN;
    const bool biased = f->svm.bias != PT_VO_NO_BIAS;
    PT_TRY(pt_vector_machine_set_beta(m, f->problem, &f->kernel, beta,
                                      biased && !mean ? bias : NULL, f->task, err));
    if (!mean)
        return PT_OK;
    const pt_status status = mean_bias(m, f->problem, beta, bias, f->task, err);
    pt_expansion_free(&m->expansion);
    PT_TRY(status);
    return pt_vector_machine_set_beta(m, f->problem, &f->kernel, beta, bias, f->task, err);
}

/* ---- a joint kernel ----------------------------------------------------------------------------
 *
 * J takes the place of P o K: a precomputed kernel, all examples in one group. */

static pt_status solve_joint(vo_svm_work *f, const pt_rows *J, pt_error *err)
{
    static const double one[] = {1};
    const pt_kernel kernel = {.ops = pt_kernel_find("precomputed")};
    const int64_t whole[] = {0, J->n};
    double c = 0;
    PT_FREED_BY(pt_kernel_store_close_at) pt_kernel_store *store = NULL;
    PT_TRY(pt_kernel_store_open(&store, J, &kernel, NULL, 0, f->task, err));
    const pt_box_qp qp = {.store = store,
                          .rows = J,
                          .kernel = &kernel,
                          .n = J->n,
                          .groups = 1,
                          .group_start = whole,
                          .Q = one,
                          .u = f->u};
    pt_vo_svm_bounds(&f->svm, J->n, f->problem->weight, f->u);
    return pt_vo_svm_solve(&f->svm, qp, f->beta, &c, &f->parts[0].result, "training", f->task, err);
}

static pt_status fit_joint(pt_vector_machine *m, vo_svm_work *f, const pt_params *params,
                           pt_warnings *warnings, pt_error *err)
{
    const int64_t n = f->problem->rows.n;
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned J = {0};
    PT_TRY(pt_joint_check_params(params, err));
    PT_TRY(pt_joint_matrix(&J, f->problem, err));
    f->n_parts = 1;
    PT_TRY(PT_ARENA(&f->arena, "coefficients", err, PT_PIECE(f->parts, 1), PT_PIECE(f->u, n),
                    PT_PIECE(f->beta, n)));
    memset(f->parts, 0, sizeof *f->parts);
    memset(f->beta, 0, (size_t)n * sizeof *f->beta);
    PT_TRY(solve_joint(f, &J.rows, err));
    PT_TRY(warn_unfinished(f, warnings, err));
    return pt_joint_set_beta(m, f->problem, &f->kernel, f->beta, err);
}

/* ---- all examples ---------------------------------------------------------------------------- */

static double least_bytes(const pt_problem *problem)
{
    const pt_rows *rows = &problem->rows;
    const double size = (double)pt_type_size(rows->type);
    const double n = (double)rows->n;
    /* sorted rows, a copy of them for the kernel, that of the working set; a dozen vectors */
    return 3 * (double)pt_rows_stored(rows) * (size + (rows->dense ? 0 : 8)) + 200 * n +
           LEAST_ROWS * n * size;
}

static pt_status fit_parts(pt_vector_machine *m, vo_svm_work *f, pt_warnings *warnings,
                           pt_error *err)
{
    const pt_rows *rows = &f->problem->rows;
    PT_TRY(pt_vo_svm_check_bias(&f->svm, f->space, err));
    PT_TRY(prepare(f, err));
    if (f->problem->start)
        PT_TRY(take_start(f, err));
    const double left = (double)pt_task_memory(f->task) - least_bytes(f->problem);
    f->bytes = fmax(left, 0) / pt_parallel_workers(f->task, f->n_parts) +
               LEAST_ROWS * (double)rows->n * (double)pt_type_size(rows->type);
    PT_TRY(f->n_parts == 1
               ? solve_part(f, 0, 0, err)
               : pt_parallel_for_stage(f->task, "training", f->n_parts, solve_part, f, err));
    PT_TRY(warn_unfinished(f, warnings, err));
    return finish(m, f, err);
}

static pt_status vo_svm_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                            const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    pt_vector_machine *m = (pt_vector_machine *)machine;
    PT_FREED_BY(vo_svm_work_free) vo_svm_work f = {.problem = problem, .task = task};
    atomic_init(&f.done, 0);
    PT_TRY(pt_vo_svm_read(&f.svm, params, err));
    PT_TRY(pt_kernel_from_params(&f.kernel, params, err));
    PT_TRY(pt_vector_machine_init(m, problem, params, true, err));
    f.space = &m->space;
    return f.kernel.ops->joint ? fit_joint(m, &f, params, warnings, err)
                               : fit_parts(m, &f, warnings, err);
}

/* ---- planning -------------------------------------------------------------------------------- */

static pt_status vo_svm_plan(const pt_problem *problem, const pt_params *params,
                             const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)params;
    (void)err;
    const double n = (double)problem->rows.n;
    const double held = fmax((double)pt_task_memory(task) - least_bytes(problem), 0);
    const double rows = fmin(sqrt(held / (double)pt_type_size(problem->rows.type)), n);
    plan->bytes = least_bytes(problem);
    plan->cache = rows * rows * (double)pt_type_size(problem->rows.type);
    plan->flops = n * n * (double)problem->rows.d; /* a guess: a few rounds, few support vectors */
    snprintf(plan->route, sizeof plan->route,
             "box QP; the kernel values of up to %.0f rows in memory beside that", rows);
    return PT_OK;
}

/* Not known of a linear machine: it has no centres. */
static pt_status vo_svm_describe(const pt_machine *machine, const pt_texts *classes,
                                 pt_description *description, pt_error *err)
{
    (void)classes;
    (void)err;
    const pt_expansion *e = &((const pt_vector_machine *)machine)->expansion;
    if (!e->linear)
        pt_describe_count(description, "support_vectors", e->n_coef);
    return PT_OK;
}

static pt_status vo_svm_check_start(const pt_params *params, pt_error *err)
{
    if (pt_kernel_is_joint(params))
        return pt_fail(err, PT_EINVAL,
                       "`start`: a joint kernel mixes all rows and classes, and its dual begins at "
                       "nothing; with a kernel of the rows alone that is not linear it can");
    return pt_kernel_check_start(params, err);
}

/* sigma: the one with the fewest held-out errors of the machine itself, at the C that is given. */
static pt_status vo_svm_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                                pt_warnings *warnings, pt_error *err)
{
    (void)warnings;
    if (pt_kernel_is_joint(params))
        PT_TRY(pt_joint_settle(params, err));
    return pt_auto_by_training(&pt_machine_vo_svm, params, problem, task, err);
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_vo_svm = {
    .name = "vo-svm",
    .summary = "vector outputs, hinge loss: a support vector machine for all classes (HNR)",
    .parameters =
        "C,gap,bias,bias-rule,labelbook,label-kernel,label-sigma,label-degree,label-coef0,"
        "decode,class-weight,precision,auto-rows,kernel",
    .warm = "C,gap,class-weight",
    .check_start = vo_svm_check_start,
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities =
        PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT | PT_CAN_JOINT | PT_CAN_END_EARLY,
    .takes = pt_vector_machine_takes,
    .size = sizeof(pt_vector_machine),
    .plan = vo_svm_plan,
    .fit = vo_svm_fit,
    .scores = pt_vector_machine_scores,
    .free = pt_vector_machine_free,
    .parts = pt_vector_machine_parts,
    .save = pt_vector_machine_save,
    .load = pt_vector_machine_load,
    .resolve = vo_svm_resolve,
    .holdout = pt_vo_svm_holdout,
    .holdout_exact = pt_vo_svm_holdout_serves,
    .holdout_method = "warm starts",
    .describe = vo_svm_describe,
};
