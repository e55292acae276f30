/* The single-call variant for any learner: one binary problem whose examples are pairs of a row and
 * a column (ASS sections 3 and 5).
 *
 *     ((x_i, s), M(y_i, s))  for all i and s with M(y_i, s) != 0;     f_s(x) = f(x, s)
 *
 * The column s is a nominal attribute. To learners that look at raw rows it is one more column of
 * level numbers; to others it is what a nominal column becomes in preparation: ell columns, 1 in
 * that of s and 0 in the others, not scaled. A linear learner can then do no more than move the
 * same direction up and down from column to column; kernels and trees can bend.
 *
 *     n    rows                      d      features
 *     ell  columns of the code       wide   d + 1 of raw rows, d + ell of others
 *     N    pairs that take part
 *
 * Training holds N x wide cells (sparse rows: one more cell each). Outputs are computed by blocks
 * of rows, ell pairs each, so that some megabytes are enough. Pairs are ordered by rows, then by
 * columns; weights of rows are those of their pairs. */
#include "learners/single_call.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "params/params_table.h"

static const int8_t SIDES[2] = {-1, 1}; /* group 0 is at -, group 1 at + */

enum { MOST_CELLS = 1 << 21 }; /* of a block of outputs */

/* Rows of pairs, with what they are made of. */
typedef struct pairs {
    pt_rows_owned owned;
    int64_t *levels;   /* wide, or NULL */
    int64_t *group_of; /* N; NULL in prediction */
    double *weight;    /* N, or NULL */
    int64_t *row;      /* N: where each comes from; NULL: rows have no ties */
    pt_ties_owned ties;
    int64_t n;
} pairs;

static void pairs_free(pairs *p)
{
    pt_rows_owned_free(&p->owned);
    pt_free(p->levels);
    pt_free(p->group_of);
    pt_free(p->weight);
    pt_free(p->row);
    pt_ties_free(&p->ties);
    *p = (pairs){0};
}

/* ---- sizes ----------------------------------------------------------------------------------- */

int64_t pt_single_call_width(const pt_learner_ops *learner, int64_t d, int64_t ell)
{
    return d + (learner->capabilities & PT_LEARNS_RAW ? 1 : ell);
}

/* How many columns group g takes part in. */
static int64_t columns_of_group(const pt_columns *columns, int64_t g)
{
    int64_t count = 0;
    if (columns->pairs)
        return columns->groups - 1;
    for (int64_t s = 0; s < columns->ell; s++)
        count += columns->sign[g * columns->ell + s] != 0;
    return count;
}

int64_t pt_single_call_examples(const pt_columns *columns)
{
    int64_t count = 0;
    for (int64_t i = 0; i < columns->n; i++)
        count += columns_of_group(columns, columns->group_of[i]);
    return count;
}

/* Bytes of the pairs: cells, sides, weights. */
static double pairs_bytes(const pt_learner_ops *learner, const pt_rows *rows,
                          const pt_columns *columns, double examples)
{
    const double size = (double)pt_type_size(rows->type);
    const double wide = (double)pt_single_call_width(learner, rows->d, columns->ell);
    double bytes = examples * (sizeof(int64_t) + (columns->weight ? sizeof(double) : 0));
    if (rows->dense)
        return bytes + examples * wide * size;
    const double a_row = (double)pt_rows_stored(rows) / (double)(rows->n > 0 ? rows->n : 1) + 1;
    return bytes + examples * (a_row * (size + sizeof(int64_t)) + sizeof(int64_t));
}

/* ---- rows of pairs --------------------------------------------------------------------------- */

/* Where the next pair goes. */
typedef struct row_writer {
    const pt_rows *rows;
    pairs *to;
    bool raw;
    int64_t wide;
    int64_t place; /* sparse: cells written */
} row_writer;

static void store(void *value, pt_type type, int64_t at, double x)
{
    if (type == PT_F32)
        ((float *)value)[at] = (float)x;
    else
        ((double *)value)[at] = x;
}

static void put_dense(row_writer *w, int64_t i, int64_t s)
{
    const pt_rows *rows = w->rows;
    const size_t size = pt_type_size(rows->type);
    const int64_t at = w->to->n * w->wide;
    char *cells = (char *)w->to->owned.value + (size_t)at * size;
    memcpy(cells, (const char *)rows->dense + (size_t)(i * rows->stride) * size,
           (size_t)rows->d * size);
    memset(cells + (size_t)rows->d * size, 0, (size_t)(w->wide - rows->d) * size);
    store(w->to->owned.value, rows->type, at + rows->d + (w->raw ? 0 : s), w->raw ? (double)s : 1);
}

/* A cell that is absent is level 0 of a raw column. */
static void put_sparse(row_writer *w, int64_t i, int64_t s)
{
    const pt_rows *rows = w->rows;
    pt_rows_owned *to = &w->to->owned;
    const size_t size = pt_type_size(rows->type);
    const int64_t first = rows->start[i];
    const int64_t count = rows->start[i + 1] - first;
    memcpy(to->index + w->place, rows->index + first, (size_t)count * sizeof(int64_t));
    memcpy((char *)to->value + (size_t)w->place * size,
           (const char *)rows->value + (size_t)first * size, (size_t)count * size);
    w->place += count;
    if (!w->raw || s > 0) {
        to->index[w->place] = rows->d + (w->raw ? 0 : s);
        store(to->value, rows->type, w->place, w->raw ? (double)s : 1);
        w->place++;
    }
    to->start[w->to->n + 1] = w->place;
}

/* Room for n pairs that hold `stored` cells of the rows. */
static pt_status pairs_room(pairs *p, const pt_rows *rows, int64_t n, int64_t stored, int64_t wide,
                            pt_error *err)
{
    size_t row_bytes = 0;
    const size_t size = pt_type_size(rows->type);
    if (!pt_size_mul((size_t)wide, size, &row_bytes) || stored > INT64_MAX / 2 - n)
        return pt_fail_memory(err, "examples of all columns", SIZE_MAX);
    pt_rows_owned *to = &p->owned;
    if (rows->dense) {
        to->value = pt_alloc(n, row_bytes, "examples of all columns", err);
        to->rows = (pt_rows){.n = n, .d = wide, .type = rows->type, .stride = wide};
        to->rows.dense = to->value;
        return to->value ? PT_OK : PT_ENOMEM;
    }
    to->value = pt_alloc(stored + n, size, "examples of all columns", err);
    to->index = pt_alloc(stored + n, sizeof(int64_t), "examples of all columns", err);
    to->start = pt_alloc_zero(n + 1, sizeof(int64_t), "examples of all columns", err);
    to->rows = (pt_rows){.n = n,
                         .d = wide,
                         .type = rows->type,
                         .start = to->start,
                         .index = to->index,
                         .value = to->value};
    return to->value && to->index && to->start ? PT_OK : PT_ENOMEM;
}

/* Of raw rows the levels, with those of the column at the end. */
static pt_status pairs_levels(pairs *p, const pt_rows *rows, int64_t ell, pt_error *err)
{
    p->levels = pt_alloc_zero(rows->d + 1, sizeof *p->levels, "levels of columns", err);
    if (!p->levels)
        return PT_ENOMEM;
    if (rows->levels)
        memcpy(p->levels, rows->levels, (size_t)rows->d * sizeof *p->levels);
    p->levels[rows->d] = ell;
    p->owned.rows.levels = p->levels;
    return PT_OK;
}

static void put_pair(row_writer *w, int64_t i, int64_t s)
{
    if (w->rows->dense)
        put_dense(w, i, s);
    else
        put_sparse(w, i, s);
    w->to->n++;
}

static void put_example(row_writer *w, const pt_columns *columns, int64_t i, int64_t s, int sign)
{
    pairs *p = w->to;
    p->group_of[p->n] = sign > 0;
    if (p->weight)
        p->weight[p->n] = columns->weight[i];
    if (p->row)
        p->row[p->n] = i;
    put_pair(w, i, s);
}

/* The examples of row i, by columns. Of all pairs those of a class are few among many. */
static void put_row(row_writer *w, const pt_columns *columns, int64_t i)
{
    const int64_t g = columns->group_of[i];
    for (int64_t q = 0; columns->pairs && q < columns->groups; q++)
        if (q < g)
            put_example(w, columns, i, pt_pairs_column(columns->groups, q, g), -1);
        else if (q > g)
            put_example(w, columns, i, pt_pairs_column(columns->groups, g, q), 1);
    for (int64_t s = 0; !columns->pairs && s < columns->ell; s++) {
        const int8_t sign = columns->sign[g * columns->ell + s];
        if (sign != 0)
            put_example(w, columns, i, s, sign);
    }
}

/* The pairs of training: those that take part, with sides and weights. */
static pt_status training_pairs(pairs *p, const pt_learner_ops *learner, const pt_rows *rows,
                                const pt_columns *columns, const pt_task *task, pt_error *err)
{
    const bool raw = learner->capabilities & PT_LEARNS_RAW;
    const int64_t n = pt_single_call_examples(columns);
    int64_t stored = 0;
    for (int64_t i = 0; i < rows->n && !rows->dense; i++)
        stored +=
            (rows->start[i + 1] - rows->start[i]) * columns_of_group(columns, columns->group_of[i]);
    PT_TRY(
        pairs_room(p, rows, n, stored, pt_single_call_width(learner, rows->d, columns->ell), err));
    if (raw)
        PT_TRY(pairs_levels(p, rows, columns->ell, err));
    PT_TRY(PT_NEW(p->group_of, n, "sides", err));
    if (columns->weight)
        PT_TRY(PT_NEW(p->weight, n, "weights", err));
    if (pt_ties_any(&columns->ties))
        PT_TRY(PT_NEW(p->row, n, "groups of rows", err));
    row_writer w = {rows, p, raw, p->owned.rows.d, 0};
    for (int64_t i = 0; i < rows->n; i++) {
        if (i % 256 == 0)
            PT_TRY(pt_task_check(task, err));
        put_row(&w, columns, i);
    }
    return pt_ties_select(&p->ties, &columns->ties, p->row, p->n, err);
}

/* Every column for each of some rows. */
static pt_status asked_pairs(pairs *p, const pt_learner *m, const pt_rows *rows, pt_error *err)
{
    const bool raw = m->ops.capabilities & PT_LEARNS_RAW;
    const int64_t ell = m->single.ell;
    const int64_t stored = rows->dense ? 0 : pt_rows_stored(rows) * ell;
    PT_TRY(pairs_room(p, rows, rows->n * ell, stored,
                      pt_single_call_width(&m->ops, m->single.d, ell), err));
    if (raw)
        PT_TRY(pairs_levels(p, rows, ell, err));
    row_writer w = {rows, p, raw, p->owned.rows.d, 0};
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t s = 0; s < ell; s++)
            put_pair(&w, i, s);
    return PT_OK;
}

pt_columns pt_single_call_sides(void)
{
    return (pt_columns){.groups = 2, .ell = 1, .sign = SIDES};
}

static pt_columns sides_of(const pairs *p)
{
    pt_columns columns = pt_single_call_sides();
    columns.n = p->n;
    columns.group_of = p->group_of;
    columns.weight = p->weight;
    columns.ties = pt_ties_lend(&p->ties);
    return columns;
}

/* ---- training -------------------------------------------------------------------------------- */

pt_status pt_single_call_plan(const pt_learner_ops *learner, const pt_rows *rows,
                              const pt_columns *columns, const pt_params *params,
                              const pt_task *task, pt_plan *plan, pt_error *err)
{
    const double examples = (double)pt_single_call_examples(columns);
    const double bytes = pairs_bytes(learner, rows, columns, examples);
    char route[sizeof plan->route];
    plan->bytes = bytes;
    plan->flops = 0;
    snprintf(plan->route, sizeof plan->route, "one call with %.0f examples", examples);
    if (bytes > (double)pt_task_memory(task))
        return PT_OK;
    PT_FREED_BY(pairs_free) pairs p = {0};
    PT_TRY(training_pairs(&p, learner, rows, columns, task, err));
    const pt_columns sides = sides_of(&p);
    PT_TRY(learner->plan(&p.owned.rows, &sides, params, task, plan, err));
    plan->bytes += bytes;
    snprintf(route, sizeof route, "%s", plan->route);
    snprintf(plan->route, sizeof plan->route, "one call with %.0f examples: %.100s", examples,
             route);
    return PT_OK;
}

pt_status pt_single_call_fit(pt_learner *m, const pt_rows *rows, const pt_columns *columns,
                             const pt_params *params, const pt_task *task, pt_warnings *warnings,
                             pt_error *err)
{
    PT_FREED_BY(pairs_free) pairs p = {0};
    PT_TRY(training_pairs(&p, &m->ops, rows, columns, task, err));
    pt_columns sides = sides_of(&p);
    sides.start = columns->start; /* which was learned from such pairs */
    PT_TRY(m->ops.fit(m, &p.owned.rows, &sides, params, task, warnings, err));
    /* A sum of stumps, each of which looks at a feature or at the column, is g(x) + h(s): the
     * outputs of two columns differ by the same number for every x, and one against all has one
     * answer. */
    const char *listed = m->ops.parameters;
    const bool boosts = pt_word_listed(listed, ',', "rounds", strlen("rounds"));
    const bool deepens = pt_word_listed(listed, ',', "depth", strlen("depth"));
    const bool deep = deepens && (pt_params_is_auto(params, PT_P_DEPTH)
                                      ? !boosts
                                      : pt_params_integer(params, PT_P_DEPTH) != 1);
    if (!warnings || !(boosts || deepens) || deep)
        return PT_OK;
    return pt_warn(warnings, err, PT_KIND_PARAMETERS,
                   "`single-call`: a stump looks at a feature or at the column, so that the "
                   "outputs of columns differ by constants; use %-s`machine=adaboost-mo`",
                   deepens ? "`depth=2` or " : "");
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* As many rows as make a block of pairs, from row `first` on. */
static pt_rows block_at(const pt_learner *m, const pt_rows *rows, int64_t first)
{
    const double wide = (double)pt_single_call_width(&m->ops, m->single.d, m->single.ell);
    const double stored =
        rows->dense ? wide : (double)pt_rows_stored(rows) / (double)(rows->n > 0 ? rows->n : 1) + 2;
    const double most = MOST_CELLS / ((double)m->single.ell * stored);
    const int64_t block = most < 1 ? 1 : most < (double)rows->n ? (int64_t)most : rows->n;
    return pt_rows_range(rows, first, pt_lesser(rows->n - first, block));
}

/* The outputs of pairs are in the order of rows x ell. */
pt_status pt_single_call_outputs(const pt_learner *m, const pt_rows *rows, double *outputs,
                                 const pt_task *task, pt_error *err)
{
    for (int64_t first = 0; first < rows->n;) {
        const pt_rows some = block_at(m, rows, first);
        PT_FREED_BY(pairs_free) pairs p = {0};
        PT_TRY(asked_pairs(&p, m, &some, err));
        PT_TRY(m->ops.outputs(m, &p.owned.rows, outputs + first * m->single.ell, task, err));
        first += some.n;
    }
    return PT_OK;
}

/* The outputs of a block after each of the rounds, put where they belong among those of all. */
typedef struct gatherer {
    double *all; /* n_rounds x n x ell */
    int64_t cells;
    int64_t first;
    int64_t count;
} gatherer;

static pt_status gather(void *context, int64_t which, const double *outputs, pt_error *err)
{
    (void)err;
    const gatherer *g = context;
    memcpy(g->all + which * g->cells + g->first, outputs, (size_t)g->count * sizeof *outputs);
    return PT_OK;
}

pt_status pt_single_call_staged(const pt_learner *m, const pt_rows *rows, const int64_t *rounds,
                                int64_t n_rounds, pt_staged_fn take, void *context,
                                const pt_task *task, pt_error *err)
{
    const int64_t cells = rows->n * m->single.ell;
    size_t bytes = 0;
    if (!pt_size_mul((size_t)cells, sizeof(double), &bytes))
        return pt_fail_memory(err, "outputs", SIZE_MAX);
    PT_SCRATCH double *all = pt_alloc(n_rounds, bytes, "outputs", err);
    if (!all)
        return PT_ENOMEM;
    for (int64_t first = 0; first < rows->n;) {
        const pt_rows some = block_at(m, rows, first);
        gatherer g = {all, cells, first * m->single.ell, some.n * m->single.ell};
        PT_FREED_BY(pairs_free) pairs p = {0};
        PT_TRY(asked_pairs(&p, m, &some, err));
        PT_TRY(m->ops.staged(m, &p.owned.rows, rounds, n_rounds, gather, &g, task, err));
        first += some.n;
    }
    for (int64_t which = 0; which < n_rounds; which++)
        PT_TRY(take(context, which, all + which * cells, err));
    return PT_OK;
}
