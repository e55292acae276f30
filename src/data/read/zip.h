/* Members of a zip file (an .npz is one): stored or deflated, found through the central directory.
 */
#ifndef PT_DATA_READ_ZIP_H
#define PT_DATA_READ_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/task.h"

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
