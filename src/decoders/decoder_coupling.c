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
#include "decoders/decoder.h"

#include <math.h>

#include "linalg/linalg.h"

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
