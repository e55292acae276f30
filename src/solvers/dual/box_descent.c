/* Box QP by blocks of coordinates, on kernel values that a store holds.
 *
 *     min  1/2 b^T H b - p^T b ,   0 <= b_i <= u_i ,   H_ij = Q[c_i, c_j] (K_ij + shift)
 *     G = H b - p
 *
 * One round: (1) for every variable, how far the objective falls when it alone goes to its best
 * place (the second-order choice: -G d - H_ii d^2 / 2, d the step to that place); (2) the BLOCK
 * variables with most to gain; (3) sweeps over these on their own small matrix, in cache; (4) G
 * brought up to date once for all of them, which is where the time goes: BLOCK rows of K are read.
 *
 * The duality gap is a sum over variables, each term >= 0 (box_loops.h), so it is known in every
 * round. G is double and its changes are summed in double, from kernel values in the store's type:
 * a float32 gradient would drift by more than a small gap allows.
 *
 *   b, G, u, p  n      G only here
 *   gain        n      of step (1)
 *   W           BLOCK  the chosen variables; H_W their matrix
 *
 * A kernel that is not positive semidefinite by its name (sigmoid, precomputed, joint, poly with a
 * negative coef0) is tested: every block, and in the end the variables that are not 0 where these
 * are few, must have a Cholesky factor, or there are directions along which the objective falls
 * without end and b is no more than one of many corners.
 *
 * Time: O(n BLOCK) for a round; memory: O(n) beside the store. */
#include "solvers/dual/box_qp.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "linalg/linalg.h"
#include "solvers/dual/box_loops.h"
#include "solvers/dual/dual_parts.h"

enum {
    BLOCK = 64,
    FAST_SWEEPS = 3,      /* of a block that converges without Newton steps */
    SWEEPS = 10,          /* of a block, at most */
    CHUNK = 2048,         /* variables whose gradient one index of a parallel loop updates */
    LEAST_WORK = 1 << 19, /* kernel values read: with fewer no second thread is woken */
    MOST_TESTED = 1024,   /* variables that are not 0: with more the end is not tested */
    STALL = 200,          /* rounds in which the value has to rise */
    MOVES = 10000000,     /* the limit: so many, and so many more for each variable */
    MOVES_EACH = 1000
};
static const double SWEEP_ENOUGH = 0.01; /* of what the first sweep gained */
static const double NEWTON_RIDGE = 1e-9; /* of the largest H_ii */
static const double STALL_RISE = 1e-10;  /* by this, relative, */
static const double STALL_FALL = 0.1;    /* or the gap fall by this */
static const double LARGE_STEP = 1e200;  /* 1 / H_ii where H_ii = 0: to a bound, or nowhere */

typedef struct box_solver {
    const pt_box_qp *qp;
    const pt_box_loops *loops;
    pt_type type;
    pt_box_vars all; /* the n variables */
    int64_t *group;  /* n */
    double *gain;    /* n */
    double *curve;   /* n */
    double *step;    /* n */
    void *buffer;    /* of pt_kernel_store_rows */
    pt_arena arena;  /* of these arrays */
    pt_dual_end end;
    double value_before; /* some rounds ago */
    double gap_before;
    int64_t moves;
    int64_t limit;
    bool tested; /* H may not be positive semidefinite */

    /* the block */
    int64_t count;
    int64_t W[BLOCK];       /* ascending */
    const void *row[BLOCK]; /* their kernel values, from variable 0 on */
    double H[BLOCK * BLOCK];
    double factor[BLOCK * BLOCK];
    double b[BLOCK];
    double G[BLOCK];
    double bound[BLOCK];
    double block_curve[BLOCK];
    double block_step[BLOCK];
    double change[BLOCK]; /* of b */
} box_solver;

/* ---- set-up ---------------------------------------------------------------------------------- */

static void solver_free(box_solver **owner)
{
    if (*owner)
        pt_arena_free(&(*owner)->arena);
    pt_free(*owner);
}

pt_status pt_box_curves(const pt_box_qp *qp, const double *diagonal, int64_t *group, double *curve,
                        double *step, pt_error *err)
{
    for (int64_t g = 0; g < qp->groups; g++)
        for (int64_t i = qp->group_start[g]; i < qp->group_start[g + 1]; i++) {
            group[i] = g;
            curve[i] = qp->Q[g * qp->groups + g] * (diagonal[i] + qp->shift);
            step[i] = curve[i] > 0 ? 1 / curve[i] : LARGE_STEP;
            PT_TRY(pt_check_own_value(diagonal[i], curve[i], err));
        }
    return PT_OK;
}

int64_t pt_box_limit(const pt_box_qp *qp)
{
    return qp->limit > 0 ? qp->limit : MOVES + MOVES_EACH * qp->n;
}

static pt_status solver_init(box_solver *s, const pt_box_qp *qp, double *b, pt_error *err)
{
    const int64_t n = qp->n;
    s->qp = qp;
    s->loops = pt_box_loops_chosen();
    s->type = pt_kernel_store_type(qp->store);
    s->end.asked = qp->gap;
    s->limit = pt_box_limit(qp);
    s->tested = pt_may_be_indefinite(qp->kernel);
    const int64_t bytes = (int64_t)pt_kernel_store_buffer(qp->store, BLOCK);
    char *buffer = NULL;
    PT_TRY(PT_ARENA(&s->arena, "a solver", err, PT_PIECE(s->all.G, n), PT_PIECE(s->group, n),
                    PT_PIECE(s->gain, n), PT_PIECE(s->curve, n), PT_PIECE(s->step, n),
                    PT_PIECE(buffer, bytes)));
    s->buffer = buffer;
    s->all = (pt_box_vars){n, b, s->all.G, qp->u, s->curve, s->step};
    return pt_box_curves(qp, pt_kernel_store_diagonal(qp->store) + qp->first, s->group, s->curve,
                         s->step, err);
}

/* ---- the gradient ---------------------------------------------------------------------------- */

static pt_status fetch_rows(box_solver *s, const pt_task *task, pt_error *err)
{
    int64_t index[BLOCK];
    for (int64_t r = 0; r < s->count; r++)
        index[r] = s->qp->first + s->W[r];
    PT_TRY(pt_kernel_store_rows(s->qp->store, index, s->count, s->buffer, s->row, task, err));
    const int64_t skip = s->qp->first * (int64_t)pt_type_size(s->type);
    for (int64_t r = 0; r < s->count; r++)
        s->row[r] = (const char *)s->row[r] + skip;
    return PT_OK;
}

/* G_i += sum_r Q[c_i, c_W(r)] (K_i,W(r) + shift) change_r for variables from .. to of one group. */
static void update_piece(box_solver *s, int64_t group, int64_t from, int64_t to)
{
    const pt_box_qp *qp = s->qp;
    const void *row[BLOCK];
    double coef[BLOCK];
    double total = 0;
    int64_t count = 0;
    for (int64_t r = 0; r < s->count; r++) {
        const double c = s->change[r] * qp->Q[group * qp->groups + s->group[s->W[r]]];
        if (c == 0)
            continue;
        row[count] = (const char *)s->row[r] + from * (int64_t)pt_type_size(s->type);
        coef[count++] = c;
        total += c;
    }
    if (count == 0)
        return;
    double *G = s->all.G + from;
    if (s->type == PT_F32)
        s->loops->update_f32((const float *const *)row, coef, count, to - from, total * qp->shift,
                             G);
    else
        s->loops->update_f64((const double *const *)row, coef, count, to - from, total * qp->shift,
                             G);
}

static pt_status update_chunk(void *context, int64_t chunk, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    box_solver *s = context;
    const int64_t last = pt_lesser((chunk + 1) * CHUNK, s->all.n);
    for (int64_t from = chunk * CHUNK; from < last;) {
        const int64_t group = s->group[from];
        const int64_t to = pt_lesser(s->qp->group_start[group + 1], last);
        update_piece(s, group, from, to);
        from = to;
    }
    return PT_OK;
}

/* G <- G + H change, for the changes of the block. */
static pt_status update_gradient(box_solver *s, const pt_task *task, pt_error *err)
{
    const int64_t chunks = (s->all.n + CHUNK - 1) / CHUNK;
    if (s->all.n * s->count >= LEAST_WORK)
        return pt_parallel_for(task, chunks, update_chunk, s, err);
    for (int64_t c = 0; c < chunks; c++)
        (void)update_chunk(s, c, 0, err);
    return PT_OK;
}

/* G <- H b - p from the beginning, by blocks of the variables that are not 0. */
static pt_status form_gradient(box_solver *s, const pt_task *task, pt_error *err)
{
    const int64_t n = s->all.n;
    for (int64_t i = 0; i < n; i++)
        s->all.G[i] = s->qp->p ? -s->qp->p[i] : -1;
    s->count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (s->all.b[i] != 0) {
            s->W[s->count] = i;
            s->change[s->count++] = s->all.b[i];
        }
        if (s->count < BLOCK && (i < n - 1 || s->count == 0))
            continue;
        PT_TRY(fetch_rows(s, task, err));
        PT_TRY(update_gradient(s, task, err));
        s->count = 0;
    }
    return PT_OK;
}

/* ---- a round --------------------------------------------------------------------------------- */

static double kernel_value(const box_solver *s, int64_t r, int64_t i)
{
    return s->type == PT_F32 ? (double)((const float *)s->row[r])[i]
                             : ((const double *)s->row[r])[i];
}

/* The matrix of the block, padded by zeros to whole vectors. Every pair of its variables must be
 * positive semidefinite: where one is not, the kernel is not. */
static pt_status block_matrix(box_solver *s, int64_t ld, pt_error *err)
{
    const pt_box_qp *qp = s->qp;
    memset(s->H, 0, (size_t)(s->count * ld) * sizeof(double));
    for (int64_t a = 0; a < s->count; a++) {
        const double *Q = qp->Q + s->group[s->W[a]] * qp->groups;
        for (int64_t c = 0; c < a; c++) {
            const double q = Q[s->group[s->W[c]]];
            const double h = q == 0 ? 0 : q * (kernel_value(s, a, s->W[c]) + qp->shift);
            s->H[a * ld + c] = h;
            s->H[c * ld + a] = h;
            PT_TRY(pt_check_pair_value(h, s->block_curve[a], s->block_curve[c], err));
        }
        s->H[a * ld + a] = s->block_curve[a];
    }
    if (!s->tested)
        return PT_OK;
    for (int64_t a = 0; a < s->count; a++)
        memcpy(s->factor + a * s->count, s->H + a * ld, (size_t)s->count * sizeof(double));
    return pt_check_semidefinite(s->factor, s->count, err);
}

/* The free variables of the block, where none of them is in the way of another: d = -H_FF^-1 G_F.
 * A little on the diagonal keeps directions without curvature finite; they end at a bound. Without
 * a factor, which after the test of the block is rounding, there are sweeps alone. */
static int64_t newton_direction(box_solver *s, int64_t ld, int64_t *free, double *d)
{
    int64_t m = 0;
    double largest = 0;
    for (int64_t r = 0; r < s->count; r++)
        if (s->b[r] > 0 && s->b[r] < s->bound[r]) {
            free[m++] = r;
            largest = fmax(largest, s->block_curve[r]);
        }
    for (int64_t a = 0; a < m; a++) {
        for (int64_t c = 0; c < m; c++)
            s->factor[a * m + c] = s->H[free[a] * ld + free[c]];
        s->factor[a * m + a] += NEWTON_RIDGE * largest;
        d[a] = -s->G[free[a]];
    }
    if (m == 0 || !pt_la_dense_cholesky(PT_F64, m, s->factor, m))
        return 0;
    pt_la_dense_cholesky_solve(PT_F64, m, 1, s->factor, m, d, m);
    return m;
}

/* Goes along that direction until it ends or a bound is met. */
static void newton_step(box_solver *s, int64_t ld)
{
    int64_t free[BLOCK];
    double d[BLOCK];
    const int64_t m = newton_direction(s, ld, free, d);
    double t = 1;
    int64_t stop = -1;
    for (int64_t a = 0; a < m; a++) {
        const double room = d[a] > 0 ? s->bound[free[a]] - s->b[free[a]] : s->b[free[a]];
        if (fabs(d[a]) * t > room) {
            t = room / fabs(d[a]);
            stop = a;
        }
    }
    for (int64_t a = 0; a < m; a++) {
        const int64_t r = free[a];
        const double before = s->b[r];
        s->b[r] = fmin(fmax(before + t * d[a], 0), s->bound[r]);
        if (a == stop)
            s->b[r] = d[a] > 0 ? s->bound[r] : 0;
        for (int64_t j = 0; j < ld; j++)
            s->G[j] += (s->b[r] - before) * s->H[r * ld + j];
    }
}

/* Sweeps over the block, until little is gained any more; where they are slow, with Newton steps
 * between them. */
static pt_status solve_block(box_solver *s, pt_error *err)
{
    const int64_t ld = (s->count + 7) / 8 * 8;
    for (int64_t r = 0; r < s->count; r++) {
        const int64_t i = s->W[r];
        s->b[r] = s->all.b[i];
        s->G[r] = s->all.G[i];
        s->bound[r] = s->all.u[i];
        s->block_curve[r] = s->curve[i];
        s->block_step[r] = s->step[i];
    }
    PT_TRY(block_matrix(s, ld, err));
    const pt_box_vars block = {s->count, s->b, s->G, s->bound, s->block_curve, s->block_step};
    double first = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        const double fall = s->loops->sweep(&block, s->H, ld);
        first = sweep == 0 ? fall : first;
        s->moves += s->count;
        if (!(fall > SWEEP_ENOUGH * first))
            break;
        if (sweep >= FAST_SWEEPS)
            newton_step(s, ld);
    }
    for (int64_t r = 0; r < s->count; r++) {
        s->change[r] = s->b[r] - s->all.b[s->W[r]];
        s->all.b[s->W[r]] = s->b[r];
    }
    return PT_OK;
}

/* Whether, in the last STALL rounds, neither the value has risen nor the gap fallen: two variables
 * whose kernel values differ by rounding alone can trade places for ever. */
static bool stalled(box_solver *s, int64_t round)
{
    if (round % STALL != 0)
        return false;
    const bool same = round > 0 && s->end.value <= s->value_before * (1 + STALL_RISE) &&
                      s->end.gap >= s->gap_before * (1 - STALL_FALL);
    s->value_before = s->end.value;
    s->gap_before = s->end.gap;
    return same;
}

/* With w = sum_i b_i phi_i and h = H b = G + p, the primal point t w has the value
 *     P(t) = 1/2 t^2 b^T H b + sum_i u_i max(0, p_i - t h_i) ,
 * which is an upper bound for every t. Two are cheap: t = 1, and the t that leaves no loss, for
 * which rounding in h is not multiplied by bounds u that may be huge. */
void pt_box_measure(const pt_box_vars *v, const double *p, double *value, double *gap)
{
    pt_box_sums sums;
    pt_box_loops_chosen()->sums(v, p, &sums);
    const double square = sums.slope + sums.linear; /* b^T H b */
    *value = sums.linear - 0.5 * square;
    *gap = sums.gap;
    if (sums.margin > 0 && square > 0) {
        const double scaled = 0.5 * square / (sums.margin * sums.margin) - *value;
        *gap = fmin(*gap, fmax(scaled, 0));
    }
}

static pt_status descend(box_solver *s, const char *stage, const pt_task *task, pt_error *err)
{
    for (int64_t round = 0;; round++) {
        pt_box_measure(&s->all, s->qp->p, &s->end.value, &s->end.gap);
        if (stage)
            pt_task_progress(task, stage, pt_dual_progress(s->end.gap / s->end.value, s->qp->gap),
                             1);
        if (pt_dual_reached(&s->end) || s->moves >= s->limit || stalled(s, round) ||
            (round > 0 && pt_task_turn_ends(task, s->qp->turn)))
            return PT_OK;
        PT_TRY(pt_task_check(task, err));
        s->loops->gains(&s->all, s->gain);
        s->count = pt_choose_largest(s->gain, s->all.n, BLOCK, s->W);
        if (s->count == 0)
            return PT_OK; /* nothing moves any more: as good as rounding allows */
        PT_TRY(fetch_rows(s, task, err));
        PT_TRY(solve_block(s, err));
        PT_TRY(update_gradient(s, task, err));
    }
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The variables that are not 0, where there are at most MOST_TESTED. */
static pt_status test_support(box_solver *s, const pt_task *task, pt_error *err)
{
    const pt_box_qp *qp = s->qp;
    int64_t m = 0;
    for (int64_t i = 0; i < s->all.n; i++)
        m += s->all.b[i] != 0;
    if (m > MOST_TESTED)
        return PT_OK;
    PT_SCRATCH int64_t *support = pt_alloc(m, sizeof(int64_t), "a test of the kernel", err);
    PT_SCRATCH double *A = pt_alloc(m * m, sizeof(double), "a test of the kernel", err);
    if (!support || !A)
        return PT_ENOMEM;
    for (int64_t i = 0, at = 0; i < s->all.n; i++)
        if (s->all.b[i] != 0)
            support[at++] = i;
    for (int64_t from = 0; from < m; from += BLOCK) {
        s->count = pt_lesser(m - from, BLOCK);
        memcpy(s->W, support + from, (size_t)s->count * sizeof *s->W);
        PT_TRY(fetch_rows(s, task, err));
        for (int64_t r = 0; r < s->count; r++)
            for (int64_t c = 0; c < m; c++) {
                const double q = qp->Q[s->group[s->W[r]] * qp->groups + s->group[support[c]]];
                A[(from + r) * m + c] =
                    q == 0 ? 0 : q * (kernel_value(s, r, support[c]) + qp->shift);
            }
    }
    return pt_check_semidefinite(A, m, err);
}

pt_status pt_box_descent(const pt_box_qp *qp, double *b, pt_box_result *result, const char *stage,
                         const pt_task *task, pt_error *err)
{
    PT_FREED_BY(solver_free) box_solver *s = pt_alloc_zero(1, sizeof *s, "a solver", err);
    if (!s)
        return PT_ENOMEM;
    PT_TRY(solver_init(s, qp, b, err));
    PT_TRY(form_gradient(s, task, err));
    PT_TRY(descend(s, stage, task, err));
    if (s->tested)
        PT_TRY(test_support(s, task, err));
    *result = (pt_box_result){s->end.value, s->end.gap, s->moves, pt_dual_reached(&s->end)};
    return PT_OK;
}
