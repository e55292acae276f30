/* A forest as arrays of a file.
 *
 *   forest    trees, nodes, leaves, words, nominal (1: there is an array levels)
 *   levels    d: as pt_forest.levels; only where a column is nominal
 *   roots     a number for each tree: c < leaves is leaf c, leaves + j is node j
 *   features  of the nodes, and cuts: 0 where it is a set of levels
 *   gains     of the nodes, as pt_forest.gain; files of before have none
 *   sets      of the nodes: 0 a number, 1 + where its words begin; only where there are words
 *   branches  nodes x 3, in the numbers of roots
 *   words     as pt_forest.words; only where there are any
 *   leaves    leaves x width
 *
 * Nothing is negative, but for words. In a file that is accepted a node leads to nodes with smaller
 * numbers only, so that the way through a tree ends. */
#include <string.h>

#include "base/alloc.h"
#include "trees/forest.h"

enum { TREES, NODES, LEAVES, WORDS, NOMINAL, SIZES };

static bool any_nominal(const pt_forest *forest)
{
    for (int64_t f = 0; f < forest->d; f++)
        if (forest->levels[f] > 0)
            return true;
    return false;
}

static int64_t to_file(const pt_forest *forest, int64_t child)
{
    return child < 0 ? -1 - child : forest->n_leaves + child;
}

/* ---- saving ---------------------------------------------------------------------------------- */

pt_status pt_forest_save(const pt_forest *forest, pt_pack *pack, pt_error *err)
{
    const int64_t nodes = forest->n_nodes;
    const int64_t of_a_node = 2 + PT_BRANCHES; /* feature, set, branches */
    int64_t *sizes = NULL;                     /* and what follows: one block, kept by the pack */
    double *cuts = NULL;
    PT_TRY(PT_NEW(sizes, SIZES + forest->n_trees + of_a_node * nodes, "trees", err));
    pt_pack_keep(pack, sizes);
    PT_TRY(PT_NEW(cuts, nodes, "trees", err));
    pt_pack_keep(pack, cuts);
    int64_t *roots = sizes + SIZES;
    int64_t *features = roots + forest->n_trees;
    int64_t *sets = features + nodes;
    int64_t *branches = sets + nodes;
    sizes[TREES] = forest->n_trees;
    sizes[NODES] = nodes;
    sizes[LEAVES] = forest->n_leaves;
    sizes[WORDS] = forest->n_words;
    sizes[NOMINAL] = any_nominal(forest);
    for (int64_t t = 0; t < forest->n_trees; t++)
        roots[t] = to_file(forest, forest->root[t]);
    for (int64_t j = 0; j < nodes; j++) {
        const pt_node *node = &forest->node[j];
        features[j] = node->split.feature;
        sets[j] = node->split.set + 1;
        cuts[j] = node->split.cut;
        for (int b = 0; b < PT_BRANCHES; b++)
            branches[PT_BRANCHES * j + b] = to_file(forest, node->child[b]);
    }
    pt_pack_add_integers(pack, "forest", SIZES, sizes);
    if (sizes[NOMINAL])
        pt_pack_add_integers(pack, "levels", forest->d, forest->levels);
    pt_pack_add_integers(pack, "roots", forest->n_trees, roots);
    if (nodes > 0) {
        pt_pack_add_integers(pack, "features", nodes, features);
        pt_pack_add(pack, "cuts", PT_F64, nodes, 1, cuts);
        pt_pack_add_integers(pack, "branches", PT_BRANCHES * nodes, branches);
        if (!forest->no_gains)
            pt_pack_add(pack, "gains", PT_F64, nodes, 1, forest->gain);
    }
    if (forest->n_words > 0) {
        pt_pack_add_integers(pack, "sets", nodes, sets);
        pt_pack_add_integers(pack, "words", forest->n_words, (const int64_t *)forest->words);
    }
    pt_pack_add(pack, "leaves", PT_F64, forest->n_leaves, forest->width, forest->value);
    return PT_OK;
}

/* ---- loading --------------------------------------------------------------------------------- */

typedef struct arrays {
    const int64_t *size; /* SIZES */
    const pt_array *levels;
    const pt_array *roots;
    const pt_array *features;
    const pt_array *cuts;
    const pt_array *branches;
    const pt_array *gains;
    const pt_array *sets;
    const pt_array *words;
    const pt_array *leaves;
    int64_t count;
} arrays;

static pt_status refuse(pt_error *err, const char *what)
{
    return pt_fail(err, PT_EFORMAT, "the model's trees: %s do not fit", what);
}

static bool is_list(const pt_array *array, int64_t count, int64_t limit)
{
    return pt_array_is_index(array, limit) && array->rows == count;
}

/* A block of arrays that is there or not, as the sizes say. */
static const pt_array *find(const pt_pack *pack, const char *name, bool wanted, arrays *a)
{
    const pt_array *array = wanted ? pt_pack_find(pack, name) : NULL;
    a->count += array != NULL;
    return array;
}

static pt_status find_arrays(arrays *a, const pt_pack *pack, pt_error *err)
{
    const pt_array *forest = find(pack, "forest", true, a);
    if (!is_list(forest, SIZES, INT64_MAX / 8)) /* sums of a few sizes do not wrap */
        return refuse(err, "sizes");
    a->size = forest->value;
    const bool nodes = a->size[NODES] > 0;
    const bool words = a->size[WORDS] > 0;
    a->levels = find(pack, "levels", a->size[NOMINAL] > 0, a);
    a->roots = find(pack, "roots", true, a);
    a->features = find(pack, "features", nodes, a);
    a->cuts = find(pack, "cuts", nodes, a);
    a->branches = find(pack, "branches", nodes, a);
    a->gains = find(pack, "gains", nodes, a);
    a->sets = find(pack, "sets", words, a);
    a->words = find(pack, "words", words, a);
    a->leaves = find(pack, "leaves", true, a);
    return PT_OK;
}

static bool valid_gains(const pt_array *gains, int64_t nodes)
{
    if (!pt_array_is_real(gains, PT_F64) || gains->rows != nodes || gains->columns != 1)
        return false;
    for (int64_t j = 0; j < nodes; j++)
        if (((const double *)gains->value)[j] < 0)
            return false;
    return true;
}

/* Sizes and ranges: what can be said of one array. Counts are those of arrays that exist, so that
 * what is allocated next is no larger than the file. */
static pt_status check_arrays(const arrays *a, int64_t d, int64_t width, pt_error *err)
{
    const int64_t nodes = a->size[NODES];
    const int64_t places = a->size[LEAVES] + nodes;
    if (a->size[NOMINAL] > 1 || (a->size[NOMINAL] && !is_list(a->levels, d, INT64_MAX / 64)))
        return refuse(err, "levels");
    if (!is_list(a->roots, a->size[TREES], places))
        return refuse(err, "roots");
    if (nodes > 0 && !is_list(a->features, nodes, d))
        return refuse(err, "features");
    if (nodes > 0 &&
        !(pt_array_is_real(a->cuts, PT_F64) && a->cuts->rows == nodes && a->cuts->columns == 1))
        return refuse(err, "cuts");
    if (a->gains && !valid_gains(a->gains, nodes))
        return refuse(err, "gains");
    if (nodes > 0 &&
        !(pt_array_is_index(a->branches, places) && a->branches->rows / PT_BRANCHES == nodes &&
          a->branches->rows % PT_BRANCHES == 0))
        return refuse(err, "branches");
    if (a->size[WORDS] > 0 && !is_list(a->sets, nodes, a->size[WORDS] + 1))
        return refuse(err, "sets");
    if (a->size[WORDS] > 0 && !(a->words && a->words->integer && a->words->columns == 1 &&
                                a->words->rows == a->size[WORDS]))
        return refuse(err, "words");
    if (!(pt_array_is_real(a->leaves, PT_F64) && a->leaves->rows == a->size[LEAVES] &&
          a->leaves->columns == width))
        return refuse(err, "leaves");
    return PT_OK;
}

/* A nominal feature has a set that lies within the words, with no level that it does not have; a
 * number has none. */
static bool valid_set(const pt_forest *forest, const pt_split *split)
{
    const int64_t levels = forest->levels[split->feature];
    if (levels == 0 || split->set < 0)
        return levels == 0 && split->set < 0;
    const int64_t words = pt_forest_set_words(levels);
    if (words > forest->n_words - split->set)
        return false;
    const uint64_t last = forest->words[split->set + words - 1];
    return levels % 64 == 0 || last >> (levels % 64) == 0;
}

static pt_status take_nodes(pt_forest *forest, const arrays *a, const pt_task *task, pt_error *err)
{
    if (!a->features || !a->branches || !a->cuts)
        return PT_OK; /* trees without nodes */
    const int64_t *feature = a->features->value;
    const int64_t *branch = a->branches->value;
    const int64_t *set = a->sets ? a->sets->value : NULL;
    const double *cut = a->cuts->value;
    for (int64_t j = 0; j < forest->n_nodes; j++) {
        PT_TRY(pt_task_check_at(task, j, err));
        pt_node *node = &forest->node[j];
        node->split =
            (pt_split){.feature = feature[j], .cut = cut[j], .set = set ? set[j] - 1 : -1};
        if (!valid_set(forest, &node->split))
            return refuse(err, "sets");
        for (int b = 0; b < PT_BRANCHES; b++) {
            const int64_t to = branch[PT_BRANCHES * j + b];
            node->child[b] = to < forest->n_leaves ? -1 - to : to - forest->n_leaves;
            if (node->child[b] >= j)
                return refuse(err, "branches");
        }
    }
    return PT_OK;
}

static pt_status allocate(pt_forest *forest, const arrays *a, pt_error *err)
{
    forest->tree_room = forest->n_trees = a->size[TREES];
    forest->node_room = forest->n_nodes = a->size[NODES];
    forest->leaf_room = forest->n_leaves = a->size[LEAVES];
    forest->word_room = forest->n_words = a->size[WORDS];
    forest->root = pt_alloc(forest->n_trees, sizeof *forest->root, "trees", err);
    forest->node = pt_alloc(forest->n_nodes, sizeof *forest->node, "trees", err);
    forest->gain_room = forest->n_nodes;
    forest->gain = pt_alloc_zero(forest->n_nodes, sizeof *forest->gain, "trees", err);
    forest->no_gains = forest->n_nodes > 0 && !a->gains;
    forest->value =
        pt_alloc(a->leaves->rows * a->leaves->columns, sizeof *forest->value, "trees", err);
    forest->words = pt_alloc(forest->n_words, sizeof *forest->words, "trees", err);
    return forest->root && forest->node && forest->gain && forest->value && forest->words
               ? PT_OK
               : PT_ENOMEM;
}

static pt_status take(pt_forest *forest, const arrays *a, const pt_task *task, pt_error *err)
{
    PT_TRY(allocate(forest, a, err));
    const int64_t *root = a->roots->value;
    for (int64_t t = 0; t < forest->n_trees; t++)
        forest->root[t] = root[t] < forest->n_leaves ? -1 - root[t] : root[t] - forest->n_leaves;
    const size_t values = (size_t)(a->leaves->rows * a->leaves->columns);
    if (values > 0)
        memcpy(forest->value, a->leaves->value, values * sizeof *forest->value);
    if (a->gains)
        memcpy(forest->gain, a->gains->value, (size_t)forest->n_nodes * sizeof *forest->gain);
    if (a->words)
        memcpy(forest->words, a->words->value, (size_t)forest->n_words * sizeof *forest->words);
    return take_nodes(forest, a, task, err);
}

pt_status pt_forest_load(pt_forest *forest, const pt_pack *pack, int64_t d, int64_t width,
                         int64_t *used, const pt_task *task, pt_error *err)
{
    arrays a = {0};
    PT_FREED_BY(pt_forest_free) pt_forest loaded = {0};
    PT_TRY(find_arrays(&a, pack, err));
    PT_TRY(check_arrays(&a, d, width, err));
    PT_TRY(pt_forest_init(&loaded, d, a.levels ? a.levels->value : NULL, width, err));
    PT_TRY(take(&loaded, &a, task, err));
    *forest = loaded;
    loaded = (pt_forest){0};
    *used = a.count;
    return PT_OK;
}
