/* Folds: rows drawn into parts, each of which is held out in turn. */
#ifndef PT_VALIDATE_FOLDS_H
#define PT_VALIDATE_FOLDS_H

#include "machine/machine.h"

/* Random partitions: owned folds for pt_partitions. Zero-initialise; free it always. */
typedef struct pt_fold_set {
    pt_partitions partitions;
    int64_t *fold;           /* count x n */
    const int64_t **pointer; /* count */
} pt_fold_set;

/* From the parameters folds, repeat, loo, stratify, seed. */
pt_status pt_fold_set_init(pt_fold_set *set, const pt_labels *labels, const pt_params *params,
                           pt_error *err);

/* One partition into n_folds folds, or as many as there are rows; stratified where labels are
 * classes. */
pt_status pt_fold_set_draw(pt_fold_set *set, const pt_labels *labels, int64_t n_folds,
                           uint64_t seed, pt_error *err);

void pt_fold_set_free(pt_fold_set *set);

#endif
