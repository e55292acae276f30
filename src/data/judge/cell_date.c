/* Dates and times: a small scanner over words and numbers. */
#include "data/judge/judge_cells.h"

#include <math.h>
#include <string.h>

#include "data/read/number.h"

typedef struct scanner {
    const char *p;
    const char *end;
} scanner;

/* A number beside the name of a month that may be a day or a year: Jul-23, 23-Jul. */
typedef enum lone_number { NOT_LONE, LONE_BEHIND, LONE_BEFORE } lone_number;

/* What a text holds before it is known which number is what. */
typedef struct date_fields {
    bool dated;
    int number[3]; /* as they stand; where the month has a name: year, month, day */
    int digits[3];
    bool named;       /* the month has a name, or else nothing but the order is in doubt */
    lone_number lone; /* number[2] is */
    bool no_day;      /* ... and is no day: Jul'23, JUL23 */
    int week;         /* of the year number[0], as ISO counts them; number[2]: the day in it */
    bool compact;     /* number[0] has all eight digits */
    bool late;        /* the year 45 was taken for 2045 */
    bool month_only;  /* there are a year and a month: the first two */
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
    enum { LANGUAGES = 10 };
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
        "januari", "februari",  "maart",      "april",   "mei",       "juni",
        "juli",    "augustus",  "september",  "oktober", "november",  "december", /* Dutch */
        "januari", "februari",  "mrt",        "april",   "mei",       "juni",
        "juli",    "augustus",  "september",  "oktober", "november",  "december",
        "januar",  "februar",   "marts",      "april",   "maj",       "juni",
        "juli",    "augusti",   "september",  "oktober", "november",  "desember", /* northern */
    };
    const int month = take_word(s, MONTHS, LANGUAGES, 12) + 1;
    if (month > 0)
        take(s, '.');
    return month;
}

static void skip_weekday(scanner *s)
{
    enum { LANGUAGES = 6 };
    static const char *const DAYS[] = {
        "monday",  "tuesday",  "wednesday", "thursday",   "friday",   "saturday", "sunday",
        "montag",  "dienstag", "mittwoch",  "donnerstag", "freitag",  "samstag",  "sonntag",
        "lundi",   "mardi",    "mercredi",  "jeudi",      "vendredi", "samedi",   "dimanche",
        "lunes",   "martes",   "miercoles", "jueves",     "viernes",  "sabado",   "domingo",
        "lunedi",  "martedi",  "mercoledi", "giovedi",    "venerdi",  "sabato",   "domenica",
        "maandag", "dinsdag",  "woensdag",  "donderdag",  "vrijdag",  "zaterdag", "zondag"};
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
static bool skip_joint(scanner *s)
{
    const char *before = s->p;
    take(s, '.');
    take(s, ',');
    skip_spaces(s);
    if (!take(s, '-'))
        take(s, '/');
    if (s->end - s->p > 3 && memcmp(s->p, "de ", 3) == 0) /* 5 de mayo de 2024 */
        s->p += 3;
    skip_spaces(s);
    return s->p > before;
}

/* 1st, 2nd, 1er */
static void skip_ending(scanner *s)
{
    static const char *const ENDINGS[] = {"st", "nd", "rd", "th", "er"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (s->end - s->p >= 2 && memcmp(s->p, ENDINGS[i], 2) == 0) {
            s->p += 2;
            return;
        }
}

static int full_year(int year, int digits)
{
    return digits == 4 ? year : digits == 2 ? (year < 70 ? 2000 : 1900) + year : 0;
}

/* Whether a year of two digits is taken for one that is far ahead, and may be long past: births. */
static bool is_late(int year, int digits)
{
    enum { FIRST = 40, LAST = 69 };
    return digits == 2 && year >= FIRST && year <= LAST;
}

/* 31 Dec 2024, 31-Dec-24, Dec 31, 2024, 2024 Dec 31, Dec 2024, 2024 Dec; Dec-24 and 31-Dec, where
 * the number may be a day or a year */
static bool named_date(scanner *s, date_fields *f)
{
    int first = 0;
    const int digits = take_number(s, 4, &first);
    if (digits == 1 || digits == 2)
        skip_ending(s);
    if (digits)
        skip_joint(s);
    const char *word = s->p;
    const int month = take_month(s);
    const bool amount = s->p - word == 3 && (memcmp(word, "set", 3) == 0 || /* 3 set, 5 out */
                                             memcmp(word, "out", 3) == 0);
    if (!month)
        return false;
    const scanner behind_month = *s;
    const bool joint = skip_joint(s);
    const bool apostrophe = take(s, '\'');
    int last = 0;
    const int last_digits = take_number(s, 4, &last);
    const bool no_last = last_digits == 0 || (peek(s) == ':' && last_digits <= 2); /* a time */
    f->named = f->dated = true;
    f->number[1] = month;
    if (digits > 0 && no_last) { /* 2024 Dec, 31 Dec */
        *s = behind_month;
        f->number[digits == 4 ? 0 : 2] = first;
        f->number[digits == 4 ? 2 : 0] = 1;
        f->digits[2] = digits;
        f->lone = digits == 4 ? NOT_LONE : LONE_BEFORE;
        return digits != 3 && !amount;
    }
    if (digits == 4) { /* 2024 Dec 31 */
        f->number[0] = first;
        f->number[2] = last;
        return last_digits == 1 || last_digits == 2;
    }
    if (digits > 0 || last_digits == 4) { /* 31 Dec 2024, Dec 2024 */
        f->number[0] = full_year(last, last_digits);
        f->late = is_late(last, last_digits);
        f->number[2] = digits ? first : 1;
        return f->number[0] > 0;
    }
    f->number[2] = last;
    if (no_last || last_digits > 2)
        return false;
    const scanner behind_last = *s;
    skip_ending(s);
    skip_joint(s);
    const int year_digits = take_number(s, 4, &f->number[0]);
    if (year_digits > 0 && peek(s) != ':' && !apostrophe) { /* Dec 31, 2024 */
        f->late = is_late(f->number[0], year_digits);
        f->number[0] = full_year(f->number[0], year_digits);
        return f->number[0] > 0;
    }
    *s = behind_last; /* Dec 31, Dec-24 */
    f->digits[2] = last_digits;
    f->lone = LONE_BEHIND;
    f->no_day = apostrophe || !joint;
    if (!f->no_day)
        skip_ending(s);
    return true;
}

/* A quarter, half or week of a year: 2024 Q2, 2024-H1, 2024-W14, 2024-W14-5, Q2 2024, 2Q24,
 * KW 14/2024, and 2024M07, the month as statistical offices write it. It is its first day. */
static bool period_date(scanner *s, date_fields *f)
{
    enum { FIRST_YEAR = 1900, LAST_YEAR = 2100, MOST_WEEKS = 53 };
    static const char *const WORDS[] = {"Q", "q", "H", "h", "M", "KW", "CW", "Week", "W", "w"};
    enum { N_WORDS = sizeof WORDS / sizeof *WORDS, MONTH = 4 };
    int first = 0;
    int second = 0;
    const int digits = take_number(s, 4, &first);
    if (digits == 4)
        skip_joint(s);
    int w = 0;
    while (w < N_WORDS && ((size_t)(s->end - s->p) < strlen(WORDS[w]) ||
                           memcmp(s->p, WORDS[w], strlen(WORDS[w])) != 0))
        w++;
    if (w == N_WORDS || digits == 2 || digits == 3 || (digits == 1 && w > MONTH))
        return false;
    s->p += strlen(WORDS[w]);
    if (digits == 0)
        skip_spaces(s);
    if (digits != 1 && take_number(s, 2, &second) == 0)
        return false;
    const int number = digits == 1 ? first : second;
    int year = first;
    if (digits < 4) {
        const bool joint = skip_joint(s) || digits == 1;
        const bool short_year =
            take(s, '\'') || (joint && (w < 2 || digits == 1)); /* H1-23 may be a place */
        const int year_digits = take_number(s, 4, &year);
        year = year_digits == 4 || short_year ? full_year(year, year_digits) : 0;
    }
    f->dated = f->named = true;
    f->number[0] = year;
    f->number[2] = 1;
    if (year < FIRST_YEAR || year > LAST_YEAR || number < 1)
        return false;
    if (w <= MONTH) {
        const int periods = w < 2 ? 4 : w < MONTH ? 2 : 12;
        f->number[1] = (number - 1) * (12 / periods) + 1;
        return number <= periods && (w < MONTH || (digits == 4 && s->p[-2] != 'M'));
    }
    f->week = number;
    f->number[1] = 1;
    if (digits == 4 && take(s, '-') && take_number(s, 1, &f->number[2]) == 0)
        return false;
    return number <= MOST_WEEKS && f->number[2] >= 1 && f->number[2] <= 7;
}

/* The signs of China and Japan, or of Korea, behind the year, the month and the day. */
static bool eastern_date(scanner *s, date_fields *f)
{
    static const char *const SIGNS[2][3] = {{"\xe5\xb9\xb4", "\xe6\x9c\x88", "\xe6\x97\xa5"},
                                            {"\xeb\x85\x84", "\xec\x9b\x94", "\xec\x9d\xbc"}};
    for (int part = 0; part < 3; part++) {
        skip_spaces(s);
        if (take_number(s, 4, &f->number[part]) == 0 || s->end - s->p < 3 ||
            (memcmp(s->p, SIGNS[0][part], 3) != 0 && memcmp(s->p, SIGNS[1][part], 3) != 0))
            return false;
        s->p += 3;
    }
    f->dated = f->named = true;
    return true;
}

/* 20241231134500, 202412311345: year, month, day and time of our years without a sign. */
static bool compact_stamp(scanner *s, date_fields *f)
{
    enum { DATE = 8, MINUTES = 12, SECONDS = 14 };
    size_t digits = 0;
    while (s->p + digits < s->end && pt_is_digit(s->p[digits]))
        digits++;
    if (digits != MINUTES && digits != SECONDS)
        return false;
    int part[5] = {0};
    for (size_t i = 0; i < digits; i++) {
        int *into = &part[i < DATE ? 0 : 1 + (i - DATE) / 2];
        *into = 10 * *into + (s->p[i] - '0');
    }
    const int century = part[0] / 1000000;
    if ((century != 19 && century != 20) || part[1] > 23 || part[2] > 59 || part[3] > 59)
        return false;
    s->p += digits;
    f->number[0] = part[0] / 10000;
    f->number[1] = part[0] / 100 % 100;
    f->number[2] = part[0] % 100;
    f->dated = f->named = f->timed = true;
    f->time = (part[1] * 3600 + part[2] * 60 + part[3]) / 86400.0;
    return true;
}

/* 20241231, or 31122024; 202412 */
static bool compact_date(scanner *s, date_fields *f)
{
    const scanner before = *s;
    const int digits = take_number(s, 8, &f->number[0]);
    if (digits != 8 && digits != 6) {
        *s = before;
        return false;
    }
    f->dated = f->compact = true;
    f->month_only = digits == 6;
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
    static bool (*const FORMS[])(scanner *, date_fields *) = {
        numeric_date, compact_stamp, period_date, eastern_date, named_date};
    for (size_t form = 0; form < sizeof FORMS / sizeof *FORMS; form++) {
        *f = (date_fields){0};
        *s = date;
        if (FORMS[form](s, f))
            return true;
    }
    return false;
}

/* 3 days 04:05:06, 3 days, 4:05:06, as pandas and Python write what lies between two times. */
static int take_days(scanner *s)
{
    const scanner before = *s;
    int days = 0;
    if (take_number(s, 4, &days) > 0 && take(s, ' ') && s->end - s->p > 4 &&
        memcmp(s->p, "day", 3) == 0) {
        s->p += 3;
        take(s, 's');
        take(s, ',');
        if (take(s, ' '))
            return days;
    }
    *s = before;
    return 0;
}

/* Z, +01:00, -0330, UTC, GMT+1, +0000 UTC: read, and not used. */
static bool skip_zone(scanner *s)
{
    int ignored = 0;
    int letters = 0;
    skip_spaces(s);
    if (s->p == s->end || take(s, 'Z') || take(s, 'z') || pt_is_digit(peek(s))) /* a year, in C */
        return true;
    while (s->p < s->end && *s->p >= 'A' && *s->p <= 'Z') {
        s->p++;
        letters++;
    }
    if (letters == 1 || letters > 5 || !(take(s, '+') || take(s, '-')))
        return letters >= 2 && letters <= 5;
    const int digits = take_number(s, 4, &ignored);
    if (digits == 4) { /* as Go writes it, with the name behind it */
        if (letters == 0 && take(s, ' '))
            while (s->p < s->end && *s->p >= 'A' && *s->p <= 'Z')
                s->p++;
        return true;
    }
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
    const char sign = !alone && f->named && peek(s) == '.' ? '.' : ':'; /* Oracle's 01.45.00 PM */
    if (compact && digits == 4) {                                       /* T1345 */
        minute = hour % 100;
        hour /= 100;
    } else if (compact && digits == 6) {
        second = hour % 100;
        minute = hour / 100 % 100;
        hour /= 10000;
    } else if (digits == 0 || digits > 4 || !(take(s, sign) || take(s, 'h')) ||
               take_number(s, 2, &minute) != 2) {
        return false;
    } else if (take(s, sign)) {
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

/* Mon Jan 05 13:45:00 CET 2024, as C and Java print the time. */
static bool ends_in_year(scanner *s, date_fields *f)
{
    skip_spaces(s);
    if (f->lone != LONE_BEHIND || f->no_day || take_number(s, 4, &f->number[0]) != 4)
        return false;
    f->lone = NOT_LONE;
    return s->p == s->end;
}

static bool read_fields(const char *text, size_t length, date_fields *f)
{
    *f = (date_fields){0};
    scanner s = {text, text + length};
    while (s.end > s.p && (s.end[-1] == ' ' || s.end[-1] == '\r'))
        s.end--;
    skip_spaces(&s);
    if (s.end - s.p > 2 && s.end[-1] == ']' && take(&s, '[')) /* as in the logs of web servers */
        s.end--;
    const scanner start = s;
    const int days = take_days(&s);
    if (take_time(&s, true, false, f) && s.p == s.end) {
        f->time += days;
        return true;
    }
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
        if (!take(&s, ',') && peek(&s) != ' ' && !(f->named && take(&s, ':'))) /* 05JAN2024:13:45 */
            return false;
        skip_spaces(&s);
    }
    return !f->timed && take_time(&s, false, compact, f) && (s.p == s.end || ends_in_year(&s, f));
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

/* The Monday of the week that ISO 8601 counts as the first: the one with the 4th of January. */
static int first_monday(int year)
{
    const int fourth = days_of(year, 1, 4);
    return fourth - (fourth + 3) % 7; /* 1970-01-01 was a Thursday, and years are of our time */
}

/* Jul-23 and 23-Jul: the first of July 2023, or in the order without a year the day of one that
 * leaps. */
static bool lone_in_order(const date_fields *f, pt_date_order order, int *year, int *day)
{
    enum { LEAP_YEAR = 2000, MOST_DAYS = 31 };
    if (order == PT_DATE_MD) {
        *year = LEAP_YEAR;
        return !f->no_day;
    }
    *year = full_year(f->number[2], f->digits[2]);
    *day = 1;
    return f->digits[2] == 2 && !f->timed &&
           (f->lone == LONE_BEHIND || /* 98-Jul is July 1998, 23-Jul a day */
            (order == PT_DATE_YMD && (f->number[2] == 0 || f->number[2] > MOST_DAYS)));
}

/* The date in an order; false: it is none. */
static bool in_order(const date_fields *f, pt_date_order order, int *days)
{
    enum { FIRST_YEAR = 1900, LAST_YEAR = 2100 };
    int year = f->number[0];
    int month = f->number[1];
    int day = f->number[2];
    if (f->lone) {
        if (!lone_in_order(f, order, &year, &day))
            return false;
    } else if (order == PT_DATE_MD) {
        return false;
    } else if (f->week > 0) {
        *days = first_monday(year) + 7 * (f->week - 1) + day - 1;
        return true;
    } else if (f->compact && f->month_only) {
        year = f->number[0] / 100;
        month = f->number[0] % 100;
        day = 1;
        if (order != PT_DATE_YMD || year < FIRST_YEAR || year > LAST_YEAR)
            return false;
    } else if (f->compact && order == PT_DATE_YMD) {
        year = f->number[0] / 10000;
        month = f->number[0] / 100 % 100;
        day = f->number[0] % 100;
    } else if (f->compact) { /* years of our time alone, so that 20101012 has one reading */
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
    *forms = (pt_date_forms){
        .time = f.timed,
        .sign = f.named || f.compact ? '\0' : f.sign,
        .short_year = f.digits[0] == 2 && f.digits[2] == 2,
        .late_year = f.late || (!f.named && f.digits[0] < 4 && is_late(f.number[2], f.digits[2]))};
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
