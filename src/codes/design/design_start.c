/* A rough solution of the linear program of a code design, by primal-dual steps (Chambolle and Pock
 * 2011). In the form of a saddle point, v(eta) as in design_solvers.h,
 *
 *     min over M, max over eta of   ||M||_p + sum_ir eta_ir b_ir - v(eta) . M ,
 *
 * eta_i >= 0 with sum_r eta_ir <= C w_i (soft), w_i (hard), or anything (separable); in the hard
 * form ||M||_p <= A in place of the norm. With steps sigma on M and rho on eta, sigma rho L^2 < 1,
 * L the norm of M -> (h_i . (M_y - M_r))_ir, one round is
 *
 *     M'    <- prox(M + sigma v(eta)) ,   the proximal map of sigma ||.||_p, or the projection
 *     eta   <- projection of eta + rho (b_ir - h_i . (M*_y - M*_r)) ,   M* = 2 M' - M .
 *
 * Two products with H and no more: some hundred rounds cost less than some hundred pivots, and tell
 * which pairs bind far better than any rule of thumb. Nothing depends on how good the solution is
 * but the time that the simplex method takes afterwards. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "codes/design/design_solvers.h"
#include "linalg/linalg.h"
#include "solvers/dual/simplex_row.h"

/* More make the start better and the whole slower: at m = 1000, k = 10, ell = 45 from 300 to 1000
 * make little difference. */
enum { STEPS = 500, REBALANCE = 50, POWER_STEPS = 12 };

typedef struct start {
    const pt_design_data *data;
    pt_design_norm norm;
    pt_design_form form;
    double strength;
    int64_t n;
    double length;  /* L */
    double balance; /* sigma = balance / L, rho = 1 / (balance L) */
    double *M;      /* n */
    double *M_next; /* n */
    double *V;      /* n */
    double *scores; /* m x k */
    double *signs;  /* m x k */
    double *work;   /* max(n, k): absolute values, thresholds */
    double *row;    /* max(n, k) */
} start;

void pt_design_scores(double *scores, const pt_design_data *data, const double *M)
{
    pt_la_gemm(PT_F64, 't', 'n', data->k, data->m, data->ell, 1, M, data->ell, data->H, data->ell,
               0, scores, data->k);
}

void pt_design_pull(double *V, const pt_design_data *data, const double *eta, double *signs)
{
    const int64_t k = data->k;
    for (int64_t i = 0; i < data->m; i++) {
        double sum = 0;
        for (int64_t r = 0; r < k; r++) {
            sum += eta[i * k + r];
            signs[i * k + r] = -eta[i * k + r];
        }
        signs[i * k + data->class_of[i]] += sum;
    }
    pt_la_gemm(PT_F64, 'n', 't', data->ell, k, data->m, 1, data->H, data->ell, signs, k, 0, V,
               data->ell);
}

static double length_of(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += x[j] * x[j];
    return sqrt(sum);
}

/* L by the power method; eta is scratch. */
static double operator_length(start *s, double *eta)
{
    const int64_t k = s->data->k;
    double square = 0;
    for (int64_t j = 0; j < s->n; j++)
        s->M[j] = sin((double)(j + 1)); /* no direction is left out */
    for (int step = 0; step < POWER_STEPS; step++) {
        const double length = length_of(s->M, s->n);
        if (!(length > 0))
            return 0;
        for (int64_t j = 0; j < s->n; j++)
            s->M[j] /= length;
        pt_design_scores(s->scores, s->data, s->M);
        for (int64_t i = 0; i < s->data->m; i++) {
            const double own = s->scores[i * k + s->data->class_of[i]];
            for (int64_t r = 0; r < k; r++)
                eta[i * k + r] = own - s->scores[i * k + r];
        }
        pt_design_pull(s->M, s->data, eta, s->signs);
        square = length_of(s->M, s->n);
    }
    return 1.05 * sqrt(square); /* it comes from below */
}

/* fmax calls a function. */
static inline double positive(double x)
{
    return x > 0 ? x : 0;
}

/* theta by which |x| must shrink so that sum (|x_j| - theta)_+ = radius; 0 if the sum is less. */
static double ball_theta(start *s, const double *x, double radius)
{
    double sum = 0;
    for (int64_t j = 0; j < s->n; j++) {
        s->row[j] = fabs(x[j]);
        sum += s->row[j];
    }
    return sum <= radius ? 0 : pt_simplex_theta_selected(s->row, s->n, radius, s->work);
}

/* The proximal map of step ||.||_p, or the projection on ||.||_p <= A. That of the largest entry
 * is what the projection on the ball of the sum leaves over. */
static void proximal(start *s, double *x, double step)
{
    const bool hard = s->form == PT_DESIGN_HARD;
    if (s->norm == PT_NORM_1) {
        const double theta = hard ? ball_theta(s, x, s->strength) : step;
        for (int64_t j = 0; j < s->n; j++)
            x[j] = copysign(positive(fabs(x[j]) - theta), x[j]);
    } else {
        const double most = hard ? s->strength : ball_theta(s, x, step);
        for (int64_t j = 0; j < s->n; j++)
            x[j] = copysign(fmin(fabs(x[j]), most), x[j]);
    }
}

static double cap_of(const start *s, int64_t i)
{
    if (s->form == PT_DESIGN_SEPARABLE)
        return HUGE_VAL;
    const double weight = pt_weight(s->data->weight, i);
    return s->form == PT_DESIGN_SOFT ? s->strength * weight : weight;
}

/* eta_i <- its projection on eta >= 0, eta_iy = 0, sum <= cap. */
static void project_row(start *s, double *eta, int64_t i)
{
    const int64_t k = s->data->k;
    const double cap = cap_of(s, i);
    double sum = 0;
    eta[s->data->class_of[i]] = 0;
    for (int64_t r = 0; r < k; r++)
        sum += positive(eta[r]);
    if (sum > cap) {
        eta[s->data->class_of[i]] = -HUGE_VAL;
        (void)pt_simplex_project(eta, k, cap, eta, s->work);
        return;
    }
    for (int64_t r = 0; r < k; r++)
        eta[r] = positive(eta[r]);
}

/* eta_i += rho (margins of i - those that it has), projected. */
static void step_row(start *s, double *eta, int64_t i, double rho)
{
    const int64_t k = s->data->k;
    const double *scores = s->scores + i * k;
    const double *wanted = pt_design_margins(s->data, i);
    const double own = scores[s->data->class_of[i]];
    for (int64_t r = 0; r < k; r++)
        eta[r] += rho * ((wanted ? wanted[r] : 1) - own + scores[r]);
    project_row(s, eta, i);
}

static void step(start *s, double *eta)
{
    const int64_t k = s->data->k;
    const double sigma = s->balance / s->length;
    const double rho = 1 / (s->balance * s->length);
    pt_design_pull(s->V, s->data, eta, s->signs);
    for (int64_t j = 0; j < s->n; j++)
        s->M_next[j] = s->M[j] + sigma * s->V[j];
    proximal(s, s->M_next, sigma);
    for (int64_t j = 0; j < s->n; j++) {
        const double ahead = 2 * s->M_next[j] - s->M[j];
        s->M[j] = s->M_next[j];
        s->M_next[j] = ahead;
    }
    pt_design_scores(s->scores, s->data, s->M_next);
    for (int64_t i = 0; i < s->data->m; i++)
        step_row(s, eta + i * k, i, rho);
}

/* Steps are best balanced as the sizes of the two solutions are. */
static void rebalance(start *s, const double *eta)
{
    const double primal = length_of(s->M, s->n);
    const double dual = length_of(eta, s->data->m * s->data->k);
    if (primal > 0 && dual > 0 && isfinite(primal) && isfinite(dual))
        s->balance = sqrt(s->balance * primal / dual);
}

pt_status pt_design_start(double *eta, const pt_design_data *data, pt_design_norm norm,
                          pt_design_form form, double strength, const pt_task *task, pt_error *err)
{
    start s = {.data = data,
               .norm = norm,
               .form = form,
               .strength = strength,
               .n = data->k * data->ell,
               .balance = 1};
    const int64_t longest = pt_greater(s.n, data->k);
    const int64_t pairs = data->m * data->k;
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "the start of a code design", err, PT_PIECE(s.M, s.n),
                    PT_PIECE(s.M_next, s.n), PT_PIECE(s.V, s.n), PT_PIECE(s.scores, pairs),
                    PT_PIECE(s.signs, pairs), PT_PIECE(s.work, longest), PT_PIECE(s.row, longest)));
    s.length = operator_length(&s, eta);
    memset(s.M, 0, (size_t)s.n * sizeof *s.M);
    memset(eta, 0, (size_t)pairs * sizeof *eta);
    for (int round = 0; round < STEPS && s.length > 0; round++) {
        PT_TRY(pt_task_check(task, err));
        step(&s, eta);
        if ((round + 1) % REBALANCE == 0)
            rebalance(&s, eta);
    }
    return PT_OK;
}
