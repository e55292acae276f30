/* Tables that other programs hand over in memory, by the Arrow C data interface.
 *
 * A record batch is a struct array: its children are the columns, each with a type (a text in the
 * schema), a bitmap of what is there and one or two buffers. What the columns are for, the readers
 * of files decide (read/roles.h). Lengths and offsets are checked; the sizes behind pointers are
 * not known here.
 *
 *   column            a cell becomes
 *   numbers, bool     a number
 *   date, timestamp   days since 1970-01-01, the time of day as a fraction
 *   texts             the number of a level, in the order of first appearance
 *   dictionary        the number of a level of the dictionary, or its number
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/dataset.h"
#include "data/labels/label_cells.h"
#include "data/memory/arrow_column.h"
#include "data/read/intern.h"
#include "data/read/roles.h"
#include "data/read/tie_columns.h"

typedef struct table {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    pt_texts names; /* of the columns, "" where they have none */
    pt_roles roles;
    pt_read_options options;
} table;

static void table_free(table *t)
{
    pt_texts_free(&t->names);
    pt_roles_free(&t->roles);
}

static pt_status check_table(const table *t, pt_error *err)
{
    const struct ArrowSchema *schema = t->schema;
    const struct ArrowArray *array = t->array;
    if (!schema || !array || !schema->release || !array->release)
        return pt_fail(err, PT_EINVAL, "the schema or the array is NULL, or was released before");
    if (!schema->format || strcmp(schema->format, "+s") != 0)
        return pt_fail(
            err, PT_EINVAL,
            "an array of type '%.40s' is not a table; a record batch, or struct array, is",
            schema->format ? schema->format : "");
    if (array->length < 0 || array->offset < 0 || schema->n_children != array->n_children ||
        (array->n_children > 0 && (!schema->children || !array->children)))
        return pt_fail(err, PT_EINVAL,
                       "the table has %" PRId64 " rows from %" PRId64 ", %" PRId64
                       " columns and %" PRId64 " types of columns",
                       array->length, array->offset, array->n_children, schema->n_children);
    if (array->n_buffers > 0 && array->buffers && array->buffers[0] && array->null_count != 0)
        return pt_fail(err, PT_EINVAL, "rows of the table itself are null; its cells may be");
    return PT_OK;
}

static pt_status find_roles(table *t, const pt_params *params, pt_dataset *shell, pt_error *err)
{
    bool named = false;
    pt_read_options_init(&t->options, params);
    if (*t->options.types)
        return pt_fail(err, PT_EINVAL,
                       "`types` is for files: the columns of an Arrow table have types");
    for (int64_t j = 0; j < t->schema->n_children; j++) {
        const struct ArrowSchema *child = t->schema->children[j];
        const char *name = child && child->name ? child->name : "";
        named = named || *name;
        PT_TRY(pt_texts_add_n(&t->names, name, strlen(name), err));
    }
    return pt_roles_assign(&t->roles, t->schema->n_children, named ? &t->names : NULL, &t->options,
                           &shell->warnings, err);
}

/* A column of the table, for the rows of the table. */
static pt_status open_column(pt_arrow_column *column, const table *t, int64_t j, pt_error *err)
{
    return pt_arrow_column_open(column, t->schema->children[j], t->array->children[j],
                                t->array->offset, t->array->length, j, err);
}

/* ---- features -------------------------------------------------------------------------------- */

static pt_status fail_infinite(const table *t, int64_t i, int64_t j, pt_error *err)
{
    const char *name = t->names.items[j];
    return pt_fail(err, PT_EINVAL,
                   "row %lld, column %lld%s%s%s: the value is infinite; give a number, or null for "
                   "a missing one (both count from 1)",
                   (long long)i + 1, (long long)j + 1, *name ? " ('" : "", name, *name ? "')" : "");
}

static pt_status take_feature(pt_dataset *data, int64_t feature, const table *t, int64_t j,
                              pt_error *err)
{
    pt_arrow_column column = {0};
    PT_FREED_BY(pt_intern_free) pt_intern levels = {0};
    PT_TRY(open_column(&column, t, j, err));
    double *value = (double *)data->value + feature;
    const bool nominal = t->roles.role[j] == PT_ROLE_NOMINAL || pt_arrow_is_text(&column);
    PT_SCRATCH int64_t *level_of = NULL; /* of the entries of a dictionary */
    if (nominal)
        PT_TRY(pt_arrow_levels(&level_of, &column, &levels, err));
    for (int64_t i = 0; i < data->n; i++) {
        double *cell = &value[i * data->d];
        int64_t level = -1;
        *cell = NAN;
        if (!nominal) {
            PT_TRY(pt_arrow_number(&column, i, cell, err));
            if (isinf(*cell))
                return fail_infinite(t, i, j, err);
            continue;
        }
        PT_TRY(pt_arrow_level(&column, i, level_of, &levels, &level, err));
        if (level >= 0)
            *cell = (double)level;
    }
    pt_column *to = &data->columns[feature];
    to->nominal = nominal;
    to->levels = levels.texts;
    levels.texts = (pt_texts){0};
    return PT_OK;
}

/* ---- labels and weights ---------------------------------------------------------------------- */

/* Where cells are sets, rankings or pairs, "" says nothing, as in a file: it is taken out. */
static pt_status drop_empty(pt_texts *kept, int64_t *code, int64_t n, const pt_intern *names,
                            pt_error *err)
{
    const int64_t empty = pt_intern_find(names, "", 0);
    for (int64_t l = 0; l < names->texts.count; l++)
        if (l != empty)
            PT_TRY(pt_texts_add_n(kept, names->texts.items[l], strlen(names->texts.items[l]), err));
    for (int64_t i = 0; i < n && empty >= 0; i++)
        code[i] = code[i] == empty ? -1 : code[i] - (code[i] > empty);
    return PT_OK;
}

/* One column of classes, or of cells that say sets, rankings or pairs. */
static pt_status take_label(pt_dataset *data, const table *t, pt_error *err)
{
    pt_arrow_column column = {0};
    PT_FREED_BY(pt_intern_free) pt_intern names = {0};
    PT_SCRATCH int64_t *code = NULL;
    PT_TRY(open_column(&column, t, t->roles.label, err));
    PT_TRY(PT_NEW(code, data->n, "labels", err));
    for (int64_t i = 0; i < data->n; i++) /* without level_of: classes that no row has are none */
        PT_TRY(pt_arrow_level(&column, i, NULL, &names, &code[i], err));
    if (t->roles.label_kind == PT_LABEL_CLASS)
        return pt_labels_from_codes(&data->labels, data->n, code, &names.texts, err);
    PT_FREED_BY(pt_texts_free) pt_texts kept = {0};
    PT_TRY(drop_empty(&kept, code, data->n, &names, err));
    const pt_label_cells cells = {
        .kind = t->roles.label_kind, .separator = ';', .texts = &kept, .source = data->source};
    return pt_labels_from_cells(&data->labels, &cells, data->n, code, err);
}

/* Several columns of 0 and 1, or of ranks. */
static pt_status take_marks(pt_dataset *data, const table *t, pt_error *err)
{
    const pt_label_columns *labels = &t->roles.label_columns;
    PT_SCRATCH int32_t *marks =
        pt_alloc(data->n, (size_t)labels->count * sizeof *marks, "labels", err);
    if (!marks)
        return PT_ENOMEM;
    for (int64_t c = 0; c < labels->count; c++) {
        pt_arrow_column column = {0};
        PT_TRY(open_column(&column, t, labels->column[c] - 1, err));
        for (int64_t i = 0; i < data->n; i++) {
            double x = NAN;
            int32_t *mark = &marks[i * labels->count + c];
            PT_TRY(pt_arrow_number(&column, i, &x, err));
            *mark = PT_MARK_NONE;
            if (!isnan(x) && !pt_label_mark_value(t->roles.label_kind, x, mark))
                return pt_fail(err, PT_EFORMAT, "row %lld, column %lld: %g is %s (both from 1)",
                               (long long)i + 1, (long long)labels->column[c], x,
                               t->roles.label_kind == PT_LABEL_RANKING ? "not a rank"
                                                                       : "neither 0 nor 1");
        }
    }
    return pt_labels_from_marks(&data->labels, t->roles.label_kind, data->n, labels->count, marks,
                                &labels->names, err);
}

static pt_status take_weights(pt_dataset *data, const table *t, pt_error *err)
{
    pt_arrow_column column = {0};
    PT_TRY(open_column(&column, t, t->roles.weight, err));
    PT_SCRATCH double *weight = NULL;
    PT_TRY(PT_NEW(weight, data->n, "weights", err));
    for (int64_t i = 0; i < data->n; i++)
        PT_TRY(pt_arrow_number(&column, i, &weight[i], err));
    const pt_dense weights = {.type = PT_F64, .values = weight, .n_rows = data->n, .n_columns = 1};
    return pt_dataset_set_role(data, "weight", &weights, err);
}

/* What a column says of how rows are held out: times by their numbers, all else by its texts. */
static pt_status read_tie(pt_tie_cells *cells, pt_intern *texts, int64_t **code, double **number,
                          const table *t, const pt_tie_column *tie, pt_error *err)
{
    const int64_t n = t->array->length;
    pt_arrow_column column = {0};
    PT_TRY(open_column(&column, t, tie->column, err));
    cells->kind = tie->kind;
    if (tie->kind == PT_TIE_TIME && !pt_arrow_is_text(&column)) {
        PT_TRY(PT_NEW(*number, n, "times of rows", err));
        for (int64_t i = 0; i < n; i++)
            PT_TRY(pt_arrow_number(&column, i, &(*number)[i], err));
        cells->number = *number;
        return PT_OK;
    }
    PT_TRY(PT_NEW(*code, n, "groups of rows", err));
    for (int64_t i = 0; i < n; i++)
        PT_TRY(pt_arrow_level(&column, i, NULL, texts, &(*code)[i], err));
    const int64_t empty = pt_intern_find(texts, "", 0);
    for (int64_t i = 0; i < n && empty >= 0; i++)
        (*code)[i] = (*code)[i] == empty ? -1 : (*code)[i]; /* as in a file */
    cells->code = *code;
    cells->texts = &texts->texts;
    return PT_OK;
}

static pt_status take_ties(pt_dataset *data, const table *t, pt_error *err)
{
    const int64_t count = t->roles.n_ties;
    PT_SCRATCH pt_tie_cells *cells = NULL;
    PT_SCRATCH char(*names)[PT_TIE_NAME] = NULL;
    PT_SCRATCH pt_intern *texts = NULL;
    PT_SCRATCH int64_t **code = NULL;
    PT_SCRATCH double *number = NULL; /* there is one column of times at most */
    PT_TRY(PT_NEW_ZERO(cells, count, "groups of rows", err));
    PT_TRY(PT_NEW(names, count, "groups of rows", err));
    PT_TRY(PT_NEW_ZERO(texts, count, "groups of rows", err));
    PT_TRY(PT_NEW_ZERO(code, count, "groups of rows", err));
    pt_status status = PT_OK;
    for (int64_t c = 0; c < count && status == PT_OK; c++) {
        cells[c].name = pt_tie_name(&t->names, t->roles.ties[c].column, names[c]);
        status = read_tie(&cells[c], &texts[c], &code[c], &number, t, &t->roles.ties[c], err);
    }
    if (status == PT_OK)
        status = pt_tie_columns_take(data, cells, count, &t->options, NULL, err);
    for (int64_t c = 0; c < count; c++) {
        pt_intern_free(&texts[c]);
        pt_free(code[c]);
    }
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

pt_status pt_dataset_from_arrow(pt_dataset **out, struct ArrowSchema *schema,
                                struct ArrowArray *array, const pt_params *params, pt_error *err)
{
    PT_FREED_BY(table_free) table t = {.schema = schema, .array = array};
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(check_table(&t, err));
    PT_TRY(pt_dataset_shell(&data, array->length, 0, PT_F64, "memory", err));
    PT_TRY(find_roles(&t, params, data, err));
    size_t row_bytes = 0;
    if (!pt_size_mul((size_t)t.roles.n_features, sizeof(double), &row_bytes))
        return pt_fail(err, PT_EINVAL, "a row is too long to be addressed");
    data->d = data->row_stride = t.roles.n_features;
    PT_TRY(pt_roles_columns(&t.roles, &t.names, data, err));
    data->value = pt_alloc(data->n, row_bytes, "a data set", err);
    if (!data->value)
        return PT_ENOMEM;
    int64_t feature = 0;
    for (int64_t j = 0; j < t.roles.n_columns; j++)
        if (t.roles.role[j] <= PT_ROLE_NOMINAL)
            PT_TRY(take_feature(data, feature++, &t, j, err));
    if (t.roles.label >= 0)
        PT_TRY(take_label(data, &t, err));
    if (t.roles.label_columns.count > 0 && !t.roles.labels_cut)
        PT_TRY(take_marks(data, &t, err));
    if (t.roles.weight >= 0)
        PT_TRY(take_weights(data, &t, err));
    if (t.roles.n_ties > 0)
        PT_TRY(take_ties(data, &t, err));
    array->release(array);
    schema->release(schema);
    *out = pt_keep(&data);
    return PT_OK;
}
