/* Discrete design: a code of a few allowed entries for given outputs (CS sections 2 to 4).
 *
 * Class r has the score M_r . h(x); H(x) are the classes with the largest one, among which chance
 * decides. What is minimised is the expected error on the examples (CS eq. (1)),
 *
 *     eps(M) = 1 - (1/W) sum_i w_i [y_i in H(x_i)] / |H(x_i)|,      W = sum_i w_i,
 *
 * so that a tie of q classes counts 1/q for each. With outputs and entries of -1 and +1 that is
 * Hamming decoding; outputs may be any real numbers.
 *
 * The best M is NP-hard to find even for two classes (CS Theorem 2), so that there is a choice:
 *
 *     column   each column as if it were the only one: Theorem 1, O(ell (m + k^2 log k))
 *     greedy   one column after another, each the best one given those before it
 *     local    changes of single entries from several starts, with kicks; the default
 *     exact    branch and bound, begun with what local finds
 */
#ifndef PT_CODES_DESIGN_DISCRETE_H
#define PT_CODES_DESIGN_DISCRETE_H

#include "codes/design.h"

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
    int64_t fixed;  /* the first columns of M that are given and stay (not for column) */
    bool started;   /* the other columns of M are a start: what comes out is not worse, but for
                       entries that are not allowed; column and greedy do not look at it */
    uint64_t seed;  /* of local starts and kicks */
    int64_t starts; /* of the local search; 0: PT_DISCRETE_STARTS */
    int64_t nodes;  /* most nodes of branch and bound; 0: PT_DISCRETE_NODES */
} pt_discrete_options;

typedef struct pt_discrete_result {
    double error;  /* eps(M) */
    double bound;  /* no code has a smaller error; 0 where nothing is known */
    bool proven;   /* M is the best there is */
    int64_t nodes; /* of branch and bound */
} pt_discrete_result;

/* M (k x ell, row-major) <- the code; columns that are fixed, and a start, are read from it. costs
 * and margin of the data are not looked at. The same bytes for any number of threads. */
pt_status pt_design_discrete(int8_t *M, const pt_design_data *data,
                             const pt_discrete_options *options, pt_discrete_result *result,
                             const pt_task *task, pt_error *err);

/* *error <- eps(M) of any entries. Time: O(m k ell). */
pt_status pt_discrete_error(double *error, const pt_design_data *data, const int8_t *M,
                            pt_error *err);

#endif
