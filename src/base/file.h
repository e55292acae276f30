/* Files: written whole or not at all; checksums of what is in them. */
#ifndef PT_BASE_FILE_H
#define PT_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A file being written beside its final name. */
typedef struct pt_outfile pt_outfile;

pt_status pt_outfile_open(pt_outfile **out, const char *path, pt_error *err);
pt_status pt_outfile_write(pt_outfile *file, const void *bytes, size_t size, pt_error *err);
/* Nothing more is written, and what was is on the disk: pt_outfile_commit has only to rename. */
pt_status pt_outfile_settle(pt_outfile *file, pt_error *err);
/* Syncs, renames over `path` and frees; on failure the old file is untouched and `file` is freed.
 */
pt_status pt_outfile_commit(pt_outfile *file, pt_error *err);
/* Gives up: removes the temporary file and frees. NULL is fine. */
void pt_outfile_abandon(pt_outfile *file);

/* XXH3, 64 bits. */
uint64_t pt_checksum(const void *bytes, size_t size);

#endif
