/* AdaBoost on stumps: equal to a slow textbook version to the bit, and what theory says of it. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/random.h"
#include "learners/learner.h"

enum { N = 150, D = 6, GROUPS = 4, MOST = 12, ROUNDS = 25 };
enum { OVA, DENSE, SPARSE, PAIRS, KINDS };

enum { NOMINAL = 5, LEVELS = 5 }; /* the one feature of names, and how many */
static const int64_t levels_of[D] = {[NOMINAL] = LEVELS};

typedef struct instance {
    double x[N * D];
    int64_t group_of[N];
    int8_t sign[GROUPS * MOST];
    double weight[N];
    pt_rows rows;
    pt_columns columns;
} instance;

/* Clouds that overlap, one feature with few values, one that is often missing, and names, some of
 * them missing too. */
static void make(instance *in, int kind, bool weights, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, (uint64_t)kind);
    const int64_t ell = kind == OVA ? GROUPS : kind == DENSE ? 7 : kind == SPARSE ? MOST : 6;
    for (int64_t i = 0; i < N; i++) {
        double *row = in->x + i * D;
        const double g = (double)(in->group_of[i] = pt_random_below(&random, GROUPS));
        row[0] = pt_random_normal(&random) + g;
        row[1] = floor(2 * pt_random_normal(&random) + 1.5 * (g == 2));
        row[2] = pt_random_normal(&random) - 0.7 * g;
        row[3] = pt_random_below(&random, 3) > (g == 1) ? pt_random_normal(&random) : NAN;
        row[4] = pt_random_uniform(&random);
        row[NOMINAL] = (double)pt_random_below(&random, LEVELS);
        if (pt_random_below(&random, 2))
            row[NOMINAL] = (double)((in->group_of[i] * 2 + 1) % LEVELS);
        if (pt_random_below(&random, 8) == 0)
            row[NOMINAL] = NAN;
        in->weight[i] = 0.25 + pt_random_uniform(&random);
    }
    for (int64_t g = 0; g < GROUPS; g++)
        for (int64_t s = 0; s < ell; s++)
            in->sign[g * ell + s] = (int8_t)(kind == OVA     ? (g == s ? 1 : -1)
                                             : kind == DENSE ? ((s + 1) >> g & 1 ? 1 : -1)
                                                             : pt_random_below(&random, 3) - 1);
    if (kind == PAIRS) {
        memset(in->sign, 0, sizeof in->sign);
        int64_t s = 0;
        for (int64_t p = 0; p < GROUPS; p++)
            for (int64_t q = p + 1; q < GROUPS; q++, s++) {
                in->sign[p * ell + s] = 1;
                in->sign[q * ell + s] = -1;
            }
    }
    in->rows =
        (pt_rows){.n = N, .d = D, .type = PT_F64, .dense = in->x, .stride = D, .levels = levels_of};
    in->columns = (pt_columns){.n = N,
                               .group_of = in->group_of,
                               .groups = GROUPS,
                               .ell = ell,
                               .pairs = kind == PAIRS,
                               .sign = kind == PAIRS ? NULL : in->sign,
                               .weight = weights ? in->weight : NULL};
}

static int sign_of(const instance *in, int64_t i, int64_t s)
{
    return in->sign[in->group_of[i] * in->columns.ell + s];
}

static pt_learner *train(const instance *in, const char *settings, int threads)
{
    pt_params *params = small_params(settings);
    pt_task *task = small_task(threads);
    pt_learner *learner = NULL;
    pt_warnings warnings = {0};
    pt_error err = PT_ERROR_INIT;
    if (pt_learner_fit(&learner, &pt_learner_adaboost, &in->rows, &in->columns, params, task,
                       &warnings, &err) != PT_OK)
        fail_msg("%s: %s", settings, err.text);
    pt_warnings_free(&warnings);
    pt_task_free(task);
    pt_params_free(params);
    return learner;
}

static double *outputs_of(const pt_learner *learner, const instance *in)
{
    double *f = calloc((size_t)(N * in->columns.ell), sizeof *f);
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(learner->ops.outputs(learner, &in->rows, f, NULL, &err), PT_OK);
    return f;
}

/* ---- the textbook ------------------------------------------------------------------------------
 */

/* Sums of one side: [0] of the plus examples, [1] of the minus examples. */
typedef struct sums {
    double in[2], out[2], missing[2];
} sums;

typedef struct weak {
    int64_t feature;
    double last; /* the largest value on the IN side */
    unsigned in; /* names that are IN */
    double gain;
    sums sum;
} weak;

static double rounded(double gain)
{
    uint64_t bits = 0;
    memcpy(&bits, &gain, sizeof bits);
    bits = (bits + 0x1000) & ~(uint64_t)0x1fff;
    memcpy(&gain, &bits, sizeof bits);
    return gain;
}

static double worth(bool confidence, const double w[2])
{
    return confidence ? -sqrt(w[0] * w[1]) : fabs(w[0] - w[1]);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Distinct values of a feature, ascending. */
static int64_t values_of(const instance *in, int64_t f, double *value)
{
    int64_t m = 0;
    for (int64_t i = 0; i < N; i++)
        if (!isnan(in->x[i * D + f]))
            value[m++] = in->x[i * D + f];
    qsort(value, (size_t)m, sizeof *value, by_value);
    int64_t kept = 0;
    for (int64_t j = 0; j < m; j++)
        if (kept == 0 || value[kept - 1] != value[j])
            value[kept++] = value[j];
    return kept;
}

/* Weight of the examples of column s whose cell is v (NaN: missing), by side, in row order. */
static void sum_at(const instance *in, const double *weight, int64_t s, int64_t f, double v,
                   double w[2])
{
    w[0] = w[1] = 0;
    for (int64_t i = 0; i < N; i++) {
        const double x = in->x[i * D + f];
        const int sign = sign_of(in, i, s);
        if (sign != 0 && (x == v || (isnan(x) && isnan(v))))
            w[sign < 0] += weight[i];
    }
}

static void try_feature(const instance *in, const double *weight, int64_t s, int64_t f,
                        bool confidence, weak *best)
{
    static double value[N];
    static double w[N][2];
    const int64_t m = values_of(in, f, value);
    double all[2] = {0, 0};
    sums sum = {{0, 0}, {0, 0}, {0, 0}};
    weak here = {f, 0, 0, -INFINITY, sum};
    sum_at(in, weight, s, f, NAN, sum.missing);
    for (int64_t v = 0; v < m; v++) {
        sum_at(in, weight, s, f, value[v], w[v]);
        all[0] += w[v][0];
        all[1] += w[v][1];
    }
    for (int64_t v = 0; v < m; v++) {
        for (int c = 0; c < 2; c++) {
            sum.in[c] += w[v][c];
            sum.out[c] = fmax(all[c] - sum.in[c], 0);
        }
        /* what the rules say of a side that has a negative rounding error is 0 */
        const double out[2] = {all[0] - sum.in[0], all[1] - sum.in[1]};
        const double gain = rounded(worth(confidence, sum.in) +
                                    (confidence ? worth(true, sum.out) : worth(false, out)));
        if (gain > here.gain)
            here = (weak){f, value[v], 0, gain, sum};
    }
    here.gain = rounded(here.gain + worth(confidence, sum.missing));
    if (best->feature < 0 || here.gain > best->gain)
        *best = here;
}

typedef struct name {
    int64_t level;
    double score;
    double w[2];
} name;

/* Names by their score, the highest first; equal ones by their number. */
static int by_score(const void *a, const void *b)
{
    const name *x = a;
    const name *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->level < y->level ? -1 : 1;
}

/* What the sides of a set of names sum to, names in their order. */
static double gain_of_names(const name *all, unsigned set, bool confidence, double in[2],
                            double out[2])
{
    double sum[2] = {0, 0};
    in[0] = in[1] = 0;
    for (int64_t v = 0; v < LEVELS; v++)
        for (int c = 0; c < 2; c++) {
            in[c] += set >> v & 1 ? all[v].w[c] : 0;
            sum[c] += all[v].w[c];
        }
    for (int c = 0; c < 2; c++)
        out[c] = fmax(sum[c] - in[c], 0);
    return worth(confidence, in) + worth(confidence, out);
}

/* The first k names of the order, for the best k. No other set of names is better, and names that
 * have no weight in the column go with the heavier side. */
static void try_names(const instance *in, const double *weight, int64_t s, bool confidence,
                      weak *best)
{
    name all[LEVELS];
    name sorted[LEVELS];
    int64_t m = 0;
    weak here = {NOMINAL, 0, 0, -INFINITY, {{0}, {0}, {0}}};
    sums sum = here.sum;
    sum_at(in, weight, s, NOMINAL, NAN, sum.missing);
    for (int64_t v = 0; v < LEVELS; v++) {
        double *w = all[v].w;
        sum_at(in, weight, s, NOMINAL, (double)v, w);
        all[v].level = v;
        all[v].score = rounded((w[0] - w[1]) / (w[0] + w[1]));
        if (w[0] + w[1] > 0)
            sorted[m++] = all[v];
    }
    qsort(sorted, (size_t)m, sizeof *sorted, by_score);
    unsigned set = 0;
    for (int64_t k = 0; k < m; k++) {
        set |= 1u << sorted[k].level;
        const double gain = rounded(gain_of_names(all, set, confidence, sum.in, sum.out));
        if (gain > here.gain)
            here = (weak){NOMINAL, 0, set, gain, sum};
    }
    for (unsigned other = 0; other < 1u << LEVELS; other++)
        assert_true(gain_of_names(all, other, confidence, sum.in, sum.out) <= here.gain + 1e-11);
    const double *i = here.sum.in;
    const double *o = here.sum.out;
    for (int64_t v = 0; v < LEVELS && i[0] + i[1] > o[0] + o[1]; v++)
        here.in |= all[v].w[0] + all[v].w[1] > 0 ? 0 : 1u << v;
    here.gain = rounded(here.gain + worth(confidence, sum.missing));
    if (best->feature < 0 || here.gain > best->gain)
        *best = here;
}

static int branch_of(const weak *h, double x)
{
    if (isnan(x))
        return 2;
    if (h->feature == NOMINAL)
        return h->in >> (int)x & 1 ? 0 : 1;
    return x <= h->last ? 0 : 1;
}

/* What the weak hypothesis says on each side, and new weights. False: nothing is left to learn. */
static bool vote(const weak *h, bool confidence, double c, double value[3], double plus[3],
                 double minus[3])
{
    const double *side[3] = {h->sum.in, h->sum.out, h->sum.missing};
    double wrong = 0;
    double all = 0;
    double Z = 0;
    int sign[3];
    for (int b = 0; b < 3; b++) {
        const double p = side[b][0];
        const double q = side[b][1];
        sign[b] = p + q <= 0 ? 0 : p >= q ? 1 : -1;
        wrong += sign[b] > 0 ? q : p;
        all += p + q;
        value[b] = 0.5 * log((p + c) / (q + c));
        plus[b] = exp(-value[b]);
        minus[b] = exp(value[b]);
        Z += p * plus[b] + q * minus[b];
    }
    if (confidence) {
        for (int b = 0; b < 3; b++) {
            plus[b] /= Z;
            minus[b] /= Z;
        }
        return all - Z > 1e-13 * all;
    }
    const double e = wrong / all;
    const double alpha = e > 0 ? 0.5 * log((1 - e) / e) : 0.5 * log((1 - c) / c);
    const double right = e > 0 ? 1 / (2 * (1 - e)) : 1;
    const double mistaken = e > 0 ? 1 / (2 * e) : 1;
    for (int b = 0; b < 3; b++) {
        value[b] = sign[b] * alpha;
        plus[b] = sign[b] > 0 ? right : mistaken;
        minus[b] = sign[b] > 0 ? mistaken : right;
    }
    return 1 - 2 * e > 1e-10;
}

/* f (n) of column s after `rounds` rounds; returns the rounds that were made. */
static int64_t textbook(const instance *in, int64_t s, bool confidence, int64_t rounds, double *f)
{
    static double weight[N];
    double sum = 0;
    double least = INFINITY;
    for (int64_t i = 0; i < N; i++) {
        const double w = in->columns.weight ? in->columns.weight[i] : 1;
        f[i] = 0;
        if (sign_of(in, i, s) == 0)
            continue;
        sum += w;
        least = fmin(least, w);
    }
    for (int64_t i = 0; i < N; i++)
        weight[i] = (in->columns.weight ? in->columns.weight[i] : 1) / sum;
    for (int64_t t = 0; t < rounds; t++) {
        weak h = {.feature = -1};
        double value[3];
        double plus[3];
        double minus[3];
        for (int64_t j = 0; j < NOMINAL; j++)
            try_feature(in, weight, s, j, confidence, &h);
        try_names(in, weight, s, confidence, &h);
        if (!vote(&h, confidence, least / (2 * sum), value, plus, minus))
            return t;
        for (int64_t i = 0; i < N; i++) {
            const int b = branch_of(&h, in->x[i * D + h.feature]);
            f[i] += value[b];
            weight[i] *= sign_of(in, i, s) > 0 ? plus[b] : minus[b];
        }
    }
    return rounds;
}

static void test_adaboost__equals_the_textbook_to_the_bit(void **state)
{
    (void)state;
    static instance in;
    for (int kind = 0; kind < KINDS; kind++)
        for (int confidence = 0; confidence < 2; confidence++)
            for (int weights = 0; weights < 2; weights++) {
                double expected[N];
                make(&in, kind, weights, 5);
                pt_learner *learner = train(&in,
                                            confidence ? "rounds=25,bins=0,boost=confidence"
                                                       : "rounds=25,bins=0,boost=discrete",
                                            2);
                double *f = outputs_of(learner, &in);
                for (int64_t s = 0; s < in.columns.ell; s++) {
                    textbook(&in, s, confidence, ROUNDS, expected);
                    for (int64_t i = 0; i < N; i++)
                        if (f[i * in.columns.ell + s] != expected[i])
                            fail_msg("code %d, confidence %d: column %d, row %d: %.17g, not %.17g",
                                     kind, confidence, (int)s, (int)i, f[i * in.columns.ell + s],
                                     expected[i]);
                }
                free(f);
                pt_learner_free(learner);
            }
}

/* Few values: a bin for each, and the same bits. And the same bits on any number of threads. */
static void test_adaboost__exact_histogram_and_threads_agree(void **state)
{
    (void)state;
    static instance in;
    for (int kind = 0; kind < KINDS; kind++)
        for (int confidence = 0; confidence < 2; confidence++) {
            const char *boost = confidence ? "confidence" : "discrete";
            const char *bins[3] = {"0", "256", "256"};
            double *f[3];
            make(&in, kind, true, 9); /* 150 rows: no feature has more than 255 values */
            for (int j = 0; j < 3; j++) {
                char text[100];
                snprintf(text, sizeof text, "rounds=30,bins=%s,boost=%s", bins[j], boost);
                pt_learner *learner = train(&in, text, j == 2 ? 3 : 1);
                f[j] = outputs_of(learner, &in);
                pt_learner_free(learner);
            }
            const size_t bytes = (size_t)(N * in.columns.ell) * sizeof(double);
            assert_memory_equal(f[0], f[1], bytes);
            assert_memory_equal(f[1], f[2], bytes);
            for (int j = 0; j < 3; j++)
                free(f[j]);
        }
}

/* ---- what theory says --------------------------------------------------------------------------
 */

typedef struct stages {
    const instance *in;
    bool discrete;
    double before[N * MOST];
    double loss[MOST]; /* of each column: the mean of e^(-M f) over its weighted examples */
    int64_t falls;
} stages;

/* Z_t is the factor by which the loss falls. Discrete: 2 sqrt(e (1 - e)). */
static pt_status see_round(void *context, int64_t which, const double *f, pt_error *err)
{
    stages *st = context;
    const int64_t ell = st->in->columns.ell;
    (void)err;
    for (int64_t s = 0; s < ell; s++) {
        double all = 0;
        double loss = 0;
        double wrong = 0;
        bool moved = false;
        for (int64_t i = 0; i < N; i++) {
            const int M = sign_of(st->in, i, s);
            const double w = st->in->weight[i];
            const double was = st->before[i * ell + s];
            const double is = f[i * ell + s];
            if (M == 0)
                continue;
            all += w;
            loss += w * exp(-M * is);
            wrong += which > 0 && M * (is - was) < 0 ? w * exp(-M * was) : 0;
            moved = moved || is != was;
        }
        loss /= all;
        if (which > 0 && moved) {
            const double e = wrong / all / st->loss[s];
            assert_true(loss < st->loss[s]);
            st->falls++;
            if (st->discrete && e > 0)
                assert_true(fabs(loss / st->loss[s] - 2 * sqrt(e * (1 - e))) < 1e-9);
        } else {
            assert_true(which == 0 || loss == st->loss[s]);
        }
        st->loss[s] = loss;
    }
    memcpy(st->before, f, (size_t)(N * ell) * sizeof *f);
    return PT_OK;
}

static void test_adaboost__loss_falls_by_Z_every_round(void **state)
{
    (void)state;
    static instance in;
    static stages st;
    for (int kind = 0; kind < KINDS; kind++)
        for (int confidence = 0; confidence < 2; confidence++) {
            int64_t rounds[61];
            pt_error err = PT_ERROR_INIT;
            make(&in, kind, true, 3);
            pt_learner *learner = train(
                &in, confidence ? "rounds=60,boost=confidence" : "rounds=60,boost=discrete", 1);
            const int64_t count = learner->ops.rounds(learner);
            assert_in_range(count, 1, 60);
            for (int64_t t = 0; t <= count; t++)
                rounds[t] = t;
            st = (stages){.in = &in, .discrete = !confidence};
            assert_int_equal(learner->ops.staged(learner, &in.rows, rounds, count + 1, see_round,
                                                 &st, NULL, &err),
                             PT_OK);
            assert_true(st.falls >= count);
            pt_learner_free(learner);
        }
}

/* ---- the ends ----------------------------------------------------------------------------------
 */

/* A column that one stump separates: e = 0 is taken for half the smallest weight, round after
 * round. */
static void test_adaboost__no_error_is_capped(void **state)
{
    (void)state;
    static instance in;
    make(&in, OVA, false, 2);
    for (int64_t i = 0; i < N; i++)
        in.x[i * D] = (double)in.group_of[i]; /* group 0 is below all others */
    pt_learner *learner = train(&in, "rounds=3,boost=discrete", 1);
    double *f = outputs_of(learner, &in);
    const double alpha = 0.5 * log((1 - 0.5 / N) / (0.5 / N));
    for (int64_t i = 0; i < N; i++)
        assert_true(f[i * GROUPS] == (in.group_of[i] == 0 ? 1 : -1) * (alpha + alpha + alpha));
    free(f);
    pt_learner_free(learner);
}

/* Weights so far apart that the smallest, as a share of all, is 0: rounds are made all the same. */
static void test_adaboost__weights_of_any_size(void **state)
{
    (void)state;
    static const char *const settings[] = {"rounds=5,boost=confidence", "rounds=5,boost=discrete",
                                           "rounds=5,boost=confidence,depth=2"};
    static instance in;
    for (int j = 0; j < 3; j++) {
        make(&in, OVA, true, 2);
        for (int64_t i = 0; i < N; i++) {
            in.x[i * D] = (double)in.group_of[i];
            in.weight[i] = i % 7 == 0 ? 1e-200 : 1e200;
        }
        pt_learner *learner = train(&in, settings[j], 1);
        assert_int_equal(learner->ops.rounds(learner), 5);
        double *f = outputs_of(learner, &in);
        for (int64_t i = 0; i < N; i++) {
            assert_true(isfinite(f[i * GROUPS]));
            assert_true(f[i * GROUPS] * (in.group_of[i] == 0 ? 1 : -1) > 0);
        }
        free(f);
        pt_learner_free(learner);
    }
}

static double planned(const pt_rows *rows, const pt_columns *columns, const char *settings)
{
    pt_params *params = small_params(settings);
    pt_task *task = small_task(1);
    pt_plan plan = {0};
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_learner_adaboost.plan(rows, columns, params, task, &plan, &err), PT_OK);
    pt_task_free(task);
    pt_params_free(params);
    return plan.bytes;
}

/* What is known to be needed: D and the factors of every group; the sums of every level. */
static void test_adaboost__plan_counts_classes_and_levels(void **state)
{
    (void)state;
    const int64_t k = 3000;
    const int64_t levels = 20000;
    const int64_t none = 0;
    const pt_columns ova = {.n = 3000, .groups = k, .ell = k};
    const pt_columns few = {.n = 3000, .groups = 10, .ell = 10};
    pt_rows rows = {.n = 3000, .d = 1, .type = PT_F64, .dense = &k, .stride = 1, .levels = &none};
    const double numbers = 8.0 * (double)k * (3000 + PT_BRANCHES * (double)k);
    assert_true(planned(&rows, &ova, "rounds=1") >= numbers);
    assert_true(planned(&rows, &ova, "rounds=1") < 2.5 * numbers);
    const double before = planned(&rows, &few, "rounds=1");
    rows.levels = &levels;
    const double bytes = 8.0 * 2 * 10 * (double)levels;
    assert_true(planned(&rows, &few, "rounds=1") >= before + bytes / 2);
    assert_true(planned(&rows, &few, "rounds=1") >= bytes);
    assert_true(planned(&rows, &few, "rounds=1,min-leaf=5") >=
                planned(&rows, &few, "rounds=1") + 4.0 * 10 * (double)levels);
}

/* Nothing tells examples apart: the constant is learned, then nothing is left. */
static void test_adaboost__stops_where_nothing_can_be_learned(void **state)
{
    (void)state;
    static instance in;
    make(&in, OVA, false, 2);
    for (int64_t i = 0; i < N * D; i++)
        in.x[i] = 7;
    pt_learner *learner = train(&in, "rounds=50,boost=discrete", 1);
    assert_int_equal(learner->ops.rounds(learner), 1);
    pt_learner_free(learner);
    for (int64_t i = 0; i < N; i++)
        in.group_of[i] = i % 2; /* groups 2 and 3 have no rows: their columns are one-sided */
    in.sign[0] = in.sign[GROUPS + 1] = 1;
    in.columns.ell = 1; /* sign: 2 groups x 1 */
    in.sign[1] = -1;
    in.columns.groups = 2;
    learner = train(&in, "rounds=50,boost=discrete", 1);
    assert_int_equal(learner->ops.rounds(learner), 0);
    double *f = outputs_of(learner, &in);
    for (int64_t i = 0; i < N; i++)
        assert_true(f[i] == 0);
    free(f);
    pt_learner_free(learner);
}

/* x below the cut says +, above it -, whatever the weights. */
static void test_adaboost__polarity_below(void **state)
{
    (void)state;
    static instance in;
    make(&in, OVA, false, 4);
    for (int64_t i = 0; i < N * D; i++)
        in.x[i] = isnan(in.x[i]) ? 0 : in.x[i];
    pt_learner *learner = train(&in, "rounds=20,boost=discrete,polarity=below", 1);
    const double ends[2] = {-1e6, 1e6};
    double low[D];
    double high[D];
    double f[2 * MOST];
    pt_error err = PT_ERROR_INIT;
    for (int j = 0; j < D; j++) {
        low[j] = ends[0];
        high[j] = ends[1];
    }
    pt_rows rows = {.n = 1, .d = D, .type = PT_F64, .dense = low, .stride = D};
    assert_int_equal(learner->ops.outputs(learner, &rows, f, NULL, &err), PT_OK);
    rows.dense = high;
    assert_int_equal(learner->ops.outputs(learner, &rows, f + MOST, NULL, &err), PT_OK);
    double *g = outputs_of(learner, &in);
    for (int64_t s = 0; s < GROUPS; s++) {
        assert_true(f[s] >= f[MOST + s]);
        for (int64_t i = 0; i < N; i++) /* every stump falls with every feature */
            assert_true(g[i * GROUPS + s] <= f[s] + 1e-12 &&
                        g[i * GROUPS + s] >= f[MOST + s] - 1e-12);
    }
    free(g);
    pt_learner_free(learner);
}

/* Labels that are noise: held-out loss grows, and boosting ends. */
static void test_adaboost__stops_early_on_noise(void **state)
{
    (void)state;
    static instance in;
    pt_random random;
    make(&in, OVA, false, 6);
    pt_random_init(&random, 1, PT_RANDOM_TEST, 1);
    for (int64_t i = 0; i < N; i++)
        in.group_of[i] = pt_random_below(&random, GROUPS);
    pt_learner *learner = train(&in, "rounds=500,stop-share=0.3,patience=5", 1);
    assert_in_range(learner->ops.rounds(learner), 1, 100);
    pt_learner_free(learner);
}

/* A level set that no threshold makes, and cells whose absence is the sign. */
static void test_adaboost__one_stump_for_a_subset_and_for_missing_cells(void **state)
{
    (void)state;
    static instance in;
    const int64_t levels[D] = {6, 0, 0, 0, 0};
    make(&in, OVA, false, 8);
    for (int64_t i = 0; i < N; i++) {
        const int64_t level = i % 6;
        in.x[i * D] = (double)level;
        in.group_of[i] = level == 1 || level == 4; /* neither an interval nor its complement */
        for (int j = 1; j < D; j++)
            in.x[i * D + j] = 0;
    }
    in.rows.levels = levels;
    in.columns.ell = 1;
    in.columns.groups = 2;
    in.sign[0] = -1;
    in.sign[1] = 1;
    for (int round = 0; round < 2; round++) {
        pt_learner *learner = train(&in, "rounds=1", 1);
        double *f = outputs_of(learner, &in);
        for (int64_t i = 0; i < N; i++)
            assert_true(in.group_of[i] ? f[i] > 1 : f[i] < -1);
        free(f);
        pt_learner_free(learner);
        in.rows.levels = NULL; /* again: a number that is there, or is not */
        for (int64_t i = 0; i < N; i++)
            in.x[i * D] = in.group_of[i] ? NAN : (double)(i % 7);
    }
}

static void test_adaboost__refuses_what_does_not_go_together(void **state)
{
    (void)state;
    static instance in;
    pt_params *params = small_params("polarity=below");
    pt_learner *learner = NULL;
    pt_warnings warnings = {0};
    pt_error err = PT_ERROR_INIT;
    make(&in, OVA, false, 1);
    assert_int_equal(pt_learner_fit(&learner, &pt_learner_adaboost, &in.rows, &in.columns, params,
                                    NULL, &warnings, &err),
                     PT_EINVAL);
    assert_non_null(strstr(err.text, "--boost discrete"));
    pt_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adaboost__equals_the_textbook_to_the_bit),
        cmocka_unit_test(test_adaboost__exact_histogram_and_threads_agree),
        cmocka_unit_test(test_adaboost__loss_falls_by_Z_every_round),
        cmocka_unit_test(test_adaboost__no_error_is_capped),
        cmocka_unit_test(test_adaboost__weights_of_any_size),
        cmocka_unit_test(test_adaboost__plan_counts_classes_and_levels),
        cmocka_unit_test(test_adaboost__stops_where_nothing_can_be_learned),
        cmocka_unit_test(test_adaboost__polarity_below),
        cmocka_unit_test(test_adaboost__stops_early_on_noise),
        cmocka_unit_test(test_adaboost__one_stump_for_a_subset_and_for_missing_cells),
        cmocka_unit_test(test_adaboost__refuses_what_does_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
