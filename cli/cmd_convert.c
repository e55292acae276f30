/* polytomy convert: one data format into another. */
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT", "the same as the argument OUT"},
    {"to", 0, "FORMAT", "csv, tsv or libsvm; default: from the name of OUT, csv for -"},
    {NULL, 0, NULL, NULL},
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* What is no longer there in a LIBSVM file: the names of levels. */
static void warn_levels(cli_context *context, const pt_dataset *data, const char *path,
                        const char *to)
{
    int64_t columns = 0;
    int64_t levels = 0;
    if (to ? strcmp(to, "libsvm") != 0 : ends_with(path, ".csv") || ends_with(path, ".tsv"))
        return;
    pt_report *about = cli_about_data(data);
    for (int64_t j = 0; j < pt_report_length(about, "levels"); j++)
        if (pt_report_integer_at(about, "levels", j, 0, 0) > 0) {
            columns++;
            levels += pt_report_integer_at(about, "levels", j, 0, 0);
        }
    pt_report_free(about);
    if (columns > 0)
        cli_warn(context, "data", "%lld nominal column%s written as %lld columns of 0 and 1",
                 (long long)columns, columns == 1 ? " is" : "s are", (long long)levels);
}

static int run(cli_context *context)
{
    const char *to = cli_value(context, "to");
    const char *named = cli_value(context, "output");
    const char *path = context->n_arguments == 2 ? context->arguments[1] : named;
    if (!path)
        return cli_usage(context, "convert needs IN OUT, or IN -o OUT");
    if (context->n_arguments == 2 && named)
        return cli_usage(context, "OUT is there twice: %.100s and %.100s", path, named);
    const bool standard = strcmp(path, "-") == 0;
    if (to && !cli_in_list("csv|tsv|libsvm", '|', to))
        return cli_usage(context, "--to: '%.60s' is not allowed; choose csv, tsv or libsvm", to);
    if (standard && context->json)
        return cli_usage(context, "--json and an OUT of - would mix on standard output");
    if (standard && !to)
        to = "csv";
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    context->n_arguments = 1; /* the second one is written */
    int code = cli_output_apart(context, path);
    if (code == CLI_DONE)
        code = cli_read(context, context->arguments[0], &data);
    cli_progress_clear();
    if (code == CLI_DONE && pt_dataset_write(data, path, to, context->task, &err) != PT_OK)
        code = standard && cli_reader_gone() ? CLI_FAILED : cli_fail(context, &err, CLI_FAILED);
    cli_progress_clear();
    if (code == CLI_DONE)
        cli_in_place(path);
    if (code == CLI_DONE)
        warn_levels(context, data, path, to);
    if (code == CLI_DONE && context->json) {
        json_t *object = cli_json_object(context, NULL, NULL);
        json_object_set_new(object, "data", cli_json_data(data));
        code = cli_json_print(context, object);
    } else if (code == CLI_DONE) {
        cli_print_data(context, standard ? stderr : stdout, context->arguments[0], data);
    }
    pt_dataset_free(data);
    return code;
}

const cli_command cli_convert = {
    .name = "convert",
    .arguments = "IN OUT [--to FORMAT]",
    .summary = "convert a data file to CSV, TSV or LIBSVM",
    .description =
        "Reads IN as train would and writes OUT. The format of OUT comes from its name "
        "(.csv, .tsv, .svm, .libsvm, .svmlight); .gz and .zst compress. Numbers are "
        "written so that reading them gives the same bits. LIBSVM files contain only "
        "numbers: a nominal column becomes a 0/1 column for each level. Weights, groups, "
        "folds and times are written as columns of CSV, groups by number, dates in "
        "days since 1970.",
    .examples = "polytomy convert data.arff data.csv\n"
                "polytomy convert data.csv - --to libsvm | gzip > data.svm.gz\n",
    .groups = "read,run",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 2,
    .run = run,
};
