/* Prepared rows in which the cells of some columns stand in another order, the rest where it is:
 * what importance.c scores. Only rows that change are made. */
#ifndef PT_MODEL_PERMUTED_H
#define PT_MODEL_PERMUTED_H

#include "model/model.h"

/* Columns of the training data that are permuted together, and what preparation makes of them.
 * Zero-initialise; free it always. */
typedef struct pt_column_groups {
    int64_t count;
    pt_texts names;     /* count: of a column its name, else its number; of several their pattern */
    int64_t *number;    /* count: of a column, from 1; 0: there may be several */
    int64_t *columns;   /* count: how many */
    int64_t *of_output; /* n_outputs: the group of a column of prepared rows */
    int64_t *start;     /* count + 1: those of group g are output[start[g] .. start[g+1]) */
    int64_t *output;    /* ascending in each group */
} pt_column_groups;

/* together: patterns of names or numbers; PT_EINVAL where one has no column. */
pt_status pt_column_groups_init(pt_column_groups *groups, const pt_prepare *prepare,
                                const char *together, pt_error *err);
void pt_column_groups_free(pt_column_groups *groups);

/* All rows of a data set, prepared: held, where there is room, else prepared part by part whenever
 * they are visited. Zero-initialise; free it always. What is given is lent. */
typedef struct pt_prepared_data {
    const pt_model *model;
    const pt_dataset *data;
    const pt_task *task;
    pt_visit plan;
    bool held;
    pt_prepared whole;
} pt_prepared_data;

/* `beside`: bytes that there will be in any case. */
pt_status pt_prepared_data_init(pt_prepared_data *rows, const pt_model *model,
                                const pt_dataset *data, double beside, pt_warnings *warnings,
                                const pt_task *task, pt_error *err);
void pt_prepared_data_free(pt_prepared_data *rows);
pt_status pt_prepared_data_visit(const pt_prepared_data *rows, pt_rows_fn visit, void *context,
                                 pt_error *err);

/* The cells of a group in all rows. Zero-initialise; free it always. */
typedef struct pt_group_cells {
    const pt_column_groups *groups;
    int64_t group;
    pt_rows_owned cells; /* dense: a column for each of its outputs; sparse: in their own places */
    int64_t room;        /* of sparse cells */
} pt_group_cells;

pt_status pt_group_cells_take(pt_group_cells *cells, const pt_column_groups *groups, int64_t group,
                              const pt_prepared_data *rows, pt_error *err);
void pt_group_cells_free(pt_group_cells *cells);
/* Whether rows i and j have the same. */
bool pt_group_cells_same(const pt_group_cells *cells, int64_t i, int64_t j);

/* Rows that change, with the memory for them. Zero-initialise; free it always. */
typedef struct pt_permuted {
    pt_rows_owned changed;
    int64_t *row; /* changed.rows.n: which of the window each is, ascending */
    int64_t room_rows;
    int64_t room_cells;
} pt_permuted;

/* permuted <- rows of `window`, whose first is row `first` of all, with the cells of row order[i]
 * in place of those of row i. */
pt_status pt_permuted_make(pt_permuted *permuted, const pt_rows *window, int64_t first,
                           const pt_group_cells *cells, const int64_t *order, pt_error *err);
void pt_permuted_free(pt_permuted *permuted);

#endif
