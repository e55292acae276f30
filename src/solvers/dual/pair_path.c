/* A large C, by way of smaller ones: see pair_path.h. */
#include "solvers/dual/pair_path.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* Measured on emotions, yeast, vowel and diau (labels that are sets and rankings) at C from 1 to
 * 100: a first C ten times as large, or stages that are solved to 1e-2 only, took up to twenty
 * times as long to the end, and stages that are four times apart somewhat longer. */
static const double FIRST = 0.2; /* C times the largest square, of the first stage */
static const double STEP = 2;
static const double GAP = 2e-3; /* relative, of a stage */

void pt_pair_path_free(pt_pair_path *path)
{
    pt_free(path->list);
    pt_free(path->pair);
    pt_free(path->bound);
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
                            const double *square, double one, int64_t n, pt_error *err)
{
    const pt_pair_lists *pairs = problem->pairs;
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, problem->bound[i] * (square[i] + one));
    const double share = FIRST / largest;
    PT_TRY(pt_sparse_rows_init(&path->past, n, err));
    path->bound = pt_alloc(n, sizeof *path->bound, "bounds", err);
    path->pair = pt_alloc(pt_pairs_work(pairs), sizeof *path->pair, "pairs", err);
    path->list = pt_alloc(pairs->most, sizeof *path->list, "pairs", err);
    if (!path->bound || !path->pair || !path->list)
        return PT_ENOMEM;
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
