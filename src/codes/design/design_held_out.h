/* What designed codes are worth on examples that they were not designed on: for the choice of C, of
 * a code among several, and to be told. */
#ifndef PT_CODES_DESIGN_DESIGN_HELD_OUT_H
#define PT_CODES_DESIGN_DESIGN_HELD_OUT_H

#include "codes/design/design.h"

/* Means over examples by weight, each scored by a code that was designed without its fold. */
typedef struct pt_design_worth {
    double cost;  /* of the class that is predicted: b, or the share of errors where there is none;
                    where labels are no classes: the share of pairs in the wrong order */
    double slack; /* xi */
} pt_design_worth;

enum { PT_DESIGN_PROGRAMS = 5 }; /* values of C that are tried where a program takes long */

/* fold[i] in 0..n_folds-1; -1: the example takes no part. */
pt_status pt_design_held_out(pt_design_worth *worth, const pt_design_data *data,
                             const pt_design_how *how, const int64_t *fold, int64_t n_folds,
                             const pt_task *task, pt_error *err);

/* how->C <- the one of a grid with the least held-out cost, the smallest of equals; *worth <- what
 * it is worth. Without two folds: a guess, and NAN. */
pt_status pt_design_choose_C(pt_design_how *how, pt_design_worth *worth, const pt_design_data *data,
                             const int64_t *fold, int64_t n_folds, const pt_task *task,
                             pt_error *err);

/* The mean cost by weight of the classes that scores (m x k) choose. */
double pt_design_cost(const pt_design_data *data, const double *scores);

#endif
