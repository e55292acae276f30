/* The table of kernels, the map of a block; from parameters to a kernel (kernel_params.h). */
#include "kernels/kernel.h"

#include <math.h>
#include <string.h>

#include "base/registry.h"
#include "kernels/kernel_params.h"
#include "kernels/own_kernel.h"

const pt_kernel_ops *const pt_kernels[] = {
#define PT_ENTRY(entry, name) &pt_kernel_##entry,
#include "registry/kernels.def"
#undef PT_ENTRY
    NULL};

PT_REGISTRY_FIND(pt_kernel_find, pt_kernel_ops, pt_kernels)

static void add(double shift, pt_type type, void *value, int64_t count)
{
    for (int64_t c = 0; c < count && type == PT_F32; c++)
        ((float *)value)[c] += (float)shift;
    for (int64_t c = 0; c < count && type == PT_F64; c++)
        ((double *)value)[c] += shift;
}

void pt_kernel_map(const pt_kernel *kernel, pt_type type, int64_t m, int64_t n, void *block,
                   int64_t ld)
{
    if ((!kernel->ops->map && kernel->shift == 0) || m <= 0)
        return;
    const bool whole = ld == m; /* no gaps between columns */
    const int64_t columns = whole ? (n > 0 ? 1 : 0) : n;
    const int64_t count = whole ? m * n : m;
    for (int64_t j = 0; j < columns; j++) {
        void *value = (char *)block + j * ld * (int64_t)pt_type_size(type);
        if (kernel->ops->map)
            kernel->ops->map(kernel, type, value, count);
        if (kernel->shift != 0)
            add(kernel->shift, type, value, count);
    }
}

/* ---- parameters ------------------------------------------------------------------------------ */

bool pt_kernel_uses(const pt_kernel_ops *ops, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = ops->parameters; (at = strstr(at, name)); at += length) {
        const bool begins = at == ops->parameters || at[-1] == ',';
        if (begins && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

const pt_kernel_ops *pt_kernel_of(const pt_params *params)
{
    const pt_kernel_ops *own = pt_own_kernel_of(params);
    return own ? own : pt_kernel_find(pt_params_text(params, PT_P_KERNEL));
}

const pt_kernel_ops *pt_kernel_named(const pt_params *params, bool sparse)
{
    return pt_params_is_auto(params, PT_P_KERNEL) ? pt_kernel_find(sparse ? "linear" : "rbf")
                                                  : pt_kernel_of(params);
}

bool pt_kernel_is_precomputed(const pt_params *params)
{
    const pt_kernel_ops *ops = pt_kernel_of(params);
    return ops && ops->base == PT_BASE_ROW;
}

bool pt_kernel_is_joint(const pt_params *params)
{
    const pt_kernel_ops *ops = pt_kernel_of(params);
    return ops && ops->joint;
}

pt_status pt_kernel_from_params(pt_kernel *out, const pt_params *params, pt_error *err)
{
    const pt_kernel_ops *ops = pt_kernel_of(params);
    if (!ops)
        return pt_fail(err, PT_EINVAL, "there is no kernel '%s'",
                       pt_params_text(params, PT_P_KERNEL));
    pt_kernel kernel = {.ops = ops, .sigma = 1, .coef0 = 0, .degree = 1};
    if (pt_kernel_uses(ops, "rbf-gamma") && pt_params_set_by_user(params, PT_P_RBF_GAMMA))
        kernel.sigma = sqrt(0.5 / pt_params_real(params, PT_P_RBF_GAMMA));
    else if (pt_kernel_uses(ops, "sigma"))
        kernel.sigma = pt_params_real(params, PT_P_SIGMA);
    if (pt_kernel_uses(ops, "coef0"))
        kernel.coef0 = pt_params_real(params, PT_P_COEF0);
    if (pt_kernel_uses(ops, "degree"))
        kernel.degree = pt_params_integer(params, PT_P_DEGREE);
    if (!(kernel.sigma > 0 && isfinite(kernel.sigma)))
        return pt_fail(err, PT_EINVAL, "sigma must be a positive number, not %g", kernel.sigma);
    *out = kernel;
    return PT_OK;
}

pt_status pt_kernel_check_start(const pt_params *params, pt_error *err)
{
    const pt_kernel_ops *ops = pt_kernel_named(params, false);
    return ops && ops->linear
               ? pt_fail(err, PT_EINVAL,
                         "`start`: with `kernel=linear` a model keeps weights of columns, not the "
                         "coefficients of rows that its dual would begin with; with other kernels "
                         "it can")
               : PT_OK;
}

pt_status pt_kernel_settle(pt_params *params, bool sparse, pt_error *err)
{
    return pt_params_is_auto(params, PT_P_KERNEL)
               ? pt_params_set(params, "kernel", pt_kernel_named(params, sparse)->name, err)
               : PT_OK;
}

bool pt_sigma_is_auto(const pt_params *params)
{
    return pt_kernel_uses(pt_kernel_of(params), "sigma") && pt_params_is_auto(params, PT_P_SIGMA) &&
           !pt_params_set_by_user(params, PT_P_RBF_GAMMA);
}
