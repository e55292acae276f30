/* The problem of pair_row.h with a large C, by way of smaller ones.
 *
 * Where C times the squares of rows is large, descent from 0 needs very many small steps to get
 * far, and the solution for a smaller C shows the way: alpha(C) is piecewise linear in C. Each
 * stage has STEP times the C of the one before, and begins where the line through the last two
 * solutions leads, within its bounds. */
#ifndef PT_SOLVERS_DUAL_PAIR_PATH_H
#define PT_SOLVERS_DUAL_PAIR_PATH_H

#include "solvers/dual/pair_row.h"

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
} pt_pair_path;

/* path->stage <- the first; square: ||x_i||^2, `one` more of each. */
pt_status pt_pair_path_init(pt_pair_path *path, const pt_pair_problem *problem,
                            const double *square, double one, int64_t n, pt_error *err);
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
