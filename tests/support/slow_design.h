/* Discrete codes judged and found the slow, obvious way, to compare with. */
#ifndef PT_TESTS_SLOW_DESIGN_H
#define PT_TESTS_SLOW_DESIGN_H

#include <stdint.h>
#include <string.h>

#include "base/random.h"
#include "codes/design/design.h"

/* CS eq. (1), written as it stands: chance decides among the classes with the largest score. */
static inline double slow_error(const pt_design_data *data, const int8_t *M)
{
    double total = 0;
    double right = 0;
    for (int64_t i = 0; i < data->m; i++) {
        double score[64];
        double top = 0;
        int64_t ties = 0;
        const double weight = data->weight ? data->weight[i] : 1;
        for (int64_t r = 0; r < data->k; r++) {
            score[r] = 0;
            for (int64_t t = 0; t < data->ell; t++)
                score[r] += M[r * data->ell + t] * data->H[i * data->ell + t];
            top = r == 0 || score[r] > top ? score[r] : top;
        }
        for (int64_t r = 0; r < data->k; r++)
            ties += score[r] == top;
        total += weight;
        if (score[data->class_of[i]] == top)
            right += weight / (double)ties;
    }
    return 1 - right / total;
}

/* The next code in the order of an odometer over `n_values` values; 0 after the last. Entries of
 * columns before `fixed` stay. */
static inline int slow_next(int8_t *M, int64_t k, int64_t ell, int64_t fixed, const int8_t *values,
                            int n_values)
{
    for (int64_t r = 0; r < k; r++)
        for (int64_t t = fixed; t < ell; t++) {
            int8_t *entry = &M[r * ell + t];
            int at = 0;
            while (values[at] != *entry)
                at++;
            *entry = values[(at + 1) % n_values];
            if (at + 1 < n_values)
                return 1;
        }
    return 0;
}

/* The smallest error of all codes whose first columns are those of `given`. */
static inline double slow_best(const pt_design_data *data, const int8_t *given, int64_t fixed,
                               const int8_t *values, int n_values)
{
    int8_t M[256];
    double best = 2;
    for (int64_t r = 0; r < data->k; r++)
        for (int64_t t = 0; t < data->ell; t++)
            M[r * data->ell + t] = t < fixed ? given[r * data->ell + t] : values[0];
    do {
        const double error = slow_error(data, M);
        best = error < best ? error : best;
    } while (slow_next(M, data->k, data->ell, fixed, values, n_values));
    return best;
}

/* Outputs of a problem at random. */
typedef struct slow_outputs {
    double H[4096];
    int64_t class_of[512];
    double weight[512];
    pt_design_data data;
} slow_outputs;

/* kind 0: signs; 1: signs with some 0; 2: real numbers; 3: bits. Weighted: by 1, 2 or 3, so that
 * many sums tie. Outputs have something to do with the classes. */
static inline void slow_draw(slow_outputs *o, int64_t m, int64_t k, int64_t ell, int kind,
                             int weighted, pt_random *random)
{
    for (int64_t i = 0; i < m; i++) {
        o->class_of[i] = pt_random_below(random, k);
        o->weight[i] = 1 + (double)pt_random_below(random, 3);
        for (int64_t t = 0; t < ell; t++) {
            const double lean = ((o->class_of[i] >> (t % 3)) & 1) != 0 ? 0.4 : -0.4;
            const double h = 2 * pt_random_uniform(random) - 1 + lean;
            double *out = &o->H[i * ell + t];
            *out = kind == 2 ? h : h > 0 ? 1 : kind == 3 ? 0 : -1;
            if (kind == 1 && pt_random_below(random, 5) == 0)
                *out = 0;
        }
    }
    o->data = (pt_design_data){.m = m,
                               .k = k,
                               .ell = ell,
                               .H = o->H,
                               .class_of = o->class_of,
                               .weight = weighted ? o->weight : NULL};
}

#endif
