/* A label as the pairs of classes it puts in order: the partial order of HRZ, one example at a
 * time, or all of them laid out.
 *
 *   class y     (y, r) for all r != y
 *   set L       (i, j) for i in L, j not in L
 *   ranking     (i, j) for i in one group of equal ranks and j in the next; with PT_PAIRS_CLOSED in
 *               any later one: what follows from those
 *   pairs       as they are given
 *
 * PT_PAIRS_THRESHOLD adds, for sets, a class k that stands between: (i, k) for i in L, (k, j) for j
 * not in L. Where it comes in the order of the scores is where the set ends. */
#ifndef PT_DATA_LABELS_LABEL_PAIRS_H
#define PT_DATA_LABELS_LABEL_PAIRS_H

#include "base/task.h"
#include "data/labels/labels.h"
#include "data/pair_lists.h"

enum { PT_PAIRS_THRESHOLD = 1, PT_PAIRS_CLOSED = 2 };

/* How many pairs example i has, and the most that one has: room for pt_label_pairs_of. */
int64_t pt_label_pairs_count(const pt_labels *labels, int64_t i, unsigned how);
int64_t pt_label_pairs_most(const pt_labels *labels, unsigned how);

/* Rankings and pairs: refused where no label puts two classes in order, as where rankings were
 * asked for and there are single classes: nothing could be learned from them, and every prediction
 * would suit them. Where only some do not, `warnings` says so. Other labels pass. */
pt_status pt_label_pairs_check(const pt_labels *labels, const char *source, pt_warnings *warnings,
                               pt_error *err);

/* pairs <- those of example i, in the order of their first classes, for sets and rankings from best
 * to worst; returns how many. An example without a label has none. */
int64_t pt_label_pairs_of(const pt_labels *labels, int64_t i, unsigned how, pt_label_pair *pairs);

/* The number of classes that pairs speak of: k, or k + 1 with the threshold. */
int64_t pt_label_pairs_n_classes(const pt_labels *labels, unsigned how);

/* The pairs of all examples, for solvers. Zero-initialise; free it always; do not move it. */
typedef struct pt_label_pair_lists {
    pt_pair_lists lists;
    const pt_labels *labels;
    unsigned how;
    int64_t *start;
    pt_label_pair *pair;
} pt_label_pair_lists;

/* Lays them out where that takes `bytes` at most; else they are asked for one example at a time. */
pt_status pt_label_pairs_lay_out(pt_label_pair_lists *out, const pt_labels *labels, unsigned how,
                                 double bytes, const pt_task *task, pt_error *err);
void pt_label_pair_lists_free(pt_label_pair_lists *out);

#endif
