/* polytomy cv with several machines: the same folds for all, and a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define AS_GIVEN "as given" /* the point of a machine that had nothing to choose */

/* What one run has of every machine. */
typedef struct entry {
    const char *name; /* as it was written */
    const pt_params *asked;
    pt_report *search;
    pt_params *best;
    char *point; /* its chosen point in words */
} entry;

/* The point of an entry: values on its axes, and what was chosen beside them. */
static char *point_text(const entry *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return cli_format("%s", "");
    cli_print_point(file, e->search, pt_report_integer(e->search, "best"));
    const bool axes = pt_report_length(e->search, "axis") > 0;
    const bool chosen = cli_print_chosen(file, e->search, e->asked, e->best, axes ? ", " : "");
    if (!axes && !chosen)
        fputs(AS_GIVEN, file);
    fclose(file);
    return text;
}

/* The error that is not optimistic: of nested folds, or of a machine that had nothing to choose. */
static double honest_error(const entry *e)
{
    return strcmp(e->point, AS_GIVEN) == 0 ? pt_report_number_at(e->search, "error", 0, 0, 0)
                                           : pt_report_number(e->search, "nested_error");
}

static bool any_nested(const entry *entries, int64_t n)
{
    for (int64_t m = 0; m < n; m++)
        if (cli_is_nested(entries[m].search))
            return true;
    return false;
}

static bool all_honest(const entry *entries, int64_t n)
{
    for (int64_t m = 0; m < n; m++)
        if (isnan(honest_error(&entries[m])))
            return false;
    return true;
}

/* The machine with the smallest mean error, or the best metric; the first of equal ones. Nested
 * errors count where no other is optimistic. */
static int64_t best_machine(const entry *entries, int64_t n)
{
    int64_t best = 0;
    const bool honest = all_honest(entries, n) && !cli_by_metric(entries[0].search);
    for (int64_t m = 1; m < n; m++)
        if (honest ? honest_error(&entries[m]) < honest_error(&entries[best])
                   : cli_is_better(entries[m].search, pt_report_integer(entries[m].search, "best"),
                                   entries[best].search,
                                   pt_report_integer(entries[best].search, "best")))
            best = m;
    return best;
}

static int widest(const entry *entries, int64_t n, bool of_point, int least)
{
    int width = least;
    for (int64_t m = 0; m < n; m++) {
        const int length = (int)strlen(of_point ? entries[m].point : entries[m].name);
        width = length > width ? length : width;
    }
    return width;
}

static void print_table(const entry *entries, int64_t n)
{
    const int name = widest(entries, n, false, 7);
    const int point = widest(entries, n, true, 5);
    const bool nested = any_nested(entries, n);
    const bool percent = cli_by_metric(entries[0].search); /* beside means of another sort */
    printf("\n%-*s  %-*s  %s  mean    best   worst  method, time\n", name, "machine", point,
           "point",
           !nested   ? ""
           : percent ? "nested %  "
                     : "nested  ");
    for (int64_t m = 0; m < n; m++) {
        const pt_report *search = entries[m].search;
        const cli_spread s = cli_point_spread(search, pt_report_integer(search, "best"));
        printf("%-*s  %-*s  ", name, entries[m].name, point, entries[m].point);
        const double honest = 100 * honest_error(&entries[m]);
        const int width = percent ? 8 : 6;
        if (nested && !isnan(honest))
            printf("%*.2f  ", width, honest);
        else if (nested)
            printf("%*s  ", width, "-");
        printf("%6.*f  %6.*f  %6.*f  %s, %s\n", s.digits, s.mean, s.digits, s.best, s.digits,
               s.worst, pt_report_text(search, "method"),
               CLI_SHOW_SECONDS(pt_report_number(search, "seconds")));
    }
}

static void print_best(const entry *e)
{
    const cli_spread s = cli_point_spread(e->search, pt_report_integer(e->search, "best"));
    const bool other = cli_by_metric(e->search);
    char words[40];
    printf("best: %s: ", e->name);
    if (strcmp(e->point, AS_GIVEN) != 0)
        printf("%s: ", e->point);
    if (cli_is_nested(e->search))
        printf("error %.2f %% by nested folds, ", cli_nested_spread(e->search).mean);
    if (other)
        printf("%s ", cli_metric_words(e->search, words, sizeof words));
    printf("%.*f%s%s", s.digits, s.mean, other ? "" : " %",
           cli_is_nested(e->search) ? " on the rows that chose" : "");
    if (other)
        printf(", error %.2f %%",
               100 * pt_report_number_at(e->search, "error", pt_report_integer(e->search, "best"),
                                         0, 0));
    putchar('\n');
}

static void print_text(const cli_context *context, const entry *entries, int64_t n,
                       const pt_dataset *data)
{
    const entry *best = &entries[best_machine(entries, n)];
    char words[40];
    if (context->quiet) {
        print_best(best);
        return;
    }
    cli_print_data(context, stdout, context->arguments[0], data);
    cli_print_folds(stdout, best->search, best->best, data);
    printf("; the same for every machine%s\n", cli_scaling(best->best));
    cli_print_guess(stdout, data);
    print_table(entries, n);
    printf("\n%s: mean, best and worst over the repetitions, at the best point of each grid\n",
           cli_by_metric(best->search) ? cli_metric_words(best->search, words, sizeof words)
                                       : "error in percent");
    if (any_nested(entries, n))
        printf("nested: the error%s of folds without which parameters were chosen anew%s\n",
               cli_by_metric(best->search) ? " in percent" : "",
               all_honest(entries, n) ? "" : "; --nested for all machines");
    print_best(best);
}

static json_t *json_entry(const cli_context *context, const entry *e)
{
    json_t *object = json_object();
    json_t *grid = json_array();
    const int64_t best = pt_report_integer(e->search, "best");
    cli_spread errors = {pt_report_number_at(e->search, "error", best, 0, 0), NAN, NAN, 0};
    for (int64_t t = 0; t < pt_report_integer(e->search, "n_repeats"); t++) {
        errors.best = fmin(
            errors.best, pt_report_number_at(e->search, "errors", best, t, 0)); /* NaN gives way */
        errors.worst = fmax(errors.worst, pt_report_number_at(e->search, "errors", best, t, 0));
    }
    for (int64_t p = 0; p < pt_report_integer(e->search, "n_points"); p++)
        json_array_append_new(grid, cli_json_scored_point(e->search, p));
    json_object_set_new(object, "name", cli_json_text(e->name));
    json_object_set_new(object, "machine", cli_json_text(pt_params_get(e->best, "machine")));
    json_object_set_new(object, "parameters", cli_json_params(context, NULL, e->best));
    cli_json_errors(object, e->search);
    json_object_set_new(object, "error_best", cli_json_real(errors.best));
    json_object_set_new(object, "error_worst", cli_json_real(errors.worst));
    cli_json_fold_rows(object, e->search);
    json_object_set_new(object, "method", json_string(pt_report_text(e->search, "method")));
    json_object_set_new(object, "seconds", cli_json_real(pt_report_number(e->search, "seconds")));
    json_object_set_new(object, "scaled_on_all_rows",
                        json_boolean(strstr(cli_scaling(e->best), "all rows") != NULL));
    json_object_set_new(object, "best", cli_json_point(e->search, best));
    json_object_set_new(object, "grid", grid);
    return object;
}

static int print_json(const cli_context *context, const entry *entries, int64_t n,
                      const pt_dataset *data, const pt_model *model)
{
    const entry *best = &entries[best_machine(entries, n)];
    json_t *object = cli_json_object(context, model, best->best);
    json_t *machines = json_array();
    for (int64_t m = 0; m < n; m++)
        json_array_append_new(machines, json_entry(context, &entries[m]));
    json_object_set_new(object, "data", cli_json_data(data));
    cli_json_errors(object, best->search);
    json_object_set_new(object, "machines", machines);
    if (model)
        json_object_set_new(object, "model", cli_json_text(cli_value(context, "output")));
    return cli_json_print(context, object);
}

static int search_all(cli_context *context, const pt_dataset *data, pt_params **params,
                      entry *entries, int64_t n)
{
    pt_error err = PT_ERROR_INIT;
    pt_report **searches = cli_alloc(n, sizeof *searches);
    pt_params **best = cli_alloc(n, sizeof *best);
    const double begin = cli_seconds();
    const pt_status status = pt_cross_validate(
        searches, best, data, (const pt_params *const *)params, n, context->task, &err);
    context->seconds_train = cli_seconds() - begin;
    for (int64_t m = 0; m < n && status == PT_OK; m++) {
        entries[m] = (entry){.name = cli_machine_name(context, m),
                             .asked = params[m],
                             .search = searches[m],
                             .best = best[m]};
        entries[m].point = point_text(&entries[m]);
        char *prefix = cli_format("%s: ", entries[m].name);
        cli_hold_warnings(context, prefix, searches[m]);
        free(prefix);
        cli_tell_held(context);
    }
    free(best);
    free(searches);
    return status == PT_OK ? CLI_DONE : cli_fail_status(context, &err);
}

static int tell(const cli_context *context, const entry *entries, int64_t n, const pt_dataset *data,
                const pt_model *model)
{
    if (context->json)
        return print_json(context, entries, n, data, model);
    print_text(context, entries, n, data);
    if (model && !context->quiet) {
        printf("wrote %s: ", cli_value(context, "output"));
        cli_print_machine(stdout, model, NULL);
    }
    if (!context->quiet)
        printf("%s\n", CLI_SHOW_SECONDS(cli_seconds() - context->started));
    return CLI_DONE;
}

int cli_cv_several(cli_context *context)
{
    const char *path = cli_value(context, "output");
    const int64_t n = cli_n_machines(context);
    entry *entries = cli_alloc(n, sizeof *entries);
    pt_params **params = NULL;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    int code = path ? cli_output_apart(context, path) : CLI_DONE;
    if (code == CLI_DONE)
        code = cli_machines(context, &params);
    if (code == CLI_DONE)
        code = cli_read_first(context, context->arguments[0], &data);
    if (code == CLI_DONE)
        cli_doubt_leak(context, data);
    const double end = cli_lend_time(context, path ? CLI_SEARCHING : 1);
    cli_progress_part(context, path ? CLI_SEARCHED : 1, false);
    if (code == CLI_DONE)
        code = search_all(context, data, params, entries, n);
    cli_return_time(context, end);
    if (code == CLI_DONE && path)
        code =
            cli_train_and_save(context, data, entries[best_machine(entries, n)].best, path, &model);
    cli_progress_clear();
    if (code == CLI_DONE)
        code = tell(context, entries, n, data, model);
    for (int64_t m = 0; m < n; m++) {
        pt_report_free(entries[m].search);
        pt_params_free(entries[m].best);
        free(entries[m].point);
    }
    free(entries);
    pt_model_free(model);
    pt_dataset_free(data);
    cli_machines_free(context, params);
    return code;
}
