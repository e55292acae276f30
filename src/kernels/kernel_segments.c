/* Segments of kernel values: who holds them, and for how long.
 *
 *   own      n pointers    segments of a row's own group, in `pool`; NULL: not computed, or the
 *                          pool was full. Written once, under the lock of the row.
 *   pool     bytes         handed out from the front; never taken back
 *   ring[t]  slots x width of each worker, for segments of side t of its pair: a slot that has not
 *                          been read for long is used again when there is none left
 *
 * Where memory is short, own segments that found no place in the pool go through the rings too. Who
 * holds what then depends on the threads, but no value does. */
#include "kernels/kernel_segments.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"

enum {
    LOCKS = 64,
    LEAST_SLOTS = 2 * PT_SEGMENTS_STAY, /* of a ring: half of them may be spoken for */
    SIDES = 2
};

typedef struct ring {
    char *base;
    size_t width; /* bytes of a slot */
    int64_t slots;
    int64_t used;
    int64_t hand;     /* where the search for a slot goes on */
    int64_t calls;    /* so far */
    int64_t *slot_of; /* by row of the pair; -1: none */
    int64_t *row_of;  /* by slot */
    int64_t *read_at; /* by slot: the last call */
} ring;

typedef struct view {
    int64_t group[SIDES];
    int64_t first[SIDES]; /* the first row of each group */
    int64_t count[SIDES];
    ring ring[SIDES];
    char *memory; /* of both rings */
    char *scratch;
    pt_arena arena;               /* of all these */
    atomic_int_fast64_t computed; /* read by others */
} view;

struct pt_kernel_segments {
    const pt_grouped_rows *rows;
    int workers;
    view *view; /* by worker */
    size_t ring_bytes;
    bool ample; /* the pool has room for all */
    atomic_uintptr_t *own;
    char *pool;
    size_t pool_bytes;
    atomic_size_t pool_used;
    pthread_mutex_t lock[LOCKS];
    int n_locks;
};

/* ---- how much memory ------------------------------------------------------------------------- */

static double width_of(int64_t count, pt_type type)
{
    return (double)pt_segment_width(count, type) * (double)pt_type_size(type);
}

/* Bytes that hold everything: the pool, and the rings of one worker without and with segments of
 * own groups; and the least that rings may have. */
typedef struct need {
    double pool;
    double rings;
    double rings_all;
    double least;
    int64_t most_rows; /* of a pair */
} need;

static need needs(const int64_t *first, int64_t groups, pt_type type)
{
    need all = {0};
    int64_t most[SIDES] = {0}; /* the two largest groups make the largest pair */
    for (int64_t g = 0; g < groups; g++) {
        const int64_t n = first[g + 1] - first[g];
        all.pool += (double)n * width_of(n, type);
        if (n > most[0]) {
            most[1] = most[0];
            most[0] = n;
        } else if (n > most[1]) {
            most[1] = n;
        }
    }
    const double width[SIDES] = {width_of(most[0], type), width_of(most[1], type)};
    all.most_rows = most[0] + most[1];
    all.rings = (double)most[0] * width[1] + (double)most[1] * width[0];
    all.rings_all = (double)all.most_rows * (width[0] + width[1]);
    all.least = LEAST_SLOTS * (width[0] + width[1]);
    return all;
}

double pt_kernel_segments_bytes(const int64_t *first, int64_t groups, pt_type type, int workers)
{
    const need all = needs(first, groups, type);
    return all.pool + workers * all.rings;
}

double pt_kernel_segments_least(const int64_t *first, int64_t groups, pt_type type, int workers)
{
    return workers * needs(first, groups, type).least;
}

double pt_kernel_segments_lists(const int64_t *first, int64_t groups, int workers)
{
    const need all = needs(first, groups, PT_F32); /* rows, not bytes */
    const double own = (double)first[groups] * sizeof(atomic_uintptr_t);
    const double rings = SIDES * 3.0 * (double)all.most_rows * sizeof(int64_t);
    return own + workers * rings;
}

/* Half of what is short goes to the rings: without them nothing that is computed stays. */
static void share(pt_kernel_segments *s, const need *all, double bytes)
{
    double rings = all->rings;
    s->ample = all->pool + s->workers * rings <= bytes;
    if (!s->ample) {
        rings = bytes / 2 / s->workers;
        rings = rings < all->rings_all ? rings : all->rings_all;
    }
    rings = rings > all->least ? rings : all->least;
    const double left = bytes - s->workers * rings;
    s->ring_bytes = (size_t)rings;
    s->pool_bytes = s->ample || left > all->pool ? (size_t)all->pool : left > 0 ? (size_t)left : 0;
    s->ample = s->ample || left > all->pool;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static pt_status open_view(pt_kernel_segments *s, view *v, const need *all, pt_error *err)
{
    const int64_t slots = all->most_rows;
    ring *r = v->ring;
    atomic_init(&v->computed, 0);
    return PT_ARENA(&v->arena, "kernel values", err, PT_PIECE(v->memory, (int64_t)s->ring_bytes),
                    PT_PIECE(v->scratch, (int64_t)pt_grouped_rows_scratch(s->rows)),
                    PT_PIECE(r[0].slot_of, slots), PT_PIECE(r[0].row_of, slots),
                    PT_PIECE(r[0].read_at, slots), PT_PIECE(r[1].slot_of, slots),
                    PT_PIECE(r[1].row_of, slots), PT_PIECE(r[1].read_at, slots));
}

static void close_at(pt_kernel_segments **address)
{
    pt_kernel_segments_close(*address);
}

pt_status pt_kernel_segments_open(pt_kernel_segments **out, const pt_grouped_rows *rows,
                                  double bytes, int workers, pt_error *err)
{
    const int64_t groups = pt_grouped_rows_groups(rows);
    const int64_t *first = pt_grouped_rows_first(rows);
    PT_FREED_BY(close_at) pt_kernel_segments *s = NULL;
    PT_TRY(PT_NEW_ZERO(s, 1, "kernel values", err));
    s->rows = rows;
    s->workers = workers;
    const need all = needs(first, groups, pt_grouped_rows_type(rows));
    share(s, &all, bytes);
    atomic_init(&s->pool_used, 0);
    PT_TRY(PT_NEW_ZERO(s->view, workers, "kernel values", err));
    PT_TRY(PT_NEW(s->own, first[groups], "kernel values", err));
    PT_TRY(PT_NEW(s->pool, (int64_t)s->pool_bytes, "kernel values", err));
    for (int64_t i = 0; i < first[groups]; i++)
        atomic_init(&s->own[i], (uintptr_t)NULL);
    for (int w = 0; w < workers; w++)
        PT_TRY(open_view(s, &s->view[w], &all, err));
    for (; s->n_locks < LOCKS; s->n_locks++)
        if (pthread_mutex_init(&s->lock[s->n_locks], NULL) != 0)
            return pt_fail(err, PT_ENOMEM, "a lock for kernel values could not be made");
    *out = pt_keep(&s);
    return PT_OK;
}

void pt_kernel_segments_close(pt_kernel_segments *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->n_locks; i++)
        pthread_mutex_destroy(&s->lock[i]);
    for (int w = 0; w < s->workers && s->view; w++)
        pt_arena_free(&s->view[w].arena);
    pt_free(s->view);
    pt_free(s->pool);
    pt_free(s->own);
    pt_free(s);
}

int64_t pt_kernel_segments_computed(const pt_kernel_segments *s)
{
    int64_t sum = 0;
    for (int w = 0; w < s->workers; w++)
        sum += atomic_load(&s->view[w].computed);
    return sum;
}

double pt_kernel_segments_held(const pt_kernel_segments *s)
{
    return (double)s->pool_bytes + s->workers * (double)s->ring_bytes;
}

/* ---- a pair ---------------------------------------------------------------------------------- */

void pt_kernel_segments_begin(pt_kernel_segments *s, int worker, int64_t p, int64_t q)
{
    const int64_t *first = pt_grouped_rows_first(s->rows);
    const pt_type type = pt_grouped_rows_type(s->rows);
    view *v = &s->view[worker];
    v->group[0] = p;
    v->group[1] = q;
    for (int side = 0; side < SIDES; side++) {
        v->first[side] = first[v->group[side]];
        v->count[side] = first[v->group[side] + 1] - v->first[side];
    }
    const int64_t rows = v->count[0] + v->count[1];
    int64_t wanted[SIDES];
    double all = 0;
    double least = 0;
    for (int side = 0; side < SIDES; side++) {
        wanted[side] = s->ample ? v->count[1 - side] : rows;
        v->ring[side].width = (size_t)width_of(v->count[side], type);
        all += (double)wanted[side] * (double)v->ring[side].width;
        least += LEAST_SLOTS * (double)v->ring[side].width;
    }
    const double more = all > least ? ((double)s->ring_bytes - least) / (all - least) : 1;
    char *base = v->memory;
    for (int side = 0; side < SIDES; side++) {
        ring *r = &v->ring[side];
        r->slots = wanted[side];
        if (all > (double)s->ring_bytes && r->slots > LEAST_SLOTS)
            r->slots = LEAST_SLOTS + (int64_t)((double)(r->slots - LEAST_SLOTS) * more);
        r->base = base;
        r->used = 0;
        r->hand = 0;
        r->calls = 0;
        memset(r->slot_of, -1, (size_t)rows * sizeof *r->slot_of);
        base += (size_t)r->slots * r->width;
    }
}

/* A slot that nobody has read in the last slots / 2 calls. */
static int64_t take_slot(ring *r)
{
    if (r->used < r->slots)
        return r->used++;
    while (r->calls - r->read_at[r->hand] < r->slots / 2)
        r->hand = r->hand + 1 < r->slots ? r->hand + 1 : 0;
    const int64_t slot = r->hand;
    r->hand = r->hand + 1 < r->slots ? r->hand + 1 : 0;
    r->slot_of[r->row_of[slot]] = -1;
    return slot;
}

static pt_status compute(pt_kernel_segments *s, view *v, int64_t row, int side, void *segment,
                         pt_error *err)
{
    const int64_t i = row < v->count[0] ? v->first[0] + row : v->first[1] + row - v->count[0];
    atomic_fetch_add_explicit(&v->computed, 1, memory_order_relaxed);
    return pt_grouped_rows_segment(s->rows, i, v->group[side], segment, v->scratch, err);
}

static pt_status held(pt_kernel_segments *s, view *v, int64_t row, int side, const void **segment,
                      pt_error *err)
{
    ring *r = &v->ring[side];
    int64_t slot = r->slot_of[row];
    if (slot < 0) {
        slot = take_slot(r);
        r->slot_of[row] = slot;
        r->row_of[slot] = row;
        PT_TRY(compute(s, v, row, side, r->base + (size_t)slot * r->width, err));
    }
    r->read_at[slot] = r->calls++;
    *segment = r->base + (size_t)slot * r->width;
    return PT_OK;
}

/* Room in the pool, or NULL. */
static void *take_pool(pt_kernel_segments *s, size_t bytes)
{
    const size_t at = atomic_fetch_add(&s->pool_used, bytes);
    if (at + bytes <= s->pool_bytes)
        return s->pool + at;
    atomic_fetch_sub(&s->pool_used, bytes);
    return NULL;
}

/* *out <- NULL: there is no room for it. */
static pt_status shared(pt_kernel_segments *s, view *v, int64_t row, int side, const void **out,
                        pt_error *err)
{
    const int64_t i = row < v->count[0] ? v->first[0] + row : v->first[1] + row - v->count[0];
    void *segment = (void *)atomic_load_explicit(&s->own[i], memory_order_acquire);
    *out = segment;
    if (segment)
        return PT_OK;
    pt_status status = PT_OK;
    pthread_mutex_t *lock = &s->lock[i % LOCKS];
    pthread_mutex_lock(lock); /* whoever comes second finds it done */
    segment = (void *)atomic_load_explicit(&s->own[i], memory_order_acquire);
    if (!segment && (segment = take_pool(s, v->ring[side].width))) {
        status = compute(s, v, row, side, segment, err);
        if (status == PT_OK)
            atomic_store_explicit(&s->own[i], (uintptr_t)segment, memory_order_release);
    }
    pthread_mutex_unlock(lock);
    *out = segment;
    return status;
}

pt_status pt_kernel_segments_get(pt_kernel_segments *s, int worker, int64_t row, int side,
                                 const void **segment, pt_error *err)
{
    view *v = &s->view[worker];
    const bool is_own = (row >= v->count[0]) == (side == 1);
    *segment = NULL;
    if (is_own)
        PT_TRY(shared(s, v, row, side, segment, err));
    return *segment ? PT_OK : held(s, v, row, side, segment, err);
}
