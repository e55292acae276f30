/* Cells of CSV files: trimmed, quoted as in RFC 4180. What every cell goes through is inline. */
#ifndef PT_DATA_READ_CSV_CELL_H
#define PT_DATA_READ_CSV_CELL_H

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "data/judge/missing.h"
#include "data/read/number.h"

typedef struct pt_csv_cell {
    const char *text; /* trimmed, without the quotes around it */
    size_t length;
    bool quoted;
    bool doubled;   /* has doubled quotes inside */
    const char *at; /* where it begins in the file */
} pt_csv_cell;

/* A cell cannot be read: where, and what to say. */
typedef struct pt_csv_problem {
    const char *at;
    const char *text;
} pt_csv_problem;

static inline bool pt_csv_is_space(char c, char separator)
{
    return c == ' ' || (c == '\t' && separator != '\t');
}

/* The upper bits of the bytes of x that are 0, of the first of them at least. */
static inline uint64_t pt_zero_bytes(uint64_t x)
{
    return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

/* Behind what is neither a separator nor a newline nor a quote, or near `end`; eight bytes at
 * once. */
static inline const char *pt_csv_skip_text(const char *p, const char *end, char separator)
{
    const uint64_t each = 0x0101010101010101u;
    for (; end - p >= 8; p += 8) {
        const uint64_t bytes = pt_load8(p);
        const uint64_t found = pt_zero_bytes(bytes ^ each * (unsigned char)separator) |
                               pt_zero_bytes(bytes ^ each * '\n') |
                               pt_zero_bytes(bytes ^ each * '"');
        if (found)
            return p + (__builtin_ctzll(found) >> 3);
    }
    return p;
}

/* The quoted cell whose opening quote is at p; returns behind the closing quote. */
const char *pt_csv_quoted_cell(const char *p, const char *end, pt_csv_cell *cell,
                               pt_csv_problem *problem);

/* Reads the cell at p and returns where it ends: at a separator, a newline or `end`; NULL with the
 * problem if it cannot be read. */
static inline const char *pt_csv_cell_read(const char *p, const char *end, char separator,
                                           pt_csv_cell *cell, pt_csv_problem *problem)
{
    while (p < end && pt_csv_is_space(*p, separator))
        p++;
    *cell = (pt_csv_cell){p, 0, false, false, p};
    if (p < end && *p == '"') {
        p = pt_csv_quoted_cell(p, end, cell, problem);
        if (!p)
            return NULL;
        while (p < end && *p != separator && (pt_csv_is_space(*p, separator) || *p == '\r'))
            p++;
        if (p < end && *p != separator && *p != '\n') {
            *problem = (pt_csv_problem){p, "text follows a closing quote; quote the whole cell and "
                                           "double the quotes inside"};
            return NULL;
        }
        return p;
    }
    p = pt_csv_skip_text(p, end, separator);
    while (p < end && *p != separator && *p != '\n') {
        if (*p == '"') {
            *problem =
                (pt_csv_problem){p, "a quote stands inside a cell that is not quoted; quote the "
                                    "whole cell and double the quotes inside"};
            return NULL;
        }
        p++;
    }
    const char *last = p;
    while (last > cell->text && (pt_csv_is_space(last[-1], separator) || last[-1] == '\r'))
        last--;
    cell->length = (size_t)(last - cell->text);
    return p;
}

/* Whether the cell stands for nothing; na: as in --na, "" for the usual words. */
static inline bool pt_csv_is_missing(const pt_csv_cell *cell, const char *na)
{
    const char *t = cell->text;
    size_t length = cell->length;
    while (length > 0 && *t == ' ')
        t++, length--;
    while (length > 0 && t[length - 1] == ' ')
        length--;
    if (length == 0)
        return true;
    if (!*na && *t != 'N' && *t != 'n' && *t != '?' && *t != '<' && *t != '#' && *t != '\\')
        return false; /* what most texts begin with */
    return pt_is_missing_word(na, t, length);
}

/* Room for texts whose doubled quotes are halved. */
typedef struct pt_csv_buffer {
    char *text;
    int64_t capacity;
} pt_csv_buffer;

static inline void pt_csv_buffer_free(pt_csv_buffer *buffer)
{
    pt_free(buffer->text);
}

/* The text of a cell as it is meant; borrowed from the file or from the buffer. */
pt_status pt_csv_cell_text(const pt_csv_cell *cell, pt_csv_buffer *buffer, const char **text,
                           size_t *length, pt_error *err);

#endif
