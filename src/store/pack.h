/* Named arrays of numbers and lists of texts, as a file holds them: what trained machines,
 * preparations and checkpoints are saved as. */
#ifndef PT_STORE_PACK_H
#define PT_STORE_PACK_H

#include <stdbool.h>

#include "base/math.h"
#include "base/text.h"
#include "store/container.h"

/* The value is 64-byte aligned and belongs to the pack. */
typedef struct pt_array {
    char name[32];
    pt_type type;
    bool integer; /* int64_t in place of type */
    bool bytes;   /* bytes in place of numbers: rows of them, in one column */
    bool texts;   /* ... which are texts, each ended by 0 (not known of a file's) */
    int64_t rows;
    int64_t columns;
    void *value;
} pt_array;

enum {
    PT_PACK_ARRAYS = 16, /* no machine has more */
    PT_PACK_KEPT = 8,
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
void pt_pack_add_bytes(pt_pack *pack, const char *name, const char *bytes, size_t size);
/* Texts, each ended by 0: a copy. */
pt_status pt_pack_add_texts(pt_pack *pack, const char *name, const pt_texts *texts, pt_error *err);

const pt_array *pt_pack_find(const pt_pack *pack, const char *name); /* NULL: none */
/* Whether there is such an array of finite numbers of that type. */
bool pt_array_is_real(const pt_array *array, pt_type type);
/* Whether it is a column of integers in 0..limit-1. */
bool pt_array_is_index(const pt_array *array, int64_t limit);
/* An array of this kind and shape, or NULL; rows below 0: any number of them. Not every double need
 * be finite. */
const pt_array *pt_pack_find_shape(const pt_pack *pack, const char *name, pt_section_kind kind,
                                   int64_t rows, int64_t columns);
/* Adds the texts of such a list to `texts`; PT_EFORMAT where there is none. */
pt_status pt_pack_find_texts(pt_texts *texts, const pt_pack *pack, const char *name, pt_error *err);

/* A pack in a file: its arrays are the sections whose tag begins with the prefix (of at most
 * 16 - PT_PACK_NAME bytes). */
typedef struct pt_packed {
    const char *prefix;
    const pt_pack *pack;
} pt_packed;
pt_status pt_packs_write(const char *path, const pt_packed *packs, int64_t count, pt_error *err);
/* The same bytes in memory; the caller frees them. */
pt_status pt_packs_pack(void **bytes, size_t *size, const pt_packed *packs, int64_t count,
                        pt_error *err);
/* Those of an open file, which lends the values. Optional sections are for a version to come. */
pt_status pt_pack_read(pt_pack *pack, const pt_container *container, const char *prefix,
                       pt_error *err);

#endif
