/* labels: threads */
/* Softmax that ends by rows that validate, against the solvers themselves, stopped after 1, 2 ...
 * iterations, and the loss as it is written. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "model/model.h"
#include "polytomy/experimental.h"
#include "solvers/linear/logistic.h"
#include "solvers/linear/softmax_l1.h"
#include "solvers/linear/softmax_valid.h"

enum { N = 160, M = 48, K = 3, D = 4, SIZE = K * (D + 1), MOST = 60 };

/* The first M rows are trained on, the others validate. */
typedef struct instance {
    small all;
    pt_rows rows[2];
    int64_t *start; /* the same, sparse: of all rows */
    int64_t *index;
    pt_rows sparse[2];
} instance;

static instance make(uint64_t seed)
{
    instance in = {.all = small_clouds(N, D, K, seed)};
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 9);
    in.all.weight = calloc(N, sizeof(double));
    in.start = calloc(N + 1, sizeof *in.start);
    in.index = calloc((size_t)N * D, sizeof *in.index);
    for (int64_t i = 0; i < N; i++) {
        in.all.weight[i] = 0.5 + pt_random_uniform(&random);
        in.start[i] = i * D;
        for (int64_t j = 0; j < D; j++)
            in.index[i * D + j] = j;
    }
    in.start[N] = (int64_t)N * D;
    for (int part = 0; part < 2; part++) {
        const int64_t first = part ? M : 0;
        in.rows[part] = (pt_rows){.n = part ? N - M : M, .d = D, .type = PT_F64, .stride = D};
        in.sparse[part] = in.rows[part];
        in.rows[part].dense = in.all.x + first * D;
        in.sparse[part].start = in.start + first;
        in.sparse[part].index = in.index;
        in.sparse[part].value = in.all.x;
    }
    return in;
}

static void drop(instance *in)
{
    small_free(&in->all);
    free(in->start);
    free(in->index);
}

/* sum_i c_i (log sum_r exp(z_ir) - z_{i,y_i}) of the rows that validate. */
static double loss_of(const instance *in, const double *W)
{
    double loss = 0;
    for (int64_t i = M; i < N; i++) {
        double sum = 0;
        double own = 0;
        for (int64_t r = 0; r < K; r++) {
            double z = W[r * (D + 1) + D];
            for (int64_t j = 0; j < D; j++)
                z += W[r * (D + 1) + j] * in->all.x[i * D + j];
            sum += exp(z);
            own = r == in->all.y[i] ? z : own;
        }
        loss += in->all.weight[i] * (log(sum) - own);
    }
    return loss;
}

/* The first of the smallest losses, where nobody looks further than `patience` behind it. */
static int best_of(const double *loss, int count, int patience)
{
    int best = 0;
    for (int t = 1; t < count && t - best <= patience; t++)
        if (loss[t] < loss[best])
            best = t;
    return best;
}

/* ---- the solvers ----------------------------------------------------------------------------- */

/* W after each iteration that somebody saw, and after which of them it was told to end. */
typedef struct seen {
    const pt_lane_rows *lanes;
    bool l1;
    int count;
    int end_at; /* 0: never */
    double W[MOST][SIZE];
    int64_t steps[MOST];
} seen;

static void spread(const pt_lane_rows *lanes, bool l1, const double *V, double *W)
{
    for (int r = 0; r < K; r++)
        pt_lane_rows_spread(lanes, l1 ? V + r * (lanes->d + 1) : V, l1 ? 1 : PT_LANES, l1 ? 0 : r,
                            W + r * (D + 1));
}

static pt_status look(void *context, const double *V, int64_t steps, bool *end, pt_error *err)
{
    (void)err;
    seen *s = context;
    assert_true(s->count < MOST);
    spread(s->lanes, s->l1, V, s->W[s->count]);
    s->steps[s->count] = steps;
    *end = ++s->count == s->end_at;
    return PT_OK;
}

/* W <- after at most `limit` iterations; *steps and the return value: how many, and whether it
 * converged. `of` NULL: nobody looks. */
static bool solve(const instance *in, bool sparse, bool l1, double C, int64_t limit, seen *of,
                  int64_t *steps, double *W)
{
    pt_error err = PT_ERROR_INIT;
    pt_lane_rows lanes = {0};
    double V[PT_LANES * (D + 1)] = {0};
    bool converged = false;
    small_must(pt_lane_rows_init(&lanes, sparse ? &in->sparse[0] : &in->rows[0], true, NULL, &err),
               &err, "rows");
    if (of)
        of->lanes = &lanes;
    if (l1) {
        pt_l1_columns columns = {0};
        pt_softmax_l1_result result = {0};
        double cost[M];
        for (int64_t i = 0; i < M; i++)
            cost[i] = (C > 1 ? 1 : C) * in->all.weight[i];
        small_must(pt_l1_columns_init(&columns, &lanes, NULL, &err), &err, "columns");
        const pt_softmax_l1 problem = {.columns = &columns,
                                       .k = K,
                                       .class_of = in->all.y,
                                       .cost = cost,
                                       .reg = C > 1 ? 1 / C : 1,
                                       .eps = 1e-3,
                                       .limit = limit ? limit : 1000,
                                       .seed = 5,
                                       .look = of ? look : NULL,
                                       .context = of};
        small_must(pt_softmax_l1_solve(&problem, V, &result, NULL, &err), &err, "solve");
        *steps = result.steps;
        converged = result.converged;
        pt_l1_columns_free(&columns);
    } else {
        pt_logistic_result result = {0};
        const pt_logistic problem = {.rows = &lanes,
                                     .ell = K,
                                     .width = PT_LANES,
                                     .group_of = in->all.y,
                                     .groups = K,
                                     .weight = in->all.weight,
                                     .C = C,
                                     .eps = 1e-3,
                                     .limit = limit,
                                     .look = of ? look : NULL,
                                     .context = of};
        small_must(pt_logistic_solve(&problem, V, &result, NULL, &err), &err, "solve");
        *steps = result.steps;
        converged = result.converged;
    }
    spread(&lanes, l1, V, W);
    pt_lane_rows_free(&lanes);
    return converged;
}

/* After each iteration W is that of a limit of so many; who only looks changes no bit. */
static void test_softmax_valid__looks_see_every_iteration(void **state)
{
    (void)state;
    seen s;
    int looks = 0;
    for (int c = 0; c < 8; c++) {
        instance in = make((uint64_t)c + 1);
        const bool l1 = c % 2;
        const bool sparse = c / 2 % 2;
        double alone[SIZE];
        double W[SIZE];
        int64_t steps = 0;
        s = (seen){.l1 = l1};
        const bool converged = solve(&in, sparse, l1, 3, 0, NULL, &steps, alone);
        assert_true(solve(&in, sparse, l1, 3, 0, &s, &steps, W) == converged);
        assert_memory_equal(W, alone, sizeof W);
        assert_true(s.count > 1);
        const int count = s.count;
        looks += count;
        for (int t = 0; t < count; t++) {
            (void)solve(&in, sparse, l1, 3, t + 1, NULL, &steps, W);
            assert_memory_equal(W, s.W[t], sizeof W);
            assert_int_equal(steps, s.steps[t]);
        }
        seen ends = {.l1 = l1, .end_at = count - 1};
        assert_false(solve(&in, sparse, l1, 3, 0, &ends, &steps, W));
        assert_int_equal(ends.count, count - 1);
        assert_memory_equal(W, s.W[count - 2], sizeof W);
        drop(&in);
    }
    assert_true(looks > 30);
}

/* ---- the loss -------------------------------------------------------------------------------- */

/* The losses of some W are as they are written, and the first of the best is kept. */
static void test_softmax_valid__the_first_of_the_best_is_kept(void **state)
{
    (void)state;
    enum { TRIES = 12 };
    pt_error err = PT_ERROR_INIT;
    for (int c = 0; c < 8; c++) {
        instance in = make((uint64_t)c + 20);
        const int patience = 1 + c;
        double least[2] = {0, 0};
        double W[TRIES][SIZE];
        double loss[TRIES];
        pt_random random;
        pt_random_init(&random, (uint64_t)c, PT_RANDOM_TEST, 3);
        for (int t = 0; t < TRIES; t++) {
            for (int q = 0; q < SIZE; q++)
                W[t][q] = pt_random_normal(&random);
            if (t % 3 == 2) /* equal ones */
                memcpy(W[t], W[t - 2], sizeof W[t]);
            loss[t] = loss_of(&in, W[t]);
        }
        const int best = best_of(loss, TRIES, patience);
        for (int threads = 1; threads <= 2; threads++) {
            pt_task *task = NULL;
            pt_softmax_valid v = {.rows = &in.rows[1],
                                  .class_of = in.all.y + M,
                                  .weight = in.all.weight + M,
                                  .k = K,
                                  .patience = patience};
            bool end = false;
            small_must(pt_task_new(&task, &err), &err, "task");
            pt_task_set_threads(task, threads);
            if (c % 2)
                v.rows = &in.sparse[1];
            small_must(pt_softmax_valid_init(&v, &err), &err, "init");
            for (int t = 0; t < TRIES && !end; t++) {
                small_must(pt_softmax_valid_look(&v, W[t], 10 * t, &end, task, &err), &err, "look");
                assert_true(end == (t - best_of(loss, t + 1, TRIES) >= patience));
            }
            assert_int_equal(v.best, best + 1);
            assert_int_equal(v.steps, 10 * best);
            assert_true(v.ended == end);
            assert_memory_equal(v.W, W[best], sizeof W[best]);
            assert_float_equal(v.least, loss[best], 1e-11 * loss[best]);
            least[threads - 1] = v.least;
            pt_softmax_valid_free(&v);
            pt_task_free(task);
        }
        assert_memory_equal(&least[0], &least[1], sizeof(double));
        drop(&in);
    }
}

/* Scores beyond the range of exp. */
static void test_softmax_valid__large_scores_have_a_loss(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const double x[] = {1, 1};
    static const int64_t y[] = {0, 2};
    const pt_rows rows = {.n = 2, .d = 1, .type = PT_F64, .stride = 1, .dense = x};
    const double W[] = {-2000, 0, 3000, 1, -5000, 0};
    pt_softmax_valid v = {.rows = &rows, .class_of = y, .k = 3, .patience = 1};
    bool end = true;
    small_must(pt_softmax_valid_init(&v, &err), &err, "init");
    small_must(pt_softmax_valid_look(&v, W, 1, &end, NULL, &err), &err, "look");
    assert_false(end);
    assert_float_equal(v.least, 5001 + 8001, 0);
    pt_softmax_valid_free(&v);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static pt_model *trained(const pt_dataset *data, const pt_dataset *valid, const char *words,
                         int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_task *task = NULL;
    pt_params *params = small_params(words);
    small_must(pt_task_new(&task, &err), &err, "task");
    pt_task_set_threads(task, threads);
    small_must(valid ? pt_model_train_validated(&model, data, valid, params, task, &err)
                     : pt_model_train(&model, data, params, task, &err),
               &err, words);
    pt_params_free(params);
    pt_task_free(task);
    return model;
}

static void expect_weights(const instance *in, const pt_model *model, const pt_dataset *all,
                           const double *W)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *p = NULL;
    small_must(pt_model_predict(&p, model, all, -1, NULL, &err), &err, "predict");
    for (int64_t i = 0; i < N; i++)
        for (int64_t r = 0; r < K; r++) {
            double z = W[r * (D + 1) + D];
            for (int64_t j = 0; j < D; j++)
                z += W[r * (D + 1) + j] * in->all.x[i * D + j];
            assert_float_equal(pt_prediction_scores(p)[i * K + r], z, 1e-10 * (1 + fabs(z)));
        }
    pt_prediction_free(p);
}

static int64_t steps_of(const pt_model *model)
{
    const char *at = strstr(pt_model_metadata(model), "\"steps\": ");
    assert_non_null(at);
    return strtoll(at + strlen("\"steps\": "), NULL, 10);
}

static void expect_same_bytes(const pt_model *a, const pt_model *b)
{
    pt_error err = PT_ERROR_INIT;
    void *bytes[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    small_must(pt_model_save_memory(&bytes[0], &size[0], a, &err), &err, "save");
    small_must(pt_model_save_memory(&bytes[1], &size[1], b, &err), &err, "save");
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    pt_bytes_free(bytes[0]);
    pt_bytes_free(bytes[1]);
}

/* The model is the W of the iteration that a slow search finds. */
static void test_softmax_valid__the_model_is_that_of_the_best_iteration(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    int earlier = 0;
    int ended = 0;
    for (int c = 0; c < 80; c++) {
        instance in = make((uint64_t)c + 40);
        const bool l1 = c % 2;
        const double C = c % 4 < 2 ? 500 : 0.01;
        double loss[MOST];
        double W[SIZE];
        char words[200];
        int64_t steps = 0;
        int64_t list[N];
        seen s = {.l1 = l1};
        for (int64_t i = 0; i < N; i++)
            list[i] = i;
        pt_dataset *all = small_dataset(&in.all);
        pt_dataset *train = NULL;
        pt_dataset *valid = NULL;
        small_must(pt_dataset_rows(&train, all, list, M, &err), &err, "rows");
        small_must(pt_dataset_rows(&valid, all, list + M, N - M, &err), &err, "rows");
        (void)solve(&in, false, l1, C, 0, &s, &steps, W);
        for (int t = 0; t < s.count; t++)
            loss[t] = loss_of(&in, s.W[t]);
        for (int patience = 1; patience < 20; patience *= 3) {
            const int best = best_of(loss, s.count, patience);
            snprintf(words, sizeof words,
                     "machine=softmax,scale=none,precision=double,merge=no,calibrate=no,eps=1e-3,"
                     "seed=5,penalty=%s,C=%g,patience=%d",
                     l1 ? "l1" : "l2", C, patience);
            pt_model *model = trained(train, valid, words, 1);
            pt_model *again = trained(train, valid, words, 3);
            expect_weights(&in, model, all, s.W[best]);
            assert_int_equal(steps_of(model), s.steps[best]);
            expect_same_bytes(model, again);
            earlier += best + 1 < s.count;
            ended += best != best_of(loss, s.count, MOST);
            pt_model_free(model);
            pt_model_free(again);
        }
        pt_dataset_free(valid);
        pt_dataset_free(train);
        pt_dataset_free(all);
        drop(&in);
    }
    assert_true(earlier > 5); /* or the last was always the best */
    assert_true(ended > 0);   /* or patience was never at its end */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax_valid__looks_see_every_iteration),
        cmocka_unit_test(test_softmax_valid__the_first_of_the_best_is_kept),
        cmocka_unit_test(test_softmax_valid__large_scores_have_a_loss),
        cmocka_unit_test(test_softmax_valid__the_model_is_that_of_the_best_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
