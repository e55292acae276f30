/* polytomy compare: which of several machines is better, and whether that is more than chance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"test", 0, "FILE",
     "McNemar's test too, or by --metric log-loss or brier the paired t test: train on all of "
     "DATA, ask about the rows of FILE"},
    {"mcnemar", 0, NULL, "with --test: the test on FILE alone, without the five halvings"},
    {NULL, 0, NULL, NULL},
};

#define LEVEL 0.05  /* p-values below it are called a difference */
#define HALVING 0.6 /* of the time, before --test */
enum { REPLICATIONS = 5, HALVES = 2 };

/* What one run has. */
typedef struct run_state {
    pt_params **params;
    int64_t n;
    pt_dataset *data;
    pt_dataset *test;
    pt_report *halves;  /* NULL: --mcnemar */
    pt_report *mcnemar; /* NULL: no --test */
} run_state;

/* The place of two machines among all pairs. */
static int64_t pair_of(int64_t n, int64_t a, int64_t b)
{
    return a * n - a * (a + 1) / 2 + b - a - 1;
}

static double pair_number(const pt_report *report, const char *name, int64_t a, int64_t b)
{
    const int64_t n = pt_report_integer(report, "n_machines");
    return pt_report_number_at(report, name, pair_of(n, a, b), 0, 0);
}

/* ---- text ------------------------------------------------------------------------------------ */

static int name_width(const cli_context *context, int64_t n)
{
    int width = 7;
    for (int64_t m = 0; m < n; m++) {
        const int length = (int)strlen(cli_machine_name(context, m));
        width = length > width ? length : width;
    }
    return width;
}

static bool is_error(const char *metric)
{
    return strcmp(metric, "error") == 0;
}

/* "log loss", "Brier score"; "error" in percent. */
static const char *metric_words(const char *metric)
{
    return strcmp(metric, "log_loss") == 0 ? "log loss"
           : strcmp(metric, "brier") == 0  ? "Brier score"
                                           : "error in percent";
}

/* A value of the metric, six wide. */
static void print_value(const char *metric, double value)
{
    if (is_error(metric))
        printf("  %6.2f", 100 * value);
    else
        printf("  %6.4f", value);
}

/* "no difference shown", or who errs less, or whose loss is less. */
static void print_conclusion(const cli_context *context, const char *metric, double p,
                             double value_a, double value_b, int64_t a, int64_t b)
{
    const char *better = cli_machine_name(context, value_a < value_b ? a : b);
    if (p < LEVEL && value_a != value_b && is_error(metric))
        printf("%s errs less", better);
    else if (p < LEVEL && value_a != value_b)
        printf("%s has the lower %s", better, metric_words(metric));
    else
        printf("%s", p < LEVEL ? "they differ" : "no difference shown");
}

static void print_p(double p)
{
    if (p > 0 && p < 1e-4)
        printf("%8.1e", p);
    else
        printf("%8.4f", p);
}

static void print_halves(const cli_context *context, const run_state *s)
{
    const int width = name_width(context, s->n);
    const long long replications = pt_report_integer(s->halves, "n_replications");
    const char *metric = pt_report_text(s->halves, "metric");
    printf("\n%-*s    mean    best   worst\n", width, "machine");
    for (int64_t m = 0; m < s->n; m++) {
        double least = INFINITY;
        double most = -INFINITY;
        for (int64_t t = 0; t < replications * HALVES; t++) {
            const double value =
                pt_report_number_at(s->halves, "values", m, t / HALVES, t % HALVES);
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        printf("%-*s", width, cli_machine_name(context, m));
        print_value(metric, pt_report_number_at(s->halves, "value", m, 0, 0));
        print_value(metric, least);
        print_value(metric, most);
        putchar('\n');
    }
    if (replications == REPLICATIONS)
        printf("%s, over the ten halves\n", metric_words(metric));
    else
        printf("%s, over the %lld halves of %lld of the %d replications\n", metric_words(metric),
               HALVES * replications, replications, (int)REPLICATIONS);
    printf("\n%-*s  %-*s        f   p-value\n", width, "first", width, "second");
    for (int64_t a = 0; a < s->n; a++)
        for (int64_t b = a + 1; b < s->n; b++) {
            const double p = pair_number(s->halves, "p_value", a, b);
            printf("%-*s  %-*s  %7.2f  ", width, cli_machine_name(context, a), width,
                   cli_machine_name(context, b), pair_number(s->halves, "f", a, b));
            print_p(p);
            printf("  ");
            print_conclusion(context, metric, p, pt_report_number_at(s->halves, "value", a, 0, 0),
                             pt_report_number_at(s->halves, "value", b, 0, 0), a, b);
            puts(isinf(pair_number(s->halves, "f", a, b))
                     ? "; f is infinite: both halves of every replication differ alike"
                     : "");
        }
    if (replications == REPLICATIONS)
        printf("combined 5x2cv F test, F(10, 5): a difference at the level of 5 percent where f > "
               "4.74\n");
    else
        printf("combined %lldx2cv F test, F(%lld, %lld): a difference where the p-value is below 5 "
               "percent\n",
               replications, HALVES * replications, replications);
}

/* What each machine costs on the test set. */
static void print_test_values(const cli_context *context, const run_state *s, int width)
{
    const char *metric = pt_report_text(s->mcnemar, "metric");
    const int64_t n = pt_report_integer(s->mcnemar, "n_examples");
    printf("\n%s: %lld row%s with a label\n%-*s   %s\n", cli_value(context, "test"), (long long)n,
           n == 1 ? "" : "s", width, "machine", is_error(metric) ? "error" : metric_words(metric));
    for (int64_t m = 0; m < s->n; m++) {
        const char *chosen = pt_report_text_at(s->mcnemar, "chosen", m, 0, 0);
        printf("%-*s", width, cli_machine_name(context, m));
        print_value(metric, pt_report_number_at(s->mcnemar, "value", m, 0, 0));
        printf("%s%s\n", *chosen ? "  " : "", chosen);
    }
}

/* By log loss or Brier score. */
static void print_paired(const cli_context *context, const run_state *s)
{
    const int width = name_width(context, s->n);
    const char *metric = pt_report_text(s->mcnemar, "metric");
    print_test_values(context, s, width);
    printf("\n%-*s  %-*s  difference  95 percent interval        t   p-value\n", width, "first",
           width, "second");
    for (int64_t a = 0; a < s->n; a++)
        for (int64_t b = a + 1; b < s->n; b++) {
            const double low = pair_number(s->mcnemar, "low", a, b);
            const double high = pair_number(s->mcnemar, "high", a, b);
            const double difference = pair_number(s->mcnemar, "difference", a, b);
            const double p = pair_number(s->mcnemar, "p_value", a, b);
            printf("%-*s  %-*s  %+10.4f  [%+8.4f, %+8.4f]  %7.2f  ", width,
                   cli_machine_name(context, a), width, cli_machine_name(context, b), difference,
                   low, high, pair_number(s->mcnemar, "statistic", a, b));
            print_p(p);
            printf("  ");
            print_conclusion(context, metric, p, pt_report_number_at(s->mcnemar, "value", a, 0, 0),
                             pt_report_number_at(s->mcnemar, "value", b, 0, 0), a, b);
            putchar('\n');
        }
    printf("paired t test: the difference of the %s, row by row\n", metric_words(metric));
}

static void print_mcnemar(const cli_context *context, const run_state *s)
{
    const int width = name_width(context, s->n);
    print_test_values(context, s, width);
    printf("\n%-*s  %-*s  both right  first only  second only  both wrong   p-value\n", width,
           "first", width, "second");
    for (int64_t a = 0; a < s->n; a++)
        for (int64_t b = a + 1; b < s->n; b++) {
            const double p = pair_number(s->mcnemar, "p_value", a, b);
            printf("%-*s  %-*s  %10lld  %10lld  %11lld  %10lld  ", width,
                   cli_machine_name(context, a), width, cli_machine_name(context, b),
                   (long long)(int64_t)pair_number(s->mcnemar, "both_right", a, b),
                   (long long)(int64_t)pair_number(s->mcnemar, "first_only", a, b),
                   (long long)(int64_t)pair_number(s->mcnemar, "second_only", a, b),
                   (long long)(int64_t)pair_number(s->mcnemar, "both_wrong", a, b));
            print_p(p);
            if ((pair_number(s->mcnemar, "exact", a, b) > 0))
                printf(" (exact)  ");
            else
                printf(" (chi-square %.2f)  ", pair_number(s->mcnemar, "statistic", a, b));
            print_conclusion(context, "error", p, pt_report_number_at(s->mcnemar, "error", a, 0, 0),
                             pt_report_number_at(s->mcnemar, "error", b, 0, 0), a, b);
            putchar('\n');
        }
    printf("McNemar's test: the rows on which one is right and the other wrong, against fair "
           "coins\n");
}

/* How parameters are chosen: the same for both tests. */
static void print_protocol(const run_state *s)
{
    bool grid = false;
    for (int64_t m = 0; m < s->n; m++)
        grid = grid || *pt_params_get(s->params[m], "grid");
    if (s->halves)
        printf("five random halvings%s; ",
               cli_is_stratified(s->params[0], s->data) ? ", stratified" : "");
    printf("parameters chosen inside the training rows");
    if (grid) {
        printf(" by cross-validation (");
        cli_print_folds(stdout, NULL, s->params[0], s->data);
        printf(")");
    }
    putchar('\n');
}

static int print_text(const cli_context *context, const run_state *s)
{
    if (!context->quiet) {
        cli_print_data(context, stdout, context->arguments[0], s->data);
        print_protocol(s);
    }
    if (s->halves)
        print_halves(context, s);
    if (s->mcnemar && is_error(pt_report_text(s->mcnemar, "metric")))
        print_mcnemar(context, s);
    else if (s->mcnemar)
        print_paired(context, s);
    if (!context->quiet)
        printf("%s\n", CLI_SHOW_SECONDS(cli_seconds() - context->started));
    return CLI_DONE;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* [[of half 0, of half 1], ...] for the five replications, of one of the figures of a machine. */
static json_t *json_trials(const run_state *s, int64_t machine, const char *figure)
{
    json_t *rows = json_array();
    for (int64_t i = 0; i < pt_report_integer(s->halves, "n_replications"); i++) {
        json_t *row = json_array();
        for (int64_t j = 0; j < HALVES; j++)
            json_array_append_new(
                row, cli_json_real(pt_report_number_at(s->halves, figure, machine, i, j)));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *json_differences(const run_state *s, int64_t a, int64_t b)
{
    json_t *rows = json_array();
    for (int64_t i = 0; i < pt_report_integer(s->halves, "n_replications"); i++) {
        json_t *row = json_array();
        for (int64_t j = 0; j < HALVES; j++)
            json_array_append_new(row, cli_json_real(pt_report_number_at(
                                           s->halves, "difference", pair_of(s->n, a, b), i, j)));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *json_chosen(const run_state *s, int64_t machine)
{
    json_t *rows = json_array();
    for (int64_t i = 0; i < pt_report_integer(s->halves, "n_replications"); i++) {
        json_t *row = json_array();
        for (int64_t j = 0; j < HALVES; j++)
            json_array_append_new(
                row, cli_json_text(pt_report_text_at(s->halves, "chosen", machine, i, j)));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *json_pair(const cli_context *context, int64_t a, int64_t b, double p)
{
    json_t *pair = json_object();
    json_object_set_new(pair, "first", cli_json_text(cli_machine_name(context, a)));
    json_object_set_new(pair, "second", cli_json_text(cli_machine_name(context, b)));
    json_object_set_new(pair, "p_value", cli_json_real(p));
    json_object_set_new(pair, "different", json_boolean(p < LEVEL));
    return pair;
}

static json_t *json_halves(const cli_context *context, const run_state *s)
{
    const char *metric = pt_report_text(s->halves, "metric");
    const bool by_loss = !is_error(metric);
    json_t *machines = json_array();
    json_t *pairs = json_array();
    for (int64_t a = 0; a < s->n; a++) {
        json_t *machine = json_object();
        json_object_set_new(machine, "name", cli_json_text(cli_machine_name(context, a)));
        json_object_set_new(machine, "error",
                            cli_json_real(pt_report_number_at(s->halves, "error", a, 0, 0)));
        json_object_set_new(machine, "errors", json_trials(s, a, "errors"));
        if (by_loss) {
            json_object_set_new(machine, "value",
                                cli_json_real(pt_report_number_at(s->halves, "value", a, 0, 0)));
            json_object_set_new(machine, "values", json_trials(s, a, "values"));
        }
        json_object_set_new(machine, "chosen", json_chosen(s, a));
        json_array_append_new(machines, machine);
        for (int64_t b = a + 1; b < s->n; b++) {
            const double f = pair_number(s->halves, "f", a, b);
            json_t *pair = json_pair(context, a, b, pair_number(s->halves, "p_value", a, b));
            json_object_set_new(pair, "differences", json_differences(s, a, b));
            json_object_set_new(pair, "f", cli_json_real(f));
            json_object_set_new(pair, "f_is_infinite", json_boolean(isinf(f)));
            json_array_append_new(pairs, pair);
        }
    }
    json_t *object = json_object();
    json_object_set_new(object, "metric", json_string(metric));
    json_object_set_new(object, "machines", machines);
    json_object_set_new(object, "pairs", pairs);
    return object;
}

/* By log loss or Brier score. */
static json_t *json_paired(const cli_context *context, const run_state *s)
{
    json_t *machines = json_array();
    json_t *pairs = json_array();
    const pt_report *m = s->mcnemar;
    for (int64_t a = 0; a < s->n; a++) {
        json_t *machine = json_object();
        json_object_set_new(machine, "name", cli_json_text(cli_machine_name(context, a)));
        json_object_set_new(machine, "error",
                            cli_json_real(pt_report_number_at(m, "error", a, 0, 0)));
        json_object_set_new(machine, "value",
                            cli_json_real(pt_report_number_at(m, "value", a, 0, 0)));
        json_object_set_new(machine, "chosen",
                            cli_json_text(pt_report_text_at(m, "chosen", a, 0, 0)));
        json_array_append_new(machines, machine);
        for (int64_t b = a + 1; b < s->n; b++) {
            const double low = pair_number(m, "low", a, b);
            const double high = pair_number(m, "high", a, b);
            json_t *pair = json_pair(context, a, b, pair_number(m, "p_value", a, b));
            json_object_set_new(pair, "difference",
                                cli_json_real(pair_number(m, "difference", a, b)));
            json_object_set_new(pair, "low", cli_json_real(low));
            json_object_set_new(pair, "high", cli_json_real(high));
            json_object_set_new(pair, "t", cli_json_real(pair_number(m, "statistic", a, b)));
            json_array_append_new(pairs, pair);
        }
    }
    json_t *object = json_object();
    json_object_set_new(object, "metric", json_string(pt_report_text(m, "metric")));
    json_object_set_new(object, "file", cli_json_text(cli_value(context, "test")));
    json_object_set_new(object, "n", json_integer(pt_report_integer(m, "n_examples")));
    json_object_set_new(object, "machines", machines);
    json_object_set_new(object, "pairs", pairs);
    return object;
}

static json_t *json_mcnemar(const cli_context *context, const run_state *s)
{
    json_t *machines = json_array();
    json_t *pairs = json_array();
    const pt_report *m = s->mcnemar;
    for (int64_t a = 0; a < s->n; a++) {
        json_t *machine = json_object();
        json_object_set_new(machine, "name", cli_json_text(cli_machine_name(context, a)));
        json_object_set_new(machine, "error",
                            cli_json_real(pt_report_number_at(m, "error", a, 0, 0)));
        json_object_set_new(machine, "chosen",
                            cli_json_text(pt_report_text_at(m, "chosen", a, 0, 0)));
        json_array_append_new(machines, machine);
        for (int64_t b = a + 1; b < s->n; b++) {
            json_t *pair = json_pair(context, a, b, pair_number(m, "p_value", a, b));
            json_object_set_new(pair, "both_right",
                                json_integer((int64_t)pair_number(m, "both_right", a, b)));
            json_object_set_new(pair, "first_only",
                                json_integer((int64_t)pair_number(m, "first_only", a, b)));
            json_object_set_new(pair, "second_only",
                                json_integer((int64_t)pair_number(m, "second_only", a, b)));
            json_object_set_new(pair, "both_wrong",
                                json_integer((int64_t)pair_number(m, "both_wrong", a, b)));
            json_object_set_new(pair, "exact", json_boolean((pair_number(m, "exact", a, b) > 0)));
            json_object_set_new(pair, "chi_square",
                                cli_json_real(pair_number(m, "statistic", a, b)));
            json_array_append_new(pairs, pair);
        }
    }
    json_t *object = json_object();
    json_object_set_new(object, "file", cli_json_text(cli_value(context, "test")));
    json_object_set_new(object, "n", json_integer(pt_report_integer(m, "n_examples")));
    json_object_set_new(object, "machines", machines);
    json_object_set_new(object, "pairs", pairs);
    return object;
}

/* What --time has left out; null: nothing. */
static json_t *json_limited(const cli_context *context, const run_state *s)
{
    const long long replications =
        s->halves ? pt_report_integer(s->halves, "n_replications") : REPLICATIONS;
    const bool untested = cli_value(context, "test") && !s->mcnemar;
    if (replications == REPLICATIONS && !untested)
        return json_null();
    char *text = cli_format("time: %lld of %d replications%s", replications, (int)REPLICATIONS,
                            untested ? ", no --test" : "");
    json_t *limited = cli_json_text(text);
    free(text);
    return limited;
}

static int print_json(const cli_context *context, const run_state *s)
{
    json_t *object = cli_json_object(context, NULL, NULL);
    json_t *machines = json_array();
    for (int64_t m = 0; m < s->n; m++)
        json_array_append_new(
            machines, json_pack("{s:o, s:o}", "name", cli_json_text(cli_machine_name(context, m)),
                                "parameters", cli_json_params(context, NULL, s->params[m])));
    json_object_set_new(object, "data", cli_json_data(s->data));
    json_object_set_new(object, "machines", machines);
    json_object_set_new(object, "level", json_real(LEVEL));
    json_object_set_new(object, "limited", json_limited(context, s));
    if (s->halves)
        json_object_set_new(object, "5x2cv", json_halves(context, s));
    if (s->mcnemar && is_error(pt_report_text(s->mcnemar, "metric")))
        json_object_set_new(object, "mcnemar", json_mcnemar(context, s));
    else if (s->mcnemar)
        json_object_set_new(object, "paired", json_paired(context, s));
    return cli_json_print(context, object);
}

/* ---- the work -------------------------------------------------------------------------------- */

static int compare_halves(cli_context *context, run_state *s)
{
    pt_error err = PT_ERROR_INIT;
    if (pt_compare(&s->halves, s->data, NULL, (const pt_params *const *)s->params, s->n,
                   context->task, &err) != PT_OK)
        return cli_fail_status(context, &err);
    cli_hold_warnings(context, "", s->halves);
    cli_tell_held(context);
    return CLI_DONE;
}

/* Its searches are others than those of the halves: --resume FILE keeps them in FILE.test. */
static int compare_on_test(cli_context *context, run_state *s)
{
    pt_error err = PT_ERROR_INIT;
    const char *resume = pt_params_get(s->params[0], "resume");
    char *name = cli_format("%s%s", resume, *resume ? ".test" : "");
    pt_params *first = s->params[0];
    pt_params *changed = NULL;
    pt_status status = pt_params_copy(&changed, first, &err);
    if (status == PT_OK)
        status = pt_params_set(changed, "resume", name, &err);
    s->params[0] = changed;
    if (status == PT_OK)
        status = pt_compare(&s->mcnemar, s->data, s->test, (const pt_params *const *)s->params,
                            s->n, context->task, &err);
    s->params[0] = first;
    pt_params_free(changed);
    free(name);
    if (status == PT_ETIME && s->halves && pt_task_seconds_left(context->task) <= 0) {
        cli_warn(context, "limit", "there was no time for --test; raise --time");
        return CLI_DONE;
    }
    if (status != PT_OK)
        return cli_fail_status(context, &err);
    cli_hold_warnings(context, "", s->mcnemar);
    cli_tell_held(context);
    return CLI_DONE;
}

static int check_use(const cli_context *context)
{
    if (context->n_machines < 2)
        return cli_usage(context, "compare needs --machine A --machine B, at least two");
    if (cli_value(context, "mcnemar") && !cli_value(context, "test"))
        return cli_usage(context, "--mcnemar needs --test FILE");
    for (int a = 0; a < context->n_machines; a++)
        for (int b = 0; b < a; b++)
            if (strcmp(context->machines[a], context->machines[b]) == 0)
                return cli_usage(context, "--machine %.100s is there twice", context->machines[a]);
    return CLI_DONE;
}

/* Nothing is held out of the rows to test on: their groups do not count, and each may have one row.
 */
static int read_test(cli_context *context, const char *path, pt_dataset **test)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *given = context->params;
    const char *group = pt_params_get(given, "group");
    const char *ignore = pt_params_get(given, "ignore");
    if (!*group)
        return cli_read_first(context, path, test);
    char *both = cli_format("%s%s%s", ignore, *ignore ? "," : "", group);
    pt_params *own = NULL;
    pt_status status = pt_params_copy(&own, given, &err);
    if (status == PT_OK)
        status = pt_params_set(own, "ignore", both, &err);
    if (status == PT_OK)
        status = pt_params_set(own, "group", "", &err);
    context->params = own;
    const int code =
        status == PT_OK ? cli_read_first(context, path, test) : cli_fail_status(context, &err);
    context->params = given;
    pt_params_free(own);
    free(both);
    return code;
}

static int run(cli_context *context)
{
    const char *test = cli_value(context, "test");
    run_state s = {.n = cli_n_machines(context)};
    int code = check_use(context);
    if (code == CLI_DONE)
        code = cli_machines(context, &s.params);
    if (code == CLI_DONE)
        code = cli_read_first(context, context->arguments[0], &s.data);
    if (code == CLI_DONE && test)
        code = read_test(context, test, &s.test);
    const double begin = cli_seconds();
    const double end = cli_lend_time(context, test && !cli_value(context, "mcnemar") ? HALVING : 1);
    cli_progress_part(context, test && !cli_value(context, "mcnemar") ? CLI_SEARCHED : 1, false);
    if (code == CLI_DONE && !cli_value(context, "mcnemar"))
        code = compare_halves(context, &s);
    cli_return_time(context, end);
    cli_progress_part(context, 1, false);
    if (code == CLI_DONE && test)
        code = compare_on_test(context, &s);
    context->seconds_train = cli_seconds() - begin;
    cli_progress_clear();
    if (code == CLI_DONE)
        code = context->json ? print_json(context, &s) : print_text(context, &s);
    pt_report_free(s.mcnemar);
    pt_report_free(s.halves);
    pt_dataset_free(s.test);
    pt_dataset_free(s.data);
    cli_machines_free(context, s.params);
    return code;
}

const cli_command cli_compare = {
    .name = "compare",
    .arguments = "DATA --machine A --machine B... [--test FILE]",
    .summary = "test whether one machine is better than another",
    .description =
        "The combined 5x2cv F test: the rows are halved five times, and each machine is trained on "
        "each half and tested on the other. Parameters are chosen inside the training half, by "
        "cross-validation over --grid or automatically without one, and so is the scaling; the "
        "other half is never seen. For every pair of machines, f and its p-value show whether the "
        "differences are more than chance: above 4.74 they are, at the level of 5 percent.\n\n"
        "--test FILE adds McNemar's test: each machine is trained on all of DATA, and the test "
        "counts the rows of FILE on which one machine is right and another wrong. For fewer than "
        "25 such rows the p-value is exact, otherwise that of the chi-square with continuity "
        "correction.\n\n"
        "With --metric log-loss or brier machines are compared by that figure, with probabilities "
        "calibrated on the training rows: the F test by its means over the halves, --test by the "
        "paired t test, row by row, with an interval of 95 percent. Other metrics choose among the "
        "points of --grid, and errors are compared.\n\n"
        "A machine is NAME[:param=value,...]; what it sets itself wins over the common options. "
        "With --time the halvings end with the finished replications, if there is one, and a "
        "warning counts them. With --resume FILE the work continues after Ctrl-C (that of --test "
        "in FILE.test).",
    .examples = "polytomy compare iris.csv --machine onelsm --machine "
                "onelsm:kernel=linear\tautomatic parameters\n"
                "polytomy compare a.csv --machine onelsm --machine ls-ova --grid ridge=2^-4:2^4\ta "
                "search in every half\n"
                "polytomy compare a.csv --machine onelsm --machine ls-ova --test b.csv "
                "--mcnemar\ton a test set alone\n",
    .groups = "machine,kernel,prepare,read,search,run",
    .parameters = "merge",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 1,
    .several_machines = true,
    .run = run,
};
