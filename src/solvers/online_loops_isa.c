/* The loop of online_loops.h for one instruction set (PT_ISA). Scores are made by blocks of 16, 8
 * and 4 classes that stay in registers, features at even and odd places in sums of their own, so
 * that additions need not wait for each other. */
#include "solvers/online_loops.h"

enum { AHEAD = 8 }; /* features whose weights are fetched before they are used */

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
                __builtin_prefetch(V + index[p + AHEAD] * stride);                     \
                __builtin_prefetch(V + index[p + AHEAD + 1] * stride);                 \
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
DEFINE_SCORES(16)

static void loop_scores(const double *V, int64_t stride, const pt_online_row *x, double *scores)
{
    int64_t r = 0;
    for (; r + 16 <= stride; r += 16)
        scores_16(V + r, stride, x, scores + r);
    if (r + 8 <= stride) {
        scores_8(V + r, stride, x, scores + r);
        r += 8;
    }
    if (r + 4 <= stride)
        scores_4(V + r, stride, x, scores + r);
}

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

extern const pt_online_loops JOIN(pt_online_loops_, PT_ISA);
const pt_online_loops JOIN(pt_online_loops_, PT_ISA) = {loop_scores};
