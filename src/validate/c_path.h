/* Held-out scores of machines that have a C and a kernel: not in closed form, but from one matrix
 * of kernel values for all points that share a kernel, and warm starts along C.
 *
 * An example that is held out is one whose bound is 0. Points that differ in C alone make a chain.
 * The machine of all examples at the smallest C is where every fold begins; from there a fold walks
 * up the chain, each C from the solution of the one before. Folds run in parallel. What a machine
 * solves, and how its outputs are made of kernel values, is a table of functions. */
#ifndef PT_VALIDATE_C_PATH_H
#define PT_VALIDATE_C_PATH_H

#include "base/alloc.h"
#include "kernels/kernel_store.h"
#include "machine/machine.h"
#include "validate/remarks.h"

typedef struct pt_c_walk pt_c_walk;
typedef struct pt_c_walker pt_c_walker;

typedef struct pt_c_path {
    const pt_problem *problem;
    /* The rows of the store, which variables are numbered by. order: which example each is; NULL:
     * they are in the order of the problem. */
    const pt_rows *rows;
    const int64_t *order;
    const pt_params *const *points;
    int64_t n_points;
    const pt_partitions *partitions;
    pt_holdout_fn take; /* gets outputs of classes */
    void *context;
    const pt_c_walk *walk;
    void *self; /* of the functions of `walk` */
    const pt_task *task;

    pt_remarks *said; /* of each worker, in this partition; NULL: nobody wants them */
    int workers;

    /* now */
    pt_kernel kernel;
    pt_kernel_store *store;
    pt_gram *wide;  /* the same rows in double; NULL: kernel values do not underflow */
    int64_t *chain; /* n_links points by ascending C */
    int64_t n_links;
    int64_t partition;
    pt_c_walker *first; /* at the smallest C, with all examples */
    double *outputs;    /* links x n x k: of every example without its fold; as in the problem */

    bool *done; /* n_points */
    int64_t n_done;
} pt_c_path;

/* One machine on its way along a chain; a machine's own struct begins with one. */
struct pt_c_walker {
    double *bound;    /* n: of each row at this link, 0 where it is held out */
    double *before;   /* n: at the link before */
    int64_t *support; /* rows that have a part in the outputs */
    int64_t n_support;
    double *value;    /* n_support: kernel values of a row with these */
    double *g;        /* k: outputs of a row, without a bias */
    double *bias;     /* k: zero, unless the walk sets it */
    void *row;        /* a row of the store, where it is not whole */
    void *scratch;    /* of path->wide */
    pt_warnings said; /* of the link at which it stands */
    pt_arena arena;
};

struct pt_c_walk {
    size_t walker; /* bytes of the machine's own */
    /* A chain begins; memory for it. NULL: nothing is to be done. */
    pt_status (*begin)(void *self, const pt_c_path *path, pt_error *err);
    /* What `begin` allocated goes, whatever it came to. */
    void (*end)(void *self);
    /* Own memory, zero so far, for a walker that begins where `from` stands; NULL: at nothing. */
    pt_status (*start)(const void *self, pt_c_walker *walker, const pt_c_walker *from,
                       pt_error *err);
    void (*stop)(pt_c_walker *walker);
    /* Solves for a link with the bounds of the walker, from where it stands; first: it comes from
     * no link before. Warnings go to walker->said. PT_ENUMERIC: there is no answer at the points of
     * the chain. From any thread, as what follows. */
    pt_status (*solve)(const void *self, const pt_c_path *path, pt_c_walker *walker, int64_t at,
                       bool first, pt_error *err);
    bool (*is_support)(const void *self, const pt_c_walker *walker, int64_t row);
    /* walker->g <- outputs of a row, whose kernel values are walker->value. */
    void (*sum)(const void *self, pt_c_walker *walker);
    /* walker->bias, zero so far, <- that of a link. NULL: there is none. */
    pt_status (*bias)(const void *self, const pt_c_path *path, pt_c_walker *walker, int64_t at,
                      pt_error *err);
};

/* Walks all chains of all kernels of a path, which is set up to `task`. Results do not depend on
 * the number of threads. */
pt_status pt_c_path_run(pt_c_path *path, pt_error *err);

/* walker->g <- outputs of a row, without a bias. */
pt_status pt_c_outputs(const pt_c_path *path, pt_c_walker *walker, int64_t row, pt_error *err);

/* Whether kernel values of all rows are not beyond any memory. */
bool pt_c_path_serves(const pt_problem *problem, const pt_params *point);

#endif
