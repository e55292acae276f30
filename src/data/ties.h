/* Rows that are tied together: held out together, whatever it is that holds rows out.
 *
 * A program may give groups, of which each is held out whole, and folds of its own
 * (pt_dataset_set_role). Cross-validation uses all columns of the folds, one a repetition; whatever
 * else needs held-out rows takes the first one, as far as its rows reach, and where that leaves
 * nothing to hold out it draws folds.
 *
 * Or it gives times: what is held out is later than all that is trained on. Rows of one time are a
 * block, and folds are runs of blocks, the earliest of which is never held out. A part of the rows
 * that are all of one time has no past; there folds are drawn. */
#ifndef PT_DATA_TIES_H
#define PT_DATA_TIES_H

#include <stdbool.h>

#include "data/dataset.h"

enum { PT_NEVER_HELD = -1 }; /* in place of a fold: the row is always trained on */

/* Of the rows of a problem, lent to it. */
typedef struct pt_ties {
    const int64_t *group; /* n numbers, equal ones are a group; NULL: no row has company */
    const int64_t *fold;  /* n: the first column of the caller's folds; NULL: folds are drawn */
    const double *time;   /* n numbers; NULL: rows have no order */
} pt_ties;

pt_ties pt_ties_of(const pt_dataset *data);

/* Whether anything is said of rows. */
bool pt_ties_any(const pt_ties *ties);
/* Whether the folds of these rows have an order: they have times, and more than one. */
bool pt_ties_are_past(const pt_ties *ties, int64_t n);

/* Rows beside those of a problem that only say when rounds, epochs or steps shall end. Lent. */
typedef struct pt_valid_rows {
    const pt_rows *rows;
    const pt_labels *labels; /* in the classes of the problem */
    const int64_t *class_of; /* of labels that are classes */
    const double *weight;    /* NULL: all 1 */
} pt_valid_rows;

/* Those of some rows, with the memory that holds them. Zero-initialise; free it always. */
typedef struct pt_ties_owned {
    int64_t *group;
    int64_t *fold;
    double *time;
} pt_ties_owned;

pt_ties pt_ties_lend(const pt_ties_owned *owned);

pt_status pt_ties_select(pt_ties_owned *out, const pt_ties *ties, const int64_t *rows, int64_t n,
                         pt_error *err);
void pt_ties_free(pt_ties_owned *owned);

/* What is held out whole: the rows of a time where there are times; the caller's folds where there
 * are enough of them, else groups, else single rows. Zero-initialise; free it always. */
typedef struct pt_blocks {
    int64_t *of;   /* n: numbers from 0 on, by ascending value, or PT_NEVER_HELD; NULL: each row is
                      a block by itself */
    int64_t count; /* of the blocks */
    bool folds;    /* they are the caller's folds */
    bool past;     /* they are in the order of time, and the first of them is never held out */
} pt_blocks;

/* At most so many folds are made of them. */
int64_t pt_blocks_most_folds(const pt_blocks *blocks);

/* PT_EFORMAT: all rows are of one group, so that nothing would be left to train on.
 * Time: n log n. */
pt_status pt_blocks_init(pt_blocks *blocks, const pt_ties *ties, int64_t n, pt_error *err);
void pt_blocks_free(pt_blocks *blocks);

/* number (n) <- the values as numbers from 0 on, ascending; those that are `none` stay it (where
 * there is such a value). *count <- how many there are. */
pt_status pt_dense_numbers(int64_t *number, int64_t *count, const int64_t *value, int64_t n,
                           const int64_t *none, pt_error *err);

/* Refuses folds that hold out nothing, or everything, and those that cut a group; times beside
 * groups or folds, and rows that are all of one time. `kept` are the rows of `data` that have a
 * label and a weight: each fold must have one of them. */
pt_status pt_ties_check(const pt_dataset *data, const pt_dataset *kept, pt_error *err);

/* Some rows as a data set of its own, a part of the work on all of them: pt_dataset_subset without
 * the columns of the caller's folds of which too little is left, and without times that are all the
 * same. */
pt_status pt_dataset_part(pt_dataset **out, const pt_dataset *data, const int64_t *rows, int64_t n,
                          const pt_task *task, pt_error *err);

#endif
