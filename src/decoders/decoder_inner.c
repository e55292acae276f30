/* Inner-product decoding: s_r(x) = M_r . f(x) (HNR section 2).
 *
 * With f = M^T g for class outputs g, M_r . f = on g_r + all (g_1 + ... + g_k) for the labelbooks
 * whose M M^T = on I + all 1 1^T. The second term is the same for every class and is left out: so
 * the decision is that of the indicators for every such labelbook, exactly (HNR Theorem 5),
 * rounding included. */
#include "decoders/decoder.h"

static void inner_from_products(const pt_label_space *space, int64_t n, double *scores)
{
    (void)space;
    (void)n;
    (void)scores; /* they are the scores */
}

static void products_between(const double *f, double *plus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++)
        plus[i] = 2 * f[i];
}

static void products_of_both(const double *f, double *plus, double *minus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++) {
        plus[i] = f[i];
        minus[i] = -f[i];
    }
}

static const pt_column_gains inner_gains = {products_of_both, products_between};

const pt_decoder pt_decoder_inner = {.name = "inner",
                                     .summary = "inner product with the label vector of the class",
                                     .from_products = inner_from_products,
                                     .columns = &inner_gains};
