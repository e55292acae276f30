/* The support vector machine over pairs, slow and obvious: a vector in R^(k (d + 1)) for every pair
 * (Kesler's construction), one multiplier after the other. Include after cmocka.h. */
#ifndef PT_TESTS_KESLER_REFERENCE_H
#define PT_TESTS_KESLER_REFERENCE_H

#include "labelled_rows.h"

typedef struct kesler {
    int64_t m;    /* pairs of all examples */
    int64_t size; /* k' (d + 1) */
    int64_t k;    /* k' */
    int64_t d;
    double *vector; /* m x size */
    double *bound;  /* m */
    double *alpha;  /* m */
    double *w;      /* size */
    double primal;
    double dual;
} kesler;

/* how: the pairs of a label, PT_PAIRS_... */
static inline kesler kesler_new(const labelled *l, unsigned how, bool bias, bool weighted, double C)
{
    kesler q = {.k = pt_label_pairs_n_classes(l->labels, how), .d = l->d};
    pt_label_pair *pairs = calloc((size_t)pt_label_pairs_most(l->labels, how) + 1, sizeof *pairs);
    q.size = q.k * (l->d + 1);
    for (int64_t i = 0; i < l->n; i++)
        q.m += pt_label_pairs_count(l->labels, i, how);
    q.vector = calloc((size_t)(q.m * q.size), sizeof(double));
    q.bound = calloc((size_t)q.m, sizeof(double));
    q.alpha = calloc((size_t)q.m, sizeof(double));
    q.w = calloc((size_t)q.size, sizeof(double));
    int64_t at = 0;
    for (int64_t i = 0; i < l->n; i++) {
        const int64_t count = pt_label_pairs_of(l->labels, i, how, pairs);
        for (int64_t p = 0; p < count; p++, at++) {
            double *v = q.vector + at * q.size;
            for (int64_t f = 0; f <= l->d; f++) {
                const double x = f < l->d ? l->x[i * l->d + f] : bias ? 1 : 0;
                v[pairs[p].before * (l->d + 1) + f] += x;
                v[pairs[p].after * (l->d + 1) + f] -= x;
            }
            q.bound[at] = C * (weighted ? l->weight[i] : 1);
        }
    }
    assert_int_equal(at, q.m);
    free(pairs);
    return q;
}

static inline void kesler_free(kesler *q)
{
    free(q->vector);
    free(q->bound);
    free(q->alpha);
    free(q->w);
}

static inline double kesler_dot(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t f = 0; f < count; f++)
        sum += a[f] * b[f];
    return sum;
}

/* One multiplier after the other, until primal and dual agree. */
static inline void kesler_solve(kesler *q, double gap)
{
    double *square = calloc((size_t)q->m, sizeof *square);
    for (int64_t p = 0; p < q->m; p++)
        square[p] = kesler_dot(q->vector + p * q->size, q->vector + p * q->size, q->size);
    for (int sweep = 0; sweep < 200000; sweep++) {
        for (int64_t p = 0; p < q->m; p++) {
            const double *v = q->vector + p * q->size;
            const double slope = kesler_dot(v, q->w, q->size) - 1;
            const double free_place = square[p] > 0 ? q->alpha[p] - slope / square[p] : INFINITY;
            const double next = fmin(fmax(free_place, 0), q->bound[p]);
            for (int64_t f = 0; f < q->size && next != q->alpha[p]; f++)
                q->w[f] += (next - q->alpha[p]) * v[f];
            q->alpha[p] = next;
        }
        if (sweep % 50)
            continue;
        q->primal = 0.5 * kesler_dot(q->w, q->w, q->size);
        q->dual = -q->primal;
        for (int64_t p = 0; p < q->m; p++) {
            const double z = kesler_dot(q->vector + p * q->size, q->w, q->size);
            q->primal += q->bound[p] * fmax(0, 1 - z);
            q->dual += q->alpha[p];
        }
        if (q->primal - q->dual <= gap * q->dual)
            break;
    }
    assert_true(q->primal - q->dual <= gap * q->dual);
    free(square);
}

/* scores (n x classes) of the slow machine; of sets less the threshold's. */
static inline void kesler_scores(const kesler *q, const labelled *l, bool bias, double *scores)
{
    const int64_t size = l->d + 1;
    double *x = calloc((size_t)size, sizeof *x);
    for (int64_t i = 0; i < l->n; i++) {
        memcpy(x, l->x + i * l->d, (size_t)l->d * sizeof *x);
        x[l->d] = bias ? 1 : 0;
        for (int64_t r = 0; r < l->k; r++)
            scores[i * l->k + r] = kesler_dot(q->w + r * size, x, size) -
                                   (q->k > l->k ? kesler_dot(q->w + l->k * size, x, size) : 0);
    }
    free(x);
}

#endif
