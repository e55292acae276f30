/* Boosting of every column by a rule of its own: what LogitBoost and BrownBoost share.
 *
 * A round finds a weak hypothesis for each column by the numbers of its examples, and lets the rule
 * say how much of it is added and what the numbers are then:
 *
 *   column    its examples are the rows of the groups that take part, group by group, and within
 *             one in their order; example j has side y_j = +-1 and margin z_j = y_j f(x_j)
 *   numbers   D_j, where hypotheses say +1 or -1 (PT_STUMP_DISCRETE), or w_j and w_j t_j for
 *             a weighted least-squares fit of t (PT_STUMP_NEWTON)
 *   h_j       what the hypothesis says of example j: a sign (0: as much weight on both sides) or
 *             a weighted mean
 *
 * Stumps of all columns are found together (trees/stump_search.h); deeper trees (trees/grow.h)
 * column by column. Columns are in parallel, and a column's sums are in the order of its
 * examples. */
#ifndef PT_LEARNERS_BOOSTING_BOOST_COLUMNS_H
#define PT_LEARNERS_BOOSTING_BOOST_COLUMNS_H

#include "learners/boosting/boosted.h"
#include "trees/stump_search.h"

typedef struct pt_boost_column {
    int64_t s;
    int64_t n;
    const double *y;
    const double *weight; /* of the examples; NULL: all 1 */
    const double *h;      /* NULL before the first round */
    double *margin;       /* to be changed */
    double *first;        /* D or w <- the numbers of the next round */
    double *second;       /* w t <- those of PT_STUMP_NEWTON */
    double *work;         /* n, for the rule */
} pt_boost_column;

typedef struct pt_boost_rule {
    pt_stump_rule rule;
    const pt_loss *loss; /* of the outputs, for rows that are held out */
    /* Where c->h is NULL: the margins are 0, only the numbers are asked for. Else *scale <- what
     * the hypothesis is multiplied by when it is added to the outputs, and the margins and numbers
     * move accordingly. *done <- true: the column is finished, with this hypothesis. Columns are
     * stepped in parallel. */
    void (*step)(void *context, const pt_boost_column *c, double *scale, bool *done);
    void *context;
} pt_boost_rule;

/* --depth; auto: 1, stumps. */
int64_t pt_boost_depth(const pt_params *params);
/* Whether --min-leaf or --min-leaf-weight ask for something. */
bool pt_boost_counts_leaves(const pt_params *params);

/* Makes rounds until --rounds, until all columns are done or until held-out rows say so; --depth,
 * --bins, --min-leaf, --stop-share and --patience are read from params. *unfinished <- columns that
 * were not done when --rounds were made; NULL: nobody asks. */
pt_status pt_boost_columns_fit(pt_boosted *boosted, const pt_rows *rows, const pt_columns *columns,
                               const pt_boost_rule *rule, const pt_params *params,
                               int64_t *unfinished, const pt_task *task, pt_texts *warnings,
                               pt_error *err);

/* bytes and flops; the route is the learner's. */
void pt_boost_columns_plan(const pt_rows *rows, const pt_columns *columns, pt_stump_rule rule,
                           const pt_params *params, const pt_task *task, pt_plan *plan);

#endif
