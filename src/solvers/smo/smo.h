/* The quadratic program of the support vector machine:
 *
 *     min  1/2 a^T Q a - 1^T a ,   0 <= a_i <= u_i ,   y^T a = 0 (with a bias) ,
 *     Q_ij = y_i y_j K_ij
 *
 * f(x) = sum_i a_i y_i k(x_i, x) + bias. The solver knows nothing of examples and classes: it has
 * variables and asks for rows of K. */
#ifndef PT_SOLVERS_SMO_SMO_H
#define PT_SOLVERS_SMO_SMO_H

#include <stdbool.h>

#include "base/task.h"
#include "data/rows.h"

/* Variables lie in two pieces, of which the second may be empty: those of a pair of classes are
 * the rows of the one and then the rows of the other, wherever the two are. Variables are numbered
 * through both. */
enum { PT_SMO_PIECES = 2 };

/* Rows that are asked for at once, at most. */
enum { PT_SMO_BLOCK = 16 };

/* Where the values of K come from. */
typedef struct pt_smo_kernel {
    pt_type type;           /* of the values */
    const double *diagonal; /* K_ii of every variable */
    /* value[r][p] <- K of variable index[r] with all variables of piece p, r < count <=
     * PT_SMO_BLOCK; what belongs to an empty piece is not looked at. Values stay where they are
     * until the call after the next. */
    pt_status (*rows)(void *context, const int64_t *index, int64_t count,
                      const void *(*value)[PT_SMO_PIECES], pt_error *err);
    void *context;
    /* Several rows cost hardly more than one: those that are likely to be wanted soon are asked for
     * along with one that is. */
    bool in_blocks;
    /* Rows go on with finite values to a multiple of 16: no rest has to be copied. */
    bool padded;
    /* All of K, of one piece, its rows `ld` values apart, so that none is asked for; or NULL. */
    const void *held;
    int64_t ld;
} pt_smo_kernel;

/* Copying the part of a row that is left costs about two passes over the row, and saves a few over
 * what is not: below this share of the variables that pays. */
#define PT_SMO_SHRINK_TO 0.4

typedef struct pt_smo_problem {
    const pt_smo_kernel *kernel;
    int64_t n[PT_SMO_PIECES]; /* variables of each piece */
    const int8_t *y;          /* +1 or -1, of every variable */
    const double *bound;      /* u > 0 */
    bool bias;
    double eps;    /* stops where no pair violates optimality by more (LIBSVM's rule) */
    int64_t limit; /* or after so many steps; 0: enough as a rule */
    double turn;   /* or at this moment (base/task.h) */
    /* Room for a copy of K among the variables that still move, where long rows make that pay;
     * NULL: none is made. */
    void *space;
    double space_bytes;
} pt_smo_problem;

typedef struct pt_smo_result {
    double bias;      /* 0 without one */
    double objective; /* 1/2 a^T Q a - 1^T a */
    int64_t steps;
    bool converged;
} pt_smo_result;

/* Bytes that the solver takes for n variables, at most and beside any space: for the plan. */
double pt_smo_bytes(int64_t n);

/* a: where to begin, feasible, and the solution. */
pt_status pt_smo_solve(const pt_smo_problem *problem, double *a, pt_smo_result *result,
                       const pt_task *task, pt_error *err);

#endif
