/* Texts: lists that own their strings, patterns, numbers as people write them in options. */
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A block of letters. What is known of the list as a whole is in its newest block. */
struct pt_text_block {
    pt_text_block *next;
    size_t size; /* of the block, this head included */
    size_t used; /* letters in it */
    char *letters;
    /* of the list: */
    int64_t capacity; /* of items */
    size_t bytes;     /* of all blocks */
};

/* A block with room for so many letters at least. Blocks grow with the list, so that there are few
 * of them and little of the last one is empty. */
static pt_status block_new(pt_texts *texts, pt_budget *budget, size_t letters, pt_error *err)
{
    static const size_t LEAST = 128;
    static const size_t MOST = (size_t)1 << 20;
    const pt_text_block *before = texts->blocks;
    size_t size = before ? before->bytes / 2 : LEAST;
    size = size < LEAST ? LEAST : size > MOST ? MOST : size;
    if (letters > SIZE_MAX / 2)
        return pt_fail_memory(err, "a text", letters);
    if (size < sizeof *before + letters)
        size = sizeof *before + letters;
    PT_TRY(pt_budget_take(budget, size, "texts", err));
    pt_text_block *block = pt_alloc((int64_t)size, 1, "texts", err);
    if (!block) {
        pt_budget_give(budget, size);
        return PT_ENOMEM;
    }
    *block = (pt_text_block){.next = texts->blocks,
                             .size = size,
                             .letters = (char *)(block + 1),
                             .capacity = before ? before->capacity : 0,
                             .bytes = size + (before ? before->bytes : 0)};
    texts->blocks = block;
    return PT_OK;
}

static pt_status items_room(pt_texts *texts, pt_budget *budget, pt_error *err)
{
    enum { FIRST = 8 };
    const int64_t before = texts->blocks->capacity;
    if (texts->count < before)
        return PT_OK;
    const int64_t capacity = before ? before + before / 2 : FIRST;
    const size_t bytes = (size_t)capacity * sizeof(char *);
    pt_status status = pt_budget_take(budget, bytes, "texts", err);
    if (status != PT_OK)
        return status;
    status = pt_alloc_grow((void **)&texts->items, texts->count, capacity, sizeof(char *),
                           "a list of texts", err);
    pt_budget_give(budget, status == PT_OK ? (size_t)before * sizeof(char *) : bytes);
    if (status == PT_OK)
        texts->blocks->capacity = capacity;
    return status;
}

/* A copy of a text in the newest block. */
static pt_status keep_letters(pt_texts *texts, pt_budget *budget, const char *text, size_t length,
                              char **kept, pt_error *err)
{
    const pt_text_block *block = texts->blocks;
    if (!block || block->size - sizeof *block - block->used <= length)
        PT_TRY(block_new(texts, budget, length + 1, err));
    char *copy = texts->blocks->letters + texts->blocks->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    texts->blocks->used += length + 1;
    *kept = copy;
    return PT_OK;
}

pt_status pt_texts_add_within(pt_texts *texts, pt_budget *budget, const char *text, size_t length,
                              pt_error *err)
{
    char *copy = NULL;
    PT_TRY(keep_letters(texts, budget, text, length, &copy, err));
    PT_TRY(items_room(texts, budget, err));
    texts->items[texts->count++] = copy;
    return PT_OK;
}

pt_status pt_texts_add_n(pt_texts *texts, const char *text, size_t length, pt_error *err)
{
    return pt_texts_add_within(texts, NULL, text, length, err);
}

pt_status pt_texts_set(pt_texts *texts, int64_t index, const char *text, pt_error *err)
{
    return keep_letters(texts, NULL, text, strlen(text), &texts->items[index], err);
}

/* Blocks of `from` go behind those of `texts`, whose newest stays the newest; where it has none yet
 * the newest of the others begins its list of items. */
size_t pt_texts_take_letters(pt_texts *texts, pt_texts *from)
{
    pt_text_block *taken = from->blocks;
    if (!taken)
        return 0;
    const size_t left = (size_t)taken->capacity * sizeof *from->items;
    from->blocks = NULL;
    if (!texts->blocks) {
        taken->capacity = 0;
        texts->blocks = taken;
        return left;
    }
    pt_text_block *last = taken;
    while (last->next)
        last = last->next;
    last->next = texts->blocks->next;
    texts->blocks->next = taken;
    texts->blocks->bytes += taken->bytes;
    return left;
}

pt_status pt_texts_add_taken(pt_texts *texts, pt_budget *budget, char *item, pt_error *err)
{
    PT_TRY(items_room(texts, budget, err));
    texts->items[texts->count++] = item;
    return PT_OK;
}

pt_status pt_texts_add(pt_texts *texts, pt_error *err, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pt_texts_add_n(texts, text, strlen(text), err);
}

pt_status pt_texts_copy(pt_texts *out, const pt_texts *from, pt_error *err)
{
    pt_texts copy = {NULL, 0, 0};
    for (int64_t i = 0; i < from->count; i++) {
        pt_status status = pt_texts_add_n(&copy, from->items[i], strlen(from->items[i]), err);
        if (status != PT_OK) {
            pt_texts_free(&copy);
            return status;
        }
    }
    *out = copy;
    return PT_OK;
}

const char *pt_texts_get(const pt_texts *texts, int64_t index)
{
    return index >= 0 && index < texts->count ? texts->items[index] : NULL;
}

size_t pt_texts_bytes(const pt_texts *texts)
{
    const pt_text_block *newest = texts->blocks;
    return newest ? newest->bytes + (size_t)newest->capacity * sizeof *texts->items : 0;
}

void pt_texts_free(pt_texts *texts)
{
    for (pt_text_block *block = texts->blocks; block;) {
        pt_text_block *next = block->next;
        pt_free(block);
        block = next;
    }
    pt_free(texts->items);
    memset(texts, 0, sizeof *texts);
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* One piece, for a va_list cannot be handed on and come back advanced. */
void pt_text_format(char *out, size_t size, const char *format, va_list args)
{
    enum { SPEC_ROOM = 40 };
    va_list rest;
    va_copy(rest, args);
    size_t used = 0;
    for (const char *p = format; *p && used + 1 < size; p++) {
        if (*p != '%') {
            out[used++] = *p;
            continue;
        }
        /* The conversion, "%.40s", with the numbers that * stands for; *p is its last letter. */
        char spec[SPEC_ROOM] = "%";
        size_t n = 1;
        for (p++; strchr("-.*0123456789hlz", *p) && *p; p++)
            if (*p != '*')
                spec[n++] = *p;
            else
                n += (size_t)snprintf(spec + n, SPEC_ROOM - n, "%d", va_arg(rest, int));
        spec[n++] = *p;
        spec[n] = '\0';
        const bool wide = strstr(spec, "ll") != NULL;
        const bool is_long = strchr(spec, 'l') || strchr(spec, 'z'); /* size_t is a long's size */
        char *to = out + used;
        const size_t room = size - used;
        int taken = 0; /* bytes that it takes, were there room */
        switch (*p) {
        case 's': {
            const char *text = va_arg(rest, const char *);
            if (!strstr(spec, ".0s")) /* of an empty cell: for ASan that is the whole text */
                taken = snprintf(to, room, spec, text);
            break;
        }
        case 'd':
        case 'u':
        case 'x':
            taken = wide      ? snprintf(to, room, spec, va_arg(rest, long long))
                    : is_long ? snprintf(to, room, spec, va_arg(rest, long))
                              : snprintf(to, room, spec, va_arg(rest, int));
            break;
        case 'e':
        case 'f':
        case 'g':
            taken = snprintf(to, room, spec, va_arg(rest, double));
            break;
        case 'c':
            taken = snprintf(to, room, spec, va_arg(rest, int));
            break;
        case '%':
            taken = snprintf(to, room, "%%");
            break;
        default:
            assert(!"a conversion that sentences do not have");
        }
        const size_t end = taken <= 0             ? used
                           : (size_t)taken < room ? used + (size_t)taken
                                                  : size - 1;
        for (; used < end; used++)
            if (*p == 's' && spec[1] != '-' && out[used] == '`')
                out[used] = '\'';
    }
    out[used] = '\0';
    va_end(rest);
}

const char *pt_bytes_show(double bytes, char out[PT_BYTES_SHOWN])
{
    static const char *const UNITS[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 999.5) {
        snprintf(out, PT_BYTES_SHOWN, "%.0f B", bytes);
        return out;
    }
    int unit = 0;
    double shown = bytes / 1e3;
    while (shown >= 999.95 && unit < 5) {
        shown /= 1e3;
        unit++;
    }
    snprintf(out, PT_BYTES_SHOWN, "%.1f %s", shown, UNITS[unit]);
    return out;
}

/* One pattern without commas, of `length` bytes; the usual two-finger match of `*` and `?`. */
static bool glob_matches(const char *text, const char *pattern, size_t length)
{
    const char *end = pattern + length;
    const char *star = NULL;
    const char *retry = NULL;
    while (*text) {
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (pattern < end && (*pattern == '?' || *pattern == *text)) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

bool pt_text_matches(const char *text, const char *pattern)
{
    for (;;) {
        const size_t length = strcspn(pattern, ",");
        if (length > 0 && glob_matches(text, pattern, length))
            return true;
        if (pattern[length] == '\0')
            return false;
        pattern += length + 1;
    }
}

/* What strtod and strtoll would skip. */
static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* strtod in the C locale whatever the program has set. */
static bool plain_real(const char *text, size_t length, double *value)
{
    char copy[512];
    if (length == 0 || length >= sizeof copy || is_space(text[0]))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return false;
    char *end = NULL;
    const locale_t previous = uselocale(c_locale);
    *value = strtod(copy, &end);
    uselocale(previous);
    freelocale(c_locale);
    return end == copy + length;
}

void pt_real_to_text(double value, char text[PT_REAL_ROOM])
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t previous = c_locale ? uselocale(c_locale) : (locale_t)0;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, PT_REAL_ROOM, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    if (c_locale) {
        uselocale(previous);
        freelocale(c_locale);
    }
}

bool pt_text_to_real(const char *text, double *value)
{
    const char *power = strchr(text, '^');
    if (!power)
        return plain_real(text, strlen(text), value);
    double base = 0;
    double exponent = 0;
    if (!plain_real(text, (size_t)(power - text), &base) ||
        !plain_real(power + 1, strlen(power + 1), &exponent))
        return false;
    *value = pow(base, exponent);
    return true;
}

bool pt_text_to_integer(const char *text, int64_t *value)
{
    if (text[0] == '\0' || is_space(text[0]))
        return false;
    char *end = NULL;
    errno = 0;
    const long long parsed = strtoll(text, &end, 10);
    if (*end != '\0' || errno == ERANGE)
        return false;
    *value = parsed;
    return true;
}

/* Bytes of the UTF-8 character at `text` and its code; 0 where there is none. A text ends before it
 * is read beyond: its last byte, 0, continues no character. */
static int utf8_code(const unsigned char *text, unsigned *out)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000}; /* code of so many bytes */
    *out = text[0];
    if (text[0] < 0x80)
        return 1;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    const int length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    unsigned code = text[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    *out = code;
    return code >= least[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

static int utf8_length(const unsigned char *text)
{
    unsigned code = 0;
    return utf8_code(text, &code);
}

bool pt_text_is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        const int length = utf8_length(at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

/* The code of a byte of Windows-1252, which is Latin-1 but for these. */
static unsigned windows_code(unsigned char byte)
{
    static const unsigned short CODES[] = {
        0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8d,   0x017d, 0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};
    return byte >= 0x80 && byte < 0xa0 ? CODES[byte - 0x80] : byte;
}

bool pt_text_recoded(const char *a, const char *b)
{
    const bool utf8 = pt_text_is_utf8(a);
    if (utf8 == pt_text_is_utf8(b))
        return false;
    const unsigned char *wide = (const unsigned char *)(utf8 ? a : b);
    const unsigned char *narrow = (const unsigned char *)(utf8 ? b : a);
    unsigned code = 0;
    while (*wide && *narrow) {
        wide += utf8_code(wide, &code);
        if (code != windows_code(*narrow++))
            return false;
    }
    return !*wide && !*narrow;
}

/* How many bytes of a character that needs more are there; 0: none begins here. */
static int utf8_part(const unsigned char *at)
{
    const int needs = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    int there = 1;
    if (at[0] < 0xC2 || at[0] > 0xF4)
        return 0;
    while (there < needs && (at[there] & 0xC0) == 0x80)
        there++;
    return there < needs ? there : 0;
}

static bool has_utf8(const unsigned char *at)
{
    while (*at) {
        const int length = utf8_length(at);
        if (length > 1)
            return true;
        at += length > 0 ? length : 1;
    }
    return false;
}

void pt_text_to_utf8(char *out, size_t size, const char *text)
{
    const bool utf8 = has_utf8((const unsigned char *)text);
    size_t used = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const int length = utf8_length(at);
        const int part = length == 0 ? utf8_part(at) : 0;
        const char latin[2] = {(char)(0xC0 | *at >> 6), (char)(0x80 | (*at & 0x3F))};
        const bool drop = part > 1 || (part == 1 && (utf8 || *at <= 0xC3));
        const size_t wide = drop ? 0 : length > 0 ? (size_t)length : sizeof latin;
        if (used + wide >= size)
            break;
        memcpy(out + used, length > 0 ? (const char *)at : latin, wide);
        used += wide;
        at += length > 0 ? length : part > 0 ? part : 1;
    }
    out[used] = '\0';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool pt_text_alike(const char *a, const char *b)
{
    a += strspn(a, " \t");
    b += strspn(b, " \t");
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return a[strspn(a, " \t")] == '\0' && b[strspn(b, " \t")] == '\0';
}
