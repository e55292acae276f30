/* The data set: its owner of memory, its public face. */
#include "data/dataset.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

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
    data->row_stride = d;
    data->column_stride = 1;
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
    pt_warnings_free(&data->warnings);
    pt_texts_free(&data->notes);
    if (!data->value_lent)
        pt_free(data->value);
    if (!data->index_lent) {
        pt_free(data->start);
        pt_free(data->index);
    }
    pt_free(data->row_of);
    pt_free(data->weights);
    pt_free(data->group);
    pt_free(data->fold);
    pt_free(data->time);
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

/* The cells of a dense row, without gaps. */
static void copy_row(char *to, const pt_dataset *data, int64_t i, size_t size)
{
    const char *from = data->value;
    if (data->d == 0)
        return;
    if (data->column_stride == 1) {
        memcpy(to, from + pt_dataset_place(data, i, 0) * (ptrdiff_t)size, (size_t)data->d * size);
        return;
    }
    for (int64_t j = 0; j < data->d; j++)
        memcpy(to + (size_t)j * size, from + pt_dataset_place(data, i, j) * (ptrdiff_t)size, size);
}

static pt_status gather_dense(pt_dataset *subset, const pt_dataset *data, const int64_t *rows,
                              const pt_task *task, pt_error *err)
{
    const size_t size = pt_type_size(data->type);
    size_t row_bytes = 0;
    if (!pt_size_mul((size_t)data->d, size, &row_bytes))
        return pt_fail(err, PT_EINVAL, "a row is too long to be addressed");
    subset->value = pt_alloc(subset->n, row_bytes, "a subset of the examples", err);
    if (!subset->value)
        return PT_ENOMEM;
    for (int64_t i = 0; i < subset->n; i++) {
        PT_TRY(pt_task_check_row(task, i, data->d, err));
        copy_row((char *)subset->value + (size_t)i * row_bytes, data, rows[i], size);
    }
    return PT_OK;
}

static pt_status gather_sparse(pt_dataset *subset, const pt_dataset *data, const int64_t *rows,
                               const pt_task *task, pt_error *err)
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
    int64_t seen = 0;
    for (int64_t i = 0; i < subset->n; i++) {
        const int64_t from = data->start[rows[i]];
        const int64_t to = subset->start[i];
        const size_t cells = (size_t)(subset->start[i + 1] - to);
        PT_TRY(pt_task_check_cells(task, (int64_t)cells, &seen, err));
        memcpy(subset->index + to, data->index + from, cells * sizeof(int64_t));
        memcpy((char *)subset->value + (size_t)to * size,
               (const char *)data->value + (size_t)from * size, cells * size);
    }
    return PT_OK;
}

/* Weights, groups, folds and times. */
static pt_status gather_roles(pt_dataset *subset, const pt_dataset *data, const int64_t *rows,
                              pt_error *err)
{
    const int64_t n = subset->n;
    if (data->weights)
        PT_TRY(PT_NEW(subset->weights, n, "weights", err));
    if (data->group)
        PT_TRY(PT_NEW(subset->group, n, "groups of rows", err));
    if (data->fold) {
        subset->fold = pt_alloc(n, (size_t)data->fold_columns * sizeof *subset->fold, "folds", err);
        PT_TRY(subset->fold ? PT_OK : PT_ENOMEM);
    }
    if (data->time)
        PT_TRY(PT_NEW(subset->time, n, "times of rows", err));
    subset->fold_columns = data->fold_columns;
    for (int64_t i = 0; i < n && data->weights; i++)
        subset->weights[i] = data->weights[rows[i]];
    for (int64_t i = 0; i < n && data->group; i++)
        subset->group[i] = data->group[rows[i]];
    for (int64_t r = 0; data->fold && r < data->fold_columns; r++)
        for (int64_t i = 0; i < n; i++)
            subset->fold[r * n + i] = data->fold[r * data->n + rows[i]];
    for (int64_t i = 0; i < n && data->time; i++)
        subset->time[i] = data->time[rows[i]];
    return PT_OK;
}

pt_status pt_dataset_own(pt_dataset *data, pt_error *err)
{
    if (data->start || !data->value_lent)
        return PT_OK;
    const size_t size = pt_type_size(data->type);
    const size_t row_bytes = (size_t)data->d * size;
    char *own = pt_alloc(data->n, row_bytes, "the cells of a data set", err);
    if (!own)
        return PT_ENOMEM;
    for (int64_t i = 0; i < data->n; i++)
        copy_row(own + (size_t)i * row_bytes, data, i, size);
    pt_free(data->row_of);
    data->row_of = NULL;
    data->value = own;
    data->value_lent = false;
    data->row_stride = data->d;
    data->column_stride = 1;
    return PT_OK;
}

/* Dense rows stay where they are. */
static pt_status view_dense(pt_dataset *view, const pt_dataset *data, const int64_t *rows,
                            pt_error *err)
{
    PT_TRY(PT_NEW(view->row_of, view->n, "a view of the examples", err));
    for (int64_t i = 0; i < view->n; i++)
        view->row_of[i] = data->row_of ? data->row_of[rows[i]] : rows[i];
    view->value = data->value;
    view->value_lent = true;
    view->row_stride = data->row_stride;
    view->column_stride = data->column_stride;
    return PT_OK;
}

static pt_status take_rows(pt_dataset **out, const pt_dataset *data, const int64_t *rows, int64_t n,
                           bool copied, const pt_task *task, pt_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= data->n)
            return pt_fail(err, PT_EINVAL, "row %lld of %lld is asked for (both from 0)",
                           (long long)rows[i], (long long)data->n);
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *subset = NULL;
    PT_TRY(pt_dataset_shell(&subset, n, data->d, data->type, data->source, err));
    PT_TRY(data->start ? gather_sparse(subset, data, rows, task, err)
           : copied    ? gather_dense(subset, data, rows, task, err)
                       : view_dense(subset, data, rows, err));
    PT_TRY(copy_columns(subset, data, err));
    PT_TRY(copy_text(&subset->label_name, data->label_name, err));
    PT_TRY(pt_label_columns_copy(&subset->label_columns, &data->label_columns, err));
    PT_TRY(pt_judged_copy(&subset->judged, &data->judged, err));
    subset->label_column = data->label_column;
    PT_TRY(gather_roles(subset, data, rows, err));
    if (data->labels)
        PT_TRY(pt_labels_subset(&subset->labels, data->labels, rows, n, err));
    *out = pt_keep(&subset);
    return PT_OK;
}

pt_status pt_dataset_subset(pt_dataset **out, const pt_dataset *data, const int64_t *rows,
                            int64_t n, const pt_task *task, pt_error *err)
{
    return take_rows(out, data, rows, n, true, task, err);
}

pt_status pt_dataset_view(pt_dataset **out, const pt_dataset *data, const int64_t *rows, int64_t n,
                          const pt_task *task, pt_error *err)
{
    return take_rows(out, data, rows, n, false, task, err);
}

pt_dataset pt_dataset_range(const pt_dataset *data, int64_t first, int64_t n)
{
    pt_dataset some = *data;
    some.n = n;
    some.rows_before += first;
    if (data->start)
        some.start = data->start + first;
    else if (data->row_of)
        some.row_of = data->row_of + first;
    else if (data->value)
        some.value =
            (char *)data->value + first * data->row_stride * (ptrdiff_t)pt_type_size(data->type);
    return some;
}

/* ---- what is in it --------------------------------------------------------------------------- */

int64_t pt_dataset_stored(const pt_dataset *data)
{
    return data->start ? data->start[data->n] - data->start[0] : data->n * data->d;
}

bool pt_dataset_has_missing(const pt_dataset *data)
{
    for (int64_t i = 0; i < data->n; i++) {
        const int64_t cells = data->start ? data->start[i + 1] - data->start[i] : data->d;
        for (int64_t c = 0; c < cells; c++)
            if (isnan(pt_dataset_cell(data, data->start ? data->start[i] + c
                                                        : pt_dataset_place(data, i, c))))
                return true;
    }
    return false;
}

double pt_dataset_bytes(const pt_dataset *data)
{
    const double cells =
        data->start ? (double)pt_dataset_stored(data) : (double)data->n * (double)data->d;
    double bytes = data->beside;
    if (data->row_of)
        bytes += (double)data->n * sizeof *data->row_of; /* of cells that are counted elsewhere */
    else
        bytes += cells * (double)pt_type_size(data->type);
    if (data->start)
        bytes += ((double)data->n + 1 + cells) * sizeof(int64_t);
    for (int64_t j = 0; data->columns && j < data->d; j++)
        bytes += (double)pt_texts_bytes(&data->columns[j].levels);
    if (data->labels)
        bytes += pt_labels_bytes(data->labels);
    const double of_roles = (data->weights ? 1 : 0) + (data->group ? 1 : 0) + (data->time ? 1 : 0) +
                            (double)data->fold_columns;
    return bytes + of_roles * (double)data->n * sizeof(double);
}

pt_status pt_dataset_fits(const pt_dataset *data, double bytes, const char *what,
                          const pt_task *task, pt_error *err)
{
    const double need = pt_dataset_bytes(data) + bytes;
    const int64_t allowed = pt_task_limited(task) ? pt_task_memory(task) : task ? 0 : data->memory;
    if (allowed == 0 || need <= (double)allowed)
        return PT_OK;
    return pt_fail_at(err, PT_EMEMORY, data->source, 0, 0,
                      "%s need %s, %s may be used; raise `memory` or use fewer rows; online "
                      "learning reads a part at a time",
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
    return pt_warnings_get(&data->warnings, index);
}
