/* Branch and bound for a discrete code: entries are decided one after another, depth first, and a
 * branch is left where not even the most that it could get right beats the best code so far.
 *
 * The bound. With some entries open, the own score of example i is at most, and the score of each
 * wrong class at least, what it would be if every open entry were chosen for this example alone:
 *
 *     B_ri = sum_{t decided} M_rt h_it + sum_{t open} max_v v h_it    r = y_i
 *     B_ri = sum_{t decided} M_rt h_it + sum_{t open} min_v v h_it    r != y_i.
 *
 * Then i gets at most [B_yi >= max B_ri] / (1 + |{r != y: B_ri = B_yi}|), y its class: in any code
 * of the branch every r that is counted ties with y or beats it. The sum over i, weighted, is the
 * bound; it is the value itself where nothing is open.
 *
 * Not looked at twice: to add the same number to a whole column changes no decision. The entries
 * that are allowed are equally far apart, so that some best code has the largest of them in every
 * column; branches without it are left. For two classes that leaves 3 of 4 columns of signs.
 *
 * Columns are decided in the order of their weight sum_i w_i |h_it|, since the bound falls fastest
 * there.
 *
 *   B      k x m       the scores above
 *   saved  depth x m   the row of B that a decision changed, as it was
 *   get    m           what each example gets at most
 *   gets   depth x m   the same before a decision
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "codes/design/discrete.h"

typedef struct choice {
    int8_t value;
    double bound;
} choice;

/* A decision to be made: the entry of class r in column t, and what is left to be tried. */
typedef struct decision {
    int64_t r;
    int64_t t;
    int n_choices;
    int next;
    choice choices[3];
} decision;

typedef struct branch {
    const pt_discrete_problem *p;
    int8_t *code;  /* ell x k: what is decided */
    int8_t *best;  /* ell x k: the caller's */
    double *right; /* of best */
    double *B;
    double *saved;
    double *get;
    double *gets;
    decision *decisions;
    int64_t depth; /* of them: entries that are not fixed */
    int64_t nodes;
} branch;

/* ---- bounds ---------------------------------------------------------------------------------- */

/* What an open entry adds to the score that is for class r and an example of class y. */
static double open_entry(const pt_discrete_problem *p, bool own, double h)
{
    const double low = p->values[0] * h;
    const double high = p->values[p->n_values - 1] * h;
    return own ? fmax(low, high) : fmin(low, high);
}

static double most_of(const branch *b, int64_t i)
{
    const pt_discrete_problem *p = b->p;
    double best = 0;
    int64_t ties = 0;
    pt_discrete_best_other(b->B + i, p->k, p->m, p->class_of[i], &best, &ties);
    return p->weight[i] * pt_discrete_share(p, b->B[p->class_of[i] * p->m + i], best, ties);
}

static double sum_of(const double *get, int64_t m)
{
    double sum = 0;
    for (int64_t i = 0; i < m; i++)
        sum += get[i];
    return sum;
}

/* Nothing but the fixed columns is decided. Returns the bound. */
static double begin(branch *b)
{
    const pt_discrete_problem *p = b->p;
    memset(b->B, 0, (size_t)(p->k * p->m) * sizeof *b->B);
    for (int64_t t = 0; t < p->ell; t++)
        for (int64_t r = 0; r < p->k; r++)
            for (int64_t i = 0; i < p->m; i++) {
                const double h = p->H[t * p->m + i];
                b->B[r * p->m + i] += t < p->fixed ? b->best[t * p->k + r] * h
                                                   : open_entry(p, p->class_of[i] == r, h);
            }
    for (int64_t i = 0; i < p->m; i++)
        b->get[i] = most_of(b, i);
    return sum_of(b->get, p->m);
}

/* Decides the entry of a decision; what that changes is kept at place `at`. Returns the bound. */
static double decide(branch *b, int64_t at, int8_t value)
{
    const pt_discrete_problem *p = b->p;
    const decision *d = &b->decisions[at];
    const double *h = p->H + d->t * p->m;
    double *row = b->B + d->r * p->m;
    memcpy(b->saved + at * p->m, row, (size_t)p->m * sizeof *row);
    memcpy(b->gets + at * p->m, b->get, (size_t)p->m * sizeof *b->get);
    b->code[d->t * p->k + d->r] = value;
    for (int64_t i = 0; i < p->m; i++) {
        const double open = open_entry(p, p->class_of[i] == d->r, h[i]);
        if (value * h[i] == open)
            continue;
        row[i] += value * h[i] - open;
        if (b->get[i] > 0) /* bounds only fall */
            b->get[i] = most_of(b, i);
    }
    return sum_of(b->get, p->m);
}

static void undo(branch *b, int64_t at)
{
    const int64_t m = b->p->m;
    memcpy(b->B + b->decisions[at].r * m, b->saved + at * m, (size_t)m * sizeof *b->B);
    memcpy(b->get, b->gets + at * m, (size_t)m * sizeof *b->get);
}

/* ---- branches -------------------------------------------------------------------------------- */

typedef struct column_weight {
    double weight;
    int64_t t;
} column_weight;

static int compare_columns(const void *left, const void *right)
{
    const column_weight *a = left;
    const column_weight *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->t > b->t) - (a->t < b->t);
}

/* Which entry is decided when: column after column, the heaviest first. */
static pt_status order_decisions(branch *b, pt_error *err)
{
    const pt_discrete_problem *p = b->p;
    const int64_t columns = p->ell - p->fixed;
    PT_SCRATCH column_weight *order = NULL;
    PT_TRY(PT_NEW(order, columns, "columns in order", err));
    for (int64_t s = 0; s < columns; s++) {
        order[s] = (column_weight){0, p->fixed + s};
        for (int64_t i = 0; i < p->m; i++)
            order[s].weight += p->weight[i] * fabs(p->H[order[s].t * p->m + i]);
    }
    qsort(order, (size_t)columns, sizeof *order, compare_columns);
    for (int64_t at = 0; at < b->depth; at++)
        b->decisions[at] = (decision){.r = at % p->k, .t = order[at / p->k].t};
    return PT_OK;
}

/* Whether this value would leave a column without the largest entry. */
static bool is_shifted(const branch *b, const decision *d, int8_t value)
{
    const pt_discrete_problem *p = b->p;
    const int8_t largest = p->values[p->n_values - 1];
    bool has = value == largest || d->r < p->k - 1;
    for (int64_t r = 0; r < d->r && !has; r++)
        has = b->code[d->t * p->k + r] == largest;
    return !has;
}

/* What could be decided at this depth, the most hopeful first. */
static void list_choices(branch *b, int64_t at)
{
    const pt_discrete_problem *p = b->p;
    decision *d = &b->decisions[at];
    d->n_choices = 0;
    d->next = 0;
    for (int j = p->n_values - 1; j >= 0; j--) {
        if (is_shifted(b, d, p->values[j]))
            continue;
        const choice c = {p->values[j], decide(b, at, p->values[j])};
        undo(b, at);
        int place = d->n_choices++;
        for (; place > 0 && d->choices[place - 1].bound < c.bound; place--)
            d->choices[place] = d->choices[place - 1];
        d->choices[place] = c;
    }
}

static bool is_hopeful(const branch *b, double bound)
{
    return bound > *b->right + b->p->rounding;
}

/* A code whose entries are all decided, with so much right. */
static void keep(branch *b, double right)
{
    const int64_t first = b->p->fixed * b->p->k;
    memcpy(b->best + first, b->code + first, (size_t)b->depth);
    *b->right = right;
}

/* What branches that were not looked into could still get right. */
static double open_branches(const branch *b, int64_t at)
{
    double possible = *b->right;
    for (int64_t j = 0; j <= at && j < b->depth; j++) {
        const decision *d = &b->decisions[j];
        for (int c = d->next; c < d->n_choices; c++)
            possible = fmax(possible, d->choices[c].bound);
    }
    return possible;
}

pt_status pt_discrete_exact(const pt_discrete_problem *problem, int8_t *code, double *right,
                            double *possible, int64_t *nodes, int64_t most, const pt_task *task,
                            pt_error *err)
{
    const pt_discrete_problem *p = problem;
    branch b = {.p = p, .best = code, .right = right, .depth = (p->ell - p->fixed) * p->k};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "branch and bound", err, PT_PIECE(b.code, p->ell * p->k),
                    PT_PIECE(b.B, p->k * p->m), PT_PIECE(b.saved, b.depth * p->m),
                    PT_PIECE(b.get, p->m), PT_PIECE(b.gets, b.depth * p->m),
                    PT_PIECE(b.decisions, b.depth)));
    PT_TRY(order_decisions(&b, err));
    *possible = begin(&b);
    if (b.depth == 0 || !is_hopeful(&b, *possible)) {
        *possible = *right;
        return PT_OK;
    }
    int64_t at = 0;
    list_choices(&b, at);
    while (at >= 0 && b.nodes < most) {
        PT_TRY(pt_task_check(task, err));
        decision *d = &b.decisions[at];
        if (d->next == d->n_choices || !is_hopeful(&b, d->choices[d->next].bound)) {
            d->n_choices = d->next; /* the others are no better */
            if (--at >= 0)
                undo(&b, at);
            continue;
        }
        const choice c = d->choices[d->next++];
        b.nodes++;
        if (at + 1 == b.depth) {
            b.code[d->t * p->k + d->r] = c.value;
            keep(&b, c.bound);
        } else {
            (void)decide(&b, at++, c.value);
            list_choices(&b, at);
        }
    }
    *possible = open_branches(&b, at);
    *nodes += b.nodes;
    return PT_OK;
}
