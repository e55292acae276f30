/* The pairs of a label: HRZ section 2, Table 1. */
#include "data/labels/label_pairs.h"

#include "base/alloc.h"

int64_t pt_label_pairs_n_classes(const pt_labels *labels, unsigned how)
{
    const int64_t k = pt_labels_n_classes(labels);
    return labels->kind == PT_LABEL_SET && how & PT_PAIRS_THRESHOLD ? k + 1 : k;
}

/* Where the classes end that have the rank of item `at`. */
static int64_t group_end(const pt_labels *labels, int64_t at, int64_t end)
{
    int64_t next = at + 1;
    while (next < end && labels->rank[next] == labels->rank[at])
        next++;
    return next;
}

static int64_t count_ranking(const pt_labels *labels, int64_t i, unsigned how)
{
    const int64_t end = labels->start[i + 1];
    int64_t count = 0;
    for (int64_t at = labels->start[i]; at < end;) {
        const int64_t next = group_end(labels, at, end);
        const int64_t stop =
            how & PT_PAIRS_CLOSED || next == end ? end : group_end(labels, next, end);
        count += (next - at) * (stop - next);
        at = next;
    }
    return count;
}

int64_t pt_label_pairs_count(const pt_labels *labels, int64_t i, unsigned how)
{
    const int64_t k = pt_labels_n_classes(labels);
    if (labels->kind == PT_LABEL_CLASS)
        return labels->class_of[i] < 0 ? 0 : k - 1;
    const int64_t items = labels->start[i + 1] - labels->start[i];
    if (labels->kind == PT_LABEL_SET)
        return items * (k - items) + (how & PT_PAIRS_THRESHOLD ? k : 0);
    return labels->kind == PT_LABEL_RANKING ? count_ranking(labels, i, how) : items / 2;
}

int64_t pt_label_pairs_most(const pt_labels *labels, unsigned how)
{
    int64_t most = 0;
    for (int64_t i = 0; i < labels->n; i++) {
        const int64_t count = pt_label_pairs_count(labels, i, how);
        most = count > most ? count : most;
    }
    return most;
}

pt_status pt_label_pairs_check(const pt_labels *labels, const char *source, pt_warnings *warnings,
                               pt_error *err)
{
    int64_t n = 0;
    int64_t without = 0;
    if (labels->kind != PT_LABEL_RANKING && labels->kind != PT_LABEL_PAIRS)
        return PT_OK;
    for (int64_t i = 0; i < labels->n; i++)
        if (pt_labels_has(labels, i)) {
            n++;
            without += pt_label_pairs_count(labels, i, 0) == 0;
        }
    if (n > 0 && without == n)
        return pt_fail_at(err, PT_EFORMAT, source, 0, 0,
                          "no label puts two classes in order, as labels of kind '%s' do (a>b); "
                          "leave out `labels` if each row has one class",
                          pt_label_kind_name(labels->kind));
    if (without > 0)
        return pt_warn(warnings, err, PT_KIND_DATA,
                       "%lld of %lld labels %s no two classes in order: every order counts as "
                       "right for %s",
                       (long long)without, (long long)n, without == 1 ? "puts" : "put",
                       without == 1 ? "it" : "them");
    return PT_OK;
}

static int64_t pairs_of_class(const pt_labels *labels, int64_t i, pt_label_pair *pairs)
{
    const int64_t y = labels->class_of[i];
    int64_t count = 0;
    for (int64_t r = 0; y >= 0 && r < pt_labels_n_classes(labels); r++)
        if (r != y)
            pairs[count++] = (pt_label_pair){(int32_t)y, (int32_t)r};
    return count;
}

/* (before, j) for every class j that is not in the set. */
static int64_t pairs_with_others(const pt_labels *labels, int64_t i, int32_t before,
                                 pt_label_pair *pairs)
{
    const int64_t end = labels->start[i + 1];
    int64_t at = labels->start[i];
    int64_t count = 0;
    for (int64_t j = 0; j < pt_labels_n_classes(labels); j++)
        if (at < end && labels->item[at] == j)
            at++;
        else
            pairs[count++] = (pt_label_pair){before, (int32_t)j};
    return count;
}

static int64_t pairs_of_set(const pt_labels *labels, int64_t i, unsigned how, pt_label_pair *pairs)
{
    const int32_t threshold = (int32_t)pt_labels_n_classes(labels);
    int64_t count = 0;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++) {
        const int32_t before = (int32_t)labels->item[at];
        if (how & PT_PAIRS_THRESHOLD)
            pairs[count++] = (pt_label_pair){before, threshold};
        count += pairs_with_others(labels, i, before, pairs + count);
    }
    if (how & PT_PAIRS_THRESHOLD)
        count += pairs_with_others(labels, i, threshold, pairs + count);
    return count;
}

static int64_t pairs_of_ranking(const pt_labels *labels, int64_t i, unsigned how,
                                pt_label_pair *pairs)
{
    const int64_t end = labels->start[i + 1];
    int64_t count = 0;
    for (int64_t at = labels->start[i]; at < end;) {
        const int64_t next = group_end(labels, at, end);
        const int64_t stop =
            how & PT_PAIRS_CLOSED || next == end ? end : group_end(labels, next, end);
        for (; at < next; at++)
            for (int64_t later = next; later < stop; later++)
                pairs[count++] =
                    (pt_label_pair){(int32_t)labels->item[at], (int32_t)labels->item[later]};
    }
    return count;
}

int64_t pt_label_pairs_of(const pt_labels *labels, int64_t i, unsigned how, pt_label_pair *pairs)
{
    switch (labels->kind) {
    case PT_LABEL_CLASS:
        return pairs_of_class(labels, i, pairs);
    case PT_LABEL_SET:
        return pairs_of_set(labels, i, how, pairs);
    case PT_LABEL_RANKING:
        return pairs_of_ranking(labels, i, how, pairs);
    case PT_LABEL_PAIRS:
        break;
    }
    int64_t count = 0;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at += 2)
        pairs[count++] = (pt_label_pair){(int32_t)labels->item[at], (int32_t)labels->item[at + 1]};
    return count;
}

static int64_t ask(const void *from, int64_t i, pt_label_pair *pairs)
{
    const pt_label_pair_lists *lists = from;
    return pt_label_pairs_of(lists->labels, i, lists->how, pairs);
}

pt_status pt_label_pairs_lay_out(pt_label_pair_lists *out, const pt_labels *labels, unsigned how,
                                 double bytes, const pt_task *task, pt_error *err)
{
    const int64_t n = labels->n;
    *out = (pt_label_pair_lists){.labels = labels, .how = how};
    out->lists = (pt_pair_lists){.n = n,
                                 .k = pt_label_pairs_n_classes(labels, how),
                                 .most = pt_label_pairs_most(labels, how),
                                 .ask = ask,
                                 .from = out};
    double pairs = 0;
    for (int64_t i = 0; i < n; i++)
        pairs += (double)pt_label_pairs_count(labels, i, how);
    if ((double)sizeof *out->start * ((double)n + 1) + (double)sizeof *out->pair * pairs > bytes)
        return PT_OK;
    PT_TRY(PT_NEW(out->start, n + 1, "pairs", err));
    PT_TRY(PT_NEW(out->pair, (int64_t)pairs, "pairs", err));
    out->start[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        PT_TRY(pt_task_check_at(task, i, err));
        out->start[i + 1] =
            out->start[i] + pt_label_pairs_of(labels, i, how, out->pair + out->start[i]);
    }
    out->lists.start = out->start;
    out->lists.pair = out->pair;
    return PT_OK;
}

void pt_label_pair_lists_free(pt_label_pair_lists *out)
{
    pt_free(out->start);
    pt_free(out->pair);
    *out = (pt_label_pair_lists){0};
}
