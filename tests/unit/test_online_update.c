/* Online updates against a slow reference: dense, every pair by itself, every score computed anew,
 * the average as the mean of all weights after each example. Features are small integers and alpha
 * is 2, so that perceptron and Winnow are exact and ties are ties in both; parts of a step are not,
 * and get features that make no ties. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/random.h"
#include "polytomy/polytomy.h"
#include "solvers/online/online_epochs.h"

enum { N = 40, D = 7, MOST_K = 6, MOST_PAIRS = 64, KINDS = 4 };

/* ---- examples ---- */

typedef struct example {
    double x[D];
    pt_label_pair pairs[MOST_PAIRS];
    int64_t n_pairs;
    double weight;
} example;

/* The pairs of a random label of each kind over k classes, with the threshold for sets. */
static int64_t draw_pairs(pt_random *random, int kind, int k, pt_label_pair *pairs)
{
    int rank[MOST_K];
    int64_t count = 0;
    const int top = (int)pt_random_below(random, k);
    for (int r = 0; r < k; r++)
        rank[r] = kind == 0   ? r != top
                  : kind == 1 ? 2 * (int)pt_random_below(random, 2)
                              : (int)pt_random_below(random, 3);
    if (kind == 1)
        rank[k - 1] = 1; /* the threshold stands between */
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++)
            if (rank[a] < rank[b] && (kind != 3 || pt_random_below(random, 2)))
                pairs[count++] = (pt_label_pair){a, b};
    return count;
}

/* Small integers; or real numbers, of which only untouched weights make ties. */
static void draw(example *examples, int kind, int k, bool is_signed, bool real, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, (uint64_t)kind);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++)
            examples[i].x[j] =
                (real ? 2 * pt_random_uniform(&random) : (double)pt_random_below(&random, 3)) -
                (is_signed ? 1 : 0);
        examples[i].n_pairs = draw_pairs(&random, kind, k, examples[i].pairs);
        examples[i].weight = 1 + (double)pt_random_below(&random, 2);
    }
}

/* ---- the reference ---- */

typedef struct reference {
    pt_online_rule rule;
    int k;
    double v[MOST_K][D + 1]; /* the bias last */
    double plus[MOST_K][D + 1];
    double minus[MOST_K][D + 1];
    double sum[MOST_K][D + 1]; /* of v after each example */
    int64_t seen;
    int64_t moves;
} reference;

static double feature(const reference *ref, const example *e, int j)
{
    return j < D ? e->x[j] : ref->rule.bias;
}

static double dot(const reference *ref, const example *e, int r)
{
    double sum = 0;
    for (int j = 0; j <= D; j++)
        sum += feature(ref, e, j) * ref->v[r][j];
    return sum;
}

static void begin(reference *ref, const pt_online_rule *rule, int k)
{
    memset(ref, 0, sizeof *ref);
    ref->rule = *rule;
    ref->k = k;
    for (int r = 0; r < k; r++)
        for (int j = 0; j <= D; j++) {
            ref->v[r][j] = rule->update == PT_UPDATE_WINNOW;
            ref->plus[r][j] = 1;
            ref->minus[r][j] = 1;
        }
}

/* direction +1 promotes, -1 demotes. */
static void move(reference *ref, const example *e, int r, double step, int direction)
{
    for (int j = 0; j <= D; j++) {
        const double x = feature(ref, e, j);
        switch (ref->rule.update) {
        case PT_UPDATE_WINNOW:
            ref->v[r][j] *= pow(ref->rule.alpha, direction * step * x);
            break;
        case PT_UPDATE_BALANCED:
            ref->plus[r][j] *= pow(ref->rule.alpha, direction * step * x);
            ref->minus[r][j] *= pow(ref->rule.alpha, -direction * step * x);
            ref->v[r][j] = ref->plus[r][j] - ref->minus[r][j];
            break;
        default:
            ref->v[r][j] += direction * step * x;
        }
    }
}

/* How far a pair is from right; the step it asks for, 0: none. */
static double step_of(const reference *ref, const example *e, const pt_label_pair *pair)
{
    const double z = dot(ref, e, pair->before) - dot(ref, e, pair->after);
    double square = 0;
    for (int j = 0; j <= D; j++)
        square += feature(ref, e, j) * feature(ref, e, j);
    if (ref->rule.update != PT_UPDATE_PA)
        return z <= 0 ? e->weight : 0;
    return z < 1 && square > 0 ? fmin(ref->rule.C * e->weight, (1 - z) / (2 * square)) : 0;
}

static void move_pair(reference *ref, const example *e, const pt_label_pair *pair, double step)
{
    move(ref, e, pair->before, step, +1);
    move(ref, e, pair->after, step, -1);
    ref->moves++;
}

static void learn_slowly(reference *ref, const example *e)
{
    double step[MOST_PAIRS];
    int64_t count = 0;
    int64_t worst = -1;
    double least = INFINITY;
    for (int64_t q = 0; q < e->n_pairs; q++) {
        const double z = dot(ref, e, e->pairs[q].before) - dot(ref, e, e->pairs[q].after);
        step[q] = step_of(ref, e, &e->pairs[q]);
        count += step[q] != 0;
        if (z < least) {
            least = z;
            worst = q;
        }
    }
    for (int64_t q = 0; q < e->n_pairs; q++) {
        if (ref->rule.violated == PT_VIOLATED_ALL)
            step[q] = step_of(ref, e, &e->pairs[q]); /* by now */
        else if (ref->rule.violated == PT_VIOLATED_WORST && q != worst)
            step[q] = 0;
        else if (ref->rule.violated == PT_VIOLATED_SPREAD)
            step[q] /= (double)count;
        if (step[q] != 0 && !isnan(step[q]))
            move_pair(ref, e, &e->pairs[q], step[q]);
    }
    for (int r = 0; r < ref->k; r++)
        for (int j = 0; j <= D; j++)
            ref->sum[r][j] += ref->v[r][j];
    ref->seen++;
}

/* ---- both ---- */

static pt_online_row row_of(const example *e, int64_t *index, double *value)
{
    int64_t count = 0;
    for (int j = 0; j < D; j++)
        if (e->x[j] != 0) {
            index[count] = j;
            value[count++] = e->x[j];
        }
    return (pt_online_row){count, index, value};
}

static bool learn(pt_online_weights *w, const example *e)
{
    int64_t index[D];
    double value[D];
    const pt_online_row x = row_of(e, index, value);
    pt_online_score(w, &x);
    return pt_online_learn_pairs(w, &x, e->pairs, e->n_pairs, e->weight);
}

static void assert_same(const pt_online_weights *w, const reference *ref)
{
    double out[MOST_K * (D + 1)];
    pt_online_result(w, NULL, ref->k, -1, out);
    for (int r = 0; r < ref->k; r++)
        for (int j = 0; j <= D; j++) {
            const double expected = ref->rule.update == PT_UPDATE_AVERAGED
                                        ? ref->sum[r][j] / (double)ref->seen
                                        : ref->v[r][j];
            if (j == D && !ref->rule.bias)
                assert_true(out[r * (D + 1) + j] == 0);
            else
                assert_true(fabs(out[r * (D + 1) + j] - expected) <= 1e-9 * (1 + fabs(expected)));
        }
    assert_int_equal(w->seen, ref->seen);
    if (ref->rule.update != PT_UPDATE_PA)
        assert_int_equal(w->moves, ref->moves);
}

static void compare_all(const pt_online_rule *rule, int kind, int k)
{
    static example examples[N];
    reference ref;
    pt_online_weights w;
    pt_error err = PT_ERROR_INIT;
    draw(examples, kind, k, rule->update != PT_UPDATE_WINNOW,
         rule->violated == PT_VIOLATED_SPREAD || rule->update == PT_UPDATE_PA, 11);
    begin(&ref, rule, k);
    assert_int_equal(pt_online_weights_init(&w, rule, k, D, &err), PT_OK);
    const int n = rule->update >= PT_UPDATE_WINNOW ? 12 : N; /* powers of 2 stay exact */
    for (int i = 0; i < n; i++) {
        const int64_t before = ref.moves;
        learn_slowly(&ref, &examples[i]);
        const bool wrong = learn(&w, &examples[i]);
        if (rule->update != PT_UPDATE_PA)
            assert_int_equal(wrong, ref.moves > before);
    }
    assert_true(ref.moves > 1);
    assert_same(&w, &ref);
    pt_online_weights_free(&w);
}

static void test_online__every_rule_equals_the_literal_one(void **state)
{
    (void)state;
    for (int update = 0; update < PT_N_UPDATES; update++)
        for (int violated = 0; violated < PT_N_VIOLATED; violated++)
            for (int bias = 0; bias < 2; bias++)
                for (int kind = 0; kind < KINDS; kind++)
                    for (int k = 2; k <= MOST_K; k += 2) {
                        const pt_online_rule rule = {update, violated, 0.03, 2, bias};
                        compare_all(&rule, kind, k);
                    }
}

static void test_online__instruction_sets_agree(void **state)
{
    (void)state;
    const pt_isa_level chosen = pt_isa_level_chosen();
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        if (!pt_isa_level_runs(level))
            continue;
        pt_isa_level_force(level);
        const pt_online_rule rule = {PT_UPDATE_AVERAGED, PT_VIOLATED_ALL, 1, 2, true};
        compare_all(&rule, 0, MOST_K);
    }
    pt_isa_level_force(chosen);
}

/* The score of 1 to 40 classes: blocks of 16, 8 and 4 and what is left. */
static void test_online__scores_of_any_number_of_classes(void **state)
{
    (void)state;
    for (int k = 1; k <= 40; k++)
        for (int count = 0; count <= D; count++) {
            pt_online_weights w;
            pt_error err = PT_ERROR_INIT;
            const pt_online_rule rule = {PT_UPDATE_PERCEPTRON, PT_VIOLATED_ALL, 1, 2, true};
            int64_t index[D];
            double value[D];
            assert_int_equal(pt_online_weights_init(&w, &rule, k, D, &err), PT_OK);
            for (int64_t at = 0; at < (D + 1) * w.stride; at++)
                w.V[at] = (double)(at * 7 % 23);
            for (int p = 0; p < count; p++) {
                index[p] = p;
                value[p] = p + 1;
            }
            const pt_online_row x = {count, index, value};
            pt_online_score(&w, &x);
            for (int r = 0; r < k; r++) {
                double expected = w.V[r];
                for (int p = 0; p < count; p++)
                    expected += value[p] * w.V[(p + 1) * w.stride + r];
                assert_true(w.scores[r] == expected);
            }
            pt_online_weights_free(&w);
        }
}

static void test_online__a_tie_is_a_mistake(void **state)
{
    (void)state;
    for (int update = 0; update < PT_N_UPDATES; update++) {
        const pt_online_rule rule = {update, PT_VIOLATED_ALL, 1, 2, false};
        example e = {.x = {1, 0, 2}, .pairs = {{1, 0}}, .n_pairs = 1, .weight = 1};
        pt_online_weights w;
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(pt_online_weights_init(&w, &rule, 2, D, &err), PT_OK);
        assert_true(learn(&w, &e));
        assert_false(learn(&w, &e));
        assert_int_equal(w.seen, 2);
        pt_online_weights_free(&w);
    }
}

/* Classes and features that come later are as if they had been there, unused. */
static void test_online__growing_changes_nothing(void **state)
{
    (void)state;
    for (int update = 0; update < PT_N_UPDATES; update++) {
        static example examples[N];
        static double first[MOST_K * (D + 1)];
        static double second[MOST_K * (D + 1)];
        const pt_online_rule rule = {update, PT_VIOLATED_ALL, 0.1, 2, true};
        pt_online_weights whole;
        pt_online_weights grown;
        pt_error err = PT_ERROR_INIT;
        draw(examples, 0, MOST_K, update != PT_UPDATE_WINNOW, false, 5);
        assert_int_equal(pt_online_weights_init(&whole, &rule, MOST_K, D, &err), PT_OK);
        assert_int_equal(pt_online_weights_init(&grown, &rule, 0, 0, &err), PT_OK);
        for (int i = 0; i < 20; i++) {
            const int k = i < 3 ? 2 : i < 6 ? 5 : MOST_K;
            const int d = i < 2 ? 1 : i < 8 ? 3 : D;
            for (int j = d; j < D; j++)
                examples[i].x[j] = 0;
            int64_t kept = 0;
            for (int64_t q = 0; q < examples[i].n_pairs; q++)
                if (examples[i].pairs[q].before < k && examples[i].pairs[q].after < k)
                    examples[i].pairs[kept++] = examples[i].pairs[q];
            examples[i].n_pairs = kept;
            assert_int_equal(pt_online_weights_grow(&grown, k, d, &err), PT_OK);
            assert_int_equal(learn(&whole, &examples[i]), learn(&grown, &examples[i]));
        }
        pt_online_result(&whole, NULL, MOST_K, 0, first);
        pt_online_result(&grown, NULL, MOST_K, 0, second);
        assert_memory_equal(first, second, sizeof first);
        pt_online_weights_free(&grown);
        pt_online_weights_free(&whole);
    }
}

/* k functions of their own are k problems of one function each. */
static void test_online__sides_are_separate(void **state)
{
    (void)state;
    static example examples[N];
    draw(examples, 0, MOST_K, true, false, 8);
    for (int update = 0; update < PT_N_UPDATES; update++) {
        if (update == PT_UPDATE_WINNOW)
            continue;
        const pt_online_rule rule = {update, PT_VIOLATED_ALL, 0.2, 2, true};
        pt_online_weights all;
        pt_error err = PT_ERROR_INIT;
        double out[3 * (D + 1)];
        double one_out[D + 1];
        assert_int_equal(pt_online_weights_init(&all, &rule, 3, D, &err), PT_OK);
        for (int s = 0; s < 3; s++) {
            pt_online_weights one;
            assert_int_equal(pt_online_weights_init(&one, &rule, 1, D, &err), PT_OK);
            for (int i = 0; i < 15; i++) {
                int64_t index[D];
                double value[D];
                const pt_online_row x = row_of(&examples[i], index, value);
                int8_t sides[3];
                for (int c = 0; c < 3; c++)
                    sides[c] = (int8_t)((i * (c + 3)) % 3 - 1);
                pt_online_score(&one, &x);
                const double f = one.scores[0];
                const bool wrong = pt_online_learn_sides(&one, &x, &sides[s], examples[i].weight);
                assert_int_equal(wrong, sides[s] != 0 && sides[s] * f <= 0);
                if (s == 0) {
                    pt_online_score(&all, &x);
                    pt_online_learn_sides(&all, &x, sides, examples[i].weight);
                }
            }
            pt_online_result(&all, NULL, 3, -1, out);
            pt_online_result(&one, NULL, 1, -1, one_out);
            assert_memory_equal(out + s * (D + 1), one_out, sizeof one_out);
            pt_online_weights_free(&one);
        }
        pt_online_weights_free(&all);
    }
}

/* The perceptron with sides against w += y x where y w.x <= 0, written out. */
static void test_online__sides_are_the_perceptron(void **state)
{
    (void)state;
    static example examples[N];
    const pt_online_rule rule = {PT_UPDATE_PERCEPTRON, PT_VIOLATED_ALL, 1, 2, false};
    pt_online_weights one;
    pt_error err = PT_ERROR_INIT;
    double w[D] = {0};
    double out[D + 1];
    draw(examples, 0, 2, true, false, 9);
    assert_int_equal(pt_online_weights_init(&one, &rule, 1, D, &err), PT_OK);
    for (int i = 0; i < N; i++) {
        int64_t index[D];
        double value[D];
        const pt_online_row x = row_of(&examples[i], index, value);
        const int8_t y = examples[i].pairs[0].before == 0 ? 1 : -1;
        double f = 0;
        for (int j = 0; j < D; j++)
            f += w[j] * examples[i].x[j];
        for (int j = 0; j < D; j++)
            w[j] += y * f <= 0 ? y * examples[i].x[j] : 0;
        pt_online_score(&one, &x);
        assert_true(one.scores[0] == f);
        pt_online_learn_sides(&one, &x, &y, 1);
    }
    pt_online_result(&one, NULL, 1, -1, out);
    assert_memory_equal(out, w, sizeof w);
    pt_online_weights_free(&one);
}

/* Weights of Winnow stay finite whatever comes. */
static void test_online__winnow_stays_within_bounds(void **state)
{
    (void)state;
    for (int update = PT_UPDATE_WINNOW; update <= PT_UPDATE_BALANCED; update++) {
        const pt_online_rule rule = {update, PT_VIOLATED_ALL, 1, 2, true};
        example e = {.x = {1000, 3, 255}, .pairs = {{0, 1}}, .n_pairs = 1, .weight = 1};
        pt_online_weights w;
        pt_error err = PT_ERROR_INIT;
        double out[2 * (D + 1)];
        assert_int_equal(pt_online_weights_init(&w, &rule, 2, D, &err), PT_OK);
        for (int i = 0; i < 20; i++) {
            e.pairs[0] = (pt_label_pair){i % 2, 1 - i % 2};
            learn(&w, &e);
        }
        pt_online_result(&w, NULL, 2, -1, out);
        for (int at = 0; at < 2 * (D + 1); at++)
            assert_true(isfinite(out[at]));
        assert_true(w.pinned > 0);
        pt_online_weights_free(&w);
    }
}

/* ---- epochs ---- */

typedef struct points {
    int64_t n;
    int64_t d;
    double *x;
    float *x32;
    int64_t *start;
    int64_t *index;
    int64_t *class_of;
    pt_labels *labels;
} points;

/* Points of three classes with a gap between the best function and the next. */
static points separable(int64_t n, int64_t d, uint64_t seed)
{
    points p = {.n = n, .d = d};
    double *v = calloc((size_t)(3 * d), sizeof *v);
    char *name[3] = {"a", "b", "c"};
    const pt_texts names = {name, 3, NULL};
    pt_random random;
    pt_error err = PT_ERROR_INIT;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 1);
    p.x = calloc((size_t)(n * d), sizeof *p.x);
    p.x32 = calloc((size_t)(n * d), sizeof *p.x32);
    p.index = calloc((size_t)(n * d), sizeof *p.index);
    p.start = calloc((size_t)n + 1, sizeof *p.start);
    p.class_of = calloc((size_t)n, sizeof *p.class_of);
    for (int64_t at = 0; at < 3 * d; at++)
        v[at] = pt_random_normal(&random);
    for (int64_t i = 0; i < n;) {
        double score[3] = {0};
        for (int64_t j = 0; j < d; j++) {
            p.x[i * d + j] = (float)pt_random_normal(&random);
            for (int r = 0; r < 3; r++)
                score[r] += v[r * d + j] * p.x[i * d + j];
        }
        int64_t best = 0;
        for (int r = 1; r < 3; r++)
            best = score[r] > score[best] ? r : best;
        bool clear = true;
        for (int r = 0; r < 3; r++)
            clear = clear && (r == best || score[best] - score[r] > 0.5);
        p.class_of[i] = best;
        i += clear;
    }
    for (int64_t at = 0; at < n * d; at++) {
        p.x32[at] = (float)p.x[at];
        p.index[at] = at % d;
    }
    for (int64_t i = 0; i <= n; i++)
        p.start[i] = i * d;
    assert_int_equal(pt_labels_from_codes(&p.labels, n, p.class_of, &names, &err), PT_OK);
    free(v);
    return p;
}

static void drop(points *p)
{
    pt_labels_free(p->labels);
    free(p->class_of);
    free(p->start);
    free(p->index);
    free(p->x32);
    free(p->x);
}

static double margin_of(const points *p, const double *out)
{
    double square = 0;
    double least = INFINITY;
    for (int64_t at = 0; at < 3 * (p->d + 1); at++)
        square += out[at] * out[at];
    for (int64_t i = 0; i < p->n; i++) {
        double score[3] = {0};
        for (int r = 0; r < 3; r++)
            for (int64_t j = 0; j < p->d; j++)
                score[r] += out[r * (p->d + 1) + j] * p->x[i * p->d + j];
        for (int r = 0; r < 3; r++)
            if (r != p->class_of[i])
                least = fmin(least, score[p->class_of[i]] - score[r]);
    }
    return least / sqrt(square);
}

/* Separable data: an epoch without a mistake comes, what is kept is right about every row, and the
 * perceptron did not move more often than Novikoff's bound allows. */
static void test_epochs__end_without_mistakes_within_the_bound(void **state)
{
    (void)state;
    points p = separable(300, 6, 3);
    const pt_rows rows = {.n = p.n, .d = p.d, .type = PT_F64, .dense = p.x, .stride = p.d};
    double longest = 0;
    for (int64_t i = 0; i < p.n; i++) {
        double square = 0;
        for (int64_t j = 0; j < p.d; j++)
            square += p.x[i * p.d + j] * p.x[i * p.d + j];
        longest = fmax(longest, square);
    }
    for (int violated = 0; violated < PT_N_VIOLATED; violated++) {
        for (int update = 0; update <= PT_UPDATE_PA; update += 2) {
            const pt_online_rule rule = {update, violated, 1, 2, false};
            const pt_online_problem problem = {.rows = &rows, .labels = p.labels, .seed = 1};
            pt_online_weights w;
            pt_online_epochs result;
            pt_error err = PT_ERROR_INIT;
            double out[3 * 7];
            assert_int_equal(pt_online_weights_init(&w, &rule, 3, p.d, &err), PT_OK);
            assert_int_equal(pt_online_train(&w, &problem, &result, NULL, &err), PT_OK);
            assert_int_equal(result.last, 0);
            assert_true(result.epochs > 1 && result.mistakes > 0);
            pt_online_result(&w, NULL, 3, -1, out);
            const double margin = margin_of(&p, out);
            assert_true(margin > 0);
            if (update == PT_UPDATE_PERCEPTRON && violated != PT_VIOLATED_SPREAD)
                assert_true((double)w.moves <= 2 * longest / (margin * margin));
            pt_online_weights_free(&w);
        }
    }
    drop(&p);
}

static void sides_of_classes(const void *context, int64_t i, int8_t *sides)
{
    const points *p = context;
    for (int r = 0; r < 3; r++)
        sides[r] = p->class_of[i] == r ? 1 : -1;
}

/* Rows whose class does not have the largest score, or one of whose scores is on a wrong side. */
static int64_t count_wrong(const points *p, const double *out, bool by_sides)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double score[3];
        bool right = true;
        for (int r = 0; r < 3; r++) {
            score[r] = out[r * (p->d + 1) + p->d];
            for (int64_t j = 0; j < p->d; j++)
                score[r] += out[r * (p->d + 1) + j] * p->x[i * p->d + j];
        }
        for (int r = 0; r < 3; r++)
            if (by_sides)
                right = right && (p->class_of[i] == r ? score[r] > 0 : score[r] < 0);
            else
                right = right && (r == p->class_of[i] || score[p->class_of[i]] > score[r]);
        wrong += !right;
    }
    return wrong;
}

/* --epochs 0 keeps its word about the weights that come out: those of PA move for rows that are
 * right, and an epoch without a mistake may end with weights that make some. Few rows with a small
 * margin show it. */
static void test_epochs__until_the_last_weights_are_right(void **state)
{
    (void)state;
    static const pt_update UPDATES[] = {PT_UPDATE_PERCEPTRON, PT_UPDATE_PA, PT_UPDATE_BALANCED};
    for (uint64_t seed = 1; seed <= 120; seed++) {
        points p = separable(9, 2, seed);
        for (int64_t at = 0; at < p.n * p.d; at++)
            p.x[at] *= 40; /* steps of PA are long and short by turns */
        const pt_rows rows = {.n = p.n, .d = p.d, .type = PT_F64, .dense = p.x, .stride = p.d};
        for (int which = 0; which < 6; which++) {
            const bool by_sides = which >= 3;
            const pt_online_rule rule = {UPDATES[which % 3], (pt_violated)(seed % 3), 1, 1.05,
                                         seed % 2 == 0};
            pt_online_problem problem = {.rows = &rows, .seed = seed};
            if (by_sides) {
                problem.sides = sides_of_classes;
                problem.context = &p;
                for (int64_t i = 0; i < p.n; i++)
                    for (int64_t j = 0; j < p.d; j++) /* each class on a side of its own */
                        p.x[i * p.d + j] =
                            40 * (cos(2.1 * (double)p.class_of[i] + (double)j * 1.6) +
                                  0.1 * sin((double)(i + j + (int64_t)seed)));
            } else {
                problem.labels = p.labels;
            }
            pt_online_weights w;
            pt_online_epochs result;
            pt_error err = PT_ERROR_INIT;
            double out[3 * 3];
            assert_int_equal(pt_online_weights_init(&w, &rule, 3, p.d, &err), PT_OK);
            assert_int_equal(pt_online_train(&w, &problem, &result, NULL, &err), PT_OK);
            pt_online_result(&w, NULL, 3, -1, out);
            assert_int_equal(count_wrong(&p, out, by_sides), result.left);
            assert_true(result.left == 0 || result.epochs == PT_ONLINE_EPOCHS);
            pt_online_weights_free(&w);
        }
        drop(&p);
    }
}

/* Where no weights are right the limit ends it, and what is wrong is counted. */
static void test_epochs__the_limit_tells_what_is_left(void **state)
{
    (void)state;
    double x[] = {1, 1, -1};
    const int64_t class_of[] = {0, 1, 1};
    char *name[] = {"a", "b"};
    const pt_texts names = {name, 2, NULL};
    const pt_rows rows = {.n = 3, .d = 1, .type = PT_F64, .dense = x, .stride = 1};
    pt_labels *labels = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_labels_from_codes(&labels, 3, class_of, &names, &err), PT_OK);
    const pt_online_rule rule = {PT_UPDATE_PA, PT_VIOLATED_ALL, 1, 2, true};
    const pt_online_problem problem = {.rows = &rows, .labels = labels, .seed = 1};
    pt_online_weights w;
    pt_online_epochs result;
    assert_int_equal(pt_online_weights_init(&w, &rule, 2, 1, &err), PT_OK);
    assert_int_equal(pt_online_train(&w, &problem, &result, NULL, &err), PT_OK);
    assert_int_equal(result.epochs, PT_ONLINE_EPOCHS);
    assert_true(result.left >= 1);
    pt_online_weights_free(&w);
    pt_labels_free(labels);
}

/* The same numbers from dense and sparse rows, in both types; other seeds, other orders. */
static void test_epochs__rows_of_every_kind(void **state)
{
    (void)state;
    points p = separable(200, 5, 4);
    const pt_rows rows[4] = {
        {.n = p.n, .d = p.d, .type = PT_F64, .dense = p.x, .stride = p.d},
        {.n = p.n, .d = p.d, .type = PT_F32, .dense = p.x32, .stride = p.d},
        {.n = p.n, .d = p.d, .type = PT_F64, .start = p.start, .index = p.index, .value = p.x},
        {.n = p.n, .d = p.d, .type = PT_F32, .start = p.start, .index = p.index, .value = p.x32}};
    double out[6][3 * 6];
    for (int form = 0; form < 6; form++) {
        const pt_online_rule rule = {PT_UPDATE_AVERAGED, PT_VIOLATED_ALL, 1, 2, true};
        const pt_online_problem problem = {
            .rows = &rows[form % 4], .labels = p.labels, .epochs = 3, .seed = form == 5 ? 2 : 1};
        pt_online_weights w;
        pt_online_epochs result;
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(pt_online_weights_init(&w, &rule, 3, p.d, &err), PT_OK);
        assert_int_equal(pt_online_train(&w, &problem, &result, NULL, &err), PT_OK);
        assert_int_equal(result.epochs, 3);
        assert_int_equal(w.seen, 3 * p.n);
        pt_online_result(&w, NULL, 3, -1, out[form]);
        pt_online_weights_free(&w);
    }
    for (int form = 1; form < 5; form++)
        assert_memory_equal(out[0], out[form], sizeof out[0]);
    assert_true(memcmp(out[0], out[5], sizeof out[0]) != 0);
    drop(&p);
}

static void test_epochs__winnow_refuses_signed_rows(void **state)
{
    (void)state;
    points p = separable(20, 3, 5);
    const pt_rows rows = {.n = p.n, .d = p.d, .type = PT_F64, .dense = p.x, .stride = p.d};
    const pt_online_rule rule = {PT_UPDATE_WINNOW, PT_VIOLATED_ALL, 1, 2, true};
    const pt_online_problem problem = {.rows = &rows, .labels = p.labels, .epochs = 1};
    pt_online_weights w;
    pt_online_epochs result;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_online_weights_init(&w, &rule, 3, p.d, &err), PT_OK);
    assert_int_equal(pt_online_train(&w, &problem, &result, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "balanced-winnow"));
    pt_online_weights_free(&w);
    drop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_online__every_rule_equals_the_literal_one),
        cmocka_unit_test(test_online__instruction_sets_agree),
        cmocka_unit_test(test_online__scores_of_any_number_of_classes),
        cmocka_unit_test(test_online__a_tie_is_a_mistake),
        cmocka_unit_test(test_online__growing_changes_nothing),
        cmocka_unit_test(test_online__sides_are_separate),
        cmocka_unit_test(test_online__sides_are_the_perceptron),
        cmocka_unit_test(test_online__winnow_stays_within_bounds),
        cmocka_unit_test(test_epochs__end_without_mistakes_within_the_bound),
        cmocka_unit_test(test_epochs__until_the_last_weights_are_right),
        cmocka_unit_test(test_epochs__the_limit_tells_what_is_left),
        cmocka_unit_test(test_epochs__rows_of_every_kind),
        cmocka_unit_test(test_epochs__winnow_refuses_signed_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
