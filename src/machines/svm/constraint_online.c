/* Machine `constraint`, --method online: HRZ Figure 1 in epochs over the rows. The updates are
 * those of solvers/online/online_update.c. */
#include <string.h>

#include "base/alloc.h"
#include "machines/svm/constraint.h"
#include "solvers/online/online_valid.h"

static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0; /* the table of parameters allows no others */
}

pt_status pt_constraint_rule(const pt_params *params, bool bias, pt_online_rule *rule,
                             pt_error *err)
{
    const char *update = pt_params_text(params, PT_P_UPDATE);
    *rule =
        (pt_online_rule){(pt_update)find_name(pt_update_names, PT_N_UPDATES, update),
                         (pt_violated)find_name(pt_violated_names, PT_N_VIOLATED,
                                                pt_params_text(params, PT_P_VIOLATED)),
                         pt_params_real(params, PT_P_C), pt_params_real(params, PT_P_ALPHA), bias};
    if (rule->update != PT_UPDATE_AVERAGED || pt_params_integer(params, PT_P_EPOCHS) != 0)
        return PT_OK;
    return pt_fail(err, PT_EINVAL,
                   "`epochs=0` goes on until the weights make no mistake, which their average may "
                   "still make; use `update=perceptron` or a number of epochs");
}

double pt_constraint_online_bytes(const pt_problem *problem, const pt_params *params, unsigned how)
{
    pt_online_rule rule;
    (void)pt_constraint_rule(params, true, &rule, NULL);
    return pt_online_bytes(&rule, problem->rows.n, problem->rows.d,
                           pt_label_pairs_n_classes(problem->labels, how));
}

static pt_status warn(const pt_constraint_training *t, const pt_online_weights *w,
                      const pt_online_epochs *result, bool until, pt_error *err)
{
    if (until && result->left > 0)
        PT_TRY(pt_warn(t->warnings, err, PT_KIND_CONVERGENCE,
                       "%d epochs did not suffice: %lld row%s still wrong; no weights may have "
                       "all of them right",
                       (int)PT_ONLINE_EPOCHS, (long long)result->left,
                       result->left == 1 ? " is" : "s are"));
    if (w->pinned > 0)
        PT_TRY(pt_warn(t->warnings, err, PT_KIND_NUMERIC,
                       "winnow: weights reached 1e100 or 1e-100; scale the features to 0..1 or "
                       "lower `alpha`, now %g",
                       w->rule.alpha));
    return PT_OK;
}

static pt_status finish(pt_constraint_training *t, const pt_online_weights *w,
                        const pt_online_epochs *result, bool until, pt_error *err)
{
    pt_constraint_tell(t, "epochs_made", result->epochs);
    pt_constraint_tell(t, "mistakes", result->mistakes);
    pt_constraint_tell(t, "last_mistakes", result->last);
    pt_constraint_tell(t, "moves", result->moves);
    return warn(t, w, result, until, err);
}

/* The threshold of sets was subtracted from all functions, which changes no difference of two: it
 * is 0 now. Winnow would have to know it. */
static pt_status take_start(const pt_constraint_training *t, pt_online_weights *w,
                            pt_online_problem *problem, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(t->problem->labels);
    const pt_update update = w->rule.update;
    if (t->k > k && (update == PT_UPDATE_WINNOW || update == PT_UPDATE_BALANCED))
        return pt_constraint_refuse_start(t, err);
    PT_TRY(pt_expansion_give_linear(t->start, t->d, k, 1, t->W, err)); /* room, still 0 */
    PT_TRY(pt_online_weights_set(w, t->W, k, err));
    return pt_online_go_on(problem, t->start_params, err);
}

/* Epochs of which the rows that validate choose the best; all pairs of their labels count. */
static pt_status train_to_best(pt_constraint_training *t, pt_online_weights *w,
                               const pt_online_problem *problem, pt_online_epochs *result,
                               pt_error *err)
{
    const pt_valid_rows *rows = t->problem->valid;
    const pt_online_valid valid = {.asked = {.rows = rows->rows,
                                             .weight = rows->weight,
                                             .labels = rows->labels,
                                             .how = t->how},
                                   .patience = pt_params_integer(t->params, PT_P_PATIENCE)};
    return pt_online_train_to_best(w, problem, &valid, t->W, result, t->task, err);
}

pt_status pt_constraint_online(pt_constraint_training *t, pt_error *err)
{
    pt_online_rule rule;
    PT_FREED_BY(pt_online_weights_free) pt_online_weights w = {0};
    pt_online_epochs result = {0};
    pt_online_problem problem = {.rows = &t->problem->rows,
                                 .weight = t->problem->weight,
                                 .epochs = pt_params_integer(t->params, PT_P_EPOCHS),
                                 .seed = (uint64_t)pt_params_integer(t->params, PT_P_SEED),
                                 .labels = t->problem->labels,
                                 .how = t->how};
    PT_TRY(pt_constraint_rule(t->params, t->bias, &rule, err));
    PT_TRY(pt_online_weights_init(&w, &rule, t->k, t->d, err));
    if (t->start)
        PT_TRY(take_start(t, &w, &problem, err));
    if (t->problem->valid && problem.epochs > 0) {
        PT_TRY(train_to_best(t, &w, &problem, &result, err));
    } else {
        PT_TRY(pt_online_train(&w, &problem, &result, t->task, err));
        pt_online_result(&w, NULL, t->k, -1, t->W);
    }
    return finish(t, &w, &result, problem.epochs == 0, err);
}
