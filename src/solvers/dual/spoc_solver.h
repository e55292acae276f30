/* The inside of pt_spoc_solve: what its parts share. spoc.c says what the symbols are. */
#ifndef PT_SOLVERS_DUAL_SPOC_SOLVER_H
#define PT_SOLVERS_DUAL_SPOC_SOLVER_H

#include "base/alloc.h"
#include "solvers/dual/block_descent.h"
#include "solvers/dual/spoc.h"
#include "solvers/dual/spoc_loops.h"

typedef struct pt_spoc_solver pt_spoc_solver;

/* What the row problems of CS and WW are to the solver by kernel values: simplex_row.c, box_row.c.
 * The gradients g of one example are PT_SPOC_CHUNK numbers apart. */
typedef struct pt_spoc_rules {
    /* Row i becomes feasible. */
    pt_status (*begin)(const pt_spoc *p, int64_t i, pt_sparse_rows *eta, pt_error *err);
    /* Row i, solved for the bound `before` > 0, goes to where the solution for its own is near. */
    void (*carry)(const pt_spoc *p, int64_t i, double before, pt_sparse_rows *eta);
    /* gap + the share of row i. */
    double (*add_gap)(const pt_spoc *p, const pt_sparse_rows *eta, int64_t i, const double *g,
                      double gap);
    /* What the dual rises by at least when row i alone moves; curve: K_ii. */
    double (*gain)(const pt_spoc *p, const pt_sparse_rows *eta, int64_t i, const double *g,
                   double curve);
    /* Gains and sums of the active ones of a chunk; hidden: CHUNK x k numbers, of WW. */
    void (*scan)(pt_spoc_solver *s, int64_t chunk, double *hidden);
    /* Whether the example at place a is at a corner and held there by more than s->largest. */
    bool (*is_held)(const pt_spoc_solver *s, int64_t a);
} pt_spoc_rules;

extern const pt_spoc_rules pt_simplex_block_rules;
extern const pt_spoc_rules pt_box_block_rules;
const pt_spoc_rules *pt_spoc_rules_of(const pt_spoc *p);

struct pt_spoc_solver {
    pt_block_descent loop; /* first: rules cast from it; a variable is an example */
    const pt_spoc *p;
    const pt_spoc_rules *rules;
    const pt_spoc_loops *loops;
    const char *stage; /* of progress; NULL: none */
    double *diagonal;  /* n: K_ii */
    pt_sparse_rows *eta;
    pt_arena arena; /* what stays as it is from begin to end */
    bool wide;      /* G is double */
    void *G;
    double *exact;      /* n x k, in chunks: the gradient of all; NULL where it is not wanted */
    pt_spoc_sums *sums; /* chunks */
    double *hidden;     /* WW: CHUNK x k for each worker, of box_row.c */
    double largest;     /* violation */
    double aim;         /* the relative gap to which the active ones are solved */

    /* the last leap (spoc_active.c) */
    bool leaping;
    pt_sparse_rows past; /* eta where it began, and */
    void *past_G;        /* the gradient; NULL: there was none */
    double *ratio;       /* n */
    double *ranked;      /* n */

    /* the block */
    double total[PT_BLOCK];
    int64_t own[PT_BLOCK];
    pt_spoc_block block;
    double *change;  /* BLOCK x ld: eta as it was; then what tau changes by */
    pt_entry *entry; /* k */

    /* changes of tau by class: change c of class r for first[r] <= c < first[r + 1] */
    int64_t *first;        /* k + 1 */
    const void **from_row; /* BLOCK k */
    double *coef;          /* BLOCK k */
};

/* ---- places ---------------------------------------------------------------------------------- */

static inline int64_t pt_spoc_chunks(int64_t m)
{
    return (m + PT_SPOC_CHUNK - 1) / PT_SPOC_CHUNK;
}

/* Where class r of the example at place a is in G. */
static inline int64_t pt_spoc_cell(const pt_spoc_solver *s, int64_t a, int64_t r)
{
    return ((a / PT_SPOC_CHUNK) * s->p->k + r) * PT_SPOC_CHUNK + a % PT_SPOC_CHUNK;
}

static inline double pt_spoc_g(const pt_spoc_solver *s, const void *G, int64_t a, int64_t r)
{
    return s->wide ? ((const double *)G)[pt_spoc_cell(s, a, r)]
                   : ((const float *)G)[pt_spoc_cell(s, a, r)];
}

/* What the dual rises by for a small mass that eta_ir gets, from nowhere (WW) or from a class that
 * the row has besides (CS: differences of these count). */
static inline double pt_spoc_slope(const pt_spoc_solver *s, const void *G, int64_t a, int64_t r)
{
    const double g = pt_spoc_g(s, G, a, r);
    return s->p->kind == PT_WESTON_WATKINS
               ? g - pt_spoc_g(s, G, a, s->p->class_of[s->loop.active[a]])
               : g;
}

/* Cells of G, with those that fill up the last chunk. */
static inline int64_t pt_spoc_cells(const pt_spoc_solver *s, int64_t m)
{
    return pt_spoc_chunks(m) * PT_SPOC_CHUNK * s->p->k;
}

static inline size_t pt_spoc_g_size(const pt_spoc_solver *s)
{
    return s->wide ? sizeof(double) : sizeof(float);
}

/* b of example i, k numbers; NULL: 1, and 0 of its class. */
static inline const double *pt_spoc_costs_of(const pt_spoc *p, int64_t i)
{
    if (p->example_costs)
        return p->example_costs + (p->number ? p->number[i] : i) * p->k;
    return p->costs ? p->costs + p->class_of[i] * p->k : NULL;
}

/* b of example i and class r. */
static inline double pt_spoc_cost(const pt_spoc *p, int64_t i, int64_t r)
{
    const double *b = pt_spoc_costs_of(p, i);
    return b ? b[r] : p->class_of[i] != r;
}

/* What the dual rises by at least when an example moves from one class of its support, whose g is
 * `behind` the largest: by `mass` at most. WW: when one entry moves by `mass` at most, and `behind`
 * is its slope; both have two classes of tau move. */
static inline double pt_spoc_gain(double mass, double behind, double curve)
{
    const double most = 2 * curve * mass <= behind ? mass : behind / (2 * curve);
    return most * (behind - curve * most);
}

/* Whether tau_i is not 0. */
static inline bool pt_spoc_is_pattern(const pt_spoc_solver *s, int64_t i)
{
    return pt_spoc_is_support(s->eta, i, s->p->class_of[i]);
}

/* ---- spoc.c, spoc_grow.c --------------------------------------------------------------------- */

/* Makes the rows feasible. */
pt_status pt_spoc_begin(const pt_spoc *p, pt_sparse_rows *eta, const pt_task *task, pt_error *err);
/* pt_spoc_solve for a problem without a store. */
pt_status pt_spoc_grow(const pt_spoc *p, pt_sparse_rows *eta, pt_spoc_result *result,
                       const char *stage, const pt_task *task, pt_error *err);

/* ---- spoc_active.c --------------------------------------------------------------------------- */

/* Sorts by class s->change of the block. */
void pt_spoc_sort_changes(pt_spoc_solver *s);
/* Adds them to G; then gains, gap and largest violation. */
pt_status pt_spoc_update(pt_spoc_solver *s, const pt_task *task, pt_error *err);
/* The rule `add`: s->exact, in double, gets the share of a block's tau. */
pt_status pt_spoc_add(pt_block_descent *loop, const pt_task *task, pt_error *err);
/* exact <- b, in chunks; 0 beyond n. */
void pt_spoc_fill_costs(const pt_spoc *p, double *exact);
/* WW: what an entry is away from its best, from the slope v and what it has: its share of the gap,
 * and what it alone can gain. */
static inline double pt_spoc_box_gap(double eta, double bound, double v)
{
    return v > 0 ? (bound - eta) * v : -eta * v;
}

static inline double pt_spoc_box_gain(double eta, double bound, double v, double curve)
{
    return v > 0 ? pt_spoc_gain(bound - eta, v, curve) : pt_spoc_gain(eta, -v, curve);
}

/* The dual value and the gap from the gradient of all examples; tau: work space, k numbers. */
void pt_spoc_measure(const pt_spoc *p, const pt_sparse_rows *eta, const double *exact, double *tau,
                     double *value, double *gap);

/* p->margins <- what the gradient of all examples says; tau: work space, k numbers. */
void pt_spoc_note_margins(const pt_spoc *p, const pt_sparse_rows *eta, const double *exact,
                          const double *diagonal, double *tau);

/* All examples become active, with G from s->exact, which it takes where that is double. */
pt_status pt_spoc_activate_all(pt_spoc_solver *s, pt_error *err);
/* Leaves out what is held at a corner, where that is enough for a copy of kernel values to pay and
 * there is room for one. */
pt_status pt_spoc_shrink(pt_spoc_solver *s, const pt_task *task, pt_error *err);

/* Goes on along the way since the last leap, as far as that helps. */
pt_status pt_spoc_leap(pt_spoc_solver *s, const pt_task *task, pt_error *err);
/* The examples that are active, or the type of G, will change. */
void pt_spoc_forget_past(pt_spoc_solver *s);

#endif
