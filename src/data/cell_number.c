/* Numbers as people write them. A text is taken apart into sign, currency or percent, and a body of
 * digits and signs between them; thousands are parted into groups of three (in India the higher
 * ones of two). */
#include "data/cell_number.h"

#include <math.h>
#include <string.h>

#include "data/number.h"

enum { BODY_ROOM = 64 };

static const char *const MONEY[] = {"US$",
                                    "R$",
                                    "A$",
                                    "C$",
                                    "$",
                                    "\xe2\x82\xac" /* euro */,
                                    "\xc2\xa3" /* pound */,
                                    "\xc2\xa5" /* yen */,
                                    "\xe2\x82\xb9" /* rupee */,
                                    "\x80" /* euro and pound of Windows-1252 */,
                                    "\xa3",
                                    "USD",
                                    "EUR",
                                    "GBP",
                                    "CHF",
                                    "JPY",
                                    "CNY",
                                    "CAD",
                                    "AUD",
                                    "NZD",
                                    "SEK",
                                    "NOK",
                                    "DKK",
                                    "PLN",
                                    "CZK",
                                    "HUF",
                                    "INR",
                                    "BRL",
                                    "ZAR",
                                    "MXN",
                                    "RUB",
                                    "TRY",
                                    "KRW",
                                    "SGD",
                                    "HKD",
                                    "Fr.",
                                    "kr",
                                    "Rs"};

/* A number without what stands around it. */
typedef struct number_body {
    const char *text;
    size_t length;
    bool negative;
    bool currency;
    bool percent;
} number_body;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of a space at p: of one that does not break a line, too. */
static size_t space_at(const char *p, size_t left)
{
    if (left >= 1 && *p == ' ')
        return 1;
    if (left >= 2 && memcmp(p, "\xc2\xa0", 2) == 0)
        return 2;
    if (left >= 3 && (memcmp(p, "\xe2\x80\xaf", 3) == 0 || memcmp(p, "\xe2\x80\x89", 3) == 0))
        return 3;
    return 0;
}

static void trim(number_body *body)
{
    size_t space;
    while ((space = space_at(body->text, body->length)) > 0) {
        body->text += space;
        body->length -= space;
    }
    for (size_t back = 1; back <= 3 && back <= body->length; back++)
        if (space_at(body->text + body->length - back, back) == back) {
            body->length -= back;
            back = 0;
        }
}

static bool take_front(number_body *body, const char *word)
{
    const size_t length = strlen(word);
    if (body->length < length || memcmp(body->text, word, length) != 0)
        return false;
    body->text += length;
    body->length -= length;
    trim(body);
    return true;
}

static bool take_back(number_body *body, const char *word)
{
    const size_t length = strlen(word);
    if (body->length < length || memcmp(body->text + body->length - length, word, length) != 0)
        return false;
    body->length -= length;
    trim(body);
    return true;
}

static void take_sign(number_body *body)
{
    if (take_front(body, "-") || take_front(body, "\xe2\x88\x92"))
        body->negative = true;
    else
        take_front(body, "+");
}

static void take_money(number_body *body)
{
    for (size_t i = 0; i < sizeof MONEY / sizeof *MONEY && !body->currency; i++)
        body->currency = take_front(body, MONEY[i]) || take_back(body, MONEY[i]);
}

/* -$5, $-5, (5), 5-, 5 %: false where no digit is left. */
static bool take_apart(const char *text, size_t length, number_body *body)
{
    *body = (number_body){text, length, false, false, false};
    trim(body);
    if (body->length > 2 && body->text[0] == '(' && body->text[body->length - 1] == ')') {
        body->text++;
        body->length -= 2;
        body->negative = true;
        trim(body);
    }
    const bool signed_already = body->negative;
    if (!signed_already)
        take_sign(body);
    take_money(body);
    if (!body->negative)
        take_sign(body);
    body->percent = !body->currency && take_back(body, "%");
    if (!body->negative && body->length > 1 && is_digit(body->text[body->length - 2]))
        body->negative = take_back(body, "-");
    return body->length > 0 && body->length < BODY_ROOM &&
           (is_digit(body->text[0]) ||
            (body->length > 1 && (body->text[0] == '.' || body->text[0] == ',') &&
             is_digit(body->text[1])));
}

/* The sign between digits at p: '.', ',', ' ' or '\''; its bytes; 0: none. */
static char sign_at(const char *p, size_t left, size_t *bytes)
{
    *bytes = 1;
    if (*p == '.' || *p == ',' || *p == '\'')
        return *p;
    if (left >= 3 && memcmp(p, "\xe2\x80\x99", 3) == 0) {
        *bytes = 3;
        return '\'';
    }
    *bytes = space_at(p, left);
    return *bytes ? ' ' : 0;
}

/* Digits and signs, cut at the signs. */
typedef struct number_groups {
    int count;       /* of signs */
    char sign[24];   /* the s-th */
    int digits[25];  /* before the s-th, and behind the last */
    bool zero_first; /* the first digit is a 0, or there is none */
    size_t mantissa; /* bytes of it */
} number_groups;

static bool cut_groups(const number_body *body, number_groups *groups)
{
    const char *p = body->text;
    const char *end = p + body->length;
    *groups = (number_groups){.zero_first = !is_digit(*p) || *p == '0'};
    while (p < end) {
        size_t bytes = 0;
        if (is_digit(*p)) {
            groups->digits[groups->count]++;
            p++;
            continue;
        }
        const char sign = sign_at(p, (size_t)(end - p), &bytes);
        if (!sign)
            break;
        if (groups->count == 24)
            return false;
        groups->sign[groups->count++] = sign;
        p += bytes;
    }
    groups->mantissa = (size_t)(p - body->text);
    if (p == end)
        return true;
    if (*p != 'e' && *p != 'E') /* an exponent may follow, and nothing else */
        return false;
    p++;
    p += p < end && (*p == '-' || *p == '+');
    const char *exponent = p;
    while (p < end && is_digit(*p))
        p++;
    return p == end && p > exponent;
}

/* Whether the first `count` signs, all alike, part thousands: 1 to 3 digits, then groups of 3, or
 * of 2 before the last. */
static bool parts_thousands(const number_groups *groups, int count)
{
    if (count == 0)
        return true;
    if (groups->digits[0] < 1 || groups->digits[0] > 3 || groups->zero_first)
        return false;
    for (int s = 1; s <= count; s++) {
        const bool indian = count > 1 && s < count && groups->digits[s] == 2;
        if (groups->sign[s - 1] != groups->sign[0] || (groups->digits[s] != 3 && !indian))
            return false;
    }
    return true;
}

/* Signs of a body without currency and percent. */
static bool read_signs(const number_groups *groups, pt_number_signs *signs)
{
    const int count = groups->count;
    const char last = count ? groups->sign[count - 1] : 0;
    const bool decimal_like = last == '.' || last == ',';
    if (count == 0)
        return true;
    if (count == 1 && decimal_like) {
        const bool either = parts_thousands(groups, 1);
        signs->point = last == '.' && !either;
        signs->comma = last == ',' && !either;
        signs->either_point = last == '.' && either;
        signs->either_comma = last == ',' && either;
        return true;
    }
    signs->thousands = groups->sign[0];
    if (parts_thousands(groups, count)) { /* 1,234,567: the other sign is the decimal one */
        signs->point = last == ',';
        signs->comma = last == '.';
        return true;
    }
    signs->point = last == '.';
    signs->comma = last == ',';
    return decimal_like && groups->sign[0] != last && parts_thousands(groups, count - 1);
}

bool pt_number_signs_of(const char *text, size_t length, pt_number_signs *signs)
{
    number_body body;
    number_groups groups;
    *signs = (pt_number_signs){0};
    if (!take_apart(text, length, &body) || !cut_groups(&body, &groups))
        return false;
    signs->currency = body.currency;
    signs->percent = body.percent;
    return read_signs(&groups, signs);
}

bool pt_number_styled(const char *text, size_t length, char decimal, double *value)
{
    number_body body;
    number_groups groups;
    pt_number_signs signs = {0};
    if (!take_apart(text, length, &body) || !cut_groups(&body, &groups) ||
        !read_signs(&groups, &signs) || (decimal == '.' ? signs.comma : signs.point))
        return false;
    char plain[BODY_ROOM + 1];
    size_t used = 0;
    for (size_t i = 0; i < body.length; i++) {
        const char c = body.text[i];
        if (is_digit(c) || i >= groups.mantissa)
            plain[used++] = c;
        else if (c == decimal)
            plain[used++] = '.';
    }
    if (pt_number_parse(plain, used, value) != PT_NUMBER_FINITE)
        return false;
    *value = body.negative ? -*value : *value;
    return true;
}
