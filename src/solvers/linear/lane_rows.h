/* Rows times several vectors at once: what solvers that learn many linear functions of the same
 * rows share. A block of vectors is kept with the numbers of one feature side by side, one lane
 * for each vector, so that a value of a row is read once for all of them and multiplied into a
 * whole register.
 *
 *   V   (d + 1) x width   feature-major; the last row is the bias, 0 where there is none
 *   U   n x width         row-major
 *
 * Row pieces and feature pieces are what threads share out; they depend on the data alone. */
#ifndef PT_SOLVERS_LINEAR_LANE_ROWS_H
#define PT_SOLVERS_LINEAR_LANE_ROWS_H

#include "solvers/linear/linear_rows.h"

enum {
    PT_LANES = 8,      /* the width of a block; the only other one is 1 */
    PT_LANE_ROWS = 128 /* rows of a piece */
};

/* Sparse rows are held by columns too, so that the products with the transpose write every feature
 * once. Features that no row has are left out: d counts the others. */
typedef struct pt_lane_rows {
    pt_linear_rows rows; /* owned */
    int64_t d;
    int64_t *start; /* d + 1; NULL: dense rows */
    int32_t *row;
    void *value;
    int64_t n_row_pieces;
    int64_t n_feature_pieces; /* the bias is in the last */
    int64_t *feature_piece;   /* n_feature_pieces + 1 */
} pt_lane_rows;

/* Zero-initialise; free it always. The rows are borrowed where they are dense. */
pt_status pt_lane_rows_init(pt_lane_rows *out, const pt_rows *rows, bool bias, const pt_task *task,
                            pt_error *err);
void pt_lane_rows_free(pt_lane_rows *lanes);
/* What it will hold, in bytes, at most. */
double pt_lane_rows_bytes(const pt_rows *rows);

/* The rows of piece `piece`: from .. to. */
static inline int64_t pt_lane_rows_from(int64_t piece)
{
    return piece * PT_LANE_ROWS;
}

static inline int64_t pt_lane_rows_to(const pt_lane_rows *lanes, int64_t piece)
{
    const int64_t end = (piece + 1) * PT_LANE_ROWS;
    return end < lanes->rows.n ? end : lanes->rows.n;
}

/* Of one width. */
typedef struct pt_lane_loops {
    /* U_i <- sum_f x_if V_f for rows from .. to */
    void (*forward)(const pt_lane_rows *lanes, int64_t from, int64_t to, const double *V,
                    double *U);
    /* G_f <- sum_i x_if U_i for features from .. to; `to` may be d + 1, the bias */
    void (*backward)(const pt_lane_rows *lanes, int64_t from, int64_t to, const double *U,
                     double *G);
    /* the same of x_if^2 */
    void (*squares)(const pt_lane_rows *lanes, int64_t from, int64_t to, const double *U,
                    double *G);
} pt_lane_loops;

/* Of one instruction set: by type of the rows; dense, sparse; width PT_LANES, 1. */
typedef struct pt_lane_tables {
    pt_lane_loops loops[2][2][2];
} pt_lane_tables;

const pt_lane_loops *pt_lane_loops_for(const pt_lane_rows *lanes, int width);

/* Lane `lane` of V <- w, as below: the features that some row has. */
void pt_lane_rows_gather(const pt_lane_rows *lanes, double *V, int width, int lane,
                         const double *w);
/* w (d + 1 of the data set, the bias last) <- lane `lane` of V. */
void pt_lane_rows_spread(const pt_lane_rows *lanes, const double *V, int width, int lane,
                         double *w);

#endif
