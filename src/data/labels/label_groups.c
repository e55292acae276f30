/* The distinct sets among labels: examples sorted by their sets, equal neighbours made one. */
#include "data/labels/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* The set of one example, or of one group. */
typedef struct a_set {
    const int64_t *item;
    int64_t count;
    int64_t row;  /* an example that has it; the first, of a group */
    int64_t size; /* examples, of a group */
} a_set;

static int compare_sets(const void *a, const void *b)
{
    const a_set *x = a;
    const a_set *y = b;
    const int64_t shorter = x->count < y->count ? x->count : y->count;
    for (int64_t c = 0; c < shorter; c++)
        if (x->item[c] != y->item[c])
            return x->item[c] < y->item[c] ? -1 : 1;
    return (x->count > y->count) - (x->count < y->count);
}

static int compare_rows(const void *a, const void *b)
{
    const int by_set = compare_sets(a, b);
    const a_set *x = a;
    const a_set *y = b;
    return by_set ? by_set : (x->row > y->row) - (x->row < y->row);
}

static int compare_frequency(const void *a, const void *b)
{
    const a_set *x = a;
    const a_set *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return compare_sets(a, b);
}

static a_set set_of(const pt_labels *labels, int64_t i)
{
    if (labels->kind == PT_LABEL_CLASS)
        return (a_set){labels->class_of + i, 1, i, 1};
    return (a_set){labels->item + labels->start[i], labels->start[i + 1] - labels->start[i], i, 1};
}

/* sets (n) <- the distinct ones, in order of frequency; returns how many. */
static int64_t distinct_sets(a_set *sets, const pt_labels *labels)
{
    int64_t count = 0;
    for (int64_t i = 0; i < labels->n; i++)
        sets[i] = set_of(labels, i);
    if (labels->n > 1)
        qsort(sets, (size_t)labels->n, sizeof *sets, compare_rows);
    for (int64_t i = 0; i < labels->n; i++)
        if (count > 0 && compare_sets(&sets[count - 1], &sets[i]) == 0)
            sets[count - 1].size++;
        else
            sets[count++] = sets[i];
    if (count > 1)
        qsort(sets, (size_t)count, sizeof *sets, compare_frequency);
    return count;
}

static pt_status copy_sets(pt_label_groups *g, const a_set *sets, pt_error *err)
{
    int64_t items = 0;
    for (int64_t s = 0; s < g->count; s++)
        items += sets[s].count;
    g->size = pt_alloc(g->count, sizeof(int64_t), "sets of classes", err);
    g->start = pt_alloc(g->count + 1, sizeof(int64_t), "sets of classes", err);
    g->item = pt_alloc(items, sizeof(int64_t), "sets of classes", err);
    if (!g->size || !g->start || !g->item)
        return PT_ENOMEM;
    g->start[0] = 0;
    for (int64_t s = 0; s < g->count; s++) {
        g->size[s] = sets[s].size;
        g->start[s + 1] = g->start[s] + sets[s].count;
        if (sets[s].count > 0)
            memcpy(g->item + g->start[s], sets[s].item, (size_t)sets[s].count * sizeof(int64_t));
    }
    return PT_OK;
}

/* Sets in their own order, with the numbers they have by frequency, for bisection. */
static void find_groups(pt_label_groups *g, const pt_labels *labels, a_set *sets)
{
    for (int64_t s = 0; s < g->count; s++)
        sets[s].row = s;
    if (g->count > 1)
        qsort(sets, (size_t)g->count, sizeof *sets, compare_sets);
    for (int64_t i = 0; i < labels->n; i++) {
        const a_set own = set_of(labels, i);
        const a_set *found = bsearch(&own, sets, (size_t)g->count, sizeof *sets, compare_sets);
        g->group_of[i] = found ? found->row : 0; /* there always is one */
    }
}

pt_status pt_label_groups_init(pt_label_groups *groups, const pt_labels *labels, pt_error *err)
{
    *groups = (pt_label_groups){.n = labels->n, .k = pt_labels_n_classes(labels)};
    PT_SCRATCH a_set *sets = NULL;
    PT_TRY(PT_NEW(sets, labels->n, "sets of classes", err));
    PT_TRY(PT_NEW(groups->group_of, labels->n, "sets of classes", err));
    groups->count = distinct_sets(sets, labels);
    PT_TRY(copy_sets(groups, sets, err));
    find_groups(groups, labels, sets);
    return PT_OK;
}

void pt_label_groups_free(pt_label_groups *groups)
{
    pt_free(groups->item);
    pt_free(groups->start);
    pt_free(groups->size);
    pt_free(groups->group_of);
    memset(groups, 0, sizeof *groups);
}
