/* Learning from a stream that is read once, in blocks (data/stream/row_stream.h), or comes as rows
 * in memory, by HRZ Figure 1 (solvers/online/online_update.h).
 *
 * Every example is a test first: the label that the weights give it is compared with its own, and
 * then it teaches them. Classes and features are new when their first example comes, whatever the
 * blocks are, so that the weights do not depend on how the stream was cut. Memory is a block and
 * the weights. */
#include "model/online_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/labels/label_cells.h"
#include "data/prepare/prepare.h"
#include "data/stream/row_stream.h"
#include "machine/training.h"
#include "machines/svm/constraint.h"
#include "model/model.h"
#include "params/params_table.h"
#include "report/report.h"

static const double CHECKPOINT_SECONDS = 10;
static const int64_t CHECKPOINT_ROWS = 1024; /* the first */
enum { PROGRESS_ROWS = 256 };

/* ---- making and freeing ---------------------------------------------------------------------- */

void pt_online_free(pt_online *online)
{
    if (!online)
        return;
    pt_free(online->told_value);
    pt_free(online->told_index);
    pt_free(online->row_value);
    pt_free(online->row_index);
    pt_free(online->cells);
    pt_free(online->slots);
    pt_free(online->names);
    pt_free(online->member);
    pt_free(online->pairs);
    pt_label_columns_free(&online->label_columns);
    pt_free(online->label_name);
    pt_texts_free(&online->names_of_columns);
    pt_free(online->source);
    pt_intern_free(&online->classes);
    pt_online_scale_free(&online->scale);
    pt_online_weights_free(&online->w);
    pt_params_free(online->params);
    pt_free(online);
}

/* What a stream is learned by is said, or implied; anything else is refused. */
static pt_status imply(pt_params *params, const char *name, const char *value, pt_error *err)
{
    if (pt_params_is_set(params, name) && strcmp(pt_params_get(params, name), value) != 0)
        return pt_fail(err, PT_EINVAL, "a stream is learned from with `%s=%s`; `%s=%s` is not",
                       name, value, name, pt_params_get(params, name));
    return pt_params_set(params, name, value, err);
}

/* As the reader will find it: columns of ranks are rankings, several of 0 and 1 are sets. */
static pt_label_kind kind_of(const pt_params *params)
{
    pt_label_kind kind = PT_LABEL_CLASS;
    (void)pt_label_kind_find(pt_params_text(params, PT_P_LABELS), &kind);
    return *pt_params_text(params, PT_P_RANKS) ? PT_LABEL_RANKING : kind;
}

static pt_status complete(pt_params *params, pt_error *err)
{
    if (pt_params_is_set(params, "epochs"))
        return pt_fail(err, PT_EINVAL, "a stream is read once; leave out `epochs`");
    if (pt_params_is_set(params, "merge"))
        return pt_fail(
            err, PT_EINVAL,
            "a stream is learned from in its order, and rows are not merged; leave out `merge`");
    if (pt_params_starts(params))
        return pt_fail(err, PT_EINVAL,
                       "`start` is not for a stream, which begins at nothing, or with the "
                       "checkpoint of `resume`");
    if (pt_params_is_set(params, "pairs") && kind_of(params) != PT_LABEL_RANKING)
        return pt_fail(err, PT_EINVAL, "`pairs` is about rankings; leave it out");
    for (int i = 0; i < 3; i++) {
        const char *name = (const char *const[]){"group", "fold", "time-column"}[i];
        if (pt_params_is_set(params, name))
            return pt_fail(err, PT_ENOSUPPORT,
                           "nothing is held out of a stream; leave out `%s`, or name the column "
                           "with `ignore`",
                           name);
    }
    for (int i = 0; i < 3; i++) {
        const char *name = (const char *const[]){"weight", "nominal", "types"}[i];
        if (pt_params_is_set(params, name))
            return pt_fail(err, PT_ENOSUPPORT,
                           "a stream has neither weights nor columns that are not numbers; leave "
                           "out `%s`, or do not learn online",
                           name);
    }
    static const char *const IMPLIED[][2] = {{"machine", "constraint"},
                                             {"method", "online"},
                                             {"kernel", "linear"},
                                             {"class-weight", "none"}};
    for (size_t i = 0; i < sizeof IMPLIED / sizeof *IMPLIED; i++)
        PT_TRY(imply(params, IMPLIED[i][0], IMPLIED[i][1], err));
    PT_TRY(pt_training_check_params(&pt_machine_constraint, params, true, err));
    PT_TRY(pt_machine_constraint.check(params, err));
    PT_TRY(pt_params_set(params, "epochs", "1", err));
    if (!pt_params_is_set(params, "bias"))
        PT_TRY(pt_params_set(params, "bias", "yes", err));
    return PT_OK;
}

/* Winnow's steps are powers of the values: it needs them bounded. */
static pt_status take_scale(pt_online *online, const pt_online_rule *rule, pt_error *err)
{
    const bool powers = rule->update == PT_UPDATE_WINNOW || rule->update == PT_UPDATE_BALANCED;
    pt_status status = PT_OK;
    if (strcmp(pt_params_text(online->params, PT_P_SCALE), "auto") == 0)
        status = pt_params_set(online->params, "scale", powers ? "range" : "standard", err);
    const char *scale = pt_params_text(online->params, PT_P_SCALE);
    online->scale.standard = strcmp(scale, "standard") == 0;
    online->scale.on = online->scale.standard || strcmp(scale, "range") == 0;
    return status;
}

pt_status pt_online_new(pt_online **out, const pt_params *params, pt_error *err)
{
    PT_FREED_BY(pt_online_free_at)
    pt_online *online = pt_alloc_zero(1, sizeof *online, "a stream", err);
    if (!online)
        return PT_ENOMEM;
    pt_online_rule rule;
    PT_TRY(params ? pt_params_copy(&online->params, params, err)
                  : pt_params_new(&online->params, err));
    PT_TRY(complete(online->params, err));
    PT_TRY(
        pt_constraint_rule(online->params, pt_params_flag(online->params, PT_P_BIAS), &rule, err));
    online->kind = kind_of(online->params);
    online->how = pt_constraint_pairs(online->params);
    online->hash.bits = (int)pt_params_integer(online->params, PT_P_HASH_BITS);
    online->hash.signs = rule.update != PT_UPDATE_WINNOW; /* whose features are not negative */
    online->d = online->hash.bits > 0 ? (int64_t)1 << online->hash.bits : 0;
    PT_TRY(take_scale(online, &rule, err));
    PT_TRY(pt_online_weights_init(&online->w, &rule, pt_online_first(online), online->d, err));
    *out = pt_keep(&online);
    return PT_OK;
}

/* ---- an example ------------------------------------------------------------------------------ */

static pt_status make_room(void **block, int64_t *room, int64_t need, size_t size, pt_error *err)
{
    if (need <= *room)
        return PT_OK;
    const int64_t more = 2 * need + 16;
    PT_TRY(pt_alloc_grow(block, *room, more, size, "an example", err));
    *room = more;
    return PT_OK;
}

/* The names of the label of example i, in the order of their bytes: that of the block's classes
 * would depend on how the stream was cut. */
static int64_t sorted_names(const pt_labels *labels, int64_t i, const char **names)
{
    int64_t count = 0;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++) {
        const char *name = labels->classes.items[labels->item[at]];
        int64_t place = count++;
        for (; place > 0 && strcmp(names[place - 1], name) > 0; place--)
            names[place] = names[place - 1];
        names[place] = name;
    }
    return count;
}

static pt_status add_class(pt_online *online, const char *name, int64_t *slot, pt_error *err)
{
    return pt_intern_add(&online->classes, name, strlen(name), slot, err);
}

/* member[0] <- the column of the class of example i. */
static pt_status find_member(pt_online *online, const pt_labels *labels, int64_t i, pt_error *err)
{
    const int64_t c = labels->class_of[i];
    PT_TRY(
        make_room((void **)&online->member, &online->member_room, 1, sizeof *online->member, err));
    if (online->slots[c] < 0)
        PT_TRY(add_class(online, labels->classes.items[c], &online->slots[c], err));
    online->member[0] = online->slots[c] + pt_online_first(online);
    return PT_OK;
}

/* member[0 .. *count) <- the columns of the classes of example i; *fresh: one of them is new. */
static pt_status find_members(pt_online *online, const pt_labels *labels, int64_t i, int64_t *count,
                              bool *fresh, pt_error *err)
{
    const int64_t before = online->classes.texts.count;
    if (labels->kind == PT_LABEL_CLASS) {
        PT_TRY(find_member(online, labels, i, err));
        *count = 1;
        *fresh = online->classes.texts.count > before;
        return PT_OK;
    }
    const int64_t most = labels->start[i + 1] - labels->start[i];
    PT_TRY(make_room((void **)&online->member, &online->member_room, most, sizeof *online->member,
                     err));
    PT_TRY(
        make_room((void **)&online->names, &online->name_room, most, sizeof *online->names, err));
    *count = sorted_names(labels, i, online->names);
    for (int64_t c = 0; c < *count; c++) {
        int64_t slot = 0;
        PT_TRY(add_class(online, online->names[c], &slot, err));
        online->member[c] = slot + pt_online_first(online);
    }
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++) {
        int64_t *slot = &online->slots[labels->item[at]];
        if (*slot < 0)
            PT_TRY(add_class(online, labels->classes.items[labels->item[at]], slot, err));
    }
    *fresh = online->classes.texts.count > before;
    return PT_OK;
}

static bool is_member(const pt_online *online, int64_t count, int64_t column)
{
    for (int64_t c = 0; c < count; c++)
        if (online->member[c] == column)
            return true;
    return false;
}

/* Whether the scores give another label. */
static bool is_wrong(const pt_online *online, int64_t count)
{
    const double *s = online->w.scores;
    int64_t best = 0;
    if (online->kind == PT_LABEL_CLASS) {
        for (int64_t r = 1; r < online->w.k; r++)
            best = s[r] > s[best] ? r : best;
        return best != online->member[0];
    }
    for (int64_t r = 1; r < online->w.k; r++)
        if ((s[r] > s[0]) != is_member(online, count, r))
            return true;
    return false;
}

static int compare_pairs(const void *a, const void *b)
{
    const pt_label_pair *x = a;
    const pt_label_pair *y = b;
    return x->before != y->before ? (x->before > y->before) - (x->before < y->before)
                                  : (x->after > y->after) - (x->after < y->after);
}

/* pairs <- those of a ranking or of pairs, in the order of the classes: that of the block's classes
 * would depend on how the stream was cut. */
static pt_status take_pairs(pt_online *online, const pt_labels *labels, int64_t i, int64_t *n_pairs,
                            pt_error *err)
{
    PT_TRY(make_room((void **)&online->pairs, &online->pair_room,
                     pt_label_pairs_count(labels, i, online->how), sizeof *online->pairs, err));
    *n_pairs = pt_label_pairs_of(labels, i, online->how, online->pairs);
    for (int64_t q = 0; q < *n_pairs; q++)
        online->pairs[q] = (pt_label_pair){(int32_t)online->slots[online->pairs[q].before],
                                           (int32_t)online->slots[online->pairs[q].after]};
    if (*n_pairs > 1)
        qsort(online->pairs, (size_t)*n_pairs, sizeof *online->pairs, compare_pairs);
    return PT_OK;
}

/* pairs <- those of a class or a set: members before the others, the threshold between. */
static pt_status make_pairs(pt_online *online, int64_t count, int64_t *n_pairs, pt_error *err)
{
    const int64_t k = online->w.k;
    PT_TRY(make_room((void **)&online->pairs, &online->pair_room, (count + 1) * k,
                     sizeof *online->pairs, err));
    *n_pairs = 0;
    const int64_t first = pt_online_first(online);
    for (int64_t c = 0; c < count + first; c++) {
        const int64_t before = c < count ? online->member[c] : 0;
        for (int64_t r = 0; r < k; r++)
            if (r != before && !is_member(online, count, r))
                online->pairs[(*n_pairs)++] = (pt_label_pair){(int32_t)before, (int32_t)r};
    }
    return PT_OK;
}

/* x <- the same with hashed features. */
static pt_status hash_row(pt_online *online, pt_online_row *x, pt_error *err)
{
    PT_TRY(make_room((void **)&online->cells, &online->cell_room, x->count, sizeof *online->cells,
                     err));
    PT_TRY(make_room((void **)&online->row_index, &online->index_room, x->count,
                     sizeof *online->row_index, err));
    PT_TRY(make_room((void **)&online->row_value, &online->value_room, x->count,
                     sizeof *online->row_value, err));
    for (int64_t p = 0; p < x->count; p++)
        online->cells[p] = pt_feature_hash_cell(&online->hash, x->index[p], x->value[p]);
    const int64_t count = pt_cells_merge(online->cells, x->count);
    for (int64_t p = 0; p < count; p++) {
        online->row_index[p] = online->cells[p].input;
        online->row_value[p] = online->cells[p].x;
    }
    *x = (pt_online_row){count, online->row_index, online->row_value};
    return PT_OK;
}

static void note_point(pt_online *online)
{
    if ((online->n & (online->n - 1)) == 0 && online->points < PT_ONLINE_POINTS)
        online->point[online->points++] = online->errors;
}

/* x <- the cells of a row of a table that count. */
static pt_status table_row(pt_online *online, const pt_dataset *data, int64_t i, pt_online_row *x,
                           pt_error *err)
{
    int64_t count = 0;
    PT_TRY(make_room((void **)&online->row_index, &online->index_room, data->d + 1,
                     sizeof *online->row_index, err));
    PT_TRY(make_room((void **)&online->row_value, &online->value_room, data->d + 1,
                     sizeof *online->row_value, err));
    for (int64_t j = 0; j < data->d; j++) {
        const double value = pt_dataset_dense_cell(data, i, j);
        online->row_index[count] = j;
        online->row_value[count] = value;
        count += value != 0 || online->scale.on; /* a zero is a value too */
    }
    *x = (pt_online_row){count, online->row_index, online->row_value};
    return PT_OK;
}

/* x <- a sparse row; those of readers are in double. */
static pt_status sparse_row(pt_online *online, const pt_dataset *data, int64_t i, pt_online_row *x,
                            pt_error *err)
{
    const int64_t from = data->start[i];
    *x = (pt_online_row){.count = data->start[i + 1] - from, .index = data->index + from};
    if (data->type == PT_F64) {
        x->value = (const double *)data->value + from;
        return PT_OK;
    }
    PT_TRY(make_room((void **)&online->row_value, &online->value_room, x->count,
                     sizeof *online->row_value, err));
    for (int64_t p = 0; p < x->count; p++)
        online->row_value[p] = pt_dataset_cell(data, from + p);
    x->value = online->row_value;
    return PT_OK;
}

static pt_status find_row(pt_online *online, const pt_dataset *data, int64_t i, pt_online_row *x,
                          pt_error *err)
{
    PT_TRY(online->table ? table_row(online, data, i, x, err)
                         : sparse_row(online, data, i, x, err));
    if (online->w.rule.update == PT_UPDATE_WINNOW && pt_online_is_signed(x))
        return pt_fail(err, PT_EFORMAT,
                       "example %lld has a feature below 0, and winnow needs features that are not "
                       "negative; use `update=balanced-winnow`",
                       (long long)online->n + 1);
    return online->hash.bits > 0 ? hash_row(online, x, err) : PT_OK;
}

/* x <- the same in the units of now. */
static pt_status scale_row(pt_online *online, pt_online_row *x, pt_error *err)
{
    if (!online->scale.on)
        return PT_OK;
    online->scale.dense = online->table;
    PT_TRY(make_room((void **)&online->told_index, &online->told_index_room, x->count + 1,
                     sizeof *online->told_index, err));
    PT_TRY(make_room((void **)&online->told_value, &online->told_value_room, x->count + 1,
                     sizeof *online->told_value, err));
    PT_TRY(pt_online_scale_grow(&online->scale, online->w.d, err));
    pt_online_scale_row(&online->scale, &online->w, x, online->told_index, online->told_value);
    return PT_OK;
}

static pt_status learn_example(pt_online *online, const pt_dataset *data, int64_t i, pt_error *err)
{
    const bool ordered = online->kind == PT_LABEL_RANKING || online->kind == PT_LABEL_PAIRS;
    pt_online_row x = {0};
    int64_t count = 0;
    int64_t n_pairs = 0;
    bool fresh = false;
    PT_TRY(find_row(online, data, i, &x, err));
    PT_TRY(find_members(online, data->labels, i, &count, &fresh, err));
    const int64_t d = online->table ? data->d : x.count > 0 ? x.index[x.count - 1] + 1 : 0;
    online->d = d > online->d ? d : online->d;
    PT_TRY(pt_online_weights_grow(&online->w, online->classes.texts.count + pt_online_first(online),
                                  d, err));
    PT_TRY(ordered ? take_pairs(online, data->labels, i, &n_pairs, err)
                   : make_pairs(online, count, &n_pairs, err));
    PT_TRY(scale_row(online, &x, err));
    pt_online_score(&online->w, &x);
    const bool wrong = !ordered && (fresh || is_wrong(online, count));
    const bool violated = pt_online_learn_pairs(&online->w, &x, online->pairs, n_pairs, 1);
    online->errors += ordered ? violated : wrong;
    online->n++;
    note_point(online);
    return PT_OK;
}

/* ---- the stream ------------------------------------------------------------------------------ */

typedef struct stream_reader {
    pt_online *online;
    pt_row_stream rows;
    double saved;     /* when the last checkpoint was written */
    int64_t saved_at; /* and the points there were */
    pt_online_fn progress;
    void *user;
    pt_task *task;
} stream_reader;

/* One that cannot be written does not end the stream: a full disk may have room later. */
static pt_status checkpoint(stream_reader *r, bool last, pt_error *err)
{
    const char *path = pt_params_text(r->online->params, PT_P_RESUME);
    const bool point = r->online->points > r->saved_at && r->online->n >= CHECKPOINT_ROWS;
    if (!*path || !(last || point || pt_seconds() - r->saved > CHECKPOINT_SECONDS))
        return PT_OK;
    pt_error why = PT_ERROR_INIT;
    const pt_status status = pt_online_save(r->online, path, &why);
    r->saved_at = r->online->points;
    r->saved = pt_seconds();
    return status != PT_OK && last ? pt_task_lost(r->task, path, &why, err) : PT_OK;
}

/* Memory for the classes and features of a block at once: one at a time, it would be copied as
 * often as it grows. */
static pt_status reserve(pt_online *online, const pt_dataset *data, pt_error *err)
{
    const int64_t k = data->labels->classes.count;
    int64_t d = data->start ? 0 : data->d;
    for (int64_t i = 0; data->start && i < data->n; i++) /* rows may leave the last ones out */
        if (data->start[i + 1] > data->start[i])
            d = pt_greater(d, data->index[data->start[i + 1] - 1] + 1);
    PT_TRY(make_room((void **)&online->slots, &online->slot_room, k, sizeof *online->slots, err));
    for (int64_t c = 0; c < k; c++)
        online->slots[c] = -1;
    return pt_online_weights_reserve(&online->w, k + pt_online_first(online),
                                     online->hash.bits > 0 ? 0 : d, err);
}

/* The columns of a table, by its first block: those of the checkpoint where there was one. */
static pt_status take_columns(pt_online *online, const pt_dataset *data, pt_error *err)
{
    const bool known = online->n > 0;
    PT_FREED_BY(pt_texts_free) pt_texts names = {0};
    bool named = true;
    for (int64_t j = 0; j < data->d; j++)
        named = named && data->columns && data->columns[j].name;
    for (int64_t j = 0; j < data->d && named; j++)
        PT_TRY(pt_texts_add_n(&names, data->columns[j].name, strlen(data->columns[j].name), err));
    bool same =
        online->table && online->d == data->d && names.count == online->names_of_columns.count;
    for (int64_t j = 0; j < names.count && same && known; j++)
        same = strcmp(names.items[j], online->names_of_columns.items[j]) == 0;
    if (known && !same)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "the columns are not those of the examples before, or of the checkpoint");
    pt_texts_free(&online->names_of_columns);
    online->names_of_columns = names;
    names = (pt_texts){0};
    online->table = true;
    online->d = data->d;
    return PT_OK;
}

/* Where the label is. Several columns are classes from the beginning, whether a row has them or
 * not. */
static pt_status take_label_columns(pt_online *online, const pt_dataset *data, pt_error *err)
{
    pt_free(online->label_name);
    pt_label_columns_free(&online->label_columns);
    online->label_name = data->label_name ? pt_alloc_text(data->label_name, err) : NULL;
    online->label_column = data->label_column;
    memset(&online->label_columns, 0, sizeof online->label_columns);
    if (data->label_name && !online->label_name)
        return PT_ENOMEM;
    PT_TRY(pt_label_columns_copy(&online->label_columns, &data->label_columns, err));
    const pt_texts *names = &online->label_columns.names;
    int64_t slot = 0;
    for (int64_t c = 0; c < names->count; c++)
        PT_TRY(add_class(online, names->items[c], &slot, err));
    return PT_OK;
}

/* What the first block tells of the stream. */
static pt_status begin_stream(pt_online *online, const pt_dataset *data, pt_error *err)
{
    if (data->labels && data->labels->kind != online->kind && online->n == 0 &&
        online->classes.texts.count == 0)
        online->kind = data->labels->kind; /* several columns of 0 and 1 are a set */
    if (data->start && online->table)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "the checkpoint was made from a table, and this is LIBSVM text");
    if (data->start)
        return PT_OK;
    if (online->hash.bits > 0)
        return pt_fail_at(err, PT_ENOSUPPORT, data->source, 0, 0,
                          "`hash-bits` is for streams of LIBSVM text: a table has its columns");
    PT_TRY(take_columns(online, data, err));
    return take_label_columns(online, data, err);
}

static pt_status learn_rows(stream_reader *r, const pt_dataset *data, int64_t first, pt_error *err)
{
    if (!data->labels || data->labels->kind != r->online->kind)
        return pt_fail_at(err, PT_EFORMAT, r->rows.text.name, 0, 0, "the examples have no labels");
    PT_TRY(reserve(r->online, data, err));
    for (int64_t i = first; i < data->n; i++) {
        const int64_t points = r->online->points;
        PT_TRY(learn_example(r->online, data, i, err));
        if (r->online->points > points && r->progress)
            r->progress(r->online, r->user);
        /* of many classes, a block takes its time */
        PT_TRY(pt_task_check(r->task, err));
    }
    return PT_OK;
}

static pt_status read_all(stream_reader *r, pt_error *err)
{
    for (bool begun = false;; begun = true) {
        const pt_dataset *data = NULL;
        int64_t first = 0;
        PT_TRY(pt_row_stream_next(&r->rows, &r->online->skip, &data, &first, err));
        if (!data)
            break;
        if (!begun)
            PT_TRY(begin_stream(r->online, data, err));
        PT_TRY(learn_rows(r, data, first, err));
        PT_TRY(pt_task_check(r->task, err));
        PT_TRY(checkpoint(r, false, err));
    }
    if (r->online->skip > 0)
        return pt_fail_at(err, PT_EFORMAT, r->rows.text.name, 0, 0,
                          "the stream ends %lld examples before those that the checkpoint has "
                          "counted; is it the same?",
                          (long long)r->online->skip);
    return checkpoint(r, true, err);
}

static pt_status take_source(pt_online *online, const char *name, pt_error *err)
{
    char *source = pt_alloc_text(name, err);
    if (!source)
        return PT_ENOMEM;
    pt_free(online->source);
    online->source = source;
    return PT_OK;
}

pt_status pt_online_read(pt_online *online, const char *path, pt_online_fn progress, void *user,
                         pt_task *task, pt_error *err)
{
    stream_reader r = {.online = online,
                       .saved = pt_seconds(),
                       .saved_at = online->points,
                       .progress = progress,
                       .user = user,
                       .task = task};
    pt_status status = pt_row_stream_open(&r.rows, path, online->params, task, err);
    if (status == PT_OK)
        status = take_source(online, path, err);
    online->limited = false;
    if (status == PT_OK)
        status = read_all(&r, err);
    if (status == PT_ETIME) { /* what there is by then is a model */
        online->limited = true;
        status = checkpoint(&r, true, err);
    }
    pt_row_stream_close(&r.rows);
    return status;
}

/* ---- rows in memory -------------------------------------------------------------------------- */

static bool skips_unlabelled(const pt_online *online)
{
    return pt_params_flag(online->params, PT_P_SKIP_UNLABELLED);
}

/* Labels of the kind that the stream has, or will have: where nobody said, the first rows tell. */
static pt_status check_labels(const pt_online *online, const pt_dataset *data, pt_error *err)
{
    const bool open = online->n == 0 && online->classes.texts.count == 0 &&
                      !pt_params_set_by_user(online->params, PT_P_LABELS) &&
                      !pt_params_set_by_user(online->params, PT_P_RANKS);
    if (!data->labels)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0, "the examples have no labels");
    if (data->labels->kind != online->kind && !open)
        return pt_fail_at(
            err, PT_EINVAL, data->source, 0, 0,
            "the labels are of kind '%s', and what is learned are labels of kind '%s'",
            pt_label_kind_name(data->labels->kind), pt_label_kind_name(online->kind));
    for (int64_t i = 0; i < data->n && !skips_unlabelled(online); i++)
        if (!pt_labels_has(data->labels, i))
            return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                              "example %lld has no label; leave such examples out, or set "
                              "`skip-unlabelled`",
                              (long long)i + 1);
    return PT_OK;
}

/* What a stream has not, as pt_online_new refuses it of files. */
static pt_status check_columns(const pt_online *online, const pt_dataset *data, pt_error *err)
{
    if (data->weights)
        return pt_fail_at(err, PT_ENOSUPPORT, data->source, 0, 0,
                          "a stream has no weights of examples; take them off, or train by "
                          "pt_model_train");
    if (data->start ? online->table : !online->table && online->n > 0)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          data->start ? "the examples before were dense, and these are sparse"
                                      : "the examples before were sparse, and these are dense");
    if (!data->start && online->hash.bits > 0)
        return pt_fail_at(err, PT_ENOSUPPORT, data->source, 0, 0,
                          "`hash-bits` is for sparse examples: dense ones have their columns");
    for (int64_t j = 0; data->columns && j < data->d; j++)
        if (pt_is_nominal(data, j))
            return pt_fail_at(err, PT_ENOSUPPORT, data->source, 0, 0,
                              "column %lld ('" PT_SHOWN "') is nominal, and a stream has numbers "
                              "alone; encode it, or train by pt_model_train",
                              (long long)j + 1, data->columns[j].name ? data->columns[j].name : "");
    return PT_OK;
}

/* There is nothing yet to fill a missing cell from. */
static pt_status check_cells(const pt_dataset *data, pt_task *task, pt_error *err)
{
    for (int64_t i = 0; i < data->n; i++) {
        const int64_t cells = data->start ? data->start[i + 1] - data->start[i] : data->d;
        for (int64_t c = 0; c < cells; c++) {
            const int64_t at = data->start ? data->start[i] + c : pt_dataset_place(data, i, c);
            if (isnan(pt_dataset_cell(data, at)))
                return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                                  "example %lld, feature %lld is missing; a stream needs a number "
                                  "in every cell (both count from 1)",
                                  (long long)i + 1,
                                  (long long)(data->start ? data->index[at] : c) + 1);
        }
        PT_TRY(pt_task_check_at(task, i, err));
    }
    return PT_OK;
}

/* The rows, as far as it gets; *done <- how many that is. */
static pt_status learn_memory(stream_reader *r, const pt_dataset *data, int64_t *done,
                              pt_error *err)
{
    pt_online *online = r->online;
    PT_TRY(reserve(online, data, err));
    for (*done = 0; *done < data->n; ++*done) {
        PT_TRY(pt_task_check(r->task, err));
        if (pt_labels_has(data->labels, *done)) {
            PT_TRY(learn_example(online, data, *done, err));
            PT_TRY(checkpoint(r, false, err));
        }
        if (*done % PROGRESS_ROWS == 0)
            pt_task_progress(r->task, "learn", (double)*done, (double)data->n);
    }
    return PT_OK;
}

pt_status pt_online_learn(pt_online *online, const pt_dataset *data, pt_task *task, pt_error *err)
{
    int64_t done = 0;
    pt_task_enter(task, "learn");
    PT_TRY(check_labels(online, data, err));
    PT_TRY(check_columns(online, data, err));
    PT_TRY(check_cells(data, task, err));
    if (data->n == 0)
        return PT_OK;
    PT_TRY(take_source(online, data->source, err));
    PT_TRY(begin_stream(online, data, err));
    online->limited = false;
    online->skip = 0; /* what a checkpoint has counted is not among these */
    if (online->saved == 0) {
        online->saved = pt_seconds();
        online->saved_at = online->points;
    }
    stream_reader r = {
        .online = online, .saved = online->saved, .saved_at = online->saved_at, .task = task};
    const pt_status status = learn_memory(&r, data, &done, err);
    online->saved = r.saved;
    online->saved_at = r.saved_at;
    if ((status == PT_ETIME || status == PT_ECANCELLED) && err) {
        char why[PT_ERROR_TEXT];
        memcpy(why, err->text, sizeof why);
        return pt_fail(err, status, "%.300s; the first %lld of these %lld examples are learned",
                       why, (long long)done, (long long)data->n);
    }
    return status;
}

/* ---- what there is --------------------------------------------------------------------------- */

pt_status pt_online_report(pt_report **out, const pt_online *online, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_TRY(pt_report_new(&report, "online", err));
    PT_TRY(pt_report_add_integer(report, "n_examples", online->n, err));
    PT_TRY(pt_report_add_integer(report, "n_errors", online->errors, err));
    PT_TRY(pt_report_add_integer(report, "n_classes", online->classes.texts.count, err));
    PT_TRY(pt_report_add_integer(report, "n_features", online->d, err));
    PT_TRY(pt_report_copy(report, PT_LIST("errors", PT_I64, "power", online->points, online->point),
                          err));
    *out = pt_keep(&report);
    return PT_OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* W <- the functions of the classes in their order. */
static pt_status sorted_weights(const pt_online *online, const int64_t *class_of, double **out,
                                pt_error *err)
{
    const int64_t k = online->classes.texts.count;
    size_t bytes = 0;
    if (!pt_size_mul((size_t)(online->d + 1), sizeof(double), &bytes))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    int64_t *order = pt_alloc(k, sizeof *order, "classes", err);
    double *W = order ? pt_alloc(k, bytes, "weights", err) : NULL;
    for (int64_t c = 0; W && c < k; c++)
        order[class_of[c]] = c + pt_online_first(online);
    if (W)
        pt_online_result(&online->w, order, k, pt_online_first(online) - 1, W);
    pt_free(order);
    *out = W;
    return W ? PT_OK : PT_ENOMEM;
}

/* W in the units of the file, where 0 stays 0. */
static void restore_units(const pt_online *online, double *W)
{
    const int64_t k = online->classes.texts.count;
    for (int64_t j = 0; j < online->scale.d; j++) {
        const double factor = online->scale.unit[j].factor;
        for (int64_t c = 0; c < k; c++)
            W[c * (online->d + 1) + j] *= factor;
    }
}

/* The preparation that the rows to come need: of a table its units, which a large offset would not
 * survive in float32 as part of the weights. */
static pt_status make_prepare(pt_prepare **out, const pt_online *online, pt_error *err)
{
    if (online->hash.bits > 0)
        return pt_prepare_hashed(out, &online->hash, err);
    if (!online->table || !online->scale.on)
        return pt_prepare_plain(out, online->d, &online->names_of_columns, err);
    PT_SCRATCH pt_scaling *scaling = NULL;
    PT_TRY(PT_NEW(scaling, online->d, "scaling", err));
    for (int64_t j = 0; j < online->d; j++) {
        scaling[j] = (pt_scaling){j, online->scale.unit[j].center, online->scale.unit[j].factor};
    }
    return pt_prepare_scaled(out, online->d, &online->names_of_columns, scaling, err);
}

static pt_status make_machine(pt_model *model, const pt_online *online, const double *W,
                              pt_error *err)
{
    const pt_figure figures[] = {{"examples", online->n},
                                 {"progressive_errors", online->errors},
                                 {"moves", online->w.moves}};
    return pt_machine_constraint_from(&model->machine, pt_model_type(model), online->d,
                                      model->classes.count, W, online->w.rule.bias, figures, 3,
                                      err);
}

static pt_status say_limited(pt_model *model, int64_t n, pt_error *err)
{
    char text[80];
    snprintf(text, sizeof text, "time: the first %lld examples of the stream", (long long)n);
    model->limited = pt_alloc_text(text, err);
    if (!model->limited)
        return PT_ENOMEM;
    return pt_warn(&model->warnings, err, PT_KIND_LIMIT,
                   "the time limit was reached after %lld examples; the model knows nothing "
                   "of those after them",
                   (long long)n);
}

static pt_status fill_model(pt_model *model, const pt_online *online, pt_error *err)
{
    const int64_t k = online->classes.texts.count;
    PT_SCRATCH int64_t *class_of = pt_alloc(k, sizeof *class_of, "classes", err);
    PT_SCRATCH double *W = NULL;
    if (!class_of)
        return PT_ENOMEM;
    PT_TRY(pt_params_copy(&model->params, online->params, err));
    PT_TRY(pt_class_names_sort(&model->classes, class_of, &online->classes.texts, err));
    PT_TRY(sorted_weights(online, class_of, &W, err));
    if (online->scale.on && !online->table)
        restore_units(online, W);
    PT_TRY(make_machine(model, online, W, err));
    PT_TRY(make_prepare(&model->prepare, online, err));
    PT_TRY(pt_label_columns_copy(&model->label_columns, &online->label_columns, err));
    if (online->label_name) {
        model->label_name = pt_alloc_text(online->label_name, err);
        if (!model->label_name)
            return PT_ENOMEM;
    }
    model->label_column = online->label_column;
    model->source = pt_alloc_text(online->source ? online->source : "stream", err);
    if (!model->source)
        return PT_ENOMEM;
    if (online->w.pinned > 0)
        PT_TRY(pt_warn(&model->warnings, err, PT_KIND_NUMERIC,
                       "winnow: weights reached 1e100 or 1e-100; scale the features to 0..1 or "
                       "lower `alpha`, now %g",
                       online->w.rule.alpha));
    if (online->limited)
        PT_TRY(say_limited(model, online->n, err));
    model->label_kind = online->kind;
    model->n_examples = online->n;
    model->calibration = pt_uncalibrated((double)online->n, false);
    return pt_model_describe(model, err);
}

pt_status pt_online_model(pt_model **out, const pt_online *online, pt_error *err)
{
    const int64_t least = online->kind == PT_LABEL_SET ? 1 : 2;
    if (online->classes.texts.count < least || online->d == 0)
        return pt_fail(
            err, PT_EFORMAT,
            "the stream had %lld example%s, %lld class%s and %lld feature%s: too few for a model",
            (long long)online->n, online->n == 1 ? "" : "s", (long long)online->classes.texts.count,
            online->classes.texts.count == 1 ? "" : "es", (long long)online->d,
            online->d == 1 ? "" : "s");
    PT_FREED_BY(pt_model_free_at) pt_model *model = pt_alloc_zero(1, sizeof *model, "a model", err);
    if (!model)
        return PT_ENOMEM;
    PT_TRY(fill_model(model, online, err));
    *out = pt_keep(&model);
    return PT_OK;
}
