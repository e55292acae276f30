/* What eval and train --test print of an evaluation, and put into JSON: how good a machine is on
 * rows whose labels are known. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MATRIX_CLASSES = 15, PAIRS = 15, CLASS_ROWS = 40 };
enum { JSON_MATRIX_CLASSES = 200 }; /* beyond, a matrix is mostly zeros */

/* *low, *high <- the interval of a figure; false: there is none. */
bool cli_interval_of(const pt_report *evaluation, const char *figure, double *low, double *high)
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
void cli_print_interval(const pt_report *evaluation, const char *figure)
{
    double low = 0;
    double high = 0;
    if (cli_interval_of(evaluation, figure, &low, &high))
        printf(" [%.2f, %.2f]", 100 * low, 100 * high);
}

void cli_print_error(const char *what, const pt_report *evaluation)
{
    const int64_t n = pt_report_integer(evaluation, "n_examples");
    const double error = pt_report_number(evaluation, "error");
    printf("%s: %.2f %%", what, 100 * error);
    cli_print_interval(evaluation, "error");
    printf(" (%.0f of %lld)\n", error * (double)n, (long long)n);
}

bool cli_of_kind(const pt_report *evaluation, const char *kind)
{
    return strcmp(pt_report_text(evaluation, "labels"), kind) == 0;
}

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

static void put_percent(double fraction, int width)
{
    if (isnan(fraction))
        printf("  %*s", width, "-");
    else
        printf("  %*.2f", width, 100 * fraction);
}

void cli_print_classes(const cli_context *context, const pt_report *evaluation)
{
    const int64_t k = pt_report_length(evaluation, "class");
    const int64_t shown = k <= CLASS_ROWS || context->verbose ? k : CLASS_ROWS;
    const int width = name_width(evaluation);
    const bool f1 = cli_of_kind(evaluation, "set");
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
    const pt_item *confusion = pt_report_find(evaluation, "confusion");
    const int64_t *count = confusion->values; /* looked up once: there may be millions */
    int n = 0;
    for (int64_t truth = 0; truth < confusion->length[0]; truth++)
        for (int64_t r = 0; r < n_known; r++) {
            const confused pair = {count[truth * confusion->length[1] + r], truth, r};
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

/* What the evaluation says, and rows that name a class the model never saw, which it never says. */
void cli_warn_of_evaluation(cli_context *context, const pt_report *evaluation)
{
    (void)cli_tell_warnings(context, evaluation, 0);
    const int64_t rows = pt_report_integer(evaluation, "n_unknown");
    if (rows > 0 && cli_of_kind(evaluation, "class"))
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
    if (cli_interval_of(evaluation, name, &low, &high))
        printf(" [%.4g, %.4g]", low, high);
}

/* How true the probabilities are, each figure with its interval. */
void cli_print_probabilities(const pt_report *evaluation)
{
    if (!pt_report_find(evaluation, "calibration_error"))
        return;
    printf("probabilities: calibration error %.2f %%",
           100 * pt_report_number(evaluation, "calibration_error"));
    cli_print_interval(evaluation, "calibration_error");
    print_estimate(evaluation, "log loss", "log_loss");
    print_estimate(evaluation, "Brier score", "brier");
    putchar('\n');
}

json_t *cli_json_per_class(const pt_report *evaluation)
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

/* How true probabilities are. */
void cli_json_probabilities(const pt_report *evaluation, json_t *object)
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
    if (cli_interval_of(evaluation, figure, &low, &high))
        json_object_set_new(intervals, figure,
                            json_pack("[oo]", cli_json_real(low), cli_json_real(high)));
}

/* "log_loss": [low, high], of every figure that has an interval. */
json_t *cli_json_intervals(const pt_report *evaluation)
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

/* The same as members of an object: "hamming_loss", ... */
void cli_json_metrics(json_t *object, const pt_report *evaluation)
{
    for (int64_t m = 0; m < pt_report_length(evaluation, "metric"); m++) {
        const char *metric = pt_report_text_at(evaluation, "metric", m, 0, 0);
        json_object_set_new(object, metric, cli_json_real(pt_report_number(evaluation, metric)));
    }
}

void cli_print_confusion(const pt_report *evaluation, int64_t n_known, bool whole)
{
    if (whole || pt_report_length(evaluation, "class") <= MATRIX_CLASSES)
        print_matrix(evaluation);
    else
        print_pairs(evaluation, n_known);
}

void cli_json_confusion(json_t *object, const pt_report *evaluation, int64_t n_known, bool whole)
{
    if (whole || pt_report_length(evaluation, "class") <= JSON_MATRIX_CLASSES)
        json_object_set_new(object, "confusion", json_confusion(evaluation));
    else
        json_object_set_new(object, "confusion_pairs", json_confusion_pairs(evaluation, n_known));
}
