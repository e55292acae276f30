/* Labels renumbered by the names of classes. */
#include "data/label_match.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/intern.h"

/* named[c] <- whether some example names class c. */
static void find_named(const pt_labels *labels, bool *named)
{
    if (labels->kind == PT_LABEL_CLASS) {
        for (int64_t i = 0; i < labels->n; i++)
            if (labels->class_of[i] >= 0)
                named[labels->class_of[i]] = true;
    } else {
        for (int64_t at = labels->start[0]; at < labels->start[labels->n]; at++)
            named[labels->item[at]] = true;
    }
}

/* number[c] <- the new number of class c, -1 where nobody needs one; classes <- their names. */
static pt_status number_classes(pt_texts *classes, int64_t *number, const pt_labels *labels,
                                const pt_texts *known, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(labels);
    pt_intern table = {0};
    bool *named = pt_alloc_zero(k, sizeof *named, "classes", err);
    pt_status status = named ? pt_intern_fill(&table, known, err) : PT_ENOMEM;
    if (status == PT_OK) {
        find_named(labels, named);
        status = pt_texts_copy(classes, known, err);
    }
    for (int64_t c = 0; c < k && status == PT_OK; c++) {
        const char *name = labels->classes.items[c];
        number[c] = pt_intern_find(&table, name, strlen(name));
        if (number[c] < 0 && named[c]) {
            number[c] = classes->count;
            status = pt_texts_add_n(classes, name, strlen(name), err);
        }
    }
    pt_intern_free(&table);
    pt_free(named);
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Items ascend in a set and among equal ranks; the order of pairs says nothing. */
static void order_items(pt_labels *labels, int64_t i)
{
    const int64_t end = labels->start[i + 1];
    for (int64_t at = labels->start[i]; at < end && labels->kind != PT_LABEL_PAIRS;) {
        int64_t next = labels->kind == PT_LABEL_SET ? end : at + 1;
        while (next < end && labels->rank[next] == labels->rank[at])
            next++;
        qsort(labels->item + at, (size_t)(next - at), sizeof(int64_t), compare_numbers);
        at = next;
    }
}

static void renumber(pt_labels *labels, const int64_t *number)
{
    if (labels->kind == PT_LABEL_CLASS) {
        for (int64_t i = 0; i < labels->n; i++)
            labels->class_of[i] = labels->class_of[i] < 0 ? -1 : number[labels->class_of[i]];
        return;
    }
    for (int64_t at = labels->start[0]; at < labels->start[labels->n]; at++)
        labels->item[at] = number[labels->item[at]];
    for (int64_t i = 0; i < labels->n; i++)
        order_items(labels, i);
}

pt_status pt_labels_match(pt_labels **out, const pt_labels *labels, const pt_texts *known,
                          pt_error *err)
{
    pt_labels *matched = NULL;
    pt_texts classes = {NULL, 0, 0};
    int64_t *number = pt_alloc(pt_labels_n_classes(labels), sizeof(int64_t), "classes", err);
    int64_t *rows = pt_alloc(labels->n, sizeof(int64_t), "labels", err);
    pt_status status = number && rows ? PT_OK : PT_ENOMEM;
    for (int64_t i = 0; i < labels->n && status == PT_OK; i++)
        rows[i] = i;
    if (status == PT_OK)
        status = pt_labels_subset(&matched, labels, rows, labels->n, err); /* a copy */
    if (status == PT_OK)
        status = number_classes(&classes, number, labels, known, err);
    pt_free(rows);
    if (status == PT_OK) {
        renumber(matched, number);
        pt_texts_free(&matched->classes);
        matched->classes = classes;
        *out = matched;
    } else {
        pt_texts_free(&classes);
        pt_labels_free(matched);
    }
    pt_free(number);
    return status;
}
