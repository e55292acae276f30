/* All pairs together: the dual value rises by what is said, within the bounds, and the functions
 * stay those of the multipliers; against Kesler's vectors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../support/kesler_reference.h"
#include "base/alloc.h"
#include "base/random.h"
#include "data/labels/label_pairs.h"
#include "solvers/dual/pair_row.h"

enum { HOW = PT_PAIRS_THRESHOLD | PT_PAIRS_CLOSED };

typedef struct stage {
    labelled l;
    pt_linear_rows rows;
    pt_class_weights weights;
    pt_sparse_rows alpha;
    pt_pair_problem problem;
    pt_pair_state state;
    kesler q; /* its bound; its alpha and w are those of the stage after take() */
} stage;

/* q.alpha and q.w <- by the entries of the stage; returns the dual value. */
static double take(stage *s)
{
    pt_label_pair pairs[64];
    int64_t at = 0;
    double sum = 0;
    memset(s->q.w, 0, (size_t)s->q.size * sizeof(double));
    for (int64_t i = 0; i < s->l.n; i++) {
        const int64_t count = pt_label_pairs_of(s->l.labels, i, HOW, pairs);
        const pt_entry *row = pt_sparse_row(&s->alpha, i);
        const pt_entry *end = row + s->alpha.count[i];
        for (int64_t p = 0; p < count; p++, at++) {
            const bool has = row < end && row->column == pt_pair_code(pairs[p]);
            s->q.alpha[at] = has ? row++->value : 0;
            sum += s->q.alpha[at];
            for (int64_t f = 0; f < s->q.size; f++)
                s->q.w[f] += s->q.alpha[at] * s->q.vector[at * s->q.size + f];
        }
        assert_ptr_equal(row, end);
    }
    return sum - 0.5 * kesler_dot(s->q.w, s->q.w, s->q.size);
}

/* Multipliers at both bounds and between; `share` of the pairs have an entry. `zero`: 0, but of
 * rows that nothing holds, which are the caller's. */
static void draw_alpha(stage *s, double share, bool zero, pt_random *random)
{
    pt_error err = PT_ERROR_INIT;
    pt_label_pair pairs[64];
    pt_entry list[64];
    for (int64_t i = 0; i < s->l.n; i++) {
        const int64_t n_pairs = pt_label_pairs_of(s->l.labels, i, HOW, pairs);
        const bool free = s->rows.square[i] + s->state.one == 0;
        int64_t count = 0;
        for (int64_t p = 0; p < n_pairs; p++) {
            const double place = 2 * pt_random_uniform(random) - 0.5;
            if (pt_random_uniform(random) >= share)
                continue;
            list[count++] = (pt_entry){pt_pair_code(pairs[p]),
                                       s->problem.bound[i] * (free   ? 1
                                                              : zero ? 0
                                                                     : fmin(fmax(place, 0), 1))};
        }
        small_must(pt_sparse_rows_set(&s->alpha, i, list, count, &err), &err, "alpha");
    }
}

/* v and the bias <- w, in the order of the features that the rows have. */
static void form(stage *s)
{
    for (int64_t r = 0; r < s->q.k; r++) {
        const double *w = s->q.w + r * (s->l.d + 1);
        for (int64_t f = 0; f < s->l.d; f++)
            s->weights.M[s->weights.by_class ? r * s->weights.ld + f : f * s->weights.ld + r] =
                w[s->rows.order ? s->rows.order[f] : f];
        s->state.bias[r] = w[s->l.d];
    }
}

static double distance(const stage *s)
{
    double most = 0;
    for (int64_t r = 0; r < s->q.k; r++) {
        const double *w = s->q.w + r * (s->l.d + 1);
        for (int64_t f = 0; f < s->l.d; f++)
            most = fmax(most, fabs(s->weights.M[s->weights.by_class ? r * s->weights.ld + f
                                                                    : f * s->weights.ld + r] -
                                   w[s->rows.order ? s->rows.order[f] : f]));
        most = fmax(most, fabs(s->state.bias[r] - w[s->l.d]));
    }
    return most;
}

static void stage_init(stage *s, int c, double share, bool zero)
{
    pt_error err = PT_ERROR_INIT;
    pt_random random;
    const bool bias = c / 4 % 2;
    const double C = (const double[]){0.05, 1, 20}[c % 3];
    memset(s, 0, sizeof *s);
    pt_random_init(&random, (uint64_t)c, PT_RANDOM_TEST, 0);
    s->l = labelled_rows(LABEL_KINDS[c % 4], 25, 4, 4, 0.5, (uint64_t)c + 900);
    const pt_problem problem = labelled_problem(&s->l, c / 8 % 2, false);
    small_must(pt_linear_rows_init(&s->rows, &problem.rows, false, NULL, &err), &err, "rows");
    s->q = kesler_new(&s->l, HOW, bias, false, C);
    assert_true(pt_class_weights_plan(&s->weights, &s->rows, s->q.k));
    s->weights.M = pt_alloc_zero(s->weights.cells, sizeof(double), "weights", &err);
    double *bound = calloc((size_t)s->l.n, sizeof *bound);
    for (int64_t i = 0; i < s->l.n; i++)
        bound[i] = C;
    s->problem = (pt_pair_problem){.bound = bound};
    small_must(pt_sparse_rows_init(&s->alpha, s->l.n, NULL, &err), &err, "alpha");
    s->state = (pt_pair_state){.problem = &s->problem,
                               .loops = pt_class_loops_for(&s->weights, false),
                               .weights = &s->weights,
                               .bias = calloc((size_t)s->q.k, sizeof(double)),
                               .one = bias,
                               .alpha = &s->alpha};
    draw_alpha(s, share, zero, &random);
    (void)take(s);
    form(s);
}

static void stage_free(stage *s)
{
    free((void *)s->problem.bound);
    free(s->state.bias);
    pt_sparse_rows_free(&s->alpha);
    pt_free(s->weights.M);
    pt_linear_rows_free(&s->rows);
    kesler_free(&s->q);
    labelled_free(&s->l);
}

static void test_pair_climb__rises_by_its_gain(void **state)
{
    (void)state;
    int risen = 0;
    for (int c = 0; c < 48; c++) {
        pt_error err = PT_ERROR_INIT;
        stage s;
        stage_init(&s, c, c < 24 ? 1 : 0.4, false);
        for (int t = 0; t < 5; t++) {
            double gain = -1;
            int64_t passes = -1;
            const double before = take(&s);
            small_must(pt_pair_climb(&s.state, &gain, &passes, NULL, &err), &err, "climb");
            const double after = take(&s);
            assert_true(gain >= 0 && passes >= 0);
            if (!(fabs(after - before - gain) <= 1e-9 * (fabs(before) + fabs(after))))
                fail_msg("case %d: from %.15g to %.15g, not by %.15g", c, before, after, gain);
            assert_true(distance(&s) < 1e-9);
            for (int64_t p = 0; p < s.q.m; p++)
                assert_true(s.q.alpha[p] >= 0 && s.q.alpha[p] <= s.q.bound[p]);
            risen += gain > 1e-3 * fabs(before);
        }
        stage_free(&s);
    }
    assert_true(risen >= 48);
}

/* With an entry for every pair there is nothing that descent would have to find. */
static void test_pair_climb__solves_the_problem(void **state)
{
    (void)state;
    for (int c = 0; c < 24; c++) {
        pt_error err = PT_ERROR_INIT;
        stage s;
        double gain = 1;
        int64_t passes = 0;
        stage_init(&s, c, 1, true);
        for (int t = 0; t < 3000 && gain > 0; t++)
            small_must(pt_pair_climb(&s.state, &gain, &passes, NULL, &err), &err, "climb");
        const double value = take(&s);
        memset(s.q.alpha, 0, (size_t)s.q.m * sizeof(double));
        memset(s.q.w, 0, (size_t)s.q.size * sizeof(double));
        kesler_solve(&s.q, 1e-9);
        if (!(fabs(value - s.q.dual) <= 1e-6 * s.q.dual))
            fail_msg("case %d: %.12g, not %.12g", c, value, s.q.dual);
        stage_free(&s);
    }
}

/* No pair has an entry. */
static void test_pair_climb__stays_where_nothing_moves(void **state)
{
    (void)state;
    for (int c = 0; c < 8; c++) {
        pt_error err = PT_ERROR_INIT;
        stage s;
        double gain = 1;
        int64_t passes = 1;
        stage_init(&s, c, 0, true);
        small_must(pt_pair_climb(&s.state, &gain, &passes, NULL, &err), &err, "climb");
        assert_true(gain == 0 && passes == 0);
        stage_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair_climb__rises_by_its_gain),
        cmocka_unit_test(test_pair_climb__solves_the_problem),
        cmocka_unit_test(test_pair_climb__stays_where_nothing_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
