/* A hash table of texts: open addressing with linear probing over XXH3, at most 3 in 4 slots taken,
 * of a small table 1 in 3. A slot has the upper half of the hash beside the number of its text. Its
 * place is in proportion to that half, so that the table grows by any factor and without a look at
 * the texts. */
#include "data/read/intern.h"

#include <string.h>

#define XXH_INLINE_ALL /* a call would take as long as the hash of a short text */
#include <xxhash.h>

#include "base/alloc.h"

enum {
    FIRST_SLOTS = 16,
    SMALL_SLOTS = 1 << 9 /* below, speed counts and not memory */
};

/* Texts are short, and nearly always the same here. */
static bool same_text(const char *kept, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (kept[i] != text[i] || kept[i] == '\0')
            return false;
    return kept[length] == '\0';
}

static bool is_full(const pt_intern *intern)
{
    return (intern->n_slots < SMALL_SLOTS ? 3 : 1) * 4 * (intern->texts.count + 1) >
           (intern->n_slots < SMALL_SLOTS ? 4 : 3) * intern->n_slots;
}

static uint64_t hash_of(const char *text, size_t length)
{
    return XXH3_64bits(text, length) >> 32;
}

static int64_t number_in(uint64_t slot)
{
    return (int64_t)(slot & UINT32_MAX) - 1;
}

static int64_t home_of(uint64_t hash, int64_t n_slots)
{
    return (int64_t)((hash * (uint64_t)n_slots) >> 32);
}

/* The slot that holds the text, or the empty one where it belongs. The table has empty slots. */
static inline int64_t probe(const pt_intern *intern, uint64_t hash, const char *text, size_t length)
{
    int64_t at = home_of(hash, intern->n_slots);
    for (;;) {
        const uint64_t slot = intern->slot[at];
        if (slot == 0)
            return at;
        if (slot >> 32 == hash && same_text(intern->texts.items[number_in(slot)], text, length))
            return at;
        at = at + 1 < intern->n_slots ? at + 1 : 0;
    }
}

/* A table of half as many slots more; the old one is untouched where that fails. */
static pt_status slots_grow(pt_intern *intern, pt_error *err)
{
    const int64_t before = intern->n_slots;
    const int64_t n_slots = before ? before + before / 2 : FIRST_SLOTS;
    const size_t bytes = (size_t)n_slots * sizeof(uint64_t);
    if (n_slots > UINT32_MAX) /* their numbers have 32 bits */
        return pt_fail(err, PT_ELIMIT, "there are more than %lld different texts",
                       (long long)intern->texts.count);
    PT_TRY(pt_budget_take(intern->budget, bytes, "texts", err));
    uint64_t *slot = pt_alloc_zero(n_slots, sizeof *slot, "a table of texts", err);
    if (!slot) {
        pt_budget_give(intern->budget, bytes);
        return PT_ENOMEM;
    }
    for (int64_t i = 0; i < before; i++) {
        if (intern->slot[i] == 0)
            continue;
        int64_t at = home_of(intern->slot[i] >> 32, n_slots);
        while (slot[at] != 0)
            at = at + 1 < n_slots ? at + 1 : 0;
        slot[at] = intern->slot[i];
    }
    pt_intern_drop_slots(intern);
    intern->slot = slot;
    intern->n_slots = n_slots;
    return PT_OK;
}

/* The number of a text that is there; or the slot where it belongs, with number -1. */
static pt_status find_place(pt_intern *intern, uint64_t hash, const char *text, size_t length,
                            int64_t *at, int64_t *number, pt_error *err)
{
    if (is_full(intern))
        PT_TRY(slots_grow(intern, err));
    *at = probe(intern, hash, text, length);
    *number = number_in(intern->slot[*at]);
    return PT_OK;
}

static int64_t take_place(pt_intern *intern, uint64_t hash, int64_t at)
{
    intern->slot[at] = hash << 32 | (uint64_t)intern->texts.count; /* its number + 1 */
    return intern->texts.count - 1;
}

pt_status pt_intern_add(pt_intern *intern, const char *text, size_t length, int64_t *number,
                        pt_error *err)
{
    const uint64_t hash = hash_of(text, length);
    int64_t at = 0;
    if (intern->n_slots > 0) { /* nearly always it is there */
        *number = number_in(intern->slot[probe(intern, hash, text, length)]);
        if (*number >= 0)
            return PT_OK;
    }
    PT_TRY(find_place(intern, hash, text, length, &at, number, err));
    if (*number >= 0)
        return PT_OK;
    PT_TRY(pt_texts_add_within(&intern->texts, intern->budget, text, length, err));
    *number = take_place(intern, hash, at);
    return PT_OK;
}

pt_status pt_intern_add_taken(pt_intern *intern, char *text, int64_t *number, pt_error *err)
{
    const size_t length = strlen(text);
    const uint64_t hash = hash_of(text, length);
    int64_t at = 0;
    PT_TRY(find_place(intern, hash, text, length, &at, number, err));
    if (*number >= 0)
        return PT_OK;
    PT_TRY(pt_texts_add_taken(&intern->texts, intern->budget, text, err));
    *number = take_place(intern, hash, at);
    return PT_OK;
}

int64_t pt_intern_find(const pt_intern *intern, const char *text, size_t length)
{
    if (intern->n_slots == 0)
        return -1;
    return number_in(intern->slot[probe(intern, hash_of(text, length), text, length)]);
}

pt_status pt_intern_fill(pt_intern *intern, const pt_texts *texts, pt_error *err)
{
    for (int64_t i = 0; i < texts->count; i++) {
        const char *text = texts->items[i];
        int64_t number = -1;
        PT_TRY(pt_intern_add(intern, text, strlen(text), &number, err));
        if (number != i)
            return pt_fail(err, PT_EINVAL, "'%.100s' is listed twice", text);
    }
    return PT_OK;
}

void pt_intern_drop_slots(pt_intern *intern)
{
    pt_budget_give(intern->budget, (size_t)intern->n_slots * sizeof *intern->slot);
    pt_free(intern->slot);
    intern->slot = NULL;
    intern->n_slots = 0;
}

void pt_intern_free(pt_intern *intern)
{
    pt_budget_give(intern->budget,
                   pt_texts_bytes(&intern->texts) + (size_t)intern->n_slots * sizeof *intern->slot);
    pt_texts_free(&intern->texts);
    pt_free(intern->slot);
    memset(intern, 0, sizeof *intern);
}
