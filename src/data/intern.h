/* Texts numbered in the order of their first appearance: class names, levels of nominal columns.
 * A hash table, so that millions of cells with up to as many different texts cost linear time. */
#ifndef PT_DATA_INTERN_H
#define PT_DATA_INTERN_H

#include "base/text.h"

/* Zero-initialise it. `texts` may be taken away (and zeroed) before pt_intern_free. */
typedef struct pt_intern {
    pt_texts texts; /* text number i, a copy */
    uint64_t *hash; /* of text i */
    int64_t *slot;  /* numbers by hash, -1: empty; a power of two of them, at most half full */
    int64_t n_slots;
    int64_t capacity; /* of hash */
} pt_intern;

/* The number of `text` (`length` bytes, none of them 0), which is added if it is new. */
pt_status pt_intern_add(pt_intern *intern, const char *text, size_t length, int64_t *number,
                        pt_error *err);
/* Its number, or -1. */
int64_t pt_intern_find(const pt_intern *intern, const char *text, size_t length);
/* Fills an empty table with texts, which must be different: number i is text i. A text that is
 * there twice is PT_EINVAL. */
pt_status pt_intern_fill(pt_intern *intern, const pt_texts *texts, pt_error *err);
void pt_intern_free(pt_intern *intern);

#endif
