/* Fuzzing the preparation that a model file holds: anything is refused, or makes a preparation that
 * can be applied to data, dense and sparse, and written again. What begins with { is the JSON of an
 * old file, other bytes are arrays:
 *
 *   n          columns that are fitted, one byte
 *   9          the head, a byte each; 127 and -128 stand for the largest and the smallest integer
 *   5 n, 3 n   fields and numbers, in the same way
 *   the rest   names, each ended by 0, then 255, then levels */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/support/from_memory.h"
#include "base/alloc.h"
#include "base/task.h"
#include "data/prepare/prepare.h"
#include "store/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { N = 3, MOST_COLUMNS = 6 };

static const double CELLS[N * MOST_COLUMNS] = {0, 1, 2, NAN, -1, 0.5, 1e300, 3, NAN,
                                               1, 0, 7, 2,   2,  2,   2,     2, 2};

static void apply(const pt_prepare *prepare, const pt_dataset *data, const pt_task *task)
{
    pt_prepared prepared;
    pt_error err = PT_ERROR_INIT;
    if (pt_prepare_apply(prepare, data, PT_F32, &prepared, task, &err) == PT_OK)
        pt_prepared_free(&prepared);
    if (pt_prepare_apply(prepare, data, PT_F64, &prepared, task, &err) == PT_OK)
        pt_prepared_free(&prepared);
}

/* Columns c0, c1, ... of which the first is nominal. */
static void dress(pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    data->columns = pt_alloc_zero(data->d, sizeof *data->columns, "columns", &err);
    for (int64_t j = 0; data->columns && j < data->d; j++) {
        const char name[] = {'c', (char)('0' + j), '\0'};
        data->columns[j].name = pt_alloc_text(name, &err);
    }
    if (data->columns) {
        data->columns[0].nominal = true;
        pt_texts_add(&data->columns[0].levels, &err, "x");
        pt_texts_add(&data->columns[0].levels, &err, "1");
        pt_texts_add(&data->columns[0].levels, &err, "z");
    }
}

static void apply_all(const pt_prepare *prepare, pt_task *task)
{
    const int64_t start[] = {0, 1, 1, 3};
    const int64_t index[] = {0, 1, 3};
    const double value[] = {1, NAN, 2};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    const int64_t wanted = pt_prepare_n_inputs(prepare);
    const int64_t d = wanted < MOST_COLUMNS ? wanted : MOST_COLUMNS;
    if (dataset_from_f64(&data, CELLS, N, d, MOST_COLUMNS, &err) == PT_OK) {
        apply(prepare, data, task);
        dress(data);
        ((double *)data->value)[d > 0 ? (N - 1) * d : 0] = 1; /* levels in range */
        ((double *)data->value)[d > 0 ? (N - 2) * d : 0] = 2;
        apply(prepare, data, task);
        pt_dataset_free(data);
    }
    if (dataset_from_csr(&data, start, index, value, N, 4, &err) == PT_OK) {
        apply(prepare, data, task);
        pt_dataset_free(data);
    }
}

enum { HEAD = 9, FIELDS = 5, NUMBERS = 3, MOST_FITTED = 8 };

static int64_t integer(const uint8_t *byte)
{
    const int8_t value = (int8_t)*byte;
    return value == INT8_MAX ? INT64_MAX : value == INT8_MIN ? INT64_MIN : value;
}

static pt_status from_arrays(pt_prepare **out, const uint8_t *bytes, size_t size, pt_error *err)
{
    static const double EXTREME[] = {NAN, INFINITY, -1e300, 0.5};
    int64_t whole[HEAD + FIELDS * MOST_FITTED];
    double number[NUMBERS * MOST_FITTED];
    const size_t n = size > 0 ? bytes[0] % MOST_FITTED : 0;
    const size_t integers = HEAD + FIELDS * n;
    const size_t used = 1 + integers + NUMBERS * n;
    if (size < used)
        return PT_EFORMAT;
    for (size_t i = 0; i < integers; i++)
        whole[i] = integer(bytes + 1 + i);
    for (size_t i = 0; i < NUMBERS * n; i++) {
        const int64_t value = integer(bytes + 1 + integers + i);
        number[i] = value < 100 && value > -100 ? (double)value : EXTREME[value & 3];
    }
    const char *names = (const char *)bytes + used;
    const char *end = (const char *)bytes + size;
    const char *parted = memchr(names, 255, size - used);
    const char *levels = parted ? parted + 1 : end;
    pt_pack pack = {0};
    pt_status status = pt_pack_begin(&pack, err);
    if (status == PT_OK) {
        pt_pack_add_integers(&pack, "head", HEAD, whole);
        pt_pack_add_integers(&pack, "fields", (int64_t)(FIELDS * n), whole + HEAD);
        pt_pack_add(&pack, "numbers", PT_F64, (int64_t)(NUMBERS * n), 1, number);
        pt_pack_add_bytes(&pack, "names", names, (size_t)((parted ? parted : end) - names));
        pt_pack_add_bytes(&pack, "levels", levels, (size_t)(end - levels));
        status = pt_prepare_load(out, &pack, err);
    }
    pt_pack_free(&pack);
    return status;
}

static pt_status from_text(pt_prepare **out, const uint8_t *bytes, size_t size, pt_error *err)
{
    char *text = malloc(size + 1);
    if (!text)
        return PT_ENOMEM;
    memcpy(text, bytes, size);
    text[size] = '\0';
    const pt_status status = pt_prepare_load_json(out, text, err);
    free(text);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    pt_error err = PT_ERROR_INIT;
    pt_prepare *prepare = NULL;
    const bool text = size > 0 && bytes[0] == '{';
    if ((text ? from_text : from_arrays)(&prepare, bytes, size, &err) != PT_OK)
        return 0;
    pt_task *task = NULL;
    pt_pack again = {0};
    pt_prepare *back = NULL;
    if (pt_task_new(&task, &err) == PT_OK) {
        pt_task_set_threads(task, 1);
        pt_task_set_memory(task, 64 << 20);
        apply_all(prepare, task);
        pt_task_free(task);
    }
    if (pt_prepare_save(prepare, &again, &err) != PT_OK ||
        pt_prepare_load(&back, &again, &err) != PT_OK)
        abort(); /* what we write we must read */
    pt_pack_free(&again);
    pt_prepare_free(back);
    pt_prepare_free(prepare);
    return 0;
}
