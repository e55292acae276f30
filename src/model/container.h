/* The model file: magic, version, a table of sections, 64-byte aligned sections, JSON metadata first.
 *
 *   offset  bytes
 *        0      8   magic "POLYTOMY"
 *        8      4   format version, little-endian, now 1
 *       12      4   number of sections
 *       16      8   bytes of the whole file
 *       24      8   xxh3 of the section table
 *       32     32   zero
 *       64   64*s   section table: tag[16] (zero-padded), u64 offset, u64 bytes, u64 xxh3,
 *                   u32 flags (1: optional, may be skipped by a reader that does not know it),
 *                   u32 kind (0 bytes, 1 f32, 2 f64, 3 i64), u64 rows, u64 columns
 *   aligned         the sections, each at a multiple of 64, in the order of the table, no overlap
 *
 * All numbers little-endian. A reader checks everything before it looks at a section and never relies
 * on the checksums for safety. */
#ifndef PT_MODEL_CONTAINER_H
#define PT_MODEL_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum pt_section_kind {
    PT_SECTION_BYTES = 0,
    PT_SECTION_F32 = 1,
    PT_SECTION_F64 = 2,
    PT_SECTION_I64 = 3
} pt_section_kind;

typedef struct pt_section {
    char tag[17]; /* ended by 0; at most 16 bytes */
    pt_section_kind kind;
    bool optional;
    int64_t rows;    /* bytes: the count, with columns 1 */
    int64_t columns;
    const void *value;
    size_t bytes;
} pt_section;

/* Writes the file atomically: sections in the order given. */
pt_status pt_container_write(const char *path, const pt_section *sections, int64_t count,
                             pt_error *err);

/* A container opened from a file (memory-mapped) or from bytes (borrowed while open). */
typedef struct pt_container pt_container;
pt_status pt_container_open(pt_container **out, const char *path, pt_error *err);
pt_status pt_container_open_memory(pt_container **out, const void *bytes, size_t size,
                                   const char *name, pt_error *err);
void pt_container_close(pt_container *container);
int64_t pt_container_count(const pt_container *container);
/* Checked: inside the file, aligned, bytes = rows * columns * size of kind, no overlap. */
const pt_section *pt_container_section(const pt_container *container, int64_t index);
const pt_section *pt_container_find(const pt_container *container, const char *tag); /* or NULL */

#endif
