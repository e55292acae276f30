/* Online learners of k linear functions: examples come one at a time and move the weights of the
 * classes whose scores are in the wrong order. HRZ section 3.2, Figure 1. */
#ifndef PT_SOLVERS_ONLINE_ONLINE_UPDATE_H
#define PT_SOLVERS_ONLINE_ONLINE_UPDATE_H

#include <stdbool.h>

#include "base/error.h"
#include "data/labels/label_pairs.h"
#include "solvers/online/online_loops.h"

typedef enum pt_update {
    PT_UPDATE_PERCEPTRON,
    PT_UPDATE_AVERAGED,
    PT_UPDATE_PA,
    PT_UPDATE_WINNOW,
    PT_UPDATE_BALANCED,
    PT_N_UPDATES
} pt_update;

typedef enum pt_violated {
    PT_VIOLATED_ALL,    /* one after another, scores refreshed */
    PT_VIOLATED_WORST,  /* only the one that is violated most */
    PT_VIOLATED_SPREAD, /* all at once, sharing one step */
    PT_N_VIOLATED
} pt_violated;

extern const char *const pt_update_names[PT_N_UPDATES]; /* as in the parameters */
extern const char *const pt_violated_names[PT_N_VIOLATED];

typedef struct pt_online_rule {
    pt_update update;
    pt_violated violated;
    double C;     /* of PA: the largest step */
    double alpha; /* of Winnow: above 1 */
    bool bias;    /* there is one more feature, 1 in every example */
} pt_online_rule;

/* Zero-initialise; free it always. Weights lie by features, those of all classes side by side: an
 * example with few features touches few places. */
typedef struct pt_online_weights {
    pt_online_rule rule;
    int64_t k;
    int64_t d;
    int64_t stride; /* k or more: numbers from a feature to the next */
    int64_t room;   /* features that there is memory for */
    double *V;      /* (room + 1) x stride: row 0 is the bias, row j + 1 feature j */
    double *aux;    /* as V; averaged: the sum of steps times their moment; balanced: v+ */
    int64_t seen;   /* examples that were learned from */
    int64_t moves;  /* pairs, or signs, that moved weights */
    int64_t pinned; /* weights of Winnow that reached a bound: online_update.c */
    double *scores; /* stride: of the last example that was scored */
    double *tau;    /* stride: the step of a class; 0 between examples */
    int64_t *touched;
    int64_t n_touched;
} pt_online_weights;

pt_status pt_online_weights_init(pt_online_weights *w, const pt_online_rule *rule, int64_t k,
                                 int64_t d, pt_error *err);
/* Room for more classes and features, which begin as the first did; fewer are left as they are.
 * Memory grows by factors: a class or a feature at a time costs linear time in all. */
pt_status pt_online_weights_grow(pt_online_weights *w, int64_t k, int64_t d, pt_error *err);
/* Memory for so many, of which there are none yet. */
pt_status pt_online_weights_reserve(pt_online_weights *w, int64_t k, int64_t d, pt_error *err);
void pt_online_weights_free(pt_online_weights *w);
/* Feature j is told as old * by + shift from now on: the weights become what the steps so far would
 * have made of them. shift is 0 where there is no bias, and for Winnow. */
void pt_online_weights_change_unit(pt_online_weights *w, int64_t j, double by, double shift);

/* w->scores <- v_r . x of all classes, with the last weights, averaged or not. */
void pt_online_score(pt_online_weights *w, const pt_online_row *x);
/* Learns from the example that was scored last: pairs (a, b) ask for v_a.x > v_b.x. Returns whether
 * one of them did not hold. weight > 0 multiplies the step, of PA its bound. */
bool pt_online_learn_pairs(pt_online_weights *w, const pt_online_row *x, const pt_label_pair *pairs,
                           int64_t n_pairs, double weight);
/* The same for k functions that know nothing of each other: side[r] v_r.x > 0, 0 asks nothing. */
bool pt_online_learn_sides(pt_online_weights *w, const pt_online_row *x, const int8_t *side,
                           double weight);

/* Whether the scores of the last example break one of its pairs, or are on a wrong side. */
bool pt_online_violates(const pt_online_weights *w, const pt_label_pair *pairs, int64_t n_pairs);
bool pt_online_violates_sides(const pt_online_weights *w, const int8_t *side);

/* Whether an example has a feature below 0, of which Winnow's promotions would be demotions. */
bool pt_online_is_signed(const pt_online_row *x);

/* Weights that have learned nothing become those that pt_online_result has given (m functions, in
 * the order of the classes), and learning goes on from there: exactly where the rule keeps nothing
 * else; of balanced Winnow but for roundings; averaged: from the mean of those before, and the new
 * mean is of what follows. PT_EINVAL, of a start, where a weight of Winnow is not above 0. */
pt_status pt_online_weights_set(pt_online_weights *w, const double *from, int64_t m, pt_error *err);

/* What was learned, averaged where the rule is: out is (d + 1) x m, column-major, the bias last.
 * Column c is class order[c], or c where order is NULL; less class `minus` where that is not -1. */
void pt_online_result(const pt_online_weights *w, const int64_t *order, int64_t m, int64_t minus,
                      double *out);

#endif
