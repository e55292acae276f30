/* The distinct sets among labels, and which examples have which: what label powerset makes classes
 * of, and what lets learners treat rows with the same set alike. */
#ifndef PT_DATA_LABELS_LABEL_GROUPS_H
#define PT_DATA_LABELS_LABEL_GROUPS_H

#include "data/labels/labels.h"

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
