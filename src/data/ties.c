/* Rows that are tied together: groups and the caller's folds as blocks, and what is wrong with
 * them. */
#include "data/ties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"

pt_ties pt_ties_of(const pt_dataset *data)
{
    return (pt_ties){data->group, data->fold, data->time};
}

bool pt_ties_any(const pt_ties *ties)
{
    return ties->group || ties->fold || ties->time;
}

bool pt_ties_are_past(const pt_ties *ties, int64_t n)
{
    for (int64_t i = 1; ties->time && i < n; i++)
        if (ties->time[i] < ties->time[0] || ties->time[i] > ties->time[0])
            return true;
    return false;
}

pt_ties pt_ties_lend(const pt_ties_owned *owned)
{
    return (pt_ties){owned->group, owned->fold, owned->time};
}

void pt_ties_free(pt_ties_owned *owned)
{
    pt_free(owned->group);
    pt_free(owned->fold);
    pt_free(owned->time);
    *owned = (pt_ties_owned){NULL, NULL, NULL};
}

static pt_status select_values(int64_t **out, const int64_t *value, const int64_t *rows, int64_t n,
                               pt_error *err)
{
    if (!value)
        return PT_OK;
    PT_TRY(PT_NEW(*out, n, "groups of rows", err));
    for (int64_t i = 0; i < n; i++)
        (*out)[i] = value[rows[i]];
    return PT_OK;
}

pt_status pt_ties_select(pt_ties_owned *out, const pt_ties *ties, const int64_t *rows, int64_t n,
                         pt_error *err)
{
    PT_TRY(select_values(&out->group, ties->group, rows, n, err));
    PT_TRY(select_values(&out->fold, ties->fold, rows, n, err));
    if (!ties->time)
        return PT_OK;
    PT_TRY(PT_NEW(out->time, n, "times of rows", err));
    for (int64_t i = 0; i < n; i++)
        out->time[i] = ties->time[rows[i]];
    return PT_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

pt_status pt_dense_numbers(int64_t *number, int64_t *count, const int64_t *value, int64_t n,
                           const int64_t *none, pt_error *err)
{
    PT_SCRATCH int64_t *sorted = NULL;
    int64_t distinct = 0;
    int64_t m = 0;
    PT_TRY(PT_NEW(sorted, n, "groups of rows", err));
    for (int64_t i = 0; i < n; i++)
        if (!none || value[i] != *none)
            sorted[m++] = value[i];
    qsort(sorted, (size_t)m, sizeof *sorted, pt_ascending_integers);
    for (int64_t i = 0; i < m; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            sorted[distinct++] = sorted[i];
    for (int64_t i = 0; i < n; i++) {
        const int64_t *place = none && value[i] == *none
                                   ? NULL
                                   : bsearch(&value[i], sorted, (size_t)distinct, sizeof *sorted,
                                             pt_ascending_integers);
        number[i] = place ? place - sorted : none ? *none : -1;
    }
    *count = distinct;
    return PT_OK;
}

/* number (n) <- which of the different times, ascending from 0; *count <- how many there are. */
static pt_status number_times(int64_t *number, int64_t *count, const double *time, int64_t n,
                              pt_error *err)
{
    PT_SCRATCH double *sorted = NULL;
    int64_t distinct = 0;
    PT_TRY(PT_NEW(sorted, n, "times of rows", err));
    memcpy(sorted, time, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, pt_ascending);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || sorted[i] > sorted[i - 1])
            sorted[distinct++] = sorted[i];
    for (int64_t i = 0; i < n; i++) {
        const double *place =
            bsearch(&time[i], sorted, (size_t)distinct, sizeof *sorted, pt_ascending);
        number[i] = place ? place - sorted : 0;
    }
    *count = distinct;
    return PT_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

void pt_blocks_free(pt_blocks *blocks)
{
    pt_free(blocks->of);
    *blocks = (pt_blocks){0};
}

int64_t pt_blocks_most_folds(const pt_blocks *blocks)
{
    return blocks->count - blocks->past;
}

/* Whether something is left to train on when one of `count` folds is held out. */
static bool serve(const int64_t *fold, int64_t n, int64_t count)
{
    bool others = false;
    for (int64_t i = 0; i < n && count == 1; i++)
        others = others || fold[i] == PT_NEVER_HELD;
    return count > 1 || others;
}

pt_status pt_blocks_init(pt_blocks *blocks, const pt_ties *ties, int64_t n, pt_error *err)
{
    const int64_t never = PT_NEVER_HELD;
    *blocks = (pt_blocks){.count = n};
    if (!ties->group && !ties->fold && !pt_ties_are_past(ties, n))
        return PT_OK;
    PT_TRY(PT_NEW(blocks->of, n, "groups of rows", err));
    if (ties->time) {
        blocks->past = true;
        return number_times(blocks->of, &blocks->count, ties->time, n, err);
    }
    if (ties->fold) {
        PT_TRY(pt_dense_numbers(blocks->of, &blocks->count, ties->fold, n, &never, err));
        blocks->folds = serve(ties->fold, n, blocks->count);
        if (blocks->folds)
            return PT_OK;
    }
    if (!ties->group) {
        pt_blocks_free(blocks);
        blocks->count = n;
        return PT_OK;
    }
    PT_TRY(pt_dense_numbers(blocks->of, &blocks->count, ties->group, n, NULL, err));
    if (blocks->count < 2)
        return pt_fail(err, PT_EFORMAT,
                       "the rows are all of one group, and rows of a group are held out together: "
                       "none would be left to train on; give more groups, or none");
    return PT_OK;
}

/* ---- what is wrong with them ----------------------------------------------------------------- */

static int by_group(const void *a, const void *b)
{
    return pt_ascending_integers(*(const int64_t *const *)a, *(const int64_t *const *)b);
}

/* All rows of a group are in the same fold, in each column. */
static pt_status check_cuts(const pt_dataset *data, pt_error *err)
{
    const int64_t n = data->n;
    PT_SCRATCH const int64_t **order = NULL; /* to the groups of the rows, ascending */
    PT_TRY(PT_NEW(order, n, "groups of rows", err));
    for (int64_t i = 0; i < n; i++)
        order[i] = &data->group[i];
    qsort(order, (size_t)n, sizeof *order, by_group);
    for (int64_t r = 0; r < data->fold_columns; r++) {
        const int64_t *fold = data->fold + r * n;
        for (int64_t i = 1; i < n; i++) {
            const int64_t a = fold[order[i - 1] - data->group];
            const int64_t b = fold[order[i] - data->group];
            if (*order[i - 1] == *order[i] && a != b)
                return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                                  "the rows of group %lld are in fold %lld and in fold %lld: rows "
                                  "of a group are held out together",
                                  (long long)*order[i], (long long)pt_lesser(a, b),
                                  (long long)pt_greater(a, b));
        }
    }
    return PT_OK;
}

/* The least fold of `all` that is not among those of `some`; false: all of them are. */
static bool find_lost(int64_t *lost, const int64_t *all, int64_t n_all, int64_t *some,
                      int64_t n_some)
{
    bool any = false;
    qsort(some, (size_t)n_some, sizeof *some, pt_ascending_integers);
    for (int64_t i = 0; i < n_all; i++)
        if (all[i] != PT_NEVER_HELD && (!any || all[i] < *lost) &&
            !bsearch(&all[i], some, (size_t)n_some, sizeof *some, pt_ascending_integers)) {
            *lost = all[i];
            any = true;
        }
    return any;
}

static pt_status check_column(const pt_dataset *data, const pt_dataset *kept, int64_t r,
                              pt_error *err)
{
    const int64_t never = PT_NEVER_HELD;
    const int64_t *fold = kept->fold + r * kept->n;
    char column[40] = "";
    int64_t lost = 0;
    int64_t count = 0;
    PT_SCRATCH int64_t *number = NULL;
    PT_TRY(PT_NEW(number, kept->n, "folds", err));
    if (data->fold_columns > 1)
        (void)snprintf(column, sizeof column, " in repetition %lld", (long long)r + 1);
    memcpy(number, fold, (size_t)kept->n * sizeof *number);
    if (find_lost(&lost, data->fold + r * data->n, data->n, number, kept->n))
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "fold %lld%s has no row with a label and a weight", (long long)lost,
                          column);
    PT_TRY(pt_dense_numbers(number, &count, fold, kept->n, &never, err));
    if (count == 0)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "no row is in a fold%s: all are -1, which are never held out", column);
    if (!serve(fold, kept->n, count))
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "all rows are in one fold%s: none would be left to train on without it",
                          column);
    return PT_OK;
}

static pt_status check_times(const pt_dataset *data, const pt_dataset *kept, pt_error *err)
{
    const pt_ties ties = pt_ties_of(kept);
    if (data->group || data->fold)
        return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                          "the rows have times and %s: times alone say which rows are held out; "
                          "take one of the two away",
                          data->group ? "groups" : "folds");
    if (!pt_ties_are_past(&ties, kept->n))
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "the rows are all of one time, and what is held out is later than what "
                          "is trained on: nothing would be");
    return PT_OK;
}

pt_status pt_ties_check(const pt_dataset *data, const pt_dataset *kept, pt_error *err)
{
    if (data->time)
        return check_times(data, kept, err);
    for (int64_t r = 0; r < data->fold_columns; r++)
        PT_TRY(check_column(data, kept, r, err));
    return data->group && data->fold ? check_cuts(kept, err) : PT_OK;
}

/* ---- parts ----------------------------------------------------------------------------------- */

pt_status pt_dataset_part(pt_dataset **out, const pt_dataset *data, const int64_t *rows, int64_t n,
                          const pt_task *task, pt_error *err)
{
    const int64_t never = PT_NEVER_HELD;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *part = NULL;
    PT_SCRATCH int64_t *number = NULL;
    PT_TRY(pt_dataset_subset(&part, data, rows, n, task, err));
    PT_TRY(PT_NEW(number, n, "folds", err));
    int64_t left = 0;
    for (int64_t r = 0; r < part->fold_columns; r++) {
        const int64_t *fold = part->fold + r * n;
        int64_t count = 0;
        PT_TRY(pt_dense_numbers(number, &count, fold, n, &never, err));
        if (count > 0 && serve(fold, n, count))
            memmove(part->fold + left++ * n, fold, (size_t)n * sizeof *fold);
    }
    part->fold_columns = left;
    if (left == 0) {
        pt_free(part->fold);
        part->fold = NULL;
    }
    const pt_ties ties = pt_ties_of(part);
    if (part->time && !pt_ties_are_past(&ties, n)) {
        pt_free(part->time);
        part->time = NULL;
    }
    *out = pt_keep(&part);
    return PT_OK;
}
