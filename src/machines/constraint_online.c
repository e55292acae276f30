/* Machine `constraint`, --method online: HRZ Figure 1 in epochs over the rows. The updates are those
 * of solvers/online_update.c.
 *
 * Weights of the perceptron that end without a mistake separate the pairs by a margin
 * g = min (v_a - v_b).x / ||v||, and then Novikoff's bound holds for the moves that were made:
 * at most 2 R^2 / g^2, R the longest x (with the feature of the bias). Both are told. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "machines/constraint.h"
#include "solvers/online_epochs.h"

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
                   "--epochs 0 goes on until the weights make no mistake, which their average may "
                   "still make; use --update perceptron or a number of epochs");
}

double pt_constraint_online_bytes(const pt_problem *problem, const pt_params *params, unsigned how)
{
    pt_online_rule rule;
    (void)pt_constraint_rule(params, true, &rule, NULL);
    return pt_online_bytes(&rule, problem->rows.n, problem->rows.d,
                           pt_label_pairs_n_classes(problem->labels, how));
}

/* The smallest v_a.x - v_b.x of the last weights and the longest x. */
static pt_status measure(const pt_constraint_training *t, pt_online_weights *w, double *least,
                         double *longest, pt_error *err)
{
    const pt_rows *rows = &t->problem->rows;
    const pt_labels *labels = t->problem->labels;
    const int64_t most = pt_label_pairs_most(labels, t->how);
    int64_t *index = pt_alloc(t->d + 1, sizeof *index, "a row", err);
    double *value = index ? pt_alloc(t->d + 1, sizeof *value, "a row", err) : NULL;
    pt_label_pair *pairs = value ? pt_alloc(most, sizeof *pairs, "pairs of a label", err) : NULL;
    *least = INFINITY;
    *longest = 0;
    for (int64_t i = 0; pairs && i < rows->n; i++) {
        const pt_online_row x = pt_online_row_of(rows, i, index, value);
        const int64_t count = pt_label_pairs_of(labels, i, t->how, pairs);
        double square = t->bias ? 1 : 0;
        for (int64_t p = 0; p < x.count; p++)
            square += x.value[p] * x.value[p];
        pt_online_score(w, &x);
        for (int64_t q = 0; q < count; q++)
            *least = fmin(*least, w->scores[pairs[q].before] - w->scores[pairs[q].after]);
        *longest = fmax(*longest, square);
    }
    pt_free(pairs);
    pt_free(value);
    pt_free(index);
    return pairs ? PT_OK : PT_ENOMEM;
}

/* Figures of the separation, where there is one. */
static pt_status tell_bound(pt_constraint_training *t, pt_online_weights *w, pt_error *err)
{
    double least = 0;
    double longest = 0;
    double square = 0;
    const pt_status status = measure(t, w, &least, &longest, err);
    if (status != PT_OK || !(least > 0) || !isfinite(least))
        return status;
    for (int64_t at = 0; at < t->k * (t->d + 1); at++)
        square += t->W[at] * t->W[at];
    const double margin = least / sqrt(square);
    double low = 1;
    double high = 1;
    const double *weight = t->problem->weight;
    for (int64_t i = 0; weight && i < t->problem->rows.n; i++) {
        low = i ? fmin(low, weight[i]) : weight[i];
        high = i ? fmax(high, weight[i]) : weight[i];
    }
    pt_constraint_tell_real(t, "margin", margin);
    pt_constraint_tell_real(t, "mistake_bound", pt_online_bound(longest, margin, low, high));
    return PT_OK;
}

static pt_status warn(const pt_constraint_training *t, const pt_online_weights *w,
                      const pt_online_epochs *result, bool until, pt_error *err)
{
    pt_status status = PT_OK;
    if (until && result->last > 0)
        status = pt_texts_add(t->warnings, err,
                              "%d epochs did not suffice: the last still made %lld mistakes; no "
                              "weights may be without",
                              (int)PT_ONLINE_EPOCHS, (long long)result->last);
    if (status == PT_OK && w->pinned > 0)
        status = pt_texts_add(t->warnings, err,
                              "winnow: weights reached 1e100 or 1e-100; scale the features to 0..1 "
                              "or lower --alpha, now %g",
                              w->rule.alpha);
    return status;
}

static pt_status finish(pt_constraint_training *t, pt_online_weights *w,
                        const pt_online_epochs *result, bool until, pt_error *err)
{
    pt_online_result(w, NULL, t->k, -1, t->W);
    pt_constraint_tell(t, "epochs_made", result->epochs);
    pt_constraint_tell(t, "mistakes", result->mistakes);
    pt_constraint_tell(t, "last_mistakes", result->last);
    pt_constraint_tell(t, "moves", w->moves);
    const pt_status status = warn(t, w, result, until, err);
    if (status != PT_OK || w->rule.update != PT_UPDATE_PERCEPTRON ||
        w->rule.violated == PT_VIOLATED_SPREAD)
        return status;
    return tell_bound(t, w, err);
}

pt_status pt_constraint_online(pt_constraint_training *t, pt_error *err)
{
    pt_online_rule rule;
    pt_online_weights w = {0};
    pt_online_epochs result = {0};
    const pt_online_problem problem = {.rows = &t->problem->rows,
                                       .weight = t->problem->weight,
                                       .epochs = pt_params_integer(t->params, PT_P_EPOCHS),
                                       .seed = (uint64_t)pt_params_integer(t->params, PT_P_SEED),
                                       .labels = t->problem->labels,
                                       .how = t->how};
    pt_status status = pt_constraint_rule(t->params, t->bias, &rule, err);
    if (status == PT_OK)
        status = pt_online_weights_init(&w, &rule, t->k, t->d, err);
    if (status == PT_OK)
        status = pt_online_train(&w, &problem, &result, t->task, err);
    if (status == PT_OK)
        status = finish(t, &w, &result, problem.epochs == 0, err);
    pt_online_weights_free(&w);
    return status;
}
