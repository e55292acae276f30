/* Inner-product decoding: s_r(x) = M_r . f(x) (HNR section 2).
 *
 * With f = M^T s for indicator outputs s, M_r . f = on s_r + all (s_1 + ... + s_k) for the
 * labelbooks whose M M^T = on I + all 1 1^T. The second term is the same for every class and is
 * left out: so the decision is that of the indicators for every labelbook, exactly (HNR Theorem 5),
 * rounding included. */
#include "decoders/decoder_inner.h"

static void inner_from_indicator(const pt_labelbook *book, int64_t k, int64_t n, double *scores)
{
    const double on = book->on(k);
    for (int64_t i = 0; i < n * k; i++)
        scores[i] *= on;
}

const pt_decoder pt_decoder_inner = {"inner", "inner product with the label vector of the class",
                                     inner_from_indicator};
