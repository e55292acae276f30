/* Rows that boosting learns from, and rows held out to stop it (--stop-share, --patience).
 *
 * After every round the errors of the held-out rows are counted, over rows and columns that they
 * take part in, and their losses are summed. Boosting stops when there have not been fewer errors,
 * or as few with a smaller loss, for `patience` rounds; rounds after the best are forgotten. The
 * loss alone would stop too soon: a few rows that are wrong by much govern the exponential one,
 * while errors become fewer for hundreds of rounds. All columns have the same rounds. */
#ifndef PT_LEARNERS_BOOSTING_BOOST_ROWS_H
#define PT_LEARNERS_BOOSTING_BOOST_ROWS_H

#include "learners/learner.h"
#include "trees/forest.h"

/* Some of the rows of a problem. */
typedef struct pt_boost_part {
    pt_rows rows;
    pt_columns columns;
    pt_rows_owned owned;
    int64_t *group_of;
    double *weight;
} pt_boost_part;

/* Zero-initialise; free it always. */
typedef struct pt_boost_rows {
    pt_boost_part train;
    pt_boost_part held; /* no rows where none are held out */
    const pt_loss *loss;
    int64_t patience;
    double *outputs; /* of held rows, n x ell */
    double *losses;  /* of held rows, */
    double *errors;  /* and in how many columns each is wrong; in the same memory */
    double best;     /* the smallest loss with the fewest errors, after best_round rounds */
    double fewest;
    int64_t best_round;
    int64_t rounds;
} pt_boost_rows;

/* Where the columns have `valid` rows, these are held out, and all rows are learned from. Else
 * share: of the rows, the same of every group as far as that goes, drawn by the seed; 0: none, and
 * the training rows are those of the caller. At least one row of every group is learned from. Rows
 * that are tied together (data/ties.h) stay together: the share is then the most, unless the
 * smallest of them is more.
 * `loss` is that of the forest's outputs. A share that is less than a row is warned of. */
pt_status pt_boost_rows_init(pt_boost_rows *split, const pt_rows *rows, const pt_columns *columns,
                             double share, int64_t patience, uint64_t seed, const pt_loss *loss,
                             pt_warnings *warnings, const pt_task *task, pt_error *err);
void pt_boost_rows_free(pt_boost_rows *split);

/* After a round: counts trees first .. last-1 for the held-out rows (as pt_forest_add, scale 1).
 * *stop <- whether patience is at its end; never where nothing is held out. */
pt_status pt_boost_rows_round(pt_boost_rows *split, const pt_forest *forest, int64_t first,
                              int64_t last, bool *stop, const pt_task *task, pt_error *err);
/* How many rounds are to be kept, of all that were counted. */
int64_t pt_boost_rows_best(const pt_boost_rows *split);

/* Bytes beside the rows of the caller, for plans. */
double pt_boost_rows_bytes(const pt_rows *rows, const pt_columns *columns, double share);

#endif
