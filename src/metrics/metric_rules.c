/* Parameters of metrics: the costs of confusions, and how many classes may be right. */
#include "metrics/metric_rules.h"

#include <string.h>

#include "base/alloc.h"
#include "data/read/class_file.h"
#include "params/params_table.h"

static pt_status check_costs(const double *costs, const char *path, const pt_texts *classes,
                             pt_error *err)
{
    for (int64_t r = 0; r < classes->count; r++)
        for (int64_t c = 0; c < classes->count; c++) {
            const double cost = costs[r * classes->count + c];
            if (cost < 0 || (r == c && cost != 0))
                return pt_fail_at(err, PT_EFORMAT, path, 0, 0,
                                  "the cost of taking class '" PT_SHOWN "' for '" PT_SHOWN
                                  "' is %g; costs are 0 on the diagonal and nowhere negative",
                                  classes->items[r], classes->items[c], cost);
        }
    return PT_OK;
}

pt_status pt_costs_of(double **out, const pt_params *params, const pt_texts *classes,
                      const pt_task *task, pt_error *err)
{
    const char *path = pt_params_text(params, PT_P_COSTS);
    if (strcmp(path, "none") == 0)
        return PT_OK;
    PT_TRY(pt_class_matrix_of(out, params, PT_P_COSTS, classes, task, err));
    return check_costs(*out, path, classes, err);
}

pt_status pt_metric_rules_of(pt_metric_rules *rules, const pt_params *params, pt_label_kind kind,
                             const pt_texts *classes, const pt_task *task, pt_error *err)
{
    double *costs = NULL;
    *rules = PT_METRIC_RULES;
    if (!params || kind != PT_LABEL_CLASS)
        return PT_OK;
    rules->top_k = pt_params_integer(params, PT_P_TOP_K);
    const pt_status status = pt_costs_of(&costs, params, classes, task, err);
    rules->costs = costs;
    return status;
}

void pt_metric_rules_free(pt_metric_rules *rules)
{
    pt_free((void *)rules->costs);
    *rules = PT_METRIC_RULES;
}

pt_status pt_metric_choose(pt_metric *metric, const char *name, pt_label_kind kind, pt_error *err)
{
    const unsigned has = pt_metrics_of(kind);
    const int found = pt_metric_find(name);
    char others[400] = "";
    if (found >= 0 && has & 1u << found) {
        *metric = (pt_metric)found;
        return PT_OK;
    }
    for (int m = 0; pt_metric_name((pt_metric)m); m++)
        if (has & 1u << m) {
            (void)strncat(others, others[0] ? ", " : "", sizeof others - strlen(others) - 1);
            (void)strncat(others, pt_metric_name((pt_metric)m), sizeof others - strlen(others) - 1);
        }
    for (char *c = others; *c; c++)
        *c = *c == '_' ? '-' : *c;
    return pt_fail(err, PT_EINVAL, "`metric=%s`: labels of kind '%s' have %s", name,
                   pt_label_kind_name(kind), others);
}

pt_status pt_metric_rules_check(const pt_metric_rules *rules, pt_metric metric, int64_t k,
                                pt_error *err)
{
    if (metric == PT_METRIC_COST && !rules->costs)
        return pt_fail(err, PT_EINVAL,
                       "`metric=cost` needs `costs`: what it costs to take a class for another");
    if (metric == PT_METRIC_TOP_K_ACCURACY && rules->top_k >= k)
        return pt_fail(err, PT_EINVAL,
                       "`metric=top-k-accuracy`: of %lld classes one of the first %lld is always "
                       "right; lower `top-k`",
                       (long long)k, (long long)rules->top_k);
    return PT_OK;
}
