/* What is fitted to one column, for dense and for sparse data. Shared by the files prepare*.c only.
 */
#ifndef PT_DATA_PREPARE_PREPARE_COLUMN_H
#define PT_DATA_PREPARE_PREPARE_COLUMN_H

#include "data/prepare/prepare_state.h"

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
pt_status pt_prepare_fit_sparse(pt_prepare *prepare, const pt_dataset *data, pt_error *err);

#endif
