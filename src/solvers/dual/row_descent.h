/* The linear dual solver: descent over rows with the weights kept.
 *
 *     M_r = sum_i tau_ir x_i ,   g_ir = M_r . x_i + b_ir      the gradient of row i
 *
 * A row problem says what a row's variables are, how they make its tau, and how the row alone is
 * solved, all others held fixed: over the classes on a simplex (simplex_row.c, Crammer and Singer),
 * in boxes (box_row.c, Weston and Watkins), or over pairs of classes (pair_row.c, constraint
 * classification). All else is here, once: the order of visits, lists and active rows, stages,
 * measurements and the end. */
#ifndef PT_SOLVERS_DUAL_ROW_DESCENT_H
#define PT_SOLVERS_DUAL_ROW_DESCENT_H

#include "base/math.h"
#include "base/random.h"
#include "solvers/dual/class_weights.h"
#include "solvers/dual/dual_parts.h"

enum {
    PT_ROWS_TOGETHER = 16
}; /* rows that are visited one after the other, where they are mixed */

typedef struct pt_row_descent pt_row_descent;

/* What all gradients of a row say. */
typedef struct pt_row_look {
    double gap;    /* its share is added */
    double margin; /* the smallest margin so far, of 1; rows lower it */
    bool moves;    /* whether the row has something to do in the next stage */
} pt_row_look;

typedef struct pt_row_rules {
    int64_t sweeps; /* of a stage, at most; twice as many where that was not enough, ... */
    int64_t most_sweeps;
    int64_t visits; /* the limit: so many, and so many more for each row */
    int64_t visits_each;
    double less_share; /* of the gap that a stage aims at, where a measurement found it too large */
    void (*shuffle)(pt_random *random, int64_t *items, int64_t n);

    /* g <- g + b_i, of all classes. Several threads call it. */
    void (*add_offsets)(const pt_row_descent *s, int64_t i, double *g);
    /* Row i over its list: solved, M follows, and variables that are settled leave the list. Adds
     * its gap, as it was before, to *seen. Returns whether it stays active. */
    bool (*visit)(pt_row_descent *s, int64_t i, double *seen);
    void (*begin_measure)(pt_row_descent *s); /* before the first look of a measurement, or NULL */
    /* Row i from all its gradients g: its list is made anew, and where `solve`, solved. */
    pt_status (*look)(pt_row_descent *s, int64_t i, double *g, bool solve, pt_row_look *look,
                      pt_error *err);
    /* s->classes, s->change <- tau of row i; returns of how many classes, 0: it is 0. */
    int64_t (*tau)(pt_row_descent *s, int64_t i);
    /* sum + what row i adds to the linear part of the dual. */
    double (*add_mass)(const pt_row_descent *s, int64_t i, double sum);
    /* All rows together, once sweeps have shown the way: at the begin of a stage, and after sweep t
     * of it; `last`: no more sweeps follow. *seen as in a sweep. */
    pt_status (*begin)(pt_row_descent *s, pt_error *err);
    pt_status (*together)(pt_row_descent *s, int64_t t, bool last, double *seen, pt_error *err);
} pt_row_rules;

/* Zero-initialise; free it always. Row problems have it as the first member of their own. */
struct pt_row_descent {
    const pt_row_rules *rules;
    const pt_task *task;
    const char *stage; /* for progress; NULL: none */
    int64_t n;
    int64_t k;
    const double *bound;     /* n: C_i >= 0; 0 leaves a row out */
    const int64_t *class_of; /* n: fetched ahead of a visit; NULL: rows have no class */

    const pt_class_tables *tables;
    const pt_class_loops *loops; /* of the M that moves: in float while `low`, */
    const pt_class_loops *exact; /* and of the one that is measured */
    bool low;
    pt_class_weights weights;
    double one;   /* the feature of a bias, the same in every row: 1, or 0 where there is none */
    double *bias; /* k, padded: M of that feature */

    pt_sparse_rows *dual; /* the variables; between two measurements also with entries of 0: what
                           * is to be looked at */
    int64_t *listed;      /* n: the rows that this stage began with */
    int64_t n_listed;
    int64_t *active; /* n: those of them that still move */
    int64_t m;
    int64_t *order; /* n, and room for numbers of blocks: active ones as they are visited; NULL:
                     * one by one */
    uint8_t *stays; /* n: whether a row that was visited stays active */
    pt_random random;

    double *g;         /* k, padded; gradients of one row, */
    double *change;    /* k, padded: its change of tau */
    pt_entry *classes; /* k, padded: of these classes */
    double *batch;     /* gradients of some rows */
    int64_t batch_rows;

    pt_dual_end end;
    double mass;   /* the linear part of the dual */
    double square; /* ||M||^2 */
    double scale;  /* of M: what the primal value belongs to */
    int64_t visits;
    int64_t sweeps;
    int64_t limit;       /* of visits */
    int64_t most_sweeps; /* of the next stage */
    int64_t part;        /* which of `parts` problems that are solved one after the other */
    int64_t parts;
    bool quiet; /* no words of this one */
};

/* s->rules, task, stage, k, bound, class_of, dual, one and end.asked are set. `mixed`: the rows are
 * in random order already. `limit`: of visits, 0: the usual one. */
pt_status pt_row_descent_init(pt_row_descent *s, const pt_linear_rows *rows, bool mixed,
                              int64_t limit, uint64_t seed, pt_error *err);
void pt_row_descent_free(pt_row_descent *s);
/* Bytes that it takes beside the rows and the variables. */
double pt_row_descent_bytes(int64_t n, int64_t d, int64_t k);

/* Until the gap is s->end.asked, or nothing gets better, or the limit is reached, from where the
 * variables are, with M that belongs to them. `measured`: it begins with a measurement, for M is
 * not 0. */
pt_status pt_row_descent_solve(pt_row_descent *s, bool measured, pt_error *err);

/* The active rows in random order, each over its list; *seen <- their gap, of each when it was
 * visited. */
pt_status pt_row_descent_sweep(pt_row_descent *s, double *seen, pt_error *err);

/* M from the variables, so that rounding does not add up; *some <- whether it is not 0. */
pt_status pt_row_descent_form(bool *some, pt_row_descent *s, pt_error *err);
/* The dual value of that M. */
pt_status pt_row_descent_value(pt_row_descent *s, pt_error *err);
/* M <- M + s->change x_i, of s->classes. */
void pt_row_descent_move(pt_row_descent *s, int64_t i, int64_t count);
/* ||x_i||^2, with the feature of the bias. */
static inline double pt_row_square(const pt_row_descent *s, int64_t i)
{
    return s->weights.rows->square[i] + s->one;
}

/* k rounded up to whole vectors. */
static inline int64_t pt_class_padded(int64_t k)
{
    return pt_round_up(k, PT_CLASS_LANES);
}

/* One draw of 32 bits for each: uneven by n / 2^32 at most, and half the time of
 * pt_random_shuffle. */
void pt_row_shuffle(pt_random *random, int64_t *items, int64_t n);

/* Whether rows are better mixed once, before they are solved: see row_descent.c. */
bool pt_rows_want_mixing(const pt_linear_rows *rows);

#endif
