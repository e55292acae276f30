/* Roles of columns. Label: --label by name, number or pattern; else a column called class, label,
 * target or, where none is called x, y; else the last. For prediction (label_optional): with names,
 * the label is there only if its name is; without, a file with one column more than the model has
 * it where the training data had it, or last if that is not known.
 *
 * Columns that say how rows are held out are read for training alone; for a model they are left
 * out, where they are there, but for the groups where rows are to be judged (groups_wanted).
 *
 * Several label columns: a pattern of --label that matches more than one (sets), or --ranks. For
 * prediction they are those of training: all of them there, or none; some of them are left out. */
#include "data/read/roles.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/labels/label_cells.h"
#include "data/read/intern.h"
#include "params/params_table.h"

bool pt_same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
    return *a == *b;
}

/* Whether two names have the same digits in the same order: x12 is not x13 misspelled. */
static bool same_digits(const char *a, const char *b)
{
    for (;;) {
        a += strcspn(a, "0123456789");
        b += strcspn(b, "0123456789");
        if (*a != *b)
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

void pt_near_name_try(pt_near_name *near, const char *wanted, const char *name)
{
    enum { LEAST = 3 }; /* letters of a beginning */
    const size_t length = strlen(wanted);
    size_t same = 0;
    if (!name || !*name)
        return;
    if (!near->alike && (pt_text_alike(name, wanted) || pt_text_recoded(name, wanted)))
        near->alike = name;
    if (same_digits(wanted, name))
        pt_nearest_try(&near->typed, wanted, name, strlen(name));
    while (same < length &&
           tolower((unsigned char)wanted[same]) == tolower((unsigned char)name[same]))
        same++;
    if (same == length && length >= LEAST && !isdigit((unsigned char)name[same]) &&
        near->n_longer++ == 0)
        near->longer = name;
}

const char *pt_near_name_of(const pt_near_name *near, const char *wanted)
{
    if (near->alike)
        return near->alike;
    if (strlen(wanted) > 2 && pt_nearest_is_near(&near->typed, wanted)) /* y is not x */
        return near->typed.word;
    return near->n_longer == 1 ? near->longer : NULL;
}

/* How likely a column of this name holds the labels: 0 is the likeliest, -1 says that it does not.
 */
static int label_rank(const char *text)
{
    static const char *const NAMES[] = {"class", "label", "target", "y"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (pt_same_name(text, NAMES[i]))
            return (int)i;
    return -1;
}

bool pt_is_label_name(const char *text)
{
    return label_rank(text) >= 0;
}

static const char *name_of(const pt_texts *names, int64_t column)
{
    return names ? names->items[column] : "";
}

/* Whether a pattern means this column: by its name or by its number from 1. */
static bool column_matches(const pt_texts *names, int64_t column, const char *pattern)
{
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)column + 1);
    const char *name = name_of(names, column);
    return (*name && pt_text_matches(name, pattern)) || pt_text_matches(number, pattern);
}

/* "a, b, c, ..." for messages. */
static void list_names(const pt_texts *names, int64_t n_columns, char *out, size_t room)
{
    enum { LISTED = 8 };
    size_t used = 0;
    out[0] = '\0';
    for (int64_t j = 0; j < n_columns && j < LISTED && used + 4 < room; j++) {
        const int wrote = snprintf(out + used, room - used, "%s%s", j ? ", " : "",
                                   *name_of(names, j) ? name_of(names, j) : "(no name)");
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (n_columns > LISTED && used + 6 < room)
        snprintf(out + used, room - used, ", ...");
}

/* A column by exact name, by number from 1, or by a pattern that only one column matches. -1: none;
 * -2: several. */
static int64_t find_column(const pt_texts *names, int64_t n_columns, const char *wanted)
{
    for (int64_t j = 0; j < n_columns; j++)
        if (names && strcmp(names->items[j], wanted) == 0)
            return j;
    int64_t number = 0;
    if (pt_text_to_integer(wanted, &number) && number >= 1 && number <= n_columns)
        return number - 1;
    int64_t found = -1;
    for (int64_t j = 0; strpbrk(wanted, "*?,") && j < n_columns; j++)
        if (column_matches(names, j, wanted)) {
            if (found >= 0)
                return -2;
            found = j;
        }
    return found;
}

static pt_status column_missing(const char *option, const char *wanted, const pt_texts *names,
                                int64_t n_columns, const pt_read_options *options, pt_error *err)
{
    char list[200];
    list_names(names, n_columns, list, sizeof list);
    int64_t number = 0;
    if (pt_text_to_integer(wanted, &number))
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`%s`: there is no column %s; the file has %lld column%s, counted from 1",
                          option, wanted, (long long)n_columns, n_columns == 1 ? "" : "s");
    if (!names)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`%s`: there is no column '%s', the file has no names; give its number "
                          "from 1 to %lld, or `header=yes`",
                          option, wanted, (long long)n_columns);
    pt_near_name near = {0};
    for (int64_t j = 0; j < n_columns; j++)
        pt_near_name_try(&near, wanted, name_of(names, j));
    const char *meant = strpbrk(wanted, "*?") ? NULL : pt_near_name_of(&near, wanted);
    for (int64_t j = 0; j < n_columns; j++)
        if (pt_text_recoded(name_of(names, j), wanted))
            return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                              "`%s`: the names of the columns are not UTF-8 text (Windows-1252, "
                              "perhaps), so that none is '%s' letter by letter; give its number, "
                              "%lld, or convert the file (iconv -f cp1252 -t utf-8)",
                              option, wanted, (long long)j + 1);
    if (meant)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`%s`: there is no column '%s'; is it '%.100s'?", option, wanted, meant);
    const int flag = pt_param_find(wanted); /* label=a,skip-unlabelled names two columns */
    if (flag >= 0 && pt_param_table[flag].type == PT_PARAM_FLAG)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`%s`: there is no column '%s', the columns are %s; if the parameter is "
                          "meant, write `%s=yes`",
                          option, wanted, list, pt_param_table[flag].name);
    return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                      "`%s`: there is no column '%s'; the columns are %s", option, wanted, list);
}

static bool any_matches(const pt_texts *names, const char *pattern)
{
    for (int64_t i = 0; names && i < names->count; i++)
        if (names->items[i] && *names->items[i] && pt_text_matches(names->items[i], pattern))
            return true;
    return false;
}

/* Whether a file may lack the columns that a pattern means: one for a model may lack those of the
 * training file that the model does without. Where it is not known what these were called, any. */
static bool may_lack(const char *pattern, const pt_read_options *options)
{
    const pt_judged_columns *judged = options->judged;
    int64_t number = 0;
    if (!options->label_optional)
        return false;
    if (!judged || judged->n_columns == 0 || !options->features || options->part)
        return true;
    if (pt_text_to_integer(pattern, &number))
        return number >= 1 && number <= judged->n_columns;
    for (int64_t l = 0; l < judged->count; l++)
        if (judged->items[l].name && pt_text_matches(judged->items[l].name, pattern))
            return true;
    return any_matches(options->features, pattern) ||
           (options->label && pt_text_matches(options->label, pattern)) ||
           (options->label_columns && any_matches(&options->label_columns->names, pattern));
}

/* Every pattern of a list must mean a column: one that means none is a typing error. */
static pt_status check_patterns(const char *option, const char *patterns, int64_t n_columns,
                                const pt_texts *names, const pt_read_options *options,
                                pt_error *err)
{
    while (patterns && *patterns) {
        const size_t length = strcspn(patterns, ",");
        PT_SCRATCH char *pattern = pt_alloc_text_n(patterns, length, err);
        if (!pattern)
            return PT_ENOMEM;
        bool found = length == 0 || may_lack(pattern, options);
        for (int64_t j = 0; j < n_columns && !found; j++)
            found = column_matches(names, j, pattern);
        PT_TRY(found ? PT_OK : column_missing(option, pattern, names, n_columns, options, err));
        patterns += length + (patterns[length] == ',');
    }
    return PT_OK;
}

/* Puts the columns that a pattern means behind those that are there; *means: it means any. */
static void add_columns(int64_t *column, bool *taken, int64_t *count, bool *means,
                        const char *pattern, int64_t n_columns, const pt_texts *names)
{
    *means = strcmp(pattern, "all") == 0;
    const bool all = *means;
    for (int64_t j = 0; j < n_columns; j++) {
        if (!all && !column_matches(names, j, pattern))
            continue;
        *means = true;
        if (!taken[j])
            column[(*count)++] = j;
        taken[j] = true;
    }
}

pt_status pt_find_columns(int64_t **out, int64_t *count, const char *option, const char *wanted,
                          int64_t n_columns, const pt_texts *names, const pt_read_options *options,
                          pt_error *err)
{
    PT_SCRATCH int64_t *column = NULL;
    PT_SCRATCH bool *taken = NULL;
    PT_TRY(PT_NEW(column, n_columns, "columns", err));
    PT_TRY(PT_NEW_ZERO(taken, n_columns, "columns", err));
    *count = 0;
    while (*wanted) {
        const size_t length = strcspn(wanted, ",");
        PT_SCRATCH char *pattern = pt_alloc_text_n(wanted, length, err);
        bool means = false;
        if (!pattern)
            return PT_ENOMEM;
        add_columns(column, taken, count, &means, pattern, n_columns, names);
        if (!means)
            return column_missing(option, pattern, names, n_columns, options, err);
        wanted += length + (wanted[length] == ',');
    }
    *out = pt_keep(&column);
    return PT_OK;
}

/* The model's features by name; a table, as both sides may have very many. */
typedef struct model_names {
    pt_intern names;
    int64_t *position; /* of a name among the model's features; some have no name */
} model_names;

static pt_status model_names_fill(model_names *model, const pt_read_options *options, pt_error *err)
{
    memset(model, 0, sizeof *model);
    if (!options->features)
        return PT_OK;
    const int64_t count = options->features->count;
    PT_TRY(PT_NEW(model->position, count, "names of features", err));
    for (int64_t i = 0; i < count; i++) {
        const char *name = options->features->items[i];
        const int64_t before = model->names.texts.count;
        int64_t number = 0;
        if (!name || !*name)
            continue;
        PT_TRY(pt_intern_add(&model->names, name, strlen(name), &number, err));
        if (number == before)
            model->position[number] = i;
    }
    return PT_OK;
}

static void model_names_free(model_names *model)
{
    pt_intern_free(&model->names);
    pt_free(model->position);
}

/* -1: the model has no feature of that name. */
static int64_t feature_of_model(const model_names *model, const char *name)
{
    if (model->names.texts.count == 0 || !*name)
        return -1;
    const int64_t number = pt_intern_find(&model->names, name, strlen(name));
    return number < 0 ? -1 : model->position[number];
}

/* In x,y,class the labels are in class, not in y; and a y beside an x is a coordinate. */
static int64_t usual_label(const pt_texts *names, int64_t n_columns, const model_names *model)
{
    int64_t found = -1;
    bool coordinates = false;
    for (int64_t j = 0; names && j < n_columns; j++)
        coordinates = coordinates || pt_same_name(names->items[j], "x");
    for (int64_t j = 0; names && j < n_columns; j++) {
        const int rank = label_rank(names->items[j]);
        if (rank < 0 || feature_of_model(model, names->items[j]) >= 0 ||
            (coordinates && pt_same_name(names->items[j], "y")))
            continue;
        if (found < 0 || rank < label_rank(names->items[found]))
            found = j;
    }
    return found;
}

/* ---- columns of the training file ------------------------------------------------------------ */

static bool is_trained_label(const pt_read_options *options, int64_t column)
{
    const pt_label_columns *several = options->label_columns;
    if (!several)
        return column == options->label_column;
    for (int64_t c = 0; c < several->count; c++)
        if (several->column[c] == column)
            return true;
    return false;
}

/* A file without names has the columns of the training file: all of them, or without the labels, or
 * without those that were left out, or without both. trained[j] <- the number of column j there,
 * from 1; false: it is none of these. */
static bool match_training(int64_t n_columns, const pt_read_options *options, int64_t *trained)
{
    const pt_judged_columns *judged = options->judged;
    if (!judged || judged->n_columns == 0)
        return false;
    for (int shape = 0; shape < 4; shape++) {
        int64_t count = 0;
        int64_t next = 0; /* of the listed columns */
        for (int64_t t = 1; t <= judged->n_columns && count <= n_columns; t++) {
            const bool listed = next < judged->count && judged->items[next].column == t;
            const bool out = listed && pt_column_is_left_out(judged->items[next].kind);
            next += listed;
            if ((shape & 1 && is_trained_label(options, t)) || (shape & 2 && out))
                continue;
            if (count < n_columns)
                trained[count] = t;
            count++;
        }
        if (count == n_columns)
            return true;
    }
    return false;
}

/* Whether a file has a date of the training file, as it was or as the numbers that became of it. */
static bool has_date(const pt_texts *names, const pt_judged *date)
{
    for (int64_t j = 0; j < names->count; j++) {
        const char *name = names->items[j];
        const size_t length = strlen(date->name);
        if (strncmp(name, date->name, length) == 0 && (!name[length] || name[length] == ' '))
            return true;
    }
    return false;
}

pt_status pt_column_absent(const char *name, const char *meant, const char *source, pt_error *err)
{
    if (meant && pt_text_recoded(name, meant)) {
        const bool utf8 = pt_text_is_utf8(name);
        return pt_fail_at(err, PT_EFORMAT, source, 0, 0,
                          "column '%.100s' is there in another encoding: %s is UTF-8 text and %s "
                          "is not (Windows-1252, perhaps); convert this file (iconv -f %s -t %s)",
                          utf8 ? name : meant, utf8 ? "the training file" : "this file",
                          utf8 ? "this file" : "the training file", utf8 ? "cp1252" : "utf-8",
                          utf8 ? "utf-8" : "cp1252");
    }
    if (meant && !pt_text_alike(name, meant))
        return pt_fail_at(err, PT_EFORMAT, source, 0, 0,
                          "column '%.100s' is missing; is '%.100s' meant? rename it if so", name,
                          meant);
    if (meant)
        return pt_fail_at(err, PT_EFORMAT, source, 0, 0,
                          "column '%.100s' is missing; there is '%.100s': rename it, capitals "
                          "and blanks count",
                          name, meant);
    return pt_fail_at(err, PT_EFORMAT, source, 0, 0,
                      "column '%.100s' is missing, and the model was trained with it; add it, with "
                      "empty cells if it is not known",
                      name);
}

/* Dates that the model needs, under the name that they have in files. */
static pt_status check_dates(const pt_texts *names, const model_names *model,
                             const pt_read_options *options, pt_error *err)
{
    for (int64_t l = 0; l < options->judged->count; l++) {
        const pt_judged *date = &options->judged->items[l];
        if (date->kind != PT_COLUMN_DATE || !date->name || has_date(names, date))
            continue;
        pt_near_name near = {0};
        for (int64_t j = 0; j < names->count; j++)
            if (feature_of_model(model, names->items[j]) < 0)
                pt_near_name_try(&near, date->name, names->items[j]);
        return pt_column_absent(date->name, pt_near_name_of(&near, date->name), options->source,
                                err);
    }
    return PT_OK;
}

/* roles->known, by name or by number. */
static pt_status find_known(pt_roles *roles, const pt_texts *names, const model_names *model,
                            const pt_read_options *options, pt_error *err)
{
    const pt_judged_columns *judged = options->judged;
    if (!judged || judged->n_columns == 0)
        return PT_OK;
    roles->known = pt_alloc_zero(roles->n_columns, sizeof *roles->known, "columns", err);
    int64_t *trained = pt_alloc(roles->n_columns, sizeof *trained, "columns", err);
    if (!roles->known || !trained) {
        pt_free(trained);
        return PT_ENOMEM;
    }
    const bool matched = !names && match_training(roles->n_columns, options, trained);
    for (int64_t j = 0; j < roles->n_columns; j++) {
        if (matched)
            roles->known[j] = pt_judged_at(judged, trained[j]);
        else if (names && *names->items[j])
            roles->known[j] = pt_judged_named(judged, names->items[j]);
        else if (names && j == 0 && judged->count > 0 && judged->items[0].column == 1 &&
                 !judged->items[0].name)
            roles->known[j] = &judged->items[0]; /* names of rows */
    }
    pt_free(trained);
    return names ? check_dates(names, model, options, err) : PT_OK;
}

/* Whether an option takes a column of a file without names away from the features. */
static bool is_beside(int64_t column, const pt_read_options *options)
{
    const char *const PATTERNS[] = {options->ignore, options->weight, options->group, options->fold,
                                    options->time};
    for (size_t p = 0; p < sizeof PATTERNS / sizeof *PATTERNS; p++)
        if (PATTERNS[p] && *PATTERNS[p] && column_matches(NULL, column, PATTERNS[p]))
            return true;
    return false;
}

/* The label of a file without names, for a model: where it was in training, else last. Columns that
 * options take away are not counted. */
static int64_t label_by_number(int64_t n_columns, const pt_read_options *options)
{
    int64_t *trained =
        options->judged ? pt_alloc(n_columns, sizeof *trained, "columns", NULL) : NULL;
    if (trained && match_training(n_columns, options, trained)) {
        int64_t found = -1;
        for (int64_t j = 0; j < n_columns; j++)
            if (options->label_column > 0 && trained[j] == options->label_column)
                found = j;
        pt_free(trained);
        return found;
    }
    pt_free(trained);
    int64_t left = n_columns;
    for (int64_t j = 0; j < n_columns; j++)
        left -= is_beside(j, options);
    if (left != options->n_features + 1)
        return -1;
    const int64_t known = options->label_column;
    return known >= 1 && known <= n_columns ? known - 1 : n_columns - 1;
}

static pt_status find_label(int64_t *label, int64_t n_columns, const pt_texts *names,
                            const model_names *model, const pt_read_options *options, pt_error *err)
{
    const char *wanted = options->label ? options->label : "";
    const bool model_known =
        options->label_optional && (options->n_features >= 0 || options->features);
    *label = -1;
    if (strcmp(wanted, "none") == 0)
        return PT_OK;
    if (*wanted) {
        int64_t number = 0;
        const bool by_number = pt_text_to_integer(wanted, &number);
        if (model_known && by_number && !names && n_columns == options->n_features)
            return PT_OK; /* the label column was left out */
        *label = find_column(names, n_columns, wanted);
        const bool exact = *label >= 0 && strcmp(name_of(names, *label), wanted) == 0;
        if (strchr(wanted, ',') && !exact && !options->label_optional)
            PT_TRY(check_patterns("label", wanted, n_columns, names, options, err));
        if (*label != -1) /* one, or -2: several */
            return PT_OK;
        if (!options->label_optional)
            return column_missing("label", wanted, names, n_columns, options, err);
        if (names)
            return PT_OK;
    }
    *label = usual_label(names, n_columns, model);
    if (*label >= 0)
        return PT_OK;
    if (!model_known)
        *label = (options->tail > 0 ? options->tail : n_columns) - 1;
    else if (!names || model->names.texts.count == 0)
        *label = label_by_number(n_columns, options);
    return PT_OK;
}

/* ---- several label columns ------------------------------------------------------------------- */

static pt_status add_label_column(pt_label_columns *columns, int64_t column, const pt_texts *names,
                                  pt_error *err)
{
    const char *name = name_of(names, column);
    columns->column[columns->count++] = column + 1;
    return *name ? pt_texts_add_n(&columns->names, name, strlen(name), err)
                 : pt_texts_add(&columns->names, err, "%lld", (long long)column + 1);
}

static pt_status label_columns_room(pt_roles *roles, pt_error *err)
{
    return PT_NEW(roles->label_columns.column, roles->n_columns, "label columns", err);
}

/* Rows' names, and what --ignore names. */
static bool is_left_out(const pt_texts *names, int64_t column, const pt_read_options *options)
{
    const char *ignore = options->ignore ? options->ignore : "";
    return (column == 0 && options->row_names) || (options->tail > 0 && column >= options->tail) ||
           (*ignore && column_matches(names, column, ignore));
}

/* The columns that a pattern means, two at least. */
static pt_status several_labels(pt_roles *roles, const char *option, const char *pattern,
                                const pt_texts *names, const pt_read_options *options,
                                pt_error *err)
{
    PT_TRY(label_columns_room(roles, err));
    for (int64_t j = 0; j < roles->n_columns; j++)
        if (column_matches(names, j, pattern) && !is_left_out(names, j, options))
            PT_TRY(add_label_column(&roles->label_columns, j, names, err));
    const int64_t count = roles->label_columns.count;
    if (count > 1)
        return PT_OK;
    if (count == 0)
        return column_missing(option, pattern, names, roles->n_columns, options, err);
    return pt_fail_at(
        err, PT_EINVAL, options->source, 0, 0,
        "`%s` %s: only column '%s' matches; several columns are needed, one for each class", option,
        pattern, roles->label_columns.names.items[0]);
}

/* The columns of training: by name, or where the file has no names by number if it is as wide. */
static pt_status model_labels(pt_roles *roles, const pt_texts *names,
                              const pt_read_options *options, pt_warnings *warnings, pt_error *err)
{
    const pt_label_columns *known = options->label_columns;
    PT_FREED_BY(pt_intern_free) pt_intern wanted = {0};
    PT_TRY(label_columns_room(roles, err));
    if (names)
        PT_TRY(pt_intern_fill(&wanted, &known->names, err));
    for (int64_t j = 0; names && j < roles->n_columns; j++)
        if (*names->items[j] &&
            pt_intern_find(&wanted, names->items[j], strlen(names->items[j])) >= 0)
            PT_TRY(add_label_column(&roles->label_columns, j, names, err));
    const bool as_wide = roles->n_columns == options->n_features + known->count;
    for (int64_t c = 0; !names && as_wide && c < known->count; c++) {
        const char *name = known->names.items[c];
        const int64_t column = known->column[c];
        if (column < 1 || column > roles->n_columns)
            return PT_OK;
        roles->label_columns.column[roles->label_columns.count++] = column;
        PT_TRY(pt_texts_add_n(&roles->label_columns.names, name, strlen(name), err));
    }
    if (roles->label_columns.count == 0 || roles->label_columns.count == known->count)
        return PT_OK;
    roles->labels_cut = true;
    return pt_warn(warnings, err, PT_KIND_DATA,
                   "%lld of the %lld label columns of the model %s in the file: labels are "
                   "not read",
                   (long long)roles->label_columns.count, (long long)known->count,
                   roles->label_columns.count == 1 ? "is" : "are");
}

/* Label columns and the kind of label, from options that must agree. */
static pt_status find_labels(pt_roles *roles, const pt_texts *names, const model_names *model,
                             const pt_read_options *options, pt_warnings *warnings, pt_error *err)
{
    const char *wanted = options->label ? options->label : "";
    const char *ranks = options->ranks ? options->ranks : "";
    const bool none = strcmp(wanted, "none") == 0;
    roles->label = -1;
    roles->label_kind = PT_LABEL_CLASS;
    if (options->labels && !pt_label_kind_find(options->labels, &roles->label_kind))
        return pt_fail(err, PT_EINVAL, "there is no kind of labels '%.40s'", options->labels);
    if (*ranks && *wanted && !none)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`label` and `ranks` both name the labels; give one of them");
    if (*ranks && options->labels_said && roles->label_kind != PT_LABEL_RANKING)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`ranks` is for `labels=ranking`, not %s", options->labels);
    if (none)
        return PT_OK;
    if (*ranks) {
        roles->label_kind = PT_LABEL_RANKING;
        PT_TRY(check_patterns("ranks", ranks, roles->n_columns, names, options, err));
        return several_labels(roles, "ranks", ranks, names, options, err);
    }
    if (options->label_columns && !*wanted)
        return model_labels(roles, names, options, warnings, err);
    PT_TRY(find_label(&roles->label, roles->n_columns, names, model, options, err));
    if (roles->label != -2)
        return PT_OK;
    roles->label = -1;
    if (roles->label_kind != PT_LABEL_SET && options->labels_said)
        return pt_fail_at(
            err, PT_EINVAL, options->source, 0, 0,
            "`label` %s: several columns match, but `labels=%s` is read from one; %-s", wanted,
            options->labels,
            roles->label_kind == PT_LABEL_RANKING
                ? "name it, or give columns of ranks with `ranks`"
                : "name it, or say `labels=set` if they hold 0 and 1");
    roles->label_kind = PT_LABEL_SET;
    return several_labels(roles, "label", wanted, names, options, err);
}

/* Columns that look like several labels, where only one is read. */
static pt_status warn_of_sets(int64_t n_columns, const pt_texts *names,
                              const pt_read_options *options, pt_warnings *warnings, pt_error *err)
{
    if (!names || (options->label && *options->label) || options->labels_said ||
        options->label_columns || (options->ranks && *options->ranks) || options->label_optional)
        return PT_OK;
    int64_t sets = 0;
    int64_t ranks = 0;
    for (int64_t j = 0; j < n_columns; j++) {
        const char *name = names->items[j];
        sets += strncmp(name, "label_", 6) == 0;
        char expected[24];
        snprintf(expected, sizeof expected, "L%lld", (long long)ranks + 1);
        ranks += strcmp(name, expected) == 0;
    }
    if (sets >= 2)
        return pt_warn(
            warnings, err, PT_KIND_DATA,
            "%lld columns are called label_*: if they are the 0/1 labels of a set, say "
            "`label=label_*`; now one column is read as the label, the others as features",
            (long long)sets);
    if (ranks >= 3)
        return pt_warn(warnings, err, PT_KIND_DATA,
                       "columns L1 to L%lld look like ranks of classes: if they are, say "
                       "`ranks=L*`; now one column is read as the label, the others as features",
                       (long long)ranks);
    return PT_OK;
}

/* A column without a name where all features of the model have one: by its place it could only be
 * taken for another. */
static bool is_nameless(const pt_texts *names, int64_t column, const model_names *model,
                        const pt_read_options *options)
{
    return names && !*names->items[column] && options->features && options->features->count > 0 &&
           model->names.texts.count == options->features->count;
}

/* Nominal by the pattern of --nominal; a number where the model's feature is one. */
static pt_role feature_role(const pt_texts *names, int64_t column, int64_t feature,
                            const model_names *model, const pt_read_options *options)
{
    const char *pattern = options->nominal ? options->nominal : "";
    if (strcmp(pattern, "all") == 0 || (*pattern && column_matches(names, column, pattern)))
        return PT_ROLE_NOMINAL;
    if (options->part)
        return PT_ROLE_NUMBER;
    if (!options->numeric_features)
        return PT_ROLE_FEATURE;
    const bool by_name = names && model->names.texts.count > 0;
    const int64_t known = by_name ? feature_of_model(model, names->items[column]) : feature;
    if (known < 0 || known >= options->n_features)
        return PT_ROLE_FEATURE;
    /* what a cell means must not depend on other rows: the file may be read in parts */
    return options->numeric_features[known] ? PT_ROLE_NUMBER : PT_ROLE_NOMINAL;
}

/* Two columns of one name cannot be told apart later. */
static pt_status check_names(int64_t n_columns, const pt_texts *names,
                             const pt_read_options *options, pt_error *err)
{
    PT_FREED_BY(pt_intern_free) pt_intern seen = {0};
    for (int64_t j = 0; names && j < n_columns; j++) {
        const char *name = names->items[j];
        const int64_t before = seen.texts.count;
        int64_t number = 0;
        if (!*name)
            continue;
        PT_TRY(pt_intern_add(&seen, name, strlen(name), &number, err));
        if (seen.texts.count == before)
            return pt_fail_at(err, PT_EFORMAT, options->source, 1, 0,
                              "two columns are called '%.60s', the second is number %lld; rename "
                              "one, or say `header=no` if the first line holds data",
                              name, (long long)j + 1);
    }
    return PT_OK;
}

/* A kind as --types spells it: that of a column, or the order of a date. */
static bool wanted_named(const char *name, pt_wanted *wanted)
{
    static const pt_column_kind KINDS[] = {
        PT_COLUMN_NUMBER, PT_COLUMN_INTEGER, PT_COLUMN_BOOLEAN,   PT_COLUMN_NOMINAL,
        PT_COLUMN_DATE,   PT_COLUMN_TEXT,    PT_COLUMN_IDENTIFIER};
    *wanted = (pt_wanted){PT_COLUMN_DATE, -1};
    if (strcmp(name, "time") == 0) /* a date without days */
        return true;
    if (strcmp(name, "currency") == 0 || strcmp(name, "percent") == 0)
        name = pt_column_kind_name(PT_COLUMN_NUMBER); /* whatever it wears */
    for (int order = 0; order < PT_N_DATE_ORDERS; order++)
        if (strcmp(name, pt_date_order_name((pt_date_order)order)) == 0) {
            wanted->order = order;
            return true;
        }
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(name, pt_column_kind_name(KINDS[i])) == 0) {
            wanted->kind = KINDS[i];
            return true;
        }
    return false;
}

/* One COLUMN=KIND of --types. */
static pt_status take_type(pt_roles *roles, char *item, const pt_texts *names,
                           const pt_read_options *options, pt_error *err)
{
    char *equals = strrchr(item, '=');
    pt_wanted wanted;
    if (!equals || equals == item)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`types`: '%.60s' is not COLUMN=KIND, as in id=nominal", item);
    *equals = '\0';
    if (!wanted_named(equals + 1, &wanted))
        return pt_fail_at(
            err, PT_EINVAL, options->source, 0, 0,
            "`types`: '%.40s' is no kind of columns; there are number, integer, currency, percent, "
            "boolean, nominal, date, time, ymd, dmy, mdy, md, text and identifier",
            equals + 1);
    bool found = false;
    for (int64_t j = 0; j < roles->n_columns; j++)
        if (column_matches(names, j, item)) {
            roles->wanted[j] = wanted;
            found = true;
            if (j == roles->label && wanted.kind != PT_COLUMN_NOMINAL && !strpbrk(item, "*?"))
                return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                                  "`types`: column '%.60s' is the label, whose cells are names of "
                                  "classes; `label` names another column",
                                  item);
        }
    return found ? PT_OK : column_missing("types", item, names, roles->n_columns, options, err);
}

static pt_status find_types(pt_roles *roles, const pt_texts *names, const pt_read_options *options,
                            pt_error *err)
{
    const char *types = options->types ? options->types : "";
    if (!*types)
        return PT_OK;
    PT_TRY(PT_NEW(roles->wanted, roles->n_columns, "columns", err));
    for (int64_t j = 0; roles->wanted && j < roles->n_columns; j++)
        roles->wanted[j] = (pt_wanted){PT_N_COLUMN_KINDS, -1};
    while (*types) {
        const size_t length = strcspn(types, ",");
        PT_SCRATCH char *item = pt_alloc_text_n(types, length, err);
        if (!item)
            return PT_ENOMEM;
        PT_TRY(take_type(roles, item, names, options, err));
        types += length + (types[length] == ',');
    }
    return PT_OK;
}

static bool is_label(const pt_roles *roles, int64_t column)
{
    bool label = column == roles->label;
    for (int64_t c = 0; c < roles->label_columns.count; c++)
        label = label || roles->label_columns.column[c] == column + 1;
    return label;
}

static pt_status find_weight(pt_roles *roles, const pt_texts *names, const pt_read_options *options,
                             pt_error *err)
{
    const char *wanted = options->weight ? options->weight : "";
    roles->weight = -1;
    if (!*wanted)
        return PT_OK;
    const int64_t found = find_column(names, roles->n_columns, wanted);
    if (found < 0)
        return may_lack(wanted, options)
                   ? PT_OK
                   : column_missing("weight", wanted, names, roles->n_columns, options, err);
    if (is_label(roles, found))
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`weight`: column '%s' is the label", wanted);
    roles->weight = found;
    return PT_OK;
}

static const char *const TIE_OPTIONS[] = {"group", "fold", "time-column"}; /* by pt_tie_kind */

static const pt_tie_column *tie_at(const pt_roles *roles, int64_t column)
{
    for (int64_t t = 0; t < roles->n_ties; t++)
        if (roles->ties[t].column == column)
            return &roles->ties[t];
    return NULL;
}

/* A column plays one part. */
static pt_status add_tie(pt_roles *roles, pt_tie_kind kind, int64_t column, const pt_texts *names,
                         const pt_read_options *options, pt_error *err)
{
    const pt_tie_column *other = tie_at(roles, column);
    const char *taken = is_label(roles, column)       ? "the label"
                        : roles->weight == column     ? "`weight`, too"
                        : !other                      ? NULL
                        : other->kind == PT_TIE_GROUP ? "`group`, too"
                                                      : "`fold`, too";
    char title[32];
    snprintf(title, sizeof title, "%lld", (long long)column + 1);
    if (taken)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0, "`%s`: column '%.60s' is %-s",
                          TIE_OPTIONS[kind],
                          *name_of(names, column) ? name_of(names, column) : title, taken);
    roles->ties[roles->n_ties++] = (pt_tie_column){kind, column};
    return PT_OK;
}

/* The column that an option means, if it is there. */
static pt_status find_tie(pt_roles *roles, pt_tie_kind kind, const char *wanted,
                          const pt_texts *names, const pt_read_options *options, pt_error *err)
{
    if (!wanted || !*wanted)
        return PT_OK;
    const int64_t found = find_column(names, roles->n_columns, wanted);
    if (found == -2)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`%s` %s: several columns match, and one is wanted", TIE_OPTIONS[kind],
                          wanted);
    if (found < 0)
        return may_lack(wanted, options) ? PT_OK
                                         : column_missing(TIE_OPTIONS[kind], wanted, names,
                                                          roles->n_columns, options, err);
    return add_tie(roles, kind, found, names, options, err);
}

static int by_column(const void *a, const void *b)
{
    const int64_t x = ((const pt_tie_column *)a)->column;
    const int64_t y = ((const pt_tie_column *)b)->column;
    return (x > y) - (x < y);
}

static pt_status find_ties(pt_roles *roles, const pt_texts *names, const pt_read_options *options,
                           pt_error *err)
{
    const char *fold = options->fold ? options->fold : "";
    const bool any =
        (options->group && *options->group) || *fold || (options->time && *options->time);
    if (!any)
        return PT_OK;
    PT_TRY(PT_NEW(roles->ties, roles->n_columns, "columns", err));
    PT_TRY(find_tie(roles, PT_TIE_GROUP, options->group, names, options, err));
    PT_TRY(check_patterns("fold", fold, roles->n_columns, names, options, err));
    for (int64_t j = 0; *fold && j < roles->n_columns; j++)
        if (column_matches(names, j, fold))
            PT_TRY(add_tie(roles, PT_TIE_FOLD, j, names, options, err));
    PT_TRY(find_tie(roles, PT_TIE_TIME, options->time, names, options, err));
    qsort(roles->ties, (size_t)roles->n_ties, sizeof *roles->ties, by_column);
    return PT_OK;
}

/* For a model, groups at most. */
static bool is_tie_read(pt_tie_kind kind, const pt_read_options *options)
{
    return !options->label_optional || (options->groups_wanted && kind == PT_TIE_GROUP);
}

static void keep_ties_read(pt_roles *roles, const pt_read_options *options)
{
    int64_t n = 0;
    for (int64_t t = 0; t < roles->n_ties; t++)
        if (is_tie_read(roles->ties[t].kind, options))
            roles->ties[n++] = roles->ties[t];
    roles->n_ties = n;
}

static pt_status fill_roles(pt_roles *roles, const pt_texts *names, const model_names *model,
                            const pt_read_options *options, pt_error *err)
{
    const pt_label_columns *labels = &roles->label_columns;
    int64_t next = 0;  /* of the label columns, which ascend */
    int64_t place = 0; /* among the features of the model */
    int64_t tie = 0;   /* of the columns that say how rows are held out, which ascend */
    for (int64_t j = 0; j < roles->n_columns; j++) {
        if (j == roles->label)
            roles->role[j] = PT_ROLE_LABEL;
        else if (next < labels->count && labels->column[next] == j + 1) {
            roles->role[j] = roles->labels_cut ? PT_ROLE_IGNORED : PT_ROLE_MARK;
            next++;
        } else if (j == roles->weight)
            roles->role[j] = PT_ROLE_WEIGHT;
        else if (tie < roles->n_ties && roles->ties[tie].column == j) {
            roles->role[j] =
                is_tie_read(roles->ties[tie].kind, options) ? PT_ROLE_TIE : PT_ROLE_IGNORED;
            tie++;
        } else if (is_left_out(names, j, options) || is_nameless(names, j, model, options) ||
                   (roles->wanted && pt_column_is_left_out(roles->wanted[j].kind) &&
                    !(options->keep_text && roles->wanted[j].kind == PT_COLUMN_TEXT)) ||
                   (roles->known && roles->known[j] &&
                    pt_column_is_left_out(roles->known[j]->kind)))
            roles->role[j] = PT_ROLE_IGNORED;
        else if (roles->known && roles->known[j]) {
            roles->role[j] = PT_ROLE_NUMBER;
            roles->n_features++;
            place += pt_judged_features(roles->known[j]);
        } else if (roles->wanted && roles->wanted[j].kind == PT_COLUMN_NOMINAL) {
            roles->role[j] = PT_ROLE_NOMINAL;
            roles->n_features++;
            place++;
        } else {
            roles->role[j] = feature_role(names, j, place++, model, options);
            roles->n_features++;
        }
    }
    if (roles->n_features > 0)
        return PT_OK;
    return pt_fail_at(err, PT_EFORMAT, options->source, 1, 0,
                      "no column is left for features (%lld in the file; label, weight and ignored "
                      "ones taken off); check the separator (`sep`) and the format",
                      (long long)roles->n_columns);
}

pt_status pt_roles_assign(pt_roles *roles, int64_t n_columns, const pt_texts *names,
                          const pt_read_options *options, pt_warnings *warnings, pt_error *err)
{
    memset(roles, 0, sizeof *roles);
    PT_FREED_BY(model_names_free) model_names model = {0};
    roles->n_columns = n_columns;
    PT_TRY(model_names_fill(&model, options, err));
    PT_TRY(check_names(n_columns, names, options, err));
    PT_TRY(find_labels(roles, names, &model, options, warnings, err));
    PT_TRY(find_weight(roles, names, options, err));
    PT_TRY(find_ties(roles, names, options, err));
    PT_TRY(check_patterns("ignore", options->ignore, n_columns, names, options, err));
    if (options->nominal && strcmp(options->nominal, "all") != 0)
        PT_TRY(check_patterns("nominal", options->nominal, n_columns, names, options, err));
    PT_TRY(find_types(roles, names, options, err));
    PT_TRY(find_known(roles, names, &model, options, err));
    PT_TRY(warn_of_sets(n_columns, names, options, warnings, err));
    PT_TRY(PT_NEW(roles->role, n_columns, "roles of columns", err));
    PT_TRY(fill_roles(roles, names, &model, options, err));
    keep_ties_read(roles, options);
    return PT_OK;
}

void pt_roles_free(pt_roles *roles)
{
    pt_free(roles->role);
    pt_free(roles->wanted);
    pt_free(roles->ties);
    pt_free((void *)roles->known);
    pt_label_columns_free(&roles->label_columns);
    memset(roles, 0, sizeof *roles);
}

pt_status pt_roles_columns(const pt_roles *roles, const pt_texts *names, pt_dataset *data,
                           pt_error *err)
{
    if (names && roles->label >= 0 && *names->items[roles->label]) {
        data->label_name = pt_alloc_text(names->items[roles->label], err);
        if (!data->label_name)
            return PT_ENOMEM;
    }
    data->label_column = roles->label + 1;
    if (!roles->labels_cut)
        PT_TRY(pt_label_columns_copy(&data->label_columns, &roles->label_columns, err));
    PT_TRY(PT_NEW_ZERO(data->columns, roles->n_features, "columns", err));
    int64_t feature = 0;
    for (int64_t j = 0; j < roles->n_columns; j++) {
        if (roles->role[j] > PT_ROLE_NOMINAL)
            continue;
        pt_column *column = &data->columns[feature++];
        column->nominal = roles->role[j] == PT_ROLE_NOMINAL;
        if (names && *names->items[j]) {
            column->name = pt_alloc_text(names->items[j], err);
            if (!column->name)
                return PT_ENOMEM;
        }
    }
    return PT_OK;
}
