/* What a model says of itself, as JSON and back: the metadata of its file (docs/model-file.md).
 * What comes back may be a stranger's: every text and number is checked. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "model/model.h"
#include "theory/margin_theory.h"

static const char SCHEMA[] = "polytomy-model/1";
enum { MAX_CLASSES = 10000000, MAX_COLUMNS = 1 << 22 };

/* ---- what theory says ------------------------------------------------------------------------ */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_string("not applicable");
}

/* An array of k; "not applicable" where the first is not a number: then none is. */
static json_t *numbers(const double *values, int64_t k)
{
    if (!isfinite(values[0]))
        return number(values[0]);
    json_t *array = json_array();
    for (int64_t r = 0; r < k && array; r++)
        if (json_array_append_new(array, number(values[r])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *counts(const int64_t *values, int64_t k)
{
    json_t *array = json_array();
    for (int64_t r = 0; r < k && array; r++)
        if (json_array_append_new(array, json_integer(values[r])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *names(const pt_texts *classes, const int64_t *which, pt_error *err)
{
    json_t *array = json_array();
    for (int c = 0; c < 2 && array; c++)
        if (json_array_append_new(array, pt_json_text(classes->items[which[c]], err)) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

typedef struct member {
    const char *name;
    json_t *value;
} member;

/* The object of `count` members, which are taken. */
static json_t *object_of(const member *members, size_t count, pt_error *err)
{
    json_t *object = json_object();
    bool whole = object;
    for (size_t m = 0; m < count; m++) {
        if (whole)
            whole = json_object_set_new(object, members[m].name, members[m].value) == 0;
        else
            json_decref(members[m].value);
    }
    if (whole)
        return object;
    json_decref(object);
    (void)pt_fail_memory(err, "metadata", 0);
    return NULL;
}

/* What does not follow is "not applicable". */
static json_t *margin_theory_json(const pt_margin_theory *t, const pt_texts *classes, pt_error *err)
{
    const member members[] = {
        {"norm", number(t->norm)},
        {"radius", number(t->radius)},
        {"least_margin", number(t->least_margin)},
        {"least_gamma", number(t->least_gamma)},
        {"closest_classes", names(classes, t->closest, err)},
        {"sum_of_inverse_squared_gammas", number(t->gamma_sum)},
        {"error_bound", number(t->bound)},
        {"class_support_patterns", counts(t->patterns, t->k)},
        {"class_norms", numbers(t->class_norm, t->k)},
        {"class_error_bounds", numbers(t->class_bound, t->k)},
    };
    return object_of(members, sizeof members / sizeof *members, err);
}

static json_t *pair_theory_json(const pt_pair_theory *t, pt_error *err)
{
    const member members[] = {
        {"functions", json_integer(t->k)},
        {"dimension", number(t->d)},
        {"norm", number(t->norm)},
        {"radius", number(t->radius)},
        {"most_pairs", json_integer(t->most_pairs)},
        {"examples", json_integer(t->m)},
        {"examples_not_consistent", json_integer(t->wrong)},
        {"constraint_margin", number(t->margin)},
        {"perceptron_mistake_bound", number(t->mistake_bound)},
        {"vc_error_bound", number(t->vc_bound)},
        {"margin_error_bound", number(t->margin_bound)},
    };
    return object_of(members, sizeof members / sizeof *members, err);
}

/* ---- describing ------------------------------------------------------------------------------ */

/* A text of any bytes (base/json.h). */
static pt_status set_text(json_t *object, const char *key, const char *text, pt_error *err)
{
    json_t *value = pt_json_text(text, err);
    if (!value)
        return PT_ENOMEM;
    return json_object_set_new(object, key, value) == 0 ? PT_OK
                                                        : pt_fail_memory(err, "metadata", 0);
}

static pt_status set_new(json_t *object, const char *key, json_t *value, pt_error *err)
{
    return json_object_set_new(object, key, value) == 0 ? PT_OK
                                                        : pt_fail_memory(err, "metadata", 0);
}

/* JSON has finite numbers only; jansson refuses others as it does where there is no memory. */
static pt_status set_real(json_t *object, const char *key, double value, pt_error *err)
{
    if (!isfinite(value))
        return pt_fail(err, PT_ENUMERIC, "the model's %s came out as %g", key, value);
    return set_new(object, key, json_real(value), err);
}

/* Parameters that shape the model: not how a file was read or how many threads worked. */
static bool is_model_param(pt_param_id id)
{
    const pt_param_group_id group = pt_param_group_of(id);
    return group == PT_GROUP_MACHINE || group == PT_GROUP_KERNEL || group == PT_GROUP_PREPARE ||
           id == PT_P_SEED;
}

/* object[key] <- the texts, an array. */
static pt_status set_texts(json_t *object, const char *key, const pt_texts *texts, pt_error *err)
{
    json_t *array = pt_json_texts(texts, err);
    return array ? set_new(object, key, array, err) : PT_ENOMEM;
}

/* object[key] <- count numbers, `stride` doubles apart. */
static pt_status set_reals(json_t *object, const char *key, const double *value, int64_t count,
                           int64_t stride, pt_error *err)
{
    json_t *array = json_array();
    PT_TRY(set_new(object, key, array, err));
    for (int64_t i = 0; i < count; i++)
        if (json_array_append_new(array, json_real(value[i * stride])) != 0)
            return pt_fail_memory(err, "metadata", 0);
    return PT_OK;
}

static pt_status describe_params(json_t *root, const pt_params *params, pt_error *err)
{
    json_t *object = json_object(); /* handed over at once, as all below */
    PT_TRY(set_new(root, "parameters", object, err));
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const char *text = pt_params_text(params, (pt_param_id)id);
        const bool file = id == PT_P_LABEL_KERNEL || id == PT_P_COSTS;
        const char *slash = file ? strrchr(text, '/') : NULL;
        if (slash) /* a file: its name only, where it lay is nobody's business */
            text = slash + 1;
        const bool unused = strcmp(text, "unset") == 0 || strcmp(text, "auto") == 0;
        if (is_model_param((pt_param_id)id) && !unused)
            PT_TRY(set_text(object, pt_param_name(id), text, err));
    }
    return PT_OK;
}

/* Several label columns: numbers, and names beside them. */
static pt_status describe_label_columns(json_t *data, const pt_label_columns *columns,
                                        pt_error *err)
{
    PT_TRY(set_texts(data, "label_names", &columns->names, err));
    json_t *numbers = json_array();
    PT_TRY(set_new(data, "label_columns", numbers, err));
    for (int64_t c = 0; c < columns->count; c++)
        if (json_array_append_new(numbers, json_integer(columns->column[c])) != 0)
            return pt_fail_memory(err, "metadata", 0);
    return PT_OK;
}

static pt_status describe_data(json_t *root, const pt_model *model, pt_error *err)
{
    json_t *data = json_object();
    PT_TRY(set_new(root, "data", data, err));
    PT_TRY(set_new(data, "n", json_integer(model->n_examples), err));
    PT_TRY(set_new(data, "d", json_integer(pt_prepare_n_inputs(model->prepare)), err));
    if (model->source) {
        /* the name only: where it lay is nobody's business */
        const char *slash = strrchr(model->source, '/');
        PT_TRY(set_text(data, "source", slash ? slash + 1 : model->source, err));
    }
    if (model->start)
        PT_TRY(set_text(root, "start", model->start, err));
    if (model->label_kind != PT_LABEL_CLASS)
        PT_TRY(set_text(data, "labels", pt_label_kind_name(model->label_kind), err));
    if (model->label_name)
        PT_TRY(set_text(data, "label", model->label_name, err));
    if (model->n_valid > 0)
        PT_TRY(set_new(data, "n_valid", json_integer(model->n_valid), err));
    if (model->weighted)
        PT_TRY(set_new(data, "weighted", json_true(), err));
    if (model->data_digest) {
        char digest[20];
        snprintf(digest, sizeof digest, "%016" PRIx64, model->data_digest);
        PT_TRY(set_text(data, "digest", digest, err));
    }
    if (model->label_column > 0)
        PT_TRY(set_new(data, "label_column", json_integer(model->label_column), err));
    if (model->label_columns.count > 0)
        PT_TRY(describe_label_columns(data, &model->label_columns, err));
    PT_FREED_BY(pt_texts_free) pt_texts nominal = {0};
    PT_TRY(pt_prepare_nominal(model->prepare, &nominal, err));
    if (nominal.count > 0)
        PT_TRY(set_texts(data, "nominal", &nominal, err));
    if (model->judged.n_columns == 0)
        return PT_OK;
    json_t *judged = pt_judged_to_json(&model->judged, err);
    return judged ? set_new(data, "columns", judged, err) : PT_ENOMEM;
}

static void description_free(pt_description *said)
{
    pt_free(said->words);
}

/* What the machine says of itself; what is not finite is left out. */
static pt_status describe_machine(json_t *root, const pt_model *model, const pt_description *said,
                                  pt_error *err)
{
    for (int64_t f = 0; f < said->n_figures; f++)
        PT_TRY(set_new(root, said->figure[f].name, json_integer(said->figure[f].value), err));
    for (int64_t f = 0; f < said->n_reals; f++)
        if (isfinite(said->real[f].value))
            PT_TRY(set_new(root, said->real[f].name, json_real(said->real[f].value), err));
    if (said->theory || said->pair_theory) {
        json_t *object = said->theory ? margin_theory_json(said->theory, &model->classes, err)
                                      : pair_theory_json(said->pair_theory, err);
        PT_TRY(object ? set_new(root, "theory", object, err) : PT_ENOMEM);
    }
    return said->words ? set_text(root, said->words_name, said->words, err) : PT_OK;
}

static pt_status set_estimate(json_t *parent, const char *name, const pt_estimate *estimate,
                              pt_error *err)
{
    json_t *object = json_object(); /* handed over at once */
    PT_TRY(set_new(parent, name, object, err));
    PT_TRY(set_real(object, "value", estimate->value, err));
    PT_TRY(set_real(object, "low", estimate->low, err));
    return set_real(object, "high", estimate->high, err);
}

/* "temperature" and "calibration_error" stand where they stood before there was more to say. */
static pt_status describe_calibration(json_t *root, const pt_model *model, pt_error *err)
{
    const pt_held_out *held_out = &model->held_out;
    PT_TRY(set_real(root, "temperature", model->calibration.temperature, err));
    PT_TRY(set_real(root, "floor", model->calibration.floor, err));
    if (model->class_rows)
        PT_TRY(set_reals(root, "class_rows", model->class_rows, model->classes.count, 1, err));
    if (model->thresholds)
        PT_TRY(set_reals(root, "thresholds", model->thresholds, model->classes.count, 1, err));
    if (held_out->rows == 0)
        return PT_OK;
    PT_TRY(set_real(root, "power", model->calibration.power, err));
    PT_TRY(set_real(root, "frequency", model->calibration.frequency, err));
    PT_TRY(set_real(root, "mixing", model->calibration.mixing, err));
    if (model->calibration.said) { /* what differs with the predicted class */
        const pt_said *said = model->calibration.said;
        const int64_t k = model->classes.count;
        const int64_t stride = sizeof *said / sizeof(double);
        PT_TRY(set_reals(root, "class_worth", &said->worth, k, stride, err));
        PT_TRY(set_reals(root, "class_mixing", &said->mixing, k, stride, err));
    }
    PT_TRY(set_real(root, "calibration_error", held_out->error.value, err));
    json_t *object = json_object(); /* handed over at once */
    PT_TRY(set_new(root, "calibration", object, err));
    PT_TRY(set_text(object, "held_out", held_out->how, err));
    PT_TRY(set_new(object, "rows", json_integer(held_out->rows), err));
    PT_TRY(set_real(object, "error", held_out->wrong, err));
    PT_TRY(set_estimate(object, "log_loss", &held_out->log_loss, err));
    PT_TRY(set_estimate(object, "brier", &held_out->brier, err));
    return set_estimate(object, "calibration_error", &held_out->error, err);
}

pt_status pt_model_describe(pt_model *model, pt_error *err)
{
    json_auto_t *root = json_object();
    if (!root)
        return pt_fail_memory(err, "metadata", 0);
    PT_TRY(set_text(root, "schema", SCHEMA, err));
    PT_TRY(set_text(root, "version", pt_version(), err));
    PT_TRY(set_text(root, "machine", model->machine->ops->name, err));
    PT_TRY(describe_params(root, model->params, err));
    PT_TRY(describe_data(root, model, err));
    PT_FREED_BY(description_free) pt_description said = {0};
    PT_TRY(pt_machine_describe(&said, model->machine, &model->classes, err));
    PT_TRY(describe_machine(root, model, &said, err));
    PT_TRY(describe_calibration(root, model, err));
    if (model->limited)
        PT_TRY(set_text(root, "limited", model->limited, err));
    PT_TRY(set_texts(root, "classes", &model->classes, err));
    pt_free(model->metadata);
    model->metadata = NULL;
    PT_TRY(pt_json_dump(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17),
                        &model->metadata, err));
    return PT_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static pt_status damaged(pt_error *err, const char *what)
{
    return pt_fail(err, PT_EFORMAT, "this is not a usable model: %s", what);
}

static pt_status load_param(pt_model *model, const char *key, const json_t *value, pt_error *err)
{
    const int id = pt_param_find(key);
    if (id < 0 || !is_model_param((pt_param_id)id))
        return damaged(err, "a parameter is unknown");
    PT_SCRATCH char *text = NULL;
    PT_TRY(pt_json_get_text(value, "a parameter", &text, err));
    if (strcmp(text, "auto") == 0 || (id == PT_P_MACHINE && strchr(text, ':')))
        return damaged(err, "a parameter is not resolved");
    const pt_status status = pt_params_set(model->params, key, text, err);
    if (status == PT_EINVAL && (id == PT_P_LEARNER || id == PT_P_KERNEL))
        return pt_fail(err, PT_ENOSUPPORT,
                       "version %s has no %s '%.40s'; where it is a program's own, that "
                       "program loads the model with parameters that have it",
                       pt_version(), pt_param_name(id), text);
    return status;
}

static pt_status load_params(pt_model *model, const json_t *object, pt_error *err)
{
    const char *key = NULL;
    json_t *value = NULL;
    if (!json_is_object(object))
        return damaged(err, "it has no parameters");
    json_object_foreach((json_t *)object, key, value)
    {
        PT_TRY(load_param(model, key, value, err));
    }
    return PT_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static pt_status check_distinct(const pt_texts *names, pt_error *err)
{
    PT_SCRATCH const char **sorted = pt_alloc(names->count, sizeof(char *), "class names", err);
    if (!sorted)
        return PT_ENOMEM;
    for (int64_t i = 0; i < names->count; i++)
        sorted[i] = names->items[i];
    qsort(sorted, (size_t)names->count, sizeof *sorted, compare_names);
    for (int64_t i = 1; i < names->count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return damaged(err, "two classes have the same name");
    return PT_OK;
}

static pt_status load_classes(pt_model *model, const json_t *array, pt_error *err)
{
    const size_t count = json_array_size(array);
    if (count < 2 || count > MAX_CLASSES)
        return damaged(err, "it has no classes");
    PT_TRY(pt_json_get_texts(array, "the names of the classes", &model->classes, err));
    return check_distinct(&model->classes, err);
}

static pt_status copy_optional(char **out, const json_t *value, pt_error *err)
{
    *out = NULL;
    return value ? pt_json_get_text(value, "a name", out, err) : PT_OK;
}

/* Files of earlier versions have none. */
static pt_status load_label_column(pt_model *model, const json_t *value, pt_error *err)
{
    if (!value)
        return PT_OK;
    model->label_column = json_integer_value(value);
    return model->label_column >= 1 && model->label_column <= MAX_COLUMNS
               ? PT_OK
               : damaged(err, "the number of its label column is out of range");
}

/* Several label columns, if there were: different names, numbers that ascend. */
static pt_status load_label_columns(pt_model *model, const json_t *names, const json_t *numbers,
                                    pt_error *err)
{
    if (!names && !numbers)
        return PT_OK;
    pt_label_columns *columns = &model->label_columns;
    const int64_t count = (int64_t)json_array_size(numbers);
    if (model->label_kind != PT_LABEL_SET && model->label_kind != PT_LABEL_RANKING)
        return damaged(err, "its labels are in several columns, which their kind cannot be");
    if (count < 2 || count > MAX_COLUMNS || (int64_t)json_array_size(names) != count)
        return damaged(err, "its label columns have no names or no numbers");
    PT_TRY(pt_json_get_texts(names, "the names of the label columns", &columns->names, err));
    PT_TRY(check_distinct(&columns->names, err));
    PT_TRY(PT_NEW(columns->column, count, "label columns", err));
    for (int64_t c = 0; c < count; c++) {
        columns->column[c] = json_integer_value(json_array_get(numbers, (size_t)c));
        if (columns->column[c] <= (c ? columns->column[c - 1] : 0) ||
            columns->column[c] > MAX_COLUMNS)
            return damaged(err, "the numbers of its label columns are out of range");
    }
    columns->count = count;
    return PT_OK;
}

/* Where nothing is said, labels are classes. */
static pt_status load_label_kind(pt_model *model, const json_t *value, pt_error *err)
{
    if (!value)
        return PT_OK;
    const char *name = json_string_value(value);
    for (int kind = PT_LABEL_CLASS; name && kind <= PT_LABEL_PAIRS; kind++)
        if (strcmp(name, pt_label_kind_name((pt_label_kind)kind)) == 0) {
            model->label_kind = (pt_label_kind)kind;
            return PT_OK;
        }
    return damaged(err, "its labels are of an unknown kind");
}

static pt_status load_class_rows(pt_model *model, const json_t *rows, pt_error *err)
{
    if (!rows)
        return PT_OK;
    const int64_t k = model->classes.count;
    if (!json_is_array(rows) || (int64_t)json_array_size(rows) != k)
        return damaged(err, "its classes have no numbers of rows");
    model->class_rows = pt_alloc(k, sizeof(double), "frequencies of classes", err);
    if (!model->class_rows)
        return PT_ENOMEM;
    for (int64_t r = 0; r < k; r++) {
        model->class_rows[r] = json_number_value(json_array_get(rows, (size_t)r));
        if (!(model->class_rows[r] >= 0) || !isfinite(model->class_rows[r]))
            return damaged(err, "the rows of its classes are out of range");
    }
    return PT_OK;
}

/* Of sets; files without them have scores above 0. */
static pt_status load_thresholds(pt_model *model, const json_t *thresholds, pt_error *err)
{
    const int64_t k = model->classes.count;
    if (!thresholds)
        return PT_OK;
    if (model->label_kind != PT_LABEL_SET || !json_is_array(thresholds) ||
        (int64_t)json_array_size(thresholds) != k)
        return damaged(err, "its classes have no thresholds");
    PT_TRY(PT_NEW(model->thresholds, k, "thresholds", err));
    for (int64_t r = 0; r < k; r++) {
        const json_t *value = json_array_get(thresholds, (size_t)r);
        model->thresholds[r] = json_number_value(value);
        if (!json_is_number(value) || !isfinite(model->thresholds[r]))
            return damaged(err, "the thresholds of its classes are out of range");
    }
    return pt_params_set(model->params, "thresholds", "f1", err);
}

static pt_status load_said(pt_model *model, const json_t *worth, const json_t *mixing,
                           pt_error *err)
{
    const int64_t k = model->classes.count;
    pt_calibration *c = &model->calibration;
    if (!worth && !mixing)
        return PT_OK;
    if (!json_is_array(worth) || (int64_t)json_array_size(worth) != k || !json_is_array(mixing) ||
        (int64_t)json_array_size(mixing) != k)
        return damaged(err, "its calibration is not one for each class");
    PT_TRY(PT_NEW(c->said, k, "a calibration", err));
    for (int64_t r = 0; r < k; r++) {
        const pt_said said = {json_number_value(json_array_get(worth, (size_t)r)),
                              json_number_value(json_array_get(mixing, (size_t)r))};
        c->said[r] = said;
        if (!(said.worth > 0) || !isfinite(c->temperature * said.worth) || !(said.mixing >= 0) ||
            !(said.mixing + c->floor <= 1))
            return damaged(err, "the calibration of its classes is out of range");
    }
    return PT_OK;
}

/* Files that say nothing of a floor are from before it: probabilities of decoders were left as they
 * were then. The figures of held-out rows stay in the metadata. */
static pt_status load_calibration(pt_model *model, const json_t *root, pt_error *err)
{
    const json_t *floor = json_object_get(root, "floor");
    const json_t *power = json_object_get(root, "power");
    pt_calibration *c = &model->calibration;
    c->temperature = json_number_value(json_object_get(root, "temperature"));
    c->power = power ? json_number_value(power) : 1;
    c->frequency = json_number_value(json_object_get(root, "frequency"));
    c->mixing = json_number_value(json_object_get(root, "mixing"));
    c->floor = json_number_value(floor);
    c->given = pt_decoder_gives_probabilities(model->params);
    if (!(c->temperature > 0) || !isfinite(c->temperature) || !(c->power > 0) ||
        !isfinite(c->power) || !(c->frequency >= 0 && c->frequency <= 1) || !(c->mixing >= 0) ||
        !(c->floor >= 0) || !(c->mixing + c->floor <= 1))
        return damaged(err, "its training figures are out of range");
    if (c->given && !floor)
        c->temperature = 1;
    PT_TRY(load_class_rows(model, json_object_get(root, "class_rows"), err));
    PT_TRY(load_said(model, json_object_get(root, "class_worth"),
                     json_object_get(root, "class_mixing"), err));
    if (c->frequency > 0 && !model->class_rows)
        return damaged(err, "it does not say how many rows its classes had");
    return PT_OK;
}

pt_status pt_model_undescribe(pt_model *model, const json_t *root, pt_error *err)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, SCHEMA) != 0)
        return damaged(err, "its metadata are of another kind");
    const json_t *data = json_object_get(root, "data");
    model->n_examples = json_integer_value(json_object_get(data, "n"));
    model->n_valid = json_integer_value(json_object_get(data, "n_valid"));
    model->weighted = json_is_true(json_object_get(data, "weighted"));
    const char *digest = json_string_value(json_object_get(data, "digest"));
    model->data_digest = digest ? strtoull(digest, NULL, 16) : 0;
    if (model->n_examples < 1)
        return damaged(err, "its training figures are out of range");
    PT_TRY(load_params(model, json_object_get(root, "parameters"), err));
    PT_TRY(load_classes(model, json_object_get(root, "classes"), err));
    PT_TRY(load_calibration(model, root, err));
    PT_TRY(copy_optional(&model->label_name, json_object_get(data, "label"), err));
    PT_TRY(copy_optional(&model->limited, json_object_get(root, "limited"), err));
    PT_TRY(copy_optional(&model->start, json_object_get(root, "start"), err));
    PT_TRY(load_label_kind(model, json_object_get(data, "labels"), err));
    PT_TRY(load_thresholds(model, json_object_get(root, "thresholds"), err));
    PT_TRY(load_label_column(model, json_object_get(data, "label_column"), err));
    PT_TRY(load_label_columns(model, json_object_get(data, "label_names"),
                              json_object_get(data, "label_columns"), err));
    PT_TRY(pt_judged_from_json(&model->judged, json_object_get(data, "columns"), err));
    return copy_optional(&model->source, json_object_get(data, "source"), err);
}
