/* The polynomial kernel (x.z / sigma^2 + coef0)^degree. */
#include "kernels/kernel.h"
#include "kernels/loops.h"
#include "kernels/scale.h"

static void poly_map(const pt_kernel *kernel, pt_type type, void *value, int64_t count)
{
    const double scale = pt_kernel_scale(1, kernel->sigma, kernel->sigma, type);
    pt_loops_of(pt_isa_chosen(), type)->power(value, count, scale, kernel->coef0, kernel->degree);
}

const pt_kernel_ops pt_kernel_poly = {
    .name = "poly",
    .summary = "(x.z / sigma^2 + coef0)^degree",
    .parameters = "sigma,degree,coef0",
    .base = PT_BASE_DOT,
    .psd = true,
    .map = poly_map,
};
