/* Design with the norm 2 (CS sections 5 and 6): SPOC on the outputs as data, which are few columns;
 * without a kernel by M itself (solvers/dual/spoc_linear.c).
 *
 * soft: the problem that SPOC solves, as it is.
 *
 * hard: ||M(C)|| grows with C, so that the C whose norm is A is found by halving intervals of
 * log C. Each solution proves how good it is: M scaled to the norm A is feasible, and with the
 * multiplier 1/C of the bound the dual of the soft form gives
 *
 *     sum_i w_i xi_i >= (D(C) - A^2 / 2) / C .
 *
 * separable: M(C) divided by t = min_ir (f_iy - f_ir) / b_ir is feasible once t > 0, and D(C) is a
 * lower bound whatever C is, for it leaves out solutions of the dual only. C grows until both meet.
 * Where t <= 0 at the largest C, with which errors cost MOST_C times what the largest margin is
 * worth, the classes are taken for not separable.
 *
 *   eta     m rows, sparse   C_i 1_{y_i} - tau_i (solvers/dual/spoc.h)
 *   scores  m x k            M_r . h_i of the last solution */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "codes/design/design_solvers.h"
#include "solvers/dual/spoc.h"

enum {
    LEAST_ROWS = 256, /* kernel rows that there must be room for */
    MOST_TRIES = 80   /* solutions of the hard and separable forms */
};
static const double MOST_C = 1e9; /* times the curvature k(h, h) */
static const double STEP_C = 8;
static const double ROUNDING = 1e-12; /* of margins, which shall not fall below b by it */
static const double OWN_SHARE = 0.1;  /* of the gap that is asked for: for each soft form */
/* A gap leaves ||M|| open by about its root. Intervals of C that are as narrow are not halved
 * further: the soft form is solved to a smaller gap, and the interval is found anew. */
static const double SHARPER = 0.01;

struct pt_l2_path {
    const pt_design_data *data;
    const pt_design_how *how;
    pt_kernel kernel;
    pt_rows rows;
    pt_spoc spoc;
    pt_linear_rows linear; /* without a kernel */
    double *M;             /* likewise: ell x k, what the solver makes of eta */
    pt_sparse_rows eta;
    pt_arena arena; /* of the three below */
    double *bound;
    double *scores;
    double *tau;  /* k */
    double curve; /* mean k(h_i, h_i) by weight; 1 where that is 0 */
};

void pt_l2_path_close(pt_l2_path *path)
{
    if (!path)
        return;
    pt_kernel_store_close(path->spoc.store);
    pt_sparse_rows_free(&path->eta);
    pt_linear_rows_free(&path->linear);
    pt_free(path->M);
    pt_arena_free(&path->arena);
    pt_free(path);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Few examples have all kernel values in memory, whatever C is; of many, SPOC holds what it needs.
 */
static pt_status give_kernel(pt_l2_path *p, const pt_task *task, pt_error *err)
{
    const double m = (double)p->data->m;
    /* the solver; and of those who ask: outputs, a copy of them where C is chosen, and scores */
    const double own = m * 8 * (double)(4 * p->data->k + 2 * p->data->ell + 40) +
                       pt_spoc_bytes(p->data->m, p->data->k);
    const double least = LEAST_ROWS * m * (double)sizeof(double);
    const double left = fmax(((double)pt_task_memory(task) - own) / 2, least); /* columns: half */
    const double whole = pt_kernel_store_bytes(p->data->m, PT_F64);
    const double held = whole <= left ? whole : left / 2;
    p->spoc.rows = &p->rows;
    p->spoc.bytes = left;
    if (p->data->m > PT_SPOC_ALL)
        return PT_OK;
    p->spoc.bytes = left - held;
    return pt_kernel_store_open(&p->spoc.store, &p->rows, &p->kernel, NULL, held, task, err);
}

/* The mean of k(h_i, h_i). */
static double mean_curve(const pt_l2_path *p)
{
    const pt_design_data *d = p->data;
    double sum = 0;
    if (p->kernel.ops->base != PT_BASE_DOT)
        return 1;
    for (int64_t i = 0; i < d->m; i++) {
        double value = 0;
        for (int64_t t = 0; t < d->ell; t++)
            value += d->H[i * d->ell + t] * d->H[i * d->ell + t];
        pt_kernel_map(&p->kernel, PT_F64, 1, 1, &value, 1);
        sum += value;
    }
    return sum > 0 && isfinite(sum) ? sum / (double)d->m : 1;
}

static pt_status path_init(pt_l2_path *p, const pt_task *task, pt_error *err)
{
    const pt_design_data *d = p->data;
    p->kernel = p->how->kernel;
    if (!p->kernel.ops)
        p->kernel.ops = pt_kernel_find("linear");
    p->rows = (pt_rows){.n = d->m, .d = d->ell, .type = PT_F64, .dense = d->H, .stride = d->ell};
    PT_TRY(PT_ARENA(&p->arena, "a code design", err, PT_PIECE(p->bound, d->m),
                    PT_PIECE(p->scores, d->m * d->k), PT_PIECE(p->tau, d->k)));
    p->curve = mean_curve(p);
    p->spoc =
        (pt_spoc){.kernel = &p->kernel,
                  .n = d->m,
                  .k = d->k,
                  .class_of = d->class_of,
                  .bound = p->bound,
                  .costs = d->costs,
                  .example_costs = d->margin,
                  .gap = p->how->form == PT_DESIGN_SOFT ? p->how->gap : OWN_SHARE * p->how->gap};
    PT_TRY(pt_sparse_rows_init(&p->eta, d->m, task, err));
    if (!p->kernel.ops->linear)
        return give_kernel(p, task, err);
    PT_TRY(PT_NEW(p->M, d->ell * d->k, "a code", err));
    return pt_linear_rows_init(&p->linear, &p->rows, false, task, err);
}

pt_status pt_l2_path_open(pt_l2_path **out, const pt_design_data *data, const pt_design_how *how,
                          const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_l2_path_close_at) pt_l2_path *p = NULL;
    PT_TRY(PT_NEW_ZERO(p, 1, "a design", err));
    p->data = data;
    p->how = how;
    PT_TRY(path_init(p, task, err));
    *out = pt_keep(&p);
    return PT_OK;
}

/* ---- a solution ------------------------------------------------------------------------------ */

/* M_r = sum_i tau_ir h_i */
static pt_status take_rows(pt_l2_path *p, double scale, pt_designed *out, pt_error *err)
{
    const pt_design_data *d = p->data;
    double *M = NULL;
    PT_TRY(PT_NEW_ZERO(M, d->k * d->ell, "a code", err));
    for (int64_t i = 0; i < d->m; i++) {
        pt_spoc_tau(&p->spoc, &p->eta, i, p->tau);
        for (int64_t r = 0; r < d->k; r++)
            if (p->tau[r] != 0)
                for (int64_t t = 0; t < d->ell; t++)
                    M[r * d->ell + t] += scale * p->tau[r] * d->H[i * d->ell + t];
    }
    return pt_designed_from_rows(out, d->k, d->ell, M, err);
}

/* One pattern at least, for a code that says nothing. */
static pt_status take_patterns(pt_l2_path *p, double scale, pt_designed *out, const pt_task *task,
                               pt_error *err)
{
    const pt_design_data *d = p->data;
    int64_t count = 0;
    double *coef = NULL;
    PT_SCRATCH int64_t *chosen = NULL;
    PT_TRY(PT_NEW(chosen, d->m, "support patterns", err));
    for (int64_t i = 0; i < d->m; i++)
        if (pt_spoc_is_support(&p->eta, i, d->class_of[i]))
            chosen[count++] = i;
    if (count == 0)
        chosen[count++] = 0;
    PT_TRY(PT_NEW(coef, count * d->k, "support patterns", err));
    for (int64_t a = 0; a < count; a++) {
        pt_spoc_tau(&p->spoc, &p->eta, chosen[a], p->tau);
        for (int64_t r = 0; r < d->k; r++)
            coef[r * count + a] = scale * p->tau[r];
    }
    return pt_designed_from_patterns(out, &p->kernel, d->k, d->ell, d->H, d->m, chosen, count, coef,
                                     task, err);
}

static pt_status take_code(pt_l2_path *p, double scale, pt_designed *out, const pt_task *task,
                           pt_error *err)
{
    return p->kernel.ops->linear ? take_rows(p, scale, out, err)
                                 : take_patterns(p, scale, out, task, err);
}

/* ||M||^2 = sum_i tau_i . f_i */
static double square_norm(pt_l2_path *p)
{
    const int64_t k = p->data->k;
    double sum = 0;
    for (int64_t i = 0; i < p->data->m; i++) {
        pt_spoc_tau(&p->spoc, &p->eta, i, p->tau);
        for (int64_t r = 0; r < k; r++)
            sum += p->tau[r] * p->scores[i * k + r];
    }
    return fmax(sum, 0);
}

/* eta <- that of the bounds, from where it is. */
static pt_status solve_soft(pt_l2_path *p, pt_spoc_result *result, const pt_task *task,
                            pt_error *err)
{
    static const char stage[] = "designing";
    const uint64_t seed = 1; /* the solution does not depend on the order of visits */
    return p->kernel.ops->linear ? pt_spoc_linear_solve(&p->spoc, &p->linear, seed, &p->eta, p->M,
                                                        result, stage, task, err)
                                 : pt_spoc_solve(&p->spoc, &p->eta, result, stage, task, err);
}

static pt_status solve_at(pt_l2_path *p, double C, pt_designed *out, pt_design_result *result,
                          const pt_task *task, pt_error *err)
{
    pt_spoc_result spoc = {0};
    for (int64_t i = 0; i < p->data->m; i++)
        p->bound[i] = C * pt_weight(p->data->weight, i);
    PT_TRY(solve_soft(p, &spoc, task, err));
    PT_TRY(take_code(p, 1, out, task, err));
    PT_TRY(pt_designed_scores(out, p->data->m, p->data->H, p->scores, task, err));
    const double square = square_norm(p);
    result->norm = sqrt(square);
    result->slack = pt_design_slack(p->data, p->scores, 1);
    result->dual = spoc.value;
    result->primal = 0.5 * square + C * result->slack;
    result->steps += spoc.steps;
    result->converged = spoc.converged;
    return PT_OK;
}

/* min_ir (f_iy - f_ir) / b_ir; at most 0 where a class that costs nothing is ahead. */
static double least_margin(const pt_l2_path *p)
{
    const pt_design_data *d = p->data;
    double least = INFINITY;
    for (int64_t i = 0; i < d->m; i++) {
        const double *f = p->scores + i * d->k;
        for (int64_t r = 0; r < d->k; r++) {
            const double b = pt_design_margin(d, i, r);
            const double ahead = f[d->class_of[i]] - f[r];
            if (b > 0)
                least = fmin(least, ahead / b);
            else if (ahead < 0)
                least = fmin(least, ahead);
        }
    }
    return isinf(least) ? 0 : least;
}

/* For a large C slack that is but rounding costs much; scaled until there is none, the code is the
 * better one, and the solver's gap is then its own (solvers/dual/spoc.c). */
static pt_status leave_no_slack(pt_l2_path *p, double C, pt_designed *out, pt_design_result *result,
                                const pt_task *task, pt_error *err)
{
    const double margin = least_margin(p);
    const double scale = margin > 0 ? (1 + ROUNDING) / margin : 1;
    const double norm = scale * result->norm;
    const double slack = pt_design_slack(p->data, p->scores, scale);
    const double primal = 0.5 * norm * norm + C * slack;
    if (!(primal < result->primal))
        return PT_OK;
    result->norm = norm;
    result->slack = slack;
    result->primal = primal;
    pt_designed_free(out);
    return take_code(p, scale, out, task, err);
}

pt_status pt_l2_path_solve(pt_l2_path *p, double C, pt_designed *out, pt_design_result *result,
                           const pt_task *task, pt_error *err)
{
    PT_TRY(solve_at(p, C, out, result, task, err));
    return leave_no_slack(p, C, out, result, task, err);
}

/* ---- hard ------------------------------------------------------------------------------------ */

/* What is known of the solution: the best code so far, and the best bound. */
typedef struct best_code {
    pt_designed code;
    pt_design_result result;
} best_code;

static void best_free(best_code *best)
{
    pt_designed_free(&best->code);
}

/* *out <- the code times `scale`; the one that was there is freed. */
static pt_status keep(pt_l2_path *p, double scale, best_code *best, const pt_task *task,
                      pt_error *err)
{
    pt_designed_free(&best->code);
    return take_code(p, scale, &best->code, task, err);
}

/* The last solution, as it is or scaled to the norm A. */
static pt_status try_bound(pt_l2_path *p, double C, const pt_design_result *soft, best_code *best,
                           const pt_task *task, pt_error *err)
{
    const double A = p->how->A;
    pt_design_result *result = &best->result;
    const double to_bound = soft->norm > 0 ? A / soft->norm : 1;
    const double scaled = pt_design_slack(p->data, p->scores, to_bound);
    const bool as_is = soft->norm <= A && soft->slack <= scaled;
    const double slack = as_is ? soft->slack : scaled;
    result->dual = fmax(result->dual, (soft->dual - 0.5 * A * A) / C);
    result->steps = soft->steps;
    if (slack >= result->primal)
        return PT_OK;
    result->primal = result->slack = slack;
    result->norm = as_is ? soft->norm : fmin(A, to_bound * soft->norm);
    return keep(p, as_is ? 1 : to_bound, best, task, err);
}

static pt_status solve_hard(pt_l2_path *p, best_code *best, const pt_task *task, pt_error *err)
{
    double low = 0;
    double high = INFINITY;
    double C = 1 / p->curve;
    best->result = (pt_design_result){.primal = INFINITY, .dual = 0};
    pt_design_result soft = {0};
    for (int64_t tried = 0; tried < MOST_TRIES && !best->result.converged; tried++) {
        PT_FREED_BY(pt_designed_free) pt_designed code = {0};
        PT_TRY(solve_at(p, C, &code, &soft, task, err));
        PT_TRY(try_bound(p, C, &soft, best, task, err));
        best->result.converged =
            best->result.primal - best->result.dual <= p->how->gap * best->result.primal;
        *(soft.norm < p->how->A ? &low : &high) = C;
        if (low > MOST_C / p->curve)
            break;
        if (high - low <= sqrt(p->spoc.gap) * high) { /* narrower than norms are known */
            p->spoc.gap *= SHARPER;
            low = C / STEP_C;
            high = C * STEP_C;
        }
        C = isinf(high) ? low * STEP_C : low > 0 ? sqrt(low * high) : high / STEP_C;
    }
    return PT_OK;
}

/* ---- separable ------------------------------------------------------------------------------- */

static pt_status solve_separable(pt_l2_path *p, best_code *best, const pt_task *task, pt_error *err)
{
    pt_design_result soft = {0};
    bool converged = false;
    double slack = INFINITY; /* the least that was found */
    best->result.primal = INFINITY;
    for (double C = 1 / p->curve; !converged && C <= MOST_C / p->curve; C *= STEP_C) {
        PT_FREED_BY(pt_designed_free) pt_designed code = {0};
        PT_TRY(solve_at(p, C, &code, &soft, task, err));
        const double t = least_margin(p);
        const double primal = t > 0 ? 0.5 * soft.norm * soft.norm / (t * t) : INFINITY;
        slack = fmin(slack, soft.slack);
        best->result.dual = fmax(best->result.dual, soft.dual);
        best->result.steps = soft.steps;
        if (primal < best->result.primal) {
            best->result.primal = primal;
            best->result.norm = soft.norm / t;
            PT_TRY(keep(p, 1 / t, best, task, err));
        }
        converged = t > 0 && primal - best->result.dual <= p->how->gap * primal;
    }
    best->result.converged = converged;
    if (!isinf(best->result.primal))
        return PT_OK;
    return pt_fail(err, PT_ENUMERIC,
                   "the classes are, it seems, not separable by a code on these outputs: at a "
                   "weight of %.3g errors still have the sum %.3g; use the form soft or hard, or "
                   "`norm=1`, which can prove it",
                   MOST_C / p->curve, slack);
}

/* ---- all forms ------------------------------------------------------------------------------- */

pt_status pt_design_l2(pt_designed *out, const pt_design_data *data, const pt_design_how *how,
                       pt_design_result *result, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_l2_path_close_at) pt_l2_path *path = NULL;
    PT_FREED_BY(best_free) best_code best = {0};
    PT_TRY(pt_l2_path_open(&path, data, how, task, err));
    if (how->form == PT_DESIGN_SOFT)
        PT_TRY(pt_l2_path_solve(path, how->C, &best.code, &best.result, task, err));
    else if (how->form == PT_DESIGN_HARD)
        PT_TRY(solve_hard(path, &best, task, err));
    else
        PT_TRY(solve_separable(path, &best, task, err));
    *out = best.code;
    *result = best.result;
    best.code = (pt_designed){0};
    return PT_OK;
}
