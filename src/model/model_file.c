/* The model file: what goes into the container, and what is believed of what comes out.
 *
 *   metadata   JSON: machine, parameters, classes, label column, provenance, calibration
 *              (model_metadata.c)
 *   prepare    JSON: columns, levels, fills and scales (data/prepare/prepare.c)
 *   m.NAME     the machine's arrays (pt_pack)
 *
 * The same model gives the same bytes: no dates, no times, no host. A file may come from a
 * stranger: every text, number and shape is checked where it is used; a text that a parameter would
 * not take from the command line is not taken from a file either. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "model/model.h"
#include "store/container.h"

static const char ARRAY_PREFIX[] = "m.";

/* ---- writing --------------------------------------------------------------------------------- */

static void text_section(pt_section *section, const char *tag, const char *text)
{
    *section = (pt_section){.kind = PT_SECTION_BYTES,
                            .rows = (int64_t)strlen(text),
                            .columns = 1,
                            .value = text,
                            .bytes = strlen(text)};
    snprintf(section->tag, sizeof section->tag, "%s", tag);
}

static void array_section(pt_section *section, const pt_array *array)
{
    const size_t size = array->integer ? sizeof(int64_t) : pt_type_size(array->type);
    *section = (pt_section){.rows = array->rows,
                            .columns = array->columns,
                            .value = array->value,
                            .bytes = (size_t)array->rows * (size_t)array->columns * size};
    section->kind = array->integer          ? PT_SECTION_I64
                    : array->type == PT_F32 ? PT_SECTION_F32
                                            : PT_SECTION_F64;
    snprintf(section->tag, sizeof section->tag, "%s%.12s", ARRAY_PREFIX, array->name);
}

pt_status pt_model_save(const pt_model *model, const char *path, pt_error *err)
{
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    PT_SCRATCH char *prepare = NULL;
    PT_SCRATCH pt_section *sections = NULL;
    PT_TRY(pt_prepare_to_json(model->prepare, &prepare, err));
    PT_TRY(model->machine->ops->save(model->machine, &pack, err));
    sections = pt_alloc_zero(pack.count + 2, sizeof(pt_section), "sections", err);
    if (!sections)
        return PT_ENOMEM;
    text_section(&sections[0], "metadata", model->metadata);
    text_section(&sections[1], "prepare", prepare);
    for (int64_t i = 0; i < pack.count; i++)
        array_section(&sections[i + 2], &pack.arrays[i]);
    return pt_container_write(path, sections, pack.count + 2, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static pt_status damaged(pt_error *err, const char *what)
{
    return pt_fail(err, PT_EFORMAT, "this is not a usable model: %s", what);
}

/* A text section as a text that ends. */
static pt_status section_text(const pt_container *container, const char *tag, char **out,
                              pt_error *err)
{
    const pt_section *section = pt_container_find(container, tag);
    if (!section || section->kind != PT_SECTION_BYTES)
        return damaged(err, "a part is missing");
    if (memchr(section->value, '\0', section->bytes))
        return damaged(err, "a text has a zero in it");
    *out = pt_alloc_text_n(section->value, section->bytes, err);
    return *out ? PT_OK : PT_ENOMEM;
}

/* The machine's arrays, borrowed from the container. */
static pt_status load_pack(pt_pack *pack, const pt_container *container, pt_error *err)
{
    const int64_t count = pt_container_count(container);
    pack->count = 0;
    pack->arrays = pt_alloc_zero(count, sizeof(pt_array), "a list of arrays", err);
    if (!pack->arrays)
        return PT_ENOMEM;
    for (int64_t i = 0; i < count; i++) {
        const pt_section *section = pt_container_section(container, i);
        if (strncmp(section->tag, ARRAY_PREFIX, strlen(ARRAY_PREFIX)) != 0 || section->optional ||
            section->kind == PT_SECTION_BYTES)
            continue; /* an optional one is for a version to come */
        pt_array *array = &pack->arrays[pack->count++];
        *array = (pt_array){.type = section->kind == PT_SECTION_F32 ? PT_F32 : PT_F64,
                            .integer = section->kind == PT_SECTION_I64,
                            .rows = section->rows,
                            .columns = section->columns,
                            .value = (void *)section->value};
        snprintf(array->name, sizeof array->name, "%s", section->tag + strlen(ARRAY_PREFIX));
    }
    return PT_OK;
}

static pt_status load_machine(pt_model *model, const pt_container *container, const json_t *root,
                              pt_error *err)
{
    const char *name = json_string_value(json_object_get(root, "machine"));
    const pt_machine_ops *ops = name ? pt_machine_find(name) : NULL;
    if (!ops)
        return pt_fail(err, PT_ENOSUPPORT, "the model's machine '%.40s' is not known to version %s",
                       name ? name : "", pt_version());
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    PT_TRY(load_pack(&pack, container, err));
    return pt_machine_load(&model->machine, ops, &pack, pt_prepare_n_outputs(model->prepare),
                           model->classes.count, model->params, err);
}

static pt_status model_from_container(pt_model **out, const pt_container *container,
                                      const pt_learner_callbacks *learner, pt_error *err)
{
    static const char *const known[] = {"metadata", "prepare", "m.*", NULL};
    PT_SCRATCH char *prepare = NULL;
    json_auto_t *root = NULL;
    PT_FREED_BY(pt_model_free_at) pt_model *model = pt_alloc_zero(1, sizeof *model, "a model", err);
    if (!model)
        return PT_ENOMEM;
    PT_TRY(pt_container_require_known(container, known, err));
    PT_TRY(pt_params_new(&model->params, err));
    if (learner)
        PT_TRY(pt_params_offer_learner(model->params, learner, err));
    PT_TRY(section_text(container, "metadata", &model->metadata, err));
    PT_TRY(section_text(container, "prepare", &prepare, err));
    json_error_t problem;
    const pt_status parsed =
        pt_json_parse(&root, model->metadata, strlen(model->metadata), &problem, err);
    PT_TRY(parsed == PT_EFORMAT ? damaged(err, "its metadata cannot be read") : parsed);
    PT_TRY(pt_model_undescribe(model, root, err));
    PT_TRY(pt_prepare_from_json(&model->prepare, prepare, err));
    PT_TRY(load_machine(model, container, root, err));
    *out = pt_keep(&model);
    return PT_OK;
}

/* An error from inside gets the file's name. */
static pt_status name_file(pt_error *err, pt_status status, const char *path)
{
    if (status != PT_OK && err && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", path);
    return status;
}

static pt_status load_path(pt_model **out, const char *path, const pt_learner_callbacks *learner,
                           pt_error *err)
{
    pt_container *container = NULL;
    pt_status status = pt_container_open(&container, path, err);
    if (status == PT_OK)
        status = model_from_container(out, container, learner, err);
    pt_container_close(container);
    return name_file(err, status, path);
}

pt_status pt_model_load(pt_model **out, const char *path, pt_error *err)
{
    return load_path(out, path, NULL, err);
}

pt_status pt_model_load_learner(pt_model **out, const char *path,
                                const pt_learner_callbacks *learner, pt_error *err)
{
    if (!learner)
        return pt_fail(err, PT_EINVAL, "there is no learner");
    return load_path(out, path, learner, err);
}

pt_status pt_model_load_memory(pt_model **out, const void *bytes, size_t size, pt_error *err)
{
    pt_container *container = NULL;
    pt_status status = pt_container_open_memory(&container, bytes, size, "memory", err);
    if (status == PT_OK)
        status = model_from_container(out, container, NULL, err);
    pt_container_close(container);
    return name_file(err, status, "memory");
}
