/* polytomy export: a model as a file of another program. */
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"to", 0, "FORMAT", "libsvm, the only one: a C-SVC model, which svm-predict reads"},
    {"output", 'o', "FILE", "the file to write; - is standard output"},
    {"range", 0, "FILE", "libsvm: also the model's scaling, for svm-scale -r FILE"},
    {"data", 0, "DATA", "libsvm: the classes in the order in which DATA has them; ties go by it"},
    {NULL, 0, NULL, NULL},
};

static int check(cli_context *context, const char *to, const char *path, const char *range)
{
    if (to && strcmp(to, "libsvm") != 0)
        return cli_usage(context, "--to: '%.60s' is not allowed; there is libsvm", to);
    if (!path)
        return cli_usage(context, "export needs -o FILE, the file to write");
    if (context->json && (strcmp(path, "-") == 0 || (range && strcmp(range, "-") == 0)))
        return cli_usage(context, "--json and a FILE of - would mix on standard output");
    int code = strcmp(path, "-") == 0 ? CLI_DONE : cli_output_apart(context, path);
    if (code == CLI_DONE && range && strcmp(range, "-") != 0)
        code = cli_output_apart(context, range);
    return code;
}

/* A LIBSVM model has no scaling, and svm-predict no warning. */
static void warn_scaled(cli_context *context, const pt_model *model)
{
    const char *scale = pt_model_param(model, "scale");
    if (scale && strcmp(scale, "none") != 0)
        cli_warn(context, "parameters",
                 "the model scales its data (--scale %s) and svm-predict does not: "
                 "--range FILE writes the scaling, for svm-scale -r",
                 scale);
}

static int tell(const cli_context *context, const pt_model *model, const char *path,
                const char *range)
{
    if (context->json) {
        json_t *object = cli_json_object(context, model, context->params);
        json_object_set_new(object, "model", cli_json_text(path));
        if (range)
            json_object_set_new(object, "range", cli_json_text(range));
        return cli_json_print(context, object);
    }
    if (context->quiet || strcmp(path, "-") == 0 || (range && strcmp(range, "-") == 0))
        return CLI_DONE;
    printf("wrote %s", path);
    if (range)
        printf(" and %s", range);
    putchar('\n');
    return CLI_DONE;
}

static int run(cli_context *context)
{
    const char *path = cli_value(context, "output");
    const char *range = cli_value(context, "range");
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_dataset *data = NULL;
    int code = check(context, cli_value(context, "to"), path, range);
    if (code == CLI_DONE)
        code = cli_load(context, context->arguments[0], &model);
    if (code == CLI_DONE && cli_value(context, "data"))
        code = cli_read(context, cli_value(context, "data"), &data);
    if (code == CLI_DONE && range &&
        pt_model_export(model, range, "svm-scale", NULL, context->task, &err) != PT_OK)
        code = cli_fail(context, &err, CLI_FAILED);
    if (code == CLI_DONE &&
        pt_model_export(model, path, "libsvm", data, context->task, &err) != PT_OK)
        code = cli_fail(context, &err, CLI_FAILED);
    if (code == CLI_DONE)
        cli_in_place(path);
    if (code == CLI_DONE && !range)
        warn_scaled(context, model);
    if (code == CLI_DONE)
        code = tell(context, model, path, range);
    pt_dataset_free(data);
    pt_model_free(model);
    return code;
}

const cli_command cli_export = {
    .name = "export",
    .arguments = "MODEL -o FILE [options]",
    .summary = "write a model as a file of another program",
    .description =
        "Writes MODEL, a support vector machine for all pairs of classes (--code ovo --learner "
        "svm), as LIBSVM's svm-train would: svm-predict then decides as --decode vote does "
        "here.\n\n"
        "A LIBSVM model does not scale its data. If MODEL does, the support vectors are in scaled "
        "units; --range writes the scaling as a file for svm-scale -r, which scales the data. "
        "Without scaling (--scale none in training) nothing is needed.\n\n"
        "LIBSVM's labels are integers: other class names are numbered in their order.",
    .examples = "polytomy export m -o m.libsvm\tfor svm-predict\n"
                "polytomy export m -o m.libsvm --range m.range\twith its scaling\n",
    .groups = "read,run",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
