/* Code design by linear programs (CS section 4, p = 1 and p = infinity), from few of their rows.
 *
 * Of the m (k - 1) rows h_i . (M_y - M_r) + xi_i >= b_ir some hundred bind at the solution. The
 * program begins with those that a rough solution calls likely (design_start.c); Clp solves it;
 * rows that its solution breaks are added, and the dual simplex method goes on from the basis that
 * it has, which is still dual feasible. When no row is broken, the solution of the small program is
 * that of the whole. Whether one solves the primal program so, or the dual one by columns, is the
 * same path; given whole, the primal was the faster one (bench/run.py lpdesign), in spite of its
 * size in CS Table 1.
 *
 * Where C is so small that M = 0 is the solution, the rough dual solution proves it, and Clp is not
 * asked: every row has a share then, and it went through degenerate bases for minutes.
 *
 * Outputs are divided by `unit`, the largest |H|, and costs multiplied so that none is below 1:
 * Clp's tolerances are absolute. With H = unit H', M = M' / unit:
 *     unit (||M||_p + C sum w xi) = ||M'||_p + unit C sum w xi ,   hard: ||M'||_p <= unit A .
 *
 * The program (n = k ell entries of M). r = y_i says xi_i >= 0, a bound.
 *   p = 1    M = P - N with P, N >= 0 of cost 1: no rows for |M|. Hard: one row, sum P + N <= A.
 *   p = inf  Only differences of rows of M count, so M_rt = u_rt - g with 0 <= u_rt <= 2 g, and u
 *            takes the place of M: n rows and bounds in place of 2n rows. Hard: u <= 2 A, a bound.
 * tests/support/design_program.h has it whole, with its dual.
 *
 * The answer is checked from outside: xi from M, and a dual solution from the prices of the rows,
 * made feasible by scaling; the two values differ by rounding or `converged` is false. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/text.h"
#include "codes/design/design_solvers.h"
#include "solvers/program/linear_program.h"

/* With so few rows all of them are taken at once. */
enum { FEW_PAIRS = 256 };
/* Rows are handed over in blocks of so many. */
enum { BLOCK = 256 };
/* A vertex has at most m + k ell pairs with a share. Where the rough solution is spread over more,
 * as with a small A, those count that have so much of the largest share of their example. */
static const double MAIN_SHARE = 0.5;
/* A row is broken if it is by more than Clp's tolerance. */
static const double BROKEN = 2e-9;
/* The relative gap of a solution that counts as one. */
static const double PROVED = 1e-6;
/* Values of sums that differ by less are the same. */
static const double ROUNDING = 1e-12;

typedef struct design {
    pt_design_data data; /* H scaled */
    pt_design_norm norm;
    pt_design_form form;
    double strength;   /* unit C, or unit A */
    double unit;       /* H = unit H' */
    double factor;     /* of the costs */
    int64_t n;         /* k ell */
    int64_t slack;     /* the column of xi_0, or -1 */
    int64_t signs;     /* columns for each entry of M */
    double *H;         /* m x ell */
    double *M;         /* k x ell */
    double *V;         /* k x ell */
    double *scores;    /* m x k */
    double *eta;       /* m x k */
    double *work;      /* m x k */
    int64_t *pair;     /* i k + r of the rows that are in */
    int64_t rows;      /* how many */
    unsigned char *in; /* m x k */
    int *index;        /* entries of a block of rows */
    double *value;
    pt_lp *lp;
    int64_t frame; /* rows of the program that are no pairs */
    int64_t entries;
    int64_t pivots;
} design;

static pt_status check_data(const pt_design_data *data, pt_design_form form, double strength,
                            pt_error *err)
{
    if (form != PT_DESIGN_SEPARABLE && !(strength > 0 && isfinite(strength)))
        return pt_fail(err, PT_EINVAL, "the strength of a code design is %g; it must be above 0",
                       strength);
    for (int64_t i = 0; i < data->m; i++)
        if (data->class_of[i] < 0 || data->class_of[i] >= data->k)
            return pt_fail(err, PT_EINVAL, "example %lld has no class", (long long)i + 1);
    for (int64_t j = 0; j < data->m * data->ell; j++)
        if (!isfinite(data->H[j]))
            return pt_fail(err, PT_EINVAL, "output %lld of example %lld is not a finite number",
                           (long long)(j % data->ell) + 1, (long long)(j / data->ell) + 1);
    return PT_OK;
}

static double largest_of(const double *x, int64_t n)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++)
        most = fmax(most, fabs(x[j]));
    return most;
}

static double sum_of(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += fabs(x[j]);
    return sum;
}

static double norm_of(const design *d, const double *M)
{
    return d->norm == PT_NORM_1 ? sum_of(M, d->n) : largest_of(M, d->n);
}

/* The norm that bounds v: the largest |v_rt| for p = 1, their sum for p = infinity. */
static double dual_norm_of(const design *d, const double *V)
{
    return d->norm == PT_NORM_1 ? largest_of(V, d->n) : sum_of(V, d->n);
}

/* What xi_i costs. */
static double slack_cost(const design *d, int64_t i)
{
    return pt_weight(d->data.weight, i) * (d->form == PT_DESIGN_SOFT ? d->strength : 1);
}

static void set_units(design *d, const pt_design_data *data, double strength)
{
    const int64_t count = data->m * data->ell;
    d->unit = largest_of(data->H, count);
    if (!(d->unit > 0))
        d->unit = 1;
    for (int64_t j = 0; j < count; j++)
        d->H[j] = data->H[j] / d->unit;
    d->data = *data;
    d->data.H = d->H;
    d->strength = d->unit * strength;
    d->factor = 1;
    double least = 1; /* cost */
    for (int64_t i = 0; i < data->m && d->form != PT_DESIGN_SEPARABLE; i++)
        least = fmin(least, slack_cost(d, i));
    d->factor = 1 / least;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* The program without the rows of the pairs: a frame to which some of them are added. Columns: u,
 * or P and N; g; xi. */
static pt_status make_frame(pt_program *out, const design *d, pt_error *err)
{
    const bool one = d->norm == PT_NORM_1;
    const bool hard = d->form == PT_DESIGN_HARD;
    const int64_t rows = one ? hard : hard ? 0 : d->n;
    const int64_t entries = d->signs * d->n;
    const int64_t others = (!one && !hard) + (d->slack >= 0 ? d->data.m : 0);
    int at = 0;
    int64_t column = 0;
    PT_TRY(pt_program_init(out, entries + others, rows, 2 * entries, err));
    for (int64_t j = 0; j < entries; j++) {
        if (rows > 0) {
            out->index[at] = one ? 0 : (int)j;
            out->value[at++] = 1;
        }
        out->cost[column] = one && !hard;
        out->upper[column] = !one && hard ? 2 * d->strength : HUGE_VAL;
        out->start[++column] = at;
    }
    if (!one && !hard) {
        for (int64_t j = 0; j < d->n; j++) {
            out->index[at] = (int)j;
            out->value[at++] = -2;
        }
        out->cost[column] = 1;
        out->start[++column] = at;
    }
    for (int64_t i = 0; i < d->data.m && d->slack >= 0; i++) {
        out->cost[column] = slack_cost(d, i);
        out->start[++column] = at;
    }
    for (int64_t j = 0; j < rows; j++)
        out->row_upper[j] = one ? d->strength : 0;
    return PT_OK;
}

/* Row (i, r), >= b_ir: returns how many entries, at most 4 ell + 1. */
static int64_t fill_row(const design *d, int64_t i, int64_t r, int *index, double *value)
{
    const int64_t ell = d->data.ell;
    const int64_t class_of_side[] = {d->data.class_of[i], r};
    int64_t at = 0;
    for (int side = 0; side < 2; side++)
        for (int64_t t = 0; t < ell; t++) {
            const double h = d->data.H[i * ell + t] * (side ? -1 : 1);
            const int64_t column = class_of_side[side] * ell + t;
            for (int64_t sign = 0; sign < d->signs && h != 0; sign++) {
                index[at] = (int)(sign * d->n + column);
                value[at++] = sign ? -h : h;
            }
        }
    if (d->slack >= 0) {
        index[at] = (int)(d->slack + i);
        value[at++] = 1;
    }
    return at;
}

/* M <- from the solution of the program: P - N; or u_rt less the middle of its column: what no
 * class uses is 0, and no entry is larger than g. */
static void take_code(design *d, const double *x)
{
    const int64_t k = d->data.k;
    const int64_t ell = d->data.ell;
    for (int64_t j = 0; j < d->n && d->norm == PT_NORM_1; j++)
        d->M[j] = x[j] - x[d->n + j];
    for (int64_t t = 0; t < ell && d->norm == PT_NORM_INF; t++) {
        double least = HUGE_VAL;
        double most = -HUGE_VAL;
        for (int64_t r = 0; r < k; r++) {
            least = fmin(least, x[r * ell + t]);
            most = fmax(most, x[r * ell + t]);
        }
        for (int64_t r = 0; r < k; r++)
            d->M[r * ell + t] = x[r * ell + t] - (least + most) / 2;
    }
}

static pt_status open_design(design *d, pt_arena *arena, const pt_design_data *data,
                             double strength, pt_error *err)
{
    const int64_t block = BLOCK * (4 * data->ell + 1);
    const int64_t pairs = data->m * data->k;
    const bool bounded = d->norm == PT_NORM_INF && d->form != PT_DESIGN_HARD; /* by g */
    d->n = data->k * data->ell;
    d->signs = d->norm == PT_NORM_1 ? 2 : 1;
    d->slack = d->form == PT_DESIGN_SEPARABLE ? -1 : d->signs * d->n + bounded;
    PT_TRY(PT_ARENA(arena, "a code design", err, PT_PIECE(d->H, data->m * data->ell),
                    PT_PIECE(d->M, d->n), PT_PIECE(d->V, d->n), PT_PIECE(d->scores, pairs),
                    PT_PIECE(d->eta, pairs), PT_PIECE(d->work, pairs), PT_PIECE(d->pair, pairs),
                    PT_PIECE(d->in, pairs), PT_PIECE(d->index, block), PT_PIECE(d->value, block)));
    memset(d->M, 0, (size_t)d->n * sizeof *d->M);
    memset(d->eta, 0, (size_t)pairs * sizeof *d->eta);
    memset(d->in, 0, (size_t)pairs * sizeof *d->in);
    set_units(d, data, strength);

    PT_FREED_BY(pt_program_free) pt_program frame = {0};
    PT_TRY(make_frame(&frame, d, err));
    for (int64_t j = 0; j < frame.columns; j++)
        frame.cost[j] *= d->factor;
    d->frame = frame.rows;
    d->entries = frame.start[frame.columns];
    return pt_lp_new(&d->lp, &frame, err);
}

/* Rows from `first` on are handed to Clp. */
static pt_status add_block(design *d, int64_t first, int64_t count, pt_error *err)
{
    int begin[BLOCK + 1] = {0};
    double lower[BLOCK];
    double upper[BLOCK];
    for (int64_t j = 0; j < count; j++) {
        const int64_t i = d->pair[first + j] / d->data.k;
        const int64_t r = d->pair[first + j] % d->data.k;
        lower[j] = pt_design_margin(&d->data, i, r);
        upper[j] = HUGE_VAL;
        begin[j + 1] = begin[j] + (int)fill_row(d, i, r, d->index + begin[j], d->value + begin[j]);
    }
    d->entries += begin[count];
    return pt_lp_add_rows(d->lp, count, begin, d->index, d->value, lower, upper, err);
}

static pt_status add_rows(design *d, int64_t first, const pt_task *task, pt_error *err)
{
    const int64_t entries = d->entries + (d->rows - first) * (2 * d->signs * d->data.ell + 1);
    const double bytes = pt_lp_bytes(d->signs * d->n + d->data.m, d->frame + d->rows, entries);
    if (bytes > (double)pt_task_memory(task))
        return pt_fail(err, PT_EMEMORY,
                       "a linear program of %lld rows and %lld entries needs %s of memory; "
                       "%s may be used: raise --memory, or design on fewer examples",
                       (long long)(d->frame + d->rows), (long long)entries, PT_SHOW_BYTES(bytes),
                       PT_SHOW_BYTES(pt_task_memory(task)));
    for (int64_t at = first; at < d->rows; at += BLOCK) {
        const int64_t count = pt_lesser(d->rows - at, BLOCK);
        /* Clp copies what it has at every block: minutes, where there are many classes. */
        PT_TRY(pt_task_check(task, err));
        PT_TRY(add_block(d, at, count, err));
    }
    return PT_OK;
}

static void take(design *d, int64_t pair)
{
    d->in[pair] = 1;
    d->pair[d->rows++] = pair;
}

/* Where there are few pairs all of them, else those with a share in a rough dual solution. */
static pt_status choose_first(design *d, const pt_task *task, pt_error *err)
{
    const pt_design_data *data = &d->data;
    const bool all = data->m * (data->k - 1) <= FEW_PAIRS;
    if (!all)
        PT_TRY(pt_design_start(d->eta, data, d->norm, d->form, d->strength, task, err));
    int64_t shares = 0;
    for (int64_t j = 0; j < data->m * data->k; j++)
        shares += d->eta[j] > 0;
    const double part = shares > data->m + d->n ? MAIN_SHARE : 0;
    for (int64_t i = 0; i < data->m; i++) {
        const double *eta = d->eta + i * data->k;
        const double least = part * largest_of(eta, data->k);
        for (int64_t r = 0; r < data->k; r++)
            if (r != data->class_of[i] && (all || (eta[r] > 0 && eta[r] >= least)))
                take(d, i * data->k + r);
    }
    return PT_OK;
}

/* b_ir - h_i . (M_y - M_r): what xi_i has to be at least. */
static double need_of(const design *d, int64_t i, int64_t r)
{
    const double *scores = d->scores + i * d->data.k;
    return pt_design_margin(&d->data, i, r) - scores[d->data.class_of[i]] + scores[r];
}

static double slack_of(const design *d, int64_t i)
{
    double xi = 0;
    for (int64_t r = 0; r < d->data.k; r++)
        xi = fmax(xi, need_of(d, i, r));
    return xi;
}

/* Of each example the row that the solution breaks most. */
static void choose_broken(design *d, const double *x)
{
    const int64_t k = d->data.k;
    for (int64_t i = 0; i < d->data.m; i++) {
        const double xi = d->slack >= 0 ? x[d->slack + i] : 0;
        double most = BROKEN;
        int64_t worst = -1;
        for (int64_t r = 0; r < k; r++) {
            if (r == d->data.class_of[i] || d->in[i * k + r])
                continue;
            const double by = need_of(d, i, r) - xi;
            if (by > most) {
                most = by;
                worst = r;
            }
        }
        if (worst >= 0)
            take(d, i * k + worst);
    }
}

static pt_status no_solution(const design *d, pt_lp_end end, pt_error *err)
{
    if (d->form == PT_DESIGN_SEPARABLE && end == PT_LP_INFEASIBLE)
        return pt_fail(err, PT_ENUMERIC,
                       "not separable: no code gives every example its margin on these outputs; "
                       "take the soft or the hard form, which allow for slack");
    return pt_fail(err, PT_ENUMERIC,
                   "the linear program of the code has a solution that was not found: outputs, "
                   "weights or costs of very different size");
}

/* eta <- the prices of the rows, in units where the norm costs 1. */
static void take_prices(design *d, const double *price)
{
    memset(d->eta, 0, (size_t)(d->data.m * d->data.k) * sizeof *d->eta);
    for (int64_t j = 0; j < d->rows; j++)
        d->eta[d->pair[j]] = fmax(price[d->frame + j], 0) / d->factor;
}

/* eta is made feasible: sums at most what slack costs, v at most 1. Returns its value. */
static double dual_value(design *d)
{
    const pt_design_data *data = &d->data;
    const bool hard = d->form == PT_DESIGN_HARD;
    double value = 0;
    for (int64_t i = 0; i < data->m; i++) {
        double *eta = d->eta + i * data->k;
        const double sum = sum_of(eta, data->k);
        const double cap = pt_weight(data->weight, i) * (hard ? 1 : d->strength);
        const double scale = d->slack >= 0 && sum > cap ? cap / sum : 1;
        for (int64_t r = 0; r < data->k; r++) {
            eta[r] *= scale;
            value += eta[r] * pt_design_margin(data, i, r);
        }
    }
    pt_design_pull(d->V, data, d->eta, d->work);
    const double length = dual_norm_of(d, d->V);
    return hard ? value - d->strength * length : value / fmax(1, length);
}

/* Slack and norm are those of M as it is; values in the units of the caller. */
static void report(design *d, bool optimal, pt_design_result *result)
{
    const bool hard = d->form == PT_DESIGN_HARD;
    const double C = d->strength / d->unit;
    const double norm = norm_of(d, d->M);
    if (hard && norm > d->strength) /* by rounding */
        for (int64_t j = 0; j < d->n; j++)
            d->M[j] *= d->strength / norm;
    pt_design_scores(d->scores, &d->data, d->M);
    *result =
        (pt_design_result){.norm = norm_of(d, d->M) / d->unit, .steps = d->pivots, .rows = d->rows};
    for (int64_t i = 0; i < d->data.m; i++)
        result->slack += pt_weight(d->data.weight, i) * slack_of(d, i);
    const double dual = dual_value(d);
    result->dual = hard ? dual : dual / d->unit;
    result->primal =
        hard ? result->slack : result->norm + (d->form == PT_DESIGN_SOFT ? C * result->slack : 0);
    const double gap = result->primal - result->dual;
    result->converged = optimal && gap <= PROVED * fmax(fabs(result->primal), PROVED);
}

/* Whether the code of zeros costs no more than the dual solution in eta is worth. */
static bool zero_is_best(design *d)
{
    const double price = d->form == PT_DESIGN_HARD ? 1 : d->strength;
    double cost = 0;
    if (d->slack < 0)
        return false;
    memset(d->scores, 0, (size_t)(d->data.m * d->data.k) * sizeof *d->scores);
    for (int64_t i = 0; i < d->data.m; i++)
        cost += price * pt_weight(d->data.weight, i) * slack_of(d, i);
    return cost - dual_value(d) <= ROUNDING * cost;
}

/* M <- the code, eta <- a dual solution. */
static pt_status solve(design *d, bool *optimal, const pt_task *task, pt_error *err)
{
    pt_lp_answer answer = {0};
    int64_t first = 0;
    PT_TRY(choose_first(d, task, err));
    *optimal = zero_is_best(d);
    if (*optimal)
        return PT_OK;
    for (;;) {
        PT_TRY(add_rows(d, first, task, err));
        PT_TRY(pt_lp_solve(d->lp, &answer, task, err));
        d->pivots += answer.pivots;
        if (answer.end == PT_LP_INFEASIBLE || answer.end == PT_LP_UNBOUNDED)
            return no_solution(d, answer.end, err);
        take_code(d, answer.x);
        if (answer.end == PT_LP_STOPPED)
            break;
        pt_design_scores(d->scores, &d->data, d->M);
        first = d->rows;
        choose_broken(d, answer.x);
        if (d->rows == first) /* no row is broken */
            break;
        /* Examples all of whose rows hold. */
        pt_task_progress(task, "design", (double)(d->data.m - (d->rows - first)),
                         (double)d->data.m);
        pt_task_say(task, PT_DEBUG, PT_KIND_PROGRESS, "code design: %lld rows, %lld pivots",
                    (long long)d->rows, (long long)d->pivots);
    }
    take_prices(d, answer.price);
    *optimal = answer.end == PT_LP_OPTIMAL;
    return PT_OK;
}

static void close_lp(design *d)
{
    pt_lp_free(d->lp);
}

pt_status pt_design_lp(pt_designed *out, const pt_design_data *data, const pt_design_how *how,
                       pt_design_result *result, const pt_task *task, pt_error *err)
{
    const double strength = how->form == PT_DESIGN_HARD ? how->A : how->C;
    bool optimal = false;
    PT_TRY(check_data(data, how->form, strength, err));
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_FREED_BY(close_lp) design d = {.norm = how->norm, .form = how->form};
    PT_TRY(open_design(&d, &arena, data, strength, err));
    PT_TRY(solve(&d, &optimal, task, err));
    report(&d, optimal, result);
    double *M = NULL;
    PT_TRY(PT_NEW(M, d.n, "a code", err));
    for (int64_t j = 0; j < d.n; j++)
        M[j] = d.M[j] / d.unit;
    return pt_designed_from_rows(out, data->k, data->ell, M, err);
}
