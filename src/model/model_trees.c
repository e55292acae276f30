/* The trees of a model for people and programs: what is public, what words (model_trees_words.c)
 * and JSON have in common, and JSON.
 *
 * As JSON:
 *
 *   {"leaves": "outputs" | "shares",         what a leaf has: see below
 *    "columns": [{"plus": [class, ...], "minus": [class, ...]}, ...],        of a code
 *    "trees": [{"column": 1, "round": 1,     from 1; no column where leaves add to all of them
 *               "nodes": [{"feature": 3, "name": "petal_length", "at_most": 2.45,
 *                          "in": 1, "out": 2, "missing": 2},
 *                         {"values": [0.9]}, {"values": [-0.5]}]}, ...]}
 *
 * Nodes are numbered from 0, a node before what is below it; branches tell numbers. The test of a
 * nominal column has "levels", those that are in, in place of "at_most". "feature" counts the
 * columns of the data from 1; it is 0 for the column of the code as an attribute (--single-call),
 * whose levels are its numbers. Leaves have a value for their column or one for each column
 * ("outputs"), or the share of each class ("shares"). */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "model/tree_view.h"
#include "report/report.h"

/* ---- the view -------------------------------------------------------------------------------- */

pt_tree_view pt_tree_view_of(const pt_model *model)
{
    const pt_machine_parts parts = pt_machine_parts_of(model->machine);
    pt_tree_view view = {.model = model, .forest = parts.forest, .shares = parts.shares, .ell = 1};
    if (!view.forest || parts.shares || !parts.code)
        return view;
    view.code = parts.code;
    const bool single = view.forest->d > pt_prepare_n_outputs(model->prepare);
    view.ell = view.forest->width == 1 && !single ? view.code->ell : 1;
    return view;
}

pt_output pt_tree_view_output(const pt_tree_view *view, int64_t feature)
{
    if (feature >= pt_prepare_n_outputs(view->model->prepare))
        return (pt_output){.input = -1, .factor = 1};
    return pt_prepare_output(view->model->prepare, feature);
}

double pt_tree_view_cut(const pt_tree_view *view, const pt_split *split)
{
    const pt_output output = pt_tree_view_output(view, split->feature);
    return output.factor != 0 ? split->cut / output.factor + output.center : split->cut;
}

bool pt_tree_view_by_column(const pt_tree_view *view)
{
    return view->code && view->forest->width == 1 && view->ell == view->code->ell;
}

/* ---- one tree -------------------------------------------------------------------------------- */

static pt_status push(pt_tree_step **list, int64_t *count, int64_t *room, pt_tree_step step,
                      pt_error *err)
{
    PT_TRY(pt_forest_room((void **)list, room, *count, 1, sizeof step, err));
    (*list)[(*count)++] = step;
    return PT_OK;
}

pt_status pt_tree_steps_of(pt_tree_steps *s, const pt_forest *forest, int64_t tree, pt_error *err)
{
    int64_t ahead = 0;
    const pt_tree_step root = {.child = forest->root[tree], .parent = -1};
    s->count = 0;
    PT_TRY(push(&s->ahead, &ahead, &s->ahead_room, root, err));
    while (ahead > 0) {
        const pt_tree_step at = s->ahead[--ahead];
        if (s->count > forest->n_nodes + forest->n_leaves)
            return pt_fail(err, PT_EFORMAT, "branches of the model's trees meet again");
        PT_TRY(push(&s->step, &s->count, &s->room, at, err));
        const int64_t *child = at.child < 0 ? NULL : forest->node[at.child].child;
        for (int b = PT_BRANCHES - 1; child && b >= 0; b--) {
            bool before = false; /* two branches with the same child are one */
            for (int a = 0; a < b; a++)
                before = before || child[a] == child[b];
            const pt_tree_step next = {child[b], at.depth + 1, at.child, b};
            if (!before)
                PT_TRY(push(&s->ahead, &ahead, &s->ahead_room, next, err));
        }
    }
    return PT_OK;
}

void pt_tree_steps_free(pt_tree_steps *steps)
{
    pt_free(steps->ahead);
    pt_free(steps->step);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The first failure is kept; what is added after it is dropped. */
typedef struct writer {
    const pt_tree_view *view;
    pt_status status;
    pt_error *err;
} writer;

static void no_memory(writer *w)
{
    if (w->status == PT_OK)
        w->status = pt_fail_memory(w->err, "trees as JSON", 0);
}

/* Both take the value, NULL being a failure. */
static void set(writer *w, json_t *object, const char *name, json_t *value)
{
    if (!value || json_object_set_new(object, name, value) != 0)
        no_memory(w);
}

static void append(writer *w, json_t *array, json_t *value)
{
    if (!value || json_array_append_new(array, value) != 0)
        no_memory(w);
}

/* JSON has finite numbers only; others, which a file may hold, are null. */
static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *side(writer *w, int64_t s, int sign)
{
    const pt_texts *classes = &w->view->model->classes;
    json_t *list = json_array();
    for (int64_t r = 0; list && r < classes->count; r++)
        if (pt_code_entry(w->view->code, r, s) == sign)
            append(w, list, pt_json_text(classes->items[r], w->err));
    return list;
}

static json_t *columns(writer *w)
{
    json_t *list = json_array();
    for (int64_t s = 0; list && s < w->view->code->ell && w->status == PT_OK; s++) {
        json_t *column = json_object();
        append(w, list, column);
        if (w->status == PT_OK) {
            set(w, column, "plus", side(w, s, 1));
            set(w, column, "minus", side(w, s, -1));
        }
    }
    return list;
}

static json_t *level_name(writer *w, const pt_output *output, int64_t level)
{
    const char *name = output->levels ? pt_texts_get(output->levels, level) : NULL;
    return name ? pt_json_text(name, w->err) : json_integer(level + 1);
}

static json_t *levels_in(writer *w, const pt_split *split, const pt_output *output)
{
    const pt_forest *forest = w->view->forest;
    json_t *list = json_array();
    for (int64_t v = 0; list && v < forest->levels[split->feature]; v++)
        if (pt_forest_in_set(forest->words + split->set, v))
            append(w, list, level_name(w, output, v));
    return list;
}

static void write_test(writer *w, json_t *object, const pt_split *split)
{
    const pt_output output = pt_tree_view_output(w->view, split->feature);
    set(w, object, "feature", json_integer(output.input + 1));
    if (output.name)
        set(w, object, "name", pt_json_text(output.name, w->err));
    if (output.level)
        set(w, object, "is_level", pt_json_text(output.level, w->err));
    if (output.indicator)
        set(w, object, "is_missing", json_true());
    if (split->set >= 0)
        set(w, object, "levels", levels_in(w, split, &output));
    else
        set(w, object, "at_most", real_or_null(pt_tree_view_cut(w->view, split)));
}

static void write_leaf(writer *w, json_t *object, int64_t child)
{
    const pt_forest *forest = w->view->forest;
    const double *value = forest->value + (-1 - child) * forest->width;
    json_t *list = json_array();
    set(w, object, w->view->shares ? "shares" : "values", list);
    for (int64_t s = 0; w->status == PT_OK && s < forest->width; s++)
        append(w, list, real_or_null(w->view->shares ? exp(value[s]) : value[s]));
}

/* Tells the parent where its branch went, and those of its branches that go there too. */
static void link_branches(writer *w, json_t *nodes, const int64_t *place, const pt_tree_step *step,
                          int64_t number)
{
    static const char *const names[PT_BRANCHES] = {"in", "out", "missing"};
    const int64_t *child = w->view->forest->node[step->parent].child;
    json_t *parent = json_array_get(nodes, (size_t)place[step->parent]);
    for (int b = 0; b < PT_BRANCHES; b++)
        if (child[b] == step->child)
            set(w, parent, names[b], json_integer(number));
}

/* place: of each node of the forest, its number in the tree. */
static json_t *nodes_of(writer *w, const pt_tree_steps *steps, int64_t *place)
{
    json_t *nodes = json_array();
    for (int64_t number = 0; nodes && number < steps->count && w->status == PT_OK; number++) {
        const pt_tree_step *step = &steps->step[number];
        json_t *object = json_object();
        append(w, nodes, object);
        if (w->status == PT_OK && step->child < 0) {
            write_leaf(w, object, step->child);
        } else if (w->status == PT_OK) {
            write_test(w, object, &w->view->forest->node[step->child].split);
            place[step->child] = number;
        }
        if (w->status == PT_OK && step->parent >= 0)
            link_branches(w, nodes, place, step, number);
    }
    return nodes;
}

static json_t *trees(writer *w)
{
    const pt_tree_view *view = w->view;
    PT_FREED_BY(pt_tree_steps_free) pt_tree_steps steps = {0};
    json_t *list = json_array();
    PT_SCRATCH int64_t *place = NULL;
    w->status = PT_NEW(place, view->forest->n_nodes, "trees as JSON", w->err);
    for (int64_t t = 0; list && t < view->forest->n_trees && w->status == PT_OK; t++) {
        json_t *tree = json_object();
        append(w, list, tree);
        if (w->status == PT_OK)
            w->status = pt_tree_steps_of(&steps, view->forest, t, w->err);
        if (w->status != PT_OK)
            break;
        if (pt_tree_view_by_column(view))
            set(w, tree, "column", json_integer(t % view->ell + 1));
        set(w, tree, "round", json_integer(t / view->ell + 1));
        set(w, tree, "nodes", nodes_of(w, &steps, place));
    }
    return list;
}

static pt_status as_json(const pt_tree_view *view, char **text, pt_error *err)
{
    writer w = {.view = view, .err = err};
    json_t *root = json_object();
    if (!root)
        return pt_fail_memory(err, "trees as JSON", 0);
    set(&w, root, "leaves", json_string(view->shares ? "shares" : "outputs"));
    if (view->code)
        set(&w, root, "columns", columns(&w));
    if (w.status == PT_OK)
        set(&w, root, "trees", trees(&w));
    if (w.status == PT_OK)
        w.status = pt_json_dump(root, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17),
                                text, err);
    json_decref(root);
    return w.status;
}

/* ---- what is public -------------------------------------------------------------------------- */

int64_t pt_model_n_trees(const pt_model *model)
{
    const pt_tree_view view = pt_tree_view_of(model);
    return view.forest ? view.forest->n_trees : 0;
}

pt_status pt_model_trees(pt_report **out, const pt_model *model, const char *format,
                         int64_t most_lines, pt_error *err)
{
    const pt_tree_view view = pt_tree_view_of(model);
    const bool json = strcmp(format, "json") == 0;
    bool shortened = false;
    PT_SCRATCH char *text = NULL;
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    if (!json && strcmp(format, "words") != 0)
        return pt_fail(err, PT_EINVAL, "trees are shown as words or json, not as '%s'", format);
    if (!view.forest)
        return pt_fail(err, PT_EINVAL, "the machine %s is not made of trees",
                       model->machine->ops->name);
    PT_TRY(json ? as_json(&view, &text, err)
                : pt_trees_as_words(&view, most_lines, &text, &shortened, err));
    PT_TRY(pt_report_new(&report, "trees", err));
    PT_TRY(pt_report_add_integer(report, "n_trees", view.forest->n_trees, err));
    PT_TRY(pt_report_add_text(report, "text", text, err));
    PT_TRY(pt_report_add_integer(report, "shortened", shortened, err));
    *out = pt_keep(&report);
    return PT_OK;
}
