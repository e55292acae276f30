/* Matching the columns of a data set with those a preparation was fitted on.
 *
 * By name where both have a name for every column and training has no name twice: the order may
 * differ, columns that training did not have are ignored with a remark, a missing one is an error.
 * By position otherwise: the numbers of columns must be equal, except that sparse data may have
 * fewer (absent cells are 0), and that features beyond those of training are dropped with a remark
 * where the data or the training data is sparse. Where columns are hashed there may be any number.
 *
 * What a column holds may differ too, because the kind of a column is guessed from its file.
 * Training nominal, data numeric: a number is the level whose text is that number. Training
 * numeric, data nominal: a level is the number its text says; a level that is none is an error
 * where it occurs. What a sparse row leaves out is 0, or the first level of its own file, which
 * may be another than that of training. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/prepare/prepare_state.h"
#include "data/read/intern.h"
#include "data/read/number.h"
#include "data/read/roles.h"

void pt_match_free(pt_match *match)
{
    for (int64_t m = 0; m < match->n_meanings; m++) {
        pt_free(match->meaning[m].of_level);
        pt_free(match->meaning[m].number);
        pt_free(match->meaning[m].level);
    }
    pt_free(match->meaning);
    pt_free(match->source);
    pt_free(match->target);
    pt_free(match->absence);
    memset(match, 0, sizeof *match);
}

/* ---- which column is which ------------------------------------------------------------------- */

static bool all_named(const pt_dataset *data)
{
    for (int64_t j = 0; j < data->d; j++)
        if (!data->columns || !data->columns[j].name)
            return false;
    return data->d > 0;
}

/* Says which columns are ignored: the first few by name, then how many. */
static pt_status remark_ignored(const pt_match *match, const pt_dataset *data,
                                pt_warnings *warnings, pt_error *err)
{
    enum { NAMED = 3 };
    char names[3 * 48 + 16] = "";
    size_t used = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < data->d; c++) {
        if (match->target[c] >= 0)
            continue;
        if (count < NAMED)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.40s'",
                                     count ? ", " : "", data->columns[c].name);
        count++;
    }
    if (count == 0)
        return PT_OK;
    return pt_warn(warnings, err, PT_KIND_DATA,
                   "%lld column%s that training did not have %s ignored: %s%s", (long long)count,
                   count == 1 ? "" : "s", count == 1 ? "is" : "are", names,
                   count > NAMED ? ", ..." : "");
}

/* A name that is nearly there is told. */
static pt_status fail_missing(const char *name, const pt_match *match, const pt_dataset *data,
                              pt_error *err)
{
    pt_near_name near = {0};
    for (int64_t c = 0; c < data->d; c++)
        if (match->target[c] < 0)
            pt_near_name_try(&near, name, data->columns[c].name);
    return pt_column_absent(name, pt_near_name_of(&near, name), data->source, err);
}

/* source and target from names. `inputs` holds the names of training, all different. */
static pt_status match_names(pt_match *match, const pt_prepare *prepare, const pt_dataset *data,
                             const pt_intern *inputs, pt_error *err)
{
    PT_TRY(PT_NEW(match->source, prepare->d, "matching of columns", err));
    PT_TRY(PT_NEW(match->target, data->d, "matching of columns", err));
    for (int64_t j = 0; j < prepare->d; j++)
        match->source[j] = -1;
    for (int64_t c = 0; c < data->d; c++) {
        const char *name = data->columns[c].name;
        const int64_t input = pt_intern_find(inputs, name, strlen(name));
        match->target[c] = input;
        if (input >= 0 && match->source[input] >= 0)
            return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                              "two columns are called '%.100s'; rename one", name);
        if (input >= 0)
            match->source[input] = c;
    }
    for (int64_t j = 0; j < prepare->d; j++)
        if (match->source[j] < 0)
            return fail_missing(prepare->names.items[j], match, data, err);
    return PT_OK;
}

static pt_status match_positions(const pt_prepare *prepare, const pt_dataset *data,
                                 pt_prepare_counts *remarks, pt_error *err)
{
    if (prepare->hash.bits > 0)
        return PT_OK; /* every column has a place */
    const bool fewer_fine = data->start != NULL;
    const bool more_fine = data->start != NULL || prepare->sparse;
    if ((data->d < prepare->d && !fewer_fine) || (data->d > prepare->d && !more_fine))
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "%lld feature columns, but the model was trained with %lld",
                          (long long)data->d, (long long)prepare->d);
    const int64_t more = data->d - prepare->d;
    if (more <= 0)
        return PT_OK;
    if (data->start)
        for (int64_t c = data->start[0]; c < data->start[data->n]; c++)
            remarks->more_cells += data->index[c] >= prepare->d;
    else
        remarks->more_cells += data->n * more;
    remarks->more = more > remarks->more ? more : remarks->more;
    return PT_OK;
}

/* True where no column's place changed. */
static bool is_identity(const pt_match *match, const pt_prepare *prepare, const pt_dataset *data)
{
    if (data->d != prepare->d)
        return false;
    for (int64_t j = 0; j < prepare->d; j++)
        if (match->source[j] != j)
            return false;
    return true;
}

static pt_status match_columns(pt_match *match, const pt_prepare *prepare, const pt_dataset *data,
                               pt_prepare_counts *remarks, pt_error *err)
{
    PT_FREED_BY(pt_intern_free) pt_intern inputs = {0};
    if (prepare->names.count > 0 && all_named(data)) {
        const pt_status filled = pt_intern_fill(&inputs, &prepare->names, err);
        match->by_name = filled == PT_OK;
        if (filled != PT_EINVAL) /* a name twice in training: names cannot tell them apart */
            PT_TRY(filled);
    }
    if (match->by_name) {
        PT_TRY(match_names(match, prepare, data, &inputs, err));
        if (remarks->columns.count == 0)
            PT_TRY(remark_ignored(match, data, &remarks->columns, err));
        if (is_identity(match, prepare, data)) {
            pt_free(match->source);
            pt_free(match->target);
            match->source = NULL;
            match->target = NULL;
        }
    } else {
        PT_TRY(match_positions(prepare, data, remarks, err));
    }
    return PT_OK;
}

/* ---- what cells mean ------------------------------------------------------------------------- */

static bool level_number(const char *text, double *value)
{
    return pt_number_parse(text, strlen(text), value) == PT_NUMBER_FINITE;
}

/* Data nominal, fitted numeric: the numbers that the levels say. */
static pt_status numbers_of_levels(pt_meaning *meaning, const pt_texts *levels, pt_error *err)
{
    meaning->of_level = pt_alloc(levels->count, sizeof(double), "levels", err);
    if (!meaning->of_level)
        return PT_ENOMEM;
    meaning->n_levels = levels->count;
    for (int64_t level = 0; level < levels->count; level++)
        if (!level_number(levels->items[level], &meaning->of_level[level]))
            meaning->of_level[level] = NAN;
    return PT_OK;
}

typedef struct numbered {
    double number;
    double level;
} numbered;

static int compare_numbered(const void *a, const void *b)
{
    const numbered *x = a;
    const numbered *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->level > y->level) - (x->level < y->level); /* of "1" and "1.0" the first */
}

/* Data numeric, fitted nominal: a sorted table of those levels that are numbers, as the data's type
 * would hold them. */
static pt_status levels_of_numbers(pt_meaning *meaning, const pt_texts *fitted, pt_type type,
                                   pt_error *err)
{
    numbered *table = pt_alloc(fitted->count, sizeof *table, "levels", err);
    meaning->number = table ? pt_alloc(fitted->count, sizeof(double), "levels", err) : NULL;
    meaning->level =
        meaning->number ? pt_alloc(fitted->count, sizeof(double), "levels", err) : NULL;
    if (!meaning->level) {
        pt_free(table);
        return PT_ENOMEM;
    }
    int64_t count = 0;
    for (int64_t level = 0; level < fitted->count; level++) {
        double value = 0;
        if (level_number(fitted->items[level], &value) && (type == PT_F64 || fabs(value) < 3e38))
            table[count++] =
                (numbered){type == PT_F32 ? (double)(float)value : value, (double)level};
    }
    qsort(table, (size_t)count, sizeof *table, compare_numbered);
    for (int64_t t = 0; t < count; t++) {
        meaning->number[t] = table[t].number;
        meaning->level[t] = table[t].level;
    }
    meaning->n_numbers = count;
    pt_free(table);
    return PT_OK;
}

/* Both nominal: the fitted levels of the same texts, else of the same number ("1.0" for "1"), so
 * that what a cell means does not depend on whether others of its column are texts. */
static pt_status levels_of_levels(pt_meaning *meaning, const pt_texts *levels,
                                  const pt_texts *fitted, pt_error *err)
{
    meaning->of_level = pt_alloc(levels->count, sizeof(double), "levels", err);
    if (!meaning->of_level)
        return PT_ENOMEM;
    meaning->n_levels = levels->count;
    pt_meaning by_number = {.unseen = meaning->unseen};
    pt_intern known;
    memset(&known, 0, sizeof known);
    pt_status status = pt_intern_fill(&known, fitted, err);
    for (int64_t level = 0; level < levels->count && status == PT_OK; level++) {
        const char *text = levels->items[level];
        double number = 0;
        const int64_t found = pt_intern_find(&known, text, strlen(text));
        meaning->of_level[level] = found >= 0 ? (double)found : meaning->unseen;
        if (found >= 0 || !level_number(text, &number))
            continue;
        if (!by_number.level)
            status = levels_of_numbers(&by_number, fitted, PT_F64, err);
        if (status == PT_OK)
            meaning->of_level[level] = pt_meaning_of_number(&by_number, number);
    }
    pt_free(by_number.number);
    pt_free(by_number.level);
    pt_intern_free(&known);
    return status;
}

static const pt_column *nominal_column(const pt_dataset *data, int64_t c)
{
    return c < data->d && data->columns && data->columns[c].nominal ? &data->columns[c] : NULL;
}

static pt_status mean_input(pt_meaning *meaning, const pt_fitted *fitted, const pt_dataset *data,
                            int64_t c, pt_error *err)
{
    const pt_column *column = nominal_column(data, c);
    if (fitted->text_bits > 0)
        return PT_OK; /* the words of its levels count */
    meaning->unseen = fitted->grouped ? (double)(fitted->levels.count - 1) : -1;
    if (fitted->nominal && column)
        return levels_of_levels(meaning, &column->levels, &fitted->levels, err);
    if (fitted->nominal)
        return levels_of_numbers(meaning, &fitted->levels, data->type, err);
    if (column)
        return numbers_of_levels(meaning, &column->levels, err);
    return PT_OK;
}

static pt_status meanings_room(pt_match *match, int64_t count, pt_error *err)
{
    PT_TRY(PT_NEW_ZERO(match->meaning, count, "matching of columns", err));
    match->n_meanings = count;
    return PT_OK;
}

/* Dense preparation: a meaning for each input. */
static pt_status mean_inputs(pt_match *match, const pt_prepare *prepare, const pt_dataset *data,
                             pt_error *err)
{
    bool needed = false;
    for (int64_t j = 0; j < prepare->d && !needed; j++)
        needed = prepare->fitted[j].nominal || prepare->fitted[j].text_bits > 0 ||
                 nominal_column(data, match->source ? match->source[j] : j) != NULL;
    if (needed)
        PT_TRY(meanings_room(match, prepare->d, err));
    for (int64_t j = 0; j < match->n_meanings; j++)
        PT_TRY(mean_input(&match->meaning[j], &prepare->fitted[j], data,
                          match->source ? match->source[j] : j, err));
    return PT_OK;
}

double pt_meaning_of_number(const pt_meaning *meaning, double x)
{
    int64_t low = 0;
    int64_t high = meaning->n_numbers;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (meaning->number[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < meaning->n_numbers && meaning->number[low] == x ? meaning->level[low]
                                                                 : meaning->unseen;
}

/* The input of a column of the data, -1: it is not used. */
static int64_t input_of(const pt_match *match, const pt_prepare *prepare, int64_t c)
{
    const int64_t input = match->target ? match->target[c] : c;
    return input < prepare->d ? input : -1;
}

/* What rows say by leaving out columns: listed where it is not 0, or a level with an output of its
 * own. */
static pt_status list_absences(pt_match *match, const pt_prepare *prepare, const pt_dataset *data,
                               pt_error *err)
{
    PT_TRY(PT_NEW(match->absence, match->n_meanings, "columns", err));
    for (int64_t c = 0; c < data->d; c++) {
        const pt_meaning *meaning = &match->meaning[c];
        const int64_t input = input_of(match, prepare, c);
        if (input < 0 || (!meaning->of_level && !meaning->number))
            continue;
        const pt_fitted *fitted = pt_prepare_find(prepare, input);
        const double x = meaning->number         ? pt_meaning_of_number(meaning, 0)
                         : meaning->n_levels > 0 ? meaning->of_level[0]
                                                 : -1;
        if (x != 0 || (fitted && fitted->spread))
            match->absence[match->n_absences++] = (pt_absence){c, input, x};
    }
    return PT_OK;
}

/* Sparse preparation: a meaning for each column of the data. */
static pt_status mean_columns(pt_match *match, const pt_prepare *prepare, const pt_dataset *data,
                              pt_error *err)
{
    bool needed = false;
    for (int64_t f = 0; f < prepare->n_fitted && !needed; f++)
        needed = prepare->fitted[f].nominal;
    for (int64_t c = 0; data->columns && c < data->d && !needed; c++)
        needed = data->columns[c].nominal;
    static const pt_fitted NUMBER = {.nominal = false};
    if (needed)
        PT_TRY(meanings_room(match, data->d, err));
    for (int64_t c = 0; c < match->n_meanings; c++) {
        const int64_t input = input_of(match, prepare, c);
        const pt_fitted *fitted = input >= 0 ? pt_prepare_find(prepare, input) : NULL;
        PT_TRY(mean_input(&match->meaning[c], fitted ? fitted : &NUMBER, data, c, err));
    }
    return needed && data->start ? list_absences(match, prepare, data, err) : PT_OK;
}

pt_status pt_match_make(pt_match *match, const pt_prepare *prepare, const pt_dataset *data,
                        pt_prepare_counts *remarks, pt_error *err)
{
    memset(match, 0, sizeof *match);
    pt_status status = match_columns(match, prepare, data, remarks, err);
    if (status == PT_OK)
        status = prepare->sparse ? mean_columns(match, prepare, data, err)
                                 : mean_inputs(match, prepare, data, err);
    if (status != PT_OK)
        pt_match_free(match);
    return status;
}

pt_status pt_prepare_check_columns(const pt_prepare *prepare, const pt_dataset *data, pt_error *err)
{
    PT_FREED_BY(pt_match_free) pt_match match = {0};
    PT_FREED_BY(pt_prepare_counts_free) pt_prepare_counts remarks = {0};
    return match_columns(&match, prepare, data, &remarks, err);
}

pt_status pt_prepare_check_same(const pt_prepare *prepare, const pt_dataset *data, bool raw,
                                pt_error *err)
{
    if (prepare->sparse != (data->start != NULL))
        return pt_fail(err, PT_EINVAL, "`start` was trained on %s data, and these are %s",
                       prepare->sparse ? "sparse" : "dense", prepare->sparse ? "dense" : "sparse");
    if (prepare->raw != raw)
        return pt_fail(err, PT_EINVAL,
                       "`start` is of an earlier version, which prepared columns in another way");
    if (prepare->hash.bits == 0 &&
        (data->d > prepare->d || (!prepare->sparse && data->d < prepare->d)))
        return pt_fail(err, PT_EINVAL, "`start` was trained on %lld columns, the data have %lld",
                       (long long)prepare->d, (long long)data->d);
    return pt_prepare_check_columns(prepare, data, err);
}
