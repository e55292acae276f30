/* Rounds over blocks: see block_descent.h. */
#include "solvers/dual/block_descent.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"

enum {
    BLOCK = PT_BLOCK,
    STALL = 200,       /* rounds in which value or gap have to get better, and one more pass */
    MOST_TESTED = 1024 /* variables that are not 0: with more the end is not tested */
};
static const double STALL_RISE = 1e-10; /* by this, relative, */
static const double STALL_FALL = 0.1;   /* or the gap fall by this */

/* ---- kernel values --------------------------------------------------------------------------- */

/* s->row[r] <- kernel values of variable index[r] with all. */
static pt_status fetch_all(pt_block_descent *s, const int64_t *index, int64_t count,
                           const pt_task *task, pt_error *err)
{
    int64_t in_store[BLOCK] = {0};
    for (int64_t r = 0; r < count; r++)
        in_store[r] = s->first + index[r];
    PT_TRY(pt_kernel_store_rows(s->store, in_store, count, s->buffer, s->row, task, err));
    for (int64_t r = 0; r < count; r++)
        s->row[r] = (const char *)s->row[r] + (size_t)s->first * pt_type_size(s->type);
    return PT_OK;
}

pt_status pt_block_fetch(pt_block_descent *s, const int64_t *place, int64_t count,
                         const pt_task *task, pt_error *err)
{
    int64_t index[BLOCK];
    if (!s->copy) {
        for (int64_t r = 0; r < count; r++)
            index[r] = s->active ? s->active[place[r]] : place[r];
        return fetch_all(s, index, count, task, err);
    }
    for (int64_t r = 0; r < count; r++)
        s->row[r] = (const char *)s->copy + (size_t)(place[r] * s->copy_ld) * pt_type_size(s->type);
    return PT_OK;
}

/* H of the variable behind row r and the one at place a; Q: of the first one's group, or NULL. */
static inline double coupled_value(const pt_block_descent *s, const double *Q, int64_t r, int64_t a)
{
    const double q = Q ? Q[s->group[a]] : 1;
    return !Q ? pt_block_value(s, r, a) : q == 0 ? 0 : q * pt_block_value(s, r, a);
}

/* Every pair must be positive semidefinite: where one is not, the kernel is not. */
pt_status pt_block_matrix(pt_block_descent *s, int64_t ld, pt_error *err)
{
    const int64_t count = s->count;
    double *restrict H = s->H; /* nothing else that is read here changes with it */
    memset(H, 0, (size_t)(count * ld) * sizeof(double));
    for (int64_t a = 0; a < count; a++) {
        const double *Q = s->Q ? s->Q + s->group[s->W[a]] * s->groups : NULL;
        for (int64_t c = 0; c < a; c++) {
            const double h = coupled_value(s, Q, a, s->W[c]);
            H[a * ld + c] = h;
            H[c * ld + a] = h;
            PT_TRY(pt_check_pair_value(h, s->curve[a], s->curve[c], err));
        }
        H[a * ld + a] = s->curve[a];
    }
    if (!s->tested)
        return PT_OK;
    for (int64_t a = 0; a < count; a++)
        memcpy(s->factor + a * count, H + a * ld, (size_t)count * sizeof(double));
    return pt_check_semidefinite(s->factor, count, err);
}

pt_status pt_block_test_support(pt_block_descent *s, const pt_task *task, pt_error *err)
{
    int64_t m = 0;
    for (int64_t i = 0; i < s->n; i++)
        m += s->rules->is_support(s, i);
    if (!s->tested || m > MOST_TESTED)
        return PT_OK;
    PT_SCRATCH int64_t *support = pt_alloc(m, sizeof(int64_t), "a test of the kernel", err);
    PT_SCRATCH double *A = pt_alloc(m * m, sizeof(double), "a test of the kernel", err);
    if (!support || !A)
        return PT_ENOMEM;
    for (int64_t i = 0, at = 0; i < s->n; i++)
        if (s->rules->is_support(s, i))
            support[at++] = i;
    for (int64_t from = 0; from < m; from += BLOCK) {
        const int64_t count = pt_lesser(m - from, BLOCK);
        PT_TRY(fetch_all(s, support + from, count, task, err));
        for (int64_t r = 0; r < count; r++) {
            const double *Q = s->Q ? s->Q + s->group[support[from + r]] * s->groups : NULL;
            for (int64_t c = 0; c < m; c++)
                A[(from + r) * m + c] = coupled_value(s, Q, r, support[c]);
        }
    }
    return pt_check_semidefinite(A, m, err);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

pt_status pt_block_form(pt_block_descent *s, const pt_task *task, pt_error *err)
{
    s->count = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->rules->is_support(s, i)) {
            s->rules->take(s, s->count, i);
            s->W[s->count++] = i;
        }
        if (s->count < BLOCK && (i < s->n - 1 || s->count == 0))
            continue;
        PT_TRY(fetch_all(s, s->W, s->count, task, err));
        PT_TRY(s->rules->add(s, task, err));
        s->count = 0;
    }
    return pt_task_check(task, err);
}

/* The value, and the least gap, of some rounds. */
typedef struct best_of {
    double value;
    double gap;
} best_of;

/* Whether in the last STALL rounds the value has not risen, nor a gap been smaller than all before:
 * a leap of spoc.c raises the gap for a while, and two variables whose kernel values differ by
 * rounding alone can trade places for ever. */
static bool stalled(const pt_block_descent *s, int64_t round, best_of *now, best_of *before)
{
    now->value = s->end.value;
    now->gap = fmin(now->gap, s->end.gap);
    if (round % (STALL + s->m / BLOCK) != 0)
        return false;
    const bool same = round > 0 && now->value <= before->value * (1 + STALL_RISE) &&
                      now->gap >= before->gap * (1 - STALL_FALL);
    *before = (best_of){now->value, fmin(now->gap, before->gap)};
    now->gap = INFINITY;
    return same;
}

pt_status pt_block_descend(pt_block_descent *s, double aim, const pt_task *task, pt_error *err)
{
    best_of now = {0, INFINITY};
    best_of before = now;
    for (int64_t round = 0;; round++) {
        bool over = false;
        s->rules->look(s, task);
        if (pt_dual_within(&s->end, aim) || s->steps >= s->limit ||
            (round > 0 && pt_task_turn_ends(task, s->turn)))
            return PT_OK;
        const bool still = stalled(s, round, &now, &before);
        PT_TRY(s->rules->begin_round(s, round, still, &over, task, err));
        if (over)
            return PT_OK;
        s->count = pt_choose_largest(s->gain, s->m, BLOCK, s->W);
        if (s->count == 0)
            return PT_OK; /* nothing moves any more: as good as rounding allows */
        PT_TRY(pt_task_check(task, err));
        PT_TRY(pt_block_fetch(s, s->W, s->count, task, err));
        PT_TRY(s->rules->solve(s, err));
        PT_TRY(s->rules->follow(s, task, err));
        s->rounds++;
    }
}
