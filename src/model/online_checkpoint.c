/* Checkpoints of a stream, in the container of models:
 *
 *   o.counts   the numbers of online_stream.h and of the rule, COUNTS of them
 *   o.rule     C, alpha
 *   o.points   errors at powers of 2
 *   o.names    class names, each ended by 0, in the order of their first examples
 *   o.V        (d + 1) x columns, the bias first
 *   o.aux      as V, for rules that have it
 *   o.range    with --scale range: d x UNITS, what is known of each feature, as in pt_online_unit
 *   o.standard with --scale standard: the same
 *   o.columns  where the stream was a table: names of its columns, each ended by 0, or nothing
 *
 * A file may come from a stranger: every number and shape is checked. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "model/online_stream.h"
#include "polytomy/polytomy.h"
#include "store/pack.h"

enum {
    KIND,
    UPDATE,
    VIOLATED,
    BIAS,
    BITS,
    PAIRS,
    INDEX_BASE,
    EXAMPLES, /* up to here: parameters, which have to be the same */
    ERRORS,
    SEEN,
    MOVES,
    PINNED,
    FEATURES,
    COLUMNS,
    COUNTS
};

static const char *const SCALES[2] = {"range", "standard"};
enum { COUNT, LOW, HIGH, MEAN, SPREAD, CENTER, FACTOR, UNITS };

static void fill_counts(const pt_online *online, int64_t counts[COUNTS])
{
    const pt_online_weights *w = &online->w;
    counts[KIND] = online->kind;
    counts[UPDATE] = w->rule.update;
    counts[VIOLATED] = w->rule.violated;
    counts[BIAS] = w->rule.bias;
    counts[BITS] = online->hash.bits;
    counts[PAIRS] = (int64_t)online->how;
    counts[INDEX_BASE] = strcmp(pt_params_text(online->params, PT_P_INDEX_BASE), "0") != 0;
    counts[EXAMPLES] = online->n;
    counts[ERRORS] = online->errors;
    counts[SEEN] = w->seen;
    counts[MOVES] = w->moves;
    counts[PINNED] = w->pinned;
    counts[FEATURES] = w->d;
    counts[COLUMNS] = w->k;
}

/* A block without the room that it has to grow. */
static pt_status close_packed(double **out, const pt_online_weights *w, const double *block,
                              pt_error *err)
{
    size_t bytes = 0;
    if (!pt_size_mul((size_t)w->k, sizeof *block, &bytes))
        return pt_fail_memory(err, "a checkpoint", SIZE_MAX);
    double *packed = pt_alloc(w->d + 1, bytes, "a checkpoint", err);
    if (!packed)
        return PT_ENOMEM;
    for (int64_t j = 0; j <= w->d; j++)
        memcpy(packed + j * w->k, block + j * w->stride, bytes);
    *out = packed;
    return PT_OK;
}

static pt_status list_units(double **out, const pt_online_scale *scale, pt_error *err)
{
    double *values = pt_alloc(scale->d, UNITS * sizeof *values, "a checkpoint", err);
    if (!values)
        return PT_ENOMEM;
    for (int64_t j = 0; j < scale->d; j++) {
        const pt_online_unit *unit = &scale->unit[j];
        double *to = values + j * UNITS;
        to[COUNT] = (double)unit->count;
        to[LOW] = unit->low;
        to[HIGH] = unit->high;
        to[MEAN] = unit->mean;
        to[SPREAD] = unit->spread;
        to[CENTER] = unit->center;
        to[FACTOR] = unit->factor;
    }
    *out = values;
    return PT_OK;
}

/* The arrays of a checkpoint go into a file, or where path is NULL into memory. */
static pt_status save(const pt_online *online, const char *path, void **bytes, size_t *size,
                      pt_error *err)
{
    const pt_online_weights *w = &online->w;
    int64_t counts[COUNTS];
    const double rule[2] = {w->rule.C, w->rule.alpha};
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    PT_SCRATCH double *V = NULL;
    PT_SCRATCH double *aux = NULL;
    PT_SCRATCH double *units = NULL;
    fill_counts(online, counts);
    PT_TRY(pt_pack_begin(&pack, err));
    PT_TRY(close_packed(&V, w, w->V, err));
    pt_pack_add_integers(&pack, "counts", COUNTS, counts);
    pt_pack_add(&pack, "rule", PT_F64, 2, 1, rule);
    pt_pack_add_integers(&pack, "points", online->points, online->point);
    PT_TRY(pt_pack_add_texts(&pack, "names", &online->classes.texts, err));
    pt_pack_add(&pack, "V", PT_F64, w->d + 1, w->k, V);
    if (w->aux) {
        PT_TRY(close_packed(&aux, w, w->aux, err));
        pt_pack_add(&pack, "aux", PT_F64, w->d + 1, w->k, aux);
    }
    if (online->scale.on) {
        PT_TRY(list_units(&units, &online->scale, err));
        pt_pack_add(&pack, SCALES[online->scale.standard], PT_F64, online->scale.d, UNITS, units);
    }
    if (online->table)
        PT_TRY(pt_pack_add_texts(&pack, "columns", &online->names_of_columns, err));
    const pt_packed packed = {"o.", &pack};
    return path ? pt_packs_write(path, &packed, 1, err)
                : pt_packs_pack(bytes, size, &packed, 1, err);
}

pt_status pt_online_save(const pt_online *online, const char *path, pt_error *err)
{
    return save(online, path, NULL, NULL, err);
}

pt_status pt_online_save_memory(void **bytes, size_t *size, const pt_online *online, pt_error *err)
{
    return save(online, NULL, bytes, size, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static pt_status fail_file(pt_error *err)
{
    return pt_fail(err, PT_EFORMAT, "this is not a checkpoint of a stream, or it is damaged");
}

static pt_status take_counts(pt_online *online, const pt_pack *file, int64_t counts[COUNTS],
                             pt_error *err)
{
    const pt_array *numbers = pt_pack_find_shape(file, "counts", PT_SECTION_I64, COUNTS, 1);
    const pt_array *rule = pt_pack_find_shape(file, "rule", PT_SECTION_F64, 2, 1);
    const pt_array *points = pt_pack_find_shape(file, "points", PT_SECTION_I64, -1, 1);
    int64_t own[COUNTS];
    if (!numbers || !rule || !points || points->rows > PT_ONLINE_POINTS)
        return fail_file(err);
    memcpy(counts, numbers->value, COUNTS * sizeof *counts);
    for (int i = 0; i < COUNTS; i++)
        if (counts[i] < 0 || counts[i] > (int64_t)1 << 56)
            return fail_file(err);
    if (online->kind == PT_LABEL_CLASS && counts[KIND] == PT_LABEL_SET &&
        *pt_params_text(online->params, PT_P_LABEL))
        online->kind = PT_LABEL_SET; /* several columns of 0 and 1, as --label said */
    fill_counts(online, own);
    double kept[2]; /* C and alpha */
    memcpy(kept, rule->value, sizeof kept);
    if (memcmp(own, counts, EXAMPLES * sizeof *own) != 0 || kept[0] != online->w.rule.C ||
        kept[1] != online->w.rule.alpha)
        return pt_fail(err, PT_EINVAL,
                       "the checkpoint was made with other parameters; use the same, or another "
                       "file for `resume`");
    if (online->hash.bits > 0 && counts[FEATURES] != online->d)
        return fail_file(err);
    online->n = counts[EXAMPLES];
    online->skip = counts[EXAMPLES];
    online->errors = counts[ERRORS];
    online->d = counts[FEATURES];
    online->points = points->rows;
    memcpy(online->point, points->value, (size_t)points->rows * sizeof *online->point);
    return PT_OK;
}

/* Adds the texts of a list, none of which is empty. */
static pt_status take_texts(pt_texts *texts, const pt_pack *file, const char *name, pt_error *err)
{
    const pt_status status = pt_pack_find_texts(texts, file, name, err);
    bool empty = false;
    for (int64_t i = 0; i < texts->count; i++)
        empty = empty || !*texts->items[i];
    return status == PT_EFORMAT || empty ? fail_file(err) : status;
}

static pt_status take_names(pt_online *online, const pt_pack *file, int64_t columns, pt_error *err)
{
    PT_FREED_BY(pt_texts_free) pt_texts names = {0};
    PT_TRY(take_texts(&names, file, "names", err));
    const pt_status status = pt_intern_fill(&online->classes, &names, err);
    if (status == PT_EINVAL || names.count + pt_online_first(online) != columns)
        return fail_file(err);
    return status;
}

/* A name for every column of a table, or none. */
static pt_status take_column_names(pt_online *online, const pt_pack *file, pt_error *err)
{
    online->table = pt_pack_find(file, "columns") != NULL;
    if (!online->table)
        return PT_OK;
    PT_TRY(take_texts(&online->names_of_columns, file, "columns", err));
    const int64_t count = online->names_of_columns.count;
    return online->hash.bits == 0 && (count == 0 || count == online->d) ? PT_OK : fail_file(err);
}

static bool take_block(const pt_online_weights *w, double *block, const pt_array *s)
{
    const double *value = s->value;
    for (int64_t at = 0; at < s->rows * s->columns; at++)
        if (!isfinite(value[at]))
            return false;
    for (int64_t j = 0; j <= w->d; j++)
        memcpy(block + j * w->stride, value + j * w->k, (size_t)w->k * sizeof *block);
    return true;
}

static pt_status take_weights(pt_online *online, const pt_pack *file, const int64_t *counts,
                              pt_error *err)
{
    pt_online_weights *w = &online->w;
    const int64_t k = counts[COLUMNS];
    const int64_t d = counts[FEATURES];
    const pt_array *V = pt_pack_find_shape(file, "V", PT_SECTION_F64, d + 1, k);
    const pt_array *aux = w->aux ? pt_pack_find_shape(file, "aux", PT_SECTION_F64, d + 1, k) : NULL;
    if (!V || (w->aux && !aux))
        return fail_file(err);
    PT_TRY(pt_online_weights_grow(w, k, d, err));
    if (!take_block(w, w->V, V) || (aux && !take_block(w, w->aux, aux)))
        return fail_file(err);
    w->seen = counts[SEEN];
    w->moves = counts[MOVES];
    w->pinned = counts[PINNED];
    return PT_OK;
}

/* What sparse rows leave out is 0 and lies within the range of its feature. */
static bool take_unit(pt_online_unit *unit, bool dense, const double *value)
{
    for (int i = 0; i < UNITS; i++)
        if (!(isfinite(value[i]) || (i == SPREAD && value[i] > 0)))
            return false;
    if (!(value[COUNT] >= 0 && value[COUNT] < 0x1p53) || value[LOW] > value[HIGH] ||
        value[SPREAD] < 0 || value[FACTOR] < 0 ||
        (!dense && (value[LOW] > 0 || value[HIGH] < 0 || value[MEAN] != 0 || value[CENTER] != 0)))
        return false;
    *unit = (pt_online_unit){.count = (int64_t)value[COUNT],
                             .low = value[LOW],
                             .high = value[HIGH],
                             .mean = value[MEAN],
                             .spread = value[SPREAD],
                             .center = value[CENTER],
                             .factor = value[FACTOR]};
    return true;
}

static pt_status take_units(pt_online *online, const pt_pack *file, pt_error *err)
{
    pt_online_scale *scale = &online->scale;
    const pt_array *units = NULL;
    const char *kept = "none";
    for (int i = 0; i < 2 && !units; i++) {
        units = pt_pack_find(file, SCALES[i]);
        kept = units ? SCALES[i] : "none";
    }
    if (strcmp(kept, pt_params_text(online->params, PT_P_SCALE)) != 0)
        return pt_fail(
            err, PT_EINVAL,
            "the checkpoint was made with `scale=%s`; use the same, or another file for `resume`",
            kept);
    if (!units)
        return PT_OK;
    if (!pt_pack_find_shape(file, kept, PT_SECTION_F64, -1, UNITS) || units->rows > online->w.d ||
        (online->table && units->rows != online->w.d))
        return fail_file(err);
    scale->dense = online->table;
    PT_TRY(pt_online_scale_grow(scale, units->rows, err));
    const double *value = units->value;
    for (int64_t j = 0; j < units->rows; j++)
        if (!take_unit(&scale->unit[j], scale->dense, value + j * UNITS))
            return fail_file(err);
    return PT_OK;
}

static pt_status load(pt_online **out, const pt_container *container, const pt_params *params,
                      pt_error *err)
{
    static const char *const KNOWN[] = {"o.*", NULL};
    PT_FREED_BY(pt_pack_free) pt_pack file = {0};
    PT_FREED_BY(pt_online_free_at) pt_online *online = NULL;
    int64_t counts[COUNTS] = {0};
    PT_TRY(pt_online_new(&online, params, err));
    PT_TRY(pt_container_require_known(container, KNOWN, err));
    PT_TRY(pt_pack_read(&file, container, "o.", err));
    PT_TRY(take_counts(online, &file, counts, err));
    PT_TRY(take_names(online, &file, counts[COLUMNS], err));
    PT_TRY(take_column_names(online, &file, err));
    PT_TRY(take_weights(online, &file, counts, err));
    PT_TRY(take_units(online, &file, err));
    *out = pt_keep(&online);
    return PT_OK;
}

pt_status pt_online_load(pt_online **out, const char *path, const pt_params *params, pt_error *err)
{
    PT_FREED_BY(pt_container_close_at) pt_container *container = NULL;
    PT_TRY(pt_container_open(&container, path, err));
    return load(out, container, params, err);
}

pt_status pt_online_load_memory(pt_online **out, const void *bytes, size_t size,
                                const pt_params *params, pt_error *err)
{
    PT_FREED_BY(pt_container_close_at) pt_container *container = NULL;
    PT_TRY(pt_container_open_memory(&container, bytes, size, "memory", err));
    return load(out, container, params, err);
}
