/* Sequential minimal optimisation: two variables at a time (one without a bias), the first by the
 * largest violation, the second by the largest decrease of the objective (Fan, Chen, Lin 2005).
 *
 *   g   n   the gradient Q a - 1 */
#include "solvers/smo.h"

#include <math.h>

#include "base/alloc.h"

enum { CHECK_EVERY = 1024 };
#define LEAST_CURVATURE 1e-12

typedef struct smo {
    const pt_smo_problem *p;
    double *a;
    double *g;
    int64_t n;
    const pt_task *task;
    pt_error *err;
} smo;

typedef const void *const *kernel_row;

static double kernel_at(const smo *w, kernel_row row, int64_t j)
{
    const bool second = j >= w->p->n[0];
    const void *piece = row[second];
    j -= second ? w->p->n[0] : 0;
    return w->p->kernel->type == PT_F32 ? (double)((const float *)piece)[j]
                                        : ((const double *)piece)[j];
}

static pt_status row_of(const smo *w, int64_t i, const void **row)
{
    const void *value[1][PT_SMO_PIECES];
    const pt_status status = w->p->kernel->rows(w->p->kernel->context, &i, 1, value, w->err);
    row[0] = value[0][0];
    row[1] = value[0][1];
    return status;
}

static bool may_rise(const smo *w, int64_t i) /* y_i a_i may */
{
    return w->p->y[i] > 0 ? w->a[i] < w->p->bound[i] : w->a[i] > 0;
}

static bool may_fall(const smo *w, int64_t i)
{
    return w->p->y[i] > 0 ? w->a[i] > 0 : w->a[i] < w->p->bound[i];
}

/* a_i += t y_i, and the gradient with it. */
static void move(const smo *w, int64_t i, double t, kernel_row row)
{
    w->a[i] += t * w->p->y[i];
    for (int64_t j = 0; j < w->n; j++)
        w->g[j] += t * w->p->y[j] * kernel_at(w, row, j);
}

static double room(const smo *w, int64_t i, bool up)
{
    return (w->p->y[i] > 0) == up ? w->p->bound[i] - w->a[i] : w->a[i];
}

/* One step with a bias; *done where nothing violates by more than eps. */
static pt_status step_pair(const smo *w, bool *done)
{
    const pt_smo_problem *p = w->p;
    double most = -INFINITY;
    double least = INFINITY;
    int64_t i = -1;
    for (int64_t t = 0; t < w->n; t++) {
        const double v = -p->y[t] * w->g[t];
        if (may_rise(w, t) && v > most) {
            most = v;
            i = t;
        }
        if (may_fall(w, t) && v < least)
            least = v;
    }
    *done = i < 0 || most - least < p->eps;
    if (*done)
        return PT_OK;
    const void *row_i[PT_SMO_PIECES];
    const void *row_j[PT_SMO_PIECES];
    pt_status status = row_of(w, i, row_i);
    if (status != PT_OK)
        return status;
    double best = -1;
    int64_t j = -1;
    for (int64_t t = 0; t < w->n; t++) {
        const double b = most + p->y[t] * w->g[t];
        if (!may_fall(w, t) || b <= 0)
            continue;
        double curve = p->kernel->diagonal[i] + p->kernel->diagonal[t] - 2 * kernel_at(w, row_i, t);
        curve = curve > LEAST_CURVATURE ? curve : LEAST_CURVATURE;
        if (b * b / curve > best) {
            best = b * b / curve;
            j = t;
        }
    }
    status = row_of(w, j, row_j);
    if (status != PT_OK)
        return status;
    double curve = p->kernel->diagonal[i] + p->kernel->diagonal[j] - 2 * kernel_at(w, row_i, j);
    curve = curve > LEAST_CURVATURE ? curve : LEAST_CURVATURE;
    double t = (most + p->y[j] * w->g[j]) / curve;
    t = fmin(t, fmin(room(w, i, true), room(w, j, false)));
    move(w, i, t, row_i);
    move(w, j, -t, row_j);
    return PT_OK;
}

static pt_status step_one(const smo *w, bool *done)
{
    const pt_smo_problem *p = w->p;
    double best = 0;
    int64_t i = -1;
    for (int64_t t = 0; t < w->n; t++) {
        const double v = -p->y[t] * w->g[t];
        if (fabs(v) > p->eps && (v > 0 ? may_rise(w, t) : may_fall(w, t)) && fabs(v) > best) {
            best = fabs(v);
            i = t;
        }
    }
    *done = i < 0;
    if (*done)
        return PT_OK;
    const void *row[PT_SMO_PIECES];
    pt_status status = row_of(w, i, row);
    if (status != PT_OK)
        return status;
    const double v = -p->y[i] * w->g[i];
    const double t =
        fmin(fabs(v) / fmax(p->kernel->diagonal[i], LEAST_CURVATURE), room(w, i, v > 0));
    move(w, i, v > 0 ? t : -t, row);
    return PT_OK;
}

/* The bias: y_i g_i of the free variables on average, else the middle of what is allowed. */
static double bias_of(const smo *w)
{
    const pt_smo_problem *p = w->p;
    double sum = 0;
    double low = -INFINITY;
    double high = INFINITY;
    int64_t n_free = 0;
    for (int64_t t = 0; t < w->n; t++) {
        const double v = -p->y[t] * w->g[t];
        const bool up = may_rise(w, t);
        const bool down = may_fall(w, t);
        if (up && down) {
            sum += v;
            n_free++;
        } else if (up) {
            low = fmax(low, v);
        } else if (down) {
            high = fmin(high, v);
        }
    }
    if (n_free > 0)
        return sum / (double)n_free;
    return isfinite(low) && isfinite(high) ? (low + high) / 2
           : isfinite(low)                 ? low
           : isfinite(high)                ? high
                                           : 0;
}

static pt_status start(const smo *w)
{
    for (int64_t i = 0; i < w->n; i++)
        w->g[i] = -1;
    for (int64_t i = 0; i < w->n; i++) {
        const void *row[PT_SMO_PIECES];
        if (w->a[i] == 0)
            continue;
        pt_status status = row_of(w, i, row);
        if (status != PT_OK)
            return status;
        const double a = w->a[i];
        w->a[i] = 0;
        move(w, i, a * w->p->y[i], row);
    }
    return PT_OK;
}

pt_status pt_smo_solve(const pt_smo_problem *problem, double *a, pt_smo_result *result,
                       const pt_task *task, pt_error *err)
{
    const int64_t n = problem->n[0] + problem->n[1];
    const int64_t limit = problem->limit > 0 ? problem->limit : 10000000 + 100 * n;
    smo w = {.p = problem, .a = a, .n = n, .task = task, .err = err};
    w.g = pt_alloc(n, sizeof(double), "a gradient", err);
    pt_status status = w.g ? start(&w) : PT_ENOMEM;
    *result = (pt_smo_result){0};
    while (status == PT_OK && !result->converged && result->steps < limit) {
        status =
            problem->bias ? step_pair(&w, &result->converged) : step_one(&w, &result->converged);
        if (++result->steps % CHECK_EVERY == 0 && status == PT_OK)
            status = pt_task_check(task, err);
    }
    if (status == PT_OK) {
        result->bias = problem->bias ? bias_of(&w) : 0;
        for (int64_t i = 0; i < n; i++)
            result->objective += a[i] * (w.g[i] - 1) / 2;
    }
    pt_free(w.g);
    return status;
}
