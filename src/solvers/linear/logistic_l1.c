/* Logistic regression with absolute weights by Newton's method, whose models are minimised by
 * coordinate descent (Yuan, Ho and Lin 2012, "newGLMNET").
 *
 * With g the gradient of the loss and curve_i its second derivatives at z, a step minimises
 *
 *     q(dir) = g.dir + 1/2 dir^T X^T diag(curve) X dir + reg ||w + dir||_1
 *
 * over the features that are not 0, or whose slope is close to moving them; then goes w + t dir,
 * t = 1 halved until the value falls. Along one feature the model's minimum is known: with slope G
 * and curvature h, and u = w_j + dir_j,
 *
 *     u <- soft(u - G/h, reg/h) ,   soft(a, b) = sign(a) (|a| - b)_+
 *
 * G_j = g_j + (X^T v)_j with v = curve o X dir, which is kept. Features that are left out have no
 * violation, or are taken up by the next step, which looks at all of them.
 *
 * The violation of a feature is how far 0 is from the slopes of the value along it: |g_j + reg sign
 * w_j|, and where w_j = 0, (|g_j| - reg)_+ . */
#include "solvers/linear/logistic_l1.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "kernels/loops.h"
#include "solvers/linear/l1_loops.h"
#include "solvers/linear/logistic_loops.h"

enum {
    SWEEPS = 200, /* of one model, at most */
    HALVINGS = 60,
    PIECE = 512,    /* rows whose loss is computed together */
    LOSS_CELLS = 16 /* a loss takes as long as so many cells */
};

static const double NEAR = 0.1;       /* a slope within this share of reg: the feature takes part */
static const double INNER = 0.1;      /* of the violation is left by a model's sweeps, or less */
static const double DECREASE = 0.01;  /* of what the model promises */
static const double LEAST = 1e-12;    /* curvature: LIBLINEAR's */
static const double ROUNDING = 1e-14; /* of the value */

/* ---- columns --------------------------------------------------------------------------------- */

static pt_status transpose(const pt_lane_rows *rows, void *to, const pt_task *task, pt_error *err)
{
    const int64_t n = rows->rows.n;
    const int64_t stride = rows->rows.stride;
    for (int64_t f = 0; f < rows->d; f++)
        for (int64_t i = 0; i < n; i++) {
            PT_TRY(pt_task_check_row(task, i, 8, err)); /* cells lie far apart */
            if (rows->rows.type == PT_F32)
                ((float *)to)[f * n + i] = ((const float *)rows->rows.dense)[i * stride + f];
            else
                ((double *)to)[f * n + i] = ((const double *)rows->rows.dense)[i * stride + f];
        }
    return PT_OK;
}

pt_status pt_l1_columns_init(pt_l1_columns *out, const pt_lane_rows *rows, const pt_task *task,
                             pt_error *err)
{
    *out = (pt_l1_columns){.n = rows->rows.n,
                           .d = rows->d,
                           .bias = rows->rows.bias,
                           .type = rows->rows.type,
                           .start = rows->start,
                           .row = rows->row,
                           .value = rows->value};
    if (rows->start)
        return PT_OK;
    size_t column = 0;
    if (!pt_size_mul((size_t)out->n, pt_type_size(out->type), &column))
        return pt_fail_memory(err, "columns", SIZE_MAX);
    out->owned = pt_alloc(out->d, column, "columns", err);
    out->value = out->owned;
    if (!out->owned)
        return PT_ENOMEM;
    return transpose(rows, out->owned, task, err);
}

void pt_l1_columns_free(pt_l1_columns *columns)
{
    pt_free(columns->owned);
    memset(columns, 0, sizeof *columns);
}

/* A move along each feature: of the loop that there is for it the outputs count alone. */
pt_status pt_l1_columns_times(const pt_l1_columns *columns, const double *w, double *z,
                              const double *any, double *lost, const pt_task *task, pt_error *err)
{
    const pt_l1_loops *loops = pt_l1_loops_for(columns);
    for (int64_t j = 0; j < columns->d + (columns->bias ? 1 : 0); j++) {
        if (w[j] != 0)
            loops->move(columns, j, w[j], any, z, lost);
        if (j % 1024 == 1023)
            PT_TRY(pt_task_check(task, err));
    }
    return PT_OK;
}

double pt_l1_columns_bytes(const pt_rows *rows)
{
    return rows->dense ? (double)rows->n * (double)rows->d * (double)pt_type_size(rows->type) : 0;
}

double pt_logistic_l1_bytes(int64_t n, int64_t d)
{
    return 32 * (double)n + 40 * (double)(d + 1);
}

/* ---- the loss -------------------------------------------------------------------------------- */

typedef struct l1_descent {
    const pt_logistic_l1 *problem;
    const pt_l1_columns *columns;
    const pt_l1_loops *loops;
    pt_random random;
    int64_t count; /* features, with the bias where there is one */
    double *w;
    double *z;
    double *t;     /* n: X dir */
    double *v;     /* n: curve o t */
    double *slope; /* n: derivatives of the loss */
    double *curve; /* n: second derivatives */
    double *g;     /* count: gradient of the loss */
    double *h;     /* count: curvature along an active feature */
    double *to;    /* count: w + dir */
    int64_t *active;
    int64_t n_active;
    double value;
    double violation;
    double first; /* violation at first */
} l1_descent;

/* slope and curve at z + step t, and *loss. */
static pt_status evaluate(l1_descent *s, double step, double *loss, const pt_task *task,
                          pt_error *err)
{
    const pt_logistic_l1 *p = s->problem;
    const pt_logistic_loops *loops = pt_logistic_loops_chosen();
    double at[PIECE];
    double margin[PIECE];
    double e[PIECE];
    double l[PIECE];
    *loss = 0;
    for (int64_t from = 0; from < s->columns->n; from += PIECE) {
        PT_TRY(pt_task_check_row(task, from / PIECE, PIECE * LOSS_CELLS, err));
        const int64_t rows = s->columns->n - from < PIECE ? s->columns->n - from : PIECE;
        for (int64_t i = 0; i < rows; i++)
            at[i] = s->z[from + i] + (p->offset ? p->offset[from + i] : 0);
        loops->margins(rows, 1, p->y + from, at, &step, s->t + from, margin, e);
        pt_isa_chosen()->f64.exp(e, rows, 1);
        loops->log1p(e, rows, l);
        loops->soften(rows, 1, p->y + from, p->cost + from, margin, e, l, s->slope + from,
                      s->curve + from, loss);
    }
    return PT_OK;
}

static double absolute(const l1_descent *s, const double *w)
{
    double sum = 0;
    for (int64_t j = 0; j < s->count; j++)
        sum += fabs(w[j]);
    return s->problem->reg * sum;
}

/* Of a feature with weight w and slope g. */
static double violation_of(double w, double g, double reg)
{
    return w > 0 ? fabs(g + reg) : w < 0 ? fabs(g - reg) : fmax(fabs(g) - reg, 0);
}

/* Cells of a feature's column; the bias has one in every row. */
static int64_t cells_of(const l1_descent *s, int64_t j)
{
    const pt_l1_columns *c = s->columns;
    return c->start && j < c->d ? c->start[j + 1] - c->start[j] : c->n;
}

/* g, violation, and the features that take part in the next model. */
static pt_status look_at_features(l1_descent *s, const pt_task *task, pt_error *err)
{
    const double reg = s->problem->reg;
    int64_t seen = 0;
    PT_TRY(pt_task_check(task, err));
    s->violation = 0;
    s->n_active = 0;
    for (int64_t j = 0; j < s->count; j++) {
        PT_TRY(pt_task_check_cells(task, cells_of(s, j), &seen, err));
        const double g = s->loops->dot(s->columns, j, s->slope);
        s->g[j] = g;
        s->to[j] = s->w[j];
        s->violation += violation_of(s->w[j], g, reg);
        if (s->w[j] != 0 || fabs(g) > (1 - NEAR) * reg)
            s->active[s->n_active++] = j;
    }
    for (int64_t q = 0; q < s->n_active; q++) {
        PT_TRY(pt_task_check_cells(task, cells_of(s, s->active[q]), &seen, err));
        s->h[s->active[q]] =
            fmax(s->loops->square(s->columns, s->active[q], s->curve), LEAST * reg);
    }
    if (!isfinite(s->violation))
        return pt_fail(err, PT_ENUMERIC,
                       "the solution is too large to compute; lower `C` or scale the data");
    return PT_OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

static double soften(double a, double b)
{
    return a > b ? a - b : a < -b ? a + b : 0;
}

/* One sweep over the active features; *seen <- the violations of the model that it met. */
static pt_status sweep(l1_descent *s, double *seen, const pt_task *task, pt_error *err)
{
    const double reg = s->problem->reg;
    int64_t cells = 0;
    *seen = 0;
    pt_random_shuffle(&s->random, s->active, s->n_active);
    for (int64_t q = 0; q < s->n_active; q++) {
        const int64_t j = s->active[q];
        PT_TRY(pt_task_check_cells(task, 2 * cells_of(s, j), &cells, err));
        const double G = s->g[j] + s->loops->dot(s->columns, j, s->v);
        const double u = soften(s->to[j] - G / s->h[j], reg / s->h[j]);
        const double by = u - s->to[j];
        *seen += violation_of(s->to[j], G, reg);
        if (by == 0)
            continue;
        s->to[j] = u;
        s->loops->move(s->columns, j, by, s->curve, s->t, s->v);
    }
    return PT_OK;
}

static pt_status minimise_model(l1_descent *s, const pt_task *task, pt_error *err)
{
    const double share = fmin(INNER, sqrt(s->violation / s->first));
    const double goal = fmax(share * s->violation, 0.1 * s->problem->goal);
    memset(s->t, 0, (size_t)s->columns->n * sizeof *s->t);
    memset(s->v, 0, (size_t)s->columns->n * sizeof *s->v);
    for (int sweeps = 0; sweeps < SWEEPS; sweeps++) {
        double seen = 0;
        PT_TRY(sweep(s, &seen, task, err));
        PT_TRY(pt_task_check(task, err));
        if (seen <= goal || pt_task_turn_ends(task, s->problem->turn))
            break;
    }
    return PT_OK;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* w and z go to where the value falls; *moved <- false: rounding hides any fall. */
static pt_status take_step(l1_descent *s, bool *moved, const pt_task *task, pt_error *err)
{
    const double before = absolute(s, s->w);
    double promise = absolute(s, s->to) - before; /* of q, to first order */
    for (int64_t q = 0; q < s->n_active; q++)
        promise += s->g[s->active[q]] * (s->to[s->active[q]] - s->w[s->active[q]]);
    double step = 1;
    for (int tries = 0; tries < HALVINGS; tries++) {
        double value = 0;
        PT_TRY(evaluate(s, step, &value, task, err));
        for (int64_t j = 0; j < s->count; j++)
            value += s->problem->reg * fabs(s->w[j] + step * (s->to[j] - s->w[j]));
        if (value <= s->value + DECREASE * step * promise + ROUNDING * fabs(s->value)) {
            for (int64_t j = 0; j < s->count; j++)
                s->w[j] = step == 1 ? s->to[j] : s->w[j] + step * (s->to[j] - s->w[j]);
            for (int64_t i = 0; i < s->columns->n; i++)
                s->z[i] += step * s->t[i];
            s->value = value;
            *moved = -promise > ROUNDING * fabs(s->value);
            return PT_OK;
        }
        step /= 2;
    }
    double same = 0;
    *moved = false;
    return evaluate(s, 0, &same, task, err);
}

/* To the start, where the value is less there: a step whose t = X dir is a product with the
 * columns. */
static pt_status take_start(l1_descent *s, const pt_task *task, pt_error *err)
{
    const pt_logistic_l1 *p = s->problem;
    for (int64_t j = 0; j < s->count; j++)
        s->to[j] = p->start[j] - s->w[j];
    PT_TRY(pt_l1_columns_times(s->columns, s->to, s->t, s->curve, s->v, task, err));
    double value = 0;
    PT_TRY(evaluate(s, 1, &value, task, err));
    value += absolute(s, p->start);
    if (value < s->value) {
        memcpy(s->w, p->start, (size_t)s->count * sizeof *s->w);
        for (int64_t i = 0; i < s->columns->n; i++)
            s->z[i] += s->t[i];
        s->value = value;
    } else {
        PT_TRY(evaluate(s, 0, &value, task, err));
    }
    return look_at_features(s, task, err);
}

static pt_status descend(l1_descent *s, pt_logistic_l1_result *result, const pt_task *task,
                         pt_error *err)
{
    const pt_logistic_l1 *p = s->problem;
    bool moving = true;
    memset(s->t, 0, (size_t)s->columns->n * sizeof *s->t);
    PT_TRY(evaluate(s, 0, &s->value, task, err));
    s->value += absolute(s, s->w);
    PT_TRY(look_at_features(s, task, err));
    s->first = s->violation;
    result->first = s->first;
    const double goal = fmax(p->goal, p->eps * s->violation);
    if (p->start && s->violation > goal)
        PT_TRY(take_start(s, task, err));
    while (s->violation > goal && moving && result->steps < p->limit) {
        PT_TRY(minimise_model(s, task, err));
        PT_TRY(take_step(s, &moving, task, err));
        result->steps++;
        PT_TRY(look_at_features(s, task, err));
        if (pt_task_turn_ends(task, p->turn))
            break;
    }
    result->value = s->value;
    result->violation = s->violation;
    result->converged = s->violation <= goal || !moving;
    return PT_OK;
}

pt_status pt_logistic_l1_descend(const pt_logistic_l1 *problem, double *w, double *z,
                                 pt_logistic_l1_result *result, const pt_task *task, pt_error *err)
{
    const pt_l1_columns *c = problem->columns;
    const int64_t count = c->d + (c->bias ? 1 : 0);
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    l1_descent s = {.problem = problem,
                    .columns = c,
                    .loops = pt_l1_loops_for(c),
                    .count = count,
                    .w = w,
                    .z = z};
    PT_TRY(PT_ARENA(&arena, "outputs", err, PT_PIECE(s.t, c->n), PT_PIECE(s.v, c->n),
                    PT_PIECE(s.slope, c->n), PT_PIECE(s.curve, c->n), PT_PIECE(s.g, count),
                    PT_PIECE(s.h, count), PT_PIECE(s.to, count), PT_PIECE(s.active, count)));
    *result = (pt_logistic_l1_result){0};
    pt_random_init(&s.random, problem->seed, PT_RANDOM_DESCENT, problem->stream);
    return descend(&s, result, task, err);
}
