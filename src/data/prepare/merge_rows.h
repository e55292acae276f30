/* Rows as training sees them: in an order that their contents alone decide, equal ones as one. */
#ifndef PT_DATA_PREPARE_MERGE_ROWS_H
#define PT_DATA_PREPARE_MERGE_ROWS_H

#include "base/task.h"
#include "data/dataset.h"

/* *out <- the given rows of `data` (m of them, those that have a label), so that any order of them
 * gives the same: sorted, nominal levels too (those of sparse rows are in the order of the file's
 * declaration and stay), and with `add_up` rows with the same cells and the same label as one whose
 * weight is the sum of theirs. Weights stay NULL where all are 1. *counts, if asked for and on
 * success the caller's to free, <- how many rows each was. Time: one look at each cell and a sort
 * of m numbers. */
pt_status pt_dataset_merge(pt_dataset **out, int64_t **counts, const pt_dataset *data,
                           const int64_t *rows, int64_t m, bool add_up, const pt_task *task,
                           pt_error *err);

#endif
