/* Predictions after some of the rounds, and evaluations that follow a model through them. The model
 * has a machine of the test, whose outputs after t rounds are a sum written out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "machine/code_scores.h"
#include "machines/codes/machine_code.h"
#include "model/model.h"
#include "polytomy/experimental.h"

enum { D = 3, K = 4, T = 12, N = 5000 }; /* rows: more than one block */

/* ---- a machine of rounds ----------------------------------------------------------------------
 */

typedef struct rounds_machine {
    pt_machine base;
    pt_code code;
    pt_code_decoder decoder;
    double alpha[T];
    double error[T];
    bool discrete;
} rounds_machine;

/* h_t(x, s): +1 or -1, whatever. */
static int hypothesis(int64_t t, int64_t s, const double *x)
{
    return x[t % D] > 0.3 * (double)(t % 5 - 2) ? (s + t) % 3 == 0 ? -1 : 1 : s % 2 ? 1 : -1;
}

static double output_after(const rounds_machine *m, int64_t rounds, int64_t s, const double *x)
{
    double f = 0;
    for (int64_t t = 0; t < rounds; t++)
        f += m->alpha[t] * hypothesis(t, s, x);
    return f;
}

static void row_of(const pt_rows *rows, int64_t i, double *x)
{
    for (int64_t j = 0; j < D; j++)
        x[j] = pt_rows_value(rows, rows->dense, i * rows->stride + j);
}

static void outputs_after(const rounds_machine *m, int64_t rounds, const pt_rows *rows, double *f)
{
    for (int64_t i = 0; i < rows->n; i++) {
        double x[D];
        row_of(rows, i, x);
        for (int64_t s = 0; s < m->code.ell; s++)
            f[i * m->code.ell + s] = output_after(m, rounds, s, x);
    }
}

static pt_machine_parts parts(const pt_machine *machine)
{
    const rounds_machine *m = (const rounds_machine *)machine;
    pt_machine_parts parts = {
        .code = &m->code, .decoder = &m->decoder, .loss = &pt_loss_exp, .rounds = T};
    if (m->discrete)
        parts.boosting = (pt_boost_rounds){T, m->alpha, m->error};
    return parts;
}

static pt_status outputs(const pt_machine *machine, const pt_rows *rows, double *f,
                         const pt_task *task, pt_error *err)
{
    (void)task;
    (void)err;
    outputs_after((const rounds_machine *)machine, T, rows, f);
    return PT_OK;
}

static pt_status staged(const pt_machine *machine, const pt_rows *rows, const int64_t *rounds,
                        int64_t n_rounds, pt_staged_fn take, void *context, const pt_task *task,
                        pt_error *err)
{
    (void)task;
    const rounds_machine *m = (const rounds_machine *)machine;
    pt_status status = PT_OK;
    double *f = calloc((size_t)(rows->n * m->code.ell) + 1, sizeof *f);
    for (int64_t which = 0; which < n_rounds && status == PT_OK; which++) {
        assert_true(rounds[which] >= 0 && rounds[which] <= T);
        assert_true(which == 0 || rounds[which] > rounds[which - 1]);
        outputs_after(m, rounds[which], rows, f);
        status = take(context, which, f, err);
    }
    free(f);
    return status;
}

static void free_machine(pt_machine *machine)
{
    pt_code_free(&((rounds_machine *)machine)->code);
}

static const pt_machine_ops OPS = {.name = "rounds",
                                   .size = sizeof(rounds_machine),
                                   .scores = pt_code_scores,
                                   .parts = parts,
                                   .outputs = outputs,
                                   .staged = staged,
                                   .free = free_machine};

/* A model whose machine is replaced by that of the test. */
static pt_model *model_of_rounds(const pt_dataset *data, bool discrete)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = small_train(
        data, "code=ova,learner=ls,kernel=linear,ridge=1,decode=exp,scale=none,precision=double",
        1);
    rounds_machine *m = (rounds_machine *)pt_machine_new(&OPS, &err);
    m->discrete = discrete;
    small_must(pt_code_init(&m->code, model->params, K, NULL, NULL, NULL, &err), &err, "code");
    small_must(pt_decoder_for_code(&m->decoder, model->params, &m->code, &err), &err, "decoder");
    for (int t = 0; t < T; t++) {
        m->alpha[t] = 0.2 + 0.05 * (t % 4);
        m->error[t] = 1 / (1 + exp(2 * m->alpha[t]));
    }
    pt_machine_free(model->machine);
    model->machine = &m->base;
    return model;
}

/* ---- predictions ------------------------------------------------------------------------------
 */

static void test_rounds__predictions_after_some(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, D, K, 1);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = model_of_rounds(data, true);
    const rounds_machine *m = (const rounds_machine *)model->machine;
    assert_int_equal(pt_model_rounds(model), T);
    for (int64_t t = 0; t <= T; t++) {
        pt_prediction *after = NULL;
        small_must(pt_model_predict(&after, model, data, t, NULL, &err), &err, "prediction");
        for (int64_t i = 0; i < N; i += 97)
            for (int64_t r = 0; r < K; r++) {
                double sum = 0;
                for (int64_t c = 0; c < m->code.ell; c++)
                    sum += exp(-pt_code_entry(&m->code, r, c) * output_after(m, t, c, s.x + i * D));
                assert_true(fabs(pt_prediction_scores(after)[i * K + r] + log(sum)) < 1e-9);
            }
        pt_prediction_free(after);
    }
    pt_prediction *all = small_predict(model, data, 1);
    pt_prediction *last = NULL;
    small_must(pt_model_predict(&last, model, data, T, NULL, &err), &err, "prediction");
    assert_memory_equal(pt_prediction_scores(all), pt_prediction_scores(last),
                        N * K * sizeof(double));
    pt_prediction_free(last);
    pt_prediction_free(all);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_rounds__that_there_are_not_are_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(40, D, K, 2);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = model_of_rounds(data, true);
    pt_prediction *p = NULL;
    assert_int_equal(pt_model_predict(&p, model, data, T + 1, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "13 rounds: the model has 12"));
    assert_int_equal(pt_model_predict(&p, model, data, -2, NULL, &err), PT_EINVAL);
    assert_null(p);

    pt_report *e = NULL;
    pt_prediction *all = small_predict(model, data, 1);
    small_must(pt_model_evaluate(&e, model, data, all, NULL, NULL, &err), &err, "evaluation");
    assert_int_equal(pt_evaluate_rounds(e, model, data, (const int64_t[]){2, 2}, 2, NULL, &err),
                     PT_EINVAL);
    assert_int_equal(pt_evaluate_rounds(e, model, data, (const int64_t[]){2, 99}, 2, NULL, &err),
                     PT_EINVAL);
    assert_int_equal(pt_report_length(e, "stage_rounds"), 0);
    assert_true(isnan(pt_evaluate_margin_share(e, 0, 0)));
    pt_report_free(e);
    pt_prediction_free(all);
    pt_model_free(model);

    model = small_train(data, "code=ova,learner=ls,sigma=1,ridge=1", 1);
    assert_int_equal(pt_model_rounds(model), 0);
    assert_int_equal(pt_model_predict(&p, model, data, 0, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "not learned by rounds"));
    all = small_predict(model, data, 1);
    small_must(pt_model_evaluate(&e, model, data, all, NULL, NULL, &err), &err, "evaluation");
    small_must(pt_evaluate_rounds(e, model, data, (const int64_t[]){1}, 1, NULL, &err), &err,
               "nothing to follow");
    assert_int_equal(pt_report_length(e, "stage_rounds"), 0);
    pt_report_free(e);
    pt_prediction_free(all);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- evaluations ------------------------------------------------------------------------------
 */

/* Every stage is the diagnosis of the model after as many rounds. */
static void test_stages__are_diagnoses_after_their_rounds(void **state)
{
    static const char *const FIGURES[] = {"stage_loss_decoding_error", "stage_hamming_error",
                                          "stage_binary_error",        "stage_average_loss",
                                          "stage_loss_decoding_bound", "stage_hamming_bound"};
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, D, K, 3);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = model_of_rounds(data, true);
    const int64_t rounds[] = {0, 1, 4, T};
    pt_prediction *all = small_predict(model, data, 1);
    pt_report *followed = NULL;
    small_must(pt_model_evaluate(&followed, model, data, all, NULL, NULL, &err), &err,
               "evaluation");
    small_must(pt_evaluate_rounds(followed, model, data, rounds, 4, NULL, &err), &err, "stages");
    assert_int_equal(pt_report_length(followed, "stage_rounds"), 4);
    for (int64_t t = 0; t < 4; t++) {
        pt_prediction *after = NULL;
        pt_report *e = NULL;
        small_must(pt_model_predict(&after, model, data, rounds[t], NULL, &err), &err, "");
        small_must(pt_model_evaluate(&e, model, data, after, NULL, NULL, &err), &err, "evaluation");
        small_must(pt_evaluate_columns(e, model, data, NULL, &err), &err, "diagnosis");
        assert_int_equal(pt_report_integer_at(followed, "stage_rounds", t, 0, 0), rounds[t]);
        for (size_t f = 0; f < sizeof FIGURES / sizeof *FIGURES; f++)
            assert_true(pt_report_number_at(followed, FIGURES[f], t, 0, 0) ==
                        pt_report_number(e, FIGURES[f] + strlen("stage_")));
        /* it decodes with the exponential loss */
        assert_true(pt_report_number(e, "error") ==
                    pt_report_number_at(followed, "stage_loss_decoding_error", t, 0, 0));
        pt_report_free(e);
        pt_prediction_free(after);
    }
    assert_true(isnan(pt_report_number_at(followed, "stage_average_loss", 4, 0, 0)));
    /* once for a report */
    assert_int_equal(pt_evaluate_rounds(followed, model, data, rounds, 4, NULL, &err), PT_EINVAL);
    pt_report_free(followed);
    pt_prediction_free(all);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

static double margin_by_hand(const rounds_machine *m, int64_t rounds, const double *x, int64_t y)
{
    double eta = 0;
    double nu[K];
    for (int64_t t = 0; t < rounds; t++)
        eta += m->alpha[t];
    for (int64_t r = 0; r < K; r++) {
        double sum = 0;
        for (int64_t s = 0; s < m->code.ell; s++)
            sum += exp(-pt_code_entry(&m->code, r, s) * output_after(m, rounds, s, x));
        nu[r] = -log(sum / (double)m->code.ell) / eta;
    }
    double other = -INFINITY;
    for (int64_t r = 0; r < K; r++)
        if (r != y)
            other = fmax(other, nu[r]);
    return (nu[y] - other) / 2;
}

static void test_stages__margins_and_bounds(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, D, K, 4);
    pt_dataset *data = small_dataset(&s);
    const int64_t rounds[] = {1, 5, T};
    for (int discrete = 0; discrete < 2; discrete++) {
        pt_model *model = model_of_rounds(data, discrete);
        const rounds_machine *m = (const rounds_machine *)model->machine;
        pt_prediction *all = small_predict(model, data, 1);
        pt_report *e = NULL;
        small_must(pt_model_evaluate(&e, model, data, all, NULL, NULL, &err), &err, "evaluation");
        small_must(pt_evaluate_rounds(e, model, data, rounds, 3, NULL, &err), &err, "stages");
        for (int64_t t = 0; t < 3 && discrete; t++)
            for (double theta = -0.925; theta < 1; theta += 0.1) {
                int64_t count = 0;
                for (int64_t i = 0; i < N; i++)
                    count += margin_by_hand(m, rounds[t], s.x + i * D, s.y[i]) <= theta;
                assert_true(fabs(pt_evaluate_margin_share(e, t, theta) - (double)count / N) <
                            1e-12);
                assert_true(pt_evaluate_margin_share(e, t, theta) <=
                            pt_evaluate_margin_bound(e, t, PT_MARGIN_ROWS, theta));
                assert_true(pt_evaluate_margin_bound(e, t, PT_MARGIN_THEOREM_6, theta) > 0);
                /* these rounds were not learned on any rows: not on these either */
                assert_true(isnan(pt_evaluate_margin_bound(e, t, PT_MARGIN_THEOREM_3, theta)));
            }
        if (!discrete) {
            assert_true(isnan(pt_evaluate_margin_share(e, 0, 0.5)));
            assert_true(isnan(pt_evaluate_margin_bound(e, 0, PT_MARGIN_ROWS, 0.5)));
        }
        pt_report_free(e);
        pt_prediction_free(all);
        pt_model_free(model);
    }
    pt_dataset_free(data);
    small_free(&s);
}

static void test_stages__no_memory_leaves_nothing(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(30, D, K, 5);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = model_of_rounds(data, true);
    pt_prediction *all = small_predict(model, data, 1);
    pt_report *e = NULL;
    small_must(pt_model_evaluate(&e, model, data, all, NULL, NULL, &err), &err, "evaluation");
    pt_status status = PT_ENOMEM;
    for (int64_t number = 1; status != PT_OK; number++) {
        const int64_t before = pt_alloc_live();
        pt_alloc_fail_from(number);
        status = pt_evaluate_rounds(e, model, data, (const int64_t[]){1, T}, 2, NULL, &err);
        pt_alloc_fail_from(0);
        if (status != PT_OK) {
            assert_int_equal(status, PT_ENOMEM);
            assert_int_equal(pt_alloc_live(), before);
        }
        assert_true(number < 1000);
    }
    pt_report_free(e);
    pt_prediction_free(all);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds__predictions_after_some),
        cmocka_unit_test(test_rounds__that_there_are_not_are_refused),
        cmocka_unit_test(test_stages__are_diagnoses_after_their_rounds),
        cmocka_unit_test(test_stages__margins_and_bounds),
        cmocka_unit_test(test_stages__no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
