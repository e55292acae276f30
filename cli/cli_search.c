/* What cv and compare tell of searches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

cli_spread cli_point_spread(const pt_report *search, int64_t point)
{
    const bool other = cli_by_metric(search);
    const bool larger = pt_report_integer(search, "larger_is_better") > 0;
    const double unit = other ? 1 : 100;
    cli_spread s = {unit * pt_report_number_at(search, "value", point, 0, 0), NAN, NAN,
                    other ? 4 : 2};
    for (int64_t t = 0; t < pt_report_integer(search, "n_repeats"); t++) {
        const double value = unit * pt_report_number_at(search, "values", point, t, 0);
        s.best = larger ? fmax(s.best, value) : fmin(s.best, value); /* NaN gives way */
        s.worst = larger ? fmin(s.worst, value) : fmax(s.worst, value);
    }
    return s;
}

bool cli_is_nested(const pt_report *search)
{
    return !isnan(pt_report_number(search, "nested_error"));
}

cli_spread cli_nested_spread(const pt_report *search)
{
    cli_spread s = {100 * pt_report_number(search, "nested_error"), NAN, NAN, 2};
    for (int64_t t = 0; t < pt_report_integer(search, "n_repeats"); t++) {
        s.best = fmin(s.best, 100 * pt_report_number_at(search, "nested_errors", t, 0,
                                                        0)); /* NaN gives way */
        s.worst = fmax(s.worst, 100 * pt_report_number_at(search, "nested_errors", t, 0, 0));
    }
    return s;
}

cli_spread cli_nested_value(const pt_report *search)
{
    const bool larger = pt_report_integer(search, "larger_is_better") > 0;
    cli_spread s = {pt_report_number(search, "nested_value"), NAN, NAN, 4};
    for (int64_t t = 0; t < pt_report_integer(search, "n_repeats"); t++) {
        const double value = pt_report_number_at(search, "nested_values", t, 0, 0);
        s.best = larger ? fmax(s.best, value) : fmin(s.best, value); /* NaN gives way */
        s.worst = larger ? fmin(s.worst, value) : fmax(s.worst, value);
    }
    return s;
}

/* The metric beside the errors, in the same way. */
static void json_metric(json_t *object, const pt_report *search)
{
    const char *metric = pt_report_text(search, "metric");
    const double same_rows =
        pt_report_number_at(search, "value", pt_report_integer(search, "best"), 0, 0);
    const double nested = pt_report_number(search, "nested_value");
    char *of_nested = cli_format("nested_%s", metric);
    char *of_same_rows = cli_format("same_rows_%s", metric);
    json_object_set_new(object, metric, cli_json_real(isnan(nested) ? same_rows : nested));
    json_object_set_new(object, of_nested, cli_json_real(nested));
    json_object_set_new(object, of_same_rows, cli_json_real(same_rows));
    free(of_same_rows);
    free(of_nested);
}

void cli_json_errors(json_t *object, const pt_report *search)
{
    const double same_rows =
        pt_report_number_at(search, "error", pt_report_integer(search, "best"), 0, 0);
    const double nested = pt_report_number(search, "nested_error");
    json_object_set_new(object, "error", cli_json_real(isnan(nested) ? same_rows : nested));
    json_object_set_new(object, "nested_error", cli_json_real(nested));
    json_object_set_new(object, "same_rows_error", cli_json_real(same_rows));
    if (cli_by_metric(search))
        json_metric(object, search);
}

bool cli_by_metric(const pt_report *search)
{
    return strcmp(pt_report_text(search, "metric"), "error") != 0;
}

bool cli_is_better(const pt_report *a, int64_t point_a, const pt_report *b, int64_t point_b)
{
    const double x = pt_report_number_at(a, "value", point_a, 0, 0);
    const double y = pt_report_number_at(b, "value", point_b, 0, 0);
    if (isnan(x) || isnan(y))
        return !isnan(x);
    return pt_report_integer(a, "larger_is_better") > 0 ? x > y : x < y;
}

const char *cli_metric_words(const pt_report *search, char *out, size_t size)
{
    snprintf(out, size, "%s", pt_report_text(search, "metric"));
    for (char *c = out; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return out;
}

void cli_short_value(char *out, size_t size, const char *value)
{
    char *end = NULL;
    const double number = strtod(value, &end);
    if (*value && *end == '\0')
        snprintf(out, size, "%.4g", number);
    else
        snprintf(out, size, "%s", value);
}

void cli_print_point(FILE *file, const pt_report *search, int64_t point)
{
    for (int64_t a = 0; a < pt_report_length(search, "axis"); a++) {
        char value[64];
        cli_short_value(value, sizeof value, pt_report_text_at(search, "point", point, a, 0));
        fprintf(file, "%s%s %s", a ? ", " : "", pt_report_text_at(search, "axis", a, 0, 0), value);
    }
}

static bool on_axis(const pt_report *search, const char *name)
{
    for (int64_t a = 0; search && a < pt_report_length(search, "axis"); a++)
        if (strcmp(pt_report_text_at(search, "axis", a, 0, 0), name) == 0)
            return true;
    return false;
}

bool cli_print_chosen(FILE *file, const pt_report *search, const pt_params *asked,
                      const pt_params *best, const char *before)
{
    bool any = false;
    for (int64_t i = 0; i < cli_param_count(); i++) {
        const char *name = cli_param_name(i);
        const char *value = pt_params_get(best, name);
        if (!cli_in_list("machine,kernel", ',', cli_param_group(i)) ||
            !cli_in_list("real,integer", ',', cli_param_type(i)) || on_axis(search, name) ||
            strcmp(pt_params_get(asked, name), "auto") != 0 || strcmp(value, "auto") == 0)
            continue;
        char text[64];
        cli_short_value(text, sizeof text, value);
        fprintf(file, "%s%s %s", any ? ", " : before, name, text);
        any = true;
    }
    return any;
}

static bool flag(const pt_params *params, const char *name)
{
    return cli_in_list("yes|true|1", '|', pt_params_get(params, name));
}

bool cli_is_stratified(const pt_params *params, const pt_dataset *data)
{
    const char *kind = pt_dataset_label_kind(data);
    return strcmp(pt_params_get(params, "stratify"), "yes") == 0 && kind &&
           strcmp(kind, "class") == 0;
}

/* Where a column of folds is named, or a list or a pattern of several. */
static void print_fold_column(FILE *file, const char *column)
{
    fprintf(file, " of the column%s '%s'", strpbrk(column, ",*?") ? "s" : "", column);
}

/* "10 folds of 57 groups", "5 folds by time", "3 folds of the column 'fold'", "10 folds". */
static void print_how(FILE *file, const pt_report *search, const pt_params *params)
{
    const char *fold = pt_params_get(params, "fold");
    const bool by_time = *pt_params_get(params, "time-column") != '\0';
    const bool groups = *pt_params_get(params, "group") != '\0';
    const bool loo = flag(params, "loo");
    const long long n_groups = search ? (long long)pt_report_integer(search, "n_groups") : 0;
    if (!search && *fold)
        fprintf(file, "folds");
    else if (loo)
        fprintf(file, groups ? "leave-one-group-out" : "leave-one-out");
    else if (search) {
        const long long n_folds = (long long)pt_report_integer(search, "n_folds");
        fprintf(file, "%lld fold%s", n_folds, n_folds == 1 ? "" : "s");
    } else
        fprintf(file, "%s folds", pt_params_get(params, "folds"));
    if (*fold)
        print_fold_column(file, fold);
    else if (by_time)
        fprintf(file, " by time");
    else if (n_groups > 0)
        fprintf(file, " of %lld groups", n_groups);
    else if (groups && !loo)
        fprintf(file, " of groups");
}

void cli_print_folds(FILE *file, const pt_report *search, const pt_params *params,
                     const pt_dataset *data)
{
    const char *metric = pt_params_get(params, "metric");
    const bool drawn = !*pt_params_get(params, "fold") && !*pt_params_get(params, "time-column");
    const double repeats = search ? (double)pt_report_integer(search, "n_repeats")
                                  : strtod(pt_params_get(params, "repeat"), NULL);
    print_how(file, search, params);
    if (drawn && !flag(params, "loo") && cli_is_stratified(params, data))
        fprintf(file, ", stratified");
    if (repeats > 1)
        fprintf(file, ", %.0f repetitions", repeats);
    if (strcmp(metric, "error") != 0)
        fprintf(file, ", best by %s", metric);
}

void cli_print_guess(FILE *file, const pt_dataset *data)
{
    const int64_t k = pt_dataset_n_classes(data);
    const char *kind = pt_dataset_label_kind(data);
    int64_t labelled = 0;
    int64_t most = 0;
    if (k < 1 || (kind && strcmp(kind, "class") != 0))
        return;
    int64_t *rows = cli_alloc(k, sizeof *rows);
    for (int64_t i = 0; i < pt_dataset_n_examples(data); i++) {
        const int64_t r = pt_dataset_class(data, i);
        labelled += r >= 0;
        if (r >= 0 && ++rows[r] > rows[most])
            most = r;
    }
    if (2 * rows[most] > labelled) {
        fputs("always '", file);
        cli_put_safe(file, pt_dataset_class_name(data, most));
        fprintf(file, "', the class of most rows: error %.2f %%\n",
                100 * (1 - (double)rows[most] / (double)labelled));
    }
    free(rows);
}

/* Scaling sees the held-out rows too, though not their labels: a reader should know. */
const char *cli_scaling(const pt_params *best)
{
    if (flag(best, "scale-per-fold"))
        return "; every fold prepared by its training rows";
    return cli_in_list("none|auto", '|', pt_params_get(best, "scale"))
               ? ""
               : "; scaling fitted on all rows";
}

/* [[fold 1, fold 2, ...], ...] of each repetition. */
static json_t *json_folds(const pt_report *search, const char *item, int64_t point)
{
    json_t *all = json_array();
    for (int64_t r = 0; r < pt_report_integer(search, "n_repeats"); r++) {
        json_t *folds = json_array();
        for (int64_t f = 0; f < pt_report_integer(search, "n_folds"); f++)
            json_array_append_new(
                folds, point < 0 ? json_integer(pt_report_integer_at(search, item, r, f, 0))
                                 : cli_json_real(pt_report_number_at(search, item, point, r, f)));
        json_array_append_new(all, folds);
    }
    return all;
}

/* Scores of every row, where they are kept; rows that are never held out have null. */
static json_t *json_scores(const pt_report *search, int64_t point)
{
    json_t *rows = json_array();
    for (int64_t i = 0; i < pt_report_integer(search, "n_examples"); i++) {
        json_t *classes = json_array();
        for (int64_t c = 0; c < pt_report_integer(search, "n_classes"); c++)
            json_array_append_new(
                classes, cli_json_real(pt_report_number_at(search, "point_scores", point, i, c)));
        json_array_append_new(rows, classes);
    }
    return rows;
}

void cli_json_fold_rows(json_t *object, const pt_report *search)
{
    const int64_t groups = pt_report_integer(search, "n_groups");
    const int64_t times = pt_report_integer(search, "n_times");
    json_object_set_new(object, "n_folds", json_integer(pt_report_integer(search, "n_folds")));
    json_object_set_new(object, "folds_by",
                        json_string(pt_report_integer(search, "given_folds") > 0 ? "column"
                                    : times > 0                                  ? "time"
                                    : groups > 0                                 ? "group"
                                                                                 : "row"));
    json_object_set_new(object, "n_groups", groups > 0 ? json_integer(groups) : json_null());
    json_object_set_new(object, "n_times", times > 0 ? json_integer(times) : json_null());
    if (pt_report_find(search, "fold_rows"))
        json_object_set_new(object, "fold_rows", json_folds(search, "fold_rows", -1));
}

json_t *cli_json_point(const pt_report *search, int64_t point)
{
    json_t *object = json_object();
    json_t *values = json_object();
    json_t *errors = json_array();
    for (int64_t a = 0; a < pt_report_length(search, "axis"); a++) {
        const char *value = pt_report_text_at(search, "point", point, a, 0);
        char *end = NULL;
        const double number = strtod(value, &end);
        json_object_set_new(values, pt_report_text_at(search, "axis", a, 0, 0),
                            *value && *end == '\0' ? cli_json_real(number) : cli_json_text(value));
    }
    for (int64_t t = 0; t < pt_report_integer(search, "n_repeats"); t++)
        json_array_append_new(errors,
                              cli_json_real(pt_report_number_at(search, "errors", point, t, 0)));
    json_object_set_new(object, "parameters", values);
    json_object_set_new(object, "error",
                        cli_json_real(pt_report_number_at(search, "error", point, 0, 0)));
    json_object_set_new(object, "errors", errors);
    if (pt_report_find(search, "fold_errors")) {
        json_object_set_new(object, "fold_errors", json_folds(search, "fold_errors", point));
        json_object_set_new(
            object, "standard_error",
            cli_json_real(pt_report_number_at(search, "standard_error", point, 0, 0)));
    }
    if (cli_by_metric(search))
        json_object_set_new(object, pt_report_text(search, "metric"),
                            cli_json_real(pt_report_number_at(search, "value", point, 0, 0)));
    if (cli_by_metric(search) && pt_report_find(search, "value_standard_error"))
        json_object_set_new(
            object, "value_standard_error",
            cli_json_real(pt_report_number_at(search, "value_standard_error", point, 0, 0)));
    return object;
}

json_t *cli_json_scored_point(const pt_report *search, int64_t point)
{
    json_t *object = cli_json_point(search, point);
    if (pt_report_find(search, "point_scores"))
        json_object_set_new(object, "scores", json_scores(search, point));
    return object;
}
