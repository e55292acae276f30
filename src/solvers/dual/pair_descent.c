/* The linear support vector machine over pairs of classes (HRZ section 4): descent over examples on
 * the problem of pair_row.h, with v_r = sum_i tau_ir x_i kept (row_descent.c), by the rules of
 * pair_row.c.
 *
 * A large C is reached by way of smaller ones, each of which says where the next begins
 * (pair_path.c): diau, a set of rankings, at C = 10 had a gap of 0.0045 after six million visits,
 * and has one of 1e-3 after 70,000.
 *
 * Time: O(values) for each class of an example that is visited, and O(1) for each pair of its list.
 * Memory 16 d k bytes, 64 for each pair listed. */
#include "solvers/dual/pair_solvers.h"

#include <math.h>

#include "base/alloc.h"
#include "solvers/dual/pair_path.h"
#include "solvers/dual/pair_rows.h"

enum { LISTED = 64 }; /* pairs of an example on its list, at most, as a rule: for the plan */

double pt_pair_descent_bytes(int64_t n, int64_t d, int64_t k, double pairs)
{
    const double listed = fmin(pairs, LISTED * (double)n);
    return pt_row_descent_bytes(n, d, k) + pt_pair_climb_bytes(d, k, listed) +
           pt_pair_path_bytes(n, listed) + 2 * (double)sizeof(pt_entry) * listed;
}

/* The loop solves the stage of the path: the smaller C in half of the visits. */
static void take_stage(pt_pair_rows *s, const pt_pair_path *path, int64_t limit)
{
    s->p = &path->stage;
    s->loop.bound = path->stage.bound;
    s->loop.end.asked = path->stage.gap;
    s->loop.limit = path->share < 1 ? limit / 2 : limit;
    s->loop.part = path->number;
    s->loop.parts = path->n_stages;
    s->loop.quiet = path->share < 1;
}

/* Takes alpha to the next stage of the path, or to the last where this one was not solved. */
static pt_status go_on(pt_pair_rows *s, pt_pair_path *path, pt_error *err)
{
    const double value = s->loop.end.value;
    if (!pt_dual_reached(&s->loop.end) || s->loop.visits >= s->loop.limit) {
        pt_pair_path_end(path);
        return PT_OK;
    }
    PT_TRY(pt_pair_path_step(path, &s->alpha, err));
    (void)pt_row_descent_form(&s->loop);
    PT_TRY(pt_row_descent_value(&s->loop, err));
    return s->loop.end.value > value ? PT_OK : pt_pair_path_back(path, &s->alpha, err);
}

/* One C after the other, up to that of the problem. */
static pt_status solve(pt_pair_rows *s, pt_pair_path *path, pt_error *err)
{
    const int64_t limit = s->loop.limit;
    const pt_dual_end *end = &s->loop.end;
    take_stage(s, path, limit);
    PT_TRY(pt_row_descent_solve(&s->loop, false, err));
    while (path->share < 1) {
        PT_TRY(go_on(s, path, err));
        take_stage(s, path, limit);
        PT_TRY(pt_row_descent_solve(&s->loop, true, err));
        if (path->share < 1 && s->loop.stage)
            pt_task_say(s->loop.task, PT_DEBUG, "%s: %.2g of C, dual %.9g, relative gap %.2g",
                        s->loop.stage, path->share, end->value, end->gap / end->value);
    }
    return PT_OK;
}

static void write_result(const pt_pair_rows *s, pt_pair_result *result)
{
    const pt_row_descent *loop = &s->loop;
    *result = (pt_pair_result){.value = loop->end.value,
                               .gap = loop->end.gap,
                               .square = loop->square * loop->scale * loop->scale,
                               .visits = loop->visits,
                               .converged = pt_dual_reached(&loop->end)};
    for (int64_t i = 0; i < loop->n; i++) {
        const pt_entry *row = pt_sparse_row(&s->alpha, i);
        int64_t pairs = 0;
        for (int64_t c = 0; c < s->alpha.count[i]; c++)
            pairs += row[c].value > 0;
        result->pairs += pairs;
        result->patterns += pairs > 0;
    }
}

pt_status pt_pair_descent(const pt_pair_problem *problem, const pt_linear_rows *rows, bool bias,
                          uint64_t seed, double *V, pt_pair_result *result, const char *stage,
                          const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_pair_rows_free)
    pt_pair_rows s = {.loop = {.stage = stage, .task = task}};
    PT_FREED_BY(pt_pair_path_free) pt_pair_path path = {0};
    PT_TRY(pt_pair_rows_init(&s, problem, rows, bias, seed, err));
    PT_TRY(pt_pair_path_init(&path, problem, rows->square, s.loop.one, rows->n, err));
    PT_TRY(solve(&s, &path, err));
    pt_class_weights_write(&s.loop.weights, s.loop.bias, s.loop.scale, rows->d + 1, V);
    write_result(&s, result);
    return PT_OK;
}
