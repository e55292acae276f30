/* The model file: magic, version, a table of sections, 64-byte aligned sections, JSON metadata
 * first.
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
 *   aligned         the sections in the order of the table, each at the first multiple of 64 that
 * is free, the bytes between them zero; the file ends with the last one
 *
 * All numbers little-endian; a big-endian machine refuses to write and to read (PT_ENOSUPPORT).
 * Tags are printable ASCII without spaces, and distinct. Neither rows nor columns exceed the bytes
 * of the file, so that a loop over the rows of an empty matrix is no trap either.
 *
 * Every byte of a file has one right value given the others, and a reader checks that before it
 * shows a section: sizes, offsets, zeros, checksums. Checksums are for accidents: safety does not
 * rely on them, and the tests mend them after each mutation. */
#ifndef PT_STORE_CONTAINER_H
#define PT_STORE_CONTAINER_H

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
    int64_t rows; /* bytes: the count, with columns 1 */
    int64_t columns;
    const void *value;
    size_t bytes;
} pt_section;

#define PT_CONTAINER_VERSION 1
#define PT_CONTAINER_SECTIONS 1024 /* at most */

/* Writes the file atomically: sections in the order given. */
pt_status pt_container_write(const char *path, const pt_section *sections, int64_t count,
                             pt_error *err);
/* The same bytes in memory; the caller frees *out with pt_free. */
pt_status pt_container_pack(void **out, size_t *size, const pt_section *sections, int64_t count,
                            pt_error *err);

/* A container opened from a file or from bytes.
 *
 * A file is read into memory, not mapped: a mapped file that another process shortens kills us with
 * SIGBUS, and one that it rewrites changes after it was checked. Checking the sums reads every byte
 * anyway, so the copy costs little. Bytes are borrowed while open where their address is a multiple
 * of 8, and copied otherwise: the value of a section is always aligned for its kind. */
typedef struct pt_container pt_container;
pt_status pt_container_open(pt_container **out, const char *path, pt_error *err);
pt_status pt_container_open_memory(pt_container **out, const void *bytes, size_t size,
                                   const char *name, pt_error *err);
void pt_container_close(pt_container *container);
static inline void pt_container_close_at(pt_container **address) /* for PT_FREED_BY */
{
    pt_container_close(*address);
}

/* The sections in the order of the file. One of a kind that this version does not know is left out
 * if it is optional; otherwise the file does not open. */
int64_t pt_container_count(const pt_container *container);
/* Checked: inside the file, aligned, bytes = rows * columns * size of kind, no overlap. */
const pt_section *pt_container_section(const pt_container *container, int64_t index);
const pt_section *pt_container_find(const pt_container *container, const char *tag); /* or NULL */

/* Refuses a container with a section that is neither optional nor among `tags` (ended by NULL; one
 * that ends with a star stands for all tags that begin so): it comes from a newer version and means
 * something that we would miss. */
pt_status pt_container_require_known(const pt_container *container, const char *const *tags,
                                     pt_error *err);

#endif
