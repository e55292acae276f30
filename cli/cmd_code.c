/* polytomy code: make a coding matrix, or look at one of a file. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"classes", 'k', "K", "number of classes of the code that is made"},
    {"output", 'o', "FILE", "the file to write; default: standard output"},
    {"info", 0, NULL, "the figures only, on standard output"},
    {"show", 0, NULL, "draw the matrix in place of numbers"},
    {NULL, 0, NULL, NULL},
};

static bool is_family(const char *name)
{
    for (int64_t i = 0; i < cli_registry_count("codes"); i++)
        if (strcmp(cli_registry_name("codes", i), name) == 0)
            return true;
    return false;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static void put_matrix(FILE *file, const pt_report *coding)
{
    for (int64_t r = 0; r < pt_report_integer(coding, "n_classes"); r++) {
        const char *name = pt_report_text_at(coding, "class", r, 0, 0);
        if (name)
            cli_put_csv(file, name);
        for (int64_t s = 0; s < pt_report_integer(coding, "n_columns"); s++)
            fprintf(file, "%s%d", s || name ? "," : "",
                    (int)pt_report_integer_at(coding, "code", r, s, 0));
        putc('\n', file);
    }
}

/* How a sign is drawn, -1, 0, +1: blocks with colours, blocks, or plain characters. */
typedef struct look {
    const char *sign[3];
    int width; /* columns of the code in a line */
} look;

static bool speaks_utf8(void)
{
    static const char *const VARIABLES[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++) {
        const char *value = getenv(VARIABLES[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8");
    }
    return false;
}

static look choose_look(int label)
{
    static const look PLAIN = {{"-", ".", "+"}, 0};
    static const look BLOCKS = {{"\u2591", "\u00b7", "\u2588"}, 0};
    static const look COLOURS = {
        {"\x1b[38;5;208m\u2588\x1b[0m", "\u00b7", "\x1b[38;5;33m\u2588\x1b[0m"}, 0};
    const bool terminal = isatty(STDOUT_FILENO);
    const char *no_colour = getenv("NO_COLOR");
    const char *kind = getenv("TERM");
    struct winsize size = {.ws_col = 80};
    look chosen = PLAIN;
    if (terminal && speaks_utf8() && kind && strcmp(kind, "dumb") != 0)
        chosen = no_colour && *no_colour ? BLOCKS : COLOURS;
    if (terminal && (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40))
        size.ws_col = 80;
    chosen.width = size.ws_col - label - 2;
    return chosen;
}

enum { LABEL_WIDTH = 24, LABEL_BYTES = 4 * LABEL_WIDTH + 1 };

/* The name of a class, cut where it is long; or its number. */
static void class_label(char out[LABEL_BYTES], const pt_report *coding, int64_t r)
{
    const char *name = pt_report_text_at(coding, "class", r, 0, 0);
    if (!name) {
        snprintf(out, LABEL_BYTES, "%lld", (long long)r + 1);
        return;
    }
    snprintf(out, LABEL_BYTES, "%.*s", cli_text_cut(name, LABEL_WIDTH), name);
}

/* Bands of as many columns as fit into a line, every class in each. */
static void draw_matrix(FILE *file, const pt_report *coding)
{
    const int64_t k = pt_report_integer(coding, "n_classes");
    const int64_t ell = pt_report_integer(coding, "n_columns");
    char label[LABEL_BYTES];
    int longest = 1;
    for (int64_t r = 0; r < k; r++) {
        class_label(label, coding, r);
        longest = cli_text_width(label) > longest ? cli_text_width(label) : longest;
    }
    const look l = choose_look(longest);
    for (int64_t first = 0; first < ell; first += l.width) {
        const int64_t end = first + l.width < ell ? first + l.width : ell;
        if (ell > l.width)
            fprintf(file, "%scolumns %lld to %lld\n", first ? "\n" : "", (long long)first + 1,
                    (long long)end);
        for (int64_t r = 0; r < k; r++) {
            class_label(label, coding, r);
            cli_put_safe(file, label);
            fprintf(file, "%*s", longest + 1 - cli_text_width(label), "");
            for (int64_t s = first; s < end; s++)
                fputs(l.sign[pt_report_integer_at(coding, "code", r, s, 0) + 1], file);
            putc('\n', file);
        }
    }
}

/* ---- the figures ----------------------------------------------------------------------------- */

static void put_figures(FILE *file, const char *name, const pt_report *coding)
{
    cli_put_safe(file, name);
    fprintf(file, ": %lld classes, %lld column%s\n",
            (long long)pt_report_integer(coding, "n_classes"),
            (long long)pt_report_integer(coding, "n_columns"),
            pt_report_integer(coding, "n_columns") == 1 ? "" : "s");
    fprintf(file, "rho: %g, the smallest distance of two classes\n",
            pt_report_number(coding, "rho"));
    fprintf(file, "row separation: %lld, column separation: %lld\n",
            (long long)pt_report_integer(coding, "row_separation"),
            (long long)pt_report_integer(coding, "column_separation"));
    fprintf(file, "balance of columns: %.2f at least, %.2f on average\n",
            pt_report_number(coding, "least_balance"), pt_report_number(coding, "mean_balance"));
    fprintf(file, "columns equal to another: %lld, opposite: %lld\n",
            (long long)pt_report_integer(coding, "n_equal"),
            (long long)pt_report_integer(coding, "n_opposite"));
    fprintf(file, "zeros: %.1f %%\n", 100 * pt_report_number(coding, "zero_share"));
}

/* How many classes a column puts on a side. */
static int64_t classes_on(const pt_report *coding, int64_t column, int64_t side)
{
    int64_t n = 0;
    for (int64_t r = 0; r < pt_report_integer(coding, "n_classes"); r++)
        n += pt_report_integer_at(coding, "code", r, column, 0) == side;
    return n;
}

static json_t *json_matrix(const pt_report *coding)
{
    json_t *rows = json_array();
    for (int64_t r = 0; r < pt_report_integer(coding, "n_classes"); r++) {
        json_t *row = json_array();
        for (int64_t s = 0; s < pt_report_integer(coding, "n_columns"); s++)
            json_array_append_new(row, json_integer(pt_report_integer_at(coding, "code", r, s, 0)));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *json_balance(const pt_report *coding)
{
    json_t *columns = json_array();
    for (int64_t s = 0; s < pt_report_integer(coding, "n_columns"); s++) {
        json_t *both = json_array();
        json_array_append_new(both, json_integer(classes_on(coding, s, 1)));
        json_array_append_new(both, json_integer(classes_on(coding, s, -1)));
        json_array_append_new(columns, both);
    }
    return columns;
}

static int print_json(const cli_context *context, const char *name, const pt_report *coding,
                      bool matrix)
{
    json_t *object = cli_json_object(context, NULL, context->params);
    json_object_del(object, "machine");
    json_object_set_new(object, "code", cli_json_text(name));
    json_object_set_new(object, "classes", json_integer(pt_report_integer(coding, "n_classes")));
    json_object_set_new(object, "columns", json_integer(pt_report_integer(coding, "n_columns")));
    json_object_set_new(object, "rho", json_real(pt_report_number(coding, "rho")));
    json_object_set_new(object, "row_separation",
                        json_integer(pt_report_integer(coding, "row_separation")));
    json_object_set_new(object, "column_separation",
                        json_integer(pt_report_integer(coding, "column_separation")));
    json_object_set_new(object, "equal_columns",
                        json_integer(pt_report_integer(coding, "n_equal")));
    json_object_set_new(object, "opposite_columns",
                        json_integer(pt_report_integer(coding, "n_opposite")));
    json_object_set_new(object, "zero_share", json_real(pt_report_number(coding, "zero_share")));
    json_object_set_new(object, "least_balance",
                        json_real(pt_report_number(coding, "least_balance")));
    json_object_set_new(object, "mean_balance",
                        json_real(pt_report_number(coding, "mean_balance")));
    json_object_set_new(object, "sides", json_balance(coding)); /* classes with +1, with -1 */
    if (matrix)
        json_object_set_new(object, "matrix", json_matrix(coding));
    return cli_json_print(context, object);
}

/* ---- the rows of a designed code ------------------------------------------------------------- */

static void put_rows(FILE *file, const pt_model *model, const double *M, int64_t ell)
{
    for (int64_t r = 0; r < pt_model_n_classes(model); r++) {
        cli_put_csv(file, pt_model_class_name(model, r));
        for (int64_t s = 0; s < ell; s++)
            fprintf(file, ",%.17g", M[r * ell + s]);
        putc('\n', file);
    }
}

static int print_rows_json(const cli_context *context, const pt_model *model, const double *M,
                           int64_t ell)
{
    json_t *object = cli_json_object(context, model, context->params);
    json_t *rows = json_array();
    for (int64_t r = 0; r < pt_model_n_classes(model); r++) {
        json_t *row = json_array();
        for (int64_t s = 0; s < ell; s++)
            json_array_append_new(row, json_real(M[r * ell + s]));
        json_array_append_new(rows, row);
    }
    json_object_set_new(object, "classes", json_integer(pt_model_n_classes(model)));
    json_object_set_new(object, "columns", json_integer(ell));
    json_object_set_new(object, "matrix", rows);
    return cli_json_print(context, object);
}

static int show_model(cli_context *context, const char *path)
{
    pt_model *model = NULL;
    int64_t ell = 0;
    if (cli_value(context, "show") || cli_value(context, "info") || cli_value(context, "classes"))
        return cli_usage(context, "of a model the numbers of its designed code are printed; leave "
                                  "--show, --info and -k out");
    int code = cli_load(context, path, &model);
    const double *M = code == CLI_DONE ? pt_model_designed_rows(model, &ell) : NULL;
    if (code == CLI_DONE && !M)
        code =
            cli_fail_text(context, path,
                          "the model has no designed code in numbers: 'polytomy code design' makes "
                          "one, without --design-kernel");
    else if (code == CLI_DONE && context->json)
        code = print_rows_json(context, model, M, ell);
    else if (code == CLI_DONE) {
        cli_output output;
        code = cli_output_open(context, &output, cli_value(context, "output"));
        if (code == CLI_DONE) {
            put_rows(output.file, model, M, ell);
            code = cli_output_close(context, &output);
        }
    }
    pt_model_free(model);
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

static pt_status coding_of(pt_report **out, const cli_context *context, const char *name, int64_t k,
                           pt_error *err)
{
    pt_params *params = NULL;
    pt_status status = pt_params_copy(&params, context->params, err);
    if (status == PT_OK)
        status = pt_params_set(params, "code", name, err);
    if (status == PT_OK)
        status = pt_coding_make(out, k, params, context->task, err);
    pt_params_free(params);
    return status;
}

static int make_coding(cli_context *context, pt_report **out)
{
    const char *name = context->arguments[0];
    const char *classes = cli_value(context, "classes");
    pt_error err = PT_ERROR_INIT;
    pt_status status = PT_OK;
    if (is_family(name)) {
        char *end = NULL;
        const int64_t k = classes ? strtoll(classes, &end, 10) : 0;
        if (!classes)
            return cli_usage(context, "code %s needs -k K, the number of classes", name);
        if (!*classes || *end || k < 2)
            return cli_usage(context, "-k: '%.60s' is not a whole number >= 2", classes);
        status = coding_of(out, context, name, k, &err);
        return status == PT_OK ? CLI_DONE : cli_fail_status(context, &err);
    }
    if (strcmp(name, "-") != 0 && access(name, F_OK) != 0)
        return cli_unknown(context, "code and no file", "codes", name);
    static const char *const UNUSED[] = {"columns", "draws", "paper"};
    for (size_t i = 0; i < sizeof UNUSED / sizeof *UNUSED; i++)
        if (pt_params_is_set(context->params, UNUSED[i]))
            return cli_usage(context, "--%s is not used for the code of a file", UNUSED[i]);
    if (classes)
        return cli_usage(context, "-k is not used for the code of a file");
    status = coding_of(out, context, name, 0, &err);
    return status == PT_OK ? CLI_DONE : cli_fail(context, &err, CLI_FAILED);
}

static int put_output(const cli_context *context, const pt_report *coding)
{
    const char *path = cli_value(context, "output");
    const bool show = cli_value(context, "show") != NULL;
    cli_output output;
    const int code = cli_output_open(context, &output, path);
    if (code != CLI_DONE)
        return code;
    if (show)
        draw_matrix(output.file, coding);
    else
        put_matrix(output.file, coding);
    return cli_output_close(context, &output);
}

static int run(cli_context *context)
{
    const char *name = context->arguments[0];
    const char *path = cli_value(context, "output");
    const bool show = cli_value(context, "show") != NULL;
    const bool info = cli_value(context, "info") != NULL;
    const bool file = path && strcmp(path, "-") != 0;
    if (cli_is_model(name))
        return show_model(context, name);
    if (show && (file || info || context->json))
        return cli_usage(context, "--show draws on standard output, without %s",
                         file   ? "-o"
                         : info ? "--info"
                                : "--json");
    if (info && path)
        return cli_usage(context, "--info writes no matrix: leave -o out");
    if (path && !file && context->json)
        return cli_usage(context, "--json and -o - would mix on standard output");
    pt_report *coding = NULL;
    int code = file ? cli_output_apart(context, path) : CLI_DONE;
    if (code == CLI_DONE)
        code = make_coding(context, &coding);
    cli_progress_clear();
    if (code == CLI_DONE)
        cli_hold_warnings(context, "", coding);
    cli_tell_held(context);
    if (code == CLI_DONE && !info && (file || !context->json))
        code = put_output(context, coding);
    if (code == CLI_DONE && context->json)
        code = print_json(context, name, coding, !file && !info);
    else if (code == CLI_DONE && (info || !context->quiet))
        put_figures(info || show || file ? stdout : stderr, name, coding);
    pt_report_free(coding);
    return code;
}

const cli_command cli_code = {
    .name = "code",
    .arguments = "KIND -k K | FILE [-o FILE]",
    .summary = "make or inspect a coding matrix",
    .description =
        "Makes the code KIND for K classes ('polytomy help codes' lists them), or reads one from a "
        "CSV file, and prints it: a line for each class, an entry of -1, 0 or 1 for each column, "
        "as 'train --code FILE' takes it. The first cell of a line may name its class. Of a model "
        "with a designed code it prints the numbers of that code; 'polytomy code design' designs "
        "one ('polytomy help code design').\n\n"
        "The figures go to standard error; with -o or --info to standard output. rho is the "
        "smallest distance of two classes, the sum of (1 - u v)/2 over the columns: the larger it "
        "is, the less errors of columns cost. Row separation: the fewest columns in which two "
        "classes have opposite signs. Column separation: the fewest classes in which two columns "
        "differ, or one and the opposite of the other. Balance: the smaller side of a column.",
    .examples = "polytomy code dense -k 10 --show\n"
                "polytomy code sparse -k 26 --seed 7 -o code.csv\n"
                "polytomy train letter.csv --code code.csv -o model\n"
                "polytomy code code.csv --info\tthe figures of your own code\n"
                "polytomy code designed.model\tthe numbers of a designed code\n",
    .groups = "run",
    .parameters = "columns,draws,paper",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
