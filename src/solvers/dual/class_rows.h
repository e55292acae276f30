/* What the row problems over classes share, CS (simplex_row.c) and WW (box_row.c): the problem of
 * spoc.h, linear. eta of a row has one entry for each class on its list,
 *
 *     g_ir = b_ir + M_r . x_i ,   M_r = sum_i tau_ir x_i ,   tau_ir = -eta_ir for r != y_i ,
 *
 * and tau_i . 1 = 0. */
#ifndef PT_SOLVERS_DUAL_CLASS_ROWS_H
#define PT_SOLVERS_DUAL_CLASS_ROWS_H

#include "solvers/dual/row_descent.h"
#include "solvers/dual/spoc_solver.h"

enum { PT_CLASSES_LISTED = 64 }; /* classes of a row that could enter its support, at most */

/* Zero-initialise; free it always. */
typedef struct pt_class_rows {
    pt_row_descent loop; /* first: rules cast from it */
    const pt_spoc *p;
    double *next;        /* k, padded: the eta of one row that come next, by place on its list */
    double *work;        /* k, padded */
    pt_entry *list;      /* its classes, where they are made anew */
    pt_sparse_rows past; /* eta of the listed rows, ... */
    double *past_M;  /* ... and M, where the next leap begins; while M is low its place has ... */
    float *past_low; /* ... weights.low, and this */
    int64_t leap_every; /* sweeps between two leaps, in this stage */
} pt_class_rows;

/* The rules of CS and of WW: simplex_row.c, box_row.c. */
extern const pt_row_rules pt_simplex_rules;
extern const pt_row_rules pt_box_rules;

pt_status pt_class_rows_init(pt_class_rows *s, const pt_spoc *p, const pt_linear_rows *rows,
                             bool mixed, uint64_t seed, pt_sparse_rows *eta, pt_error *err);
void pt_class_rows_free(pt_class_rows *s);
/* Bytes that it takes beside the rows, with eta. */
double pt_class_rows_bytes(int64_t n, int64_t d, int64_t k);

/* ---- rules that are the same for both -------------------------------------------------------- */

void pt_class_rows_offsets(const pt_row_descent *loop, int64_t i, double *g);
void pt_class_rows_begin_measure(pt_row_descent *loop);
int64_t pt_class_rows_tau(pt_row_descent *loop, int64_t i);
double pt_class_rows_mass(const pt_row_descent *loop, int64_t i, double sum);
pt_status pt_class_rows_begin(pt_row_descent *loop, pt_error *err);
pt_status pt_class_rows_together(pt_row_descent *loop, int64_t t, bool last, double *seen,
                                 pt_error *err);

/* ---- parts of the others --------------------------------------------------------------------- */

/* What the gradients of a row's list say. */
typedef struct pt_class_look {
    int64_t count;    /* classes that stay on the list */
    int64_t own;      /* where the row's own class is among them; -1: nowhere */
    double top;       /* the largest gradient; of pt_class_rows_gather only */
    double violation; /* 0: nothing moves */
    double gap;
} pt_class_look;

static inline pt_class_rows *pt_class_rows_of(pt_row_descent *loop)
{
    return (pt_class_rows *)loop;
}

/* loop.g <- the gradients of the classes of a list. */
static inline void pt_class_rows_gradients(pt_class_rows *s, int64_t i, const pt_entry *list,
                                           int64_t count)
{
    const double *b = pt_spoc_costs_of(s->p, i);
    const int64_t y = s->p->class_of[i];
    double *g = s->loop.g;
    s->loop.loops->scores(&s->loop.weights, i, list, count, g);
    for (int64_t c = 0; c < count; c++)
        g[c] += b ? b[list[c].column] : list[c].column != y;
}

/* The eta of a list <- s->next, and M follows. tau_y is the sum of the others. */
static inline void pt_class_rows_move(pt_class_rows *s, int64_t i, pt_entry *list,
                                      const pt_class_look *now)
{
    double *change = s->loop.change;
    double others = 0;
    bool moved = false;
    for (int64_t c = 0; c < now->count; c++) {
        change[c] = list[c].value - s->next[c];
        list[c].value = s->next[c];
        others += c == now->own ? 0 : change[c];
        moved |= change[c] != 0;
    }
    if (now->own >= 0)
        change[now->own] = -others;
    if (moved)
        s->loop.loops->add(&s->loop.weights, i, list, now->count, change);
}

double pt_class_rows_largest(const double *g, int64_t k);
/* s->list <- the classes of row i with something in eta, those with a gradient above `cut`, of
 * which there are some at most, and `own`, -1: none. Returns how many. */
int64_t pt_class_rows_list(pt_class_rows *s, int64_t i, const double *g, double cut, int64_t own);
/* loop.g <- the gradients of s->list, from those of all classes; the gap is not added up here. */
pt_class_look pt_class_rows_gather(pt_class_rows *s, int64_t i, const double *all, int64_t count);
/* A measurement: what the gradients say of margins. Returns whether the row takes part. */
bool pt_class_rows_note(pt_class_rows *s, int64_t i, const double *g, pt_row_look *look);

#endif
