/* The loops of online_loops.h for one instruction set (PT_ISA). Scores are made by blocks of up to
 * 32 classes that stay in registers, features at even and odd places in sums of their own, so that
 * additions need not wait for each other. */
#include "solvers/online/online_loops.h"

enum {
    AHEAD = 16, /* features whose weights are fetched before they are used */
    MOST = 32,  /* classes of a block */
    LINE = 8    /* numbers that are fetched at once */
};

#define ALWAYS static inline __attribute__((always_inline)) /* for the width it is called with */

/* scores <- scores + those of `width` classes. */
ALWAYS void scores_of(const int width, const double *restrict V, int64_t stride,
                      const pt_online_row *x, double *restrict scores)
{
    const int64_t *restrict index = x->index;
    const double *restrict value = x->value;
    double even[MOST] = {0};
    double odd[MOST] = {0};
    int64_t p = 0;
    for (; p + 2 <= x->count; p += 2) {
        const double *restrict v = V + index[p] * stride;
        const double *restrict u = V + index[p + 1] * stride;
        if (p + AHEAD + 2 <= x->count) {
            const double *w = V + index[p + AHEAD] * stride;
            const double *t = V + index[p + AHEAD + 1] * stride;
            for (int r = 0; r < width; r += LINE)
                __builtin_prefetch(w + r);
            for (int r = 0; r < width; r += LINE)
                __builtin_prefetch(t + r);
        }
        for (int r = 0; r < width; r++)
            even[r] += value[p] * v[r];
        for (int r = 0; r < width; r++)
            odd[r] += value[p + 1] * u[r];
    }
    for (; p < x->count; p++)
        for (int r = 0; r < width; r++)
            even[r] += value[p] * V[index[p] * stride + r];
    for (int r = 0; r < width; r++)
        scores[r] += even[r] + odd[r];
}

static void loop_scores(const double *V, int64_t stride, const pt_online_row *x, double *scores)
{
    int64_t r = 0;
    for (; r + MOST <= stride; r += MOST)
        scores_of(MOST, V + r, stride, x, scores + r);
    switch (stride - r) { /* a multiple of PT_ONLINE_LANES */
    case 4:
        scores_of(4, V + r, stride, x, scores + r);
        break;
    case 8:
        scores_of(8, V + r, stride, x, scores + r);
        break;
    case 12:
        scores_of(12, V + r, stride, x, scores + r);
        break;
    case 16:
        scores_of(16, V + r, stride, x, scores + r);
        break;
    case 20:
        scores_of(20, V + r, stride, x, scores + r);
        break;
    case 24:
        scores_of(24, V + r, stride, x, scores + r);
        break;
    case 28:
        scores_of(28, V + r, stride, x, scores + r);
        break;
    default:
        break;
    }
}

static void loop_steps(double *restrict V, int64_t stride, const pt_online_row *x, double by,
                       const double *restrict tau, bool far)
{
    for (int64_t p = 0; p < x->count; p++) {
        double *restrict v = V + x->index[p] * stride;
        const double step = by * x->value[p];
        if (far && p + AHEAD < x->count)
            for (int64_t r = 0; r < stride; r += LINE)
                __builtin_prefetch(V + x->index[p + AHEAD] * stride + r, 1);
        for (int64_t r = 0; r < stride; r += PT_ONLINE_LANES)
            for (int c = 0; c < PT_ONLINE_LANES; c++)
                v[r + c] += step * tau[r + c];
    }
}

const pt_online_loops PT_ISA_OWN(pt_online_loops) = {loop_scores, loop_steps};
