/* Discrete design: the problem, the best first column, and the four searches. */
#include "codes/design/discrete.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"

enum {
    EXACT_ENTRIES = 256, /* more would never end, and each takes the memory of an output */
    COLUMN_STARTS = 2    /* of the local search for one column: it has few entries */
};

/* ---- examples that are alike ----------------------------------------------------------------- */

typedef struct example {
    const double *h;
    int64_t ell;
    int64_t y;
    int64_t i;
} example;

/* By class, then by outputs: 0 where both are alike. */
static int compare_patterns(const example *a, const example *b)
{
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    for (int64_t t = 0; t < a->ell; t++)
        if (a->h[t] != b->h[t])
            return a->h[t] < b->h[t] ? -1 : 1;
    return 0;
}

static int compare_examples(const void *left, const void *right)
{
    const example *a = left;
    const example *b = right;
    const int order = compare_patterns(a, b);
    return order != 0 ? order : (a->i > b->i) - (a->i < b->i);
}

/* Real outputs are rounded to multiples of a power of two, at most 2^-30 of the largest, so that
 * sums of them are exact in any order: scores that tie do so however they were added up. Signs and
 * bits stay as they are. */
static void round_outputs(double *H, int64_t cells)
{
    int exponent = 0;
    double largest = 0;
    for (int64_t c = 0; c < cells; c++)
        largest = fmax(largest, fabs(H[c]));
    (void)frexp(largest, &exponent);
    for (int64_t c = 0; c < cells && largest > 0; c++)
        H[c] = ldexp(rint(ldexp(H[c], 31 - exponent)), exponent - 31);
}

static void problem_free(pt_discrete_problem *p)
{
    pt_free(p->share);
    pt_free(p->weight);
    pt_free(p->class_of);
    pt_free(p->H);
}

static pt_status problem_init(pt_discrete_problem *p, const pt_design_data *data,
                              pt_design_entries entries, int64_t fixed, pt_error *err)
{
    static const pt_discrete_problem allowed[] = {
        [PT_ENTRIES_SIGN] = {.n_values = 2, .values = {-1, 1, 0}},
        [PT_ENTRIES_TERNARY] = {.n_values = 3, .values = {-1, 0, 1}},
        [PT_ENTRIES_BIT] = {.n_values = 2, .values = {0, 1, 0}}};
    if (data->k < 2 || data->ell < 1 || data->m < 1)
        return pt_fail(err, PT_EINVAL,
                       "a code is designed for two classes, one column and one example at least");
    *p = allowed[entries];
    p->k = data->k;
    p->ell = data->ell;
    p->fixed = fixed;
    PT_SCRATCH example *order = NULL;
    PT_TRY(PT_NEW(order, data->m, "examples in order", err));
    PT_TRY(PT_NEW(p->share, data->k + 1, "shares of ties", err));
    PT_TRY(PT_NEW(p->class_of, data->m, "classes of examples", err));
    PT_TRY(PT_NEW(p->weight, data->m, "weights of examples", err));
    for (int64_t i = 0; i < data->m; i++)
        order[i] = (example){data->H + i * data->ell, data->ell, data->class_of[i], i};
    qsort(order, (size_t)data->m, sizeof *order, compare_examples);
    for (int64_t j = 0; j < data->m; j++) { /* order[p->m] <- the first of a pattern */
        const double w = pt_weight(data->weight, order[j].i);
        if (p->m == 0 || compare_patterns(&order[p->m - 1], &order[j]) != 0) {
            order[p->m] = order[j];
            p->class_of[p->m] = order[j].y;
            p->weight[p->m++] = 0;
        }
        p->weight[p->m - 1] += w;
        p->total += w;
    }
    PT_TRY(PT_NEW(p->H, p->m * p->ell, "outputs", err));
    for (int64_t t = 0; t < p->ell; t++)
        for (int64_t i = 0; i < p->m; i++)
            p->H[t * p->m + i] = order[i].h[t];
    round_outputs(p->H, p->m * p->ell);
    p->share[0] = 0;
    for (int64_t q = 1; q <= data->k; q++)
        p->share[q] = 1 / (double)q;
    p->rounding = 1e-11 * p->total;
    return PT_OK;
}

/* ---- what a code gets right ------------------------------------------------------------------ */

int pt_discrete_value(const pt_discrete_problem *problem, int8_t entry)
{
    for (int j = 0; j < problem->n_values; j++)
        if (problem->values[j] == entry)
            return j;
    return -1;
}

void pt_discrete_best_other(const double *score, int64_t k, int64_t stride, int64_t y, double *best,
                            int64_t *ties)
{
    *best = -INFINITY;
    *ties = 0;
    for (int64_t r = 0; r < k; r++) {
        const double s = score[r * stride];
        if (r == y || s < *best)
            continue;
        *ties = s > *best ? 1 : *ties + 1;
        *best = s;
    }
}

/* *right <- the weight of what a code gets right: W (1 - eps). */
static pt_status weigh_right(double *right, const pt_discrete_problem *p, const int8_t *code,
                             pt_error *err)
{
    PT_SCRATCH double *score = NULL;
    PT_TRY(PT_NEW(score, p->k, "scores", err));
    *right = 0;
    for (int64_t i = 0; i < p->m; i++) {
        double best = 0;
        int64_t ties = 0;
        memset(score, 0, (size_t)p->k * sizeof *score);
        for (int64_t t = 0; t < p->ell; t++)
            for (int64_t r = 0; r < p->k; r++)
                score[r] += code[t * p->k + r] * p->H[t * p->m + i];
        pt_discrete_best_other(score, p->k, 1, p->class_of[i], &best, &ties);
        *right += p->weight[i] * pt_discrete_share(p, score[p->class_of[i]], best, ties);
    }
    return PT_OK;
}

/* ---- the best first column ----------------------------------------------------------------------
 *
 * CS Theorem 1: for a given number w of classes at +, xi is largest where those with the w largest
 * gains a_r^+ / w - a_r^- / (k - w) are at +; the best w is found by trying all. Not as printed:
 * weights, and outputs of 0, to which any column gives the share 1/k. */

typedef struct gain {
    double value;
    int64_t r;
} gain;

/* Descending; the lower class first on ties. */
static int compare_gains(const void *left, const void *right)
{
    const gain *a = left;
    const gain *b = right;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (a->r > b->r) - (a->r < b->r);
}

pt_status pt_design_first_column(const pt_design_data *data, int64_t t, int8_t *u, double *error,
                                 pt_error *err)
{
    const double rounding = 1e-14; /* values that are equal but for it: the smaller w stays */
    const int64_t k = data->k;
    double *plus = NULL;  /* k: a_r^+ */
    double *minus = NULL; /* k: a_r^- */
    double zero = 0;      /* the share of outputs that are 0 */
    gain *gains = NULL;   /* k */
    if (k < 2)
        return pt_fail(err, PT_EINVAL, "a column is for two classes at least, not %lld",
                       (long long)k);
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "shares of classes", err, PT_PIECE(plus, k), PT_PIECE(minus, k),
                    PT_PIECE(gains, k)));
    double total = 0;
    memset(plus, 0, (size_t)k * sizeof *plus);
    memset(minus, 0, (size_t)k * sizeof *minus);
    for (int64_t i = 0; i < data->m; i++) {
        const double h = data->H[i * data->ell + t];
        const double weight = pt_weight(data->weight, i);
        total += weight;
        if (h == 0)
            zero += weight;
        else
            (h > 0 ? plus : minus)[data->class_of[i]] += weight;
    }
    for (int64_t r = 0; r < k && total > 0; r++) {
        plus[r] /= total;
        minus[r] /= total;
    }
    zero = total > 0 ? zero / total : 0;

    double best = -1;
    for (int64_t w = 1; w < k; w++) {
        for (int64_t r = 0; r < k; r++)
            gains[r] = (gain){plus[r] / (double)w - minus[r] / (double)(k - w), r};
        qsort(gains, (size_t)k, sizeof *gains, compare_gains);
        double right_plus = 0;
        double right_minus = 0;
        for (int64_t j = 0; j < w; j++)
            right_plus += plus[gains[j].r];
        for (int64_t j = w; j < k; j++)
            right_minus += minus[gains[j].r];
        const double xi = right_plus / (double)w + right_minus / (double)(k - w) + zero / (double)k;
        if (xi <= best + rounding)
            continue;
        best = xi;
        for (int64_t j = 0; j < k; j++)
            u[gains[j].r] = j < w ? 1 : -1;
    }
    if (error)
        *error = 1 - best;
    return PT_OK;
}

/* ---- the searches ---------------------------------------------------------------------------- */

typedef struct search {
    const pt_design_data *data;
    const pt_discrete_options *options;
    pt_discrete_problem problem;
    int8_t *code;    /* ell x k */
    int8_t *start;   /* ell x k; NULL: none */
    double right;    /* the weight of what it gets right */
    double possible; /* what no code exceeds */
    int64_t nodes;
    const pt_task *task;
} search;

static pt_status search_local(search *s, const int8_t *start, int64_t starts, pt_error *err)
{
    return pt_discrete_local(&s->problem, s->code, start, starts, s->options->seed, &s->right,
                             s->task, err);
}

static pt_status search_exact(search *s, pt_error *err)
{
    const int64_t most = s->options->nodes > 0 ? s->options->nodes : PT_DISCRETE_NODES;
    return pt_discrete_exact(&s->problem, s->code, &s->right, &s->possible, &s->nodes, most,
                             s->task, err);
}

/* One column after another, where those before it are decided. */
static pt_status search_greedy(search *s, pt_error *err)
{
    const int64_t ell = s->problem.ell;
    for (int64_t t = s->problem.fixed; t < ell; t++) {
        if (t == 0 && s->options->entries == PT_ENTRIES_SIGN) {
            PT_TRY(pt_design_first_column(s->data, 0, s->code, NULL, err));
            continue;
        }
        s->problem.ell = t + 1;
        s->problem.fixed = t;
        PT_TRY(search_local(s, NULL, COLUMN_STARTS, err));
        if (s->problem.k <= PT_DISCRETE_EXACT_CLASSES)
            PT_TRY(search_exact(s, err));
    }
    s->problem.ell = ell;
    s->problem.fixed = s->options->fixed;
    return PT_OK;
}

static pt_status search_by(search *s, pt_error *err)
{
    const pt_discrete_options *o = s->options;
    const int64_t k = s->problem.k;
    const int64_t entries = (s->problem.ell - s->problem.fixed) * k;
    if (o->search == PT_SEARCH_GREEDY)
        return search_greedy(s, err);
    for (int64_t t = 0; t < s->problem.ell && o->search == PT_SEARCH_COLUMN; t++)
        PT_TRY(pt_design_first_column(s->data, t, s->code + t * k, NULL, err));
    if (o->search == PT_SEARCH_COLUMN)
        return PT_OK;
    if (o->search == PT_SEARCH_EXACT && entries > EXACT_ENTRIES)
        return pt_fail(err, PT_ELIMIT,
                       "an exact search is for codes of at most %d entries, not of %lld; use "
                       "`design-search=local`",
                       EXACT_ENTRIES, (long long)entries);
    PT_TRY(search_local(s, s->start, o->starts > 0 ? o->starts : PT_DISCRETE_STARTS, err));
    return o->search == PT_SEARCH_EXACT ? search_exact(s, err) : PT_OK;
}

/* Rows of a code become columns, one after another. */
static void to_columns(int8_t *code, const int8_t *M, int64_t k, int64_t ell)
{
    for (int64_t r = 0; r < k; r++)
        for (int64_t t = 0; t < ell; t++)
            code[t * k + r] = M[r * ell + t];
}

static void search_free(search *s)
{
    pt_free(s->start);
    pt_free(s->code);
    problem_free(&s->problem);
}

pt_status pt_design_discrete(int8_t *M, const pt_design_data *data,
                             const pt_discrete_options *options, pt_discrete_result *result,
                             const pt_task *task, pt_error *err)
{
    PT_FREED_BY(search_free) search s = {.data = data, .options = options, .task = task};
    const pt_discrete_problem *p = &s.problem;
    const int64_t cells = data->k * data->ell;
    if (options->search == PT_SEARCH_COLUMN && options->entries != PT_ENTRIES_SIGN)
        return pt_fail(err, PT_EINVAL, "a search by columns alone is for entries of -1 and +1");
    if (options->fixed < 0 || options->fixed > data->ell)
        return pt_fail(err, PT_EINVAL, "%lld columns of %lld cannot be fixed",
                       (long long)options->fixed, (long long)data->ell);
    PT_TRY(problem_init(&s.problem, data, options->entries, options->fixed, err));
    PT_TRY(PT_NEW_ZERO(s.code, cells, "a code", err));
    if (options->fixed > 0)
        to_columns(s.code, M, data->k, data->ell);
    if (options->start) {
        PT_TRY(PT_NEW(s.start, cells, "a code", err));
        to_columns(s.start, options->start, data->k, data->ell);
    }
    PT_TRY(search_by(&s, err));
    PT_TRY(weigh_right(&s.right, p, s.code, err)); /* counted afresh */
    const bool exact = options->search == PT_SEARCH_EXACT;
    const bool alone = p->ell == 1 && p->fixed == 0 && options->entries == PT_ENTRIES_SIGN &&
                       options->search != PT_SEARCH_LOCAL; /* Theorem 1 */
    const double possible = exact ? s.possible : alone ? s.right : p->total;
    *result = (pt_discrete_result){.error = 1 - s.right / p->total,
                                   .bound = possible < p->total ? 1 - possible / p->total : 0,
                                   .proven = possible <= s.right + p->rounding,
                                   .nodes = s.nodes};
    for (int64_t c = 0; c < cells; c++)
        M[c] = s.code[c % data->ell * data->k + c / data->ell];
    return PT_OK;
}

pt_status pt_discrete_error(double *error, const pt_design_data *data, const int8_t *M,
                            pt_error *err)
{
    PT_FREED_BY(search_free) search s = {.data = data};
    PT_TRY(problem_init(&s.problem, data, PT_ENTRIES_SIGN, 0, err));
    PT_TRY(PT_NEW(s.code, data->k * data->ell, "a code", err));
    to_columns(s.code, M, data->k, data->ell);
    PT_TRY(weigh_right(&s.right, &s.problem, s.code, err));
    *error = 1 - s.right / s.problem.total;
    return PT_OK;
}
