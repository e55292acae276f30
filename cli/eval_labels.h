/* eval: the metrics of labels of any kind, and sets class by class. */
#ifndef POLYTOMY_EVAL_LABELS_H
#define POLYTOMY_EVAL_LABELS_H

#include "cli.h"

/* All metrics that the labels have but the error, one a line. */
void eval_labels_print(const pt_evaluation *evaluation);
/* The same as members of an object: "hamming_loss", ... */
void eval_labels_json(json_t *object, const pt_evaluation *evaluation);

#endif
