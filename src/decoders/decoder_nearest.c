/* The nearest label: the smallest ||f(x) - M_r||^2 (HNR section 7.1).
 *
 * ||f - M_r||^2 = ||f||^2 - 2 M_r . f + Q_rr; the first term is the same for every class, so
 * s_r = 2 M_r . f - Q_rr, which needs inner products only: it serves kernels on the labels. Where
 * all label vectors have one length the decision is that of the inner product. */
#include "decoders/decoder.h"

static void nearest_from_products(const pt_label_space *space, int64_t n, double *scores)
{
    const int64_t k = space->k;
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < k; r++)
            scores[i * k + r] = 2 * scores[i * k + r] - (space->alike ? 0 : space->Q[r * k + r]);
}

/* Of a code, over a class with 0 there: f^2 - (f - 1)^2 at +, f^2 - (f + 1)^2 at -. */
static void nearness_of_both(const double *f, double *plus, double *minus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++) {
        plus[i] = 2 * f[i] - 1;
        minus[i] = -2 * f[i] - 1;
    }
}

static void nearness_between(const double *f, double *plus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++)
        plus[i] = 4 * f[i];
}

static const pt_column_gains nearest_gains = {nearness_of_both, nearness_between};

const pt_decoder pt_decoder_nearest = {.name = "nearest",
                                       .summary = "the class whose label vector is nearest",
                                       .from_products = nearest_from_products,
                                       .columns = &nearest_gains};
