/* The points of a search: the parameters of each, with nothing left to choose. */
#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "select/search.h"
#include "validate/auto.h"

void pt_points_free(pt_params **points, int64_t count)
{
    for (int64_t i = 0; points && i < count; i++)
        pt_params_free(points[i]);
    pt_free(points);
}

static bool grid_has(const pt_grid *grid, pt_param_id id)
{
    for (int64_t a = 0; a < grid->n_axes; a++)
        if (grid->axis[a] == id)
            return true;
    return false;
}

static pt_status fill_point(pt_params **point, int64_t p, pt_search *search,
                            const pt_training *training, const pt_task *task, pt_error *err)
{
    PT_TRY(pt_params_copy(point, training->params, err));
    PT_TRY(pt_grid_apply(&search->grid, p, *point, err));
    PT_TRY(
        pt_training_check_params(training->ops, *point, training->problem.rows.dense == NULL, err));
    if (pt_machine_takes_raw(training->ops, *point) !=
        pt_machine_takes_raw(training->ops, training->params))
        return pt_fail(err, PT_EINVAL,
                       "`grid`: its learners see nominal and missing cells in different ways; "
                       "search them one by one, as `machine=A` `machine=B`");
    return pt_machine_resolve(training->ops, *point, &training->problem, task, &search->warnings,
                              err);
}

/* Parameters of every point. What is "auto" and not on an axis is chosen for each point: the best
 * sigma depends on the ridge, and the other way round. The caller frees, after a failure too. */
pt_status pt_points_make(pt_params ***out, pt_search *search, pt_training *training,
                         const pt_task *task, pt_error *err)
{
    const pt_grid *grid = &search->grid;
    PT_TRY(PT_NEW_ZERO(*out, grid->n_points, "grid points", err));
    /* These stand for sigma and ridge, which then are not to be chosen. */
    if (grid_has(grid, PT_P_RBF_GAMMA) || grid_has(grid, PT_P_C))
        PT_TRY(pt_grid_apply(grid, 0, training->params, err));
    for (int64_t p = 0; p < grid->n_points; p++)
        PT_TRY(fill_point(&(*out)[p], p, search, training, task, err));
    return PT_OK;
}

bool pt_points_auto_names(char *names, size_t size, const pt_grid *grid, const pt_params *before,
                          const pt_params *after)
{
    names[0] = '\0';
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const pt_param_group_id group = pt_param_group_of((pt_param_id)id);
        if ((group != PT_GROUP_MACHINE && group != PT_GROUP_KERNEL) || id == PT_P_KERNEL ||
            (grid && grid_has(grid, (pt_param_id)id)) ||
            !pt_params_is_auto(before, (pt_param_id)id) ||
            pt_params_is_auto(after, (pt_param_id)id))
            continue;
        if (names[0])
            (void)strncat(names, " and ", size - strlen(names) - 1);
        (void)strncat(names, pt_param_name(id), size - strlen(names) - 1);
    }
    return names[0] != '\0';
}
