/* A data set as it was read: columns of numbers or of nominal levels, dense or sparse, and labels.
 * Preparation (prepare.h) makes numbers of it that machines can use. */
#ifndef PT_DATA_DATASET_H
#define PT_DATA_DATASET_H

#include <stdbool.h>

#include "base/error.h"
#include "base/task.h"
#include "base/text.h"
#include "data/judge/column_kind.h"
#include "data/labels/labels.h"
#include "data/rows.h"

/* A column. A nominal cell holds the number of its level as a float; a missing cell holds NaN. */
typedef struct pt_column {
    char *name; /* NULL: no name */
    bool nominal;
    bool text;       /* nominal, and the levels are free texts whose words count */
    pt_texts levels; /* of a nominal column, in the order of their first row */
} pt_column;

/* Where labels are in several columns: these, in the order of the file. */
typedef struct pt_label_columns {
    int64_t count;   /* 0: labels are in one column, or in none */
    int64_t *column; /* from 1 */
    pt_texts names;  /* the classes: names of the columns, or their numbers where they have none */
} pt_label_columns;

pt_status pt_label_columns_copy(pt_label_columns *out, const pt_label_columns *from, pt_error *err);
void pt_label_columns_free(pt_label_columns *columns);

/* Dense: cell (i, j) is value[pt_dataset_place(data, i, j)]; start and index are NULL. What a
 * reader made is row-major without gaps and has no row_of; other shapes are a program's own rows,
 * or a view of some of another data set's.
 * Sparse: compressed rows as in pt_rows; absent cells are 0. Never a view. */
struct pt_dataset {
    int64_t n;
    int64_t d;
    pt_type type;
    void *value;
    int64_t row_stride; /* in elements, of any sign */
    int64_t column_stride;
    int64_t *row_of; /* of a view: where row i is among the rows of `value`; NULL: in place i */
    int64_t *start;
    int64_t *index;
    bool value_lent;      /* somebody else frees the values, */
    bool index_lent;      /* and start and index */
    pt_column *columns;   /* d of them; NULL: no column has a name and all are numeric */
    pt_labels *labels;    /* NULL: no labels */
    double *weights;      /* NULL: all 1 */
    int64_t *group;       /* n: rows with the same number are held out together (ties.h); NULL */
    int64_t *fold;        /* the caller's folds, column after column: fold_columns x n; NULL */
    int64_t fold_columns; /* 0: folds are drawn */
    double *time;         /* n: what is held out is later than what is trained on (ties.h); NULL */
    char *label_name;     /* name of the label column, NULL if none */
    int64_t label_column; /* its number in the file from 1, 0: not in a column, or unknown */
    pt_label_columns label_columns; /* where there are several */
    pt_judged_columns judged;       /* what the reader of a table decided about its columns */
    char *source;                   /* file name or "memory" */
    int64_t rows_before;            /* in the file, where these are a part of it: for messages */
    int64_t memory; /* bytes that the task it was read with was limited to; 0: it was not */
    double beside;  /* bytes of the data set that these rows were copied from and that stays */
    pt_warnings warnings;
    pt_texts notes; /* how columns are read that are not plain numbers or levels */
};

/* An empty shell whose owner fills it; pt_dataset_free frees whatever is there. */
pt_status pt_dataset_shell(pt_dataset **out, int64_t n, int64_t d, pt_type type, const char *source,
                           pt_error *err);

/* Some of the rows, in the order given, with all columns and classes: a copy. */
pt_status pt_dataset_subset(pt_dataset **out, const pt_dataset *data, const int64_t *rows,
                            int64_t n, const pt_task *task, pt_error *err);
/* The same where dense cells stay those of `data`, which must live as long; sparse ones are copied.
 */
pt_status pt_dataset_view(pt_dataset **out, const pt_dataset *data, const int64_t *rows, int64_t n,
                          const pt_task *task, pt_error *err);
/* Rows first .. first+n-1 where they lie, for a look at the cells: labels and weights are those of
 * the whole. Borrowed: it is never freed. */
pt_dataset pt_dataset_range(const pt_dataset *data, int64_t first, int64_t n);

/* Dense cells that are lent become its own, row-major without gaps: a copy. */
pt_status pt_dataset_own(pt_dataset *data, pt_error *err);

static inline bool pt_dataset_is_sparse(const pt_dataset *data)
{
    return data->start != NULL;
}

/* How many cells are stored. */
int64_t pt_dataset_stored(const pt_dataset *data);
/* Cells that are row-major without gaps. */
static inline bool pt_dataset_is_plain(const pt_dataset *data)
{
    return !data->start && !data->row_of && data->column_stride == 1 && data->row_stride == data->d;
}

/* Bytes of cells, levels, labels and weights, and of what stays beside them. */
double pt_dataset_bytes(const pt_dataset *data);
/* PT_EMEMORY where somebody set a limit of memory, and the data set with so many bytes beside it is
 * more; `what` ("the data and ...") is for the text. Without a task the limit is that of reading.
 */
pt_status pt_dataset_fits(const pt_dataset *data, double bytes, const char *what,
                          const pt_task *task, pt_error *err);

bool pt_dataset_has_missing(const pt_dataset *data);

static inline bool pt_is_nominal(const pt_dataset *data, int64_t feature)
{
    return data->columns && data->columns[feature].nominal;
}

/* Where the cell of a dense data set is. */
static inline int64_t pt_dataset_place(const pt_dataset *data, int64_t i, int64_t j)
{
    return (data->row_of ? data->row_of[i] : i) * data->row_stride + j * data->column_stride;
}

/* The value at a place of data->value. */
static inline double pt_dataset_cell(const pt_dataset *data, int64_t at)
{
    return data->type == PT_F32 ? (double)((const float *)data->value)[at]
                                : ((const double *)data->value)[at];
}

static inline double pt_dataset_dense_cell(const pt_dataset *data, int64_t i, int64_t j)
{
    return pt_dataset_cell(data, pt_dataset_place(data, i, j));
}

static inline void pt_dataset_free_at(pt_dataset **address) /* for PT_FREED_BY */
{
    pt_dataset_free(*address);
}

/* Rows as training sees them: in an order that their contents alone decide, equal ones as one. */

/* *out <- a view of the given rows of `data` (m of them, those that have a label; sparse rows and
 * nominal levels, which are numbered anew, are copied), so that any order of them gives the same:
 * sorted, nominal levels too (those of sparse rows are in the order of the file's declaration and
 * stay), and with `add_up` rows with the same cells, label, group, folds and time as one whose
 * weight is the sum of theirs. Weights stay NULL where all are 1. *counts, if asked for and on
 * success the caller's to free, <- how many rows each was. Time: one look at each cell and a sort
 * of m numbers. */
pt_status pt_dataset_merge(pt_dataset **out, int64_t **counts, const pt_dataset *data,
                           const int64_t *rows, int64_t m, bool add_up, const pt_task *task,
                           pt_error *err);

/* What pt_dataset_report has, one by one. */
int64_t pt_dataset_n_levels(const pt_dataset *data, int64_t feature); /* 0: a column of numbers */
const char *pt_dataset_label_name(const pt_dataset *data);
int64_t pt_dataset_label_column(const pt_dataset *data);
int64_t pt_dataset_n_label_columns(const pt_dataset *data);
int64_t pt_dataset_n_notes(const pt_dataset *data);
const char *pt_dataset_note(const pt_dataset *data, int64_t index);
int64_t pt_dataset_n_warnings(const pt_dataset *data);
const char *pt_dataset_warning(const pt_dataset *data, int64_t index);

#endif
