/* Regularised least squares for the columns of a code, set of groups after set of groups.
 *
 * Time sum over sets of n_Z^3 / 3, sets in parallel; memory n_Z^2 / 2 of the factor's type for each
 * worker. The kernel values of a set are computed for it. */
#include "learners/ls_sets.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "kernels/kernel_params.h"

/* ---- the sets -------------------------------------------------------------------------------- */

static bool same_groups(const pt_columns *c, int64_t s, int64_t t)
{
    for (int64_t g = 0; g < c->groups; g++)
        if ((c->sign[g * c->ell + s] == 0) != (c->sign[g * c->ell + t] == 0))
            return false;
    return true;
}

void pt_ls_sets_free(pt_ls_sets *sets)
{
    pt_free(sets->set_of);
    pt_free(sets->column);
    *sets = (pt_ls_sets){0};
}

pt_status pt_ls_sets_init(pt_ls_sets *sets, const pt_columns *columns, pt_error *err)
{
    *sets = (pt_ls_sets){.columns = columns, .count = columns->pairs ? columns->ell : 0};
    if (columns->pairs)
        return PT_OK;
    sets->set_of = pt_alloc(columns->ell, sizeof(int64_t), "columns", err);
    sets->column = pt_alloc(columns->ell, sizeof(int64_t), "columns", err);
    if (!sets->set_of || !sets->column) {
        pt_ls_sets_free(sets);
        return PT_ENOMEM;
    }
    for (int64_t s = 0; s < columns->ell; s++) {
        int64_t set = 0;
        while (set < sets->count && !same_groups(columns, s, sets->column[set]))
            set++;
        if (set == sets->count)
            sets->column[sets->count++] = s;
        sets->set_of[s] = set;
    }
    return PT_OK;
}

/* group (at most `groups`) <- the groups of a set, ascending; returns how many. */
static int64_t list_groups(const pt_ls_sets *sets, int64_t set, int64_t *group)
{
    const pt_columns *c = sets->columns;
    if (c->pairs) {
        pt_pairs_at(c->groups, set, &group[0], &group[1]);
        return 2;
    }
    int64_t count = 0;
    for (int64_t g = 0; g < c->groups; g++)
        if (c->sign[g * c->ell + sets->column[set]] != 0)
            group[count++] = g;
    return count;
}

bool pt_ls_sets_is_whole(const pt_ls_sets *sets)
{
    const pt_columns *c = sets->columns;
    if (c->pairs)
        return c->groups == 2;
    for (int64_t g = 0; g < c->groups; g++)
        if (c->sign[g * c->ell + sets->column[0]] == 0)
            return false;
    return sets->count == 1;
}

pt_status pt_ls_group_starts(int64_t **out, const pt_columns *columns, pt_error *err)
{
    int64_t *first = pt_alloc_zero(columns->groups + 1, sizeof *first, "class sizes", err);
    if (!first)
        return PT_ENOMEM;
    for (int64_t i = 0; i < columns->n; i++)
        first[columns->group_of[i] + 1]++;
    for (int64_t g = 0; g < columns->groups; g++)
        first[g + 1] += first[g];
    *out = first;
    return PT_OK;
}

/* ---- planning -------------------------------------------------------------------------------- */

/* What the sets are like: the largest of them, and the multiplications of all. */
typedef struct measures {
    int64_t rows;
    int64_t groups;
    double cubes;
} measures;

static pt_status measure(measures *m, const pt_ls_sets *sets, const int64_t *first, pt_error *err)
{
    int64_t *group = pt_alloc(sets->columns->groups + 1, sizeof *group, "a set", err);
    *m = (measures){0, 0, 0};
    for (int64_t set = 0; group && set < sets->count; set++) {
        const int64_t count = list_groups(sets, set, group);
        int64_t rows = 0;
        for (int64_t i = 0; i < count; i++)
            rows += first[group[i] + 1] - first[group[i]];
        m->rows = rows > m->rows ? rows : m->rows;
        m->groups = count > m->groups ? count : m->groups;
        m->cubes += (double)rows * (double)rows * (double)rows / 3;
    }
    pt_free(group);
    return group ? PT_OK : PT_ENOMEM;
}

/* What the largest set takes, its own copy of the rows included. */
static pt_status plan_largest(const measures *m, const pt_rows *rows, const pt_params *params,
                              pt_plan *plan, pt_error *err)
{
    pt_rows some = *rows;
    some.n = m->rows;
    if (rows->d == rows->n && pt_kernel_is_precomputed(params))
        some.d = m->rows;
    pt_status status = pt_ls_plan(&some, params, m->groups, plan, err);
    plan->bytes += (double)m->rows / (double)rows->n * (double)pt_rows_stored(rows) *
                   (double)(pt_type_size(rows->type) + (rows->dense ? 0 : sizeof(int64_t)));
    return status;
}

pt_status pt_ls_sets_plan(const pt_ls_sets *sets, const pt_rows *rows, const pt_params *params,
                          pt_plan *plan, pt_error *err)
{
    int64_t *first = NULL;
    measures m;
    pt_plan largest = {0};
    pt_status status = pt_ls_group_starts(&first, sets->columns, err);
    if (status == PT_OK)
        status = measure(&m, sets, first, err);
    if (status == PT_OK)
        status = plan_largest(&m, rows, params, &largest, err);
    pt_free(first);
    if (status != PT_OK)
        return status;
    plan->bytes = largest.bytes + (double)pt_rows_stored(rows) * (double)sizeof(double);
    plan->flops = m.cubes;
    snprintf(plan->route, sizeof plan->route, "%lld %s, the largest %.100s", (long long)sets->count,
             sets->columns->pairs ? "pairs" : "sets of classes", largest.route);
    return PT_OK;
}

/* ---- one set --------------------------------------------------------------------------------- */

typedef struct set_fit {
    const pt_ls_sets *sets;
    const pt_ls_ordered *sorted;
    const int64_t *first;
    bool square;
    const pt_params *params;
    pt_ls_keep_fn keep;
    void *context;
    const pt_task *task;
    pt_warnings *warnings; /* of each set */
    atomic_llong done;
} set_fit;

/* The examples of one set. Zero-initialise; free it always. */
typedef struct members {
    int64_t n;
    int64_t n_groups;
    int64_t *group;
    pt_rows_owned rows;
    int64_t *place; /* among the sorted rows */
    int64_t *side;  /* which of the set's groups */
    double *weight;
} members;

static void members_free(members *x)
{
    pt_rows_owned_free(&x->rows);
    pt_free(x->group);
    pt_free(x->place);
    pt_free(x->side);
    pt_free(x->weight);
}

/* Room for n rows; there may be none. */
static pt_status make_room(members *x, pt_error *err)
{
    x->place = pt_alloc(x->n, sizeof(int64_t), "a set of classes", err);
    x->side = pt_alloc(x->n, sizeof(int64_t), "a set of classes", err);
    x->weight = pt_alloc(x->n, sizeof(double), "a set of classes", err);
    return x->place && x->side && x->weight ? PT_OK : PT_ENOMEM;
}

static pt_status members_init(members *x, const set_fit *t, int64_t set, pt_error *err)
{
    x->group = pt_alloc(t->sets->columns->groups + 1, sizeof(int64_t), "a set of classes", err);
    if (!x->group)
        return PT_ENOMEM;
    x->n_groups = list_groups(t->sets, set, x->group);
    for (int64_t j = 0; j < x->n_groups; j++)
        x->n += t->first[x->group[j] + 1] - t->first[x->group[j]];
    if (x->n == 0)
        return PT_OK;
    PT_TRY(make_room(x, err));
    for (int64_t j = 0, i = 0; j < x->n_groups; j++)
        for (int64_t p = t->first[x->group[j]]; p < t->first[x->group[j] + 1]; p++, i++) {
            x->place[i] = p;
            x->side[i] = j;
            x->weight[i] = t->sorted->weight ? t->sorted->weight[p] : 1;
        }
    PT_TRY(pt_rows_select(&x->rows, &t->sorted->rows.rows, x->place, x->n, t->task, err));
    if (t->square)
        PT_TRY(pt_rows_take_columns(&x->rows, x->place, x->n, t->task, err));
    return PT_OK;
}

static pt_status solve(const set_fit *t, const members *x, int64_t set, pt_error *err)
{
    const pt_ls_problem ls = {&x->rows.rows, x->side, x->n_groups,
                              t->sorted->weight ? x->weight : NULL, NULL};
    pt_ls_solved solved = {.set = set,
                           .n_groups = x->n_groups,
                           .group = x->group,
                           .rows = &x->rows.rows,
                           .place = x->place};
    pt_status status = pt_ls_train(&solved.parts, &ls, t->params, x->rows.rows.type, t->task,
                                   &t->warnings[set], err);
    if (status != PT_OK)
        return status;
    status = t->keep(t->context, &solved, err);
    pt_free(solved.parts.coef);
    return status;
}

/* Which set an error is of: its row is one of the set. */
static pt_status name_set(const set_fit *t, const members *x, int64_t set, pt_error *err)
{
    const pt_columns *c = t->sets->columns;
    if (!err)
        return PT_ENUMERIC;
    const pt_error own = *err;
    if (c->pairs && c->names)
        return pt_fail(err, PT_ENUMERIC, "classes '%.60s' and '%.60s': %-.300s",
                       pt_texts_get(c->names, x->group[0]), pt_texts_get(c->names, x->group[1]),
                       own.text);
    return pt_fail(err, PT_ENUMERIC, "column %lld: %-.400s",
                   (long long)(c->pairs ? set : t->sets->column[set]) + 1, own.text);
}

static pt_status train_set(void *context, int64_t set, int worker, pt_error *err)
{
    (void)worker;
    set_fit *t = context;
    members x = {0};
    pt_status status = members_init(&x, t, set, err);
    if (status == PT_OK && x.n > 0) /* a fold may lack all its classes: the outputs are 0 */
        status = solve(t, &x, set, err);
    if (status == PT_ENUMERIC)
        status = name_set(t, &x, set, err);
    members_free(&x);
    const long long done = atomic_fetch_add(&t->done, 1) + 1;
    pt_task_progress_whole(t->task, "training", (double)done, (double)t->sets->count);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* What a set has to say is said once, with how many others say something. */
static pt_status sum_up_warnings(const set_fit *t, pt_warnings *warnings, pt_error *err)
{
    const pt_warnings *first = NULL;
    int64_t count = 0;
    for (int64_t set = 0; set < t->sets->count; set++)
        if (t->warnings[set].count > 0) {
            first = first ? first : &t->warnings[set];
            count++;
        }
    return first ? pt_warn(warnings, err, first->kinds[0], "in %lld of %lld %s: %-s",
                           (long long)count, (long long)t->sets->count,
                           t->sets->columns->pairs ? "pairs" : "sets of classes", first->items[0])
                 : PT_OK;
}

/* As many sets at a time as the memory allows. */
static pt_status count_workers(const set_fit *t, int *workers, pt_error *err)
{
    measures m;
    pt_plan plan = {0};
    pt_status status = measure(&m, t->sets, t->first, err);
    if (status == PT_OK)
        status = plan_largest(&m, &t->sorted->rows.rows, t->params, &plan, err);
    const double most = (double)pt_task_memory(t->task) / (plan.bytes + 1);
    *workers = pt_parallel_workers(t->task, t->sets->count);
    if (most < (double)*workers)
        *workers = most < 1 ? 1 : (int)most;
    return status;
}

pt_status pt_ls_sets_train(const pt_ls_sets *sets, const pt_ls_ordered *sorted,
                           const int64_t *first, bool square, const pt_params *params,
                           pt_ls_keep_fn keep, void *context, const pt_task *task,
                           pt_warnings *warnings, pt_error *err)
{
    set_fit t = {.sets = sets,
                 .sorted = sorted,
                 .first = first,
                 .square = square,
                 .params = params,
                 .keep = keep,
                 .context = context,
                 .task = task};
    atomic_init(&t.done, 0);
    int workers = 1;
    pt_status status = count_workers(&t, &workers, err);
    if (status != PT_OK)
        return status;
    t.warnings = pt_alloc_zero(sets->count, sizeof *t.warnings, "warnings", err);
    if (!t.warnings)
        return PT_ENOMEM;
    pt_task_begin_whole(task);
    status = pt_parallel_for_at_most(task, workers, sets->count, train_set, &t, err);
    pt_task_end_whole(task);
    if (status == PT_OK)
        status = sum_up_warnings(&t, warnings, err);
    for (int64_t set = 0; set < sets->count; set++)
        pt_warnings_free(&t.warnings[set]);
    pt_free(t.warnings);
    return status;
}
