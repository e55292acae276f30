/* Allocation: aligned for SIMD, checked for overflow, countable by tests. */
#include "base/alloc.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64 };
/* Blocks from this size on are aligned to and advised for huge pages: a Gram matrix touched first
 * by 4 KB pages spends a tenth of its building time in page faults. */
static const size_t HUGE_BLOCK = (size_t)8 << 20;
static const size_t HUGE_PAGE = (size_t)2 << 20;

static atomic_int_fast64_t allocations;
static atomic_int_fast64_t live_blocks;
static atomic_int_fast64_t fail_from; /* 0: none fails */
static atomic_int_fast64_t fail_to;

bool pt_size_mul(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static void fail_between(int64_t first, int64_t last)
{
    atomic_store(&allocations, 0);
    atomic_store(&fail_to, last);
    atomic_store(&fail_from, first);
}

void pt_alloc_fail_from(int64_t number)
{
    fail_between(number, INT64_MAX);
}

void pt_alloc_fail_only(int64_t number)
{
    fail_between(number, number);
}

int64_t pt_alloc_count(void)
{
    return atomic_load(&allocations);
}

int64_t pt_alloc_live(void)
{
    return atomic_load(&live_blocks);
}

/* ---- pools ----------------------------------------------------------------------------------- */

static _Thread_local pt_pool *pool_in_force;

/* Whether the block is of a pool of this thread. */
static bool is_pooled(const void *block)
{
    const uintptr_t at = (uintptr_t)block;
    for (const pt_pool *pool = pool_in_force; pool; pool = pool->outer)
        if (at - (uintptr_t)pool->base < pool->size)
            return true;
    return false;
}

/* Room in the pool in force, NULL: there is none. */
static void *from_pool(size_t bytes)
{
    pt_pool *pool = pool_in_force;
    if (!pool || bytes > (size_t)PTRDIFF_MAX / 2)
        return NULL;
    const size_t need = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + (bytes == 0) * ALIGNMENT;
    pool->wanted += need;
    if (need > pool->size - pool->used)
        return NULL;
    void *block = pool->base + pool->used;
    pool->used += need;
    return block;
}

/* Where there is no memory for a larger block, the one that is there serves on. */
void pt_pool_begin(pt_pool *pool)
{
    pt_pool *outer = pt_pool_pause(); /* the block itself is in none */
    if (pool->wanted > pool->size) {
        char *larger = pt_alloc((int64_t)pool->wanted, 1, "a pool", NULL);
        if (larger) {
            pt_free(pool->base);
            pool->base = larger;
            pool->size = pool->wanted;
        }
    }
    pool->used = pool->wanted = 0;
    pool->outer = outer;
    pool_in_force = pool;
}

void pt_pool_end(pt_pool *pool)
{
    pool_in_force = pool->outer;
    pool->outer = NULL;
}

void pt_pool_free(pt_pool *pool)
{
    pt_free(pool->base);
    *pool = (pt_pool){0};
}

pt_pool *pt_pool_pause(void)
{
    pt_pool *pool = pool_in_force;
    pool_in_force = NULL;
    return pool;
}

void pt_pool_resume(pt_pool *pool)
{
    pool_in_force = pool;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool made_to_fail(void)
{
    const int64_t number = atomic_fetch_add(&allocations, 1) + 1;
    const int64_t first = atomic_load(&fail_from);
    return first > 0 && number >= first && number <= atomic_load(&fail_to);
}

/* ---- the caller's allocator ------------------------------------------------------------------
 *
 * Its blocks are aligned as malloc's are, ours to ALIGNMENT: each is so much longer, and what it
 * gave stands right before what we use. Without one there is nothing of this. */

static pt_allocator caller; /* all NULL: none */
static atomic_bool in_use;  /* there has been a block: too late for another allocator */
static atomic_flag setting = ATOMIC_FLAG_INIT;

pt_status pt_set_allocator(const pt_allocator *allocator, pt_error *err)
{
    if (allocator && (!allocator->allocate || !allocator->reallocate || !allocator->release))
        return pt_fail(err, PT_EINVAL, "an allocator needs allocate, reallocate and release");
    if (atomic_flag_test_and_set(&setting))
        return pt_fail(err, PT_EINVAL, "an allocator is set by another thread");
    const bool late = atomic_load(&in_use);
    if (!late)
        caller = allocator ? *allocator : (pt_allocator){NULL, NULL, NULL, NULL};
    atomic_flag_clear(&setting);
    if (late)
        return pt_fail(err, PT_EINVAL,
                       "memory is in use already; set the allocator before any other call");
    return PT_OK;
}

/* Where our bytes begin in what it gave. */
static unsigned char *place_in(void *raw)
{
    unsigned char *place = (unsigned char *)raw + sizeof raw;
    return place + (ALIGNMENT - (uintptr_t)place % ALIGNMENT) % ALIGNMENT;
}

static void *placed_in(void *raw)
{
    unsigned char *place = place_in(raw);
    memcpy(place - sizeof raw, &raw, sizeof raw);
    return place;
}

static void *raw_of(const void *block)
{
    void *raw = NULL;
    memcpy(&raw, (const unsigned char *)block - sizeof raw, sizeof raw);
    return raw;
}

static const size_t AROUND = sizeof(void *) + ALIGNMENT; /* as far as a place can be */

static void *callers_block(size_t bytes)
{
    void *raw = bytes > SIZE_MAX - AROUND ? NULL : caller.allocate(bytes + AROUND, caller.user);
    return raw ? placed_in(raw) : NULL;
}

/* The first `old` bytes are kept by reallocate, where they were in its block; our place in a block
 * that has moved may be another. */
static bool grow_callers(void **block, size_t old, size_t bytes)
{
    void *raw = raw_of(*block);
    const size_t before = (size_t)((unsigned char *)*block - (unsigned char *)raw);
    void *larger = caller.reallocate(raw, bytes + AROUND, caller.user);
    if (!larger)
        return false;
    memmove(place_in(larger), (unsigned char *)larger + before, old);
    *block = placed_in(larger);
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void *block_new(size_t bytes)
{
    /* What a pool gives is not counted, unless a test lets allocations fail: threads with pools
     * share no number that changes. */
    const bool tested = atomic_load_explicit(&fail_from, memory_order_relaxed) > 0;
    if (tested && made_to_fail())
        return NULL;
    void *pooled = from_pool(bytes);
    if (pooled)
        return pooled;
    if (!tested && made_to_fail())
        return NULL;
    if (!atomic_load_explicit(&in_use, memory_order_relaxed))
        atomic_store(&in_use, true);
    if (caller.allocate) {
        void *block = callers_block(bytes);
        if (block)
            atomic_fetch_add(&live_blocks, 1);
        return block;
    }
    const size_t alignment = bytes >= HUGE_BLOCK ? HUGE_PAGE : ALIGNMENT;
    if (bytes > SIZE_MAX - alignment)
        return NULL;
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *block = aligned_alloc(alignment, rounded ? rounded : alignment);
    if (!block)
        return NULL;
    if (bytes >= HUGE_BLOCK)
        (void)madvise(block, rounded, MADV_HUGEPAGE); /* a wish; without it only slower */
    atomic_fetch_add(&live_blocks, 1);
    return block;
}

void *pt_alloc(int64_t count, size_t size, const char *what, pt_error *err)
{
    size_t bytes = 0;
    if (count < 0 || !pt_size_mul((size_t)count, size, &bytes)) {
        pt_fail(err, PT_EINVAL, "%s: %lld objects of %zu bytes cannot be addressed", what,
                (long long)count, size);
        return NULL;
    }
    void *block = block_new(bytes);
    if (!block)
        pt_fail_memory(err, what, bytes);
    return block;
}

void *pt_alloc_zero(int64_t count, size_t size, const char *what, pt_error *err)
{
    void *block = pt_alloc(count, size, what, err);
    if (block)
        memset(block, 0, (size_t)count * size);
    return block;
}

/* A large block that grows where it lies, or whose pages move: a copy would be there twice for a
 * while. False: it did not, and is untouched. */
static bool grow_in_place(void **block, int64_t old_count, int64_t new_count, size_t size)
{
    size_t bytes = 0;
    if (!*block || is_pooled(*block) || old_count <= 0 || new_count < old_count ||
        (size_t)old_count < HUGE_BLOCK / size || !pt_size_mul((size_t)new_count, size, &bytes) ||
        bytes > SIZE_MAX - HUGE_PAGE || made_to_fail())
        return false;
    if (caller.allocate)
        return grow_callers(block, (size_t)old_count * size, bytes);
    const size_t rounded = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *larger = realloc(*block, rounded);
    if (!larger)
        return false;
    *block = larger;
    return (uintptr_t)larger % ALIGNMENT == 0;
}

pt_status pt_alloc_grow(void **block, int64_t old_count, int64_t new_count, size_t size,
                        const char *what, pt_error *err)
{
    if (grow_in_place(block, old_count, new_count, size))
        return PT_OK;
    pt_error own = PT_ERROR_INIT;
    void *larger = pt_alloc(new_count, size, what, &own);
    if (!larger) {
        pt_error_copy(err, &own);
        return own.code;
    }
    const int64_t kept = old_count < new_count ? old_count : new_count;
    if (*block && kept > 0)
        memcpy(larger, *block, (size_t)kept * size);
    pt_free(*block);
    *block = larger;
    return PT_OK;
}

char *pt_alloc_text_n(const char *text, size_t length, pt_error *err)
{
    char *copy = pt_alloc((int64_t)length + 1, 1, "a text", err);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *pt_alloc_text(const char *text, pt_error *err)
{
    return pt_alloc_text_n(text, strlen(text), err);
}

void pt_free(void *block)
{
    if (block && !is_pooled(block)) {
        atomic_fetch_sub(&live_blocks, 1);
        if (caller.allocate)
            caller.release(raw_of(block), caller.user);
        else
            free(block);
    }
}

void *pt_keep(void *address)
{
    void *kept = NULL;
    void *none = NULL;
    memcpy(&kept, address, sizeof kept); /* a pointer of any type */
    memcpy(address, &none, sizeof none);
    return kept;
}

size_t pt_arena_need(int64_t count, size_t size)
{
    size_t bytes = 0;
    if (count < 0 || !pt_size_mul((size_t)count, size, &bytes) || bytes > PT_ARENA_MOST - ALIGNMENT)
        return PT_ARENA_MOST; /* pt_arena_init will refuse it */
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

pt_status pt_arena_init(pt_arena *arena, size_t bytes, const char *what, pt_error *err)
{
    memset(arena, 0, sizeof *arena);
    if (bytes >= PT_ARENA_MOST)
        return pt_fail(err, PT_EINVAL, "%s: the work space cannot be addressed", what);
    arena->base = pt_alloc((int64_t)bytes, 1, what, err);
    if (!arena->base)
        return PT_ENOMEM;
    arena->size = bytes;
    return PT_OK;
}

void *pt_arena_take(pt_arena *arena, int64_t count, size_t size)
{
    const size_t need = pt_arena_need(count, size);
    assert(need <= arena->size - arena->used);
    void *piece = arena->base + arena->used;
    arena->used += need;
    return piece;
}

void pt_arena_free(pt_arena *arena)
{
    pt_free(arena->base);
    memset(arena, 0, sizeof *arena);
}

pt_status pt_arena_lay_out(pt_arena *arena, const char *what, pt_error *err, const pt_piece *pieces)
{
    size_t bytes = 0;
    for (const pt_piece *p = pieces; p->address; p++)
        bytes += pt_arena_need(p->count, p->size);
    PT_TRY(pt_arena_init(arena, bytes, what, err));
    for (const pt_piece *p = pieces; p->address; p++) {
        void *room = pt_arena_take(arena, p->count, p->size);
        memcpy(p->address, &room, sizeof room); /* a pointer of any type */
    }
    return PT_OK;
}
