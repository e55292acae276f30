/* LogitBoost and BrownBoost against the slow textbook, column by column; their losses and
 * potentials; what they do where labels are wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../support/slow_stumps.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "base/math.h"
#include "learners/learner.h"
#include "params/params.h"

enum { N = 70, D = 4, K = 4, MOST = 6 };

/* Two numbers, a column of 4 levels, a number of few values; some cells are missing. */
static const int64_t LEVELS[D] = {0, 0, 4, 0};

typedef struct problem {
    double x[N * D];
    int64_t group_of[N];
    double weight[N];
    int8_t sign[K * MOST];
    pt_rows rows;
    pt_columns columns;
} problem;

typedef enum kind { OVA, PAIRS, ZEROS, KINDS } kind;

static void fill_signs(problem *p, kind which)
{
    static const int8_t zeros[K][3] = {{1, 0, -1}, {-1, 1, 0}, {0, -1, 1}, {1, 1, -1}};
    p->columns.ell = which == OVA ? K : which == PAIRS ? K * (K - 1) / 2 : 3;
    for (int64_t g = 0; g < K; g++)
        for (int64_t s = 0; s < p->columns.ell && which != PAIRS; s++)
            p->sign[g * p->columns.ell + s] = (int8_t)(which == ZEROS ? zeros[g][s]
                                                       : g == s       ? 1
                                                                      : -1);
    p->columns.pairs = which == PAIRS;
    p->columns.sign = which == PAIRS ? NULL : p->sign;
}

static void fill(problem *p, kind which, bool weighted, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        p->group_of[i] = pt_random_below(&random, K);
        p->weight[i] = 0.5 + 2 * pt_random_uniform(&random);
        double *x = p->x + i * D;
        x[0] = pt_random_normal(&random) + 0.8 * (double)p->group_of[i];
        x[1] = pt_random_normal(&random) - (double)(p->group_of[i] % 2);
        x[2] = (double)pt_random_below(&random, 4);
        x[3] = (double)(pt_random_below(&random, 5) + (p->group_of[i] >= 2 ? 1 : 0));
        if (pt_random_uniform(&random) < 0.2)
            x[pt_random_below(&random, D)] = NAN;
    }
    p->rows =
        (pt_rows){.n = N, .d = D, .type = PT_F64, .dense = p->x, .stride = D, .levels = LEVELS};
    p->columns = (pt_columns){
        .n = N, .group_of = p->group_of, .groups = K, .weight = weighted ? p->weight : NULL};
    fill_signs(p, which);
}

static pt_learner *fit(const pt_learner_ops *ops, const problem *p, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_learner *learner = NULL;
    pt_warnings warnings = {0};
    pt_params *params = small_params(options);
    small_must(pt_learner_fit(&learner, ops, &p->rows, &p->columns, params, NULL, &warnings, &err),
               &err, options);
    pt_warnings_free(&warnings);
    pt_params_free(params);
    return learner;
}

/* ---- the textbook -----------------------------------------------------------------------------
 */

/* One column: sides, example weights, 0 for rows that take no part. */
typedef struct column {
    slow_table table;
    double y[N];
    double w[N];
    double f[N];
} column;

static void fill_column(column *c, const problem *p, int64_t s)
{
    c->table = (slow_table){N, D, p->x, LEVELS};
    for (int64_t i = 0; i < N; i++) {
        c->y[i] = pt_columns_sign(&p->columns, p->group_of[i], s);
        c->w[i] = c->y[i] == 0 ? 0 : p->columns.weight ? p->columns.weight[i] : 1;
        c->f[i] = 0;
    }
}

static double logistic_loss(const column *c)
{
    double sum = 0;
    for (int64_t i = 0; i < N; i++)
        sum += c->w[i] * pt_loss_logistic.value(c->y[i] * c->f[i]);
    return sum;
}

static void slow_logit_round(column *c)
{
    double w[N];
    double wt[N];
    double before[N];
    for (int64_t i = 0; i < N; i++) {
        const double p = 1 / (1 + exp(-2 * c->f[i]));
        const double slope = (1 + c->y[i]) / 2 - p;
        w[i] = c->w[i] * fmax(p * (1 - p), fabs(slope) / 4);
        wt[i] = c->w[i] * slope;
    }
    const slow_stump h = slow_best(&c->table, w, wt, slow_gain_newton);
    const double loss = logistic_loss(c);
    memcpy(before, c->f, sizeof before);
    for (double scale = 0.5; scale > 1e-7; scale /= 2) {
        for (int64_t i = 0; i < N; i++) {
            const double *sum = h.sum[slow_branch(&c->table, &h, i)];
            c->f[i] = before[i] + scale * (sum[0] > 0 ? sum[1] / sum[0] : 0);
        }
        if (logistic_loss(c) <= loss)
            return;
    }
    fail_msg("the loss does not fall");
}

/* ---- LogitBoost -------------------------------------------------------------------------------
 */

/* On rows that take part: elsewhere cuts that are the same to the column differ. */
static void expect_column(const problem *p, const double *outputs, const column *c, int64_t s)
{
    for (int64_t i = 0; i < N; i++) {
        const double got = outputs[i * p->columns.ell + s];
        if (c->y[i] != 0 && !(fabs(got - c->f[i]) <= 1e-8 * (1 + fabs(c->f[i]))))
            fail_msg("column %d row %d: %.12g, expected %.12g", (int)s, (int)i, got, c->f[i]);
    }
}

static void test_logitboost__is_the_textbook(void **state)
{
    (void)state;
    enum { ROUNDS = 8 };
    static problem p;
    static column c;
    double outputs[N * MOST];
    for (int q = 0; q < 2 * KINDS; q++) {
        pt_error err = PT_ERROR_INIT;
        fill(&p, (kind)(q / 2), q % 2, (uint64_t)q + 1);
        pt_learner *learner = fit(&pt_learner_logitboost, &p, "rounds=8,depth=1,bins=0");
        small_must(learner->ops.outputs(learner, &p.rows, outputs, NULL, &err), &err, "outputs");
        for (int64_t s = 0; s < p.columns.ell; s++) {
            fill_column(&c, &p, s);
            for (int t = 0; t < ROUNDS; t++)
                slow_logit_round(&c);
            expect_column(&p, outputs, &c, s);
        }
        pt_learner_free(learner);
    }
}

/* Outputs after each round, n x ell: what pt_staged_fn is given is kept. */
typedef struct stages {
    int64_t cells;
    double *outputs; /* stage after stage */
} stages;

static pt_status keep(void *context, int64_t which, const double *outputs, pt_error *err)
{
    (void)err;
    stages *kept = context;
    memcpy(kept->outputs + which * kept->cells, outputs, (size_t)kept->cells * sizeof *outputs);
    return PT_OK;
}

/* After 0, 1, ... rounds; *count <- how many there are. free() it. */
static double *all_stages(const pt_learner *learner, const problem *p, int64_t *count)
{
    pt_error err = PT_ERROR_INIT;
    *count = learner->ops.rounds(learner) + 1;
    stages kept = {.cells = p->rows.n * p->columns.ell};
    kept.outputs = calloc((size_t)(*count * kept.cells), sizeof(double));
    int64_t *rounds = calloc((size_t)*count, sizeof *rounds);
    for (int64_t t = 0; t < *count; t++)
        rounds[t] = t;
    small_must(learner->ops.staged(learner, &p->rows, rounds, *count, keep, &kept, NULL, &err),
               &err, "stages");
    free(rounds);
    return kept.outputs;
}

static double column_loss(const problem *p, const double *outputs, int64_t s)
{
    double sum = 0;
    for (int64_t i = 0; i < p->rows.n; i++) {
        const int y = pt_columns_sign(&p->columns, p->group_of[i], s);
        const double f = outputs[i * p->columns.ell + s];
        if (y != 0)
            sum += (p->columns.weight ? p->columns.weight[i] : 1) * pt_loss_logistic.value(y * f);
    }
    return sum;
}

/* Until the loss is at its end: separable columns get outputs of any size. */
static void test_logitboost__loss_of_every_column_falls(void **state)
{
    (void)state;
    static const char *const options[] = {"rounds=300,depth=1,bins=0", "rounds=60,depth=3,bins=0",
                                          "rounds=100,depth=1,bins=5"};
    static problem p;
    for (int q = 0; q < 3 * KINDS; q++) {
        int64_t count = 0;
        fill(&p, (kind)(q / 3), q % 2, (uint64_t)q + 50);
        pt_learner *learner = fit(&pt_learner_logitboost, &p, options[q % 3]);
        double *outputs = all_stages(learner, &p, &count);
        for (int64_t s = 0; s < p.columns.ell; s++) {
            const double first = column_loss(&p, outputs, s);
            double before = first;
            for (int64_t t = 1; t < count; t++) {
                const double loss = column_loss(&p, outputs + t * N * p.columns.ell, s);
                if (!(loss <= before * (1 + 1e-12) + 1e-300))
                    fail_msg("column %d round %d: %.17g after %.17g", (int)s, (int)t, loss, before);
                before = loss;
            }
            assert_true(before < 0.8 * first);
        }
        free(outputs);
        pt_learner_free(learner);
    }
}

static void test_logitboost__stages_are_models_with_fewer_rounds(void **state)
{
    (void)state;
    static problem p;
    double outputs[N * MOST];
    fill(&p, ZEROS, true, 5);
    for (int deep = 0; deep < 2; deep++)
        for (int brown = 0; brown < 2; brown++) {
            pt_error err = PT_ERROR_INIT;
            int64_t count = 0;
            const pt_learner_ops *ops = brown ? &pt_learner_brownboost : &pt_learner_logitboost;
            pt_learner *longer = fit(ops, &p, deep ? "rounds=9,depth=2" : "rounds=9,depth=1");
            pt_learner *shorter = fit(ops, &p, deep ? "rounds=4,depth=2" : "rounds=4,depth=1");
            double *stage = all_stages(longer, &p, &count);
            small_must(ops->outputs(shorter, &p.rows, outputs, NULL, &err), &err, "outputs");
            assert_memory_equal(outputs, stage + 4 * N * p.columns.ell,
                                (size_t)(N * p.columns.ell) * sizeof(double));
            free(stage);
            pt_learner_free(longer);
            pt_learner_free(shorter);
        }
}

/* One example in 35 is on the plus side, and no feature tells anything of it: f is to be half the
 * log-odds of that. Responses that are cut off without raising the weight run away here. */
static void test_logitboost__rare_side_gets_its_log_odds(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static problem p;
    double outputs[N * MOST];
    fill(&p, OVA, false, 5);
    for (int64_t i = 0; i < N; i++) {
        p.group_of[i] = i % 35 != 0;
        for (int64_t f = 0; f < D; f++)
            p.x[i * D + f] = LEVELS[f] ? 0 : (double)(i % 2 == 0);
    }
    p.columns.groups = 2;
    p.columns.ell = 1;
    p.sign[0] = 1;
    p.sign[1] = -1;
    pt_learner *learner = fit(&pt_learner_logitboost, &p, "rounds=200,depth=1,bins=0");
    small_must(learner->ops.outputs(learner, &p.rows, outputs, NULL, &err), &err, "outputs");
    for (int64_t i = 0; i < N; i++) /* rows 0 and 35 of 70: one in either half */
        assert_true(fabs(outputs[i] - 0.5 * log(1.0 / 34)) < 1e-9);
    pt_learner_free(learner);
}

/* Of features that matter only together a stump sees nothing, a tree of two tests everything. */
static void test_boosting__depth_two_solves_exclusive_or(void **state)
{
    (void)state;
    static problem p;
    double outputs[N * MOST];
    fill(&p, OVA, false, 5);
    for (int64_t i = 0; i < N; i++) {
        p.x[i * D] = (double)(i % 2);
        p.x[i * D + 1] = (double)(i / 2 % 2) + 0.01 * (double)(i % 3); /* breaks the symmetry */
        p.x[i * D + 2] = 0;
        p.x[i * D + 3] = 1;
        p.group_of[i] = (i + i / 2) % 2;
    }
    p.columns.groups = 2;
    p.columns.ell = 1;
    p.sign[0] = 1;
    p.sign[1] = -1;
    for (int q = 0; q < 4; q++) {
        pt_error err = PT_ERROR_INIT;
        int64_t wrong = 0;
        const pt_learner_ops *ops = q % 2 ? &pt_learner_brownboost : &pt_learner_logitboost;
        pt_learner *learner =
            fit(ops, &p, q / 2 ? "rounds=20,depth=2,noise=0.01" : "rounds=20,depth=1,noise=0.01");
        small_must(ops->outputs(learner, &p.rows, outputs, NULL, &err), &err, "outputs");
        for (int64_t i = 0; i < N; i++)
            wrong += (p.group_of[i] == 0 ? 1 : -1) * outputs[i] <= 0;
        assert_true(q / 2 ? wrong == 0 : wrong > 10);
        pt_learner_free(learner);
    }
}

/* ---- BrownBoost -------------------------------------------------------------------------------
 */

static const double TO_MARGIN = 0.88622692545275801; /* sqrt(pi)/2: outputs to units of sqrt(c) */

/* u of all examples, alpha and t by bisection: t from the potentials for any alpha, and alpha where
 * gamma = 0 or t = left, from a walk along the path in small steps. */
typedef struct slow_brown {
    double u[N];
    double b[N];
    double left;
    double start;
} slow_brown;

static double potential(const column *c, const slow_brown *w, double alpha, double time)
{
    double sum = 0;
    for (int64_t i = 0; i < N; i++)
        sum += c->w[i] * erfc(w->u[i] + alpha * w->b[i] - time);
    return sum;
}

static double edge(const column *c, const slow_brown *w, double alpha, double time)
{
    double sum = 0;
    for (int64_t i = 0; i < N; i++) {
        const double u = w->u[i] + alpha * w->b[i] - time;
        sum += c->w[i] * w->b[i] * exp(-u * u);
    }
    return sum;
}

static double slow_time(const column *c, const slow_brown *w, double alpha)
{
    double low = -alpha;
    double high = alpha;
    for (int k = 0; k < 80; k++) {
        const double middle = (low + high) / 2;
        if (potential(c, w, alpha, middle) > w->start)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

static bool is_before_end(const column *c, const slow_brown *w, double alpha)
{
    const double time = slow_time(c, w, alpha);
    return time < w->left && edge(c, w, alpha, time) > 0;
}

static double slow_alpha(const column *c, const slow_brown *w)
{
    double low = 0;
    double high = 0.02;
    while (high < 20 && is_before_end(c, w, high)) {
        low = high;
        high += 0.02;
    }
    for (int k = 0; k < 60; k++) {
        const double middle = (low + high) / 2;
        if (is_before_end(c, w, middle))
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* c->f is in units of sqrt(c). Returns the time that is left then. */
static double slow_brown_round(column *c, double left)
{
    slow_brown w = {.left = left};
    double plus[N];
    double minus[N];
    for (int64_t i = 0; i < N; i++) {
        w.u[i] = c->y[i] * c->f[i] + left;
        const double weight = c->w[i] * exp(-w.u[i] * w.u[i]);
        plus[i] = c->y[i] > 0 ? weight : 0;
        minus[i] = c->y[i] < 0 ? weight : 0;
    }
    const slow_stump h = slow_best(&c->table, plus, minus, slow_gain_discrete);
    double says[N];
    for (int64_t i = 0; i < N; i++) {
        const double *sum = h.sum[slow_branch(&c->table, &h, i)];
        says[i] = (sum[0] > sum[1]) - (sum[0] < sum[1]);
        w.b[i] = c->y[i] * says[i];
    }
    w.start = potential(c, &w, 0, 0);
    const double alpha = slow_alpha(c, &w);
    const double time = slow_time(c, &w, alpha);
    for (int64_t i = 0; i < N; i++)
        c->f[i] += alpha * says[i];
    return left - time > 1e-9 ? left - time : 0;
}

/* sqrt(c) of a column, by the definition of --noise. */
static double slow_width(const column *c, double noise)
{
    double side[2] = {0, 0};
    for (int64_t i = 0; i < N; i++)
        side[c->y[i] > 0] += c->w[i];
    const double error = 2 * noise * fmin(side[0], side[1]) / (side[0] + side[1]);
    double low = 0;
    double high = 10;
    for (int k = 0; k < 100; k++) {
        const double middle = (low + high) / 2;
        if (1 - erf(middle) > error)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void test_brownboost__is_the_textbook(void **state)
{
    (void)state;
    enum { ROUNDS = 5 };
    static problem p;
    static column c;
    double outputs[N * MOST];
    int64_t ended = 0;
    for (int q = 0; q < 2 * KINDS; q++) {
        pt_error err = PT_ERROR_INIT;
        fill(&p, (kind)(q / 2), true, (uint64_t)q + 1); /* weights: no ties */
        const double noise = q % 2 ? 0.6 : 0.1;
        pt_learner *learner =
            fit(&pt_learner_brownboost, &p,
                q % 2 ? "rounds=5,depth=1,bins=0,noise=0.6" : "rounds=5,depth=1,bins=0,noise=0.1");
        small_must(learner->ops.outputs(learner, &p.rows, outputs, NULL, &err), &err, "outputs");
        for (int64_t s = 0; s < p.columns.ell; s++) {
            fill_column(&c, &p, s);
            double left = slow_width(&c, noise);
            for (int t = 0; t < ROUNDS && left > 0; t++)
                left = slow_brown_round(&c, left);
            ended += left == 0;
            for (int64_t i = 0; i < N; i++)
                c.f[i] /= TO_MARGIN;
            expect_column(&p, outputs, &c, s);
        }
        pt_learner_free(learner);
    }
    assert_true(ended > 2); /* some columns use up their time */
}

/* Where the time is used up, the mean of 1 - erf(r / sqrt(c)) is what it was at the beginning, the
 * error that was asked for; and no more than that share is wrong. */
static void test_brownboost__ends_with_the_error_that_was_asked_for(void **state)
{
    (void)state;
    static problem p;
    double outputs[N * MOST];
    int64_t ended = 0;
    for (int q = 0; q < 2 * KINDS; q++) {
        pt_error err = PT_ERROR_INIT;
        fill(&p, (kind)(q / 2), q % 2, (uint64_t)q + 20);
        pt_learner *learner =
            fit(&pt_learner_brownboost, &p, "rounds=400,depth=1,bins=0,noise=0.3");
        small_must(learner->ops.outputs(learner, &p.rows, outputs, NULL, &err), &err, "outputs");
        for (int64_t s = 0; s < p.columns.ell; s++) {
            static column c;
            double mean = 0;
            double wrong = 0;
            double total = 0;
            fill_column(&c, &p, s);
            for (int64_t i = 0; i < N; i++) {
                const double z = c.y[i] * outputs[i * p.columns.ell + s];
                mean += c.w[i] * erfc(TO_MARGIN * z);
                wrong += z <= 0 ? c.w[i] : 0;
                total += c.w[i];
            }
            const double asked = 1 - erf(slow_width(&c, 0.3));
            if (fabs(mean / total - asked) < 1e-9) {
                ended++;
                assert_true(wrong / total <= asked + 1e-9);
            }
        }
        pt_learner_free(learner);
    }
    assert_true(ended >= 20); /* of 2 (4 + 6 + 3) columns */
}

/* ---- wrong labels -----------------------------------------------------------------------------
 */

/* y = sign(x_0 + x_1), which is not near 0, but for a sixth of the examples. */
static void fill_flipped(problem *p, bool *flipped)
{
    pt_random random;
    pt_random_init(&random, 77, PT_RANDOM_TEST, 0);
    fill(p, OVA, false, 5);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t f = 0; f < D; f++)
            p->x[i * D + f] = LEVELS[f] ? 0 : pt_random_normal(&random);
        const double sum = p->x[i * D] + p->x[i * D + 1];
        p->x[i * D] += sum > 0 ? 0.5 : -0.5;
        p->x[i * D + 1] += sum > 0 ? 0.5 : -0.5;
        flipped[i] = i % 6 == 0;
        p->group_of[i] = (sum > 0) != flipped[i];
    }
    p->columns.groups = 2;
    p->columns.ell = 1;
    p->sign[0] = -1;
    p->sign[1] = 1;
}

/* Discrete AdaBoost as it is printed: c->f, and its weights after the rounds. */
static void slow_adaboost(column *c, int rounds, double *weight)
{
    double plus[N];
    double minus[N];
    for (int64_t i = 0; i < N; i++)
        weight[i] = 1.0 / N;
    for (int t = 0; t < rounds; t++) {
        for (int64_t i = 0; i < N; i++) {
            plus[i] = c->y[i] > 0 ? weight[i] : 0;
            minus[i] = c->y[i] < 0 ? weight[i] : 0;
        }
        const slow_stump h = slow_best(&c->table, plus, minus, slow_gain_discrete);
        double says[N];
        double error = 0;
        double total = 0;
        for (int64_t i = 0; i < N; i++) {
            const double *sum = h.sum[slow_branch(&c->table, &h, i)];
            says[i] = sum[0] > sum[1] ? 1 : -1;
            error += says[i] == c->y[i] ? 0 : weight[i];
        }
        const double alpha = 0.5 * log((1 - error) / error);
        for (int64_t i = 0; i < N; i++) {
            total += weight[i] *= exp(-alpha * c->y[i] * says[i]);
            c->f[i] += alpha * says[i];
        }
        for (int64_t i = 0; i < N; i++)
            weight[i] /= total;
    }
}

static double share_of(const double *weight, const bool *flipped)
{
    double sum = 0;
    double all = 0;
    for (int64_t i = 0; i < N; i++) {
        sum += flipped[i] ? weight[i] : 0;
        all += weight[i];
    }
    return sum / all;
}

/* How often it does not say what the label should have been. */
static int64_t not_as_meant(const column *c, const bool *flipped)
{
    int64_t count = 0;
    for (int64_t i = 0; i < N; i++)
        count += (c->y[i] * c->f[i] <= 0) != flipped[i];
    return count;
}

/* At the end of its time BrownBoost leaves wrong labels alone, and says what they should have been;
 * AdaBoost is busy with them, and learns some. */
static void test_brownboost__gives_up_wrong_labels(void **state)
{
    (void)state;
    enum { ROUNDS = 40 };
    pt_error err = PT_ERROR_INIT;
    static problem p;
    static column c;
    bool flipped[N];
    double weight[N];
    fill_flipped(&p, flipped);
    fill_column(&c, &p, 0);
    slow_adaboost(&c, ROUNDS, weight);
    const double ada_share = share_of(weight, flipped);
    const int64_t ada_wrong = not_as_meant(&c, flipped);
    pt_learner *learner = fit(&pt_learner_brownboost, &p, "rounds=40,depth=1,bins=0,noise=0.4");
    small_must(learner->ops.outputs(learner, &p.rows, c.f, NULL, &err), &err, "outputs");
    for (int64_t i = 0; i < N; i++) {
        const double z = TO_MARGIN * c.f[i];
        weight[i] = exp(-z * z);
    }
    const double share = share_of(weight, flipped);
    const int64_t wrong = not_as_meant(&c, flipped);
    if (!(share < 0.6 * ada_share && wrong <= 3 && ada_wrong > 2 * wrong))
        fail_msg("weight of the wrong labels: BrownBoost %g, AdaBoost %g; not as meant: %d, %d",
                 share, ada_share, (int)wrong, (int)ada_wrong);
    pt_learner_free(learner);
}

/* ---- both -------------------------------------------------------------------------------------
 */

/* Labels that mean nothing: a held-out part stops it early, and no round after the best is kept. */
static void test_boosting__held_out_rows_stop_it(void **state)
{
    (void)state;
    static problem p;
    for (int brown = 0; brown < 2; brown++) {
        const pt_learner_ops *ops = brown ? &pt_learner_brownboost : &pt_learner_logitboost;
        fill(&p, PAIRS, false, 9);
        for (int64_t i = 0; i < N; i++)
            p.group_of[i] = i * 7 % K;
        pt_learner *stopped =
            fit(ops, &p, "rounds=200,depth=1,stop-share=0.3,patience=5,noise=1e-4");
        pt_learner *all = fit(ops, &p, "rounds=200,depth=1,noise=1e-4");
        assert_true(ops->rounds(stopped) >= 1 && ops->rounds(stopped) < 60);
        assert_true(ops->rounds(all) > ops->rounds(stopped));
        pt_learner_free(stopped);
        pt_learner_free(all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logitboost__is_the_textbook),
        cmocka_unit_test(test_logitboost__loss_of_every_column_falls),
        cmocka_unit_test(test_logitboost__stages_are_models_with_fewer_rounds),
        cmocka_unit_test(test_logitboost__rare_side_gets_its_log_odds),
        cmocka_unit_test(test_boosting__depth_two_solves_exclusive_or),
        cmocka_unit_test(test_brownboost__is_the_textbook),
        cmocka_unit_test(test_brownboost__ends_with_the_error_that_was_asked_for),
        cmocka_unit_test(test_brownboost__gives_up_wrong_labels),
        cmocka_unit_test(test_boosting__held_out_rows_stop_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
