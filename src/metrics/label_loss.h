/* What scores lose on a label, from 0 (right) to 1: for choosing parameters. */
#ifndef PT_METRICS_LABEL_LOSS_H
#define PT_METRICS_LABEL_LOSS_H

#include "data/labels/labels.h"

/* The loss of k scores on example i:
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
