/* CS Figure 5: points uniform in the square [-1, 1]^2, the class is the quadrant: 1 for x1, x2 >=
 * 0, then anticlockwise, 2 for x1 < 0 <= x2, and so on. The paper has 10 to 250 points. */
#include "base/alloc.h"
#include "data/synth.h"

enum { MOST_POINTS = 250 };

static int64_t quadrant(double x1, double x2)
{
    if (x2 >= 0)
        return x1 >= 0 ? 1 : 2;
    return x1 < 0 ? 3 : 4;
}

static pt_status cs_make(pt_dataset **out, int64_t n, const pt_params *params, pt_error *err)
{
    if (n == 0)
        n = MOST_POINTS;
    pt_dataset *data = NULL;
    pt_status status = pt_synth_begin(&data, "cs", n, 2, err);
    if (status != PT_OK)
        return status;
    int64_t *class_number = pt_alloc(n, sizeof *class_number, "labels", err);
    if (!class_number) {
        pt_dataset_free(data);
        return PT_ENOMEM;
    }
    pt_random random;
    pt_synth_random(&random, params, PT_SYNTH_CS);
    double *x = data->value;
    for (int64_t i = 0; i < n; i++) {
        x[2 * i] = 2 * pt_random_uniform(&random) - 1;
        x[2 * i + 1] = 2 * pt_random_uniform(&random) - 1;
        class_number[i] = quadrant(x[2 * i], x[2 * i + 1]);
    }
    status = pt_synth_finish(data, class_number, err);
    pt_free(class_number);
    if (status != PT_OK) {
        pt_dataset_free(data);
        return status;
    }
    *out = data;
    return PT_OK;
}

extern const pt_synth pt_synth_cs;
const pt_synth pt_synth_cs = {
    .name = "cs",
    .summary = "uniform points of a square, the class is the quadrant (CS Figure 5)",
    .default_n = MOST_POINTS,
    .uses_classes = false,
    .make = cs_make,
};
