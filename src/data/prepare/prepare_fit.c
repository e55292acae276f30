/* Fitting a preparation: from the columns of the training data to a line of numbers for each.
 *
 * Missing cells are filled first, and scaling is fitted on the filled column: a mean does not move
 * the range, a zero may widen it. With N the number of rows, a row of weight w counting as w, and x
 * the filled column:
 *
 *   range      center = (min + max) / 2      factor = 2 / (max - min)       -> [-1, 1]
 *   standard   center = mean                 factor = 1 / sqrt(mean (x - center)^2)
 *   none       center = 0                    factor = 1
 *
 * A constant column has factor 0 (range, standard): it becomes 0 in every data set, and so does a
 * column that has no value at all in training, whatever the scaling.
 *
 * Sparse columns keep their zeros, so center is 0: range divides by the largest absolute value,
 * standard by the deviation from the mean (absent cells are zeros and count). A column without any
 * cell in training becomes 0 where scaling was asked for. A missing cell is filled with the mean of
 * its column, zeros included, where training had missing cells there; elsewhere with 0, which is
 * what most cells of a sparse column are, so that no mean need be kept for each of a million
 * features.
 *
 * Ranges and sums that overflow: half ranges are formed from halves, a sum that overflows is formed
 * again from x / N, and a factor is at most the largest double.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/prepare/prepare_state.h"

/* ---- what is asked for ----------------------------------------------------------------------- */

/* The place of a text in a list of names; the parameter table has checked that it is there. */
static int choice(const char *text, const char *const *names, int count)
{
    for (int c = 0; c < count; c++)
        if (strcmp(text, names[c]) == 0)
            return c;
    return 0;
}

static pt_scale scale_asked(const pt_params *params, bool sparse, bool raw)
{
    const char *text = pt_params_text(params, PT_P_SCALE);
    if (strcmp(text, "auto") != 0)
        return (pt_scale)choice(text, pt_scale_names, PT_N_SCALES);
    /* a precomputed kernel's columns are kernel values: moving them would make another kernel */
    const char *kernel = pt_params_text(params, PT_P_KERNEL);
    const bool precomputed = strcmp(kernel, "precomputed") == 0 || strcmp(kernel, "joint") == 0;
    return sparse || raw || precomputed ? PT_SCALE_NONE : PT_SCALE_RANGE;
}

/* Names are kept only if every column has one: by name or by position, never half of each. */
static pt_status keep_names(pt_prepare *prepare, const pt_dataset *data, pt_error *err)
{
    if (!data->columns)
        return PT_OK;
    for (int64_t j = 0; j < data->d; j++)
        if (!data->columns[j].name)
            return PT_OK;
    for (int64_t j = 0; j < data->d; j++)
        PT_TRY(pt_texts_add_n(&prepare->names, data->columns[j].name, strlen(data->columns[j].name),
                              err));
    return PT_OK;
}

static pt_status check_data(const pt_dataset *data, pt_error *err)
{
    if (data->n == 0 || data->d == 0)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "%lld example%s with %lld feature%s: there is nothing to learn from",
                          (long long)data->n, data->n == 1 ? "" : "s", (long long)data->d,
                          data->d == 1 ? "" : "s");
    return PT_OK;
}

/* Kept cells are for those who ask for raw rows: no one else expects a NaN. */
static pt_status check_missing(const pt_params *params, bool raw, pt_error *err)
{
    const char *text = pt_params_text(params, PT_P_MISSING);
    if (!raw && strcmp(text, pt_missing_names[PT_MISSING_KEEP]) == 0)
        return pt_fail(err, PT_EINVAL,
                       "`missing=keep`: a number is needed in every cell; only trees and boosting "
                       "look at missing ones");
    return PT_OK;
}
/* ---- dense data ------------------------------------------------------------------------------ */

/*   column   d   statistics of numeric columns
 *   first    d   where the counts of a nominal column's levels begin
 *   seen         weights of all levels of all nominal columns
 *   total        of all rows */
typedef struct dense_work {
    pt_statistics *column;
    int64_t *first;
    double *seen;
    double total;
} dense_work;

static void dense_work_free(dense_work *work)
{
    pt_free(work->column);
    pt_free(work->first);
    pt_free(work->seen);
}

static pt_status dense_work_new(dense_work *work, const pt_dataset *data, pt_error *err)
{
    memset(work, 0, sizeof *work);
    work->total = pt_all_weight(data);
    PT_TRY(PT_NEW_ZERO(work->column, data->d, "statistics of columns", err));
    PT_TRY(PT_NEW(work->first, data->d, "statistics of columns", err));
    int64_t n_levels = 0;
    for (int64_t j = 0; j < data->d; j++) {
        work->first[j] = n_levels;
        if (data->columns && data->columns[j].nominal)
            n_levels += data->columns[j].levels.count;
    }
    return PT_NEW_ZERO(work->seen, n_levels, "statistics of columns", err);
}

static pt_status dense_count(dense_work *work, const pt_prepare *prepare, const pt_dataset *data,
                             const pt_task *task, pt_error *err)
{
    for (int64_t i = 0; i < data->n; i++) {
        PT_TRY(pt_task_check_row(task, i, data->d, err));
        const double weight = pt_row_weight(data, i);
        for (int64_t j = 0; j < data->d; j++) {
            const double x = pt_dataset_dense_cell(data, i, j);
            if (!isfinite(x))
                PT_TRY(pt_prepare_check_cell(prepare, data, i, j, x, err));
            else if (!pt_is_nominal(data, j))
                pt_statistics_add(&work->column[j], x, weight, work->total);
            else if (x >= 0 && x < (double)data->columns[j].levels.count) {
                work->column[j].count++;
                work->seen[work->first[j] + (int64_t)x] += weight;
            }
        }
    }
    return PT_OK;
}

static void fit_number(pt_fitted *fitted, pt_statistics *column, int64_t n, double total,
                       pt_missing missing, pt_scale scale)
{
    fitted->center = 0;
    fitted->factor = scale == PT_SCALE_NONE && column->count > 0 ? 1 : 0;
    if (column->count == 0)
        return; /* no value at all: 0 in every data set */
    pt_fit_fill(fitted, column, n, total, missing);
    if (scale == PT_SCALE_RANGE) {
        fitted->center = column->min / 2 + column->max / 2;
        fitted->factor = pt_range_factor(pt_half_range(column));
    } else if (scale == PT_SCALE_STANDARD) {
        fitted->center = pt_filled_mean(fitted, column, total, missing);
        /* the factor needs a second look at the data */
    }
}

/* The factors of standard scaling: a second pass, around the means of the first. */
static pt_status dense_standard(pt_prepare *prepare, const dense_work *work, const pt_dataset *data,
                                const pt_task *task, pt_error *err)
{
    for (int64_t i = 0; i < data->n; i++) {
        PT_TRY(pt_task_check_row(task, i, data->d, err));
        for (int64_t j = 0; j < data->d; j++) {
            const double x = pt_dataset_dense_cell(data, i, j);
            if (!pt_is_nominal(data, j) && !isnan(x) && pt_half_range(&work->column[j]) > 0)
                pt_spread_add(&work->column[j], x, prepare->fitted[j].center,
                              pt_row_weight(data, i));
        }
    }
    for (int64_t j = 0; j < data->d; j++) {
        pt_fitted *fitted = &prepare->fitted[j];
        pt_statistics *column = &work->column[j];
        if (pt_is_nominal(data, j))
            continue;
        if (pt_half_range(column) > 0) /* filled cells deviate too, unless they are the mean */
            pt_spread_add(column, fitted->fill, fitted->center, work->total - column->weight);
        fitted->factor = pt_standard_factor(column, work->total);
    }
    return PT_OK;
}

/* A sparse row costs what its words do, and collisions of words cost errors up to 16 bits and
 * little beyond (docs/messy-data.md); weights and dense rows grow with the places. */
static void fit_words(pt_fitted *fitted, const pt_params *params, bool raw)
{
    enum { SPARSE_BITS = 16, DENSE_BITS = 9 };
    fitted->text_bits = !pt_params_is_auto(params, PT_P_TEXT_BITS)
                            ? (int)pt_params_integer(params, PT_P_TEXT_BITS)
                        : raw ? DENSE_BITS
                              : SPARSE_BITS;
    fitted->text_roots = !raw;
    fitted->factor = 1;
    fitted->flagged = false;
}

static pt_status fit_dense(pt_prepare *prepare, const pt_dataset *data, const pt_params *params,
                           const pt_task *task, pt_error *err)
{
    PT_TRY(PT_NEW_ZERO(prepare->fitted, data->d, "fitted columns", err));
    prepare->n_fitted = data->d;

    PT_FREED_BY(dense_work_free) dense_work work = {0};
    PT_TRY(dense_work_new(&work, data, err));
    PT_TRY(dense_count(&work, prepare, data, task, err));
    for (int64_t j = 0; j < data->d; j++) {
        pt_fitted *fitted = &prepare->fitted[j];
        fitted->column = j;
        fitted->flagged =
            prepare->missing == PT_MISSING_INDICATOR && work.column[j].count < data->n;
        if (pt_is_nominal(data, j) && data->columns[j].text)
            fit_words(fitted, params, prepare->raw);
        else if (pt_is_nominal(data, j))
            PT_TRY(pt_fit_levels(fitted, &data->columns[j], work.seen + work.first[j], false,
                                 prepare, err));
        else
            fit_number(fitted, &work.column[j], data->n, work.total, prepare->missing,
                       prepare->scale);
    }
    if (prepare->scale == PT_SCALE_STANDARD)
        PT_TRY(dense_standard(prepare, &work, data, task, err));
    return PT_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

pt_status pt_prepare_fit(pt_prepare **out, const pt_dataset *data, const pt_params *params,
                         bool raw, const pt_task *task, pt_error *err)
{
    PT_TRY(check_data(data, err));
    PT_TRY(check_missing(params, raw, err));
    PT_FREED_BY(pt_prepare_free_at)
    pt_prepare *prepare = pt_alloc_zero(1, sizeof *prepare, "a preparation", err);
    if (!prepare)
        return PT_ENOMEM;
    prepare->sparse = data->start != NULL;
    prepare->raw = raw;
    prepare->d = data->d;
    prepare->scale = scale_asked(params, prepare->sparse, raw);
    prepare->missing =
        (pt_missing)choice(pt_params_text(params, PT_P_MISSING), pt_missing_names, PT_N_MISSING);
    prepare->max_levels = pt_params_integer(params, PT_P_MAX_LEVELS);
    prepare->unlisted = 1;
    PT_TRY(keep_names(prepare, data, err));
    PT_TRY(prepare->sparse ? pt_prepare_fit_sparse(prepare, data, task, err)
                           : fit_dense(prepare, data, params, task, err));
    for (int64_t f = 0; f < prepare->n_fitted && !raw; f++)
        prepare->sparse_rows = prepare->sparse_rows || prepare->fitted[f].text_bits > 0;
    PT_TRY(pt_prepare_layout(prepare, err));
    *out = pt_keep(&prepare);
    return PT_OK;
}
