/* The two passes of SMO over its variables, compiled for every instruction set.
 *
 * v = y - K beta, beta_i = y_i a_i, is kept twice: in `up` with -infinity for what may not rise, in
 * `low` with +infinity for what may not fall. So the sets need no masks: the infinite stay what
 * they are, whatever finite is added. Arrays are as long as pt_smo_padded says, filled up with
 * infinities; rows of K need not be. */
#ifndef PT_SOLVERS_SMO_SMO_LOOPS_H
#define PT_SOLVERS_SMO_SMO_LOOPS_H

#include "base/isa.h"
#include "base/math.h"
#include "data/rows.h"

/* Two rows of K and what beta changes by there. */
typedef struct pt_smo_move {
    const void *row[2];
    double by[2];
} pt_smo_move;

/* The largest of up and its first place, and the smallest of low. */
typedef struct pt_smo_ends {
    double up;
    int64_t at_up;
    double low;
} pt_smo_ends;

/* The candidates for the second variable. */
typedef struct pt_smo_second {
    const void *low;
    const void *diagonal; /* K_kk */
    const void *row;      /* K_ik of the first, i */
    double v;             /* of the first */
    double curve;         /* K_ii */
} pt_smo_second;

/* The loops for one type of rows and one of v. */
typedef struct pt_smo_loops {
    /* up, low -= sum_r by[r] row[r], n values; then the ends of them. */
    void (*update)(void *up, void *low, const pt_smo_move *move, int64_t n, pt_smo_ends *ends);
    /* The largest (v - low_k)^2 / curvature and its place; -1 where no low_k is below v. */
    void (*second)(const pt_smo_second *s, int64_t n, double *gain, int64_t *at);
} pt_smo_loops;

typedef struct pt_smo_tables {
    pt_smo_loops f32;   /* all float32 */
    pt_smo_loops mixed; /* rows in float32, v in double */
    pt_smo_loops f64;
} pt_smo_tables;

PT_ISA_CHOSEN(pt_smo_tables, pt_smo_tables, pt_smo_tables_chosen)
static inline const pt_smo_loops *pt_smo_loops_chosen(pt_type rows, pt_type v)
{
    const pt_smo_tables *chosen = pt_smo_tables_chosen();
    return rows == PT_F64 ? &chosen->f64 : v == PT_F64 ? &chosen->mixed : &chosen->f32;
}

/* The curvature along a pair of variables is taken to be at least this: a kernel may be indefinite,
 * and rows may be equal. */
#define PT_SMO_LEAST_CURVE 1e-12

/* Rows of K come from memory, mostly, and the processor sees only after a while where one goes: its
 * beginning is asked for at once, the rest so much ahead of its use. */
enum { PT_SMO_AHEAD = 1024, PT_SMO_LINE = 64 }; /* bytes */

enum { PT_SMO_LANES = 16 };
static inline int64_t pt_smo_padded(int64_t n)
{
    return pt_round_up(n, PT_SMO_LANES);
}

#endif
