/* How unlike their classes held-out rows are, by the probabilities of a model: what conformal sets
 * are made of (docs/decisions.md). */
#ifndef PT_VALIDATE_PROBABILITY_CONFORMITY_H
#define PT_VALIDATE_PROBABILITY_CONFORMITY_H

#include "base/task.h"
#include "validate/probability/calibrate.h"

enum { PT_CONFORMITY_ROWS = 5000 }; /* that are kept at most */

/* Of held-out rows, ascending by score, then class, then weight: so the order of the rows says
 * nothing. Zero-initialise; free it always. */
typedef struct pt_conformity {
    int64_t n;         /* 0: there are none */
    double *score;     /* n: 1 - p of its class; of sets the largest over the members, 0 of none */
    int64_t *class_of; /* n; NULL: labels are sets */
    double *weight;    /* n: rows that it stands for; NULL: all 1 */
} pt_conformity;

void pt_conformity_free(pt_conformity *conformity);

/* Of rows with scores that thresholds are taken off already; every so many of them, where there are
 * more than are kept. Rows of weight 0 are left out. `calibration` is that of all rows, where the
 * labels are sets or the rows are few; otherwise each row has its own. Time: two to five fits. */
pt_status pt_conformity_make(pt_conformity *out, const pt_calibration *calibration,
                             const pt_held_out_scores *held_out, const pt_task *task,
                             pt_error *err);

/* The least score q such that scores up to q are ceil((m + 1) coverage) of m rows: of all rows, or
 * of those of one class; INFINITY where there are too few. */
enum { PT_ALL_CLASSES = -1 };
double pt_conformity_cut(const pt_conformity *conformity, double coverage, int64_t class_index);

#endif
