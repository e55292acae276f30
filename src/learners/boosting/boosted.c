/* What boosting learns: a forest with a tree for each column and round. */
#include "learners/boosting/boosted.h"

#include <string.h>

pt_status pt_boosted_init(pt_boosted *m, const pt_rows *rows, int64_t ell, pt_error *err)
{
    m->ell = ell;
    return pt_forest_init(&m->forest, rows->d, rows->levels, 1, err);
}

pt_status pt_boosted_take(pt_boosted *m, const pt_learner *from, pt_error *err)
{
    return pt_forest_take_trees(&m->forest, &((const pt_boosted *)from)->forest, err);
}

void pt_boosted_free(pt_learner *learner)
{
    pt_forest_free(&((pt_boosted *)learner)->forest);
}

int64_t pt_boosted_rounds(const pt_learner *learner)
{
    const pt_boosted *m = (const pt_boosted *)learner;
    return m->forest.n_trees / m->ell;
}

static void fill_zero(double *outputs, int64_t n, int64_t ell)
{
    if (n > 0)
        memset(outputs, 0, (size_t)(n * ell) * sizeof *outputs);
}

pt_status pt_boosted_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                             const pt_task *task, pt_error *err)
{
    const pt_boosted *m = (const pt_boosted *)learner;
    fill_zero(outputs, rows->n, m->ell);
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

pt_status pt_boosted_load(pt_learner *learner, const pt_pack *pack, int64_t n_inputs,
                          const pt_columns *columns, const pt_params *params, int64_t *used,
                          const pt_task *task, pt_error *err)
{
    (void)params;
    pt_boosted *m = (pt_boosted *)learner;
    m->ell = columns->ell;
    PT_TRY(pt_forest_load(&m->forest, pack, n_inputs, 1, used, task, err));
    if (m->forest.n_trees % m->ell != 0)
        return pt_fail(err, PT_EFORMAT,
                       "the model's %lld trees are not as many for each of %lld columns",
                       (long long)m->forest.n_trees, (long long)m->ell);
    return PT_OK;
}

int64_t pt_boosted_figures(const pt_learner *learner, pt_figure *figures)
{
    const pt_boosted *m = (const pt_boosted *)learner;
    figures[0] = (pt_figure){"rounds", pt_boosted_rounds(learner)};
    figures[1] = (pt_figure){"tests", m->forest.n_nodes};
    return 2;
}
