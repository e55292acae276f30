/* What a reader has found in a file, beside the data: pt_dataset_report. */
#include "base/alloc.h"
#include "data/dataset.h"
#include "report/report.h"

/* Of columns of names the number of levels. */
static pt_status add_levels(pt_report *report, const pt_dataset *data, pt_error *err)
{
    int64_t *levels = NULL;
    PT_TRY(
        pt_report_room(report, PT_LIST("levels", PT_I64, "feature", data->d, NULL), &levels, err));
    for (int64_t j = 0; j < data->d; j++)
        levels[j] = pt_dataset_n_levels(data, j);
    return PT_OK;
}

pt_status pt_dataset_report(pt_report **out, const pt_dataset *data, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_TRY(pt_report_new(&report, "data", err));
    PT_TRY(pt_report_add_integer(report, "n_examples", data->n, err));
    PT_TRY(pt_report_add_integer(report, "n_features", data->d, err));
    PT_TRY(pt_report_add_integer(report, "n_classes", pt_dataset_n_classes(data), err));
    PT_TRY(pt_report_add_integer(report, "sparse", pt_dataset_is_sparse(data), err));
    PT_TRY(pt_report_add_text(report, "labels", pt_dataset_label_kind(data), err));
    PT_TRY(pt_report_add_text(report, "label_name", data->label_name, err));
    PT_TRY(pt_report_add_integer(report, "label_column", data->label_column, err));
    PT_TRY(pt_report_add_integer(report, "n_label_columns", pt_dataset_n_label_columns(data), err));
    if (data->weights)
        PT_TRY(pt_report_lend(report, PT_LIST("weight", PT_F64, "example", data->n, data->weights),
                              err));
    if (data->columns)
        PT_TRY(add_levels(report, data, err));
    PT_TRY(pt_report_add_texts(report, "note", "note", &data->notes, err));
    PT_TRY(pt_report_add_warnings(report, &data->warnings, err));
    *out = pt_keep(&report);
    return PT_OK;
}
