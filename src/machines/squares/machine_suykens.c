/* suykens: the multiclass least-squares SVM of Suykens and Vandewalle (1999), a comparator of HNR.
 *
 * For a code with entries +-1 and ell columns, y_s the n targets of column s, they print one system
 * of order ell n + ell,
 *
 *     [ 0     Y_b^T ] [ b     ]   [ 0 ]     Y_b = blockdiag(y_1, ..., y_ell)
 *     [ Y_b   H     ] [ alpha ] = [ 1 ] ,   H = blockdiag(D_s K D_s + ridge I), D_s = diag(y_s),
 *
 *     f_s(x) = sum_i alpha_si y_si kappa(x_i, x) + b_s .
 *
 * It decouples. A block times D_s on the left, with a_s = D_s alpha_s (D_s^2 = I), reads
 *
 *     (K + ridge I) a_s + 1 b_s = y_s ,   1 . a_s = 0 ,
 *
 * one matrix for every column. With C = (K + ridge W^-1)^-1, and all columns together,
 *
 *     b = Y^T C 1 / (1^T C 1) ,   A = C (Y - 1 b^T) .
 *
 * This is linear in Y, so it is solved once with the indicators, Y = E, and the labelbook maps the
 * outputs as it does for oneLSM; nor does it need Y to be +-1 any more. C 1 is the sum of the
 * columns of C E: there is no other right-hand side.
 *
 *   A   n x k   column-major, double: C E, then C (E - 1 b^T)
 *   u   n       C 1
 *   b   k       bias
 *
 * Linear kernel with d < n. The bias is free, so that it removes the means: with m = X^T W 1, s the
 * sum and t the sums by class of the weights,
 *
 *     (X^T W X - m m^T / s + ridge I) V = X^T W E - m t^T / s ,   b = (t - V^T m) / s .
 *
 * Time n^3/3 + O(n^2 (d + k)), as oneLSM; held-out scores in closed form (ls_holdout.c). */
#include "machine/machine.h"

#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "linalg/linalg.h"
#include "machines/squares/vector_machine.h"
#include "store/pack.h"
#include "validate/auto.h"
#include "validate/squares/ls_machine.h"

static pt_status suykens_plan(const pt_problem *problem, const pt_params *params,
                              const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)task;
    return pt_ls_plan(&problem->rows, params, pt_labels_n_classes(problem->labels) + 1, plan, err);
}

/* ---- dual ------------------------------------------------------------------------------------ */

/* A: C E on entry, C (E - 1 b^T) on exit. */
static pt_status add_bias(int64_t n, int64_t k, double *A, double *u, double *b, pt_error *err)
{
    memset(u, 0, (size_t)n * sizeof *u);
    for (int64_t r = 0; r < k; r++)
        pt_la_axpy(PT_F64, n, 1, A + r * n, u); /* u <- C 1 */
    double all = 0;                             /* 1^T C 1 */
    for (int64_t i = 0; i < n; i++)
        all += u[i];
    if (!(all > 0))
        return pt_fail(err, PT_ENUMERIC,
                       "the bias is not determined: the kernel matrix is too close to singular; "
                       "raise `ridge`");
    for (int64_t r = 0; r < k; r++) {
        double sum = 0; /* (E^T C 1)_r */
        for (int64_t i = 0; i < n; i++)
            sum += A[r * n + i];
        b[r] = sum / all;
        pt_la_axpy(PT_F64, n, -b[r], u, A + r * n);
    }
    return PT_OK;
}

static pt_status solve_dual(pt_expansion_parts *parts, const pt_problem *problem,
                            const pt_params *params, double *b, const pt_task *task,
                            pt_warnings *warnings, pt_error *err)
{
    const pt_ls_problem ls = pt_ls_problem_of(problem);
    const int64_t n = problem->rows.n;
    PT_SCRATCH double *u = pt_alloc(n, sizeof *u, "work space", err);
    if (!u)
        return PT_ENOMEM;
    PT_TRY(pt_ls_train(parts, &ls, params, problem->rows.type, task, warnings, err));
    return add_bias(n, ls.k, parts->coef, u, b, err);
}

/* ---- primal ---------------------------------------------------------------------------------- */

/* G <- G - m m^T / s, lower tiles. */
static void remove_mean(pt_tiles *G, const double *m, double s)
{
    for (int64_t t = 0; t < pt_tiles_count(G); t++) {
        int64_t I = 0;
        int64_t J = 0;
        pt_tiles_place(G, t, &I, &J);
        double *tile = pt_tile_at(G, I, J);
        const double *rows = m + I * G->nb;
        const double *columns = m + J * G->nb;
        for (int64_t j = 0; j < pt_tile_rows(G, J); j++)
            for (int64_t i = I == J ? j : 0; i < pt_tile_rows(G, I); i++)
                tile[j * G->nb + i] -= rows[i] * columns[j] / s;
    }
}

/* V <- X^T W E - m t^T / s and m <- X^T W 1, from X^T W E in V; returns s. b holds t. */
static double centre_moments(const pt_ls_problem *ls, double *V, double *m, const double *t)
{
    const int64_t d = ls->rows->d;
    double s = 0;
    memset(m, 0, (size_t)d * sizeof *m);
    for (int64_t r = 0; r < ls->k; r++) {
        pt_la_axpy(PT_F64, d, 1, V + r * d, m);
        s += t[r];
    }
    for (int64_t r = 0; r < ls->k; r++)
        pt_la_axpy(PT_F64, d, -t[r] / s, m, V + r * d);
    return s;
}

static pt_status solve_primal(double *V, double *b, const pt_problem *problem, double ridge,
                              const pt_task *task, pt_error *err)
{
    const pt_ls_problem ls = pt_ls_problem_of(problem);
    const int64_t d = problem->rows.d;
    PT_FREED_BY(pt_tiles_free_at) pt_tiles *G = NULL;
    PT_SCRATCH double *m = NULL;
    PT_TRY(PT_NEW(m, d, "work space", err));
    PT_TRY(pt_ls_primal_gram(&G, &ls, task, err));
    pt_class_sizes(problem, NULL, 0, b); /* t */
    PT_TRY(pt_ls_moments(&ls, 0, ls.rows->n, V, task, err));
    const double s = centre_moments(&ls, V, m, b);
    remove_mean(G, m, s);
    PT_TRY(pt_ls_primal_factor(G, ridge, task, err));
    PT_TRY(pt_la_cholesky_solve(G, V, ls.k, d, task, err));
    for (int64_t r = 0; r < ls.k; r++) {
        for (int64_t j = 0; j < d; j++)
            b[r] -= V[r * d + j] * m[j];
        b[r] /= s;
    }
    return PT_OK;
}

/* ---- training -------------------------------------------------------------------------------- */

/* Coefficients and bias are the caller's to free, also on failure. */
static pt_status solve(pt_expansion_parts *parts, const pt_problem *problem,
                       const pt_params *params, const pt_task *task, pt_warnings *warnings,
                       pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    const int64_t d = problem->rows.d;
    pt_kernel kernel;
    PT_SCRATCH double *b = NULL;
    PT_TRY(pt_ls_kernel(&kernel, &problem->rows, params, err));
    PT_TRY(PT_NEW(b, k, "a bias", err));
    if (pt_ls_is_primal(&kernel, &problem->rows)) {
        *parts = (pt_expansion_parts){
            .kernel = kernel, .type = problem->rows.type, .m = k, .n_coef = d, .linear = true};
        parts->coef = pt_alloc(k, (size_t)d * sizeof *parts->coef, "coefficients", err);
        if (!parts->coef)
            return PT_ENOMEM;
        PT_TRY(
            solve_primal(parts->coef, b, problem, pt_params_real(params, PT_P_RIDGE), task, err));
    } else {
        PT_TRY(solve_dual(parts, problem, params, b, task, warnings, err));
    }
    parts->bias = pt_keep(&b);
    return PT_OK;
}

static pt_status suykens_fit(pt_machine *machine, const pt_problem *problem,
                             const pt_params *params, const pt_task *task, pt_warnings *warnings,
                             pt_error *err)
{
    pt_vector_machine *m = (pt_vector_machine *)machine;
    pt_expansion_parts parts = {0};
    PT_TRY(pt_vector_machine_init(m, problem, params, false, err));
    const pt_status status = solve(&parts, problem, params, task, warnings, err);
    if (status == PT_OK)
        return pt_expansion_take(&m->expansion, &parts, err);
    pt_free(parts.coef);
    pt_free(parts.bias);
    return status;
}

/* ---- held-out scores ------------------------------------------------------------------------- */

/* In closed form through the dual; a linear kernel's primal is cheaper to train again. */
static bool suykens_holdout_exact(const pt_problem *problem, const pt_params *point)
{
    const pt_kernel kernel = {.ops = pt_kernel_named(point, !problem->rows.dense)};
    return !kernel.ops || !pt_ls_is_primal(&kernel, &problem->rows);
}

static pt_status suykens_holdout(const pt_problem *problem, const pt_params *const *points,
                                 int64_t n_points, const pt_partitions *partitions,
                                 pt_holdout_fn take, void *context, const pt_task *task,
                                 pt_error *err)
{
    const pt_ls_problem ls = pt_ls_problem_of(problem);
    pt_decoding decoding = {problem, points, partitions, take, context};
    PT_SCRATCH pt_ls_point *ls_points = NULL;
    PT_TRY(pt_ls_points(&ls_points, problem, points, n_points, err));
    for (int64_t i = 0; i < n_points; i++)
        ls_points[i].bias = true;
    return pt_ls_holdout(&ls, ls_points, n_points, problem->rows.type, partitions,
                         pt_decode_holdout, &decoding, task, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

static pt_status suykens_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                              int64_t n_classes, const pt_params *params, int64_t *used,
                              const pt_task *task, pt_error *err)
{
    if (!pt_pack_find(pack, "bias"))
        return pt_fail(err, PT_EFORMAT, "the model lacks its bias");
    return pt_vector_machine_load(machine, pack, n_inputs, n_classes, params, used, task, err);
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_suykens = {
    .name = "suykens",
    .summary = "least-squares SVM with a bias for each output, one matrix (HNR's comparator)",
    .parameters = "ridge,labelbook,label-kernel,label-sigma,label-degree,label-coef0,decode,"
                  "class-weight,precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT,
    .takes = pt_vector_machine_takes,
    .size = sizeof(pt_vector_machine),
    .plan = suykens_plan,
    .fit = suykens_fit,
    .scores = pt_vector_machine_scores,
    .free = pt_vector_machine_free,
    .parts = pt_vector_machine_parts,
    .save = pt_vector_machine_save,
    .load = suykens_load,
    .resolve = pt_auto_as_onelsm,
    .guide = pt_ls_guide,
    .holdout = suykens_holdout,
    .holdout_exact = suykens_holdout_exact,
};
