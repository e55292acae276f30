/* Growing a tree of classes, level after level.
 *
 *   order   k            the classes, those of a node side by side
 *   open    nodes        of this level, with two classes or more
 *   M       k x (k - 1)  the tree so far: a column for each node that is split
 *   tried   k x trials   columns that are learned at once: of every open node one or several
 *   H       n x trials   what they say
 */
#include "machines/codes/class_tree.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/random.h"
#include "codes/design/discrete.h"
#include "kernels/kernel_params.h"
#include "machine/code_scores.h"
#include "machine/subproblem.h"
#include "machines/codes/machine_code.h"
#include "validate/cross_fit.h"

enum {
    SPLITS = 8, /* tried at a node */
    FEW = 4,    /* so many classes have 7 splits, which are all tried */
    ROUNDS = 5  /* of learning a column and finding a better one */
};

static const char STAGE[] = "splitting classes";

typedef struct node {
    int64_t first; /* in order */
    int64_t count;
    int64_t number; /* of all nodes, for random numbers */
    int8_t *u;      /* k, of which the first `count`: the column at hand, in the order of classes */
    int8_t *best;   /* k: the best column that was learned */
    double best_error; /* with what was learned */
    bool moving;       /* u is not learned yet */
} node;

typedef struct grower {
    const pt_problem *problem;
    const pt_params *params;
    const pt_task *task;
    int64_t k;
    int64_t *order;
    node *open;
    int64_t n_open;
    int64_t n_nodes; /* seen so far */
    pt_code tree;
    int64_t n_columns; /* of the tree so far */
    int64_t *fold;     /* n */
    int64_t n_folds;   /* 0: none */
    double *H;
    double *h;         /* n: outputs of the rows of a node */
    int64_t *class_of; /* n: their classes, as numbered in the node */
    double *weight;    /* n */
    int64_t *place;    /* k: of a class in its node, -1: it is not in it */
    pt_arena arena;    /* of all these */
} grower;

int64_t pt_class_tree_most_columns(int64_t k)
{
    return SPLITS * (k / 3 + 1); /* a node that is tried has three classes at least */
}

/* A code of zeros. */
static pt_status begin_code(pt_code *code, int64_t k, int64_t ell, pt_error *err)
{
    *code = (pt_code){.k = k};
    PT_TRY(pt_code_alloc(code, ell, err));
    memset(code->M, 0, (size_t)(k * ell));
    return PT_OK;
}

static void grower_free(grower *g)
{
    pt_code_free(&g->tree);
    pt_arena_free(&g->arena);
}

/* A tree without columns, and a node of all classes. */
static pt_status grower_init(grower *g, pt_error *err)
{
    const int64_t n = g->problem->rows.n;
    const int64_t k = g->k = pt_labels_n_classes(g->problem->labels);
    int8_t *column = NULL; /* two of each node */
    PT_TRY(PT_ARENA(&g->arena, "a tree of classes", err, PT_PIECE(g->order, k), //
                    PT_PIECE(g->open, k), PT_PIECE(column, 2 * k * k), PT_PIECE(g->fold, n),
                    PT_PIECE(g->H, n * pt_class_tree_most_columns(k)), PT_PIECE(g->h, n),
                    PT_PIECE(g->class_of, n), PT_PIECE(g->weight, n), PT_PIECE(g->place, k)));
    for (int64_t i = 0; i < k; i++) {
        g->order[i] = i;
        g->open[i] = (node){.u = column + 2 * i * k, .best = column + (2 * i + 1) * k};
    }
    PT_TRY(begin_code(&g->tree, k, k - 1, err));
    g->open[0].count = k;
    g->n_open = 1;
    g->n_nodes = 1;
    return PT_OK;
}

/* ---- what columns say ------------------------------------------------------------------------ */

typedef struct placement {
    double *H;
    int64_t ell;
} placement;

static pt_status place_outputs(void *context, int64_t first, int64_t n, const double *outputs,
                               pt_error *err)
{
    (void)err;
    const placement *p = context;
    memcpy(p->H + first * p->ell, outputs, (size_t)(n * p->ell) * sizeof *outputs);
    return PT_OK;
}

/* H <- the outputs of columns on the rows that they were learned from. */
static pt_status fit_seen(grower *g, const pt_problem *problem, pt_error *err)
{
    PT_FREED_BY(pt_machine_free_at) pt_machine *machine = NULL;
    placement p = {g->H, problem->code->ell};
    PT_TRY(pt_machine_fit(&machine, &pt_machine_code, problem, g->params, g->task, NULL, err));
    return pt_code_outputs(machine, &problem->rows, place_outputs, &p, g->task, err);
}

static pt_status learn(grower *g, const pt_code *tried, pt_error *err)
{
    pt_problem problem = *g->problem;
    problem.code = tried;
    return g->n_folds > 0 ? pt_cross_fit(g->H, tried->ell, &pt_machine_code, &problem, g->params,
                                         g->fold, g->n_folds, g->task, err)
                          : fit_seen(g, &problem, err);
}

/* The rows of a node with what trial t of ell says of them; outputs that were seen are left out. */
static pt_design_data rows_of(grower *g, const node *at, int64_t t, int64_t ell)
{
    const pt_problem *problem = g->problem;
    int64_t m = 0;
    for (int64_t r = 0; r < g->k; r++)
        g->place[r] = -1;
    for (int64_t j = 0; j < at->count; j++)
        g->place[g->order[at->first + j]] = j;
    for (int64_t i = 0; i < problem->rows.n; i++) {
        const int64_t place = g->place[problem->labels->class_of[i]];
        if (place < 0 || (g->n_folds > 0 && g->fold[i] < 0))
            continue;
        g->h[m] = g->H[i * ell + t];
        g->class_of[m] = place;
        g->weight[m++] = pt_weight(problem->weight, i);
    }
    return (pt_design_data){
        .m = m, .k = at->count, .ell = 1, .H = g->h, .class_of = g->class_of, .weight = g->weight};
}

/* ---- splits ---------------------------------------------------------------------------------- */

static int64_t n_splits(int64_t count)
{
    return count <= FEW ? ((int64_t)1 << (count - 1)) - 1 : SPLITS;
}

/* Split `number` of a node: bits of its number for few classes, else halves. */
static void first_split(const grower *g, const node *at, int64_t number, int64_t *shuffled,
                        int8_t *u)
{
    if (at->count <= FEW) {
        for (int64_t j = 0; j < at->count; j++)
            u[j] = (number + 1) >> j & 1 ? -1 : 1;
        return;
    }
    for (int64_t j = 0; j < at->count; j++)
        shuffled[j] = j;
    if (number > 0) {
        pt_random random;
        pt_random_init(&random, (uint64_t)pt_params_integer(g->params, PT_P_SEED),
                       PT_RANDOM_CLASS_TREE, (uint64_t)(at->number * SPLITS + number));
        pt_random_shuffle(&random, shuffled, at->count);
    }
    for (int64_t j = 0; j < at->count; j++)
        u[shuffled[j]] = j < (at->count + 1) / 2 ? 1 : -1;
}

static void put_column(const grower *g, const node *at, const int8_t *u, pt_code *code, int64_t s)
{
    for (int64_t j = 0; j < at->count; j++)
        code->M[g->order[at->first + j] * code->ell + s] = u[j];
}

/* Of every node several splits are learned; u <- the best column for any of what they learned. */
static pt_status try_splits(grower *g, pt_error *err)
{
    int64_t ell = 0;
    for (int64_t i = 0; i < g->n_open; i++)
        ell += g->open[i].moving ? n_splits(g->open[i].count) : 0;
    if (ell == 0)
        return PT_OK;
    PT_FREED_BY(pt_code_free) pt_code tried = {0};
    PT_TRY(begin_code(&tried, g->k, ell, err));
    for (int64_t i = 0, s = 0; i < g->n_open; i++)
        for (int64_t j = 0; g->open[i].moving && j < n_splits(g->open[i].count); j++) {
            first_split(g, &g->open[i], j, g->place, g->open[i].u);
            put_column(g, &g->open[i], g->open[i].u, &tried, s++);
        }
    PT_TRY(learn(g, &tried, err));
    for (int64_t i = 0, s = 0; i < g->n_open; i++) {
        node *at = &g->open[i];
        double least = 2;
        for (int64_t j = 0; at->moving && j < n_splits(at->count); j++, s++) {
            double error = 0;
            const pt_design_data data = rows_of(g, at, s, ell);
            PT_TRY(pt_design_first_column(&data, 0, at->best, &error, err));
            if (error < least)
                memcpy(at->u, at->best, (size_t)at->count);
            least = error < least ? error : least;
        }
    }
    return PT_OK;
}

/* Whether two columns split the classes alike. */
static bool same_split(const int8_t *u, const int8_t *v, int64_t count)
{
    bool same = true;
    for (int64_t j = 1; j < count; j++)
        same = same && (u[j] == v[j]) == (u[0] == v[0]);
    return same;
}

/* The column at hand has been learned: it is judged, and the next one is the best for what was
 * learned. */
static pt_status judge(node *at, const pt_design_data *data, int8_t *next, pt_error *err)
{
    double error = 1;
    if (data->m > 0)
        PT_TRY(pt_discrete_error(&error, data, at->u, err));
    PT_TRY(pt_design_first_column(data, 0, next, NULL, err));
    if (error < at->best_error)
        memcpy(at->best, at->u, (size_t)at->count);
    at->best_error = error < at->best_error ? error : at->best_error;
    at->moving = !same_split(at->u, next, at->count);
    memcpy(at->u, next, (size_t)at->count);
    return PT_OK;
}

/* One round for all nodes whose column is not learned yet; *moved: there were some. */
static pt_status improve(grower *g, bool *moved, int8_t *next, pt_error *err)
{
    int64_t ell = 0;
    for (int64_t i = 0; i < g->n_open; i++)
        ell += g->open[i].moving;
    *moved = ell > 0;
    if (ell == 0)
        return PT_OK;
    PT_FREED_BY(pt_code_free) pt_code tried = {0};
    PT_TRY(begin_code(&tried, g->k, ell, err));
    for (int64_t i = 0, s = 0; i < g->n_open; i++)
        if (g->open[i].moving)
            put_column(g, &g->open[i], g->open[i].u, &tried, s++);
    PT_TRY(learn(g, &tried, err));
    for (int64_t i = 0, s = 0; i < g->n_open; i++)
        if (g->open[i].moving) {
            const pt_design_data data = rows_of(g, &g->open[i], s++, ell);
            PT_TRY(judge(&g->open[i], &data, next, err));
        }
    return PT_OK;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* The classes at + come first in the node, each side in its order; *left <- how many they are. */
static void part_classes(grower *g, const node *at, int64_t *left)
{
    int64_t n = 0;
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int64_t j = 0; j < at->count; j++)
            if (at->best[j] == sign)
                g->place[n++] = g->order[at->first + j];
    memcpy(g->order + at->first, g->place, (size_t)at->count * sizeof *g->order);
    *left = 0;
    for (int64_t j = 0; j < at->count; j++)
        *left += at->best[j] == 1;
}

/* Splits every open node by its best column; those below with two classes or more are open then. */
static pt_status split_level(grower *g, pt_error *err)
{
    PT_SCRATCH int64_t *below = NULL;
    int64_t count = 0;
    PT_TRY(PT_NEW(below, 4 * g->n_open, "nodes", err));
    for (int64_t i = 0; i < g->n_open; i++) {
        int64_t left = 0;
        const node *at = &g->open[i];
        put_column(g, at, at->best, &g->tree, g->n_columns++);
        part_classes(g, at, &left);
        const int64_t parts[2][2] = {{at->first, left}, {at->first + left, at->count - left}};
        for (int side = 0; side < 2; side++)
            if (parts[side][1] > 1) {
                below[2 * count] = parts[side][0];
                below[2 * count++ + 1] = parts[side][1];
            }
    }
    for (int64_t i = 0; i < count; i++) {
        g->open[i].first = below[2 * i];
        g->open[i].count = below[2 * i + 1];
        g->open[i].number = g->n_nodes++;
    }
    g->n_open = count;
    return PT_OK;
}

/* The best columns of all open nodes. */
static pt_status find_columns(grower *g, pt_error *err)
{
    PT_SCRATCH int8_t *next = NULL;
    PT_TRY(PT_NEW(next, g->k, "a column", err));
    for (int64_t i = 0; i < g->n_open; i++) {
        node *at = &g->open[i];
        at->moving = at->count > 2;
        at->best_error = 2;
        at->best[0] = 1; /* of two classes there is one split */
        at->best[1] = -1;
    }
    PT_TRY(try_splits(g, err));
    bool moved = true;
    for (int round = 0; round < ROUNDS && moved; round++)
        PT_TRY(improve(g, &moved, next, err));
    return PT_OK;
}

/* Level after level. */
static pt_status grow(grower *g, pt_error *err)
{
    while (g->n_open > 0) {
        pt_task_progress_whole(g->task, STAGE, (double)g->n_columns, (double)(g->k - 1));
        PT_TRY(find_columns(g, err));
        PT_TRY(split_level(g, err));
    }
    return PT_OK;
}

pt_status pt_class_tree_grow(pt_code *code, const pt_problem *problem, const pt_params *params,
                             const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_subproblem_free) pt_subproblem examples = {0};
    /* parts of a row may be in several folds */
    PT_TRY(pt_subproblem_examples(&examples, problem, PT_FOLDED_EXAMPLES,
                                  pt_kernel_is_precomputed(params), task, err));
    PT_FREED_BY(grower_free)
    grower g = {.problem = &examples.problem,
                .params = params,
                .task = task,
                .n_folds = pt_params_integer(params, PT_P_DESIGN_FOLDS)};
    PT_TRY(grower_init(&g, err));
    if (g.n_folds > 0)
        PT_TRY(pt_cross_fit_folds(g.fold, &g.n_folds, g.problem,
                                  (uint64_t)pt_params_integer(params, PT_P_SEED), err));
    pt_task_begin_whole(task);
    const pt_status status = grow(&g, err);
    pt_task_end_whole(task);
    PT_TRY(status);
    *code = g.tree;
    g.tree = (pt_code){0};
    return PT_OK;
}

/* ---- for plans ------------------------------------------------------------------------------- */

/* Columns for classes first .. first+count-1, from column *s on: by halves, the left one first. */
static void halve(pt_code *code, int64_t first, int64_t count, int64_t *s)
{
    while (count > 1) {
        const int64_t left = (count + 1) / 2;
        for (int64_t j = 0; j < count; j++)
            code->M[(first + j) * code->ell + *s] = j < left ? 1 : -1;
        ++*s;
        halve(code, first, left, s);
        first += left;
        count -= left;
    }
}

pt_status pt_class_tree_halves(pt_code *code, int64_t k, pt_error *err)
{
    int64_t s = 0;
    if (k < 2)
        return pt_fail(err, PT_EINVAL, "a tree of classes is for two at least, not %lld",
                       (long long)k);
    PT_TRY(begin_code(code, k, k - 1, err));
    halve(code, 0, k, &s);
    return PT_OK;
}
