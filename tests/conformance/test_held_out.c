/* Closed-form held-out scores, of every machine that has them, against the obvious way: train
 * without the fold, predict the fold. On the embedded data sets, for narrow and wide kernels. */
/* labels: heavy */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/share.h"
#include "../support/small_problem.h"
#include "../support/validation.h"
#include "base/alloc.h"
#include "data/dataset.h"
#include "data/prepare/prepare.h"
#include "data/split.h"
#include "machine/machine.h"
#include "params/params_table.h"

#ifndef PT_SOURCE_DIR /* the build names it */
#define PT_SOURCE_DIR "."
#endif

static bool uses(const pt_machine_ops *ops, const char *name)
{
    return pt_word_listed(ops->parameters, ',', name, strlen(name));
}

/* The composed machine has a closed form for one learner, and codes without zeros. */
static void choose_learner(const pt_machine_ops *ops, pt_params *params)
{
    pt_error err = PT_ERROR_INIT;
    if (uses(ops, "learner"))
        small_must(pt_params_parse(params, "learner=ls,code=ova,decode=square", &err), &err,
                   "learner");
}

/* An embedded set, prepared (range -1..1), at most `limit` rows of it. */
typedef struct embedded {
    const char *name;
    int64_t n;
    int64_t d;
    int64_t k;
    pt_dataset *data;
    pt_prepared prepared;
} embedded;

static const struct {
    const char *name;
    int64_t limit;
} SETS[] = {{"iris", 150}, {"wine", 178}, {"digits", 250}};
enum { N_SETS = sizeof SETS / sizeof *SETS };

static embedded embedded_read(int which, pt_type type)
{
    embedded e;
    memset(&e, 0, sizeof e);
    pt_error err = PT_ERROR_INIT;
    char path[512];
    e.name = SETS[which].name;
    snprintf(path, sizeof path, "%s/data/%s.csv", PT_SOURCE_DIR, e.name);
    pt_dataset *all = NULL;
    small_must(pt_dataset_read(&all, path, NULL, NULL, &err), &err, path);
    const int64_t m = all->n < SETS[which].limit ? all->n : SETS[which].limit;
    int64_t *rows = calloc((size_t)m, sizeof *rows);
    small_must(pt_sample(rows, m, all->n, all->labels->class_of, pt_labels_n_classes(all->labels),
                         1, &err),
               &err, "sample");
    small_must(pt_dataset_subset(&e.data, all, rows, m, NULL, &err), &err, "subset");
    free(rows);
    pt_dataset_free(all);

    pt_prepare *prepare = NULL;
    small_must(pt_prepare_fit(&prepare, e.data, NULL, false, NULL, &err), &err, "preparation");
    small_must(pt_prepare_apply(prepare, e.data, type, &e.prepared, NULL, &err), &err,
               "preparation");
    pt_prepare_free(prepare);
    e.n = e.data->n;
    e.d = e.prepared.rows.d;
    e.k = pt_labels_n_classes(e.data->labels);
    return e;
}

static void embedded_free(embedded *e)
{
    pt_prepared_free(&e->prepared);
    pt_dataset_free(e->data);
}

/* What the closed form hands over: a copy for each point and partition. */
typedef struct taken {
    int64_t n_partitions;
    int64_t cells;
    double **scores;  /* NULL: no answer there */
    atomic_int calls; /* threads call */
} taken;

static pt_status take(void *context, int64_t point, int64_t partition, const double *scores,
                      pt_error *err)
{
    (void)err;
    taken *t = context;
    const size_t bytes = (size_t)t->cells * sizeof(double);
    if (scores) {
        double *copy = malloc(bytes);
        memcpy(copy, scores, bytes);
        t->scores[point * t->n_partitions + partition] = copy;
    }
    atomic_fetch_add(&t->calls, 1);
    return PT_OK;
}

/* Scores of fold f's rows by a machine that never saw them, into scores (n x k). */
static void brute_fold(const pt_machine_ops *ops, const pt_problem *problem, const int64_t *fold,
                       int64_t f, const pt_params *params, double *scores, int64_t k)
{
    const pt_rows *rows = &problem->rows;
    const size_t row_bytes = (size_t)rows->d * pt_type_size(rows->type);
    pt_error err = PT_ERROR_INIT;
    char *in = malloc((size_t)rows->n * row_bytes);
    char *out = malloc((size_t)rows->n * row_bytes);
    int64_t *kept = calloc((size_t)rows->n, sizeof *kept);
    int64_t *held = calloc((size_t)rows->n, sizeof *held);
    double *weight = calloc((size_t)rows->n, sizeof *weight);
    int64_t n_kept = 0;
    int64_t n_held = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        const char *row =
            (const char *)rows->dense + (size_t)(i * rows->stride) * pt_type_size(rows->type);
        if (fold[i] == f) {
            memcpy(out + (size_t)n_held * row_bytes, row, row_bytes);
            held[n_held++] = i;
        } else {
            memcpy(in + (size_t)n_kept * row_bytes, row, row_bytes);
            weight[n_kept] = problem->weight ? problem->weight[i] : 1;
            kept[n_kept++] = i;
        }
    }
    pt_labels *labels = NULL;
    small_must(pt_labels_subset(&labels, problem->labels, kept, n_kept, &err), &err, "labels");
    const pt_rows in_rows = {
        .n = n_kept, .d = rows->d, .type = rows->type, .dense = in, .stride = rows->d};
    const pt_rows out_rows = {
        .n = n_held, .d = rows->d, .type = rows->type, .dense = out, .stride = rows->d};
    const pt_problem part = {.rows = in_rows,
                             .labels = labels,
                             .weight = problem->weight ? weight : NULL,
                             .label_gram = problem->label_gram};
    pt_machine *machine = NULL;
    pt_warnings warnings = {0};
    double *part_scores = calloc((size_t)(n_held * k + 1), sizeof *part_scores);
    small_must(pt_machine_fit(&machine, ops, &part, params, NULL, &warnings, &err), &err, "fit");
    small_must(ops->scores(machine, &out_rows, part_scores, NULL, &err), &err, "scores");
    for (int64_t i = 0; i < n_held; i++)
        memcpy(scores + held[i] * k, part_scores + i * k, (size_t)k * sizeof *scores);
    pt_machine_free(machine);
    pt_warnings_free(&warnings);
    pt_labels_free(labels);
    free(in), free(out), free(kept), free(held), free(weight), free(part_scores);
}

static double *brute_force(const pt_machine_ops *ops, const pt_problem *problem,
                           const int64_t *fold, int64_t n_folds, const pt_params *params, int64_t k)
{
    double *scores = calloc((size_t)(problem->rows.n * k), sizeof *scores);
    for (int64_t f = 0; f < n_folds; f++)
        brute_fold(ops, problem, fold, f, params, scores, k);
    return scores;
}

static const double ITERATED = 1e-3;

/* Between rows that are held out. */
static double held_distance(const double *a, const double *b, const pt_partitions *partitions,
                            int64_t partition, int64_t n, int64_t k)
{
    double worst = 0;
    for (int64_t i = 0; i < n; i++)
        if (pt_is_held(partitions, partition, i))
            worst = fmax(worst, small_distance(a + i * k, b + i * k, k));
    return worst;
}

/* Both ways for a list of points and some partitions; the largest distance may be `tolerance`. */
static void expect_equal_on(const pt_machine_ops *ops, const pt_problem *problem, int64_t k,
                            const char *const *options, int64_t n_points,
                            const pt_partitions *partitions, double tolerance, const char *what)
{
    const int64_t n = problem->rows.n;
    const int64_t repeats = partitions->count;
    pt_error err = PT_ERROR_INIT;
    pt_params *points[16];
    for (int64_t p = 0; p < n_points; p++) {
        points[p] = small_params(options[p]);
        small_must(pt_params_set(points[p], "gap", "1e-9", &err), &err, "gap");
        choose_learner(ops, points[p]);
    }
    if (ops->holdout_method) /* not in closed form: two iterations that end near each other */
        tolerance = ITERATED;
    taken t = {repeats, n * k, calloc((size_t)(n_points * repeats), sizeof(double *)), 0};
    small_must(ops->holdout(problem, (const pt_params *const *)points, n_points, partitions, take,
                            &t, NULL, &err),
               &err, what);
    assert_int_equal(atomic_load(&t.calls), n_points * repeats);
    for (int64_t p = 0; p < n_points; p++)
        for (int64_t r = 0; r < repeats; r++) {
            double *closed = t.scores[p * repeats + r];
            assert_non_null(closed);
            if (!test_in_share()) {
                free(closed);
                continue;
            }
            double *brute =
                brute_force(ops, problem, partitions->fold[r], partitions->n_folds, points[p], k);
            const double distance = held_distance(closed, brute, partitions, r, n, k);
            if (!(distance <= tolerance))
                fail_msg("%s, %s: %g apart", what, options[p], distance);
            free(brute);
            free(closed);
        }
    for (int64_t p = 0; p < n_points; p++)
        pt_params_free(points[p]);
    free(t.scores);
}

/* On `repeats` partitions into folds of one size, or leave-one-out. */
static void expect_equal(const pt_machine_ops *ops, const pt_problem *problem, int64_t k,
                         const char *const *options, int64_t n_points, int64_t n_folds,
                         int64_t repeats, double tolerance, const char *what)
{
    const int64_t n = problem->rows.n;
    pt_error err = PT_ERROR_INIT;
    int64_t *fold[4];
    for (int64_t r = 0; r < repeats; r++) {
        fold[r] = calloc((size_t)n, sizeof **fold);
        if (n_folds == n)
            for (int64_t i = 0; i < n; i++)
                fold[r][i] = i;
        else
            small_must(
                pt_folds(fold[r], n, problem->labels->class_of, k, n_folds, true, 1, r, &err), &err,
                "folds");
    }
    const pt_partitions partitions = {repeats, n_folds, (const int64_t *const *)fold, false};
    expect_equal_on(ops, problem, k, options, n_points, &partitions, tolerance, what);
    for (int64_t r = 0; r < repeats; r++)
        free(fold[r]);
}

/* A machine looks at those parameters that it has.
 * Narrow (the Gram matrix is nearly the identity), middling and wide (nearly of rank 1). */
static const char *const POINTS[] = {
    "kernel=rbf,precision=double,sigma=0.02,ridge=0.1,hidden=200",
    "kernel=rbf,precision=double,sigma=0.5,ridge=0.001,hidden=40",
    "kernel=rbf,precision=double,sigma=0.5,ridge=1,hidden=200",
    "kernel=rbf,precision=double,sigma=50,ridge=0.01,hidden=40",
    "kernel=rbf,precision=double,sigma=50,ridge=10,hidden=200",
};
enum { N_POINTS = sizeof POINTS / sizeof *POINTS };

static void test_holdout__folds_equal_brute_force(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int which = 0; which < N_SETS && (*ops)->holdout; which++) {
            if (which == N_SETS - 1 && !test_in_share())
                continue; /* the largest of them */
            embedded e = embedded_read(which, PT_F64);
            const pt_problem problem = {.rows = e.prepared.rows, .labels = e.data->labels};
            expect_equal(*ops, &problem, e.k, POINTS, N_POINTS, 10, 2, 1e-8, e.name);
            embedded_free(&e);
        }
}

/* Folds as groups and callers make them: of very different sizes, of rows here and there, some
 * empty in one of the partitions, and rows that are never held out. Few folds, more than go by the
 * factor, and several partitions. */
static void test_holdout__unequal_folds_equal_brute_force(void **state)
{
    (void)state;
    enum { N = 150, FEW = 5, MANY = 40 };
    int64_t fold[4][N];
    for (int64_t i = 0; i < N; i++) {
        const int64_t mixed = i * 37 % 101;
        fold[0][i] = mixed < 60 ? 0 : mixed < 80 ? 1 : mixed < 90 ? 2 : mixed < 98 ? 3 : 4;
        fold[1][i] = mixed % 4 == 0 ? PT_NEVER_HELD : mixed < 50 ? 2 : 0; /* folds 1, 3, 4: empty */
        fold[2][i] = mixed % 7 == 0 ? PT_NEVER_HELD : mixed < 60 ? mixed % 3 : 3 + mixed % 37;
        fold[3][i] = mixed % 2 == 0 ? 0 : PT_NEVER_HELD; /* a single fold */
    }
    const int64_t *const all[] = {fold[0], fold[1], fold[2], fold[3]};
    const pt_partitions partitions[] = {{1, FEW, all, false},
                                        {1, FEW, all + 1, false},
                                        {2, FEW, all, false},
                                        {1, MANY, all + 2, false},
                                        {1, 1, all + 3, false}};
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        if (!(*ops)->holdout)
            continue;
        embedded e = embedded_read(0, PT_F64);
        double weight[N];
        for (int i = 0; i < N; i++)
            weight[i] = 0.5 + i % 3;
        const pt_problem problem = {.rows = e.prepared.rows, .labels = e.data->labels};
        const pt_problem weighted = {
            .rows = e.prepared.rows, .labels = e.data->labels, .weight = weight};
        static const char *const linear[] = {"precision=double,ridge=0.1,kernel=linear"};
        for (size_t p = 0; p < sizeof partitions / sizeof *partitions; p++) {
            expect_equal_on(*ops, &problem, e.k, POINTS, N_POINTS, &partitions[p], 1e-8, "folds");
            expect_equal_on(*ops, &weighted, e.k, linear, 1, &partitions[p], 1e-8, "linear");
        }
        embedded_free(&e);
    }
}

/* By time: without fold f only what is before it is trained on, classes that are not there come
 * last, and closed forms, fold by fold, are those of training. */
static void test_holdout__by_time_equals_brute_force(void **state)
{
    (void)state;
    enum { N = 150, FOLDS = 4, NEVER = 20 };
    int64_t fold[2][N];
    for (int64_t i = 0; i < N; i++) {
        const int64_t mixed = i * 37 % N;
        fold[0][i] = mixed < NEVER ? PT_NEVER_HELD : (mixed - NEVER) * FOLDS / (N - NEVER);
        fold[1][i] = i < 60 ? PT_NEVER_HELD : i < 110 ? 0 : 2; /* the last class is in it alone */
    }
    const int64_t *const all[] = {fold[0], fold[1]};
    const pt_partitions partitions = {2, FOLDS, all, true};
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        if (!(*ops)->holdout)
            continue;
        embedded e = embedded_read(0, PT_F64);
        double weight[N];
        for (int i = 0; i < N; i++)
            weight[i] = 0.5 + i % 3;
        const pt_problem problem = {
            .rows = e.prepared.rows, .labels = e.data->labels, .weight = weight};
        pt_error err = PT_ERROR_INIT;
        pt_params *points[N_POINTS];
        for (int64_t p = 0; p < N_POINTS; p++) {
            points[p] = small_params(POINTS[p]);
            small_must(pt_params_set(points[p], "gap", "1e-9", &err), &err, "gap");
            choose_learner(*ops, points[p]);
        }
        const pt_params *const *chosen = (const pt_params *const *)points;
        const double tolerance = (*ops)->holdout_method ? ITERATED : 1e-8;
        taken t = {2, N * e.k, calloc(2 * N_POINTS, sizeof(double *)), 0};
        taken b = {2, N * e.k, calloc(2 * N_POINTS, sizeof(double *)), 0};
        small_must(
            held_out_scores(*ops, &problem, chosen, N_POINTS, &partitions, take, &t, NULL, &err),
            &err, (*ops)->name);
        small_must(held_out_by_training(*ops, &problem, chosen, N_POINTS, &partitions, take, &b,
                                        NULL, &err),
                   &err, (*ops)->name);
        for (int64_t at = 0; at < 2 * N_POINTS; at++) {
            assert_non_null(t.scores[at]);
            assert_non_null(b.scores[at]);
            const double distance =
                held_distance(t.scores[at], b.scores[at], &partitions, at % 2, N, e.k);
            if (!(distance <= tolerance))
                fail_msg("%s, %s: %g apart", (*ops)->name, POINTS[at / 2], distance);
            free(t.scores[at]);
            free(b.scores[at]);
        }
        free(t.scores);
        free(b.scores);
        for (int64_t p = 0; p < N_POINTS; p++)
            pt_params_free(points[p]);
        embedded_free(&e);
    }
}

static void test_holdout__weights_and_leave_one_out(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        if (!(*ops)->holdout)
            continue;
        embedded e = embedded_read(0, PT_F64);
        double weight[150];
        for (int i = 0; i < 150; i++)
            weight[i] = 0.5 + i % 3;
        const pt_problem plain = {.rows = e.prepared.rows, .labels = e.data->labels};
        const pt_problem weighted = {
            .rows = e.prepared.rows, .labels = e.data->labels, .weight = weight};
        expect_equal(*ops, &plain, e.k, POINTS, N_POINTS, e.n, 1, 1e-8, "leave-one-out");
        expect_equal(*ops, &weighted, e.k, POINTS, N_POINTS, 7, 1, 1e-8, "weights");
        embedded_free(&e);
    }
}

static void test_holdout__other_kernels_and_labelbooks(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "precision=double,ridge=0.1,kernel=linear",
        "precision=double,ridge=0.1,kernel=linear,labelbook=mincorr",
        "precision=double,ridge=0.1,kernel=laplacian,sigma=0.1,labelbook=indicator",
        "precision=double,ridge=0.1,kernel=laplacian,sigma=30,labelbook=alignment",
        "precision=double,ridge=0.1,kernel=poly,sigma=2,degree=2,labelbook=consistency",
    };
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int which = 0; which < N_SETS && (*ops)->holdout; which++) {
            if (which == N_SETS - 1 && !test_in_share())
                continue;
            embedded e = embedded_read(which, PT_F64);
            const pt_problem problem = {.rows = e.prepared.rows, .labels = e.data->labels};
            for (int q = 0; q < 5; q++)
                expect_equal(*ops, &problem, e.k, &kinds[q], 1, 5, 1, 1e-8, e.name);
            embedded_free(&e);
        }
}

static bool is_exact(const pt_machine_ops *ops, const pt_problem *problem, const char *options)
{
    pt_params *params = small_params(options);
    const bool exact = !ops->holdout_exact || ops->holdout_exact(problem, params);
    pt_params_free(params);
    return exact;
}

/* Label vectors that change with the fold (fisher), and kernels on the labels, one of them given as
 * a matrix; with and without weights. */
static void test_holdout__fisher_and_label_kernels(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "precision=double,kernel=rbf,sigma=0.7,ridge=0.1,labelbook=fisher",
        "precision=double,kernel=rbf,sigma=0.7,ridge=0.1,labelbook=fisher,decode=nearest",
        "precision=double,kernel=rbf,sigma=0.7,ridge=0.1,labelbook=fisher,decode=bayes",
        "precision=double,kernel=linear,ridge=0.1,labelbook=fisher,decode=hamming",
        "precision=double,kernel=rbf,sigma=0.7,ridge=0.1,label-kernel=rbf,label-sigma=2",
        "precision=double,kernel=rbf,sigma=0.7,ridge=0.1,labelbook=fisher,label-kernel=poly",
        "precision=double,kernel=rbf,sigma=0.7,ridge=0.1,label-kernel=given,decode=nearest",
    };
    static const double given[9] = {2, 0.5, 0, 0.5, 1, -0.2, 0, -0.2, 3};
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        if (!(*ops)->holdout || !uses(*ops, "label-kernel") || !uses(*ops, "kernel"))
            continue;
        embedded e = embedded_read(0, PT_F64);
        double weight[150];
        for (int i = 0; i < 150; i++)
            weight[i] = 0.5 + i % 3;
        for (int q = 0; q < 7; q++) {
            const double *gram = strstr(kinds[q], "given") ? given : NULL;
            const pt_problem plain = {
                .rows = e.prepared.rows, .labels = e.data->labels, .label_gram = gram};
            if (!is_exact(*ops, &plain, kinds[q]))
                continue;
            const pt_problem weighted = {.rows = e.prepared.rows,
                                         .labels = e.data->labels,
                                         .weight = weight,
                                         .label_gram = gram};
            expect_equal(*ops, &plain, e.k, &kinds[q], 1, 5, 2, 1e-8, "folds");
            expect_equal(*ops, &plain, e.k, &kinds[q], 1, e.n, 1, 1e-8, "leave-one-out");
            expect_equal(*ops, &weighted, e.k, &kinds[q], 1, 7, 1, 1e-8, "weights");
        }
        embedded_free(&e);
    }
}

/* A narrow kernel in float: scores are tiny, and a held-out label that leaked into its own score
 * would show as an accuracy that brute force does not have. */
static void test_holdout__float_does_not_leak_the_label(void **state)
{
    (void)state;
    static const char *const point[] = {"kernel=rbf,precision=float,sigma=0.3,ridge=0.1"};
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        if (!(*ops)->holdout || !test_in_share())
            continue;
        embedded e = embedded_read(2, PT_F32);
        const pt_problem problem = {.rows = e.prepared.rows, .labels = e.data->labels};
        int64_t *fold = calloc((size_t)e.n, sizeof *fold);
        pt_error err = PT_ERROR_INIT;
        small_must(pt_folds(fold, e.n, problem.labels->class_of, e.k, 10, true, 1, 0, &err), &err,
                   "folds");
        const int64_t *folds[1] = {fold};
        const pt_partitions partitions = {1, 10, folds, false};
        double *closed = NULL;
        taken t = {1, e.n * e.k, &closed, 0};
        pt_params *params = small_params(point[0]);
        const pt_params *points[1] = {params};
        small_must(pt_params_set(params, "gap", "1e-6", &err), &err, "gap");
        choose_learner(*ops, params);
        small_must((*ops)->holdout(&problem, points, 1, &partitions, take, &t, NULL, &err), &err,
                   "holdout");
        embedded wide = embedded_read(2, PT_F64);
        const pt_problem exact = {.rows = wide.prepared.rows, .labels = wide.data->labels};
        small_must(pt_params_set(params, "precision", "double", &err), &err, "precision");
        double *brute = brute_force(*ops, &exact, fold, 10, params, e.k);
        embedded_free(&wide);
        int64_t different = 0;
        for (int64_t i = 0; i < e.n; i++)
            different += small_argmax(closed + i * e.k, e.k) != small_argmax(brute + i * e.k, e.k);
        if (different > e.n / 100)
            fail_msg("%lld of %lld decisions differ", (long long)different, (long long)e.n);
        free(closed);
        free(brute);
        free(fold);
        pt_params_free(params);
        embedded_free(&e);
    }
}

/* The search in float and in double ends at the same point of a 9 x 9 grid. */
static void test_holdout__float_chooses_the_same_point(void **state)
{
    (void)state;
    static const char *const machines[] = {"onelsm", "vo-lssvm"};
    for (int which = 0; which < 2 * N_SETS; which++) {
        if (!test_in_share())
            continue;
        embedded e = embedded_read(which / 2, PT_F64);
        int64_t best[2];
        for (int single = 0; single < 2; single++) {
            pt_error err = PT_ERROR_INIT;
            pt_report *search = NULL;
            pt_params *params = small_params("kernel=rbf");
            small_must(pt_params_set(params, "machine", machines[which % 2], &err), &err,
                       "machine");
            small_must(pt_params_set(params, "grid", "ridge=2^-4:2^4,sigma=2^-4:2^4", &err), &err,
                       "grid");
            small_must(pt_params_set(params, "precision", single ? "float" : "double", &err), &err,
                       "precision");
            small_must(pt_cross_validate(&search, NULL, e.data, &(const pt_params *){params}, 1,
                                         NULL, &err),
                       &err, "search");
            assert_int_equal(pt_report_integer(search, "n_points"), 81);
            best[single] = pt_report_integer(search, "best");
            pt_report_free(search);
            pt_params_free(params);
        }
        if (best[0] != best[1])
            fail_msg("%s: point %lld in double, %lld in float", e.name, (long long)best[0],
                     (long long)best[1]);
        embedded_free(&e);
    }
}

/* The search reports the error of the held-out scores that a user would get by hand. */
static void test_search__error_equals_training_without_the_fold(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        embedded e = embedded_read(0, PT_F64);
        pt_error err = PT_ERROR_INIT;
        char options[100];
        snprintf(options, sizeof options, "machine=%s,scale=none,merge=no,folds=5,repeat=2",
                 (*ops)->name);
        pt_params *params = small_params(options);
        if (uses(*ops, "kernel"))
            small_must(pt_params_parse(params, "kernel=rbf,sigma=1", &err), &err, "rbf");
        if (uses(*ops, "learner"))
            small_must(pt_params_parse(params, "learner=ls", &err), &err, "learner");
        if (uses(*ops, "ridge")) /* nothing may be chosen anew on the rows of a fold */
            small_must(pt_params_parse(params, "ridge=0.1", &err), &err, "ridge");
        /* Two ways to a solution end on the same side of every row. */
        if (uses(*ops, "gap") && !uses(*ops, "learner"))
            small_must(pt_params_parse(params, "gap=1e-6", &err), &err, "gap");
        pt_report *search = NULL;
        small_must(
            pt_cross_validate(&search, NULL, e.data, &(const pt_params *){params}, 1, NULL, &err),
            &err, "search");
        for (int64_t repeat = 0; repeat < 2; repeat++) {
            int64_t fold[150];
            small_must(pt_folds(fold, e.n, e.data->labels->class_of, e.k, 5, true, 1, repeat, &err),
                       &err, "folds");
            int64_t wrong = 0;
            for (int64_t f = 0; f < 5; f++) {
                int64_t in[150], out[150], n_in = 0, n_out = 0;
                for (int64_t i = 0; i < e.n; i++)
                    *(fold[i] == f ? &out[n_out++] : &in[n_in++]) = i;
                pt_dataset *train = NULL;
                pt_dataset *test = NULL;
                pt_model *model = NULL;
                small_must(pt_dataset_subset(&train, e.data, in, n_in, NULL, &err), &err, "train");
                small_must(pt_dataset_subset(&test, e.data, out, n_out, NULL, &err), &err, "test");
                pt_params *plain = NULL;
                small_must(pt_params_copy(&plain, params, &err), &err, "copy");
                small_must(pt_model_train(&model, train, plain, NULL, &err), &err, "training");
                pt_prediction *prediction = small_predict(model, test, 1);
                for (int64_t i = 0; i < n_out; i++)
                    wrong += pt_prediction_labels(prediction)[i] != pt_dataset_class(test, i);
                pt_prediction_free(prediction);
                pt_model_free(model);
                pt_params_free(plain);
                pt_dataset_free(train);
                pt_dataset_free(test);
            }
            const double error = (double)wrong / (double)e.n;
            if (fabs(error - pt_report_number_at(search, "errors", 0, repeat, 0)) > 1e-12)
                fail_msg("%s: %g by hand, %g by search", (*ops)->name, error,
                         pt_report_number_at(search, "errors", 0, repeat, 0));
        }
        pt_report_free(search);
        pt_params_free(params);
        embedded_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holdout__folds_equal_brute_force),
        cmocka_unit_test(test_holdout__unequal_folds_equal_brute_force),
        cmocka_unit_test(test_holdout__by_time_equals_brute_force),
        cmocka_unit_test(test_holdout__weights_and_leave_one_out),
        cmocka_unit_test(test_holdout__other_kernels_and_labelbooks),
        cmocka_unit_test(test_holdout__fisher_and_label_kernels),
        cmocka_unit_test(test_holdout__float_does_not_leak_the_label),
        cmocka_unit_test(test_holdout__float_chooses_the_same_point),
        cmocka_unit_test(test_search__error_equals_training_without_the_fold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
