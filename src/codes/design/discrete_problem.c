/* The problem of discrete design as the searches see it. */
#include "codes/design/discrete_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void pt_discrete_problem_free(pt_discrete_problem *problem)
{
    pt_free(problem->share);
    pt_free(problem->weight);
    pt_free(problem->class_of);
    pt_free(problem->H);
    *problem = (pt_discrete_problem){0};
}

static void allow_entries(pt_discrete_problem *p, pt_design_entries entries)
{
    static const struct {
        int count;
        int8_t values[3];
    } allowed[] = {[PT_ENTRIES_SIGN] = {2, {-1, 1, 0}},
                   [PT_ENTRIES_TERNARY] = {3, {-1, 0, 1}},
                   [PT_ENTRIES_BIT] = {2, {0, 1, 0}}};
    p->n_values = allowed[entries].count;
    memcpy(p->values, allowed[entries].values, sizeof p->values);
}

int pt_discrete_value(const pt_discrete_problem *problem, int8_t entry)
{
    for (int j = 0; j < problem->n_values; j++)
        if (problem->values[j] == entry)
            return j;
    return -1;
}

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

/* class_of and weight of the patterns; order[j] <- the first example of pattern j. */
static void merge_alike(pt_discrete_problem *p, example *order, const double *weight, int64_t m)
{
    p->m = 0;
    p->total = 0;
    for (int64_t j = 0; j < m; j++) {
        const double w = weight ? weight[order[j].i] : 1;
        if (p->m == 0 || compare_patterns(&order[p->m - 1], &order[j]) != 0) {
            order[p->m] = order[j];
            p->class_of[p->m] = order[j].y;
            p->weight[p->m++] = 0;
        }
        p->weight[p->m - 1] += w;
        p->total += w;
    }
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

static pt_status take_examples(pt_discrete_problem *p, const pt_design_data *data, pt_error *err)
{
    pt_status status = PT_ENOMEM;
    example *order = pt_alloc(data->m, sizeof *order, "examples in order", err);
    p->class_of = pt_alloc(data->m, sizeof *p->class_of, "classes of examples", err);
    p->weight = pt_alloc(data->m, sizeof *p->weight, "weights of examples", err);
    if (!order || !p->class_of || !p->weight)
        goto done;
    for (int64_t i = 0; i < data->m; i++)
        order[i] = (example){data->H + i * data->ell, data->ell, data->class_of[i], i};
    qsort(order, (size_t)data->m, sizeof *order, compare_examples);
    merge_alike(p, order, data->weight, data->m);
    p->H = pt_alloc(p->m * p->ell, sizeof *p->H, "outputs", err);
    if (!p->H)
        goto done;
    for (int64_t t = 0; t < p->ell; t++)
        for (int64_t i = 0; i < p->m; i++)
            p->H[t * p->m + i] = order[i].h[t];
    round_outputs(p->H, p->m * p->ell);
    status = PT_OK;
done:
    pt_free(order);
    return status;
}

pt_status pt_discrete_problem_init(pt_discrete_problem *problem, const pt_design_data *data,
                                   pt_design_entries entries, int64_t fixed, pt_error *err)
{
    if (data->k < 2 || data->ell < 1 || data->m < 1)
        return pt_fail(err, PT_EINVAL,
                       "a code is designed for two classes, one column and one example at least");
    *problem = (pt_discrete_problem){.k = data->k, .ell = data->ell, .fixed = fixed};
    allow_entries(problem, entries);
    problem->share = pt_alloc(data->k + 1, sizeof *problem->share, "shares of ties", err);
    const pt_status status = problem->share ? take_examples(problem, data, err) : PT_ENOMEM;
    if (status != PT_OK) {
        pt_discrete_problem_free(problem);
        return status;
    }
    problem->share[0] = 0;
    for (int64_t q = 1; q <= data->k; q++)
        problem->share[q] = 1 / (double)q;
    problem->rounding = 1e-11 * problem->total;
    return PT_OK;
}

/* ---- what a code gets right ------------------------------------------------------------------ */

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

double pt_discrete_right(const pt_discrete_problem *problem, const int8_t *code, double *work)
{
    const pt_discrete_problem *p = problem;
    double right = 0;
    for (int64_t i = 0; i < p->m; i++) {
        double best = 0;
        int64_t ties = 0;
        memset(work, 0, (size_t)p->k * sizeof *work);
        for (int64_t t = 0; t < p->ell; t++)
            for (int64_t r = 0; r < p->k; r++)
                work[r] += code[t * p->k + r] * p->H[t * p->m + i];
        pt_discrete_best_other(work, p->k, 1, p->class_of[i], &best, &ties);
        right += p->weight[i] * pt_discrete_share(p, work[p->class_of[i]], best, ties);
    }
    return right;
}
