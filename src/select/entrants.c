/* Several machines side by side: what each takes of the parameters that they have in common.
 *
 * A machine's own parameters, NAME:param=value,..., win over the common ones. Of the common ones a
 * machine takes those that it, or its kernel, uses; one that none of them uses is refused. So it is
 * with the axes of a common grid: a machine searches those that it uses and does not set itself.
 * What makes the folds and runs the work is common to all: errors are compared row by row. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "machine/machine.h"
#include "select/grid.h"

/* One machine on its way to its parameters. */
typedef struct entrant {
    const pt_machine_ops *ops;
    const pt_params *common;
    pt_params *own;    /* what was written behind its name */
    pt_params *all;    /* the result */
    bool any_kernel;   /* the kernel is searched: parameters of every kernel are used */
    bool common_ridge; /* a ridge is set or searched in common */
} entrant;

static bool is_of_machine(pt_param_id id)
{
    const pt_param_group_id group = pt_param_group_of(id);
    return id != PT_P_MACHINE && (group == PT_GROUP_MACHINE || group == PT_GROUP_KERNEL);
}

/* The kernel that the machine will have; what is "auto" is Gaussian but for sparse data. */
static const pt_kernel_ops *kernel_of(const entrant *e)
{
    return pt_kernel_named(pt_params_set_by_user(e->own, PT_P_KERNEL) ? e->own : e->common, false);
}

/* A composed machine is asked with the parts that it has by then: they are first in the table. */
static bool machine_uses(const entrant *e, const char *name)
{
    return pt_machine_uses(e->ops, e->all, name);
}

/* A machine that takes C in place of a ridge takes the ridge where both are there in common. */
static bool uses(const entrant *e, pt_param_id id)
{
    const char *name = pt_param_name((int64_t)id);
    if (id == PT_P_C && e->common_ridge && machine_uses(e, "ridge"))
        return false;
    if (machine_uses(e, name) || (id == PT_P_COSTS && pt_params_choose_by_costs(e->common)))
        return true;
    if (!machine_uses(e, "kernel") || pt_param_group_of(id) != PT_GROUP_KERNEL)
        return false;
    const pt_kernel_ops *kernel = kernel_of(e);
    return e->any_kernel || (kernel && pt_kernel_uses(kernel, name));
}

/* Whether the machine sets it itself, by one of two names: sigma is rbf-gamma, C is 1/ridge. */
static bool sets(const entrant *e, pt_param_id id)
{
    static const pt_param_id TWINS[][2] = {{PT_P_SIGMA, PT_P_RBF_GAMMA}, {PT_P_RIDGE, PT_P_C}};
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 2; i++)
            if (id == TWINS[t][i] && pt_params_set_by_user(e->own, TWINS[t][1 - i]))
                return true;
    return pt_params_set_by_user(e->own, id);
}

/* A machine, its kernel, the preparation of its rows and its grid are its own, nothing else. */
static pt_status check_own(const entrant *e, pt_error *err)
{
    for (int i = 0; i < PT_N_PARAMS; i++) {
        const pt_param_id id = (pt_param_id)i;
        const bool may_differ = id == PT_P_MACHINE || id == PT_P_GRID || is_of_machine(id) ||
                                pt_param_group_of(id) == PT_GROUP_PREPARE;
        if (pt_params_set_by_user(e->own, id) && !may_differ)
            return pt_fail(err, PT_EINVAL,
                           "'%s' behind the name %s: it is the same for all machines; give `%s`",
                           pt_param_name(i), e->ops->name, pt_param_name(i));
    }
    return PT_OK;
}

/* The common grid as text, with the axes that this machine searches; searched[axis] tells that. */
static pt_status own_grid(const entrant *e, const pt_grid *grid, bool *searched, pt_error *err)
{
    PT_FREED_BY(pt_texts_free) pt_texts parts = {0};
    PT_SCRATCH char *text = NULL;
    size_t length = 1;
    for (int64_t a = 0; a < grid->n_axes; a++) {
        if (!uses(e, grid->axis[a]) || sets(e, grid->axis[a]))
            continue;
        searched[a] = true;
        PT_TRY(pt_texts_add(&parts, err, "%s%s=", parts.count ? "," : "",
                            pt_param_name((int64_t)grid->axis[a])));
        for (int64_t v = 0; v < grid->values[a].count; v++)
            PT_TRY(pt_texts_add(&parts, err, "%s%s", v ? "," : "", grid->values[a].items[v]));
    }
    for (int64_t i = 0; i < parts.count; i++)
        length += strlen(parts.items[i]);
    PT_TRY(PT_NEW_ZERO(text, (int64_t)length, "a grid", err));
    char *end = text;
    for (int64_t i = 0; i < parts.count; i++) {
        const size_t size = strlen(parts.items[i]);
        memcpy(end, parts.items[i], size);
        end += size;
    }
    return pt_params_set(e->all, "grid", text, err);
}

/* all <- own, and of the common ones what the machine uses. */
static pt_status merge(const entrant *e, bool *used, pt_error *err)
{
    for (int i = 0; i < PT_N_PARAMS; i++) {
        const pt_param_id id = (pt_param_id)i;
        const bool fits = !is_of_machine(id) || uses(e, id);
        used[i] = used[i] || fits;
        const bool own = pt_params_set_by_user(e->own, id);
        const bool common = pt_params_set_by_user(e->common, id) && fits && !sets(e, id);
        if (id == PT_P_MACHINE ? own : own || common)
            PT_TRY(pt_params_take(e->all, id, own ? e->own : e->common, err));
    }
    return PT_OK;
}

static pt_status enter(pt_params **out, const pt_params *common, const pt_grid *grid,
                       const char *machine, bool *used, bool *searched, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_FREED_BY(pt_params_free_at) pt_params *all = NULL;
    PT_TRY(pt_params_new(&own, err));
    PT_TRY(pt_params_offer(own, common, err));
    PT_TRY(pt_params_set(own, "machine", machine, err));
    PT_TRY(pt_params_new(&all, err));
    PT_TRY(pt_params_offer(all, common, err));
    entrant e = {.ops = pt_machine_find(pt_params_text(own, PT_P_MACHINE)),
                 .common = common,
                 .own = own,
                 .all = all,
                 .common_ridge = pt_params_set_by_user(common, PT_P_RIDGE)};
    if (!e.ops)
        return pt_fail(err, PT_EINVAL, "there is no machine '%s'",
                       pt_params_text(own, PT_P_MACHINE));
    PT_TRY(check_own(&e, err));
    for (int64_t a = 0; a < grid->n_axes; a++) {
        e.any_kernel = e.any_kernel || grid->axis[a] == PT_P_KERNEL;
        e.common_ridge = e.common_ridge || grid->axis[a] == PT_P_RIDGE;
    }
    PT_TRY(merge(&e, used, err));
    if (!pt_params_set_by_user(own, PT_P_GRID))
        PT_TRY(own_grid(&e, grid, searched, err));
    *out = pt_keep(&all);
    return PT_OK;
}

static pt_status check_used(const pt_params *common, const pt_grid *grid, const bool *used,
                            const bool *searched, pt_error *err)
{
    for (int i = 0; i < PT_N_PARAMS; i++)
        if (pt_params_set_by_user(common, (pt_param_id)i) && !used[i])
            return pt_fail(err, PT_EINVAL, "no machine uses `%s`", pt_param_name(i));
    for (int64_t a = 0; a < grid->n_axes; a++)
        if (!searched[a])
            return pt_fail(err, PT_EINVAL,
                           "`grid`: no machine searches '%s': none uses it, or each sets its own",
                           pt_param_name((int64_t)grid->axis[a]));
    return PT_OK;
}

pt_status pt_params_for_machines(pt_params **out, const pt_params *common,
                                 const char *const *machines, int64_t n, pt_error *err)
{
    bool used[PT_N_PARAMS] = {false};
    bool searched[PT_GRID_AXES] = {false};
    pt_grid grid = {0};
    pt_params **all = pt_alloc_zero(n, sizeof(pt_params *), "parameters", err);
    if (!all)
        return PT_ENOMEM;
    pt_status status = pt_grid_parse(&grid, pt_params_text(common, PT_P_GRID), common, err);
    for (int64_t m = 0; m < n && status == PT_OK; m++)
        status = enter(&all[m], common, &grid, machines[m], used, searched, err);
    if (status == PT_OK)
        status = check_used(common, &grid, used, searched, err);
    for (int64_t m = 0; m < n; m++)
        if (status == PT_OK)
            out[m] = all[m];
        else
            pt_params_free(all[m]);
    pt_grid_free(&grid);
    pt_free(all);
    return status;
}
