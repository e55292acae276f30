/* Numbers in text, read and written exactly: what is read equals strtod in the C locale bit for bit
 * (hexadecimal numbers apart, which data files do not use), what is written reads as the same bits.
 */
#ifndef PT_DATA_READ_NUMBER_H
#define PT_DATA_READ_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum pt_number {
    PT_NUMBER_NONE,      /* no number begins here */
    PT_NUMBER_FINITE,    /* a number */
    PT_NUMBER_NOT_FINITE /* inf, nan, or too large for a double: value is an infinity or NaN */
} pt_number;

static inline bool pt_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Scans the longest number that begins at `text`, without leading spaces; `*next` is behind it.
 * Reads nothing at or after `end`. */
pt_number pt_number_scan(const char *text, const char *end, const char **next, double *value);

/* The same for a text that is a number as a whole, spaces around it apart. */
pt_number pt_number_parse(const char *text, size_t length, double *value);

enum { PT_NUMBER_ROOM = 32 };
/* The shortest digits that read as the same bits, 0-terminated; returns their length. */
int pt_number_format(double value, char out[PT_NUMBER_ROOM]);

/* w * 10^q for 0 < w, correctly rounded; false where the method cannot tell. For pt_number_scan and
 * its test. */
bool pt_number_scale(uint64_t w, int64_t q, double *value);

extern const double pt_powers_of_ten[23]; /* 10^0 .. 10^22: all exact */

/* Eight bytes as they stand in memory, the first lowest; compilers make one load of it. */
static inline uint64_t pt_load8(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

/* The digits at p, at most 8, as a number; returns how many there are. All eight bytes at once: a
 * loop over digits costs a mispredicted branch for every number of unexpected length.
 *   t  the bytes minus '0': digits are 0..9, for others t + 0x76 or t itself has its upper bit
 *   pairs, then fours, then all eight are joined: 10 a + b, 100 a + b, 10000 a + b */
static inline int pt_digits8(const char *p, uint64_t *number)
{
    uint64_t t = pt_load8(p) ^ 0x3030303030303030u;
    const uint64_t others = ((t + 0x7676767676767676u) | t) & 0x8080808080808080u;
    if (others & 0x80) {
        *number = 0;
        return 0;
    }
    const int digits = others ? __builtin_ctzll(others) >> 3 : 8;
    t <<= 64 - 8 * digits; /* zeros before them, what follows them gone */
    t = (t * 10 + (t >> 8)) & 0x00ff00ff00ff00ffu;
    t = (t * 100 + (t >> 16)) & 0x0000ffff0000ffffu;
    t = (t * 10000 + (t >> 32)) & 0xffffffffu;
    *number = t;
    return digits;
}

/* A whole number of 1 to 3 digits by four bytes at once, in the same way; returns how many digits,
 * 0 if there are none or more. */
static inline int pt_digits3(const char *p, double *value)
{
    const unsigned char *b = (const unsigned char *)p;
    uint32_t t = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    t ^= 0x30303030u;
    const uint32_t others = ((t + 0x76767676u) | t) & 0x80808080u;
    if (!others || (others & 0x80))
        return 0;
    const int digits = __builtin_ctz(others) >> 3;
    t <<= 32 - 8 * digits;
    t = (t * 10 + (t >> 8)) & 0x00ff00ffu;
    *value = (double)(int32_t)((t * 100 + (t >> 16)) & 0xffffu);
    return digits;
}

extern const uint64_t pt_integer_powers[9]; /* 10^0 .. 10^8 */

/* Adds digits to w, as many as there are; returns behind them. */
static inline const char *pt_digits_loop(const char *p, uint64_t *w)
{
    unsigned digit;
    while ((digit = (unsigned)(unsigned char)*p - '0') <= 9) {
        *w = 10 * *w + digit;
        p++;
    }
    return p;
}

/* The same, by eight where there are eight bytes before `end`. */
static inline const char *pt_digits(const char *p, const char *end, uint64_t *w)
{
    if (end - p < 8)
        return pt_digits_loop(p, w);
    uint64_t part = 0;
    const int digits = pt_digits8(p, &part);
    *w = *w * pt_integer_powers[digits] + part;
    p += digits;
    return digits < 8 ? p : pt_digits_loop(p, w);
}

/* The common case, for loops: [sign] digits [. digits] whose digits are an integer below 2^53 (at
 * most 19 digits are looked at) and at most 22 of them behind the point, so that one division is
 * correctly rounded (Clinger 1990). False for everything else. Before `end` there must be a byte
 * that no number has, such as a newline. */
static inline bool pt_number_quick(const char *text, const char *end, const char **next,
                                   double *value)
{
    const char *p = text;
    const bool negative = *p == '-';
    p += negative;
    uint64_t w = 0;
    const char *first = p;
    p = pt_digits_loop(p, &w);
    int64_t digits = p - first;
    int64_t behind_point = 0;
    if (*p == '.') {
        const char *fraction = ++p;
        p = pt_digits(p, end, &w);
        behind_point = p - fraction;
        digits += behind_point;
    }
    if (digits == 0 || digits > 19 || w >> 53 || *p == 'e' || *p == 'E')
        return false;
    double v = (double)(int64_t)w;
    if (behind_point > 0) /* at most 19: in the table */
        v /= pt_powers_of_ten[behind_point];
    *value = negative ? -v : v;
    *next = p;
    return true;
}

#endif
