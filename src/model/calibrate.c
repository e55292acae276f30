/* The temperature t and the mixing e of probabilities (model/probability.c) that fit held-out
 * scores: of classes, with q_ir(t) the softmax of t s_i and
 *
 *     p_ir(t, e) = (1 - e) q_ir(t) + e / k ,
 *
 *     minimise   - sum_i w_i ( (1 - d) log p_{i,y_i} + d log p_{i,z_i} )
 *     over       t > 0,  e0 <= e <= 1 .
 *
 *   y_i       the class of row i; z_i the one with the largest score of the others
 *   w_i       its weight; the weights are scaled to the sum n
 *   n         rows, or what the weights stand for: pt_effective_rows
 *   d, e0     1 / (n + 2)
 *
 * The targets 1 - d and d in place of 1 and 0 are Platt's (1999): as if one row more, shared out
 * among all, were taken for the class beside its own. Without them t has no bound where the
 * held-out scores separate the classes, which those of a few rows often do.
 *
 * For a given t the sum is convex in e, and the zero of its derivative is found by bisection. The
 * minimum over t is looked for on a grid of factors of 2, in units of the mean difference of
 * scores, since it need not be the only one; then by golden section around the best of them.
 *
 * Of sets, over all rows and classes, with y = 1 in the set and -1 outside,
 *
 *     minimise over t > 0   sum w ( (1 - d) log(1 + exp(-t y s)) + d log(1 + exp(t y s)) ) ,
 *
 * which is convex; e is e0. */
#include "model/calibrate.h"

#include <float.h>
#include <math.h>

#include "base/alloc.h"

double pt_effective_rows(const double *weight, int64_t n)
{
    double sum = 0;
    double squares = 0;
    bool whole = true;
    for (int64_t i = 0; weight && i < n; i++) {
        sum += weight[i];
        squares += weight[i] * weight[i];
        whole = whole && weight[i] == floor(weight[i]);
    }
    if (!weight)
        return (double)n;
    return whole || !(squares > 0) ? sum : sum * sum / squares;
}

typedef struct fitting {
    const pt_held_out_scores *held_out;
    double rows;     /* effective */
    double smooth;   /* d */
    double per_unit; /* what weights are multiplied by: their sum is `rows` then */
    double *gap;     /* n x k: the largest score of a row minus each of them */
    double *own;     /* n: q of the true class */
    double *beside;  /* n: q of the best other */
    int64_t *other;  /* n: that class */
} fitting;

static double weight_of(const fitting *f, int64_t i)
{
    return f->held_out->weight ? f->per_unit * f->held_out->weight[i] : 1;
}

/* ---- one point ------------------------------------------------------------------------------- */

static void set_temperature(fitting *f, double t)
{
    const int64_t k = f->held_out->k;
    for (int64_t i = 0; i < f->held_out->n; i++) {
        const double *gap = f->gap + i * k;
        double sum = 0;
        for (int64_t r = 0; r < k; r++)
            sum += exp(-t * gap[r]);
        f->own[i] = exp(-t * gap[f->held_out->class_of[i]]) / sum;
        f->beside[i] = exp(-t * gap[f->other[i]]) / sum;
    }
}

/* The derivative of the sum by e. */
static double slope_of_mixing(const fitting *f, double e)
{
    const double even = 1 / (double)f->held_out->k;
    double slope = 0;
    for (int64_t i = 0; i < f->held_out->n; i++)
        slope += weight_of(f, i) *
                 ((1 - f->smooth) * (f->own[i] - even) / ((1 - e) * f->own[i] + e * even) +
                  f->smooth * (f->beside[i] - even) / ((1 - e) * f->beside[i] + e * even));
    return slope;
}

static double best_mixing(const fitting *f)
{
    double low = pt_least_mixing(f->rows);
    double high = 1;
    if (slope_of_mixing(f, low) >= 0)
        return low;
    for (int step = 0; step < 40; step++) {
        const double middle = (low + high) / 2;
        if (slope_of_mixing(f, middle) < 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The sum at t and the best e, which goes to *mixing. */
static double loss_at(fitting *f, double t, double *mixing)
{
    set_temperature(f, t);
    const double e = best_mixing(f);
    const double floor_of_all = e / (double)f->held_out->k;
    double loss = 0;
    for (int64_t i = 0; i < f->held_out->n; i++)
        loss -= weight_of(f, i) * ((1 - f->smooth) * log((1 - e) * f->own[i] + floor_of_all) +
                                   f->smooth * log((1 - e) * f->beside[i] + floor_of_all));
    *mixing = e;
    return loss;
}

/* ---- classes --------------------------------------------------------------------------------- */

/* gap and other <- those of row i. */
static void measure_row(fitting *f, int64_t i)
{
    const int64_t k = f->held_out->k;
    const double *s = f->held_out->scores + i * k;
    const int64_t truth = f->held_out->class_of[i];
    double top = s[0];
    int64_t other = truth == 0 ? 1 : 0;
    for (int64_t r = 1; r < k; r++) {
        top = fmax(top, s[r]);
        if (r != truth && s[r] > s[other])
            other = r;
    }
    f->other[i] = k > 1 ? other : truth;
    for (int64_t r = 0; r < k; r++)
        f->gap[i * k + r] = f->held_out->given ? log(top / s[r]) : top - s[r];
}

/* The mean difference of scores; probabilities of 0 are infinitely far from the others. */
static double mean_gap(const fitting *f)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < f->held_out->n * f->held_out->k; c++)
        if (isfinite(f->gap[c])) {
            sum += f->gap[c];
            count++;
        }
    return sum / (double)count;
}

/* Scores that are apart by less than a number can be divided by, as where ties at 0 were settled by
 * the last bit, say nothing. */
static bool says_something(double unit)
{
    return isfinite(unit) && unit > 1e4 / DBL_MAX;
}

static const double GOLDEN = 0.6180339887498949;

static void fit_classes(fitting *f, double unit, pt_calibration *out)
{
    enum { POWERS = 10 }; /* of 2, up and down */
    double mixing = 0;
    int best = -POWERS;
    double smallest = INFINITY;
    for (int power = -POWERS; power <= POWERS; power++) {
        const double loss = loss_at(f, ldexp(1 / unit, power), &mixing);
        if (loss < smallest) {
            smallest = loss;
            best = power;
        }
    }
    double low = log(ldexp(1 / unit, best - 1));
    double high = log(ldexp(1 / unit, best + 1));
    double inner[2] = {high - GOLDEN * (high - low), low + GOLDEN * (high - low)};
    double loss[2] = {loss_at(f, exp(inner[0]), &mixing), loss_at(f, exp(inner[1]), &mixing)};
    while (high - low > 1e-5)
        if (loss[0] <= loss[1]) {
            high = inner[1];
            inner[1] = inner[0];
            loss[1] = loss[0];
            inner[0] = high - GOLDEN * (high - low);
            loss[0] = loss_at(f, exp(inner[0]), &mixing);
        } else {
            low = inner[0];
            inner[0] = inner[1];
            loss[0] = loss[1];
            inner[1] = low + GOLDEN * (high - low);
            loss[1] = loss_at(f, exp(inner[1]), &mixing);
        }
    const double t = exp((low + high) / 2);
    loss_at(f, t, &mixing);
    *out = (pt_calibration){t, mixing, f->held_out->given};
}

static pt_status calibrate_classes(fitting *f, pt_calibration *out, pt_error *err)
{
    const int64_t k = f->held_out->k;
    f->gap = pt_alloc(f->held_out->n, (size_t)k * sizeof(double), "differences of scores", err);
    f->own = pt_alloc(f->held_out->n, 2 * sizeof(double), "probabilities", err);
    f->other = pt_alloc(f->held_out->n, sizeof(int64_t), "classes", err);
    const pt_status status = f->gap && f->own && f->other ? PT_OK : PT_ENOMEM;
    if (status == PT_OK) {
        f->beside = f->own + f->held_out->n;
        for (int64_t i = 0; i < f->held_out->n; i++)
            measure_row(f, i);
        const double unit = mean_gap(f);
        if (says_something(unit))
            fit_classes(f, unit, out);
    }
    pt_free(f->other);
    pt_free(f->own);
    pt_free(f->gap);
    return status;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static double slope_of_sets(const fitting *f, double t)
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

static void calibrate_sets(const fitting *f, pt_calibration *out)
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
    *out = (pt_calibration){exp((low + high) / 2), pt_least_mixing(f->rows), false};
}

pt_status pt_calibrate(pt_calibration *out, const pt_held_out_scores *held_out, pt_error *err)
{
    const int64_t n = held_out->n;
    const double rows = pt_effective_rows(held_out->weight, n);
    double sum = 0;
    for (int64_t i = 0; held_out->weight && i < n; i++)
        sum += held_out->weight[i];
    fitting f = {.held_out = held_out,
                 .rows = rows,
                 .smooth = pt_least_mixing(rows),
                 .per_unit = sum > 0 ? rows / sum : 1};
    if (held_out->class_of)
        return calibrate_classes(&f, out, err);
    calibrate_sets(&f, out);
    return PT_OK;
}
