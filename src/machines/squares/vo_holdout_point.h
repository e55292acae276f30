/* One point of the held-out scores of vo-LSSVM: what vo_holdout.c runs in parallel. */
#ifndef PT_MACHINES_SQUARES_VO_HOLDOUT_POINT_H
#define PT_MACHINES_SQUARES_VO_HOLDOUT_POINT_H

#include "machines/squares/vo_holdout.h"

/* Rows whose outputs are summed together: K of these against all is held at a time. */
enum { PT_VO_CHUNK = 96 };

/* Scratch of one worker on points. */
typedef struct pt_vo_worker {
    char *H;         /* tiles of all parts, one after another */
    size_t H_bytes;  /* it grows with the parts of a point */
    char *beta;      /* n, by part */
    char *T;         /* n x columns: t of each fold */
    char *Y;         /* n x columns: Z T (factor route) */
    char *U;         /* n x columns: C T */
    char *V;         /* n x columns, by position */
    char *small;     /* largest fold squared: C_FF */
    char *right;     /* largest fold: beta_F, then t */
    char *panel;     /* n x largest fold: columns of Z (factor route) */
    int64_t *member; /* n: rows of a part sorted by fold */
    int64_t *first;  /* folds + 1 */
    double *scores;  /* partitions x n x k, in the caller's order */
    char *chunks;    /* for each thread that works on the rows of a point */
} pt_vo_worker;

/* All points of one precision. */
typedef struct pt_vo_pass {
    const pt_problem *source;     /* in the caller's order */
    const pt_ls_problem *problem; /* rows and classes sorted by class: "positions" */
    const double *size_of;        /* k class sizes */
    const pt_vo_point *points;
    const int64_t *chosen; /* which points belong to this pass */
    int64_t n_chosen;
    const pt_partitions *partitions;
    pt_holdout_fn take;
    void *context;
    const pt_task *task;

    double budget; /* bytes that may be used, base included */
    pt_type type;
    size_t size; /* of an element */
    int64_t n;
    int64_t k;
    bool loo;
    bool factor_route;
    int64_t columns; /* of V */
    int64_t largest; /* fold */
    const pt_tiles *base;
    const int64_t *order; /* position -> the caller's row */
    int64_t *place;       /* n: where a row of base begins in its tiles */
    int64_t *class_first; /* k + 1: positions of a class */
    int64_t *column;      /* partitions x n, by position: the column of its fold, or
                             PT_NEVER_HELD */
    int64_t *chunk_first; /* n_chunks + 1 */
    int64_t n_chunks;
    int64_t n_rooms; /* threads that work on the rows of a point */
    pt_vo_worker *workers;
    int n_workers;
} pt_vo_pass;

/* Bytes of kernel values and outputs for one thread that works on a chunk. */
size_t pt_vo_chunk_bytes(const pt_vo_pass *pass);

/* Where row i begins in the tiles of its block row: element (i, j), i >= j, lies at
 * place(i) + j nb. */
int64_t pt_vo_place(const pt_tiles *tiles, int64_t i);

/* Point chosen[index] on one worker: all its partitions are handed over. A pt_parallel_fn. */
pt_status pt_vo_run_point(void *context, int64_t index, int worker_number, pt_error *err);

#endif
