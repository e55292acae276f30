/* powerset: oneLSM on classes made of the sets, the best set by looking at all of them, scores by
 * their definition; sets that only a fold has; ties. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/held_out_labels.h"
#include "data/labels/labels.h"

enum { N = 80, D = 4, CLASSES = 5 };

/* A set as a number with a bit for each class. */
static int64_t bits_of(const pt_labels *labels, int64_t i)
{
    int64_t bits = 0;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++)
        bits |= (int64_t)1 << labels->item[at];
    return bits;
}

/* The sets of `labels` as classes; outputs of oneLSM's indicators for `on`, by the bits of the set:
 * NAN where no example has it. */
static void outputs_of_sets(const small *s, const small *on, const pt_labels *labels,
                            const char *options, double g[][1 << CLASSES])
{
    int64_t y[N];
    small multiclass = *s;
    small asked = *on;
    for (int64_t i = 0; i < s->n; i++)
        y[i] = bits_of(labels, i);
    multiclass.y = y;
    asked.y = NULL;
    pt_dataset *train = small_dataset(&multiclass);
    pt_dataset *test = small_dataset(&asked);
    pt_model *model = small_train(train, options, 1);
    pt_prediction *prediction = small_predict(model, test, 1);
    const int64_t count = pt_model_n_classes(model);
    for (int64_t i = 0; i < on->n; i++) {
        for (int64_t b = 0; b < 1 << CLASSES; b++)
            g[i][b] = NAN;
        for (int64_t c = 0; c < count; c++)
            g[i][strtol(pt_model_class_name(model, c), NULL, 10)] =
                pt_prediction_scores(prediction)[i * count + c];
    }
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_dataset_free(train);
    pt_dataset_free(test);
}

/* The largest output of a set that has class r, or has it not; NAN: there is none. */
static double best_of(const double *g, int64_t r, bool with)
{
    double best = NAN;
    for (int64_t b = 0; b < 1 << CLASSES; b++)
        if (!isnan(g[b]) && (b >> r & 1) == with && !(g[b] <= best))
            best = g[b];
    return best;
}

static void expect_scores(const double *g, const double *scores)
{
    double lowest = INFINITY;
    int64_t said = -1;
    for (int64_t b = 0; b < 1 << CLASSES; b++) {
        if (isnan(g[b]))
            continue;
        lowest = fmin(lowest, g[b]);
        said = said < 0 || g[b] > g[said] ? b : said;
    }
    for (int64_t r = 0; r < CLASSES; r++) {
        const double with = best_of(g, r, true);
        const double without = best_of(g, r, false);
        const double score = isnan(with)      ? lowest - 1 - without
                             : isnan(without) ? with - (lowest - 1)
                                              : with - without;
        assert_true(fabs(score - scores[r]) < 1e-8);
        assert_true((scores[r] > 0) == (said >> r & 1)); /* the set that is said */
    }
}

/* `rare`: no set has class 1, and all have class 3. */
static pt_labels *make_sets(const small *s, bool rare, uint64_t seed)
{
    static other_items o;
    pt_labels *random = other_random(PT_LABEL_SET, s, CLASSES, seed);
    memset(&o, 0, sizeof o);
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t r = 0; r < CLASSES; r++)
            if ((rare && r == 3) || (other_has(random, i, r) && !(rare && r == 1)))
                other_put(&o, r, 0);
        other_end(&o);
    }
    pt_labels_free(random);
    return other_labels(&o, PT_LABEL_SET, CLASSES);
}

static void test_powerset__equals_brute_force_over_the_sets(void **state)
{
    (void)state;
    static const char *const how[] = {"kernel=rbf,sigma=1.2", "kernel=linear",
                                      "kernel=poly,sigma=2,degree=2"};
    static double g[25][1 << CLASSES];
    for (int rare = 0; rare < 2; rare++)
        for (int h = 0; h < 3; h++) {
            small s = small_clouds(N, D, 3, 101);
            small on = small_clouds(25, D, 3, 102);
            char own[200];
            char sets[200];
            snprintf(own, sizeof own, "machine=powerset,scale=none,ridge=0.2,precision=double,%s",
                     how[h]);
            snprintf(sets, sizeof sets,
                     "machine=onelsm,labelbook=indicator,decode=inner,scale=none,ridge=0.2,"
                     "precision=double,calibrate=no,%s",
                     how[h]);
            pt_labels *labels = make_sets(&s, rare, 103);
            outputs_of_sets(&s, &on, labels, sets, g);
            pt_dataset *train = other_dataset(&s, labels, false);
            pt_dataset *test = small_dataset(&on);
            double *scores = small_scores(train, own, test);
            for (int64_t i = 0; i < on.n; i++)
                expect_scores(g[i], scores + i * CLASSES);
            free(scores);
            pt_dataset_free(train);
            pt_dataset_free(test);
            small_free(&s);
            small_free(&on);
        }
}

static void test_powerset__held_out_scores_equal_training_again(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        small s = small_clouds(N, D, 3, 111);
        if (weighted)
            s.weight = calloc(N, sizeof *s.weight);
        for (int64_t i = 0; i < N && weighted; i++)
            s.weight[i] = 0.5 + (double)(i % 3);
        pt_dataset *data = other_dataset(&s, make_sets(&s, false, 112), weighted);
        static const char *const how[] = {
            "machine=powerset,precision=double,kernel=rbf,sigma=1,ridge=0.2",
            "machine=powerset,precision=double,kernel=linear,ridge=0.2",
            "machine=powerset,precision=double", /* chosen */
        };
        for (int h = 0; h < 3; h++) {
            expect_held_out(data, how[h], 6, 1e-8);
            expect_held_out(data, how[h], N, 1e-8);
        }
        pt_dataset_free(data);
        small_free(&s);
    }
}

/* One set, ties everywhere, empty sets alone: the set that is said is one that was seen, the more
 * frequent of those that tie. */
static void test_powerset__ties_go_to_the_more_frequent_set(void **state)
{
    (void)state;
    small s = small_clouds(9, D, 2, 121);
    small far = small_clouds(5, D, 2, 122);
    for (int64_t i = 0; i < far.n * D; i++)
        far.x[i] = 1e6; /* where a narrow kernel says 0 of every set */
    for (int which = 0; which < 3; which++) {
        static other_items o;
        memset(&o, 0, sizeof o);
        for (int64_t i = 0; i < s.n; i++) {
            if (which > 0)
                other_put(&o, which == 1 || i % 3 ? 2 : 0, 0);
            if (which == 2 && i % 3)
                other_put(&o, 1, 0);
            other_end(&o);
        }
        pt_dataset *train = other_dataset(&s, other_labels(&o, PT_LABEL_SET, 3), false);
        pt_dataset *test = small_dataset(&far);
        double *scores =
            small_scores(train, "machine=powerset,scale=none,kernel=rbf,sigma=0.1,ridge=0.1", test);
        for (int64_t i = 0; i < far.n; i++) {
            assert_true(scores[i * 3] <= 0);
            assert_true((scores[i * 3 + 1] > 0) == (which == 2));
            assert_true((scores[i * 3 + 2] > 0) == (which > 0));
        }
        free(scores);
        pt_dataset_free(train);
        pt_dataset_free(test);
    }
    small_free(&s);
    small_free(&far);
}

static void test_label_groups__are_the_distinct_sets_by_frequency(void **state)
{
    (void)state;
    small s = small_clouds(N, D, 3, 131);
    pt_labels *labels = make_sets(&s, false, 132);
    pt_label_groups groups = {0};
    pt_error err = PT_ERROR_INIT;
    small_must(pt_label_groups_init(&groups, labels, &err), &err, "groups");
    int64_t sum = 0;
    for (int64_t q = 0; q < groups.count; q++) {
        int64_t rows = 0;
        for (int64_t i = 0; i < N; i++)
            rows += groups.group_of[i] == q;
        assert_true(rows > 0 && rows == groups.size[q]);
        assert_true(q == 0 || groups.size[q] <= groups.size[q - 1]);
        sum += rows;
    }
    assert_true(sum == N);
    for (int64_t i = 0; i < N; i++) {
        const int64_t q = groups.group_of[i];
        const int64_t count = groups.start[q + 1] - groups.start[q];
        assert_true(count == labels->start[i + 1] - labels->start[i]);
        assert_memory_equal(groups.item + groups.start[q], labels->item + labels->start[i],
                            (size_t)count * sizeof(int64_t));
        for (int64_t j = 0; j < N; j++) /* equal sets, and only those, are one group */
            assert_true((groups.group_of[j] == q) == (bits_of(labels, i) == bits_of(labels, j)));
    }
    pt_label_groups_free(&groups);
    pt_labels_free(labels);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_groups__are_the_distinct_sets_by_frequency),
        cmocka_unit_test(test_powerset__equals_brute_force_over_the_sets),
        cmocka_unit_test(test_powerset__held_out_scores_equal_training_again),
        cmocka_unit_test(test_powerset__ties_go_to_the_more_frequent_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
