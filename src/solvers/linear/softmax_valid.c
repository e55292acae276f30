/* The log loss of rows that validate,
 *
 *     sum_i c_i ( log sum_r exp(z_ir) - z_{i,y_i} ) ,   z_i = W^T x_i ,
 *
 * and the W for which it was smallest, the first of equal ones. */
#include "solvers/linear/softmax_valid.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"

enum { PIECE = 64 }; /* rows for each index of the parallel loop */

static int64_t pieces_of(const pt_softmax_valid *valid)
{
    return (valid->rows->n + PIECE - 1) / PIECE;
}

pt_status pt_softmax_valid_init(pt_softmax_valid *valid, pt_error *err)
{
    size_t bytes = 0;
    valid->least = INFINITY;
    if (!pt_size_mul((size_t)(valid->rows->d + 1), sizeof(double), &bytes))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    valid->W = pt_alloc(valid->k, bytes, "weights", err);
    valid->part = valid->W ? pt_alloc(pieces_of(valid), sizeof(double), "losses", err) : NULL;
    return valid->part ? PT_OK : PT_ENOMEM;
}

void pt_softmax_valid_free(pt_softmax_valid *valid)
{
    pt_free(valid->W);
    pt_free(valid->part);
}

/* x_i . w, and the bias. */
static double output(const pt_rows *rows, int64_t i, const double *w)
{
    double z = w[rows->d];
    if (rows->dense) {
        for (int64_t j = 0; j < rows->d; j++)
            z += pt_rows_value(rows, rows->dense, i * rows->stride + j) * w[j];
        return z;
    }
    for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p++)
        z += pt_rows_value(rows, rows->value, p) * w[rows->index[p]];
    return z;
}

typedef struct look {
    const pt_softmax_valid *valid;
    const double *W;
    const pt_task *task;
} look;

/* log sum_r exp(z_r), the terms taken from the largest so far. */
static double loss_of_row(const look *now, int64_t i)
{
    const pt_softmax_valid *v = now->valid;
    double top = output(v->rows, i, now->W);
    double total = 1; /* of exp(z - top) */
    double own = top;
    for (int64_t r = 1; r < v->k; r++) {
        const double z = output(v->rows, i, now->W + r * (v->rows->d + 1));
        total = z > top ? total * exp(top - z) + 1 : total + exp(z - top);
        top = fmax(top, z);
        own = r == v->class_of[i] ? z : own;
    }
    return log(total) + top - own;
}

static pt_status add_losses(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    const look *now = context;
    const pt_softmax_valid *v = now->valid;
    const int64_t width = v->k * (1 + pt_rows_width(v->rows));
    double sum = 0;
    for (int64_t i = piece * PIECE; i < pt_lesser(v->rows->n, (piece + 1) * PIECE); i++) {
        PT_TRY(pt_task_check_row(now->task, i, width, err));
        sum += pt_weight(v->weight, i) * loss_of_row(now, i);
    }
    v->part[piece] = sum;
    return PT_OK;
}

pt_status pt_softmax_valid_look(pt_softmax_valid *valid, const double *W, int64_t steps, bool *end,
                                const pt_task *task, pt_error *err)
{
    look now = {valid, W, task};
    double loss = 0;
    PT_TRY(pt_parallel_for(task, pieces_of(valid), add_losses, &now, err));
    for (int64_t piece = 0; piece < pieces_of(valid); piece++)
        loss += valid->part[piece];
    valid->seen++;
    if (loss < valid->least || valid->best == 0) {
        memcpy(valid->W, W, (size_t)((valid->rows->d + 1) * valid->k) * sizeof *W);
        valid->least = loss;
        valid->best = valid->seen;
        valid->steps = steps;
    }
    valid->ended = valid->seen - valid->best >= valid->patience;
    *end = valid->ended;
    return PT_OK;
}
