/* Scores against labels of any kind: which labels scores stand for, and whether they are right. */
#ifndef PT_METRICS_LABEL_JUDGE_H
#define PT_METRICS_LABEL_JUDGE_H

#include <stdbool.h>

#include "data/labels/labels.h"

/* Whether class a comes before class b in the order of the scores: the larger first, ties by the
 * lower index. */
static inline bool pt_score_before(const double *scores, int64_t a, int64_t b)
{
    return scores[a] > scores[b] || (a < b && scores[a] == scores[b]);
}

/* Whether a class is in the set that the scores of a machine stand for: above 0. */
static inline bool pt_score_in_set(double score)
{
    return score > 0;
}

/* Whether the scores (k of them) are right about example i: the first largest is its class; the set
 * is its set; every pair of its ranking, or of its pairs, holds in their order (HRZ Definition
 * 2.4). An example without a label is not asked about. */
bool pt_label_is_right(const pt_labels *labels, int64_t i, const double *scores);

/* Whether every pair of the label holds in the order of the scores: HRZ Definition 2.4. For sets
 * that leaves out where the set ends. */
bool pt_label_is_consistent(const pt_labels *labels, int64_t i, const double *scores);

#endif
