/* Rows that come in parts of any size and leave, from the first on, in parts of another. */
#ifndef PT_DATA_STREAM_ROW_PILE_H
#define PT_DATA_STREAM_ROW_PILE_H

#include "data/rows.h"

/* Zero-initialise; free it always. rows is what lies there. */
typedef struct pt_row_pile {
    pt_rows rows;
    char *value; /* of dense rows all cells, of sparse ones those that are stored */
    int64_t value_room;
    int64_t *start;
    int64_t start_room;
    int64_t *index;
    int64_t index_room;
} pt_row_pile;

/* Puts a copy of rows, all of them of one width and type, behind those that are there. */
pt_status pt_row_pile_add(pt_row_pile *pile, const pt_rows *rows, pt_error *err);
/* Takes away the first m. */
void pt_row_pile_drop(pt_row_pile *pile, int64_t m);
void pt_row_pile_free(pt_row_pile *pile);

#endif
