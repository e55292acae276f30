/* Rows with few entries that are not 0, each of which can be replaced at any time. */
#ifndef PT_SOLVERS_DUAL_SPARSE_ROWS_H
#define PT_SOLVERS_DUAL_SPARSE_ROWS_H

#include <stdbool.h>

#include "base/task.h"

typedef struct pt_entry {
    int64_t column;
    double value;
} pt_entry;

/* Zero-initialise; free it always. Row i: entry[at[i]] .. entry[at[i] + count[i]). */
typedef struct pt_sparse_rows {
    int64_t n;
    int64_t *at;
    int64_t *count;
    int64_t *room; /* entries that a row may have where it is */
    pt_entry *entry;
    int64_t used; /* of the entries, with what rows that grew have left behind */
    int64_t size;
    const pt_task *task; /* is asked while all rows move; NULL, as at first: nobody */
} pt_sparse_rows;

/* n empty rows. */
pt_status pt_sparse_rows_init(pt_sparse_rows *rows, int64_t n, const pt_task *task, pt_error *err);
void pt_sparse_rows_free(pt_sparse_rows *rows);

/* Row i <- count entries. */
pt_status pt_sparse_rows_set(pt_sparse_rows *rows, int64_t i, const pt_entry *entry, int64_t count,
                             pt_error *err);

/* list <- the columns of row i now and in the past with the change between them; both are in
 * ascending order. Returns how many. */
int64_t pt_sparse_rows_change(const pt_sparse_rows *rows, const pt_sparse_rows *past, int64_t i,
                              pt_entry *list);

/* Row i <- row from[i]; `back`: row from[i] <- row i, the other way. from: every row once; work: n
 * numbers. After a failure the rows are of no use. */
pt_status pt_sparse_rows_reorder(pt_sparse_rows *rows, const int64_t *from, bool back,
                                 int64_t *work, const pt_task *task, pt_error *err);

static inline const pt_entry *pt_sparse_row(const pt_sparse_rows *rows, int64_t i)
{
    return rows->entry + rows->at[i];
}

#endif
