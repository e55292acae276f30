/* Labels of one data set in the classes of another: names tell which are the same. Where all known
 * classes are different numbers, a class that is the same number in other digits (0.0 for 0, as
 * pandas writes after a missing cell) is that class, if no other class of the labels is. */
#ifndef PT_DATA_LABELS_LABEL_MATCH_H
#define PT_DATA_LABELS_LABEL_MATCH_H

#include "data/labels/labels.h"

/* The same labels with the classes of `known` in front, numbered as there, and behind them, in the
 * order of `labels`, those of its classes that `known` lacks and some example names. `remarks`
 * (NULL: nobody asks) gets what was taken for the same number, and an unknown class that differs
 * from a known one by blanks and capitals alone. */
pt_status pt_labels_match(pt_labels **out, const pt_labels *labels, const pt_texts *known,
                          pt_texts *remarks, pt_error *err);

#endif
