/* Equal rows merged, and all of them in an order of their own.
 *
 * A weight of w is to be the same as the row w times, to the last byte, and the order of the rows
 * in a file is to mean nothing. Folds, samples, roundings of sums and solvers that visit rows in
 * turn depend on order and on copies; so both are settled before anything looks at the rows.
 *
 * The order is that of a hash of cells and label: canonical as any other, found in one look at each
 * cell, and as good as random, which no sort by values is: solvers that go through the rows would
 * meet long runs of rows that are alike. Rows with equal hashes are compared; those that are really
 * equal are one, and what only collides is sorted by its cells.
 *
 * Of numbers the value counts: -0 is 0, all NaNs are the same missing cell, a zero that a sparse
 * row spells out is as one that it leaves out, float32 and double are alike. Of levels the text
 * counts and not its number, which depends on the rows before. Rows of different groups, or in
 * different folds of the caller, are held out apart: they are different rows. */
#include "data/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "base/sort.h"

enum { BLOCK_ROWS = 256 };

typedef struct entry {
    uint64_t hash;
    int64_t row;
} entry;

typedef struct merger {
    const pt_dataset *data;
    const uint64_t **levels; /* d: hashes of the levels of a nominal column, or NULL */
    uint64_t *level_hash;
    entry *entries; /* m */
    int64_t m;
} merger;

/* ---- cells ----------------------------------------------------------------------------------- */

/* Every bit of x moves half of the bits of what comes out (the finaliser of SplitMix64). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

static uint64_t join(uint64_t hash, uint64_t more)
{
    const uint64_t x = (hash ^ more) * 0x9e3779b97f4a7c15U;
    return x ^ x >> 32;
}

static uint64_t number_bits(double x)
{
    uint64_t bits = 0;
    if (isnan(x))
        return 0x7ff8000000000000U;
    if (x != 0)
        memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* What counts of a cell: place `at`, column j. */
static uint64_t cell_bits(const merger *g, int64_t at, int64_t j)
{
    const double x = pt_dataset_cell(g->data, at);
    if (!g->levels || !g->levels[j] || isnan(x))
        return number_bits(x);
    return x >= 0 && x < (double)g->data->columns[j].levels.count ? g->levels[j][(int64_t)x] : 0;
}

/* What a cell adds to the hash of its row: nothing where it is 0, so that dense rows and sparse
 * ones have the same order. Sums need not wait for each other. */
static uint64_t cell_hash(uint64_t bits, int64_t j)
{
    return bits == 0 ? 0 : mix(bits + (uint64_t)(j + 1) * 0x9e3779b97f4a7c15U);
}

static uint64_t hash_dense(const merger *g, int64_t i)
{
    const int64_t d = g->data->d;
    uint64_t hash = 0;
    if (!g->levels && g->data->type == PT_F64 && g->data->column_stride == 1) {
        const double *x = (const double *)g->data->value + pt_dataset_place(g->data, i, 0);
        for (int64_t j = 0; j < d; j++)
            hash += cell_hash(number_bits(x[j]), j);
        return hash;
    }
    for (int64_t j = 0; j < d; j++)
        hash += cell_hash(cell_bits(g, pt_dataset_place(g->data, i, j), j), j);
    return hash;
}

static uint64_t hash_sparse(const merger *g, int64_t i)
{
    uint64_t hash = 0;
    for (int64_t at = g->data->start[i]; at < g->data->start[i + 1]; at++)
        if (pt_dataset_cell(g->data, at) != 0)
            hash += cell_hash(cell_bits(g, at, g->data->index[at]), g->data->index[at]);
    return hash;
}

static uint64_t hash_label(const pt_labels *labels, int64_t i)
{
    if (labels->kind == PT_LABEL_CLASS)
        return (uint64_t)labels->class_of[i];
    uint64_t hash = 1;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++) {
        hash = join(hash, (uint64_t)labels->item[at]);
        if (labels->rank)
            hash = join(hash, (uint64_t)labels->rank[at]);
    }
    return hash;
}

/* -0 is 0. */
static uint64_t time_bits(const pt_dataset *data, int64_t i)
{
    const double time = data->time[i] + 0.0;
    uint64_t bits = 0;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

/* What keeps equal rows apart; 0 where there is nothing of that. */
static uint64_t hash_ties(const pt_dataset *data, int64_t i)
{
    uint64_t hash = data->group ? join(1, (uint64_t)data->group[i]) : 0;
    for (int64_t r = 0; r < data->fold_columns; r++)
        hash = join(hash + 1, (uint64_t)data->fold[r * data->n + i]);
    return data->time ? join(hash + 1, time_bits(data, i)) : hash;
}

static pt_status hash_block(void *context, int64_t block, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const merger *g = context;
    const int64_t end = (block + 1) * BLOCK_ROWS < g->m ? (block + 1) * BLOCK_ROWS : g->m;
    for (int64_t p = block * BLOCK_ROWS; p < end; p++) {
        const int64_t i = g->entries[p].row;
        const uint64_t cells = g->data->start ? hash_sparse(g, i) : hash_dense(g, i);
        const uint64_t row = join(cells, hash_label(g->data->labels, i));
        g->entries[p].hash = mix(row + hash_ties(g->data, i));
    }
    return PT_OK;
}

/* ---- rows with equal hashes ------------------------------------------------------------------ */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_labels(const pt_labels *labels, int64_t a, int64_t b)
{
    if (labels->kind == PT_LABEL_CLASS)
        return compare((uint64_t)labels->class_of[a], (uint64_t)labels->class_of[b]);
    const int64_t count = labels->start[a + 1] - labels->start[a];
    int order = compare((uint64_t)count, (uint64_t)(labels->start[b + 1] - labels->start[b]));
    for (int64_t c = 0; c < count && order == 0; c++) {
        const int64_t x = labels->start[a] + c;
        const int64_t y = labels->start[b] + c;
        order = compare((uint64_t)labels->item[x], (uint64_t)labels->item[y]);
        if (order == 0 && labels->rank)
            order = compare((uint64_t)labels->rank[x], (uint64_t)labels->rank[y]);
    }
    return order;
}

/* The next cell of a sparse row that is not 0, or its end. */
static int64_t next_cell(const pt_dataset *data, int64_t at, int64_t end)
{
    while (at < end && pt_dataset_cell(data, at) == 0)
        at++;
    return at;
}

static int compare_sparse(const merger *g, int64_t a, int64_t b)
{
    const pt_dataset *data = g->data;
    int64_t x = data->start[a];
    int64_t y = data->start[b];
    for (;; x++, y++) {
        x = next_cell(data, x, data->start[a + 1]);
        y = next_cell(data, y, data->start[b + 1]);
        const bool more_x = x < data->start[a + 1];
        const bool more_y = y < data->start[b + 1];
        if (!more_x || !more_y)
            return more_x - more_y;
        int order = compare((uint64_t)data->index[x], (uint64_t)data->index[y]);
        if (order == 0)
            order = compare(cell_bits(g, x, data->index[x]), cell_bits(g, y, data->index[y]));
        if (order != 0)
            return order;
    }
}

/* Numbers with a sign: their order is as good as any. */
static int compare_ties(const pt_dataset *data, int64_t a, int64_t b)
{
    int order = data->group ? compare((uint64_t)data->group[a], (uint64_t)data->group[b]) : 0;
    for (int64_t r = 0; r < data->fold_columns && order == 0; r++)
        order =
            compare((uint64_t)data->fold[r * data->n + a], (uint64_t)data->fold[r * data->n + b]);
    return order == 0 && data->time ? compare(time_bits(data, a), time_bits(data, b)) : order;
}

static int compare_rows(const merger *g, int64_t a, int64_t b)
{
    int order = compare_labels(g->data->labels, a, b);
    if (order == 0)
        order = compare_ties(g->data, a, b);
    if (order != 0 || g->data->start)
        return order != 0 ? order : compare_sparse(g, a, b);
    const int64_t d = g->data->d;
    for (int64_t j = 0; j < d && order == 0; j++)
        order = compare(cell_bits(g, pt_dataset_place(g->data, a, j), j),
                        cell_bits(g, pt_dataset_place(g->data, b, j), j));
    return order;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;
    return x->hash != y->hash ? compare(x->hash, y->hash)
                              : compare((uint64_t)x->row, (uint64_t)y->row);
}

/* Entries first .. end-1 have one hash: sorted by what they hold, equal ones in the order of the
 * data. Nearly always they are all equal, and one look at each shows it. */
static void sort_run(const merger *g, int64_t first, int64_t end)
{
    for (int64_t p = first + 1; p < end; p++) {
        const entry e = g->entries[p];
        int64_t place = p;
        for (; place > first && compare_rows(g, g->entries[place - 1].row, e.row) > 0; place--)
            g->entries[place] = g->entries[place - 1];
        g->entries[place] = e;
    }
}

static bool same_row(const merger *g, int64_t p, int64_t q)
{
    return g->entries[p].hash == g->entries[q].hash &&
           compare_rows(g, g->entries[p].row, g->entries[q].row) == 0;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* The sum of weights in their order, so that it does not depend on that of the rows; weight may
 * change. */
static double sum_of(double *weight, int64_t count)
{
    double sum = 0;
    qsort(weight, (size_t)count, sizeof *weight, pt_ascending);
    for (int64_t c = 0; c < count; c++)
        sum += weight[c];
    return sum;
}

/* chosen <- one row of each group of equal ones, weight <- what they weigh together. */
static pt_status take_groups(int64_t *n_groups, const merger *g, bool add_up, int64_t *chosen,
                             double *weight, int64_t *count, const pt_task *task, pt_error *err)
{
    const double *given = g->data->weights;
    int64_t n = 0;
    for (int64_t p = 0; p < g->m;) {
        PT_TRY(pt_task_check_at(task, n, err));
        int64_t end = p + 1;
        while (add_up && end < g->m && same_row(g, p, end))
            end++;
        chosen[n] = g->entries[p].row;
        for (int64_t q = p; q < end && given; q++) /* place n is p or before: nothing is lost */
            weight[n + q - p] = given[g->entries[q].row];
        weight[n] = given ? sum_of(weight + n, end - p) : (double)(end - p);
        count[n] = end - p;
        n++;
        p = end;
    }
    *n_groups = n;
    return PT_OK;
}

/* ---- nominal columns ------------------------------------------------------------------------- */

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 1;
    for (; *text; text++)
        hash = join(hash, (unsigned char)*text);
    return mix(hash);
}

static pt_status hash_levels(merger *g, pt_error *err)
{
    const pt_dataset *data = g->data;
    int64_t count = 0;
    for (int64_t j = 0; data->columns && j < data->d; j++)
        count += data->columns[j].nominal ? data->columns[j].levels.count : 0;
    if (count == 0)
        return PT_OK;
    g->levels = pt_alloc_zero(data->d, sizeof *g->levels, "levels", err);
    g->level_hash = g->levels ? pt_alloc(count, sizeof *g->level_hash, "levels", err) : NULL;
    if (!g->level_hash)
        return PT_ENOMEM;
    uint64_t *next = g->level_hash;
    for (int64_t j = 0; j < data->d; j++) {
        const pt_column *column = &data->columns[j];
        if (!column->nominal)
            continue;
        g->levels[j] = next;
        for (int64_t level = 0; level < column->levels.count; level++)
            *next++ = hash_text(column->levels.items[level]);
    }
    return PT_OK;
}

static void set_cell(pt_dataset *data, int64_t at, double x)
{
    if (data->type == PT_F32)
        ((float *)data->value)[at] = (float)x;
    else
        ((double *)data->value)[at] = x;
}

/* The levels of column j in the order of class names: that of their first rows is no order. */
static pt_status sort_levels(pt_dataset *data, int64_t j, const pt_task *task, pt_error *err)
{
    pt_column *column = &data->columns[j];
    PT_FREED_BY(pt_texts_free) pt_texts sorted = {0};
    PT_SCRATCH int64_t *number = NULL;
    PT_TRY(PT_NEW(number, column->levels.count, "levels", err));
    PT_TRY(pt_class_names_sort(&sorted, number, &column->levels, err));
    for (int64_t i = 0; i < data->n; i++) {
        PT_TRY(pt_task_check_at(task, i, err));
        const double x = pt_dataset_cell(data, i * data->d + j);
        if (x >= 0 && x < (double)column->levels.count)
            set_cell(data, i * data->d + j, (double)number[(int64_t)x]);
    }
    pt_texts_free(&column->levels);
    column->levels = sorted;
    sorted = (pt_texts){0};
    return PT_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static pt_status sort_rows(merger *g, const int64_t *rows, const pt_task *task, pt_error *err)
{
    PT_TRY(PT_NEW(g->entries, g->m, "an order of rows", err));
    for (int64_t p = 0; p < g->m; p++)
        g->entries[p].row = rows[p];
    PT_TRY(pt_parallel_for(task, (g->m + BLOCK_ROWS - 1) / BLOCK_ROWS, hash_block, g, err));
    PT_TRY(pt_sort(g->entries, g->m, sizeof *g->entries, compare_entries, "an order of rows", task,
                   err));
    for (int64_t p = 0; p < g->m;) {
        PT_TRY(pt_task_check_at(task, p, err));
        int64_t end = p + 1;
        while (end < g->m && g->entries[end].hash == g->entries[p].hash)
            end++;
        sort_run(g, p, end);
        p = end;
    }
    return PT_OK;
}

static pt_status take_rows(pt_dataset **out, int64_t **counts, const merger *g, bool add_up,
                           const pt_task *task, pt_error *err)
{
    PT_SCRATCH int64_t *chosen = pt_alloc(g->m, sizeof *chosen, "an order of rows", err);
    PT_SCRATCH double *weight = pt_alloc(g->m, sizeof *weight, "weights", err);
    PT_SCRATCH int64_t *count = pt_alloc(g->m, sizeof *count, "an order of rows", err);
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *merged = NULL;
    if (!chosen || !weight || !count)
        return PT_ENOMEM;
    int64_t n = 0;
    PT_TRY(take_groups(&n, g, add_up, chosen, weight, count, task, err));
    PT_TRY(g->levels ? pt_dataset_subset(&merged, g->data, chosen, n, task, err)
                     : pt_dataset_view(&merged, g->data, chosen, n, task, err));
    for (int64_t j = 0; !merged->start && g->levels && j < merged->d; j++)
        if (g->levels[j])
            PT_TRY(sort_levels(merged, j, task, err));
    if (g->data->weights || n < g->m) {
        pt_free(merged->weights);
        merged->weights = weight;
        weight = NULL;
    }
    *out = pt_keep(&merged);
    if (counts) {
        *counts = pt_keep(&count);
    }
    return PT_OK;
}

static void merger_free(merger *g)
{
    pt_free(g->entries);
    pt_free(g->level_hash);
    pt_free(g->levels);
}

pt_status pt_dataset_merge(pt_dataset **out, int64_t **counts, const pt_dataset *data,
                           const int64_t *rows, int64_t m, bool add_up, const pt_task *task,
                           pt_error *err)
{
    PT_FREED_BY(merger_free) merger g = {.data = data, .m = m};
    PT_TRY(hash_levels(&g, err));
    const bool copied = data->start || g.levels;
    const double cells = copied ? (double)m / (double)data->n * pt_dataset_bytes(data)
                                : (double)m * (double)sizeof(int64_t);
    const double orders = (double)m * (sizeof *g.entries + sizeof(int64_t) + sizeof(double));
    PT_TRY(pt_dataset_fits(data, cells + orders,
                           copied ? "the data and a copy in order"
                                  : "the data and the order of their rows",
                           task, err));
    PT_TRY(sort_rows(&g, rows, task, err));
    return take_rows(out, counts, &g, add_up, task, err);
}
