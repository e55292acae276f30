/* The data set: its owner of memory, its public face, and data sets made from memory. */
#include "data/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/labels/label_cells.h"
#include "data/read/intern.h"

/* ---- life ------------------------------------------------------------------------------------ */

pt_status pt_dataset_shell(pt_dataset **out, int64_t n, int64_t d, pt_type type, const char *source,
                           pt_error *err)
{
    if (n < 0 || d < 0)
        return pt_fail(err, PT_EINVAL, "a data set of %lld examples and %lld features",
                       (long long)n, (long long)d);
    pt_dataset *data = pt_alloc_zero(1, sizeof *data, "a data set", err);
    if (!data)
        return PT_ENOMEM;
    data->n = n;
    data->d = d;
    data->type = type;
    data->source = pt_alloc_text(source, err);
    if (!data->source) {
        pt_dataset_free(data);
        return PT_ENOMEM;
    }
    *out = data;
    return PT_OK;
}

static void columns_free(pt_column *columns, int64_t d)
{
    if (!columns)
        return;
    for (int64_t j = 0; j < d; j++) {
        pt_free(columns[j].name);
        pt_texts_free(&columns[j].levels);
    }
    pt_free(columns);
}

void pt_label_columns_free(pt_label_columns *columns)
{
    pt_free(columns->column);
    pt_texts_free(&columns->names);
    memset(columns, 0, sizeof *columns);
}

pt_status pt_label_columns_copy(pt_label_columns *out, const pt_label_columns *from, pt_error *err)
{
    memset(out, 0, sizeof *out);
    if (from->count == 0)
        return PT_OK;
    PT_TRY(PT_NEW(out->column, from->count, "label columns", err));
    memcpy(out->column, from->column, (size_t)from->count * sizeof *out->column);
    out->count = from->count;
    return pt_texts_copy(&out->names, &from->names, err);
}

void pt_dataset_free(pt_dataset *data)
{
    if (!data)
        return;
    columns_free(data->columns, data->d);
    pt_labels_free(data->labels);
    pt_texts_free(&data->warnings);
    pt_texts_free(&data->notes);
    pt_free(data->value);
    pt_free(data->start);
    pt_free(data->index);
    pt_free(data->weights);
    pt_free(data->label_name);
    pt_label_columns_free(&data->label_columns);
    pt_judged_free(&data->judged);
    pt_free(data->source);
    pt_free(data);
}

/* ---- subsets --------------------------------------------------------------------------------- */

static pt_status copy_text(char **out, const char *text, pt_error *err)
{
    if (!text)
        return PT_OK;
    *out = pt_alloc_text(text, err);
    return *out ? PT_OK : PT_ENOMEM;
}

static pt_status copy_columns(pt_dataset *subset, const pt_dataset *data, pt_error *err)
{
    if (!data->columns)
        return PT_OK;
    PT_TRY(PT_NEW_ZERO(subset->columns, data->d, "columns", err));
    for (int64_t j = 0; j < data->d; j++) {
        subset->columns[j].nominal = data->columns[j].nominal;
        subset->columns[j].text = data->columns[j].text;
        PT_TRY(copy_text(&subset->columns[j].name, data->columns[j].name, err));
        PT_TRY(pt_texts_copy(&subset->columns[j].levels, &data->columns[j].levels, err));
    }
    return PT_OK;
}

static pt_status gather_dense(pt_dataset *subset, const pt_dataset *data, const int64_t *rows,
                              pt_error *err)
{
    size_t row_bytes = 0;
    if (!pt_size_mul((size_t)data->d, pt_type_size(data->type), &row_bytes))
        return pt_fail(err, PT_EINVAL, "a row is too long to be addressed");
    subset->value = pt_alloc(subset->n, row_bytes, "a subset of the examples", err);
    if (!subset->value)
        return PT_ENOMEM;
    for (int64_t i = 0; i < subset->n && row_bytes > 0; i++)
        memcpy((char *)subset->value + (size_t)i * row_bytes,
               (const char *)data->value + (size_t)rows[i] * row_bytes, row_bytes);
    return PT_OK;
}

static pt_status gather_sparse(pt_dataset *subset, const pt_dataset *data, const int64_t *rows,
                               pt_error *err)
{
    const char *what = "a subset of the examples";
    const size_t size = pt_type_size(data->type);
    PT_TRY(PT_NEW(subset->start, subset->n + 1, what, err));
    subset->start[0] = 0;
    for (int64_t i = 0; i < subset->n; i++) {
        const int64_t more = data->start[rows[i] + 1] - data->start[rows[i]];
        if (more > INT64_MAX - subset->start[i])
            return pt_fail(err, PT_EINVAL, "%s is too large to be addressed", what);
        subset->start[i + 1] = subset->start[i] + more;
    }
    const int64_t n_cells = subset->start[subset->n];
    PT_TRY(PT_NEW(subset->index, n_cells, what, err));
    subset->value = pt_alloc(n_cells, size, what, err);
    if (!subset->value)
        return PT_ENOMEM;
    for (int64_t i = 0; i < subset->n; i++) {
        const int64_t from = data->start[rows[i]];
        const int64_t to = subset->start[i];
        const size_t cells = (size_t)(subset->start[i + 1] - to);
        memcpy(subset->index + to, data->index + from, cells * sizeof(int64_t));
        memcpy((char *)subset->value + (size_t)to * size,
               (const char *)data->value + (size_t)from * size, cells * size);
    }
    return PT_OK;
}

static pt_status gather_weights(pt_dataset *subset, const pt_dataset *data, const int64_t *rows,
                                pt_error *err)
{
    if (!data->weights)
        return PT_OK;
    subset->weights = pt_alloc(subset->n, sizeof(double), "weights", err);
    if (!subset->weights)
        return PT_ENOMEM;
    for (int64_t i = 0; i < subset->n; i++)
        subset->weights[i] = data->weights[rows[i]];
    return PT_OK;
}

pt_status pt_dataset_subset(pt_dataset **out, const pt_dataset *data, const int64_t *rows,
                            int64_t n, pt_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= data->n)
            return pt_fail(err, PT_EINVAL, "row %lld of %lld is asked for", (long long)rows[i],
                           (long long)data->n);
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *subset = NULL;
    PT_TRY(pt_dataset_shell(&subset, n, data->d, data->type, data->source, err));
    PT_TRY(data->start ? gather_sparse(subset, data, rows, err)
                       : gather_dense(subset, data, rows, err));
    PT_TRY(copy_columns(subset, data, err));
    PT_TRY(copy_text(&subset->label_name, data->label_name, err));
    PT_TRY(pt_label_columns_copy(&subset->label_columns, &data->label_columns, err));
    PT_TRY(pt_judged_copy(&subset->judged, &data->judged, err));
    subset->label_column = data->label_column;
    PT_TRY(gather_weights(subset, data, rows, err));
    if (data->labels)
        PT_TRY(pt_labels_subset(&subset->labels, data->labels, rows, n, err));
    *out = pt_keep(&subset);
    return PT_OK;
}

/* ---- what is in it --------------------------------------------------------------------------- */

static int64_t count_cells(const pt_dataset *data)
{
    return data->start ? data->start[data->n] : data->n * data->d;
}

/* The first cell that `is_bad` says of, or -1. */
static int64_t find_cell(const pt_dataset *data, bool (*is_bad)(double))
{
    const int64_t count = count_cells(data);
    if (data->type == PT_F32) {
        const float *value = data->value;
        for (int64_t c = 0; c < count; c++)
            if (is_bad((double)value[c]))
                return c;
    } else {
        const double *value = data->value;
        for (int64_t c = 0; c < count; c++)
            if (is_bad(value[c]))
                return c;
    }
    return -1;
}

static bool is_missing(double value)
{
    return isnan(value);
}

static bool is_infinite(double value)
{
    return isinf(value);
}

bool pt_dataset_has_missing(const pt_dataset *data)
{
    return find_cell(data, is_missing) >= 0;
}

double pt_dataset_bytes(const pt_dataset *data)
{
    const double cells =
        data->start ? (double)data->start[data->n] : (double)data->n * (double)data->d;
    double bytes = data->beside + cells * (double)pt_type_size(data->type);
    if (data->start)
        bytes += ((double)data->n + 1 + cells) * sizeof(int64_t);
    for (int64_t j = 0; data->columns && j < data->d; j++)
        bytes += (double)pt_texts_bytes(&data->columns[j].levels);
    if (data->labels)
        bytes += pt_labels_bytes(data->labels);
    return data->weights ? bytes + (double)data->n * sizeof(double) : bytes;
}

pt_status pt_dataset_fits(const pt_dataset *data, double bytes, const char *what,
                          const pt_task *task, pt_error *err)
{
    const double need = pt_dataset_bytes(data) + bytes;
    const int64_t allowed = pt_task_limited(task) ? pt_task_memory(task) : task ? 0 : data->memory;
    if (allowed == 0 || need <= (double)allowed)
        return PT_OK;
    return pt_fail_at(err, PT_EMEMORY, data->source, 0, 0,
                      "%s need %s, %s may be used; raise --memory or use fewer rows; train "
                      "--online reads a part at a time",
                      what, PT_SHOW_BYTES(need), PT_SHOW_BYTES(allowed));
}

int64_t pt_dataset_n_examples(const pt_dataset *data)
{
    return data->n;
}

int64_t pt_dataset_n_features(const pt_dataset *data)
{
    return data->d;
}

int64_t pt_dataset_n_classes(const pt_dataset *data)
{
    return data->labels ? pt_labels_n_classes(data->labels) : 0;
}

int pt_dataset_is_sparse(const pt_dataset *data)
{
    return data->start != NULL;
}

const char *pt_dataset_feature_name(const pt_dataset *data, int64_t feature)
{
    if (!data->columns || feature < 0 || feature >= data->d)
        return NULL;
    return data->columns[feature].name;
}

const char *pt_dataset_class_name(const pt_dataset *data, int64_t class_index)
{
    return data->labels ? pt_texts_get(&data->labels->classes, class_index) : NULL;
}

const char *pt_dataset_label_kind(const pt_dataset *data)
{
    return data->labels ? pt_label_kind_name(data->labels->kind) : NULL;
}

int64_t pt_dataset_class(const pt_dataset *data, int64_t example)
{
    const pt_labels *labels = data->labels;
    if (!labels || !labels->class_of || example < 0 || example >= data->n)
        return -1;
    return labels->class_of[example];
}

int64_t pt_dataset_n_notes(const pt_dataset *data)
{
    return data->notes.count;
}

const char *pt_dataset_note(const pt_dataset *data, int64_t index)
{
    return pt_texts_get(&data->notes, index);
}

int64_t pt_dataset_n_warnings(const pt_dataset *data)
{
    return data->warnings.count;
}

const char *pt_dataset_warning(const pt_dataset *data, int64_t index)
{
    return pt_texts_get(&data->warnings, index);
}

/* ---- from memory ----------------------------------------------------------------------------- */

static pt_status check_finite(const pt_dataset *data, pt_error *err)
{
    const int64_t cell = find_cell(data, is_infinite);
    if (cell < 0)
        return PT_OK;
    int64_t row = 0;
    if (data->start)
        while (data->start[row + 1] <= cell)
            row++;
    else
        row = cell / data->d;
    const int64_t feature = data->start ? data->index[cell] : cell % data->d;
    return pt_fail(err, PT_EINVAL,
                   "example %lld, feature %lld: the value is infinite; give a number, or NaN for a "
                   "missing one (both count from 1)",
                   (long long)row + 1, (long long)feature + 1);
}

static pt_status from_dense(pt_dataset **out, const void *values, pt_type type, int64_t n,
                            int64_t d, int64_t stride, pt_error *err)
{
    const size_t size = pt_type_size(type);
    size_t row_bytes = 0;
    if (n < 0 || d < 0 || stride < d || !pt_size_mul((size_t)d, size, &row_bytes))
        return pt_fail(err, PT_EINVAL,
                       "%lld examples of %lld features, %lld apart; none may be negative and the "
                       "distance at least the number of features",
                       (long long)n, (long long)d, (long long)stride);
    if (!values && n > 0 && d > 0)
        return pt_fail(err, PT_EINVAL, "the values are NULL");
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_dataset_shell(&data, n, d, type, "memory", err));
    data->value = pt_alloc(n, row_bytes, "a data set", err);
    if (!data->value)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n && values && row_bytes > 0; i++)
        memcpy((char *)data->value + (size_t)i * row_bytes,
               (const char *)values + (size_t)i * (size_t)stride * size, row_bytes);
    PT_TRY(check_finite(data, err));
    *out = pt_keep(&data);
    return PT_OK;
}

pt_status pt_dataset_from_f64(pt_dataset **out, const double *values, int64_t n_examples,
                              int64_t n_features, int64_t stride, pt_error *err)
{
    return from_dense(out, values, PT_F64, n_examples, n_features, stride, err);
}

pt_status pt_dataset_from_f32(pt_dataset **out, const float *values, int64_t n_examples,
                              int64_t n_features, int64_t stride, pt_error *err)
{
    return from_dense(out, values, PT_F32, n_examples, n_features, stride, err);
}

/* Rows that begin where the last one ended, features ascending and in range. */
static pt_status check_csr(const int64_t *start, const int64_t *index, const double *values,
                           int64_t n, int64_t d, pt_error *err)
{
    if (n < 0 || d < 0 || !start || start[0] != 0)
        return pt_fail(err, PT_EINVAL,
                       "%lld examples of %lld features; neither may be negative, and start[0] is 0",
                       (long long)n, (long long)d);
    for (int64_t i = 0; i < n; i++)
        if (start[i + 1] < start[i])
            return pt_fail(err, PT_EINVAL, "start[%lld] is below start[%lld]", (long long)i + 1,
                           (long long)i);
    if (start[n] > 0 && (!index || !values))
        return pt_fail(err, PT_EINVAL, "the indices or the values are NULL");
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = start[i]; c < start[i + 1]; c++) {
            const int64_t lowest = c > start[i] ? index[c - 1] + 1 : 0;
            if (index[c] < lowest || index[c] >= d)
                return pt_fail(err, PT_EINVAL,
                               "example %lld (from 0): feature %lld is not in %lld..%lld; features "
                               "ascend from 0",
                               (long long)i, (long long)index[c], (long long)lowest,
                               (long long)d - 1);
        }
    return PT_OK;
}

pt_status pt_dataset_from_csr(pt_dataset **out, const int64_t *start, const int64_t *index,
                              const double *values, int64_t n_examples, int64_t n_features,
                              pt_error *err)
{
    PT_TRY(check_csr(start, index, values, n_examples, n_features, err));
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_dataset_shell(&data, n_examples, n_features, PT_F64, "memory", err));
    const int64_t count = start[n_examples];
    data->start = pt_alloc(n_examples + 1, sizeof(int64_t), "a data set", err);
    data->index = pt_alloc(count, sizeof(int64_t), "a data set", err);
    data->value = pt_alloc(count, sizeof(double), "a data set", err);
    if (!data->start || !data->index || !data->value)
        return PT_ENOMEM;
    memcpy(data->start, start, (size_t)(n_examples + 1) * sizeof(int64_t));
    if (count > 0) {
        memcpy(data->index, index, (size_t)count * sizeof(int64_t));
        memcpy(data->value, values, (size_t)count * sizeof(double));
    }
    PT_TRY(check_finite(data, err));
    *out = pt_keep(&data);
    return PT_OK;
}

/* ---- labels and weights from memory ---------------------------------------------------------- */

static void replace_labels(pt_dataset *data, pt_labels *labels)
{
    pt_labels_free(data->labels);
    pt_label_columns_free(&data->label_columns);
    data->labels = labels;
}

pt_status pt_dataset_set_labels(pt_dataset *data, const char *const *labels, pt_error *err)
{
    if (!labels) {
        replace_labels(data, NULL);
        return PT_OK;
    }
    PT_SCRATCH size_t *length = NULL;
    PT_TRY(PT_NEW(length, data->n, "labels", err));
    for (int64_t i = 0; i < data->n; i++)
        length[i] = labels[i] ? strlen(labels[i]) : 0;
    pt_labels *fresh = NULL;
    PT_TRY(pt_labels_from_texts(&fresh, data->n, labels, length, err));
    replace_labels(data, fresh);
    return PT_OK;
}

pt_status pt_dataset_set_label_numbers(pt_dataset *data, const int64_t *labels, pt_error *err)
{
    if (!labels) {
        replace_labels(data, NULL);
        return PT_OK;
    }
    PT_SCRATCH int64_t *code = NULL;
    PT_TRY(PT_NEW(code, data->n, "labels", err));
    PT_FREED_BY(pt_intern_free) pt_intern names = {0};
    for (int64_t i = 0; i < data->n; i++) {
        char text[24];
        const int length = snprintf(text, sizeof text, "%" PRId64, labels[i]);
        PT_TRY(pt_intern_add(&names, text, (size_t)length, &code[i], err));
    }
    pt_labels *fresh = NULL;
    PT_TRY(pt_labels_from_codes(&fresh, data->n, code, &names.texts, err));
    replace_labels(data, fresh);
    return PT_OK;
}

static pt_status kind_named(const char *name, pt_label_kind *kind, pt_error *err)
{
    if (name && pt_label_kind_find(name, kind))
        return PT_OK;
    return pt_fail(err, PT_EINVAL, "there is no kind of labels '%.40s'; class, set, ranking, pairs",
                   name ? name : "");
}

pt_status pt_dataset_set_label_cells(pt_dataset *data, const char *kind, const char *const *labels,
                                     pt_error *err)
{
    pt_label_cells cells = {.separator = ';', .source = data->source};
    PT_TRY(kind_named(kind, &cells.kind, err));
    if (!labels) {
        replace_labels(data, NULL);
        return PT_OK;
    }
    PT_SCRATCH int64_t *code = NULL;
    PT_TRY(PT_NEW(code, data->n, "labels", err));
    PT_FREED_BY(pt_intern_free) pt_intern texts = {0};
    for (int64_t i = 0; i < data->n; i++) {
        code[i] = -1;
        if (labels[i] && labels[i][0])
            PT_TRY(pt_intern_add(&texts, labels[i], strlen(labels[i]), &code[i], err));
    }
    pt_labels *fresh = NULL;
    cells.texts = &texts.texts;
    PT_TRY(pt_labels_from_cells(&fresh, &cells, data->n, code, err));
    replace_labels(data, fresh);
    return PT_OK;
}

/* Names of classes: texts, each once. */
static pt_status take_classes(pt_intern *names, const char *const *classes, int64_t n_classes,
                              pt_error *err)
{
    for (int64_t r = 0; r < n_classes; r++) {
        int64_t number = -1;
        if (!classes || !classes[r] || !classes[r][0])
            return pt_fail(err, PT_EINVAL, "class %lld (from 0) has no name", (long long)r);
        PT_TRY(pt_intern_add(names, classes[r], strlen(classes[r]), &number, err));
        if (number != r)
            return pt_fail(err, PT_EINVAL, "two classes are called '%.60s'", classes[r]);
    }
    return PT_OK;
}

pt_status pt_dataset_set_label_items(pt_dataset *data, const char *kind, const char *const *classes,
                                     int64_t n_classes, const int64_t *start, const int64_t *items,
                                     const int64_t *ranks, pt_error *err)
{
    pt_label_kind found = PT_LABEL_CLASS;
    PT_TRY(kind_named(kind, &found, err));
    if (!start || start[0] != 0)
        return pt_fail(err, PT_EINVAL, "start is NULL or does not begin with 0");
    for (int64_t i = 0; i < data->n; i++)
        if (start[i + 1] < start[i])
            return pt_fail(err, PT_EINVAL, "start[%lld] is below start[%lld]", (long long)i + 1,
                           (long long)i);
    if (start[data->n] > 0 && !items)
        return pt_fail(err, PT_EINVAL, "the items are NULL");
    PT_FREED_BY(pt_intern_free) pt_intern names = {0};
    pt_labels *fresh = NULL;
    PT_TRY(take_classes(&names, classes, n_classes, err));
    PT_TRY(
        pt_labels_from_items(&fresh, found, data->n, start, items, ranks, &names.texts, NULL, err));
    replace_labels(data, fresh);
    return PT_OK;
}

pt_status pt_dataset_set_weights(pt_dataset *data, const double *weights, pt_error *err)
{
    if (!weights) {
        pt_free(data->weights);
        data->weights = NULL;
        return PT_OK;
    }
    for (int64_t i = 0; i < data->n; i++)
        if (!(weights[i] >= 0) || isinf(weights[i]))
            return pt_fail(err, PT_EINVAL,
                           "the weight of example %lld is %g; weights are finite and not negative",
                           (long long)i + 1, weights[i]);
    double *copy = pt_alloc(data->n, sizeof *copy, "weights", err);
    if (!copy)
        return PT_ENOMEM;
    memcpy(copy, weights, (size_t)data->n * sizeof *copy);
    pt_free(data->weights);
    data->weights = copy;
    return PT_OK;
}
