/* Digests of rows.
 *
 * A row's digest is the sum, modulo 2^64, of a number for each cell that is not 0 and of one for
 * its label; a cell's number is mixed from the column's name (its number where it has none) and the
 * value, the text of its level where the column is nominal. Sums do not know their order.
 * Time O(stored cells), memory a number for each level and each row. */
#include "data/row_digest.h"
#include "polytomy/experimental.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/math.h"
#include "base/parallel.h"
#include "base/sort.h"

/* Every bit of x reaches every bit of the result (a xorshift-multiply bijection). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x9fb21c651e98df25u;
    x = (x ^ (x >> 29)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

static uint64_t of_text(const char *text)
{
    return mix(pt_checksum(text, strlen(text)));
}

/* What is looked up for every cell; of columns without names and levels nothing needs to be. */
typedef struct digest_keys {
    int64_t n_columns; /* 0 or d */
    uint64_t *column;
    int64_t *first;  /* where a column's levels begin; -1: it is numeric */
    uint64_t *level; /* of all nominal columns, one after another */
    uint64_t *label; /* k: of the classes */
} digest_keys;

static void keys_free(digest_keys *keys)
{
    pt_free(keys->column);
    pt_free(keys->first);
    pt_free(keys->level);
    pt_free(keys->label);
}

static uint64_t of_number(int64_t j)
{
    return mix((uint64_t)j + 0x5851);
}

static pt_status keys_init(digest_keys *keys, const pt_dataset *data, pt_error *err)
{
    const int64_t k = data->labels ? pt_labels_n_classes(data->labels) : 0;
    int64_t n_levels = 0;
    keys->n_columns = data->columns ? data->d : 0;
    for (int64_t j = 0; j < keys->n_columns; j++)
        n_levels += data->columns[j].nominal ? data->columns[j].levels.count : 0;
    keys->column = pt_alloc(keys->n_columns, sizeof(uint64_t), "digests", err);
    keys->first = pt_alloc(keys->n_columns, sizeof(int64_t), "digests", err);
    keys->level = pt_alloc(n_levels, sizeof(uint64_t), "digests", err);
    keys->label = pt_alloc(k, sizeof(uint64_t), "digests", err);
    if (!keys->column || !keys->first || !keys->level || !keys->label)
        return PT_ENOMEM;
    int64_t at = 0;
    for (int64_t j = 0; j < keys->n_columns; j++) {
        const pt_column *column = &data->columns[j];
        keys->column[j] = column->name ? of_text(column->name) : of_number(j);
        keys->first[j] = column->nominal ? at : -1;
        for (int64_t v = 0; column->nominal && v < column->levels.count; v++)
            keys->level[at++] = of_text(column->levels.items[v]);
    }
    for (int64_t r = 0; r < k; r++)
        keys->label[r] = of_text(data->labels->classes.items[r]);
    return PT_OK;
}

static uint64_t of_cell(const digest_keys *keys, int64_t j, double value)
{
    uint64_t bits = 1; /* a missing cell */
    if (!isnan(value) && keys->n_columns > 0 && keys->first[j] >= 0)
        bits = keys->level[keys->first[j] + (int64_t)value];
    else if (value == 0)
        return 0;
    else if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    return mix((keys->n_columns > 0 ? keys->column[j] : of_number(j)) + mix(bits));
}

static uint64_t of_label(const digest_keys *keys, const pt_labels *labels, int64_t i)
{
    if (labels->kind == PT_LABEL_CLASS)
        return mix(keys->label[labels->class_of[i]]);
    uint64_t sum = mix(2);
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++) {
        const int64_t place = labels->kind == PT_LABEL_RANKING ? labels->rank[at]
                              : labels->kind == PT_LABEL_PAIRS ? at - labels->start[i]
                                                               : 0;
        sum += mix(keys->label[labels->item[at]] + mix((uint64_t)place));
    }
    return sum;
}

static uint64_t of_cells(const digest_keys *keys, const pt_dataset *data, int64_t i)
{
    uint64_t sum = 0;
    if (data->start)
        for (int64_t at = data->start[i]; at < data->start[i + 1]; at++)
            sum += of_cell(keys, data->index[at], pt_dataset_cell(data, at));
    else
        for (int64_t j = 0; j < data->d; j++)
            sum += of_cell(keys, j, pt_dataset_dense_cell(data, i, j));
    return sum;
}

static pt_row_digest of_row(const digest_keys *keys, const pt_dataset *data, int64_t i)
{
    pt_row_digest digest = {.cells = of_cells(keys, data, i)};
    if (data->labels && pt_labels_has(data->labels, i)) {
        digest.all = of_label(keys, data->labels, i) + digest.cells;
        digest.all = digest.all ? digest.all : 1;
    }
    return digest;
}

typedef struct digest_work {
    const digest_keys *keys;
    const pt_dataset *data;
    pt_row_digest *digest;
} digest_work;

enum { BLOCK_ROWS = 1 << 14 };

static pt_status digest_block(void *context, int64_t block, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const digest_work *w = context;
    const int64_t end = pt_lesser((block + 1) * BLOCK_ROWS, w->data->n);
    for (int64_t i = block * BLOCK_ROWS; i < end; i++)
        w->digest[i] = of_row(w->keys, w->data, i);
    return PT_OK;
}

pt_status pt_row_digests(pt_row_digest **out, const pt_dataset *data, const pt_task *task,
                         pt_error *err)
{
    PT_FREED_BY(keys_free) digest_keys keys = {0};
    PT_SCRATCH pt_row_digest *digest = pt_alloc(data->n, sizeof *digest, "digests", err);
    if (!digest)
        return PT_ENOMEM;
    PT_TRY(keys_init(&keys, data, err));
    digest_work work = {&keys, data, digest};
    PT_TRY(
        pt_parallel_for(task, (data->n + BLOCK_ROWS - 1) / BLOCK_ROWS, digest_block, &work, err));
    *out = pt_keep(&digest);
    return PT_OK;
}

/* How many cells a row has, the mean of sparse ones. */
static int64_t width_of(const pt_dataset *data)
{
    return data->start && data->n > 0 ? data->start[data->n] / data->n : data->d;
}

pt_status pt_dataset_digest(uint64_t *out, const pt_dataset *data, const pt_task *task,
                            pt_error *err)
{
    PT_FREED_BY(keys_free) digest_keys keys = {0};
    const int64_t width = width_of(data);
    PT_TRY(keys_init(&keys, data, err));
    uint64_t sum = 0;
    for (int64_t i = 0; i < data->n; i++) {
        PT_TRY(pt_task_check_row(task, i, width, err));
        sum += mix(of_row(&keys, data, i).all);
    }
    *out = sum ? sum : 1;
    return PT_OK;
}

static int compare_digests(const void *a, const void *b)
{
    const uint64_t x = ((const pt_row_digest *)a)->all;
    const uint64_t y = ((const pt_row_digest *)b)->all;
    return (x > y) - (x < y);
}

pt_status pt_dataset_shared(int64_t *shared, int64_t *n_test, const pt_dataset *data,
                            const pt_dataset *test, const pt_task *task, pt_error *err)
{
    PT_SCRATCH pt_row_digest *seen = NULL;
    PT_SCRATCH pt_row_digest *asked = NULL;
    PT_TRY(pt_row_digests(&seen, data, task, err));
    PT_TRY(pt_row_digests(&asked, test, task, err));
    PT_TRY(pt_sort(seen, data->n, sizeof *seen, compare_digests, "digests", task, err));
    *shared = 0;
    *n_test = 0;
    for (int64_t i = 0; i < test->n; i++) {
        PT_TRY(pt_task_check_at(task, i, err));
        *n_test += asked[i].all != 0;
        *shared += asked[i].all != 0 &&
                   bsearch(&asked[i], seen, (size_t)data->n, sizeof *seen, compare_digests);
    }
    return PT_OK;
}
