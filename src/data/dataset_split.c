/* A test set: which rows of a data set are set aside to judge by. Of each class, in whole groups or
 * folds, or the last ones by time. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/split.h"
#include "params/params.h"

pt_status pt_split_check_share(double share, pt_error *err)
{
    if (share > 0 && share < 1)
        return PT_OK;
    return pt_fail(err, PT_EINVAL,
                   "a test set is a share of the rows above 0 and below 1, as in 0.2, and not %g",
                   share);
}

/* How many rows the test set has: the nearest number to the share. */
static pt_status count_test(int64_t *m, int64_t n, double share, pt_error *err)
{
    *m = llround(share * (double)n);
    if (*m >= 1 && *m < n)
        return PT_OK;
    return pt_fail(err, PT_EINVAL, "a share of %g of %lld row%s leaves nothing to %s", share,
                   (long long)n, n == 1 ? "" : "s", *m < 1 ? "test on" : "train on");
}

pt_status pt_dataset_split(int8_t *part, const pt_dataset *data, double share,
                           const pt_params *params, pt_error *err)
{
    const pt_ties ties = pt_ties_of(data);
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    const bool by_class = data->labels && data->labels->kind == PT_LABEL_CLASS &&
                          strcmp(pt_params_text(params, PT_P_STRATIFY), "yes") == 0;
    const int64_t *class_of = by_class ? data->labels->class_of : NULL;
    const int64_t k = by_class ? pt_labels_n_classes(data->labels) : 0;
    int64_t m = 0;
    PT_SCRATCH int64_t *rows = NULL;
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    PT_TRY(pt_split_check_share(share, err));
    PT_TRY(count_test(&m, data->n, share, err));
    PT_TRY(pt_ties_check(data, data, err));
    PT_TRY(pt_blocks_init(&blocks, &ties, data->n, err));
    PT_TRY(PT_NEW(rows, data->n, "a test set", err));
    if (blocks.of && !blocks.past)
        return pt_block_part(part, data->n, class_of, k, &blocks, share, seed, err);
    if (blocks.past)
        PT_TRY(pt_block_sample(rows, &m, data->n, &blocks, seed, err));
    else
        PT_TRY(pt_sample(rows, m, data->n, class_of, k, seed, err));
    memset(part, 0, (size_t)data->n * sizeof *part);
    for (int64_t a = 0; a < m; a++)
        part[rows[a]] = 1;
    return PT_OK;
}
