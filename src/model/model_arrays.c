/* What a model is made of, by name: the sections of its file as items of a report, and what the
 * file leaves out because a name tells it. docs/model-file.md says what each of them is. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "codes/vectors/label_space.h"
#include "model/linear_model.h"
#include "model/model.h"
#include "model/tree_view.h"
#include "report/report.h"

/* What the rows and the columns of a section run over; NULL: it is a list, or nothing with a name.
 * A section of one column is a list. */
typedef struct section_axes {
    const char *section;
    const char *rows;
    const char *columns;
} section_axes;

static const section_axes AXES[] = {
    {"p.names", "feature", NULL},       {"p.levels", "level", NULL},
    {"m.coef", "output", "centre"},     {"m.column", "centre", NULL},
    {"m.bias", "output", NULL},         {"m.rows", "centre", "input"},
    {"m.start", "centre + 1", NULL},    {"m.index", "stored", NULL},
    {"m.value", "stored", NULL},        {"m.class_first", "class + 1", NULL},
    {"m.pair_bias", "output", NULL},    {"m.order", "centre", NULL},
    {"m.code", "class", "output"},      {"m.label_rows", "class", "vector"},
    {"m.label_gram", "class", "class"}, {"m.node_rows", "node", "input"},
    {"m.node_offset", "node", NULL},    {"m.roots", "tree", NULL},
    {"m.levels", "input", NULL},        {"m.features", "node", NULL},
    {"m.cuts", "node", NULL},           {"m.branches", "node and way", NULL},
    {"m.gains", "node", NULL},          {"m.sets", "node", NULL},
    {"m.words", "word", NULL},          {"m.leaves", "leaf", "output"},
    {"m.alpha", "tree", NULL},          {"m.error", "tree", NULL},
    {"m.set_size", "set", NULL},        {"m.set_item", "member", NULL},
    {"m.side", "class", NULL},          {"m.d.rows", "class", "output"},
    {"m.d.bias", "class", NULL},        {"m.d.pattern", "pattern", "output"},
    {"m.d.tau", "class", "pattern"},    {"m.d.kernel", NULL, NULL},
    {"m.state_size", "output", NULL},   {"q.score", "held-out row", NULL},
    {"q.class", "held-out row", NULL},  {"q.weight", "held-out row", NULL},
};

static section_axes axes_of(const char *section)
{
    for (size_t i = 0; i < sizeof AXES / sizeof *AXES; i++)
        if (strcmp(AXES[i].section, section) == 0)
            return AXES[i];
    return (section_axes){NULL, NULL, NULL};
}

/* Texts that lie one behind the other. */
static pt_status add_texts(pt_report *report, const char *name, const char *axis,
                           const pt_array *array, pt_error *err)
{
    PT_FREED_BY(pt_texts_free) pt_texts texts = {0};
    const char *at = array->value;
    for (const char *end = at + array->rows; at < end; at += strlen(at) + 1)
        PT_TRY(pt_texts_add_n(&texts, at, strlen(at), err));
    return pt_report_add_texts(report, name, axis, &texts, err);
}

static pt_status add_array(pt_report *report, const char *prefix, const pt_array *array,
                           pt_error *err)
{
    char name[32];
    snprintf(name, sizeof name, "%s%.12s", prefix, array->name);
    const section_axes axes = axes_of(name);
    if (array->texts)
        return add_texts(report, name, axes.rows, array, err);
    if (array->bytes) {
        PT_SCRATCH char *text = pt_alloc_text_n(array->value, (size_t)array->rows, err);
        return text ? pt_report_add_text(report, name, text, err) : PT_ENOMEM;
    }
    const pt_item item = {.name = name,
                          .type = array->integer ? PT_I64 : array->type,
                          .n_axes = array->columns == 1 ? 1 : 2,
                          .length = {array->rows, array->columns},
                          .axis = {axes.rows, axes.columns},
                          .values = array->value};
    return pt_report_lend(report, &item, err);
}

/* Vectors of classes: scores of classes that are all alike are outputs times a factor. */
static pt_status add_labels(pt_report *report, const pt_label_space *space, pt_error *err)
{
    if (!space)
        return PT_OK;
    if (space->M)
        PT_TRY(pt_report_lend(
            report,
            PT_TABLE("label_vectors", PT_F64, "class", space->k, "vector", space->ell, space->M),
            err));
    if (space->Q)
        PT_TRY(pt_report_lend(
            report,
            PT_TABLE("label_products", PT_F64, "class", space->k, "class", space->k, space->Q),
            err));
    return space->alike ? pt_report_add_number(report, "label_factor", space->on, err) : PT_OK;
}

static void free_parts(void *parts)
{
    pt_model_parts_free(parts);
    pt_free(parts);
}

pt_status pt_model_arrays(pt_report **out, const pt_model *model, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    pt_model_parts *parts = NULL;
    PT_TRY(pt_report_new(&report, "arrays", err));
    PT_TRY(PT_NEW_ZERO(parts, 1, "the arrays of a model", err));
    pt_report_own(report, parts, free_parts);
    PT_TRY(pt_model_parts_make(parts, model, err));
    const pt_packed *packed = PT_MODEL_PACKED(parts);
    for (int p = 0; p < PT_MODEL_PACKS; p++)
        for (int64_t i = 0; i < packed[p].pack->count; i++)
            PT_TRY(add_array(report, packed[p].prefix, &packed[p].pack->arrays[i], err));
    PT_TRY(pt_report_add_texts(report, "classes", "class", &model->classes, err));
    PT_TRY(pt_report_add_integer(report, "n_features", pt_prepare_n_inputs(model->prepare), err));
    if (model->class_rows)
        PT_TRY(pt_report_lend(
            report, PT_LIST("class_rows", PT_F64, "class", model->classes.count, model->class_rows),
            err));
    const pt_machine_parts made = pt_machine_parts_of(model->machine);
    if (made.code) /* one that is known by its name is not in the file */
        PT_TRY(pt_code_add(report, made.code, "output", NULL, err));
    PT_TRY(add_labels(report, made.labels, err));
    PT_TRY(pt_report_add_coefficients(report, model, err));
    PT_TRY(pt_report_add_gains(report, model, err));
    *out = pt_keep(&report);
    return PT_OK;
}
