/* The running scale of features that come one example at a time. */
#ifndef PT_SOLVERS_ONLINE_ONLINE_SCALE_H
#define PT_SOLVERS_ONLINE_ONLINE_SCALE_H

#include "solvers/online/online_update.h"

/* What is known of a feature, and its unit: it is told to the learner as (x - center) factor. */
typedef struct pt_online_unit {
    int64_t count; /* values so far, those that sparse examples leave out not counted */
    double low;    /* the least and the largest of them */
    double high;
    double mean;   /* 0 where the feature is not centred */
    double spread; /* the sum of squared distances from the mean; not centred: of |x| */
    double center;
    double factor; /* 0: it has been constant */
} pt_online_unit;

/* Zero-initialise; free it always. */
typedef struct pt_online_scale {
    bool on;
    bool standard; /* by means and deviations: else by the largest values */
    bool dense;    /* examples have a value for every feature: else those left out are 0 */
    int64_t d;     /* features so far */
    int64_t room;  /* features that there is memory for */
    pt_online_unit *unit;
} pt_online_scale;

/* Features w->d and below are there from now on. */
pt_status pt_online_scale_grow(pt_online_scale *scale, int64_t d, pt_error *err);
void pt_online_scale_free(pt_online_scale *scale);

/* x <- the example in the units of now, in memory of the caller: room for x->count numbers each.
 * Its values may change the units, and the weights with them. */
void pt_online_scale_row(pt_online_scale *scale, pt_online_weights *w, pt_online_row *x,
                         int64_t *index, double *value);

#endif
