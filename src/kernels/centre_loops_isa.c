/* The loops of centre_loops.h for one instruction set (PT_ISA). centre_loops_body.h holds the code,
 * once for float and once for double. */
#include "kernels/centre_loops.h"
#include "kernels/loops.h"

/* Bytes of a vector; of a panel so many vectors are summed together, for ROWS rows: as many sums as
 * there are registers for, and enough that none waits for the one before. */
enum { ROWS = 4 };
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define VECTORS 4
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#define VECTORS 2
#else
#define VECTOR_BYTES 16
#define VECTORS 2
#endif

#define ALWAYS static inline __attribute__((always_inline))

#define REAL float
#define BITS uint32_t
#define NAME(x) x##_f32
#include "kernels/centre_loops_body.h"
#undef REAL
#undef BITS
#undef NAME
#define REAL double
#define BITS uint64_t
#define NAME(x) x##_f64
#include "kernels/centre_loops_body.h"

extern const pt_centre_tables PT_ISA_OWN(pt_centre_tables);
const pt_centre_tables PT_ISA_OWN(pt_centre_tables) = {
    .f32 = {panel_dot_f32, panel_l1_f32, panel_distance_f32, row_norms_f32, weigh_f32,
            weigh_sparse_f32},
    .f64 = {panel_dot_f64, panel_l1_f64, panel_distance_f64, row_norms_f64, weigh_f64,
            weigh_sparse_f64},
};
