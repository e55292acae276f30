/* The scaling of a model as a range file of LIBSVM's svm-scale, for svm-scale -r.
 *
 * svm-scale maps [least, most] of a feature to [-1, 1]; ours is (v - center) * factor, and so least
 * and most are center -+ 1/factor. A constant feature, factor 0, becomes 0 in both: there least and
 * most are the same. */
#include <stdio.h>

#include "exchange/model_format.h"

static pt_status put_range(pt_writer *writer, const pt_scaling *scaling, pt_error *err)
{
    char text[32];
    const double reach = scaling->factor > 0 ? 1 / scaling->factor : 0;
    const int length = snprintf(text, sizeof text, "%lld ", (long long)scaling->column + 1);
    PT_TRY(pt_writer_put(writer, text, (size_t)length, err));
    PT_TRY(pt_writer_number(writer, scaling->center - reach, err));
    PT_TRY(pt_writer_put(writer, " ", 1, err));
    PT_TRY(pt_writer_number(writer, scaling->center + reach, err));
    return pt_writer_put(writer, "\n", 1, err);
}

static pt_status svm_scale_write(const pt_model *model, const pt_dataset *data, pt_writer *writer,
                                 const pt_task *task, pt_error *err)
{
    static const char HEAD[] = "x\n-1 1\n";
    (void)data;
    (void)task;
    PT_TRY(pt_prepare_only_scales(model->prepare, "svm-scale", err));
    if (!pt_prepare_scales(model->prepare))
        return pt_fail(err, PT_EINVAL,
                       "the model does not scale its data; there is no range to write");
    PT_TRY(pt_writer_put(writer, HEAD, sizeof HEAD - 1, err));
    pt_scaling scaling = {0};
    for (int64_t s = 0; pt_prepare_scaling(model->prepare, s, &scaling); s++)
        PT_TRY(put_range(writer, &scaling, err));
    return PT_OK;
}

const pt_model_format pt_model_format_svm_scale = {
    .name = "svm-scale",
    .summary = "the scaling of a model as a range file of svm-scale -r",
    .write = svm_scale_write,
};
