/* Trees as JSON:
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

/* ---- columns --------------------------------------------------------------------------------- */

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

/* ---- nodes ----------------------------------------------------------------------------------- */

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
        if (forest->words[split->set + v / 64] >> (v % 64) & 1)
            append(w, list, level_name(w, output, v));
    return list;
}

static void write_test(writer *w, json_t *object, const pt_split *split)
{
    pt_output output = {.input = -1, .factor = 1};
    if (!pt_tree_view_is_column(w->view, split->feature))
        output = pt_prepare_output(w->view->model->prepare, split->feature);
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
        set(w, object, "at_most",
            real_or_null(output.factor != 0 ? split->cut / output.factor + output.center
                                            : split->cut));
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

/* ---- trees ----------------------------------------------------------------------------------- */

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
static json_t *nodes_of(writer *w, int64_t tree, int64_t *place)
{
    pt_tree_walk walk = {0};
    pt_tree_step step;
    json_t *nodes = json_array();
    if (!nodes)
        no_memory(w);
    else
        w->status = pt_tree_walk_begin(&walk, w->view->forest, tree, w->err);
    for (int64_t number = 0; w->status == PT_OK; number++) {
        w->status = pt_tree_walk_next(&walk, &step, w->err);
        if (w->status != PT_OK || step.child == INT64_MIN)
            break;
        json_t *object = json_object();
        append(w, nodes, object);
        if (w->status == PT_OK && step.child < 0)
            write_leaf(w, object, step.child);
        else if (w->status == PT_OK)
            write_test(w, object, &w->view->forest->node[step.child].split);
        if (step.child >= 0)
            place[step.child] = number;
        if (w->status == PT_OK && step.parent >= 0)
            link_branches(w, nodes, place, &step, number);
    }
    pt_tree_walk_end(&walk);
    return nodes;
}

static json_t *trees(writer *w)
{
    const pt_tree_view *view = w->view;
    const bool of_columns = view->code && view->forest->width == 1 && view->ell == view->code->ell;
    json_t *list = json_array();
    int64_t *place = pt_alloc(view->forest->n_nodes, sizeof *place, "trees as JSON", w->err);
    if (!place)
        no_memory(w);
    for (int64_t t = 0; list && t < view->forest->n_trees && w->status == PT_OK; t++) {
        json_t *tree = json_object();
        append(w, list, tree);
        if (w->status == PT_OK && of_columns)
            set(w, tree, "column", json_integer(t % view->ell + 1));
        if (w->status == PT_OK)
            set(w, tree, "round", json_integer(t / view->ell + 1));
        if (w->status == PT_OK)
            set(w, tree, "nodes", nodes_of(w, t, place));
    }
    pt_free(place);
    return list;
}

pt_status pt_trees_as_json(const pt_tree_view *view, char **text, pt_error *err)
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
