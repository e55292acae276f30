/* Tables filled by workers. A worker's number of a text is written into the row when the cell is
 * read; afterwards every block's numbers are translated by the map of the worker that read it. */
#include "data/table.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"

static bool has_slot(const pt_table_column *column)
{
    return column->kind == PT_CELL_TEXT || column->kind == PT_CELL_LABEL;
}

void pt_table_number_slots(pt_table *table)
{
    table->n_slots = 0;
    for (int64_t j = 0; j < table->n_columns; j++)
        table->columns[j].slot = has_slot(&table->columns[j]) ? table->n_slots++ : -1;
}

pt_status pt_table_open(pt_table *table, pt_error *err)
{
    table->dictionaries = pt_alloc_zero(table->n_workers * table->n_slots,
                                        sizeof *table->dictionaries, "tables of texts", err);
    return table->dictionaries ? PT_OK : PT_ENOMEM;
}

void pt_table_close(pt_table *table)
{
    for (int64_t i = 0; table->dictionaries && i < table->n_workers * table->n_slots; i++)
        pt_dictionary_free(&table->dictionaries[i]);
    pt_free(table->dictionaries);
    table->dictionaries = NULL;
}

pt_status pt_table_add(const pt_table *table, int worker, const pt_block *block, int64_t slot,
                       const char *at, const char *text, size_t length, int64_t *number,
                       pt_error *err)
{
    const int64_t offset = pt_block_offset(block, at);
    if (length > 0 && memchr(text, '\0', length))
        return pt_lines_fail(table->lines, offset, err,
                             "the cell has a zero byte; this is not a text file");
    return pt_dictionary_add(&table->dictionaries[worker * table->n_slots + slot], text, length,
                             offset, number, err);
}

typedef struct translation {
    const pt_table *table;
    int64_t **map; /* n_slots x n_workers: common number of a worker's word */
} translation;

static pt_status translate_block(void *context, int64_t b, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const translation *work = context;
    const pt_table *table = work->table;
    const pt_block *block = &table->lines->blocks[b];
    const int64_t end = block->first_row + block->rows;
    for (int64_t j = 0; j < table->n_columns; j++) {
        const pt_table_column *column = &table->columns[j];
        if (!has_slot(column))
            continue;
        const int64_t *map = work->map[column->slot * table->n_workers + block->worker];
        if (column->kind == PT_CELL_LABEL) {
            for (int64_t row = block->first_row; row < end; row++)
                if (table->label[row] >= 0)
                    table->label[row] = map[table->label[row]];
            continue;
        }
        for (int64_t row = block->first_row; row < end; row++) {
            double *value = table->value + row * table->stride + column->feature;
            if (!isnan(*value))
                *value = (double)map[(int64_t)*value];
        }
    }
    return PT_OK;
}

static pt_status merge_column(const pt_table *table, const pt_table_column *column, int64_t **map,
                              pt_texts *out, pt_error *err)
{
    pt_intern merged;
    memset(&merged, 0, sizeof merged);
    pt_status status =
        pt_dictionary_merge(&merged, table->dictionaries + column->slot, table->n_workers,
                            table->n_slots, map + column->slot * table->n_workers, err);
    if (status == PT_OK) {
        pt_texts_free(out);
        *out = merged.texts;
        memset(&merged.texts, 0, sizeof merged.texts);
    }
    pt_intern_free(&merged);
    return status;
}

pt_status pt_table_translate(pt_table *table, pt_dataset *data, pt_texts *classes, pt_error *err)
{
    if (table->n_slots == 0)
        return PT_OK;
    const int64_t n_maps = table->n_slots * table->n_workers;
    int64_t **map = pt_alloc_zero(n_maps, sizeof *map, "tables of texts", err);
    if (!map)
        return PT_ENOMEM;
    translation work = {table, map};
    pt_status status = PT_OK;
    for (int64_t j = 0; j < table->n_columns && status == PT_OK; j++) {
        const pt_table_column *column = &table->columns[j];
        if (has_slot(column))
            status = merge_column(
                table, column, map,
                column->kind == PT_CELL_LABEL ? classes : &data->columns[column->feature].levels,
                err);
    }
    if (status == PT_OK)
        status = pt_parallel_for(table->options->task, table->lines->n_blocks, translate_block,
                                 &work, err);
    for (int64_t i = 0; i < n_maps; i++)
        pt_free(map[i]);
    pt_free(map);
    return status;
}
