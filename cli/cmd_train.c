/* polytomy train: a data file becomes a model file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"output", 'o', "MODEL", "the model file to write"},
    {"online", 0, NULL, "learn from DATA as a stream: read once, in blocks, in constant memory"},
    {NULL, 0, NULL, NULL},
};

/* Where rows were held out to end boosting early: how far it went. */
static void print_rounds(const pt_model *model)
{
    const char *share = pt_model_param(model, "stop-share");
    const char *most = pt_model_param(model, "rounds");
    if (share && most && strcmp(share, "0") != 0 && cli_model_rounds(model) < atoll(most))
        printf("rounds: %lld of %s are kept, where the loss of held-out rows was smallest\n",
               (long long)cli_model_rounds(model), most);
}

static bool has_automatic(const cli_context *context, const pt_model *model)
{
    for (int64_t i = 0; i < cli_param_count(); i++) {
        const char *name = cli_param_name(i);
        if (cli_in_list("machine,kernel", ',', cli_param_group(i)) &&
            cli_in_list("real,integer", ',', cli_param_type(i)) &&
            strcmp(pt_params_get(context->params, name), "auto") == 0 &&
            strcmp(pt_model_param(model, name), "auto") != 0)
            return true;
    }
    return false;
}

/* What the choice of parameters found on its way. */
static void print_choice(const pt_report *found)
{
    const double loss = pt_report_number(found, "choice_loss");
    const char *kind = pt_report_text(found, "labels");
    const char *of = strcmp(kind, "class") == 0 ? ""
                     : strcmp(kind, "set") == 0 ? " of classes on the wrong side,"
                                                : " of pairs the wrong way round,";
    if (!isnan(loss))
        printf("held-out error: %.2f %%%s on %lld rows, when parameters were chosen (a little "
               "optimistic)\n",
               100 * loss, of, (long long)pt_report_integer(found, "choice_rows"));
}

/* What calibration found on its way. */
static void print_held_out(const cli_context *context, const pt_model *model,
                           const pt_report *found)
{
    const double error = pt_report_number(found, "held_out_error");
    if (!isnan(error))
        printf("held-out error: %.2f %% of %lld rows, by machines that had not seen them%s\n",
               100 * error, (long long)pt_report_integer(found, "held_out_rows"),
               has_automatic(context, model) ? "; automatic parameters had: see polytomy cv" : "");
    else
        print_choice(found);
}

/* What --json prints. */
static json_t *summary(const cli_context *context, const pt_model *model, const pt_dataset *data,
                       const char *path)
{
    json_t *object = cli_json_object(context, model, context->params);
    json_object_set_new(object, "data", cli_json_data(data));
    pt_report *found = cli_about_model(model);
    const char *limited = pt_report_text(found, "limited");
    json_object_set_new(object, "error", cli_json_real(pt_report_number(found, "training_error")));
    json_object_set_new(object, "held_out_error",
                        cli_json_real(pt_report_number(found, "held_out_error")));
    json_object_set_new(object, "choice_loss",
                        cli_json_real(pt_report_number(found, "choice_loss")));
    json_object_set_new(object, "limited", limited ? cli_json_text(limited) : json_null());
    pt_report_free(found);
    json_object_set_new(object, "model", cli_json_text(path));
    return object;
}

static void tell(const cli_context *context, const pt_model *model, const pt_dataset *data,
                 const char *path)
{
    if (context->quiet)
        return;
    cli_print_data(context, stdout, context->arguments[0], data);
    cli_print_machine(stdout, model, NULL);
    print_rounds(model);
    pt_report *found = cli_about_model(model);
    if (pt_report_find(found, "training_error"))
        printf("training error: %.2f %%\n", 100 * pt_report_number(found, "training_error"));
    print_held_out(context, model, found);
    pt_report_free(found);
    printf("wrote %s after %s\n", path, CLI_SHOW_SECONDS(cli_seconds() - context->started));
}

/* Once the file is there nothing fails any more: what is told of it is made before. */
static int save_and_tell(cli_context *context, const pt_model *model, const pt_dataset *data,
                         const char *path)
{
    pt_error err = PT_ERROR_INIT;
    char *text = NULL;
    if (context->json)
        text = cli_json_dump(summary(context, model, data, path));
    const pt_status status = pt_model_save(model, path, &err);
    cli_progress_clear();
    int code = CLI_DONE;
    if (status == PT_OK)
        cli_in_place(path);
    else
        code = cli_fail(context, &err, CLI_FAILED);
    if (code == CLI_DONE && text)
        code = cli_json_put(context, text);
    else if (code == CLI_DONE)
        tell(context, model, data, path);
    free(text);
    return code;
}

static int run(cli_context *context)
{
    const char *path = cli_value(context, "output");
    if (!path)
        return cli_usage(context, "train needs -o MODEL, the file to write");
    if (strcmp(path, "-") == 0)
        return cli_usage(context, "a model is written to a file, not to standard output");
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    int code = cli_output_apart(context, path);
    if (code == CLI_DONE && cli_value(context, "online"))
        return cli_train_online(context, path);
    if (code == CLI_DONE && *pt_params_get(context->params, "resume"))
        return cli_usage(context, "--resume of train is for --online");
    if (code == CLI_DONE)
        code = cli_read_first(context, context->arguments[0], &data);
    if (code == CLI_DONE)
        cli_doubt_leak(context, data);
    if (code == CLI_DONE)
        code = cli_train_model(context, data, context->params, &model);
    if (code == CLI_DONE)
        code = save_and_tell(context, model, data, path);
    pt_model_free(model);
    pt_dataset_free(data);
    return code;
}

const cli_command cli_train = {
    .name = "train",
    .arguments = "DATA -o MODEL [options]",
    .summary = "train a machine on a data file and write a model file",
    .description =
        "Reads DATA (CSV, TSV, LIBSVM, ARFF, NPY or NPZ; plain, gzip or zstd; - is standard "
        "input), trains the machine named by --machine on all rows, and writes MODEL. Parameters "
        "set to 'auto' are chosen on the training data alone.\n\n"
        "MODEL appears complete or not at all: a failure, a full disk or Ctrl-C leaves the old "
        "file. It contains everything that prediction needs: the columns, their preparation, the "
        "classes, the machine.\n\n"
        "The training error is printed if it takes no time, up to some thousand rows; otherwise "
        "use polytomy eval MODEL DATA.\n\n"
        "With --time training ends with the best model that the time allows: on all rows if that "
        "is expected to fit, otherwise on a sample of them or with fewer --rounds. A warning says "
        "so, and the model is marked (limited, in polytomy info and in JSON). Ctrl-C leaves the "
        "old file.\n\n"
        "With --online DATA is a stream of LIBSVM text or CSV, a file of any size or - for a pipe. "
        "Every example is predicted and then learned from, as by --machine constraint --method "
        "online with the given --update; new classes and features may appear at any time. With "
        "--time the stream ends when the time is over, and the model so far is written. The share "
        "of wrong predictions is printed after 1024, 2048, 4096, ... examples. --resume FILE "
        "writes checkpoints, and after an interruption the same command on the same stream "
        "continues from the last one, skipping the examples counted there.",
    .examples =
        "polytomy train iris.csv -o iris.model\tall defaults\n"
        "polytomy train data.csv -o m --sigma 2 --ridge 2^-4\twith parameters of your own\n"
        "polytomy train data.svm.gz -o m --kernel linear --index-base 0\tsparse data\n"
        "zcat big.svm.gz | polytomy train --online - -o m --resume big.state\ta stream larger than "
        "memory\n"
        "polytomy train data.csv -o m --label species --ignore 'id*'\twhich columns count\n",
    .groups = "machine,kernel,prepare,model,read,run",
    .parameters = "resume",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
