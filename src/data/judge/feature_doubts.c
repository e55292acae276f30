/* Doubts about features, which every format has: numbers that stand for missing cells or for dates,
 * several answers in one cell, texts that are not UTF-8. Cells are judged by rows that are evenly
 * drawn, so that large files are read as fast as without. */
#include "data/judge/feature_doubts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/judge/cell_date.h"
#include "data/judge/cell_number.h"
#include "data/judge/feature_facts.h"
#include "data/judge/label_doubts.h"
#include "data/read/lines.h"
#include "data/read/number.h"

enum {
    FIRST_DATE = 19000101,
    LAST_DATE = 21001231,
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

/* Whether a feature is a part of a date, and its numbers are not those of the file. */
static bool is_date(const pt_dataset *data, int64_t j)
{
    for (int64_t l = 0; l < data->judged.count; l++) {
        const pt_judged *judged = &data->judged.items[l];
        if (judged->kind == PT_COLUMN_DATE && j >= judged->feature &&
            j < judged->feature + pt_judged_features(judged))
            return true;
    }
    return false;
}

/* Whether all numbers that are looked at are dates such as 20241231. */
static bool are_dates(const pt_dataset *data, int64_t j, int64_t step,
                      const pt_feature_facts *facts)
{
    if (!facts->whole || facts->cells < FEW_ROWS || facts->min == facts->max)
        return false;
    for (int64_t i = 0; i < data->n; i += step) {
        const double x = pt_dataset_cell(data, i * data->d + j);
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
    double example = NAN;
    for (int64_t j = 0; j < data->d; j++) {
        const bool dated = low[j] >= FIRST_DATE && high[j] <= LAST_DATE;
        if (pt_is_nominal(data, j) || is_date(data, j) ||
            (!dated && !pt_range_has_sentinel(low[j], high[j])))
            continue;
        const pt_feature_facts facts = pt_feature_facts_at(data, step, j);
        const double sentinel = pt_feature_sentinel(&facts);
        char remark[32];
        if (!isnan(sentinel)) {
            example = missing.count == 0 ? sentinel : example;
            snprintf(remark, sizeof remark, " (%g)", sentinel);
            list_add(&missing, data, j, remark);
        }
        if (dated && are_dates(data, j, step, &facts))
            list_add(&dates, data, j, "");
    }
    pt_free(low);
    if (missing.count > 0 && !*options->na)
        PT_TRY(pt_texts_add(&data->warnings, err,
                            "some numbers may mean missing: %s; --na +%g says so", missing.text,
                            example));
    if (dates.count > 0)
        PT_TRY(pt_texts_add(&data->warnings, err,
                            "numbers such as 20241231 may be dates: %s; --types COLUMN=date says "
                            "so",
                            dates.text));
    return PT_OK;
}

/* Levels such as "a, b" that share their parts. */
static pt_status has_answers(const pt_texts *levels, bool *answers, pt_error *err)
{
    PT_FREED_BY(pt_intern_free) pt_intern parts = {0};
    int64_t several = 0;
    for (int64_t l = 0; l < levels->count; l++) {
        int64_t count = 0;
        PT_TRY(pt_text_parts(&parts, levels->items[l], ",;|", &count, err));
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
    return pt_texts_add(
        &data->warnings, err,
        "cells such as 'a, b' seem to hold several answers, and each combination is "
        "a level: %s; a column of 0 and 1 for each answer tells more",
        list.text);
}

/* 14-19, <0.5, 3/4, 5h 10m, 2024-W05, $1.5M, '0.5': amounts for a person, levels for a machine. */
static bool holds_amounts(const char *text)
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
    for (; *text; text++) {
        digits += pt_is_digit(*text);
        letters += (*text | 0x20) >= 'a' && (*text | 0x20) <= 'z';
    }
    return digits >= letters;
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
            amounts += holds_amounts(levels->items[l]);
        if (10 * amounts < 9 * levels->count)
            continue;
        example = example ? example : levels->items[0];
        list_add(&list, data, j, "");
    }
    if (list.count == 0 || *options->types || *options->nominal) /* somebody has said it */
        return PT_OK;
    char shown[PT_CELL_SHOWN];
    return pt_texts_add(&data->warnings, err,
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
    return pt_texts_add(&data->warnings, err,
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
    return pt_texts_add(&data->warnings, err,
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
