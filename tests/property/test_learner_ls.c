/* Least squares through a code: every column is the machine that its own rows and signs give, one
 * factorisation or many; all pairs are ls-ovo; held-out scores are those of training again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/dense_reference.h"
#include "../support/validation.h"
#include "base/alloc.h"
#include "base/random.h"
#include "learners/learner_ls.h"
#include "machine/training.h"
#include "machines/codes/machine_code.h"

enum { N = 48, N_NEW = 17, D = 3, K = 5, MOST = 12 };

/* ---- a code by hand ---------------------------------------------------------------------------
 */

/* Signs without a column of zeros; `zeros`: a third of them is 0. */
static void draw_signs(int8_t *sign, int64_t ell, bool zeros, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 1);
    for (int64_t s = 0; s < ell; s++)
        for (int64_t used = 0; used < 2;) {
            used = 0;
            for (int64_t g = 0; g < K; g++) {
                const int64_t draw = pt_random_below(&random, zeros ? 3 : 2);
                sign[g * ell + s] = (int8_t)(draw == 2 ? 0 : 2 * draw - 1);
                used += sign[g * ell + s] != 0;
            }
        }
}

/* f (on->n x ell) of every column by itself: elimination on its rows. */
static double *reference_outputs(const small *s, const small *on, const pt_columns *c,
                                 kernel_fn kernel)
{
    double *f = calloc((size_t)(on->n * c->ell), sizeof *f);
    double *K_all = gram(s, s, kernel);
    double *K_new = gram(on, s, kernel);
    for (int64_t q = 0; q < c->ell; q++) {
        int64_t row[N], m = 0;
        double S[N * N], y[N];
        for (int64_t i = 0; i < s->n; i++)
            if (pt_columns_sign(c, s->y[i], q) != 0)
                row[m++] = i;
        for (int64_t i = 0; i < m; i++) {
            y[i] = pt_columns_sign(c, s->y[row[i]], q);
            for (int64_t j = 0; j < m; j++)
                S[i * m + j] = K_all[row[i] * s->n + row[j]];
            S[i * m + i] += REFERENCE_RIDGE / (s->weight ? s->weight[row[i]] : 1);
        }
        double *a = reference_solve(S, y, m, 1);
        for (int64_t i = 0; i < on->n; i++)
            for (int64_t j = 0; j < m; j++)
                f[i * c->ell + q] += a[j] * K_new[i * s->n + row[j]];
        free(a);
    }
    free(K_all);
    free(K_new);
    return f;
}

static pt_rows rows_of(const small *s)
{
    return (pt_rows){.n = s->n, .d = s->d, .type = PT_F64, .dense = s->x, .stride = s->d};
}

/* The learner's outputs, before and after a round through the arrays of a file. */
static void expect_outputs(const pt_rows *rows, const pt_rows *new_rows, const pt_columns *c,
                           const char *options, const double *expected)
{
    pt_error err = PT_ERROR_INIT;
    pt_learner *learner = NULL;
    pt_learner *loaded = NULL;
    pt_warnings warnings = {0};
    pt_pack pack = {0};
    int64_t used = 0;
    pt_params *params = small_params(options);
    const size_t cells = (size_t)(new_rows->n * c->ell);
    double *f = calloc(cells, sizeof *f);
    double *again = calloc(cells, sizeof *again);
    small_must(pt_learner_fit(&learner, &pt_learner_ls, rows, c, params, NULL, &warnings, &err),
               &err, options);
    small_must(pt_learner_ls.outputs(learner, new_rows, f, NULL, &err), &err, options);
    expect_close(f, expected, (int64_t)cells, 1e-8, options);
    small_must(pt_pack_begin(&pack, &err), &err, "pack");
    small_must(pt_learner_ls.save(learner, &pack, &err), &err, "save");
    small_must(
        pt_learner_load(&loaded, &pt_learner_ls, &pack, rows->d, c, params, &used, NULL, &err),
        &err, "load");
    assert_int_equal(used, pack.count);
    small_must(pt_learner_ls.outputs(loaded, new_rows, again, NULL, &err), &err, options);
    assert_memory_equal(f, again, cells * sizeof *f);
    pt_pack_free(&pack);
    pt_learner_free(loaded);
    pt_learner_free(learner);
    pt_warnings_free(&warnings);
    pt_params_free(params);
    free(f);
    free(again);
}

static void check_code(const pt_columns *columns, bool weighted, int64_t d)
{
    small s = small_clouds(N, d, K, 5);
    small on = small_clouds(N_NEW, d, K, 6);
    pt_columns c = *columns;
    c.n = N;
    c.group_of = s.y;
    if (weighted) {
        s.weight = calloc(N, sizeof *s.weight);
        for (int i = 0; i < N; i++)
            s.weight[i] = 0.5 + i % 3;
        c.weight = s.weight;
    }
    const pt_rows rows = rows_of(&s);
    const pt_rows new_rows = rows_of(&on);
    for (int q = 0; q < N_KERNELS; q++) {
        char options[200];
        snprintf(options, sizeof options, "ridge=0.3,precision=double,%s", KERNELS[q].options);
        double *expected = reference_outputs(&s, &on, &c, KERNELS[q].kernel);
        expect_outputs(&rows, &new_rows, &c, options, expected);
        free(expected);
    }
    /* The same values as a precomputed kernel. */
    double *K_all = gram(&s, &s, kernel_rbf);
    double *K_new = gram(&on, &s, kernel_rbf);
    const pt_rows square = {.n = N, .d = N, .type = PT_F64, .dense = K_all, .stride = N};
    const pt_rows against = {.n = N_NEW, .d = N, .type = PT_F64, .dense = K_new, .stride = N};
    double *expected = reference_outputs(&s, &on, &c, kernel_rbf);
    expect_outputs(&square, &against, &c, "ridge=0.3,precision=double,kernel=precomputed",
                   expected);
    free(expected);
    free(K_all);
    free(K_new);
    small_free(&s);
    small_free(&on);
}

static void test_ls__columns_are_their_own_machines(void **state)
{
    (void)state;
    int8_t sign[K * MOST];
    for (int zeros = 0; zeros < 2; zeros++)
        for (int64_t ell = 2; ell <= MOST; ell += 5) { /* fewer columns than groups, and more */
            draw_signs(sign, ell, zeros, (uint64_t)ell);
            const pt_columns c = {.groups = K, .ell = ell, .sign = sign};
            check_code(&c, false, D);
            check_code(&c, true, D);
        }
}

static void test_ls__pairs_are_their_own_machines(void **state)
{
    (void)state;
    const pt_columns c = {.groups = K, .ell = pt_pairs_count(K), .pairs = true};
    check_code(&c, false, D);
    check_code(&c, true, D);
}

/* More columns of the data than rows: a linear kernel goes by the dual. */
static void test_ls__long_rows(void **state)
{
    (void)state;
    int8_t sign[K * MOST];
    draw_signs(sign, MOST, true, 3);
    const pt_columns sparse = {.groups = K, .ell = MOST, .sign = sign};
    check_code(&sparse, false, N + 9);
    int8_t whole[K * 3];
    draw_signs(whole, 3, false, 4);
    const pt_columns dense = {.groups = K, .ell = 3, .sign = whole};
    check_code(&dense, false, N + 9);
    const pt_columns pairs = {.groups = K, .ell = pt_pairs_count(K), .pairs = true};
    check_code(&pairs, false, N + 9);
}

/* Columns with the same groups share a factorisation: the plan counts its multiplications. */
static void test_ls__plan_counts_factorisations(void **state)
{
    (void)state;
    small s = small_clouds(N, D, K, 5);
    const pt_rows rows = rows_of(&s);
    pt_params *params = small_params("ridge=1,kernel=rbf,sigma=1");
    int8_t sign[K * MOST];
    pt_error err = PT_ERROR_INIT;
    double flops[2];
    for (int many = 0; many < 2; many++) {
        const int64_t ell = many ? MOST : 1;
        for (int64_t i = 0; i < K * ell; i++) /* the same zero in every column */
            sign[i] = (int8_t)(i / ell == 0 ? 0 : (i * 7) % 3 == 0 ? 1 : -1);
        const pt_columns c = {.n = N, .group_of = s.y, .groups = K, .ell = ell, .sign = sign};
        pt_plan plan = {0};
        small_must(pt_learner_ls.plan(&rows, &c, params, NULL, &plan, &err), &err, "plan");
        flops[many] = plan.flops;
    }
    assert_true(flops[0] > 0 && flops[0] == flops[1]);
    pt_params_free(params);
    small_free(&s);
}

/* ---- machines ----------------------------------------------------------------------------------
 */

/* All pairs, voting: ls-ovo to the last bit. */
static void test_ls__all_pairs_are_ls_ovo(void **state)
{
    (void)state;
    small s = small_clouds(120, 4, 6, 8);
    small on = small_clouds(60, 4, 6, 9);
    for (int q = 0; q < N_KERNELS; q++)
        for (int vote = 0; vote < 2; vote++) {
            char a[200];
            char b[200];
            const char *decode = vote ? "hamming" : "inner";
            snprintf(a, sizeof a, "machine=ls-ovo,ridge=0.1,decode=%s,%s", decode,
                     KERNELS[q].options);
            snprintf(b, sizeof b, "code=ovo,learner=ls,ridge=0.1,decode=%s,%s", decode,
                     KERNELS[q].options);
            double *pairs = scores_of(&s, a, &on);
            double *code = scores_of(&s, b, &on);
            assert_memory_equal(pairs, code, 60 * 6 * sizeof *pairs);
            free(pairs);
            free(code);
        }
    small_free(&s);
    small_free(&on);
}

/* One against all: the order of the scores is oneLSM's (HNR Theorem 5). */
static void test_ls__one_against_all_decides_as_onelsm(void **state)
{
    (void)state;
    small s = small_clouds(120, 4, 6, 8);
    small on = small_clouds(60, 4, 6, 9);
    double *one = scores_of(&s, "machine=onelsm,ridge=0.1,kernel=rbf,sigma=1.1", &on);
    double *code = scores_of(&s, "code=ova,learner=ls,ridge=0.1,kernel=rbf,sigma=1.1", &on);
    for (int64_t i = 0; i < 60; i++)
        assert_int_equal(small_argmax(one + i * 6, 6), small_argmax(code + i * 6, 6));
    free(one);
    free(code);
    small_free(&s);
    small_free(&on);
}

/* ---- held-out scores ---------------------------------------------------------------------------
 */

typedef struct taken {
    int64_t cells;
    double *scores; /* points x partitions x cells */
    int64_t n_partitions;
} taken;

static pt_status take(void *context, int64_t point, int64_t partition, const double *scores,
                      pt_error *err)
{
    (void)err;
    taken *t = context;
    assert_non_null(scores);
    memcpy(t->scores + (point * t->n_partitions + partition) * t->cells, scores,
           (size_t)t->cells * sizeof *scores);
    return PT_OK;
}

static void test_ls__held_out_scores_are_those_of_training_again(void **state)
{
    (void)state;
    static const char *const points[] = {
        "code=ova,learner=ls,precision=double,kernel=rbf,sigma=0.7,ridge=0.1,decode=square",
        "code=ova,learner=ls,precision=double,kernel=rbf,sigma=0.7,ridge=0.1,decode=hamming",
        "code=ova,learner=ls,precision=double,kernel=rbf,sigma=3,ridge=2,decode=exp",
    };
    enum { POINTS = 3, REPEATS = 2 };
    for (int64_t k = 2; k <= 5; k += 3) {
        pt_error err = PT_ERROR_INIT;
        small s = small_clouds(70, 3, k, 12);
        pt_dataset *data = small_dataset(&s);
        pt_params *given[POINTS];
        for (int p = 0; p < POINTS; p++)
            given[p] = small_params(points[p]);
        if (k == 2) /* one pair has no zeros */
            small_must(pt_params_set(given[1], "code", "ovo", &err), &err, "code");
        pt_training training;
        small_must(pt_training_init(&training, data, given[0], NULL, &err), &err, "training");
        pt_params *how = small_params("folds=7,repeat=2");
        pt_fold_set folds = {0};
        small_must(pt_fold_set_init(&folds, &training.problem, how, &err), &err, "folds");
        const size_t all = (size_t)(POINTS * REPEATS * s.n * k);
        taken closed = {s.n * k, calloc(all, sizeof(double)), REPEATS};
        taken brute = {s.n * k, calloc(all, sizeof(double)), REPEATS};
        for (int p = 0; p < POINTS; p++)
            assert_true(pt_machine_code.holdout_exact(&training.problem, given[p]));
        small_must(held_out_scores(&pt_machine_code, &training.problem,
                                   (const pt_params *const *)given, POINTS, &folds.partitions, take,
                                   &closed, NULL, &err),
                   &err, "closed form");
        small_must(held_out_by_training(&pt_machine_code, &training.problem,
                                        (const pt_params *const *)given, POINTS, &folds.partitions,
                                        take, &brute, NULL, &err),
                   &err, "brute force");
        expect_close(closed.scores, brute.scores, (int64_t)all, 1e-8, "held-out scores");
        free(closed.scores);
        free(brute.scores);
        pt_fold_set_free(&folds);
        pt_params_free(how);
        pt_training_free(&training);
        for (int p = 0; p < POINTS; p++)
            pt_params_free(given[p]);
        pt_dataset_free(data);
        small_free(&s);
    }
}

/* Whether a family says of itself what its codes are. */
static void test_ls__families_tell_of_zeros(void **state)
{
    (void)state;
    for (const pt_code_family *const *family = pt_code_families; *family; family++) {
        pt_error err = PT_ERROR_INIT;
        pt_code code = {0};
        char options[100];
        snprintf(options, sizeof options, "code=%s", (*family)->name);
        pt_params *params = small_params(options);
        small_must(pt_code_init(&code, params, 10, NULL, NULL, NULL, &err), &err, options);
        bool zeros = code.pairs;
        for (int64_t i = 0; !code.pairs && i < code.k * code.ell; i++)
            zeros = zeros || code.M[i] == 0;
        assert_int_equal(zeros, (*family)->zeros);
        pt_code_free(&code);
        pt_params_free(params);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ls__columns_are_their_own_machines),
        cmocka_unit_test(test_ls__pairs_are_their_own_machines),
        cmocka_unit_test(test_ls__long_rows),
        cmocka_unit_test(test_ls__plan_counts_factorisations),
        cmocka_unit_test(test_ls__all_pairs_are_ls_ovo),
        cmocka_unit_test(test_ls__one_against_all_decides_as_onelsm),
        cmocka_unit_test(test_ls__held_out_scores_are_those_of_training_again),
        cmocka_unit_test(test_ls__families_tell_of_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
