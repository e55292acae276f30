/* The one door to memory. Tests can make the N-th allocation fail. */
#ifndef PT_BASE_ALLOC_H
#define PT_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* a * b, or false where that overflows. */
bool pt_size_mul(size_t a, size_t b, size_t *product);

/* `count` objects of `size` bytes, 64-byte aligned, or NULL with PT_ENOMEM in err. Large blocks ask
 * for huge pages. A count of 0 gives a valid pointer; a negative one is PT_EINVAL. `what` is for
 * the error text. The contents are undefined (pt_alloc) or zero (pt_alloc_zero). */
void *pt_alloc(int64_t count, size_t size, const char *what, pt_error *err);
void *pt_alloc_zero(int64_t count, size_t size, const char *what, pt_error *err);
/* The same as a status: PT_TRY(PT_NEW(m->mean, k, "means", err)). */
#define PT_NEW(pointer, count, what, err) \
    (((pointer) = pt_alloc(count, sizeof *(pointer), what, err)) ? PT_OK : PT_ENOMEM)
#define PT_NEW_ZERO(pointer, count, what, err) \
    (((pointer) = pt_alloc_zero(count, sizeof *(pointer), what, err)) ? PT_OK : PT_ENOMEM)

/* Grows `*block` from `old_count` to `new_count` objects; on failure *block is untouched. */
pt_status pt_alloc_grow(void **block, int64_t old_count, int64_t new_count, size_t size,
                        const char *what, pt_error *err);

/* A copy of a text (of `length` bytes; 0 is added). */
char *pt_alloc_text(const char *text, pt_error *err);
char *pt_alloc_text_n(const char *text, size_t length, pt_error *err);

void pt_free(void *block);

/* A pool: what one thread allocates between begin and end comes from a block of its own, as far as
 * that reaches, and freeing it does nothing. For work that is done over and over: the block grows,
 * at `begin`, to what the last time took in all, and from then on nothing is asked of the system,
 * nor of other threads. What was allocated must not be used behind `end`. Zero-initialise; a pool
 * serves one thread at a time. */
typedef struct pt_pool {
    char *base;
    size_t size;
    size_t used;
    size_t wanted;         /* what would have been used, had there been room */
    struct pt_pool *outer; /* of the same thread, in force before */
} pt_pool;

void pt_pool_begin(pt_pool *pool);
void pt_pool_end(pt_pool *pool);
void pt_pool_free(pt_pool *pool);
/* While code of others runs, which may keep what it allocates: none is in force. */
pt_pool *pt_pool_pause(void);
void pt_pool_resume(pt_pool *pool);

/* Memory for the scope it is declared in, and objects that end with theirs: what stands before a
 * declaration frees it, whichever way the function is left.
 *
 *     PT_SCRATCH double *scores = pt_alloc(n, sizeof *scores, "scores", err);
 *     PT_FREED_BY(pt_texts_free) pt_texts names = {0};
 *
 * The function of PT_FREED_BY gets the variable's address. */
#define PT_FREED_BY(function) __attribute__((cleanup(function)))
#define PT_SCRATCH PT_FREED_BY(pt_scratch_free)
static inline void pt_scratch_free(void *address)
{
    pt_free(*(void **)address);
}
/* What such a variable holds, handed out: *out = pt_keep(&made). The variable is NULL then. */
void *pt_keep(void *address);

/* Testing: the allocation with this number (from 1) fails, as do all after it, or it alone; 0
 * switches it off. Counts across threads. pt_alloc_live counts blocks not yet freed. */
void pt_alloc_fail_from(int64_t number);
void pt_alloc_fail_only(int64_t number);
int64_t pt_alloc_count(void);
int64_t pt_alloc_live(void);

/* An arena: one block, handed out piece by piece, freed at once. Size it before the loop. */
typedef struct pt_arena {
    unsigned char *base;
    size_t size;
    size_t used;
} pt_arena;

/* All pieces in one statement: *address <- room for count objects.
 *
 *     PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
 *     PT_TRY(PT_ARENA(&arena, "work", err, PT_PIECE(s.M, n), PT_PIECE(s.order, m))); */
typedef struct pt_piece {
    void *address; /* of the pointer; NULL ends a list */
    int64_t count;
    size_t size;
} pt_piece;
#define PT_PIECE(pointer, count)                     \
    {                                                \
        (void *)&(pointer), count, sizeof *(pointer) \
    }
#define PT_ARENA(arena, what, err, ...) \
    pt_arena_lay_out(arena, what, err, (const pt_piece[]){__VA_ARGS__, {NULL, 0, 0}})
pt_status pt_arena_lay_out(pt_arena *arena, const char *what, pt_error *err,
                           const pt_piece *pieces);

/* Or one piece after the other. */
pt_status pt_arena_init(pt_arena *arena, size_t bytes, const char *what, pt_error *err);
/* 64-byte aligned. Asking for more than was sized is our mistake: asserts. */
void *pt_arena_take(pt_arena *arena, int64_t count, size_t size);
/* What pt_arena_take will use for it, at most PT_ARENA_MOST: sums of up to 60 needs do not wrap,
 * and pt_arena_init refuses what is not below it. */
#define PT_ARENA_MOST ((size_t)1 << 58)
size_t pt_arena_need(int64_t count, size_t size);
void pt_arena_free(pt_arena *arena);

#endif
