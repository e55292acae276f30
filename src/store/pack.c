/* Named arrays and texts: building them, looking them up, files of them. Those of a file may be
 * hostile. */
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

void pt_pack_add_bytes(pt_pack *pack, const char *name, const char *bytes, size_t size)
{
    add(pack, name,
        (pt_array){.bytes = true, .rows = (int64_t)size, .columns = 1, .value = (void *)bytes});
}

pt_status pt_pack_add_texts(pt_pack *pack, const char *name, const pt_texts *texts, pt_error *err)
{
    size_t size = 0;
    for (int64_t i = 0; i < texts->count; i++)
        size += strlen(texts->items[i]) + 1;
    char *bytes = NULL;
    PT_TRY(PT_NEW(bytes, (int64_t)size, "texts of a file", err));
    pt_pack_keep(pack, bytes);
    pt_pack_add_bytes(pack, name, bytes, size);
    pack->arrays[pack->count - 1].texts = true;
    for (int64_t i = 0; i < texts->count; i++) {
        const size_t length = strlen(texts->items[i]) + 1;
        memcpy(bytes, texts->items[i], length);
        bytes += length;
    }
    return PT_OK;
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
    return array && !array->integer && !array->bytes && array->type == type && all_finite(array);
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

static pt_section_kind kind_of(const pt_array *array)
{
    return array->bytes            ? PT_SECTION_BYTES
           : array->integer        ? PT_SECTION_I64
           : array->type == PT_F32 ? PT_SECTION_F32
                                   : PT_SECTION_F64;
}

const pt_array *pt_pack_find_shape(const pt_pack *pack, const char *name, pt_section_kind kind,
                                   int64_t rows, int64_t columns)
{
    const pt_array *array = pt_pack_find(pack, name);
    return array && kind_of(array) == kind && (rows < 0 || array->rows == rows) &&
                   array->columns == columns
               ? array
               : NULL;
}

pt_status pt_pack_find_texts(pt_texts *texts, const pt_pack *pack, const char *name, pt_error *err)
{
    const pt_array *array = pt_pack_find_shape(pack, name, PT_SECTION_BYTES, -1, 1);
    const char *at = array ? array->value : NULL;
    const char *end = array ? at + array->rows : NULL;
    if (!array || (at < end && end[-1] != '\0'))
        return pt_fail(err, PT_EFORMAT, "'%s' is not a list of texts", name);
    while (at < end) {
        const size_t length = strlen(at);
        PT_TRY(pt_texts_add_n(texts, at, length, err));
        at += length + 1;
    }
    return PT_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static pt_section section_of(const pt_array *array, const char *prefix)
{
    static const size_t SIZE[] = {[PT_SECTION_BYTES] = 1,
                                  [PT_SECTION_F32] = sizeof(float),
                                  [PT_SECTION_F64] = sizeof(double),
                                  [PT_SECTION_I64] = sizeof(int64_t)};
    pt_section section = {.kind = kind_of(array),
                          .rows = array->rows,
                          .columns = array->columns,
                          .value = array->value};
    section.bytes = (size_t)array->rows * (size_t)array->columns * SIZE[section.kind];
    snprintf(section.tag, sizeof section.tag, "%s%.12s", prefix, array->name);
    return section;
}

static pt_status list_sections(pt_section **sections, int64_t *n, const pt_packed *packs,
                               int64_t count, pt_error *err)
{
    *n = 0;
    for (int64_t p = 0; p < count; p++)
        *n += packs[p].pack->count;
    PT_TRY(PT_NEW(*sections, *n, "sections", err));
    pt_section *next = *sections;
    for (int64_t p = 0; p < count; p++)
        for (int64_t i = 0; i < packs[p].pack->count; i++)
            *next++ = section_of(&packs[p].pack->arrays[i], packs[p].prefix);
    return PT_OK;
}

pt_status pt_packs_write(const char *path, const pt_packed *packs, int64_t count, pt_error *err)
{
    PT_SCRATCH pt_section *sections = NULL;
    int64_t n = 0;
    PT_TRY(list_sections(&sections, &n, packs, count, err));
    return pt_container_write(path, sections, n, err);
}

pt_status pt_packs_pack(void **bytes, size_t *size, const pt_packed *packs, int64_t count,
                        pt_error *err)
{
    PT_SCRATCH pt_section *sections = NULL;
    int64_t n = 0;
    PT_TRY(list_sections(&sections, &n, packs, count, err));
    return pt_container_pack(bytes, size, sections, n, err);
}

pt_status pt_pack_read(pt_pack *pack, const pt_container *container, const char *prefix,
                       pt_error *err)
{
    const size_t skipped = strlen(prefix);
    const int64_t count = pt_container_count(container);
    *pack = (pt_pack){0};
    PT_TRY(PT_NEW_ZERO(pack->arrays, count, "a list of arrays", err));
    for (int64_t i = 0; i < count; i++) {
        const pt_section *section = pt_container_section(container, i);
        if (section->optional || strncmp(section->tag, prefix, skipped) != 0)
            continue;
        pt_array *array = &pack->arrays[pack->count++];
        *array = (pt_array){.type = section->kind == PT_SECTION_F32 ? PT_F32 : PT_F64,
                            .integer = section->kind == PT_SECTION_I64,
                            .bytes = section->kind == PT_SECTION_BYTES,
                            .rows = section->rows,
                            .columns = section->columns,
                            .value = (void *)section->value};
        snprintf(array->name, sizeof array->name, "%s", section->tag + skipped);
    }
    return PT_OK;
}
