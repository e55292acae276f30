/* Box QP on a working set that grows (working_set.h): most variables of a hinge-loss problem end at
 * 0 and never matter.
 *
 *   G         n        H b - p, in double, formed anew in each round
 *   sub       m        the problem on A: its bounds, p and b */
#include "solvers/dual/box_qp.h"

#include <math.h>

#include "base/math.h"
#include "solvers/dual/box_loops.h"
#include "solvers/dual/working_set.h"

enum { ALL_ROWS = 2048 }; /* up to so many variables the working set is all of them */

typedef struct box_set {
    pt_working_set set; /* first: rules cast from it */
    const pt_box_qp *qp;
    pt_box_vars all; /* b is the caller's */
    double *curve;   /* n */
    double *step;    /* n */
    int64_t *group;  /* n */
    int64_t moves;
    int64_t limit;

    /* sub */
    double *b;
    double *u;
    double *p;
    int64_t *start; /* groups + 1 */
    pt_arena arena;
} box_set;

static bool is_support(const pt_working_set *set, int64_t i)
{
    return ((const box_set *)set)->all.b[i] != 0;
}

static int64_t group_that_moves(const pt_working_set *set, int64_t i)
{
    const box_set *w = (const box_set *)set;
    return w->qp->u[i] > 0 ? w->group[i] : -1;
}

/* ---- the gradient of all --------------------------------------------------------------------- */

static pt_status begin_gradient(pt_working_set *set, pt_error *err)
{
    (void)err;
    const box_set *w = (const box_set *)set;
    for (int64_t i = 0; i < w->qp->n; i++)
        w->all.G[i] = w->qp->p ? -w->qp->p[i] : -1;
    return PT_OK;
}

/* G_i += sum_j Q[c_i, c_j] (K_ij + shift) b_j over a block, group by group. */
static void add_block(pt_working_set *set, const pt_kernel_block *block)
{
    const box_set *w = (const box_set *)set;
    const pt_box_qp *qp = w->qp;
    const pt_box_loops *loops = pt_box_loops_chosen();
    const size_t size = pt_type_size(qp->rows->type);
    const int64_t end = block->first + block->height;
    int64_t to = 0;
    for (int64_t from = block->first; from < end; from = to) {
        const int64_t group = w->group[from];
        const void *column[PT_KERNEL_BLOCK_COLUMNS];
        double coef[PT_KERNEL_BLOCK_COLUMNS];
        double total = 0;
        int64_t count = 0;
        to = pt_lesser(qp->group_start[group + 1], end);
        for (int64_t j = 0; j < block->columns; j++) {
            const int64_t s = set->support[block->at + j];
            const double c = w->all.b[s] * qp->Q[group * qp->groups + w->group[s]];
            if (c == 0)
                continue;
            column[count] =
                block->values + (size_t)(j * block->height + from - block->first) * size;
            coef[count++] = c;
            total += c;
        }
        if (qp->rows->type == PT_F32)
            loops->update_f32((const float *const *)column, coef, count, to - from,
                              total * qp->shift, w->all.G + from);
        else
            loops->update_f64((const double *const *)column, coef, count, to - from,
                              total * qp->shift, w->all.G + from);
    }
}

static void measure(pt_working_set *set)
{
    const box_set *w = (const box_set *)set;
    pt_box_measure(&w->all, w->qp->p, &set->end.value, &set->end.gap);
    pt_box_loops_chosen()->gains(&w->all, set->gain);
}

/* ---- the working set ------------------------------------------------------------------------- */

static pt_status solve_set(pt_working_set *set, pt_kernel_store *store, const pt_task *task,
                           pt_error *err)
{
    box_set *w = (box_set *)set;
    const pt_box_qp *qp = w->qp;
    pt_box_result result = {0};
    int64_t group = 0;
    w->start[0] = 0;
    for (int64_t a = 0; a < set->m; a++) {
        const int64_t i = set->A[a];
        while (group < w->group[i])
            w->start[++group] = a;
        w->b[a] = w->all.b[i];
        w->u[a] = qp->u[i];
        w->p[a] = qp->p ? qp->p[i] : 1;
    }
    while (group < qp->groups)
        w->start[++group] = set->m;
    pt_box_qp sub = *qp;
    sub.store = store;
    sub.first = 0;
    sub.n = set->m;
    sub.group_start = w->start;
    sub.p = w->p;
    sub.u = w->u;
    sub.gap = set->aim;
    sub.limit = w->limit - w->moves;
    PT_TRY(pt_box_descent(&sub, w->b, &result, NULL, task, err));
    for (int64_t a = 0; a < set->m; a++)
        w->all.b[set->A[a]] = w->b[a];
    w->moves += result.moves;
    return PT_OK;
}

static bool is_over(const pt_working_set *set, const pt_task *task)
{
    const box_set *w = (const box_set *)set;
    return w->moves >= w->limit || pt_task_turn_ends(task, w->qp->turn);
}

static const pt_working_rules RULES = {.whole = ALL_ROWS,
                                       .least_room = ALL_ROWS,
                                       .is_support = is_support,
                                       .group_of = group_that_moves,
                                       .begin_gradient = begin_gradient,
                                       .add_block = add_block,
                                       .measure = measure,
                                       .solve = solve_set,
                                       .is_over = is_over};

static void box_set_free(box_set *w)
{
    pt_arena_free(&w->arena);
    pt_working_set_free(&w->set);
}

pt_status pt_box_qp_solve(const pt_box_qp *qp, double *b, pt_box_result *result, const char *stage,
                          const pt_task *task, pt_error *err)
{
    const int64_t n = qp->n;
    for (int64_t i = 0; i < n; i++)
        b[i] = fmin(fmax(b[i], 0), qp->u[i]);
    if (qp->store)
        return pt_box_descent(qp, b, result, stage, task, err);
    PT_FREED_BY(box_set_free)
    box_set w = {.set = {.rules = &RULES,
                         .rows = qp->rows,
                         .kernel = qp->kernel,
                         .bytes = qp->bytes,
                         .groups = qp->groups,
                         .end = {.asked = qp->gap}},
                 .qp = qp,
                 .limit = pt_box_limit(qp)};
    PT_TRY(PT_ARENA(&w.arena, "a working set", err, PT_PIECE(w.curve, n), PT_PIECE(w.step, n),
                    PT_PIECE(w.group, n), PT_PIECE(w.b, n), PT_PIECE(w.u, n), PT_PIECE(w.p, n),
                    PT_PIECE(w.start, qp->groups + 1), PT_PIECE(w.all.G, n)));
    w.all = (pt_box_vars){n, b, w.all.G, qp->u, w.curve, w.step};
    PT_TRY(pt_working_set_init(&w.set, task, err));
    PT_TRY(pt_box_curves(qp, w.set.diagonal, w.group, w.curve, w.step, err));
    PT_TRY(pt_working_set_begin(&w.set, task, err));
    PT_TRY(pt_working_set_grow(&w.set, stage, task, err));
    *result = (pt_box_result){w.set.end.value, w.set.end.gap, w.moves, pt_dual_reached(&w.set.end)};
    return PT_OK;
}
