/* The linear programs of code design, whole (CS section 4; n = k ell entries of M), to be solved as
 * they are, compared with one another, or measured; codes/design/design_lp.c solves them from few
 * of their rows.
 *
 * Primal. Rows: h_i . (M_y - M_r) + xi_i >= b_ir for r != y_i; r = y_i says xi_i >= 0, a bound.
 *   p = 1    M = P - N with P, N >= 0 of cost 1: no rows for |M|. Hard: one row, sum P + N <= A.
 *   p = inf  Only differences of rows of M count, so M_rt = u_rt - g with 0 <= u_rt <= 2 g, and u
 *            takes the place of M: n rows and bounds in place of 2n rows. Hard: u <= 2 A, a bound.
 *
 * Dual. max sum eta_ir b_ir, eta >= 0, sum_r eta_ir <= C w_i (w_i in the hard form, no such row in
 * the separable one), with v_rt = sum_i h_it ([y_i = r] sum_s eta_is - eta_ir), r != y_i:
 *   p = 1    |v_rt| <= 1: n rows with two bounds. Hard: |v_rt| <= z at a cost of A z.
 *   p = inf  v = a - b, a, b >= 0, sum a + b <= 1. Hard: at a cost of A sum (a + b).
 * M is minus the price of the rows of v. */
#ifndef PT_TESTS_DESIGN_PROGRAM_H
#define PT_TESTS_DESIGN_PROGRAM_H

#include <assert.h>
#include <math.h>

#include "codes/design/design.h"
#include "solvers/program/linear_program.h"

/* What CS Table 1 counts, for every p: the auxiliary alpha >= |M| has variables and rows of its
 * own there, and r = y_i a row. Ours have fewer of both. */
typedef struct reference_sizes {
    double primal_variables;
    double primal_constraints;
    double dual_variables;
    double dual_constraints;
} reference_sizes;

static inline double program_margin(const pt_design_data *data, int64_t i, int64_t r)
{
    const int64_t y = data->class_of[i];
    if (data->margin)
        return data->margin[i * data->k + r];
    return data->costs ? data->costs[y * data->k + r] : y != r;
}

static inline reference_sizes reference_table1(pt_design_norm norm, int64_t m, int64_t k,
                                               int64_t ell)
{
    const double examples = (double)m;
    const double pairs = (double)k * (double)m;
    const double n = (double)k * (double)ell;
    if (norm == PT_NORM_1)
        return (reference_sizes){examples + 2 * n, pairs + 2 * n, pairs + 2 * n, examples + 2 * n};
    if (norm == PT_NORM_2)
        return (reference_sizes){examples + n, pairs, pairs, examples};
    return (reference_sizes){examples + n + 1, pairs + 2 * n, pairs + 2 * n, examples + n + 1};
}

/* How columns and rows of either program are numbered. */
typedef struct program_layout {
    const pt_design_data *data;
    int64_t n;       /* k ell */
    int64_t pairs;   /* (i, r), r != y_i: m (k - 1) */
    int64_t slack;   /* primal: the first column of xi; dual: the first row of sums over r */
    int64_t columns; /* in all */
    int64_t rows;
    bool has_slack;
} program_layout;

/* The place of (i, r) among the pairs. */
static inline int program_pair_at(const pt_design_data *data, int64_t i, int64_t r)
{
    return (int)(i * (data->k - 1) + (r < data->class_of[i] ? r : r - 1));
}

static inline double program_weight(const pt_design_data *data, pt_design_form form,
                                    double strength, int64_t i)
{
    return (data->weight ? data->weight[i] : 1) * (form == PT_DESIGN_SOFT ? strength : 1);
}

static inline void program_put(pt_program *program, int64_t *at, int64_t row, double value)
{
    if (value == 0)
        return;
    program->index[*at] = (int)row;
    program->value[(*at)++] = value;
}

/* `pairs`: m (k - 1), or 0 where their rows are left out. */
static inline program_layout program_primal_layout(const pt_design_data *data, pt_design_norm norm,
                                                   pt_design_form form, int64_t pairs)
{
    const bool hard = form == PT_DESIGN_HARD;
    program_layout at = {.data = data,
                         .n = data->k * data->ell,
                         .pairs = pairs,
                         .has_slack = form != PT_DESIGN_SEPARABLE};
    at.slack = norm == PT_NORM_1 ? 2 * at.n : at.n + !hard;
    at.columns = at.slack + (at.has_slack ? data->m : 0);
    at.rows = at.pairs + (norm == PT_NORM_1 ? hard : hard ? 0 : at.n);
    return at;
}

/* The column of M_rt (times `sign`) in the rows of the pairs. */
static inline void program_put_entry(pt_program *program, int64_t *at, const pt_design_data *data,
                                     int64_t r, int64_t t, double sign)
{
    for (int64_t i = 0; i < data->m; i++) {
        const double h = sign * data->H[i * data->ell + t];
        if (data->class_of[i] != r)
            program_put(program, at, program_pair_at(data, i, r), -h);
        else
            for (int64_t s = 0; s < data->k - 1; s++)
                program_put(program, at, i * (data->k - 1) + s, h);
    }
}

static inline void program_fill_primal(pt_program *program, const program_layout *lay,
                                       pt_design_norm norm, pt_design_form form, double strength)
{
    const pt_design_data *data = lay->data;
    const bool hard = form == PT_DESIGN_HARD;
    const int64_t signs = norm == PT_NORM_1 ? 2 : 1;
    int64_t at = 0;
    int64_t column = 0;
    for (int64_t s = 0; s < signs; s++)
        for (int64_t j = 0; j < lay->n; j++) {
            if (lay->pairs > 0)
                program_put_entry(program, &at, data, j / data->ell, j % data->ell, s ? -1 : 1);
            if (norm == PT_NORM_1 && hard)
                program_put(program, &at, lay->pairs, 1);
            else if (!hard && norm == PT_NORM_INF)
                program_put(program, &at, lay->pairs + j, 1);
            program->cost[column] = norm == PT_NORM_1 && !hard;
            program->upper[column] = norm == PT_NORM_INF && hard ? 2 * strength : HUGE_VAL;
            program->start[++column] = (int)at;
        }
    if (norm == PT_NORM_INF && !hard) {
        for (int64_t j = 0; j < lay->n; j++)
            program_put(program, &at, lay->pairs + j, -2);
        program->cost[column] = 1;
        program->start[++column] = (int)at;
    }
    for (int64_t i = 0; i < data->m && lay->has_slack; i++) {
        for (int64_t s = 0; s < data->k - 1 && lay->pairs > 0; s++)
            program_put(program, &at, i * (data->k - 1) + s, 1);
        program->cost[column] = program_weight(data, form, strength, i);
        program->start[++column] = (int)at;
    }
    for (int64_t i = 0; i < data->m && lay->pairs > 0; i++)
        for (int64_t r = 0; r < data->k; r++)
            if (r != data->class_of[i])
                program->row_lower[program_pair_at(data, i, r)] = program_margin(data, i, r);
    for (int64_t j = lay->pairs; j < lay->rows; j++)
        program->row_upper[j] = norm == PT_NORM_1 ? strength : 0;
}

static inline pt_status program_new_primal(pt_program *out, const program_layout *lay,
                                           pt_design_norm norm, pt_design_form form,
                                           double strength, pt_error *err)
{
    assert(norm != PT_NORM_2);
    const int64_t signs = norm == PT_NORM_1 ? 2 : 1;
    const int64_t entries = lay->pairs * (2 * signs * lay->data->ell + 1) + 2 * signs * lay->n;
    PT_TRY(pt_program_init(out, lay->columns, lay->rows, entries, err));
    program_fill_primal(out, lay, norm, form, strength);
    return PT_OK;
}

static inline pt_status reference_primal(pt_program *out, const pt_design_data *data,
                                         pt_design_norm norm, pt_design_form form, double strength,
                                         pt_error *err)
{
    const program_layout lay = program_primal_layout(data, norm, form, data->m * (data->k - 1));
    return program_new_primal(out, &lay, norm, form, strength, err);
}

static inline program_layout program_dual_layout(const pt_design_data *data, pt_design_norm norm,
                                                 pt_design_form form)
{
    const bool hard = form == PT_DESIGN_HARD;
    program_layout at = {.data = data,
                         .n = data->k * data->ell,
                         .pairs = data->m * (data->k - 1),
                         .has_slack = form != PT_DESIGN_SEPARABLE};
    at.slack = norm == PT_NORM_1 ? (hard ? 2 : 1) * at.n : at.n + !hard;
    at.rows = at.slack + (at.has_slack ? data->m : 0);
    at.columns = at.pairs + (norm == PT_NORM_1 ? hard : 2 * at.n);
    return at;
}

static inline void program_put_pair(pt_program *program, int64_t *at, const program_layout *lay,
                                    int64_t i, int64_t r, int64_t copies)
{
    const pt_design_data *data = lay->data;
    const double *h = data->H + i * data->ell;
    for (int64_t s = 0; s < copies; s++)
        for (int64_t t = 0; t < data->ell; t++) {
            program_put(program, at, s * lay->n + data->class_of[i] * data->ell + t, h[t]);
            program_put(program, at, s * lay->n + r * data->ell + t, -h[t]);
        }
    if (lay->has_slack)
        program_put(program, at, lay->slack + i, 1);
}

/* The columns behind those of the pairs, which measure v: z, or a and b. */
static inline void program_put_measure(pt_program *program, int64_t at, const program_layout *lay,
                                       pt_design_norm norm, pt_design_form form, double strength)
{
    const bool hard = form == PT_DESIGN_HARD;
    int64_t column = lay->pairs;
    for (int64_t j = 0; j < 2 * lay->n && norm == PT_NORM_1 && hard; j++)
        program_put(program, &at, j, j < lay->n ? -1 : 1);
    for (int64_t j = 0; j < 2 * lay->n && norm == PT_NORM_INF; j++) {
        program_put(program, &at, j % lay->n, j < lay->n ? -1 : 1);
        if (!hard)
            program_put(program, &at, lay->n, 1);
        program->cost[column] = hard ? strength : 0;
        program->start[++column] = (int)at;
    }
    if (norm == PT_NORM_1 && hard) {
        program->cost[column] = strength;
        program->start[++column] = (int)at;
    }
}

static inline void program_fill_dual(pt_program *program, const program_layout *lay,
                                     pt_design_norm norm, pt_design_form form, double strength)
{
    const pt_design_data *data = lay->data;
    const bool hard = form == PT_DESIGN_HARD;
    int64_t at = 0;
    for (int64_t i = 0; i < data->m; i++)
        for (int64_t r = 0; r < data->k; r++) {
            if (r == data->class_of[i])
                continue;
            const int column = program_pair_at(data, i, r);
            program_put_pair(program, &at, lay, i, r, norm == PT_NORM_1 && hard ? 2 : 1);
            program->cost[column] = -program_margin(data, i, r);
            program->start[column + 1] = (int)at;
        }
    program_put_measure(program, at, lay, norm, form, strength);
    for (int64_t j = 0; j < lay->n; j++) {
        const double most = norm == PT_NORM_1 && !hard ? 1 : 0;
        program->row_upper[j] = most;
        if (norm == PT_NORM_1 && hard)
            program->row_lower[lay->n + j] = 0;
        else
            program->row_lower[j] = -most;
    }
    if (norm == PT_NORM_INF && !hard)
        program->row_upper[lay->n] = 1;
    for (int64_t i = 0; i < data->m && lay->has_slack; i++)
        program->row_upper[lay->slack + i] = program_weight(data, form, strength, i);
}

static inline pt_status reference_dual(pt_program *out, const pt_design_data *data,
                                       pt_design_norm norm, pt_design_form form, double strength,
                                       pt_error *err)
{
    assert(norm != PT_NORM_2);
    const program_layout lay = program_dual_layout(data, norm, form);
    const int64_t copies = norm == PT_NORM_1 && form == PT_DESIGN_HARD ? 2 : 1;
    const int64_t entries = lay.pairs * (2 * copies * data->ell + 1) + 4 * lay.n;
    PT_TRY(pt_program_init(out, lay.columns, lay.rows, entries, err));
    program_fill_dual(out, &lay, norm, form, strength);
    return PT_OK;
}

/* u_rt less the middle of its column: what no class uses is 0, and no entry is larger than g. */
static inline void program_centre_columns(double *M, int64_t k, int64_t ell, const double *u)
{
    for (int64_t t = 0; t < ell; t++) {
        double least = HUGE_VAL;
        double most = -HUGE_VAL;
        for (int64_t r = 0; r < k; r++) {
            least = fmin(least, u[r * ell + t]);
            most = fmax(most, u[r * ell + t]);
        }
        for (int64_t r = 0; r < k; r++)
            M[r * ell + t] = u[r * ell + t] - (least + most) / 2;
    }
}

static inline void reference_primal_code(double *M, const pt_design_data *data, pt_design_norm norm,
                                         const double *x)
{
    const int64_t n = data->k * data->ell;
    if (norm == PT_NORM_INF)
        program_centre_columns(M, data->k, data->ell, x);
    else
        for (int64_t j = 0; j < n; j++)
            M[j] = x[j] - x[n + j];
}

static inline void reference_dual_code(double *M, const pt_design_data *data, pt_design_norm norm,
                                       pt_design_form form, const double *price)
{
    const int64_t n = data->k * data->ell;
    const bool twice = norm == PT_NORM_1 && form == PT_DESIGN_HARD;
    for (int64_t j = 0; j < n; j++)
        M[j] = -price[j] - (twice ? price[n + j] : 0);
}

#endif
