/* The table of kernels, and the map of a block. */
#include "kernels/kernel.h"

#include "base/registry.h"

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
