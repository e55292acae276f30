/* polytomy svm-predict: LIBSVM's svm-predict, with its options and files. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"probability", 'b', "0|1", "1: probabilities too, of a model that has them [0]"},
    {NULL, 0, NULL, NULL},
};

/* A label as LIBSVM sees it, +1 and 1.0 being 1. */
static bool label_number(const char *name, double *number)
{
    char *end = NULL;
    *number = name ? strtod(name, &end) : 0;
    return name && *name && !*end;
}

static bool same_label(const char *a, const char *b)
{
    double x = 0;
    double y = 0;
    if (a && b && label_number(a, &x) && label_number(b, &y))
        return x == y;
    return a && b && strcmp(a, b) == 0;
}

/* n x k probabilities, to be freed; NULL: they are not asked for. */
static double *take_proba(const cli_context *context, const pt_model *model,
                          const pt_prediction *prediction)
{
    pt_error err = PT_ERROR_INIT;
    const char *b = cli_value(context, "probability");
    if (!b || strcmp(b, "1") != 0)
        return NULL;
    double *proba =
        cli_alloc(pt_prediction_n_examples(prediction) * pt_model_n_classes(model), sizeof *proba);
    if (pt_prediction_proba(prediction, proba, &err) == PT_OK)
        return proba;
    free(proba);
    return NULL;
}

/* A label a line; with probabilities "labels ..." before, and they behind each. */
static int put_labels(const cli_context *context, const char *path, const pt_model *model,
                      const pt_prediction *prediction)
{
    cli_output output;
    const int64_t *labels = pt_prediction_labels(prediction);
    const int64_t k = pt_model_n_classes(model);
    const int code = cli_output_open(context, &output, path);
    if (code != CLI_DONE)
        return code;
    double *proba = take_proba(context, model, prediction);
    if (proba) {
        fputs("labels", output.file);
        for (int64_t r = 0; r < k; r++)
            fprintf(output.file, " %s", pt_model_class_name(model, r));
        putc('\n', output.file);
    }
    for (int64_t i = 0; i < pt_prediction_n_examples(prediction); i++) {
        fputs(pt_model_class_name(model, labels[i]), output.file);
        for (int64_t r = 0; proba && r < k; r++)
            fprintf(output.file, " %g", proba[i * k + r]);
        putc('\n', output.file);
    }
    free(proba);
    return cli_output_close(context, &output);
}

/* Over the rows that have a label, on standard output. */
static void tell_accuracy(const cli_context *context, const pt_dataset *data, const pt_model *model,
                          const pt_prediction *prediction)
{
    const int64_t *labels = pt_prediction_labels(prediction);
    int64_t total = 0;
    int64_t right = 0;
    for (int64_t i = 0; i < pt_prediction_n_examples(prediction); i++) {
        const int64_t truth = pt_dataset_class(data, i);
        if (truth < 0)
            continue;
        total++;
        right +=
            same_label(pt_dataset_class_name(data, truth), pt_model_class_name(model, labels[i]));
    }
    if (!context->quiet && total > 0)
        printf("Accuracy = %g%% (%lld/%lld) (classification)\n",
               100 * (double)right / (double)total, (long long)right, (long long)total);
}

static int check(const cli_context *context)
{
    const char *b = cli_value(context, "probability");
    if (b && !cli_in_list("0|1", '|', b))
        return cli_usage(context, "-b is 0 or 1");
    return CLI_DONE;
}

static int run(cli_context *context)
{
    const char *const test = context->arguments[0];
    const char *const path = context->arguments[2];
    const char *b = cli_value(context, "probability");
    const char *const format = b && strcmp(b, "1") == 0 ? "libsvm-proba" : "libsvm";
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_dataset *data = NULL;
    pt_prediction *prediction = NULL;
    int code = check(context);
    context->n_arguments = 2; /* the third one is written */
    if (code == CLI_DONE)
        code = cli_output_apart(context, path);
    if (code == CLI_DONE && pt_params_set(context->params, "format", "libsvm", &err) != PT_OK)
        code = cli_fail(context, &err, CLI_FAILED);
    if (code == CLI_DONE &&
        pt_model_import(&model, context->arguments[1], format, -1, context->task, &err) != PT_OK)
        code = cli_fail(context, &err, CLI_FAILED);
    if (code == CLI_DONE &&
        pt_model_read(&data, model, test, context->params, context->task, &err) != PT_OK)
        code = cli_fail(context, &err, CLI_FAILED);
    if (code == CLI_DONE &&
        pt_model_predict(&prediction, model, data, -1, context->task, &err) != PT_OK)
        code = cli_fail(context, &err, CLI_FAILED);
    cli_progress_clear();
    if (code == CLI_DONE)
        code = put_labels(context, path, model, prediction);
    if (code == CLI_DONE)
        tell_accuracy(context, data, model, prediction);
    pt_prediction_free(prediction);
    pt_dataset_free(data);
    pt_model_free(model);
    return code;
}

const cli_command cli_svm_predict = {
    .name = "svm-predict",
    .arguments = "[options] TEST_FILE MODEL_FILE OUTPUT_FILE",
    .summary = "as LIBSVM's svm-predict: its options and files",
    .description = "For scripts that call svm-predict. Reads a C-SVC model that svm-train wrote, "
                   "LIBSVM's or ours, predicts the rows of TEST_FILE, writes one label a line to "
                   "OUTPUT_FILE, and prints the accuracy. The decisions are those of LIBSVM's "
                   "svm-predict, including ties. -q prints nothing.\n\n"
                   "With -b 1 the first line names the labels, and the probabilities of all of "
                   "them follow each prediction; the prediction is the most probable label.",
    .examples = "polytomy svm-predict test.svm letter.svm.model out\tone label a line\n",
    .groups = "run",
    .options = OPTIONS,
    .min_arguments = 3,
    .max_arguments = 3,
    .run = run,
};
