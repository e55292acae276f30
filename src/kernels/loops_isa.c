/* The loops of loops.h for one instruction set: PT_ISA is base, v3 or v4, and the compiler's
 * options go with it. loops_body.h holds the code, once for float and once for double. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/loops.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define REAL float
#define NAME(x) x##_f32
#include "kernels/loops_body.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) x##_f64
#include "kernels/loops_body.h"
#undef REAL
#undef NAME

#define PT_TEXT_(x) #x
#define PT_TEXT(x) PT_TEXT_(x)

extern const pt_isa JOIN(pt_isa_, PT_ISA);
const pt_isa JOIN(pt_isa_, PT_ISA) = {
    .name = PT_TEXT(PT_ISA),
    .f32 = {loop_exp_f32, loop_tanh_f32, loop_power_f32, loop_distance_f32, panel_l1_f32,
            panel_sparse_dot_f32, panel_sparse_l1_f32},
    .f64 = {loop_exp_f64, loop_tanh_f64, loop_power_f64, loop_distance_f64, panel_l1_f64,
            panel_sparse_dot_f64, panel_sparse_l1_f64},
};
