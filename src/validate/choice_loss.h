/* What automatic parameters are chosen by: the loss of labels (metrics/label_judge.h), or the
 * metric that was asked for. */
#ifndef PT_VALIDATE_CHOICE_LOSS_H
#define PT_VALIDATE_CHOICE_LOSS_H

#include "metrics/metric_rules.h"

typedef struct pt_choice_loss {
    bool asked;     /* by a metric */
    bool by_figure; /* of predicted classes, all at once: pt_choice_loss_of */
    pt_metric metric;
    pt_metric_rules rules;
    double largest; /* cost */
    double *weight; /* k: of an error on each class, at most 1; NULL: 1 */
} pt_choice_loss;

/* Of these parameters, where the user has set `metric`; metrics of probabilities and those of sets,
 * rankings and pairs leave it at the loss of labels. PT_EINVAL: the labels have no such metric, or
 * it has no meaning. To be freed always. */
pt_status pt_choice_loss_init(pt_choice_loss *loss, const pt_params *params,
                              const pt_labels *labels, const pt_task *task, pt_error *err);
void pt_choice_loss_free(pt_choice_loss *loss);

/* What k scores lose on example i, from 0 to 1; with by_figure the predicted class. */
double pt_choice_loss_row(const pt_choice_loss *loss, const pt_labels *labels, int64_t i,
                          const double *scores);
/* With by_figure: what n rows of k classes lose together, from 0 to n; said as by
 * pt_choice_loss_row. counts: 3 k numbers of work space. */
double pt_choice_loss_of(const pt_choice_loss *loss, const int64_t *truth, const float *said,
                         int64_t n, int64_t k, int64_t *counts);

#endif
