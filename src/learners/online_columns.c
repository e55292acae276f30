/* All columns of a code learn from an example when its turn comes: their weights for a feature lie
 * side by side (online_update.h), so that a value is read once for all of them. Columns
 * know nothing of each other; with --epochs 0 they go on until none of them errs on any row. */
#include "learners/online_columns.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "kernels/expansion.h"
#include "solvers/online/online_epochs.h"

typedef struct online_columns {
    pt_learner base;
    pt_expansion outputs;
} online_columns;

void pt_online_columns_free(pt_learner *learner)
{
    online_columns *m = (online_columns *)learner;
    if (!m)
        return;
    pt_expansion_free(&m->outputs);
    pt_free(m);
}

/* The sides of the group of example i; those of all pairs are not kept anywhere. */
static void sides_of(const void *context, int64_t i, int8_t *sides)
{
    const pt_columns *columns = context;
    const int64_t g = columns->group_of[i];
    if (!columns->pairs) {
        memcpy(sides, columns->sign + g * columns->ell, (size_t)columns->ell);
        return;
    }
    int64_t s = 0;
    for (int64_t p = 0; p < columns->groups; p++)
        for (int64_t q = p + 1; q < columns->groups; q++)
            sides[s++] = (int8_t)((g == p) - (g == q));
}

static pt_status warn(const pt_online_weights *w, const pt_online_epochs *result, bool until,
                      pt_texts *warnings, pt_error *err)
{
    if (until && result->left > 0)
        PT_TRY(pt_texts_add(
            warnings, err,
            "%d epochs did not suffice: %lld row%s still wrong; no weights may have "
            "all of them right",
            (int)PT_ONLINE_EPOCHS, (long long)result->left, result->left == 1 ? " is" : "s are"));
    if (w->pinned > 0)
        PT_TRY(pt_texts_add(warnings, err,
                            "winnow: weights reached 1e100 or 1e-100; scale the features to 0..1 "
                            "or lower --alpha, now %g",
                            w->rule.alpha));
    return PT_OK;
}

pt_status pt_online_columns_plan(const pt_online_rule *rule, const pt_rows *rows,
                                 const pt_columns *columns, const pt_params *params, pt_plan *plan)
{
    const int64_t epochs = pt_params_integer(params, PT_P_EPOCHS);
    plan->bytes = pt_online_bytes(rule, rows->n, rows->d, columns->ell) +
                  16.0 * ((double)rows->d + 1) * (double)columns->ell;
    plan->flops =
        2.0 * (double)(epochs ? epochs : 100) * (double)pt_rows_stored(rows) * (double)columns->ell;
    snprintf(plan->route, sizeof plan->route, "%lld columns, online, %s", (long long)columns->ell,
             pt_update_names[rule->update]);
    return PT_OK;
}

static pt_status keep(online_columns *m, const pt_online_weights *w, pt_type type, pt_error *err)
{
    size_t bytes = 0;
    if (!pt_size_mul((size_t)(w->d + 1), sizeof(double), &bytes))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    double *out = pt_alloc(w->k, bytes, "weights", err);
    if (!out)
        return PT_ENOMEM;
    pt_online_result(w, NULL, w->k, -1, out);
    const pt_status status =
        pt_expansion_take_linear(&m->outputs, type, w->d, w->k, out, 1, w->rule.bias, err);
    pt_free(out);
    return status;
}

pt_status pt_online_columns_fit(pt_learner **out, const pt_learner_ops *ops,
                                const pt_online_rule *rule, const pt_rows *rows,
                                const pt_columns *columns, const pt_params *params,
                                const pt_task *task, pt_texts *warnings, pt_error *err)
{
    online_columns *m = pt_alloc_zero(1, sizeof *m, "a learner", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = ops;
    const pt_online_problem problem = {.rows = rows,
                                       .weight = columns->weight,
                                       .epochs = pt_params_integer(params, PT_P_EPOCHS),
                                       .seed = (uint64_t)pt_params_integer(params, PT_P_SEED),
                                       .sides = sides_of,
                                       .context = columns};
    pt_online_weights w = {0};
    pt_online_epochs result = {0};
    pt_status status = pt_online_weights_init(&w, rule, columns->ell, rows->d, err);
    if (status == PT_OK)
        status = pt_online_train(&w, &problem, &result, task, err);
    if (status == PT_OK)
        status = warn(&w, &result, problem.epochs == 0, warnings, err);
    if (status == PT_OK)
        status = keep(m, &w, rows->type, err);
    pt_online_weights_free(&w);
    if (status != PT_OK) {
        pt_online_columns_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

pt_status pt_online_columns_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                                    const pt_task *task, pt_error *err)
{
    return pt_expansion_outputs(&((const online_columns *)learner)->outputs, rows, outputs, task,
                                err);
}

pt_status pt_online_columns_save(const pt_learner *learner, pt_pack *pack, pt_error *err)
{
    (void)err;
    pt_expansion_save(&((const online_columns *)learner)->outputs, pack);
    return PT_OK;
}

pt_status pt_online_columns_load(pt_learner **out, const pt_learner_ops *ops, const pt_pack *pack,
                                 int64_t n_inputs, const pt_columns *columns,
                                 const pt_params *params, int64_t *used, pt_error *err)
{
    online_columns *m = pt_alloc_zero(1, sizeof *m, "a learner", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = ops;
    const pt_status status =
        pt_expansion_load(&m->outputs, pack, n_inputs, columns->ell, params, used, err);
    if (status != PT_OK) {
        pt_online_columns_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}
