/* Held-out scores by time from ways that know folds alone.
 *
 * Fold f of the rows up to and with it, held out by itself, is fold f of all rows held out by what
 * is before it. So each fold is a problem of its own, with one partition and one fold in it: what
 * is exact without a fold is exact by time, too. A closed form costs the factorisations of the
 * first 2, 3, .. F + 1 of F + 1 parts of the rows: (F + 1) / 4 of all rows, about, where one point
 * after the other trained would be as many for each ridge.
 *
 *   scores  points x n x k  of some points at a time, until all folds are there
 *   failed  points          a fold of the point has no answer
 */
#include "validate/past.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "machine/subproblem.h"
#include "validate/validate.h"

static const double MOST_CELLS = 0x1p25; /* of scores that are kept at a time */

typedef struct past {
    const pt_past *asked;
    int64_t n;
    int64_t k;
    double *scores;
    atomic_bool *failed;
    /* The fold that is held out. */
    const int64_t *rows;         /* of its part, ascending: their numbers in the problem */
    const int64_t *fold;         /* of these rows: 0 in the fold, PT_NEVER_HELD before it */
    int64_t n_part;              /* how many */
    const pt_labels *trained_on; /* what is before it */
} past;

static void past_free(past *p)
{
    pt_free(p->scores);
    pt_free(p->failed);
}

/* A pt_holdout_fn: the rows of a fold go where they belong. */
static pt_status take_fold(void *context, int64_t point, int64_t partition, const double *scores,
                           pt_error *err)
{
    (void)partition;
    past *p = context;
    double *own = p->scores + point * p->n * p->k;
    if (!scores)
        atomic_store(&p->failed[point], true);
    for (int64_t i = 0; scores && i < p->n_part; i++) {
        if (p->fold[i] != 0)
            continue;
        double *row = own + p->rows[i] * p->k;
        memcpy(row, scores + i * p->k, (size_t)p->k * sizeof *row);
        PT_TRY(pt_lower_unseen(row, 1, p->trained_on, p->asked->given, err));
    }
    return PT_OK;
}

/* One fold, at the points first .. first + count - 1. */
static pt_status run_fold(past *p, const int64_t *fold, int64_t number, int64_t first,
                          int64_t count, const pt_task *task, pt_error *err)
{
    const pt_past *asked = p->asked;
    const int64_t n = p->n;
    int64_t held = 0;
    int64_t m = 0;
    int64_t before = 0;
    PT_FREED_BY(pt_subproblem_free) pt_subproblem part = {0};
    PT_FREED_BY(pt_labels_free_at) pt_labels *trained_on = NULL;
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    int64_t *rows = NULL;
    int64_t *of = NULL;
    int64_t *earlier = NULL;
    PT_TRY(
        PT_ARENA(&arena, "a fold", err, PT_PIECE(rows, n), PT_PIECE(of, n), PT_PIECE(earlier, n)));
    for (int64_t i = 0; i < n; i++) {
        if (fold[i] > number)
            continue;
        if (fold[i] < number)
            earlier[before++] = i;
        held += fold[i] == number;
        of[m] = fold[i] == number ? 0 : PT_NEVER_HELD;
        rows[m++] = i;
    }
    if (held == 0)
        return PT_OK;
    PT_TRY(pt_subproblem_init(&part, asked->problem, rows, m, asked->square, task, err));
    PT_TRY(pt_labels_subset(&trained_on, asked->problem->labels, earlier, before, err));
    p->rows = rows;
    p->fold = of;
    p->n_part = m;
    p->trained_on = trained_on;
    const pt_partitions one = {1, 1, &(const int64_t *){of}, false};
    return asked->run(asked->how, &part.problem, first, count, &one, take_fold, p, task, err);
}

pt_status pt_past_validate(const pt_past *asked, pt_holdout_fn take, void *context,
                           const pt_task *task, pt_error *err)
{
    const int64_t n = asked->problem->rows.n;
    const int64_t k = pt_labels_n_classes(asked->problem->labels);
    const double cells = (double)n * (double)k;
    const int64_t most = (int64_t)fmax(1, fmin((double)asked->n_points, MOST_CELLS / cells));
    PT_FREED_BY(past_free) past p = {.asked = asked, .n = n, .k = k};
    if (asked->n_points == 0)
        return PT_OK;
    PT_TRY(PT_NEW(p.scores, most * n * k, "held-out scores", err));
    PT_TRY(PT_NEW(p.failed, most, "grid points", err));
    for (int64_t q = 0; q < asked->partitions->count; q++)
        for (int64_t first = 0; first < asked->n_points; first += most) {
            const int64_t count = pt_lesser(most, asked->n_points - first);
            memset(p.scores, 0, (size_t)(count * n * k) * sizeof *p.scores);
            for (int64_t i = 0; i < count; i++)
                atomic_init(&p.failed[i], false);
            for (int64_t f = 0; f < asked->partitions->n_folds; f++)
                PT_TRY(run_fold(&p, asked->partitions->fold[q], f, first, count, task, err));
            for (int64_t i = 0; i < count; i++)
                PT_TRY(take(context, first + i, q,
                            atomic_load(&p.failed[i]) ? NULL : p.scores + i * n * k, err));
        }
    return PT_OK;
}
