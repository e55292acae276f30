/* The multinomial logistic regression with absolute weights, class by class.
 *
 * As a function of the weights of one class alone the problem is a binary one: with
 * o_i = log sum over the other classes of e^z_iq,
 *
 *     log sum_q e^z_iq - z_{i,y_i} = log(1 + exp(-y (z_ir - o_i))) + what does not depend on z_ir ,
 *
 * y = 1 for the rows of class r and -1 for the others. A round takes one step of that problem
 * (logistic_l1.h) for each class in turn. What is minimised is convex and its rough part is a sum
 * over weights, so that rounds end at the minimum.
 *
 *   Z       k x n   outputs, class-major
 *   after   k x n   after_r = log sum over classes behind r of e^z, from the round's beginning
 *   before  n       log sum over classes before r, which have moved in this round */
#include "solvers/linear/softmax_l1.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

typedef struct softmax_descent {
    const pt_softmax_l1 *problem;
    int64_t n;
    double *W;
    double *Z;
    double *after;
    double *before;
    double *offset; /* n: -o */
    double *y;      /* n */
    pt_softmax_l1_result *result;
} softmax_descent;

/* log(e^a + e^b); -INFINITY is an empty sum. */
static double log_sum(double a, double b)
{
    const double high = a > b ? a : b;
    const double low = a > b ? b : a;
    return low == -INFINITY ? high : high + log1p(exp(low - high));
}

enum { LOG_CELLS = 32 }; /* a log of a sum takes as long as so many cells */

static pt_status sum_behind(softmax_descent *s, const pt_task *task, pt_error *err)
{
    const int64_t k = s->problem->k;
    for (int64_t i = 0; i < s->n; i++) {
        s->before[i] = -INFINITY;
        s->after[(k - 1) * s->n + i] = -INFINITY;
    }
    for (int64_t r = k - 1; r > 0; r--)
        for (int64_t i = 0; i < s->n; i++) {
            PT_TRY(pt_task_check_row(task, i, LOG_CELLS, err));
            s->after[(r - 1) * s->n + i] = log_sum(s->after[r * s->n + i], s->Z[r * s->n + i]);
        }
    return PT_OK;
}

/* One step of class r; *violation += what was measured before it. */
static pt_status move_class(softmax_descent *s, int64_t r, double *violation, const pt_task *task,
                            pt_error *err)
{
    const pt_softmax_l1 *p = s->problem;
    double *z = s->Z + r * s->n;
    for (int64_t i = 0; i < s->n; i++) {
        PT_TRY(pt_task_check_row(task, i, LOG_CELLS, err));
        s->y[i] = p->class_of[i] == r ? 1 : -1;
        s->offset[i] = -log_sum(s->before[i], s->after[r * s->n + i]);
    }
    pt_logistic_l1_result one = {0};
    const pt_logistic_l1 problem = {.columns = p->columns,
                                    .y = s->y,
                                    .cost = p->cost,
                                    .offset = s->offset,
                                    .reg = p->reg,
                                    .limit = 1,
                                    .seed = p->seed,
                                    .stream = (uint64_t)(s->result->steps + r)};
    PT_TRY(pt_logistic_l1_descend(&problem, s->W + r * (p->columns->d + 1), z, &one, task, err));
    for (int64_t i = 0; i < s->n; i++) {
        PT_TRY(pt_task_check_row(task, i, LOG_CELLS, err));
        s->before[i] = log_sum(s->before[i], z[i]);
    }
    *violation += one.first;
    s->result->steps += one.steps;
    return PT_OK;
}

/* What is minimised, of weights and their outputs. */
static double value_of(const softmax_descent *s, const double *W, const double *Z)
{
    const pt_softmax_l1 *p = s->problem;
    double loss = 0;
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double all = -INFINITY;
        for (int64_t r = 0; r < p->k; r++)
            all = log_sum(all, Z[r * s->n + i]);
        loss += p->cost[i] * (all - Z[p->class_of[i] * s->n + i]);
    }
    for (int64_t j = 0; j < p->k * (p->columns->d + 1); j++)
        sum += fabs(W[j]);
    return loss + p->reg * sum;
}

/* To the start, where the value is less there. Its outputs have the room of `after`, which the next
 * round makes anew. */
static pt_status take_start(softmax_descent *s, const pt_task *task, pt_error *err)
{
    const pt_softmax_l1 *p = s->problem;
    const size_t weights = (size_t)(p->k * (p->columns->d + 1)) * sizeof(double);
    const size_t outputs = (size_t)(p->k * s->n) * sizeof(double);
    memset(s->after, 0, outputs);
    for (int64_t r = 0; r < p->k; r++)
        PT_TRY(pt_l1_columns_times(p->columns, p->start + r * (p->columns->d + 1),
                                   s->after + r * s->n, s->y, s->offset, task, err));
    if (value_of(s, p->start, s->after) < value_of(s, s->W, s->Z)) {
        memcpy(s->W, p->start, weights);
        memcpy(s->Z, s->after, outputs);
    }
    return PT_OK;
}

static pt_status descend(softmax_descent *s, const pt_task *task, pt_error *err)
{
    const pt_softmax_l1 *p = s->problem;
    double first = 0;
    for (int64_t round = 0; round < p->limit && !s->result->converged; round++) {
        double violation = 0;
        const int64_t steps = s->result->steps;
        PT_TRY(sum_behind(s, task, err));
        for (int64_t r = 0; r < p->k; r++)
            PT_TRY(move_class(s, r, &violation, task, err));
        first = round == 0 ? violation : first;
        s->result->violation = first > 0 ? violation / first : 0;
        s->result->converged = s->result->violation <= p->eps || s->result->steps == steps;
        if (p->eps < 1 && s->result->violation > 0)
            pt_task_progress(task, "training",
                             fmin(1, fmax(0, log(s->result->violation) / log(p->eps))), 1);
        bool end = false;
        if (p->look)
            PT_TRY(p->look(p->context, s->W, s->result->steps, &end, err));
        if (end || pt_task_ends_early(task))
            break;
        if (round == 0 && p->start && !s->result->converged)
            PT_TRY(take_start(s, task, err));
    }
    return PT_OK;
}

pt_status pt_softmax_l1_solve(const pt_softmax_l1 *problem, double *W, pt_softmax_l1_result *result,
                              const pt_task *task, pt_error *err)
{
    const int64_t n = problem->columns->n;
    size_t row = 0;
    if (!pt_size_mul((size_t)n, 2 * sizeof(double), &row))
        return pt_fail_memory(err, "outputs", SIZE_MAX);
    PT_SCRATCH double *outputs = pt_alloc(problem->k, row, "outputs", err);
    PT_SCRATCH double *rows = outputs ? pt_alloc(3 * n, sizeof *rows, "outputs", err) : NULL;
    if (!rows)
        return PT_ENOMEM;
    PT_TRY(pt_task_clear(task, outputs, (size_t)problem->k * row, err));
    *result = (pt_softmax_l1_result){0};
    memset(W, 0, (size_t)(problem->k * (problem->columns->d + 1)) * sizeof *W);
    softmax_descent s = {.problem = problem,
                         .n = n,
                         .W = W,
                         .Z = outputs,
                         .after = outputs + problem->k * n,
                         .before = rows,
                         .offset = rows + n,
                         .y = rows + 2 * n,
                         .result = result};
    return descend(&s, task, err);
}
