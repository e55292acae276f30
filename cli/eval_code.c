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

static sides sides_of(const pt_evaluation *evaluation, int64_t column)
{
    sides s = {0, 0, 0, 0, pt_evaluation_n_classes(evaluation)};
    for (int64_t r = s.k - 1; r >= 0; r--) {
        const int sign = pt_evaluation_column_sign(evaluation, column, r);
        s.plus += sign > 0;
        s.minus += sign < 0;
        s.first_plus = sign > 0 ? r : s.first_plus;
        s.first_minus = sign < 0 ? r : s.first_minus;
    }
    return s;
}

static void side_text(char *text, size_t size, const pt_evaluation *evaluation, int64_t count,
                      int64_t first)
{
    if (count == 1)
        snprintf(text, size, "%s", pt_evaluation_class_name(evaluation, first));
    else
        snprintf(text, size, "%lld classes", (long long)count);
}

/* Larger errors first, then larger losses, then in order; columns without rows last. */
static bool is_worse(const pt_evaluation *evaluation, int64_t a, int64_t b)
{
    const double error_a = pt_evaluation_column_error(evaluation, a);
    const double error_b = pt_evaluation_column_error(evaluation, b);
    if (isnan(error_a) || isnan(error_b))
        return isnan(error_a) ? (isnan(error_b) && a < b) : true;
    if (error_a != error_b)
        return error_a > error_b;
    const double loss_a = pt_evaluation_column_loss(evaluation, a);
    const double loss_b = pt_evaluation_column_loss(evaluation, b);
    return loss_a != loss_b ? loss_a > loss_b : a < b;
}

static int worst_columns(const pt_evaluation *evaluation, int64_t *worst)
{
    int n = 0;
    for (int64_t s = 0; s < pt_evaluation_n_columns(evaluation); s++) {
        if (n == WORST && !is_worse(evaluation, s, worst[n - 1]))
            continue;
        int at = n < WORST ? n++ : n - 1;
        for (; at > 0 && is_worse(evaluation, s, worst[at - 1]); at--)
            worst[at] = worst[at - 1];
        worst[at] = s;
    }
    return n;
}

static void print_column(const pt_evaluation *evaluation, int64_t column)
{
    char plus[40];
    char minus[40];
    const sides s = sides_of(evaluation, column);
    side_text(plus, sizeof plus, evaluation, s.plus, s.first_plus);
    side_text(minus, sizeof minus, evaluation, s.minus, s.first_minus);
    printf("%6lld  %8lld", (long long)column + 1,
           (long long)pt_evaluation_column_n(evaluation, column));
    if (pt_evaluation_column_n(evaluation, column) == 0)
        printf("  %8s  %10s  %9s", "-", "-", "-");
    else {
        printf("  %8.2f  ", 100 * pt_evaluation_column_error(evaluation, column));
        print_number(10, pt_evaluation_column_loss(evaluation, column));
        printf("  %9.1f", 100 * pt_evaluation_column_balance(evaluation, column));
    }
    printf("  ");
    cli_put_safe(stdout, plus);
    printf(" : ");
    cli_put_safe(stdout, minus);
    putchar('\n');
}

static void print_columns(const pt_evaluation *evaluation, bool all)
{
    const int64_t ell = pt_evaluation_n_columns(evaluation);
    int64_t worst[WORST];
    const int n_worst = worst_columns(evaluation, worst);
    all = all || ell <= WORST;
    printf("\n%s\n", all ? "columns" : "the worst columns (-v shows all)");
    printf("column      rows   error %%   mean loss   at + %%    + : -\n");
    for (int64_t i = 0; i < (all ? ell : n_worst); i++)
        print_column(evaluation, all ? i : worst[i]);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static double figure(const pt_evaluation *evaluation, pt_code_figure which)
{
    return pt_evaluation_code_figure(evaluation, which);
}

static void print_whole(const pt_evaluation *evaluation)
{
    const double ignored = figure(evaluation, PT_CODE_IGNORED);
    const int64_t columns = pt_evaluation_n_columns(evaluation);
    printf("\ncode: %lld column%s, rho %g", (long long)columns, columns == 1 ? "" : "s",
           figure(evaluation, PT_CODE_RHO));
    if (ignored > 0)
        printf(", %.1f %% of (row, column) without a sign", 100 * ignored);
    printf("\ncolumns: error %.2f %%, mean %s loss ",
           100 * figure(evaluation, PT_CODE_BINARY_ERROR), pt_evaluation_loss(evaluation));
    print_number(0, figure(evaluation, PT_CODE_LOSS_TAKING_PART));
    if (ignored > 0) {
        printf("; ");
        print_number(0, figure(evaluation, PT_CODE_LOSS));
        printf(" with %.4g where there is no sign", figure(evaluation, PT_CODE_LOSS_AT_ZERO));
    }
    putchar('\n');
    if (!pt_evaluation_code_decodes(evaluation))
        printf("this is the code that the columns were learned for; a designed one decides\n");
}

static void print_bounds_of(const pt_evaluation *evaluation, const char *decoding,
                            pt_code_figure error, pt_code_figure bound, pt_code_figure bound_q)
{
    printf("%-10s  %8.2f  ", decoding, 100 * figure(evaluation, error));
    print_number(20, 100 * figure(evaluation, bound));
    printf("  ");
    print_number(17, 100 * figure(evaluation, bound_q));
    putchar('\n');
}

static void print_bounds(const pt_evaluation *evaluation)
{
    printf("\ndecoding     error %%   bound of Theorem 1 %%   of Corollary 2 %%\n");
    print_bounds_of(evaluation, pt_evaluation_loss(evaluation), PT_CODE_LOSS_DECODING_ERROR,
                    PT_CODE_LOSS_DECODING_BOUND, PT_CODE_LOSS_DECODING_BOUND_Q);
    print_bounds_of(evaluation, "hamming", PT_CODE_HAMMING_ERROR, PT_CODE_HAMMING_BOUND,
                    PT_CODE_HAMMING_BOUND_Q);
}

static void print_decoding_margins(const pt_evaluation *evaluation)
{
    printf("\ndecoding margin (%s loss, for each column), by quantile\n",
           pt_evaluation_loss(evaluation));
    for (int i = 0; i < N_QUANTILES; i++)
        printf("%9.0f %%", 100 * QUANTILES[i]);
    putchar('\n');
    for (int i = 0; i < N_QUANTILES; i++)
        print_number(11, pt_evaluation_decoding_margin(evaluation, QUANTILES[i]));
    putchar('\n');
}

void eval_code_print(const pt_evaluation *evaluation, bool all)
{
    if (pt_evaluation_n_columns(evaluation) == 0 ||
        isnan(pt_evaluation_decoding_margin(evaluation, 0.5)))
        return;
    print_whole(evaluation);
    print_bounds(evaluation);
    print_columns(evaluation, all);
    print_decoding_margins(evaluation);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static json_t *json_columns(const pt_evaluation *evaluation)
{
    enum { MOST_CELLS = 10000000 }; /* beyond, who is where is left out: it would take long */
    const int64_t ell = pt_evaluation_n_columns(evaluation);
    const bool named = ell <= MOST_CELLS / (pt_evaluation_n_classes(evaluation) + 1);
    json_t *rows = json_array();
    for (int64_t column = 0; column < ell; column++) {
        json_t *row = json_object();
        json_object_set_new(row, "n", json_integer(pt_evaluation_column_n(evaluation, column)));
        json_object_set_new(row, "error",
                            cli_json_real(pt_evaluation_column_error(evaluation, column)));
        json_object_set_new(row, "loss",
                            cli_json_real(pt_evaluation_column_loss(evaluation, column)));
        json_object_set_new(row, "balance",
                            cli_json_real(pt_evaluation_column_balance(evaluation, column)));
        if (named) {
            const sides s = sides_of(evaluation, column);
            json_object_set_new(row, "classes_plus", json_integer(s.plus));
            json_object_set_new(row, "classes_minus", json_integer(s.minus));
            json_object_set_new(row, "first_plus",
                                cli_json_text(pt_evaluation_class_name(evaluation, s.first_plus)));
            json_object_set_new(row, "first_minus",
                                cli_json_text(pt_evaluation_class_name(evaluation, s.first_minus)));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *eval_code_json(const pt_evaluation *evaluation)
{
    static const struct {
        const char *name;
        pt_code_figure figure;
    } FIGURES[] = {
        {"rho", PT_CODE_RHO},
        {"average_loss", PT_CODE_LOSS},
        {"loss_at_zero", PT_CODE_LOSS_AT_ZERO},
        {"ignored", PT_CODE_IGNORED},
        {"average_loss_taking_part", PT_CODE_LOSS_TAKING_PART},
        {"binary_error", PT_CODE_BINARY_ERROR},
        {"loss_decoding_error", PT_CODE_LOSS_DECODING_ERROR},
        {"loss_decoding_bound", PT_CODE_LOSS_DECODING_BOUND},
        {"loss_decoding_bound_q", PT_CODE_LOSS_DECODING_BOUND_Q},
        {"hamming_error", PT_CODE_HAMMING_ERROR},
        {"hamming_bound", PT_CODE_HAMMING_BOUND},
        {"hamming_bound_signs", PT_CODE_HAMMING_BOUND_SIGNS},
        {"hamming_bound_q", PT_CODE_HAMMING_BOUND_Q},
    };
    json_t *object = json_object();
    json_object_set_new(object, "columns", json_integer(pt_evaluation_n_columns(evaluation)));
    json_object_set_new(object, "decides", json_boolean(pt_evaluation_code_decodes(evaluation)));
    json_object_set_new(object, "loss", json_string(pt_evaluation_loss(evaluation)));
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++)
        json_object_set_new(object, FIGURES[i].name,
                            cli_json_real(figure(evaluation, FIGURES[i].figure)));
    json_t *margins = json_array();
    for (int i = 0; i < N_QUANTILES; i++)
        json_array_append_new(
            margins,
            json_pack("{sfso}", "quantile", QUANTILES[i], "margin",
                      cli_json_real(pt_evaluation_decoding_margin(evaluation, QUANTILES[i]))));
    json_object_set_new(object, "decoding_margins", margins);
    json_object_set_new(object, "per_column", json_columns(evaluation));
    return object;
}
