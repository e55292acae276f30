/* A preparation as JSON and back.
 *
 *   {"version": 1, "sparse": false, "missing": "mean", "scale": "range", "features": 4,
 *    "hash_bits": 18, "hash_signs": true,        columns are hashed; then version 3, sparse, no
 *                                                names, nothing listed, features 2^hash_bits
 *    "raw": true,                                nominal columns are not encoded; then version 2
 *    "names": ["sepal_length", ...],             absent where the columns have no names
 *    "column": [...],                            sparse only: which features are listed, ascending
 *    "fill": [...], "center": [...], "factor": [...],   one for each listed feature, else for all
 *    "flagged": [2, ...],                        places in these lists with an indicator output
 *    "nominal": [{"at": 1, "levels": ["a", "b"]}, ...]}  places whose feature is nominal; two
 *                                                levels are one column, and sparse data may have
 *                                                some, in version 4 only, which may be raw, and
 *                                                where "rest": true says of an entry that its
 *                                                last level stands for all that are not listed
 *    "text": [{"at": 3, "bits": 9}, ...]         places whose words are counted in 2^bits outputs;
 *                                                absent where there are none; then version 4;
 *                                                "roots": true: roots of shares, not counts
 *
 * Numbers are written with 17 digits, which give the same bits back. Texts that are not UTF-8: see
 * base/json.h. What is read is taken for hostile: the length of every list is checked against the
 * others, every number against its range; nothing is allocated that the text is not long enough
 * for. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "data/prepare/prepare_state.h"
#include "data/read/intern.h"

enum {
    JSON_VERSION = 1,
    JSON_VERSION_RAW = 2,
    JSON_VERSION_HASHED = 3,
    JSON_VERSION_LEVELS = 4,
};

/* Numbers of features beyond this cannot be counted in a double; no data set has them. */
static const int64_t MOST_FEATURES = (int64_t)1 << 53;

/* ---- writing --------------------------------------------------------------------------------- */

/* A list of the object's own, empty; NULL: there is no memory. What is appended is taken, and
 * dropped where the list or the value is not there. */
static json_t *new_list(json_t *object, const char *key)
{
    json_t *list = json_array();
    return pt_json_put(object, key, list) ? list : NULL;
}

static bool append(json_t *list, json_t *value)
{
    return json_array_append_new(list, value) == 0;
}

static bool put_texts(json_t *object, const char *key, const pt_texts *texts)
{
    pt_error ignored; /* only memory can fail here, and the caller says so */
    return pt_json_put(object, key, pt_json_texts(texts, &ignored));
}

/* An entry of a list, for place f. */
static json_t *new_entry(json_t *list, int64_t f)
{
    json_t *entry = json_object();
    return append(list, entry) && pt_json_put(entry, "at", json_integer(f)) ? entry : NULL;
}

/* Whether version 1 or 2 would say something else: of sparse data nothing, of dense rows that are
 * not raw two columns for two levels, of levels that stand for others nothing. *words: some column
 * is words. */
static bool needs_levels(const pt_prepare *prepare, bool *words)
{
    bool levels = false;
    *words = false;
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        const pt_fitted *fitted = &prepare->fitted[f];
        *words = *words || fitted->text_bits > 0;
        levels = levels || (fitted->nominal && (prepare->sparse || fitted->grouped ||
                                                (!prepare->raw && !fitted->spread)));
    }
    return levels || *words;
}

static bool put_head(json_t *object, const pt_prepare *prepare, int version)
{
    const bool hashed = prepare->hash.bits > 0;
    return pt_json_put(object, "version", json_integer(version)) &&
           (!hashed || pt_json_put(object, "hash_bits", json_integer(prepare->hash.bits))) &&
           (!hashed || pt_json_put(object, "hash_signs", json_boolean(prepare->hash.signs))) &&
           (!prepare->raw || pt_json_put(object, "raw", json_true())) &&
           (!prepare->sparse_rows || pt_json_put(object, "sparse_rows", json_true())) &&
           pt_json_put(object, "sparse", json_boolean(prepare->sparse)) &&
           pt_json_put(object, "missing", json_string(pt_missing_names[prepare->missing])) &&
           pt_json_put(object, "scale", json_string(pt_scale_names[prepare->scale])) &&
           pt_json_put(object, "features", json_integer(prepare->d)) &&
           (prepare->names.count == 0 || put_texts(object, "names", &prepare->names));
}

static bool put_all(json_t *object, const pt_prepare *prepare)
{
    bool words = false;
    const int version = prepare->hash.bits > 0          ? JSON_VERSION_HASHED
                        : needs_levels(prepare, &words) ? JSON_VERSION_LEVELS
                        : prepare->raw                  ? JSON_VERSION_RAW
                                                        : JSON_VERSION;
    bool good = put_head(object, prepare, version);
    json_t *column = prepare->sparse ? new_list(object, "column") : NULL;
    json_t *fill = new_list(object, "fill");
    json_t *center = new_list(object, "center");
    json_t *factor = new_list(object, "factor");
    json_t *flagged = new_list(object, "flagged");
    json_t *nominal = new_list(object, "nominal");
    json_t *text = words ? new_list(object, "text") : NULL;
    good = good && fill && center && factor && flagged && nominal;
    for (int64_t f = 0; f < prepare->n_fitted && good; f++) {
        const pt_fitted *fitted = &prepare->fitted[f];
        good = (!prepare->sparse || append(column, json_integer(fitted->column))) &&
               append(fill, json_real(fitted->fill)) && append(center, json_real(fitted->center)) &&
               append(factor, json_real(fitted->factor)) &&
               (!fitted->flagged || append(flagged, json_integer(f)));
        if (good && fitted->nominal) {
            json_t *entry = new_entry(nominal, f);
            good = put_texts(entry, "levels", &fitted->levels) &&
                   (!fitted->grouped || pt_json_put(entry, "rest", json_true()));
        }
        if (good && fitted->text_bits > 0) {
            json_t *entry = new_entry(text, f);
            good = pt_json_put(entry, "bits", json_integer(fitted->text_bits)) &&
                   (!fitted->text_roots || pt_json_put(entry, "roots", json_true()));
        }
    }
    return good && (!prepare->sparse || column);
}

pt_status pt_prepare_to_json(const pt_prepare *prepare, char **text, pt_error *err)
{
    json_auto_t *object = json_object();
    if (!put_all(object, prepare))
        return pt_fail_memory(err, "the preparation as text", 0);
    return pt_json_dump(object, JSON_COMPACT | JSON_REAL_PRECISION(17), text, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static pt_status wrong(pt_error *err, const char *what)
{
    return pt_fail(err, PT_EFORMAT, "preparation: %s", what);
}

static pt_status get_choice(const json_t *object, const char *key, const char *const *names,
                            int count, int *value, pt_error *err)
{
    const char *text = json_string_value(json_object_get(object, key));
    for (int c = 0; text && c < count; c++)
        if (strcmp(text, names[c]) == 0) {
            *value = c;
            return PT_OK;
        }
    return pt_fail(err, PT_EFORMAT, "preparation: '%s' is not one of its values", key);
}

/* The version says whether columns are hashed. */
static pt_status get_hash(pt_prepare *prepare, const json_t *object, bool hashed, pt_error *err)
{
    const json_t *bits = json_object_get(object, "hash_bits");
    const json_t *signs = json_object_get(object, "hash_signs");
    if (!hashed && (bits || signs))
        return wrong(err, "'hash_bits' does not go with the version");
    if (!hashed)
        return PT_OK;
    if (!json_is_integer(bits) || json_integer_value(bits) < 1 ||
        json_integer_value(bits) > PT_HASH_BITS || !json_is_boolean(signs))
        return wrong(err, "'hash_bits' or 'hash_signs' is out of range");
    prepare->hash = (pt_feature_hash){(int)json_integer_value(bits), json_is_true(signs)};
    if (!prepare->sparse || prepare->d != (int64_t)1 << prepare->hash.bits ||
        prepare->scale != PT_SCALE_NONE || prepare->missing != PT_MISSING_ERROR)
        return wrong(err, "hashed columns do not go with the rest");
    return PT_OK;
}

static pt_status get_head(pt_prepare *prepare, const json_t *object, pt_error *err)
{
    const json_t *version = json_object_get(object, "version");
    const json_t *sparse = json_object_get(object, "sparse");
    const json_t *features = json_object_get(object, "features");
    if (!json_is_integer(version))
        return wrong(err, "the version is not a number");
    const int64_t number = json_integer_value(version);
    const bool hashed = number == JSON_VERSION_HASHED;
    prepare->raw = json_is_true(json_object_get(object, "raw"));
    prepare->two_hot = number < JSON_VERSION_LEVELS;
    if (number < JSON_VERSION || number > JSON_VERSION_LEVELS)
        return pt_fail(err, PT_ENOSUPPORT,
                       "preparation: version %lld; this build reads versions %d to %d",
                       (long long)number, JSON_VERSION, JSON_VERSION_LEVELS);
    if (number != JSON_VERSION_LEVELS && prepare->raw != (number == JSON_VERSION_RAW))
        return wrong(err, "'raw' does not go with the version");
    if (!json_is_boolean(sparse) || !json_is_integer(features))
        return wrong(err, "'sparse' or 'features' has the wrong type");
    prepare->sparse = json_is_true(sparse);
    prepare->d = json_integer_value(features);
    if (prepare->d < 1 || prepare->d > MOST_FEATURES)
        return wrong(err, "the number of features is out of range");

    int missing = 0;
    int scale = 0;
    PT_TRY(get_choice(object, "missing", pt_missing_names, PT_N_MISSING, &missing, err));
    PT_TRY(get_choice(object, "scale", pt_scale_names, PT_N_SCALES, &scale, err));
    if (missing == PT_MISSING_KEEP && !prepare->raw)
        return wrong(err, "missing cells are kept in rows that are not raw");
    prepare->missing = (pt_missing)missing;
    prepare->scale = (pt_scale)scale;
    prepare->unlisted = prepare->sparse && prepare->scale != PT_SCALE_NONE ? 0 : 1;
    return get_hash(prepare, object, hashed, err);
}

static pt_status get_names(pt_prepare *prepare, const json_t *object, pt_error *err)
{
    const json_t *names = json_object_get(object, "names");
    if (!names)
        return PT_OK;
    if ((int64_t)json_array_size(names) != prepare->d)
        return wrong(err, "there is not a name for each feature");
    return pt_json_get_texts(names, "names of columns", &prepare->names, err);
}

static pt_status get_real(const json_t *array, int64_t at, double *value, pt_error *err)
{
    const json_t *number = json_array_get(array, (size_t)at);
    if (!json_is_number(number) || !isfinite(json_number_value(number)))
        return wrong(err, "a number is expected");
    *value = json_number_value(number);
    return PT_OK;
}

/* A whole number in 0 .. limit-1. */
static pt_status get_place(const json_t *number, int64_t limit, int64_t *value, pt_error *err)
{
    if (!json_is_integer(number) || json_integer_value(number) < 0 ||
        json_integer_value(number) >= limit)
        return wrong(err, "a place is out of range");
    *value = json_integer_value(number);
    return PT_OK;
}

static pt_status get_column(pt_fitted *fitted, const json_t *columns, int64_t f,
                            const pt_prepare *prepare, pt_error *err)
{
    if (!prepare->sparse) {
        fitted->column = f;
        return PT_OK;
    }
    PT_TRY(get_place(json_array_get(columns, (size_t)f), prepare->d, &fitted->column, err));
    if (f > 0 && fitted->column <= prepare->fitted[f - 1].column)
        return wrong(err, "the listed features do not ascend");
    return PT_OK;
}

static pt_status get_fitted(pt_prepare *prepare, const json_t *object, pt_error *err)
{
    const json_t *columns = json_object_get(object, "column");
    const json_t *fill = json_object_get(object, "fill");
    const json_t *center = json_object_get(object, "center");
    const json_t *factor = json_object_get(object, "factor");
    const size_t count = json_array_size(fill); /* 0 for what is no array */
    if (!json_is_array(fill) || !json_is_array(center) || !json_is_array(factor) ||
        json_array_size(center) != count || json_array_size(factor) != count)
        return wrong(err, "fill, center and factor are not lists of one length");
    if (prepare->sparse ? !json_is_array(columns) || json_array_size(columns) != count
                        : (int64_t)count != prepare->d)
        return wrong(err, "the lists do not have the length of the features");

    PT_TRY(PT_NEW_ZERO(prepare->fitted, (int64_t)count, "a preparation", err));
    prepare->n_fitted = (int64_t)count;
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        PT_TRY(get_column(fitted, columns, f, prepare, err));
        PT_TRY(get_real(fill, f, &fitted->fill, err));
        PT_TRY(get_real(center, f, &fitted->center, err));
        PT_TRY(get_real(factor, f, &fitted->factor, err));
        if (fitted->factor < 0 || (prepare->sparse && fitted->center != 0))
            PT_TRY(wrong(err, "a center or a factor is out of range"));
    }
    return PT_OK;
}

static pt_status get_flagged(pt_prepare *prepare, const json_t *object, pt_error *err)
{
    const json_t *flagged = json_object_get(object, "flagged");
    if (!json_is_array(flagged))
        return wrong(err, "'flagged' is not a list");
    for (size_t a = 0; a < json_array_size(flagged); a++) {
        int64_t at = 0;
        PT_TRY(get_place(json_array_get(flagged, a), prepare->n_fitted, &at, err));
        prepare->fitted[at].flagged = true;
    }
    return PT_OK;
}

/* Levels are different texts, and fill is the number of one or -1. */
static pt_status check_levels(const pt_fitted *fitted, pt_error *err)
{
    PT_FREED_BY(pt_intern_free) pt_intern different = {0};
    const pt_status status = pt_intern_fill(&different, &fitted->levels, err);
    if (status == PT_EINVAL)
        return wrong(err, "a level is listed twice");
    if (status == PT_OK && (fitted->fill < -1 || fitted->fill >= (double)fitted->levels.count ||
                            fitted->fill != floor(fitted->fill)))
        return wrong(err, "the level for missing cells is out of range");
    return status;
}

static pt_status get_levels(pt_prepare *prepare, const json_t *object, pt_error *err)
{
    const json_t *nominal = json_object_get(object, "nominal");
    if (!json_is_array(nominal) ||
        (prepare->sparse && prepare->two_hot && json_array_size(nominal) > 0))
        return wrong(err, "'nominal' is not a list, or not empty for sparse data");
    for (size_t a = 0; a < json_array_size(nominal); a++) {
        const json_t *entry = json_array_get(nominal, a);
        int64_t at = 0;
        PT_TRY(get_place(json_object_get(entry, "at"), prepare->n_fitted, &at, err));
        pt_fitted *fitted = &prepare->fitted[at];
        if (fitted->nominal)
            return wrong(err, "a column is listed twice");
        fitted->nominal = true;
        PT_TRY(pt_json_get_texts(json_object_get(entry, "levels"), "levels of a column",
                                 &fitted->levels, err));
        PT_TRY(check_levels(fitted, err));
        fitted->grouped = json_is_true(json_object_get(entry, "rest"));
        if (fitted->grouped && (prepare->two_hot || fitted->levels.count == 0))
            return wrong(err, "'rest' does not go with the version or the levels");
    }
    return PT_OK;
}

static pt_status get_words(pt_prepare *prepare, const json_t *object, pt_error *err)
{
    const json_t *list = json_object_get(object, "text");
    if (list && (!json_is_array(list) || prepare->sparse || prepare->two_hot))
        return wrong(err, "'text' does not go with the rest");
    for (size_t a = 0; a < json_array_size(list); a++) {
        const json_t *entry = json_array_get(list, a);
        const json_int_t bits = json_integer_value(json_object_get(entry, "bits"));
        int64_t at = 0;
        PT_TRY(get_place(json_object_get(entry, "at"), prepare->n_fitted, &at, err));
        if (bits < 1 || bits > PT_HASH_BITS || prepare->fitted[at].nominal ||
            prepare->fitted[at].flagged)
            return wrong(err, "'bits' of a text is out of range");
        prepare->fitted[at].text_bits = (int)bits;
        prepare->fitted[at].text_roots = json_is_true(json_object_get(entry, "roots"));
    }
    prepare->sparse_rows = json_is_true(json_object_get(object, "sparse_rows"));
    if (prepare->sparse_rows && (prepare->raw || json_array_size(list) == 0))
        return wrong(err, "'sparse_rows' does not go with the rest");
    return PT_OK;
}

pt_status pt_prepare_from_json(pt_prepare **out, const char *text, pt_error *err)
{
    json_error_t where;
    json_auto_t *object = NULL;
    const pt_status status = pt_json_parse(&object, text, strlen(text), &where, err);
    if (status == PT_EFORMAT)
        return pt_fail(err, status, "preparation: not JSON: %s", where.text);
    PT_TRY(status);
    if (!json_is_object(object))
        return wrong(err, "not a JSON object");
    PT_FREED_BY(pt_prepare_free_at) pt_prepare *prepare = NULL;
    PT_TRY(PT_NEW_ZERO(prepare, 1, "a preparation", err));
    PT_TRY(get_head(prepare, object, err));
    PT_TRY(get_names(prepare, object, err));
    PT_TRY(get_fitted(prepare, object, err));
    if (prepare->hash.bits > 0 && (prepare->n_fitted > 0 || prepare->names.count > 0))
        return wrong(err, "hashed columns do not go with the rest");
    PT_TRY(get_flagged(prepare, object, err));
    PT_TRY(get_levels(prepare, object, err));
    PT_TRY(get_words(prepare, object, err));
    PT_TRY(pt_prepare_layout(prepare, err));
    *out = pt_keep(&prepare);
    return PT_OK;
}
