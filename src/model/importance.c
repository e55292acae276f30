/* Permutation importance (Breiman 2001, section 10): what a model loses where the cells of a column
 * stand in the wrong rows.
 *
 * Every group of columns is permuted by the same `permutations` orders of the rows, keyed by their
 * number. Rows are scored in windows, and of a window only those whose cells change; all others
 * keep the scores that they had. Cells are moved in rows that are prepared already (permuted.c).
 * Beside the data there are the scores of all rows, a few numbers for each row, and the prepared
 * rows where there is room: else they are prepared again for each permutation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "data/labels/label_pairs.h"
#include "metrics/metric_rules.h"
#include "model/evaluation.h"
#include "model/permuted.h"
#include "model/worsening.h"
#include "report/report.h"

enum { WINDOW_ROWS = 4096 };

typedef struct importance {
    const pt_model *model;
    const pt_task *task;
    int64_t n;
    int64_t k;
    int64_t times; /* permutations */
    uint64_t seed;
    pt_column_groups groups;
    pt_prepared_data rows;
    pt_worsening worse;
    pt_group_cells cells;
    pt_permuted permuted;
    double *scores;  /* n x k, as they are */
    double *changed; /* window x k */
    int64_t *order;  /* n: the permutation */
    int64_t window;  /* rows */
    int64_t done;    /* permutations of groups */

    double *value; /* groups x times: the metric */
    double *mean;  /* groups: by how much it is worse */
    pt_interval *interval;
} importance;

static void importance_free(importance *m)
{
    pt_column_groups_free(&m->groups);
    pt_prepared_data_free(&m->rows);
    pt_worsening_free(&m->worse);
    pt_group_cells_free(&m->cells);
    pt_permuted_free(&m->permuted);
    pt_free(m->scores);
    pt_free(m->changed);
    pt_free(m->order);
    pt_free(m->value);
    pt_free(m->mean);
    pt_free(m->interval);
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* scores <- those of rows, whose numbers among all are row[] + first (row NULL: 0, 1, ...). */
static pt_status score(const importance *m, const pt_rows *rows, const int64_t *row, int64_t first,
                       double *scores, pt_error *err)
{
    const pt_machine *machine = m->model->machine;
    int64_t label = 0;
    if (rows->n == 0)
        return PT_OK;
    PT_TRY(machine->ops->scores(machine, rows, scores, m->task, err));
    for (int64_t i = 0; i < rows->n; i++)
        PT_TRY(pt_model_settle(m->model, scores + i * m->k, first + (row ? row[i] : i) + 1, &label,
                               err));
    return PT_OK;
}

static pt_status take_as_they_are(void *context, const pt_rows *rows, int64_t first, pt_error *err)
{
    importance *m = context;
    for (int64_t at = 0; at < rows->n; at += m->window) {
        const int64_t count = rows->n - at < m->window ? rows->n - at : m->window;
        const pt_rows window = pt_rows_range(rows, at, count);
        double *scores = m->scores + (first + at) * m->k;
        PT_TRY(pt_task_check(m->task, err));
        PT_TRY(score(m, &window, NULL, first + at, scores, err));
        for (int64_t i = 0; i < count; i++)
            pt_worsening_row(&m->worse, scores + i * m->k);
    }
    return PT_OK;
}

static pt_status take_permuted(void *context, const pt_rows *rows, int64_t first, pt_error *err)
{
    importance *m = context;
    const pt_permuted *p = &m->permuted;
    for (int64_t at = 0; at < rows->n; at += m->window) {
        const int64_t count = rows->n - at < m->window ? rows->n - at : m->window;
        const pt_rows window = pt_rows_range(rows, at, count);
        PT_TRY(pt_task_check(m->task, err));
        PT_TRY(pt_permuted_make(&m->permuted, &window, first + at, &m->cells, m->order, err));
        PT_TRY(score(m, &p->changed.rows, p->row, first + at, m->changed, err));
        int64_t next = 0;
        for (int64_t i = 0; i < count; i++) {
            const bool changes = next < p->changed.rows.n && p->row[next] == i;
            pt_worsening_row(&m->worse, changes ? m->changed + next * m->k
                                                : m->scores + (first + at + i) * m->k);
            next += changes;
        }
    }
    return PT_OK;
}

/* ---- groups of columns ----------------------------------------------------------------------- */

static void draw_order(importance *m, int64_t permutation)
{
    pt_random random;
    pt_random_init(&random, m->seed, PT_RANDOM_PERMUTED, (uint64_t)permutation);
    for (int64_t i = 0; i < m->n; i++)
        m->order[i] = i;
    pt_random_shuffle(&random, m->order, m->n);
}

static bool any_changes(const importance *m)
{
    for (int64_t i = 0; i < m->n; i++)
        if (!pt_group_cells_same(&m->cells, i, m->order[i]))
            return true;
    return false;
}

static pt_status permute(importance *m, int64_t permutation, double *value, pt_error *err)
{
    draw_order(m, permutation);
    if (!any_changes(m)) {
        *value = m->worse.value;
        pt_worsening_same(&m->worse);
        return PT_OK;
    }
    PT_TRY(pt_worsening_open(&m->worse, err));
    PT_TRY(pt_prepared_data_visit(&m->rows, take_permuted, m, err));
    return pt_worsening_close(&m->worse, value, err);
}

/* Whether no row has a cell of the group: sparse data have many such columns. */
static bool is_empty(const importance *m)
{
    const pt_rows *cells = &m->cells.cells.rows;
    return !cells->dense && cells->start[cells->n] == 0;
}

static pt_status judge_group(importance *m, int64_t group, pt_error *err)
{
    double *value = m->value + group * m->times;
    PT_TRY(pt_group_cells_take(&m->cells, &m->groups, group, &m->rows, err));
    pt_worsening_begin(&m->worse);
    for (int64_t p = 0; p < m->times; p++) {
        PT_TRY(pt_task_check(m->task, err));
        if (is_empty(m)) {
            value[p] = m->worse.value;
            pt_worsening_same(&m->worse);
        } else {
            PT_TRY(permute(m, p, &value[p], err));
        }
        pt_task_progress_whole(m->task, "importance", (double)++m->done,
                               (double)m->groups.count * (double)m->times);
    }
    m->interval[group] = pt_worsening_end(&m->worse, &m->mean[group]);
    return PT_OK;
}

static pt_status judge_all(importance *m, const char *source, pt_error *err)
{
    double value = 0;
    pt_task_progress_whole(m->task, "importance", 0, (double)m->groups.count * (double)m->times);
    pt_worsening_begin(&m->worse);
    PT_TRY(pt_worsening_open(&m->worse, err));
    PT_TRY(pt_prepared_data_visit(&m->rows, take_as_they_are, m, err));
    PT_TRY(pt_worsening_close(&m->worse, &value, err));
    if (isnan(value))
        return pt_fail_at(err, PT_EFORMAT, source, 0, 0, "`metric=%s` has no value on these rows",
                          pt_metric_name(m->worse.metric));
    pt_worsening_keep(&m->worse, value);
    for (int64_t g = 0; g < m->groups.count; g++)
        PT_TRY(judge_group(m, g, err));
    return PT_OK;
}

/* ---- rows that count ------------------------------------------------------------------------- */

/* *view <- rows that have a label and a weight; NULL: all have. */
static pt_status take_labelled(pt_dataset **view, const pt_dataset *data, pt_warnings *warnings,
                               const pt_task *task, pt_error *err)
{
    PT_SCRATCH int64_t *rows = NULL;
    int64_t n = 0;
    PT_TRY(PT_NEW(rows, data->n, "rows", err));
    for (int64_t i = 0; i < data->n; i++)
        if (pt_labels_has(data->labels, i) && !(data->weights && !(data->weights[i] > 0)))
            rows[n++] = i;
    if (n == 0)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0, "no row has a label%s",
                          data->weights ? " and a weight" : "");
    if (n < data->n && !data->weights)
        PT_TRY(pt_warn(warnings, err, PT_KIND_DATA, "%lld row%s without label %s left out",
                       (long long)(data->n - n), data->n - n == 1 ? "" : "s",
                       data->n - n == 1 ? "is" : "are"));
    return n < data->n ? pt_dataset_view(view, data, rows, n, task, err) : PT_OK;
}

static pt_status check_data(const pt_model *model, const pt_dataset *data, pt_error *err)
{
    if (!data->labels)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "there are no labels to compare with; name their column with `label`");
    if (pt_prepare_hashes(model->prepare))
        return pt_fail(err, PT_ENOSUPPORT,
                       "the model has hashed its columns (`hash-bits`): several fall into one "
                       "place, and what one of them is worth is not known");
    return pt_evaluation_check_kinds(model, data, err);
}

/* Room for n rows, and the rows themselves. */
static pt_status make_room(importance *m, const pt_dataset *data, pt_warnings *warnings,
                           pt_error *err)
{
    static const double WINDOW_BYTES = 0x1p24;
    const double of_row = pt_prediction_row_bytes(m->model);
    const double beside = pt_prediction_bytes(m->model, m->n) + pt_worsening_bytes(&m->worse) +
                          (double)m->n * sizeof *m->order;
    PT_TRY(pt_dataset_fits(data, beside, "the data and their evaluation", m->task, err));
    m->window = WINDOW_ROWS * of_row <= WINDOW_BYTES ? WINDOW_ROWS
                : of_row < WINDOW_BYTES              ? (int64_t)(WINDOW_BYTES / of_row)
                                                     : 1;
    m->window = m->window < m->n ? m->window : m->n;
    m->scores = pt_alloc(m->n, (size_t)m->k * sizeof *m->scores, "scores", err);
    m->changed = pt_alloc(m->window, (size_t)m->k * sizeof *m->changed, "scores", err);
    PT_TRY(m->scores && m->changed ? PT_OK : PT_ENOMEM);
    PT_TRY(PT_NEW(m->order, m->n, "orders of rows", err));
    PT_TRY(PT_NEW(m->mean, m->groups.count, "figures of columns", err));
    PT_TRY(PT_NEW(m->interval, m->groups.count, "figures of columns", err));
    m->value =
        pt_alloc(m->groups.count, (size_t)m->times * sizeof *m->value, "figures of columns", err);
    PT_TRY(m->value ? PT_OK : PT_ENOMEM);
    return pt_prepared_data_init(&m->rows, m->model, data, beside, warnings, m->task, err);
}

static pt_status run(importance *m, const pt_dataset *data, const pt_labels *labels,
                     const pt_params *params, pt_warnings *warnings, pt_error *err)
{
    const char *together = params ? pt_params_text(params, PT_P_TOGETHER) : "";
    PT_TRY(pt_column_groups_init(&m->groups, m->model->prepare, together, err));
    PT_TRY(pt_worsening_init(&m->worse, m->model, labels, data->group, params, m->task, err));
    PT_TRY(make_room(m, data, warnings, err));
    pt_task_begin_whole(m->task);
    const pt_status status = judge_all(m, data->source, err);
    pt_task_end_whole(m->task);
    return status;
}

/* ---- the report ------------------------------------------------------------------------------ */

typedef struct placed {
    double mean;
    int64_t group;
} placed;

/* The most important first; of equals, and of those without a figure, which come last, the first.
 */
static int more_important(const void *a, const void *b)
{
    const placed *x = a;
    const placed *y = b;
    if (isnan(x->mean) != isnan(y->mean))
        return isnan(x->mean) ? 1 : -1;
    if (x->mean != y->mean && !isnan(x->mean))
        return x->mean > y->mean ? -1 : 1;
    return x->group < y->group ? -1 : 1;
}

static pt_status add_columns(pt_report *report, const importance *m, const placed *order,
                             pt_error *err)
{
    const int64_t count = m->groups.count;
    PT_FREED_BY(pt_texts_free) pt_texts names = {0};
    int64_t *number = NULL;
    int64_t *columns = NULL;
    double *mean = NULL;
    double *bounds = NULL;
    double *values = NULL;
    for (int64_t c = 0; c < count; c++)
        PT_TRY(pt_texts_add(&names, err, "%s", m->groups.names.items[order[c].group]));
    PT_TRY(pt_report_add_texts(report, "column", "column", &names, err));
    PT_TRY(pt_report_room(report, PT_LIST("number", PT_I64, "column", count, NULL), &number, err));
    PT_TRY(
        pt_report_room(report, PT_LIST("columns", PT_I64, "column", count, NULL), &columns, err));
    PT_TRY(
        pt_report_room(report, PT_LIST("importance", PT_F64, "column", count, NULL), &mean, err));
    PT_TRY(pt_report_room(
        report, PT_TABLE("importance_interval", PT_F64, "column", count, "bound", 2, NULL), &bounds,
        err));
    PT_TRY(pt_report_room(
        report, PT_TABLE("values", PT_F64, "column", count, "permutation", m->times, NULL), &values,
        err));
    for (int64_t c = 0; c < count; c++) {
        const int64_t g = order[c].group;
        number[c] = m->groups.number[g];
        columns[c] = m->groups.columns[g];
        mean[c] = m->mean[g];
        bounds[2 * c] = m->interval[g].low;
        bounds[2 * c + 1] = m->interval[g].high;
        memcpy(values + c * m->times, m->value + g * m->times, (size_t)m->times * sizeof *values);
    }
    return PT_OK;
}

static pt_status report_on(pt_report **out, const importance *m, const pt_warnings *warnings,
                           pt_error *err)
{
    const pt_metric metric = m->worse.metric;
    const int64_t count = m->groups.count;
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_SCRATCH placed *order = NULL;
    PT_TRY(PT_NEW(order, count, "an order of columns", err));
    for (int64_t g = 0; g < count; g++)
        order[g] = (placed){m->mean[g], g};
    qsort(order, (size_t)count, sizeof *order, more_important);
    PT_TRY(pt_report_new(&report, "importance", err));
    PT_TRY(pt_report_add_integer(report, "n_examples", m->n, err));
    PT_TRY(pt_report_add_integer(report, "n_permutations", m->times, err));
    PT_TRY(pt_report_add_text(report, "metric", pt_metric_name(metric), err));
    PT_TRY(
        pt_report_add_integer(report, "larger_is_better", pt_metric_larger_is_better(metric), err));
    PT_TRY(pt_report_add_number(report, "value", m->worse.value, err));
    PT_TRY(add_columns(report, m, order, err));
    PT_TRY(pt_report_add_warnings(report, warnings, err));
    *out = pt_keep(&report);
    return PT_OK;
}

pt_status pt_model_importance(pt_report **out, const pt_model *model, const pt_dataset *data,
                              const pt_params *params, pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_warnings_free) pt_warnings warnings = {0};
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *view = NULL;
    PT_FREED_BY(pt_labels_free_at) pt_labels *labels = NULL;
    PT_FREED_BY(importance_free)
    importance m = {.model = model,
                    .task = task,
                    .k = model->classes.count,
                    .times = params ? pt_params_integer(params, PT_P_PERMUTATIONS) : 5,
                    .seed = params ? (uint64_t)pt_params_integer(params, PT_P_SEED) : 1};
    pt_task_enter(task, "importance");
    PT_TRY(check_data(model, data, err));
    PT_TRY(pt_warn_of_training(&warnings, model, data, task, err));
    PT_TRY(take_labelled(&view, data, &warnings, task, err));
    const pt_dataset *judged = view ? view : data;
    m.n = judged->n;
    PT_TRY(pt_labels_match(&labels, judged->labels, &model->classes, &warnings, err));
    PT_TRY(pt_label_pairs_check(labels, data->source, &warnings, err));
    PT_TRY(run(&m, judged, labels, params, &warnings, err));
    return report_on(out, &m, &warnings, err);
}
