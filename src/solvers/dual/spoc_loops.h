/* The inner loops of SPOC, compiled for every instruction set.
 *
 * The gradient of PT_SPOC_CHUNK examples lies together, class-major: class r of example i is at
 * G[r * PT_SPOC_CHUNK + i]. A block of a few examples lies row-major, ld numbers for each. */
#ifndef PT_SOLVERS_DUAL_SPOC_LOOPS_H
#define PT_SOLVERS_DUAL_SPOC_LOOPS_H

#include "base/isa.h"
#include "data/rows.h"
#include "solvers/dual/dual_parts.h"
#include "solvers/dual/sparse_rows.h"

enum { PT_SPOC_CHUNK = 512 };

/* What a pass over a chunk finds. */
typedef struct pt_spoc_sums {
    double gap;     /* sum_i sum_r eta_ir (max_s g_is - g_ir) */
    double largest; /* violation max_s g_is - min_{r: eta_ir > 0} g_ir */
} pt_spoc_sums;

/* A block of examples and its small problem. Numbers beyond k are -1e300 in g and 0 in eta. */
typedef struct pt_spoc_block {
    int64_t count;
    int64_t k;
    int64_t ld;          /* k rounded up to a multiple of 8 */
    const double *K;     /* count x PT_BLOCK */
    const double *curve; /* count: K_pp */
    const double *step;  /* count: 1 / K_pp; 0 where that is 0 */
    const double *total; /* count: C_p */
    const int64_t *own;  /* count: the class of p */
    double *g;           /* count x ld */
    double *eta;         /* count x ld; WW: the own class has the others' sum, negative */
    double *work;        /* 2 ld */
} pt_spoc_block;

/* The loops of one instruction set; names: type of the kernel values, type of the gradient. */
typedef struct pt_spoc_loops {
    /* G[i] += sum_c coef[c] row[c][i], i < width. */
    void (*update_f32_f32)(const void *const *row, const double *coef, int64_t count, int64_t width,
                           void *G);
    void (*update_f32_f64)(const void *const *row, const double *coef, int64_t count, int64_t width,
                           void *G);
    void (*update_f64_f64)(const void *const *row, const double *coef, int64_t count, int64_t width,
                           void *G);
    /* largest[i] <- max_r G[r][i], i < PT_SPOC_CHUNK. */
    void (*max_f32)(const float *G, int64_t k, float *largest);
    void (*max_f64)(const double *G, int64_t k, double *largest);
    /* As well sum[i] <- sum_r max(G[r][i] - own[i], 0). */
    void (*excess_f32)(const float *G, int64_t k, const float *own, float *largest, float *sum);
    void (*excess_f64)(const double *G, int64_t k, const double *own, double *largest, double *sum);
    /* G <- G + step (G - past), past <- G as it was. */
    void (*leap_f32)(float *G, float *past, double step, int64_t count);
    void (*leap_f64)(double *G, double *past, double step, int64_t count);
    /* Every example of the block in turn gets the best eta while the others stand still; returns
     * what the dual objective rises by. For CS, and for WW. */
    double (*sweep)(const pt_spoc_block *block);
    double (*sweep_boxes)(const pt_spoc_block *block);
} pt_spoc_loops;

PT_ISA_CHOSEN(pt_spoc_loops, pt_spoc_loops, pt_spoc_loops_chosen)

#endif
