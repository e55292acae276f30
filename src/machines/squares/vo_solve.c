/* The system of vo-LSSVM (HNR), part by part.
 *
 *     (P o K + gamma W^-1) beta = 1 ,   P_ij = Q[y_i, y_j] ,   g_c(x) = sum_{y_j = c} beta_j
 *     kappa(x_j, x)
 *
 * Where label vectors are orthogonal P has blocks of zeros, and each block of classes is a system
 * of its own (vo_parts.c): with indicators k systems of n / k rows, 1 / k^2 of the work. Systems of
 * several tiles are solved one after another, each on all threads; smaller ones side by side, one
 * on each thread. What is solved does not depend on that.
 *
 * Bias. exact: HNR's bordered system, through u = M b (ls_coupling.c); it falls apart as P does.
 * penalised: the kernel K + 1, whose constant part is a bias c_r = sum_{y_j = r} beta_j on the
 * class outputs. */
#include "machines/squares/vo_solve.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "codes/vectors/label_range.h"
#include "kernels/expansion.h"
#include "machines/squares/vo_parts.h"
#include "solvers/squares/ls_solve.h"

/* Parts of more rows than this are solved one after another. */
enum { LARGE_PART = 2 * PT_TILE };

typedef struct part_solver {
    const pt_problem *problem;
    const pt_label_space *space;
    const pt_kernel *kernel;
    double ridge;
    pt_bias_rule rule;
    const pt_task *task;
    double *beta;
    double *c;
    pt_vo_parts parts;
    pt_ls_report *report; /* of each part */
    int64_t *small;       /* parts that are solved side by side */
} part_solver;

static void part_solver_free(part_solver *s)
{
    pt_free(s->small);
    pt_free(s->report);
    pt_vo_parts_free(&s->parts);
}

/* ---- one part -------------------------------------------------------------------------------- */

/* The rows of a part as a problem of its own. */
typedef struct part {
    pt_ls_problem ls;
    pt_rows_owned rows;
    int64_t *class_of; /* numbers within the part */
    double *weight;
    double *Q;
    double *beta;
    double *z;
    pt_label_range range;
} part;

static void part_free(part *p)
{
    pt_rows_owned_free(&p->rows);
    pt_free(p->class_of);
    pt_free(p->weight);
    pt_free(p->Q);
    pt_free(p->beta);
    pt_free(p->z);
    pt_label_range_free(&p->range);
}

static int64_t part_rows(const pt_vo_parts *parts, int64_t number)
{
    return parts->first[number + 1] - parts->first[number];
}

/* All rows of a problem are its only part without a copy. */
static pt_status part_select(part *p, const part_solver *s, int64_t number, pt_error *err)
{
    const int64_t *order = s->parts.order + s->parts.first[number];
    const int64_t n = part_rows(&s->parts, number);
    const bool all = s->parts.count == 1;
    if (!all)
        PT_TRY(pt_rows_select(&p->rows, &s->problem->rows, order, n, s->task, err));
    if (!all && pt_kernel_is_row(s->kernel))
        PT_TRY(pt_rows_take_columns(&p->rows, order, n, s->task, err));
    p->class_of = pt_alloc(n, sizeof(int64_t), "classes", err);
    p->weight = s->problem->weight ? pt_alloc(n, sizeof(double), "weights", err) : NULL;
    p->beta = pt_alloc(n, sizeof(double), "coefficients", err);
    if (!p->class_of || !p->beta || (s->problem->weight && !p->weight))
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        p->class_of[i] = s->parts.local[s->problem->labels->class_of[order[i]]];
        if (p->weight)
            p->weight[i] = s->problem->weight[order[i]];
    }
    p->ls = (pt_ls_problem){all ? &s->problem->rows : &p->rows.rows, p->class_of,
                            s->parts.first_class[number + 1] - s->parts.first_class[number],
                            p->weight, NULL};
    return pt_vo_parts_products(&p->Q, &s->parts, s->space, number, err);
}

/* c_r for the classes of a part. */
static pt_status part_bias(const part *p, const part_solver *s, int64_t number, pt_error *err)
{
    const int64_t *classes = s->parts.classes + s->parts.first_class[number];
    if (s->rule == PT_BIAS_PENALISED)
        for (int64_t i = 0; i < p->ls.rows->n; i++)
            s->c[classes[p->class_of[i]]] += p->beta[i];
    if (s->rule != PT_BIAS_EXACT)
        return PT_OK;
    PT_SCRATCH double *c = pt_alloc(p->ls.k, sizeof(double), "a bias", err);
    if (!c)
        return PT_ENOMEM;
    PT_TRY(pt_label_range_preimage(&p->range, p->Q, p->z, c, err));
    for (int64_t r = 0; r < p->ls.k; r++)
        s->c[classes[r]] = c[r];
    return PT_OK;
}

static pt_status solve_part(void *context, int64_t number, int worker, pt_error *err)
{
    (void)worker;
    const part_solver *s = context;
    const int64_t *order = s->parts.order + s->parts.first[number];
    pt_ls_report *report = &s->report[number];
    PT_FREED_BY(part_free) part p = {0};
    PT_TRY(part_select(&p, s, number, err));
    if (s->rule == PT_BIAS_EXACT) {
        PT_TRY(pt_label_range_init(&p.range, p.Q, p.ls.k, err));
        PT_TRY(PT_NEW_ZERO(p.z, p.ls.k, "a bias", err));
    }
    const pt_ls_coupling coupling = {p.Q, s->rule == PT_BIAS_PENALISED, p.range.V, p.range.rank};
    const pt_status status =
        pt_ls_solve_coupled(&p.ls, &coupling, s->kernel, s->ridge, s->problem->rows.type, p.beta,
                            p.z, report, s->task, err);
    if (status == PT_ENUMERIC)
        return pt_fail(
            err, PT_ENUMERIC,
            "P o K + ridge I is not positive definite at row %lld; raise `ridge`, now %g",
            (long long)order[report->bad_row] + 1, s->ridge);
    PT_TRY(status);
    PT_TRY(part_bias(&p, s, number, err));
    for (int64_t i = 0; i < p.ls.rows->n; i++)
        s->beta[order[i]] = p.beta[i];
    return PT_OK;
}

/* ---- all parts ------------------------------------------------------------------------------- */

static double part_bytes(const pt_problem *problem, const pt_vo_parts *parts, int64_t number,
                         pt_bias_rule rule)
{
    const double n = (double)part_rows(parts, number);
    const double k = (double)(parts->first_class[number + 1] - parts->first_class[number]);
    const pt_rows *rows = &problem->rows;
    const double copy =
        parts->count == 1
            ? 0
            : (double)pt_rows_stored(rows) / (double)rows->n * n *
                  (double)(pt_type_size(rows->type) + (rows->dense ? 0 : sizeof(int64_t)));
    const double border = rule == PT_BIAS_EXACT ? 8 * n * k : 0;
    return pt_ls_dual_bytes((int64_t)n, rows->dense ? rows->d : 0, (int64_t)k, rows->type) + copy +
           border + 40 * n;
}

/* Lists the small parts; the largest of them needs *bytes. */
static int64_t list_small(const part_solver *s, double *bytes)
{
    int64_t count = 0;
    *bytes = 1;
    for (int64_t p = 0; p < s->parts.count; p++) {
        if (part_rows(&s->parts, p) > LARGE_PART)
            continue;
        s->small[count++] = p;
        const double need = part_bytes(s->problem, &s->parts, p, s->rule);
        *bytes = need > *bytes ? need : *bytes;
    }
    return count;
}

static pt_status solve_small(void *context, int64_t i, int worker, pt_error *err)
{
    const part_solver *s = context;
    return solve_part(context, s->small[i], worker, err);
}

static pt_status solve_parts(part_solver *s, pt_error *err)
{
    double bytes = 0;
    for (int64_t p = 0; p < s->parts.count; p++)
        if (part_rows(&s->parts, p) > LARGE_PART)
            PT_TRY(solve_part(s, p, 0, err));
    const int64_t count = list_small(s, &bytes);
    int workers = pt_parallel_workers(s->task, count);
    const double room = (double)pt_task_memory(s->task) / bytes;
    if (room < (double)workers)
        workers = room > 1 ? (int)room : 1;
    return count == 1 ? solve_part(s, s->small[0], 0, err)
                      : pt_parallel_for_at_most(s->task, workers, count, solve_small, s, err);
}

/* One warning for all parts. */
static pt_status explain_parts(const part_solver *s, pt_warnings *warnings, pt_error *err)
{
    pt_ls_report worst = {0};
    for (int64_t p = 0; p < s->parts.count; p++) {
        worst.doubled = worst.doubled || s->report[p].doubled;
        if (s->report[p].residual > worst.residual)
            worst.residual = s->report[p].residual;
    }
    return pt_ls_explain(&worst, "P o K", s->ridge, warnings, err);
}

pt_status pt_vo_solve(const pt_problem *problem, const pt_label_space *space,
                      const pt_kernel *kernel, double ridge, pt_bias_rule rule, double *beta,
                      double *c, const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    PT_FREED_BY(part_solver_free)
    part_solver s = {.problem = problem,
                     .space = space,
                     .kernel = kernel,
                     .ridge = ridge,
                     .rule = rule,
                     .task = task,
                     .beta = beta,
                     .c = c};
    memset(c, 0, (size_t)space->k * sizeof *c);
    PT_TRY(pt_vo_parts_init(&s.parts, space, problem->labels->class_of, problem->rows.n, err));
    PT_TRY(PT_NEW_ZERO(s.report, s.parts.count, "systems", err));
    PT_TRY(PT_NEW(s.small, s.parts.count, "systems", err));
    PT_TRY(solve_parts(&s, err));
    return explain_parts(&s, warnings, err);
}

/* ---- before it ------------------------------------------------------------------------------- */

/* *does_all <- whether some b has M_r . b = 1 for all classes r of a part. */
static pt_status bias_does_all(bool *does_all, const pt_vo_parts *parts,
                               const pt_label_space *space, int64_t number, pt_error *err)
{
    const int64_t m = parts->first_class[number + 1] - parts->first_class[number];
    PT_FREED_BY(pt_label_range_free) pt_label_range range = {0};
    PT_SCRATCH double *Q = NULL;
    PT_TRY(pt_vo_parts_products(&Q, parts, space, number, err));
    PT_TRY(pt_label_range_init(&range, Q, m, err));
    *does_all = pt_label_range_has_ones(&range);
    return PT_OK;
}

/* One part of the classes. */
static pt_status check_part(const pt_vo_parts *parts, const pt_label_space *space, int64_t number,
                            const pt_labels *labels, pt_error *err)
{
    const int64_t first = parts->first_class[number];
    const int64_t m = parts->first_class[number + 1] - first;
    bool does_all = false;
    PT_TRY(bias_does_all(&does_all, parts, space, number, err));
    if (!does_all)
        return PT_OK;
    return pt_fail(err, PT_EINVAL,
                   "`bias`: with these label vectors a bias alone meets every constraint (some b "
                   "has M_r . b = 1 for %s%s%s), and the machine would be that constant; use "
                   "`labelbook=mincorr`, alignment or consistency, or `bias-rule=penalised`",
                   m == space->k ? "all classes" : "class '",
                   m == space->k ? "" : pt_texts_get(&labels->classes, parts->classes[first]),
                   m == space->k ? ""
                   : m == 1      ? "'"
                                 : "' and others");
}

pt_status pt_vo_check_bias(const pt_label_space *space, const pt_labels *labels, pt_error *err)
{
    PT_FREED_BY(pt_vo_parts_free) pt_vo_parts parts = {0};
    PT_SCRATCH int64_t *each = NULL;
    PT_TRY(PT_NEW(each, space->k, "classes", err));
    for (int64_t r = 0; r < space->k; r++) /* as if every class had a row */
        each[r] = r;
    PT_TRY(pt_vo_parts_init(&parts, space, each, space->k, err));
    for (int64_t p = 0; p < parts.count; p++)
        PT_TRY(check_part(&parts, space, p, labels, err));
    return PT_OK;
}

pt_status pt_vo_check_bias_rows(const pt_label_space *space, const pt_labels *labels, pt_error *err)
{
    PT_FREED_BY(pt_vo_parts_free) pt_vo_parts parts = {0};
    bool does_all = false;
    PT_TRY(pt_vo_parts_init(&parts, space, labels->class_of, labels->n, err));
    for (int64_t p = 0; !does_all && p < parts.count; p++)
        PT_TRY(bias_does_all(&does_all, &parts, space, p, err));
    for (int64_t r = 0; does_all && r < space->k; r++)
        if (parts.part_of[r] < 0)
            return pt_fail(
                err, PT_ENUMERIC,
                "`bias`: class '%s' has no training row, and for the others a bias alone meets "
                "every constraint (some b has M_r . b = 1): the machine would be that constant; "
                "leave `bias` out, use `bias-rule=penalised`, or merge the class with another",
                pt_texts_get(&labels->classes, r));
    return PT_OK;
}

pt_status pt_vo_solve_plan(const pt_problem *problem, const pt_label_space *space,
                           pt_bias_rule rule, pt_plan *plan, pt_error *err)
{
    PT_FREED_BY(pt_vo_parts_free) pt_vo_parts parts = {0};
    const pt_rows *rows = &problem->rows;
    PT_TRY(pt_vo_parts_init(&parts, space, problem->labels->class_of, rows->n, err));
    plan->bytes = 0;
    plan->flops = 0;
    for (int64_t p = 0; p < parts.count; p++) {
        const double n = (double)part_rows(&parts, p);
        const double k = (double)(parts.first_class[p + 1] - parts.first_class[p]);
        const double bytes = part_bytes(problem, &parts, p, rule);
        plan->bytes = bytes > plan->bytes ? bytes : plan->bytes;
        plan->flops += n * n * n / 3 + n * n * ((double)rows->d + 4 * k);
    }
    const char *type = rows->type == PT_F32 ? "float32, refined in double" : "double";
    if (parts.count == 1)
        snprintf(plan->route, sizeof plan->route, "dual: a %lld x %lld factor in %s",
                 (long long)rows->n, (long long)rows->n, type);
    else
        snprintf(plan->route, sizeof plan->route,
                 "dual: %lld systems, the largest %lld x %lld, factors in %s",
                 (long long)parts.count, (long long)parts.largest, (long long)parts.largest, type);
    return PT_OK;
}
