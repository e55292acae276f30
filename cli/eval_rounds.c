/* polytomy eval: error by round, and the margins of boosting in a single call. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is shown of the margins, and what programs get for their curves. */
static const double THETAS[] = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
enum { N_THETAS = sizeof THETAS / sizeof *THETAS, GRID = 40, MOST_STAGES = 1000 };

/* ---- which rounds ---------------------------------------------------------------------------- */

/* Rounds that grow by about a third, the last among them. */
static int64_t growing(int64_t last, int64_t *rounds)
{
    enum { START = 1 };
    int64_t n = 0;
    for (int64_t t = START; t < last && n < MOST_STAGES - 1; t += 1 + t / 3)
        rounds[n++] = t;
    rounds[n++] = last;
    return n;
}

/* "1,2,5": ascending whole numbers. Returns how many, 0 where it is something else. */
static int64_t parse_list(const char *text, int64_t *rounds)
{
    int64_t n = 0;
    while (*text && n < MOST_STAGES) {
        char *end = NULL;
        rounds[n] = *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : -1;
        if (!end || (*end && *end != ',') || (n > 0 && rounds[n] <= rounds[n - 1]))
            return 0;
        n++;
        if (*end == ',' && !end[1])
            return 0;
        text = end + (*end == ',');
    }
    return *text ? 0 : n;
}

int eval_rounds_follow(const cli_context *context, const pt_model *model, const pt_dataset *data,
                       int64_t last, pt_report *evaluation)
{
    const char *list = cli_value(context, "stages");
    const int64_t most = cli_model_rounds(model);
    int64_t rounds[MOST_STAGES];
    pt_error err = PT_ERROR_INIT;
    if (most == 0 && list)
        return cli_usage(context, "--stages: the model was not learned by rounds; boosting is");
    const int64_t n = list ? parse_list(list, rounds) : growing(last < 0 ? most : last, rounds);
    if (n == 0)
        return cli_usage(context,
                         "--stages: '%.60s' is not a list of at most %d numbers that ascend, as "
                         "in 1,10,100",
                         list, (int)MOST_STAGES);
    if (list && rounds[n - 1] > most)
        return cli_usage(context, "--stages: %lld rounds: the model has %lld",
                         (long long)rounds[n - 1], (long long)most);
    if (pt_evaluate_rounds(evaluation, model, data, rounds, n, context->task, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    return CLI_DONE;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void print_stages(const pt_report *evaluation)
{
    printf("\nerror by round: of decoding, of the columns, and their mean %s loss\n",
           pt_report_text(evaluation, "code_loss"));
    printf("  rounds  %10s %%  hamming %%  columns %%  mean loss\n",
           pt_report_text(evaluation, "code_loss"));
    for (int64_t t = 0; t < pt_report_length(evaluation, "stage_rounds"); t++)
        printf("%8lld  %12.2f  %9.2f  %9.2f  %9.4g\n",
               (long long)pt_report_integer_at(evaluation, "stage_rounds", t, 0, 0),
               100 * pt_report_number_at(evaluation, "stage_loss_decoding_error", t, 0, 0),
               100 * pt_report_number_at(evaluation, "stage_hamming_error", t, 0, 0),
               100 * pt_report_number_at(evaluation, "stage_binary_error", t, 0, 0),
               pt_report_number_at(evaluation, "stage_average_loss", t, 0, 0));
}

/* Bounds above 1e4 percent, which say nothing, and those that do not apply are not numbers to
 * read. */
static void print_share(int width, double share)
{
    if (isnan(share))
        printf("%*s", width, "-");
    else if (share > 100)
        printf("%*s", width, "> 10000");
    else
        printf("%*.2f", width, 100 * share);
}

static bool has_margins(const pt_report *evaluation)
{
    return !isnan(pt_evaluate_margin_share(evaluation, 0, 0));
}

static bool is_not(const pt_model *model, const char *param, const char *usual)
{
    const char *value = pt_model_param(model, param);
    return value && strcmp(value, usual) != 0;
}

/* By --weight or --class-weight. */
static bool was_weighted(const pt_model *model)
{
    json_t *metadata = cli_model_metadata(model);
    const bool weighted =
        json_is_true(json_object_get(json_object_get(metadata, "data"), "weighted"));
    json_decref(metadata);
    return weighted || is_not(model, "class-weight", "none");
}

static void print_margins(const pt_model *model, const pt_report *evaluation)
{
    const int64_t last = pt_report_length(evaluation, "stage_rounds") - 1;
    const long long rounds =
        (long long)pt_report_integer_at(evaluation, "stage_rounds", last, 0, 0);
    printf("\nmargins after %lld round%s: rows with at most theta, and bounds on them\n", rounds,
           rounds == 1 ? "" : "s");
    printf(
        " theta    rows %%  of Theorem 6 %%  of these rows %%  Theorem 3 %% (constant omitted)\n");
    for (int i = 0; i < N_THETAS; i++) {
        const double theta = THETAS[i];
        printf("%6.2f  ", theta);
        print_share(8, pt_evaluate_margin_share(evaluation, last, theta));
        print_share(16, pt_evaluate_margin_bound(evaluation, last, PT_MARGIN_THEOREM_6, theta));
        print_share(17, pt_evaluate_margin_bound(evaluation, last, PT_MARGIN_ROWS, theta));
        print_share(14, pt_evaluate_margin_bound(evaluation, last, PT_MARGIN_THEOREM_3, theta));
        putchar('\n');
    }
    if (isnan(pt_evaluate_margin_bound(evaluation, last, PT_MARGIN_THEOREM_3, 1)))
        printf("Theorem 3 speaks of the rows of training, all of them and with equal weights, and "
               "not of others;\nit asks for stumps, and for more rows than their VC-dimension "
               "times the columns.\n");
    if (isnan(pt_evaluate_margin_bound(evaluation, last, PT_MARGIN_ROWS, 0)))
        printf("Theorem 6 speaks of codes without zeros.\n");
    else
        printf("Theorem 6 speaks of the rows of training%s%s; the next column of the rows above.\n",
               is_not(model, "stop-share", "0") ? " that were not held out" : "",
               was_weighted(model) ? ", counted by their weights" : "");
}

void eval_rounds_print(const pt_model *model, const pt_report *evaluation)
{
    if (pt_report_length(evaluation, "stage_rounds") == 0 ||
        isnan(pt_report_number_at(evaluation, "stage_binary_error", 0, 0, 0)))
        return;
    print_stages(evaluation);
    if (has_margins(evaluation))
        print_margins(model, evaluation);
}

/* ---- for programs ---------------------------------------------------------------------------- */

/* A figure of a stage, "stage_" before its name. */
static double stage_number(const pt_report *evaluation, const char *name, int64_t stage)
{
    char item[64];
    snprintf(item, sizeof item, "stage_%s", name);
    return pt_report_number_at(evaluation, item, stage, 0, 0);
}

static json_t *json_stages(const pt_report *evaluation)
{
    static const char *const FIGURES[] = {"loss_decoding_error", "hamming_error",
                                          "binary_error",        "average_loss",
                                          "loss_decoding_bound", "hamming_bound"};
    json_t *stages = json_array();
    for (int64_t t = 0; t < pt_report_length(evaluation, "stage_rounds"); t++) {
        json_t *stage = json_object();
        json_object_set_new(
            stage, "rounds",
            json_integer(pt_report_integer_at(evaluation, "stage_rounds", t, 0, 0)));
        for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++)
            json_object_set_new(stage, FIGURES[i],
                                cli_json_real(stage_number(evaluation, FIGURES[i], t)));
        json_array_append_new(stages, stage);
    }
    return stages;
}

/* -1, -0.95, ..., 1 */
static double theta_at(int i)
{
    return (5.0 * i - 100) / 100;
}

static json_t *json_bound(const pt_report *evaluation, int64_t stage, pt_margin_bound bound)
{
    json_t *values = json_array();
    for (int i = 0; i <= GRID; i++)
        json_array_append_new(
            values, cli_json_real(pt_evaluate_margin_bound(evaluation, stage, bound, theta_at(i))));
    return values;
}

static json_t *json_shares(const pt_report *evaluation, int64_t stage)
{
    json_t *values = json_array();
    for (int i = 0; i <= GRID; i++)
        json_array_append_new(
            values, cli_json_real(pt_evaluate_margin_share(evaluation, stage, theta_at(i))));
    return values;
}

static json_t *json_margins(const pt_report *evaluation)
{
    json_t *thetas = json_array();
    json_t *stages = json_array();
    for (int i = 0; i <= GRID; i++)
        json_array_append_new(thetas, json_real(theta_at(i)));
    for (int64_t t = 0; t < pt_report_length(evaluation, "stage_rounds"); t++) {
        json_t *stage = json_object();
        json_object_set_new(
            stage, "rounds",
            json_integer(pt_report_integer_at(evaluation, "stage_rounds", t, 0, 0)));
        json_object_set_new(stage, "share", json_shares(evaluation, t));
        json_object_set_new(stage, "theorem_6", json_bound(evaluation, t, PT_MARGIN_THEOREM_6));
        json_object_set_new(stage, "rows_bound", json_bound(evaluation, t, PT_MARGIN_ROWS));
        json_object_set_new(stage, "theorem_3_constant_omitted",
                            json_bound(evaluation, t, PT_MARGIN_THEOREM_3));
        json_array_append_new(stages, stage);
    }
    return json_pack("{soso}", "theta", thetas, "stages", stages);
}

json_t *eval_rounds_json(const pt_model *model, const pt_report *evaluation)
{
    json_t *object = json_object();
    json_object_set_new(object, "total", json_integer(cli_model_rounds(model)));
    json_object_set_new(object, "loss", json_string(pt_report_text(evaluation, "code_loss")));
    json_object_set_new(object, "stages", json_stages(evaluation));
    if (has_margins(evaluation))
        json_object_set_new(object, "margins", json_margins(evaluation));
    return object;
}
