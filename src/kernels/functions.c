/* The kernels: a base quantity of two rows (kernel.h) and a map of it. */
#include "kernels/kernel.h"

#include <float.h>

#include "kernels/loops.h"

double pt_kernel_scale(double numerator, double a, double b, pt_type type)
{
    /* A quarter: exp multiplies it by 1 / ln 2. */
    const double largest = (type == PT_F32 ? (double)FLT_MAX : DBL_MAX) / 4;
    const double scale = numerator / a / b; /* a * b might underflow to 0 */
    return scale < largest ? scale : largest;
}

/* The linear kernel: x.z as it is. */
const pt_kernel_ops pt_kernel_linear = {
    .name = "linear",
    .summary = "x.z",
    .parameters = "",
    .base = PT_BASE_DOT,
    .linear = true,
    .psd = true,
    .map = NULL,
};

/* The polynomial kernel (x.z / sigma^2 + coef0)^degree. */
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

/* The Gaussian kernel exp(-||x-z||^2 / (2 sigma^2)). */
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

/* The Laplacian kernel exp(-||x-z||_1 / sigma). */
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

/* The sigmoid kernel tanh(x.z / sigma^2 + coef0): not positive semidefinite in general. */
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

/* A kernel that the user has computed: row i of the data holds K(i, 1..n). */
const pt_kernel_ops pt_kernel_precomputed = {
    .name = "precomputed",
    .summary = "the data are kernel values: row i holds K(i, 1..n)",
    .parameters = "",
    .base = PT_BASE_ROW,
    .psd = false,
    .map = NULL,
};

/* A joint kernel of inputs and outputs that the user has computed (HNR section 7.2): row i of the
 * data has a block of n values for each class, J((x_i, r), (x_j, y_j)) in block r, column j. */
const pt_kernel_ops pt_kernel_joint = {
    .name = "joint",
    .summary = "the data are values of a joint kernel: n for each class, J((x_i, r), (x_j, y_j))",
    .parameters = "",
    .base = PT_BASE_ROW,
    .joint = true,
    .psd = false,
    .map = NULL,
};
