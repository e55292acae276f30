/* What the fuzz targets of the readers share: read the bytes with options that the input's first
 * bytes choose, and check that whatever is read is a data set. */
#ifndef PT_FUZZ_READER_TARGET_H
#define PT_FUZZ_READER_TARGET_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/task.h"
#include "data/read/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
    if (!truth)
        abort();
}

/* Those of labels.h: items are classes, in order, each once. */
static void walk_labels(const pt_labels *labels, int64_t n)
{
    const int64_t k = pt_labels_n_classes(labels);
    require(labels->n == n);
    for (int64_t i = 0; i < n && labels->kind == PT_LABEL_CLASS; i++)
        require(labels->class_of[i] >= -1 && labels->class_of[i] < k);
    if (labels->kind == PT_LABEL_CLASS)
        return;
    require(labels->start[0] == 0);
    for (int64_t i = 0; i < n; i++) {
        const int64_t begin = labels->start[i];
        const int64_t end = labels->start[i + 1];
        require(begin <= end);
        require(labels->kind != PT_LABEL_PAIRS || (end - begin) % 2 == 0);
        for (int64_t at = begin; at < end; at++) {
            require(labels->item[at] >= 0 && labels->item[at] < k);
            if (at == begin)
                continue;
            if (labels->kind == PT_LABEL_SET)
                require(labels->item[at - 1] < labels->item[at]);
            if (labels->kind == PT_LABEL_RANKING)
                require(labels->rank[at - 1] <= labels->rank[at]);
            if (labels->kind == PT_LABEL_PAIRS && (at - begin) % 2 == 1)
                require(labels->item[at - 1] != labels->item[at]);
        }
    }
}

/* Every promise of dataset.h that the rest of the library relies on. */
static void walk(const pt_dataset *data)
{
    require(data->n > 0 && data->d > 0 && data->value);
    const int64_t cells = data->start ? data->start[data->n] : data->n * data->d;
    if (data->start) {
        require(data->start[0] == 0);
        for (int64_t i = 0; i < data->n; i++) {
            require(data->start[i] <= data->start[i + 1]);
            for (int64_t at = data->start[i]; at < data->start[i + 1]; at++) {
                require(data->index[at] >= 0 && data->index[at] < data->d);
                require(at == data->start[i] || data->index[at - 1] < data->index[at]);
            }
        }
    }
    for (int64_t c = 0; c < cells; c++) {
        const double value = data->type == PT_F32 ? (double)((const float *)data->value)[c]
                                                  : ((const double *)data->value)[c];
        require(!isinf(value));
        if (data->start || !data->columns || !data->columns[c % data->d].nominal || isnan(value))
            continue;
        const int64_t level = (int64_t)value;
        require((double)level == value && level >= 0 &&
                level < data->columns[c % data->d].levels.count);
    }
    for (int64_t i = 0; i < data->n; i++)
        require(!data->weights || (data->weights[i] >= 0 && !isinf(data->weights[i])));
    if (data->labels)
        walk_labels(data->labels, data->n);
}

static pt_status count_bytes(void *context, const char *bytes, size_t size, pt_error *err)
{
    (void)bytes;
    (void)err;
    *(size_t *)context += size;
    return PT_OK;
}

/* What can be read can be written, or is refused with a reason. */
static void write_all(const pt_dataset *data)
{
    for (int i = 0; pt_formats[i]; i++) {
        size_t written = 0;
        pt_error err = {0};
        if (!pt_formats[i]->write || data->d > 1000)
            continue;
        if (pt_format_write(pt_formats[i], data, count_bytes, &written, NULL, &err) != PT_OK)
            require(err.text[0] != '\0');
        else
            require(written > 0);
    }
}

/* Labels as one kind: a cell each, or where `columns` says so in several columns. */
static void read_kind(const char *format, const uint8_t *data, size_t size, const char *kind,
                      bool columns)
{
    if (size < 1)
        return;
    const unsigned choice = data[0];
    data++;
    size--;
    pt_task *task = NULL;
    pt_error err = {0};
    if (pt_task_new(&task, &err) != PT_OK)
        return;
    pt_task_set_threads(task, 1);
    pt_task_set_memory(task, 64 << 20);
    pt_read_options options;
    pt_read_options_init(&options, NULL);
    options.source = "fuzz";
    options.task = task;
    options.header = choice & 1 ? "yes" : choice & 2 ? "no" : "auto";
    options.label = choice & 4 ? "1" : choice & 8 ? "none" : "";
    options.nominal = choice & 16 ? "all" : "";
    options.weight = choice & 32 ? "2" : "";
    options.index_base = choice & 64 ? 0 : 1;
    options.skip_unlabelled = choice & 64;
    options.decimal = choice & 64 && size % 2 ? "comma" : "auto";
    options.comment = choice & 64 && size % 3 == 0 ? "#" : "";
    options.na = choice & 64 && size % 5 == 0 ? "x,-" : "";
    options.types = choice & 64 && size % 7 == 0 ? "1=date,2=boolean" : "";
    options.label_optional = choice & 128;
    options.n_features = choice & 128 ? 3 : -1;
    options.labels = kind;
    if (columns) {
        options.label = strcmp(kind, "set") == 0 ? "l*,2,3" : "";
        options.ranks = strcmp(kind, "set") == 0 ? "" : "l*,2,3";
    }

    char *exact = malloc(size ? size : 1); /* ASan sees a step beyond it */
    if (exact) {
        if (size > 0)
            memcpy(exact, data, size);
        const int64_t live = pt_alloc_live();
        pt_dataset *read = NULL;
        if (pt_read_bytes(&read, exact, size, format, &options, &err) == PT_OK) {
            walk(read);
            write_all(read);
        } else {
            require(err.text[0] != '\0' && err.code != PT_OK);
        }
        pt_dataset_free(read);
        require(pt_alloc_live() == live);
        free(exact);
    }
    pt_task_free(task);
}

/* Class labels, and another kind that the number of bytes chooses. */
static void read_as(const char *format, const uint8_t *data, size_t size)
{
    static const char *const KINDS[] = {"set", "ranking", "pairs"};
    read_kind(format, data, size, "class", false);
    read_kind(format, data, size, KINDS[size % 3], size % 3 != 2 && size / 3 % 2 == 1);
}

#endif
