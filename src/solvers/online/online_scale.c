/* A running scale: features are told to the learner in units of their own, as far as is known by
 * then.
 *
 * A perceptron's steps are as long as its examples: one feature of size 1e7 drowns the others, and
 * a stream cannot be looked at beforehand. A feature is told as
 *
 *   z = (x - c) / h    standard, tables:  c the mean so far, h the deviation from it
 *                      standard, sparse:  c = 0, h the mean of |x| so far where it is not 0
 *                      range:             c = 0, h = max |x|
 *
 * Sparse examples keep their zeros. Winnow and functions without a bias have c = 0 in tables too.
 * Not extremes but means: a rare value may double a range and move its middle at any time, long
 * after the steps were taken, and a largest count makes the usual ones small beside the bias; means
 * settle, and are usual values. The first value of a feature has c = 0 and h = |x|, for its
 * deviation is 0: an example whose features were all told as 0 would have the length of the bias
 * alone, and the step of PA, which is divided by that length squared, would be hundreds of times as
 * large as those that follow.
 *
 * A unit changes with the 1st, 2nd, 4th, 8th, ... value of its feature, and with one that is out of
 * the range so far. When c and h become c' and h', the weights become what the same steps would
 * have made of them in the new units. A weight is the sum of tau z over all steps, and the bias b
 * is the sum of tau:
 *
 *   w' = sum tau (x - c') / h' = (w h + (c - c') b) / h'
 *
 * and so is the sum of the steps times their moments, of which the average is made. Winnow's weight
 * is alpha to the power of such a sum with c = 0: w' = w^(h / h'). What is learned then depends on
 * the units of the file only by rounding: a feature multiplied by a power of 2 gives the same bits
 * (test_online_scale). Nothing depends on how the stream was cut. This follows the normalised
 * learning of Ross, Mineiro and Langford (2013), with deviations in place of largest values.
 *
 * Time: a look at each value of an example; k for a feature whose unit changes, which is seldom. */
#include "solvers/online/online_scale.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

void pt_online_scale_free(pt_online_scale *scale)
{
    pt_free(scale->unit);
    memset(scale, 0, sizeof *scale);
}

pt_status pt_online_scale_grow(pt_online_scale *scale, int64_t d, pt_error *err)
{
    if (d > scale->room) {
        const int64_t more = d + d / 2 + 16;
        PT_TRY(pt_alloc_grow((void **)&scale->unit, scale->room, more, sizeof *scale->unit,
                             "ranges of features", err));
        scale->room = more;
    }
    for (; scale->d < d; scale->d++)
        scale->unit[scale->d] = scale->dense ? (pt_online_unit){.low = INFINITY, .high = -INFINITY}
                                             : (pt_online_unit){0};
    return PT_OK;
}

static bool may_centre(const pt_online_scale *scale, const pt_online_rule *rule)
{
    return scale->standard && scale->dense && rule->bias && rule->update != PT_UPDATE_WINNOW &&
           rule->update != PT_UPDATE_BALANCED;
}

/* c and h of a feature, by what is known of it. Squares of values beyond 1e154 or below 1e-154 are
 * no numbers: then the range has to do. */
static void renew(pt_online_unit *unit, bool standard, bool centred)
{
    const double reach = centred ? unit->high / 2 - unit->low / 2 : fmax(-unit->low, unit->high);
    const double mean = unit->spread / (double)unit->count;
    const double h = !standard || !isnormal(mean) ? reach : centred ? sqrt(mean) : mean;
    unit->center = centred ? unit->mean : 0;
    unit->factor = isnormal(h) ? 1 / h : 0;
}

/* Feature j has the value v. */
static void see(pt_online_scale *scale, pt_online_weights *w, int64_t j, double v)
{
    pt_online_unit *unit = &scale->unit[j];
    const bool centred = may_centre(scale, &w->rule);
    const double count = (double)++unit->count;
    const double mean = centred ? unit->mean + (v / count - unit->mean / count) : 0;
    unit->spread += centred ? (v - unit->mean) * (v - mean) : fabs(v);
    unit->mean = mean;
    const bool beyond = v < unit->low || v > unit->high;
    if (!beyond && (unit->count & (unit->count - 1)) != 0)
        return;
    const pt_online_unit before = *unit;
    unit->low = fmin(unit->low, v);
    unit->high = fmax(unit->high, v);
    renew(unit, scale->standard, centred && unit->count > 1);
    if (unit->factor != before.factor || unit->center != before.center)
        pt_online_weights_change_unit(w, j, before.factor > 0 ? unit->factor / before.factor : 0,
                                      (before.center - unit->center) * unit->factor);
}

void pt_online_scale_row(pt_online_scale *scale, pt_online_weights *w, pt_online_row *x,
                         int64_t *index, double *value)
{
    int64_t count = 0;
    for (int64_t p = 0; p < x->count; p++) {
        const int64_t j = x->index[p];
        const double v = x->value[p];
        const pt_online_unit *unit = &scale->unit[j];
        if (scale->dense || v != 0)
            see(scale, w, j, v);
        index[count] = j;
        value[count] = (v - unit->center) * unit->factor;
        count += value[count] != 0;
    }
    *x = (pt_online_row){count, index, value};
}
