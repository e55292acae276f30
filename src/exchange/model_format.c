/* Models to and from the files of other programs. */
#include "exchange/model_format.h"

#include <string.h>

#include "base/alloc.h"
#include "data/read/source.h"

const pt_model_format *const pt_model_formats[] = {
    &pt_model_format_libsvm, &pt_model_format_libsvm_proba, &pt_model_format_svm_scale, NULL};

static pt_status find_format(const pt_model_format **out, const char *name, pt_error *err)
{
    for (int i = 0; name && pt_model_formats[i]; i++)
        if (strcmp(pt_model_formats[i]->name, name) == 0) {
            *out = pt_model_formats[i];
            return PT_OK;
        }
    return pt_fail(err, PT_EINVAL,
                   "there is no model format '%.40s'; there are libsvm, libsvm-proba, svm-scale",
                   name ? name : "");
}

/* ---- writing ----------------------------------------------------------------------------------*/

typedef struct exported {
    const pt_model_format *format;
    const pt_model *model;
    const pt_dataset *data;
    const pt_task *task;
} exported;

static pt_status fill(const void *what, pt_sink_fn sink, void *context, pt_error *err)
{
    const exported *e = what;
    PT_FREED_BY(pt_writer_free) pt_writer writer = {0};
    PT_TRY(pt_writer_init(&writer, sink, context, err));
    PT_TRY(e->format->write(e->model, e->data, &writer, e->task, err));
    return pt_writer_flush(&writer, err);
}

pt_status pt_model_export(const pt_model *model, const char *path, const char *format,
                          const pt_dataset *data, pt_task *task, pt_error *err)
{
    exported e = {NULL, model, data, task};
    pt_task_enter(task, "export");
    PT_TRY(find_format(&e.format, format, err));
    if (!e.format->write)
        return pt_fail(err, PT_EINVAL, "%s files are read only; libsvm is written", format);
    return pt_write_with(path, fill, &e, err);
}

/* ---- reading ----------------------------------------------------------------------------------*/

static pt_status recognise(const pt_model_format **out, const pt_source *source, const char *path,
                           pt_error *err)
{
    for (int i = 0; pt_model_formats[i]; i++)
        if (pt_model_formats[i]->detect &&
            pt_model_formats[i]->detect(source->bytes, source->size)) {
            *out = pt_model_formats[i];
            return PT_OK;
        }
    return pt_fail_at(err, PT_EFORMAT, path, 0, 0,
                      "this is no model file of another program that is known here (libsvm)");
}

pt_status pt_model_import(pt_model **out, const char *path, const char *format, int64_t n_features,
                          pt_task *task, pt_error *err)
{
    const pt_model_format *from = NULL;
    PT_FREED_BY(pt_source_close) pt_source source = {0};
    pt_task_enter(task, "import");
    if (format)
        PT_TRY(find_format(&from, format, err));
    if (from && !from->read)
        return pt_fail(err, PT_EINVAL, "%s files are written only; there is no model in them",
                       from->name);
    if (n_features < -1)
        return pt_fail(err, PT_EINVAL, "the number of features cannot be %lld",
                       (long long)n_features);
    PT_TRY(pt_source_open(&source, path, task, err));
    if (!from)
        PT_TRY(recognise(&from, &source, path, err));
    return from->read(out, source.bytes, source.size, path, n_features, task, err);
}
