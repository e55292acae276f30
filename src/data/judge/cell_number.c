/* Numbers as people write them. A text is taken apart into sign, currency, percent or unit, and a
 * body of digits and signs between them; thousands are parted into groups of three (in India the
 * higher ones of two). */
#include "data/judge/judge_cells.h"

#include <math.h>
#include <string.h>

#include "data/judge/column_kind.h"
#include "data/read/number.h"

enum { BODY_ROOM = 64 };

#define EURO "\xe2\x82\xac"
#define POUND "\xc2\xa3"
#define YEN "\xc2\xa5"
#define RUPEE "\xe2\x82\xb9"

/* Currencies as they are written, and one name for those of one kind; longer ones come first. */
static const struct {
    const char *written;
    const char *name;
} MONEY[] = {{"US$", "$"},    {"R$", "R$"},   {"A$", "A$"},   {"C$", "C$"},   {"$", "$"},
             {EURO, EURO},    {POUND, POUND}, {YEN, YEN},     {RUPEE, RUPEE}, {"\x80", EURO},
             {"\xa3", POUND}, {"USD", "$"},   {"EUR", EURO},  {"GBP", POUND}, {"CHF", "CHF"},
             {"JPY", YEN},    {"CNY", "CNY"}, {"CAD", "C$"},  {"AUD", "A$"},  {"NZD", "NZD"},
             {"SEK", "SEK"},  {"NOK", "NOK"}, {"DKK", "DKK"}, {"PLN", "PLN"}, {"CZK", "CZK"},
             {"HUF", "HUF"},  {"INR", RUPEE}, {"BRL", "R$"},  {"ZAR", "ZAR"}, {"MXN", "MXN"},
             {"RUB", "RUB"},  {"TRY", "TRY"}, {"KRW", "KRW"}, {"SGD", "SGD"}, {"HKD", "HKD"},
             {"Fr.", "CHF"},  {"kr", "kr"},   {"Rs.", RUPEE}, {"Rs", RUPEE}};

/* A number without what stands around it. */
typedef struct number_body {
    const char *text;
    size_t length;
    bool negative;
    bool currency;
    bool percent;
    double scale; /* 1, or what $1.5M and $20k are multiplied by */
    const char *unit;
    size_t unit_length;
} number_body;

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

static void take_sign(number_body *body)
{
    if (take_front(body, "-") || take_front(body, "\xe2\x88\x92") ||
        take_front(body, "\xe2\x80\x93")) /* a minus, and an en dash that stands for it */
        body->negative = true;
    else
        take_front(body, "+");
}

static void take_money(number_body *body)
{
    for (size_t i = 0; i < sizeof MONEY / sizeof *MONEY && !body->currency; i++)
        if (take_front(body, MONEY[i].written) || take_back(body, MONEY[i].written)) {
            body->currency = true;
            body->unit = MONEY[i].name;
            body->unit_length = strlen(MONEY[i].name);
        }
}

/* $20k, $1.5M, $2bn */
static void take_scale(number_body *body)
{
    static const struct {
        const char *written;
        double scale;
    } SCALES[] = {{"bn", 1e9}, {"mn", 1e6}, {"k", 1e3}, {"K", 1e3},
                  {"m", 1e6},  {"M", 1e6},  {"b", 1e9}, {"B", 1e9}};
    for (size_t i = 0; i < sizeof SCALES / sizeof *SCALES; i++)
        if (take_back(body, SCALES[i].written)) {
            body->scale = SCALES[i].scale;
            return;
        }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* Whether a fraction such as a half stands at p, which is a part of the number and no unit. */
static bool is_fraction(const char *p, size_t left)
{
    const unsigned char *u = (const unsigned char *)p;
    return (left >= 2 && u[0] == 0xc2 && u[1] >= 0xbc && u[1] <= 0xbe) ||
           (left >= 3 && u[0] == 0xe2 && u[1] == 0x85 && u[2] >= 0x90 && u[2] <= 0x9e);
}

/* kg, km/h, mg/dl, m2, fl oz, m s-1, %RH, the degree sign: letters first, and little else. */
static bool is_unit(const char *text, size_t length)
{
    const size_t first = length > 1 && text[0] == '%';
    if (length == 0 || length >= PT_UNIT_ROOM || (!is_letter(text[first]) && text[first] != ' '))
        return false;
    for (size_t i = first; i < length; i++)
        if (is_fraction(text + i, length - i) ||
            (!is_letter(text[i]) && !strchr("/.*^123- ", text[i])) ||
            (i > 0 && pt_is_digit(text[i]) && pt_is_digit(text[i - 1]))) /* 5h12 is a time */
            return false;
    return is_letter(text[0]) || first;
}

/* Behind an exponent at p; p: there is none. */
static const char *behind_exponent(const char *p, const char *end)
{
    const char *digits = p + 1;
    if (p == end || (*p | 0x20) != 'e')
        return p;
    digits += digits < end && (*digits == '-' || *digits == '+');
    const char *last = digits;
    while (last < end && pt_is_digit(*last))
        last++;
    return last > digits ? last : p;
}

static void take_unit(number_body *body)
{
    const char *end = body->text + body->length;
    const char *p = body->text;
    size_t bytes = 0;
    while (p < end && (pt_is_digit(*p) || sign_at(p, (size_t)(end - p), &bytes)))
        p += pt_is_digit(*p) ? 1 : bytes;
    p = behind_exponent(p, end);
    number_body unit = {.text = p, .length = (size_t)(end - p)};
    trim(&unit);
    if (p == body->text || !is_unit(unit.text, unit.length))
        return;
    body->unit = unit.text;
    body->unit_length = unit.length;
    body->length = (size_t)(p - body->text);
    trim(body);
}

/* (5), as accountants write what is negative. */
static void take_brackets(number_body *body)
{
    if (body->length <= 2 || body->text[0] != '(' || body->text[body->length - 1] != ')')
        return;
    body->text++;
    body->length -= 2;
    body->negative = true;
    trim(body);
}

/* -$5, $-5, (5), $ (5), 5-, 5 %, and $ -, which is nothing in a ledger: false where no digit is
 * left. */
static bool take_apart(const char *text, size_t length, number_body *body)
{
    *body = (number_body){.text = text, .length = length, .scale = 1};
    trim(body);
    take_brackets(body);
    const bool signed_already = body->negative;
    if (!signed_already)
        take_sign(body);
    take_money(body);
    if (body->currency)
        take_scale(body);
    if (body->currency && !body->negative)
        take_brackets(body);
    if (!body->negative)
        take_sign(body);
    if (body->currency && body->negative && body->length == 0) {
        body->text = "0";
        body->length = 1;
        body->negative = false;
    }
    body->percent = !body->currency && take_back(body, "%");
    if (!body->negative && body->length > 1 && pt_is_digit(body->text[body->length - 2]))
        body->negative = take_back(body, "-");
    if (!body->currency && !body->percent)
        take_unit(body);
    return body->length > 0 && body->length < BODY_ROOM &&
           (pt_is_digit(body->text[0]) ||
            (body->length > 1 && (body->text[0] == '.' || body->text[0] == ',') &&
             pt_is_digit(body->text[1])));
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
    *groups = (number_groups){.zero_first = !pt_is_digit(*p) || *p == '0'};
    while (p < end) {
        size_t bytes = 0;
        if (pt_is_digit(*p)) {
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
    return behind_exponent(p, end) == end;
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

/* The usual cell: digits with a point at most, which need not be taken apart. */
static bool cut_usual(const char *text, size_t length, number_groups *groups)
{
    const char *end = text + length;
    const char *p = text + (length > 0 && *text == '-');
    const char *point = p;
    while (point < end && pt_is_digit(*point))
        point++;
    const char *last = point + (point < end && *point == '.');
    while (last < end && pt_is_digit(*last))
        last++;
    if (point == p || last < end || length >= BODY_ROOM)
        return false;
    *groups = (number_groups){.count = point < end, .sign = {'.'}, .zero_first = *p == '0'};
    groups->digits[0] = (int)(point - p);
    groups->digits[1] = point < end ? (int)(end - point - 1) : 0;
    return true;
}

bool pt_number_signs_of(const char *text, size_t length, pt_number_signs *signs)
{
    number_body body;
    number_groups groups;
    *signs = (pt_number_signs){0};
    if (cut_usual(text, length, &groups))
        return read_signs(&groups, signs);
    if (!take_apart(text, length, &body) || !cut_groups(&body, &groups))
        return false;
    signs->currency = body.currency;
    signs->percent = body.percent;
    signs->unit = body.unit;
    signs->unit_length = body.unit_length;
    return read_signs(&groups, signs);
}

bool pt_number_styled(const char *text, size_t length, char decimal, const char *unit,
                      double *value)
{
    number_body body;
    number_groups groups;
    pt_number_signs signs = {0};
    if (!take_apart(text, length, &body) || !cut_groups(&body, &groups) ||
        !read_signs(&groups, &signs) || (decimal == '.' ? signs.comma : signs.point))
        return false;
    const bool any = body.unit_length == 0 || (body.currency && !*unit);
    if (!any &&
        (strlen(unit) != body.unit_length || memcmp(unit, body.unit, body.unit_length) != 0))
        return false;
    char plain[BODY_ROOM + 1];
    size_t used = 0;
    for (size_t i = 0; i < body.length; i++) {
        const char c = body.text[i];
        if (pt_is_digit(c) || i >= groups.mantissa)
            plain[used++] = c;
        else if (c == decimal)
            plain[used++] = '.';
    }
    if (pt_number_parse(plain, used, value) != PT_NUMBER_FINITE)
        return false;
    *value = body.scale * (body.negative ? -*value : *value);
    return true;
}
