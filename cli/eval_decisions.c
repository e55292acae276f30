/* What polytomy eval says of decisions: --costs, --reject, --coverage. */
#include <math.h>
#include <string.h>

#include "cli.h"

/* "12.34 [11.2, 13.5]", times `unit`. */
static void print_estimate(const pt_report *e, const char *name, const char *interval, double unit,
                           const char *format)
{
    printf(format, unit * pt_report_number(e, name));
    if (!pt_report_find(e, interval))
        return;
    fputs(" [", stdout);
    printf(format, unit * pt_report_number_at(e, interval, 0, 0, 0));
    fputs(", ", stdout);
    printf(format, unit * pt_report_number_at(e, interval, 1, 0, 0));
    putchar(']');
}

static void print_cost(const pt_report *e, const char *words, const char *name,
                       const char *interval)
{
    printf("  %-18s", words);
    print_estimate(e, name, interval, 1, "%.4g");
    putchar('\n');
}

static void print_rejected(const pt_report *e)
{
    const int64_t rejected = pt_report_integer(e, "n_rejected");
    printf("  %-18s%lld row%s", "rejected", (long long)rejected, rejected == 1 ? "" : "s");
    if (pt_report_find(e, "accepted_error")) {
        fputs("; error of the others ", stdout);
        print_estimate(e, "accepted_error", "accepted_error_interval", 100, "%.2f");
        fputs(" %", stdout);
    }
    putchar('\n');
}

static void print_costs(const pt_report *e)
{
    printf("\ndecisions of least expected cost: mean cost of a row\n");
    print_cost(e, "most probable", "cost", "cost_interval");
    print_cost(e, "least expected", "least_cost", "least_cost_interval");
    print_cost(e, "saved", "saved_cost", "saved_cost_interval");
    if (pt_report_integer(e, "n_rejected") > 0)
        print_rejected(e);
}

/* With eight digits, rounded down: given to --reject, it rejects no row that the line accepts. */
static void print_threshold(double probability)
{
    const double units = 1e8;
    double down = floor(probability * units);
    down -= down / units > probability; /* the product was rounded up */
    printf("  %11.8f", down / units);
}

static void print_shares(const cli_context *context, const pt_report *e)
{
    printf("\nrejection below %s\n", pt_params_get(context->params, "reject"));
    print_rejected(e);
    printf("  accepted %%  probability  error %%\n");
    for (int64_t t = 0; t < pt_report_length(e, "accept"); t++) {
        printf("  %10.2f", 100 * pt_report_number_at(e, "accept", t, 0, 0));
        print_threshold(pt_report_number_at(e, "accept_probability", t, 0, 0));
        printf("  %7.2f\n", 100 * pt_report_number_at(e, "accept_error", t, 0, 0));
    }
}

static void print_sets(const cli_context *context, const pt_report *e)
{
    enum { SHOWN = 40 };
    const int64_t k = pt_report_length(e, "class_covered");
    printf("\nsets that cover %s\n", pt_params_get(context->params, "coverage"));
    printf("  %-18s", "covered");
    print_estimate(e, "covered", "covered_interval", 100, "%.2f");
    printf(" %% of the rows\n  %-18s%.2f; the first %.2f classes of every row cover as much\n",
           "mean size", pt_report_number(e, "set_size"), pt_report_number(e, "first_classes"));
    printf("  covered %%  class\n");
    for (int64_t r = 0; r < k && (r < SHOWN || context->verbose); r++) {
        const double share = pt_report_number_at(e, "class_covered", r, 0, 0);
        if (isnan(share))
            printf("  %9s  ", "-");
        else
            printf("  %9.2f  ", 100 * share);
        cli_put_safe(stdout, pt_report_text_at(e, "class", r, 0, 0));
        putchar('\n');
    }
    if (k > SHOWN && !context->verbose)
        printf("  ... and %lld more (-v shows all)\n", (long long)(k - SHOWN));
}

void eval_decisions_print(const cli_context *context, const pt_report *evaluation)
{
    const char *rule = pt_report_text(evaluation, "decided");
    if (!rule)
        return;
    if (strcmp(rule, "costs") == 0)
        print_costs(evaluation);
    else if (strcmp(rule, "reject") == 0)
        print_shares(context, evaluation);
    else
        print_sets(context, evaluation);
}

/* A figure as it is, a list as an array. */
static void put(json_t *object, const pt_report *e, const char *name)
{
    const pt_item *item = pt_report_find(e, name);
    if (!item)
        return;
    if (item->n_axes == 0) {
        json_object_set_new(object, name,
                            item->type == PT_I64 ? json_integer(pt_report_integer(e, name))
                                                 : cli_json_real(pt_report_number(e, name)));
        return;
    }
    json_t *array = json_array();
    for (int64_t i = 0; i < item->length[0]; i++)
        json_array_append_new(array, cli_json_real(pt_report_number_at(e, name, i, 0, 0)));
    json_object_set_new(object, name, array);
}

json_t *eval_decisions_json(const pt_report *evaluation)
{
    static const char *const NAMES[] = {"n_rejected",
                                        "accepted_error",
                                        "accepted_error_interval",
                                        "least_cost",
                                        "least_cost_interval",
                                        "saved_cost",
                                        "accept",
                                        "saved_cost_interval",
                                        "accept_probability",
                                        "accept_error",
                                        "covered",
                                        "covered_interval",
                                        "set_size",
                                        "first_classes",
                                        "class_covered"};
    const char *rule = pt_report_text(evaluation, "decided");
    if (!rule)
        return NULL;
    json_t *object = json_object();
    json_object_set_new(object, "decided", json_string(rule));
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        put(object, evaluation, NAMES[i]);
    return object;
}
