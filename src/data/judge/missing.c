/* Words for missing cells: what R, pandas, spreadsheets, data bases and people write. */
#include "data/judge/judge_cells.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static bool is_one_of(const char *const *words, size_t count, const char *text, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (words[i][0] == text[0] && strlen(words[i]) == length &&
            memcmp(words[i], text, length) == 0)
            return true;
    return false;
}

const char *pt_na_next(const char **list, size_t *length)
{
    const char *word = *list;
    if (!*word)
        return NULL;
    *length = strcspn(word, ",");
    *list = word + *length + (word[*length] == ',');
    const bool plus = *word == '+' && *length > 1; /* a + alone is a word */
    *length -= plus;
    return word + plus;
}

/* Which word of the list a text is, from 0; -1: none. */
static int find_listed(const char *list, const char *text, size_t length)
{
    size_t own = 0;
    const char *word = NULL;
    for (int w = 0; (word = pt_na_next(&list, &own)); w++)
        if (own == length && memcmp(word, text, length) == 0)
            return w;
    return -1;
}

bool pt_na_adds(const char *na)
{
    for (const char *p = na; p && *p; p++)
        if (*p == '+' && (p == na || p[-1] == ',') && p[1] && p[1] != ',')
            return true;
    return false;
}

bool pt_is_named_missing(const char *na, const char *text, size_t length)
{
    return find_listed(na, text, length) >= 0;
}

pt_status pt_na_join(char **out, const char *own, const char *more, pt_error *err)
{
    const bool adds = pt_na_adds(own);
    const size_t room = strlen(own) + 2 * strlen(more) + 2; /* each word may get a + */
    char *joined = pt_alloc((int64_t)room, 1, "words for missing cells", err);
    if (!joined)
        return PT_ENOMEM;
    size_t used = (size_t)snprintf(joined, room, "%s", own);
    size_t length = 0;
    for (const char *word; (word = pt_na_next(&more, &length));)
        used +=
            (size_t)snprintf(joined + used, room - used, ",%s%.*s",
                             adds || (*word == '+' && length > 1) ? "+" : "", (int)length, word);
    *out = joined;
    return PT_OK;
}

void pt_na_note(const char *na, const char *text, size_t length, uint64_t *seen)
{
    const int word = find_listed(na, text, length);
    if (word >= 0 && word < PT_NA_NOTED)
        *seen |= UINT64_C(1) << word;
}

bool pt_is_missing_word(const char *na, const char *text, size_t length)
{
    static const char *const WORDS[] = {"?",    "NA",   "N/A",  "n/a", "NaN",  "nan", "NULL",
                                        "null", "None", "<NA>", "\\N", "#N/A", "NaT"};
    enum { LONGEST = 4 };
    if (length == 0)
        return true;
    if (na && *na && pt_is_named_missing(na, text, length))
        return true;
    if (na && *na && !pt_na_adds(na))
        return false;
    return length <= LONGEST && is_one_of(WORDS, sizeof WORDS / sizeof *WORDS, text, length);
}

bool pt_is_gap_word(const char *na, const char *text, size_t length)
{
    static const char *const WORDS[] = {"-",
                                        "--",
                                        "---",
                                        ".",
                                        "..",
                                        "...",
                                        "none",
                                        "None",
                                        "NONE",
                                        "na",
                                        "n.a.",
                                        "nil",
                                        "Nil",
                                        "NIL",
                                        "Null",
                                        "NAN",
                                        "missing",
                                        "Missing",
                                        "MISSING",
                                        "n/d",
                                        "\xe2\x80\x93" /* en dash */,
                                        "\xe2\x80\x94",
                                        "#DIV/0!",
                                        "#VALUE!",
                                        "#REF!",
                                        "#NAME?",
                                        "#NUM!",
                                        "#NULL!"};
    enum { LONGEST = 7 };
    if (na && *na && !pt_na_adds(na)) /* whoever lists words means no others */
        return false;
    return length > 0 && length <= LONGEST &&
           is_one_of(WORDS, sizeof WORDS / sizeof *WORDS, text, length);
}

bool pt_is_totals_word(const char *text, size_t length)
{
    static const char *const WORDS[] = {
        "total",      "totals", "grand total", "subtotal",    "sub total", "sum",
        "average",    "mean",   "gesamt",      "gesamtsumme", "summe",     "durchschnitt",
        "mittelwert", "somme",  "moyenne",     "suma",        "promedio",  "totale"};
    while (length > 0 && (text[length - 1] == ':' || text[length - 1] == ' '))
        length--;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        size_t same = 0;
        while (same < length && WORDS[i][same] && (text[same] | 0x20) == (WORDS[i][same] | 0x20))
            same++;
        if (same == length && !WORDS[i][same] && length > 0)
            return true;
    }
    return false;
}
