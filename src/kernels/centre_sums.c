/* Kernel values times coefficients, while the values are in the cache.
 *
 *   coef   panel after panel of centres; in each strip after strip of outputs, at most
 *          PT_STRIP_BYTES of them; in each centre after centre: the numbers that are read together
 *          lie together, and none is there but they (PT_STRIP_BYTES behind the last are 0)
 *   sums   n x ld   of a block of rows, for the group that is being summed
 *
 * Within a panel the centres of a group are added up in their order, and that to the sum of those
 * before: partial sums keep what float32 would lose over many centres. */
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "kernels/centre_loops.h"
#include "kernels/centres.h"
#include "kernels/gram_rows.h"

pt_status pt_coefficients_lay(void **out, int64_t n, int64_t m, pt_type type,
                              pt_coefficients_fn coefficients, const void *of, const pt_task *task,
                              pt_error *err)
{
    const int64_t lanes = pt_panel_lanes(type);
    const int64_t strip = pt_strip_outputs(type);
    const int64_t panels = (n + lanes - 1) / lanes;
    size_t cells = 0;
    if (!pt_size_mul((size_t)(panels * lanes), (size_t)m, &cells) ||
        cells > (size_t)INT64_MAX / sizeof(double) - (size_t)strip)
        return pt_fail_memory(err, "coefficients", SIZE_MAX);
    PT_SCRATCH void *laid =
        pt_alloc((int64_t)cells + strip, pt_type_size(type), "coefficients", err);
    if (!laid)
        return PT_ENOMEM;
    int64_t at = 0;
    for (int64_t p = 0; p < panels; p++) {
        PT_TRY(pt_task_check_row(task, p, lanes * m, err));
        for (int64_t s0 = 0; s0 < m; s0 += strip)
            for (int64_t i = p * lanes; i < (p + 1) * lanes; i++) {
                double row[PT_STRIP_BYTES / sizeof(float)] = {0};
                const int64_t count = pt_lesser(strip, m - s0);
                if (i < n)
                    coefficients(of, i, s0, count, row);
                for (int64_t s = 0; s < count; s++)
                    pt_real_set(type, laid, at++, row[s]);
            }
    }
    memset(pt_real_at(type, laid, at), 0, PT_STRIP_BYTES);
    *out = pt_keep(&laid);
    return PT_OK;
}

double pt_coefficients_bytes(int64_t n, int64_t m, pt_type type)
{
    const int64_t lanes = pt_panel_lanes(type);
    const double padded = (double)pt_round_up(n, lanes);
    return padded * (double)m * (double)pt_type_size(type) + PT_STRIP_BYTES;
}

typedef struct summing {
    const pt_centre_sums *of;
    pt_type type;
    int64_t ld;
    const pt_centre_loops *loops;
    pt_group_sums_fn take;
    void *context;
} summing;

/* sums += what centres j .. j + count of one panel, from lane `lane` of the block's panel on, make
 * of the coefficients. */
static void add_centres(const summing *s, const pt_centre_block *block, int64_t j, int64_t count,
                        void *sums)
{
    const pt_type type = s->type;
    const int64_t lanes = pt_panel_lanes(type);
    const int64_t m = s->of->m;
    const int64_t strip = pt_strip_outputs(type);
    const int64_t panel = (j - block->first) / lanes;
    const int64_t lane = j % lanes;
    const void *value =
        pt_real_at(type, block->value, panel * block->panel_step + lane * block->centre_step);
    const void *coef = pt_real_at(type, s->of->coef, j / lanes * lanes * m);
    for (int64_t s0 = 0; s0 < m; s0 += strip) {
        const int64_t outputs = pt_lesser(strip, m - s0);
        s->loops->weigh(value, block->row_step, block->centre_step, block->n, count,
                        pt_real_at(type, coef, s0 * lanes + lane * outputs), outputs, outputs, true,
                        pt_real_at(type, sums, s0), s->ld);
    }
}

static void sum_block(void *context, const pt_centre_block *block, void *own)
{
    const summing *s = context;
    const int64_t *first = s->of->first;
    const int64_t end = block->first + block->count;
    const int64_t lanes = pt_panel_lanes(s->type);
    int64_t g = 0;
    while (first[g + 1] <= block->first)
        g++;
    for (int64_t j = block->first; j < end;) {
        const int64_t panel_end = (j / lanes + 1) * lanes;
        const int64_t to = pt_lesser(pt_lesser(panel_end, end), first[g + 1]);
        add_centres(s, block, j, to - j, own);
        j = to;
        if (j < first[g + 1])
            continue;
        s->take(s->context, g, block->row, block->n, own, s->ld);
        memset(own, 0, (size_t)(block->n * s->ld) * pt_type_size(s->type));
        for (g++; g < s->of->groups && first[g + 1] <= j;)
            g++;
    }
}

pt_status pt_centre_sums_of(const pt_centre_sums *sums, const pt_rows *rows, pt_group_sums_fn take,
                            void *context, const pt_task *task, pt_error *err)
{
    const pt_type type = pt_centres_type(sums->centres);
    const int64_t strip = pt_strip_outputs(type);
    summing s = {.of = sums,
                 .type = type,
                 .ld = (sums->m + strip - 1) / strip * strip,
                 .loops = pt_centre_loops_of(type),
                 .take = take,
                 .context = context};
    return pt_centres_meet(sums->centres, rows, sums->kernel, (size_t)s.ld * pt_type_size(type),
                           sum_block, &s, "kernel values", task, err);
}
