/* What `info` says of the columns that a model looks at: coefficients of linear machines, gains of
 * trees. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { LARGEST = 10, FUNCTIONS_SHOWN = 20 };

/* A term of a function, and how far it goes for a column as the machine sees it, scaled: so that
 * columns of small numbers do not come first. */
typedef struct ranked {
    double size;
    int64_t term;
} ranked;

static int larger(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->term < y->term ? -1 : 1;
}

/* list <- the terms of function f whose coefficients are not 0, the largest first; how many. */
static int64_t rank_terms(const pt_report *arrays, int64_t f, ranked *list)
{
    int64_t count = 0;
    for (int64_t j = 0; j < pt_report_length(arrays, "term"); j++) {
        const double scale = pt_report_number_at(arrays, "term_scale", j, 0, 0);
        const double coefficient = pt_report_number_at(arrays, "coefficient", f, j, 0);
        const double size = scale != 0 ? fabs(coefficient / scale) : 0;
        if (size > 0)
            list[count++] = (ranked){size, j};
    }
    qsort(list, (size_t)count, sizeof *list, larger);
    return count;
}

static int64_t rank_columns(const pt_report *arrays, ranked *list)
{
    const bool gains = pt_report_find(arrays, "gain") != NULL;
    int64_t count = 0;
    for (int64_t j = 0; j < pt_report_length(arrays, "splits"); j++) {
        const double splits = (double)pt_report_integer_at(arrays, "splits", j, 0, 0);
        if (splits > 0)
            list[count++] =
                (ranked){gains ? pt_report_number_at(arrays, "gain", j, 0, 0) : splits, j};
    }
    qsort(list, (size_t)count, sizeof *list, larger);
    return count;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_function(const cli_context *context, const pt_report *arrays, int64_t f,
                           ranked *list)
{
    const int64_t count = rank_terms(arrays, f, list);
    const int64_t shown = context->verbose || count < LARGEST ? count : LARGEST;
    printf("  ");
    cli_put_safe(stdout, pt_report_text_at(arrays, "function", f, 0, 0));
    printf(": %.4g", pt_report_number_at(arrays, "intercept", f, 0, 0));
    for (int64_t t = 0; t < shown; t++) {
        printf("%s %+.4g ", t ? "," : ";",
               pt_report_number_at(arrays, "coefficient", f, list[t].term, 0));
        cli_put_name(stdout, pt_report_text_at(arrays, "term", list[t].term, 0, 0));
    }
    printf("%s\n", shown < count ? ", ..." : "");
}

static void print_coefficients(const cli_context *context, const pt_report *arrays)
{
    const int64_t m = pt_report_length(arrays, "function");
    const int64_t shown = context->verbose || m <= FUNCTIONS_SHOWN ? m : FUNCTIONS_SHOWN;
    ranked *list = cli_alloc(pt_report_length(arrays, "term"), sizeof *list);
    if (m > 0)
        printf("\n%s: intercept; coefficients in the units of the file, the largest first\n",
               pt_report_integer(arrays, "of_scores") ? "scores" : "outputs");
    for (int64_t f = 0; f < shown; f++)
        print_function(context, arrays, f, list);
    if (shown < m)
        printf("  ... (%lld in all; -v shows them)\n", (long long)m);
    free(list);
}

static void print_gains(const cli_context *context, const pt_report *arrays)
{
    const bool gains = pt_report_find(arrays, "gain") != NULL;
    ranked *list = cli_alloc(pt_report_length(arrays, "splits"), sizeof *list);
    const int64_t count = rank_columns(arrays, list);
    const int64_t shown = context->verbose || count < LARGEST ? count : LARGEST;
    if (count > 0)
        printf("\ncolumns that the trees ask about%s\n",
               gains ? ": share of what all splits gained" : "");
    for (int64_t c = 0; c < shown; c++) {
        const long long splits =
            (long long)pt_report_integer_at(arrays, "splits", list[c].term, 0, 0);
        printf("  ");
        cli_put_name(stdout, pt_report_text_at(arrays, "feature", list[c].term, 0, 0));
        printf(": ");
        if (gains)
            printf("%.2f %%, ", 100 * list[c].size);
        printf("%lld split%s\n", splits, splits == 1 ? "" : "s");
    }
    if (shown < count)
        printf("  ... (%lld in all; -v shows them)\n", (long long)count);
    free(list);
}

int info_worth_print(const cli_context *context, const pt_model *model)
{
    pt_report *arrays = NULL;
    pt_error err = PT_ERROR_INIT;
    if (pt_model_arrays(&arrays, model, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    print_coefficients(context, arrays);
    print_gains(context, arrays);
    pt_report_free(arrays);
    return CLI_DONE;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_function(const cli_context *context, const pt_report *arrays, int64_t f,
                             ranked *list)
{
    const int64_t count = rank_terms(arrays, f, list);
    const int64_t shown = context->verbose || count < LARGEST ? count : LARGEST;
    json_t *terms = json_array();
    for (int64_t t = 0; t < shown; t++) {
        const int64_t j = list[t].term;
        json_array_append_new(
            terms,
            json_pack("{sosIso}", "term", cli_json_text(pt_report_text_at(arrays, "term", j, 0, 0)),
                      "column", (json_int_t)pt_report_integer_at(arrays, "term_column", j, 0, 0),
                      "coefficient",
                      cli_json_real(pt_report_number_at(arrays, "coefficient", f, j, 0))));
    }
    return json_pack("{sososo}", "of",
                     cli_json_text(pt_report_text_at(arrays, "function", f, 0, 0)), "intercept",
                     cli_json_real(pt_report_number_at(arrays, "intercept", f, 0, 0)), "terms",
                     terms);
}

static void json_coefficients(const cli_context *context, const pt_report *arrays, json_t *object)
{
    const int64_t m = pt_report_length(arrays, "function");
    ranked *list = cli_alloc(pt_report_length(arrays, "term"), sizeof *list);
    json_t *functions = json_array();
    for (int64_t f = 0; f < m; f++)
        json_array_append_new(functions, json_function(context, arrays, f, list));
    free(list);
    if (m == 0) {
        json_decref(functions);
        return;
    }
    json_object_set_new(object, "coefficients_of",
                        json_string(pt_report_integer(arrays, "of_scores") ? "scores" : "outputs"));
    json_object_set_new(object, "coefficients", functions);
}

static void json_gains(const pt_report *arrays, json_t *object)
{
    const bool gains = pt_report_find(arrays, "gain") != NULL;
    ranked *list = cli_alloc(pt_report_length(arrays, "splits"), sizeof *list);
    const int64_t count = rank_columns(arrays, list);
    json_t *columns = json_array();
    for (int64_t c = 0; c < count; c++) {
        const int64_t j = list[c].term;
        json_array_append_new(
            columns, json_pack("{sososI}", "column",
                               cli_json_text(pt_report_text_at(arrays, "feature", j, 0, 0)), "gain",
                               gains ? cli_json_real(list[c].size) : json_null(), "splits",
                               (json_int_t)pt_report_integer_at(arrays, "splits", j, 0, 0)));
    }
    free(list);
    if (count > 0)
        json_object_set_new(object, "gains", columns);
    else
        json_decref(columns);
}

int info_worth_json(const cli_context *context, const pt_model *model, json_t *object)
{
    pt_report *arrays = NULL;
    pt_error err = PT_ERROR_INIT;
    if (pt_model_arrays(&arrays, model, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    json_coefficients(context, arrays, object);
    json_gains(arrays, object);
    pt_report_free(arrays);
    return CLI_DONE;
}
