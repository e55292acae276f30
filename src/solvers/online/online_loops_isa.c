/* The loops of online_loops.h for one instruction set (PT_ISA). Scores are made by blocks of up to
 * 32 classes that stay in registers, features at even and odd places in sums of their own, so that
 * additions need not wait for each other. */
#include "solvers/online/online_loops.h"

enum {
    AHEAD = 16, /* features whose weights are fetched before they are used */
    LINE = 8    /* numbers that are fetched at once */
};

#define DEFINE_SCORES(WIDTH)                                                           \
    static inline void scores_##WIDTH(const double *restrict V, int64_t stride,        \
                                      const pt_online_row *x, double *restrict scores) \
    {                                                                                  \
        const int64_t *restrict index = x->index;                                      \
        const double *restrict value = x->value;                                       \
        double even[WIDTH] = {0};                                                      \
        double odd[WIDTH] = {0};                                                       \
        int64_t p = 0;                                                                 \
        for (; p + 2 <= x->count; p += 2) {                                            \
            const double *restrict v = V + index[p] * stride;                          \
            const double *restrict u = V + index[p + 1] * stride;                      \
            if (p + AHEAD + 2 <= x->count) {                                           \
                const double *w = V + index[p + AHEAD] * stride;                       \
                const double *t = V + index[p + AHEAD + 1] * stride;                   \
                for (int r = 0; r < WIDTH; r += LINE)                                  \
                    __builtin_prefetch(w + r);                                         \
                for (int r = 0; r < WIDTH; r += LINE)                                  \
                    __builtin_prefetch(t + r);                                         \
            }                                                                          \
            for (int r = 0; r < WIDTH; r++)                                            \
                even[r] += value[p] * v[r];                                            \
            for (int r = 0; r < WIDTH; r++)                                            \
                odd[r] += value[p + 1] * u[r];                                         \
        }                                                                              \
        for (; p < x->count; p++)                                                      \
            for (int r = 0; r < WIDTH; r++)                                            \
                even[r] += value[p] * V[index[p] * stride + r];                        \
        for (int r = 0; r < WIDTH; r++)                                                \
            scores[r] += even[r] + odd[r];                                             \
    }

DEFINE_SCORES(4)
DEFINE_SCORES(8)
DEFINE_SCORES(12)
DEFINE_SCORES(16)
DEFINE_SCORES(20)
DEFINE_SCORES(24)
DEFINE_SCORES(28)
DEFINE_SCORES(32)

static void loop_scores(const double *V, int64_t stride, const pt_online_row *x, double *scores)
{
    static void (*const LAST[])(const double *restrict, int64_t, const pt_online_row *,
                                double *restrict) = {scores_4,  scores_8,  scores_12, scores_16,
                                                     scores_20, scores_24, scores_28, scores_32};
    int64_t r = 0;
    for (; r + 32 < stride; r += 32)
        scores_32(V + r, stride, x, scores + r);
    if (r < stride)
        LAST[(stride - r) / PT_ONLINE_LANES - 1](V + r, stride, x, scores + r);
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

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

extern const pt_online_loops JOIN(pt_online_loops_, PT_ISA);
const pt_online_loops JOIN(pt_online_loops_, PT_ISA) = {loop_scores, loop_steps};
