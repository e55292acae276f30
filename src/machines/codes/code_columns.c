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
#include "machines/codes/code_columns.h"

#include <string.h>

#include "base/alloc.h"
#include "data/labels/label_pairs.h"
#include "data/read/intern.h"

enum { LETTER = 2 }; /* of a side, so that a text of sides has no 0 */

pt_columns pt_class_columns(const pt_code *code, const pt_problem *problem)
{
    return (pt_columns){.n = problem->rows.n,
                        .group_of = problem->labels->class_of,
                        .groups = code->k,
                        .ell = code->ell,
                        .pairs = code->pairs,
                        .sign = code->M,
                        .weight = problem->weight,
                        .names = &problem->labels->classes,
                        .ties = problem->ties,
                        .valid = problem->valid};
}

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

pt_status pt_order_columns_init(pt_order_columns *order, const pt_code *code,
                                const pt_problem *problem, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t ell = code->ell;
    const pt_labels *labels = problem->labels;
    pt_label_pair *pair = NULL; /* those of one example */
    int32_t *vote = NULL;       /* ell */
    char *sides = NULL;         /* ell: sign + LETTER */
    PT_FREED_BY(pt_intern_free) pt_intern groups = {0};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "votes of pairs", err,
                    PT_PIECE(pair, pt_label_pairs_most(labels, PT_PAIRS_CLOSED)),
                    PT_PIECE(vote, ell), PT_PIECE(sides, ell)));
    PT_TRY(PT_NEW(order->group_of, n, "groups of rows", err));
    for (int64_t i = 0; i < n; i++) {
        const int64_t count = pt_label_pairs_of(labels, i, PT_PAIRS_CLOSED, pair);
        memset(vote, 0, (size_t)ell * sizeof *vote);
        for (int64_t p = 0; p < count; p++) {
            const int8_t *before = code->M + pair[p].before * ell;
            const int8_t *after = code->M + pair[p].after * ell;
            for (int64_t s = 0; s < ell; s++)
                vote[s] += before[s] * after[s] < 0 ? before[s] : 0;
        }
        for (int64_t s = 0; s < ell; s++)
            sides[s] = (char)((vote[s] > 0) - (vote[s] < 0) + LETTER);
        /* examples with the same sides get the same number, which is that of a text */
        PT_TRY(pt_intern_add(&groups, sides, (size_t)ell, &order->group_of[i], err));
    }
    PT_TRY(PT_NEW(order->sign, groups.texts.count * ell, "a code", err));
    for (int64_t g = 0; g < groups.texts.count; g++)
        for (int64_t s = 0; s < ell; s++)
            order->sign[g * ell + s] = (int8_t)(groups.texts.items[g][s] - LETTER);
    order->columns = (pt_columns){.n = n,
                                  .group_of = order->group_of,
                                  .groups = groups.texts.count,
                                  .ell = ell,
                                  .passing = true,
                                  .sign = order->sign,
                                  .weight = problem->weight,
                                  .ties = problem->ties};
    return PT_OK;
}

/* ---- the code in model files ----------------------------------------------------------------- */

pt_status pt_code_signs_keep(double **signs, const pt_code *code, pt_error *err)
{
    const int64_t cells = code->k * code->ell;
    if (code->pairs)
        return PT_OK;
    PT_TRY(PT_NEW(*signs, cells, "a code", err));
    for (int64_t i = 0; i < cells; i++)
        (*signs)[i] = code->M[i];
    return PT_OK;
}

pt_status pt_code_check_start(const pt_code *code, const pt_code *start, pt_error *err)
{
    if (code->k == start->k && code->ell == start->ell && code->pairs == start->pairs &&
        (code->pairs || memcmp(code->M, start->M, (size_t)(code->k * code->ell)) == 0))
        return PT_OK;
    return pt_fail(err, PT_EINVAL, "`code`: that of `start` has other columns, %lld of them",
                   (long long)start->ell);
}

double pt_code_signs_bytes(const pt_code *code)
{
    const double cells = (double)code->k * (double)code->ell;
    return code->pairs ? 0 : cells * (sizeof *code->M + sizeof(double));
}

void pt_code_signs_save(const double *signs, const pt_code *code, pt_pack *pack)
{
    if (!code->pairs)
        pt_pack_add(pack, "code", PT_F64, code->k, code->ell, signs);
}

pt_status pt_code_signs_load(pt_code *code, double **signs, const pt_pack *pack, int64_t k,
                             int64_t *used, pt_error *err)
{
    const pt_array *array = pt_pack_find(pack, "code");
    *used = array != NULL;
    if (!array)
        return pt_code_init_pairs(code, k, err);
    if (!pt_array_is_real(array, PT_F64) || array->rows != k || array->columns < 1)
        return pt_fail(err, PT_EFORMAT, "the model's code does not fit its classes");
    const double *value = array->value;
    const int64_t cells = k * array->columns;
    PT_SCRATCH int8_t *M = NULL;
    PT_TRY(PT_NEW(M, cells, "a code", err));
    for (int64_t i = 0; i < cells; i++) {
        if (value[i] != -1 && value[i] != 0 && value[i] != 1)
            return pt_fail(err, PT_EFORMAT, "the model's code has an entry %g", value[i]);
        M[i] = (int8_t)value[i];
    }
    PT_TRY(pt_code_from(code, k, array->columns, M, err));
    return pt_code_signs_keep(signs, code, err);
}
