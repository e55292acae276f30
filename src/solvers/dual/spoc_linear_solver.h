/* What the files spoc_linear*.c share. */
#ifndef PT_SOLVERS_DUAL_SPOC_LINEAR_SOLVER_H
#define PT_SOLVERS_DUAL_SPOC_LINEAR_SOLVER_H

#include "base/random.h"
#include "solvers/dual/spoc_linear.h"
#include "solvers/dual/spoc_linear_loops.h"
#include "solvers/dual/spoc_solver.h"

enum {
    PT_SPOC_LISTED = 64,  /* classes of an example that could enter its support, at most */
    PT_SPOC_TOGETHER = 16 /* examples that are visited one after the other, where they are mixed */
};

typedef struct pt_spoc_linear_solver {
    const pt_spoc *p;
    const pt_class_tables *tables;
    const pt_class_loops *loops; /* of the M that moves: in float while `low`, */
    const pt_class_loops *exact; /* and of the one that is measured */
    bool low;
    pt_class_weights weights;
    pt_sparse_rows *eta; /* between two measurements also with entries of 0: classes to look at */
    int64_t *listed;     /* n: the examples that this stage began with */
    int64_t n_listed;
    int64_t *active; /* n: those of them that still move */
    int64_t m;
    int64_t *order; /* n, and room for numbers of blocks: active ones as they are visited; NULL:
                      * one by one (spoc_linear_order.c) */
    uint8_t *stays; /* n: whether an example that was visited stays active */
    pt_random random;
    pt_sparse_rows past; /* eta of the listed ones, ... */
    double *past_M;      /* ... and M, where the next leap begins; while `low` its place has ... */
    float *past_low;     /* ... weights.low, and this */
    double *g;           /* k, padded; gradients of one example, */
    double *next;        /* its eta, */
    double *change;      /* its change of tau, */
    double *work;        /* of the projection; */
    pt_entry *list;      /* k: its classes */
    double *batch;       /* gradients of some examples */
    int64_t batch_rows;
    double value;
    double mass;   /* sum_ir eta_ir b_ir */
    double square; /* ||M||^2 */
    double gap;    /* at one M, or added up while it moved */
    double scale;  /* of M: what the primal value belongs to */
    int64_t visits;
    int64_t sweeps;
    int64_t limit;   /* of visits */
    double best_gap; /* of all measurements */
    double best_value;
    int still;           /* measurements that were no better */
    double said;         /* the relative gap that was last told of */
    int64_t most_sweeps; /* of the next stage */
} pt_spoc_linear_solver;

static inline bool pt_spoc_linear_is_ww(const pt_spoc_linear_solver *s)
{
    return s->p->kind == PT_WESTON_WATKINS;
}

/* sum_r eta_ir b_ir */
static inline double pt_spoc_linear_mass(const pt_spoc_linear_solver *s, const pt_sparse_rows *eta,
                                         int64_t i)
{
    const pt_entry *row = pt_sparse_row(eta, i);
    double mass = 0;
    for (int64_t c = 0; c < eta->count[i]; c++)
        mass += row[c].value * pt_spoc_cost(s->p, i, row[c].column);
    return mass;
}

/* ---- spoc_linear_sweep.c -----------------------------------------------------------------------
 */

/* The active examples in random order, each over its list; seen <- their gap, of each when it was
 * visited. */
pt_status pt_spoc_linear_sweep(pt_spoc_linear_solver *s, double *seen, const pt_task *task,
                               pt_error *err);
/* All examples, over all classes, which are listed for the next stage. Gap and mass are added up in
 * passing. */
pt_status pt_spoc_linear_sweep_all(pt_spoc_linear_solver *s, const pt_task *task, pt_error *err);
/* From all gradients g of example i: adds its share to the gap, and s->list <- its classes to look
 * at; `upper`: of those that could enter its support, CS, only the upper half by g. Returns how
 * many; 0 where nothing moves and its list has what it needs. */
int64_t pt_spoc_linear_relist(pt_spoc_linear_solver *s, int64_t i, const double *g, bool upper,
                              double *gap);

/* ---- spoc_linear_order.c -----------------------------------------------------------------------
 */

/* The active examples in the order in which they are to be visited. */
const int64_t *pt_spoc_linear_arrange(pt_spoc_linear_solver *s);

/* A problem with its examples in random order: example a is example from[a] of the other. */
typedef struct pt_spoc_mixed {
    pt_spoc problem;
    pt_linear_rows rows;
    int64_t *from;
    int64_t *class_of;
    int64_t *number;
    double *square;
    double *bound;
    void *values;
} pt_spoc_mixed;

bool pt_spoc_linear_wants_mixing(const pt_spoc *p, const pt_linear_rows *rows);
double pt_spoc_linear_mixed_bytes(int64_t n, int64_t d);
/* Zero-initialise; free it always. */
pt_status pt_spoc_linear_mix(pt_spoc_mixed *mixed, const pt_spoc *p, const pt_linear_rows *rows,
                             uint64_t seed, pt_error *err);
void pt_spoc_linear_mixed_free(pt_spoc_mixed *mixed);

/* ---- spoc_linear_leap.c ------------------------------------------------------------------------
 */

/* Remembers where the next leap begins. */
pt_status pt_spoc_linear_remember(pt_spoc_linear_solver *s, pt_error *err);
/* Goes on along the way since then, as far as that helps. */
pt_status pt_spoc_linear_leap(pt_spoc_linear_solver *s, pt_error *err);

#endif
