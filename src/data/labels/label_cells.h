/* Labels of every kind from what files hold: the texts of cells (a;b, a>b=c, a>b;a>c), or several
 * columns of 0 and 1 or of ranks. */
#ifndef PT_DATA_LABELS_LABEL_CELLS_H
#define PT_DATA_LABELS_LABEL_CELLS_H

#include <stdbool.h>

#include "base/budget.h"
#include "data/labels/labels.h"
#include "data/read/lines.h"

bool pt_label_kind_find(const char *name, pt_label_kind *kind); /* false: there is no such kind */

/* The different texts of label cells, and where they come from. */
typedef struct pt_label_cells {
    pt_label_kind kind;
    char separator;        /* between classes of a set and between pairs: ; or , */
    const pt_texts *texts; /* each once */
    const int64_t *first;  /* offset of each in the file; NULL: unknown */
    const pt_lines *lines; /* the file, for errors; NULL: unknown */
    const char *source;
    pt_budget *budget; /* what they hold is taken from it; NULL: nobody counts */
} pt_label_cells;

/* Labels of n examples: code[i] is the text of example i, -1: it has none, which is the empty set
 * or no label. Class labels as well. Every text is taken apart once; errors name its first place.
 */
pt_status pt_labels_from_cells(pt_labels **out, const pt_label_cells *cells, int64_t n,
                               const int64_t *code, pt_error *err);

/* The label of an example as such a text, in a buffer that grows; "" if it has none. The names of
 * classes must be such that it reads as the same label, which `check` says. Zero-initialise the
 * buffer, and free its text. */
typedef struct pt_label_buffer {
    char *text;
    size_t used;
    int64_t capacity;
} pt_label_buffer;

pt_status pt_label_text_check(const pt_labels *labels, char separator, pt_error *err);
pt_status pt_label_text(const pt_labels *labels, int64_t i, char separator, pt_label_buffer *buffer,
                        pt_error *err);

/* A cell of one of several label columns: 0 or 1; a rank from 1, or nothing where the class is not
 * ranked. */
enum { PT_MARK_NONE = -1 };
bool pt_label_mark(pt_label_kind kind, const char *text, size_t length, int32_t *mark);
bool pt_label_mark_value(pt_label_kind kind, double value, int32_t *mark);

/* Sets or rankings of n examples from m columns, row-major. names: one class for each column. What
 * is not known of a set is not in it. */
pt_status pt_labels_from_marks(pt_labels **out, pt_label_kind kind, int64_t n, int64_t m,
                               const int32_t *marks, const pt_texts *names, pt_error *err);

#endif
