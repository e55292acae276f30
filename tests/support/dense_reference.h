/* Slow, plain references for kernel machines: elimination in long double, kernels from their
 * formulas. Include after cmocka.h. */
#ifndef PT_TESTS_DENSE_REFERENCE_H
#define PT_TESTS_DENSE_REFERENCE_H

#include <math.h>

#include "small_problem.h"

static const double REFERENCE_RIDGE = 0.3;
static const double REFERENCE_SIGMA = 1.1;

/* Solves S A = B by elimination with pivoting in long double: S is n x n, B and A are n x ell. */
static inline double *reference_solve(const double *S, const double *B, int64_t n, int64_t ell)
{
    const int64_t width = n + ell;
    long double *T = calloc((size_t)(n * width), sizeof *T);
    double *A = calloc((size_t)(n * ell), sizeof *A);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            T[i * width + j] = S[i * n + j];
        for (int64_t s = 0; s < ell; s++)
            T[i * width + n + s] = B[i * ell + s];
    }
    for (int64_t p = 0; p < n; p++) {
        int64_t best = p;
        for (int64_t i = p + 1; i < n; i++)
            if (fabsl(T[i * width + p]) > fabsl(T[best * width + p]))
                best = i;
        for (int64_t j = 0; j < width; j++) {
            const long double keep = T[p * width + j];
            T[p * width + j] = T[best * width + j];
            T[best * width + j] = keep;
        }
        for (int64_t i = 0; i < n; i++) {
            if (i == p)
                continue;
            const long double factor = T[i * width + p] / T[p * width + p];
            for (int64_t j = p; j < width; j++)
                T[i * width + j] -= factor * T[p * width + j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < ell; s++)
            A[i * ell + s] = (double)(T[i * width + n + s] / T[i * width + i]);
    free(T);
    return A;
}

static inline double dot(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += a[j] * b[j];
    return sum;
}

typedef double (*kernel_fn)(const double *a, const double *b, int64_t d);

static inline double kernel_linear(const double *a, const double *b, int64_t d)
{
    return dot(a, b, d);
}

static inline double kernel_rbf(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return exp(-sum / (2 * REFERENCE_SIGMA * REFERENCE_SIGMA));
}

static inline double kernel_laplacian(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += fabs(a[j] - b[j]);
    return exp(-sum / REFERENCE_SIGMA);
}

static inline double kernel_poly(const double *a, const double *b, int64_t d)
{
    const double v = dot(a, b, d) / (REFERENCE_SIGMA * REFERENCE_SIGMA) + 0.5;
    return v * v;
}

/* Kernel values of all rows of a against all rows of b: a->n x b->n. */
static inline double *gram(const small *a, const small *b, kernel_fn kernel)
{
    double *K = calloc((size_t)(a->n * b->n), sizeof *K);
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t j = 0; j < b->n; j++)
            K[i * b->n + j] = kernel(a->x + i * a->d, b->x + j * b->d, a->d);
    return K;
}

/* K + gamma W^-1. */
static inline double *regularised(const double *K, const small *s)
{
    double *S = calloc((size_t)(s->n * s->n), sizeof *S);
    memcpy(S, K, (size_t)(s->n * s->n) * sizeof *S);
    for (int64_t i = 0; i < s->n; i++)
        S[i * s->n + i] += REFERENCE_RIDGE / (s->weight ? s->weight[i] : 1);
    return S;
}

static const struct {
    const char *options;
    kernel_fn kernel;
} KERNELS[] = {
    {"kernel=linear", kernel_linear},
    {"kernel=rbf,sigma=1.1", kernel_rbf},
    {"kernel=laplacian,sigma=1.1", kernel_laplacian},
    {"kernel=poly,sigma=1.1,degree=2,coef0=0.5", kernel_poly},
};
enum { N_KERNELS = sizeof KERNELS / sizeof *KERNELS };

/* Takes the mean over the classes off each row: what the decoder leaves open (decode_vectors.c). */
static inline void centre_rows(double *scores, int64_t n, int64_t k)
{
    for (int64_t i = 0; i < n; i++) {
        double mean = 0;
        for (int64_t r = 0; r < k; r++)
            mean += scores[i * k + r] / (double)k;
        for (int64_t r = 0; r < k; r++)
            scores[i * k + r] -= mean;
    }
}

static inline double *scores_of(const small *from, const char *options, const small *on)
{
    pt_dataset *train = small_dataset(from);
    pt_dataset *test = small_dataset(on);
    double *scores = small_scores(train, options, test);
    pt_dataset_free(train);
    pt_dataset_free(test);
    return scores;
}

static inline void expect_close(const double *a, const double *b, int64_t count, double tolerance,
                                const char *what)
{
    double size = 0;
    for (int64_t i = 0; i < count; i++)
        size = fmax(size, fabs(b[i]));
    const double distance = small_distance(a, b, count);
    if (!(distance <= tolerance * fmax(size, 1)))
        fail_msg("%s: %g apart (size %g)", what, distance, size);
}

#endif
