/* The loops of smo_loops.h for one instruction set (PT_ISA). */
#include "solvers/smo/smo_loops.h"

#include <math.h>
#include <string.h>

enum { LANES = PT_SMO_LANES }; /* 16: a vector of float32, or two of double, with AVX-512 */

#define ROW float
#define REAL float
#define INDEX int32_t
#define NAME(x) f32_##x
#include "solvers/smo/smo_loops_body.h"
#undef REAL
#undef INDEX
#undef NAME

#define REAL double
#define INDEX int64_t
#define NAME(x) mixed_##x
#include "solvers/smo/smo_loops_body.h"
#undef ROW
#undef NAME

#define ROW double
#define NAME(x) f64_##x
#include "solvers/smo/smo_loops_body.h"

const pt_smo_tables PT_ISA_OWN(pt_smo_tables) = {
    {f32_update, f32_second},
    {mixed_update, mixed_second},
    {f64_update, f64_second},
};
