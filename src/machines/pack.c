/* The arrays of a trained machine: building and looking them up. Those of a file may be hostile. */
#include "machines/pack.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

pt_status pt_pack_begin(pt_pack *pack, pt_error *err)
{
    pack->count = 0;
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
