/* Linear SPOC: the duals of the multiclass support vector machines of Crammer and Singer (CS
 * section 5) and of Weston and Watkins, by descent over rows with M kept (row_descent.c) and the
 * rules of simplex_row.c and box_row.c. Here is what goes before and after: rows mixed where that
 * pays, M as it comes out, margins.
 *
 * Memory: 16 d k bytes, and the lists. */
#include "solvers/dual/spoc.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "solvers/dual/class_rows.h"

/* ---- mixed rows ------------------------------------------------------------------------------ */

/* A problem with its rows in random order: row a is row from[a] of the other. */
typedef struct mixed_problem {
    pt_spoc problem;
    pt_linear_rows rows;
    int64_t *from;
    int64_t *class_of;
    int64_t *number;
    double *square;
    double *bound;
    void *values;
} mixed_problem;

double pt_spoc_linear_bytes(int64_t n, int64_t d, int64_t k)
{
    const pt_linear_rows dense = {.n = n, .d = d, .dense = ""};
    /* values; numbers twice, squares, bounds, classes; the order of visits */
    const double mixed = pt_rows_want_mixing(&dense) ? (double)n * (8 * (double)d + 56) : 0;
    return pt_class_rows_bytes(n, d, k) + mixed;
}

static pt_status copy_facts(mixed_problem *mixed, const pt_spoc *p, const pt_linear_rows *rows,
                            const pt_task *task, pt_error *err)
{
    const size_t size = (size_t)rows->d * pt_type_size(rows->type);
    const size_t step = (size_t)rows->stride * pt_type_size(rows->type);
    for (int64_t a = 0; a < p->n; a++) {
        const int64_t i = mixed->from[a];
        PT_TRY(pt_task_check_at(task, a, err));
        memcpy((char *)mixed->values + (size_t)a * size,
               (const char *)rows->dense + (size_t)i * step, size);
        mixed->square[a] = rows->square[i];
        mixed->bound[a] = p->bound[i];
        mixed->class_of[a] = p->class_of[i];
        mixed->number[a] = p->number ? p->number[i] : i;
    }
    return PT_OK;
}

static pt_status mix(mixed_problem *mixed, const pt_spoc *p, const pt_linear_rows *rows,
                     uint64_t seed, const pt_task *task, pt_error *err)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_DESCENT, 1);
    mixed->from = pt_alloc(p->n, 3 * sizeof(int64_t), "mixed examples", err);
    mixed->square = pt_alloc(p->n, 2 * sizeof(double), "mixed examples", err);
    mixed->values =
        pt_alloc(p->n * rows->d, pt_type_size(rows->type), "values of mixed examples", err);
    if (!mixed->from || !mixed->square || !mixed->values)
        return PT_ENOMEM;
    mixed->class_of = mixed->from + p->n;
    mixed->number = mixed->class_of + p->n;
    mixed->bound = mixed->square + p->n;
    for (int64_t i = 0; i < p->n; i++)
        mixed->from[i] = i;
    pt_row_shuffle(&random, mixed->from, p->n);
    PT_TRY(copy_facts(mixed, p, rows, task, err));
    mixed->problem = *p;
    mixed->problem.class_of = mixed->class_of;
    mixed->problem.bound = mixed->bound;
    mixed->problem.number = mixed->number;
    mixed->rows = *rows;
    mixed->rows.dense = mixed->values;
    mixed->rows.stride = rows->d;
    mixed->rows.square = mixed->square;
    return PT_OK;
}

static void mixed_free(mixed_problem *mixed)
{
    pt_free(mixed->from);
    pt_free(mixed->square);
    pt_free(mixed->values);
}

/* ---- what comes out -------------------------------------------------------------------------- */

/* Entries of 0 leave eta; returns how many support patterns there are. */
static int64_t strip(const pt_spoc *p, pt_sparse_rows *eta)
{
    int64_t patterns = 0;
    for (int64_t i = 0; i < p->n; i++) {
        pt_entry *row = eta->entry + eta->at[i];
        int64_t kept = 0;
        for (int64_t c = 0; c < eta->count[i]; c++)
            if (row[c].value != 0)
                row[kept++] = row[c];
        eta->count[i] = kept;
        patterns += pt_spoc_is_support(eta, i, p->class_of[i]);
    }
    return patterns;
}

/* The rest of the margins, of M as it was written. */
static void finish_margins(const pt_class_rows *s, const double *M)
{
    pt_spoc_margins *margins = s->p->margins;
    const pt_linear_rows *rows = s->loop.weights.rows;
    const int64_t k = s->p->k;
    const int64_t d = rows->d;
    double square = 0;
    for (int64_t i = 0; i < s->p->n; i++)
        square = fmax(square, rows->square[i]);
    margins->radius = sqrt(square);
    for (int64_t c = 0; c < k * k; c++)
        margins->least[c] *= s->loop.scale;
    for (int64_t r = 0; r < k; r++)
        for (int64_t q = 0; q <= r; q++) {
            double product = 0;
            for (int64_t f = 0; f < d; f++)
                product += M[r * d + f] * M[q * d + f];
            margins->product[r * k + q] = margins->product[q * k + r] = product;
        }
}

/* `mixed`: the rows are in random order. */
static pt_status solve(const pt_spoc *p, const pt_linear_rows *rows, bool mixed, uint64_t seed,
                       pt_sparse_rows *eta, double *M, pt_spoc_result *result, const char *stage,
                       const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_class_rows_free)
    pt_class_rows s = {.loop = {.stage = stage, .task = task}};
    PT_TRY(pt_class_rows_init(&s, p, rows, mixed, seed, eta, err));
    PT_TRY(pt_spoc_begin(p, eta, task, err));
    bool some = false;
    PT_TRY(pt_row_descent_form(&some, &s.loop, err));
    PT_TRY(pt_row_descent_solve(&s.loop, some, err));
    pt_class_weights_write(&s.loop.weights, NULL, s.loop.scale, rows->d, M);
    if (p->margins)
        finish_margins(&s, M);
    *result = (pt_spoc_result){s.loop.end.value, s.loop.end.gap, s.loop.visits,
                               s.loop.sweeps,    strip(p, eta),  pt_dual_reached(&s.loop.end)};
    return PT_OK;
}

pt_status pt_spoc_linear_solve(const pt_spoc *problem, const pt_linear_rows *rows, uint64_t seed,
                               pt_sparse_rows *eta, double *M, pt_spoc_result *result,
                               const char *stage, const pt_task *task, pt_error *err)
{
    if (!pt_rows_want_mixing(rows))
        return solve(problem, rows, false, seed, eta, M, result, stage, task, err);
    PT_FREED_BY(mixed_free) mixed_problem mixed = {0};
    PT_SCRATCH int64_t *work = pt_alloc(problem->n, sizeof(int64_t), "mixed examples", err);
    if (!work)
        return PT_ENOMEM;
    PT_TRY(mix(&mixed, problem, rows, seed, task, err));
    PT_TRY(pt_sparse_rows_reorder(eta, mixed.from, false, work, task, err));
    PT_TRY(solve(&mixed.problem, &mixed.rows, true, seed, eta, M, result, stage, task, err));
    return pt_sparse_rows_reorder(eta, mixed.from, true, work, task, err);
}
