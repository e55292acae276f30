/* Preparation: fitted on training data, stored in the model, applied to any data. Nominal columns
 * become one-hot columns, missing values are filled, numbers are scaled; columns are matched by
 * name.
 *
 * Raw preparation is for what can look at a table as it is (trees, boosting): nominal columns stay
 * one column with the numbers of their levels, --missing keep leaves missing cells NaN, and a level
 * that training never saw is NaN too.
 *
 * Scaling: range maps the training minimum and maximum of a column to -1 and 1 (a constant column
 * to 0); standard to mean 0 and variance 1; sparse data is never scaled unless asked, and then only
 * by a factor (its zeros stay zeros). One-hot columns are 0/1 and not scaled. */
#ifndef PT_DATA_PREPARE_PREPARE_H
#define PT_DATA_PREPARE_PREPARE_H

#include <stdbool.h>

#include "base/task.h"
#include "data/dataset.h"
#include "data/read/lines.h"
#include "data/rows.h"
#include "params/params.h"

/* ---- hashing --------------------------------------------------------------------------------- */

/* Features hashed into 2^bits places, so that weights have a bounded length whatever the number of
 * features is (Weinberger et al. 2009). */

enum { PT_HASH_BITS = 30, PT_TEXT_BITS = 20 }; /* at most */

/* bits 0: features stay where they are. */
typedef struct pt_feature_hash {
    int bits;
    bool signs; /* a feature is added or subtracted, so that those that meet are apart on average */
} pt_feature_hash;

/* A cell of a sparse row. */
typedef struct pt_sparse_cell {
    int64_t input;
    double x;
} pt_sparse_cell;

/* Where the feature (from 0) with the value x goes, and with which sign. */
pt_sparse_cell pt_feature_hash_cell(const pt_feature_hash *hash, int64_t feature, double x);

/* The next word of a text from *at on, letters and digits, ASCII letters in either case the same;
 * returns its place among 2^bits, -1: there is none. */
int64_t pt_hash_next_word(int bits, const char *text, size_t *at);

/* Puts cells in the order of their inputs and adds those of the same input; sums that are 0 are
 * left out. Returns how many remain. */
int64_t pt_cells_merge(pt_sparse_cell *cells, int64_t count);

/* ---- preparation ----------------------------------------------------------------------------- */

typedef struct pt_prepare pt_prepare;

/* Numbers that machines use; owns them. rows.type is as asked, sparse stays sparse. rows.levels lie
 * in the preparation. */
typedef struct pt_prepared {
    pt_rows rows;
    void *storage; /* opaque to users: what rows point to */
    pt_warnings warnings;
} pt_prepared;

/* What is to be said of rows that are prepared part by part; counts add up. Zero-initialise; free
 * it always. */
typedef struct pt_prepare_counts {
    int64_t *unseen; /* of each fitted column, cells with levels that training never saw */
    int64_t shown;   /* of such a cell: its fitted column, from 1; 0: there is none, */
    char example[PT_CELL_SHOWN]; /* and what it says, "" if that is not known */
    int64_t more;                /* columns beyond those of training, */
    int64_t more_cells;          /* and what they hold */
    pt_warnings columns;         /* which columns are ignored: the same for every part */
} pt_prepare_counts;

pt_status pt_prepare_tell(const pt_prepare *prepare, const pt_prepare_counts *remarks,
                          pt_warnings *warnings, pt_error *err);
void pt_prepare_counts_free(pt_prepare_counts *remarks);

/* Reads the parameters scale, missing, max-levels; --missing keep makes sense for raw rows only. */
pt_status pt_prepare_fit(pt_prepare **out, const pt_dataset *data, const pt_params *params,
                         bool raw, const pt_task *task, pt_error *err);
/* Fails where data cannot be matched with the columns it was fitted on; unseen levels are counted
 * in a warning. */
pt_status pt_prepare_apply(const pt_prepare *prepare, const pt_dataset *data, pt_type type,
                           pt_prepared *out, const pt_task *task, pt_error *err);
/* The first of these alone, from the names and the number of columns. */
pt_status pt_prepare_check_columns(const pt_prepare *prepare, const pt_dataset *data,
                                   pt_error *err);
/* The same for some rows of many: what there is to say is added to `remarks`. */
pt_status pt_prepare_apply_part(const pt_prepare *prepare, const pt_dataset *data, pt_type type,
                                pt_prepared *out, pt_prepare_counts *remarks, const pt_task *task,
                                pt_error *err);
void pt_prepared_free(pt_prepared *prepared);

/* Rows one by one, without the tables that pt_prepare_apply makes: what is the same for all of them
 * is made once. Columns are those of training in their places; a nominal cell is the number of a
 * level of training, any other number one that training never saw. Refuses columns of words. */
typedef struct pt_row_prepare pt_row_prepare;
pt_status pt_row_prepare_new(pt_row_prepare **out, const pt_prepare *prepare, pt_type type,
                             pt_error *err);
void pt_row_prepare_free(pt_row_prepare *row_prepare);
/* The first row of `row`, as wide as training's if it is dense. Dense results are lent until the
 * next call; pt_prepared_free is due in any case. */
pt_status pt_row_prepare_apply(pt_row_prepare *row_prepare, const pt_dataset *row, pt_prepared *out,
                               const pt_task *task, pt_error *err);
/* The number of a level of training by its text, or by the number that it says; -1: unseen, or the
 * column is not nominal. */
int64_t pt_prepare_level(const pt_prepare *prepare, int64_t column, const char *text);

void pt_prepare_free(pt_prepare *prepare);
pt_status pt_prepare_copy(pt_prepare **out, const pt_prepare *prepare, pt_error *err);
/* Whether this could have been fitted on the data, for rows of that kind: the same columns, dense
 * or sparse as they are; of sparse data there may be fewer. PT_EINVAL. */
pt_status pt_prepare_check_same(const pt_prepare *prepare, const pt_dataset *data, bool raw,
                                pt_error *err);
static inline void pt_prepare_free_at(pt_prepare **address) /* for PT_FREED_BY */
{
    pt_prepare_free(*address);
}

int64_t pt_prepare_n_inputs(const pt_prepare *prepare);  /* columns of a data set */
int64_t pt_prepare_n_outputs(const pt_prepare *prepare); /* columns of rows */

/* Whether columns are hashed: an input is then all that fall into its place. */
bool pt_prepare_hashes(const pt_prepare *prepare);

/* Adds a text for each of the first nominal columns, its name and how many levels it has. */
pt_status pt_prepare_nominal(const pt_prepare *prepare, pt_texts *words, pt_error *err);

/* Says which columns have more levels than --max-levels allows. */
pt_status pt_prepare_remarks(const pt_prepare *prepare, pt_warnings *warnings, pt_error *err);

/* Which inputs were numbers in training: a flag each, to be freed with pt_free. NULL for sparse
 * data, whose inputs all were. */
pt_status pt_prepare_numeric_inputs(const pt_prepare *prepare, bool **numeric, pt_error *err);

/* Names of the inputs, borrowed; NULL where they have none. */
const pt_texts *pt_prepare_input_names(const pt_prepare *prepare);

/* What a column of rows is made of, for words about it. */
typedef struct pt_output {
    int64_t input;          /* from 0 */
    const char *name;       /* of that input, borrowed; NULL: it has none */
    const pt_texts *levels; /* raw rows: those of a nominal column, borrowed; NULL: a number */
    const char *level;      /* one-hot: 1 where the cell is this one; NULL: it is not one */
    bool indicator;         /* 1 where the cell is missing */
    int64_t word;           /* of a text: the place of its words, from 0; -1: it is none */
    double center;          /* a number x of the input is (x - center) * factor; a factor 0: */
    double factor;          /*   it is 0 whatever x is */
    double fill;            /* of prepared rows: where the cell is the training mean, or the most
                               frequent level (0 with --missing zero, and of sparse data) */
    bool may_be_missing;    /* cells that are missing stay so */
} pt_output;

/* Column j of rows. */
pt_output pt_prepare_output(const pt_prepare *prepare, int64_t j);

/* For files of programs that know numbers and scaling only. Numbers that are neither missing nor
 * taken as names become (x - center) * factor. */
typedef struct pt_scaling {
    int64_t column; /* from 0 */
    double center;
    double factor;
} pt_scaling;

/* Refuses a preparation that makes several columns of one; `who` could not follow it. */
pt_status pt_prepare_only_scales(const pt_prepare *prepare, const char *who, pt_error *err);
bool pt_prepare_scales(const pt_prepare *prepare);
/* The s-th column that is scaled; false: there are no more. */
bool pt_prepare_scaling(const pt_prepare *prepare, int64_t s, pt_scaling *scaling);

/* The preparation of d columns that does nothing, for sparse data and for numbers none of which is
 * missing. names: one for each column; NULL, or none in it: they have none. */
pt_status pt_prepare_plain(pt_prepare **out, int64_t d, const pt_texts *names, pt_error *err);
/* The one that scales d columns of a table, none of whose cells is missing, each by its own. */
pt_status pt_prepare_scaled(pt_prepare **out, int64_t d, const pt_texts *names,
                            const pt_scaling *scaling, pt_error *err);
/* The one that hashes columns, of which there may be any number, and does nothing else. */
pt_status pt_prepare_hashed(pt_prepare **out, const pt_feature_hash *hash, pt_error *err);

/* The state as arrays of a file and back; numbers keep their bits. What is hostile is refused. */
typedef struct pt_pack pt_pack; /* store/pack.h */
pt_status pt_prepare_save(const pt_prepare *prepare, pt_pack *pack, pt_error *err);
pt_status pt_prepare_load(pt_prepare **out, const pt_pack *pack, pt_error *err);
/* Back from the JSON of old files. */
pt_status pt_prepare_load_json(pt_prepare **out, const char *text, pt_error *err);

#endif
