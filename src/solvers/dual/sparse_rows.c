/* Sparse rows in one block of entries. A row that outgrows its place moves to the end, with twice
 * the room; where the end is reached, all rows move together into a new block and what they left
 * behind is gone. Memory: at most four times the entries, and SPARE for each row. */
#include "solvers/dual/sparse_rows.h"

#include <string.h>

#include "base/alloc.h"

enum {
    ROOM = 2, /* entries of a row at first */
    SPARE = 8 /* and of the block, for each row: pages that nothing is written to cost nothing */
};

void pt_sparse_rows_free(pt_sparse_rows *rows)
{
    pt_free(rows->at);
    pt_free(rows->entry);
    memset(rows, 0, sizeof *rows);
}

pt_status pt_sparse_rows_init(pt_sparse_rows *rows, int64_t n, const pt_task *task, pt_error *err)
{
    memset(rows, 0, sizeof *rows);
    rows->at = pt_alloc(n, 3 * sizeof(int64_t), "sparse rows", err);
    rows->entry = pt_alloc(n, SPARE * sizeof(pt_entry), "sparse rows", err);
    if (!rows->at || !rows->entry)
        return PT_ENOMEM;
    rows->n = n;
    rows->count = rows->at + n;
    rows->room = rows->count + n;
    rows->used = ROOM * n;
    rows->size = SPARE * n;
    for (int64_t i = 0; i < n; i++) {
        PT_TRY(pt_task_check_at(task, i, err));
        rows->at[i] = ROOM * i;
        rows->count[i] = 0;
        rows->room[i] = ROOM;
    }
    return PT_OK;
}

/* A new block with room for `more` entries at its end. */
static pt_status move_all(pt_sparse_rows *rows, int64_t more, pt_error *err)
{
    int64_t live = more;
    for (int64_t i = 0; i < rows->n; i++)
        live += rows->room[i];
    PT_SCRATCH pt_entry *entry = pt_alloc(2 * live, sizeof *entry, "sparse rows", err);
    if (!entry)
        return PT_ENOMEM;
    for (int64_t i = 0, at = 0; i < rows->n; i++) {
        PT_TRY(pt_task_check_at(rows->task, i, err)); /* nothing has changed by then */
        memcpy(entry + at, pt_sparse_row(rows, i), (size_t)rows->count[i] * sizeof *entry);
        at += rows->room[i];
    }
    int64_t at = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        rows->at[i] = at;
        at += rows->room[i];
    }
    pt_free(rows->entry);
    rows->entry = pt_keep(&entry);
    rows->used = at;
    rows->size = 2 * live;
    return PT_OK;
}

pt_status pt_sparse_rows_set(pt_sparse_rows *rows, int64_t i, const pt_entry *entry, int64_t count,
                             pt_error *err)
{
    if (count > rows->room[i]) {
        const int64_t room = 2 * count;
        if (rows->used + room > rows->size)
            PT_TRY(move_all(rows, room, err));
        rows->at[i] = rows->used;
        rows->room[i] = room;
        rows->used += room;
    }
    memcpy(rows->entry + rows->at[i], entry, (size_t)count * sizeof *entry);
    rows->count[i] = count;
    return PT_OK;
}

int64_t pt_sparse_rows_change(const pt_sparse_rows *rows, const pt_sparse_rows *past, int64_t i,
                              pt_entry *list)
{
    const pt_entry *now = pt_sparse_row(rows, i);
    const pt_entry *then = pt_sparse_row(past, i);
    const pt_entry *now_end = now + rows->count[i];
    const pt_entry *then_end = then + past->count[i];
    int64_t count = 0;
    while (now < now_end || then < then_end) {
        const bool mine = then == then_end || (now < now_end && now->column <= then->column);
        const bool both = mine && then < then_end && now->column == then->column;
        const int64_t column = mine ? now->column : then->column;
        const double value = (mine ? now->value : 0) - (!mine || both ? then->value : 0);
        list[count++] = (pt_entry){column, value};
        now += mine;
        then += !mine || both;
    }
    return count;
}

pt_status pt_sparse_rows_reorder(pt_sparse_rows *rows, const int64_t *from, bool back,
                                 int64_t *work, const pt_task *task, pt_error *err)
{
    int64_t *const fact[] = {rows->at, rows->count, rows->room}; /* entries stay where they are */
    for (int f = 0; f < 3; f++) {
        PT_TRY(pt_task_copy(task, work, fact[f], (size_t)rows->n * sizeof *work, err));
        for (int64_t i = 0; i < rows->n; i++) {
            PT_TRY(pt_task_check_at(task, i, err));
            if (back)
                fact[f][from[i]] = work[i];
            else
                fact[f][i] = work[from[i]];
        }
    }
    return PT_OK;
}
