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

/* Parameters of every point. What is "auto" and not on an axis is chosen for each point: the best
 * sigma depends on the ridge, and the other way round. */
pt_status pt_points_make(pt_params ***out, pt_search *search, pt_training *training,
                         const pt_task *task, pt_error *err)
{
    const pt_grid *grid = &search->grid;
    pt_params **points = pt_alloc_zero(grid->n_points, sizeof(pt_params *), "grid points", err);
    if (!points)
        return PT_ENOMEM;
    pt_status status = PT_OK;
    /* These stand for sigma and ridge, which then are not to be chosen. */
    if (status == PT_OK && (grid_has(grid, PT_P_RBF_GAMMA) || grid_has(grid, PT_P_C)))
        status = pt_grid_apply(grid, 0, training->params, err);
    for (int64_t p = 0; p < grid->n_points && status == PT_OK; p++) {
        status = pt_params_copy(&points[p], training->params, err);
        if (status == PT_OK)
            status = pt_grid_apply(grid, p, points[p], err);
        if (status == PT_OK)
            status = pt_training_check_params(training->ops, points[p],
                                              training->problem.rows.dense == NULL, err);
        if (status == PT_OK && pt_machine_takes_raw(training->ops, points[p]) !=
                                   pt_machine_takes_raw(training->ops, training->params))
            status = pt_fail(err, PT_EINVAL,
                             "--grid: its learners see nominal and missing cells in different "
                             "ways; search them one by one, as --machine A --machine B");
        if (status == PT_OK)
            status = pt_machine_resolve(training->ops, points[p], &training->problem, task,
                                        &search->warnings, err);
    }
    if (status != PT_OK) {
        pt_points_free(points, grid->n_points);
        return status;
    }
    *out = points;
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
