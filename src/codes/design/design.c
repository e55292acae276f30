/* Design of codes: which solver, and one column after the other (CS section 5, at its end).
 *
 * With the first columns fixed, scores f_ir of them, a new column has the margins
 *
 *     b_ir = 1 - [y_i = r] - (f_iy - f_ir)
 *
 * and is the same problem with ell = 1. Its zero leaves the slack as it is, so that the sum of both
 * terms never grows. */
#include "codes/design/design.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "codes/design/design_discrete.h"
#include "codes/design/design_l2.h"
#include "codes/design/design_lp.h"
#include "codes/design/design_pairs.h"

double pt_design_margin(const pt_design_data *data, int64_t i, int64_t r)
{
    const int64_t y = data->class_of[i];
    if (data->margin)
        return data->margin[i * data->k + r];
    return data->costs ? data->costs[y * data->k + r] : y != r;
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
        sum += (data->weight ? data->weight[i] : 1) * most;
    }
    return sum;
}

/* ---- all columns at once --------------------------------------------------------------------- */

static pt_status design_by_lp(pt_designed *out, const pt_design_data *data,
                              const pt_design_how *how, pt_design_result *result,
                              const pt_task *task, pt_error *err)
{
    const double strength = how->form == PT_DESIGN_HARD ? how->A : how->C;
    double *M = pt_alloc(data->k * data->ell, sizeof *M, "a code", err);
    if (!M)
        return PT_ENOMEM;
    const pt_status status =
        pt_design_lp(M, data, how->norm, how->form, strength, result, task, err);
    if (status == PT_OK)
        return pt_designed_from_rows(out, data->k, data->ell, M, err);
    pt_free(M);
    return status;
}

static pt_status design_whole(pt_designed *out, const pt_design_data *data,
                              const pt_design_how *how, pt_design_result *result,
                              const pt_task *task, pt_error *err)
{
    return how->norm == PT_NORM_2 ? pt_design_l2(out, data, how, result, task, err)
                                  : design_by_lp(out, data, how, result, task, err);
}

/* ---- one column after the other -------------------------------------------------------------- */

typedef struct columns {
    const pt_design_data *data;
    double *M;      /* k x ell */
    double *h;      /* m: the column at hand */
    double *margin; /* m x k: what is left to be gained by it */
} columns;

static void take_column(columns *c, int64_t s)
{
    const pt_design_data *d = c->data;
    for (int64_t i = 0; i < d->m; i++)
        c->h[i] = d->H[i * d->ell + s];
}

/* The column is there: M, and what it gives. */
static void put_column(columns *c, int64_t s, const double *column)
{
    const pt_design_data *d = c->data;
    for (int64_t r = 0; r < d->k; r++)
        c->M[r * d->ell + s] = column[r];
    for (int64_t i = 0; i < d->m; i++) {
        const double own = column[d->class_of[i]];
        for (int64_t r = 0; r < d->k; r++)
            c->margin[i * d->k + r] -= c->h[i] * (own - column[r]);
    }
}

/* What a norm adds to the value; columns add up. */
static double value_of(const pt_design_how *how, double norm)
{
    return how->norm == PT_NORM_2 ? norm * norm / 2 : norm;
}

static pt_status add_column(columns *c, int64_t s, const pt_design_how *how,
                            pt_design_result *result, const pt_task *task, pt_error *err)
{
    const pt_design_data *d = c->data;
    const pt_design_data one = {.m = d->m,
                                .k = d->k,
                                .ell = 1,
                                .H = c->h,
                                .class_of = d->class_of,
                                .weight = d->weight,
                                .margin = c->margin};
    const double before = value_of(how, result->norm);
    const int64_t steps = result->steps;
    const bool converged = s == 0 || result->converged;
    PT_FREED_BY(pt_designed_free) pt_designed column = {0};
    take_column(c, s);
    PT_TRY(design_whole(&column, &one, how, result, task, err));
    put_column(c, s, pt_designed_rows(&column));
    const double with = before + value_of(how, result->norm);
    result->norm = how->norm == PT_NORM_2 ? sqrt(2 * with) : with;
    result->primal += before;
    result->dual += before;
    result->steps += steps;
    result->converged = result->converged && converged;
    return PT_OK;
}

static pt_status add_columns(columns *c, const pt_design_how *how, pt_design_result *result,
                             const pt_task *task, pt_error *err)
{
    const pt_design_data *d = c->data;
    *result = (pt_design_result){0};
    for (int64_t i = 0; i < d->m; i++)
        for (int64_t r = 0; r < d->k; r++)
            c->margin[i * d->k + r] = pt_design_margin(d, i, r);
    for (int64_t s = 0; s < d->ell; s++)
        PT_TRY(add_column(c, s, how, result, task, err));
    return PT_OK;
}

static pt_status design_columns(pt_designed *out, const pt_design_data *data,
                                const pt_design_how *how, pt_design_result *result,
                                const pt_task *task, pt_error *err)
{
    columns c = {.data = data,
                 .M = pt_alloc_zero(data->k * data->ell, sizeof(double), "a code", err),
                 .h = pt_alloc(data->m, sizeof(double), "a column", err),
                 .margin = pt_alloc(data->m, (size_t)data->k * sizeof(double), "margins", err)};
    pt_status status = c.M && c.h && c.margin ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = add_columns(&c, how, result, task, err);
    if (status == PT_OK)
        status = pt_designed_from_rows(out, data->k, data->ell, c.M, err);
    else
        pt_free(c.M);
    pt_free(c.h);
    pt_free(c.margin);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* A code of a few values. */
static pt_status design_entries(pt_designed *out, const pt_design_data *data,
                                const pt_discrete_options *options, pt_design_result *result,
                                const pt_task *task, pt_error *err)
{
    const int64_t cells = data->k * data->ell;
    pt_discrete_result found = {0};
    int8_t *entries = pt_alloc(cells, 1, "a code", err);
    double *M = pt_alloc(cells, sizeof *M, "a code", err);
    pt_status status = entries && M ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = pt_design_discrete(entries, data, options, &found, task, err);
    for (int64_t c = 0; c < cells && status == PT_OK; c++)
        M[c] = entries[c];
    pt_free(entries);
    if (status != PT_OK) {
        pt_free(M);
        return status;
    }
    *result = (pt_design_result){.primal = found.error,
                                 .dual = found.bound,
                                 .norm = NAN,
                                 .slack = NAN,
                                 .steps = found.nodes,
                                 .converged = found.proven || options->search != PT_SEARCH_EXACT};
    return pt_designed_from_rows(out, data->k, data->ell, M, err);
}

pt_status pt_design(pt_designed *out, const pt_design_data *data, const pt_design_how *how,
                    pt_design_result *result, const pt_task *task, pt_error *err)
{
    if (how->form == PT_DESIGN_DISCRETE)
        return design_entries(out, data, &how->discrete, result, task, err);
    if (how->form == PT_DESIGN_PAIRS)
        return pt_design_pairs(out, data, how, result, task, err);
    return how->incremental ? design_columns(out, data, how, result, task, err)
                            : design_whole(out, data, how, result, task, err);
}
