/* ASS section 6, Figure 3: x ~ N(0, 1), classes by |x|, equally many examples in each.
 *
 * Thresholds 0 = theta_0 < theta_1 < ... < theta_k = infinity are set by the data so that every
 * class has n / k examples (the paper: 100); x belongs to class j if theta_{j-1} <= |x| < theta_j.
 * That is the rank of |x|: class 1 + floor(rank * k / n). Where k does not divide n sizes differ by
 * one.
 *
 * Test data is labelled by the training thresholds in the paper; as thresholds belong to a data
 * set, an experiment takes them from the largest |x| of each class. */
#include <math.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "data/synth/synth.h"

enum { EXAMPLES_PER_CLASS = 100 };

typedef struct ranked {
    double size; /* |x| */
    int64_t example;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->example > y->example) - (x->example < y->example);
}

/* class_number <- 1..k by rank. Class j takes ranks floor(j n / k) onwards, without products that
 * could overflow: `credit` gathers k for each example and pays n for each new class. */
static pt_status label_by_rank(int64_t *class_number, const ranked *by_size, int64_t n, int64_t k,
                               const pt_task *task, pt_error *err)
{
    int64_t credit = 0;
    int64_t class_now = 1;
    for (int64_t rank = 0; rank < n; rank++) {
        PT_TRY(pt_task_check_at(task, rank, err));
        class_number[by_size[rank].example] = class_now;
        credit += k;
        if (credit >= n) {
            credit -= n;
            class_now++;
        }
    }
    return PT_OK;
}

static pt_status ass_fill(pt_dataset *data, int64_t k, const pt_params *params, const pt_task *task,
                          pt_error *err)
{
    const int64_t n = data->n;
    double *x = data->value;
    PT_SCRATCH int64_t *class_number = NULL;
    PT_TRY(PT_NEW(class_number, n, "labels", err));
    PT_SCRATCH ranked *by_size = NULL;
    PT_TRY(PT_NEW(by_size, n, "a synthetic problem", err));
    pt_random random;
    pt_synth_random(&random, params, PT_SYNTH_ASS);
    for (int64_t i = 0; i < n; i++) {
        PT_TRY(pt_task_check_at(task, i, err));
        x[i] = pt_random_normal(&random);
        by_size[i] = (ranked){fabs(x[i]), i};
    }
    PT_TRY(pt_sort(by_size, n, sizeof *by_size, compare_ranked, "a synthetic problem", task, err));
    PT_TRY(label_by_rank(class_number, by_size, n, k, task, err));
    return pt_synth_finish(data, k, class_number, task, err);
}

static pt_status ass_make(pt_dataset **out, int64_t n, const pt_params *params, const pt_task *task,
                          pt_error *err)
{
    const int64_t k = pt_params_integer(params, PT_P_CLASSES);
    if (n == 0)
        n = EXAMPLES_PER_CLASS * k;
    if (n < k)
        return pt_fail(err, PT_EINVAL, "ass: %lld examples for %lld classes; each needs one",
                       (long long)n, (long long)k);
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_synth_begin(&data, "ass", n, 1, err));
    PT_TRY(ass_fill(data, k, params, task, err));
    *out = pt_keep(&data);
    return PT_OK;
}

const pt_synth pt_synth_ass = {
    .name = "ass",
    .summary = "x ~ N(0,1), classes by |x|, equally many examples in each (ASS Figure 3)",
    .default_n = 4 * EXAMPLES_PER_CLASS,
    .uses_classes = true,
    .make = ass_make,
};
