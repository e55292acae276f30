/* Scores against labels of any kind: which labels they stand for, whether they are right, and what
 * they lose. */
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

/* Whether class y is among the `top` first of k scores; of equal ones the higher classes are first,
 * as in scikit-learn's top_k_accuracy_score. */
bool pt_score_among_first(const double *scores, int64_t k, int64_t y, int64_t top);

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

/* What k scores lose on example i, from 0 (right) to 1, by which parameters are chosen:
 *
 *   class      1 where the first largest is another class
 *   set        the share of the classes that are on the wrong side of 0 (Hamming loss)
 *   ranking    the share of the pairs of classes, of different ranks, that stand the wrong way
 *              round in the order of the scores (ties: the lower index first)
 *   pairs      the share of the pairs that do
 *
 * An example without a label loses nothing. */
double pt_label_loss(const pt_labels *labels, int64_t i, const double *scores);

#endif
