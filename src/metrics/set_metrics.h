/* Scores of classes against the set of classes that are right: figures of one example. */
#ifndef PT_METRICS_SET_METRICS_H
#define PT_METRICS_SET_METRICS_H

#include <stdint.h>

/* What the order of the scores says of a set of m members among k classes. */
typedef struct pt_set_order {
    int64_t violated;    /* pairs (member, other) that are not in order, ties by lower index */
    double ranking_loss; /* the share of pairs in which the other class scores as much or more;
                                 0 where there are no pairs */
    double coverage;     /* how many classes score as much as the worst member; 0 without one */
    double average_precision; /* mean over members of the share of members among the classes that
                                 score as much; 1 where there are no pairs */
} pt_set_order;

/* A member while it is sorted. */
typedef struct pt_member {
    double score;
    int64_t class_index;
    int64_t others; /* other classes whose place is between this member and the one before */
    int64_t tied;   /* the same, where ties are before the member */
} pt_member;

/* `members`: m classes, ascending; of the k classes those from n_known on come before nothing, and
 * have the score -INFINITY. `work` has room for m. Time: O((k + m) log m). */
pt_set_order pt_set_order_of(const double *scores, int64_t k, int64_t n_known,
                             const int64_t *members, int64_t m, pt_member *work);

#endif
