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

/* The number of `text` (`length` bytes, none of them 0), which is added if it is new. PT_ELIMIT at
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

#endif
