/* Models: what is inside, and how it is read from outside. */
#include "model/model.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "data/read/reader.h"
#include "data/stream/row_stream.h"
#include "kernels/kernel.h"
#include "kernels/kernel_params.h"

void pt_model_free(pt_model *model)
{
    if (!model)
        return;
    if (model->machine)
        pt_machine_free(model->machine);
    pt_prepare_free(model->prepare);
    pt_params_free(model->params);
    pt_texts_free(&model->classes);
    pt_warnings_free(&model->warnings);
    pt_free(model->label_name);
    pt_label_columns_free(&model->label_columns);
    pt_judged_free(&model->judged);
    pt_free(model->start);
    pt_free(model->source);
    pt_free(model->limited);
    pt_free(model->class_rows);
    pt_free(model->thresholds);
    pt_conformity_free(&model->conformity);
    pt_calibration_free(&model->calibration);
    pt_free(model->metadata);
    pt_free(model);
}

pt_type pt_model_type(const pt_model *model)
{
    return pt_params_type(model->params);
}

const char *pt_model_limited(const pt_model *model)
{
    return model->limited;
}

double pt_model_choice_loss(const pt_model *model, int64_t *rows)
{
    if (rows)
        *rows = model->chosen.rows;
    return model->chosen.rows > 0 ? model->chosen.loss : NAN;
}

double pt_model_training_error(const pt_model *model)
{
    return model->has_training_error ? model->training_error : NAN;
}

double pt_model_held_out_error(const pt_model *model, int64_t *rows)
{
    if (rows)
        *rows = model->held_out.rows;
    return model->held_out.rows > 0 ? model->held_out.wrong : NAN;
}

const char *pt_model_metadata(const pt_model *model)
{
    return model->metadata;
}

int64_t pt_model_n_classes(const pt_model *model)
{
    return model->classes.count;
}

const char *pt_model_label_kind(const pt_model *model)
{
    return pt_label_kind_name(model->label_kind);
}

const char *pt_model_class_name(const pt_model *model, int64_t class_index)
{
    return pt_texts_get(&model->classes, class_index);
}

const char *pt_model_param(const pt_model *model, const char *name)
{
    return pt_params_get(model->params, name);
}

bool pt_model_uses(const pt_model *model, const char *name)
{
    const int id = pt_param_find(name);
    return id >= 0 && pt_machine_counts(model->machine->ops, model->params, (pt_param_id)id);
}

int64_t pt_model_n_warnings(const pt_model *model)
{
    return model->warnings.count;
}

const char *pt_model_warning(const pt_model *model, int64_t index)
{
    return pt_warnings_get(&model->warnings, index);
}

/* The label columns of the training file are looked for again, and labels of its kind, unless the
 * caller names others. */
pt_status pt_model_read_options(const pt_model *model, const char *path, const pt_params *params,
                                const pt_task *task, pt_read_options *options, bool **numeric,
                                pt_error *err)
{
    pt_read_options_init(options, params);
    if (*options->types)
        return pt_fail(err, PT_EINVAL,
                       "`types`: the model knows what its columns hold; train again to change it");
    options->source = path;
    options->label_optional = true;
    options->n_features = pt_prepare_n_inputs(model->prepare);
    options->features = pt_prepare_input_names(model->prepare);
    options->row_numbers = pt_kernel_is_precomputed(model->params);
    options->task = task;
    if (!options->label[0] && model->label_name)
        options->label = model->label_name;
    options->label_column = model->label_column;
    if (model->label_columns.count > 0)
        options->label_columns = &model->label_columns;
    if (!options->labels_said)
        options->labels = pt_label_kind_name(model->label_kind);
    options->judged = &model->judged;
    PT_TRY(pt_prepare_numeric_inputs(model->prepare, numeric, err));
    options->numeric_features = *numeric;
    return PT_OK;
}

/* A table that names its columns and lacks one of the model's is refused by its first rows, before
 * all others are read. What else may be wrong with them is told when they are read with the rest.
 * Pipes can be read once only. */
static pt_status check_names(const pt_model *model, const char *path, const char *format,
                             const pt_read_options *options, pt_error *err)
{
    static const size_t FIRST_ROWS = (size_t)1 << 16; /* bytes */
    struct stat there;
    if (strcmp(path, "-") == 0 || stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return PT_OK;
    PT_FREED_BY(pt_row_stream_close) pt_row_stream rows = {0};
    const pt_dataset *data = NULL;
    int64_t skip = 0;
    int64_t first = 0;
    bool text = false;
    size_t size = 0;
    if (pt_row_stream_open_with(&rows, path, format, options, FIRST_ROWS, NULL) == PT_OK &&
        pt_row_stream_begin(&rows, &text, &size, NULL) == PT_OK && text && size > 0 &&
        pt_row_stream_next(&rows, &skip, &data, &first, NULL) == PT_OK && data &&
        rows.header_lines > 0)
        PT_TRY(pt_prepare_check_columns(model->prepare, data, err));
    return PT_OK;
}

pt_status pt_model_read(pt_dataset **out, const pt_model *model, const char *path,
                        const pt_params *params, pt_task *task, pt_error *err)
{
    pt_read_options options;
    PT_SCRATCH bool *numeric = NULL;
    const char *format = pt_params_text(params, PT_P_FORMAT);
    pt_task_enter(task, "read");
    PT_TRY(pt_model_read_options(model, path, params, task, &options, &numeric, err));
    PT_TRY(check_names(model, path, format, &options, err));
    options.groups_wanted = true;
    return pt_read_path(out, path, format, &options, err);
}
