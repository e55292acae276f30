/* Rows held out to stop boosting, and the rule that stops it; stages of what was boosted. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../support/code_reference.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "base/math.h"
#include "learners/boosting/boost_rows.h"
#include "learners/boosting/boosted.h"

enum { N = 90, D = 2, K = 4, ELL = K * (K - 1) / 2 };

typedef struct problem {
    double x[N * D];
    int64_t group_of[N];
    double weight[N];
    int8_t sign[K * ELL];
    pt_rows rows;
    pt_columns columns;
} problem;

/* x_0 is the number of the row. Group 3 has one row. */
static void fill(problem *p, bool pairs, bool weighted)
{
    double M[K * ELL];
    reference_pairs(K, M);
    for (int64_t i = 0; i < N; i++) {
        p->x[i * D] = (double)i;
        p->x[i * D + 1] = (double)(i % 7);
        p->group_of[i] = i == 50 ? 3 : i % 3;
        p->weight[i] = 1 + (double)(i % 5);
    }
    for (int64_t e = 0; e < K * ELL; e++)
        p->sign[e] = (int8_t)M[e];
    p->rows = (pt_rows){.n = N, .d = D, .type = PT_F64, .dense = p->x, .stride = D};
    p->columns = (pt_columns){.n = N,
                              .group_of = p->group_of,
                              .groups = K,
                              .ell = ELL,
                              .pairs = pairs,
                              .sign = pairs ? NULL : p->sign,
                              .weight = weighted ? p->weight : NULL};
}

static void count_part(const problem *p, const pt_boost_part *part, int64_t *seen)
{
    const double *x = part->rows.dense;
    assert_int_equal(part->columns.n, part->rows.n);
    for (int64_t i = 0; i < part->rows.n; i++) {
        const int64_t row = (int64_t)x[i * part->rows.stride];
        seen[row]++;
        assert_int_equal(part->columns.group_of[i], p->group_of[row]);
        if (part->columns.weight)
            assert_true(part->columns.weight[i] == p->weight[row]);
    }
}

static void test_boost_rows__every_row_is_in_one_part(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.01, 0.25, 0.9};
    static problem p;
    for (int q = 0; q < 8; q++) {
        pt_error err = PT_ERROR_INIT;
        pt_boost_rows split = {0};
        int64_t seen[N] = {0};
        fill(&p, q % 2, q < 4);
        small_must(pt_boost_rows_init(&split, &p.rows, &p.columns, shares[q % 4], 5, 1,
                                      &pt_loss_exp, NULL, NULL, &err),
                   &err, "split");
        count_part(&p, &split.train, seen);
        if (shares[q % 4] > 0)
            count_part(&p, &split.held, seen);
        for (int64_t i = 0; i < N; i++)
            assert_int_equal(seen[i], 1);
        const int64_t held = split.held.rows.n;
        assert_true(fabs((double)held - shares[q % 4] * N) <= 1.5);
        bool lonely = false; /* the only row of group 3 is learned from */
        for (int64_t i = 0; i < split.train.rows.n; i++)
            lonely |= split.train.columns.group_of[i] == 3;
        assert_true(lonely);
        pt_boost_rows_free(&split);
    }
}

static void add_stump(pt_forest *forest, double low, double high)
{
    pt_error err = PT_ERROR_INIT;
    int64_t child[PT_BRANCHES];
    int64_t node = 0;
    small_must(pt_forest_add_leaf(forest, &low, &child[0], &err), &err, "leaf");
    small_must(pt_forest_add_leaf(forest, &high, &child[1], &err), &err, "leaf");
    child[2] = child[1];
    small_must(pt_forest_add_node(forest, 1, 2.5, NULL, child, &node, &err), &err, "node");
    small_must(pt_forest_add_tree(forest, node, &err), &err, "tree");
}

/* A round of trees, one for each column, that say c times something fixed. */
static void add_round(pt_forest *forest, double c)
{
    for (int64_t s = 0; s < ELL; s++)
        add_stump(forest, c * (double)(s + 1), -c * (double)(s + 2) / 2);
}

/* The loss of rows in the order of the forest's rounds, from the definition. */
static double slow_loss(const pt_loss *of, const pt_boost_part *held, const int8_t *sign,
                        const pt_forest *forest, int64_t rounds)
{
    double sum = 0;
    for (int64_t i = 0; i < held->rows.n; i++)
        for (int64_t s = 0; s < ELL; s++) {
            double f = 0;
            for (int64_t t = 0; t < rounds; t++)
                f += forest->value[pt_forest_leaf(forest, t * ELL + s, &held->rows, i)];
            const double side = sign[held->columns.group_of[i] * ELL + s];
            if (side != 0)
                sum += (held->columns.weight ? held->columns.weight[i] : 1) * of->value(side * f);
        }
    return sum;
}

/* The outputs are swept through zero: errors and loss fall first and rise later. */
static void test_boost_rows__stops_after_the_fewest_errors(void **state)
{
    (void)state;
    enum { ROUNDS = 30, PATIENCE = 4 };
    static problem p;
    for (int q = 0; q < 4; q++) {
        pt_error err = PT_ERROR_INIT;
        pt_boost_rows split = {0};
        pt_forest forest = {0};
        pt_task *task = small_task(1 + q % 3);
        fill(&p, q % 2, q / 2);
        small_must(pt_boost_rows_init(&split, &p.rows, &p.columns, 0.4, PATIENCE, 7, &pt_loss_exp,
                                      NULL, NULL, &err),
                   &err, "split");
        small_must(pt_forest_init(&forest, D, NULL, 1, &err), &err, "forest");
        int64_t best = 0;
        int64_t round = 0;
        double smallest = INFINITY;
        double fewest = INFINITY;
        bool stop = false;
        for (round = 1; round <= ROUNDS && !stop; round++) {
            add_round(&forest, round == 1 ? 2 : -0.13);
            small_must(pt_boost_rows_round(&split, &forest, (round - 1) * ELL, round * ELL, &stop,
                                           task, &err),
                       &err, "round");
            const double loss = slow_loss(&pt_loss_exp, &split.held, p.sign, &forest, round);
            const double errors = slow_loss(&pt_loss_hamming, &split.held, p.sign, &forest, round);
            if (errors < fewest || (errors == fewest && loss < smallest)) {
                smallest = loss;
                fewest = errors;
                best = round;
            }
            assert_true(split.fewest == fewest);
            assert_true(fabs(split.best - smallest) <= 1e-12 * smallest);
            assert_int_equal(stop, round - best >= PATIENCE);
        }
        assert_true(best > 1 && stop);
        assert_int_equal(pt_boost_rows_best(&split), best);
        pt_task_free(task);
        pt_forest_free(&forest);
        pt_boost_rows_free(&split);
    }
}

static void test_boost_rows__without_held_out_rows_never_stops(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static problem p;
    pt_boost_rows split = {0};
    pt_forest forest = {0};
    fill(&p, false, false);
    small_must(
        pt_boost_rows_init(&split, &p.rows, &p.columns, 0, 1, 7, &pt_loss_exp, NULL, NULL, &err),
        &err, "split");
    assert_ptr_equal(split.train.rows.dense, p.x); /* nothing is copied */
    small_must(pt_forest_init(&forest, D, NULL, 1, &err), &err, "forest");
    for (int64_t round = 1; round <= 9; round++) {
        bool stop = true;
        small_must(pt_boost_rows_round(&split, &forest, 0, 0, &stop, NULL, &err), &err, "round");
        assert_false(stop);
        assert_int_equal(pt_boost_rows_best(&split), round);
    }
    pt_forest_free(&forest);
    pt_boost_rows_free(&split);
}

/* ---- stages -----------------------------------------------------------------------------------
 */

typedef struct stages {
    const pt_boosted *boosted;
    const pt_rows *rows;
    const int64_t *rounds;
    int64_t taken;
} stages;

/* As if there were no later rounds. */
static pt_status compare(void *context, int64_t which, const double *outputs, pt_error *err)
{
    stages *s = context;
    static double expected[N * ELL];
    assert_int_equal(which, s->taken++);
    memset(expected, 0, sizeof expected);
    const pt_status status = pt_forest_add(&s->boosted->forest, 0, s->rounds[which] * ELL, 1,
                                           s->rows, ELL, expected, NULL, err);
    assert_memory_equal(outputs, expected, sizeof expected);
    return status;
}

static void test_boosted__stages_are_outputs_with_fewer_rounds(void **state)
{
    (void)state;
    static const int64_t rounds[] = {0, 1, 4, 9};
    pt_error err = PT_ERROR_INIT;
    static problem p;
    static double last[N * ELL];
    pt_boosted boosted = {0};
    fill(&p, true, false);
    small_must(pt_boosted_init(&boosted, &p.rows, ELL, &err), &err, "learner");
    for (int round = 0; round < 9; round++)
        add_round(&boosted.forest, 1.0 / (1 + round));
    assert_int_equal(pt_boosted_rounds(&boosted.base), 9);
    stages s = {&boosted, &p.rows, rounds, 0};
    small_must(pt_boosted_staged(&boosted.base, &p.rows, rounds, 4, compare, &s, NULL, &err), &err,
               "stages");
    assert_int_equal(s.taken, 4);
    small_must(pt_boosted_outputs(&boosted.base, &p.rows, last, NULL, &err), &err, "outputs");
    s.taken = 3;
    small_must(compare(&s, 3, last, &err), &err, "last");
    pt_boosted_free(&boosted.base);
}

/* Whole groups, of which none has the last row of a class; folds in the same way, and rows that are
 * never held out are learned from. */
static void test_boost_rows__ties_stay_whole(void **state)
{
    (void)state;
    static problem p;
    int64_t tie[N];
    for (int64_t i = 0; i < N; i++)
        tie[i] = i * 13 % N / 6; /* 15 of 6 rows each */
    for (int q = 0; q < 8; q++) {
        pt_error err = PT_ERROR_INIT;
        pt_boost_rows split = {0};
        int64_t seen[N] = {0};
        int held_of[15] = {0};
        fill(&p, q % 2, q < 4);
        for (int64_t i = 0; i < 6 && q >= 4; i++)
            tie[i] = PT_NEVER_HELD;
        p.columns.ties = q < 4 ? (pt_ties){tie, NULL, NULL} : (pt_ties){NULL, tie, NULL};
        small_must(pt_boost_rows_init(&split, &p.rows, &p.columns, 0.1 + 0.2 * (q % 4), 5,
                                      (uint64_t)q, &pt_loss_exp, NULL, NULL, &err),
                   &err, "split");
        count_part(&p, &split.train, seen);
        count_part(&p, &split.held, seen);
        for (int64_t i = 0; i < N; i++)
            assert_int_equal(seen[i], 1);
        const double *x = split.held.rows.dense;
        assert_true(split.held.rows.n > 0);
        for (int64_t h = 0; h < split.held.rows.n; h++) {
            const int64_t row = (int64_t)x[h * split.held.rows.stride];
            assert_true(tie[row] != PT_NEVER_HELD && row != 50);
            held_of[tie[row]]++;
        }
        for (int t = 0; t < 15; t++) {
            int size = 0;
            for (int64_t i = 0; i < N; i++)
                size += tie[i] == t;
            assert_true(held_of[t] == 0 || held_of[t] == size);
        }
        pt_boost_rows_free(&split);
    }
}

/* By time they are the last rows, and begin behind the first row of each class. */
static void test_boost_rows__by_time_are_the_last(void **state)
{
    (void)state;
    static problem p;
    for (int q = 0; q < 12; q++) {
        pt_error err = PT_ERROR_INIT;
        pt_boost_rows split = {0};
        int64_t seen[N] = {0};
        bool held[N] = {false};
        double time[N];
        double latest = -INFINITY; /* of what is trained on */
        double earliest = INFINITY;
        fill(&p, q % 2, q < 4);
        for (int64_t i = 0; i < N; i++) /* row 50, alone in its class, is somewhere in the middle */
            time[i] = (double)((i * 13 + q * 7) % N / 6) - 4.5;
        p.columns.ties = (pt_ties){NULL, NULL, time};
        small_must(pt_boost_rows_init(&split, &p.rows, &p.columns, 0.1 + 0.2 * (q % 4), 5,
                                      (uint64_t)q, &pt_loss_exp, NULL, NULL, &err),
                   &err, "split");
        count_part(&p, &split.train, seen);
        count_part(&p, &split.held, seen);
        for (int64_t i = 0; i < N; i++)
            assert_int_equal(seen[i], 1);
        const double *x = split.held.rows.dense;
        for (int64_t h = 0; h < split.held.rows.n; h++)
            held[(int64_t)x[h * split.held.rows.stride]] = true;
        for (int64_t i = 0; i < N; i++) {
            latest = held[i] ? latest : fmax(latest, time[i]);
            earliest = held[i] ? fmin(earliest, time[i]) : earliest;
        }
        assert_true(earliest > latest);
        assert_false(held[50]);
        if (time[50] < 0) /* nothing is given back that is wanted */
            assert_true(split.held.rows.n > 0);
        pt_boost_rows_free(&split);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boost_rows__every_row_is_in_one_part),
        cmocka_unit_test(test_boost_rows__ties_stay_whole),
        cmocka_unit_test(test_boost_rows__by_time_are_the_last),
        cmocka_unit_test(test_boost_rows__stops_after_the_fewest_errors),
        cmocka_unit_test(test_boost_rows__without_held_out_rows_never_stops),
        cmocka_unit_test(test_boosted__stages_are_outputs_with_fewer_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
