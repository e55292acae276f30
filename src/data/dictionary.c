/* Dictionaries of workers, and how they become one. */
#include "data/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

pt_status pt_dictionary_add(pt_dictionary *dictionary, const char *text, size_t length,
                            int64_t offset, int64_t *number, pt_error *err)
{
    enum { FIRST_WORDS = 16 };
    const int64_t count = pt_dictionary_count(dictionary);
    if (count == dictionary->capacity) {
        const int64_t capacity = count ? 2 * count : FIRST_WORDS;
        pt_status status = pt_alloc_grow((void **)&dictionary->first, count, capacity,
                                         sizeof *dictionary->first, "a table of texts", err);
        if (status != PT_OK)
            return status;
        dictionary->capacity = capacity;
    }
    pt_status status = pt_intern_add(&dictionary->words, text, length, number, err);
    if (status == PT_OK && *number == count)
        dictionary->first[count] = offset;
    return status;
}

/* A word of one of the parts, on its way into the merged table. */
typedef struct arrival {
    int64_t first;
    int64_t part;
    int64_t number;
} arrival;

static int compare_arrivals(const void *a, const void *b)
{
    const arrival *x = a;
    const arrival *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

pt_status pt_dictionary_merge(pt_intern *merged, const pt_dictionary *parts, int64_t n_parts,
                              int64_t stride, int64_t **map, int64_t **first, pt_error *err)
{
    pt_status status = PT_OK;
    int64_t total = 0;
    for (int64_t p = 0; p < n_parts; p++)
        total += pt_dictionary_count(&parts[p * stride]);
    arrival *arrivals = pt_alloc(total, sizeof *arrivals, "a table of texts", err);
    if (!arrivals)
        return PT_ENOMEM;
    if (first) {
        *first = pt_alloc(total, sizeof **first, "a table of texts", err);
        status = *first ? PT_OK : PT_ENOMEM;
    }
    int64_t filled = 0;
    for (int64_t p = 0; p < n_parts && status == PT_OK; p++) {
        const pt_dictionary *part = &parts[p * stride];
        map[p] = pt_alloc(pt_dictionary_count(part), sizeof **map, "a table of texts", err);
        if (!map[p])
            status = PT_ENOMEM;
        for (int64_t i = 0; i < pt_dictionary_count(part); i++)
            arrivals[filled++] = (arrival){part->first[i], p, i};
    }
    if (status == PT_OK)
        qsort(arrivals, (size_t)filled, sizeof *arrivals, compare_arrivals);
    for (int64_t i = 0; i < filled && status == PT_OK; i++) {
        const arrival *a = &arrivals[i];
        const char *text = parts[a->part * stride].words.texts.items[a->number];
        const int64_t before = merged->texts.count;
        status = pt_intern_add(merged, text, strlen(text), &map[a->part][a->number], err);
        if (first && merged->texts.count > before)
            (*first)[before] = a->first;
    }
    pt_free(arrivals);
    return status;
}

void pt_dictionary_free(pt_dictionary *dictionary)
{
    pt_intern_free(&dictionary->words);
    pt_free(dictionary->first);
    memset(dictionary, 0, sizeof *dictionary);
}
