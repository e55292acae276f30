/* Labels renumbered by the names of classes. */
#include "data/labels/labels.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "data/read/intern.h"

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

/* ---- the same number in other digits --------------------------------------------------------- */

typedef struct number_class {
    double value;
    int64_t number; /* of the class */
} number_class;

static int compare_values(const void *a, const void *b)
{
    const double x = ((const number_class *)a)->value;
    const double y = ((const number_class *)b)->value;
    return (x > y) - (x < y);
}

/* The classes sorted by value; false where some is no number, or two are the same. */
static bool all_numbers(number_class *sorted, const pt_texts *classes)
{
    for (int64_t r = 0; r < classes->count; r++) {
        sorted[r].number = r;
        if (!pt_text_to_real(classes->items[r], &sorted[r].value) || !isfinite(sorted[r].value))
            return false;
    }
    qsort(sorted, (size_t)classes->count, sizeof *sorted, compare_values);
    for (int64_t r = 1; r < classes->count; r++)
        if (sorted[r].value == sorted[r - 1].value)
            return false;
    return true;
}

/* Each name by itself, so that a class means the same in every part of a file. */
static pt_status match_numbers(int64_t *number, const pt_labels *labels, const pt_texts *known,
                               const bool *named, pt_warnings *remarks, pt_error *err)
{
    PT_SCRATCH number_class *sorted = pt_alloc(known->count, sizeof *sorted, "classes", err);
    if (!sorted)
        return PT_ENOMEM;
    int64_t first = -1; /* of those that were matched */
    int64_t matched = 0;
    const bool numbers = all_numbers(sorted, known);
    for (int64_t c = 0; c < pt_labels_n_classes(labels) && numbers; c++) {
        number_class key = {0, 0};
        if (number[c] >= 0 || !named[c] || !pt_text_to_real(labels->classes.items[c], &key.value))
            continue;
        const number_class *found =
            bsearch(&key, sorted, (size_t)known->count, sizeof *sorted, compare_values);
        if (!found)
            continue;
        number[c] = found->number;
        first = first < 0 || found->number < number[first] ? c : first;
        matched++;
    }
    if (matched > 0 && remarks)
        PT_TRY(pt_warn(remarks, err, PT_KIND_DATA,
                       "class '%s' is taken for '%s'%s: the same number%s in other digits",
                       labels->classes.items[first], known->items[number[first]],
                       matched > 1 ? ", and others likewise" : "", matched > 1 ? "s" : ""));
    return PT_OK;
}

/* ---- unknown classes that look like known ones ----------------------------------------------- */

/* Blanks around the texts and capitals do not count, nor the digits of the same number. */
static bool look_alike(const char *a, const char *b)
{
    double x = 0;
    double y = 0;
    return pt_text_alike(a, b) || (pt_text_to_real(a, &x) && pt_text_to_real(b, &y) && x == y);
}

enum { MOST_COMPARED = 100 }; /* unknown classes that are compared with all known ones */

static pt_status remark_alike(pt_warnings *remarks, const pt_texts *classes, const pt_texts *known,
                              pt_error *err)
{
    for (int64_t c = known->count; c < classes->count && c < known->count + MOST_COMPARED; c++)
        for (int64_t r = 0; r < known->count; r++)
            if (look_alike(classes->items[c], known->items[r]))
                return pt_warn(remarks, err, PT_KIND_DATA,
                               "class '%s' is not known, but '%s' is: names of classes "
                               "differ if one letter does",
                               classes->items[c], known->items[r]);
    return PT_OK;
}

/* number[c] <- the new number of class c, -1 where nobody needs one; classes <- their names. */
static pt_status number_classes(pt_texts *classes, int64_t *number, const pt_labels *labels,
                                const pt_texts *known, pt_warnings *remarks, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(labels);
    bool unknown = false;
    PT_FREED_BY(pt_intern_free) pt_intern table = {0};
    PT_SCRATCH bool *named = NULL;
    PT_TRY(PT_NEW_ZERO(named, k, "classes", err));
    PT_TRY(pt_intern_fill(&table, known, err));
    find_named(labels, named);
    PT_TRY(pt_texts_copy(classes, known, err));
    for (int64_t c = 0; c < k; c++) {
        const char *name = labels->classes.items[c];
        number[c] = pt_intern_find(&table, name, strlen(name));
        unknown = unknown || (number[c] < 0 && named[c]);
    }
    if (unknown)
        PT_TRY(match_numbers(number, labels, known, named, remarks, err));
    for (int64_t c = 0; c < k; c++) {
        const char *name = labels->classes.items[c];
        if (number[c] < 0 && named[c]) {
            number[c] = classes->count;
            PT_TRY(pt_texts_add_n(classes, name, strlen(name), err));
        }
    }
    if (remarks)
        PT_TRY(remark_alike(remarks, classes, known, err));
    return PT_OK;
}

/* Items ascend in a set and among equal ranks; the order of pairs says nothing. */
static void order_items(pt_labels *labels, int64_t i)
{
    const int64_t end = labels->start[i + 1];
    for (int64_t at = labels->start[i]; at < end && labels->kind != PT_LABEL_PAIRS;) {
        int64_t next = labels->kind == PT_LABEL_SET ? end : at + 1;
        while (next < end && labels->rank[next] == labels->rank[at])
            next++;
        qsort(labels->item + at, (size_t)(next - at), sizeof(int64_t), pt_ascending_integers);
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
                          pt_warnings *remarks, pt_error *err)
{
    PT_FREED_BY(pt_labels_free_at) pt_labels *matched = NULL;
    PT_FREED_BY(pt_texts_free) pt_texts classes = {0};
    PT_SCRATCH int64_t *number =
        pt_alloc(pt_labels_n_classes(labels), sizeof(int64_t), "classes", err);
    PT_SCRATCH int64_t *rows = pt_alloc(labels->n, sizeof(int64_t), "labels", err);
    if (!number || !rows)
        return PT_ENOMEM;
    for (int64_t i = 0; i < labels->n; i++)
        rows[i] = i;
    PT_TRY(pt_labels_subset(&matched, labels, rows, labels->n, err)); /* a copy */
    PT_TRY(number_classes(&classes, number, labels, known, remarks, err));
    renumber(matched, number);
    pt_texts_free(&matched->classes);
    matched->classes = classes;
    classes = (pt_texts){0};
    *out = pt_keep(&matched);
    return PT_OK;
}
