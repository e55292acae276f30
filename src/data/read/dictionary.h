/* Texts numbered by several workers at once: each numbers what it meets (intern.h) and remembers
 * where it met a text first; merged, the numbers follow the order of the file, whoever read what.
 */
#ifndef PT_DATA_READ_DICTIONARY_H
#define PT_DATA_READ_DICTIONARY_H

#include "data/read/intern.h"

/* Zero-initialise it; words.budget counts for all of it. */
typedef struct pt_dictionary {
    pt_intern words;
    unsigned char *steps; /* from the first offset of a word to that of the next, 7 bits a byte */
    int64_t n_steps;
    int64_t capacity; /* of steps */
    int64_t last;     /* the first offset of the last word */
} pt_dictionary;

static inline int64_t pt_dictionary_count(const pt_dictionary *dictionary)
{
    return dictionary->words.texts.count;
}

/* The number of a text (without zero bytes) that stands at `offset`; a new one gets the next
 * number. Offsets must ascend. */
pt_status pt_dictionary_add(pt_dictionary *dictionary, const char *text, size_t length,
                            int64_t offset, int64_t *number, pt_error *err);

/* Merges n_parts dictionaries, the p-th at parts[p * stride]: the words in the order of their first
 * offset. The letters are not copied, they change hands: the parts are empty afterwards, also after
 * a failure, and are still to be freed. `merged` is empty before it. map[p][i], allocated here, is
 * the common number of word i of part p; NULL where it is i. Free each map[p], which must be NULL
 * on entry, with pt_free, also after a failure. first (NULL: nobody asks), to be freed as well: the
 * first offset of each word. */
pt_status pt_dictionary_merge(pt_intern *merged, pt_dictionary *parts, int64_t n_parts,
                              int64_t stride, uint32_t **map, int64_t **first, pt_error *err);

void pt_dictionary_free(pt_dictionary *dictionary);

#endif
