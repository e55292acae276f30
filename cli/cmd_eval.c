/* polytomy eval: how good a model is on a labelled file. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- metrics: names and values from the library's table -------------------------------------- */

/* "hamming loss" */
static void put_words(const char *name, int width)
{
    char words[40];
    snprintf(words, sizeof words, "%s", name);
    for (char *c = words; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    printf("  %-*s", width, words);
}

/* Fractions that count errors are percents, as the error itself; scores are numbers up to 1. */
bool cli_is_share(const char *metric)
{
    static const char *const SHARES[] = {
        "error",     "constraint_error", "violated_pairs", "hamming_loss",   "ranking_loss",
        "one_error", "subset_accuracy",  "top1_accuracy",  "top_k_accuracy", "balanced_error"};
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++)
        if (strcmp(metric, SHARES[i]) == 0)
            return true;
    return false;
}

/* Of classes these say the same as the error. */
static bool says_error(const char *metric)
{
    return strcmp(metric, "constraint_error") == 0 || strcmp(metric, "top1_accuracy") == 0 ||
           strcmp(metric, "micro_f1") == 0 || strcmp(metric, "balanced_error") == 0;
}

/* All metrics that the labels have but the error, one a line, with their intervals. */
static void print_metrics(const pt_report *evaluation)
{
    const bool by_class = strcmp(pt_report_text(evaluation, "labels"), "class") == 0;
    printf("\nmetrics ('polytomy help eval' says what they are)\n");
    for (int64_t m = 0; m < pt_report_length(evaluation, "metric"); m++) {
        const char *metric = pt_report_text_at(evaluation, "metric", m, 0, 0);
        const double value = pt_report_number(evaluation, metric);
        double low = 0;
        double high = 0;
        if (by_class && says_error(metric))
            continue;
        const bool share = cli_is_share(metric);
        put_words(metric, 18);
        printf(share ? "%8.2f %%" : "%8.4f", share ? 100 * value : value);
        if (cli_interval_of(evaluation, metric, &low, &high) && share)
            printf("  [%.2f, %.2f]", 100 * low, 100 * high);
        else if (cli_interval_of(evaluation, metric, &low, &high))
            printf("    [%.4f, %.4f]", low, high);
        putchar('\n');
    }
}

static const cli_option OPTIONS[] = {
    {"confusion", 0, NULL, "the whole confusion matrix, for any number of classes"},
    {"rounds", 0, "T", "of the model as if boosting had ended after T rounds"},
    {"stages", 0, "LIST",
     "error by round after these rounds, as in 1,10,100; some twenty if left out"},
    {NULL, 0, NULL, NULL},
};

static const double QUANTILES[] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 1};
enum { N_QUANTILES = sizeof QUANTILES / sizeof *QUANTILES };

/* What is compared with: the whole, or where that is too large a stream that has ended. */
typedef struct eval_source {
    pt_dataset *data;
    pt_prediction_stream *stream;
} eval_source;

static void print_margins(const pt_report *evaluation)
{
    if (isnan(pt_report_number_at(evaluation, "margin", 3, 0, 0)))
        return;
    printf("\nmargin (true class minus best other), by quantile\n");
    for (int i = 0; i < N_QUANTILES; i++)
        printf("%9.0f %%", 100 * QUANTILES[i]);
    putchar('\n');
    for (int i = 0; i < N_QUANTILES; i++)
        printf("%11.4g", pt_report_number_at(evaluation, "margin", i, 0, 0));
    putchar('\n');
}

/* "test.csv: 150 rows, 4 columns, label: class", of a file that was read part by part. */
static void print_stream(const cli_context *context, const pt_prediction_stream *stream)
{
    if (context->quiet)
        return;
    pt_report *file = cli_about_stream(stream);
    const char *label = pt_report_text(file, "label_name");
    cli_put_safe(stdout, context->arguments[1]);
    printf(": %lld rows, %lld columns", (long long)pt_report_integer(file, "n_examples"),
           (long long)pt_report_integer(file, "n_features"));
    if (label) {
        fputs(", label: ", stdout);
        cli_put_safe(stdout, label);
    } else {
        printf(", label: column %lld", (long long)pt_report_integer(file, "label_column"));
    }
    putchar('\n');
    pt_report_free(file);
}

static void print_text(const cli_context *context, const pt_model *model,
                       const pt_report *evaluation, const eval_source *source)
{
    const double error = pt_report_number(evaluation, "error");
    const double expected = pt_report_number(evaluation, "expected_error");
    if (source->data)
        cli_print_data(context, stdout, context->arguments[1], source->data);
    else
        print_stream(context, source->stream);
    cli_print_error("error", evaluation);
    if (expected != error && !isnan(expected)) {
        printf("expected error, ties at random: %.2f %%", 100 * expected);
        cli_print_interval(evaluation, "expected_error");
        putchar('\n');
    }
    if (context->quiet)
        return;
    cli_print_probabilities(evaluation);
    print_metrics(evaluation);
    if (cli_of_kind(evaluation, "class") || cli_of_kind(evaluation, "set"))
        cli_print_classes(context, evaluation);
    eval_decisions_print(context, evaluation);
    if (!cli_of_kind(evaluation, "class"))
        return;
    cli_print_confusion(evaluation, pt_model_n_classes(model), cli_value(context, "confusion"));
    print_margins(evaluation);
    eval_code_print(evaluation, context->verbose);
    eval_rounds_print(model, evaluation);
}

/* What only classes have. */
static void json_classes(const cli_context *context, const pt_model *model,
                         const pt_report *evaluation, json_t *object)
{
    json_object_set_new(object, "expected_error",
                        cli_json_real(pt_report_number(evaluation, "expected_error")));
    cli_json_confusion(object, evaluation, pt_model_n_classes(model),
                       cli_value(context, "confusion"));
    json_t *margins = json_array();
    for (int i = 0; i < N_QUANTILES; i++)
        json_array_append_new(
            margins, json_pack("{sfso}", "quantile", QUANTILES[i], "margin",
                               cli_json_real(pt_report_number_at(evaluation, "margin", i, 0, 0))));
    json_object_set_new(object, "margins", margins);
    if (pt_report_integer(evaluation, "n_columns") > 0)
        json_object_set_new(object, "code", eval_code_json(evaluation));
    if (pt_report_length(evaluation, "stage_rounds") > 0)
        json_object_set_new(object, "rounds", eval_rounds_json(model, evaluation));
}

/* As cli_json_data; the classes are those that the evaluation names. */
static json_t *json_stream(const pt_prediction_stream *stream, const pt_report *evaluation)
{
    json_t *object = json_object();
    json_t *classes = json_array();
    pt_report *file = cli_about_stream(stream);
    const char *label = pt_report_text(file, "label_name");
    for (int64_t r = 0; r < pt_report_length(evaluation, "class"); r++)
        if (pt_report_integer_at(evaluation, "count", r, 0, 0) > 0)
            json_array_append_new(classes,
                                  cli_json_text(pt_report_text_at(evaluation, "class", r, 0, 0)));
    json_object_set_new(object, "n", json_integer(pt_report_integer(file, "n_examples")));
    json_object_set_new(object, "d", json_integer(pt_report_integer(file, "n_features")));
    json_object_set_new(object, "classes", classes);
    json_object_set_new(object, "label",
                        label ? cli_json_text(label)
                              : json_integer(pt_report_integer(file, "label_column")));
    pt_report_free(file);
    return object;
}

static int print_json(const cli_context *context, const pt_model *model,
                      const pt_report *evaluation, const eval_source *source)
{
    const bool by_class = cli_of_kind(evaluation, "class");
    json_t *object = cli_json_object(context, model, context->params);
    json_object_set_new(object, "data",
                        source->data ? cli_json_data(source->data)
                                     : json_stream(source->stream, evaluation));
    json_object_set_new(object, "n_labelled",
                        json_integer(pt_report_integer(evaluation, "n_examples")));
    json_object_set_new(object, "error", cli_json_real(pt_report_number(evaluation, "error")));
    json_object_set_new(object, "labels", json_string(pt_report_text(evaluation, "labels")));
    json_object_set_new(object, "n_unknown",
                        json_integer(pt_report_integer(evaluation, "n_unknown")));
    json_object_set_new(object, "n_unlabelled",
                        json_integer(pt_report_integer(evaluation, "n_unlabelled")));
    cli_json_metrics(object, evaluation);
    json_t *decisions = eval_decisions_json(evaluation);
    if (decisions)
        json_object_set_new(object, "decisions", decisions);
    json_object_set_new(object, "intervals", cli_json_intervals(evaluation));
    json_object_set_new(object, "n_draws", json_integer(pt_report_integer(evaluation, "n_draws")));
    if (by_class || cli_of_kind(evaluation, "set")) {
        cli_json_probabilities(evaluation, object);
        json_object_set_new(object, "per_class", cli_json_per_class(evaluation));
    }
    if (by_class)
        json_classes(context, model, evaluation, object);
    return cli_json_print(context, object);
}

static int follow(const cli_context *context, const pt_model *model, const pt_dataset *data,
                  pt_report *evaluation)
{
    int64_t last = -1;
    const int code = cli_rounds(context, model, &last);
    return code == CLI_DONE ? eval_rounds_follow(context, model, data, last, evaluation) : code;
}

/* What is wrong with the options is wrong use; what is wrong with the file is not. */
static int fail_evaluation(const cli_context *context, const pt_error *err)
{
    return *err->file ? cli_fail(context, err, CLI_FAILED) : cli_fail_status(context, err);
}

/* The whole file at once: what machines with codes and rounds have to say needs all rows. */
static int evaluate_whole(cli_context *context, const pt_model *model, eval_source *source,
                          pt_report **evaluation, bool *too_large)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *prediction = NULL;
    int code = cli_predict_file(context, model, context->arguments[1], &source->data, &prediction,
                                too_large);
    const pt_dataset *data = source->data;
    if (code == CLI_DONE && pt_dataset_n_classes(data) == 0) {
        pt_report *about = cli_about_data(data);
        code = cli_fail_text(context, context->arguments[1], "%s",
                             pt_report_integer(about, "label_column") > 0
                                 ? "no row has a label to compare with"
                                 : "it has no labels to compare with; name the column with "
                                   "--label");
        pt_report_free(about);
    }
    pt_status status = PT_OK;
    if (code == CLI_DONE)
        status =
            pt_model_evaluate(evaluation, model, data, prediction, context->params, NULL, &err);
    pt_prediction_free(prediction); /* what follows needs the room */
    const bool diagnosed = !context->quiet || context->json;
    if (code == CLI_DONE && status == PT_OK && cli_value(context, "confusion") &&
        !cli_of_kind(*evaluation, "class"))
        code = cli_usage(context, "--confusion: labels of kind '%s' have no confusion matrix",
                         pt_report_text(*evaluation, "labels"));
    if (code == CLI_DONE && status == PT_OK && diagnosed)
        status = pt_evaluate_columns(*evaluation, model, data, context->task, &err);
    *too_large = *too_large || cli_is_too_large(context, context->arguments[1], status);
    if (status != PT_OK)
        return *too_large ? CLI_FAILED : fail_evaluation(context, &err);
    if (code == CLI_DONE && diagnosed)
        code = follow(context, model, data, *evaluation);
    return code;
}

/* Part by part, where the whole does not fit. */
static int evaluate_parts(cli_context *context, const pt_model *model, eval_source *source,
                          pt_report **evaluation)
{
    pt_error err = PT_ERROR_INIT;
    int64_t rounds = -1;
    const int code = cli_rounds(context, model, &rounds);
    if (code != CLI_DONE)
        return code;
    const bool told = source->data != NULL; /* what the file is like */
    pt_report_free(*evaluation);
    *evaluation = NULL;
    pt_dataset_free(source->data);
    source->data = NULL;
    if (pt_prediction_stream_open(&source->stream, model, context->arguments[1], context->params,
                                  rounds, context->task, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    if (pt_prediction_stream_evaluate(evaluation, source->stream, model, context->params, &err) !=
        PT_OK)
        return fail_evaluation(context, &err);
    pt_report *file = cli_about_stream(source->stream);
    if (!told)
        cli_hold_warnings(context, "", file);
    pt_report_free(file);
    cli_tell_held(context);
    cli_warn(context, "limit",
             "the data do not fit into --memory as a whole, and were compared part by "
             "part: without figures of the columns of a code and of rounds");
    return CLI_DONE;
}

static int run(cli_context *context)
{
    pt_model *model = NULL;
    eval_source source = {0};
    pt_report *evaluation = NULL;
    bool too_large = false;
    int code = cli_load(context, context->arguments[0], &model);
    if (code == CLI_DONE)
        code = evaluate_whole(context, model, &source, &evaluation, &too_large);
    if (too_large)
        code = evaluate_parts(context, model, &source, &evaluation);
    cli_progress_clear();
    if (code == CLI_DONE)
        cli_warn_of_evaluation(context, evaluation);
    if (code == CLI_DONE && context->json)
        code = print_json(context, model, evaluation, &source);
    else if (code == CLI_DONE)
        print_text(context, model, evaluation, &source);
    pt_report_free(evaluation);
    pt_dataset_free(source.data);
    pt_prediction_stream_close(source.stream);
    pt_model_free(model);
    return code;
}

const cli_command cli_eval = {
    .name = "eval",
    .arguments = "MODEL DATA [--confusion] [--rounds T] [--stages LIST]",
    .summary = "compare a model's predictions with the labels of a data file",
    .description =
        "Labels are of the kind that the model was trained on, unless you give --labels. Rankings "
        "and pairs are compared with the order of any model's scores, classes also with the first "
        "of a ranking; sets need a model of sets.\n\n"
        "A file of classes that does not fit into --memory is evaluated part by part, without the "
        "figures of codes and rounds; all classes that the model does not know count as one.\n\n"
        "Classes: prints the error, how true the probabilities are, Matthews' correlation, kappa, "
        "areas under ROC curves and other metrics, the mean of --costs, recall and precision of "
        "each class, the confusion matrix (the most confused pairs if there are more than 15 "
        "classes) "
        "and the quantiles of the margin, the score of the true class minus that of the best "
        "other.\n\n"
        "The calibration error is the mean distance between the probability of the predicted class "
        "and the share of such predictions that are right, over 15 bins of equal width; the log "
        "loss is the mean of -log(probability of the true class), the Brier score that of the "
        "squares of the differences from 1 for the true class and 0 for the others, added up over "
        "classes. Rows of classes that the model does not know are in neither.\n\n"
        "In brackets: intervals of 95 %, exact for shares of rows, by standard errors for the "
        "three "
        "figures of probabilities, for all others by --intervals draws of rows; where rows are in "
        "groups, all of them by draws of groups.\n\n"
        "The error counts the first of several best classes as the prediction; the expected error "
        "chooses among them at random, and is printed if it differs.\n\n"
        "Sets, rankings and pairs: the error is the share of rows whose set is not exactly the "
        "predicted one, or with a pair of classes in the wrong order. Then come the constraint "
        "error (rows with such a pair; for sets, a member after another class) and the share of "
        "such pairs. Rankings: Kendall's tau-b, Spearman's rho (means over rows, among the classes "
        "that a row ranks) and how often a best class comes first. Sets: Hamming loss, micro and "
        "macro F1, ranking loss, coverage (how many classes down to the worst member), average "
        "precision, one-error (the first class is not a member; empty sets left out), and recall, "
        "precision and F1 of each class. docs/metrics.md has all definitions.\n\n"
        "Decisions (docs/decisions.md) are judged beside the most probable class. --costs FILE: "
        "the "
        "mean cost of a row, and that of decisions of least expected cost. --reject P: how many "
        "rows are rejected, the error of the others, and a table of the error where 100, 95, 90, "
        "80, 70 and 50 % of the rows are accepted. --coverage C: how often sets hold the right "
        "class, by class too, their mean size, and how many first classes of every row cover as "
        "much.\n\n"
        "Machines that learn the columns of a code: the binary error of the worst columns (all "
        "with -v), their mean loss and the share of rows at +; the mean loss over all columns; the "
        "bounds that Allwein, Schapire and Singer derive from it, with the errors of loss-based "
        "and Hamming decoding (a bound above 100 % is vacuous); the quantiles of the decoding "
        "margin, the loss of the best other class minus that of the true one, for each column.\n\n"
        "Models learned in rounds (boosting): the errors of loss-based and Hamming decoding and of "
        "the columns after some of the rounds, --stages or up to --rounds. For adaboost-mo and "
        "adaboost-mh with --boost discrete also the share of rows whose margin (Allwein, Schapire "
        "and Singer, section 5; between -1 and 1) is at most theta, the bound of their Theorem 6 "
        "on it, which holds for the training rows, what its proof says of the given rows, and the "
        "figure of Theorem 3 for the error on new rows, whose unknown constant is omitted: it "
        "shows how that bound changes, not its value.",
    .examples = "polytomy eval iris.model test.csv\n"
                "polytomy eval iris.model test.csv --json\tall figures for a program\n"
                "polytomy eval tags.model test.csv\tlabels of the model's kind: sets, rankings\n"
                "polytomy eval boosted.model test.csv --stages 1,10,100\terror by round\n",
    .groups = "decide,read,evaluate,run",
    .parameters = "costs,top-k",
    .options = OPTIONS,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = run,
};
