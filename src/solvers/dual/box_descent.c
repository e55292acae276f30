/* Box QP by blocks of coordinates, on kernel values that a store holds.
 *
 *     min  1/2 b^T H b - p^T b ,   0 <= b_i <= u_i ,   H_ij = Q[c_i, c_j] (K_ij + shift)
 *     G = H b - p
 *
 * A round of block_descent.h: a variable gains what the objective falls by when it alone goes to
 * its best place (the second-order choice: -G d - H_ii d^2 / 2, d the step to that place); a block
 * is solved by sweeps on its own small matrix, and Newton steps where these are slow.
 *
 * The duality gap is a sum over variables, each term >= 0 (box_loops.h), so it is known in every
 * round. G is double and its changes are summed in double, from kernel values in the store's type:
 * a float32 gradient would drift by more than a small gap allows.
 *
 *   b, G, u, p  n      G only here
 *
 * Time: O(n BLOCK) for a round; memory: O(n) beside the store. */
#include "solvers/dual/box_qp.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "linalg/linalg.h"
#include "solvers/dual/block_descent.h"
#include "solvers/dual/box_loops.h"

enum {
    BLOCK = PT_BLOCK,
    FAST_SWEEPS = 3,      /* of a block that converges without Newton steps */
    SWEEPS = 10,          /* of a block, at most */
    CHUNK = 2048,         /* variables whose gradient one index of a parallel loop updates */
    LEAST_WORK = 1 << 19, /* kernel values read: with fewer no second thread is woken */
    MOVES = 10000000,     /* the limit: so many, and so many more for each variable */
    MOVES_EACH = 1000
};
static const double SWEEP_ENOUGH = 0.01; /* of what the first sweep gained */
static const double NEWTON_RIDGE = 1e-9; /* of the largest H_ii */
static const double LARGE_STEP = 1e200;  /* 1 / H_ii where H_ii = 0: to a bound, or nowhere */

typedef struct box_solver {
    pt_block_descent loop; /* first: rules cast from it */
    const pt_box_qp *qp;
    const pt_box_loops *loops;
    const char *stage; /* of progress; NULL: none */
    pt_box_vars all;   /* the n variables */
    int64_t *group;    /* n */
    double *curve;     /* n */
    double *step;      /* n */
    pt_arena arena;    /* of these arrays */

    /* the block */
    double b[BLOCK];
    double G[BLOCK];
    double bound[BLOCK];
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

static const pt_block_rules RULES;

static pt_status solver_init(box_solver *s, const pt_box_qp *qp, double *b, const char *stage,
                             pt_error *err)
{
    const int64_t n = qp->n;
    s->loop = (pt_block_descent){.rules = &RULES,
                                 .store = qp->store,
                                 .type = pt_kernel_store_type(qp->store),
                                 .first = qp->first,
                                 .n = n,
                                 .Q = qp->Q,
                                 .groups = qp->groups,
                                 .shift = qp->shift,
                                 .turn = qp->turn,
                                 .tested = pt_may_be_indefinite(qp->kernel),
                                 .m = n,
                                 .end = {.asked = qp->gap},
                                 .limit = pt_box_limit(qp)};
    s->qp = qp;
    s->loops = pt_box_loops_chosen();
    s->stage = stage;
    char *buffer = NULL;
    PT_TRY(PT_ARENA(&s->arena, "a solver", err, PT_PIECE(s->all.G, n), PT_PIECE(s->group, n),
                    PT_PIECE(s->loop.gain, n), PT_PIECE(s->curve, n), PT_PIECE(s->step, n),
                    PT_PIECE(buffer, (int64_t)pt_kernel_store_buffer(qp->store, BLOCK))));
    s->loop.buffer = buffer;
    s->loop.group = s->group;
    s->all = (pt_box_vars){n, b, s->all.G, qp->u, s->curve, s->step};
    return pt_box_curves(qp, pt_kernel_store_diagonal(qp->store) + qp->first, s->group, s->curve,
                         s->step, err);
}

/* ---- the gradient ---------------------------------------------------------------------------- */

/* G_i += sum_r Q[c_i, c_W(r)] (K_i,W(r) + shift) change_r for variables from .. to of one group. */
static void update_piece(box_solver *s, int64_t group, int64_t from, int64_t to)
{
    const pt_box_qp *qp = s->qp;
    const void *row[BLOCK];
    double coef[BLOCK];
    double total = 0;
    int64_t count = 0;
    for (int64_t r = 0; r < s->loop.count; r++) {
        const double c = s->change[r] * qp->Q[group * qp->groups + s->group[s->loop.W[r]]];
        if (c == 0)
            continue;
        row[count] = (const char *)s->loop.row[r] + from * (int64_t)pt_type_size(s->loop.type);
        coef[count++] = c;
        total += c;
    }
    if (count == 0)
        return;
    double *G = s->all.G + from;
    if (s->loop.type == PT_F32)
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
static pt_status update_gradient(pt_block_descent *loop, const pt_task *task, pt_error *err)
{
    const int64_t chunks = (loop->n + CHUNK - 1) / CHUNK;
    return pt_parallel_for_at_most(task, loop->n * loop->count < LEAST_WORK ? 1 : INT_MAX, chunks,
                                   update_chunk, loop, err);
}

static bool is_support(const pt_block_descent *loop, int64_t i)
{
    return ((const box_solver *)loop)->all.b[i] != 0;
}

static void take(pt_block_descent *loop, int64_t r, int64_t i)
{
    box_solver *s = (box_solver *)loop;
    s->change[r] = s->all.b[i];
}

/* ---- a round --------------------------------------------------------------------------------- */

/* The free variables of the block, where none of them is in the way of another: d = -H_FF^-1 G_F.
 * A little on the diagonal keeps directions without curvature finite; they end at a bound. Without
 * a factor, which after the test of the block is rounding, there are sweeps alone. */
static int64_t newton_direction(box_solver *s, int64_t ld, int64_t *free, double *d)
{
    int64_t m = 0;
    double largest = 0;
    for (int64_t r = 0; r < s->loop.count; r++)
        if (s->b[r] > 0 && s->b[r] < s->bound[r]) {
            free[m++] = r;
            largest = fmax(largest, s->loop.curve[r]);
        }
    for (int64_t a = 0; a < m; a++) {
        for (int64_t c = 0; c < m; c++)
            s->loop.factor[a * m + c] = s->loop.H[free[a] * ld + free[c]];
        s->loop.factor[a * m + a] += NEWTON_RIDGE * largest;
        d[a] = -s->G[free[a]];
    }
    if (m == 0 || !pt_la_dense_cholesky(PT_F64, m, s->loop.factor, m))
        return 0;
    pt_la_dense_cholesky_solve(PT_F64, m, 1, s->loop.factor, m, d, m);
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
            s->G[j] += (s->b[r] - before) * s->loop.H[r * ld + j];
    }
}

/* Sweeps over the block, until little is gained any more; where they are slow, with Newton steps
 * between them. */
static pt_status solve_block(pt_block_descent *loop, pt_error *err)
{
    box_solver *s = (box_solver *)loop;
    const int64_t ld = pt_round_up(loop->count, 8);
    for (int64_t r = 0; r < s->loop.count; r++) {
        const int64_t i = s->loop.W[r];
        s->b[r] = s->all.b[i];
        s->G[r] = s->all.G[i];
        s->bound[r] = s->all.u[i];
        s->loop.curve[r] = s->curve[i];
        s->loop.step[r] = s->step[i];
    }
    PT_TRY(pt_block_matrix(loop, ld, err));
    const pt_box_vars block = {s->loop.count, s->b, s->G, s->bound, s->loop.curve, s->loop.step};
    double first = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        const double fall = s->loops->sweep(&block, s->loop.H, ld);
        first = sweep == 0 ? fall : first;
        s->loop.steps += s->loop.count;
        if (!(fall > SWEEP_ENOUGH * first))
            break;
        if (sweep >= FAST_SWEEPS)
            newton_step(s, ld);
    }
    for (int64_t r = 0; r < s->loop.count; r++) {
        s->change[r] = s->b[r] - s->all.b[s->loop.W[r]];
        s->all.b[s->loop.W[r]] = s->b[r];
    }
    return PT_OK;
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

static void look(pt_block_descent *loop, const pt_task *task)
{
    box_solver *s = (box_solver *)loop;
    pt_box_measure(&s->all, s->qp->p, &loop->end.value, &loop->end.gap);
    if (s->stage)
        pt_task_progress(task, s->stage,
                         pt_dual_progress(loop->end.gap / loop->end.value, loop->end.asked), 1);
}

static pt_status begin_round(pt_block_descent *loop, int64_t round, bool stalled, bool *over,
                             const pt_task *task, pt_error *err)
{
    (void)round;
    (void)task;
    (void)err;
    const box_solver *s = (const box_solver *)loop;
    *over = stalled;
    s->loops->gains(&s->all, loop->gain);
    return PT_OK;
}

static const pt_block_rules RULES = {.is_support = is_support,
                                     .take = take,
                                     .add = update_gradient,
                                     .look = look,
                                     .begin_round = begin_round,
                                     .solve = solve_block,
                                     .follow = update_gradient};

pt_status pt_box_descent(const pt_box_qp *qp, double *b, pt_box_result *result, const char *stage,
                         const pt_task *task, pt_error *err)
{
    PT_FREED_BY(solver_free) box_solver *s = pt_alloc_zero(1, sizeof *s, "a solver", err);
    if (!s)
        return PT_ENOMEM;
    pt_block_descent *loop = &s->loop;
    PT_TRY(solver_init(s, qp, b, stage, err));
    for (int64_t i = 0; i < qp->n; i++)
        s->all.G[i] = qp->p ? -qp->p[i] : -1;
    PT_TRY(pt_block_form(loop, task, err)); /* G <- H b - p */
    PT_TRY(pt_block_descend(loop, qp->gap, task, err));
    PT_TRY(pt_block_test_support(loop, task, err));
    *result =
        (pt_box_result){loop->end.value, loop->end.gap, loop->steps, pt_dual_reached(&loop->end)};
    return PT_OK;
}
