/* AdaBoost.MO: equal to a slow textbook version to the bit, and what ASS section 5 says of it. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "machine/machine.h"
#include "machine/training.h"
#include "validate/auto.h"

enum { N = 120, D = 4, K = 4, MOST = 32, ROUNDS = 20, LANES = 8 };

typedef struct trained {
    pt_params *params;
    pt_training t;
    pt_machine *machine;
    pt_machine_parts parts;
} trained;

static pt_dataset *make_data(bool weights, uint64_t seed)
{
    small s = small_clouds(N, D, K, seed);
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 5);
    for (int64_t i = 0; i < N; i++) {
        s.x[i * D + 1] = floor(3 * s.x[i * D + 1]);
        if (pt_random_below(&random, 5) < 1 + (s.y[i] == 2))
            s.x[i * D + 2] = NAN;
    }
    if (weights) {
        s.weight = calloc(N, sizeof *s.weight);
        for (int64_t i = 0; i < N; i++)
            s.weight[i] = 0.5 + pt_random_uniform(&random);
    }
    pt_dataset *data = small_dataset(&s);
    small_free(&s);
    return data;
}

static void train(trained *x, const pt_dataset *data, const char *settings, int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_task *task = small_task(threads);
    *x = (trained){.params = small_params(settings)};
    small_must(pt_training_init(&x->t, data, x->params, task, &err), &err, settings);
    small_must(pt_training_resolve(&x->t, task, &err), &err, settings);
    const pt_machine_ops *ops = pt_machine_find(pt_params_text(x->t.params, PT_P_MACHINE));
    small_must(
        pt_machine_fit(&x->machine, ops, &x->t.problem, x->t.params, task, &x->t.warnings, &err),
        &err, settings);
    x->parts = ops->parts(x->machine);
    pt_task_free(task);
}

static void drop(trained *x)
{
    pt_machine_free(x->machine);
    pt_training_free(&x->t);
    pt_params_free(x->params);
}

static double *outputs_of(const trained *x)
{
    pt_error err = PT_ERROR_INIT;
    double *f = calloc((size_t)(N * x->parts.code->ell), sizeof *f);
    small_must(x->machine->ops->outputs(x->machine, &x->t.problem.rows, f, NULL, &err), &err,
               "outputs");
    return f;
}

static double cell(const trained *x, int64_t i, int64_t f)
{
    const pt_rows *rows = &x->t.problem.rows;
    return pt_rows_value(rows, rows->dense, i * rows->stride + f);
}

static int entry(const trained *x, int64_t i, int64_t s)
{
    return pt_code_entry(x->parts.code, x->t.problem.labels->class_of[i], s);
}

static double weight_of(const trained *x, int64_t i)
{
    return x->t.problem.weight ? x->t.problem.weight[i] : 1;
}

/* ---- the textbook ------------------------------------------------------------------------------
 */

typedef struct test {
    int64_t feature;
    double last; /* the largest value on the IN side */
    double gain;
    double sum[MOST][3][2]; /* +, - of IN, OUT, missing */
} test;

typedef struct book {
    const trained *x;
    bool confidence;
    double c;
    double weight[N][MOST];
    double f[N][MOST];
    double alpha[ROUNDS];
    double error[ROUNDS];
} book;

static double rounded(double gain)
{
    uint64_t bits = 0;
    memcpy(&bits, &gain, sizeof bits);
    bits = (bits + 0x1000) & ~(uint64_t)0x1fff;
    memcpy(&gain, &bits, sizeof bits);
    return gain;
}

static double worth(const book *b, double plus, double minus)
{
    return b->confidence ? -sqrt(fmax(plus, 0) * fmax(minus, 0)) : fabs(plus - minus);
}

static double sum_lanes(const double *l)
{
    return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static int64_t values_of(const trained *x, int64_t f, double *value)
{
    int64_t m = 0;
    for (int64_t i = 0; i < N; i++)
        if (!isnan(cell(x, i, f)))
            value[m++] = cell(x, i, f);
    qsort(value, (size_t)m, sizeof *value, by_value);
    int64_t kept = 0;
    for (int64_t j = 0; j < m; j++)
        if (kept == 0 || value[kept - 1] != value[j])
            value[kept++] = value[j];
    return kept;
}

/* Weight of column s at value v of a feature (NaN: missing), by side, rows in order. */
static void sum_at(const book *b, int64_t s, int64_t f, double v, double w[2])
{
    w[0] = w[1] = 0;
    for (int64_t i = 0; i < N; i++) {
        const double x = cell(b->x, i, f);
        const int sign = entry(b->x, i, s);
        if (sign != 0 && (x == v || (isnan(x) && isnan(v))))
            w[sign < 0] += b->weight[i][s];
    }
}

static void try_feature(const book *b, int64_t f, test *best)
{
    static double value[N];
    static double at[N][MOST][2];
    static test here;
    const int64_t ell = b->x->parts.code->ell;
    const int64_t m = values_of(b->x, f, value);
    double all[MOST][2] = {{0}};
    double in[MOST][2] = {{0}};
    double missing[LANES] = {0};
    here = (test){.feature = f, .gain = -INFINITY};
    for (int64_t v = 0; v < m; v++)
        for (int64_t s = 0; s < ell; s++) {
            sum_at(b, s, f, value[v], at[v][s]);
            all[s][0] += at[v][s][0];
            all[s][1] += at[v][s][1];
        }
    for (int64_t v = 0; v < m; v++) {
        double lanes[LANES] = {0};
        for (int64_t s = 0; s < ell; s++) {
            in[s][0] += at[v][s][0];
            in[s][1] += at[v][s][1];
            lanes[s % LANES] +=
                worth(b, in[s][0], in[s][1]) + worth(b, all[s][0] - in[s][0], all[s][1] - in[s][1]);
        }
        const double gain = rounded(sum_lanes(lanes));
        if (!(gain > here.gain))
            continue;
        here.gain = gain;
        here.last = value[v];
        for (int64_t s = 0; s < ell; s++)
            for (int c = 0; c < 2; c++) {
                here.sum[s][0][c] = in[s][c];
                here.sum[s][1][c] = fmax(all[s][c] - in[s][c], 0);
            }
    }
    for (int64_t s = 0; s < ell; s++) {
        sum_at(b, s, f, NAN, here.sum[s][2]);
        missing[s % LANES] += worth(b, here.sum[s][2][0], here.sum[s][2][1]);
    }
    here.gain = rounded(here.gain + sum_lanes(missing));
    if (best->feature < 0 || here.gain > best->gain)
        *best = here;
}

static int sign_of(const double w[2])
{
    return w[0] + w[1] <= 0 ? 0 : w[0] >= w[1] ? 1 : -1;
}

/* value, plus, minus: by column and branch. */
static bool vote(book *b, const test *h, int64_t t, double value[MOST][3], double plus[MOST][3],
                 double minus[MOST][3])
{
    const int64_t ell = b->x->parts.code->ell;
    double wrong = 0;
    double all = 0;
    double Z = 0;
    for (int64_t s = 0; s < ell; s++)
        for (int j = 0; j < 3; j++) {
            const double *w = h->sum[s][j];
            wrong += sign_of(w) > 0 ? w[1] : w[0];
            all += w[0] + w[1];
            value[s][j] = 0.5 * log((w[0] + b->c) / (w[1] + b->c));
            plus[s][j] = exp(-value[s][j]);
            minus[s][j] = exp(value[s][j]);
            Z += w[0] * plus[s][j] + w[1] * minus[s][j];
        }
    const double e = wrong / all;
    const double used = e > 0 ? e : b->c;
    b->error[t] = used;
    b->alpha[t] = 0.5 * log((1 - used) / used);
    for (int64_t s = 0; s < ell; s++)
        for (int j = 0; j < 3; j++) {
            const int sign = sign_of(h->sum[s][j]);
            const double right = e > 0 ? 1 / (2 * (1 - e)) : 1;
            const double mistaken = e > 0 ? 1 / (2 * e) : 1;
            value[s][j] = b->confidence ? value[s][j] : sign * b->alpha[t];
            plus[s][j] = b->confidence ? plus[s][j] / Z : sign > 0 ? right : mistaken;
            minus[s][j] = b->confidence ? minus[s][j] / Z : sign > 0 ? mistaken : right;
        }
    return b->confidence ? all - Z > 1e-13 * all : 1 - 2 * e > 1e-10;
}

static void begin(book *b, const trained *x, bool confidence)
{
    const int64_t ell = x->parts.code->ell;
    double sum = 0;
    double least = INFINITY;
    *b = (book){.x = x, .confidence = confidence};
    for (int64_t i = 0; i < N; i++)
        for (int64_t s = 0; s < ell; s++)
            if (entry(x, i, s) != 0) {
                sum += weight_of(x, i);
                least = fmin(least, weight_of(x, i));
            }
    for (int64_t i = 0; i < N; i++)
        for (int64_t s = 0; s < ell; s++)
            b->weight[i][s] = entry(x, i, s) != 0 ? weight_of(x, i) / sum : 0;
    b->c = least / (2 * sum);
}

static int64_t boost(book *b)
{
    static test h;
    static double value[MOST][3];
    static double plus[MOST][3];
    static double minus[MOST][3];
    for (int64_t t = 0; t < ROUNDS; t++) {
        h.feature = -1;
        for (int64_t f = 0; f < D; f++)
            try_feature(b, f, &h);
        if (!vote(b, &h, t, value, plus, minus))
            return t;
        for (int64_t i = 0; i < N; i++)
            for (int64_t s = 0; s < b->x->parts.code->ell; s++) {
                const double x = cell(b->x, i, h.feature);
                const int j = isnan(x) ? 2 : x <= h.last ? 0 : 1;
                b->f[i][s] += value[s][j];
                b->weight[i][s] *= entry(b->x, i, s) > 0 ? plus[s][j] : minus[s][j];
            }
    }
    return ROUNDS;
}

static void expect_textbook(const trained *x, const char *settings)
{
    static book b;
    const int64_t ell = x->parts.code->ell;
    begin(&b, x, strstr(settings, "confidence") != NULL);
    assert_int_equal(boost(&b), x->parts.rounds);
    double *f = outputs_of(x);
    for (int64_t i = 0; i < N; i++)
        for (int64_t s = 0; s < ell; s++)
            if (f[i * ell + s] != b.f[i][s])
                fail_msg("%s: row %d, column %d: %.17g, not %.17g", settings, (int)i, (int)s,
                         f[i * ell + s], b.f[i][s]);
    const pt_boost_rounds rounds = x->parts.boosting;
    assert_int_equal(rounds.alpha != NULL, !b.confidence);
    for (int64_t t = 0; t < rounds.n && !b.confidence; t++) {
        assert_true(rounds.alpha[t] == b.alpha[t]);
        assert_true(rounds.error[t] == b.error[t]);
    }
    free(f);
}

static void test_adaboost_mo__equals_the_textbook_to_the_bit(void **state)
{
    (void)state;
    static const char *const codes[] = {"ova", "ovo", "dense,draws=20", "sparse,draws=20"};
    for (int c = 0; c < 4; c++)
        for (int j = 0; j < 4; j++) {
            char text[200];
            trained x;
            pt_dataset *data = make_data(j / 2, 3);
            snprintf(text, sizeof text,
                     "machine=adaboost-mo,code=%s,rounds=20,bins=%s,boost=%s,precision=double",
                     codes[c], j / 2 ? "0" : "256", j % 2 ? "confidence" : "discrete");
            train(&x, data, text, 1 + j / 2);
            assert_true(x.parts.code->ell <= MOST);
            expect_textbook(&x, text);
            drop(&x);
            pt_dataset_free(data);
        }
}

static void test_adaboost_mh__is_mo_of_one_against_all(void **state)
{
    (void)state;
    pt_dataset *data = make_data(true, 4);
    for (int j = 0; j < 2; j++) {
        trained a;
        trained b;
        char text[100];
        const char *boost_by = j ? "confidence" : "discrete";
        snprintf(text, sizeof text, "machine=adaboost-mh,boost=%s,rounds=30", boost_by);
        train(&a, data, text, 1);
        snprintf(text, sizeof text, "machine=adaboost-mo,code=ova,boost=%s,rounds=30", boost_by);
        train(&b, data, text, 1);
        double *f = outputs_of(&a);
        double *g = outputs_of(&b);
        assert_int_equal(a.parts.code->ell, K);
        assert_memory_equal(f, g, N * K * sizeof *f);
        free(f);
        free(g);
        drop(&a);
        drop(&b);
    }
    pt_dataset_free(data);
}

/* ---- what the paper says -----------------------------------------------------------------------
 */

typedef struct stages {
    const trained *x;
    const pt_boost_rounds *rounds; /* NULL: confidence-rated */
    double loss;                   /* of all pairs, divided by their weight */
    double *before;
} stages;

/* The loss falls by Z_t = 2 sqrt(e_t (1 - e_t)), h_t is +1 or -1 times alpha_t, and wrong on pairs
 * of weight e_t. */
static pt_status see_round(void *context, int64_t which, const double *f, pt_error *err)
{
    stages *st = context;
    const int64_t ell = st->x->parts.code->ell;
    double all = 0;
    double loss = 0;
    double wrong = 0;
    (void)err;
    for (int64_t i = 0; i < N; i++)
        for (int64_t s = 0; s < ell; s++) {
            const int M = entry(st->x, i, s);
            const double w = weight_of(st->x, i);
            const double was = st->before[i * ell + s];
            const double is = f[i * ell + s];
            if (M == 0)
                continue;
            all += w;
            loss += w * exp(-M * is);
            wrong += which > 0 && M * (is - was) < 0 ? w * exp(-M * was) : 0;
            if (which > 0 && st->rounds)
                assert_true(fabs(fabs(is - was) - st->rounds->alpha[which - 1]) < 1e-12);
        }
    loss /= all;
    if (which > 0) {
        assert_true(loss < st->loss);
        const double e = wrong / all / st->loss;
        if (st->rounds) {
            assert_true(fabs(e - st->rounds->error[which - 1]) < 1e-9);
            assert_true(fabs(loss / st->loss - 2 * sqrt(e * (1 - e))) < 1e-9);
        }
    }
    st->loss = loss;
    memcpy(st->before, f, (size_t)(N * ell) * sizeof *f);
    return PT_OK;
}

static void test_adaboost_mo__loss_falls_by_Z_every_round(void **state)
{
    (void)state;
    for (int j = 0; j < 4; j++) {
        char text[160];
        trained x;
        int64_t which[51];
        pt_error err = PT_ERROR_INIT;
        pt_dataset *data = make_data(true, 6);
        snprintf(text, sizeof text, "machine=adaboost-mo,code=%s,rounds=50,boost=%s,draws=20",
                 j / 2 ? "sparse" : "dense", j % 2 ? "confidence" : "discrete");
        train(&x, data, text, 1);
        const int64_t count = x.parts.rounds;
        for (int64_t t = 0; t <= count; t++)
            which[t] = t;
        const bool discrete = x.parts.boosting.alpha != NULL;
        stages st = {.x = &x, .rounds = discrete ? &x.parts.boosting : NULL};
        st.before = calloc((size_t)(N * x.parts.code->ell), sizeof *st.before);
        assert_int_equal(count, 50);
        small_must(x.machine->ops->staged(x.machine, &x.t.problem.rows, which, count + 1, see_round,
                                          &st, NULL, &err),
                   &err, text);
        free(st.before);
        drop(&x);
        pt_dataset_free(data);
    }
}

/* Every array left out, short, or with a number that is none. */
static void test_adaboost_mo__hostile_arrays_are_refused(void **state)
{
    (void)state;
    for (int j = 0; j < 4; j++) {
        char text[120];
        trained x;
        pt_error err = PT_ERROR_INIT;
        pt_pack pack = {0};
        pt_machine *loaded = NULL;
        pt_dataset *data = make_data(false, 6);
        snprintf(text, sizeof text, "machine=adaboost-mo,code=%s,rounds=5,boost=%s",
                 j / 2 ? "ova" : "ovo", j % 2 ? "confidence" : "discrete");
        train(&x, data, text, 1);
        const pt_machine_ops *ops = x.machine->ops;
        small_must(ops->save(x.machine, &pack, &err), &err, text);
        for (int64_t a = 0; a < pack.count; a++)
            for (int fault = 0; fault < 4; fault++) {
                const pt_array good = pack.arrays[a];
                pt_array *array = &pack.arrays[a];
                char kept[sizeof(double)];
                memcpy(kept, good.value, sizeof kept);
                if (fault == 0)
                    array->name[0] = '?';
                else if (fault == 1)
                    array->rows--;
                else if (fault == 2)
                    array->integer = !good.integer;
                else if (good.integer)
                    memcpy(good.value, &(int64_t){-7}, sizeof(int64_t));
                else
                    memcpy(good.value, &(double){NAN}, sizeof(double));
                if (pt_machine_load(&loaded, ops, &pack, D, K, x.t.params, NULL, &err) !=
                    PT_EFORMAT)
                    fail_msg("%s: array %s, fault %d", text, good.name, fault);
                *array = good;
                memcpy(good.value, kept, sizeof kept);
            }
        small_must(pt_machine_load(&loaded, ops, &pack, D, K, x.t.params, NULL, &err), &err, text);
        pt_machine_free(loaded);
        pt_pack_free(&pack);
        drop(&x);
        pt_dataset_free(data);
    }
}

static double planned(const pt_dataset *data, const char *settings)
{
    pt_error err = PT_ERROR_INIT;
    pt_plan plan = {0};
    pt_training t = {0};
    pt_params *params = small_params(settings);
    pt_task *task = small_task(1);
    small_must(pt_training_init(&t, data, params, task, &err), &err, settings);
    small_must(pt_training_resolve(&t, task, &err), &err, settings);
    small_must(t.ops->plan(&t.problem, t.params, task, &plan, &err), &err, settings);
    pt_training_free(&t);
    pt_task_free(task);
    pt_params_free(params);
    return plan.bytes;
}

/* What is known to be needed: weights, the factors of every class and the code; of a round its
 * votes, alpha and e. */
static void test_adaboost_mo__plan_counts_classes_and_rounds(void **state)
{
    (void)state;
    enum { CLASSES = 600, ROWS = 600 };
    static const char *const machines[] = {"machine=adaboost-mh,boost=discrete",
                                           "machine=adaboost-mo,code=ova,boost=discrete",
                                           "machine=code,code=ova,learner=adaboost"};
    const double cells = (double)CLASSES * CLASSES;
    const double known = 8.0 * ((double)ROWS * CLASSES + PT_BRANCHES * cells) + 9 * cells;
    small s = small_clouds(ROWS, 2, CLASSES, 3);
    for (int64_t i = 0; i < ROWS; i++)
        s.y[i] = i % CLASSES;
    pt_dataset *data = small_dataset(&s);
    for (int j = 0; j < 3; j++) {
        char few[100];
        char many[100];
        snprintf(few, sizeof few, "%s,rounds=1", machines[j]);
        snprintf(many, sizeof many, "%s,rounds=100001", machines[j]);
        assert_true(planned(data, few) >= known);
        assert_true(planned(data, few) < 3 * known);
        assert_true(planned(data, many) - planned(data, few) >=
                    100000.0 * (8 * PT_BRANCHES * CLASSES + 16));
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adaboost_mo__equals_the_textbook_to_the_bit),
        cmocka_unit_test(test_adaboost_mh__is_mo_of_one_against_all),
        cmocka_unit_test(test_adaboost_mo__loss_falls_by_Z_every_round),
        cmocka_unit_test(test_adaboost_mo__plan_counts_classes_and_rounds),
        cmocka_unit_test(test_adaboost_mo__hostile_arrays_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
