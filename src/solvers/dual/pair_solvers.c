/* The linear support vector machine over pairs of classes (HRZ section 4): descent over examples on
 * the problem of pair_row.h, with v_r = sum_i tau_ir x_i kept (row_descent.c), by the rules of
 * pair_row.c.
 *
 * A large C is reached by way of smaller ones, each of which says where the next begins: diau, a
 * set of rankings, at C = 10 had a gap of 0.0045 after six million visits, and has one of 1e-3
 * after 70,000.
 *
 * Time: O(values) for each class of an example that is visited, and O(1) for each pair of its list.
 * Memory 16 d k bytes, 64 for each pair listed. */
#include "solvers/dual/pair_solvers.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "solvers/dual/pair_row.h"

enum { LISTED = 64 }; /* pairs of an example on its list, at most, as a rule: for the plan */

/* ---- a large C by way of smaller ones -------------------------------------------------------- */

/* Measured on emotions, yeast, vowel and diau (labels that are sets and rankings) at C from 1 to
 * 100: a first C ten times as large, or stages that are solved to 1e-2 only, took up to twenty
 * times as long to the end, and stages that are four times apart somewhat longer. */
static const double FIRST = 0.2; /* C times the largest square, of the first stage */
static const double STEP = 2;
static const double GAP = 2e-3; /* relative, of a stage */

void pt_pair_path_free(pt_pair_path *path)
{
    pt_arena_free(&path->arena);
    pt_sparse_rows_free(&path->past);
    memset(path, 0, sizeof *path);
}

double pt_pair_path_bytes(int64_t n, double listed)
{
    return 40 * (double)n + 2 * (double)sizeof(pt_entry) * listed;
}

static void begin_stage(pt_pair_path *path, double share)
{
    path->before = path->share;
    path->share = share;
    path->stage = *path->problem;
    if (share == 1)
        return;
    for (int64_t i = 0; i < path->past.n; i++)
        path->bound[i] = share * path->problem->bound[i];
    path->stage.bound = path->bound;
    path->stage.gap = fmax(path->problem->gap, GAP);
}

pt_status pt_pair_path_init(pt_pair_path *path, const pt_pair_problem *problem,
                            const double *square, double one, int64_t n, const pt_task *task,
                            pt_error *err)
{
    const pt_pair_lists *pairs = problem->pairs;
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, problem->bound[i] * (square[i] + one));
    const double share = FIRST / largest;
    PT_TRY(pt_sparse_rows_init(&path->past, n, task, err));
    PT_TRY(PT_ARENA(&path->arena, "a path", err, PT_PIECE(path->bound, n),
                    PT_PIECE(path->pair, pt_pairs_work(pairs)), PT_PIECE(path->list, pairs->most)));
    path->problem = problem;
    begin_stage(path, share > 0 && share < 1 ? share : 1);
    path->n_stages = 1 + (int64_t)ceil(log(1 / path->share) / log(STEP));
    return PT_OK;
}

/* list <- alpha + factor (alpha - past) of example i, within its bound; returns how many. */
static int64_t extrapolate(const pt_pair_path *path, const pt_sparse_rows *alpha, int64_t i,
                           double factor)
{
    const pt_label_pair *pairs = NULL;
    const int64_t n_pairs = pt_pairs_of(path->problem->pairs, i, path->pair, &pairs);
    const pt_entry *now = pt_sparse_row(alpha, i);
    const pt_entry *past = pt_sparse_row(&path->past, i);
    const pt_entry *now_end = now + alpha->count[i];
    const pt_entry *past_end = past + path->past.count[i];
    int64_t count = 0;
    for (int64_t c = 0; c < n_pairs && (now < now_end || past < past_end); c++) {
        const int64_t code = pt_pair_code(pairs[c]);
        double value = 0;
        if (now < now_end && now->column == code)
            value += (1 + factor) * now++->value;
        if (past < past_end && past->column == code)
            value -= factor * past++->value;
        if (value > 0)
            path->list[count++] = (pt_entry){code, fmin(value, path->stage.bound[i])};
    }
    return count;
}

pt_status pt_pair_path_step(pt_pair_path *path, pt_sparse_rows *alpha, pt_error *err)
{
    const double next = STEP * path->share < 1 ? STEP * path->share : 1;
    const double factor = (next - path->share) / (path->share - path->before);
    begin_stage(path, next);
    path->number++;
    for (int64_t i = 0; i < alpha->n; i++) {
        const int64_t count = extrapolate(path, alpha, i, factor);
        PT_TRY(pt_sparse_rows_set(&path->past, i, pt_sparse_row(alpha, i), alpha->count[i], err));
        PT_TRY(pt_sparse_rows_set(alpha, i, path->list, count, err));
    }
    return PT_OK;
}

pt_status pt_pair_path_back(const pt_pair_path *path, pt_sparse_rows *alpha, pt_error *err)
{
    for (int64_t i = 0; i < alpha->n; i++)
        PT_TRY(
            pt_sparse_rows_set(alpha, i, pt_sparse_row(&path->past, i), path->past.count[i], err));
    return PT_OK;
}

double pt_pair_path_progress(const pt_pair_path *path, double done)
{
    return fmin(((double)path->number + done) / (double)path->n_stages, 1);
}

void pt_pair_path_end(pt_pair_path *path)
{
    begin_stage(path, 1);
    path->number = path->n_stages - 1;
}

/* ---- linear ---------------------------------------------------------------------------------- */

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
    bool some = false;
    PT_TRY(pt_row_descent_form(&some, &s->loop, err));
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
            pt_task_say(s->loop.task, PT_DEBUG, PT_KIND_PROGRESS,
                        "%s: %.2g of C, dual %.9g, relative gap %.2g", s->loop.stage, path->share,
                        end->value, end->gap / end->value);
    }
    return PT_OK;
}

double pt_pair_count(const pt_sparse_rows *alpha, pt_pair_result *result)
{
    double sum = 0;
    result->pairs = result->patterns = 0;
    for (int64_t i = 0; i < alpha->n; i++) {
        const pt_entry *row = pt_sparse_row(alpha, i);
        int64_t pairs = 0;
        for (int64_t c = 0; c < alpha->count[i]; c++) {
            pairs += row[c].value > 0;
            sum += row[c].value;
        }
        result->pairs += pairs;
        result->patterns += pairs > 0;
    }
    return sum;
}

pt_status pt_pair_descent(const pt_pair_problem *problem, const pt_linear_rows *rows, bool bias,
                          uint64_t seed, double *V, pt_pair_result *result, const char *stage,
                          const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_pair_rows_free)
    pt_pair_rows s = {.loop = {.stage = stage, .task = task}};
    PT_FREED_BY(pt_pair_path_free) pt_pair_path path = {0};
    PT_TRY(pt_pair_rows_init(&s, problem, rows, bias, seed, err));
    s.alpha.task = task;
    PT_TRY(pt_pair_path_init(&path, problem, rows->square, s.loop.one, rows->n, task, err));
    PT_TRY(solve(&s, &path, err));
    pt_class_weights_write(&s.loop.weights, s.loop.bias, s.loop.scale, rows->d + 1, V);
    *result = (pt_pair_result){.value = s.loop.end.value,
                               .gap = s.loop.end.gap,
                               .square = s.loop.square * s.loop.scale * s.loop.scale,
                               .visits = s.loop.visits,
                               .converged = pt_dual_reached(&s.loop.end)};
    (void)pt_pair_count(&s.alpha, result);
    return PT_OK;
}
