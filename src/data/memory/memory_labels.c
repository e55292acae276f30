/* Labels that a program gives. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/dataset.h"
#include "data/labels/label_cells.h"
#include "data/read/intern.h"

static void replace_labels(pt_dataset *data, pt_labels *labels)
{
    pt_labels_free(data->labels);
    pt_label_columns_free(&data->label_columns);
    data->labels = labels;
}

/* ---- classes as codes ------------------------------------------------------------------------ */

static int64_t code_at(pt_type type, const void *code, int64_t i)
{
    return type == PT_I64   ? ((const int64_t *)code)[i]
           : type == PT_I32 ? ((const int32_t *)code)[i]
                            : ((const int8_t *)code)[i];
}

/* The numbers themselves are the names. */
static pt_status take_numbers(pt_intern *names, int64_t *number, int64_t n, pt_type type,
                              const void *code, pt_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        char text[24];
        const int length = snprintf(text, sizeof text, "%" PRId64, code_at(type, code, i));
        PT_TRY(pt_intern_add(names, text, (size_t)length, &number[i], err));
    }
    return PT_OK;
}

/* Names of classes: texts, each once. */
static pt_status take_classes(pt_intern *names, const char *const *classes, int64_t n_classes,
                              pt_error *err)
{
    for (int64_t r = 0; r < n_classes; r++) {
        int64_t number = -1;
        if (!classes || !classes[r])
            return pt_fail(err, PT_EINVAL, "the name of class %lld (from 0) is NULL", (long long)r);
        PT_TRY(pt_intern_add(names, classes[r], strlen(classes[r]), &number, err));
        if (number != r)
            return pt_fail(err, PT_EINVAL, "two classes are called '%.60s'", classes[r]);
    }
    return PT_OK;
}

/* Names that some example has. */
static pt_status drop_unused(pt_texts *used, int64_t *number, int64_t n, const pt_texts *names,
                             pt_error *err)
{
    PT_SCRATCH int64_t *place = NULL;
    PT_TRY(PT_NEW_ZERO(place, names->count, "classes", err));
    for (int64_t i = 0; i < n; i++)
        if (number[i] >= 0)
            place[number[i]] = 1;
    for (int64_t r = 0; r < names->count; r++) {
        const bool is_used = place[r] > 0;
        place[r] = used->count;
        if (is_used)
            PT_TRY(pt_texts_add_n(used, names->items[r], strlen(names->items[r]), err));
    }
    for (int64_t i = 0; i < n; i++)
        number[i] = number[i] < 0 ? -1 : place[number[i]];
    return PT_OK;
}

pt_status pt_dataset_set_classes(pt_dataset *data, pt_type type, const void *code,
                                 const char *const *names, int64_t k, pt_error *err)
{
    if (!code) {
        replace_labels(data, NULL);
        return PT_OK;
    }
    if (type != PT_I64 && type != PT_I32 && type != PT_I8)
        return pt_fail(err, PT_EINVAL, "codes of classes are PT_I64, PT_I32 or PT_I8, not type %d",
                       (int)type);
    if (k < 0 || (!names && k > 0))
        return pt_fail(err, PT_EINVAL, "%lld classes without names", (long long)k);
    PT_SCRATCH int64_t *number = NULL;
    PT_TRY(PT_NEW(number, data->n, "labels", err));
    PT_FREED_BY(pt_intern_free) pt_intern all = {0};
    PT_FREED_BY(pt_texts_free) pt_texts used = {0};
    PT_TRY(names ? take_classes(&all, names, k, err)
                 : take_numbers(&all, number, data->n, type, code, err));
    for (int64_t i = 0; i < data->n && names; i++) {
        number[i] = code_at(type, code, i);
        if (number[i] < -1 || number[i] >= k)
            return pt_fail(err, PT_EINVAL,
                           "example %lld: there is no class %lld; there are 0 to %lld, and -1 for "
                           "none (examples count from 1)",
                           (long long)i + 1, (long long)number[i], (long long)k - 1);
    }
    PT_TRY(drop_unused(&used, number, data->n, &all.texts, err));
    pt_labels *fresh = NULL;
    PT_TRY(pt_labels_from_codes(&fresh, data->n, number, &used, err));
    replace_labels(data, fresh);
    return PT_OK;
}

/* ---- labels of every kind -------------------------------------------------------------------- */

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

/* One class or none for each example. */
static pt_status class_items(pt_labels **out, int64_t n, const int64_t *start, const int64_t *items,
                             const pt_texts *names, pt_error *err)
{
    PT_SCRATCH int64_t *code = NULL;
    PT_TRY(PT_NEW(code, n, "labels", err));
    for (int64_t i = 0; i < n; i++) {
        const int64_t count = start[i + 1] - start[i];
        code[i] = count > 0 ? items[start[i]] : -1;
        if (count > 1)
            return pt_fail(err, PT_EFORMAT, "the label of example %lld is %lld classes, not one",
                           (long long)i + 1, (long long)count);
        if (count > 0 && (code[i] < 0 || code[i] >= names->count))
            return pt_fail(err, PT_EINVAL, "the label of example %lld is not made of classes",
                           (long long)i + 1);
    }
    return pt_labels_from_codes(out, n, code, names, err);
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
    if (found == PT_LABEL_CLASS && ranks)
        return pt_fail(err, PT_EINVAL, "labels of kind 'class' have no ranks");
    PT_TRY(found == PT_LABEL_CLASS ? class_items(&fresh, data->n, start, items, &names.texts, err)
                                   : pt_labels_from_items(&fresh, found, data->n, start, items,
                                                          ranks, &names.texts, NULL, err));
    replace_labels(data, fresh);
    return PT_OK;
}
