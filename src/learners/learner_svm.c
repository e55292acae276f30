/* The support vector machine with kernels, for all columns of a code at once.
 *
 *     min  1/2 ||w||^2 + sum_i C weight_i (1 - y_i f(x_i))_+ ,   f(x) = w.phi(x) + b
 *
 * Trained by svm_pairs.c for all pairs of classes, else by svm_columns.c. */
#include "learners/learner.h"

#include <math.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "learners/svm_training.h"

typedef struct svm {
    pt_learner base;
    bool pairs;
    pt_pair_expansion of_pairs;
    pt_expansion outputs; /* of other codes */
    int64_t n_support;
} svm;

static void svm_free(pt_learner *learner)
{
    svm *m = (svm *)learner;
    pt_pair_expansion_free(&m->of_pairs);
    pt_expansion_free(&m->outputs);
}

/* ---- training -------------------------------------------------------------------------------- */

static pt_status svm_plan(const pt_rows *rows, const pt_columns *columns, const pt_params *params,
                          const pt_task *task, pt_plan *plan, pt_error *err)
{
    const pt_kernel_ops *kernel = pt_kernel_named(params, rows->dense == NULL);
    if (columns->pairs && kernel)
        return pt_svm_pairs_plan(rows, columns, kernel, task, plan, err);
    pt_svm_columns_plan(rows, columns, kernel, task, plan);
    return PT_OK;
}

double pt_svm_carry(const pt_svm_training *t, int64_t i, double coef)
{
    static const double AT = 1 - 1e-9; /* of the bound: it is there */
    return t->C_ratio * fabs(coef) >= AT * pt_svm_bound(t, i) ? t->C_ratio * coef : coef;
}

void pt_svm_make_feasible(const pt_svm_training *t, int64_t n, const int8_t *y, const double *bound,
                          double *a)
{
    double side[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        a[i] = fmin(fmax(a[i], 0), bound[i]);
        side[y[i] > 0] += a[i];
    }
    const int heavier = side[1] > side[0];
    const double share = side[heavier] > 0 ? side[!heavier] / side[heavier] : 1;
    for (int64_t i = 0; i < n && t->bias && share < 1; i++)
        a[i] *= (y[i] > 0) == heavier ? share : 1;
}

/* The other's coefficients, for which bounds were C_before times the weights. */
static pt_status take_start(pt_svm_training *t, const svm *m, const pt_started_learner *start,
                            pt_error *err)
{
    const svm *from = (const svm *)start->learner;
    if (from->pairs != m->pairs)
        return pt_fail(err, PT_EINVAL, "`code`: that of `start` has other columns");
    t->C_ratio = t->C / pt_params_real(start->params, PT_P_C);
    if (m->pairs)
        t->start_pairs = &from->of_pairs;
    else
        t->start_columns = &from->outputs;
    return PT_OK;
}

static pt_status svm_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                         const pt_params *params, const pt_task *task, pt_warnings *warnings,
                         pt_error *err)
{
    svm *m = (svm *)learner;
    pt_svm_training t = {.rows = rows,
                         .columns = columns,
                         .task = task,
                         .C = pt_params_real(params, PT_P_C),
                         .eps = pt_params_real(params, PT_P_EPS),
                         .bias = pt_params_flag(params, PT_P_BIAS)};
    pt_svm_outcome outcome = {0};
    m->pairs = columns->pairs;
    PT_TRY(pt_kernel_from_params(&t.kernel, params, err));
    if (columns->start)
        PT_TRY(take_start(&t, m, columns->start, err));
    PT_TRY(m->pairs ? pt_svm_pairs_fit(&t, &m->of_pairs, &outcome, err)
                    : pt_svm_columns_fit(&t, &m->outputs, &outcome, err));
    m->n_support = outcome.n_support;
    if (outcome.unfinished == 0 || pt_task_ended_early(task))
        return PT_OK;
    return pt_warn(warnings, err, PT_KIND_CONVERGENCE,
                   "%lld of %lld columns reached the limit of steps before `eps`",
                   (long long)outcome.unfinished, (long long)columns->ell);
}

/* ---- outputs, the file, the table entry ------------------------------------------------------ */

static pt_status svm_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                             const pt_task *task, pt_error *err)
{
    const svm *m = (const svm *)learner;
    return m->pairs ? pt_pair_expansion_outputs(&m->of_pairs, rows, outputs, task, err)
                    : pt_expansion_outputs(&m->outputs, rows, outputs, task, err);
}

static pt_status svm_save(const pt_learner *learner, pt_pack *pack, pt_error *err)
{
    (void)err;
    const svm *m = (const svm *)learner;
    if (m->pairs)
        pt_pair_expansion_save(&m->of_pairs, pack);
    else
        pt_expansion_save(&m->outputs, pack);
    pt_pack_add_integers(pack, "n_support", 1, &m->n_support);
    return PT_OK;
}

/* A machine that was trained with a bias has one. */
static bool has_bias(const svm *m)
{
    const pt_expansion *whole = m->pairs ? &m->of_pairs.pairs : &m->outputs;
    return whole->bias || (m->pairs && m->of_pairs.bias);
}

static pt_status svm_load(pt_learner *learner, const pt_pack *pack, int64_t n_inputs,
                          const pt_columns *columns, const pt_params *params, int64_t *used,
                          const pt_task *task, pt_error *err)
{
    svm *m = (svm *)learner;
    const pt_array *support = pt_pack_find(pack, "n_support");
    if (!pt_array_is_index(support, INT64_MAX) || support->rows != 1)
        return pt_fail(err, PT_EFORMAT, "the model lacks the number of its support vectors");
    m->pairs = columns->pairs;
    m->n_support = *(const int64_t *)support->value;
    PT_TRY(m->pairs ? pt_pair_expansion_load(&m->of_pairs, pack, n_inputs, columns->groups, params,
                                             used, task, err)
                    : pt_expansion_load(&m->outputs, pack, n_inputs, columns->ell, params, used,
                                        task, err));
    ++*used;
    if (pt_params_flag(params, PT_P_BIAS) && !has_bias(m))
        return pt_fail(err, PT_EFORMAT, "the model lacks the bias of its outputs");
    return PT_OK;
}

static int64_t svm_figures(const pt_learner *learner, pt_figure *figures)
{
    figures[0] = (pt_figure){"support_vectors", ((const svm *)learner)->n_support};
    return 1;
}

const pt_learner_ops pt_learner_svm = {
    .name = "svm",
    .summary = "support vector machine with kernels: hinge loss",
    .parameters = "C,eps,bias,class-weight,precision,kernel",
    .warm = "C,eps,class-weight",
    .check_start = pt_kernel_check_start,
    .loss = &pt_loss_hinge,
    .defaults = "bias=yes",
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_KERNELS | PT_LEARNS_UNTIL_TOLD,
    .size = sizeof(svm),
    .plan = svm_plan,
    .fit = svm_fit,
    .outputs = svm_outputs,
    .free = svm_free,
    .save = svm_save,
    .load = svm_load,
    .figures = svm_figures,
};
