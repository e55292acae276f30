/* What preparation remembers of the training data. Shared by the files prepare*.c only. */
#ifndef PT_DATA_PREPARE_PREPARE_STATE_H
#define PT_DATA_PREPARE_PREPARE_STATE_H

#include "data/prepare/prepare.h"

/* The numbers of these are in files. */
typedef enum pt_missing {
    PT_MISSING_ERROR,
    PT_MISSING_MEAN,
    PT_MISSING_ZERO,
    PT_MISSING_INDICATOR,
    PT_MISSING_KEEP, /* raw rows only */
    PT_N_MISSING
} pt_missing;

typedef enum pt_scale { PT_SCALE_NONE, PT_SCALE_RANGE, PT_SCALE_STANDARD, PT_N_SCALES } pt_scale;

extern const char *const pt_missing_names[PT_N_MISSING]; /* as in the parameter `missing` */
extern const char *const pt_scale_names[PT_N_SCALES];

/* A fitted column. A number x becomes (x - center) * factor; a nominal cell becomes one output per
 * level, where there are two a single one (0: the first, 1: the second, 1/2: neither), in raw rows
 * the number of its level. */
typedef struct pt_fitted {
    int64_t column; /* its number among the inputs */
    bool nominal;
    bool flagged;    /* has an output that is 1 where the cell is missing */
    int text_bits;   /* not 0: outputs are of words, by their hash; not nominal, no levels: */
    bool text_roots; /*   roots of their shares; in raw rows and old models their counts */
    bool spread;     /* nominal, and has an output for each level; set by the layout */
    pt_texts levels; /* that training saw */
    bool grouped;    /* the last of them stands for all that are not listed */
    double fill;     /* for a missing cell: a number; or the number of a level, -1: none of them */
    double center;
    double factor;
    int64_t first;     /* its first output */
    int64_t indicator; /* that output, -1: none */
} pt_fitted;

/* Dense: a fitted column for each of the d inputs, in order; the outputs of column 0, 1, ..., then
 * the indicators. Sparse: output j is input j, then come those of nominal columns with an output
 * for each level, in raw rows too (their own output stays 0), then the indicators; `fitted` has
 * only columns that need it, ascending, and every other cell is multiplied by `unlisted`. A cell
 * that a sparse row leaves out is 0, or the first level. */
struct pt_prepare {
    bool sparse;
    bool raw;         /* nominal columns are not encoded */
    bool two_hot;     /* nominal columns of two levels have two outputs, as in old models */
    bool sparse_rows; /* dense data whose rows are sparse all the same: counts of words are mostly
                         0. Not where raw */
    pt_missing missing;
    pt_scale scale;
    int64_t d;
    int64_t n_outputs;
    int64_t max_levels; /* that were told apart in training; 0: all, or not known any more */
    pt_texts names;     /* of the inputs: d, or none */
    pt_fitted *fitted;
    int64_t n_fitted;
    double unlisted;
    pt_feature_hash hash; /* of sparse data: input j is all columns that it sends there, d is 2^bits
                             and nothing is fitted; bits 0: none */
    int64_t *levels;      /* pt_rows.levels of what comes out; NULL: no nominal column there */
};

/* Numbers the outputs; PT_ELIMIT where there are too many to be addressed. */
pt_status pt_prepare_layout(pt_prepare *prepare, pt_error *err);

/* The fitted column of an input of sparse data, or NULL. */
const pt_fitted *pt_prepare_find(const pt_prepare *prepare, int64_t column);

enum { PT_COLUMN_WORDS = 96 };
/* "column 'color'" or "column 3" (from 1), for messages. */
const char *pt_prepare_column_text(const pt_prepare *prepare, int64_t column,
                                   char text[PT_COLUMN_WORDS]);

/* What a cell of a data set means to a fitted column, where that is not the number itself. */
typedef struct pt_meaning {
    int64_t n_levels;  /* the data's column is nominal: what each of its levels means, */
    double *of_level;  /*   a number or a level's number; NaN: not a number; below 0: unseen */
    double unseen;     /* what unseen levels are: -1, or the level that stands for the rest */
    int64_t n_numbers; /* the data's column is numeric, the fitted one nominal: */
    double *number;    /*   the values of its levels that are numbers, ascending, */
    double *level;     /*   and the level of each */
} pt_meaning;

/* What a sparse row that leaves out a column says of an input, where that is not 0. */
typedef struct pt_absence {
    int64_t column; /* of the data */
    int64_t input;
    double x; /* a number or a level's number; NaN: not a number; -1: unseen */
} pt_absence;

/* How the columns of a data set meet those of the preparation. */
typedef struct pt_match {
    bool by_name;
    int64_t *source;     /* input -> column of the data; NULL: the same number */
    int64_t *target;     /* column of the data -> input, -1: not used; NULL: the same number */
    pt_meaning *meaning; /* NULL: every cell is its number. A dense preparation has one for each
                            input, a sparse one for each column of the data */
    int64_t n_meanings;
    pt_absence *absence; /* sparse data for a sparse preparation: by input, ascending */
    int64_t n_absences;
} pt_match;

/* The number of the level that a number of the data means; `unseen`: none. */
double pt_meaning_of_number(const pt_meaning *meaning, double x);

/* Which columns are ignored or left out goes into the remarks. */
pt_status pt_match_make(pt_match *match, const pt_prepare *prepare, const pt_dataset *data,
                        pt_prepare_counts *remarks, pt_error *err);
void pt_match_free(pt_match *match);

/* What is fitted to one column, for dense and for sparse data. Shared by the files prepare*.c only.
 */

/* Zero-initialise. */
typedef struct pt_statistics {
    int64_t count; /* cells that are not missing */
    double weight; /* of their rows */
    double missed; /* of the rows of those that are, in sparse data */
    double min;    /* of what is there */
    double max;
    double sum;
    double share;  /* sum of x / N: the mean where `sum` overflows */
    double spread; /* sum of (x/2 - mean/2)^2 / half^2: never overflows */
} pt_statistics;

static inline double pt_row_weight(const pt_dataset *data, int64_t i)
{
    return data->weights ? data->weights[i] : 1;
}

/* N: what all rows weigh, n where they have no weights. */
double pt_all_weight(const pt_dataset *data);

/* A cell of a row of this weight; total: of all rows. */
static inline void pt_statistics_add(pt_statistics *column, double x, double weight, double total)
{
    if (column->count == 0 || x < column->min)
        column->min = x;
    if (column->count == 0 || x > column->max)
        column->max = x;
    column->count++;
    column->weight += weight;
    column->sum += weight * x;
    column->share += x / total * weight;
}

static inline double pt_half_range(const pt_statistics *column)
{
    return column->max / 2 - column->min / 2;
}

/* A cell once more, where half_range is not 0. */
static inline void pt_spread_add(pt_statistics *column, double x, double mean, double weight)
{
    const double z = (x / 2 - mean / 2) / pt_half_range(column);
    column->spread += weight * z * z;
}

double pt_range_factor(double half);
/* 1 / deviation, 0 for a constant column. */
double pt_standard_factor(const pt_statistics *column, double total);

/* What is wrong with a training cell, if anything is. */
pt_status pt_prepare_check_cell(const pt_prepare *prepare, const pt_dataset *data, int64_t row,
                                int64_t column, double x, pt_error *err);

/* Levels that occur, in their order, or all of them; seen: what the rows of each weigh. */
pt_status pt_fit_levels(pt_fitted *fitted, const pt_column *column, const double *seen, bool all,
                        const pt_prepare *prepare, pt_error *err);

/* fitted->fill; `column` becomes that of the filled cells. */
void pt_fit_fill(pt_fitted *fitted, pt_statistics *column, int64_t n, double total,
                 pt_missing missing);
double pt_filled_mean(const pt_fitted *fitted, const pt_statistics *column, double total,
                      pt_missing missing);

/* The columns of sparse data (prepare_sparse.c). */
pt_status pt_prepare_fit_sparse(pt_prepare *prepare, const pt_dataset *data, const pt_task *task,
                                pt_error *err);

#endif
