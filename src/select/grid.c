/* Grids: parsing, points, and which of two points is smoother. */
#include "select/grid.h"

#include <math.h>
#include <string.h>

enum { MAX_POINTS = 1000000, MAX_RANGE = 4096 };

void pt_grid_free(pt_grid *grid)
{
    for (int64_t a = 0; a < grid->n_axes; a++)
        pt_texts_free(&grid->values[a]);
    memset(grid, 0, sizeof *grid);
}

/* A new axis for the parameter of that name. */
static pt_status add_axis(pt_grid *grid, const char *name, pt_error *err)
{
    const int id = pt_param_find(name);
    if (id < 0)
        return pt_fail(err, PT_EINVAL, "`grid`: there is no parameter '%s'", name);
    const pt_param_group_id group = pt_param_group_of((pt_param_id)id);
    if (id == PT_P_MACHINE || (group != PT_GROUP_MACHINE && group != PT_GROUP_KERNEL))
        return pt_fail(
            err, PT_EINVAL,
            "`grid`: '%s' cannot be searched; only parameters of machines and kernels can", name);
    if (id == PT_P_CLASS_WEIGHT || id == PT_P_PRECISION || id == PT_P_AUTO_ROWS)
        return pt_fail(err, PT_EINVAL,
                       "`grid`: '%s' is the same for all points; give it outside of the grid",
                       name);
    for (int64_t a = 0; a < grid->n_axes; a++)
        if (grid->axis[a] == (pt_param_id)id)
            return pt_fail(err, PT_EINVAL, "`grid`: '%s' is there twice", name);
    if (grid->n_axes == PT_GRID_AXES)
        return pt_fail(err, PT_EINVAL, "`grid`: at most %d parameters", PT_GRID_AXES);
    grid->axis[grid->n_axes++] = (pt_param_id)id;
    return PT_OK;
}

/* FROM, 2 FROM, 4 FROM, ... up to TO. */
static pt_status add_range(pt_grid *grid, const char *text, const char *colon, pt_params *scratch,
                           pt_error *err)
{
    const int64_t axis = grid->n_axes - 1;
    char low_text[64];
    double low = 0;
    double high = 0;
    const size_t length = (size_t)(colon - text);
    if (length >= sizeof low_text)
        return pt_fail(err, PT_EINVAL, "`grid`: '%s' is not FROM:TO", text);
    memcpy(low_text, text, length);
    low_text[length] = '\0';
    if (!pt_text_to_real(low_text, &low) || !pt_text_to_real(colon + 1, &high) || !(low > 0) ||
        !(high >= low) || !isfinite(high))
        return pt_fail(err, PT_EINVAL,
                       "`grid`: '%s' is not FROM:TO with 0 < FROM <= TO, as in 2^-4:2^4", text);
    int64_t count = 0;
    for (double value = low; value <= high * (1 + 1e-9); value *= 2) {
        if (++count > MAX_RANGE)
            return pt_fail(err, PT_EINVAL, "`grid`: '%s' has too many values", text);
        PT_TRY(pt_params_set_real(scratch, grid->axis[axis], value, err));
        PT_TRY(pt_texts_add(&grid->values[axis], err, "%s",
                            pt_params_text(scratch, grid->axis[axis])));
    }
    return PT_OK;
}

static pt_status add_value(pt_grid *grid, const char *text, pt_params *scratch, pt_error *err)
{
    const int64_t axis = grid->n_axes - 1;
    const char *colon = strchr(text, ':');
    if (colon)
        return add_range(grid, text, colon, scratch, err);
    if (strcmp(text, "auto") == 0)
        return pt_fail(err, PT_EINVAL, "`grid`: 'auto' is not a value to search");
    PT_TRY(pt_params_set(scratch, pt_param_name(grid->axis[axis]), text, err));
    return pt_texts_add(&grid->values[axis], err, "%s", pt_params_text(scratch, grid->axis[axis]));
}

static pt_status add_item(pt_grid *grid, char *item, pt_params *scratch, pt_error *err)
{
    char *equals = strchr(item, '=');
    if (equals) {
        *equals = '\0';
        PT_TRY(add_axis(grid, item, err));
    } else if (grid->n_axes == 0) {
        return pt_fail(err, PT_EINVAL, "`grid`: '%s' is not NAME=VALUE,...", item);
    }
    return add_value(grid, equals ? equals + 1 : item, scratch, err);
}

pt_status pt_grid_parse(pt_grid *grid, const char *text, const pt_params *params, pt_error *err)
{
    memset(grid, 0, sizeof *grid);
    pt_params *scratch = NULL;
    pt_status status = pt_params_new(&scratch, err);
    if (status == PT_OK)
        status = pt_params_offer(scratch, params, err);
    while (status == PT_OK && *text) {
        const size_t length = strcspn(text, ",");
        char item[256];
        if (length == 0 || length >= sizeof item) {
            status =
                pt_fail(err, PT_EINVAL, "`grid`: a value is empty or too long at '%.40s'", text);
            break;
        }
        memcpy(item, text, length);
        item[length] = '\0';
        status = add_item(grid, item, scratch, err);
        text += length + (text[length] == ',');
    }
    pt_params_free(scratch);
    grid->n_points = 1;
    for (int64_t a = 0; a < grid->n_axes && status == PT_OK; a++) {
        grid->n_points *= grid->values[a].count;
        if (grid->n_points > MAX_POINTS)
            status = pt_fail(err, PT_EINVAL, "`grid`: more than %d points", MAX_POINTS);
    }
    if (status != PT_OK)
        pt_grid_free(grid);
    return status;
}

const char *pt_grid_value(const pt_grid *grid, int64_t point, int64_t axis)
{
    for (int64_t a = grid->n_axes - 1; a > axis; a--)
        point /= grid->values[a].count;
    return grid->values[axis].items[point % grid->values[axis].count];
}

pt_status pt_grid_apply(const pt_grid *grid, int64_t point, pt_params *params, pt_error *err)
{
    for (int64_t a = 0; a < grid->n_axes; a++)
        PT_TRY(pt_params_set(params, pt_param_name(grid->axis[a]), pt_grid_value(grid, point, a),
                             err));
    return PT_OK;
}

bool pt_grid_smoother(const pt_grid *grid, int64_t a, int64_t b)
{
    static const struct {
        pt_param_id id;
        int larger; /* +1: larger is smoother */
    } order[] = {
        {PT_P_SIGMA, 1}, {PT_P_RBF_GAMMA, -1}, {PT_P_RIDGE, 1}, {PT_P_C, -1}, {PT_P_DEGREE, -1}};
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (int64_t axis = 0; axis < grid->n_axes; axis++) {
            double va = 0;
            double vb = 0;
            if (grid->axis[axis] != order[o].id ||
                !pt_text_to_real(pt_grid_value(grid, a, axis), &va) ||
                !pt_text_to_real(pt_grid_value(grid, b, axis), &vb) || va == vb)
                continue;
            return (va > vb) == (order[o].larger > 0);
        }
    return false;
}
