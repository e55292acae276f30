/* Columns of a code for labels that are partial orders (HRZ), so that a code can be learned from
 * sets, rankings and pairs as well. Column s asks whether classes with M(r, s) = +1 come before
 * those with -1, and the pairs (a, b) of the label, a before b, vote on it:
 *
 *     vote = #{ (a, b) : M(a, s) = +1, M(b, s) = -1 } - #{ (a, b) : M(a, s) = -1, M(b, s) = +1 }
 *
 * Its sign is the side of the example; 0, it takes no part. Of a class y, whose pairs are (y, r)
 * for every other r, that is the entry M(y, s): the columns are those that a code always had. Of a
 * ranking and all pairs of classes it is the order of the two classes. Of a set L and one-vs-all it
 * is whether the class is in L, but for the empty set and the full one, which have no pairs. */
#include "machines/codes/order_columns.h"

#include <string.h>

#include "base/alloc.h"
#include "data/labels/label_pairs.h"
#include "data/read/intern.h"

enum { LETTER = 2 }; /* of a side, so that a text of sides has no 0 */

void pt_order_columns_free(pt_order_columns *order)
{
    pt_free(order->group_of);
    pt_free(order->sign);
    *order = (pt_order_columns){0};
}

double pt_order_columns_bytes(int64_t n, int64_t ell)
{
    /* sides and their texts, groups, hash and place of a text */
    return (double)n * (2 * (double)ell + 8 * sizeof(int64_t));
}

typedef struct voter {
    const pt_code *code;
    const pt_labels *labels;
    pt_label_pair *pairs; /* of one example */
    int32_t *vote;        /* ell */
    char *sides;          /* ell: sign + LETTER */
} voter;

static void voter_free(voter *v)
{
    pt_free(v->pairs);
    pt_free(v->vote);
    pt_free(v->sides);
}

static pt_status voter_init(voter *v, const pt_code *code, const pt_labels *labels, pt_error *err)
{
    *v = (voter){code, labels, NULL, NULL, NULL};
    v->pairs =
        pt_alloc(pt_label_pairs_most(labels, PT_PAIRS_CLOSED), sizeof *v->pairs, "pairs", err);
    v->vote = pt_alloc(code->ell, sizeof *v->vote, "votes", err);
    v->sides = pt_alloc(code->ell, 1, "sides", err);
    return v->pairs && v->vote && v->sides ? PT_OK : PT_ENOMEM;
}

/* v->sides <- those of example i. */
static void vote(voter *v, int64_t i)
{
    const int64_t ell = v->code->ell;
    const int64_t count = pt_label_pairs_of(v->labels, i, PT_PAIRS_CLOSED, v->pairs);
    memset(v->vote, 0, (size_t)ell * sizeof *v->vote);
    for (int64_t p = 0; p < count; p++) {
        const int8_t *before = v->code->M + v->pairs[p].before * ell;
        const int8_t *after = v->code->M + v->pairs[p].after * ell;
        for (int64_t s = 0; s < ell; s++)
            v->vote[s] += before[s] * after[s] < 0 ? before[s] : 0;
    }
    for (int64_t s = 0; s < ell; s++)
        v->sides[s] = (char)((v->vote[s] > 0) - (v->vote[s] < 0) + LETTER);
}

/* Examples with the same sides get the same number, which is that of a text. */
static pt_status number_examples(pt_order_columns *order, pt_intern *groups, voter *v, int64_t n,
                                 pt_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        vote(v, i);
        PT_TRY(pt_intern_add(groups, v->sides, (size_t)v->code->ell, &order->group_of[i], err));
    }
    return PT_OK;
}

static pt_status read_signs(pt_order_columns *order, const pt_texts *groups, int64_t ell,
                            pt_error *err)
{
    order->sign = pt_alloc(groups->count, (size_t)ell, "a code", err);
    if (!order->sign)
        return PT_ENOMEM;
    for (int64_t g = 0; g < groups->count; g++)
        for (int64_t s = 0; s < ell; s++)
            order->sign[g * ell + s] = (int8_t)(groups->items[g][s] - LETTER);
    return PT_OK;
}

pt_columns pt_class_columns(const pt_code *code, const pt_problem *problem)
{
    return (pt_columns){.n = problem->rows.n,
                        .group_of = problem->labels->class_of,
                        .groups = code->k,
                        .ell = code->ell,
                        .pairs = code->pairs,
                        .sign = code->M,
                        .weight = problem->weight,
                        .names = &problem->labels->classes};
}

pt_status pt_order_columns_init(pt_order_columns *order, const pt_code *code,
                                const pt_problem *problem, pt_error *err)
{
    const int64_t n = problem->rows.n;
    voter v = {0};
    pt_intern groups = {0};
    order->group_of = pt_alloc(n, sizeof *order->group_of, "groups of rows", err);
    pt_status status = order->group_of ? voter_init(&v, code, problem->labels, err) : PT_ENOMEM;
    if (status == PT_OK)
        status = number_examples(order, &groups, &v, n, err);
    if (status == PT_OK)
        status = read_signs(order, &groups.texts, code->ell, err);
    order->columns = (pt_columns){.n = n,
                                  .group_of = order->group_of,
                                  .groups = groups.texts.count,
                                  .ell = code->ell,
                                  .passing = true,
                                  .sign = order->sign,
                                  .weight = problem->weight};
    pt_intern_free(&groups);
    voter_free(&v);
    return status;
}
