/* The table of learners, and what all of them share. */
#include "learners/learner.h"

#include "base/alloc.h"
#include "base/math.h"
#include "base/registry.h"
#include "learners/learner_custom.h"
#include "learners/single_call.h"

const pt_learner_ops *const pt_learners[] = {
#define PT_ENTRY(entry, name) &pt_learner_##entry,
#include "registry/learners.def"
#undef PT_ENTRY
    NULL};

PT_REGISTRY_FIND(pt_learner_find, pt_learner_ops, pt_learners)

pt_learner_ops pt_learner_of(const pt_params *params)
{
    const pt_learner_ops *known = pt_learner_find(pt_params_text(params, PT_P_LEARNER));
    if (pt_params_learner(params))
        return pt_learner_custom(pt_params_learner(params));
    return known ? *known : (pt_learner_ops){.name = NULL};
}

const pt_loss *pt_learner_loss(const pt_learner_ops *learner, const pt_params *params)
{
    return learner->loss_of ? learner->loss_of(params) : learner->loss;
}

int pt_columns_sign(const pt_columns *columns, int64_t g, int64_t s)
{
    if (!columns->pairs)
        return columns->sign[g * columns->ell + s];
    int64_t p = 0;
    int64_t q = 0;
    pt_pairs_at(columns->groups, s, &p, &q);
    return (g == p) - (g == q);
}

int64_t pt_columns_slot(const pt_columns *columns, int64_t g, int64_t s)
{
    if (!columns->pairs)
        return s;
    int64_t p = 0;
    int64_t q = 0;
    pt_pairs_at(columns->groups, s, &p, &q);
    return g == p ? q : p;
}

pt_status pt_columns_warn(const double *reached, int64_t ell, const char *what, const char *name,
                          double asked, pt_warnings *warnings, pt_error *err)
{
    int64_t count = 0;
    double worst = 0;
    for (int64_t s = 0; s < ell; s++) {
        count += reached[s] > 0;
        worst = reached[s] > worst ? reached[s] : worst;
    }
    return count ? pt_warn(warnings, err, PT_KIND_CONVERGENCE,
                           "%lld of %lld columns reached the limit of %s before `%s=%g`, the worst "
                           "at %.2g; scale the data or lower `C`",
                           (long long)count, (long long)ell, what, name, asked, worst)
                 : PT_OK;
}

/* ---- the life of a learner ------------------------------------------------------------------- */

void pt_learner_free(pt_learner *learner)
{
    if (!learner)
        return;
    learner->ops.free(learner);
    pt_free(learner);
}

static void learner_free_at(void *address)
{
    pt_learner_free(*(pt_learner **)address);
}

static pt_learner *learner_new(const pt_learner_ops *ops, int64_t d, const pt_columns *columns,
                               pt_error *err)
{
    pt_learner *m = pt_alloc_zero(1, ops->size, "a learner", err);
    if (m)
        *m = (pt_learner){*ops, {d, columns->single_call ? columns->ell : 0}};
    return m;
}

pt_status pt_learner_plan(const pt_learner_ops *ops, const pt_rows *rows, const pt_columns *columns,
                          const pt_params *params, const pt_task *task, pt_plan *plan,
                          pt_error *err)
{
    return columns->single_call ? pt_single_call_plan(ops, rows, columns, params, task, plan, err)
                                : ops->plan(rows, columns, params, task, plan, err);
}

pt_status pt_learner_fit(pt_learner **out, const pt_learner_ops *ops, const pt_rows *rows,
                         const pt_columns *columns, const pt_params *params, const pt_task *task,
                         pt_warnings *warnings, pt_error *err)
{
    PT_FREED_BY(learner_free_at) pt_learner *m = learner_new(ops, rows->d, columns, err);
    if (!m)
        return PT_ENOMEM;
    PT_TRY(columns->single_call ? pt_single_call_fit(m, rows, columns, params, task, warnings, err)
                                : ops->fit(m, rows, columns, params, task, warnings, err));
    *out = pt_keep(&m);
    return PT_OK;
}

pt_status pt_learner_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                             const pt_task *task, pt_error *err)
{
    return learner->single.ell > 0 ? pt_single_call_outputs(learner, rows, outputs, task, err)
                                   : learner->ops.outputs(learner, rows, outputs, task, err);
}

pt_status pt_learner_staged(const pt_learner *learner, const pt_rows *rows, const int64_t *rounds,
                            int64_t n_rounds, pt_staged_fn take, void *context, const pt_task *task,
                            pt_error *err)
{
    return learner->single.ell > 0
               ? pt_single_call_staged(learner, rows, rounds, n_rounds, take, context, task, err)
               : learner->ops.staged(learner, rows, rounds, n_rounds, take, context, task, err);
}

pt_status pt_learner_load(pt_learner **out, const pt_learner_ops *ops, const pt_pack *pack,
                          int64_t n_inputs, const pt_columns *columns, const pt_params *params,
                          int64_t *used, const pt_task *task, pt_error *err)
{
    if (columns->single_call && n_inputs > INT64_MAX - columns->ell)
        return pt_fail(err, PT_EFORMAT, "the model has too many columns");
    PT_FREED_BY(learner_free_at) pt_learner *m = learner_new(ops, n_inputs, columns, err);
    if (!m)
        return PT_ENOMEM;
    const pt_columns sides = pt_single_call_sides();
    if (columns->single_call)
        PT_TRY(ops->load(m, pack, pt_single_call_width(ops, n_inputs, columns->ell), &sides, params,
                         used, task, err));
    else
        PT_TRY(ops->load(m, pack, n_inputs, columns, params, used, task, err));
    *out = pt_keep(&m);
    return PT_OK;
}

/* ---- learners that are an expansion ---------------------------------------------------------- */

void pt_expansion_learner_free(pt_learner *learner)
{
    pt_expansion_free(&((pt_expansion_learner *)learner)->outputs);
}

pt_status pt_expansion_learner_outputs(const pt_learner *learner, const pt_rows *rows,
                                       double *outputs, const pt_task *task, pt_error *err)
{
    const pt_expansion_learner *m = (const pt_expansion_learner *)learner;
    return pt_expansion_outputs(&m->outputs, rows, outputs, task, err);
}

pt_status pt_expansion_learner_save(const pt_learner *learner, pt_pack *pack, pt_error *err)
{
    (void)err;
    pt_expansion_save(&((const pt_expansion_learner *)learner)->outputs, pack);
    return PT_OK;
}

pt_status pt_expansion_learner_load(pt_learner *learner, const pt_pack *pack, int64_t n_inputs,
                                    const pt_columns *columns, const pt_params *params,
                                    int64_t *used, const pt_task *task, pt_error *err)
{
    pt_expansion_learner *m = (pt_expansion_learner *)learner;
    return pt_expansion_load(&m->outputs, pack, n_inputs, columns->ell, params, used, task, err);
}
