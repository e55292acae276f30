/* Trees as they are kept: growing, cutting back, and the way of one row through a tree. The sums
 * are in forest_sums.c, the file in forest_file.c. */
#include "trees/forest.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"

pt_status pt_forest_init(pt_forest *forest, int64_t d, const int64_t *levels, int64_t width,
                         pt_error *err)
{
    *forest = (pt_forest){.d = d, .width = width};
    forest->levels = pt_alloc_zero(d, sizeof *forest->levels, "levels of columns", err);
    if (!forest->levels)
        return PT_ENOMEM;
    if (levels && d > 0)
        memcpy(forest->levels, levels, (size_t)d * sizeof *levels);
    return PT_OK;
}

void pt_forest_free(pt_forest *forest)
{
    pt_free(forest->words);
    pt_free(forest->value);
    pt_free(forest->node);
    pt_free(forest->gain);
    pt_free(forest->root);
    pt_free(forest->levels);
    *forest = (pt_forest){0};
}

static pt_status copy_block(void **to, int64_t *room, const void *from, int64_t count, size_t size,
                            pt_error *err)
{
    PT_TRY(pt_forest_room(to, room, 0, count, size, err));
    if (count > 0)
        memcpy(*to, from, (size_t)count * size);
    return PT_OK;
}

pt_status pt_forest_take_trees(pt_forest *forest, const pt_forest *from, pt_error *err)
{
    size_t leaf = 0;
    if (forest->d != from->d || forest->width != from->width ||
        (forest->d > 0 &&
         memcmp(forest->levels, from->levels, (size_t)forest->d * sizeof *from->levels) != 0))
        return pt_fail(err, PT_EINVAL, "`start` has trees of other columns");
    if (!pt_size_mul((size_t)from->width, sizeof(double), &leaf))
        return pt_fail_memory(err, "trees", SIZE_MAX);
    PT_TRY(copy_block((void **)&forest->root, &forest->tree_room, from->root, from->n_trees,
                      sizeof *from->root, err));
    PT_TRY(copy_block((void **)&forest->node, &forest->node_room, from->node, from->n_nodes,
                      sizeof *from->node, err));
    PT_TRY(copy_block((void **)&forest->gain, &forest->gain_room, from->gain, from->n_nodes,
                      sizeof *from->gain, err));
    PT_TRY(copy_block((void **)&forest->value, &forest->leaf_room, from->value, from->n_leaves,
                      leaf, err));
    PT_TRY(copy_block((void **)&forest->words, &forest->word_room, from->words, from->n_words,
                      sizeof *from->words, err));
    forest->n_trees = from->n_trees;
    forest->n_nodes = from->n_nodes;
    forest->n_leaves = from->n_leaves;
    forest->n_words = from->n_words;
    forest->no_gains = from->no_gains;
    return PT_OK;
}

/* ---- growing --------------------------------------------------------------------------------- */

pt_status pt_forest_room(void **block, int64_t *room, int64_t count, int64_t more, size_t size,
                         pt_error *err)
{
    enum { SMALLEST = 16 };
    if (count + more <= *room)
        return PT_OK;
    int64_t wanted = *room > SMALLEST ? *room + *room / 2 : SMALLEST;
    wanted = wanted < count + more ? count + more : wanted;
    PT_TRY(pt_alloc_grow(block, *room, wanted, size, "trees", err));
    *room = wanted;
    return PT_OK;
}

pt_status pt_forest_add_leaf(pt_forest *forest, const double *value, int64_t *child, pt_error *err)
{
    size_t bytes = 0;
    if (!pt_size_mul((size_t)forest->width, sizeof *value, &bytes))
        return pt_fail(err, PT_ELIMIT, "a leaf of %lld values is too large",
                       (long long)forest->width);
    PT_TRY(pt_forest_room((void **)&forest->value, &forest->leaf_room, forest->n_leaves, 1, bytes,
                          err));
    memcpy(forest->value + forest->n_leaves * forest->width, value, bytes);
    *child = -1 - forest->n_leaves++;
    return PT_OK;
}

/* Words of the set, bits beyond the last level cleared: a forest is saved and compared by them. */
static pt_status add_set(pt_forest *forest, int64_t levels, const uint64_t *in, int64_t *set,
                         pt_error *err)
{
    const int64_t words = pt_forest_set_words(levels);
    PT_TRY(pt_forest_room((void **)&forest->words, &forest->word_room, forest->n_words, words,
                          sizeof *forest->words, err));
    *set = forest->n_words;
    memcpy(forest->words + *set, in, (size_t)words * sizeof *in);
    if (levels % 64)
        forest->words[*set + words - 1] &= ((uint64_t)1 << (levels % 64)) - 1;
    forest->n_words += words;
    return PT_OK;
}

pt_status pt_forest_add_node(pt_forest *forest, int64_t feature, double cut, const uint64_t *in,
                             const int64_t child[PT_BRANCHES], int64_t *node, pt_error *err)
{
    assert(feature >= 0 && feature < forest->d);
    assert((forest->levels[feature] > 0) == (in != NULL) && (in || isfinite(cut)));
    for (int b = 0; b < PT_BRANCHES; b++)
        assert(child[b] < forest->n_nodes && -1 - child[b] < forest->n_leaves);
    pt_split split = {.feature = feature, .cut = in ? 0 : cut, .set = -1};
    PT_TRY(pt_forest_room((void **)&forest->node, &forest->node_room, forest->n_nodes, 1,
                          sizeof *forest->node, err));
    PT_TRY(pt_forest_room((void **)&forest->gain, &forest->gain_room, forest->n_nodes, 1,
                          sizeof *forest->gain, err));
    if (in)
        PT_TRY(add_set(forest, forest->levels[feature], in, &split.set, err));
    pt_node *added = &forest->node[forest->n_nodes];
    added->split = split;
    for (int b = 0; b < PT_BRANCHES; b++)
        added->child[b] = child[b];
    forest->gain[forest->n_nodes] = 0;
    *node = forest->n_nodes++;
    return PT_OK;
}

pt_status pt_forest_add_tree(pt_forest *forest, int64_t root, pt_error *err)
{
    assert(root < forest->n_nodes && -1 - root < forest->n_leaves);
    PT_TRY(pt_forest_room((void **)&forest->root, &forest->tree_room, forest->n_trees, 1,
                          sizeof *forest->root, err));
    forest->root[forest->n_trees++] = root;
    return PT_OK;
}

/* What is kept of nodes, leaves and words ends with the last that a kept tree needs: whatever is
 * below a root has a smaller number than the root. */
void pt_forest_truncate(pt_forest *forest, int64_t n_trees)
{
    if (n_trees >= forest->n_trees)
        return;
    int64_t nodes = 0;
    int64_t leaves = 0;
    int64_t words = 0;
    for (int64_t t = 0; t < n_trees; t++) {
        nodes = pt_greater(nodes, forest->root[t] + 1);
        leaves = pt_greater(leaves, -forest->root[t]);
    }
    for (int64_t j = 0; j < nodes; j++) {
        const pt_node *node = &forest->node[j];
        for (int b = 0; b < PT_BRANCHES; b++)
            leaves = pt_greater(leaves, -node->child[b]);
        if (node->split.set >= 0)
            words = pt_greater(words, node->split.set +
                                          pt_forest_set_words(forest->levels[node->split.feature]));
    }
    forest->n_trees = n_trees;
    forest->n_nodes = nodes;
    forest->n_leaves = leaves;
    forest->n_words = words;
}

/* ---- one row --------------------------------------------------------------------------------- */

int pt_forest_branch(const pt_forest *forest, const pt_split *split, double x)
{
    if (split->set < 0) {
        if (isnan(x))
            return PT_BRANCH_MISSING;
        return x <= split->cut ? PT_BRANCH_IN : PT_BRANCH_OUT;
    }
    if (!(x >= 0 && x < (double)forest->levels[split->feature])) /* NaN is not */
        return PT_BRANCH_MISSING;
    return pt_forest_in_set(forest->words + split->set, (int64_t)x) ? PT_BRANCH_IN : PT_BRANCH_OUT;
}

/* A cell; one that sparse rows do not store is 0. */
static double cell(const pt_rows *rows, int64_t i, int64_t feature)
{
    if (rows->dense)
        return pt_rows_value(rows, rows->dense, i * rows->stride + feature);
    int64_t low = rows->start[i];
    int64_t high = rows->start[i + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (rows->index[middle] < feature)
            low = middle + 1;
        else
            high = middle;
    }
    const bool stored = low < rows->start[i + 1] && rows->index[low] == feature;
    return stored ? pt_rows_value(rows, rows->value, low) : 0;
}

int pt_forest_way(const pt_forest *forest, const pt_split *split, const pt_rows *rows, int64_t i)
{
    return pt_forest_branch(forest, split, cell(rows, i, split->feature));
}

int64_t pt_forest_leaf(const pt_forest *forest, int64_t tree, const pt_rows *rows, int64_t i)
{
    int64_t at = forest->root[tree];
    while (at >= 0) {
        const pt_node *node = &forest->node[at];
        at = node->child[pt_forest_way(forest, &node->split, rows, i)];
    }
    return -1 - at;
}
