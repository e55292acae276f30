/* Roles of columns. Label: --label by name, number or pattern; else a column called class, label,
 * target or y; else the last. For prediction (label_optional): with names, the label is there only
 * if its name is; without, a file with one column more than the model has it where the training
 * data had it, or last if that is not known. */
#include "data/roles.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/intern.h"

bool pt_same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
    return *a == *b;
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
        const int wrote =
            snprintf(out + used, room - used, "%s%s", j ? ", " : "", name_of(names, j));
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
    for (int64_t j = 0; names && j < n_columns; j++)
        if (*names->items[j] && pt_text_matches(names->items[j], wanted)) {
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
                          "--%s: there is no column %s; the file has %lld columns, counted from 1",
                          option, wanted, (long long)n_columns);
    if (!names)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "--%s: there is no column '%s', the file has no names; give its number "
                          "from 1 to %lld, or --header yes",
                          option, wanted, (long long)n_columns);
    return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                      "--%s: there is no column '%s'; the columns are %s", option, wanted, list);
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
    model->position = pt_alloc(count, sizeof *model->position, "names of features", err);
    pt_status status = model->position ? PT_OK : PT_ENOMEM;
    for (int64_t i = 0; i < count && status == PT_OK; i++) {
        const char *name = options->features->items[i];
        const int64_t before = model->names.texts.count;
        int64_t number = 0;
        if (!name || !*name)
            continue;
        status = pt_intern_add(&model->names, name, strlen(name), &number, err);
        if (status == PT_OK && number == before)
            model->position[number] = i;
    }
    return status;
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

/* In x,y,class the labels are in class, not in y. */
static int64_t usual_label(const pt_texts *names, int64_t n_columns, const model_names *model)
{
    int64_t found = -1;
    for (int64_t j = 0; names && j < n_columns; j++) {
        const int rank = label_rank(names->items[j]);
        if (rank < 0 || feature_of_model(model, names->items[j]) >= 0)
            continue;
        if (found < 0 || rank < label_rank(names->items[found]))
            found = j;
    }
    return found;
}

/* The label of a file without names, for a model: where it was in training, else last. Columns that
 * --ignore names are not counted. */
static int64_t label_by_number(int64_t n_columns, const pt_read_options *options)
{
    const char *ignore = options->ignore ? options->ignore : "";
    int64_t left = n_columns;
    for (int64_t j = 0; *ignore && j < n_columns; j++)
        left -= column_matches(NULL, j, ignore);
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
        if (*label == -2)
            return pt_fail_at(err, PT_ENOSUPPORT, options->source, 0, 0,
                              "--label %s: several columns match; sets of labels are not read yet, "
                              "name one column",
                              wanted);
        if (*label >= 0)
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
        *label = n_columns - 1;
    else if (!names || model->names.texts.count == 0)
        *label = label_by_number(n_columns, options);
    return PT_OK;
}

/* Columns that look like several labels, where only one is read. */
static pt_status warn_of_sets(int64_t n_columns, const pt_texts *names,
                              const pt_read_options *options, pt_texts *warnings, pt_error *err)
{
    if (!names || (options->label && *options->label))
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
        return pt_texts_add(warnings, err,
                            "%lld columns are called label_*: they look like 0/1 labels of a set; "
                            "sets of labels are not read yet: one column is read as the label, the "
                            "others as features; leave them out with --ignore",
                            (long long)sets);
    if (ranks >= 3)
        return pt_texts_add(warnings, err,
                            "columns L1 to L%lld look like ranks of labels; rankings are not read "
                            "yet: one column is read as the label, the others as features; leave "
                            "them out with --ignore",
                            (long long)ranks);
    return PT_OK;
}

/* Nominal by the pattern of --nominal; a number where the model's feature is one. */
static pt_role feature_role(const pt_texts *names, int64_t column, int64_t feature,
                            const model_names *model, const pt_read_options *options)
{
    const char *pattern = options->nominal ? options->nominal : "";
    if (strcmp(pattern, "all") == 0 || (*pattern && column_matches(names, column, pattern)))
        return PT_ROLE_NOMINAL;
    if (!options->numeric_features)
        return PT_ROLE_FEATURE;
    const bool by_name = names && model->names.texts.count > 0;
    const int64_t known = by_name ? feature_of_model(model, names->items[column]) : feature;
    if (known < 0 || known >= options->n_features || !options->numeric_features[known])
        return PT_ROLE_FEATURE;
    return PT_ROLE_NUMBER;
}

/* Every pattern of a list must mean a column: one that means none is a typing error. For prediction
 * it is not, as columns may be left out. */
static pt_status check_patterns(const char *option, const char *patterns, int64_t n_columns,
                                const pt_texts *names, const pt_read_options *options,
                                pt_error *err)
{
    while (patterns && *patterns && !options->label_optional) {
        const size_t length = strcspn(patterns, ",");
        char *pattern = pt_alloc_text_n(patterns, length, err);
        if (!pattern)
            return PT_ENOMEM;
        bool found = length == 0;
        for (int64_t j = 0; j < n_columns && !found; j++)
            found = column_matches(names, j, pattern);
        const pt_status status =
            found ? PT_OK : column_missing(option, pattern, names, n_columns, options, err);
        pt_free(pattern);
        if (status != PT_OK)
            return status;
        patterns += length + (patterns[length] == ',');
    }
    return PT_OK;
}

/* Two columns of one name cannot be told apart later. */
static pt_status check_names(int64_t n_columns, const pt_texts *names,
                             const pt_read_options *options, pt_error *err)
{
    pt_intern seen;
    memset(&seen, 0, sizeof seen);
    pt_status status = PT_OK;
    for (int64_t j = 0; names && j < n_columns && status == PT_OK; j++) {
        const char *name = names->items[j];
        const int64_t before = seen.texts.count;
        int64_t number = 0;
        if (!*name)
            continue;
        status = pt_intern_add(&seen, name, strlen(name), &number, err);
        if (status == PT_OK && seen.texts.count == before)
            status = pt_fail_at(err, PT_EFORMAT, options->source, 1, 0,
                                "two columns are called '%.60s', the second is number %lld; rename "
                                "one, or say --header no if the first line holds data",
                                name, (long long)j + 1);
    }
    pt_intern_free(&seen);
    return status;
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
        return options->label_optional
                   ? PT_OK
                   : column_missing("weight", wanted, names, roles->n_columns, options, err);
    if (found == roles->label)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "--weight: column '%s' is the label", wanted);
    roles->weight = found;
    return PT_OK;
}

static pt_status fill_roles(pt_roles *roles, const pt_texts *names, const model_names *model,
                            const pt_read_options *options, pt_error *err)
{
    const char *ignore = options->ignore ? options->ignore : "";
    for (int64_t j = 0; j < roles->n_columns; j++) {
        if (j == roles->label)
            roles->role[j] = PT_ROLE_LABEL;
        else if (j == roles->weight)
            roles->role[j] = PT_ROLE_WEIGHT;
        else if ((j == 0 && options->row_names) || (*ignore && column_matches(names, j, ignore)))
            roles->role[j] = PT_ROLE_IGNORED;
        else
            roles->role[j] = feature_role(names, j, roles->n_features++, model, options);
    }
    if (roles->n_features > 0)
        return PT_OK;
    return pt_fail_at(err, PT_EFORMAT, options->source, 1, 0,
                      "no column is left for features (%lld in the file; label, weight and ignored "
                      "ones taken off); check the separator and the format",
                      (long long)roles->n_columns);
}

pt_status pt_roles_assign(pt_roles *roles, int64_t n_columns, const pt_texts *names,
                          const pt_read_options *options, pt_texts *warnings, pt_error *err)
{
    memset(roles, 0, sizeof *roles);
    if (options->labels && strcmp(options->labels, "class") != 0)
        return pt_fail(err, PT_ENOSUPPORT, "--labels %s is not read yet; use class",
                       options->labels);
    model_names model;
    roles->n_columns = n_columns;
    pt_status status = model_names_fill(&model, options, err);
    if (status == PT_OK)
        status = check_names(n_columns, names, options, err);
    if (status == PT_OK)
        status = find_label(&roles->label, n_columns, names, &model, options, err);
    if (status == PT_OK)
        status = find_weight(roles, names, options, err);
    if (status == PT_OK)
        status = check_patterns("ignore", options->ignore, n_columns, names, options, err);
    if (status == PT_OK && options->nominal && strcmp(options->nominal, "all") != 0)
        status = check_patterns("nominal", options->nominal, n_columns, names, options, err);
    if (status == PT_OK)
        status = warn_of_sets(n_columns, names, options, warnings, err);
    if (status == PT_OK) {
        roles->role = pt_alloc(n_columns, sizeof *roles->role, "roles of columns", err);
        status = roles->role ? fill_roles(roles, names, &model, options, err) : PT_ENOMEM;
    }
    model_names_free(&model);
    if (status != PT_OK)
        pt_roles_free(roles);
    return status;
}

void pt_roles_free(pt_roles *roles)
{
    pt_free(roles->role);
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
    data->columns = pt_alloc_zero(roles->n_features, sizeof *data->columns, "columns", err);
    if (!data->columns)
        return PT_ENOMEM;
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
