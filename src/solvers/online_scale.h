/* The running scale of features that come one example at a time. */
#ifndef PT_SOLVERS_ONLINE_SCALE_H
#define PT_SOLVERS_ONLINE_SCALE_H

#include "solvers/online_update.h"

/* A feature is told to the learner as (x - center) factor; factor 0: it has been constant. */
typedef struct pt_online_unit {
    double low; /* the least and the largest value so far */
    double high;
    double sum;   /* sparse examples: of |x| */
    double count; /* of values that are not 0 */
    double center;
    double factor;
} pt_online_unit;

/* Zero-initialise; free it always. */
typedef struct pt_online_scale {
    bool on;
    bool dense;   /* examples have a value for every feature: else those left out are 0 */
    int64_t d;    /* features so far */
    int64_t room; /* features that there is memory for */
    pt_online_unit *unit;
} pt_online_scale;

/* Features w->d and below are there from now on. */
pt_status pt_online_scale_grow(pt_online_scale *scale, int64_t d, pt_error *err);
void pt_online_scale_free(pt_online_scale *scale);

/* Feature j has had values between these, which need not be the first. */
void pt_online_scale_set(pt_online_scale *scale, const pt_online_rule *rule, int64_t j, double low,
                         double high);
/* Whether units are typical sizes of values, and not ranges. */
bool pt_online_scale_by_size(const pt_online_scale *scale, const pt_online_rule *rule);

/* x <- the example in the units of now, in memory of the caller: room for x->count numbers each. A
 * value that widens the range of its feature changes the units, and the weights with them. */
void pt_online_scale_row(pt_online_scale *scale, pt_online_weights *w, pt_online_row *x,
                         int64_t *index, double *value);

#endif
