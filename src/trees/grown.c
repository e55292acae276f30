/* What is done with a tree that grew: pruning, planting it in a forest, outputs of its own rows. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "trees/grow.h"

/* ---- pruning -----------------------------------------------------------------------------------
 *
 * For one alpha the sequence of weakest links need not be followed: from the leaves up, a node
 * becomes a leaf where that costs no more than what is best below it. Children have larger numbers
 * than their node, and that stays so. */

/* The weight that a leaf here would get wrong. */
static double wrong_at(const pt_grown *tree, int64_t id)
{
    const double *sum = tree->sum + id * tree->sums;
    double all = 0;
    double most = 0;
    for (int64_t c = 0; c < tree->sums; c++) {
        all += sum[c];
        most = sum[c] > most ? sum[c] : most;
    }
    return all - most;
}

static double weight_of(const pt_grown *tree, int64_t id)
{
    double all = 0;
    for (int64_t c = 0; c < tree->sums; c++)
        all += tree->sum[id * tree->sums + c];
    return all;
}

/* Its two children are different: that of the known cells which are in, and the other. */
static int64_t other_child(const pt_grown_node *node)
{
    return node->child[PT_BRANCH_OUT] != node->child[PT_BRANCH_IN] ? node->child[PT_BRANCH_OUT]
                                                                   : node->child[PT_BRANCH_MISSING];
}

/* Leaves out what cannot be reached any more; the order of the rest stays. */
static void compact(pt_grown *tree, int64_t *place)
{
    int64_t kept = 0;
    for (int64_t id = 0; id < tree->n_nodes; id++)
        place[id] = id == 0 ? 0 : -1;
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        const pt_grown_node *node = &tree->node[id];
        for (int b = 0; b < PT_BRANCHES && place[id] >= 0 && node->feature >= 0; b++)
            place[node->child[b]] = 0;
        place[id] = place[id] >= 0 ? kept++ : -1;
    }
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        if (place[id] < 0)
            continue;
        pt_grown_node node = tree->node[id];
        for (int b = 0; b < PT_BRANCHES; b++)
            node.child[b] = node.feature >= 0 ? place[node.child[b]] : -1;
        tree->node[place[id]] = node;
        memmove(tree->sum + place[id] * tree->sums, tree->sum + id * tree->sums,
                (size_t)tree->sums * sizeof *tree->sum);
    }
    tree->n_nodes = kept;
}

pt_status pt_grown_prune(pt_grown *tree, double alpha, pt_error *err)
{
    if (!(alpha > 0))
        return PT_OK;
    double *cost = pt_alloc(tree->n_nodes, sizeof *cost, "pruning", err);
    int64_t *place = pt_alloc(tree->n_nodes, sizeof *place, "pruning", err);
    const double a_leaf = alpha * weight_of(tree, 0);
    for (int64_t id = tree->n_nodes - 1; cost && place && id >= 0; id--) {
        pt_grown_node *node = &tree->node[id];
        cost[id] = wrong_at(tree, id) + a_leaf;
        if (node->feature < 0)
            continue;
        const double below = cost[node->child[PT_BRANCH_IN]] + cost[other_child(node)];
        if (cost[id] <= below * (1 + 1e-12)) /* sums in other orders are not told apart */
            node->feature = -1;
        else
            cost[id] = below;
    }
    if (cost && place)
        compact(tree, place);
    const bool done = cost && place;
    pt_free(place);
    pt_free(cost);
    return done ? PT_OK : PT_ENOMEM;
}

/* ---- planting ----------------------------------------------------------------------------------
 */

int64_t pt_grown_leaves(const pt_grown *tree)
{
    int64_t leaves = 0;
    for (int64_t id = 0; id < tree->n_nodes; id++)
        leaves += tree->node[id].feature < 0;
    return leaves;
}

static pt_status plant_node(const pt_grown *tree, int64_t id, pt_forest *forest, pt_leaf_fn leaf,
                            const void *context, double *value, int64_t *place, pt_error *err)
{
    const pt_grown_node *node = &tree->node[id];
    if (node->feature < 0) {
        leaf(tree->sum + id * tree->sums, tree->sums, context, value);
        return pt_forest_add_leaf(forest, value, &place[id], err);
    }
    int64_t child[PT_BRANCHES];
    for (int b = 0; b < PT_BRANCHES; b++)
        child[b] = place[node->child[b]];
    return pt_forest_add_node(forest, node->feature, node->cut,
                              node->set >= 0 ? tree->words + node->set : NULL, child, &place[id],
                              err);
}

pt_status pt_grown_plant(const pt_grown *tree, pt_forest *forest, pt_leaf_fn leaf,
                         const void *context, pt_error *err)
{
    int64_t *place = pt_alloc(tree->n_nodes, sizeof *place, "a tree", err);
    double *value = pt_alloc(forest->width, sizeof *value, "a leaf", err);
    pt_status status = place && value ? PT_OK : PT_ENOMEM;
    for (int64_t id = tree->n_nodes - 1; id >= 0 && status == PT_OK; id--)
        status = plant_node(tree, id, forest, leaf, context, value, place, err);
    if (status == PT_OK)
        status = pt_forest_add_tree(forest, place[0], err);
    pt_free(value);
    pt_free(place);
    return status;
}

/* The rows of a node lie together, whether it was split and pruned again or not. */
void pt_grown_add(const pt_grown *tree, pt_leaf_fn leaf, const void *context, double scale,
                  double *f, int64_t stride)
{
    for (int64_t id = tree->n_nodes - 1; id >= 0; id--) {
        const pt_grown_node *node = &tree->node[id];
        if (node->feature >= 0)
            continue;
        double value = 0;
        leaf(tree->sum + id * tree->sums, tree->sums, context, &value);
        for (int64_t i = node->first; i < node->first + node->count; i++)
            f[tree->row[i] * stride] += scale * value;
    }
}

/* ---- leaves ------------------------------------------------------------------------------------
 */

double pt_leaf_one_more(const double *weight, int64_t n)
{
    double least = INFINITY;
    for (int64_t i = 0; weight && i < n; i++)
        least = weight[i] > 0 && weight[i] < least ? weight[i] : least;
    return isfinite(least) ? least : 1;
}

void pt_leaf_half_log(const double *sum, int64_t sums, const void *context, double *value)
{
    (void)sums;
    const double c = *(const double *)context;
    *value = log((sum[1] + c) / (sum[0] + c)) / 2;
}

void pt_leaf_difference(const double *sum, int64_t sums, const void *context, double *value)
{
    (void)sums;
    (void)context;
    const double all = sum[0] + sum[1];
    *value = all > 0 ? (sum[1] - sum[0]) / all : 0;
}

void pt_leaf_log_shares(const double *sum, int64_t sums, const void *context, double *value)
{
    const double c = *(const double *)context;
    double all = 0;
    for (int64_t r = 0; r < sums; r++)
        all += sum[r];
    for (int64_t r = 0; r < sums; r++)
        value[r] = log((sum[r] + c / (double)sums) / (all + c));
}

void pt_leaf_mean(const double *sum, int64_t sums, const void *context, double *value)
{
    (void)sums;
    const double c = *(const double *)context;
    *value = sum[0] + c > 0 ? sum[1] / (sum[0] + c) : 0;
}
