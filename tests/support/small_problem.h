/* Small problems for tests, and the public calls with the checks that every test would repeat.
 * Include after cmocka.h. */
#ifndef PT_TESTS_SMALL_PROBLEM_H
#define PT_TESTS_SMALL_PROBLEM_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/task.h"
#include "from_memory.h"
#include "polytomy/polytomy.h"

/* n examples of d features in k classes, class i % k; x is n x d, row-major. */
typedef struct small {
    int64_t n;
    int64_t d;
    int64_t k;
    double *x;
    int64_t *y;
    double *weight; /* NULL: all 1 */
} small;

/* Normal clouds around k random centres; they overlap, so that nothing is trivially right. */
static inline small small_clouds(int64_t n, int64_t d, int64_t k, uint64_t seed)
{
    small s = {n, d, k, NULL, NULL, NULL};
    s.x = calloc((size_t)(n * d), sizeof *s.x);
    s.y = calloc((size_t)n, sizeof *s.y);
    double *centre = calloc((size_t)(k * d), sizeof *centre);
    if (!s.x || !s.y || !centre)
        abort();
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < k * d; i++)
        centre[i] = pt_random_normal(&random);
    for (int64_t i = 0; i < n; i++) {
        s.y[i] = i % k;
        for (int64_t j = 0; j < d; j++)
            s.x[i * d + j] = centre[s.y[i] * d + j] + 0.7 * pt_random_normal(&random);
    }
    free(centre);
    return s;
}

static inline void small_free(small *s)
{
    free(s->x);
    free(s->y);
    free(s->weight);
}

static inline void small_must(pt_status status, const pt_error *err, const char *what)
{
    if (status != PT_OK)
        fail_msg("%s: %s: %s", what, pt_status_name(status), err->text);
}

static inline pt_dataset *small_dataset(const small *s)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    small_must(dataset_from_f64(&data, s->x, s->n, s->d, s->d, &err), &err, "data set");
    if (s->y)
        small_must(dataset_set_numbers(data, s->y, &err), &err, "labels");
    if (s->weight)
        small_must(dataset_set_weights(data, s->weight, &err), &err, "weights");
    return data;
}

/* The same with the zeros left out. */
static inline pt_dataset *small_sparse_dataset(const small *s)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    const size_t cells = (size_t)(s->n * s->d);
    int64_t *start = calloc((size_t)s->n + 1, sizeof *start);
    int64_t *index = calloc(cells + 1, sizeof *index);
    double *value = calloc(cells + 1, sizeof *value);
    int64_t used = 0;
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j < s->d; j++)
            if (s->x[i * s->d + j] != 0) {
                index[used] = j;
                value[used++] = s->x[i * s->d + j];
            }
        start[i + 1] = used;
    }
    small_must(dataset_from_csr(&data, start, index, value, s->n, s->d, &err), &err,
               "sparse data set");
    if (s->y)
        small_must(dataset_set_numbers(data, s->y, &err), &err, "labels");
    if (s->weight)
        small_must(dataset_set_weights(data, s->weight, &err), &err, "weights");
    free(start);
    free(index);
    free(value);
    return data;
}

static inline pt_params *small_params(const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    small_must(pt_params_new(&params, &err), &err, "parameters");
    small_must(pt_params_parse(params, options, &err), &err, options);
    return params;
}

static inline pt_task *small_task(int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    small_must(pt_task_new(&task, &err), &err, "task");
    pt_task_set_threads(task, threads);
    return task;
}

/* May fail: the status is returned. */
static inline pt_status small_try_train(pt_model **model, const pt_dataset *data,
                                        const char *options, int threads, pt_error *err)
{
    pt_params *params = NULL;
    pt_status status = pt_params_new(&params, err);
    if (status == PT_OK)
        status = pt_params_parse(params, options, err);
    pt_task *task = small_task(threads);
    if (status == PT_OK)
        status = pt_model_train(model, data, params, task, err);
    pt_task_free(task);
    pt_params_free(params);
    return status;
}

static inline pt_model *small_train(const pt_dataset *data, const char *options, int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    small_must(small_try_train(&model, data, options, threads, &err), &err, options);
    return model;
}

static inline pt_prediction *small_predict(const pt_model *model, const pt_dataset *data,
                                           int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *prediction = NULL;
    pt_task *task = small_task(threads);
    small_must(pt_model_predict(&prediction, model, data, -1, task, &err), &err, "prediction");
    pt_task_free(task);
    return prediction;
}

/* The scores (n x k) of `on` after training on `from`: free() them. */
static inline double *small_scores(const pt_dataset *from, const char *options,
                                   const pt_dataset *on)
{
    pt_model *model = small_train(from, options, 1);
    pt_prediction *prediction = small_predict(model, on, 1);
    const size_t cells = (size_t)(pt_prediction_n_examples(prediction) * pt_model_n_classes(model));
    double *scores = calloc(cells + 1, sizeof *scores);
    if (!scores)
        abort();
    memcpy(scores, pt_prediction_scores(prediction), cells * sizeof *scores);
    pt_prediction_free(prediction);
    pt_model_free(model);
    return scores;
}

static inline double small_distance(const double *a, const double *b, int64_t count)
{
    double largest = 0;
    for (int64_t i = 0; i < count; i++) {
        const double difference = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        if (!(difference <= largest)) /* NaN counts as far */
            largest = difference;
    }
    return largest;
}

static inline int64_t small_argmax(const double *scores, int64_t k)
{
    int64_t best = 0;
    for (int64_t r = 1; r < k; r++)
        if (scores[r] > scores[best])
            best = r;
    return best;
}

#endif
