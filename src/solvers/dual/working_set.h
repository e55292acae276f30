/* A dual problem by kernel values on a working set that grows.
 *
 * Of many examples few matter in the end: most variables stay at 0. So the problem is solved on a
 * working set A only, with the kernel values of A held; then the gradient of all examples is
 * formed, in double, from blocks of kernel values that are used and forgotten; those with most to
 * gain join A, those that are 0 and want to stay so leave it; until the gap of all is small. Early
 * rounds are solved roughly. This is shrinking turned around: nothing is ever computed for an
 * example that does not want to move but its gradient, once a round.
 *
 *   A   m of n   ascending; it begins as a sample of every group (class) of examples
 *
 * Memory: m^2 kernel values, or a cache where these do not fit into `bytes`. */
#ifndef PT_SOLVERS_DUAL_WORKING_SET_H
#define PT_SOLVERS_DUAL_WORKING_SET_H

#include "base/alloc.h"
#include "kernels/kernel_store.h"
#include "solvers/dual/dual_parts.h"

typedef struct pt_working_set pt_working_set;

enum { PT_KERNEL_BLOCK_ROWS = 512, PT_KERNEL_BLOCK_COLUMNS = PT_BLOCK };

/* Kernel values of rows `first`.. with the support at..: row r and column c at c * height + r, of
 * the rows' type. */
typedef struct pt_kernel_block {
    int64_t first;
    int64_t height; /* PT_KERNEL_BLOCK_ROWS, but of the last */
    int64_t at;
    int64_t columns;
    const char *values;
} pt_kernel_block;

/* What a problem is to its working set. */
typedef struct pt_working_rules {
    int64_t whole;      /* up to so many examples A is all of them from the beginning */
    int64_t least_room; /* for examples that join A: as many as it keeps, or so many */
    /* Whether variables of example i are not 0. */
    bool (*is_support)(const pt_working_set *w, int64_t i);
    /* The group of example i; -1: it never moves. */
    int64_t (*group_of)(const pt_working_set *w, int64_t i);
    /* The gradient <- what it is without kernel values; w->support is listed. */
    pt_status (*begin_gradient)(pt_working_set *w, pt_error *err);
    /* Adds a block to it: those of the same rows come one after the other in the order of the
     * support, others at the same time. */
    void (*add_block)(pt_working_set *w, const pt_kernel_block *block);
    /* w->end and w->gain <- what it says. */
    void (*measure)(pt_working_set *w);
    /* Solves on A to the relative gap w->aim; the store is of the rows of A. */
    pt_status (*solve)(pt_working_set *w, pt_kernel_store *store, const pt_task *task,
                       pt_error *err);
    /* Whether a limit is reached. */
    bool (*is_over)(const pt_working_set *w, const pt_task *task);
} pt_working_rules;

/* Zero-initialise; free it always. Problems have it as the first member of their own. */
struct pt_working_set {
    const pt_working_rules *rules;
    const pt_rows *rows; /* of all examples */
    const pt_kernel *kernel;
    double bytes; /* for kernel values of A */
    int64_t groups;

    pt_arena arena;
    pt_gram *gram;
    double *diagonal; /* n: k(x_i, x_i) */
    double *gain;     /* n: what the dual rises by when an example alone moves */
    int64_t *A;       /* n, of which m count */
    int64_t m;
    int64_t *support; /* n: where variables are not 0, at the last measurement */
    int64_t n_support;
    double aim; /* the relative gap to which A is solved next */
    bool last;  /* all that want to move are in A */
    pt_dual_end end;
};

/* w->rules, rows, kernel, bytes, groups and end.asked are set. */
pt_status pt_working_set_init(pt_working_set *w, const pt_task *task, pt_error *err);
void pt_working_set_free(pt_working_set *w);

/* A <- a sample, solved roughly; nothing where the variables are a start already. */
pt_status pt_working_set_begin(pt_working_set *w, const pt_task *task, pt_error *err);
/* Rounds, until the gap is small, or neither falls any more nor does the value rise. `stage` is for
 * progress, NULL: none. */
pt_status pt_working_set_grow(pt_working_set *w, const char *stage, const pt_task *task,
                              pt_error *err);

#endif
