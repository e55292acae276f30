/* Where bytes come from: a file, standard input or memory; plain, gzip or zstd. */
#ifndef PT_DATA_READ_SOURCE_H
#define PT_DATA_READ_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/task.h"

/* The bytes, uncompressed. Zero-initialise it; pt_source_close frees what there is. */
typedef struct pt_source {
    const char *bytes; /* size of them; bytes[size] may not be read */
    size_t size;
    void *map; /* memory map, or NULL */
    size_t map_size;
    char *block; /* own memory, or NULL */
} pt_source;

/* Opens a file, "-" for standard input. Compression is found by the first bytes, not by the name; a
 * stream that ends early is PT_EFORMAT, a file that does not fit the task's memory once expanded
 * PT_EMEMORY. A plain file is mapped, not read: it must not shrink until the source is closed. */
pt_status pt_source_open(pt_source *source, const char *path, const pt_task *task, pt_error *err);

/* The same for bytes in memory, which are borrowed; `name` stands for the file in errors. */
pt_status pt_source_memory(pt_source *source, const void *bytes, size_t size, const char *name,
                           const pt_task *task, pt_error *err);

void pt_source_close(pt_source *source);

/* Expands gzip or zstd piece by piece. */
typedef struct pt_expander pt_expander;

/* What the first bytes of a stream ask for; *out is NULL where they are not compressed. `name` is
 * borrowed. */
pt_status pt_expander_new(pt_expander **out, const char *bytes, size_t size, const char *name,
                          pt_error *err);
/* Takes bytes from *next on and writes at most `room` of them; *made == 0: it needs more, or the
 * stream ends here, which with `last` (no more will come) must be the end of what it says. */
pt_status pt_expander_run(pt_expander *expander, const char **next, const char *end, bool last,
                          char *to, size_t room, size_t *made, pt_error *err);
void pt_expander_free(pt_expander *expander);

/* Expands a raw deflate stream (as in zip files) whose size is known. PT_EFORMAT if it is not so.
 */
pt_status pt_inflate_raw(const void *bytes, size_t size, void *out, size_t out_size,
                         const char *name, pt_error *err);

/* Members of a zip file (an .npz is one): stored or deflated, found through the central directory.
 */

typedef struct pt_zip_member {
    const char *name; /* not 0-terminated; points into the file */
    size_t name_length;
    const char *packed;
    size_t packed_size;
    size_t size;
    uint32_t crc;
    bool deflated;
} pt_zip_member;

bool pt_zip_is(const char *bytes, size_t size);

/* Looks for a member; *found says whether it is there. PT_EFORMAT where the file is not a zip file
 * that we can read. */
pt_status pt_zip_find(const char *bytes, size_t size, const char *name, const char *source,
                      pt_zip_member *member, bool *found, pt_error *err);

/* The contents of a member, checked; `*copy` is to be freed with pt_free where it is not NULL. */
pt_status pt_zip_expand(const pt_zip_member *member, const char *source, const pt_task *task,
                        const char **contents, char **copy, pt_error *err);

#endif
