/* The trees of a model for people and programs: what is public, and walking over a tree. */
#include "model/tree_view.h"

#include <string.h>

#include "base/alloc.h"
#include "polytomy/polytomy.h"

struct pt_trees {
    char *text;
    bool shortened;
};

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

bool pt_tree_view_is_column(const pt_tree_view *view, int64_t feature)
{
    return feature >= pt_prepare_n_outputs(view->model->prepare);
}

/* ---- walking --------------------------------------------------------------------------------- */

static pt_status push(pt_tree_walk *walk, pt_tree_step step, pt_error *err)
{
    if (walk->count == walk->room) {
        const int64_t room = walk->room > 0 ? 2 * walk->room : 64;
        PT_TRY(pt_alloc_grow((void **)&walk->stack, walk->room, room, sizeof step, "a tree", err));
        walk->room = room;
    }
    walk->stack[walk->count++] = step;
    return PT_OK;
}

pt_status pt_tree_walk_begin(pt_tree_walk *walk, const pt_forest *forest, int64_t tree,
                             pt_error *err)
{
    walk->forest = forest;
    walk->count = 0;
    walk->steps = 0;
    return push(walk, (pt_tree_step){.child = forest->root[tree], .parent = -1}, err);
}

pt_status pt_tree_walk_next(pt_tree_walk *walk, pt_tree_step *step, pt_error *err)
{
    const pt_forest *forest = walk->forest;
    *step = (pt_tree_step){.child = INT64_MIN};
    if (walk->count == 0)
        return PT_OK;
    if (walk->steps++ > forest->n_nodes + forest->n_leaves)
        return pt_fail(err, PT_EFORMAT, "branches of the model's trees meet again");
    *step = walk->stack[--walk->count];
    if (step->child < 0)
        return PT_OK;
    const int64_t *child = forest->node[step->child].child;
    for (int b = PT_BRANCHES - 1; b >= 0; b--) {
        bool before = false; /* two branches with the same child are one */
        for (int a = 0; a < b; a++)
            before = before || child[a] == child[b];
        if (!before)
            PT_TRY(push(walk, (pt_tree_step){child[b], step->depth + 1, step->child, b}, err));
    }
    return PT_OK;
}

void pt_tree_walk_end(pt_tree_walk *walk)
{
    pt_free(walk->stack);
    *walk = (pt_tree_walk){0};
}

/* ---- what is public -------------------------------------------------------------------------- */

int64_t pt_model_n_trees(const pt_model *model)
{
    const pt_tree_view view = pt_tree_view_of(model);
    return view.forest ? view.forest->n_trees : 0;
}

pt_status pt_trees_new(pt_trees **out, const pt_model *model, const char *format,
                       int64_t most_lines, pt_error *err)
{
    const pt_tree_view view = pt_tree_view_of(model);
    const bool json = strcmp(format, "json") == 0;
    if (!json && strcmp(format, "words") != 0)
        return pt_fail(err, PT_EINVAL, "trees are shown as words or json, not as '%s'", format);
    if (!view.forest)
        return pt_fail(err, PT_EINVAL, "the machine %s is not made of trees",
                       model->machine->ops->name);
    pt_trees *trees = pt_alloc_zero(1, sizeof *trees, "trees", err);
    if (!trees)
        return PT_ENOMEM;
    const pt_status status =
        json ? pt_trees_as_json(&view, &trees->text, err)
             : pt_trees_as_words(&view, most_lines, &trees->text, &trees->shortened, err);
    if (status != PT_OK) {
        pt_trees_free(trees);
        return status;
    }
    *out = trees;
    return PT_OK;
}

const char *pt_trees_text(const pt_trees *trees)
{
    return trees->text;
}

int pt_trees_shortened(const pt_trees *trees)
{
    return trees->shortened;
}

void pt_trees_free(pt_trees *trees)
{
    if (!trees)
        return;
    pt_free(trees->text);
    pt_free(trees);
}
