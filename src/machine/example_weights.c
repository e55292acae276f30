/* Weights of examples: their own times those of --class-weight. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "machine/training.h"
#include "params/param_array.h"
#include "params/params_table.h"

/* "a=2,b=0.5": the weight of each class named; an equals sign in a name: the last one counts.
 * `of_class` comes as zeros, which mean that a class was not named. */
static pt_status parse_class_weights(const char *text, const pt_labels *labels, double *of_class,
                                     pt_error *err)
{
    while (*text) {
        const size_t length = strcspn(text, ",");
        char item[256];
        if (length >= sizeof item)
            return pt_fail(err, PT_EINVAL, "`class-weight`: a name is too long");
        memcpy(item, text, length);
        item[length] = '\0';
        char *equals = strrchr(item, '=');
        double value = 0;
        if (!equals || !pt_text_to_real(equals + 1, &value) || !(value > 0) || !isfinite(value))
            return pt_fail(err, PT_EINVAL,
                           "`class-weight`: '%s' is not NAME=WEIGHT with a positive weight", item);
        *equals = '\0';
        int64_t r = 0;
        while (r < labels->classes.count && strcmp(labels->classes.items[r], item) != 0)
            r++;
        if (r == labels->classes.count)
            return pt_fail(err, PT_EINVAL, "`class-weight`: there is no class '%s'", item);
        if (of_class[r] > 0)
            return pt_fail(err, PT_EINVAL, "`class-weight`: class '%s' is there twice", item);
        of_class[r] = value;
        text += length + (text[length] == ',');
    }
    return PT_OK;
}

static pt_status take_class_weights(const pt_params *params, const pt_labels *labels,
                                    double *of_class, pt_error *err)
{
    const pt_param_array *array = pt_params_array(params, PT_P_CLASS_WEIGHT);
    PT_SCRATCH int64_t *place = NULL;
    PT_TRY(pt_params_array_rows(params, PT_P_CLASS_WEIGHT, &labels->classes, &place, err));
    for (int64_t r = 0; r < labels->classes.count; r++)
        of_class[r] = array->value[place[r]];
    return PT_OK;
}

static pt_status class_weights(const pt_params *params, const char *text, const pt_labels *labels,
                               const double *given, double *of_class, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(labels);
    if (*text && pt_params_array(params, PT_P_CLASS_WEIGHT))
        return take_class_weights(params, labels, of_class, err);
    PT_TRY(pt_params_array_is_here(params, PT_P_CLASS_WEIGHT, err));
    for (int64_t r = 0; r < k; r++)
        of_class[r] = 0;
    if (strcmp(text, "balanced") != 0) {
        const pt_status status = parse_class_weights(text, labels, of_class, err);
        for (int64_t r = 0; r < k; r++)
            of_class[r] = of_class[r] > 0 ? of_class[r] : 1;
        return status;
    }
    double all = 0;
    for (int64_t i = 0; i < labels->n; i++) {
        of_class[labels->class_of[i]] += pt_weight(given, i);
        all += pt_weight(given, i);
    }
    for (int64_t r = 0; r < k; r++)
        of_class[r] = all / ((double)k * of_class[r]);
    return PT_OK;
}

/* Where labels are not classes, only examples have weights. */
static pt_status weights_of_examples(double **out, const double *given, const pt_labels *labels,
                                     bool by_class, pt_error *err)
{
    if (by_class)
        return pt_fail(err, PT_EINVAL,
                       "`class-weight` is for labels of kind 'class'; these are '%s'",
                       pt_label_kind_name(labels->kind));
    double *weight = pt_alloc(labels->n, sizeof(double), "weights", err);
    if (!weight)
        return PT_ENOMEM;
    memcpy(weight, given, (size_t)labels->n * sizeof(double));
    *out = weight;
    return PT_OK;
}

pt_status pt_training_weights(double **out, const double *given, const pt_labels *labels,
                              const pt_params *params, pt_error *err)
{
    const char *text = pt_params_text(params, PT_P_CLASS_WEIGHT);
    const bool by_class = strcmp(text, "none") != 0;
    if (!by_class && !given)
        return PT_OK;
    if (labels->kind != PT_LABEL_CLASS)
        return weights_of_examples(out, given, labels, by_class, err);
    double *of_class = pt_alloc(pt_labels_n_classes(labels), sizeof(double), "weights", err);
    double *weight = pt_alloc(labels->n, sizeof(double), "weights", err);
    pt_status status = of_class && weight ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = class_weights(params, by_class ? text : "", labels, given, of_class, err);
    for (int64_t i = 0; i < labels->n && status == PT_OK; i++)
        weight[i] = of_class[labels->class_of[i]] * pt_weight(given, i);
    pt_free(of_class);
    if (status == PT_OK)
        *out = weight;
    else
        pt_free(weight);
    return status;
}

pt_status pt_training_spell_weights(pt_params *params, const pt_texts *classes, pt_error *err)
{
    enum { MOST = 255 }; /* bytes of an item of the text */
    const pt_param_array *array = pt_params_array(params, PT_P_CLASS_WEIGHT);
    PT_SCRATCH int64_t *place = NULL;
    PT_SCRATCH char *text = NULL;
    size_t length = 1;
    if (!array)
        return PT_OK;
    PT_TRY(pt_params_array_rows(params, PT_P_CLASS_WEIGHT, classes, &place, err));
    for (int64_t r = 0; r < classes->count; r++) {
        const size_t bytes = strlen(classes->items[r]) + PT_REAL_ROOM + 2;
        if (strchr(classes->items[r], ',') || bytes > MOST)
            return PT_OK;
        length += bytes;
    }
    PT_TRY(PT_NEW(text, (int64_t)length, "class weights", err));
    size_t used = 0;
    for (int64_t r = 0; r < classes->count; r++) {
        char weight[PT_REAL_ROOM];
        pt_real_to_text(array->value[place[r]], weight);
        used += (size_t)snprintf(text + used, length - used, "%s%s=%s", r ? "," : "",
                                 classes->items[r], weight);
    }
    return pt_params_set(params, pt_param_table[PT_P_CLASS_WEIGHT].name, text, err);
}
