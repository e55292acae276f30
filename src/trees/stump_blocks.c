/* Rows as the search for stumps goes through them (stump_search.h): which slot is which column,
 * blocks of rows, the branches they take, new numbers; and stumps as trees of a forest. */
#include <float.h>

#include "base/math.h"
#include "trees/stump_parts.h"

/* ---- columns and slots ----------------------------------------------------------------------- */

int64_t pt_stump_column(const pt_stump_columns *columns, int64_t g, int64_t q, int *sign)
{
    *sign = 0;
    if (!columns->pairs) {
        const int8_t side = columns->sign[g * columns->ell + q];
        *sign = (side > 0) - (side < 0);
        return q;
    }
    if (q == g)
        return -1;
    *sign = g < q ? 1 : -1;
    return g < q ? pt_pairs_column(columns->groups, g, q) : pt_pairs_column(columns->groups, q, g);
}

/* ---- blocks of rows -------------------------------------------------------------------------- */

int64_t pt_stump_search_blocks(const pt_stump_search *s)
{
    return s->n_blocks;
}

void pt_stump_search_block(const pt_stump_search *s, int64_t b, pt_stump_block *block)
{
    int64_t from = b * PT_STUMP_ROWS;
    int64_t to = s->table->n;
    block->group = -1;
    if (s->order) {
        int64_t g = 0;
        int64_t end = s->columns.groups;
        while (end - g > 1) { /* the last group that begins at b or before */
            const int64_t middle = (g + end) / 2;
            if (s->block_start[middle] <= b)
                g = middle;
            else
                end = middle;
        }
        block->group = g;
        from = s->group_start[g] + (b - s->block_start[g]) * PT_STUMP_ROWS;
        to = s->group_start[g + 1];
    }
    block->count = to - from < PT_STUMP_ROWS ? to - from : PT_STUMP_ROWS;
    for (int64_t j = 0; j < block->count; j++)
        block->row[j] = s->order ? s->order[from + j] : from + j;
}

static int branch_of(const pt_feature *feature, const pt_stump *stump, int64_t bin)
{
    if (bin == feature->bins)
        return PT_BRANCH_MISSING;
    if (stump->in)
        return stump->in[bin / 64] >> (bin % 64) & 1 ? PT_BRANCH_IN : PT_BRANCH_OUT;
    return bin <= stump->bin ? PT_BRANCH_IN : PT_BRANCH_OUT;
}

int pt_stump_branch(const pt_feature_table *table, const pt_stump *stump, int64_t i)
{
    if (stump->feature < 0)
        return PT_BRANCH_IN;
    const pt_feature *feature = &table->feature[stump->feature];
    return branch_of(feature, stump, pt_feature_bin(feature, i));
}

/* Of a listed feature: both the list and the rows of a block ascend. */
static void put_listed_branches(const pt_feature *feature, const pt_stump *stump,
                                const pt_stump_block *block, uint8_t *branch)
{
    const uint8_t common = (uint8_t)branch_of(feature, stump, feature->common);
    int64_t at = pt_feature_place(feature, block->row[0]);
    for (int64_t j = 0; j < block->count; j++) {
        while (at < feature->listed && feature->row[at] < block->row[j])
            at++;
        branch[j] = common;
        if (at < feature->listed && feature->row[at] == block->row[j])
            branch[j] = (uint8_t)branch_of(feature, stump,
                                           feature->bin ? feature->bin[at] : feature->wide[at]);
    }
}

/* Rows of a block ascend: whether none is left out between them. */
static bool is_in_place(const pt_stump_block *block)
{
    return block->row[block->count - 1] - block->row[0] == block->count - 1;
}

void pt_stump_row_branches(const pt_feature_table *table, const pt_stump *stump,
                           const pt_stump_block *block, uint8_t *branch)
{
    const pt_feature *feature = stump->feature < 0 ? NULL : &table->feature[stump->feature];
    if (feature && feature->row) {
        put_listed_branches(feature, stump, block, branch);
        return;
    }
    if (feature && is_in_place(block) && feature->bin && !stump->in) {
        pt_stump_loops_chosen()->branches(feature->bin + block->row[0], block->count, stump->bin,
                                          feature->bins, branch);
        return;
    }
    for (int64_t j = 0; j < block->count; j++)
        branch[j] = (uint8_t)pt_stump_branch(table, stump, block->row[j]);
}

int64_t pt_stump_search_pieces(const pt_stump_search *s)
{
    return (s->layout.stride + PT_STUMP_PIECE - 1) / PT_STUMP_PIECE;
}

/* The column of slot q of the rows of a block, -1: none. */
static int64_t column_of(const pt_stump_search *s, const pt_stump_block *block, int64_t q)
{
    int sign = 0;
    if (q >= s->layout.width)
        return -1;
    return block->group < 0 ? q : pt_stump_column(&s->columns, block->group, q, &sign);
}

/* The cut that tells the branches of a block; where there is none, `branch` has them. */
static pt_stump_cut cut_of_block(const pt_feature_table *table, const pt_stump *stump,
                                 const pt_stump_block *block, uint8_t *branch)
{
    const pt_feature *feature = &table->feature[stump->feature];
    const bool missing = feature->n_missing > 0;
    if (feature->bin && !feature->row && !stump->in && is_in_place(block))
        return (pt_stump_cut){feature->bin + block->row[0], stump->bin,
                              missing ? feature->bins : -1};
    pt_stump_row_branches(table, stump, block, branch);
    return (pt_stump_cut){branch, PT_BRANCH_IN, missing ? PT_BRANCH_MISSING : -1};
}

void pt_stump_search_branches(const pt_stump_search *s, const pt_stump *stump,
                              const pt_stump_block *block, pt_stump_sides *sides)
{
    uint8_t branch[PT_STUMP_PIECE][PT_STUMP_ROWS];
    for (int64_t from = 0; from < s->layout.stride; from += PT_STUMP_PIECE, sides++) {
        pt_stump_cut cut[PT_STUMP_PIECE] = {{0}};
        for (int64_t q = 0; q < PT_STUMP_PIECE; q++) {
            const int64_t column = column_of(s, block, from + q);
            if (column >= 0 && stump[column].feature >= 0)
                cut[q] = cut_of_block(s->table, &stump[column], block, branch[q]);
        }
        s->loops->sides(cut, block->count, sides);
    }
}

void pt_stump_multiply(const pt_stump_search *s, const pt_stump_block *block,
                       const pt_stump_sides *sides, const double *factors, double *number)
{
    s->loops->multiply(block, s->layout.stride, s->columns.group_of, sides, factors, number);
}

void pt_stump_multiply_rows(const pt_stump_search *s, const pt_stump_block *block,
                            const uint8_t *branch, const double *factors, double *number)
{
    s->loops->multiply_rows(block, s->layout.stride, s->columns.group_of, branch, factors, number);
}

/* ---- into a forest --------------------------------------------------------------------------- */

/* The number that cells at or below it have in bins up to `bin`. */
static double cut_of(const pt_feature *feature, int64_t bin)
{
    return bin < 0 ? -DBL_MAX : bin >= feature->bins - 1 ? DBL_MAX : feature->cut[bin];
}

pt_status pt_stump_plant(const pt_feature_table *table, const pt_stump *stump, const double *value,
                         pt_forest *forest, pt_error *err)
{
    const bool some = stump->feature >= 0;
    int64_t child[PT_BRANCHES] = {0};
    int64_t root = 0;
    for (int b = 0; b < (some ? PT_BRANCHES : 1); b++)
        PT_TRY(pt_forest_add_leaf(forest, value + b * forest->width, &child[b], err));
    if (!some)
        return pt_forest_add_tree(forest, child[0], err);
    const double cut = stump->in ? 0 : cut_of(&table->feature[stump->feature], stump->bin);
    PT_TRY(pt_forest_add_node(forest, stump->feature, cut, stump->in, child, &root, err));
    return pt_forest_add_tree(forest, root, err);
}
