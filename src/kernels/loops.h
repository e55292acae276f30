/* The loops over kernel values that BLAS does not have. Each is plain C, compiled once for every
 * instruction set (loops_isa.c) and chosen at run time. Arrays are of the type of the table. */
#ifndef PT_KERNELS_LOOPS_H
#define PT_KERNELS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"
#include "data/rows.h"

/* Rows of a panel that are worked on together: what fits into 256 bytes. */
#define PT_PANEL_BYTES 256

/* One row z and the panels it meets, of `width` features each. z has a value for each of them
 * (feature NULL), or for those listed and is 0 elsewhere. */
typedef struct pt_panel_row {
    const void *panel;
    int64_t panels;
    int64_t width;
    const int32_t *feature; /* ended by -1 */
    const void *value;
} pt_panel_row;

typedef struct pt_loops {
    /* value[i] <- exp(scale value[i]): at most 2 ulp where the result is normal. */
    void (*exp)(void *value, int64_t count, double scale);
    /* value[i] <- tanh(scale value[i] + shift) */
    void (*tanh)(void *value, int64_t count, double scale, double shift);
    /* value[i] <- (scale value[i] + shift)^degree, degree >= 1 */
    void (*power)(void *value, int64_t count, double scale, double shift, int64_t degree);
    /* dot[i] <- max(0, norm[i] + other - 2 dot[i]): squared distances from inner products. */
    void (*distance)(void *dot, int64_t count, const void *norm, double other);

    /* A panel holds some rows feature by feature: panel[f * lanes + r]. The value of one more row
     * z against all of them, added to sum[r], r < lanes:
     * dense L1: sum |panel_f - z_f| over `count` features, z_f = value[f]. */
    void (*panel_l1)(const void *panel, const void *value, int64_t count, void *sum);
    /* Sparse: z has features `feature` with values `value`; the panel has those with slot >= 0, in
     * row slot[feature]. sum += z_f panel_f. */
    void (*panel_sparse_dot)(const void *panel, const int32_t *slot, const int32_t *feature,
                             const void *value, int64_t count, void *sum);
    /* Sparse L1, what the features of z change in sum |panel|: sum += |panel_f - z_f| - |panel_f|.
     */
    void (*panel_sparse_l1)(const void *panel, const int32_t *slot, const int32_t *feature,
                            const void *value, int64_t count, void *sum);

    /* value (panels x lanes) <- x.z of all rows of the panels. */
    void (*row_dot)(const pt_panel_row *z, void *value);
    /* value <- sum |x - z|; z is not listed. */
    void (*row_l1)(const pt_panel_row *z, void *value);
    /* value <- exp(scale ||x - z||^2), from the squared norms of the rows and of z. */
    void (*row_rbf)(const pt_panel_row *z, const void *norm, double other, double scale,
                    void *value);
    /* norm (lanes) <- x.x for the rows of a panel, summed as row_dot sums. */
    void (*panel_norms)(const void *panel, int64_t width, void *norm);
} pt_loops;

typedef struct pt_isa {
    const char *name; /* "base", "v3", "v4" */
    pt_loops f32;
    pt_loops f64;
} pt_isa;

extern const pt_isa *const pt_isas[]; /* those built in, by level, ended by NULL */
bool pt_isa_runs(const pt_isa *isa);  /* on this processor */
const pt_isa *pt_isa_chosen(void);    /* of the level that base/isa.h has chosen */
const pt_loops *pt_loops_of(const pt_isa *isa, pt_type type);
/* For tests: use this one from now on, all loops of its level. Not while others compute. */
void pt_isa_force(const pt_isa *isa);

#endif
