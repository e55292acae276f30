/* Fuzzing the reader of LIBSVM models: any bytes are refused, or make a model that predicts and
 * that is written again as LIBSVM has it. */
#include <stdlib.h>
#include <string.h>

#include "../tests/support/from_memory.h"
#include "base/task.h"
#include "exchange/model_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef struct grown {
    char *text;
    size_t size;
} grown;

static pt_status collect(void *context, const char *bytes, size_t size, pt_error *err)
{
    grown *g = context;
    (void)err;
    char *text = realloc(g->text, g->size + size);
    if (!text)
        abort();
    memcpy(text + g->size, bytes, size);
    g->text = text;
    g->size += size;
    return PT_OK;
}

static void predict(const pt_model *model, pt_task *task)
{
    static const int64_t start[] = {0, 3, 4};
    static const int64_t index[] = {0, 1, 3, 2};
    static const double value[] = {1, -2, 1e30, 0.5};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_prediction *prediction = NULL;
    if (dataset_from_csr(&data, start, index, value, 2, 4, &err) != PT_OK)
        return;
    if (pt_model_predict(&prediction, model, data, -1, task, &err) == PT_OK)
        pt_prediction_free(prediction);
    pt_dataset_free(data);
}

/* What we write we must read; a linear kernel's sums may have overflowed on the way. */
static void write_and_read(const pt_model *model, pt_task *task)
{
    pt_error err = PT_ERROR_INIT;
    pt_writer writer;
    grown g = {NULL, 0};
    pt_model *back = NULL;
    if (pt_writer_init(&writer, collect, &g, NULL, &err) != PT_OK)
        return;
    if (pt_libsvm_write(model, NULL, &writer, task, &err) == PT_OK &&
        pt_writer_flush(&writer, &err) == PT_OK &&
        pt_model_format_libsvm.read(&back, g.text, g.size, "again", 0, task, &err) == PT_EFORMAT)
        abort();
    pt_model_free(back);
    pt_writer_free(&writer);
    free(g.text);
}

static void try_format(const pt_model_format *format, const uint8_t *bytes, size_t size,
                       pt_task *task)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    if (format->read(&model, (const char *)bytes, size, "fuzz", 0, task, &err) != PT_OK)
        return;
    predict(model, task);
    write_and_read(model, task);
    pt_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    if (pt_task_new(&task, &err) != PT_OK)
        return 0;
    pt_task_set_threads(task, 1);
    pt_task_set_memory(task, 64 << 20);
    try_format(&pt_model_format_libsvm, bytes, size, task);
    try_format(&pt_model_format_libsvm_proba, bytes, size, task);
    pt_task_free(task);
    return 0;
}
