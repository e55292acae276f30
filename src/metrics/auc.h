/* Areas under the ROC curves of the probabilities of classes, for rows that count any number of
 * times. */
#ifndef PT_METRICS_AUC_H
#define PT_METRICS_AUC_H

#include "base/task.h"

typedef struct pt_auc_means {
    double ovr; /* over the classes, each against all others; NaN: none has rows on both sides */
    double ovo; /* over the pairs of classes; NaN: no two classes have rows */
} pt_auc_means;

/* Rows in the order of the probability of each class. */
typedef struct pt_auc {
    int64_t n;
    int64_t k;
    const int64_t *truth; /* n, lent */
    int64_t first;        /* classes from here on have an order: of two the second alone */
    int64_t *order;       /* classes x n, ascending: twice the row, + 1: as probable as that before;
                           * NULL: there is no row or one class */
} pt_auc;

/* Of n rows with the probabilities p (n x k) and the classes truth (n; others than 0 .. k-1: the
 * row is left out). Time: O(k n log n). `truth` is lent, p is not needed any more. */
pt_status pt_auc_init(pt_auc *auc, const double *p, const int64_t *truth, int64_t n, int64_t k,
                      const pt_task *task, pt_error *err);
void pt_auc_free(pt_auc *auc);

/* Numbers of work space that pt_auc_means_of needs. */
int64_t pt_auc_work(const pt_auc *auc);
/* With row i counted times[i] times (NULL: once). Time: O(k n). */
pt_auc_means pt_auc_means_of(const pt_auc *auc, const int32_t *times, double *work);

#endif
