/* The decision graph of all pairs (DDAG, Platt, Cristianini and Shawe-Taylor): of a list of all
 * classes the first and the last are compared, and the loser is struck off, until one is left. An
 * output of exactly 0 strikes off the last.
 *
 * The graph orders no other classes. Scores are the votes that a class has from its pairs (half a
 * vote for both where the output is 0), and the graph's winner stands half a vote above all others
 * where its votes do not put it there. */
#include "decoders/decoder.h"

#include <math.h>

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
