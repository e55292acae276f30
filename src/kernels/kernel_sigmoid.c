/* The sigmoid kernel tanh(x.z / sigma^2 + coef0): not positive semidefinite in general. */
#include "kernels/kernel.h"
#include "kernels/loops.h"
#include "kernels/scale.h"

static void sigmoid_map(const pt_kernel *kernel, pt_type type, void *value, int64_t count)
{
    const double scale = pt_kernel_scale(1, kernel->sigma, kernel->sigma, type);
    pt_loops_of(pt_isa_chosen(), type)->tanh(value, count, scale, kernel->coef0);
}

const pt_kernel_ops pt_kernel_sigmoid = {
    .name = "sigmoid",
    .summary = "tanh(x.z / sigma^2 + coef0)",
    .parameters = "sigma,coef0",
    .base = PT_BASE_DOT,
    .psd = false,
    .map = sigmoid_map,
};
