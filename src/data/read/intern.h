/* Texts numbered in the order of their first appearance: class names, levels of nominal columns.
 * A hash table, so that millions of cells with up to as many different texts cost linear time.
 * Memory: 11 to 16 bytes a text beside what pt_texts takes. */
#ifndef PT_DATA_READ_INTERN_H
#define PT_DATA_READ_INTERN_H

#include "base/text.h"

/* Zero-initialise it. `texts` may be taken away (and zeroed) before pt_intern_free. */
typedef struct pt_intern {
    pt_texts texts;    /* text number i, a copy */
    uint64_t *slot;    /* 32 bits of a hash, and a number from 1; 0: empty */
    int64_t n_slots;   /* at most three quarters of them are taken */
    pt_budget *budget; /* what is held is taken from it; NULL: nobody counts */
} pt_intern;

/* The number of `text` (`length` bytes, none of them 0), which is added if it is new. PT_EMEMORY at
 * the end of the budget. */
pt_status pt_intern_add(pt_intern *intern, const char *text, size_t length, int64_t *number,
                        pt_error *err);
/* The same for a text in letters that intern->texts has taken (text.h): it is not copied. */
pt_status pt_intern_add_taken(pt_intern *intern, char *text, int64_t *number, pt_error *err);
/* Its number, or -1. */
int64_t pt_intern_find(const pt_intern *intern, const char *text, size_t length);
/* Fills an empty table with texts, which must be different: number i is text i. A text that is
 * there twice is PT_EINVAL. */
pt_status pt_intern_fill(pt_intern *intern, const pt_texts *texts, pt_error *err);
/* Frees the hash table alone, when all texts are there that will be. */
void pt_intern_drop_slots(pt_intern *intern);
void pt_intern_free(pt_intern *intern);

/* Texts numbered by several workers at once: each numbers what it meets (intern.h) and remembers
 * where it met a text first; merged, the numbers follow the order of the file, whoever read what.
 */

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
