/* What a person would want to know of a data set before training, as JSON:
 *
 *   {"columns": [{"column": 2, "name": "day", "kind": "date", "words": "date (d/m/y), weekday",
 *                 "features": 2, "missing": 3, "levels": 0, "min": 19000, "max": 19400,
 *                 "constant": false, "examples": []}, ...],
 *    "duplicates": 20,               rows that are there before, cells and label
 *    "conflicts": 12,                rows with the cells of another and a different label
 *    "telling": {"column": 4, "name": "x", "feature": 3,
 *                "accuracy": 0.99, "next": 0.6, "base": 0.4}}
 *
 * "column" counts the columns of the file from 1 where the reader tells them, else the features.
 * Columns that are left out have features 0. "telling" is the column that alone predicts the class:
 * the most frequent class of each level, or of each of at most 32 intervals with equally many rows,
 * is learned on every second row and tried on the others. It is there where at most 2 percent of
 * these are wrong, or 5 percent if that is a tenth of what guessing the largest class errs; where
 * the class is not nearly always the same, and no other column does nearly as well (five times its
 * errors at least). Time: O(cells) and O(sampled cells log) for this search. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/math.h"
#include "base/sort.h"
#include "data/dataset.h"
#include "data/judge/doubts.h"
#include "data/row_digest.h"
#include "report/report.h"

/* A text as JSON. One that is no UTF-8 is taken for Latin-1, as people would: it is only shown. */
static json_t *text_for_people(const char *text, pt_error *err)
{
    json_t *plain = json_string(text);
    if (plain)
        return plain;
    char *wide = pt_alloc(2 * (int64_t)strlen(text) + 1, 1, "a name", err);
    char *out = wide;
    for (const char *p = text; wide && *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c >= 0x80)
            *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
    }
    if (wide)
        *out = '\0';
    json_t *shown = wide ? json_string(wide) : NULL;
    pt_free(wide);
    return shown;
}

/* ---- features -------------------------------------------------------------------------------- */

/* The first levels, or what there is of them. */
static json_t *examples_of(const pt_dataset *data, int64_t j, pt_error *err)
{
    enum { SHOWN = 3 };
    json_t *list = json_array();
    for (int64_t v = 0; list && pt_is_nominal(data, j) && v < SHOWN; v++)
        if (v < data->columns[j].levels.count)
            json_array_append_new(list, text_for_people(data->columns[j].levels.items[v], err));
    return list;
}

static const char *kind_of(const pt_dataset *data, int64_t j, const pt_feature_facts *facts)
{
    const pt_column_kind kind = pt_is_nominal(data, j) && data->columns[j].text ? PT_COLUMN_TEXT
                                : pt_is_nominal(data, j)                        ? PT_COLUMN_NOMINAL
                                : facts->cells == 0                             ? PT_COLUMN_EMPTY
                                : facts->whole && fabs(facts->max) < 1e15       ? PT_COLUMN_INTEGER
                                                                                : PT_COLUMN_NUMBER;
    return pt_column_kind_name(kind);
}

static json_t *name_of(const pt_file_column *column, pt_error *err)
{
    return column->name ? text_for_people(column->name, err) : json_null();
}

/* A column of the file: what it is, and its first feature, where it has one. */
static bool put_column(json_t *list, const pt_dataset *data, const pt_file_column *column,
                       const pt_feature_facts *facts, pt_error *err)
{
    char own[PT_JUDGED_WORDS];
    json_t *entry = json_object();
    const bool plain = column->judged && pt_judged_is_plain(column->judged);
    const pt_judged *judged = plain ? NULL : column->judged;
    const int64_t feature = column->first;
    const int64_t features = column->features;
    const char *kind =
        judged ? pt_column_kind_name(judged->kind) : kind_of(data, feature, &facts[feature]);
    const char *words = judged ? pt_judged_words(judged, own) : kind; /* with units of the file */
    bool good = entry && pt_json_put(entry, "column", json_integer(column->number)) &&
                pt_json_put(entry, "name", name_of(column, err)) &&
                pt_json_put(entry, "kind", json_string(kind)) &&
                pt_json_put(entry, "words", text_for_people(words, err)) &&
                pt_json_put(entry, "features", json_integer(features));
    if (good && features > 0) {
        const pt_feature_facts *f = &facts[feature];
        const bool nominal = pt_is_nominal(data, feature);
        const int64_t levels = nominal && data->columns ? data->columns[feature].levels.count : 0;
        good = pt_json_put(entry, "missing", json_integer(f->missing)) &&
               pt_json_put(entry, "levels", json_integer(levels)) &&
               pt_json_put(entry, "constant", json_boolean(f->cells == 0 || f->min == f->max));
        if (good && nominal)
            good = pt_json_put(entry, "examples", examples_of(data, feature, err));
        else if (good && f->cells > 0)
            good = pt_json_put(entry, "min", json_real(f->min)) &&
                   pt_json_put(entry, "max", json_real(f->max)) &&
                   (isnan(pt_feature_sentinel(f)) ||
                    pt_json_put(entry, "sentinel", json_real(pt_feature_sentinel(f))));
    }
    if (good && json_array_append_new(list, entry) == 0)
        return true;
    if (!good)
        json_decref(entry);
    return false;
}

static bool put_columns(json_t *object, const pt_dataset *data, const pt_feature_facts *facts,
                        pt_error *err)
{
    json_t *list = json_array();
    bool good = list != NULL;
    pt_file_column column = {0};
    while (good && pt_file_column_next(&column, data))
        good = put_column(list, data, &column, facts, err);
    if (good)
        return pt_json_put(object, "columns", list);
    json_decref(list);
    return false;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int compare_digests(const void *a, const void *b)
{
    const pt_row_digest *x = a;
    const pt_row_digest *y = b;
    if (x->cells != y->cells)
        return x->cells < y->cells ? -1 : 1;
    return (x->all > y->all) - (x->all < y->all);
}

static pt_status put_rows(json_t *object, const pt_dataset *data, const pt_task *task,
                          pt_error *err)
{
    PT_SCRATCH pt_row_digest *keys = NULL;
    PT_TRY(pt_dataset_fits(data, (double)data->n * 2 * sizeof *keys,
                           "the data and digests of their rows", NULL, err));
    PT_TRY(pt_row_digests(&keys, data, task, err));
    int64_t duplicates = 0;
    int64_t conflicts = 0;
    PT_TRY(pt_sort(keys, data->n, sizeof *keys, compare_digests, "digests of rows", task, err));
    for (int64_t begin = 0, end = 0; begin < data->n; begin = end) {
        while (end < data->n && keys[end].cells == keys[begin].cells)
            end++;
        for (int64_t i = begin + 1; i < end; i++)
            duplicates += keys[i].all == keys[i - 1].all;
        if (keys[begin].all != keys[end - 1].all)
            conflicts += end - begin;
    }
    if (!pt_json_put(object, "duplicates", json_integer(duplicates)) ||
        !pt_json_put(object, "conflicts", json_integer(conflicts)))
        return pt_fail_memory(err, "a judgement", 0);
    return PT_OK;
}

/* ---- one column that tells the class --------------------------------------------------------- */

enum { INTERVALS = 32, MOST_SAMPLED = 4000, LEAST_ROWS = 40 };
static const double MOST_CELLS = 4e7;

/*   row     m     sampled rows, those with a label
 *   cell    m/2+1 the learning half of a column, sorted, for the cuts
 *   count         classes of each level or interval
 *   best          the most frequent of them */
typedef struct telling_work {
    const pt_dataset *data;
    int64_t *row;
    int64_t m;
    int64_t k;
    double *cell;
    int64_t n_cuts;
    double cut[INTERVALS];
    int64_t *count;
    int64_t n_groups; /* of the widest column, and one for missing cells */
} telling_work;

static double sampled(const telling_work *w, int64_t s, int64_t j)
{
    return pt_dataset_dense_cell(w->data, w->row[s], j);
}

/* Cuts with about as many learned rows between them, equal values never apart. */
static void find_cuts(telling_work *w, int64_t j)
{
    int64_t count = 0;
    w->n_cuts = 0;
    for (int64_t s = 0; s < w->m; s += 2)
        if (!isnan(sampled(w, s, j)))
            w->cell[count++] = sampled(w, s, j);
    qsort(w->cell, (size_t)count, sizeof *w->cell, pt_ascending);
    for (int q = 1; q < INTERVALS; q++) {
        const int64_t at = count * q / INTERVALS;
        if (at > 0 && at < count && w->cell[at] > w->cell[0] &&
            (w->n_cuts == 0 || w->cell[at] > w->cut[w->n_cuts - 1]))
            w->cut[w->n_cuts++] = w->cell[at];
    }
}

static int64_t group_of(const telling_work *w, int64_t s, int64_t j)
{
    const double x = sampled(w, s, j);
    if (isnan(x))
        return w->n_groups - 1;
    if (pt_is_nominal(w->data, j))
        return (int64_t)x;
    int64_t group = 0;
    while (group < w->n_cuts && x >= w->cut[group])
        group++;
    return group;
}

static int64_t class_at(const telling_work *w, int64_t s)
{
    return w->data->labels->class_of[w->row[s]];
}

/* Held-out rows that the column alone gets right. */
static int64_t hits_of(telling_work *w, int64_t j)
{
    memset(w->count, 0, (size_t)(w->n_groups * w->k) * sizeof *w->count);
    if (!pt_is_nominal(w->data, j))
        find_cuts(w, j);
    for (int64_t s = 0; s < w->m; s += 2)
        w->count[group_of(w, s, j) * w->k + class_at(w, s)]++;
    int64_t hits = 0;
    for (int64_t s = 1; s < w->m; s += 2) {
        const int64_t *count = w->count + group_of(w, s, j) * w->k;
        int64_t best = 0;
        for (int64_t r = 1; r < w->k; r++)
            best = count[r] > count[best] ? r : best;
        hits += count[best] > 0 && best == class_at(w, s);
    }
    return hits;
}

static double share_of_largest(const telling_work *w)
{
    memset(w->count, 0, (size_t)w->k * sizeof *w->count);
    int64_t most = 0;
    for (int64_t s = 0; s < w->m; s++) {
        const int64_t count = ++w->count[class_at(w, s)];
        most = count > most ? count : most;
    }
    return (double)most / (double)w->m;
}

static pt_status put_telling(json_t *object, telling_work *w, const pt_task *task, pt_error *err)
{
    const double tried = floor((double)w->m / 2);
    int64_t best = -1;
    int64_t hits = -1;
    int64_t next = 0;
    for (int64_t j = 0; j < w->data->d; j++) {
        PT_TRY(pt_task_check(task, err));
        const int64_t here = hits_of(w, j);
        next = here > hits ? (hits > next ? hits : next) : here > next ? here : next;
        if (here > hits) {
            hits = here;
            best = j;
        }
    }
    const double base = share_of_largest(w);
    const double errors = tried - (double)hits;
    const bool few =
        errors <= 0.02 * tried || (errors <= 0.05 * tried && 10 * errors <= (1 - base) * tried);
    if (best < 0 || !few || base > 0.9 ||
        (w->data->d > 1 && tried - (double)next < 5 * (errors + 1)))
        return PT_OK;
    json_t *entry = json_object();
    const pt_file_column column = pt_file_column_of(w->data, best);
    if (entry && pt_json_put(entry, "feature", json_integer(best + 1)) &&
        pt_json_put(entry, "column", json_integer(column.number)) &&
        pt_json_put(entry, "name", name_of(&column, err)) &&
        pt_json_put(entry, "accuracy", json_real((double)hits / tried)) &&
        (w->data->d == 1 || pt_json_put(entry, "next", json_real((double)next / tried))) &&
        pt_json_put(entry, "base", json_real(base)))
        return pt_json_put(object, "telling", entry) ? PT_OK
                                                     : pt_fail_memory(err, "a judgement", 0);
    json_decref(entry);
    return pt_fail_memory(err, "a judgement", 0);
}

static void telling_free(telling_work *w)
{
    pt_free(w->count);
    pt_free(w->cell);
    pt_free(w->row);
}

/* Dense tables of classes; rows are sampled evenly where there are many cells. */
static pt_status look_for_telling(json_t *object, const pt_dataset *data, const pt_task *task,
                                  pt_error *err)
{
    PT_FREED_BY(telling_free) telling_work w = {.data = data, .n_groups = INTERVALS + 1};
    if (data->start || !data->labels || data->labels->kind != PT_LABEL_CLASS)
        return PT_OK;
    w.k = pt_labels_n_classes(data->labels);
    for (int64_t j = 0; j < data->d; j++)
        if (pt_is_nominal(data, j) && data->columns[j].levels.count >= w.n_groups)
            w.n_groups = data->columns[j].levels.count + 1;
    int64_t most = (int64_t)(MOST_CELLS / (double)(data->d > 0 ? data->d : 1));
    most = most > MOST_SAMPLED ? MOST_SAMPLED : most;
    if (w.k < 2 || most < LEAST_ROWS || (double)w.n_groups * (double)w.k > MOST_CELLS ||
        (double)w.n_groups * (double)w.k * (double)data->d > 100 * MOST_CELLS)
        return PT_OK;
    const int64_t step = data->n > most ? data->n / most : 1;
    PT_TRY(PT_NEW(w.row, data->n / step + 1, "a judgement", err));
    PT_TRY(PT_NEW(w.cell, data->n / step + 1, "a judgement", err));
    PT_TRY(PT_NEW(w.count, w.n_groups * w.k, "a judgement", err));
    for (int64_t i = 0; i < data->n; i += step)
        if (data->labels->class_of[i] >= 0)
            w.row[w.m++] = i;
    return w.m >= LEAST_ROWS ? put_telling(object, &w, task, err) : PT_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* A member that all columns have, as a list over them: texts, or numbers (null: NaN). */
static pt_status add_member(pt_report *report, const json_t *columns, const char *name, bool text,
                            pt_error *err)
{
    const int64_t n = (int64_t)json_array_size(columns);
    PT_SCRATCH const char **texts = NULL;
    PT_SCRATCH double *numbers = NULL;
    PT_TRY(PT_NEW(texts, n, "columns", err));
    PT_TRY(PT_NEW(numbers, n, "columns", err));
    for (int64_t j = 0; j < n; j++) {
        const json_t *value = json_object_get(json_array_get(columns, (size_t)j), name);
        texts[j] = json_string_value(value);
        numbers[j] = json_is_number(value)    ? json_number_value(value)
                     : json_is_boolean(value) ? json_is_true(value)
                                              : NAN;
    }
    return pt_report_copy(report,
                          text ? PT_LIST(name, PT_TEXT, "column", n, texts)
                               : PT_LIST(name, PT_F64, "column", n, numbers),
                          err);
}

static pt_status add_columns(pt_report *report, const json_t *columns, pt_error *err)
{
    static const struct {
        const char *name;
        bool text;
    } MEMBERS[] = {{"column", false},   {"name", true},     {"kind", true},    {"words", true},
                   {"features", false}, {"missing", false}, {"levels", false}, {"min", false},
                   {"max", false},      {"constant", false}};
    for (size_t m = 0; m < sizeof MEMBERS / sizeof *MEMBERS && columns; m++)
        PT_TRY(add_member(report, columns, MEMBERS[m].name, MEMBERS[m].text, err));
    return PT_OK;
}

static pt_status report_judgement(pt_report **out, const json_t *object, const char *text,
                                  pt_error *err)
{
    const json_t *telling = json_object_get(object, "telling");
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_TRY(pt_report_new(&report, "judgement", err));
    PT_TRY(add_columns(report, json_object_get(object, "columns"), err));
    PT_TRY(pt_report_add_integer(report, "duplicates",
                                 json_integer_value(json_object_get(object, "duplicates")), err));
    PT_TRY(pt_report_add_integer(report, "conflicts",
                                 json_integer_value(json_object_get(object, "conflicts")), err));
    if (json_is_object(telling)) {
        PT_TRY(pt_report_add_integer(report, "telling_column",
                                     json_integer_value(json_object_get(telling, "column")), err));
        PT_TRY(pt_report_add_number(report, "telling_accuracy",
                                    json_number_value(json_object_get(telling, "accuracy")), err));
    }
    PT_TRY(pt_report_add_text(report, "json", text, err));
    *out = pt_keep(&report);
    return PT_OK;
}

pt_status pt_dataset_judge(pt_report **out, const pt_dataset *data, pt_task *task, pt_error *err)
{
    enum { MOST_FEATURES = 1000000 }; /* of sparse data more may have no cell at all */
    const bool listed = !data->start || data->d <= MOST_FEATURES;
    json_auto_t *object = json_object();
    PT_SCRATCH pt_feature_facts *facts = NULL;
    pt_task_enter(task, "judging");
    PT_TRY(PT_NEW_ZERO(facts, listed ? data->d : 0, "what is known of columns", err));
    if (listed)
        PT_TRY(pt_feature_facts_of(data, facts, task, err));
    if (!object || (listed && !put_columns(object, data, facts, err)))
        return pt_fail_memory(err, "a judgement", 0);
    PT_TRY(put_rows(object, data, task, err));
    PT_TRY(look_for_telling(object, data, task, err));
    PT_SCRATCH char *text = NULL;
    PT_TRY(pt_json_dump(object, JSON_COMPACT, &text, err));
    return report_judgement(out, object, text, err);
}
