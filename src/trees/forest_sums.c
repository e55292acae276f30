/* Sums over the trees of a forest, for many rows.
 *
 * Trees of one test and one value: the cells of a block of rows are laid out feature by feature,
 * and each column of the outputs goes through its stumps with its sums in registers. Other trees
 * are walked, tree by tree for the rows of a block, so that a tree's nodes stay in the cache.
 *
 *   used      features that the trees ask for, ascending; slot: their place in that list
 *   x         cells of a block: slots x PT_FOREST_ROWS
 *
 * Memory beside the forest: a block for each worker, the slots of the features, and the stumps of
 * at most STUMPS trees at a time. Time: O(rows x tests), and O(rows x features used) for blocks. */
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "trees/forest.h"
#include "trees/forest_loops.h"

enum {
    ROWS = PT_FOREST_ROWS,
    BLOCKS = 8,       /* of rows, for each index of the parallel loop */
    STUMPS = 1 << 20, /* made ready at a time */
    TOGETHER = 8,     /* rows whose cells are copied side by side: as many as a line of x holds */
    WALKS = 1 << 12   /* trees between two looks at the task */
};

/* Rows times trees that more than one thread pays for: about half a millisecond. */
static const double STUMPS_WORTH = 1 << 20;
static const double WALKS_WORTH = 1 << 14;

typedef struct sums {
    const pt_forest *forest;
    int64_t first, last; /* trees */
    double scale;
    const pt_rows *rows;
    int64_t ell;
    double *outputs;
    const pt_task *task;
    const pt_forest_loops *loops;
    int64_t *slot; /* d: place in used, -1: not used; NULL: cells are looked up in the rows */
    int64_t *used;
    int64_t n_used;
    pt_forest_stump *stump; /* column by column */
    int workers;
    double *x; /* for each worker, the cells of a block */
} sums;

static void free_sums(sums *u)
{
    pt_free(u->x);
    pt_free(u->stump);
    pt_free(u->used);
    pt_free(u->slot);
}

/* ---- blocks of cells ------------------------------------------------------------------------- */

/* *from .. *to - 1 <- the nodes of trees first .. last-1. A node's children have smaller numbers;
 * going down from the highest root, the range grows to whatever it leads to. */
static void node_range(const sums *u, int64_t *from, int64_t *to)
{
    const pt_forest *forest = u->forest;
    *from = forest->n_nodes;
    *to = 0;
    for (int64_t t = u->first; t < u->last; t++) {
        const int64_t root = forest->root[t];
        *from = root >= 0 && root < *from ? root : *from;
        *to = root >= *to ? root + 1 : *to;
    }
    for (int64_t j = *to - 1; j >= *from; j--)
        for (int b = 0; b < PT_BRANCHES; b++) {
            const int64_t child = forest->node[j].child[b];
            *from = child >= 0 && child < *from ? child : *from;
        }
}

static pt_status find_used(sums *u, pt_error *err)
{
    const pt_forest *forest = u->forest;
    int64_t from = 0;
    int64_t to = 0;
    node_range(u, &from, &to);
    u->n_used = 0;
    PT_TRY(PT_NEW(u->slot, forest->d, "features of trees", err));
    for (int64_t f = 0; f < forest->d; f++)
        u->slot[f] = -1;
    for (int64_t j = from; j < to; j++)
        u->slot[forest->node[j].split.feature] = 0;
    for (int64_t f = 0; f < forest->d; f++)
        if (u->slot[f] == 0)
            u->slot[f] = u->n_used++;
    PT_TRY(PT_NEW(u->used, u->n_used, "features of trees", err));
    for (int64_t f = 0; f < forest->d; f++)
        if (u->slot[f] >= 0)
            u->used[u->slot[f]] = f;
    return PT_OK;
}

/* One slot at least: trees of a single leaf look at it, though they say the same in any case. */
static int64_t block_cells(const sums *u)
{
    return (u->n_used > 0 ? u->n_used : 1) * ROWS;
}

#define DEFINE_COPY(T, suffix)                                                          \
    static void copy_dense_##suffix(const sums *u, int64_t first, int64_t m, double *x) \
    {                                                                                   \
        const int64_t stride = u->rows->stride;                                         \
        const T *cells = (const T *)u->rows->dense + first * stride;                    \
        for (int64_t from = 0; from < m; from += TOGETHER) {                            \
            const int64_t to = from + TOGETHER < m ? from + TOGETHER : m;               \
            for (int64_t slot = 0; slot < u->n_used; slot++)                            \
                for (int64_t i = from; i < to; i++)                                     \
                    x[slot * ROWS + i] = (double)cells[i * stride + u->used[slot]];     \
        }                                                                               \
    }

DEFINE_COPY(float, f32)
DEFINE_COPY(double, f64)

static void copy_sparse(const sums *u, int64_t first, int64_t m, double *x)
{
    const pt_rows *rows = u->rows;
    memset(x, 0, (size_t)block_cells(u) * sizeof *x);
    for (int64_t i = 0; i < m; i++)
        for (int64_t p = rows->start[first + i]; p < rows->start[first + i + 1]; p++) {
            const int64_t slot = u->slot[rows->index[p]];
            if (slot >= 0)
                x[slot * ROWS + i] = pt_rows_value(rows, rows->value, p);
        }
}

/* x <- the cells of rows first .. first+m-1. Places behind them keep cells of other rows, whose
 * sums nobody takes. */
static void copy_block(const sums *u, int64_t first, int64_t m, double *x)
{
    if (!u->rows->dense)
        copy_sparse(u, first, m, x);
    else if (u->rows->type == PT_F32)
        copy_dense_f32(u, first, m, x);
    else
        copy_dense_f64(u, first, m, x);
}

/* ---- stumps ---------------------------------------------------------------------------------- */

static bool is_stump(const pt_forest *forest, int64_t tree)
{
    const int64_t root = forest->root[tree];
    if (root < 0)
        return true;
    const int64_t *child = forest->node[root].child;
    return child[0] < 0 && child[1] < 0 && child[2] < 0;
}

static bool all_stumps(const sums *u)
{
    for (int64_t t = u->first; t < u->last; t++)
        if (!is_stump(u->forest, t))
            return false;
    return u->forest->width == 1;
}

/* The first of the trees whose column is s. */
static int64_t first_of_column(const sums *u, int64_t s)
{
    const int64_t column = u->first % u->ell;
    return u->first + (s >= column ? s - column : s - column + u->ell);
}

static int64_t count_of_column(const sums *u, int64_t s)
{
    const int64_t first = first_of_column(u, s);
    return first < u->last ? (u->last - first - 1) / u->ell + 1 : 0;
}

static double leaf_value(const sums *u, int64_t child)
{
    return u->scale * u->forest->value[-1 - child];
}

static pt_forest_stump make_stump(const sums *u, int64_t tree)
{
    const pt_forest *forest = u->forest;
    const int64_t root = forest->root[tree];
    pt_forest_stump stump = {0};
    if (root < 0) {
        stump.in = stump.out = stump.missing = leaf_value(u, root);
        return stump;
    }
    const pt_node *node = &forest->node[root];
    stump.slot = u->slot[node->split.feature];
    stump.cut = node->split.cut;
    stump.in = leaf_value(u, node->child[PT_BRANCH_IN]);
    stump.out = leaf_value(u, node->child[PT_BRANCH_OUT]);
    stump.missing = leaf_value(u, node->child[PT_BRANCH_MISSING]);
    if (node->split.set >= 0) {
        stump.levels = forest->levels[node->split.feature];
        stump.set = forest->words + node->split.set;
    }
    return stump;
}

static pt_status make_stumps(sums *u, pt_error *err)
{
    PT_TRY(PT_NEW(u->stump, u->last - u->first, "stumps", err));
    int64_t made = 0;
    for (int64_t s = 0; s < u->ell && made < u->last - u->first; s++)
        for (int64_t t = first_of_column(u, s); t < u->last; t += u->ell)
            u->stump[made++] = make_stump(u, t);
    return PT_OK;
}

static void add_stumps(const sums *u, int64_t first, int64_t m, const double *x)
{
    double sum[ROWS] = {0};
    const pt_forest_stump *stump = u->stump;
    const pt_forest_stump *end = u->stump + (u->last - u->first);
    for (int64_t s = 0; s < u->ell && stump < end; s++) {
        const int64_t count = count_of_column(u, s);
        double *output = u->outputs + first * u->ell + s;
        if (count == 0)
            continue;
        for (int64_t i = 0; i < m; i++)
            sum[i] = output[i * u->ell];
        u->loops->stumps(stump, count, x, sum);
        for (int64_t i = 0; i < m; i++)
            output[i * u->ell] = sum[i];
        stump += count;
    }
}

/* ---- any trees ------------------------------------------------------------------------------- */

static inline double cell_of(const sums *u, const double *x, int64_t first, int64_t i,
                             int64_t feature)
{
    if (u->slot)
        return x[u->slot[feature] * ROWS + i];
    return pt_rows_value(u->rows, u->rows->dense, (first + i) * u->rows->stride + feature);
}

static inline const double *walk(const sums *u, int64_t root, const double *x, int64_t first,
                                 int64_t i)
{
    const pt_forest *forest = u->forest;
    int64_t at = root;
    while (at >= 0) {
        const pt_node *node = &forest->node[at];
        const double value = cell_of(u, x, first, i, node->split.feature);
        at = node->child[pt_forest_branch(forest, &node->split, value)];
    }
    return forest->value + (-1 - at) * forest->width;
}

static pt_status add_walks(const sums *u, int64_t first, int64_t m, const double *x, pt_error *err)
{
    const pt_forest *forest = u->forest;
    for (int64_t t = u->first; t < u->last; t++) {
        const int64_t column = forest->width == 1 ? t % u->ell : 0;
        for (int64_t i = 0; i < m; i++) {
            const double *value = walk(u, forest->root[t], x, first, i);
            double *output = u->outputs + (first + i) * u->ell + column;
            if (forest->width == 1)
                *output += u->scale * *value;
            else
                u->loops->leaf(value, forest->width, u->scale, output);
        }
        if (t % WALKS == 0)
            PT_TRY(pt_task_check(u->task, err));
    }
    return PT_OK;
}

/* ---- all rows -------------------------------------------------------------------------------- */

static pt_status add_rows(void *context, int64_t index, int worker, pt_error *err)
{
    const sums *u = context;
    double *x = u->slot ? u->x + worker * block_cells(u) : NULL;
    for (int64_t b = 0; b < BLOCKS; b++) {
        const int64_t first = (index * BLOCKS + b) * ROWS;
        const int64_t left = u->rows->n - first;
        const int64_t m = left < ROWS ? left : ROWS;
        if (m <= 0)
            break;
        if (x)
            copy_block(u, first, m, x);
        if (u->stump)
            add_stumps(u, first, m, x);
        else
            PT_TRY(add_walks(u, first, m, x, err));
    }
    return PT_OK;
}

/* A few rows are done before another thread is awake. */
static int workers_for(const sums *u, bool stumps, int64_t indices)
{
    const double answers = (double)u->rows->n * (double)(u->last - u->first);
    return answers < (stumps ? STUMPS_WORTH : WALKS_WORTH) ? 1
                                                           : pt_parallel_workers(u->task, indices);
}

static pt_status add_trees(sums *u, bool stumps, pt_error *err)
{
    const int64_t per_index = BLOCKS * ROWS;
    const int64_t indices = u->rows->n / per_index + (u->rows->n % per_index != 0);
    const bool blocks = stumps || !u->rows->dense;
    u->workers = workers_for(u, stumps, indices);
    if (blocks) {
        PT_TRY(find_used(u, err));
        PT_TRY(PT_NEW_ZERO(u->x, u->workers * block_cells(u), "blocks of rows", err));
    }
    if (stumps)
        PT_TRY(make_stumps(u, err));
    return pt_parallel_for_at_most(u->task, u->workers, indices, add_rows, u, err);
}

pt_status pt_forest_add(const pt_forest *forest, int64_t first, int64_t last, double scale,
                        const pt_rows *rows, int64_t ell, double *outputs, const pt_task *task,
                        pt_error *err)
{
    const sums all = {.forest = forest,
                      .first = first,
                      .last = last,
                      .scale = scale,
                      .rows = rows,
                      .ell = ell,
                      .outputs = outputs,
                      .task = task,
                      .loops = pt_forest_loops_chosen()};
    const bool stumps = all_stumps(&all);
    for (int64_t from = first; from < last; from += STUMPS) {
        PT_FREED_BY(free_sums) sums some = all;
        some.first = from;
        some.last = last - from > STUMPS ? from + STUMPS : last;
        PT_TRY(add_trees(&some, stumps, err));
    }
    return PT_OK;
}

pt_status pt_forest_staged(const pt_forest *forest, const pt_rows *rows, int64_t ell,
                           const int64_t *rounds, int64_t n_rounds, pt_staged_fn take,
                           void *context, const pt_task *task, pt_error *err)
{
    const int64_t a_round = forest->width == ell ? 1 : ell;
    size_t cells = 0;
    if (!pt_size_mul((size_t)rows->n, (size_t)ell, &cells) || cells > INT64_MAX)
        return pt_fail(err, PT_ELIMIT, "too many outputs");
    PT_SCRATCH double *outputs = pt_alloc_zero((int64_t)cells, sizeof *outputs, "outputs", err);
    if (!outputs)
        return PT_ENOMEM;
    for (int64_t which = 0, before = 0; which < n_rounds; before = rounds[which++]) {
        PT_TRY(pt_forest_add(forest, before * a_round, rounds[which] * a_round, 1, rows, ell,
                             outputs, task, err));
        PT_TRY(take(context, which, outputs, err));
    }
    return PT_OK;
}
