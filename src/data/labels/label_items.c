/* Sets, rankings and pairs from items: every example is put in order and checked.
 *
 * Pairs of an example are checked for circles by taking away, again and again, a class that nothing
 * left comes before (Kahn 1962); what cannot be taken away goes in a circle. An example has few
 * pairs as a rule, and they lie sorted by their first class, so that those of a class are found by
 * bisection.
 *
 *   sorted    the items of an example with what they are ordered by
 *   seen      k   the last example, from 1, that has the class: nothing is cleared between examples
 *   waiting   k   of pairs: how many come before the class and are not taken away yet
 *   ready     k   of pairs: classes that can be taken away
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/labels/labels.h"
#include "params/params_table.h"

/* A class of a set; the rank and the class of a ranking; a pair. */
typedef struct ordered {
    int64_t first;
    int64_t second;
} ordered;

typedef struct item_order {
    pt_labels *labels;
    const int64_t *class_of_code;
    bool placed; /* who asks knows the place of an example, so errors do not number it */
    ordered *sorted;
    int64_t *seen;
    int64_t *waiting;
    int64_t *ready;
} item_order;

static int compare_ordered(const void *a, const void *b)
{
    const ordered *x = a;
    const ordered *y = b;
    const int by_first = (x->first > y->first) - (x->first < y->first);
    return by_first ? by_first : (x->second > y->second) - (x->second < y->second);
}

static void sort_ordered(ordered *sorted, int64_t count)
{
    if (count > 1)
        qsort(sorted, (size_t)count, sizeof *sorted, compare_ordered);
}

static pt_status fail_class(const item_order *o, int64_t i, int64_t r, const char *problem,
                            pt_error *err)
{
    const char *name = o->labels->classes.items[r];
    if (o->placed)
        return pt_fail(err, PT_EFORMAT, "it %s: '" PT_SHOWN "'", problem, name);
    return pt_fail(err, PT_EFORMAT, "the label of example %lld %s: '" PT_SHOWN "'",
                   (long long)i + 1, problem, name);
}

/* ---- sets and rankings ----------------------------------------------------------------------- */

static pt_status take_set(item_order *o, int64_t i, const int64_t *item, int64_t count,
                          pt_error *err)
{
    for (int64_t c = 0; c < count; c++)
        o->sorted[c] = (ordered){o->class_of_code[item[c]], 0};
    sort_ordered(o->sorted, count);
    int64_t *to = o->labels->item + o->labels->start[i];
    for (int64_t c = 0; c < count; c++) {
        to[c] = o->sorted[c].first;
        if (c > 0 && to[c] == to[c - 1])
            return fail_class(o, i, to[c], "names a class twice", err);
    }
    o->labels->start[i + 1] = o->labels->start[i] + count;
    return PT_OK;
}

static pt_status take_ranking(item_order *o, int64_t i, const int64_t *item, const int64_t *rank,
                              int64_t count, pt_error *err)
{
    const int64_t begin = o->labels->start[i];
    for (int64_t c = 0; c < count; c++)
        o->sorted[c] = (ordered){rank[c], o->class_of_code[item[c]]};
    sort_ordered(o->sorted, count);
    for (int64_t c = 0; c < count; c++) {
        const int64_t r = o->sorted[c].second;
        if (o->seen[r] == i + 1)
            return fail_class(o, i, r, "ranks a class twice", err);
        o->seen[r] = i + 1;
        o->labels->rank[begin + c] = o->sorted[c].first;
        o->labels->item[begin + c] = r;
    }
    o->labels->start[i + 1] = begin + count;
    return PT_OK;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* The first of the sorted pairs that begins with class r or a later one. */
static int64_t first_of(const ordered *sorted, int64_t count, int64_t r)
{
    int64_t low = 0;
    int64_t high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sorted[middle].first < r)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Counts what each class waits for, and how many classes there are. */
static int64_t count_waiting(item_order *o, int64_t i, int64_t count)
{
    int64_t n_classes = 0;
    for (int64_t c = 0; c < count; c++) {
        const int64_t pair[2] = {o->sorted[c].first, o->sorted[c].second};
        for (int side = 0; side < 2; side++) {
            if (o->seen[pair[side]] != i + 1) {
                o->seen[pair[side]] = i + 1;
                o->waiting[pair[side]] = 0;
                n_classes++;
            }
        }
        o->waiting[pair[1]]++;
    }
    return n_classes;
}

/* Whether the sorted pairs go in a circle; *r is then a class of one, or behind one. */
static bool has_circle(item_order *o, int64_t i, int64_t count, int64_t *r)
{
    const int64_t n_classes = count_waiting(o, i, count);
    int64_t n_ready = 0;
    int64_t taken = 0;
    for (int64_t c = 0; c < count; c++) /* a class that begins pairs, at its first */
        if (o->waiting[o->sorted[c].first] == 0 &&
            (c == 0 || o->sorted[c - 1].first != o->sorted[c].first))
            o->ready[n_ready++] = o->sorted[c].first;
    while (n_ready > 0) {
        const int64_t gone = o->ready[--n_ready];
        taken++;
        for (int64_t c = first_of(o->sorted, count, gone); c < count && o->sorted[c].first == gone;
             c++)
            if (--o->waiting[o->sorted[c].second] == 0)
                o->ready[n_ready++] = o->sorted[c].second;
    }
    for (int64_t c = 0; c < count && taken < n_classes; c++)
        if (o->waiting[o->sorted[c].second] > 0 && o->waiting[o->sorted[c].first] > 0)
            *r = o->sorted[c].first;
    return taken < n_classes;
}

static pt_status take_pairs(item_order *o, int64_t i, const int64_t *item, int64_t count,
                            pt_error *err)
{
    int64_t kept = 0;
    for (int64_t c = 0; c + 1 < count; c += 2)
        o->sorted[c / 2] = (ordered){o->class_of_code[item[c]], o->class_of_code[item[c + 1]]};
    sort_ordered(o->sorted, count / 2);
    for (int64_t c = 0; c < count / 2; c++) {
        if (o->sorted[c].first == o->sorted[c].second)
            return fail_class(o, i, o->sorted[c].first, "puts a class before itself", err);
        if (kept == 0 || compare_ordered(&o->sorted[kept - 1], &o->sorted[c]) != 0)
            o->sorted[kept++] = o->sorted[c];
    }
    int64_t r = 0;
    if (has_circle(o, i, kept, &r))
        return fail_class(o, i, r, "goes in a circle, through or to class", err);
    int64_t *to = o->labels->item + o->labels->start[i];
    for (int64_t c = 0; c < kept; c++) {
        to[2 * c] = o->sorted[c].first;
        to[2 * c + 1] = o->sorted[c].second;
    }
    o->labels->start[i + 1] = o->labels->start[i] + 2 * kept;
    return PT_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static pt_status check_items(pt_label_kind kind, int64_t n, const int64_t *start,
                             const int64_t *item, int64_t n_names, int64_t *bad, pt_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        bool fits = start[i + 1] >= start[i] &&
                    (kind != PT_LABEL_PAIRS || (start[i + 1] - start[i]) % 2 == 0);
        for (int64_t at = start[i]; fits && at < start[i + 1]; at++)
            fits = item[at] >= 0 && item[at] < n_names;
        if (!fits) {
            *bad = i;
            return pt_fail(err, PT_EINVAL, "the label of example %lld is not made of classes",
                           (long long)i + 1);
        }
    }
    return PT_OK;
}

static pt_status item_order_room(item_order *o, int64_t n, const int64_t *start, int64_t k,
                                 pt_error *err)
{
    int64_t most = 0;
    for (int64_t i = 0; i < n; i++)
        most = start[i + 1] - start[i] > most ? start[i + 1] - start[i] : most;
    o->sorted = pt_alloc(most, sizeof *o->sorted, "labels", err);
    o->seen = pt_alloc_zero(k, sizeof(int64_t), "labels", err);
    o->waiting = pt_alloc_zero(k, sizeof(int64_t), "labels", err);
    o->ready = pt_alloc(k, sizeof(int64_t), "labels", err);
    pt_labels *labels = o->labels;
    labels->start = pt_alloc(n + 1, sizeof(int64_t), "labels", err);
    labels->item = pt_alloc(start[n] - start[0], sizeof(int64_t), "labels", err);
    if (labels->kind == PT_LABEL_RANKING)
        labels->rank = pt_alloc(start[n] - start[0], sizeof(int64_t), "labels", err);
    return o->sorted && o->seen && o->waiting && o->ready && labels->start && labels->item &&
                   (labels->kind != PT_LABEL_RANKING || labels->rank)
               ? PT_OK
               : PT_ENOMEM;
}

static void item_order_free(item_order *o)
{
    pt_free(o->sorted);
    pt_free(o->seen);
    pt_free(o->waiting);
    pt_free(o->ready);
    pt_labels_free(o->labels);
}

pt_status pt_labels_from_items(pt_labels **out, pt_label_kind kind, int64_t n, const int64_t *start,
                               const int64_t *item, const int64_t *rank, const pt_texts *names,
                               int64_t *bad, pt_error *err)
{
    int64_t nobody_asks = 0;
    const bool placed = bad != NULL;
    bad = bad ? bad : &nobody_asks;
    if (kind == PT_LABEL_CLASS || (kind == PT_LABEL_RANKING) != (rank != NULL))
        return pt_fail(err, PT_EINVAL, "labels of kind '%s' do not come from these items",
                       pt_label_kind_name(kind));
    PT_TRY(check_items(kind, n, start, item, names->count, bad, err));
    PT_FREED_BY(item_order_free)
    item_order o = {.labels = pt_labels_new(kind, n, err), .placed = placed};
    PT_SCRATCH int64_t *class_of_code = pt_alloc(names->count, sizeof(int64_t), "class names", err);
    o.class_of_code = class_of_code;
    if (!o.labels || !class_of_code)
        return PT_ENOMEM;
    PT_TRY(item_order_room(&o, n, start, names->count, err));
    PT_TRY(pt_class_names_sort(&o.labels->classes, class_of_code, names, err));
    o.labels->start[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t *of_example = item + start[i];
        const int64_t count = start[i + 1] - start[i];
        *bad = i;
        PT_TRY(kind == PT_LABEL_SET ? take_set(&o, i, of_example, count, err)
               : kind == PT_LABEL_PAIRS
                   ? take_pairs(&o, i, of_example, count, err)
                   : take_ranking(&o, i, of_example, rank + start[i], count, err));
    }
    *out = o.labels;
    o.labels = NULL;
    return PT_OK;
}
