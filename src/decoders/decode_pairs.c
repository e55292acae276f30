/* Decoders of all pairs of classes, and of trees of classes. */
#include "decoders/decoder.h"

#include <math.h>

#include "base/math.h"
#include "linalg/linalg.h"

/* Voting of all pairs, as LIBSVM does it: the pair p < q gives a vote to p where f_pq > 0, else to
 * q; the first of the classes with most votes wins.
 *
 * It is Hamming decoding but for outputs of exactly 0, which there are half a vote for both. */
enum { ROWS = PT_DECODE_ROWS };

static void votes_of_both(const double *f, double *plus, double *minus)
{
    for (int64_t i = 0; i < ROWS; i++) {
        plus[i] = f[i] > 0 ? 1 : 0;
        minus[i] = 1 - plus[i];
    }
}

static const pt_column_gains vote_gains = {.both = votes_of_both};

const pt_decoder pt_decoder_vote = {.name = "vote",
                                    .summary = "all pairs: the most votes, as LIBSVM counts them",
                                    .columns = &vote_gains,
                                    .pairs_only = true};

/* The decision graph of all pairs (DDAG, Platt, Cristianini and Shawe-Taylor): of a list of all
 * classes the first and the last are compared, and the loser is struck off, until one is left. An
 * output of exactly 0 strikes off the last.
 *
 * The graph orders no other classes. Scores are the votes that a class has from its pairs (half a
 * vote for both where the output is 0), and the graph's winner stands half a vote above all others
 * where its votes do not put it there. */
static void count_votes(const pt_code *code, const double *f, double *score)
{
    for (int64_t r = 0; r < code->k; r++)
        score[r] = 0;
    for (int64_t p = 0, s = 0; p < code->k; p++)
        for (int64_t q = p + 1; q < code->k; q++, s++) {
            const double half_sign = (double)((f[s] > 0) - (f[s] < 0)) / 2;
            score[p] += 0.5 + half_sign;
            score[q] += 0.5 - half_sign;
        }
}

static int64_t walk(const pt_code *code, const double *f)
{
    int64_t first = 0;
    int64_t last = code->k - 1;
    while (first < last) {
        if (f[pt_pairs_column(code->k, first, last)] < 0)
            first++;
        else
            last--;
    }
    return first;
}

static void dag_from_code(const pt_code_decoder *decoder, const pt_code *code, int64_t n,
                          const double *outputs, double *scores, double *work)
{
    (void)decoder;
    (void)work;
    for (int64_t i = 0; i < n; i++) {
        const double *f = outputs + i * code->ell;
        double *score = scores + i * code->k;
        const int64_t winner = walk(code, f);
        double best_other = 0;
        count_votes(code, f, score);
        for (int64_t r = 0; r < code->k; r++)
            if (r != winner)
                best_other = fmax(best_other, score[r]);
        score[winner] = fmax(score[winner], best_other + 0.5);
    }
}

const pt_decoder pt_decoder_dag = {.name = "dag",
                                   .summary = "all pairs: the decision graph, loser by loser",
                                   .from_code = dag_from_code,
                                   .pairs_only = true};

/* Pairwise coupling of all pairs (Wu, Lin and Weng 2004, their second method). The output of the
 * pair i, j says that x, known to be of one of them, is of class i with probability
 *
 *     r_ij = 1 / (1 + e^(-2 t f_ij)) ,   kept within [1e-7, 1 - 1e-7] ,   r_ji = 1 - r_ij
 *
 * with one slope t for all pairs (--coupling-slope). The class probabilities are
 *
 *     argmin_p  sum_i sum_(j != i) (r_ji p_i - r_ij p_j)^2   where   sum_i p_i = 1 .
 *
 * With Q_ii = sum_j r_ji^2 and Q_ij = -r_ji r_ij this is p^T Q p, and Q p is the same in every
 * component at its smallest. Q itself is singular where the pairs agree perfectly; Q + 1 1^T is
 * not, and (Q + 1 1^T) p is the same in every component too. So p = (Q + 1 1^T)^-1 1, divided by
 * its sum, from one Cholesky factor; p >= 0 holds by itself (their section 4.2) but for rounding.
 */

/* Pairs that are sure beyond this would leave classes with nothing at all. */
static const double SURE = 1e-7;
static const double LEAST = 1e-16; /* what rounding leaves of a probability */
static double pair_probability(double slope, double f)
{
    const double p = 1 / (1 + exp(-2 * slope * f));
    return fmin(fmax(p, SURE), 1 - SURE);
}

/* Q + 1 1^T, lower triangle, column-major. */
static void make_system(const pt_code *code, double slope, const double *f, double *Q)
{
    const int64_t k = code->k;
    for (int64_t i = 0; i < k; i++)
        Q[i * k + i] = 1;
    for (int64_t i = 0, s = 0; i < k; i++)
        for (int64_t j = i + 1; j < k; j++, s++) {
            const double r_ij = pair_probability(slope, f[s]);
            const double r_ji = 1 - r_ij;
            Q[i * k + i] += r_ji * r_ji;
            Q[j * k + j] += r_ij * r_ij;
            Q[i * k + j] = 1 - r_ji * r_ij;
        }
}

static void couple(int64_t k, double *Q, double *p)
{
    for (int64_t r = 0; r < k; r++)
        p[r] = 1;
    /* positive definite: the smallest pivot is about SURE^2 */
    if (pt_la_dense_cholesky(PT_F64, k, Q, k))
        pt_la_dense_cholesky_solve(PT_F64, k, 1, Q, k, p, k);
    double sum = 0;
    for (int64_t r = 0; r < k; r++)
        sum += p[r];
    double total = 0;
    for (int64_t r = 0; r < k; r++) {
        p[r] = fmax(p[r] / sum, LEAST);
        total += p[r];
    }
    for (int64_t r = 0; r < k; r++)
        p[r] /= total;
}

static void coupling_from_code(const pt_code_decoder *decoder, const pt_code *code, int64_t n,
                               const double *outputs, double *scores, double *work)
{
    for (int64_t i = 0; i < n; i++) {
        make_system(code, decoder->slope, outputs + i * code->ell, work);
        couple(code->k, work, scores + i * code->k);
    }
}

static int64_t coupling_work_size(const pt_code *code)
{
    return code->k * code->k;
}

const pt_decoder pt_decoder_coupling = {
    .name = "coupling",
    .summary = "all pairs: class probabilities that agree best with those of the pairs",
    .from_code = coupling_from_code,
    .work_size = coupling_work_size,
    .pairs_only = true,
    .probabilities = true};

/* The weakest link: s_r(x) = min_s M(r,s) f_s(x) over the columns in which class r takes part.
 *
 * Of a tree of classes (class_tree.h) the columns of a class are the path to its leaf. The
 * leaf that is reached by going to the side of each output has margins >= 0 alone; every other leaf
 * leaves the path somewhere, with a margin <= 0. So the largest score is that of the leaf reached,
 * and says how sure the least sure step was. */
static void weakest_of_pairs(const pt_code *code, const double *f, double *score)
{
    for (int64_t p = 0, s = 0; p < code->k; p++)
        for (int64_t q = p + 1; q < code->k; q++, s++) {
            score[p] = fmin(score[p], f[s]);
            score[q] = fmin(score[q], -f[s]);
        }
}

static void weakest_of_signs(const pt_code *code, const double *f, double *score)
{
    for (int64_t r = 0; r < code->k; r++) {
        const int8_t *M_r = code->M + r * code->ell;
        for (int64_t s = 0; s < code->ell; s++)
            if (M_r[s] != 0)
                score[r] = fmin(score[r], M_r[s] * f[s]);
    }
}

static void weakest_from_code(const pt_code_decoder *decoder, const pt_code *code, int64_t n,
                              const double *outputs, double *scores, double *work)
{
    (void)decoder;
    (void)work;
    for (int64_t i = 0; i < n; i++) {
        const double *f = outputs + i * code->ell;
        double *score = scores + i * code->k;
        for (int64_t r = 0; r < code->k; r++)
            score[r] = INFINITY;
        if (code->pairs)
            weakest_of_pairs(code, f, score);
        else
            weakest_of_signs(code, f, score);
        for (int64_t r = 0; r < code->k; r++)
            if (isinf(score[r])) /* it takes part nowhere, or outputs are infinite */
                score[r] = score[r] > 0 ? 0 : -1e300;
    }
}

const pt_decoder pt_decoder_weakest = {
    .name = "weakest",
    .summary =
        "the largest of the smallest margins; of a tree of classes, the leaf that is reached",
    .from_code = weakest_from_code};
