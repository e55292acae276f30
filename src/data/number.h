/* Numbers in text, read and written exactly: what is read equals strtod in the C locale bit for bit
 * (hexadecimal numbers apart, which data files do not use), what is written reads as the same bits.
 */
#ifndef PT_DATA_NUMBER_H
#define PT_DATA_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum pt_number {
    PT_NUMBER_NONE,      /* no number begins here */
    PT_NUMBER_FINITE,    /* a number */
    PT_NUMBER_NOT_FINITE /* inf, nan, or too large for a double: value is an infinity or NaN */
} pt_number;

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

/* The common case, for loops: [sign] digits [. digits] whose digits are an integer below 2^53 (at
 * most 19 digits are looked at) and at most 22 of them behind the point, so that one division is
 * correctly rounded (Clinger 1990). False for everything else. The text must be followed by a byte
 * that no number has, such as a newline, before it ends. */
static inline bool pt_number_quick(const char *text, const char **next, double *value)
{
    const char *p = text;
    const bool negative = *p == '-';
    p += negative;
    uint64_t w = 0;
    const char *first = p;
    unsigned digit;
    while ((digit = (unsigned)(unsigned char)*p - '0') <= 9) {
        w = 10 * w + digit;
        p++;
    }
    int64_t digits = p - first;
    int64_t behind_point = 0;
    if (*p == '.') {
        const char *fraction = ++p;
        while ((digit = (unsigned)(unsigned char)*p - '0') <= 9) {
            w = 10 * w + digit;
            p++;
        }
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
