/* What some metrics are told by parameters. */
#ifndef PT_METRICS_METRIC_RULES_H
#define PT_METRICS_METRIC_RULES_H

#include "metrics/label_metrics.h"
#include "params/params.h"

/* *out (k x k) <- the matrix of `costs`, row: the true class; to be freed by pt_free, on failure
 * too; NULL where there is none. 0 on the diagonal and nowhere negative, else an error. */
pt_status pt_costs_of(double **out, const pt_params *params, const pt_texts *classes,
                      const pt_task *task, pt_error *err);

/* The rules that `params` (NULL: the defaults) give for labels of these classes; costs are its own:
 * pt_metric_rules_free, on failure too. */
pt_status pt_metric_rules_of(pt_metric_rules *rules, const pt_params *params, pt_label_kind kind,
                             const pt_texts *classes, const pt_task *task, pt_error *err);
void pt_metric_rules_free(pt_metric_rules *rules);

/* *metric <- the one of this name; refused where labels of the kind have none such. */
pt_status pt_metric_choose(pt_metric *metric, const char *name, pt_label_kind kind, pt_error *err);

/* Refuses a metric that the rules leave without meaning for k classes. */
pt_status pt_metric_rules_check(const pt_metric_rules *rules, pt_metric metric, int64_t k,
                                pt_error *err);

#endif
