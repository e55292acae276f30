/* polytomy convert: one data format into another. */
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"to", 0, "FORMAT", "csv, tsv or libsvm; default: from the name of OUT, csv for -"},
    {NULL, 0, NULL, NULL},
};

static int run(cli_context *context)
{
    const char *to = cli_value(context, "to");
    const char *path = context->arguments[1];
    const bool standard = strcmp(path, "-") == 0;
    if (to && !cli_in_list("csv|tsv|libsvm", '|', to))
        return cli_usage(context, "--to: '%.60s' is not allowed; choose csv, tsv or libsvm", to);
    if (standard && context->json)
        return cli_usage(context, "--json and an OUT of - would mix on standard output");
    if (standard && !to)
        to = "csv";
    pt_error err;
    pt_dataset *data = NULL;
    int code = cli_output_check(context, path);
    if (code == CLI_DONE)
        code = cli_read(context, context->arguments[0], &data);
    cli_progress_clear();
    if (code == CLI_DONE && pt_dataset_write(data, path, to, &err) != PT_OK)
        code = standard && cli_reader_gone() ? CLI_FAILED : cli_fail(context, &err, CLI_FAILED);
    if (code == CLI_DONE)
        cli_in_place(path);
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
    .description = "Reads IN as train would and writes OUT. The format of OUT comes from its name "
                   "(.csv, .tsv, "
                   ".svm, .libsvm, .svmlight); .gz and .zst compress. Numbers are written so that "
                   "reading them "
                   "gives the same bits.",
    .examples = "polytomy convert data.arff data.csv\n"
                "polytomy convert data.csv - --to libsvm | gzip > data.svm.gz\n",
    .groups = "read,run",
    .options = OPTIONS,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = run,
};
