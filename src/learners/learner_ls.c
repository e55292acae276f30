/* Regularised least squares for all columns of a code, in closed form.
 *
 *     min  sum_i w_i (y_i - f(x_i))^2 + ridge ||f||^2 ,   y_i = M(group of i, s) != 0
 *
 * A code without zeros needs one factorisation whatever its number of columns: its outputs are
 * f = M^T g, where g are those of the class indicators (HNR eq. 24; ls_sets.h). Where zeros keep
 * groups out of columns, every set of groups has its own.
 *
 * What is kept
 *   all pairs                   a pair_expansion
 *   no zeros and ell > groups   the expansion of g, and M: fewer coefficients, and outputs that
 *                               cost n_rows x groups kernel products in place of n_rows x ell
 *   otherwise                   an expansion of f */
#include "learners/learner_ls.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "kernels/kernel_params.h"
#include "learners/ls_sets.h"

typedef struct ls {
    pt_learner base;
    int64_t groups;
    int64_t ell;
    bool pairs;
    pt_pair_expansion of_pairs;
    pt_expansion outputs; /* g where `signs` is there, else f; not where pairs */
    int8_t *signs;        /* groups x ell, or NULL */
} ls;

static void ls_free(pt_learner *learner)
{
    ls *m = (ls *)learner;
    pt_pair_expansion_free(&m->of_pairs);
    pt_expansion_free(&m->outputs);
    pt_free(m->signs);
}

static void set_columns(ls *m, const pt_columns *columns)
{
    m->groups = columns->groups;
    m->ell = columns->ell;
    m->pairs = columns->pairs;
}

/* Whether g is kept: `whole` is a code without zeros. */
static bool keeps_groups(const pt_columns *columns, bool whole)
{
    return whole && !columns->passing && columns->ell > columns->groups;
}

static pt_status copy_signs(ls *m, const pt_columns *columns, pt_error *err)
{
    PT_TRY(PT_NEW(m->signs, m->groups * m->ell, "a code", err));
    memcpy(m->signs, columns->sign, (size_t)(m->groups * m->ell));
    return PT_OK;
}

/* ---- combinations of indicators -------------------------------------------------------------- */

/* f (n_coef) <- the coefficients of column s: sum over the groups of M(g, s) A[., g]. */
static void combine(const pt_columns *c, int64_t s, const int64_t *group, int64_t n_groups,
                    const double *A, int64_t n_coef, double *f)
{
    memset(f, 0, (size_t)n_coef * sizeof *f);
    for (int64_t j = 0; j < n_groups; j++) {
        const int sign = pt_columns_sign(c, group ? group[j] : j, s);
        const double *a = A + j * n_coef;
        for (int64_t i = 0; i < n_coef; i++)
            f[i] += sign > 0 ? a[i] : -a[i];
    }
}

/* ---- a code without zeros -------------------------------------------------------------------- */

/* Fewer columns than groups: they are the right-hand sides themselves. */
static pt_status fit_columns(ls *m, const pt_rows *rows, const pt_columns *c,
                             const pt_params *params, const pt_task *task, pt_warnings *warnings,
                             pt_error *err)
{
    PT_SCRATCH double *Y = pt_alloc(c->ell, (size_t)rows->n * sizeof *Y, "right-hand sides", err);
    if (!Y)
        return PT_ENOMEM;
    for (int64_t s = 0; s < c->ell; s++)
        for (int64_t i = 0; i < rows->n; i++)
            Y[s * rows->n + i] = pt_columns_sign(c, c->group_of[i], s);
    const pt_ls_problem problem = {rows, NULL, c->ell, c->weight, Y};
    pt_expansion_parts parts;
    PT_TRY(pt_ls_train(&parts, &problem, params, rows->type, task, warnings, err));
    return pt_expansion_take(&m->outputs, &parts, err);
}

static pt_status fit_whole(ls *m, const pt_rows *rows, const pt_columns *c, const pt_params *params,
                           const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    if (c->groups > c->ell)
        return fit_columns(m, rows, c, params, task, warnings, err);
    const pt_ls_problem problem = {rows, c->group_of, c->groups, c->weight, NULL};
    pt_expansion_parts parts;
    pt_status status = PT_OK;
    PT_TRY(pt_ls_train(&parts, &problem, params, rows->type, task, warnings, err));
    if (keeps_groups(c, true)) {
        status = copy_signs(m, c, err);
    } else {
        double *f = pt_alloc(c->ell, (size_t)parts.n_coef * sizeof *f, "coefficients", err);
        for (int64_t s = 0; f && s < c->ell; s++)
            combine(c, s, NULL, c->groups, parts.coef, parts.n_coef, f + s * parts.n_coef);
        pt_free(parts.coef);
        parts.coef = f;
        parts.m = c->ell;
        status = f ? PT_OK : PT_ENOMEM;
    }
    if (status == PT_OK)
        return pt_expansion_take(&m->outputs, &parts, err);
    pt_free(parts.coef);
    return status;
}

/* ---- zeros: set after set -------------------------------------------------------------------- */

/* The rows by group; those of a precomputed kernel with their columns. Zero-initialise;
 * free it always. */
typedef struct by_group {
    pt_ls_ordered sorted;
    int64_t *first;
    pt_kernel kernel;
    bool square;
} by_group;

static void by_group_free(by_group *b)
{
    pt_ls_ordered_free(&b->sorted);
    pt_free(b->first);
}

static pt_status by_group_init(by_group *b, const pt_rows *rows, const pt_columns *c,
                               const pt_params *params, const pt_task *task, pt_error *err)
{
    const pt_ls_problem problem = {rows, c->group_of, c->groups, c->weight, NULL};
    PT_TRY(pt_ls_kernel(&b->kernel, rows, params, err));
    PT_TRY(pt_ls_group_starts(&b->first, c, err));
    PT_TRY(pt_ls_ordered_init(&b->sorted, &problem, c->group_of, c->groups, task, err));
    b->square = pt_kernel_is_row(&b->kernel);
    return b->square ? pt_rows_take_columns(&b->sorted.rows, b->sorted.order, rows->n, task, err)
                     : PT_OK;
}

/* Where the coefficients of the sets go. */
typedef struct keeper {
    const pt_columns *columns;
    const pt_ls_sets *sets;
    const by_group *rows;
    bool linear;
    double *coef;             /* n x ell, of linear kernels d x ell; column-major */
    pt_pair_expansion *pairs; /* or here, where the kernel is not linear */
    const pt_task *task;
} keeper;

static void keeper_free(keeper *k)
{
    pt_free(k->coef);
}

/* The one vector that a linear machine is: d numbers. */
static pt_status keep_vector(const keeper *k, const pt_ls_solved *solved, int64_t s, double *f,
                             pt_error *err)
{
    const int64_t d = solved->rows->d;
    PT_SCRATCH double *v = NULL;
    if (!solved->parts.linear)
        PT_TRY(pt_expansion_collapse(&v, solved->rows, f, NULL, 1, k->task, err));
    memcpy(k->coef + s * d, v ? v : f, (size_t)d * sizeof *f);
    return PT_OK;
}

/* The coefficients of both groups' rows to where they belong. */
static void keep_pair(const keeper *k, const pt_ls_solved *solved, const double *f)
{
    const int64_t *first = k->rows->first;
    const int64_t p = solved->group[0];
    const int64_t q = solved->group[1];
    const int64_t n_p = first[p + 1] - first[p];
    const int64_t n_q = first[q + 1] - first[q];
    double *coef = k->pairs->coef;
    const int64_t width = k->pairs->k - 1;
    memcpy(coef + first[p] * width + pt_pair_column_of(p, q) * n_p, f, (size_t)n_p * sizeof *f);
    memcpy(coef + first[q] * width + pt_pair_column_of(q, p) * n_q, f + n_p,
           (size_t)n_q * sizeof *f);
}

/* Coefficients of rows, in the order in which the rows came. */
static void keep_rows(const keeper *k, const pt_ls_solved *solved, int64_t s, const double *f)
{
    double *coef = k->coef + s * k->columns->n;
    for (int64_t i = 0; i < solved->rows->n; i++)
        coef[k->rows->sorted.order[solved->place[i]]] = f[i];
}

static pt_status keep_set(void *context, const pt_ls_solved *solved, pt_error *err)
{
    const keeper *k = context;
    const pt_expansion_parts *parts = &solved->parts;
    const bool pairs = k->columns->pairs;
    PT_SCRATCH double *f = NULL;
    PT_TRY(PT_NEW(f, parts->n_coef, "coefficients", err));
    /* of all pairs each set is one column */
    const int64_t end = pairs ? solved->set + 1 : k->columns->ell;
    for (int64_t s = pairs ? solved->set : 0; s < end; s++) {
        if (!pairs && k->sets->set_of[s] != solved->set)
            continue;
        combine(k->columns, s, solved->group, solved->n_groups, parts->coef, parts->n_coef, f);
        if (k->linear)
            PT_TRY(keep_vector(k, solved, s, f, err));
        else if (pairs)
            keep_pair(k, solved, f);
        else
            keep_rows(k, solved, s, f);
    }
    return PT_OK;
}

static pt_status train_sets(keeper *k, int64_t cells, const pt_params *params, const pt_task *task,
                            pt_warnings *warnings, pt_error *err)
{
    double **coef = k->pairs && !k->linear ? &k->pairs->coef : &k->coef;
    *coef = pt_alloc_zero(cells, sizeof(double), "coefficients", err);
    return *coef ? pt_ls_sets_train(k->sets, &k->rows->sorted, k->rows->first, k->rows->square,
                                    params, keep_set, k, task, warnings, err)
                 : PT_ENOMEM;
}

/* An expansion of the outputs f; takes the coefficients. */
static pt_status take_outputs(pt_expansion *e, keeper *k, const pt_rows *rows, const pt_task *task,
                              pt_error *err)
{
    const pt_expansion_parts parts = {.kernel = k->rows->kernel,
                                      .type = rows->type,
                                      .m = k->columns->ell,
                                      .n_coef = k->linear ? rows->d : rows->n,
                                      .linear = k->linear || k->rows->square,
                                      .coef = k->coef,
                                      .rows = rows,
                                      .task = task};
    k->coef = NULL;
    return pt_expansion_take(e, &parts, err);
}

static pt_status finish_pairs(keeper *k, by_group *sorted, const pt_rows *rows, const pt_task *task,
                              pt_error *err)
{
    pt_pair_expansion *e = k->pairs;
    if (k->linear)
        return take_outputs(&e->pairs, k, rows, task, err);
    e->first = sorted->first;
    sorted->first = NULL;
    if (sorted->square) {
        e->order = sorted->sorted.order;
        sorted->sorted.order = NULL;
    } else {
        e->rows = sorted->sorted.rows;
        sorted->sorted.rows = (pt_rows_owned){0};
    }
    return pt_pair_expansion_finish(e, &sorted->kernel, rows->type, task, err);
}

pt_status pt_ls_fit_pairs(pt_pair_expansion *pairs, const pt_rows *rows, const pt_columns *columns,
                          const pt_params *params, const pt_task *task, pt_warnings *warnings,
                          pt_error *err)
{
    PT_FREED_BY(pt_ls_sets_free) pt_ls_sets sets = {0};
    PT_FREED_BY(by_group_free) by_group sorted = {0};
    PT_TRY(by_group_init(&sorted, rows, columns, params, task, err));
    PT_TRY(pt_ls_sets_init(&sets, columns, err));
    PT_FREED_BY(keeper_free)
    keeper k = {.columns = columns,
                .sets = &sets,
                .rows = &sorted,
                .linear = sorted.kernel.ops->linear,
                .pairs = pairs,
                .task = task};
    pairs->k = columns->groups;
    pairs->ell = columns->ell;
    pairs->linear = k.linear;
    const int64_t cells = k.linear ? rows->d * columns->ell : rows->n * (columns->groups - 1);
    PT_TRY(train_sets(&k, cells, params, task, warnings, err));
    return finish_pairs(&k, &sorted, rows, task, err);
}

static pt_status fit_sets(ls *m, const pt_ls_sets *sets, const pt_rows *rows,
                          const pt_params *params, const pt_task *task, pt_warnings *warnings,
                          pt_error *err)
{
    PT_FREED_BY(by_group_free) by_group sorted = {0};
    PT_TRY(by_group_init(&sorted, rows, sets->columns, params, task, err));
    PT_FREED_BY(keeper_free)
    keeper k = {.columns = sets->columns,
                .sets = sets,
                .rows = &sorted,
                .linear = sorted.kernel.ops->linear,
                .task = task};
    PT_TRY(train_sets(&k, (k.linear ? rows->d : rows->n) * m->ell, params, task, warnings, err));
    return take_outputs(&m->outputs, &k, rows, task, err);
}

/* ---- training -------------------------------------------------------------------------------- */

static pt_status ls_plan(const pt_rows *rows, const pt_columns *columns, const pt_params *params,
                         const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)task;
    PT_FREED_BY(pt_ls_sets_free) pt_ls_sets sets = {0};
    PT_TRY(pt_ls_sets_init(&sets, columns, err));
    const bool whole = pt_ls_sets_is_whole(&sets);
    const double n = (double)rows->n;
    if (whole && !columns->pairs)
        PT_TRY(pt_ls_plan(rows, params, pt_lesser(columns->groups, columns->ell), plan, err));
    else
        PT_TRY(pt_ls_sets_plan(&sets, rows, params, plan, err));
    if (columns->pairs)
        plan->bytes += 8 * n * (double)columns->groups;
    else if (!keeps_groups(columns, whole))
        plan->bytes += 8 * n * (double)columns->ell;
    return PT_OK;
}

static pt_status ls_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                        const pt_params *params, const pt_task *task, pt_warnings *warnings,
                        pt_error *err)
{
    ls *m = (ls *)learner;
    set_columns(m, columns);
    PT_FREED_BY(pt_ls_sets_free) pt_ls_sets sets = {0};
    PT_TRY(pt_ls_sets_init(&sets, columns, err));
    if (columns->pairs)
        return pt_ls_fit_pairs(&m->of_pairs, rows, columns, params, task, warnings, err);
    return pt_ls_sets_is_whole(&sets) ? fit_whole(m, rows, columns, params, task, warnings, err)
                                      : fit_sets(m, &sets, rows, params, task, warnings, err);
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* f (ell) <- M^T g */
static void outputs_of_groups(const ls *m, const double *g, double *f)
{
    memset(f, 0, (size_t)m->ell * sizeof *f);
    for (int64_t r = 0; r < m->groups; r++)
        for (int64_t s = 0; s < m->ell; s++)
            f[s] += (double)m->signs[r * m->ell + s] * g[r];
}

static pt_status ls_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                            const pt_task *task, pt_error *err)
{
    const ls *m = (const ls *)learner;
    if (m->pairs)
        return pt_pair_expansion_outputs(&m->of_pairs, rows, outputs, task, err);
    if (!m->signs)
        return pt_expansion_outputs(&m->outputs, rows, outputs, task, err);
    PT_SCRATCH double *g = pt_alloc(rows->n * m->groups, sizeof *g, "outputs", err);
    if (!g)
        return PT_ENOMEM;
    PT_TRY(pt_expansion_outputs(&m->outputs, rows, g, task, err));
    for (int64_t i = 0; i < rows->n; i++)
        outputs_of_groups(m, g + i * m->groups, outputs + i * m->ell);
    return PT_OK;
}

/* ---- the file, the table entry --------------------------------------------------------------- */

static pt_status ls_save(const pt_learner *learner, pt_pack *pack, pt_error *err)
{
    (void)err;
    const ls *m = (const ls *)learner;
    if (m->pairs)
        pt_pair_expansion_save(&m->of_pairs, pack);
    else
        pt_expansion_save(&m->outputs, pack);
    return PT_OK;
}

/* Whether the code has no zeros; the columns come from a file. */
static bool has_no_zeros(const pt_columns *columns)
{
    for (int64_t i = 0; !columns->pairs && i < columns->groups * columns->ell; i++)
        if (columns->sign[i] == 0)
            return false;
    return !columns->pairs;
}

static pt_status ls_load(pt_learner *learner, const pt_pack *pack, int64_t n_inputs,
                         const pt_columns *columns, const pt_params *params, int64_t *used,
                         const pt_task *task, pt_error *err)
{
    ls *m = (ls *)learner;
    set_columns(m, columns);
    if (m->pairs)
        return pt_pair_expansion_load(&m->of_pairs, pack, n_inputs, m->groups, params, used, task,
                                      err);
    const bool kept_groups = keeps_groups(columns, has_no_zeros(columns));
    if (kept_groups)
        PT_TRY(copy_signs(m, columns, err));
    return pt_expansion_load(&m->outputs, pack, n_inputs, kept_groups ? m->groups : m->ell, params,
                             used, task, err);
}

const pt_learner_ops pt_learner_ls = {
    .name = "ls",
    .summary = "regularised least squares with kernels, in closed form: square loss",
    .parameters = "ridge,class-weight,precision,kernel",
    .loss = &pt_loss_square,
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_KERNELS,
    .size = sizeof(ls),
    .plan = ls_plan,
    .fit = ls_fit,
    .outputs = ls_outputs,
    .free = ls_free,
    .save = ls_save,
    .load = ls_load,
};
