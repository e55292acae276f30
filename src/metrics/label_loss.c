/* The loss of scores on a label. */
#include "metrics/label_loss.h"

#include "decoders/decoder.h"
#include "metrics/label_judge.h"

static double set_loss(const pt_labels *labels, int64_t i, const double *scores)
{
    const int64_t k = pt_labels_n_classes(labels);
    const int64_t end = labels->start[i + 1];
    int64_t at = labels->start[i];
    int64_t wrong = 0;
    for (int64_t r = 0; r < k; r++) {
        const bool member = at < end && labels->item[at] == r;
        at += member;
        wrong += pt_score_in_set(scores[r]) != member;
    }
    return k > 0 ? (double)wrong / (double)k : 0;
}

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

double pt_label_loss(const pt_labels *labels, int64_t i, const double *scores)
{
    if (!pt_labels_has(labels, i))
        return 0;
    switch (labels->kind) {
    case PT_LABEL_CLASS:
        return pt_first_largest(scores, pt_labels_n_classes(labels)) != labels->class_of[i];
    case PT_LABEL_SET:
        return set_loss(labels, i, scores);
    case PT_LABEL_RANKING:
        return ranking_loss(labels, i, scores);
    case PT_LABEL_PAIRS:
        break;
    }
    return pairs_loss(labels, i, scores);
}
