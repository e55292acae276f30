/* polytomy importance: which columns a model needs. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option OPTIONS[] = {
    {"top", 0, "N", "so many columns, the most important; default: 20, with --json all"},
    {NULL, 0, NULL, NULL},
};

enum { SHOWN = 20 };

/* *top <- the value of --top, or `otherwise`. */
static int take_top(const cli_context *context, int64_t otherwise, int64_t *top)
{
    const char *text = cli_value(context, "top");
    char *end = NULL;
    *top = otherwise;
    if (!text)
        return CLI_DONE;
    *top = strtoll(text, &end, 10);
    return end != text && !*end && *top > 0
               ? CLI_DONE
               : cli_usage(context, "--top: '%.40s' is no number of columns", text);
}

/* "macro f1" */
static void put_words(const char *name)
{
    for (; *name; name++)
        putchar(*name == '_' ? ' ' : *name);
}

static int name_width(const pt_report *found, int64_t shown)
{
    int width = 6;
    for (int64_t c = 0; c < shown; c++) {
        const int this_width = cli_text_width(pt_report_text_at(found, "column", c, 0, 0));
        width = this_width > width ? this_width : width;
    }
    return width < 40 ? width : 40;
}

/* "+12.50  [10.00, 15.00]" */
static void print_figures(const pt_report *found, int64_t c, bool share)
{
    const int width = share ? 12 : 10; /* of the title */
    const double mean = pt_report_number_at(found, "importance", c, 0, 0);
    const double low = pt_report_number_at(found, "importance_interval", c, 0, 0);
    const double high = pt_report_number_at(found, "importance_interval", c, 1, 0);
    const double unit = share ? 100 : 1;
    const int digits = share ? 2 : 4;
    if (isnan(mean))
        printf("  %*s", width, "-");
    else
        printf("  %*.*f", width, digits, unit * mean + 0.0);
    if (!isnan(low))
        printf("  [%.*f, %.*f]", digits, unit * low + 0.0, digits, unit * high + 0.0);
    putchar('\n');
}

static void print_columns(const pt_report *found, int64_t top, bool share)
{
    const int64_t count = pt_report_length(found, "column");
    const int64_t shown = count < top ? count : top;
    const int width = name_width(found, shown);
    printf("\ncolumn%*s  importance%s  interval of 95 %%\n", width - 6, "", share ? " %" : "");
    for (int64_t c = 0; c < shown; c++) {
        const char *name = pt_report_text_at(found, "column", c, 0, 0);
        cli_put_safe(stdout, name);
        for (int at = cli_text_width(name); at < width; at++)
            putchar(' ');
        print_figures(found, c, share);
    }
    if (shown < count)
        printf("... and %lld more column%s (--top N shows more)\n", (long long)(count - shown),
               count - shown == 1 ? "" : "s");
}

static void print_text(const cli_context *context, const pt_report *found, const pt_dataset *data,
                       int64_t top)
{
    const char *metric = pt_report_text(found, "metric");
    const double value = pt_report_number(found, "value");
    const int64_t times = pt_report_integer(found, "n_permutations");
    const bool share = cli_is_share(metric);
    cli_print_data(context, stdout, context->arguments[1], data);
    put_words(metric);
    printf(share ? ": %.2f %%" : ": %.4f", share ? 100 * value : value);
    printf("; importance: how much worse with the column permuted, mean of %lld\n",
           (long long)times);
    print_columns(found, top, share);
}

static json_t *json_column(const pt_report *found, int64_t c)
{
    const int64_t number = pt_report_integer_at(found, "number", c, 0, 0);
    json_t *row = json_object();
    json_t *values = json_array();
    for (int64_t p = 0; p < pt_report_integer(found, "n_permutations"); p++)
        json_array_append_new(values, cli_json_real(pt_report_number_at(found, "values", c, p, 0)));
    json_object_set_new(row, "column", cli_json_text(pt_report_text_at(found, "column", c, 0, 0)));
    json_object_set_new(row, "number", number ? json_integer(number) : json_null());
    json_object_set_new(row, "columns",
                        json_integer(pt_report_integer_at(found, "columns", c, 0, 0)));
    json_object_set_new(row, "importance",
                        cli_json_real(pt_report_number_at(found, "importance", c, 0, 0)));
    json_object_set_new(
        row, "interval",
        json_pack("[oo]", cli_json_real(pt_report_number_at(found, "importance_interval", c, 0, 0)),
                  cli_json_real(pt_report_number_at(found, "importance_interval", c, 1, 0))));
    json_object_set_new(row, "values", values);
    return row;
}

static int print_json(const cli_context *context, const pt_model *model, const pt_report *found,
                      const pt_dataset *data, int64_t top)
{
    json_t *object = cli_json_object(context, model, context->params);
    json_t *columns = json_array();
    for (int64_t c = 0; c < pt_report_length(found, "column") && c < top; c++)
        json_array_append_new(columns, json_column(found, c));
    json_object_set_new(object, "data", cli_json_data(data));
    json_object_set_new(object, "n_labelled", json_integer(pt_report_integer(found, "n_examples")));
    json_object_set_new(object, "metric", cli_json_text(pt_report_text(found, "metric")));
    json_object_set_new(object, "larger_is_better",
                        json_boolean(pt_report_integer(found, "larger_is_better")));
    json_object_set_new(object, "value", cli_json_real(pt_report_number(found, "value")));
    json_object_set_new(object, "n_permutations",
                        json_integer(pt_report_integer(found, "n_permutations")));
    json_object_set_new(object, "columns", columns);
    return cli_json_print(context, object);
}

static int look(cli_context *context, const pt_model *model, const pt_dataset *data, int64_t top)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *found = NULL;
    if (pt_model_importance(&found, model, data, context->params, context->task, &err) != PT_OK)
        return cli_fail_status(context, &err);
    cli_progress_clear();
    (void)cli_tell_warnings(context, found, 0);
    int code = CLI_DONE;
    if (context->json)
        code = print_json(context, model, found, data, top);
    else
        print_text(context, found, data, top);
    pt_report_free(found);
    return code;
}

static int run(cli_context *context)
{
    pt_model *model = NULL;
    pt_dataset *data = NULL;
    int64_t top = 0;
    int code = take_top(context, context->json ? INT64_MAX : SHOWN, &top);
    if (code == CLI_DONE && strcmp(pt_params_get(context->params, "costs"), "none") != 0 &&
        strcmp(pt_params_get(context->params, "metric"), "cost") != 0)
        code = cli_usage(context, "--costs is used with --metric cost only");
    if (code == CLI_DONE)
        code = cli_load(context, context->arguments[0], &model);
    if (code == CLI_DONE)
        code = cli_read_for(context, model, context->arguments[1], &data);
    if (code == CLI_DONE)
        code = look(context, model, data, top);
    pt_dataset_free(data);
    pt_model_free(model);
    return code;
}

const cli_command cli_importance = {
    .name = "importance",
    .arguments = "MODEL DATA [--top N]",
    .summary = "say which columns a model needs, by permuting them in a data file",
    .description =
        "The cells of a column are put into another order, all others stay, and the predictions "
        "are compared with the labels again: the importance of the column is how much worse the "
        "error, or --metric, has become, the mean over --permutations of them. Nominal columns are "
        "permuted as they are in the file, before they are encoded. DATA should be rows that "
        "training has not seen.\n\n"
        "In brackets: an interval of 95 %, over rows and permutations. Of several columns that say "
        "the same, each seems to be worth little, as the others still say it: --together "
        "'pixel*,geo_*' permutes the columns of each pattern together and counts them as one "
        "column.\n\n"
        "Any machine and any labels will do. It takes as long as --permutations evaluations for "
        "each column, or less, for only rows whose cells change are scored again. "
        "docs/understanding.md has more.",
    .examples = "polytomy importance iris.model test.csv\n"
                "polytomy importance m test.csv --metric log-loss --permutations 20\n"
                "polytomy importance m test.csv --together 'pixel*,geo_*' --top 5\n"
                "polytomy importance m test.csv --json\tall figures for a program\n",
    .groups = "importance,read,evaluate,run",
    .parameters = "metric,top-k,costs",
    .options = OPTIONS,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = run,
};
