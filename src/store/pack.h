/* The arrays of a trained machine, as a file holds them: building and looking them up. */
#ifndef PT_STORE_PACK_H
#define PT_STORE_PACK_H

#include <stdbool.h>

#include "data/rows.h"

/* Named arrays of numbers. An array is 64-byte aligned and belongs to the pack. */
typedef struct pt_array {
    char name[32];
    pt_type type;
    bool integer; /* int64_t in place of type */
    int64_t rows;
    int64_t columns;
    void *value;
} pt_array;

enum {
    PT_PACK_ARRAYS = 16, /* no machine has more */
    PT_PACK_KEPT = 4,
    PT_PACK_NAME = 12 /* bytes that the file has for a name */
};

/* Zero-initialise; free it always. */
typedef struct pt_pack {
    pt_array *arrays;
    int64_t count;
    void *kept[PT_PACK_KEPT]; /* values that were made for it */
    int64_t n_kept;
} pt_pack;

void pt_pack_free(pt_pack *pack);
/* The pack frees the memory: for values that nobody else has. */
void pt_pack_keep(pt_pack *pack, void *memory);

/* An empty pack with room for PT_PACK_ARRAYS. */
pt_status pt_pack_begin(pt_pack *pack, pt_error *err);
/* The values are borrowed. */
void pt_pack_add(pt_pack *pack, const char *name, pt_type type, int64_t rows, int64_t columns,
                 const void *value);
void pt_pack_add_integers(pt_pack *pack, const char *name, int64_t count, const int64_t *value);

/* Rows, as arrays: rows, or start, index and value where they are sparse. */
void pt_pack_add_rows(pt_pack *pack, const pt_rows *rows);
/* Those of a file, checked, for rows whose n, d and type are given; they still lie in the pack. */
pt_status pt_pack_find_rows(pt_rows *rows, const pt_pack *pack, pt_error *err);

const pt_array *pt_pack_find(const pt_pack *pack, const char *name); /* NULL: none */
/* Whether there is such an array of finite numbers of that type. */
bool pt_array_is_real(const pt_array *array, pt_type type);
/* Whether it is a column of integers in 0..limit-1. */
bool pt_array_is_index(const pt_array *array, int64_t limit);

#endif
