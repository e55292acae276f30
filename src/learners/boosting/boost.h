/* Boosting: weak hypotheses are added round by round, each found under the weights that those
 * before it left (ASS section 2).
 *
 *     D_1      weights of the examples in every column of the code            rule->begin
 *     round t  h_t, the best weak hypotheses under D_t                        the weak learner
 *              what is added to f, and D_t -> D_{t+1}                         rule->step
 *     end      --rounds are made, nothing was added, every column is done, the time is up, or rows
 *              that are held out say so (boost_rows.h)
 *
 * The rule is AdaBoost's (learner_adaboost.c), LogitBoost's or BrownBoost's (learner_logitboost.c,
 * learner_brownboost.c; by margins, margin_rule.c). Weak hypotheses are
 *
 *   PT_WEAK_STUMPS  a stump for each column, all of them found together (trees/stump_search.h)
 *   PT_WEAK_SHARED  one test with votes for all columns: AdaBoost.MO and AdaBoost.MH
 *   PT_WEAK_TREES   a tree of --depth tests for each column (trees/grow.h), columns in parallel
 *
 * A column that is done adds nothing from then on: its trees are single leaves that say 0. */
#ifndef PT_LEARNERS_BOOSTING_BOOST_H
#define PT_LEARNERS_BOOSTING_BOOST_H

#include "base/alloc.h"
#include "learners/boosting/boost_rows.h"
#include "learners/boosting/boosted.h"
#include "trees/grow.h"
#include "trees/stump_search.h"

typedef enum pt_boost_weak { PT_WEAK_STUMPS, PT_WEAK_SHARED, PT_WEAK_TREES } pt_boost_weak;

/* What a worker needs to grow the tree of a column: for each group its class (1 is +, 0 is -; 0 of
 * a regression; -1: it takes no part) and the slot of its rows' weights. */
typedef struct pt_boost_room {
    int64_t *class;
    int64_t *slot;
    double *target; /* n: of a regression */
    pt_arena arena; /* which has these */
} pt_boost_room;

/* Boosting as it stands, for the rule and the weak learner. */
typedef struct pt_booster {
    const struct pt_boost_rule *rule;
    const pt_task *task;
    pt_boost_weak weak;
    int64_t round; /* from 0 */
    int64_t votes; /* hypotheses of a round: a column's each, or 1 that is shared */
    bool *adds;    /* votes: whether it added something in this round */
    bool *done;    /* votes: it will add nothing more */
    pt_boost_rows rows;
    pt_stump_columns columns; /* of the rows that are learned from */
    pt_stump_layout layout;   /* of D: a slot for each column, or each opponent of all pairs */
    pt_feature_table table;
    double *D;      /* n x stride: weights, 0 at first */
    double *second; /* n x stride: D times the target, of PT_STUMP_NEWTON; else NULL */

    /* stumps */
    pt_stump_search *search;
    pt_stump *stump; /* votes */
    double *sums;    /* ell x PT_BRANCHES x 2: of a shared test */
    double *value;   /* ell x PT_BRANCHES: what a branch adds to f */
    double *plus;  /* ell x PT_BRANCHES: what D of the column's plus side is multiplied by, of a */
    double *minus; /*   rule that reweighs; and of its minus side */
    double *factors; /* groups x PT_BRANCHES x stride: the same by groups and slots */

    /* trees */
    pt_grow_groups groups;   /* rows by groups; margins are in this order too */
    pt_grow_problem problem; /* that of a column, its classes and weights apart */
    pt_grown *tree;          /* ell: leaves say the first of their sums once the rule has spoken */
    pt_boost_room *room;     /* of each worker */
    int workers;
} pt_booster;

typedef struct pt_boost_rule {
    pt_stump_rule stumps;   /* what the best stump is */
    bool below;             /* as pt_stump_options */
    pt_criterion criterion; /* what the best tree is */
    const pt_loss *loss;    /* what falls, also that of held-out rows */
    bool reweighs; /* D is multiplied by plus and minus of the branches; else step sets it */
    /* D_1; columns without weight are done. */
    pt_status (*begin)(pt_booster *b, pt_error *err);
    /* Hypothesis v of the round is found: adds[v], done[v], its values, new weights. Called for
     * several v at a time. */
    pt_status (*step)(pt_booster *b, int64_t v, int worker, pt_error *err);
    void *context;
} pt_boost_rule;

/* forest: without trees. --rounds, --bins, --depth, --min-leaf, --stop-share, --patience and --seed
 * are read from params. *unfinished <- columns that were not done in the end; NULL: nobody asks. */
pt_status pt_boost(pt_forest *forest, const pt_rows *rows, const pt_columns *columns,
                   const pt_boost_rule *rule, pt_boost_weak weak, const pt_params *params,
                   int64_t *unfinished, const pt_task *task, pt_warnings *warnings, pt_error *err);
/* The same as a learner: stumps where --depth is 1 or auto, else trees. */
pt_status pt_boost_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                       const pt_boost_rule *rule, const pt_params *params, int64_t *unfinished,
                       const pt_task *task, pt_warnings *warnings, pt_error *err);
pt_boost_weak pt_boost_weak_of(const pt_params *params);
/* bytes and flops; of: what is boosted, for the route, as "3 columns". */
void pt_boost_plan(const pt_rows *rows, const pt_columns *columns, const pt_boost_rule *rule,
                   pt_boost_weak weak, const pt_params *params, const pt_task *task, pt_plan *plan);

/* ---- AdaBoost (learner_adaboost.c) ----------------------------------------------------------- */

/* Zero-initialise but for what is asked for. */
typedef struct pt_adaboost {
    double *c;     /* votes: half the smallest weight at first; freed by pt_adaboost_free */
    double *alpha; /* rounds, of a discrete test that is shared: its vote and */
    double *error; /*   its error; NULL: nobody asks */
} pt_adaboost;

/* The rule of --boost and --polarity. */
pt_boost_rule pt_adaboost_rule(pt_adaboost *a, const pt_params *params);
void pt_adaboost_free(pt_adaboost *a);

/* ---- rules by margins (margin_rule.c) ------------------------------------------------------ */

/* A column's examples are the rows of the groups that take part, group by group, and within one in
 * their order: example j has side y_j = +-1 and margin z_j = y_j f(x_j). */
typedef struct pt_boost_column {
    int64_t s;
    int64_t n;
    const double *y;
    const double *weight; /* of the examples; NULL: all 1 */
    const double *h;      /* what the hypothesis says: a sign (0: as much weight on both sides) or
                             a weighted mean; NULL before the first round */
    double *margin;       /* to be changed */
    double *first;        /* D or w <- the weights of the next round */
    double *second;       /* w t <- those of PT_STUMP_NEWTON */
    double *work;         /* n, for the rule */
} pt_boost_column;

/* Zero-initialise but for `move` and `context`. */
typedef struct pt_margin_rule {
    /* Where c->h is NULL: the margins are 0, only the weights are asked for. Else *scale <- what
     * the hypothesis is multiplied by when it is added to the outputs, and the margins and weights
     * move accordingly. *done <- true: the column is finished, with this hypothesis. Columns are
     * moved in parallel. */
    void (*move)(void *context, const pt_boost_column *c, double *scale, bool *done);
    void *context;
    int64_t *begin; /* ell + 1: where the margins of a column begin */
    double *margin;
    struct pt_margin_room *room; /* of each worker */
    int workers;
} pt_margin_rule;

/* begin and step of a rule whose context is a pt_margin_rule. */
pt_status pt_margin_rule_begin(pt_booster *b, pt_error *err);
pt_status pt_margin_rule_step(pt_booster *b, int64_t s, int worker, pt_error *err);
void pt_margin_rule_free(pt_margin_rule *m);
/* Bytes of the margins, for plans. */
double pt_margin_rule_bytes(const pt_columns *columns, int workers);

#endif
