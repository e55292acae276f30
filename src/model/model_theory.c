/* Norms, margins and bounds of theory/margin_theory.h and pair_theory.h as JSON. */
#include "model/model_theory.h"

#include <math.h>
#include <stdbool.h>

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

json_t *pt_margin_theory_json(const pt_margin_theory *t, const pt_texts *classes, pt_error *err)
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

json_t *pt_pair_theory_json(const pt_pair_theory *t, pt_error *err)
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
