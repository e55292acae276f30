/* The arrays of a trained machine: building and looking them up. Those of a file may be hostile. */
#include "store/pack.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

void pt_pack_free(pt_pack *pack)
{
    for (int64_t i = 0; i < pack->n_kept; i++)
        pt_free(pack->kept[i]);
    pt_free(pack->arrays);
    *pack = (pt_pack){0};
}

void pt_pack_keep(pt_pack *pack, void *memory)
{
    assert(pack->n_kept < PT_PACK_KEPT);
    pack->kept[pack->n_kept++] = memory;
}

pt_status pt_pack_begin(pt_pack *pack, pt_error *err)
{
    *pack = (pt_pack){0};
    pack->arrays = pt_alloc_zero(PT_PACK_ARRAYS, sizeof(pt_array), "a list of arrays", err);
    return pack->arrays ? PT_OK : PT_ENOMEM;
}

static void add(pt_pack *pack, const char *name, pt_array array)
{
    assert(pack->count < PT_PACK_ARRAYS && strlen(name) <= PT_PACK_NAME);
    snprintf(array.name, sizeof array.name, "%s", name);
    pack->arrays[pack->count++] = array;
}

void pt_pack_add(pt_pack *pack, const char *name, pt_type type, int64_t rows, int64_t columns,
                 const void *value)
{
    add(pack, name,
        (pt_array){.type = type, .rows = rows, .columns = columns, .value = (void *)value});
}

void pt_pack_add_integers(pt_pack *pack, const char *name, int64_t count, const int64_t *value)
{
    add(pack, name,
        (pt_array){
            .type = PT_F64, .integer = true, .rows = count, .columns = 1, .value = (void *)value});
}

const pt_array *pt_pack_find(const pt_pack *pack, const char *name)
{
    for (int64_t i = 0; i < pack->count; i++)
        if (strcmp(pack->arrays[i].name, name) == 0)
            return &pack->arrays[i];
    return NULL;
}

static bool all_finite(const pt_array *array)
{
    const int64_t count = array->rows * array->columns;
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(array->type == PT_F32 ? (double)((const float *)array->value)[i]
                                            : ((const double *)array->value)[i]))
            return false;
    return true;
}

bool pt_array_is_real(const pt_array *array, pt_type type)
{
    return array && !array->integer && array->type == type && all_finite(array);
}

bool pt_array_is_index(const pt_array *array, int64_t limit)
{
    if (!array || !array->integer || array->columns != 1)
        return false;
    const int64_t *value = array->value;
    for (int64_t i = 0; i < array->rows; i++)
        if (value[i] < 0 || value[i] >= limit)
            return false;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

void pt_pack_add_rows(pt_pack *pack, const pt_rows *rows)
{
    if (rows->dense) {
        pt_pack_add(pack, "rows", rows->type, rows->n, rows->d, rows->dense);
        return;
    }
    const int64_t stored = pt_rows_stored(rows);
    pt_pack_add_integers(pack, "start", rows->n + 1, rows->start);
    pt_pack_add_integers(pack, "index", stored, rows->index);
    pt_pack_add(pack, "value", rows->type, stored, 1, rows->value);
}

/* Row starts ascend from 0 to the number of stored values; indices ascend within a row. */
static bool valid_sparse(const pt_array *start, const pt_array *index, const pt_array *value,
                         int64_t n, int64_t d)
{
    if (!start || !index || !start->integer || !index->integer || start->columns != 1 ||
        index->columns != 1 || value->columns != 1 || start->rows != n + 1 ||
        index->rows != value->rows)
        return false;
    const int64_t *at = start->value;
    const int64_t *feature = index->value;
    if (at[0] != 0 || at[n] != index->rows)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (at[i + 1] < at[i] || at[i + 1] > index->rows)
            return false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = at[i]; p < at[i + 1]; p++)
            if (feature[p] < 0 || feature[p] >= d || (p > at[i] && feature[p] <= feature[p - 1]))
                return false;
    return true;
}

pt_status pt_pack_find_rows(pt_rows *rows, const pt_pack *pack, pt_error *err)
{
    const pt_array *dense = pt_pack_find(pack, "rows");
    const pt_array *value = pt_pack_find(pack, "value");
    const pt_array *start = pt_pack_find(pack, "start");
    const pt_array *index = pt_pack_find(pack, "index");
    bool fits = false;
    if (dense) {
        fits = pt_array_is_real(dense, rows->type) && dense->rows == rows->n &&
               dense->columns == rows->d;
        rows->dense = dense->value;
        rows->stride = rows->d;
    } else if (value) {
        fits = pt_array_is_real(value, rows->type) &&
               valid_sparse(start, index, value, rows->n, rows->d);
        rows->start = start ? start->value : NULL;
        rows->index = index ? index->value : NULL;
        rows->value = value->value;
    }
    return fits ? PT_OK : pt_fail(err, PT_EFORMAT, "the model's rows do not fit its other parts");
}
