/* polytomy train: a data file becomes a model file. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"output", 'o', "MODEL", "the model file to write"},
    {"test", 0, "FILE", "compare the model with the labels of FILE at once, as eval does"},
    {"valid", 0, "FILE",
     "choose parameters, end boosting and calibrate by the rows of FILE; train on DATA alone"},
    {"online", 0, NULL, "learn from DATA as a stream: read once, in blocks, in constant memory"},
    {NULL, 0, NULL, NULL},
};

/* Where rows were held out to end boosting early: how far it went. */
static void print_rounds(const pt_model *model, bool validated)
{
    const char *share = pt_model_param(model, "stop-share");
    const char *most = pt_model_param(model, "rounds");
    const long long kept = (long long)cli_model_rounds(model);
    if (share && most && kept > 0 && (validated || strcmp(share, "0") != 0) && kept < atoll(most))
        printf("rounds: %lld of %s are kept, where the loss of held-out rows was smallest\n", kept,
               most);
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

/* ---- --test ---------------------------------------------------------------------------------- */

/* The rows to test on, and what came of them; evaluation NULL: there is none. */
typedef struct tested {
    pt_dataset *data;
    pt_report *evaluation;
} tested;

static void tested_free(tested *test)
{
    pt_report_free(test->evaluation);
    pt_dataset_free(test->data);
}

/* Before hours of work: whether the file is there. */
static int check_test(const cli_context *context, const char *file)
{
    struct stat there;
    if (strcmp(file, "-") == 0)
        return strcmp(context->arguments[0], "-") == 0
                   ? cli_usage(context, "DATA and --test cannot both be standard input")
                   : CLI_DONE;
    if (stat(file, &there) == 0 && S_ISDIR(there.st_mode))
        return cli_fail_text(context, file, "it is a folder; give the name of a file");
    if (access(file, R_OK) != 0)
        return cli_fail_text(context, file, "cannot open it: %s", strerror(errno));
    return CLI_DONE;
}

static bool warns_of(const pt_report *report, const char *kind)
{
    for (int64_t i = 0; i < pt_report_length(report, "warning"); i++)
        if (strcmp(pt_report_text_at(report, "warning_kind", i, 0, 0), kind) == 0)
            return true;
    return false;
}

/* Rows to test on that were trained on: errors there say nothing of new rows. Some may be there by
 * chance where rows are short. */
static pt_status warn_shared(cli_context *context, const pt_dataset *data, const tested *test,
                             pt_error *err)
{
    int64_t shared = 0;
    int64_t n = 0;
    if (warns_of(test->evaluation, "optimism"))
        return PT_OK;
    const pt_status status = pt_dataset_shared(&shared, &n, data, test->data, context->task, err);
    if (status != PT_OK || shared == 0 || shared < n / 10)
        return status;
    if (shared == n)
        cli_warn(context, "optimism",
                 "every row to test on is one of those to train on: the error says nothing of new "
                 "rows");
    else
        cli_warn(context, "optimism",
                 "%lld of %lld rows to test on %s among those to train on: the error is optimistic",
                 (long long)shared, (long long)n, shared == 1 ? "is" : "are");
    return PT_OK;
}

static int test_model(cli_context *context, const pt_model *model, const pt_dataset *data,
                      const char *file, tested *test)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *prediction = NULL;
    bool too_large = false;
    int code = cli_predict_file(context, model, file, &test->data, &prediction, &too_large);
    pt_status status = PT_OK;
    if (too_large)
        code = cli_fail_text(context, file,
                             "it does not fit into --memory beside the rows of "
                             "DATA; leave --test out and use polytomy eval");
    if (code == CLI_DONE)
        status = pt_model_evaluate(&test->evaluation, model, test->data, prediction,
                                   context->params, context->task, &err);
    pt_prediction_free(prediction);
    if (code == CLI_DONE && status == PT_OK) {
        cli_warn_of_evaluation(context, test->evaluation);
        status = warn_shared(context, data, test, &err);
    }
    return code == CLI_DONE && status != PT_OK ? cli_fail(context, &err, CLI_FAILED) : code;
}

/* With --time a part of it is for the test. */
enum { TRAIN_PERCENT = 90 };

static int train_and_test(cli_context *context, const pt_dataset *data, const pt_dataset *valid,
                          pt_model **model, tested *test)
{
    const char *file = cli_value(context, "test");
    int code = file ? check_test(context, file) : CLI_DONE;
    const double end = cli_lend_time(context, file ? TRAIN_PERCENT / 100.0 : 1);
    if (code == CLI_DONE)
        code = cli_train_model(context, data, valid, context->params, model);
    cli_return_time(context, end);
    return code == CLI_DONE && file ? test_model(context, *model, data, file, test) : code;
}

static json_t *json_test(const char *file, const tested *test)
{
    const pt_report *e = test->evaluation;
    json_t *object = json_object();
    json_object_set_new(object, "file", cli_json_text(file));
    json_object_set_new(object, "n", json_integer(pt_dataset_n_examples(test->data)));
    json_object_set_new(object, "n_labelled", json_integer(pt_report_integer(e, "n_examples")));
    json_object_set_new(object, "error", cli_json_real(pt_report_number(e, "error")));
    cli_json_metrics(object, e);
    json_object_set_new(object, "intervals", cli_json_intervals(e));
    if (cli_of_kind(e, "class") || cli_of_kind(e, "set"))
        cli_json_probabilities(e, object);
    return object;
}

static void print_test(const cli_context *context, const tested *test)
{
    cli_print_data(context, stdout, cli_value(context, "test"), test->data);
    cli_print_error("test error", test->evaluation);
    cli_print_probabilities(test->evaluation);
}

/* ---- what is told ---------------------------------------------------------------------------- */

/* What --json prints. */
static json_t *summary(const cli_context *context, const pt_model *model, const pt_dataset *data,
                       const tested *test, const char *path)
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
    if (test->evaluation)
        json_object_set_new(object, "test", json_test(cli_value(context, "test"), test));
    json_object_set_new(object, "model", cli_json_text(path));
    return object;
}

static bool from_pipe(const cli_context *context, const char *option)
{
    const char *path = cli_value(context, option);
    return path && strcmp(path, "-") == 0;
}

static void print_valid(const cli_context *context, int64_t n_valid)
{
    printf("validated by %lld rows of ", (long long)n_valid);
    cli_put_safe(stdout,
                 from_pipe(context, "valid") ? "standard input" : cli_value(context, "valid"));
    putchar('\n');
}

static void tell(const cli_context *context, const pt_model *model, const pt_dataset *data,
                 const tested *test, const char *path)
{
    if (context->quiet)
        return;
    cli_print_data(context, stdout, context->arguments[0], data);
    cli_print_machine(stdout, model, NULL);
    pt_report *found = cli_about_model(model);
    const int64_t n_valid = pt_report_integer(found, "n_valid");
    print_rounds(model, n_valid > 0);
    if (n_valid > 0)
        print_valid(context, n_valid);
    if (pt_report_find(found, "training_error"))
        printf("training error: %.2f %%\n", 100 * pt_report_number(found, "training_error"));
    print_held_out(context, model, found);
    pt_report_free(found);
    if (test->evaluation)
        print_test(context, test);
    printf("wrote %s after %s\n", path, CLI_SHOW_SECONDS(cli_seconds() - context->started));
}

/* Once the file is there nothing fails any more: what is told of it is made before. */
static int save_and_tell(cli_context *context, const pt_model *model, const pt_dataset *data,
                         const tested *test, const char *path)
{
    pt_error err = PT_ERROR_INIT;
    char *text = NULL;
    if (context->json)
        text = cli_json_dump(summary(context, model, data, test, path));
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
        tell(context, model, data, test, path);
    free(text);
    return code;
}

/* Rows that validate, with the columns of DATA. One that is among the rows of DATA says little. */
static int read_valid(cli_context *context, const pt_dataset *data, pt_dataset **valid)
{
    pt_error err = PT_ERROR_INIT;
    const char *path = cli_value(context, "valid");
    int64_t shared = 0;
    int64_t n = 0;
    if (!path)
        return CLI_DONE;
    if (pt_dataset_read_like(valid, data, path, context->params, context->task, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    pt_report *about = cli_about_data(*valid);
    cli_hold_warnings(context, "", about);
    pt_report_free(about);
    cli_tell_held(context);
    if (pt_dataset_shared(&shared, &n, data, *valid, context->task, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    if (shared > 0 && shared >= n / 10)
        cli_warn(context, "optimism",
                 "%lld of %lld rows to validate by %s among those to train on, and what is chosen "
                 "by them is chosen too boldly",
                 (long long)shared, (long long)n, shared == 1 ? "is" : "are");
    return CLI_DONE;
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
    pt_dataset *valid = NULL;
    tested test = {NULL, NULL};
    int code = cli_output_apart(context, path);
    if (code == CLI_DONE && cli_value(context, "online") && cli_value(context, "test"))
        return cli_usage(context, "--test does not go with --online; use polytomy eval");
    if (code == CLI_DONE && from_pipe(context, "valid") && strcmp(context->arguments[0], "-") == 0)
        return cli_usage(context, "DATA and --valid cannot both be standard input");
    if (code == CLI_DONE && from_pipe(context, "valid") && from_pipe(context, "test"))
        return cli_usage(context, "--valid and --test cannot both be standard input");
    if (code == CLI_DONE && cli_value(context, "online") && cli_value(context, "valid"))
        return cli_usage(context, "--valid does not go with --online, which holds nothing out");
    if (code == CLI_DONE && cli_value(context, "online"))
        return cli_train_online(context, path);
    if (code == CLI_DONE && *pt_params_get(context->params, "resume"))
        return cli_usage(context, "--resume of train is for --online");
    if (code == CLI_DONE)
        code = cli_read_first(context, context->arguments[0], &data);
    if (code == CLI_DONE)
        cli_doubt_leak(context, data);
    if (code == CLI_DONE)
        code = read_valid(context, data, &valid);
    if (code == CLI_DONE)
        code = train_and_test(context, data, valid, &model, &test);
    if (code == CLI_DONE)
        code = save_and_tell(context, model, data, &test, path);
    tested_free(&test);
    pt_dataset_free(valid);
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
        "With --test FILE the model is compared with the labels of FILE before it is written: its "
        "error there, with an interval of 95 percent, and how true its probabilities are; polytomy "
        "eval prints more. Rows that are in DATA, too, are counted in a warning.\n\n"
        "With --valid FILE the model is trained on DATA alone, and the rows of FILE decide: "
        "automatic parameters are those with the fewest errors on them, boosting (machines code, "
        "adaboost-mo and adaboost-mh) ends --patience rounds after the fewest errors on them, "
        "epochs (perceptron, winnow and constraint online) and steps of softmax end --patience of "
        "them after the smallest loss, the best one is kept, and probabilities are calibrated by "
        "them. Columns mean what they mean in DATA.\n\n"
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
        "polytomy train data.train.csv -o m --test data.test.csv\tafter polytomy split data.csv\n"
        "polytomy train a.csv --valid b.csv -o m --learner adaboost --patience 30\n"
        "polytomy train data.csv -o m --sigma 2 --ridge 2^-4\twith parameters of your own\n"
        "polytomy train data.svm.gz -o m --kernel linear --index-base 0\tsparse data\n"
        "zcat big.svm.gz | polytomy train --online - -o m --resume big.state\ta stream larger than "
        "memory\n"
        "polytomy train data.csv -o m --label species --ignore 'id*'\twhich columns count\n",
    .groups = "machine,kernel,prepare,model,read,run",
    .parameters = "resume,metric,top-k",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
