/* polytomy predict --explain: why each row is decided as it is. */
#include <string.h>

#include "cli.h"

enum { MOST_ROWS = 1000 }; /* that are worth reading */

/* What else predict can print has no place beside it. */
static int check_options(const cli_context *context)
{
    static const char *const OTHERS[] = {"scores", "proba",        "rank",   "top",
                                         "keep",   "reject-label", "rounds", "output"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (cli_value(context, OTHERS[i]))
            return cli_usage(context, "--explain goes without --%s", OTHERS[i]);
    if (strcmp(pt_params_get(context->params, "costs"), "none") != 0 ||
        strcmp(pt_params_get(context->params, "reject"), "unset") != 0 ||
        strcmp(pt_params_get(context->params, "coverage"), "unset") != 0)
        return cli_usage(context, "--explain is about the largest score, and goes without --costs, "
                                  "--reject and --coverage");
    return CLI_DONE;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *class_of(const pt_report *why, const char *which, int64_t i)
{
    return pt_report_text_at(why, "class", pt_report_integer_at(why, which, i, 0, 0), 0, 0);
}

static void print_parts(const pt_report *why, int64_t i)
{
    printf("  columns:");
    for (int64_t p = 0; p < pt_report_find(why, "part_term")->length[1]; p++) {
        const int64_t term = pt_report_integer_at(why, "part_term", i, p, 0);
        if (term < 0 && p == 0)
            printf(" none changes it by itself");
        if (term < 0)
            break;
        printf("%s %+.4g ", p ? "," : "", pt_report_number_at(why, "part_value", i, p, 0));
        cli_put_name(stdout, pt_report_text_at(why, "term", term, 0, 0));
    }
    if (pt_report_find(why, "rest"))
        printf("; others %+.4g, intercept %+.4g", pt_report_number_at(why, "rest", i, 0, 0),
               pt_report_number_at(why, "intercept", i, 0, 0));
    putchar('\n');
}

/* "  near: 12 (0.98), 7 (0.91)" */
static void print_rows(const pt_report *why, const char *words, const char *row, const char *value,
                       const char *format, int64_t i)
{
    const pt_item *rows = pt_report_find(why, row);
    if (!rows)
        return;
    printf("  %s:", words);
    for (int64_t r = 0; r < rows->length[1]; r++) {
        const int64_t number = pt_report_integer_at(why, row, i, r, 0);
        if (number < 0)
            break;
        printf("%s %lld ", r ? "," : "", (long long)number + 1);
        printf(strcmp(format, "kernel") == 0 ? "(%.4g)" : "%+.4g",
               pt_report_number_at(why, value, i, r, 0));
    }
    putchar('\n');
}

static void print_row(const pt_report *why, int64_t i)
{
    printf("row %lld: ", (long long)i + 1);
    cli_put_name(stdout, class_of(why, "first", i));
    printf(", %.4g before ", pt_report_number_at(why, "margin", i, 0, 0));
    cli_put_name(stdout, class_of(why, "second", i));
    putchar('\n');
    if (pt_report_find(why, "path")) {
        printf("  path: ");
        cli_put_name(stdout, pt_report_text_at(why, "path", i, 0, 0));
        putchar('\n');
    }
    print_parts(why, i);
    print_rows(why, "nearest kept rows", "near", "near_kernel", "kernel", i);
    print_rows(why, "kept rows that add most", "support", "support_part", "part", i);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_rows(const pt_report *why, const char *row, const char *value, const char *name,
                         int64_t i)
{
    json_t *list = json_array();
    for (int64_t r = 0; r < pt_report_find(why, row)->length[1]; r++) {
        const int64_t number = pt_report_integer_at(why, row, i, r, 0);
        if (number >= 0)
            json_array_append_new(
                list, json_pack("{sIso}", "row", (json_int_t)number + 1, name,
                                cli_json_real(pt_report_number_at(why, value, i, r, 0))));
    }
    return list;
}

static json_t *json_parts(const pt_report *why, int64_t i)
{
    json_t *list = json_array();
    for (int64_t p = 0; p < pt_report_find(why, "part_term")->length[1]; p++) {
        const int64_t term = pt_report_integer_at(why, "part_term", i, p, 0);
        if (term >= 0)
            json_array_append_new(
                list,
                json_pack("{sosIso}", "term",
                          cli_json_text(pt_report_text_at(why, "term", term, 0, 0)), "column",
                          (json_int_t)pt_report_integer_at(why, "term_column", term, 0, 0), "part",
                          cli_json_real(pt_report_number_at(why, "part_value", i, p, 0))));
    }
    return list;
}

static json_t *json_row(const pt_report *why, int64_t i)
{
    json_t *row = json_object();
    json_object_set_new(row, "first", cli_json_text(class_of(why, "first", i)));
    json_object_set_new(row, "second", cli_json_text(class_of(why, "second", i)));
    json_object_set_new(row, "margin", cli_json_real(pt_report_number_at(why, "margin", i, 0, 0)));
    json_object_set_new(row, "parts", json_parts(why, i));
    if (pt_report_find(why, "rest")) {
        json_object_set_new(row, "rest", cli_json_real(pt_report_number_at(why, "rest", i, 0, 0)));
        json_object_set_new(row, "intercept",
                            cli_json_real(pt_report_number_at(why, "intercept", i, 0, 0)));
    }
    if (pt_report_find(why, "near"))
        json_object_set_new(row, "near", json_rows(why, "near", "near_kernel", "kernel", i));
    if (pt_report_find(why, "support"))
        json_object_set_new(row, "support", json_rows(why, "support", "support_part", "part", i));
    if (pt_report_find(why, "path"))
        json_object_set_new(row, "path", cli_json_text(pt_report_text_at(why, "path", i, 0, 0)));
    return row;
}

static int print_json(const cli_context *context, const pt_model *model, const pt_report *why,
                      const pt_dataset *data)
{
    json_t *object = cli_json_object(context, model, context->params);
    json_t *rows = json_array();
    for (int64_t i = 0; i < pt_report_integer(why, "n_examples"); i++)
        json_array_append_new(rows, json_row(why, i));
    json_object_set_new(object, "data", cli_json_data(data));
    json_object_set_new(object, "method", json_string(pt_report_text(why, "method")));
    if (pt_report_find(why, "n_kept"))
        json_object_set_new(object, "n_kept", json_integer(pt_report_integer(why, "n_kept")));
    json_object_set_new(object, "explanations", rows);
    return cli_json_print(context, object);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int explain(cli_context *context, const pt_model *model, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *why = NULL;
    const int64_t n = pt_dataset_n_examples(data);
    if (n > MOST_ROWS && !context->json)
        return cli_fail_text(context, context->arguments[1],
                             "%lld rows; --explain prints at most %d, or with --json any number",
                             (long long)n, MOST_ROWS);
    if (pt_model_explain(&why, model, data, context->params, context->task, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    cli_progress_clear();
    (void)cli_tell_warnings(context, why, 0);
    int code = CLI_DONE;
    for (int64_t i = 0; i < n && !context->json; i++)
        print_row(why, i);
    if (context->json)
        code = print_json(context, model, why, data);
    pt_report_free(why);
    return code;
}

int predict_explain(cli_context *context)
{
    pt_model *model = NULL;
    pt_dataset *data = NULL;
    int code = check_options(context);
    if (code == CLI_DONE)
        code = cli_load(context, context->arguments[0], &model);
    if (code == CLI_DONE)
        code = cli_read_for(context, model, context->arguments[1], &data);
    if (code == CLI_DONE)
        code = explain(context, model, data);
    pt_dataset_free(data);
    pt_model_free(model);
    return code;
}
