/* The Laplacian kernel exp(-||x-z||_1 / sigma). */
#include "kernels/kernel.h"
#include "kernels/loops.h"
#include "kernels/scale.h"

static void laplacian_map(const pt_kernel *kernel, pt_type type, void *value, int64_t count)
{
    const double scale = -pt_kernel_scale(1, kernel->sigma, 1, type);
    pt_loops_of(pt_isa_chosen(), type)->exp(value, count, scale);
}

const pt_kernel_ops pt_kernel_laplacian = {
    .name = "laplacian",
    .summary = "exp(-||x-z||_1 / sigma)",
    .parameters = "sigma",
    .base = PT_BASE_L1_DISTANCE,
    .psd = true,
    .map = laplacian_map,
};
