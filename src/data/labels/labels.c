/* Labels: names of classes, sorted and numbered, and the class of each example.
 *
 * The order of class names. A name is an integer if it is an optional sign and digits, of any
 * length. Where every name is one, names are ordered by value; equal values ("1", "+1", "01", or
 * "0", "-0") are different classes all the same, ordered among themselves by bytes. Otherwise all
 * names are ordered by bytes. Both are total orders: two names compare equal only if they are the
 * same text. */
#include "data/labels/labels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/read/intern.h"
#include "data/read/number.h"

const char *pt_label_kind_name(pt_label_kind kind)
{
    switch (kind) {
    case PT_LABEL_CLASS:
        return "class";
    case PT_LABEL_SET:
        return "set";
    case PT_LABEL_RANKING:
        return "ranking";
    case PT_LABEL_PAIRS:
        return "pairs";
    }
    return "unknown";
}

/* ---- the order of names ---------------------------------------------------------------------- */

static bool is_integer(const char *name)
{
    if (*name == '+' || *name == '-')
        name++;
    if (!pt_is_digit(*name))
        return false;
    while (pt_is_digit(*name))
        name++;
    return *name == '\0';
}

/* An integer taken apart: sign -1, 0, 1, and its digits without leading zeros. */
typedef struct integer {
    int sign;
    const char *digits;
    size_t length;
} integer;

static integer integer_of(const char *name)
{
    integer number = {1, name, 0};
    if (*name == '-')
        number.sign = -1;
    if (*name == '-' || *name == '+')
        number.digits++;
    while (*number.digits == '0')
        number.digits++;
    number.length = strlen(number.digits);
    if (number.length == 0)
        number.sign = 0;
    return number;
}

static int compare_values(const char *a, const char *b)
{
    const integer x = integer_of(a);
    const integer y = integer_of(b);
    if (x.sign != y.sign)
        return x.sign < y.sign ? -1 : 1;
    if (x.length != y.length)
        return (x.length < y.length ? -1 : 1) * x.sign;
    const int by_digits = memcmp(x.digits, y.digits, x.length);
    return by_digits == 0 ? 0 : (by_digits < 0 ? -1 : 1) * x.sign;
}

int pt_class_compare(const char *a, const char *b, int all_integers)
{
    if (all_integers) {
        const int by_value = compare_values(a, b);
        if (by_value != 0)
            return by_value;
    }
    return strcmp(a, b);
}

/* ---- sorting and numbering ------------------------------------------------------------------- */

/* Keys are in the order of the names as far as they tell names apart; they spare most comparisons
 * the way to the texts. */
typedef struct named {
    const char *name;
    int64_t code; /* its number before sorting */
    uint64_t key;
} named;

/* The first eight bytes, the first one highest. */
static uint64_t bytes_key(const char *name)
{
    uint64_t key = 0;
    for (int b = 0; b < 8; b++) {
        key = key << 8 | (unsigned char)*name;
        name += *name != '\0';
    }
    return key;
}

/* The value, cut at 10^18 in both directions, from 0. */
static uint64_t integer_key(const char *name)
{
    enum { DIGITS = 18 };
    const int64_t most = 1000000000000000000;
    const integer number = integer_of(name);
    int64_t size = 0;
    if (number.length > DIGITS)
        size = most;
    else
        for (size_t c = 0; c < number.length; c++)
            size = 10 * size + (number.digits[c] - '0');
    return (uint64_t)(most + number.sign * size);
}

static int compare_named(const named *x, const named *y, int all_integers)
{
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return pt_class_compare(x->name, y->name, all_integers);
}

static int compare_integers(const void *a, const void *b)
{
    return compare_named(a, b, 1);
}

static int compare_bytes(const void *a, const void *b)
{
    return compare_named(a, b, 0);
}

pt_status pt_class_names_sort(pt_texts *classes, int64_t *class_of_code, const pt_texts *names,
                              pt_error *err)
{
    const int64_t count = names->count;
    PT_SCRATCH named *sorted = NULL;
    PT_TRY(PT_NEW(sorted, count, "class names", err));
    bool integers = true;
    for (int64_t c = 0; c < count && integers; c++)
        integers = is_integer(names->items[c]);
    for (int64_t c = 0; c < count; c++) {
        const char *name = names->items[c];
        sorted[c] = (named){name, c, integers ? integer_key(name) : bytes_key(name)};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, integers ? compare_integers : compare_bytes);
    for (int64_t c = 0; c < count; c++) {
        if (c == 0 || strcmp(sorted[c - 1].name, sorted[c].name) != 0)
            PT_TRY(pt_texts_add_n(classes, sorted[c].name, strlen(sorted[c].name), err));
        class_of_code[sorted[c].code] = classes->count - 1;
    }
    return PT_OK;
}

pt_labels *pt_labels_new(pt_label_kind kind, int64_t n, pt_error *err)
{
    pt_labels *labels = pt_alloc_zero(1, sizeof *labels, "labels", err);
    if (labels) {
        labels->kind = kind;
        labels->n = n;
    }
    return labels;
}

static pt_status number_examples(pt_labels *labels, const int64_t *code,
                                 const int64_t *class_of_code, int64_t n_codes, pt_error *err)
{
    for (int64_t i = 0; i < labels->n; i++) {
        if (code[i] < -1 || code[i] >= n_codes)
            return pt_fail(err, PT_EINVAL, "example %lld has class %lld of %lld", (long long)i + 1,
                           (long long)code[i], (long long)n_codes);
        labels->class_of[i] = code[i] < 0 ? -1 : class_of_code[code[i]];
    }
    return PT_OK;
}

size_t pt_labels_need(int64_t n, const pt_texts *names)
{
    return ((size_t)n + (size_t)names->count) * sizeof(int64_t) +
           (size_t)names->count * sizeof(named) + pt_texts_bytes(names);
}

pt_status pt_labels_from_codes(pt_labels **out, int64_t n, const int64_t *code,
                               const pt_texts *names, pt_error *err)
{
    PT_FREED_BY(pt_labels_free_at) pt_labels *labels = pt_labels_new(PT_LABEL_CLASS, n, err);
    if (!labels)
        return PT_ENOMEM;
    labels->class_of = pt_alloc(n, sizeof *labels->class_of, "labels", err);
    PT_SCRATCH int64_t *class_of_code =
        pt_alloc(names->count, sizeof *class_of_code, "class names", err);
    if (!labels->class_of || !class_of_code)
        return PT_ENOMEM;
    PT_TRY(pt_class_names_sort(&labels->classes, class_of_code, names, err));
    PT_TRY(number_examples(labels, code, class_of_code, names->count, err));
    *out = pt_keep(&labels);
    return PT_OK;
}

/* code[i] <- the number of text i in the order of first appearance, -1 for none. */
static pt_status intern_texts(pt_intern *names, int64_t *code, int64_t n, const char *const *text,
                              const size_t *length, pt_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        code[i] = -1;
        if (!text[i] || length[i] == 0)
            continue;
        if (memchr(text[i], '\0', length[i]))
            return pt_fail(err, PT_EFORMAT,
                           "the label of example %lld contains a zero byte; labels are texts",
                           (long long)i + 1);
        PT_TRY(pt_intern_add(names, text[i], length[i], &code[i], err));
    }
    return PT_OK;
}

double pt_labels_bytes(const pt_labels *labels)
{
    const double items = labels->start ? (double)labels->start[labels->n] : 0;
    const double of_items = (labels->rank ? 2 : 1) * items;
    return (double)pt_texts_bytes(&labels->classes) +
           ((double)labels->n + of_items) * sizeof(int64_t);
}

pt_status pt_labels_from_texts(pt_labels **out, int64_t n, const char *const *text,
                               const size_t *length, pt_error *err)
{
    PT_SCRATCH int64_t *code = NULL;
    PT_TRY(PT_NEW(code, n, "labels", err));
    PT_FREED_BY(pt_intern_free) pt_intern names = {0};
    PT_TRY(intern_texts(&names, code, n, text, length, err));
    return pt_labels_from_codes(out, n, code, &names.texts, err);
}

/* ---- subsets --------------------------------------------------------------------------------- */

static pt_status subset_classes(pt_labels *subset, const pt_labels *labels, const int64_t *rows,
                                pt_error *err)
{
    PT_TRY(PT_NEW(subset->class_of, subset->n, "labels", err));
    for (int64_t i = 0; i < subset->n; i++)
        subset->class_of[i] = labels->class_of[rows[i]];
    return PT_OK;
}

/* Sets, rankings and pairs: the items of each row, and their ranks where there are any. */
static pt_status subset_items(pt_labels *subset, const pt_labels *labels, const int64_t *rows,
                              pt_error *err)
{
    PT_TRY(PT_NEW(subset->start, subset->n + 1, "labels", err));
    subset->start[0] = 0;
    for (int64_t i = 0; i < subset->n; i++)
        subset->start[i + 1] =
            subset->start[i] + labels->start[rows[i] + 1] - labels->start[rows[i]];

    const int64_t n_items = subset->start[subset->n];
    PT_TRY(PT_NEW(subset->item, n_items, "labels", err));
    if (labels->rank) {
        PT_TRY(PT_NEW(subset->rank, n_items, "labels", err));
    }
    for (int64_t i = 0; i < subset->n; i++) {
        const int64_t from = labels->start[rows[i]];
        const int64_t to = subset->start[i];
        const size_t bytes = (size_t)(subset->start[i + 1] - to) * sizeof(int64_t);
        memcpy(subset->item + to, labels->item + from, bytes);
        if (labels->rank)
            memcpy(subset->rank + to, labels->rank + from, bytes);
    }
    return PT_OK;
}

pt_status pt_labels_subset(pt_labels **out, const pt_labels *labels, const int64_t *rows, int64_t n,
                           pt_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= labels->n)
            return pt_fail(err, PT_EINVAL, "row %lld of %lld is asked for", (long long)rows[i],
                           (long long)labels->n);
    PT_FREED_BY(pt_labels_free_at) pt_labels *subset = pt_labels_new(labels->kind, n, err);
    if (!subset)
        return PT_ENOMEM;
    PT_TRY(pt_texts_copy(&subset->classes, &labels->classes, err));
    PT_TRY(labels->kind == PT_LABEL_CLASS ? subset_classes(subset, labels, rows, err)
                                          : subset_items(subset, labels, rows, err));
    *out = pt_keep(&subset);
    return PT_OK;
}

void pt_labels_free(pt_labels *labels)
{
    if (!labels)
        return;
    pt_texts_free(&labels->classes);
    pt_free(labels->class_of);
    pt_free(labels->start);
    pt_free(labels->item);
    pt_free(labels->rank);
    pt_free(labels);
}
