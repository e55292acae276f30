/* Design of codes: which solver, and one column after the other (CS section 5, at its end). */
#include "codes/design/design.h"

#include <math.h>

#include "base/alloc.h"
#include "base/math.h"
#include "codes/design/design_solvers.h"
#include "codes/design/discrete.h"

/* ---- what scores are worth ------------------------------------------------------------------- */

const double *pt_design_margins(const pt_design_data *data, int64_t i)
{
    if (data->margin)
        return data->margin + i * data->k;
    return data->costs ? data->costs + data->class_of[i] * data->k : NULL;
}

double pt_design_margin(const pt_design_data *data, int64_t i, int64_t r)
{
    const double *row = pt_design_margins(data, i);
    return row ? row[r] : data->class_of[i] != r;
}

double pt_design_cost_sum(const pt_design_data *data, const double *scores)
{
    double sum = 0;
    for (int64_t i = 0; i < data->m; i++) {
        const int64_t said = pt_first_largest(scores + i * data->k, data->k);
        sum += pt_weight(data->weight, i) * pt_design_margin(data, i, said);
    }
    return sum;
}

double pt_design_slack(const pt_design_data *data, const double *scores, double scale)
{
    const int64_t k = data->k;
    double sum = 0;
    for (int64_t i = 0; i < data->m; i++) {
        const double own = scale * scores[i * k + data->class_of[i]];
        double most = 0;
        for (int64_t r = 0; r < k; r++)
            most = fmax(most, pt_design_margin(data, i, r) + scale * scores[i * k + r] - own);
        sum += pt_weight(data->weight, i) * most;
    }
    return sum;
}

/* ---- all columns at once --------------------------------------------------------------------- */

/* A code of a few values. */
static pt_status design_discrete(pt_designed *out, const pt_design_data *data,
                                 const pt_design_how *how, pt_design_result *result,
                                 const pt_task *task, pt_error *err)
{
    const int64_t cells = data->k * data->ell;
    pt_discrete_result found = {0};
    PT_SCRATCH int8_t *entries = NULL;
    PT_SCRATCH double *M = NULL;
    PT_TRY(PT_NEW(entries, cells, "a code", err));
    PT_TRY(PT_NEW(M, cells, "a code", err));
    PT_TRY(pt_design_discrete(entries, data, &how->discrete, &found, task, err));
    for (int64_t c = 0; c < cells; c++)
        M[c] = entries[c];
    *result =
        (pt_design_result){.primal = found.error,
                           .dual = found.bound,
                           .norm = NAN,
                           .slack = NAN,
                           .steps = found.nodes,
                           .converged = found.proven || how->discrete.search != PT_SEARCH_EXACT};
    return pt_designed_from_rows(out, data->k, data->ell, pt_keep(&M), err);
}

/* The form and the norm say which. The forms discrete and pairs have one norm of their own. */
static pt_design_fn *const solvers[PT_DESIGN_FORMS][PT_NORMS] = {
    [PT_DESIGN_SOFT] = {pt_design_lp, pt_design_l2, pt_design_lp},
    [PT_DESIGN_HARD] = {pt_design_lp, pt_design_l2, pt_design_lp},
    [PT_DESIGN_SEPARABLE] = {pt_design_lp, pt_design_l2, pt_design_lp},
    [PT_DESIGN_DISCRETE] = {design_discrete, design_discrete, design_discrete},
    [PT_DESIGN_PAIRS] = {pt_design_pairs, pt_design_pairs, pt_design_pairs}};

/* ---- one column after the other -----------------------------------------------------------------
 *
 * With the first columns fixed, scores f_ir of them, a new column has the margins
 *
 *     b_ir = 1 - [y_i = r] - (f_iy - f_ir)
 *
 * and is the same problem with ell = 1. Its zero leaves the slack as it is, so that the sum of both
 * terms never grows. */

/* What a norm adds to the value; columns add up. */
static double value_of(const pt_design_how *how, double norm)
{
    return how->norm == PT_NORM_2 ? norm * norm / 2 : norm;
}

static pt_status design_columns(pt_designed *out, const pt_design_data *data,
                                const pt_design_how *how, pt_design_result *result,
                                const pt_task *task, pt_error *err)
{
    const int64_t m = data->m;
    const int64_t k = data->k;
    const int64_t ell = data->ell;
    double *h = NULL;      /* m: the column at hand */
    double *margin = NULL; /* m x k: what is left to be gained by it */
    PT_SCRATCH double *M = NULL;
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_NEW(M, k * ell, "a code", err));
    PT_TRY(PT_ARENA(&arena, "margins", err, PT_PIECE(h, m), PT_PIECE(margin, m * k)));
    const pt_design_data one = {.m = m,
                                .k = k,
                                .ell = 1,
                                .H = h,
                                .class_of = data->class_of,
                                .weight = data->weight,
                                .margin = margin};
    *result = (pt_design_result){.converged = true};
    for (int64_t i = 0; i < m * k; i++)
        margin[i] = pt_design_margin(data, i / k, i % k);
    for (int64_t s = 0; s < ell; s++) {
        PT_FREED_BY(pt_designed_free) pt_designed column = {0};
        pt_design_result now = {0};
        for (int64_t i = 0; i < m; i++)
            h[i] = data->H[i * ell + s];
        PT_TRY(solvers[how->form][how->norm](&column, &one, how, &now, task, err));
        const double *u = pt_designed_rows(&column);
        for (int64_t r = 0; r < k; r++)
            M[r * ell + s] = u[r];
        for (int64_t i = 0; i < m; i++) {
            const double own = u[data->class_of[i]];
            for (int64_t r = 0; r < k; r++)
                margin[i * k + r] -= h[i] * (own - u[r]);
        }
        const double before = value_of(how, result->norm);
        const double with = before + value_of(how, now.norm);
        now.norm = how->norm == PT_NORM_2 ? sqrt(2 * with) : with;
        now.primal += before;
        now.dual += before;
        now.steps += result->steps;
        now.converged = now.converged && result->converged;
        *result = now;
    }
    return pt_designed_from_rows(out, k, ell, pt_keep(&M), err);
}

pt_status pt_design(pt_designed *out, const pt_design_data *data, const pt_design_how *how,
                    pt_design_result *result, const pt_task *task, pt_error *err)
{
    const bool each = how->incremental && how->form < PT_DESIGN_DISCRETE;
    return (each ? design_columns : solvers[how->form][how->norm])(out, data, how, result, task,
                                                                   err);
}
