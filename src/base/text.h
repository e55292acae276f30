/* Small helpers for text: growing lists of remarks, glob patterns, parsing of numbers in options.
 */
#ifndef PT_BASE_TEXT_H
#define PT_BASE_TEXT_H

#include <stdbool.h>

#include "base/error.h"

/* A list of texts that grows; used for warnings and names. Zero-initialise it. */
typedef struct pt_texts {
    char **items;
    int64_t count;
    int64_t capacity;
} pt_texts;

pt_status pt_texts_add(pt_texts *texts, pt_error *err, const char *format, ...) PT_PRINTF(3, 4);
pt_status pt_texts_add_n(pt_texts *texts, const char *text, size_t length, pt_error *err);
pt_status pt_texts_copy(pt_texts *out, const pt_texts *from, pt_error *err);
const char *pt_texts_get(const pt_texts *texts, int64_t index); /* NULL out of range */
void pt_texts_free(pt_texts *texts);

/* Shell-like patterns: * and ?; several separated by commas. */
bool pt_text_matches(const char *text, const char *pattern);

/* A whole text as a number, in the C locale, "2^-4" included. False if it is anything else. */
bool pt_text_to_real(const char *text, double *value);
bool pt_text_to_integer(const char *text, int64_t *value);

#endif
