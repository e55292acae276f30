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
    int64_t room;      /* columns of H */
    double *h;         /* n: outputs of the rows of a node */
    int64_t *class_of; /* n: their classes, as numbered in the node */
    double *weight;    /* n */
    int64_t *place;    /* k: of a class in its node, -1: it is not in it */
} grower;

static void grower_free(grower *g)
{
    for (int64_t i = 0; g->open && i < g->k; i++) {
        pt_free(g->open[i].u);
        pt_free(g->open[i].best);
    }
    pt_free(g->place);
    pt_free(g->weight);
    pt_free(g->class_of);
    pt_free(g->h);
    pt_free(g->H);
    pt_free(g->fold);
    pt_free(g->open);
    pt_free(g->order);
    pt_code_free(&g->tree);
}

int64_t pt_class_tree_most_columns(int64_t k)
{
    return SPLITS * (k / 3 + 1); /* a node that is tried has three classes at least */
}

static pt_status grower_init(grower *g, pt_error *err)
{
    const int64_t n = g->problem->rows.n;
    g->k = pt_labels_n_classes(g->problem->labels);
    g->room = pt_class_tree_most_columns(g->k);
    g->order = pt_alloc(g->k, sizeof *g->order, "classes", err);
    g->open = pt_alloc_zero(g->k, sizeof *g->open, "nodes", err);
    g->fold = pt_alloc(n, sizeof *g->fold, "folds", err);
    g->H = pt_alloc(n * g->room, sizeof *g->H, "outputs", err);
    g->h = pt_alloc(n, sizeof *g->h, "outputs", err);
    g->class_of = pt_alloc(n, sizeof *g->class_of, "classes", err);
    g->weight = pt_alloc(n, sizeof *g->weight, "weights", err);
    g->place = pt_alloc(g->k, sizeof *g->place, "classes", err);
    if (!g->order || !g->open || !g->fold || !g->H || !g->h || !g->class_of || !g->weight ||
        !g->place)
        return PT_ENOMEM;
    for (int64_t i = 0; i < g->k; i++) {
        g->order[i] = i;
        g->open[i].u = pt_alloc(g->k, 1, "a column", err);
        g->open[i].best = pt_alloc(g->k, 1, "a column", err);
        if (!g->open[i].u || !g->open[i].best)
            return PT_ENOMEM;
    }
    return PT_OK;
}

/* A tree without columns, and a node of all classes. */
static pt_status begin_tree(grower *g, pt_error *err)
{
    g->tree.k = g->k;
    PT_TRY(pt_code_alloc(&g->tree, g->k - 1, err));
    memset(g->tree.M, 0, (size_t)(g->k * (g->k - 1)));
    g->open[0].first = 0;
    g->open[0].count = g->k;
    g->open[0].number = 0;
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
    pt_machine *machine = NULL;
    pt_texts unheard = {NULL, 0, 0};
    placement p = {g->H, problem->code->ell};
    pt_status status = pt_machine_code.fit(&machine, problem, g->params, g->task, &unheard, err);
    if (status == PT_OK)
        status = pt_code_outputs(machine, &problem->rows, place_outputs, &p, g->task, err);
    if (machine)
        pt_machine_code.free(machine);
    pt_texts_free(&unheard);
    return status;
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
        g->weight[m++] = problem->weight ? problem->weight[i] : 1;
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

static pt_status begin_trials(pt_code *tried, int64_t k, int64_t ell, pt_error *err)
{
    *tried = (pt_code){.k = k};
    PT_TRY(pt_code_alloc(tried, ell, err));
    memset(tried->M, 0, (size_t)(k * ell));
    return PT_OK;
}

/* Of every node several splits are learned; u <- the best column for any of what they learned. */
static pt_status try_splits(grower *g, pt_error *err)
{
    int64_t ell = 0;
    for (int64_t i = 0; i < g->n_open; i++)
        ell += g->open[i].moving ? n_splits(g->open[i].count) : 0;
    if (ell == 0)
        return PT_OK;
    pt_code tried;
    pt_status status = begin_trials(&tried, g->k, ell, err);
    for (int64_t i = 0, s = 0; i < g->n_open && status == PT_OK; i++)
        for (int64_t j = 0; g->open[i].moving && j < n_splits(g->open[i].count); j++) {
            first_split(g, &g->open[i], j, g->place, g->open[i].u);
            put_column(g, &g->open[i], g->open[i].u, &tried, s++);
        }
    if (status == PT_OK)
        status = learn(g, &tried, err);
    for (int64_t i = 0, s = 0; i < g->n_open && status == PT_OK; i++) {
        node *at = &g->open[i];
        double least = 2;
        for (int64_t j = 0; at->moving && j < n_splits(at->count) && status == PT_OK; j++, s++) {
            double error = 0;
            const pt_design_data data = rows_of(g, at, s, ell);
            status = pt_design_first_column(&data, 0, at->best, &error, err);
            if (error < least)
                memcpy(at->u, at->best, (size_t)at->count);
            least = error < least ? error : least;
        }
    }
    pt_code_free(&tried);
    return status;
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
    pt_code tried;
    pt_status status = begin_trials(&tried, g->k, ell, err);
    for (int64_t i = 0, s = 0; i < g->n_open && status == PT_OK; i++)
        if (g->open[i].moving)
            put_column(g, &g->open[i], g->open[i].u, &tried, s++);
    if (status == PT_OK)
        status = learn(g, &tried, err);
    for (int64_t i = 0, s = 0; i < g->n_open && status == PT_OK; i++)
        if (g->open[i].moving) {
            const pt_design_data data = rows_of(g, &g->open[i], s++, ell);
            status = judge(&g->open[i], &data, next, err);
        }
    pt_code_free(&tried);
    return status;
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
    int64_t *below = pt_alloc(4 * g->n_open, sizeof *below, "nodes", err);
    int64_t count = 0;
    if (!below)
        return PT_ENOMEM;
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
    pt_free(below);
    return PT_OK;
}

/* The best columns of all open nodes. */
static pt_status find_columns(grower *g, pt_error *err)
{
    PT_SCRATCH int8_t *next = pt_alloc(g->k, 1, "a column", err);
    if (!next)
        return PT_ENOMEM;
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

pt_status pt_class_tree_grow(pt_code *code, const pt_problem *problem, const pt_params *params,
                             const pt_task *task, pt_error *err)
{
    pt_subproblem examples; /* parts of a row may be in several folds */
    pt_status status = pt_subproblem_examples(&examples, problem, PT_FOLDED_EXAMPLES,
                                              pt_kernel_is_precomputed(params), err);
    if (status != PT_OK)
        return status;
    problem = &examples.problem;
    grower g = {.problem = problem, .params = params, .task = task};
    status = grower_init(&g, err);
    if (status == PT_OK)
        status = begin_tree(&g, err);
    g.n_folds = pt_params_integer(params, PT_P_DESIGN_FOLDS);
    if (status == PT_OK && g.n_folds > 0)
        status = pt_cross_fit_folds(g.fold, &g.n_folds, problem,
                                    (uint64_t)pt_params_integer(params, PT_P_SEED), err);
    pt_task_begin_whole(task);
    while (g.n_open > 0 && status == PT_OK) {
        pt_task_progress_whole(task, STAGE, (double)g.n_columns, (double)(g.k - 1));
        status = find_columns(&g, err);
        if (status == PT_OK)
            status = split_level(&g, err);
    }
    pt_task_end_whole(task);
    if (status == PT_OK) {
        *code = g.tree;
        g.tree = (pt_code){0};
    }
    grower_free(&g);
    pt_subproblem_free(&examples);
    return status;
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
    PT_TRY(begin_trials(code, k, k - 1, err));
    halve(code, 0, k, &s);
    return PT_OK;
}
