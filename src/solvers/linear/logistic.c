/* Logistic regression by Newton's method, its equations solved by conjugate gradients (Lin, Weng
 * and Keerthi 2008), for many linear functions of the same rows in step with each other.
 *
 * Divided by C where that is above 1, so that neither huge nor small C leave the range of numbers:
 *
 *     f(w) = ridge/2 ||w||^2 + sum_i c_i L_i(z_i) ,   z = X w
 *     g    = ridge w + X^T slope ,                    slope_i = c_i L_i'(z_i)
 *     H p  = ridge p + X^T (curve o X p) ,            curve_i = c_i L_i''(z_i)
 *
 * A step of Newton's method: H dir = -g by conjugate gradients, preconditioned by a little of the
 * diagonal of H and stopped early where g is still large; then w <- w + t dir, t = 1 halved until
 * f falls as it should. What conjugate gradients multiply, X p, also adds up to X dir, so that f
 * along dir and the outputs at its end take no further product with the rows: a step costs one
 * product for g and two for each step of conjugate gradients.
 *
 * ell problems are ell lanes: numbers in every vector, with step lengths of their own. A lane that
 * is done takes steps of length 0, a block whose lanes are all done is skipped. The multinomial
 * problem is one problem over all lanes: the same steps, with inner products summed over the lanes,
 * and curve becomes a matrix for each row,
 *
 *     (curve q)_r = c_i p_r (q_r - sum_q p_q q_q) ,   p = softmax(z_i) .
 *
 * Where it begins with given vectors, they are a step from 0, shortened like any other: the
 * gradient at 0, of which the end is a share, is known then too.
 *
 *   W, G, R, P, dir, M, HP   blocks x (d + 1) x width   weights, gradient, residual -g - H dir,
 *                            search direction, where the step goes, the inverse of the
 *                            preconditioner, H p less ridge p
 *   Z, T, Q, U, S            blocks x n x width   outputs X w, X dir, X p, what X^T is multiplied
 *                            with, curve (softmax: p)
 *   part                     pieces x sums x lanes   sums of pieces, added in order */
#include "solvers/linear/logistic.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "kernels/loops.h"
#include "solvers/linear/logistic_loops.h"

enum {
    STEPS = 300,           /* the limit of Newton steps where none is given */
    GRADIENT_STEPS = 1000, /* of conjugate gradients in one Newton step */
    HALVINGS = 60,
    SUMS = 3,        /* of a piece, for each lane */
    SERIAL = 1 << 21 /* multiplications of registers in a product: below this, some milliseconds,
                       * a thread that waits for a busy processor costs more than it gives */
};

/* Conjugate gradients stop at this share of ||g||, or at less near the solution. The first Newton
 * steps of the multinomial problem end far from where they point; more accuracy is lost on them. */
static const double FORCING = 0.1;
static const double FORCING_JOINT = 0.5;
static const double DECREASE = 1e-4;  /* of what the slope promises */
static const double ROUNDING = 1e-13; /* of f */

typedef struct lane {
    double value;   /* f */
    double square;  /* ||w||^2 */
    double norm;    /* ||g|| */
    double first;   /* ||g|| at 0 */
    double share;   /* of the smaller side */
    double goal;    /* for ||g|| */
    double inner;   /* ||residual|| at which conjugate gradients stop */
    double rz;      /* R . M R */
    double slope;   /* g . dir */
    double w_dir;   /* w . dir */
    double dir_dir; /* dir . dir */
    int64_t steps;
    int stalls;     /* steps in a row that rounding made useless */
    bool going;     /* not done */
    bool solving;   /* conjugate gradients go on */
    bool searching; /* for t */
} lane;

typedef struct newton {
    const pt_logistic *problem;
    const pt_lane_rows *rows;
    const pt_lane_loops *products;
    const pt_logistic_loops *loops;
    const pt_loops *kernel_loops;
    const pt_task *task;
    double ridge;
    double cost; /* of a row with weight 1 */
    bool joint;
    int width;
    int64_t blocks;
    int64_t lanes; /* blocks width */
    int64_t n;
    int64_t d1; /* d + 1 */
    int workers;
    double *W, *G, *R, *P, *dir, *M, *HP;
    const double *start; /* as W; NULL: 0 */
    double *Z, *T, *Q, *U, *S;
    double *part;  /* pieces x SUMS x lanes */
    double *sum;   /* SUMS x lanes */
    double *alpha; /* lanes: of the last step of conjugate gradients */
    double *beta;
    double *step; /* t */
    double *sign; /* groups x lanes; padding lanes are 0 */
    lane *lane;
    pt_arena arena; /* of the arrays */
} newton;

int64_t pt_logistic_blocks(int64_t ell, int width)
{
    return (ell + width - 1) / width;
}

double pt_logistic_bytes(int64_t n, int64_t d, int64_t ell, int width)
{
    const double lanes = (double)pt_logistic_blocks(ell, width) * width;
    const double pieces = (double)n / PT_LANE_ROWS + (double)d / 64 + 2;
    return 8 * lanes * (6 * (double)(d + 1) + 5 * (double)n + SUMS * pieces);
}

/* ---- pieces and sums ------------------------------------------------------------------------- */

static double *of_block(double *array, int64_t rows, const newton *s, int64_t b)
{
    return array + b * rows * s->width;
}

/* Whether some lane of the block is not done. */
static bool block_going(const newton *s, int64_t b)
{
    for (int64_t l = b * s->width; l < (b + 1) * s->width; l++)
        if (s->lane[l].going)
            return true;
    return false;
}

static bool block_solving(const newton *s, int64_t b)
{
    for (int64_t l = b * s->width; l < (b + 1) * s->width; l++)
        if (s->lane[l].solving)
            return true;
    return false;
}

static double *part_of(const newton *s, int64_t piece, int which, int64_t b)
{
    return s->part + (piece * SUMS + which) * s->lanes + b * s->width;
}

static pt_status over_pieces(newton *s, int64_t pieces, pt_parallel_fn body, pt_error *err)
{
    memset(s->part, 0, (size_t)(pieces * SUMS * s->lanes) * sizeof(double));
    const pt_status status = pt_parallel_for_at_most(s->task, s->workers, pieces, body, s, err);
    memset(s->sum, 0, (size_t)(SUMS * s->lanes) * sizeof(double));
    for (int64_t piece = 0; piece < pieces; piece++)
        for (int64_t l = 0; l < SUMS * s->lanes; l++)
            s->sum[l] += s->part[piece * SUMS * s->lanes + l];
    for (int which = 0; which < SUMS && s->joint; which++) {
        double *sum = s->sum + which * s->lanes;
        double total = 0;
        for (int64_t l = 0; l < s->lanes; l++)
            total += sum[l];
        for (int64_t l = 0; l < s->lanes; l++)
            sum[l] = total;
    }
    return status;
}

static pt_status over_rows(newton *s, pt_parallel_fn body, pt_error *err)
{
    return over_pieces(s, s->rows->n_row_pieces, body, err);
}

static pt_status over_features(newton *s, pt_parallel_fn body, pt_error *err)
{
    return over_pieces(s, s->rows->n_feature_pieces, body, err);
}

static double sum_of(const newton *s, int which, int64_t l)
{
    return s->sum[which * s->lanes + l];
}

/* ---- the loss -------------------------------------------------------------------------------- */

static double cost_of(const newton *s, int64_t i)
{
    return s->cost * (s->problem->weight ? s->problem->weight[i] : 1);
}

/* At Z + step T, of rows from .. to and one block: slopes into U, curvature into S. */
static void binary_loss(newton *s, int64_t from, int64_t to, int64_t b, double *loss)
{
    double y[PT_LANE_ROWS * PT_LANES];
    double margin[PT_LANE_ROWS * PT_LANES];
    double e[PT_LANE_ROWS * PT_LANES];
    double l[PT_LANE_ROWS * PT_LANES];
    double cost[PT_LANE_ROWS];
    const int width = s->width;
    const int64_t rows = to - from;
    const int64_t at = from * width;
    for (int64_t i = 0; i < rows; i++) {
        const double *sign = s->sign + s->problem->group_of[from + i] * s->lanes + b * width;
        memcpy(y + i * width, sign, (size_t)width * sizeof(double));
        cost[i] = cost_of(s, from + i);
    }
    s->loops->margins(rows, width, y, of_block(s->Z, s->n, s, b) + at, s->step + b * width,
                      of_block(s->T, s->n, s, b) + at, margin, e);
    s->kernel_loops->exp(e, rows * width, 1);
    s->loops->log1p(e, rows * width, l);
    s->loops->soften(rows, width, y, cost, margin, e, l, of_block(s->U, s->n, s, b) + at,
                     of_block(s->S, s->n, s, b) + at, loss);
}

/* The same for the multinomial loss: S is the probabilities. */
static void softmax_row(newton *s, int64_t i, double *loss)
{
    const int64_t w = s->width;
    const int64_t truth = s->problem->group_of[i];
    const double t = s->step[0];
    const double c = cost_of(s, i);
    double top = -INFINITY;
    double total = 0;
    for (int64_t r = 0; r < s->problem->ell; r++) {
        const int64_t at = (r / w * s->n + i) * w + r % w;
        s->S[at] = s->Z[at] + t * s->T[at];
        top = s->S[at] > top ? s->S[at] : top;
    }
    const double own = s->S[(truth / w * s->n + i) * w + truth % w];
    for (int64_t b = 0; b < s->blocks; b++) {
        double *p = of_block(s->S, s->n, s, b) + i * w;
        for (int64_t l = 0; l < w; l++)
            p[l] -= top;
        s->kernel_loops->exp(p, w, 1);
        for (int64_t l = 0; l < w; l++) {
            p[l] = b * w + l < s->problem->ell ? p[l] : 0; /* lanes that are no class */
            total += p[l];
        }
    }
    for (int64_t b = 0; b < s->blocks; b++) {
        double *p = of_block(s->S, s->n, s, b) + i * w;
        double *u = of_block(s->U, s->n, s, b) + i * w;
        for (int64_t l = 0; l < w; l++) {
            p[l] /= total;
            u[l] = c * p[l];
        }
    }
    s->U[(truth / w * s->n + i) * w + truth % w] -= c;
    *loss += c * (log(fmax(total, 1)) + top - own); /* the largest term is exp(0) */
}

static pt_status evaluate_piece(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    newton *s = context;
    const int64_t from = pt_lane_rows_from(piece);
    const int64_t to = pt_lane_rows_to(s->rows, piece);
    for (int64_t i = from; i < to && s->joint; i++)
        softmax_row(s, i, part_of(s, piece, 0, 0));
    for (int64_t b = 0; b < s->blocks && !s->joint; b++)
        if (block_going(s, b))
            binary_loss(s, from, to, b, part_of(s, piece, 0, b));
    return PT_OK;
}

/* ---- the gradient ---------------------------------------------------------------------------- */

/* Z <- Z + step T; T <- the diagonal of curve. */
static pt_status advance_piece(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    newton *s = context;
    const int64_t w = s->width;
    const int64_t from = pt_lane_rows_from(piece);
    const int64_t to = pt_lane_rows_to(s->rows, piece);
    for (int64_t b = 0; b < s->blocks; b++) {
        double *Z = of_block(s->Z, s->n, s, b);
        double *T = of_block(s->T, s->n, s, b);
        const double *S = of_block(s->S, s->n, s, b);
        if (!block_going(s, b))
            continue;
        s->loops->add(to - from, s->width, s->step + b * w, T + from * w, Z + from * w);
        if (!s->joint)
            memcpy(T + from * w, S + from * w, (size_t)((to - from) * w) * sizeof(double));
        for (int64_t i = from; i < to && s->joint; i++) {
            const double c = cost_of(s, i);
            for (int64_t l = 0; l < w; l++)
                T[i * w + l] = c * S[i * w + l] * (1 - S[i * w + l]);
        }
    }
    return PT_OK;
}

/* W <- W + step dir; G, M; and the start of conjugate gradients: dir = 0, R = -G, P = M R. Sums:
 * ||G||^2, R . P, ||W||^2. */
static pt_status gradient_piece(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    newton *s = context;
    const int w = s->width;
    const int64_t from = s->rows->feature_piece[piece];
    const int64_t to = s->rows->feature_piece[piece + 1];
    for (int64_t b = 0; b < s->blocks; b++) {
        const int64_t block = b * s->d1 * w;
        double *gg = part_of(s, piece, 0, b);
        double *rp = part_of(s, piece, 1, b);
        double *ww = part_of(s, piece, 2, b);
        if (!block_going(s, b))
            continue;
        s->products->backward(s->rows, from, to, of_block(s->U, s->n, s, b), s->G + block);
        s->products->squares(s->rows, from, to, of_block(s->T, s->n, s, b), s->M + block);
        const int64_t at = block + from * w;
        s->loops->begin(to - from, w, s->step + b * w, s->ridge, s->W + at, s->G + at, s->M + at,
                        s->dir + at, s->R + at, s->P + at, gg, rp, ww);
    }
    return PT_OK;
}

/* ---- conjugate gradients --------------------------------------------------------------------- */

/* T <- T + alpha Q, what the last step has moved. */
static void move_outputs(newton *s, int64_t from, int64_t to, int64_t b)
{
    bool moved = false;
    for (int l = 0; l < s->width; l++)
        moved |= s->alpha[b * s->width + l] != 0;
    if (moved)
        s->loops->add(to - from, s->width, s->alpha + b * s->width,
                      of_block(s->Q, s->n, s, b) + from * s->width,
                      of_block(s->T, s->n, s, b) + from * s->width);
}

/* Q <- X P, U <- curve Q. Sum: Q . U. */
static pt_status forward_piece(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    newton *s = context;
    const int w = s->width;
    const int64_t from = pt_lane_rows_from(piece);
    const int64_t to = pt_lane_rows_to(s->rows, piece);
    for (int64_t b = 0; b < s->blocks; b++) {
        const int64_t at = (b * s->n + from) * w;
        move_outputs(s, from, to, b);
        if (!block_solving(s, b))
            continue;
        s->products->forward(s->rows, from, to, of_block(s->P, s->d1, s, b),
                             of_block(s->Q, s->n, s, b));
        if (!s->joint)
            s->loops->bend(to - from, w, s->S + at, s->Q + at, s->U + at, part_of(s, piece, 0, b));
    }
    for (int64_t i = from; i < to && s->joint; i++) /* (curve q)_r = c p_r (q_r - p.q) */
        *part_of(s, piece, 0, 0) += s->loops->bend_classes(
            s->blocks, s->n * w, cost_of(s, i), s->S + i * w, s->Q + i * w, s->U + i * w);
    return PT_OK;
}

static pt_status settle_piece(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    newton *s = context;
    for (int64_t b = 0; b < s->blocks; b++)
        move_outputs(s, pt_lane_rows_from(piece), pt_lane_rows_to(s->rows, piece), b);
    return PT_OK;
}

/* dir <- dir + alpha P, R <- R - alpha H P. Sums: ||R||^2, R . M R. */
static pt_status backward_piece(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    newton *s = context;
    const int w = s->width;
    const int64_t from = s->rows->feature_piece[piece];
    const int64_t to = s->rows->feature_piece[piece + 1];
    for (int64_t b = 0; b < s->blocks; b++) {
        const int64_t block = b * s->d1 * w;
        double *rr = part_of(s, piece, 0, b);
        double *rz = part_of(s, piece, 1, b);
        if (!block_solving(s, b))
            continue;
        s->products->backward(s->rows, from, to, of_block(s->U, s->n, s, b), s->HP + block);
        const int64_t at = block + from * w;
        s->loops->follow(to - from, w, s->alpha + b * w, s->ridge, s->P + at, s->HP + at, s->M + at,
                         s->dir + at, s->R + at, rr, rz);
    }
    return PT_OK;
}

/* P <- M R + beta P. Sum: ||P||^2. */
static pt_status direct_piece(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    newton *s = context;
    const int w = s->width;
    const int64_t from = s->rows->feature_piece[piece];
    const int64_t to = s->rows->feature_piece[piece + 1];
    for (int64_t b = 0; b < s->blocks; b++) {
        const int64_t at = (b * s->d1 + from) * w;
        if (block_solving(s, b))
            s->loops->direct(to - from, w, s->beta + b * w, s->R + at, s->M + at, s->P + at,
                             part_of(s, piece, 0, b));
    }
    return PT_OK;
}

/* Where the lane's residual may stay: less the nearer the solution is. */
static double inner_goal(const newton *s, const lane *l)
{
    const double most = s->joint ? FORCING_JOINT : FORCING;
    const double forcing = fmin(most, sqrt(l->norm / l->first));
    return fmax(forcing * l->norm, 0.5 * l->goal);
}

static bool any_solving(const newton *s)
{
    for (int64_t l = 0; l < s->lanes; l++)
        if (s->lane[l].solving)
            return true;
    return false;
}

/* alpha from P . H P = Q . U + ridge ||P||^2, which is in `square`. */
static void choose_alpha(newton *s, const double *square)
{
    for (int64_t l = 0; l < s->lanes; l++) {
        const double curvature = sum_of(s, 0, l) + s->ridge * square[l];
        lane *a = &s->lane[l];
        a->solving = a->solving && curvature > 0 && isfinite(a->rz / curvature);
        s->alpha[l] = a->solving ? a->rz / curvature : 0;
    }
}

static void choose_beta(newton *s)
{
    for (int64_t l = 0; l < s->lanes; l++) {
        lane *a = &s->lane[l];
        const double rr = sum_of(s, 0, l);
        const double rz = sum_of(s, 1, l);
        s->beta[l] = a->solving ? rz / a->rz : 0;
        a->solving = a->solving && sqrt(rr) > a->inner && rz > 0 && isfinite(rz);
        a->rz = rz;
    }
}

/* H dir = -G. G, R, P, M and rz are there. */
static pt_status solve_newton(newton *s, pt_error *err)
{
    PT_TRY(pt_task_clear(s->task, s->T, (size_t)(s->n * s->lanes) * sizeof(double), err));
    for (int64_t l = 0; l < s->lanes; l++) {
        s->lane[l].solving = s->lane[l].going;
        s->lane[l].inner = inner_goal(s, &s->lane[l]);
        s->alpha[l] = 0;
        s->beta[l] = 0; /* P = M R already */
    }
    double *square = s->sum + SUMS * s->lanes; /* ||P||^2 */
    for (int step = 0; step < GRADIENT_STEPS && any_solving(s); step++) {
        PT_TRY(over_features(s, direct_piece, err));
        memcpy(square, s->sum, (size_t)s->lanes * sizeof(double));
        PT_TRY(over_rows(s, forward_piece, err));
        choose_alpha(s, square);
        PT_TRY(over_features(s, backward_piece, err));
        choose_beta(s);
    }
    return over_rows(s, settle_piece, err);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Sums: G . dir, W . dir, dir . dir. */
static pt_status slope_piece(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    newton *s = context;
    const int w = s->width;
    const int64_t from = s->rows->feature_piece[piece];
    const int64_t to = s->rows->feature_piece[piece + 1];
    for (int64_t b = 0; b < s->blocks; b++) {
        const int64_t at = (b * s->d1 + from) * w;
        if (block_going(s, b))
            s->loops->slopes(to - from, w, s->G + at, s->W + at, s->dir + at,
                             part_of(s, piece, 0, b), part_of(s, piece, 1, b),
                             part_of(s, piece, 2, b));
    }
    return PT_OK;
}

/* Lanes whose f has fallen keep their t, the others halve it; true: there are such. */
static bool shorten(newton *s, bool last)
{
    bool again = false;
    for (int64_t l = 0; l < s->lanes; l++) {
        lane *a = &s->lane[l];
        double *t = &s->step[l];
        if (!a->searching)
            continue;
        const double square = a->square + *t * (2 * a->w_dir + *t * a->dir_dir);
        const double value = sum_of(s, 0, l) + 0.5 * s->ridge * square;
        const double bound = a->value + DECREASE * *t * a->slope + ROUNDING * fabs(a->value);
        a->searching = !(value <= bound);
        if (!a->searching)
            a->value = value;
        else
            *t = last ? 0 : *t / 2;
        again |= a->searching;
    }
    return again;
}

/* step, and U and S at its end. */
static pt_status search_line(newton *s, pt_error *err)
{
    PT_TRY(over_features(s, slope_piece, err));
    for (int64_t l = 0; l < s->lanes; l++) {
        lane *a = &s->lane[l];
        a->slope = sum_of(s, 0, l);
        a->w_dir = sum_of(s, 1, l);
        a->dir_dir = sum_of(s, 2, l);
        a->searching = a->going;
        s->step[l] = a->going ? 1 : 0;
    }
    bool again = true;
    for (int tries = 0; again && tries < HALVINGS; tries++) {
        PT_TRY(over_rows(s, evaluate_piece, err));
        again = shorten(s, tries + 2 >= HALVINGS);
    }
    return PT_OK;
}

/* Whether a lane goes on after a step that it took. */
static void judge(newton *s, lane *a, double norm, int64_t limit)
{
    const bool useless = norm >= a->norm && -a->slope <= ROUNDING * fabs(a->value);
    a->stalls = useless ? a->stalls + 1 : 0;
    a->steps++;
    a->norm = norm;
    a->going = norm > a->goal && a->stalls < 2 && a->steps < limit && s->step[a - s->lane] > 0;
}

static pt_status take_gradient(newton *s, pt_error *err)
{
    PT_TRY(over_rows(s, advance_piece, err));
    PT_TRY(over_features(s, gradient_piece, err));
    for (int64_t l = 0; l < s->lanes; l++) {
        lane *a = &s->lane[l];
        if (!a->going)
            continue;
        a->rz = sum_of(s, 1, l);
        a->square = sum_of(s, 2, l);
        if (!isfinite(sum_of(s, 0, l)))
            return pt_fail(err, PT_ENUMERIC,
                           "the solution is too large to compute; lower `C` or scale the data");
    }
    return PT_OK;
}

static double progress_of(const newton *s)
{
    double least = 1;
    for (int64_t l = 0; l < s->lanes; l++) {
        const lane *a = &s->lane[l];
        if (a->going && a->goal > 0 && a->first > a->goal)
            least = fmin(least, log(a->first / a->norm) / log(a->first / a->goal));
    }
    return fmax(least, 0);
}

static bool any_going(const newton *s)
{
    for (int64_t l = 0; l < s->lanes; l++)
        if (s->lane[l].going)
            return true;
    return false;
}

/* From 0 to the start, or as far towards it as f falls: a step whose T = X dir is a product with
 * the rows. */
static pt_status take_start(newton *s, pt_error *err)
{
    memcpy(s->dir, s->start, (size_t)(s->d1 * s->lanes) * sizeof(double));
    memcpy(s->P, s->start, (size_t)(s->d1 * s->lanes) * sizeof(double));
    memset(s->T, 0, (size_t)(s->n * s->lanes) * sizeof(double));
    for (int64_t l = 0; l < s->lanes; l++) {
        s->lane[l].solving = true;
        s->alpha[l] = 0;
    }
    PT_TRY(over_rows(s, forward_piece, err)); /* Q <- X P */
    for (int64_t l = 0; l < s->lanes; l++)
        s->alpha[l] = 1;
    PT_TRY(over_rows(s, settle_piece, err)); /* T <- Q */
    PT_TRY(search_line(s, err));
    PT_TRY(take_gradient(s, err));
    for (int64_t l = 0; l < s->lanes; l++) {
        lane *a = &s->lane[l];
        a->solving = false;
        a->norm = a->going ? sqrt(sum_of(s, 0, l)) : a->norm;
        a->going = a->going && a->norm > a->goal;
    }
    return PT_OK;
}

static pt_status descend(newton *s, pt_error *err)
{
    const int64_t limit = s->problem->limit > 0 ? s->problem->limit : STEPS;
    PT_TRY(over_rows(s, evaluate_piece, err));
    for (int64_t l = 0; l < s->lanes; l++)
        s->lane[l].value = sum_of(s, 0, l);
    PT_TRY(take_gradient(s, err));
    for (int64_t l = 0; l < s->lanes; l++) {
        lane *a = &s->lane[l];
        a->norm = sqrt(sum_of(s, 0, l));
        a->first = a->norm;
        a->goal = s->problem->eps * a->share * a->norm;
        a->going = a->norm > a->goal;
    }
    if (s->start && any_going(s))
        PT_TRY(take_start(s, err));
    while (any_going(s)) {
        PT_TRY(solve_newton(s, err));
        PT_TRY(search_line(s, err));
        PT_TRY(take_gradient(s, err));
        for (int64_t l = 0; l < s->lanes; l++)
            if (s->lane[l].going)
                judge(s, &s->lane[l], sqrt(sum_of(s, 0, l)), limit);
        pt_task_progress(s->task, "training", progress_of(s), 1);
        bool end = false;
        if (s->problem->look)
            PT_TRY(s->problem->look(s->problem->context, s->W, s->lane[0].steps, &end, err));
        if (end || pt_task_turn_ends(s->task, s->problem->turn))
            break;
    }
    return PT_OK;
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* The share of the smaller side in each column; 1 where there is one side only. */
static pt_status find_shares(newton *s, pt_error *err)
{
    const pt_logistic *p = s->problem;
    for (int64_t l = 0; l < s->lanes; l++) {
        double side[2] = {0, 0};
        PT_TRY(pt_task_check(s->task, err));
        for (int64_t i = 0; i < s->n && !s->joint; i++) {
            const double y = s->sign[p->group_of[i] * s->lanes + l];
            if (y != 0)
                side[y > 0] += p->weight ? p->weight[i] : 1;
        }
        const double least = fmin(side[0], side[1]);
        s->lane[l].share = least > 0 ? least / (side[0] + side[1]) : 1;
        s->lane[l].going = true;
    }
    return PT_OK;
}

static pt_status take_memory(newton *s, pt_error *err)
{
    const int64_t features = s->d1 * s->lanes;
    const int64_t rows = s->n * s->lanes;
    const int64_t pieces = pt_greater(s->rows->n_row_pieces, s->rows->n_feature_pieces);
    pt_arena *arena = &s->arena;
    PT_TRY(PT_ARENA(arena, "a solver", err, PT_PIECE(s->G, features), PT_PIECE(s->R, features),
                    PT_PIECE(s->P, features), PT_PIECE(s->dir, features), PT_PIECE(s->M, features),
                    PT_PIECE(s->HP, features), PT_PIECE(s->Z, rows), PT_PIECE(s->T, rows),
                    PT_PIECE(s->Q, rows), PT_PIECE(s->U, rows), PT_PIECE(s->S, rows),
                    PT_PIECE(s->part, pieces * SUMS * s->lanes),
                    PT_PIECE(s->sum, (SUMS + 4) * s->lanes), PT_PIECE(s->lane, s->lanes),
                    PT_PIECE(s->sign, s->problem->groups * s->lanes)));
    PT_TRY(pt_task_clear(s->task, arena->base, arena->size, err));
    s->alpha = s->sum + (SUMS + 1) * s->lanes;
    s->beta = s->sum + (SUMS + 2) * s->lanes;
    s->step = s->sum + (SUMS + 3) * s->lanes;
    return PT_OK;
}

static void free_memory(newton *s)
{
    pt_arena_free(&s->arena);
}

static void report(const newton *s, pt_logistic_result *results)
{
    const double scale = 1 / s->ridge; /* C above 1 was divided by */
    for (int64_t l = 0; l < (s->joint ? 1 : s->problem->ell); l++) {
        const lane *a = &s->lane[l];
        const double reached = a->first > 0 ? a->norm / (a->share * a->first) : 0;
        results[l] = (pt_logistic_result){a->value * scale, reached, a->steps,
                                          a->norm <= a->goal || a->stalls >= 2};
    }
}

pt_status pt_logistic_solve(const pt_logistic *problem, double *V, pt_logistic_result *results,
                            const pt_task *task, pt_error *err)
{
    const int64_t blocks = pt_logistic_blocks(problem->ell, problem->width);
    const double C = problem->C;
    PT_FREED_BY(free_memory)
    newton s = {.problem = problem,
                .rows = problem->rows,
                .products = pt_lane_loops_for(problem->rows, problem->width),
                .loops = pt_logistic_loops_chosen(),
                .kernel_loops = &pt_isa_chosen()->f64,
                .task = task,
                .ridge = C > 1 ? 1 / C : 1,
                .cost = C > 1 ? 1 : C,
                .joint = problem->sign == NULL,
                .width = problem->width,
                .blocks = blocks,
                .lanes = blocks * problem->width,
                .n = problem->rows->rows.n,
                .d1 = problem->rows->d + 1,
                .W = V};
    const double stored = problem->rows->start ? (double)problem->rows->start[problem->rows->d]
                                               : (double)s.n * (double)problem->rows->d;
    s.workers = stored * (double)s.blocks > SERIAL ? pt_task_threads(task) : 1;
    PT_TRY(take_memory(&s, err));
    PT_SCRATCH double *start = NULL; /* the first gradient leaves `dir` 0 */
    if (problem->started) {
        PT_TRY(PT_NEW(start, s.d1 * s.lanes, "weights", err));
        memcpy(start, V, (size_t)(s.d1 * s.lanes) * sizeof *V);
        s.start = start;
    }
    memset(V, 0, (size_t)(s.d1 * s.lanes) * sizeof *V);
    for (int64_t g = 0; g < problem->groups && !s.joint; g++)
        for (int64_t l = 0; l < problem->ell; l++)
            s.sign[g * s.lanes + l] = problem->sign[g * problem->ell + l];
    PT_TRY(find_shares(&s, err));
    PT_TRY(descend(&s, err));
    report(&s, results);
    return PT_OK;
}
