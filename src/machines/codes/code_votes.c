/* Weights and errors of AdaBoost's rounds, read off its stumps.
 *
 * A discrete stump says +alpha_t or -alpha_t (0 on a branch that training never took), and
 * alpha_t = ln((1 - e_t)/e_t)/2, so that e_t = 1/(1 + e^(2 alpha_t)). Where e_t was 0, alpha_t is
 * that of a small e: what comes out of it as Theorem 6 is then a little above the theorem, and
 * holds. */
#include "machines/codes/code_votes.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "params/params_table.h"

void pt_code_votes_free(pt_code_votes *votes)
{
    pt_free(votes->alpha);
    pt_free(votes->error);
    *votes = (pt_code_votes){0};
}

/* alpha <- what all leaves of a stump say but for signs and zeros; false: it is no such stump. */
static bool vote_of(const pt_forest *forest, int64_t tree, double *alpha)
{
    const int64_t root = forest->root[tree];
    const pt_node *node = root >= 0 ? &forest->node[root] : NULL;
    *alpha = 0;
    for (int b = 0; b < (node ? PT_BRANCHES : 1); b++) {
        const int64_t child = node ? node->child[b] : root;
        if (child >= 0)
            return false; /* deeper than a stump */
        const double size = fabs(forest->value[-1 - child]);
        if (size > 0 && *alpha > 0 && size != *alpha)
            return false;
        *alpha = size > 0 ? size : *alpha;
    }
    return true;
}

/* Only of the exponential loss alpha tells the error. */
static bool is_discrete_adaboost(const pt_learner *learner, const pt_params *params)
{
    const pt_learner_ops *ops = learner->ops;
    return ops->forest && ops->rounds && pt_learner_loss(ops, params) == &pt_loss_exp &&
           pt_word_listed(ops->parameters, ',', "boost", strlen("boost")) &&
           strcmp(pt_params_text(params, PT_P_BOOST), "discrete") == 0;
}

pt_status pt_code_votes_init(pt_code_votes *votes, const pt_learner *learner,
                             const pt_params *params, pt_error *err)
{
    if (!pt_params_flag(params, PT_P_SINGLE_CALL) || !is_discrete_adaboost(learner, params))
        return PT_OK;
    const pt_forest *forest = learner->ops->forest(learner);
    const int64_t n = forest->width == 1 ? forest->n_trees : 0;
    votes->alpha = pt_alloc(n, sizeof *votes->alpha, "rounds", err);
    votes->error = pt_alloc(n, sizeof *votes->error, "rounds", err);
    if (!votes->alpha || !votes->error)
        return PT_ENOMEM;
    for (int64_t t = 0; t < n; t++) {
        if (!vote_of(forest, t, &votes->alpha[t]))
            return PT_OK; /* n stays 0 */
        votes->error[t] = 1 / (1 + exp(2 * votes->alpha[t]));
    }
    votes->n = n;
    return PT_OK;
}
