/* A hash table of texts: open addressing with linear probing over XXH3, at most 3 in 4 slots taken,
 * of a small table 1 in 3. A slot has the upper half of the hash beside the number of its text. Its
 * place is in proportion to that half, so that the table grows by any factor and without a look at
 * the texts. */
#include "data/read/intern.h"

#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"

#define XXH_INLINE_ALL /* a call would take as long as the hash of a short text */

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

/* ---- texts of several workers ---------------------------------------------------------------- */

/* Dictionaries of workers, and how they become one. The words of each stand in the order of their
 * first offsets already, so that merging takes always the part whose next word comes first. */

enum { STEP_BITS = 7, MOST_STEP = 10 }; /* bytes of a step of 64 bits */

static pt_status steps_room(pt_dictionary *dictionary, pt_error *err)
{
    enum { FIRST = 64 };
    const int64_t before = dictionary->capacity;
    if (dictionary->n_steps + MOST_STEP <= before)
        return PT_OK;
    const int64_t capacity = before ? before + before / 2 : FIRST;
    pt_budget *budget = dictionary->words.budget;
    pt_status status = pt_budget_take(budget, (size_t)capacity, "texts", err);
    if (status != PT_OK)
        return status;
    status = pt_alloc_grow((void **)&dictionary->steps, dictionary->n_steps, capacity, 1,
                           "a table of texts", err);
    pt_budget_give(budget, (size_t)(status == PT_OK ? before : capacity));
    if (status == PT_OK)
        dictionary->capacity = capacity;
    return status;
}

static void put_step(pt_dictionary *dictionary, int64_t offset)
{
    uint64_t step = (uint64_t)(offset - dictionary->last);
    dictionary->last = offset;
    for (; step >> STEP_BITS; step >>= STEP_BITS)
        dictionary->steps[dictionary->n_steps++] = (unsigned char)(step | (1U << STEP_BITS));
    dictionary->steps[dictionary->n_steps++] = (unsigned char)step;
}

pt_status pt_dictionary_add(pt_dictionary *dictionary, const char *text, size_t length,
                            int64_t offset, int64_t *number, pt_error *err)
{
    const int64_t count = pt_dictionary_count(dictionary);
    PT_TRY(pt_intern_add(&dictionary->words, text, length, number, err));
    if (*number < count)
        return PT_OK;
    PT_TRY(steps_room(dictionary, err));
    put_step(dictionary, offset);
    return PT_OK;
}

/* A part whose words are being merged. */
typedef struct newcomers {
    pt_dictionary *part;
    int64_t next;   /* its next word */
    int64_t at;     /* behind that word's step */
    int64_t offset; /* where that word was met first; INT64_MAX: there are no more */
    size_t items;   /* bytes of its list of words */
} newcomers;

static void step_on(newcomers *a)
{
    if (++a->next >= pt_dictionary_count(a->part)) {
        a->offset = INT64_MAX;
        return;
    }
    uint64_t step = 0;
    int shift = 0;
    unsigned char byte = 0;
    do {
        byte = a->part->steps[a->at++];
        step |= (uint64_t)(byte & ((1U << STEP_BITS) - 1)) << shift;
        shift += STEP_BITS;
    } while (byte >> STEP_BITS);
    a->offset += (int64_t)step;
}

static pt_status first_room(int64_t **first, int64_t count, pt_budget *budget, pt_error *err)
{
    PT_TRY(pt_budget_take(budget, (size_t)count * sizeof **first, "texts", err));
    *first = pt_alloc(count, sizeof **first, "a table of texts", err);
    return *first ? PT_OK : PT_ENOMEM;
}

/* The only part that has words: it becomes the whole. */
static pt_status take_whole(pt_intern *merged, pt_dictionary *part, int64_t **first, pt_error *err)
{
    const int64_t count = pt_dictionary_count(part);
    if (first)
        PT_TRY(first_room(first, count, part->words.budget, err));
    newcomers a = {.part = part, .next = -1};
    for (int64_t i = 0; first && i < count; i++) {
        step_on(&a);
        (*first)[i] = a.offset;
    }
    *merged = part->words;
    memset(&part->words, 0, sizeof part->words);
    part->words.budget = merged->budget;
    return PT_OK;
}

static pt_status arrive(newcomers *a, pt_intern *merged, uint32_t *map, int64_t *first,
                        pt_error *err)
{
    const int64_t before = merged->texts.count;
    int64_t number = 0;
    PT_TRY(pt_intern_add_taken(merged, a->part->words.texts.items[a->next], &number, err));
    map[a->next] = (uint32_t)number;
    if (first && number == before)
        first[number] = a->offset;
    step_on(a);
    return PT_OK;
}

/* Takes the words of the part that comes first up to where another one does; false: there are no
 * more. */
static bool merge_some(newcomers *heads, int64_t n, pt_intern *merged, uint32_t **map,
                       int64_t *first, pt_status *status, pt_error *err)
{
    int64_t best = 0;
    int64_t limit = INT64_MAX; /* where the next of the others comes */
    for (int64_t p = 1; p < n; p++)
        if (heads[p].offset < heads[best].offset) {
            limit = heads[best].offset;
            best = p;
        } else if (heads[p].offset < limit) {
            limit = heads[p].offset;
        }
    if (heads[best].offset == INT64_MAX)
        return false;
    do
        *status = arrive(&heads[best], merged, map[best], first, err);
    while (*status == PT_OK && heads[best].offset < limit);
    return *status == PT_OK;
}

static pt_status merge_parts(pt_intern *merged, pt_dictionary *parts, int64_t n_parts,
                             int64_t stride, int64_t total, uint32_t **map, int64_t **first,
                             pt_error *err)
{
    const size_t map_bytes = (size_t)total * sizeof **map;
    newcomers *heads = pt_alloc_zero(n_parts, sizeof *heads, "a table of texts", err);
    pt_status status = heads ? PT_OK : PT_ENOMEM;
    if (status == PT_OK && first)
        status = first_room(first, total, merged->budget, err);
    if (status == PT_OK)
        status = pt_budget_take(merged->budget, map_bytes, "texts", err);
    if (status != PT_OK)
        goto done;
    for (int64_t p = 0; p < n_parts && status == PT_OK; p++) {
        pt_dictionary *part = &parts[p * stride];
        pt_intern_drop_slots(&part->words);
        map[p] = pt_alloc(pt_dictionary_count(part), sizeof **map, "a table of texts", err);
        status = map[p] ? PT_OK : PT_ENOMEM;
        heads[p] = (newcomers){.part = part, .next = -1};
        step_on(&heads[p]);
        heads[p].items = pt_texts_take_letters(&merged->texts, &part->words.texts);
    }
    while (status == PT_OK &&
           merge_some(heads, n_parts, merged, map, first ? *first : NULL, &status, err)) {
    }
    for (int64_t p = 0; p < n_parts; p++) {
        pt_budget_give(merged->budget, heads[p].items);
        pt_texts_free(&parts[p * stride].words.texts);
    }
    pt_budget_give(merged->budget, map_bytes); /* soon */
done:
    pt_free(heads);
    return status;
}

pt_status pt_dictionary_merge(pt_intern *merged, pt_dictionary *parts, int64_t n_parts,
                              int64_t stride, uint32_t **map, int64_t **first, pt_error *err)
{
    int64_t total = 0;
    pt_dictionary *only = n_parts > 0 ? parts : NULL;
    for (int64_t p = 0; p < n_parts; p++) {
        const int64_t count = pt_dictionary_count(&parts[p * stride]);
        if (count > 0)
            only = total == 0 ? &parts[p * stride] : NULL;
        total += count;
    }
    merged->budget = n_parts > 0 ? parts->words.budget : NULL;
    return only ? take_whole(merged, only, first, err)
                : merge_parts(merged, parts, n_parts, stride, total, map, first, err);
}

void pt_dictionary_free(pt_dictionary *dictionary)
{
    pt_budget_give(dictionary->words.budget, (size_t)dictionary->capacity);
    pt_intern_free(&dictionary->words);
    pt_free(dictionary->steps);
    memset(dictionary, 0, sizeof *dictionary);
}
