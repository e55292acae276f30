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
    PT_TRY(pt_writer_init(&writer, sink, context, e->task, err));
    PT_TRY(e->format->write(e->model, e->data, &writer, e->task, err));
    return pt_writer_flush(&writer, err);
}

static pt_status find_writer(const pt_model_format **format, const char *name, pt_error *err)
{
    PT_TRY(find_format(format, name, err));
    if (!(*format)->write)
        return pt_fail(err, PT_EINVAL, "%s files are read only; libsvm is written", name);
    return PT_OK;
}

pt_status pt_model_export(const pt_model *model, const char *path, const char *format,
                          const pt_dataset *data, pt_task *task, pt_error *err)
{
    exported e = {NULL, model, data, task};
    pt_task_enter(task, "export");
    PT_TRY(find_writer(&e.format, format, err));
    return pt_write_with(path, fill, &e, err);
}

/* What has been written, in memory that grows. */
typedef struct grown {
    char *bytes;
    int64_t size;
    int64_t room;
} grown;

static pt_status take_bytes(void *context, const char *bytes, size_t size, pt_error *err)
{
    grown *g = context;
    if (g->size + (int64_t)size > g->room) {
        const int64_t room = 2 * g->room + (int64_t)size;
        PT_TRY(pt_alloc_grow((void **)&g->bytes, g->room, room, 1, "an export", err));
        g->room = room;
    }
    memcpy(g->bytes + g->size, bytes, size);
    g->size += (int64_t)size;
    return PT_OK;
}

pt_status pt_model_export_memory(void **bytes, size_t *size, const pt_model *model,
                                 const char *format, const pt_dataset *data, pt_task *task,
                                 pt_error *err)
{
    exported e = {NULL, model, data, task};
    grown g = {0};
    PT_TRY(find_writer(&e.format, format, err));
    const pt_status status = fill(&e, take_bytes, &g, err);
    if (status != PT_OK) {
        pt_free(g.bytes);
        return status;
    }
    *bytes = g.bytes;
    *size = (size_t)g.size;
    return PT_OK;
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
