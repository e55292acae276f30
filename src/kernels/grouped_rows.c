/* Kernel values of one row against the rows of a group.
 *
 * The rows of a group lie in panels of as many rows as fill PT_PANEL_BYTES, feature by feature, so
 * that one row z meets a panel with one multiplication for a vector of rows and a feature; sums
 * stay in registers (kernels/loops.h). Features where z is 0 are skipped. Distances do not change
 * when a vector c is subtracted from all rows:
 *
 *   c = the commonest value of each feature    where that makes many zeros (the ink of a scanned
 *                                              digit is rare) and norms not much longer
 *   c = the mean                               else: ||x||^2 + ||z||^2 - 2 x.z cancels least
 *
 * both from a sample of the rows.
 *
 *   panel    panels x d x lanes    groups begin with a panel; what fills up the last one is 0
 *   row      n x d                 the rows once more, as z; or
 *   listed   sum of (nnz + 1)      their features and values, where there are zeros to skip
 *
 * Sparse rows are filled out where they are not very sparse; others, and a program's kernel, go
 * through blocks of kernels/gram.h, which is slower. A precomputed kernel is read where it is. */
#include "kernels/kernel_segments.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "kernels/gram_rows.h"
#include "kernels/kernel_store.h"
#include "kernels/loops.h"

enum {
    SAMPLE = 64,      /* rows that the centre is chosen by */
    LISTED_SHARE = 8, /* rows are listed where one value of so many is 0 */
    LONGER = 4,       /* sums of squares may be so many times those around the mean */
    FULLER = 4 /* sparse rows are filled out where that takes at most so many times their bytes */
};

struct pt_grouped_rows {
    pt_kernel kernel;
    pt_type type;
    int64_t n;
    int64_t d;
    int64_t groups;
    int64_t lanes;
    pt_rows source;
    int64_t *order;
    int64_t *first;
    double *diagonal; /* n */

    int64_t *first_panel; /* groups + 1 */
    double *centre;       /* d, or NULL: 0 */
    void *panel;
    void *norm;      /* panels x lanes: x.x */
    double *norm_of; /* n: the same by row */
    void *row;       /* n x d, or NULL: */
    int64_t *start;  /* n + 1: where the list of a row begins */
    int32_t *feature;
    void *value;

    pt_rows_owned sorted; /* where blocks are used instead of panels */
    pt_gram *gram;
};

void pt_grouped_rows_free(pt_grouped_rows *g)
{
    if (!g)
        return;
    pt_gram_free(g->gram);
    pt_rows_owned_free(&g->sorted);
    pt_free(g->value);
    pt_free(g->feature);
    pt_free(g->start);
    pt_free(g->row);
    pt_free(g->norm_of);
    pt_free(g->norm);
    pt_free(g->panel);
    pt_free(g->centre);
    pt_free(g->first_panel);
    pt_free(g->diagonal);
    pt_free(g->first);
    pt_free(g->order);
    pt_free(g);
}

/* ---- which way ------------------------------------------------------------------------------- */

int64_t pt_segment_width(int64_t count, pt_type type)
{
    const int64_t lanes = PT_PANEL_BYTES / (int64_t)pt_type_size(type);
    return (count + lanes - 1) / lanes * lanes;
}

static double panel_bytes(const pt_rows *rows, int64_t groups)
{
    const double lanes = PT_PANEL_BYTES / (double)pt_type_size(rows->type);
    return ((double)rows->n + lanes * (double)groups) * (double)rows->d *
           (double)pt_type_size(rows->type);
}

/* Decided by the rows alone, not by memory: the two ways round differently. */
static bool in_panels(const pt_rows *rows, int64_t groups, const pt_kernel_ops *kernel)
{
    if (kernel->base == PT_BASE_ROW || kernel->base == PT_BASE_OWN || rows->d >= INT32_MAX)
        return false;
    const double stored =
        (double)pt_rows_stored(rows) * (double)(pt_type_size(rows->type) + sizeof(int64_t));
    return rows->dense || panel_bytes(rows, groups) <= FULLER * stored;
}

double pt_grouped_rows_bytes(const pt_rows *rows, int64_t groups, const pt_kernel_ops *kernel)
{
    const double lists = 6.0 * (double)(rows->n + groups + 1) * sizeof(double);
    const double size = (double)pt_type_size(rows->type);
    if (kernel->base == PT_BASE_ROW)
        return lists;
    if (in_panels(rows, groups, kernel))
        return lists + panel_bytes(rows, groups) +
               (double)pt_rows_stored(rows) * (size + (rows->dense ? 0 : sizeof(int32_t)));
    return lists + (double)pt_rows_stored(rows) * (size + (rows->dense ? 0 : sizeof(int64_t))) +
           (double)pt_gram_bytes(rows, kernel->base, rows->type);
}

/* ---- rows as they are used ------------------------------------------------------------------- */

#define T float
#define NAME(f) f##_f32
#include "kernels/grouped_rows_body.h"
#undef T
#undef NAME

#define T double
#define NAME(f) f##_f64
#include "kernels/grouped_rows_body.h"

static void fill(const pt_grouped_rows *g, int64_t i, void *out)
{
    if (g->type == PT_F32)
        fill_f32(g, i, out);
    else
        fill_f64(g, i, out);
}

/* ---- the centre ------------------------------------------------------------------------------ */

/* The commonest of `count` values, which are sorted meanwhile; the least of several. */
static double commonest(double *value, int64_t count, int64_t *times)
{
    double best = 0;
    *times = 0;
    qsort(value, (size_t)count, sizeof *value, pt_ascending);
    for (int64_t from = 0, to = 0; from < count; from = to) {
        while (to < count && value[to] == value[from])
            to++;
        if (to - from > *times) {
            *times = to - from;
            best = value[from];
        }
    }
    return best;
}

static double sample_of(const pt_grouped_rows *g, int64_t f, int64_t s, int64_t count)
{
    const pt_rows *rows = &g->source;
    const int64_t r = (int64_t)((double)s * (double)rows->n / (double)count);
    return pt_rows_value(rows, rows->dense, r * rows->stride + f);
}

typedef struct centre_pass {
    double *mean;
    double *common;
    double around_mean; /* sums of squares */
    double around_common;
    int64_t zeros; /* of the sample, less the commonest values */
} centre_pass;

static void sample_feature(const pt_grouped_rows *g, int64_t f, int64_t count, centre_pass *c)
{
    double value[SAMPLE] = {0};
    double sum = 0;
    int64_t times = 0;
    for (int64_t s = 0; s < count; s++) {
        value[s] = sample_of(g, f, s, count);
        sum += value[s];
    }
    c->mean[f] = sum / (double)count;
    c->common[f] = commonest(value, count, &times);
    c->zeros += times;
    for (int64_t s = 0; s < count; s++) {
        c->around_mean += (value[s] - c->mean[f]) * (value[s] - c->mean[f]);
        c->around_common += (value[s] - c->common[f]) * (value[s] - c->common[f]);
    }
}

/* Chooses the centre, and whether rows are listed. */
static pt_status choose_centre(pt_grouped_rows *g, bool *listed, pt_error *err)
{
    const int64_t count = g->n < SAMPLE ? g->n : SAMPLE;
    int64_t zeros = 0;
    *listed = false;
    if (g->kernel.ops->base == PT_BASE_L1_DISTANCE)
        return PT_OK;
    if (!g->source.dense) {
        *listed = true;
        return PT_OK;
    }
    if (g->kernel.ops->base == PT_BASE_DOT) {
        for (int64_t f = 0; f < g->d; f++)
            for (int64_t s = 0; s < count; s++)
                zeros += sample_of(g, f, s, count) == 0;
        *listed = zeros * LISTED_SHARE > count * g->d;
        return PT_OK;
    }
    PT_SCRATCH double *mean = pt_alloc(g->d, sizeof(double), "a centre", err);
    PT_SCRATCH double *common = pt_alloc(g->d, sizeof(double), "a centre", err);
    if (!mean || !common)
        return PT_ENOMEM;
    centre_pass c = {.mean = mean, .common = common};
    for (int64_t f = 0; f < g->d; f++)
        sample_feature(g, f, count, &c);
    *listed = c.zeros * LISTED_SHARE > count * g->d && c.around_common <= LONGER * c.around_mean;
    g->centre = *listed ? pt_keep(&common) : pt_keep(&mean);
    return PT_OK;
}

/* ---- panels ---------------------------------------------------------------------------------- */

typedef struct block_filler {
    pt_grouped_rows *g;
    char *buffer; /* of each worker: lanes x d, where rows are listed */
    size_t buffer_bytes;
} block_filler;

static pt_status fill_panel(void *context, int64_t p, int worker, pt_error *err)
{
    (void)err;
    const block_filler *work = context;
    pt_grouped_rows *g = work->g;
    int64_t group = 0; /* the last one that begins at p or before */
    for (int64_t high = g->groups; high - group > 1;) {
        const int64_t middle = group + (high - group) / 2;
        if (g->first_panel[middle] <= p)
            group = middle;
        else
            high = middle;
    }
    const int64_t from = g->first[group] + (p - g->first_panel[group]) * g->lanes;
    const int64_t left = g->first[group + 1] - from;
    const int64_t count = left < g->lanes ? left : g->lanes;
    char *rows = g->row ? pt_real_at(g->type, g->row, from * g->d)
                        : work->buffer + (size_t)worker * work->buffer_bytes;
    void *panel = pt_real_at(g->type, g->panel, p * g->lanes * g->d);
    for (int64_t r = 0; r < count; r++) {
        void *row = pt_real_at(g->type, rows, r * g->d);
        fill(g, from + r, row);
        if (g->start)
            g->start[from + r + 1] =
                1 + (g->type == PT_F32 ? count_f32(row, g->d) : count_f64(row, g->d));
    }
    if (g->type == PT_F32)
        turn_f32((const float *)(void *)rows, count, g->d, panel);
    else
        turn_f64((const double *)(void *)rows, count, g->d, panel);
    if (g->norm) {
        void *norm = pt_real_at(g->type, g->norm, p * g->lanes);
        pt_loops_of(pt_isa_chosen(), g->type)->panel_norms(panel, g->d, norm);
        for (int64_t r = 0; r < count; r++)
            g->norm_of[from + r] = pt_real_get(g->type, norm, r);
    }
    return PT_OK;
}

/* Lists a block of rows. */
static pt_status list_rows(void *context, int64_t block, int worker, pt_error *err)
{
    (void)err;
    const block_filler *work = context;
    pt_grouped_rows *g = work->g;
    void *row = work->buffer + (size_t)worker * work->buffer_bytes;
    const int64_t end = (block + 1) * g->lanes < g->n ? (block + 1) * g->lanes : g->n;
    for (int64_t i = block * g->lanes; i < end; i++) {
        int32_t *feature = g->feature + g->start[i];
        void *value = pt_real_at(g->type, g->value, g->start[i]);
        fill(g, i, row);
        if (g->type == PT_F32)
            list_f32(row, g->d, feature, value);
        else
            list_f64(row, g->d, feature, value);
    }
    return PT_OK;
}

static pt_status make_lists(block_filler *work, const pt_task *task, pt_error *err)
{
    pt_grouped_rows *g = work->g;
    g->start[0] = 0;
    for (int64_t i = 0; i < g->n; i++)
        g->start[i + 1] += g->start[i];
    g->feature = pt_alloc(g->start[g->n], sizeof *g->feature, "rows in lists", err);
    g->value = pt_alloc(g->start[g->n], pt_type_size(g->type), "rows in lists", err);
    if (!g->feature || !g->value)
        return PT_ENOMEM;
    return pt_parallel_for(task, (g->n + g->lanes - 1) / g->lanes, list_rows, work, err);
}

static pt_status make_panels(pt_grouped_rows *g, const pt_task *task, pt_error *err)
{
    const size_t size = pt_type_size(g->type);
    bool listed = false;
    PT_TRY(choose_centre(g, &listed, err));
    PT_TRY(PT_NEW(g->first_panel, g->groups + 1, "rows in panels", err));
    g->first_panel[0] = 0;
    for (int64_t c = 0; c < g->groups; c++)
        g->first_panel[c + 1] =
            g->first_panel[c] + (g->first[c + 1] - g->first[c] + g->lanes - 1) / g->lanes;
    const int64_t panels = g->first_panel[g->groups];
    block_filler work = {.g = g, .buffer_bytes = pt_arena_need(g->lanes * g->d, size)};
    PT_SCRATCH char *buffer =
        pt_alloc(listed ? pt_parallel_workers(task, panels) : 0, work.buffer_bytes, "rows", err);
    g->panel = pt_alloc(panels * g->lanes, (size_t)g->d * size, "rows in panels", err);
    if (!g->panel || !buffer)
        return PT_ENOMEM;
    work.buffer = buffer;
    if (listed)
        PT_TRY(PT_NEW(g->start, g->n + 1, "rows in lists", err));
    else if (!(g->row = pt_alloc(g->n, (size_t)g->d * size, "rows", err)))
        return PT_ENOMEM;
    if (g->kernel.ops->base != PT_BASE_L1_DISTANCE) {
        PT_TRY(PT_NEW(g->norm_of, g->n, "squared norms", err));
        if (!(g->norm = pt_alloc(panels * g->lanes, size, "squared norms", err)))
            return PT_ENOMEM;
    }
    PT_TRY(pt_parallel_for(task, panels, fill_panel, &work, err));
    return listed ? make_lists(&work, task, err) : PT_OK;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* As segments have it: 0 is the distance of a row from itself. */
static pt_status make_diagonal(pt_grouped_rows *g, pt_error *err)
{
    if (g->gram)
        return pt_kernel_diagonal(g->gram, &g->kernel, g->diagonal, err);
    const pt_rows *rows = &g->source;
    for (int64_t i = 0; i < g->n; i++) {
        const int64_t r = g->order[i];
        double value[1] = {0};
        float narrow[1] = {0};
        if (g->kernel.ops->base == PT_BASE_ROW)
            value[0] = pt_rows_value(rows, rows->dense, r * rows->stride + r);
        else if (g->kernel.ops->base == PT_BASE_DOT)
            value[0] = g->norm_of[i];
        narrow[0] = (float)value[0];
        pt_kernel_map(&g->kernel, g->type, 1, 1, g->type == PT_F32 ? (void *)narrow : value, 1);
        g->diagonal[i] = g->type == PT_F32 ? (double)narrow[0] : value[0];
    }
    return PT_OK;
}

static void free_at(pt_grouped_rows **address)
{
    pt_grouped_rows_free(*address);
}

pt_status pt_grouped_rows_new(pt_grouped_rows **out, const pt_rows *rows, const int64_t *order,
                              const int64_t *first, int64_t groups, const pt_kernel *kernel,
                              const pt_task *task, pt_error *err)
{
    const bool read = kernel->ops->base == PT_BASE_ROW;
    if (read && (rows->d != rows->n || !rows->dense))
        return pt_fail(err, PT_EINVAL, "a precomputed kernel is a dense, square matrix");
    PT_FREED_BY(free_at) pt_grouped_rows *g = NULL;
    PT_TRY(PT_NEW_ZERO(g, 1, "rows in groups", err));
    g->kernel = *kernel;
    g->type = rows->type;
    g->n = rows->n;
    g->d = rows->d;
    g->groups = groups;
    g->lanes = PT_PANEL_BYTES / (int64_t)pt_type_size(rows->type);
    g->source = *rows;
    PT_TRY(PT_NEW(g->order, g->n, "rows in groups", err));
    PT_TRY(PT_NEW(g->first, groups + 1, "rows in groups", err));
    PT_TRY(PT_NEW(g->diagonal, g->n, "rows in groups", err));
    memcpy(g->order, order, (size_t)g->n * sizeof *order);
    memcpy(g->first, first, (size_t)(groups + 1) * sizeof *first);
    if (in_panels(rows, groups, kernel->ops)) {
        PT_TRY(make_panels(g, task, err));
    } else if (!read) {
        PT_TRY(pt_rows_select(&g->sorted, rows, g->order, g->n, task, err));
        PT_TRY(pt_gram_new(&g->gram, &g->sorted.rows, kernel->ops, g->type, task, err));
    }
    PT_TRY(make_diagonal(g, err));
    *out = pt_keep(&g);
    return PT_OK;
}

pt_type pt_grouped_rows_type(const pt_grouped_rows *g)
{
    return g->type;
}

int64_t pt_grouped_rows_groups(const pt_grouped_rows *g)
{
    return g->groups;
}

const int64_t *pt_grouped_rows_first(const pt_grouped_rows *g)
{
    return g->first;
}

const double *pt_grouped_rows_diagonal(const pt_grouped_rows *g)
{
    return g->diagonal;
}

/* ---- segments -------------------------------------------------------------------------------- */

size_t pt_grouped_rows_scratch(const pt_grouped_rows *g)
{
    int64_t most = 0;
    for (int64_t c = 0; c < g->groups && g->gram; c++)
        if (g->first[c + 1] - g->first[c] > most)
            most = g->first[c + 1] - g->first[c];
    return g->gram ? pt_gram_scratch(g->gram, g->gram, most, 1) : 0;
}

static void panel_segment(const pt_grouped_rows *g, int64_t i, int64_t group, void *segment)
{
    const pt_loops *loops = pt_loops_of(pt_isa_chosen(), g->type);
    const pt_kernel_base base = g->kernel.ops->base;
    const int64_t p = g->first_panel[group];
    const int64_t lists = g->row ? i * g->d : g->start[i];
    const pt_panel_row z = {.panel = pt_real_at(g->type, g->panel, p * g->lanes * g->d),
                            .panels = g->first_panel[group + 1] - p,
                            .width = g->d,
                            .feature = g->row ? NULL : g->feature + lists,
                            .value = pt_real_at(g->type, g->row ? g->row : g->value, lists)};
    if (base == PT_BASE_SQUARED_DISTANCE) {
        const double scale = -pt_kernel_scale(0.5, g->kernel.sigma, g->kernel.sigma, g->type);
        loops->row_rbf(&z, pt_real_at(g->type, g->norm, p * g->lanes), g->norm_of[i], scale,
                       segment);
        return;
    }
    if (base == PT_BASE_DOT)
        loops->row_dot(&z, segment);
    else
        loops->row_l1(&z, segment);
    pt_kernel_map(&g->kernel, g->type, z.panels * g->lanes, 1, segment, 1);
}

static void read_segment(const pt_grouped_rows *g, int64_t i, int64_t group, void *segment)
{
    const pt_rows *rows = &g->source;
    const int64_t from = g->first[group];
    const int64_t row = g->order[i] * rows->stride;
    for (int64_t j = from; j < g->first[group + 1]; j++)
        pt_real_set(g->type, segment, j - from,
                    pt_rows_value(rows, rows->dense, row + g->order[j]));
}

pt_status pt_grouped_rows_segment(const pt_grouped_rows *g, int64_t i, int64_t group, void *segment,
                                  void *scratch, pt_error *err)
{
    const int64_t from = g->first[group];
    const int64_t count = g->first[group + 1] - from;
    if (g->panel)
        panel_segment(g, i, group, segment);
    else if (g->gram)
        PT_TRY(pt_gram_block_mapped(g->gram, from, count, g->gram, i, 1, &g->kernel, segment,
                                    count > 0 ? count : 1, scratch, err));
    else
        read_segment(g, i, group, segment);
    if (!g->panel)
        memset(pt_real_at(g->type, segment, count), 0,
               (size_t)(pt_segment_width(count, g->type) - count) * pt_type_size(g->type));
    if (i >= from && i < from + count) /* rounded as all of the diagonal */
        pt_real_set(g->type, segment, i - from, g->diagonal[i]);
    return PT_OK;
}
