/* Doubts about features, which every format has: numbers that stand for missing cells or for dates,
 * several answers in one cell, texts that are not UTF-8. Cells are judged by rows that are evenly
 * drawn, so that large files are read as fast as without. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/judge/doubts.h"
#include "data/judge/judge_cells.h"
#include "data/read/lines.h"
#include "data/read/number.h"

enum {
    LOOKED_MOST = 10000, /* rows, */
    LOOKED_LEAST = 300,
    LOOKED_CELLS = 1 << 17, /* between these so many that have this many cells */
    FEW_ROWS = 10,          /* fewer say little */
    FEW_AMOUNTS = 10,       /* levels such as 18-24 may be groups up to here */
    FEW_SETS = 3,           /* levels that look like several answers may be names up to here */
    MOST_LEVELS = 10000,    /* more are not looked at */
    NAMED = 3               /* columns that a warning names */
};

/* "'a' (-999), 'b' (9999), ..." */
typedef struct doubt_list {
    int64_t count;
    size_t used;
    char text[NAMED * (PT_CELL_SHOWN + 40) + 8];
} doubt_list;

static void list_add(doubt_list *list, const pt_dataset *data, int64_t feature, const char *remark)
{
    char shown[PT_CELL_SHOWN];
    char title[PT_CELL_SHOWN + 16];
    const size_t room = sizeof list->text;
    const pt_file_column column = pt_file_column_of(data, feature);
    if (column.name)
        snprintf(title, sizeof title, "'%.40s'",
                 pt_cell_show(column.name, strlen(column.name), shown));
    else
        snprintf(title, sizeof title, "column %lld", (long long)column.number);
    if (list->count < NAMED)
        list->used += (size_t)snprintf(list->text + list->used, room - list->used, "%s%s%s",
                                       list->count ? ", " : "", title, remark);
    else if (list->count == NAMED)
        snprintf(list->text + list->used, room - list->used, ", ...");
    list->count++;
}

/* The date that a feature is a part of: its numbers are not those of the file; NULL: none. */
static const pt_judged *date_of(const pt_dataset *data, int64_t j)
{
    for (int64_t l = 0; l < data->judged.count; l++) {
        const pt_judged *judged = &data->judged.items[l];
        if (judged->kind == PT_COLUMN_DATE && j >= judged->feature &&
            j < judged->feature + pt_judged_features(judged))
            return judged;
    }
    return NULL;
}

/* Whole numbers that are dates for a person, if all of them lie between low and high. */
static const char *compact_form(double low, double high)
{
    static const struct {
        double first;
        double last;
        const char *form;
    } FORMS[] = {{190001, 210012, "202412"},
                 {19000101, 21001231, "20241231"},
                 {190001010000, 209912312359, "202412311345"},
                 {19000101000000, 20991231235959, "20241231134500"}};
    for (size_t f = 0; f < sizeof FORMS / sizeof *FORMS; f++)
        if (low >= FORMS[f].first && high <= FORMS[f].last)
            return FORMS[f].form;
    return NULL;
}

/* A date that programs write where there is none, at an end of a range of days, or NULL. */
static const char *never_in(double low, double high)
{
    static const struct {
        double day;
        const char *name;
    } NEVER[] = {{-719162, "0001-01-01"}, {-79258, "1753-01-01"}, {-25569, "1899-12-30"},
                 {-25567, "1900-01-01"},  {0, "1970-01-01"},      {47481, "2099-12-31"},
                 {376199, "2999-12-31"},  {2932896, "9999-12-31"}};
    for (size_t d = 0; d < sizeof NEVER / sizeof *NEVER; d++)
        if (floor(low) == NEVER[d].day || floor(high) == NEVER[d].day)
            return NEVER[d].name;
    return NULL;
}

/* Whether an end of a range of days is there more than once, and years from all others. */
static bool is_far(const pt_dataset *data, int64_t step, int64_t j)
{
    enum { YEARS = 5 * 365 };
    const pt_feature_facts facts = pt_feature_facts_at(data, step, j);
    return (facts.n_min > 1 && facts.second_min - facts.min > YEARS && never_in(facts.min, NAN)) ||
           (facts.n_max > 1 && facts.max - facts.second_max > YEARS && never_in(NAN, facts.max));
}

/* What surveys write for "don't know" and "no answer" beside answers up to 10. */
static bool ends_in_answer(double high)
{
    static const double CODES[] = {66, 77, 88, 96, 97, 98, 99};
    for (size_t c = 0; c < sizeof CODES / sizeof *CODES; c++)
        if (high == CODES[c])
            return true;
    return false;
}

/* The numbers of a feature that may mean missing, as --na lists them. */
static bool sentinels_of(const pt_dataset *data, int64_t step, int64_t j,
                         const pt_feature_facts *facts, char words[24])
{
    enum { MOST_ANSWER = 10, FEW_CODES = 3 };
    double code[FEW_CODES];
    int codes = 0;
    int64_t answers = 0;
    const double sentinel = pt_feature_sentinel(facts);
    snprintf(words, 24, "%g", sentinel);
    if (!isnan(sentinel))
        return true;
    if (!facts->whole || facts->min < 0 || !ends_in_answer(facts->max))
        return false;
    for (int64_t i = 0; i < data->n; i += step) {
        const double x = pt_dataset_cell(data, i * data->d + j);
        int c = 0;
        answers += x <= MOST_ANSWER;
        if (isnan(x) || x <= MOST_ANSWER)
            continue;
        while (c < codes && code[c] != x)
            c++;
        if (c == FEW_CODES || !ends_in_answer(x))
            return false;
        code[c] = x;
        codes += c == codes;
    }
    size_t used = 0;
    for (int c = 0; c < codes; c++)
        used += (size_t)snprintf(words + used, 24 - used, "%s%g", c ? "," : "", code[c]);
    return facts->n_max > 1 && 2 * answers > facts->cells;
}

/* Whether all numbers that are looked at are dates such as 20241231 or 202412. */
static bool are_dates(const pt_dataset *data, int64_t j, int64_t step,
                      const pt_feature_facts *facts)
{
    if (!facts->whole || facts->cells < FEW_ROWS || facts->min == facts->max)
        return false;
    for (int64_t i = 0; i < data->n; i += step) {
        const double x = pt_dataset_dense_cell(data, i, j);
        char text[32];
        pt_date_forms forms;
        snprintf(text, sizeof text, "%.0f", x);
        if (!isnan(x) && !pt_date_forms_of(text, strlen(text), &forms))
            return false;
    }
    return true;
}

static int64_t step_between_rows(const pt_dataset *data)
{
    int64_t rows = LOOKED_CELLS / (data->d + 1);
    rows = rows < LOOKED_LEAST ? LOOKED_LEAST : rows > LOOKED_MOST ? LOOKED_MOST : rows;
    return data->n > rows ? data->n / rows : 1;
}

static pt_status doubt_numbers(pt_dataset *data, const pt_read_options *options, pt_error *err)
{
    const int64_t step = step_between_rows(data);
    double *low = pt_alloc(2 * data->d, sizeof *low, "ranges of columns", err);
    if (!low)
        return PT_ENOMEM;
    const double *high = low + data->d;
    pt_feature_ranges(data, step, low, low + data->d);
    doubt_list missing = {0};
    doubt_list dates = {0};
    doubt_list never = {0};
    char example[24] = "";
    const char *form = NULL;
    for (int64_t j = 0; j < data->d; j++) {
        const char *compact = compact_form(low[j], high[j]);
        const pt_judged *date = date_of(data, j);
        const char *name = date && j == date->feature ? never_in(low[j], high[j]) : NULL;
        char remark[32];
        if (name && is_far(data, step, j)) {
            snprintf(remark, sizeof remark, " (%s)", name);
            list_add(&never, data, j, remark);
        }
        if (pt_is_nominal(data, j) || date ||
            (!compact && !pt_range_has_sentinel(low[j], high[j]) && !ends_in_answer(high[j])))
            continue;
        const pt_feature_facts facts = pt_feature_facts_at(data, step, j);
        char words[24];
        if (sentinels_of(data, step, j, &facts, words)) {
            if (missing.count == 0)
                memcpy(example, words, sizeof words);
            snprintf(remark, sizeof remark, " (%s)", words);
            list_add(&missing, data, j, remark);
        }
        if (compact && are_dates(data, j, step, &facts)) {
            form = form ? form : compact;
            list_add(&dates, data, j, "");
        }
    }
    pt_free(low);
    if (missing.count > 0 && !*options->na)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "some numbers may mean missing: %s; --na +%s says so", missing.text,
                       example));
    if (never.count > 0 && !*options->na)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "some dates, far from all others, may mean missing: %s; --na +DATE says "
                       "so, where DATE is written as in the file",
                       never.text));
    if (dates.count > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "numbers such as %s may be dates: %s; --types COLUMN=date says so", form,
                       dates.text));
    return PT_OK;
}

/* Adds the parts of a text between signs, without spaces around them; *count: how many there are,
 * 0 where one is empty. */
static pt_status add_parts(pt_intern *parts, const char *text, const char *signs, int64_t *count,
                           pt_error *err)
{
    *count = 0;
    for (;;) {
        text += strspn(text, " ");
        const size_t length = strcspn(text, signs);
        size_t trimmed = length;
        int64_t number = 0;
        while (trimmed > 0 && text[trimmed - 1] == ' ')
            trimmed--;
        if (trimmed == 0) {
            *count = 0;
            return PT_OK;
        }
        PT_TRY(pt_intern_add(parts, text, trimmed, &number, err));
        (*count)++;
        if (!text[length])
            return PT_OK;
        text += length + 1;
    }
}

/* Levels such as "a, b" that share their parts. */
static pt_status has_answers(const pt_texts *levels, bool *answers, pt_error *err)
{
    PT_FREED_BY(pt_intern_free) pt_intern parts = {0};
    int64_t several = 0;
    for (int64_t l = 0; l < levels->count; l++) {
        int64_t count = 0;
        PT_TRY(add_parts(&parts, levels->items[l], ",;|", &count, err));
        several += count > 1;
    }
    *answers = several >= FEW_SETS && 2 * several >= levels->count &&
               2 * parts.texts.count <= levels->count;
    return PT_OK;
}

static pt_status doubt_answers(pt_dataset *data, pt_error *err)
{
    doubt_list list = {0};
    for (int64_t j = 0; data->columns && j < data->d; j++) {
        bool answers = false;
        if (!pt_is_nominal(data, j) || data->columns[j].text ||
            data->columns[j].levels.count > MOST_LEVELS)
            continue;
        PT_TRY(has_answers(&data->columns[j].levels, &answers, err));
        if (answers)
            list_add(&list, data, j, "");
    }
    if (list.count == 0)
        return PT_OK;
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "cells such as 'a, b' seem to hold several answers, and each combination is "
                   "a level: %s; a column of 0 and 1 for each answer tells more",
                   list.text);
}

/* 14-19, <0.5, 3/4, 5h 10m, $1.5M, '0.5': amounts for a person, levels for a machine. */
bool pt_holds_amounts(const char *text)
{
    static const char *const BEFORE[] = {
        "\xe2\x89\xa4", "\xe2\x89\xa5", "\xe2\x89\x88", /* <= >= ~ */
        "\xc2\xb1",     "\xe2\x82\xac", "\xc2\xa3"};    /* +- euro pound */
    pt_number_signs signs; /* of dates and numbers that are levels the reader has told */
    pt_date_forms forms;
    size_t first = strspn(text, "<>=~+-$'(. ");
    for (size_t b = 0; b < sizeof BEFORE / sizeof *BEFORE; b++)
        if (strncmp(text + first, BEFORE[b], strlen(BEFORE[b])) == 0)
            first += strlen(BEFORE[b]);
    if (!pt_is_digit(text[first + strspn(text + first, " ")]) ||
        pt_number_signs_of(text, strlen(text), &signs) ||
        pt_date_forms_of(text, strlen(text), &forms))
        return false;
    int64_t digits = 0;
    int64_t letters = 0;
    if (text[strspn(text, "0123456789.")] == '\0') /* 10.0.2.4: an address, a version */
        return false;
    for (; *text; text++) {
        digits += pt_is_digit(*text);
        letters += (*text | 0x20) >= 'a' && (*text | 0x20) <= 'z';
    }
    return digits >= letters;
}

/* A year and a day beside words, in a language that dates are not read in. */
static bool holds_date(const char *text)
{
    enum { FIRST_YEAR = 1900, LAST_YEAR = 2100, LAST_DAY = 31, LONGEST = 32 };
    pt_date_forms forms;
    int years = 0;
    int days = 0;
    int others = 0;
    if (strlen(text) > LONGEST || pt_date_forms_of(text, strlen(text), &forms))
        return false;
    for (const char *p = text; *p;) {
        int number = 0;
        int digits = 0;
        for (; pt_is_digit(*p) && digits < 5; p++, digits++)
            number = 10 * number + (*p - '0');
        if (digits == 4 && number >= FIRST_YEAR && number <= LAST_YEAR)
            years++;
        else if ((digits == 1 || digits == 2) && number >= 1 && number <= LAST_DAY)
            days++;
        else if (digits > 0)
            others++;
        p += digits == 0;
    }
    return years == 1 && days == 1 && others == 0;
}

static pt_status doubt_amounts(pt_dataset *data, const pt_read_options *options, pt_error *err)
{
    doubt_list list = {0};
    const char *example = NULL;
    for (int64_t j = 0; data->columns && j < data->d; j++) {
        const pt_texts *levels = &data->columns[j].levels;
        int64_t amounts = 0;
        if (!pt_is_nominal(data, j) || data->columns[j].text || levels->count <= FEW_AMOUNTS ||
            levels->count > MOST_LEVELS)
            continue;
        for (int64_t l = 0; l < levels->count; l++)
            amounts += pt_holds_amounts(levels->items[l]) || holds_date(levels->items[l]);
        if (10 * amounts < 9 * levels->count)
            continue;
        example = example ? example : levels->items[0];
        list_add(&list, data, j, "");
    }
    if (list.count == 0 || *options->types || *options->nominal) /* somebody has said it */
        return PT_OK;
    char shown[PT_CELL_SHOWN];
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "cells such as '%s' hold numbers, but are read as levels: %s; write one "
                   "number in a cell if they are amounts, or say --types COLUMN=nominal",
                   pt_cell_show(example, strlen(example), shown), list.text);
}

/* Levels such as Red and red. */
static pt_status doubt_alike(pt_dataset *data, pt_error *err)
{
    doubt_list list = {0};
    for (int64_t j = 0; data->columns && j < data->d; j++) {
        const pt_texts *levels = &data->columns[j].levels;
        pt_alike alike;
        char shown[PT_CELL_SHOWN];
        char remark[PT_CELL_SHOWN + 8];
        if (!pt_is_nominal(data, j) || data->columns[j].text || levels->count > MOST_LEVELS)
            continue;
        PT_TRY(pt_names_alike(levels, &alike, err));
        if (alike.words == 0)
            continue;
        const char *example = levels->items[alike.first_word];
        snprintf(remark, sizeof remark, " ('%.30s')",
                 pt_cell_show(example, strlen(example), shown));
        list_add(&list, data, j, remark);
    }
    if (list.count == 0)
        return PT_OK;
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "levels differ from others in capitals or blanks alone: %s; write them "
                   "alike if they mean the same",
                   list.text);
}

typedef struct odd_texts {
    int64_t count;
    const char *first;
} odd_texts;

static void count_odd(odd_texts *odd, const pt_texts *texts)
{
    for (int64_t t = 0; t < texts->count && t < MOST_LEVELS; t++)
        if (!pt_text_is_utf8(texts->items[t])) {
            odd->first = odd->count++ ? odd->first : texts->items[t];
        }
}

/* Names stay the bytes that they are, so that predictions have them as the file does. */
static pt_status doubt_letters(pt_dataset *data, pt_error *err)
{
    odd_texts odd = {0};
    char shown[PT_CELL_SHOWN];
    if (data->labels)
        count_odd(&odd, &data->labels->classes);
    for (int64_t j = 0; data->columns && j < data->d; j++) {
        char *name = data->columns[j].name;
        if (name)
            count_odd(&odd, &(pt_texts){.items = &name, .count = 1});
        count_odd(&odd, &data->columns[j].levels);
    }
    if (odd.count == 0)
        return PT_OK;
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "%lld name%s not UTF-8 text and %s kept as in the file (Windows-1252, "
                   "perhaps), such as '%s'; files to predict must be written alike",
                   (long long)odd.count, odd.count == 1 ? " is" : "s are",
                   odd.count == 1 ? "is" : "are",
                   pt_cell_show(odd.first, strlen(odd.first), shown));
}

pt_status pt_feature_doubts(pt_dataset *data, const pt_read_options *options, pt_error *err)
{
    if (options->label_optional || options->part || options->block)
        return PT_OK;
    if (!data->start && !options->row_numbers && data->n >= FEW_ROWS)
        PT_TRY(doubt_numbers(data, options, err));
    PT_TRY(doubt_answers(data, err));
    PT_TRY(doubt_amounts(data, options, err));
    PT_TRY(doubt_alike(data, err));
    return doubt_letters(data, err);
}

/* ---- one pass over the cells of a feature ---------------------------------------------------- */

/* What the cells of a feature are like, in one pass over the rows. */

static void add_cell(pt_feature_facts *facts, double x)
{
    if (isnan(x)) {
        facts->missing++;
        return;
    }
    if (facts->cells == 0) {
        facts->min = facts->max = x;
        facts->second_min = facts->second_max = NAN;
    }
    if (x < facts->min) {
        facts->second_min = facts->min;
        facts->min = x;
        facts->n_min = 0;
    } else if (x > facts->min && !(x >= facts->second_min)) {
        facts->second_min = x;
    }
    if (x > facts->max) {
        facts->second_max = facts->max;
        facts->max = x;
        facts->n_max = 0;
    } else if (x < facts->max && !(x <= facts->second_max)) {
        facts->second_max = x;
    }
    facts->n_min += x == facts->min;
    facts->n_max += x == facts->max;
    facts->whole = (facts->cells == 0 || facts->whole) && x == floor(x);
    facts->cells++;
}

pt_status pt_feature_facts_of(const pt_dataset *data, pt_feature_facts *facts, const pt_task *task,
                              pt_error *err)
{
    enum { CHECKED = 1 << 14 };
    for (int64_t i = 0; i < data->n; i++) {
        if (i % CHECKED == 0)
            PT_TRY(pt_task_check(task, err));
        if (data->start)
            for (int64_t at = data->start[i]; at < data->start[i + 1]; at++)
                add_cell(&facts[data->index[at]], pt_dataset_cell(data, at));
        else
            for (int64_t j = 0; j < data->d; j++)
                add_cell(&facts[j], pt_dataset_dense_cell(data, i, j));
    }
    for (int64_t j = 0; data->start && j < data->d; j++)
        if (facts[j].cells + facts[j].missing < data->n)
            add_cell(&facts[j], 0); /* what rows leave out */
    return PT_OK;
}

void pt_feature_ranges(const pt_dataset *data, int64_t step, double *low, double *high)
{
    for (int64_t j = 0; j < data->d; j++) {
        low[j] = INFINITY;
        high[j] = -INFINITY;
    }
    for (int64_t i = 0; i < data->n; i += step)
        for (int64_t j = 0; j < data->d; j++) {
            const double x = pt_dataset_dense_cell(data, i, j); /* no comparison with NaN holds */
            low[j] = x < low[j] ? x : low[j];
            high[j] = x > high[j] ? x : high[j];
        }
}

pt_feature_facts pt_feature_facts_at(const pt_dataset *data, int64_t step, int64_t j)
{
    pt_feature_facts facts = {0};
    for (int64_t i = 0; i < data->n; i += step)
        add_cell(&facts, pt_dataset_dense_cell(data, i, j));
    return facts;
}

static const double SENTINELS[] = {99, 999, 9999, 99999, 999999};
enum {
    N_SENTINELS = sizeof SENTINELS / sizeof *SENTINELS,
    COUNTED = 10 /* -1 means missing among whole numbers that go at least so far, 99 among those
                    that go no farther */
};

bool pt_range_has_sentinel(double low, double high)
{
    bool has = low == -1 && high >= COUNTED;
    for (int i = 0; i < N_SENTINELS; i++)
        has = has || low == -SENTINELS[i] || high == SENTINELS[i];
    return has;
}

/* It is there more than once, and all others are far from it; or it is -1 among whole numbers from
 * 0 to COUNTED at least, or 99 among answers from 0 to COUNTED at most. */
double pt_feature_sentinel(const pt_feature_facts *facts)
{
    for (int i = 0; i < N_SENTINELS; i++) {
        if (facts->min == -SENTINELS[i] && facts->n_min > 1 && facts->second_min > facts->min / 2)
            return facts->min;
        if (facts->max == SENTINELS[i] && facts->n_max > 1 && facts->second_max < facts->max / 5 &&
            (i > 0 || (facts->whole && facts->min >= 0 && facts->second_max <= COUNTED)))
            return facts->max;
    }
    const bool counts = facts->whole && facts->second_min >= 0 && facts->max >= COUNTED;
    return facts->min == -1 && facts->n_min > 1 && counts ? -1 : NAN;
}

/* Whether a column of the file holds labels. */
static bool is_label(const pt_dataset *data, int64_t column)
{
    if (column == data->label_column)
        return true;
    for (int64_t c = 0; c < data->label_columns.count; c++)
        if (data->label_columns.column[c] == column)
            return true;
    return false;
}

bool pt_file_column_next(pt_file_column *column, const pt_dataset *data)
{
    pt_file_column next = {.number = column->number + 1, .first = column->first + column->features};
    while (is_label(data, next.number))
        next.number++;
    if (next.number > data->judged.n_columns && next.first >= data->d)
        return false;
    next.judged = pt_judged_at(&data->judged, next.number);
    next.features = next.judged ? pt_judged_features(next.judged) : 1;
    if (next.judged && next.judged->name)
        next.name = next.judged->name;
    else if (data->columns && next.features > 0)
        next.name = data->columns[next.first].name;
    *column = next;
    return true;
}

pt_file_column pt_file_column_of(const pt_dataset *data, int64_t feature)
{
    pt_file_column column = {0};
    while (pt_file_column_next(&column, data) && column.first + column.features <= feature) {
    }
    return column;
}
