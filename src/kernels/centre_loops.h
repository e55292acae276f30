/* The loops of predictions: new rows meet centres, and what comes of it meets coefficients. One
 * source for every instruction set (centre_loops_isa.c), arrays of the type of the table.
 *
 * Every sum is formed in an order of its own, whichever rows it is formed beside: so a row has the
 * same scores alone and among others, which BLAS, whose order depends on the shape, does not give.
 *
 *   panel   width x lanes   PT_PANEL_BYTES of centres side by side, feature by feature (loops.h)
 *   rows    n x width       new rows, `stride` apart
 *   values  n x lanes       base or kernel values of the rows with the centres of one panel */
#ifndef PT_KERNELS_CENTRE_LOOPS_H
#define PT_KERNELS_CENTRE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/isa.h"
#include "data/rows.h"

/* weigh: outputs that are summed together; what lies behind coef and out is read and written up to
 * so many bytes. */
#define PT_STRIP_BYTES 128

typedef struct pt_centre_loops {
    /* values <- x.z, feature after feature; `more`: added to what is there, for the features that
     * follow. */
    void (*dot)(const void *panel, int64_t width, const void *rows, int64_t stride, int64_t n,
                bool more, void *values);
    /* values <- sum |x - z|, in the same way. */
    void (*l1)(const void *panel, int64_t width, const void *rows, int64_t stride, int64_t n,
               bool more, void *values);
    /* values <- max(0, norm + own - 2 values): squared distances, norm of the panel's centres and
     * own of the n rows. */
    void (*distance)(void *values, int64_t n, const void *norm, const void *own);
    /* norm[i] <- x_i.x_i, summed as `dot` sums, so that a row is at distance 0 from itself. */
    void (*norms)(const void *rows, int64_t stride, int64_t n, int64_t width, void *norm);
    /* out (n rows, `ld` apart, of `outputs` numbers, at most PT_STRIP_BYTES of them)
     * <- sum over t < count of values[i * stride + t * next] coef[t * step + s], in the order of t;
     * `add`: and what is there. */
    void (*weigh)(const void *values, int64_t stride, int64_t next, int64_t n, int64_t count,
                  const void *coef, int64_t step, int64_t outputs, bool add, void *out, int64_t ld);
    /* The same for one row of `type`, taken as the table's, that is 0 but at index[t]:
     * coef[index[t] * step + s]. */
    void (*weigh_sparse)(const void *values, pt_type type, const int64_t *index, int64_t count,
                         const void *coef, int64_t step, int64_t outputs, void *out);
} pt_centre_loops;

typedef struct pt_centre_tables {
    pt_centre_loops f32;
    pt_centre_loops f64;
} pt_centre_tables;

PT_ISA_CHOSEN(pt_centre_tables, pt_centre_tables, pt_centre_tables_chosen)

static inline const pt_centre_loops *pt_centre_loops_of(pt_type type)
{
    const pt_centre_tables *tables = pt_centre_tables_chosen();
    return type == PT_F32 ? &tables->f32 : &tables->f64;
}

/* Centres of a panel; outputs of a strip. */
static inline int64_t pt_panel_lanes(pt_type type)
{
    return 256 / (int64_t)pt_type_size(type);
}
static inline int64_t pt_strip_outputs(pt_type type)
{
    return PT_STRIP_BYTES / (int64_t)pt_type_size(type);
}

#endif
