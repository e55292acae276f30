/* A file read by the columns of a data set that was read before, as a model would read it. */
#include "base/alloc.h"
#include "data/read/reader.h"
#include "polytomy/experimental.h"

static pt_status list_columns(pt_texts *names, bool **numeric, const pt_dataset *data,
                              pt_error *err)
{
    PT_TRY(PT_NEW(*numeric, data->d, "kinds of columns", err));
    for (int64_t j = 0; j < data->d; j++) {
        const pt_column *column = data->columns ? &data->columns[j] : NULL;
        PT_TRY(pt_texts_add(names, err, "%s", column && column->name ? column->name : ""));
        (*numeric)[j] = !column || (!column->nominal && !column->text);
    }
    return PT_OK;
}

pt_status pt_dataset_read_like(pt_dataset **out, const pt_dataset *data, const char *path,
                               const pt_params *params, pt_task *task, pt_error *err)
{
    pt_read_options options;
    PT_FREED_BY(pt_texts_free) pt_texts names = {0};
    PT_SCRATCH bool *numeric = NULL;
    PT_TRY(list_columns(&names, &numeric, data, err));
    pt_read_options_init(&options, params);
    options.source = path;
    options.task = task;
    options.types = ""; /* they are known */
    options.label_optional = true;
    options.groups_wanted = true;
    options.n_features = data->d;
    options.features = data->columns ? &names : NULL;
    options.numeric_features = pt_dataset_is_sparse(data) ? NULL : numeric;
    if (!options.label[0] && data->label_name)
        options.label = data->label_name;
    options.label_column = data->label_column;
    if (data->label_columns.count > 0)
        options.label_columns = &data->label_columns;
    if (!options.labels_said && data->labels)
        options.labels = pt_label_kind_name(data->labels->kind);
    options.judged = &data->judged;
    pt_task_enter(task, "read");
    return pt_read_path(out, path, pt_params_text(params, PT_P_FORMAT), &options, err);
}
