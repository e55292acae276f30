/* BCH codes: words of the primitive narrow-sense binary BCH code of length n = 2^m - 1 whose
 * dimension is kappa = ceil(log2 k): k of its 2^kappa words, the classes' numbers encoded.
 *
 * The code of designed distance delta has zeros a^1, ..., a^(delta-1) and their squares, a a
 * primitive element of GF(2^m): words are multiples of g, the product of (x - a^j) over the zeros,
 * and two of them differ in delta places at least. Its dimension is n less the number of zeros. All
 * other powers of a are the roots of h = (x^n - 1)/g, of degree kappa, and words are the sequences
 * of length n with
 *     h_0 c_i + h_1 c_{i-1} + ... + h_kappa c_{i-kappa} = 0 :
 * the first kappa bits are the class's number, the recurrence gives the others.
 *
 * Dimension m + 1 exists for every m >= 3, so that there is a code for every k from 9 on; other
 * dimensions come now and then (11 for n = 15, 31, ...). Of the lengths that exist the longest one
 * is taken that has no more columns than a dense random code, else the shortest, or --columns.
 *
 * Class 0 has the word 0, so that no column is the opposite of another. The classes 1, 2, 4, ...
 * are there, so that columns are equal only if they are in every word: then the word's period would
 * divide n properly, and such codes are passed over. */
#include "codes/code.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum {
    LEAST_M = 3,
    MOST_M = 12,
    LEAST_CLASSES = 9,
    MOST_KAPPA = 16,
    MOST_LENGTH = (1 << MOST_M) - 1
};

/* Primitive polynomials over GF(2), by degree. */
static const int32_t primitive[MOST_M + 1] = {
    [3] = 0x0b,  [4] = 0x13,  [5] = 0x25,   [6] = 0x43,   [7] = 0x89,
    [8] = 0x11d, [9] = 0x211, [10] = 0x409, [11] = 0x805, [12] = 0x1053};

typedef struct field {
    int m;
    int64_t n;                    /* 2^m - 1 */
    int32_t power[MOST_LENGTH];   /* a^i */
    int32_t log[MOST_LENGTH + 1]; /* of an element that is not 0 */
    bool is_zero[MOST_LENGTH];    /* whether a^i is a zero of the code */
} field;

static void field_init(field *f, int m)
{
    f->m = m;
    f->n = ((int64_t)1 << m) - 1;
    int32_t x = 1;
    for (int64_t i = 0; i < f->n; i++) {
        f->power[i] = x;
        f->log[x] = (int32_t)i;
        f->is_zero[i] = false;
        x <<= 1;
        if (x >> m)
            x ^= primitive[m];
    }
}

static int32_t multiply(const field *f, int32_t x, int32_t y)
{
    return x && y ? f->power[(f->log[x] + f->log[y]) % f->n] : 0;
}

/* Makes zeros of a^1, a^2, ... with their squares until the dimension is kappa or less; is it? */
static bool find_zeros(field *f, int64_t kappa)
{
    int64_t dimension = f->n;
    for (int64_t j = 1; j < f->n && dimension > kappa; j++)
        for (int64_t i = j; !f->is_zero[i]; i = 2 * i % f->n) {
            f->is_zero[i] = true;
            dimension--;
        }
    return dimension == kappa;
}

/* Whether some root of h has order n: else all words have a shorter period. */
static bool has_full_period(const field *f)
{
    for (int64_t i = 1; i < f->n; i++) {
        int64_t a = f->n;
        int64_t b = i;
        while (b) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1 && !f->is_zero[i])
            return true;
    }
    return false;
}

/* h (kappa + 1 coefficients, from that of x^0) <- the product of (x - a^i) over the roots; they
 * come with their squares, so that the coefficients are 0 and 1. */
static void check_polynomial(const field *f, int32_t *h)
{
    int64_t degree = 0;
    h[0] = 1;
    for (int64_t i = 0; i < f->n; i++) {
        if (f->is_zero[i])
            continue;
        h[degree + 1] = h[degree];
        for (int64_t j = degree; j > 0; j--)
            h[j] = h[j - 1] ^ multiply(f, h[j], f->power[i]);
        h[0] = multiply(f, h[0], f->power[i]);
        degree++;
    }
}

static void fill_word(int8_t *row, int64_t n, int64_t r, int64_t kappa, const int32_t *h)
{
    for (int64_t i = 0; i < n; i++) {
        int32_t bit = i < kappa ? (int32_t)(r >> i & 1) : 0;
        for (int64_t j = 1; j <= kappa && i >= kappa; j++) /* h_0 = 1 */
            bit ^= h[j] & (row[i - j] > 0);
        row[i] = bit ? 1 : -1;
    }
}

/* ---- which code ------------------------------------------------------------------------------ */

/* Words of n bits that are all allowed are no code. */
static bool has_code(field *f, int m, int64_t kappa)
{
    field_init(f, m);
    return kappa < f->n && find_zeros(f, kappa) && has_full_period(f);
}

static pt_status refuse_columns(field *f, int64_t k, int64_t kappa, int64_t columns, pt_error *err)
{
    char list[80] = "";
    for (int m = LEAST_M; m <= MOST_M; m++)
        if (has_code(f, m, kappa)) {
            const size_t length = strlen(list);
            snprintf(list + length, sizeof list - length, "%s%lld", length ? ", " : "",
                     (long long)f->n);
        }
    return pt_fail(err, PT_EINVAL,
                   "there is no BCH code of %lld classes with %lld columns; --columns may be %s",
                   (long long)k, (long long)columns, list);
}

/* f <- the field and the zeros of the code for k classes. */
static pt_status choose_length(field *f, const pt_params *params, int64_t k, int64_t kappa,
                               pt_error *err)
{
    const bool any = pt_params_is_auto(params, PT_P_COLUMNS);
    const int64_t columns = any ? (int64_t)ceil(10 * log2((double)k)) /* as a dense random code */
                                : pt_params_integer(params, PT_P_COLUMNS);
    int best = 0;
    for (int m = LEAST_M; m <= MOST_M; m++) {
        const int64_t n = ((int64_t)1 << m) - 1;
        const bool wanted = any ? best == 0 || n <= columns : n == columns;
        if (wanted && has_code(f, m, kappa))
            best = m;
    }
    if (best == 0 && !any)
        return refuse_columns(f, k, kappa, columns, err);
    if (best == 0 || !has_code(f, best, kappa))
        return pt_fail(err, PT_ELIMIT,
                       "there is no BCH code of %lld classes with at most %d columns; take --code "
                       "dense or hadamard",
                       (long long)k, MOST_LENGTH);
    return PT_OK;
}

static pt_status bch_make(pt_code *code, const pt_params *params, const pt_task *task,
                          pt_warnings *warnings, pt_error *err)
{
    (void)task;
    (void)warnings;
    const int64_t k = code->k;
    int64_t kappa = 0;
    while (kappa < 63 && (int64_t)1 << kappa < k)
        kappa++;
    if (k < LEAST_CLASSES || kappa > MOST_KAPPA)
        return pt_fail(
            err, PT_EINVAL, "BCH codes are for %d to %d classes, not %lld; take --code %s",
            LEAST_CLASSES, 1 << MOST_KAPPA, (long long)k, k < LEAST_CLASSES ? "complete" : "dense");
    PT_SCRATCH field *f = pt_alloc(1, sizeof *f, "a code", err);
    int32_t h[MOST_KAPPA + 1];
    if (!f)
        return PT_ENOMEM;
    PT_TRY(choose_length(f, params, k, kappa, err));
    PT_TRY(pt_code_alloc(code, f->n, err));
    check_polynomial(f, h);
    for (int64_t r = 0; r < k; r++)
        fill_word(code->M + r * code->ell, code->ell, r, kappa, h);
    return PT_OK;
}

const pt_code_family pt_code_bch = {.name = "bch",
                                    .summary =
                                        "words of a BCH code, 2^m - 1 columns; 9 to 65536 classes",
                                    .parameters = "columns",
                                    .make = bch_make};
