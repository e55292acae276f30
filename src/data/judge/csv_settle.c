/* The end of reading a CSV file: the matrix as the judgement of its columns wants it, without the
 * columns and rows that are left out and with the parts of dates, and the list of what was decided.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/judge/doubts.h"
#include "data/judge/judge_cells.h"
#include "data/read/csv.h"
#include "data/read/number.h"

enum {
    CONSTANT_ROWS = 10,
    NAMED = 3,
    CHECKED_ROWS = 1 << 14 /* between two looks at whether to stop */
};

/* ---- what is said ---------------------------------------------------------------------------- */

/* Columns of one kind, for one line about all of them. */
typedef struct csv_group {
    int64_t count;
    int64_t first; /* column */
    size_t used;
    char names[NAMED * (PT_CELL_SHOWN + 2) + 8];
} csv_group;

static void group_add(csv_group *group, const pt_csv_work *work, int64_t column)
{
    char title[PT_CELL_SHOWN];
    const size_t room = sizeof group->names;
    if (group->count == 0)
        group->first = column;
    if (group->count < NAMED)
        group->used +=
            (size_t)snprintf(group->names + group->used, room - group->used, "%s%s",
                             group->count ? ", " : "", pt_csv_column_title(work, column, title));
    else if (group->count == NAMED)
        snprintf(group->names + group->used, room - group->used, ", ...");
    group->count++;
}

/* "column 'a'", "3 columns ('a', 'b', 'c')" */
static const char *group_title(const csv_group *group, char title[320])
{
    if (group->count == 1)
        snprintf(title, 320, "column %s", group->names);
    else
        snprintf(title, 320, "%lld columns (%s)", (long long)group->count, group->names);
    return title;
}

static const char *is_or_are(const csv_group *group)
{
    return group->count == 1 ? "is" : "are";
}

/* *missing: how many of its cells are, where it is. */
static bool is_constant(const pt_csv_work *work, const pt_dataset *data, int64_t column,
                        int64_t *missing)
{
    const double *value = (const double *)data->value + work->table.columns[column].feature;
    double first = NAN;
    *missing = 0;
    for (int64_t i = 0; i < data->n; i++) {
        const double x = value[i * data->d];
        if (isnan(x)) {
            ++*missing;
            continue;
        }
        if (isnan(first))
            first = x;
        if (x != first)
            return false;
    }
    return !isnan(first);
}

static bool is_nominal(const pt_csv_work *work, const pt_dataset *data, int64_t column)
{
    return data->columns[work->table.columns[column].feature].nominal;
}

/* Columns of which users should know, by what there is to say. */
typedef struct findings {
    csv_group ids;
    const char *amount; /* a cell of theirs that holds numbers all the same */
    csv_group counters;
    csv_group things; /* numbers that may be names */
    csv_group texts;
    csv_group empty;
    csv_group gaps;
    int64_t gap_cells;
    csv_group many;     /* levels */
    csv_group constant; /* one value */
    csv_group lone;     /* one value, or nothing */
    csv_group codes;    /* that are read as numbers */
    csv_group points;   /* against --decimal comma */
} findings;

/* Whether the name of a column speaks of codes that have digits and are no amounts. */
static bool is_code_name(const pt_csv_work *work, int64_t column)
{
    static const char *const NAMES[] = {"zip",    "zipcode", "zip_code", "zip code",  "postcode",
                                        "plz",    "postal",  "phone",    "telephone", "tel",
                                        "mobile", "fips",    "ean",      "isbn",      "barcode"};
    for (size_t i = 0; work->names && i < sizeof NAMES / sizeof *NAMES; i++)
        if (pt_same_name(work->names->items[column], NAMES[i]))
            return true;
    return false;
}

/* A column of identifiers; where nearly all its cells are amounts for a person, one is kept. */
static void find_id(findings *f, const pt_csv_work *work, const pt_dataset *data, int64_t column)
{
    const pt_column *own = &data->columns[work->table.columns[column].feature];
    int64_t amounts = 0;
    group_add(&f->ids, work, column);
    for (int64_t l = 0; own->nominal && !f->amount && l < own->levels.count; l++)
        amounts += pt_holds_amounts(own->levels.items[l]);
    if (amounts > 0 && 10 * amounts >= 9 * own->levels.count)
        f->amount = own->levels.items[0];
}

static void find(findings *f, const pt_csv_work *work, const pt_dataset *data)
{
    const bool comma_said = strcmp(work->table.options->decimal, "comma") == 0;
    int64_t missing = 0;
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        const pt_csv_how *how = &work->how[j];
        if (work->roles->role[j] != PT_ROLE_FEATURE)
            continue;
        if (pt_column_is_left_out(how->as.kind) && how->told)
            continue;
        if (how->as.kind == PT_COLUMN_IDENTIFIER)
            find_id(f, work, data, j);
        else if (how->as.kind == PT_COLUMN_TEXT)
            group_add(&f->texts, work, j);
        else if (how->as.kind == PT_COLUMN_EMPTY)
            group_add(&f->empty, work, j);
        else {
            if (data->n >= CONSTANT_ROWS && is_constant(work, data, j, &missing))
                group_add(missing > 0 ? &f->lone : &f->constant, work, j);
            if (how->gaps > 0 && how->as.kind < PT_COLUMN_NOMINAL) {
                group_add(&f->gaps, work, j);
                f->gap_cells += how->gaps;
            }
            if (how->many_levels)
                group_add(&f->many, work, j);
            if (how->numbers_rows)
                group_add(&f->counters, work, j);
            if (how->names_things)
                group_add(&f->things, work, j);
            if (comma_said && how->as.kind <= PT_COLUMN_INTEGER && how->as.style.decimal == '.' &&
                work->head->rows[j].points > 0)
                group_add(&f->points, work, j);
            const pt_csv_guess *head = &work->head->rows[j];
            const bool code = how->zeros > 0 || how->too_long ||
                              (head->points + head->either_points == 0 && is_code_name(work, j));
            if (code && how->as.kind == PT_COLUMN_NUMBER && how->wanted == PT_N_COLUMN_KINDS)
                group_add(&f->codes, work, j);
        }
    }
}

/* 5,1 kg in a table of commas without names: two cells, or one that is cut at its decimal comma. */
static pt_status doubt_commas(const pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    for (int64_t j = 0; work->separator == ',' && !work->names && j + 1 < work->table.n_columns;
         j++) {
        const pt_column_tally whole = pt_csv_guess_tally(&work->head->rows[j]);
        const pt_column_tally part = pt_csv_guess_tally(&work->head->rows[j + 1]);
        const int64_t signs = whole.point + whole.either_point + part.point + part.either_point;
        const int64_t texts = work->head->rows[j].texts + part.numbers + part.styled + part.others;
        if (whole.numbers > 0 && part.measures > 0 && part.units.count == 1 && signs + texts == 0)
            return pt_warn(
                &data->warnings, err, PT_KIND_DATA,
                "columns %lld and %lld may be one whose decimal commas were taken for "
                "separators, as in '5,1 %s': quote such cells, or part cells by semicolons, if so",
                (long long)j + 1, (long long)j + 2, part.units.name[0]);
    }
    return PT_OK;
}

/* A line for each kind of finding. */
static pt_status report(const pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    findings f = {0};
    char title[320];
    find(&f, work, data);
    char shown[PT_CELL_SHOWN];
    char name[PT_CELL_SHOWN];
    char amount[PT_CELL_SHOWN + 80] = "";
    if (f.amount)
        snprintf(amount, sizeof amount,
                 "; write one number in a cell if those such as '%s' are amounts",
                 pt_cell_show(f.amount, strlen(f.amount), shown));
    if (f.ids.count > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%s %s left out: %s to name or number the rows, nearly all cells "
                       "differ; `types=%s=%s` keeps %s%s",
                       group_title(&f.ids, title), is_or_are(&f.ids),
                       f.ids.count == 1 ? "it seems" : "they seem",
                       pt_csv_option_name(work, f.ids.first, name),
                       is_nominal(work, data, f.ids.first) ? "nominal" : "number",
                       f.ids.count == 1 ? "it" : "the first", amount));
    if (f.counters.count > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%s: whole numbers that all differ, which may number the rows: leave %s out "
                       "with `ignore` if so",
                       group_title(&f.counters, title), f.counters.count == 1 ? "it" : "them"));
    if (f.things.count > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%s: numbers that may be names, of patients or orders perhaps: leave %s out "
                       "with `ignore` if so",
                       group_title(&f.things, title), f.things.count == 1 ? "it" : "them"));
    if (f.texts.count > 0)
        PT_TRY(pt_warn(
            &data->warnings, err, PT_KIND_DATA,
            "%s %s left out: %s free text; `text` counts its words, `types=%s=nominal` keeps %s",
            group_title(&f.texts, title), is_or_are(&f.texts),
            f.texts.count == 1 ? "it is" : "they are",
            pt_csv_option_name(work, f.texts.first, name),
            f.texts.count == 1 ? "its cells as levels" : "the first as levels"));
    if (f.empty.count > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA, "%s %s left out: every cell is missing",
                       group_title(&f.empty, title), is_or_are(&f.empty)));
    if (f.many.count > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%s %s nominal with few rows for a level: leave %s out with `ignore` if %s "
                       "the rows, or what they are about",
                       group_title(&f.many, title), is_or_are(&f.many),
                       f.many.count == 1 ? "it" : "them",
                       f.many.count == 1 ? "it names" : "they name"));
    if (f.gaps.count > 0)
        PT_TRY(pt_warn(
            &data->warnings, err, PT_KIND_DATA,
            "%s: %lld cell%s with a word for nothing among the numbers (-, none, #DIV/0! and the "
            "like) %s taken as missing; `na` lists other words, `na=+WORD` one more",
            group_title(&f.gaps, title), (long long)f.gap_cells, f.gap_cells == 1 ? "" : "s",
            f.gap_cells == 1 ? "is" : "are"));
    if (f.points.count > 0)
        PT_TRY(
            pt_warn(&data->warnings, err, PT_KIND_DATA,
                    "%s: numbers have decimal points, and are read so in spite of `decimal=comma`",
                    group_title(&f.points, title)));
    if (f.codes.count > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%s: cells that may be codes (007, zip codes, phones) are read as "
                       "numbers; say `types=%s=nominal` if they are",
                       group_title(&f.codes, title),
                       pt_csv_option_name(work, f.codes.first, name)));
    if (f.constant.count > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA, "%s %s constant, which tells nothing",
                       group_title(&f.constant, title), is_or_are(&f.constant)));
    if (f.lone.count > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%s: all cells are the same but for the missing ones; `missing=indicator` "
                       "makes a feature of which are missing",
                       group_title(&f.lone, title)));
    return PT_OK;
}

static pt_status misfits_grow(pt_misfits *misfits, int64_t n, pt_error *err)
{
    if (misfits->n >= n)
        return PT_OK;
    PT_TRY(pt_alloc_grow((void **)&misfits->cells, misfits->n, n, sizeof *misfits->cells, "columns",
                         err));
    for (; misfits->n < n; misfits->n++)
        misfits->cells[misfits->n] = 0;
    return PT_OK;
}

/* A model's columns: cells that are not what they were in training, where that is no error. */
static pt_status report_misfits(const pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    pt_misfits *stream = work->table.options->misfits;
    pt_misfits own = {0};
    pt_misfits *shown = stream ? stream : &own;
    csv_group group = {0};
    int64_t cells = 0;
    bool more = false;
    char title[320];
    if (stream)
        PT_TRY(misfits_grow(stream, work->table.n_columns, err));
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        const int64_t here = work->how[j].fixed ? work->how[j].misfits : 0;
        const int64_t all = stream ? (stream->cells[j] += here) : here;
        more = more || here > 0;
        if (all == 0)
            continue;
        if (here > 0 && group.count == 0 && shown->shown != j + 1) {
            shown->shown = j + 1;
            pt_csv_show_cell(work, work->how[j].first_misfit, shown->example);
        }
        group_add(&group, work, j);
        cells += all;
    }
    if (!more)
        return PT_OK;
    PT_FREED_BY(pt_warnings_free) pt_warnings told = {0};
    PT_TRY(pt_warn(stream ? &told : &data->warnings, err, PT_KIND_DATA,
                   "%s: %lld cell%s cannot be read as in training and count%s as missing%s'%s'",
                   group_title(&group, title), (long long)cells, cells == 1 ? "" : "s",
                   cells == 1 ? "s" : "", cells == 1 ? ": " : ", such as ", shown->example));
    if (stream) {
        pt_free(stream->told);
        stream->told = pt_alloc_text(told.items[0], err);
        if (!stream->told)
            return PT_ENOMEM;
    }
    return PT_OK;
}

/* Rows to predict that are none, here or in the whole stream. */
static pt_status report_no_rows(const pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    pt_misfits *stream = work->table.options->misfits;
    if (!stream)
        return pt_warn_of_no_rows(&data->warnings, work->odd_rows.blank, work->odd_rows.totals,
                                  err);
    stream->blank_rows += work->odd_rows.blank;
    stream->totals_rows += work->odd_rows.totals;
    return PT_OK;
}

/* Percents that have lost their sign may be fractions now. Without a count: blocks of a stream say
 * it once. */
static pt_status report_bare(const pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    csv_group group = {0};
    char title[320];
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        const pt_csv_seen *seen = &work->seen[j];
        if (work->how[j].fixed && work->how[j].as.kind == PT_COLUMN_PERCENT &&
            seen->dressed < data->n - seen->missing - seen->texts)
            group_add(&group, work, j);
    }
    if (group.count == 0)
        return PT_OK;
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "%s had percent signs in training, and cells without one are read as they "
                   "stand, 0.45 as 0.45%%: write them alike",
                   group_title(&group, title));
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Which parts of a column of dates differ between rows. Where all dates are the first of a month,
 * they are months, and the weekday means nothing, as it does without a year. */
static int varying_parts(const pt_dataset *data, int64_t feature, const pt_judged *as)
{
    const double *value = (const double *)data->value + feature;
    int parts = as->parts;
    if (!(parts & PT_PART_DAYS))
        return parts;
    bool months = true;
    for (int64_t i = 0; i < data->n && months; i++)
        months = isnan(value[i * data->d]) || pt_date_day(value[i * data->d]) == 1;
    for (int part = months || as->order == PT_DATE_MD ? PT_PART_HOUR : PT_PART_WEEKDAY;
         part <= PT_PART_HOUR; part *= 2) {
        double first = NAN;
        for (int64_t i = 0; i < data->n && !(parts & part); i++) {
            const double x = pt_date_part(value[i * data->d], part, false);
            if (isnan(x))
                continue;
            if (isnan(first))
                first = x;
            if (x != first)
                parts |= part;
        }
    }
    return parts;
}

/* An output column: a feature as it was read, or a part of it. */
typedef struct csv_output {
    int64_t feature;
    int part; /* 0: as it is */
    bool time_alone;
} csv_output;

static int64_t count_features(const pt_csv_work *work)
{
    int64_t d = 0;
    for (int64_t j = 0; j < work->table.n_columns; j++)
        if (work->table.columns[j].feature >= 0)
            d += pt_judged_features(&work->how[j].as);
    return d;
}

/* Where nothing else is left, what names the rows is kept. */
static pt_status keep_something(pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    if (count_features(work) > 0)
        return PT_OK;
    csv_group kept = {0};
    char title[320];
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        pt_judged *as = &work->how[j].as;
        if (work->roles->role[j] != PT_ROLE_FEATURE || as->kind == PT_COLUMN_EMPTY)
            continue;
        as->kind = is_nominal(work, data, j) ? PT_COLUMN_NOMINAL : PT_COLUMN_NUMBER;
        group_add(&kept, work, j);
    }
    if (kept.count == 0)
        return pt_fail_at(err, PT_EFORMAT, work->table.options->source, 0, 0,
                          "no column is left for features: the others have no cell that is not "
                          "missing; check `sep` and `na`");
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "%s %s kept, although nearly all cells differ as if %s the rows or "
                   "were free text: no other feature is left",
                   group_title(&kept, title), is_or_are(&kept),
                   kept.count == 1 ? "it named" : "they named");
}

/* What the columns become, in order; and their names. */
static pt_status lay_out(pt_csv_work *work, pt_dataset *data, csv_output *outputs,
                         pt_column *columns, pt_error *err)
{
    int64_t next = 0;
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        const int64_t feature = work->table.columns[j].feature;
        pt_judged *as = &work->how[j].as;
        if (feature < 0)
            continue;
        pt_column *own = &data->columns[feature];
        as->feature = pt_column_is_left_out(as->kind) ? -1 : next;
        if (as->kind != PT_COLUMN_DATE) {
            if (as->feature < 0)
                continue;
            outputs[next] = (csv_output){.feature = feature};
            columns[next++] = *own;
            *own = (pt_column){0};
            continue;
        }
        for (int part = PT_PART_DAYS; part <= PT_PART_HOUR; part *= 2) {
            if (!(as->parts & part))
                continue;
            outputs[next] = (csv_output){feature, part, !(as->parts & PT_PART_DAYS)};
            if (own->name) {
                const size_t room = strlen(own->name) + 16;
                char *text = pt_alloc((int64_t)room, 1, "a name", err);
                if (!text)
                    return PT_ENOMEM;
                snprintf(text, room, "%s %s", own->name, pt_date_part_name(part));
                columns[next].name = text;
            }
            next++;
        }
    }
    return PT_OK;
}

static void drop_columns(pt_dataset *data)
{
    for (int64_t j = 0; data->columns && j < data->d; j++) {
        pt_free(data->columns[j].name);
        pt_texts_free(&data->columns[j].levels);
    }
    pt_free(data->columns);
}

/* Rows from one width to another; in place where they do not grow. */
static pt_status reshape(pt_csv_work *work, pt_dataset *data, const csv_output *outputs, int64_t d,
                         pt_error *err)
{
    double *to = data->value;
    pt_status status = PT_OK;
    PT_SCRATCH double *row = NULL;
    PT_TRY(PT_NEW(row, d, "a row", err));
    if (d > data->d) {
        PT_TRY(pt_reader_check_size(data->n, d, sizeof(double), work->table.options, err));
        to = pt_alloc(data->n, (size_t)d * sizeof *to, "the values of a data set", err);
        if (!to)
            return PT_ENOMEM;
    }
    for (int64_t i = 0; i < data->n; i++) {
        if (i % CHECKED_ROWS == 0 && status == PT_OK)
            status = pt_task_check(work->table.options->task, err);
        if (status != PT_OK)
            break;
        const double *from = (const double *)data->value + i * data->d;
        for (int64_t c = 0; c < d; c++)
            row[c] = outputs[c].part ? pt_date_part(from[outputs[c].feature], outputs[c].part,
                                                    outputs[c].time_alone)
                                     : from[outputs[c].feature];
        memcpy(to + i * d, row, (size_t)d * sizeof *row);
    }
    if (to != data->value) {
        pt_free(data->value);
        data->value = to;
        work->table.value = to;
    }
    return status;
}

static pt_status settle_columns(pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    bool changed = false;
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        pt_csv_how *how = &work->how[j];
        if (work->table.columns[j].feature < 0)
            continue;
        PT_TRY(pt_task_check(work->table.options->task, err));
        if (how->as.kind == PT_COLUMN_DATE && !how->fixed)
            how->as.parts = varying_parts(data, work->table.columns[j].feature, &how->as);
        changed = changed || how->as.kind == PT_COLUMN_DATE || pt_column_is_left_out(how->as.kind);
        how->as.feature = work->table.columns[j].feature;
    }
    if (!changed)
        return PT_OK;
    const int64_t d = count_features(work);
    csv_output *outputs = pt_alloc_zero(d, sizeof *outputs, "columns", err);
    pt_column *columns = pt_alloc_zero(d, sizeof *columns, "columns", err);
    pt_status status = outputs && columns ? lay_out(work, data, outputs, columns, err) : PT_ENOMEM;
    if (status == PT_OK)
        status = reshape(work, data, outputs, d, err);
    pt_free(outputs);
    drop_columns(data);
    data->columns = columns;
    data->d = columns ? d : 0;
    data->row_stride = data->d;
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Levels that only rows had that are left out go. */
static pt_status drop_levels(pt_dataset *data, int64_t column, pt_error *err)
{
    pt_texts *levels = &data->columns[column].levels;
    double *cell = (double *)data->value + column;
    PT_SCRATCH int64_t *place = pt_alloc_zero(levels->count, sizeof *place, "levels", err);
    PT_FREED_BY(pt_texts_free) pt_texts kept = {0};
    if (!place)
        return PT_ENOMEM;
    for (int64_t i = 0; i < data->n; i++)
        if (!isnan(cell[i * data->d]))
            place[(int64_t)cell[i * data->d]] = 1;
    for (int64_t l = 0; l < levels->count; l++)
        if (place[l]) {
            place[l] = kept.count;
            PT_TRY(pt_texts_add_n(&kept, levels->items[l], strlen(levels->items[l]), err));
        }
    for (int64_t i = 0; i < data->n; i++)
        if (!isnan(cell[i * data->d]))
            cell[i * data->d] = (double)place[(int64_t)cell[i * data->d]];
    pt_texts_free(levels);
    *levels = kept;
    kept = (pt_texts){0};
    return PT_OK;
}

static pt_status settle_rows(pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    const pt_table *table = &work->table;
    int64_t drops[PT_N_DROPS] = {0};
    int64_t kept = 0;
    double *value = data->value;
    pt_places *places = table->options->places;
    if (!work->drops)
        return PT_OK;
    for (int64_t i = 0; i < data->n; i++) {
        drops[table->dropped[i]]++;
        if (table->dropped[i] != PT_DROP_NOT)
            continue;
        if (kept < i) {
            memcpy(value + kept * data->d, value + i * data->d, (size_t)data->d * sizeof *value);
            if (table->label)
                table->label[kept] = table->label[i];
            if (table->marks)
                memcpy(table->marks + kept * table->n_marks, table->marks + i * table->n_marks,
                       (size_t)table->n_marks * sizeof *table->marks);
            if (table->weights)
                table->weights[kept] = table->weights[i];
            if (places)
                places->at[kept] = places->at[i];
            for (int64_t t = 0; table->ties && t < table->roles->n_ties; t++)
                table->ties[t * table->tie_rows + kept] = table->ties[t * table->tie_rows + i];
        }
        kept++;
    }
    if (kept == data->n)
        return PT_OK;
    data->n = kept;
    if (places)
        places->n = kept;
    if (drops[PT_DROP_UNLABELLED] > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA, "%lld row%s without label %s left out",
                       (long long)drops[PT_DROP_UNLABELLED],
                       drops[PT_DROP_UNLABELLED] == 1 ? "" : "s",
                       drops[PT_DROP_UNLABELLED] == 1 ? "is" : "are"));
    if (drops[PT_DROP_BLANK] > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%lld row%s with nothing but separators %s left out",
                       (long long)drops[PT_DROP_BLANK], drops[PT_DROP_BLANK] == 1 ? "" : "s",
                       drops[PT_DROP_BLANK] == 1 ? "is" : "are"));
    if (drops[PT_DROP_HEADER] > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "the header stands %lld more time%s among the rows and is left out "
                       "there: are these several files in one?",
                       (long long)drops[PT_DROP_HEADER], drops[PT_DROP_HEADER] == 1 ? "" : "s"));
    if (drops[PT_DROP_TOTALS] > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%lld row%s without label %s totals or means, and %s left out",
                       (long long)drops[PT_DROP_TOTALS], drops[PT_DROP_TOTALS] == 1 ? "" : "s",
                       drops[PT_DROP_TOTALS] == 1 ? "holds" : "hold",
                       drops[PT_DROP_TOTALS] == 1 ? "is" : "are"));
    for (int64_t j = 0; j < data->d; j++)
        if (data->columns[j].nominal)
            PT_TRY(drop_levels(data, j, err));
    if (kept == 0 && !table->options->block)
        return pt_fail_at(err, PT_EFORMAT, table->options->source, 0, 0,
                          "no row is left: none has a label");
    return PT_OK;
}

/* ---- the list -------------------------------------------------------------------------------- */

static pt_status list_judged(const pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    pt_judged_columns *list = &data->judged;
    list->n_columns = work->table.n_columns;
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        const pt_role role = work->roles->role[j];
        pt_judged as = work->how[j].as;
        if (role == PT_ROLE_LABEL || role == PT_ROLE_MARK || role == PT_ROLE_NOMINAL)
            continue;
        if (role == PT_ROLE_IGNORED || role == PT_ROLE_WEIGHT || role == PT_ROLE_TIE) {
            const pt_wanted *wanted = work->roles->wanted ? &work->roles->wanted[j] : NULL;
            as = (pt_judged){.kind = wanted && pt_column_is_left_out(wanted->kind)
                                         ? wanted->kind
                                         : PT_COLUMN_IGNORED,
                             .style = {'.', 0},
                             .feature = -1};
        }
        if (as.kind == PT_COLUMN_NOMINAL || (pt_judged_is_plain(&as) && !as.misfits))
            continue;
        as.column = j + 1;
        const char *name = work->names ? work->names->items[j] : "";
        PT_TRY(pt_judged_add(list, &as, *name ? name : NULL, err));
    }
    const pt_read_options *options = work->table.options;
    const char *na = *work->na ? work->na : NULL;
    const char *sep = strcmp(options->separator, "auto") != 0 ? options->separator : NULL;
    const char *comment = *options->comment ? options->comment : NULL;
    if (list->count == 0 && !na && !sep && !comment)
        list->n_columns = 0; /* nothing to be told */
    return pt_judged_say(list, na, sep, comment, err);
}

/* --text: the levels of a text stay, for their words. */
static void keep_texts(pt_csv_work *work, pt_dataset *data)
{
    for (int64_t j = 0; work->table.options->keep_text && j < work->table.n_columns; j++) {
        const int64_t feature = work->table.columns[j].feature;
        if (feature < 0 || work->how[j].as.kind != PT_COLUMN_TEXT ||
            !data->columns[feature].nominal)
            continue;
        work->how[j].as.kind = PT_COLUMN_NOMINAL;
        data->columns[feature].text = true;
    }
}

/* --na -999: numbers that mean missing, where the cells are numbers. */
static void drop_numbers(pt_csv_work *work, pt_dataset *data)
{
    const char *list = work->na;
    size_t length = 0;
    for (const char *word; (word = pt_na_next(&list, &length));) {
        double gap = 0;
        uint64_t bit = 0;
        const bool number = pt_number_parse(word, length, &gap) == PT_NUMBER_FINITE;
        pt_na_note(work->na, word, length, &bit);
        for (int64_t j = 0; number && j < data->d; j++) {
            bool counts = !data->columns || !data->columns[j].nominal;
            for (int64_t l = 0; l < data->judged.count && counts; l++) {
                const pt_judged *judged = &data->judged.items[l];
                counts = judged->kind != PT_COLUMN_DATE || j < judged->feature ||
                         j >= judged->feature + pt_judged_features(judged);
            }
            double *cell = (double *)data->value + j;
            for (int64_t i = 0; counts && i < data->n; i++, cell += data->d)
                if (*cell == gap) {
                    *cell = NAN;
                    work->odd_rows.na_seen |= bit;
                }
        }
    }
}

/* Words of --na that no cell is: a typing error, perhaps. The usual words may be listed for all
 * files of a kind. */
static pt_status doubt_words(const pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    const char *list = work->table.options->na;
    char shown[PT_CELL_SHOWN];
    char words[NAMED * (PT_CELL_SHOWN + 4) + 8] = "";
    size_t used = 0;
    size_t length = 0;
    int unseen = 0;
    const char *word = NULL;
    for (int w = 0; w < PT_NA_NOTED && (word = pt_na_next(&list, &length)); w++) {
        if (work->odd_rows.na_seen >> w & 1 || pt_is_missing_word(NULL, word, length) ||
            pt_is_gap_word(NULL, word, length))
            continue;
        if (unseen < NAMED)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s'%s'",
                                     unseen ? ", " : "", pt_cell_show(word, length, shown));
        else if (unseen == NAMED)
            snprintf(words + used, sizeof words - used, ", ...");
        unseen++;
    }
    if (unseen == 0)
        return PT_OK;
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "`na`: no cell is %s; words are compared letter by letter, capitals included",
                   words);
}

pt_status pt_csv_settle(pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    PT_TRY(settle_rows(work, data, err));
    keep_texts(work, data);
    PT_TRY(keep_something(work, data, err));
    if (work->judging) {
        PT_TRY(report(work, data, err));
        PT_TRY(doubt_commas(work, data, err));
    }
    PT_TRY(report_misfits(work, data, err));
    PT_TRY(report_no_rows(work, data, err));
    PT_TRY(report_bare(work, data, err));
    PT_TRY(settle_columns(work, data, err));
    if (!work->table.options->part)
        PT_TRY(list_judged(work, data, err));
    drop_numbers(work, data);
    if (work->judging)
        PT_TRY(doubt_words(work, data, err));
    if (work->judging)
        PT_TRY(pt_judged_notes(&data->judged, &data->notes, err));
    return PT_OK;
}
