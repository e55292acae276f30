/* The Gaussian kernel exp(-||x-z||^2 / (2 sigma^2)). */
#include "kernels/kernel.h"
#include "kernels/loops.h"
#include "kernels/scale.h"

static void rbf_map(const pt_kernel *kernel, pt_type type, void *value, int64_t count)
{
    const double scale = -pt_kernel_scale(0.5, kernel->sigma, kernel->sigma, type);
    pt_loops_of(pt_isa_chosen(), type)->exp(value, count, scale);
}

const pt_kernel_ops pt_kernel_rbf = {
    .name = "rbf",
    .summary = "exp(-||x-z||^2 / (2 sigma^2))",
    .parameters = "sigma,rbf-gamma",
    .base = PT_BASE_SQUARED_DISTANCE,
    .psd = true,
    .map = rbf_map,
};
