/* The linear programs of code design, whole (CS section 4; n = k ell entries of M).
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
#include "codes/design/design_program.h"

#include <assert.h>
#include <math.h>

pt_design_sizes pt_design_table1(pt_design_norm norm, int64_t m, int64_t k, int64_t ell)
{
    const double examples = (double)m;
    const double pairs = (double)k * (double)m;
    const double n = (double)k * (double)ell;
    switch (norm) {
    case PT_NORM_1:
        return (pt_design_sizes){examples + 2 * n, pairs + 2 * n, pairs + 2 * n, examples + 2 * n};
    case PT_NORM_2:
        return (pt_design_sizes){examples + n, pairs, pairs, examples};
    case PT_NORM_INF:
        break;
    }
    return (pt_design_sizes){examples + n + 1, pairs + 2 * n, pairs + 2 * n, examples + n + 1};
}

/* How columns and rows of either program are numbered. */
typedef struct layout {
    const pt_design_data *data;
    int64_t n;       /* k ell */
    int64_t pairs;   /* (i, r), r != y_i: m (k - 1) */
    int64_t slack;   /* primal: the first column of xi; dual: the first row of sums over r */
    int64_t columns; /* in all */
    int64_t rows;
    bool has_slack;
} layout;

/* The place of (i, r) among the pairs. */
static int pair_at(const pt_design_data *data, int64_t i, int64_t r)
{
    return (int)(i * (data->k - 1) + (r < data->class_of[i] ? r : r - 1));
}

static double weight_of(const pt_design_data *data, pt_design_form form, double strength, int64_t i)
{
    return (data->weight ? data->weight[i] : 1) * (form == PT_DESIGN_SOFT ? strength : 1);
}

static void put(pt_program *program, int64_t *at, int64_t row, double value)
{
    if (value == 0)
        return;
    program->index[*at] = (int)row;
    program->value[(*at)++] = value;
}

/* `pairs`: m (k - 1), or 0 where their rows are left out. */
static layout primal_layout(const pt_design_data *data, pt_design_norm norm, pt_design_form form,
                            int64_t pairs)
{
    const bool hard = form == PT_DESIGN_HARD;
    layout at = {.data = data,
                 .n = data->k * data->ell,
                 .pairs = pairs,
                 .has_slack = form != PT_DESIGN_SEPARABLE};
    at.slack = norm == PT_NORM_1 ? 2 * at.n : at.n + !hard;
    at.columns = at.slack + (at.has_slack ? data->m : 0);
    at.rows = at.pairs + (norm == PT_NORM_1 ? hard : hard ? 0 : at.n);
    return at;
}

/* The column of M_rt (times `sign`) in the rows of the pairs. */
static void put_entry(pt_program *program, int64_t *at, const pt_design_data *data, int64_t r,
                      int64_t t, double sign)
{
    for (int64_t i = 0; i < data->m; i++) {
        const double h = sign * data->H[i * data->ell + t];
        if (data->class_of[i] != r)
            put(program, at, pair_at(data, i, r), -h);
        else
            for (int64_t s = 0; s < data->k - 1; s++)
                put(program, at, i * (data->k - 1) + s, h);
    }
}

static void fill_primal(pt_program *program, const layout *lay, pt_design_norm norm,
                        pt_design_form form, double strength)
{
    const pt_design_data *data = lay->data;
    const bool hard = form == PT_DESIGN_HARD;
    const int64_t signs = norm == PT_NORM_1 ? 2 : 1;
    int64_t at = 0;
    int64_t column = 0;
    for (int64_t s = 0; s < signs; s++)
        for (int64_t j = 0; j < lay->n; j++) {
            if (lay->pairs > 0)
                put_entry(program, &at, data, j / data->ell, j % data->ell, s ? -1 : 1);
            if (norm == PT_NORM_1 && hard)
                put(program, &at, lay->pairs, 1);
            else if (!hard && norm == PT_NORM_INF)
                put(program, &at, lay->pairs + j, 1);
            program->cost[column] = norm == PT_NORM_1 && !hard;
            program->upper[column] = norm == PT_NORM_INF && hard ? 2 * strength : HUGE_VAL;
            program->start[++column] = (int)at;
        }
    if (norm == PT_NORM_INF && !hard) {
        for (int64_t j = 0; j < lay->n; j++)
            put(program, &at, lay->pairs + j, -2);
        program->cost[column] = 1;
        program->start[++column] = (int)at;
    }
    for (int64_t i = 0; i < data->m && lay->has_slack; i++) {
        for (int64_t s = 0; s < data->k - 1 && lay->pairs > 0; s++)
            put(program, &at, i * (data->k - 1) + s, 1);
        program->cost[column] = weight_of(data, form, strength, i);
        program->start[++column] = (int)at;
    }
    for (int64_t i = 0; i < data->m && lay->pairs > 0; i++)
        for (int64_t r = 0; r < data->k; r++)
            if (r != data->class_of[i])
                program->row_lower[pair_at(data, i, r)] = pt_design_margin(data, i, r);
    for (int64_t j = lay->pairs; j < lay->rows; j++)
        program->row_upper[j] = norm == PT_NORM_1 ? strength : 0;
}

static pt_status new_primal(pt_program *out, const layout *lay, pt_design_norm norm,
                            pt_design_form form, double strength, pt_error *err)
{
    assert(norm != PT_NORM_2);
    const int64_t signs = norm == PT_NORM_1 ? 2 : 1;
    const int64_t entries = lay->pairs * (2 * signs * lay->data->ell + 1) + 2 * signs * lay->n;
    PT_TRY(pt_program_init(out, lay->columns, lay->rows, entries, err));
    fill_primal(out, lay, norm, form, strength);
    return PT_OK;
}

pt_status pt_design_primal(pt_program *out, const pt_design_data *data, pt_design_norm norm,
                           pt_design_form form, double strength, pt_error *err)
{
    const layout lay = primal_layout(data, norm, form, data->m * (data->k - 1));
    return new_primal(out, &lay, norm, form, strength, err);
}

pt_status pt_design_frame(pt_program *out, const pt_design_data *data, pt_design_norm norm,
                          pt_design_form form, double strength, pt_error *err)
{
    const layout lay = primal_layout(data, norm, form, 0);
    return new_primal(out, &lay, norm, form, strength, err);
}

int64_t pt_design_slack_column(const pt_design_data *data, pt_design_norm norm, pt_design_form form)
{
    const layout lay = primal_layout(data, norm, form, 0);
    return lay.has_slack ? lay.slack : -1;
}

int64_t pt_design_pair_row(const pt_design_data *data, pt_design_norm norm, int64_t slack,
                           int64_t i, int64_t r, int *index, double *value)
{
    const int64_t n = data->k * data->ell;
    const int64_t class_of_side[] = {data->class_of[i], r};
    int64_t at = 0;
    for (int side = 0; side < 2; side++)
        for (int64_t t = 0; t < data->ell; t++) {
            const double h = data->H[i * data->ell + t] * (side ? -1 : 1);
            if (h == 0)
                continue;
            const int64_t column = class_of_side[side] * data->ell + t;
            index[at] = (int)column;
            value[at++] = h;
            if (norm == PT_NORM_1) {
                index[at] = (int)(n + column);
                value[at++] = -h;
            }
        }
    if (slack >= 0) {
        index[at] = (int)(slack + i);
        value[at++] = 1;
    }
    return at;
}

static layout dual_layout(const pt_design_data *data, pt_design_norm norm, pt_design_form form)
{
    const bool hard = form == PT_DESIGN_HARD;
    layout at = {.data = data,
                 .n = data->k * data->ell,
                 .pairs = data->m * (data->k - 1),
                 .has_slack = form != PT_DESIGN_SEPARABLE};
    at.slack = norm == PT_NORM_1 ? (hard ? 2 : 1) * at.n : at.n + !hard;
    at.rows = at.slack + (at.has_slack ? data->m : 0);
    at.columns = at.pairs + (norm == PT_NORM_1 ? hard : 2 * at.n);
    return at;
}

static void put_pair(pt_program *program, int64_t *at, const layout *lay, int64_t i, int64_t r,
                     int64_t copies)
{
    const pt_design_data *data = lay->data;
    const double *h = data->H + i * data->ell;
    for (int64_t s = 0; s < copies; s++)
        for (int64_t t = 0; t < data->ell; t++) {
            put(program, at, s * lay->n + data->class_of[i] * data->ell + t, h[t]);
            put(program, at, s * lay->n + r * data->ell + t, -h[t]);
        }
    if (lay->has_slack)
        put(program, at, lay->slack + i, 1);
}

/* The columns behind those of the pairs, which measure v: z, or a and b. */
static void put_measure(pt_program *program, int64_t at, const layout *lay, pt_design_norm norm,
                        pt_design_form form, double strength)
{
    const bool hard = form == PT_DESIGN_HARD;
    int64_t column = lay->pairs;
    for (int64_t j = 0; j < 2 * lay->n && norm == PT_NORM_1 && hard; j++)
        put(program, &at, j, j < lay->n ? -1 : 1);
    for (int64_t j = 0; j < 2 * lay->n && norm == PT_NORM_INF; j++) {
        put(program, &at, j % lay->n, j < lay->n ? -1 : 1);
        if (!hard)
            put(program, &at, lay->n, 1);
        program->cost[column] = hard ? strength : 0;
        program->start[++column] = (int)at;
    }
    if (norm == PT_NORM_1 && hard) {
        program->cost[column] = strength;
        program->start[++column] = (int)at;
    }
}

static void fill_dual(pt_program *program, const layout *lay, pt_design_norm norm,
                      pt_design_form form, double strength)
{
    const pt_design_data *data = lay->data;
    const bool hard = form == PT_DESIGN_HARD;
    int64_t at = 0;
    for (int64_t i = 0; i < data->m; i++)
        for (int64_t r = 0; r < data->k; r++) {
            if (r == data->class_of[i])
                continue;
            const int column = pair_at(data, i, r);
            put_pair(program, &at, lay, i, r, norm == PT_NORM_1 && hard ? 2 : 1);
            program->cost[column] = -pt_design_margin(data, i, r);
            program->start[column + 1] = (int)at;
        }
    put_measure(program, at, lay, norm, form, strength);
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
        program->row_upper[lay->slack + i] = weight_of(data, form, strength, i);
}

pt_status pt_design_dual(pt_program *out, const pt_design_data *data, pt_design_norm norm,
                         pt_design_form form, double strength, pt_error *err)
{
    assert(norm != PT_NORM_2);
    const layout lay = dual_layout(data, norm, form);
    const int64_t copies = norm == PT_NORM_1 && form == PT_DESIGN_HARD ? 2 : 1;
    const int64_t entries = lay.pairs * (2 * copies * data->ell + 1) + 4 * lay.n;
    PT_TRY(pt_program_init(out, lay.columns, lay.rows, entries, err));
    fill_dual(out, &lay, norm, form, strength);
    return PT_OK;
}

/* u_rt less the middle of its column: what no class uses is 0, and no entry is larger than g. */
static void centre_columns(double *M, int64_t k, int64_t ell, const double *u)
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

void pt_design_primal_code(double *M, const pt_design_data *data, pt_design_norm norm,
                           const double *x)
{
    const int64_t n = data->k * data->ell;
    if (norm == PT_NORM_INF)
        centre_columns(M, data->k, data->ell, x);
    else
        for (int64_t j = 0; j < n; j++)
            M[j] = x[j] - x[n + j];
}

void pt_design_dual_code(double *M, const pt_design_data *data, pt_design_norm norm,
                         pt_design_form form, const double *price)
{
    const int64_t n = data->k * data->ell;
    const bool twice = norm == PT_NORM_1 && form == PT_DESIGN_HARD;
    for (int64_t j = 0; j < n; j++)
        M[j] = -price[j] - (twice ? price[n + j] : 0);
}
