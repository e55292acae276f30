/* Fitting a preparation to sparse data: the formulas are those of prepare_fit.c. Only columns that
 * need a line of their own have one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/sort.h"
#include "data/prepare/prepare_state.h"

/* The columns that need a line of their own: all that have cells where data is scaled, else those
 * with missing cells, and nominal ones. Ascending, in *out, for the caller to free. */
static pt_status list_columns(int64_t **out, int64_t *count, const pt_dataset *data, bool scaled,
                              const pt_task *task, pt_error *err)
{
    const int64_t cells = data->start[data->n];
    int64_t n_listed = 0;
    for (int64_t c = 0; c < cells; c++) {
        PT_TRY(pt_task_check_row(task, c, 1, err));
        n_listed += scaled || isnan(pt_dataset_cell(data, c));
    }
    for (int64_t j = 0; data->columns && j < data->d; j++)
        n_listed += data->columns[j].nominal;
    PT_SCRATCH int64_t *list = pt_alloc(n_listed, sizeof *list, "fitted columns", err);
    if (!list)
        return PT_ENOMEM;
    int64_t next = 0;
    for (int64_t j = 0; data->columns && j < data->d; j++)
        if (data->columns[j].nominal)
            list[next++] = j;
    for (int64_t c = 0; c < cells; c++)
        if (scaled || isnan(pt_dataset_cell(data, c)))
            list[next++] = data->index[c];
    PT_TRY(
        pt_sort(list, n_listed, sizeof *list, pt_ascending_integers, "fitted columns", task, err));
    int64_t distinct = 0;
    for (int64_t c = 0; c < n_listed; c++)
        if (distinct == 0 || list[distinct - 1] != list[c])
            list[distinct++] = list[c];
    *out = pt_keep(&list);
    *count = distinct;
    return PT_OK;
}

/*   column   of each fitted column: statistics of its cells that are there and not missing
 *   missing  of each: how many are missing
 *   first    of each: where the weights of its levels begin
 *   seen     those of all nominal columns
 *   total    weight of all rows */
typedef struct sparse_work {
    pt_statistics *column;
    int64_t *missing;
    int64_t *first;
    double *seen;
    double total;
} sparse_work;

static pt_status sparse_count(sparse_work *work, const pt_prepare *prepare, const pt_dataset *data,
                              const pt_task *task, pt_error *err)
{
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t c = data->start[i]; c < data->start[i + 1]; c++) {
            PT_TRY(pt_task_check_row(task, c, 1, err));
            const double x = pt_dataset_cell(data, c);
            if (!isfinite(x))
                PT_TRY(pt_prepare_check_cell(prepare, data, i, data->index[c], x, err));
            const pt_fitted *fitted = pt_prepare_find(prepare, data->index[c]);
            if (!fitted)
                continue;
            const int64_t f = fitted - prepare->fitted;
            if (isnan(x)) {
                work->missing[f]++;
                work->column[f].missed += pt_row_weight(data, i);
                continue;
            }
            pt_statistics_add(&work->column[f], x, pt_row_weight(data, i), work->total);
            if (pt_is_nominal(data, fitted->column) &&
                x < (double)data->columns[fitted->column].levels.count)
                work->seen[work->first[f] + (int64_t)x] += pt_row_weight(data, i);
        }
    return PT_OK;
}

/* Levels of the nominal columns, all that are declared: the first is what rows leave out. */
static pt_status sparse_levels(pt_prepare *prepare, const sparse_work *work, const pt_dataset *data,
                               pt_error *err)
{
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        if (!pt_is_nominal(data, fitted->column))
            continue;
        work->seen[work->first[f]] += work->total - work->column[f].weight - work->column[f].missed;
        PT_TRY(pt_fit_levels(fitted, &data->columns[fitted->column], work->seen + work->first[f],
                             true, prepare, err));
    }
    return PT_OK;
}

/* The absent cells are zeros. */
static void with_zeros(pt_statistics *column, int64_t n_zeros, double total)
{
    if (n_zeros > 0) {
        column->min = column->count ? fmin(column->min, 0) : 0;
        column->max = column->count ? fmax(column->max, 0) : 0;
        column->count += n_zeros;
        column->weight = total - column->missed;
    }
}

static pt_status sparse_standard(pt_prepare *prepare, const sparse_work *work, const double *mean,
                                 const double *zeros, const pt_dataset *data, const pt_task *task,
                                 pt_error *err)
{
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t c = data->start[i]; c < data->start[i + 1]; c++) {
            PT_TRY(pt_task_check_row(task, c, 1, err));
            const double x = pt_dataset_cell(data, c);
            const int64_t f = pt_prepare_find(prepare, data->index[c]) - prepare->fitted;
            if (!isnan(x) && !prepare->fitted[f].nominal && pt_half_range(&work->column[f]) > 0)
                pt_spread_add(&work->column[f], x, mean[f], pt_row_weight(data, i));
        }
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        pt_statistics *column = &work->column[f];
        if (prepare->fitted[f].nominal)
            continue;
        if (pt_half_range(column) > 0) {
            pt_spread_add(column, 0, mean[f], zeros[f]);
            pt_spread_add(column, prepare->fitted[f].fill, mean[f], column->missed);
        }
        prepare->fitted[f].factor = pt_standard_factor(column, work->total);
    }
    return PT_OK;
}

/* fill, factor and mean of every fitted column. */
static pt_status sparse_numbers(pt_prepare *prepare, const sparse_work *work, double *mean,
                                double *zeros, const pt_dataset *data, const pt_task *task,
                                pt_error *err)
{
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        pt_statistics *column = &work->column[f];
        const int64_t n_zeros = data->n - column->count - work->missing[f];
        zeros[f] = n_zeros > 0 ? work->total - column->weight - column->missed : 0;
        with_zeros(column, n_zeros, work->total);
        fitted->flagged = prepare->missing == PT_MISSING_INDICATOR && work->missing[f] > 0;
        fitted->factor = 1;
        mean[f] = 0;
        if (fitted->nominal)
            continue;
        fitted->fill = 0;
        if (column->count == 0) {
            fitted->factor = 0; /* missing in every row */
            continue;
        }
        pt_fit_fill(fitted, column, data->n, work->total, prepare->missing);
        mean[f] = pt_filled_mean(fitted, column, work->total, prepare->missing);
        if (prepare->scale == PT_SCALE_RANGE)
            fitted->factor = pt_range_factor(fmax(fabs(column->min), fabs(column->max)));
    }
    if (prepare->scale == PT_SCALE_STANDARD)
        return sparse_standard(prepare, work, mean, zeros, data, task, err);
    return PT_OK;
}

static pt_status fit_listed(pt_prepare *prepare, const pt_dataset *data, const pt_task *task,
                            pt_error *err)
{
    const int64_t count = prepare->n_fitted;
    sparse_work work = {.total = pt_all_weight(data)};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    int64_t n_levels = 0;
    for (int64_t f = 0; f < count; f++)
        if (pt_is_nominal(data, prepare->fitted[f].column))
            n_levels += data->columns[prepare->fitted[f].column].levels.count;
    const size_t bytes =
        pt_arena_need(count, sizeof(pt_statistics)) + 2 * pt_arena_need(count, sizeof(int64_t)) +
        pt_arena_need(n_levels, sizeof(double)) + 2 * pt_arena_need(count, sizeof(double));
    PT_TRY(pt_arena_init(&arena, bytes, "statistics of columns", err));
    memset(arena.base, 0, bytes);
    work.column = pt_arena_take(&arena, count, sizeof(pt_statistics));
    work.missing = pt_arena_take(&arena, count, sizeof(int64_t));
    work.first = pt_arena_take(&arena, count, sizeof(int64_t));
    work.seen = pt_arena_take(&arena, n_levels, sizeof(double));
    n_levels = 0;
    for (int64_t f = 0; f < count; f++) {
        work.first[f] = n_levels;
        if (pt_is_nominal(data, prepare->fitted[f].column))
            n_levels += data->columns[prepare->fitted[f].column].levels.count;
    }
    double *zeros = pt_arena_take(&arena, count, sizeof(double));
    double *mean = pt_arena_take(&arena, count, sizeof(double));

    PT_TRY(sparse_count(&work, prepare, data, task, err));
    PT_TRY(sparse_levels(prepare, &work, data, err));
    return sparse_numbers(prepare, &work, mean, zeros, data, task, err);
}

pt_status pt_prepare_fit_sparse(pt_prepare *prepare, const pt_dataset *data, const pt_task *task,
                                pt_error *err)
{
    PT_SCRATCH int64_t *list = NULL;
    int64_t count = 0;
    const bool scaled = prepare->scale != PT_SCALE_NONE;
    prepare->unlisted = scaled ? 0 : 1;
    PT_TRY(list_columns(&list, &count, data, scaled, task, err));
    PT_TRY(PT_NEW_ZERO(prepare->fitted, count, "fitted columns", err));
    prepare->n_fitted = count;
    for (int64_t f = 0; f < count; f++)
        prepare->fitted[f].column = list[f];
    return fit_listed(prepare, data, task, err);
}
