/* A kernel that the user has computed: row i of the data holds K(i, 1..n). */
#include "kernels/kernel.h"

const pt_kernel_ops pt_kernel_precomputed = {
    .name = "precomputed",
    .summary = "the data are kernel values: row i holds K(i, 1..n)",
    .parameters = "",
    .base = PT_BASE_ROW,
    .psd = false,
    .map = NULL,
};
