/* Voting of all pairs, as LIBSVM does it: the pair p < q gives a vote to p where f_pq > 0, else to
 * q; the first of the classes with most votes wins.
 *
 * It is Hamming decoding but for outputs of exactly 0, which there are half a vote for both. */
#include "decoders/decoder.h"

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
