/* A code from a CSV file. */
#ifndef PT_CODES_CODE_FILE_H
#define PT_CODES_CODE_FILE_H

#include "codes/code.h"

/* A line of -1, 0 and 1 for each class: in the order of `classes`, or with the name of the class in
 * the first cell. classes NULL: as many as there are lines, with any names. `names` (may be NULL)
 * <- the names, or nothing where there are none. Every fault is told with its line. */
pt_status pt_code_read(pt_code *code, pt_texts *names, const char *path, const pt_texts *classes,
                       const pt_task *task, pt_texts *warnings, pt_error *err);

/* The same from bytes in memory; `name` stands for the file in errors. */
pt_status pt_code_read_memory(pt_code *code, pt_texts *names, const void *bytes, size_t size,
                              const char *name, const pt_texts *classes, const pt_task *task,
                              pt_texts *warnings, pt_error *err);

#endif
