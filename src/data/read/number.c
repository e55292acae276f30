/* Numbers in text, exactly.
 *
 * Reading. A decimal number is w * 10^q with an integer w of at most 19 digits (more digits: two
 * neighbours w and w + 1 that bound it). Three roads, each only where it is sure:
 *   1. w < 2^53 and |q| <= 22: both are doubles, one operation, correctly rounded (Clinger 1990).
 *   2. |q| <= 64: 10^q = 5^q 2^q, and 5^q is known to 128 bits, T <= 5^q / 2^E < T + 1. With w
 * shifted to 64 bits the product lies in [w T, w T + w): 192 bits whose upper 128 are right up to a
 *      carry of one. Where both ends of that interval round alike, that is the answer (the idea of
 *      Eisel and Lemire 2021). For 0 <= q <= 55 T is exact and so are ties.
 *   3. strtod, on a text written anew as DIGITSe EXPONENT: without a point no locale matters.
 * Digits beyond the 800th are replaced by a single 1 if any is not 0: halfway points between
 * doubles have at most 767 digits.
 *
 * Writing. Integers and short decimal fractions (v = m / 10^k with road 1) by integer arithmetic,
 * the rest by the fewest of 15, 16 or 17 digits that read back alike. */
#include "data/read/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double pt_powers_of_ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

const uint64_t pt_integer_powers[9] = {1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000};

enum {
    POWER_LIMIT = 64,  /* the table has 5^-64 .. 5^64 */
    EXACT_POWER = 55,  /* the largest power of five below 2^128 */
    KEPT_DIGITS = 19,  /* of w: 10^19 < 2^64 */
    TEXT_DIGITS = 800, /* digits handed to strtod */
    LARGEST_EXPONENT = 310,
    SMALLEST_EXPONENT = -400 /* w 10^q is below half the least subnormal for any w of 19 digits */
};

/* The first 128 bits of 5^q, from its leading 1: {upper, lower} 64 bits, cut, not rounded. */
static const uint64_t POWERS_OF_FIVE[2 * POWER_LIMIT + 1][2] = {
    {0xa87fea27a539e9a5u, 0x3f2398d747b36224u}, /* 5^-64 */
    {0xd29fe4b18e88640eu, 0x8eec7f0d19a03aadu}, /* 5^-63 */
    {0x83a3eeeef9153e89u, 0x1953cf68300424acu}, /* 5^-62 */
    {0xa48ceaaab75a8e2bu, 0x5fa8c3423c052dd7u}, /* 5^-61 */
    {0xcdb02555653131b6u, 0x3792f412cb06794du}, /* 5^-60 */
    {0x808e17555f3ebf11u, 0xe2bbd88bbee40bd0u}, /* 5^-59 */
    {0xa0b19d2ab70e6ed6u, 0x5b6aceaeae9d0ec4u}, /* 5^-58 */
    {0xc8de047564d20a8bu, 0xf245825a5a445275u}, /* 5^-57 */
    {0xfb158592be068d2eu, 0xeed6e2f0f0d56712u}, /* 5^-56 */
    {0x9ced737bb6c4183du, 0x55464dd69685606bu}, /* 5^-55 */
    {0xc428d05aa4751e4cu, 0xaa97e14c3c26b886u}, /* 5^-54 */
    {0xf53304714d9265dfu, 0xd53dd99f4b3066a8u}, /* 5^-53 */
    {0x993fe2c6d07b7fabu, 0xe546a8038efe4029u}, /* 5^-52 */
    {0xbf8fdb78849a5f96u, 0xde98520472bdd033u}, /* 5^-51 */
    {0xef73d256a5c0f77cu, 0x963e66858f6d4440u}, /* 5^-50 */
    {0x95a8637627989aadu, 0xdde7001379a44aa8u}, /* 5^-49 */
    {0xbb127c53b17ec159u, 0x5560c018580d5d52u}, /* 5^-48 */
    {0xe9d71b689dde71afu, 0xaab8f01e6e10b4a6u}, /* 5^-47 */
    {0x9226712162ab070du, 0xcab3961304ca70e8u}, /* 5^-46 */
    {0xb6b00d69bb55c8d1u, 0x3d607b97c5fd0d22u}, /* 5^-45 */
    {0xe45c10c42a2b3b05u, 0x8cb89a7db77c506au}, /* 5^-44 */
    {0x8eb98a7a9a5b04e3u, 0x77f3608e92adb242u}, /* 5^-43 */
    {0xb267ed1940f1c61cu, 0x55f038b237591ed3u}, /* 5^-42 */
    {0xdf01e85f912e37a3u, 0x6b6c46dec52f6688u}, /* 5^-41 */
    {0x8b61313bbabce2c6u, 0x2323ac4b3b3da015u}, /* 5^-40 */
    {0xae397d8aa96c1b77u, 0xabec975e0a0d081au}, /* 5^-39 */
    {0xd9c7dced53c72255u, 0x96e7bd358c904a21u}, /* 5^-38 */
    {0x881cea14545c7575u, 0x7e50d64177da2e54u}, /* 5^-37 */
    {0xaa242499697392d2u, 0xdde50bd1d5d0b9e9u}, /* 5^-36 */
    {0xd4ad2dbfc3d07787u, 0x955e4ec64b44e864u}, /* 5^-35 */
    {0x84ec3c97da624ab4u, 0xbd5af13bef0b113eu}, /* 5^-34 */
    {0xa6274bbdd0fadd61u, 0xecb1ad8aeacdd58eu}, /* 5^-33 */
    {0xcfb11ead453994bau, 0x67de18eda5814af2u}, /* 5^-32 */
    {0x81ceb32c4b43fcf4u, 0x80eacf948770ced7u}, /* 5^-31 */
    {0xa2425ff75e14fc31u, 0xa1258379a94d028du}, /* 5^-30 */
    {0xcad2f7f5359a3b3eu, 0x096ee45813a04330u}, /* 5^-29 */
    {0xfd87b5f28300ca0du, 0x8bca9d6e188853fcu}, /* 5^-28 */
    {0x9e74d1b791e07e48u, 0x775ea264cf55347du}, /* 5^-27 */
    {0xc612062576589ddau, 0x95364afe032a819du}, /* 5^-26 */
    {0xf79687aed3eec551u, 0x3a83ddbd83f52204u}, /* 5^-25 */
    {0x9abe14cd44753b52u, 0xc4926a9672793542u}, /* 5^-24 */
    {0xc16d9a0095928a27u, 0x75b7053c0f178293u}, /* 5^-23 */
    {0xf1c90080baf72cb1u, 0x5324c68b12dd6338u}, /* 5^-22 */
    {0x971da05074da7beeu, 0xd3f6fc16ebca5e03u}, /* 5^-21 */
    {0xbce5086492111aeau, 0x88f4bb1ca6bcf584u}, /* 5^-20 */
    {0xec1e4a7db69561a5u, 0x2b31e9e3d06c32e5u}, /* 5^-19 */
    {0x9392ee8e921d5d07u, 0x3aff322e62439fcfu}, /* 5^-18 */
    {0xb877aa3236a4b449u, 0x09befeb9fad487c2u}, /* 5^-17 */
    {0xe69594bec44de15bu, 0x4c2ebe687989a9b3u}, /* 5^-16 */
    {0x901d7cf73ab0acd9u, 0x0f9d37014bf60a10u}, /* 5^-15 */
    {0xb424dc35095cd80fu, 0x538484c19ef38c94u}, /* 5^-14 */
    {0xe12e13424bb40e13u, 0x2865a5f206b06fb9u}, /* 5^-13 */
    {0x8cbccc096f5088cbu, 0xf93f87b7442e45d3u}, /* 5^-12 */
    {0xafebff0bcb24aafeu, 0xf78f69a51539d748u}, /* 5^-11 */
    {0xdbe6fecebdedd5beu, 0xb573440e5a884d1bu}, /* 5^-10 */
    {0x89705f4136b4a597u, 0x31680a88f8953030u}, /* 5^-9 */
    {0xabcc77118461cefcu, 0xfdc20d2b36ba7c3du}, /* 5^-8 */
    {0xd6bf94d5e57a42bcu, 0x3d32907604691b4cu}, /* 5^-7 */
    {0x8637bd05af6c69b5u, 0xa63f9a49c2c1b10fu}, /* 5^-6 */
    {0xa7c5ac471b478423u, 0x0fcf80dc33721d53u}, /* 5^-5 */
    {0xd1b71758e219652bu, 0xd3c36113404ea4a8u}, /* 5^-4 */
    {0x83126e978d4fdf3bu, 0x645a1cac083126e9u}, /* 5^-3 */
    {0xa3d70a3d70a3d70au, 0x3d70a3d70a3d70a3u}, /* 5^-2 */
    {0xccccccccccccccccu, 0xccccccccccccccccu}, /* 5^-1 */
    {0x8000000000000000u, 0x0000000000000000u}, /* 5^0 */
    {0xa000000000000000u, 0x0000000000000000u}, /* 5^1 */
    {0xc800000000000000u, 0x0000000000000000u}, /* 5^2 */
    {0xfa00000000000000u, 0x0000000000000000u}, /* 5^3 */
    {0x9c40000000000000u, 0x0000000000000000u}, /* 5^4 */
    {0xc350000000000000u, 0x0000000000000000u}, /* 5^5 */
    {0xf424000000000000u, 0x0000000000000000u}, /* 5^6 */
    {0x9896800000000000u, 0x0000000000000000u}, /* 5^7 */
    {0xbebc200000000000u, 0x0000000000000000u}, /* 5^8 */
    {0xee6b280000000000u, 0x0000000000000000u}, /* 5^9 */
    {0x9502f90000000000u, 0x0000000000000000u}, /* 5^10 */
    {0xba43b74000000000u, 0x0000000000000000u}, /* 5^11 */
    {0xe8d4a51000000000u, 0x0000000000000000u}, /* 5^12 */
    {0x9184e72a00000000u, 0x0000000000000000u}, /* 5^13 */
    {0xb5e620f480000000u, 0x0000000000000000u}, /* 5^14 */
    {0xe35fa931a0000000u, 0x0000000000000000u}, /* 5^15 */
    {0x8e1bc9bf04000000u, 0x0000000000000000u}, /* 5^16 */
    {0xb1a2bc2ec5000000u, 0x0000000000000000u}, /* 5^17 */
    {0xde0b6b3a76400000u, 0x0000000000000000u}, /* 5^18 */
    {0x8ac7230489e80000u, 0x0000000000000000u}, /* 5^19 */
    {0xad78ebc5ac620000u, 0x0000000000000000u}, /* 5^20 */
    {0xd8d726b7177a8000u, 0x0000000000000000u}, /* 5^21 */
    {0x878678326eac9000u, 0x0000000000000000u}, /* 5^22 */
    {0xa968163f0a57b400u, 0x0000000000000000u}, /* 5^23 */
    {0xd3c21bcecceda100u, 0x0000000000000000u}, /* 5^24 */
    {0x84595161401484a0u, 0x0000000000000000u}, /* 5^25 */
    {0xa56fa5b99019a5c8u, 0x0000000000000000u}, /* 5^26 */
    {0xcecb8f27f4200f3au, 0x0000000000000000u}, /* 5^27 */
    {0x813f3978f8940984u, 0x4000000000000000u}, /* 5^28 */
    {0xa18f07d736b90be5u, 0x5000000000000000u}, /* 5^29 */
    {0xc9f2c9cd04674edeu, 0xa400000000000000u}, /* 5^30 */
    {0xfc6f7c4045812296u, 0x4d00000000000000u}, /* 5^31 */
    {0x9dc5ada82b70b59du, 0xf020000000000000u}, /* 5^32 */
    {0xc5371912364ce305u, 0x6c28000000000000u}, /* 5^33 */
    {0xf684df56c3e01bc6u, 0xc732000000000000u}, /* 5^34 */
    {0x9a130b963a6c115cu, 0x3c7f400000000000u}, /* 5^35 */
    {0xc097ce7bc90715b3u, 0x4b9f100000000000u}, /* 5^36 */
    {0xf0bdc21abb48db20u, 0x1e86d40000000000u}, /* 5^37 */
    {0x96769950b50d88f4u, 0x1314448000000000u}, /* 5^38 */
    {0xbc143fa4e250eb31u, 0x17d955a000000000u}, /* 5^39 */
    {0xeb194f8e1ae525fdu, 0x5dcfab0800000000u}, /* 5^40 */
    {0x92efd1b8d0cf37beu, 0x5aa1cae500000000u}, /* 5^41 */
    {0xb7abc627050305adu, 0xf14a3d9e40000000u}, /* 5^42 */
    {0xe596b7b0c643c719u, 0x6d9ccd05d0000000u}, /* 5^43 */
    {0x8f7e32ce7bea5c6fu, 0xe4820023a2000000u}, /* 5^44 */
    {0xb35dbf821ae4f38bu, 0xdda2802c8a800000u}, /* 5^45 */
    {0xe0352f62a19e306eu, 0xd50b2037ad200000u}, /* 5^46 */
    {0x8c213d9da502de45u, 0x4526f422cc340000u}, /* 5^47 */
    {0xaf298d050e4395d6u, 0x9670b12b7f410000u}, /* 5^48 */
    {0xdaf3f04651d47b4cu, 0x3c0cdd765f114000u}, /* 5^49 */
    {0x88d8762bf324cd0fu, 0xa5880a69fb6ac800u}, /* 5^50 */
    {0xab0e93b6efee0053u, 0x8eea0d047a457a00u}, /* 5^51 */
    {0xd5d238a4abe98068u, 0x72a4904598d6d880u}, /* 5^52 */
    {0x85a36366eb71f041u, 0x47a6da2b7f864750u}, /* 5^53 */
    {0xa70c3c40a64e6c51u, 0x999090b65f67d924u}, /* 5^54 */
    {0xd0cf4b50cfe20765u, 0xfff4b4e3f741cf6du}, /* 5^55 */
    {0x82818f1281ed449fu, 0xbff8f10e7a8921a4u}, /* 5^56 */
    {0xa321f2d7226895c7u, 0xaff72d52192b6a0du}, /* 5^57 */
    {0xcbea6f8ceb02bb39u, 0x9bf4f8a69f764490u}, /* 5^58 */
    {0xfee50b7025c36a08u, 0x02f236d04753d5b4u}, /* 5^59 */
    {0x9f4f2726179a2245u, 0x01d762422c946590u}, /* 5^60 */
    {0xc722f0ef9d80aad6u, 0x424d3ad2b7b97ef5u}, /* 5^61 */
    {0xf8ebad2b84e0d58bu, 0xd2e0898765a7deb2u}, /* 5^62 */
    {0x9b934c3b330c8577u, 0x63cc55f49f88eb2fu}, /* 5^63 */
    {0xc2781f49ffcfa6d5u, 0x3cbf6b71c76b25fbu}, /* 5^64 */
};

/* 64 x 64 -> 128 bits. */
static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
    const uint64_t mask = 0xffffffffu;
    const uint64_t a0 = a & mask, a1 = a >> 32, b0 = b & mask, b1 = b >> 32;
    const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    const uint64_t middle = (p00 >> 32) + (p01 & mask) + (p10 & mask);
    *low = (middle << 32) | (p00 & mask);
    *high = p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}

static int leading_zeros(uint64_t w)
{
    return __builtin_clzll(w);
}

static double double_from_bits(uint64_t mantissa, int64_t exponent)
{
    const uint64_t bits = (mantissa & 0xfffffffffffffu) | (uint64_t)(exponent + 1075)
                                                              << 52; /* m 2^exponent */
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool pt_number_scale(uint64_t w, int64_t q, double *value)
{
    if (q < -POWER_LIMIT || q > POWER_LIMIT)
        return false;
    const uint64_t *T = POWERS_OF_FIVE[q + POWER_LIMIT];
    const int shift = leading_zeros(w);
    w <<= shift;

    /* x2:x1:x0 = w T */
    uint64_t x2 = 0, x1 = 0, x0 = 0, carry = 0;
    multiply(w, T[0], &x2, &x1);
    multiply(w, T[1], &carry, &x0);
    x1 += carry;
    x2 += x1 < carry;

    /* 53 bits of mantissa, the rest decides the rounding */
    const int cut = 10 + (int)(x2 >> 63);
    uint64_t mantissa = x2 >> cut;
    const uint64_t rest = x2 & (((uint64_t)1 << cut) - 1);
    const uint64_t half = (uint64_t)1 << (cut - 1);
    const bool exact = q >= 0 && q <= EXACT_POWER;
    if (!exact && ((rest == half && x1 == 0) || (rest == half - 1 && x1 == UINT64_MAX)))
        return false; /* the true product may lie on either side of halfway */
    const bool tie = rest == half && x1 == 0 && x0 == 0;
    if (tie ? mantissa & 1 : rest >= half)
        mantissa++;

    /* w T 2^E' with E' = floor(log2 5^q) - 127 + q - shift; the mantissa lost 128 + cut bits */
    int64_t exponent = ((217706 * q) >> 16) - 127 - shift + 128 + cut;
    if (mantissa >> 53) {
        mantissa >>= 1;
        exponent++;
    }
    *value = double_from_bits(mantissa, exponent);
    return true;
}

/* A decimal number as it stands in the text. */
typedef struct decimal {
    bool negative;
    const char *digits;     /* the first digit that is not 0, or the end */
    const char *digits_end; /* behind the last digit; a point may be between */
    uint64_t w;             /* the first KEPT_DIGITS significant digits */
    bool cut;               /* digits that are not 0 follow those in w */
    int64_t q;              /* the number is w (and more) times 10^q */
} decimal;

/* The digits and the point; NULL if there is no digit. */
static const char *scan_digits(const char *p, const char *end, decimal *d)
{
    bool any = false;
    bool point = false;
    int64_t kept = 0;
    d->digits = NULL;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!pt_is_digit(*p))
            break;
        any = true;
        if (kept > 0 || *p != '0') {
            if (!d->digits)
                d->digits = p;
            if (kept < KEPT_DIGITS) {
                d->w = 10 * d->w + (uint64_t)(*p - '0');
                kept++;
            } else {
                d->cut = d->cut || *p != '0';
                d->q++;
            }
        }
        d->q -= point;
    }
    d->digits_end = p;
    if (!d->digits)
        d->digits = p;
    return any ? p : NULL;
}

/* e[+-]digits, if it is there; saturates far beyond any double. */
static const char *scan_exponent(const char *p, const char *end, int64_t *q)
{
    if (p >= end || (*p != 'e' && *p != 'E'))
        return p;
    const char *s = p + 1;
    const bool negative = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+'))
        s++;
    if (s >= end || !pt_is_digit(*s))
        return p;
    int64_t exponent = 0;
    for (; s < end && pt_is_digit(*s); s++)
        if (exponent < INT64_MAX / 1000)
            exponent = 10 * exponent + (*s - '0');
    *q += negative ? -exponent : exponent;
    return s;
}

/* Road 3. */
static double by_strtod(const decimal *d)
{
    char text[TEXT_DIGITS + 40];
    int used = 0;
    int64_t q = d->q;
    bool more = false;
    int64_t significant = 0;
    for (const char *p = d->digits; p < d->digits_end; p++) {
        if (*p == '.')
            continue;
        significant++;
        if (used < TEXT_DIGITS)
            text[used++] = *p;
        else
            more = more || *p != '0';
    }
    /* d->q counts from the KEPT_DIGITS-th digit on, the text from its last */
    if (significant > KEPT_DIGITS)
        q -= used - KEPT_DIGITS;
    if (more) {
        text[used++] = '1';
        q--;
    }
    snprintf(text + used, sizeof text - (size_t)used, "e%" PRId64, q);
    return strtod(text, NULL);
}

static double magnitude(const decimal *d)
{
    if (d->w == 0 || d->q < SMALLEST_EXPONENT)
        return 0;
    if (d->q > LARGEST_EXPONENT)
        return HUGE_VAL;
    double value = 0;
    if (!d->cut && d->w >> 53 == 0 && d->q >= -22 && d->q <= 22)
        return d->q < 0 ? (double)(int64_t)d->w / pt_powers_of_ten[-d->q]
                        : (double)(int64_t)d->w * pt_powers_of_ten[d->q];
    if (pt_number_scale(d->w, d->q, &value)) {
        if (!d->cut)
            return value;
        double above = 0;
        if (pt_number_scale(d->w + 1, d->q, &above) && above == value)
            return value;
    }
    return by_strtod(d);
}

static bool begins_with(const char *p, const char *end, const char *word)
{
    for (; *word; word++, p++)
        if (p >= end || (*p | 0x20) != *word)
            return false;
    return true;
}

/* inf, infinity, nan, nan(...), in any case. */
static pt_number scan_word(const char *p, const char *end, bool negative, const char **next,
                           double *value)
{
    if (begins_with(p, end, "inf")) {
        *next = p + (begins_with(p, end, "infinity") ? 8 : 3);
        *value = negative ? -HUGE_VAL : HUGE_VAL;
        return PT_NUMBER_NOT_FINITE;
    }
    if (!begins_with(p, end, "nan"))
        return PT_NUMBER_NONE;
    p += 3;
    if (p < end && *p == '(') {
        const char *close = p + 1;
        while (close < end && (pt_is_digit(*close) || *close == '_' ||
                               ((*close | 0x20) >= 'a' && (*close | 0x20) <= 'z')))
            close++;
        if (close < end && *close == ')')
            p = close + 1;
    }
    *next = p;
    *value = NAN;
    return PT_NUMBER_NOT_FINITE;
}

pt_number pt_number_scan(const char *text, const char *end, const char **next, double *value)
{
    decimal d = {false, NULL, NULL, 0, false, 0};
    const char *p = text;
    if (p < end && (*p == '-' || *p == '+'))
        d.negative = *p++ == '-';
    const char *behind = scan_digits(p, end, &d);
    if (!behind)
        return scan_word(p, end, d.negative, next, value);
    *next = scan_exponent(behind, end, &d.q);
    const double size = magnitude(&d);
    *value = d.negative ? -size : size;
    return isinf(size) ? PT_NUMBER_NOT_FINITE : PT_NUMBER_FINITE;
}

pt_number pt_number_parse(const char *text, size_t length, double *value)
{
    const char *end = text + length;
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    while (text < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    const char *next = NULL;
    const pt_number kind = pt_number_scan(text, end, &next, value);
    return kind != PT_NUMBER_NONE && next == end ? kind : PT_NUMBER_NONE;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int put_integer(uint64_t number, char *out)
{
    char reversed[20];
    int length = 0;
    do {
        reversed[length++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    for (int i = 0; i < length; i++)
        out[i] = reversed[length - 1 - i];
    return length;
}

/* size = m / 10^k with few k and m < 2^53: road 1 reads it back. Returns 0 if it is not so. */
static int put_short_fraction(double size, char *out)
{
    enum { MOST_DECIMALS = 9 };
    if (size >= 1e9 || size < 1e-5)
        return 0;
    for (int k = 0; k <= MOST_DECIMALS; k++) {
        const double scaled = nearbyint(size * pt_powers_of_ten[k]);
        if (scaled >= 0x1p53 || scaled / pt_powers_of_ten[k] != size)
            continue;
        const uint64_t power = (uint64_t)pt_powers_of_ten[k];
        const uint64_t m = (uint64_t)scaled;
        int length = put_integer(m / power, out);
        if (k > 0) {
            out[length++] = '.';
            uint64_t rest = m % power;
            for (int i = k - 1; i >= 0; i--, rest /= 10)
                out[length + i] = (char)('0' + rest % 10);
            length += k;
        }
        return length;
    }
    return 0;
}

/* d.ddde+xx from printf has the locale's point: any byte that is no digit is taken for it. Written
 * as DIGITSe EXPONENT or with a point of our own. */
static int put_digits(double size, int precision, char *out)
{
    char printed[48];
    snprintf(printed, sizeof printed, "%.*e", precision - 1, size);
    char digits[20];
    int count = 0;
    const char *p = printed;
    for (; *p && *p != 'e'; p++)
        if (pt_is_digit(*p) && count < 20)
            digits[count++] = *p;
    const int exponent = *p == 'e' ? (int)strtol(p + 1, NULL, 10) : 0;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    int length = 0;
    if (exponent >= -5 && exponent < 0) { /* 0.00ddd */
        out[length++] = '0';
        out[length++] = '.';
        for (int i = exponent + 1; i < 0; i++)
            out[length++] = '0';
        memcpy(out + length, digits, (size_t)count);
        return length + count;
    }
    const int before =
        exponent >= 0 && exponent < 17 ? exponent + 1 : 1; /* digits before the point */
    for (int i = 0; i < count || i < before; i++) {
        if (i == before)
            out[length++] = '.';
        out[length++] = i < count ? digits[i] : '0';
    }
    if (before == 1 && exponent != 0) {
        out[length++] = 'e';
        if (exponent < 0)
            out[length++] = '-';
        length += put_integer((uint64_t)abs(exponent), out + length);
    }
    return length;
}

int pt_number_format(double value, char out[PT_NUMBER_ROOM])
{
    int length = 0;
    if (signbit(value) && !isnan(value))
        out[length++] = '-';
    const double size = fabs(value);
    if (!isfinite(size)) {
        memcpy(out + length, isnan(size) ? "nan" : "inf", 3);
        length += 3;
    } else if (size < 0x1p53 && size == floor(size)) {
        length += put_integer((uint64_t)size, out + length);
    } else {
        int used = put_short_fraction(size, out + length);
        for (int precision = 15; used == 0 && precision <= 17; precision++) {
            const int tried = put_digits(size, precision, out + length);
            double back = 0;
            if (precision == 17 ||
                (pt_number_parse(out + length, (size_t)tried, &back) == PT_NUMBER_FINITE &&
                 back == size))
                used = tried;
        }
        length += used;
    }
    out[length] = '\0';
    return length;
}
