/* The numbers of a calibration (probability.c) that fit held-out scores: of classes, with
 * p(t, h, a, e) as there and f = d,
 *
 *     minimise   - sum_i w_i ( (1 - d) log p_{i,y_i} + d log p_{i,z_i} )
 *                + (log h)^2 / (2 H^2) + (log(t u^h) - M)^2 / (2 T^2) .
 *
 *   y_i       the class of row i; z_i the one with the largest score of the others
 *   w_i       its weight; the weights are scaled to the sum n
 *   n         rows, or what the weights stand for: pt_effective_rows
 *   d         1 / (n + 2)
 *   u         the mean difference of a score from the largest of its row, the unit of scores
 *
 * The targets 1 - d and d in place of 1 and 0 are Platt's (1999): as if one row more, shared out
 * among all, were taken for the class beside its own. Without them t has no bound where the
 * held-out scores separate the classes, which those of a few rows often do. The other two terms are
 * normal priors, wide ones: they settle what some tens of rows leave open, and some hundred rows do
 * not feel them.
 *
 * For given t, h, a the sum is convex in e, and the zero of its derivative is found by Newton's
 * method. The other three are looked for on a grid, since the minimum need not be the only one,
 * then by the simplex method of Nelder and Mead (1965) from the best of it, twice: where there are
 * many rows, among SEARCH_ROWS of them first, since a fit must not take longer than a fast machine
 * takes to train.
 *
 * Then, with all these as they are, each class c that is predicted gets t_c = t x_c and an e_c of
 * its own: the same sum over the rows of which c is the first, with priors that draw both to what
 * all rows have in common,
 *
 *     + (log x_c)^2 / (2 X^2) - N (e log e_c + (1 - e) log(1 - e_c)) ,
 *
 * the second as if N rows more had been seen. For a given x_c it is convex in e_c again; x_c is
 * found by golden sections.
 *
 * A calibration without a fold is the same of the other rows; of more than COMMON_ROWS, t, h and a
 * are those of all, which no fifth of so many rows moves, and the rest is fitted again. d/k, which
 * is added to all probabilities, stays that of all rows: else rows that are sure would look less so
 * than new ones.
 *
 * Of sets, over all rows and classes, with y = 1 in the set and -1 outside,
 *
 *     minimise over t > 0   sum w ( (1 - d) log(1 + exp(-t y s)) + d log(1 + exp(t y s)) ) ,
 *
 * which is convex; h = 1, a = e = 0. */
#include "validate/probability/calibrate.h"

#include <float.h>
#include <math.h>

#include "base/alloc.h"
#include "base/math.h"
#include "kernels/loops.h"

static const double POWER_SPREAD = 0.5; /* H */
static const double WORTH_MIDDLE = 2;   /* M */
static const double WORTH_SPREAD = 2;   /* T */
static const double SAID_SPREAD = 0.3;  /* X */
static const double SAID_ROWS = 20;     /* N */

enum { SEARCH_ROWS = 400, COMMON_ROWS = 500 };
/* The part of the loss at which the search ends. That of 1600 rows is some hundred or thousand, and
 * numbers that are off by a standard error change it by 1/2: below there is nothing to learn. */
static const double ENOUGH = 1e-5;

/* Of the rows but every n_folds-th from `fold` on (n_folds 0: of all); *sum <- their weights. */
static double effective_rows(const double *weight, int64_t n, int64_t n_folds, int64_t fold,
                             double *sum)
{
    double squares = 0;
    bool whole = true;
    *sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (n_folds > 0 && i % n_folds == fold)
            continue;
        const double w = pt_weight(weight, i);
        *sum += w;
        squares += w * w;
        whole = whole && w == floor(w);
    }
    return whole || !(squares > 0) ? *sum : *sum * *sum / squares;
}

double pt_effective_rows(const double *weight, int64_t n)
{
    double sum = 0;
    return effective_rows(weight, n, 0, 0, &sum);
}

/* What is looked for beside e. */
enum { WORTH, POWER, FREQUENCY, N_UNKNOWN }; /* log(t u^h), log h, a */
static const double LOWEST[N_UNKNOWN] = {-7, -2, 0};
static const double HIGHEST[N_UNKNOWN] = {9, 2, 1};

typedef struct fitter {
    const pt_held_out_scores *held_out;
    const pt_loops *loops;
    double rows;      /* effective */
    double smooth;    /* d */
    double per_unit;  /* what weights are multiplied by: their sum is `rows` then */
    double unit;      /* u, of all rows */
    double log_unit;  /* of the rows that are not left out, in units of u: 0 of all */
    int64_t *top;     /* n: the class of largest score */
    int64_t *other;   /* n: the best but the true one */
    double *gap;      /* n x k: log of the largest score of a row minus each of them, in units */
    double *log_rows; /* k: log(n_r + 1); NULL: not known */
    /* of one point: what classes y_i and z_i have by scores, and without them */
    double *own;
    double *own_base;
    double *beside;
    double *beside_base;
    double mixing;      /* the best there */
    double *class_base; /* k: (n_r + 1)^a */
    double *block;      /* BLOCK rows x k: gaps that become what classes have by scores */
    /* rows that count: all, or those of one predicted class */
    const int64_t *scope;
    int64_t n_scope;
    double common;      /* e of all rows, */
    double common_rows; /* and how many rows it stands for: 0 or N */
    /* every n_folds-th row from `fold` on is left out; 0: none is */
    int64_t n_folds;
    int64_t fold;
} fitter;

static bool is_left_out(const fitter *f, int64_t i)
{
    return f->n_folds > 0 && i % f->n_folds == f->fold;
}

static double weight_of(const fitter *f, int64_t i)
{
    return f->held_out->weight ? f->per_unit * f->held_out->weight[i] : 1;
}

/* rows, smooth and per_unit <- those of the rows that are not left out. */
static void set_rows(fitter *f)
{
    double sum = 0;
    f->rows = effective_rows(f->held_out->weight, f->held_out->n, f->n_folds, f->fold, &sum);
    f->smooth = pt_least_floor(f->rows);
    f->per_unit = sum > 0 ? f->rows / sum : 1;
}

/* ---- one point ------------------------------------------------------------------------------- */

/* Rows that are worked on together, side by side, so that the loops over them are vectors: fewer of
 * many classes, so that they stay in the cache. */
enum { BLOCK = 32, LEAST_BLOCK = 8, BLOCK_CELLS = 1 << 14 };

/* Of rows i[0] .. i[m-1]. */
static void set_block(fitter *f, const double *at, const int64_t *i, int64_t m)
{
    const int64_t k = f->held_out->k;
    const double power = exp(at[POWER]);
    const double worth = at[WORTH] - power * f->log_unit;
    double inverse[BLOCK] = {0}; /* of (n_r + 1)^a of the predicted class */
    double sum[BLOCK] = {0};
    double base_sum[BLOCK] = {0};
    for (int64_t j = 0; j < m; j++) {
        inverse[j] = 1 / f->class_base[f->top[i[j]]];
        for (int64_t r = 0; r < k; r++)
            f->block[r * m + j] = worth + power * f->gap[i[j] * k + r];
    }
    f->loops->exp(f->block, m * k, 1);
    f->loops->exp(f->block, m * k, -1);
    for (int64_t r = 0; r < k; r++) {
        double *q = f->block + r * m;
        for (int64_t j = 0; j < m; j++) {
            const double share = f->class_base[r] * inverse[j];
            const double base = share < 1 ? share : 1;
            q[j] *= base;
            sum[j] += q[j];
            base_sum[j] += base;
        }
    }
    for (int64_t j = 0; j < m; j++) {
        const int64_t y = f->held_out->class_of[i[j]];
        const int64_t z = f->other[i[j]];
        f->own[i[j]] = f->block[y * m + j] / sum[j];
        f->beside[i[j]] = f->block[z * m + j] / sum[j];
        f->own_base[i[j]] = fmin(f->class_base[y] * inverse[j], 1) / base_sum[j];
        f->beside_base[i[j]] = fmin(f->class_base[z] * inverse[j], 1) / base_sum[j];
    }
}

static void set_point(fitter *f, const double *at)
{
    for (int64_t r = 0; r < f->held_out->k; r++)
        f->class_base[r] = f->log_rows ? exp(at[FREQUENCY] * f->log_rows[r]) : 1;
    const int64_t block = pt_greater(LEAST_BLOCK, pt_lesser(BLOCK, BLOCK_CELLS / f->held_out->k));
    for (int64_t first = 0; first < f->n_scope; first += block) {
        const int64_t left = f->n_scope - first;
        set_block(f, at, f->scope + first, left < block ? left : block);
    }
}

static double mixed(const fitter *f, double q, double base, double e)
{
    return (1 - e - f->smooth) * q + e * base + f->smooth / (double)f->held_out->k;
}

/* The derivative of the sum by e, and its own. */
static double slope_of_mixing(const fitter *f, double e, double *curvature)
{
    double slope = 0;
    *curvature = 0;
    for (int64_t j = 0; j < f->n_scope; j++) {
        const int64_t i = f->scope[j];
        const double own = (f->own[i] - f->own_base[i]) / mixed(f, f->own[i], f->own_base[i], e);
        const double beside =
            (f->beside[i] - f->beside_base[i]) / mixed(f, f->beside[i], f->beside_base[i], e);
        slope += weight_of(f, i) * ((1 - f->smooth) * own + f->smooth * beside);
        *curvature += weight_of(f, i) * ((1 - f->smooth) * own * own + f->smooth * beside * beside);
    }
    if (f->common_rows > 0) {
        const double inside = f->common > 0 ? f->common / e : 0;
        const double outside = (1 - f->common) / (1 - e);
        slope += f->common_rows * (outside - inside);
        *curvature += f->common_rows * (outside / (1 - e) + inside / e);
    }
    return slope;
}

/* By Newton's method, kept between points where the slope is known to be on either side of 0. */
static double best_mixing(const fitter *f)
{
    enum { STEPS = 60 };
    double low = 0;
    double high = 1 - f->smooth;
    double curvature = 0;
    if (slope_of_mixing(f, low, &curvature) >= 0)
        return low;
    double e = f->mixing > low && f->mixing < high ? f->mixing : high / 2;
    for (int step = 0; step < STEPS; step++) {
        const double slope = slope_of_mixing(f, e, &curvature);
        if (slope < 0)
            low = e;
        else
            high = e;
        const double newton = e - slope / curvature;
        const double next = newton > low && newton < high ? newton : (low + high) / 2;
        if (fabs(next - e) < 1e-7)
            return next;
        e = next;
    }
    return e;
}

static double half_square(double x)
{
    return x * x / 2;
}

/* The sum over the rows that count, at a point and the best e there. */
static double loss_of_rows(fitter *f, const double *at)
{
    set_point(f, at);
    const double e = best_mixing(f);
    double loss = 0;
    for (int64_t j = 0; j < f->n_scope; j++) {
        const int64_t i = f->scope[j];
        loss -= weight_of(f, i) * ((1 - f->smooth) * log(mixed(f, f->own[i], f->own_base[i], e)) +
                                   f->smooth * log(mixed(f, f->beside[i], f->beside_base[i], e)));
    }
    f->mixing = e;
    return loss;
}

/* What is minimised for all rows. */
static double loss_at(fitter *f, const double *at)
{
    return half_square(at[POWER] / POWER_SPREAD) +
           half_square((at[WORTH] - WORTH_MIDDLE) / WORTH_SPREAD) + loss_of_rows(f, at);
}

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct vertex {
    double at[N_UNKNOWN];
    double loss;
} vertex;

/* The vertex from + step * (to - from), kept within its bounds. */
static vertex step_from(fitter *f, const double *from, const double *to, double step)
{
    vertex v;
    for (int u = 0; u < N_UNKNOWN; u++)
        v.at[u] = fmin(fmax(from[u] + step * (to[u] - from[u]), LOWEST[u]), HIGHEST[u]);
    v.loss = loss_at(f, v.at);
    return v;
}

/* By insertion: four vertices. */
static void sort_vertices(vertex *v)
{
    for (int i = 1; i <= N_UNKNOWN; i++) {
        const vertex moved = v[i];
        int at = i;
        for (; at > 0 && v[at - 1].loss > moved.loss; at--)
            v[at] = v[at - 1];
        v[at] = moved;
    }
}

/* Nelder and Mead, from a simplex with one corner at `start` and edges of `size` times EDGE, until
 * its corners differ by less than a part of `tolerance`. */
static vertex descend(fitter *f, vertex start, double size, double tolerance)
{
    enum { STEPS = 100 };
    static const double EDGE[N_UNKNOWN] = {0.5, 0.3, 0.3};
    vertex v[N_UNKNOWN + 1];
    v[0] = start;
    for (int u = 0; u < N_UNKNOWN; u++) {
        v[u + 1] = start;
        const double edge = size * EDGE[u];
        v[u + 1].at[u] += start.at[u] + edge > HIGHEST[u] ? -edge : edge;
        v[u + 1].loss = loss_at(f, v[u + 1].at);
    }
    for (int step = 0; step < STEPS; step++) {
        sort_vertices(v);
        vertex *worst = &v[N_UNKNOWN];
        if (worst->loss - v[0].loss < tolerance * (1 + fabs(v[0].loss)))
            break;
        double middle[N_UNKNOWN] = {0};
        for (int i = 0; i < N_UNKNOWN; i++)
            for (int u = 0; u < N_UNKNOWN; u++)
                middle[u] += v[i].at[u] / N_UNKNOWN;
        const vertex mirrored = step_from(f, middle, worst->at, -1);
        if (mirrored.loss < v[0].loss) {
            const vertex further = step_from(f, middle, worst->at, -2);
            *worst = further.loss < mirrored.loss ? further : mirrored;
        } else if (mirrored.loss < v[N_UNKNOWN - 1].loss) {
            *worst = mirrored;
        } else {
            const vertex inner =
                step_from(f, middle, worst->at, mirrored.loss < worst->loss ? -0.5 : 0.5);
            if (inner.loss < worst->loss)
                *worst = inner;
            else
                for (int i = 1; i <= N_UNKNOWN; i++)
                    v[i] = step_from(f, v[0].at, v[i].at, 0.5);
        }
    }
    sort_vertices(v);
    return v[0];
}

/* What is minimised for the rows of one predicted class, log x_c being given. */
static double loss_of_said(fitter *f, const double *common_at, double log_worth)
{
    const double at[N_UNKNOWN] = {[WORTH] = common_at[WORTH] + log_worth,
                                  [POWER] = common_at[POWER],
                                  [FREQUENCY] = common_at[FREQUENCY]};
    const double loss = loss_of_rows(f, at) + half_square(log_worth / SAID_SPREAD);
    const double e = f->mixing;
    return loss - f->common_rows *
                      ((f->common > 0 ? f->common * log(e) : 0) + (1 - f->common) * log(1 - e));
}

/* By golden sections over four standard deviations of the prior. */
static pt_said fit_said(fitter *f, const double *common_at)
{
    enum { SECTIONS = 10 };
    static const double GOLDEN = 0.6180339887498949;
    double low = -4 * SAID_SPREAD;
    double high = 4 * SAID_SPREAD;
    double inner[2] = {high - GOLDEN * (high - low), low + GOLDEN * (high - low)};
    double loss[2] = {loss_of_said(f, common_at, inner[0]), loss_of_said(f, common_at, inner[1])};
    for (int step = 0; step < SECTIONS; step++)
        if (loss[0] <= loss[1]) {
            high = inner[1];
            inner[1] = inner[0];
            loss[1] = loss[0];
            inner[0] = high - GOLDEN * (high - low);
            loss[0] = loss_of_said(f, common_at, inner[0]);
        } else {
            low = inner[0];
            inner[0] = inner[1];
            loss[0] = loss[1];
            inner[1] = low + GOLDEN * (high - low);
            loss[1] = loss_of_said(f, common_at, inner[1]);
        }
    const double log_worth = (low + high) / 2;
    loss_of_said(f, common_at, log_worth);
    return (pt_said){exp(log_worth), f->mixing};
}

/* rows: n, work. What is common stands where no row is predicted so. */
static void fit_each_said(fitter *f, const double *common_at, int64_t *rows, pt_said *said)
{
    f->scope = rows;
    f->common = f->mixing;
    f->common_rows = SAID_ROWS;
    for (int64_t c = 0; c < f->held_out->k; c++) {
        f->n_scope = 0;
        for (int64_t i = 0; i < f->held_out->n; i++)
            if (f->top[i] == c && !is_left_out(f, i))
                rows[f->n_scope++] = i;
        said[c] = f->n_scope > 0 ? fit_said(f, common_at) : (pt_said){1, f->common};
    }
}

/* Every `step`-th row counts. */
static void take_rows(fitter *f, int64_t *rows, int64_t step)
{
    f->scope = rows;
    f->n_scope = 0;
    for (int64_t i = 0; i < f->held_out->n; i += step)
        if (!is_left_out(f, i))
            rows[f->n_scope++] = i;
}

/* The calibration whose common numbers are those of `at`. said: k, is its own then. rows: n, work.
 */
static void fit_at(fitter *f, const double *at, int64_t *rows, pt_said *said, pt_calibration *out)
{
    take_rows(f, rows, 1);
    loss_at(f, at);
    const double power = exp(at[POWER]);
    *out = (pt_calibration){.temperature = exp(at[WORTH] - power * (log(f->unit) + f->log_unit)),
                            .power = power,
                            .frequency = f->log_rows ? at[FREQUENCY] : 0,
                            .mixing = f->mixing,
                            .floor = f->smooth,
                            .given = f->held_out->given,
                            .said = said};
    fit_each_said(f, at, rows, said);
    f->common_rows = 0;
}

/* Where the common numbers of a calibration are. */
static vertex point_of(const fitter *f, const pt_calibration *c)
{
    const double log_unit = log(f->unit) + f->log_unit;
    return (vertex){.at = {[WORTH] = log(c->temperature) + c->power * log_unit,
                           [POWER] = log(c->power),
                           [FREQUENCY] = c->frequency}};
}

/* rows: n, work. */
static void fit_classes(fitter *f, int64_t *rows, pt_said *said, pt_calibration *out)
{
    take_rows(f, rows, 1 + f->held_out->n / SEARCH_ROWS);
    vertex best = {.loss = INFINITY};
    for (double frequency = 0; frequency <= (f->log_rows ? 1 : 0); frequency++)
        for (double worth = -3; worth <= 5; worth++) {
            vertex v = {.at = {[WORTH] = worth, [FREQUENCY] = frequency}};
            v.loss = loss_at(f, v.at);
            if (v.loss < best.loss)
                best = v;
        }
    best = descend(f, best, 1, 1e-4);
    take_rows(f, rows, 1);
    best.loss = loss_at(f, best.at);
    best = descend(f, best, 0.25, ENOUGH);
    fit_at(f, best.at, rows, said, out);
}

/* ---- classes --------------------------------------------------------------------------------- */

/* gap (not yet in units, nor a logarithm), top and other <- those of row i. */
static void measure_row(fitter *f, int64_t i)
{
    const int64_t k = f->held_out->k;
    const double *s = f->held_out->scores + i * k;
    const int64_t truth = f->held_out->class_of[i];
    int64_t top = 0;
    int64_t other = truth == 0 && k > 1 ? 1 : 0;
    for (int64_t r = 1; r < k; r++) {
        top = s[r] > s[top] ? r : top;
        other = r != truth && s[r] > s[other] ? r : other;
    }
    f->top[i] = top;
    f->other[i] = other;
    for (int64_t r = 0; r < k; r++)
        f->gap[i * k + r] = f->held_out->given ? log(s[top] / s[r]) : s[top] - s[r];
}

/* The mean of differences; probabilities of 0 are infinitely far from the others. */
static double mean_gap(const fitter *f, double gap_of(double stored))
{
    const int64_t k = f->held_out->k;
    double sum = 0;
    double weight = 0;
    for (int64_t i = 0; i < f->held_out->n; i++)
        for (int64_t r = 0; r < k && !is_left_out(f, i); r++) {
            const double gap = gap_of(f->gap[i * k + r]);
            if (isfinite(gap)) {
                sum += weight_of(f, i) * gap;
                weight += weight_of(f, i);
            }
        }
    return sum / weight;
}

static double itself(double x)
{
    return x;
}

/* Scores that are apart by less than a number can be divided by, as where ties at 0 were settled by
 * the last bit, say nothing. */
static bool says_something(double unit)
{
    return isfinite(unit) && unit > 1e4 / DBL_MAX;
}

static void fitter_free(fitter *f)
{
    pt_free(f->log_rows);
    pt_free(f->class_base);
    pt_free(f->top);
    pt_free(f->own);
    pt_free(f->gap);
}

/* rows: n, for work. */
static pt_status fitter_open(fitter *f, const pt_held_out_scores *held_out, int64_t **rows,
                             pt_error *err)
{
    const int64_t n = held_out->n;
    const int64_t k = held_out->k;
    *f = (fitter){.held_out = held_out, .loops = pt_loops_of(pt_isa_chosen(), PT_F64)};
    set_rows(f);
    PT_TRY(PT_NEW(f->gap, n * k, "differences of scores", err));
    PT_TRY(PT_NEW(f->own, n * 4, "probabilities", err));
    PT_TRY(PT_NEW(f->top, n * 3, "classes", err));
    PT_TRY(PT_NEW(f->class_base, k * (1 + BLOCK), "probabilities", err));
    f->own_base = f->own + n;
    f->beside = f->own_base + n;
    f->beside_base = f->beside + n;
    f->other = f->top + n;
    f->block = f->class_base + k;
    *rows = f->other + n;
    if (held_out->class_rows)
        PT_TRY(PT_NEW(f->log_rows, k, "frequencies of classes", err));
    for (int64_t i = 0; i < n; i++)
        measure_row(f, i);
    for (int64_t r = 0; r < k && held_out->class_rows; r++)
        f->log_rows[r] = log(held_out->class_rows[r] + 1);
    f->unit = mean_gap(f, itself);
    for (int64_t c = 0; c < n * k; c++)
        f->gap[c] = log(f->gap[c] / f->unit);
    return PT_OK;
}

static pt_status calibrate_classes(pt_calibration *out, const pt_held_out_scores *held_out,
                                   pt_error *err)
{
    PT_FREED_BY(fitter_free) fitter f = {.held_out = NULL};
    int64_t *rows = NULL;
    pt_said *said = NULL;
    PT_TRY(fitter_open(&f, held_out, &rows, err));
    if (!says_something(f.unit))
        return PT_OK;
    PT_TRY(PT_NEW(said, held_out->k, "a calibration", err));
    fit_classes(&f, rows, said, out);
    return PT_OK;
}

pt_status pt_calibrate_folds(pt_calibration *own, int64_t n_folds, const pt_calibration *whole,
                             const pt_held_out_scores *held_out, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(fitter_free) fitter f = {.held_out = NULL};
    int64_t *rows = NULL;
    PT_TRY(fitter_open(&f, held_out, &rows, err));
    f.n_folds = n_folds;
    for (f.fold = 0; f.fold < n_folds; f.fold++) {
        pt_said *said = NULL;
        PT_TRY(pt_task_check(task, err));
        set_rows(&f);
        own[f.fold] = pt_uncalibrated(f.rows, held_out->given);
        const double unit = mean_gap(&f, exp);
        if (!says_something(unit * f.unit))
            continue;
        PT_TRY(PT_NEW(said, held_out->k, "a calibration", err));
        f.log_unit = log(unit);
        if (held_out->n > COMMON_ROWS && whole->said) {
            f.mixing = whole->mixing;
            fit_at(&f, point_of(&f, whole).at, rows, said, &own[f.fold]);
        } else {
            fit_classes(&f, rows, said, &own[f.fold]);
        }
        own[f.fold].floor = whole->floor; /* it depends on how many rows there are alone */
    }
    return PT_OK;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static double slope_of_sets(const fitter *f, double t)
{
    const pt_held_out_scores *h = f->held_out;
    double slope = 0;
    for (int64_t i = 0; i < f->held_out->n; i++) {
        int64_t at = h->sets->start[i];
        double row = 0;
        for (int64_t r = 0; r < h->k; r++) {
            const bool member = at < h->sets->start[i + 1] && h->sets->item[at] == r;
            const double ys = (member ? 1 : -1) * h->scores[i * h->k + r];
            at += member;
            row += ys * (f->smooth - 1 / (1 + exp(t * ys)));
        }
        slope += weight_of(f, i) * row;
    }
    return slope;
}

static void calibrate_sets(const fitter *f, pt_calibration *out)
{
    double size = 0;
    for (int64_t c = 0; c < f->held_out->n * f->held_out->k; c++)
        size += fabs(f->held_out->scores[c]);
    size /= (double)(f->held_out->n * f->held_out->k);
    if (!says_something(size))
        return;
    /* ends that no data reach which say anything */
    double low = log(1e-3 / size);
    double high = log(1e3 / size);
    for (int step = 0; step < 40; step++) {
        const double middle = (low + high) / 2;
        if (slope_of_sets(f, exp(middle)) < 0)
            low = middle;
        else
            high = middle;
    }
    *out = (pt_calibration){exp((low + high) / 2), 1, 0, 0, f->smooth, false, NULL};
}

pt_status pt_calibrate(pt_calibration *out, const pt_held_out_scores *held_out, pt_error *err)
{
    if (held_out->class_of)
        return calibrate_classes(out, held_out, err);
    fitter f = {.held_out = held_out};
    set_rows(&f);
    calibrate_sets(&f, out);
    return PT_OK;
}
