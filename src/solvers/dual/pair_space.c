/* Inner products and scores of examples, linear or by kernel values: see pair_solvers.h. */
#include "solvers/dual/pair_solvers.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "linalg/linalg.h"

enum {
    LANES = PT_CLASS_LANES,
    PIECE = 64,   /* examples that a thread takes at a time */
    AT_ONCE = 64, /* kernel rows that are asked for together, */
    SOME = 8      /* and where they are copied from a cache */
};

double pt_pair_space_bytes(int64_t n, int64_t d, int64_t k)
{
    const double linear = d > 0 ? 8 * pt_class_weights_cells(d, k) : 8.0 * SOME * (double)n;
    return linear + 16 * (double)n + 8 * (double)d + 100 * (double)k;
}

void pt_pair_space_free(pt_pair_space *space)
{
    pt_free(space->row);
    pt_free(space->buffer);
    pt_free(space->work);
    pt_free(space->bias);
    pt_free(space->weights.M);
    pt_free(space->square);
    memset(space, 0, sizeof *space);
}

static pt_status init_linear(pt_pair_space *s, pt_error *err)
{
    if (!pt_class_weights_plan(&s->weights, s->rows, s->k))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    s->weights.M = pt_alloc_zero(s->weights.cells, sizeof(double), "weights", err);
    s->work = pt_alloc_zero(s->rows->d, sizeof(double), "a row", err);
    for (int64_t i = 0; i < s->n; i++)
        s->square[i] = s->rows->square[i] + s->one;
    return s->weights.M && s->work ? PT_OK : PT_ENOMEM;
}

static pt_status init_kernel(pt_pair_space *s, pt_error *err)
{
    const double *diagonal = pt_kernel_store_diagonal(s->store);
    s->at_once = pt_kernel_store_whole(s->store) ? AT_ONCE : SOME;
    s->buffer = pt_alloc((int64_t)pt_kernel_store_buffer(s->store, s->at_once), 1, "rows", err);
    s->row = pt_alloc(s->at_once, sizeof *s->row, "rows", err);
    for (int64_t i = 0; i < s->n; i++)
        s->square[i] = diagonal[i] + s->one;
    return s->buffer && s->row ? PT_OK : PT_ENOMEM;
}

pt_status pt_pair_space_init(pt_pair_space *space, const pt_linear_rows *rows,
                             pt_kernel_store *store, int64_t k, bool bias, pt_error *err)
{
    *space = (pt_pair_space){.n = rows    ? rows->n
                                  : store ? pt_kernel_store_n(store)
                                          : 0,
                             .k = k,
                             .one = bias ? 1 : 0,
                             .rows = rows,
                             .store = store};
    space->square = pt_alloc(space->n, sizeof(double), "lengths of rows", err);
    space->bias = pt_alloc_zero(pt_round_up(k, LANES), sizeof(double), "a bias", err);
    if (!space->square || !space->bias)
        return PT_ENOMEM;
    return rows ? init_linear(space, err) : init_kernel(space, err);
}

static double value_of(pt_type type, const void *values, int64_t place)
{
    return type == PT_F32 ? (double)((const float *)values)[place]
                          : ((const double *)values)[place];
}

/* ---- products -------------------------------------------------------------------------------- */

/* work <- row i of the rows, or 0 where it has values. */
static void spread(const pt_pair_space *s, int64_t i, bool clear)
{
    const pt_linear_rows *rows = s->rows;
    const int64_t first = rows->dense ? i * rows->stride : rows->start[i];
    const int64_t last = rows->dense ? first + rows->d : rows->start[i + 1];
    for (int64_t p = first; p < last; p++)
        s->work[rows->dense ? p - first : rows->index[p]] =
            clear ? 0 : value_of(rows->type, rows->dense ? rows->dense : rows->value, p);
}

static double product_with_work(const pt_pair_space *s, int64_t i)
{
    const pt_linear_rows *rows = s->rows;
    const int64_t first = rows->dense ? i * rows->stride : rows->start[i];
    const int64_t last = rows->dense ? first + rows->d : rows->start[i + 1];
    double sum = s->one;
    for (int64_t p = first; p < last; p++)
        sum += s->work[rows->dense ? p - first : rows->index[p]] *
               value_of(rows->type, rows->dense ? rows->dense : rows->value, p);
    return sum;
}

pt_status pt_pair_space_products(pt_pair_space *s, int64_t i, const int64_t *list, int64_t count,
                                 double *out, const pt_task *task, pt_error *err)
{
    if (s->rows) {
        spread(s, i, false);
        for (int64_t c = 0; c < count; c++)
            out[c] = product_with_work(s, list[c]);
        spread(s, i, true);
        return PT_OK;
    }
    const pt_status status = pt_kernel_store_rows(s->store, &i, 1, s->buffer, s->row, task, err);
    for (int64_t c = 0; c < count && status == PT_OK; c++)
        out[c] = s->one + value_of(pt_kernel_store_type(s->store), s->row[0], list[c]);
    return status;
}

/* ---- scores ---------------------------------------------------------------------------------- */

typedef struct score_work {
    pt_pair_space *space;
    const pt_class_loops *loops;
    const double *tau; /* of `count` kernel rows: count x k */
    int64_t count;
    double *F;
} score_work;

static pt_status linear_body(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    const score_work *b = context;
    const pt_pair_space *s = b->space;
    const int64_t end = piece * PIECE + PIECE < s->n ? piece * PIECE + PIECE : s->n;
    double *g = pt_alloc(pt_round_up(s->k, LANES), sizeof *g, "scores", err);
    if (!g)
        return PT_ENOMEM;
    for (int64_t i = piece * PIECE; i < end; i++) {
        b->loops->scores(&s->weights, i, NULL, s->k, g);
        for (int64_t r = 0; r < s->k; r++)
            b->F[i * s->k + r] = g[r] + s->bias[r];
    }
    pt_free(g);
    return PT_OK;
}

static pt_status linear_scores(pt_pair_space *s, const int64_t *support, int64_t count,
                               const double *tau, double *F, const pt_task *task, pt_error *err)
{
    pt_entry *classes = pt_alloc(s->k, sizeof *classes, "a row", err);
    if (!classes)
        return PT_ENOMEM;
    const pt_class_loops *loops = pt_class_loops_for(&s->weights, false);
    for (int64_t r = 0; r < s->k; r++)
        classes[r].column = r;
    memset(s->weights.M, 0, (size_t)s->weights.cells * sizeof(double));
    for (int64_t c = 0; c < count; c++)
        loops->add(&s->weights, support[c], classes, s->k, tau + c * s->k);
    pt_free(classes);
    score_work b = {.space = s, .loops = loops, .F = F};
    return pt_parallel_for(task, (s->n + PIECE - 1) / PIECE, linear_body, &b, err);
}

/* F <- F + the share of the rows at hand. */
static pt_status kernel_body(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const score_work *b = context;
    const pt_pair_space *s = b->space;
    const pt_type type = pt_kernel_store_type(s->store);
    const int64_t begin = piece * PIECE;
    const int64_t some = begin + PIECE < s->n ? PIECE : s->n - begin;
    double values[AT_ONCE * PIECE];
    for (int64_t c = 0; c < b->count; c++)
        for (int64_t i = 0; i < some; i++)
            values[c * PIECE + i] = value_of(type, s->row[c], begin + i);
    pt_la_gemm(PT_F64, 'n', 't', s->k, some, b->count, 1, b->tau, s->k, values, PIECE, 1,
               b->F + begin * s->k, s->k);
    return PT_OK;
}

static pt_status kernel_scores(pt_pair_space *s, const int64_t *support, int64_t count,
                               const double *tau, double *F, const pt_task *task, pt_error *err)
{
    for (int64_t i = 0; i < s->n; i++)
        memcpy(F + i * s->k, s->bias, (size_t)s->k * sizeof *F);
    for (int64_t from = 0; from < count; from += s->at_once) {
        const int64_t some = count - from < s->at_once ? count - from : s->at_once;
        score_work b = {.space = s, .tau = tau + from * s->k, .count = some, .F = F};
        PT_TRY(pt_kernel_store_rows(s->store, support + from, some, s->buffer, s->row, task, err));
        PT_TRY(pt_parallel_for(task, (s->n + PIECE - 1) / PIECE, kernel_body, &b, err));
    }
    return PT_OK;
}

pt_status pt_pair_space_scores(pt_pair_space *s, const int64_t *support, int64_t count,
                               const double *tau, double *F, const pt_task *task, pt_error *err)
{
    for (int64_t r = 0; r < s->k; r++) {
        s->bias[r] = 0;
        for (int64_t c = 0; c < count; c++)
            s->bias[r] += s->one * tau[c * s->k + r];
    }
    return s->rows ? linear_scores(s, support, count, tau, F, task, err)
                   : kernel_scores(s, support, count, tau, F, task, err);
}
