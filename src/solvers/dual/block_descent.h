/* The dual solver by kernel values: descent by blocks with the gradient of all variables kept.
 *
 * One round: (1) the PT_BLOCK variables with most to gain when each alone moves; (2) their rows of
 * kernel values; (3) their own small problem, in cache; (4) the gradient of all brought up to date,
 * once for the block, which is where the time goes.
 *
 *     H_ab = q_ab (K_ab + shift)      the matrix of a block, q the coupling of two variables
 *
 * A problem says what a variable is (an example with all its classes: spoc.c; a number: box_qp.c),
 * how a block is solved, and how the gradient follows. All else is here, once: rounds, rows, the
 * end, and the tests of a kernel that is not positive semidefinite by its name (sigmoid,
 * precomputed, joint, poly with a negative coef0): every block, and in the end the variables that
 * are not 0 where these are few, must have a Cholesky factor, or there are directions along which
 * the objective falls without end and the solution is no more than one of many corners. */
#ifndef PT_SOLVERS_DUAL_BLOCK_DESCENT_H
#define PT_SOLVERS_DUAL_BLOCK_DESCENT_H

#include "kernels/kernel_store.h"
#include "solvers/dual/dual_parts.h"

typedef struct pt_block_descent pt_block_descent;

typedef struct pt_block_rules {
    /* Whether variable i is not 0. */
    bool (*is_support)(const pt_block_descent *s, int64_t i);
    /* Row r of the block's changes <- all of variable i, */
    void (*take)(pt_block_descent *s, int64_t r, int64_t i);
    /* which is added to the gradient of all, where that is formed anew. */
    pt_status (*add)(pt_block_descent *s, const pt_task *task, pt_error *err);

    /* s->end <- value and gap, where they do not follow with the gradient; progress is reported. */
    void (*look)(pt_block_descent *s, const pt_task *task);
    /* s->gain <- where it does not follow. stalled: neither value nor gap have got better for long.
     * *over <- whether the rounds end. */
    pt_status (*begin_round)(pt_block_descent *s, int64_t round, bool stalled, bool *over,
                             const pt_task *task, pt_error *err);
    /* The variables of the block go to their best places, */
    pt_status (*solve)(pt_block_descent *s, pt_error *err);
    /* and the gradient follows. */
    pt_status (*follow)(pt_block_descent *s, const pt_task *task, pt_error *err);
} pt_block_rules;

/* Problems have it as the first member of their own. */
struct pt_block_descent {
    const pt_block_rules *rules;
    pt_kernel_store *store;
    pt_type type;    /* of kernel values */
    int64_t first;   /* variable i is row first + i of the store */
    int64_t n;       /* variables */
    const double *Q; /* groups x groups: q by the groups of two variables, all active; NULL: 1 */
    const int64_t *group; /* n */
    int64_t groups;
    double shift;
    double turn;     /* the moment at which it is to end (base/task.h) */
    bool tested;     /* K may not be positive semidefinite */
    void *buffer;    /* of pt_kernel_store_rows, for PT_BLOCK rows */
    int64_t m;       /* variables that take part */
    int64_t *active; /* m, ascending; NULL: all */
    void *copy;      /* m x m: their kernel values; NULL: those of the store */
    int64_t copy_ld;
    double *gain; /* m: what the objective changes by at least when one alone moves */
    pt_dual_end end;
    int64_t steps; /* moves of a variable */
    int64_t limit; /* of them */
    int64_t rounds;

    /* the block */
    int64_t count;
    int64_t W[PT_BLOCK];       /* places in active, ascending */
    const void *row[PT_BLOCK]; /* their kernel values with the active ones */
    double H[PT_BLOCK * PT_BLOCK];
    double factor[PT_BLOCK * PT_BLOCK]; /* work space: of H, or of a part of it */
    double curve[PT_BLOCK];             /* H_aa */
    double step[PT_BLOCK];              /* 1 / H_aa; what it is where that is 0 is the problem's */
};

/* s->row[r] <- kernel values of the variable at place[r] with the active ones. */
pt_status pt_block_fetch(pt_block_descent *s, const int64_t *place, int64_t count,
                         const pt_task *task, pt_error *err);
/* The kernel value of the variable behind row r and the one at place a, with the shift. */
static inline double pt_block_value(const pt_block_descent *s, int64_t r, int64_t a)
{
    return s->shift + (s->type == PT_F32 ? (double)((const float *)s->row[r])[a]
                                         : ((const double *)s->row[r])[a]);
}
/* s->H <- the matrix of the block from s->row and s->curve, in rows of ld, 0 beyond its count. */
pt_status pt_block_matrix(pt_block_descent *s, int64_t ld, pt_error *err);

/* Adds all variables that are not 0 to the gradient, by blocks; it is there without them. */
pt_status pt_block_form(pt_block_descent *s, const pt_task *task, pt_error *err);
/* Rounds, until the gap is `aim` times the value, or nothing gets better. */
pt_status pt_block_descend(pt_block_descent *s, double aim, const pt_task *task, pt_error *err);
/* The kernel values among the variables that are not 0, where these are few. */
pt_status pt_block_test_support(pt_block_descent *s, const pt_task *task, pt_error *err);

#endif
