/* What the columns of the data are worth to trees: how often they are asked, and by how much that
 * lowered the criterion (trees/forest.h). */
#include <math.h>

#include "base/alloc.h"
#include "model/tree_view.h"
#include "report/report.h"

static pt_status add_names(pt_report *report, const pt_prepare *prepare, pt_error *err)
{
    PT_FREED_BY(pt_texts_free) pt_texts list = {0};
    const pt_texts *names = pt_prepare_input_names(prepare);
    for (int64_t j = 0; j < pt_prepare_n_inputs(prepare); j++) {
        const char *name = names ? pt_texts_get(names, j) : NULL;
        PT_TRY(name && name[0] ? pt_texts_add(&list, err, "%s", name)
                               : pt_texts_add(&list, err, "%lld", (long long)j + 1));
    }
    return pt_report_add_texts(report, "feature", "feature", &list, err);
}

pt_status pt_report_add_gains(pt_report *report, const pt_model *model, pt_error *err)
{
    const pt_forest *forest = pt_machine_parts_of(model->machine).forest;
    const int64_t d = pt_prepare_n_inputs(model->prepare);
    int64_t *splits = NULL;
    double *gain = NULL;
    double all = 0;
    if (!forest)
        return PT_OK;
    PT_TRY(add_names(report, model->prepare, err));
    PT_TRY(pt_report_room(report, PT_LIST("splits", PT_I64, "feature", d, NULL), &splits, err));
    for (int64_t j = 0; j < d; j++)
        splits[j] = 0;
    for (int64_t t = 0; t < forest->n_nodes; t++)
        splits[pt_prepare_output(model->prepare, forest->node[t].split.feature).input]++;
    if (forest->no_gains)
        return PT_OK;
    PT_TRY(pt_report_room(report, PT_LIST("gain", PT_F64, "feature", d, NULL), &gain, err));
    for (int64_t j = 0; j < d; j++)
        gain[j] = 0;
    for (int64_t t = 0; t < forest->n_nodes; t++) {
        gain[pt_prepare_output(model->prepare, forest->node[t].split.feature).input] +=
            forest->gain[t];
        all += forest->gain[t];
    }
    for (int64_t j = 0; j < d && all > 0 && isfinite(all); j++)
        gain[j] /= all;
    return PT_OK;
}
