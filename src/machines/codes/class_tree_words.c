/* A tree of classes in words: ((a | b) | c). */
#include <string.h>

#include "base/alloc.h"
#include "codes/code_measure.h"
#include "machines/codes/class_tree.h"

typedef struct tree_writer {
    const pt_code *tree;
    const pt_texts *names;
    int64_t *order;  /* k: the classes, those of a node side by side */
    int64_t *parted; /* k: work space */
    int64_t *size;   /* of each column: how many classes take part */
    char *at;
} tree_writer;

static void put(tree_writer *w, const char *text)
{
    const size_t length = strlen(text);
    memcpy(w->at, text, length);
    w->at += length;
}

/* The column of the node with these classes: on the way to a class every node is smaller than the
 * one above. */
static int64_t column_of(const tree_writer *w, int64_t first, int64_t count)
{
    int64_t s = 0;
    while (w->size[s] != count || pt_code_entry(w->tree, w->order[first], s) == 0)
        s++;
    return s;
}

/* The classes of a node at +, then those at -; returns how many the former are. */
static int64_t part(tree_writer *w, int64_t first, int64_t count, int64_t s)
{
    int64_t n = 0;
    int64_t left = 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int64_t j = 0; j < count; j++)
            if (pt_code_entry(w->tree, w->order[first + j], s) == sign)
                w->parted[n++] = w->order[first + j];
        left = sign > 0 ? n : left;
    }
    memcpy(w->order + first, w->parted, (size_t)count * sizeof *w->order);
    return left;
}

static void put_node(tree_writer *w, int64_t first, int64_t count)
{
    if (count == 1) {
        put(w, pt_texts_get(w->names, w->order[first]));
        return;
    }
    const int64_t left = part(w, first, count, column_of(w, first, count));
    put(w, "(");
    put_node(w, first, left);
    put(w, " | ");
    put_node(w, first + left, count - left);
    put(w, ")");
}

pt_status pt_class_tree_words(char **text, const pt_code *tree, const pt_texts *names,
                              pt_error *err)
{
    const int64_t k = tree->k;
    tree_writer w = {.tree = tree, .names = names};
    size_t length = 1;
    for (int64_t r = 0; r < k; r++)
        length += strlen(pt_texts_get(names, r)) + strlen("( | )");
    w.order = pt_alloc(k, sizeof *w.order, "classes", err);
    w.parted = pt_alloc(k, sizeof *w.parted, "classes", err);
    w.size = pt_alloc(tree->ell, sizeof *w.size, "columns", err);
    char *words = pt_alloc((int64_t)length, 1, "a tree in words", err);
    const bool got = w.order && w.parted && w.size && words;
    if (got) {
        for (int64_t r = 0; r < k; r++)
            w.order[r] = r;
        for (int64_t s = 0; s < tree->ell; s++)
            w.size[s] = k - pt_code_count(tree, s, 0);
        w.at = words;
        put_node(&w, 0, k);
        *w.at = '\0';
        *text = words;
    } else {
        pt_free(words);
    }
    pt_free(w.size);
    pt_free(w.parted);
    pt_free(w.order);
    return got ? PT_OK : PT_ENOMEM;
}
