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
    PT_SCRATCH double *cost = NULL;
    PT_SCRATCH int64_t *place = NULL;
    PT_TRY(PT_NEW(cost, tree->n_nodes, "pruning", err));
    PT_TRY(PT_NEW(place, tree->n_nodes, "pruning", err));
    const double a_leaf = alpha * weight_of(tree, 0);
    for (int64_t id = tree->n_nodes - 1; id >= 0; id--) {
        pt_grown_node *node = &tree->node[id];
        cost[id] = wrong_at(tree, id) + a_leaf;
        if (node->feature < 0)
            continue;
        /* its two children: that of the known cells which are in, and the other */
        const int64_t in = node->child[PT_BRANCH_IN];
        const int64_t out = node->child[PT_BRANCH_OUT];
        const double below = cost[in] + cost[out != in ? out : node->child[PT_BRANCH_MISSING]];
        if (cost[id] <= below * (1 + 1e-12)) /* sums in other orders are not told apart */
            node->feature = -1;
        else
            cost[id] = below;
    }
    compact(tree, place);
    return PT_OK;
}

/* ---- shrinking ---------------------------------------------------------------------------------
 *
 * Hierarchical shrinkage (Agarwal, Tan, Ronen, Singh and Yu 2022): with S_t the shares of the
 * classes in node t of a path from the root and W_t its weight,
 *
 *     P_0 = S_0,   P_t = P_{t-1} + (S_t - S_{t-1}) / (1 + lambda / W_{t-1}) .
 *
 * A step is taken the less the fewer rows it was found on. P is a mean of the S of the path with
 * weights that are not negative, since W falls along it. */

/* S of a node, as if c more had been spread over all classes. */
static void shares_of(const pt_grown *tree, int64_t id, double c, double *share)
{
    const double all = weight_of(tree, id);
    for (int64_t r = 0; r < tree->sums; r++)
        share[r] = (tree->sum[id * tree->sums + r] + c / (double)tree->sums) / (all + c);
}

pt_status pt_grown_shrink(pt_grown *tree, double lambda, double c, pt_error *err)
{
    const int64_t k = tree->sums;
    size_t row = 0;
    if (!pt_size_mul((size_t)k, sizeof(double), &row))
        return pt_fail(err, PT_ENOMEM, "shares of %lld classes are too large", (long long)k);
    PT_SCRATCH double *P = pt_alloc(tree->n_nodes, row, "shares", err);
    PT_SCRATCH double *S = pt_alloc(2 * k, sizeof *S, "shares", err);
    if (!P || !S)
        return PT_ENOMEM;
    shares_of(tree, 0, c, P);
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        const pt_grown_node *node = &tree->node[id];
        const double weight = weight_of(tree, id);
        const double step = weight + lambda > 0 ? weight / (weight + lambda) : 1;
        shares_of(tree, id, c, S);
        for (int b = 0; b < PT_BRANCHES && node->feature >= 0; b++) {
            shares_of(tree, node->child[b], c, S + k);
            for (int64_t r = 0; r < k; r++)
                P[node->child[b] * k + r] = step * S[k + r] + (P[id * k + r] - step * S[r]);
        }
    }
    memcpy(tree->sum, P, (size_t)tree->n_nodes * row);
    return PT_OK;
}

/* ---- planting -------------------------------------------------------------------------------- */

int64_t pt_grown_leaves(const pt_grown *tree)
{
    int64_t leaves = 0;
    for (int64_t id = 0; id < tree->n_nodes; id++)
        leaves += tree->node[id].feature < 0;
    return leaves;
}

pt_status pt_grown_plant(const pt_grown *tree, pt_forest *forest, pt_leaf_fn leaf,
                         const void *context, pt_error *err)
{
    PT_SCRATCH int64_t *place = pt_alloc(tree->n_nodes, sizeof *place, "a tree", err);
    PT_SCRATCH double *value = pt_alloc(forest->width, sizeof *value, "a leaf", err);
    if (!place || !value)
        return PT_ENOMEM;
    for (int64_t id = tree->n_nodes - 1; id >= 0; id--) {
        const pt_grown_node *node = &tree->node[id];
        if (node->feature < 0) {
            leaf(tree->sum + id * tree->sums, tree->sums, context, value);
            PT_TRY(pt_forest_add_leaf(forest, value, &place[id], err));
            continue;
        }
        int64_t child[PT_BRANCHES];
        for (int b = 0; b < PT_BRANCHES; b++)
            child[b] = place[node->child[b]];
        PT_TRY(pt_forest_add_node(forest, node->feature, node->cut,
                                  node->set >= 0 ? tree->words + node->set : NULL, child,
                                  &place[id], err));
        pt_forest_set_gain(forest, place[id], node->gain);
    }
    return pt_forest_add_tree(forest, place[0], err);
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

/* ---- leaves ---------------------------------------------------------------------------------- */

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

void pt_leaf_logs(const double *sum, int64_t sums, const void *context, double *value)
{
    (void)context;
    for (int64_t r = 0; r < sums; r++)
        value[r] = log(sum[r]);
}

void pt_leaf_first(const double *sum, int64_t sums, const void *context, double *value)
{
    (void)sums;
    (void)context;
    *value = *sum;
}

void pt_leaf_mean(const double *sum, int64_t sums, const void *context, double *value)
{
    (void)sums;
    const double c = *(const double *)context;
    *value = sum[0] + c > 0 ? sum[1] / (sum[0] + c) : 0;
}
