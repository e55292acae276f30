/* k(x, z) + 1: see kernel_plus_one.h. A kernel is its base and a map, so that its twin has the same
 * base and a map that adds 1 in the end. */
#include "kernels/kernel_plus_one.h"

static void add_one(pt_type type, void *value, int64_t count)
{
    if (type == PT_F32)
        for (int64_t c = 0; c < count; c++)
            ((float *)value)[c] += 1;
    else
        for (int64_t c = 0; c < count; c++)
            ((double *)value)[c] += 1;
}

/* The twin is positive semidefinite where k is, and linear in no case. */
#define TWIN(kernel_name, its_parameters, its_base, is_psd)                            \
    extern const pt_kernel_ops pt_kernel_##kernel_name;                                \
    static void kernel_name##_map(const pt_kernel *kernel, pt_type type, void *value,  \
                                  int64_t count)                                       \
    {                                                                                  \
        if (pt_kernel_##kernel_name.map)                                               \
            pt_kernel_##kernel_name.map(kernel, type, value, count);                   \
        add_one(type, value, count);                                                   \
    }                                                                                  \
    static const pt_kernel_ops kernel_name##_plus_one = {.name = #kernel_name " + 1",  \
                                                         .summary = "for solvers",     \
                                                         .parameters = its_parameters, \
                                                         .base = its_base,             \
                                                         .psd = is_psd,                \
                                                         .map = kernel_name##_map}

TWIN(linear, "", PT_BASE_DOT, true);
TWIN(poly, "sigma,degree,coef0", PT_BASE_DOT, true);
TWIN(rbf, "sigma,rbf-gamma", PT_BASE_SQUARED_DISTANCE, true);
TWIN(laplacian, "sigma", PT_BASE_L1_DISTANCE, true);
TWIN(sigmoid, "sigma,coef0", PT_BASE_DOT, false);

static const struct {
    const pt_kernel_ops *of;
    const pt_kernel_ops *twin;
} TWINS[] = {{&pt_kernel_linear, &linear_plus_one},
             {&pt_kernel_poly, &poly_plus_one},
             {&pt_kernel_rbf, &rbf_plus_one},
             {&pt_kernel_laplacian, &laplacian_plus_one},
             {&pt_kernel_sigmoid, &sigmoid_plus_one}};

pt_kernel pt_kernel_plus_one(const pt_kernel *kernel)
{
    pt_kernel twin = *kernel;
    twin.ops = NULL;
    for (size_t c = 0; c < sizeof TWINS / sizeof *TWINS; c++)
        if (TWINS[c].of == kernel->ops)
            twin.ops = TWINS[c].twin;
    return twin;
}
