/* The loops of class_weights.h for one instruction set (PT_ISA).
 *
 * Vectors are written as such (the vector types of gcc and clang, no intrinsics): the compiler
 * splits a vector of eight into what the processor has. Three kinds: rows of float and of double
 * with M and all sums in double; `low`, rows of float with M and sums in float. The order of every
 * sum is fixed by the data. */
#include <string.h>

#include "solvers/dual/class_weights.h"

enum {
    W = PT_CLASS_LANES,
    MOST = 8 /* vectors of one feature that are worked on together; more go class by class */
};

typedef double lanes_t __attribute__((vector_size(W * sizeof(double)), aligned(8), may_alias));
typedef float lanes_f32 __attribute__((vector_size(W * sizeof(float)), aligned(4), may_alias));

#define AT(place) (*(const lanes_t *)(place))
#define ALWAYS static inline __attribute__((always_inline))

#define SUM_OF(v) \
    ((((v)[0] + (v)[1]) + ((v)[2] + (v)[3])) + (((v)[4] + (v)[5]) + ((v)[6] + (v)[7])))
#define FLOATS(x) (*(const lanes_f32 *)(x))
#define DOUBLES(x) __builtin_convertvector(FLOATS(x), lanes_t)

#define T float
#define R double
#define V lanes_t
#define FIELD M
#define WIDE(x) DOUBLES(x)
#define NAME(f) f##_f32
#include "solvers/dual/class_weights_body.h"
#undef T
#undef WIDE
#undef NAME

#define T double
#define WIDE(x) AT(x)
#define NAME(f) f##_f64
#include "solvers/dual/class_weights_body.h"
#undef NAME
#define NAME(f) f##_whole
#include "solvers/dual/class_weights_whole_body.h"
#undef T
#undef R
#undef V
#undef FIELD
#undef WIDE
#undef NAME

#define T float
#define R float
#define V lanes_f32
#define FIELD low
#define WIDE(x) FLOATS(x)
#define NAME(f) f##_low
#include "solvers/dual/class_weights_body.h"
#undef WIDE
#undef NAME
#define WIDE(x) DOUBLES(x)
#define NAME(f) f##_whole_low
#include "solvers/dual/class_weights_whole_body.h"

static void narrow(const double *from, int64_t count, float *to)
{
    for (int64_t c = 0; c < count; c++)
        to[c] = (float)from[c];
}

#define LOOPS(kind)                                           \
    {                                                         \
        scores_##kind, add_##kind, apart_##kind, shift_##kind \
    }
const pt_class_tables PT_ISA_OWN(pt_class_tables) = {
    {{LOOPS(by_class_f32), LOOPS(by_class_f64), LOOPS(by_class_low)},
     {LOOPS(dense_f32), LOOPS(dense_f64), LOOPS(dense_low)},
     {LOOPS(sparse_f32), LOOPS(sparse_f64), LOOPS(sparse_low)}},
    square_whole,
    square_whole_low,
    way_whole,
    way_whole_low,
    leap_whole,
    leap_whole_low,
    narrow};
