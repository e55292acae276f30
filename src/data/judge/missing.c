/* Words for missing cells: what R, pandas, spreadsheets, data bases and people write. */
#include "data/judge/judge_cells.h"

#include <string.h>

static bool is_one_of(const char *const *words, size_t count, const char *text, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (words[i][0] == text[0] && strlen(words[i]) == length &&
            memcmp(words[i], text, length) == 0)
            return true;
    return false;
}

static bool is_listed(const char *list, const char *text, size_t length)
{
    while (*list) {
        const size_t own = strcspn(list, ",");
        if (own == length && memcmp(list, text, length) == 0)
            return true;
        list += own + (list[own] == ',');
    }
    return false;
}

bool pt_na_adds(const char *na)
{
    return na && *na == '+';
}

const char *pt_na_list(const char *na)
{
    return na + pt_na_adds(na);
}

bool pt_is_missing_word(const char *na, const char *text, size_t length)
{
    static const char *const WORDS[] = {"?",    "NA",   "N/A",  "n/a", "NaN",  "nan", "NULL",
                                        "null", "None", "<NA>", "\\N", "#N/A", "NaT"};
    enum { LONGEST = 4 };
    if (length == 0)
        return true;
    if (na && *na && is_listed(pt_na_list(na), text, length))
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
