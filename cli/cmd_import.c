/* polytomy import: a model file of another program becomes one of ours. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"output", 'o', "MODEL", "the model file to write"},
    {"from", 0, "FORMAT",
     "libsvm, or libsvm-proba: decide by its probabilities; default: by the contents of FILE"},
    {"features", 0, "N", "how many features the data has, where FILE names fewer"},
    {NULL, 0, NULL, NULL},
};

static int take_features(const cli_context *context, int64_t *n_features)
{
    const char *text = cli_value(context, "features");
    char *end = NULL;
    if (!text)
        return CLI_DONE;
    errno = 0;
    *n_features = strtoll(text, &end, 10);
    if (!*text || *end || errno || *n_features < 1 || *n_features > (int64_t)1 << 40)
        return cli_usage(context, "--features: '%.40s' is not a number of features", text);
    return CLI_DONE;
}

static int tell(const cli_context *context, const pt_model *model, const char *path)
{
    if (context->json) {
        json_t *object = cli_json_object(context, model, context->params);
        json_object_set_new(object, "model", cli_json_text(path));
        return cli_json_print(context, object);
    }
    if (context->quiet)
        return CLI_DONE;
    cli_print_machine(stdout, model, NULL);
    printf("wrote %s\n", path);
    return CLI_DONE;
}

static int run(cli_context *context)
{
    const char *path = cli_value(context, "output");
    const char *from = cli_value(context, "from");
    int64_t n_features = 0;
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    if (!path)
        return cli_usage(context, "import needs -o MODEL, the file to write");
    if (strcmp(path, "-") == 0)
        return cli_usage(context, "a model is written to a file, not to standard output");
    if (from && !cli_in_list("libsvm|libsvm-proba", '|', from))
        return cli_usage(context, "--from: '%.60s' is not allowed; choose libsvm or libsvm-proba",
                         from);
    int code = take_features(context, &n_features);
    if (code == CLI_DONE)
        code = cli_output_apart(context, path);
    if (code == CLI_DONE && pt_model_import(&model, context->arguments[0], from, n_features,
                                            context->task, &err) != PT_OK)
        code = cli_fail(context, &err, CLI_FAILED);
    if (code == CLI_DONE && pt_model_save(model, path, &err) != PT_OK)
        code = cli_fail(context, &err, CLI_FAILED);
    if (code == CLI_DONE) {
        cli_in_place(path);
        code = tell(context, model, path);
    }
    pt_model_free(model);
    return code;
}

const cli_command cli_import = {
    .name = "import",
    .arguments = "FILE -o MODEL [options]",
    .summary = "read a model file of another program",
    .description =
        "Reads FILE, a C-SVC model that LIBSVM's svm-train wrote (any kernel), and writes it as "
        "MODEL, whose predictions are those of svm-predict, ties included: the classes keep the "
        "order of the file. If the data was scaled before training, scale it in the same way "
        "before prediction: a LIBSVM model does not record it.\n\n"
        "FILE does not record the number of features of its data, only the largest one that a "
        "support vector uses. Further features change no output, except with the rbf kernel: give "
        "their number with --features.",
    .examples = "polytomy import letter.model -o m\tthen: polytomy predict m data.svm\n",
    .groups = "run",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
