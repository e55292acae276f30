/* Held-out scores of machines that have a C and a kernel: not in closed form, but from one matrix
 * of kernel values for all points that share a kernel, and warm starts along C.
 *
 * An example that is held out is one whose bound is 0. Points that differ in C alone make a chain.
 * The machine of all examples at the smallest C is where every fold begins; from there a fold walks
 * up the chain, each C from the solution of the one before. Folds run in parallel. What a machine
 * does at each step is a table of functions. */
#ifndef PT_VALIDATE_C_PATH_H
#define PT_VALIDATE_C_PATH_H

#include "kernels/kernel_store.h"
#include "machine/machine.h"

typedef struct pt_c_path {
    const pt_problem *problem;
    const pt_rows *rows; /* of the store: those of the problem, in any order */
    const pt_params *const *points;
    int64_t n_points;
    const pt_partitions *partitions;
    const pt_task *task;

    /* now */
    pt_kernel kernel;
    pt_kernel_store *store;
    pt_gram *wide;  /* the same rows in double; NULL: kernel values do not underflow */
    int64_t *chain; /* n_links points by ascending C */
    int64_t n_links;
    int64_t partition;
    double *outputs; /* links x n x k: of every example without its fold; rows as in the problem */

    bool *done; /* n_points */
    int64_t n_done;
} pt_c_path;

/* The steps of a machine; `self` is its own. */
typedef struct pt_c_walk {
    /* A chain begins; memory for it. */
    pt_status (*begin)(void *self, const pt_c_path *path, pt_error *err);
    /* The machine of all examples at the smallest C. PT_ENUMERIC, here or in a fold: there is no
     * answer at the points of the chain. */
    pt_status (*first)(void *self, const pt_c_path *path, pt_error *err);
    /* All links of the chain without one fold, into path->outputs. From any thread. */
    pt_status (*fold)(void *self, const pt_c_path *path, int64_t fold, pt_error *err);
    /* Takes n x k outputs of a point, or NULL: no answer. */
    pt_status (*give)(void *self, const pt_c_path *path, int64_t point, const double *outputs,
                      pt_error *err);
    /* What `begin` allocated goes, whatever it came to. */
    void (*end)(void *self);
} pt_c_walk;

/* Walks all chains of all kernels. Results do not depend on the number of threads. */
pt_status pt_c_path_run(const pt_problem *problem, const pt_rows *rows,
                        const pt_params *const *points, int64_t n_points,
                        const pt_partitions *partitions, const pt_c_walk *walk, void *self,
                        const pt_task *task, pt_error *err);

/* Whether kernel values of all rows are not beyond any memory. */
bool pt_c_path_serves(const pt_problem *problem, const pt_params *point);

/* ---- outputs of held-out examples ------------------------------------------------------------ */

/* Work space of one thread; free it always. */
typedef struct pt_c_values {
    void *scratch; /* of path->wide */
    void *row;     /* a row of the store, where it is not whole */
    double *value; /* n */
} pt_c_values;

pt_status pt_c_values_init(pt_c_values *v, const pt_c_path *path, pt_error *err);
void pt_c_values_free(pt_c_values *v);

/* v->value[s] <- the kernel value of row i of the store with row support[s]; `in_double`: computed
 * again in double, by path->wide. */
pt_status pt_c_values_get(pt_c_values *v, const pt_c_path *path, int64_t i, const int64_t *support,
                          int64_t n_support, bool in_double, pt_error *err);

/* Whether the outputs, k of them, are so small that kernel values have to be got in double. */
bool pt_c_is_faint(const pt_c_path *path, const double *outputs, int64_t k);

#endif
