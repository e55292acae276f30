/* Files that people have and that are not read: named for what they are, by their first bytes. */
#ifndef PT_DATA_READ_KNOWN_FILES_H
#define PT_DATA_READ_KNOWN_FILES_H

#include <stddef.h>

#include "base/error.h"

/* PT_EFORMAT with what the file is and what to do, whatever its name ends with; PT_OK: it is not
 * known, so it may be data. `bytes` are expanded already; the first ones suffice. */
pt_status pt_refuse_known(const char *bytes, size_t size, const char *name, pt_error *err);

#endif
