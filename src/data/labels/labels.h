/* Labels of examples, born with their kind. A label is a partial order over classes (HRZ): one
 * class, a set, a ranking with ties, or pairs. */
#ifndef PT_DATA_LABELS_LABELS_H
#define PT_DATA_LABELS_LABELS_H

#include "base/error.h"
#include "base/text.h"
#include "base/warnings.h"

typedef enum pt_label_kind {
    PT_LABEL_CLASS = 0,
    PT_LABEL_SET = 1,
    PT_LABEL_RANKING = 2,
    PT_LABEL_PAIRS = 3
} pt_label_kind;

const char *pt_label_kind_name(pt_label_kind kind); /* "class" "set" "ranking" "pairs" */

/*   kind      class_of[i]        items of example i: item[start[i] .. start[i+1])
 *   class     index, -1: none    not used (start and item are NULL)
 *   set       not used (NULL)    the classes of the set, ascending
 *   ranking   not used           classes from best to worst; rank[] beside them, equal ranks tie
 *   pairs     not used           2 items a pair: (before, after)
 */
typedef struct pt_labels {
    pt_label_kind kind;
    int64_t n;
    pt_texts classes; /* sorted: numerically if all are integers, else by bytes */
    int64_t *class_of;
    int64_t *start;
    int64_t *item;
    int64_t *rank;
} pt_labels;

static inline int64_t pt_labels_n_classes(const pt_labels *labels)
{
    return labels->classes.count;
}

/* Bytes that they hold. */
double pt_labels_bytes(const pt_labels *labels);

/* Class labels from n texts (NULL or empty: none), each of length[i] bytes. Sorts and numbers them.
 */
pt_status pt_labels_from_texts(pt_labels **out, int64_t n, const char *const *text,
                               const size_t *length, pt_error *err);

/* The most bytes that pt_labels_from_codes takes while it runs, the labels included. */
size_t pt_labels_need(int64_t n, const pt_texts *names);

/* Class labels from class names in any order and class numbers into them (-1: none): sorts the
 * names and renumbers. Takes nothing. Names that no example has are kept. */
pt_status pt_labels_from_codes(pt_labels **out, int64_t n, const int64_t *code,
                               const pt_texts *names, pt_error *err);

/* Sets, rankings or pairs from class names in any order and items into them: start n + 1, item and,
 * of rankings, rank (smaller is better, equal ranks tie) start[n]. Sorts the names, renumbers and
 * orders the items as pt_labels has them. Takes nothing. Names that no example has are kept.
 * Refused, with the example in *bad (from 0, and the text leaves its number to who asks; NULL:
 * nobody does): a class twice in a set or a ranking, a class before itself, pairs that go in a
 * circle. A pair that is there twice is one. */
pt_status pt_labels_from_items(pt_labels **out, pt_label_kind kind, int64_t n, const int64_t *start,
                               const int64_t *item, const int64_t *rank, const pt_texts *names,
                               int64_t *bad, pt_error *err);

/* Whether an example has a label: an empty set is one, a ranking or pairs of nothing are none. */
static inline int pt_labels_has(const pt_labels *labels, int64_t i)
{
    return labels->kind == PT_LABEL_CLASS ? labels->class_of[i] >= 0
           : labels->kind == PT_LABEL_SET ? 1
                                          : labels->start[i + 1] > labels->start[i];
}

/* Some of the rows, with all the classes. */
pt_status pt_labels_subset(pt_labels **out, const pt_labels *labels, const int64_t *rows, int64_t n,
                           pt_error *err);

/* For the files of labels: an empty shell of labels; and names sorted into classes, where
 * class_of_code[c] is the class of name c. A name that is there twice is one class. */
pt_labels *pt_labels_new(pt_label_kind kind, int64_t n, pt_error *err);
pt_status pt_class_names_sort(pt_texts *classes, int64_t *class_of_code, const pt_texts *names,
                              pt_error *err);

/* Compares class names as they are sorted, given that all are integers (or not). */
int pt_class_compare(const char *a, const char *b, int all_integers);

void pt_labels_free(pt_labels *labels);

static inline void pt_labels_free_at(pt_labels **address) /* for PT_FREED_BY */
{
    pt_labels_free(*address);
}

/* Labels of one data set in the classes of another: names tell which are the same. Where all known
 * classes are different numbers, a class that is the same number in other digits (0.0 for 0, as
 * pandas writes after a missing cell) is that class, if no other class of the labels is. */

/* The same labels with the classes of `known` in front, numbered as there, and behind them, in the
 * order of `labels`, those of its classes that `known` lacks and some example names. `remarks`
 * (NULL: nobody asks) gets what was taken for the same number, and an unknown class that differs
 * from a known one by blanks and capitals alone. */
pt_status pt_labels_match(pt_labels **out, const pt_labels *labels, const pt_texts *known,
                          pt_warnings *remarks, pt_error *err);

/* The distinct sets among labels, and which examples have which: what label powerset makes classes
 * of, and what lets learners treat rows with the same set alike. */

/* Sets in the order of how many examples have them, the most frequent first; of equals, the one
 * that begins with the lower class. Zero-initialise; free it always. */
typedef struct pt_label_groups {
    int64_t n;
    int64_t k;
    int64_t count;     /* sets */
    int64_t *group_of; /* n: the set of an example */
    int64_t *size;     /* count: how many examples have it */
    int64_t *start;    /* count + 1 */
    int64_t *item;     /* the classes of set g: item[start[g] .. start[g+1]), ascending */
} pt_label_groups;

/* Of labels of kind set; a class is the set of that class alone. Every example has a label. */
pt_status pt_label_groups_init(pt_label_groups *groups, const pt_labels *labels, pt_error *err);
void pt_label_groups_free(pt_label_groups *groups);

#endif
