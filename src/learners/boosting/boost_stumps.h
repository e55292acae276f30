/* Boosting of stumps by weights of examples: what AdaBoost of each column (learner_adaboost.c) and
 * of all columns at once (machines/trees/machine_adaboost_mo.c) share. */
#ifndef PT_LEARNERS_BOOSTING_BOOST_STUMPS_H
#define PT_LEARNERS_BOOSTING_BOOST_STUMPS_H

#include "learners/boosting/boost_rows.h"
#include "trees/stump_search.h"

/* Zero-initialise; free it always. */
typedef struct pt_boost_stumps {
    pt_boost_rows rows;
    pt_feature_table table;
    pt_stump_columns columns; /* of the rows that are learned from */
    pt_stump_layout layout;
    pt_stump_search *search;
    double *D;       /* n x stride: weights, 0 at first */
    double *factors; /* groups x PT_BRANCHES x stride: what D of a row of the group is multiplied
                        by */
    double *plus;    /* PT_BRANCHES x ell: what D of the plus side of a column is multiplied by */
    double *minus;
} pt_boost_stumps;

/* Rows to learn from and to hold out, their table, the search and its room; --stop-share,
 * --patience, --seed, --bins and --min-leaf are read from params. options->min_leaf is set here. */
pt_status pt_boost_stumps_init(pt_boost_stumps *b, const pt_rows *rows, const pt_columns *columns,
                               pt_stump_options options, const pt_params *params,
                               const pt_task *task, pt_texts *warnings, pt_error *err);
void pt_boost_stumps_free(pt_boost_stumps *b);

/* factors <- plus and minus of the columns, for each group by its signs. */
void pt_boost_stumps_put_factors(pt_boost_stumps *b);

/* bytes but for the forest, flops and the route; of: what is boosted, "3 columns". */
void pt_boost_stumps_plan(const pt_rows *rows, const pt_columns *columns, const pt_params *params,
                          const char *of, const pt_task *task, pt_plan *plan);

#endif
