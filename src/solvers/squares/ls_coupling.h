/* Least squares with the matrix P o K, P_ij = Q[y_i, y_j]: what ls_solve.c needs beside K. */
#ifndef PT_SOLVERS_SQUARES_LS_COUPLING_H
#define PT_SOLVERS_SQUARES_LS_COUPLING_H

#include "base/task.h"
#include "linalg/tiles.h"

/* H = P o (K + offset) + gamma W^-1. A free bias adds the border of HNR's vo-LSSVM: V is an
 * orthonormal basis of the range of Q, u = V z are the inner products of the bias with the label
 * vectors, and
 *
 *     H beta + E u = 1 ,   V^T E^T beta = 0 .  */
typedef struct pt_ls_coupling {
    const double *Q; /* k x k */
    double offset;   /* 1: the kernel K + 1 of a penalised bias */
    const double *V; /* k x rank, column-major; NULL: no free bias */
    int64_t rank;
} pt_ls_coupling;

/* K <- P o (K + offset), lower tiles. */
pt_status pt_ls_couple_tiles(const pt_ls_coupling *coupling, const int64_t *class_of, int64_t k,
                             pt_tiles *K, const pt_task *task, pt_error *err);

/* The same for a block (m x n, column-major); Q is k x k of the block's type. */
void pt_ls_couple_block(pt_type type, int64_t m, int64_t n, void *block, int64_t ld,
                        const int32_t *class_row, const int32_t *class_column, const void *Q,
                        int64_t k, double offset);

/* Q in another type. The caller frees it. */
pt_status pt_ls_narrow_products(void **out, pt_type type, const double *Q, int64_t k,
                                pt_error *err);

/* The work space of one solve. Zero-initialise; free it always. */
typedef struct pt_ls_coupled {
    const pt_ls_coupling *coupling;
    const int64_t *class_of;
    int64_t n;
    int64_t k;
    double *spread;   /* n x k: beta, each row in the column of its class */
    double *product;  /* n x k: K times it */
    double *sum;      /* k: beta by class */
    double *constant; /* k: what is added to all rows of a class */
    double *z;        /* rank, the caller's: the bias */
    double *X;        /* n x rank: (L L^T)^-1 E V */
    double *S;        /* rank x rank: V^T E^T X, then its factor */
    double *dz;       /* rank */
} pt_ls_coupled;

pt_status pt_ls_coupled_init(pt_ls_coupled *c, const pt_ls_coupling *coupling,
                             const int64_t *class_of, int64_t n, int64_t k, double *z,
                             pt_error *err);
void pt_ls_coupled_free(pt_ls_coupled *c);
void pt_ls_coupled_reset(pt_ls_coupled *c);

/* spread <- beta. */
void pt_ls_coupled_spread(pt_ls_coupled *c, const double *beta);
/* R (n) <- (P o (K + offset)) beta + E u, given K times spread in `product`. */
void pt_ls_coupled_gather(pt_ls_coupled *c, double *R);

/* X and S for a factor: the border's share of the inverse. */
pt_status pt_ls_coupled_border(pt_ls_coupled *c, const pt_tiles *L, const pt_task *task,
                               pt_error *err);
/* Given beta corrected as if u stayed: corrects z and beta so that V^T E^T beta = 0. */
void pt_ls_coupled_balance(pt_ls_coupled *c, double *beta);
/* |V^T E^T beta|, relative to |beta|. */
double pt_ls_coupled_imbalance(pt_ls_coupled *c, const double *beta);

#endif
