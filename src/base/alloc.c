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

static bool made_to_fail(void)
{
    const int64_t number = atomic_fetch_add(&allocations, 1) + 1;
    const int64_t first = atomic_load(&fail_from);
    return first > 0 && number >= first && number <= atomic_load(&fail_to);
}

static void *block_new(size_t bytes)
{
    if (made_to_fail())
        return NULL;
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
    if (!*block || old_count <= 0 || new_count < old_count ||
        (size_t)old_count < HUGE_BLOCK / size || !pt_size_mul((size_t)new_count, size, &bytes) ||
        bytes > SIZE_MAX - HUGE_PAGE || made_to_fail())
        return false;
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
    pt_error own = {PT_OK, "", "", 0, 0};
    void *larger = pt_alloc(new_count, size, what, &own);
    if (!larger) {
        if (err)
            *err = own;
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
    if (block) {
        atomic_fetch_sub(&live_blocks, 1);
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
