/* Writing of data sets as CSV or TSV: cells that would read as something else are quoted. */
#include "data/csv_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/csv_cell.h"
#include "data/csv_head.h"
#include "data/roles.h"
#include "data/write.h"

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

static pt_status put_text(pt_writer *writer, const char *text, char separator, pt_error *err)
{
    const size_t length = strlen(text);
    if (!needs_quotes(text, length, separator))
        return pt_writer_put(writer, text, length, err);
    pt_status status = pt_writer_put(writer, "\"", 1, err);
    for (size_t i = 0; i < length && status == PT_OK; i++) {
        if (text[i] == '"')
            status = pt_writer_put(writer, "\"", 1, err);
        if (status == PT_OK)
            status = pt_writer_put(writer, text + i, 1, err);
    }
    return status == PT_OK ? pt_writer_put(writer, "\"", 1, err) : status;
}

/* The first text that a reader would take for a missing cell, or -1. */
static int64_t find_missing(const pt_texts *texts)
{
    for (int64_t r = 0; r < texts->count; r++) {
        const pt_csv_cell cell = {.text = texts->items[r], .length = strlen(texts->items[r])};
        if (pt_csv_is_missing(&cell))
            return r;
    }
    return -1;
}

/* Levels and classes that a reader would take for missing cells cannot be written. */
static pt_status check_levels(const pt_dataset *data, pt_error *err)
{
    const int64_t unlabelled = data->labels ? find_missing(&data->labels->classes) : -1;
    if (unlabelled >= 0)
        return pt_fail(err, PT_EFORMAT,
                       "class '%.40s' would be read as a missing label; rename it before writing "
                       "CSV",
                       data->labels->classes.items[unlabelled]);
    for (int64_t j = 0; data->columns && j < data->d; j++) {
        const pt_texts *levels = &data->columns[j].levels;
        const int64_t r = find_missing(levels);
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

static pt_status write_names(const pt_dataset *data, pt_writer *writer, char separator,
                             pt_error *err)
{
    pt_status status = PT_OK;
    for (int64_t j = 0; j < data->d && status == PT_OK; j++) {
        char number[24];
        snprintf(number, sizeof number, "x%lld", (long long)j + 1);
        const char *name = data->columns ? data->columns[j].name : NULL;
        status = put_text(writer, name ? name : number, separator, err);
        if (status == PT_OK && (j + 1 < data->d || data->labels || data->weights))
            status = pt_writer_put(writer, &separator, 1, err);
    }
    if (status == PT_OK && data->weights) {
        status = pt_writer_put(writer, "weight", 6, err);
        if (status == PT_OK && data->labels)
            status = pt_writer_put(writer, &separator, 1, err);
    }
    if (status == PT_OK && data->labels)
        status = put_text(writer, label_title(data), separator, err);
    return status == PT_OK ? pt_writer_put(writer, "\n", 1, err) : status;
}

static pt_status write_row(const pt_dataset *data, int64_t i, pt_writer *writer, char separator,
                           pt_error *err)
{
    pt_status status = PT_OK;
    const bool alone = data->d == 1 && !data->labels && !data->weights;
    int64_t at = data->start ? data->start[i] : i * data->d;
    for (int64_t j = 0; j < data->d && status == PT_OK; j++) {
        double value = 0;
        if (!data->start)
            value = pt_dataset_value(data, at++);
        else if (at < data->start[i + 1] && data->index[at] == j)
            value = pt_dataset_value(data, at++);
        if (isnan(value))
            status = alone ? pt_writer_put(writer, "NA", 2, err) : PT_OK;
        else if (data->columns && data->columns[j].nominal)
            status =
                put_text(writer, data->columns[j].levels.items[(int64_t)value], separator, err);
        else
            status = pt_writer_number(writer, value, err);
        if (status == PT_OK && (j + 1 < data->d || data->labels || data->weights))
            status = pt_writer_put(writer, &separator, 1, err);
    }
    if (status == PT_OK && data->weights) {
        status = pt_writer_number(writer, data->weights[i], err);
        if (status == PT_OK && data->labels)
            status = pt_writer_put(writer, &separator, 1, err);
    }
    if (status == PT_OK && data->labels && data->labels->class_of[i] >= 0)
        status = put_text(writer, data->labels->classes.items[data->labels->class_of[i]], separator,
                          err);
    return status == PT_OK ? pt_writer_put(writer, "\n", 1, err) : status;
}

pt_status pt_csv_write(const pt_dataset *data, char separator, pt_sink_fn sink, void *context,
                       pt_error *err)
{
    pt_writer writer;
    pt_status status = check_levels(data, err);
    if (status == PT_OK)
        status = pt_writer_init(&writer, sink, context, err);
    if (status != PT_OK)
        return status;
    status = write_names(data, &writer, separator, err);
    for (int64_t i = 0; i < data->n && status == PT_OK; i++)
        status = write_row(data, i, &writer, separator, err);
    if (status == PT_OK)
        status = pt_writer_flush(&writer, err);
    pt_writer_free(&writer);
    return status;
}
