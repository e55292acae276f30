/* Digests of rows: the same row of another data set has the same digest, whatever the order of the
 * columns, of the levels and of the classes is, and whether zeros are stored. For telling whether
 * rows to test on were seen in training; not for safety against an attacker. */
#ifndef PT_DATA_ROW_DIGEST_H
#define PT_DATA_ROW_DIGEST_H

#include "base/task.h"
#include "data/dataset.h"

typedef struct pt_row_digest {
    uint64_t cells;
    uint64_t all; /* with the label; 0: there is none */
} pt_row_digest;

/* One for each row. The caller frees *out. */
pt_status pt_row_digests(pt_row_digest **out, const pt_dataset *data, const pt_task *task,
                         pt_error *err);

/* Of all rows with a label together, in any order; never 0. */
pt_status pt_dataset_digest(uint64_t *out, const pt_dataset *data, const pt_task *task,
                            pt_error *err);

#endif
