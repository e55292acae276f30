/* Rows of a kernel store for the solver of smo.h: its variables are some of the store's rows, in
 * one piece. */
#ifndef PT_SOLVERS_SMO_SMO_STORE_H
#define PT_SOLVERS_SMO_SMO_STORE_H

#include "kernels/kernel_store.h"
#include "solvers/smo/smo.h"

/* Rows that it holds at most, in numbers of whole rows of the store: for plans. */
enum { PT_SMO_STORE_ROWS = 2 * (3 * PT_SMO_BLOCK + 1) };

/* Zero-initialise; free it always. */
typedef struct pt_smo_store {
    pt_smo_kernel kernel; /* for the problem */
    pt_kernel_store *store;
    const int64_t *row; /* n rows of the store that are variables, or NULL: all of them */
    int64_t n;
    double *diagonal; /* n, where there is a list */
    char *buffer;     /* for two requests: rows of the store, and what was chosen from them */
    size_t request;   /* bytes of a request */
    int turn;         /* which of the two is next */
    const pt_task *task;
} pt_smo_store;

/* `row` must stay. */
pt_status pt_smo_store_open(pt_smo_store *s, pt_kernel_store *store, const int64_t *row, int64_t n,
                            const pt_task *task, pt_error *err);
void pt_smo_store_close(pt_smo_store *s);

#endif
