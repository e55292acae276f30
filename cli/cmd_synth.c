/* polytomy synth: the papers' synthetic problems as data files. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"rows", 'n', "N", "number of rows; default: the paper's"},
    {"output", 'o', "FILE", "the file to write; - is standard output, as CSV"},
    {"to", 0, "FORMAT", "csv, tsv or libsvm; default: from the name of FILE"},
    {NULL, 0, NULL, NULL},
};

static bool is_known(const char *name)
{
    for (int64_t i = 0; i < cli_registry_count("synth"); i++)
        if (strcmp(cli_registry_name("synth", i), name) == 0)
            return true;
    return false;
}

static int run(cli_context *context)
{
    const char *name = context->arguments[0];
    const char *rows = cli_value(context, "rows");
    const char *path = cli_value(context, "output");
    const char *to = cli_value(context, "to");
    if (!is_known(name))
        return cli_unknown(context, "problem", "synth", name);
    if (!path)
        return cli_usage(context, "synth needs -o FILE, the file to write");
    if (to && !cli_in_list("csv|tsv|libsvm", '|', to))
        return cli_usage(context, "--to: '%.60s' is not allowed; choose csv, tsv or libsvm", to);
    const bool standard = strcmp(path, "-") == 0;
    if (standard && context->json)
        return cli_usage(context, "--json and -o - would mix on standard output");
    int64_t n = 0;
    if (rows) {
        char *end = NULL;
        n = strtoll(rows, &end, 10);
        if (!*rows || *end || n < 1)
            return cli_usage(context, "-n: '%.60s' is not a whole number >= 1", rows);
    }
    pt_error err = PT_ERROR_INIT;
    pt_dataset *sample = NULL;
    int code = cli_output_check(context, path);
    if (code == CLI_DONE &&
        pt_synth_write(&sample, &n, name, n, context->params, path, standard && !to ? "csv" : to,
                       context->task, &err) != PT_OK)
        code = standard && cli_reader_gone() ? CLI_FAILED : cli_fail_status(context, &err);
    cli_progress_clear();
    if (code == CLI_DONE)
        cli_in_place(path);
    if (code == CLI_DONE && context->json) {
        json_t *object = cli_json_object(context, NULL, NULL);
        json_t *data = cli_json_data(sample);
        json_object_set_new(data, "n", json_integer(n));
        json_object_set_new(object, "data", data);
        code = cli_json_print(context, object);
    } else if (code == CLI_DONE) {
        cli_print_rows(context, standard ? stderr : stdout, standard ? "standard output" : path, n,
                       sample);
    }
    pt_dataset_free(sample);
    return code;
}

const cli_command cli_synth = {
    .name = "synth",
    .arguments = "NAME [-n N] -o FILE [--seed S]",
    .summary = "make one of the papers' synthetic problems",
    .description =
        "Writes N random rows of the problem NAME; 'polytomy help synth' lists them. The same seed "
        "gives the same file on every machine. Rows of cs and hrz are generated while they are "
        "written: memory does not grow with their number, and fewer rows are the first of more. "
        "ass is held in memory, because its classes depend on all rows.",
    .examples = "polytomy synth ass -n 1000 -o ass.csv\n"
                "polytomy synth cs -n 500 --seed 7 -o - | polytomy cv -\n"
                "polytomy synth hrz -n 999999 --to libsvm -o - | polytomy train --online - -o m\ta "
                "stream of 2 GB, never stored\n",
    .groups = "synth,run",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
