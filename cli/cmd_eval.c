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
static bool is_share(const char *metric)
{
    static const char *const SHARES[] = {"constraint_error", "violated_pairs", "hamming_loss",
                                         "ranking_loss",     "one_error",      "subset_accuracy",
                                         "top1_accuracy",    "top_k_accuracy", "balanced_error"};
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++)
        if (strcmp(metric, SHARES[i]) == 0)
            return true;
    return false;
}

/* *low, *high <- the interval of a figure; false: there is none. */
static bool interval_of(const pt_report *evaluation, const char *figure, double *low, double *high)
{
    char name[64];
    snprintf(name, sizeof name, "%s_interval", figure);
    if (!pt_report_find(evaluation, name))
        return false;
    *low = pt_report_number_at(evaluation, name, 0, 0, 0);
    *high = pt_report_number_at(evaluation, name, 1, 0, 0);
    return true;
}

/* " [1.20, 3.40]", of a percentage. */
static void print_interval(const pt_report *evaluation, const char *figure)
{
    double low = 0;
    double high = 0;
    if (interval_of(evaluation, figure, &low, &high))
        printf(" [%.2f, %.2f]", 100 * low, 100 * high);
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
        const bool share = is_share(metric);
        put_words(metric, 18);
        printf(share ? "%8.2f %%" : "%8.4f", share ? 100 * value : value);
        if (interval_of(evaluation, metric, &low, &high) && share)
            printf("  [%.2f, %.2f]", 100 * low, 100 * high);
        else if (interval_of(evaluation, metric, &low, &high))
            printf("    [%.4f, %.4f]", low, high);
        putchar('\n');
    }
}

/* The same as members of an object: "hamming_loss", ... */
static void put_metrics(json_t *object, const pt_report *evaluation)
{
    for (int64_t m = 0; m < pt_report_length(evaluation, "metric"); m++) {
        const char *metric = pt_report_text_at(evaluation, "metric", m, 0, 0);
        json_object_set_new(object, metric, cli_json_real(pt_report_number(evaluation, metric)));
    }
}

static const cli_option OPTIONS[] = {
    {"confusion", 0, NULL, "the whole confusion matrix, for any number of classes"},
    {"rounds", 0, "T", "of the model as if boosting had ended after T rounds"},
    {"stages", 0, "LIST",
     "error by round after these rounds, as in 1,10,100; some twenty if left out"},
    {NULL, 0, NULL, NULL},
};

enum { MATRIX_CLASSES = 15, PAIRS = 15, CLASS_ROWS = 40 };

static const double QUANTILES[] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 1};
enum { N_QUANTILES = sizeof QUANTILES / sizeof *QUANTILES };

static void put_padded(const char *text, int width)
{
    for (int i = cli_text_width(text); i < width; i++)
        putchar(' ');
    cli_put_safe(stdout, text);
}

static int name_width(const pt_report *evaluation)
{
    int width = 5;
    for (int64_t r = 0; r < pt_report_length(evaluation, "class"); r++) {
        const int this_width = cli_text_width(pt_report_text_at(evaluation, "class", r, 0, 0));
        width = this_width > width ? this_width : width;
    }
    return width < 30 ? width : 30;
}

/* What is compared with: the whole, or where that is too large a stream that has ended. */
typedef struct eval_source {
    pt_dataset *data;
    pt_prediction_stream *stream;
} eval_source;

static bool of_kind(const pt_report *evaluation, const char *kind)
{
    return strcmp(pt_report_text(evaluation, "labels"), kind) == 0;
}

static void put_percent(double fraction, int width)
{
    if (isnan(fraction))
        printf("  %*s", width, "-");
    else
        printf("  %*.2f", width, 100 * fraction);
}

static void print_classes(const cli_context *context, const pt_report *evaluation)
{
    const int64_t k = pt_report_length(evaluation, "class");
    const int64_t shown = k <= CLASS_ROWS || context->verbose ? k : CLASS_ROWS;
    const int width = name_width(evaluation);
    const bool f1 = of_kind(evaluation, "set");
    putchar('\n');
    put_padded("class", width);
    printf("      rows  recall %%  precision %%%s\n", f1 ? "      F1" : "");
    for (int64_t r = 0; r < shown; r++) {
        put_padded(pt_report_text_at(evaluation, "class", r, 0, 0), width);
        printf("  %8lld", (long long)pt_report_integer_at(evaluation, "count", r, 0, 0));
        put_percent(pt_report_number_at(evaluation, "recall", r, 0, 0), 8);
        put_percent(pt_report_number_at(evaluation, "precision", r, 0, 0), 11);
        if (f1)
            printf("  %6.4f", pt_report_number_at(evaluation, "f1", r, 0, 0));
        putchar('\n');
    }
    if (shown < k)
        printf("... and %lld more class%s (-v shows all)\n", (long long)(k - shown),
               k - shown == 1 ? "" : "es");
}

static void print_matrix(const pt_report *evaluation)
{
    const int64_t k = pt_report_length(evaluation, "class");
    const int width = name_width(evaluation);
    int cell = 6;
    for (int64_t r = 0; r < k; r++) {
        const int needed = cli_text_width(pt_report_text_at(evaluation, "class", r, 0, 0));
        cell = needed > cell && needed <= 12 ? needed : cell;
    }
    printf("\nconfusion (row: true class, column: predicted)\n");
    put_padded("", width);
    for (int64_t r = 0; r < k; r++) {
        const char *text = pt_report_text_at(evaluation, "class", r, 0, 0);
        char name[64]; /* 12 characters at most */
        snprintf(name, sizeof name, "%.*s", cli_text_cut(text, cell), text);
        putchar(' ');
        put_padded(name, cell);
    }
    putchar('\n');
    for (int64_t truth = 0; truth < k; truth++) {
        put_padded(pt_report_text_at(evaluation, "class", truth, 0, 0), width);
        for (int64_t r = 0; r < k; r++) {
            const int64_t count = pt_report_integer_at(evaluation, "confusion", truth, r, 0);
            if (count)
                printf(" %*lld", cell, (long long)count);
            else
                printf(" %*s", cell, ".");
        }
        putchar('\n');
    }
}

typedef struct confused {
    int64_t count;
    int64_t truth;
    int64_t predicted;
} confused;

/* More confused first, then in the order of the classes. */
static bool comes_before(const confused *a, const confused *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    return a->truth != b->truth ? a->truth < b->truth : a->predicted < b->predicted;
}

/* The PAIRS most confused pairs of classes; returns how many there are. Only the n_known classes of
 * the model are predicted. */
static int most_confused(const pt_report *evaluation, int64_t n_known, confused *best)
{
    const int64_t k = pt_report_length(evaluation, "class");
    int n = 0;
    for (int64_t truth = 0; truth < k; truth++)
        for (int64_t r = 0; r < n_known; r++) {
            const confused pair = {pt_report_integer_at(evaluation, "confusion", truth, r, 0),
                                   truth, r};
            if (truth == r || pair.count == 0 || (n == PAIRS && !comes_before(&pair, &best[n - 1])))
                continue;
            int at = n < PAIRS ? n++ : n - 1;
            for (; at > 0 && comes_before(&pair, &best[at - 1]); at--)
                best[at] = best[at - 1];
            best[at] = pair;
        }
    return n;
}

static void print_pairs(const pt_report *evaluation, int64_t n_known)
{
    confused best[PAIRS];
    const int n = most_confused(evaluation, n_known, best);
    if (n == 0)
        return;
    printf("\nmost confused (--confusion shows the whole matrix)\n");
    const int width = name_width(evaluation);
    for (int i = 0; i < n; i++) {
        put_padded(pt_report_text_at(evaluation, "class", best[i].truth, 0, 0), width);
        printf(" taken for ");
        cli_put_safe(stdout, pt_report_text_at(evaluation, "class", best[i].predicted, 0, 0));
        printf(": %lld\n", (long long)best[i].count);
    }
}

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

/* What the evaluation says, and rows that name a class the model never saw, which it never says. */
static void warn(cli_context *context, const pt_report *evaluation)
{
    (void)cli_tell_warnings(context, evaluation, 0);
    const int64_t rows = pt_report_integer(evaluation, "n_unknown");
    if (rows > 0 && of_kind(evaluation, "class"))
        cli_warn(context, "classes",
                 "%lld row%s a class that training never saw; %s as wrong, and not in the log loss "
                 "and the Brier score",
                 (long long)rows, rows == 1 ? " has" : "s have",
                 rows == 1 ? "it counts" : "they count");
    else if (rows > 0)
        cli_warn(context, "classes",
                 "%lld row%s classes that training never saw; these come last in every order and "
                 "are in no set",
                 (long long)rows, rows == 1 ? " names" : "s name");
}

/* ", log loss 0.31 [0.29, 0.33]" */
static void print_estimate(const pt_report *evaluation, const char *words, const char *name)
{
    double low = 0;
    double high = 0;
    if (!pt_report_find(evaluation, name))
        return;
    printf(", %s %.4g", words, pt_report_number(evaluation, name));
    if (interval_of(evaluation, name, &low, &high))
        printf(" [%.4g, %.4g]", low, high);
}

/* How true the probabilities are, each figure with its interval. */
static void print_probabilities(const pt_report *evaluation)
{
    if (!pt_report_find(evaluation, "calibration_error"))
        return;
    printf("probabilities: calibration error %.2f %%",
           100 * pt_report_number(evaluation, "calibration_error"));
    print_interval(evaluation, "calibration_error");
    print_estimate(evaluation, "log loss", "log_loss");
    print_estimate(evaluation, "Brier score", "brier");
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
    const int64_t n = pt_report_integer(evaluation, "n_examples");
    const double error = pt_report_number(evaluation, "error");
    const double expected = pt_report_number(evaluation, "expected_error");
    if (source->data)
        cli_print_data(context, stdout, context->arguments[1], source->data);
    else
        print_stream(context, source->stream);
    printf("error: %.2f %%", 100 * error);
    print_interval(evaluation, "error");
    printf(" (%.0f of %lld)\n", error * (double)n, (long long)n);
    if (expected != error && !isnan(expected)) {
        printf("expected error, ties at random: %.2f %%", 100 * expected);
        print_interval(evaluation, "expected_error");
        putchar('\n');
    }
    if (context->quiet)
        return;
    print_probabilities(evaluation);
    print_metrics(evaluation);
    if (of_kind(evaluation, "class") || of_kind(evaluation, "set"))
        print_classes(context, evaluation);
    eval_decisions_print(context, evaluation);
    if (!of_kind(evaluation, "class"))
        return;
    if (pt_report_length(evaluation, "class") <= MATRIX_CLASSES || cli_value(context, "confusion"))
        print_matrix(evaluation);
    else
        print_pairs(evaluation, pt_model_n_classes(model));
    print_margins(evaluation);
    eval_code_print(evaluation, context->verbose);
    eval_rounds_print(model, evaluation);
}

static json_t *json_per_class(const pt_report *evaluation)
{
    json_t *rows = json_array();
    for (int64_t r = 0; r < pt_report_length(evaluation, "class"); r++) {
        json_t *row = json_object();
        json_object_set_new(row, "class",
                            cli_json_text(pt_report_text_at(evaluation, "class", r, 0, 0)));
        json_object_set_new(row, "n",
                            json_integer(pt_report_integer_at(evaluation, "count", r, 0, 0)));
        json_object_set_new(row, "recall",
                            cli_json_real(pt_report_number_at(evaluation, "recall", r, 0, 0)));
        json_object_set_new(row, "precision",
                            cli_json_real(pt_report_number_at(evaluation, "precision", r, 0, 0)));
        json_object_set_new(row, "f1",
                            cli_json_real(pt_report_number_at(evaluation, "f1", r, 0, 0)));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *json_confusion(const pt_report *evaluation)
{
    const int64_t k = pt_report_length(evaluation, "class");
    json_t *rows = json_array();
    for (int64_t truth = 0; truth < k; truth++) {
        json_t *row = json_array();
        for (int64_t r = 0; r < k; r++)
            json_array_append_new(
                row, json_integer(pt_report_integer_at(evaluation, "confusion", truth, r, 0)));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* [true class, predicted class, count] of every pair that occurs. */
static json_t *json_confusion_pairs(const pt_report *evaluation, int64_t n_known)
{
    const int64_t k = pt_report_length(evaluation, "class");
    json_t *rows = json_array();
    for (int64_t truth = 0; truth < k; truth++)
        for (int64_t r = 0; r < n_known; r++) {
            const int64_t count = pt_report_integer_at(evaluation, "confusion", truth, r, 0);
            if (count)
                json_array_append_new(
                    rows,
                    json_pack("[ooI]",
                              cli_json_text(pt_report_text_at(evaluation, "class", truth, 0, 0)),
                              cli_json_text(pt_report_text_at(evaluation, "class", r, 0, 0)),
                              (json_int_t)count));
        }
    return rows;
}

enum { JSON_MATRIX_CLASSES = 200 }; /* beyond, a matrix is mostly zeros */

/* What only classes have. */
static void json_classes(const cli_context *context, const pt_model *model,
                         const pt_report *evaluation, json_t *object)
{
    json_object_set_new(object, "expected_error",
                        cli_json_real(pt_report_number(evaluation, "expected_error")));
    if (pt_report_length(evaluation, "class") <= JSON_MATRIX_CLASSES ||
        cli_value(context, "confusion"))
        json_object_set_new(object, "confusion", json_confusion(evaluation));
    else
        json_object_set_new(object, "confusion_pairs",
                            json_confusion_pairs(evaluation, pt_model_n_classes(model)));
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

/* How true probabilities are. */
static void json_probabilities(const pt_report *evaluation, json_t *object)
{
    static const char *const NAMES[] = {"calibration_error", "log_loss", "brier"};
    for (int f = 0; f < 3; f++)
        json_object_set_new(object, NAMES[f],
                            cli_json_real(pt_report_number(evaluation, NAMES[f])));
}

static void put_interval(json_t *intervals, const pt_report *evaluation, const char *figure)
{
    double low = 0;
    double high = 0;
    if (interval_of(evaluation, figure, &low, &high))
        json_object_set_new(intervals, figure,
                            json_pack("[oo]", cli_json_real(low), cli_json_real(high)));
}

/* "log_loss": [low, high], of every figure that has an interval. */
static json_t *json_intervals(const pt_report *evaluation)
{
    static const char *const NAMES[] = {"error", "expected_error", "calibration_error", "log_loss",
                                        "brier"};
    json_t *intervals = json_object();
    for (size_t f = 0; f < sizeof NAMES / sizeof *NAMES; f++)
        put_interval(intervals, evaluation, NAMES[f]);
    for (int64_t m = 0; m < pt_report_length(evaluation, "metric"); m++)
        put_interval(intervals, evaluation, pt_report_text_at(evaluation, "metric", m, 0, 0));
    return intervals;
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
    const bool by_class = of_kind(evaluation, "class");
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
    put_metrics(object, evaluation);
    json_t *decisions = eval_decisions_json(evaluation);
    if (decisions)
        json_object_set_new(object, "decisions", decisions);
    json_object_set_new(object, "intervals", json_intervals(evaluation));
    json_object_set_new(object, "n_draws", json_integer(pt_report_integer(evaluation, "n_draws")));
    if (by_class || of_kind(evaluation, "set")) {
        json_probabilities(evaluation, object);
        json_object_set_new(object, "per_class", json_per_class(evaluation));
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
        !of_kind(*evaluation, "class"))
        code = cli_usage(context, "--confusion: labels of kind '%s' have no confusion matrix",
                         pt_report_text(*evaluation, "labels"));
    if (code == CLI_DONE && status == PT_OK && diagnosed)
        status = pt_evaluate_columns(*evaluation, model, data, context->task, &err);
    *too_large = *too_large || cli_is_too_large(context, context->arguments[1], status);
    if (status != PT_OK)
        return *too_large ? CLI_FAILED : cli_fail(context, &err, CLI_FAILED);
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
                                  rounds, context->task, &err) != PT_OK ||
        pt_prediction_stream_evaluate(evaluation, source->stream, model, context->params, &err) !=
            PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
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
        warn(context, evaluation);
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
