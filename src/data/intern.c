/* A hash table of texts: open addressing with linear probing over XXH3, at most half full. */
#include "data/intern.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

enum { FIRST_SLOTS = 16 };

static bool same_text(const char *kept, const char *text, size_t length)
{
    return strncmp(kept, text, length) == 0 && kept[length] == '\0';
}

/* The slot that holds the text, or the empty one where it belongs. The table has empty slots. */
static int64_t probe(const pt_intern *intern, uint64_t hash, const char *text, size_t length)
{
    const uint64_t mask = (uint64_t)intern->n_slots - 1;
    uint64_t at = hash & mask;
    for (;; at = (at + 1) & mask) {
        const int64_t number = intern->slot[at];
        if (number < 0)
            return (int64_t)at;
        if (intern->hash[number] == hash && same_text(intern->texts.items[number], text, length))
            return (int64_t)at;
    }
}

/* A table of twice the slots; the old one is untouched where that fails. */
static pt_status slots_double(pt_intern *intern, pt_error *err)
{
    const int64_t n_slots = intern->n_slots ? 2 * intern->n_slots : FIRST_SLOTS;
    int64_t *slot = pt_alloc(n_slots, sizeof *slot, "a table of texts", err);
    if (!slot)
        return PT_ENOMEM;
    memset(slot, 0xff, (size_t)n_slots * sizeof *slot); /* all -1 */
    const uint64_t mask = (uint64_t)n_slots - 1;
    for (int64_t i = 0; i < intern->texts.count; i++) {
        uint64_t at = intern->hash[i] & mask;
        while (slot[at] >= 0)
            at = (at + 1) & mask;
        slot[at] = i;
    }
    pt_free(intern->slot);
    intern->slot = slot;
    intern->n_slots = n_slots;
    return PT_OK;
}

static pt_status hash_room(pt_intern *intern, pt_error *err)
{
    if (intern->texts.count < intern->capacity)
        return PT_OK;
    const int64_t capacity = intern->capacity ? 2 * intern->capacity : FIRST_SLOTS;
    pt_status status = pt_alloc_grow((void **)&intern->hash, intern->capacity, capacity,
                                     sizeof(uint64_t), "a table of texts", err);
    if (status == PT_OK)
        intern->capacity = capacity;
    return status;
}

pt_status pt_intern_add(pt_intern *intern, const char *text, size_t length, int64_t *number,
                        pt_error *err)
{
    pt_status status = PT_OK;
    if (2 * (intern->texts.count + 1) > intern->n_slots)
        status = slots_double(intern, err);
    if (status != PT_OK)
        return status;

    const uint64_t hash = pt_checksum(text, length);
    const int64_t at = probe(intern, hash, text, length);
    if (intern->slot[at] >= 0) {
        *number = intern->slot[at];
        return PT_OK;
    }
    status = hash_room(intern, err);
    if (status == PT_OK)
        status = pt_texts_add_n(&intern->texts, text, length, err);
    if (status != PT_OK)
        return status;
    const int64_t fresh = intern->texts.count - 1;
    intern->hash[fresh] = hash;
    intern->slot[at] = fresh;
    *number = fresh;
    return PT_OK;
}

int64_t pt_intern_find(const pt_intern *intern, const char *text, size_t length)
{
    if (intern->n_slots == 0)
        return -1;
    return intern->slot[probe(intern, pt_checksum(text, length), text, length)];
}

pt_status pt_intern_fill(pt_intern *intern, const pt_texts *texts, pt_error *err)
{
    for (int64_t i = 0; i < texts->count; i++) {
        const char *text = texts->items[i];
        int64_t number = -1;
        pt_status status = pt_intern_add(intern, text, strlen(text), &number, err);
        if (status != PT_OK)
            return status;
        if (number != i)
            return pt_fail(err, PT_EINVAL, "'%.100s' is listed twice", text);
    }
    return PT_OK;
}

void pt_intern_free(pt_intern *intern)
{
    pt_texts_free(&intern->texts);
    pt_free(intern->hash);
    pt_free(intern->slot);
    memset(intern, 0, sizeof *intern);
}
