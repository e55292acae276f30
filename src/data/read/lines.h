/* A text cut into blocks of whole lines (records, where quotes may hide newlines), so that threads
 * can read it. The cuts depend on the text alone, never on the number of threads. */
#ifndef PT_DATA_READ_LINES_H
#define PT_DATA_READ_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/task.h"

/* Every block ends with a newline; where the text lacks the last one, its block is a copy. */
typedef struct pt_block {
    const char *begin;
    const char *end;
    int64_t offset;    /* of begin, in the text */
    int64_t rows;      /* lines that are not blank; pt_lines_count fills it */
    int64_t first_row; /* rows in the blocks before this one */
    int64_t marks;     /* a format's own count; pt_lines_count fills it with the bytes `mark` */
    int worker;        /* who read it */
} pt_block;

typedef struct pt_lines {
    const char *bytes;
    size_t size;
    const char *source; /* file name, for errors */
    pt_block *blocks;
    int64_t n_blocks;
    int64_t n_rows;
    int64_t n_marks;
    char *tail;  /* the copy of the last block, or NULL */
    bool mapped; /* the text is a mapped file */
} pt_lines;

/* Cuts the text from `begin` (an offset) on. quote: a byte that opens and closes a stretch in which
 * newlines do not count, doubled inside it; 0: there is none. Zero-initialise `lines`, `mapped` as
 * it is. */
pt_status pt_lines_split(pt_lines *lines, const char *bytes, size_t size, size_t begin, char quote,
                         const char *source, const pt_task *task, pt_error *err);

/* Counts rows: lines with anything but spaces in them. With a byte that begins comments (0: none)
 * quotes do not count, tabs are spaces, and lines whose first byte behind spaces is `comment` are
 * no rows. Counts the bytes `mark` (0: none). */
pt_status pt_lines_count(pt_lines *lines, char quote, char comment, char mark, const pt_task *task,
                         pt_error *err);

void pt_lines_free(pt_lines *lines);

/* A stretch that was read, in any number of passes: the pages of a mapped file go, so that they do
 * not count as memory in use. Who reads it again gets them again. */
void pt_lines_drop(const pt_lines *lines, const char *begin, const char *end);

/* Behind lines that hold nothing but spaces; what is behind them may be the end. */
const char *pt_skip_blank_lines(const char *p, const char *end);

/* Where a byte of a block is in the text. */
static inline int64_t pt_block_offset(const pt_block *block, const char *at)
{
    return block->offset + (at - block->begin);
}

/* Line and column, from 1, of an offset in a text. Time: linear in the offset. */
void pt_text_locate(const char *bytes, size_t size, int64_t offset, int64_t *line, int64_t *column);

void pt_lines_locate(const pt_lines *lines, int64_t offset, int64_t *line, int64_t *column);

/* PT_EFORMAT at an offset of the text. */
pt_status pt_lines_fail(const pt_lines *lines, int64_t offset, pt_error *err, const char *format,
                        ...) PT_PRINTF(4, 5);

enum { PT_CELL_SHOWN = 64 };
/* A cell as it may stand in a message: cut to a few bytes, controls replaced. Returns `out`. */
const char *pt_cell_show(const char *text, size_t length, char out[PT_CELL_SHOWN]);

/* How often a byte occurs. */
int64_t pt_count_byte(const char *bytes, size_t size, char byte);

#endif
