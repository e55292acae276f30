/* How a discrete code is searched for (codes/design/design_discrete.h). */
#ifndef PT_CODES_DESIGN_DISCRETE_OPTIONS_H
#define PT_CODES_DESIGN_DISCRETE_OPTIONS_H

#include <stdint.h>

typedef enum pt_design_entries {
    PT_ENTRIES_SIGN,    /* -1, +1: CS section 2 */
    PT_ENTRIES_TERNARY, /* -1, 0, +1: as in ASS */
    PT_ENTRIES_BIT      /* 0, 1: the formulation of CS Theorem 2 */
} pt_design_entries;

typedef enum pt_design_search {
    PT_SEARCH_COLUMN, /* signs only */
    PT_SEARCH_GREEDY,
    PT_SEARCH_LOCAL,
    PT_SEARCH_EXACT
} pt_design_search;

enum {
    PT_DISCRETE_STARTS = 4,         /* starts of the local search */
    PT_DISCRETE_KICKS = 10,         /* and how often each is disturbed */
    PT_DISCRETE_EXACT_CLASSES = 12, /* a greedy column of at most so many classes is exact */
    PT_DISCRETE_NODES = 1000000     /* of the tree of branch and bound, at most, where 0 is given */
};

typedef struct pt_discrete_options {
    pt_design_search search;
    pt_design_entries entries;
    int64_t fixed;       /* the first columns of M that are given and stay (not for column) */
    const int8_t *start; /* k x ell, row-major: local and exact begin there too, and do not end
                            worse; entries that are not allowed are replaced. NULL: none */
    uint64_t seed;       /* of local starts and kicks */
    int64_t starts;      /* of the local search; 0: PT_DISCRETE_STARTS */
    int64_t nodes;       /* most nodes of branch and bound; 0: PT_DISCRETE_NODES */
} pt_discrete_options;

#endif
