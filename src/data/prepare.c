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
#include "data/prepare.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/prepare_state.h"

const char *const pt_missing_names[PT_N_MISSING] = {"error", "mean", "zero", "indicator", "keep"};
const char *const pt_scale_names[PT_N_SCALES] = {"none", "range", "standard"};

/* ---- the state ---- */

void pt_prepare_free(pt_prepare *prepare)
{
    if (!prepare)
        return;
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        pt_texts_free(&prepare->fitted[f].levels);
    pt_free(prepare->fitted);
    pt_free(prepare->levels);
    pt_texts_free(&prepare->names);
    pt_free(prepare);
}

int64_t pt_prepare_n_inputs(const pt_prepare *prepare)
{
    return prepare->d;
}

const pt_texts *pt_prepare_input_names(const pt_prepare *prepare)
{
    return prepare->names.count > 0 ? &prepare->names : NULL;
}

int64_t pt_prepare_n_outputs(const pt_prepare *prepare)
{
    return prepare->n_outputs;
}

pt_status pt_prepare_numeric_inputs(const pt_prepare *prepare, bool **numeric, pt_error *err)
{
    *numeric = NULL;
    if (prepare->sparse)
        return PT_OK;
    bool *flags = pt_alloc(prepare->d, sizeof *flags, "kinds of columns", err);
    if (!flags)
        return PT_ENOMEM;
    for (int64_t j = 0; j < prepare->d; j++)
        flags[j] = !prepare->fitted[j].nominal && prepare->fitted[j].text_bits == 0;
    *numeric = flags;
    return PT_OK;
}

/* How many outputs an input has, its indicator not counted. */
static int64_t outputs_of(const pt_fitted *fitted)
{
    if (fitted->text_bits > 0)
        return (int64_t)1 << fitted->text_bits;
    return fitted->spread ? fitted->levels.count : 1;
}

/* The fitted column that output j belongs to; NULL: sparse data, not listed. */
static const pt_fitted *fitted_of(const pt_prepare *prepare, int64_t j)
{
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        const pt_fitted *fitted = &prepare->fitted[f];
        if (j == fitted->indicator ||
            (j >= fitted->first && j < fitted->first + outputs_of(fitted)))
            return fitted;
    }
    return NULL;
}

pt_output pt_prepare_output(const pt_prepare *prepare, int64_t j)
{
    const pt_fitted *fitted = fitted_of(prepare, j);
    pt_output output = {.input = fitted ? fitted->column : j,
                        .factor = fitted ? fitted->factor : prepare->unlisted,
                        .center = fitted ? fitted->center : 0,
                        .may_be_missing = prepare->raw && prepare->missing == PT_MISSING_KEEP};
    output.name = pt_texts_get(&prepare->names, output.input);
    output.indicator = fitted && j == fitted->indicator;
    if (!fitted || !fitted->nominal || output.indicator)
        return output;
    const bool numbered = prepare->raw && !prepare->sparse;
    const int64_t level = fitted->spread ? j - fitted->first : fitted->levels.count - 1;
    output.levels = numbered ? &fitted->levels : NULL;
    output.level = numbered ? NULL : pt_texts_get(&fitted->levels, level);
    return output;
}

static pt_status take_outputs(int64_t *next, int64_t count, pt_error *err)
{
    if (count > INT64_MAX / 2 - *next)
        return pt_fail(err, PT_ELIMIT, "preparation would make too many columns to be addressed");
    *next += count;
    return PT_OK;
}

/* Numbers of levels that float32 holds exactly. */
static const int64_t MOST_LEVELS = (int64_t)1 << FLT_MANT_DIG;

/* The levels of what comes out, where some column there is nominal. */
static pt_status list_levels(pt_prepare *prepare, pt_error *err)
{
    int64_t most = -1;
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        if (prepare->fitted[f].nominal && prepare->fitted[f].levels.count > most)
            most = prepare->fitted[f].levels.count;
    if (!prepare->raw || prepare->sparse || most < 0)
        return PT_OK;
    if (most > MOST_LEVELS)
        return pt_fail(err, PT_ELIMIT,
                       "a nominal column has %lld levels; at most %lld can be told "
                       "apart: leave it out with --ignore",
                       (long long)most, (long long)MOST_LEVELS);
    prepare->levels =
        pt_alloc_zero(prepare->n_outputs, sizeof *prepare->levels, "levels of columns", err);
    if (!prepare->levels)
        return PT_ENOMEM;
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        if (prepare->fitted[f].nominal)
            prepare->levels[prepare->fitted[f].first] = prepare->fitted[f].levels.count;
    return PT_OK;
}

/* Whether a column has an output for each of its levels. Sparse rows have no numbers of levels:
 * those of trees are spread, too. */
static bool is_spread(const pt_prepare *prepare, const pt_fitted *fitted)
{
    const int64_t count = fitted->levels.count;
    if (!fitted->nominal)
        return false;
    return prepare->sparse ? count > 2 : !prepare->raw && (count != 2 || prepare->two_hot);
}

pt_status pt_prepare_layout(pt_prepare *prepare, pt_error *err)
{
    int64_t next = prepare->sparse ? prepare->d : 0;
    pt_status status = PT_OK;
    for (int64_t f = 0; f < prepare->n_fitted && status == PT_OK; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        fitted->spread = is_spread(prepare, fitted);
        const bool own = prepare->sparse && !fitted->spread;
        fitted->first = own ? fitted->column : next;
        if (!own)
            status = take_outputs(&next, outputs_of(fitted), err);
    }
    for (int64_t f = 0; f < prepare->n_fitted && status == PT_OK; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        fitted->indicator = fitted->flagged ? next : -1;
        if (fitted->flagged)
            status = take_outputs(&next, 1, err);
    }
    prepare->n_outputs = next;
    if (status == PT_OK && next == 0)
        return pt_fail(err, PT_EFORMAT, "no column has a value; there is nothing to learn from");
    return status == PT_OK ? list_levels(prepare, err) : status;
}

const pt_fitted *pt_prepare_find(const pt_prepare *prepare, int64_t column)
{
    int64_t low = 0;
    int64_t high = prepare->n_fitted;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (prepare->fitted[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < prepare->n_fitted && prepare->fitted[low].column == column)
        return &prepare->fitted[low];
    return NULL;
}

const char *pt_prepare_column_text(const pt_prepare *prepare, int64_t column,
                                   char text[PT_COLUMN_WORDS])
{
    const char *name = pt_texts_get(&prepare->names, column);
    if (name)
        snprintf(text, PT_COLUMN_WORDS, "column '%.60s'", name);
    else
        snprintf(text, PT_COLUMN_WORDS, "column %lld", (long long)column + 1);
    return text;
}

/* ---- what is asked for ---- */

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
    pt_status status = PT_OK;
    for (int64_t j = 0; j < data->d && status == PT_OK; j++)
        status = pt_texts_add_n(&prepare->names, data->columns[j].name,
                                strlen(data->columns[j].name), err);
    return status;
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
                       "--missing keep: a number is needed in every cell; only trees and boosting "
                       "look at missing ones");
    return PT_OK;
}

/* ---- statistics of a column ---- */

typedef struct statistics {
    int64_t count; /* cells that are not missing */
    double weight; /* of their rows */
    double missed; /* of the rows of those that are, in sparse data */
    double min;    /* of what is there */
    double max;
    double sum;
    double share;  /* sum of x / N: the mean where `sum` overflows */
    double spread; /* sum of (x/2 - mean/2)^2 / half^2: never overflows */
} statistics;

static double cell_value(const pt_dataset *data, int64_t cell)
{
    return data->type == PT_F32 ? (double)((const float *)data->value)[cell]
                                : ((const double *)data->value)[cell];
}

static double row_weight(const pt_dataset *data, int64_t i)
{
    return data->weights ? data->weights[i] : 1;
}

/* N: what all rows weigh, n where they have no weights. */
static double all_weight(const pt_dataset *data)
{
    double sum = 0;
    for (int64_t i = 0; data->weights && i < data->n; i++)
        sum += data->weights[i];
    return data->weights ? sum : (double)data->n;
}

static void statistics_add(statistics *column, double x, double weight, double total)
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

static double half_range(const statistics *column)
{
    return column->max / 2 - column->min / 2;
}

/* The mean of cells of this weight, of which those that were added are not zero. */
static double mean_over(const statistics *column, double weight, double total)
{
    const double mean =
        isfinite(column->sum) ? column->sum / weight : column->share * (total / weight);
    return fmin(fmax(mean, column->min), column->max);
}

static void spread_add(statistics *column, double x, double mean, double weight)
{
    const double z = (x / 2 - mean / 2) / half_range(column);
    column->spread += weight * z * z;
}

/* 1 / deviation, 0 for a constant column. */
static double standard_factor(const statistics *column, double total)
{
    const double deviation = 2 * sqrt(column->spread / total); /* in units of half_range */
    if (!(half_range(column) > 0) || !(deviation > 0))
        return 0;
    return fmin(1 / deviation / half_range(column), DBL_MAX);
}

static double range_factor(double half)
{
    return half > 0 ? fmin(1 / half, DBL_MAX) : 0;
}

static pt_status fail_missing(const pt_prepare *prepare, const pt_dataset *data, int64_t row,
                              int64_t column, pt_error *err)
{
    char text[PT_COLUMN_WORDS];
    return pt_fail_at(
        err, PT_EFORMAT, data->source, 0, 0,
        "example %lld, %s: the value is missing; fill it in, or use --missing %smean, "
        "zero or indicator",
        (long long)row + 1, pt_prepare_column_text(prepare, column, text),
        prepare->raw ? "keep, " : "");
}

/* What is wrong with a training cell, if anything is. */
static pt_status check_cell(const pt_prepare *prepare, const pt_dataset *data, int64_t row,
                            int64_t column, double x, pt_error *err)
{
    char text[PT_COLUMN_WORDS];
    if (isinf(x))
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "example %lld, %s: the value is infinite", (long long)row + 1,
                          pt_prepare_column_text(prepare, column, text));
    if (isnan(x) && prepare->missing == PT_MISSING_ERROR)
        return fail_missing(prepare, data, row, column, err);
    return PT_OK;
}

/* ---- dense data ---- */

/*   column   d   statistics of numeric columns
 *   first    d   where the counts of a nominal column's levels begin
 *   seen         weights of all levels of all nominal columns
 *   total        of all rows */
typedef struct dense_work {
    statistics *column;
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
    work->total = all_weight(data);
    work->column = pt_alloc_zero(data->d, sizeof *work->column, "statistics of columns", err);
    if (!work->column)
        return PT_ENOMEM;
    work->first = pt_alloc(data->d, sizeof *work->first, "statistics of columns", err);
    if (!work->first)
        return PT_ENOMEM;
    int64_t n_levels = 0;
    for (int64_t j = 0; j < data->d; j++) {
        work->first[j] = n_levels;
        if (data->columns && data->columns[j].nominal)
            n_levels += data->columns[j].levels.count;
    }
    work->seen = pt_alloc_zero(n_levels, sizeof *work->seen, "statistics of columns", err);
    return work->seen ? PT_OK : PT_ENOMEM;
}

static bool is_nominal(const pt_dataset *data, int64_t j)
{
    return data->columns && data->columns[j].nominal;
}

static pt_status dense_count(dense_work *work, const pt_prepare *prepare, const pt_dataset *data,
                             pt_error *err)
{
    for (int64_t i = 0; i < data->n; i++) {
        const double weight = row_weight(data, i);
        for (int64_t j = 0; j < data->d; j++) {
            const double x = cell_value(data, i * data->d + j);
            if (!isfinite(x)) {
                pt_status status = check_cell(prepare, data, i, j, x, err);
                if (status != PT_OK)
                    return status;
            } else if (!is_nominal(data, j)) {
                statistics_add(&work->column[j], x, weight, work->total);
            } else if (x >= 0 && x < (double)data->columns[j].levels.count) {
                work->column[j].count++;
                work->seen[work->first[j] + (int64_t)x] += weight;
            }
        }
    }
    return PT_OK;
}

/* Which levels are kept where there are too many: those that weigh more than `above`, and the first
 * `ties` of those that weigh as much. */
typedef struct level_limit {
    double above;
    int64_t ties;
    bool limited;
} level_limit;

static int compare_down(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x < y) - (x > y);
}

/* One of the `most` levels is for the rest. */
static pt_status find_limit(level_limit *limit, const double *seen, int64_t count, int64_t most,
                            pt_error *err)
{
    int64_t occurring = 0;
    for (int64_t level = 0; level < count; level++)
        occurring += seen[level] > 0;
    if (most == 0 || occurring <= most)
        return PT_OK;
    double *sorted = pt_alloc(count, sizeof *sorted, "weights of levels", err);
    if (!sorted)
        return PT_ENOMEM;
    memcpy(sorted, seen, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_down);
    limit->limited = true;
    limit->above = sorted[most - 1];
    for (int64_t level = 0; level < most - 1; level++)
        limit->ties += sorted[level] == limit->above;
    pt_free(sorted);
    return PT_OK;
}

static bool keeps(level_limit *limit, double seen)
{
    return seen > limit->above || (seen == limit->above && limit->ties-- > 0);
}

/* The level that stands for all others, under a name that none of them has. */
static pt_status add_rest(pt_texts *levels, pt_error *err)
{
    char name[64] = "(others)";
    for (size_t length = strlen(name); length + 1 < sizeof name; length++) {
        bool taken = false;
        for (int64_t level = 0; level < levels->count && !taken; level++)
            taken = strcmp(levels->items[level], name) == 0;
        if (!taken)
            break;
        name[length] = '*';
        name[length + 1] = '\0';
    }
    return pt_texts_add_n(levels, name, strlen(name), err);
}

/* Levels that occur, in their order, or all of them; of two both, so that what one output says does
 * not depend on the rows. fill is the most frequent, the first of several. */
static pt_status fit_levels(pt_fitted *fitted, const pt_column *column, const double *seen,
                            bool all, const pt_prepare *prepare, pt_error *err)
{
    double most = 0;
    double rest = 0;
    fitted->nominal = true;
    fitted->fill = -1;
    if (column->levels.count == 2)
        all = all || seen[0] + seen[1] > 0;
    level_limit limit = {0, 0, false};
    pt_status status = find_limit(&limit, seen, column->levels.count, prepare->max_levels, err);
    for (int64_t level = 0; level < column->levels.count && status == PT_OK; level++) {
        if (seen[level] == 0 && !all && !limit.limited)
            continue;
        if (limit.limited && !keeps(&limit, seen[level]) && !(level == 0 && prepare->sparse)) {
            rest += seen[level];
            continue;
        }
        const char *text = column->levels.items[level];
        status = pt_texts_add_n(&fitted->levels, text, strlen(text), err);
        if (status == PT_OK && seen[level] > most && prepare->missing != PT_MISSING_ZERO) {
            most = seen[level];
            fitted->fill = (double)(fitted->levels.count - 1);
        }
    }
    fitted->grouped = limit.limited;
    if (status == PT_OK && limit.limited)
        status = add_rest(&fitted->levels, err);
    if (status == PT_OK && rest > most && prepare->missing != PT_MISSING_ZERO)
        fitted->fill = (double)(fitted->levels.count - 1);
    return status;
}

/* `column` becomes that of the filled cells. */
static void fit_fill(pt_fitted *fitted, statistics *column, int64_t n, double total,
                     pt_missing missing)
{
    const bool some_missing = column->count < n;
    if (missing == PT_MISSING_ZERO) {
        fitted->fill = 0;
        if (some_missing) {
            column->min = fmin(column->min, 0);
            column->max = fmax(column->max, 0);
        }
    } else {
        fitted->fill = mean_over(column, column->weight, total);
    }
}

static double filled_mean(const pt_fitted *fitted, const statistics *column, double total,
                          pt_missing missing)
{
    return missing == PT_MISSING_ZERO ? mean_over(column, total, total) : fitted->fill;
}

static void fit_number(pt_fitted *fitted, statistics *column, int64_t n, double total,
                       pt_missing missing, pt_scale scale)
{
    fitted->center = 0;
    fitted->factor = scale == PT_SCALE_NONE && column->count > 0 ? 1 : 0;
    if (column->count == 0)
        return; /* no value at all: 0 in every data set */
    fit_fill(fitted, column, n, total, missing);
    if (scale == PT_SCALE_RANGE) {
        fitted->center = column->min / 2 + column->max / 2;
        fitted->factor = range_factor(half_range(column));
    } else if (scale == PT_SCALE_STANDARD) {
        fitted->center = filled_mean(fitted, column, total, missing);
        /* the factor needs a second look at the data */
    }
}

/* The factors of standard scaling: a second pass, around the means of the first. */
static void dense_standard(pt_prepare *prepare, const dense_work *work, const pt_dataset *data)
{
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t j = 0; j < data->d; j++) {
            const double x = cell_value(data, i * data->d + j);
            if (!is_nominal(data, j) && !isnan(x) && half_range(&work->column[j]) > 0)
                spread_add(&work->column[j], x, prepare->fitted[j].center, row_weight(data, i));
        }
    for (int64_t j = 0; j < data->d; j++) {
        pt_fitted *fitted = &prepare->fitted[j];
        statistics *column = &work->column[j];
        if (is_nominal(data, j))
            continue;
        if (half_range(column) > 0) /* filled cells deviate too, unless they are the mean */
            spread_add(column, fitted->fill, fitted->center, work->total - column->weight);
        fitted->factor = standard_factor(column, work->total);
    }
}

static void fit_words(pt_fitted *fitted, const pt_params *params)
{
    fitted->text_bits = (int)pt_params_integer(params, PT_P_TEXT_BITS);
    fitted->factor = 1;
    fitted->flagged = false;
}

static pt_status fit_dense(pt_prepare *prepare, const pt_dataset *data, const pt_params *params,
                           pt_error *err)
{
    prepare->fitted = pt_alloc_zero(data->d, sizeof *prepare->fitted, "fitted columns", err);
    if (!prepare->fitted)
        return PT_ENOMEM;
    prepare->n_fitted = data->d;

    dense_work work;
    pt_status status = dense_work_new(&work, data, err);
    if (status == PT_OK)
        status = dense_count(&work, prepare, data, err);
    for (int64_t j = 0; j < data->d && status == PT_OK; j++) {
        pt_fitted *fitted = &prepare->fitted[j];
        fitted->column = j;
        fitted->flagged =
            prepare->missing == PT_MISSING_INDICATOR && work.column[j].count < data->n;
        if (is_nominal(data, j) && data->columns[j].text)
            fit_words(fitted, params);
        else if (is_nominal(data, j))
            status = fit_levels(fitted, &data->columns[j], work.seen + work.first[j], false,
                                prepare, err);
        else
            fit_number(fitted, &work.column[j], data->n, work.total, prepare->missing,
                       prepare->scale);
    }
    if (status == PT_OK && prepare->scale == PT_SCALE_STANDARD)
        dense_standard(prepare, &work, data);
    dense_work_free(&work);
    return status;
}

/* ---- sparse data ---- */

static int compare_columns(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The columns that need a line of their own: all that have cells where data is scaled, else those
 * with missing cells, and nominal ones. Ascending, in *out, for the caller to free. */
static pt_status list_columns(int64_t **out, int64_t *count, const pt_dataset *data, bool scaled,
                              pt_error *err)
{
    const int64_t cells = data->start[data->n];
    int64_t n_listed = 0;
    for (int64_t c = 0; c < cells; c++)
        n_listed += scaled || isnan(cell_value(data, c));
    for (int64_t j = 0; data->columns && j < data->d; j++)
        n_listed += data->columns[j].nominal;
    int64_t *list = pt_alloc(n_listed, sizeof *list, "fitted columns", err);
    if (!list)
        return PT_ENOMEM;
    int64_t next = 0;
    for (int64_t j = 0; data->columns && j < data->d; j++)
        if (data->columns[j].nominal)
            list[next++] = j;
    for (int64_t c = 0; c < cells; c++)
        if (scaled || isnan(cell_value(data, c)))
            list[next++] = data->index[c];
    qsort(list, (size_t)n_listed, sizeof *list, compare_columns);
    int64_t distinct = 0;
    for (int64_t c = 0; c < n_listed; c++)
        if (distinct == 0 || list[distinct - 1] != list[c])
            list[distinct++] = list[c];
    *out = list;
    *count = distinct;
    return PT_OK;
}

/*   column   of each fitted column: statistics of its cells that are there and not missing
 *   missing  of each: how many are missing
 *   first    of each: where the weights of its levels begin
 *   seen     those of all nominal columns
 *   total    weight of all rows */
typedef struct sparse_work {
    statistics *column;
    int64_t *missing;
    int64_t *first;
    double *seen;
    double total;
} sparse_work;

static pt_status sparse_count(sparse_work *work, const pt_prepare *prepare, const pt_dataset *data,
                              pt_error *err)
{
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t c = data->start[i]; c < data->start[i + 1]; c++) {
            const double x = cell_value(data, c);
            pt_status status = PT_OK;
            if (!isfinite(x))
                status = check_cell(prepare, data, i, data->index[c], x, err);
            if (status != PT_OK)
                return status;
            const pt_fitted *fitted = pt_prepare_find(prepare, data->index[c]);
            if (!fitted)
                continue;
            const int64_t f = fitted - prepare->fitted;
            if (isnan(x)) {
                work->missing[f]++;
                work->column[f].missed += row_weight(data, i);
                continue;
            }
            statistics_add(&work->column[f], x, row_weight(data, i), work->total);
            if (is_nominal(data, fitted->column) &&
                x < (double)data->columns[fitted->column].levels.count)
                work->seen[work->first[f] + (int64_t)x] += row_weight(data, i);
        }
    return PT_OK;
}

/* Levels of the nominal columns, all that are declared: the first is what rows leave out. */
static pt_status sparse_levels(pt_prepare *prepare, const sparse_work *work, const pt_dataset *data,
                               pt_error *err)
{
    pt_status status = PT_OK;
    for (int64_t f = 0; f < prepare->n_fitted && status == PT_OK; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        if (!is_nominal(data, fitted->column))
            continue;
        work->seen[work->first[f]] += work->total - work->column[f].weight - work->column[f].missed;
        status = fit_levels(fitted, &data->columns[fitted->column], work->seen + work->first[f],
                            true, prepare, err);
    }
    return status;
}

/* The absent cells are zeros. */
static void with_zeros(statistics *column, int64_t n_zeros, double total)
{
    if (n_zeros > 0) {
        column->min = column->count ? fmin(column->min, 0) : 0;
        column->max = column->count ? fmax(column->max, 0) : 0;
        column->count += n_zeros;
        column->weight = total - column->missed;
    }
}

static void sparse_standard(pt_prepare *prepare, const sparse_work *work, const double *mean,
                            const double *zeros, const pt_dataset *data)
{
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t c = data->start[i]; c < data->start[i + 1]; c++) {
            const double x = cell_value(data, c);
            const int64_t f = pt_prepare_find(prepare, data->index[c]) - prepare->fitted;
            if (!isnan(x) && !prepare->fitted[f].nominal && half_range(&work->column[f]) > 0)
                spread_add(&work->column[f], x, mean[f], row_weight(data, i));
        }
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        statistics *column = &work->column[f];
        if (prepare->fitted[f].nominal)
            continue;
        if (half_range(column) > 0) {
            spread_add(column, 0, mean[f], zeros[f]);
            spread_add(column, prepare->fitted[f].fill, mean[f], column->missed);
        }
        prepare->fitted[f].factor = standard_factor(column, work->total);
    }
}

/* fill, factor and mean of every fitted column. */
static void sparse_numbers(pt_prepare *prepare, const sparse_work *work, double *mean,
                           double *zeros, const pt_dataset *data)
{
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        statistics *column = &work->column[f];
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
        fit_fill(fitted, column, data->n, work->total, prepare->missing);
        mean[f] = filled_mean(fitted, column, work->total, prepare->missing);
        if (prepare->scale == PT_SCALE_RANGE)
            fitted->factor = range_factor(fmax(fabs(column->min), fabs(column->max)));
    }
    if (prepare->scale == PT_SCALE_STANDARD)
        sparse_standard(prepare, work, mean, zeros, data);
}

static pt_status fit_listed(pt_prepare *prepare, const pt_dataset *data, pt_error *err)
{
    const int64_t count = prepare->n_fitted;
    sparse_work work = {.total = all_weight(data)};
    pt_arena arena;
    int64_t n_levels = 0;
    for (int64_t f = 0; f < count; f++)
        if (is_nominal(data, prepare->fitted[f].column))
            n_levels += data->columns[prepare->fitted[f].column].levels.count;
    const size_t bytes =
        pt_arena_need(count, sizeof(statistics)) + 2 * pt_arena_need(count, sizeof(int64_t)) +
        pt_arena_need(n_levels, sizeof(double)) + 2 * pt_arena_need(count, sizeof(double));
    pt_status status = pt_arena_init(&arena, bytes, "statistics of columns", err);
    if (status != PT_OK)
        return status;
    memset(arena.base, 0, bytes);
    work.column = pt_arena_take(&arena, count, sizeof(statistics));
    work.missing = pt_arena_take(&arena, count, sizeof(int64_t));
    work.first = pt_arena_take(&arena, count, sizeof(int64_t));
    work.seen = pt_arena_take(&arena, n_levels, sizeof(double));
    n_levels = 0;
    for (int64_t f = 0; f < count; f++) {
        work.first[f] = n_levels;
        if (is_nominal(data, prepare->fitted[f].column))
            n_levels += data->columns[prepare->fitted[f].column].levels.count;
    }
    double *zeros = pt_arena_take(&arena, count, sizeof(double));
    double *mean = pt_arena_take(&arena, count, sizeof(double));

    status = sparse_count(&work, prepare, data, err);
    if (status == PT_OK)
        status = sparse_levels(prepare, &work, data, err);
    if (status == PT_OK)
        sparse_numbers(prepare, &work, mean, zeros, data);
    pt_arena_free(&arena);
    return status;
}

static pt_status fit_sparse(pt_prepare *prepare, const pt_dataset *data, pt_error *err)
{
    int64_t *list = NULL;
    int64_t count = 0;
    const bool scaled = prepare->scale != PT_SCALE_NONE;
    prepare->unlisted = scaled ? 0 : 1;
    pt_status status = list_columns(&list, &count, data, scaled, err);
    if (status != PT_OK)
        return status;
    prepare->fitted = pt_alloc_zero(count, sizeof *prepare->fitted, "fitted columns", err);
    if (prepare->fitted) {
        prepare->n_fitted = count;
        for (int64_t f = 0; f < count; f++)
            prepare->fitted[f].column = list[f];
        status = fit_listed(prepare, data, err);
    } else {
        status = PT_ENOMEM;
    }
    pt_free(list);
    return status;
}

pt_status pt_prepare_fit(pt_prepare **out, const pt_dataset *data, const pt_params *params,
                         bool raw, pt_error *err)
{
    pt_status status = check_data(data, err);
    if (status == PT_OK)
        status = check_missing(params, raw, err);
    if (status != PT_OK)
        return status;
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
    status = keep_names(prepare, data, err);
    if (status == PT_OK)
        status = prepare->sparse ? fit_sparse(prepare, data, err)
                                 : fit_dense(prepare, data, params, err);
    if (status == PT_OK)
        status = pt_prepare_layout(prepare, err);
    if (status != PT_OK) {
        pt_prepare_free(prepare);
        return status;
    }
    *out = prepare;
    return PT_OK;
}

/* ---- as others see it ---- */

pt_status pt_prepare_remarks(const pt_prepare *prepare, pt_texts *warnings, pt_error *err)
{
    enum { NAMED = 3 };
    char names[NAMED * (PT_COLUMN_WORDS + 2) + 8] = "";
    char text[PT_COLUMN_WORDS];
    size_t used = 0;
    int64_t count = 0;
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        const pt_fitted *fitted = &prepare->fitted[f];
        if (fitted->grouped && ++count <= NAMED)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", count > 1 ? ", " : "",
                                 pt_prepare_column_text(prepare, fitted->column, text));
    }
    char more[48] = "";
    if (count > NAMED)
        snprintf(more, sizeof more, " and %lld more", (long long)(count - NAMED));
    return count == 0 ? PT_OK
                      : pt_texts_add(warnings, err,
                                     "%s%s: more than %lld levels; the rarest became one level, "
                                     "--max-levels says how many are told apart",
                                     names, more, (long long)prepare->max_levels);
}

pt_status pt_prepare_only_scales(const pt_prepare *prepare, const char *who, pt_error *err)
{
    char text[PT_COLUMN_WORDS];
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        if (prepare->fitted[f].nominal && !prepare->fitted[f].spread)
            return pt_fail(err, PT_ENOSUPPORT, "%s holds names, which %s does not know",
                           pt_prepare_column_text(prepare, prepare->fitted[f].column, text), who);
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        if (prepare->fitted[f].nominal || prepare->fitted[f].flagged ||
            prepare->fitted[f].text_bits > 0)
            return pt_fail(err, PT_ENOSUPPORT,
                           "%s became several in training (%s), which %s does not know; encode the "
                           "data first and train on that",
                           pt_prepare_column_text(prepare, prepare->fitted[f].column, text),
                           prepare->fitted[f].nominal || !prepare->fitted[f].flagged
                               ? "it holds names"
                               : "it has an indicator of missing cells",
                           who);
    return PT_OK;
}

bool pt_prepare_scales(const pt_prepare *prepare)
{
    return prepare->scale != PT_SCALE_NONE;
}

bool pt_prepare_scaling(const pt_prepare *prepare, int64_t s, pt_scaling *scaling)
{
    if (!pt_prepare_scales(prepare) || s >= prepare->n_fitted)
        return false;
    const pt_fitted *fitted = &prepare->fitted[s];
    *scaling = (pt_scaling){fitted->column, fitted->center, fitted->factor};
    return true;
}

pt_status pt_prepare_hashed(pt_prepare **out, const pt_feature_hash *hash, pt_error *err)
{
    const pt_status status = pt_prepare_plain(out, (int64_t)1 << hash->bits, NULL, err);
    if (status == PT_OK)
        (*out)->hash = *hash;
    return status;
}

pt_status pt_prepare_scaled(pt_prepare **out, int64_t d, const pt_texts *names,
                            const pt_scaling *scaling, pt_error *err)
{
    pt_prepare *prepare = NULL;
    pt_status status = pt_prepare_plain(&prepare, d, names, err);
    if (status != PT_OK)
        return status;
    prepare->sparse = false;
    prepare->scale = PT_SCALE_RANGE;
    prepare->fitted = pt_alloc_zero(d, sizeof *prepare->fitted, "fitted columns", err);
    status = prepare->fitted ? PT_OK : PT_ENOMEM;
    prepare->n_fitted = status == PT_OK ? d : 0;
    for (int64_t j = 0; j < prepare->n_fitted; j++) {
        prepare->fitted[j].column = j;
        prepare->fitted[j].center = scaling[j].center;
        prepare->fitted[j].factor = scaling[j].factor;
    }
    if (status == PT_OK)
        status = pt_prepare_layout(prepare, err);
    if (status == PT_OK)
        *out = prepare;
    else
        pt_prepare_free(prepare);
    return status;
}

pt_status pt_prepare_plain(pt_prepare **out, int64_t d, const pt_texts *names, pt_error *err)
{
    pt_prepare *prepare = pt_alloc_zero(1, sizeof *prepare, "a preparation", err);
    if (!prepare)
        return PT_ENOMEM;
    prepare->sparse = true;
    prepare->missing = PT_MISSING_ERROR;
    prepare->d = d;
    prepare->n_outputs = d;
    prepare->unlisted = 1;
    for (int64_t j = 0; names && j < names->count; j++) {
        const pt_status status =
            pt_texts_add_n(&prepare->names, names->items[j], strlen(names->items[j]), err);
        if (status != PT_OK) {
            pt_prepare_free(prepare);
            return status;
        }
    }
    *out = prepare;
    return PT_OK;
}
