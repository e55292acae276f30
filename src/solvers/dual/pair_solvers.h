/* The solvers of the support vector machine over pairs (pair_row.h): linear, with a kernel, and
 * without errors. */
#ifndef PT_SOLVERS_DUAL_PAIR_SOLVERS_H
#define PT_SOLVERS_DUAL_PAIR_SOLVERS_H

#include "base/alloc.h"
#include "kernels/kernel_store.h"
#include "solvers/dual/class_weights.h"
#include "solvers/dual/pair_row.h"
#include "solvers/linear/linear_rows.h"

/* ---- linear, by its dual with v kept ----------------------------------------- */

/* Bytes that it takes beside the rows and the V that comes out, as a rule: for the plan. k
 * functions, `pairs` of all examples together. */
double pt_pair_descent_bytes(int64_t n, int64_t d, int64_t k, double pairs);

/* `rows` are without a bias; with `bias` there is one more feature, 1 in every row. V ((d + 1) x k,
 * column-major, k that of the pairs) <- v_r in the order of the features and its bias or
 * 0; scaled where that is what the primal value belongs to. `stage` is for progress, NULL: none.
 * The same bytes for any number of threads. */
pt_status pt_pair_descent(const pt_pair_problem *problem, const pt_linear_rows *rows, bool bias,
                          uint64_t seed, double *V, pt_pair_result *result, const char *stage,
                          const pt_task *task, pt_error *err);

/* Support pairs of `result` and examples that have some; returns sum alpha. */
double pt_pair_count(const pt_sparse_rows *alpha, pt_pair_result *result);

/* ---- functions, linear or of kernel values: pair_space.c ---------------------------------------
 *
 * Where the functions over pairs live: the rows themselves, or what a kernel makes of them; with
 * one more feature, 1 in every row, where there is a bias. Inner products of examples, and scores
 * of all of them under functions v_r = sum_i tau_ir phi(x_i). */

/* Zero-initialise; free it always. Linear: rows; else a store. */
typedef struct pt_pair_space {
    int64_t n;
    int64_t k;                  /* functions */
    double one;                 /* the square of the feature of the bias: 1 or 0 */
    const pt_linear_rows *rows; /* without a bias; NULL: kernel values */
    pt_kernel_store *store;
    pt_class_weights weights; /* linear: v, formed by pt_pair_space_scores; bias: k, padded */
    double *bias;
    double *work;     /* linear: d, one row; kernel: n */
    void *buffer;     /* of the store */
    int64_t at_once;  /* rows of the store that are asked for together */
    const void **row; /* at_once */
    double *square;   /* n: k(x_i, x_i), with the feature of the bias */
} pt_pair_space;

/* One of rows and store is given. */
pt_status pt_pair_space_init(pt_pair_space *space, const pt_linear_rows *rows,
                             pt_kernel_store *store, int64_t k, bool bias, pt_error *err);
void pt_pair_space_free(pt_pair_space *space);
/* Bytes that it takes beside rows or store. d: 0 with a kernel. */
double pt_pair_space_bytes(int64_t n, int64_t d, int64_t k);

/* out[c] <- the inner product of examples i and list[c]. */
pt_status pt_pair_space_products(pt_pair_space *space, int64_t i, const int64_t *list,
                                 int64_t count, double *out, const pt_task *task, pt_error *err);

/* F (n x k, row-major) <- the scores under the functions of `count` examples with their tau (count
 * x k, row-major). The same bytes for any number of threads. */
pt_status pt_pair_space_scores(pt_pair_space *space, const int64_t *support, int64_t count,
                               const double *tau, double *F, const pt_task *task, pt_error *err);

/* The inner product of Kesler's vectors of two pairs, of examples whose own is `product`. */
static inline double pt_pair_product(pt_label_pair p, pt_label_pair q, double product)
{
    return product * ((p.before == q.before) - (p.before == q.after) - (p.after == q.before) +
                      (p.after == q.after));
}

/* ---- with a kernel: pair_kernel.c ------------------------------------------------------------ */

/* Bytes beside the space. k functions, `pairs` of all examples together. */
double pt_pair_kernel_bytes(int64_t n, int64_t k, double pairs);

/* A space with a store. support (result->patterns, ascending) and tau (patterns x k, row-major) are
 * the caller's to free. PT_ENUMERIC if the kernel is seen not to be positive semidefinite. `stage`
 * is for progress, NULL: none. The same bytes for any number of threads. */
pt_status pt_pair_kernel(const pt_pair_problem *problem, pt_pair_space *space, int64_t **support,
                         double **tau, pt_pair_result *result, const char *stage,
                         const pt_task *task, pt_error *err);

/* ---- the largest margin: pair_margin.c ---------------------------------------------------------
 *
 * Without errors,
 *
 *     min  1/2 sum_r ||v_r||^2   with   v_a . x_i - v_b . x_i >= 1   for every pair (a, b) of i ,
 *
 * or that there are none. */

typedef struct pt_margin_result {
    bool separable;
    double most;   /* no functions have a larger margin: 1 / ||v||, or what proves that none do */
    double margin; /* the one that was reached: the least z / ||v|| */
    double square; /* ||v||^2, v scaled so that the least z is 1 */
    double scale;  /* what v in the space is to be multiplied by for that */
    int64_t steps; /* of the active set */
    int64_t pairs; /* with a multiplier */
    int64_t patterns; /* examples of these */
    int64_t *support; /* patterns: those examples, ascending; the caller frees it, and */
    double *tau;      /* patterns x k, row-major: v_r = sum tau_r phi(x) */
} pt_margin_result;

/* Bytes beside the space, for `pairs` with a multiplier. */
double pt_pair_margin_bytes(int64_t n, int64_t k, double pairs);

/* Where it is told to end early (base/task.h) the functions are those of the largest margin over
 * the pairs that were looked at so far, and `separable` is that nothing speaks against it.
 *
 * Of the problem bound (0: left out) and pairs are looked at; `most_pairs` may have a
 * multiplier at one time, PT_EMEMORY beyond. support and tau are given where it is separable.
 * `stage` is for progress, NULL: none. The same bytes for any number of threads. */
pt_status pt_pair_margin(const pt_pair_problem *problem, pt_pair_space *space, int64_t most_pairs,
                         pt_margin_result *result, const char *stage, const pt_task *task,
                         pt_error *err);

/* ---- the same, where nearly every pair decides: pair_pivot.c --------------------------------- */

/* All pairs, those of an example side by side. */
typedef struct pt_pair_all {
    int64_t m;
    pt_label_pair *pair;
    int64_t *owner; /* the example of each */
    double *alpha;
} pt_pair_all;

/* Bytes beside the space, those of pt_pair_all included. */
double pt_pair_pivot_bytes(int64_t n, int64_t k, double pairs);

/* alpha is where it begins, and the solution if *solved; else it means nothing: within `limit`
 * passes over the kernel values there was none. The same bytes for any number of threads. */
pt_status pt_pair_pivot(const pt_pair_all *all, pt_pair_space *space, int64_t limit, bool *solved,
                        const pt_task *task, pt_error *err);

/* ---- a large C by way of smaller ones ----------------------------------------------------------
 *
 * Where C times the squares of rows is large, descent from 0 needs very many small steps to get
 * far, and the solution for a smaller C shows the way: alpha(C) is piecewise linear in C. Each
 * stage has STEP times the C of the one before, and begins where the line through the last two
 * solutions leads, within its bounds. */

/* Zero-initialise; free it always. */
typedef struct pt_pair_path {
    const pt_pair_problem *problem;
    pt_pair_problem stage; /* what is to be solved now: with bounds and a gap of its own */
    double share;          /* of C, now; 1: it is the problem itself */
    double before;         /* and at the stage before; 0: there was none */
    int64_t number;        /* of the stage, from 0 */
    int64_t n_stages;
    double *bound;       /* n */
    pt_sparse_rows past; /* alpha of the stage before */
    pt_label_pair *pair; /* pairs of one example, where they are asked for */
    pt_entry *list;      /* most */
    pt_arena arena;
} pt_pair_path;

/* path->stage <- the first; square: ||x_i||^2, `one` more of each. */
pt_status pt_pair_path_init(pt_pair_path *path, const pt_pair_problem *problem,
                            const double *square, double one, int64_t n, const pt_task *task,
                            pt_error *err);
void pt_pair_path_free(pt_pair_path *path);
/* Bytes that it takes. listed: pairs that have a multiplier. */
double pt_pair_path_bytes(int64_t n, double listed);

/* alpha solves the stage: path->stage <- the next, and alpha where that begins. */
pt_status pt_pair_path_step(pt_pair_path *path, pt_sparse_rows *alpha, pt_error *err);
/* alpha <- what it was before that step, where this is better. */
pt_status pt_pair_path_back(const pt_pair_path *path, pt_sparse_rows *alpha, pt_error *err);
/* How far the whole is done, from 0 to 1, where the stage is done to `done`. */
double pt_pair_path_progress(const pt_pair_path *path, double done);
/* path->stage <- the problem itself, from where alpha is: the stages take too long. */
void pt_pair_path_end(pt_pair_path *path);

#endif
