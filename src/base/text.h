/* Small helpers for text: growing lists of remarks, glob patterns, parsing of numbers in options.
 */
#ifndef PT_BASE_TEXT_H
#define PT_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>

#include "base/budget.h"
#include "base/error.h"

/* A list of texts that grows; used for warnings, names and levels. Zero-initialise it. The letters
 * lie one behind the other in few large blocks: a text takes 8 to 12 bytes and the zero at its end
 * beside them. Nobody frees or replaces an item by himself. */
typedef struct pt_text_block pt_text_block;
typedef struct pt_texts {
    char **items;
    int64_t count;
    pt_text_block *blocks; /* of letters, the newest first */
} pt_texts;

pt_status pt_texts_add(pt_texts *texts, pt_error *err, const char *format, ...) PT_PRINTF(3, 4);
pt_status pt_texts_add_n(pt_texts *texts, const char *text, size_t length, pt_error *err);
/* The same within a budget, which has what the list holds taken from it: PT_EMEMORY at its end. */
pt_status pt_texts_add_within(pt_texts *texts, pt_budget *budget, const char *text, size_t length,
                              pt_error *err);
/* Another text in the place of one. */
pt_status pt_texts_set(pt_texts *texts, int64_t index, const char *text, pt_error *err);
pt_status pt_texts_copy(pt_texts *out, const pt_texts *from, pt_error *err);
const char *pt_texts_get(const pt_texts *texts, int64_t index); /* NULL out of range */
size_t pt_texts_bytes(const pt_texts *texts);                   /* that the list holds */
void pt_texts_free(pt_texts *texts);

/* Lists that become one without a copy of their letters. The blocks of `from` change hands, its
 * items stay readable; returned are the bytes that it still holds. An item that is added lies in a
 * block that was taken. */
size_t pt_texts_take_letters(pt_texts *texts, pt_texts *from);
pt_status pt_texts_add_taken(pt_texts *texts, pt_budget *budget, char *item, pt_error *err);

/* out (`size` bytes) <- a sentence for people, as vsnprintf writes and cuts it. Names of parameters
 * stand in it between backquotes, and must not come from elsewhere: what %s brings in, names of
 * files and classes, cells, has its backquotes shown as '. %-s takes words of ours as they are. */
void pt_text_format(char *out, size_t size, const char *format, va_list args) PT_PRINTF(3, 0);

enum { PT_BYTES_SHOWN = 32 };
/* A number of bytes for people: 812 B, 2.5 kB, 31.0 MB, 1.2 GB. Returns `out`. */
const char *pt_bytes_show(double bytes, char out[PT_BYTES_SHOWN]);
/* The same in a text that lasts as long as the block it stands in. */
#define PT_SHOW_BYTES(bytes) pt_bytes_show((double)(bytes), (char[PT_BYTES_SHOWN]){0})

/* Shell-like patterns: * and ?; several separated by commas. */
bool pt_text_matches(const char *text, const char *pattern);

bool pt_text_is_utf8(const char *text);
/* out (`size` bytes) <- a text that is UTF-8, whatever was made from cells and names, and cut:
 * characters that are there in part go; where none is UTF-8, bytes are Latin-1 (but for the leads
 * of most letters of Latin, C2 and C3: alone they are what a cut has left). */
void pt_text_to_utf8(char *out, size_t size, const char *text);

/* Whether two texts are the same letters, one in UTF-8 and the other, which is not, in
 * Windows-1252. */
bool pt_text_recoded(const char *a, const char *b);

/* Whether texts differ by blanks around them and by capitals (of ASCII) alone. */
bool pt_text_alike(const char *a, const char *b);

/* A whole text as a number, in the C locale, "2^-4" included. False if it is anything else. */
bool pt_text_to_real(const char *text, double *value);
/* The shortest digits that read back as the same bits; the point is a point in every locale. */
enum { PT_REAL_ROOM = 32 };
void pt_real_to_text(double value, char text[PT_REAL_ROOM]);
bool pt_text_to_integer(const char *text, int64_t *value);

#endif
