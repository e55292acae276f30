/* Margins of AdaBoost.MO and their bounds (ASS section 5, Theorems 3 and 6).
 *
 *     eta   = sum_t alpha_t ,   f(x, s) = F(x, s) / eta  in [-1, 1]
 *     nu(r) = -(1/eta) ln( (1/ell) sum_s e^(-eta M(r,s) f(x,s)) )  in [-1, 1]
 *     margin of (x, y) = ( nu(y) - max_{r != y} nu(r) ) / 2
 *
 * so that the margin is ( ln min_r d(r) - ln d(y) ) / (2 eta), with d(r) = sum_s e^(-M(r,s) F(x,s))
 * what loss-based decoding with the exponential loss looks at: it is positive where that is right.
 * The decoder has -ln d(r), safe for outputs of any size.
 *
 * A margin of at most theta means that some r has d(r) <= e^(2 eta theta) d(y); the columns in
 * which y and r differ, rho at least, then make d(y) >= rho e^(-eta theta). Over n examples:
 *
 *     share with margin <= theta  <=  (e^(eta theta) / (rho n)) sum_i d_i(y_i)                 (a)
 *
 * which holds for any examples. On those of training sum_i d_i(y_i) = n ell prod_t Z_t, with
 * Z_t = (1 - e_t) e^-alpha_t + e_t e^alpha_t, and this is Theorem 6:
 *
 *     (ell/rho) e^(eta theta) prod_t Z_t
 *                                 =  (ell/rho) prod_t 2 sqrt(e_t^(1-theta) (1-e_t)^(1+theta))
 *
 * where alpha_t = ln((1-e_t)/e_t)/2. Formed from alpha_t and e_t it also holds where e_t is 0 and
 * a limit is put on alpha_t: Z_t is then e^-alpha_t. Both need a code without zeros, and (of
 * Theorem 6) that boosting began with equal weights.
 *
 * Theorem 3, of new examples, for all theta > 0 at once with probability 1 - delta:
 *
 *     Pr[margin <= 0]  <=  share(theta)
 *                          + O( sqrt( (vc ln^2(ell m / vc) / theta^2 + ln(1/delta)) / m ) )
 *
 * for m >= vc ell >= 1. The constant is not told: what is computed here has it as 1. The share is
 * that of the examples of training. Whether given ones are those is seen from the equation above
 * Theorem 6: the mean of e^(-M F) over pairs of an example and a column that its class takes part
 * in is prod_t Z_t. That is how weights move, with or without zeros in the code. */
#include "theory/boost_margin.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/math.h"
#include "decoders/decoder.h"

static const double LN2 = 0.69314718055994530942;

/* ---- the rounds ------------------------------------------------------------------------------ */

static bool has_zeros(const pt_code *code)
{
    if (code->pairs)
        return code->k > 2;
    for (int64_t i = 0; i < code->k * code->ell; i++)
        if (code->M[i] == 0)
            return true;
    return false;
}

/* log Z_t = -alpha + log((1 - e) + e e^(2 alpha)), which does not overflow. */
static double log_z_of(double alpha, double error)
{
    const double right = log1p(-error) - alpha;
    const double wrong = log(error) + alpha;
    const double larger = fmax(right, wrong);
    return larger + log1p(exp(fmin(right, wrong) - larger));
}

pt_status pt_boost_margins_init(pt_boost_margins *m, const pt_code *code, double rho,
                                const pt_boost_rounds *rounds, int64_t t, int64_t capacity,
                                pt_error *err)
{
    *m = (pt_boost_margins){.capacity = capacity,
                            .ell = (double)code->ell,
                            .rho = rho,
                            .zeros = has_zeros(code),
                            .log_losses = -INFINITY,
                            .log_pairs = -INFINITY};
    for (int64_t r = 0; r < t && r < rounds->n; r++) {
        m->eta += rounds->alpha[r];
        m->log_z += log_z_of(rounds->alpha[r], rounds->error[r]);
    }
    m->margin = pt_alloc(capacity, sizeof *m->margin, "margins", err);
    return m->margin ? PT_OK : PT_ENOMEM;
}

void pt_boost_margins_free(pt_boost_margins *m)
{
    pt_free(m->margin);
    *m = (pt_boost_margins){0};
}

/* ---- margins --------------------------------------------------------------------------------- */

/* log(e^a + e^b) */
static double log_add(double a, double b)
{
    const double larger = fmax(a, b);
    return larger == -INFINITY ? larger : larger + log1p(exp(fmin(a, b) - larger));
}

/* log d(r) of one example from the decoder's score, which leaves the zeros of all pairs out. */
static double log_distance(const pt_code *code, double score)
{
    const int64_t zeros = code->pairs ? code->ell - (code->k - 1) : 0;
    return zeros > 0 ? log_add(-score, log((double)zeros)) : -score;
}

static double margin_of(const pt_boost_margins *m, const pt_code *code, const double *scores,
                        int64_t y)
{
    double best_other = -INFINITY;
    for (int64_t r = 0; r < code->k; r++)
        if (r != y)
            best_other = fmax(best_other, scores[r]);
    if (!(m->eta > 0))
        return 0; /* before the first round no class is preferred */
    const double margin =
        (log_distance(code, best_other) - log_distance(code, scores[y])) / (2 * m->eta);
    return fmin(fmax(margin, -1), 1);
}

/* The losses of one example of class y in the columns that the class takes part in. */
static void add_pairs(pt_boost_margins *m, const pt_code *code, const double *f, double score,
                      int64_t y)
{
    if (code->pairs || !m->zeros) { /* the decoder has their sum */
        m->log_pairs = log_add(m->log_pairs, -score);
        m->pairs += (double)(code->pairs ? code->k - 1 : code->ell);
        return;
    }
    for (int64_t s = 0; s < code->ell; s++) {
        const int8_t sign = code->M[y * code->ell + s];
        if (sign != 0)
            m->log_pairs = log_add(m->log_pairs, -sign * f[s]);
        m->pairs += sign != 0;
    }
}

pt_status pt_boost_margins_add(pt_boost_margins *m, const pt_code *code, int64_t n,
                               const double *outputs, const int64_t *class_of, const pt_task *task,
                               pt_error *err)
{
    const pt_code_decoder by_exp = {pt_decoder_find("exp"), 1};
    PT_SCRATCH double *scores = pt_alloc(n * code->k, sizeof *scores, "scores", err);
    if (!scores)
        return PT_ENOMEM;
    PT_TRY(pt_decode_code(&by_exp, code, n, outputs, scores, task, err));
    for (int64_t i = 0; i < n; i++) {
        const double *own = scores + i * code->k;
        const int64_t y = class_of[i];
        if (y < 0 || y >= code->k || m->n == m->capacity)
            continue;
        m->margin[m->n++] = margin_of(m, code, own, y);
        m->log_losses = log_add(m->log_losses, log_distance(code, own[y]));
        add_pairs(m, code, outputs + i * code->ell, own[y], y);
    }
    return PT_OK;
}

void pt_boost_margins_finish(pt_boost_margins *m)
{
    if (m->n > 0)
        qsort(m->margin, (size_t)m->n, sizeof *m->margin, pt_ascending);
}

double pt_boost_margins_share(const pt_boost_margins *m, double theta)
{
    int64_t low = 0;
    int64_t high = m->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (m->margin[middle] <= theta)
            low = middle + 1;
        else
            high = middle;
    }
    return m->n > 0 ? (double)low / (double)m->n : NAN;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

double pt_boost_margins_theorem_6(const pt_boost_margins *m, double theta)
{
    return m->zeros ? NAN : exp(log(m->ell / m->rho) + m->eta * theta + m->log_z);
}

double pt_boost_margins_bound(const pt_boost_margins *m, double theta)
{
    return m->zeros || m->n == 0 ? NAN
                                 : exp(m->eta * theta + m->log_losses - log(m->rho * (double)m->n));
}

bool pt_boost_margins_of_training(const pt_boost_margins *m)
{
    static const double ROUNDING = 1e-6;
    return m->eta > 0 && m->pairs > 0 &&
           fabs(m->log_pairs - log(m->pairs) - m->log_z) <= ROUNDING * fmax(1, fabs(m->log_z));
}

double pt_boost_theorem_3(double vc, double ell, double m, double theta, double delta)
{
    if (!(theta > 0) || !(delta > 0 && delta < 1) || !(vc * ell >= 1) || !(m >= vc * ell))
        return NAN;
    const double size = log(ell * m / vc) / theta;
    return sqrt((vc * size * size - log(delta)) / m);
}

/* Of N pairs: a number has N + 1 thresholds, v levels have 2^v sets. */
static double log_tests(double numeric, double log_sets, double n)
{
    return log_add(log_sets, log(numeric * (n + 1)));
}

/* N pairs (x, s) that are shattered have 2^N dichotomies, and such stumps make at most
 * tests(N) 2^(branches ell) of them: the largest N for which that is enough. */
double pt_boost_stump_vc(int64_t d, const int64_t *levels, int64_t ell, int branches)
{
    double numeric = 0;
    double log_sets = -INFINITY; /* of all nominal columns */
    for (int64_t j = 0; j < d; j++)
        if (levels && levels[j] > 0)
            log_sets = log_add(log_sets, (double)levels[j] * LN2);
        else
            numeric += 1;
    double n = branches * (double)ell;
    const double signs = n * LN2;
    const double rounding = 1e-9;
    while ((n + 1) * LN2 <= signs + log_tests(numeric, log_sets, n + 1) + rounding)
        n++;
    return n;
}
