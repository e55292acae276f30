/* Boosting by margins: what LogitBoost and BrownBoost share (boost.h).
 *
 * The weights of a column are made anew from the margins z_j = y_j f(x_j) of its examples in every
 * round. Columns are in parallel, and a column's sums are in the order of its examples.
 *
 *   margin     sum over columns of their examples: column s begins at begin[s]
 *   D, second  n x stride: the weights as the search wants them, by rows and slots
 *
 * Memory: 8 bytes for each example of each column, and ROOM_ARRAYS numbers a row and worker. */
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "learners/boosting/boost.h"

/* What a worker needs for one column: n of each. */
typedef struct pt_margin_room {
    int64_t *row; /* of the examples */
    double *y;
    double *h;
    double *first;
    double *second;
    double *work;
    double *weight;
    pt_arena arena; /* which has these */
} pt_margin_room;

enum { ROOM_ARRAYS = 6 }; /* of doubles */

/* ---- examples of a column -------------------------------------------------------------------- */

/* A walk over the groups that take part in column s, in their order; of all pairs just the two. */
typedef struct group_walk {
    int64_t g, last, step;
    int sign;
} group_walk;

static bool next_group(const pt_columns *columns, int64_t s, group_walk *at)
{
    if (at->step == 0) {
        *at = (group_walk){.g = 0, .last = columns->groups - 1, .step = 1};
        if (columns->pairs) {
            pt_pairs_at(columns->groups, s, &at->g, &at->last);
            at->step = at->last - at->g;
        }
    } else {
        at->g += at->step;
    }
    for (; at->g <= at->last; at->g += at->step) {
        at->sign = pt_columns_sign(columns, at->g, s);
        if (at->sign != 0)
            return true;
    }
    return false;
}

static void list_examples(const pt_booster *b, int64_t s, pt_margin_room *r)
{
    const pt_columns *columns = &b->rows.train.columns;
    int64_t j = 0;
    for (group_walk at = {0}; next_group(columns, s, &at);)
        for (int64_t p = b->groups.start[at.g]; p < b->groups.start[at.g + 1]; p++, j++) {
            r->row[j] = b->groups.row[p];
            r->weight[j] = pt_weight(columns->weight, r->row[j]);
            r->y[j] = at.sign;
        }
}

/* The weights of a column to the places of its rows. */
static void scatter(const pt_booster *b, int64_t s, const pt_margin_room *r)
{
    const pt_columns *columns = &b->rows.train.columns;
    int64_t j = 0;
    for (group_walk at = {0}; next_group(columns, s, &at);) {
        const int64_t slot = pt_columns_slot(columns, at.g, s);
        for (int64_t p = b->groups.start[at.g]; p < b->groups.start[at.g + 1]; p++, j++) {
            const int64_t place = b->groups.row[p] * b->layout.stride + slot;
            b->D[place] = r->first[j];
            if (b->second)
                b->second[place] = r->second[j];
        }
    }
}

/* ---- hypotheses ------------------------------------------------------------------------------ */

/* What a branch or a leaf says, from its two sums: + and -, or w and w t. */
static double say(pt_stump_rule rule, double first, double second)
{
    if (rule == PT_STUMP_NEWTON)
        return first > 0 ? second / first : 0;
    return (double)(first > second) - (double)(first < second);
}

/* value of the branches, and h <- that of the examples. */
static void hear_stump(const pt_booster *b, int64_t s, int64_t n, pt_margin_room *r)
{
    const pt_stump *stump = &b->stump[s];
    double *value = b->value + s * PT_BRANCHES;
    for (int branch = 0; branch < PT_BRANCHES; branch++)
        value[branch] = say(b->rule->stumps, stump->sum[branch][0], stump->sum[branch][1]);
    if (2 * n < b->table.n) { /* a few rows of many: one by one */
        for (int64_t j = 0; j < n; j++)
            r->h[j] = value[pt_test_branch(&b->table, &stump->test, r->row[j])];
        return;
    }
    uint8_t *branch = (uint8_t *)r->work;
    pt_test_branches(&b->table, &stump->test, NULL, b->table.n, branch);
    for (int64_t j = 0; j < n; j++)
        r->h[j] = value[branch[r->row[j]]];
}

/* The same of the leaves of a tree; sums of two classes begin with the minus side. */
static void hear_tree(const pt_booster *b, int64_t s, int64_t n, pt_margin_room *r)
{
    const bool newton = b->rule->stumps == PT_STUMP_NEWTON;
    pt_grown *tree = &b->tree[s];
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        double *sum = tree->sum + id * tree->sums;
        sum[0] = say(b->rule->stumps, sum[newton ? 0 : 1], sum[newton ? 1 : 0]);
    }
    memset(r->work, 0, (size_t)b->table.n * sizeof *r->work);
    pt_grown_add(tree, pt_leaf_first, NULL, 1, r->work, 1);
    for (int64_t j = 0; j < n; j++)
        r->h[j] = r->work[r->row[j]];
}

/* ---- the rule -------------------------------------------------------------------------------- */

static pt_boost_column view(const pt_booster *b, int64_t s, const pt_margin_room *r, bool heard)
{
    const pt_margin_rule *m = b->rule->context;
    return (pt_boost_column){.s = s,
                             .n = m->begin[s + 1] - m->begin[s],
                             .y = r->y,
                             .weight = b->rows.train.columns.weight ? r->weight : NULL,
                             .h = heard ? r->h : NULL,
                             .margin = m->margin + m->begin[s],
                             .first = r->first,
                             .second = r->second,
                             .work = r->work};
}

static pt_status begin_column(void *context, int64_t s, int worker, pt_error *err)
{
    (void)err;
    pt_booster *b = context;
    pt_margin_rule *m = b->rule->context;
    pt_margin_room *r = &m->room[worker];
    list_examples(b, s, r);
    const pt_boost_column c = view(b, s, r, false);
    double scale = 0;
    b->done[s] = c.n == 0;
    if (c.n > 0)
        m->move(m->context, &c, &scale, &b->done[s]);
    scatter(b, s, r);
    return PT_OK;
}

pt_status pt_margin_rule_step(pt_booster *b, int64_t s, int worker, pt_error *err)
{
    (void)err;
    pt_margin_rule *m = b->rule->context;
    pt_margin_room *r = &m->room[worker];
    const pt_boost_column c = view(b, s, r, true);
    double scale = 0;
    list_examples(b, s, r);
    if (b->tree)
        hear_tree(b, s, c.n, r);
    else
        hear_stump(b, s, c.n, r);
    m->move(m->context, &c, &scale, &b->done[s]);
    scatter(b, s, r);
    b->adds[s] = scale != 0;
    for (int branch = 0; !b->tree && branch < PT_BRANCHES; branch++)
        b->value[s * PT_BRANCHES + branch] *= scale;
    for (int64_t id = 0; b->tree && id < b->tree[s].n_nodes; id++)
        b->tree[s].sum[id * b->tree[s].sums] *= scale;
    return PT_OK;
}

pt_status pt_margin_rule_begin(pt_booster *b, pt_error *err)
{
    pt_margin_rule *m = b->rule->context;
    const pt_columns *columns = &b->rows.train.columns;
    const int64_t n = columns->n;
    m->workers = pt_parallel_workers(b->task, columns->ell);
    PT_TRY(PT_NEW_ZERO(m->begin, columns->ell + 1, "columns", err));
    PT_TRY(PT_NEW_ZERO(m->room, m->workers, "columns", err));
    for (int64_t s = 0; s < columns->ell; s++) {
        m->begin[s + 1] = m->begin[s];
        for (group_walk at = {0}; next_group(columns, s, &at);)
            m->begin[s + 1] += b->groups.start[at.g + 1] - b->groups.start[at.g];
    }
    PT_TRY(PT_NEW_ZERO(m->margin, m->begin[columns->ell], "margins", err));
    for (int w = 0; w < m->workers; w++) {
        pt_margin_room *r = &m->room[w];
        PT_TRY(PT_ARENA(&r->arena, "a column", err, PT_PIECE(r->row, n), PT_PIECE(r->y, n),
                        PT_PIECE(r->h, n), PT_PIECE(r->first, n), PT_PIECE(r->second, n),
                        PT_PIECE(r->work, n), PT_PIECE(r->weight, n)));
    }
    return pt_parallel_for(b->task, columns->ell, begin_column, b, err);
}

void pt_margin_rule_free(pt_margin_rule *m)
{
    for (int w = 0; m->room && w < m->workers; w++)
        pt_arena_free(&m->room[w].arena);
    pt_free(m->room);
    pt_free(m->margin);
    pt_free(m->begin);
}

double pt_margin_rule_bytes(const pt_columns *columns, int workers)
{
    const double others = columns->pairs ? (double)columns->groups - 1 : (double)columns->ell;
    return 8 * (double)columns->n * (others + (double)workers * (ROOM_ARRAYS + 1));
}
