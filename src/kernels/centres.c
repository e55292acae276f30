/* New rows meet centres, by blocks.
 *
 *   panel    width x lanes   some centres, turned: feature by feature, less the mean
 *   norm     panels x lanes  x.x of each; of squared distances only
 *   x        n x d           a block of new rows in the type of the values, less the mean
 *   own      n               x.x of each
 *   values   panels met together x n x lanes
 *
 * Dense rows meet a panel PT_FEATURES features at a time: those stay in the first-level cache for
 * all rows of the block. Values are mapped for the kernel, and handed out, while they are in the
 * cache. Many rows meet one panel at a time, one row many.
 *
 * Not by BLAS: its sums depend on the shape of the matrices, so that a row would have other scores
 * alone than among others; and for one row, or a few features, it is no faster.
 *
 * Sparse rows meet by the loops of gram_block.c, whose sums are in the order of the features of the
 * centre; their values lie centre by centre. So do those of a program's kernel, which depend on the
 * two rows alone. */
#include "kernels/centres.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "kernels/centre_loops.h"
#include "kernels/gram_rows.h"
#include "kernels/loops.h"

/* A copy of the centres is held up to this size; above it they are turned for each block. */
static const double HELD_BYTES = (double)((int64_t)256 << 20);
/* A block of rows, with what is summed for it. */
static const double BLOCK_BYTES = (double)((int64_t)8 << 20);
enum {
    MOST_ROWS = 128,       /* of a block; so many rows of panels are met together */
    MOST_BLOCK_ROWS = 192, /* by gram_block.c: whole panels of it */
    ROW_STEP = 4,          /* rows that the loops work on together */
    FEATURES = 128,        /* of a panel at a time */
    BLOCK_CENTRES = 512,   /* at least, met together: each look at sparse rows costs */
    BLOCK_VALUES = 65536
};

struct pt_centres {
    const pt_kernel_ops *of;
    pt_kernel_base base; /* of that kernel */
    pt_type type;
    int64_t n;
    int64_t d;
    int64_t lanes;
    int64_t panels;
    const int64_t *order; /* PT_BASE_ROW */
    pt_gram *gram; /* the rows, as blocks need them or with their centre; NULL: PT_BASE_ROW */
    void *panel;   /* NULL: packed when they are met */
    void *norm;
};

void pt_centres_free(pt_centres *c)
{
    if (!c)
        return;
    pt_gram_free(c->gram);
    pt_free(c->panel);
    pt_free(c->norm);
    pt_free(c);
}

pt_type pt_centres_type(const pt_centres *c)
{
    return c->type;
}

/* ---- panels ---------------------------------------------------------------------------------- */

/* Whether values come by gram_block.c. */
static bool by_blocks(const pt_centres *c)
{
    return c->gram && (c->gram->sparse || c->gram->own);
}

static bool has_norms(const pt_centres *c)
{
    return c->base == PT_BASE_SQUARED_DISTANCE && !by_blocks(c);
}

static int64_t panel_cells(const pt_centres *c)
{
    return c->d * c->lanes;
}

/* panel (d x lanes) and, where there are some, norm (lanes) <- centres p lanes and on; row: d. */
static void make_panel(const pt_centres *c, int64_t p, void *panel, void *norm, void *row)
{
    const int64_t first = p * c->lanes;
    const int64_t count = pt_lesser(c->lanes, c->n - first);
    const int64_t d = c->d;
    const int64_t lanes = c->lanes;
    if (count < lanes)
        memset(panel, 0, (size_t)panel_cells(c) * pt_type_size(c->type));
    for (int64_t r = 0; r < count; r++) {
        pt_gram_pack(c->gram, first + r, 1, 0, d, row);
        if (c->type == PT_F32)
            for (int64_t f = 0; f < d; f++)
                ((float *)panel)[f * lanes + r] = ((const float *)row)[f];
        else
            for (int64_t f = 0; f < d; f++)
                ((double *)panel)[f * lanes + r] = ((const double *)row)[f];
    }
    if (norm)
        pt_loops_of(pt_isa_chosen(), c->type)->panel_norms(panel, d, norm);
}

typedef struct panel_maker {
    pt_centres *c;
    char *row;
    size_t row_bytes; /* for each worker */
} panel_maker;

static pt_status make_one(void *context, int64_t p, int worker, pt_error *err)
{
    (void)err;
    const panel_maker *m = context;
    const pt_centres *c = m->c;
    make_panel(c, p, pt_real_at(c->type, c->panel, p * panel_cells(c)),
               c->norm ? pt_real_at(c->type, c->norm, p * c->lanes) : NULL,
               m->row + (size_t)worker * m->row_bytes);
    return PT_OK;
}

static pt_status hold_panels(pt_centres *c, const pt_task *task, pt_error *err)
{
    const size_t size = pt_type_size(c->type);
    const double bytes = (double)c->panels * (double)panel_cells(c) * (double)size;
    if (bytes > HELD_BYTES)
        return PT_OK;
    panel_maker m = {.c = c, .row_bytes = pt_arena_need(c->d, size)};
    PT_SCRATCH char *row =
        pt_alloc(pt_parallel_workers(task, c->panels), m.row_bytes, "a row", err);
    m.row = row;
    c->panel = pt_alloc(c->panels * panel_cells(c), size, "the centres", err);
    if (has_norms(c))
        c->norm = pt_alloc(c->panels * c->lanes, size, "norms of the centres", err);
    if (!row || !c->panel || (has_norms(c) && !c->norm))
        return PT_ENOMEM;
    return pt_parallel_for(task, c->panels, make_one, &m, err);
}

double pt_centres_bytes(const pt_rows *rows, pt_kernel_base base, pt_type type)
{
    const int64_t lanes = pt_panel_lanes(type);
    const double size = (double)pt_type_size(type);
    const double n = (double)pt_round_up(rows->n, lanes);
    const double panels = n * (double)rows->d * size;
    const double own = (double)(sizeof(pt_centres) + sizeof(pt_gram));
    if (base == PT_BASE_ROW)
        return own;
    if (base == PT_BASE_OWN)
        return own + (double)pt_gram_bytes(rows, base, type);
    const double dense = own + 8 * (double)rows->d + n * size + (panels > HELD_BYTES ? 0 : panels);
    return rows->dense ? dense : fmax(dense, own + (double)pt_gram_bytes(rows, base, type));
}

static pt_status centres_shell(pt_centres **out, int64_t n, int64_t d, const pt_kernel_ops *of,
                               pt_type type, pt_error *err)
{
    PT_TRY(PT_NEW_ZERO(*out, 1, "centres", err));
    (*out)->of = of;
    (*out)->base = of->base;
    (*out)->type = type;
    (*out)->n = n;
    (*out)->d = d;
    (*out)->lanes = pt_panel_lanes(type);
    (*out)->panels = (n + (*out)->lanes - 1) / (*out)->lanes;
    return PT_OK;
}

pt_status pt_centres_new(pt_centres **out, const pt_rows *rows, const int64_t *order,
                         const pt_kernel_ops *of, pt_type type, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_centres_free_at) pt_centres *c = NULL;
    const bool by_row = of->base == PT_BASE_ROW;
    PT_TRY(centres_shell(&c, by_row ? rows->d : rows->n, rows->d, of, type, err));
    c->order = order;
    if (!by_row)
        PT_TRY(pt_gram_new_bare(&c->gram, rows, of, type, task, err));
    if (!by_row)
        c->gram->task = NULL; /* the centres outlive it */
    if (!by_row && !by_blocks(c))
        PT_TRY(hold_panels(c, task, err));
    *out = pt_keep(&c);
    return PT_OK;
}

pt_status pt_centres_new_double(pt_centres **out, const pt_centres *centres, const pt_task *task,
                                pt_error *err)
{
    PT_FREED_BY(pt_centres_free_at) pt_centres *c = NULL;
    PT_TRY(centres_shell(&c, centres->n, centres->d, centres->of, PT_F64, err));
    c->order = centres->order;
    if (by_blocks(centres))
        PT_TRY(pt_gram_new(&c->gram, &centres->gram->rows, c->of, PT_F64, task, err));
    else if (centres->gram)
        PT_TRY(pt_gram_view(&c->gram, &centres->gram->rows, centres->gram, PT_F64, err));
    *out = pt_keep(&c);
    return PT_OK;
}

/* ---- a block of rows ------------------------------------------------------------------------- */

typedef struct meeting {
    const pt_centres *c;
    const pt_rows *rows;
    const pt_kernel *kernel;
    pt_centres_fn take;
    void *context;
    pt_gram *fresh;   /* the new rows: for blocks, or with the centre of the centres */
    int64_t height;   /* rows of a block */
    int64_t together; /* panels met together */
    const pt_centre_loops *loops;
    char *scratch;
    size_t scratch_bytes; /* for each worker: values, those of its user, then: */
    size_t own_at;
    size_t own_bytes;
    size_t x_at;     /* new rows, or what gram_block.c needs */
    size_t norm_at;  /* of the new rows */
    size_t panel_at; /* where centres are turned when they are met: a panel, */
    size_t more_at;  /*   its norms and a row */
} meeting;

/* New rows where the loops find them: x, `stride` apart. */
typedef struct fresh_rows {
    const void *x;
    int64_t stride;
    const void *norm;
} fresh_rows;

/* Whether the new rows can be met where they lie. */
static bool lie_ready(const meeting *m)
{
    return m->rows->dense && m->rows->type == m->c->type && !m->fresh->centre;
}

static fresh_rows make_fresh(const meeting *m, int64_t first, int64_t n, char *scratch)
{
    const pt_centres *c = m->c;
    fresh_rows fresh = {scratch + m->x_at, c->d, scratch + m->norm_at};
    if (lie_ready(m)) {
        fresh.x = pt_real_at(c->type, m->rows->dense, first * m->rows->stride);
        fresh.stride = m->rows->stride;
    } else {
        pt_gram_pack(m->fresh, first, n, 0, c->d, scratch + m->x_at);
    }
    if (has_norms(c))
        m->loops->norms(fresh.x, fresh.stride, n, c->d, scratch + m->norm_at);
    return fresh;
}

static void meet_panel(const meeting *m, int64_t p, const fresh_rows *fresh, int64_t n,
                       void *values, char *scratch)
{
    const pt_centres *c = m->c;
    const void *panel = scratch + m->panel_at;
    const void *norm = scratch + m->more_at;
    if (c->panel) {
        panel = pt_real_at(c->type, c->panel, p * panel_cells(c));
        norm = c->norm ? pt_real_at(c->type, c->norm, p * c->lanes) : NULL;
    } else {
        make_panel(c, p, scratch + m->panel_at, has_norms(c) ? scratch + m->more_at : NULL,
                   scratch + m->more_at + PT_PANEL_BYTES);
    }
    int64_t from = 0;
    do { /* once even for d = 0, which sets the values to 0 */
        const int64_t width = pt_lesser(FEATURES, c->d - from);
        (c->base == PT_BASE_L1_DISTANCE ? m->loops->l1 : m->loops->dot)(
            pt_real_at(c->type, panel, from * c->lanes), width, pt_real_at(c->type, fresh->x, from),
            fresh->stride, n, from > 0, values);
        from += width;
    } while (from < c->d);
    if (has_norms(c))
        m->loops->distance(values, n, norm, fresh->norm);
}

/* A precomputed kernel: the row, as a table, in the order of the centres. */
static void meet_row(const meeting *m, const fresh_rows *fresh, int64_t n, int64_t first,
                     int64_t count, void *values)
{
    const pt_centres *c = m->c;
    for (int64_t j0 = 0, at = 0; j0 < count; j0 += c->lanes)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = j0; j < j0 + c->lanes; j++, at++) {
                const int64_t column = j >= count ? -1 : c->order ? c->order[first + j] : first + j;
                pt_real_set(
                    c->type, values, at,
                    column < 0 ? 0 : pt_real_get(c->type, fresh->x, i * fresh->stride + column));
            }
}

static pt_status meet_block(void *context, int64_t index, int worker, pt_error *err)
{
    const meeting *m = context;
    const pt_centres *c = m->c;
    char *scratch = m->scratch + (size_t)worker * m->scratch_bytes;
    const int64_t row = index * m->height;
    const int64_t n = pt_lesser(m->height, m->rows->n - row);
    fresh_rows fresh = {0};
    if (!by_blocks(c))
        fresh = make_fresh(m, row, n, scratch);
    memset(scratch + m->own_at, 0, m->own_bytes);
    for (int64_t p = 0; p < c->panels; p += m->together) {
        const int64_t panels = pt_lesser(m->together, c->panels - p);
        const int64_t first = p * c->lanes;
        const int64_t count = pt_lesser(panels * c->lanes, c->n - first);
        const int64_t cells = by_blocks(c) ? count * n : panels * n * c->lanes;
        if (by_blocks(c))
            PT_TRY(pt_gram_block(m->fresh, row, n, c->gram, first, count, scratch, n,
                                 scratch + m->x_at, err));
        else if (c->base == PT_BASE_ROW)
            meet_row(m, &fresh, n, first, count, scratch);
        else
            for (int64_t q = 0; q < panels; q++)
                meet_panel(m, p + q, &fresh, n, pt_real_at(c->type, scratch, q * n * c->lanes),
                           scratch);
        if (m->kernel)
            pt_kernel_map(m->kernel, c->type, cells, 1, scratch, cells);
        const pt_centre_block block =
            by_blocks(c)
                ? (pt_centre_block){row, n, first, count, scratch, 1, n, c->lanes * n}
                : (pt_centre_block){row, n, first, count, scratch, c->lanes, 1, c->lanes * n};
        m->take(m->context, &block, scratch + m->own_at);
    }
    return PT_OK;
}

/* ---- all rows -------------------------------------------------------------------------------- */

/* Rows of a block: enough that centres are worth fetching, few enough that there are some for every
 * thread and that they fit. No sum depends on it. */
static int64_t block_height(const pt_centres *c, int64_t n, size_t row_bytes, const pt_task *task)
{
    const double of_row = (double)row_bytes + (double)c->d * (double)pt_type_size(c->type);
    const double most = BLOCK_BYTES / (of_row + 1);
    const int workers = pt_parallel_workers(task, (n + ROW_STEP - 1) / ROW_STEP);
    int64_t height = (n + workers - 1) / workers;
    height = pt_lesser((height + ROW_STEP - 1) / ROW_STEP * ROW_STEP,
                       by_blocks(c) ? MOST_BLOCK_ROWS : MOST_ROWS);
    height = most < ROW_STEP ? ROW_STEP : pt_lesser(height, (int64_t)most);
    return pt_lesser(height, n);
}

static pt_status plan_scratch(meeting *m, size_t row_bytes, int64_t blocks, const pt_task *task,
                              pt_error *err)
{
    const pt_centres *c = m->c;
    const size_t size = pt_type_size(c->type);
    const int64_t cells = m->together * m->height * c->lanes;
    const int64_t columns = m->together * c->lanes;
    m->own_at = pt_arena_need(cells, size);
    m->own_bytes = pt_arena_need(m->height, row_bytes);
    m->x_at = m->own_at + m->own_bytes;
    m->norm_at = m->x_at + (by_blocks(c)   ? pt_gram_scratch(m->fresh, c->gram, m->height, columns)
                            : lie_ready(m) ? 0
                                           : pt_arena_need(m->height, (size_t)c->d * size));
    m->panel_at = m->norm_at + (has_norms(c) ? pt_arena_need(m->height, size) : 0);
    const bool turned = !c->panel && !by_blocks(c) && c->base != PT_BASE_ROW;
    m->more_at = m->panel_at + (turned ? pt_arena_need(panel_cells(c), size) : 0);
    m->scratch_bytes = m->more_at + (turned ? PT_PANEL_BYTES + pt_arena_need(c->d, size) : 0);
    m->scratch =
        pt_alloc(pt_parallel_workers(task, blocks), m->scratch_bytes, "work space for values", err);
    return m->scratch ? PT_OK : PT_ENOMEM;
}

pt_status pt_centres_meet(const pt_centres *c, const pt_rows *rows, const pt_kernel *kernel,
                          size_t row_bytes, pt_centres_fn take, void *context, const char *stage,
                          const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_gram_free_at) pt_gram *fresh = NULL;
    if (rows->d != c->d)
        return pt_fail(err, PT_EINVAL, "the rows have %lld features; those of training had %lld",
                       (long long)rows->d, (long long)c->d);
    if (rows->n == 0)
        return PT_OK;
    if (by_blocks(c))
        PT_TRY(pt_gram_new_like(&fresh, rows, c->gram, task, err));
    else
        PT_TRY(pt_gram_view(&fresh, rows, c->gram, c->type, err));
    meeting m = {.c = c,
                 .rows = rows,
                 .kernel = kernel,
                 .take = take,
                 .context = context,
                 .fresh = fresh,
                 .height = block_height(c, rows->n, row_bytes, task),
                 .loops = pt_centre_loops_of(c->type)};
    const int64_t least = by_blocks(c)
                              ? pt_greater(BLOCK_CENTRES, BLOCK_VALUES / m.height) / c->lanes
                              : MOST_ROWS / m.height;
    m.together = pt_lesser(least, c->panels);
    const int64_t blocks = (rows->n + m.height - 1) / m.height;
    pt_status status = plan_scratch(&m, row_bytes, blocks, task, err);
    if (status == PT_OK)
        status = pt_parallel_for_stage(task, stage, blocks, meet_block, &m, err);
    pt_free(m.scratch);
    return status;
}
