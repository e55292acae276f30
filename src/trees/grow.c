/* Growing of a tree, from the root down: the best split of a node (split_search.c), its rows parted
 * in place, and so on until nothing is left to be split.
 *
 * A node is a leaf where it has one class only, where the depth is reached, where it has less than
 * twice the rows of the smallest leaf, or where no test parts its rows. A split that gains nothing
 * is made all the same, as parity needs it; but a regression must gain.
 *
 * Histograms are kept while a node has enough rows for them to be worth it: that of the smaller
 * child is filled from its rows, that of the larger is its parent's less the other.
 *
 * Threads: while nodes are large their features are searched in parallel. What is small is put
 * aside, and these subtrees then grow in parallel, each on one thread with nodes of its own that
 * are put into place at the end. What is large does not depend on the number of threads.
 *
 *   entry   n    rows with class and weight; a node's are a stretch of them, in the order of rows
 *   spare   n    room for parting them
 */
#include "trees/grow.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "trees/split_search.h"

enum {
    LARGE = 1 << 18, /* cells (rows x features) of a node whose features are searched in parallel */
    CELLS_A_ROW = 4, /* a histogram is worth it up to this many cells for each row */
    LOOKS = 1 << 14  /* cells between looks at the task */
};

/* A node that is still to be looked at. */
typedef struct open_node {
    int64_t node;
    int64_t depth;
    double *cells; /* its histogram, or NULL */
} open_node;

/* What all of a tree's growing shares. */
typedef struct nursery {
    const pt_grow_problem *problem;
    const pt_task *task;
    pt_split_rules rules;
    int64_t d;
    int64_t n;
    pt_node_example *entry;
    pt_node_example *spare;
    int workers;
    pt_split_scratch **scratch; /* one for each worker */
} nursery;

/* Growing of a part: the top of the tree, or a subtree. */
typedef struct plot {
    nursery *of;
    pt_grown tree;
    bool top; /* searches features in parallel, puts aside what is small */
    pt_split_scratch *scratch;
    open_node *open;
    int64_t n_open, open_room;
    open_node *aside;
    int64_t n_aside, aside_room;
    double **made; /* histograms, freed in the end */
    int64_t n_made, made_room;
    double **idle; /* those that can be used again */
    int64_t n_idle, idle_room;
    int64_t looked; /* cells since the last look at the task */
} plot;

/* ---- the store ------------------------------------------------------------------------------- */

void pt_grown_free(pt_grown *tree)
{
    pt_free(tree->row);
    pt_free(tree->words);
    pt_free(tree->sum);
    pt_free(tree->node);
    *tree = (pt_grown){0};
}

void pt_grown_drop_rows(pt_grown *tree)
{
    pt_free(tree->row);
    tree->row = NULL;
    tree->n_rows = 0;
}

static pt_status room_for_nodes(pt_grown *tree, int64_t more, pt_error *err)
{
    PT_TRY(pt_forest_room((void **)&tree->node, &tree->node_room, tree->n_nodes, more,
                          sizeof *tree->node, err));
    return pt_forest_room((void **)&tree->sum, &tree->sum_room, tree->n_nodes, more,
                          (size_t)tree->sums * sizeof *tree->sum, err);
}

/* sum <- that of the entries. Several sums side by side, where classes are few, since additions to
 * the same place wait for each other. */
static void add_up(double *sum, int64_t sums, const pt_node_example *entry, int64_t count,
                   bool squares)
{
    enum { SIDE_BY_SIDE = 4, FEW = 32 };
    double part[SIDE_BY_SIDE][FEW];
    const int64_t parts = sums <= FEW && !squares && count > 4 * sums ? SIDE_BY_SIDE : 0;
    int64_t i = 0;
    memset(sum, 0, (size_t)sums * sizeof *sum);
    for (int64_t q = 0; q < parts; q++)
        memset(part[q], 0, (size_t)sums * sizeof *sum);
    for (; parts && i + SIDE_BY_SIDE <= count; i += SIDE_BY_SIDE)
        for (int64_t q = 0; q < SIDE_BY_SIDE; q++)
            part[q][entry[i + q].class] += entry[i + q].w;
    for (int64_t q = 0; q < parts; q++)
        for (int64_t c = 0; c < sums; c++)
            sum[c] += part[q][c];
    for (; i < count; i++) {
        sum[squares ? 0 : entry[i].class] += entry[i].w;
        if (squares)
            sum[1] += entry[i].wz;
    }
}

/* A leaf with these rows; room has been made. */
static int64_t add_node(const nursery *of, pt_grown *tree, int64_t first, int64_t count)
{
    const bool squares = of->problem->criterion == PT_CRITERION_SQUARES;
    const int64_t id = tree->n_nodes++;
    tree->node[id] = (pt_grown_node){
        .feature = -1, .set = -1, .child = {-1, -1, -1}, .first = first, .count = count};
    add_up(tree->sum + id * tree->sums, tree->sums, of->entry + first, count, squares);
    return id;
}

/* ---- what is to be split --------------------------------------------------------------------- */

static bool can_be_split(const plot *p, int64_t id, int64_t depth)
{
    const pt_grow_problem *problem = p->of->problem;
    const int64_t least = p->of->rules.min_leaf;
    const double *sum = p->tree.sum + id * p->tree.sums;
    int64_t classes = 0;
    if ((problem->depth > 0 && depth >= problem->depth) || p->tree.node[id].count < 2 * least)
        return false;
    if (problem->criterion == PT_CRITERION_SQUARES)
        return true;
    for (int64_t c = 0; c < p->tree.sums && classes < 2; c++)
        classes += sum[c] > 0;
    return classes > 1;
}

static bool worth_cells(const nursery *of, int64_t rows)
{
    return rows * of->d * CELLS_A_ROW >= of->rules.offset[of->d];
}

static pt_status push(open_node **list, int64_t *count, int64_t *room, open_node one, pt_error *err)
{
    PT_TRY(pt_forest_room((void **)list, room, *count, 1, sizeof **list, err));
    (*list)[(*count)++] = one;
    return PT_OK;
}

static pt_status take_cells(plot *p, double **cells, pt_error *err)
{
    if (p->n_idle == 0) {
        PT_TRY(
            pt_forest_room((void **)&p->made, &p->made_room, p->n_made, 1, sizeof *p->made, err));
        PT_TRY(
            pt_forest_room((void **)&p->idle, &p->idle_room, p->n_made, 1, sizeof *p->idle, err));
        PT_TRY(PT_NEW(p->made[p->n_made], p->of->rules.offset[p->of->d], "a histogram", err));
        p->idle[p->n_idle++] = p->made[p->n_made++];
    }
    *cells = p->idle[--p->n_idle];
    return PT_OK;
}

/* There is room for all that were made. */
static void give_cells(plot *p, double *cells)
{
    if (cells)
        p->idle[p->n_idle++] = cells;
}

/* ---- one node -------------------------------------------------------------------------------- */

/* Fills the histogram `small` from entries, and takes it from `large` where there is one. */
typedef struct node_filler {
    plot *p;
    const pt_node_example *entry;
    int64_t m;
    double *small;
    double *large;
} node_filler;

static pt_status fill_features(void *context, int64_t i, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const node_filler *fill = context;
    const pt_split_rules *rules = &fill->p->of->rules;
    const int64_t first = i * PT_FILLED;
    const int64_t left = fill->p->of->d - first;
    const int64_t count = left < PT_FILLED ? left : PT_FILLED;
    pt_cells_fill(rules, fill->entry, fill->m, first, count, fill->small);
    if (fill->large)
        pt_cells_subtract(rules, first, count, fill->large, fill->small);
    return PT_OK;
}

/* The body for 0 .. count-1, features or some of them, of a node with m rows. */
static pt_status over_features(const plot *p, pt_parallel_fn body, void *context, int64_t m,
                               int64_t count, pt_error *err)
{
    if (p->top && m * p->of->d >= LARGE)
        return pt_parallel_for(p->of->task, count, body, context, err);
    for (int64_t i = 0; i < count; i++)
        PT_TRY(body(context, i, 0, err));
    return PT_OK;
}

static pt_status fill_cells(plot *p, const pt_grown_node *node, double *small, double *large,
                            pt_error *err)
{
    node_filler fill = {p, p->of->entry + node->first, node->count, small, large};
    const int64_t blocks = (p->of->d + PT_FILLED - 1) / PT_FILLED;
    return over_features(p, fill_features, &fill, node->count, blocks, err);
}

static pt_status search_feature(void *context, int64_t f, int worker, pt_error *err)
{
    (void)err;
    const plot *p = context;
    pt_split_search(p->top ? p->of->scratch[worker] : p->scratch, f);
    return PT_OK;
}

/* found <- the best split of the node; its value is INFINITY where there is none. */
static pt_status search(plot *p, const open_node *at, pt_found *found, pt_error *err)
{
    const pt_grown_node *node = &p->tree.node[at->node];
    const pt_split_node split = {.entry = p->of->entry + node->first,
                                 .m = node->count,
                                 .total = p->tree.sum + at->node * p->tree.sums,
                                 .cells = at->cells};
    const int workers = p->top ? p->of->workers : 1;
    pt_split_scratch *const *scratch = p->top ? p->of->scratch : &p->scratch;
    for (int w = 0; w < workers; w++)
        pt_split_begin(scratch[w], &p->of->rules, &split);
    pt_status status = over_features(p, search_feature, p, node->count, p->of->d, err);
    *found = *pt_split_found(scratch[0]);
    for (int w = 1; w < workers; w++)
        if (pt_split_better(pt_split_found(scratch[w]), found))
            *found = *pt_split_found(scratch[w]);
    return status;
}

/* A regression must gain more than rounding may pretend. */
static bool gains(const plot *p, int64_t id, const pt_found *found)
{
    const double *sum = p->tree.sum + id * p->tree.sums;
    if (!isfinite(found->value))
        return false;
    if (p->of->problem->criterion != PT_CRITERION_SQUARES)
        return true;
    return sum[0] > 0 && found->value < -sum[1] * sum[1] / sum[0] + 1e-12 * found->value;
}

/* Parts the rows of a node, those that are in first; order is kept. Returns how many are. */
static int64_t part(const plot *p, const pt_grown_node *node, const pt_found *found)
{
    pt_node_example *entry = p->of->entry + node->first;
    pt_node_example *out = p->of->spare + node->first;
    const pt_feature *feature = &p->of->problem->table->feature[found->test.feature];
    const bool takes[PT_BRANCHES] = {
        [PT_BRANCH_IN] = true, [PT_BRANCH_MISSING] = found->missing_in};
    int64_t n_in = 0;
    int64_t n_out = 0;
    for (int64_t i = 0; i < node->count; i++) {
        const pt_node_example one = entry[i];
        const bool in =
            takes[pt_test_branch_of(feature, &found->test, pt_feature_bin(feature, one.row))];
        entry[n_in] = one; /* no branch: written to both, counted in one */
        out[n_out] = one;
        n_in += in;
        n_out += !in;
    }
    memcpy(entry + n_in, out, (size_t)n_out * sizeof *entry);
    return n_in;
}

/* The split becomes a test with three branches and two children. */
static pt_status split_node(plot *p, int64_t id, const pt_found *found, pt_error *err)
{
    pt_grown *tree = &p->tree;
    const pt_feature_table *table = p->of->problem->table;
    const pt_test *test = &found->test;
    const int64_t words = test->set ? pt_forest_set_words(table->feature[test->feature].levels) : 0;
    PT_TRY(pt_forest_room((void **)&tree->words, &tree->word_room, tree->n_words, words,
                          sizeof *tree->words, err));
    PT_TRY(room_for_nodes(tree, 2, err));
    const int64_t first = tree->node[id].first;
    const int64_t count = tree->node[id].count;
    const int64_t n_in = part(p, &tree->node[id], found);
    const int64_t in = add_node(p->of, tree, first, n_in);
    const int64_t out = add_node(p->of, tree, first + n_in, count - n_in);
    pt_grown_node *node = &tree->node[id];
    node->feature = test->feature;
    node->cut = test->set || found->whole ? 0 : pt_test_cut(table, test);
    node->set = test->set ? tree->n_words : -1;
    node->child[PT_BRANCH_IN] = in;
    node->child[PT_BRANCH_OUT] = found->whole ? in : out;
    node->child[PT_BRANCH_MISSING] = found->missing_in ? in : out;
    if (words > 0)
        memcpy(tree->words + tree->n_words, test->set, (size_t)words * sizeof *tree->words);
    tree->n_words += words;
    return PT_OK;
}

/* Histograms of two children: that of the smaller is filled, that of the larger is what is left of
 * their parent's. A child is then looked at later, put aside as a subtree of its own, or stays a
 * leaf. */
static pt_status open_children(plot *p, const open_node *at, pt_error *err)
{
    const nursery *of = p->of;
    const pt_grown_node *node = p->tree.node;
    const int64_t *branch = node[at->node].child;
    const int64_t in = branch[PT_BRANCH_IN];
    const int64_t out =
        branch[PT_BRANCH_OUT] != in ? branch[PT_BRANCH_OUT] : branch[PT_BRANCH_MISSING];
    open_node child[2] = {{in, at->depth + 1, NULL}, {out, at->depth + 1, NULL}};
    bool later[2];
    bool wanted = false;
    for (int c = 0; c < 2; c++) {
        later[c] = can_be_split(p, child[c].node, child[c].depth);
        wanted = wanted || (later[c] && worth_cells(of, node[child[c].node].count));
    }
    if (wanted) {
        const bool swap = node[in].count > node[out].count;
        open_node *small = &child[swap];
        open_node *large = &child[!swap];
        double *fresh = NULL;
        PT_TRY(take_cells(p, &fresh, err));
        PT_TRY(at->cells ? fill_cells(p, &node[small->node], fresh, at->cells, err)
                         : fill_cells(p, &node[large->node], fresh, NULL, err));
        small->cells = at->cells ? fresh : NULL;
        large->cells = at->cells ? at->cells : fresh;
    } else {
        give_cells(p, at->cells);
    }
    for (int c = 0; c < 2; c++) {
        const int64_t m = node[child[c].node].count;
        const bool aside = p->top && m * of->d < LARGE;
        if (!later[c] || aside || !worth_cells(of, m)) {
            give_cells(p, child[c].cells);
            child[c].cells = NULL;
        }
        if (later[c])
            PT_TRY(aside ? push(&p->aside, &p->n_aside, &p->aside_room, child[c], err)
                         : push(&p->open, &p->n_open, &p->open_room, child[c], err));
    }
    return PT_OK;
}

static pt_status grow_node(plot *p, const open_node *at, pt_error *err)
{
    pt_found found;
    p->looked += p->tree.node[at->node].count * p->of->d;
    if (p->looked >= LOOKS) {
        p->looked = 0;
        PT_TRY(pt_task_check(p->of->task, err));
    }
    PT_TRY(search(p, at, &found, err));
    if (!gains(p, at->node, &found)) {
        give_cells(p, at->cells);
        return PT_OK;
    }
    PT_TRY(split_node(p, at->node, &found, err));
    return open_children(p, at, err);
}

/* ---- a part of the tree ---------------------------------------------------------------------- */

/* All but the tree. */
static void clear_plot(plot *p)
{
    for (int64_t i = 0; i < p->n_made; i++)
        pt_free(p->made[i]);
    pt_free(p->made);
    pt_free(p->idle);
    pt_free(p->aside);
    pt_free(p->open);
    *p = (plot){.of = p->of, .tree = p->tree};
}

static void free_plot(plot *p)
{
    clear_plot(p);
    pt_grown_free(&p->tree);
}

/* Grows what is below node 0, whose rows and depth are given. */
static pt_status grow_plot(plot *p, int64_t first, int64_t count, int64_t depth, pt_error *err)
{
    p->tree.sums = p->of->rules.sums;
    PT_TRY(room_for_nodes(&p->tree, 1, err));
    open_node root = {add_node(p->of, &p->tree, first, count), depth, NULL};
    if (!can_be_split(p, root.node, depth))
        return PT_OK;
    if (worth_cells(p->of, count)) {
        PT_TRY(take_cells(p, &root.cells, err));
        PT_TRY(fill_cells(p, &p->tree.node[0], root.cells, NULL, err));
    }
    PT_TRY(push(&p->open, &p->n_open, &p->open_room, root, err));
    while (p->n_open > 0) {
        const open_node at = p->open[--p->n_open];
        PT_TRY(grow_node(p, &at, err));
    }
    return PT_OK;
}

/* ---- subtrees -------------------------------------------------------------------------------- */

typedef struct subtrees {
    nursery *of;
    const plot *top;
    plot *plots; /* one for each that was put aside */
} subtrees;

static pt_status grow_subtree(void *context, int64_t i, int worker, pt_error *err)
{
    subtrees *all = context;
    plot *p = &all->plots[i];
    const open_node *at = &all->top->aside[i];
    const pt_grown_node *node = &all->top->tree.node[at->node];
    p->of = all->of;
    p->scratch = all->of->scratch[worker];
    PT_TRY(grow_plot(p, node->first, node->count, at->depth, err));
    clear_plot(p);
    return PT_OK;
}

/* Puts a subtree in the place of the leaf `at`: its root there, the rest behind the others. */
static pt_status graft(pt_grown *tree, int64_t at, const pt_grown *from, pt_error *err)
{
    PT_TRY(room_for_nodes(tree, from->n_nodes - 1, err));
    PT_TRY(pt_forest_room((void **)&tree->words, &tree->word_room, tree->n_words, from->n_words,
                          sizeof *tree->words, err));
    const int64_t base = tree->n_nodes - 1;
    for (int64_t i = 0; i < from->n_nodes; i++) {
        pt_grown_node node = from->node[i];
        for (int b = 0; b < PT_BRANCHES && node.feature >= 0; b++)
            node.child[b] += base;
        node.set += node.set >= 0 ? tree->n_words : 0;
        tree->node[i > 0 ? base + i : at] = node;
    }
    memcpy(tree->sum + tree->n_nodes * tree->sums, from->sum + from->sums,
           (size_t)((from->n_nodes - 1) * from->sums) * sizeof *from->sum);
    if (from->n_words > 0)
        memcpy(tree->words + tree->n_words, from->words,
               (size_t)from->n_words * sizeof *from->words);
    tree->n_nodes += from->n_nodes - 1;
    tree->n_words += from->n_words;
    return PT_OK;
}

static void free_subtrees(subtrees *all)
{
    for (int64_t i = 0; all->plots && i < all->top->n_aside; i++)
        free_plot(&all->plots[i]);
    pt_free(all->plots);
}

static pt_status grow_aside(nursery *of, plot *top, pt_error *err)
{
    PT_FREED_BY(free_subtrees) subtrees all = {.of = of, .top = top};
    PT_TRY(PT_NEW_ZERO(all.plots, top->n_aside, "a tree", err));
    PT_TRY(pt_parallel_for(of->task, top->n_aside, grow_subtree, &all, err));
    for (int64_t i = 0; i < top->n_aside; i++)
        PT_TRY(graft(&top->tree, top->aside[i].node, &all.plots[i].tree, err));
    return PT_OK;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static int64_t group_at(const pt_grow_problem *problem, int64_t i)
{
    return problem->group_of ? problem->group_of[i] : 0;
}

/* The class of a group's rows, -1: they take no part. */
static int64_t class_of(const pt_grow_problem *problem, int64_t group)
{
    return problem->class_of_group ? problem->class_of_group[group] : group;
}

static void put_entry(nursery *of, int64_t i, int64_t group)
{
    const pt_grow_problem *problem = of->problem;
    const int64_t at =
        problem->slot_of_group ? i * problem->weight_stride + problem->slot_of_group[group] : i;
    const double w = pt_weight(problem->weight, at);
    of->entry[of->n++] = (pt_node_example){.row = (int32_t)i,
                                           .class = (int32_t)class_of(problem, group),
                                           .w = w,
                                           .wz = problem->target ? w * problem->target[i] : 0};
}

static int64_t count_entries(const pt_grow_problem *problem)
{
    const pt_grow_groups *groups = problem->groups;
    int64_t count = 0;
    for (int64_t g = 0; groups && g < groups->count; g++)
        count += class_of(problem, g) >= 0 ? groups->start[g + 1] - groups->start[g] : 0;
    for (int64_t i = 0; !groups && i < problem->table->n; i++)
        count += class_of(problem, group_at(problem, i)) >= 0;
    return count;
}

static pt_status list_entries(nursery *of, pt_error *err)
{
    const pt_grow_problem *problem = of->problem;
    const pt_grow_groups *groups = problem->groups;
    const int64_t count = count_entries(problem);
    PT_TRY(PT_NEW(of->entry, count, "the rows of a tree", err));
    PT_TRY(PT_NEW(of->spare, count, "the rows of a tree", err));
    for (int64_t g = 0; groups && g < groups->count; g++)
        for (int64_t at = groups->start[g]; class_of(problem, g) >= 0 && at < groups->start[g + 1];
             at++)
            put_entry(of, groups->row[at], g);
    for (int64_t i = 0; !groups && i < problem->table->n; i++)
        if (class_of(problem, group_at(problem, i)) >= 0)
            put_entry(of, i, group_at(problem, i));
    return PT_OK;
}

pt_status pt_grow_groups_init(pt_grow_groups *groups, const int64_t *group_of, int64_t n,
                              int64_t count, pt_error *err)
{
    groups->count = count;
    PT_TRY(PT_NEW_ZERO(groups->start, count + 1, "rows by groups", err));
    PT_TRY(PT_NEW(groups->row, n, "rows by groups", err));
    for (int64_t i = 0; i < n; i++)
        groups->start[group_of[i] + 1]++;
    for (int64_t g = 0; g < count; g++)
        groups->start[g + 1] += groups->start[g];
    for (int64_t i = 0; i < n; i++)
        groups->row[groups->start[group_of[i]]++] = i;
    for (int64_t g = count; g > 0; g--) /* each has moved to its end */
        groups->start[g] = groups->start[g - 1];
    groups->start[0] = 0;
    return PT_OK;
}

void pt_grow_groups_free(pt_grow_groups *groups)
{
    pt_free(groups->row);
    pt_free(groups->start);
    *groups = (pt_grow_groups){0};
}

static pt_status check_rows(const pt_grow_problem *problem, pt_error *err)
{
    if (problem->table->n > INT32_MAX)
        return pt_fail(err, PT_ELIMIT, "trees take at most %d rows; there are %lld", INT32_MAX,
                       (long long)problem->table->n);
    return PT_OK;
}

static pt_status prepare(nursery *of, pt_error *err)
{
    const pt_grow_problem *problem = of->problem;
    PT_TRY(check_rows(problem, err));
    PT_TRY(pt_split_rules_init(&of->rules, problem->table, problem->criterion, problem->k,
                               problem->min_leaf, err));
    if (problem->criterion != PT_CRITERION_SQUARES || problem->by_mass)
        of->rules.min_weight = problem->min_weight;
    of->rules.by_mass = problem->by_mass && problem->min_weight > 0;
    of->rules.mass = problem->mass;
    PT_TRY(list_entries(of, err));
    of->workers = of->n * of->d >= LARGE ? pt_parallel_workers(of->task, of->n) : 1;
    PT_TRY(PT_NEW_ZERO(of->scratch, of->workers, "a tree", err));
    for (int w = 0; w < of->workers; w++)
        PT_TRY(pt_split_scratch_new(&of->scratch[w], &of->rules, of->n, err));
    return PT_OK;
}

static void free_nursery(nursery *of)
{
    for (int w = 0; of->scratch && w < of->workers; w++)
        pt_split_scratch_free(of->scratch[w]);
    pt_free(of->scratch);
    pt_free(of->spare);
    pt_free(of->entry);
    pt_split_rules_free(&of->rules);
}

/* As impurity.h has them. */
static double impurity_of(const pt_grown *tree, int64_t id, pt_criterion criterion)
{
    const double *sum = tree->sum + id * tree->sums;
    double all = 0;
    double value = 0;
    if (criterion == PT_CRITERION_SQUARES)
        return sum[0] > 0 ? -sum[1] * sum[1] / sum[0] : 0;
    for (int64_t c = 0; c < tree->sums; c++)
        all += sum[c];
    for (int64_t c = 0; c < tree->sums && all > 0; c++) {
        const double w = sum[c];
        if (criterion == PT_CRITERION_ENTROPY)
            value += w > 0 ? w * log(all / w) : 0;
        else if (criterion == PT_CRITERION_GINI)
            value += w * (1 - w / all);
        else
            value += sqrt(w * (all - w));
    }
    return value;
}

/* What each split is worth. Two of the three branches are the same child. */
static void take_gains(pt_grown *tree, pt_criterion criterion)
{
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        pt_grown_node *node = &tree->node[id];
        if (node->feature < 0)
            continue;
        const int64_t in = node->child[PT_BRANCH_IN];
        const int64_t out = node->child[PT_BRANCH_OUT];
        const int64_t other = out != in ? out : node->child[PT_BRANCH_MISSING];
        const double gain = impurity_of(tree, id, criterion) - impurity_of(tree, in, criterion) -
                            impurity_of(tree, other, criterion);
        node->gain = gain > 0 && isfinite(gain) ? gain : 0;
    }
}

pt_status pt_grow(pt_grown *tree, const pt_grow_problem *problem, const pt_task *task,
                  pt_error *err)
{
    PT_FREED_BY(free_nursery)
    nursery of = {.problem = problem, .task = task, .d = problem->table->d};
    PT_FREED_BY(free_plot) plot top = {.of = &of};
    PT_TRY(prepare(&of, err));
    top.top = of.n * of.d >= LARGE;
    top.scratch = of.scratch[0];
    PT_TRY(grow_plot(&top, 0, of.n, 0, err));
    if (top.n_aside > 0)
        PT_TRY(grow_aside(&of, &top, err));
    PT_TRY(PT_NEW(top.tree.row, of.n, "the rows of a tree", err));
    top.tree.n_rows = of.n;
    for (int64_t i = 0; i < of.n; i++)
        top.tree.row[i] = of.entry[i].row;
    take_gains(&top.tree, problem->criterion);
    *tree = top.tree;
    top.tree = (pt_grown){0};
    return PT_OK;
}

/* ---- a tree that is known -------------------------------------------------------------------- */

/* leaf <- of each entry, from 0 in the order in which they grew; returns how many there are, with
 * those between that no row came to. */
static int64_t find_leaves(const nursery *of, const pt_forest *forest, int64_t number,
                           const pt_rows *rows, int64_t *leaf)
{
    int64_t first = INT64_MAX;
    int64_t last = -1;
    for (int64_t i = 0; i < of->n; i++) {
        leaf[i] = pt_forest_leaf(forest, number, rows, of->entry[i].row);
        first = pt_lesser(leaf[i], first);
        last = pt_greater(leaf[i], last);
    }
    for (int64_t i = 0; i < of->n; i++) /* planting goes from the last node to the first */
        leaf[i] = last - leaf[i];
    return last - first + 1;
}

/* Entries by leaves, those of a leaf in their order. */
static void part_by_leaves(nursery *of, const int64_t *leaf, int64_t *start, int64_t leaves)
{
    memset(start, 0, (size_t)(leaves + 1) * sizeof *start);
    for (int64_t i = 0; i < of->n; i++)
        start[leaf[i] + 1]++;
    for (int64_t q = 0; q < leaves; q++)
        start[q + 1] += start[q];
    for (int64_t i = 0; i < of->n; i++)
        of->spare[start[leaf[i]]++] = of->entry[i];
    for (int64_t q = leaves; q > 0; q--) /* each has moved to its end */
        start[q] = start[q - 1];
    start[0] = 0;
    memcpy(of->entry, of->spare, (size_t)of->n * sizeof *of->entry);
}

static pt_status plant_known(pt_grown *tree, const nursery *of, const int64_t *start,
                             int64_t leaves, pt_error *err)
{
    tree->sums = of->rules.sums;
    PT_TRY(room_for_nodes(tree, leaves + 1, err));
    if (leaves > 1) { /* the root, for all that is between */
        const int64_t root = add_node(of, tree, 0, 0);
        tree->node[root].feature = 0;
    }
    for (int64_t q = 0; q < leaves; q++)
        (void)add_node(of, tree, start[q], start[q + 1] - start[q]);
    PT_TRY(PT_NEW(tree->row, of->n, "the rows of a tree", err));
    tree->n_rows = of->n;
    for (int64_t i = 0; i < of->n; i++)
        tree->row[i] = of->entry[i].row;
    return PT_OK;
}

pt_status pt_grow_known(pt_grown *tree, const pt_grow_problem *problem, const pt_forest *forest,
                        int64_t number, const pt_rows *rows, bool *fits, const pt_task *task,
                        pt_error *err)
{
    PT_FREED_BY(free_nursery) nursery of = {.problem = problem, .d = problem->table->d};
    PT_FREED_BY(pt_grown_free) pt_grown known = {0};
    PT_SCRATCH int64_t *leaf = NULL;
    PT_SCRATCH int64_t *start = NULL;
    PT_TRY(pt_task_check(task, err));
    PT_TRY(check_rows(problem, err));
    of.rules.sums = problem->criterion == PT_CRITERION_SQUARES ? 2 : problem->k;
    PT_TRY(list_entries(&of, err));
    PT_TRY(PT_NEW(leaf, of.n, "leaves", err));
    const int64_t leaves = find_leaves(&of, forest, number, rows, leaf);
    PT_TRY(PT_NEW(start, leaves + 1, "leaves", err));
    part_by_leaves(&of, leaf, start, leaves);
    *fits = true;
    for (int64_t q = 0; q < leaves; q++)
        *fits = *fits && start[q + 1] > start[q];
    PT_TRY(plant_known(&known, &of, start, leaves, err));
    *tree = known;
    known = (pt_grown){0};
    return PT_OK;
}

double pt_grow_bytes(const pt_rows *rows, int64_t bins, int64_t sums, int workers)
{
    const double n = (double)rows->n;
    double most_bins = bins > 1 ? (double)bins + 1 : n + 1;
    int64_t most_levels = 0;
    for (int64_t j = 0; rows->levels && j < rows->d; j++)
        most_levels = rows->levels[j] > most_levels ? rows->levels[j] : most_levels;
    most_bins = most_bins > (double)most_levels + 1 ? most_bins : (double)most_levels + 1;
    /* A histogram has at most CELLS_A_ROW cells for each row and feature of its node; nodes side by
     * side share the rows, so that all of them have that many of the whole tree, twice at worst. */
    double cells = most_bins * (double)(sums + 1) * (double)rows->d;
    cells = cells < CELLS_A_ROW * n * (double)rows->d ? cells : 0;
    const double some = 2 * 8 * cells * 4;
    const double a_node = 100 + 8 * (double)sums; /* at most 2 n - 1 nodes, in blocks that double */
    return workers * (2 * n * sizeof(pt_node_example) + some + 2 * n * a_node +
                      pt_split_scratch_bytes(rows->n, (int64_t)most_bins, most_levels, sums));
}
