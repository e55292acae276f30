/* The model file: what goes into the container, and what is believed of what comes out.
 *
 *   metadata   JSON: machine, parameters, classes, label column, provenance, calibration
 *              (model_metadata.c)
 *   p.NAME     the preparation: columns, levels, fills and scales (data/prepare/prepare_file.c)
 *   m.NAME     the machine's arrays
 *   q.NAME     how unlike their classes held-out rows are (validate/probability/conformity.h);
 *              not in older files, nor where nothing was held out
 *   prepare    in older files, in place of p.NAME: JSON
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

static pt_status save_conformity(const pt_conformity *c, pt_pack *pack, pt_error *err)
{
    PT_TRY(pt_pack_begin(pack, err));
    if (c->n > 0)
        pt_pack_add(pack, "score", PT_F64, c->n, 1, c->score);
    if (c->class_of)
        pt_pack_add_integers(pack, "class", c->n, c->class_of);
    if (c->weight)
        pt_pack_add(pack, "weight", PT_F64, c->n, 1, c->weight);
    return PT_OK;
}

pt_status pt_model_parts_make(pt_model_parts *parts, const pt_model *model, pt_error *err)
{
    PT_TRY(pt_pack_begin(&parts->head, err));
    pt_pack_add_bytes(&parts->head, "metadata", model->metadata, strlen(model->metadata));
    PT_TRY(pt_prepare_save(model->prepare, &parts->prepare, err));
    PT_TRY(save_conformity(&model->conformity, &parts->conformity, err));
    return model->machine->ops->save(model->machine, &parts->machine, err);
}

void pt_model_parts_free(pt_model_parts *parts)
{
    pt_pack_free(&parts->head);
    pt_pack_free(&parts->prepare);
    pt_pack_free(&parts->machine);
    pt_pack_free(&parts->conformity);
}

pt_status pt_model_save(const pt_model *model, const char *path, pt_error *err)
{
    PT_FREED_BY(pt_model_parts_free) pt_model_parts parts = {0};
    PT_TRY(pt_model_parts_make(&parts, model, err));
    return pt_packs_write(path, PT_MODEL_PACKED(&parts), PT_MODEL_PACKS, err);
}

pt_status pt_model_save_memory(void **bytes, size_t *size, const pt_model *model, pt_error *err)
{
    PT_FREED_BY(pt_model_parts_free) pt_model_parts parts = {0};
    PT_TRY(pt_model_parts_make(&parts, model, err));
    return pt_packs_pack(bytes, size, PT_MODEL_PACKED(&parts), PT_MODEL_PACKS, err);
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

/* Arrays, or the JSON of older files. */
static pt_status load_prepare(pt_model *model, const pt_container *container, pt_error *err)
{
    if (pt_container_find(container, "prepare")) {
        PT_SCRATCH char *text = NULL;
        PT_TRY(section_text(container, "prepare", &text, err));
        return pt_prepare_load_json(&model->prepare, text, err);
    }
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    PT_TRY(pt_pack_read(&pack, container, "p.", err));
    return pt_prepare_load(&model->prepare, &pack, err);
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
    PT_TRY(pt_pack_read(&pack, container, "m.", err));
    return pt_machine_load(&model->machine, ops, &pack, pt_prepare_n_outputs(model->prepare),
                           model->classes.count, model->params, NULL, err);
}

/* Scores are shares, and ascend: decisions look for places among them. */
static bool scores_ascend(const double *score, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        if (!(score[j] >= (j > 0 ? score[j - 1] : 0)) || score[j] > 1)
            return false;
    return true;
}

static bool weights_are_fine(const pt_array *weight)
{
    if (!pt_array_is_real(weight, PT_F64))
        return false;
    const double *value = weight->value;
    for (int64_t j = 0; j < weight->rows; j++)
        if (!(value[j] > 0))
            return false;
    return true;
}

static pt_status load_conformity(pt_model *model, const pt_container *container, pt_error *err)
{
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    PT_TRY(pt_pack_read(&pack, container, "q.", err));
    if (pack.count == 0)
        return PT_OK;
    pt_conformity *c = &model->conformity;
    const bool classes = model->label_kind == PT_LABEL_CLASS;
    const pt_array *score = pt_pack_find_shape(&pack, "score", PT_SECTION_F64, -1, 1);
    const int64_t n = score ? score->rows : 0;
    const pt_array *class_of = pt_pack_find_shape(&pack, "class", PT_SECTION_I64, n, 1);
    const pt_array *weight = pt_pack_find_shape(&pack, "weight", PT_SECTION_F64, n, 1);
    if (!score || n < 1 || !scores_ascend(score->value, n) ||
        (!classes && model->label_kind != PT_LABEL_SET) ||
        classes != (pt_pack_find(&pack, "class") != NULL) ||
        (classes && !pt_array_is_index(class_of, model->classes.count)) ||
        (pt_pack_find(&pack, "weight") && !weights_are_fine(weight)))
        return damaged(err, "its held-out rows are not as they should be");
    PT_TRY(PT_NEW(c->score, n, "held-out rows", err));
    memcpy(c->score, score->value, (size_t)n * sizeof *c->score);
    if (class_of) {
        PT_TRY(PT_NEW(c->class_of, n, "held-out rows", err));
        memcpy(c->class_of, class_of->value, (size_t)n * sizeof *c->class_of);
    }
    if (weight) {
        PT_TRY(PT_NEW(c->weight, n, "held-out rows", err));
        memcpy(c->weight, weight->value, (size_t)n * sizeof *c->weight);
    }
    c->n = n;
    return PT_OK;
}

/* `brought` may be NULL: parameters with a program's own learner or kernel. */
static pt_status model_from_container(pt_model **out, const pt_container *container,
                                      const pt_params *brought, pt_error *err)
{
    static const char *const known[] = {"metadata", "prepare", "p.*",      "m.*",
                                        "q.score",  "q.class", "q.weight", NULL};
    json_auto_t *root = NULL;
    PT_FREED_BY(pt_model_free_at) pt_model *model = pt_alloc_zero(1, sizeof *model, "a model", err);
    if (!model)
        return PT_ENOMEM;
    PT_TRY(pt_container_require_known(container, known, err));
    PT_TRY(pt_params_new(&model->params, err));
    PT_TRY(pt_params_offer(model->params, brought, err));
    PT_TRY(section_text(container, "metadata", &model->metadata, err));
    json_error_t problem;
    const pt_status parsed =
        pt_json_parse(&root, model->metadata, strlen(model->metadata), &problem, err);
    PT_TRY(parsed == PT_EFORMAT ? damaged(err, "its metadata cannot be read") : parsed);
    PT_TRY(pt_model_undescribe(model, root, err));
    PT_TRY(load_prepare(model, container, err));
    PT_TRY(load_machine(model, container, root, err));
    PT_TRY(load_conformity(model, container, err));
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

pt_status pt_model_load(pt_model **out, const char *path, const pt_params *params, pt_error *err)
{
    PT_FREED_BY(pt_container_close_at) pt_container *container = NULL;
    PT_TRY(pt_container_open(&container, path, err)); /* whose errors name the file */
    return name_file(err, model_from_container(out, container, params, err), path);
}

static pt_status load_memory(pt_model **out, const void *bytes, size_t size,
                             const pt_params *brought, pt_error *err)
{
    PT_FREED_BY(pt_container_close_at) pt_container *container = NULL;
    PT_TRY(pt_container_open_memory(&container, bytes, size, "memory", err));
    return name_file(err, model_from_container(out, container, brought, err), "memory");
}

pt_status pt_model_load_memory(pt_model **out, const void *bytes, size_t size,
                               const pt_params *params, pt_error *err)
{
    return load_memory(out, bytes, size, params, err);
}

/* By way of its bytes: what a file holds is all that predictions need. What training said stays
 * beside it. */
pt_status pt_model_copy(pt_model **out, const pt_model *model, pt_error *err)
{
    PT_SCRATCH void *bytes = NULL;
    size_t size = 0;
    PT_FREED_BY(pt_model_free_at) pt_model *copy = NULL;
    PT_TRY(pt_model_save_memory(&bytes, &size, model, err));
    PT_TRY(load_memory(&copy, bytes, size, model->params, err));
    pt_warnings_free(&copy->warnings);
    PT_TRY(pt_warnings_add(&copy->warnings, &model->warnings, err));
    copy->held_out = model->held_out;
    copy->chosen = model->chosen;
    copy->has_training_error = model->has_training_error;
    copy->training_error = model->training_error;
    *out = pt_keep(&copy);
    return PT_OK;
}
