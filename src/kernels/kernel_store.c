/* Kernel values on demand: the whole Gram matrix, or a cache of rows.
 *
 *   value   n x ld    whole: row i is k(x_i, .); both triangles are stored, so that a row is one
 *                     piece of memory. Tile (I, J) of the upper triangle is computed in place and
 *                     then mirrored: every value is computed once.
 *           slots x ld  cache: the rows that were used last
 *
 * A cache copies rows to and from the buffer of the one who asks, so that nothing a reader holds
 * can be evicted under it. Rows that are missing are computed in blocks of BLOCK, filled up where
 * fewer are missing: always the same shape. They meet the others by whole WINDOWs, the last of
 * which may overlap the one before: for what a matrix product has left over BLAS takes other loops
 * in some columns than in others, and those round differently. So a row's values do not depend on
 * its company, nor on who else fills the cache. */
#include "kernels/kernel_store.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "kernels/gram_rows.h"

enum {
    TILE = 512,           /* of the whole matrix */
    STRIP = 64,           /* columns of a diagonal tile that are computed together */
    BLOCK = 16,           /* rows computed together for the cache */
    LEAST_WORK = 1 << 18, /* values: with fewer no second thread is woken */
    PART = 2048,          /* values of a row that one index of a parallel loop computes, or more */
    WINDOW = 64,          /* values of a row that no matrix product leaves a rest of */
    MIRROR = 32,          /* side of the squares that are transposed in cache */
    LINE = 64,            /* bytes of a cache line */
    PAGE_SET = 4096       /* rows this far apart fall on the same cache lines */
};

struct pt_kernel_store {
    int64_t n;
    int64_t ld;
    pt_type type;
    bool whole;
    pt_kernel kernel;
    pt_gram *gram; /* NULL where values come from elsewhere */
    pt_rows rows;
    const void *value;
    void *held;       /* the memory behind value; NULL: borrowed */
    double *diagonal; /* n */
    atomic_int_fast64_t computed;

    /* cache: slots in a list from the one used last to the one used longest ago */
    int64_t slots;
    int64_t used;
    int64_t *slot_of; /* n; -1: not there */
    int64_t *row_of;  /* slots */
    int64_t *newer;   /* slots, as older: neighbours in the list, -1 at the ends */
    int64_t *older;
    pt_arena lists; /* these four */
    int64_t newest;
    int64_t oldest;
    pthread_mutex_t lock;
    bool has_lock;
};

static atomic_int_fast64_t computed_by_all; /* a count for tests; nothing depends on it */

static void count_computed(pt_kernel_store *store, int64_t values)
{
    atomic_fetch_add(&store->computed, values);
    atomic_fetch_add(&computed_by_all, values);
}

int64_t pt_kernel_store_leading(int64_t n, pt_type type)
{
    const int64_t line = LINE / (int64_t)pt_type_size(type);
    const int64_t ld = pt_round_up(n, line);
    return ld * (int64_t)pt_type_size(type) % PAGE_SET == 0 ? ld + line : ld;
}

double pt_kernel_store_bytes(int64_t n, pt_type type)
{
    return (double)n * (double)pt_kernel_store_leading(n, type) * (double)pt_type_size(type);
}

static void *value_at(const pt_kernel_store *store, int64_t row, int64_t column)
{
    return pt_real_at(store->type, store->value, row * store->ld + column);
}

/* ---- the whole matrix ------------------------------------------------------------------------ */

typedef struct tiler {
    pt_kernel_store *store;
    int64_t side; /* tiles along a side */
    char *scratch;
    size_t scratch_bytes; /* of a worker */
    const pt_task *task;
} tiler;

/* K(j, i) <- K(i, j) for rows i0 .. i0+m and columns j0 .. j0+w, by small squares. */
static void mirror_square(const pt_kernel_store *store, int64_t i0, int64_t m, int64_t j0,
                          int64_t w)
{
    float *f32 = store->held;
    double *f64 = store->held;
    const int64_t ld = store->ld;
    const bool single = store->type == PT_F32;
    for (int64_t j = j0; j < j0 + w; j++) {
        for (int64_t i = i0; i < i0 + m && single; i++)
            f32[j * ld + i] = f32[i * ld + j];
        for (int64_t i = i0; i < i0 + m && !single; i++)
            f64[j * ld + i] = f64[i * ld + j];
    }
}

/* Each square may be the first to touch its pages, which are large and cleared then. */
static pt_status mirror(const tiler *work, int64_t i0, int64_t m, int64_t j0, int64_t w,
                        pt_error *err)
{
    for (int64_t a = 0; a < m; a += MIRROR)
        for (int64_t b = 0; b < w; b += MIRROR) {
            PT_TRY(pt_task_check(work->task, err));
            mirror_square(work->store, i0 + a, pt_lesser(MIRROR, m - a), j0 + b,
                          pt_lesser(MIRROR, w - b));
        }
    return PT_OK;
}

/* Values of rows i0 .. i0+m against columns j0 .. j0+w, in place. */
static pt_status compute_block(pt_kernel_store *store, int64_t i0, int64_t m, int64_t j0, int64_t w,
                               void *scratch, pt_error *err)
{
    if (w <= 0 || m <= 0)
        return PT_OK;
    /* pt_gram_block is column-major: its column r is our row i0 + r. */
    PT_TRY(pt_gram_block_mapped(store->gram, j0, w, store->gram, i0, m, &store->kernel,
                                value_at(store, i0, j0), store->ld, scratch, err));
    count_computed(store, m * w);
    return PT_OK;
}

static pt_status compute_diagonal_tile(const tiler *work, int64_t first, int64_t count,
                                       void *scratch, pt_error *err)
{
    pt_kernel_store *store = work->store;
    for (int64_t s = 0; s < count; s += STRIP) {
        const int64_t rows = pt_lesser(STRIP, count - s);
        const int64_t after = s + rows;
        PT_TRY(compute_block(store, first + s, rows, first + s, rows, scratch, err));
        PT_TRY(compute_block(store, first + s, rows, first + after, count - after, scratch, err));
        PT_TRY(mirror(work, first + s, rows, first + after, count - after, err));
    }
    for (int64_t s = 0; s < count; s += STRIP) /* the squares on the diagonal: upper to lower */
        for (int64_t i = first + s; i < first + pt_lesser(s + STRIP, count); i++)
            mirror_square(store, i, 1, i + 1, first + pt_lesser(s + STRIP, count) - i - 1);
    return PT_OK;
}

static pt_status tile_body(void *context, int64_t t, int worker, pt_error *err)
{
    const tiler *work = context;
    pt_kernel_store *store = work->store;
    void *scratch = work->scratch + (size_t)worker * work->scratch_bytes;
    int64_t I = 0;
    while (t >= work->side - I) { /* row I of the upper triangle has side - I tiles */
        t -= work->side - I;
        I++;
    }
    const int64_t i0 = I * TILE;
    const int64_t j0 = (I + t) * TILE;
    const int64_t m = pt_lesser(TILE, store->n - i0);
    const int64_t w = pt_lesser(TILE, store->n - j0);
    if (i0 == j0)
        return compute_diagonal_tile(work, i0, m, scratch, err);
    PT_TRY(compute_block(store, i0, m, j0, w, scratch, err));
    return mirror(work, i0, m, j0, w, err);
}

static pt_status open_whole(pt_kernel_store *store, const pt_task *task, pt_error *err)
{
    const int64_t most = pt_lesser(TILE, store->n);
    tiler work = {.store = store, .side = (store->n + TILE - 1) / TILE, .task = task};
    const int64_t tiles = work.side * (work.side + 1) / 2;
    store->whole = true;
    store->value = store->held =
        pt_alloc(store->n, (size_t)store->ld * pt_type_size(store->type), "the kernel matrix", err);
    work.scratch_bytes = pt_gram_scratch(store->gram, store->gram, most, most);
    PT_SCRATCH char *scratch = pt_alloc(pt_parallel_workers(task, tiles), work.scratch_bytes,
                                        "work space for kernel blocks", err);
    if (!store->held || !scratch)
        return PT_ENOMEM;
    work.scratch = scratch;
    PT_TRY(pt_parallel_for_stage(task, "kernel matrix", tiles, tile_body, &work, err));
    const size_t rest = (size_t)(store->ld - store->n) * pt_type_size(store->type);
    for (int64_t i = 0; i < store->n; i++)
        memset(value_at(store, i, store->n), 0, rest);
    return PT_OK;
}

/* ---- the cache: its list of slots ------------------------------------------------------------ */

static pt_status open_cache(pt_kernel_store *store, double bytes, pt_error *err)
{
    const double fits = bytes / ((double)store->ld * (double)pt_type_size(store->type));
    const int64_t slots = store->slots = fits >= 1 ? (int64_t)fits : 1;
    store->value = store->held = pt_alloc(slots, (size_t)store->ld * pt_type_size(store->type),
                                          "a cache of kernel rows", err);
    if (!store->held)
        return PT_ENOMEM;
    PT_TRY(PT_ARENA(&store->lists, "a cache of kernel rows", err,
                    PT_PIECE(store->slot_of, store->n), PT_PIECE(store->row_of, slots),
                    PT_PIECE(store->newer, slots), PT_PIECE(store->older, slots)));
    for (int64_t i = 0; i < store->n; i++)
        store->slot_of[i] = -1;
    store->newest = -1;
    store->oldest = -1;
    if (pthread_mutex_init(&store->lock, NULL) != 0)
        return pt_fail(err, PT_ENOMEM, "a lock for the cache of kernel rows could not be made");
    store->has_lock = true;
    return PT_OK;
}

static void list_remove(pt_kernel_store *store, int64_t slot)
{
    const int64_t newer = store->newer[slot];
    const int64_t older = store->older[slot];
    if (newer >= 0)
        store->older[newer] = older;
    else
        store->newest = older;
    if (older >= 0)
        store->newer[older] = newer;
    else
        store->oldest = newer;
}

static void list_push(pt_kernel_store *store, int64_t slot)
{
    store->newer[slot] = -1;
    store->older[slot] = store->newest;
    if (store->newest >= 0)
        store->newer[store->newest] = slot;
    else
        store->oldest = slot;
    store->newest = slot;
}

/* The slot for a new row: a free one, or that of the row used longest ago. */
static int64_t take_slot(pt_kernel_store *store)
{
    if (store->used < store->slots)
        return store->used++;
    const int64_t slot = store->oldest;
    store->slot_of[store->row_of[slot]] = -1;
    list_remove(store, slot);
    return slot;
}

static size_t row_bytes(const pt_kernel_store *store)
{
    return (size_t)store->ld * pt_type_size(store->type);
}

/* Copies a row out of the cache if it is there. */
static bool copy_cached(pt_kernel_store *store, int64_t row, void *out)
{
    const int64_t slot = store->slot_of[row];
    if (slot < 0)
        return false;
    list_remove(store, slot);
    list_push(store, slot);
    memcpy(out, value_at(store, slot, 0), row_bytes(store));
    return true;
}

static void insert_row(pt_kernel_store *store, int64_t row, const void *values)
{
    if (store->slot_of[row] >= 0)
        return; /* another thread was faster */
    const int64_t slot = take_slot(store);
    store->slot_of[row] = slot;
    store->row_of[slot] = row;
    list_push(store, slot);
    memcpy(value_at(store, slot, 0), values, row_bytes(store));
}

/* ---- the cache: computing rows --------------------------------------------------------------- */

typedef struct rows_work {
    pt_kernel_store *store;
    const pt_gram *few; /* the BLOCK rows */
    char *values;       /* BLOCK x ld */
    char *scratch;
    size_t scratch_bytes;
} rows_work;

/* The last part has what is left, so that its last window lies within it. */
static int64_t count_parts(int64_t n)
{
    return n < PART ? 1 : n / PART;
}

/* Values of the BLOCK rows with a part of all, in whole windows. */
static pt_status part_body(void *context, int64_t part, int worker, pt_error *err)
{
    const rows_work *work = context;
    const pt_kernel_store *store = work->store;
    const int64_t begin = part * PART;
    const int64_t end = part + 1 < count_parts(store->n) ? begin + PART : store->n;
    const int64_t even = (end - begin) / WINDOW * WINDOW;
    const int64_t last = begin + even < end ? pt_lesser(WINDOW, end - begin) : 0;
    const int64_t first[] = {begin, end - last};
    const int64_t count[] = {even, last};
    for (int w = 0; w < 2; w++)
        if (count[w] > 0)
            PT_TRY(pt_gram_block_mapped(store->gram, first[w], count[w], work->few, 0, BLOCK,
                                        &store->kernel,
                                        pt_real_at(store->type, work->values, first[w]), store->ld,
                                        work->scratch + (size_t)worker * work->scratch_bytes, err));
    return PT_OK;
}

/* values (BLOCK x ld) <- rows index[0..BLOCK). */
static pt_status compute_rows(pt_kernel_store *store, const int64_t *index, int64_t count,
                              char *values, const pt_task *task, pt_error *err)
{
    int64_t filled[BLOCK];
    for (int64_t r = 0; r < BLOCK; r++)
        filled[r] = index[r < count ? r : 0];
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned few_rows = {0};
    PT_FREED_BY(pt_gram_free_at) pt_gram *few = NULL;
    const int64_t parts = count_parts(store->n);
    PT_TRY(pt_rows_select(&few_rows, &store->rows, filled, BLOCK, task, err));
    PT_TRY(pt_gram_new_like(&few, &few_rows.rows, store->gram, task, err));
    const size_t bytes = pt_gram_scratch(store->gram, few, pt_lesser(2 * PART, store->n), BLOCK);
    PT_SCRATCH char *scratch =
        pt_alloc(pt_parallel_workers(task, parts), bytes, "work space for kernel rows", err);
    if (!scratch)
        return PT_ENOMEM;
    rows_work work = {store, few, values, scratch, bytes};
    PT_TRY(pt_parallel_for_at_most(task, store->n * BLOCK < LEAST_WORK ? 1 : INT_MAX, parts,
                                   part_body, &work, err));
    for (int64_t r = 0; r < count; r++) /* a row and itself, exactly */
        pt_real_set(store->type, values, r * store->ld + index[r], store->diagonal[index[r]]);
    count_computed(store, count * store->n);
    return PT_OK;
}

/* The rows of one block of requests, at most BLOCK: from the cache, or computed and kept. `spare`
 * has room for BLOCK rows. */
static pt_status fetch_block(pt_kernel_store *store, const int64_t *index, int64_t count, char *out,
                             char *spare, const pt_task *task, pt_error *err)
{
    int64_t missing[BLOCK];
    int64_t place[BLOCK];
    int64_t n_missing = 0;
    const size_t bytes = row_bytes(store);
    pthread_mutex_lock(&store->lock);
    for (int64_t r = 0; r < count; r++)
        if (!copy_cached(store, index[r], out + (size_t)r * bytes)) {
            missing[n_missing] = index[r];
            place[n_missing++] = r;
        }
    pthread_mutex_unlock(&store->lock);
    if (n_missing == 0)
        return PT_OK;
    PT_TRY(compute_rows(store, missing, n_missing, spare, task, err));
    pthread_mutex_lock(&store->lock);
    for (int64_t r = 0; r < n_missing; r++) {
        memcpy(out + (size_t)place[r] * bytes, spare + (size_t)r * bytes, bytes);
        insert_row(store, missing[r], spare + (size_t)r * bytes);
    }
    pthread_mutex_unlock(&store->lock);
    return PT_OK;
}

/* ---- the door -------------------------------------------------------------------------------- */

void pt_kernel_store_close(pt_kernel_store *store)
{
    if (!store)
        return;
    if (store->has_lock)
        pthread_mutex_destroy(&store->lock);
    pt_arena_free(&store->lists);
    pt_free(store->diagonal);
    pt_free(store->held);
    pt_gram_free(store->gram);
    pt_free(store);
}

/* Of a program's kernel, rounded and shifted as values of blocks are. */
static pt_status own_diagonal(const pt_gram *gram, const pt_kernel *kernel, double *value,
                              pt_error *err)
{
    for (int64_t i = 0; i < gram->rows.n; i += PT_OWN_VALUES) {
        const int64_t count = pt_lesser(gram->rows.n - i, PT_OWN_VALUES);
        const pt_rows some = pt_rows_range(&gram->seen, i, count);
        PT_TRY(pt_task_check(gram->task, err));
        PT_TRY(pt_own_diagonal(gram->own, &some, value + i, err));
    }
    for (int64_t i = 0; i < gram->rows.n; i++) {
        double one = 0;
        pt_real_set(gram->type, &one, 0, value[i]);
        pt_kernel_map(kernel, gram->type, 1, 1, &one, 1);
        value[i] = pt_real_get(gram->type, &one, 0);
    }
    return PT_OK;
}

/* Distances of a row to itself are 0; inner products are computed one by one. */
pt_status pt_kernel_diagonal(const pt_gram *gram, const pt_kernel *kernel, double *value,
                             pt_error *err)
{
    const int64_t n = gram->rows.n;
    const bool one_by_one = gram->base == PT_BASE_DOT || gram->base == PT_BASE_ROW;
    if (gram->own)
        return own_diagonal(gram, kernel, value, err);
    PT_SCRATCH void *scratch = pt_alloc((int64_t)pt_gram_scratch(gram, gram, 1, 1), 1,
                                        "work space for kernel values", err);
    if (!scratch)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        double one = 0;
        if (i == 0 || one_by_one) {
            PT_TRY(pt_gram_block_mapped(gram, i, 1, gram, i, 1, kernel, &one, 1, scratch, err));
            value[i] = pt_real_get(gram->type, &one, 0);
        } else {
            value[i] = value[0];
        }
    }
    return PT_OK;
}

/* Read from a whole matrix. */
static pt_status find_diagonal(pt_kernel_store *store, pt_error *err)
{
    store->diagonal = pt_alloc(store->n, sizeof(double), "a diagonal", err);
    if (!store->diagonal)
        return PT_ENOMEM;
    if (!store->whole)
        return pt_kernel_diagonal(store->gram, &store->kernel, store->diagonal, err);
    for (int64_t i = 0; i < store->n; i++)
        store->diagonal[i] = pt_real_get(store->type, value_at(store, i, i), 0);
    return PT_OK;
}

pt_status pt_kernel_store_open(pt_kernel_store **out, const pt_rows *rows, const pt_kernel *kernel,
                               const pt_gram *like, double bytes, const pt_task *task,
                               pt_error *err)
{
    PT_FREED_BY(pt_kernel_store_close_at) pt_kernel_store *store = NULL;
    PT_TRY(PT_NEW_ZERO(store, 1, "a store of kernel values", err));
    atomic_init(&store->computed, 0);
    store->n = rows->n;
    store->type = rows->type;
    store->ld = pt_kernel_store_leading(rows->n, rows->type);
    store->rows = *rows;
    store->kernel = *kernel;
    if (kernel->ops->base == PT_BASE_ROW) {
        store->whole = true;
        store->value = rows->dense;
        store->ld = rows->stride;
        if (!rows->dense || rows->d < rows->n)
            return pt_fail(err, PT_EINVAL, "a precomputed kernel is a dense, square matrix");
    } else {
        PT_TRY(like ? pt_gram_new_like(&store->gram, rows, like, task, err)
                    : pt_gram_new(&store->gram, rows, kernel->ops, rows->type, task, err));
        PT_TRY(pt_kernel_store_bytes(rows->n, rows->type) <= bytes ? open_whole(store, task, err)
                                                                   : open_cache(store, bytes, err));
    }
    PT_TRY(find_diagonal(store, err));
    *out = pt_keep(&store);
    return PT_OK;
}

int64_t pt_kernel_store_n(const pt_kernel_store *store)
{
    return store->n;
}

pt_type pt_kernel_store_type(const pt_kernel_store *store)
{
    return store->type;
}

bool pt_kernel_store_whole(const pt_kernel_store *store)
{
    return store->whole;
}

const void *pt_kernel_store_held(const pt_kernel_store *store)
{
    return store->whole ? store->held : NULL;
}

const double *pt_kernel_store_diagonal(const pt_kernel_store *store)
{
    return store->diagonal;
}

int64_t pt_kernel_store_computed(const pt_kernel_store *store)
{
    return atomic_load(&((pt_kernel_store *)store)->computed);
}

int64_t pt_kernel_stores_computed(void)
{
    return atomic_load(&computed_by_all);
}

size_t pt_kernel_store_buffer(const pt_kernel_store *store, int64_t count)
{
    return store->whole ? 0 : pt_arena_need(count + BLOCK, row_bytes(store));
}

pt_status pt_kernel_store_rows(pt_kernel_store *store, const int64_t *index, int64_t count,
                               void *buffer, const void **row, const pt_task *task, pt_error *err)
{
    if (store->whole) {
        for (int64_t r = 0; r < count; r++)
            row[r] = value_at(store, index[r], 0);
        return PT_OK;
    }
    char *spare = (char *)buffer + (size_t)count * row_bytes(store);
    for (int64_t from = 0; from < count; from += BLOCK) {
        char *block = (char *)buffer + (size_t)from * row_bytes(store);
        const int64_t some = pt_lesser(BLOCK, count - from);
        PT_TRY(fetch_block(store, index + from, some, block, spare, task, err));
        for (int64_t r = 0; r < some; r++)
            row[from + r] = block + (size_t)r * row_bytes(store);
    }
    return PT_OK;
}
