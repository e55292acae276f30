/* polytomy eval: the columns of a code, its bounds and decoding margins. */
#include "cli.h"

#include <math.h>
#include <string.h>

enum { WORST = 10 };

static const double QUANTILES[] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 1};
enum { N_QUANTILES = sizeof QUANTILES / sizeof *QUANTILES };

/* Losses of outputs that are large, the exponential one above all, leave the range of doubles. */
static void print_number(int width, double value)
{
    if (isinf(value))
        printf("%*s", width, value > 0 ? "> 1.8e308" : "< -1.8e308");
    else
        printf("%*.4g", width, value);
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Who is at + and who at -. */
typedef struct sides {
    int64_t plus;
    int64_t minus;
    int64_t first_plus; /* the first class there */
    int64_t first_minus;
    int64_t k;
} sides;

static sides sides_of(const pt_report *evaluation, int64_t column)
{
    sides s = {0, 0, 0, 0, pt_report_length(evaluation, "class")};
    for (int64_t r = s.k - 1; r >= 0; r--) {
        const int sign = pt_report_integer_at(evaluation, "code", r, column, 0);
        s.plus += sign > 0;
        s.minus += sign < 0;
        s.first_plus = sign > 0 ? r : s.first_plus;
        s.first_minus = sign < 0 ? r : s.first_minus;
    }
    return s;
}

enum { SIDE_WIDTH = 39, SIDE_BYTES = 4 * SIDE_WIDTH + 1 };

static void side_text(char *text, size_t size, const pt_report *evaluation, int64_t count,
                      int64_t first)
{
    const char *name = pt_report_text_at(evaluation, "class", first, 0, 0);
    if (count == 1)
        snprintf(text, size, "%.*s", cli_text_cut(name, SIDE_WIDTH), name);
    else
        snprintf(text, size, "%lld classes", (long long)count);
}

/* Larger errors first, then larger losses, then in order; columns without rows last. */
static bool is_worse(const pt_report *evaluation, int64_t a, int64_t b)
{
    const double error_a = pt_report_number_at(evaluation, "column_error", a, 0, 0);
    const double error_b = pt_report_number_at(evaluation, "column_error", b, 0, 0);
    if (isnan(error_a) || isnan(error_b))
        return isnan(error_a) ? (isnan(error_b) && a < b) : true;
    if (error_a != error_b)
        return error_a > error_b;
    const double loss_a = pt_report_number_at(evaluation, "column_loss", a, 0, 0);
    const double loss_b = pt_report_number_at(evaluation, "column_loss", b, 0, 0);
    return loss_a != loss_b ? loss_a > loss_b : a < b;
}

static int worst_columns(const pt_report *evaluation, int64_t *worst)
{
    int n = 0;
    for (int64_t s = 0; s < pt_report_integer(evaluation, "n_columns"); s++) {
        if (n == WORST && !is_worse(evaluation, s, worst[n - 1]))
            continue;
        int at = n < WORST ? n++ : n - 1;
        for (; at > 0 && is_worse(evaluation, s, worst[at - 1]); at--)
            worst[at] = worst[at - 1];
        worst[at] = s;
    }
    return n;
}

static void print_column(const pt_report *evaluation, int64_t column)
{
    char plus[SIDE_BYTES];
    char minus[SIDE_BYTES];
    const sides s = sides_of(evaluation, column);
    side_text(plus, sizeof plus, evaluation, s.plus, s.first_plus);
    side_text(minus, sizeof minus, evaluation, s.minus, s.first_minus);
    printf("%6lld  %8lld", (long long)column + 1,
           (long long)pt_report_integer_at(evaluation, "column_rows", column, 0, 0));
    if (pt_report_integer_at(evaluation, "column_rows", column, 0, 0) == 0)
        printf("  %8s  %10s  %9s", "-", "-", "-");
    else {
        printf("  %8.2f  ", 100 * pt_report_number_at(evaluation, "column_error", column, 0, 0));
        print_number(10, pt_report_number_at(evaluation, "column_loss", column, 0, 0));
        printf("  %9.1f", 100 * pt_report_number_at(evaluation, "column_balance", column, 0, 0));
    }
    printf("  ");
    cli_put_safe(stdout, plus);
    printf(" : ");
    cli_put_safe(stdout, minus);
    putchar('\n');
}

static void print_columns(const pt_report *evaluation, bool all)
{
    const int64_t ell = pt_report_integer(evaluation, "n_columns");
    int64_t worst[WORST];
    const int n_worst = worst_columns(evaluation, worst);
    all = all || ell <= WORST;
    printf("\n%s\n", all ? "columns" : "the worst columns (-v shows all)");
    printf("column      rows   error %%   mean loss   at + %%    + : -\n");
    for (int64_t i = 0; i < (all ? ell : n_worst); i++)
        print_column(evaluation, all ? i : worst[i]);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void print_whole(const pt_report *evaluation)
{
    const double ignored = pt_report_number(evaluation, "ignored");
    const int64_t columns = pt_report_integer(evaluation, "n_columns");
    printf("\ncode: %lld column%s, rho %g", (long long)columns, columns == 1 ? "" : "s",
           pt_report_number(evaluation, "rho"));
    if (ignored > 0)
        printf(", %.1f %% of (row, column) without a sign", 100 * ignored);
    printf("\ncolumns: error %.2f %%, mean %s loss ",
           100 * pt_report_number(evaluation, "binary_error"),
           pt_report_text(evaluation, "code_loss"));
    print_number(0, pt_report_number(evaluation, "average_loss_taking_part"));
    if (ignored > 0) {
        printf("; ");
        print_number(0, pt_report_number(evaluation, "average_loss"));
        printf(" with %.4g where there is no sign", pt_report_number(evaluation, "loss_at_zero"));
    }
    putchar('\n');
    if (!pt_report_integer(evaluation, "code_decides"))
        printf("this is the code that the columns were learned for; a designed one decides\n");
}

static void print_bounds_of(const pt_report *evaluation, const char *decoding, const char *error,
                            const char *bound, const char *bound_q)
{
    printf("%-10s  %8.2f  ", decoding, 100 * pt_report_number(evaluation, error));
    print_number(20, 100 * pt_report_number(evaluation, bound));
    printf("  ");
    print_number(17, 100 * pt_report_number(evaluation, bound_q));
    putchar('\n');
}

static void print_bounds(const pt_report *evaluation)
{
    printf("\ndecoding     error %%   bound of Theorem 1 %%   of Corollary 2 %%\n");
    print_bounds_of(evaluation, pt_report_text(evaluation, "code_loss"), "loss_decoding_error",
                    "loss_decoding_bound", "loss_decoding_bound_q");
    print_bounds_of(evaluation, "hamming", "hamming_error", "hamming_bound", "hamming_bound_q");
}

static void print_decoding_margins(const pt_report *evaluation)
{
    printf("\ndecoding margin (%s loss, for each column), by quantile\n",
           pt_report_text(evaluation, "code_loss"));
    for (int i = 0; i < N_QUANTILES; i++)
        printf("%9.0f %%", 100 * QUANTILES[i]);
    putchar('\n');
    for (int i = 0; i < N_QUANTILES; i++)
        print_number(11, pt_report_number_at(evaluation, "decoding_margin", i, 0, 0));
    putchar('\n');
}

void eval_code_print(const pt_report *evaluation, bool all)
{
    if (pt_report_integer(evaluation, "n_columns") == 0 ||
        isnan(pt_report_number_at(evaluation, "decoding_margin", 3, 0, 0)))
        return;
    print_whole(evaluation);
    print_bounds(evaluation);
    print_columns(evaluation, all);
    print_decoding_margins(evaluation);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static json_t *json_columns(const pt_report *evaluation)
{
    enum { MOST_CELLS = 10000000 }; /* beyond, who is where is left out: it would take long */
    const int64_t ell = pt_report_integer(evaluation, "n_columns");
    const bool named = ell <= MOST_CELLS / (pt_report_length(evaluation, "class") + 1);
    json_t *rows = json_array();
    for (int64_t column = 0; column < ell; column++) {
        json_t *row = json_object();
        json_object_set_new(
            row, "n", json_integer(pt_report_integer_at(evaluation, "column_rows", column, 0, 0)));
        json_object_set_new(
            row, "error",
            cli_json_real(pt_report_number_at(evaluation, "column_error", column, 0, 0)));
        json_object_set_new(
            row, "loss",
            cli_json_real(pt_report_number_at(evaluation, "column_loss", column, 0, 0)));
        json_object_set_new(
            row, "balance",
            cli_json_real(pt_report_number_at(evaluation, "column_balance", column, 0, 0)));
        if (named) {
            const sides s = sides_of(evaluation, column);
            json_object_set_new(row, "classes_plus", json_integer(s.plus));
            json_object_set_new(row, "classes_minus", json_integer(s.minus));
            json_object_set_new(
                row, "first_plus",
                cli_json_text(pt_report_text_at(evaluation, "class", s.first_plus, 0, 0)));
            json_object_set_new(
                row, "first_minus",
                cli_json_text(pt_report_text_at(evaluation, "class", s.first_minus, 0, 0)));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *eval_code_json(const pt_report *evaluation)
{
    static const char *const FIGURES[] = {"rho",
                                          "average_loss",
                                          "loss_at_zero",
                                          "ignored",
                                          "average_loss_taking_part",
                                          "binary_error",
                                          "loss_decoding_error",
                                          "loss_decoding_bound",
                                          "loss_decoding_bound_q",
                                          "hamming_error",
                                          "hamming_bound",
                                          "hamming_bound_signs",
                                          "hamming_bound_q"};
    json_t *object = json_object();
    json_object_set_new(object, "columns",
                        json_integer(pt_report_integer(evaluation, "n_columns")));
    json_object_set_new(object, "decides",
                        json_boolean(pt_report_integer(evaluation, "code_decides")));
    json_object_set_new(object, "loss", json_string(pt_report_text(evaluation, "code_loss")));
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++)
        json_object_set_new(object, FIGURES[i],
                            cli_json_real(pt_report_number(evaluation, FIGURES[i])));
    json_t *margins = json_array();
    for (int i = 0; i < N_QUANTILES; i++)
        json_array_append_new(
            margins,
            json_pack("{sfso}", "quantile", QUANTILES[i], "margin",
                      cli_json_real(pt_report_number_at(evaluation, "decoding_margin", i, 0, 0))));
    json_object_set_new(object, "decoding_margins", margins);
    json_object_set_new(object, "per_column", json_columns(evaluation));
    return object;
}
