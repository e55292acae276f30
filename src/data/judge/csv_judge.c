/* Columns of a CSV file are judged by all their cells, and read as what they are.
 *
 * The head plans: a column of numbers goes the fast way, one of decimal commas or dates is parsed
 * cell by cell, anything else is a column of texts. Behind the pass every text is there once with
 * its count (column_tally.h). Most columns are settled then, and their texts become numbers by
 * table; a column whose numbers mean something else than was thought is read again, as texts.
 *
 * With a model nothing is judged: columns are what they were in training, numbers or levels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/sort.h"
#include "data/read/csv.h"

enum {
    NAMED = 3,             /* columns and texts that a message names */
    CHECKED_ROWS = 1 << 14 /* between two looks at whether to stop */
};

/* ---- before the first pass ------------------------------------------------------------------- */

static bool is_number_kind(pt_column_kind kind)
{
    return kind <= PT_COLUMN_INTEGER || kind == PT_COLUMN_CURRENCY || kind == PT_COLUMN_PERCENT;
}

/* What options say, and what the columns agree about. tallies: NULL where nothing is known. */
static pt_habits habits_of(const pt_csv_work *work, pt_column_tally *const *tallies)
{
    const char *said = work->table.options->decimal;
    pt_habits habits = {.order = -1};
    bool point = false;
    bool comma = false;
    bool either_point = false;
    bool either_comma = false;
    int orders = 0;
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        if (work->table.columns[j].feature < 0)
            continue;
        const pt_column_tally tally =
            tallies && tallies[j] ? *tallies[j] : pt_csv_guess_tally(&work->head->rows[j]);
        point = point || tally.point > tally.comma;
        comma = comma || tally.comma > tally.point;
        either_point = either_point || tally.either_point > 0;
        either_comma = either_comma || tally.either_comma > 0;
        if (tally.orders == 1 << PT_DATE_DMY || tally.orders == 1 << PT_DATE_MDY)
            orders |= tally.orders;
    }
    habits.decimal = point == comma ? '\0' : comma ? ',' : '.';
    if (!point && !comma && either_comma && !either_point &&
        work->separator == ';') { /* which is why commas do not separate cells */
        habits.decimal = ',';
        habits.decimal_guessed = true;
    }
    if (strcmp(said, "auto") != 0) {
        habits.decimal = strcmp(said, "comma") == 0 ? ',' : '.';
        habits.decimal_said = true;
    }
    if (orders == 1 << PT_DATE_DMY || orders == 1 << PT_DATE_MDY)
        habits.order = orders == 1 << PT_DATE_DMY ? PT_DATE_DMY : PT_DATE_MDY;
    return habits;
}

static pt_verdict judge_as(const pt_csv_how *how, const pt_column_tally *tally, pt_habits habits)
{
    if (how->wanted_order >= 0)
        habits.order = how->wanted_order;
    pt_verdict verdict = pt_column_tally_judge(tally, &habits, how->wanted);
    if (how->wanted_order >= 0) {
        verdict.as.order = (pt_date_order)how->wanted_order;
        verdict.order_doubt = verdict.year_doubt = verdict.lone_doubt = false;
        verdict.as.any_order = false;
    }
    return verdict;
}

/* A column that nobody has told of: what the first rows look like. */
static pt_cell_kind plan_feature(pt_csv_work *work, int64_t j, pt_habits habits)
{
    pt_csv_how *how = &work->how[j];
    const pt_column_tally tally = pt_csv_guess_tally(&work->head->rows[j]);
    const pt_verdict verdict = judge_as(how, &tally, habits);
    const bool doubt = verdict.decimal_doubt || verdict.order_doubt || verdict.year_doubt ||
                       verdict.century_doubt || verdict.lone_doubt;
    const int64_t styled = tally.styled + tally.measures;
    const int64_t numbers = tally.numbers + styled;
    if (how->wanted == PT_COLUMN_BOOLEAN || how->wanted == PT_COLUMN_TEXT ||
        how->wanted == PT_COLUMN_DATE || verdict.as.kind == PT_COLUMN_BOOLEAN ||
        verdict.percent_doubt || verdict.unit_doubt)
        return PT_CELL_TEXT;
    if (verdict.as.kind == PT_COLUMN_DATE && !doubt && tally.dates > 0) {
        how->as = verdict.as;
        return PT_CELL_STYLED;
    }
    if (is_number_kind(verdict.as.kind) && !doubt && numbers > 0) {
        const bool commas =
            verdict.as.style.decimal == ',' && (styled > 0 || tally.either_point > 0);
        if (commas || styled > 0)
            how->as = verdict.as;
        if (commas)
            return PT_CELL_STYLED;
        if (styled > 0)
            return PT_CELL_NUMBER;
    }
    return styled + tally.dates + tally.others + tally.truths + tally.lies > tally.numbers
               ? PT_CELL_TEXT
               : PT_CELL_NUMBER;
}

/* A column of the model, or of a stream. */
static pt_cell_kind plan_known(pt_csv_work *work, int64_t j)
{
    pt_csv_how *how = &work->how[j];
    const pt_judged *known = work->roles->known ? work->roles->known[j] : NULL;
    const char *said = work->table.options->decimal;
    how->fixed = true;
    if (known)
        how->as = *known;
    if (is_number_kind(how->as.kind) && strcmp(said, "auto") != 0)
        how->as.style.decimal = strcmp(said, "comma") == 0 ? ',' : '.';
    return how->as.style.decimal == ',' || !is_number_kind(how->as.kind) ? PT_CELL_STYLED
                                                                         : PT_CELL_NUMBER;
}

pt_status pt_csv_plan(pt_csv_work *work, pt_error *err)
{
    (void)err;
    const pt_roles *roles = work->roles;
    const pt_read_options *options = work->table.options;
    const bool of_model =
        options->label_optional && (options->n_features >= 0 || options->features);
    int64_t marks = 0;
    int64_t ties = 0;
    bool judged = false;
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        pt_csv_how *how = &work->how[j];
        pt_table_column *column = &work->table.columns[j];
        how->as = (pt_judged){.style = {'.', 0}, .feature = -1};
        how->wanted = of_model        ? PT_COLUMN_NOMINAL /* or numbers: prepare.h matches both */
                      : roles->wanted ? roles->wanted[j].kind
                                      : PT_N_COLUMN_KINDS;
        how->wanted_order = roles->wanted ? roles->wanted[j].order : -1;
        column->feature = roles->role[j] <= PT_ROLE_NOMINAL ? work->table.d++ : -1;
    }
    const pt_habits habits = habits_of(work, NULL);
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        pt_table_column *column = &work->table.columns[j];
        const pt_role role = roles->role[j];
        column->mark = role == PT_ROLE_MARK ? marks++ : role == PT_ROLE_TIE ? ties++ : -1;
        column->kind = role == PT_ROLE_LABEL     ? PT_CELL_LABEL
                       : role == PT_ROLE_MARK    ? PT_CELL_MARK
                       : role == PT_ROLE_WEIGHT  ? PT_CELL_WEIGHT
                       : role == PT_ROLE_TIE     ? PT_CELL_TIE
                       : role == PT_ROLE_IGNORED ? PT_CELL_SKIP
                       : role == PT_ROLE_NOMINAL ? PT_CELL_TEXT
                       : role == PT_ROLE_NUMBER  ? plan_known(work, j)
                                                 : plan_feature(work, j, habits);
        if (role == PT_ROLE_NOMINAL)
            work->how[j].fixed = true;
        judged = judged || role == PT_ROLE_FEATURE;
    }
    work->check_marks = marks > 0;
    work->weight_decimal = habits.decimal;
    if (roles->weight >= 0 && !habits.decimal_said) { /* its own cells know best */
        const pt_column_tally own = pt_csv_guess_tally(&work->head->rows[roles->weight]);
        if (own.comma != own.point)
            work->weight_decimal = own.comma > own.point ? ',' : '.';
    }
    pt_table_number_slots(&work->table);
    work->judging = judged && !of_model;
    if (judged)
        work->table.odd_slot = work->table.n_slots++;
    return PT_OK;
}

/* ---- numbers that mean missing --------------------------------------------------------------- */

/* --na -999: in columns that were read as numbers, before anything is counted. Columns of texts and
 * single cells that were looked at as texts have it done. */
static void drop_named(pt_csv_work *work, pt_dataset *data)
{
    const char *list = work->na;
    size_t length = 0;
    for (const char *word; (word = pt_na_next(&list, &length));) {
        double gap = 0;
        uint64_t bit = 0;
        pt_na_note(work->na, word, length, &bit);
        if (pt_number_parse(word, length, &gap) != PT_NUMBER_FINITE)
            continue;
        for (int64_t j = 0; j < work->table.n_columns; j++) {
            const pt_cell_kind kind = work->table.columns[j].kind;
            if ((kind != PT_CELL_NUMBER && kind != PT_CELL_STYLED) ||
                work->how[j].as.kind == PT_COLUMN_DATE ||
                work->how[j].as.kind == PT_COLUMN_BOOLEAN || work->how[j].fixed)
                continue;
            double *cell = (double *)data->value + work->table.columns[j].feature;
            for (int64_t i = 0; i < data->n; i++, cell += work->table.stride)
                if (*cell == gap) {
                    *cell = NAN;
                    work->seen[j].missing++;
                    work->odd_rows.na_seen |= bit;
                }
        }
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

static double *cell_of(const pt_csv_work *work, int64_t row, int64_t column)
{
    return work->table.value + row * work->table.stride + work->table.columns[column].feature;
}

/* Whether a row is left out: it has no say in what a column is. */
static bool is_no_row(const pt_csv_work *work, int64_t row)
{
    return work->table.dropped[row] != PT_DROP_NOT;
}

static bool is_judged(const pt_csv_work *work, int64_t column)
{
    const pt_cell_kind kind = work->table.columns[column].kind;
    return work->roles->role[column] == PT_ROLE_FEATURE &&
           (kind == PT_CELL_NUMBER || kind == PT_CELL_STYLED || kind == PT_CELL_TEXT);
}

/* A judgement in the making. */
typedef struct csv_judgement {
    pt_csv_work *work;
    pt_dataset *data;
    pt_column_tally **tally; /* per column; NULL: it is read as planned */
    int64_t *count;          /* of each odd text */
    int64_t rows;            /* that are rows */
} csv_judgement;

static pt_status tally_new(csv_judgement *made, int64_t column, pt_error *err)
{
    const int order = made->work->how[column].wanted_order;
    if (made->tally[column])
        return PT_OK;
    made->tally[column] = pt_alloc_zero(1, sizeof **made->tally, "columns", err);
    if (!made->tally[column])
        return PT_ENOMEM;
    made->tally[column]->wanted_orders = order >= 0 ? 1 << order : 0;
    return PT_OK;
}

/* The texts of columns of texts, counted row by row: a column by itself would touch every row of
 * the matrix once more. */
typedef struct text_counts {
    int64_t n;       /* columns of texts */
    int64_t *column; /* of the file */
    int64_t **count; /* per column of texts: of each text */
} text_counts;

static pt_status text_counts_fill(text_counts *texts, const csv_judgement *made, pt_error *err)
{
    const pt_csv_work *work = made->work;
    const int64_t n_columns = work->table.n_columns;
    PT_TRY(PT_NEW(texts->column, n_columns, "counts of texts", err));
    PT_TRY(PT_NEW_ZERO(texts->count, n_columns, "counts of texts", err));
    for (int64_t j = 0; j < n_columns; j++) {
        if (!is_judged(work, j) || work->table.columns[j].kind != PT_CELL_TEXT)
            continue;
        const pt_column *own = &made->data->columns[work->table.columns[j].feature];
        int64_t **count = &texts->count[texts->n];
        texts->column[texts->n++] = j;
        *count = pt_alloc_zero(own->levels.count, sizeof **count, "counts of texts", err);
        if (!*count)
            return PT_ENOMEM;
    }
    for (int64_t i = 0; i < made->data->n; i++) {
        if (i % CHECKED_ROWS == 0)
            PT_TRY(pt_task_check(work->table.options->task, err));
        for (int64_t t = 0; t < texts->n; t++) {
            const double level = *cell_of(work, i, texts->column[t]);
            if (!isnan(level))
                texts->count[t][(int64_t)level]++;
        }
    }
    return PT_OK;
}

static void text_counts_free(text_counts *texts)
{
    for (int64_t t = 0; t < texts->n; t++)
        pt_free(texts->count[t]);
    pt_free(texts->count);
    pt_free(texts->column);
}

static pt_status count_texts(csv_judgement *made, pt_error *err)
{
    const pt_csv_work *work = made->work;
    PT_FREED_BY(text_counts_free) text_counts texts = {0};
    PT_TRY(text_counts_fill(&texts, made, err));
    for (int64_t t = 0; t < texts.n; t++) {
        const int64_t column = texts.column[t];
        const int64_t *count = texts.count[t];
        const pt_texts *levels = &made->data->columns[work->table.columns[column].feature].levels;
        PT_TRY(tally_new(made, column, err));
        for (int64_t l = 0; l < levels->count; l++) {
            PT_TRY(pt_task_check_at(work->table.options->task, l, err));
            if (count[l] > 0)
                pt_column_tally_add(made->tally[column], work->na, levels->items[l],
                                    strlen(levels->items[l]), count[l]);
        }
    }
    return PT_OK;
}

/* What was parsed without a text being kept. */
static void count_parsed(csv_judgement *made, int64_t column)
{
    const pt_csv_work *work = made->work;
    const pt_csv_seen *seen = &work->seen[column];
    const pt_judged *as = &work->how[column].as;
    pt_column_tally *tally = made->tally[column];
    const int64_t parsed = made->rows - seen->missing - seen->texts;
    tally->gaps += seen->gaps;
    if (as->kind == PT_COLUMN_DATE) {
        tally->dates += parsed;
        tally->day_less += as->parts & PT_PART_DAYS ? 0 : parsed;
        tally->orders = 1 << as->order;
        return;
    }
    const bool styled = work->table.columns[column].kind == PT_CELL_STYLED;
    const bool measures = as->kind <= PT_COLUMN_INTEGER && *as->unit;
    const int64_t bare = measures ? parsed - seen->dressed : parsed;
    tally->numbers += styled ? 0 : bare;
    tally->styled += styled ? bare : 0;
    tally->measures += parsed - bare;
    if (*as->unit)
        pt_tally_units_add(measures ? &tally->units : &tally->currencies, as->unit,
                           strlen(as->unit));
    tally->comma += as->style.decimal == ',' ? parsed : 0;
    tally->point += as->style.decimal == '.' && work->head->rows[column].points > 0 ? parsed : 0;
    tally->currency += as->kind == PT_COLUMN_CURRENCY ? parsed : 0;
    tally->percent += as->kind == PT_COLUMN_PERCENT ? seen->dressed : 0;
    tally->thousands = as->style.thousands;
}

/* Whether a column that was read as planned has cells of two sorts all the same. */
static bool is_half_dressed(const csv_judgement *made, int64_t column)
{
    const pt_csv_seen *seen = &made->work->seen[column];
    const pt_judged *as = &made->work->how[column].as;
    return (as->kind == PT_COLUMN_PERCENT || (as->kind <= PT_COLUMN_INTEGER && *as->unit)) &&
           seen->dressed < made->rows - seen->missing - seen->texts;
}

static pt_status count_all(csv_judgement *made, pt_error *err)
{
    const pt_csv_work *work = made->work;
    const pt_texts *odd = &work->odd.texts;
    PT_TRY(count_texts(made, err));
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        if (!is_judged(work, j) || work->table.columns[j].kind == PT_CELL_TEXT)
            continue;
        PT_TRY(pt_task_check(work->table.options->task, err));
        if (work->seen[j].texts > 0 || is_half_dressed(made, j)) {
            PT_TRY(tally_new(made, j, err));
            count_parsed(made, j);
            for (int64_t i = 0; i < made->data->n; i++) {
                PT_TRY(pt_task_check_at(work->table.options->task, i, err));
                const double value = *cell_of(work, i, j);
                const int64_t number = pt_table_unbox(value);
                if (number >= 0)
                    made->count[number]++;
                made->tally[j]->bits += value == 0 || value == 1;
            }
        }
    }
    for (int64_t w = 0; w < odd->count; w++) {
        const char *text = NULL;
        const int64_t column = pt_table_odd_column(odd->items[w], &text);
        PT_TRY(pt_task_check_at(work->table.options->task, w, err));
        if (made->count[w] > 0) /* and not in rows that are left out alone */
            pt_column_tally_add(made->tally[column], work->na, text, strlen(text), made->count[w]);
    }
    return PT_OK;
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* "'a' (12), 'b' (3), ..." */
typedef struct csv_list {
    int64_t count;
    bool limits; /* some are limits */
    size_t used;
    char text[NAMED * (PT_CELL_SHOWN + 16) + 8];
} csv_list;

static void list_add(csv_list *list, const char *item)
{
    const size_t room = sizeof list->text;
    if (list->count < NAMED)
        list->used += (size_t)snprintf(list->text + list->used, room - list->used, "%s%s",
                                       list->count ? ", " : "", item);
    else if (list->count == NAMED)
        snprintf(list->text + list->used, room - list->used, ", ...");
    list->count++;
}

/* <5, > 300, <=0.1: a number of which is known only that it is smaller or larger. */
static bool is_limit(const char *text)
{
    static const char *const SIGNS[] = {"<=", ">=", "<", ">", "\xe2\x89\xa4", "\xe2\x89\xa5"};
    pt_number_signs signs;
    for (size_t s = 0; s < sizeof SIGNS / sizeof *SIGNS; s++) {
        const size_t length = strlen(SIGNS[s]);
        if (strncmp(text, SIGNS[s], length) != 0)
            continue;
        text += length;
        text += strspn(text, " ");
        return pt_number_signs_of(text, strlen(text), &signs);
    }
    return false;
}

static void list_text(csv_list *list, const char *text, int64_t count)
{
    char shown[PT_CELL_SHOWN];
    char item[PT_CELL_SHOWN + 16];
    snprintf(item, sizeof item, "'%.30s' (%lld)", pt_cell_show(text, strlen(text), shown),
             (long long)count);
    list->limits = list->limits || is_limit(text);
    list_add(list, item);
}

/* The texts that do not fit a verdict; *line: where the first of them stands, 0: not known. */
static void list_misfits(const csv_judgement *made, int64_t column, const pt_judged *as,
                         csv_list *list, int64_t *line)
{
    const pt_csv_work *work = made->work;
    const pt_texts *odd = &work->odd.texts;
    double value = 0;
    *line = 0;
    if (work->table.columns[column].kind == PT_CELL_TEXT) {
        const int64_t feature = work->table.columns[column].feature;
        const pt_texts *levels = &made->data->columns[feature].levels;
        int64_t *count = NULL;
        pt_error ignored = PT_ERROR_INIT;
        count = pt_alloc_zero(levels->count, sizeof *count, "counts of texts", &ignored);
        for (int64_t i = 0; count && i < made->data->n; i++)
            if (!isnan(*cell_of(work, i, column)))
                count[(int64_t)*cell_of(work, i, column)]++;
        for (int64_t l = 0; count && l < levels->count; l++) {
            const size_t length = strlen(levels->items[l]);
            if (count[l] > 0 && !pt_judged_value(as, levels->items[l], length, &value) &&
                !pt_is_gap_word(work->na, levels->items[l], length))
                list_text(list, levels->items[l], count[l]);
        }
        pt_free(count);
        return;
    }
    for (int64_t w = 0; w < odd->count; w++) {
        const char *text = NULL;
        if (pt_table_odd_column(odd->items[w], &text) != column || made->count[w] == 0 ||
            pt_judged_value(as, text, strlen(text), &value))
            continue;
        int64_t at = 0;
        if (list->count == 0)
            pt_lines_locate(work->table.lines, work->odd.first[w], line, &at);
        list_text(list, text, made->count[w]);
    }
}

/* "left out", or how a column is read that is neither numbers nor dates. */
static const char *fate_of(const pt_verdict *verdict)
{
    return pt_column_is_left_out(verdict->as.kind) ? "left out" : "read as nominal";
}

/* "numbers with different units, such as 'bar' and 'kPa'", where a column has such. */
enum { UNITS_SHOWN = 2 * PT_UNIT_ROOM + 64 };
static const char *units_of(const pt_column_tally *tally, char words[UNITS_SHOWN])
{
    words[0] = '\0';
    if (tally->units.count > 1)
        snprintf(words, UNITS_SHOWN, "numbers with different units, such as '%s' and '%s'",
                 tally->units.name[0], tally->units.name[1]);
    return words;
}

/* Of all cells that are not missing, those that are what --types asks for. */
static int64_t count_fitting(const pt_column_tally *tally, const pt_verdict *verdict,
                             int64_t *solid)
{
    const int64_t truths = tally->truths + tally->lies;
    const bool measures = tally->units.count == 1;
    *solid =
        tally->numbers + tally->styled + tally->measures + tally->dates + truths + tally->others;
    return verdict->as.kind == PT_COLUMN_BOOLEAN ? truths + tally->bits
           : verdict->as.kind == PT_COLUMN_DATE
               ? tally->dates + tally->compact
               : tally->numbers + tally->styled + (measures ? tally->measures : 0);
}

/* --types asks for numbers, dates or truths where there are none, or nearly all cells would be
 * lost. */
static pt_status refuse_type(const csv_judgement *made, int64_t column, const pt_verdict *verdict,
                             pt_error *err)
{
    char title[PT_CELL_SHOWN];
    char words[PT_JUDGED_WORDS];
    char units[UNITS_SHOWN];
    csv_list list = {0};
    int64_t line = 0;
    int64_t solid = 0;
    const pt_column_tally *tally = made->tally[column];
    const int64_t fit = count_fitting(tally, verdict, &solid);
    const bool number = is_number_kind(verdict->as.kind);
    list_misfits(made, column, &verdict->as, &list, &line);
    pt_csv_column_title(made->work, column, title);
    const char *kind = made->work->how[column].wanted_order >= 0
                           ? pt_judged_words(&verdict->as, words)
                           : pt_column_kind_name(verdict->as.kind);
    units_of(tally, units);
    const bool differ = number && *units;
    if (verdict->nothing_fits)
        return pt_fail_at(err, PT_EINVAL, made->work->table.options->source, 0, 0,
                          "`types`: column %s has no cell that is a %s, but %s%s%s%s", title, kind,
                          list.text, differ ? "; they are " : "", differ ? units : "",
                          differ ? ": convert them to one" : "");
    return pt_fail_at(
        err, PT_EINVAL, made->work->table.options->source, 0, 0,
        "`types`: %lld of the cells of column %s are a %s, but %lld are not, and would "
        "be lost: %s; %s%s%-s",
        (long long)fit, title, kind, (long long)(solid - fit), list.text, differ ? "they are " : "",
        differ ? units : "",
        differ ? ": convert them to one"
               : "name words that mean missing with `na=+WORD`, or keep them as they "
                 "are with =nominal");
}

/* What most cells of a column are that has several sorts. */
static pt_judged majority_of(const pt_column_tally *tally, const pt_verdict *verdict)
{
    const int64_t numbers =
        tally->numbers + tally->styled + (tally->units.count == 1 ? tally->measures : 0);
    const int64_t dates = tally->dates + (tally->dates > 0 ? tally->compact : 0);
    if (2 * dates > numbers + tally->dates)
        return (pt_judged){.kind = PT_COLUMN_DATE,
                           .order = verdict->as.order,
                           .parts = tally->day_less ? PT_PART_HOUR : PT_PART_DAYS};
    pt_judged number = {.kind = PT_COLUMN_NUMBER,
                        .style = {tally->comma > tally->point ? ',' : '.', 0}};
    if (tally->units.count == 1)
        memcpy(number.unit, tally->units.name[0], sizeof number.unit);
    return number;
}

/* Numbers and other texts in one column. */
static pt_status warn_of_mixture(const csv_judgement *made, int64_t column,
                                 const pt_verdict *verdict, pt_error *err)
{
    const pt_csv_work *work = made->work;
    const pt_column_tally *tally = made->tally[column];
    const bool dropped = verdict->drops;
    const bool truths = dropped && verdict->as.kind == PT_COLUMN_BOOLEAN;
    const int64_t numbers =
        tally->numbers + tally->styled + (tally->units.count == 1 ? tally->measures : 0);
    const bool compact = tally->dates > 0 || work->how[column].wanted == PT_COLUMN_DATE;
    const int64_t all_dates = tally->dates + (compact ? tally->compact : 0);
    const pt_judged meant = dropped ? verdict->as : majority_of(tally, verdict);
    const bool dates = meant.kind == PT_COLUMN_DATE;
    const int64_t fit = truths  ? tally->truths + tally->lies + tally->bits
                        : dates ? all_dates
                                : numbers;
    const int64_t solid = tally->numbers + tally->styled + tally->measures + tally->dates +
                          tally->truths + tally->lies + tally->others;
    csv_list list = {0};
    int64_t line = 0;
    list_misfits(made, column, &meant, &list, &line);
    line = line ? line : work->how[column].line;
    char title[PT_CELL_SHOWN];
    char name[PT_CELL_SHOWN];
    char place[48] = "";
    if (line > 0)
        snprintf(place, sizeof place, ", first in line %lld", (long long)line);
    const char *kind = truths ? "boolean" : dates ? "date" : "number";
    char units[UNITS_SHOWN];
    const bool differ = !truths && !dates && *units_of(tally, units);
    if (dropped)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s is read as %ss: %lld of its cells are %ss, and %lld %s not "
                       "and count%s as missing: %s%s; %s%s%-s, or say `types=%s=nominal` to keep "
                       "them",
                       pt_csv_column_title(work, column, title), kind, (long long)fit, kind,
                       (long long)(solid - fit), solid - fit == 1 ? "is" : "are",
                       solid - fit == 1 ? "s" : "", list.text, place, differ ? "there are " : "",
                       differ ? units : "",
                       differ        ? ": convert them to one"
                       : list.limits ? "a limit is not a missing cell: write a number for it, "
                                       "perhaps the limit itself"
                                     : "name such words with `na=+WORD`",
                       pt_csv_option_name(work, column, name));
    return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                   "column %s is %s: %lld of its cells are %ss, but %lld are not: %s%s; say "
                   "`types=%s=%s` if these are missing%s%-s",
                   pt_csv_column_title(work, column, title), fate_of(verdict), (long long)fit, kind,
                   (long long)(solid - fit), list.text, place,
                   pt_csv_option_name(work, column, name), kind,
                   list.limits ? ", write numbers for them if they are limits" : "",
                   line == 1 ? "; if the first line is a header, say `header=yes`" : "");
}

static pt_status warn_of_doubt(const csv_judgement *made, int64_t column, const pt_verdict *verdict,
                               pt_error *err)
{
    char title[PT_CELL_SHOWN];
    char name[PT_CELL_SHOWN];
    char units[UNITS_SHOWN];
    pt_csv_column_title(made->work, column, title);
    pt_csv_option_name(made->work, column, name);
    if (verdict->decimal_doubt)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s has numbers such as 1,234, and nothing says whether the comma "
                       "separates thousands; they are read as %s: say `decimal=comma` if it is the "
                       "decimal sign, `decimal=point` if not",
                       title, verdict->as.style.decimal == ',' ? "1.234" : "1234");
    const pt_column_tally *tally = made->tally[column];
    const long long numbers = tally->numbers + tally->styled;
    if (verdict->percent_doubt)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s: %lld cells have a percent sign and %lld have none; all are "
                       "read as they stand, 45%% as 45: write them alike",
                       title, (long long)tally->percent, numbers - tally->percent);
    if (verdict->unit_doubt && tally->currency > 0)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s has amounts in several currencies, such as %s and %s, which "
                       "are read as if they were one: convert them",
                       title, tally->currencies.name[0], tally->currencies.name[1]);
    if (verdict->unit_doubt)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s: %lld cells have the unit '%s' and %lld have none; all are "
                       "taken to have it",
                       title, (long long)tally->measures, tally->units.name[0], numbers);
    if (verdict->units_differ)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s is read as nominal: its cells are %s; convert them to one", title,
                       units_of(tally, units));
    if (verdict->decimals_differ)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s is %s: %lld of its numbers have decimal commas and %lld "
                       "decimal points; write them alike",
                       title, fate_of(verdict), (long long)tally->comma, (long long)tally->point);
    if (verdict->orders_differ)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s is %s: its cells are dates, but no order of day, month and "
                       "year fits all of them; write them alike",
                       title, fate_of(verdict));
    if (verdict->times_differ)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s is %s: %lld of its cells are dates and %lld are times "
                       "alone; write them alike",
                       title, fate_of(verdict), (long long)(tally->dates - tally->day_less),
                       (long long)tally->day_less);
    if (verdict->century_doubt)
        PT_TRY(pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s has years of two digits, which are taken to be 1970 to 2069 "
                       "(45 is 2045); write four digits where they are others",
                       title));
    if (verdict->lone_doubt)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s has dates such as Jul-23, and nothing says whether 23 is a year "
                       "or a day; it is read as the year, as spreadsheets write it: say "
                       "`types=%s=md` if it is a day, %s=ymd if not",
                       title, name, name);
    if (verdict->year_doubt)
        return pt_warn(&made->data->warnings, err, PT_KIND_DATA,
                       "column %s has dates such as 03.04.05, and nothing says whether the year "
                       "comes first; they are read as %s: say `types=%s=ymd` if it is first, dmy "
                       "or mdy if not",
                       title, verdict->as.order == PT_DATE_MDY ? "m/d/y" : "d/m/y", name);
    if (verdict->order_doubt)
        return pt_warn(
            &made->data->warnings, err, PT_KIND_DATA,
            "column %s has dates such as 03%c04%c2024, and nothing says whether the month comes "
            "first; they are read as %s: say `types=%s=dmy` if the day does, %s=mdy if not",
            title, tally->date_sign, tally->date_sign,
            verdict->as.order == PT_DATE_MDY ? "m/d/y" : "d/m/y", name, name);
    return PT_OK;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Whether the boxes of a column cannot tell what its other cells mean. */
static bool must_read_again(const csv_judgement *made, int64_t column, const pt_verdict *verdict)
{
    const pt_csv_work *work = made->work;
    const pt_judged *read_as = &work->how[column].as;
    const pt_judged *as = &verdict->as;
    if (as->kind == PT_COLUMN_DATE)
        return read_as->kind != PT_COLUMN_DATE || read_as->order != as->order ||
               (read_as->parts & PT_PART_DAYS) != (as->parts & PT_PART_DAYS);
    if (!is_number_kind(as->kind) || read_as->kind == PT_COLUMN_DATE)
        return true;
    return as->style.decimal != read_as->style.decimal;
}

/* Cells of texts become what the texts say. */
static pt_status convert_texts(const csv_judgement *made, int64_t column, const pt_judged *as,
                               pt_error *err)
{
    const pt_csv_work *work = made->work;
    pt_column *own = &made->data->columns[work->table.columns[column].feature];
    const pt_texts *levels = &own->levels;
    PT_SCRATCH double *value = pt_alloc(levels->count, sizeof *value, "values of texts", err);
    if (!value)
        return PT_ENOMEM;
    for (int64_t l = 0; l < levels->count; l++) {
        PT_TRY(pt_task_check_at(work->table.options->task, l, err));
        if (!pt_judged_value(as, levels->items[l], strlen(levels->items[l]), &value[l]))
            value[l] = NAN;
    }
    for (int64_t i = 0; i < made->data->n; i++) {
        PT_TRY(pt_task_check_at(work->table.options->task, i, err));
        double *cell = cell_of(work, i, column);
        *cell = isnan(*cell) ? NAN : value[(int64_t)*cell];
    }
    pt_texts_free(&own->levels);
    own->nominal = false;
    return PT_OK;
}

static pt_status convert_boxes(const csv_judgement *made, int64_t column, const pt_judged *as,
                               pt_error *err)
{
    const pt_csv_work *work = made->work;
    for (int64_t i = 0; i < made->data->n; i++) {
        PT_TRY(pt_task_check_at(work->table.options->task, i, err));
        double *cell = cell_of(work, i, column);
        const int64_t number = pt_table_unbox(*cell);
        const char *text = NULL;
        if (number < 0)
            continue;
        pt_table_odd_column(work->odd.texts.items[number], &text);
        if (!pt_judged_value(as, text, strlen(text), cell))
            *cell = NAN;
    }
    return PT_OK;
}

/* A column that has texts: settled, or to be read again. */
static pt_status judge_column(csv_judgement *made, int64_t column, pt_habits habits, bool *again,
                              pt_error *err)
{
    pt_csv_work *work = made->work;
    pt_csv_how *how = &work->how[column];
    const pt_verdict verdict = judge_as(how, made->tally[column], habits);
    const bool texts = work->table.columns[column].kind == PT_CELL_TEXT;
    const bool settled = texts || !must_read_again(made, column, &verdict);
    if ((verdict.nothing_fits || (verdict.few_fit && verdict.drops)) && settled)
        return refuse_type(made, column, &verdict, err);
    *again = !settled;
    if (!settled && verdict.mixed) { /* boxes know where a text stands first */
        const pt_judged meant = majority_of(made->tally[column], &verdict);
        csv_list list = {0};
        if (is_number_kind(meant.kind) && is_number_kind(how->as.kind))
            list_misfits(made, column, &meant, &list, &how->line);
    }
    if (settled && verdict.mixed && how->wanted != PT_COLUMN_NOMINAL) {
        PT_TRY(warn_of_mixture(made, column, &verdict, err));
        how->told = !verdict.drops;
    }
    if (!settled)
        return PT_OK;
    how->as = verdict.as;
    how->as.misfits = verdict.drops;
    how->gaps += made->tally[column]->gaps;
    PT_TRY(warn_of_doubt(made, column, &verdict, err));
    const bool differ = verdict.times_differ || verdict.orders_differ || verdict.decimals_differ;
    how->told = how->told || differ;
    if (differ && how->as.kind == PT_COLUMN_IDENTIFIER) /* which names no rows */
        how->as.kind = PT_COLUMN_IGNORED;
    how->many_levels = verdict.many_levels && !how->told;
    const bool value = is_number_kind(verdict.as.kind) || verdict.as.kind == PT_COLUMN_BOOLEAN ||
                       verdict.as.kind == PT_COLUMN_DATE;
    if (texts && value)
        return convert_texts(made, column, &verdict.as, err);
    if (texts)
        made->data->columns[work->table.columns[column].feature].nominal = true;
    else
        return convert_boxes(made, column, &verdict.as, err);
    return PT_OK;
}

/* Whether a column is called id, or something_id. */
static bool is_id_name(const char *name)
{
    static const char *const NAMES[] = {"id",    "uid",    "uuid", "guid",      "index",
                                        "rowid", "row_id", "key",  "unnamed: 0"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (pt_same_name(name, NAMES[i]))
            return true;
    const size_t length = strlen(name);
    if (length < 3)
        return false;
    const char before = name[length - 3];
    return (pt_same_name(name + length - 2, "id") && strchr("_ .-", before)) ||
           (strcmp(name + length - 2, "ID") == 0 && before >= 'a' && before <= 'z') ||
           (strcmp(name + length - 2, "Id") == 0 && before >= 'a' && before <= 'z');
}

/* Whether the last word of a name says that its numbers are names: "Pat.-Nr.", "customer_no",
 * "Fallnummer". */
static bool is_number_name(const char *name)
{
    static const char *const WORDS[] = {"nr", "nr.", "no", "no.", "number"};
    static const char GERMAN[] = "nummer";
    const size_t length = strlen(name);
    size_t begin = length;
    while (begin > 0 && !strchr("_ -", name[begin - 1]) &&
           (name[begin - 1] != '.' || begin == length))
        begin--;
    for (size_t w = 0; w < sizeof WORDS / sizeof *WORDS; w++)
        if (begin > 0 && pt_same_name(name + begin, WORDS[w]))
            return true;
    return length >= strlen(GERMAN) && pt_same_name(name + length - strlen(GERMAN), GERMAN);
}

/* Whole numbers so large that a machine does not have all of them: nobody has counted so far,
 * and who has measured writes an exponent. */
static bool is_too_long(double value)
{
    enum { EXACT_BITS = 53 };
    static const double TWENTY_DIGITS = 1e20;
    return value > (double)(INT64_C(1) << EXACT_BITS) && value < TWENTY_DIGITS;
}

/* Whether so many of `all` make no difference to what a column is. */
static bool are_few(int64_t some, int64_t all)
{
    return 10 * some <= all;
}

/* *sorted <- the n numbers of a column in rows that count, ascending. */
static pt_status sort_column(const csv_judgement *made, int64_t column, double **sorted, int64_t *n,
                             pt_error *err)
{
    const pt_csv_work *work = made->work;
    *n = 0;
    PT_TRY(PT_NEW(*sorted, made->data->n, "values of a column", err));
    for (int64_t i = 0; i < made->data->n; i++) {
        PT_TRY(pt_task_check_at(work->table.options->task, i, err));
        if (!is_no_row(work, i) && !isnan(*cell_of(work, i, column)))
            (*sorted)[(*n)++] = *cell_of(work, i, column);
    }
    return pt_sort(*sorted, *n, sizeof **sorted, pt_ascending, "values of a column",
                   work->table.options->task, err);
}

static int64_t count_different(const double *sorted, int64_t n)
{
    int64_t different = n > 0;
    for (int64_t i = 1; i < n; i++)
        different += sorted[i] != sorted[i - 1];
    return different;
}

/* Whole numbers that count the rows, in any order; or, under a name that says so, that differ. A
 * few may be missing or there twice: rows that were repeated, or tables that were joined. */
static pt_status counts_rows(const csv_judgement *made, int64_t column, bool *counts, pt_error *err)
{
    const pt_csv_work *work = made->work;
    const char *name = work->names ? work->names->items[column] : "";
    const bool named = is_id_name(name);
    double first[PT_IDENTIFIER_ROWS]; /* a column whose first cells repeat ends here */
    int64_t seen = 0;
    int64_t repeats = 0;
    double low = INFINITY;
    double high = -INFINITY;
    *counts = made->rows >= PT_IDENTIFIER_ROWS && are_few(work->seen[column].missing, made->rows);
    for (int64_t i = 0; i < made->data->n && *counts; i++) {
        PT_TRY(pt_task_check_at(work->table.options->task, i, err));
        const double value = *cell_of(work, i, column);
        if (is_no_row(work, i) || isnan(value))
            continue;
        low = value < low ? value : low;
        high = value > high ? value : high;
        *counts = value == floor(value) &&
                  (named || high - low < (double)made->rows || work->how[column].too_long);
        if (seen == PT_IDENTIFIER_ROWS)
            continue;
        for (int64_t f = 0; f < seen; f++)
            repeats += first[f] == value;
        first[seen++] = value;
        *counts = *counts && are_few(repeats, PT_IDENTIFIER_ROWS);
    }
    if (!*counts)
        return PT_OK;
    PT_SCRATCH double *sorted = NULL;
    int64_t n = 0;
    PT_TRY(sort_column(made, column, &sorted, &n, err));
    *counts = are_few(n - count_different(sorted, n), n);
    return PT_OK;
}

/* Whole numbers that may name what rows are about, patients perhaps, some of whom have several: by
 * the name of the column, where too many differ for classes of a kind. */
static pt_status names_things(const csv_judgement *made, int64_t column, bool *names, pt_error *err)
{
    enum { ROWS_EACH = 10 }; /* more on average: shops, wards, perhaps rooms and their size */
    const pt_csv_work *work = made->work;
    const char *name = work->names ? work->names->items[column] : "";
    *names = false;
    if (made->rows < PT_IDENTIFIER_ROWS || !(is_id_name(name) || is_number_name(name)))
        return PT_OK;
    PT_SCRATCH double *sorted = NULL;
    int64_t n = 0;
    PT_TRY(sort_column(made, column, &sorted, &n, err));
    for (int64_t i = 0; i < n; i++)
        if (sorted[i] != floor(sorted[i]))
            return PT_OK;
    *names = n > 0 && ROWS_EACH * count_different(sorted, n) >= n;
    return PT_OK;
}

/* Whether all numbers of a column may be thousands with points: 1.234 in the head, none below 1. */
static bool points_may_part(const csv_judgement *made, int64_t column)
{
    const pt_csv_guess *head = &made->work->head->rows[column];
    if (head->points > 0 || head->either_points == 0)
        return false;
    for (int64_t i = 0; i < made->data->n; i++) {
        const double value = fabs(*cell_of(made->work, i, column));
        if (!is_no_row(made->work, i) && value > 0 && value < 1)
            return false;
    }
    return true;
}

/* The same in a table of few rows, where any column may count them by chance: by its name, or since
 * it is 1, 2, 3, ... from the first row to the last. */
static bool numbers_few_rows(const csv_judgement *made, int64_t column)
{
    enum { FEW_ROWS = 10 };
    const pt_csv_work *work = made->work;
    double seen[PT_IDENTIFIER_ROWS];
    int64_t n = 0;
    bool ordered = true;
    if (made->rows < FEW_ROWS || made->rows >= PT_IDENTIFIER_ROWS)
        return false;
    for (int64_t i = 0; i < made->data->n; i++) {
        const double value = *cell_of(work, i, column);
        if (is_no_row(work, i))
            continue;
        if (isnan(value) || value != floor(value))
            return false;
        for (int64_t s = 0; s < n; s++)
            if (seen[s] == value)
                return false;
        ordered = ordered && value == (n == 0 ? value == 0 ? 0 : 1 : seen[n - 1] + 1);
        seen[n++] = value;
    }
    return ordered || (work->names && is_id_name(work->names->items[column]));
}

/* A column whose cells were all read as planned. */
static pt_status judge_plain(const csv_judgement *made, int64_t column, const pt_habits *habits,
                             pt_error *err)
{
    char title[PT_CELL_SHOWN];
    pt_csv_work *work = made->work;
    pt_csv_how *how = &work->how[column];
    const pt_csv_seen *seen = &work->seen[column];
    how->gaps += seen->gaps;
    if (how->wanted != PT_N_COLUMN_KINDS)
        return PT_OK;
    if (seen->missing == made->rows && seen->first_not_finite == INT64_MAX) {
        how->as.kind = PT_COLUMN_EMPTY;
        return PT_OK;
    }
    bool counts = false;
    if (how->as.kind != PT_COLUMN_NUMBER)
        return PT_OK;
    const pt_csv_guess *head = &work->head->rows[column];
    how->too_long = head->points + head->either_points == 0 && is_too_long(head->largest);
    PT_TRY(counts_rows(made, column, &counts, err));
    how->numbers_rows = numbers_few_rows(made, column);
    if (!counts)
        PT_TRY(names_things(made, column, &how->names_things, err));
    if (counts)
        how->as.kind = PT_COLUMN_IDENTIFIER;
    else if (!habits->decimal && work->separator == ';' && points_may_part(made, column))
        return pt_warn(
            &made->data->warnings, err, PT_KIND_DATA,
            "column %s has numbers such as 1.234, and nothing says whether the point "
            "separates thousands; it is read as the decimal sign: say `decimal=comma` if "
            "it is not, `decimal=point` if it is",
            pt_csv_column_title(work, column, title));
    return PT_OK;
}

static pt_status judge_all(csv_judgement *made, int64_t *again, pt_error *err)
{
    pt_csv_work *work = made->work;
    const pt_habits habits = habits_of(work, made->tally);
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        pt_table_column *column = &work->table.columns[j];
        bool once_more = false;
        PT_TRY(pt_task_check(work->table.options->task, err));
        if (is_judged(work, j)) {
            const pt_column_tally *tally = made->tally[j];
            if (column->kind == PT_CELL_TEXT && tally && tally->words == 0 &&
                work->how[j].wanted == PT_N_COLUMN_KINDS)
                work->how[j].as.kind = PT_COLUMN_EMPTY;
            else if (tally)
                PT_TRY(judge_column(made, j, habits, &once_more, err));
            else
                PT_TRY(judge_plain(made, j, &habits, err));
        }
        column->kind = once_more ? PT_CELL_TEXT : PT_CELL_SKIP;
        *again += once_more;
    }
    return PT_OK;
}

static void judgement_free(csv_judgement *made)
{
    for (int64_t j = 0; made->tally && j < made->work->table.n_columns; j++)
        pt_free(made->tally[j]);
    pt_free(made->tally);
    pt_free(made->count);
}

pt_status pt_csv_judge(pt_csv_work *work, pt_dataset *data, bool first, int64_t *again,
                       pt_error *err)
{
    const int64_t n_columns = work->table.n_columns;
    PT_FREED_BY(judgement_free) csv_judgement made = {.work = work, .data = data};
    *again = 0;
    for (int64_t j = 0; j < n_columns; j++) /* what --nominal or the model says */
        if (first && work->roles->role[j] == PT_ROLE_NOMINAL)
            data->columns[work->table.columns[j].feature].nominal = true;
    if (work->table.odd_slot < 0)
        return PT_OK;
    if (first && work->table.stride > 0)
        drop_named(work, data);
    PT_TRY(PT_NEW_ZERO(made.tally, n_columns, "columns", err));
    PT_TRY(PT_NEW_ZERO(made.count, work->odd.texts.count, "counts of texts", err));
    made.rows = data->n;
    for (int64_t i = 0; work->drops && i < data->n; i++)
        made.rows -= is_no_row(work, i);
    PT_TRY(count_all(&made, err));
    PT_TRY(judge_all(&made, again, err));
    pt_table_number_slots(&work->table);
    work->table.odd_slot = *again > 0 ? work->table.n_slots++ : -1;
    return PT_OK;
}
