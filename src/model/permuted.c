/* Rows with the cells of some columns in another order, made of prepared rows: what preparation
 * makes of a cell depends on nothing but the cell, so that its outputs can be moved as they are. */
#include "model/permuted.h"

#include <string.h>

#include "base/alloc.h"

/* ---- which columns go together --------------------------------------------------------------- */

void pt_column_groups_free(pt_column_groups *groups)
{
    pt_texts_free(&groups->names);
    pt_free(groups->number);
    pt_free(groups->columns);
    pt_free(groups->of_output);
    pt_free(groups->start);
    pt_free(groups->output);
    memset(groups, 0, sizeof *groups);
}

/* The name of an input, else its number, from 1. */
static const char *input_name(const pt_prepare *prepare, int64_t input, char number[32])
{
    const pt_texts *names = pt_prepare_input_names(prepare);
    const char *name = names ? pt_texts_get(names, input) : NULL;
    (void)snprintf(number, 32, "%lld", (long long)input + 1);
    return name && name[0] ? name : number;
}

/* group_of (inputs, -1 all of them) <- the first pattern that has each. */
static pt_status follow_patterns(pt_column_groups *groups, int64_t *group_of,
                                 const pt_prepare *prepare, const char *together, pt_error *err)
{
    const int64_t d = pt_prepare_n_inputs(prepare);
    char number[32];
    for (const char *at = together; *at;) {
        const size_t length = strcspn(at, ",");
        const int64_t group = groups->count;
        bool any = false;
        PT_TRY(pt_texts_add_n(&groups->names, at, length, err));
        const char *pattern = groups->names.items[group];
        for (int64_t j = 0; j < d && length > 0; j++) {
            const char *name = input_name(prepare, j, number);
            const bool has = pt_text_matches(name, pattern) || pt_text_matches(number, pattern);
            group_of[j] = has && group_of[j] < 0 ? group : group_of[j];
            any = any || group_of[j] == group;
        }
        if (!any)
            return pt_fail(err, PT_EINVAL,
                           "`together`: no column of the model is called '%.60s', but for those of "
                           "patterns before it",
                           pattern);
        groups->count++;
        at += length + (at[length] == ',');
    }
    return PT_OK;
}

/* Each input that no pattern has is a group by itself. */
static pt_status list_groups(pt_column_groups *groups, int64_t *group_of, const pt_prepare *prepare,
                             const char *together, pt_error *err)
{
    const int64_t d = pt_prepare_n_inputs(prepare);
    char number[32];
    for (int64_t j = 0; j < d; j++)
        group_of[j] = -1;
    PT_TRY(follow_patterns(groups, group_of, prepare, together, err));
    const int64_t n_patterns = groups->count;
    for (int64_t j = 0; j < d; j++)
        if (group_of[j] < 0) {
            PT_TRY(pt_texts_add(&groups->names, err, "%s", input_name(prepare, j, number)));
            group_of[j] = groups->count++;
        }
    PT_TRY(PT_NEW_ZERO(groups->number, groups->count, "columns", err));
    PT_TRY(PT_NEW_ZERO(groups->columns, groups->count, "columns", err));
    for (int64_t j = 0; j < d; j++) {
        groups->columns[group_of[j]]++;
        groups->number[group_of[j]] = group_of[j] < n_patterns ? 0 : j + 1;
    }
    return PT_OK;
}

pt_status pt_column_groups_init(pt_column_groups *groups, const pt_prepare *prepare,
                                const char *together, pt_error *err)
{
    const int64_t m = pt_prepare_n_outputs(prepare);
    PT_SCRATCH int64_t *group_of = NULL;
    PT_TRY(PT_NEW(group_of, pt_prepare_n_inputs(prepare), "columns", err));
    PT_TRY(list_groups(groups, group_of, prepare, together, err));
    PT_TRY(PT_NEW(groups->of_output, m, "columns", err));
    PT_TRY(PT_NEW_ZERO(groups->start, groups->count + 1, "columns", err));
    PT_TRY(PT_NEW(groups->output, m, "columns", err));
    for (int64_t j = 0; j < m; j++) {
        groups->of_output[j] = group_of[pt_prepare_output(prepare, j).input];
        groups->start[groups->of_output[j] + 1]++;
    }
    for (int64_t g = 0; g < groups->count; g++)
        groups->start[g + 1] += groups->start[g];
    for (int64_t j = 0; j < m; j++)
        groups->output[groups->start[groups->of_output[j]]++] = j;
    for (int64_t g = groups->count; g > 0; g--) /* each start is now the end of its group */
        groups->start[g] = groups->start[g - 1];
    groups->start[0] = 0;
    return PT_OK;
}

/* ---- all rows -------------------------------------------------------------------------------- */

pt_status pt_prepared_data_init(pt_prepared_data *rows, const pt_model *model,
                                const pt_dataset *data, double beside, pt_warnings *warnings,
                                const pt_task *task, pt_error *err)
{
    *rows = (pt_prepared_data){
        .model = model, .data = data, .task = task, .plan = pt_visit_plan(model, data, task)};
    const double whole = (double)data->n * pt_prediction_row_bytes(model);
    rows->held = data->n < 2 * rows->plan.part ||
                 pt_task_may_use(task, pt_dataset_bytes(data) + whole + beside);
    if (!rows->held)
        return PT_OK;
    PT_TRY(pt_prepare_apply(model->prepare, data, pt_model_type(model), &rows->whole, task, err));
    return pt_warnings_add(warnings, &rows->whole.warnings, err);
}

void pt_prepared_data_free(pt_prepared_data *rows)
{
    pt_prepared_free(&rows->whole);
}

pt_status pt_prepared_data_visit(const pt_prepared_data *rows, pt_rows_fn visit, void *context,
                                 pt_error *err)
{
    PT_FREED_BY(pt_warnings_free) pt_warnings said = {0}; /* of the first visit they were told */
    if (rows->held)
        return visit(context, &rows->whole.rows, 0, err);
    return pt_visit_rows(&rows->plan, rows->model, rows->data, visit, context, &said, rows->task,
                         err);
}

/* ---- the cells of a group -------------------------------------------------------------------- */

void pt_group_cells_free(pt_group_cells *cells)
{
    pt_rows_owned_free(&cells->cells);
    cells->room = 0;
}

static const void *cell_at(const pt_rows *rows, const void *values, int64_t at)
{
    return (const char *)values + (size_t)at * pt_type_size(rows->type);
}

static void put_cell(const pt_rows *rows, void *values, int64_t at, const void *from)
{
    memcpy((char *)values + (size_t)at * pt_type_size(rows->type), from, pt_type_size(rows->type));
}

static bool in_group(const pt_group_cells *cells, int64_t output)
{
    return cells->groups->of_output[output] == cells->group;
}

static pt_status take_dense(pt_group_cells *cells, const pt_rows *rows, int64_t first,
                            pt_error *err)
{
    const int64_t *output = cells->groups->output + cells->groups->start[cells->group];
    pt_rows_owned *owned = &cells->cells;
    const int64_t q = owned->rows.d;
    if (!owned->value) {
        owned->value =
            pt_alloc(owned->rows.n, (size_t)q * pt_type_size(rows->type), "cells of columns", err);
        PT_TRY(owned->value ? PT_OK : PT_ENOMEM);
    }
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t c = 0; c < q; c++)
            put_cell(rows, owned->value, (first + i) * q + c,
                     cell_at(rows, rows->dense, i * rows->stride + output[c]));
    owned->rows.type = rows->type;
    owned->rows.dense = owned->value;
    owned->rows.stride = q;
    return PT_OK;
}

static pt_status take_sparse(pt_group_cells *cells, const pt_rows *rows, int64_t first,
                             pt_error *err)
{
    pt_rows_owned *owned = &cells->cells;
    if (!owned->start)
        PT_TRY(PT_NEW_ZERO(owned->start, owned->rows.n + 1, "cells of columns", err));
    int64_t at = owned->start[first];
    int64_t count = at;
    for (int64_t c = rows->start[0]; c < rows->start[rows->n]; c++)
        count += in_group(cells, rows->index[c]);
    if (count > cells->room || !owned->value) {
        void *index = owned->index;
        PT_TRY(pt_alloc_grow(&index, at, count, sizeof(int64_t), "cells of columns", err));
        owned->index = index;
        PT_TRY(pt_alloc_grow(&owned->value, at, count, pt_type_size(rows->type), "cells of columns",
                             err));
        cells->room = count;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        for (int64_t c = rows->start[i]; c < rows->start[i + 1]; c++)
            if (in_group(cells, rows->index[c])) {
                owned->index[at] = rows->index[c];
                put_cell(rows, owned->value, at++, cell_at(rows, rows->value, c));
            }
        owned->start[first + i + 1] = at;
    }
    owned->rows.type = rows->type;
    owned->rows.start = owned->start;
    owned->rows.index = owned->index;
    owned->rows.value = owned->value;
    return PT_OK;
}

static pt_status take_cells(void *context, const pt_rows *rows, int64_t first, pt_error *err)
{
    pt_group_cells *cells = context;
    return rows->dense ? take_dense(cells, rows, first, err) : take_sparse(cells, rows, first, err);
}

pt_status pt_group_cells_take(pt_group_cells *cells, const pt_column_groups *groups, int64_t group,
                              const pt_prepared_data *rows, pt_error *err)
{
    pt_group_cells_free(cells);
    cells->groups = groups;
    cells->group = group;
    cells->cells.rows =
        (pt_rows){.n = rows->data->n, .d = groups->start[group + 1] - groups->start[group]};
    return pt_prepared_data_visit(rows, take_cells, cells, err);
}

bool pt_group_cells_same(const pt_group_cells *cells, int64_t i, int64_t j)
{
    const pt_rows *r = &cells->cells.rows;
    const size_t size = pt_type_size(r->type);
    if (r->dense)
        return memcmp(cell_at(r, r->dense, i * r->d), cell_at(r, r->dense, j * r->d),
                      (size_t)r->d * size) == 0;
    const int64_t count = r->start[i + 1] - r->start[i];
    return count == r->start[j + 1] - r->start[j] &&
           memcmp(r->index + r->start[i], r->index + r->start[j],
                  (size_t)count * sizeof *r->index) == 0 &&
           memcmp(cell_at(r, r->value, r->start[i]), cell_at(r, r->value, r->start[j]),
                  (size_t)count * size) == 0;
}

/* ---- rows that change ------------------------------------------------------------------------ */

void pt_permuted_free(pt_permuted *permuted)
{
    pt_rows_owned_free(&permuted->changed);
    pt_free(permuted->row);
    memset(permuted, 0, sizeof *permuted);
}

/* Room for the rows of a window, and so many cells. */
static pt_status make_room(pt_permuted *p, const pt_rows *window, int64_t n_cells, pt_error *err)
{
    pt_rows_owned *owned = &p->changed;
    if (window->n > p->room_rows) {
        pt_free(p->row);
        pt_free(owned->start);
        p->room_rows = 0;
        owned->start = NULL;
        PT_TRY(PT_NEW(p->row, window->n, "permuted rows", err));
        PT_TRY(PT_NEW(owned->start, window->n + 1, "permuted rows", err));
        p->room_rows = window->n;
    }
    if (n_cells > p->room_cells || !owned->value) {
        pt_free(owned->value);
        pt_free(owned->index);
        p->room_cells = 0;
        owned->value = NULL;
        owned->index = NULL;
        owned->value = pt_alloc(n_cells, pt_type_size(window->type), "permuted rows", err);
        if (!window->dense)
            owned->index = pt_alloc(n_cells, sizeof *owned->index, "permuted rows", err);
        PT_TRY(owned->value && (window->dense || owned->index) ? PT_OK : PT_ENOMEM);
        p->room_cells = n_cells;
    }
    return PT_OK;
}

/* p->row <- those of the window that change; returns how many. */
static int64_t list_changed(pt_permuted *p, const pt_rows *window, int64_t first,
                            const pt_group_cells *cells, const int64_t *order)
{
    int64_t m = 0;
    for (int64_t i = 0; i < window->n; i++)
        if (!pt_group_cells_same(cells, first + i, order[first + i]))
            p->row[m++] = i;
    return m;
}

static void make_dense(pt_permuted *p, const pt_rows *window, int64_t first,
                       const pt_group_cells *cells, const int64_t *order)
{
    const pt_rows *of_group = &cells->cells.rows;
    const int64_t *output = cells->groups->output + cells->groups->start[cells->group];
    const size_t row_bytes = (size_t)window->d * pt_type_size(window->type);
    void *value = p->changed.value;
    for (int64_t c = 0; c < p->changed.rows.n; c++) {
        const int64_t from = order[first + p->row[c]];
        memcpy((char *)value + (size_t)c * row_bytes,
               cell_at(window, window->dense, p->row[c] * window->stride), row_bytes);
        for (int64_t q = 0; q < of_group->d; q++)
            put_cell(window, value, c * window->d + output[q],
                     cell_at(of_group, of_group->dense, from * of_group->d + q));
    }
    p->changed.rows.dense = value;
    p->changed.rows.stride = window->d;
}

/* One row: its cells of other groups and the cells of row `from`, by their places. Returns where
 * the next row begins. */
static int64_t merge_row(pt_rows_owned *out, int64_t at, const pt_rows *window, int64_t row,
                         const pt_group_cells *cells, int64_t from)
{
    const pt_rows *of_group = &cells->cells.rows;
    int64_t theirs = of_group->start[from];
    const int64_t their_end = of_group->start[from + 1];
    for (int64_t c = window->start[row]; c < window->start[row + 1]; c++) {
        for (; theirs < their_end && of_group->index[theirs] <= window->index[c]; theirs++) {
            out->index[at] = of_group->index[theirs];
            put_cell(window, out->value, at++, cell_at(of_group, of_group->value, theirs));
        }
        if (in_group(cells, window->index[c]))
            continue;
        out->index[at] = window->index[c];
        put_cell(window, out->value, at++, cell_at(window, window->value, c));
    }
    for (; theirs < their_end; theirs++) {
        out->index[at] = of_group->index[theirs];
        put_cell(window, out->value, at++, cell_at(of_group, of_group->value, theirs));
    }
    return at;
}

/* How many cells the changed rows have at most. */
static int64_t count_sparse(const pt_permuted *p, int64_t m, const pt_rows *window, int64_t first,
                            const pt_group_cells *cells, const int64_t *order)
{
    const int64_t *start = cells->cells.rows.start;
    int64_t count = 0;
    for (int64_t c = 0; c < m; c++) {
        const int64_t row = p->row[c];
        const int64_t from = order[first + row];
        count += window->start[row + 1] - window->start[row] + start[from + 1] - start[from];
    }
    return count;
}

pt_status pt_permuted_make(pt_permuted *permuted, const pt_rows *window, int64_t first,
                           const pt_group_cells *cells, const int64_t *order, pt_error *err)
{
    pt_rows_owned *owned = &permuted->changed;
    PT_TRY(make_room(permuted, window, window->dense ? window->n * window->d : 0, err));
    const int64_t m = list_changed(permuted, window, first, cells, order);
    owned->rows = (pt_rows){.n = m, .d = window->d, .type = window->type, .levels = window->levels};
    if (window->dense) {
        make_dense(permuted, window, first, cells, order);
        return PT_OK;
    }
    PT_TRY(
        make_room(permuted, window, count_sparse(permuted, m, window, first, cells, order), err));
    owned->start[0] = 0;
    for (int64_t c = 0; c < m; c++)
        owned->start[c + 1] = merge_row(owned, owned->start[c], window, permuted->row[c], cells,
                                        order[first + permuted->row[c]]);
    owned->rows.start = owned->start;
    owned->rows.index = owned->index;
    owned->rows.value = owned->value;
    return PT_OK;
}
