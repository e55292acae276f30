/* What a search has found, as a report. */
#include <math.h>

#include "base/alloc.h"
#include "params/params_table.h"
#include "report/report.h"
#include "select/search.h"

void pt_search_free(pt_search *search)
{
    if (!search)
        return;
    pt_free(search->point_scores);
    pt_free(search->best_scores);
    pt_free(search->best_probas);
    pt_free(search->row);
    pt_texts_free(&search->classes);
    pt_params_free(search->best_params);
    pt_warnings_free(&search->warnings);
    pt_free(search->nested);
    pt_free(search->nested_value);
    pt_free(search->value);
    pt_free(search->fold_value);
    pt_free(search->errors);
    pt_free(search->fold_wrong);
    pt_free(search->fold_rows);
    pt_free(search->held);
    pt_grid_free(&search->grid);
    pt_free(search);
}

int64_t pt_search_total(const pt_search *search, int64_t point)
{
    int64_t total = 0;
    for (int64_t r = 0; r < search->n_repeats; r++) {
        const int64_t errors = search->errors[point * search->n_repeats + r];
        if (errors < 0)
            return PT_NO_ANSWER;
        total += errors;
    }
    return total;
}

static double mean_value(const pt_search *search, int64_t point)
{
    const double *value = search->value + point * search->n_repeats;
    double sum = 0;
    for (int64_t r = 0; r < search->n_repeats; r++)
        sum += value[r];
    return sum / (double)search->n_repeats;
}

/* Whole numbers of errors are compared, not their quotients. */
int pt_search_compare(const pt_search *search, int64_t a, int64_t b)
{
    const bool larger = pt_metric_larger_is_better(search->metric);
    const double x = search->value ? mean_value(search, a) : (double)pt_search_total(search, a);
    const double y = search->value ? mean_value(search, b) : (double)pt_search_total(search, b);
    return larger ? (x > y) - (x < y) : (x < y) - (x > y);
}

static double error_of(const pt_search *search, int64_t point, int64_t repeat)
{
    const int64_t errors = search->errors[point * search->n_repeats + repeat];
    return errors < 0 ? NAN : (double)errors / (double)search->held[repeat];
}

/* Rows that are held out in all repetitions together. */
static double rows_in_all(const pt_search *search)
{
    int64_t sum = 0;
    for (int64_t r = 0; r < search->n_repeats; r++)
        sum += search->held[r];
    return (double)sum;
}

static double mean_error(const pt_search *search, int64_t point)
{
    const int64_t total = pt_search_total(search, point);
    return total < 0 ? NAN : (double)total / rows_in_all(search);
}

/* ---- the report ------------------------------------------------------------------------------ */

/* The axes of the grid, and the value of every point on them. */
static pt_status add_grid(pt_report *report, const pt_grid *grid, pt_error *err)
{
    const char *axes[PT_GRID_AXES];
    for (int64_t a = 0; a < grid->n_axes; a++)
        axes[a] = pt_param_table[grid->axis[a]].name;
    PT_SCRATCH const char **value = NULL;
    PT_TRY(PT_NEW(value, grid->n_points * grid->n_axes, "points", err));
    for (int64_t p = 0; p < grid->n_points; p++)
        for (int64_t a = 0; a < grid->n_axes; a++)
            value[p * grid->n_axes + a] = pt_grid_value(grid, p, a);
    PT_TRY(pt_report_copy(report, PT_LIST("axis", PT_TEXT, "axis", grid->n_axes, axes), err));
    return pt_report_copy(
        report, PT_TABLE("point", PT_TEXT, "point", grid->n_points, "axis", grid->n_axes, value),
        err);
}

/* The error of every point in every repetition, and its mean over these. */
static pt_status add_errors(pt_report *report, const pt_search *search, pt_error *err)
{
    const int64_t points = search->grid.n_points;
    const int64_t repeats = search->n_repeats;
    double *error = NULL;
    double *mean = NULL;
    PT_TRY(pt_report_room(
        report, PT_TABLE("errors", PT_F64, "point", points, "repeat", repeats, NULL), &error, err));
    PT_TRY(pt_report_room(report, PT_LIST("error", PT_F64, "point", points, NULL), &mean, err));
    for (int64_t p = 0; p < points; p++) {
        for (int64_t r = 0; r < repeats; r++)
            error[p * repeats + r] = error_of(search, p, r);
        mean[p] = mean_error(search, p);
    }
    return PT_OK;
}

/* The same of the metric that points are compared by; of the error it is that. */
static pt_status add_values(pt_report *report, const pt_search *search, pt_error *err)
{
    const int64_t points = search->grid.n_points;
    const int64_t repeats = search->n_repeats;
    double *values = NULL;
    double *mean = NULL;
    PT_TRY(pt_report_room(report,
                          PT_TABLE("values", PT_F64, "point", points, "repeat", repeats, NULL),
                          &values, err));
    PT_TRY(pt_report_room(report, PT_LIST("value", PT_F64, "point", points, NULL), &mean, err));
    for (int64_t p = 0; p < points; p++) {
        for (int64_t r = 0; r < repeats; r++)
            values[p * repeats + r] =
                search->value ? search->value[p * repeats + r] : error_of(search, p, r);
        mean[p] = search->value ? mean_value(search, p) : mean_error(search, p);
    }
    return PT_OK;
}

/* Of nested folds, where there were some. */
static pt_status add_nested(pt_report *report, const pt_search *search, pt_error *err)
{
    int64_t total = 0;
    double sum = 0;
    double *error = NULL;
    double *value = NULL;
    if (!search->nested)
        return PT_OK;
    PT_TRY(pt_report_room(
        report, PT_LIST("nested_errors", PT_F64, "repeat", search->n_repeats, NULL), &error, err));
    PT_TRY(pt_report_room(
        report, PT_LIST("nested_values", PT_F64, "repeat", search->n_repeats, NULL), &value, err));
    for (int64_t r = 0; r < search->n_repeats; r++) {
        error[r] =
            search->nested[r] < 0 ? NAN : (double)search->nested[r] / (double)search->held[r];
        total = total < 0 || search->nested[r] < 0 ? PT_NO_ANSWER : total + search->nested[r];
        value[r] = search->nested_value ? search->nested_value[r] : error[r];
        sum += value[r];
    }
    if (total < 0)
        return PT_OK;
    const double mean = (double)total / rows_in_all(search);
    PT_TRY(pt_report_add_number(report, "nested_error", mean, err));
    if (isnan(sum))
        return PT_OK;
    return pt_report_add_number(report, "nested_value",
                                search->nested_value ? sum / (double)search->n_repeats : mean, err);
}

/* ---- folds ----------------------------------------------------------------------------------- */

/* The error of a point in one fold; NaN: no answer, or no row. */
static double fold_error(const pt_search *search, int64_t point, int64_t repeat, int64_t fold)
{
    const int64_t at = (point * search->n_repeats + repeat) * search->n_folds + fold;
    const int64_t rows = search->fold_rows[repeat * search->n_folds + fold];
    return search->fold_wrong[at] < 0 || rows == 0 ? NAN
                                                   : (double)search->fold_wrong[at] / (double)rows;
}

/* The standard error of the error e of a point, over the F folds of a repetition, f of n_f rows
 * with w_f errors: that of a quotient of sums,
 *
 *     s^2 = F / (F - 1)  sum_f (w_f - e n_f)^2 / n^2 ,
 *
 * where folds are of one size the usual one of the mean of their errors. Repetitions hold out the
 * same rows again: the mean of their s. */
static double standard_error(const pt_search *search, int64_t point)
{
    double sum = 0;
    for (int64_t r = 0; r < search->n_repeats; r++) {
        const double e = error_of(search, point, r);
        double squares = 0;
        double folds = 0;
        for (int64_t f = 0; f < search->n_folds; f++) {
            const double rows = (double)search->fold_rows[r * search->n_folds + f];
            const double error = fold_error(search, point, r, f);
            if (rows == 0)
                continue;
            squares += rows * (error - e) * rows * (error - e);
            folds++;
        }
        const double n = (double)search->held[r];
        sum += folds > 1 ? sqrt(folds / (folds - 1) * squares) / n : NAN;
    }
    return sum / (double)search->n_repeats;
}

/* The same of the metric, from that of each fold, m_f, where it has one, and their mean m by rows:
 * s^2 = F / (F - 1)  sum_f n_f^2 (m_f - m)^2 / n^2. */
static double value_standard_error(const pt_search *search, int64_t point)
{
    double sum = 0;
    if (!search->fold_value)
        return standard_error(search, point);
    for (int64_t r = 0; r < search->n_repeats; r++) {
        const int64_t *rows = search->fold_rows + r * search->n_folds;
        const double *value =
            search->fold_value + (point * search->n_repeats + r) * search->n_folds;
        double n = 0;
        double all = 0;
        double squares = 0;
        double folds = 0;
        for (int64_t f = 0; f < search->n_folds; f++)
            if (!isnan(value[f])) {
                n += (double)rows[f];
                all += (double)rows[f] * value[f];
                folds++;
            }
        for (int64_t f = 0; f < search->n_folds; f++)
            if (!isnan(value[f])) {
                const double away = (double)rows[f] * (value[f] - all / n);
                squares += away * away;
            }
        sum += folds > 1 ? sqrt(folds / (folds - 1) * squares) / n : NAN;
    }
    return sum / (double)search->n_repeats;
}

/* Errors and rows of each fold. */
static pt_status add_folds(pt_report *report, const pt_search *search, pt_error *err)
{
    const int64_t points = search->grid.n_points;
    const int64_t repeats = search->n_repeats;
    const int64_t folds = search->n_folds;
    const pt_item item = {.name = "fold_errors",
                          .type = PT_F64,
                          .n_axes = 3,
                          .length = {points, repeats, folds},
                          .axis = {"point", "repeat", "fold"}};
    double *error = NULL;
    double *spread = NULL;
    double *of_value = NULL;
    PT_TRY(pt_report_add_integer(report, "n_folds", folds, err));
    PT_TRY(pt_report_add_integer(report, "n_groups", search->n_groups, err));
    PT_TRY(pt_report_add_integer(report, "n_times", search->n_times, err));
    PT_TRY(pt_report_add_integer(report, "given_folds", search->given, err));
    if (!search->fold_wrong)
        return PT_OK;
    PT_TRY(pt_report_copy(
        report, PT_TABLE("fold_rows", PT_I64, "repeat", repeats, "fold", folds, search->fold_rows),
        err));
    PT_TRY(pt_report_room(report, &item, &error, err));
    PT_TRY(pt_report_room(report, PT_LIST("standard_error", PT_F64, "point", points, NULL), &spread,
                          err));
    PT_TRY(pt_report_room(report, PT_LIST("value_standard_error", PT_F64, "point", points, NULL),
                          &of_value, err));
    for (int64_t p = 0; p < points; p++) {
        for (int64_t r = 0; r < repeats; r++)
            for (int64_t f = 0; f < folds; f++)
                error[(p * repeats + r) * folds + f] = fold_error(search, p, r, f);
        spread[p] = standard_error(search, p);
        of_value[p] = value_standard_error(search, p);
    }
    return PT_OK;
}

static pt_status add_point_scores(pt_report *report, const pt_search *search, pt_error *err)
{
    if (!search->point_scores)
        return PT_OK;
    return pt_report_lend(report,
                          &(const pt_item){.name = "point_scores",
                                           .type = PT_F64,
                                           .n_axes = 3,
                                           .length = {search->grid.n_points, search->n, search->k},
                                           .axis = {"point", "example", "class"},
                                           .values = search->point_scores},
                          err);
}

static pt_status add_scores(pt_report *report, const pt_search *search, pt_error *err)
{
    if (!search->best_scores)
        return PT_OK;
    return pt_report_lend(report,
                          &(const pt_item){.name = "scores",
                                           .type = PT_F64,
                                           .n_axes = 3,
                                           .length = {search->n_repeats, search->n, search->k},
                                           .axis = {"repeat", "example", "class"},
                                           .values = search->best_scores},
                          err);
}

/* Which rows and classes scores are of, and probabilities beside them. */
static pt_status add_rows(pt_report *report, const pt_search *search, pt_error *err)
{
    PT_TRY(pt_report_lend(report, PT_LIST("row", PT_I64, "example", search->n, search->row), err));
    PT_TRY(pt_report_lend(
        report, PT_LIST("class", PT_TEXT, "class", search->k, search->classes.items), err));
    if (!search->best_probas)
        return PT_OK;
    return pt_report_lend(report,
                          &(const pt_item){.name = "probabilities",
                                           .type = PT_F64,
                                           .n_axes = 3,
                                           .length = {search->n_repeats, search->n, search->k},
                                           .axis = {"repeat", "example", "class"},
                                           .values = search->best_probas},
                          err);
}

static pt_status add_all(pt_report *report, const pt_search *search, pt_error *err)
{
    PT_TRY(pt_report_add_integer(report, "n_examples", search->n, err));
    PT_TRY(pt_report_add_integer(report, "n_classes", search->k, err));
    PT_TRY(pt_report_add_integer(report, "n_points", search->grid.n_points, err));
    PT_TRY(pt_report_add_integer(report, "n_repeats", search->n_repeats, err));
    PT_TRY(add_grid(report, &search->grid, err));
    PT_TRY(pt_report_add_integer(report, "best", search->best, err));
    PT_TRY(add_errors(report, search, err));
    PT_TRY(pt_report_add_text(report, "metric", pt_metric_name(search->metric), err));
    PT_TRY(pt_report_add_integer(report, "larger_is_better",
                                 pt_metric_larger_is_better(search->metric), err));
    PT_TRY(add_values(report, search, err));
    PT_TRY(add_nested(report, search, err));
    PT_TRY(add_scores(report, search, err));
    PT_TRY(add_rows(report, search, err));
    PT_TRY(add_folds(report, search, err));
    PT_TRY(add_point_scores(report, search, err));
    PT_TRY(pt_report_add_text(report, "method", search->method, err));
    PT_TRY(pt_report_add_integer(report, "n_missing", search->n_missing, err));
    PT_TRY(pt_report_add_integer(report, "n_computed", search->n_computed, err));
    PT_TRY(pt_report_add_number(report, "seconds", search->seconds, err));
    return pt_report_add_warnings(report, &search->warnings, err);
}

static void free_search(void *object)
{
    pt_search_free(object);
}

pt_status pt_search_report(pt_report **out, pt_search *search, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    const pt_status status = pt_report_new(&report, "search", err);
    if (status != PT_OK) {
        pt_search_free(search);
        return status;
    }
    pt_report_own(report, search, free_search);
    PT_TRY(add_all(report, search, err));
    *out = pt_keep(&report);
    return PT_OK;
}
