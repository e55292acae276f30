/* labels: threads */
/* A weight of w is the row w times, and the order of rows means nothing: for every machine and
 * every learner of the registries, with automatic parameters and calibration, to the last byte. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/share.h"
#include "../support/small_problem.h"
#include "data/dataset.h"
#include "learners/learner.h"
#include "machine/machine.h"

enum { N = 30, D = 3, MOST = 3 * N };

static const char *const KINDS[] = {"class", "set", "ranking", "pairs"};
static const char *const LABELS[4][3] = {
    {"a", "b", "c"}, {"a", "a;b", "b;c"}, {"a>b>c", "b>a=c", "c>b>a"}, {"a>b", "b>a;b>c", "c>a"}};

/* Rows of which some are equal, some have the same cells with another label, with weights. */
typedef struct rows {
    int64_t n;
    double x[MOST * D];
    const char *label[MOST];
    double weight[MOST];
} rows;

static rows base_rows(int kind)
{
    rows base = {.n = N};
    small s = small_clouds(N, D, 3, 7);
    for (int64_t i = 0; i < N; i++) {
        const int64_t from = i % 10 == 9 ? i - 3 : i; /* seen before */
        for (int64_t j = 0; j < D; j++) {
            const double x = s.x[from * D + j];
            base.x[i * D + j] = j == 1 && x < 0 ? 0 : (double)(int)(8 * x) / 8;
        }
        base.label[i] = LABELS[kind][i % 20 == 9 ? 0 : s.y[i]];
        base.weight[i] = (double)(1 + i * i % 3);
    }
    small_free(&s);
    return base;
}

static void take_row(rows *to, const rows *from, int64_t i, double weight)
{
    memcpy(to->x + to->n * D, from->x + i * D, D * sizeof *to->x);
    to->label[to->n] = from->label[i];
    to->weight[to->n++] = weight;
}

/* The same in another order; `repeated`: rows as often as they weigh, 1 each. */
static rows shuffled(const rows *from, bool repeated, uint64_t seed)
{
    rows all = {.n = 0};
    rows out = {.n = 0};
    int64_t order[MOST];
    pt_random random;
    for (int64_t i = 0; i < from->n; i++)
        for (int64_t c = 0; c < (repeated ? (int64_t)from->weight[i] : 1); c++)
            take_row(&all, from, i, repeated ? 1 : from->weight[i]);
    for (int64_t i = 0; i < all.n; i++)
        order[i] = i;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    pt_random_shuffle(&random, order, all.n);
    for (int64_t i = 0; i < all.n; i++)
        take_row(&out, &all, order[i], all.weight[order[i]]);
    return out;
}

static pt_dataset *dataset(const rows *r, int kind, bool sparse, bool weighted)
{
    pt_error err = PT_ERROR_INIT;
    const small s = {.n = r->n, .d = D, .k = 3, .x = (double *)r->x};
    pt_dataset *data = sparse ? small_sparse_dataset(&s) : small_dataset(&s);
    small_must(kind == 0 ? pt_dataset_set_label_cells(data, "class", r->label, &err)
                         : pt_dataset_set_label_cells(data, KINDS[kind], r->label, &err),
               &err, "labels");
    if (weighted)
        small_must(dataset_set_weights(data, r->weight, &err), &err, "weights");
    return data;
}

/* What a model says of rows, and its file. */
typedef struct said {
    double scores[N * 3];
    double proba[N * 3];
    char *file;
    size_t bytes;
} said;

static void read_file(said *out, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    out->bytes = (size_t)ftell(file);
    rewind(file);
    out->file = calloc(out->bytes + 1, 1);
    assert_int_equal(fread(out->file, 1, out->bytes, file), out->bytes);
    fclose(file);
    unlink(path);
}

static said train(const rows *r, const rows *on, int kind, bool sparse, bool weighted,
                  const char *options)
{
    said out = {.bytes = 0};
    pt_error err = PT_ERROR_INIT;
    char path[64];
    pt_dataset *data = dataset(r, kind, sparse, weighted);
    pt_dataset *test = dataset(on, kind, sparse, false);
    pt_model *model = small_train(data, options, 2);
    pt_prediction *prediction = small_predict(model, test, 2);
    memcpy(out.scores, pt_prediction_scores(prediction), sizeof out.scores);
    if (kind < 2)
        small_must(pt_prediction_proba(prediction, out.proba, &err), &err, options);
    snprintf(path, sizeof path, "/tmp/test_merge_rows.%ld", (long)getpid());
    small_must(pt_model_save(model, path, &err), &err, options);
    read_file(&out, path);
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_dataset_free(test);
    pt_dataset_free(data);
    return out;
}

static void check_same(const said *a, const said *b, const char *options, const char *what)
{
    if (memcmp(a->scores, b->scores, sizeof a->scores) != 0)
        fail_msg("%s: other scores: %s", options, what);
    if (memcmp(a->proba, b->proba, sizeof a->proba) != 0)
        fail_msg("%s: other probabilities: %s", options, what);
}

static void check(const char *options, int kind, bool sparse)
{
    const rows base = base_rows(kind);
    const rows mixed = shuffled(&base, false, 1);
    const rows repeated = shuffled(&base, true, 2);
    said weighted = train(&base, &base, kind, sparse, true, options);
    said other = train(&mixed, &base, kind, sparse, true, options);
    said copies = train(&repeated, &base, kind, sparse, false, options);
    check_same(&weighted, &copies, options, "rows repeated in place of weights");
    check_same(&weighted, &other, options, "another order of rows");
    if (weighted.bytes != other.bytes || memcmp(weighted.file, other.file, other.bytes) != 0)
        fail_msg("%s: another file from another order of rows", options);
    free(weighted.file);
    free(other.file);
    free(copies.file);
}

static void test_every_machine__weights_are_repetitions(void **state)
{
    (void)state;
    char options[80];
    for (int64_t m = 0; pt_machines[m]; m++)
        for (int kind = 0; kind < 4; kind++)
            for (int sparse = 0; sparse < 2; sparse++) {
                if (!(pt_machines[m]->label_kinds & 1u << kind) ||
                    (sparse && !(pt_machines[m]->capabilities & PT_CAN_SPARSE)) ||
                    !test_in_share_of(4))
                    continue;
                snprintf(options, sizeof options, "machine=%s", pt_machines[m]->name);
                check(options, kind, sparse);
            }
}

static void test_every_learner__weights_are_repetitions(void **state)
{
    (void)state;
    char options[80];
    for (int64_t l = 0; pt_learners[l]; l++)
        for (int sparse = 0; sparse < 2; sparse++) {
            if ((sparse && !(pt_learners[l]->capabilities & PT_LEARNS_SPARSE)) ||
                !test_in_share_of(4))
                continue;
            snprintf(options, sizeof options, "machine=code,code=ova,learner=%s",
                     pt_learners[l]->name);
            check(options, 0, sparse);
        }
}

static void test_preparation__weights_are_repetitions(void **state)
{
    (void)state;
    check("machine=onelsm,scale=standard,class-weight=balanced", 0, false);
    check("machine=softmax,scale=standard", 0, true);
    check("machine=tree,min-leaf=2", 0, false);
    check("machine=tree,min-leaf-weight=4", 0, false);
}

/* Boosting too asks for the weight of examples and not for that of its rounds. */
static void test_boosting__least_weight_of_a_leaf(void **state)
{
    (void)state;
    static const char *const BOOSTED[] = {"machine=code,code=ova,learner=adaboost",
                                          "machine=code,code=ovo,learner=adaboost,depth=3",
                                          "machine=code,code=ova,learner=logitboost",
                                          "machine=code,code=ova,learner=logitboost,depth=3",
                                          "machine=code,code=ova,learner=brownboost,depth=2",
                                          "machine=adaboost-mo",
                                          "machine=adaboost-mh"};
    const rows base = base_rows(0);
    for (size_t b = 0; b < sizeof BOOSTED / sizeof *BOOSTED; b++) {
        char options[120];
        snprintf(options, sizeof options, "%s,min-leaf-weight=4", BOOSTED[b]);
        check(options, 0, false);
        said least = train(&base, &base, 0, false, true, options);
        said none = train(&base, &base, 0, false, true, BOOSTED[b]);
        assert_true(memcmp(least.scores, none.scores, sizeof least.scores));
        free(least.file);
        free(none.file);
    }
}

/* A leaf's least weight counts what its least number of rows does not: even unmerged, weights are
 * repetitions. */
static void test_min_leaf_weight__counts_weights(void **state)
{
    (void)state;
    const rows base = base_rows(0);
    const rows repeated = shuffled(&base, true, 2);
    static const char *const OPTIONS[] = {
        "machine=tree,merge=no,calibrate=no,min-leaf-weight=",
        "machine=code,code=ova,learner=tree,merge=no,calibrate=no,min-leaf-weight="};
    for (int o = 0; o < 2; o++) {
        said free_leaves = {.bytes = 0};
        for (int least = 0; least < 3; least++) {
            char options[100];
            snprintf(options, sizeof options, "%s%d", OPTIONS[o], 4 * least);
            said weighted = train(&base, &base, 0, false, true, options);
            said copies = train(&repeated, &base, 0, false, false, options);
            check_same(&weighted, &copies, options, "rows repeated in place of weights");
            if (least == 0)
                free_leaves = weighted;
            else
                assert_true(memcmp(weighted.scores, free_leaves.scores, sizeof weighted.scores));
            free(weighted.file);
            free(copies.file);
        }
    }
}

/* ---- few cells, many examples ---- */

/* 30 examples of each of nine cells, of which 21 have the class that their first number says, the
 * others one of the other two: rows with equal cells and other labels. A merged row that is held
 * out with all its examples would leave the others to speak. */
static void test_few_cells__are_held_out_example_by_example(void **state)
{
    (void)state;
    static const char *const OPTIONS[] = {"machine=onelsm",  "machine=spoc",
                                          "machine=softmax", "machine=tree",
                                          "machine=code",    "machine=code,code=ova,learner=ls",
                                          "machine=rank-ls", "machine=designed,learner=tree"};
    static const char *const NAMES[] = {"a", "b", "c"};
    enum { CELLS = 9, EACH = 30, SURE = 21 };
    double x[CELLS * EACH * 2];
    const char *label[CELLS * EACH];
    pt_error err = PT_ERROR_INIT;
    for (int i = 0; i < CELLS * EACH; i++) {
        const int cell = i % CELLS;
        const int turn = i / CELLS;
        x[2 * i] = cell / 3;
        x[2 * i + 1] = cell % 3;
        label[i] = NAMES[(cell / 3 + (turn < SURE ? 0 : 1 + turn % 2)) % 3];
    }
    pt_dataset *data = NULL;
    pt_dataset *cells = NULL;
    small_must(dataset_from_f64(&data, x, CELLS * EACH, 2, 2, &err), &err, "data");
    small_must(pt_dataset_set_label_cells(data, "class", label, &err), &err, "labels");
    small_must(dataset_from_f64(&cells, x, CELLS, 2, 2, &err), &err, "cells");
    for (size_t o = 0; o < sizeof OPTIONS / sizeof *OPTIONS; o++) {
        double proba[CELLS * 3];
        pt_model *model = small_train(data, OPTIONS[o], 2);
        pt_prediction *prediction = small_predict(model, cells, 2);
        small_must(pt_prediction_proba(prediction, proba, &err), &err, OPTIONS[o]);
        for (int c = 0; c < CELLS; c++) {
            const double p = proba[3 * c + c / 3];
            if (small_argmax(proba + 3 * c, 3) != c / 3 || fabs(p - (double)SURE / EACH) > 0.2)
                fail_msg("%s: cell %d: %.3f of class %d", OPTIONS[o], c, p, c / 3);
        }
        pt_prediction_free(prediction);
        pt_model_free(model);
    }
    pt_dataset_free(cells);
    pt_dataset_free(data);
}

/* ---- what comes out ---- */

static void test_merge__equal_rows_are_one_with_their_weights(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    double x[] = {1, 2, -0.0, 4, 1, 2, 0.0, 4, 1, 2, 0, 4};
    const char *label[] = {"a", "b", "a", "b", "b", "b"};
    const double weight[] = {0.5, 1, 2, 1, 4, 1};
    const int64_t rows_of[] = {5, 4, 3, 2, 1, 0};
    pt_dataset *data = NULL;
    pt_dataset *merged = NULL;
    small_must(dataset_from_f64(&data, x, 6, 2, 2, &err), &err, "data");
    small_must(pt_dataset_set_label_cells(data, "class", label, &err), &err, "labels");
    small_must(pt_dataset_merge(&merged, NULL, data, rows_of, 6, true, NULL, &err), &err, "merge");
    assert_int_equal(merged->n, 3); /* (1, 2) of a and of b, (0, 4) of b */
    assert_true(merged->weights[0] + merged->weights[1] + merged->weights[2] == 6);
    pt_dataset_free(merged);
    small_must(dataset_set_weights(data, weight, &err), &err, "weights");
    small_must(pt_dataset_merge(&merged, NULL, data, rows_of, 6, true, NULL, &err), &err, "merge");
    for (int64_t i = 0; i < 3; i++) {
        const bool one = pt_dataset_dense_cell(merged, i, 0) == 1;
        const bool of_a = merged->labels->class_of[i] == 0;
        assert_true(merged->weights[i] == (!one ? 3 : of_a ? 2.5 : 4));
    }
    pt_dataset_free(merged);
    small_must(pt_dataset_merge(&merged, NULL, data, rows_of, 6, false, NULL, &err), &err, "sort");
    assert_int_equal(merged->n, 6);
    pt_dataset_free(merged);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge__equal_rows_are_one_with_their_weights),
        cmocka_unit_test(test_few_cells__are_held_out_example_by_example),
        cmocka_unit_test(test_every_machine__weights_are_repetitions),
        cmocka_unit_test(test_every_learner__weights_are_repetitions),
        cmocka_unit_test(test_preparation__weights_are_repetitions),
        cmocka_unit_test(test_min_leaf_weight__counts_weights),
        cmocka_unit_test(test_boosting__least_weight_of_a_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
