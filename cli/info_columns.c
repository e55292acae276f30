/* What `info` says of the columns and rows of a data file, from pt_judgement. */
#include <string.h>

#include "cli.h"

enum { COLUMNS_SHOWN = 50 };

static long long number(const json_t *object, const char *key)
{
    return (long long)json_integer_value(json_object_get(object, key));
}

static void print_examples(const json_t *column)
{
    const json_t *examples = json_object_get(column, "examples");
    const long long levels = number(column, "levels");
    printf(", %lld level%s", levels, levels == 1 ? "" : "s");
    for (size_t e = 0; e < json_array_size(examples); e++) {
        const char *level = json_string_value(json_array_get(examples, e));
        const char *quote = strchr(level, ',') ? "\"" : "";
        printf("%s%s", e ? ", " : ": ", quote);
        cli_put_name(stdout, level);
        fputs(quote, stdout);
    }
    if (levels > (long long)json_array_size(examples))
        fputs(", ...", stdout);
}

static void print_column(const json_t *column)
{
    const char *name = json_string_value(json_object_get(column, "name"));
    const json_t *min = json_object_get(column, "min");
    const char *kind = json_string_value(json_object_get(column, "kind"));
    printf("%6lld  ", number(column, "column"));
    cli_put_safe(stdout, name ? name : "(no name)");
    printf(", %s", json_string_value(json_object_get(column, "words")));
    if (number(column, "features") == 0)
        fputs(", left out", stdout);
    else if (number(column, "levels") > 0)
        print_examples(column);
    else if (json_is_true(json_object_get(column, "constant")) && min)
        printf(", always %g", json_real_value(min));
    else if (min && strcmp(kind, "date") == 0)
        printf(", %lld number%s", number(column, "features"),
               number(column, "features") == 1 ? "" : "s");
    else if (min)
        printf(", %g to %g", json_real_value(min), json_real_value(json_object_get(column, "max")));
    if (number(column, "features") > 0 && json_is_true(json_object_get(column, "constant")) && !min)
        fputs(", constant", stdout);
    if (number(column, "missing") > 0)
        printf(", %lld missing", number(column, "missing"));
    putchar('\n');
}

/* "... and 950 more: 900 number, 50 nominal" */
static void print_rest(const json_t *columns, size_t shown)
{
    json_t *counts = json_object();
    for (size_t i = shown; i < json_array_size(columns); i++) {
        const char *kind = json_string_value(json_object_get(json_array_get(columns, i), "kind"));
        json_object_set_new(counts, kind,
                            json_integer(json_integer_value(json_object_get(counts, kind)) + 1));
    }
    printf("        ... and %zu more:", json_array_size(columns) - shown);
    bool first = true;
    for (void *at = json_object_iter(counts); at; at = json_object_iter_next(counts, at)) {
        printf("%s %lld %s", first ? "" : ",",
               (long long)json_integer_value(json_object_iter_value(at)), json_object_iter_key(at));
        first = false;
    }
    fputs(" (-v shows all)\n", stdout);
    json_decref(counts);
}

void cli_print_columns(const cli_context *context, const json_t *judgement)
{
    const json_t *columns = json_object_get(judgement, "columns");
    const size_t count = json_array_size(columns);
    const size_t shown = context->verbose || count <= COLUMNS_SHOWN ? count : COLUMNS_SHOWN;
    for (size_t i = 0; i < shown; i++)
        print_column(json_array_get(columns, i));
    if (shown < count)
        print_rest(columns, shown);
}

void cli_print_doubts(const json_t *judgement)
{
    const json_t *telling = json_object_get(judgement, "telling");
    const long long duplicates = number(judgement, "duplicates");
    const long long conflicts = number(judgement, "conflicts");
    if (duplicates > 0)
        printf("look at: %lld row%s there before, label included\n", duplicates,
               duplicates == 1 ? " was" : "s were");
    if (conflicts > 0)
        printf("look at: %lld rows have the cells of another row and a different label\n",
               conflicts);
    if (!telling)
        return;
    const char *name = json_string_value(json_object_get(telling, "name"));
    fputs("look at: ", stdout);
    if (name)
        cli_put_safe(stdout, name);
    else
        printf("column %lld", number(telling, "column"));
    printf(" alone predicts the class (%.1f %% of held-out rows",
           100 * json_real_value(json_object_get(telling, "accuracy")));
    if (json_object_get(telling, "next"))
        printf(", the next column %.1f %%",
               100 * json_real_value(json_object_get(telling, "next")));
    fputs("): does it hold the answer? --ignore leaves it out\n", stdout);
}

void cli_doubt_leak(cli_context *context, const pt_dataset *data)
{
    static const double MOST_CELLS = 2e4; /* 2 ms: more would be felt beside a fast machine */
    const double cells = (double)pt_dataset_n_examples(data) * (double)pt_dataset_n_features(data);
    pt_report *judged = NULL;
    pt_report *about = cli_about_data(data);
    const bool sparse = pt_report_integer(about, "sparse");
    pt_report_free(about);
    if (cells > MOST_CELLS || sparse ||
        pt_dataset_judge(&judged, data, context->task, NULL) != PT_OK)
        return;
    json_t *judgement = json_loads(pt_report_text(judged, "json"), 0, NULL);
    const json_t *telling = json_object_get(judgement, "telling");
    const char *name = json_string_value(json_object_get(telling, "name"));
    char *title = name      ? cli_format("'%s'", name)
                  : telling ? cli_format("%lld", number(telling, "column"))
                            : NULL;
    if (telling)
        cli_warn(context, "data",
                 "column %s alone predicts the class (%.1f %% of held-out rows): does it hold the "
                 "answer? --ignore leaves it out",
                 title, 100 * json_real_value(json_object_get(telling, "accuracy")));
    free(title);
    json_decref(judgement);
    pt_report_free(judged);
}
