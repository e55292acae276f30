/* Fuzzing the preparation that a model file holds: any text is refused, or makes a preparation that
 * can be applied to data, dense and sparse, and written again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/prepare/prepare.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { N = 3, MOST_COLUMNS = 6 };

static const double CELLS[N * MOST_COLUMNS] = {0, 1, 2, NAN, -1, 0.5, 1e300, 3, NAN,
                                               1, 0, 7, 2,   2,  2,   2,     2, 2};

static void apply(const pt_prepare *prepare, const pt_dataset *data, const pt_task *task)
{
    pt_prepared prepared;
    pt_error err;
    if (pt_prepare_apply(prepare, data, PT_F32, &prepared, task, &err) == PT_OK)
        pt_prepared_free(&prepared);
    if (pt_prepare_apply(prepare, data, PT_F64, &prepared, task, &err) == PT_OK)
        pt_prepared_free(&prepared);
}

/* Columns c0, c1, ... of which the first is nominal. */
static void dress(pt_dataset *data)
{
    pt_error err;
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
    pt_error err;
    pt_dataset *data = NULL;
    const int64_t wanted = pt_prepare_n_inputs(prepare);
    const int64_t d = wanted < MOST_COLUMNS ? wanted : MOST_COLUMNS;
    if (pt_dataset_from_f64(&data, CELLS, N, d, MOST_COLUMNS, &err) == PT_OK) {
        apply(prepare, data, task);
        dress(data);
        ((double *)data->value)[d > 0 ? (N - 1) * d : 0] = 1; /* levels in range */
        ((double *)data->value)[d > 0 ? (N - 2) * d : 0] = 2;
        apply(prepare, data, task);
        pt_dataset_free(data);
    }
    if (pt_dataset_from_csr(&data, start, index, value, N, 4, &err) == PT_OK) {
        apply(prepare, data, task);
        pt_dataset_free(data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    pt_error err;
    pt_prepare *prepare = NULL;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    if (pt_prepare_from_json(&prepare, text, &err) == PT_OK) {
        pt_task *task = NULL;
        char *again = NULL;
        pt_prepare *back = NULL;
        if (pt_task_new(&task, &err) == PT_OK) {
            pt_task_set_threads(task, 1);
            pt_task_set_memory(task, 64 << 20);
            apply_all(prepare, task);
            pt_task_free(task);
        }
        if (pt_prepare_to_json(prepare, &again, &err) != PT_OK ||
            pt_prepare_from_json(&back, again, &err) != PT_OK)
            abort(); /* what we write we must read */
        pt_free(again);
        pt_prepare_free(back);
        pt_prepare_free(prepare);
    }
    free(text);
    return 0;
}
