/* Whether scores agree with a label. */
#include "metrics/label_judge.h"

#include "decoders/decoder.h"

/* The set is right where every class is on its side of 0. */
static bool same_set(const pt_labels *labels, int64_t i, const double *scores)
{
    const int64_t end = labels->start[i + 1];
    int64_t at = labels->start[i];
    for (int64_t r = 0; r < pt_labels_n_classes(labels); r++) {
        const bool member = at < end && labels->item[at] == r;
        at += member;
        if (pt_score_in_set(scores[r]) != member)
            return false;
    }
    return true;
}

/* Every member before every other class: the last of the ones before the first of the others. */
static bool members_first(const pt_labels *labels, int64_t i, const double *scores)
{
    const int64_t end = labels->start[i + 1];
    int64_t at = labels->start[i];
    int64_t last = -1;
    int64_t first = -1;
    for (int64_t r = 0; r < pt_labels_n_classes(labels); r++)
        if (at < end && labels->item[at] == r) {
            last = last < 0 || pt_score_before(scores, last, r) ? r : last;
            at++;
        } else {
            first = first < 0 || pt_score_before(scores, r, first) ? r : first;
        }
    return last < 0 || first < 0 || pt_score_before(scores, last, first);
}

/* Each group of equal ranks before the next: its last before the first of that. */
static bool groups_in_order(const pt_labels *labels, int64_t i, const double *scores)
{
    int64_t last_before = -1; /* the last, by scores, of the classes of better ranks */
    int64_t last = -1;        /* and of the group as well */
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++) {
        const int64_t r = labels->item[at];
        if (at > labels->start[i] && labels->rank[at] != labels->rank[at - 1])
            last_before = last;
        if (last_before >= 0 && !pt_score_before(scores, last_before, r))
            return false;
        last = last < 0 || pt_score_before(scores, last, r) ? r : last;
    }
    return true;
}

static bool pairs_hold(const pt_labels *labels, int64_t i, const double *scores)
{
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at += 2)
        if (!pt_score_before(scores, labels->item[at], labels->item[at + 1]))
            return false;
    return true;
}

bool pt_label_is_consistent(const pt_labels *labels, int64_t i, const double *scores)
{
    switch (labels->kind) {
    case PT_LABEL_CLASS:
        return pt_first_largest(scores, pt_labels_n_classes(labels)) == labels->class_of[i];
    case PT_LABEL_SET:
        return members_first(labels, i, scores);
    case PT_LABEL_RANKING:
        return groups_in_order(labels, i, scores);
    case PT_LABEL_PAIRS:
        break;
    }
    return pairs_hold(labels, i, scores);
}

bool pt_label_is_right(const pt_labels *labels, int64_t i, const double *scores)
{
    return labels->kind == PT_LABEL_SET ? same_set(labels, i, scores)
                                        : pt_label_is_consistent(labels, i, scores);
}
