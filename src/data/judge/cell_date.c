/* Dates and times: a small scanner over words and numbers. */
#include "data/judge/judge_cells.h"

#include <math.h>
#include <string.h>

#include "data/read/number.h"

typedef struct scanner {
    const char *p;
    const char *end;
} scanner;

/* What a text holds before it is known which number is what. */
typedef struct date_fields {
    bool dated;
    int number[3]; /* as they stand; where the month has a name: year, month, day */
    int digits[3];
    bool named;      /* the month has a name, or else nothing but the order is in doubt */
    bool compact;    /* number[0] has all eight digits */
    bool month_only; /* there are a year and a month: the first two */
    char sign;
    bool timed;
    double time; /* fraction of a day */
} date_fields;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char peek(const scanner *s)
{
    return s->p < s->end ? *s->p : '\0';
}

static bool take(scanner *s, char c)
{
    if (peek(s) != c || s->p == s->end)
        return false;
    s->p++;
    return true;
}

static void skip_spaces(scanner *s)
{
    while (take(s, ' ')) {
    }
}

/* A whole number of at most `most` digits; returns how many it has. */
static int take_number(scanner *s, int most, int *number)
{
    int digits = 0;
    *number = 0;
    while (digits < most && s->p < s->end && pt_is_digit(*s->p)) {
        *number = 10 * *number + (*s->p++ - '0');
        digits++;
    }
    return s->p < s->end && pt_is_digit(*s->p) ? 0 : digits;
}

/* The letter of our alphabet at p, small and without accents, in UTF-8 or Latin-1; 0: none. */
static char plain_letter(const char *p, const char *end, size_t *bytes)
{
    static const char PLAIN[] = "aaaaaaaceeeeiiii_nooooo_ouuuuy_y"; /* from 0xe0 on */
    const unsigned char c = (unsigned char)*p;
    *bytes = 1;
    if (is_letter(*p))
        return (char)(c | 0x20);
    unsigned int code = c;
    if (c == 0xc3 && end - p > 1) {
        code = 0xc0 | ((unsigned char)p[1] & 0x3f);
        *bytes = 2;
    }
    const char letter = code >= 0xc0 ? PLAIN[code & 0x1f] : '_';
    return letter == '_' ? '\0' : letter;
}

/* A word of three letters at least that is, or begins, one of `count` words in some language; -1:
 * there is none, or two that mean different things. */
static int take_word(scanner *s, const char *const *words, int languages, int count)
{
    enum { ROOM = 16 };
    char word[ROOM];
    size_t length = 0;
    const char *p = s->p;
    while (p < s->end && length < ROOM) {
        size_t bytes = 0;
        const char letter = plain_letter(p, s->end, &bytes);
        if (!letter)
            break;
        word[length++] = letter;
        p += bytes;
    }
    int found = -1;
    for (int w = 0; w < languages * count && length >= 3 && length < ROOM; w++) {
        if (strncmp(words[w], word, length) != 0)
            continue;
        if (found >= 0 && found != w % count)
            return -1;
        found = w % count;
    }
    if (found >= 0)
        s->p = p;
    return found;
}

static int take_month(scanner *s)
{
    enum { LANGUAGES = 7 };
    static const char *const MONTHS[] = {
        "january", "february",  "march",      "april",   "may",       "june",
        "july",    "august",    "september",  "october", "november",  "december", /* English */
        "januar",  "februar",   "marz",       "april",   "mai",       "juni",
        "juli",    "august",    "september",  "oktober", "november",  "dezember", /* German */
        "janner",  "feber",     "mrz",        "april",   "mai",       "juno",
        "julei",   "august",    "sept",       "oktober", "november",  "dezember",
        "janvier", "fevrier",   "mars",       "avril",   "mai",       "juin",
        "juillet", "aout",      "septembre",  "octobre", "novembre",  "decembre", /* French */
        "enero",   "febrero",   "marzo",      "abril",   "mayo",      "junio",
        "julio",   "agosto",    "septiembre", "octubre", "noviembre", "diciembre", /* Spanish */
        "gennaio", "febbraio",  "marzo",      "aprile",  "maggio",    "giugno",
        "luglio",  "agosto",    "settembre",  "ottobre", "novembre",  "dicembre", /* Italian */
        "janeiro", "fevereiro", "marco",      "abril",   "maio",      "junho",
        "julho",   "agosto",    "setembro",   "outubro", "novembro",  "dezembro", /* Portuguese */
    };
    const int month = take_word(s, MONTHS, LANGUAGES, 12) + 1;
    if (month > 0)
        take(s, '.');
    return month;
}

static void skip_weekday(scanner *s)
{
    enum { LANGUAGES = 4 };
    static const char *const DAYS[] = {
        "monday", "tuesday",  "wednesday", "thursday",   "friday",   "saturday", "sunday",
        "montag", "dienstag", "mittwoch",  "donnerstag", "freitag",  "samstag",  "sonntag",
        "lundi",  "mardi",    "mercredi",  "jeudi",      "vendredi", "samedi",   "dimanche",
        "lunes",  "martes",   "miercoles", "jueves",     "viernes",  "sabado",   "domingo"};
    const scanner before = *s;
    if (take_word(s, DAYS, LANGUAGES, 7) < 0)
        return;
    take(s, '.');
    take(s, ',');
    skip_spaces(s);
    if (!pt_is_digit(peek(s)) && !is_letter(peek(s)))
        *s = before;
}

/* Between the parts of a date with a name in it: spaces, a comma, a dash, a point. */
static void skip_joint(scanner *s)
{
    take(s, '.');
    take(s, ',');
    skip_spaces(s);
    if (!take(s, '-'))
        take(s, '/');
    if (s->end - s->p > 3 && memcmp(s->p, "de ", 3) == 0) /* 5 de mayo de 2024 */
        s->p += 3;
    skip_spaces(s);
}

static int full_year(int year, int digits)
{
    return digits == 4 ? year : digits == 2 ? (year < 70 ? 2000 : 1900) + year : 0;
}

/* 31 Dec 2024, 31-Dec-24, Dec 31, 2024, 2024 Dec 31, Dec 2024 */
static bool named_date(scanner *s, date_fields *f)
{
    int first = 0;
    int last = 0;
    const int digits = take_number(s, 4, &first);
    if (digits == 1 || digits == 2) {
        static const char *const ENDINGS[] = {"st", "nd", "rd", "th", "er"};
        for (int i = 0; i < 5; i++)
            if (s->end - s->p >= 2 && memcmp(s->p, ENDINGS[i], 2) == 0) {
                s->p += 2;
                break;
            }
    }
    if (digits)
        skip_joint(s);
    const int month = take_month(s);
    if (!month)
        return false;
    skip_joint(s);
    int last_digits = take_number(s, 4, &last);
    f->named = true;
    f->dated = true;
    f->number[1] = month;
    if (digits == 4) { /* 2024 Dec 31 */
        f->number[0] = first;
        f->number[2] = last;
        return last_digits == 1 || last_digits == 2;
    }
    if (digits == 0 && last_digits != 4) { /* Dec 31, 2024 */
        f->number[2] = last;
        if (last_digits == 0)
            return false;
        skip_joint(s);
        last_digits = take_number(s, 4, &last);
    } else {
        f->number[2] = digits ? first : 1;
    }
    f->number[0] = full_year(last, last_digits);
    return f->number[0] > 0;
}

/* 20241231, or 31122024 */
static bool compact_date(scanner *s, date_fields *f)
{
    const scanner before = *s;
    if (take_number(s, 8, &f->number[0]) != 8) {
        *s = before;
        return false;
    }
    f->dated = f->compact = true;
    return true;
}

/* 2024-12-31, 31.12.2024, 12/31/24; 2024-12, 12/2024; 20241231 */
static bool numeric_date(scanner *s, date_fields *f)
{
    if (compact_date(s, f))
        return true;
    f->digits[0] = take_number(s, 4, &f->number[0]);
    f->sign = peek(s);
    if (f->digits[0] == 0 || !(take(s, '-') || take(s, '/') || take(s, '.')))
        return false;
    f->digits[1] = take_number(s, 4, &f->number[1]);
    if (f->digits[1] == 0 || f->digits[1] == 3)
        return false;
    f->dated = true;
    if (!take(s, f->sign)) {
        const bool year_first = f->digits[0] == 4;
        f->month_only = true;
        if (!year_first) {
            const int month = f->number[0];
            f->number[0] = f->number[1];
            f->number[1] = month;
        }
        return f->sign != '.' && f->digits[year_first ? 1 : 0] <= 2 &&
               f->digits[year_first ? 0 : 1] == 4;
    }
    f->digits[2] = take_number(s, 4, &f->number[2]);
    const int year = f->digits[0] == 4 ? 0 : 2;
    return f->digits[1] <= 2 && f->digits[2 - year] <= 2 && f->digits[2 - year] > 0 &&
           (f->digits[year] == 4 || f->digits[year] == 2);
}

static bool any_date(scanner *s, date_fields *f)
{
    const scanner date = *s;
    *f = (date_fields){0};
    if (numeric_date(s, f))
        return true;
    *f = (date_fields){0};
    *s = date;
    return named_date(s, f);
}

/* Z, +01:00, -0330, UTC, GMT+1: read, and not used. */
static bool skip_zone(scanner *s)
{
    int ignored = 0;
    int letters = 0;
    skip_spaces(s);
    if (s->p == s->end || take(s, 'Z') || take(s, 'z'))
        return true;
    while (s->p < s->end && *s->p >= 'A' && *s->p <= 'Z') {
        s->p++;
        letters++;
    }
    if (letters == 1 || letters > 5 || !(take(s, '+') || take(s, '-')))
        return letters >= 2 && letters <= 5;
    const int digits = take_number(s, 4, &ignored);
    if (digits == 4)
        return true;
    return (digits == 2 || (digits == 1 && letters > 0)) &&
           (!take(s, ':') || take_number(s, 2, &ignored) == 2);
}

/* am, PM, a.m.: 'a' or 'p'; 0: neither. */
static char take_half(scanner *s)
{
    const scanner before = *s;
    const char half = (char)(peek(s) | 0x20);
    if (half == 'a' || half == 'p') {
        s->p++;
        const bool point = take(s, '.');
        if ((take(s, 'm') || take(s, 'M')) && (!point || take(s, '.')))
            return half;
    }
    *s = before;
    return '\0';
}

/* 13:45, 13:45:10.5, 13h45, 1:45 pm; alone it may be a duration of more than a day, `compact` it
 * may lack its colons. */
static bool take_time(scanner *s, bool alone, bool compact, date_fields *f)
{
    int hour = 0;
    int minute = 0;
    int second = 0;
    double part = 0;
    const int digits = take_number(s, compact ? 6 : 4, &hour);
    if (compact && digits == 4) { /* T1345 */
        minute = hour % 100;
        hour /= 100;
    } else if (compact && digits == 6) {
        second = hour % 100;
        minute = hour / 100 % 100;
        hour /= 10000;
    } else if (digits == 0 || digits > 4 || !(take(s, ':') || take(s, 'h')) ||
               take_number(s, 2, &minute) != 2) {
        return false;
    } else if (take(s, ':')) {
        if (take_number(s, 2, &second) != 2)
            return false;
        if (take(s, '.') || take(s, ','))
            for (double unit = 0.1; s->p < s->end && pt_is_digit(*s->p); unit /= 10)
                part += unit * (*s->p++ - '0');
    }
    skip_spaces(s);
    const char half = take_half(s);
    if (half) {
        if (hour < 1 || hour > 12)
            return false;
        hour = hour % 12 + (half == 'p' ? 12 : 0);
    }
    f->timed = true;
    f->time = (hour * 3600 + minute * 60 + second + part) / 86400.0;
    return minute < 60 && second < 61 && (hour < 24 || (alone && digits <= 4)) && skip_zone(s);
}

static bool read_fields(const char *text, size_t length, date_fields *f)
{
    *f = (date_fields){0};
    scanner s = {text, text + length};
    while (s.end > s.p && (s.end[-1] == ' ' || s.end[-1] == '\r'))
        s.end--;
    skip_spaces(&s);
    const scanner start = s;
    if (take_time(&s, true, false, f) && s.p == s.end)
        return true;
    s = start;
    skip_weekday(&s);
    if (!any_date(&s, f)) { /* Mar is March, too */
        s = start;
        if (!any_date(&s, f))
            return false;
    }
    if (s.p == s.end)
        return true;
    const bool compact = take(&s, 'T') || take(&s, 't'); /* 2024-12-31T13:45 */
    if (!compact) {
        if (!take(&s, ',') && peek(&s) != ' ')
            return false;
        skip_spaces(&s);
    }
    return take_time(&s, false, compact, f) && s.p == s.end;
}

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static bool is_date(int year, int month, int day)
{
    static const int DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
           day <= DAYS[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 1970-01-01 to a date of our calendar. The year begins in March, so that the day that
 * leaps is its last. */
static int days_of(int year, int month, int day)
{
    const int y = year - (month <= 2);
    const int era = y / 400;
    const int of_era = y - era * 400;
    const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* The date in an order; false: it is none. */
static bool in_order(const date_fields *f, pt_date_order order, int *days)
{
    int year = f->number[0];
    int month = f->number[1];
    int day = f->number[2];
    if (f->compact && order == PT_DATE_YMD) {
        year = f->number[0] / 10000;
        month = f->number[0] / 100 % 100;
        day = f->number[0] % 100;
    } else if (f->compact) { /* years of our time alone, so that 20101012 has one reading */
        enum { FIRST_YEAR = 1900, LAST_YEAR = 2100 };
        const int high = f->number[0] / 1000000;
        const int low = f->number[0] / 10000 % 100;
        year = f->number[0] % 10000;
        month = order == PT_DATE_MDY ? high : low;
        day = order == PT_DATE_MDY ? low : high;
        if (year < FIRST_YEAR || year > LAST_YEAR)
            return false;
    } else if (f->month_only) {
        day = 1;
    } else if (!f->named) {
        const int at = order == PT_DATE_YMD ? 0 : 2;
        if ((f->digits[0] == 4) != (at == 0) && (f->digits[0] == 4 || f->digits[2] == 4))
            return false;
        year = full_year(f->number[at], f->digits[at]);
        month = f->number[order == PT_DATE_MDY ? 0 : 1];
        day = f->number[order == PT_DATE_YMD ? 2 : order == PT_DATE_DMY ? 0 : 1];
    }
    if (!is_date(year, month, day))
        return false;
    *days = days_of(year, month, day);
    return true;
}

bool pt_date_forms_of(const char *text, size_t length, pt_date_forms *forms)
{
    date_fields f;
    int days = 0;
    if (!read_fields(text, length, &f))
        return false;
    *forms = (pt_date_forms){.time = f.timed,
                             .sign = f.named || f.compact ? '\0' : f.sign,
                             .short_year = f.digits[0] == 2 && f.digits[2] == 2};
    for (int order = 0; f.dated && order < PT_N_DATE_ORDERS; order++)
        if (in_order(&f, (pt_date_order)order, &days))
            forms->orders |= 1 << order;
    return !f.dated || forms->orders != 0;
}

bool pt_date_parse(const char *text, size_t length, pt_date_order order, bool time_alone,
                   double *days)
{
    date_fields f;
    int whole = 0;
    if (!read_fields(text, length, &f) || f.dated == time_alone ||
        (f.dated && !in_order(&f, order, &whole)))
        return false;
    *days = whole + f.time;
    return true;
}

/* The inverse of days_of. */
int pt_date_day(double days)
{
    const int64_t from_march = (int64_t)floor(days) + 719468;
    const int64_t of_era = (from_march % 146097 + 146097) % 146097;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    const int64_t month = (5 * of_year + 2) / 153;
    return (int)(of_year - (153 * month + 2) / 5 + 1);
}

double pt_date_part(double days, int part, bool time_alone)
{
    if (part == PT_PART_DAYS || isnan(days))
        return days;
    const double whole = floor(days);
    if (part == PT_PART_WEEKDAY) { /* 1970-01-01 was a Thursday */
        const double weekday = fmod(whole + 3, 7);
        return (weekday < 0 ? weekday + 7 : weekday) + 1;
    }
    return round((time_alone ? days : days - whole) * 86400) / 3600;
}
