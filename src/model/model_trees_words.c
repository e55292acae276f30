/* Trees in words, with the names of columns, levels and classes:
 *
 *     tree: 2 tests, 3 leaves
 *       petal_length <= 2.45: setosa 0.99
 *       petal_length > 2.45 or missing:
 *         petal_width <= 1.75: versicolor 0.9
 *         petal_width > 1.75 or missing: virginica 0.97
 *
 *     column 1, setosa : versicolor virginica
 *       round 1: petal_length <= 2.45: +0.91, else -0.52
 *
 * A leaf says the class with the largest share, or what it adds to the output of its column, or,
 * where a test is shared by all columns, the largest of what it adds to them. Columns are then
 * called by their class, their two classes, or by a number that is explained below the trees:
 *
 *     column 3: setosa virginica : versicolor
 *
 * Trees of columns are told column by column, with the first rounds of each: lines are shared out
 * evenly among columns until there are no more of them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "model/tree_view.h"

enum {
    LEVELS_SHOWN = 8,
    CLASSES_SHOWN = 6,
    CLASSES_NAMED = 40, /* of a model whose columns are explained in full */
    OUTPUTS_SHOWN = 4,
    A_COLUMN = 4 /* lines at least, where lines are counted */
};

/* A text that grows, and the lines that it may still have. */
typedef struct words {
    const pt_tree_view *view;
    char *text;
    int64_t length, room;
    int64_t lines; /* left; INT64_MAX: any number */
    bool shortened;
    bool *mentioned;  /* ell: columns that were called by their number; NULL without a code */
    pt_status status; /* the first failure: all that is written after it is dropped */
    pt_error *err;
} words;

/* ---- writing --------------------------------------------------------------------------------- */

static void put_bytes(words *w, const char *bytes, int64_t count)
{
    if (w->status == PT_OK && w->length + count + 1 > w->room) {
        const int64_t room = 2 * (w->length + count + 1) + 256;
        w->status = pt_alloc_grow((void **)&w->text, w->room, room, 1, "words", w->err);
        w->room = w->status == PT_OK ? room : w->room;
    }
    if (w->status != PT_OK)
        return;
    memcpy(w->text + w->length, bytes, (size_t)count);
    w->length += count;
    w->text[w->length] = '\0';
}

static void put(words *w, const char *format, ...) PT_PRINTF(2, 3);

/* Short texts of our own; names go through put_name. */
static void put(words *w, const char *format, ...)
{
    char some[160];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(some, sizeof some, format, arguments);
    va_end(arguments);
    put_bytes(w, some, length < (int)sizeof some ? length : (int)sizeof some - 1);
}

/* A name may have any bytes: those that would move a terminal's cursor are shown as '?'. */
static void put_name(words *w, const char *name)
{
    for (; *name; name++) {
        const unsigned char byte = (unsigned char)*name;
        put_bytes(w, byte < ' ' || byte == 127 ? "?" : name, 1);
    }
}

static void begin_line(words *w, int64_t depth)
{
    enum { DEEPEST = 40 };
    put(w, "%*s", (int)(2 * (depth < DEEPEST ? depth : DEEPEST)), "");
}

static void end_line(words *w)
{
    put(w, "\n");
    w->lines -= w->lines < INT64_MAX;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The classes of one side of column s; more than `most` are counted. */
static void put_side(words *w, int64_t s, int side, int64_t most)
{
    const pt_texts *classes = &w->view->model->classes;
    int64_t count = 0;
    for (int64_t r = 0; r < classes->count; r++)
        count += pt_code_entry(w->view->code, r, s) == side;
    if (count > most) {
        put(w, "%lld classes", (long long)count);
        return;
    }
    for (int64_t r = 0, shown = 0; r < classes->count; r++)
        if (pt_code_entry(w->view->code, r, s) == side) {
            put(w, "%s", shown++ > 0 ? " " : "");
            put_name(w, classes->items[r]);
        }
}

static void put_column(words *w, int64_t s)
{
    put(w, "column %lld, ", (long long)s + 1);
    put_side(w, s, 1, CLASSES_SHOWN);
    put(w, " : ");
    put_side(w, s, -1, CLASSES_SHOWN);
}

/* A column of one class against all others is known by that class, one of two classes by both;
 * others by their numbers, which are explained in the end. */
static void put_column_short(words *w, int64_t s)
{
    const pt_texts *classes = &w->view->model->classes;
    int64_t plus = 0;
    int64_t minus = 0;
    int64_t at = 0;
    for (int64_t r = 0; r < classes->count; r++) {
        const int sign = pt_code_entry(w->view->code, r, s);
        plus += sign > 0;
        minus += sign < 0;
        at = sign > 0 ? r : at;
    }
    if (plus == 1 && minus == classes->count - 1) {
        put_name(w, classes->items[at]);
    } else if (plus == 1 && minus == 1) {
        put(w, "(");
        put_side(w, s, 1, 1);
        put(w, " : ");
        put_side(w, s, -1, 1);
        put(w, ")");
    } else {
        put(w, "column %lld", (long long)s + 1);
        w->mentioned[s] = true;
    }
}

/* "column 3: a c : b d": the classes at + and at - of those that were mentioned. */
static void put_mentioned(words *w)
{
    const bool all = w->lines == INT64_MAX || w->view->model->classes.count <= CLASSES_NAMED;
    const int64_t most = all ? INT64_MAX : CLASSES_SHOWN;
    for (int64_t s = 0; s < w->view->code->ell; s++) {
        if (!w->mentioned[s])
            continue;
        put(w, "column %lld: ", (long long)s + 1);
        put_side(w, s, 1, most);
        put(w, " : ");
        put_side(w, s, -1, most);
        put(w, "\n");
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void put_feature(words *w, int64_t feature)
{
    const pt_output output = pt_tree_view_output(w->view, feature);
    if (output.input < 0)
        put(w, "the column of the code");
    else if (output.name)
        put_name(w, output.name);
    else
        put(w, "column %lld", (long long)output.input + 1);
    if (output.level) {
        put(w, " = ");
        put_name(w, output.level);
    }
    put(w, "%s", output.indicator ? " is missing" : "");
}

static void put_level(words *w, int64_t feature, int64_t level)
{
    const pt_output output = pt_tree_view_output(w->view, feature);
    const char *name = output.levels ? pt_texts_get(output.levels, level) : NULL;
    if (output.input < 0)
        put_column_short(w, level);
    else if (name)
        put_name(w, name);
    else
        put(w, "%lld", (long long)level);
}

/* The levels that are in the set, or those that are not. */
static void put_set(words *w, const pt_split *split, bool in)
{
    const pt_forest *forest = w->view->forest;
    const int64_t levels = forest->levels[split->feature];
    int64_t shown = 0;
    int64_t count = 0;
    put(w, " in {");
    for (int64_t v = 0; v < levels; v++) {
        if (pt_forest_in_set(forest->words + split->set, v) != in)
            continue;
        if (count++ >= LEVELS_SHOWN && w->lines < INT64_MAX)
            continue;
        put(w, "%s", shown++ > 0 ? ", " : "");
        put_level(w, split->feature, v);
    }
    if (shown < count)
        put(w, ", ... (%lld in all)", (long long)count);
    put(w, "}");
}

/* When a branch is taken. */
static void put_condition(words *w, const pt_node *node, int branch)
{
    const pt_split *split = &node->split;
    const int64_t *child = node->child;
    put_feature(w, split->feature);
    if (branch == PT_BRANCH_MISSING) {
        put(w, " missing");
    } else if (child[PT_BRANCH_IN] == child[PT_BRANCH_OUT]) {
        put(w, " known");
    } else {
        if (split->set >= 0)
            put_set(w, split, branch == PT_BRANCH_IN);
        else
            put(w, " %s %.6g", branch == PT_BRANCH_IN ? "<=" : ">",
                pt_tree_view_cut(w->view, split));
        if (child[PT_BRANCH_MISSING] == child[branch] &&
            pt_tree_view_output(w->view, split->feature).may_be_missing)
            put(w, " or missing");
    }
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* What is added to an output; rounding errors are none. */
static void put_value(words *w, double value)
{
    put(w, "%+.3g", fabs(value) < 1e-12 ? 0 : value);
}

/* The outputs to which a leaf of a shared test adds most, in their order. */
static void put_outputs(words *w, const double *value)
{
    const int64_t width = w->view->forest->width;
    int64_t shown = 0;
    for (int64_t s = 0; s < width; s++) {
        int64_t larger = 0;
        for (int64_t t = 0; t < width; t++)
            larger +=
                fabs(value[t]) > fabs(value[s]) || (t < s && fabs(value[t]) == fabs(value[s]));
        if (larger >= OUTPUTS_SHOWN && w->lines < INT64_MAX)
            continue;
        put(w, "%s", shown++ > 0 ? ", " : "");
        put_column_short(w, s);
        put(w, " ");
        put_value(w, value[s]);
    }
    if (shown < width)
        put(w, ", ... (%lld in all)", (long long)width);
}

static bool adds_nothing(const pt_forest *forest, int64_t child)
{
    const double *value = forest->value + (-1 - child) * forest->width;
    bool nothing = true;
    for (int64_t s = 0; s < forest->width; s++)
        nothing = nothing && value[s] == 0;
    return nothing;
}

static void put_leaf(words *w, int64_t child)
{
    const pt_forest *forest = w->view->forest;
    const double *value = forest->value + (-1 - child) * forest->width;
    if (w->view->shares) {
        const int64_t r = pt_first_largest(value, forest->width);
        put_name(w, w->view->model->classes.items[r]);
        put(w, " %.3g", exp(value[r]));
    } else if (forest->width == 1) {
        put_value(w, *value);
    } else {
        put_outputs(w, value);
    }
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* How many children are different, and whether all of them are leaves. */
static bool is_stump(const pt_forest *forest, int64_t root)
{
    bool leaves = root >= 0;
    for (int b = 0; leaves && b < PT_BRANCHES; b++)
        leaves = forest->node[root].child[b] < 0;
    return leaves;
}

/* "x <= 2: +1, else -1", with a word about missing cells where they get something else. */
static void put_stump(words *w, int64_t root)
{
    const pt_node *node = &w->view->forest->node[root];
    const int64_t *child = node->child;
    const bool own = child[PT_BRANCH_MISSING] != child[PT_BRANCH_IN] &&
                     child[PT_BRANCH_MISSING] != child[PT_BRANCH_OUT];
    const bool known = child[PT_BRANCH_IN] == child[PT_BRANCH_OUT];
    put_condition(w, node, PT_BRANCH_IN);
    put(w, ": ");
    put_leaf(w, child[PT_BRANCH_IN]);
    if (own && !known && pt_tree_view_output(w->view, node->split.feature).may_be_missing &&
        !adds_nothing(w->view->forest, child[PT_BRANCH_MISSING])) {
        put(w, ", missing: ");
        put_leaf(w, child[PT_BRANCH_MISSING]);
    }
    if (known && !own)
        return;
    put(w, known ? ", missing: " : ", else ");
    put_leaf(w, child[known ? PT_BRANCH_MISSING : PT_BRANCH_OUT]);
}

/* "... (3 more rounds)" */
static void put_more(words *w, int64_t depth, int64_t count, const char *one, const char *many)
{
    begin_line(w, depth);
    put(w, "... (%lld more %s)", (long long)count, count > 1 ? many : one);
    end_line(w);
    w->shortened = true;
}

/* A line for each branch; lines: as many as it may have. */
static void put_branches(words *w, int64_t tree, int64_t depth, int64_t lines)
{
    const pt_forest *forest = w->view->forest;
    PT_FREED_BY(pt_tree_steps_free) pt_tree_steps steps = {0};
    if (w->status == PT_OK)
        w->status = pt_tree_steps_of(&steps, forest, tree, w->err);
    if (w->status != PT_OK)
        return;
    const int64_t branches = steps.count - 1; /* the root is none */
    for (int64_t i = 1; i <= branches && i <= lines; i++) {
        const pt_tree_step *step = &steps.step[i];
        begin_line(w, depth + step->depth - 1);
        put_condition(w, &forest->node[step->parent], step->branch);
        put(w, ":%s", step->child < 0 ? " " : "");
        if (step->child < 0)
            put_leaf(w, step->child);
        end_line(w);
    }
    if (branches > lines)
        put_more(w, depth, branches - pt_greater(lines, 0), "branch", "branches");
}

/* One tree below a heading that has been begun; in the same line if it is a leaf, or one test in
 * one of many rounds. */
static void put_tree(words *w, int64_t tree, int64_t depth, int64_t lines)
{
    const int64_t root = w->view->forest->root[tree];
    const bool stump = is_stump(w->view->forest, root) && depth > 1;
    put(w, root < 0 || stump ? ": " : depth > 1 ? ":" : "");
    if (root < 0)
        put_leaf(w, root);
    else if (stump)
        put_stump(w, root);
    end_line(w);
    if (root >= 0 && !stump)
        put_branches(w, tree, depth, lines);
}

/* Column s: its only tree, or the first of its rounds. */
static void put_trees_of(words *w, int64_t s, int64_t lines)
{
    const pt_tree_view *view = w->view;
    const int64_t rounds = view->forest->n_trees / view->ell;
    const int64_t before = w->lines;
    if (pt_tree_view_by_column(view))
        put_column(w, s);
    else
        put(w, rounds > 1 ? "%lld rounds" : "tree", (long long)rounds);
    if (rounds == 1) {
        put_tree(w, s, 1, lines - 1);
        return;
    }
    end_line(w);
    for (int64_t t = 0; t < rounds && w->status == PT_OK; t++) {
        const int64_t left = lines < INT64_MAX ? lines - (before - w->lines) : INT64_MAX;
        if (left <= 0) {
            put_more(w, 1, rounds - t, "round", "rounds");
            break;
        }
        begin_line(w, 1);
        put(w, "round %lld", (long long)t + 1);
        put_tree(w, t * view->ell + s, 2, left - 1);
    }
}

static void put_trees(words *w, int64_t most_lines)
{
    const int64_t ell = w->view->ell;
    int64_t each = INT64_MAX;
    if (most_lines > 0)
        each = most_lines / ell > A_COLUMN ? most_lines / ell : A_COLUMN;
    for (int64_t s = 0; s < ell && w->status == PT_OK; s++) {
        if (w->lines <= 0) {
            put_more(w, 0, ell - s, "column", "columns");
            break;
        }
        put_trees_of(w, s, each);
    }
}

pt_status pt_trees_as_words(const pt_tree_view *view, int64_t most_lines, char **text,
                            bool *shortened, pt_error *err)
{
    words w = {.view = view, .lines = most_lines > 0 ? most_lines : INT64_MAX, .err = err};
    if (view->code) {
        w.mentioned = pt_alloc_zero(view->code->ell, sizeof *w.mentioned, "words", err);
        w.status = w.mentioned ? PT_OK : PT_ENOMEM;
    }
    put(&w, "%s", "");
    if (view->forest->n_trees >= view->ell)
        put_trees(&w, most_lines);
    if (view->code && w.mentioned)
        put_mentioned(&w);
    pt_free(w.mentioned);
    if (w.status != PT_OK) {
        pt_free(w.text);
        return w.status;
    }
    *text = w.text;
    *shortened = w.shortened;
    return PT_OK;
}

pt_status pt_tree_path_add(pt_texts *paths, const pt_tree_view *view, const pt_rows *rows,
                           int64_t i, pt_error *err)
{
    const pt_forest *forest = view->forest;
    words w = {.view = view, .lines = INT64_MAX, .err = err};
    int64_t at = forest->root[0];
    put(&w, "%s", "");
    while (at >= 0) {
        const pt_node *node = &forest->node[at];
        const int branch = pt_forest_way(forest, &node->split, rows, i);
        put_condition(&w, node, branch);
        at = node->child[branch];
        put(&w, "%s", at >= 0 ? ", " : "");
    }
    if (w.status == PT_OK)
        w.status = pt_texts_add_n(paths, w.text, (size_t)w.length, err);
    pt_free(w.text);
    return w.status;
}
