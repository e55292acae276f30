/* Which points of a grid float32 cannot do, told from the matrix of base values alone: those whose
 * matrix K + gamma W^-1 is too ill-conditioned, and those whose kernel is so narrow that the values
 * of nearest neighbours underflow.
 *
 * The condition number is estimated by lambda_max / (gamma min 1/w), with lambda_max about n times
 * the mean of |k| over pairs: exact for a constant kernel, and a lower bound for a positive one. */
#include <math.h>

#include "base/alloc.h"
#include "validate/squares/ls_holdout.h"

/* Above this estimate of the condition number, float32 (1.2e-7) leaves outputs good to about a
 * percent in the worst case. */
static const double FLOAT_CONDITION = 1e5;
/* float32 exp(-v) is denormal from here on. */
static const double FLOAT_EXPONENT = 85;

typedef struct spread {
    double nearest; /* the largest distance to a nearest neighbour, as a base value */
    double *sample; /* some base values off the diagonal */
    int64_t count;
} spread;

enum { SPREAD_SAMPLE = 4096 };
enum { PAIR_CELLS = 4 }; /* a pair takes as long as so many cells that are copied */

/* What the matrix of base values says about how narrow and how large the kernel will be. */
static pt_status spread_measure(spread *out, const pt_tiles *base, const pt_task *task,
                                pt_error *err)
{
    const int64_t n = base->n;
    PT_SCRATCH double *nearest = pt_alloc(n, sizeof(double), "nearest neighbours", err);
    out->sample = pt_alloc(SPREAD_SAMPLE, sizeof(double), "a sample of distances", err);
    if (!nearest || !out->sample) /* the caller frees the sample */
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        nearest[i] = INFINITY;
    const int64_t pairs = n * (n - 1) / 2;
    const int64_t every = pairs / SPREAD_SAMPLE + 1;
    int64_t seen = 0;
    out->count = 0;
    for (int64_t t = 0; t < pt_tiles_count(base); t++) {
        int64_t I = 0;
        int64_t J = 0;
        pt_tiles_place(base, t, &I, &J);
        const float *f32 = pt_tile_at(base, I, J);
        const double *f64 = pt_tile_at(base, I, J);
        for (int64_t j = 0; j < pt_tile_rows(base, J); j++) {
            PT_TRY(pt_task_check_row(task, j, PAIR_CELLS * base->nb, err));
            for (int64_t i = I == J ? j + 1 : 0; i < pt_tile_rows(base, I); i++) {
                const int64_t place = j * base->nb + i;
                const double v = base->type == PT_F32 ? (double)f32[place] : f64[place];
                double *a = &nearest[I * base->nb + i];
                double *b = &nearest[J * base->nb + j];
                *a = v < *a ? v : *a;
                *b = v < *b ? v : *b;
                if (seen++ % every == 0 && out->count < SPREAD_SAMPLE)
                    out->sample[out->count++] = v;
            }
        }
    }
    out->nearest = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(nearest[i]) && nearest[i] > out->nearest)
            out->nearest = nearest[i];
    return PT_OK;
}

/* An estimate of lambda_max / gamma: n times the mean of |k| over pairs. */
static bool needs_double(const spread *s, const pt_ls_point *point, int64_t n,
                         double smallest_shift)
{
    const pt_kernel *kernel = &point->kernel;
    if (kernel->ops->base == PT_BASE_SQUARED_DISTANCE &&
        s->nearest / (2 * kernel->sigma * kernel->sigma) > FLOAT_EXPONENT)
        return true;
    if (kernel->ops->base == PT_BASE_L1_DISTANCE && s->nearest / kernel->sigma > FLOAT_EXPONENT)
        return true;
    double sum = 0;
    for (int64_t i = 0; i < s->count; i++) {
        double v = s->sample[i];
        pt_kernel_map(kernel, PT_F64, 1, 1, &v, 1);
        sum += fabs(v + point->offset);
    }
    const double mean = s->count > 0 ? sum / (double)s->count : 1;
    return (double)n * mean / (point->ridge * smallest_shift) > FLOAT_CONDITION;
}

pt_status pt_ls_need_double(bool *need, const pt_tiles *base, const pt_ls_point *points,
                            int64_t n_points, double smallest_shift, const pt_task *task,
                            pt_error *err)
{
    spread s = {0, NULL, 0};
    const pt_status status = spread_measure(&s, base, task, err);
    for (int64_t i = 0; status == PT_OK && i < n_points; i++)
        need[i] = needs_double(&s, &points[i], base->n, smallest_shift);
    pt_free(s.sample);
    return status;
}
