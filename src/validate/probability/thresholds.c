/* Thresholds of sets by F1: of one class, with its rows in the order of falling scores,
 *
 *     F1 = 2 t / (said + members) ,   t: members among those that are said
 *
 * is looked at between any two different scores, where the threshold is the middle; 0 where 0 is
 * between them, too. */
#include "validate/probability/thresholds.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

typedef struct scored {
    double score;
    double weight;
    bool member;
} scored;

/* The largest first. Equal ones are taken together: their order does not matter but for sums. */
static int falling(const void *a, const void *b)
{
    const scored *x = a;
    const scored *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->member != y->member)
        return x->member ? -1 : 1;
    return x->weight > y->weight ? -1 : x->weight < y->weight;
}

/* Between the scores of rows i and i + 1, or below all n of them. */
static double between(const scored *row, int64_t i, int64_t n)
{
    const double above = row[i].score;
    const double below = i + 1 < n ? row[i + 1].score : -INFINITY;
    if (above > 0 && below <= 0)
        return 0;
    if (i + 1 == n)
        return fmin(above - (row[0].score - above) / (double)n, nextafter(above, -INFINITY));
    const double middle = above / 2 + below / 2;
    return middle < above && middle >= below ? middle : below;
}

static double best_threshold(const scored *row, int64_t n)
{
    double members = 0;
    double said = 0;
    double right = 0;
    double best = 0; /* F1 */
    double threshold = 0;
    for (int64_t i = 0; i < n; i++)
        members += row[i].member ? row[i].weight : 0;
    for (int64_t i = 0; i < n && members > 0; i++) {
        said += row[i].weight;
        right += row[i].member ? row[i].weight : 0;
        if (i + 1 < n && row[i + 1].score == row[i].score)
            continue;
        const double f1 = 2 * right / (said + members);
        const double at = between(row, i, n);
        if (f1 > best || (f1 == best && fabs(at) < fabs(threshold))) {
            best = f1;
            threshold = at;
        }
    }
    return threshold;
}

pt_status pt_thresholds_fit(double *thresholds, const pt_held_out_scores *held_out, pt_error *err)
{
    const pt_held_out_scores *h = held_out;
    PT_SCRATCH scored *row = NULL;
    PT_SCRATCH int64_t *at = NULL; /* where a row goes on among its members */
    PT_TRY(PT_NEW(row, h->n, "held-out rows", err));
    PT_TRY(PT_NEW(at, h->n, "held-out rows", err));
    for (int64_t i = 0; i < h->n; i++)
        at[i] = h->sets->start[i];
    for (int64_t r = 0; r < h->k; r++) {
        for (int64_t i = 0; i < h->n; i++) {
            const bool member = at[i] < h->sets->start[i + 1] && h->sets->item[at[i]] == r;
            at[i] += member;
            row[i] = (scored){h->scores[i * h->k + r], h->weight ? h->weight[i] : 1, member};
        }
        qsort(row, (size_t)h->n, sizeof *row, falling);
        thresholds[r] = best_threshold(row, h->n);
    }
    return PT_OK;
}

void pt_thresholds_shift(const double *thresholds, int64_t k, double *scores, int64_t n)
{
    for (int64_t i = 0; i < n && thresholds; i++)
        for (int64_t r = 0; r < k; r++)
            scores[i * k + r] -= thresholds[r];
}
