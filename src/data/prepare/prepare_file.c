/* A preparation as arrays of a file, and back.
 *
 *   head     what holds for all columns: HEAD integers, in the order of the enum below
 *   fields   FIELDS lists of integers, one after the other, each with an entry for each fitted
 *            column
 *   numbers  NUMBERS lists of doubles, in the same way
 *   names    of the inputs, or nothing
 *   levels   those of all nominal columns, one after the other
 *
 * Older files have a text of JSON in their place, which is read as well:
 *
 *   {"version": 1, "sparse": false, "missing": "mean", "scale": "range", "features": 4,
 *    "hash_bits": 18, "hash_signs": true,               columns are hashed; then version 3
 *    "raw": true, "sparse_rows": true,                  absent: false. Raw: version 2, or 4
 *    "names": ["sepal_length", ...],                    or absent
 *    "column": [...],                                   sparse only
 *    "fill": [...], "center": [...], "factor": [...],   one for each fitted column
 *    "flagged": [2, ...],                               places in these lists
 *    "nominal": [{"at": 1, "levels": ["a", "b"], "rest": true}, ...],
 *    "text": [{"at": 3, "bits": 9}, ...]}               absent: none
 *
 * where two levels have two outputs before version 4, which alone has text, "rest" and levels of
 * sparse data. What is read is taken for hostile: both ways end in check(), and nothing is
 * allocated that the file is not long enough for. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "data/prepare/prepare_state.h"
#include "data/read/intern.h"
#include "store/pack.h"

enum { FEATURES, SPARSE, RAW, TWO_HOT, SPARSE_ROWS, MISSING, SCALE, HASH_BITS, HASH_SIGNS, HEAD };
enum { COLUMN, LEVELS, GROUPED, FLAGGED, TEXT_BITS, FIELDS }; /* -1 levels: a column of numbers */
enum { ROOTS = 64 }; /* added to TEXT_BITS: roots of shares, not counts */
enum { FILL, CENTER, FACTOR, NUMBERS };
enum { JSON_RAW = 2, JSON_HASHED = 3, JSON_LEVELS = 4 }; /* versions */

/* Numbers of features beyond this cannot be counted in a double; no data set has them. */
#define MOST_FEATURES ((int64_t)1 << 53)

/* What the integers of a file may be. */
typedef struct range {
    int64_t least, most;
} range;
static const range IN_HEAD[HEAD] = {[FEATURES] = {1, MOST_FEATURES},
                                    [SPARSE] = {0, 1},
                                    [RAW] = {0, 1},
                                    [TWO_HOT] = {0, 1},
                                    [SPARSE_ROWS] = {0, 1},
                                    [MISSING] = {0, PT_N_MISSING - 1},
                                    [SCALE] = {0, PT_N_SCALES - 1},
                                    [HASH_BITS] = {0, PT_HASH_BITS},
                                    [HASH_SIGNS] = {0, 1}};
static const range IN_FIELDS[FIELDS] = {[COLUMN] = {0, MOST_FEATURES},
                                        [LEVELS] = {-1, INT64_MAX},
                                        [GROUPED] = {0, 1},
                                        [FLAGGED] = {0, 1},
                                        [TEXT_BITS] = {0, ROOTS + PT_TEXT_BITS}};

static pt_status wrong(pt_error *err, const char *what)
{
    return pt_fail(err, PT_EFORMAT, "preparation: %s", what);
}

/* ---- what makes sense ------------------------------------------------------------------------ */

static pt_status check_head(const pt_prepare *prepare, pt_error *err)
{
    if (prepare->d < 1 || prepare->d > MOST_FEATURES)
        return wrong(err, "the number of features is out of range");
    if (prepare->names.count != 0 && prepare->names.count != prepare->d)
        return wrong(err, "there is not a name for each feature");
    if (!prepare->sparse && prepare->n_fitted != prepare->d)
        return wrong(err, "the lists do not have the length of the features");
    if (prepare->missing == PT_MISSING_KEEP && !prepare->raw)
        return wrong(err, "missing cells are kept in rows that are not raw");
    if (prepare->hash.bits > 0 &&
        (!prepare->sparse || prepare->raw || prepare->d != (int64_t)1 << prepare->hash.bits ||
         prepare->scale != PT_SCALE_NONE || prepare->missing != PT_MISSING_ERROR ||
         prepare->n_fitted > 0 || prepare->names.count > 0))
        return wrong(err, "hashed columns do not go with the rest");
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

static pt_status check_fitted(const pt_prepare *prepare, int64_t f, pt_error *err)
{
    const pt_fitted *fitted = &prepare->fitted[f];
    if (prepare->sparse ? fitted->column < 0 || fitted->column >= prepare->d ||
                              (f > 0 && fitted->column <= fitted[-1].column)
                        : fitted->column != f)
        return wrong(err, "the listed features are out of range, or do not ascend");
    if (!isfinite(fitted->fill) || !isfinite(fitted->center) || !isfinite(fitted->factor) ||
        fitted->factor < 0 || (prepare->sparse && fitted->center != 0))
        return wrong(err, "a fill, a center or a factor is out of range");
    if (fitted->text_bits > PT_TEXT_BITS || (fitted->text_roots && fitted->text_bits == 0))
        return wrong(err, "the bits of a text are out of range");
    if (fitted->text_bits > 0 &&
        (fitted->nominal || fitted->flagged || prepare->sparse || prepare->two_hot))
        return wrong(err, "a text does not go with the rest");
    if (fitted->nominal && prepare->sparse && prepare->two_hot)
        return wrong(err, "levels do not go with sparse data of that version");
    if (fitted->grouped && (prepare->two_hot || fitted->levels.count == 0))
        return wrong(err, "a level that stands for others does not go with the rest");
    return fitted->nominal ? check_levels(fitted, err) : PT_OK;
}

/* Whatever a file says; what follows from it is filled in. */
static pt_status check(pt_prepare *prepare, pt_error *err)
{
    bool words = false;
    PT_TRY(check_head(prepare, err));
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        PT_TRY(check_fitted(prepare, f, err));
        words = words || prepare->fitted[f].text_bits > 0;
    }
    if (prepare->sparse_rows && (prepare->raw || !words))
        return wrong(err, "sparse rows do not go with the rest");
    prepare->unlisted = prepare->sparse && prepare->scale != PT_SCALE_NONE ? 0 : 1;
    return pt_prepare_layout(prepare, err);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

pt_status pt_prepare_save(const pt_prepare *prepare, pt_pack *pack, pt_error *err)
{
    const int64_t n = prepare->n_fitted;
    PT_FREED_BY(pt_texts_free) pt_texts levels = {0};
    int64_t *head = NULL;
    double *number = NULL;
    PT_TRY(pt_pack_begin(pack, err));
    PT_TRY(PT_NEW(head, HEAD + FIELDS * n, "a preparation", err));
    pt_pack_keep(pack, head);
    PT_TRY(PT_NEW(number, NUMBERS * n, "a preparation", err));
    pt_pack_keep(pack, number);
    int64_t *field = head + HEAD;
    head[FEATURES] = prepare->d;
    head[SPARSE] = prepare->sparse;
    head[RAW] = prepare->raw;
    head[TWO_HOT] = prepare->two_hot;
    head[SPARSE_ROWS] = prepare->sparse_rows;
    head[MISSING] = (int64_t)prepare->missing;
    head[SCALE] = (int64_t)prepare->scale;
    head[HASH_BITS] = prepare->hash.bits;
    head[HASH_SIGNS] = prepare->hash.signs;
    for (int64_t f = 0; f < n; f++) {
        const pt_fitted *fitted = &prepare->fitted[f];
        field[COLUMN * n + f] = fitted->column;
        field[LEVELS * n + f] = fitted->nominal ? fitted->levels.count : -1;
        field[GROUPED * n + f] = fitted->grouped;
        field[FLAGGED * n + f] = fitted->flagged;
        field[TEXT_BITS * n + f] = fitted->text_bits + (fitted->text_roots ? ROOTS : 0);
        number[FILL * n + f] = fitted->fill;
        number[CENTER * n + f] = fitted->center;
        number[FACTOR * n + f] = fitted->factor;
        for (int64_t l = 0; l < fitted->levels.count; l++)
            PT_TRY(pt_texts_add(&levels, err, "%s", fitted->levels.items[l]));
    }
    pt_pack_add_integers(pack, "head", HEAD, head);
    pt_pack_add_integers(pack, "fields", FIELDS * n, field);
    pt_pack_add(pack, "numbers", PT_F64, NUMBERS * n, 1, number);
    PT_TRY(pt_pack_add_texts(pack, "names", &prepare->names, err));
    return pt_pack_add_texts(pack, "levels", &levels, err);
}

/* Whether these values, so far apart, are all in range. */
static bool in_range(const int64_t *value, int64_t stride, const range *in, int count)
{
    for (int i = 0; i < count; i++)
        if (value[i * stride] < in[i].least || value[i * stride] > in[i].most)
            return false;
    return true;
}

static void take_head(pt_prepare *prepare, const int64_t *head)
{
    prepare->d = head[FEATURES];
    prepare->sparse = head[SPARSE];
    prepare->raw = head[RAW];
    prepare->two_hot = head[TWO_HOT];
    prepare->sparse_rows = head[SPARSE_ROWS];
    prepare->missing = (pt_missing)head[MISSING];
    prepare->scale = (pt_scale)head[SCALE];
    prepare->hash = (pt_feature_hash){(int)head[HASH_BITS], head[HASH_SIGNS]};
}

static void take_fitted(pt_fitted *fitted, const int64_t *field, const double *number, int64_t n)
{
    fitted->column = field[COLUMN * n];
    fitted->nominal = field[LEVELS * n] >= 0;
    fitted->grouped = field[GROUPED * n];
    fitted->flagged = field[FLAGGED * n];
    fitted->text_bits = (int)(field[TEXT_BITS * n] % ROOTS);
    fitted->text_roots = field[TEXT_BITS * n] >= ROOTS;
    fitted->fill = number[FILL * n];
    fitted->center = number[CENTER * n];
    fitted->factor = number[FACTOR * n];
}

pt_status pt_prepare_load(pt_prepare **out, const pt_pack *pack, pt_error *err)
{
    const pt_array *head = pt_pack_find_shape(pack, "head", PT_SECTION_I64, HEAD, 1);
    const pt_array *fields = pt_pack_find_shape(pack, "fields", PT_SECTION_I64, -1, 1);
    const pt_array *numbers = pt_pack_find_shape(pack, "numbers", PT_SECTION_F64, -1, 1);
    PT_FREED_BY(pt_texts_free) pt_texts levels = {0};
    PT_FREED_BY(pt_prepare_free_at) pt_prepare *prepare = NULL;
    PT_TRY(PT_NEW_ZERO(prepare, 1, "a preparation", err));
    if (!head || !fields || !numbers || !in_range(head->value, 1, IN_HEAD, HEAD))
        return wrong(err, "a part is missing or out of range");
    take_head(prepare, head->value);
    const int64_t n = numbers->rows / NUMBERS;
    if (numbers->rows != NUMBERS * n || fields->rows != FIELDS * n)
        return wrong(err, "the lists are not of one length");
    PT_TRY(pt_pack_find_texts(&prepare->names, pack, "names", err));
    PT_TRY(pt_pack_find_texts(&levels, pack, "levels", err));
    PT_TRY(PT_NEW_ZERO(prepare->fitted, n, "a preparation", err));
    prepare->n_fitted = n;
    int64_t used = 0;
    for (int64_t f = 0; f < n; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        const int64_t *field = (const int64_t *)fields->value + f;
        if (!in_range(field, n, IN_FIELDS, FIELDS) || field[LEVELS * n] > levels.count - used)
            return wrong(err, "a field of a column is out of range");
        take_fitted(fitted, field, (const double *)numbers->value + f, n);
        for (int64_t l = 0; l < field[LEVELS * n]; l++)
            PT_TRY(pt_texts_add(&fitted->levels, err, "%s", levels.items[used++]));
    }
    if (used != levels.count)
        return wrong(err, "there are levels of no column");
    PT_TRY(check(prepare, err));
    *out = pt_keep(&prepare);
    return PT_OK;
}

pt_status pt_prepare_copy(pt_prepare **out, const pt_prepare *prepare, pt_error *err)
{
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    PT_TRY(pt_prepare_save(prepare, &pack, err));
    return pt_prepare_load(out, &pack, err);
}

/* ---- JSON of old files ----------------------------------------------------------------------- */

/* The place of a name among names, -1: it is none of them. */
static int place_of(const char *name, const char *const *names, int count)
{
    for (int c = 0; c < count; c++)
        if (strcmp(name, names[c]) == 0)
            return c;
    return -1;
}

/* The lists of the object, borrowed. */
typedef struct json_lists {
    json_t *names, *column, *fill, *center, *factor, *flagged, *nominal, *text;
} json_lists;

static pt_status get_head(pt_prepare *prepare, json_lists *l, json_t *object, pt_error *err)
{
    json_error_t where;
    json_int_t version = 0;
    json_int_t features = 0;
    json_int_t bits = 0;
    const char *missing = "";
    const char *scale = "";
    int sparse = 0;
    int raw = 0;
    int sparse_rows = 0;
    int signs = -1;
    if (json_unpack_ex(object, &where, 0,
                       "{s:I, s:b, s:s, s:s, s:I, s?b, s?b, s?I, s?b, s?o, s?o, s:o, s:o, s:o, "
                       "s:o, s:o, s?o}",
                       "version", &version, "sparse", &sparse, "missing", &missing, "scale", &scale,
                       "features", &features, "raw", &raw, "sparse_rows", &sparse_rows, "hash_bits",
                       &bits, "hash_signs", &signs, "names", &l->names, "column", &l->column,
                       "fill", &l->fill, "center", &l->center, "factor", &l->factor, "flagged",
                       &l->flagged, "nominal", &l->nominal, "text", &l->text) != 0)
        return json_error_code(&where) == json_error_out_of_memory
                   ? pt_fail_memory(err, "a preparation", 0)
                   : wrong(err, where.text);
    if (version < 1 || version > JSON_LEVELS)
        return pt_fail(err, PT_ENOSUPPORT,
                       "preparation: version %lld; this build reads versions 1 to %d",
                       (long long)version, JSON_LEVELS);
    const int rule = place_of(missing, pt_missing_names, PT_N_MISSING);
    const int scaling = place_of(scale, pt_scale_names, PT_N_SCALES);
    const bool hashed = version == JSON_HASHED;
    if (rule < 0 || scaling < 0 || (version != JSON_LEVELS && raw != (version == JSON_RAW)) ||
        bits < 0 || bits > PT_HASH_BITS || (bits > 0) != hashed || (signs >= 0) != hashed)
        return wrong(err, "a value is out of range, or does not go with the version");
    prepare->d = features;
    prepare->sparse = sparse;
    prepare->raw = raw;
    prepare->sparse_rows = sparse_rows;
    prepare->two_hot = version < JSON_LEVELS;
    prepare->missing = (pt_missing)rule;
    prepare->scale = (pt_scale)scaling;
    prepare->hash = (pt_feature_hash){(int)bits, signs == 1};
    return PT_OK;
}

static bool get_real(const json_t *list, int64_t at, double *value)
{
    const json_t *number = json_array_get(list, (size_t)at);
    *value = json_number_value(number);
    return json_is_number(number);
}

/* The fitted column that an integer is the place of; NULL: there is none. */
static pt_fitted *at_place(pt_prepare *prepare, const json_t *place)
{
    const json_int_t at = json_is_integer(place) ? json_integer_value(place) : -1;
    return at >= 0 && at < prepare->n_fitted ? &prepare->fitted[at] : NULL;
}

static pt_status get_fitted(pt_prepare *prepare, const json_lists *l, pt_error *err)
{
    const int64_t n = (int64_t)json_array_size(l->fill); /* 0 for what is no array */
    PT_TRY(PT_NEW_ZERO(prepare->fitted, n, "a preparation", err));
    prepare->n_fitted = n;
    if (!json_is_array(l->fill) || !json_is_array(l->center) || !json_is_array(l->factor) ||
        (int64_t)json_array_size(l->center) != n || (int64_t)json_array_size(l->factor) != n ||
        (prepare->sparse && (int64_t)json_array_size(l->column) != n) ||
        !json_is_array(l->flagged) || !json_is_array(l->nominal) ||
        (l->text && !json_is_array(l->text)))
        return wrong(err, "a list is missing, or not of the length of the others");
    for (int64_t f = 0; f < n; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        const json_t *column = json_array_get(l->column, (size_t)f);
        fitted->column = prepare->sparse ? json_integer_value(column) : f;
        if ((prepare->sparse && !json_is_integer(column)) || !get_real(l->fill, f, &fitted->fill) ||
            !get_real(l->center, f, &fitted->center) || !get_real(l->factor, f, &fitted->factor))
            return wrong(err, "a number is expected");
    }
    size_t i = 0;
    json_t *entry = NULL;
    json_array_foreach(l->flagged, i, entry)
    {
        pt_fitted *fitted = at_place(prepare, entry);
        if (!fitted)
            return wrong(err, "a place is out of range");
        fitted->flagged = true;
    }
    json_array_foreach(l->nominal, i, entry)
    {
        pt_fitted *fitted = at_place(prepare, json_object_get(entry, "at"));
        if (!fitted || fitted->nominal)
            return wrong(err, "a place is out of range, or listed twice");
        fitted->nominal = true;
        fitted->grouped = json_is_true(json_object_get(entry, "rest"));
        PT_TRY(pt_json_get_texts(json_object_get(entry, "levels"), "levels of a column",
                                 &fitted->levels, err));
    }
    json_array_foreach(l->text, i, entry)
    {
        pt_fitted *fitted = at_place(prepare, json_object_get(entry, "at"));
        const json_int_t bits = json_integer_value(json_object_get(entry, "bits"));
        if (!fitted || bits < 1 || bits > PT_TEXT_BITS)
            return wrong(err, "'bits' of a text, or its place, is out of range");
        fitted->text_bits = (int)bits;
    }
    return PT_OK;
}

pt_status pt_prepare_load_json(pt_prepare **out, const char *text, pt_error *err)
{
    json_error_t where;
    json_auto_t *object = NULL;
    const pt_status status = pt_json_parse(&object, text, strlen(text), &where, err);
    if (status == PT_EFORMAT)
        return pt_fail(err, status, "preparation: not JSON: %s", where.text);
    PT_TRY(status);
    json_lists lists = {0};
    PT_FREED_BY(pt_prepare_free_at) pt_prepare *prepare = NULL;
    PT_TRY(PT_NEW_ZERO(prepare, 1, "a preparation", err));
    PT_TRY(get_head(prepare, &lists, object, err));
    if (lists.names)
        PT_TRY(pt_json_get_texts(lists.names, "names of columns", &prepare->names, err));
    PT_TRY(get_fitted(prepare, &lists, err));
    PT_TRY(check(prepare, err));
    *out = pt_keep(&prepare);
    return PT_OK;
}
