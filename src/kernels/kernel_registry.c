/* The kernels, and the map of a block. */
#include "kernels/kernel.h"

#include <string.h>

extern const pt_kernel_ops pt_kernel_linear;
extern const pt_kernel_ops pt_kernel_poly;
extern const pt_kernel_ops pt_kernel_rbf;
extern const pt_kernel_ops pt_kernel_laplacian;
extern const pt_kernel_ops pt_kernel_sigmoid;
extern const pt_kernel_ops pt_kernel_precomputed;
extern const pt_kernel_ops pt_kernel_joint;

const pt_kernel_ops *const pt_kernels[] = {
    &pt_kernel_linear,  &pt_kernel_poly,        &pt_kernel_rbf,   &pt_kernel_laplacian,
    &pt_kernel_sigmoid, &pt_kernel_precomputed, &pt_kernel_joint, NULL,
};

const pt_kernel_ops *pt_kernel_find(const char *name)
{
    for (int i = 0; pt_kernels[i]; i++)
        if (strcmp(pt_kernels[i]->name, name) == 0)
            return pt_kernels[i];
    return NULL;
}

void pt_kernel_map(const pt_kernel *kernel, pt_type type, int64_t m, int64_t n, void *block,
                   int64_t ld)
{
    if (!kernel->ops->map || m <= 0)
        return;
    const bool whole = ld == m; /* no gaps between columns */
    const int64_t columns = whole ? (n > 0 ? 1 : 0) : n;
    const int64_t count = whole ? m * n : m;
    for (int64_t j = 0; j < columns; j++)
        kernel->ops->map(kernel, type, (char *)block + j * ld * (int64_t)pt_type_size(type), count);
}
