/* Rows times the vectors of some classes, and back: the inner loops of row_descent.c, compiled for
 * every instruction set. */
#ifndef PT_SOLVERS_DUAL_CLASS_WEIGHTS_H
#define PT_SOLVERS_DUAL_CLASS_WEIGHTS_H

#include "base/isa.h"
#include "solvers/dual/sparse_rows.h"
#include "solvers/linear/linear_rows.h"

/* M, one vector for each class. Dense rows with many features want those of a class side by side,
 * so that an inner product runs along them; all others want the classes of a feature side by side,
 * so that a value of the row is multiplied into all of them. */
typedef struct pt_class_weights {
    const pt_linear_rows *rows; /* without a bias */
    int64_t k;
    bool by_class;
    int64_t ld; /* by_class: M_rf at r ld + f; else at f ld + r, f the place of a feature */
    int64_t cells;
    double *M;  /* cells; 0 where there is no class or feature */
    float *low; /* the same in float, for the loops of `low` */
} pt_class_weights;

/* Of one layout, for rows of one kind. */
typedef struct pt_class_loops {
    /* g[c] <- M_r . x_i, r the class of list[c]; list NULL: of every class, and g has room for a
     * multiple of PT_CLASS_LANES. */
    void (*scores)(const pt_class_weights *w, int64_t i, const pt_entry *list, int64_t count,
                   double *g);
    /* M_r <- M_r + change[c] x_i */
    void (*add)(const pt_class_weights *w, int64_t i, const pt_entry *list, int64_t count,
                const double *change);
    double (*apart)(const pt_class_weights *w, int64_t i, int64_t a,
                    int64_t b); /* (M_a - M_b) . x_i */
    /* M_a <- M_a + change x_i, M_b <- M_b - change x_i */
    void (*shift)(const pt_class_weights *w, int64_t i, int64_t a, int64_t b, double change);
} pt_class_loops;

enum {
    PT_CLASS_LANES = 8,
    PT_CLASS_LONG = 64, /* dense rows of so many features have M by classes */
    PT_CLASS_LOW = 2    /* in place of the type of the rows: float, and M as well */
};

/* Of one instruction set: by class and dense, by feature and dense, sparse; by type. What follows
 * is of all of M, whose size is a multiple of PT_CLASS_LANES; sums are in double. */
typedef struct pt_class_tables {
    pt_class_loops loops[3][3];
    double (*square)(const double *a, int64_t count); /* ||a||^2 */
    double (*square_low)(const float *a, int64_t count);
    /* (a - past) . a and ||a - past||^2 */
    void (*way)(const double *a, const double *past, int64_t count, double *along, double *length);
    void (*way_low)(const float *a, const float *past, int64_t count, double *along,
                    double *length);
    /* a <- a + step (a - past), past <- a as it was */
    void (*leap)(double *a, double *past, double step, int64_t count);
    void (*leap_low)(float *a, float *past, double step, int64_t count);
    void (*narrow)(const double *from, int64_t count, float *to);
} pt_class_tables;

PT_ISA_CHOSEN(pt_class_tables, pt_class_tables, pt_class_tables_chosen)
const pt_class_loops *pt_class_loops_for(const pt_class_weights *w, bool low);

/* The layout for these rows; M is still NULL. False: the size is not a number of bytes. */
bool pt_class_weights_plan(pt_class_weights *w, const pt_linear_rows *rows, int64_t k);
/* out (width x k, column-major, width >= d) <- scale times M in the order of the features; where
 * width > d, then that of the bias (k). */
void pt_class_weights_write(const pt_class_weights *w, const double *bias, double scale,
                            int64_t width, double *out);
/* Numbers of M, at most, for rows that may turn out to be dense or sparse. */
double pt_class_weights_cells(int64_t d, int64_t k);

#endif
