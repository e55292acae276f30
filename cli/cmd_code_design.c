/* polytomy code design: a continuous code for the columns of a model. */
#include <math.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"output", 'o', "MODEL", "the model file to write"},
    {NULL, 0, NULL, NULL},
};

/* What was found, as the metadata have it. */
static const char *const FIGURES[] = {
    "design_C",     "design_norm",        "design_slack",  "primal",        "dual",
    "design_error", "design_error_bound", "held_out_cost", "discrete_cost", NULL};

static double figure(const json_t *metadata, const char *name)
{
    const json_t *value = json_object_get(metadata, name);
    return value ? json_number_value(value) : NAN;
}

/* A bound of 0 says nothing: only the exact search has another. */
static void print_discrete(const json_t *metadata)
{
    const double bound = figure(metadata, "design_error_bound");
    printf("discrete: an error of %.2f %% on these outputs",
           100 * figure(metadata, "design_error"));
    if (bound > 0)
        printf("; no code has less than %.2f %%", 100 * bound);
    printf("\n");
}

static void print_continuous(const pt_model *model, const json_t *metadata)
{
    const double primal = figure(metadata, "primal");
    const double dual = figure(metadata, "dual");
    printf("norm %s, %s:", pt_model_param(model, "norm"), pt_model_param(model, "design-form"));
    if (json_object_get(metadata, "design_C"))
        printf(" C %.6g,", figure(metadata, "design_C"));
    printf(" norm %.6g, slack %.6g\n", figure(metadata, "design_norm"),
           figure(metadata, "design_slack"));
    printf("primal %.9g, dual %.9g, relative gap %.2g\n", primal, dual,
           primal > 0 ? (primal - dual) / primal : 0);
}

/* A mean cost, or an error; too few rows have none. */
static void print_cost(double cost, bool costs)
{
    if (isnan(cost))
        printf("unknown");
    else if (costs)
        printf("%.2f", cost);
    else
        printf("%.2f %%", 100 * cost);
}

static void print_found(const pt_model *model, const json_t *metadata)
{
    const bool costs = strcmp(pt_model_param(model, "costs"), "none") != 0;
    if (json_object_get(metadata, "design_error"))
        print_discrete(metadata);
    else
        print_continuous(model, metadata);
    /* without folds of their own, rows are held out only if the model has not seen them */
    const bool fresh = strcmp(pt_model_param(model, "design-folds"), "0") == 0;
    printf("%s%s%s: ", fresh ? "" : "held-out ", costs ? "cost" : "error",
           fresh ? " if the model has not seen these rows" : "");
    print_cost(figure(metadata, "discrete_cost"), costs);
    printf(" with the code as it was, ");
    print_cost(figure(metadata, "held_out_cost"), costs);
    printf(" designed\n");
}

static int tell(const cli_context *context, const pt_model *model, const pt_dataset *data,
                const char *path)
{
    json_t *metadata = cli_model_metadata(model);
    int code = CLI_DONE;
    if (context->json) {
        json_t *object = cli_json_object(context, model, context->params);
        json_object_set_new(object, "data", cli_json_data(data));
        for (int i = 0; FIGURES[i]; i++) {
            json_t *value = json_object_get(metadata, FIGURES[i]);
            json_object_set(object, FIGURES[i], value ? value : json_null());
        }
        json_object_set_new(object, "model", cli_json_text(path));
        code = cli_json_print(context, object);
    } else if (!context->quiet) {
        cli_print_data(context, stdout, context->arguments[1], data);
        cli_print_machine(stdout, model, NULL);
        print_found(model, metadata);
        printf("wrote %s after %s\n", path, CLI_SHOW_SECONDS(cli_seconds() - context->started));
    }
    json_decref(metadata);
    return code;
}

static int design(cli_context *context, const pt_model *model, const pt_dataset *data,
                  const char *path, pt_model **out)
{
    pt_error err = PT_ERROR_INIT;
    const double begin = cli_seconds();
    if (pt_model_design(out, model, data, context->params, context->task, &err) != PT_OK)
        return cli_fail_status(context, &err);
    context->seconds_train = cli_seconds() - begin;
    pt_report *found = cli_about_model(*out);
    cli_hold_warnings(context, "", found);
    pt_report_free(found);
    cli_tell_held(context);
    if (pt_model_save(*out, path, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    cli_in_place(path);
    return CLI_DONE;
}

static int read_data(cli_context *context, const pt_model *model, pt_dataset **data)
{
    pt_error err = PT_ERROR_INIT;
    const double begin = cli_seconds();
    if (pt_model_read(data, model, context->arguments[1], context->params, context->task, &err) !=
        PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    context->seconds_read = cli_seconds() - begin;
    pt_report *about = cli_about_data(*data);
    cli_hold_warnings(context, "", about);
    pt_report_free(about);
    cli_tell_held(context);
    return CLI_DONE;
}

static int run(cli_context *context)
{
    const char *path = cli_value(context, "output");
    if (!path)
        return cli_usage(context, "code design needs -o MODEL, the file to write");
    if (strcmp(path, "-") == 0)
        return cli_usage(context, "a model is written to a file, not to standard output");
    pt_model *model = NULL;
    pt_model *designed = NULL;
    pt_dataset *data = NULL;
    int code = cli_output_apart(context, path);
    if (code == CLI_DONE)
        code = cli_load(context, context->arguments[0], &model);
    if (code == CLI_DONE)
        code = read_data(context, model, &data);
    if (code == CLI_DONE)
        code = design(context, model, data, path, &designed);
    cli_progress_clear();
    if (code == CLI_DONE)
        code = tell(context, designed, data, path);
    pt_model_free(designed);
    pt_model_free(model);
    pt_dataset_free(data);
    return code;
}

const cli_command cli_code_design = {
    .name = "code-design",
    .arguments = "MODEL DATA -o MODEL [options]",
    .summary = "design a continuous code for the columns of a model: 'code design'",
    .description =
        "Takes a model that learned the columns of a discrete code (of the machines code, "
        "adaboost-mo, adaboost-mh, ls-ovo, class-tree, or designed, for another design), keeps its "
        "columns, its preparation and its parameters, and designs real numbers in place of the "
        "signs of its code, so that the products of the outputs with the rows separate the "
        "classes. 'polytomy code design' and 'polytomy code-design' are the same.\n\n"
        "DATA are the rows of training: the outputs come from columns that are learned again "
        "without a fold of the rows at a time, because a code designed on outputs of columns that "
        "have seen the rows would trust them too much. With new rows use --design-folds 0, which "
        "takes the outputs of the model itself.\n\n"
        "The command prints the norm of the code, the sum of the slacks, the primal and the dual "
        "value, and the error on these outputs: of the discrete code with its decoder, and of "
        "codes designed without the example (on at most 2048 examples). The output is an ordinary "
        "model of the machine 'designed'.",
    .examples =
        "polytomy code design m train.csv -o m2\tcross-fitted outputs of the rows of training\n"
        "polytomy code design m fresh.csv --design-folds 0 -o m2\tthe model's own outputs for new "
        "rows\n"
        "polytomy code design m train.csv --norm 1 -o m2\ta code with many zeros\n",
    .groups = "read,run",
    .parameters =
        "norm,design-form,design-C,design-bound,design-folds,design-kernel,design-sigma,design-"
        "degree,incremental,design-entries,design-search,design-outputs,costs,gap,calibrate",
    .options = OPTIONS,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = run,
};
