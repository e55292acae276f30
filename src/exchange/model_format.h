/* Model files of other programs: one table entry each. */
#ifndef PT_EXCHANGE_MODEL_FORMAT_H
#define PT_EXCHANGE_MODEL_FORMAT_H

#include "data/read/write.h"
#include "model/model.h"

typedef struct pt_model_format {
    const char *name;
    const char *summary;
    /* NULL: cannot be written. `data` is what the model was trained on, or NULL. What the other
     * program will not know of is a remark on the task (PT_WARNING). */
    pt_status (*write)(const pt_model *model, const pt_dataset *data, pt_writer *writer,
                       const pt_task *task, pt_error *err);
    /* NULL: cannot be read. The bytes may be hostile. `n_features`: as many at least; -1: any
     * number. */
    pt_status (*read)(pt_model **out, const char *bytes, size_t size, const char *source,
                      int64_t n_features, const pt_task *task, pt_error *err);
    bool (*detect)(const char *bytes, size_t size); /* NULL: only by its name */
} pt_model_format;

pt_status pt_libsvm_write(const pt_model *model, const pt_dataset *data, pt_writer *writer,
                          const pt_task *task, pt_error *err);

extern const pt_model_format pt_model_format_libsvm;
extern const pt_model_format pt_model_format_libsvm_proba;
extern const pt_model_format pt_model_format_svm_scale;
extern const pt_model_format *const pt_model_formats[]; /* ended by NULL */

#endif
