/* A running scale: features are told to the learner in units that suit them, as far as is known by
 * then.
 *
 * A perceptron's steps are as long as its examples: one feature of size 1e7 drowns the others, and
 * a stream cannot be looked at beforehand. A feature is told as z = (x - c) / h, where
 *
 *   table             c = (low + high) / 2, h = (high - low) / 2 by its range so far: |z| <= 1
 *   sparse examples   c = 0, h = the mean of |x| over the values that are not 0; it is renewed when
 *                     it has become twice as large or half as large
 *   Winnow, or a table without a bias: c = 0, h = max |x|
 *
 * Sparse examples keep their zeros. Their largest value would not do: it makes the usual values of
 * counts small beside the bias, which then learns faster than they do (news20: 40.0 percent errors
 * of the averaged weights, 38.1 without a scale, 33.4 with the mean). A table has its middle for c
 * from the first row on: where 0 was kept as long as it was in the range, a late 0 moved all that
 * was learned (letter: 38.8, 36.7 without a scale, 33.1 with the middle).
 *
 * When an example changes c and h to c' and h', the weights become what the same steps would have
 * made of them in the new units. A weight is the sum of tau z over all steps, and the bias b is
 * the sum of tau:
 *
 *   w' = sum tau (x - c') / h' = (w h + (c - c') b) / h'
 *
 * and so is the sum of the steps times their moments, of which the average is made. Winnow's weight
 * is alpha to the power of such a sum with c = 0: w' = w^(h / h'). What is learned then depends on
 * the units of the file only by which steps were taken, and not at all where features are sparse:
 * a feature multiplied by any number gives the same steps (test_online_scale). Nothing depends on
 * how the stream was cut. This follows the normalised learning of Ross, Mineiro and Langford
 * (2013), with a range or a mean in place of a largest value.
 *
 * Time: a look at each value of an example; k for a feature whose unit changes, which is seldom. */
#include "solvers/online_scale.h"

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
        const pt_status status = pt_alloc_grow((void **)&scale->unit, scale->room, more,
                                               sizeof *scale->unit, "ranges of features", err);
        if (status != PT_OK)
            return status;
        scale->room = more;
    }
    for (; scale->d < d; scale->d++)
        scale->unit[scale->d] = scale->dense ? (pt_online_unit){.low = INFINITY, .high = -INFINITY}
                                             : (pt_online_unit){0};
    return PT_OK;
}

static bool is_winnow(const pt_online_rule *rule)
{
    return rule->update == PT_UPDATE_WINNOW || rule->update == PT_UPDATE_BALANCED;
}

bool pt_online_scale_by_size(const pt_online_scale *scale, const pt_online_rule *rule)
{
    return !scale->dense && !is_winnow(rule);
}

void pt_online_scale_set(pt_online_scale *scale, const pt_online_rule *rule, int64_t j, double low,
                         double high)
{
    const bool centred = scale->dense && rule->bias && !is_winnow(rule);
    const double h = centred ? high / 2 - low / 2 : fmax(-low, high);
    pt_online_unit *unit = &scale->unit[j];
    unit->low = low;
    unit->high = high;
    unit->center = centred ? low / 2 + high / 2 : 0;
    unit->factor = h > 0 ? 1 / h : 0;
}

/* Feature j has had the value v, which is out of its range. */
static void widen(pt_online_scale *scale, pt_online_weights *w, int64_t j, double v)
{
    const pt_online_unit before = scale->unit[j];
    pt_online_scale_set(scale, &w->rule, j, fmin(before.low, v), fmax(before.high, v));
    const pt_online_unit now = scale->unit[j];
    if (now.factor == before.factor && now.center == before.center)
        return;
    pt_online_weights_change_unit(w, j, before.factor > 0 ? now.factor / before.factor : 0,
                                  (before.center - now.center) * now.factor);
}

/* Feature j has the value v, which is not 0. */
static void weigh(pt_online_scale *scale, pt_online_weights *w, int64_t j, double v)
{
    pt_online_unit *unit = &scale->unit[j];
    unit->sum += fabs(v);
    unit->count += 1;
    const double before = unit->factor;
    const double now = unit->count / unit->sum;
    if ((now > before / 2 && now < 2 * before) || !isfinite(now) || now == 0)
        return;
    unit->factor = now;
    pt_online_weights_change_unit(w, j, before > 0 ? now / before : 0, 0);
}

void pt_online_scale_row(pt_online_scale *scale, pt_online_weights *w, pt_online_row *x,
                         int64_t *index, double *value)
{
    const bool by_size = pt_online_scale_by_size(scale, &w->rule);
    int64_t count = 0;
    for (int64_t p = 0; p < x->count; p++) {
        const int64_t j = x->index[p];
        const double v = x->value[p];
        const pt_online_unit *unit = &scale->unit[j];
        if (by_size && v != 0)
            weigh(scale, w, j, v);
        else if (!by_size && (v < unit->low || v > unit->high))
            widen(scale, w, j, v);
        index[count] = j;
        value[count] = (v - unit->center) * unit->factor;
        count += value[count] != 0;
    }
    *x = (pt_online_row){count, index, value};
}
