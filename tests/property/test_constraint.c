/* labels: threads */
/* The machine constraint: the support vector machine over the pairs of labels of every kind, against
 * a slow one that makes Kesler's vectors and knows nothing of examples and classes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/labelled_rows.h"
#include "../support/predictions.h"
#include "decoders/label_judge.h"
#include "machines/machine_constraint.h"

/* ---- the slow machine --------------------------------------------------------------------------
 */

typedef struct kesler {
    int64_t m;    /* pairs of all examples */
    int64_t size; /* k' (d + 1) */
    int64_t k;    /* k' */
    int64_t d;
    double *vector; /* m x size */
    double *bound;  /* m */
    double *alpha;  /* m */
    double *w;      /* size */
    double primal;
    double dual;
} kesler;

static kesler kesler_new(const labelled *l, bool bias, bool weighted, double C)
{
    const unsigned how = PT_PAIRS_THRESHOLD;
    kesler q = {.k = pt_label_pairs_n_classes(l->labels, how), .d = l->d};
    pt_label_pair *pairs = calloc((size_t)pt_label_pairs_most(l->labels, how) + 1, sizeof *pairs);
    q.size = q.k * (l->d + 1);
    for (int64_t i = 0; i < l->n; i++)
        q.m += pt_label_pairs_count(l->labels, i, how);
    q.vector = calloc((size_t)(q.m * q.size), sizeof(double));
    q.bound = calloc((size_t)q.m, sizeof(double));
    q.alpha = calloc((size_t)q.m, sizeof(double));
    q.w = calloc((size_t)q.size, sizeof(double));
    int64_t at = 0;
    for (int64_t i = 0; i < l->n; i++) {
        const int64_t count = pt_label_pairs_of(l->labels, i, how, pairs);
        for (int64_t p = 0; p < count; p++, at++) {
            double *v = q.vector + at * q.size;
            for (int64_t f = 0; f <= l->d; f++) {
                const double x = f < l->d ? l->x[i * l->d + f] : bias ? 1 : 0;
                v[pairs[p].before * (l->d + 1) + f] += x;
                v[pairs[p].after * (l->d + 1) + f] -= x;
            }
            q.bound[at] = C * (weighted ? l->weight[i] : 1);
        }
    }
    assert_int_equal(at, q.m);
    free(pairs);
    return q;
}

static void kesler_free(kesler *q)
{
    free(q->vector);
    free(q->bound);
    free(q->alpha);
    free(q->w);
}

static double dot(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t f = 0; f < count; f++)
        sum += a[f] * b[f];
    return sum;
}

/* One multiplier after the other, until primal and dual agree. */
static void kesler_solve(kesler *q)
{
    double *square = calloc((size_t)q->m, sizeof *square);
    for (int64_t p = 0; p < q->m; p++)
        square[p] = dot(q->vector + p * q->size, q->vector + p * q->size, q->size);
    for (int sweep = 0; sweep < 200000; sweep++) {
        for (int64_t p = 0; p < q->m; p++) {
            const double *v = q->vector + p * q->size;
            const double slope = dot(v, q->w, q->size) - 1;
            const double free_place = square[p] > 0 ? q->alpha[p] - slope / square[p] : INFINITY;
            const double next = fmin(fmax(free_place, 0), q->bound[p]);
            for (int64_t f = 0; f < q->size && next != q->alpha[p]; f++)
                q->w[f] += (next - q->alpha[p]) * v[f];
            q->alpha[p] = next;
        }
        if (sweep % 50)
            continue;
        q->primal = 0.5 * dot(q->w, q->w, q->size);
        q->dual = -q->primal;
        for (int64_t p = 0; p < q->m; p++) {
            const double z = dot(q->vector + p * q->size, q->w, q->size);
            q->primal += q->bound[p] * fmax(0, 1 - z);
            q->dual += q->alpha[p];
        }
        if (q->primal - q->dual <= 1e-12 * q->dual)
            break;
    }
    assert_true(q->primal - q->dual <= 1e-11 * q->dual);
    free(square);
}

/* scores (n x classes) of the slow machine; of sets less the threshold's. */
static void kesler_scores(const kesler *q, const labelled *l, bool bias, double *scores)
{
    const int64_t size = l->d + 1;
    double *x = calloc((size_t)size, sizeof *x);
    for (int64_t i = 0; i < l->n; i++) {
        memcpy(x, l->x + i * l->d, (size_t)l->d * sizeof *x);
        x[l->d] = bias ? 1 : 0;
        for (int64_t r = 0; r < l->k; r++)
            scores[i * l->k + r] = dot(q->w + r * size, x, size) -
                                   (q->k > l->k ? dot(q->w + l->k * size, x, size) : 0);
    }
    free(x);
}

/* ---- tests -------------------------------------------------------------------------------------
 */

static void test_constraint__solves_its_problem(void **state)
{
    (void)state;
    for (int c = 0; c < 48; c++) {
        const pt_label_kind kind = LABEL_KINDS[c % 4];
        const bool bias = c / 4 % 2;
        const bool sparse = c / 8 % 2;
        const bool weighted = c / 16 % 2;
        const double C = (const double[]){0.02, 1, 30}[c / 16];
        labelled l = labelled_rows(kind, 25, 4, 4, 0.5, (uint64_t)c + 1);
        const pt_problem problem = labelled_problem(&l, sparse, weighted);
        char text[120];
        snprintf(text, sizeof text, "machine=constraint,bias=%s,C=%g,gap=1e-13",
                 bias ? "yes" : "no", C);
        kesler q = kesler_new(&l, bias, weighted, C);
        kesler_solve(&q);
        pt_machine *machine = labelled_train(&problem, text, 1);
        double *scores = labelled_scores(machine, &problem);
        double *slow = calloc((size_t)(l.n * l.k), sizeof *slow);
        kesler_scores(&q, &l, bias, slow);
        const double primal = labelled_figure(machine, "primal");
        const double dual = labelled_figure(machine, "dual");
        if (!(fabs(primal - q.primal) <= 1e-9 * q.primal && fabs(dual - q.dual) <= 1e-9 * q.dual))
            fail_msg("%s, kind %d: %.15g and %.15g, not %.15g", text, kind, primal, dual, q.primal);
        if (!(small_distance(scores, slow, l.n * l.k) < 1e-4))
            fail_msg("%s, kind %d: scores %g apart", text, kind,
                     small_distance(scores, slow, l.n * l.k));
        free(slow);
        free(scores);
        machine->ops->free(machine);
        kesler_free(&q);
        labelled_free(&l);
    }
}

/* The scores of the slow machine and of the machine differ by what the gap leaves: for every gap
 * that is asked for, that one is reached. */
static void test_constraint__reaches_the_gap(void **state)
{
    (void)state;
    for (int c = 0; c < 24; c++) {
        const double gap = (const double[]){1e-2, 1e-4, 1e-6}[c / 8];
        labelled l = labelled_rows(LABEL_KINDS[c % 4], 300, 10, 5, 1, (uint64_t)c + 100);
        const pt_problem problem = labelled_problem(&l, c / 4 % 2, false);
        char text[80];
        snprintf(text, sizeof text, "machine=constraint,C=1,gap=%g", gap);
        pt_machine *machine = labelled_train(&problem, text, 1);
        const double reached = labelled_figure(machine, "relative_gap");
        if (!(reached <= gap && reached > -1e-12))
            fail_msg("%s, kind %d: %g", text, LABEL_KINDS[c % 4], reached);
        machine->ops->free(machine);
        labelled_free(&l);
    }
}

static void test_constraint__is_ww_on_classes(void **state)
{
    (void)state;
    for (int c = 0; c < 6; c++) {
        small s = small_clouds(150, 5, 2 + 2 * (c % 3), (uint64_t)c + 40);
        pt_dataset *data = c < 3 ? small_dataset(&s) : small_sparse_dataset(&s);
        double *a =
            small_scores(data, "machine=constraint,bias=no,gap=1e-13,precision=double", data);
        double *b = small_scores(data, "machine=ww,kernel=linear,gap=1e-13,precision=double", data);
        assert_true(small_distance(a, b, s.n * s.k) < 1e-5);
        for (int64_t i = 0; i < s.n; i++)
            assert_int_equal(small_argmax(a + i * s.k, s.k), small_argmax(b + i * s.k, s.k));
        free(a);
        free(b);
        pt_dataset_free(data);
        small_free(&s);
    }
}

static void test_constraint__threads_keep_every_bit(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        labelled l = labelled_rows(LABEL_KINDS[c], 700, 6, 5, 1, (uint64_t)c + 200);
        const pt_problem problem = labelled_problem(&l, c % 2, true);
        pt_machine *one = labelled_train(&problem, "machine=constraint", 1);
        pt_machine *two = labelled_train(&problem, "machine=constraint", 2);
        double *a = labelled_scores(one, &problem);
        double *b = labelled_scores(two, &problem);
        assert_memory_equal(a, b, (size_t)(l.n * l.k) * sizeof *a);
        free(a);
        free(b);
        one->ops->free(one);
        two->ops->free(two);
        labelled_free(&l);
    }
}

/* Labels that linear functions made: with a large C every example is right, sets with their ends.
 */
static void test_constraint__learns_what_can_be_told(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        labelled l = labelled_rows(LABEL_KINDS[c], 40, 30, 4, 0, (uint64_t)c + 300);
        const pt_problem problem = labelled_problem(&l, false, false);
        pt_machine *machine = labelled_train(&problem, "machine=constraint,C=1e4", 1);
        double *scores = labelled_scores(machine, &problem);
        for (int64_t i = 0; i < l.n; i++)
            assert_true(pt_label_is_right(l.labels, i, scores + i * l.k));
        free(scores);
        machine->ops->free(machine);
        labelled_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constraint__solves_its_problem),
        cmocka_unit_test(test_constraint__reaches_the_gap),
        cmocka_unit_test(test_constraint__is_ww_on_classes),
        cmocka_unit_test(test_constraint__threads_keep_every_bit),
        cmocka_unit_test(test_constraint__learns_what_can_be_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
