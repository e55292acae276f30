/* From the cells of columns that say how rows are held out to the groups, folds and times of a data
 * set.
 *
 *   group   equal texts are a group; a missing cell is a group of its own, and a warning counts
 *           them
 *   fold    whole numbers are themselves, any other names are numbered as they come; -1 and a
 *           missing cell: never held out
 *   time    numbers, or dates and times as columns of features are judged (column_tally.h), in days
 *           since 1970; a missing cell is an error
 *
 * That a fold cuts a group is found here, where both have names; all else that is wrong with groups
 * and folds is found where they are used (ties.h). */
#include "data/read/tie_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/judge/column_tally.h"
#include "data/read/number.h"
#include "data/ties.h"

const char *pt_tie_name(const pt_texts *names, int64_t column, char name[PT_TIE_NAME])
{
    if (names && *names->items[column])
        snprintf(name, PT_TIE_NAME, "%.60s", names->items[column]);
    else
        snprintf(name, PT_TIE_NAME, "%lld", (long long)column + 1);
    return name;
}

/* *count (texts) <- how many cells of the rows that are left have each text: rows that were left
 * out may have had others. */
static pt_status count_cells(int64_t **count, const pt_dataset *data, const pt_tie_cells *cells,
                             pt_error *err)
{
    PT_TRY(PT_NEW_ZERO(*count, cells->texts->count, "groups of rows", err));
    for (int64_t i = 0; i < data->n; i++)
        if (cells->code[i] >= 0)
            (*count)[cells->code[i]]++;
    return PT_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* A column of what names the rows, or of nothing, was given by mistake. Of a file for a model that
 * may be so: it has one row of each group. */
static pt_status refuse_lone_rows(pt_dataset *data, const pt_tie_cells *cells,
                                  const pt_read_options *options, pt_error *err)
{
    enum { FEW = 2 };
    if (!options->label_optional && data->n > FEW)
        return pt_fail_at(
            err, PT_EFORMAT, data->source, 0, 0,
            "every row is a group of its own in column '%s': there is nothing to hold "
            "out together; name another column, or leave `group` out",
            cells->name);
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "every row has a group of its own in column '%s': that is as if there were no "
                   "groups",
                   cells->name);
}

static pt_status take_groups(pt_dataset *data, const pt_tie_cells *cells,
                             const pt_read_options *options, pt_error *err)
{
    int64_t next = cells->texts->count;
    int64_t groups = 0;
    PT_SCRATCH int64_t *count = NULL;
    PT_TRY(count_cells(&count, data, cells, err));
    PT_TRY(PT_NEW(data->group, data->n, "groups of rows", err));
    for (int64_t i = 0; i < data->n; i++)
        data->group[i] = cells->code[i] < 0 ? next++ : cells->code[i];
    const int64_t missing = next - cells->texts->count;
    if (missing > 0)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%lld row%s no group in column '%s', and %s held out alone",
                       (long long)missing, missing == 1 ? " has" : "s have", cells->name,
                       missing == 1 ? "is" : "each is"));
    for (int64_t l = 0; l < cells->texts->count; l++)
        groups += count[l] > 0;
    if (groups + missing < data->n || data->n < 2)
        return PT_OK;
    return refuse_lone_rows(data, cells, options, err);
}

/* ---- folds ----------------------------------------------------------------------------------- */

/* Folds have the numbers that the file gives them, if all of them are numbers. */
static bool is_whole(const char *text, int64_t *value)
{
    double number = 0;
    if (pt_number_parse(text, strlen(text), &number) != PT_NUMBER_FINITE ||
        number != floor(number) || fabs(number) >= 0x1p53)
        return false;
    *value = (int64_t)number;
    return true;
}

static pt_status take_folds(pt_dataset *data, int64_t column, const pt_tie_cells *cells,
                            pt_error *err)
{
    const int64_t count = cells->texts->count;
    int64_t *fold = data->fold + column * data->n;
    bool whole = true;
    PT_SCRATCH int64_t *number = NULL;
    PT_SCRATCH int64_t *cells_of = NULL;
    PT_TRY(PT_NEW(number, count, "folds", err));
    PT_TRY(count_cells(&cells_of, data, cells, err));
    for (int64_t l = 0; l < count; l++)
        if (cells_of[l] > 0)
            whole = is_whole(cells->texts->items[l], &number[l]) && whole;
    for (int64_t l = 0; l < count && !whole; l++)
        number[l] = strcmp(cells->texts->items[l], "-1") == 0 ? PT_NEVER_HELD : l;
    for (int64_t i = 0; i < data->n; i++)
        fold[i] = cells->code[i] < 0 ? PT_NEVER_HELD : number[cells->code[i]];
    return PT_OK;
}

/* The rows of a group are in one fold; -1 and nothing are the same. */
static pt_status check_cut(const pt_dataset *data, const pt_tie_cells *group,
                           const pt_tie_cells *fold, int64_t column, pt_error *err)
{
    const int64_t *of = data->fold + column * data->n;
    PT_SCRATCH int64_t *seen = NULL; /* a row of each group, from 1 */
    PT_TRY(PT_NEW_ZERO(seen, group->texts->count, "groups of rows", err));
    for (int64_t i = 0; i < data->n; i++) {
        if (group->code[i] < 0)
            continue;
        int64_t *row = &seen[group->code[i]];
        if (*row > 0 && of[*row - 1] != of[i]) {
            const int64_t a = fold->code[*row - 1];
            const int64_t b = fold->code[i];
            return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                              "rows of group '%.60s' (column '%s') are in the folds '%.40s' and "
                              "'%.40s' of column '%s': rows of a group are held out together",
                              group->texts->items[group->code[i]], group->name,
                              a < 0 ? "" : fold->texts->items[a],
                              b < 0 ? "" : fold->texts->items[b], fold->name);
        }
        *row = i + 1;
    }
    return PT_OK;
}

/* ---- times ----------------------------------------------------------------------------------- */

static bool is_number_kind(pt_column_kind kind)
{
    return kind <= PT_COLUMN_INTEGER || kind == PT_COLUMN_CURRENCY || kind == PT_COLUMN_PERCENT;
}

/* How the texts are read: as a column of features would be, but as numbers or dates. */
static pt_status judge_times(pt_judged *as, pt_dataset *data, const pt_tie_cells *cells,
                             const int64_t *count, const pt_read_options *options, pt_error *err)
{
    const pt_wanted *wanted = cells->wanted;
    const int order = wanted ? wanted->order : -1;
    const char *said = options->decimal ? options->decimal : "auto";
    pt_habits habits = {.order = order, .decimal_said = strcmp(said, "auto") != 0};
    pt_column_tally tally = {.wanted_orders = order >= 0 ? 1 << order : 0};
    for (int64_t l = 0; l < cells->texts->count; l++)
        if (count[l] > 0)
            pt_column_tally_add(&tally, options->na, cells->texts->items[l],
                                strlen(cells->texts->items[l]), count[l]);
    if (habits.decimal_said)
        habits.decimal = strcmp(said, "comma") == 0 ? ',' : '.';
    const pt_verdict verdict =
        pt_column_tally_judge(&tally, &habits, wanted ? wanted->kind : PT_N_COLUMN_KINDS);
    *as = verdict.as;
    if (!is_number_kind(as->kind) && as->kind != PT_COLUMN_DATE) /* some cells are neither */
        as->kind = tally.dates > tally.numbers + tally.styled ? PT_COLUMN_DATE : PT_COLUMN_NUMBER;
    if (as->kind == PT_COLUMN_DATE && as->parts == 0)
        as->parts = PT_PART_DAYS;
    if (order >= 0)
        as->order = (pt_date_order)order;
    if (order >= 0 || as->kind != PT_COLUMN_DATE ||
        !(verdict.order_doubt || verdict.year_doubt || verdict.lone_doubt))
        return PT_OK;
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "column '%s' has times such as '%.40s', and nothing says in which order day, "
                   "month and year stand; they are read as %s: say `types=%s=dmy`, mdy or ymd",
                   cells->name, cells->texts->items[0],
                   as->order == PT_DATE_MDY   ? "m/d/y"
                   : as->order == PT_DATE_YMD ? "y-m-d"
                                              : "d/m/y",
                   cells->name);
}

static pt_status fail_time(const pt_dataset *data, const pt_tie_cells *cells, int64_t l,
                           const pt_judged *as, const pt_lines *lines, pt_error *err)
{
    const char *text = cells->texts->items[l];
    const char *what = as->kind == PT_COLUMN_DATE ? "no date as the others of the column are"
                                                  : "neither a number nor a date";
    if (lines && cells->first)
        return pt_lines_fail(lines, cells->first[l], err, "the time '%.60s' is %-s", text, what);
    int64_t row = 0;
    while (cells->code[row] != l)
        row++;
    return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0, "row %lld: the time '%.60s' is %-s",
                      (long long)row + 1, text, what);
}

static pt_status take_times(pt_dataset *data, const pt_tie_cells *cells,
                            const pt_read_options *options, const pt_lines *lines, pt_error *err)
{
    const int64_t n = data->n;
    pt_judged as = {.kind = PT_COLUMN_NUMBER};
    PT_SCRATCH double *value = NULL; /* of each text */
    PT_SCRATCH int64_t *count = NULL;
    for (int64_t i = 0; i < n; i++)
        if (cells->number ? !isfinite(cells->number[i]) : cells->code[i] < 0)
            return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                              "row %lld: the time is missing or infinite; fill it in or remove the "
                              "row",
                              (long long)i + 1);
    PT_TRY(PT_NEW(data->time, n, "times of rows", err));
    if (cells->number) {
        memcpy(data->time, cells->number, (size_t)n * sizeof *data->time);
        return PT_OK;
    }
    PT_TRY(PT_NEW(value, cells->texts->count, "times of rows", err));
    PT_TRY(count_cells(&count, data, cells, err));
    PT_TRY(judge_times(&as, data, cells, count, options, err));
    for (int64_t l = 0; l < cells->texts->count; l++) {
        const char *text = cells->texts->items[l];
        if (count[l] == 0)
            continue;
        if (!pt_judged_value(&as, text, strlen(text), &value[l]) || !isfinite(value[l]))
            return fail_time(data, cells, l, &as, lines, err);
    }
    for (int64_t i = 0; i < n; i++)
        data->time[i] = value[cells->code[i]];
    return PT_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

pt_status pt_tie_columns_take(pt_dataset *data, const pt_tie_cells *columns, int64_t count,
                              const pt_read_options *options, const pt_lines *lines, pt_error *err)
{
    const pt_tie_cells *group = NULL;
    int64_t folds = 0;
    int64_t next = 0;
    for (int64_t t = 0; t < count; t++)
        folds += columns[t].kind == PT_TIE_FOLD;
    if (folds > 0) {
        data->fold = pt_alloc(folds, (size_t)data->n * sizeof *data->fold, "folds", err);
        PT_TRY(data->fold ? PT_OK : PT_ENOMEM);
        data->fold_columns = folds;
    }
    for (int64_t t = 0; t < count; t++) {
        if (columns[t].kind == PT_TIE_GROUP) {
            group = &columns[t];
            PT_TRY(take_groups(data, group, options, err));
        } else if (columns[t].kind == PT_TIE_FOLD) {
            PT_TRY(take_folds(data, next++, &columns[t], err));
        } else {
            PT_TRY(take_times(data, &columns[t], options, lines, err));
        }
    }
    next = 0;
    for (int64_t t = 0; t < count; t++)
        if (columns[t].kind == PT_TIE_FOLD) {
            PT_TRY(group ? check_cut(data, group, &columns[t], next, err) : PT_OK);
            next++;
        }
    return PT_OK;
}
