/* Groups and folds of the caller: no row of a group that is held out was trained on, by any machine
 * and wherever rows are held out; folds are just those that were given; closed forms with groups
 * are those of training again. */
/* labels: heavy */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <unistd.h>

#include "../support/share.h"
#include "../support/small_problem.h"
#include "../support/validation.h"
#include "base/random.h"
#include "data/dataset.h"
#include "machine/training.h"
#include "metrics/label_judge.h"
#include "params/params_table.h"
#include "validate/auto.h"

/* ---- data in which a leak is seen ---------------------------------------------------------------
 *
 * Groups lie apart, in more dimensions than are needed to tell them apart, and their classes are
 * drawn: a machine that has seen a row of a group knows the others, one that has not knows nothing.
 */

enum { GROUPS = 40, EACH = 5, N = GROUPS * EACH, D = 30, K = 3 };

typedef struct told {
    double x[N * D];
    int64_t y[N];
    int64_t group[N];
} told;

static void told_init(told *t)
{
    pt_random random;
    double centre[GROUPS][D];
    int64_t label[GROUPS];
    pt_random_init(&random, 5, PT_RANDOM_TEST, 0);
    for (int g = 0; g < GROUPS; g++) {
        label[g] = g % K;
        for (int j = 0; j < D; j++)
            centre[g][j] = pt_random_normal(&random);
    }
    for (int i = 0; i < N; i++) {
        const int g = i * 7 % GROUPS;
        t->group[i] = 1000 - 3 * g;
        t->y[i] = label[g];
        for (int j = 0; j < D; j++)
            t->x[i * D + j] = centre[g][j] + 0.1 * pt_random_normal(&random);
    }
}

static pt_dataset *told_data(const told *t, bool sets, bool groups)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    int64_t start[N + 1];
    for (int64_t i = 0; i <= N; i++)
        start[i] = i;
    static const char *const names[] = {"a", "b", "c"};
    small_must(dataset_from_f64(&data, t->x, N, D, D, &err), &err, "data");
    if (sets)
        small_must(pt_dataset_set_label_items(data, "set", names, K, start, t->y, NULL, &err), &err,
                   "sets");
    else
        small_must(dataset_set_numbers(data, t->y, &err), &err, "classes");
    if (groups)
        small_must(dataset_set_ties(data, "group", t->group, 1, &err), &err, "groups");
    return data;
}

static bool uses(const pt_machine_ops *ops, const char *name)
{
    return pt_word_listed(ops->parameters, ',', name, strlen(name));
}

static pt_params *quick(const pt_machine_ops *ops)
{
    char text[256];
    snprintf(text, sizeof text, "machine=%s,folds=5,nested=no%s%s%s%s", ops->name,
             uses(ops, "rounds") && !uses(ops, "learner") ? ",rounds=20" : "",
             uses(ops, "design-machine") ? ",design-folds=3" : "",
             uses(ops, "learner") ? ",learner=linear-svm" : "",
             uses(ops, "hidden") ? ",hidden=300" : "");
    return small_params(text);
}

typedef struct seen_errors {
    double held_out; /* of cross-validation */
    double own;      /* of calibration; NaN: there is none */
    double choice;   /* of automatic parameters */
} seen_errors;

static seen_errors errors_of(const pt_machine_ops *ops, const told *t, bool sets, bool groups)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = told_data(t, sets, groups);
    pt_params *params = quick(ops);
    pt_report *search = NULL;
    pt_model *model = NULL;
    pt_report *found = NULL;
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, ops->name);
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, ops->name);
    small_must(pt_model_report(&found, model, &err), &err, ops->name);
    const seen_errors e = {
        pt_report_number_at(search, "error", 0, 0, 0),
        pt_report_integer(found, "held_out_rows") > 0 ? pt_report_number(found, "held_out_error")
                                                      : NAN,
        pt_report_integer(found, "choice_rows") > 0 ? pt_report_number(found, "choice_loss") : NAN};
    pt_report_free(found);
    pt_model_free(model);
    pt_report_free(search);
    pt_params_free(params);
    pt_dataset_free(data);
    return e;
}

/* Of a class drawn from three, two of three are wrong; of a set, a third of its classes. */
static void test_groups__no_machine_has_seen_a_held_out_group(void **state)
{
    (void)state;
    told t;
    told_init(&t);
    int told_apart = 0;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int sets = 0; sets < 2; sets++) {
            const unsigned kind = 1u << (sets ? PT_LABEL_SET : PT_LABEL_CLASS);
            if (!((*ops)->label_kinds & kind) || !test_in_share())
                continue;
            const seen_errors with = errors_of(*ops, &t, sets, true);
            const seen_errors without = errors_of(*ops, &t, sets, false);
            if (!(with.held_out > 0.45) || with.own < 0.45 || with.choice < (sets ? 0.25 : 0.45))
                fail_msg("%s%s: errors %g %g %g of groups that were not seen", (*ops)->name,
                         sets ? ", sets" : "", with.held_out, with.own, with.choice);
            told_apart += without.held_out < with.held_out - 0.2;
        }
    assert_true(told_apart > 0); /* what it would be to have seen them */
}

/* ---- a learner that knows what it has seen ----------------------------------------------------
 *
 * The first column is the number of the row. A row that is asked about and was not seen is held
 * out: then no row of its tie may have been seen, and all that are never held out were. */

static struct {
    const int64_t *tie; /* of each row, PT_NEVER_HELD: it is never held out */
    bool time;          /* ties are times: none that is as late may have been seen */
    const int64_t *y;   /* of each row: a column of two classes has seen no other */
    bool whole;         /* every state has seen all of these */
    atomic_int asked;   /* rows that were held out */
    atomic_int leaks;
    atomic_int lacks;
} witness;

typedef struct seen {
    bool row[N];
    bool of_class[K];
    double mean[2][D];
} seen;

static pt_status seen_fit(void **state, const pt_rows_view *rows, const int8_t *side,
                          const double *weight, int64_t column, void *user, pt_error *err)
{
    (void)weight;
    (void)column;
    (void)user;
    (void)err;
    seen *s = calloc(1, sizeof *s);
    int64_t count[2] = {1, 1};
    for (int64_t i = 0; i < rows->n_rows; i++) {
        const double *x = rows->dense + i * rows->stride;
        const int on = side[i] > 0;
        s->row[(int64_t)x[0]] = true;
        s->of_class[witness.y[(int64_t)x[0]]] = true;
        count[on]++;
        for (int64_t j = 1; j < rows->n_columns; j++)
            s->mean[on][j] += x[j];
    }
    for (int on = 0; on < 2; on++)
        for (int64_t j = 1; j < rows->n_columns; j++)
            s->mean[on][j] /= (double)count[on];
    *state = s;
    return PT_OK;
}

/* Rows that are all of one time have no order. */
static int has_earlier(const seen *s, int64_t time)
{
    for (int64_t o = 0; o < N; o++)
        if (s->row[o] && witness.tie[o] < time)
            return 1;
    return 0;
}

static pt_status seen_outputs(const void *state, const pt_rows_view *rows, double *outputs,
                              void *user, pt_error *err)
{
    (void)user;
    (void)err;
    const seen *s = state;
    for (int64_t i = 0; i < rows->n_rows; i++) {
        const double *x = rows->dense + i * rows->stride;
        const int64_t id = (int64_t)x[0];
        double f = 0;
        for (int64_t j = 1; j < rows->n_columns; j++)
            f += (s->mean[1][j] - s->mean[0][j]) * x[j];
        outputs[i] = f;
        if (s->row[id] || !s->of_class[witness.y[id]])
            continue;
        atomic_fetch_add(&witness.asked, 1);
        for (int64_t o = 0; o < N; o++) {
            if (witness.time)
                atomic_fetch_add(&witness.leaks,
                                 s->row[o] &&
                                     witness.tie[o] >=
                                         witness.tie[id] + !has_earlier(s, witness.tie[id]));
            else if (witness.tie[o] == PT_NEVER_HELD)
                atomic_fetch_add(&witness.lacks, witness.whole && !s->row[o]);
            else if (s->row[o] && witness.tie[o] == witness.tie[id])
                atomic_fetch_add(&witness.leaks, 1);
        }
    }
    return PT_OK;
}

static void seen_free(void *state, void *user)
{
    (void)user;
    free(state);
}

static const pt_learner_callbacks WITNESS = {.size = sizeof WITNESS,
                                             .name = "witness",
                                             .takes_weights = 1,
                                             .fit = seen_fit,
                                             .outputs = seen_outputs,
                                             .free_state = seen_free};

static pt_params *witness_params(const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params("scale=none");
    small_must(pt_params_set_learner(params, &WITNESS, &err), &err, "learner");
    small_must(pt_params_parse(params, options, &err), &err, options);
    return params;
}

static void expect_no_leak(const char *what)
{
    const int asked = atomic_exchange(&witness.asked, 0);
    const int leaks = atomic_exchange(&witness.leaks, 0);
    const int lacks = atomic_exchange(&witness.lacks, 0);
    if (asked == 0 || leaks > 0 || lacks > 0)
        fail_msg("%s: %d rows were held out, %d of their ties seen, %d rows missing", what, asked,
                 leaks, lacks);
}

static void search_with(const pt_dataset *data, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *search = NULL;
    pt_params *params = witness_params(options);
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, options);
    expect_no_leak(options);
    pt_report_free(search);
    pt_params_free(params);
}

static void train_with(const pt_dataset *data, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_params *params = witness_params(options);
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, options);
    expect_no_leak(options);
    pt_model_free(model);
    pt_params_free(params);
}

static void compare_with(const pt_dataset *data, const char *one, const char *other)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *comparison = NULL;
    pt_params *params[2] = {witness_params(one), witness_params(other)};
    small_must(pt_compare(&comparison, data, NULL, (const pt_params *const *)params, 2, NULL, &err),
               &err, one);
    expect_no_leak("compare");
    pt_report_free(comparison);
    pt_params_free(params[0]);
    pt_params_free(params[1]);
}

/* Everything that holds rows out; `folds` is what may be said of folds. */
static void hold_out_everywhere(const pt_dataset *data, const char *folds, bool drawn)
{
    static const char *const SEARCHES[] = {
        "code=ova",
        "code=ova,metric=log-loss",
        "code=ova,scale-per-fold=yes",
        "grid={code=ova,ovo},nested=yes,keep-scores=all",
        "machine=class-tree",
        "machine=designed,code=ova,design-folds=3,interleave=1",
        "code=ovo,decode=coupling",
    };
    static const char *const TRAININGS[] = {
        "code=ova", "code=ovo,decode=coupling", "machine=class-tree",
        "machine=designed,code=ova,design-folds=4,interleave=2"};
    char options[256];
    for (size_t s = 0; s < sizeof SEARCHES / sizeof *SEARCHES; s++) {
        witness.whole = s == 0; /* the others have samples inside */
        snprintf(options, sizeof options, "%s,calibrate=no%s", SEARCHES[s], folds);
        search_with(data, options);
        witness.whole = false;
    }
    for (size_t s = 0; s < 3 && drawn; s++) {
        static const char *const HOW[] = {"code=ova,loo=yes", "code=ova,folds=7,repeat=3",
                                          "code=ova,folds=4,stratify=no"};
        search_with(data, HOW[s]);
    }
    for (size_t s = 0; s < sizeof TRAININGS / sizeof *TRAININGS; s++)
        train_with(data, TRAININGS[s]);
    if (witness.time)
        return; /* halves have no order */
    snprintf(options, sizeof options, "grid={code=ova,ovo}%s", folds);
    compare_with(data, options, "code=ova,metric=error");
}

static pt_dataset *numbered_data(told *t)
{
    told_init(t);
    for (int64_t i = 0; i < N; i++)
        t->x[i * D] = (double)i;
    return told_data(t, false, false);
}

static void test_groups__nowhere_is_a_group_seen_in_part(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    told t;
    pt_dataset *data = numbered_data(&t);
    small_must(dataset_set_ties(data, "group", t.group, 1, &err), &err, "groups");
    witness.tie = t.group;
    witness.y = t.y;
    hold_out_everywhere(data, ",folds=4", true);
    pt_dataset_free(data);
}

static void test_groups__nowhere_is_a_fold_of_the_caller_seen_in_part(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    told t;
    int64_t fold[N];
    pt_dataset *data = numbered_data(&t);
    for (int64_t i = 0; i < N; i++) /* -2, 4, ...: any numbers are folds */
        fold[i] = i % 9 == 8 ? PT_NEVER_HELD : 6 * (i * 7 % 9 % 6) - 2;
    small_must(dataset_set_ties(data, "fold", fold, 1, &err), &err, "folds");
    witness.tie = fold;
    witness.y = t.y;
    hold_out_everywhere(data, "", false);
    pt_dataset_free(data);
}

/* Many rows of few times, and few of many; what is asked is always later than what was seen. */
static void test_times__nowhere_is_a_later_row_seen(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    for (int many = 0; many < 2; many++) {
        told t;
        int64_t time[N];
        pt_dataset *data = numbered_data(&t);
        for (int64_t i = 0; i < N; i++)
            time[i] = many ? i * 77 % N / 2 - 50 : i * i % 11;
        small_must(dataset_set_ties(data, "time", time, 1, &err), &err, "times");
        witness.tie = time;
        witness.y = t.y;
        witness.time = true;
        hold_out_everywhere(data, ",folds=4", false);
        witness.time = false;
        pt_dataset_free(data);
    }
}

/* The control: without ties the witness sees rows of all groups. */
static void test_groups__the_witness_sees(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    told t;
    pt_report *search = NULL;
    pt_dataset *data = numbered_data(&t);
    pt_params *params = witness_params("code=ova");
    witness.tie = t.group;
    witness.y = t.y;
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, "cv");
    assert_true(atomic_exchange(&witness.leaks, 0) > 0);
    atomic_store(&witness.asked, 0);
    pt_report_free(search);
    pt_params_free(params);
    pt_dataset_free(data);
}

/* ---- the caller's folds ---------------------------------------------------------------------- */

/* A problem that is neither easy nor hopeless. */
static pt_dataset *hazy_data(int64_t n, uint64_t seed)
{
    pt_error err = PT_ERROR_INIT;
    pt_random random;
    pt_dataset *data = NULL;
    double *x = calloc((size_t)(n * 2), sizeof *x);
    int64_t *y = calloc((size_t)n, sizeof *y);
    pt_random_init(&random, seed, PT_RANDOM_TEST, 1);
    for (int64_t i = 0; i < n; i++) {
        y[i] = i % K;
        x[2 * i] = cos(2.1 * (double)y[i]) + 0.8 * pt_random_normal(&random);
        x[2 * i + 1] = sin(2.1 * (double)y[i]) + 0.8 * pt_random_normal(&random);
    }
    small_must(dataset_from_f64(&data, x, n, 2, 2, &err), &err, "data");
    small_must(dataset_set_numbers(data, y, &err), &err, "classes");
    free(x);
    free(y);
    return data;
}

enum { HAZY = 90, COLUMNS = 2 };

/* Fold 5 of column 0 has a third of its rows; in column 1 a quarter is never held out. */
static void fill_folds(int64_t *fold)
{
    for (int64_t i = 0; i < HAZY; i++) {
        fold[i] = i * 5 % 6 < 2 ? 5 : i % 7;
        fold[HAZY + i] = i % 4 == 0 ? PT_NEVER_HELD : 10 * (i * 11 % 3);
    }
}

/* Errors of each fold by training without it. */
static int64_t wrong_without(const pt_dataset *data, const char *options, const int64_t *fold,
                             int64_t number, int64_t *rows)
{
    pt_error err = PT_ERROR_INIT;
    int64_t in[HAZY];
    int64_t out[HAZY];
    int64_t n_in = 0;
    int64_t wrong = 0;
    *rows = 0;
    for (int64_t i = 0; i < HAZY; i++)
        if (fold[i] == number)
            out[(*rows)++] = i;
        else
            in[n_in++] = i;
    pt_dataset *train = NULL;
    pt_dataset *test = NULL;
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    pt_params *params = small_params(options);
    small_must(pt_params_set(params, "calibrate", "no", &err), &err, "calibrate");
    small_must(pt_dataset_part(&train, data, in, n_in, NULL, &err), &err, "train");
    small_must(pt_dataset_part(&test, data, out, *rows, NULL, &err), &err, "test");
    small_must(pt_model_train(&model, train, params, NULL, &err), &err, options);
    small_must(pt_model_predict(&prediction, model, test, -1, NULL, &err), &err, options);
    for (int64_t i = 0; i < *rows; i++)
        wrong += pt_prediction_labels(prediction)[i] != pt_dataset_class(test, i);
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(test);
    pt_dataset_free(train);
    return wrong;
}

static void test_folds__are_those_of_the_caller(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=onelsm,sigma=1,ridge=0.1,scale=none,precision=double",
        "machine=vo-lssvm,sigma=1,ridge=0.1,scale=none,precision=double",
        "machine=tree,depth=3,scale=none",
        "machine=spoc,sigma=1,C=1,scale=none,precision=double,gap=1e-6"};
    pt_error err = PT_ERROR_INIT;
    int64_t fold[COLUMNS * HAZY];
    pt_dataset *data = hazy_data(HAZY, 3);
    fill_folds(fold);
    small_must(dataset_set_ties(data, "fold", fold, COLUMNS, &err), &err, "folds");
    for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
        pt_report *search = NULL;
        pt_params *params = small_params(MACHINES[m]);
        small_must(
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, MACHINES[m]);
        assert_int_equal(pt_report_integer(search, "n_repeats"), COLUMNS);
        assert_int_equal(pt_report_integer(search, "n_folds"), 7);
        assert_int_equal(pt_report_integer(search, "given_folds"), 1);
        for (int64_t r = 0; r < COLUMNS; r++) {
            const int64_t NUMBERS[COLUMNS][7] = {{0, 1, 2, 3, 4, 5, 6}, {0, 10, 20}};
            int64_t held = 0;
            int64_t all = 0;
            for (int64_t f = 0; f < (r == 0 ? 7 : 3); f++) {
                int64_t rows = 0;
                const int64_t wrong =
                    wrong_without(data, MACHINES[m], fold + r * HAZY, NUMBERS[r][f], &rows);
                assert_int_equal(pt_report_integer_at(search, "fold_rows", r, f, 0), rows);
                assert_true(fabs(pt_report_number_at(search, "fold_errors", 0, r, f) -
                                 (double)wrong / (double)rows) < 1e-12);
                held += rows;
                all += wrong;
            }
            assert_true(fabs(pt_report_number_at(search, "errors", 0, r, 0) -
                             (double)all / (double)held) < 1e-12);
            for (int64_t i = 0; i < HAZY; i++) /* rows that are never held out have no scores */
                assert_int_equal(isnan(pt_report_number_at(search, "scores", r, i, 0)) != 0,
                                 fold[r * HAZY + i] == PT_NEVER_HELD);
        }
        assert_true(isnan(pt_report_number_at(search, "fold_errors", 0, 1, 5)));
        pt_report_free(search);
        pt_params_free(params);
    }
    pt_dataset_free(data);
}

/* The standard error over folds, by hand; scores of all points. */
static void test_folds__figures_of_a_search(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = hazy_data(HAZY, 4);
    pt_report *search = NULL;
    pt_params *params = small_params(
        "grid={ridge=0.1,1,sigma=0.5,2},folds=6,repeat=2,keep-scores=all,precision=double");
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, "search");
    for (int64_t p = 0; p < 4; p++) {
        double both = 0;
        for (int64_t r = 0; r < 2; r++) {
            double mean = 0;
            double square = 0;
            for (int64_t f = 0; f < 6; f++) { /* of 15 rows each */
                assert_int_equal(pt_report_integer_at(search, "fold_rows", r, f, 0), 15);
                mean += pt_report_number_at(search, "fold_errors", p, r, f) / 6;
            }
            for (int64_t f = 0; f < 6; f++) {
                const double d = pt_report_number_at(search, "fold_errors", p, r, f) - mean;
                square += d * d;
            }
            assert_true(fabs(mean - pt_report_number_at(search, "errors", p, r, 0)) < 1e-12);
            both += sqrt(square / 5 / 6) / 2;
        }
        assert_true(fabs(both - pt_report_number_at(search, "standard_error", p, 0, 0)) < 1e-12);
        /* the scores of a point are those of a search for it alone */
        char alone[128];
        pt_report *one = NULL;
        snprintf(alone, sizeof alone, "ridge=%s,sigma=%s,folds=6,precision=double",
                 pt_report_text_at(search, "point", p, 0, 0),
                 pt_report_text_at(search, "point", p, 1, 0));
        pt_params *own = small_params(alone);
        small_must(pt_cross_validate(&one, NULL, data, &(const pt_params *){own}, 1, NULL, &err),
                   &err, alone);
        for (int64_t i = 0; i < HAZY; i++)
            for (int64_t c = 0; c < K; c++)
                assert_true(fabs(pt_report_number_at(search, "point_scores", p, i, c) -
                                 pt_report_number_at(one, "scores", 0, i, c)) < 1e-9);
        pt_report_free(one);
        pt_params_free(own);
    }
    const int64_t best = pt_report_integer(search, "best");
    for (int64_t i = 0; i < HAZY; i++)
        assert_true(pt_report_number_at(search, "point_scores", best, i, 1) ==
                    pt_report_number_at(search, "scores", 0, i, 1));
    pt_report_free(search);
    pt_params_free(params);
    /* by a metric of probabilities they are scores all the same; by brute force */
    params = small_params("machine=tree,grid={depth=2,3},folds=3,keep-scores=all,metric=log-loss");
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, "log loss");
    const int64_t other = pt_report_integer(search, "best");
    for (int64_t i = 0; i < HAZY; i++)
        assert_true(pt_report_number_at(search, "point_scores", other, i, 2) ==
                    pt_report_number_at(search, "scores", 0, i, 2));
    assert_false(isnan(pt_report_number_at(search, "point_scores", 1 - other, HAZY - 1, 0)));
    pt_report_free(search);
    pt_params_free(params);
    pt_dataset_free(data);
}

/* ---- automatic parameters -------------------------------------------------------------------- */

typedef struct loss_sum {
    const pt_training *t;
    double sum;
} loss_sum;

static pt_status add_loss(void *context, int64_t point, int64_t partition, const double *scores,
                          pt_error *err)
{
    (void)point;
    (void)partition;
    (void)err;
    loss_sum *l = context;
    assert_non_null(scores);
    for (int64_t i = 0; i < l->t->problem.rows.n; i++)
        l->sum += pt_label_loss(l->t->problem.labels, i, scores + i * K);
    return PT_OK;
}

/* What was chosen in closed form has the loss that training without each group gives. */
static void test_groups__choice_is_by_leaving_a_group_out(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"machine=onelsm,precision=double",
                                           "machine=vo-lssvm,precision=double",
                                           "machine=onelsm,kernel=linear,precision=double"};
    pt_error err = PT_ERROR_INIT;
    int64_t group[HAZY];
    pt_dataset *data = hazy_data(HAZY, 9);
    for (int64_t i = 0; i < HAZY; i++)
        group[i] = i * 13 % 90 < 30 ? 7 : i * 13 % 11;
    small_must(dataset_set_ties(data, "group", group, 1, &err), &err, "groups");
    for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
        pt_training t = {0};
        pt_fold_set each = {0};
        pt_params *params = small_params(MACHINES[m]);
        small_must(pt_training_init(&t, data, params, NULL, &err), &err, MACHINES[m]);
        small_must(pt_training_resolve(&t, NULL, &err), &err, MACHINES[m]);
        small_must(pt_fold_set_each(&each, &t.problem, &err), &err, MACHINES[m]);
        assert_int_equal(each.partitions.n_folds, 11);
        loss_sum by_training = {&t, 0};
        small_must(held_out_by_training(t.ops, &t.problem, &(const pt_params *){t.params}, 1,
                                        &each.partitions, add_loss, &by_training, NULL, &err),
                   &err, MACHINES[m]);
        assert_int_equal(t.chosen.rows, HAZY);
        assert_true(fabs(t.chosen.loss - by_training.sum / HAZY) < 1e-9);
        pt_fold_set_free(&each);
        pt_training_free(&t);
        pt_params_free(params);
    }
    pt_dataset_free(data);
}

/* Equal rows of different groups are different rows; of one group they are one. */
static void test_groups__rows_of_different_groups_are_not_merged(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const double x[] = {1, 1, 1, 1, 2, 2};
    static const int64_t y[] = {0, 0, 0, 0, 1, 1};
    static const int64_t group[] = {4, 4, -9, 4, 4, -9};
    static const int64_t fold[] = {0, 0, 1, 2, 0, 1};
    static const struct {
        const char *role;
        const int64_t *value;
        int64_t rows;
    } CASES[] = {{"group", NULL, 2}, {"group", group, 4}, {"fold", fold, 5}};
    for (size_t c = 0; c < 3; c++) {
        pt_training t = {0};
        pt_dataset *data = NULL;
        pt_params *params = small_params("sigma=1,ridge=1");
        small_must(dataset_from_f64(&data, x, 6, 1, 1, &err), &err, "data");
        small_must(dataset_set_numbers(data, y, &err), &err, "classes");
        small_must(dataset_set_ties(data, CASES[c].role, CASES[c].value, 1, &err), &err, "ties");
        small_must(pt_training_init_merged(&t, data, params, NULL, &err), &err, "merge");
        assert_int_equal(t.problem.rows.n, CASES[c].rows);
        pt_training_free(&t);
        pt_params_free(params);
        pt_dataset_free(data);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

typedef struct refusal {
    const char *role;
    int64_t (*of)(int64_t i);
    const char *options;
    pt_status status;
    const char *text;
} refusal;

static int64_t all_one(int64_t i)
{
    (void)i;
    return 1;
}

static int64_t never(int64_t i)
{
    (void)i;
    return PT_NEVER_HELD;
}

static int64_t by_three(int64_t i)
{
    return i % 3;
}

static int64_t only_last(int64_t i) /* fold 8 has the row without a label */
{
    return i == HAZY - 1 ? 8 : i % 5;
}

static void test_folds__conflicts_are_refused(void **state)
{
    (void)state;
    static const refusal REFUSALS[] = {
        {"group", all_one, "", PT_EFORMAT, "all of one group"},
        {"fold", all_one, "", PT_EFORMAT, "all rows are in one fold"},
        {"fold", never, "", PT_EFORMAT, "no row is in a fold"},
        {"fold", only_last, "", PT_EFORMAT, "fold 8 has no row with a label"},
        {"fold", by_three, "folds=3", PT_EINVAL, "`folds`"},
        {"fold", by_three, "repeat=1", PT_EINVAL, "`repeat`"},
        {"fold", by_three, "loo=yes", PT_EINVAL, "`loo`"},
        {"fold", by_three, "stratify=no", PT_EINVAL, "`stratify`"},
        {"group", by_three, "folds=4", PT_EINVAL, "3 groups"},
    };
    for (size_t c = 0; c < sizeof REFUSALS / sizeof *REFUSALS; c++) {
        const refusal *r = &REFUSALS[c];
        pt_error err = PT_ERROR_INIT;
        int64_t value[HAZY];
        pt_dataset *data = hazy_data(HAZY, 1);
        pt_report *search = NULL;
        pt_params *params = small_params("sigma=1,ridge=1");
        for (int64_t i = 0; i < HAZY; i++)
            value[i] = r->of(i);
        ((int64_t *)data->labels->class_of)[HAZY - 1] = r->of == only_last ? -1 : 0;
        small_must(dataset_set_ties(data, r->role, value, 1, &err), &err, r->text);
        small_must(pt_params_parse(params, r->options, &err), &err, r->options);
        assert_int_equal(
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            r->status);
        if (!strstr(err.text, r->text))
            fail_msg("'%s' in place of '%s'", err.text, r->text);
        pt_params_free(params);
        pt_dataset_free(data);
    }
    /* a group that folds cut */
    pt_error err = PT_ERROR_INIT;
    int64_t group[HAZY];
    int64_t fold[HAZY];
    pt_dataset *data = hazy_data(HAZY, 1);
    pt_model *model = NULL;
    for (int64_t i = 0; i < HAZY; i++) {
        group[i] = i / 2;
        fold[i] = i % 3;
    }
    small_must(dataset_set_ties(data, "group", group, 1, &err), &err, "groups");
    small_must(dataset_set_ties(data, "fold", fold, 1, &err), &err, "folds");
    assert_int_equal(pt_model_train(&model, data, NULL, NULL, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "group 0 are in fold 0 and in fold 1"));
    pt_dataset_free(data);
    /* a comparison has no folds to draw either */
    pt_report *comparison = NULL;
    data = hazy_data(HAZY, 1);
    pt_params *params[2] = {small_params("stratify=no"), small_params("machine=tree")};
    small_must(dataset_set_ties(data, "fold", fold, 1, &err), &err, "folds");
    assert_int_equal(
        pt_compare(&comparison, data, NULL, (const pt_params *const *)params, 2, NULL, &err),
        PT_EINVAL);
    pt_params_free(params[0]);
    pt_params_free(params[1]);
    pt_dataset_free(data);
}

/* A single fold beside rows that are never held out: one split. Two folds: nothing of the caller's
 * is left inside one of them, and folds are drawn there. */
static void test_folds__few_of_them_serve(void **state)
{
    (void)state;
    static const char *const OPTIONS[] = {"", "machine=onelsm,nested=yes,grid={ridge=0.1,1}",
                                          "machine=designed,code=ova,learner=ls"};
    for (int folds = 1; folds <= 2; folds++)
        for (size_t o = 0; o < sizeof OPTIONS / sizeof *OPTIONS; o++) {
            pt_error err = PT_ERROR_INIT;
            int64_t fold[HAZY];
            pt_dataset *data = hazy_data(HAZY, 2);
            pt_report *search = NULL;
            pt_model *model = NULL;
            pt_params *params = small_params(OPTIONS[o]);
            for (int64_t i = 0; i < HAZY; i++)
                fold[i] = folds == 2 ? i % 5 % 2 : i % 5 == 0 ? 3 : PT_NEVER_HELD;
            small_must(dataset_set_ties(data, "fold", fold, 1, &err), &err, "folds");
            small_must(
                pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
                &err, OPTIONS[o]);
            assert_int_equal(pt_report_integer(search, "n_folds"), folds);
            assert_true(pt_report_number_at(search, "error", 0, 0, 0) < 0.5);
            small_must(pt_params_set(params, "grid", "", &err), &err, "grid");
            small_must(pt_model_train(&model, data, params, NULL, &err), &err, OPTIONS[o]);
            pt_model_free(model);
            pt_report_free(search);
            pt_params_free(params);
            pt_dataset_free(data);
        }
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static void test_folds__a_checkpoint_knows_them(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    char path[128];
    char options[256];
    int64_t group[HAZY];
    pt_report *search[2] = {NULL, NULL};
    pt_report *other = NULL;
    snprintf(path, sizeof path, "test_groups_%d.cv", (int)getpid());
    snprintf(options, sizeof options, "grid={ridge=0.1,1},sigma=1,folds=4,resume=%s", path);
    pt_dataset *data = hazy_data(HAZY, 6);
    pt_params *params = small_params(options);
    for (int64_t i = 0; i < HAZY; i++)
        group[i] = i % 17;
    small_must(dataset_set_ties(data, "group", group, 1, &err), &err, "groups");
    for (int again = 0; again < 2; again++)
        small_must(pt_cross_validate(&search[again], NULL, data, &(const pt_params *){params}, 1,
                                     NULL, &err),
                   &err, options);
    assert_int_equal(pt_report_integer(search[1], "n_computed"), 0);
    for (int64_t p = 0; p < 2; p++)
        for (int64_t f = 0; f < 4; f++)
            assert_true(pt_report_number_at(search[0], "fold_errors", p, 0, f) ==
                        pt_report_number_at(search[1], "fold_errors", p, 0, f));
    group[0] = 3; /* another group for a row: other data */
    small_must(dataset_set_ties(data, "group", group, 1, &err), &err, "groups");
    assert_int_equal(
        pt_cross_validate(&other, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
        PT_EINVAL);
    assert_non_null(strstr(err.text, "other data"));
    small_must(pt_params_set(params, "keep-scores", "all", &err), &err, "keep-scores");
    remove(path);
    assert_int_equal(
        pt_cross_validate(&other, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
        PT_EINVAL);
    assert_non_null(strstr(err.text, "`keep-scores=all`"));
    remove(path);
    pt_report_free(search[0]);
    pt_report_free(search[1]);
    pt_params_free(params);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups__no_machine_has_seen_a_held_out_group),
        cmocka_unit_test(test_groups__nowhere_is_a_group_seen_in_part),
        cmocka_unit_test(test_groups__nowhere_is_a_fold_of_the_caller_seen_in_part),
        cmocka_unit_test(test_times__nowhere_is_a_later_row_seen),
        cmocka_unit_test(test_groups__the_witness_sees),
        cmocka_unit_test(test_folds__are_those_of_the_caller),
        cmocka_unit_test(test_folds__figures_of_a_search),
        cmocka_unit_test(test_groups__choice_is_by_leaving_a_group_out),
        cmocka_unit_test(test_groups__rows_of_different_groups_are_not_merged),
        cmocka_unit_test(test_folds__conflicts_are_refused),
        cmocka_unit_test(test_folds__few_of_them_serve),
        cmocka_unit_test(test_folds__a_checkpoint_knows_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
