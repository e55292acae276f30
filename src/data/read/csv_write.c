/* Writing of data sets as CSV or TSV: cells that would read as something else are quoted. Labels
 * that were read from several columns go into several columns, all others into one cell. Weights,
 * groups, folds and times are columns behind the features. */
#include "data/read/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/labels/label_cells.h"
#include "data/read/number.h"
#include "data/read/roles.h"
#include "data/read/write.h"
#include "data/ties.h"

static bool needs_quotes(const char *text, size_t length, char separator)
{
    if (length == 0 || text[0] == ' ' || text[length - 1] == ' ' || text[0] == '\t' ||
        text[length - 1] == '\t')
        return true;
    for (size_t i = 0; i < length; i++)
        if (text[i] == separator || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
            return true;
    return false;
}

pt_status pt_csv_put(pt_writer *writer, const char *text, char separator, pt_error *err)
{
    const size_t length = strlen(text);
    if (!needs_quotes(text, length, separator))
        return pt_writer_put(writer, text, length, err);
    PT_TRY(pt_writer_put(writer, "\"", 1, err));
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            PT_TRY(pt_writer_put(writer, "\"", 1, err));
        PT_TRY(pt_writer_put(writer, text + i, 1, err));
    }
    return pt_writer_put(writer, "\"", 1, err);
}

typedef struct csv_out {
    const pt_dataset *data;
    pt_writer *writer;
    char separator;
    bool label_columns;    /* the labels go into several columns */
    pt_label_buffer label; /* the label of a row */
} csv_out;

/* Whether names of columns can be a header: numbers would be taken for data. */
static bool has_label_columns(const pt_dataset *data)
{
    double value = 0;
    const pt_texts *names = &data->label_columns.names;
    for (int64_t c = 0; c < names->count; c++)
        if (pt_number_parse(names->items[c], strlen(names->items[c]), &value) != PT_NUMBER_NONE)
            return false;
    return data->labels && data->label_columns.count > 0;
}

/* The first text that a reader would take for a missing cell, or -1. */
static int64_t find_missing(const pt_texts *texts, bool labels)
{
    for (int64_t r = 0; r < texts->count; r++) {
        const pt_csv_cell cell = {.text = texts->items[r], .length = strlen(texts->items[r])};
        if (pt_csv_is_missing(&cell, labels ? PT_LABEL_MISSING : ""))
            return r;
    }
    return -1;
}

/* Levels and classes that a reader would take for missing cells cannot be written. */
static pt_status check_levels(const pt_dataset *data, pt_error *err)
{
    if (data->labels)
        PT_TRY(has_label_columns(data) ? PT_OK : pt_label_text_check(data->labels, ';', err));
    const int64_t unlabelled = data->labels ? find_missing(&data->labels->classes, true) : -1;
    if (unlabelled >= 0)
        return pt_fail(err, PT_EFORMAT,
                       "class '%.40s' would be read as a missing label; rename it before writing "
                       "CSV",
                       data->labels->classes.items[unlabelled]);
    for (int64_t j = 0; data->columns && j < data->d; j++) {
        const pt_texts *levels = &data->columns[j].levels;
        const int64_t r = find_missing(levels, false);
        if (r >= 0)
            return pt_fail(err, PT_EFORMAT,
                           "level '%.40s' of column %lld would be read as a missing cell; "
                           "rename it before writing CSV",
                           levels->items[r], (long long)j + 1);
    }
    if (data->start && data->d > PT_CSV_COLUMNS)
        return pt_fail(err, PT_ELIMIT,
                       "sparse data with %lld columns are too wide for CSV; write libsvm",
                       (long long)data->d);
    return PT_OK;
}

/* A name for the label that no feature has. */
static const char *label_title(const pt_dataset *data)
{
    static const char *const NAMES[] = {"class", "label", "target", "y"};
    if (data->label_name)
        return data->label_name;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        bool taken = false;
        for (int64_t j = 0; data->columns && j < data->d; j++)
            taken =
                taken || (data->columns[j].name && pt_same_name(data->columns[j].name, NAMES[i]));
        if (!taken)
            return NAMES[i];
    }
    return "polytomy_label";
}

static pt_status put_separator(csv_out *out, pt_error *err)
{
    return pt_writer_put(out->writer, &out->separator, 1, err);
}

static pt_status put_word(csv_out *out, const char *word, pt_error *err)
{
    PT_TRY(put_separator(out, err));
    return pt_writer_put(out->writer, word, strlen(word), err);
}

static pt_status put_integer(csv_out *out, int64_t value, pt_error *err)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return put_word(out, text, err);
}

/* "group", "fold" or "fold 1", "fold 2", ..., "time", where the rows have them. */
static pt_status write_tie_names(csv_out *out, pt_error *err)
{
    const pt_dataset *data = out->data;
    if (data->group)
        PT_TRY(put_word(out, "group", err));
    for (int64_t r = 0; r < data->fold_columns; r++) {
        char name[40];
        snprintf(name, sizeof name, data->fold_columns > 1 ? "fold %lld" : "fold",
                 (long long)r + 1);
        PT_TRY(put_word(out, name, err));
    }
    return data->time ? put_word(out, "time", err) : PT_OK;
}

static pt_status write_ties(csv_out *out, int64_t i, pt_error *err)
{
    const pt_dataset *data = out->data;
    if (data->group)
        PT_TRY(put_integer(out, data->group[i], err));
    for (int64_t r = 0; r < data->fold_columns; r++)
        PT_TRY(put_integer(out, data->fold[r * data->n + i], err));
    if (!data->time)
        return PT_OK;
    PT_TRY(put_separator(out, err));
    return pt_writer_number(out->writer, data->time[i], err);
}

static pt_status write_names(csv_out *out, pt_error *err)
{
    const pt_dataset *data = out->data;
    for (int64_t j = 0; j < data->d; j++) {
        char number[24];
        snprintf(number, sizeof number, "x%lld", (long long)j + 1);
        const char *name = data->columns ? data->columns[j].name : NULL;
        if (j > 0)
            PT_TRY(put_separator(out, err));
        PT_TRY(pt_csv_put(out->writer, name ? name : number, out->separator, err));
    }
    if (data->weights) {
        PT_TRY(put_separator(out, err));
        PT_TRY(pt_writer_put(out->writer, "weight", 6, err));
    }
    PT_TRY(write_tie_names(out, err));
    const int64_t n_labels = out->label_columns ? data->label_columns.count : data->labels != NULL;
    for (int64_t c = 0; c < n_labels; c++) {
        PT_TRY(put_separator(out, err));
        PT_TRY(
            pt_csv_put(out->writer,
                       out->label_columns ? data->label_columns.names.items[c] : label_title(data),
                       out->separator, err));
    }
    return pt_writer_put(out->writer, "\n", 1, err);
}

/* 0 or 1, or the rank of a class; nothing where it is not ranked. */
static pt_status write_mark(csv_out *out, int64_t i, const char *name, pt_error *err)
{
    const pt_labels *labels = out->data->labels;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++)
        if (strcmp(labels->classes.items[labels->item[at]], name) == 0)
            return pt_writer_number(out->writer, labels->rank ? (double)labels->rank[at] : 1, err);
    return labels->kind == PT_LABEL_SET ? pt_writer_put(out->writer, "0", 1, err) : PT_OK;
}

static pt_status write_label(csv_out *out, int64_t i, pt_error *err)
{
    const pt_dataset *data = out->data;
    for (int64_t c = 0; out->label_columns && c < data->label_columns.count; c++) {
        PT_TRY(put_separator(out, err));
        PT_TRY(write_mark(out, i, data->label_columns.names.items[c], err));
    }
    if (out->label_columns)
        return PT_OK;
    PT_TRY(put_separator(out, err));
    PT_TRY(pt_label_text(data->labels, i, ';', &out->label, err));
    return out->label.used > 0 ? pt_csv_put(out->writer, out->label.text, out->separator, err)
                               : PT_OK;
}

static pt_status write_row(csv_out *out, int64_t i, pt_error *err)
{
    const pt_dataset *data = out->data;
    pt_writer *writer = out->writer;
    const pt_ties ties = pt_ties_of(data);
    const bool alone = data->d == 1 && !data->labels && !data->weights && !pt_ties_any(&ties);
    int64_t at = data->start ? data->start[i] : 0;
    for (int64_t j = 0; j < data->d; j++) {
        double value = 0;
        if (!data->start)
            value = pt_dataset_dense_cell(data, i, j);
        else if (at < data->start[i + 1] && data->index[at] == j)
            value = pt_dataset_cell(data, at++);
        if (j > 0)
            PT_TRY(put_separator(out, err));
        if (isnan(value)) {
            if (alone)
                PT_TRY(pt_writer_put(writer, "NA", 2, err));
        } else if (data->columns && data->columns[j].nominal)
            PT_TRY(pt_csv_put(writer, data->columns[j].levels.items[(int64_t)value], out->separator,
                              err));
        else
            PT_TRY(pt_writer_number(writer, value, err));
    }
    if (data->weights) {
        PT_TRY(put_separator(out, err));
        PT_TRY(pt_writer_number(writer, data->weights[i], err));
    }
    PT_TRY(write_ties(out, i, err));
    if (data->labels)
        PT_TRY(write_label(out, i, err));
    return pt_writer_put(writer, "\n", 1, err);
}

pt_status pt_csv_write(const pt_dataset *data, char separator, bool continues, pt_writer *writer,
                       pt_error *err)
{
    csv_out out = {.data = data,
                   .writer = writer,
                   .separator = separator,
                   .label_columns = has_label_columns(data)};
    pt_status status = check_levels(data, err);
    if (status == PT_OK && !continues)
        status = write_names(&out, err);
    for (int64_t i = 0; i < data->n && status == PT_OK; i++)
        status = write_row(&out, i, err);
    pt_free(out.label.text);
    return status;
}
