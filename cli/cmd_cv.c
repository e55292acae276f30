/* polytomy cv: cross-validated error, of one machine or over a grid of parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"output", 'o', "MODEL", "train the best point on all rows and write the model"},
    {"predictions", 0, "FILE",
     "CSV of the held-out label and scores of every row, by the best point of one machine"},
    {"confusion", 0, NULL, "the whole confusion matrix, for any number of classes"},
    {NULL, 0, NULL, NULL},
};

enum { MATRIX_COLUMNS = 12, BEST_POINTS = 10 };

/* "3.20 % (+- 0.41)"; the standard error over the folds of the best point alone. */
static void print_spread(const pt_report *search, int64_t point, bool is_best)
{
    const cli_spread s = cli_point_spread(search, point);
    const bool other = cli_by_metric(search);
    if (isnan(s.mean)) {
        printf("no answer");
        return;
    }
    printf("%.*f%s", s.digits, s.mean, other ? "" : " %");
    const double away = pt_report_number_at(search, "value_standard_error", point, 0, 0);
    if (is_best && !isnan(away))
        printf(" (+- %.*f)", s.digits, (other ? 1 : 100) * away);
    if (pt_report_integer(search, "n_repeats") > 1)
        printf(" [%.*f, %.*f]", s.digits, s.best, s.digits, s.worst);
    if (other)
        printf(", error %.2f %%", 100 * pt_report_number_at(search, "error", point, 0, 0));
}

/* "error: 33.18 % [32.1, 34.0]" of nested folds; "macro f1: 0.6121, error 33.18 %". */
static void print_nested(const pt_report *search)
{
    const bool repeated = pt_report_integer(search, "n_repeats") > 1;
    const cli_spread value = cli_nested_value(search);
    const cli_spread s = cli_nested_spread(search);
    if (cli_by_metric(search) && !isnan(value.mean)) {
        char words[40];
        printf("%s: %.*f", cli_metric_words(search, words, sizeof words), value.digits, value.mean);
        if (repeated)
            printf(" [%.*f, %.*f]", value.digits, value.best, value.digits, value.worst);
        printf(", error ");
    } else {
        printf("error: ");
    }
    printf("%.*f %%", s.digits, s.mean);
    if (repeated)
        printf(" [%.*f, %.*f]", s.digits, s.best, s.digits, s.worst);
}

/* The distinct values of an axis, in the order in which they come. Returns how many. */
static int64_t axis_values(const pt_report *search, int64_t axis, const char **values)
{
    int64_t n = 0;
    for (int64_t p = 0; p < pt_report_integer(search, "n_points"); p++) {
        const char *value = pt_report_text_at(search, "point", p, axis, 0);
        int64_t at = 0;
        while (at < n && strcmp(values[at], value) != 0)
            at++;
        if (at == n)
            values[n++] = value;
    }
    return n;
}

static int64_t find_point(const pt_report *search, const char *row, const char *column)
{
    for (int64_t p = 0; p < pt_report_integer(search, "n_points"); p++)
        if (strcmp(pt_report_text_at(search, "point", p, 0, 0), row) == 0 &&
            strcmp(pt_report_text_at(search, "point", p, 1, 0), column) == 0)
            return p;
    return -1;
}

static void print_matrix_row(const pt_report *search, const char *row, const char *const *columns,
                             int64_t n_columns)
{
    char value[64];
    cli_short_value(value, sizeof value, row);
    printf("%10s", value);
    for (int64_t c = 0; c < n_columns; c++) {
        const int64_t point = find_point(search, row, columns[c]);
        const cli_spread s = cli_point_spread(search, point < 0 ? 0 : point);
        if (point < 0)
            printf("         ");
        else if (isnan(s.mean))
            printf("       - ");
        else
            printf(" %7.*f%c", s.digits, s.mean,
                   point == pt_report_integer(search, "best") ? '*' : ' ');
    }
    putchar('\n');
}

/* Two axes as a matrix of errors; false where it would not fit on a screen. */
static bool print_matrix(const pt_report *search)
{
    if (pt_report_length(search, "axis") != 2 || pt_report_integer(search, "n_points") < 4)
        return false;
    const char **rows = cli_alloc(pt_report_integer(search, "n_points"), sizeof *rows);
    const char **columns = cli_alloc(pt_report_integer(search, "n_points"), sizeof *columns);
    const int64_t n_rows = axis_values(search, 0, rows);
    const int64_t n_columns = axis_values(search, 1, columns);
    const bool fits = n_columns <= MATRIX_COLUMNS && n_rows <= 50;
    if (fits) {
        char words[40];
        printf("\n%s; down: %s, across: %s; * is the best\n",
               cli_by_metric(search) ? cli_metric_words(search, words, sizeof words)
                                     : "error in percent",
               pt_report_text_at(search, "axis", 0, 0, 0),
               pt_report_text_at(search, "axis", 1, 0, 0));
        printf("%10s", "");
        for (int64_t c = 0; c < n_columns; c++) {
            char value[64];
            cli_short_value(value, sizeof value, columns[c]);
            printf(" %7s ", value);
        }
        putchar('\n');
        for (int64_t r = 0; r < n_rows; r++)
            print_matrix_row(search, rows[r], columns, n_columns);
    }
    free(rows);
    free(columns);
    return fits;
}

/* The best points, best first; equal ones in the order of the grid, the chosen one before all. */
static void print_best_points(const pt_report *search)
{
    const int64_t n = pt_report_integer(search, "n_points");
    bool *told = cli_alloc(n, sizeof *told);
    printf("\n%s\n", n > BEST_POINTS ? "the ten best points" : "all points");
    int64_t next = pt_report_integer(search, "best");
    for (int i = 0; i < BEST_POINTS && next >= 0; i++) {
        told[next] = true;
        printf("  ");
        cli_print_point(stdout, search, next);
        printf(": ");
        print_spread(search, next, false);
        putchar('\n');
        next = -1;
        for (int64_t p = 0; p < n; p++)
            if (!told[p] && (next < 0 || cli_is_better(search, p, search, next)))
                next = p;
    }
    free(told);
}

/* "10 folds, stratified, 3 repetitions, 81 grid points; closed form" */
static void print_protocol(const pt_report *search, const pt_dataset *data, const pt_params *best)
{
    cli_print_folds(stdout, search, best, data);
    if (pt_report_length(search, "axis") > 0)
        printf(", %lld grid point%s", (long long)pt_report_integer(search, "n_points"),
               pt_report_integer(search, "n_points") == 1 ? "" : "s");
    printf("; %s%s\n", pt_report_text(search, "method"), cli_scaling(best));
}

/* What the held-out scores of the best point say, class by class. */
static void print_evaluation(const cli_context *context, const pt_report *evaluation)
{
    if (!cli_of_kind(evaluation, "class") && !cli_of_kind(evaluation, "set"))
        return; /* orders have their metrics above */
    cli_print_probabilities(evaluation);
    cli_print_classes(context, evaluation);
    if (cli_of_kind(evaluation, "class"))
        cli_print_confusion(evaluation, pt_report_find(evaluation, "confusion")->length[1],
                            cli_value(context, "confusion"));
    putchar('\n');
}

static void print_text(const cli_context *context, const pt_report *search, const pt_dataset *data,
                       const pt_params *best_params, const pt_report *evaluation)
{
    const int64_t best = pt_report_integer(search, "best");
    if (!context->quiet) {
        cli_print_data(context, stdout, context->arguments[0], data);
        print_protocol(search, data, best_params);
        cli_print_guess(stdout, data);
        if (pt_report_length(search, "axis") > 0 && !print_matrix(search))
            print_best_points(search);
        if (pt_report_length(search, "axis") > 0)
            putchar('\n');
        else
            cli_print_machine(stdout, NULL, best_params);
    }
    const bool nested = cli_is_nested(search);
    if (nested) {
        print_nested(search);
        printf("%s\n",
               context->quiet ? "" : ", by nested folds: parameters chosen anew without each");
    }
    if (nested && context->quiet)
        return;
    if (pt_report_length(search, "axis") > 0) {
        printf("best: ");
        cli_print_point(stdout, search, best);
        printf(": ");
    }
    if (cli_by_metric(search)) {
        char words[40];
        printf("%s%s", cli_metric_words(search, words, sizeof words),
               pt_report_length(search, "axis") > 0 ? " "
               : nested                             ? " of parameters chosen on the same rows: "
                                                    : ": ");
    } else if (pt_report_length(search, "axis") == 0) {
        printf("error%s: ", nested ? " of parameters chosen on the same rows" : "");
    }
    print_spread(search, best, true);
    puts(nested ? ", optimistic" : "");
    if (pt_report_length(search, "axis") > 0 && !context->quiet &&
        cli_print_chosen(stdout, search, context->params, best_params, "with "))
        printf(", chosen automatically\n");
    if (pt_report_integer(search, "n_repeats") > 1 && !context->quiet)
        printf("mean over the repetitions [best, worst]\n");
    if (evaluation && !context->quiet)
        print_evaluation(context, evaluation);
}

/* What --time has left out; null: nothing. */
static json_t *json_limited(const pt_report *search)
{
    const long long points = pt_report_integer(search, "n_points");
    const long long missing = pt_report_integer(search, "n_missing");
    if (missing == 0)
        return json_null();
    char *text = cli_format("time: %lld of %lld points", points - missing, points);
    json_t *limited = cli_json_text(text);
    free(text);
    return limited;
}

/* The same as an object. */
static json_t *json_evaluation(const cli_context *context, const pt_report *evaluation)
{
    json_t *object = json_object();
    json_object_set_new(object, "n", json_integer(pt_report_integer(evaluation, "n_examples")));
    json_object_set_new(object, "error", cli_json_real(pt_report_number(evaluation, "error")));
    cli_json_metrics(object, evaluation);
    if (cli_of_kind(evaluation, "class") || cli_of_kind(evaluation, "set")) {
        cli_json_probabilities(evaluation, object);
        json_object_set_new(object, "per_class", cli_json_per_class(evaluation));
    }
    if (cli_of_kind(evaluation, "class"))
        cli_json_confusion(object, evaluation, pt_report_find(evaluation, "confusion")->length[1],
                           cli_value(context, "confusion"));
    return object;
}

static int print_json(const cli_context *context, const pt_report *search, const pt_dataset *data,
                      const pt_params *best_params, const pt_model *model,
                      const pt_report *evaluation)
{
    json_t *object = cli_json_object(context, model, best_params);
    json_t *grid = json_array();
    const int64_t best = pt_report_integer(search, "best");
    for (int64_t p = 0; p < pt_report_integer(search, "n_points"); p++)
        json_array_append_new(grid, cli_json_scored_point(search, p));
    json_object_set_new(object, "data", cli_json_data(data));
    cli_json_errors(object, search);
    cli_json_fold_rows(object, search);
    json_object_set_new(object, "method", json_string(pt_report_text(search, "method")));
    json_object_set_new(object, "scaled_on_all_rows",
                        json_boolean(strstr(cli_scaling(best_params), "all rows") != NULL));
    json_object_set_new(object, "limited", json_limited(search));
    json_object_set_new(object, "best", cli_json_point(search, best));
    json_object_set_new(object, "grid", grid);
    if (evaluation)
        json_object_set_new(object, "held_out", json_evaluation(context, evaluation));
    if (model)
        json_object_set_new(object, "model", cli_json_text(cli_value(context, "output")));
    return cli_json_print(context, object);
}

static int search_data(cli_context *context, const pt_dataset *data, pt_report **search,
                       pt_params **best)
{
    pt_error err = PT_ERROR_INIT;
    const double begin = cli_seconds();
    if (pt_cross_validate(search, best, data, &(const pt_params *){context->params}, 1,
                          context->task, &err) != PT_OK)
        return cli_fail_status(context, &err);
    context->seconds_train = cli_seconds() - begin;
    cli_hold_warnings(context, "", *search);
    cli_tell_held(context);
    return CLI_DONE;
}

/* Without intervals: a search has the standard errors over its folds. *out stays NULL where there
 * was no time for all held-out scores. */
static int evaluate(const cli_context *context, const pt_report *search, const pt_dataset *data,
                    pt_report **out)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_status status = pt_params_copy(&params, context->params, &err);
    if (status == PT_OK)
        status = pt_params_set(params, "intervals", "0", &err);
    if (status == PT_OK)
        status = pt_search_evaluate(out, search, data, params, context->task, &err);
    pt_params_free(params);
    return status == PT_OK || status == PT_ETIME ? CLI_DONE : cli_fail_status(context, &err);
}

static int tell(const cli_context *context, const pt_report *search, const pt_dataset *data,
                const pt_params *best, const pt_model *model)
{
    pt_report *evaluation = NULL;
    int code = evaluate(context, search, data, &evaluation);
    if (code == CLI_DONE && context->json)
        code = print_json(context, search, data, best, model, evaluation);
    const bool printed = code != CLI_DONE || context->json;
    if (!printed)
        print_text(context, search, data, best, evaluation);
    pt_report_free(evaluation);
    if (printed)
        return code;
    if (model && !context->quiet) {
        printf("wrote %s: ", cli_value(context, "output"));
        cli_print_machine(stdout, model, NULL);
    }
    if (!context->quiet)
        printf("%s\n", CLI_SHOW_SECONDS(cli_seconds() - context->started));
    return CLI_DONE;
}

static int check_predictions(cli_context *context)
{
    const char *path = cli_value(context, "predictions");
    if (!path)
        return CLI_DONE;
    if (strcmp(path, "-") == 0)
        return cli_usage(context, "--predictions is a file, not standard output");
    return cli_output_apart(context, path);
}

static int run(cli_context *context)
{
    const char *path = cli_value(context, "output");
    if (path && strcmp(path, "-") == 0)
        return cli_usage(context, "a model is written to a file, not to standard output");
    if (cli_n_machines(context) > 1)
        return cli_value(context, "predictions") || cli_value(context, "confusion")
                   ? cli_usage(context, "--predictions and --confusion are of one machine")
                   : cli_cv_several(context);
    pt_dataset *data = NULL;
    pt_report *places = NULL;
    pt_report *search = NULL;
    pt_params *best = NULL;
    pt_model *model = NULL;
    int code = path ? cli_output_apart(context, path) : CLI_DONE;
    if (code == CLI_DONE)
        code = check_predictions(context);
    if (code == CLI_DONE)
        code = cli_value(context, "predictions")
                   ? cli_read_places(context, context->arguments[0], &data, &places)
                   : cli_read_first(context, context->arguments[0], &data);
    if (code == CLI_DONE)
        cli_doubt_leak(context, data);
    const double end = cli_lend_time(context, path ? CLI_SEARCHING : 1);
    cli_progress_part(context, path ? CLI_SEARCHED : 1, false);
    if (code == CLI_DONE)
        code = search_data(context, data, &search, &best);
    cli_return_time(context, end);
    const bool found = code == CLI_DONE;
    if (code == CLI_DONE && cli_value(context, "predictions"))
        code = cli_write_held_out(context, search, data, places);
    if (code == CLI_DONE && path)
        code = cli_train_and_save(context, data, best, path, &model);
    cli_progress_clear();
    if (found && (code == CLI_DONE || !context->json)) { /* errors are told with no model, too */
        const int told = tell(context, search, data, best, model);
        code = code == CLI_DONE ? told : code;
    }
    pt_model_free(model);
    pt_params_free(best);
    pt_report_free(search);
    pt_report_free(places);
    pt_dataset_free(data);
    return code;
}

const cli_command cli_cv = {
    .name = "cv",
    .arguments = "DATA [--machine M]... [--grid GRID] [--folds K] [-o MODEL]",
    .summary = "cross-validate machines, or search a grid of parameters",
    .description =
        "Estimates the error on new data: every row is predicted by a machine trained without its "
        "fold. With --grid every combination of the values is tried on the same folds; the best "
        "has the smallest mean error over the repetitions, on ties the smoothest (larger sigma, "
        "then larger ridge). --metric chooses by another figure than the error, for instance "
        "micro-f1 for sets or kendall-tau for rankings ('polytomy help eval' explains them). If a "
        "machine has exact held-out scores in closed form, they are used; the output says so. "
        "Where one class has more than half of the rows, the error of always naming it is printed, "
        "too.\n\n"
        "A grid is a list NAME=VALUES: a:b goes from a to b by factors of two, a,b,c are values. "
        "With -o the best point is trained on all rows and written. The error of the best point is "
        "the smallest over the grid, on the folds that chose it: it is optimistic, and more so the "
        "larger the grid; so is that of automatic parameters on small sets. Nested folds choose "
        "again without each fold: --nested turns them on, and if they cost little (at most three "
        "times as much, or a second) they are the default for automatic parameters without a grid. "
        "Then the nested error is the answer, and the other is printed with it.\n\n"
        "Several machines (repeat --machine) are scored on the same folds. NAME:param=value,... "
        "wins over the common options, of which each machine takes those it uses. 'polytomy "
        "compare' tests whether a difference is more than chance.\n\n"
        "For the best point recall and precision of each class and the confusion matrix of the "
        "held-out rows are printed (the most confused pairs if there are more than 15 classes), "
        "over all repetitions, and with --metric log-loss, brier, auc-ovr or auc-ovo how true the "
        "probabilities are. --predictions FILE writes a line for each row and repetition: line, "
        "repetition, label, prediction, scores, and probabilities where they are judged.\n\n"
        "With --time a search ends with the finished points, and a warning counts them; if there "
        "are none, it is an error. With -o the search gets three fifths of the time, and the "
        "training of the best point the rest.\n\n"
        "With --resume FILE the errors of every point are saved in FILE, and after Ctrl-C the same "
        "command continues from there.",
    .examples =
        "polytomy cv iris.csv\tten folds, parameters chosen automatically\n"
        "polytomy cv iris.csv --grid ridge=2^-4:2^4,sigma=2^-4:2^4 --repeat 10\ta joint search\n"
        "polytomy cv iris.csv --machine onelsm --machine onelsm:kernel=linear --repeat "
        "10\tmachines side by side\n"
        "polytomy cv big.csv --grid ridge=2^-4:2^4,sigma=2^-4:2^4 --resume big.cv\tCtrl-C, and "
        "continue later\n"
        "polytomy cv iris.csv --loo --grid sigma=0.5,1,2 -o best.model\tleave-one-out, keep the "
        "best\n",
    .groups = "machine,kernel,prepare,model,read,search,run",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 1,
    .several_machines = true,
    .run = run,
};
