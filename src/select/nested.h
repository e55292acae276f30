/* Nested folds: the error of choosing parameters and training, together.
 *
 * Parameters that are chosen on the rows that are then held out fit them a little, on small sets
 * more than a little. Here they are chosen without each fold, and the fold judges the machine that
 * they make of the other rows: no row has a say in what is said of it. */
#ifndef PT_SELECT_NESTED_H
#define PT_SELECT_NESTED_H

#include "machine/training.h"
#include "metrics/label_metrics.h"
#include "validate/remarks.h"

typedef struct pt_nesting {
    const pt_training *training; /* its parameters are as they were asked for */
    const pt_dataset *data;      /* the rows that count */
    const pt_params *resolved;   /* as they were chosen on all rows; NULL: there is a grid */
    const pt_partitions *partitions;
    pt_metric metric;
    const pt_metric_rules *rules;
    pt_remarks *remarks; /* gets what the machines of its folds warn of */
    const pt_task *task;
} pt_nesting;

/* Whether something was chosen that nested folds would choose anew. */
bool pt_nested_is_asked(const pt_nesting *nesting);

/* What folds and nested folds cost, in multiplications, roughly. */
typedef struct pt_nested_price {
    double plain;
    double nested;
} pt_nested_price;
pt_status pt_nested_price_of(pt_nested_price *price, const pt_nesting *nesting, pt_error *err);

/* Whether nested folds are worth their price without being asked for. */
bool pt_nested_is_cheap(const pt_nested_price *price);

/* wrong[p] <- how many rows were wrong in partition p; -1: a fold had no answer. value[p] <- the
 * metric of all its rows, NaN where there is none; NULL: it is the error. */
pt_status pt_nested_errors(int64_t *wrong, double *value, const pt_nesting *nesting, pt_error *err);

#endif
