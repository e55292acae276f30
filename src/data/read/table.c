/* Tables filled by workers. A worker's number of a text is written into the row when the cell is
 * read; afterwards every block's numbers are translated by the map of the worker that read it. */
#include "data/read/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "data/labels/label_cells.h"
#include "data/read/tie_columns.h"

static bool has_slot(const pt_table_column *column)
{
    return column->kind == PT_CELL_TEXT || column->kind == PT_CELL_LABEL ||
           column->kind == PT_CELL_TIE;
}

void pt_table_number_slots(pt_table *table)
{
    table->n_slots = 0;
    table->odd_slot = -1;
    for (int64_t j = 0; j < table->n_columns; j++)
        table->columns[j].slot = has_slot(&table->columns[j]) ? table->n_slots++ : -1;
}

pt_status pt_table_open(pt_table *table, pt_error *err)
{
    PT_TRY(PT_NEW_ZERO(table->dictionaries, table->n_workers * table->n_slots, "tables of texts",
                       err));
    for (int64_t i = 0; i < table->n_workers * table->n_slots; i++)
        table->dictionaries[i].words.budget = table->options->budget;
    return PT_OK;
}

void pt_table_close(pt_table *table)
{
    for (int64_t i = 0; table->dictionaries && i < table->n_workers * table->n_slots; i++)
        pt_dictionary_free(&table->dictionaries[i]);
    pt_free(table->dictionaries);
    table->dictionaries = NULL;
}

/* There is no memory left for a text of a column: is it the column that takes so much? */
static pt_status fail_full(const pt_table *table, const pt_dictionary *own, int64_t slot,
                           pt_error *err)
{
    enum { MANY = 1000 };
    const double most = (double)table->options->budget->limit;
    const double taken = (double)pt_texts_bytes(&own->words.texts) * table->n_workers;
    const int64_t count = pt_dictionary_count(own);
    char may[PT_BYTES_SHOWN];
    pt_bytes_show(most, may);
    int64_t j = 0;
    while (slot != table->odd_slot && table->columns[j].slot != slot)
        j++;
    const bool label = table->columns[j].kind == PT_CELL_LABEL;
    char title[PT_CELL_SHOWN];
    const char *name = table->names ? table->names->items[j] : "";
    if (*name)
        pt_cell_show(name, strlen(name), title);
    else
        snprintf(title, sizeof title, "%lld", (long long)j + 1);
    if (count < MANY || taken < most / 8 || slot == table->odd_slot)
        return pt_reader_take(SIZE_MAX / 2, table->options, err);
    return pt_fail_at(
        err, PT_EMEMORY, table->options->source, 0, 0,
        label ? "the data need more than the %s that may be used: the label, column %s, has more "
                "than %lld different texts; is `label` the right column? Else raise `memory`, or "
                "learn online"
              : "the data need more than the %s that may be used: column %s has more than %lld "
                "different texts; leave it out with `ignore`, or raise `memory`",
        may, title, (long long)count);
}

pt_status pt_table_add(const pt_table *table, int worker, const pt_block *block, int64_t slot,
                       const char *at, const char *text, size_t length, int64_t *number,
                       pt_error *err)
{
    const int64_t offset = pt_block_offset(block, at);
    pt_dictionary *own = &table->dictionaries[worker * table->n_slots + slot];
    const int64_t before = pt_dictionary_count(own);
    const pt_status status = pt_dictionary_add(own, text, length, offset, number, err);
    const bool fresh = status == PT_OK && *number == before; /* others were looked at */
    if (fresh && length > 0 && memchr(text, '\0', length))
        return pt_lines_fail(table->lines, offset, err,
                             "the cell has a zero byte; this is not a text file");
    return status == PT_EMEMORY && table->options->budget ? fail_full(table, own, slot, err)
                                                          : status;
}

/* A NaN of its own: ones in its upper 13 bits behind the sign, and the number below them. No
 * arithmetic makes one, and neither does the text nan. */
enum { BOX_SHIFT = 50, BOX_BITS = 0x1fff };

static double box_of(int64_t number)
{
    const uint64_t bits = (uint64_t)BOX_BITS << BOX_SHIFT | (uint64_t)number;
    double box = 0;
    memcpy(&box, &bits, sizeof box);
    return box;
}

int64_t pt_table_unbox(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> BOX_SHIFT == BOX_BITS ? (int64_t)(bits & (((uint64_t)1 << BOX_SHIFT) - 1)) : -1;
}

pt_status pt_table_add_odd(const pt_table *table, int worker, const pt_block *block, int64_t column,
                           const char *at, const char *text, size_t length, double *box,
                           pt_error *err)
{
    enum { SHORT = 240 };
    char room[SHORT + 16];
    int64_t number = 0;
    char *key = length > SHORT ? pt_alloc((int64_t)length + 16, 1, "a cell", err) : room;
    if (!key)
        return PT_ENOMEM;
    const int prefix = snprintf(key, 16, "%llx:", (unsigned long long)column);
    if (length > 0)
        memcpy(key + prefix, text, length);
    const pt_status status = pt_table_add(table, worker, block, table->odd_slot, at, key,
                                          (size_t)prefix + length, &number, err);
    if (key != room)
        pt_free(key);
    *box = box_of(number);
    return status;
}

int64_t pt_table_odd_column(const char *item, const char **text)
{
    char *colon = NULL;
    const int64_t column = (int64_t)strtoull(item, &colon, 16);
    *text = colon + 1;
    return column;
}

typedef struct translation {
    const pt_table *table;
    uint32_t **map; /* n_slots x n_workers: common number of a worker's word; NULL: the same */
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
        if (!has_slot(column) && !column->boxed)
            continue;
        const int64_t slot = column->boxed ? table->odd_slot : column->slot;
        const uint32_t *map = work->map[slot * table->n_workers + block->worker];
        if (!map)
            continue;
        if (column->boxed) {
            for (int64_t row = block->first_row; row < end; row++) {
                double *value = table->value + row * table->stride + column->feature;
                const int64_t number = pt_table_unbox(*value);
                if (number >= 0)
                    *value = box_of(map[number]);
            }
            continue;
        }
        if (column->kind == PT_CELL_TIE) {
            int64_t *number = table->ties + column->mark * table->tie_rows;
            for (int64_t row = block->first_row; row < end; row++)
                if (number[row] >= 0)
                    number[row] = map[number[row]];
            continue;
        }
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

static pt_status merge_slot(pt_table *table, int64_t slot, uint32_t **map, pt_texts *out,
                            int64_t **first, pt_error *err)
{
    pt_intern merged;
    memset(&merged, 0, sizeof merged);
    pt_status status =
        pt_dictionary_merge(&merged, table->dictionaries + slot, table->n_workers, table->n_slots,
                            map + slot * table->n_workers, first, err);
    if (status == PT_EMEMORY && table->options->budget) /* told with the name of the file */
        status = pt_reader_take(SIZE_MAX / 2, table->options, err);
    if (status == PT_OK) {
        pt_texts_free(out);
        *out = merged.texts;
        memset(&merged.texts, 0, sizeof merged.texts);
    }
    pt_intern_free(&merged);
    return status;
}

pt_status pt_table_translate(pt_table *table, pt_dataset *data, pt_table_texts *labels,
                             pt_table_texts *odd, pt_error *err)
{
    if (table->n_slots == 0)
        return PT_OK;
    const int64_t n_maps = table->n_slots * table->n_workers;
    uint32_t **map = pt_alloc_zero(n_maps, sizeof *map, "tables of texts", err);
    if (!map)
        return PT_ENOMEM;
    translation work = {table, map};
    pt_status status = PT_OK;
    for (int64_t j = 0; j < table->n_columns && status == PT_OK; j++) {
        const pt_table_column *column = &table->columns[j];
        if (!has_slot(column))
            continue;
        const bool label = column->kind == PT_CELL_LABEL;
        if (column->kind == PT_CELL_TIE) {
            pt_table_texts *own = &table->tie_texts[column->mark];
            status = merge_slot(table, column->slot, map, &own->texts, &own->first, err);
            continue;
        }
        status =
            merge_slot(table, column->slot, map,
                       label ? &labels->texts : &data->columns[column->feature].levels,
                       label && table->label_kind != PT_LABEL_CLASS ? &labels->first : NULL, err);
    }
    if (status == PT_OK && table->odd_slot >= 0)
        status = merge_slot(table, table->odd_slot, map, &odd->texts, &odd->first, err);
    if (status == PT_OK)
        status = pt_parallel_for(table->options->task, table->lines->n_blocks, translate_block,
                                 &work, err);
    for (int64_t i = 0; i < n_maps; i++)
        pt_free(map[i]);
    pt_free(map);
    return status;
}

/* ---- labels ---------------------------------------------------------------------------------- */

pt_status pt_table_labels_new(pt_table *table, const pt_roles *roles, int64_t n, pt_error *err)
{
    table->label_kind = roles->label_kind;
    if (roles->label >= 0) {
        const pt_status counted =
            pt_reader_take((size_t)n * sizeof *table->label, table->options, err);
        if (counted != PT_OK)
            return counted;
        return PT_NEW(table->label, n, "labels", err);
    }
    table->n_marks = roles->labels_cut ? 0 : roles->label_columns.count;
    if (table->n_marks == 0)
        return PT_OK;
    PT_TRY(pt_reader_check_size(n, table->n_marks, sizeof *table->marks, table->options, err));
    table->marks = pt_alloc(n, (size_t)table->n_marks * sizeof *table->marks, "labels", err);
    return table->marks ? PT_OK : PT_ENOMEM;
}

void pt_table_labels_free(pt_table *table)
{
    pt_free(table->label);
    pt_free(table->marks);
    table->label = NULL;
    table->marks = NULL;
}

pt_status pt_table_ties_new(pt_table *table, const pt_roles *roles, int64_t n, pt_error *err)
{
    table->roles = roles;
    table->tie_rows = n;
    if (roles->n_ties == 0)
        return PT_OK;
    PT_TRY(pt_reader_check_size(n, roles->n_ties, sizeof *table->ties, table->options, err));
    table->ties = pt_alloc(roles->n_ties, (size_t)n * sizeof *table->ties, "groups of rows", err);
    if (!table->ties)
        return PT_ENOMEM;
    return PT_NEW_ZERO(table->tie_texts, roles->n_ties, "groups of rows", err);
}

void pt_table_ties_free(pt_table *table)
{
    for (int64_t t = 0; table->tie_texts && t < table->roles->n_ties; t++)
        pt_table_texts_free(&table->tie_texts[t]);
    pt_free(table->tie_texts);
    pt_free(table->ties);
    table->tie_texts = NULL;
    table->ties = NULL;
}

pt_status pt_table_make_ties(const pt_table *table, pt_dataset *data, pt_error *err)
{
    const int64_t count = table->ties ? table->roles->n_ties : 0;
    PT_SCRATCH pt_tie_cells *cells = NULL;
    PT_SCRATCH char(*names)[PT_TIE_NAME] = NULL;
    if (count == 0)
        return PT_OK;
    PT_TRY(PT_NEW(cells, count, "groups of rows", err));
    PT_TRY(PT_NEW(names, count, "groups of rows", err));
    for (int64_t t = 0; t < count; t++) {
        const pt_tie_column *tie = &table->roles->ties[t];
        cells[t] = (pt_tie_cells){
            .kind = tie->kind,
            .name = pt_tie_name(table->names, tie->column, names[t]),
            .code = table->ties + t * table->tie_rows,
            .texts = &table->tie_texts[t].texts,
            .first = table->tie_texts[t].first,
            .wanted = table->roles->wanted ? &table->roles->wanted[tie->column] : NULL};
    }
    return pt_tie_columns_take(data, cells, count, table->options, table->lines, err);
}

pt_status pt_table_add_tie(const pt_table *table, int worker, const pt_block *block, int64_t column,
                           int64_t row, const char *at, const char *text, size_t length,
                           bool missing, pt_error *err)
{
    const int64_t tie = table->columns[column].mark;
    int64_t *number = &table->ties[tie * table->tie_rows + row];
    *number = -1;
    if (missing && table->roles->ties[tie].kind == PT_TIE_TIME)
        return pt_lines_fail(table->lines, pt_block_offset(block, at), err,
                             "the time is missing; fill it in or remove the row");
    return missing ? PT_OK
                   : pt_table_add(table, worker, block, table->columns[column].slot, at, text,
                                  length, number, err);
}

pt_status pt_table_add_mark(const pt_table *table, const pt_block *block, int64_t column,
                            int64_t row, const char *at, const char *text, size_t length,
                            bool missing, pt_error *err)
{
    int32_t *mark = &table->marks[row * table->n_marks + table->columns[column].mark];
    const bool ranks = table->label_kind == PT_LABEL_RANKING;
    *mark = PT_MARK_NONE;
    if (missing && (ranks || table->options->label_optional))
        return PT_OK;
    if (!missing && pt_label_mark(table->label_kind, text, length, mark))
        return PT_OK;
    char shown[PT_CELL_SHOWN];
    return pt_lines_fail(table->lines, pt_block_offset(block, at), err,
                         ranks
                             ? "'%s' is not a rank, a whole number from 1 (the best) on; leave "
                               "the cell empty if the class is not ranked"
                             : "'%s' is neither 0 nor 1, as the columns of a set must be: write 1 "
                               "where a row has the class, 0 where not",
                         pt_cell_show(text, length, shown));
}

pt_status pt_table_check_marks(const pt_table *table, const pt_block *block, int64_t row,
                               const char *at, pt_error *err)
{
    const bool needed = table->marks && !table->options->label_optional;
    if (table->label_kind != PT_LABEL_RANKING || !needed)
        return PT_OK;
    for (int64_t j = 0; j < table->n_marks; j++)
        if (table->marks[row * table->n_marks + j] != PT_MARK_NONE)
            return PT_OK;
    return pt_lines_fail(table->lines, pt_block_offset(block, at), err,
                         "no class is ranked; fill in a rank or remove the row");
}

void pt_table_texts_free(pt_table_texts *texts)
{
    pt_texts_free(&texts->texts);
    pt_free(texts->first);
    texts->first = NULL;
}

/* Several columns. A file for prediction may leave their cells empty, all of them or some. */
static pt_status labels_of_marks(const pt_table *table, pt_dataset *data, pt_error *err)
{
    const int64_t cells = data->n * table->n_marks;
    int64_t unknown = 0;
    for (int64_t at = 0; at < cells; at++)
        unknown += table->marks[at] == PT_MARK_NONE;
    if (unknown == cells)
        return PT_OK;
    if (unknown > 0 && table->label_kind == PT_LABEL_SET && !table->options->block)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%lld cell%s of the label columns %s as 0", (long long)unknown,
                       unknown == 1 ? "" : "s",
                       unknown == 1 ? "is missing and counts" : "are missing and count"));
    return pt_labels_from_marks(&data->labels, table->label_kind, data->n, table->n_marks,
                                table->marks, &data->label_columns.names, err);
}

pt_status pt_table_make_labels(const pt_table *table, const pt_table_texts *labels,
                               pt_dataset *data, pt_error *err)
{
    if (table->marks)
        return labels_of_marks(table, data, err);
    const bool unlabelled_sets =
        table->label && table->label_kind == PT_LABEL_SET && table->options->label_optional;
    /* A file for prediction whose label column is empty says nothing of sets. */
    if (!table->label || (unlabelled_sets && labels->texts.count == 0))
        return PT_OK;
    int64_t unknown = 0;
    for (int64_t i = 0; unlabelled_sets && i < data->n; i++)
        unknown += table->label[i] == PT_LABEL_UNKNOWN;
    if (unknown > 0 && !table->options->block)
        PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%lld label%s as %s; remove the row%s if that is not meant",
                       (long long)unknown,
                       unknown == 1 ? " is missing and counts" : "s are missing and count",
                       unknown == 1 ? "an empty set" : "empty sets", unknown == 1 ? "" : "s"));
    const pt_label_cells cells = {.kind = table->label_kind,
                                  .separator = ';',
                                  .texts = &labels->texts,
                                  .first = labels->first,
                                  .lines = table->lines,
                                  .source = table->options->source,
                                  .budget = table->options->budget};
    return pt_labels_from_cells(&data->labels, &cells, data->n, table->label, err);
}
