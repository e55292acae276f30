/* polytomy svm-train: LIBSVM's svm-train, with its options, files and defaults, and our solver. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"svm-type", 's', "TYPE", "0: C-SVC, which is what there is here"},
    {"kernel-type", 't', "TYPE",
     "0 linear, 1 polynomial, 2 rbf, 3 sigmoid, 4 precomputed kernel values in the file [2]"},
    {"degree", 'd', "N", "of polynomial [3]"},
    {"gamma", 'g', "X", "of polynomial, rbf and sigmoid [1/number of features]"},
    {"coef0", 'r', "X", "of polynomial and sigmoid [0]"},
    {"cost", 'c', "X", "C, the weight of errors [1]"},
    {"weight", 'w', "X", "written -wLABEL X: C is X times as large for class LABEL [1]"},
    {"epsilon", 'e', "X", "violation of optimality at which the solver stops [0.001]"},
    {"cache-size", 'm', "MB", "memory for the work, if that is enough [80 percent of the free]"},
    {"shrinking", 'h', "0|1", "makes no difference here: the result is the same either way"},
    {"probability", 'b', "0|1", "1: a model with probabilities, fitted on held-out rows [0]"},
    {"cross-validation", 'v', "N", "the accuracy of N-fold cross-validation, and no model"},
    {NULL, 0, NULL, NULL},
};

static const char *const KERNELS[] = {"linear", "poly", "rbf", "sigmoid", "precomputed"};

/* ---- options --------------------------------------------------------------------------------- */

static const char *given(const cli_context *context, const char *option, const char *otherwise)
{
    const char *value = cli_value(context, option);
    return value ? value : otherwise;
}

/* LIBSVM's number of a kernel; -1: none. */
static int kernel_of(const cli_context *context)
{
    const char *type = given(context, "kernel-type", "2");
    return type[0] >= '0' && type[0] <= '4' && !type[1] ? type[0] - '0' : -1;
}

static int check(const cli_context *context)
{
    const char *type = given(context, "svm-type", "0");
    if (strcmp(type, "0") != 0)
        return cli_usage(context,
                         "-s %.20s is not here: -s 0, C-SVC, is; LIBSVM's own svm-train has "
                         "1 nu-SVC, 2 one-class SVM, 3 epsilon-SVR and 4 nu-SVR",
                         type);
    if (kernel_of(context) < 0)
        return cli_usage(context,
                         "-t %.20s is not a kernel: 0 linear, 1 polynomial, 2 rbf, 3 sigmoid, 4 "
                         "precomputed",
                         given(context, "kernel-type", ""));
    if (!cli_in_list("0|1", '|', given(context, "shrinking", "1")))
        return cli_usage(context, "-h is 0 or 1");
    if (!cli_in_list("0|1", '|', given(context, "probability", "0")))
        return cli_usage(context, "-b is 0 or 1");
    return CLI_DONE;
}

/* Sets parameters in the words of LIBSVM's option. */
static int set(const cli_context *context, const char *option, const char *param, const char *value)
{
    pt_error err = PT_ERROR_INIT;
    if (pt_params_set(context->params, param, value, &err) == PT_OK)
        return CLI_DONE;
    return cli_usage(context, "%s: %s", option, err.text);
}

static int set_real(const cli_context *context, const char *option, const char *param, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return set(context, option, param, text);
}

/* gamma 0 is the default: one over the number of features. */
static int take_gamma(const cli_context *context, const pt_dataset *data, double *gamma)
{
    const char *text = given(context, "gamma", "0");
    char *end = NULL;
    *gamma = strtod(text, &end);
    if (!*text || *end || !(*gamma >= 0 && *gamma <= 1e200))
        return cli_usage(context, "-g: '%.40s' is not a positive number", text);
    if (*gamma == 0)
        *gamma = 1 / (double)pt_dataset_n_features(data);
    return CLI_DONE;
}

static int set_kernel(const cli_context *context, const pt_dataset *data)
{
    const int kernel = kernel_of(context);
    double gamma = 0;
    int code = take_gamma(context, data, &gamma);
    if (code == CLI_DONE && kernel == 2)
        code = set_real(context, "-g", "rbf-gamma", gamma);
    if (code == CLI_DONE && (kernel == 1 || kernel == 3))
        code = set_real(context, "-g", "sigma", 1 / sqrt(gamma));
    if (code == CLI_DONE && (kernel == 1 || kernel == 3))
        code = set(context, "-r", "coef0", given(context, "coef0", "0"));
    if (code == CLI_DONE && kernel == 1)
        code = set(context, "-d", "degree", given(context, "degree", "3"));
    return code;
}

/* -wLABEL X: labels are numbers to LIBSVM, so that -w1 is for a class that is written +1. */
static int set_weights(cli_context *context, const pt_dataset *data)
{
    char *list = cli_format("%s", "");
    for (int w = 0; w < context->n_keys; w++) {
        char *end = NULL;
        const double label = strtod(context->keys[w], &end);
        int64_t found = -1;
        for (int64_t r = 0; !*end && r < pt_dataset_n_classes(data); r++) {
            char *rest = NULL;
            const double number = strtod(pt_dataset_class_name(data, r), &rest);
            if (!*rest && number == label)
                found = r;
        }
        if (found < 0) {
            cli_warn(context, "classes", "-w%s: there is no such class in the data",
                     context->keys[w]);
            continue;
        }
        char *longer = cli_format("%s%s%s=%s", list, *list ? "," : "",
                                  pt_dataset_class_name(data, found), context->key_values[w]);
        free(list);
        list = longer;
    }
    const int code = *list ? set(context, "-w", "class-weight", list) : CLI_DONE;
    free(list);
    return code;
}

static int set_memory(cli_context *context)
{
    const char *text = cli_value(context, "cache-size");
    char *end = NULL;
    const double megabytes = text ? strtod(text, &end) : 0;
    if (!text)
        return CLI_DONE;
    if (!*text || *end || !(megabytes > 0 && megabytes <= 1e9))
        return cli_usage(context, "-m: '%.40s' is not a number of megabytes", text);
    pt_error err = PT_ERROR_INIT;
    return pt_task_set(context->task, "memory", floor(megabytes * (1 << 20)), &err) == PT_OK
               ? CLI_DONE
               : cli_fail_status(context, &err);
}

/* All that does not depend on the data. */
static int set_machine(cli_context *context)
{
    static const char
        *const FIXED[]
                    [2] = {
                        {"format", "libsvm"}, {"machine", "code"}, {"code", "ovo"},
                        {"learner", "svm"},   {"bias", "yes"},     {"scale", "none"},
                        {"calibrate", "no"}, /* there is no place for it in the file */
                        {"merge", "no"},     /* as many support vectors as LIBSVM has */
                    };
    int code = check(context);
    for (size_t i = 0; i < sizeof FIXED / sizeof *FIXED && code == CLI_DONE; i++)
        code = set(context, "", FIXED[i][0], FIXED[i][1]);
    if (code == CLI_DONE) /* LIBSVM's -b 1 decides by probabilities too */
        code = set(context, "-b", "decode",
                   strcmp(given(context, "probability", "0"), "1") == 0 ? "coupling" : "vote");
    if (code == CLI_DONE)
        code = set(context, "-t", "kernel", KERNELS[kernel_of(context)]);
    if (code == CLI_DONE)
        code = set(context, "-c", "C", given(context, "cost", "1"));
    if (code == CLI_DONE)
        code = set(context, "-e", "eps", given(context, "epsilon", "0.001"));
    return code;
}

/* ---- work ------------------------------------------------------------------------------------ */

static int cross_validate(cli_context *context, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *search = NULL;
    int code = set(context, "-v", "folds", cli_value(context, "cross-validation"));
    if (code != CLI_DONE)
        return code;
    if (pt_cross_validate(&search, NULL, data, &(const pt_params *){context->params}, 1,
                          context->task, &err) != PT_OK)
        return cli_fail_status(context, &err);
    cli_progress_clear();
    printf("Cross Validation Accuracy = %g%%\n",
           100 * (1 - pt_report_number_at(search, "error", 0, 0, 0)));
    pt_report_free(search);
    return CLI_DONE;
}

/* Where -m is too little even for the least, LIBSVM would go on, and so do we. */
static int train(cli_context *context, const pt_dataset *data, pt_model **model)
{
    pt_error err = PT_ERROR_INIT;
    pt_status status = pt_model_train(model, data, context->params, context->task, &err);
    if (status == PT_EMEMORY && cli_value(context, "cache-size")) {
        cli_warn(context, "parameters", "-m %s is too little and is not kept to: %s",
                 cli_value(context, "cache-size"), err.text);
        pt_task_set_params(context->task, context->params);
        status = pt_model_train(model, data, context->params, context->task, &err);
    }
    return status == PT_OK ? CLI_DONE : cli_fail_status(context, &err);
}

static void tell(const cli_context *context, const pt_model *model)
{
    json_t *metadata = cli_model_metadata(model);
    const json_t *support = json_object_get(metadata, "support_vectors");
    if (!context->quiet && json_is_integer(support))
        printf("Total nSV = %lld\n", (long long)json_integer_value(support));
    json_decref(metadata);
}

static int train_and_write(cli_context *context, const pt_dataset *data, const char *path)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    int code = train(context, data, &model);
    if (code == CLI_DONE) {
        pt_report *found = cli_about_model(model);
        cli_hold_warnings(context, "", found);
        pt_report_free(found);
    }
    cli_tell_held(context);
    if (code == CLI_DONE &&
        pt_model_export(model, path, "libsvm", data, context->task, &err) != PT_OK)
        code = cli_fail(context, &err, CLI_FAILED);
    cli_progress_clear();
    if (code == CLI_DONE) {
        cli_in_place(path);
        tell(context, model);
    }
    pt_model_free(model);
    return code;
}

/* The training file's name with .model, in the current directory. */
static char *model_path(const cli_context *context)
{
    const char *data = context->arguments[0];
    const char *slash = strrchr(data, '/');
    return context->n_arguments > 1 ? cli_format("%s", context->arguments[1])
                                    : cli_format("%s.model", slash ? slash + 1 : data);
}

static int run(cli_context *context)
{
    const bool cross = cli_value(context, "cross-validation") != NULL;
    pt_dataset *data = NULL;
    char *path = model_path(context);
    int code = set_machine(context);
    if (code == CLI_DONE)
        code = set_memory(context);
    context->n_arguments = 1; /* the second one is written */
    if (code == CLI_DONE && !cross)
        code = cli_output_apart(context, path);
    if (code == CLI_DONE)
        code = cli_read_first(context, context->arguments[0], &data);
    if (code == CLI_DONE)
        code = set_kernel(context, data);
    if (code == CLI_DONE)
        code = set_weights(context, data);
    if (code == CLI_DONE)
        code = cross ? cross_validate(context, data) : train_and_write(context, data, path);
    pt_dataset_free(data);
    free(path);
    return code;
}

const cli_command cli_svm_train = {
    .name = "svm-train",
    .arguments = "[options] TRAINING_FILE [MODEL_FILE]",
    .summary = "as LIBSVM's svm-train: its options, files and defaults",
    .description =
        "For scripts that call svm-train. Reads TRAINING_FILE in LIBSVM's format, trains a support "
        "vector machine for all pairs of classes, and writes MODEL_FILE, which LIBSVM's "
        "svm-predict and 'polytomy svm-predict' read; by default it is TRAINING_FILE.model in the "
        "current directory. Nothing is scaled.\n\n"
        "The solution is that of LIBSVM up to the tolerance -e. -q prints nothing. 'polytomy train "
        "--code ovo --learner svm' is the same machine with all other options.",
    .examples = "polytomy svm-train -c 16 -g 0.5 letter.svm\twrites letter.svm.model\n"
                "polytomy svm-train -v 5 -t 0 -w1 2 data.svm\tcross-validation, class 1 twice\n",
    .groups = "run",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 2,
    .keyed = 'w',
    .run = run,
};
