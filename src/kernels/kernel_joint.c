/* A joint kernel of inputs and outputs that the user has computed (HNR section 7.2): row i of the
 * data has a block of n values for each class, J((x_i, r), (x_j, y_j)) in block r, column j. */
#include "kernels/kernel.h"

const pt_kernel_ops pt_kernel_joint = {
    .name = "joint",
    .summary = "the data are values of a joint kernel: n for each class, J((x_i, r), (x_j, y_j))",
    .parameters = "",
    .base = PT_BASE_ROW,
    .joint = true,
    .psd = false,
    .map = NULL,
};
