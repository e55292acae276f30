/* Labels of one data set in the classes of another: names tell which are the same. */
#ifndef PT_DATA_LABEL_MATCH_H
#define PT_DATA_LABEL_MATCH_H

#include "data/labels.h"

/* The same labels with the classes of `known` in front, numbered as there, and behind them, in the
 * order of `labels`, those of its classes that `known` lacks and some example names. */
pt_status pt_labels_match(pt_labels **out, const pt_labels *labels, const pt_texts *known,
                          pt_error *err);

#endif
