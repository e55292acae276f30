/* Whether scores agree with a label, and by how much they do not. */
#include "metrics/label_judge.h"

#include "decoders/decoder.h"

/* Classes on the wrong side of 0. */
static int64_t wrong_sides(const pt_labels *labels, int64_t i, const double *scores)
{
    const int64_t end = labels->start[i + 1];
    int64_t at = labels->start[i];
    int64_t wrong = 0;
    for (int64_t r = 0; r < pt_labels_n_classes(labels); r++) {
        const bool member = at < end && labels->item[at] == r;
        at += member;
        wrong += pt_score_in_set(scores[r]) != member;
    }
    return wrong;
}

/* ---- right or wrong -------------------------------------------------------------------------- */

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
    return labels->kind == PT_LABEL_SET ? wrong_sides(labels, i, scores) == 0
                                        : pt_label_is_consistent(labels, i, scores);
}

/* ---- how wrong ------------------------------------------------------------------------------- */

static double ranking_loss(const pt_labels *labels, int64_t i, const double *scores)
{
    int64_t wrong = 0;
    int64_t pairs = 0;
    for (int64_t a = labels->start[i]; a < labels->start[i + 1]; a++)
        for (int64_t b = a + 1; b < labels->start[i + 1]; b++) {
            if (labels->rank[a] == labels->rank[b])
                continue;
            pairs++;
            wrong += !pt_score_before(scores, labels->item[a], labels->item[b]);
        }
    return pairs > 0 ? (double)wrong / (double)pairs : 0;
}

static double pairs_loss(const pt_labels *labels, int64_t i, const double *scores)
{
    const int64_t items = labels->start[i + 1] - labels->start[i];
    int64_t wrong = 0;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at += 2)
        wrong += !pt_score_before(scores, labels->item[at], labels->item[at + 1]);
    return items > 0 ? (double)wrong / ((double)items / 2) : 0;
}

bool pt_score_among_first(const double *scores, int64_t k, int64_t y, int64_t top)
{
    int64_t before = 0;
    for (int64_t r = 0; r < k; r++)
        before += scores[r] > scores[y] || (r > y && scores[r] == scores[y]);
    return before < top;
}

double pt_label_loss(const pt_labels *labels, int64_t i, const double *scores)
{
    if (!pt_labels_has(labels, i))
        return 0;
    const int64_t k = pt_labels_n_classes(labels);
    switch (labels->kind) {
    case PT_LABEL_CLASS:
        return pt_first_largest(scores, k) != labels->class_of[i];
    case PT_LABEL_SET:
        return k > 0 ? (double)wrong_sides(labels, i, scores) / (double)k : 0;
    case PT_LABEL_RANKING:
        return ranking_loss(labels, i, scores);
    case PT_LABEL_PAIRS:
        break;
    }
    return pairs_loss(labels, i, scores);
}
