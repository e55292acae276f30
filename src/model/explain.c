/* Why a model decides as it does, row by row: the difference between the scores of the first and of
 * the second class, and what makes it.
 *
 *   parts   of linear machines exactly: coefficient times prepared cell, of one class less the
 *           other. Of all others what the difference loses where a column is replaced by what
 *           stands for no knowledge of it: the training mean or the most frequent level (the fill
 *           of preparation); of sparse rows, 0
 *   rows    of machines that keep training rows: those with the largest kernel values, and those
 *           that add most to the difference
 *   path    of one tree: the tests that the row has passed
 */
#include "model/explain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "decoders/decoder.h"
#include "model/linear_model.h"
#include "model/tree_view.h"
#include "report/report.h"

enum { REASONS = 5 }; /* where nobody asks for a number */

typedef struct explainer {
    const pt_model *model;
    const pt_task *task;
    int64_t k;
    int64_t d; /* columns of prepared rows */
    pt_linear_model linear;
    pt_kept_rows kept;
    pt_tree_view trees;
    bool path;       /* it is one tree */
    int64_t n_terms; /* columns of prepared rows (linear), or of the data */
    int64_t *input;  /* d: the column of the data that each is made of */
    double *fill;    /* d: where that column is not known */
    double *part;    /* n_terms: of one row */
    double *scores;  /* k */
    double *changed; /* k for each replaced column */
    int64_t changed_rows;
    double *cells; /* d, of one row */
    pt_rows_owned replaced;
    int64_t *replaced_term; /* n_terms: of each of these rows */

    int64_t reasons; /* columns and rows that are listed for each row, at most */
    int64_t n_parts;
    int64_t n_rows;
    int64_t *first;
    int64_t *second;
    double *margin;
    int64_t *part_term;
    double *part_value;
    double *intercept;
    double *rest;
    int64_t *near;
    double *near_kernel;
    int64_t *support;
    double *support_part;
    pt_texts paths;
} explainer;

static void explainer_free(explainer *x)
{
    pt_linear_model_free(&x->linear);
    pt_kept_rows_free(&x->kept);
    pt_rows_owned_free(&x->replaced);
    pt_free(x->input);
    pt_free(x->fill);
    pt_free(x->part);
    pt_free(x->scores);
    pt_free(x->changed);
    pt_free(x->cells);
    pt_free(x->replaced_term);
    pt_texts_free(&x->paths);
}

/* ---- scores ---------------------------------------------------------------------------------- */

static pt_status score(const explainer *x, const pt_rows *rows, int64_t number, double *scores,
                       pt_error *err)
{
    const pt_machine *machine = x->model->machine;
    int64_t label = 0;
    PT_TRY(machine->ops->scores(machine, rows, scores, x->task, err));
    for (int64_t i = 0; i < rows->n; i++)
        PT_TRY(pt_model_settle(x->model, scores + i * x->k, number + 1, &label, err));
    return PT_OK;
}

static int64_t best_but(const double *scores, int64_t k, int64_t left_out)
{
    int64_t best = -1;
    for (int64_t r = 0; r < k; r++)
        if (r != left_out && (best < 0 || scores[r] > scores[best]))
            best = r;
    return best;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* cells (d) <- row i. */
static void spread_row(const explainer *x, const pt_rows *rows, int64_t i, double *cells)
{
    for (int64_t j = 0; j < x->d && rows->dense; j++)
        cells[j] = pt_rows_value(rows, rows->dense, i * rows->stride + j);
    if (rows->dense)
        return;
    memset(cells, 0, (size_t)x->d * sizeof *cells);
    for (int64_t c = rows->start[i]; c < rows->start[i + 1]; c++)
        cells[rows->index[c]] = pt_rows_value(rows, rows->value, c);
}

static void weigh_terms(explainer *x, int64_t a, int64_t b)
{
    const double *w = x->linear.w;
    for (int64_t j = 0; j < x->d; j++)
        x->part[j] = (w[a * x->d + j] - w[b * x->d + j]) * x->cells[j];
}

/* One row for each of the columns first .. first+n-1 of the data, in which that is replaced. */
static pt_status replace_dense(explainer *x, const pt_rows *rows, int64_t first, int64_t n,
                               pt_error *err)
{
    pt_rows_owned *owned = &x->replaced;
    if (!owned->value) { /* the first are the most */
        owned->value =
            pt_alloc(n, (size_t)x->d * pt_type_size(rows->type), "replaced columns", err);
        PT_TRY(owned->value ? PT_OK : PT_ENOMEM);
    }
    for (int64_t t = 0; t < n; t++) {
        x->replaced_term[first + t] = first + t;
        for (int64_t j = 0; j < x->d; j++) {
            const double cell = x->input[j] == first + t ? x->fill[j] : x->cells[j];
            if (rows->type == PT_F32)
                ((float *)owned->value)[t * x->d + j] = (float)cell;
            else
                ((double *)owned->value)[t * x->d + j] = cell;
        }
    }
    owned->rows = (pt_rows){.n = n,
                            .d = x->d,
                            .type = rows->type,
                            .levels = rows->levels,
                            .dense = owned->value,
                            .stride = x->d};
    return PT_OK;
}

/* x->replaced_term <- the columns that have a cell in row i; returns how many. part: work, all 0.
 */
static int64_t list_terms(explainer *x, const pt_rows *rows, int64_t i)
{
    int64_t n = 0;
    for (int64_t c = rows->start[i]; c < rows->start[i + 1]; c++) {
        const int64_t term = x->input[rows->index[c]];
        if (x->part[term] == 0)
            x->replaced_term[n++] = term;
        x->part[term] = 1; /* seen */
    }
    return n;
}

/* Row i without the cells of terms first .. first+n-1 of the list, one after the other. */
static pt_status replace_sparse(explainer *x, const pt_rows *rows, int64_t i, int64_t first,
                                int64_t n, pt_error *err)
{
    pt_rows_owned *owned = &x->replaced;
    const size_t size = pt_type_size(rows->type);
    const int64_t begin = rows->start[i];
    const int64_t count = rows->start[i + 1] - begin;
    int64_t at = 0;
    pt_rows_owned_free(owned);
    PT_TRY(PT_NEW(owned->start, n + 1, "replaced columns", err));
    PT_TRY(PT_NEW(owned->index, n * count, "replaced columns", err));
    owned->value = pt_alloc(n * count, size, "replaced columns", err);
    PT_TRY(owned->value ? PT_OK : PT_ENOMEM);
    owned->start[0] = 0;
    for (int64_t t = 0; t < n; t++) {
        for (int64_t c = begin; c < begin + count; c++) {
            if (x->input[rows->index[c]] == x->replaced_term[first + t])
                continue;
            owned->index[at] = rows->index[c];
            memcpy((char *)owned->value + (size_t)at++ * size,
                   (const char *)rows->value + (size_t)c * size, size);
        }
        owned->start[t + 1] = at;
    }
    owned->rows = (pt_rows){.n = n,
                            .d = x->d,
                            .type = rows->type,
                            .levels = rows->levels,
                            .start = owned->start,
                            .index = owned->index,
                            .value = owned->value};
    return PT_OK;
}

/* Scores the rows that were made, of terms from `first` on. */
static pt_status score_replaced(explainer *x, int64_t number, int64_t first, pt_error *err)
{
    const int64_t a = x->first[number];
    const int64_t b = x->second[number];
    const int64_t n = x->replaced.rows.n;
    if (n > x->changed_rows) {
        pt_free(x->changed);
        x->changed_rows = 0;
        x->changed = pt_alloc(n, (size_t)x->k * sizeof *x->changed, "scores", err);
        PT_TRY(x->changed ? PT_OK : PT_ENOMEM);
        x->changed_rows = n;
    }
    PT_TRY(score(x, &x->replaced.rows, number, x->changed, err));
    for (int64_t t = 0; t < n; t++)
        x->part[x->replaced_term[first + t]] =
            x->margin[number] - (x->changed[t * x->k + a] - x->changed[t * x->k + b]);
    return PT_OK;
}

static pt_status replace_columns(explainer *x, const pt_rows *rows, int64_t i, int64_t number,
                                 pt_error *err)
{
    enum { CELLS = 1 << 20 }; /* that are made at once */
    memset(x->part, 0, (size_t)x->n_terms * sizeof *x->part);
    const int64_t width = rows->dense ? x->d : rows->start[i + 1] - rows->start[i];
    const int64_t terms = rows->dense ? x->n_terms : list_terms(x, rows, i);
    const int64_t together = width < CELLS ? CELLS / (width + 1) + 1 : 1;
    for (int64_t first = 0; first < terms; first += together) {
        const int64_t n = terms - first < together ? terms - first : together;
        PT_TRY(pt_task_check(x->task, err));
        PT_TRY(rows->dense ? replace_dense(x, rows, first, n, err)
                           : replace_sparse(x, rows, i, first, n, err));
        PT_TRY(score_replaced(x, number, first, err));
    }
    return PT_OK;
}

static void tell_parts(explainer *x, int64_t number)
{
    int64_t *term = x->part_term + number * x->n_parts;
    double *value = x->part_value + number * x->n_parts;
    double rest = 0;
    pt_largest(x->part, x->n_terms, true, x->n_parts, term);
    for (int64_t p = 0; p < x->n_parts; p++) {
        value[p] = term[p] >= 0 ? x->part[term[p]] : 0;
        if (term[p] >= 0)
            x->part[term[p]] = 0; /* it is listed */
    }
    if (x->linear.m == 0)
        return;
    for (int64_t t = 0; t < x->n_terms; t++)
        rest += x->part[t];
    x->intercept[number] = x->linear.b[x->first[number]] - x->linear.b[x->second[number]];
    x->rest[number] = rest;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static pt_status tell_rows(explainer *x, const pt_gram *ready, int64_t i, int64_t number,
                           pt_error *err)
{
    pt_kept_rows *kept = &x->kept;
    int64_t *near = x->near + number * x->n_rows;
    PT_TRY(pt_kept_rows_meet(kept, ready, i, err));
    pt_largest(kept->value, kept->n, false, x->n_rows, near);
    for (int64_t r = 0; r < x->n_rows; r++)
        x->near_kernel[number * x->n_rows + r] = near[r] >= 0 ? kept->value[near[r]] : 0;
    if (kept->k == 0)
        return PT_OK;
    int64_t *support = x->support + number * x->n_rows;
    for (int64_t r = 0; r < kept->n; r++)
        kept->value[r] = pt_kept_rows_part(kept, r, x->first[number], x->second[number]);
    pt_largest(kept->value, kept->n, true, x->n_rows, support);
    for (int64_t r = 0; r < x->n_rows; r++)
        x->support_part[number * x->n_rows + r] = support[r] >= 0 ? kept->value[support[r]] : 0;
    return PT_OK;
}

/* ---- one row after the other ----------------------------------------------------------------- */

static pt_status explain_row(explainer *x, const pt_rows *rows, const pt_gram *ready, int64_t i,
                             int64_t number, pt_error *err)
{
    const pt_rows one = pt_rows_range(rows, i, 1);
    PT_TRY(pt_task_check(x->task, err));
    PT_TRY(score(x, &one, number, x->scores, err));
    x->first[number] = best_but(x->scores, x->k, -1);
    x->second[number] = best_but(x->scores, x->k, x->first[number]);
    x->margin[number] = x->scores[x->first[number]] - x->scores[x->second[number]];
    spread_row(x, rows, i, x->cells);
    if (x->linear.m > 0)
        weigh_terms(x, x->first[number], x->second[number]);
    else
        PT_TRY(replace_columns(x, rows, i, number, err));
    tell_parts(x, number);
    if (x->kept.n > 0)
        PT_TRY(tell_rows(x, ready, i, number, err));
    if (x->path)
        PT_TRY(pt_tree_path_add(&x->paths, &x->trees, rows, i, err));
    return PT_OK;
}

typedef struct explaining {
    explainer *x;
    int64_t n;
} explaining;

static pt_status explain_rows(void *context, const pt_rows *rows, int64_t first, pt_error *err)
{
    const explaining *of = context;
    PT_FREED_BY(pt_gram_free_at) pt_gram *ready = NULL;
    if (of->x->kept.n > 0)
        PT_TRY(pt_gram_new_like(&ready, rows, of->x->kept.gram, of->x->task, err));
    for (int64_t i = 0; i < rows->n; i++) {
        PT_TRY(explain_row(of->x, rows, ready, i, first + i, err));
        pt_task_progress_whole(of->x->task, "explain", (double)(first + i + 1), (double)of->n);
    }
    return PT_OK;
}

/* ---- before and after ------------------------------------------------------------------------ */

static pt_status prepare_terms(explainer *x, pt_error *err)
{
    const pt_prepare *prepare = x->model->prepare;
    x->d = pt_prepare_n_outputs(prepare);
    x->n_terms = x->linear.m > 0 ? x->d : pt_prepare_n_inputs(prepare);
    x->n_parts = x->n_terms < x->reasons ? x->n_terms : x->reasons;
    PT_TRY(PT_NEW(x->input, x->d, "columns", err));
    PT_TRY(PT_NEW(x->fill, x->d, "columns", err));
    PT_TRY(PT_NEW(x->cells, x->d, "columns", err));
    PT_TRY(PT_NEW(x->part, x->n_terms, "columns", err));
    PT_TRY(PT_NEW(x->replaced_term, x->n_terms + 1, "columns", err));
    PT_TRY(PT_NEW(x->scores, x->k, "scores", err));
    for (int64_t j = 0; j < x->d; j++) {
        const pt_output output = pt_prepare_output(prepare, j);
        x->input[j] = output.input;
        x->fill[j] = output.fill;
    }
    return PT_OK;
}

static pt_status check(const pt_model *model, pt_error *err)
{
    return model->classes.count > 1
               ? PT_OK
               : pt_fail(err, PT_ENOSUPPORT,
                         "the model has one class: there is no second one, and nothing to explain");
}

static pt_status name_terms(pt_report *report, const explainer *x, pt_error *err)
{
    PT_FREED_BY(pt_texts_free) pt_texts terms = {0};
    const pt_texts *names = pt_prepare_input_names(x->model->prepare);
    int64_t *column = NULL;
    PT_TRY(pt_report_room(report, PT_LIST("term_column", PT_I64, "term", x->n_terms, NULL), &column,
                          err));
    for (int64_t t = 0; t < x->n_terms; t++) {
        const char *name = names ? pt_texts_get(names, t) : NULL;
        column[t] = x->linear.m > 0 ? x->input[t] + 1 : t + 1;
        if (x->linear.m > 0)
            PT_TRY(pt_term_add(&terms, x->model->prepare, t, err));
        else if (name && name[0])
            PT_TRY(pt_texts_add(&terms, err, "%s", name));
        else
            PT_TRY(pt_texts_add(&terms, err, "%lld", (long long)t + 1));
    }
    return pt_report_add_texts(report, "term", "term", &terms, err);
}

#define ROOM(report, field, item_name, element, n, across, count)                                  \
    PT_TRY(pt_report_room(report, PT_TABLE(item_name, element, "example", n, across, count, NULL), \
                          &(field), err))
#define LIST(report, field, item_name, element, n) \
    PT_TRY(pt_report_room(report, PT_LIST(item_name, element, "example", n, NULL), &(field), err))

static pt_status make_room(pt_report *report, explainer *x, int64_t n, pt_error *err)
{
    const bool linear = x->linear.m > 0;
    PT_TRY(pt_report_add_integer(report, "n_examples", n, err));
    PT_TRY(pt_report_add_texts(report, "class", "class", &x->model->classes, err));
    PT_TRY(pt_report_add_text(report, "method", linear ? "coefficients" : "replacement", err));
    PT_TRY(name_terms(report, x, err));
    LIST(report, x->first, "first", PT_I64, n);
    LIST(report, x->second, "second", PT_I64, n);
    LIST(report, x->margin, "margin", PT_F64, n);
    ROOM(report, x->part_term, "part_term", PT_I64, n, "part", x->n_parts);
    ROOM(report, x->part_value, "part_value", PT_F64, n, "part", x->n_parts);
    if (linear) {
        LIST(report, x->intercept, "intercept", PT_F64, n);
        LIST(report, x->rest, "rest", PT_F64, n);
    }
    if (x->kept.n == 0)
        return PT_OK;
    x->n_rows = x->kept.n < x->reasons ? x->kept.n : x->reasons;
    PT_TRY(pt_report_add_integer(report, "n_kept", x->kept.n, err));
    ROOM(report, x->near, "near", PT_I64, n, "kept", x->n_rows);
    ROOM(report, x->near_kernel, "near_kernel", PT_F64, n, "kept", x->n_rows);
    if (x->kept.k == 0)
        return PT_OK;
    ROOM(report, x->support, "support", PT_I64, n, "kept", x->n_rows);
    ROOM(report, x->support_part, "support_part", PT_F64, n, "kept", x->n_rows);
    return PT_OK;
}

static pt_status look_into(explainer *x, pt_error *err)
{
    PT_TRY(pt_linear_model_of(&x->linear, x->model, err));
    if (!x->linear.scores)
        pt_linear_model_free(&x->linear);
    PT_TRY(pt_kept_rows_of(&x->kept, x->model, x->task, err));
    x->trees = pt_tree_view_of(x->model);
    x->path = x->trees.forest && x->trees.shares && x->trees.forest->n_trees == 1;
    return prepare_terms(x, err);
}

pt_status pt_model_explain(pt_report **out, const pt_model *model, const pt_dataset *data,
                           const pt_params *params, pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_FREED_BY(pt_warnings_free) pt_warnings warnings = {0};
    PT_FREED_BY(explainer_free)
    explainer x = {.model = model,
                   .task = task,
                   .k = model->classes.count,
                   .reasons = params ? pt_params_integer(params, PT_P_REASONS) : REASONS};
    explaining of = {&x, data->n};
    pt_task_enter(task, "explain");
    PT_TRY(check(model, err));
    PT_TRY(look_into(&x, err));
    const pt_visit plan = pt_visit_plan(model, data, task);
    const double bytes =
        (double)data->n * (double)(2 * x.n_parts + 4 * x.reasons + 5) * sizeof(double);
    PT_TRY(pt_dataset_fits(data, plan.bytes + bytes, "the data and what explains them", task, err));
    PT_TRY(pt_report_new(&report, "explanation", err));
    PT_TRY(make_room(report, &x, data->n, err));
    pt_task_begin_whole(task);
    pt_task_progress_whole(task, "explain", 0, (double)data->n);
    const pt_status status =
        pt_visit_rows(&plan, model, data, explain_rows, &of, &warnings, task, err);
    pt_task_end_whole(task);
    PT_TRY(status);
    if (x.path)
        PT_TRY(pt_report_add_texts(report, "path", "example", &x.paths, err));
    PT_TRY(pt_report_add_warnings(report, &warnings, err));
    *out = pt_keep(&report);
    return PT_OK;
}
