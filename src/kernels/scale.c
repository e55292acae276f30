/* Factors of kernel maps, kept within the range of the type they are used in. */
#include "kernels/scale.h"

#include <float.h>

double pt_kernel_scale(double numerator, double a, double b, pt_type type)
{
    /* A quarter: exp multiplies it by 1 / ln 2. */
    const double largest = (type == PT_F32 ? (double)FLT_MAX : DBL_MAX) / 4;
    const double scale = numerator / a / b; /* a * b might underflow to 0 */
    return scale < largest ? scale : largest;
}
