/* Decoding of codes (ASS section 3) against its definition, computed the slow way: in long double,
 * and sums of exponentials in integers as long as they need to be. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/task.h"
#include "decoders/decoder.h"
#include "losses/loss.h"

enum { MOST_K = 12, MOST_ELL = 80, TRIALS = 400 };

static const double SCALES[] = {1, 20, 400};
static const char *const LOSSES[] = {"hinge", "exp", "square", "logistic", "sigmoid"};
enum { N_SCALES = 3, N_LOSSES = 5 };

typedef enum kind { OVA, PAIRS, DENSE, SPARSE, N_KINDS } kind;

static void scores_by(const char *name, const pt_code *code, int64_t n, const double *f,
                      double *scores)
{
    const pt_code_decoder decoder = {pt_decoder_find(name), 1};
    pt_error err = PT_ERROR_INIT;
    assert_non_null(decoder.ops);
    assert_int_equal(pt_decode_code(&decoder, code, n, f, scores, NULL, &err), PT_OK);
    for (int64_t i = 0; i < n * code->k; i++)
        if (!isfinite(scores[i]))
            fail_msg("%s: score %g", name, scores[i]);
}

static int64_t decide(const char *name, const pt_code *code, const double *f)
{
    double scores[MOST_K];
    scores_by(name, code, 1, f, scores);
    return pt_first_largest(scores, code->k);
}

static bool rows_differ(const int8_t *M, int64_t k, int64_t ell)
{
    for (int64_t r = 0; r < k; r++)
        for (int64_t q = 0; q < r; q++)
            if (memcmp(M + r * ell, M + q * ell, (size_t)ell) == 0)
                return false;
    return true;
}

static pt_code some_code(pt_random *random, kind what)
{
    pt_code code = {0};
    pt_error err = PT_ERROR_INIT;
    const int64_t k = 3 + pt_random_below(random, MOST_K - 2);
    const int64_t ell = what == OVA ? k : 5 + pt_random_below(random, MOST_ELL - 4);
    int8_t M[MOST_K * MOST_ELL];
    if (what == PAIRS) {
        assert_int_equal(pt_code_init_pairs(&code, k, &err), PT_OK);
        return code;
    }
    do {
        for (int64_t i = 0; i < k * ell; i++) {
            const int64_t draw = pt_random_below(random, 4);
            M[i] = what == OVA     ? (i / ell == i % ell ? 1 : -1)
                   : what == DENSE ? (draw < 2 ? 1 : -1)
                   : draw < 2      ? 0
                   : draw == 2     ? 1
                                   : -1;
        }
    } while (!rows_differ(M, k, ell));
    assert_int_equal(pt_code_from(&code, k, ell, M, &err), PT_OK);
    return code;
}

static void some_outputs(pt_random *random, const pt_code *code, double scale, double *f)
{
    for (int64_t s = 0; s < code->ell; s++)
        f[s] = scale * pt_random_normal(random);
}

/* ---- sums of exponentials, exactly ------------------------------------------------------------
 *
 * A sum of long doubles e^x, |x| < 2500, as an integer in units of 2^LOW, 16 bits in a digit. */

enum { DIGITS = 520, LOW = -4200 };
typedef struct long_sum {
    int64_t digit[DIGITS];
} long_sum;

static void long_sum_add(long_sum *sum, long double value)
{
    int exponent = 0;
    long double rest = frexpl(value, &exponent); /* value = rest 2^exponent */
    for (int bit = exponent - 1; rest != 0; bit--) {
        rest *= 2;
        if (rest >= 1) {
            assert_true(bit >= LOW && bit < LOW + 16 * DIGITS);
            sum->digit[(bit - LOW) / 16] += (int64_t)1 << ((bit - LOW) % 16);
            rest -= 1;
        }
    }
}

static int long_sum_compare(const long_sum *a, const long_sum *b)
{
    long_sum x = *a;
    int64_t carry = 0;
    int sign = 0;
    for (int d = 0; d < DIGITS; d++) { /* x <- a - b; every digit in 0 .. 2^16 - 1 but the last */
        const int64_t value = a->digit[d] - b->digit[d] + carry;
        x.digit[d] = value & 0xffff;
        carry = (value - x.digit[d]) / 65536;
        sign = x.digit[d] != 0 ? 1 : sign;
    }
    return carry < 0 ? -1 : sign;
}

static int64_t exact_exp_decision(const pt_code *code, const double *f)
{
    static long_sum sums[MOST_K];
    memset(sums, 0, sizeof sums);
    int64_t best = 0;
    for (int64_t r = 0; r < code->k; r++) {
        for (int64_t s = 0; s < code->ell; s++)
            long_sum_add(&sums[r], expl(-pt_code_entry(code, r, s) * (long double)f[s]));
        if (long_sum_compare(&sums[r], &sums[best]) < 0)
            best = r;
    }
    return best;
}

/* ---- the other losses -------------------------------------------------------------------------
 */

static long double slow_loss(const char *name, long double z)
{
    if (strcmp(name, "hinge") == 0)
        return z < 1 ? 1 - z : 0;
    if (strcmp(name, "square") == 0)
        return (1 - z) * (1 - z);
    if (strcmp(name, "logistic") == 0)
        return z < 0 ? -2 * z + log1pl(expl(2 * z)) : log1pl(expl(-2 * z));
    if (strcmp(name, "exp") == 0)
        return expl(-z);
    return 1 / (1 + expl(2 * z));
}

static long double slow_distance(const char *name, const pt_code *code, const double *f, int64_t r)
{
    long double sum = 0;
    for (int64_t s = 0; s < code->ell; s++)
        sum += slow_loss(name, pt_code_entry(code, r, s) * (long double)f[s]);
    return sum;
}

static long double slow_product(const pt_code *code, const double *f, int64_t r)
{
    long double sum = 0;
    for (int64_t s = 0; s < code->ell; s++)
        sum += pt_code_entry(code, r, s) * (long double)f[s];
    return sum;
}

/* The decision by the definition; among sigmoid sums that double cannot tell apart M_r . f. */
static int64_t slow_decision(const char *name, const pt_code *code, const double *f)
{
    if (strcmp(name, "exp") == 0)
        return exact_exp_decision(code, f);
    long double least = slow_distance(name, code, f, 0);
    int64_t best = 0;
    for (int64_t r = 1; r < code->k; r++) {
        const long double d = slow_distance(name, code, f, r);
        if (d < least) {
            least = d;
            best = r;
        }
    }
    for (int64_t r = 0; r < code->k && strcmp(name, "sigmoid") == 0; r++)
        if (slow_distance(name, code, f, r) < least + 1e-15L * (long double)code->ell &&
            slow_product(code, f, r) > slow_product(code, f, best))
            best = r;
    return best;
}

/* ---- what is true -----------------------------------------------------------------------------
 */

static void test_code_decoders__decide_as_defined(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 11, PT_RANDOM_TEST, 0);
    double f[MOST_ELL];
    for (int trial = 0; trial < TRIALS; trial++)
        for (kind what = OVA; what < N_KINDS; what++) {
            pt_code code = some_code(&random, what);
            for (int q = 0; q < N_SCALES; q++) {
                some_outputs(&random, &code, SCALES[q], f);
                for (int l = 0; l < N_LOSSES; l++) {
                    const int64_t got = decide(LOSSES[l], &code, f);
                    const int64_t want = slow_decision(LOSSES[l], &code, f);
                    if (got != want)
                        fail_msg("%s, scale %g, kind %d: class %lld (%.21Lg), not %lld (%.21Lg)",
                                 LOSSES[l], SCALES[q], (int)what, (long long)got,
                                 slow_distance(LOSSES[l], &code, f, got), (long long)want,
                                 slow_distance(LOSSES[l], &code, f, want));
                }
            }
            pt_code_free(&code);
        }
}

/* Many equal outputs, some of them 0: exponents cancel, ties are real and go to the first class. */
static void test_code_decoders__exp_settles_equal_outputs(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 12, PT_RANDOM_TEST, 0);
    const double values[] = {0, 30, -30, 500, -500, 700, -700, 701};
    double f[MOST_ELL];
    for (int trial = 0; trial < TRIALS; trial++)
        for (kind what = OVA; what < N_KINDS; what++) {
            pt_code code = some_code(&random, what);
            for (int64_t s = 0; s < code.ell; s++)
                f[s] = values[pt_random_below(&random, 8)];
            assert_int_equal(decide("exp", &code, f), exact_exp_decision(&code, f));
            pt_code_free(&code);
        }
}

static void test_code_decoders__one_vs_all_is_the_argmax(void **state)
{
    (void)state;
    static const char *const names[] = {"hinge", "exp",     "square", "logistic", "sigmoid",
                                        "inner", "nearest", "wta",    "bayes"};
    pt_random random;
    pt_random_init(&random, 13, PT_RANDOM_TEST, 0);
    double f[MOST_ELL];
    for (int trial = 0; trial < TRIALS; trial++) {
        pt_code code = some_code(&random, OVA);
        for (int q = 0; q < N_SCALES; q++) {
            some_outputs(&random, &code, SCALES[q], f);
            for (size_t d = 0; d < sizeof names / sizeof *names; d++)
                assert_int_equal(decide(names[d], &code, f), pt_first_largest(f, code.k));
        }
        pt_code_free(&code);
    }
}

/* Outputs of exactly 0 included. Scores are distances but for what a row's classes share. */
static void test_code_decoders__hamming_is_the_hamming_loss(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 14, PT_RANDOM_TEST, 0);
    double f[MOST_ELL];
    double scores[MOST_K];
    for (int trial = 0; trial < TRIALS; trial++)
        for (kind what = OVA; what < N_KINDS; what++) {
            pt_code code = some_code(&random, what);
            some_outputs(&random, &code, 1, f);
            for (int64_t s = 0; s < code.ell; s++)
                f[s] = pt_random_below(&random, 5) == 0 ? 0 : f[s];
            scores_by("hamming", &code, 1, f, scores);
            double distance[MOST_K] = {0};
            for (int64_t r = 0; r < code.k; r++)
                for (int64_t s = 0; s < code.ell; s++)
                    distance[r] += pt_loss_hamming.value(pt_code_entry(&code, r, s) * f[s]);
            for (int64_t r = 1; r < code.k; r++)
                assert_true(scores[r] - scores[0] == distance[0] - distance[r]);
            pt_code_free(&code);
        }
}

static void test_code_decoders__coincide_without_zeros(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 15, PT_RANDOM_TEST, 0);
    double f[MOST_ELL];
    double inner[MOST_K];
    double other[MOST_K];
    for (int trial = 0; trial < TRIALS; trial++) {
        pt_code code = some_code(&random, trial % 2 ? DENSE : OVA);
        some_outputs(&random, &code, SCALES[trial % N_SCALES], f);
        scores_by("inner", &code, 1, f, inner);
        scores_by("logistic", &code, 1, f, other);
        for (int64_t r = 0; r < code.k; r++)
            assert_true(other[r] == inner[r]);
        scores_by("square", &code, 1, f, other);
        for (int64_t r = 0; r < code.k; r++)
            assert_true(other[r] == 2 * inner[r]);
        pt_code_free(&code);
    }
}

/* ASS Figure 2. */
static const int8_t FIGURE_2[4 * 7] = {-1, 0,  -1, -1, 1,  -1, -1, /* */
                                       1,  -1, 0,  1,  1,  1,  -1, /* */
                                       1,  0,  -1, -1, -1, 1,  1,  /* */
                                       -1, -1, 1,  0,  -1, -1, 1};

static void test_code_decoders__figure_2(void **state)
{
    (void)state;
    const double f[7] = {0.5, -7, -1, -2, -10, -12, 9};
    const double hamming[4] = {3.5, 4.5, 1.5, 2.5};
    const double exponential[4] = {30133, 192893, 162757, 5.4};
    pt_code code = {0};
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_code_from(&code, 4, 7, FIGURE_2, &err), PT_OK);
    double scores[4];
    scores_by("hamming", &code, 1, f, scores);
    for (int r = 0; r < 4; r++)
        assert_true(scores[0] - scores[r] == hamming[r] - hamming[0]);
    scores_by("exp", &code, 1, f, scores);
    for (int r = 0; r < 4; r++)
        assert_true(fabs(exp(-scores[r]) - exponential[r]) < (r == 3 ? 0.05 : 0.5));
    assert_int_equal(decide("hamming", &code, f), 2);
    assert_int_equal(decide("exp", &code, f), 3);
    assert_int_equal(decide("hinge", &code, f), 3);
    assert_int_equal(decide("square", &code, f), 3);
    assert_int_equal(decide("logistic", &code, f), 3);
    assert_int_equal(decide("sigmoid", &code, f), 2);
    pt_code_free(&code);
}

/* ---- all pairs ------------------------------------------------------------------------------ */

static void test_code_decoders__votes(void **state)
{
    (void)state;
    pt_code code = {0};
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_code_init_pairs(&code, 3, &err), PT_OK);
    double scores[3];
    const double clear[3] = {-1, 2, 3}; /* 2 beats 1, 1 beats 3, 2 beats 3 */
    scores_by("vote", &code, 1, clear, scores);
    assert_true(scores[0] == 1 && scores[1] == 2 && scores[2] == 0);
    const double zeros[3] = {0, 0, 0}; /* LIBSVM: a 0 is a vote for the second of the pair */
    scores_by("vote", &code, 1, zeros, scores);
    assert_true(scores[0] == 0 && scores[1] == 1 && scores[2] == 2);
    assert_int_equal(decide("vote", &code, zeros), 2);
    assert_int_equal(decide("hamming", &code, zeros), 0);
    const double circle[3] = {1, -1, 1};
    assert_int_equal(decide("vote", &code, circle), 0);
    pt_code_free(&code);
    pt_random random;
    pt_random_init(&random, 16, PT_RANDOM_TEST, 0);
    double f[MOST_ELL];
    for (int trial = 0; trial < TRIALS; trial++) {
        code = some_code(&random, PAIRS);
        some_outputs(&random, &code, 1, f);
        assert_int_equal(decide("vote", &code, f), decide("hamming", &code, f));
        pt_code_free(&code);
    }
}

static int64_t slow_dag(const double *f, int64_t k, int64_t first, int64_t last)
{
    if (first == last)
        return first;
    int64_t s = 0;
    for (int64_t p = 0; p < first; p++)
        s += k - 1 - p;
    s += last - first - 1;
    return f[s] >= 0 ? slow_dag(f, k, first, last - 1) : slow_dag(f, k, first + 1, last);
}

static void test_code_decoders__dag(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 17, PT_RANDOM_TEST, 0);
    double f[MOST_ELL];
    double votes[MOST_K];
    double scores[MOST_K];
    for (int trial = 0; trial < TRIALS; trial++) {
        pt_code code = some_code(&random, PAIRS);
        some_outputs(&random, &code, 1, f);
        f[pt_random_below(&random, code.ell)] = 0;
        const int64_t winner = slow_dag(f, code.k, 0, code.k - 1);
        scores_by("dag", &code, 1, f, scores);
        scores_by("hamming", &code, 1, f, votes);
        assert_int_equal(pt_first_largest(scores, code.k), winner);
        for (int64_t r = 0; r < code.k; r++)
            assert_true(r == winner || (scores[r] == votes[r] + (double)(code.k - 1) / 2 &&
                                        scores[r] + 0.5 <= scores[winner]));
        pt_code_free(&code);
    }
}

/* Pairs that agree: the probabilities they come from. */
static void test_code_decoders__coupling_of_pairs_that_agree(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 18, PT_RANDOM_TEST, 0);
    double f[MOST_ELL];
    double got[MOST_K];
    for (int trial = 0; trial < TRIALS; trial++) {
        pt_code code = some_code(&random, PAIRS);
        double p[MOST_K];
        double sum = 0;
        for (int64_t r = 0; r < code.k; r++)
            sum += p[r] = exp(2 * pt_random_normal(&random));
        for (int64_t r = 0, s = 0; r < code.k; r++)
            for (int64_t q = r + 1; q < code.k; q++, s++)
                f[s] = log(p[r] / p[q]) / 2;
        scores_by("coupling", &code, 1, f, got);
        for (int64_t r = 0; r < code.k; r++)
            assert_true(fabs(got[r] - p[r] / sum) < 1e-12);
        pt_code_free(&code);
    }
}

static double disagreement(const pt_code *code, const double *f, const double *p)
{
    double sum = 0;
    for (int64_t i = 0, s = 0; i < code->k; i++)
        for (int64_t j = i + 1; j < code->k; j++, s++) {
            const double r = fmin(fmax(1 / (1 + exp(-2 * f[s])), 1e-7), 1 - 1e-7);
            const double gap = (1 - r) * p[i] - r * p[j];
            sum += 2 * gap * gap;
        }
    return sum;
}

/* Nothing that sums to one disagrees less with the pairs; sure pairs give no zeros. */
static void test_code_decoders__coupling_disagrees_least(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 19, PT_RANDOM_TEST, 0);
    double f[MOST_ELL];
    double p[MOST_K];
    for (int trial = 0; trial < TRIALS; trial++) {
        pt_code code = some_code(&random, PAIRS);
        some_outputs(&random, &code, SCALES[trial % N_SCALES], f);
        scores_by("coupling", &code, 1, f, p);
        double sum = 0;
        for (int64_t r = 0; r < code.k; r++) {
            assert_true(p[r] > 0);
            sum += p[r];
        }
        assert_true(fabs(sum - 1) < 1e-14);
        const double least = disagreement(&code, f, p);
        for (int move = 0; move < 50; move++) {
            double q[MOST_K];
            memcpy(q, p, sizeof q);
            const int64_t from = pt_random_below(&random, code.k);
            const int64_t to = pt_random_below(&random, code.k);
            const double step = 1e-3 * pt_random_uniform(&random);
            q[from] -= step;
            q[to] += step;
            assert_true(disagreement(&code, f, q) >= least * (1 - 1e-9) - 1e-15);
        }
        pt_code_free(&code);
    }
}

/* ---- the same for many rows -------------------------------------------------------------------
 */

static void test_code_decoders__rows_and_threads_do_not_matter(void **state)
{
    (void)state;
    enum { ROWS = 1500 };
    pt_random random;
    pt_random_init(&random, 20, PT_RANDOM_TEST, 0);
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    for (kind what = OVA; what < N_KINDS; what++)
        for (const pt_decoder *const *ops = pt_decoders; *ops; ops++) {
            if (((*ops)->pairs_only && what != PAIRS) || ((*ops)->one_per_class && what != OVA))
                continue;
            pt_code code = some_code(&random, what);
            double *f = malloc((size_t)(ROWS * code.ell) * sizeof *f);
            double *all = malloc((size_t)(ROWS * code.k) * sizeof *all);
            assert_true(f && all);
            for (int64_t i = 0; i < ROWS; i++)
                some_outputs(&random, &code, i % 5 == 0 ? 1e200 : SCALES[i % 3], f + i * code.ell);
            const pt_code_decoder decoder = {*ops, 0.5};
            for (int threads = 1; threads <= 3; threads += 2) {
                pt_task_set_threads(task, threads);
                assert_int_equal(pt_decode_code(&decoder, &code, ROWS, f, all, task, &err), PT_OK);
                for (int64_t i = 0; i < ROWS; i++) {
                    double one[MOST_K];
                    assert_int_equal(
                        pt_decode_code(&decoder, &code, 1, f + i * code.ell, one, NULL, &err),
                        PT_OK);
                    for (int64_t r = 0; r < code.k; r++)
                        assert_true(isfinite(one[r]) && one[r] == all[i * code.k + r]);
                }
            }
            free(f);
            free(all);
            pt_code_free(&code);
        }
    pt_task_free(task);
}

/* ---- the weakest link -------------------------------------------------------------------------
 */

static void test_code_decoders__weakest_is_the_smallest_margin(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 21, PT_RANDOM_TEST, 0);
    double f[MOST_ELL];
    double scores[MOST_K];
    for (int trial = 0; trial < TRIALS; trial++)
        for (kind what = OVA; what < N_KINDS; what++) {
            pt_code code = some_code(&random, what);
            some_outputs(&random, &code, 1, f);
            scores_by("weakest", &code, 1, f, scores);
            for (int64_t r = 0; r < code.k; r++) {
                double least = INFINITY;
                for (int64_t s = 0; s < code.ell; s++)
                    if (pt_code_entry(&code, r, s) != 0)
                        least = fmin(least, pt_code_entry(&code, r, s) * f[s]);
                assert_true(scores[r] == (isinf(least) ? 0 : least));
            }
            pt_code_free(&code);
        }
}

static void expect_refused(const pt_code *code, const char *decoder, const char *why)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_code_decoder out;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_set(params, "decode", decoder, &err), PT_OK);
    assert_int_equal(pt_decoder_for_code(&out, params, code, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, why));
    pt_params_free(params);
}

static void test_code_decoders__what_does_not_fit_is_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_code code = {0};
    assert_int_equal(pt_code_from(&code, 4, 7, FIGURE_2, &err), PT_OK);
    expect_refused(&code, "vote", "`code=ovo`");
    expect_refused(&code, "dag", "`code=ovo`");
    expect_refused(&code, "coupling", "`code=ovo`");
    expect_refused(&code, "wta", "`code=ova`");
    pt_code_free(&code);
    assert_int_equal(pt_code_init_pairs(&code, 3, &err), PT_OK);
    expect_refused(&code, "wta", "pair");
    pt_code_free(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code_decoders__decide_as_defined),
        cmocka_unit_test(test_code_decoders__exp_settles_equal_outputs),
        cmocka_unit_test(test_code_decoders__one_vs_all_is_the_argmax),
        cmocka_unit_test(test_code_decoders__hamming_is_the_hamming_loss),
        cmocka_unit_test(test_code_decoders__coincide_without_zeros),
        cmocka_unit_test(test_code_decoders__figure_2),
        cmocka_unit_test(test_code_decoders__votes),
        cmocka_unit_test(test_code_decoders__dag),
        cmocka_unit_test(test_code_decoders__coupling_of_pairs_that_agree),
        cmocka_unit_test(test_code_decoders__coupling_disagrees_least),
        cmocka_unit_test(test_code_decoders__weakest_is_the_smallest_margin),
        cmocka_unit_test(test_code_decoders__rows_and_threads_do_not_matter),
        cmocka_unit_test(test_code_decoders__what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
