/* Columns judged by counts of what their texts look like. */
#include "data/judge/column_tally.h"

#include <string.h>

#include "data/judge/judge_cells.h"
#include "data/read/number.h"

enum {
    FEW_NUMBERS = 10,   /* fewer do not make a column of numbers of one with other texts */
    FEW_WORDS = 3,      /* so many texts that are no numbers may stand in any share of cells, */
    OTHER_SHARE = 10,   /*   more of them, or with a number in them, in one cell of ten */
    COMPACT_DATE = 8,   /* digits of 20241231, */
    COMPACT_MONTH = 6,  /*   of 202412, */
    COMPACT_TIME = 12,  /*   of 202412311345, */
    COMPACT_STAMP = 14, /*   of 20241231134510 */
    FEW_FIT = 4,        /* --types is refused where fewer than one cell of four is what it says */
    ANY_ORDER = 1 << PT_DATE_YMD | 1 << PT_DATE_DMY | 1 << PT_DATE_MDY,
    FEW_LEVELS = 10,   /* so many texts with units in them may be levels */
    FEW_NAMES = 10,    /* fewer rows may have different levels by chance */
    MANY_LEVELS = 100, /* so many levels, */
    FEW_OF_LEVEL = 5   /*   with fewer rows each, may name what the rows are about */
};

/* ---- yes and no ------------------------------------------------------------------------------ */

static bool same_word(const char *word, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (word[i] == '\0' || word[i] != (text[i] | 0x20))
            return false;
    return word[length] == '\0';
}

int pt_truth_of(const char *text, size_t length)
{
    enum { N_WORDS = 9 };
    static const char *const WORDS[2][N_WORDS] = {
        {"false", "no", "f", "n", "off", "nein", "falsch", "non", "faux"},
        {"true", "yes", "t", "y", "on", "ja", "wahr", "oui", "vrai"}};
    for (int truth = 0; truth < 2; truth++)
        for (int w = 0; w < N_WORDS; w++)
            if (same_word(WORDS[truth][w], text, length))
                return truth;
    return -1;
}

/* ---- counting -------------------------------------------------------------------------------- */

static bool is_phrase(const char *text, size_t length)
{
    int spaces = 0;
    for (size_t i = 1; i < length; i++)
        spaces += text[i] == ' ' && text[i - 1] != ' ';
    return spaces >= 2;
}

void pt_tally_units_add(pt_tally_units *units, const char *name, size_t length)
{
    for (int u = 0; u < units->count && u < PT_FEW_UNITS; u++)
        if (strlen(units->name[u]) == length && memcmp(units->name[u], name, length) == 0)
            return;
    if (units->count < PT_FEW_UNITS && length < PT_UNIT_ROOM)
        memcpy(units->name[units->count], name, length);
    if (units->count <= PT_FEW_UNITS)
        units->count++;
}

static bool is_wanted_date(const pt_column_tally *tally, const char *text, size_t length,
                           pt_date_forms *forms)
{
    return pt_date_forms_of(text, length, forms) &&
           (!tally->wanted_orders || forms->orders == 0 || forms->orders & tally->wanted_orders);
}

static bool is_compact(size_t length)
{
    return length == COMPACT_DATE || length == COMPACT_MONTH || length == COMPACT_TIME ||
           length == COMPACT_STAMP;
}

static bool add_number(pt_column_tally *tally, const char *text, size_t length, int64_t count)
{
    double value = 0;
    pt_number_signs signs;
    const bool plain = pt_number_parse(text, length, &value) != PT_NUMBER_NONE;
    const bool styled = pt_number_signs_of(text, length, &signs);
    if (!plain && !styled)
        return false;
    const bool measure = styled && signs.unit_length > 0 && !signs.currency;
    pt_date_forms forms;
    if (measure && is_wanted_date(tally, text, length, &forms)) /* 12 Mar, 2024 Q2 */
        return false;
    if (plain && is_compact(length) && is_wanted_date(tally, text, length, &forms)) {
        tally->compact_orders =
            tally->compact > 0 ? tally->compact_orders & forms.orders : forms.orders;
        tally->compact += count;
    }
    if (plain)
        tally->numbers += count;
    else if (measure)
        tally->measures += count;
    else
        tally->styled += count;
    if (!styled) /* inf */
        return true;
    tally->bits += length == 1 && value >= 0 && value <= 1 ? count : 0;
    tally->measure_words += measure;
    if (signs.unit_length > 0)
        pt_tally_units_add(measure ? &tally->units : &tally->currencies, signs.unit,
                           signs.unit_length);
    tally->point += signs.point ? count : 0;
    tally->comma += signs.comma ? count : 0;
    tally->either_point += signs.either_point ? count : 0;
    tally->either_comma += signs.either_comma ? count : 0;
    tally->currency += signs.currency ? count : 0;
    tally->percent += signs.percent ? count : 0;
    if (signs.thousands)
        tally->thousands = signs.thousands;
    return true;
}

static bool add_date(pt_column_tally *tally, const char *text, size_t length, int64_t count)
{
    pt_date_forms forms;
    if (!is_wanted_date(tally, text, length, &forms))
        return false;
    if (forms.orders == 0)
        tally->day_less += count;
    else
        tally->orders =
            tally->dates > tally->day_less ? tally->orders & forms.orders : forms.orders;
    tally->dates += count;
    tally->short_years += forms.short_year ? count : 0;
    tally->late_years += forms.late_year ? count : 0;
    if (forms.sign)
        tally->date_sign = forms.sign;
    return true;
}

void pt_column_tally_add(pt_column_tally *tally, const char *na, const char *text, size_t length,
                         int64_t count)
{
    tally->words++;
    tally->phrases += is_phrase(text, length) ? count : 0;
    if (add_number(tally, text, length, count) || add_date(tally, text, length, count))
        return;
    const int truth = pt_truth_of(text, length);
    if (truth >= 0) {
        tally->truths += truth ? count : 0;
        tally->lies += truth ? 0 : count;
        if (length == 1 && ((*text | 0x20) == 't' || (*text | 0x20) == 'f'))
            tally->letters_tf += count;
        else if (length == 1)
            tally->letters_yn += count;
        return;
    }
    if (pt_is_gap_word(na, text, length)) {
        tally->gaps += count;
        return;
    }
    tally->others += count;
    tally->other_words++;
    tally->numbered += pt_is_digit(*text) ? count : 0;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* The decimal sign of a column; *wrong: how many of its numbers it does not fit. */
static char decimal_sign(const pt_column_tally *tally, const pt_habits *habits, int64_t *wrong,
                         bool *doubt)
{
    char sign = tally->comma > tally->point ? ',' : '.';
    const bool sure = tally->comma + tally->point > 0;
    if (habits->decimal_said)
        sign = habits->decimal;
    else if (!sure && habits->decimal)
        sign = habits->decimal;
    *doubt = !sure && tally->either_comma > 0 && (!habits->decimal || habits->decimal_guessed);
    *wrong = sign == ',' ? tally->point : tally->comma;
    return sign;
}

static pt_date_order date_order(const pt_column_tally *tally, const pt_habits *habits, bool *doubt,
                                bool *year_doubt)
{
    if (tally->orders == 1 << PT_DATE_MD)
        return PT_DATE_MD;
    const bool day_first = tally->orders >> PT_DATE_DMY & 1;
    const bool month_first = tally->orders >> PT_DATE_MDY & 1;
    const bool year_first = tally->orders >> PT_DATE_YMD & 1;
    *doubt = false;
    *year_doubt = year_first && tally->short_years > 0 && (day_first || month_first);
    if (year_first && !*year_doubt)
        return PT_DATE_YMD;
    if (!day_first || !month_first)
        return day_first ? PT_DATE_DMY : PT_DATE_MDY;
    if (habits->order == PT_DATE_DMY || habits->order == PT_DATE_MDY)
        return (pt_date_order)habits->order;
    *doubt = tally->date_sign != '.'; /* with points the day comes first, with dashes mostly */
    return tally->date_sign == '/' ? PT_DATE_MDY : PT_DATE_DMY;
}

static void judge_number(const pt_column_tally *tally, char decimal, pt_verdict *verdict)
{
    const char thousands = tally->thousands          ? tally->thousands
                           : tally->either_comma > 0 ? ','
                           : tally->either_point > 0 ? '.'
                                                     : '\0';
    verdict->as.kind = tally->currency > 0  ? PT_COLUMN_CURRENCY
                       : tally->percent > 0 ? PT_COLUMN_PERCENT
                                            : PT_COLUMN_NUMBER;
    verdict->as.style.decimal = decimal;
    verdict->as.style.thousands = thousands == decimal ? '\0' : thousands;
    const pt_tally_units *units = tally->currency > 0 ? &tally->currencies : &tally->units;
    if (units->count == 1)
        memcpy(verdict->as.unit, units->name[0], PT_UNIT_ROOM);
    const int64_t numbers = tally->numbers + tally->styled;
    verdict->percent_doubt = tally->percent > 0 && tally->percent < numbers;
    verdict->unit_doubt = tally->currency > 0 ? tally->currencies.count > 1
                                              : tally->measures > 0 && tally->measures < numbers;
}

/* Whether so many other cells among `good` ones are gaps of a column rather than its levels. */
static bool are_gaps(const pt_column_tally *tally, int64_t good, int64_t bad)
{
    return good >= FEW_NUMBERS &&
           (bad <= (good + bad) / OTHER_SHARE ||
            (bad == tally->others && tally->other_words <= FEW_WORDS && tally->numbered == 0));
}

static void judge_texts(const pt_column_tally *tally, int64_t filled, pt_verdict *verdict)
{
    const bool many = filled >= PT_IDENTIFIER_ROWS;
    const bool all_differ = filled >= FEW_NAMES && tally->words == filled;
    const bool groups = tally->words >= MANY_LEVELS && FEW_OF_LEVEL * tally->words > filled;
    const bool phrases = 2 * tally->phrases > filled;
    verdict->as.kind = PT_COLUMN_NOMINAL;
    if (many && phrases && 2 * tally->words > filled)
        verdict->as.kind = PT_COLUMN_TEXT;
    else if (many && 10 * tally->words >= 9 * filled)
        verdict->as.kind = PT_COLUMN_IDENTIFIER;
    else
        verdict->many_levels = (many && 2 * tally->words >= filled) || all_differ || groups;
}

/* Cells with one unit are numbers, those with several are other texts; 20241231 is a date where
 * others are. */
static pt_column_tally settle_cells(const pt_column_tally *tally, pt_column_kind wanted)
{
    pt_column_tally settled = *tally;
    if (tally->units.count == 1) {
        settled.styled += tally->measures;
    } else {
        settled.others += tally->measures;
        settled.other_words += tally->measure_words;
        settled.measures = 0;
    }
    if (tally->compact > 0 && (wanted == PT_COLUMN_DATE || tally->dates > tally->day_less)) {
        settled.orders = tally->dates > tally->day_less ? tally->orders & tally->compact_orders
                                                        : tally->compact_orders;
        settled.numbers -= tally->compact;
        settled.dates += tally->compact;
    }
    return settled;
}

/* Whether the cells are numbers with several units, but for a few words. */
static bool have_units(const pt_column_tally *counted)
{
    const int64_t good = counted->measures + counted->numbers + counted->styled;
    const int64_t bad =
        counted->others + counted->dates + counted->truths + counted->lies + counted->gaps;
    return counted->units.count > 1 && counted->units.count <= PT_FEW_UNITS &&
           counted->words > FEW_LEVELS &&
           (bad == counted->gaps || are_gaps(counted, good, bad - counted->gaps));
}

pt_verdict pt_column_tally_judge(const pt_column_tally *counted, const pt_habits *habits,
                                 pt_column_kind wanted)
{
    pt_verdict verdict = {.as = {.style = {'.', 0}, .feature = -1}};
    const pt_column_tally settled = settle_cells(counted, wanted);
    const pt_column_tally *tally = &settled;
    int64_t wrong = 0;
    bool decimal_doubt = false;
    bool order_doubt = false;
    bool year_doubt = false;
    const char decimal = decimal_sign(tally, habits, &wrong, &decimal_doubt);
    const int64_t numbers = tally->numbers + tally->styled - wrong;
    const int64_t booleans = tally->truths + tally->lies;
    const int64_t solid = tally->numbers + tally->styled + tally->dates + booleans + tally->others;
    const int64_t filled = solid + tally->gaps;
    const bool one_calendar =
        tally->day_less == 0 ? tally->orders != 0 : tally->day_less == tally->dates;
    verdict.as.order = date_order(tally, habits, &order_doubt, &year_doubt);
    verdict.as.kind = PT_COLUMN_NOMINAL;
    const bool by_number =
        wanted <= PT_COLUMN_INTEGER || wanted == PT_COLUMN_CURRENCY || wanted == PT_COLUMN_PERCENT;
    const bool any = wanted == PT_N_COLUMN_KINDS;
    const bool letters = tally->letters_tf + tally->letters_yn > 0;
    const bool truths = any && booleans > 0 && booleans + tally->bits == filled &&
                        (tally->letters_tf == 0 || tally->letters_yn == 0) &&
                        (!letters || (tally->truths > 0 && tally->lies > 0));
    if (wanted == PT_COLUMN_BOOLEAN || truths) {
        verdict.as.kind = PT_COLUMN_BOOLEAN;
        verdict.mixed = verdict.drops = filled > booleans + tally->bits;
        verdict.nothing_fits = filled > 0 && booleans + tally->bits == 0;
        verdict.few_fit = FEW_FIT * (booleans + tally->bits) < solid;
        return verdict;
    }
    if (by_number || (any && numbers > 0 && 2 * numbers > solid)) {
        verdict.mixed = solid > numbers;
        verdict.drops = verdict.mixed && (by_number || are_gaps(tally, numbers, solid - numbers));
        verdict.nothing_fits = by_number && solid > 0 && numbers <= 0;
        verdict.few_fit = by_number && FEW_FIT * numbers < solid;
        verdict.decimal_doubt = decimal_doubt;
        if (!verdict.mixed || verdict.drops) {
            judge_number(tally, decimal, &verdict);
            return verdict;
        }
    } else if (wanted == PT_COLUMN_DATE || (any && one_calendar && 2 * tally->dates > solid)) {
        verdict.mixed = solid > tally->dates;
        verdict.drops =
            verdict.mixed && (!any || are_gaps(tally, tally->dates, solid - tally->dates));
        verdict.nothing_fits = !any && solid > 0 && tally->dates == 0;
        verdict.few_fit = !any && FEW_FIT * tally->dates < solid;
        verdict.order_doubt = order_doubt && tally->day_less == 0;
        verdict.year_doubt = year_doubt;
        verdict.century_doubt = tally->late_years > 0;
        verdict.lone_doubt = tally->orders >> PT_DATE_MD > 0 && verdict.as.order != PT_DATE_MD;
        if (!verdict.mixed || verdict.drops) {
            verdict.as.kind = PT_COLUMN_DATE;
            verdict.as.any_order = tally->date_sign == '\0' && tally->compact == 0 &&
                                   (tally->orders & ANY_ORDER) == ANY_ORDER;
            verdict.as.parts = tally->day_less > 0 && tally->day_less == tally->dates
                                   ? PT_PART_HOUR
                                   : PT_PART_DAYS;
            return verdict;
        }
    }
    verdict.decimals_differ =
        any && wrong > 0 && tally->comma > 0 && tally->point > 0 && 2 * (numbers + wrong) > solid;
    verdict.mixed = verdict.mixed && !verdict.decimals_differ;
    verdict.orders_differ =
        any && tally->day_less == 0 && !one_calendar && 2 * tally->dates > solid;
    verdict.times_differ = any && tally->day_less > 0 && !one_calendar && 2 * tally->dates > solid;
    verdict.units_differ = any && have_units(counted);
    if (any && !verdict.units_differ)
        judge_texts(tally, filled, &verdict);
    else if (any)
        verdict.as.kind = PT_COLUMN_NOMINAL;
    else
        verdict.as.kind = wanted;
    return verdict;
}

bool pt_judged_value(const pt_judged *judged, const char *text, size_t length, double *value)
{
    int truth = -1;
    switch (judged->kind) {
    case PT_COLUMN_BOOLEAN:
        truth = pt_truth_of(text, length);
        if (truth < 0 && length == 1 && (*text == '0' || *text == '1'))
            truth = *text - '0';
        *value = truth;
        return truth >= 0;
    case PT_COLUMN_DATE:
        return pt_date_parse(text, length, judged->order, !(judged->parts & PT_PART_DAYS), value);
    default:
        return pt_number_styled(text, length, judged->style.decimal, judged->unit, value) ||
               (judged->style.decimal == '.' &&
                pt_number_parse(text, length, value) == PT_NUMBER_FINITE);
    }
}
