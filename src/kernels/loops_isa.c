/* The loops of loops.h for one instruction set: PT_ISA is base, v3 or v4, and the compiler's
 * options go with it. loops_body.h holds the code, once for float and once for double. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/loops.h"

/* What exp and tanh need to know of a type: see loops_body.h. The polynomials interpolate
 *   EXP2_SERIES   2 (2^x - 1) / x    in Chebyshev points of |x| <= 1/2
 *   EXPM1_SERIES  (e^x - 1 - x)/x^2  in Chebyshev points of |x| <= ln(2)/2
 * and change the results by less than 8e-9 (float) and 2e-17 (double) relative. */
#define REAL float
#define ABSOLUTE(x) fabsf(x)
#define BITS uint32_t
#define FUSED fmaf
#define NAME(x) x##_f32
#define FRACTION 23
#define BIAS 127
#define ROUNDER 0x1.8p23F
#define TOP_MASK 0xfffff000U
#define LN2_HIGH 0x1.62ep-1F
#define LN2_LOW 0x1.0bfbe8p-15F
#define TANH_MOST 10.0F
#define EXP2_SERIES(x)                                               \
    (0x1.62e43p+0F + x * (0x1.ebfbep-2F + x * (0x1.c6af6cp-4F +      \
                                               x * (0x1.3b2a52p-6F + \
                                                    x * (0x1.5f0956p-9F + x * 0x1.441412p-12F)))))
#define EXPM1_SERIES(x) \
    (0x1p-1F +          \
     x * (0x1.5554dcp-3F + x * (0x1.555518p-5F + x * (0x1.120be2p-7F + x * 0x1.6d117cp-10F))))
#include "kernels/loops_body.h"

#undef REAL
#undef ABSOLUTE
#undef BITS
#undef FUSED
#undef NAME
#undef FRACTION
#undef BIAS
#undef ROUNDER
#undef TOP_MASK
#undef LN2_HIGH
#undef LN2_LOW
#undef TANH_MOST
#undef EXP2_SERIES
#undef EXPM1_SERIES

#define REAL double
#define ABSOLUTE(x) fabs(x)
#define BITS uint64_t
#define FUSED fma
#define NAME(x) x##_f64
#define FRACTION 52
#define BIAS 1023
#define ROUNDER 0x1.8p52
#define TOP_MASK 0xfffffffff8000000U
#define LN2_HIGH 0x1.62e42fefa2p-1
#define LN2_LOW 0x1.9ef35793c7673p-41
#define TANH_MOST 20.0
#define EXP2_SERIES(x)                                                    \
    (0x1.62e42fefa39efp+0 +                                               \
     x * (0x1.ebfbdff82c598p-2 +                                          \
          x * (0x1.c6b08d704a0c2p-4 +                                     \
               x * (0x1.3b2ab6fba1d76p-6 +                                \
                    x * (0x1.5d87fe78a524bp-9 +                           \
                         x * (0x1.430913098a106p-12 +                     \
                              x * (0x1.ffcbfc6724283p-16 +                \
                                   x * (0x1.62bfd427a44e9p-19 +           \
                                        x * (0x1.b524faa21725ep-23 +      \
                                             x * (0x1.e606dee7e5577p-27 + \
                                                  x * 0x1.e9d48637d76acp-31))))))))))
#define EXPM1_SERIES(x)                                              \
    (0x1.0000000000001p-1 +                                          \
     x * (0x1.5555555555556p-3 +                                     \
          x * (0x1.5555555553d37p-5 +                                \
               x * (0x1.11111111109a6p-7 +                           \
                    x * (0x1.6c16c1789d1d7p-10 +                     \
                         x * (0x1.a01a01a7cebcdp-13 +                \
                              x * (0x1.a019b8ca26fcfp-16 +           \
                                   x * (0x1.71de0d85293b8p-19 +      \
                                        x * (0x1.2891d4ffbb0f9p-22 + \
                                             x * 0x1.af390ba7e6f47p-26)))))))))
#include "kernels/loops_body.h"

#define PT_TEXT_(x) #x
#define PT_TEXT(x) PT_TEXT_(x)

extern const pt_isa PT_ISA_OWN(pt_isa);
const pt_isa PT_ISA_OWN(pt_isa) = {
    .name = PT_TEXT(PT_ISA),
    .f32 = {loop_exp_f32, loop_tanh_f32, loop_power_f32, loop_distance_f32, panel_l1_f32,
            panel_sparse_dot_f32, panel_sparse_l1_f32, row_dot_f32, row_l1_f32, row_rbf_f32,
            panel_norms_f32},
    .f64 = {loop_exp_f64, loop_tanh_f64, loop_power_f64, loop_distance_f64, panel_l1_f64,
            panel_sparse_dot_f64, panel_sparse_l1_f64, row_dot_f64, row_l1_f64, row_rbf_f64,
            panel_norms_f64},
};
