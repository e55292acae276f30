/* The table entries of the formats, one for each format_*.c. */
#ifndef PT_DATA_READ_FORMATS_H
#define PT_DATA_READ_FORMATS_H

#include "data/read/reader.h"

/* The format of data: by its name, or for NULL and "auto" by that of the file, then by its first
 * bytes. */
pt_status pt_format_find(const pt_format **found, const char *format, const char *source,
                         const char *bytes, size_t size, pt_error *err);

/* The format to write a file in: by name ("csv"), or NULL: by the file's name; "-" is CSV. */
pt_status pt_write_format(const char *path, const char *format, const pt_format **found,
                          pt_error *err);

#endif
