/* What boosting learns: a forest with a tree for each column and round. */
#include "learners/boosting/boosted.h"

#include <string.h>

#include "base/alloc.h"

void pt_boosted_free(pt_learner *learner)
{
    pt_boosted *m = (pt_boosted *)learner;
    if (!m)
        return;
    pt_forest_free(&m->forest);
    pt_free(m);
}

static pt_status make(pt_boosted **out, const pt_learner_ops *ops, int64_t ell, pt_error *err)
{
    PT_TRY(PT_NEW_ZERO(*out, 1, "a learner", err));
    (*out)->base.ops = ops;
    (*out)->ell = ell;
    return PT_OK;
}

pt_status pt_boosted_new(pt_boosted **out, const pt_learner_ops *ops, const pt_rows *rows,
                         int64_t ell, pt_error *err)
{
    pt_boosted *m = NULL;
    PT_TRY(make(&m, ops, ell, err));
    const pt_status status = pt_forest_init(&m->forest, rows->d, rows->levels, 1, err);
    if (status == PT_OK)
        *out = m;
    else
        pt_boosted_free(&m->base);
    return status;
}

int64_t pt_boosted_rounds(const pt_learner *learner)
{
    const pt_boosted *m = (const pt_boosted *)learner;
    return m->forest.n_trees / m->ell;
}

pt_status pt_boosted_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                             const pt_task *task, pt_error *err)
{
    const pt_boosted *m = (const pt_boosted *)learner;
    if (rows->n > 0)
        memset(outputs, 0, (size_t)(rows->n * m->ell) * sizeof *outputs);
    return pt_forest_add(&m->forest, 0, m->forest.n_trees, 1, rows, m->ell, outputs, task, err);
}

pt_status pt_boosted_staged(const pt_learner *learner, const pt_rows *rows, const int64_t *rounds,
                            int64_t n_rounds, pt_staged_fn take, void *context, const pt_task *task,
                            pt_error *err)
{
    const pt_boosted *m = (const pt_boosted *)learner;
    return pt_forest_staged(&m->forest, rows, m->ell, rounds, n_rounds, take, context, task, err);
}

const pt_forest *pt_boosted_forest(const pt_learner *learner)
{
    return &((const pt_boosted *)learner)->forest;
}

pt_status pt_boosted_save(const pt_learner *learner, pt_pack *pack, pt_error *err)
{
    return pt_forest_save(&((const pt_boosted *)learner)->forest, pack, err);
}

pt_status pt_boosted_load(pt_learner **out, const pt_learner_ops *ops, const pt_pack *pack,
                          int64_t n_inputs, int64_t ell, int64_t *used, pt_error *err)
{
    pt_boosted *m = NULL;
    PT_TRY(make(&m, ops, ell, err));
    pt_status status = pt_forest_load(&m->forest, pack, n_inputs, 1, used, err);
    if (status == PT_OK && m->forest.n_trees % ell != 0)
        status = pt_fail(err, PT_EFORMAT,
                         "the model's %lld trees are not as many for each of %lld "
                         "columns",
                         (long long)m->forest.n_trees, (long long)ell);
    if (status == PT_OK)
        *out = &m->base;
    else
        pt_boosted_free(&m->base);
    return status;
}

int64_t pt_boosted_figures(const pt_learner *learner, pt_figure *figures)
{
    const pt_boosted *m = (const pt_boosted *)learner;
    figures[0] = (pt_figure){"rounds", pt_boosted_rounds(learner)};
    figures[1] = (pt_figure){"tests", m->forest.n_nodes};
    return 2;
}
