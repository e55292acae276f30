/* The linear kernel: x.z as it is. */
#include "kernels/kernel.h"

const pt_kernel_ops pt_kernel_linear = {
    .name = "linear",
    .summary = "x.z",
    .parameters = "",
    .base = PT_BASE_DOT,
    .linear = true,
    .psd = true,
    .map = NULL,
};
